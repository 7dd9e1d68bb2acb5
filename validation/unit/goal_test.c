/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GOAL schedules: what is wrong in a text is one sentence with its line; times by hand on an ideal stream. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/goal_file.h"
#include "scenario_rig.h"

/* ---- texts ---- */

#define TWO       "num_ranks 2\n"
#define ZERO      TWO "rank 0 {\n"
#define SENT      "s: send 8b to 1 tag 3\n"
#define ONE_RECVS "}\nrank 1 {\nr: recv 8b from 0 tag 3\n}\n"

static const struct {
    const char *text, *error; /* what stands behind "bad.goal:" */
} bads[] = {
    {"", "1: has no num_ranks"},
    {"rank 0 {\n", "1: num_ranks must come first"},
    {"num_ranks 1\n", "1: a schedule has at least 2 ranks"},
    {"num_ranks 131073\n", "1: a number of ranks is 0 to 131072"},
    {"num_ranks 99999999999999999999\n", "1: a number of ranks is 0 to 131072"},
    {"num_ranks two\n", "1: a number of ranks is expected, not 'two'"},
    {TWO "num_ranks 2\n", "2: num_ranks is there twice"},
    {TWO "rank 2 {\n}\n", "2: a rank is 0 to 1"},
    {TWO "rank 0\n", "2: `{` is expected, not the end of the line"},
    {TWO "rank 0 {\n}\nrank 0 {\n}\n", "4: rank 0 is there twice"},
    {TWO "rank 0 {\n}\n", "4: rank 1 is missing"},
    {TWO "rank 0 {\n}\nrank 1 {\n}\n", "6: no rank sends anything"},
    {ZERO, "3: the file ends within rank 0"},
    {ZERO "/* calc 5\n", "4: the file ends within a comment"},
    {ZERO "calc 5 # five\n", "3: '#' means nothing here"},
    {ZERO "calc \001\n", "3: an octet that is no text: 0x01"},
    {ZERO "calc /5\n", "3: a comment begins with // or /*"},
    {ZERO "jump 5\n",
     "3: send, recv, calc, or behind a label `:`, `requires` or `irequires` is expected, not 5"},
    {ZERO "l1: jump 5\n", "3: send, recv or calc is expected, not 'jump'"},
    {ZERO "calc 1000000000000001\n", "3: a time in nanoseconds is 0 to 1000000000000000"},
    {ZERO "calc -1\n", "3: a time in nanoseconds is expected, not -1"},
    {ZERO "calc 5 cpu 256\n", "3: a cpu is 0 to 255"},
    {ZERO "calc 5 nic 0\n", "3: the end of the line is expected, not 'nic'"},
    {ZERO "send 8 to 1\n", "3: `b` behind the octets is expected, not 'to'"},
    {ZERO "send 8b from 1\n", "3: `to` is expected, not 'from'"},
    {ZERO "recv 8b to 1\n", "3: `from` is expected, not 'to'"},
    {ZERO "send 8b to 2\n", "3: a rank is 0 to 1"},
    {ZERO "send 8b to -1\n", "3: a rank is expected, not -1"},
    {ZERO "send 8b to 0\n", "3: a rank neither sends to itself nor receives from itself"},
    {ZERO "send 8b to 1 tag 4294967295\n", "3: a tag is 0 to 4294967294"},
    {ZERO "send 8b to 1 tag -1\n", "3: a tag is expected, not -1"},
    {ZERO "recv 8b from 1 tag -2\n", "3: -1 is the only number below zero"},
    {ZERO "recv 8b from 1 tag -11\n", "3: -1 is the only number below zero"},
    {ZERO "send 8b to 1 nic 0 cpu 0\n", "3: the end of the line is expected, not 'cpu'"},
    {ZERO "send 1073741825b to 1\n", "3: a size in octets is 0 to 1073741824"},
    {ZERO "send 18446744073709551624b to 1\n", "3: a size in octets is 0 to 1073741824"},
    {ZERO "calc 5 }\n", "3: the end of the line is expected, not '}'"},
    {ZERO "l1: calc 5\nl1: calc 6\n", "4: rank 0 has a label l1 already, in line 3"},
    {ZERO "l1: calc 5\nl1 requires l2\n", "4: rank 0 has no label l2 above this line"},
    {ZERO "l1: calc 5\nl1 requires 2\n", "4: a label is expected, not 2"},
    {ZERO "l1: calc 5\nl1 requires l1\n", "4: l1 waits for itself"},
    {ZERO "a: calc 5\n}\nrank 1 {\nb: calc 5\nb requires a\n", "7: rank 1 has no label a above this line"},
    {ZERO "a: calc 5\nb: calc 5\nc: calc 5\na requires b\nb irequires c\nc requires b\n}\n",
     "9: rank 0: b (line 4) waits for c (line 5), which waits for b in turn: a circle"},
    {ZERO SENT "}\nrank 1 {\n}\n",
     "3: rank 0, s (line 3): send to 1 tag 3 has no recv: 1 sends, 0 recvs of these "
     "ranks and this tag"},
    {ZERO SENT "}\nrank 1 {\nr: recv 8b from 0 tag 4\n}\n",
     "3: rank 0, s (line 3): send to 1 tag 3 has no recv: 1 sends, 0 recvs of these ranks and this tag"},
    {ZERO SENT "}\nrank 1 {\nrecv 8b from 0 tag 3\nt: recv 8b from 0 tag 3\n}\n",
     "7: rank 1, t (line 7): recv from 0 tag 3 never gets a message: 1 sends, 2 recvs of these ranks and "
     "this tag"},
    {ZERO SENT "}\nrank 1 {\nrecv 8b from 0 tag 3\nrecv 8b from -1 tag -1\n}\n",
     "7: rank 1, (line 7): recv from any rank tag any never gets a message: 1 sends, 2 recvs at this rank"},
    {ZERO SENT "r: recv 8b from 1\ns requires r\n}\nrank 1 {\nr: recv 8b from 0 tag 3\ns: send 8b to 0\n"
               "s requires r\n}\n",
     "4: rank 0, r (line 4): recv from 1 tag 0 never gets a message: every send that it could take waits, by "
     "way "
     "of others, for it"},
};

