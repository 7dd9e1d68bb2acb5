/* SPDX-License-Identifier: GPL-2.0-or-later */
/* law_ends.c -- a stream that ends at any moment, in any way: every request completes exactly once, the first
 * error is the one that counts, both sides come to an end, and no octet is where it should not be. */
#include "scene.h"

static struct scene scene;

/* ---- what happens to the stream, and when ---- */

enum blow { BLOW_CLOSE, BLOW_HALF_CLOSE, BLOW_ABORT, BLOW_TERMINATE, BLOW_LLP, BLOW_CUT, BLOWS };

struct blows {
    struct draw d;
    uint32_t wait; /* steps until the next */
    uint32_t left;
};

static int some_term(struct draw *d)
{
    return iw_terms[draw_below(d, iw_terms_count)].term;
}

static void strike(struct ulp *u, struct blows *b)
{
    int side = (int)draw_below(&b->d, 2);
    enum blow blow = (enum blow)draw_below(&b->d, BLOWS);
    law_trace("blow %d to side %d", (int)blow, side);
    switch (blow) {
    case BLOW_TERMINATE: u->world->terminate(u->world, side, some_term(&b->d)); break;
    case BLOW_LLP:
        u->world->fail(u->world, side, draw_chance(&b->d, 50) ? IW_T_LLP_CRC : IW_T_LLP_MARKER);
        break;
    case BLOW_CUT: u->world->cut(u->world); break;
    default:
        if (blow == BLOW_ABORT || !u->side[side].closing)
            u->world->close(u->world, side, (enum iw_close_how)blow);
        u->side[side].closing = true;
        break;
    }
    ulp_poll(u);
}

static void meddle(struct ulp *u, void *meddler)
{
    struct blows *b = meddler;
    if (!b->left || b->wait--)
        return;
    b->left--;
    b->wait = draw_below(&b->d, 30);
    strike(u, b);
}

/* ---- the laws ---- */

static void carry_out(uint64_t seed, enum scene_place place, bool ddp_only)
{
    struct blows blows = {.d = draw_start(seed, 10)};
    scene_draw(&scene, seed, place, ddp_only);
    blows.wait = draw_below(&blows.d, draw_chance(&blows.d, 50) ? 60 : 600);
    blows.left = draw_from(&blows.d, 1, 3);
    scene.conf.error = draw_chance(&blows.d, 20);
    scene_open(&scene);
    scene.ulp.may_fail = scene.ulp.hurried = true;
    scene.ulp.meddle = meddle;
    scene.ulp.meddler = &blows;
    ulp_run(&scene.ulp, scene.chance);
    ulp_end(&scene.ulp);
}

/* checks: DDP-6.2.2-1 DDP-6.2.2-2 DDP-6.2.2-4 RDMAP-6.2.1-2 RDMAP-6.2-1 RDMAP-7.1-0 RDMAP-7.1-1 RDMAP-7.1-4 */
static void rdmap_on_the_bench(uint64_t seed)
{
    carry_out(seed, ON_THE_BENCH, false);
}

/* checks: DDP-6.2.2-4 DDP-6.2.2-6 */
static void ddp_alone_on_the_bench(uint64_t seed)
{
    carry_out(seed, ON_THE_BENCH, true);
}

static void rdmap_on_a_link(uint64_t seed)
{
    carry_out(seed, ON_A_LINK, false);
}

static void ddp_alone_on_a_link(uint64_t seed)
{
    carry_out(seed, ON_A_LINK, true);
}

static void rdmap_through_adapters(uint64_t seed)
{
    carry_out(seed, THROUGH_ADAPTERS, false);
}

/* A completion queue that is too small ends the streams that complete into it. Completions are lost from then
 * on, and those that came before are as they must be.
 * checks: RDMAP-8.1.1-10 */
static void a_full_completion_queue(uint64_t seed)
{
    scene_draw(&scene, seed, ON_THE_BENCH, seed % 4 == 0);
    scene.bench.cq_entries = draw_from(&scene.d, 1, 6);
    scene_open(&scene);
    scene.ulp.may_fail = scene.ulp.hurried = scene.ulp.may_lose = true;
    ulp_run(&scene.ulp, scene.chance);
    ulp_end(&scene.ulp);
    for (int side = 0; side < 2; side++) {
        const struct ulp_side *u = &scene.ulp.side[side];
        bool overflowed = bench_overflowed(scene.world, side);
        law(!overflowed || u->fatal || u->terminate_in || u->flushed,
            "side %d lives on without its completions", side);
        law(overflowed || u->fatal != IW_T_RDMA_CATASTROPHIC, "side %d: a catastrophe without a cause", side);
    }
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
        {"ddp_alone_on_a_link", ddp_alone_on_a_link, 2000, 1},
        {"rdmap_through_adapters", rdmap_through_adapters, 2000, 1},
        {"rdmap_over_tcp", rdmap_over_tcp, 2000, 1},
        {"rdmap_over_sctp", rdmap_over_sctp, 2000, 1},
        {"a_full_completion_queue", a_full_completion_queue, 5000, 1},
    };
    return law_main(argc, argv, laws, sizeof laws / sizeof laws[0]);
}
