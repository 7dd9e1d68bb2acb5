/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scenarios: what is read is what was written; points, labels, sweeps; draws that know nothing of the sweep. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/world.h"
#include "scenario_rig.h"

/* The example of the design. */
static const char window_text[] =
    "title: Receive window against round-trip time\n"
    "world: fabric\n"
    "seed: 1\n"
    "repeat: 2\n"
    "topology: {kind: link, rate: 100Gbps, delay: 10us, mtu: 9000}\n"
    "llp: {kind: mpa, markers: false, crc: true, congestion: cubic}\n"
    "rnic: {preset: ideal, receive: place, window: {policy: placed, bytes: 1MiB}}\n"
    "channel: {loss: 1e-3, reorder: {probability: 0.01, delay: 20us}}\n"
    "workload: {kind: stream, op: write, size: 64KiB, count: 20}\n"
    "payload: none\n"
    "sweep:\n"
    "  rnic.window.bytes: [64KiB, 256KiB]\n"
    "  topology.delay: [1us, 10us]\n"
    "plot: {x: rnic.window.bytes, y: steady_gbps, by: topology.delay, logx: true}\n";

static const struct {
    enum value_type type;
    const char *text;
    uint64_t n;
    const char *written, *bare;
} values[] = {
    {VALUE_OCTETS, "1.5GiB", 1610612736, "1536MiB", "1610612736"},
    {VALUE_OCTETS, "64 KiB", 65536, "64KiB", "65536"},
    {VALUE_OCTETS, "1500B", 1500, "1500B", "1500"},
    {VALUE_OCTETS, "1e6B", 1000000, "1MB", "1000000"},
    {VALUE_OCTETS, "0B", 0, "0B", "0"},
    {VALUE_RATE, "100Gbps", 100000000000, "100Gbps", "100"},
    {VALUE_RATE, "2.5Gbps", 2500000000, "2500Mbps", "2.5"},
    {VALUE_RATE, "1bps", 1, "1bps", "0.000000001"},
    {VALUE_TIME, "10us", 10000000, "10us", "10"},
    {VALUE_TIME, "0.1us", 100000, "100ns", "0.1"},
    {VALUE_TIME, "1ps", 1, "1ps", "0.000001"},
    {VALUE_TIME, "1.000001s", 1000001000000, "1000001us", "1000001"},
    {VALUE_COUNT, "18446744073709551615", UINT64_MAX, "18446744073709551615", "18446744073709551615"},
    {VALUE_RATIO, "1.25", 1250, "1.25", "1.25"},
};

TEST(values_are_exact_and_read_back)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct value_rules rules = {.type = values[i].type};
        struct value v, again;
        char why[VALUE_WHY_MAX], text[VALUE_TEXT_MAX];
        assert_true(value_read(&v, &rules, values[i].text, why));
        assert_int_equal(v.n, values[i].n);
        value_write(&v, &rules, text, sizeof text);
        assert_string_equal(text, values[i].written);
        assert_true(value_read(&again, &rules, text, why));
        assert_true(value_equal(&v, &again));
        value_bare(&v, &rules, text, sizeof text);
        assert_string_equal(text, values[i].bare);
    }
}

TEST(reals_are_written_as_short_as_they_read_back)
{
    static const char *const pairs[][2] = {
        {"1e-4", "0.0001"}, {"0.1", "0.1"}, {"1", "1"}, {"0.30000000000000004", "0.30000000000000004"}};
    for (size_t i = 0; i < 4; i++) {
        struct value_rules rules = {.type = VALUE_REAL};
        struct value v;
        char why[VALUE_WHY_MAX], text[VALUE_TEXT_MAX];
        assert_true(value_read(&v, &rules, pairs[i][0], why));
        value_write(&v, &rules, text, sizeof text);
        assert_string_equal(text, pairs[i][1]);
    }
}

