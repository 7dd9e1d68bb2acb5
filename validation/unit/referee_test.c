/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The referee of a trial: what a message takes alone, by hand, and each law with a number on either side of it. */
#include <math.h>
#include <string.h>

#include "helpers/trial/trial_inner.h"
#include "scenario_rig.h"

static struct scenario *scenario;
static struct scenario_point point;

static struct trial *trial_of(const char *text)
{
    static const struct trial_files nothing;
    char error[SCENARIO_ERROR_MAX];
    scenario = rig_scenario(text, NULL, 0);
    assert_true(scenario_point(scenario, 0, 0, &point, error));
    struct trial *t = trial_new(&point, &nothing);
    assert_non_null(t);
    return t;
}

static void end(struct trial *t)
{
    trial_free(t);
    scenario_free(scenario);
}

static struct workload_message message(enum iw_op op, uint32_t length, uint32_t conn)
{
    return (struct workload_message){.op = op, .length = length, .conn = conn};
}

/* 1 Gb/s: 8 ns an octet. Around a ULPDU: MPA's length and CRC 6, IP and TCP 40, Ethernet 38. */
TEST(alone_is_what_the_wire_takes)
{
    static const struct {
        const char *text;
        enum iw_op op;
        uint32_t length;
        double ns;
    } rows[] = {
        /* 14 + 1 + 6, padded to 24: 102 octets */
        {"{world: fabric, topology: {rate: 1Gbps, delay: 0ps}}", IW_WRITE, 1, 102 * 8},
        /* 18 + 1 + 6, padded to 28 */
        {"{world: fabric, topology: {rate: 1Gbps, delay: 0ps}}", IW_SEND, 1, 106 * 8},
        {"{world: fabric, topology: {rate: 1Gbps, delay: 0ps}}", IW_SEND, 0, 102 * 8},
        /* a full packet is 1538 octets and carries 1440; the second 20 + 60 + 78 */
        {"{world: fabric, topology: {rate: 1Gbps, delay: 3us}}", IW_WRITE, 1500, 3000 + (1538 + 158) * 8},
        {"{world: fabric, topology: {rate: 1Gbps, delay: 3us, framing: ppp}}", IW_WRITE, 1500,
         3000 + (1502 + 122) * 8},
        /* the request: 18 + 28 + 6, 130 octets on the wire */
        {"{world: fabric, topology: {rate: 1Gbps, delay: 3us}}", IW_READ, 1, 6000 + (130 + 102) * 8},
        /* over a switch: full, then the small one behind it on the second link */
        {"{world: ns3, topology: {kind: star, hosts: 3, rate: 1Gbps, delay: 3us}}", IW_WRITE, 1500,
         6000 + (2 * 1538 + 158) * 8},
        /* SCTP: chunk 16 + 2 + 14 + 1, padded to 36, IP and SCTP 32 */
        {"{world: ns3, llp: {kind: sctp}, topology: {rate: 1Gbps, delay: 0ps}}", IW_WRITE, 1, 106 * 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trial *t = trial_of(rows[i].text);
        struct workload_message m = message(rows[i].op, rows[i].length, 0);
        double found = referee_alone(t, &m) / 1e3;
        if (fabs(found - rows[i].ns) > 1e-6)
            fail_msg("%s, %u octets: %f ns and not %f", rows[i].text, rows[i].length, found, rows[i].ns);
        end(t);
    }
}

/* Hosts 0 and 1 share an edge switch of a k=4 tree, 0 and 2 a pod, 0 and 4 nothing; links above the edge may be slower. */
TEST(alone_follows_the_path)
{
    static const struct {
        uint32_t to;
        double plain, oversubscribed;
    } rows[] = {{1, 2, 2}, {2, 4, 2 + 2 * 4}, {4, 6, 2 + 4 * 4}};
    static const char *const texts[2] = {
        "{world: ns3, topology: {kind: fat_tree, rate: 1Gbps, delay: 0ps}, workload: {kind: shuffle}}",
        "{world: ns3, topology: {kind: fat_tree, rate: 1Gbps, delay: 0ps, oversubscription: 4}, workload: "
        "{kind: shuffle}}"};
    for (int over = 0; over < 2; over++) {
        struct trial *t = trial_of(texts[over]);
        for (uint32_t c = 0, found = 0; found < 3; c++) {
            struct workload_pair pair = workload_pair(&point.workload, c);
            if (pair.from != 0 || pair.to != rows[found].to)
                continue;
            struct workload_message m = message(IW_WRITE, 1, c);
            double links = over ? rows[found].oversubscribed : rows[found].plain;
            assert_true(fabs(referee_alone(t, &m) / 1e3 - links * 102 * 8) < 1e-6);
            found++;
        }
        end(t);
    }
}

TEST(a_message_faster_than_light_breaks_a_law)
{
    for (int faster = 0; faster < 2; faster++) {
        struct trial *t = trial_of("{world: fabric, topology: {rate: 1Gbps, delay: 1us}}");
        struct workload_message m = message(IW_WRITE, 1, 0);
        double alone = referee_alone(t, &m);
        m.latency = (uint64_t)alone - (faster ? 100 : 0);
        referee_latency(t, &m, alone);
        assert_int_equal(t->judged, faster);
        referee_end(t);
        assert_int_equal(t->r.status, faster ? STATUS_BROKEN : STATUS_OK);
        assert_int_equal(strstr(t->r.note, "broken law: no message is faster than light and wire") != NULL,
                         faster);
        end(t);
    }
}

/* A row that breaks no law, and each way to break one. */
static struct point_results lawful(const struct trial *t)
{
    struct point_results r = t->r;
    r.bytes = 1000000;
    r.messages = r.messages_posted = 10;
    r.retransmits = r.counted.retransmits_spurious = 3;
    r.counted.drops_channel = r.counted.retransmits_needless = r.counted.under_way = 1;
    r.goodput_gbps = r.steady_gbps = t->derived.line_gbps;
    return r;
}

TEST(each_law_has_two_sides)
{
    static const char *const laws[] = {NULL,
                                       "goodput is at most",
                                       "steady goodput is at most",
                                       "spurious retransmissions",
                                       "completed were posted",
                                       "are posted than requested",
                                       "what left again"};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        struct trial *t = trial_of("{world: fabric, workload: {count: 10}}");
        t->r = lawful(t);
        t->host_placed[1] = true;
        t->end[PARTS / 2].octets = t->r.bytes / 2;
        t->r.goodput_gbps *= i == 1 ? 1.01 : 1;
        t->slope = t->r.steady_gbps * (i == 2 ? 1.05 : 1);
        t->r.counted.retransmits_spurious += i == 3;
        t->r.messages += i == 4;
        t->r.messages_posted += i == 5;
        t->r.counted.retransmits_needless -= i == 6;
        referee_end(t);
        assert_int_equal(t->r.status, laws[i] ? STATUS_BROKEN : STATUS_OK);
        if (laws[i] && !strstr(t->r.note, laws[i]))
            fail_msg("%s is not '%s'", t->r.note, laws[i]);
        end(t);
    }
}

