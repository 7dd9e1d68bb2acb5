/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf.h -- the parameters of an adapter: one structure, one table that describes it, and the named presets.
 *
 * Every member is a uint64_t, so that the table can read and write any of them: time in picoseconds, rates in bits
 * per second, sizes in octets, ratios in thousandths, choices as the number of the word. The members are named as the
 * keys of a scenario: rnic.stall.every is stall.every (and rnic.stall.for is stall.for_, C having taken the word).
 */
#ifndef IW_RNIC_CONF_H
#define IW_RNIC_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parameter.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RNIC_UNLIMITED UINT64_MAX /* a rate that costs no time, a size that never fills */

/* The receive paths: value, word, and what is true of each. Their functions: node/path.c, by the word. */
#define RNIC_RECEIVE_TABLE(X)                 \
    X(PLACE, place, RNIC_AT_ONCE)             \
    X(HOLD, hold, RNIC_IN_ORDER | RNIC_HOLDS) \
    X(DISCARD, discard, RNIC_GOES_BACK)       \
    X(COPY, copy, RNIC_IN_ORDER | RNIC_BY_CPU)
enum {
    RNIC_AT_ONCE = 1,   /* a segment is placed when it comes, in order or not */
    RNIC_IN_ORDER = 2,  /* segments are placed in their turn */
    RNIC_HOLDS = 4,     /* until then they wait in NIC memory: hold_bytes */
    RNIC_GOES_BACK = 8, /* nothing out of order is ever taken: the lower layer does without SACK */
    RNIC_BY_CPU = 16    /* packets go to the kernel's buffer, the CPU copies segments; its policy is buffer */
};

/* The window policies (window.h), likewise. Their functions: window.c. */
#define RNIC_POLICY_TABLE(X)                         \
    X(CONSTANT, constant, RNIC_COUNTS_NOTHING)       \
    X(PLACED, placed, 0)                             \
    X(HELD, held, RNIC_BUFFERED)                     \
    X(BUFFER, buffer, RNIC_BUFFERED | RNIC_CONSUMED) \
    X(BDP, bdp, RNIC_FINDS)                          \
    X(RETIRE, retire, RNIC_SLOWS)
enum {
    RNIC_COUNTS_NOTHING = 1, /* not even the backlog */
    RNIC_BUFFERED = 2,       /* octets wait in memory: the edge is rounded down, to no more than there is */
    RNIC_CONSUMED = 4,       /* the edge rests on what the ULP has consumed */
    RNIC_FINDS = 8,          /* it finds W by itself, up to window.bytes */
    RNIC_SLOWS = 16          /* it slows the peer while staging is above window.mark */
};

#define RNIC_VALUE(name, word, is) RNIC_##name,
enum rnic_receive { RNIC_RECEIVE_TABLE(RNIC_VALUE) RNIC_RECEIVES };
enum rnic_policy { RNIC_POLICY_TABLE(RNIC_VALUE) RNIC_POLICIES };
extern const uint8_t rnic_path_traits[RNIC_RECEIVES], rnic_policy_traits[RNIC_POLICIES];
static inline bool rnic_path_is(uint64_t receive, unsigned trait)
{
    return rnic_path_traits[receive] & trait;
}
static inline bool rnic_policy_is(uint64_t policy, unsigned trait)
{
    return rnic_policy_traits[policy] & trait;
}

/* In which order what arrives becomes visible: as it comes; all of a connection as it was sent, which is the path `hold`; as it
 * comes, but that a write whose look-up misses is overtaken. */
enum rnic_order { RNIC_ARRIVAL, RNIC_STREAM, RNIC_ANY };
/* Likewise of memory that is read to be sent. */
enum rnic_read_order { RNIC_READS_ONE_BY_ONE, RNIC_READS_IN_ANY_ORDER };
enum rnic_retransmit { RNIC_FROM_NIC, RNIC_FROM_HOST };
enum rnic_arm { RNIC_ARM_ALL, RNIC_ARM_SOLICITED };
enum rnic_ordering { RNIC_STRICT, RNIC_RELAXED };
enum rnic_track_full { RNIC_TRACK_DROP, RNIC_TRACK_NAK };
enum rnic_completion { RNIC_POLL, RNIC_INTERRUPT };

struct rnic_window_conf {
    uint64_t policy;   /* enum rnic_policy */
    uint64_t bytes;    /* W, per connection; bdp: the most it may find */
    uint64_t headroom; /* bdp: W over measured rate x RTT, thousandths */
    uint64_t mark;     /* retire: octets in staging above which the peer is slowed */
    uint64_t drain;    /* retire: how fast the edge may move above the mark, thousandths of the retire rate */
};

