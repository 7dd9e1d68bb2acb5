/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pauses: when they take effect, that nothing is dropped under them, and links that wait for each other in a circle. */
#include "fabric_rig.h"

static struct fabric_conf lossless(enum fabric_kind kind)
{
    struct fabric_conf conf = fabric_conf_of(kind);
    conf.mtu = 1000;
    conf.pfc.on = true;
    conf.pfc.xoff = 2000;
    conf.pfc.xon = 1000;
    conf.pfc.headroom = fabric_headroom(conf.rate, conf.delay, conf.mtu, conf.framing);
    return conf;
}

static const struct told *nth(const struct net *r, enum fabric_event_kind kind, uint32_t link, size_t n)
{
    for (size_t i = 0; i < r->tolds; i++)
        if (r->told[i].kind == kind && r->told[i].link == link && !n--)
            return &r->told[i];
    return NULL;
}

/* Two to one. Packets of 1000 take 80,000 ps. At T = 1 us + 80,000 the first of both arrive; host 0's goes on, host 1's
 * waits. From then on two come when one goes, first come first served; the table below counts what waits of each. */
TEST(a_pause_takes_effect_after_its_way_and_ends_at_xon)
{
    struct fabric_conf conf = lossless(FABRIC_STAR);
    struct net *r = net_make(&conf);
    for (uint32_t h = 0; h < 2; h++) {
        net_connect(r, h, h, 7);
        for (unsigned i = 0; i < 60; i++)
            net_offer(r, 0, h, 0, 1000);
    }
    assert_int_equal(net_run(r), FABRIC_IDLE);
    assert_int_equal(r->seens, 120);
    assert_int_equal(net_count(r, FABRIC_DROPPED), 0);
    /* packets of host 0 and host 1 that wait after the arrivals of T + n x 80,000:
     *   n = 0: 0 1   1: 1 1   2: 1 2, host 1 is paused   3: 2 2, host 0 is paused, too */
    const iw_time t = US + 80000, way = 84 * 80 + US;
    assert_int_equal(nth(r, FABRIC_PAUSED, 1, 0)->at, t + 2 * 80000 + way);
    assert_int_equal(nth(r, FABRIC_PAUSED, 0, 0)->at, t + 3 * 80000 + way);
    /* a packet of host 1 has left at n = 3 before others came: 1000 of it are xon */
    assert_int_equal(nth(r, FABRIC_RESUMED, 1, 0)->at, t + 3 * 80000 + way);
    /* the sender of a packet that had begun ends it: none begins from then until it is resumed */
    for (uint32_t h = 0; h < 2; h++) {
        const struct told *stop = nth(r, FABRIC_PAUSED, h, 0), *go = nth(r, FABRIC_RESUMED, h, 0);
        assert_non_null(go);
        assert_int_equal(go->extra, go->at - stop->at);
        for (size_t i = 0; i < r->tolds; i++) { /* arrivals at the switch: a hop after they began */
            const struct told *e = &r->told[i];
            iw_time began = e->at - t;
            if (e->kind == FABRIC_ENQUEUED && e->connection == h)
                assert_false(began >= stop->at && began < go->at);
        }
        struct fabric_link_stats s = fabric_link_stats(r->f, h);
        assert_true(s.pauses >= 1 && s.paused >= go->extra);
        assert_true(s.ingress_peak > conf.pfc.xoff && s.ingress_peak <= conf.pfc.xoff + conf.pfc.headroom);
    }
    assert_int_equal(net_count(r, FABRIC_PAUSED), net_count(r, FABRIC_RESUMED));
    assert_int_equal(fabric_counts(r->f).pauses, net_count(r, FABRIC_PAUSED));
    net_free(r);
}

