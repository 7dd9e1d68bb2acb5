/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rnic.h -- one adapter: when it does what the endpoint says. Knows time and octets, no protocol.
 *
 *   rnic_post -> rnic_fetch -> rnic_read -> rnic_send -> port             (a retransmission: rnic_resend -> rnic_send)
 *   port -> rnic_arrive -> acceptance -> rnic_place -> rnic_release       (place)
 *                               |------> rnic_hold ... rnic_place -> rnic_unhold         (hold)
 *                               |------> rnic_release                                    (discard)
 *                               '------> rnic_place -> rnic_release ... rnic_copy        (copy)
 *   completion: rnic_complete -> rnic_notify -> rnic_wakeup
 *
 * A world with an event queue of its own drives it. Each call takes a job into a stage at `now` and returns the instant
 * when the stage is done with it; the stage stays busy, and later jobs wait. The world makes the next call at that
 * instant. `now` never goes back. Nothing here calls anybody.
 *
 * Law: a stage is left in the order it was entered, but for order and read_order any; the pipelines (tx.queues, rx.queues), in the order of each connection. PCIe and
 * memory move the same octets at the same time: the slower of the two decides, each is busy for its own part.
 */
#ifndef IW_RNIC_RNIC_H
#define IW_RNIC_RNIC_H

#include "engine/iw.h"
#include "rnic/cache.h"
#include "rnic/conf.h"
#include "rnic/histogram.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rnic;

/* The adapter lives in one block the caller owns: rnic_size() octets, aligned as malloc does. `conf` must have no
 * error (rnic_conf_error); it is copied. `connections`: numbered 0 .. connections - 1. `key`: of the draws for the
 * jitter of stalls, of nobody else. */
size_t rnic_size(const struct rnic_conf *conf, uint32_t connections);
struct rnic *rnic_init(void *memory, const struct rnic_conf *conf, uint32_t connections, uint64_t key);
const struct rnic_conf *rnic_configuration(const struct rnic *r);
/* Octets come in and go out in no time: rnic_read, _send, _arrive and _place say `now`. */
bool rnic_is_instant(const struct rnic *r);
/* The set-up of a connection has left its context on the adapter. */
void rnic_connected(struct rnic *r, uint32_t connection);

/* ---- transmit ---- */

/* The ULP posts a request of `octets`: when the adapter has heard the doorbell. */
iw_time rnic_post(struct rnic *r, iw_time now, uint32_t octets);
/* The adapter reads the descriptor: when it knows the request; at once when the request came with its octets. */
iw_time rnic_fetch(struct rnic *r, iw_time now, uint32_t octets);
/* The same for a receive that is posted, or anything else the host only tells: the CPU is free at the result. */
iw_time rnic_post_recv(struct rnic *r, iw_time now);
/* Did a request of `octets` come with its octets? Then there is nothing to rnic_read(). */
bool rnic_inlined(const struct rnic *r, uint32_t octets);
/* Read `octets` of a segment from memory: when the snapshot is complete (iw_accepted); read_order any: those of others may be
 * complete before. */
iw_time rnic_read(struct rnic *r, iw_time now, uint32_t octets);
/* A segment of `octets` on the line goes through the transmit pipeline: when the port may start to send it. */
iw_time rnic_send(struct rnic *r, iw_time now, uint32_t connection, uint32_t octets);
/* A segment is to be sent again: when rnic_send() may take it, at once from the snapshot, or (retransmit: host) after
 * its octets were read from memory once more. */
iw_time rnic_resend(struct rnic *r, iw_time now, uint32_t octets);

/* The transmit pipeline of a connection, 0 .. tx.queues - 1. */
static inline uint32_t rnic_pipeline(const struct rnic_conf *conf, uint32_t connection)
{
    return conf->tx.queues == 1 ? 0 : (uint32_t)(connection % conf->tx.queues);
}

/* The connections of a pipeline take turns. rnic_ready: this one has something to send; to say it twice is to say it
 * once. rnic_turn: whose turn is it? False: nobody's. It sends one segment and, if it has more, says rnic_ready() again. */
void rnic_ready(struct rnic *r, uint32_t connection);
bool rnic_turn(struct rnic *r, uint32_t pipeline, uint32_t *connection);

/* ---- receive ---- */

/* A segment has arrived that takes `octets` of staging (the same number until it is released or unheld; an
 * acknowledgement none, nor is it counted): when it may be
 * offered to the transport's acceptance (RCV.NXT, ACK). IW_NEVER: staging is full; the segment is dropped and counted,
 * and the transport never saw it. */
