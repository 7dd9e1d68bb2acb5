/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DDPP core, rule by rule: sections 2 and 3 of draft-bailey-roi-ddpp-core-00. Messages arrive in every order;
 * what must hold in each of the four classes is checked after every arrival. */
#include <stdlib.h>
#include <string.h>

#include "engine/ddpp.h"
#include "validation/support/test.h"

enum { PD = 1, BUFFER = 4096, TOLD = 64 };

struct bench {
    struct iw_stags *stags;
    struct ddpp *d;
    iw_stag stag;
    uint8_t memory[BUFFER + 64]; /* with a guard behind */
    struct ddpp_event told[TOLD];
    uint8_t text[TOLD][16];
    uint32_t n;
};

static struct ddpp_conf conf_of(bool reliable, bool ordered)
{
    return (struct ddpp_conf){.pd = PD,
                              .stream = 1,
                              .reliable = reliable,
                              .ordered = ordered,
                              .remember = 64,
                              .keep = 16,
                              .message_max = 1000,
                              .quarantine = 2};
}

static iw_stag offer(struct bench *b, void *base, uint64_t len)
{
    struct iw_region region = {.base = base, .len = len, .rights = IW_REMOTE_WRITE, .pd = PD};
    iw_stag stag;
    assert_int_equal(iw_register(b->stags, &region, &stag), IW_OK);
    return stag;
}

static void bench_open(struct bench *b, struct ddpp_conf conf)
{
    memset(b, 0, sizeof *b);
    b->stags = iw_stags_init(malloc(iw_stags_size(4)), 4, 0);
    conf.stags = b->stags;
    b->d = ddpp_init(malloc(ddpp_size(&conf)), &conf);
    b->stag = offer(b, b->memory, BUFFER);
}

static void bench_close(struct bench *b)
{
    for (int i = BUFFER; i < BUFFER + 64; i++)
        assert_int_equal(b->memory[i], 0);
    free(b->d);
    free(b->stags);
}

static void hear(struct bench *b)
{
    while (b->n < TOLD && ddpp_take(b->d, &b->told[b->n])) {
        struct ddpp_event *e = &b->told[b->n];
        if (e->octets)
            memcpy(b->text[b->n], e->octets, e->len < 16 ? e->len : 16);
        b->n++;
    }
}

/* The decoration, by hand. */
static void head_of(uint8_t head[16], bool notify, uint32_t id, iw_stag stag, uint64_t offset)
{
    uint32_t words[4] = {(notify ? 0x80000000u : 0) | id, stag, (uint32_t)(offset >> 32), (uint32_t)offset};
    for (int i = 0; i < 16; i++)
        head[i] = (uint8_t)(words[i / 4] >> (24 - 8 * (i % 4)));
}

static enum ddpp_verdict check(struct bench *b, uint64_t key, bool notify, uint32_t id, uint64_t offset,
                               const char *text, struct ddpp_place *place)
{
    uint8_t head[16];
    head_of(head, notify, id, b->stag, offset);
    return ddpp_check_decorated(b->d, 0, key, head, (const uint8_t *)text, (uint32_t)strlen(text), place);
}

static enum ddpp_verdict decorated(struct bench *b, uint64_t key, bool notify, uint32_t id, uint64_t offset,
                                   const char *text)
{
    struct ddpp_place place;
    enum ddpp_verdict verdict = check(b, key, notify, id, offset, text, &place);
    if (verdict == DDPP_PLACE)
        ddpp_commit(b->d, &place);
    hear(b);
    return verdict;
}

static enum ddpp_verdict undecorated(struct bench *b, uint64_t key, const char *text)
{
    enum ddpp_verdict verdict =
        ddpp_check_undecorated(b->d, key, (const uint8_t *)text, (uint32_t)strlen(text));
    hear(b);
    return verdict;
}

/* ---- 2: decoration, splitting ---- */

