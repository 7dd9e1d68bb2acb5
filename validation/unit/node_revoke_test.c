/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Check and commit are apart by the time of a DMA write. Memory that is revoked between them: nothing lands after the
 * revocation has returned (RFC 5041 8.3.1). */
#include "node_rig.h"

enum { PD = 1, SIZE = 64 * 1024 };

struct scene {
    struct two_nodes *nodes;
    uint8_t memory[2][SIZE];
    iw_stag stag[2];
    int fault;            /* at side 1 */
    unsigned taken;       /* segments handed up at side 1 */
    unsigned placed;      /* segments placed there */
    unsigned placed_late; /* of those: after the revocation returned */
    bool returned;
    iw_time written_at[SIZE]; /* by octet; 0: not yet */
    unsigned written, seen_wrong,
        seen_soon; /* segments; of octets: not as told, less than a microsecond later */
};

/* An octet is told twice: it is on its way to memory, and it is there. */
static void hear_octets(struct scene *s, const struct node_event *e)
{
    bool there = e->kind == NODE_PLACED;
    if (!there && e->kind != NODE_WRITTEN)
        return;
    s->written += !there;
    for (uint64_t i = e->place.to; i < e->place.to + e->place.len; i++) {
        s->seen_wrong += (s->memory[1][i] == 0xa5) != there;
        s->seen_soon += there && e->t < s->written_at[i] + US;
        s->written_at[i] = e->t;
    }
}

static void hear(void *user, int side, const struct node_event *e)
{
    struct scene *s = user;
    if (side == 0)
        return;
    hear_octets(s, e);
    s->taken += e->kind == NODE_TAKEN;
    s->placed += e->kind == NODE_PLACED;
    s->placed_late += e->kind == NODE_PLACED && s->returned;
    if (e->kind == NODE_FAULT && !s->fault)
        s->fault = e->term;
}

static struct iw_stags *sink(const struct scene *s)
{
    return node_stags(two_nodes_node(s->nodes, 1));
}

/* A Write of 64 KiB through adapters that take a microsecond to write what they have. */
static struct scene *open_scene(void)
{
    struct scene *s = calloc(1, sizeof *s);
    struct run_conf run = run_of(US);
    const char *why;
    run.link.mtu = 1460;
    run.real = true;
    run.rnic[0] = run.rnic[1] = preset("t6");
    run.rnic[0].pcie.write = run.rnic[1].pcie.write = US;
    struct two_nodes_conf c = run_nodes(&run);
    s->nodes = two_nodes_new(&c, hear, s, &why);
    assert_non_null(s->nodes);
    assert_true(two_nodes_connect(s->nodes, MS));
    for (int side = 0; side < 2; side++) {
        struct iw_region region = {
            .base = s->memory[side], .len = SIZE, .rights = IW_LOCAL_WRITE | IW_REMOTE_WRITE, .pd = PD};
        struct iw_stags *stags = node_stags(two_nodes_node(s->nodes, side));
        assert_int_equal(iw_register(stags, &region, &s->stag[side]), IW_OK);
    }
    memset(s->memory[0], 0xa5, SIZE);
    struct iw_work w = {.op = IW_WRITE, .sges = 1, .sge = {{s->stag[0], SIZE, 0}}, .remote_stag = s->stag[1]};
    assert_int_equal(two_nodes_post(s->nodes, 0, 0, &w), IW_OK);
    return s;
}

static void close_scene(struct scene *s)
{
    for (int side = 0; side < 2; side++) {
        assert_null(node_leftover(two_nodes_node(s->nodes, side)));
        assert_int_equal(two_nodes_under_way(s->nodes, side), 0);
    }
    two_nodes_free(s->nodes);
    free(s);
}

static uint32_t octets_there(const struct scene *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < SIZE; i++)
        n += s->memory[1][i] == 0xa5;
    return n;
}

/* Until some segments are in place and some are being written. */
static void run_into_the_middle(struct scene *s)
{
    while (s->placed < 3 || s->taken == s->placed)
        assert_true(two_nodes_step(s->nodes));
}

/* Written, visible: memory changes when an octet is told as placed, not when its write is issued. */
TEST(what_is_written_is_seen_when_it_is_placed)
{
    struct scene *s = open_scene();
    while (two_nodes_step(s->nodes))
        continue;
    assert_int_equal(octets_there(s), SIZE);
    assert_true(s->placed > 40);
    assert_int_equal(s->written, s->placed);
    assert_int_equal(s->seen_wrong, 0);
    assert_int_equal(s->seen_soon, 0);
    close_scene(s);
}

/* checks: DDP-8.3.1-6 */
TEST(cancelled_writes_do_not_land)
{
    struct scene *s = open_scene();
    struct iw_stags *stags = sink(s);
    run_into_the_middle(s);
    assert_int_equal(iw_revoke(stags, s->stag[1], IW_CANCEL), IW_EBUSY);
    s->returned = true;
    uint32_t before = octets_there(s);
    assert_true(before > 0 && before < SIZE);
    while (two_nodes_step(s->nodes))
        assert_int_equal(octets_there(s), before);
    assert_true(iw_revoked(stags, s->stag[1]));
    assert_int_equal(s->placed_late, 0);
    assert_true(s->fault > 0);
    close_scene(s);
}

/* checks: DDP-8.3.1-6 */
TEST(draining_ends_with_the_last_write)
{
    struct scene *s = open_scene();
    struct iw_stags *stags = sink(s);
    run_into_the_middle(s);
    unsigned under_way = s->taken - s->placed, before = s->placed;
    assert_int_equal(iw_revoke(stags, s->stag[1], IW_DRAIN), IW_EBUSY);
    while (!iw_revoked(stags, s->stag[1]))
        assert_true(two_nodes_step(s->nodes));
    s->returned = true;
    uint32_t there = octets_there(s);
    assert_int_equal(s->placed, before + under_way);
    while (two_nodes_step(s->nodes))
        assert_int_equal(octets_there(s), there);
    assert_int_equal(s->placed_late, 0);
    assert_true(s->fault > 0); /* what came later found no STag */
    close_scene(s);
}

/* checks: DDP-8.3.1-6 */
TEST(with_nothing_under_way_it_returns_at_once)
{
    struct scene *s = open_scene();
    while (two_nodes_step(s->nodes))
        ;
    assert_int_equal(octets_there(s), SIZE);
    assert_int_equal(iw_revoke(sink(s), s->stag[1], IW_DRAIN), IW_OK);
    assert_int_equal(s->fault, 0);
    close_scene(s);
}
