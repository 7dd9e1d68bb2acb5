/* SPDX-License-Identifier: GPL-2.0-or-later */
/* law_memory.c -- memory is taken away, changed and given anew at any moment, placements in flight included:
 * no octet is written where it may not be, and none is read. What was taken away is overwritten at once, by
 * its next owner. */
#include "scene.h"

static struct scene scene;

enum { NAMES_MAX = 256 };

struct lord {
    struct draw d;
    uint32_t every;               /* steps between two deeds, about */
    iw_stag former[2][NAMES_MAX]; /* names that are free again */
    uint32_t formers[2];
};

static void scribble(struct ulp *u, struct lord *l, int side, uint8_t region)
{
    struct ulp_side *s = &u->side[side];
    struct content c = {draw_bits(&l->d), 0};
    if (!s->memory)
        return;
    content_fill(c, s->memory + s->region[region].start, s->region[region].len);
    content_fill(c, s->shadow + s->region[region].start, s->region[region].len);
}

/* The law at the struct of stag.h: nothing is written once this is true. */
static void shut(struct ulp *u, struct lord *l, int side, uint8_t region)
{
    u->side[side].state[region] = REGION_SHUT;
    law_trace("side %d region %u is shut", side, region);
    scribble(u, l, side, region);
}

/* checks: DDP-8.3-2 DDP-8.3.1-4 DDP-8.3.1-6 RDMAP-8.1.1-4 RDMAP-8.1.1-6 */
static void revoke(struct ulp *u, struct lord *l, int side, uint8_t region)
{
    enum iw_revoke_how how = draw_chance(&l->d, 50) ? IW_CANCEL : IW_DRAIN;
    bool was_open = u->side[side].state[region] == REGION_OPEN;
    iw_stag stag = u->side[side].stag[region];
    int result = iw_revoke(u->world->stags[side], stag, how);
    law_trace("side %d revokes region %u: %d", side, region, result);
    if (result == IW_EINVAL)
        law(iw_revoked(u->world->stags[side], stag) || u->side[side].state[region] != REGION_OPEN,
            "region %u is not known", region);
    if (result == IW_OK)
        law(iw_revoked(u->world->stags[side], stag), "region %u is not revoked", region);
    if (result == IW_OK || (result == IW_EBUSY && how == IW_CANCEL))
        shut(u, l, side, region);
    else if (result == IW_EBUSY && was_open)
        u->side[side].state[region] = REGION_DRAINING;
}

static void invalidate(struct ulp *u, struct lord *l, int side, uint8_t region)
{
    if (iw_invalidate(u->world->stags[side], u->side[side].stag[region]) == IW_OK)
        shut(u, l, side, region);
}

/* Narrower, and with other rights.
 * checks: DDP-8.3-1 DDP-8.3.1-4 DDP-8.3.1-5 RDMAP-8.1.1-5 */
static void rebind(struct ulp *u, struct lord *l, int side, uint8_t region)
{
    struct ulp_side *s = &u->side[side];
    struct plan_region before = s->region[region], *r = &s->region[region];
    uint32_t from = draw_below(&l->d, r->len / 2 + 1);
    r->start += from;
    r->to += from;
    r->len -= from + draw_below(&l->d, r->len / 4 + 1);
    if (draw_chance(&l->d, 50))
        r->rights &= (unsigned)draw_bits(&l->d);
    struct iw_region now = ulp_region(u, side, region);
    int result = iw_rebind(u->world->stags[side], s->stag[region], &now);
    law_trace("side %d rebinds region %u: %d", side, region, result);
    if (result == IW_OK)
        s->state[region] = REGION_OPEN;
    else
        *r = before;
}

/* The slot may be free: its memory gets another name, one that nobody has heard before.
 * checks: RDMAP-8.1.1-8a */