TEST(every_default_is_allowed_and_every_key_reads_back)
{
    size_t count;
    const struct key *keys = keys_all(&count);
    struct scenario_point point;
    struct scenario_conf conf;
    keys_defaults(&point, &conf);
    assert_true(count > 80);
    for (size_t i = 0; i < count; i++) {
        struct value v, stored;
        char why[VALUE_WHY_MAX];
        if (!value_read(&v, &keys[i].rules, keys[i].initial, why))
            fail_msg("default of %s: %s", keys[i].name, why);
        void *base = keys[i].of == KEY_POINT ? (void *)&point : (void *)&conf;
        key_store(&keys[i], &v, base);
        key_load(&keys[i], base, &stored);
        if (!value_equal(&v, &stored))
            fail_msg("%s does not read back", keys[i].name);
        assert_ptr_equal(key_find(keys[i].name), &keys[i]);
        if (keys[i].with)
            assert_non_null(key_find(keys[i].with));
    }
}

/* checks: RDMAP-6.1-4 */
TEST(by_default_as_many_reads_are_accepted_as_are_asked_for)
{
    struct scenario_point point;
    struct scenario_conf conf;
    keys_defaults(&point, &conf);
    assert_int_equal(point.llp.ird, point.llp.ord);
}

TEST(each_world_has_its_row)
{
    static const struct {
        size_t property;
        const char *worlds;
    } rows[] = {{offsetof(struct world, carries_pcap), "fabric or ns3"},
                {offsetof(struct world, threads), "fabric"},
                {offsetof(struct world, ranks), "ns3"},
                {offsetof(struct world, flows), "simgrid"},
                {offsetof(struct world, inside), "fabric"}};
    char names[64];
    for (int w = WORLD_FIRST; w < WORLDS; w++) {
        assert_non_null(worlds[w].name);
        assert_non_null(worlds[w].program);
        assert_true(worlds[w].llps && worlds[w].hosts_max);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        worlds_that_have(rows[i].property, names, sizeof names);
        assert_string_equal(names, rows[i].worlds);
    }
    worlds_that_act("llp.pacing", names, sizeof names);
    assert_string_equal(names, "fabric, ns3");
}

TEST(a_point_has_what_the_file_says)
{
    struct scenario *s = rig_scenario(window_text, NULL, 0);
    struct scenario_point p;
    char error[SCENARIO_ERROR_MAX];
    assert_int_equal(s->points, 4);
    assert_int_equal(s->conf.repeat, 2);
    assert_true(scenario_point(s, 1, 1, &p, error));
    assert_int_equal(p.world, WORLD_FABRIC);
    assert_int_equal(p.topology.rate, 100000000000);
    assert_int_equal(p.topology.delay,
                     10000000); /* of the sweep's second value, the second axis is the fast one */
    assert_int_equal(p.topology.mtu, 9000);
    assert_int_equal(p.rnic.window.bytes, 65536);
    assert_int_equal(p.rnic.window.policy, RNIC_PLACED);
    assert_true(p.channel.loss > 0.000999 && p.channel.loss < 0.001001);
    assert_int_equal(p.channel.reorder.delay, 20000000);
    assert_int_equal(p.workload.size, 65536);
    assert_int_equal(p.workload.hosts, 2);
    assert_int_equal(p.repeat, 1);
    assert_int_equal(p.payload, PAYLOAD_NONE);
    assert_string_equal(s->conf.plot.by, "topology.delay");
    assert_int_equal(s->conf.plot.logx, SCALE_LOG);
    scenario_free(s);
}

TEST(labels_name_points_and_find_them)
{
    static const char *const labels[] = {"64KiB/1us", "64KiB/10us", "256KiB/1us", "256KiB/10us"};
    struct scenario *s = rig_scenario(window_text, NULL, 0);
    for (size_t i = 0; i < 4; i++) {
        char label[SCENARIO_LABEL_MAX], number[8];
        scenario_label(s, i, label);
        assert_string_equal(label, labels[i]);
        assert_int_equal(scenario_find(s, label), i);
        snprintf(number, sizeof number, "%zu", i);
        assert_int_equal(scenario_find(s, number), i);
    }
    assert_int_equal(scenario_find(s, "4"), 4);
    assert_int_equal(scenario_find(s, "64KiB"), 4);
    scenario_free(s);
}

