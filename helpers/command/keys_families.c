/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/command/keys_completion.h"

#include "helpers/scenario/scenario.h"

const struct key_family key_families[] = {
    {"cases.NAME.KEY", "a map of keys for each name",
     "Named sets of keys, run one after the other as one more axis, called case: `cases: {iWARP: {}, RoCE: "
     "{llp.kind: packet, llp.recovery: go_back_n}}`, `--set case=RoCE`. What a case does not state is as "
     "elsewhere. "
     "A key stands in cases or in the sweep; --set of one takes it out of both. NAME is " SCENARIO_CASE_RULE
     "."},
    {"workloads.NAME.KEY", "what workload.KEY takes",
     "Several workloads at once, each with its own keys of `workload`: `workloads: {background: {load: 0.4}, "
     "incast: {hosts: 0-8}}`, `--set workloads.background.load=0.4`. NAME is " KEY_LOAD_NAME_RULE
     ". results.csv has their sum, workloads.csv a row for each. workload.consume_rate applies to all."},
    {"tenants.NAME.KEY", "what tenant.KEY takes",
     "Local ULPs that share the adapter of each host, with limits of what is scarce and with faults: "
     "`tenants: {a: {cq_entries: 64, wrong: flood_cq}, b: {trust: none}}`, `workloads: {x: {tenant: a}, y: "
     "{tenant: b}}`. workloads.csv says what each had. NAME as that of a workload."},
    {"workloads.NAME.llp.KEY", "what llp.KEY takes",
     "Of one workload's connections alone, so that cubic stands beside dctcp: congestion, dcqcn, ecn, "
     "pacing, "
     "initial_window, idle_restart, loss_detection, dupack_threshold, delayed_ack, delayed_ack_timeout, "
     "min_rto, "
     "max_rto, initial_rto, send_buffer, flight, track, rtt, target_delay, answer_octets, paths, "
     "path_choice, path_revive, probe. The others size "
     "packets or are of the adapter, and "
     "are the "
     "same for all."},
    {"hosts.LIST.KEY", "what rnic.KEY takes",
     "A value for some of the hosts only, such as stragglers: `hosts: {3: {rnic.stall.every: 10us, "
     "rnic.stall.for: 2us}}`, `hosts: {4-7: {rnic: {rx.latency: 5us}}}`. LIST is a host or a range of "
     "hosts, KEY any key of rnic except preset, draw, receive, retransmit and window."},
};
const size_t key_families_count = sizeof key_families / sizeof *key_families;
