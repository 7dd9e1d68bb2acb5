/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a segment costs in two whole hosts: engine, lower layer, adapter and the link between them; length-only octets.
 *   node_bench                                  all of it
 *   node_bench tcp|heard|sctp|ideal SEGMENTS    that many, for valgrind (see instructions_test.py)
 * heard: TCP, and somebody hears of the events that results count, as every trial does. */
#include "bench.h"
#include "llp/mpa.h"
#include "llp/sctp.h"
#include "validation/support/two_nodes.h"

#define US ((iw_time)1000000)
enum { MTU = 9000, MESSAGE = 1 << 16, DEPTH = 32, WINDOW = 1 << 20, PD = 1 };

static void hear(void *user, int side, const struct node_event *e)
{
    (void)user, (void)side, (void)e;
}

static const struct {
    const char *name;
    const struct llp *llp;
    two_nodes_listener *hear;
} lower[] = {{"tcp", &llp_tcp, NULL},
             {"heard", &llp_tcp, hear},
             {"sctp", &llp_sctp, NULL},
             {"ideal", &llp_ideal, NULL}};
enum { LOWER = sizeof lower / sizeof *lower };

static struct two_nodes *hosts(const struct llp *llp, two_nodes_listener *listener)
{
    static struct rnic_conf rnic;
    static struct sctp_conf sctp;
    const char *why;
    rnic_preset_load(&rnic, &rnic_presets[0]);
    rnic.window.bytes = WINDOW;
    sctp_defaults(&sctp);
    sctp.heartbeat = 0;
    struct two_nodes_conf c = {
        .llp = llp,
        .unheard = ~node_kinds_of(NODE_COUNTED),
        .fabric = {
            .rate = UINT64_C(100000000000), .delay = US, .mtu = MTU, .framing = 38, .data = true, .seed = 1}};
    for (int side = 0; side < 2; side++) {
        c.node[side] = (struct node_conf){.rnic = &rnic, .regions_max = 4, .cq_entries = 4096};
        c.conf[side] = (struct llp_conf){.window = WINDOW,
                                         .reorder = 1024,
                                         .secret = 1,
                                         .crc = true,
                                         .ord = 1,
                                         .ird = 1,
                                         .start_timeout = 10000000 * US,
                                         .min_rto = 4000 * US,
                                         .send_buffer = 2 * WINDOW,
                                         .timeout = 100 * US,
                                         .sctp = &sctp};
        c.ep[side] = (struct iw_conf){.pd = PD,
                                      .stream = 1,
                                      .sq_max = DEPTH + 1,
                                      .rq_max = 1,
                                      .ord = 1,
                                      .ird = 1,
                                      .reorder_max = 1024,
                                      .linger = 1000 * US};
    }
    struct two_nodes *t = two_nodes_new(&c, listener, NULL, &why);
    if (!t || !two_nodes_connect(t, 1000000 * US)) {
        fprintf(stderr, "the hosts do not connect: %s\n", t ? "no answer" : why);
        exit(3);
    }
    return t;
}

static iw_stag share(struct two_nodes *t, int side)
{
    struct iw_region region = {.len = MESSAGE, .rights = IW_LOCAL_WRITE | IW_REMOTE_WRITE, .pd = PD};
    iw_stag stag = 0;
    if (iw_register(node_stags(two_nodes_node(t, side)), &region, &stag))
        exit(3);
    return stag;
}

/* Writes, DEPTH of them under way, until that many segments have arrived. */
static uint64_t carry(struct two_nodes *t, iw_stag from, iw_stag to, uint64_t segments)
{
    const struct iw_work write = {.op = IW_WRITE, .sges = 1, .sge = {{from, MESSAGE, 0}}, .remote_stag = to};
    const struct iw_stats *arrived = iw_statistics(two_nodes_endpoint(t, 1, 0));
    uint64_t until = arrived->segments_rx + segments, begun = arrived->segments_rx;
    uint32_t open = 0;
    struct iw_done done;
    while (arrived->segments_rx < until || open) {
        while (open < DEPTH && arrived->segments_rx < until && two_nodes_post(t, 0, 0, &write) == IW_OK)
            open++;
        if (!two_nodes_step(t))
            exit(3);
        while (node_poll(two_nodes_node(t, 0), &done))
            open--;
    }
    return arrived->segments_rx - begun;
}

static double cost(const struct llp *llp, two_nodes_listener *listener)
{
    struct two_nodes *t = hosts(llp, listener);
    iw_stag from = share(t, 0), to = share(t, 1);
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        double start = now_ns();
        uint64_t n = carry(t, from, to, 50000);
        double ns = (now_ns() - start) / (double)n;
        best = ns < best ? ns : best;
    }
    two_nodes_free(t);
    return best;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < LOWER && argc == 3; i++)
        if (strcmp(argv[1], lower[i].name) == 0) {
            struct two_nodes *t = hosts(lower[i].llp, lower[i].hear);
            iw_stag from = share(t, 0), to = share(t, 1);
            printf("%llu\n", (unsigned long long)carry(t, from, to, strtoull(argv[2], NULL, 10)));
            two_nodes_free(t);
            return 0;
        }
    if (argc != 1)
        return 2;
    double ideal = cost(&llp_ideal, NULL);
    for (int i = 0; i < LOWER; i++)
        row(lower[i].name, cost(lower[i].llp, lower[i].hear), ideal, "the ideal stream");
    return 0;
}
