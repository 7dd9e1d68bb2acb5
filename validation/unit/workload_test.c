/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workloads: who talks to whom, and in the packet world, on an ideal stream: counts, latencies by hand, lies that are noticed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/trial/trial_run.h"
#include "helpers/world/fabric/world_fabric.h"
#include "scenario_rig.h"
#include "scenarios/workloads/kind.h"

/* ---- who talks to whom ---- */

static struct workload_conf conf_of(enum workload_kind kind, uint32_t hosts)
{
    return (struct workload_conf){.kind = kind,
                                  .op = WORKLOAD_WRITE,
                                  .hosts = hosts,
                                  .connections = 1,
                                  .size = 64,
                                  .size_max = 64,
                                  .count = 3,
                                  .depth = 2,
                                  .stags = 1,
                                  .arrival = WORKLOAD_CLOSED,
                                  .seed = 5};
}

TEST(a_permutation_gives_each_host_one_other_and_is_drawn)
{
    static const uint32_t sizes[] = {2, 3, 5, 16, 127, 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct workload_conf c = conf_of(WORKLOAD_permutation, sizes[i]);
        bool *taken = calloc(sizes[i], 1);
        assert_int_equal(workload_connections(&c), sizes[i]);
        for (uint32_t host = 0; host < sizes[i]; host++) {
            struct workload_pair p = workload_pair(&c, host);
            assert_int_equal(p.from, host);
            assert_int_not_equal(p.to, host);
            assert_true(p.to < sizes[i] && !taken[p.to]);
            taken[p.to] = true;
        }
        free(taken);
    }
    struct workload_conf a = conf_of(WORKLOAD_permutation, 1000), b = a;
    uint32_t same = 0;
    b.repeat = 1;
    for (uint32_t host = 0; host < 1000; host++)
        same += workload_pair(&a, host).to == workload_pair(&b, host).to;
    assert_true(same < 20);
}

TEST(shuffles_incasts_and_rings_have_their_pairs)
{
    struct workload_conf c = conf_of(WORKLOAD_shuffle, 4);
    bool met[4][4] = {{false}};
    assert_int_equal(workload_connections(&c), 12);
    for (uint32_t i = 0; i < 12; i++) {
        struct workload_pair p = workload_pair(&c, i);
        assert_true(p.from != p.to && !met[p.from][p.to]);
        met[p.from][p.to] = true;
    }
    c = conf_of(WORKLOAD_incast, 4);
    c.connections = 2;
    assert_int_equal(workload_connections(&c), 6);
    assert_int_equal(workload_pair(&c, 5).from, 3);
    assert_int_equal(workload_pair(&c, 5).to, 0);
    c.op = WORKLOAD_READ; /* host 0 reads, so that the octets come to it */
    assert_int_equal(workload_pair(&c, 5).from, 0);
    assert_int_equal(workload_pair(&c, 5).to, 3);
    c = conf_of(WORKLOAD_ring, 4);
    assert_int_equal(workload_pair(&c, 3).to, 0);
}

TEST(a_host_of_an_incast_needs_what_its_own_connections_need)
{
    struct workload_conf c = conf_of(WORKLOAD_incast, 1024);
    struct workload_needs all = workload_needs(&c), one = workload_needs_on(&c, 1);
    assert_int_equal(all.regions_max, 1023 * one.regions_max);
    assert_int_equal(all.cq_entries, 1023 * one.cq_entries);
    assert_int_equal(workload_needs_on(&c, 0).regions_max, one.regions_max);
    assert_int_equal(workload_needs_on(&c, 1023).regions_max, all.regions_max);
}