/* checks: CORE-2.2-1 CORE-2.2-6 CORE-2.2-7 CORE-2.2-8 CORE-2.2-9 CORE-2.2-10 */
TEST(a_decoration_is_what_the_draft_draws)
{
    static const uint8_t octets[16] = {0xfe, 0xdc, 0xba, 0x98, 1,    2,    3,    4,
                                       0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18};
    struct ddpp_head h = {.notify = true,
                          .id = 0x7edcba98,
                          .stag = 0x01020304,
                          .offset = 0x1112131415161718u},
                     back;
    uint8_t out[16];
    ddpp_head_put(out, &h);
    assert_memory_equal(out, octets, 16);
    ddpp_head_get(octets, &back);
    assert_true(back.notify && back.id == 0x7edcba98 && back.stag == 0x01020304 && back.offset == h.offset);
    h.notify = false;
    ddpp_head_put(out, &h);
    assert_int_equal(out[0], 0x7e);
}

/* checks: CORE-2-1 CORE-2.1-1 CORE-2.1-2 CORE-2.1-3 */
TEST(a_message_is_split_and_the_last_piece_asks)
{
    for (uint32_t len = 0; len <= 100; len++)
        for (int backwards = 0; backwards < 2; backwards++)
            for (int notify = 0; notify < 2; notify++) {
                struct ddpp_send what = {.stag = 7,
                                         .offset = 1000,
                                         .len = len,
                                         .notify = notify,
                                         .id = 42,
                                         .backwards = backwards};
                struct ddpp_split split;
                struct ddpp_piece piece;
                uint32_t sum = 0, pieces = 0, expected = len ? (len + 29) / 30 : 1;
                assert_int_equal(ddpp_split_start(&split, &what, 16 + 30), IW_OK);
                while (ddpp_split_take(&split, &piece)) {
                    uint8_t head[16];
                    uint32_t at = backwards ? expected - 1 - pieces : pieces;
                    assert_int_equal(piece.from, at * 30);
                    head_of(head, notify && ++pieces == expected, 42, 7, 1000 + piece.from);
                    pieces += !notify;
                    assert_memory_equal(piece.head, head, 16);
                    sum += piece.len;
                }
                assert_int_equal(sum, len);
                assert_int_equal(pieces, expected);
            }
}

/* checks: CORE-2.1-4 CORE-2.1-5 */
TEST(atomic_is_one_message_or_none)
{
    struct ddpp_send what = {.stag = 7, .len = 30, .atomic = true};
    struct ddpp_split split = {0};
    struct ddpp_piece piece;
    assert_int_equal(ddpp_split_start(&split, &what, 16 + 29), IW_EINVAL);
    assert_false(ddpp_split_take(&split, &piece)); /* nothing is sent */
    assert_int_equal(ddpp_split_start(&split, &what, 16 + 30), IW_OK);
    assert_true(ddpp_split_take(&split, &piece));
    assert_int_equal(piece.len, 30);
    assert_false(ddpp_split_take(&split, &piece));
    what.id = 0x80000000u;
    assert_int_equal(ddpp_split_start(&split, &what, 1000), IW_EINVAL);
    what.id = 0;
    what.offset = UINT64_MAX - 29;
    assert_int_equal(ddpp_split_start(&split, &what, 1000), IW_EINVAL);
    what.offset--;
    assert_int_equal(ddpp_split_start(&split, &what, 1000), IW_OK);
    assert_int_equal(ddpp_split_start(&split, &what, 16), IW_EINVAL);
}

/* ---- 3: for all ---- */

/* checks: CORE-2.2-2 CORE-2.2-3 CORE-2.2-4 CORE-5-2 */
TEST(octets_land_where_the_decoration_says)
{
    for (unsigned class = 0; class < 4; class ++) {
        struct bench b;
        bench_open(&b, conf_of(class & 1, class & 2));
        assert_int_equal(decorated(&b, 0, false, 0x7fffffff, 100, "hello"), DDPP_PLACE);
        assert_int_equal(b.n, 0); /* without N the id is nobody's */
        assert_int_equal(decorated(&b, 1, true, 0x12345678, 105, "world"), DDPP_PLACE);
        assert_memory_equal(b.memory + 100, "helloworld", 10);
        assert_int_equal(b.n, 1);
        assert_true(b.told[0].indication && b.told[0].id == 0x12345678 && b.told[0].len == 5);
        assert_int_equal(decorated(&b, 2, true, 3, 0, ""), DDPP_PLACE);
        assert_int_equal(b.n, 2);
        bench_close(&b);
    }
}

