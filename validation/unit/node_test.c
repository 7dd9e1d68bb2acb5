/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The node itself: the four receive paths over every lower layer, connections that are lost in the middle of every stage,
 * Solicited Events, what holds a stream back. */
#include "node_rig.h"

#include "llp/tcp.h"
#include "node/node_inner.h"

static const struct llp *const tables[] = {&llp_ideal, &llp_tcp, &llp_sctp, &llp_packet};
enum { TABLES = sizeof tables / sizeof *tables, PATHS = RNIC_RECEIVES };

static bool has_path(const struct llp *llp, unsigned path)
{
    return path != RNIC_DISCARD || llp->has & LLP_GO_BACK;
}

static struct run_conf stream(const struct llp *llp, enum rnic_receive path)
{
    struct run_conf c = run_of(5 * US);
    c.llp = llp;
    c.rnic[0] = c.rnic[1] = preset("t6");
    for (int i = 0; i < 2; i++) {
        c.rnic[i].receive = path;
        c.rnic[i].window.policy = path == RNIC_COPY ? RNIC_BUFFER : RNIC_PLACED;
        c.rnic[i].window.bytes = 512 * KIB;
    }
    c.link.mtu = 1460;
    c.link.delayed_ack = 2;
    c.link.ack_delay = 20 * US;
    c.link.timeout = 300 * US;
    c.real = true;
    c.size = 16 * 1024;
    c.count = 40;
    return c;
}

/* ---- the four paths ---- */

/* Everything arrives as it was sent, each octet crosses memory as often as its path has it, and nothing is left. */
TEST(every_path_carries_octets_over_every_lower_layer)
{
    static const enum iw_op ops[] = {IW_WRITE, IW_SEND, IW_READ};
    for (unsigned i = 0; i < TABLES * PATHS * 3; i++) {
        const struct llp *llp = tables[i / 12];
        unsigned path = i / 3 % PATHS;
        if (!has_path(llp, path))
            continue;
        struct run_conf c = stream(llp, path);
        c.op = ops[i % 3];
        struct run_result clean = run(&c, false);
        assert_int_equal(clean.receiver.copied, path == RNIC_COPY ? clean.octets : 0);
        assert_int_equal(clean.dropped + clean.refused + clean.resent, 0);
        c.link.channel.loss = 0.01;
        c.link.channel.duplicate = 0.01;
        c.link.channel.reorder.probability = 0.05;
        c.link.channel.reorder.displacement = 3;
        struct run_result bad = run(&c, false);
        assert_int_equal(bad.octets, clean.octets);
        assert_true(bad.early > 0 || path != RNIC_PLACE);
        assert_true(bad.early == 0 || path == RNIC_PLACE);
        assert_true(bad.held_peak > 0 || path != RNIC_HOLD);
        assert_true(bad.refused > 0 || path != RNIC_DISCARD);
    }
}

/* ---- a connection that is lost ---- */

struct scene {
    struct two_nodes *nodes;
    struct rnic_conf rnic[2];
    uint8_t memory[2][64 * 1024];
    iw_stag stag[2];
    unsigned seen[NODE_EVENTS];
    bool closed[2];
};

static void hear(void *user, int side, const struct node_event *e)
{
    struct scene *s = user;
    s->seen[e->kind]++;
    s->closed[side] |= e->kind == NODE_ENDPOINT && e->event.kind == IW_EV_CLOSED;
}

