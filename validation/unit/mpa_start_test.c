/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Start-up: what the vectors cannot say. Time, TCP that ends, calls at the wrong moment, and two sides
 * that talk to each other in every combination of settings. */
#include <string.h>

#include "llp/mpa.h"
#include "validation/support/test.h"

/* With room for the frames of the last few. */
static int begin(struct mpa_start *s, iw_time now, const struct mpa_start_conf *conf)
{
    static uint8_t frames[4][2 * MPA_FRAME_MAX];
    static unsigned turn;
    struct mpa_start_conf c = *conf;
    c.frames = frames[turn++ % 4];
    return mpa_start(s, now, &c);
}

static const struct mpa_start_conf initiator = {.role = MPA_INITIATOR, .timeout = 1000};
static const struct mpa_start_conf responder = {.role = MPA_RESPONDER, .timeout = 1000};
static const struct mpa_start_conf enhanced = {
    .role = MPA_INITIATOR, .enhanced = true, .ird = 4, .ird_max = 4, .ord = 4, .timeout = 1000};

static uint32_t frame(uint8_t *out, bool reply, uint8_t flags, uint8_t rev, uint16_t pd_length)
{
    memcpy(out, reply ? "MPA ID Rep Frame" : "MPA ID Req Frame", 16);
    uint8_t tail[4] = {flags, rev, (uint8_t)(pd_length >> 8), (uint8_t)pd_length};
    memcpy(out + 16, tail, 4);
    memset(out + 20, 0x70, pd_length);
    return 20u + pd_length;
}

static void expect_failed(const struct mpa_start *s, enum mpa_why why, int term, enum mpa_tcp tcp)
{
    assert_int_equal(s->state, MPA_FAILED);
    assert_int_equal(s->why, why);
    assert_int_equal(s->term, term);
    assert_int_equal(s->tcp, tcp);
}

/* checks: MPA-7.1-8 MPA-7.1-10 MPA-8-1 */
TEST(whoever_waits_too_long_gives_up)
{
    const struct mpa_start_conf *confs[] = {&initiator, &responder};
    for (int i = 0; i < 2; i++) {
        struct mpa_start s;
        assert_int_equal(begin(&s, 500, confs[i]), IW_OK);
        assert_int_equal(mpa_start_deadline(&s), 1500);
        mpa_start_expire(&s, 1499);
        assert_true(s.state <= MPA_WAIT_REQUEST);
        mpa_start_expire(&s, 1500);
        expect_failed(&s, MPA_WHY_TIMEOUT, IW_T_LLP_LOST, MPA_TCP_CLOSE);
        assert_int_equal(mpa_start_deadline(&s), IW_NEVER);
        assert_false(s.retry_unenhanced);
    }
}

/* checks: MPA-7.1-10 */
TEST(octets_after_the_deadline_come_too_late)
{
    uint8_t octets[600];
    struct mpa_start s;
    uint32_t len = frame(octets, false, 0x40, 1, 0);
    begin(&s, 0, &responder);
    assert_int_equal(mpa_start_in(&s, 999, octets, len - 1), len - 1);
    assert_int_equal(mpa_start_in(&s, 1000, octets + len - 1, 1), 0);
    expect_failed(&s, MPA_WHY_TIMEOUT, IW_T_LLP_LOST, MPA_TCP_CLOSE);
}

/* checks: MPA-7.1-10 */
TEST(a_ulp_that_decides_too_late_has_nothing_to_decide)
{
    uint8_t octets[600];
    struct mpa_start s;
    begin(&s, 0, &responder);
    mpa_start_in(&s, 0, octets, frame(octets, false, 0x40, 1, 0));
    assert_int_equal(s.state, MPA_DECIDE);
    mpa_start_expire(&s, 1000);
    assert_int_equal(mpa_accept(&s, NULL, 0), IW_ESTATE);
    assert_int_equal(mpa_start_out(&s, octets), 0);
}

