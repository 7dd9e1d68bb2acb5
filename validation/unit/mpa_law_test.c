/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The laws of the MPA receiver (mpa.h) over seeds: random FPDUs, cut anywhere, permuted, repeated, refused
 * and sent again, kept and asked for again, with markers and CRC in all combinations. A failing seed is
 * printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llp/mpa.h"
#include "validation/support/test.h"
#include "validation/support/ulpdu.h"

enum { FPDUS = 60, SEEDS = 800, AT_NIGHT = 100000, ULPDU_MAX = 3000, STREAM = FPDUS * (ULPDU_MAX + 64) };

static uint64_t running = UINT64_MAX; /* seed */
static uint64_t state_of_random;

static uint64_t mix(uint64_t z) /* SplitMix64 */
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t draw(uint64_t below)
{
    return mix(state_of_random += 0x9e3779b97f4a7c15u) % below;
}

/* ---- what is sent ---- */

struct sent {
    uint64_t key, end;
    uint32_t len;
    uint8_t ulpdu[ULPDU_MAX];
    struct mpa_mark mark;
    bool handed, kept, taken;
};

static struct sent sent[FPDUS];
static uint8_t stream[STREAM];
static uint64_t stream_len;

static uint32_t draw_len(void)
{
    switch (draw(4)) {
    case 0: return 1 + (uint32_t)draw(60);
    case 1: return 1 + (uint32_t)draw(ULPDU_MAX);
    default: return 400 + (uint32_t)draw(1100);
    }
}

static void make_stream(unsigned flags)
{
    struct mpa_tx tx, twin;
    mpa_tx_init(&tx, flags, 1460);
    twin = tx;
    for (int i = 0; i < FPDUS; i++) {
        struct sent *s = &sent[i];
        memset(s, 0, sizeof *s);
        s->len = draw_len();
        bool zeros = draw(5) == 0; /* payloads in which anything looks like a length */
        for (uint32_t n = 0; n < s->len; n++)
            s->ulpdu[n] = zeros ? 0 : (uint8_t)draw(256);
        struct iw_seg seg;
        iw_seg_view(&seg, mpa_key(&tx), s->ulpdu, s->len);
        s->key = mpa_key(&tx);
        uint32_t size = mpa_fpdu_len(&tx, &seg);
        assert_int_equal(mpa_put(&tx, &seg, stream + s->key), size);
        assert_int_equal(mpa_advance(&twin, &seg, &s->mark), size);
        s->end = mpa_key(&tx);
    }
    stream_len = mpa_key(&tx);
}

/* ---- how it travels ---- */

struct piece {
    uint64_t offset;
    uint32_t len;
    bool again; /* a copy: may be cut differently */
};

enum { PIECES = 4096 };
static struct piece flight[PIECES]; /* a ring: the next to land, then those behind it */
static uint32_t next_to_land, flying;

static void fly(uint64_t offset, uint32_t len, bool again)
{
    assert_true(flying < PIECES);
    flight[(next_to_land + flying++) % PIECES] = (struct piece){offset, len, again};
}

static struct piece land(void)
{
    struct piece p = flight[next_to_land++ % PIECES];
    flying--;
    return p;
}

/* One FPDU or a few of them per segment, each starting with one. */
static void cut_aligned(void)
{
    for (int i = 0; i < FPDUS;) {
        uint32_t n = draw(3) ? 1 : 1 + (uint32_t)draw(4), last = (uint32_t)i + n - 1;
        if (last >= FPDUS)
            last = FPDUS - 1;
        fly(sent[i].key, (uint32_t)(sent[last].end - sent[i].key), false);
        i = (int)last + 1;
    }
}

static void cut_anywhere(uint32_t largest)
{
    for (uint64_t at = 0; at < stream_len;) {
        uint64_t n = 1 + draw(largest);
        if (n > stream_len - at)
            n = stream_len - at;
        fly(at, (uint32_t)n, false);
        at += n;
    }
}

