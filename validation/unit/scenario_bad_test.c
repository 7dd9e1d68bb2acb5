/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every wrong scenario is refused with one sentence: where, which key, what is wrong, what is allowed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/quote.h"
#include "scenario_rig.h"

#define SIZES "a size from 0B to 1GiB (units B KiB MiB GiB kB MB GB)"
#define TIMES "a time from 0ps to 1s (units ps ns us ms s)"
#define RATES "a rate from 1Mbps to 3200Gbps (units bps Kbps Mbps Gbps)"
#define KEYS  "; `iwarpsim keys` lists all"

static const struct bad {
    const char *text, *set; /* set: a --set beside the file, or NULL */
    const char *error;      /* what stands behind "FILE:" or, with a --set, "--set: " */
} bads[] = {
    /* not a scenario */
    {"", NULL, "1:1: the file is empty; a scenario needs keys such as workload: {kind: stream}"},
    {"# only a comment\n", NULL,
     "1:1: the file is empty; a scenario needs keys such as workload: {kind: stream}"},
    {"hello\n", NULL, "1:1: a scenario is a list of `key: value`"},
    {"- a\n- b\n", NULL, "1:1: a scenario is a list of `key: value`"},
    {"workload: {kind: stream\n", NULL, "2:1: not YAML: did not find expected ',' or '}'"},
    {"a: b: c\n", NULL, "1:5: not YAML: mapping values are not allowed in this context"},
    {"\tseed: 1\n", NULL,
     "1:1: not YAML: found character that cannot start any token, as a tab, which indents nothing, or @"},
    {"seed: 1\n---\nseed: 2\n", NULL, "3:1: a second document; a scenario must be a single document"},
    {"? [a, b]\n: 1\n", NULL, "1:3: a key must be a word"},
    {"\"\": 1\n", NULL, "1:1: a key must be a word"},
    {"title: \"a\\0b\"\n", NULL, "1:1: title: has a zero octet in its value"},

    /* keys */
    {"wrkload: {kind: stream}\n", NULL, "1:1: wrkload: unknown key (did you mean workload?)" KEYS},
    {"seed: 1\nrnic: {window: {byte: 1MiB}}\n", NULL,
     "2:17: rnic.window.byte: unknown key (did you mean rnic.window.bytes?)" KEYS},
    {"window: 1MiB\n", NULL, "1:1: window: unknown key (did you mean rnic.window?)" KEYS},
    {"zzzzzzzz: 1\n", NULL, "1:1: zzzzzzzz: unknown key" KEYS},
    {"x: &a [*a]\n", NULL, "1:1: x: unknown key (did you mean plot.x?)" KEYS},
    {"workload: stream\n", NULL,
     "1:1: workload: is a group of keys and takes no value of its own; see `iwarpsim keys workload`"},
    {"seed: {a: 1}\n", NULL, "1:1: seed: takes one value and has no keys below it"},
    {"seed: 1\nseed: 2\n", NULL, "2:1: seed: is given twice; the first is in line 1"},
    {"topology: {mtu: 1500}\ntopology.mtu: 9000\n", NULL,
     "2:1: topology.mtu: is given twice; the first is in line 1"},

    /* values */
    {"workload: {size: 1024}\n", NULL, "1:18: workload.size: '1024' has no unit; allowed: " SIZES},
    {"workload: {size: 0}\n", NULL, "1:18: workload.size: '0' has no unit; allowed: " SIZES},
    {"workload: {size: 1KB}\n", NULL, "1:18: workload.size: '1KB' has an unknown unit; allowed: " SIZES},
    {"workload: {size: -1B}\n", NULL, "1:18: workload.size: '-1B' must not be negative; allowed: " SIZES},
    {"workload: {size: 2GiB}\n", NULL, "1:18: workload.size: '2GiB' is too large; allowed: " SIZES},
    {"workload: {size: 1e99B}\n", NULL, "1:18: workload.size: '1e99B' is too large; allowed: " SIZES},
    {"workload: {size: 1.5B}\n", NULL,
     "1:18: workload.size: '1.5B' is not a whole number of octets; allowed: " SIZES},
    {"workload: {size: big}\n", NULL, "1:18: workload.size: 'big' is not a size; allowed: " SIZES},
    {"workload: {size: }\n", NULL, "1:18: workload.size: has no value; allowed: " SIZES},
    {"workload: {size: ~}\n", NULL, "1:18: workload.size: has no value; allowed: " SIZES},
    {"topology: {delay: 10}\n", NULL, "1:19: topology.delay: '10' has no unit; allowed: " TIMES},
    {"topology: {delay: 0.5ps}\n", NULL,
     "1:19: topology.delay: '0.5ps' is not a whole number of picoseconds; allowed: " TIMES},
    {"topology: {delay: 2s}\n", NULL, "1:19: topology.delay: '2s' is too large; allowed: " TIMES},
    {"topology: {rate: 0Gbps}\n", NULL, "1:18: topology.rate: '0Gbps' is too small; allowed: " RATES},
    {"topology: {rate: 100Gb/s}\n", NULL,
     "1:18: topology.rate: '100Gb/s' has an unknown unit; allowed: " RATES},
    {"topology: {mtu: 100}\n", NULL,
     "1:17: topology.mtu: '100' is too small; allowed: a size from 256B to 65535B (units B KiB MiB GiB kB MB "
     "GB; none: octets)"},
    {"seed: 99999999999999999999\n", NULL,
     "1:7: seed: '99999999999999999999' is not a whole number; allowed: a whole number from 0 to "
     "18446744073709551615"},
    {"repeat: 0\n", NULL, "1:9: repeat: '0' is too small; allowed: a whole number from 1 to 100000"},
    {"repeat: 3x\n", NULL,
     "1:9: repeat: '3x' must be a number without a unit; allowed: a whole number from 1 to 100000"},
    {"channel: {loss: 1.5}\n", NULL, "1:17: channel.loss: '1.5' is too large; allowed: a number from 0 to 1"},
    {"channel: {loss: -0.1}\n", NULL,
     "1:17: channel.loss: '-0.1' is too small; allowed: a number from 0 to 1"},
    {"channel: {loss: nan}\n", NULL,
     "1:17: channel.loss: 'nan' is not a number; allowed: a number from 0 to 1"},
    {"channel: {loss: 0x1}\n", NULL,
     "1:17: channel.loss: '0x1' is not a number; allowed: a number from 0 to 1"},
    {"channel: {loss: 1%}\n", NULL,
     "1:17: channel.loss: '1%' is not a number; allowed: a number from 0 to 1"},
    {"llp: {crc: yes}\n", NULL, "1:12: llp.crc: 'yes' is neither true nor false; allowed: true or false"},
    {"world: ns4\n", NULL,
     "1:8: world: 'ns4' is not one of the choices (did you mean ns3?); allowed: fabric, ns3, simgrid"},
    {"llp: {congestion: \"fixed:\"}\n", NULL,
     "1:19: llp.congestion: 'fixed:' is not a size (did you mean fixed:SIZE?); allowed: cubic, dctcp, "
     "newreno, fixed:SIZE, dcqcn, none, nscc, rccc, nscc+rccc, swift"},

    /* the sweep */
    {"workload.kind: [stream, incast]\n", NULL,
     "1:1: workload.kind: takes one value; lists belong below `sweep:`"},
    {"sweep: [a]\n", NULL, "1:1: sweep: needs keys with lists, KEY: [a, b, c]"},
    {"sweep: {workload.size: 64KiB}\n", NULL,
     "1:9: sweep.workload.size: needs a list of values, [a, b, c], or a range, A..B"},
    {"sweep: {workload.count: 5..1}\n", NULL,
     "1:25: sweep.workload.count: '5..1' goes down; a range is A..B, A..B by STEP or A..B x FACTOR"},
    {"sweep: {workload.count: [1..5 by 0]}\n", NULL,
     "1:26: sweep.workload.count: '1..5 by 0' has a step of zero; a range is A..B, A..B by STEP or A..B "
     "x FACTOR"},
    {"sweep: {workload.count: [1..8 x 1]}\n", NULL,
     "1:26: sweep.workload.count: '1..8 x 1' needs a factor above 1; a range is A..B, A..B by STEP "
     "or A..B x "
     "FACTOR"},
    {"sweep: {channel.loss: [0..1 x 2]}\n", NULL,
     "1:24: sweep.channel.loss: '0..1 x 2' multiplies 0; a range is A..B, A..B by STEP or A..B x FACTOR"},
    {"sweep: {workload.count: [3, 1..5]}\n", NULL, "1:29: sweep.workload.count: '3' is listed twice"},
    {"sweep: {workload.count: [1..100000]}\n", NULL, "1:26: sweep.workload.count: more than 10000 values"},
    {"sweep: {workload.op: [send..read]}\n", NULL,
     "1:23: workload.op: 'send..read' is not one of the choices; allowed: send, write, read, fetch_add, "
     "cmp_swap, allreduce, all_gather, reduce_scatter, all_to_all, broadcast"},
    {"sweep: {zip: 5}\n", NULL, "1:9: sweep.zip: needs a list of maps, [{KEY: [a, b], KEY: [c, d]}]"},
    {"sweep: {zip: [{seed: [1, 2]}]}\n", NULL, "1:15: sweep.zip: needs two or more keys"},
    {"sweep: {zip: [{seed: [1, 2], workload.count: [1, 2, 3]}]}\n", NULL,
     "1:47: sweep.zip: seed has 2 values and workload.count has 3; zipped keys need the same number of "
     "values"},
    {"sweep: {zip: [{seed: [1, 1], workload.count: [2, 2]}]}\n", NULL,
     "1:26: sweep.zip: entries 1 and 2 of seed are the same in all its keys"},
    {"sweep: {seed: [1], zip: [{seed: [1, 2], workload.count: [1, 2]}]}\n", NULL,
     "1:27: sweep.seed: is given twice; the first is in line 1"},
    {"title: \"a\\nb\"\n", NULL, "1:8: title: 'a?b' is refused: " TEXT_PLAIN_RULE "; allowed: text"},
    {"title: \"\\e[31m\"\n", NULL, "1:8: title: '?[31m' is refused: " TEXT_PLAIN_RULE "; allowed: text"},
    {"title: \"\\u202egpj\"\n", NULL, "1:8: title: '???gpj' is refused: " TEXT_PLAIN_RULE "; allowed: text"},
    {"sweep: {workload.size: []}\n", NULL, "1:24: sweep.workload.size: its list is empty"},
    {"sweep: {workload.size: [1KiB, 1024B]}\n", NULL, "1:31: sweep.workload.size: '1024B' is listed twice"},
    {"sweep: {workload.size: [1KiB, [2KiB]]}\n", NULL,
     "1:31: sweep.workload.size: its list may hold only values"},
    {"sweep: {workload.size: [1KiB, 2]}\n", NULL, "1:31: workload.size: '2' has no unit; allowed: " SIZES},
    {"sweep: {repeat: [1, 2]}\n", NULL, "1:17: repeat: belongs to the whole scenario and cannot be swept"},
    {"sweep: {seed: [1]}\nsweep: {seed: [2]}\n", NULL,
     "2:9: sweep.seed: is given twice; the first is in line 1"},

    /* pairs */
    {"topology: {kind: star, k: 4}\n", NULL,
     "1:27: topology.k: has no effect unless topology.kind is fat_tree"},
    {"sweep: {topology.k: [4, 8]}\n", NULL,
     "1:22: topology.k: has no effect unless topology.kind is fat_tree"},
    {"llp: {crc: false, crc_error: drop}\n", NULL,
     "1:30: llp.crc_error: has no effect unless llp.crc is true"},
    {"topology: {kind: fat_tree, k: 5}\n", NULL,
     "1:31: topology.k: must be even: half of a switch's ports go up, half go down"},
    {"topology: {mtu: 256}\nllp: {send_buffer: 16KiB}\nrnic: {window: {bytes: 400B}}\n", NULL,
     "3:24: rnic.window.bytes: a window must hold two full segments, or the sender waits for every "
     "acknowledgement"},
    {"sweep: {rnic.window.bytes: [64KiB, 2GiB]}\n", NULL,
     "1:36: rnic.window.bytes: TCP cannot advertise more than 1073725440 octets (65535 << 14); at point "
     "2GiB"},
    {"world: simgrid\nllp: {kind: sctp}\n", NULL,
     "2:13: llp.kind: world simgrid supports mpa and ideal; fabric and ns3 have sctp and packet, too"},
    {"llp: {kind: sctp}\nrnic: {receive: discard}\n", NULL,
     "2:17: rnic.receive: discard cannot work over SCTP, where loss detection needs gap reports: use "
     "place, hold or copy"},
    {"world: fabric\nllp: {kind: sctp}\nworkload: {kind: transport_classes}\nrnic: {receive: hold}\n", NULL,
     "4:17: rnic.receive: transport_classes has no adapters and places messages as they arrive: use place"},
    {"world: fabric\nllp: {kind: sctp}\nworkload: {kind: transport_classes, consume_rate: 1Gbps}\n", NULL,
     "3:51: workload.consume_rate: transport_classes consumes octets as soon as they are placed: use "
     "unlimited"},
    {"llp: {kind: sctp}\nworkload: {kind: errors}\n", NULL,
     "2:18: workload.kind: workload errors needs llp.kind: mpa"},
    {"workload: {kind: transport_classes}\n", NULL,
     "1:18: workload.kind: transport_classes needs world: fabric, topology.kind: link and llp.kind: sctp"},
    {"llp: {kind: sctp}\ntopology: {mtu: 595}\n", NULL,
     "2:17: topology.mtu: sctp needs at least 596B: one packet must hold 512 octets of private data (RFC "
     "5043 "
     "section 9)"},
    {"llp: {streams: 4}\n", NULL, "1:16: llp.streams: has no effect unless llp.kind is sctp"},
    {"llp: {congestion: dctcp}\n", NULL,
     "1:19: llp.congestion: dctcp needs marks: set topology.ecn_threshold, for this link about 16KiB"},
    /* words of the field */
    {"topology: {kind: clos}\n", NULL,
     "1:18: topology.kind: 'clos' is not one of the choices (did you mean fat_tree?); allowed: link, star, "
     "fat_tree, cluster, dragonfly, planes, file, platform"},
    {"topology: {bandwidth: 100Gbps}\n", NULL,
     "1:12: topology.bandwidth: unknown key (did you mean topology.rate?)" KEYS},
    {"network: {bandwidth: 100Gbps}\n", NULL, "1:1: network: unknown key (did you mean topology?)" KEYS},
    {"llp: {congestion: \"fixed:1KiB\"}\n", NULL,
     "1:19: llp.congestion: a fixed window must hold two full packets"},
    {"llp: {loss_detection: rack, dupack_threshold: 5}\n", NULL,
     "1:47: llp.dupack_threshold: has no effect unless llp.loss_detection is dupack"},
    {"llp: {kind: sctp, dupack_threshold: 5}\n", NULL,
     "1:37: llp.dupack_threshold: has no effect unless llp.kind is mpa"},
    {"llp: {kind: packet, congestion: cubic}\n", NULL,
     "1:33: llp.congestion: has no effect unless llp.kind is mpa, or llp.congestion is dcqcn, none, nscc, "
     "rccc, nscc+rccc or swift"},
    {"llp: {kind: packet}\nsweep: {llp.congestion: [cubic, \"fixed:1MiB\"]}\n", NULL,
     "2:26: llp.congestion: has no effect unless llp.kind is mpa, or llp.congestion is dcqcn, none, nscc, "
     "rccc, nscc+rccc or swift"},
    {"llp: {kind: sctp, crc_error: drop}\n", NULL,
     "1:30: llp.crc_error: has no effect unless llp.kind is mpa or ideal"},
    {"llp: {kind: ideal, max_rto: 30ms}\n", NULL,
     "1:29: llp.max_rto: has no effect unless llp.kind is mpa, sctp or packet"},
    {"llp: {kind: packet, recovery: rud, delayed_ack: 4}\n", NULL,
     "1:49: llp.delayed_ack: has no effect unless llp.kind is mpa, sctp or ideal, or llp.recovery is "
     "go_back_n or irn"},
    {"llp: {kind: packet, recovery: irn, min_rto: 60us}\n", NULL,
     "1:45: llp.min_rto: is below twice llp.delayed_ack_timeout: every delayed acknowledgement would cause "
     "a timeout; make it longer, or set llp.delayed_ack: 1"},
    {"llp: {loss_detection: dupack, dupack_threshold: adaptive}\n", NULL,
     "1:49: llp.dupack_threshold: adaptive selects rack, but llp.loss_detection is dupack: give a "
     "number, "
     "or leave one of them out"},
    {"llp: {delayed_ack_timeout: 501us}\n", NULL,
     "1:28: llp.min_rto: is below twice llp.delayed_ack_timeout: every delayed acknowledgement would cause a "
     "timeout; make it longer, or set llp.delayed_ack: 1"},
    {"llp: {max_rto: 9ms}\n", NULL, "1:16: llp.max_rto: is below llp.min_rto or llp.initial_rto"},
    {"channel: {reorder: {probability: 0.01, delay: 1s}}\nrnic: {window: {bytes: 256MiB}}\n", NULL,
     "1:47: channel.reorder.delay: the channel may delay a packet while 2^31 octets pass, and its sequence "
     "number "
     "then means another octet: use less delay, a smaller window, or llp.timestamps: true"},
    {"topology: {kind: star, hosts: 65, buffer: 1MiB, ecn_threshold: 64KiB, mtu: 9000}\nllp: {congestion: "
     "dctcp}\nworkload: {kind: incast}\n",
     NULL,
     "1:43: topology.buffer: is less than two packets per sender, the least DCTCP keeps in flight: it would "
     "drop forever"},
    {"llp: {ord: 0}\nworkload: {op: read}\n", NULL,
     "1:12: llp.ord: must not be 0: this workload uses RDMA Reads or Atomics"},
    {"channel: {reorder: {probability: 0.1}}\n", NULL,
     "1:34: channel.reorder.probability: needs a channel.reorder.delay or channel.reorder.displacement"},
    {"channel: {reorder: {delay: 1us}}\n", NULL,
     "1:28: channel.reorder.delay: needs a channel.reorder.probability above 0"},
    {"workload: {kind: pingpong, op: write, size: 0B}\n", NULL,
     "1:45: workload.size: a Write of 0 octets changes no memory, so its receiver would never notice it"},
    {"workload: {size: 1GiB, depth: 16}\n", NULL,
     "1:31: payload: outstanding messages need more than 16 GiB of memory; payload: none needs none"},
    {"workload: {load: 0.3}\n", NULL,
     "1:18: workload.load: has no effect unless workload.arrival is poisson or every"},
    {"plot: {x: nothing}\n", NULL, "1:11: plot.x: 'nothing' is neither a key nor a column of results"},

    /* --set */
    {"seed: 1\n", "seed", "'seed' is not KEY=VALUE"},
    {"seed: 1\n", "=1", "'=1' is not KEY=VALUE"},
    {"seed: 1\n", "sede=1", "sede: unknown key (did you mean seed?)" KEYS},
    {"seed: 1\n", "seed=", "seed: has no value; allowed: a whole number from 0 to 18446744073709551615"},
    {"seed: 1\n", "topology.delay=1", "topology.delay: '1' has no unit; allowed: " TIMES},
    {"seed: 1\n", "workload.size=[1KiB, 2]", "workload.size: '2' has no unit; allowed: " SIZES},
    {"seed: 1\n", "workload.size=[1KiB", "not YAML: did not find expected ',' or ']'"},
    {"seed: 1\n", "repeat=[1, 2]", "repeat: belongs to the whole scenario and cannot be swept"},
    {"seed: 1\n", "title=\xc3(",
     "title: '?(' is refused: text is UTF-8 without control characters (line feeds, escapes, marks of "
     "writing "
     "direction); allowed: text"},
    {"llp: {crc: true}\n", "llp.trust_alignment=true",
     "llp.trust_alignment: has no effect unless llp.crc is false"},
};

