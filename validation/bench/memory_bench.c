/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each octet of a host is for: a host of a permutation (one connection out, one in, Writes, a depth of 2, a window of 1 MiB),
 * as the command makes it, and what the network keeps beside it. Sizes alone: nothing runs. */
#include <stdio.h>

#include "bench.h"
#include "engine/endpoint.h"
#include "llp/llp_mpa.h"
#include "llp/mpa_inner.h"
#include "llp/tcp_inner.h"
#include "node/node_inner.h"
#define LINES_MAX FABRIC_LINES_MAX /* both rooms have a number of that name */
#include "fabric/fabric_inner.h"

#define US ((iw_time)1000000)
enum { MTU = 1500, ENDS = 2, QUEUE = 18, RECEIVES = 16, READS = 16, SPARE = 16, REMEMBERED = 1500 };
enum { REGIONS = (1 + SPARE) * ENDS, COMPLETIONS = (QUEUE + RECEIVES) * ENDS, WINDOW = 1 << 20 };

static size_t taken;

static void *take(void *user, size_t octets)
{
    (void)user;
    taken += octets;
    return must(calloc(1, octets));
}

/* One part; what it adds to a host. */
static size_t part(const char *what, size_t octets, uint32_t count)
{
    printf("    %-58s %6zu x %-4u %7zu\n", what, octets, count, octets * count);
    return octets * count;
}

static void rest(size_t all, size_t listed, const char *what)
{
    printf("    %-58s %6s   %-4s %7zu\n  %-60s %6s   %-4s %7zu\n", "ends of parts", "", "", all - listed,
           what, "", "", all);
}

static struct node_conf node_conf_of(const struct rnic_conf *rnic)
{
    return (struct node_conf){.rnic = rnic,
                              .streams = ENDS,
                              .connections = ENDS,
                              .regions_max = REGIONS,
                              .cq_entries = COMPLETIONS,
                              .line_rate = UINT64_C(100000000000),
                              .mtu = MTU,
                              .memory = {take, NULL}};
}

static void print_host(const struct node_conf *c)
{
    size_t adapter = rnic_size(c->rnic, ENDS), bins = sizeof(struct rnic_histogram);
    size_t listed = part("node", sizeof(struct node), 1);
    listed += part("adapter: rates, stages, counters", adapter - bins, 1);
    listed += part("adapter: how much was in staging, by size", bins, 1);
    listed += part("registered regions", iw_stags_size(REGIONS) / REGIONS, REGIONS);
    listed += part("completions that the engine made, at first", sizeof(struct iw_done), 4 * ENDS);
    listed += part("completions on their way to the ULP, at first", sizeof(struct node_completion), 4);
    rest(node_size(c), listed, "a host");
}

static void print_end(struct node *n, const struct node_connection_conf *c)
{
    const char *why;
    uint32_t connection, stream;
    size_t before = taken;
    if (node_connect(n, c, &connection, &stream, &why) != IW_OK)
        must(NULL);
    const struct iw_ep *ep = node_endpoint(n, stream);
    size_t lower = llp_size(c->llp, &c->conf), records = 4 * (sizeof(struct tcp_record) + LLP_NOTE_MAX);
    size_t listed = part("connection of the node", sizeof(struct node_connection), 1);
    listed += part("MPA: out, start-up, events", lower - sizeof(struct tcp) - records, 1);
    listed += part("TCP", sizeof(struct tcp), 1);
    listed += part("TCP: records with their notes, at first", records / 4, 4);
    listed += part("stream of the node", sizeof(struct node_stream), 1);
    listed += part("endpoint and its queues", sizeof(struct iw_ep) + 3 * sizeof(struct ddp_queue), 1);
    listed += part("requests, at first", sizeof(struct ep_send_entry), ep->sq_mask + 1);
    listed += part("segments out of order, at first", DDP_LOG_OCTETS, ep->log.mask + 1);
    rest(taken - before, listed, "an end of a connection");
}

static void print_later(void)
{
    part("buffers of receives, once one is posted", iw_table_octets(IW_TABLE_RECEIVES, 1), RECEIVES);
    part("Reads that were posted, once one is", iw_table_octets(IW_TABLE_READS_OUT, 1), READS);
    part("Reads that came, once one does", iw_table_octets(IW_TABLE_READS_IN, 1), READS);
    part("MPA's receiver, once data comes", sizeof(struct mpa_rx), 1);
    part("MPA's receiver: runs beyond the edge, at first", sizeof(struct mpa_run) + sizeof(uint32_t), 10);
    part("MPA's receiver: marks, at first", sizeof(struct mpa_mark), 4);
    part("TCP: a record more in flight", sizeof(struct tcp_record) + LLP_NOTE_MAX, 1);
    part("an item of the agenda", sizeof(struct node_agenda_item), 1);
}

static void print_network(void)
{
    uint32_t none = NONE;
    part("a link: port and wire", sizeof(struct fabric_port), 1);
    part("a link: counters", sizeof(struct fabric_tally), 1);
    part("a link: places among the events, touched as they are used", sizeof(struct event), 2 * 2);
    part("a host: attached, kicks, its timer",
         sizeof(struct fabric_attached) + sizeof none + sizeof(struct event), 1);
    part("a packet under way: cell, block of 64 octets", CELL + 64, 1);
}

int main(void)
{
    static struct rnic_conf rnic;
    static const uint64_t user[1];
    struct tcp_conf tcp;
    rnic_preset_load(&rnic, &rnic_presets[0]);
    rnic.window.bytes = WINDOW;
    tcp_defaults(&tcp);
    struct node_conf conf = node_conf_of(&rnic);
    struct node_connection_conf c = {.llp = &llp_tcp,
                                     .conf = {.mtu = MTU,
                                              .window = WINDOW,
                                              .reorder = REMEMBERED,
                                              .streams = 1,
                                              .initiator = true,
                                              .local_port = 1,
                                              .remote_port = 1,
                                              .source = 1,
                                              .destination = 2,
                                              .ord = READS,
                                              .ird = READS,
                                              .start_timeout = 1000 * US,
                                              .min_rto = US,
                                              .max_rto = 1000 * US,
                                              .delayed_ack = 2,
                                              .tcp = &tcp},
                                     .ep = {.pd = 1,
                                            .stream = 1,
                                            .sq_max = QUEUE,
                                            .rq_max = RECEIVES,
                                            .ord = READS,
                                            .ird = READS,
                                            .reorder_max = REMEMBERED},
                                     .user = user};
    print_host(&conf);
    print_end(must(node_init(must(malloc(node_size(&conf))), &conf)), &c);
    printf("  what comes later, of either end, and of the network\n");
    print_later();
    print_network();
    return 0;
}
