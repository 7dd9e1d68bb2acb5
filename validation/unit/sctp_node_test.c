/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DDP over SCTP between two nodes: several streams on one association, placed out of order, delivered in order, torn
 * down one by one. Sessions that follow one another on a stream are in sctp_ddp_test.c. */
#include "node_rig.h"

enum { STREAMS = 4, SIZE = 20000, PD = 1 };

struct world {
    struct two_nodes *nodes;
    iw_stag sink, source;
    uint8_t memory[2][STREAMS * SIZE];
    uint32_t placed_early[STREAMS], delivered[STREAMS], faults[STREAMS];
    unsigned events[2][STREAMS]; /* 1 << enum iw_event_kind */
    int terminate[STREAMS];      /* received at side 0 */
    uint32_t done[2][STREAMS], flushed[2][STREAMS];
};

static void hear(void *user, int side, const struct node_event *e)
{
    struct world *w = user;
    w->placed_early[e->user] += e->kind == NODE_PLACED && !e->in_order;
    w->delivered[e->user] += e->kind == NODE_DELIVERED && side == 1;
    w->faults[e->user] += e->kind == NODE_FAULT;
    if (e->kind != NODE_ENDPOINT)
        return;
    w->events[side][e->user] |= 1u << e->event.kind;
    if (e->event.kind == IW_EV_TERMINATE_RECEIVED && side == 0)
        w->terminate[e->user] = e->event.term;
}

static struct two_nodes_conf conf_of(uint64_t seed)
{
    static struct run_conf run; /* its adapters are borrowed */
    run = run_of(5 * US);
    run.llp = &llp_sctp;
    run.link.mtu = 1460;
    run.link.seed = seed;
    run.depth = 63;
    run.ord = 4;
    run.real = true;
    struct two_nodes_conf c = run_nodes(&run);
    for (int side = 0; side < 2; side++) {
        c.conf[side].streams = STREAMS;
        c.conf[side].min_rto = 100 * US;
        c.ep[side].complete_on = IW_ON_ACK;
        c.ep[side].reorder_max = 1024;
    }
    return c;
}

static struct world *open_world(const struct two_nodes_conf *conf)
{
    struct world *w = calloc(1, sizeof *w);
    const char *why;
    w->nodes = two_nodes_new(conf, hear, w, &why);
    if (!w->nodes)
        fail_msg("%s", why);
    for (int side = 0; side < 2; side++) {
        struct iw_region region = {.base = w->memory[side],
                                   .len = sizeof w->memory[side],
                                   .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE,
                                   .pd = PD};
        struct iw_stags *stags = node_stags(two_nodes_node(w->nodes, side));
        assert_int_equal(iw_register(stags, &region, side ? &w->sink : &w->source), IW_OK);
    }
    for (uint32_t i = 0; i < sizeof w->memory[0]; i++)
        w->memory[0][i] = (uint8_t)(i * 7 + i / 251);
    assert_true(two_nodes_connect(w->nodes, 1000 * MS));
    return w;
}

static void drain(struct world *w)
{
    struct iw_done done;
    for (int side = 0; side < 2; side++)
        while (node_poll(two_nodes_node(w->nodes, side), &done)) {
            w->done[side][done.user] += done.status == IW_OK;
            w->flushed[side][done.user] += done.status != IW_OK;
        }
}

static void run_for(struct world *w, iw_time span)
{
    two_nodes_run(w->nodes, two_nodes_now(w->nodes) + span);
    drain(w);
}

static void close_stream(struct world *w, uint16_t stream)
{
    for (int side = 0; side < 2; side++)
        assert_int_equal(two_nodes_close(w->nodes, side, stream, IW_CLOSE), IW_OK);
}

static bool is_down(const struct world *w, int side, uint16_t stream)
{
    return w->events[side][stream] & 1u << IW_EV_CLOSED;
}

/* A Write of a stream's share, then a Send of its first 100 octets. */
static void post(struct world *w, uint16_t stream)
{
    struct iw_work recv = {.op = IW_RECV, .sges = 1, .sge = {{w->sink, 100, (uint64_t)stream * SIZE}}};
    struct iw_work write = {.op = IW_WRITE,
                            .sges = 1,
                            .sge = {{w->source, SIZE, (uint64_t)stream * SIZE}},
                            .remote_stag = w->sink,
                            .remote_to = (uint64_t)stream * SIZE};
    struct iw_work send = {.op = IW_SEND, .sges = 1, .sge = {{w->source, 100, (uint64_t)stream * SIZE}}};
    assert_int_equal(two_nodes_post(w->nodes, 1, stream, &recv), IW_OK);
    assert_int_equal(two_nodes_post(w->nodes, 0, stream, &write), IW_OK);
    assert_int_equal(two_nodes_post(w->nodes, 0, stream, &send), IW_OK);
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
    assert_null(two_nodes_error(w->nodes));
    for (int side = 0; side < 2; side++) {
        assert_null(node_leftover(two_nodes_node(w->nodes, side)));
        assert_int_equal(two_nodes_under_way(w->nodes, side), 0);
    }
    two_nodes_free(w->nodes);
    free(w);
}