TEST(octets_to_be_placed_are_known_beforehand)
{
    struct workload_conf c = conf_of(WORKLOAD_shuffle, 4);
    assert_int_equal(workload_octets(&c), 12 * 3 * 64);
    assert_int_equal(workload_messages(&c), 12 * 3);
    c = conf_of(WORKLOAD_ring, 4);
    c.size = c.size_max = 1000; /* a part is 250 octets, 2 * 3 steps, 4 hosts, 3 times */
    assert_int_equal(workload_octets(&c), 250 * 6 * 4 * 3);
    c = conf_of(WORKLOAD_pingpong, 2);
    assert_int_equal(workload_octets(&c), 2 * 3 * 64);
}

/* ---- stamps ---- */

/* Only a side that hears must remember what comes early. */
TEST(a_side_that_only_writes_hears_nothing)
{
    static const struct {
        enum workload_kind kind;
        enum workload_op op;
        bool hears[2];
    } cases[] = {{WORKLOAD_stream, WORKLOAD_WRITE, {false, true}},
                 {WORKLOAD_permutation, WORKLOAD_SEND, {false, true}},
                 {WORKLOAD_stream, WORKLOAD_READ, {true, true}},
                 {WORKLOAD_stream, WORKLOAD_FETCH_ADD, {true, true}},
                 {WORKLOAD_pingpong, WORKLOAD_SEND, {true, true}},
                 {WORKLOAD_errors, WORKLOAD_WRITE, {true, true}}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int side = 0; side < 2; side++) {
            struct workload_conf conf = {.kind = cases[i].kind,
                                         .op = cases[i].op,
                                         .hosts = 2,
                                         .connections = 1,
                                         .depth = 1,
                                         .count = 1,
                                         .stags = 1,
                                         .size = 8};
            assert_int_equal(workload_hears(&conf, 0, side), cases[i].hears[side]);
        }
}

TEST(a_stamp_finds_any_octet_of_its_marks_that_is_wrong)
{
    static const uint32_t lengths[] = {1, 7, 8, 9, 15, 16, 255, 256, 257, 263, 264, 265, 520, 4096};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        uint8_t memory[4096] = {0};
        uint32_t len = lengths[i];
        stamp_put(memory, len, 42);
        assert_int_equal(stamp_check(memory, len, 42), len);
        assert_int_not_equal(stamp_check(memory, len, 43), len);
        memory[0] ^= 1;
        assert_int_equal(stamp_check(memory, len, 42), 0);
        memory[0] ^= 1;
        memory[len - 1] ^= 1;
        assert_int_not_equal(stamp_check(memory, len, 42), len);
    }
}

/* ---- in the packet world ---- */

static struct point_results run(const char *text)
{
    struct scenario *s = rig_scenario(text, NULL, 0);
    struct point_results r = rig_results(s, 0, 0);
    scenario_free(s);
    return r;
}

/* One message on an idle link of 8 Gb/s (1 ns per octet), 1 us long. A Write of 100 octets: DDP 14, FPDU 2 + 0 pad + 4:
 * 120; IP and TCP 40, Ethernet 38: 198 octets, 198 ns. */
TEST(latencies_are_the_sum_of_their_parts)
{
#define ONE(kind, op)                                                                                \
    "world: fabric\nllp: {kind: ideal}\ntopology: {rate: 8Gbps, delay: 1us}\nworkload: {kind: " kind \
    ", op: " op ", size: 100B, count: 1}\n"
    assert_int_equal(run(ONE("stream", "write")).latency_p50_ps, 1000000 + 198000);
    assert_int_equal(run(ONE("pingpong", "write")).latency_p50_ps, 1000000 + 198000);
    /* a Send: DDP 18: 202 octets */
    assert_int_equal(run(ONE("stream", "send")).latency_p50_ps, 1000000 + 202000);
    assert_int_equal(run(ONE("pingpong", "send")).latency_p50_ps, 1000000 + 202000);
    /* a Read: the request is 18 + 28 octets: 52 of FPDU, 130 on the link; the response is a tagged segment */
    assert_int_equal(run(ONE("stream", "read")).latency_p50_ps, 2000000 + 130000 + 198000);
    assert_int_equal(run(ONE("pingpong", "read")).latency_p50_ps, 2000000 + 130000 + 198000);
#undef ONE
    /* an Atomic: 18 + 52 octets there, 76 of FPDU; 18 + 12 back, 36 of FPDU */
#define ATOMIC(kind, op)                                                                             \
    "world: fabric\nllp: {kind: ideal}\ntopology: {rate: 8Gbps, delay: 1us}\nworkload: {kind: " kind \
    ", op: " op ", size: 8B, count: 1}\n"
    assert_int_equal(run(ATOMIC("stream", "fetch_add")).latency_p50_ps, 2000000 + 154000 + 114000);
    assert_int_equal(run(ATOMIC("pingpong", "cmp_swap")).latency_p50_ps, 2000000 + 154000 + 114000);
#undef ATOMIC
}

