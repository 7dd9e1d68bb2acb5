/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_node.c -- two nodes on a bad link, whose ULPs call whatever they like in any order.
 *
 * Input: 8 octets of configuration, then steps of 4 octets {what, a, b, c}. Laws: time and the right edge of a window never go
 * back; a segment is placed whole; the bound that is told is another one than before; each request completes once, at most;
 * when nothing happens any more nothing is left in either node and no cell is taken.
 */
#include <stdlib.h>
#include <string.h>

#include "llp/packet.h"
#include "llp/sctp.h"
#include "llp/tcp.h"
#include "validation/support/two_nodes.h"

enum {
    CONF = 8,
    STEP = 4,
    STEPS_MAX = 200,
    STREAMS = 3,
    REGION = 40000,
    PD = 1,
    REQUESTS = 4096,
    QUIET_MAX = 400000
};
#define US ((iw_time)1000000)
#define S  (1000000 * US)

struct scene {
    struct two_nodes *nodes;
    struct rnic_conf rnic[2];
    struct tcp_conf tcp;
    struct sctp_conf sctp;
    struct packet_conf packet[2];
    uint16_t streams;
    iw_stag stag[2];
    iw_time heard[2];
    uint64_t edge[2];
    enum node_bound bound[2][STREAMS];
    uint32_t posted[2];
    uint8_t completed[2][REQUESTS];
    uint8_t memory[2][REGION];
};

static void must(bool law)
{
    if (!law)
        abort();
}

/* ---- laws of every event ---- */

static void hear(void *user, int side, const struct node_event *e)
{
    struct scene *s = user;
    must(e->t >= s->heard[side]);
    s->heard[side] = e->t;
    if (e->kind == NODE_WINDOW && s->streams == 1) {
        must(e->edge >= s->edge[side]);
        s->edge[side] = e->edge;
    }
    if (e->kind == NODE_PLACED)
        must(e->place.len == e->len);
    if (e->kind == NODE_BOUND) {
        must(e->bound != s->bound[side][e->user] && e->bound < NODE_BOUNDS);
        s->bound[side][e->user] = e->bound;
    }
}

static void poll_all(struct scene *s)
{
    struct iw_done done;
    for (int side = 0; side < 2; side++)
        while (node_poll(two_nodes_node(s->nodes, side), &done)) {
            must(done.id < s->posted[side]);
            must(!s->completed[side][done.id]++);
        }
}

/* ---- configuration ---- */

static const struct llp *table_of(uint8_t octet)
{
    static const struct llp *const tables[] = {&llp_ideal, &llp_tcp, &llp_sctp, &llp_packet};
    return tables[octet % 4];
}

static void adapter_of(struct rnic_conf *r, const uint8_t *in, const struct llp *llp, uint32_t fpdu)
{
    rnic_preset_load(r, &rnic_presets[in[0] % rnic_presets_count]);
    r->receive = in[1] % 4;
    if (r->receive == RNIC_DISCARD && !(llp->has & LLP_GO_BACK))
        r->receive = RNIC_PLACE;
    r->window.policy = r->receive == RNIC_COPY ? RNIC_BUFFER : (uint64_t)in[1] / 4 % RNIC_POLICIES;
    r->window.bytes = (uint64_t)fpdu * (2u + in[1] / 32u * 4u);
    if (in[0] & 64)
        r->staging_bytes = 4 * (uint64_t)fpdu;
    if (in[0] & 128)
        r->hold_bytes = 2 * (uint64_t)fpdu;
    if (r->staging_bytes != RNIC_UNLIMITED)
        r->window.mark = r->staging_bytes / 2;
    r->track.pool = in[0] & 8 ? 40u + in[1] : RNIC_UNLIMITED;
    r->retransmit = in[0] / 32 % 2;
    r->completion.mode = in[0] / 16 % 2;
}

