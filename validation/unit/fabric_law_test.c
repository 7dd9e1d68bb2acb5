/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Laws that hold in every packet world, in worlds drawn by lot: packets are conserved, the order of insertion changes
 * nothing, both ways a queue works are one, the clock never goes back.
 *
 *   fabric_law_test [SEED]      all seeds, or that one */
#include "fabric_rig.h"

#include <stdio.h>

static uint64_t first = 1, last = 150;
static const char *program;

struct lot {
    uint64_t seed, n;
};

static uint64_t draw(struct lot *l, uint64_t below)
{
    return channel_draw(l->seed, l->n++) % below;
}

static struct fabric_line line[64];

static uint8_t own_ports[12];

/* A tree of switches and some more lines; hosts of one to three ports. */
static void described(struct lot *l, struct fabric_conf *conf)
{
    uint32_t hosts = 2 + (uint32_t)draw(l, 10), switches = 1 + (uint32_t)draw(l, 8), n = 0;
    for (uint32_t i = 0; i < hosts + switches - 1; i++) {
        uint32_t a = i < hosts ? i : i + 1,
                 b = i < hosts ? (uint32_t)draw(l, switches) : (uint32_t)draw(l, a - hosts);
        line[n++] = (struct fabric_line){a, hosts + b, (10 + draw(l, 90)) * GBPS, draw(l, 2 * US)};
    }
    for (uint32_t i = 0; i < hosts; i++) {
        own_ports[i] = (uint8_t)(1 + draw(l, 3));
        for (uint32_t p = 1; p < own_ports[i]; p++)
            line[n++] = (struct fabric_line){i, hosts + (uint32_t)draw(l, switches), 100 * GBPS, draw(l, US)};
    }
    for (uint64_t more = switches > 1 ? draw(l, 20) : 0; more--; n++) {
        uint32_t a = (uint32_t)draw(l, switches), b = (a + 1 + (uint32_t)draw(l, switches - 1)) % switches;
        line[n] = (struct fabric_line){hosts + a, hosts + b, 100 * GBPS, draw(l, US)};
    }
    conf->file.hosts = hosts;
    conf->file.switches = switches;
    conf->file.lines = n;
    conf->file.ports = 3;
    conf->file.own_ports = own_ports;
    conf->file.line = line;
}

/* What a switch may do to a packet. */
static void treatment(struct lot *l, struct fabric_conf *conf)
{
    uint64_t how = draw(l, 6);
    conf->buffer = how == 3 ? 1 << 17 : 1000 + draw(l, 30000);
    conf->ecn_threshold = draw(l, 2) ? draw(l, 20000) : 0;
    conf->shared = how == 1;
    conf->alpha = 0.1 + (double)draw(l, 40) / 10;
    conf->trim = how == 2;
    conf->trimmed = HEADER;
    if (how == 3) {
        conf->pfc.on = true;
        conf->pfc.xoff = 1 + draw(l, 5000);
        conf->pfc.xon = draw(l, conf->pfc.xoff);
        conf->pfc.headroom = 110000; /* of 400 Gb/s, 1 us */
    }
    if (how == 4) {
        conf->ecn_threshold = 0;
        conf->red.kmin = 500;
        conf->red.kmax = 500 + draw(l, 20000);
        conf->red.pmax = 0.3;
    }
}

static struct fabric_conf world(struct lot *l)
{
    static const enum fabric_kind kinds[] = {FABRIC_LINK,      FABRIC_STAR, FABRIC_FAT_TREE,
                                             FABRIC_DRAGONFLY, FABRIC_FILE, FABRIC_PLANES};
    struct fabric_conf conf = fabric_conf_of(kinds[draw(l, 6)]);
    conf.mtu = 1500;
    conf.framing = draw(l, 2) ? FABRIC_ETHERNET : 0;
    conf.delay = draw(l, 3) * 500 * NS;
    conf.rate = (50 + draw(l, 51)) * GBPS;
    conf.routing = (enum fabric_routing)draw(l, FABRIC_ROUTINGS);
    conf.ports = conf.planes.count = 1 + (uint32_t)draw(l, 3);
    conf.adaptive.quantum = 1 + draw(l, 3000);
    conf.adaptive.sticky = draw(l, 2) ? draw(l, 20000) : FABRIC_NOT_STICKY;
    conf.seed = l->seed;
    conf.packet_head = 24;
    conf.fat_tree.oversubscription = 1 + (double)draw(l, 3);
    if (conf.kind == FABRIC_FILE)
        described(l, &conf);
    treatment(l, &conf);
    return conf;
}