static void repeat_some(void)
{
    for (uint32_t i = (uint32_t)draw(20); i; i--) {
        uint64_t at = draw(stream_len), n = 1 + draw(4000);
        if (n > stream_len - at)
            n = stream_len - at;
        fly(at, (uint32_t)n, true);
    }
}

/* Displace pieces by at most `reach` places. */
static void permute(uint32_t reach)
{
    for (uint32_t i = 0; i + 1 < flying; i++) {
        uint32_t with = i + (uint32_t)draw(reach + 1);
        if (with >= flying)
            with = flying - 1;
        struct piece p = flight[i];
        flight[i] = flight[with];
        flight[with] = p;
    }
}

/* ---- the host ---- */

struct setting {
    struct mpa_rx_conf conf;
    bool aligned;
    uint32_t keep_ahead, keep_front; /* one in so many is kept; 0: none */
};

struct run {
    struct mpa_rx *rx;
    const struct setting *set;
    uint64_t edge; /* everything below was taken */
    uint32_t handed;
    uint8_t have[STREAM]; /* octets that were accepted */
    uint64_t trace;       /* of keys, order marks and answers */
    bool may_fail;
    int error;
    void (*alter)(uint8_t *octets, const struct piece *p); /* NULL: nothing */
    uint32_t altered;
};
static struct run run;
static uint64_t errors, altered, in_pieces; /* over all seeds: they must not be none */

static struct sent *find_sent(uint64_t key)
{
    for (int i = 0; i < FPDUS; i++) {
        if (sent[i].key == key)
            return &sent[i];
    }
    fail_msg("no FPDU was sent at %llu", (unsigned long long)key);
    return NULL;
}

static void note(uint64_t what)
{
    run.trace = (run.trace ^ what) * 0x100000001b3u;
}

static void move_edge(void)
{
    for (int i = 0; i < FPDUS && sent[i].taken; i++)
        run.edge = sent[i].end;
}

static void check_handed(const struct mpa_fpdu *f)
{
    struct sent *s = find_sent(f->key);
    assert_int_equal(f->end, s->end);
    assert_int_equal(f->len, s->len);
    if (run.set->conf.fpdus) {
        assert_int_equal(f->octets, s->mark.head_len);
        assert_memory_equal(f->ulpdu, s->ulpdu, f->octets);
    } else {
        uint8_t ulpdu[ULPDU_MAX];
        assert_int_equal(ulpdu_octets(f, ulpdu), s->len);
        assert_memory_equal(ulpdu, s->ulpdu, s->len);
    }
    assert_true(f->pieces == 0 || run.set->conf.flags & MPA_PIECES);
    in_pieces += f->pieces > 0;
    assert_false(s->taken);
    assert_int_equal(f->again, s->kept);
    assert_true(s->handed == s->kept); /* a second time only when it was kept */
    assert_int_equal(f->in_order, f->key == run.edge);
    if (f->again)
        assert_true(f->in_order);
    if (run.set->conf.flags & MPA_IN_ORDER)
        assert_true(f->in_order);
    for (uint64_t i = s->key; i < s->end; i++)
        assert_true(run.have[i]);
    s->handed = true;
}

/* Decided by what it is about, so that it is the same with octets and without. */
static bool one_in(uint32_t n, uint64_t about)
{
    return n && mix(about * 0x9e3779b97f4a7c15u + run.handed) % n == 0;
}

static void hand_up(void)
{
    struct mpa_fpdu f;
    int was = run.error;
    while ((run.error = mpa_take(run.rx, &f)) == 1) {
        assert_int_equal(was, 0);
        check_handed(&f);
        struct sent *s = find_sent(f.key);
        note(f.key * 4 + f.in_order * 2 + f.again);
        run.handed++;
        s->kept = one_in(f.in_order ? run.set->keep_front : run.set->keep_ahead, f.key);
        s->taken = !s->kept;
        if (s->kept)
            assert_int_equal(mpa_keep(run.rx), IW_OK);
        move_edge();
        assert_int_equal(mpa_edge(run.rx), run.edge);
    }
    if (was || !run.may_fail)
        assert_int_equal(run.error, was);
}