TEST(a_wrong_scenario_is_refused_with_place_key_and_what_is_allowed)
{
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        char error[SCENARIO_ERROR_MAX] = "", want[SCENARIO_ERROR_MAX];
        const char *file = rig_file("bad.yaml", bads[i].text);
        struct scenario *s = scenario_load(file, &bads[i].set, bads[i].set != NULL, error);
        if (bads[i].set)
            snprintf(want, sizeof want, "--set: %s", bads[i].error);
        else
            snprintf(want, sizeof want, "%s:%s", file, bads[i].error);
        if (s)
            fail_msg("accepted: %s", bads[i].text);
        assert_string_equal(error, want);
    }
}

TEST(a_file_that_is_not_there_is_an_error)
{
    char error[SCENARIO_ERROR_MAX];
    assert_null(scenario_load(rig_path("missing.yaml"), NULL, 0, error));
    assert_non_null(strstr(error, "missing.yaml: cannot be opened: No such file or directory"));
}

TEST(a_sweep_beyond_all_measure_is_refused)
{
    char error[SCENARIO_ERROR_MAX], text[4096] = "repeat: 100000\nsweep:\n  seed: [0";
    for (int i = 1; i < 200; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", %d", i);
    strcat(text, "]\n");
    assert_null(scenario_load(rig_file("bad.yaml", text), NULL, 0, error));
    assert_non_null(strstr(error, ": sweep: more than 10000000 runs"));
}

