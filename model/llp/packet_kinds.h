/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_kinds.h -- the congestion controls of packet transports: what one is, and the list of all.
 *
 * Each is a file packet_NAME.c and a row below; nobody else knows it by name. A configuration points to the one it wants.
 *
 *   sender   sent -->                          --> answered | trimmed | expired | notified
 *            a packet leaves, while its octets under way fit into window() and free_at() has passed
 */
#ifndef IW_LLP_PACKET_KINDS_H
#define IW_LLP_PACKET_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/iw.h"

#ifdef __cplusplus
extern "C" {
#endif

struct packet_end;
struct packet_conf;

/* packet_NAME, and the scenario's word for it. */
#define PACKET_CONGESTION_TABLE(X) \
    X(dcqcn, "dcqcn")              \
    X(none, "none")                \
    X(nscc, "nscc")                \
    X(rccc, "rccc")                \
    X(nscc_rccc, "nscc+rccc")      \
    X(swift, "swift")

/* NULL: of no interest. */
struct packet_congestion {
    bool marks; /* its packets can be marked: it rests on that, or the choice of paths does */
    bool
        notifies; /* the receiver tells of a mark by a packet of its own; else with the answer to the packet */
    bool answered_each; /* it needs answers that name packets: rud's */
    bool credits;       /* the receiver allows what leaves (packet_credit.c) */
    const char *(*error)(const struct packet_conf *conf); /* NULL, or what is wrong in words */
    void (*start)(struct packet_end *e);
    /* Most octets of IP packets under way; NULL: no such limit. */
    uint64_t (*window)(const struct packet_end *e);
    /* Nothing leaves before; 0: now. */
    iw_time (*free_at)(const struct packet_end *e);
    void (*sent)(struct packet_end *e, iw_time now, uint32_t octets);
    void (*notified)(struct packet_end *e, iw_time now);
    /* An answer came; e->news is what it said. */
    void (*answered)(struct packet_end *e, iw_time now);
    /* A packet of so many octets is to be sent again since it was trimmed, or waited too long; it is under way yet. */
    void (*trimmed)(struct packet_end *e, iw_time now, uint32_t octets);
    void (*expired)(struct packet_end *e, iw_time now, uint32_t octets);
    iw_time (*deadline)(const struct packet_end *e);
    void (*expire)(struct packet_end *e, iw_time now);
};

#define PACKET_CONGESTION_IS(name, word) extern const struct packet_congestion packet_##name;
#define PACKET_KIND_COUNTS(name, word)   +1
PACKET_CONGESTION_TABLE(PACKET_CONGESTION_IS)
enum { PACKET_CONGESTIONS = PACKET_CONGESTION_TABLE(PACKET_KIND_COUNTS) };

/* As the table says, row by row. */
extern const struct packet_congestion *const packet_congestions[PACKET_CONGESTIONS];

#ifdef __cplusplus
}
#endif
#endif
