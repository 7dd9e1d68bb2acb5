/* SPDX-License-Identifier: GPL-2.0-or-later */
/* law_tcp.c -- TCP under loss, reordering, duplication: every octet once and in order, no deadlock, both sides end, nothing
 * is repeated without a reason; whatever the congestion control, the loss detection, the window, the numbers.
 *
 * Side A's congestion control and loss detection take turns, seed by seed; side B's are drawn. So of 100,000 seeds each of
 * the eight pairs has 12,500. Nothing is lost on a clean path: there 10,000 seeds do for six pairs. */
#include <string.h>

#include "law.h"
#include "tcp_link.h"

#define US ((iw_time)1000000)
#define S  (1000000 * US)

/* ---- what a seed draws ---- */

struct way {
    uint64_t total, appended;
    uint32_t record_max; /* 0: full segments */
    bool closes_late;    /* only after the peer's FIN */
    bool hears_all; /* closes when all is acknowledged: what came twice is told before the FIN is answered */
    bool closed, fin;
    bool down;
};

struct talk {
    struct way way[2];
    struct draw lot;
    uint32_t refuse; /* percent */
    uint64_t refused_data, spurious, retransmits, tlp;
};

static struct channel_conf draw_channel(struct draw *d, bool reorders)
{
    static const double rates[] = {0, 0, 0.002, 0.01, 0.05, 0.2};
    struct channel_conf c = {.loss = rates[draw_below(d, 6)]};
    if (reorders) {
        c.duplicate = rates[draw_below(d, 5)];
        c.reorder.probability = rates[draw_below(d, 6)];
        c.reorder.delay = draw_from(d, 1, 60) * US;
        c.jitter = draw_chance(d, 20) ? draw_from(d, 1, 5) * US : 0;
    }
    return c;
}

static uint32_t draw_iss(struct draw *d)
{
    return draw_chance(d, 60) ? 0u - draw_from(d, 0, 40000) : (uint32_t)draw_bits(d);
}

static void draw_end(struct draw *d, struct tcp_conf *c, bool notes, uint16_t mtu)
{
    tcp_defaults(c);
    c->mtu = draw_chance(d, 80) ? mtu : (uint16_t)draw_from(d, 576, mtu);
    c->iss = draw_iss(d);
    c->note_max = notes ? 8 : 0;
    c->congestion = tcp_congestions[draw_below(d, TCP_CONGESTIONS)];
    c->detection = tcp_detections[draw_below(d, TCP_DETECTIONS)];
    c->dupack_threshold = (uint16_t)(draw_chance(d, 70) ? 3 : draw_from(d, 1, 20));
    c->fixed_window = draw_from(d, 1, 300) * 1000;
    c->window_shift = (uint8_t)draw_below(d, 9);
    c->ecn = draw_chance(d, 50);
    c->timestamps = draw_chance(d, 30);
    c->pacing = draw_chance(d, 20);
    c->idle_restart = draw_chance(d, 20);
    c->delayed_ack = (uint8_t)draw_from(d, 1, 4);
    c->delayed_ack_timeout = draw_from(d, 1, 50) * US;
    c->min_rto = draw_from(d, 100, 2000) * US;
    c->initial_rto = c->min_rto + draw_below(d, 3000) * US;
    c->max_rto = 100000 * US;
    c->msl = 5 * S; /* the last acknowledgement may be lost often */
    c->retries = c->syn_retries = 200;
    c->initial_window = draw_below(d, 12);
    c->records = 4u << draw_below(d, 4);
    c->store = 0;
    c->ranges = draw_chance(d, 70) ? 1u << draw_below(d, 5) : 0;
}

