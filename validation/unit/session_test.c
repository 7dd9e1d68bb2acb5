/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session on a byte stream that may take few octets at a time, stop anywhere, or bring anything; two of them talk through
 * arrays. */
#include <stdlib.h>
#include <string.h>

#include "socket/session.h"
#include "validation/support/test.h"

enum { MEMORY = 300000, DONES = 64, TRUST = 1, PD = 1, PIPE = 1 << 20 };
#define START_UP 1000
#define LINGER   500

struct side {
    struct session *s;
    struct iw_stags *stags;
    struct iw_cq *cq;
    uint8_t *memory;
    iw_stag stag;
    uint8_t pipe[PIPE]; /* octets under way to it */
    size_t sent, arrived;
    bool fin, reset; /* asked for by it */
    uint32_t sends, heard, tapped, failed;
};
static struct side A, B;
static struct session_batch batch;
static iw_time now;

static void hear(void *context, iw_time t, const struct iw_message *m)
{
    (void)t, (void)m;
    ((struct side *)context)->heard++;
}

static void tap(void *context, iw_time t, const uint8_t *ulpdu, uint32_t len)
{
    (void)t, (void)ulpdu;
    assert_true(len > 0);
    ((struct side *)context)->tapped++;
}

static struct session_conf conf_of(struct side *x, enum mpa_role role)
{
    return (struct session_conf){.ep = {.stags = x->stags,
                                        .send_cq = x->cq,
                                        .recv_cq = x->cq,
                                        .trust = TRUST,
                                        .pd = PD,
                                        .stream = 1,
                                        .sq_max = 16,
                                        .rq_max = 16,
                                        .ord = 4,
                                        .ird = 4,
                                        .reorder_max = 2,
                                        .linger = LINGER},
                                 .start = {.role = role,
                                           .enhanced = true,
                                           .ird = 4,
                                           .ird_max = 4,
                                           .ord = 4,
                                           .rtr = MPA_RTR_WRITE,
                                           .lenient = true,
                                           .timeout = START_UP},
                                 .emss = 1460,
                                 .message = hear,
                                 .tap = tap,
                                 .context = x};
}

static void side_open(struct side *x, enum mpa_role role, unsigned start_flags)
{
    memset(x, 0, sizeof *x);
    x->stags = iw_stags_init(malloc(iw_stags_size(4)), 4, 0);
    x->cq = iw_cq_init(malloc(iw_cq_size(DONES)), DONES, TRUST);
    x->memory = calloc(MEMORY, 1);
    struct iw_region r = {.base = x->memory,
                          .len = MEMORY,
                          .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE,
                          .pd = PD};
    assert_int_equal(iw_register(x->stags, &r, &x->stag), IW_OK);
    struct session_conf conf = conf_of(x, role);
    conf.start.markers = start_flags & MPA_MARKERS;
    conf.start.peer_to_peer = role == MPA_INITIATOR && start_flags & MPA_CRC;
    assert_null(session_conf_error(&conf));
    x->s = session_init(malloc(session_size(&conf)), now, &conf);
    assert_non_null(x->s);
    for (uint64_t i = 0; i < 4; i++) {
        struct iw_work w = {.id = 100 + i, .op = IW_RECV, .sges = 1, .sge = {{x->stag, 1000, 0}}};
        assert_int_equal(iw_post(session_ep(x->s), now, &w), IW_OK);
    }
}

static void open_both(unsigned a_flags, unsigned b_flags)
{
    now = 0;
    side_open(&A, MPA_INITIATOR, a_flags);
    side_open(&B, MPA_RESPONDER, b_flags);
}

static void side_close(struct side *x)
{
    free(x->s);
    free(x->stags);
    free(x->cq);
    free(x->memory);
}

static int close_both(void **state)
{
    (void)state;
    side_close(&A);
    side_close(&B);
    return 0;
}

/* ---- the stream ---- */

/* TCP takes at most `most` octets of each batch. False: there was nothing. */
static bool take(struct side *x, struct side *y, size_t most)
{
    if (!session_transmit(x->s, now, &batch))
        return false;
    size_t left = batch.octets < most ? batch.octets : most, taken = left;
    for (uint32_t i = 0; i < batch.pieces && left; i++) {
        size_t n = batch.piece[i].len < left ? batch.piece[i].len : left;
        assert_true(y->sent + n <= PIPE);
        memcpy(y->pipe + y->sent, batch.piece[i].octets, n);
        y->sent += n;
        left -= n;
    }
    session_sent(x->s, now, &batch, taken);
    assert_int_equal(session_waiting(x->s) > 0, taken < batch.octets);
    return true;
}

static void end_as_asked(struct side *x)
{
    enum session_want want;
    while ((want = session_request(x->s, now)) != SESSION_NOTHING) {
        x->fin |= want == SESSION_SEND_FIN;
        x->reset |= want == SESSION_RESET;
    }
}

static bool bring(struct side *y, size_t piece)
{
    size_t n = y->sent - y->arrived < piece ? y->sent - y->arrived : piece;
    if (n)
        session_receive(y->s, now, y->pipe + y->arrived, n);
    y->arrived += n;
    return n > 0;
}

