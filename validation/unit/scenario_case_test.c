/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases: named sets of keys are one more axis, and a point has what its case states. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/identity.h"
#include "scenario_rig.h"

static const char text[] =
    "cases:\n"
    "  iWARP:\n"
    "  RoCE: {llp.kind: packet, llp.recovery: go_back_n, hosts.1.rnic.rx.latency: 3us}\n"
    "  'a \"big\" star, # 2': {topology: {kind: star, hosts: 9}, hosts.1-7.rnic.rx.latency: 5us}\n"
    "payload: none\n"
    "topology.hosts: 2\n"
    "rnic.rx.latency: 1us\n"
    "sweep: {workload.count: [5, 6]}\n";

static struct scenario_point point_of(const struct scenario *s, const char *label)
{
    struct scenario_point p;
    char error[SCENARIO_ERROR_MAX];
    assert_true(scenario_find(s, label) < s->points);
    if (!scenario_point(s, scenario_find(s, label), 0, &p, error))
        fail_msg("%s", error);
    return p;
}

TEST(cases_are_the_slowest_axis)
{
    static const char *const labels[] = {"iWARP/5", "iWARP/6", "RoCE/5", "RoCE/6"};
    struct scenario *s = rig_scenario(text, NULL, 0);
    assert_int_equal(s->points, 6);
    for (size_t i = 0; i < 4; i++) {
        char label[SCENARIO_LABEL_MAX];
        scenario_label(s, i, label);
        assert_string_equal(label, labels[i]);
    }
    scenario_free(s);
}

TEST(a_point_has_what_its_case_states_and_else_what_all_have)
{
    struct scenario *s = rig_scenario(text, NULL, 0);
    struct scenario_point iwarp = point_of(s, "iWARP/6"), roce = point_of(s, "RoCE/5");
    struct scenario_point star = point_of(s, "a \"big\" star, # 2/5");
    assert_int_equal(iwarp.llp.kind, LLP_MPA);
    assert_int_equal(roce.llp.kind, LLP_PACKET);
    assert_int_equal(star.llp.kind, LLP_MPA);
    assert_int_equal(star.topology.hosts, 9);
    assert_int_equal(iwarp.topology.hosts, 2);
    assert_int_equal(scenario_adapter(&star, 7).rx.latency, 5000000);
    assert_int_equal(scenario_adapter(&star, 8).rx.latency, 1000000);
    assert_int_equal(scenario_adapter(&roce, 1).rx.latency, 3000000);
    assert_int_equal(scenario_adapter(&iwarp, 1).rx.latency, 1000000);
    assert_string_equal(roce.case_name, "RoCE");
    scenario_free(s);
}

TEST(a_set_chooses_cases)
{
    const char *const one[] = {"case=RoCE"}, *const two[] = {"case=[RoCE, iWARP]"};
    const char *const other[] = {"case=iWARP", "llp.kind=ideal"};
    struct scenario *s = rig_scenario(text, one, 1);
    assert_int_equal(s->points, 2);
    assert_int_equal(point_of(s, "6").llp.kind, LLP_PACKET);
    scenario_free(s);
    s = rig_scenario(text, other, 2); /* what the others state does not matter then */
    assert_int_equal(point_of(s, "6").llp.kind, LLP_IDEAL);
    scenario_free(s);
    s = rig_scenario(text, two, 1);
    assert_int_equal(s->points, 4);
    assert_int_equal(scenario_find(s, "RoCE/5"), 0);
    assert_int_equal(point_of(s, "iWARP/5").llp.kind, LLP_MPA);
    scenario_free(s);
}

TEST(a_set_takes_a_key_out_of_all_cases)
{
    const char *const one[] = {"llp.kind=packet"}, *const list[] = {"llp.kind=[mpa, packet]"};
    struct scenario *s = rig_scenario(text, one, 1);
    assert_int_equal(point_of(s, "iWARP/5").llp.kind, LLP_PACKET);
    scenario_free(s);
    s = rig_scenario(text, list, 1);
    assert_int_equal(s->points, 12);
    assert_int_equal(point_of(s, "RoCE/5/mpa").llp.kind, LLP_MPA);
    scenario_free(s);
}

static void expect_same(const struct scenario *a, const struct scenario *b)
{
    assert_int_equal(a->points, b->points);
    for (size_t i = 0; i < a->points; i++) {
        char one[SHA256_TEXT], other[SHA256_TEXT], label[SCENARIO_LABEL_MAX];
        scenario_label(a, i, label);
        assert_int_equal(scenario_find(b, label), i);
        scenario_identity(a, i, 0, one);
        scenario_identity(b, i, 0, other);
        assert_string_equal(one, other);
    }
}

TEST(what_is_written_reads_back_as_the_same)
{
    const char *const sets[] = {NULL, "case=a \"big\" star, # 2", "case=[RoCE, iWARP]", "llp.kind=packet"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct scenario *s = rig_scenario(text, &sets[i], i > 0);
        char *written = NULL;
        size_t size;
        FILE *out = open_memstream(&written, &size);
        assert_non_null(out);
        scenario_write(s, out);
        fclose(out);
        struct scenario *again = rig_scenario(written, NULL, 0);
        expect_same(s, again);
        scenario_free(again);
        free(written);
        scenario_free(s);
    }
}

