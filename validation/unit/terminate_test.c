/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Terminate message: sent, received, and silence after it (RFC 5040 sections 4.8, 5.4, 6.2.1, 7.1). */
#include "rig.h"

enum { ALL = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE };

/* Every value in the tables, told by the host or the LLP: type and code only, four octets. */
/* checks: RDMAP-7.1-1 RDMAP-4.8-1 RDMAP-4.8-2 RDMAP-4.8-3 RDMAP-4.8-10 RDMAP-5.4-1a RDMAP-5.4-1b RDMAP-5.4-2 */
/* checks: RDMAP-A-6 RDMAP-4.1-10 */
TEST(an_error_without_a_message_has_no_headers)
{
    for (uint32_t i = 0; i < iw_terms_count; i++) {
        struct rig r;
        int term = iw_terms[i].term;
        rig_open(&r, rig_conf());
        if (IW_TERM_LAYER(term) == 2)
            iw_llp_failed(r.ep, r.now, term);
        else
            assert_int_equal(iw_terminate(r.ep, r.now, term), IW_OK);
        if (term == IW_T_LLP_LOST || term == IW_T_LLP_STARTUP) {
            expect_silence(&r); /* no stream to say it on */
            assert_int_equal(expect_event(&r, IW_EV_FATAL).terminate.term, term);
        } else {
            expect_terminate(&r, term, "", NULL);
        }
        rig_close(&r);
    }
}

/* checks: RDMAP-4.8-3 */
TEST(only_values_of_the_tables_are_sent)
{
    struct rig r;
    rig_open(&r, rig_conf());
    assert_int_equal(iw_terminate(r.ep, r.now, IW_TERM(0, 1, 0x05)), IW_EINVAL);
    assert_int_equal(iw_terminate(r.ep, r.now, IW_TERM(3, 0, 0)), IW_EINVAL);
    assert_int_equal(iw_terminate(r.ep, r.now, 0), IW_EINVAL);
    assert_int_equal(iw_terminate(r.ep, r.now, IW_FLUSHED), IW_EINVAL);
    expect_no_event(&r);
    expect_silence(&r);
    rig_close(&r);
}

/* checks: RDMAP-7.1-1 */
TEST(the_terminate_goes_instead_of_a_request_that_cannot_be_made)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_stag m = rig_memory(&r, 0, 16, ALL);
    rig_send(&r, 1, IW_SEND, m, 0, 4);
    assert_int_equal(iw_invalidate(r.stags, m), IW_OK); /* taken away after it was posted */
    struct ulpdu u;
    assert_true(rig_pull(&r, &u));
    assert_int_equal(u.len, 18 + 4);
    assert_int_equal(u.octets[1], 0x47);
    assert_int_equal(u.octets[18] >> 4, 0); /* RDMA layer */
    assert_int_equal(u.octets[20], 0);      /* M, D, R */
    assert_true(rig_done(r.send_cq).status != IW_OK);
    expect_silence(&r);
    rig_close(&r);
}

/* checks: RDMAP-5.4-8 RDMAP-5.4-7 DDP-7.1-E4 RDMAP-7.1-2 */
TEST(it_leaves_next_and_nothing_leaves_after_it)
{
    struct rig r;
    struct iw_conf conf = rig_conf();
    conf.mulpdu = 128;
    rig_open(&r, conf);
    iw_stag m = rig_memory(&r, 0, 400, ALL);
    rig_send(&r, 1, IW_SEND, m, 0, 400);
    rig_send(&r, 2, IW_SEND, m, 0, 4);
    assert_int_equal(rig_arrive_hex(&r, "41 41 00000000 00000001 00000001 00000000 |"
                                        "00000051 0000000000000000 00000190 00000100 0000000000000000"),
                     IW_OK);
    struct ulpdu u, bad = hex("c1 40 deadbeef 0000000000000000 | 00");
    assert_true(rig_pull(&r, &u)); /* in the middle of a message */
    assert_int_equal(rig_arrive(&r, bad), IW_TERM(1, 1, 0));
    expect_terminate(&r, IW_TERM(1, 1, 0), "MD", &bad);
    assert_false(iw_has_work(r.ep));
    struct iw_work work = {.op = IW_SEND};
    assert_int_equal(rig_post(&r, work), IW_ESTATE);
    assert_int_equal(iw_terminate(r.ep, r.now, IW_T_RDMA_STREAM), IW_ESTATE);
    rig_ack(&r);
    expect_silence(&r);
    rig_close(&r);
}

