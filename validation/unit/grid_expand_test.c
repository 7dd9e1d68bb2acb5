/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a flow to the arrival of each of its segments. */
#include <stdlib.h>
#include <string.h>

#include "simgrid/expand.h"
#include "validation/support/test.h"

enum { PACKETS = 4000, SIZE = 1460, FRAMING = 78 };
#define US      UINT64_C(1000000)
#define LATENCY (3 * US)
#define SPAN    (500 * US)

static const struct grid_path path = {.framing = FRAMING,
                                      .octet = 80000,
                                      .recovery = 20 * US,
                                      .timeout = 1000 * US,
                                      .dupacks = 3,
                                      .patience = UINT64_MAX};

static iw_time on_the_link(void)
{
    return (SIZE + FRAMING) * UINT64_C(80); /* ps at 100 Gb/s */
}

static struct grid_flow flow_of(struct grid_packet *packets, uint32_t from, uint32_t n)
{
    memset(packets, 0, n * sizeof *packets);
    for (uint32_t i = 0; i < n; i++)
        packets[i] = (struct grid_packet){.key = (uint64_t)(from + i) * SIZE, .size = SIZE};
    return (struct grid_flow){
        .start = 7 * US, .end = 7 * US + SPAN, .latency = LATENCY, .n = n, .packet = packets};
}

static struct grid_packet *by_key(struct grid_flow *f, uint64_t key)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (f->packet[i].key == key)
            return &f->packet[i];
    fail_msg("packet %llu is gone", (unsigned long long)key);
    return NULL;
}

/* Three packets must follow a lost one before the sender knows. */
static iw_time told_after(const struct grid_flow *f)
{
    return path.recovery + path.dupacks * (f->end - f->start) / f->n;
}

static iw_time departure(const struct grid_flow *f, uint64_t index)
{
    return f->start + (iw_time)((double)(f->end - f->start) / f->n * (double)(index + 1));
}

static bool near(iw_time a, iw_time b)
{
    return (a > b ? a - b : b - a) <= 2;
}

/* ---- a clear channel ---- */

TEST(packets_share_the_time_of_the_flow)
{
    static struct grid_packet packets[100];
    struct grid_flow f = flow_of(packets, 0, 100);
    struct grid_expanded x = grid_expand(&path, NULL, &f);
    for (uint32_t i = 0; i < 100; i++)
        assert_true(near(packets[i].at, departure(&f, i) + LATENCY));
    assert_true(near(x.last, f.end + LATENCY));
    assert_int_equal(x.lost + x.resends + x.timeouts + x.stall, 0);
}

TEST(a_longer_packet_takes_longer)
{
    struct grid_packet packets[2] = {{.key = 0, .size = 100}, {.key = 100, .size = 900}};
    struct grid_flow f = {.end = 1156 * US, .latency = LATENCY, .n = 2, .packet = packets};
    grid_expand(&path, NULL, &f);
    assert_true(near(packets[0].at, 178 * US + LATENCY));
    assert_true(near(packets[1].at, 1156 * US + LATENCY));
    assert_ptr_equal(packets[0].next, &packets[1]);
    assert_null(packets[1].next);
    assert_int_equal(grid_flow_octets(&path, &f), 1000 + 2 * FRAMING);
}

/* ---- draws ---- */

static const struct channel_conf rough = {.loss = 0.01,
                                          .corrupt = 0.01,
                                          .duplicate = 0.02,
                                          .reorder = {.probability = 0.05, .displacement = 9},
                                          .burst = {.p = 0.002, .r = 0.2, .loss_bad = 0.5}};

TEST(fates_are_those_of_the_channel)
{
    static struct grid_packet packets[PACKETS];
    struct grid_flow f = flow_of(packets, 0, PACKETS);
    struct grid_loss_process w;
    struct channel c;
    uint32_t lost = 0;
    grid_weather_init(&w, &rough, 5, 2, 77, 0);
    channel_init(&c, &rough, 5, 2, 77, 0);
    struct grid_expanded x = grid_expand(&path, &w, &f);
    for (uint32_t i = 0; i < PACKETS; i++) {
        struct channel_fate fate = channel_take(&c, on_the_link());
        const struct grid_packet *p = by_key(&f, (uint64_t)i * SIZE);
        assert_int_equal(fate.duplicated, (p->flags & GRID_DUPLICATED) != 0);
        assert_int_equal(fate.corrupted, (p->flags & GRID_CORRUPTED) != 0);
        assert_int_equal(fate.lost, p->resends > 0);
        assert_int_equal(fate.lost || fate.delay, (p->flags & GRID_LATE) != 0);
        if (!fate.lost)
            assert_true(near(p->at, departure(&f, i) + LATENCY + fate.delay));
        lost += fate.lost;
    }
    assert_in_range(lost, 20, 200);
    assert_in_range(x.lost, lost, lost + 10);
}