/* Each differs from the others by what its case states, or by its name. */
TEST(points_of_cases_have_identities_of_their_own)
{
    struct scenario *s = rig_scenario("cases: {a: {seed: 2}, b: {seed: 3}, c: , d: {seed: 2}}\n", NULL, 0);
    char sums[4][SHA256_TEXT];
    for (size_t i = 0; i < 4; i++) {
        scenario_identity(s, i, 0, sums[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(sums[i], sums[j]);
    }
    scenario_free(s);
}

TEST(the_sweep_may_say_which_cases_and_where)
{
    struct scenario *s = rig_scenario("cases: {a: {seed: 2}, b: {seed: 3}, c: {seed: 4}}\n"
                                      "sweep: {workload.depth: [1, 2], case: [c, a]}\n",
                                      NULL, 0);
    assert_int_equal(s->points, 4);
    assert_int_equal(point_of(s, "2/c").seed, 4);
    assert_int_equal(point_of(s, "1/a").seed, 2);
    scenario_free(s);
}

static void expect_refused(const char *yaml, const char *set, const char *wanted)
{
    char error[SCENARIO_ERROR_MAX];
    const char *path = rig_file("case.yaml", yaml);
    struct scenario *s = scenario_load(path, &set, set != NULL, error);
    assert_null(s);
    const char *said = strstr(error, "case.yaml:");
    assert_string_equal(said ? said + sizeof "case.yaml:" - 1 : error, wanted);
}

TEST(wrong_cases_are_refused)
{
#define RULE "the name of a case is 1 to 40 octets of plain text that does not begin with [ or #"
    static const struct {
        const char *yaml, *set, *error;
    } rows[] = {
        {"cases: {}\n", NULL, "1:1: cases: needs names with keys, {NAME: {KEY: value}, NAME: {KEY: value}}"},
        {"cases: [a]\n", NULL, "1:1: cases: needs names with keys, {NAME: {KEY: value}, NAME: {KEY: value}}"},
        {"cases: {a: 3}\n", NULL, "1:12: cases.a: needs keys, {KEY: value}"},
        {"cases: {a: {}, a: {}}\n", NULL, "1:16: cases.a: is given twice; the first is in line 1"},
        {"cases: {\"\": {}}\n", NULL, "1:9: cases: '': " RULE},
        {"cases: {\"[a\": {}}\n", NULL, "1:9: cases: '[a': " RULE},
        {"cases: {\"a\\e[1m\": {}}\n", NULL, "1:9: cases: 'a?[1m': " RULE},
        {"cases: {? [a] : {}}\n", NULL, "1:11: cases: " RULE},
        {"cases: {aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab: {}}\n", NULL,
         "1:9: cases: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab': " RULE},
        {"cases: {a: {repeat: 3}}\n", NULL,
         "1:21: cases.a: repeat belongs to the whole scenario, not to a case of it"},
        {"cases: {a: {case: b}}\n", NULL,
         "1:19: cases.a: case belongs to the whole scenario, not to a case of it"},
        {"cases: {a: {seed: 1, seed: 2}}\n", NULL,
         "1:28: cases.a: seed is given twice; the first is in line 1"},
        {"cases: {a: {seed: [1, 2]}}\n", NULL, "1:13: seed: takes one value; lists belong below `sweep:`"},
        {"cases: {a: {seed: 1}, b: {}}\nsweep: {seed: [1, 2]}\n", NULL,
         "1:19: cases.a: seed is swept; a key stands in cases or in the sweep, not in both"},
        {"case: a\n", NULL, "1:7: case: 'a' is not known: write cases: {NAME: {KEY: value}} first"},
        {"cases: {a: {}, b: {}}\nsweep: {case: [a, c]}\n", NULL,
         "2:19: case: 'c' is not known; allowed: a, b"},
        {"cases: {a: {}, b: {}}\n", "case=c", "--set: case: 'c' is not known; allowed: a, b"},
        {"cases: {a: {workloads.x.count: 3}, b: {}}\n", NULL,
         "1:32: cases.a: workloads.x.count: all cases have the same workloads: name it outside of cases, "
         "too"},
        /* what another case states does not help */
        {"cases: {a: {llp.flight: 8}, b: {llp.kind: packet}}\n", NULL,
         "1:25: llp.flight: has no effect unless llp.kind is packet; in case a"},
        {"cases: {a: {channel.reorder.probability: 0.1}, b: {channel.reorder: {probability: 0.1, delay: "
         "1us}}}\n",
         NULL,
         "1:42: channel.reorder.probability: needs a channel.reorder.delay or "
         "channel.reorder.displacement; in case a"},
        {"cases: {a: {world: simgrid, llp.pacing: true}, b: {}}\n", NULL,
         "1:41: llp.pacing: has no effect in this world, only in world fabric, ns3; in case a"},
        {"llp.flight: 8\ncases: {a: {}, b: {}}\n", NULL,
         "1:13: llp.flight: has no effect unless llp.kind is packet"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_refused(rows[i].yaml, rows[i].set, rows[i].error);
}

/* A key of all points needs one case in which it acts. */
TEST(one_case_may_be_what_a_key_goes_with)
{
    struct scenario *s =
        rig_scenario("llp.flight: 8\npayload: none\ncases: {a: {}, b: {llp.kind: packet}}\n", NULL, 0);
    assert_int_equal(s->points, 2);
    scenario_free(s);
}
