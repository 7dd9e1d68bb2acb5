/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DDP over SCTP with real engines: several streams on one association, placed out of order, delivered in
 * order, torn down one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pair/sctp_pair.h"

#define US ((iw_time)1000000)
enum { STREAMS = 4, SIZE = 20000, PD = 1 };

struct world {
    struct sctp_pair *p;
    iw_stag sink, source;
    uint8_t memory[2][STREAMS * SIZE];
    uint32_t placed_early[STREAMS], delivered[STREAMS], faults[STREAMS], closed[2][STREAMS];
    uint32_t done[2][STREAMS], flushed[2][STREAMS];
};

static void on_event(void *user, uint16_t stream, const struct pair_event *e)
{
    struct world *w = user;
    w->placed_early[stream] += e->what == PAIR_PLACED && !e->in_order;
    w->delivered[stream] += e->what == PAIR_DELIVERED && e->side == 1;
    w->faults[stream] += e->what == PAIR_FAULT;
    if (e->what == PAIR_CLOSED)
        w->closed[e->side][stream]++;
}

static void conf_of(struct sctp_pair_conf *c)
{
    *c = (struct sctp_pair_conf){
        .link = {.rate = 100000000000, .delay = 5 * US, .framing = 58, .seed = 0, .flights = 4096},
        .ddp = {.streams = STREAMS, .reorder = 1024, .keep = 64, .pending = STREAMS, .shut_down = true},
        .regions_max = 8,
        .cq_entries = 1024};
    for (int i = 0; i < 2; i++) {
        struct sctp_conf *a = &c->link.end[i];
        sctp_defaults(a);
        a->local_port = (uint16_t)(1 + i);
        a->remote_port = (uint16_t)(2 - i);
        a->mtu = 1480;
        a->chunks = 1024;
        a->store = 1 << 20;
        a->rwnd = 1 << 20;
        a->rto_min = 100 * US;
        a->rto_initial = 1000 * US;
        a->sack_delay = 5 * US;
        c->ep[i] = (struct iw_conf){.pd = PD,
                                    .stream = 1,
                                    .complete_on = IW_ON_ACK,
                                    .sq_max = 64,
                                    .rq_max = 64,
                                    .ord = 4,
                                    .ird = 4,
                                    .reorder_max = 1024,
                                    .linger = 1000 * US};
    }
}

static void open_world(struct world *w, const struct sctp_pair_conf *conf)
{
    memset(w, 0, sizeof *w);
    assert_null(sctp_pair_conf_error(conf));
    w->p = sctp_pair_init(malloc(sctp_pair_size(conf)), conf, on_event, w);
    for (int side = 0; side < 2; side++) {
        struct iw_region region = {.base = w->memory[side],
                                   .len = sizeof w->memory[side],
                                   .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE,
                                   .pd = PD};
        assert_int_equal(iw_register(sctp_pair_stags(w->p, side), &region, side ? &w->sink : &w->source),
                         IW_OK);
    }
    for (uint32_t i = 0; i < sizeof w->memory[0]; i++)
        w->memory[0][i] = (uint8_t)(i * 7 + i / 251);
    assert_true(sctp_pair_start(w->p, 100000 * US));
    sctp_link_impair(sctp_pair_link(w->p), 0, true);
    sctp_link_impair(sctp_pair_link(w->p), 1, true);
}

static void drain(struct world *w)
{
    struct iw_done done;
    for (int side = 0; side < 2; side++)
        while (iw_poll(sctp_pair_cq(w->p, side), &done)) {
            w->done[side][done.user] += done.status == IW_OK;
            w->flushed[side][done.user] += done.status != IW_OK;
        }
}

static void run(struct world *w, iw_time limit)
{
    sctp_pair_kick(w->p, 0);
    sctp_pair_kick(w->p, 1);
    while (sctp_pair_next(w->p) <= limit && sctp_pair_step(w->p))
        drain(w);
    drain(w);
}

/* A Write of a stream's share, then a Send of its first 100 octets. */
static void post(struct world *w, uint16_t stream)
{
    iw_time now = sctp_pair_now(w->p);
    struct iw_work recv = {.op = IW_RECV, .sges = 1, .sge = {{w->sink, 100, (uint64_t)stream * SIZE}}};
    struct iw_work write = {.op = IW_WRITE,
                            .sges = 1,
                            .sge = {{w->source, SIZE, (uint64_t)stream * SIZE}},
                            .remote_stag = w->sink,
                            .remote_to = (uint64_t)stream * SIZE};
    struct iw_work send = {.op = IW_SEND, .sges = 1, .sge = {{w->source, 100, (uint64_t)stream * SIZE}}};
    assert_int_equal(iw_post(sctp_pair_ep(w->p, 1, stream), now, &recv), IW_OK);
    assert_int_equal(iw_post(sctp_pair_ep(w->p, 0, stream), now, &write), IW_OK);
    assert_int_equal(iw_post(sctp_pair_ep(w->p, 0, stream), now, &send), IW_OK);
}