static void give_anew(struct ulp *u, struct lord *l, int side, uint8_t region)
{
    struct ulp_side *s = &u->side[side];
    struct iw_region now = ulp_region(u, side, region);
    if (!iw_revoked(u->world->stags[side], s->stag[region]) || l->formers[side] == NAMES_MAX)
        return;
    l->former[side][l->formers[side]++] = s->stag[region];
    law(iw_register(u->world->stags[side], &now, &s->stag[region]) == IW_OK, "no room for region %u", region);
    for (uint32_t i = 0; i < l->formers[side]; i++)
        law(s->stag[region] != l->former[side][i], "STag %08x comes twice", s->stag[region]);
    law_trace("side %d registers region %u anew: %08x", side, region, s->stag[region]);
    s->state[region] = REGION_OPEN;
}

static void see_drained(struct ulp *u, struct lord *l)
{
    for (int side = 0; side < 2; side++)
        for (uint8_t i = 0; i < REGIONS; i++)
            if (u->side[side].state[i] == REGION_DRAINING &&
                iw_revoked(u->world->stags[side], u->side[side].stag[i]))
                shut(u, l, side, i);
}

static void meddle(struct ulp *u, void *meddler)
{
    static void (*const deeds[])(struct ulp *, struct lord *, int, uint8_t) = {revoke, invalidate, rebind,
                                                                               give_anew};
    struct lord *l = meddler;
    see_drained(u, l);
    if (draw_below(&l->d, l->every))
        return;
    int side = (int)draw_below(&l->d, 2);
    deeds[draw_below(&l->d, sizeof deeds / sizeof deeds[0])](u, l, side,
                                                             (uint8_t)draw_below(&l->d, REGION_SPARE));
    ulp_check_memory(u, side);
}

/* ---- the laws ---- */

static void carry_out(uint64_t seed, enum scene_place place, bool ddp_only)
{
    struct lord lord = {.d = draw_start(seed, 11)};
    scene_draw(&scene, seed, place, ddp_only);
    lord.every = draw_chance(&lord.d, 50) ? draw_from(&lord.d, 5, 40) : draw_from(&lord.d, 40, 400);
    if (place == ON_A_LINK && draw_chance(&lord.d, 60))
        scene.link.dma = draw_from(&lord.d, 1, 50) * (iw_time)1000000;
    scene_open(&scene);
    scene.ulp.may_fail = scene.ulp.hurried = scene.ulp.loose = true;
    scene.ulp.meddle = meddle;
    scene.ulp.meddler = &lord;
    ulp_run(&scene.ulp, scene.chance);
    ulp_end(&scene.ulp);
}

/* checks: DDP-8.3-2 DDP-8.3.1-6 RDMAP-8.1.1-6 DDP-7.1-T1 DDP-7.1-T2 RDMAP-5.2.1-13 */
static void rdmap_on_the_bench(uint64_t seed)
{
    carry_out(seed, ON_THE_BENCH, false);
}

static void ddp_alone_on_the_bench(uint64_t seed)
{
    carry_out(seed, ON_THE_BENCH, true);
}

static void rdmap_on_a_link(uint64_t seed)
{
    carry_out(seed, ON_A_LINK, false);
}

static void rdmap_through_adapters(uint64_t seed)
{
    carry_out(seed, THROUGH_ADAPTERS, false);
}

static void rdmap_over_tcp(uint64_t seed)
{
    carry_out(seed, OVER_TCP, false);
}

static void rdmap_over_sctp(uint64_t seed)
{
    carry_out(seed, OVER_SCTP, false);
}

int main(int argc, char **argv)
{
    static const struct law laws[] = {
        {"rdmap_on_the_bench", rdmap_on_the_bench, 20000, 1},
        {"ddp_alone_on_the_bench", ddp_alone_on_the_bench, 10000, 1},
        {"rdmap_on_a_link", rdmap_on_a_link, 4000, 1},
        {"rdmap_through_adapters", rdmap_through_adapters, 2000, 1},
        {"rdmap_over_tcp", rdmap_over_tcp, 2000, 1},
        {"rdmap_over_sctp", rdmap_over_sctp, 2000, 1},
    };
    return law_main(argc, argv, laws, sizeof laws / sizeof laws[0]);
}
