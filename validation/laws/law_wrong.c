/* SPDX-License-Identifier: GPL-2.0-or-later */
/* law_wrong.c -- one request of a plan is wrong: its peer ends the stream for exactly that error, whatever
 * order the segments come in; what was sent before is delivered, what was sent after is not. */
#include "scene.h"

static struct scene scene;

static void carry_out(uint64_t seed, enum scene_place place, bool ddp_only)
{
    int side;
    uint32_t job;
    scene_draw(&scene, seed, place, ddp_only);
    scene.conf.error = true;
    scene_open(&scene);
    scene.ulp.may_fail = plan_error(&scene.plan, &side, &job);
    ulp_run(&scene.ulp, scene.chance);
    if (scene.ulp.may_fail)
        ulp_end_wrong(&scene.ulp);
    else
        ulp_end_well(&scene.ulp);
}

/* checks: RDMAP-7.1-2 RDMAP-7.1-3 RDMAP-3.2-3 RDMAP-3.2-5 RDMAP-3.2-8 RDMAP-5.3-14 RDMAP-5.3-15 RDMAP-8.1.1-7 */
static void rdmap_on_the_bench(uint64_t seed)
{
    carry_out(seed, ON_THE_BENCH, false);
}

/* checks: DDP-6.2-1 DDP-6.2.2-3 DDP-6.2.2-6 DDP-7.1-U1 DDP-7.1-U2 DDP-7.1-E1 DDP-7.1-E3 */
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
    };
    return law_main(argc, argv, laws, sizeof laws / sizeof laws[0]);
}