/* Copies of octets that were accepted may differ: the first win. */
static void corrupt_known(const struct piece *p, uint8_t *octets)
{
    for (uint32_t i = 0; i < p->len; i++) {
        if (run.have[p->offset + i] || p->offset + i < run.edge)
            octets[i] = (uint8_t)draw(256);
    }
}

static uint32_t arrive_octets(const struct piece *p)
{
    uint8_t *octets = malloc(p->len);
    assert_non_null(octets);
    memcpy(octets, stream + p->offset, p->len);
    corrupt_known(p, octets);
    if (run.alter)
        run.alter(octets, p);
    struct mpa_arrival in = {.offset = p->offset, .octets = octets, .len = p->len};
    uint32_t would = mpa_would_take(run.rx, &in), took = mpa_receive(run.rx, p->offset, octets, p->len);
    assert_true(took == would || (took == 0 && run.alter));
    for (uint32_t i = 0; i < took; i++)
        run.have[p->offset + i] = 1;
    hand_up();
    memset(octets, 0xdd, p->len);
    free(octets);
    return took;
}

static uint32_t arrive_marks(const struct piece *p)
{
    struct mpa_mark marks[FPDUS];
    uint32_t n = 0;
    for (int i = 0; i < FPDUS; i++) {
        if (sent[i].key < p->offset + p->len && sent[i].end > p->offset)
            marks[n++] = sent[i].mark;
    }
    struct mpa_arrival in = {.offset = p->offset, .len = p->len, .marks = n, .mark = marks};
    uint32_t would = mpa_would_take(run.rx, &in), took = mpa_arrive(run.rx, &in);
    assert_int_equal(took, would);
    for (uint32_t i = 0; i < took; i++)
        run.have[p->offset + i] = 1;
    hand_up();
    memset(marks, 0xdd, sizeof marks);
    return took;
}

static void check_bounds(void)
{
    const struct mpa_stats *st = mpa_statistics(run.rx);
    assert_true(st->ranges_peak <= run.set->conf.ranges + 2);
    assert_true(st->held_peak <= run.set->conf.store);
}

/* What was refused comes again when all the others had their turn; whole where alignment is trusted. */
static void send_again(struct piece p, uint32_t took)
{
    if (run.set->conf.flags & MPA_TRUST_ALIGNMENT)
        took = 0;
    fly(p.offset + took, p.len - took, p.again);
}

static void all_arrive(void)
{
    for (uint32_t turn = 0; flying; turn++) {
        assert_true(turn < 1000000);
        struct piece p = land();
        uint64_t limit = run.edge + run.set->conf.store;
        if (one_in(7, turn))
            mpa_again(run.rx);
        uint32_t took = run.set->conf.fpdus ? arrive_marks(&p) : arrive_octets(&p);
        assert_true(took <= p.len);
        note(took);
        assert_true(!took || p.offset + took <= limit || run.error);
        check_bounds();
        if (took < p.len)
            send_again(p, took);
    }
}

static void take_all_kept(void)
{
    struct setting patient = *run.set;
    patient.keep_front = patient.keep_ahead = 0;
    run.set = &patient;
    mpa_again(run.rx);
    hand_up();
    mpa_fin(run.rx, stream_len);
    assert_int_equal(mpa_ended(run.rx), MPA_FIN);
}

static void check_end(void)
{
    const struct mpa_stats *st = mpa_statistics(run.rx);
    assert_int_equal(run.edge, stream_len);
    for (int i = 0; i < FPDUS; i++)
        assert_true(sent[i].taken);
    assert_int_equal(st->fpdus, FPDUS);
    assert_int_equal(st->ranges, 0);
    assert_int_equal(st->held, 0);
    assert_int_equal(st->crc_bad, 0);
}