/* checks: CORE-3-1 CORE-3-5 */
TEST(only_registered_buffers_are_written)
{
    for (unsigned class = 0; class < 4; class ++) {
        struct bench b, untouched;
        struct ddpp_place place;
        uint8_t head[16];
        bench_open(&b, conf_of(class & 1, class & 2));
        memset(&untouched, 0, sizeof untouched);
        assert_int_equal(decorated(&b, 0, true, 1, BUFFER - 3, "over"), DDPP_DROPPED);
        assert_int_equal(decorated(&b, 1, true, 1, UINT64_MAX - 1, "wrap"), DDPP_DROPPED);
        head_of(head, true, 1, b.stag + 256, 0);
        assert_int_equal(ddpp_check_decorated(b.d, 0, 2, head, (const uint8_t *)"x", 1, &place),
                         DDPP_DROPPED);
        assert_int_equal(iw_invalidate(b.stags, b.stag), IW_OK);
        assert_int_equal(decorated(&b, 3, true, 1, 0, "gone"), DDPP_DROPPED);
        assert_int_equal(b.n, 0); /* nothing was received there */
        assert_int_equal(ddpp_statistics(b.d)->nowhere, 4);
        assert_memory_equal(b.memory, untouched.memory, sizeof b.memory);
        assert_int_equal(undecorated(&b, 4, "on"), DDPP_TAKEN); /* and nothing waits for it */
        assert_int_equal(b.n, 1);
        bench_close(&b);
    }
}

/* The payload is on its way to memory while the next message comes. */
/* checks: CORE-3-4 CORE-3.1-5 */
TEST(no_indication_before_all_is_in_place)
{
    for (unsigned class = 0; class < 4; class ++) {
        bool ordered = class & 2;
        struct bench b;
        struct ddpp_place first, second;
        bench_open(&b, conf_of(class & 1, ordered));
        assert_int_equal(check(&b, 0, false, 0, 0, "aaaa", &first), DDPP_PLACE);
        assert_int_equal(check(&b, 1, true, 9, 4, "bbbb", &second), DDPP_PLACE);
        hear(&b);
        assert_int_equal(b.n, 0);
        ddpp_commit(b.d, &second);
        hear(&b);
        assert_int_equal(b.n, ordered ? 0 : 1); /* unordered: it says nothing of the piece before it */
        assert_memory_equal(b.memory + 4, "bbbb", 4);
        ddpp_commit(b.d, &first);
        hear(&b);
        assert_int_equal(b.n, 1);
        assert_memory_equal(b.memory, "aaaabbbb", 8);
        bench_close(&b);
    }
}

TEST(a_region_revoked_on_the_way_is_not_written)
{
    struct bench b;
    struct ddpp_place place;
    bench_open(&b, conf_of(true, true));
    assert_int_equal(check(&b, 0, true, 1, 0, "late", &place), DDPP_PLACE);
    assert_int_equal(iw_revoke(b.stags, b.stag, IW_CANCEL), IW_EBUSY);
    assert_int_equal(ddpp_commit(b.d, &place), IW_ESTATE);
    hear(&b);
    assert_int_equal(b.n, 0);
    assert_int_equal(b.memory[0], 0);
    assert_true(iw_revoked(b.stags, b.stag));
    bench_close(&b);
}

/* ---- 3.1 - 3.4: every order of arrival of five messages ---- */

/* What is sent: a silent piece, an indication, an undecorated message, a silent piece, an indication; they
 * write over one another, so that memory shows who was last. */
static enum ddpp_verdict arrive(struct bench *b, uint64_t key)
{
    static const char *const text[5] = {"0000", "1111", "2", "3333", "4444"};
    if (key == 2)
        return undecorated(b, key, text[key]);
    return decorated(b, key, key == 1 || key == 4, (uint32_t)key, 10 * key, text[key]);
}

static bool step(uint32_t order[5])
{
    int i = 3, j = 4;
    while (i >= 0 && order[i] > order[i + 1])
        i--;
    if (i < 0)
        return false;
    while (order[j] < order[i])
        j--;
    uint32_t x = order[i];
    order[i] = order[j];
    order[j] = x;
    for (int low = i + 1, high = 4; low < high; low++, high--) {
        x = order[low];
        order[low] = order[high];
        order[high] = x;
    }
    return true;
}

