/* SPDX-License-Identifier: GPL-2.0-or-later */
/* workload.h -- what the hosts do with their RNICs: state machines written once, run in every world.
 *
 *              world -> workload                              workload -> world (struct workload_world)
 *     prepare  before any stream carries DDP                  memory, rebind
 *     start    every connection is up                         post
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
#include "scenarios/workloads/conf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The workload that a connection belongs to, and its number there: `conf` itself, or one of its parts. */
const struct workload_conf *workload_conf_of(const struct workload_conf *conf, uint32_t *conn);
/* Which part that is; 0 where there are none. */
uint32_t workload_part_of(const struct workload_conf *conf, uint32_t conn);

const char *workload_kind_name(enum workload_kind kind);
const char *workload_kind_what(enum workload_kind kind); /* it does, in a line */

/* NULL, or what is wrong in words. */
const char *workload_conf_error(const struct workload_conf *conf);

/* ---- who talks to whom: a function of the configuration alone ---- */

struct workload_pair {
    uint32_t from, to; /* hosts, 0 .. hosts - 1; never equal */
};
uint32_t workload_connections(const struct workload_conf *conf);
/* Does it carry messages, or only the marks of the connection that is numbered so many before it (workload_notify)? */
bool workload_carries(const struct workload_conf *conf, uint32_t conn);
struct workload_pair workload_pair(const struct workload_conf *conf, uint32_t conn);

/* What one endpoint must hold. The world sizes iw_conf and iw_stags with it. */
struct workload_needs {
    uint16_t sq_max, rq_max; /* per endpoint */
    uint32_t regions_max;    /* per host */
    uint32_t cq_entries;     /* per host, of each completion queue; its endpoints may share them */
    unsigned profile;        /* IW_RECOVER ... that this workload asks for; 0 as a rule */
};
struct workload_needs workload_needs(const struct workload_conf *conf);
/* The same where a host has so many of the connections: those that send to the one of an incast need no more. */
struct workload_needs workload_needs_on(const struct workload_conf *conf, uint32_t connections);
/* The same for one endpoint at `side` of a connection, regions and completions included, and without spare room where
 * nothing can need it. For worlds of so many endpoints that it counts. */
struct workload_needs workload_needs_of(const struct workload_conf *conf, uint32_t conn, int side);

/* Do messages, requests or answers reach that side of a connection? Else nothing but what ends a stream. */
bool workload_hears(const struct workload_conf *conf, uint32_t conn, int side);

/* Law for all worlds: every endpoint has protection domain 1 (that of a tenant: its own, workload_conf.domain), and stream number conn + 1 on both sides. */
enum { WORKLOAD_PD = 1 };
static inline uint32_t workload_stream(uint32_t conn)
{
    return conn + 1;
}

/* Octets the workload will place, all connections together, if nothing goes wrong; 0: not known beforehand, or no end. */
uint64_t workload_octets(const struct workload_conf *conf);
/* The largest number of message() calls; WORKLOAD_UNLIMITED and above: there is no end. */
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
     * real, which live as long as the world, and leaves it NULL when it is not. Set: the same memory once more. region->owner:
     * the tenant that asks. */
    int (*memory)(void *context, uint32_t host, struct iw_region *region, iw_stag *stag);
    int (*rebind)(void *context, uint32_t host, iw_stag stag, const struct iw_region *region);
    /* iw_post(), and the doorbell. Receives may be posted during workload_prepare(), all else from the start on. */
    int (*post)(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work);
    /* Call workload_wake() at `at`. One timer: a new call replaces the old one; IW_NEVER stops it. */
    void (*wake)(void *context, uint64_t at);
    /* IW_EINVAL: this world or stream cannot do that. NULL: none of it. */
    int (*inject)(void *context, uint64_t now, uint32_t conn, int side, const struct workload_wrong *wrong);
    /* A receive for any connection of a host (workload_conf.shared_receives). NULL: none share any. */
    int (*post_shared)(void *context, uint64_t now, uint32_t host, uint32_t tenant,
                       const struct iw_work *work);
};

