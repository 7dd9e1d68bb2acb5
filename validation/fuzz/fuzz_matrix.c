/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_matrix.c -- any octets as a connection matrix: refused with one sentence, or accepted and run, on a network that carries each
 * message at once. Then it is over, with every flow once. */
#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/matrix_read.h"

enum { RUN = 256 /* connections and hosts, at most */, DEPTH = 2, QUEUE = RUN * DEPTH };

static void must(bool law)
{
    if (!law)
        abort();
}

/* ---- what was read ---- */

static void look_at_triggers(const struct matrix *m)
{
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < m->messages; i++) {
        const struct matrix_message *x = &m->message[i];
        waiting += x->by != MATRIX_NONE;
        must((x->by == MATRIX_NONE) != (x->start == IW_NEVER));
        must(x->by == MATRIX_NONE || x->by < m->triggers);
        must(x->sent == MATRIX_NONE || x->sent < m->triggers);
        must(x->received == MATRIX_NONE || x->received < m->triggers);
    }
    must(m->trigger[m->triggers].first == waiting);
    for (uint32_t t = 0; t < m->triggers; t++)
        for (uint32_t i = m->trigger[t].first; i < m->trigger[t + 1].first; i++)
            must(m->message[m->begins[i]].by == t);
}

static void look_at(const struct matrix *m)
{
    uint64_t octets = 0;
    for (uint32_t i = 0; i < m->messages; i++) {
        octets += m->message[i].octets;
        must(m->message[i].conn < m->connections && m->message[i].octets <= m->largest && m->message[i].line);
    }
    must(octets == m->octets && m->deepest <= m->messages && m->busiest <= m->connections);
    for (uint32_t c = 0; c < m->connections; c++) {
        must(m->pair[c].from < m->hosts && m->pair[c].to < m->hosts && m->pair[c].from != m->pair[c].to);
        for (uint32_t i = m->first[c]; i < m->first[c + 1]; i++)
            must(m->message[m->timed[i]].conn == c &&
                 (i == m->first[c] || m->message[m->timed[i - 1]].start <= m->message[m->timed[i]].start));
    }
    look_at_triggers(m);
}

/* ---- a network without time ---- */

struct posted {
    uint32_t conn, len;
    uint64_t id, to;
    iw_stag stag;
};

static struct {
    struct posted sent[QUEUE];
    uint32_t first, count;
    uint64_t wake, messages;
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
    (void)context, (void)now;
    must(work->op == IW_WRITE && side == 0 && net.count < QUEUE);
    net.sent[(net.first + net.count++) % QUEUE] =
        (struct posted){conn, work->sge[0].len, work->id, work->remote_to, work->remote_stag};
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
    struct iw_place place = {.stag = p.stag, .to = p.to, .len = p.len};
    struct iw_message message = {.ctl.opcode = RDMAP_WRITE, .to = p.to, .length = p.len};
    struct iw_done done = {.id = p.id, .op = IW_WRITE, .len = p.len};
    net.first = (net.first + 1) % QUEUE;
    net.count--;
    workload_placed(w, now, p.conn, 1, &place);
    workload_delivered(w, now, p.conn, 1, &message);
    workload_done(w, now, p.conn, 0, &done);
}

static void run(const struct matrix *m)
{
    static const struct workload_world world = {.memory = memory, .post = post, .wake = wake};
    static const struct workload_notes notes = {.message = on_message, .broken = on_broken};
    struct workload_conf conf = {.kind = WORKLOAD_matrix,
                                 .arrival = WORKLOAD_CLOSED,
                                 .hosts = m->hosts,
                                 .connections = 1,
                                 .depth = DEPTH,
                                 .matrix = m};
    conf.count = conf.stags = 1;
    conf.size_max = m->largest;
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
    must(workload_over(w) && net.messages == m->messages);
    free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t size)
{
    char error[MATRIX_ERROR_MAX] = "";
    FILE *in = size ? fmemopen((void *)(uintptr_t)octets, size, "rb") : fopen("/dev/null", "rb");
    must(in != NULL);
    struct matrix *m = matrix_read(in, "fuzz.cm", error);
    fclose(in);
    must(m || (strlen(error) > 5 && strlen(error) < MATRIX_ERROR_MAX && !strchr(error, '\n')));
    if (m) {
        look_at(m);
        if (m->connections <= RUN && m->hosts <= RUN)
            run(m);
    }
    matrix_free(m);
    return 0;
}