iw_time rnic_arrive(struct rnic *r, iw_time now, uint32_t connection, uint32_t octets);
/* The segment has left staging: placed, refused, duplicate, or bad. */
void rnic_release(struct rnic *r, uint32_t octets);
/* Move a segment out of order from staging to NIC memory. False: no room; refuse it (and rnic_release it). */
bool rnic_hold(struct rnic *r, uint32_t octets);
void rnic_unhold(struct rnic *r, uint32_t octets);
/* DMA-write `octets` of payload into the memory that `stag` names, in the order of the calls: when they are in place
 * (iw_commit). `stag` 0: the kernel's buffer, no look-up. */
iw_time rnic_place(struct rnic *r, iw_time now, uint32_t stag, uint32_t octets);
/* receive: copy. The CPU enters the kernel; it copies `octets` of payload to where the ULP wants them. */
iw_time rnic_syscall(struct rnic *r, iw_time now);
iw_time rnic_copy(struct rnic *r, iw_time now, uint32_t octets);

/* ---- completion ---- */

/* Write a completion queue entry, right behind the octets it announces, which are in place now: when a poll can see
 * it. */
iw_time rnic_complete(struct rnic *r, iw_time now);
/* An entry is visible; `event`: the queue was armed for it (iw_cq_event). When to call rnic_wakeup(); IW_NEVER: nobody
 * waits for it. An answer earlier than the one before replaces it: completions are gathered until the count or the
 * interval is reached. Polling: at once, every time. */
iw_time rnic_notify(struct rnic *r, iw_time now, bool event);
/* The host looks: when the ULP has taken `entries` completions. A call before rnic_notify()'s latest answer is stale
 * and returns IW_NEVER. */
iw_time rnic_wakeup(struct rnic *r, iw_time now, uint32_t entries);

/* ---- looking on ---- */

struct rnic_stats {
    uint64_t dropped; /* segments with octets that found staging full, and their */
    uint64_t dropped_octets;
    uint64_t refused; /* NIC memory was full (hold) */
    uint64_t held, held_peak;
    uint64_t copied; /* payload octets: copied by the CPU, */
    iw_time cpu;     /* time of the simulated CPU */
    uint64_t interrupts, completions;
    uint64_t stalls; /* stalls that held writes up */

    /* what each segment changes */
    uint64_t placed, read;          /* DMA written, DMA read */
    uint64_t crossings;             /* octets that crossed memory on the receive side: placed + 2 x copied */
    uint64_t arrived;               /* segments with octets, the dropped ones too */
    uint64_t staging, staging_peak; /* octets, now and most */
};
const struct rnic_stats *rnic_statistics(const struct rnic *r);
/* Octets in staging as each arriving segment found them, itself included; dropped ones not counted. */
const struct rnic_histogram *rnic_staging_histogram(const struct rnic *r);
const struct rnic_cache *rnic_stag_cache(const struct rnic *r); /* NULL: unlimited */
const struct rnic_cache *rnic_connection_cache(const struct rnic *r);

/* When the CPU has done what it was given. */
iw_time rnic_cpu_free(const struct rnic *r);

/* The parts of a latency, in the order they are met. */
enum rnic_step {
    RNIC_STEP_POST,     /* CPU and doorbell */
    RNIC_STEP_FETCH,    /* descriptor */
    RNIC_STEP_READ,     /* DMA read */
    RNIC_STEP_SEND,     /* transmit pipeline, encryption */
    RNIC_STEP_ARRIVE,   /* decryption, receive pipeline and CRC */
    RNIC_STEP_PLACE,    /* DMA write */
    RNIC_STEP_COPY,     /* by the CPU; 0 unless receive: copy */
    RNIC_STEP_COMPLETE, /* completion queue entry */
    RNIC_STEP_NOTIFY,   /* poll, or interrupt with its moderation */
    RNIC_STEPS
};
extern const char *const rnic_step_names[RNIC_STEPS];
/* How long a step takes when the adapter is idle, warm (no cache miss) and not stalled; octets as in the call. */
iw_time rnic_step_time(const struct rnic *r, enum rnic_step step, uint32_t octets);
/* Octets of segments and packets that each transmit pipeline holds to keep the port busy though reading and the pipeline take time:
 * their depth, with one look-up where reads need some, at the port's rate (bits per second), and a packet of `largest` octets that waits while another is being sent. 0: they
 * take no time. A pipeline takes more while it holds less. */
uint32_t rnic_ahead(const struct rnic *r, uint64_t line_rate, uint32_t largest);

#ifdef __cplusplus
}
#endif
#endif