/* The seed's turn among the pairs of all loss detections and all congestion controls, those with a fixed window if `fixed`. */
static void take_turn(struct tcp_conf *c, uint64_t seed, bool fixed)
{
    const struct tcp_congestion *some[TCP_CONGESTIONS];
    uint32_t n = 0;
    for (int i = 0; i < TCP_CONGESTIONS; i++)
        if (fixed || !tcp_congestions[i]->fixed)
            some[n++] = tcp_congestions[i];
    c->congestion = some[seed % n];
    c->detection = tcp_detections[seed / n % TCP_DETECTIONS];
}

static struct tcp_link_conf draw_link(struct draw *d, uint64_t seed, bool reorders)
{
    struct tcp_link_conf l = {
        .connections = 1, .rate = 1000000000u * (uint64_t)draw_from(d, 1, 100), .seed = seed};
    bool notes = draw_chance(d, 40), go_back = draw_chance(d, 20);
    uint16_t mtu = (uint16_t)(draw_chance(d, 50) ? 1500 : draw_from(d, 576, 9000));
    l.delay = draw_from(d, 1, 100) * US;
    l.small_ranges = draw_chance(d, 20);
    l.from_start = draw_chance(d, 70);
    for (int i = 0; i < 2; i++) {
        l.channel[i] = draw_channel(d, reorders && !go_back);
        draw_end(d, &l.end[i], notes, mtu);
        l.end[i].go_back_n = go_back;
    }
    take_turn(&l.end[0], seed, true);
    return l;
}

/* ---- the talk ---- */

static void pull(void *user, struct tcp_link *l, uint32_t c, int side, iw_time now)
{
    struct talk *k = user;
    struct way *w = &k->way[side];
    struct tcp *t = tcp_link_end(l, c, side);
    if (tcp_state(t) < TCP_ESTABLISHED)
        return;
    while (w->appended < w->total && tcp_unsent(t) < 20000) {
        uint32_t top = w->record_max ? w->record_max : tcp_mss(t);
        uint32_t len = w->record_max ? draw_from(&k->lot, 1, top) : top;
        len = (uint32_t)(len > w->total - w->appended ? w->total - w->appended : len);
        if (!tcp_link_append(l, c, side, len))
            break;
        w->appended += len;
    }
    if (w->appended == w->total && !w->closed && (!w->closes_late || k->way[side].fin) &&
        (!w->hears_all || tcp_acked(t) == w->total) && tcp_close(t, now) == IW_OK)
        w->closed = true;
}

static bool take(void *user, struct tcp_link *l, uint32_t c, int side, iw_time now,
                 const struct tcp_segment *s)
{
    struct talk *k = user;
    (void)l, (void)c, (void)side, (void)now, (void)s;
    return !k->refuse || !draw_chance(&k->lot, k->refuse);
}

static void hear(void *user, struct tcp_link *l, uint32_t c, int side, iw_time now, const struct tcp_event *e)
{
    struct talk *k = user;
    (void)l, (void)c, (void)now;
    law(e->kind != TCP_EV_RESET && e->kind != TCP_EV_LOST && e->kind != TCP_EV_REFUSED, "side %d: event %d",
        side, e->kind);
    k->way[side].fin |= e->kind == TCP_EV_FIN;
    if (e->kind == TCP_EV_DOWN) {
        law(!k->way[side].down, "down twice");
        k->way[side].down = true;
    }
}

static const struct tcp_link_user user_of_talk = {.pull = pull, .take = take, .event = hear};

static struct talk talk;

