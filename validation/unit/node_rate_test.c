/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast a stream goes against what a line on paper says: the window, staging, the receive paths. */
#include "llp/tcp.h"
#include "node_rig.h"

enum { WIRE = 78 };

static double serialization(const struct run_conf *c)
{
    return takes(run_fpdu(c) + WIRE, (double)c->link.rate);
}

static double line_gbps(const struct run_conf *c)
{
    return run_payload(c) * 8e3 / serialization(c);
}

/* From a packet that enters the sender's transmit pipeline until its acknowledgement is back. */
static double round_trip(const struct run_conf *c)
{
    struct rnic *r = adapter(&c->rnic[1], 1);
    double pipelines = (double)rnic_step_time(r, RNIC_STEP_SEND, run_fpdu(c)) +
                       (double)rnic_step_time(r, RNIC_STEP_ARRIVE, run_fpdu(c)) +
                       (double)rnic_step_time(r, RNIC_STEP_ARRIVE, 0);
    free(r);
    return 2 * (double)c->link.delay + serialization(c) + takes(WIRE, (double)c->link.rate) + pipelines;
}

/* A stream of full segments that takes an even number of `round_trips` of its window: the second half, which is
 * measured, begins and ends at the same place of the window. */
static void stream(struct run_conf *c, uint64_t window, uint32_t round_trips)
{
    uint32_t segments = (uint32_t)(window / run_fpdu(c));
    c->size = run_payload(c);
    c->count = segments * round_trips;
    c->depth = segments + 64;
    c->link.window = (uint32_t)window * 2 + 16 * run_fpdu(c);
    c->rnic[0].window.bytes = c->rnic[1].window.bytes = window;
}

static void within(double found, double expected, double share, const char *what)
{
    if (found < expected * (1 - share) || found > expected * (1 + share))
        fail_msg("%s: %.4f, expected %.4f within %.1f %%", what, found, expected, share * 100);
}

/* ---- the window ---- */

/* The lines and windows of the points: one way, full segments. */
static const struct {
    iw_time delay;
    uint32_t fpdus;
} points[] = {
    {500 * NS, 2}, {5 * US, 2},   {5 * US, 5},   {5 * US, 9},     {50 * US, 2},
    {50 * US, 30}, {50 * US, 80}, {500 * US, 3}, {500 * US, 101}, {500 * US, 800},
};
enum { POINTS = sizeof points / sizeof *points };

static struct run_conf point(unsigned i, const char *name, enum rnic_policy policy)
{
    struct run_conf c = run_of(points[i].delay);
    c.rnic[0] = c.rnic[1] = preset(name);
    c.rnic[0].window.policy = c.rnic[1].window.policy = policy;
    stream(&c, (uint64_t)points[i].fpdus * run_fpdu(&c) + 1000, points[i].fpdus > 500 ? 6 : 30);
    return c;
}

/* The window's bound, and that of an adapter which slows each connection. */
static double bound_gbps(const struct run_conf *c, unsigned i, double more)
{
    double window = points[i].fpdus * (double)run_payload(c) * 8e3 / (round_trip(c) + more);
    double adapter = (double)c->rnic[0].tx.connection_rate * 1e-9 * run_payload(c) / run_fpdu(c);
    return window < adapter ? window : adapter;
}

/* Segments are pulled when less than one waits for the window, as many as keep the adapter busy: where a round trip is
 * shorter than two of them take through the adapter, the next is not always there when the window opens. */
static double tolerance(const struct run_conf *c)
{
    struct rnic *r = adapter(&c->rnic[0], 1);
    double through = (double)rnic_step_time(r, RNIC_STEP_READ, run_payload(c)) +
                     (double)rnic_step_time(r, RNIC_STEP_SEND, run_fpdu(c));
    free(r);
    return round_trip(c) < 2 * through ? 0.015 : 0.001;
}

/* floor(W / FPDU) segments in every round trip, at 40 points. */
TEST(the_window_bounds_the_rate)
{
    static const struct {
        const char *preset;
        enum rnic_policy policy;
    } adapters[] = {
        {"ideal", RNIC_CONSTANT}, {"ideal", RNIC_PLACED}, {"t6", RNIC_CONSTANT}, {"e810", RNIC_CONSTANT}};
    for (unsigned i = 0; i < 4 * POINTS; i++) {
        struct run_conf c = point(i % POINTS, adapters[i / POINTS].preset, adapters[i / POINTS].policy);
        within(run(&c, false).steady_gbps, bound_gbps(&c, i % POINTS, 0), tolerance(&c),
               "window-bound goodput, Gb/s");
    }
}

/* With `placed` the segments that are accepted and still being written count: the goodput lies between that of a round
 * trip that ends with acceptance and that of one which ends when the next segment, too, is written: the window's update
 * may wait for two. */
