/* SPDX-License-Identifier: GPL-2.0-or-later */
/* workload.h -- what the hosts do with their RNICs: state machines written once, run in every world.
 *
 *              world -> workload                              workload -> world (struct workload_world)
 *     prepare  before any stream carries DDP                  memory, rebind, invalidate
 *     start    every connection is up                         post, close
 *     done     a completion, as the ULP sees it               wake
 *     placed   octets reached registered memory               inject   (errors only)
 *     delivered  a message is complete, in order
 *     event    Terminate, closed, fatal                       workload -> whoever measures
 *     wake     the time that was asked for has come             message   an operation is over
 *
 * Plain C11, no malloc, no clock, no libc beyond memcpy and memset. Time is picoseconds and an argument.
 * A connection has two sides. Side 0 is the MPA initiator, speaks first, and is host `from` of its pair; side 1 is host
 * `to`. Law: a world never calls the workload from inside a call of struct workload_world.
 */
#ifndef IW_SCENARIOS_WORKLOAD_H
#define IW_SCENARIOS_WORKLOAD_H

#include "engine/iw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what is asked ---- */

/*        name         what it does */
#define WORKLOAD_TABLE(X)                                                                                   \
    X(pingpong, "one message there, one back, count times; every connection alone")                         \
    X(stream, "one direction, depth messages outstanding")                                                  \
    X(incast, "hosts 1 .. N-1 to host 0 at once")                                                           \
    X(permutation, "every host to one other, every host from one other (drawn from the seed)")              \
    X(shuffle, "every host to every other")                                                                 \
    X(ring,                                                                                                 \
      "allreduce round a ring: in each of 2(N-1) steps a Write to the next host, then a Send that says so") \
    X(storage,                                                                                              \
      "hosts 1 .. N-1 read and write blocks of host 0: commands advertise memory, answers invalidate it")   \
    X(goal, "a GOAL schedule from workload.file: sends, recvs and calcs of ranks, and what waits for what") \
    X(errors, "one Terminate code after the other is provoked, each on a connection of its own")            \
    X(transport_classes,                                                                                    \
      "one client over the four transport classes of DDPP core: what each promises, what it costs")         \
    X(script, "a few messages over one connection, written down one by one in workload.script")

#define WORKLOAD_VALUE(name, what) WORKLOAD_##name,
enum workload_kind { WORKLOAD_TABLE(WORKLOAD_VALUE) WORKLOAD_KINDS };
#undef WORKLOAD_VALUE

enum workload_op {
    WORKLOAD_SEND,
    WORKLOAD_WRITE,
    WORKLOAD_READ,
    WORKLOAD_FETCH_ADD, /* RFC 7306: all of a connection change one number of the peer's */
    WORKLOAD_CMP_SWAP,
    WORKLOAD_OPS
};
static inline bool workload_is_atomic(enum workload_op op)
{
    return op == WORKLOAD_FETCH_ADD || op == WORKLOAD_CMP_SWAP;
}
/* Does the answer bring what was asked for, and is there nothing to be told of at the other side? */
static inline bool workload_is_asked_for(enum workload_op op)
{
    return op == WORKLOAD_READ || workload_is_atomic(op);
}
enum { WORKLOAD_ATOMIC_OCTETS = 8 };
/* DDPP core: reliable or not, ordered or not. */
enum workload_transport {
    WORKLOAD_RELIABLE_ORDERED,
    WORKLOAD_RELIABLE_UNORDERED,
    WORKLOAD_UNRELIABLE_ORDERED,
    WORKLOAD_UNRELIABLE_UNORDERED
};
enum workload_arrival { WORKLOAD_CLOSED, WORKLOAD_POISSON, WORKLOAD_EVERY };

/* Message sizes by distribution: `octets` ascending, `share` the cumulative fraction, 0 .. 1 of 2^32, the last is it.
 * Between two entries a size is uniform; the first is drawn with its share, and nothing is smaller than 1 octet. */
struct workload_size {
    uint32_t octets;
    uint64_t share;
};

/* Several workloads at once are parts of one: each has its own kind, hosts, connections and time to begin. Connections are
 * numbered part by part. `conf` is as that of a workload alone, its hosts numbered from 0. */
enum { WORKLOAD_PARTS_MAX = 8, WORKLOAD_RANGES_MAX = 16 };
struct workload_range {
    uint32_t first, last; /* hosts of the network */
};
struct workload_part {
    const char *name;
    const struct workload_conf *conf; /* borrowed as long as the workload lives, and without parts */
    uint64_t start;                   /* picoseconds after the start of all */
    uint32_t ranges;                  /* which hosts, in their order; 0: all */
    struct workload_range range[WORKLOAD_RANGES_MAX];
};

struct goal; /* goal.h */