static struct tcp_link *open_talk(struct draw *d, const struct tcp_link_conf *conf, uint64_t most)
{
    struct tcp_link_user user = user_of_talk;
    bool late = draw_chance(d, 50);
    talk = (struct talk){.lot = draw_start(conf->seed, 0x7a17),
                         .refuse = draw_chance(d, 20) ? draw_from(d, 1, 10) : 0};
    for (int i = 0; i < 2; i++) {
        talk.way[i].total = draw_chance(d, 20) ? 0 : draw_below(d, (uint32_t)most);
        talk.way[i].record_max = draw_chance(d, 50) ? 0 : draw_from(d, 1, 3000);
        if (talk.way[i].record_max && talk.way[i].record_max < 50)
            talk.way[i].total %= 5000;
        if (talk.way[i].record_max && conf->small_ranges) /* perhaps one record in a timeout */
            talk.way[i].total %= 1000 * (uint64_t)talk.way[i].record_max;
    }
    talk.way[0].closes_late = late && draw_chance(d, 50);
    talk.way[1].closes_late = late && !talk.way[0].closes_late;
    user.user = &talk;
    struct tcp_link *l = tcp_link_new(conf, &user);
    for (int i = 0; i < 2; i++)
        tcp_link_window(l, 0, i, draw_chance(d, 30) ? draw_from(d, 3000, 60000) : 1000000);
    return l;
}

static bool is_over(struct tcp_link *l)
{
    for (int i = 0; i < 2; i++)
        if (tcp_state(tcp_link_end(l, 0, i)) != TCP_CLOSED &&
            tcp_state(tcp_link_end(l, 0, i)) != TCP_TIME_WAIT)
            return false;
    return true;
}

static void run_talk(struct tcp_link *l, iw_time patience)
{
    law(tcp_link_connect(l, patience), "not established");
    tcp_link_kick(l, 0, 0);
    tcp_link_kick(l, 0, 1);
    while (!is_over(l)) {
        law(tcp_link_step(l), "nothing will ever happen again: states %d %d",
            tcp_state(tcp_link_end(l, 0, 0)), tcp_state(tcp_link_end(l, 0, 1)));
        law(tcp_link_now(l) < patience, "no end: states %d %d, %llu of %llu, %llu of %llu",
            tcp_state(tcp_link_end(l, 0, 0)), tcp_state(tcp_link_end(l, 0, 1)),
            (unsigned long long)tcp_received(tcp_link_end(l, 0, 1)), (unsigned long long)talk.way[0].total,
            (unsigned long long)tcp_received(tcp_link_end(l, 0, 0)), (unsigned long long)talk.way[1].total);
    }
    for (int i = 0; i < 2; i++) {
        struct tcp *t = tcp_link_end(l, 0, i);
        law(tcp_received(t) == talk.way[!i].total, "side %d got %llu of %llu", i,
            (unsigned long long)tcp_received(t), (unsigned long long)talk.way[!i].total);
        law(tcp_acked(t) == talk.way[i].total, "side %d: %llu acknowledged", i,
            (unsigned long long)tcp_acked(t));
        law(talk.way[i].down && talk.way[i].fin, "side %d did not hear of the end", i);
        law(tcp_statistics(t)->reneged == 0, "side %d reneged", !i);
    }
}

static void every_octet_once(uint64_t seed)
{
    struct draw d = draw_start(seed, 0x7c9);
    struct tcp_link_conf conf = draw_link(&d, seed, true);
    struct tcp_link *l = open_talk(&d, &conf, 300000);
    run_talk(l, 2000 * S);
    tcp_link_free(l);
}

/* ---- repetitions ---- */

/* Only data is lost, nothing is reordered: what leaves again was lost, refused, a probe of the tail, or the peer said that it
 * was not needed. A fixed window without timeouts repeats exactly what was lost. */