/* The same stream in one flow and in forty: how it is cut, and when, enters no draw. */
TEST(fates_do_not_depend_on_how_the_stream_is_cut)
{
    static struct grid_packet whole[PACKETS], part[100];
    struct grid_flow f = flow_of(whole, 0, PACKETS);
    struct grid_loss_process one, many;
    grid_weather_init(&one, &rough, 1, 0, 3, 1);
    grid_weather_init(&many, &rough, 1, 0, 3, 1);
    grid_expand(&path, &one, &f);
    for (uint32_t from = 0; from < PACKETS; from += 100) {
        struct grid_flow g = flow_of(part, from, 100);
        g.start += from * US;
        g.end += from * US + 17;
        grid_expand(&path, &many, &g);
        for (uint32_t i = 0; i < 100; i++) {
            const struct grid_packet *a = by_key(&f, part[i].key), *b = &part[i];
            assert_int_equal(a->flags, b->flags);
            assert_int_equal(a->resends, b->resends);
        }
    }
}

static uint32_t differences(const struct grid_loss_process *w)
{
    static struct grid_packet a[1000], b[1000];
    struct grid_flow f = flow_of(a, 0, 1000), g = flow_of(b, 0, 1000);
    struct grid_loss_process base, other = *w;
    uint32_t n = 0;
    grid_weather_init(&base, &rough, 1, 0, 3, 1);
    grid_expand(&path, &base, &f);
    grid_expand(&path, &other, &g);
    for (uint32_t i = 0; i < 1000; i++)
        n += by_key(&f, (uint64_t)i * SIZE)->flags != by_key(&g, (uint64_t)i * SIZE)->flags;
    return n;
}

TEST(seed_repeat_connection_and_direction_enter_every_draw)
{
    struct grid_loss_process w;
    grid_weather_init(&w, &rough, 1, 0, 3, 1);
    assert_int_equal(differences(&w), 0);
    grid_weather_init(&w, &rough, 2, 0, 3, 1);
    assert_true(differences(&w) > 20);
    grid_weather_init(&w, &rough, 1, 1, 3, 1);
    assert_true(differences(&w) > 20);
    grid_weather_init(&w, &rough, 1, 0, 4, 1);
    assert_true(differences(&w) > 20);
    grid_weather_init(&w, &rough, 1, 0, 3, 0);
    assert_true(differences(&w) > 20);
}

/* ---- loss ---- */

TEST(a_loss_is_recovered_by_what_follows_it_or_by_a_timeout)
{
    static struct grid_packet packets[PACKETS];
    struct channel_conf conf = {.loss = 0.01};
    struct grid_flow f = flow_of(packets, 0, PACKETS);
    struct grid_loss_process w;
    uint32_t told = 0;
    grid_weather_init(&w, &conf, 11, 0, 0, 0);
    struct grid_expanded x = grid_expand(&path, &w, &f);
    for (uint64_t i = 0; i < PACKETS; i++) {
        const struct grid_packet *p = by_key(&f, i * SIZE);
        iw_time clear = departure(&f, i) + LATENCY;
        if (p->resends == 0)
            assert_true(near(p->at, clear));
        else if (p->resends == 1)
            assert_true(near(p->at, clear + told_after(&f)));
        else
            assert_true(
                near(p->at, clear + told_after(&f) + ((UINT64_C(1) << (p->resends - 1)) - 1) * path.timeout));
        told += p->resends > 0;
    }
    assert_in_range(told, 20, 70);
    assert_int_equal(x.timeouts,
                     x.lost - told); /* the first loss of a packet is told, the others are waited for */
    assert_int_equal(x.resends, x.lost);
}

TEST(the_last_packets_are_recovered_by_a_timeout)
{
    struct channel_conf conf = {.loss = 1};
    struct grid_packet packets[5];
    struct grid_flow f = flow_of(packets, 0, 5);
    struct grid_loss_process w;
    f.tail = true;
    grid_weather_init(&w, &conf, 1, 0, 0, 0);
    struct grid_path brief = path;
    brief.patience = 5000 * 1000 * US; /* each retry is lost too, until 1 + 2 + ... + 4096 ms have gone by */
    grid_expand(&brief, &w, &f);
    iw_time again = ((UINT64_C(1) << 13) - 1) * path.timeout;
    for (uint64_t i = 0; i < 5; i++) {
        iw_time first = i + path.dupacks < 5 ? told_after(&f) : path.timeout;
        assert_true(near(by_key(&f, i * SIZE)->at, departure(&f, i) + LATENCY + first + again));
        assert_int_equal(by_key(&f, i * SIZE)->resends, 14);
    }
}

/* ---- order ---- */

