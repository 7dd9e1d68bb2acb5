/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf.h -- what a workload is asked to do: one structure, the table of what a user can set in it, and the choices.
 *
 * A new kind of workload is a file that defines its functions (struct workload_rule, kind.h) and a row of WORKLOAD_TABLE.
 */
#ifndef IW_SCENARIOS_CONF_H
#define IW_SCENARIOS_CONF_H

#include "engine/iw.h"
#include "parameter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds: the word, and what is true of each. Its functions are kind_NAME, in a file of its own. */
#define WORKLOAD_TABLE(X)                                                                                 \
    X(pingpong, WORKLOAD_MOVES | WORKLOAD_ALTERNATES)                                                     \
    X(stream, WORKLOAD_MOVES | WORKLOAD_DEEP | WORKLOAD_OPEN)                                             \
    X(incast, WORKLOAD_MOVES | WORKLOAD_DEEP | WORKLOAD_OPEN | WORKLOAD_CONVERGES)                        \
    X(permutation, WORKLOAD_MOVES | WORKLOAD_DEEP | WORKLOAD_OPEN)                                        \
    X(shuffle, WORKLOAD_MOVES | WORKLOAD_DEEP | WORKLOAD_OPEN | WORKLOAD_CONVERGES | WORKLOAD_SPREADS)    \
    X(ring, WORKLOAD_SIZED | WORKLOAD_JITTERED | WORKLOAD_ROUND)                                          \
    X(storage, WORKLOAD_SIZED | WORKLOAD_CONNECTED | WORKLOAD_JITTERED | WORKLOAD_DEEP | WORKLOAD_READS | \
                   WORKLOAD_COMMANDED)                                                                    \
    X(goal, WORKLOAD_DEEP | WORKLOAD_PLAYS)                                                               \
    X(collective, WORKLOAD_SIZED | WORKLOAD_DEEP | WORKLOAD_JOINT)                                        \
    X(matrix, WORKLOAD_DEEP | WORKLOAD_LISTED)                                                            \
    X(ddp, WORKLOAD_MOVES | WORKLOAD_DEEP | WORKLOAD_OPEN | WORKLOAD_ON_DDP)                              \
    X(errors, WORKLOAD_ALONE | WORKLOAD_FREE | WORKLOAD_READS | WORKLOAD_IN_TURN)                         \
    X(transport_classes, WORKLOAD_ALONE | WORKLOAD_SIZED | WORKLOAD_DEEP | WORKLOAD_BARE)                 \
    X(script, WORKLOAD_ALONE | WORKLOAD_FREE)
enum {
    /* which keys it takes */
    WORKLOAD_MOVES = 1 << 0, /* op, size.cdf, stags, and those of the next three: messages of one operation */
    WORKLOAD_SIZED = 1 << 1, /* size, count */
    WORKLOAD_CONNECTED = 1 << 2, /* connections */
    WORKLOAD_JITTERED = 1 << 3,  /* start_jitter */
    WORKLOAD_DEEP = 1 << 4,      /* depth */
    WORKLOAD_OPEN = 1 << 5,      /* arrival */
    WORKLOAD_PLAYS = 1 << 6,     /* file: a schedule */
    /* how it goes */
    WORKLOAD_ALTERNATES = 1 << 7, /* a connection has one message at a time */
    WORKLOAD_CONVERGES = 1 << 8,  /* a host is sent to by all others */
    WORKLOAD_SPREADS = 1 << 9,    /* a host sends to all others */
    WORKLOAD_ROUND = 1 << 10,     /* each host passes on to the next, and flows meet nobody */
    WORKLOAD_IN_TURN = 1 << 11,   /* one connection after the other is used */
    WORKLOAD_READS = 1 << 12,     /* it has Reads, whatever `op` says */
    WORKLOAD_COMMANDED = 1 << 13, /* a command goes before each message, which moves one way or the other */
    WORKLOAD_FREE = 1 << 14,      /* messages are of any operation and size, and streams may end */
    /* where it can be */
    WORKLOAD_ALONE =
        1 << 15, /* not one of several, but on all hosts from the start; nobody foretells how long */
    WORKLOAD_BARE = 1 << 16,   /* without adapters: in worlds that have `classes` */
    WORKLOAD_LISTED = 1 << 17, /* which keys, again. matrix: a file of flows */
    WORKLOAD_ON_DDP = 1 << 18, /* its streams are DDP's, without RDMAP; alone, too */
    WORKLOAD_JOINT = 1 << 19,  /* which keys, again. op, of those of all hosts together, and by */
};

