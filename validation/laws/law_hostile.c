/* SPDX-License-Identifier: GPL-2.0-or-later */
/* law_hostile.c -- whatever a peer sends: an endpoint that takes segments out of order makes of it what one
 * that takes them in order does, error and Terminate included, and no octet changes that no message may
 * change. */
#include "framed.h"

#include <string.h>

static unsigned draw_profile(struct draw *d)
{
    unsigned profile = draw_chance(d, 50) ? IW_STRICT : 0;
    if (draw_chance(d, 50))
        profile |= IW_RFC7306;
    return draw_chance(d, 10) ? profile | IW_DRAFT00 : profile;
}

static void check_same(const struct outcome *a, const struct outcome *b)
{
    law(a->fault == b->fault, "%05x in order, %05x out of order", (unsigned)a->fault, (unsigned)b->fault);
    law(a->terminate_len == b->terminate_len && !memcmp(a->terminate, b->terminate, a->terminate_len),
        "two Terminates for %05x", (unsigned)a->fault);
    law(a->delivered == b->delivered && a->deliveries == b->deliveries,
        "%u deliveries in order, %u out of order", a->delivered, b->delivered);
    law(a->completed == b->completed && a->completions == b->completions,
        "%u completions in order, %u out of order", a->completed, b->completed);
    law(a->events == b->events, "events %x in order, %x out of order", a->events, b->events);
}

static void hear_both_ways(uint64_t seed, bool spoil)
{
    static struct victim in_order, out_of_order;
    static struct stream stream;
    struct draw d = draw_start(seed, 23);
    unsigned profile = draw_profile(&d);
    struct outcome a, b;
    law_trace("profile %x", profile);
    victim_open(&in_order, seed, profile, 0);
    victim_open(&out_of_order, seed, profile, (uint16_t)(draw_chance(&d, 30) ? draw_below(&d, 4) : 64));
    stream_draw(&stream, &in_order, seed, spoil);
    const struct presentation straight = {.in_order = true, .seed = seed};
    const struct presentation crooked = {
        .span = draw_from(&d, 2, STREAM_MAX), .duplicates = draw_below(&d, 30), .seed = seed};
    victim_hear(&in_order, &stream, &straight, &a);
    victim_hear(&out_of_order, &stream, &crooked, &b);
    victim_check_memory(&in_order);
    victim_check_memory(&out_of_order);
    check_same(&a, &b);
    if (spoil || a.events & 1u << IW_EV_TERMINATE_RECEIVED)
        return; /* what follows a Terminate counts for nothing */
    law(!a.fault, "a good stream ended for %05x", (unsigned)a.fault);
    law(!memcmp(in_order.memory, out_of_order.memory, in_order.octets),
        "the order of arrival changed the memory");
}

/* checks: DDP-3-5a DDP-5.3-4 DDP-5.4-2 RDMAP-5.5-3 */
static void a_good_stream(uint64_t seed)
{
    hear_both_ways(seed, false);
}

/* checks: RDMAP-7.1-4 DDP-7.1-E1 DDP-7.1-E3 DDP-8.3.1-3 RDMAP-8.1.1-3 RDMAP-5.4-6 */
static void a_spoilt_stream(uint64_t seed)
{
    hear_both_ways(seed, true);
}

/* The same octets of a connection, some of them altered. */
static void hear_framed(uint64_t seed, bool alter)
{
    static struct victim in_order, out_of_order;
    static struct stream stream;
    static struct framed framed;
    struct draw d = draw_start(seed, 27);
    unsigned profile = draw_profile(&d);
    struct outcome a, b;
    victim_open(&in_order, seed, profile, 0);
    victim_open(&out_of_order, seed, profile, (uint16_t)(draw_chance(&d, 30) ? draw_below(&d, 4) : 64));
    stream_draw(&stream, &in_order, seed, !alter && draw_chance(&d, 70));
    framed_draw(&framed, &stream, seed, alter);
    const struct presentation straight = {.in_order = true, .seed = seed}, crooked = {.seed = seed};
    bool ended = framed_hear(&in_order, &framed, &straight, &a);
    framed_hear(&out_of_order, &framed, &crooked, &b);
    victim_check_memory(&in_order);
    victim_check_memory(&out_of_order);
    if (ended) /* else it waits for octets that an altered length promises; out of order they may be there already */
        check_same(&a, &b);
}

/* checks: MPA-8-1 MPA-8-2 RDMAP-7.1-4 */
static void an_altered_connection(uint64_t seed)
{
    hear_framed(seed, true);
}

/* checks: DDP-5.3-4 RDMAP-7.1-4 */
static void a_connection_of_a_hostile_peer(uint64_t seed)
{
    hear_framed(seed, false);
}

int main(int argc, char **argv)
{
    static const struct law laws[] = {
        {"a_good_stream", a_good_stream, 20000, 1},
        {"a_spoilt_stream", a_spoilt_stream, 100000, 1},
        {"an_altered_connection", an_altered_connection, 20000, 1},
        {"a_connection_of_a_hostile_peer", a_connection_of_a_hostile_peer, 10000, 1},
    };
    return law_main(argc, argv, laws, sizeof laws / sizeof laws[0]);
}
