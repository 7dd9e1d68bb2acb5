/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What TCP owes two or many hosts of the packet world, adapters and switches included. */
#include "scenario_rig.h"

struct outcome {
    struct point_results row;
    double share; /* steady_gbps of what window and line allow */
};

static struct outcome outcome_of(const char *text)
{
    struct scenario *s = rig_scenario(text, NULL, 0);
    struct scenario_point p;
    struct scenario_derived d;
    char error[SCENARIO_ERROR_MAX];
    assert_true(scenario_point(s, 0, 0, &p, error));
    scenario_derive(&p, &d);
    struct outcome o = {.row = rig_results(s, 0, 0)};
    o.share = o.row.steady_gbps / d.windows_gbps;
    scenario_free(s);
    return o;
}

#define FAR "payload: none\nworkload: {size: 1MiB, depth: 64, count: 1600}\ntopology: {mtu: 9000, delay: "

TEST(a_window_gives_its_rate_over_800_us)
{
    double share = outcome_of(FAR "400us}\nrnic: {window: {bytes: 5000KiB}}\n").share;
    assert_true(share > 0.99 && share < 1.01);
}

TEST(bdp_finds_the_line_over_300_us_and_3_ms)
{
    assert_true(outcome_of(FAR "150us}\nrnic: {window: {policy: bdp}}\n").share > 0.95);
    assert_true(outcome_of(FAR "1500us}\nrnic: {window: {policy: bdp}}\n").share > 0.95);
}

/* RFC 8257 with a floor of two segments. */
TEST(dctcp_keeps_the_link_of_an_incast_full)
{
    static const char text[] = "payload: none\nworkload: {kind: incast, size: 256KiB, count: 60}\n"
                               "topology: {kind: star, hosts: %d, mtu: 9000, buffer: 4MiB, ecn_threshold: "
                               "256KiB}\nllp: {congestion: %s}\n";
    for (int senders = 16; senders <= 64; senders *= 2) {
        char with[512];
        snprintf(with, sizeof with, text, senders + 1, "dctcp");
        struct outcome dctcp = outcome_of(with);
        snprintf(with, sizeof with, text, senders + 1, "cubic");
        struct outcome cubic = outcome_of(with);
        assert_true(dctcp.share >= 0.98);
        assert_int_equal(dctcp.row.counted.timeouts_spurious + dctcp.row.counted.stalls, 0);
        assert_true(dctcp.row.counted.drops_switch <= cubic.row.counted.drops_switch);
    }
}

/* What is lost in a row is sent again, and again, within a tenth of a second, not a minute. */
TEST(bursts_that_last_end_no_run)
{
    struct outcome o = outcome_of("payload: none\nworkload: {count: 2000}\n"
                                  "channel: {burst: {p: 0.001, r: 0.1, loss_bad: 1}}\n");
    assert_int_equal(o.row.messages, 2000);
    assert_true(o.row.counted.timeouts > 0);
}

/* Goodput of three seeds together. */
static double rate_of(const char *kind, const char *loss, unsigned count)
{
    double sum = 0;
    for (int seed = 1; seed <= 3; seed++) {
        char text[512];
        snprintf(text, sizeof text,
                 "payload: none\nseed: %d\ntopology: {rate: 10Gbps, delay: 400us, mtu: 1500}\n"
                 "llp: {kind: %s, delayed_ack: 1}\n"
                 "rnic: {window: {bytes: 16MiB}}\nchannel: {loss: %s, direction: data}\n"
                 "workload: {size: 64KiB, depth: 64, count: %u}\n",
                 seed, kind, loss, count);
        struct outcome o = outcome_of(text);
        assert_int_equal(o.row.messages, count);
        sum += o.row.goodput_gbps;
    }
    return sum / 3;
}

/* Congestion controls that are equal, on the same path with the same losses: as fast, within 10 %. */
TEST(sctp_is_as_fast_as_tcp)
{
    static const struct {
        const char *loss;
        unsigned count;
    } points[] = {{"1e-4", 6000}, {"1e-3", 1500}, {"1e-2", 300}};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        double tcp = rate_of("mpa, congestion: newreno, loss_detection: dupack, initial_window: 3",
                             points[i].loss, points[i].count);
        double sctp = rate_of("sctp", points[i].loss, points[i].count);
        print_message("loss %s: TCP %.3f, SCTP %.3f Gb/s\n", points[i].loss, tcp, sctp);
        assert_true(sctp > 0.9 * tcp && sctp < 1.1 * tcp);
    }
}
