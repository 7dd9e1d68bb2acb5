/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Open loop: messages that come by the clock wait as queueing theory says, and have the sizes that their mix says. */
#include "scenario_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/size_mix.h"
#include "scenarios/workloads/kind.h"

static const char link[] =
    "world: fabric\n"
    "topology: {delay: 1us}\n"
    "llp: {kind: ideal, send_buffer: 64MiB}\n"
    "rnic: {window: {bytes: 64MiB}}\n"
    "workload: {kind: stream, op: write, size: 1400B, count: 60000, depth: 8192, arrival: poisson}\n"
    "payload: none\n";

static struct point_results run_link(const char *const *sets, size_t count)
{
    struct scenario *s = rig_scenario(link, sets, count);
    struct point_results r = rig_results(s, 0, 0);
    scenario_free(s);
    assert_int_equal(r.status, STATUS_OK);
    return r;
}

/* A Write of 1400 octets: 2 (length) + 14 (DDP) + 1400 + 4 (CRC) + 40 (TCP and IP) + 38 (Ethernet) = 1498 octets. */
static const double service_us = 1498 * 8 / 100e3;

/* One server, Poisson arrivals, fixed service (M/D/1, Pollaczek and Khinchine): the mean wait is
 * rho / (2 (1 - rho)) services. `load` counts payload, so rho is load x 1498 / 1400. */
TEST(poisson_arrivals_wait_as_in_md1)
{
    static const struct {
        const char *load;
        double of, within;
    } rows[] = {
        {"workload.load=0.3", 0.3, 0.01}, {"workload.load=0.5", 0.5, 0.01}, {"workload.load=0.8", 0.8, 0.02}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct point_results r = run_link(&rows[i].load, 1);
        double rho = rows[i].of * 1498 / 1400;
        double mean = 1 + service_us + rho / (2 * (1 - rho)) * service_us;
        print_message("load %.1f: %.4f us, M/D/1 %.4f us\n", rows[i].of, r.latency_mean_us, mean);
        assert_true(fabs(r.latency_mean_us / mean - 1) < rows[i].within);
        assert_true(fabs(r.goodput_gbps / (100 * rows[i].of) - 1) < 0.01);
    }
}

/* Evenly spaced ones never wait; the slowdown of a message that is alone is 1. */
TEST(even_arrivals_do_not_wait)
{
    const char *const sets[] = {"workload.arrival=every", "workload.load=0.9"};
    struct point_results r = run_link(sets, 2);
    assert_int_equal(r.latency_p50_ps, 1119840);
    assert_int_equal(r.latency_max_ps, 1119840);
    assert_true(fabs(r.fct_slowdown_p50 - 1) < 1e-5 && fabs(r.fct_slowdown_p99 - 1) < 1e-5);
    assert_true(fabs(r.goodput_gbps - 90) < 0.1);
}

/* Beyond the link's rate the wait grows with the run, and is counted from when a message came, not from when it found a
 * slot: with 100 slots the last of 20,000 at load 2 came when half the time was over. */
TEST(a_wait_for_a_slot_counts)
{
    const char *const sets[] = {"workload.arrival=every", "workload.load=2", "workload.depth=100",
                                "workload.count=20000"};
    struct point_results r = run_link(sets, 4);
    double all_us = 20000 * service_us, came_us = 20000 * 1400 * 8 / 100e3 / 2;
    assert_true(fabs((double)r.latency_max_ps / 1e6 / (all_us - came_us) - 1) < 0.01);
}

/* ---- mixes ---- */

static const struct size_mix *mix(const char *name)
{
    char error[SIZE_MIX_ERROR_MAX] = "";
    const struct size_mix *m = size_mix_find(rig_path("test.yaml"), name, error);
    if (!m)
        fail_msg("%s", error);
    return m;
}