static void expect_each_once(const struct bench *b, bool in_order)
{
    uint32_t seen[5] = {0};
    for (uint32_t i = 0; i < b->n; i++) {
        seen[b->told[i].key]++;
        assert_true(b->told[i].key == 2 ? !b->told[i].indication && b->text[i][0] == '2'
                                        : b->told[i].indication && b->told[i].id == b->told[i].key);
        assert_true(!in_order || !i || b->told[i].key > b->told[i - 1].key);
    }
    assert_true(seen[1] == 1 && seen[2] == 1 && seen[4] == 1 && !seen[0] && !seen[3]);
}

/* In order, once; all before an event is in place when it comes; each event waits for exactly those before
 * it. */
/* checks: CORE-3-3 CORE-3.1-1 CORE-3.1-2 CORE-3.1-3 CORE-3.1-4 CORE-3.1-5 CORE-3.1-6 */
TEST(reliable_ordered)
{
    uint32_t order[5] = {0, 1, 2, 3, 4};
    do {
        struct bench b;
        unsigned here = 0;
        bench_open(&b, conf_of(true, true));
        for (int i = 0; i < 5; i++) {
            assert_int_not_equal(arrive(&b, order[i]), DDPP_DROPPED);
            here |= 1u << order[i];
            if (order[i] != 2)
                assert_int_equal(b.memory[10 * order[i]], '0' + order[i]); /* placed at once */
            assert_int_equal(b.n, ((here & 3) == 3) + ((here & 7) == 7) + ((here & 31) == 31));
        }
        expect_each_once(&b, true);
        bench_close(&b);
    } while (step(order));
}

/* checks: CORE-3-3 CORE-3.2-1 CORE-3.2-2 */
TEST(reliable_unordered)
{
    uint32_t order[5] = {0, 1, 2, 3, 4};
    do {
        struct bench b;
        uint32_t events = 0;
        bench_open(&b, conf_of(true, false));
        for (int i = 0; i < 5; i++) {
            arrive(&b, order[i]);
            events += order[i] == 1 || order[i] == 2 || order[i] == 4;
            assert_int_equal(b.n, events); /* at once */
            arrive(&b, order[i]);
            assert_int_equal(b.n, events); /* and once */
        }
        expect_each_once(&b, false);
        bench_close(&b);
    } while (step(order));
}

/* Every message comes twice more when all is delivered: nothing is written, nothing told. */
/* checks: CORE-3-2 CORE-3-6 CORE-3-7 */
TEST(late_duplicates_are_discarded)
{
    for (unsigned class = 1; class < 4; class ++) {
        struct bench b;
        bench_open(&b, conf_of(class & 1, class & 2));
        for (uint64_t key = 0; key < 5; key++)
            arrive(&b, key);
        assert_int_equal(b.n, 3);
        memset(b.memory, 0, BUFFER);
        for (int round = 0; round < 2; round++)
            for (uint64_t key = 0; key < 5; key++)
                assert_int_equal(arrive(&b, key), DDPP_DROPPED);
        assert_int_equal(b.n, 3);
        for (int i = 0; i < BUFFER; i++)
            assert_int_equal(b.memory[i], 0);
        assert_int_equal(ddpp_statistics(b.d)->late, 10);
        bench_close(&b);
    }
}

/* Each of the 32 subsets arrives, in order or not, each message twice; what is missing is given up at the
 * end. */
/* checks: CORE-3.3-1 CORE-3.3-2 CORE-3.3-3 CORE-3.3-4 CORE-3-6 */
TEST(unreliable_ordered)
{
    for (unsigned subset = 0; subset < 32; subset++) {
        uint32_t order[5] = {0, 1, 2, 3, 4};
        do {
            struct bench b;
            uint64_t last = 0;
            bench_open(&b, conf_of(false, true));
            for (int i = 0; i < 5; i++) {
                if (!(subset >> order[i] & 1))
                    continue;
                arrive(&b, order[i]);
                arrive(&b, order[i]);
                if (i == 2) { /* the mapping waits no longer */
                    ddpp_give_up(b.d, order[i] + 1);
                    hear(&b);
                }
            }
            ddpp_give_up(b.d, 5);
            hear(&b);
            for (uint32_t i = 0; i < b.n; i++) {
                assert_true(subset >> b.told[i].key & 1);
                assert_true(!i || b.told[i].key > last);
                last = b.told[i].key;
            }
            memset(b.memory, 0, BUFFER);
            for (uint64_t key = 0; key < 5; key++)
                assert_int_equal(arrive(&b, key), DDPP_DROPPED);
            assert_int_equal(b.memory[0] | b.memory[10] | b.memory[30] | b.memory[40], 0);
            bench_close(&b);
        } while (step(order));
    }
}

