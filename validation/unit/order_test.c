/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Placement in any order, delivery in one (RFC 5041 sections 5.3 and 5.4, RFC 5040 section 5.5 and appendix B).
 *
 * The scripts are short enough to try every order of arrival. */
#include "rig.h"

enum { ALL = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE, MAX = 7 };

/* A stream of segments, and for each the number of messages that are whole once it and all before have arrived. */
struct script {
    uint32_t n;
    struct ulpdu u[MAX];
    uint32_t whole[MAX + 1]; /* by count of segments in order */
    uint32_t lasts[MAX];     /* which segments end a message */
};

static struct script script_of(const char *const *text, uint32_t n)
{
    struct script s = {.n = n};
    for (uint32_t i = 0; i < n; i++) {
        s.u[i] = hex(text[i]);
        bool last = s.u[i].octets[0] & 0x40;
        s.lasts[s.whole[i]] = i;
        s.whole[i + 1] = s.whole[i] + last;
    }
    return s;
}

static void stage(struct rig *r, struct script *s, struct iw_conf conf)
{
    rig_open(r, conf);
    rig_memory(r, 0, 16, ALL);            /* 0x100: what Writes go to */
    rig_memory(r, 0, 16, IW_LOCAL_WRITE); /* 0x200: two receives of 8 octets */
    rig_recv(r, 1, 0x200, 0, 8);
    rig_recv(r, 2, 0x200, 8, 8);
    rig_keys(r, s->u, s->n);
}

/* Messages told so far: exactly those that are whole in stream order, in that order, each once. */
static void expect_told(const struct rig *r, const struct script *s, uint32_t in_order)
{
    assert_int_equal(r->messages, s->whole[in_order]);
    for (uint32_t i = 0; i < r->messages; i++)
        assert_int_equal(r->message[i].key, s->u[s->lasts[i]].key);
}

/* The payload of segment i is in place. */
static bool in_place(struct rig *r, const struct ulpdu *u)
{
    const uint8_t *at, *p = u->octets;
    uint32_t head = p[0] & 0x80 ? 14 : 18;
    if (p[0] & 0x80)
        at = rig_at(r, 0x100, p[13]);
    else
        at = rig_at(r, 0x200, 8u * (p[13] - 1u) + p[17]);
    return memcmp(at, p + head, u->len - head) == 0;
}

static void run(struct script *s, const uint32_t *order, uint32_t arrivals, struct iw_conf conf)
{
    for (uint32_t k = 1; k <= arrivals; k++) {
        struct rig r;
        uint32_t have = 0, in_order = 0;
        stage(&r, s, conf);
        assert_int_equal(rig_present(&r, s->u, s->n, order, k), IW_OK);
        for (uint32_t i = 0; i < k; i++)
            have |= 1u << order[i];
        while (have >> in_order & 1)
            in_order++;
        expect_told(&r, s, in_order);
        for (uint32_t i = 0; i < s->n && conf.reorder_max; i++)
            if (have >> i & 1)
                assert_true(in_place(&r, &s->u[i]));
        rig_close(&r);
    }
}

static const char *const mixed[] = {
    "81 40 00000100 0000000000000000 | 0102", /* Write of two segments */
    "c1 40 00000100 0000000000000002 | 0304",
    "01 43 00000000 00000000 00000001 00000000 | 1112", /* Send of two */
    "41 43 00000000 00000000 00000001 00000002 | 1314",
    "c1 40 00000100 0000000000000008 | 212223",             /* Write */
    "41 43 00000000 00000000 00000002 00000000 | 31323334", /* Send */
};

/* checks: DDP-4.1-7 DDP-5.3-1 DDP-5.3-4 DDP-5.3-6 DDP-5.3-7 DDP-5.4-2 DDP-5.4-3 DDP-5.4-4 DDP-5.4-5 DDP-5.2-5 */
/* checks: DDP-3-5a DDP-3-5b DDP-3-4 RDMAP-3.1-3 RDMAP-3.1-11 RDMAP-5.3-5 RDMAP-5.5-3 RDMAP-5.5-10 RDMAP-5.5-16 */
TEST(every_order_of_arrival_is_delivered_in_the_order_sent)
{
    struct script s = script_of(mixed, 6);
    uint32_t order[] = {0, 1, 2, 3, 4, 5};
    do
        run(&s, order, 6, rig_conf());
    while (rig_permute(order, 6));
}

