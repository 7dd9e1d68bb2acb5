/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair_rig.h"

enum { PD = 1, REGIONS = 4, ENTRIES = 8192, RECV_SIDE = 1 };

struct ulp {
    struct run_conf conf;
    struct pair *pair;
    iw_stag stag[2];
    uint32_t posted, done, received;
    uint64_t half_octets;
    iw_time half;
    uint64_t told[2];
    struct run_result result;
};

static int payload_side(const struct run_conf *c)
{
    return c->op == IW_READ ? 0 : 1;
}

struct run_conf run_of(iw_time delay)
{
    struct run_conf c = {.op = IW_WRITE, .size = 1 << 20, .count = 1, .depth = 16};
    c.pair = (struct pair_conf){.rate = 100 * GBPS,
                                .delay = delay,
                                .mtu = 8960,
                                .framing = 78,
                                .seed = 1,
                                .crc = true,
                                .window = 2 << 20,
                                .ranges = 16384,
                                .length_only = true};
    c.rnic[0] = c.rnic[1] = preset("ideal");
    return c;
}

uint32_t run_fpdu(const struct run_conf *c)
{
    return pair_fpdu(&c->pair, payload_side(c) ^ 1);
}

uint32_t run_payload(const struct run_conf *c)
{
    return mpa_mulpdu(c->pair.mtu, false) - IW_HEAD_TAGGED;
}

/* ---- what is heard ---- */

static void mix(uint64_t *hash, uint64_t value)
{
    *hash = (*hash ^ value) * 0x100000001b3u;
}

static void placed(struct ulp *u, const struct pair_event *e)
{
    struct run_result *r = &u->result;
    if (e->side != payload_side(&u->conf) || !e->place->stag)
        return;
    r->octets += e->place->len;
    r->early += e->in_order ? 0 : e->place->len;
    r->placed = e->t;
    if (u->half == IW_NEVER && 2 * r->octets >= (uint64_t)u->conf.size * u->conf.count) {
        u->half = e->t;
        u->half_octets = r->octets;
    }
}

static void window(struct ulp *u, const struct pair_event *e)
{
    u->result.edge_fell |= e->edge < u->told[e->side];
    u->result.updates++;
    u->told[e->side] = e->edge;
}

static void dropped(struct ulp *u, const struct pair_event *e)
{
    if (!u->result.dropped++)
        u->result.first_drop_staging = e->staging;
}

static void hear(void *user, const struct pair_event *e)
{
    struct ulp *u = user;
    struct run_result *r = &u->result;
    mix(&r->trace, e->t);
    mix(&r->trace, (uint64_t)e->what << 56 | (uint64_t)e->side << 48 | e->offset);
    if (e->held > r->held_peak)
        r->held_peak = e->held;
    switch (e->what) {
    case PAIR_SENT:
        r->sent++;
        r->resent += e->sends > 1;
        break;
    case PAIR_LOST: r->lost++; break;
    case PAIR_REFUSED: r->refused++; break;
    case PAIR_DROPPED: dropped(u, e); break;
    case PAIR_PLACED: placed(u, e); break;
    case PAIR_WINDOW: window(u, e); break;
    case PAIR_DELIVERED: r->delivered = e->t; break;
    case PAIR_FAULT: fail_msg("side %d: %05x", e->side, (unsigned)e->term); break;
    default: break;
    }
}

/* ---- what is done ---- */

static void post(struct ulp *u, int side, enum iw_op op)
{
    struct iw_work w = {.op = op, .sges = u->conf.size > 0, .remote_stag = u->stag[!side]};
    w.sge[0] = (struct iw_sge){u->stag[side], u->conf.size, 0};
    assert_int_equal(pair_post(u->pair, side, &w), IW_OK);
    pair_kick(u->pair, side);
}

static void post_next(struct ulp *u)
{
    if (u->conf.op == IW_SEND)
        post(u, RECV_SIDE, IW_RECV);
    u->posted++;
    u->result.posted = pair_now(u->pair);
    post(u, 0, u->conf.op);
}

static void poll(struct ulp *u)
{
    struct iw_done done;
    for (int side = 0; side < 2; side++)
        while (pair_poll(u->pair, side, &done)) {
            assert_int_equal(done.status, IW_OK);
            *(side ? &u->result.received : &u->result.done) = pair_now(u->pair);
            *(side ? &u->received : &u->done) += 1;
        }
}

static bool over(const struct ulp *u, uint32_t count)
{
    bool told = u->conf.op != IW_SEND || u->received == count;
    return u->done == count && told;
}

static void carry(struct ulp *u, uint32_t count)
{
    while (!over(u, count)) {
        while (u->posted < count && u->posted - u->done < u->conf.depth)
            post_next(u);
        assert_true(pair_step(u->pair));
        poll(u);
    }
}

static void settle(struct ulp *u)
{
    while (pair_step(u->pair))
        poll(u);
}

static void warm_up(struct ulp *u)
{
    carry(u, 1);
    settle(u);
    u->posted = u->done = u->received = 0;
    u->result = (struct run_result){0};
}

static void make(struct ulp *u)
{
    struct pair_conf *c = &u->conf.pair;
    c->regions_max = REGIONS;
    c->cq_entries = ENTRIES;
    for (int side = 0; side < 2; side++) {
        uint16_t depth = (uint16_t)(u->conf.depth + 1);
        c->rnic[side] = &u->conf.rnic[side];
        c->ep[side] = (struct iw_conf){.pd = PD,
                                       .sq_max = depth,
                                       .rq_max = depth,
                                       .ord = depth,
                                       .ird = depth,
                                       .reorder_max = 16384,
                                       .linger = MS};
    }
    if (pair_conf_error(c))
        fail_msg("%s", pair_conf_error(c));
    u->pair = pair_init(malloc(pair_size(c)), c, hear, u);
    for (int side = 0; side < 2; side++) {
        struct iw_region region = {
            .len = u->conf.size + 1u, .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE, .pd = PD};
        assert_int_equal(iw_register(pair_stags(u->pair, side), &region, &u->stag[side]), IW_OK);
    }
}

static void account(struct ulp *u)
{
    struct run_result *r = &u->result;
    int side = payload_side(&u->conf);
    const struct iw_stats *stats = iw_statistics(pair_ep(u->pair, side));
    assert_int_equal(r->octets, (uint64_t)u->conf.size * u->conf.count);
    assert_false(r->edge_fell);
    if (r->placed > u->half)
        r->steady_gbps = (double)(r->octets - u->half_octets) * 8e3 / (double)(r->placed - u->half);
    r->state_peak = (uint64_t)stats->remembered_peak * iw_ooo_state_octets();
    r->receiver = *rnic_statistics(pair_adapter(u->pair, side));
    r->sender = *rnic_statistics(pair_adapter(u->pair, !side));
    r->staging = *rnic_staging_histogram(pair_adapter(u->pair, side));
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
    account(&u);
    free(u.pair);
    return u.result;
}
