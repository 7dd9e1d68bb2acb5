/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Check and commit are apart by the time of a DMA write. Memory that is revoked between them: nothing lands after the
 * revocation has returned (RFC 5041 8.3.1). */
#include "pair_rig.h"

enum { PD = 1, REGIONS = 4, ENTRIES = 64, SIZE = 64 * 1024 };

struct scene {
    struct pair *pair;
    uint8_t memory[2][SIZE];
    iw_stag stag[2];
    int fault;            /* at side 1 */
    unsigned taken;       /* segments handed up at side 1 */
    unsigned placed;      /* segments placed there */
    unsigned placed_late; /* of those: after the revocation returned */
    bool returned;
};

static void hear(void *user, const struct pair_event *e)
{
    struct scene *s = user;
    if (e->side == 0)
        return;
    s->taken += e->what == PAIR_TAKEN;
    s->placed += e->what == PAIR_PLACED;
    s->placed_late += e->what == PAIR_PLACED && s->returned;
    if (e->what == PAIR_FAULT && !s->fault)
        s->fault = e->term;
}

/* A Write of 64 KiB through adapters that take a microsecond to write what they have. */
static struct scene *open_scene(void)
{
    struct scene *s = calloc(1, sizeof *s);
    struct rnic_conf rnic = preset("t6");
    struct pair_conf c = {.rate = 100 * GBPS,
                          .delay = US,
                          .mtu = 1460,
                          .framing = 78,
                          .seed = 1,
                          .crc = true,
                          .window = 1 << 20,
                          .ranges = 64,
                          .rnic = {&rnic, &rnic},
                          .regions_max = REGIONS,
                          .cq_entries = ENTRIES};
    rnic.pcie.write = US;
    for (int side = 0; side < 2; side++)
        c.ep[side] = (struct iw_conf){
            .pd = PD, .sq_max = 4, .rq_max = 4, .ord = 1, .ird = 1, .reorder_max = 64, .linger = MS};
    s->pair = pair_init(malloc(pair_size(&c)), &c, hear, s);
    assert_non_null(s->pair);
    for (int side = 0; side < 2; side++) {
        struct iw_region region = {
            .base = s->memory[side], .len = SIZE, .rights = IW_LOCAL_WRITE | IW_REMOTE_WRITE, .pd = PD};
        assert_int_equal(iw_register(pair_stags(s->pair, side), &region, &s->stag[side]), IW_OK);
    }
    memset(s->memory[0], 0xa5, SIZE);
    struct iw_work w = {.op = IW_WRITE, .sges = 1, .sge = {{s->stag[0], SIZE, 0}}, .remote_stag = s->stag[1]};
    assert_int_equal(pair_post(s->pair, 0, &w), IW_OK);
    pair_kick(s->pair, 0);
    return s;
}

static void close_scene(struct scene *s)
{
    free(s->pair);
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
        assert_true(pair_step(s->pair));
}

/* checks: DDP-8.3.1-6 */
static void cancelled_writes_do_not_land(void **state)
{
    (void)state;
    struct scene *s = open_scene();
    struct iw_stags *stags = pair_stags(s->pair, 1);
    run_into_the_middle(s);
    assert_int_equal(iw_revoke(stags, s->stag[1], IW_CANCEL), IW_EBUSY);
    s->returned = true;
    uint32_t before = octets_there(s);
    assert_true(before > 0 && before < SIZE);
    while (pair_step(s->pair))
        assert_int_equal(octets_there(s), before);
    assert_true(iw_revoked(stags, s->stag[1]));
    assert_int_equal(s->placed_late, 0);
    assert_true(s->fault > 0);
    close_scene(s);
}

/* checks: DDP-8.3.1-6 */
static void draining_ends_with_the_last_write(void **state)
{
    (void)state;
    struct scene *s = open_scene();
    struct iw_stags *stags = pair_stags(s->pair, 1);
    run_into_the_middle(s);
    unsigned under_way = s->taken - s->placed, before = s->placed;
    assert_int_equal(iw_revoke(stags, s->stag[1], IW_DRAIN), IW_EBUSY);
    while (!iw_revoked(stags, s->stag[1]))
        assert_true(pair_step(s->pair));
    s->returned = true;
    uint32_t there = octets_there(s);
    assert_int_equal(s->placed, before + under_way);
    while (pair_step(s->pair))
        assert_int_equal(octets_there(s), there);
    assert_int_equal(s->placed_late, 0);
    assert_true(s->fault > 0); /* what came later found no STag */
    close_scene(s);
}

/* checks: DDP-8.3.1-6 */
static void with_nothing_under_way_it_returns_at_once(void **state)
{
    (void)state;
    struct scene *s = open_scene();
    while (pair_step(s->pair))
        ;
    assert_int_equal(octets_there(s), SIZE);
    assert_int_equal(iw_revoke(pair_stags(s->pair, 1), s->stag[1], IW_DRAIN), IW_OK);
    assert_int_equal(s->fault, 0);
    close_scene(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cancelled_writes_do_not_land),
        cmocka_unit_test(draining_ends_with_the_last_write),
        cmocka_unit_test(with_nothing_under_way_it_returns_at_once),
    };
    return cmocka_run_group_tests_name("revocation against writes under way", tests, NULL, NULL);
}