/* Each connection counts in a number of its own; nothing is lost or done twice, whatever the path does. */
TEST(atomics_count_each_once_under_loss_and_reordering)
{
    static const char *const kinds[] = {"mpa", "sctp", "ideal"}, *const ops[] = {"fetch_add", "cmp_swap"};
    for (int i = 0; i < 6; i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "world: fabric\nllp: {kind: %s, ord: 3}\ntopology: {kind: star, hosts: 4}\nrnic: {preset: t6}\n"
            "channel: {loss: 0.01, duplicate: 0.01, reorder: {probability: 0.05, displacement: 3}}\n"
            "workload: {kind: incast, op: %s, size: 8B, count: 200, depth: 8}\n",
            kinds[i / 2], ops[i % 2]);
        struct point_results r = run(text);
        assert_int_equal(r.status, STATUS_OK);
        assert_int_equal(r.messages, 600);
        assert_int_equal(r.latency_n, 600);
    }
}

TEST(a_script_of_atomics_finds_what_it_left)
{
    struct point_results r =
        run("world: fabric\nworkload: {kind: script, script: \"fetch_add 5; fetch_add 2; cmp_swap 7 100; "
            "cmp_swap 7 1; wait; peer fetch_add 1; fetch_add 1 fence; read 8\"}\n");
    assert_int_equal(r.status, STATUS_OK);
    assert_int_equal(r.messages, 7);
}

/* 1440 octets in 1538 on the wire. */
TEST(a_long_stream_reaches_the_closed_form)
{
    struct point_results r = run(
        "world: fabric\nllp: {kind: ideal}\ntopology: {mtu: 1500}\nworkload: {size: 1440000B, count: 20}\n");
    assert_true(fabs(r.steady_gbps - 100.0 * 1440 / 1538) < 0.001);
    assert_int_equal(r.bytes, 20 * 1440000);
    assert_int_equal(r.segments, 20 * 1000);
    assert_int_equal(r.messages, 20);
}

/* Missing buffers of a long run: none where as many are posted as Sends can be under way, whatever the channel does;
 * where there are fewer the first ends the stream. */
/* checks: DDP-7.1-U2c */
TEST(a_queue_as_deep_as_what_is_under_way_never_lacks_a_buffer)
{
#define LONG_RUN(recv_depth)                                                                               \
    "world: fabric\nllp: {kind: ideal}\ntopology: {mtu: 1500}\nrnic: {preset: t6}\nchannel: {loss: 0.01, " \
    "duplicate: 0.01,\n"                                                                                   \
    "          reorder: {probability: 0.1, delay: 3us}}\n"                                                 \
    "workload: {kind: stream, op: send, size: 1KiB, count: 20000, depth: 32, recv_depth: " recv_depth "}\n"
    struct point_results r = run(LONG_RUN("32"));
    assert_int_equal(r.messages, 20000);
    assert_int_equal(r.terminates, 0);
    assert_true(r.segments_ooo > 1000);
    r = run(LONG_RUN("16"));
    assert_true(r.messages < 20000);
    assert_int_equal(r.terminates, 1);
#undef LONG_RUN
}