TEST(the_backlog_counts)
{
    for (unsigned i = 0; i < POINTS; i++) {
        struct run_conf c = point(i, "t6", RNIC_PLACED);
        struct rnic *r = adapter(&c.rnic[1], 1);
        double write = (double)rnic_step_time(r, RNIC_STEP_PLACE, run_payload(&c)) + serialization(&c);
        double found = run(&c, false).steady_gbps;
        assert_true(found < 1.01 * bound_gbps(&c, i, 0));
        assert_true(found > 0.99 * bound_gbps(&c, i, write));
        free(r);
    }
}

/* The window that bdp finds without being told the round trip carries the line rate. */
TEST(bdp_finds_its_window)
{
    static const struct {
        iw_time delay;
        uint64_t rate;
        uint32_t segments;
    } links[] = {{5 * US, 100 * GBPS, 12000},
                 {50 * US, 100 * GBPS, 12000},
                 {500 * US, 100 * GBPS, 60000},
                 {5 * MS, 10 * GBPS, 60000}};
    static const char *const presets[] = {"ideal", "t6"};
    for (unsigned i = 0; i < 8; i++) {
        struct run_conf c = run_of(links[i / 2].delay);
        c.link.rate = links[i / 2].rate;
        c.rnic[0] = c.rnic[1] = preset(presets[i % 2]);
        c.rnic[0].window.policy = c.rnic[1].window.policy = RNIC_BDP;
        stream(&c, 64 * MIB, 1);
        c.count = links[i / 2].segments;
        c.depth = 3000;
        struct run_result r = run(&c, false);
        if (r.steady_gbps < 0.95 * line_gbps(&c))
            fail_msg("%s, RTT %llu us: %.2f of %.2f Gb/s", presets[i % 2],
                     (unsigned long long)(2 * links[i / 2].delay / US), r.steady_gbps, line_gbps(&c));
    }
}

/* A ULP that reads at 10 Gb/s: with `buffer` the sender goes at its pace, with `placed` it does not matter. */
TEST(the_consumer_bounds_buffer)
{
    static const enum rnic_policy policies[] = {RNIC_BUFFER, RNIC_PLACED};
    for (unsigned i = 0; i < 2; i++) {
        struct run_conf c = run_of(5 * US);
        c.rnic[0].window.policy = c.rnic[1].window.policy = policies[i];
        c.link.consume_rate = 10 * GBPS;
        stream(&c, 1 * MIB, 30);
        struct run_result r = run(&c, false);
        double consumed = 10 * (double)run_payload(&c) / run_fpdu(&c);
        within(r.steady_gbps, i ? line_gbps(&c) : consumed, 0.01, "goodput with a slow ULP, Gb/s");
    }
}

/* ---- the transmit pipeline ---- */

static struct run_conf through_pipeline(const struct llp *llp, iw_time latency, uint32_t size)
{
    static struct tcp_conf tcp;
    struct run_conf c = run_of(2 * US);
    tcp_defaults(&tcp);
    tcp.congestion = &tcp_fixed;
    tcp.fixed_window = 8 * MIB;
    c.llp = llp;
    c.tcp = &tcp;
    c.rnic[0].tx.latency = c.rnic[1].tx.latency = latency;
    c.rnic[0].window.bytes = c.rnic[1].window.bytes = 8 * MIB;
    c.link.window = 16 * MIB;
    c.link.timeout = MS;
    c.size = size ? size : run_payload(&c);
    c.count = size ? 8000 : 2000;
    c.depth = 4000;
    return c;
}

static double share_of(const struct run_result *r, enum node_bound bound)
{
    iw_time all = 0;
    for (unsigned i = 0; i < NODE_BOUNDS; i++)
        all += r->bound[i];
    return (double)r->bound[bound] / (double)all;
}

/* Law: latency of the transmit pipeline delays and does not throttle: one connection has the line's rate, with full segments and
 * with small ones, and it is the line that binds, for a packet waits at the port while another is being sent. */
TEST(latency_does_not_throttle)
{
    static const struct llp *const tables[] = {&llp_tcp, &llp_sctp, &llp_packet, &llp_ideal};
    static const iw_time latencies[] = {10 * NS, 723 * NS, 1 * US, 20 * US, 100 * US};
    for (unsigned t = 0; t < 4; t++)
        for (uint32_t size = 0; size <= 2000; size += 2000) {
            bool counts = tables[t] == &llp_packet && size; /* 256 small packets are no window for this */
            struct run_conf c = through_pipeline(tables[t], 0, size);
            double line = run(&c, false).steady_gbps;
            for (unsigned i = 0; i < (counts ? 3 : 5); i++) {
                c = through_pipeline(tables[t], latencies[i], size);
                struct run_result r = run(&c, false);
                within(r.steady_gbps, line, 0.004, "behind a deep pipeline, Gb/s");
                if (share_of(&r, NODE_BY_ADAPTER) > share_of(&r, NODE_BY_LINE) / 4)
                    fail_msg("%s, %llu ns: the line binds for %.3f of the time, the adapter for %.3f",
                             tables[t]->name, (unsigned long long)(latencies[i] / NS),
                             share_of(&r, NODE_BY_LINE), share_of(&r, NODE_BY_ADAPTER));
            }
        }
}