TEST(a_wrong_schedule_is_refused_with_its_line)
{
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        char error[GOAL_ERROR_MAX], wanted[GOAL_ERROR_MAX];
        const char *path = rig_file("bad.goal", bads[i].text);
        snprintf(wanted, sizeof wanted, "bad.goal:%s", bads[i].error);
        assert_null(goal_file_find(path, "bad.goal", error));
        assert_string_equal(error, wanted);
    }
}

TEST(a_name_that_leads_elsewhere_is_refused)
{
    static const char *const names[] = {"../a.goal", "/etc/passwd", "there-is-none.goal"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char error[GOAL_ERROR_MAX];
        assert_null(goal_file_find(rig_file("s.yaml", "seed: 1\n"), names[i], error));
        assert_non_null(strstr(error, "is neither a file beside the scenario nor a shipped one"));
    }
}

/* Blanks, comments, carriage returns, ranks in any order, operations without a label, words as labels. */
TEST(all_of_the_grammar_is_read)
{
    static const char text[] =
        "// a schedule\r\n/* of\n two */ num_ranks 3\r\n\nrank 2 {\n}\nrank 1 { a: recv 16b from -1 tag -1 "
        "cpu "
        "2 nic 1\n"
        "  recv 8b from 0 // the second\n\tcpu: calc 7 cpu 2\n  cpu irequires a\n}\n"
        "rank 0 {\ns1: send 8b to 1\ns2: send 16b to 1 tag 9 cpu 1\ns2 requires s1\nsend 0b to 2 tag 1\n}";
    char error[GOAL_ERROR_MAX];
    assert_null(goal_file_find(rig_file("all.goal", text), "all.goal", error));
    assert_non_null(strstr(error, "all.goal:16: rank 0, (line 16): send to 2 tag 1 has no recv"));
    FILE *in = fopen(rig_path("all.goal"), "r+");
    char *whole = NULL;
    size_t size = 0;
    assert_true(getdelim(&whole, &size, 0, in) > 0);
    memcpy(strstr(whole, "send 0b to 2"), "send 0b to 1", 12);
    fclose(in);
    char *one = strstr(whole, "  recv 8b from 0 //");
    memcpy(one, "  recv 8b from 0\n//", 19);
    char more[1024];
    snprintf(more, sizeof more, "%.*srecv 1b from 0 tag 1\n%s", (int)(one - whole), whole, one);
    free(whole);
    const struct goal_file *f = goal_file_find(rig_file("good.goal", more), "good.goal", error);
    if (!f)
        fail_msg("%s", error);
    const struct goal *g = f->goal;
    assert_int_equal(g->ranks, 3);
    assert_int_equal(g->ops, 7);
    assert_int_equal(g->sends, 3);
    assert_int_equal(g->octets, 24);
    assert_int_equal(g->largest, 16);
    assert_int_equal(g->longest, 7000);
    assert_int_equal(g->connections, 1);
    assert_int_equal(g->cpus, 4); /* 2 and 0 of rank 1, 0 and 1 of rank 0 */
    assert_int_equal(g->op[0].peer, GOAL_ANY);
    assert_int_equal(g->op[0].tag, GOAL_ANY);
    assert_int_equal(g->op[3].cpu, g->op[0].cpu);
    assert_string_equal(g->names + g->op[3].name, "cpu");
    assert_int_equal(g->edges, 2);
    assert_int_equal(g->edge[g->op[0].first], 3 | GOAL_STARTED);
    assert_int_equal(g->edge[g->op[4].first], 5);
}