static void *begin(const struct setting *set)
{
    void *memory = malloc(mpa_rx_size(&set->conf));
    memset(&run, 0, sizeof run);
    run.set = set;
    run.rx = mpa_rx_init(memory, &set->conf);
    assert_non_null(run.rx);
    return memory;
}

static uint64_t travel(const struct setting *set)
{
    void *memory = begin(set);
    all_arrive();
    take_all_kept();
    run.set = set;
    check_end();
    free(memory);
    return run.trace;
}

static void draw_setting(struct setting *set, uint64_t seed)
{
    unsigned flags = (unsigned)(seed & 3) | (seed & 4 ? MPA_PIECES : 0); /* and MPA_MARKERS, MPA_CRC */
    set->aligned = draw(2);
    if (!draw(8))
        flags |= MPA_IN_ORDER;
    if (!(flags & MPA_CRC) && set->aligned && !draw(2))
        flags |= MPA_TRUST_ALIGNMENT;
    if (flags & MPA_CRC && !draw(4))
        flags |= MPA_CRC_DROP;
    set->conf = (struct mpa_rx_conf){.flags = flags, .ulpdu_max = ULPDU_MAX};
    set->conf.store = draw(2) ? STREAM : 3100 + (uint32_t)draw(20000);
    set->conf.ranges = draw(3) ? 64 : (uint32_t)draw(8);
    if (!draw(3))
        set->keep_ahead = 1 + (uint32_t)draw(4);
    if (!draw(6))
        set->keep_front = 2 + (uint32_t)draw(4);
}

static void send_off(const struct setting *set)
{
    flying = next_to_land = 0;
    if (set->aligned)
        cut_aligned();
    else
        cut_anywhere(draw(4) ? 2000 : 90);
    /* With alignment trusted every segment must start with an FPDU, copies included. */
    if (!(set->conf.flags & MPA_TRUST_ALIGNMENT))
        repeat_some();
    permute(draw(2) ? 64 : 3);
}

static uint64_t seeds(void)
{
    return test_seeds(SEEDS, AT_NIGHT);
}

/* Each seed, or that of MPA_SEED alone. */
static void for_each_seed(void (*travels)(uint64_t seed))
{
    const char *only = getenv("MPA_SEED");
    for (uint64_t seed = only ? strtoull(only, NULL, 0) : 0, end = only ? seed + 1 : seeds(); seed < end;
         seed++) {
        running = seed;
        state_of_random = seed * 1000003;
        travels(seed);
    }
    running = UINT64_MAX;
}

static int say_which_seed(void **state)
{
    (void)state;
    if (running != UINT64_MAX)
        print_error("this seed again: MPA_SEED=%llu build/unit/mpa_law_test\n", (unsigned long long)running);
    return 0;
}

static void once(uint64_t seed)
{
    struct setting set = {0};
    draw_setting(&set, seed);
    make_stream(set.conf.flags);
    send_off(&set);
    travel(&set);
}

/* checks: MPA-3-4 MPA-3-5 MPA-4.3-4 MPA-5.2-1 MPA-6-1 MPA-A-1 MPA-7.2-1 */
TEST(every_fpdu_comes_up_once_with_its_octets_and_its_order_mark)
{
    in_pieces = 0;
    for_each_seed(once);
    assert_true(in_pieces > 0 || getenv("MPA_SEED"));
}

/* ---- without octets ---- */

static void forget_the_travel(void)
{
    for (int i = 0; i < FPDUS; i++)
        sent[i].handed = sent[i].kept = sent[i].taken = false;
}