/* A pause counts as far as it has lasted. */
TEST(a_pause_under_way_counts_so_far)
{
    struct fabric_conf conf = lossless(FABRIC_STAR);
    struct net *r = net_make(&conf);
    for (uint32_t h = 0; h < 2; h++) {
        net_connect(r, h, h, 7);
        for (unsigned i = 0; i < 60; i++)
            net_offer(r, 0, h, 0, 1000);
        fabric_kick(r->f, h);
    }
    const iw_time stop = US + 3 * 80000 + 84 * 80 + US; /* of host 1: the table above */
    fabric_run(r->f, stop + 5000);
    assert_int_equal(nth(r, FABRIC_PAUSED, 1, 0)->at, stop);
    assert_null(nth(r, FABRIC_RESUMED, 1, 0));
    assert_int_equal(fabric_link_stats(r->f, 1).paused, 5000);
    fabric_run(r->f, stop + 7000);
    assert_int_equal(fabric_link_stats(r->f, 1).paused, 7000);
    net_free(r);
}

/* What is left at xon lasts until the resumed sender is heard again: 2 us, a frame and a packet are 26,084 octets. */
TEST(pauses_cost_nothing_when_xon_covers_a_round_trip)
{
    for (unsigned covers = 0; covers < 2; covers++) {
        struct fabric_conf conf = lossless(FABRIC_STAR);
        conf.pfc.xoff = 60000;
        conf.pfc.xon = covers ? 27000 : 5000;
        struct net *r = net_make(&conf);
        for (uint32_t h = 0; h < 2; h++) {
            net_connect(r, h, h, 7);
            for (unsigned i = 0; i < 400; i++)
                net_offer(r, 0, h, 0, 1000);
        }
        net_run(r);
        iw_time as_if_never_paused = 2 * (US + 80000) + 799 * 80000;
        assert_true(fabric_counts(r->f).pauses > 2);
        assert_int_equal(r->seen[799].at == as_if_never_paused, covers);
        net_free(r);
    }
}

/* At xoff a pause is sent, below it none. */
TEST(below_xoff_nobody_is_paused)
{
    for (unsigned over = 0; over < 2; over++) {
        struct fabric_conf conf = lossless(FABRIC_STAR);
        conf.pfc.xoff = over ? 2000 : 2001;
        struct net *r = net_make(&conf);
        for (uint32_t h = 0; h < 2; h++) {
            net_connect(r, h, h, 7);
            for (unsigned i = 0; i < 3; i++) /* n = 2 of the table above */
                net_offer(r, 0, h, 0, 1000);
        }
        net_run(r);
        assert_int_equal(fabric_counts(r->f).pauses, over);
        net_free(r);
    }
}

/* ---- the law ---- */

static uint64_t draw(uint64_t seed, uint64_t *n, uint64_t below)
{
    return channel_draw(seed, (*n)++) % below;
}

TEST(no_switch_drops_whatever_the_traffic)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t n = 0;
        struct fabric_conf conf = lossless(seed % 2 ? FABRIC_FAT_TREE : FABRIC_STAR);
        conf.framing = seed % 3 ? FABRIC_ETHERNET : 0;
        conf.delay = draw(seed, &n, 3) * US;
        conf.routing = seed % 5 == 0 ? FABRIC_SPRAY : FABRIC_FLOW_HASH;
        conf.fat_tree.oversubscription = seed % 7 ? 1 : 2.5;
        conf.pfc.xoff = 1 + draw(seed, &n, 4000);
        conf.pfc.xon = draw(seed, &n, conf.pfc.xoff);
        conf.pfc.headroom = fabric_headroom(conf.rate, conf.delay, conf.mtu, conf.framing);
        struct net *r = net_make(&conf);
        uint32_t hosts = fabric_hosts(r->f), hot = (uint32_t)draw(seed, &n, hosts);
        uint64_t octets = 0;
        for (uint32_t c = 0; c < 12; c++) {
            uint32_t from = (uint32_t)draw(seed, &n, hosts),
                     to = c % 3 ? hot : (uint32_t)draw(seed, &n, hosts);
            to = to == from ? (from + 1) % hosts : to;
            net_connect(r, c, from, to);
            for (uint64_t i = 20 + draw(seed, &n, 80); i--;)
                octets += net_offer(r, 0, c, 0, (uint32_t)(60 + draw(seed, &n, 941)))->size;
        }
        assert_int_equal(net_run(r), FABRIC_IDLE);
        uint64_t seen = 0;
        for (size_t i = 0; i < r->seens; i++)
            seen += r->seen[i].size;
        if (seen != octets || net_count(r, FABRIC_DROPPED))
            fail_msg("seed %llu: %zu drops", (unsigned long long)seed, net_count(r, FABRIC_DROPPED));
        for (uint32_t l = 0; l < fabric_links(r->f); l++)
            assert_true(fabric_link_stats(r->f, l).ingress_peak <= conf.pfc.xoff + conf.pfc.headroom);
        assert_conserved(r->f);
        net_free(r);
    }
}