TEST(a_set_fixes_a_key_or_sweeps_it)
{
    const char *const sets[] = {"rnic.window.bytes=1MiB", "seed=7", "channel.loss=[0, 0.01, 0.02]", "seed=8"};
    struct scenario *s = rig_scenario(window_text, sets, 4);
    struct scenario_point p;
    char error[SCENARIO_ERROR_MAX], label[SCENARIO_LABEL_MAX];
    assert_int_equal(s->axes_count, 2);
    assert_int_equal(s->points, 6);
    scenario_label(s, 5, label);
    assert_string_equal(label, "10us/0.02");
    assert_true(scenario_point(s, 0, 0, &p, error));
    assert_int_equal(p.rnic.window.bytes, 1 << 20);
    assert_int_equal(p.seed, 8); /* the last one counts */
    scenario_free(s);
}

static const char zipped_text[] = "world: fabric\n"
                                  "sweep:\n"
                                  "  topology.delay: [1us..3us]\n"
                                  "  zip: [{rnic.window.bytes: 64KiB..256KiB x 2, workload.depth: [4, 8, "
                                  "8]}, {seed: [1, 2], workload.count: [5, 5]}]\n"
                                  "  channel.loss: [0, 0.1..0.3 by 0.1]\n";

static void expect_values(const struct scenario *s, size_t axis, const char *wanted)
{
    char all[1024] = "", text[VALUE_TEXT_MAX];
    for (size_t i = 0; i < s->axes[axis].count; i++) {
        value_write(&s->axes[axis].values[i], &s->axes[axis].key->rules, text, sizeof text);
        strcat(strcat(all, i ? " " : ""), text);
    }
    assert_string_equal(all, wanted);
}

TEST(ranges_step_add_and_multiply)
{
    struct scenario *s = rig_scenario(zipped_text, NULL, 0);
    expect_values(s, 0, "1us 2us 3us");
    expect_values(s, 1, "64KiB 128KiB 256KiB");
    expect_values(s, 5, "0 0.1 0.2 0.3");
    scenario_free(s);
    const char *const sets[] = {"workload.count=1..10 by 3", "topology.mtu=[1500, 2000..4000 by 1000]"};
    s = rig_scenario("world: fabric\n", sets, 2);
    expect_values(s, 0, "1 4 7 10");
    expect_values(s, 1, "1500 2000 3000 4000");
    scenario_free(s);
}

TEST(zipped_keys_step_together)
{
    struct scenario *s = rig_scenario(zipped_text, NULL, 0);
    char label[SCENARIO_LABEL_MAX];
    assert_int_equal(s->points, 3 * 3 * 2 * 4);
    scenario_label(s, 0, label);
    assert_string_equal(label, "1us/64KiB/4/1/5/0");
    scenario_label(s, 4 + 1, label); /* the second group is faster than the first, the loss fastest */
    assert_string_equal(label, "1us/64KiB/4/2/5/0.1");
    scenario_label(s, 2 * 8, label);
    assert_string_equal(label, "1us/256KiB/8/1/5/0");
    scenario_label(s, 71, label);
    assert_string_equal(label, "3us/256KiB/8/2/5/0.3");
    for (size_t i = 0; i < s->points; i++) {
        scenario_label(s, i, label);
        assert_int_equal(scenario_find(s, label), i);
    }
    scenario_free(s);
}

TEST(a_set_takes_a_key_out_of_its_zip)
{
    const char *const one[] = {"rnic.window.bytes=1MiB"}, *const list[] = {"seed=[7, 8, 9]"};
    struct scenario *s = rig_scenario(zipped_text, one, 1);
    assert_int_equal(s->points, 3 * 3 * 2 * 4); /* depth, twice 8, leads what is left */
    assert_false(s->axes[1].zipped);
    scenario_free(s);
    s = rig_scenario(zipped_text, list, 1);
    assert_int_equal(s->points, 3 * 3 * 2 * 4 * 3);
    expect_values(s, 5, "7 8 9");
    scenario_free(s);
}