/* The operations: value, word, request, and what is true of it. */
#define WORKLOAD_OP_TABLE(X)                                                    \
    X(SEND, send, IW_SEND, 0)                                                   \
    X(WRITE, write, IW_WRITE, 0)                                                \
    X(READ, read, IW_READ, WORKLOAD_ASKED_FOR)                                  \
    X(FETCH_ADD, fetch_add, IW_FETCH_ADD, WORKLOAD_ASKED_FOR | WORKLOAD_ATOMIC) \
    X(CMP_SWAP, cmp_swap, IW_CMP_SWAP, WORKLOAD_ASKED_FOR | WORKLOAD_ATOMIC)    \
    X(ALLREDUCE, allreduce, IW_SEND, WORKLOAD_OF_ALL)                           \
    X(ALL_GATHER, all_gather, IW_SEND, WORKLOAD_OF_ALL)                         \
    X(REDUCE_SCATTER, reduce_scatter, IW_SEND, WORKLOAD_OF_ALL)                 \
    X(ALL_TO_ALL, all_to_all, IW_SEND, WORKLOAD_OF_ALL)                         \
    X(BROADCAST, broadcast, IW_SEND, WORKLOAD_OF_ALL)
enum {
    WORKLOAD_ASKED_FOR = 1, /* the answer brings what was asked for, and the other side is told nothing */
    WORKLOAD_ATOMIC = 2,    /* RFC 7306: all of a connection change one number of the peer's */
    WORKLOAD_OF_ALL = 4     /* of all hosts together, made of many Sends (collective.h) */
};

/* Who sends to whom in a collective operation: value, word. */
#define WORKLOAD_WAY_TABLE(X) X(BY_RING, ring) X(BY_TREE, tree) X(BY_HALVING, halving) X(BY_DIRECT, direct)

/* The transport classes of DDPP core. */
#define WORKLOAD_TRANSPORT_TABLE(X)                                             \
    X(RELIABLE_ORDERED, reliable_ordered, WORKLOAD_RELIABLE | WORKLOAD_ORDERED) \
    X(RELIABLE_UNORDERED, reliable_unordered, WORKLOAD_RELIABLE)                \
    X(UNRELIABLE_ORDERED, unreliable_ordered, WORKLOAD_ORDERED)                 \
    X(UNRELIABLE_UNORDERED, unreliable_unordered, 0)
enum { WORKLOAD_RELIABLE = 1, WORKLOAD_ORDERED = 2 };

/* How the receiving program learns of a Write: value, word, the request that is its mark (IW_OPS: none), and what is true of it. */
#define WORKLOAD_NOTIFY_TABLE(X)                                                      \
    X(UNTOLD, none, IW_OPS, 0)                                                        \
    X(BY_SEND, send, IW_SEND, 0)                                                      \
    X(BY_SEND_WAITS, send_waits, IW_SEND, WORKLOAD_MARK_WAITS)                        \
    X(BY_IMMEDIATE, immediate, IW_IMMEDIATE, 0)                                       \
    X(BY_IMMEDIATE_COUNT, immediate_count, IW_IMMEDIATE, WORKLOAD_MARK_COUNTS)        \
    X(BY_ATOMIC, atomic, IW_FETCH_ADD, 0)                                             \
    X(BY_READ_BACK, read_back, IW_WRITE, WORKLOAD_MARK_READS)                         \
    X(BY_LAST_OCTET, last_octet, IW_OPS, WORKLOAD_MARK_INSIDE | WORKLOAD_MARK_EARLY)  \
    X(BY_FLAG, flag, IW_WRITE, WORKLOAD_MARK_EARLY)                                   \
    X(BY_FLAG_OTHER, flag_other, IW_WRITE, WORKLOAD_MARK_OTHER | WORKLOAD_MARK_EARLY) \
    X(BY_FLAG_OTHER_WAITS, flag_other_waits, IW_WRITE,                                \
      WORKLOAD_MARK_OTHER | WORKLOAD_MARK_WAITS | WORKLOAD_MARK_EARLY)                \
    X(BY_ATOMIC_OTHER, atomic_other, IW_FETCH_ADD, WORKLOAD_MARK_OTHER | WORKLOAD_MARK_EARLY)
