/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_path.h -- which value a packet carries, of 0 .. count - 1: switches that route by entropy hash it, so packets of one value
 * keep their order, and those of another may have another path. What answers say of a value comes back with it.
 *
 *   choice      next                                                                        heard
 *   oblivious   each value once in a round, in an order drawn for it                        nothing
 *   round       each value once in a round, by number                                       nothing
 *   bitmap      oblivious, but not one with penalties; these fall as it is passed over      a mark 1, a trim 4, a loss 15
 *   reps        the oldest of 8 that were answered without a mark, once; else one drawn     after a loss those 8 alone, 10 ms
 *   mixed       the oldest that was answered without a mark, once; else bitmap              both
 *   retire      bitmap, of values that are not retired                                      a loss retires, a probe revives
 *
 * Of an end with several ports each value is one port's, value % ports, and the port that is free asks for one of its own: each port
 * has rounds and memories of its own, so that no port's share goes to another, and retire may take all values of one.
 *
 * All but the last as uet-htsim has them (github.com/ultraethernet/uet-htsim, htsim/sim/uec_mp.cpp and buffer_reps.h, read); its
 * mixed remembers as many as come, here no more than there are values. retire is after MRC, whose papers were not read.
 */
#ifndef IW_LLP_PACKET_PATH_H
#define IW_LLP_PACKET_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/iw.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PACKET_CHOICE_TABLE(X) \
    X(oblivious)               \
    X(round)                   \
    X(bitmap)                  \
    X(reps)                    \
    X(mixed)                   \
    X(retire)
#define PACKET_CHOICE(name) PACKET_BY_##name,
enum packet_choice { PACKET_CHOICE_UNSET, PACKET_CHOICE_TABLE(PACKET_CHOICE) PACKET_CHOICES };
/* Of a value: its packet was answered, with a mark, trimmed, lost without a trace; a probe was answered. */
enum packet_said {
    PACKET_SAID_GOOD,
    PACKET_SAID_MARK,
    PACKET_SAID_TRIM,
    PACKET_SAID_LOST,
    PACKET_SAID_PROBED
};
enum { PACKET_PATHS_MAX = 1024, PACKET_REPS = 8 };

struct packet_path_conf {
    uint32_t count; /* a power of two, at most PACKET_PATHS_MAX; with 0 and 1 nothing is chosen */
    enum packet_choice choice;
    iw_time revive; /* retire: until a value is tested */
    uint32_t ports; /* of the end: a power of two, at most count; 0: one */
};
enum { PACKET_NO_PATH = PACKET_PATHS_MAX };
/* NULL, or what is wrong in words. */
const char *packet_path_error(const struct packet_path_conf *conf);

/* What is chosen for one port, of its values: value / ports. */
struct packet_path_port {
    uint32_t turn, order;
    uint16_t *good; /* by count % slots: reps, mixed */
    uint32_t good_put, fresh, draws;
    iw_time frozen; /* reps: until then, 0: not */
    uint32_t out;   /* retired now */
    uint32_t test;  /* a value that wants a test; PACKET_NO_PATH: none */
};

/* Law: at least a quarter of the values is never retired; penalties are 0 .. 15. */
struct packet_paths {
    struct packet_path_conf conf;
    uint64_t state;   /* of draws */
    uint8_t *penalty; /* of each value */
    uint64_t *used;   /* a bit for each value */
    iw_time *retired; /* of each value: until when; 0: it is not */
    struct packet_path_port *port;
    uint32_t slots, retirements;
    iw_time test_at;           /* IW_NEVER: none is retired but those that want a test */
    uint32_t values_used, out; /* out: retired now */
};

struct carve;
/* Its memory; NULL in `p`: it is counted alone. */
void packet_path_lay_out(struct packet_paths *p, struct carve *c, const struct packet_path_conf *conf,
                         uint64_t secret);
/* May a packet of data leave by this port? Not when all its values are retired. */
bool packet_path_leads(const struct packet_paths *p, uint32_t port);
/* Of the next packet to leave by a port that leads. */
uint32_t packet_path_next(struct packet_paths *p, uint32_t port);
void packet_path_heard(struct packet_paths *p, iw_time now, uint32_t value, enum packet_said said);
/* At test_at: each port of whose values one is due wants a test of that. If it is not answered, it waits as long again. */
void packet_path_expire(struct packet_paths *p, iw_time now);
/* The value that the port's test carries, which leaves now. Of a port that wants one. */
uint32_t packet_path_test(struct packet_paths *p, uint32_t port);

#ifdef __cplusplus
}
#endif
#endif