/* ---- what comes out ---- */

/* One operation of a ULP from post to end. Times in picoseconds; IW_NEVER: did not happen or has no meaning. */
enum {
    MESSAGE_REFUSED = IW_OPS, /* none was made of it: its ULP gets nothing more */
    MESSAGE_WRONG,            /* octets that were injected */
    MESSAGE_OPS
};
struct workload_message {
    uint32_t conn;
    int side;        /* that posted it */
    enum iw_op op;   /* or one of these */
    uint32_t length; /* ULP octets */
    uint64_t index;  /* of its connection and side, from 0 */
    uint64_t t_post, t_first_placed, t_last_placed, t_delivered, t_completed;
    /* Send: t_delivered - t_post. Write: t_last_placed - t_post. Read: t_completed - t_post. pingpong with Send or
     * Write: half the round trip, on the message that comes back. storage: command posted to answer delivered.
     * errors: something wrong posted to the Terminate being known at the other end. */
    uint64_t latency;
    /* workload.notify: when the receiving program took it, and how many of its octets came later. */
    uint64_t t_taken;
    uint32_t stale;
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
    /* What it asks of the world, NULL where nobody wants to know: before the post, and when an STag means that region; `again`:
     * it had a meaning before. */
    void (*posts)(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work);
    void (*injects)(void *context, uint64_t now, uint32_t conn, int side, const struct workload_wrong *wrong);
    void (*region)(void *context, uint32_t host, iw_stag stag, const struct iw_region *region, bool again);
    /* The program at the other side takes a message at t_taken, which may be ahead (workload.notify); `key` of its first
     * segment, IW_NEVER: none has left. NULL where nobody wants to know. */
    void (*taken)(void *context, uint64_t key, const struct workload_message *message);
};

/* ---- the workload ---- */

struct workload;

/* Octets of its block; 0: workload_conf_error() says why. */
size_t workload_size(const struct workload_conf *conf);
/* Make it in `memory` (the caller's, aligned as malloc does). `conf` and `notes` are copied. */
struct workload *workload_init(void *memory, const struct workload_conf *conf,
                               const struct workload_notes *notes);

/* Registers memory, posts receives. `world` is copied; an error of it is handed back. */
int workload_prepare(struct workload *w, const struct workload_world *world);
/* Every connection is up. The channel's impairments start here. */
void workload_start(struct workload *w, uint64_t now);
void workload_done(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_done *done);
/* The octets of `place` are in the memory of the host at `side`: iw_commit() has returned IW_OK. */
void workload_placed(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_place *place);
/* `side` sent a segment for the first time; it sent octets key .. end - 1 of its stream again. For the records only. */
void workload_sent(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_seg *seg);
/* The same of what concerns nobody but that side of the connection, in the order of its host alone; false: nothing was done, and
 * the other two are to be called. */
bool workload_placed_alone(struct workload *w, uint64_t now, uint32_t conn, int side,
                           const struct iw_place *place);
bool workload_sent_alone(struct workload *w, uint32_t conn, int side, const struct iw_seg *seg);
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
/* A connection has done all it was asked to. */
bool workload_has_done(const struct workload *w, uint32_t conn);
/* May hosts run ahead of the workload for a while, told that it acts on a host only when that host has told it something,
 * or when workload_hangs() said before that what the other side tells would do? False: it acts elsewhere, too. */
bool workload_runs_ahead(const struct workload_conf *conf);
/* The poster of this connection (side 0) waits for nothing but what the other side will tell. */
bool workload_hangs(const struct workload *w, uint32_t conn);
/* Is this side of a connection yet to tell something without which the workload is not over? */
bool workload_owes(const struct workload *w, uint32_t conn, int side);
/* Octets in the memory of a tenant's workload, by its number among several, that another tenant wrote. */
uint64_t workload_trespassed(const struct workload *w, uint32_t part);
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