/* A pause may be taken back while the packet before is still leaving a slow port: the next one waits for that. */
TEST(no_packet_leaves_before_its_link_is_free)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        uint64_t n = 0;
        struct fabric_conf conf = lossless(FABRIC_FAT_TREE);
        conf.fat_tree.oversubscription = 2.5;
        conf.delay = 0;
        conf.pfc.xoff = 1 + draw(seed, &n, 4000);
        conf.pfc.xon = draw(seed, &n, conf.pfc.xoff);
        conf.pfc.headroom = fabric_headroom(conf.rate, conf.delay, conf.mtu, conf.framing);
        struct net *r = net_make(&conf);
        iw_time free_at[256] = {0};
        uint32_t hosts = fabric_hosts(r->f);
        for (uint32_t l = 0; l < fabric_links(r->f); l++)
            fabric_tap(r->f, l, true);
        for (uint32_t c = 0; c < 12; c++) {
            uint32_t from = 1 + (uint32_t)draw(seed, &n, hosts - 1);
            net_connect(r, c, from, c % 3 ? 0 : (from + hosts / 2) % hosts);
            for (unsigned i = 0; i < 40; i++)
                net_offer(r, 0, c, 0, 1000);
        }
        assert_int_equal(net_run(r), FABRIC_IDLE);
        assert_true(net_count(r, FABRIC_RESUMED) > 10 && fabric_links(r->f) <= 256);
        for (size_t i = 0; i < r->tappeds; i++) {
            const struct tapped *t = &r->taps[i];
            if (t->side != FABRIC_LEAVES)
                continue;
            assert_true(t->at >= free_at[t->link]);
            free_at[t->link] = t->at + fabric_serialization(1000, fabric_link(r->f, t->link).rate);
        }
        net_free(r);
    }
}

/* 2 us at 100 Gb/s are 25,000 octets, a pause frame 84; what is begun when it comes, what ends when it leaves, one above
 * xoff. */
TEST(headroom_is_what_is_under_way)
{
    assert_int_equal(fabric_headroom(100 * GBPS, US, 1500, 38), 25000 + 84 + 1 + 2 * 1538 + 1500);
    struct fabric_conf conf = lossless(FABRIC_STAR);
    conf.more = (void *(*)(void *, size_t))1;
    assert_null(fabric_conf_error(&conf));
    conf.pfc.headroom--;
    assert_non_null(fabric_conf_error(&conf));
}

/* ---- circles ---- */

/* n switches in a ring, a host at each: hosts 0 .. n - 1, switches n .. 2n - 1. */
static void ring(struct fabric_conf *conf, struct fabric_line *line, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        line[i] = (struct fabric_line){i, n + i, conf->rate, conf->delay};
        line[n + i] = (struct fabric_line){n + i, n + (i + 1) % n, conf->rate, conf->delay};
    }
    conf->file.hosts = conf->file.switches = n;
    conf->file.lines = 2 * n;
    conf->file.line = line;
}

/* Each link of the circle ends where the next begins, all between switches, none twice. */
static void assert_circle(const struct net *r, const uint32_t *links, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct fabric_link a = fabric_link(r->f, links[i]), b = fabric_link(r->f, links[(i + 1) % n]);
        assert_int_equal(a.to, b.from);
        assert_true(a.from >= fabric_hosts(r->f));
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(links[i], links[j]);
    }
}