static void expect_stream(const struct world *w, uint16_t stream)
{
    assert_int_equal(w->delivered[stream], 2); /* Write and Send */
    assert_int_equal(w->done[0][stream], 2);
    assert_int_equal(w->done[1][stream], 1);
    assert_memory_equal(w->memory[0] + stream * SIZE, w->memory[1] + stream * SIZE, SIZE);
}

static void close_world(struct world *w)
{
    free(w->p);
    free(w);
}

/* ---- */

/* checks: SCTP-5.1-1 SCTP-8-1 SCTP-6.2-1 */
static void every_stream_carries_its_own(void **state)
{
    struct world *w = malloc(sizeof *w);
    struct sctp_pair_conf conf;
    (void)state;
    conf_of(&conf);
    open_world(w, &conf);
    assert_int_equal(sctp_streams(sctp_link_end(sctp_pair_link(w->p), 0)), STREAMS);
    assert_int_equal(sctp_streams(sctp_link_end(sctp_pair_link(w->p), 1)), STREAMS);
    for (uint16_t i = 0; i < STREAMS; i++)
        post(w, i);
    run(w, 100000 * US);
    for (uint16_t i = 0; i < STREAMS; i++)
        expect_stream(w, i);
    close_world(w);
}

static void segments_are_placed_out_of_order_and_delivered_in_order(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct world *w = malloc(sizeof *w);
        struct sctp_pair_conf conf;
        conf_of(&conf);
        conf.link.seed = seed;
        conf.in_order = seed & 1;
        conf.link.channel = (struct channel_conf){.loss = 0.05,
                                                  .corrupt = 0.02,
                                                  .duplicate = 0.05,
                                                  .reorder = {.probability = 0.1, .delay = 20 * US}};
        open_world(w, &conf);
        for (uint16_t i = 0; i < STREAMS; i++)
            post(w, i);
        run(w, 10000000 * US);
        uint32_t early = 0;
        for (uint16_t i = 0; i < STREAMS; i++) {
            expect_stream(w, i);
            early += w->placed_early[i];
        }
        assert_int_equal(early > 0, !conf.in_order);
        close_world(w);
    }
}

/* A Write outside the buffer on stream 1: that stream ends with a Terminate, the others do not notice. */
/* checks: DDP-3-8a DDP-6.2-2 RDMAP-7-1a RDMAP-7-1b SCTP-11.3-3 DDP-3-8b */
static void one_stream_ends_and_the_others_go_on(void **state)
{
    struct world *w = malloc(sizeof *w);
    struct sctp_pair_conf conf;
    struct iw_event event;
    bool terminated = false;
    (void)state;
    conf_of(&conf);
    open_world(w, &conf);
    struct iw_work bad = {.op = IW_WRITE,
                          .sges = 1,
                          .sge = {{w->source, 8, 0}},
                          .remote_stag = w->sink,
                          .remote_to = sizeof w->memory[1] - 4};
    assert_int_equal(iw_post(sctp_pair_ep(w->p, 0, 1), sctp_pair_now(w->p), &bad), IW_OK);
    run(w, sctp_pair_now(w->p) + 10000 * US);
    while (iw_event(sctp_pair_ep(w->p, 0, 1), &event))
        if (event.kind == IW_EV_TERMINATE_RECEIVED)
            terminated = event.terminate.term == IW_T_DDP_BOUNDS;
    assert_true(terminated);
    assert_true(sctp_pair_is_down(w->p, 0, 1) && sctp_pair_is_down(w->p, 1, 1));
    assert_int_equal(iw_post(sctp_pair_ep(w->p, 0, 1), sctp_pair_now(w->p), &bad), IW_ESTATE);
    for (uint16_t i = 0; i < STREAMS; i++)
        if (i != 1) {
            assert_false(sctp_pair_is_down(w->p, 0, i));
            post(w, i);
        }
    run(w, sctp_pair_now(w->p) + 100000 * US);
    for (uint16_t i = 0; i < STREAMS; i++)
        if (i != 1)
            expect_stream(w, i);
    assert_int_equal(sctp_state(sctp_link_end(sctp_pair_link(w->p), 0)), SCTP_ESTABLISHED);
    close_world(w);
}