static const char lossy[] = "world: fabric\nllp: {kind: ideal}\nrepeat: 4\ntopology: {mtu: 1500}\n"
                            "channel: {loss: 0.02, duplicate: 0.02, corrupt: 0.002, direction: both,\n"
                            "          reorder: {probability: 0.1, delay: 3us}}\n";

/* Every law that the trial watches holds, and every message that was posted has an end. */
static void expect_lawful(const char *workload)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s", lossy, workload);
    struct scenario *s = rig_scenario(text, NULL, 0);
    for (size_t i = 0; i < s->points; i++)
        for (uint32_t repeat = 0; repeat < s->conf.repeat; repeat++) {
            struct point_results r = rig_results(s, i, repeat);
            bool ended = r.status == STATUS_ENDED && r.terminates;
            if (r.status != STATUS_OK && !ended)
                fail_msg("%s: point %zu repeat %u: %s", workload, i, repeat, r.note);
            assert_true(r.terminates || r.messages == r.messages_posted);
            assert_true(r.terminates || r.counted.drops_channel > 0);
        }
    scenario_free(s);
}

TEST(workloads_keep_the_laws_on_a_bad_link)
{
    expect_lawful("workload: {kind: stream, size: 10KiB, count: 200}\n"
                  "sweep: {workload.op: [send, write, read], payload: [real, none], llp.crc_error: [drop, "
                  "terminate]}\n");
    expect_lawful("workload: {kind: pingpong, size: 3KiB, count: 300}\n"
                  "sweep: {workload.op: [send, write, read], llp.markers: [false, true]}\n");
    expect_lawful("workload: {kind: storage, size: 10KiB, count: 200, depth: 7}\nsweep: {payload: [real, "
                  "none], rnic.receive: [place, hold]}\n");
    expect_lawful("workload: {kind: stream, size: 10KiB, count: 200, stags: 5, depth: 3}\nsweep: "
                  "{workload.op: [write, read]}\n");
    expect_lawful(
        "workload: {kind: stream, size: 0B, count: 300}\nsweep: {workload.op: [send, write, read]}\n");
}

TEST(both_payloads_give_the_same_row_without_corruption)
{
    struct scenario *s = rig_scenario(
        "world: fabric\nllp: {kind: ideal}\nchannel: {loss: 0.02, duplicate: 0.02, reorder: {probability: "
        "0.1, delay: 3us}}\n"
        "workload: {size: 10KiB, count: 300}\nsweep: {payload: [real, none], workload.op: [send, write, "
        "read]}\n",
        NULL, 0);
    for (size_t op = 0; op < 3; op++) {
        char *real = rig_row(s, op, 0), *none = rig_row(s, 3 + op, 0);
        const char *rest = strstr(real, ",ok,real,"), *other = strstr(none, ",ok,none,");
        assert_true(rest && other);
        assert_string_equal(rest + 9, other + 9);
        free(real);
        free(none);
    }
    scenario_free(s);
}

TEST(arrivals_by_the_clock_offer_the_load_asked_for)
{
    static const char *const kinds[] = {"every", "poisson"};
    for (int i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "world: fabric\nllp: {kind: ideal}\nworkload: {size: 10KiB, count: 4000, arrival: %s, load: "
                 "0.4}\n",
                 kinds[i]);
        struct point_results r = run(text);
        assert_int_equal(r.messages, 4000);
        assert_true(fabs(r.goodput_gbps - 40) < (i ? 2.5 : 0.1));
    }
    struct point_results slow = run("world: fabric\nllp: {kind: ideal}\nworkload: {size: 10KiB, count: 4000, "
                                    "arrival: poisson, load: 0.9}\n"),
                         fast = run("world: fabric\nllp: {kind: ideal}\nworkload: {size: 10KiB, count: 4000, "
                                    "arrival: poisson, load: 0.2}\n");
    assert_true(slow.latency_p99_ps > 2 * fast.latency_p99_ps);
    assert_true(fast.fct_slowdown_p50 > 0.99 && fast.fct_slowdown_p50 < 1.3);
}

