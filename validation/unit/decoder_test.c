/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The decoder's profile: an endpoint that listens to one direction of somebody else's stream. */
#include "rig.h"

static struct iw_conf decoder(unsigned more)
{
    struct iw_conf conf = rig_conf();
    conf.profile = IW_DECODER | more;
    return conf;
}

/* The next segment, right or wrong: a decoder goes on behind it. */
static int hear(struct rig *r, const char *text)
{
    struct ulpdu u = hex(text);
    struct iw_seg seg;
    iw_seg_view(&seg, r->rx_key, u.octets, u.len);
    int got = iw_receive(r->ep, r->now, &seg);
    r->rx_key += 100;
    for (;;) {
        struct iw_message m;
        int told = iw_deliver(r->ep, r->now, r->rx_key, &m);
        if (told == 1)
            r->message[r->messages++] = m;
        if (told > 1 && got == IW_OK)
            got = told;
        if (told == 0)
            return got;
    }
}

/* checks: DDP-5.4-6 DDP-4.2-9 */
TEST(it_needs_neither_memory_nor_receives)
{
    struct rig r;
    rig_open(&r, decoder(0));
    assert_int_equal(hear(&r, "81 40 deadbeef 0000000000001000 | 01020304"), IW_OK);
    assert_int_equal(hear(&r, "c1 40 deadbeef 0000000000001004 | 05"), IW_OK);
    for (uint32_t msn = 1; msn <= 100; msn++) {
        struct ulpdu u = hex("41 43 00000000 00000000 00000000 00000000 | 010203");
        u.octets[13] = (uint8_t)msn;
        struct iw_seg seg;
        iw_seg_view(&seg, r.rx_key, u.octets, u.len);
        assert_int_equal(iw_receive(r.ep, r.now, &seg), IW_OK);
        r.rx_key += 100;
        assert_int_equal(iw_deliver(r.ep, r.now, r.rx_key, NULL), 1);
    }
    const struct iw_message *m = &r.message[0];
    assert_int_equal(r.messages, 1);
    assert_int_equal(m->head.stag, 0xdeadbeef);
    assert_int_equal(m->to, 0x1000);
    assert_int_equal(m->length, 5);
    assert_int_equal(m->segments, 2);
    assert_int_equal(m->ctl.opcode, RDMAP_WRITE);
    expect_silence(&r);
    expect_no_event(&r);
    expect_not_done(r.recv_cq);
    rig_close(&r);
}

TEST(it_cannot_speak)
{
    struct rig r;
    rig_open(&r, decoder(0));
    for (int op = 0; op < IW_OPS; op++) {
        struct iw_work work = {.op = (enum iw_op)op};
        assert_int_equal(rig_post(&r, work), IW_EINVAL);
    }
    assert_int_equal(hear(&r, "c2 40 00000100 0000000000000000"), IW_TERM(1, 1, 4));
    expect_silence(&r);
    expect_no_event(&r);
    assert_int_equal(iw_llp_request(r.ep), IW_LLP_NOTHING);
    rig_close(&r);
}