/* checks: RDMAP-7.1-2 RDMAP-4.8-4 RDMAP-4.8-5 RDMAP-4.8-6 RDMAP-4.8-8 RDMAP-4.8-12 DDP-7.1-E2 */
TEST(the_length_is_that_of_the_whole_segment)
{
    static const uint32_t lens[] = {1, 2, 100, 1400};
    for (int i = 0; i < 4; i++) {
        struct rig r;
        rig_open(&r, rig_conf());
        struct ulpdu bad = hex_count("c1 40 00000000 0000000000000000", 0, lens[i]), out;
        assert_int_equal(rig_arrive(&r, bad), IW_TERM(1, 1, 0));
        assert_true(rig_pull(&r, &out));
        assert_int_equal(out.octets[18 + 4] << 8 | out.octets[18 + 5], 14 + lens[i]);
        assert_int_equal(out.len, 18 + 6 + 14);
        rig_close(&r);
    }
}

/* The form of each class of figure 10, as conformance.md F9 reads it. */
/* checks: RDMAP-4.8-4 RDMAP-4.8-5 RDMAP-4.8-6 RDMAP-A-6 RDMAP-7.1-3 */
TEST(each_form_of_figure_16)
{
    struct rig r;
    rig_open(&r, rig_conf());
    iw_llp_failed(r.ep, r.now, IW_T_LLP_CRC);
    expect_sent(&r, "41 47 00000000 00000002 00000001 00000000 | 20 02 00 00");
    rig_close(&r);

    rig_open(&r, rig_conf());
    rig_arrive_hex(&r, "c1 40 00000100 0000000000001000 | 00");
    expect_sent(
        &r, "41 47 00000000 00000002 00000001 00000000 | 11 00 c0 00 000f c1 40 00000100 0000000000001000");
    rig_close(&r);

    rig_open(&r, rig_conf());
    rig_arrive_hex(&r, "41 43 00000000 00000000 00000001 00000000 | 00");
    expect_sent(&r, "41 47 00000000 00000002 00000001 00000000 | "
                    "12 02 c0 00 0013 41 43 00000000 00000000 00000001 00000000");
    rig_close(&r);

    rig_open(&r, rig_conf());
    rig_arrive_hex(&r, "41 41 00000000 00000001 00000001 00000000 | "
                       "12345678 0000000000000000 00000001 00000100 0000000000001000");
    expect_sent(&r, "41 47 00000000 00000002 00000001 00000000 | "
                    "01 00 e0 00 002e 41 41 00000000 00000001 00000001 00000000"
                    "12345678 0000000000000000 00000001 00000100 0000000000001000");
    rig_close(&r);
}

/* ---- received ---- */

#define TERMINATE "41 47 00000000 00000002 00000001 00000000 | "

