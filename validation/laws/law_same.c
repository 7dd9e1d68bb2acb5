/* SPDX-License-Identifier: GPL-2.0-or-later */
/* law_same.c -- what must not make a difference: running twice, storing octets or only counting them, and
 * what the channel does as long as it lets everything through in the end. */
#include <string.h>

#include "scene.h"

static struct scene scene;

struct outcome {
    uint64_t trace;
    int fatal[2];
    uint32_t delivered[2], answered[2];
};

/* An altered length may wait for octets that nobody sends: a ULP's patience ends that. */
static bool waits_for_ever(void)
{
    unsigned closed = 1u << IW_EV_CLOSED;
    return !(scene.ulp.side[0].events & closed) && !(scene.ulp.side[1].events & closed);
}

static struct outcome run(void)
{
    struct outcome o;
    ulp_run(&scene.ulp, scene.chance);
    if (scene.place == ON_A_LINK && scene.link.channel.corrupt > 0 && waits_for_ever()) {
        scene.world->cut(scene.world);
        ulp_poll(&scene.ulp);
        ulp_run(&scene.ulp, scene.chance);
    }
    ulp_end(&scene.ulp);
    o.trace = scene.ulp.trace;
    for (int i = 0; i < 2; i++) {
        o.fatal[i] = scene.ulp.side[i].fatal;
        o.delivered[i] = scene.ulp.side[i].delivered;
        o.answered[i] = scene.ulp.side[i].answered;
    }
    return o;
}

/* Some plans hold a wrong request, some links alter octets: an end by error must be the same too. */
static void draw_scene(uint64_t seed, enum scene_place place, bool alters)
{
    scene_draw(&scene, seed, place, seed % 4 == 0);
    scene.conf.error = draw_chance(&scene.d, 30);
    if (alters && place == ON_A_LINK && scene.link.crc && draw_chance(&scene.d, 40)) {
        scene.link.channel.corrupt = 0.02;
        scene.link.crc_drop = !scene.link.cut && draw_chance(&scene.d, 50);
    }
}

static void tolerate_errors(void)
{
    scene.ulp.may_fail = scene.ulp.hurried = true;
}

/* ---- twice ---- */

static void twice(uint64_t seed, enum scene_place place)
{
    draw_scene(seed, place, true);
    scene_open(&scene);
    tolerate_errors();
    struct outcome first = run();
    scene_again(&scene);
    tolerate_errors();
    struct outcome second = run();
    law(first.trace == second.trace, "the same seed gave two traces: %016llx and %016llx",
        (unsigned long long)first.trace, (unsigned long long)second.trace);
}

static void twice_on_the_bench(uint64_t seed)
{
    twice(seed, ON_THE_BENCH);
}

static void twice_on_a_link(uint64_t seed)
{
    twice(seed, ON_A_LINK);
}

/* ---- octets or their number ---- */

static void set_length_only(bool length_only)
{
    scene.bench.length_only = scene.link.length_only = length_only;
}

static void counted(uint64_t seed, enum scene_place place)
{
    draw_scene(seed, place, false);
    scene.link.cut = 0; /* packets without octets cannot be cut anywhere */
    scene_open(&scene);
    tolerate_errors();
    struct outcome stored = run();
    set_length_only(true);
    scene_again(&scene);
    tolerate_errors();
    struct outcome only_counted = run();
    set_length_only(false);
    law(stored.trace == only_counted.trace, "length-only payload gave another trace: %016llx, not %016llx",
        (unsigned long long)only_counted.trace, (unsigned long long)stored.trace);
}

static void counted_on_the_bench(uint64_t seed)
{
    counted(seed, ON_THE_BENCH);
}

static void counted_on_a_link(uint64_t seed)
{
    counted(seed, ON_A_LINK);
}

/* ---- another channel ---- */

/* checks: DDP-3-5a DDP-3-4 RDMAP-3.1-11 */
static void whatever_the_channel(uint64_t seed)
{
    static uint8_t *memory[2];
    draw_scene(seed, ON_A_LINK, false);
    scene.conf.error = false;
    scene_open(&scene);
    ulp_run(&scene.ulp, scene.chance);
    ulp_end_well(&scene.ulp);
    for (int i = 0; i < 2; i++)
        memory[i] = scene.ulp.side[i].memory;
    link_redraw_channel(&scene.link, seed);
    scene_again(&scene);
    ulp_run(&scene.ulp, scene.chance);
    ulp_end_well(&scene.ulp);
    for (int i = 0; i < 2; i++)
        law(!memcmp(memory[i], scene.ulp.side[i].memory, scene.plan.side[i].memory),
            "side %d: the channel changed its memory", i);
}

/* The same wrong request, another channel: the same error after the same deliveries.
 * checks: DDP-3-5a DDP-3-5b RDMAP-7.1-4 */
static void whatever_the_channel_the_error(uint64_t seed)
{
    int side;
    uint32_t job;
    draw_scene(seed, ON_A_LINK, false);
    scene.conf.error = true;
    scene_open(&scene);
    bool wrong = plan_error(&scene.plan, &side, &job);
    if (!wrong || scene.link.vary_mulpdu)
        return;
    scene.ulp.may_fail = true;
    struct outcome first = run();
    link_redraw_channel(&scene.link, seed);
    scene_again(&scene);
    scene.ulp.may_fail = true;
    struct outcome second = run();
    law(first.fatal[!side] == second.fatal[!side], "%05x on one channel, %05x on the other",
        (unsigned)first.fatal[!side], (unsigned)second.fatal[!side]);
    law(first.delivered[side] == second.delivered[side], "%u deliveries on one channel, %u on the other",
        first.delivered[side], second.delivered[side]);
}

int main(int argc, char **argv)
{
    static const struct law laws[] = {
        {"twice_on_the_bench", twice_on_the_bench, 5000, 1},
        {"twice_on_a_link", twice_on_a_link, 1500, 1},
        {"counted_on_the_bench", counted_on_the_bench, 10000, 1},
        {"counted_on_a_link", counted_on_a_link, 3000, 1},
        {"whatever_the_channel", whatever_the_channel, 2000, 1},
        {"whatever_the_channel_the_error", whatever_the_channel_the_error, 1500, 1},
    };
    return law_main(argc, argv, laws, sizeof laws / sizeof laws[0]);
}