/* checks: DDP-5.3-5 DDP-5.3-6 DDP-3-11 */
TEST(a_segment_that_comes_twice_is_delivered_once)
{
    struct script s = script_of(mixed + 2, 4);
    uint32_t order[] = {0, 1, 2, 3};
    do {
        for (uint32_t again = 0; again < 4; again++) { /* any segment, again at any later place */
            for (uint32_t at = 1; at <= 4; at++) {
                uint32_t twice[5], k = 0;
                for (uint32_t i = 0; i < 5; i++)
                    twice[i] = i == at ? again : order[k++];
                run(&s, twice, 5, rig_conf());
            }
        }
    } while (rig_permute(order, 4));
}

/* A small table of out-of-order messages: the rest is IW_LATER, and nothing else changes. */
/* checks: DDP-5.3-7 DDP-5.3-6 DDP-5.4-3 */
TEST(a_full_table_of_out_of_order_messages_only_delays)
{
    for (uint16_t max = 0; max <= 2; max++) {
        struct script s = script_of(mixed, 6);
        struct iw_conf conf = rig_conf();
        conf.reorder_max = max;
        uint32_t order[] = {0, 1, 2, 3, 4, 5};
        do {
            struct rig r;
            stage(&r, &s, conf);
            assert_int_equal(rig_present(&r, s.u, s.n, order, 6), IW_OK);
            expect_told(&r, &s, 6);
            for (uint32_t i = 0; i < 6; i++)
                assert_true(in_place(&r, &s.u[i]));
            assert_true(iw_statistics(r.ep)->remembered_peak <= max + 1u);
            assert_int_equal(iw_statistics(r.ep)->remembered, 0);
            rig_close(&r);
        } while (rig_permute(order, 6));
    }
}

/* checks: DDP-4.1-8 DDP-5.4-2 */
TEST(without_an_l_bit_nothing_is_delivered)
{
    static const char *const open[] = {
        "81 40 00000100 0000000000000000 | 0102",
        "81 40 00000100 0000000000000002 | 0304",
        "81 40 00000100 0000000000000004 | 0506",
    };
    struct script s = script_of(open, 3);
    uint32_t order[] = {0, 1, 2};
    do
        run(&s, order, 3, rig_conf());
    while (rig_permute(order, 3));
}

/* ---- appendix B: two operations of one peer, first and second, whose segments arrive swapped ---- */

enum kind { SEND, WRITE, READ };

static struct ulpdu operation(enum kind kind, uint32_t nth, uint32_t msn)
{
    static const char *const text[][2] = {
        [SEND] = {"41 43 00000000 00000000 00000000 00000000 | 5151",
                  "41 43 00000000 00000000 00000000 00000000 | 5252"},
        [WRITE] = {"c1 40 00000100 0000000000000000 | a1a1", "c1 40 00000100 0000000000000004 | a2a2"},
        [READ] = {"41 41 00000000 00000001 00000000 00000000 | "
                  "00000051 0000000000000000 00000002 00000100 0000000000000000",
                  "41 41 00000000 00000001 00000000 00000000 | "
                  "00000052 0000000000000000 00000002 00000100 0000000000000004"},
    };
    struct ulpdu u = hex(text[kind][nth]);
    if (kind != WRITE)
        u.octets[13] = (uint8_t)msn;
    return u;
}

static bool placed(struct rig *r, enum kind kind, uint32_t nth, uint32_t msn)
{
    static const uint8_t want[][2] = {[SEND] = {0x51, 0x52}, [WRITE] = {0xa1, 0xa2}};
    const uint8_t *at = kind == SEND ? rig_at(r, 0x200, 8u * (msn - 1)) : rig_at(r, 0x100, nth ? 4 : 0);
    return kind != READ && at[0] == want[kind][nth] && at[1] == want[kind][nth];
}

