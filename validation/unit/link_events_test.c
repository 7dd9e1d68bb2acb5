/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which links an event is about, and in which order events change them, on a network whose names have dashes and whose switches
 * are joined twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/link_events.h"
#include "helpers/world/network_conf.h"
#include "scenario_rig.h"

/* Links: 0 a to s-1, 1 b to s; of s-1 2 to a, 3 and 4 to s; of s 5 to b, 6 and 7 to s-1. */
static const char network[] =
    "hosts: [a, b]\nswitches: [s-1, s]\nlinks:\n"
    "- {between: [a, s-1]}\n- {between: [b, s]}\n- {between: [s-1, s]}\n- {between: [s, s-1]}\n";

static const struct {
    const char *events, *changes; /* at, in ns, link and what: d, u, r */
} cases[] = {
    {"1us s-1-s down", "1000:3d 1000:4d 1000:6d 1000:7d "},
    {"1us s-s-1#2 down", "1000:4d 1000:7d "},
    {"1us s-1->s#1 down", "1000:3d "},
    {"1us s->s-1#2 5Gbps", "1000:7r "},
    {"1us s->* 5Gbps", "1000:5r 1000:6r 1000:7r "},
    {"1us *-b down", "1000:1d 1000:5d "},
    {"1us a-s-1 down;2us a-s-1 up;", "1000:0d 1000:2d 2000:0u 2000:2u "},
    {"1us switch s down", "1000:1d 1000:3d 1000:4d 1000:5d 1000:6d 1000:7d "},
    {"1us a->* 1Gbps; 0us b->* 1Gbps; 1us a->* down", "0:1r 1000:0r 1000:0d "},
};

static void write_changes(const struct link_events *e, char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (uint32_t i = 0; i < e->changes; i++)
        used += (size_t)snprintf(text + used, size - used, "%llu:%u%c ",
                                 (unsigned long long)e->change[i].at / 1000, e->change[i].link,
                                 "dur"[e->change[i].kind]);
}

TEST(events_are_about_the_links_that_they_name)
{
    struct scenario_point p;
    char error[SCENARIO_ERROR_MAX], text[256];
    rig_file("net.yaml", network);
    struct scenario *s = rig_scenario("topology: {kind: file, file: net.yaml}\n", NULL, 0);
    assert_true(scenario_point(s, 0, 0, &p, error));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct link_events e;
        size_t number;
        snprintf(p.events, sizeof p.events, "%s", cases[i].events);
        if (!link_events_read(&p, &e, error, &number))
            fail_msg("%s: %s", cases[i].events, error);
        write_changes(&e, text, sizeof text);
        assert_string_equal(text, cases[i].changes);
    }
    scenario_free(s);
}

static const struct {
    const char *events, *why;
} wrong[] = {
    {"1us s-s-1#3 down", "no link is 's-s-1#3': of those between two nodes the last is #2"},
    {"1us a-s-1#2 down", "no link is 'a-s-1#2': of those between two nodes the last is #1"},
    {"1us s-s-1#0 down", "no link is 's-s-1#0': of those between two nodes the last is #2"},
    {"1us s-s-1# down", "'s-s-1#' needs a number behind its #: A-B#2"},
    {"1us s-s-1#2x down", "'s-s-1#2x' needs a number behind its #: A-B#2"},
    {"1us a-b#1 down", "no link is 'a-b#1'; nodes are a to s, as in links.csv"},
};

TEST(a_link_that_is_not_there_is_named)
{
    struct scenario_point p;
    char error[SCENARIO_ERROR_MAX];
    rig_file("net.yaml", network);
    struct scenario *s = rig_scenario("topology: {kind: file, file: net.yaml}\n", NULL, 0);
    assert_true(scenario_point(s, 0, 0, &p, error));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct link_events e;
        size_t number;
        snprintf(p.events, sizeof p.events, "%s", wrong[i].events);
        assert_false(link_events_read(&p, &e, error, &number));
        assert_string_equal(error, wrong[i].why);
    }
    scenario_free(s);
}

/* A link that has others beside it says which it is. */
TEST(parallel_links_have_numbers)
{
    static const char *const names[] = {"a>s-1",   "b>s", "s-1>a",   "s-1>s#1",
                                        "s-1>s#2", "s>b", "s>s-1#1", "s>s-1#2"};
    struct scenario_point p;
    char error[SCENARIO_ERROR_MAX], name[2 * NETWORK_NAME];
    rig_file("net.yaml", network);
    struct scenario *s = rig_scenario("topology: {kind: file, file: net.yaml}\n", NULL, 0);
    assert_true(scenario_point(s, 0, 0, &p, error));
    struct fabric *f = network_map(&p, 1);
    assert_non_null(f);
    for (uint32_t i = 0; i < fabric_links(f); i++) {
        network_link_name(&p, f, i, name, sizeof name);
        assert_string_equal(name, names[i]);
    }
    free(f);
    scenario_free(s);
}

/* What a file says as a list is what its text says. */
TEST(a_list_is_a_text)
{
    struct scenario_point p;
    char error[SCENARIO_ERROR_MAX];
    struct scenario *s = rig_scenario(
        "topology:\n  kind: star\n  hosts: 2\n  events:\n    - {at: 2us, link: host0->*, state: down}\n"
        "    - {switch: switch0, at: 1us, rate: 5Gbps}\n",
        NULL, 0);
    assert_true(scenario_point(s, 0, 0, &p, error));
    assert_string_equal(p.events, "2us host0->* down; 1us switch switch0 5Gbps");
    scenario_free(s);
}

/* ---- degraded lines ---- */

enum {
    LINKS = 96
}; /* of a fat tree of k = 4: 16 hosts, then 20 switches of 4 ports; the last 16 are the cores' */

static uint32_t degraded(const struct scenario_point *p, bool is[LINKS])
{
    struct link_events e;
    char error[SCENARIO_ERROR_MAX];
    size_t number;
    assert_true(link_events_read(p, &e, error, &number));
    memset(is, 0, LINKS * sizeof *is);
    for (uint32_t i = 0; i < e.changes; i++) {
        assert_int_equal(e.change[i].at, 0);
        assert_int_equal(e.change[i].kind, p->degrade.rate ? FABRIC_GETS_RATE : FABRIC_GOES_DOWN);
        assert_int_equal(e.change[i].rate, p->degrade.rate);
        assert_false(is[e.change[i].link]);
        is[e.change[i].link] = true;
    }
    return e.changes;
}

TEST(a_share_of_the_lines_is_degraded_both_ways)
{
    struct scenario_point p;
    char error[SCENARIO_ERROR_MAX];
    bool few[LINKS], more[LINKS], others[LINKS];
    struct scenario *s = rig_scenario("topology: {kind: fat_tree, k: 4, degrade: {share: 0.25}}\n", NULL, 0);
    assert_true(scenario_point(s, 0, 0, &p, error));
    assert_int_equal(degraded(&p, few), 2 * 4);
    p.degrade.share = 0.5;
    assert_int_equal(degraded(&p, more), 2 * 8);
    p.degrade.seed = 2;
    assert_int_equal(degraded(&p, others), 2 * 8);
    assert_memory_not_equal(more, others, sizeof more);
    uint32_t cores = 0;
    for (uint32_t i = 0; i < LINKS; i++) {
        assert_true(more[i] || !few[i]);
        cores += more[i] && i >= LINKS - 16;
    }
    assert_int_equal(cores, 8);
    p.degrade.tier = TIER_HOST;
    p.degrade.rate = 0;
    assert_int_equal(degraded(&p, few), 2 * 8);
    scenario_free(s);
}
