/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_rig.h"

#include "llp/mpa.h"
#include "llp/packet.h"
#include "llp/sctp.h"

enum { PD = 1, REGIONS = 4, ENTRIES = 8192, REMEMBERED = 16384, RECV_SIDE = 1, HEADS = 40, FRAMING = 38 };

struct ulp {
    struct run_conf conf;
    struct two_nodes *nodes;
    uint8_t *memory[2];
    iw_stag stag[2];
    uint32_t posted, done, received;
    uint64_t half_octets;
    iw_time half;
    uint64_t told[2];
    enum node_bound bound;
    iw_time bound_since;
    bool measuring;
    struct run_result result;
};

static int payload_side(const struct run_conf *c)
{
    return c->op == IW_READ ? 0 : 1;
}

struct run_conf run_of(iw_time delay)
{
    struct run_conf c = {.llp = &llp_ideal, .op = IW_WRITE, .size = 1 << 20, .count = 1, .depth = 16};
    c.link = (struct run_link){
        .rate = 100 * GBPS, .delay = delay, .mtu = 8960, .framing = FRAMING, .seed = 1, .window = 2 << 20};
    c.rnic[0] = c.rnic[1] = preset("ideal");
    return c;
}

uint32_t run_fpdu(const struct run_conf *c)
{
    return mpa_fpdu_size(0, mpa_mulpdu(c->link.mtu, false), false);
}

uint32_t run_payload(const struct run_conf *c)
{
    return mpa_mulpdu(c->link.mtu, false) - IW_HEAD_TAGGED;
}

/* ---- what is heard ---- */

static void mix(uint64_t *hash, uint64_t value)
{
    *hash = (*hash ^ value) * 0x100000001b3u;
}

static void placed(struct ulp *u, int side, const struct node_event *e)
{
    struct run_result *r = &u->result;
    if (side != payload_side(&u->conf) || !e->place.stag)
        return;
    r->octets += e->place.len;
    r->early += e->in_order ? 0 : e->place.len;
    r->placed = e->t;
    if (u->half == IW_NEVER && 2 * r->octets >= (uint64_t)u->conf.size * u->conf.count) {
        u->half = e->t;
        u->half_octets = r->octets;
    }
}

/* Law: the right edge never moves left. */
static void window(struct ulp *u, int side, const struct node_event *e)
{
    if (e->edge < u->told[side])
        fail_msg("side %d: the right edge %llu after %llu", side, (unsigned long long)e->edge,
                 (unsigned long long)u->told[side]);
    u->told[side] = e->edge;
    u->result.updates++;
}

static void dropped(struct ulp *u, int side, const struct node_event *e)
{
    struct run_result *r = &u->result;
    if (e->why != NODE_FOR_STAGING) {
        r->refused++;
        return;
    }
    if (!r->dropped++)
        r->first_drop_staging = rnic_statistics(node_adapter(two_nodes_node(u->nodes, side)))->staging;
}

static void held(struct ulp *u, int side)
{
    uint64_t now = rnic_statistics(node_adapter(two_nodes_node(u->nodes, side)))->held;
    if (side == payload_side(&u->conf) && now > u->result.held_peak)
        u->result.held_peak = now;
}

static void bound(struct ulp *u, iw_time now, enum node_bound next)
{
    if (u->measuring)
        u->result.bound[u->bound] += now - u->bound_since;
    u->bound = next;
    u->bound_since = now;
}

static void hear(void *user, int side, const struct node_event *e)
{
    struct ulp *u = user;
    struct run_result *r = &u->result;
    mix(&r->trace, e->t);
    mix(&r->trace, (uint64_t)e->kind << 56 | (uint64_t)side << 48 | e->key);
    switch (e->kind) {
    case NODE_SENT: r->sent++; break;
    case NODE_SPURIOUS: r->spurious++; break;
    case NODE_RETRANSMITTED:
        r->sent++;
        r->resent++;
        break;
    case NODE_DROPPED: dropped(u, side, e); break;
    case NODE_HELD: held(u, side); break;
    case NODE_PLACED: placed(u, side, e); break;
    case NODE_WINDOW: window(u, side, e); break;
    case NODE_DELIVERED: r->delivered = e->t; break;
    case NODE_BOUND:
        if (side == 0)
            bound(u, e->t, e->bound);
        break;
    case NODE_FAULT: fail_msg("side %d: %05x", side, (unsigned)e->term); break;
    case NODE_FAILED: fail_msg("side %d: no connection", side); break;
    default: break;
    }
}