/* What adapters held when the second half began may be placed on top of what the wire brings. */
TEST(held_octets_explain_a_steep_half)
{
    for (int held = 0; held < 2; held++) {
        struct trial *t = trial_of("{world: fabric, workload: {count: 10}}");
        t->r = lawful(t);
        t->host_placed[1] = true;
        t->end[PARTS / 2].octets = t->r.bytes / 2;
        t->slope = t->r.steady_gbps * 1.2;
        t->r.held_peak = held ? 100000 : 0;
        referee_end(t);
        assert_int_equal(t->r.status, held ? STATUS_OK : STATUS_BROKEN);
        end(t);
    }
}

/* So may what the kernel's buffers held, where the CPU places: a window of each connection. */
TEST(kernels_explain_a_steep_half)
{
    static const struct {
        const char *text;
        double steep;
        enum point_status status;
    } rows[] = {
        {"{world: fabric, workload: {count: 10}}", 1.2, STATUS_BROKEN},
        {"{world: fabric, rnic: {receive: copy}, workload: {count: 10}}", 1.2, STATUS_OK},
        {"{world: fabric, rnic: {receive: copy}, workload: {count: 10}}", 1.4, STATUS_BROKEN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trial *t = trial_of(rows[i].text);
        t->r = lawful(t);
        t->host_placed[1] = true;
        t->end[PARTS / 2].octets = t->r.bytes / 2;
        t->slope = t->r.steady_gbps * rows[i].steep;
        t->r.window_max = 100000;
        referee_end(t);
        assert_int_equal(t->r.status, rows[i].status);
        end(t);
    }
}

TEST(a_stream_that_ended_early_is_not_ok)
{
    static const struct {
        const char *text;
        uint64_t done;
        enum point_status status;
    } rows[] = {
        {"{world: fabric, workload: {count: 10}}", 10, STATUS_OK},
        {"{world: fabric, workload: {count: 10}}", 9, STATUS_ENDED},
        {"{world: fabric, workload: {kind: errors}}", 0, STATUS_OK},
        {"{world: fabric, workload: {kind: script, script: write 5}}", 0, STATUS_OK},
        {"{world: fabric, llp: {kind: sctp}, workload: {kind: transport_classes, class: unreliable_ordered, "
         "count: 10}}",
         0, STATUS_OK},
        {"{world: fabric, llp: {kind: sctp}, workload: {kind: transport_classes, class: reliable_unordered, "
         "count: 10}}",
         0, STATUS_ENDED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trial *t = trial_of(rows[i].text);
        t->r.messages = rows[i].done;
        referee_ended(t);
        assert_int_equal(t->r.status, rows[i].status);
        assert_int_equal(status_exit(t->r.status), rows[i].status == STATUS_OK ? 0 : 3);
        end(t);
    }
}