/* Both ends recover alike. True: they go back. */
static bool packet_conf_of(struct scene *s, const uint8_t *in, int side)
{
    bool discards = s->rnic[0].receive == RNIC_DISCARD || s->rnic[1].receive == RNIC_DISCARD;
    enum packet_recovery recovery = discards || in[3] & 1 ? PACKET_GO_BACK_N
                                    : in[3] & 2           ? PACKET_IRN
                                                          : PACKET_RUD;
    s->packet[side] = (struct packet_conf){.recovery = recovery,
                                           .flight = 1 + in[2] % 10u,
                                           .track = 12,
                                           .congestion = packet_congestions[in[1] / 64 % PACKET_CONGESTIONS],
                                           .span = {10 * (iw_time)US, 8 * (iw_time)US, 10000000000},
                                           .dcqcn = {.line = 10000000000,
                                                     .least = 100000000,
                                                     .additive = 2000000,
                                                     .hyper = 20000000,
                                                     .timer = 300 * (iw_time)US,
                                                     .alpha_timer = US,
                                                     .cut_interval = 4 * (iw_time)US,
                                                     .fast_steps = 1,
                                                     .gain = 256}};
    if (s->packet[side].congestion->answered_each && recovery != PACKET_RUD)
        s->packet[side].congestion = &packet_none;
    return recovery == PACKET_GO_BACK_N;
}

static struct two_nodes_conf conf_of(struct scene *s, const uint8_t *in)
{
    const struct llp *llp = table_of(in[0]);
    uint32_t mtu = 620u + in[1] % 4u * 300u, fpdu = mtu - 20;
    bool sctp = llp->protocol == IP_PROTOCOL_SCTP;
    struct two_nodes_conf c = {.llp = llp, .from_start = in[2] & 128};
    s->streams = sctp ? 1 + in[0] / 4 % STREAMS : 1;
    tcp_defaults(&s->tcp);
    sctp_defaults(&s->sctp);
    s->tcp.retries = s->tcp.syn_retries = 6;
    s->tcp.msl = S / 1000;
    s->sctp.heartbeat = 0;
    c.fabric = (struct fabric_conf){.rate = 10000000000,
                                    .delay = in[2] % 8 * US,
                                    .mtu = mtu,
                                    .framing = 38,
                                    .data = true,
                                    .acks = in[2] & 64,
                                    .seed = in[3]};
    c.fabric.channel.loss = (in[3] & 3) * 0.06;
    c.fabric.channel.duplicate = (in[3] >> 2 & 3) * 0.05;
    c.fabric.channel.reorder.probability = (in[3] >> 4 & 3) * 0.1;
    c.fabric.channel.reorder.displacement = 3;
    c.fabric.channel.corrupt = (in[3] >> 6 & 3) * 0.03;
    for (int side = 0; side < 2; side++)
        adapter_of(&s->rnic[side], in + 4 + 2 * side, llp, fpdu);
    for (int side = 0; side < 2; side++) {
        c.node[side] = (struct node_conf){.rnic = &s->rnic[side],
                                          .regions_max = 4,
                                          .cq_entries = 64,
                                          .stag_key = 0,
                                          .stall_key = in[3],
                                          .consume_rate = in[2] & 32 ? 1000000000 : 0,
                                          .profile = in[2] & 16 ? IW_RECOVER : 0u};
        c.conf[side] = (struct llp_conf){.real = !(in[0] & 128),
                                         .window = s->rnic[side].window.bytes,
                                         .reorder = 16,
                                         .track = {.layout = TRACK_LIST + in[3] / 4 % 4u, .naks = in[2] & 1},
                                         .streams = s->streams,
                                         .secret = in[3] * 77u,
                                         .markers = !sctp && in[2] & 8,
                                         .crc = true,
                                         .ord = 2,
                                         .ird = 2,
                                         .start_timeout = 10 * S,
                                         .min_rto = 200 * US,
                                         .delayed_ack = 2,
                                         .delayed_ack_timeout = 20 * US,
                                         .timeout = 300 * US,
                                         .tcp = &s->tcp,
                                         .sctp = &s->sctp,
                                         .packet = &s->packet[side]};
        c.conf[side].go_back = packet_conf_of(s, in, side) && llp == &llp_packet;
        c.ep[side] = (struct iw_conf){.pd = PD,
                                      .stream = 1,
                                      .complete_on = in[0] & 64 ? IW_ON_ACK : IW_ON_ACCEPT,
                                      .sq_max = 8,
                                      .rq_max = 8,
                                      .ord = 2,
                                      .ird = 2,
                                      .reorder_max = 16,
                                      .linger = S / 100};
    }
    if (llp == &llp_ideal && c.conf[0].real && in[1] & 128)
        c.cut = 1u + in[1] / 4u % 32u * 18u;
    return c;
}