/* checks: RDMAP-5.4-3 RDMAP-5.4-5a RDMAP-5.4-5b RDMAP-5.4-9 RDMAP-6.2.1-3 RDMAP-4.8-7 */
TEST(a_received_terminate_is_told_and_ends_sending)
{
    static const struct {
        const char *octets;
        int term;
        bool m, d, r;
        uint16_t len;
    } rows[] = {
        {TERMINATE "20 02 00 00", IW_TERM(2, 0, 2), false, false, false, 0},
        {TERMINATE "20 02 1f ff", IW_TERM(2, 0, 2), false, false, false, 0},
        {TERMINATE "02 ff 00 00", IW_TERM(0, 2, 0xff), false, false, false, 0},
        {TERMINATE "11 01 c0 00 0012 c1 40 00000100 0000000000001000", IW_TERM(1, 1, 1), true, true, false,
         18},
        {TERMINATE "12 05 c0 00 0042 41 43 00000000 00000000 00000001 00000000", IW_TERM(1, 2, 5), true, true,
         false, 66},
        {TERMINATE "01 03 e0 00 002e 41 41 00000000 00000001 00000001 00000000"
                   "12345678 0000000000000000 00000001 00000100 0000000000001000",
         IW_TERM(0, 1, 3), true, true, true, 46},
        {TERMINATE "00 00 00 00 0000 0000 0000 00000000 00000000", IW_TERM(0, 0, 0), false, false, false, 0},
        {TERMINATE "1f 77 00 00", IW_TERM(1, 15, 0x77), false, false, false,
         0}, /* no document has it: told as it is */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct rig r;
        rig_open(&r, rig_conf());
        rig_send(&r, 1, IW_SEND, rig_memory(&r, 0, 4, ALL), 0, 4);
        struct ulpdu u = hex(rows[i].octets);
        assert_int_equal(rig_arrive(&r, u), IW_OK);
        struct iw_event event = expect_event(&r, IW_EV_TERMINATE_RECEIVED);
        assert_true(event.valid);
        assert_int_equal(event.terminate.term, rows[i].term);
        assert_int_equal(event.terminate.raw_len, u.len - 18 < IW_TERM_MAX ? u.len - 18 : IW_TERM_MAX);
        assert_memory_equal(event.terminate.raw, u.octets + 18, event.terminate.raw_len);
        assert_int_equal(event.terminate.m, rows[i].m);
        assert_int_equal(event.terminate.d, rows[i].d);
        assert_int_equal(event.terminate.r, rows[i].r);
        if (rows[i].m)
            assert_int_equal(event.terminate.segment_len, rows[i].len);
        if (rows[i].d)
            assert_memory_equal(event.terminate.head, u.octets + 24, event.terminate.head_len);
        if (rows[i].r)
            assert_memory_equal(event.terminate.read_req, u.octets + 42, 28);
        expect_silence(&r);
        assert_true(rig_done(r.send_cq).status != IW_OK);
        assert_int_equal(iw_llp_request(r.ep), IW_LLP_SEND_FIN);
        assert_int_equal(rig_arrive_hex(&r, "c1 40 00000100 0000000000000000 | ff"), IW_ESTATE); /* dropped */
        expect_zero(rig_at(&r, 0x100, 0), 4);
        expect_no_event(&r);
        rig_close(&r);
    }
}

/* checks: RDMAP-5.4-6 RDMAP-4.8-11 */
TEST(a_terminate_cut_short_is_told_as_invalid_and_not_answered)
{
    struct ulpdu whole = hex(TERMINATE "01 03 e0 00 002e 41 41 00000000 00000001 00000001 00000000"
                                       "12345678 0000000000000000 00000001 00000100 0000000000001000");
    for (uint32_t len = 18; len < whole.len; len++) {
        struct rig r;
        struct ulpdu u = whole;
        u.len = len;
        rig_open(&r, rig_conf());
        assert_int_equal(rig_arrive(&r, u), IW_OK);
        struct iw_event event = expect_event(&r, IW_EV_TERMINATE_RECEIVED);
        assert_false(event.valid);
        assert_int_equal(event.terminate.raw_len, len - 18);
        expect_silence(&r);
        rig_close(&r);
    }
}

/* checks: RDMAP-5.4-6 RDMAP-5.4-8 */
TEST(a_wrong_terminate_is_never_answered_with_a_terminate)
{
    static const char *const wrong[] = {
        "41 47 00000000 00000002 00000002 00000000 | 20020000", /* MSN ahead */
        "41 47 00000000 00000002 00000000 00000000 | 20020000", /* MSN behind */
        "41 47 00000000 00000003 00000001 00000000 | 20020000", /* a queue that is none */
        "41 47 00000000 00000000 00000001 00000000 | 20020000", /* the queue of Sends */
    };
    for (int i = 0; i < 4; i++) {
        struct rig r;
        rig_open(&r, rig_conf());
        rig_recv(&r, 1, rig_memory(&r, 0, 8, ALL), 0, 8);
        assert_true(rig_arrive_hex(&r, wrong[i]) > 0);
        expect_silence(&r);
        expect_event(&r, IW_EV_FATAL);
        assert_true(rig_done(r.recv_cq).status != IW_OK);
        rig_close(&r);
    }
}

