/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_goal.c -- any octets as a GOAL schedule: refused with one sentence, or accepted and played, on a network that carries
 * each message at once. Then it is over, with every message once, or it says which operation it is stuck in. */
#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/goal_check.h"
#include "helpers/scenario/goal_read.h"

enum { PLAYED = 256 /* connections and ranks, at most */, DEPTH = 2, RECVS = 4, QUEUE = PLAYED * DEPTH };

static void must(bool law)
{
    if (!law)
        abort();
}

/* ---- what was read ---- */

static void look_at(const struct goal *g)
{
    uint32_t needs = 0;
    uint64_t sends = 0;
    for (uint32_t i = 0; i < g->ops; i++) {
        const struct goal_op *op = &g->op[i];
        needs += op->needs;
        sends += op->kind == GOAL_SEND;
        must(op->kind <= GOAL_CALC && op->rank < g->ranks && op->cpu < g->cpus && op->line > 0);
        must(op->first <= op[1].first && op[1].first <= g->edges);
        for (uint32_t e = op->first; e < op[1].first; e++) {
            uint32_t after = g->edge[e] & ~GOAL_STARTED;
            must(after < g->ops && after != i && g->op[after].rank == op->rank);
        }
        must(op->kind != GOAL_SEND ||
             (g->pair[op->conn].from == op->rank && g->pair[op->conn].to == op->peer));
        must(op->kind != GOAL_SEND || op->amount <= g->largest);
    }
    must(needs == g->edges && sends == g->sends && sends > 0 && g->names[0] == 0);
    for (uint32_t c = 0; c < g->connections; c++)
        must(g->pair[c].from < g->ranks && g->pair[c].to < g->ranks && g->pair[c].from != g->pair[c].to);
}

/* ---- a network without time ---- */

struct posted {
    uint32_t conn, len;
    uint64_t id;
};

static struct {
    struct posted sent[QUEUE];
    uint32_t first, count;
    uint64_t recv[PLAYED][RECVS], posted[PLAYED], taken[PLAYED], wake, messages;
    iw_stag stags;
} net;

static int memory(void *context, uint32_t host, struct iw_region *region, iw_stag *stag)
{
    (void)context, (void)host, (void)region;
    *stag = ++net.stags;
    return IW_OK;
}

static int post(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    (void)context, (void)now, (void)side;
    if (work->op == IW_RECV) {
        must(net.posted[conn] - net.taken[conn] < RECVS);
        net.recv[conn][net.posted[conn]++ % RECVS] = work->id;
        return IW_OK;
    }
    must(work->op == IW_SEND && net.count < QUEUE);
    net.sent[(net.first + net.count++) % QUEUE] =
        (struct posted){conn, work->sges ? work->sge[0].len : 0, work->id};
    return IW_OK;
}

static void wake(void *context, uint64_t at)
{
    (void)context;
    net.wake = at;
}

static void on_message(void *context, uint64_t now, const struct workload_message *m)
{
    (void)context, (void)now;
    must(m->status == 0);
    net.messages++;
}

static void on_broken(void *context, uint64_t now, const struct workload_broken *broken)
{
    (void)context, (void)now, (void)broken;
    must(false);
}

static void carry(struct workload *w, uint64_t now)
{
    struct posted p = net.sent[net.first];
    struct iw_message message = {.ctl.opcode = RDMAP_SEND, .length = p.len};
    struct iw_done recv = {.op = IW_RECV, .len = p.len}, send = {.id = p.id, .op = IW_SEND, .len = p.len};
    net.first = (net.first + 1) % QUEUE;
    net.count--;
    workload_delivered(w, now, p.conn, 1, &message);
    recv.id = net.recv[p.conn][net.taken[p.conn]++ % RECVS];
    workload_done(w, now, p.conn, 1, &recv);
    workload_done(w, now, p.conn, 0, &send);
}

static void play(const struct goal *g)
{
    static const struct workload_world world = {.memory = memory, .post = post, .wake = wake};
    static const struct workload_notes notes = {.message = on_message, .broken = on_broken};
    struct workload_conf conf = {.kind = WORKLOAD_goal,
                                 .arrival = WORKLOAD_CLOSED,
                                 .hosts = g->ranks,
                                 .connections = 1,
                                 .depth = DEPTH};
    struct workload_waits waits = {0};
    conf.recv_depth = RECVS;
    conf.count = conf.stags = 1;
    conf.size_max = g->largest;
    conf.goal = g;
    conf.goal_unit = 1;
    memset(&net, 0, sizeof net);
    net.wake = IW_NEVER;
    size_t size = workload_size(&conf);
    must(size > 0);
    struct workload *w = workload_init(malloc(size), &conf, &notes);
    must(workload_prepare(w, &world) == IW_OK);
    workload_start(w, 0);
    for (uint64_t now = 0; net.count || net.wake != IW_NEVER;) {
        if (net.count) {
            carry(w, now);
        } else {
            must(net.wake > now);
            now = net.wake;
            workload_wake(w, now);
        }
    }
    if (workload_over(w)) {
        must(net.messages == g->sends);
    } else {
        char text[GOAL_OP_TEXT];
        must(workload_waits(w, &waits) && waits.op);
        goal_op_text(waits.op, waits.label, text);
        must(strlen(text) > 5);
    }
    free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t size)
{
    char error[GOAL_ERROR_MAX] = "";
    FILE *in = size ? fmemopen((void *)(uintptr_t)octets, size, "rb") : fopen("/dev/null", "rb");
    must(in != NULL);
    struct goal *g = goal_read(in, "fuzz.goal", error);
    fclose(in);
    must(g || (strlen(error) > 5 && strlen(error) < GOAL_ERROR_MAX && !strchr(error, '\n')));
    if (g) {
        look_at(g);
        if (g->connections <= PLAYED && g->ranks <= PLAYED)
            play(g);
        goal_free(g);
    }
    return 0;
}