struct rnic_conf {
    uint64_t receive;             /* enum rnic_receive: what becomes of an out-of-order segment */
    uint64_t order;               /* enum rnic_order */
    uint64_t read_order;          /* enum rnic_read_order */
    uint64_t staging_bytes;       /* of the adapter; full: dropped before acceptance */
    struct {                      /* from the post to the port */
        uint64_t queues;          /* pipelines side by side, connections dealt out to them in turn */
        uint64_t burst;           /* segments of one connection in a row, which the pipeline takes as one */
        uint64_t doorbell;        /* CPU store until the adapter sees it */
        uint64_t descriptor;      /* octets of a work request, fetched over PCIe */
        uint64_t segment, rate;   /* the pipeline is busy: per segment, per octet */
        uint64_t latency;         /* and this much deep */
        uint64_t connection_rate; /* the most that one connection gets */
    } tx;
    uint64_t hold_bytes; /* hold: NIC memory for segments out of order; full: refused before acceptance */
    struct {
        uint64_t pool; /* bits for what is out of order, of all connections together */
        uint64_t full; /* enum rnic_track_full: what cannot be remembered */
    } track;
    uint64_t retransmit;   /* enum rnic_retransmit: where the octets of a retransmission come from */
    uint64_t inline_bytes; /* messages up to this size travel with the doorbell: no fetch, no DMA read */
    struct rnic_window_conf window;
    struct { /* retirement stands still for `for` in every `every`, its start moved by 0 .. jitter */
        uint64_t every, for_, jitter;
    } stall;
    struct {               /* from the port to acceptance */
        uint64_t queues;   /* pipelines side by side, connections dealt out to them in turn */
        uint64_t coalesce; /* waiting segments of one connection in a row, which the pipeline takes as one */
        uint64_t segment, rate, latency;
        uint64_t crc_rate;
    } rx;
    struct { /* what llp.security asks for: behind the transmit pipeline, before the receive pipeline */
        uint64_t rate, latency;
    } crypto;
    struct {
        uint64_t generation; /* 1 .. 5; 0: no PCIe, crossing takes no time */
        uint64_t lanes;
        uint64_t payload;  /* most octets of a write or completion (MPS) */
        uint64_t request;  /* most octets of a read request (MRRS) */
        uint64_t overhead; /* framing, sequence, header and digest octets around each */
        uint64_t read;     /* a request until its first octet is here */
        uint64_t write;    /* the last octet sent until it is visible */
        uint64_t reads;    /* read requests outstanding */
        uint64_t credits;  /* writes outstanding; each credit is back after `read` */
        uint64_t ordering; /* enum rnic_ordering: may writes pass one that waits? */
    } pcie;
    struct { /* translation of addresses that the adapter writes to, and of those that it reads from */
        uint64_t miss, read_miss; /* share of pages that are looked up in memory, */
        uint64_t walk;            /* and how long that takes in the mean */
    } iommu;
    struct {                       /* main memory, seen from the adapter and the CPU */
        uint64_t rate, background; /* background: what others use of it */
    } bus;
    struct {                         /* on the adapter; a miss costs a PCIe read */
        uint64_t stags, connections; /* entries; UNLIMITED: nothing ever misses */
        uint64_t context;            /* octets fetched at a miss */
        uint64_t misses;             /* misses served at the same time */
    } cache;
    struct {
        uint64_t mode;     /* enum rnic_completion */
        uint64_t entry;    /* octets of a completion queue entry, written over PCIe */
        uint64_t count;    /* interrupt: after so many completions */
        uint64_t interval; /* interrupt: or so long after the first */
        uint64_t latency;  /* interrupt: raised until its handler starts */
        uint64_t arm;      /* enum rnic_arm: interrupt: for which receives */
    } completion;
    struct {                      /* time of the simulated host's CPU */
        uint64_t cores;           /* that take work; the first that is free takes the next */
        uint64_t post, poll;      /* one work request posted; one completion taken */
        uint64_t wakeup, syscall; /* one thread woken; one call into the kernel */
        uint64_t segment;         /* receive: copy: the transport's work for one segment */
        uint64_t copy_rate;       /* receive: copy: and for its octets */
    } cpu;
};

/* The receive path that an adapter takes. */
static inline uint64_t rnic_path_of(const struct rnic_conf *conf)
{
    return conf->order == RNIC_STREAM ? (uint64_t)RNIC_HOLD : conf->receive;
}

/* ---- the table ---- */

extern const struct parameter_table rnic_parameters; /* of struct rnic_conf */

/* What makes no sense, in words, and (unless `which` is NULL) the parameter at fault; NULL when all is well.
 * `fpdu`: octets of a full segment on its connections: staging must take one, a window two. */
const char *rnic_conf_error(const struct rnic_conf *conf, uint32_t fpdu, const struct parameter **which);

/* ---- presets ---- */

enum rnic_grade {
    RNIC_MAKER,   /* stated, published or programmed by its maker */
    RNIC_OTHERS,  /* published by somebody who measured and does not sell it */
    RNIC_DERIVED, /* follows from such a number or from a standard */
    RNIC_FITTED,  /* chosen so that a measured or stated whole comes out */
    RNIC_GUESS    /* plausible, no more */
};

/* One number of a preset and why it is so. low <= value <= high: all three are values that an adapter can have. */
struct rnic_fact {
    const char *name; /* of the parameter */
    uint64_t low, value, high;
    enum rnic_grade grade;
    const char *source;
};
struct rnic_preset {
    const char *name, *what;
    const struct rnic_fact *facts; /* what differs from `ideal`; name NULL ends the list */
};
/* rnic_presets[0] is `ideal`, the default of every parameter: nothing costs time and nothing fills. */
extern const struct rnic_preset rnic_presets[];
extern const unsigned rnic_presets_count;
void rnic_preset_load(struct rnic_conf *conf, const struct rnic_preset *preset);
/* What the preset says of a parameter; NULL: nothing, it is that of `ideal`. */
const struct rnic_fact *rnic_preset_fact(const struct rnic_preset *preset, const char *name);
/* Draw 0 is rnic_preset_load(). In any other each number is its low, its likely or its high one, a third of the draws each,
 * by (seed, draw, name) and nothing else: two presets share the numbers that they have from the same host. */
void rnic_preset_draw(struct rnic_conf *conf, const struct rnic_preset *preset, uint64_t seed, uint32_t draw);
const char *rnic_grade_name(enum rnic_grade grade);

#ifdef __cplusplus
}
#endif
#endif
