/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sctp_rig.h -- an association and a peer played by hand, octet by octet; and two associations on a link. */
#ifndef UNIT_SCTP_RIG_H
#define UNIT_SCTP_RIG_H

#include "validation/support/sctp_link.h"

enum { RIG_PORT = 5001, RIG_PEER_PORT = 5002, RIG_PEER_TAG = 0x11223344, RIG_MTU = 1480 };
#define RIG_PEER_TSN 1000u
#define US           ((iw_time)1000000)

/* One association against octets. */
struct by_hand {
    struct sctp_conf conf;
    struct sctp *a;
    uint32_t tag, tsn; /* what the association chose */
    iw_time now;
    uint8_t out[65536]; /* the last packet it sent: chunks from out + 12 on */
    uint32_t out_len;
    uint8_t cookie[512];
    uint32_t cookie_len;
};

void by_hand_defaults(struct sctp_conf *conf);
/* A closed association; `conf` NULL: the defaults. */
void by_hand_open(struct by_hand *h, const struct sctp_conf *conf);
/* The same, established: the peer (TSNs from RIG_PEER_TSN, a_rwnd 100000, streams as configured)
 * connected. */
void by_hand_establish(struct by_hand *h, const struct sctp_conf *conf);
void by_hand_close(struct by_hand *h);
/* Chunks of the peer, under `tag`, with a good checksum; every message is read. What sctp_receive()
 * answered. */
/* Puts the checksum in. */
void by_hand_seal(uint8_t *packet, uint32_t len);
int by_hand_send(struct by_hand *h, uint32_t tag, const uint8_t *chunks, uint32_t len);
/* A DATA chunk of the peer: `len` octets of `fill`. Flags: 3 whole, 4 unordered, 8 at once. */
int by_hand_data(struct by_hand *h, uint8_t flags, uint32_t tsn, uint16_t stream, uint16_t ssn, uint32_t len,
                 uint8_t fill);
/* A SACK of the peer: gaps are pairs of offsets, ended by 0. */
int by_hand_sack(struct by_hand *h, uint32_t cum, uint32_t rwnd, const uint16_t *gaps);
/* Take the next packet into `out`; its first chunk type, -1: none. */
int by_hand_take(struct by_hand *h);
/* Queue a message of `len` octets. */
int by_hand_queue(struct by_hand *h, uint16_t stream, bool unordered, uint8_t retransmits, uint32_t len);
/* Queue `n` full packets' messages, as far as there is room; how many packets with data leave, until the window or the
 * burst is used. */
int by_hand_flood(struct by_hand *h, int n);
/* An association without payload: packets need no checksum. */
void by_hand_open_headers(struct by_hand *h);
/* A packet of the peer brings exactly the messages `tsn`, each beginning with the low octet of its TSN. */
void by_hand_expect(struct by_hand *h, const uint8_t *packet, uint32_t len, const uint32_t *tsn, int n);
/* So does a packet of one DATA chunk of 4 octets, each the low octet of its TSN; without payload only. */
void by_hand_expect_data(struct by_hand *h, uint8_t flags, uint32_t tsn, uint16_t stream, uint16_t ssn,
                         const uint32_t *expected, int n);
/* The event next in turn; SCTP_EV_NONE. */
enum sctp_event_kind by_hand_event(struct by_hand *h, uint16_t *cause);
static inline uint32_t at32(const uint8_t *p)
{
    uint32_t v;
    iw_get32(p, &v);
    return v;
}
static inline uint16_t at16(const uint8_t *p)
{
    uint16_t v;
    iw_get16(p, &v);
    return v;
}

/* Two associations, one way traffic: numbered messages from end 0, checked at end 1. */
struct two_ends {
    struct sctp_link *link;
    struct sctp_out out; /* of every message; the stream goes round */
    uint16_t streams;
    uint64_t total, sent;
    uint32_t len;
    uint64_t got, wrong, twice, disordered;
    uint64_t next[64]; /* number expected, by stream */
    uint8_t *seen;
    iw_time first, half, last; /* when message 1, half of them, all of them came */
    uint64_t left,
        lose; /* packets of end 0 since the start; the one that is lost, from 1 on (needs channel.loss 1) */
    iw_time lost_at;
};
void two_ends_conf(struct sctp_link_conf *conf, iw_time rtt);
void two_ends_open(struct two_ends *t, const struct sctp_link_conf *conf, uint64_t total, uint32_t len);
/* Runs until everything arrived that will, or `limit`. */
void two_ends_run(struct two_ends *t, iw_time limit);
void two_ends_close(struct two_ends *t);

#endif
