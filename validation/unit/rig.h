/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rig.h -- one endpoint on the bench, between an LLP made of arrays and memory made of guarded pieces.
 *
 * What arrives is written in hex, as the RFC's figures draw it; what leaves is compared with hex. Nothing here uses
 * the engine's own codecs, so that a mistake in them cannot hide.
 */
#ifndef IW_UNIT_RIG_H
#define IW_UNIT_RIG_H

#include <stdbool.h>
#include <string.h>

#include "engine/iw.h"
#include "validation/support/test.h"

enum {
    RIG_ULPDU = 2048,
    RIG_REGIONS = 32,
    RIG_MESSAGES = 128,
    RIG_DONES = 64,
    RIG_GUARD = 64,
    RIG_CANARY = 0xee
};

/* Octets, with the key of the segment they are. */
struct ulpdu {
    uint64_t key;
    uint32_t len;
    uint8_t octets[RIG_ULPDU];
};

/* "41 43 00000000 ..." -> octets. Spaces are for the reader. */
struct ulpdu hex(const char *text);
/* The same, with `len` more octets: 0, 1, 2 ... counted from `first`, modulo 256. */
struct ulpdu hex_count(const char *head, uint32_t first, uint32_t len);

struct rig_region {
    iw_stag stag;
    uint64_t to;
    uint32_t len;
    uint8_t *octets;
};

struct rig {
    struct iw_conf conf;
    struct iw_ep *ep;
    struct iw_stags *stags;
    struct iw_cq *send_cq, *recv_cq;
    iw_time now;
    uint64_t tx_key; /* of the next segment to leave */
    uint64_t rx_key; /* of the next segment in order */
    struct rig_region region[RIG_REGIONS];
    uint32_t regions;
    struct iw_message message[RIG_MESSAGES]; /* all that was delivered */
    uint32_t messages;
    bool shares_stags, shares_cqs;
};

/* The usual stream: PD 1, stream 1, MULPDU 1500, RFC profile, every LLP promise, IRD = ORD = 4, 16 requests. */
struct iw_conf rig_conf(void);
/* An endpoint that is not enabled yet. conf->stags and the queues are made when NULL; else they stay the caller's. */
void rig_init(struct rig *r, struct iw_conf conf);
/* rig_init() and iw_enable(): a stream in full operation. */
void rig_open(struct rig *r, struct iw_conf conf);
/* Checks every guard octet, then frees. */
void rig_close(struct rig *r);

/* ---- memory ---- */

/* Register `len` zero octets between guards; the STags are 0x100, 0x200 ... in order of registration. */
iw_stag rig_memory(struct rig *r, uint64_t to, uint32_t len, unsigned rights);
/* The same with everything said; region->base is set here, unless `length_only`. */
iw_stag rig_region(struct rig *r, struct iw_region region, bool length_only);
/* The octets at `to` of a region made by this rig. */
uint8_t *rig_at(struct rig *r, iw_stag stag, uint64_t to);
/* Fill a region with 0, 1, 2 ... modulo 256. */
void rig_count(struct rig *r, iw_stag stag);

/* ---- work ---- */

int rig_post(struct rig *r, struct iw_work work);
/* Post a receive of `len` octets at `to` of `stag`, which must succeed. */
void rig_recv(struct rig *r, uint64_t id, iw_stag stag, uint64_t to, uint32_t len);
/* Post a Send (or another op without a remote buffer) of `len` octets, which must succeed. */
void rig_send(struct rig *r, uint64_t id, enum iw_op op, iw_stag stag, uint64_t to, uint32_t len);
/* Post a Write or Read, which must succeed. */
void rig_tagged(struct rig *r, uint64_t id, enum iw_op op, struct iw_sge local, iw_stag remote,
                uint64_t remote_to);

/* The next segment to leave; false when there is none. It is neither accepted nor acknowledged yet. */
bool rig_pull(struct rig *r, struct ulpdu *out);
/* All that leaves now, into out[max]; how many. */
uint32_t rig_pull_all(struct rig *r, struct ulpdu *out, uint32_t max);
/* The LLP has, and the peer has, all that left so far. */
void rig_accept(struct rig *r);
void rig_ack(struct rig *r);

/* The next completion; its status is IW_ESTATE when there is none. */
struct iw_done rig_done(struct iw_cq *cq);

/* ---- arrival ---- */

/* One segment in order: checked, committed, delivered. The first answer that is not IW_OK, else IW_OK. */
int rig_arrive(struct rig *r, struct ulpdu u);
int rig_arrive_hex(struct rig *r, const char *text);
/* Give u[0..n) keys that follow the edge, as an LLP with 6 octets of framing and padding would. */
void rig_keys(const struct rig *r, struct ulpdu *u, uint32_t n);
/* n segments with keys, sent as u[0], u[1] ..., arriving as u[order[0]], u[order[1]] ... An index may come again
 * (a duplicate before its delivery). The host of iw.h: what is IW_LATER is kept and presented again in order. */
int rig_present(struct rig *r, const struct ulpdu *u, uint32_t n, const uint32_t *order, uint32_t arrivals);
/* Step to the next permutation of order[n] in lexicographic order; false after the last. Start with 0, 1, 2 ... */
bool rig_permute(uint32_t *order, uint32_t n);

/* Carry everything that `from` has to say to `to`, in order, and acknowledge it. The first answer not IW_OK. */
int rig_carry(struct rig *from, struct rig *to);

/* ---- expectations; each says where it failed ---- */

#define expect_sent(r, text)                   rig_expect_sent(r, hex(text), __FILE__, __LINE__)
#define expect_sent_octets(r, u)               rig_expect_sent(r, u, __FILE__, __LINE__)
#define expect_silence(r)                      rig_expect_silence(r, __FILE__, __LINE__)
#define expect_event(r, kind)                  rig_expect_event(r, kind, __FILE__, __LINE__)
#define expect_no_event(r)                     rig_expect_no_event(r, __FILE__, __LINE__)
#define expect_done(cq, id, op, status)        rig_expect_done(cq, id, op, status, __FILE__, __LINE__)
#define expect_not_done(cq)                    rig_expect_not_done(cq, __FILE__, __LINE__)
#define expect_octets(at, text)                rig_expect_octets(at, text, __FILE__, __LINE__)
#define expect_zero(at, len)                   rig_expect_zero(at, len, __FILE__, __LINE__)
#define expect_terminate(r, term, bits, cause) rig_expect_terminate(r, term, bits, cause, __FILE__, __LINE__)

void rig_expect_sent(struct rig *r, struct ulpdu want, const char *file, int line);
void rig_expect_silence(struct rig *r, const char *file, int line);
/* The next event is of this kind. */
struct iw_event rig_expect_event(struct rig *r, enum iw_event_kind kind, const char *file, int line);
void rig_expect_no_event(struct rig *r, const char *file, int line);
struct iw_done rig_expect_done(struct iw_cq *cq, uint64_t id, enum iw_op op, int status, const char *file,
                               int line);
void rig_expect_not_done(struct iw_cq *cq, const char *file, int line);
void rig_expect_octets(const uint8_t *at, const char *text, const char *file, int line);
void rig_expect_zero(const uint8_t *at, uint32_t len, const char *file, int line);
/* Next leaves the one Terminate, as RFC 5040 figure 7 draws it, and then nothing. bits: "", "MD" or "MDR"; `cause`
 * is the segment it complains about (NULL without D). The events FATAL and TERMINATE_SENT say the same value. */
void rig_expect_terminate(struct rig *r, int term, const char *bits, const struct ulpdu *cause,
                          const char *file, int line);

#endif