/* ---- */

/* checks: SCTP-5.1-1 SCTP-8-1 SCTP-6.2-1 */
TEST(every_stream_carries_its_own)
{
    struct two_nodes_conf conf = conf_of(1);
    struct world *w = open_world(&conf);
    for (uint16_t i = 0; i < STREAMS; i++)
        post(w, i);
    run_for(w, 100 * MS);
    for (uint16_t i = 0; i < STREAMS; i++)
        expect_stream(w, i);
    close_world(w);
}

TEST(segments_are_placed_out_of_order_and_delivered_in_order)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct two_nodes_conf conf = conf_of(seed);
        struct rnic_conf hold = *conf.node[1].rnic;
        hold.receive = RNIC_HOLD;
        if (seed & 1)
            conf.node[1].rnic = &hold;
        conf.fabric.acks = true;
        conf.fabric.channel = (struct channel_conf){.loss = 0.05,
                                                    .corrupt = 0.02,
                                                    .duplicate = 0.05,
                                                    .reorder = {.probability = 0.1, .delay = 20 * US}};
        struct world *w = open_world(&conf);
        for (uint16_t i = 0; i < STREAMS; i++)
            post(w, i);
        run_for(w, 10000 * MS);
        uint32_t early = 0;
        for (uint16_t i = 0; i < STREAMS; i++) {
            expect_stream(w, i);
            early += w->placed_early[i];
        }
        assert_int_equal(early > 0, !(seed & 1));
        close_world(w);
    }
}

/* A Write outside the buffer on stream 1: that stream ends with a Terminate, the others do not notice.
 * checks: DDP-3-8a DDP-6.2-2 RDMAP-7-1a RDMAP-7-1b SCTP-11.3-3 DDP-3-8b */
TEST(one_stream_ends_and_the_others_go_on)
{
    struct two_nodes_conf conf = conf_of(1);
    struct world *w = open_world(&conf);
    struct iw_work bad = {.op = IW_WRITE,
                          .sges = 1,
                          .sge = {{w->source, 8, 0}},
                          .remote_stag = w->sink,
                          .remote_to = sizeof w->memory[1] - 4};
    assert_int_equal(two_nodes_post(w->nodes, 0, 1, &bad), IW_OK);
    run_for(w, 10 * MS);
    assert_int_equal(w->terminate[1], IW_T_DDP_BOUNDS);
    assert_true(is_down(w, 0, 1) && is_down(w, 1, 1));
    assert_int_equal(two_nodes_post(w->nodes, 0, 1, &bad), IW_ESTATE);
    for (uint16_t i = 0; i < STREAMS; i++)
        if (i != 1) {
            assert_int_equal(w->events[0][i] | w->events[1][i], 0);
            post(w, i);
        }
    run_for(w, 100 * MS);
    for (uint16_t i = 0; i < STREAMS; i++)
        if (i != 1)
            expect_stream(w, i);
    assert_int_equal(w->events[0][0] | w->events[1][0], 0);
    close_world(w);
}

/* checks: DDP-3-9a DDP-3-9b DDP-3-10 RDMAP-7-2 */
TEST(when_all_streams_are_closed_the_association_goes)
{
    struct two_nodes_conf conf = conf_of(1);
    struct world *w = open_world(&conf);
    for (uint16_t i = 0; i < STREAMS; i++) {
        post(w, i);
        run_for(w, 1 * MS);
        close_stream(w, i);
        run_for(w, 10 * MS);
        expect_stream(w, i);
        assert_true(is_down(w, 0, i) && is_down(w, 1, i));
    }
    run_for(w, 100000 * MS);
    assert_true(two_nodes_deadline(w->nodes) == IW_NEVER);
    close_world(w);
}

/* It is lost in the middle, at both ends: no stream sends a Terminate.
 * checks: SCTP-11.3-1 SCTP-11.3-2 */
TEST(a_lost_association_ends_every_stream_without_terminates)
{
    struct two_nodes_conf conf = conf_of(1);
    struct world *w = open_world(&conf);
    for (uint16_t i = 0; i < STREAMS; i++)
        post(w, i);
    for (int i = 0; i < 20; i++)
        two_nodes_step(w->nodes);
    two_nodes_lose(w->nodes);
    run_for(w, 100 * MS);
    for (uint16_t i = 0; i < STREAMS; i++)
        for (int side = 0; side < 2; side++) {
            assert_false(w->events[side][i] & 1u << IW_EV_TERMINATE_SENT);
            assert_true(is_down(w, side, i));
        }
    assert_int_equal(w->flushed[0][0] + w->done[0][0], 2);
    close_world(w);
}