/* ---- what is done ---- */

static void post(struct ulp *u, int side, enum iw_op op)
{
    struct iw_work w = {.op = op, .sges = u->conf.size > 0, .remote_stag = u->stag[!side]};
    w.sge[0] = (struct iw_sge){u->stag[side], u->conf.size, 0};
    assert_int_equal(two_nodes_post(u->nodes, side, 0, &w), IW_OK);
}

static void post_next(struct ulp *u)
{
    bool receives = u->conf.op == IW_SEND || u->conf.op == IW_SEND_SE;
    if (receives)
        post(u, RECV_SIDE, IW_RECV);
    u->posted++;
    u->result.posted = two_nodes_now(u->nodes);
    post(u, 0, u->conf.op);
}

static void poll(struct ulp *u)
{
    struct iw_done done;
    for (int side = 0; side < 2; side++)
        while (node_poll(two_nodes_node(u->nodes, side), &done)) {
            assert_int_equal(done.status, IW_OK);
            *(side ? &u->result.received : &u->result.done) = two_nodes_now(u->nodes);
            *(side ? &u->received : &u->done) += 1;
        }
}

static bool over(const struct ulp *u, uint32_t count)
{
    bool receives = u->conf.op == IW_SEND || u->conf.op == IW_SEND_SE;
    return u->done == count && (!receives || u->received == count);
}

/* Requests, and receives that wait for them. */
static uint32_t under_way(const struct ulp *u)
{
    bool receives = u->conf.op == IW_SEND || u->conf.op == IW_SEND_SE;
    uint32_t done = receives && u->received < u->done ? u->received : u->done;
    return u->posted - done;
}

static void step(struct ulp *u)
{
    if (!two_nodes_step(u->nodes))
        fail_msg("nothing happens any more: %u posted, %u done, %u received", u->posted, u->done,
                 u->received);
    poll(u);
}

static void carry(struct ulp *u, uint32_t count)
{
    u->result.began = u->bound_since = two_nodes_now(u->nodes);
    memset(u->result.bound, 0, sizeof u->result.bound);
    u->measuring = true;
    while (!over(u, count)) {
        while (u->posted < count && under_way(u) < u->conf.depth)
            post_next(u);
        step(u);
    }
    bound(u, two_nodes_now(u->nodes), u->bound);
    u->measuring = false;
}

static void settle(struct ulp *u)
{
    while (two_nodes_step(u->nodes))
        poll(u);
}

static void warm_up(struct ulp *u)
{
    carry(u, 1);
    settle(u);
    u->posted = u->done = u->received = 0;
    u->result = (struct run_result){0};
}

static iw_time timeout_of(const struct run_link *l)
{
    iw_time packet = (iw_time)takes(l->mtu + HEADS + l->framing, (double)l->rate);
    return l->timeout ? l->timeout : 4 * (l->delay + packet) + l->ack_delay + 20 * US;
}

struct two_nodes_conf run_nodes(const struct run_conf *c)
{
    const struct run_link *l = &c->link;
    uint16_t depth = (uint16_t)(c->depth + 1), ord = c->ord ? c->ord : depth;
    struct two_nodes_conf t = {.llp = c->llp};
    static struct sctp_conf sctp; /* without heartbeats: an idle link is idle */
    static struct packet_conf packet;
    sctp_defaults(&sctp);
    sctp.heartbeat = 0;
    t.fabric = (struct fabric_conf){.rate = l->rate,
                                    .delay = l->delay,
                                    .mtu = l->mtu + HEADS,
                                    .framing = l->framing,
                                    .channel = l->channel,
                                    .data = true,
                                    .seed = l->seed};
    for (int side = 0; side < 2; side++) {
        t.node[side] = (struct node_conf){.rnic = &c->rnic[side],
                                          .regions_max = REGIONS,
                                          .cq_entries = ENTRIES,
                                          .stall_key = l->seed,
                                          .consume_rate = l->consume_rate};
        packet.recovery = c->rnic[side].receive == RNIC_DISCARD ? PACKET_GO_BACK_N : PACKET_IRN;
        packet.flight = 256;
        packet.track = 512;
        t.conf[side] =
            (struct llp_conf){.real = c->real,
                              .window = c->rnic[side].window.bytes,
                              .reorder = REMEMBERED,
                              .secret = l->seed,
                              .crc = true,
                              .ord = ord,
                              .ird = ord,
                              .start_timeout = 10000 * MS,
                              .min_rto = 4 * MS,
                              .delayed_ack = l->delayed_ack,
                              .delayed_ack_timeout = l->ack_delay,
                              .send_buffer = l->window,
                              .timeout = timeout_of(l),
                              .tcp = c->tcp,
                              .sctp = &sctp,
                              .packet = &packet,
                              .go_back = c->llp == &llp_packet && c->rnic[side].receive == RNIC_DISCARD};
        t.ep[side] = (struct iw_conf){.pd = PD,
                                      .stream = 1,
                                      .sq_max = depth,
                                      .rq_max = depth,
                                      .ord = ord,
                                      .ird = ord,
                                      .reorder_max = REMEMBERED,
                                      .linger = MS};
    }
    return t;
}

