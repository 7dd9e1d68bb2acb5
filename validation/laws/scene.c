/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scene.h"

enum { OCTETS = 12000, FEW_JOBS = 8 };

static uint32_t draw_mulpdu(struct draw *d)
{
    switch (draw_below(d, 6)) {
    case 0: return 128;
    case 1: return draw_from(d, 128, 9000);
    case 2: return draw_from(d, 400, 1500);
    default: return draw_from(d, 128, 400);
    }
}

void scene_draw(struct scene *s, uint64_t seed, enum scene_place place, bool ddp_only)
{
    *s = (struct scene){.d = draw_start(seed, 6), .place = place};
    s->plan.seed = seed;
    s->conf = (struct plan_conf){
        .ddp_only = ddp_only, .jobs = draw_chance(&s->d, 50) ? FEW_JOBS : JOBS_MAX, .octets = OCTETS};
    s->conf.mulpdu = draw_mulpdu(&s->d);
    if (draw_chance(&s->d, 30))
        s->conf.profile |= IW_STRICT;
    if (draw_chance(&s->d, 20))
        s->conf.profile |= IW_RECOVER;
    else if (draw_chance(&s->d, 10))
        s->conf.profile |= IW_DRAFT00;
    s->chance = draw_from(&s->d, 2, 60);
    if (place != ON_THE_BENCH) {
        s->link = link_draw(seed, &s->conf.mulpdu);
        if (place == OVER_TCP || place == OVER_SCTP)
            link_draw_transport(&s->link, seed, place == OVER_TCP ? &llp_tcp : &llp_sctp, &s->conf.mulpdu);
        if (place != ON_A_LINK)
            link_draw_adapters(&s->link, seed);
    } else
        s->bench = bench_draw(seed, s->conf.mulpdu);
}

void scene_again(struct scene *s)
{
    law_trace("---- the plan begins");
    s->world = s->place == ON_THE_BENCH ? bench_open(&s->bench, &s->plan) : link_open(&s->link, &s->plan);
    ulp_start(&s->ulp, &s->plan, s->world);
}

void scene_open(struct scene *s)
{
    plan_draw(&s->plan, s->plan.seed, &s->conf);
    scene_again(s);
}