/* checks: DDP-4.1-12 RDMAP-7.2-2 RDMAP-7.2-3 DDP-7.1-U1 DDP-7.1-T5 RDMAP-4.1-5 RDMAP-4.2-1 */
TEST(what_the_octets_alone_decide_is_named_and_it_listens_on)
{
    static const struct {
        const char *octets;
        int term;
    } rows[] = {
        {"c0 40 00000100 0000000000000000 | 01", IW_TERM(1, 1, 4)},
        {"42 43 00000000 00000000 00000001 00000000 | 01", IW_TERM(1, 2, 6)},
        {"c1 00 00000100 0000000000000000 | 01", IW_TERM(0, 2, 5)},
        {"c1 43 00000100 0000000000000000 | 01", IW_TERM(0, 2, 6)},
        {"41 4f 00000000 00000000 00000001 00000000 | 01", IW_TERM(0, 2, 6)},
        {"41 43 00000000 00000007 00000001 00000000 | 01", IW_TERM(1, 2, 1)},
        {"41 43 00000000 00000001 00000001 00000000 | 01", IW_TERM(0, 2, 6)},
        {"c1 40 00000100 ffffffffffffffff | 0102", IW_TERM(1, 1, 3)},
        {"41 43 00000000 00000000 00000001 00000004 | 01", IW_TERM(1, 2, 4)}, /* begins in the middle */
        {"41 41 00000000 00000001 00000001 00000000 | 01", IW_TERM(0, 2, 0xff)},
        {"c1 42 00000100 0000000000000000 | 01", IW_TERM(0, 2, 6)},
        {"c1", IW_TERM(1, 0, 0)},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct rig r;
        rig_open(&r, decoder(0));
        print_message("    %s\n", rows[i].octets);
        assert_int_equal(hear(&r, rows[i].octets), rows[i].term);
        assert_int_equal(hear(&r, rows[i].octets), rows[i].term); /* nothing was latched */
        assert_int_equal(hear(&r, "c1 40 00000100 0000000000000000 | 01"), IW_OK);
        assert_true(r.messages >= 1);
        rig_close(&r);
    }
}

/* checks: DDP-4.3-9 DDP-5.2-12 DDP-4.2-10 DDP-4.3-12 */
TEST(a_gap_is_told_once_and_the_count_taken_up)
{
    struct rig r;
    rig_open(&r, decoder(0));
    assert_int_equal(hear(&r, "41 43 00000000 00000000 00000001 00000000 | 01"), IW_OK);
    assert_int_equal(hear(&r, "41 43 00000000 00000000 00000004 00000000 | 01"), IW_TERM(1, 2, 3));
    assert_int_equal(hear(&r, "41 43 00000000 00000000 00000005 00000000 | 01"), IW_OK);
    assert_int_equal(hear(&r, "01 43 00000000 00000000 00000006 00000000 | 01"), IW_OK);
    assert_int_equal(hear(&r, "41 43 00000000 00000000 00000006 00000005 | 01"), IW_TERM(1, 2, 4));
    assert_int_equal(hear(&r, "81 40 00000100 0000000000000000 | 01"), IW_OK);
    assert_int_equal(hear(&r, "c1 40 00000200 0000000000000001 | 01"), IW_TERM(1, 1, 0));
    assert_int_equal(hear(&r, "c1 40 00000100 0000000000000000 | 01"), IW_OK);
    rig_close(&r);
}

/* checks: RDMAP-5.2.2-5 RDMAP-5.2.2-8 */
TEST(a_response_is_judged_by_what_the_other_side_asked)
{
    struct rig r;
    rig_open(&r, decoder(0));
    struct rdmap_read_req req = {.sink_stag = 0x77, .sink_to = 0x10, .size = 3};
    assert_int_equal(iw_heard_read_req(r.ep, &req), IW_OK);
    assert_int_equal(hear(&r, "81 42 00000077 0000000000000010 | 0102"), IW_OK);
    assert_int_equal(hear(&r, "c1 42 00000077 0000000000000012 | 03"), IW_OK);
    assert_int_equal(r.message[0].length, 3);
    assert_int_equal(hear(&r, "c1 42 00000077 0000000000000010 | 010203"), IW_TERM(0, 2, 6)); /* asked once */
    assert_int_equal(iw_heard_read_req(r.ep, &req), IW_OK);
    assert_int_equal(hear(&r, "c1 42 00000078 0000000000000010 | 010203"), IW_TERM(1, 1, 0));
    rig_close(&r);
    rig_open(&r, decoder(0));
    for (int i = 0; i < 4; i++)
        assert_int_equal(iw_heard_read_req(r.ep, &req), IW_OK);
    assert_int_equal(iw_heard_read_req(r.ep, &req), IW_EFULL);
    rig_close(&r);
}

