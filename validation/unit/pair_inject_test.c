/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pair_inject_test.c -- what no honest adapter sends: each kind of fault is what it says, in order, in both payload modes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pair/pair.h"

enum { MEMORY = 4096 };

struct rig {
    struct pair *pair;
    void *block;
    uint8_t memory[MEMORY];
    iw_stag stag;
    int fault;       /* that ended side 1 */
    unsigned placed; /* segments there */
};

static void hear(void *user, const struct pair_event *e)
{
    struct rig *r = user;
    if (e->what == PAIR_FAULT && e->side == 1 && !r->fault)
        r->fault = e->term;
    r->placed += e->what == PAIR_PLACED && e->side == 1;
}

static void set_up(struct rig *r, bool markers, bool length_only)
{
    struct pair_conf c = {.rate = 10000000000u,
                          .delay = 1000000,
                          .mtu = 1460,
                          .framing = 78,
                          .crc = true,
                          .markers = {markers, markers},
                          .window = 65536,
                          .ranges = 16,
                          .length_only = length_only,
                          .regions_max = 4,
                          .cq_entries = 8};
    for (int side = 0; side < 2; side++)
        c.ep[side] = (struct iw_conf){
            .pd = 1, .sq_max = 4, .rq_max = 4, .ord = 1, .ird = 1, .reorder_max = 16, .linger = 1000000};
    memset(r, 0, sizeof *r);
    assert_null(pair_conf_error(&c));
    r->block = malloc(pair_size(&c));
    r->pair = pair_init(r->block, &c, hear, r);
    struct iw_region region = {.base = r->memory, .len = MEMORY, .pd = 1, .rights = IW_REMOTE_WRITE};
    assert_int_equal(iw_register(pair_stags(r->pair, 1), &region, &r->stag), IW_OK);
}

/* A Write of `len` octets at TO 0. */
static int inject(struct rig *r, enum pair_wrong how, uint32_t len)
{
    uint8_t ulpdu[512] = {0xc1, 0x40};
    iw_put32(ulpdu + 2, r->stag);
    memset(ulpdu + IW_HEAD_TAGGED, 0x5a, len);
    return pair_inject(r->pair, 0, how, ulpdu, IW_HEAD_TAGGED + len);
}

static void finish(struct rig *r)
{
    pair_kick(r->pair, 0);
    while (pair_step(r->pair)) {
    }
    free(r->block);
}

static void test_a_right_one_is_placed(void **state)
{
    (void)state;
    struct rig r;
    set_up(&r, false, false);
    assert_int_equal(inject(&r, PAIR_WRONG_ULPDU, 100), IW_OK);
    finish(&r);
    assert_int_equal(r.fault, 0);
    assert_int_equal(r.placed, 1);
    assert_int_equal(r.memory[99], 0x5a);
    assert_int_equal(r.memory[100], 0);
}

static void test_a_wrong_crc(void **state)
{
    (void)state;
    for (int length_only = 0; length_only < 2; length_only++) {
        struct rig r;
        set_up(&r, false, length_only);
        assert_int_equal(inject(&r, PAIR_WRONG_ULPDU, 50), IW_OK);
        assert_int_equal(inject(&r, PAIR_WRONG_CRC, 100), IW_OK);
        assert_int_equal(inject(&r, PAIR_WRONG_ULPDU, 100), IW_OK);
        finish(&r);
        assert_int_equal(r.fault, IW_T_LLP_CRC);
        assert_int_equal(r.placed, 1);
    }
}

/* Two FPDUs of 248 octets, the first with the marker at 0, bring the third to where the marker at 512 falls into it. */
static void test_a_wrong_marker(void **state)
{
    (void)state;
    struct rig r;
    set_up(&r, true, false);
    for (int i = 0; i < 2; i++)
        assert_int_equal(inject(&r, PAIR_WRONG_ULPDU, 222), IW_OK);
    assert_int_equal(inject(&r, PAIR_WRONG_MARKER, 100), IW_OK);
    finish(&r);
    assert_int_equal(r.fault, IW_T_LLP_MARKER);
    assert_int_equal(r.placed, 2);
}

static void test_refusals(void **state)
{
    (void)state;
    struct rig r;
    set_up(&r, false, false);
    assert_int_equal(inject(&r, PAIR_WRONG_MARKER, 100), IW_EINVAL);
    assert_int_equal(inject(&r, PAIR_WRONG_ULPDU, PAIR_WRONG_MAX), IW_EINVAL);
    assert_int_equal(pair_inject(r.pair, 0, PAIR_WRONG_ULPDU, r.memory, 0), IW_EINVAL);
    pair_cut(r.pair);
    finish(&r);
    assert_int_equal(r.placed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_right_one_is_placed), cmocka_unit_test(test_a_wrong_crc),
        cmocka_unit_test(test_a_wrong_marker), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