struct workload_conf {
    enum workload_kind kind;
    enum workload_op op;
    enum workload_arrival arrival;
    enum workload_transport transport; /* transport_classes */
    uint32_t hosts;                    /* at least 2 */
    uint32_t connections;              /* of each pair of hosts that talk */
    uint32_t size;                     /* ULP octets of a message */
    uint32_t sizes; /* 0: `size`; else entries of `distribution`, borrowed as long as the workload lives */
    const struct workload_size *distribution;
    uint32_t size_max;        /* largest size of the two */
    uint64_t count;           /* messages per connection; ring: allreduces; errors: not used */
    uint32_t steps;           /* ring: of each allreduce so many are run; 0: all 2(N-1) of them */
    uint32_t depth;           /* messages per connection posted and not over at both ends */
    uint32_t recv_depth;      /* receive buffers posted; 0: as many as can be needed */
    uint32_t shared_receives; /* Sends: buffers that all connections of a host share; 0: each has its own */
    uint32_t solicited;       /* Sends: each so many-th, and the last, with a Solicited Event; 0: none */
    uint32_t stags;           /* regions per connection and side that the messages use in turn */
    uint64_t start_jitter;    /* picoseconds: each connection starts 0 .. start_jitter late */
    uint64_t interval;        /* POISSON (mean), EVERY: picoseconds between messages of one connection */
    uint64_t seed;
    uint32_t repeat;
    bool unproven;           /* no CRC proves octets that may be altered: all are marked, and looked at */
    bool markers, crc;       /* errors: a wrong one ends the stream */
    char script[256];        /* script: script.h reads it */
    const struct goal *goal; /* goal: borrowed as `distribution` is */
    uint32_t parts; /* 0: one workload, as above; else only `hosts`, of the network, is looked at above */
    const struct workload_part *part; /* borrowed as `distribution` is */
};

/* The workload that a connection belongs to, and its number there: `conf` itself, or one of its parts. */
const struct workload_conf *workload_conf_of(const struct workload_conf *conf, uint32_t *conn);
/* Which part that is; 0 where there are none. */
uint32_t workload_part_of(const struct workload_conf *conf, uint32_t conn);

const char *workload_kind_name(const struct workload_conf *conf);

/* NULL, or what is wrong in words. */
const char *workload_conf_error(const struct workload_conf *conf);

/* ---- who talks to whom: a function of the configuration alone ---- */

struct workload_pair {
    uint32_t from, to; /* hosts, 0 .. hosts - 1; never equal */
};
uint32_t workload_connections(const struct workload_conf *conf);
struct workload_pair workload_pair(const struct workload_conf *conf, uint32_t conn);

/* What one endpoint must hold. The world sizes iw_conf and iw_stags with it. */
struct workload_needs {
    uint16_t sq_max, rq_max; /* per endpoint */
    uint32_t regions_max;    /* per host */
    uint32_t cq_entries;     /* per host, of each completion queue; its endpoints may share them */
    unsigned profile;        /* IW_RECOVER ... that this workload asks for; 0 as a rule */
};
struct workload_needs workload_needs(const struct workload_conf *conf);
/* The same for one endpoint at `side` of a connection, regions and completions included, and without spare room where
 * nothing can need it. For worlds of so many endpoints that it counts. */
struct workload_needs workload_needs_of(const struct workload_conf *conf, uint32_t conn, int side);

/* Do messages, requests or answers reach that side of a connection? Else nothing but what ends a stream. */
bool workload_hears(const struct workload_conf *conf, uint32_t conn, int side);

/* Law for all worlds: every endpoint has protection domain 1, and stream number conn + 1 on both sides. */
enum { WORKLOAD_PD = 1 };
static inline uint32_t workload_stream(uint32_t conn)
{
    return conn + 1;
}

/* Octets the workload will place, all connections together, if nothing goes wrong; 0: not known beforehand. */
uint64_t workload_octets(const struct workload_conf *conf);
/* The largest number of message() calls. */
uint64_t workload_messages(const struct workload_conf *conf);

/* ---- what a world offers ---- */

/* Something no honest RNIC sends: the hook of the `errors` workload. It goes out in the stream's order, after what was
 * posted before and instead of what the endpoint of that side would say; the endpoint does not know of it. */
enum workload_wrong_kind {
    WRONG_ULPDU,     /* these octets as one ULPDU (DDP header and payload), CRC and markers right */
    WRONG_CRC,       /* the same with a CRC that does not match */
    WRONG_MARKER,    /* the same with a marker that points elsewhere, CRC right (streams with markers) */
    WRONG_TERMINATE, /* iw_terminate(): the host of that side reports an error of its own */
    WRONG_LOST,      /* the connection is gone without a word: iw_llp(IW_LLP_LOST) at both sides */
    WRONG_KINDS
};
struct workload_wrong {
    enum workload_wrong_kind kind;
    int term;             /* WRONG_TERMINATE */
    const uint8_t *ulpdu; /* copied by the world */
    uint32_t len;         /* 1 .. 256 */
};