TEST(without_a_timeout_there_is_no_deadline)
{
    struct mpa_start_conf patient = {.role = MPA_RESPONDER};
    struct mpa_start s;
    begin(&s, 0, &patient);
    assert_int_equal(mpa_start_deadline(&s), IW_NEVER);
    mpa_start_expire(&s, IW_NEVER - 1);
    assert_int_equal(s.state, MPA_WAIT_REQUEST);
    patient.timeout = IW_NEVER - 5;
    begin(&s, 100, &patient); /* beyond all time */
    assert_int_equal(mpa_start_deadline(&s), IW_NEVER);
}

/* RFC 6581 section 10: an unenhanced responder closes TCP; the initiator may try again without. */
/* checks: MPA-7.1-8 MPA-8-1 */
TEST(tcp_that_ends_is_an_error_and_may_mean_that_rfc_6581_is_unknown)
{
    struct mpa_start s;
    begin(&s, 0, &enhanced);
    mpa_start_lost(&s);
    expect_failed(&s, MPA_WHY_LOST, IW_T_LLP_LOST, MPA_TCP_CLOSE);
    assert_true(s.retry_unenhanced);
    begin(&s, 0, &initiator);
    mpa_start_lost(&s);
    assert_false(s.retry_unenhanced);
    expect_failed(&s, MPA_WHY_LOST, IW_T_LLP_LOST, MPA_TCP_CLOSE);
}

TEST(what_is_over_stays_over)
{
    uint8_t octets[600], out[MPA_FRAME_MAX];
    struct mpa_start s;
    begin(&s, 0, &initiator);
    assert_int_equal(mpa_start_out(&s, out), 20);
    mpa_start_in(&s, 0, octets, frame(octets, true, 0x40, 1, 0));
    assert_int_equal(s.state, MPA_FULL);
    mpa_start_lost(&s);
    mpa_start_expire(&s, 5000);
    assert_int_equal(mpa_start_in(&s, 0, octets, 20), 0);
    assert_int_equal(s.state, MPA_FULL);
    assert_int_equal(mpa_start_deadline(&s), IW_NEVER);
    assert_int_equal(mpa_accept(&s, NULL, 0), IW_ESTATE);
    assert_int_equal(mpa_reject(&s, NULL, 0), IW_ESTATE);
}

/* The initiator may not send before the Reply. */
/* checks: MPA-7.1.2-4 MPA-8-1 */
TEST(octets_while_the_ulp_decides_are_surplus)
{
    uint8_t octets[600], out[MPA_FRAME_MAX];
    struct mpa_start s;
    begin(&s, 0, &responder);
    mpa_start_in(&s, 0, octets, frame(octets, false, 0x40, 1, 0));
    assert_int_equal(mpa_start_in(&s, 0, octets, 0), 0);
    assert_int_equal(s.state, MPA_DECIDE);
    assert_int_equal(mpa_start_in(&s, 0, octets, 1), 0);
    expect_failed(&s, MPA_WHY_SURPLUS, IW_T_LLP_STARTUP, MPA_TCP_CLOSE);
    assert_int_equal(mpa_start_out(&s, out), 0);
}

/* checks: MPA-7.1-3 MPA-7.1-9 */
TEST(too_much_private_data_in_the_answer_is_refused)
{
    static const uint8_t data[600];
    uint8_t octets[600], out[MPA_FRAME_MAX];
    struct mpa_start s;
    begin(&s, 0, &responder);
    mpa_start_in(&s, 0, octets, frame(octets, false, 0x40, 1, 9));
    assert_int_equal(s.peer.private_len, 9);
    assert_int_equal(mpa_accept(&s, data, 513), IW_EINVAL);
    assert_int_equal(mpa_reject(&s, data, 513), IW_EINVAL);
    assert_int_equal(s.state, MPA_DECIDE);
    assert_int_equal(mpa_start_out(&s, out), 0);
    assert_int_equal(mpa_accept(&s, data, 512), IW_OK);
    assert_int_equal(mpa_start_out(&s, out), 532);
    assert_int_equal(mpa_accept(&s, data, 0), IW_ESTATE);

    struct mpa_start_conf conf = {.role = MPA_RESPONDER, .enhanced = true, .rtr = MPA_RTR_WRITE};
    begin(&s, 0, &conf);
    mpa_start_in(&s, 0, octets, frame(octets, false, 0x50, 2, 4));
    assert_int_equal(mpa_accept(&s, data, 509), IW_EINVAL);
    assert_int_equal(mpa_accept(&s, data, 508), IW_OK);
}