/* Writes, a Read, Sends for which receives come late, something that nobody should send: all stages are busy. */
static void post_all(struct scene *s)
{
    static const uint8_t right[IW_HEAD_TAGGED + 8] = {0xc1, 0x40};
    for (uint32_t i = 0; i < 6; i++) {
        enum iw_op op = i % 3 == 0 ? IW_WRITE : i % 3 == 1 ? IW_READ : IW_SEND;
        struct iw_work w = {.op = op, .sges = 1, .remote_stag = s->stag[1], .remote_to = 8192};
        struct iw_work recv = {.op = IW_RECV, .sges = 1};
        w.sge[0] = (struct iw_sge){s->stag[0], 8000, 0};
        recv.sge[0] = (struct iw_sge){s->stag[1], 8000, 16384};
        if (op == IW_SEND)
            assert_int_equal(two_nodes_post(s->nodes, 1, 0, &recv), IW_OK);
        assert_int_equal(two_nodes_post(s->nodes, 0, 0, &w), IW_OK);
    }
    two_nodes_inject(s->nodes, 0, 0, LLP_RIGHT, right, sizeof right);
}

static struct scene *open_scene(const struct llp *llp, enum rnic_receive path, uint64_t seed)
{
    struct scene *s = calloc(1, sizeof *s);
    struct run_conf run = stream(llp, path);
    const char *why;
    run.link.channel.loss = 0.05;
    run.link.channel.reorder.probability = 0.2;
    run.link.channel.reorder.displacement = 4;
    run.link.seed = seed;
    run.link.consume_rate = 20 * GBPS;
    struct two_nodes_conf c = run_nodes(&run);
    for (int side = 0; side < 2; side++) {
        s->rnic[side] = run.rnic[side];
        s->rnic[side].retransmit = seed % 2 ? RNIC_FROM_HOST : RNIC_FROM_NIC;
        c.node[side].rnic = &s->rnic[side];
    }
    s->nodes = two_nodes_new(&c, hear, s, &why);
    if (!s->nodes)
        fail_msg("%s", why);
    for (int side = 0; side < 2; side++) {
        struct iw_region region = {.base = s->memory[side],
                                   .len = sizeof s->memory[side],
                                   .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE,
                                   .pd = 1};
        struct iw_stags *stags = node_stags(two_nodes_node(s->nodes, side));
        assert_int_equal(iw_register(stags, &region, &s->stag[side]), IW_OK);
    }
    assert_true(two_nodes_connect(s->nodes, 1000 * MS));
    post_all(s);
    return s;
}

static void note_stages(struct scene *s, uint64_t *stages)
{
    for (int side = 0; side < 2; side++) {
        const struct node_agenda *a = &two_nodes_node(s->nodes, side)->agenda;
        for (uint32_t i = 0; i < a->count; i++)
            stages[a->heap[i].kind]++;
    }
}

static void poll_all(struct scene *s)
{
    struct iw_done done;
    for (int side = 0; side < 2; side++)
        while (node_poll(two_nodes_node(s->nodes, side), &done))
            ;
}

/* What is taken now must all come back. */
static void lose_and_look(struct scene *s)
{
    two_nodes_lose(s->nodes);
    while (two_nodes_step(s->nodes))
        poll_all(s);
    poll_all(s);
    for (int side = 0; side < 2; side++) {
        const char *left = node_leftover(two_nodes_node(s->nodes, side));
        if (left)
            fail_msg("side %d: %s", side, left);
        assert_int_equal(two_nodes_under_way(s->nodes, side), 0);
        assert_true(s->closed[side]);
    }
    assert_null(two_nodes_error(s->nodes));
    two_nodes_free(s->nodes);
    free(s);
}

/* checks: DDP-6.2.2-4 */
TEST(a_connection_lost_in_any_stage_leaves_nothing)
{
    uint64_t stages[AGENDA_KINDS] = {0};
    for (unsigned i = 0; i < TABLES * PATHS; i++) {
        const struct llp *llp = tables[i / PATHS];
        if (!has_path(llp, i % PATHS))
            continue;
        for (unsigned steps = 0; steps < 200; steps += 1 + steps / 12) {
            struct scene *s = open_scene(llp, i % PATHS, 1 + steps % 3);
            for (unsigned n = 0; n < steps * (1 + steps % 4 * 2) && two_nodes_step(s->nodes); n++)
                poll_all(s);
            note_stages(s, stages);
            lose_and_look(s);
        }
    }
    for (int kind = 0; kind < AGENDA_KINDS; kind++)
        if (kind != AGENDA_LOOK && kind != AGENDA_SHOWN && kind != AGENDA_OVERFLOW && !stages[kind])
            fail_msg("no connection was lost in stage %d", kind);
}