static void drain(struct side *x)
{
    struct iw_done d;
    struct iw_event e;
    while (iw_poll(x->cq, &d)) {
        x->failed += d.status != IW_OK;
        x->sends += d.status == IW_OK && d.op != IW_RECV;
    }
    if (session_state(x->s) == SESSION_DECIDE)
        assert_int_equal(session_answer(x->s, now, true, NULL, 0), IW_OK);
    while (session_was_open(x->s) && iw_event(session_ep(x->s), &e))
        if (e.kind == IW_EV_HALF_CLOSED)
            iw_close(session_ep(x->s), now, IW_CLOSE);
}

/* Everything that follows, in pieces; the octets to B end at `cut`. */
static void run(size_t piece, size_t cut)
{
    for (bool more = true; more;) {
        bool a_fin = A.fin, b_fin = B.fin;
        more = take(&A, &B, piece);
        B.sent = B.sent < cut ? B.sent : cut;
        more |= take(&B, &A, piece);
        more |= bring(&A, piece) | bring(&B, piece);
        drain(&A);
        drain(&B);
        end_as_asked(&A);
        end_as_asked(&B);
        if (A.fin && B.sent < cut && B.arrived == B.sent)
            session_fin(B.s, now);
        if (B.fin && A.arrived == A.sent)
            session_fin(A.s, now);
        end_as_asked(&A);
        end_as_asked(&B);
        more |= a_fin != A.fin || b_fin != B.fin;
    }
}

static void post(struct side *x, enum iw_op op, uint32_t len, uint64_t at)
{
    const struct side *y = x == &A ? &B : &A;
    struct iw_work w = {.id = 1,
                        .op = op,
                        .sges = len > 0,
                        .sge = {{x->stag, len, at}},
                        .remote_stag = op == IW_SEND ? 0 : y->stag,
                        .remote_to = at};
    assert_int_equal(iw_post(session_ep(x->s), now, &w), IW_OK);
}

static void expire(struct side *x, iw_time t)
{
    now = t;
    session_expire(x->s, now);
    drain(x);
    while (take(x, x == &A ? &B : &A, PIPE)) {
    }
    end_as_asked(x);
}

/* ---- tests ---- */

TEST(whatever_tcp_takes_at_a_time_all_of_it_arrives)
{
    static const size_t pieces[] = {1, 7, 100, 1000, 65536, PIPE};
    for (unsigned flags = 0; flags < 4; flags++)
        for (size_t i = flags ? 1 : 0; i < sizeof pieces / sizeof *pieces; i++) {
            open_both(flags, flags & MPA_MARKERS);
            run(pieces[i], PIPE);
            assert_int_equal(session_state(A.s), SESSION_OPEN);
            assert_int_equal(session_state(B.s), SESSION_OPEN);
            for (uint32_t k = 0; k < MEMORY; k++)
                A.memory[k] = (uint8_t)(k * 7 + k / 251);
            post(&A, IW_WRITE, 200000, 1000);
            post(&A, IW_SEND, 900, 50000);
            post(&A, IW_READ, 60000, 230000);
            run(pieces[i], PIPE);
            post(&B, IW_SEND, 0, 0);
            run(pieces[i], PIPE);
            assert_memory_equal(A.memory + 1000, B.memory + 1000, 200000);
            assert_memory_equal(A.memory + 50000, B.memory, 900);
            assert_int_equal(A.memory[230000], 0); /* what B had there */
            assert_int_equal(A.sends, 3);
            assert_int_equal(B.heard, 3 + !!(flags & MPA_CRC));
            assert_int_equal(A.heard, 2);
            assert_true(B.tapped > B.heard);
            iw_close(session_ep(A.s), now, IW_CLOSE);
            run(pieces[i], PIPE);
            assert_int_equal(session_state(A.s), SESSION_OVER);
            assert_int_equal(session_state(B.s), SESSION_OVER);
            assert_true(A.fin && B.fin && !A.reset && !B.reset);
            close_both(NULL);
        }
}

/* What TCP did not take at once is a copy: the ULP may change its memory. */
TEST_WITH(memory_is_free_when_the_request_is_complete, NULL, close_both)
{
    open_both(0, 0);
    run(PIPE, PIPE);
    memset(A.memory, 0x11, 100000);
    post(&A, IW_WRITE, 100000, 0);
    assert_true(take(&A, &B, 10));
    drain(&A);
    assert_int_equal(A.sends, 1);
    memset(A.memory, 0x22, 100000);
    run(5000, PIPE);
    assert_int_equal(B.memory[0], 0x11);
    assert_int_equal(B.memory[99999], 0x11);
    assert_int_equal(B.failed, 0);
}

/* A FIN or RST after any octet of a conversation: both ends are over, at the latest after their timeouts, and everything
 * posted is completed. */