/* ---- times ---- */

static const char link_of_two[] = "world: fabric\nllp: {kind: ideal, delayed_ack: 1}\n"
                                  "topology: {kind: link, rate: 100Gbps, delay: 1us, mtu: 1500}\n";

/* A new name each time: a file is read once. */
static struct point_results play_on(const char *network, const char *schedule, const char *settings)
{
    static int files;
    char name[32], text[1024];
    snprintf(name, sizeof name, "s%d.goal", files++);
    rig_file(name, schedule);
    snprintf(text, sizeof text, "%sworkload: {kind: goal, file: %s%s}\n", network, name, settings);
    struct scenario *s = rig_scenario(text, NULL, 0);
    struct point_results r = rig_results(s, 0, 0);
    scenario_free(s);
    return r;
}

static struct point_results play(const char *schedule)
{
    return play_on(link_of_two, schedule, "");
}

/* Octets of a Send on the wire: 18 of DDP and RDMAP, 2 + 4 of MPA, 40 of TCP and IP, 38 of Ethernet; 80 ps each. */
static uint64_t wire(uint64_t octets)
{
    uint64_t ulpdu = octets + 18 + 2, padded = (ulpdu + 3) / 4 * 4;
    return (padded + 4 + 40 + 38) * 80;
}

static uint64_t one_way(uint64_t octets)
{
    return wire(octets) + 1000000;
}

static void takes(const struct point_results *r, uint64_t ps)
{
    assert_int_equal(r->status, STATUS_OK);
    assert_int_equal(r->completion_ps, ps);
}

TEST(ping_pong_with_calcs_takes_their_sum)
{
    struct point_results r =
        play(TWO "rank 0 {\na: calc 1000\nb: send 1000b to 1 tag 7\nb requires a\nc: recv 200b from 1 tag 8\n"
                 "d: calc 5000\nd requires c\n}\nrank 1 {\na: recv 1000b from 0 tag 7\nb: calc 2000\n"
                 "b requires a\nc: send 200b to 0 tag 8\nc requires b\n}\n");
    takes(&r, 1000000 + one_way(1000) + 2000000 + one_way(200) + 5000000);
    assert_int_equal(r.messages, 2);
    assert_int_equal(r.bytes, 1200);
}

/* A Send is over when it is complete: after the acknowledgement, 78 octets. */
TEST(a_send_is_over_when_it_is_complete)
{
    struct point_results r = play(ZERO SENT "c: calc 5000\nc requires s\n" ONE_RECVS);
    takes(&r, one_way(8) + 1000000 + 78 * 80 + 5000000);
}

