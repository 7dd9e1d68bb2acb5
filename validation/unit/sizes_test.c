/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sizes_test.c -- what `check` derives of a packet, and what two ends of the same point then send: the same octets, whatever
 * the lower layer, its framing and the MTU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/wire.h"
#include "helpers/world/hosts_conf.h"
#include "validation/unit/scenario_rig.h"

enum { SETS = 7, BLOCKS = 64, ROUNDS = 64, LATER = 1000000 };

/* Two ends and the path between them: nothing is lost, nothing waits. */
struct ends {
    const struct llp *t;
    void *l[2];
    bool up[2];
    iw_time now;
    struct llp_event said;
    void *block[BLOCKS];
    size_t blocks;
};

static void *more(void *user, size_t octets)
{
    struct ends *e = user;
    assert_true(e->blocks < BLOCKS);
    return e->block[e->blocks++] = malloc(octets);
}

static void hear(struct ends *e, int side)
{
    while (e->t->event(e->l[side], &e->said))
        e->up[side] |= e->said.kind == LLP_EV_UP;
}

/* Everything that an end has to say; the size of the largest packet. */
static uint32_t carry(struct ends *e, int side)
{
    struct ip_packet packet;
    struct llp_sent sent;
    struct llp_unit unit;
    uint32_t most = 0;
    while (e->t->transmit(e->l[side], e->now, LLP_ANY, &packet, &sent)) {
        most = packet.size > most ? packet.size : most;
        e->t->arrive(e->l[!side], e->now, &packet);
        while (e->t->unit(e->l[!side], e->now, UINT64_MAX, &unit) != LLP_END) {
        }
        hear(e, side);
        hear(e, !side);
    }
    return most;
}

static void open_ends(struct ends *e, const struct scenario_point *p)
{
    struct factory f;
    hosts_factory(p, &f);
    e->t = f.llp;
    for (int side = 0; side < 2; side++) {
        struct factory_end end = hosts_end(p, 0, side, 0, 1);
        end.streams = 1;
        struct llp_conf conf = factory_connection(&f, &end).conf;
        conf.memory = (struct llp_memory){more, e};
        e->l[side] = llp_init(e->t, more(e, llp_size(e->t, &conf)), &conf);
        assert_non_null(e->l[side]);
        if (e->t->credit)
            e->t->credit(e->l[side], 0, conf.window, false);
        e->t->open(e->l[side], 0);
        hear(e, side);
    }
    for (int i = 0; i < ROUNDS && !(e->up[0] && e->up[1] && e->t->has_room(e->l[0], 0, 0, 0)); i++) {
        carry(e, 0);
        carry(e, 1);
    }
    for (int i = 0; i < ROUNDS && carry(e, 0) + carry(e, 1); i++)
        e->now += LATER;
    assert_true(e->up[0] && e->up[1]);
}

/* The largest segment goes one way, an acknowledgement the other. */
static void one_full_segment(struct ends *e, const struct llp_sizes *sizes)
{
    static uint8_t head[IW_HEAD_TAGGED] = {0xc1}, payload[65536];
    struct iw_frag frag = {payload, sizes->mulpdu - IW_HEAD_TAGGED};
    struct iw_seg seg = {.key = e->t->key(e->l[0], 0), .frags = 1, .payload_len = frag.len};
    seg.head_len = IW_HEAD_TAGGED;
    memcpy(seg.head, head, sizeof head);
    seg.frag[0] = frag;
    assert_int_equal(e->t->mulpdu(e->l[0], 0), sizes->mulpdu);
    e->now += LATER;
    assert_int_equal(e->t->send(e->l[0], e->now, 0, &seg, LLP_RIGHT), IW_OK);
    assert_int_equal(carry(e, 0), sizes->packet);
    uint32_t answer = 0;
    for (int i = 0; i < ROUNDS && !answer; i++) {
        e->now = e->t->deadline(e->l[1]) < e->now + LATER ? e->t->deadline(e->l[1]) : e->now + LATER;
        e->t->expire(e->l[1], e->now);
        answer = carry(e, 1);
    }
    assert_int_equal(answer, sizes->answer);
}

static void agrees(const char *const sets[SETS])
{
    struct scenario *s = rig_scenario("payload: real\n", sets, SETS);
    struct scenario_point p;
    struct scenario_derived d;
    struct ends e = {.now = 0};
    char error[SCENARIO_ERROR_MAX];
    bool good = scenario_point(s, 0, 0, &p, error);
    if (!good)
        print_error("%s\n", error);
    assert_true(good);
    scenario_derive(&p, &d);
    open_ends(&e, &p);
    one_full_segment(&e, &d.sizes);
    for (size_t i = 0; i < e.blocks; i++)
        free(e.block[i]);
    scenario_free(s);
}

/* ---- tests ---- */

static const char *const mtus[] = {"topology.mtu=650", "topology.mtu=1500", "topology.mtu=4097",
                                   "topology.mtu=9000", "topology.mtu=65535"};
enum { MTUS = sizeof mtus / sizeof mtus[0] };
static const char window[] = "rnic.window.bytes=1MiB", hold[] = "rnic.receive=hold",
                  delayed[] = "llp.delayed_ack=1";

TEST(mpa_with_and_without_markers_crc_and_security)
{
    static const char *const forms[][4] = {
        {"llp.kind=mpa", "llp.markers=false", "llp.crc=true", "llp.security=none"},
        {"llp.kind=mpa", "llp.markers=true", "llp.crc=true", "llp.security=esp"},
        {"llp.kind=mpa", "llp.markers=true", "llp.crc=false", "llp.security=none"},
        {"llp.kind=mpa", "llp.timestamps=true", "llp.markers=true", "llp.security=tls"},
        {"llp.kind=ideal", "llp.markers=false", "llp.crc=false", "llp.security=none"},
        {"llp.kind=ideal", "llp.markers=true", "llp.crc=true", "llp.security=esp"}};
    for (size_t i = 0; i < MTUS * sizeof forms / sizeof forms[0]; i++) {
        const char *const *f = forms[i / MTUS];
        agrees((const char *const[SETS]){f[0], f[1], f[2], f[3], mtus[i % MTUS], window, hold});
    }
}

TEST(sctp_with_one_stream_and_several)
{
    static const char *const forms[][2] = {{"llp.streams=1", "llp.security=none"},
                                           {"llp.streams=4", "llp.security=none"},
                                           {"llp.streams=1", "llp.security=esp"}};
    for (size_t i = 0; i < MTUS * sizeof forms / sizeof forms[0]; i++) {
        const char *const *f = forms[i / MTUS];
        bool largest = i % MTUS == 0; /* what ESP adds leaves less than RFC 5043's least */
        const char *mtu = largest ? "topology.mtu=700" : mtus[i % MTUS];
        agrees((const char *const[SETS]){"llp.kind=sctp", f[0], f[1], mtu, window, delayed, hold});
    }
}

TEST(packets_of_every_recovery)
{
    static const char *const forms[][3] = {
        {"llp.recovery=go_back_n", "rnic.receive=discard", "llp.security=none"},
        {"llp.recovery=irn", "rnic.receive=place", "llp.security=esp"},
        {"llp.recovery=rud", "rnic.receive=hold", "llp.security=none"}};
    for (size_t i = 0; i < MTUS * sizeof forms / sizeof forms[0]; i++) {
        const char *const *f = forms[i / MTUS];
        agrees((const char *const[SETS]){"llp.kind=packet", f[0], f[1], f[2], mtus[i % MTUS],
                                         "workload.kind=stream", "seed=1"});
    }
}