TEST(routes_that_could_wait_in_a_circle_are_named)
{
    for (uint32_t n = 2; n < 10; n++) {
        struct fabric_line line[20];
        struct fabric_conf conf = lossless(FABRIC_FILE);
        ring(&conf, line, n);
        struct net *r = net_make(&conf);
        uint32_t links[20], found = fabric_cycle(r->f, links, 20);
        assert_int_equal(found, n < 4 ? 0 : n); /* in a ring of three all are neighbours */
        assert_circle(r, links, found);
        net_free(r);
    }
}

/* A fat tree as others would describe it, line by line: up, then down, and no circle. */
TEST(a_tree_has_no_circle_however_it_is_described)
{
    struct fabric_conf conf = lossless(FABRIC_FAT_TREE);
    struct net *tree = net_make(&conf);
    struct fabric_line *line = calloc(fabric_links(tree->f), sizeof *line);
    conf = lossless(FABRIC_FILE);
    for (uint32_t l = 0; l < fabric_links(tree->f); l++) {
        struct fabric_link i = fabric_link(tree->f, l);
        if (i.from < i.to)
            line[conf.file.lines++] = (struct fabric_line){i.from, i.to, i.rate, i.delay};
    }
    assert_int_equal(fabric_cycle(tree->f, NULL, 0), 0);
    conf.file.hosts = fabric_hosts(tree->f);
    conf.file.switches = fabric_nodes(tree->f) - conf.file.hosts;
    conf.file.line = line;
    struct net *file = net_make(&conf);
    assert_int_equal(fabric_cycle(file->f, NULL, 0), 0);
    net_free(file);
    net_free(tree);
    free(line);
}

TEST(a_dragonfly_has_circles_on_its_minimal_routes)
{
    struct fabric_conf conf = lossless(FABRIC_DRAGONFLY);
    struct net *r = net_make(&conf);
    uint32_t links[64], n = fabric_cycle(r->f, links, 64);
    assert_true(n > 2 && n <= 64);
    assert_circle(r, links, n);
    net_free(r);
}

/* Each host of a ring of five (one way round is shorter) sends two switches on: all links fill, and each waits for the
 * next. */
TEST(links_that_wait_for_each_other_end_the_run_and_are_named)
{
    struct fabric_line line[10];
    struct fabric_conf conf = lossless(FABRIC_FILE);
    ring(&conf, line, 5);
    struct net *r = net_make(&conf);
    for (uint32_t h = 0; h < 5; h++) {
        net_connect(r, h, h, (h + 2) % 5);
        for (unsigned i = 0; i < 1000; i++)
            net_offer(r, 0, h, 0, 1000);
    }
    assert_int_equal(net_run(r), FABRIC_DEADLOCK);
    uint32_t links[10], n = fabric_deadlock(r->f, links, 10);
    assert_int_equal(n, 5);
    assert_circle(r, links, n);
    for (uint32_t i = 0; i < n; i++) {
        struct fabric_link l = fabric_link(r->f, links[i]);
        assert_int_equal((l.from - 5 + 1) % 5, l.to - 5); /* the way they sent */
        assert_int_equal(nth(r, FABRIC_RESUMED, links[i], fabric_link_stats(r->f, links[i]).pauses - 1), 0);
    }
    assert_int_equal(net_count(r, FABRIC_DROPPED), 0);
    assert_true(fabric_counts(r->f).in_flight > 0);
    assert_conserved(r->f);
    net_free(r);
}

/* The same ring, less traffic: pauses in a circle that pass. */
TEST(a_circle_that_dissolves_is_no_deadlock)
{
    for (unsigned count = 1; count < 40; count += 3) {
        struct fabric_line line[10];
        struct fabric_conf conf = lossless(FABRIC_FILE);
        ring(&conf, line, 5);
        struct net *r = net_make(&conf);
        for (uint32_t h = 0; h < 5; h++) {
            net_connect(r, h, h, (h + 2) % 5);
            for (unsigned i = 0; i < count; i++)
                net_offer(r, h * 100 * US, h, 0, 1000); /* one after the other */
        }
        assert_int_equal(net_run(r), FABRIC_IDLE);
        assert_int_equal(r->seens, 5 * count);
        assert_int_equal(fabric_deadlock(r->f, NULL, 0), 0);
        net_free(r);
    }
}