/* A world's side of the seam. Results as in iw.h: IW_OK or an error below zero. */
struct workload_world {
    void *context;
    /* Register memory of a host. region->base is NULL: the world sets it to region->len zeroed octets when payload is
     * real, which live as long as the world, and leaves it NULL when it is not. Set: the same memory once more. */
    int (*memory)(void *context, uint32_t host, struct iw_region *region, iw_stag *stag);
    int (*rebind)(void *context, uint32_t host, iw_stag stag, const struct iw_region *region);
    int (*invalidate)(void *context, uint32_t host, iw_stag stag);
    /* iw_post(), and the doorbell. Receives may be posted during workload_prepare(), all else from the start on. */
    int (*post)(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work);
    int (*close)(void *context, uint64_t now, uint32_t conn, int side, enum iw_close_how how);
    /* Call workload_wake() at `at`. One timer: a new call replaces the old one; IW_NEVER stops it. */
    void (*wake)(void *context, uint64_t at);
    /* IW_EINVAL: this world or stream cannot do that. NULL: none of it. */
    int (*inject)(void *context, uint64_t now, uint32_t conn, int side, const struct workload_wrong *wrong);
    /* A receive for any connection of a host (workload_conf.shared_receives). NULL: none share any. */
    int (*post_shared)(void *context, uint64_t now, uint32_t host, const struct iw_work *work);
};

/* ---- what comes out ---- */

/* One operation of a ULP from post to end. Times in picoseconds; IW_NEVER: did not happen or has no meaning. */
struct workload_message {
    uint32_t conn;
    int side; /* that posted it */
    enum iw_op op;
    uint32_t length; /* ULP octets */
    uint64_t index;  /* of its connection and side, from 0 */
    uint64_t t_post, t_first_placed, t_last_placed, t_delivered, t_completed;
    /* Send: t_delivered - t_post. Write: t_last_placed - t_post. Read: t_completed - t_post. pingpong with Send or
     * Write: half the round trip, on the message that comes back. storage: command posted to answer delivered.
     * errors: something wrong posted to the Terminate being known at the other end. */
    uint64_t latency;
    uint32_t retransmitted; /* how often a part of it was sent again */
    int status;             /* 0, IW_FLUSHED or the IW_TERM that ended it */
};

/* What went wrong that no RFC allows: the payload at delivery is not what was sent, a completion for nothing, a Terminate
 * other than the one provoked. Ends the point with exit 1. */
struct workload_broken {
    uint32_t conn;
    int side;
    const char *law;        /* in words */
    uint64_t index, offset; /* message, octet */
    uint32_t octets;        /* that are wrong, where all are looked at (workload_conf.unproven) */
    int expected, found;    /* IW_TERM values, where the law is about them */
};

struct workload_notes {
    void *context;
    void (*message)(void *context, uint64_t now, const struct workload_message *message);
    void (*broken)(void *context, uint64_t now, const struct workload_broken *broken);
};

/* ---- the workload ---- */

struct workload;

/* Octets of its block; 0: workload_conf_error() says why. */
size_t workload_size(const struct workload_conf *conf);
/* Make it in `memory` (the caller's, aligned as malloc does). `world` and `notes` are copied, `conf` too. */
struct workload *workload_init(void *memory, const struct workload_conf *conf,
                               const struct workload_world *world, const struct workload_notes *notes);

/* Registers memory, posts receives. An error of the world is handed back. */
int workload_prepare(struct workload *w);
/* Every connection is up. The channel's impairments start here. */
void workload_start(struct workload *w, uint64_t now);
void workload_done(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_done *done);
/* The octets of `place` are in the memory of the host at `side`: iw_commit() has returned IW_OK. */
void workload_placed(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_place *place);
/* `side` sent a segment for the first time; it sent octets key .. end - 1 of its stream again. For the records only. */
void workload_sent(struct workload *w, uint32_t conn, int side, const struct iw_seg *seg);
void workload_resent(struct workload *w, uint32_t conn, int side, uint64_t key, uint64_t end);
/* iw_deliver() returned 1 at `side`. */
void workload_delivered(struct workload *w, uint64_t now, uint32_t conn, int side,
                        const struct iw_message *message);
void workload_event(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_event *event);
void workload_wake(struct workload *w, uint64_t now);

/* Enough: whatever is under way is reported as failed (IW_FLUSHED). */
void workload_stop(struct workload *w, uint64_t now);
/* Nothing more will be posted and every operation has ended. */
bool workload_over(const struct workload *w);
/* May hosts run ahead of the workload for a while, told that it acts on a host only when that host has told it something,
 * or when workload_hangs() said before that what the other side tells would do? False: it acts elsewhere, too. */
bool workload_runs_ahead(const struct workload_conf *conf);
/* The poster of this connection (side 0) waits for nothing but what the other side will tell. */
bool workload_hangs(const struct workload *w, uint32_t conn);
/* Is this side of a connection yet to tell something without which the workload is not over? */
bool workload_owes(const struct workload *w, uint32_t conn, int side);
/* For a run that hangs: the first connection that waits, and for what. False: none. */
struct workload_waits {
    uint32_t conn;
    int side;
    const char *what;         /* "completion of a write", "a message from the peer" ... */
    uint64_t index;           /* of the message */
    const struct goal_op *op; /* goal: this operation, and nothing of the above; NULL: no operation */
    const char *label;        /* of it; may be empty */
};
bool workload_waits(const struct workload *w, struct workload_waits *waits);

#ifdef __cplusplus
}
#endif
#endif
