/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/field_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "helpers/base/word.h"

/* clang-format off */
const struct field_row field_rows[] = {
    /* values */
    {"topology.kind", "clos folded_clos leaf_spine spine_leaf three_tier k_ary_fat_tree fattree", "fat_tree"},
    {"topology.kind", "dumbbell parking_lot mesh torus ring line tree custom graph yaml", "file, with topology.file, which describes hosts, switches and links"},
    {"topology.kind", "p2p point_to_point back_to_back direct pair cable", "link"},
    {"topology.kind", "switch single_switch tor rack crossbar", "star"},
    {"topology.kind", "xml simgrid", "platform, with topology.file"},
    {"topology.routing", "ecmp hash flow five_tuple per_flow", "flow_hash"},
    {"topology.routing", "packet_spray packet_spraying rps random per_packet", "spray"},
    {"topology.routing", "adaptive_routing ar", "adaptive"},
    {"topology.flow_control", "true on yes lossless pause roce 802.1qbb", "pfc"},
    {"topology.flow_control", "false off no lossy", "none"},
    {"llp.kind", "tcp iwarp mpa_tcp rdmap", "mpa"},
    {"llp.kind", "roce rocev2 roce_v2 infiniband ib rc", "packet, with llp.recovery: go_back_n"},
    {"llp.kind", "irn rud", "packet, with llp.recovery: irn or rud"},
    {"llp.kind", "udp rdma srd uec ultra_ethernet", "packet, or mpa for iWARP over TCP"},
    {"llp.kind", "cubic newreno reno", "mpa, with llp.congestion: cubic or newreno"},
    {"llp.kind", "dctcp", "mpa, with llp.congestion: dctcp"},
    {"llp.recovery", "gbn gobackn roce go_back", "go_back_n"},
    {"llp.recovery", "sack selective selective_repeat selective_ack", "irn"},
    {"llp.congestion", "reno tcp_reno", "newreno"},
    {"llp.congestion", "off static constant", "fixed:SIZE"},
    {"workload.kind", "all_to_all alltoall a2a all2all", "shuffle, or collective with workload.op: all_to_all"},
    {"workload.kind", "allreduce all_reduce ring_allreduce nccl rccl", "collective, with workload.op: allreduce"},
    {"workload.kind", "allgather all_gather reduce_scatter reducescatter broadcast bcast", "collective, with workload.op: all_gather, reduce_scatter or broadcast"},
    {"workload.kind", "many_to_one fan_in n_to_1 partition_aggregate", "incast"},
    {"workload.kind", "bulk throughput iperf flow one_to_one bandwidth ib_write_bw", "stream"},
    {"workload.kind", "latency rtt ping_pong rpc ib_write_lat", "pingpong"},
    {"workload.kind", "permutation_matrix random_permutation", "permutation"},
    {"workload.kind", "nvme nvmeof nvme_of disk iser", "storage"},
    {"workload.kind", "trace schedule mpi chakra dag", "goal, with workload.file"},
    {"workload.op", "put rdma_write", "write"},
    {"workload.op", "get rdma_read", "read"},
    {"workload.op", "recv send_recv message", "send"},
    {"workload.op", "fetch_and_add faa atomic", "fetch_add"},
    {"workload.op", "compare_and_swap cas compare_swap", "cmp_swap"},
    {"workload.op", "all_reduce reduce", "allreduce"},
    {"workload.op", "allgather", "all_gather"},
    {"workload.op", "reducescatter", "reduce_scatter"},
    {"workload.op", "alltoall a2a all2all", "all_to_all"},
    {"workload.op", "bcast", "broadcast"},
    {"workload.by", "recursive_halving doubling recursive_doubling halving_doubling butterfly rabenseifner", "halving"},
    {"workload.by", "binomial binary binomial_tree", "tree"},
    {"workload.by", "flat linear pairwise all star", "direct"},
    {"workload.arrival", "open random exponential", "poisson"},
    {"workload.arrival", "periodic constant fixed cbr", "every"},
    {"rnic.receive", "direct zero_copy out_of_order ooo ddp placement", "place"},
    {"rnic.receive", "drop in_order none roce", "discard"},
    {"rnic.receive", "buffer reorder reassemble", "hold"},
    {"rnic.receive", "software sockets kernel", "copy"},
    {"llp.ecn", "true yes", "on"},
    {"llp.ecn", "false no", "off"},
    {"world", "ns_3", "ns3"},
    {"world", "packet packets native default", "fabric"},
    /* keys and groups */
    {NULL, "bandwidth bw speed link_rate link_speed line_rate capacity", "topology.rate"},
    {NULL, "latency propagation_delay link_delay prop_delay rtt", "topology.delay"},
    {NULL, "network net fabric topo", "topology"},
    {NULL, "servers num_hosts nodes_count endpoints degree incast_degree fan_in senders", "topology.hosts"},
    {NULL, "queue queue_size buffer_size queue_limit switch_buffer", "topology.buffer"},
    {NULL, "pfc lossless pause", "topology.flow_control"},
    {NULL, "ecmp routes path_selection load_balancing lb spray", "topology.routing"},
    {NULL, "mss packet_size jumbo", "topology.mtu"},
    {NULL, "red kmin_kmax marking ecn_marking", "topology.ecn"},
    {NULL, "loss_rate drop_rate plr packet_loss drop ber", "channel.loss"},
    {NULL, "reordering", "channel.reorder"},
    {NULL, "transport protocol roce rdma iwarp tcp", "llp.kind"},
    {NULL, "congestion_control cc tcp_variant cca dctcp cubic dcqcn", "llp.congestion"},
    {NULL, "loss_recovery go_back_n retransmission", "llp.recovery"},
    {NULL, "rto timeout", "llp.min_rto"},
    {NULL, "initcwnd iw init_cwnd", "llp.initial_window"},
    {NULL, "nic adapter hca rdma_nic", "rnic"},
    {NULL, "rwnd receive_window recv_window rcvbuf so_rcvbuf", "rnic.window.bytes"},
    {NULL, "placement receive_path", "rnic.receive"},
    {NULL, "traffic application app flow", "workload"},
    {NULL, "pattern traffic_pattern", "workload.kind"},
    {NULL, "msg_size message_size flow_size io_size bs", "workload.size"},
    {NULL, "flow_cdf size_distribution distribution cdf", "workload.size.cdf"},
    {NULL, "messages iterations iters flow_count num_messages requests", "workload.count"},
    {NULL, "queue_depth iodepth qd outstanding inflight window_size", "workload.depth"},
    {NULL, "qp qps num_qps queue_pairs streams", "workload.connections"},
    {NULL, "verb opcode operation", "workload.op"},
    {NULL, "utilization utilisation offered_load", "workload.load"},
    {NULL, "duration runtime sim_time stop_time simulation_time", "measure.for"},
    {NULL, "warmup warm_up", "measure.from"},
    {NULL, "runs trials repetitions replications", "repeat"},
    {NULL, "rng_seed random_seed rngseed", "seed"},
    {NULL, "simulator engine backend", "world"},
    {NULL, "variants configs configurations scenarios schemes", "cases"},
    {NULL, "parameters sweeps grid matrix", "sweep"},
};
/* clang-format on */
const size_t field_rows_count = sizeof field_rows / sizeof *field_rows;

/* "K-ary Fat Tree" as "k_ary_fat_tree". */
static void fold(const char *word, char folded[WORD_FAR])
{
    size_t n = 0;
    for (; *word && n + 1 < WORD_FAR; word++)
        folded[n++] = *word == ' ' || *word == '-' ? '_' : (char)tolower((unsigned char)*word);
    folded[n] = 0;
}

static bool lists_word(const char *words, const char *word)
{
    size_t len = strlen(word);
    for (const char *p = words; *p; p += strcspn(p, " "), p += strspn(p, " "))
        if (strcspn(p, " ") == len && memcmp(p, word, len) == 0)
            return true;
    return false;
}

const char *field_word(const char *key, const char *word)
{
    char folded[WORD_FAR];
    const char *dot = key ? NULL : strrchr(word, '.');
    fold(dot ? dot + 1 : word, folded);
    for (size_t i = 0; i < field_rows_count; i++) {
        const struct field_row *row = &field_rows[i];
        bool same = key ? row->key && strcmp(row->key, key) == 0 : !row->key;
        if (same && *folded && lists_word(row->words, folded))
            return row->means;
    }
    return NULL;
}
