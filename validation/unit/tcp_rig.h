/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp_rig.h -- one end of a TCP connection against a peer that is written by hand. Our numbers begin at 1000, the peer's at
 * 5000; both sides scale by 2^7 unless a test says otherwise; segments of 1000 octets. */
#ifndef IW_UNIT_TCP_RIG_H
#define IW_UNIT_TCP_RIG_H

#include "llp/tcp.h"

#define RIG_US ((iw_time)1000000)
#define RIG_MS (1000 * RIG_US)
enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16, ECE = 64, CWR = 128 };
enum { RIG_ISS = 1000, RIG_PEER_ISS = 5000, RIG_OCTETS = 70000 };

struct tcp_rig {
    struct tcp_conf conf;
    struct tcp *t;
    iw_time now;
    /* the last packet that left */
    struct ip_packet out;
    uint8_t octets[RIG_OCTETS];
    uint32_t seq, ack, len, window, option_len;
    uint8_t flags;
    const uint8_t *option, *payload;
    /* what came of the last segment that arrived */
    enum tcp_verdict peeked, verdict;
    struct tcp_segment in;
    uint8_t ecn; /* of the next segment to arrive */
    /* an event of the kind that tcp_rig_event() looked for */
    struct tcp_event event;
};

/* mtu 1040, records 64, delayed_ack 1, no initial HyStart surprises: newreno. */
void tcp_rig_defaults(struct tcp_conf *conf);
void tcp_rig_new(struct tcp_rig *r, const struct tcp_conf *conf);
void tcp_rig_free(struct tcp_rig *r);
/* Active open, answered with MSS 1000, SACK unless conf.go_back_n, scale 7; then the ACK is taken. The peer's window is
 * 100 KiB and more. */
void tcp_rig_open(struct tcp_rig *r, const struct tcp_conf *conf);
/* The same with options of the test's own in the SYN+ACK, and its flags. */
void tcp_rig_open_with(struct tcp_rig *r, const struct tcp_conf *conf, const uint8_t *options, uint32_t len,
                       uint8_t flags);
/* A segment arrives: checksum and all. */
void tcp_rig_hear(struct tcp_rig *r, uint32_t seq, uint32_t ack, uint8_t flags, uint32_t window, uint32_t len,
                  const uint8_t *options, uint32_t options_len);
/* An acknowledgement of our stream up to `offset`, with up to three SACK blocks: pairs of offsets, ended by 0, 0. */
void tcp_rig_ack(struct tcp_rig *r, uint32_t offset, const uint32_t *sacks);
/* `len` octets of the peer's stream. */
void tcp_rig_data(struct tcp_rig *r, uint32_t offset, uint32_t len);
/* The next packet leaves; false: none. */
bool tcp_rig_take(struct tcp_rig *r);
/* Take all; how many carried data. */
unsigned tcp_rig_drain(struct tcp_rig *r);
/* Append n records of `len` octets. */
void tcp_rig_append(struct tcp_rig *r, unsigned n, uint32_t len);
/* Time passes to the deadline, at most to `until`; then tcp_expire(). */
void tcp_rig_wait(struct tcp_rig *r, iw_time until);
/* Is an event of that kind pending? Those before it are taken. */
bool tcp_rig_event(struct tcp_rig *r, enum tcp_event_kind kind);
/* SACK blocks of the last packet, as octets of the peer's stream: how many. */
unsigned tcp_rig_sacks(const struct tcp_rig *r, uint32_t from[4], uint32_t to[4]);
uint32_t tcp_rig_cwnd(struct tcp_rig *r);

#endif