/* A baseline is a value of the sweep. */
TEST(zero_switches_an_impairment_off)
{
    static const char base[] = "world: fabric\npayload: none\nworkload: {count: 50}\n";
    static const char *const sweeps[] = {
        "channel: {reorder: {delay: 10us}}\nsweep: {channel.reorder.probability: [0, 0.05]}\n",
        "channel: {reorder: {probability: 0.05}}\nsweep: {channel.reorder.delay: [0us, 10us]}\n",
        "channel: {reorder: {probability: 0.05}}\nsweep: {channel.reorder.displacement: [0, 10]}\n",
        "rnic: {stall: {for: 10us}}\nsweep: {rnic.stall.every: [0us, 100us]}\n",
        "rnic: {stall: {every: 100us}}\nsweep: {rnic.stall.for: [0us, 10us]}\n",
        "channel: {burst: {r: 0.5, loss_bad: 0.5}}\nsweep: {channel.burst.p: [0, 0.01]}\n",
        "sweep: {channel.loss: [0, 0.01]}\n",
        "sweep: {channel.jitter: [0us, 10us]}\n",
    };
    struct scenario *plain = rig_scenario(base, NULL, 0);
    struct point_results clean = rig_results(plain, 0, 0);
    scenario_free(plain);
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", base, sweeps[i]);
        struct scenario *s = rig_scenario(text, NULL, 0);
        struct point_results off = rig_results(s, 0, 0), on = rig_results(s, 1, 0);
        assert_memory_equal(&off.goodput_gbps, &clean.goodput_gbps, sizeof off.goodput_gbps);
        assert_int_equal(off.segments, clean.segments);
        assert_int_equal(off.segments_ooo, 0);
        bool other = on.counted.events != off.counted.events || on.segments_ooo != off.segments_ooo ||
                     on.goodput_gbps < off.goodput_gbps;
        assert_true(other);
        scenario_free(s);
    }
}

static struct scenario_point point_of(const char *text, size_t index)
{
    struct scenario *s = rig_scenario(text, NULL, 0);
    struct scenario_point p;
    char error[SCENARIO_ERROR_MAX];
    assert_true(scenario_point(s, index, 0, &p, error));
    scenario_free(s);
    return p;
}