/* ---- nobody listens ---- */

static struct scene *played(const struct llp *llp, enum rnic_receive path, uint32_t unheard, iw_time *end)
{
    struct scene *s = open_scene(llp, path, 3);
    for (int side = 0; side < 2; side++)
        two_nodes_node(s->nodes, side)->conf.unheard = unheard;
    memset(s->seen, 0, sizeof s->seen);
    while (two_nodes_step(s->nodes))
        poll_all(s);
    assert_null(two_nodes_error(s->nodes));
    *end = two_nodes_now(s->nodes);
    return s;
}

/* Events tell what happens and change nothing of it: the same octets at the same time. */
TEST(without_a_listener_the_same_happens)
{
    for (unsigned i = 0; i < TABLES * PATHS; i++) {
        const struct llp *llp = tables[i / PATHS];
        iw_time end[2];
        if (!has_path(llp, i % PATHS))
            continue;
        struct scene *heard = played(llp, i % PATHS, 0, &end[0]);
        struct scene *unheard = played(llp, i % PATHS, ~(1u << NODE_PLACED), &end[1]);
        assert_int_equal(end[0], end[1]);
        assert_memory_equal(heard->memory, unheard->memory, sizeof heard->memory);
        for (unsigned kind = 0; kind < NODE_EVENTS; kind++)
            assert_int_equal(unheard->seen[kind], kind == NODE_PLACED ? heard->seen[kind] : 0);
        for (int side = 0; side < 2; side++) {
            const struct rnic_stats *told = rnic_statistics(node_adapter(two_nodes_node(heard->nodes, side)));
            const struct rnic_stats *untold =
                rnic_statistics(node_adapter(two_nodes_node(unheard->nodes, side)));
            assert_memory_equal(told, untold, sizeof *told);
        }
        two_nodes_free(heard->nodes);
        two_nodes_free(unheard->nodes);
        free(heard);
        free(unheard);
    }
}

/* In the middle of a stream the law of conservation does not hold, and node_leftover() says so. */
TEST(in_the_middle_something_is_left)
{
    bool left[2] = {false, false};
    struct scene *s = open_scene(&llp_ideal, RNIC_PLACE, 1);
    for (int n = 0; n < 1000 && two_nodes_step(s->nodes); n++)
        for (int side = 0; side < 2; side++)
            left[side] |= node_leftover(two_nodes_node(s->nodes, side)) != NULL;
    assert_true(left[0] && left[1]);
    lose_and_look(s);
}

/* ---- Solicited Events ---- */

/* Interrupts of the receiver of 24 Sends that come one after the other, every `every`-th of them solicited. */
static uint64_t interrupts(unsigned arm, unsigned every)
{
    struct run_conf c = stream(&llp_ideal, RNIC_PLACE);
    struct scene *s = calloc(1, sizeof *s);
    const char *why;
    uint32_t received = 0;
    struct iw_done done;
    s->rnic[0] = s->rnic[1] = c.rnic[1];
    s->rnic[1].completion.mode = RNIC_INTERRUPT;
    s->rnic[1].completion.count = 1;
    s->rnic[1].completion.arm = arm;
    c.depth = 24;
    struct two_nodes_conf conf = run_nodes(&c);
    conf.node[0].rnic = &s->rnic[0];
    conf.node[1].rnic = &s->rnic[1];
    s->nodes = two_nodes_new(&conf, hear, s, &why);
    assert_non_null(s->nodes);
    assert_true(two_nodes_connect(s->nodes, MS));
    for (unsigned i = 0; i < 24; i++) {
        struct iw_work recv = {.op = IW_RECV}, send = {.op = (i + 1) % every ? IW_SEND : IW_SEND_SE};
        assert_int_equal(two_nodes_post(s->nodes, 1, 0, &recv), IW_OK);
        two_nodes_run(s->nodes, two_nodes_now(s->nodes) + 100 * US);
        assert_int_equal(two_nodes_post(s->nodes, 0, 0, &send), IW_OK);
        two_nodes_run(s->nodes, two_nodes_now(s->nodes) + 100 * US);
        while (node_poll(two_nodes_node(s->nodes, 1), &done))
            received++;
        if (arm == RNIC_ARM_SOLICITED)
            assert_int_equal(received, (i + 1) / every * every); /* the others wait for it */
    }
    assert_int_equal(received, 24);
    uint64_t n = rnic_statistics(node_adapter(two_nodes_node(s->nodes, 1)))->interrupts;
    two_nodes_free(s->nodes);
    free(s);
    return n;
}