TEST(requires_waits_for_the_end_irequires_for_the_start)
{
#define SEND_AFTER(word)                  \
    ZERO "c: calc 10000\n" SENT "s " word \
         " c\n}\nrank 1 {\nr: recv 8b from 0 tag 3\nd: calc 20000\nd requires r\n}\n"
    struct point_results r = play(SEND_AFTER("requires"));
    takes(&r, 10000000 + one_way(8) + 20000000);
    r = play(TWO "rank 0 {\nc: calc 10000 cpu 1\n" SENT
                 "s irequires c\n}\nrank 1 {\nr: recv 8b from 0 tag 3\n"
                 "d: calc 20000\nd requires r\n}\n");
    takes(&r, one_way(8) + 20000000);
    /* a recv has started long before its message comes */
    r = play(ZERO "c: calc 10000\n" SENT
                  "s requires c\n}\nrank 1 {\nr: recv 8b from 0 tag 3\nd: calc 50000 cpu "
                  "1\nd irequires r\n}\n");
    takes(&r, 50000000);
    /* a send has started when it is posted */
    r = play(ZERO SENT "c: calc 70000\nc irequires s\n" ONE_RECVS);
    takes(&r, 70000000);
}

TEST(a_cpu_does_one_thing_at_a_time)
{
    struct point_results r = play(ZERO "calc 30000\ncalc 40000\n" SENT ONE_RECVS);
    takes(&r, 70000000 + one_way(8) + 1000000 + 78 * 80); /* the send waits for the cpu, too */
    r = play(ZERO "calc 30000\ncalc 40000 cpu 1\nsend 8b to 1 tag 3 cpu 2\n" ONE_RECVS);
    takes(&r, 40000000);
    /* what came while its cpu was busy is heard when it is free */
    r = play(ZERO SENT
             "}\nrank 1 {\nr: recv 8b from 0 tag 3\nc: calc 30000\nd: calc 9000 cpu 1\nd requires r\n}\n");
    takes(&r, 39000000);
    r = play(ZERO SENT
             "}\nrank 1 {\nr: recv 8b from 0 tag 3 cpu 1\nc: calc 30000\nd: calc 9000 cpu 1\nd requires "
             "r\n}\n");
    takes(&r, 30000000);
}

TEST(a_recv_takes_the_first_message_of_its_rank_and_tag)
{
    /* tag 1 comes first, and is not what `a` waits for */
    struct point_results r =
        play(ZERO "send 8b to 1 tag 1\nc: calc 10000\ns: send 8b to 1 tag 2\ns requires c\n}\nrank 1 {\n"
                  "a: recv 8b from 0 tag 2\nb: calc 30000\nb requires a\nrecv 8b from 0 tag 1\n}\n");
    takes(&r, 10000000 + one_way(8) + 30000000);
    /* any tag takes it */
    r = play(ZERO "send 8b to 1 tag 1\nc: calc 10000\ns: send 8b to 1 tag 2\ns requires c\n}\nrank 1 {\n"
                  "a: recv 8b from 0 tag -1\nb: calc 30000\nb requires a\nrecv 8b from 0 tag -1\n}\n");
    takes(&r, one_way(8) + 30000000);
    /* messages before their recvs wait in their order */
    r = play(ZERO "send 8b to 1 tag 1\nsend 8b to 1 tag 2\nsend 8b to 1 tag 1\n}\nrank 1 {\nc: calc 50000\n"
                  "x: recv 8b from 0 tag 2\nx requires c\ny: recv 8b from -1 tag 1\ny requires x\n"
                  "z: recv 8b from 0 tag -1\nz requires y\nd: calc 1000\nd requires z\n}\n");
    takes(&r, 51000000);
    /* one that is taken from their end leaves the others, and room behind them */
    r = play(ZERO
             "send 8b to 1 tag 1\nsend 8b to 1 tag 2\nc: calc 60000\ns: send 8b to 1 tag 3\ns requires c\n}\n"
             "rank 1 {\nc: calc 50000\nx: recv 8b from 0 tag 2\nx requires c\nd: calc 50000\nd requires x\n"
             "y: recv 8b from 0 tag 3\ny requires d\nz: recv 8b from 0 tag 1\nz requires d\n}\n");
    takes(&r, 100000000);
}

