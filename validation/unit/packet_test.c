/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One end of a packet transport, told by hand what its peer answers: what may leave, what a NAK repeats, what is tracked. */
#include <stddef.h>
#include <stdlib.h>

#include "llp/llp.h"
#include "llp/packet.h"
#include "validation/support/test.h"

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

static struct llp_track_conf tracking = {.layout = TRACK_LIST};

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
                         .track = tracking,
                         .packet = &s->packet,
                         .memory = {.more = more}};
    assert_null(llp_packet.conf_error(&c));
    s->memory = calloc(1, llp_size(&llp_packet, &c));
    s->l = llp_init(&llp_packet, s->memory, &c);
    llp_packet.open(s->l, 0);
}

static void post(struct scene *s, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct iw_seg seg = {.key = llp_packet.key(s->l, 0), .head_len = IW_HEAD_TAGGED};
        assert_int_equal(llp_packet.send(s->l, 0, 0, &seg, LLP_RIGHT), IW_OK);
    }
}

/* Everything that may leave now: a bit for each number of a data packet. */
static unsigned leaves(struct scene *s, iw_time now)
{
    struct ip_packet out;
    struct packet_head h;
    unsigned left = 0;
    struct llp_sent sent;
    while (llp_packet.transmit(s->l, now, LLP_ANY, &out, &sent)) {
        packet_get(out.octets, &h);
        if (h.flags & PACKET_DATA)
            left |= 1u << h.psn;
    }
    return left;
}