static void impair(struct lot *l, struct fabric_conf *conf)
{
    if (draw(l, 2))
        return;
    conf->channel.loss = (double)draw(l, 10) / 50;
    conf->channel.duplicate = (double)draw(l, 10) / 50;
    conf->channel.corrupt = (double)draw(l, 10) / 50;
    conf->channel.reorder.probability = (double)draw(l, 10) / 50;
    conf->channel.reorder.delay = 1 + draw(l, 5 * US);
    conf->channel.jitter = draw(l, 2) ? draw(l, 100 * NS) : 0;
    conf->data = draw(l, 4) > 0;
    conf->acks = draw(l, 4) > 0;
}

/* Up to 20 changes of any links; or, as often, none. */
static void change(struct lot *l, struct fabric_conf *conf)
{
    static struct fabric_change x[20];
    const struct fabric_conf *c = conf;
    uint32_t links = fabric_topology_of(c)->extent(c).ports;
    iw_time at = 0;
    conf->changes = conf->pfc.on || draw(l, 2) ? 0 : 1 + (uint32_t)draw(l, 20);
    conf->change = x;
    conf->reroute_after = draw(l, 3) ? draw(l, 8 * US) : IW_NEVER;
    for (uint32_t i = 0; i < conf->changes; i++)
        x[i] = (struct fabric_change){at += draw(l, 2 * US), (uint32_t)draw(l, links),
                                      (enum fabric_change_kind)draw(l, 3), (10 + draw(l, 90)) * GBPS};
}

/* The connection and packets of the i-th of `of`, in an order that `turn` decides; content does not depend on it. */
static void offer_all(struct net *r, uint64_t seed, uint32_t turn)
{
    uint32_t hosts = fabric_hosts(r->f), of = 8;
    for (uint32_t i = 0; i < of; i++) {
        uint32_t c = (i * 5 + turn * 3) % of; /* 5 is prime to 8 */
        struct lot l = {seed + 1000003, c * 1000};
        uint32_t from = (uint32_t)draw(&l, hosts), to = (from + 1 + (uint32_t)draw(&l, hosts - 1)) % hosts;
        net_connect(r, c, from, to);
    }
    for (uint32_t h = 0; h < hosts; h++) /* of one host, always in one order */
        for (uint32_t c = 0; c < of; c++)
            for (uint8_t d = 0; d < 2; d++) {
                struct lot l = {seed + 2000003, (c * 2 + d) * 1000};
                iw_time start = draw(&l, 3) * US;
                for (uint64_t n = draw(&l, 60); n-- && (d ? r->ends[c].to : r->ends[c].from) == h;) {
                    struct offer *o = net_offer(r, start, c, d, (uint32_t)(64 + draw(&l, 5) * 359));
                    o->protocol = c % 2 ? IP_PROTOCOL_TCP : IP_PROTOCOL_EXPERIMENT;
                    o->ecn = c % 3 ? IP_ECT_0 : IP_NOT_ECT;
                    o->head = 24;
                    o->entropy = (uint16_t)(o->number % 5);
                    o->octets[12] = 5 << 4;
                }
            }
}

static void kick_all(struct net *r, uint32_t turn)
{
    uint32_t hosts = fabric_hosts(r->f);
    for (uint32_t h = 0; h < hosts; h++)
        fabric_kick(r->f, (h + turn) % hosts);
    fabric_impair(r->f);
}

static void assert_same_runs(const struct net *a, const struct net *b)
{
    assert_int_equal(a->seens, b->seens);
    assert_memory_equal(a->seen, b->seen, a->seens * sizeof *a->seen);
    for (uint32_t l = 0; l < fabric_links(a->f); l++) {
        struct fabric_link_stats x = fabric_link_stats(a->f, l), y = fabric_link_stats(b->f, l);
        assert_int_equal(x.octets, y.octets);
        assert_int_equal(x.drops, y.drops);
        assert_int_equal(x.marks, y.marks);
        assert_int_equal(x.queue_peak, y.queue_peak);
        double apart = x.queue_mean - y.queue_mean; /* summed in another order */
        assert_true(apart <= 1e-6 * x.queue_mean && -apart <= 1e-6 * x.queue_mean);
    }
}

/* ---- the laws of one seed ---- */

