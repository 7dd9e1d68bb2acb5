/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hostile.h -- a peer that may send anything, and the endpoint that hears it.
 *
 * The stream is made of octets, not by an engine: messages as a good peer sends them, then spoilt in a few
 * places. The victim has memory with guards, posted receives, Reads and Atomics outstanding; it says nothing while it
 * listens, so that nothing but the stream decides. What it makes of the stream is its outcome. */
#ifndef IW_LAWS_HOSTILE_H
#define IW_LAWS_HOSTILE_H

#include "engine/iw.h"
#include "law.h"

enum { STREAM_MAX = 64, STREAM_OCTETS = 160, VICTIM_REGIONS = 10, VICTIM_RECVS = 6, VICTIM_READS = 4 };

struct stream_segment {
    uint64_t key, end; /* its key and that of the next */
    uint32_t len;
    uint8_t octets[STREAM_OCTETS];
};

struct stream {
    struct stream_segment segment[STREAM_MAX];
    uint32_t count;
    bool spoilt;
};

struct victim_region {
    iw_stag stag;
    uint64_t to;
    uint32_t start, len; /* in memory, octets */
    unsigned rights;
};

struct victim_buffer {
    uint8_t region;
    uint32_t at, len;
};

struct victim {
    struct iw_conf conf;
    struct iw_ep *ep;
    struct iw_stags *stags;
    struct iw_cq *cq;
    uint8_t *memory, *before;
    uint8_t *allowed; /* per octet: may it change? */
    uint32_t octets;
    struct victim_region region[VICTIM_REGIONS];
    struct victim_buffer recv[VICTIM_RECVS], read[VICTIM_READS];
    bool atomic[VICTIM_READS]; /* it is a FetchAdd */
    uint32_t recvs, reads;
};

/* What came of it: the same fields whatever order the segments came in. */
struct outcome {
    int fault;
    uint32_t terminate_len; /* octets of the Terminate segment that answers */
    uint8_t terminate[IW_HEAD_MAX + IW_TERM_MAX];
    uint32_t delivered, completed, events;
    uint64_t deliveries, completions; /* hashes, in order */
};

/* How the segments come. */
struct presentation {
    bool in_order;
    uint32_t span;       /* how far ahead of its turn */
    uint32_t duplicates; /* percent */
    uint64_t seed;
};

/* An endpoint ready to listen; the same seed makes the same one, STags included. `profile` is added to its
 * own. */
void victim_open(struct victim *v, uint64_t seed, unsigned profile, uint16_t reorder_max);
/* A stream for victims of this seed: good, or spoilt in 1 to 3 places. */
void stream_draw(struct stream *s, const struct victim *v, uint64_t seed, bool spoil);
void victim_hear(struct victim *v, const struct stream *s, const struct presentation *p, struct outcome *o);
/* The parts of it, for who brings the segments in another way: note the first fault; deliver up to `key`; take what the
 * victim says in the end. */
void outcome_fault(struct outcome *o, int term);
void victim_deliver(struct victim *v, uint64_t key, struct outcome *o);
void victim_end(struct victim *v, struct outcome *o);
/* No octet changed that no message may change. */
void victim_check_memory(const struct victim *v);

#endif