static void each_repetition_has_its_reason(uint64_t seed)
{
    struct draw d = draw_start(seed, 0x4ea5);
    struct tcp_link_conf conf = draw_link(&d, seed, false);
    conf.from_start = false;
    conf.channel[1] = (struct channel_conf){0};
    for (int i = 0; i < 2; i++) {
        conf.end[i].go_back_n = false;
        conf.end[i].max_rto = 1000000 * US;
    }
    struct tcp_link *l = open_talk(&d, &conf, 400000);
    talk.way[1].total = 0;
    talk.way[0].hears_all = true;
    run_talk(l, 2000 * S);
    const struct tcp_stats *s = tcp_statistics(tcp_link_end(l, 0, 0));
    const struct tcp_link_count *c = tcp_link_count(l, 0, 0), *r = tcp_link_count(l, 0, 1);
    bool crowded =
        talk.way[0].record_max && talk.way[0].record_max < 100; /* answers are longer: not all is told */
    uint64_t needless = crowded ? tcp_statistics(tcp_link_end(l, 0, 1))->duplicates : s->spurious;
    uint64_t gone = c->lost + r->refused, most = gone + s->why[TCP_WHY_TLP] + needless;
    law(s->retransmits <= most, "%llu repeated, %llu lost, %llu refused, %u probes, %u spurious",
        (unsigned long long)s->retransmits, (unsigned long long)c->lost, (unsigned long long)r->refused,
        s->why[TCP_WHY_TLP], s->spurious);
    bool exact = conf.end[0].congestion == &tcp_fixed && !s->timeouts && !s->timeouts_spurious;
    law(!exact || s->retransmits + 0 >= c->data_lost, "%llu repeated, %llu lost",
        (unsigned long long)s->retransmits, (unsigned long long)c->data_lost);
    tcp_link_free(l);
}

/* What is on its way when both have ended arrives, and is counted: TIME-WAIT is longer than any path. */
static void let_all_arrive(struct tcp_link *l)
{
    tcp_link_run(l, tcp_link_now(l) + S);
}

/* A receiver that keeps nothing: each going back repeats at most what was in flight, and one loss is one going back. Only a
 * timer, which may expire while the answers to a repetition are on their way, repeats what the receiver takes. */
static void going_back_repeats_a_flight_at_most(uint64_t seed)
{
    struct draw d = draw_start(seed, 0x60ba);
    struct tcp_link_conf conf = draw_link(&d, seed, false);
    conf.from_start = false;
    conf.channel[1] = (struct channel_conf){0};
    for (int i = 0; i < 2; i++) {
        conf.end[i].go_back_n = true;
        conf.end[i].dupack_threshold = 3;
    }
    struct tcp_link *l = open_talk(&d, &conf, 400000);
    talk.way[1].total = 0;
    talk.refuse = 0;
    run_talk(l, 2000 * S);
    let_all_arrive(l);
    const struct tcp_stats *s = tcp_statistics(tcp_link_end(l, 0, 0));
    const struct tcp_link_count *c = tcp_link_count(l, 0, 0), *r = tcp_link_count(l, 0, 1);
    law(s->gone_back <= c->data_lost, "gone back %u times for %llu losses", s->gone_back,
        (unsigned long long)c->data_lost);
    uint32_t timers = s->timeouts + s->timeouts_spurious;
    uint64_t twice = timers ? tcp_statistics(tcp_link_end(l, 0, 1))->duplicates : 0;
    law(s->retransmits <= c->lost + r->refused + twice, "%llu repeated, %llu lost, %llu refused, %u timeouts",
        (unsigned long long)s->retransmits, (unsigned long long)c->lost, (unsigned long long)r->refused,
        timers);
    tcp_link_free(l);
}

/* ---- the end at any moment ---- */

static unsigned ends_heard;

static void count_ends(void *user, struct tcp_link *l, uint32_t c, int side, iw_time now,
                       const struct tcp_event *e)
{
    (void)user, (void)l, (void)c, (void)now;
    if (e->kind == TCP_EV_RESET || e->kind == TCP_EV_REFUSED || e->kind == TCP_EV_LOST)
        ends_heard |= 1u << side;
}