/* The ULP may look at the Request before it says what it has. */
TEST(depths_can_be_chosen_when_the_request_is_known)
{
    struct mpa_start_conf conf = {.role = MPA_RESPONDER, .enhanced = true, .rtr = MPA_RTR_WRITE};
    uint8_t octets[600];
    struct mpa_start s;
    begin(&s, 0, &conf);
    frame(octets, false, 0x50, 2, 4);
    memcpy(octets + 20, "\x00\x08\x00\x10", 4); /* IRD 8, ORD 16 */
    mpa_start_in(&s, 0, octets, 24);
    s.conf.ird = 20;
    s.conf.ord = 5;
    mpa_accept(&s, NULL, 0);
    assert_int_equal(s.agreed.ird, 16);
    assert_int_equal(s.agreed.ord, 5);
}

TEST(impossible_configurations_are_refused_with_a_sentence)
{
    static const struct mpa_start_conf bad[] = {
        {.private_len = 513},
        {.enhanced = true, .private_len = 509},
        {.peer_to_peer = true, .rtr = MPA_RTR_WRITE},
        {.enhanced = true, .peer_to_peer = true},
        {.rtr = 8},
        {.role = MPA_RESPONDER, .enhanced = true},
        {.role = MPA_RESPONDER, .enhanced = true, .rtr = MPA_RTR_READ},
        {.enhanced = true, .ird = 0x4000},
        {.enhanced = true, .ord = 0x4000},
        {.enhanced = true, .ird = 5, .ird_max = 4},
        {.enhanced = true, .ord = 1, .ord_min = 2},
        {.kind = MPA_RDMAC},
        {.kind = MPA_RDMAC, .markers = true, .no_crc = true},
        {.kind = MPA_RDMAC, .markers = true, .enhanced = true},
    };
    struct mpa_start s;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_non_null(mpa_start_conf_error(&bad[i]));
        assert_int_equal(begin(&s, 0, &bad[i]), IW_EINVAL);
    }
    for (int why = 0; why <= MPA_WHYS; why++)
        assert_true(strlen(mpa_why_text((enum mpa_why)why)) > 4);
}

/* The default is CRC (RFC 5044 4.4). */
/* checks: MPA-4.4-1 */
TEST(crc_is_asked_for_unless_the_administrator_says_no)
{
    uint8_t out[MPA_FRAME_MAX];
    struct mpa_start_conf conf = initiator;
    struct mpa_start s;
    begin(&s, 0, &conf);
    mpa_start_out(&s, out);
    assert_int_equal(out[16] & 0x40, 0x40);
    conf.no_crc = true;
    begin(&s, 0, &conf);
    mpa_start_out(&s, out);
    assert_int_equal(out[16] & 0x40, 0);
}

/* ---- two sides ---- */

static uint64_t random_state = 1;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

static uint16_t draw_depth(void)
{
    return draw(6) ? (uint16_t)draw(5) : MPA_DEPTH_ULP;
}

static struct mpa_start_conf draw_conf(enum mpa_role role)
{
    struct mpa_start_conf c = {.role = role, .kind = draw(4) ? MPA_IETF : (enum mpa_kind)draw(3)};
    bool rdmac = c.kind == MPA_RDMAC;
    c.markers = rdmac || draw(2);
    c.no_crc = !rdmac && draw(2);
    c.enhanced = !rdmac && draw(2);
    c.rtr = (uint8_t)(1 + draw(7));
    c.peer_to_peer = c.enhanced && role == MPA_INITIATOR && draw(2);
    c.ird = c.rtr == MPA_RTR_READ ? 1 : draw_depth();
    c.ord = draw_depth();
    c.ird_max = (uint16_t)(c.ird + (c.ird == MPA_DEPTH_ULP ? 0 : draw(3)));
    c.ord_min = c.ord && !draw(4) ? 1 : 0;
    return c;
}

