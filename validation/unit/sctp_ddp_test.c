/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The adaptation of RFC 5043, chunk by chunk: what is sent is compared with octets, what comes is made by
 * hand. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "validation/support/sctp_sessions.h"
#include "validation/support/test.h"
#include "validation/unit/sctp_rig.h"

struct bench {
    struct by_hand h;
    struct sctp_ddp *d;
    struct sctp_ddp_told told;
};

static const struct sctp_ddp_conf usual = {
    .streams = 4, .reorder = 256, .keep = 4, .pending = 2, .reserve = 16};

static void bench_open(struct bench *b, const struct sctp_ddp_conf *conf)
{
    by_hand_establish(&b->h, NULL);
    assert_null(sctp_ddp_conf_error(conf));
    b->d = sctp_sessions_new(conf, &b->h.conf, b->h.a);
}

static void bench_close(struct bench *b)
{
    free(b->d);
    by_hand_close(&b->h);
}

/* A chunk of the peer. */
static enum sctp_ddp_what came(struct bench *b, uint16_t stream, uint32_t ppid, const void *octets,
                               uint32_t len)
{
    static uint8_t copy[2048];
    struct sctp_in in = {.ppid = ppid,
                         .stream = stream,
                         .unordered = true,
                         .fresh = true,
                         .len = len,
                         .kept = len,
                         .octets = copy};
    memcpy(copy, octets, len);
    return sctp_ddp_receive(b->d, b->h.now, &in, &b->told);
}

static enum sctp_ddp_what control_came(struct bench *b, uint16_t stream, uint16_t ssn, uint16_t function)
{
    uint8_t octets[4];
    iw_put16(iw_put16(octets, ssn), function);
    return came(b, stream, 17, octets, 4);
}

/* An untagged DDP segment of 4 octets of payload; MSN is the DDP-SSN. */
static enum sctp_ddp_what segment_came(struct bench *b, uint16_t stream, uint16_t ssn)
{
    uint8_t octets[2 + 18 + 4] = {0, 0, 0x41, 0x43};
    iw_put16(octets, ssn);
    octets[2 + 13] = (uint8_t)ssn;
    return came(b, stream, 16, octets, sizeof octets);
}

/* The next packet has one DATA chunk: whole, unordered, with these octets, of this stream and PPID. */
static void expect_chunk(struct bench *b, uint16_t stream, uint32_t ppid, const void *octets, uint32_t len)
{
    assert_int_equal(by_hand_take(&b->h), SCTP_DATA);
    assert_int_equal(b->h.out[13], 7); /* U, B, E */
    assert_int_equal(at16(b->h.out + 14), 16 + len);
    assert_int_equal(at16(b->h.out + 20), stream);
    assert_int_equal(at32(b->h.out + 24), ppid);
    assert_memory_equal(b->h.out + 28, octets, len);
    assert_int_equal(b->h.out_len, 12 + 16 + ((len + 3) & ~3u));
}

static void expect_control(struct bench *b, uint16_t stream, uint16_t ssn, uint16_t function)
{
    uint8_t octets[4];
    iw_put16(iw_put16(octets, ssn), function);
    expect_chunk(b, stream, 17, octets, 4);
}

/* The peer acknowledges all that was sent. */
static void acknowledge(struct bench *b)
{
    while (by_hand_take(&b->h) != -1)
        ;
    by_hand_sack(&b->h, b->h.tsn + (uint32_t)sctp_statistics(b->h.a)->chunks_tx - 1, 1 << 20, NULL);
    sctp_ddp_note_acked(b->d, b->h.now);
}

static void open_passive(struct bench *b, uint16_t stream)
{
    assert_int_equal(control_came(b, stream, 0, 1), SCTP_DDP_INITIATED);
    assert_int_equal(sctp_ddp_decide(b->d, 0, stream, SCTP_DDP_ACCEPT, NULL, 0), IW_OK);
    expect_control(b, stream, 0, 2);
}