TEST(deeply_nested_text_is_refused)
{
    enum { DEPTH = 100000 };
    char error[SCENARIO_ERROR_MAX], *text = calloc(DEPTH + 8, 1);
    assert_non_null(text);
    memcpy(text, "seed: ", 6);
    memset(text + 6, '[', DEPTH);
    assert_null(scenario_load(rig_file("bad.yaml", text), NULL, 0, error));
    assert_non_null(strstr(error, "bad.yaml:1:22: nested more than 16 deep"));
    free(text);
}

/* "seed: [&a0 0, &a1 1, ...]" */
static char *anchored(int anchors)
{
    char *text = calloc((size_t)anchors + 2, 16), *end = text;
    assert_non_null(text);
    end += sprintf(end, "sweep:\n  seed: [0");
    for (int i = 1; i <= anchors; i++)
        end += sprintf(end, ", &a%d %d", i, i);
    strcat(end, "]\n");
    return text;
}

TEST(a_hundred_anchors_are_taken_and_no_more)
{
    char error[SCENARIO_ERROR_MAX], *most = anchored(100), *more = anchored(101);
    struct scenario *s = scenario_load(rig_file("bad.yaml", most), NULL, 0, error);
    assert_non_null(s);
    assert_int_equal(s->points, 101);
    scenario_free(s);
    assert_null(scenario_load(rig_file("bad.yaml", more), NULL, 0, error));
    assert_non_null(strstr(error, "bad.yaml:2:"));
    assert_non_null(strstr(error, ": more than 100 anchors"));
    free(most);
    free(more);
}

