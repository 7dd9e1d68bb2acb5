/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A network in parts that run by themselves for a window: every host hears the same packets at the same times, and every
 * link counts the same, however many parts there are, and whoever stands still in between. */
#include "fabric_rig.h"

enum { HOSTS_MAX = 64, EACH = 40, SEEN_MAX = 4096, LINKS_MAX = 1024, HALTS_EACH = 5 /* packets */ };

#define END (1000 * MS) /* of a timer that nothing waits for */

struct heard {
    iw_time at;
    uint32_t connection, number;
    uint8_t ecn;
};

struct talker {
    struct world *world;
    uint32_t connection, given;
    struct heard seen[SEEN_MAX];
    size_t seens;
};

struct halt {
    struct fabric_key key;
    uint32_t host;
};

struct world {
    struct fabric *f;
    void *memory, *chunk[4096];
    size_t chunks;
    struct talker *host;
    struct fabric_link_stats link[LINKS_MAX];
    struct halt halt[HOSTS_MAX]; /* of a window, by its key */
    uint32_t halts, windows;
};

static bool is_before(const struct fabric_key *a, const struct fabric_key *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void stand_still(struct world *w, uint32_t host)
{
    struct halt halt = {fabric_key(w->f, fabric_part_of(w->f, host)), host};
    uint32_t i = w->halts++;
    for (; i && is_before(&halt.key, &w->halt[i - 1].key); i--)
        w->halt[i] = w->halt[i - 1];
    w->halt[i] = halt;
    fabric_halt(w->f, host);
}

/* What they left undone. */
static void resume(struct world *w)
{
    for (uint32_t i = 0; i < w->halts; i++) {
        assert_int_equal(fabric_run_before(w->f, w->halt[i].key), FABRIC_UNTIL);
        fabric_resume(w->f, w->halt[i].key, w->halt[i].host);
    }
    w->halts = 0;
}

static bool gives(void *host, iw_time now, struct ip_packet *out)
{
    static uint8_t octets[64];
    struct talker *t = host;
    (void)now;
    if (t->given == EACH)
        return false;
    *out = (struct ip_packet){.size = t->given % 3 ? 1500 : 200,
                              .connection = t->connection,
                              .protocol = IP_PROTOCOL_TCP,
                              .ecn = IP_ECT_0,
                              .head = sizeof octets,
                              .number = t->given++,
                              .octets = octets};
    return true;
}

static void hears(void *host, iw_time now, const struct ip_packet *in)
{
    struct talker *t = host;
    assert_true(t->seens < SEEN_MAX);
    t->seen[t->seens++] = (struct heard){now, in->connection, in->number, in->ecn};
    if (fabric_is_ahead(t->world->f) && in->number % HALTS_EACH == 0)
        stand_still(t->world, (uint32_t)(t - t->world->host));
}

static iw_time waits(const void *host)
{
    (void)host;
    return IW_NEVER;
}

static void wakes(void *host, iw_time now)
{
    (void)host, (void)now;
}

static const struct fabric_host talkers = {gives, hears, waits, wakes};

static void *more(void *user, size_t octets)
{
    struct world *w = user;
    assert_true(w->chunks < sizeof w->chunk / sizeof *w->chunk);
    return w->chunk[w->chunks++] = malloc(octets);
}

static void rings(void *user, iw_time now, uint32_t timer)
{
    (void)user, (void)now, (void)timer;
}

static void take_turns(struct fabric *f, uint32_t parts, enum fabric_turns turns)
{
    assert_true(fabric_is_ahead(f));
    for (uint32_t i = 0; i < parts; i++)
        fabric_ahead(f, i, turns);
}

/* Window after window, one part after the other; parts 0: event by event. */
static void run_windows(struct world *w, uint32_t parts)
{
    struct fabric *f = w->f;
    iw_time now, reach = fabric_lookahead(f), window = fabric_window_max(f);
    assert_int_equal(window, 2 * reach);
    assert_int_equal(fabric_run_before(f, (struct fabric_key){1, 0}), FABRIC_UNTIL);
    while ((now = fabric_deadline(f)) < END) {
        iw_time watch = fabric_next_of_all(f), end = now + (watch < now + window ? reach : window);
        if (watch >= end) {
            fabric_begin_ahead(f, end);
            fabric_halt(f, w->windows++ % fabric_hosts(f));
            take_turns(f, parts, FABRIC_SWITCHES);
            take_turns(f, parts, FABRIC_HOSTS);
            fabric_hear_ahead(f);
            resume(w);
            assert_int_equal(fabric_run_before(f, (struct fabric_key){end, 0}), FABRIC_UNTIL);
            fabric_go_ahead(f);
            take_turns(f, parts, FABRIC_FOLLOW);
            take_turns(f, parts, FABRIC_SETTLE);
            fabric_end_ahead(f);
        }
        assert_int_equal(fabric_run_before(f, (struct fabric_key){end, 0}), FABRIC_UNTIL);
    }
}

static struct world *play(struct fabric_conf conf, uint32_t parts)
{
    struct world *w = calloc(1, sizeof *w);
    void *user[HOSTS_MAX];
    conf.user = w;
    conf.more = more;
    conf.timers = 1;
    conf.timer = rings;
    w->memory = malloc(fabric_size(&conf));
    w->f = fabric_init(w->memory, &conf);
    assert_non_null(w->f);
    uint32_t hosts = fabric_hosts(w->f);
    w->host = calloc(hosts, sizeof *w->host);
    for (uint32_t h = 0; h < hosts; h++) {
        w->host[h].connection = h;
        w->host[h].world = w;
        fabric_attach(w->f, h, &talkers, &w->host[h]);
    }
    for (uint32_t i = 0; i < parts; i++)
        user[i] = w;
    if (parts)
        assert_int_equal(fabric_cut(w->f, parts, user), 0);
    for (uint32_t h = 0; h < hosts; h++) /* half of them converge on host 0 */
        assert_int_equal(fabric_connect(w->f, h, h, h % 2 ? 0 : (h + hosts / 2 + 1) % hosts), 0);
    fabric_impair(w->f);
    fabric_at(w->f, 0, END);
    for (uint32_t h = 0; h < hosts; h++)
        fabric_kick(w->f, h);
    if (parts)
        run_windows(w, parts);
    fabric_run(w->f, END - 1); /* its time is that of the links' counts */
    for (uint32_t i = 0; i < fabric_links(w->f); i++)
        w->link[i] = fabric_link_stats(w->f, i);
    return w;
}

static void free_world(struct world *w)
{
    for (size_t i = 0; i < w->chunks; i++)
        free(w->chunk[i]);
    free(w->host);
    free(w->memory);
    free(w);
}

static void compare(const struct world *a, const struct world *b)
{
    for (uint32_t h = 0; h < fabric_hosts(a->f); h++) {
        assert_int_equal(a->host[h].seens, b->host[h].seens);
        for (size_t i = 0; i < a->host[h].seens; i++) {
            assert_int_equal(a->host[h].seen[i].at, b->host[h].seen[i].at);
            assert_int_equal(a->host[h].seen[i].connection, b->host[h].seen[i].connection);
            assert_int_equal(a->host[h].seen[i].number, b->host[h].seen[i].number);
            assert_int_equal(a->host[h].seen[i].ecn, b->host[h].seen[i].ecn);
        }
    }
    for (uint32_t i = 0; i < fabric_links(a->f); i++) {
        assert_int_equal(a->link[i].packets, b->link[i].packets);
        assert_int_equal(a->link[i].drops, b->link[i].drops);
        assert_int_equal(a->link[i].marks, b->link[i].marks);
        assert_int_equal(a->link[i].lost, b->link[i].lost);
        assert_int_equal(a->link[i].failed, b->link[i].failed);
        assert_int_equal(a->link[i].queue_peak, b->link[i].queue_peak);
        assert_int_equal(a->link[i].pauses, b->link[i].pauses);
    }
}

enum { DEAD = 16, CHANGES = 3 * DEAD };

/* Every third link fails for a while and is slower behind that, one after the other. */
static void break_links(struct fabric_conf *c)
{
    static struct fabric_change x[CHANGES];
    for (uint32_t i = 0; i < DEAD; i++) {
        x[i] = (struct fabric_change){(2 + i / 4) * US, 3 * i + 10, FABRIC_GOES_DOWN, 0};
        x[DEAD + i] = (struct fabric_change){(6 + i) * US, 3 * i + 10, FABRIC_GOES_UP, 0};
        x[2 * DEAD + i] = (struct fabric_change){(22 + i) * US, 3 * i + 10, FABRIC_GETS_RATE, 40 * GBPS};
    }
    c->change = x;
    c->changes = CHANGES;
    c->reroute_after = 2 * US;
}

/* What is asked of each network: nothing, a bad channel, marks and drops, pauses, shared buffers, links that fail. */
static struct fabric_conf asked(enum fabric_kind kind, int i)
{
    struct fabric_conf c = fabric_conf_of(kind);
    c.connections = HOSTS_MAX;
    c.mtu = 1500;
    c.routing = (enum fabric_routing)(i % FABRIC_ROUTINGS);
    c.adaptive.sticky = 4000;
    if (i == 1)
        c.channel = (struct channel_conf){.loss = 0.05,
                                          .duplicate = 0.05,
                                          .reorder = {.probability = 0.2, .displacement = 5},
                                          .jitter = 3 * US};
    if (i == 2) {
        c.buffer = 16000;
        c.ecn_threshold = 6000;
    }
    if (i == 3) {
        c.pfc.on = true;
        c.pfc.xoff = 4000;
        c.pfc.xon = 2000;
        c.pfc.headroom = fabric_headroom(c.rate, c.delay, c.mtu, c.framing);
    }
    if (i == 4) {
        c.buffer = 64000;
        c.shared = true;
        c.alpha = 0.5;
        c.channel.jitter = US;
    }
    if (i == 5)
        break_links(&c);
    return c;
}

TEST(parts_hear_and_count_the_same)
{
    static const enum fabric_kind kinds[] = {FABRIC_FAT_TREE, FABRIC_DRAGONFLY, FABRIC_PLANES};
    uint64_t lost = 0, dropped = 0, marked = 0, paused = 0, failed = 0;
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int i = 0; i < 6; i++) {
            struct fabric_conf conf = asked(kinds[k], i);
            struct world *whole = play(conf, 0);
            uint32_t most = fabric_parts_max(whole->f);
            assert_true(most > 2);
            for (uint32_t parts = 1; parts <= most; parts++) {
                struct world *cut = play(conf, parts);
                compare(whole, cut);
                free_world(cut);
            }
            for (uint32_t l = 0; l < fabric_links(whole->f); l++) {
                lost += whole->link[l].lost;
                dropped += whole->link[l].drops;
                marked += whole->link[l].marks;
                paused += whole->link[l].pauses;
                failed += whole->link[l].failed;
            }
            free_world(whole);
        }
    assert_true(lost && dropped && marked && paused && failed);
}

TEST(what_cannot_be_cut_is_refused)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_STAR);
    struct net *star = net_make(&conf);
    void *user[8] = {NULL};
    assert_int_equal(fabric_parts_max(star->f), 1);
    assert_int_equal(fabric_cut(star->f, 2, user), -1);
    net_free(star);
    conf = fabric_conf_of(FABRIC_LINK);
    conf.delay = 0;
    struct net *near = net_make(&conf);
    assert_int_equal(fabric_parts_max(near->f), 2);
    assert_int_equal(fabric_lookahead(near->f), 0);
    assert_int_equal(fabric_cut(near->f, 2, user), -1);
    net_free(near);
}
