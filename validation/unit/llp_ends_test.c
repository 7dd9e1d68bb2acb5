/* SPDX-License-Identifier: GPL-2.0-or-later */
/* llp_ends_test.c -- two ends of a table of llp.h, packet by packet: which packets come, in which order, is the test's. */
#include <stdlib.h>
#include <string.h>

#include "validation/support/test.h"
#include "validation/unit/llp_rig.h"

enum { BLOCKS = 256, PAYLOAD = 100, ULPDU = IW_HEAD_TAGGED + PAYLOAD, PACKETS = 64, OCTETS = 2048 };

struct kept {
    struct ip_packet packet;
    uint8_t octets[OCTETS];
};

struct pair {
    const struct llp *t;
    struct llp_conf conf[2];
    void *l[2], *block[BLOCKS];
    unsigned blocks;
    iw_time now;
    struct kept kept[PACKETS]; /* what send_one() made */
};

static void *more(void *user, size_t octets)
{
    struct pair *p = user;
    assert_true(p->blocks < BLOCKS);
    return p->block[p->blocks++] = malloc(octets);
}

static void take(const struct pair *p, struct kept *k, struct ip_packet packet)
{
    (void)p;
    assert_true(packet.head <= OCTETS);
    k->packet = packet;
    memcpy(k->octets, packet.octets, packet.head);
    k->packet.octets = k->octets;
}

/* The packet arrives at `side`, where every segment that may be handed up is; how many were, and how many of them late. */
struct came {
    enum llp_verdict verdict;
    unsigned segments, late;
};

static struct came arrive(struct pair *p, int side, struct kept *k)
{
    struct came came = {LLP_END, 0, 0};
    struct llp_unit u;
    struct llp_segment s;
    p->t->arrive(p->l[side], p->now, &k->packet);
    while (p->t->unit(p->l[side], p->now, UINT64_MAX, &u) != LLP_END) {
        came.verdict = u.verdict;
        while (p->t->next(p->l[side], 0, &s) == 1) {
            came.segments++;
            came.late += s.late;
        }
    }
    return came;
}

/* Takes the next packet of `side`; false: there is none. */
static bool leave(struct pair *p, int side, struct kept *k)
{
    struct ip_packet packet;
    struct llp_sent sent;
    if (!p->t->transmit(p->l[side], p->now, LLP_ANY, &packet, &sent))
        return false;
    take(p, k, packet);
    return true;
}

static bool is_up(struct pair *p, int side)
{
    return p->t->mulpdu(p->l[side], 0) > 0;
}

/* All packets go at once, both ways, until none is left. */
static void exchange(struct pair *p)
{
    struct kept k;
    for (bool any = true; any;) {
        any = false;
        for (int side = 0; side < 2; side++)
            while (leave(p, side, &k)) {
                arrive(p, 1 - side, &k);
                any = true;
            }
    }
}

static void pair_open(struct pair *p, const struct llp *t, const struct llp_conf *conf)
{
    *p = (struct pair){.t = t};
    for (int side = 0; side < 2; side++) {
        struct llp_conf *c = &p->conf[side];
        *c = *conf;
        c->initiator = side == 0;
        c->source = 1u + (uint32_t)side;
        c->destination = 2u - (uint32_t)side;
        c->local_port = (uint16_t)(5000 + side);
        c->remote_port = (uint16_t)(5001 - side);
        c->memory = (struct llp_memory){more, p};
        assert_null(t->conf_error(c));
        p->l[side] = llp_init(t, more(p, llp_size(t, c)), c);
    }
    for (int side = 1; side >= 0; side--) {
        if (t->credit)
            t->credit(p->l[side], 0, conf->window, false);
        t->open(p->l[side], 0);
    }
    exchange(p);
    assert_true(is_up(p, 0) && is_up(p, 1));
}

static void pair_close(struct pair *p)
{
    while (p->blocks)
        free(p->block[--p->blocks]);
}

/* A Write of PAYLOAD octets, in a packet of its own. */
static void send_from(struct pair *p, int side, struct kept *k)
{
    uint8_t octets[PAYLOAD] = {0};
    struct iw_seg seg = {.key = p->t->key(p->l[side], 0),
                         .head = {0xc1, 0x40},
                         .head_len = IW_HEAD_TAGGED,
                         .payload_len = PAYLOAD,
                         .frags = 1,
                         .frag = {{octets, PAYLOAD}}};
    assert_int_equal(p->t->send(p->l[side], p->now, 0, &seg, LLP_RIGHT), IW_OK);
    assert_true(leave(p, side, k));
}

static void send_one(struct pair *p, struct kept *k)
{
    send_from(p, 0, k);
}

static struct llp_conf conf_of(void)
{
    return (struct llp_conf){.mtu = 1500,
                             .real = true,
                             .window = 1 << 16,
                             .reorder = 2,
                             .streams = 1,
                             .secret = 77,
                             .crc = true,
                             .ord = 4,
                             .ird = 4,
                             .delayed_ack = 1,
                             .delayed_ack_timeout = 100 * US,
                             .min_rto = 1000 * US,
                             .timeout = 1000 * US};
}

/* ---- in order, ahead, late ---- */

static const struct llp *const of_octets[] = {&llp_ideal, &llp_tcp};

/* Every second packet overtakes the one before it, again and again: each time its segment comes in its turn, and late. */
TEST(each_late_segment_is_called_late)
{
    struct llp_conf conf = conf_of();
    conf.in_order = true;
    for (int t = 0; t < 2; t++) {
        struct pair p;
        pair_open(&p, of_octets[t], &conf);
        for (int i = 0; i < 30; i++) {
            send_one(&p, &p.kept[0]);
            send_one(&p, &p.kept[1]);
            struct came second = arrive(&p, 1, &p.kept[1]), first = arrive(&p, 1, &p.kept[0]);
            assert_int_equal(second.verdict, LLP_TAKEN);
            assert_int_equal(second.segments, 0);
            assert_int_equal(first.segments, 2);
            assert_int_equal(first.late, 1);
            exchange(&p);
        }
        pair_close(&p);
    }
}