static void with_and_without_octets(uint64_t seed)
{
    static struct piece departed[PIECES];
    struct setting set = {0};
    draw_setting(&set, seed);
    make_stream(set.conf.flags);
    send_off(&set);
    uint32_t pieces = flying;
    memcpy(departed, flight, sizeof departed);
    uint64_t trace = travel(&set);
    forget_the_travel();
    memcpy(flight, departed, sizeof departed);
    flying = pieces;
    next_to_land = 0;
    set.conf.fpdus = 8 * FPDUS;
    uint64_t other = travel(&set);
    bool may_differ = set.conf.flags & MPA_CRC && !(set.conf.flags & (MPA_MARKERS | MPA_IN_ORDER));
    if (!may_differ)
        assert_int_equal(other, trace);
}

/* Keys, order marks, refusals: a simulation without octets sees the same, but for what mpa.h admits. */
TEST(length_only_gives_the_same_trace)
{
    for_each_seed(with_and_without_octets);
}

/* ---- altered octets ---- */

/* One octet of one FPDU, whatever it means, is not what was sent. */
static struct sent *spoil_one(void)
{
    struct sent *s = &sent[draw(FPDUS)];
    stream[s->key + draw(s->end - s->key)] ^= (uint8_t)(1 << draw(8));
    return s;
}

static void spoilt_at_the_source(uint64_t seed)
{
    struct setting set = {0};
    draw_setting(&set, seed | MPA_CRC);
    set.conf.flags &= ~(unsigned)MPA_CRC_DROP; /* TCP would send it again for ever */
    set.keep_front = set.keep_ahead = 0;
    make_stream(set.conf.flags);
    struct sent *spoilt = spoil_one();
    send_off(&set);
    void *memory = begin(&set);
    run.may_fail = true;
    all_arrive();
    assert_int_equal(mpa_edge(run.rx), spoilt->key);
    assert_false(spoilt->handed);
    mpa_fin(run.rx, stream_len);
    if (!run.error)
        assert_int_equal(mpa_ended(run.rx), MPA_CUT); /* its length now reaches beyond the end */
    else
        assert_true(run.error == IW_T_LLP_CRC || run.error == IW_T_LLP_MARKER);
    errors += run.error != 0;
    free(memory);
}

/* What comes before the spoilt FPDU is taken; it is never handed up, and nothing is after the error. */
/* checks: MPA-4.4-3 MPA-6-1 MPA-8-1 MPA-8-2 DDP-3-6 */
TEST(a_spoilt_fpdu_ends_the_direction_where_it_stands)
{
    errors = 0;
    for_each_seed(spoilt_at_the_source);
    assert_true(errors > seeds() / 2 || getenv("MPA_SEED"));
}

/* The channel alters a segment, and TCP's checksum misses it. */
static void alter_some(uint8_t *octets, const struct piece *p)
{
    uint32_t i = (uint32_t)draw(p->len);
    if (draw(6))
        return;
    octets[i] ^= (uint8_t)(1 << draw(8));
    run.altered++;
}

static void spoilt_on_the_way(uint64_t seed)
{
    struct setting set = {0};
    draw_setting(&set, seed | MPA_CRC);
    set.conf.flags |= MPA_CRC_DROP | MPA_TRUST_ALIGNMENT;
    set.conf.store = STREAM; /* segments are taken whole or not at all, so that each is judged as a whole */
    set.conf.ranges = 64;
    set.aligned = true;
    make_stream(set.conf.flags);
    send_off(&set);
    void *memory = begin(&set);
    run.alter = alter_some;
    all_arrive();
    take_all_kept();
    run.set = &set;
    assert_int_equal(run.edge, stream_len);
    assert_int_equal(mpa_statistics(run.rx)->fpdus, FPDUS);
    altered += run.altered;
    free(memory);
}

/* MPA_CRC_DROP: TCP sends refused segments again, and the stream goes on. */
/* checks: MPA-8-1 */
TEST(a_refused_segment_mends_the_stream)
{
    altered = 0;
    for_each_seed(spoilt_on_the_way);
    assert_true(altered > seeds() || getenv("MPA_SEED"));
}

TEST_EACH(NULL, say_which_seed)