TEST(a_limit_says_who_waits_for_what)
{
    struct point_results r =
        run("world: fabric\nllp: {kind: ideal}\ntopology: {delay: 1ms}\nlimit: {sim: 500us}\nworkload: {op: "
            "write, size: 1KiB, count: 10}\n");
    assert_int_equal(r.status, STATUS_LIMIT_SIM);
    assert_string_equal(r.note, "limit.sim is reached: connection 0 (host 0 to host 1) waits for the "
                                "delivery of a Write, message 0 of side 0");
    r = run("world: fabric\nllp: {kind: ideal}\ntopology: {delay: 1ms}\nlimit: {idle: 500us}\nworkload: {op: "
            "read, size: 1KiB, "
            "count: 10}\n");
    assert_int_equal(r.status, STATUS_LIMIT_IDLE);
    assert_non_null(strstr(r.note, "waits for the completion of a Read"));
    r = run("world: fabric\nllp: {kind: ideal}\nchannel: {loss: 1}\nlimit: {idle: 1ms}\nworkload: {op: send, "
            "size: 1KiB, count: 10}\n");
    assert_int_equal(r.status, STATUS_LIMIT_IDLE);
}

/* ---- a world that lies is found out ---- */

enum lie { TRUTH, WRONG_OCTET, PLACED_TWICE, COMPLETED_TWICE, DELIVERED_EARLY, WRONG_LENGTH, EDGE_BACK };

#define US ((uint64_t)1000000) /* picoseconds; less than light takes over the link is another lie */

/* A host of its own: one Write or Send of 1,000 octets, told in the right order but for one lie. */
struct liar {
    uint8_t memory[4][8192];
    int regions;
    struct iw_work work, recv;
};

static int liar_memory(void *context, uint32_t host, struct iw_region *region, iw_stag *stag)
{
    struct liar *l = context;
    (void)host;
    assert_true(l->regions < 4 && region->len <= sizeof l->memory[0]);
    region->base = l->memory[l->regions];
    *stag = (iw_stag)(0x100 + l->regions++);
    return IW_OK;
}

static int liar_post(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    struct liar *l = context;
    (void)now, (void)conn, (void)side;
    *(work->op == IW_RECV ? &l->recv : &l->work) = *work;
    return IW_OK;
}

static void liar_wake(void *context, uint64_t at)
{
    (void)context, (void)at;
}

static enum lie lie;

static struct node_event told(enum node_event_kind kind, uint64_t us, uint64_t key)
{
    return (struct node_event){.kind = kind, .t = us * US, .user = trial_user(0, 1), .key = key};
}

static void tell_placed(struct trial *t, uint64_t us, uint64_t key, struct node_place place)
{
    struct node_event e = told(NODE_PLACED, us, key);
    e.in_order = true;
    e.place = place;
    trial_event(t, &e);
}

static void tell_delivered(struct trial *t, uint64_t us, uint8_t opcode)
{
    struct node_event e = told(NODE_DELIVERED, us, 0);
    e.message.opcode = opcode;
    trial_event(t, &e);
}

static void tell_window(struct trial *t, uint64_t us, uint64_t ack, uint64_t window)
{
    struct node_event e = told(NODE_WINDOW, us, ack);
    e.edge = ack + window;
    trial_event(t, &e);
}

static void tell_done(struct trial *t, uint64_t us, int side, struct iw_done done)
{
    struct node_event e = told(NODE_COMPLETED, us, 0);
    e.user = trial_user(0, side);
    e.done = done;
    trial_event(t, &e);
}

