/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarpsim stages says what a run in the packet world then takes, to the picosecond: all presets, all operations. */
#include <stdio.h>
#include <string.h>

#include "helpers/command/latency_budget.h"
#include "rnic/conf.h"
#include "scenario_rig.h"

static struct scenario *pingpong(const char *preset, const char *op, unsigned size, const char *more)
{
    char text[600];
    snprintf(text, sizeof text,
             "world: fabric\nllp: {kind: ideal}\npayload: none\ntopology: {rate: 100Gbps, delay: 500ns, mtu: "
             "9000%s}\n"
             "rnic: {preset: %s}\nworkload: {kind: pingpong, op: %s, size: %uB, count: 5}\n",
             more, preset, op, size);
    return rig_scenario(text, NULL, 0);
}

static struct scenario_point point_of(const struct scenario *s)
{
    struct scenario_point point;
    char error[SCENARIO_ERROR_MAX];
    assert_true(scenario_point(s, 0, 0, &point, error));
    return point;
}

static void expect_sum(const char *preset, const char *op, unsigned size)
{
    struct scenario *s = pingpong(preset, op, size, "");
    struct scenario_point point = point_of(s);
    struct latency_budget stages;
    uint64_t sum = 0;
    assert_null(latency_budget_of(&point, &stages));
    assert_true(stages.count <= STAGES_MAX);
    for (uint32_t j = 0; j < stages.count; j++)
        sum += stages.stage[j].time;
    assert_int_equal(sum, stages.sum);
    struct point_results r =
        rig_results(s, 0, 0); /* its first message finds cold caches, the median does not */
    /* the interrupt for a message of its own keeps the CPU of siw from taking what came */
    bool busy = point.rnic.completion.mode == RNIC_INTERRUPT && !workload_is_asked_for(point.workload.op);
    if (busy ? r.latency_p50_ps < sum : r.latency_p50_ps != sum)
        fail_msg("%s %s %u: stages %llu ps, run %llu ps", preset, op, size, (unsigned long long)sum,
                 (unsigned long long)r.latency_p50_ps);
    scenario_free(s);
}

TEST(the_sum_is_what_a_run_takes)
{
    static const char *const ops[] = {"send", "write", "read"};
    static const unsigned sizes[] = {1, 24, 25, 64, 4096, 8000};
    for (unsigned i = 0; i < rnic_presets_count; i++) {
        const char *preset = rnic_presets[i].name;
        for (unsigned k = 0; k < 18; k++)
            expect_sum(preset, ops[k / 6], sizes[k % 6]);
        expect_sum(preset, "fetch_add", 8);
        expect_sum(preset, "cmp_swap", 8);
    }
}

/* ideal: only the line takes time. 64 + 14 + 6 octets and 78 around them at 100 Gb/s and 500 ns: 0.51296 us. */
TEST(what_it_says_of_ideal)
{
    struct scenario *s = pingpong("ideal", "write", 64, "");
    struct scenario_point point = point_of(s);
    struct latency_budget stages;
    assert_null(latency_budget_of(&point, &stages));
    assert_int_equal(stages.sum, 512960);
    scenario_free(s);
}

TEST(what_it_cannot_say)
{
    struct scenario *s = pingpong("t6", "send", 64, ", framing: ppp");
    struct scenario_point point = point_of(s);
    struct latency_budget stages;
    point.workload.size = 9000;
    assert_non_null(strstr(latency_budget_of(&point, &stages), "one segment"));
    point.workload.size = 64;
    point.llp.markers = true;
    assert_non_null(strstr(latency_budget_of(&point, &stages), "markers"));
    scenario_free(s);
}