/* Octets of one side to the other, in random pieces. */
static void carry(struct mpa_start *from, struct mpa_start *to)
{
    uint8_t octets[MPA_FRAME_MAX];
    uint32_t len = mpa_start_out(from, octets);
    for (uint32_t at = 0, n; at < len && to->state < MPA_FULL; at += n) {
        n = 1 + draw(len - at);
        uint32_t took = mpa_start_in(to, 0, octets + at, n);
        assert_true(took == n || to->state == MPA_FAILED);
    }
}

static void check_depths(const struct mpa_start *i, const struct mpa_start *r)
{
    uint16_t io = i->agreed.ord, ii = i->agreed.ird, ro = r->agreed.ord, ri = r->agreed.ird;
    bool ulp = i->conf.ird == MPA_DEPTH_ULP || i->conf.ord == MPA_DEPTH_ULP || r->conf.ird == MPA_DEPTH_ULP ||
               r->conf.ord == MPA_DEPTH_ULP;
    if (!ulp)
        assert_true(io <= ri && ro <= ii); /* RFC 6581 9.1: the relationships after success */
    assert_true(ri <= r->conf.ird || r->conf.ird == MPA_DEPTH_ULP);
    assert_true(ii <= i->conf.ird_max || i->conf.ird == MPA_DEPTH_ULP);
    assert_true(io >= i->conf.ord_min && ro >= r->conf.ord_min);
}

static void check_agreement(const struct mpa_start *i, const struct mpa_start *r)
{
    const struct mpa_agreement *a = &i->agreed, *b = &r->agreed;
    assert_int_equal(a->version, b->version); /* identical in both directions (RFC 5044 C.1) */
    assert_int_equal(a->crc, b->crc);
    assert_int_equal(a->markers_tx, b->markers_rx);
    assert_int_equal(a->markers_rx, b->markers_tx);
    assert_int_equal(a->enhanced, b->enhanced);
    assert_int_equal(a->peer_to_peer, b->peer_to_peer);
    assert_true(a->crc || (i->conf.no_crc && r->conf.no_crc));
    if (i->conf.markers && a->version)
        assert_true(a->markers_rx);
    if (!a->enhanced)
        return;
    check_depths(i, r);
    assert_int_equal(a->rtr & ~b->rtr, 0); /* what is sent is among what is expected */
    assert_int_equal(a->rtr != 0, a->peer_to_peer);
    if (a->rtr == MPA_RTR_READ)
        assert_true(a->ord && b->ird);
}

/* checks: MPA-3-6 MPA-4.4-1 MPA-7.1-1 MPA-7.1-6 */
TEST(both_sides_agree_on_the_same)
{
    uint32_t full = 0, rejected = 0, failed = 0;
    for (int n = 0; n < 100000; n++) {
        struct mpa_start_conf ci = draw_conf(MPA_INITIATOR), cr = draw_conf(MPA_RESPONDER);
        struct mpa_start i, r;
        bool accepts = draw(8);
        assert_int_equal(begin(&i, 0, &ci), IW_OK);
        assert_int_equal(begin(&r, 0, &cr), IW_OK);
        carry(&i, &r);
        if (r.state == MPA_DECIDE)
            assert_int_equal(accepts ? mpa_accept(&r, NULL, 0) : mpa_reject(&r, NULL, 0), IW_OK);
        carry(&r, &i);
        assert_true(r.state >= MPA_FULL);
        if (i.state == MPA_FULL) {
            assert_int_equal(r.state, MPA_FULL);
            check_agreement(&i, &r);
            full++;
        }
        if (r.state == MPA_REJECTED) {
            assert_int_equal(i.state, i.why == MPA_WHY_REV ? MPA_FAILED : MPA_REJECTED);
            rejected++;
        }
        failed += i.state == MPA_FAILED;
    }
    assert_true(full > 30000 && rejected > 3000 && failed > 3000);
}

