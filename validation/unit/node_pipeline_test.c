/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_pipeline_test.c -- a deep transmit pipeline that is full: what is sent next, and what is said of it. */
#include "engine/wire.h"
#include "llp/tcp.h"
#include "node_rig.h"

enum { MEMORY = 1 << 20, PD = 1, WRITES = 8, LATENCY_US = 100 };

struct rig {
    struct two_nodes *nodes;
    iw_stag local, stag;
    uint64_t pulled, sent;    /* keys: behind the last segment, of side 0 */
    unsigned after_terminate; /* segments pulled since */
    uint8_t last;             /* opcode of the last */
    bool terminated;
    int told; /* the Terminate that side 1 received, and when */
    iw_time told_at;
};

/* Law: order of pulls is order of sends, and what is sent was pulled. */
static void hear(void *user, int side, const struct node_event *e)
{
    struct rig *r = user;
    if (side == 0 && e->kind == NODE_PULLED) {
        assert_true(e->key >= r->pulled);
        r->pulled = e->end;
        r->after_terminate += r->terminated;
        r->last = e->seg.head[1] & 15;
    }
    if (side == 0 && e->kind == NODE_SENT) {
        assert_true(e->key >= r->sent && e->end <= r->pulled);
        r->sent = e->end;
    }
    if (side == 1 && e->kind == NODE_ENDPOINT && e->event.kind == IW_EV_TERMINATE_RECEIVED) {
        r->told = e->event.term;
        r->told_at = e->t;
    }
}

static void set_up(struct rig *r, const struct llp *llp)
{
    struct run_conf run = run_of(US);
    struct tcp_conf tcp;
    const char *why;
    tcp_defaults(&tcp);
    tcp.congestion = &tcp_fixed;
    tcp.fixed_window = 8 * MIB;
    run.tcp = &tcp;
    run.llp = llp;
    run.depth = WRITES;
    run.rnic[0].tx.latency = run.rnic[1].tx.latency = LATENCY_US * US;
    run.rnic[0].window.bytes = run.rnic[1].window.bytes = 8 * MIB;
    run.link.window = 16 * MIB;
    run.link.timeout = MS;
    struct two_nodes_conf c = run_nodes(&run);
    *r = (struct rig){0};
    r->nodes = two_nodes_new(&c, hear, r, &why);
    assert_non_null(r->nodes);
    struct iw_region region = {.len = MEMORY, .pd = PD, .rights = IW_REMOTE_WRITE};
    assert_int_equal(iw_register(node_stags(two_nodes_node(r->nodes, 0)), &region, &r->local), IW_OK);
    assert_int_equal(iw_register(node_stags(two_nodes_node(r->nodes, 1)), &region, &r->stag), IW_OK);
    assert_true(two_nodes_connect(r->nodes, 1000 * MS));
}

static void post(struct rig *r)
{
    struct iw_work work = {
        .op = IW_WRITE, .sges = 1, .sge = {{.stag = r->local, .len = MEMORY}}, .remote_stag = r->stag};
    for (int i = 0; i < WRITES; i++)
        assert_int_equal(two_nodes_post(r->nodes, 0, 0, &work), IW_OK);
}

static const struct llp *const tables[] = {&llp_tcp, &llp_sctp, &llp_packet, &llp_ideal};
enum { TABLES = sizeof tables / sizeof *tables };

/* The next segment pulled is the Terminate, and the last. The pipeline is full and holds no more than it must: the Terminate takes
 * its latency, the link's and a few packets. */
TEST(a_terminate_acts_at_the_next_pull)
{
    for (int i = 0; i < TABLES; i++) {
        struct rig r;
        set_up(&r, tables[i]);
        post(&r);
        two_nodes_run(r.nodes,
                      two_nodes_now(r.nodes) + 4 * LATENCY_US * US); /* past the burst that fills it */
        r.terminated = true;
        iw_time at = two_nodes_now(r.nodes), packet = 723 * NS;
        assert_int_equal(two_nodes_terminate(r.nodes, 0, 0, IW_T_RDMA_CATASTROPHIC), IW_OK);
        while (two_nodes_step(r.nodes))
            ;
        assert_int_equal(r.after_terminate, 1);
        assert_int_equal(r.last, RDMAP_TERMINATE);
        assert_int_equal(r.told, IW_T_RDMA_CATASTROPHIC);
        if (tables[i] != &llp_sctp) /* whose congestion window may hold it */
            assert_true(r.told_at <= at + (LATENCY_US + 1) * US + 4 * packet);
        two_nodes_free(r.nodes);
    }
}