/* Shares at the points of the files and means, against the papers' figures as the files have them. */
TEST(sizes_are_those_of_the_mix)
{
    enum { DRAWS = 200000 };
    static const struct {
        const char *name;
        double mean;
        uint32_t octets[4];
        double share[4];
    } rows[] = {{"web-search.cdf", 1711250, {10000, 65000, 1000000, 30000000}, {0.15, 0.465, 0.7, 1}},
                {"data-mining.cdf", 12658198.6, {180, 1100, 10000, 1000000000}, {0.1, 0.5, 0.8, 1}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct size_mix *m = mix(rows[i].name);
        struct workload_conf conf = {.sizes = m->count, .distribution = m->sizes, .seed = 1};
        size_t below[4] = {0};
        double sum = 0;
        assert_true(fabs(m->mean / rows[i].mean - 1) < 1e-6);
        for (uint64_t d = 0; d < DRAWS; d++) {
            uint32_t octets = message_length(&conf, (uint32_t)(d % 7), d / 7);
            assert_true(octets >= 1);
            sum += octets;
            for (int k = 0; k < 4; k++)
                below[k] += octets <= rows[i].octets[k];
        }
        for (int k = 0; k < 4; k++)
            assert_true(fabs((double)below[k] / DRAWS - rows[i].share[k]) < 0.005);
        assert_true(fabs(sum / DRAWS / rows[i].mean - 1) < 0.05);
    }
}

/* A step at a size, then a line. */
TEST(a_first_share_is_drawn_as_it_is)
{
    rig_file("step.cdf", "# two kinds\n\n64 0.5\n64 0.75\n1000 1\n");
    const struct size_mix *m = mix("step.cdf");
    struct workload_conf conf = {.sizes = m->count, .distribution = m->sizes, .seed = 2};
    size_t small = 0;
    for (uint64_t d = 0; d < 10000; d++)
        small += message_length(&conf, 0, d) == 64;
    assert_true(small > 7300 && small < 7700);
    assert_true(fabs(m->mean - (0.75 * 64 + 0.25 * 532)) < 1e-6);
}

TEST(wrong_mixes_are_refused_with_their_line)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "bad.cdf:1: the last share must be 1"},
        {"1 0.5\n", "the last share must be 1"},
        {"1 0.5\n2 0.4\n3 1\n", "bad.cdf:2: octets and shares must ascend"},
        {"5 0.5\n2 1\n", "bad.cdf:2: octets and shares must ascend"},
        {"1 x\n", "bad.cdf:1: a line needs two numbers, octets and share"},
        {"1\n", "bad.cdf:1: a line needs two numbers"},
        {"1 0.5 1\n", "bad.cdf:1: a line needs two numbers"},
        {"-1 1\n", "bad.cdf:1: octets must be 0 to 1073741824"},
        {"1 1.5\n", "bad.cdf:1: octets must be 0 to 1073741824, shares 0 to 1"},
        {"2000000000 1\n", "bad.cdf:1: octets must be 0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char error[SIZE_MIX_ERROR_MAX] = "";
        rig_file("bad.cdf", rows[i].text);
        assert_null(size_mix_find(rig_path("test.yaml"), "bad.cdf", error));
        if (!strstr(error, rows[i].error))
            fail_msg("'%s' says: %s", rows[i].text, error);
    }
}

TEST(a_mix_that_is_not_there_is_refused_with_its_place)
{
    char error[SCENARIO_ERROR_MAX] = "";
    const char *file = rig_file("mix.yaml", "workload: {kind: stream, size: {cdf: nothing.cdf}}\n");
    assert_null(scenario_load(file, NULL, 0, error));
    if (!strstr(error, "workload.size.cdf: 'nothing.cdf' is neither a file beside the scenario"))
        fail_msg("%s", error);
    file = rig_file("mix.yaml",
                    "workload: {size: {cdf: web-search.cdf}}\nsweep: {workload.size: [1KiB, 2KiB]}\n");
    assert_null(scenario_load(file, NULL, 0, error));
    assert_non_null(strstr(error, "replaces workload.size, which is swept"));
}