static int send_segment(struct bench *b, uint16_t stream, uint32_t payload)
{
    struct iw_seg seg = {.key = sctp_ddp_key(b->d, stream),
                         .payload_len = payload,
                         .head_len = 14,
                         .frags = 1,
                         .head = {0xc1, 0x40, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                         .frag = {{"abcdefgh", payload}}};
    return sctp_ddp_send(b->d, 0, stream, &seg, LLP_RIGHT);
}

/* ---- what is sent ---- */

/* checks: SCTP-5.2-1 SCTP-5.2.1-1 SCTP-5.2.2-1 SCTP-5.2.3-1 SCTP-6-1 SCTP-10-1 SCTP-9-2 SCTP-11.2-1 */
TEST(chunks_are_what_the_rfc_draws)
{
    static const uint8_t initiate[] = {0, 0, 0, 1, 'h', 'i'};
    static const uint8_t first[] = {0, 1, 0xc1, 0x40, 1,  2,  3,   4,   5,   6,
                                    7, 8, 9,    10,   11, 12, 'a', 'b', 'c', 'd'};
    struct bench b;
    bench_open(&b, &usual);
    assert_int_equal(sctp_ddp_initiate(b.d, 0, 2, "hi", 2), IW_OK);
    expect_chunk(&b, 2, 17, initiate, sizeof initiate);
    assert_int_equal(control_came(&b, 2, 0, 2), SCTP_DDP_ACCEPTED);
    assert_int_equal(send_segment(&b, 2, 4), IW_OK);
    expect_chunk(&b, 2, 16, first, sizeof first); /* at once: nothing waits to be bundled */
    assert_int_equal(send_segment(&b, 2, 0), IW_OK);
    expect_chunk(&b, 2, 16, ((uint8_t[]){0, 2, 0xc1, 0x40, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), 16);
    acknowledge(&b);
    assert_int_equal(sctp_ddp_acked(b.d, 2), 3);
    assert_int_equal(sctp_ddp_terminate(b.d, 0, 2), IW_OK);
    expect_control(&b, 2, 3, 4);
    bench_close(&b);
}

/* checks: SCTP-9-1 SCTP-9-3 SCTP-9-4 */
TEST(the_mulpdu_is_what_fits)
{
    static const struct {
        uint32_t mtu;
        uint16_t reserve;
        uint32_t mulpdu;
    } table[] = {{1480, 0, 1450}, {1480, 16, 1434}, {8980, 0, 8950}, {576, 0, 546},
                 {576, 16, 530},  {576, 32, 516},   {576, 64, 516}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct sctp_ddp_conf conf = usual;
        struct sctp_conf association;
        by_hand_defaults(&association);
        association.mtu = table[i].mtu;
        conf.reserve = table[i].reserve;
        struct sctp *a = sctp_init(malloc(sctp_size(&association)), &association);
        struct sctp_ddp *d = sctp_sessions_new(&conf, &association, a);
        assert_int_equal(sctp_ddp_mulpdu(d), table[i].mulpdu);
        free(d);
        free(a);
    }
    struct bench b;
    static uint8_t large[2000];
    bench_open(&b, &usual);
    open_passive(&b, 0);
    struct iw_seg seg = {
        .key = 1, .payload_len = 1434 - 14, .head_len = 14, .frags = 1, .frag = {{large, 1434 - 14}}};
    assert_int_equal(sctp_ddp_send(b.d, 0, 0, &seg, LLP_RIGHT), IW_OK);
    seg.key = 2;
    seg.frag[0].len = ++seg.payload_len;
    assert_int_equal(sctp_ddp_send(b.d, 0, 0, &seg, LLP_RIGHT), IW_EINVAL);
    seg.frag[0].len = --seg.payload_len;
    seg.key = 3; /* a gap */
    assert_int_equal(sctp_ddp_send(b.d, 0, 0, &seg, LLP_RIGHT), IW_EINVAL);
    bench_close(&b);
}

/* checks: SCTP-10-3 */
TEST(fewer_chunks_are_out_than_a_ddp_ssn_can_order)
{
    struct sctp_conf conf;
    by_hand_defaults(&conf);
    conf.chunks = 16384;
    assert_null(sctp_conf_error(&conf));
    conf.chunks = 32768;
    assert_non_null(sctp_conf_error(&conf));
}

/* ---- sessions ---- */

/* checks: SCTP-5.2.3-2 SCTP-5.2.3-4 SCTP-6.2-1 */
TEST(private_data_goes_with_the_control_message)
{
    static uint8_t most[512 + 5] = {0, 0, 0, 1, 0xaa, [515] = 0xbb};
    struct bench b;
    bench_open(&b, &usual);
    assert_int_equal(came(&b, 0, 17, most, 516), SCTP_DDP_INITIATED);
    assert_int_equal(b.told.private_len, 512);
    assert_int_equal(b.told.private_data[0], 0xaa);
    assert_int_equal(b.told.private_data[511], 0xbb);
    assert_int_equal(sctp_ddp_state(b.d, 0), SCTP_DDP_DECIDING);
    assert_int_equal(sctp_ddp_decide(b.d, 0, 0, SCTP_DDP_ACCEPT, most, 513), IW_EINVAL);
    assert_int_equal(sctp_ddp_decide(b.d, 0, 0, SCTP_DDP_ACCEPT, "yes", 3), IW_OK);
    expect_chunk(&b, 0, 17, "\0\0\0\2yes", 7);
    assert_int_equal(came(&b, 1, 17, most, 517), SCTP_DDP_ILLEGAL);
    expect_control(&b, 1, 0, 4);
    bench_close(&b);
}

/* checks: SCTP-6.3-1 SCTP-6.6-3 */
TEST(a_rejected_session_leaves_the_stream_free)
{
    struct bench b;
    bench_open(&b, &usual);
    assert_int_equal(control_came(&b, 0, 0, 1), SCTP_DDP_INITIATED);
    assert_int_equal(by_hand_take(&b.h), -1); /* nobody but the ULP rejects */
    assert_int_equal(sctp_ddp_decide(b.d, 0, 0, SCTP_DDP_REJECT, "no", 2), IW_OK);
    assert_int_equal(sctp_ddp_decide(b.d, 0, 0, SCTP_DDP_REJECT, "no", 2), IW_ESTATE);
    expect_chunk(&b, 0, 17, "\0\0\0\3no", 6);
    assert_int_equal(sctp_ddp_initiate(b.d, 0, 0, NULL, 0), IW_ESTATE); /* it may still be on its way */
    acknowledge(&b);
    assert_int_equal(sctp_ddp_state(b.d, 0), SCTP_DDP_CLOSED);
    assert_int_equal(sctp_ddp_initiate(b.d, 0, 0, NULL, 0), IW_OK);
    expect_control(&b, 0, 0, 1);
    acknowledge(&b);
    assert_int_equal(came(&b, 0, 17, "\0\0\0\3no", 6), SCTP_DDP_REJECTED);
    assert_memory_equal(b.told.private_data, "no", 2);
    sctp_ddp_note_acked(b.d, 0);
    assert_int_equal(sctp_ddp_state(b.d, 0), SCTP_DDP_CLOSED);
    bench_close(&b);
}

/* checks: SCTP-5.2.3-5 SCTP-6.4-1 */
TEST(too_many_initiates_are_answered_with_terminate)
{
    struct bench b;
    bench_open(&b, &usual);
    assert_int_equal(control_came(&b, 0, 0, 1), SCTP_DDP_INITIATED);
    assert_int_equal(control_came(&b, 1, 0, 1), SCTP_DDP_INITIATED);
    assert_int_equal(control_came(&b, 2, 0, 1), SCTP_DDP_NOTHING);
    expect_control(&b, 2, 0, 4);
    acknowledge(&b);
    assert_int_equal(sctp_ddp_state(b.d, 2), SCTP_DDP_CLOSED);
    sctp_ddp_decide(b.d, 0, 0, SCTP_DDP_ACCEPT, NULL, 0);
    acknowledge(&b);
    assert_int_equal(control_came(&b, 2, 0, 1), SCTP_DDP_INITIATED);
    bench_close(&b);
}

TEST(an_initiate_answered_with_terminate_is_over)
{
    struct bench b;
    bench_open(&b, &usual);
    sctp_ddp_initiate(b.d, 0, 0, NULL, 0);
    acknowledge(&b);
    assert_int_equal(control_came(&b, 0, 0, 4), SCTP_DDP_NOTHING);
    sctp_ddp_note_acked(b.d, 0);
    assert_int_equal(by_hand_take(&b.h), -1);
    assert_int_equal(sctp_ddp_state(b.d, 0), SCTP_DDP_CLOSED);
    bench_close(&b);
}

/* checks: SCTP-6.6-1 SCTP-6.6-2 */
TEST(nothing_overtakes_a_control_message)
{
    struct bench b;
    bench_open(&b, &usual);
    sctp_ddp_initiate(b.d, 0, 0, NULL, 0);
    expect_control(&b, 0, 0, 1);
    assert_false(sctp_ddp_has_room(b.d, 0, 0, 0));
    assert_int_equal(send_segment(&b, 0, 4), IW_ESTATE);
    assert_int_equal(sctp_ddp_terminate(b.d, 0, 0), IW_OK);
    assert_int_equal(by_hand_take(&b.h), -1); /* Terminate could come first */
    acknowledge(&b);
    expect_control(&b, 0, 1, 4);
    assert_int_equal(control_came(&b, 1, 0, 1), SCTP_DDP_INITIATED);
    sctp_ddp_decide(b.d, 0, 1, SCTP_DDP_ACCEPT, NULL, 0);
    expect_control(&b, 1, 0, 2);
    sctp_ddp_terminate(b.d, 0, 1);
    assert_int_equal(by_hand_take(&b.h), -1);
    acknowledge(&b);
    expect_control(&b, 1, 1, 4);
    bench_close(&b);
}

/* checks: SCTP-6.1-1 SCTP-6.6-3 SCTP-6.2-1 */
TEST(a_stream_carries_one_session_after_the_other)
{
    struct bench b;
    struct llp_segment in;
    bench_open(&b, &usual);
    for (int round = 0; round < 3; round++) {
        open_passive(&b, 0);
        acknowledge(&b);
        assert_int_equal(segment_came(&b, 0, 1), SCTP_DDP_SEGMENTS);
        assert_true(sctp_ddp_next(b.d, 0, &in));
        assert_int_equal(in.seg.key, 1);
        assert_false(sctp_ddp_next(b.d, 0, &in));
        assert_int_equal(control_came(&b, 0, 2, 4), SCTP_DDP_NOTHING);
        assert_true(sctp_ddp_peer_ended(b.d, 0));
        assert_int_equal(sctp_ddp_terminate(b.d, 0, 0), IW_OK);
        assert_int_equal(sctp_ddp_initiate(b.d, 0, 0, NULL, 0), IW_ESTATE);
        acknowledge(&b);
        assert_int_equal(sctp_ddp_state(b.d, 0), SCTP_DDP_CLOSED);
    }
    bench_close(&b);
}

/* After our Terminate the peer may finish what it was saying. */
TEST(the_peer_may_speak_on_until_its_own_terminate)
{
    struct bench b;
    struct llp_segment in;
    bench_open(&b, &usual);
    open_passive(&b, 0);
    acknowledge(&b);
    sctp_ddp_terminate(b.d, 0, 0);
    acknowledge(&b);
    assert_int_equal(segment_came(&b, 0, 1), SCTP_DDP_SEGMENTS);
    assert_true(sctp_ddp_next(b.d, 0, &in));
    assert_int_equal(control_came(&b, 0, 3, 4), SCTP_DDP_NOTHING); /* ahead of segment 2 */
    assert_false(sctp_ddp_peer_ended(b.d, 0));
    sctp_ddp_note_acked(b.d, 0);
    assert_int_equal(sctp_ddp_state(b.d, 0), SCTP_DDP_ENDING);
    assert_int_equal(segment_came(&b, 0, 2), SCTP_DDP_SEGMENTS);
    assert_true(sctp_ddp_next(b.d, 0, &in));
    assert_int_equal(sctp_ddp_edge(b.d, 0), 4);
    assert_true(sctp_ddp_peer_ended(b.d, 0));
    sctp_ddp_note_acked(b.d, 0);
    assert_int_equal(sctp_ddp_state(b.d, 0), SCTP_DDP_CLOSED);
    bench_close(&b);
}

/* Every place where a chunk cannot be. The answer is Terminate, once, and what else comes is dropped. */
/* checks: SCTP-6.1-2 SCTP-5.2.3-3 DDP-3-8b RDMAP-7-1b */
TEST(what_no_legal_sequence_has_ends_the_session)
{
    static const struct {
        const char *what;
        bool open;
        uint32_t ppid, len;
        uint8_t octets[8];
    } table[] = {
        {"a segment before any session", false, 16, 8, {0, 1, 0x41, 0x43}},
        {"Accept before any session", false, 17, 4, {0, 0, 0, 2}},
        {"Initiate that is not the first", false, 17, 4, {0, 1, 0, 1}},
        {"a second Initiate", true, 17, 4, {0, 1, 0, 1}},
        {"Accept from the active side", true, 17, 4, {0, 1, 0, 2}},
        {"Reject from the active side", true, 17, 4, {0, 1, 0, 3}},
        {"no such function", true, 17, 4, {0, 1, 0, 9}},
        {"Terminate with private data", true, 17, 5, {0, 1, 0, 4, 1}},
        {"DDP-SSN 0 again", true, 16, 8, {0, 0, 0x41, 0x43}},
        {"control cut short", true, 17, 3, {0, 1, 0}},
        {"a segment of nothing", true, 16, 2, {0, 1}},
        {"another payload protocol", true, 0, 8, {0, 1, 0x41, 0x43}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct bench b;
        struct llp_segment in;
        bench_open(&b, &usual);
        if (table[i].open) {
            open_passive(&b, 3);
            acknowledge(&b);
        }
        if (came(&b, 3, table[i].ppid, table[i].octets, table[i].len) != SCTP_DDP_ILLEGAL)
            fail_msg("%s", table[i].what);
        expect_control(&b, 3, table[i].open, 4);
        assert_false(sctp_ddp_has_room(b.d, 3, 0, 0));
        assert_int_equal(send_segment(&b, 3, 4), IW_ESTATE);
        assert_int_equal(segment_came(&b, 3, 1), SCTP_DDP_NOTHING);
        assert_false(sctp_ddp_next(b.d, 3, &in));
        assert_int_equal(by_hand_take(&b.h), -1);
        assert_int_equal(sctp_ddp_state(b.d, 0), SCTP_DDP_CLOSED); /* the others do not notice */
        assert_int_equal(control_came(&b, 0, 0, 1), SCTP_DDP_INITIATED);
        assert_int_equal(sctp_state(b.h.a), SCTP_ESTABLISHED);
        bench_close(&b);
    }
}

TEST(a_segment_after_the_terminate_is_illegal)
{
    struct bench b;
    struct llp_segment in;
    bench_open(&b, &usual);
    open_passive(&b, 0);
    control_came(&b, 0, 2, 4);
    assert_int_equal(segment_came(&b, 0, 3), SCTP_DDP_ILLEGAL);
    bench_close(&b);
    bench_open(&b, &usual);
    open_passive(&b, 0);
    segment_came(&b, 0, 2);
    assert_true(sctp_ddp_next(b.d, 0, &in));
    assert_int_equal(segment_came(&b, 0, 2), SCTP_DDP_ILLEGAL); /* twice, in two chunks */
    bench_close(&b);
}

/* ---- order ---- */

/* checks: SCTP-10-2 */
TEST(the_order_is_that_of_the_ddp_ssn)
{
    static const uint16_t order[] = {3, 1, 4, 2, 5};
    static const uint64_t edge[] = {1, 2, 2, 5, 6};
    struct bench b;
    struct llp_segment in;
    bench_open(&b, &usual);
    open_passive(&b, 0);
    assert_int_equal(sctp_ddp_edge(b.d, 0), 1);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(segment_came(&b, 0, order[i]), SCTP_DDP_SEGMENTS);
        assert_true(sctp_ddp_next(b.d, 0, &in));
        assert_int_equal(in.seg.key, order[i]);
        assert_int_equal(in.in_order, edge[i] > order[i]);
        assert_int_equal(in.seg.head[13], order[i]);
        assert_int_equal(in.seg.payload_len, 4);
        assert_false(sctp_ddp_next(b.d, 0, &in));
        assert_int_equal(sctp_ddp_edge(b.d, 0), edge[i]);
    }
    bench_close(&b);
}

TEST(the_ddp_ssn_wraps)
{
    struct bench b;
    struct llp_segment in;
    bench_open(&b, &usual);
    open_passive(&b, 0);
    for (uint32_t key = 1; key < 3 * 65536; key += 2) {
        segment_came(&b, 0, (uint16_t)(key + 1));
        assert_true(sctp_ddp_next(b.d, 0, &in));
        assert_int_equal(in.seg.key, key + 1);
        segment_came(&b, 0, (uint16_t)key);
        assert_true(sctp_ddp_next(b.d, 0, &in));
        assert_int_equal(in.seg.key, key);
        assert_int_equal(sctp_ddp_edge(b.d, 0), key + 2);
    }
    bench_close(&b);
}

/* checks: SCTP-10-4 */
TEST(a_ddp_ssn_too_far_ahead_is_not_remembered)
{
    struct bench b;
    bench_open(&b, &usual);
    open_passive(&b, 0);
    assert_int_equal(segment_came(&b, 0, 1 + 256), SCTP_DDP_REFUSED);
    assert_int_equal(segment_came(&b, 0, 256), SCTP_DDP_SEGMENTS);
    bench_close(&b);
}

TEST(segments_that_overtake_the_accept_wait_for_it)
{
    struct bench b;
    struct llp_segment in;
    bench_open(&b, &usual);
    sctp_ddp_initiate(b.d, 0, 0, NULL, 0);
    for (uint16_t ssn = 4; ssn > 0; ssn--)
        assert_int_equal(segment_came(&b, 0, ssn), SCTP_DDP_EARLY);
    assert_int_equal(segment_came(&b, 0, 5), SCTP_DDP_REFUSED); /* no room */
    assert_false(sctp_ddp_next(b.d, 0, &in));
    assert_int_equal(control_came(&b, 0, 0, 2), SCTP_DDP_ACCEPTED);
    for (uint16_t ssn = 1; ssn <= 4; ssn++) {
        assert_true(sctp_ddp_next(b.d, 0, &in));
        assert_true(in.in_order && !in.again);
        assert_int_equal(in.seg.key, ssn);
        assert_int_equal(in.seg.head[13], ssn);
    }
    assert_false(sctp_ddp_next(b.d, 0, &in));
    assert_int_equal(sctp_ddp_edge(b.d, 0), 5);
    bench_close(&b);
}

TEST(what_the_engine_cannot_take_yet_is_kept_or_comes_again)
{
    struct bench b;
    struct llp_segment in;
    bench_open(&b, &usual);
    open_passive(&b, 0);
    for (uint16_t ssn = 2; ssn <= 6; ssn++) {
        assert_int_equal(segment_came(&b, 0, ssn), SCTP_DDP_SEGMENTS);
        assert_true(sctp_ddp_next(b.d, 0, &in));
        assert_int_equal(sctp_ddp_keep(b.d, 0), ssn < 6 ? IW_OK : IW_EFULL);
    }
    assert_int_equal(segment_came(&b, 0, 1), SCTP_DDP_SEGMENTS);
    assert_true(sctp_ddp_next(b.d, 0, &in));
    assert_false(in.again);
    assert_int_equal(sctp_ddp_keep(b.d, 0), IW_EFULL); /* all four are in use */
    assert_int_equal(segment_came(&b, 0, 1), SCTP_DDP_SEGMENTS);
    assert_true(sctp_ddp_next(b.d, 0, &in));
    for (uint16_t ssn = 2; ssn <= 5; ssn++) {
        assert_true(sctp_ddp_next(b.d, 0, &in));
        assert_int_equal(in.seg.key, ssn);
        if (ssn == 3) { /* there is no receive buffer for it */
            assert_int_equal(sctp_ddp_keep(b.d, 0), IW_OK);
            assert_false(sctp_ddp_next(b.d, 0, &in));
            assert_int_equal(sctp_ddp_edge(b.d, 0), 3);
            sctp_ddp_again(b.d, 0);
            assert_true(sctp_ddp_next(b.d, 0, &in));
            assert_int_equal(in.seg.key, 3);
        }
    }
    assert_int_equal(segment_came(&b, 0, 6), SCTP_DDP_SEGMENTS); /* it was refused, and came again */
    assert_true(sctp_ddp_next(b.d, 0, &in));
    assert_int_equal(sctp_ddp_edge(b.d, 0), 7);
    assert_int_equal(segment_came(&b, 0, 7), SCTP_DDP_SEGMENTS);
    assert_true(sctp_ddp_next(b.d, 0, &in));
    assert_int_equal(sctp_ddp_keep(b.d, 0), IW_OK); /* in its turn, and nobody takes it yet */
    assert_false(sctp_ddp_next(b.d, 0, &in));
    sctp_ddp_again(b.d, 0);
    assert_true(sctp_ddp_next(b.d, 0, &in));
    assert_true(in.again && in.seg.key == 7);
    assert_int_equal(sctp_ddp_edge(b.d, 0), 8);
    bench_close(&b);
}

/* checks: SCTP-11.1-1 */
TEST(without_the_indication_there_is_no_ddp)
{
    struct bench b;
    bench_open(&b, &usual); /* its peer indicated nothing */
    assert_false(sctp_ddp_usable(b.d, 0));
    assert_int_equal(by_hand_take(&b.h), SCTP_ABORT);
    assert_int_equal(sctp_ddp_initiate(b.d, 0, 0, NULL, 0), IW_ESTATE);
    bench_close(&b);
}
