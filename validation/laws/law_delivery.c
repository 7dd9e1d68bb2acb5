/* SPDX-License-Identifier: GPL-2.0-or-later */
/* law_delivery.c -- everything that is sent arrives: whole, in order, once, and nowhere else.
 *
 * The laws themselves are asserted step by step: of the Data Source in wire_laws.c, of the Data Sink in
 * watch.c. */
#include "scene.h"

static struct scene scene;

static void carry_out(uint64_t seed, enum scene_place place, bool ddp_only)
{
    scene_draw(&scene, seed, place, ddp_only);
    scene_open(&scene);
    ulp_run(&scene.ulp, scene.chance);
    ulp_end_well(&scene.ulp);
}

/* checks: RDMAP-3.1-11 RDMAP-5.5-13 RDMAP-B-1 RDMAP-B-3 RDMAP-B-4 RDMAP-B-5 RDMAP-B-6 RDMAP-B-9 */
static void rdmap_on_the_bench(uint64_t seed)
{
    carry_out(seed, ON_THE_BENCH, false);
}

/* checks: DDP-5.3-1 DDP-4.2-9 DDP-4.3-6 */
static void ddp_alone_on_the_bench(uint64_t seed)
{
    carry_out(seed, ON_THE_BENCH, true);
}

/* checks: DDP-3-4 DDP-3-5a DDP-3-11 */
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

/* An altered length may wait for octets that nobody sends: a ULP's patience ends that, not the protocol. */
static bool waits_for_ever(void)
{
    unsigned closed = 1u << IW_EV_CLOSED;
    return !(scene.ulp.side[0].events & closed) && !(scene.ulp.side[1].events & closed);
}

/* Octets are altered on the way, and the digest sees it: either every altered one is sent again, which is
 * sure where packets are whole FPDUs and the receiver knows, or the stream ends with an error of MPA. What is
 * delivered is whole in either case.
 * checks: DDP-3-6 DDP-7-1 */
static void rdmap_through_altered_octets(uint64_t seed)
{
    bool well = true;
    scene_draw(&scene, seed, ON_A_LINK, false);
    struct link_conf *link = &scene.link;
    link->crc = true;
    link->crc_drop = !link->cut && draw_chance(&scene.d, 60);
    link->trust_alignment = link->crc_drop && draw_chance(&scene.d, 50);
    link->channel.corrupt = draw_from(&scene.d, 1, 100) / 1000.0;
    scene_open(&scene);
    scene.ulp.may_fail = true;
    ulp_run(&scene.ulp, scene.chance);
    if (waits_for_ever())
        scene.world->cut(scene.world);
    ulp_poll(&scene.ulp);
    ulp_run(&scene.ulp, scene.chance);
    ulp_end(&scene.ulp);
    for (int i = 0; i < 2; i++) {
        int fatal = scene.ulp.side[i].fatal;
        bool mpa = fatal == IW_T_LLP_CRC || fatal == IW_T_LLP_MARKER || fatal == IW_T_LLP_LOST;
        law(!fatal || mpa, "side %d ended for %05x", i, (unsigned)fatal);
        well = well && !fatal && !scene.ulp.side[i].terminate_in;
    }
    law(well || !link->crc_drop, "a stream ended though every altered packet could be refused");
    if (well)
        ulp_end_well(&scene.ulp);
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
        {"rdmap_on_the_bench", rdmap_on_the_bench, 10000, 1},
        {"ddp_alone_on_the_bench", ddp_alone_on_the_bench, 5000, 1},
        {"rdmap_on_a_link", rdmap_on_a_link, 3000, 1},
        {"ddp_alone_on_a_link", ddp_alone_on_a_link, 1000, 1},
        {"rdmap_through_adapters", rdmap_through_adapters, 1500, 1},
        {"rdmap_over_tcp", rdmap_over_tcp, 1500, 1},
        {"rdmap_over_sctp", rdmap_over_sctp, 1500, 1},
        {"rdmap_through_altered_octets", rdmap_through_altered_octets, 1500, 1},
    };
    return law_main(argc, argv, laws, sizeof laws / sizeof laws[0]);
}
