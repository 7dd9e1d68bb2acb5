/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A network from a file: what is wrong is one sentence with file, line and column; paths are those that packets take. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/topology_file.h"
#include "scenario_rig.h"

#define TWO   "hosts: [a, b]\nswitches: [s]\n"
#define RATES "a rate from 1Mbps to 3200Gbps (units bps Kbps Mbps Gbps)"
#define TIMES "a time from 0ps to 1s (units ps ns us ms s)"

static const struct {
    const char *text, *error; /* what stands behind "bad.yaml:" */
} bads[] = {
    {"", "1:1: a topology takes the keys hosts, switches, links and ports"},
    {"- a\n", "1:1: a topology takes the keys hosts, switches, links and ports"},
    {"hosts: [a\n", "2:1: not YAML: did not find expected ',' or ']'"},
    {TWO "links: []\n---\nx: 1\n", "3:8: links: must be a list of 1 to 131072 links"},
    {TWO "links: [{between: [a, s]}, {between: [b, s]}]\n---\nx: 1\n",
     "5:1: a second document; a topology must be a single document"},
    {"hosts: [a, b]\nswitches: [s]\n", "1:1: links: is missing"},
    {"hosts: [a, b]\nhosts: [c]\n", "2:1: hosts: is given twice"},
    {"nodes: [a]\n", "1:1: a topology takes the keys hosts, switches, links and ports"},
    {"hosts: []\nswitches: [s]\nlinks: [{}]\n", "1:8: hosts: must be a list of 1 to 65536 names"},
    {"hosts: 4\nswitches: [s]\nlinks: [{}]\n", "1:8: hosts: must be a list of 1 to 65536 names"},
    {"hosts: [a]\nswitches: [s]\nlinks: [{between: [a, s]}]\n", "1:8: hosts: a network needs two or more"},
    {"hosts: [a, \"b,c\"]\nswitches: [s]\nlinks: [{}]\n",
     "1:12: a name has 1 to 31 letters, digits or . _ -"},
    {"hosts: [a, b]\nswitches: [a]\nlinks: [{}]\n", "1:1: two nodes are named a"},
    {TWO "links: [a]\n", "3:9: a link must be {between: [a, b], rate: 100Gbps, delay: 1us}"},
    {TWO "links: [{rate: 1Gbps}]\n", "3:9: a link needs between: [a, b]"},
    {TWO "links: [{between: [a]}]\n", "3:19: between: must be two names, [a, b]"},
    {TWO "links: [{between: [a, t]}]\n", "3:23: between: 't' is neither a host nor a switch of this file"},
    {TWO "links: [{between: [s, s]}]\n", "3:19: between: a link must join two different nodes"},
    {TWO "links: [{between: [a, b]}]\n",
     "3:9: a link joins the hosts a and b, but only switches may join hosts"},
    {TWO "links:\n- {between: [a, s]}\n- {between: [b, s]}\n- {between: [s, a]}\n",
     "6:3: host a has 2 links, but 1 port, as ports: says"},
    {TWO "links: [{between: [a, s]}]\n", "3:8: links: b is not joined to a"},
    {"hosts: [a, b]\nswitches: [s, t]\nlinks: [{between: [a, s]}, {between: [b, t]}]\n",
     "3:8: links: b is not joined to a"},
    {TWO "ports: 0\nlinks: [{}]\n", "3:8: ports: '0' is too small; allowed: a whole number from 1 to 8"},
    {TWO "ports: 9\nlinks: [{}]\n", "3:8: ports: '9' is too large; allowed: a whole number from 1 to 8"},
    {TWO "ports: [2]\nlinks: [{}]\n", "3:8: ports: '' has no value; allowed: a whole number from 1 to 8"},
    {TWO "ports: 2\nports: 2\nlinks: [{}]\n", "4:1: ports: is given twice"},
    {TWO "ports: 2\nlinks: [{between: [a, s]}, {between: [a, s]}, {between: [s, a]}]\n",
     "4:47: host a has 3 links, but 2 ports, as ports: says"},
    {TWO "ports: 2\nlinks: [{between: [a, s]}, {between: [a, s]}, {between: [s, b]}]\n",
     "4:8: links: host b has 1 link, but 2 ports"},
    {TWO "ports: {a: 3}\nlinks: [{between: [a, s]}, {between: [b, s]}, {between: [b, s]}]\n",
     "4:47: host b has 2 links, but 1 port, as ports: says"},
    {TWO "ports: {a: 3}\nlinks: [{between: [a, s]}, {between: [a, s]}, {between: [s, b]}]\n",
     "4:8: links: host a has 2 links, but 3 ports"},
    {TWO "ports: {c: 3}\nlinks: [{}]\n", "3:9: ports: 'c' is neither a host nor a switch of this file"},
    {TWO "ports: {s: 3}\nlinks: [{}]\n", "3:9: ports: s is a switch, which has a port for each of its links"},
    {TWO "ports: {a: 3, a: 2}\nlinks: [{}]\n", "3:15: ports: a is given twice"},
    {TWO "ports: {a: 9}\nlinks: [{}]\n",
     "3:12: ports: '9' is too large; allowed: a whole number from 1 to 8"},
    {TWO "ports: {b: [2]}\nlinks: [{}]\n",
     "3:12: ports: '' has no value; allowed: a whole number from 1 to 8"},
    {TWO "ports: 2\nlinks: [{between: [a, s]}, {between: [a, s], rate: 1Gbps}]\n",
     "4:28: host a has links of several rates, but its ports have one rate"},
    {"hosts: [a, b]\nswitches: [s, t]\nports: 2\nlinks:\n- {between: [a, s]}\n- {between: [a, t]}\n"
     "- {between: [b, s]}\n- {between: [b, s]}\n",
     "5:1: links: no port of b is joined to t and the switches around it"},
    {"hosts: [a, b]\nswitches: [s, t, u]\nports: 1\nlinks:\n- {between: [a, s]}\n- {between: [b, s]}\n"
     "- {between: [t, u]}\n",
     "5:1: links: t is not joined to a"},
    {TWO "links: [{between: [a, s], rate: 100}]\n", "3:33: rate: '100' has no unit; allowed: " RATES},
    {TWO "links: [{between: [a, s], delay: 2s}]\n", "3:34: delay: '2s' is too large; allowed: " TIMES},
    {TWO "links: [{between: [a, s], cost: 1}]\n", "3:27: a link takes the keys between, rate and delay"},
    {TWO "links: &x [*x]\n", "3:8: a link must be {between: [a, b], rate: 100Gbps, delay: 1us}"},
};