enum {
    WORKLOAD_MARK_EARLY = 1 << 0,  /* it may be seen before the message is in place */
    WORKLOAD_MARK_INSIDE = 1 << 1, /* the last octet of the message itself */
    WORKLOAD_MARK_OTHER = 1 << 2,  /* on a connection of its own */
    WORKLOAD_MARK_WAITS = 1 << 3,  /* posted when the Write has completed at its sender */
    WORKLOAD_MARK_READS = 1 << 4,  /* posted when an octet was read back behind the Write */
    WORKLOAD_MARK_COUNTS = 1 << 5, /* `depth` messages are taken together, when as many marks have come */
};
enum { WORKLOAD_MARK_OCTETS = 8 }; /* of a mark: a flag, a Send, Immediate Data */

/* What the ULP of a tenant does wrong (RFC 5042): value, word. */
#define WORKLOAD_FAULT_TABLE(X)        \
    X(NO_FAULT, none)                  \
    X(FLOODS, flood_cq)                \
    X(REGISTERS, register_without_end) \
    X(GUESSES, guess_stags)            \
    X(TERMINATES, terminate)           \
    X(NEVER_POSTS, never_post)

#define WORKLOAD_VALUE(name, ...) WORKLOAD_##name,
enum workload_kind { WORKLOAD_NO_KIND, WORKLOAD_TABLE(WORKLOAD_VALUE) WORKLOAD_KINDS };
enum workload_op { WORKLOAD_NO_OP, WORKLOAD_OP_TABLE(WORKLOAD_VALUE) WORKLOAD_OPS };
enum workload_way { WORKLOAD_NO_WAY, WORKLOAD_WAY_TABLE(WORKLOAD_VALUE) WORKLOAD_WAYS };
enum workload_transport {
    WORKLOAD_NO_TRANSPORT,
    WORKLOAD_TRANSPORT_TABLE(WORKLOAD_VALUE) WORKLOAD_TRANSPORTS
};
enum workload_notify { WORKLOAD_NOTIFY_TABLE(WORKLOAD_VALUE) WORKLOAD_NOTIFIES };
enum workload_fault { WORKLOAD_FAULT_TABLE(WORKLOAD_VALUE) WORKLOAD_FAULTS };
#undef WORKLOAD_VALUE
enum workload_arrival { WORKLOAD_CLOSED = 1, WORKLOAD_POISSON, WORKLOAD_EVERY, WORKLOAD_ARRIVALS };

extern const uint32_t workload_traits[WORKLOAD_KINDS], workload_op_traits[WORKLOAD_OPS],
    workload_transport_traits[WORKLOAD_TRANSPORTS];
extern const char *const workload_fault_words[WORKLOAD_FAULTS];
extern const uint8_t workload_mark_traits[WORKLOAD_NOTIFIES];
extern const char *const workload_notify_words[WORKLOAD_NOTIFIES];
extern const enum iw_op workload_requests[WORKLOAD_OPS], workload_marks[WORKLOAD_NOTIFIES];
/* Is one of these true of the kind? */
static inline bool workload_is(enum workload_kind kind, uint32_t traits)
{
    return workload_traits[kind] & traits;
}
static inline bool workload_is_atomic(enum workload_op op)
{
    return workload_op_traits[op] & WORKLOAD_ATOMIC;
}
static inline bool workload_is_of_all(enum workload_op op)
{
    return workload_op_traits[op] & WORKLOAD_OF_ALL;
}
static inline bool workload_is_asked_for(enum workload_op op)
{
    return workload_op_traits[op] & WORKLOAD_ASKED_FOR;
}
static inline bool workload_transport_is(enum workload_transport transport, uint32_t trait)
{
    return workload_transport_traits[transport] & trait;
}
static inline bool workload_mark_is(enum workload_notify notify, uint32_t trait)
{
    return workload_mark_traits[notify] & trait;
}
enum { WORKLOAD_ATOMIC_OCTETS = 8 };
/* A count that no run reaches: something else ends it. */
#define WORKLOAD_UNLIMITED (UINT64_C(1) << 40)

/* Message sizes by distribution: `octets` ascending, `share` the cumulative fraction, 0 .. 1 of 2^32, the last is it.
 * Between two entries a size is uniform; the first is drawn with its share, and nothing is smaller than 1 octet. */
struct workload_size {
    uint32_t octets;
    uint64_t share;
};

struct goal;   /* goal.h */
struct matrix; /* matrix.h */