/* checks: SCTP-6.6-3 SCTP-6.1-1 */
static void the_stream_takes_another_session(void **state)
{
    struct world *w = malloc(sizeof *w);
    struct sctp_pair_conf conf;
    (void)state;
    conf_of(&conf);
    open_world(w, &conf);
    post(w, 0);
    run(w, sctp_pair_now(w->p) + 10000 * US);
    assert_int_equal(sctp_pair_reopen(w->p, 0), IW_ESTATE);
    for (int side = 0; side < 2; side++)
        iw_close(sctp_pair_ep(w->p, side, 0), sctp_pair_now(w->p), IW_CLOSE);
    run(w, sctp_pair_now(w->p) + 10000 * US);
    assert_true(sctp_pair_is_down(w->p, 0, 0) && sctp_pair_is_down(w->p, 1, 0));
    expect_stream(w, 0);
    assert_int_equal(sctp_pair_reopen(w->p, 0), IW_OK);
    run(w, sctp_pair_now(w->p) + 10000 * US);
    memset(w->memory[1], 0, SIZE);
    post(w, 0);
    run(w, sctp_pair_now(w->p) + 10000 * US);
    assert_int_equal(w->delivered[0], 4);
    assert_memory_equal(w->memory[0], w->memory[1], SIZE);
    close_world(w);
}

/* checks: DDP-3-9a DDP-3-9b DDP-3-10 RDMAP-7-2 */
static void when_all_streams_are_closed_the_association_goes(void **state)
{
    struct world *w = malloc(sizeof *w);
    struct sctp_pair_conf conf;
    (void)state;
    conf_of(&conf);
    open_world(w, &conf);
    for (uint16_t i = 0; i < STREAMS; i++) {
        assert_int_equal(sctp_state(sctp_link_end(sctp_pair_link(w->p), 0)), SCTP_ESTABLISHED);
        post(w, i);
        run(w, sctp_pair_now(w->p) + 1000 * US);
        for (int side = 0; side < 2; side++)
            iw_close(sctp_pair_ep(w->p, side, i), sctp_pair_now(w->p), IW_CLOSE);
        run(w, sctp_pair_now(w->p) + 10000 * US);
        expect_stream(w, i);
        for (int side = 0; side < 2; side++) {
            struct iw_event event;
            bool closed = false;
            while (iw_event(sctp_pair_ep(w->p, side, i), &event))
                closed |= event.kind == IW_EV_CLOSED;
            assert_true(closed && sctp_pair_is_down(w->p, side, i));
        }
    }
    assert_int_equal(sctp_state(sctp_link_end(sctp_pair_link(w->p), 0)), SCTP_CLOSED);
    assert_int_equal(sctp_state(sctp_link_end(sctp_pair_link(w->p), 1)), SCTP_CLOSED);
    assert_true(sctp_pair_next(w->p) == IW_NEVER);
    close_world(w);
}

/* checks: SCTP-11.3-1 SCTP-11.3-2 */
static void an_aborted_association_ends_every_stream_without_terminates(void **state)
{
    struct world *w = malloc(sizeof *w);
    struct sctp_pair_conf conf;
    (void)state;
    conf_of(&conf);
    open_world(w, &conf);
    for (uint16_t i = 0; i < STREAMS; i++)
        post(w, i);
    for (int i = 0; i < 20; i++)
        sctp_pair_step(w->p);
    sctp_abort(sctp_link_end(sctp_pair_link(w->p), 1), sctp_pair_now(w->p));
    run(w, sctp_pair_now(w->p) + 100000 * US);
    for (uint16_t i = 0; i < STREAMS; i++)
        for (int side = 0; side < 2; side++) {
            struct iw_event event;
            bool fatal = false;
            while (iw_event(sctp_pair_ep(w->p, side, i), &event)) {
                assert_int_not_equal(event.kind, IW_EV_TERMINATE_SENT);
                fatal |= event.kind == IW_EV_FATAL || event.kind == IW_EV_CLOSED;
            }
            assert_true(fatal && sctp_pair_is_down(w->p, side, i));
        }
    assert_int_equal(w->flushed[0][0] + w->done[0][0], 2);
    close_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stream_carries_its_own),
        cmocka_unit_test(segments_are_placed_out_of_order_and_delivered_in_order),
        cmocka_unit_test(one_stream_ends_and_the_others_go_on),
        cmocka_unit_test(the_stream_takes_another_session),
        cmocka_unit_test(when_all_streams_are_closed_the_association_goes),
        cmocka_unit_test(an_aborted_association_ends_every_stream_without_terminates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
