/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flows on links: which meet nobody, what is left of one that somebody meets, and who waits for a port. */
#include <string.h>

#include "simgrid/links.h"
#include "validation/support/test.h"

#define US UINT64_C(1000000)
enum { PORTS = 8, SHARED = 16, LINKS = 17, FLOWS = 64 };

struct rig {
    struct grid_link link[LINKS]; /* ports out, ports in, and one that some share between them */
    struct grid_end end[FLOWS];
    struct grid_chunk *chunk[FLOWS];
    uint32_t path[FLOWS][3];
    struct grid_chunk *met[3];
    uint32_t count;
};

static void begin(struct rig *r)
{
    memset(r, 0, sizeof *r);
    for (uint32_t i = 0; i < LINKS; i++)
        r->link[i].rate = 1e9;
}

static void end(struct rig *r)
{
    for (uint32_t i = 0; i < FLOWS; i++)
        test_free(r->chunk[i]);
}

/* A flow of 1,000,000 octets: a millisecond alone. */
static struct grid_chunk *flow(struct rig *r, uint32_t i, uint32_t from, uint32_t to, bool shared)
{
    struct grid_end *e = &r->end[i];
    e->link = r->path[i];
    struct grid_chunk *c = r->chunk[i] = test_calloc(1, sizeof *c);
    r->path[i][e->links++] = from;
    if (shared)
        r->path[i][e->links++] = SHARED;
    r->path[i][e->links++] = PORTS + to;
    c->from = e;
    c->octets = 1000000;
    c->flow.n = 100;
    c->began = i;
    return c;
}

static bool join(struct rig *r, struct grid_chunk *c, iw_time now)
{
    return grid_links_join(r->link, c, now, r->met, &r->count);
}

TEST(a_flow_that_meets_nobody_goes_at_its_slowest_link)
{
    struct rig r;
    begin(&r);
    r.link[SHARED].rate = 5e8;
    struct grid_chunk *a = flow(&r, 0, 0, 0, true), *b = flow(&r, 1, 1, 1, false);
    assert_true(join(&r, a, 5 * US) && a->alone && r.count == 0);
    assert_true(a->lasts == 2000 * US && a->began == 5 * US);
    b->rate = 1e9; /* bits: its own bound is slower than its links */
    assert_true(join(&r, b, 5 * US) && b->alone && r.count == 0);
    assert_true(b->lasts == 8000 * US);
    end(&r);
}

TEST(what_is_left_of_it_is_told_when_another_comes)
{
    struct rig r;
    begin(&r);
    struct grid_chunk *a = flow(&r, 0, 0, 0, true), *b = flow(&r, 1, 1, 1, true);
    struct grid_chunk *c = flow(&r, 2, 2, 2, true);
    join(&r, a, 0);
    assert_true(join(&r, b, 250 * US));
    assert_true(!a->alone && !b->alone && r.count == 1 && r.met[0] == a);
    assert_int_equal(a->octets, 750000);
    assert_int_equal(b->octets, 1000000);
    assert_true(join(&r, c, 300 * US) && r.count == 0 && a->octets == 750000);
    grid_links_leave(r.link, a);
    grid_links_leave(r.link, b);
    assert_false(c->alone); /* it stays where it is */
    grid_links_leave(r.link, c);
    struct grid_chunk *d = flow(&r, 3, 0, 0, true);
    assert_true(join(&r, d, 900 * US) && d->alone && r.count == 0);
    end(&r);
}

/* Fixed windows in queues one behind the other share as weights 1 / queues would. */
TEST(a_flow_weighs_by_the_links_it_shares)
{
    struct rig r;
    begin(&r);
    struct grid_chunk *a = flow(&r, 0, 0, 0, true), *b = flow(&r, 1, 1, 1, true);
    struct grid_chunk *c = flow(&r, 2, 1, 2, false), *d = flow(&r, 3, 1, 1, true);
    join(&r, a, 0);
    join(&r, b, 0);
    assert_true(b->weight == 1);
    join(&r, c, 0);
    assert_true(c->weight == 1);
    join(&r, d, 0);
    assert_true(d->weight == 3);
    end(&r);
}

TEST(beyond_its_turns_a_port_lets_flows_wait_oldest_first)
{
    static struct rig r;
    begin(&r);
    for (uint32_t i = 0; i < GRID_TURNS; i++)
        assert_true(join(&r, flow(&r, i, 0, i % PORTS, false), 0));
    struct grid_chunk *late = flow(&r, 41, 0, 1, false), *early = flow(&r, 40, 0, 2, false);
    assert_false(join(&r, late, 0));
    assert_false(join(&r, early, 0));
    assert_null(grid_links_turn(r.link, &r.end[0]));
    grid_links_leave(r.link, r.chunk[0]);
    assert_ptr_equal(grid_links_turn(r.link, &r.end[0]), early);
    assert_true(join(&r, early, 0));
    grid_links_leave(r.link, r.chunk[1]);
    assert_ptr_equal(grid_links_turn(r.link, &r.end[1]), late);
    end(&r);
}

TEST(single_packets_take_turns_and_others_do_not)
{
    struct rig r;
    begin(&r);
    uint32_t i = 0;
    for (; i < GRID_SINGLES; i++) {
        flow(&r, i, i, 0, false)->flow.n = 1;
        assert_true(join(&r, r.chunk[i], 0));
    }
    struct grid_chunk *many = flow(&r, i, i, 0, false), *single = flow(&r, i + 1, i + 1, 0, false);
    single->flow.n = 1;
    assert_true(join(&r, many, 0));
    assert_false(join(&r, single, 0));
    grid_links_leave(r.link, many);
    assert_null(grid_links_turn(r.link, many->from));
    grid_links_leave(r.link, r.chunk[0]);
    assert_ptr_equal(grid_links_turn(r.link, &r.end[0]), single);
    assert_true(join(&r, single, 0));
    end(&r);
}

TEST(what_is_apart_is_shared_by_nobody)
{
    struct rig r;
    begin(&r);
    r.link[SHARED].apart = true;
    struct grid_chunk *a = flow(&r, 0, 0, 0, true), *b = flow(&r, 1, 1, 1, true);
    assert_true(join(&r, a, 0) && a->alone);
    assert_true(join(&r, b, 0) && b->alone && a->alone && r.count == 0);
    grid_links_leave(r.link, a);
    assert_int_equal(r.link[SHARED].flows, 0);
    end(&r);
}
