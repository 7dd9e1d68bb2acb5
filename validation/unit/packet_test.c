/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One end of a packet transport, told by hand what its peer answers: what may leave, what a NAK repeats, what is tracked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "llp/llp.h"
#include "llp/packet.h"

enum { US = 1000000, FLIGHT = 6, TRACK = 4 };

struct scene {
    void *memory, *l;
    struct packet_conf packet;
};

static max_align_t room[4096];
static size_t used;

static void *more(void *user, size_t octets)
{
    void *p = room + used;
    (void)user;
    used += octets / sizeof *room + 1;
    return used <= sizeof room / sizeof *room ? p : NULL;
}

static void open_scene(struct scene *s, enum packet_recovery recovery)
{
    used = 0;
    s->packet = (struct packet_conf){.recovery = recovery, .flight = FLIGHT, .track = TRACK};
    struct llp_conf c = {.initiator = true,
                         .go_back = recovery == PACKET_GO_BACK_N,
                         .mtu = 1500,
                         .streams = 1,
                         .delayed_ack = 1,
                         .delayed_ack_timeout = 50 * (iw_time)US,
                         .min_rto = 200 * (iw_time)US,
                         .packet = &s->packet,
                         .memory = {.more = more}};
    assert_null(llp_packet.conf_error(&c));
    s->memory = calloc(1, llp_packet.size(&c));
    s->l = llp_packet.init(s->memory, &c);
    llp_packet.open(s->l, 0);
}

static void post(struct scene *s, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct iw_seg seg = {.key = llp_packet.key(s->l, 0), .head_len = IW_HEAD_TAGGED};
        assert_int_equal(llp_packet.send(s->l, 0, 0, &seg, LLP_RIGHT), IW_OK);
        llp_packet.release(s->l, 0, seg.key + 1);
    }
}

/* Everything that may leave now: a bit for each number of a data packet. */
static unsigned leaves(struct scene *s, iw_time now)
{
    struct ip_packet out;
    struct packet_head h;
    unsigned left = 0;
    bool again;
    while (llp_packet.transmit(s->l, now, &out, &again)) {
        packet_get(out.octets, &h);
        if (h.flags & PACKET_DATA)
            left |= 1u << h.psn;
        llp_packet.renew(s->l, now, &out);
    }
    return left;
}

static enum llp_verdict arrives(struct scene *s, struct packet_head h, uint32_t ulpdu, const char **why)
{
    uint8_t octets[PACKET_HEAD + IW_HEAD_TAGGED] = {0};
    struct ip_packet in = {.size = IP_HEAD + (ulpdu ? packet_charges[s->packet.recovery].data + ulpdu
                                                    : packet_charges[s->packet.recovery].answer),
                           .protocol = IP_PROTOCOL_EXPERIMENT,
                           .head = (uint16_t)(PACKET_HEAD + ulpdu),
                           .octets = octets};
    struct llp_unit u = {0};
    enum llp_verdict first;
    packet_put(octets, &h);
    llp_packet.arrive(s->l, US, &in);
    llp_packet.peek(s->l, &in, &u);
    first = llp_packet.unit(s->l, US, UINT64_MAX, &u);
    if (why)
        *why = u.why;
    for (struct llp_segment seg; llp_packet.next(s->l, 0, &seg) == 1;) {
    }
    return first;
}

static void answer(struct scene *s, struct packet_head h)
{
    arrives(s, h, 0, NULL);
}

static void no_more_than_the_flight_leaves(void **state)
{
    struct scene s;
    (void)state;
    for (int recovery = 0; recovery < PACKET_RECOVERIES; recovery++) {
        open_scene(&s, (enum packet_recovery)recovery);
        post(&s, 10);
        unsigned track = recovery == PACKET_GO_BACK_N ? FLIGHT : TRACK;
        assert_int_equal(leaves(&s, US), (1u << track) - 1);
        free(s.memory);
    }
}

/* IRN counts packets under way, not a range of numbers: with room to track them six are, whatever is missing before. */
static void the_flight_of_irn_counts_packets(void **state)
{
    struct scene s = {.packet = {.recovery = PACKET_IRN, .flight = 2, .track = 64}};
    struct llp_conf c = {.initiator = true,
                         .mtu = 1500,
                         .streams = 1,
                         .min_rto = 200 * (iw_time)US,
                         .packet = &s.packet,
                         .memory = {.more = more}};
    (void)state;
    s.memory = calloc(1, llp_packet.size(&c));
    s.l = llp_packet.init(s.memory, &c);
    llp_packet.open(s.l, 0);
    post(&s, 10);
    assert_int_equal(leaves(&s, US), 0x3);
    answer(&s, (struct packet_head){.flags = PACKET_SAYS | PACKET_NAMED, .named = 1, .sends = 1});
    assert_int_equal(leaves(&s, US), 0x4); /* 0 is missing, 1 was answered: one more */
    free(s.memory);
}

/* A NAK repeats all that is missing below the last packet that came, in whatever order the answers came. */
static void a_nak_repeats_what_is_missing(void **state)
{
    struct scene s;
    (void)state;
    open_scene(&s, PACKET_IRN);
    post(&s, 4);
    assert_int_equal(leaves(&s, US), 0xf);
    answer(&s, (struct packet_head){.flags = PACKET_SAYS | PACKET_NAMED, .named = 3, .sends = 1});
    answer(&s, (struct packet_head){.flags = PACKET_SAYS | PACKET_NAMED, .named = 1, .sends = 1});
    assert_int_equal(leaves(&s, 2 * US), 0);
    answer(&s, (struct packet_head){.flags = PACKET_SAYS | PACKET_NAK, .sack = 0x5});
    assert_int_equal(leaves(&s, 3 * US), 0x5); /* 0 and 2, each once */
    answer(&s, (struct packet_head){.flags = PACKET_SAYS | PACKET_NAK, .sack = 0x5});
    assert_int_equal(leaves(&s, 4 * US), 0);
    free(s.memory);
}

/* `track` packets from the first missing on are told apart; one beyond is refused, and says why. */
static void what_is_beyond_the_bits_is_refused(void **state)
{
    const struct packet_head data = {.flags = PACKET_DATA, .sends = 1};
    const char *why;
    struct scene s;
    (void)state;
    open_scene(&s, PACKET_RUD);
    struct packet_head h = data;
    h.psn = TRACK;
    assert_int_equal(arrives(&s, h, IW_HEAD_TAGGED, &why), LLP_REFUSED);
    assert_string_equal(why, "track");
    h.psn = TRACK - 1;
    assert_int_equal(arrives(&s, h, IW_HEAD_TAGGED, NULL), LLP_TAKEN);
    assert_int_equal(arrives(&s, h, IW_HEAD_TAGGED, NULL), LLP_DUPLICATE);
    assert_int_equal(packet_statistics(s.l)->track_peak, TRACK);
    free(s.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_than_the_flight_leaves),
        cmocka_unit_test(the_flight_of_irn_counts_packets),
        cmocka_unit_test(a_nak_repeats_what_is_missing),
        cmocka_unit_test(what_is_beyond_the_bits_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