/* checks: RDMAP-5.3-6 */
TEST(armed_for_solicited_events_the_others_raise_no_interrupt)
{
    assert_int_equal(interrupts(RNIC_ARM_ALL, 8), 24);
    assert_int_equal(interrupts(RNIC_ARM_SOLICITED, 8), 3);
    assert_int_equal(interrupts(RNIC_ARM_SOLICITED, 1), 24);
}

/* A receive that fails raises its event, whatever the queue is armed for. */
TEST(a_failed_receive_is_found_though_armed_for_solicited_ones)
{
    struct run_conf c = stream(&llp_ideal, RNIC_PLACE);
    struct scene *s = calloc(1, sizeof *s);
    struct iw_work recv = {.op = IW_RECV, .id = 5};
    struct iw_done done = {0};
    const char *why;
    s->rnic[0] = s->rnic[1] = c.rnic[1];
    s->rnic[1].completion.mode = RNIC_INTERRUPT;
    s->rnic[1].completion.count = 1;
    s->rnic[1].completion.arm = RNIC_ARM_SOLICITED;
    struct two_nodes_conf conf = run_nodes(&c);
    conf.node[0].rnic = &s->rnic[0];
    conf.node[1].rnic = &s->rnic[1];
    s->nodes = two_nodes_new(&conf, hear, s, &why);
    assert_non_null(s->nodes);
    assert_true(two_nodes_connect(s->nodes, MS));
    assert_int_equal(two_nodes_post(s->nodes, 1, 0, &recv), IW_OK);
    two_nodes_lose(s->nodes);
    while (two_nodes_step(s->nodes))
        ;
    assert_true(node_poll(two_nodes_node(s->nodes, 1), &done));
    assert_int_equal(done.id, 5);
    assert_int_not_equal(done.status, IW_OK);
    two_nodes_free(s->nodes);
    free(s);
}

static void *no_memory(void *user, size_t octets)
{
    (void)user, (void)octets;
    return NULL;
}

TEST(a_node_that_makes_no_sense_is_refused)
{
    struct run_conf run = run_of(US);
    struct node_conf good = run_nodes(&run).node[0], bad[8];
    good.streams = good.connections = 1;
    good.line_rate = GBPS;
    good.mtu = 1500;
    good.memory.more = no_memory;
    assert_null(node_conf_error(&good));
    assert_true(node_size(&good) > 0);
    for (int i = 0; i < 8; i++)
        bad[i] = good;
    bad[0].streams = 0;
    bad[1].connections = 0;
    bad[2].connections = 2;
    bad[3].regions_max = 0;
    bad[4].cq_entries = 0;
    bad[5].line_rate = 0;
    bad[6].mtu = 0;
    bad[7].memory.more = NULL;
    for (int i = 0; i < 8; i++) {
        assert_non_null(node_conf_error(&bad[i]));
        assert_int_equal(node_size(&bad[i]), 0);
        assert_null(node_init(NULL, &bad[i]));
    }
}

/* ---- staging, and a ULP that is slow ---- */