static void tell_write(struct trial *t, struct liar *l)
{
    struct node_place half = {.stag = l->work.remote_stag, .to = l->work.remote_to, .len = 500};
    struct node_place rest = {.stag = l->work.remote_stag, .to = l->work.remote_to + 500, .len = 500};
    struct iw_done done = {.id = l->work.id, .op = IW_WRITE, .len = 1000};
    memcpy(l->memory[1], l->memory[0], 1000);
    l->memory[1][999] ^= lie == WRONG_OCTET;
    tell_placed(t, 10, 0, half);
    if (lie == PLACED_TWICE)
        tell_placed(t, 11, 0, half);
    if (lie == DELIVERED_EARLY)
        tell_delivered(t, 12, RDMAP_WRITE);
    tell_window(t, 12, 500, 1000);
    tell_window(t, 13, 1000, lie == EDGE_BACK ? 499 : 500);
    tell_placed(t, 13, 500, rest);
    tell_delivered(t, 14, RDMAP_WRITE);
    tell_done(t, 20, 0, done);
    if (lie == COMPLETED_TWICE)
        tell_done(t, 21, 0, done);
}

static void tell_send(struct trial *t, struct liar *l)
{
    struct node_place place = {.stag = 0x101, .to = l->recv.sge[0].to, .len = 1000};
    struct iw_done done = {.id = l->work.id, .op = IW_SEND, .len = 1000},
                   recv = {.id = l->recv.id, .op = IW_RECV, .len = 1000};
    memcpy(l->memory[1], l->memory[0], 1000);
    recv.len -= lie == WRONG_LENGTH;
    tell_placed(t, 10, 0, place);
    tell_delivered(t, 14, RDMAP_SEND);
    tell_done(t, 15, 1, recv);
    tell_done(t, 20, 0, done);
}

static int world_of_lies(const struct scenario_point *point, struct trial *t)
{
    static struct liar l;
    l = (struct liar){.regions = 0};
    struct workload_world offers = {
        .context = &l, .memory = liar_memory, .post = liar_post, .wake = liar_wake};
    assert_int_equal(trial_prepare(t, &offers), IW_OK);
    trial_start(t, 5);
    (point->workload.op == WORKLOAD_SEND ? tell_send : tell_write)(t, &l);
    trial_over(t, 30);
    return 0;
}

static struct point_results lied_to(enum lie which, const char *op)
{
    char text[256], error[SCENARIO_ERROR_MAX];
    struct scenario_point point;
    struct point_results r;
    struct trial_files files = {.label = "all"};
    snprintf(text, sizeof text,
             "world: fabric\nllp: {kind: ideal}\nworkload: {op: %s, size: 1000B, count: 2, depth: 1}\n", op);
    struct scenario *s = rig_scenario(text, NULL, 0);
    lie = which;
    assert_true(scenario_point(s, 0, 0, &point, error));
    struct trial *t = trial_new(&point, &files);
    trial_run(t, world_of_lies, &r);
    trial_free(t);
    scenario_free(s);
    return r;
}

TEST(a_world_that_lies_breaks_a_law)
{
    static const struct {
        enum lie lie;
        const char *op, *law;
    } cases[] = {
        {WRONG_OCTET, "write", "memory at delivery equals what was sent"},
        {PLACED_TWICE, "write", "octets are placed once"},
        {COMPLETED_TWICE, "write", "a request completes once"},
        {DELIVERED_EARLY, "write", "a message is delivered when all of it is in place"},
        {WRONG_LENGTH, "send", "a receive completes once, in order, with the length sent"},
        {EDGE_BACK, "write",
         "the right edge of a window never moves left: connection 0, side 1, from 1500 to 1499"},
    };
    struct point_results r = lied_to(TRUTH, "write");
    assert_int_equal(r.status, STATUS_STALLED); /* the second message was never told of */
    assert_int_equal(r.messages, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        r = lied_to(cases[i].lie, cases[i].op);
        assert_int_equal(r.status, STATUS_BROKEN);
        if (!strstr(r.note, cases[i].law))
            fail_msg("%s instead of %s", r.note, cases[i].law);
    }
}