/* What may show once only the second has arrived: its octets may be placed; nothing is told or answered. */
static void expect_only_placement(struct rig *r)
{
    assert_int_equal(r->messages, 0);
    expect_not_done(r->recv_cq);
    expect_silence(r);
}

static void expect_outcome(struct rig *r, enum kind kind, uint32_t nth, uint32_t msn)
{
    if (kind == SEND) {
        assert_int_equal(expect_done(r->recv_cq, msn, IW_RECV, IW_OK).len, 2);
        assert_true(placed(r, SEND, nth, msn));
    }
    if (kind == WRITE)
        assert_true(placed(r, WRITE, nth, msn));
    if (kind == READ) {
        struct ulpdu u;
        assert_true(rig_pull(r, &u)); /* what the Write before it, if there was one, has put there */
        assert_int_equal(u.octets[5], 0x51 + nth);
    }
}

/* checks: RDMAP-B-1 RDMAP-B-2 RDMAP-B-3 RDMAP-B-4 RDMAP-B-5 RDMAP-B-6 RDMAP-B-9 RDMAP-5.5-12a RDMAP-5.5-17 */
/* checks: RDMAP-5.5-20a RDMAP-5.5-3 */
TEST(appendix_b_pair_by_pair)
{
    for (int first = SEND; first <= READ; first++) {
        for (int second = SEND; second <= READ; second++) {
            struct rig r;
            uint32_t msn = first == second ? 2 : 1;
            struct script s = {
                .n = 2, .u = {operation((enum kind)first, 0, 1), operation((enum kind)second, 1, msn)}};
            stage(&r, &s, rig_conf());
            struct iw_seg seg;
            iw_seg_view(&seg, s.u[1].key, s.u[1].octets, s.u[1].len);
            assert_int_equal(iw_receive(r.ep, r.now, &seg), IW_OK);
            expect_only_placement(&r);
            if (second != READ)
                assert_true(placed(&r, (enum kind)second, 1, msn)); /* before the first: no order */
            assert_int_equal(rig_arrive(&r, s.u[0]), IW_OK);
            expect_outcome(&r, (enum kind)first, 0, 1);
            assert_int_equal(r.messages, 1);
            assert_int_equal(iw_deliver(r.ep, r.now, s.u[1].key + 100, NULL), 1);
            expect_outcome(&r, (enum kind)second, 1, msn);
            rig_close(&r);
        }
    }
}

/* `later` was posted after `earlier`, and is delivered before it. */
static void expect_the_later_one_first(struct rig *earlier, struct rig *to, struct rig *later,
                                       struct rig *back)
{
    expect_not_done(to->recv_cq);
    assert_int_equal(rig_carry(later, back), IW_OK);
    expect_done(back->recv_cq, 9, IW_RECV, IW_OK);
    expect_not_done(to->recv_cq);
    assert_int_equal(rig_carry(earlier, to), IW_OK);
    expect_done(to->recv_cq, 9, IW_RECV, IW_OK);
}

static void open_and_send(struct rig *r, bool sends)
{
    rig_open(r, rig_conf());
    iw_stag m = rig_memory(r, 0, 8, IW_LOCAL_WRITE);
    rig_recv(r, 9, m, 0, 4);
    if (sends)
        rig_send(r, 1, IW_SEND, m, 4, 4);
}

/* checks: RDMAP-5.5-2 */
TEST(the_two_directions_have_no_order_between_them)
{
    struct rig r[2];
    for (int i = 0; i < 2; i++)
        open_and_send(&r[i], true);
    expect_the_later_one_first(&r[0], &r[1], &r[1], &r[0]);
    for (int i = 0; i < 2; i++)
        rig_close(&r[i]);
}