static bool open_scene(struct scene *s, const uint8_t *in)
{
    struct two_nodes_conf c = conf_of(s, in);
    const char *why;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < STREAMS; i++)
            s->bound[side][i] = NODE_BY_NOTHING;
    s->nodes = two_nodes_new(&c, hear, s, &why);
    if (!s->nodes)
        return false;
    for (int side = 0; side < 2; side++) {
        struct iw_region region = {.base = c.conf[0].real ? s->memory[side] : NULL,
                                   .len = REGION,
                                   .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE,
                                   .pd = PD};
        must(iw_register(node_stags(two_nodes_node(s->nodes, side)), &region, &s->stag[side]) == IW_OK);
    }
    return true;
}

/* ---- what the ULPs do ---- */

static void post(struct scene *s, int side, uint16_t stream, enum iw_op op, const uint8_t *in)
{
    uint32_t len = in[1] * 37u % 9000;
    struct iw_work w = {.id = s->posted[side],
                        .op = op,
                        .sges = len > 0,
                        .remote_stag = in[2] == 255 ? 0x1234u : s->stag[!side],
                        .remote_to = in[2] == 254 ? REGION - 4 : in[2] * 100u};
    w.sge[0] = (struct iw_sge){s->stag[side], len, in[2] * 100u};
    if (s->posted[side] < REQUESTS && two_nodes_post(s->nodes, side, stream, &w) == IW_OK)
        s->posted[side]++;
}

static void inject(struct scene *s, int side, uint16_t stream, const uint8_t *in)
{
    uint8_t ulpdu[NODE_WRONG_MAX];
    memset(ulpdu, in[2], sizeof ulpdu);
    ulpdu[0] = in[1];
    two_nodes_inject(s->nodes, side, stream, (enum llp_wrong)(in[1] % 3), ulpdu, in[2] + 1u);
}

static void change_memory(struct scene *s, int side, const uint8_t *in)
{
    struct iw_stags *stags = node_stags(two_nodes_node(s->nodes, side));
    if (in[1] & 1)
        iw_invalidate(stags, s->stag[side]);
    else
        iw_revoke(stags, s->stag[side], in[1] & 2 ? IW_CANCEL : IW_DRAIN);
}

static void pass(struct scene *s, uint32_t events)
{
    while (events-- && two_nodes_step(s->nodes))
        poll_all(s);
}

static void step(struct scene *s, const uint8_t *in)
{
    static const enum iw_op ops[] = {IW_SEND, IW_SEND_SE, IW_WRITE, IW_READ,
                                     IW_RECV, IW_RECV,    IW_WRITE, IW_SEND};
    int side = in[0] >> 7;
    uint16_t stream = (uint16_t)(in[3] % s->streams);
    switch (in[0] % 16) {
    default: post(s, side, stream, ops[in[0] % 8], in); break;
    case 8:
    case 9: pass(s, in[1]); break;
    case 10: two_nodes_run(s->nodes, two_nodes_now(s->nodes) + in[1] * US); break;
    case 11: two_nodes_close(s->nodes, side, stream, (enum iw_close_how)(in[1] % 3)); break;
    case 12: two_nodes_terminate(s->nodes, side, stream, iw_terms[in[1] % iw_terms_count].term); break;
    case 13: inject(s, side, stream, in); break;
    case 14:
        if (in[1] < 32)
            two_nodes_lose(s->nodes);
        else
            node_arm(two_nodes_node(s->nodes, side), (enum iw_arm)(in[1] % IW_ARMS));
        break;
    case 15:
        if (in[1] < 64)
            change_memory(s, side, in);
        else
            two_nodes_cut_wire(s->nodes, side, in[1] & 1);
        break;
    }
    poll_all(s);
}

/* ---- the end ---- */

/* It is cut at last, whatever the ULPs left open. */
static void close_scene(struct scene *s)
{
    pass(s, QUIET_MAX / 100);
    two_nodes_lose(s->nodes);
    for (uint32_t n = 0; two_nodes_step(s->nodes); n++) {
        must(n < QUIET_MAX);
        poll_all(s);
    }
    poll_all(s);
    must(!two_nodes_error(s->nodes));
    for (int side = 0; side < 2; side++) {
        must(!node_leftover(two_nodes_node(s->nodes, side)));
        must(!two_nodes_under_way(s->nodes, side));
    }
    two_nodes_free(s->nodes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scene s;
    memset(&s, 0, sizeof s);
    if (size < CONF || !open_scene(&s, data))
        return 0;
    for (size_t i = 0; i < STEPS_MAX && CONF + (i + 1) * STEP <= size; i++)
        step(&s, data + CONF + i * STEP);
    close_scene(&s);
    return 0;
}