TEST(a_wrong_file_is_refused_with_its_place)
{
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        char error[SCENARIO_ERROR_MAX], wanted[SCENARIO_ERROR_MAX];
        const char *path = rig_file("bad.yaml", bads[i].text);
        snprintf(wanted, sizeof wanted, "bad.yaml:%s", bads[i].error);
        assert_null(topology_file_find(path, "bad.yaml", error));
        assert_string_equal(error, wanted);
    }
}

TEST(names_that_the_folder_of_results_needs_are_refused)
{
    static const char *const names[] = {"scenario.yaml", "results.csv", "../ring.yaml", "/etc/passwd",
                                        ".yaml"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char error[SCENARIO_ERROR_MAX];
        assert_null(topology_file_find(rig_file("s.yaml", "seed: 1\n"), names[i], error));
        assert_non_null(strstr(error, "is neither a file NAME.yaml beside the scenario"));
    }
}

/* Many switches, one of them with many links, would need gigabytes of routes. */
TEST(what_would_fill_the_memory_is_refused)
{
    char error[SCENARIO_ERROR_MAX], *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("hosts: [a, b]\nswitches: [", out);
    for (int i = 0; i < 1024; i++)
        fprintf(out, "s%d, ", i);
    fputs("]\nlinks:\n- {between: [a, s0]}\n- {between: [b, s0]}\n", out);
    for (int i = 1; i < 40000; i++)
        fprintf(out, "- {between: [s0, s%d]}\n", 1 + i % 1023);
    fclose(out);
    assert_null(topology_file_find(rig_file("huge.yaml", text), "huge.yaml", error));
    assert_non_null(strstr(error, "1024 switches, one of them with 40001 links, exceed the limits"));
    free(text);
}

static const char uneven[] = "hosts: [a, b, c]\nswitches: [s, t, u, v]\nlinks:\n"
                             "- {between: [a, s], rate: 25Gbps, delay: 1us}\n"
                             "- {between: [s, t], rate: 100Gbps, delay: 5us}\n"
                             "- {between: [s, u], rate: 10Gbps, delay: 2us}\n"
                             "- {between: [t, v]}\n"
                             "- {between: [u, v], delay: 2us}\n"
                             "- {between: [b, v], rate: 40Gbps}\n"
                             "- {between: [c, v]}\n";