TEST(many_tag_directives_are_refused)
{
    char error[SCENARIO_ERROR_MAX], text[4096] = "";
    for (int i = 0; i <= 100; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%%TAG !a%d! b\n", i);
    strcat(text, "---\nseed: 1\n");
    assert_null(scenario_load(rig_file("bad.yaml", text), NULL, 0, error));
    assert_non_null(strstr(error, "bad.yaml:101:1: more than 100 %TAG directives"));
}

TEST(a_file_of_many_octets_is_refused)
{
    enum { SIZE = (4 << 20) + 1 };
    char error[SCENARIO_ERROR_MAX], *text = calloc(SIZE + 1, 1);
    assert_non_null(text);
    memset(text, '\n', SIZE);
    assert_null(scenario_load(rig_file("bad.yaml", text), NULL, 0, error));
    assert_non_null(strstr(error, "bad.yaml: is larger than 4 MiB"));
    free(text);
}

TEST(what_is_quoted_commands_no_terminal)
{
    char error[SCENARIO_ERROR_MAX];
    assert_null(
        scenario_load(rig_file("bad.yaml", "rnic: {preset: \"\\e[31mred\\n\\x07\"}\n"), NULL, 0, error));
    assert_non_null(strstr(error, "rnic.preset: '?[31mred?\?' is not one of the choices"));
}