/* ---- acknowledgements ---- */

/* How many packets of data come in line until one is answered. */
static unsigned until_answered(struct pair *p)
{
    struct kept k;
    for (unsigned n = 1; n < 20; n++) {
        send_one(p, &p->kept[0]);
        arrive(p, 1, &p->kept[0]);
        if (leave(p, 1, &k)) {
            arrive(p, 0, &k);
            return n;
        }
    }
    return 0;
}

TEST(one_answer_for_as_many_packets_as_the_scenario_says)
{
    struct llp_conf conf = conf_of();
    for (int t = 0; t < 2; t++)
        for (conf.delayed_ack = 1; conf.delayed_ack < 6; conf.delayed_ack++) {
            struct pair p;
            pair_open(&p, of_octets[t], &conf);
            for (int i = 0; i < 3; i++)
                assert_int_equal(until_answered(&p), conf.delayed_ack);
            assert_int_equal(p.t->acked(p.l[0], 0), p.t->key(p.l[0], 0));
            pair_close(&p);
        }
}

/* What waits for a second packet is answered when the delay is over, and at once when something is missing. */
TEST(a_lonely_packet_is_answered_in_the_end_and_a_hole_at_once)
{
    struct llp_conf conf = conf_of();
    struct kept k;
    conf.delayed_ack = 4;
    for (int t = 0; t < 2; t++) {
        struct pair p;
        pair_open(&p, of_octets[t], &conf);
        send_one(&p, &p.kept[0]);
        arrive(&p, 1, &p.kept[0]);
        assert_false(leave(&p, 1, &k));
        assert_true(p.t->deadline(p.l[1]) == conf.delayed_ack_timeout);
        p.now = conf.delayed_ack_timeout;
        p.t->expire(p.l[1], p.now);
        assert_true(leave(&p, 1, &k));
        arrive(&p, 0, &k);
        for (int i = 0; i < 2; i++)
            send_one(&p, &p.kept[i]);
        arrive(&p, 1, &p.kept[1]);
        assert_true(leave(&p, 1, &k)); /* one is missing */
        arrive(&p, 1, &p.kept[0]);
        assert_true(leave(&p, 1, &k)); /* the hole is filled */
        arrive(&p, 1, &p.kept[0]);
        assert_true(leave(&p, 1, &k)); /* it was here before */
        pair_close(&p);
    }
}

/* ---- sizes ---- */

/* 1500 octets hold 40 of IP and transport. MPA: 2 of length, PAD, 4 of CRC; markers take 4 of every 512. */
TEST(a_full_packet_is_full)
{
    struct llp_conf conf = conf_of();
    for (int t = 0; t < 2; t++) {
        struct pair p;
        pair_open(&p, of_octets[t], &conf);
        assert_int_equal(p.t->mulpdu(p.l[0], 0), 1454);
        struct llp_form form = llp_form_of(&conf);
        struct llp_sizes sizes;
        p.t->sizes(&form, &sizes);
        assert_int_equal(sizes.full, 1460);
        pair_close(&p);
        conf.markers = true;
        pair_open(&p, of_octets[t], &conf);
        assert_int_equal(p.t->mulpdu(p.l[0], 0), 1442);
        assert_true(p.t->markers(p.l[0]));
        pair_close(&p);
        conf.markers = false;
    }
}

/* ---- a packet that waits in the adapter ---- */

/* The round trip that end 0 has measured when a packet, sent at `sent`, is answered at `answered`. */
static iw_time round_trip(iw_time sent, iw_time answered)
{
    struct llp_conf conf = conf_of();
    struct llp_stats stats;
    struct pair p;
    pair_open(&p, &llp_tcp, &conf);
    p.now = sent;
    send_one(&p, &p.kept[0]);
    p.now = answered;
    arrive(&p, 1, &p.kept[0]);
    exchange(&p);
    p.t->statistics(p.l[0], &stats);
    pair_close(&p);
    return stats.srtt;
}

/* 7/8 of the round trip of the set-up, which took no time, and 1/8 of this one (RFC 6298 2.3). */
TEST(a_round_trip_begins_when_the_packet_is_sent)
{
    assert_int_equal(round_trip(10 * US, 74 * US) / US, 8);
    assert_int_equal(round_trip(42 * US, 74 * US) / US, 4);
}

/* What waits in the adapter while the peer's data comes acknowledges it when it leaves, under a checksum that holds. */
TEST(what_leaves_late_says_what_is_known_then)
{
    static const struct llp *const tables[] = {&llp_tcp, &llp_ideal};
    for (int i = 0; i < 4; i++) {
        struct llp_conf conf = conf_of();
        struct pair p;
        conf.real = i % 2;
        conf.delayed_ack = 2;
        pair_open(&p, tables[i / 2], &conf);
        send_one(&p, &p.kept[0]);
        send_from(&p, 1, &p.kept[1]);
        assert_int_equal(arrive(&p, 0, &p.kept[1]).verdict, LLP_TAKEN);
        p.t->renew(p.l[0], p.now, &p.kept[0].packet);
        assert_int_equal(arrive(&p, 1, &p.kept[0]).verdict, LLP_TAKEN);
        assert_int_equal(p.t->acked(p.l[1], 0), p.t->key(p.l[1], 0));
        assert_false(p.t->wants(p.l[0], p.now, LLP_CONTROL));
        pair_close(&p);
    }
}