static void packets_are_conserved(uint64_t seed)
{
    struct lot l = {seed, 0};
    struct fabric_conf conf = world(&l);
    impair(&l, &conf);
    change(&l, &conf);
    struct net *r = net_make(&conf);
    offer_all(r, seed, 0);
    kick_all(r, 0);
    enum fabric_end end = FABRIC_UNTIL;
    for (iw_time t = 0; end == FABRIC_UNTIL; t += 1 + draw(&l, US)) {
        iw_time before = fabric_now(r->f);
        end = fabric_run(r->f, t);
        assert_true(fabric_now(r->f) >= before);
        assert_conserved(r->f);
    }
    assert_true(end == FABRIC_IDLE || (end == FABRIC_DEADLOCK && conf.pfc.on));
    struct fabric_counts c = fabric_counts(r->f);
    assert_true(c.in_flight == 0 || end == FABRIC_DEADLOCK || conf.changes); /* what waits for ever */
    assert_int_equal(c.delivered, r->seens);
    assert_int_equal(c.dropped, net_count(r, FABRIC_DROPPED));
    assert_int_equal(c.lost, net_count(r, FABRIC_LOST));
    assert_int_equal(c.failed, net_count(r, FABRIC_FAILED));
    assert_true(!conf.pfc.on || !c.dropped);
    uint64_t hops = 0;
    for (uint32_t link = 0; link < fabric_links(r->f); link++)
        hops += fabric_link_stats(r->f, link).packets;
    assert_true(hops == c.hops || end == FABRIC_DEADLOCK);
    for (size_t i = 1; i < r->seens; i++)
        assert_true(r->seen[i].at >= r->seen[i - 1].at);
    net_free(r);
}

static void the_order_of_insertion_changes_nothing(uint64_t seed)
{
    struct net *r[3];
    for (uint32_t turn = 0; turn < 3; turn++) {
        struct lot l = {seed, 0};
        struct fabric_conf conf = world(&l);
        impair(&l, &conf);
        change(&l, &conf);
        r[turn] = net_make(&conf);
        offer_all(r[turn], seed, turn);
        kick_all(r[turn], turn);
        fabric_run(r[turn]->f, IW_NEVER);
        assert_same_runs(r[0], r[turn]);
        assert_int_equal(r[0]->tolds, r[turn]->tolds);
        assert_memory_equal(r[0]->told, r[turn]->told, r[0]->tolds * sizeof *r[0]->told);
    }
    for (uint32_t turn = 0; turn < 3; turn++)
        net_free(r[turn]);
}

/* A world that could trim TCP's packets, which none is, has queues whose departures are events. */
static void both_ways_a_queue_works_are_one(uint64_t seed)
{
    struct net *r[2];
    for (int by_event = 0; by_event < 2; by_event++) {
        struct lot l = {seed, 0};
        struct fabric_conf conf = world(&l);
        impair(&l, &conf);
        conf.shared = false;
        conf.pfc.on = false;
        conf.trim = by_event;
        r[by_event] = net_make(&conf);
        offer_all(r[by_event], seed, 0);
        for (uint32_t h = 0; h < fabric_hosts(r[by_event]->f); h++)
            for (size_t i = 0; i < r[by_event]->toy[h].offers; i++)
                r[by_event]->toy[h].offer[i].protocol = IP_PROTOCOL_TCP;
        kick_all(r[by_event], 0);
    }
    for (iw_time t = US; t < 20 * US; t += 3 * US) { /* with packets that wait */
        fabric_run(r[0]->f, t);
        fabric_run(r[1]->f, t);
        assert_same_runs(r[0], r[1]);
    }
    fabric_run(r[0]->f, IW_NEVER);
    fabric_run(r[1]->f, IW_NEVER);
    assert_same_runs(r[0], r[1]);
    net_free(r[0]);
    net_free(r[1]);
}

/* ---- all seeds ---- */

static void hold(void (*law)(uint64_t seed))
{
    for (uint64_t seed = first; seed <= last; seed++) {
        print_message("\r%s %llu ", program, (unsigned long long)seed);
        law(seed);
    }
    print_message("\n");
}

TEST(packets_are_conserved_in_every_world)
{
    hold(packets_are_conserved);
}

TEST(in_no_world_the_order_of_insertion_changes_anything)
{
    hold(the_order_of_insertion_changes_nothing);
}

TEST(in_every_world_both_ways_a_queue_works_are_one)
{
    hold(both_ways_a_queue_works_are_one);
}

int main(int argc, char **argv)
{
    program = argv[0];
    last = getenv("IWARPSIM_NIGHTLY") ? 5000 : last;
    if (argc > 1)
        first = last = strtoull(argv[1], NULL, 10);
    return test_run();
}