static void fill(struct ulp *u)
{
    for (int side = 0; side < 2 && u->conf.real; side++) {
        u->memory[side] = malloc(u->conf.size + 1u);
        for (uint32_t i = 0; i <= u->conf.size; i++)
            u->memory[side][i] = (uint8_t)(i * 7 + i / 251 + (unsigned)side * 131);
    }
}

static void make(struct ulp *u)
{
    struct two_nodes_conf c = run_nodes(&u->conf);
    const char *why;
    u->bound = NODE_BY_NOTHING;
    u->nodes = two_nodes_new(&c, hear, u, &why);
    if (!u->nodes)
        fail_msg("%s", why);
    fill(u);
    for (int side = 0; side < 2; side++) {
        struct iw_region region = {.base = u->memory[side],
                                   .len = u->conf.size + 1u,
                                   .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE,
                                   .pd = PD};
        assert_int_equal(iw_register(node_stags(two_nodes_node(u->nodes, side)), &region, &u->stag[side]),
                         IW_OK);
    }
    assert_true(two_nodes_connect(u->nodes, 1000 * MS));
}

/* Law: what arrived was placed, and when the nodes are idle nothing is left in them. */
static void check_leftover(struct ulp *u)
{
    for (int side = 0; side < 2; side++) {
        const char *left = node_leftover(two_nodes_node(u->nodes, side));
        if (left)
            fail_msg("side %d: %s", side, left);
        if (two_nodes_under_way(u->nodes, side))
            fail_msg("side %d: cells are taken and nothing is under way", side);
    }
    if (two_nodes_error(u->nodes))
        fail_msg("%s", two_nodes_error(u->nodes));
}

static void account(struct ulp *u)
{
    struct run_result *r = &u->result;
    int side = payload_side(&u->conf);
    struct node *to = two_nodes_node(u->nodes, side), *from = two_nodes_node(u->nodes, !side);
    const struct iw_stats *stats = iw_statistics(two_nodes_endpoint(u->nodes, side, 0));
    assert_int_equal(r->octets, (uint64_t)u->conf.size * u->conf.count);
    if (r->placed > u->half)
        r->steady_gbps = (double)(r->octets - u->half_octets) * 8e3 / (double)(r->placed - u->half);
    r->state_peak = (uint64_t)stats->remembered_peak * iw_ooo_state_octets();
    r->lost = fabric_counts(two_nodes_fabric(u->nodes)).lost;
    r->receiver = *rnic_statistics(node_adapter(to));
    r->sender = *rnic_statistics(node_adapter(from));
    r->staging = *rnic_staging_histogram(node_adapter(to));
    if (u->conf.real)
        assert_memory_equal(u->memory[0], u->memory[1], u->conf.size);
}

struct run_result run(const struct run_conf *c, bool warm)
{
    struct ulp u = {.conf = *c, .half = IW_NEVER};
    make(&u);
    if (warm)
        warm_up(&u);
    u.half = IW_NEVER;
    carry(&u, c->count);
    settle(&u);
    check_leftover(&u);
    account(&u);
    two_nodes_free(u.nodes);
    free(u.memory[0]);
    free(u.memory[1]);
    return u.result;
}
