/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_inject_test.c -- what no honest adapter sends: each kind of fault is what it says, in order, in both payload modes. */
#include "node_rig.h"

enum { MEMORY = 4096, PD = 1 };

struct rig {
    struct two_nodes *nodes;
    uint8_t memory[MEMORY];
    iw_stag stag;
    int fault;       /* that ended side 1 */
    unsigned placed; /* segments there */
};

static void hear(void *user, int side, const struct node_event *e)
{
    struct rig *r = user;
    if (e->kind == NODE_FAULT && side == 1 && !r->fault)
        r->fault = e->term;
    r->placed += e->kind == NODE_PLACED && side == 1;
}

/* 10 Gb/s, packets of 1500 octets. */
static void set_up(struct rig *r, const struct llp *llp, bool markers, bool length_only)
{
    struct run_conf run = run_of(US);
    const char *why;
    run.llp = llp;
    run.link.rate = 10 * GBPS;
    run.link.mtu = 1460;
    run.real = !length_only;
    struct two_nodes_conf c = run_nodes(&run);
    c.conf[0].markers = c.conf[1].markers = markers;
    memset(r, 0, sizeof *r);
    r->nodes = two_nodes_new(&c, hear, r, &why);
    assert_non_null(r->nodes);
    struct iw_region region = {.base = r->memory, .len = MEMORY, .pd = PD, .rights = IW_REMOTE_WRITE};
    assert_int_equal(iw_register(node_stags(two_nodes_node(r->nodes, 1)), &region, &r->stag), IW_OK);
    assert_true(two_nodes_connect(r->nodes, 1000 * MS));
}

/* A Write of `len` octets at TO 0. */
static int inject(struct rig *r, enum llp_wrong how, uint32_t len)
{
    uint8_t ulpdu[512] = {0xc1, 0x40};
    iw_put32(ulpdu + 2, r->stag);
    memset(ulpdu + IW_HEAD_TAGGED, 0x5a, len);
    return two_nodes_inject(r->nodes, 0, 0, how, ulpdu, IW_HEAD_TAGGED + len);
}

static void finish(struct rig *r)
{
    while (two_nodes_step(r->nodes))
        ;
    assert_null(two_nodes_error(r->nodes));
    for (int side = 0; side < 2; side++) {
        assert_null(node_leftover(two_nodes_node(r->nodes, side)));
        assert_int_equal(two_nodes_under_way(r->nodes, side), 0);
    }
    two_nodes_free(r->nodes);
}

static const struct llp *const tables[] = {&llp_ideal, &llp_tcp};
enum { TABLES = sizeof tables / sizeof *tables };

TEST(a_right_one_is_placed)
{
    for (int i = 0; i < TABLES; i++) {
        struct rig r;
        set_up(&r, tables[i], false, false);
        assert_int_equal(inject(&r, LLP_RIGHT, 100), IW_OK);
        finish(&r);
        assert_int_equal(r.fault, 0);
        assert_int_equal(r.placed, 1);
        assert_int_equal(r.memory[99], 0x5a);
        assert_int_equal(r.memory[100], 0);
    }
}

TEST(a_wrong_crc_ends_the_stream_in_its_turn)
{
    for (int i = 0; i < 2 * TABLES; i++) {
        struct rig r;
        set_up(&r, tables[i / 2], false, i % 2);
        assert_int_equal(inject(&r, LLP_RIGHT, 50), IW_OK);
        assert_int_equal(inject(&r, LLP_WRONG_CRC, 100), IW_OK);
        assert_int_equal(inject(&r, LLP_RIGHT, 100), IW_OK);
        finish(&r);
        assert_int_equal(r.fault, IW_T_LLP_CRC);
        assert_int_equal(r.placed, 1);
    }
}

/* Two FPDUs of 248 octets, the first with the marker at 0, bring the third to where the marker at 512 falls into it. */
TEST(a_wrong_marker_ends_the_stream)
{
    for (int i = 0; i < TABLES; i++) {
        struct rig r;
        set_up(&r, tables[i], true, false);
        for (int n = 0; n < 2; n++)
            assert_int_equal(inject(&r, LLP_RIGHT, 222), IW_OK);
        assert_int_equal(inject(&r, LLP_WRONG_MARKER, 100), IW_OK);
        finish(&r);
        assert_int_equal(r.fault, IW_T_LLP_MARKER);
        assert_int_equal(r.placed, 2);
    }
}

TEST(what_cannot_be_is_refused)
{
    for (int i = 0; i < TABLES; i++) {
        struct rig r;
        set_up(&r, tables[i], false, false);
        assert_int_equal(inject(&r, LLP_WRONG_MARKER, 100), IW_EINVAL);
        assert_int_equal(inject(&r, LLP_RIGHT, NODE_WRONG_MAX), IW_EINVAL);
        assert_int_equal(two_nodes_inject(r.nodes, 0, 0, LLP_RIGHT, r.memory, 0), IW_EINVAL);
        two_nodes_lose(r.nodes);
        assert_int_equal(inject(&r, LLP_RIGHT, 100), IW_ESTATE);
        finish(&r);
        assert_int_equal(r.placed, 0);
    }
}