TEST(arrivals_are_in_order_and_linked)
{
    static struct grid_packet packets[PACKETS];
    struct grid_flow f = flow_of(packets, 0, PACKETS);
    struct grid_loss_process w;
    uint32_t early = 0;
    grid_weather_init(&w, &rough, 21, 0, 0, 0);
    struct grid_expanded x = grid_expand(&path, &w, &f);
    for (uint32_t i = 0; i + 1 < PACKETS; i++) {
        assert_true(packets[i].at <= packets[i + 1].at);
        assert_ptr_equal(packets[i].next, &packets[i + 1]);
        early += packets[i].key > packets[i + 1].key;
    }
    assert_true(early > 100);
    assert_int_equal(x.last, packets[PACKETS - 1].at);
}

/* What arrives at one instant goes by key, though others were held up and had to be put behind it. */
TEST(what_arrives_at_one_instant_stays_in_order)
{
    struct grid_packet packets[200];
    struct channel_conf conf = {.reorder = {.probability = 0.2, .delay = US}};
    struct grid_path no_time = path;
    struct grid_flow f = flow_of(packets, 0, 200);
    struct grid_loss_process w;
    uint32_t late = 0;
    no_time.octet = 0;
    f.end = f.start;
    grid_weather_init(&w, &conf, 8, 0, 0, 0);
    grid_expand(&no_time, &w, &f);
    for (uint32_t i = 0; i < 200; i++) {
        late += packets[i].at == f.start + LATENCY + US;
        assert_true(!i || packets[i].at != packets[i - 1].at || packets[i].key > packets[i - 1].key);
    }
    assert_in_range(late, 10, 100);
    assert_int_equal(packets[199].at - packets[0].at, US);
}

/* ---- a receiver that takes nothing ahead of its turn ---- */

TEST(after_a_hole_the_stream_falls_behind)
{
    static struct grid_packet packets[PACKETS];
    struct channel_conf conf = {.loss = 0.002};
    struct grid_path back = path;
    struct grid_flow f = flow_of(packets, 0, PACKETS);
    struct grid_loss_process w;
    back.go_back = true;
    grid_weather_init(&w, &conf, 4, 0, 0, 0);
    struct grid_expanded x = grid_expand(&back, &w, &f);
    assert_in_range(x.lost, 2, 20);
    assert_true(x.stall >= x.lost * told_after(&f));
    for (uint32_t i = 0; i + 1 < PACKETS; i++)
        assert_true(packets[i].key < packets[i + 1].key);
    assert_true(near(x.last, f.end + LATENCY + x.stall));
    assert_true(x.resends > 20 * x.lost);
    uint32_t again = 0;
    for (uint32_t i = 0; i < PACKETS; i++)
        again += packets[i].resends;
    assert_int_equal(x.resends, again);
    struct grid_flow g = flow_of(packets, PACKETS, 1); /* the next flow started later: it is not behind */
    grid_expand(&back, &w, &g);
    assert_true(near(packets[0].at, g.end + LATENCY));
}

/* Where every packet is lost each comes later than anybody waits for it, and not for ever: timeouts stop at a minute. */
TEST(what_is_lost_each_time_comes_too_late)
{
    static struct grid_packet packets[10];
    struct channel_conf conf = {.loss = 1};
    const iw_time minute = 60 * UINT64_C(1000000) * US;
    const struct {
        iw_time patience, least, most;
        uint32_t lost;
    } rows[] = {{5000 * UINT64_C(1000) * US, 5000 * UINT64_C(1000) * US, minute, 14},
                {UINT64_MAX, 40 * minute, 70 * minute, 1 + GRID_RETRIES}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct grid_path patient = path;
        struct grid_loss_process w;
        patient.patience = rows[i].patience;
        grid_weather_init(&w, &conf, 1, 0, 0, 0);
        struct grid_flow f = flow_of(packets, 0, 10);
        struct grid_expanded x = grid_expand(&patient, &w, &f);
        assert_int_equal(x.lost, 10 * rows[i].lost);
        assert_true(packets[0].at > rows[i].least && x.last < rows[i].most);
        assert_true(near(x.clear, f.end + LATENCY));
    }
}

/* Each packet is stored and sent on by switches in its own time; a short one cannot overtake the one ahead of it. */
TEST(switches_add_what_a_packet_takes)
{
    const uint64_t octet = 2 * 80000;
    struct grid_packet packets[2] = {{.key = 0, .size = 8000 - FRAMING},
                                     {.key = 8000, .size = 200 - FRAMING}};
    struct grid_flow f = {.end = 8200 * 80, .latency = LATENCY, .again = octet, .n = 2, .packet = packets};
    struct grid_expanded x = grid_expand(&path, NULL, &f);
    assert_true(near(packets[0].at, 8000 * 80 + LATENCY + 8000 * 160));
    assert_true(near(packets[1].at, packets[0].at + 200 * 80));
    assert_true(x.last == packets[1].at && x.clear == x.last);
    struct grid_packet alone = {.size = 200 - FRAMING};
    struct grid_flow g = {.end = 200 * 80, .latency = LATENCY, .again = octet, .n = 1, .packet = &alone};
    grid_expand(&path, NULL, &g);
    assert_true(near(alone.at, 200 * 80 + LATENCY + 200 * 160));
}
