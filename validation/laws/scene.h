/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene.h -- a plan, a world and two ULPs from one seed: what most laws begin with. */
#ifndef IW_LAWS_SCENE_H
#define IW_LAWS_SCENE_H

#include "bench.h"
#include "link.h"
#include "ulp.h"

/* On a link: of the ideal stream, with plain adapters or drawn ones; over TCP or SCTP with drawn adapters. */
enum scene_place { ON_THE_BENCH, ON_A_LINK, THROUGH_ADAPTERS, OVER_TCP, OVER_SCTP };

struct scene {
    struct draw d; /* for the law's own draws */
    struct plan plan;
    struct plan_conf conf;
    struct bench_conf bench;
    struct link_conf link;
    enum scene_place place;
    struct world *world;
    struct ulp ulp;
    uint32_t chance; /* percent of steps before which the ULPs act */
};

/* Draw all of it, and open nothing yet: a law may still change plan.conf, bench or link. */
void scene_draw(struct scene *s, uint64_t seed, enum scene_place place, bool ddp_only);
/* Draw the plan and open the world. */
void scene_open(struct scene *s);
/* Open it once more, with the same plan. */
void scene_again(struct scene *s);

#endif