/* One side aborts in whatever state it is: the other hears of it, and no timer is left. */
static void an_abort_ends_both(uint64_t seed)
{
    struct draw d = draw_start(seed, 0xab0);
    struct tcp_link_conf conf = draw_link(&d, seed, true);
    for (int i = 0; i < 2; i++) {
        conf.channel[i].loss = 0;
        conf.end[i].retries = conf.end[i].syn_retries = 6;
    }
    struct tcp_link_user user = {.user = &talk, .pull = pull, .event = count_ends};
    talk = (struct talk){.lot = draw_start(seed, 0xab1)};
    ends_heard = 0;
    for (int i = 0; i < 2; i++)
        talk.way[i].total = draw_below(&d, 100000);
    struct tcp_link *l = tcp_link_new(&conf, &user);
    int side = (int)draw_below(&d, 2);
    tcp_listen(tcp_link_end(l, 0, 1));
    tcp_connect(tcp_link_end(l, 0, 0), 0);
    tcp_link_kick(l, 0, 0);
    tcp_link_impair(l, true);
    tcp_link_run(l, draw_below(&d, 3000) * US);
    tcp_abort(tcp_link_end(l, 0, side), tcp_link_now(l));
    tcp_link_kick(l, 0, side);
    while (tcp_link_step(l))
        law(tcp_link_now(l) < 1000 * S, "no end: states %d %d", tcp_state(tcp_link_end(l, 0, 0)),
            tcp_state(tcp_link_end(l, 0, 1)));
    for (int i = 0; i < 2; i++) {
        enum tcp_state state = tcp_state(tcp_link_end(l, 0, i));
        law(state == TCP_CLOSED || (i == 1 && state == TCP_LISTEN), "side %d is in state %d", i, state);
        law(tcp_deadline(tcp_link_end(l, 0, i)) == IW_NEVER, "a timer is left");
    }
    tcp_link_free(l);
}

/* ---- a stranger ---- */

/* A segment of somebody who knows the ports and guesses the numbers to some bits: RST, SYN, acknowledgements (RFC 5961). */
static void stranger(struct tcp_link *l, struct draw *d, uint32_t iss[2], int side)
{
    static const uint8_t flags[] = {4, 20, 2, 18, 16, 17};
    uint8_t octets[20];
    struct tcp *t = tcp_link_end(l, 0, side);
    int32_t by = (int32_t)draw_from(d, 1, 1u << draw_from(d, 1, 24));
    by = draw_chance(d, 50) ? -by : by + 20000; /* not where it may be a moment later */
    uint32_t seq = iss[!side] + 1 + (uint32_t)tcp_received(t) + (uint32_t)by;
    uint32_t ack = iss[side] + 1 + (uint32_t)tcp_acked(t) + draw_below(d, 1u << 24) + 0x01000000;
    uint8_t *p = iw_put16(iw_put16(octets, (uint16_t)(1024 + !side)), (uint16_t)(1024 + side));
    p = iw_put16(iw_put32(iw_put32(p, seq), ack), (uint16_t)(0x5000 | flags[draw_below(d, 6)]));
    iw_put32(iw_put16(p, (uint16_t)draw_bits(d)), 0);
    struct ip_packet in = {.size = 40, .protocol = IP_PROTOCOL_TCP, .head = 20, .octets = octets};
    tcp_link_inject(l, 0, side, &in);
}

static void a_stranger_changes_nothing(uint64_t seed)
{
    struct draw d = draw_start(seed, 0x5961);
    struct tcp_link_conf conf = draw_link(&d, seed, true);
    uint32_t iss[2];
    for (int i = 0; i < 2; i++) {
        conf.end[i].note_max = 8;
        conf.end[i].timestamps = false;
        conf.end[i].go_back_n = false;
        iss[i] = conf.end[i].iss;
    }
    struct tcp_link *l = open_talk(&d, &conf, 200000);
    law(tcp_link_connect(l, 1000 * S), "not established");
    tcp_link_kick(l, 0, 0);
    tcp_link_kick(l, 0, 1);
    for (uint32_t i = 0; i < 20000 && !is_over(l); i++) {
        if (draw_chance(&d, 5))
            stranger(l, &d, iss, (int)draw_below(&d, 2));
        law(tcp_link_step(l), "nothing will ever happen again");
    }
    while (!is_over(l))
        law(tcp_link_step(l) && tcp_link_now(l) < 2000 * S, "no end");
    for (int i = 0; i < 2; i++)
        law(tcp_received(tcp_link_end(l, 0, i)) == talk.way[!i].total, "side %d lacks octets", i);
    tcp_link_free(l);
}