static enum llp_verdict arrives(struct scene *s, struct packet_head h, uint32_t ulpdu, enum llp_refusal *why)
{
    uint8_t octets[PACKET_HEAD + IW_HEAD_TAGGED] = {0};
    struct ip_packet in = {.size = IP_HEAD + (ulpdu ? packet_charge_of(s->packet.recovery)->data + ulpdu
                                                    : packet_charge_of(s->packet.recovery)->answer),
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

/* The answer that leaves next. */
static struct packet_head answers(struct scene *s)
{
    struct ip_packet out;
    struct packet_head h = {0};
    struct llp_sent sent;
    if (llp_packet.transmit(s->l, US, LLP_ANY, &out, &sent))
        packet_get(out.octets, &h);
    return h;
}

/* A queue left the header of packet `psn`, which had been sent `sends` times. */
static enum llp_verdict header_arrives(struct scene *s, uint32_t psn, uint8_t sends)
{
    uint8_t octets[PACKET_HEAD];
    struct ip_packet in = {.size = IP_HEAD + packet_charge_of(s->packet.recovery)->data + IW_HEAD_TAGGED,
                           .protocol = IP_PROTOCOL_EXPERIMENT,
                           .trimmed = true,
                           .head = PACKET_HEAD,
                           .octets = octets};
    struct llp_unit u = {0};
    packet_put(octets, &(struct packet_head){.flags = PACKET_DATA, .psn = psn, .sends = sends});
    llp_packet.peek(s->l, &in, &u);
    assert_int_equal(u.octets, 0); /* no staging */
    llp_packet.arrive(s->l, US, &in);
    return llp_packet.unit(s->l, US, UINT64_MAX, &u);
}

TEST(no_more_than_the_flight_leaves)
{
    struct scene s;
    for (int recovery = PACKET_GO_BACK_N; recovery < PACKET_RECOVERIES; recovery++) {
        open_scene(&s, (enum packet_recovery)recovery);
        post(&s, 10);
        unsigned track = recovery == PACKET_GO_BACK_N ? FLIGHT : TRACK;
        assert_int_equal(leaves(&s, US), (1u << track) - 1);
        free(s.memory);
    }
}

/* IRN counts packets under way, not a range of numbers: with room to track them six are, whatever is missing before. */
TEST(the_flight_of_irn_counts_packets)
{
    struct scene s = {.packet = {.recovery = PACKET_IRN, .flight = 2, .track = 64}};
    struct llp_conf c = {.initiator = true,
                         .mtu = 1500,
                         .streams = 1,
                         .min_rto = 200 * (iw_time)US,
                         .packet = &s.packet,
                         .memory = {.more = more}};
    s.memory = calloc(1, llp_size(&llp_packet, &c));
    s.l = llp_init(&llp_packet, s.memory, &c);
    llp_packet.open(s.l, 0);
    post(&s, 10);
    assert_int_equal(leaves(&s, US), 0x3);
    answer(&s, (struct packet_head){.flags = PACKET_SAYS | PACKET_NAMED, .named = 1, .sends = 1});
    assert_int_equal(leaves(&s, US), 0x4); /* 0 is missing, 1 was answered: one more */
    free(s.memory);
}

/* A NAK repeats all that is missing below the last packet that came, in whatever order the answers came. */
TEST(a_nak_repeats_what_is_missing)
{
    struct scene s;
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
TEST(what_is_beyond_the_bits_is_refused)
{
    const struct packet_head data = {.flags = PACKET_DATA, .sends = 1};
    enum llp_refusal why;
    struct scene s;
    open_scene(&s, PACKET_RUD);
    struct packet_head h = data;
    h.psn = TRACK;
    assert_int_equal(arrives(&s, h, IW_HEAD_TAGGED, &why), LLP_REFUSED);
    assert_int_equal(why, LLP_FOR_TRACK);
    h.psn = TRACK - 1;
    assert_int_equal(arrives(&s, h, IW_HEAD_TAGGED, NULL), LLP_TAKEN);
    assert_int_equal(arrives(&s, h, IW_HEAD_TAGGED, NULL), LLP_DUPLICATE);
    assert_int_equal(packet_statistics(s.l)->track_peak, TRACK);
    free(s.memory);
}

/* A header that comes alone is no packet: it is answered by a NAK of its own, and one of a packet that is here is not. */
TEST(a_header_alone_is_answered_by_a_nak)
{
    for (int recovery = PACKET_IRN; recovery < PACKET_RECOVERIES; recovery++) {
        struct scene s;
        open_scene(&s, (enum packet_recovery)recovery);
        assert_int_equal(header_arrives(&s, 2, 3), LLP_NOTHING);
        struct packet_head h = answers(&s);
        assert_int_equal(h.flags, PACKET_SAYS | PACKET_NAMED);
        assert_int_equal(h.more, PACKET_CUT);
        assert_int_equal(h.named, 2);
        assert_int_equal(h.sends, 3);
        assert_int_equal(packet_statistics(s.l)->naks, 1);
        assert_int_equal(arrives(&s, (struct packet_head){.flags = PACKET_DATA, .psn = 2, .sends = 4},
                                 IW_HEAD_TAGGED, NULL),
                         LLP_TAKEN);
        answers(&s);
        uint64_t naks = packet_statistics(s.l)->naks;
        assert_int_equal(header_arrives(&s, 2, 4), LLP_NOTHING);
        assert_int_equal(answers(&s).more, PACKET_AGAIN);
        assert_int_equal(packet_statistics(s.l)->naks, naks);
        free(s.memory);
    }
}

/* The packet leaves at once again, as often as it is trimmed; a NAK of a copy before the last repeats nothing. */
TEST(a_trimmed_packet_leaves_again_at_once)
{
    for (int recovery = PACKET_IRN; recovery < PACKET_RECOVERIES; recovery++) {
        struct scene s;
        struct llp_event e;
        struct packet_head nak = {
            .flags = PACKET_SAYS | PACKET_NAMED, .more = PACKET_CUT, .named = 2, .sends = 1};
        open_scene(&s, (enum packet_recovery)recovery);
        post(&s, 4);
        assert_int_equal(leaves(&s, US), 0xf);
        answer(&s, nak);
        assert_int_equal(leaves(&s, 2 * US), 0x4);
        while (llp_packet.event(s.l, &e))
            if (e.kind == LLP_EV_RETRANSMITTED)
                assert_int_equal(e.reason, LLP_WHY_TRIMMED);
        answer(&s, nak); /* of the first copy, and the second is under way */
        assert_int_equal(leaves(&s, 3 * US), 0);
        nak.sends = 2;
        answer(&s, nak);
        assert_int_equal(leaves(&s, 4 * US), 0x4);
        nak.named = 9; /* which never left */
        answer(&s, nak);
        assert_int_equal(leaves(&s, 5 * US), 0);
        assert_int_equal(llp_packet.acked(s.l, 0), 0);
        free(s.memory);
    }
}

/* IRN repeats what is missing once for a NAK: what was trimmed has been. */
TEST(a_gap_does_not_repeat_what_was_trimmed)
{
    struct scene s;
    open_scene(&s, PACKET_IRN);
    post(&s, 4);
    assert_int_equal(leaves(&s, US), 0xf);
    answer(&s, (struct packet_head){
                   .flags = PACKET_SAYS | PACKET_NAMED, .more = PACKET_CUT, .named = 0, .sends = 1});
    assert_int_equal(leaves(&s, 2 * US), 0x1);
    answer(&s, (struct packet_head){.flags = PACKET_SAYS | PACKET_NAK, .sack = 0x5});
    assert_int_equal(leaves(&s, 3 * US), 0x4); /* 2 alone */
    free(s.memory);
}

/* A packet for which no bit is left is answered by a NAK of its own, if the adapter does so; the first missing one needs no bit. */
TEST(what_cannot_be_remembered_is_asked_for_again)
{
    const struct packet_head data = {.flags = PACKET_DATA, .psn = 2, .sends = 3};
    struct llp_track_pool pool = {.bits = 2};
    for (int naks = 0; naks < 2; naks++) {
        struct scene s;
        tracking = (struct llp_track_conf){.layout = TRACK_BITMAP, .pool = &pool, .naks = naks};
        open_scene(&s, PACKET_RUD);
        assert_int_equal(arrives(&s, data, IW_HEAD_TAGGED, NULL), LLP_REFUSED); /* the third bit */
        struct packet_head h = answers(&s);
        assert_int_equal(h.more, naks ? PACKET_FULL : 0);
        assert_int_equal(h.named, naks ? 2 : 0);
        assert_int_equal(h.sends, naks ? 3 : 0);
        assert_int_equal(packet_statistics(s.l)->naks, naks);
        assert_int_equal(
            arrives(&s, (struct packet_head){.flags = PACKET_DATA, .sends = 1}, IW_HEAD_TAGGED, NULL),
            LLP_TAKEN);
        assert_int_equal(arrives(&s, data, IW_HEAD_TAGGED, NULL), LLP_TAKEN);
        assert_int_equal(pool.used, 2); /* 1 is missing, 2 is here */
        pool.used = 0;
        free(s.memory);
    }
    tracking = (struct llp_track_conf){.layout = TRACK_LIST};
}

TEST(a_packet_that_was_not_remembered_leaves_again_at_once)
{
    struct scene s;
    struct llp_event e;
    open_scene(&s, PACKET_RUD);
    post(&s, 4);
    assert_int_equal(leaves(&s, US), 0xf);
    answer(&s, (struct packet_head){
                   .flags = PACKET_SAYS | PACKET_NAMED, .more = PACKET_FULL, .named = 2, .sends = 1});
    assert_int_equal(leaves(&s, 2 * US), 0x4);
    while (llp_packet.event(s.l, &e))
        if (e.kind == LLP_EV_RETRANSMITTED)
            assert_int_equal(e.reason, LLP_WHY_FULL);
    free(s.memory);
}