/* checks: RDMAP-5.5-1 */
TEST(streams_have_no_order_between_them)
{
    struct rig r[4]; /* 0 sends to 1, and then 2 to 3 */
    for (int i = 0; i < 4; i++)
        open_and_send(&r[i], i % 2 == 0);
    expect_the_later_one_first(&r[0], &r[1], &r[2], &r[3]);
    for (int i = 0; i < 4; i++)
        rig_close(&r[i]);
}

/* A Write's octets are what a later Read of them answers with, whatever the order of arrival. */
/* checks: RDMAP-B-6 RDMAP-5.5-12a */
TEST(a_read_after_a_write_sees_it)
{
    uint32_t order[] = {0, 1, 2};
    do {
        struct rig r;
        struct script s = {.n = 3,
                           .u = {hex("81 40 00000100 0000000000000000 | a1"),
                                 hex("c1 40 00000100 0000000000000001 | a2"), operation(READ, 0, 1)}};
        stage(&r, &s, rig_conf());
        assert_int_equal(rig_present(&r, s.u, 3, order, 3), IW_OK);
        expect_sent(&r, "c1 42 00000051 0000000000000000 | a1a2");
        rig_close(&r);
    } while (rig_permute(order, 3));
}

/* Both answers of a Read and a Write behind it are legal without a fence; ours reads when the LLP pulls. */
/* checks: RDMAP-5.5-12b RDMAP-B-8 RDMAP-B-7 RDMAP-5.5-18 */
TEST(work_behind_a_read_may_overtake_its_answer)
{
    struct rig r;
    struct script s = {.n = 3, .u = {operation(READ, 0, 1), operation(WRITE, 0, 0), operation(SEND, 0, 1)}};
    const uint32_t order[] = {0, 1, 2};
    stage(&r, &s, rig_conf());
    assert_int_equal(rig_present(&r, s.u, 3, order, 3), IW_OK);
    expect_done(r.recv_cq, 1, IW_RECV, IW_OK); /* the Send is complete before the Read is answered */
    expect_sent(&r, "c1 42 00000051 0000000000000000 | a1a1");
    rig_close(&r);
}

/* checks: RDMAP-5.5-13 RDMAP-5.5-15 */
TEST(with_a_fence_a_write_waits_for_the_read_before_it)
{
    struct rig a, b;
    rig_open(&a, rig_conf());
    rig_open(&b, rig_conf());
    iw_stag sink = rig_memory(&a, 0, 4, ALL), source = rig_memory(&b, 0, 4, ALL);
    rig_count(&b, source);
    iw_stag ones = rig_memory(&a, 0, 4, ALL);
    memset(rig_at(&a, ones, 0), 0xff, 4);
    rig_tagged(&a, 1, IW_READ, (struct iw_sge){sink, 4, 0}, source, 0);
    struct iw_work write = {
        .id = 2, .op = IW_WRITE, .flags = IW_FENCE, .sges = 1, .sge = {{ones, 4, 0}}, .remote_stag = source};
    assert_int_equal(rig_post(&a, write), IW_OK);
    assert_int_equal(rig_carry(&a, &b), IW_OK); /* only the Request leaves */
    expect_octets(rig_at(&b, source, 0), "00010203");
    assert_int_equal(rig_carry(&b, &a), IW_OK);
    assert_int_equal(rig_carry(&a, &b), IW_OK);
    expect_octets(rig_at(&a, sink, 0), "00010203");
    expect_octets(rig_at(&b, source, 0), "ffffffff");
    expect_done(a.send_cq, 1, IW_READ, IW_OK);
    expect_done(a.send_cq, 2, IW_WRITE, IW_OK);
    rig_close(&a);
    rig_close(&b);
}