/* One message under way: the second is posted when the first is over at both ends. */
TEST(depth_bounds_what_is_under_way)
{
    static const char schedule[] =
        ZERO "send 8b to 1 tag 1\nsend 8b to 1 tag 2\n}\nrank 1 {\nrecv 8b from 0 tag 1\n"
             "r: recv 8b from 0 tag 2\nc: calc 50000\nc requires r\n}\n";
    struct point_results r = play(schedule);
    takes(&r, one_way(8) + wire(8) + 50000000);
    r = play_on(link_of_two, schedule, ", depth: 1");
    takes(&r, one_way(8) + 1000000 + 78 * 80 + one_way(8) + 50000000);
}

/* 2(N - 1) steps round a ring, in each a part from every rank to the next: one way by two links, and from the second on
 * behind the acknowledgement of what came, which leaves by the same port. A calc at the end hides the last one. */
TEST(an_allreduce_round_a_ring_takes_its_steps)
{
    enum { RANKS = 8, STEPS = 2 * (RANKS - 1), PART = 1000 };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "num_ranks %d\n", RANKS);
    for (int r = 0; r < RANKS; r++) {
        fprintf(out, "rank %d {\n", r);
        for (int k = 0; k < STEPS; k++) {
            fprintf(out, "s%d: send %db to %d tag %d\n", k, PART, (r + 1) % RANKS, k);
            fprintf(out, "r%d: recv %db from %d tag %d\n", k, PART, (r + RANKS - 1) % RANKS, k);
            if (k)
                fprintf(out, "s%d requires r%d\n", k, k - 1);
        }
        fprintf(out, "c: calc 100000\nc requires r%d\n}\n", STEPS - 1);
    }
    fclose(out);
    struct point_results r = play_on("world: fabric\nllp: {kind: ideal, delayed_ack: 1}\n"
                                     "topology: {kind: star, hosts: 8, rate: 100Gbps, delay: 1us}\n",
                                     text, "");
    takes(&r, STEPS * 2 * one_way(PART) + (STEPS - 1) * 78 * 80 + 100000000);
    assert_int_equal(r.messages, RANKS * STEPS);
    free(text);
}

/* No operation calls another: a chain may be as long as it likes, and free. */
TEST(a_long_chain_ends)
{
    enum { LINKS = 300000 };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs(ZERO "l0: calc 0\n", out);
    for (int i = 1; i < LINKS; i++)
        fprintf(out, "l%d: calc 0\nl%d requires l%d\n", i, i, i - 1);
    fprintf(out, SENT "s requires l%d\nc: calc 5000\nc requires s\n" ONE_RECVS, LINKS - 1);
    fclose(out);
    struct point_results r = play(text);
    takes(&r, one_way(8) + 1000000 + 78 * 80 + 5000000);
    free(text);
}

/* ---- what goes wrong ---- */

/* Which of two recvs the first message goes to decides; that is not seen before. */
TEST(a_schedule_that_is_stuck_names_rank_operation_and_tag)
{
    struct point_results r = play(
        ZERO
        "last: calc 5\na: recv 1b from 1 tag 3\nb: recv 1b from 1 tag 3\nc: send 1b to 1 tag 4\n"
        "c requires a\nd: send 1b to 1 tag 4\nd requires b\nlast requires b\n}\nrank 1 {\na: send 1b to 0 "
        "tag 3\nb: recv 1b from 0 tag 4\nc: recv 1b from 0 tag 4\nd: send 1b to 0 tag 3\nd requires b\n"
        "d requires c\n}\n");
    assert_int_equal(r.status, STATUS_STALLED);
    assert_string_equal(r.note,
                        "no event is left: the schedule is stuck in rank 0, b (line 5): recv from 1 tag 3");
    assert_int_equal(r.messages, 2);
}