TEST(a_message_far_ahead_gives_up_what_is_missing)
{
    struct bench b;
    bench_open(&b, conf_of(false, true));
    assert_int_equal(decorated(&b, 0, true, 0, 0, "a"), DDPP_PLACE);
    assert_int_equal(decorated(&b, 1000, true, 1000, 0, "b"), DDPP_PLACE);
    ddpp_give_up(b.d, 1001);
    hear(&b);
    assert_int_equal(b.n, 2);
    assert_int_equal(b.told[1].id, 1000);
    assert_int_equal(decorated(&b, 500, true, 500, 0, "late"), DDPP_DROPPED);
    bench_close(&b);
    bench_open(&b, conf_of(true, true));
    assert_int_equal(decorated(&b, 64, true, 0, 0, "a"), DDPP_LATER); /* reliable: it comes again */
    assert_int_equal(decorated(&b, 63, true, 0, 0, "a"), DDPP_PLACE);
    bench_close(&b);
}

/* No promise: what comes is placed and told, every time. */
/* checks: CORE-3.4-1 CORE-3-2 */
TEST(unreliable_unordered)
{
    struct bench b;
    bench_open(&b, conf_of(false, false));
    for (int i = 0; i < 3; i++) {
        memset(b.memory, 0, BUFFER);
        assert_int_equal(arrive(&b, 4), DDPP_PLACE);
        assert_int_equal(b.memory[40], '4');
        assert_int_equal(b.n, 1 + (uint32_t)i);
    }
    assert_int_equal(arrive(&b, 1), DDPP_PLACE);
    assert_int_equal(b.n, 4);
    bench_close(&b);
}

/* ---- room ---- */

TEST(what_waits_has_its_bounds)
{
    struct bench b;
    struct ddpp_conf conf = conf_of(true, true);
    conf.keep = 2;
    bench_open(&b, conf);
    assert_int_equal(undecorated(&b, 2, "c"), DDPP_TAKEN);
    assert_int_equal(undecorated(&b, 1, "b"), DDPP_TAKEN);
    assert_int_equal(undecorated(&b, 3, "d"), DDPP_LATER);
    assert_int_equal(undecorated(&b, 0, "a"), DDPP_LATER); /* the mapping must keep a slot for its turn */
    hear(&b);
    assert_int_equal(b.n, 0);
    bench_close(&b);
    conf = conf_of(true, false);
    conf.remember = 4;
    bench_open(&b, conf);
    for (uint64_t key = 0; key < 4; key++) {
        struct ddpp_place place;
        assert_int_equal(check(&b, key, true, 1, 0, "x", &place), DDPP_PLACE);
        ddpp_commit(b.d, &place); /* nobody takes the events */
    }
    struct ddpp_place place;
    assert_int_equal(check(&b, 4, true, 1, 0, "x", &place), DDPP_LATER);
    hear(&b);
    assert_int_equal(b.n, 4);
    assert_int_equal(check(&b, 4, true, 1, 0, "x", &place), DDPP_PLACE);
    ddpp_commit(b.d, &place);
    bench_close(&b);
}

