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
    {"", "1:1: a topology takes the keys hosts, switches and links"},
    {"- a\n", "1:1: a topology takes the keys hosts, switches and links"},
    {"hosts: [a\n", "2:1: not YAML: did not find expected ',' or ']'"},
    {TWO "links: []\n---\nx: 1\n", "3:8: links: must be a list of 1 to 131072 links"},
    {TWO "links: [{between: [a, s]}, {between: [b, s]}]\n---\nx: 1\n",
     "5:1: a second document; a topology must be a single document"},
    {"hosts: [a, b]\nswitches: [s]\n", "1:1: links: is missing"},
    {"hosts: [a, b]\nhosts: [c]\n", "2:1: hosts: is given twice"},
    {"nodes: [a]\n", "1:1: a topology takes the keys hosts, switches and links"},
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
     "6:3: host a has a second link, but a host has one port"},
    {TWO "links: [{between: [a, s]}]\n", "3:8: links: b is not joined to a"},
    {"hosts: [a, b]\nswitches: [s, t]\nlinks: [{between: [a, s]}, {between: [b, t]}]\n",
     "3:8: links: b is not joined to a"},
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