/* checks: RDMAP-6.1-6 */
TEST(more_requests_than_ird_are_told)
{
    struct rig r;
    rig_open(&r, decoder(0));
    for (uint32_t msn = 1; msn <= 12; msn++) {
        struct ulpdu u = hex("41 41 00000000 00000001 00000000 00000000 | "
                             "00000077 0000000000000010 00000003 00000088 0000000000000020");
        u.octets[13] = (uint8_t)msn;
        u.octets[21] = (uint8_t)msn;
        struct iw_seg seg;
        iw_seg_view(&seg, r.rx_key, u.octets, u.len);
        assert_int_equal(iw_receive(r.ep, r.now, &seg), IW_OK);
        r.rx_key += 100;
        struct iw_message m;
        bool over = msn == 5;
        assert_int_equal(iw_deliver(r.ep, r.now, r.rx_key, &m), over ? IW_TERM(1, 2, 2) : 1);
        assert_int_equal(iw_deliver(r.ep, r.now, r.rx_key, &m), 0);
        const struct rdmap_read_req *req = iw_last_read_req(r.ep);
        assert_int_equal(req->sink_stag, msn);
        assert_int_equal(req->size, 3);
        assert_int_equal(req->src_stag, 0x88);
        assert_true(req->sink_to == 0x10 && req->src_to == 0x20);
        if (msn >= 5)
            iw_heard_read_resp(r.ep); /* from here on each is answered */
        if (over)
            iw_heard_read_resp(r.ep);
    }
    rig_close(&r);
}

/* checks: RDMAP-5.4-5b */
TEST(every_terminate_is_told)
{
    struct rig r;
    rig_open(&r, decoder(0));
    assert_int_equal(hear(&r, "41 47 00000000 00000002 00000001 00000000 | 20020000"), IW_OK);
    assert_int_equal(expect_event(&r, IW_EV_TERMINATE_RECEIVED).terminate.term, IW_TERM(2, 0, 2));
    hear(&r,
         "41 47 00000000 00000002 00000001 00000000 | 02060000"); /* one too many, and told all the same */
    assert_int_equal(expect_event(&r, IW_EV_TERMINATE_RECEIVED).terminate.term, IW_TERM(0, 2, 6));
    assert_int_equal(hear(&r, "c1 40 00000100 0000000000000000 | 01"), IW_OK);
    rig_close(&r);
}

/* checks: RDMAP-4.1-6 RDMAP-3.1-2 */
TEST(atomics_are_decoded_when_rfc_7306_is_spoken)
{
    struct rig r;
    rig_open(&r, decoder(IW_RFC7306));
    struct ulpdu request =
        hex_count("41 4a 00000000 00000001 00000001 00000000", 0xfd, 52); /* fd fe ff 00: FetchAdd */
    struct ulpdu response = hex_count("41 4b 00000000 00000003 00000001 00000000", 0, 12);
    struct ulpdu immediate = hex_count("41 48 00000000 00000000 00000001 00000000", 0, 8);
    assert_int_equal(rig_arrive(&r, request), IW_OK);
    assert_int_equal(rig_arrive(&r, response), IW_OK);
    assert_int_equal(rig_arrive(&r, immediate), IW_OK);
    assert_int_equal(r.messages, 3);
    assert_int_equal(r.message[0].ctl.opcode, RDMAP_ATOMIC_REQ);
    assert_int_equal(r.message[0].length, 52);
    assert_int_equal(r.message[1].ctl.opcode, RDMAP_ATOMIC_RESP);
    assert_int_equal(r.message[2].ctl.opcode, RDMAP_IMMEDIATE);
    rig_close(&r);
}

/* checks: EXT-5.2.1-4 */
TEST(an_atomic_of_an_undefined_kind_is_told)
{
    for (uint8_t code = 0; code < 16; code++) {
        struct rig r;
        struct ulpdu request =
            hex_count("41 4a 00000000 00000001 00000001 00000000", (uint8_t)(code - 3), 52);
        rig_open(&r, decoder(IW_RFC7306));
        assert_int_equal(rig_arrive(&r, request), code == 0 || code == 2 ? IW_OK : IW_T_RDMA_OPCODE);
        rig_close(&r);
    }
}