/* Two hostile Read Requests of the same MSN: the first in stream order is answered, the second is the error. */
/* checks: DDP-7.1-U5 RDMAP-7.1-4 RDMAP-5.5-17 */
TEST(of_two_requests_under_one_msn_the_first_counts)
{
    uint32_t order[] = {0, 1, 2};
    do {
        struct rig r;
        struct script s = {.n = 3,
                           .u = {operation(WRITE, 0, 0), operation(READ, 0, 1), operation(READ, 1, 1)}};
        stage(&r, &s, rig_conf());
        assert_int_equal(rig_present(&r, s.u, 3, order, 3), IW_TERM(1, 2, 3));
        expect_terminate(&r, IW_TERM(1, 2, 3), "MD", &s.u[2]);
        rig_close(&r);
    } while (rig_permute(order, 3));
}

/* The same, looked at between the two: the answer is that of the first, however the second came. */
/* checks: RDMAP-5.5-17 RDMAP-5.2.1-8 */
TEST(a_request_is_answered_as_it_was_asked_first)
{
    struct rig r;
    struct script s = {.n = 3, .u = {operation(WRITE, 0, 0), operation(READ, 0, 1), operation(READ, 1, 1)}};
    const uint32_t orders[][2] = {{1, 2}, {2, 1}};
    for (int way = 0; way < 2; way++) {
        struct iw_seg seg;
        stage(&r, &s, rig_conf());
        for (int i = 0; i < 2; i++) {
            const struct ulpdu *u = &s.u[orders[way][i]];
            iw_seg_view(&seg, u->key, u->octets, u->len);
            assert_int_equal(iw_receive(r.ep, r.now, &seg), IW_OK);
        }
        assert_int_equal(rig_arrive(&r, s.u[0]), IW_OK);
        assert_int_equal(iw_deliver(r.ep, r.now, s.u[2].key, NULL), 1);
        expect_sent(&r, "c1 42 00000051 0000000000000000 | a1a1");
        rig_close(&r);
    }
}

/* A segment without L that belongs to a message whose turn has not come: the same verdict, however it arrives. */
static void expect_same_verdict(const char *const *text, uint32_t n, bool reads)
{
    uint32_t order[MAX] = {0, 1, 2, 3, 4, 5, 6};
    int verdict = 0;
    for (bool first = true; first || rig_permute(order, n); first = false) {
        struct rig r;
        struct script s = script_of(text, n);
        stage(&r, &s, rig_conf());
        struct ulpdu out[2];
        if (reads) {
            rig_tagged(&r, 1, IW_READ, (struct iw_sge){0x100, 2, 0}, 0x42, 0);
            rig_tagged(&r, 2, IW_READ, (struct iw_sge){0x100, 2, 8}, 0x42, 0);
            assert_int_equal(rig_pull_all(&r, out, 2), 2);
        }
        int got = rig_present(&r, s.u, n, order, n);
        if (first)
            verdict = got;
        assert_int_equal(got, verdict);
        rig_close(&r);
    }
}

/* checks: RDMAP-7.1-4 DDP-7.1-U5 */
TEST(a_send_segment_out_of_its_message_s_turn)
{
    static const char *const text[] = {
        "c1 40 00000100 0000000000000000 | 01",
        "01 43 00000000 00000000 00000002 00000000 | 02", /* MSN 1 is not through */
        "41 43 00000000 00000000 00000001 00000000 | 03",
    };
    expect_same_verdict(text, 3, false);
}

/* checks: RDMAP-7.1-4 RDMAP-5.2.2-8 */
TEST(a_response_segment_out_of_its_message_s_turn)
{
    static const char *const text[] = {
        "c1 40 00000100 0000000000000004 | 01",
        "81 42 00000100 0000000000000008 | 02", /* for the second Read, before the first is answered */
        "c1 42 00000100 0000000000000000 | 0304",
        "c1 42 00000100 0000000000000008 | 0506",
    };
    expect_same_verdict(text, 4, true);
}