/* R means nothing in a Request (RFC 5044 7.1): octets behind one that has it are octets too early. */
/* checks: MPA-7.1-3 */
TEST(octets_behind_a_request_are_surplus_whatever_its_reject_bit)
{
    static const uint8_t flags[] = {0x40, 0x60, 0x20};
    for (int i = 0; i < 3; i++) {
        uint8_t octets[600];
        struct mpa_start s;
        uint32_t len = frame(octets, false, flags[i], 1, 4);
        begin(&s, 0, &responder);
        assert_int_equal(mpa_start_in(&s, 0, octets, len + 1), len);
        expect_failed(&s, MPA_WHY_SURPLUS, IW_T_LLP_STARTUP, MPA_TCP_CLOSE);
    }
}

/* RFC 5044 7.1.2 lets no responder do it, Linux siw's does: octets and Reply may come in one read. */
TEST(a_lenient_initiator_finds_the_first_fpdu_behind_the_reply)
{
    for (int lenient = 0; lenient < 2; lenient++)
        for (uint32_t cut = 1; cut <= 24; cut++) {
            uint8_t octets[600];
            struct mpa_start s;
            struct mpa_start_conf conf = initiator;
            conf.lenient = lenient;
            begin(&s, 0, &conf);
            uint32_t len = frame(octets, true, 0x40, 1, 4);
            uint32_t first = mpa_start_in(&s, 0, octets, cut);
            uint32_t used = first + mpa_start_in(&s, 0, octets + first, len + 8 - first);
            assert_int_equal(used, len);
            assert_int_equal(s.state, lenient || cut == len ? MPA_FULL : MPA_FAILED);
        }
    struct mpa_start s;
    struct mpa_start_conf conf = responder;
    uint8_t octets[600];
    conf.lenient = true; /* changes nothing at the responder: nobody may send before its Reply */
    begin(&s, 0, &conf);
    mpa_start_in(&s, 0, octets, frame(octets, false, 0x40, 1, 4) + 1);
    expect_failed(&s, MPA_WHY_SURPLUS, IW_T_LLP_STARTUP, MPA_TCP_CLOSE);
}

/* A depth that the ULPs settle stays theirs, on either side (RFC 6581 9.1). */
TEST(depths_left_to_the_ulp_are_not_touched)
{
    static const struct {
        uint16_t own_ird, own_ord, peer_ird, peer_ord, ird, ord;
    } rows[] = {
        {0x3fff, 4, 8, 5, 0x3fff, 4}, {0x3fff, 0x3fff, 3, 0x3ffe, 0x3fff, 0x3fff},
        {4, 4, 0x3fff, 0x3fff, 4, 4}, {2, 9, 3, 4, 4, 3},
        {4, 0x3fff, 3, 2, 4, 0x3fff},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t octets[600];
        struct mpa_start s;
        struct mpa_start_conf conf = enhanced;
        conf.ird = rows[i].own_ird;
        conf.ird_max = 0x3fff;
        conf.ord = rows[i].own_ord;
        begin(&s, 0, &conf);
        uint32_t len = frame(octets, true, 0x50, 2, 4);
        const uint8_t depths[] = {(uint8_t)(rows[i].peer_ird >> 8), (uint8_t)rows[i].peer_ird,
                                  (uint8_t)(rows[i].peer_ord >> 8), (uint8_t)rows[i].peer_ord};
        memcpy(octets + 20, depths, 4);
        assert_int_equal(mpa_start_in(&s, 0, octets, len), len);
        assert_int_equal(s.state, MPA_FULL);
        assert_int_equal(s.agreed.ird, rows[i].ird);
        assert_int_equal(s.agreed.ord, rows[i].ord);
    }
}