TEST(a_calc_longer_than_the_limit_is_refused_and_many_are_not)
{
    char error[SCENARIO_ERROR_MAX], text[512];
    rig_file("long.goal", ZERO "calc 900000\ncalc 900000\ncalc 900000\n" SENT ONE_RECVS);
    snprintf(text, sizeof text, "%slimit: {idle: 900us}\nworkload: {kind: goal, file: long.goal}\n",
             link_of_two);
    assert_null(scenario_load(rig_file("test.yaml", text), NULL, 0, error));
    assert_non_null(strstr(error, "limit.idle: a calc of the schedule takes longer"));
    static const char *const sets[] = {"limit.idle=1ms"};
    struct scenario *s = rig_scenario(text, sets, 1);
    struct point_results r = rig_results(s, 0, 0);
    takes(&r, 2700000000 + one_way(8) + 1000000 + 78 * 80);
    scenario_free(s);
}

TEST(more_ranks_than_hosts_are_refused)
{
    char error[SCENARIO_ERROR_MAX], text[512];
    rig_file("three.goal", "num_ranks 3\nrank 0 {\n" SENT ONE_RECVS "rank 2 {\n}\n");
    snprintf(text, sizeof text, "%sworkload: {kind: goal, file: three.goal}\n", link_of_two);
    assert_null(scenario_load(rig_file("test.yaml", text), NULL, 0, error));
    assert_non_null(strstr(error, "the schedule has more ranks than there are hosts"));
}

/* Loss, copies and overtaking: the laws that a trial watches hold, with real octets and without. */
TEST(a_bad_path_changes_times_alone)
{
    char text[1024];
    rig_file(
        "bad-path.goal",
        "num_ranks 3\nrank 0 {\na: send 30000b to 1 tag 1\nb: send 30000b to 2 tag 1\nc: recv 50000b from "
        "-1\n"
        "d: recv 50000b from -1\nd requires c\n}\nrank 1 {\na: recv 30000b from 0 tag 1\nb: send 50000b to "
        "0\n"
        "b requires a\n}\nrank 2 {\na: recv 30000b from 0 tag 1\nb: send 50000b to 0\nb requires a\n}\n");
    snprintf(
        text, sizeof text,
        "world: fabric\ntopology: {kind: star, hosts: 3}\nchannel: {loss: 0.05, duplicate: 0.02, direction: "
        "both, reorder: {probability: 0.1, delay: 3us}}\nworkload: {kind: goal, file: bad-path.goal}\n"
        "repeat: 5\nsweep: {payload: [real, none], llp.kind: [mpa, sctp, ideal]}\n");
    struct scenario *s = rig_scenario(text, NULL, 0);
    for (size_t i = 0; i < s->points; i++)
        for (uint32_t repeat = 0; repeat < 5; repeat++) {
            struct point_results r = rig_results(s, i, repeat);
            if (r.status != STATUS_OK)
                fail_msg("point %zu repeat %u: %s", i, repeat, r.note);
            assert_int_equal(r.messages, 4);
            assert_int_equal(r.bytes, 160000);
        }
    scenario_free(s);
}

/* Beside another workload, on some hosts and in another order, and later. */
TEST(a_schedule_is_one_workload_of_several)
{
    char text[1024];
    rig_file("part.goal",
             ZERO "a: calc 1000\n" SENT "s requires a\nc: calc 90000\nc irequires s\n" ONE_RECVS);
    snprintf(text, sizeof text,
             "world: fabric\nllp: {kind: ideal, delayed_ack: 1}\ntopology: {kind: star, hosts: 6}\n"
             "workloads:\n  back: {kind: stream, hosts: 0 1, size: 1KiB, count: 50}\n"
             "  play: {kind: goal, file: part.goal, hosts: 5 2, start: 20us}\n"
             "  twice: {kind: goal, file: part.goal, hosts: 3 4}\n");
    struct scenario *s = rig_scenario(text, NULL, 0);
    struct scenario_point point;
    char error[SCENARIO_ERROR_MAX];
    assert_true(scenario_point(s, 0, 0, &point, error));
    assert_int_equal(workload_connections(&point.workload), 3);
    assert_int_equal(workload_pair(&point.workload, 1).from, 5);
    assert_int_equal(workload_pair(&point.workload, 1).to, 2);
    assert_int_equal(workload_pair(&point.workload, 2).from, 3);
    struct point_results r = rig_results(s, 0, 0);
    assert_int_equal(r.status, STATUS_OK);
    assert_int_equal(r.messages, 52);
    scenario_free(s);
}