/* checks: RDMAP-5.5-3 DDP-5.3-4 */
TEST(a_response_to_a_later_read_is_placed_before_its_turn)
{
    struct rig r;
    struct script s = {
        .n = 2,
        .u = {hex("c1 42 00000100 0000000000000000 | 0102"), hex("c1 42 00000100 0000000000000008 | 0304")}};
    struct ulpdu out[2];
    stage(&r, &s, rig_conf());
    rig_tagged(&r, 1, IW_READ, (struct iw_sge){0x100, 2, 0}, 0x42, 0);
    rig_tagged(&r, 2, IW_READ, (struct iw_sge){0x100, 2, 8}, 0x42, 0);
    assert_int_equal(rig_pull_all(&r, out, 2), 2);
    struct iw_seg seg;
    iw_seg_view(&seg, s.u[1].key, s.u[1].octets, s.u[1].len);
    assert_int_equal(iw_receive(r.ep, r.now, &seg), IW_OK);
    expect_octets(rig_at(&r, 0x100, 8), "0304");
    expect_not_done(r.send_cq);
    rig_close(&r);
}

/* ---- the exception: a verdict that depends on what changed between arrival and turn ---- */

struct change {
    const char *name;
    const char *first, *second; /* in stream order */
    int in_order, swapped;      /* IW_OK, or how the stream ends */
};

/* checks: DDP-7.1-T1 RDMAP-5.3-15 DDP-8.3-2 */
TEST(verdicts_that_depend_on_the_order_of_arrival)
{
    static const struct change changes[] = {
        {"Send with Invalidate, then a Write to that STag", "41 44 00000100 00000000 00000001 00000000",
         "c1 40 00000100 0000000000000000 | 01", IW_TERM(1, 1, 0), IW_OK},
        {"Send with Invalidate, then a Read of that STag", "41 44 00000100 00000000 00000001 00000000",
         "41 41 00000000 00000001 00000001 00000000 | "
         "00000051 0000000000000000 00000001 00000100 0000000000000000",
         IW_TERM(0, 1, 0), IW_TERM(0, 1, 0)}, /* a Request is judged when it is delivered */
        {"Send with Invalidate twice", "41 44 00000100 00000000 00000001 00000000",
         "41 44 00000100 00000000 00000002 00000000", IW_TERM(0, 2, 9), IW_TERM(0, 2, 9)},
    };
    const uint32_t orders[2][2] = {{0, 1}, {1, 0}};
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        for (int way = 0; way < 2; way++) {
            struct rig r;
            struct script s = {.n = 2, .u = {hex(changes[i].first), hex(changes[i].second)}};
            stage(&r, &s, rig_conf());
            int want = way ? changes[i].swapped : changes[i].in_order;
            assert_int_equal(rig_present(&r, s.u, 2, orders[way], 2), want);
            rig_close(&r);
        }
    }
}

/* A receive that is posted while its Send waits: early arrival is IW_LATER, the turn finds the buffer. */
/* checks: DDP-7.1-U2 DDP-7.1-U5 */
TEST(a_receive_posted_meanwhile_is_found)
{
    struct rig r;
    struct script s = {.n = 2,
                       .u = {hex("c1 40 00000100 0000000000000000 | 01"),
                             hex("41 43 00000000 00000000 00000003 00000000 | 03")}};
    stage(&r, &s, rig_conf());
    assert_int_equal(rig_arrive_hex(&r, "41 43 00000000 00000000 00000001 00000000"), IW_OK);
    assert_int_equal(rig_arrive_hex(&r, "41 43 00000000 00000000 00000002 00000000"), IW_OK);
    rig_keys(&r, s.u, 2);
    struct iw_seg seg;
    struct iw_place place;
    iw_seg_view(&seg, s.u[1].key, s.u[1].octets, s.u[1].len);
    assert_int_equal(iw_check(r.ep, r.now, &seg, &place), IW_LATER);
    assert_int_equal(iw_statistics(r.ep)->later, 1);
    rig_recv(&r, 3, 0x200, 0, 8);
    assert_int_equal(rig_arrive(&r, s.u[0]), IW_OK);
    assert_int_equal(rig_arrive(&r, s.u[1]), IW_OK);
    for (uint64_t id = 1; id <= 3; id++)
        expect_done(r.recv_cq, id, IW_RECV, IW_OK);
    rig_close(&r);
}