static struct scene *open_path(const struct llp *llp, enum rnic_receive path, uint64_t consume_rate)
{
    struct scene *s = calloc(1, sizeof *s);
    struct run_conf run = stream(llp, path);
    const char *why;
    run.link.consume_rate = consume_rate;
    run.depth = 64;
    struct two_nodes_conf c = run_nodes(&run);
    for (int side = 0; side < 2; side++) {
        s->rnic[side] = run.rnic[side];
        c.node[side].rnic = &s->rnic[side];
    }
    s->nodes = two_nodes_new(&c, hear, s, &why);
    if (!s->nodes)
        fail_msg("%s", why);
    for (int side = 0; side < 2; side++) {
        struct iw_region region = {.base = s->memory[side],
                                   .len = sizeof s->memory[side],
                                   .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE,
                                   .pd = 1};
        struct iw_stags *stags = node_stags(two_nodes_node(s->nodes, side));
        assert_int_equal(iw_register(stags, &region, &s->stag[side]), IW_OK);
    }
    assert_true(two_nodes_connect(s->nodes, 1000 * MS));
    return s;
}

static struct scene *open_clean(const struct llp *llp, uint64_t consume_rate)
{
    return open_path(llp, RNIC_PLACE, consume_rate);
}

static void post_writes(struct scene *s, unsigned n, uint32_t len)
{
    for (unsigned i = 0; i < n; i++) {
        struct iw_work w = {.op = IW_WRITE, .sges = 1, .remote_stag = s->stag[1], .remote_to = i * len};
        w.sge[0] = (struct iw_sge){s->stag[0], len, i * len};
        assert_int_equal(two_nodes_post(s->nodes, 0, 0, &w), IW_OK);
    }
}

/* Of several segments in one packet the first to be in place frees nothing: a packet leaves staging in one piece. */
TEST(a_packet_stays_in_staging_until_all_of_it_is_in_place)
{
    struct scene *s = open_clean(&llp_sctp, 0);
    const struct node_agenda *a = &two_nodes_node(s->nodes, 1)->agenda;
    unsigned together = 0;
    post_writes(s, 60, 64);
    while (two_nodes_step(s->nodes)) {
        poll_all(s);
        for (uint32_t i = 0; i < a->count; i++) {
            const struct node_placement *p = a->heap[i].kind == AGENDA_PLACED ? a->heap[i].what.cell : NULL;
            if (!p || !p->landing)
                continue;
            assert_true(p->landing->staged > 0);
            together += p->landing->waiting > 1;
        }
    }
    assert_true(together > 0);
    assert_int_equal(rnic_statistics(node_adapter(two_nodes_node(s->nodes, 1)))->staging, 0);
    two_nodes_free(s->nodes);
    free(s);
}

/* The kernel's buffer takes a packet once, whole, however many segments are in it; the CPU copies the payload. */
TEST(a_packet_enters_the_kernel_once)
{
    struct scene *s = open_path(&llp_sctp, RNIC_COPY, 0);
    const struct node *n = two_nodes_node(s->nodes, 1);
    uint64_t packets = 0, segments = 60;
    post_writes(s, (unsigned)segments, 64);
    while (two_nodes_step(s->nodes))
        poll_all(s);
    const struct rnic_stats *r = rnic_statistics(node_adapter(n));
    packets = n->connection[0]->into_kernel;
    assert_true(packets > 0 && packets < segments);
    assert_int_equal(n->connection[0]->in_kernel, packets);
    assert_int_equal(r->copied, segments * 64);
    two_nodes_free(s->nodes);
    free(s);
}

