/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_kinds.h -- the congestion controls and the loss detections of TCP: what one is, and the list of all.
 *
 * Each is a file tcp_NAME.c and a row below; nobody else knows it by name. A configuration points to the one it wants. */
#ifndef IW_LLP_TCP_KINDS_H
#define IW_LLP_TCP_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/iw.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tcp;
struct tcp_wire;
struct tcp_record;
struct tcp_news;

/* ---- congestion controls ---- */

/* tcp_NAME, and the scenario's word for it; octets follow a word that ends in ':': tcp_conf.fixed_window. */
#define TCP_CONGESTION_TABLE(X) \
    X(cubic, "cubic")           \
    X(dctcp, "dctcp")           \
    X(newreno, "newreno")       \
    X(fixed, "fixed:")

/* How goodput falls as losses rise; world simgrid has a row of measurements for each (simgrid/rates.c). */
enum tcp_response {
    TCP_RESPONSE_CUBIC = 1,
    TCP_RESPONSE_RENO,
    TCP_RESPONSE_FIXED,
    TCP_RESPONSE_NONE,
    TCP_RESPONSES
};

struct tcp_congestion {
    bool hystart; /* HyStart++ watches its first slow start (RFC 9406) */
    bool fixed;   /* cwnd is fixed_window unless something is being repaired */
    bool ecn;     /* it rests on marks: ECN is on unless told otherwise, and SYN and RST are ECT, too */
    /* What none may lack (tcp_conf_error). */
    enum tcp_response response;
    /* `octets` were acknowledged, cumulatively, while cwnd was in full use and nothing is being repaired. */
    void (*grow)(struct tcp *t, iw_time now, uint32_t octets);
    /* The slow start threshold after a loss, after a mark; before cwnd is touched. */
    uint32_t (*after_loss)(struct tcp *t, iw_time now);
    uint32_t (*after_mark)(struct tcp *t, iw_time now);
    /* NULL: of no interest. The first slow start is over, or there is none. */
    void (*start)(struct tcp *t);
    /* Each acknowledgement: octets delivered. */
    void (*hear)(struct tcp *t, uint32_t octets, bool marked);
    /* A reduction was for nothing: the last, or one before it. */
    void (*undo)(struct tcp *t, bool last);
    /* A record leaves after `gap` without any in flight. */
    void (*rested)(struct tcp *t, iw_time gap);
    /* The receiver's side: a packet came, with CE or without. NULL: ECE until CWR (RFC 3168 6.1.3). */
    void (*echo)(struct tcp *t, const struct tcp_wire *w, bool ce);
};

/* ---- loss detections ---- */

#define TCP_DETECTION_TABLE(X) \
    X(rack, "rack")            \
    X(dupack, "dupack")

/* NULL where nothing is said: of no interest. */
struct tcp_detection {
    const struct tcp_detection *without_sack; /* who serves where the peer has no SACK; NULL: itself */
    void (*start)(struct tcp *t);             /* established */
    /* A record arrived; it was SACKed first now; it is acknowledged with all before it, and `first` is about to move on. */
    void (*heard)(struct tcp *t, const struct tcp_record *r, const struct tcp_news *n);
    void (*sacked)(struct tcp *t, uint32_t i);
    void (*retired)(struct tcp *t, uint32_t i);
    void (*dsack)(struct tcp *t);
    /* Marks what is lost; true when something newly is. Never NULL. */
    bool (*detect)(struct tcp *t, struct tcp_news *n);
    /* A repair is over: of losses (RECOVERY), or another. A timeout; `reneged`: what was SACKed is not there. */
    void (*repaired)(struct tcp *t, bool losses);
    void (*timed_out)(struct tcp *t, bool reneged);
    /* How long a record that a timeout gives up must have been out. NULL: all are given up. */
    iw_time (*patience)(const struct tcp *t);
    /* Octets in flight that arrived, though no SACK says so. */
    uint32_t (*arrived)(const struct tcp *t);
    /* The probe of the tail: when it is due; what an acknowledgement says of it. */
    void (*arm_probe)(struct tcp *t, iw_time now);
    void (*probe_heard)(struct tcp *t, const struct tcp_news *n);
};

/* ---- the lists ---- */

#define TCP_CONGESTION_IS(name, word) extern const struct tcp_congestion tcp_##name;
#define TCP_DETECTION_IS(name, word)  extern const struct tcp_detection tcp_##name;
#define TCP_KIND_COUNTS(name, word)   +1
#define TCP_KIND(name, word)          &tcp_##name,
#define TCP_KIND_WORD(name, word)     word,
TCP_CONGESTION_TABLE(TCP_CONGESTION_IS)
TCP_DETECTION_TABLE(TCP_DETECTION_IS)
enum {
    TCP_CONGESTIONS = TCP_CONGESTION_TABLE(TCP_KIND_COUNTS),
    TCP_DETECTIONS = TCP_DETECTION_TABLE(TCP_KIND_COUNTS)
};

/* As the tables say, row by row; NULL ends the words. */
extern const struct tcp_congestion *const tcp_congestions[TCP_CONGESTIONS];
extern const struct tcp_detection *const tcp_detections[TCP_DETECTIONS];
extern const char *const tcp_congestion_words[], *const tcp_detection_words[];

/* Define one. What is in no table above does not compile. */
#define TCP_CONGESTION(name)                                                                    \
    _Static_assert(sizeof tcp_##name == sizeof(struct tcp_congestion), "a congestion control"); \
    const struct tcp_congestion tcp_##name
#define TCP_DETECTION(name)                                                                \
    _Static_assert(sizeof tcp_##name == sizeof(struct tcp_detection), "a loss detection"); \
    const struct tcp_detection tcp_##name

#ifdef __cplusplus
}
#endif
#endif