struct workload_conf {
    /* what a user sets */
    enum workload_kind kind;
    enum workload_op op;
    enum workload_way by; /* collective */
    enum workload_arrival arrival;
    enum workload_transport transport; /* transport_classes */
    enum workload_notify notify;       /* UNTOLD: no program is told */
    uint32_t connections;              /* of each pair of hosts that talk */
    uint32_t size;                     /* ULP octets of a message */
    uint32_t steps;                    /* ring: of each allreduce so many are run; 0: all 2(N-1) of them */
    uint32_t depth;                    /* messages per connection posted and not over at both ends */
    uint32_t recv_depth;               /* receive buffers posted; 0: as many as can be needed */
    uint32_t shared_receives; /* Sends: buffers that all connections of a host share; 0: each has its own */
    uint32_t solicited;       /* Sends: each so many-th, and the last, with a Solicited Event; 0: none */
    uint32_t stags;           /* regions per connection and side that the messages use in turn */
    uint64_t count; /* messages per connection, WORKLOAD_UNLIMITED; ring: allreduces; errors: not used */
    uint64_t reuse; /* transport_classes: picoseconds after which the STag names another buffer; 0: never */
    uint64_t quarantine;   /* of that STag then: picoseconds */
    uint64_t start;        /* picoseconds after the start of the run */
    uint64_t start_jitter; /* picoseconds: each connection starts 0 .. start_jitter late */
    uint64_t consume_rate; /* bits per second at which the ULP reads what is in order; 0: at once */
    uint64_t notify_poll;  /* picoseconds between two looks of the receiving program; 0: it looks always */
    double load;           /* POISSON, EVERY: share of the receiver's link */

    /* what follows from it, and from the network */
    uint32_t hosts; /* at least 2 */
    uint32_t sizes; /* 0: `size`; else entries of `distribution`, borrowed as long as the workload lives */
    const struct workload_size *distribution;
    uint32_t size_max; /* largest size of the two */
    uint64_t interval; /* POISSON (mean), EVERY: picoseconds between messages of one connection */
    uint32_t
        tenant; /* number of the local ULP on each host that does this, from 1; 0: nobody in particular */
    uint32_t domain;           /* protection domain of its endpoints and memory; 0: WORKLOAD_PD */
    enum workload_fault fault; /* of the tenant */
    uint64_t take; /* picoseconds that the receiving program needs to take what it saw in memory */
    uint64_t seed;
    uint32_t repeat;
    bool unproven;               /* no CRC proves octets that may be altered: all are marked, and looked at */
    bool markers, crc;           /* errors: a wrong one ends the stream */
    bool strict;                 /* errors: so does a message with a hole */
    const struct goal *goal;     /* goal, collective: borrowed as `distribution` is */
    uint32_t goal_unit;          /* its amounts count so many octets */
    const struct matrix *matrix; /* matrix: the same */
    uint32_t parts; /* 0: one workload, as above; else only `hosts`, of the network, is looked at above */
    const struct workload_part *part; /* borrowed as `distribution` is */

    /* what a user sets in words; empty: nothing */
    char script[VALUE_TEXT_MAX];      /* script: script.h reads it */
    char size_cdf[VALUE_TEXT_MAX];    /* file of `distribution` */
    char goal_file[VALUE_TEXT_MAX];   /* file of `goal` */
    char matrix_file[VALUE_TEXT_MAX]; /* file of `matrix` */
    char host_list[VALUE_TEXT_MAX];   /* those that take part: "0 4-7"; "all" */
    char of_tenant[VALUE_TEXT_MAX];   /* the name of `tenant`; empty: nobody in particular */
};

/* Several workloads at once are parts of one: each has its own kind, hosts, connections and time to begin. Connections are
 * numbered part by part. `conf` is as that of a workload alone, its hosts numbered from 0. */
enum { WORKLOAD_PARTS_MAX = 8, WORKLOAD_RANGES_MAX = 64 };
struct workload_range {
    uint32_t first, last; /* hosts of the network */
    uint32_t step;        /* from one to the next; `last` is one of them */
};
static inline bool workload_range_has(const struct workload_range *r, uint32_t host)
{
    return r->first <= host && host <= r->last && (host - r->first) % r->step == 0;
}
struct workload_part {
    const char *name;
    const struct workload_conf *conf; /* borrowed as long as the workload lives, and without parts */
    uint32_t ranges;                  /* which hosts, in their order; 0: all */
    struct workload_range range[WORKLOAD_RANGES_MAX];
};

/* ---- the tables ---- */

/* Of struct workload_conf: `workload.`, and what is set below `rnic.`. */
extern const struct parameter_table workload_parameters, workload_rnic_parameters;

#ifdef __cplusplus
}
#endif
#endif