/* What is left of a message is read as fast as the rest of it: 1 Gb/s, however few octets. */
TEST(a_slow_ulp_takes_its_time_for_each_octet)
{
    static const uint32_t sizes[] = {1, 100, 1460, 3000, 10000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct scene *s = open_clean(&llp_ideal, GBPS);
        const struct node_stream *in = two_nodes_node(s->nodes, 1)->stream[0];
        iw_time began = 0, ended = 0;
        uint64_t before = in->consumed, consumed = before;
        post_writes(s, 1, sizes[i]);
        while (two_nodes_step(s->nodes)) {
            poll_all(s);
            began = began || in->in_place == before ? began : two_nodes_now(s->nodes);
            ended = in->consumed == consumed ? ended : two_nodes_now(s->nodes);
            consumed = in->consumed;
        }
        assert_int_equal(in->consumed, in->in_place);
        assert_int_equal(ended - began, (in->in_place - before) * 8000);
        two_nodes_free(s->nodes);
        free(s);
    }
}

/* ---- what holds a stream back ---- */

static double share(const struct run_result *r, enum node_bound bound)
{
    return (double)r->bound[bound] / (double)(r->done - r->began);
}

static void is_bound(const struct run_conf *c, enum node_bound bound, double least)
{
    struct run_result r = run(c, false);
    iw_time sum = 0;
    for (int i = 0; i < NODE_BOUNDS; i++)
        sum += r.bound[i];
    assert_int_equal(sum, r.done - r.began); /* the shares add up to all of it */
    if (share(&r, bound) < least)
        fail_msg("bound %d holds %.3f of the time, expected %.3f: window %.3f congestion %.3f buffer %.3f "
                 "depth %.3f "
                 "ord %.3f adapter %.3f line %.3f nothing %.3f",
                 (int)bound, share(&r, bound), least, share(&r, NODE_BY_WINDOW),
                 share(&r, NODE_BY_CONGESTION), share(&r, NODE_BY_SEND_BUFFER), share(&r, NODE_BY_DEPTH),
                 share(&r, NODE_BY_ORD), share(&r, NODE_BY_ADAPTER), share(&r, NODE_BY_LINE),
                 share(&r, NODE_BY_NOTHING));
}

static struct run_conf plain(void)
{
    struct run_conf c = run_of(50 * US);
    c.size = 100 * run_payload(&c);
    c.count = 40;
    c.rnic[0].window.bytes = c.rnic[1].window.bytes = 8 * MIB;
    c.link.window = 16 << 20;
    return c;
}

TEST(the_share_of_each_bound_is_what_the_run_was_made_for)
{
    struct run_conf c = plain();
    is_bound(&c, NODE_BY_LINE, 0.95);
    c = plain();
    c.rnic[1].window.bytes = 20 * run_fpdu(&c); /* 14.5 of 100 us */
    is_bound(&c, NODE_BY_WINDOW, 0.8);
    c = plain();
    c.link.window = 20 * run_fpdu(&c);
    is_bound(&c, NODE_BY_SEND_BUFFER, 0.8);
    c = plain();
    c.op = IW_READ;
    c.size = 1000;
    c.ord = 1;
    is_bound(&c, NODE_BY_ORD, 0.9);
    c = plain();
    c.size = 1000;
    c.depth = 1;
    c.op = IW_READ;
    is_bound(&c, NODE_BY_DEPTH, 0.9);
    c = plain();
    c.rnic[0].tx.rate = 10 * GBPS; /* a tenth of the line */
    is_bound(&c, NODE_BY_ADAPTER, 0.9);
}

TEST(congestion_is_a_bound_of_tcp)
{
    struct tcp_conf tcp;
    struct run_conf c = plain();
    tcp_defaults(&tcp);
    tcp.congestion = &tcp_fixed;
    tcp.fixed_window = 20 * run_fpdu(&c);
    c.llp = &llp_tcp;
    c.tcp = &tcp;
    is_bound(&c, NODE_BY_CONGESTION, 0.8);
}

/* ---- memory ---- */

enum { BLOCKS = 512, CONNECTIONS = 17 };
struct taken {
    void *block[BLOCKS];
    unsigned blocks, up;
    size_t octets;
};