/* Nobody takes the events while four placements end: a fifth must wait, or one would be lost. */
TEST(what_is_on_its_way_to_memory_has_room_to_be_told)
{
    struct bench b;
    struct ddpp_conf conf = conf_of(false, false);
    struct ddpp_place place[5];
    conf.remember = 4;
    bench_open(&b, conf);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(check(&b, i, true, i, 0, "x", &place[i]), DDPP_PLACE);
    assert_int_equal(check(&b, 4, true, 4, 0, "x", &place[4]), DDPP_LATER);
    for (uint32_t i = 0; i < 4; i++)
        ddpp_commit(b.d, &place[i]);
    hear(&b);
    assert_int_equal(b.n, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(b.told[i].id, i);
    bench_close(&b);
}

/* Twice as many as can be kept come and go, several at a time: each place is used again. */
TEST(what_was_taken_makes_room_again)
{
    struct ddpp_conf conf = conf_of(true, true);
    struct bench b;
    conf.keep = 3;
    bench_open(&b, conf);
    for (uint64_t key = 0; key < 24; key += 3) {
        b.n = 0;
        assert_int_equal(undecorated(&b, key + 2, "ccc"), DDPP_TAKEN);
        assert_int_equal(undecorated(&b, key + 1, "bb"), DDPP_TAKEN);
        assert_int_equal(b.n, 0);
        assert_int_equal(undecorated(&b, key, "a"), DDPP_TAKEN);
        assert_int_equal(b.n, 3);
        for (uint32_t i = 0; i < 3; i++) {
            assert_false(b.told[i].indication);
            assert_int_equal(b.told[i].key, key + i);
            assert_int_equal(b.told[i].len, i + 1);
            assert_memory_equal(b.text[i], "abc" + i, 1);
        }
    }
    assert_int_equal(ddpp_statistics(b.d)->undecorated, 24);
    assert_int_equal(ddpp_statistics(b.d)->indications, 0);
    bench_close(&b);
}

/* What no buffer takes is passed over: the message behind it is told at once. An indication has no octets. */
TEST(what_is_dropped_holds_nobody_up)
{
    struct bench b;
    bench_open(&b, conf_of(true, true));
    assert_int_equal(undecorated(&b, 1, "late"), DDPP_TAKEN);
    assert_int_equal(b.n, 0);
    assert_int_equal(decorated(&b, 0, true, 5, BUFFER, "x"), DDPP_DROPPED);
    assert_int_equal(b.n, 1);
    assert_int_equal(b.told[0].key, 1);
    assert_int_equal(decorated(&b, 2, true, 6, 0, "x"), DDPP_PLACE);
    assert_int_equal(b.n, 2);
    assert_true(b.told[1].indication);
    assert_null(b.told[1].octets);
    assert_int_equal(ddpp_statistics(b.d)->undecorated, 1);
    assert_int_equal(ddpp_statistics(b.d)->indications, 1);
    bench_close(&b);
}

TEST(a_configuration_that_makes_no_sense_is_refused)
{
    struct ddpp_conf conf = conf_of(true, true);
    assert_null(ddpp_conf_error(&conf));
    conf.remember = 63;
    assert_non_null(ddpp_conf_error(&conf));
    assert_int_equal(ddpp_size(&conf), 0);
    conf.remember = 64;
    conf.message_max = 16;
    assert_non_null(ddpp_conf_error(&conf));
}

/* ---- unregistering; more than two hosts ---- */

/* An STag that is used for another buffer at once: what is late for the old one lands in the new one, unless
 * the STag is in quarantine for as long as a datagram can live. */
/* checks: CORE-3.4-3 CORE-3.4-2 */
TEST(an_stag_reused_at_once_is_a_hazard_and_quarantine_removes_it)
{
    enum { MDL = 1000 };
    static uint8_t other[BUFFER];
    for (int quarantine = 0; quarantine < 2; quarantine++) {
        struct bench b;
        struct ddpp_place place;
        struct iw_region region = {.base = other, .len = BUFFER, .rights = IW_REMOTE_WRITE, .pd = PD};
        uint8_t head[16];
        memset(other, 0, sizeof other);
        bench_open(&b, conf_of(false, false));
        assert_int_equal(iw_invalidate(b.stags, b.stag), IW_OK);
        assert_int_equal(iw_rebind(b.stags, b.stag, &region), IW_OK); /* the client chose the same name */
        if (quarantine)
            assert_int_equal(ddpp_quarantine(b.d, 0, b.stag, MDL), IW_OK);
        head_of(head, false, 0, b.stag, 0);
        for (uint64_t now = 0; now < MDL; now += 333) { /* sent before, at most MDL ago */
            enum ddpp_verdict v =
                ddpp_check_decorated(b.d, now, now, head, (const uint8_t *)"old", 3, &place);
            assert_int_equal(v, quarantine ? DDPP_DROPPED : DDPP_PLACE);
            if (v == DDPP_PLACE)
                ddpp_commit(b.d, &place);
        }
        assert_int_equal(other[0], quarantine ? 0 : 'o');
        assert_int_equal(ddpp_statistics(b.d)->quarantined, quarantine ? 4 : 0);
        assert_int_equal(ddpp_check_decorated(b.d, MDL, 9, head, (const uint8_t *)"new", 3, &place),
                         DDPP_PLACE);
        ddpp_commit(b.d, &place);
        assert_memory_equal(other, "new", 3);
        if (quarantine) { /* two at a time */
            assert_int_equal(ddpp_quarantine(b.d, MDL, 1, 2 * MDL), IW_OK);
            assert_int_equal(ddpp_quarantine(b.d, MDL, 2, 2 * MDL), IW_OK);
            assert_int_equal(ddpp_quarantine(b.d, MDL, 3, 2 * MDL), IW_EFULL);
        }
        bench_close(&b);
    }
}

/* Who asked first was promised it, too; and one STag needs one place. */
/* checks: CORE-3.4-3 */
TEST(of_two_quarantines_of_one_stag_the_longer_counts)
{
    static const uint64_t until[2][2] = {{300, 250}, {250, 300}};
    for (int way = 0; way < 2; way++) {
        struct bench b;
        struct ddpp_place place;
        uint8_t head[16];
        bench_open(&b, conf_of(false, false)); /* two places */
        head_of(head, false, 0, b.stag, 0);
        assert_int_equal(ddpp_quarantine(b.d, 0, 77, 100), IW_OK);
        assert_int_equal(ddpp_quarantine(b.d, 0, b.stag, until[way][0]), IW_OK);
        assert_int_equal(ddpp_quarantine(b.d, 0, b.stag, until[way][1]), IW_OK); /* both are taken: its own */
        assert_int_equal(ddpp_quarantine(b.d, 0, 78, 100), IW_EFULL);
        assert_int_equal(ddpp_quarantine(b.d, 100, b.stag, 200), IW_OK); /* though the other's time is over */
        assert_int_equal(ddpp_quarantine(b.d, 100, 78, 400), IW_OK);
        assert_int_equal(ddpp_quarantine(b.d, 100, 79, 400), IW_EFULL);
        assert_int_equal(ddpp_check_decorated(b.d, 299, 1, head, (const uint8_t *)"old", 3, &place),
                         DDPP_DROPPED);
        assert_int_equal(ddpp_check_decorated(b.d, 300, 2, head, (const uint8_t *)"new", 3, &place),
                         DDPP_PLACE);
        ddpp_commit(b.d, &place);
        bench_close(&b);
    }
}

/* Two senders, a receiver for each over one table of STags. */
/* checks: CORE-4-1 */
TEST(several_sources_need_nothing_special)
{
    struct bench b;
    struct ddpp_conf conf = conf_of(true, true);
    uint8_t head[16];
    struct ddpp_place place;
    struct ddpp_event event;
    bench_open(&b, conf);
    conf.stags = b.stags;
    struct ddpp *second = ddpp_init(malloc(ddpp_size(&conf)), &conf);
    assert_int_equal(decorated(&b, 0, true, 1, 0, "left"), DDPP_PLACE);
    head_of(head, true, 2, b.stag, 4);
    assert_int_equal(ddpp_check_decorated(second, 0, 0, head, (const uint8_t *)"right", 5, &place),
                     DDPP_PLACE);
    ddpp_commit(second, &place);
    assert_true(ddpp_take(second, &event) && event.id == 2);
    assert_int_equal(b.n, 1);
    assert_memory_equal(b.memory, "leftright", 9);
    free(second);
    bench_close(&b);
}

/* The same message to three receivers that gave their buffers the same name and offset, and to any one of
 * them. */
/* checks: CORE-4-2 CORE-4-3 */
TEST(one_message_finds_the_buffer_of_every_receiver)
{
    struct bench b[3];
    for (int i = 0; i < 3; i++)
        bench_open(&b[i], conf_of(false, false));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(b[i].stag, b[0].stag);
        assert_int_equal(decorated(&b[i], 0, true, 1, 7, "all"), DDPP_PLACE);
        assert_memory_equal(b[i].memory + 7, "all", 3);
    }
    assert_int_equal(decorated(&b[1], 1, true, 2, 7, "any"), DDPP_PLACE);
    assert_memory_equal(b[1].memory + 7, "any", 3);
    for (int i = 0; i < 3; i++)
        bench_close(&b[i]);
}