TEST_WITH(a_stream_may_end_after_any_octet, NULL, close_both)
{
    for (int reset = 0; reset < 2; reset++)
        for (size_t cut = 0, all = SIZE_MAX; cut < all; cut++) {
            open_both(0, 0);
            run(PIPE, cut);
            if (session_state(A.s) == SESSION_OPEN) {
                post(&A, IW_SEND, 50, 0);
                post(&A, IW_WRITE, 20, 0);
                post(&A, IW_READ, 20, 0);
                run(PIPE, cut);
            }
            if (B.sent < cut)
                all = cut;
            (reset ? session_lost : session_fin)(B.s, now);
            run(PIPE, cut);
            expire(&B, now + START_UP);
            expire(&B, now + LINGER);
            assert_true(B.reset || B.fin);
            session_lost(A.s, now);
            session_lost(B.s, now);
            drain(&A);
            drain(&B);
            assert_int_equal(session_state(A.s), SESSION_OVER);
            assert_int_equal(session_state(B.s), SESSION_OVER);
            if (session_was_open(B.s))
                assert_true(B.failed >= 3); /* its receives */
            assert_int_equal(session_deadline(B.s), IW_NEVER);
            close_both(NULL);
        }
    open_both(0, 0);
}

TEST_WITH(slow_start_ups_end_in_time, NULL, close_both)
{
    open_both(0, 0);
    assert_true(take(&A, &B, PIPE));
    for (int i = 0; i < 19; i++) { /* an octet now and then changes nothing */
        now += START_UP / 20;
        session_receive(B.s, now, B.pipe + i, 1);
        assert_int_equal(session_state(B.s), SESSION_STARTING);
        assert_int_equal(session_deadline(B.s), START_UP);
    }
    expire(&B, START_UP);
    assert_int_equal(session_state(B.s), SESSION_CLOSING);
    assert_true(B.fin);
    assert_int_equal(session_deadline(B.s), START_UP + LINGER);
    expire(&B, START_UP + LINGER);
    assert_true(B.reset);
    assert_int_equal(session_state(B.s), SESSION_OVER);
}

/* A peer that never answers our FIN is reset. */
TEST_WITH(an_end_without_answer_ends_too, NULL, close_both)
{
    open_both(0, 0);
    run(PIPE, PIPE);
    iw_close(session_ep(A.s), now, IW_CLOSE);
    expire(&A, now + 1);
    assert_true(A.fin && !A.reset);
    expire(&A, session_deadline(A.s));
    assert_true(A.reset);
    assert_int_equal(session_state(A.s), SESSION_OVER);
}

TEST_WITH(an_injected_ulpdu_is_one_of_the_stream, NULL, close_both)
{
    static const uint8_t send_2[] = {0x41, 0x43, 0, 0, 0, 0, 0, 0, 0,  0,
                                     0,    0,    0, 2, 0, 0, 0, 0, 'x'}; /* MSN 2 */
    for (int crc = SESSION_GOOD_CRC; crc <= SESSION_BAD_CRC; crc++) {
        open_both(0, 0);
        run(PIPE, PIPE);
        post(&A, IW_SEND, 5, 0);
        run(PIPE, PIPE);
        assert_int_equal(session_inject(A.s, send_2, sizeof send_2, crc), IW_OK);
        run(3, PIPE);
        assert_int_equal(B.heard, crc == SESSION_GOOD_CRC ? 2 : 1);
        assert_int_equal(session_state(B.s) == SESSION_OPEN, crc == SESSION_GOOD_CRC);
        if (crc == SESSION_GOOD_CRC)
            assert_int_equal(B.memory[0], 'x');
        assert_int_equal(session_inject(A.s, send_2, 0, crc),
                         crc == SESSION_GOOD_CRC ? IW_EINVAL : IW_ESTATE);
        close_both(NULL);
    }
    open_both(0, 0);
}

/* A length that no FPDU can have is found at once, and answered. */
TEST_WITH(garbage_is_answered_and_ended, NULL, close_both)
{
    uint8_t garbage[4096];
    memset(garbage, 0xff, sizeof garbage);
    for (int open = 0; open < 2; open++) {
        open_both(0, 0);
        if (open)
            run(PIPE, PIPE);
        for (int i = 0; i < 20; i++)
            session_receive(B.s, now, garbage, sizeof garbage);
        drain(&B);
        while (take(&B, &A, PIPE)) {
        }
        end_as_asked(&B);
        assert_true(B.fin || B.reset); /* who may not speak yet cannot say why */
        assert_int_equal(session_was_open(B.s), open);
        close_both(NULL);
    }
    open_both(0, 0);
}

TEST_WITH(what_a_byte_stream_cannot_do_is_refused, NULL, close_both)
{
    open_both(0, 0);
    struct session_conf conf = conf_of(&A, MPA_INITIATOR);
    conf.ep.profile = IW_RECOVER;
    assert_non_null(session_conf_error(&conf));
    conf = conf_of(&A, MPA_INITIATOR);
    conf.start.no_crc = true;
    assert_non_null(session_conf_error(&conf));
    conf.ep.profile = IW_NO_DIGEST;
    assert_null(session_conf_error(&conf));
    conf.ep.sq_max = 0;
    assert_non_null(session_conf_error(&conf));
    assert_int_equal(session_size(&conf), 0);
}