/* ---- a clean path ---- */

struct bulk {
    uint64_t left; /* octets to append; UINT64_MAX: no end */
    uint32_t record;
};

static void bulk_pull(void *user, struct tcp_link *l, uint32_t c, int side, iw_time now)
{
    struct bulk *b = user;
    struct tcp *t = tcp_link_end(l, c, side);
    (void)now;
    while (side == 0 && b->left && tcp_state(t) == TCP_ESTABLISHED && tcp_unsent(t) < 2 * tcp_mss(t)) {
        uint32_t len = b->record ? b->record : tcp_mss(t);
        len = len < b->left ? len : (uint32_t)b->left;
        if (!tcp_link_append(l, c, side, len))
            return;
        b->left -= b->left == UINT64_MAX ? 0 : len;
    }
}

static struct tcp_link_conf clean_link(uint64_t rate, iw_time delay, uint16_t mtu, uint64_t seed)
{
    struct tcp_link_conf l = {.connections = 1, .rate = rate, .delay = delay};
    for (int i = 0; i < 2; i++) {
        tcp_defaults(&l.end[i]);
        l.end[i].mtu = mtu;
        l.end[i].note_max = 8;
        take_turn(&l.end[i], seed, false); /* which look for the line */
        l.end[i].window_shift = 14;
        l.end[i].min_rto = 1000 * US;
    }
    return l;
}

static uint32_t rounds_of_doubling(uint64_t to, uint64_t from)
{
    uint32_t rounds = 0;
    for (; from < to; from *= 2)
        rounds++;
    return rounds;
}

/* A window without limits is found by slow start: line rate within 2 ceil(log2(BDP / IW)) + 2 round trips. */
static void line_rate_is_found(uint64_t seed)
{
    static const uint64_t gbps[] = {10, 25, 100, 400};
    static const uint16_t mtus[] = {1500, 4200, 9000};
    struct draw d = draw_start(seed, 0x57a7);
    uint64_t rate = gbps[draw_below(&d, 4)] * 1000000000u;
    iw_time delay = draw_from(&d, 10, draw_chance(&d, 30) ? 1500 : 200) * US;
    uint16_t mtu = mtus[draw_below(&d, 3)];
    struct tcp_link_conf conf = clean_link(rate, delay, mtu, seed);
    struct bulk bulk = {.left = UINT64_MAX};
    struct tcp_link_user user = {.user = &bulk, .pull = bulk_pull};
    for (int i = 0; i < 2; i++)
        conf.end[i].delayed_ack = (uint8_t)draw_from(&d, 1, 2);
    struct tcp_link *l = tcp_link_new(&conf, &user);
    tcp_link_window(l, 0, 1, (uint64_t)1 << 30);
    law(tcp_link_connect(l, S), "not established");
    iw_time rtt = 2 * delay + (iw_time)((double)(mtu + 38 + 78) * 8e12 / (double)rate);
    double bdp = (double)rate / 8 * (double)rtt / 1e12, line;
    uint32_t rounds = 0, bound = 2 + 2 * rounds_of_doubling((uint64_t)bdp, 10 * (mtu - 40u));
    uint64_t had = 0;
    line = (double)rate / 8 * (double)rtt / 1e12 * (mtu - 40) / (mtu + 38);
    iw_time from = tcp_link_now(l) + delay;
    tcp_link_kick(l, 0, 0);
    for (;;) {
        tcp_link_run(l, from + (rounds + 1) * rtt);
        uint64_t got = tcp_received(tcp_link_end(l, 0, 1)) - had;
        had += got;
        law_trace("round %u: %.3f of the line, cwnd %u", rounds, (double)got / line,
                  tcp_statistics(tcp_link_end(l, 0, 0))->cwnd);
        if ((double)got > 0.95 * line)
            break;
        rounds++;
        law(rounds <= bound, "%u round trips, %.3f of the line", rounds, (double)got / line);
    }
    law(tcp_statistics(tcp_link_end(l, 0, 0))->retransmits == 0, "something was repeated");
    tcp_link_free(l);
}