/* checks: RDMAP-5.4-4 */
TEST(the_second_of_two_terminates_is_dropped)
{
    uint32_t order[] = {0, 1, 2};
    do {
        struct rig r;
        struct ulpdu u[3] = {hex("c1 40 deadbeef 0000000000000000"), hex(TERMINATE "02 06 00 00"),
                             hex(TERMINATE "12 05 00 00")};
        rig_open(&r, rig_conf());
        rig_keys(&r, u, 3);
        rig_present(&r, u, 3, order, 3);
        struct iw_event event = expect_event(&r, IW_EV_TERMINATE_RECEIVED);
        assert_int_equal(event.terminate.term, IW_TERM(0, 2, 6));
        expect_no_event(&r);
        expect_silence(&r);
        rig_close(&r);
    } while (rig_permute(order, 3));
}

/* checks: RDMAP-5.4-4 RDMAP-5.4-3 */
TEST(a_terminate_needs_no_receive_of_the_ulp)
{
    struct rig r;
    struct iw_conf conf = rig_conf();
    conf.rq_max = 1;
    rig_open(&r, conf);
    struct ulpdu longest = hex(TERMINATE "01 03 e0 00 002e 41 41 00000000 00000001 00000001 00000000"
                                         "12345678 0000000000000000 00000001 00000100 0000000000001000");
    assert_int_equal(longest.len, 18 + 52);
    assert_int_equal(rig_arrive(&r, longest), IW_OK);
    assert_true(expect_event(&r, IW_EV_TERMINATE_RECEIVED).terminate.r);
    expect_not_done(r.recv_cq);
    rig_close(&r);
}

/* A Terminate crosses ours on the wire: ours has been sent, theirs is dropped in silence. */
/* checks: RDMAP-7.1-4 DDP-7.1-E3 */
TEST(terminates_that_cross)
{
    struct rig r;
    struct ulpdu bad = hex("c1 40 deadbeef 0000000000000000 | 00");
    rig_open(&r, rig_conf());
    assert_int_equal(rig_arrive(&r, bad), IW_TERM(1, 1, 0));
    expect_terminate(&r, IW_TERM(1, 1, 0), "MD", &bad);
    assert_int_equal(rig_arrive_hex(&r, TERMINATE "02 06 00 00"), IW_ESTATE);
    expect_no_event(&r);
    rig_close(&r);
}

/* The MPA responder may not speak before the first segment came; that one counts even if it is wrong. */
/* checks: RDMAP-6.2.1-1 */
TEST(a_responder_answers_a_wrong_first_segment)
{
    struct rig r;
    rig_init(&r, rig_conf());
    assert_int_equal(iw_enable(r.ep, r.now, IW_WAIT_FIRST), IW_OK);
    rig_send(&r, 1, IW_SEND, rig_memory(&r, 0, 4, ALL), 0, 4);
    expect_silence(&r);
    struct ulpdu bad = hex("c1 40 deadbeef 0000000000000000 | 00");
    assert_int_equal(rig_arrive(&r, bad), IW_TERM(1, 1, 0));
    expect_terminate(&r, IW_TERM(1, 1, 0), "MD", &bad);
    rig_close(&r);
}

/* Before that, an error of the LLP leaves nothing to say it on; one of the ULP waits for the first segment. */
/* checks: RDMAP-6.2.1-1 RDMAP-7.1-1 */
TEST(a_responder_says_nothing_of_an_llp_error_before_the_first_segment)
{
    static const int terms[] = {IW_T_LLP_CRC, IW_T_LLP_MARKER, IW_T_LLP_IRD};
    for (int i = 0; i < 3; i++) {
        for (int first = 0; first < 2; first++) {
            struct rig r;
            rig_init(&r, rig_conf());
            assert_int_equal(iw_enable(r.ep, r.now, IW_WAIT_FIRST), IW_OK);
            if (first)
                assert_int_equal(rig_arrive_hex(&r, "c1 40 00000100 0000000000000000"), IW_OK);
            iw_llp_failed(r.ep, r.now, terms[i]);
            if (first) {
                expect_terminate(&r, terms[i], "", NULL);
            } else {
                assert_int_equal(expect_event(&r, IW_EV_FATAL).terminate.term, terms[i]);
                expect_event(&r, IW_EV_CLOSED);
                expect_silence(&r);
                assert_int_equal(iw_llp_request(r.ep), IW_LLP_SEND_RST);
            }
            rig_close(&r);
        }
    }
}