static void *take(void *user, size_t octets)
{
    struct taken *t = user;
    assert_true(t->blocks < BLOCKS);
    t->octets += octets;
    return t->block[t->blocks++] = calloc(1, octets);
}

static void count_up(void *user, const struct node_event *e)
{
    struct taken *t = user;
    t->up += e->kind == NODE_UP;
}

static struct node *idle_host(struct taken *t)
{
    struct rnic_conf rnic = preset("t6");
    struct node_conf conf = {.rnic = &rnic,
                             .streams = CONNECTIONS,
                             .connections = CONNECTIONS,
                             .regions_max = 1,
                             .cq_entries = 4,
                             .line_rate = UINT64_C(100000000000),
                             .mtu = 1500,
                             .memory = {take, t},
                             .listener = count_up,
                             .user = t};
    return node_init(malloc(node_size(&conf)), &conf);
}

/* One end of a connection over TCP, with queues of `depth`. */
static void idle_end(struct node *n, bool initiator, uint16_t depth)
{
    static const uint64_t user[1];
    struct tcp_conf tcp;
    tcp_defaults(&tcp);
    struct node_connection_conf c = {.llp = &llp_tcp,
                                     .conf = {.mtu = 1500,
                                              .window = 256 * KIB,
                                              .reorder = depth,
                                              .streams = 1,
                                              .initiator = initiator,
                                              .local_port = 1,
                                              .remote_port = 1,
                                              .source = initiator ? 1 : 2,
                                              .destination = initiator ? 2 : 1,
                                              .ord = 1,
                                              .ird = 1,
                                              .start_timeout = 1000 * US,
                                              .min_rto = US,
                                              .max_rto = 1000 * US,
                                              .delayed_ack = 1,
                                              .crc = true,
                                              .tcp = &tcp},
                                     .ep = {.pd = 1,
                                            .stream = 1,
                                            .sq_max = depth,
                                            .rq_max = depth,
                                            .ord = 1,
                                            .ird = 1,
                                            .reorder_max = depth},
                                     .user = user};
    uint32_t connection, stream;
    const char *why = NULL;
    assert_int_equal(node_connect(n, &c, &connection, &stream, &why), IW_OK);
}

/* One more connection, until its start-up is over and nothing is under way. */
static void bring_up(struct node *n[2], uint32_t connection, uint16_t depth)
{
    struct ip_packet packet;
    iw_time now = connection * 10 * US;
    idle_end(n[0], true, depth);
    idle_end(n[1], false, depth);
    node_open(n[1], now, connection);
    node_open(n[0], now, connection);
    for (iw_time end = now + 10 * US; now < end; now += US / 10)
        for (int side = 0; side < 2; side++) {
            node_expire(n[side], now);
            while (node_transmit(n[side], now, &packet))
                node_arrive(n[!side], now, connection, &packet);
        }
}

/* What both ends of a connection take then, between hosts that have one already. */
static size_t idle_ends(uint16_t depth)
{
    struct taken t = {0};
    struct node *n[2] = {idle_host(&t), idle_host(&t)};
    size_t first = 0;
    for (uint32_t i = 0; i < CONNECTIONS; i++) {
        bring_up(n, i, depth);
        assert_int_equal(t.up, 2 * (i + 1));
        first = i ? first : t.octets;
    }
    for (unsigned i = 0; i < t.blocks; i++)
        free(t.block[i]);
    free(n[0]);
    free(n[1]);
    return (t.octets - first) / (CONNECTIONS - 1);
}

/* Engine, TCP and node, both ends. Queues of one entry each; longer ones grow when they are used. */
TEST(an_idle_connection_takes_8800_octets_however_long_its_queues)
{
    size_t shortest = idle_ends(1), slope = (idle_ends(512) - shortest) / 511;
    print_message("idle connection: %zu octets, and %zu for each entry of all queues\n", shortest, slope);
    assert_true(shortest <= 8800);
    assert_true(slope <= 2);
    assert_true(idle_ends(1024) <= shortest + 1023 * (slope + 1));
}