/* A constant window W: W / RTT, or the line. Nothing is repeated, and no timer fires. */
static void a_window_gives_its_rate(uint64_t seed)
{
    struct draw d = draw_start(seed, 0x31d0);
    uint64_t rate = 100000000000u;
    iw_time delay = draw_from(&d, 5, 400) * US;
    uint16_t mtu = draw_chance(&d, 50) ? 1500 : 9000;
    struct tcp_link_conf conf = clean_link(rate, delay, mtu, seed);
    struct bulk bulk = {.left = UINT64_MAX};
    struct tcp_link_user user = {.user = &bulk, .pull = bulk_pull};
    conf.end[1].delayed_ack = 1;
    conf.end[0].window_shift = conf.end[1].window_shift = 7;
    struct tcp_link *l = tcp_link_new(&conf, &user);
    uint32_t mss = mtu - 40u, window = draw_from(&d, 4, 5000 * 1024 / mss) * mss;
    tcp_link_window(l, 0, 1, (window + 127u) & ~127u); /* the unit of the window field */
    law(tcp_link_connect(l, S), "not established");
    tcp_link_kick(l, 0, 0);
    iw_time rtt = 2 * delay + (iw_time)((double)(mtu + 38 + 78) * 8e12 / (double)rate);
    /* Slow start and as much again; then so many rounds that a dozen segments are a hundredth of what arrives. */
    iw_time grown = (4 + 2 * rounds_of_doubling(window, 10 * mss)) * rtt;
    uint64_t bdp = rate / 8000000 * rtt / 1000000, each = window < bdp ? window : bdp;
    iw_time rounds = 1 + 1280 * mss / each;
    rounds = rounds < 100 ? rounds : 100;
    tcp_link_run(l, grown);
    uint64_t had = tcp_acked(tcp_link_end(l, 0, 0));
    tcp_link_run(l, grown + rounds * rtt);
    double got = (double)(tcp_acked(tcp_link_end(l, 0, 0)) - had) * 8e12 / (double)(rounds * rtt);
    double line = (double)rate * mss / (mtu + 38), form = (double)window * 8e12 / (double)rtt;
    form = form < line ? form : line;
    law(got > 0.99 * form && got < 1.01 * form, "%.4f Gb/s instead of %.4f", got / 1e9, form / 1e9);
    const struct tcp_stats *s = tcp_statistics(tcp_link_end(l, 0, 0));
    law(s->retransmits == 0 && s->timeouts == 0 && s->stalls == 0, "something was repeated");
    tcp_link_free(l);
}

int main(int argc, char **argv)
{
    static const struct law laws[] = {
        {"every_octet_once", every_octet_once, 1000, 1},
        {"each_repetition_has_its_reason", each_repetition_has_its_reason, 500, 1},
        {"going_back_repeats_a_flight_at_most", going_back_repeats_a_flight_at_most, 300, 1},
        {"an_abort_ends_both", an_abort_ends_both, 500, 1},
        {"a_stranger_changes_nothing", a_stranger_changes_nothing, 300, 1},
        {"line_rate_is_found", line_rate_is_found, 60, 10},
        {"a_window_gives_its_rate", a_window_gives_its_rate, 40, 10},
    };
    return law_main(argc, argv, laws, sizeof laws / sizeof laws[0]);
}