TEST(a_threshold_given_alone_chooses_to_count)
{
    static const struct {
        const char *text;
        size_t index;
        enum llp_detection detection;
    } cases[] = {
        {"seed: 1\n", 0, DETECTION_rack},
        {"llp: {dupack_threshold: 3}\n", 0, DETECTION_dupack},
        {"llp: {dupack_threshold: adaptive}\n", 0, DETECTION_rack},
        {"sweep: {llp.dupack_threshold: [adaptive, 10]}\n", 0, DETECTION_rack},
        {"sweep: {llp.dupack_threshold: [adaptive, 10]}\n", 1, DETECTION_dupack},
        {"llp: {dupack_threshold: 10}\nsweep: {llp.loss_detection: [rack, dupack]}\n", 0, DETECTION_rack},
        {"llp: {dupack_threshold: 10}\nsweep: {llp.loss_detection: [rack, dupack]}\n", 1, DETECTION_dupack},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(point_of(cases[i].text, cases[i].index).llp.detection, cases[i].detection);
    struct scenario *s = rig_scenario("workload: {count: 5}\nllp: {dupack_threshold: adaptive}\n", NULL, 0);
    assert_int_equal(rig_results(s, 0, 0).messages, 5);
    scenario_free(s);
}

TEST(the_longest_timeout_follows_the_shortest)
{
    const uint64_t ms = 1000000000;
    struct scenario_point p = point_of("seed: 1\n", 0);
    assert_int_equal(scenario_max_rto(&p), 100 * ms);
    p = point_of("llp: {min_rto: 100us, delayed_ack: 1, initial_rto: 20ms}\n", 0);
    assert_int_equal(scenario_max_rto(&p), 20 * ms);
    p = point_of("topology: {kind: star, rate: 1Mbps}\n", 0); /* 1 MiB of queue is 8.4 s, two of them */
    assert_true(scenario_max_rto(&p) > 33500 * ms && scenario_max_rto(&p) < 33700 * ms);
    p = point_of("llp: {max_rto: 12ms}\n", 0);
    assert_int_equal(scenario_max_rto(&p), 12 * ms);
}

/* IRN's by its own; what is given wins, also over a word. */
TEST(a_recovery_has_its_own_timeout)
{
    const uint64_t us = 1000000;
    static const struct {
        const char *llp;
        uint64_t us;
    } cases[] = {{"{}", 1000},
                 {"{kind: packet, recovery: rud}", 1000},
                 {"{kind: packet, recovery: irn}", 320},
                 {"{kind: packet, recovery: irn, min_rto: auto}", 320},
                 {"{kind: packet, recovery: irn, min_rto: 1ms}", 1000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        snprintf(text, sizeof text, "llp: %s\n", cases[i].llp);
        struct scenario_point p = point_of(text, 0);
        assert_int_equal(llp_min_rto(&p.llp), cases[i].us * us);
    }
}

/* A word is the number that it stands for; bits are twice the packets, at most 16,000. */
TEST(flight_is_a_number_or_a_word)
{
    static const struct {
        const char *keys;
        uint32_t flight, track;
    } cases[] = {{"recovery: go_back_n", PACKET_RANGE_MAX, 16000},
                 {"recovery: irn, flight: 100", 100, 200},
                 {"recovery: irn, flight: 9000", 9000, 16000},
                 {"recovery: irn, flight: unlimited", PACKET_RANGE_MAX, 16000},
                 {"recovery: rud, flight: unlimited, track: 64", PACKET_RANGE_MAX, 64},
                 {"recovery: rud, flight: 1048576", PACKET_RANGE_MAX, 16000},
                 {"recovery: go_back_n, flight: unlimited", PACKET_RANGE_MAX, 16000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        struct scenario_derived d;
        snprintf(text, sizeof text, "llp: {kind: packet, %s}\n", cases[i].keys);
        struct scenario_point p = point_of(text, 0);
        scenario_derive(&p, &d);
        assert_int_equal(d.flight, cases[i].flight);
        assert_int_equal(d.track, cases[i].track);
    }
}

/* 8 times what the line needs, at least 4 MiB, at most what TCP can say; and a number when one is given. */
TEST(bdp_is_free_unless_it_is_bound)
{
    static const struct {
        const char *keys;
        uint64_t bytes; /* 0: 8 BDP */
        bool is_free;
    } cases[] = {
        {"topology: {delay: 150us}\nrnic: {window: {policy: bdp}}\n", 0, true},
        {"rnic: {window: {policy: bdp}}\n", 4 << 20, true},
        {"topology: {delay: 50ms}\nllp: {min_rto: 200ms}\nrnic: {window: {policy: bdp}}\n", 1073725440, true},
        {"rnic: {preset: t6, window: {policy: bdp, bytes: unlimited}}\n", 4 << 20, true},
        {"rnic: {window: {policy: bdp, bytes: 2MiB}}\n", 2 << 20, false},
        {"rnic: {window: {policy: placed}}\n", 1 << 20, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scenario_point p = point_of(cases[i].keys, 0);
        struct scenario_derived d;
        scenario_derive(&p, &d);
        assert_int_equal(p.window_free, cases[i].is_free);
        assert_int_equal(p.rnic.window.bytes, cases[i].bytes ? cases[i].bytes : 8 * d.bdp);
    }
}

TEST(a_preset_is_the_base_and_keys_change_numbers_of_it)
{
    const char text[] = "rnic: {preset: t6, cpu.post: 1ns}\n";
    struct scenario *s = rig_scenario(text, NULL, 0);
    struct scenario_point p, ideal;
    struct scenario_conf conf;
    char error[SCENARIO_ERROR_MAX];
    assert_true(scenario_point(s, 0, 0, &p, error));
    keys_defaults(&ideal, &conf);
    assert_string_equal(rnic_presets[p.preset].name, "t6");
    assert_int_equal(p.rnic.cpu.post, 1000);
    assert_int_not_equal(p.rnic.tx.segment, ideal.rnic.tx.segment);
    scenario_free(s);
}

static char *written(const struct scenario *s)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    scenario_write(s, out);
    fclose(out);
    return text;
}

TEST(what_is_written_reads_back_as_the_same)
{
    const char *const sets[] = {"title=a \"quoted\" \\ title: # no comment", "llp.congestion=fixed:1MiB",
                                "rnic.preset=t5"};
    struct scenario *s = rig_scenario(window_text, sets, 3);
    char *once = written(s);
    struct scenario *again = rig_scenario(once, NULL, 0);
    char *twice = written(again);
    assert_string_equal(once, twice);
    assert_string_equal(again->conf.title, s->conf.title);
    assert_int_equal(again->points, s->points);
    for (size_t i = 0; i < s->points; i++) {
        struct scenario_point a, b;
        char error[SCENARIO_ERROR_MAX];
        assert_true(scenario_point(s, i, 0, &a, error) && scenario_point(again, i, 0, &b, error));
        a.title = b.title = NULL;
        assert_memory_equal(&a, &b, sizeof a);
    }
    free(once);
    free(twice);
    scenario_free(s);
    scenario_free(again);
}

/* The rows of `text` that `more` also has are the same, octet by octet. */
static void expect_same_rows(const struct scenario *few, const struct scenario *more)
{
    for (size_t i = 0; i < few->points; i++)
        for (uint32_t repeat = 0; repeat < few->conf.repeat; repeat++) {
            char label[SCENARIO_LABEL_MAX];
            scenario_label(few, i, label);
            size_t other = scenario_find(more, label);
            assert_true(other < more->points);
            char *a = rig_row(few, i, repeat), *b = rig_row(more, other, repeat);
            assert_string_equal(a, b);
            free(a);
            free(b);
        }
}

TEST(a_value_more_in_the_sweep_changes_no_other_row)
{
    const char *const front[] = {"rnic.window.bytes=[128KiB, 64KiB, 256KiB]"},
                      *const back[] = {"topology.delay=[1us, 10us, 20us]"};
    struct scenario *s = rig_scenario(window_text, NULL, 0);
    struct scenario *a = rig_scenario(window_text, front, 1), *b = rig_scenario(window_text, back, 1);
    expect_same_rows(s, a);
    expect_same_rows(s, b);
    scenario_free(s);
    scenario_free(a);
    scenario_free(b);
}

TEST(repeats_and_seeds_differ_and_are_the_same_again)
{
    const char *const sets[] = {"seed=2"};
    struct scenario *s = rig_scenario(window_text, NULL, 0), *other = rig_scenario(window_text, sets, 1);
    struct point_results first = rig_results(s, 1, 0), again = rig_results(s, 1, 0),
                         repeat = rig_results(s, 1, 1), seed = rig_results(other, 1, 0);
    assert_int_equal(first.completion_ps, again.completion_ps);
    assert_int_equal(first.retransmits, again.retransmits);
    assert_int_not_equal(first.completion_ps, repeat.completion_ps);
    assert_int_not_equal(first.completion_ps, seed.completion_ps);
    scenario_free(s);
    scenario_free(other);
}

/* Numbers by hand: MTU 9000, no markers: MSS 8960, MULPDU 8954, payload 8940; Ethernet 38: 9038 octets on the wire. */
TEST(check_derives_packets_round_trip_and_window)
{
    struct scenario *s = rig_scenario(window_text, NULL, 0);
    struct scenario_point p;
    struct scenario_derived d;
    char error[SCENARIO_ERROR_MAX];
    assert_true(scenario_point(s, 1, 0, &p, error));
    scenario_derive(&p, &d);
    assert_int_equal(d.sizes.mss, 8960);
    assert_int_equal(d.sizes.mulpdu, 8954);
    assert_int_equal(d.fpdu, 8960);
    assert_int_equal(d.payload, 8940);
    assert_int_equal(d.wire, 9038);
    assert_int_equal(d.serialization, 723040);
    assert_int_equal(d.rtt, 20000000 + 723040 + 6240);
    assert_int_equal(d.bdp, 259116);
    assert_int_equal(d.window_shift, 1);
    assert_true(d.line_gbps > 98.915 && d.line_gbps < 98.917);
    assert_true(d.window_gbps > 24.15 && d.window_gbps < 24.16); /* 7 FPDUs per round trip */
    scenario_free(s);
}

/* By hand: 1480 octets of SCTP, less common header 12, DATA head 16, DDP-SSN 2, 16 for a bundled SACK: MULPDU 1434. On the wire 1434
 * and 18 in a chunk, 12, IP 20, Ethernet 38: 1522, 93.30 Gb/s. */
TEST(check_derives_packets_of_sctp)
{
    const char *const sets[] = {"llp.kind=sctp", "topology.mtu=1500"};
    struct scenario *s = rig_scenario("world: ns3\n", sets, 2);
    struct scenario_point p;
    struct scenario_derived d;
    char error[SCENARIO_ERROR_MAX];
    assert_true(scenario_point(s, 0, 0, &p, error));
    scenario_derive(&p, &d);
    assert_int_equal(d.sizes.mulpdu, 1434);
    assert_int_equal(d.payload, 1420);
    assert_int_equal(d.wire, 1522);
    assert_true(d.line_gbps > 93.29 && d.line_gbps < 93.31);
    scenario_free(s);
}

/* By hand: MTU 596 leaves 576 of SCTP, less common header 12 and DATA head 16: 548, of which 16 decorate. The packet is full, 634 on
 * the wire: 83.91 Gb/s. */
TEST(check_derives_messages_of_ddpp_core)
{
    static const char *const sets[] = {"llp.kind=sctp", "topology.mtu=596",
                                       "workload.kind=transport_classes"};
    struct scenario *s = rig_scenario("world: fabric\n", sets, 3);
    struct scenario_point p;
    struct scenario_derived d;
    char error[SCENARIO_ERROR_MAX];
    assert_true(scenario_point(s, 0, 0, &p, error));
    scenario_derive(&p, &d);
    assert_int_equal(d.sizes.mulpdu, 548);
    assert_int_equal(d.payload, 532);
    assert_int_equal(d.wire, 634);
    assert_true(d.line_gbps > 83.90 && d.line_gbps < 83.92);
    scenario_free(s);
}

/* Line rates of the design: MTU 1500: 93.63, with markers 92.88; MTU 9000: 98.92, with markers 98.14 Gb/s. */
TEST(line_rates_are_those_of_the_closed_form)
{
    static const struct {
        const char *mtu, *markers;
        double gbps;
    } rates[] = {{"topology.mtu=1500", "llp.markers=false", 93.63},
                 {"topology.mtu=1500", "llp.markers=true", 92.88},
                 {"topology.mtu=9000", "llp.markers=false", 98.92},
                 {"topology.mtu=9000", "llp.markers=true", 98.14}};
    for (size_t i = 0; i < 4; i++) {
        const char *const sets[] = {rates[i].mtu, rates[i].markers};
        struct scenario *s = rig_scenario("world: ns3\n", sets, 2);
        struct scenario_point p;
        struct scenario_derived d;
        char error[SCENARIO_ERROR_MAX];
        assert_true(scenario_point(s, 0, 0, &p, error));
        scenario_derive(&p, &d);
        assert_true(d.line_gbps > rates[i].gbps - 0.01 && d.line_gbps < rates[i].gbps + 0.01);
        scenario_free(s);
    }
}
