/* SPDX-License-Identifier: GPL-2.0-or-later */
/* channel.h -- what goes wrong on the way: loss, bursts, duplication, corruption, reordering, jitter, measured
 * delays; drawn, or replayed.
 *
 * A channel decides the fate of one packet after the other in one direction of one link. Every draw is a hash of
 * (seed, repeat, link, direction, packet number, which draw): the fate of packet n depends on nothing that happened
 * before, save the burst state, and two scenarios that are compared meet the same channel.
 * A trace is a list of fates that packets met elsewhere: packet n meets the nth from where it starts, and it answers to
 * nothing that this sender does.
 */
#ifndef IW_CHANNEL_H
#define IW_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "parameter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a packet met. Late by both measures: `packets` that were sent after it came before it, `time` (picoseconds) after
 * its turn. */
struct channel_seen {
    uint64_t time;
    uint32_t packets;
    bool lost, twice;
};

/* Borrowed, and never written to: all channels of a run read the same. */
struct channel_trace {
    const struct channel_seen *seen;
    uint32_t count; /* 0: no trace */
    uint32_t first; /* the fate of packet 0, from 1; 0: drawn. After the last comes the first */
    bool by_time;   /* late by `time`, not by so many `packets` of its size */
};

/* A delay as it was measured: `share` of the packets, of 2^32, have at most this `time`; both ascend, the last share is all.
 * Between two entries a delay is uniform. */
struct channel_delay {
    uint64_t time, share;
};

/* Borrowed as a trace is. */
struct channel_delays {
    const struct channel_delay *entry;
    uint32_t count; /* 0: none */
    bool overtakes; /* a packet may come before one that was sent before it; else it waits for it */
    uint64_t hold;  /* what is drawn holds for so long; 0: for one packet */
};

/* Probabilities are per packet, 0 .. 1; times in picoseconds. All zero: a perfect channel. */
struct channel_conf {
    double loss; /* uniform */
    struct {
        double p, r;                /* Gilbert-Elliott: good -> bad, bad -> good */
        double loss_good, loss_bad; /* loss in either state */
    } burst;
    double corrupt;   /* an alteration that the TCP checksum missed */
    double duplicate; /* the copy follows at once */
    struct {
        double probability;
        uint64_t delay;        /* extra delay of a chosen packet */
        uint32_t displacement; /* and as much as this many packets of its size take on the link */
    } reorder;
    uint64_t jitter; /* extra delay, uniform in 0 .. jitter */
    struct channel_delays delay;
    struct channel_trace trace; /* alone: nothing else is drawn beside it */
};

extern const struct parameter_table channel_parameters; /* of struct channel_conf; all 0: the defaults */

/* NULL, or what is wrong with it in words. */
const char *channel_conf_error(const struct channel_conf *conf);
/* The longest extra delay, without a trace and without what reorder.displacement adds. */
uint64_t channel_longest(const struct channel_conf *conf);
/* Whether anything ever happens to a packet. */
bool channel_impairs(const struct channel_conf *conf);

struct channel {
    uint64_t key, number;
    uint64_t loss, good_loss, bad_loss, to_bad, to_good, corrupt, duplicate,
        reorder; /* thresholds of 64-bit draws */
    uint64_t delay, jitter;
    uint32_t displacement;
    bool burst, bad;
    struct channel_trace trace;
    uint32_t at; /* in the trace */
    struct channel_delays delays;
    uint64_t free; /* the last packet is wholly there: nothing comes before, where order is kept */
};

/* Start at packet 0. `link` and `direction` name the channel in its world. */
void channel_init(struct channel *c, const struct channel_conf *conf, uint64_t seed, uint32_t repeat,
                  uint32_t link, uint32_t direction);

struct channel_fate {
    bool lost, corrupted, duplicated, reordered;
    uint64_t delay;   /* extra, picoseconds */
    uint64_t entropy; /* for a corrupted packet: which bit */
};
/* The fate of the next packet. `serialization`: picoseconds that this packet takes on the link. */
struct channel_fate channel_take(struct channel *c, uint64_t serialization);
/* When that packet is there, which without the channel would be at `now`: with the delay of its fate, and the measured one. Once
 * for each that is, in the order of `now`. */
uint64_t channel_arrival(struct channel *c, uint64_t now, uint64_t serialization,
                         const struct channel_fate *fate);

/* The counter-based generator itself: 64 well mixed bits from a key and a counter. Workloads use it for their own
 * draws with a key of their own. */
uint64_t channel_draw(uint64_t key, uint64_t counter);
/* A draw as a uniform value in 0 .. limit; of twice the limit it is twice as much. */
uint64_t channel_uniform(uint64_t bits, uint64_t limit);
/* A draw as a value of an exponential distribution; `mean` below 2^59. In whole numbers, so that every
 * machine draws the same. */
uint64_t channel_exponential(uint64_t bits, uint64_t mean);
uint64_t channel_key(uint64_t seed, uint32_t repeat, uint32_t link, uint32_t direction);
/* A probability as a threshold: a draw below it is a hit. */
uint64_t channel_threshold(double probability);

#ifdef __cplusplus
}
#endif
#endif