TEST(paths_have_the_fewest_links_and_the_best_of_those)
{
    char error[SCENARIO_ERROR_MAX];
    const char *path = rig_file("uneven.yaml", uneven);
    struct scenario_point p = {.topology = {.kind = FABRIC_FILE, .rate = 100000000000, .delay = 500000}};
    p.described = topology_file_find(path, "uneven.yaml", error);
    assert_non_null(p.described);
    struct topology_path ab = topology_path(&p, 0, 1), ba = topology_path(&p, 1, 0),
                         bc = topology_path(&p, 1, 2);
    assert_int_equal(ab.links, 4);
    assert_true(ab.delay == 1e6 + 4e6 + 0.5e6);       /* by u */
    assert_true(ab.octet == 320 + 80 + 80 + 200);     /* by t */
    assert_true(ab.slowest == 320 && ab.ends == 320); /* picoseconds per octet */
    assert_true(ba.delay == ab.delay && ba.octet == ab.octet);
    assert_int_equal(bc.links, 2);
    assert_true(bc.delay == 1e6 && bc.octet == 280 && bc.slowest == 200);
    struct topology_path longest = topology_longest(&p, 1500);
    assert_int_equal(longest.links, 4);
    assert_true(longest.octet == ab.octet); /* b's link is the slower of two */
}

/* a is at s and t, b at t and u, in a row s - t - u with two links between s and t; c has both ports at u. */
static const char homed[] = "hosts: [a, b, c]\nswitches: [s, t, u]\nports: 2\nlinks:\n"
                            "- {between: [a, s], rate: 25Gbps, delay: 1us}\n"
                            "- {between: [a, t], rate: 25Gbps, delay: 3us}\n"
                            "- {between: [b, t]}\n"
                            "- {between: [b, u], delay: 1us}\n"
                            "- {between: [c, u]}\n"
                            "- {between: [c, u]}\n"
                            "- {between: [s, t], rate: 40Gbps, delay: 2us}\n"
                            "- {between: [s, t], delay: 4us}\n"
                            "- {between: [t, u]}\n";

/* b has one, at t. */
TEST(hosts_may_have_unlike_numbers_of_ports)
{
    char text[sizeof homed + 64], error[SCENARIO_ERROR_MAX];
    const char *cut = strstr(homed, "- {between: [b, u]"), *rest = strchr(cut, '\n') + 1;
    const char *links = strstr(homed, "links:");
    snprintf(text, sizeof text, "hosts: [a, b, c]\nswitches: [s, t, u]\nports: {a: 2, c: 2}\n%.*s%s",
             (int)(cut - links), links, rest);
    const char *path = rig_file("unlike.yaml", text);
    struct scenario_point p = {.topology = {.kind = FABRIC_FILE, .rate = 100000000000, .delay = 500000}};
    p.described = topology_file_find(path, "unlike.yaml", error);
    assert_non_null(p.described);
    assert_int_equal(p.described->ports, 2);
    const uint8_t own[] = {2, 1, 2};
    assert_memory_equal(p.described->own_ports, own, sizeof own);
    struct topology_path bc = topology_path(&p, 1, 2), cb = topology_path(&p, 2, 1);
    assert_true(bc.links == 3 && cb.links == 3); /* with its port at u: 2 */
    assert_int_equal(topology_path(&p, 0, 1).links, 2);
    assert_int_equal(topology_longest(&p, 1500).links, 4); /* from a's port at s to c */
}

TEST(a_host_with_several_ports_is_reached_by_the_nearest)
{
    char error[SCENARIO_ERROR_MAX];
    const char *path = rig_file("homed.yaml", homed);
    struct scenario_point p = {.topology = {.kind = FABRIC_FILE, .rate = 100000000000, .delay = 500000}};
    p.described = topology_file_find(path, "homed.yaml", error);
    assert_non_null(p.described);
    assert_int_equal(p.described->ports, 2);
    struct topology_path ab = topology_path(&p, 0, 1), ca = topology_path(&p, 2, 0);
    assert_int_equal(ab.links, 2); /* by a's port at t */
    assert_true(ab.delay == 3e6 + 0.5e6 && ab.octet == 320 + 80);
    assert_true(ab.late == 1e6 + 4e6 + 0.5e6 - ab.delay); /* by its port at s, and the slower of two links */
    assert_true(ab.late_octet == 320 + 200 + 80 - ab.octet);
    assert_int_equal(ca.links, 3); /* to a's port at t */
    assert_true(ca.delay == 0.5e6 + 0.5e6 + 3e6 && ca.late == 0);
    struct topology_path longest = topology_longest(&p, 1500);
    assert_int_equal(longest.links, 3); /* from b's port at u to a's at t */
    assert_true(longest.delay == 1e6 + 0.5e6 + 3e6 && longest.octet == 80 + 80 + 320);
}
