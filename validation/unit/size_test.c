/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarpsim size without its processes: conditions, and the closed forms against sums made by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/command/size.h"
#include "scenario_rig.h"

/* ---- conditions ---- */

static struct size_condition condition(const char *text)
{
    struct size_condition c;
    char why[SIZE_WHY_MAX] = "";
    if (!size_condition_read(&c, text, why))
        fail_msg("'%s' refused: %s", text, why);
    return c;
}

TEST(conditions_are_read)
{
    struct size_condition c =
        condition("  steady_gbps>=0.95*line and drops_staging == 0 and latency_p99_us < 12.5");
    assert_int_equal(c.count, 3);
    assert_string_equal(c.term[0].column->name, "steady_gbps");
    assert_int_equal(c.term[0].comparison, SIZE_AT_LEAST);
    assert_true(c.term[0].of_line && fabs(size_bound(&c.term[0], 200) - 190) < 1e-9);
    assert_int_equal(c.term[1].comparison, SIZE_EQUAL);
    assert_false(c.term[1].of_line);
    assert_string_equal(c.term[2].column->name, "latency_p99_us");
    assert_true(fabs(size_bound(&c.term[2], 200) - 12.5) < 1e-9);
    c = condition("goodput_gbps > line");
    assert_true(c.term[0].of_line && fabs(size_bound(&c.term[0], 98.5) - 98.5) < 1e-9);
}

TEST(conditions_are_refused_in_words)
{
    static const struct {
        const char *text, *word;
    } wrong[] = {
        {"", "needs a column"},
        {">= 3", "needs a column"},
        {"speed >= 3", "no column 'speed'"},
        {"point >= 3", "no column 'point'"},
        {"steady_gbps", "a comparison must follow"},
        {"steady_gbps = 3", "a comparison must follow"},
        {"steady_gbps >= ", "a number"},
        {"steady_gbps >= -3", "a number"},
        {"steady_gbps >= fast", "a number"},
        {"steady_gbps >= 1e999", "a number"},
        {"steady_gbps >= 2*lines", "only `line`"},
        {"steady_gbps >= 2*", "only `line`"},
        {"steady_gbps >= 2 or messages > 1", "only `and` may follow"},
        {"steady_gbps >= 2 and", "only `and` may follow"},
        {"steady_gbps >= 2 and ", "needs a column"},
        {"steady_gbps >= 2GiB", "only `and` may follow"},
        {"messages>1 and messages>1 and messages>1 and messages>1 and messages>1", "four comparisons"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct size_condition c;
        char why[SIZE_WHY_MAX] = "";
        assert_false(size_condition_read(&c, wrong[i].text, why));
        if (!strstr(why, wrong[i].word))
            fail_msg("'%s': %s", wrong[i].text, why);
    }
}

TEST(terms_compare)
{
    static const char *const words[SIZE_COMPARISONS] = {">=", "<=", ">", "<", "==", "!="};
    static const double values[] = {4, 5, 6};
    static const char met[SIZE_COMPARISONS][4] = {"011", "110", "001",
                                                  "100", "010", "101"}; /* of 4, 5, 6 with 5 */
    for (int i = 0; i < SIZE_COMPARISONS; i++) {
        char text[64];
        snprintf(text, sizeof text, "messages %s 5", words[i]);
        struct size_condition c = condition(text);
        for (int j = 0; j < 3; j++)
            assert_int_equal(size_term_met(&c.term[0], values[j], 0), met[i][j] == '1');
        assert_false(size_term_met(&c.term[0], NAN, 0));
    }
}

/* ---- closed forms ---- */

static double form(const char *text, const char *key, const char *until)
{
    struct scenario *s = rig_scenario(text, NULL, 0);
    struct size_condition c = condition(until);
    struct scenario_point point;
    char error[SCENARIO_ERROR_MAX], words[SIZE_FORM_MAX];
    double value;
    assert_true(scenario_point(s, 0, 0, &point, error));
    bool known = size_form(key_find(key), &c, &point, &value, words);
    scenario_free(s);
    return known ? value : -1;
}

#define LINK(count)                                                      \
    "world: fabric\npayload: none\nllp: {kind: ideal, delayed_ack: 1}\n" \
    "topology: {kind: link, rate: 100Gbps, delay: 5us, mtu: 9000}\n"     \
    "workload: {kind: stream, op: write, size: 1144320B, count: " #count ", depth: 64}\n"

/* FPDU 8960, payload 8940 in 9038 octets on the wire: 0.72304 us; an ACK of 78 octets 0.00624 us; RTT 10.72928 us.
 * 0.95 x 98.916 Gb/s x 10.72928 us / 71520 bits = 14.1: 15 FPDUs. */
TEST(the_window_is_whole_fpdus)
{
    double w = form(LINK(20) "rnic: {window: {policy: constant}}\n", "rnic.window.bytes",
                    "steady_gbps >= 0.95*line");
    assert_true(fabs(w - 15 * 8960) < 1e-6);
    w = form(LINK(20), "rnic.window.bytes", "steady_gbps >= 1"); /* never below two */
    assert_true(fabs(w - 2 * 8960) < 1e-6);
    assert_true(form(LINK(20), "rnic.window.bytes", "drops_staging == 0") < 0);
    assert_true(form(LINK(20), "rnic.window.bytes", "steady_gbps >= 1.1*line") < 0);
    assert_true(form(LINK(20), "rnic.hold_bytes", "drops_staging == 0") < 0);
}

/* A stall of 20 us is 27.66 packets: 28 FPDUs. */
TEST(staging_is_arrival_times_stall)
{
    double s = form(LINK(20) "rnic: {window: {bytes: 4MiB}, stall: {every: 1ms, for: 20us}}\n",
                    "rnic.staging_bytes", "drops_staging == 0");
    assert_true(fabs(s - 28 * 8960) < 1e-6);
    s = form(LINK(20) "rnic: {window: {bytes: 64KiB}, stall: {every: 1ms, for: 20us}}\n",
             "rnic.staging_bytes", "drops_staging == 0");
    assert_true(s <= 65536); /* no more than the window is ever on the way */
}

/* Writes wait for credits: 256 octets in 547 ns / 16, 59.9 Gb/s. Of 128 segments, with the policy that lets them all
 * come, the share 1 - 59.6 / 98.9 waits (retire rate and line rate in payload): 50.8 FPDUs. */
TEST(staging_is_burst_times_what_is_too_slow)
{
    double s = form(LINK(1) "rnic: {window: {policy: constant, bytes: 4MiB}, "
                            "pcie: {generation: 3, lanes: 16, payload: 256B, read: 547ns, credits: 16}}\n",
                    "rnic.staging_bytes", "drops_staging == 0");
    double retire = 35 * 547e3 / 16, arrival = 723040; /* 8940 octets are 35 writes; ps */
    double burst = 128 * 8960 * (1 - arrival / retire);
    if (fabs(s - burst) > 0.02 * burst)
        fail_msg("%.0f, by hand %.0f", s, burst);
}
