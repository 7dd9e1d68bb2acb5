/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial.c -- one point, run once: drives the workload, measures, writes messages and trace (trial.h). */
#include "helpers/trial.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/rdmap.h"
#include "helpers/trial_run.h"
#include "llp/mpa.h"

/* Segments placed and not yet delivered: a heap, smallest key first. */
struct early {
    uint64_t key, placed;
};
struct waiting {
    struct early *heap;
    size_t count, room;
};

struct side_measure {
    struct waiting waiting;
    const struct rnic_stats *adapter; /* NULL: not watched */
    uint64_t edge;                    /* delivered */
    uint64_t state_peak;              /* octets */
};

struct flow_measure {
    uint64_t first_post, last_placed, bytes;
    struct side_measure side[2];
};

enum { TIMES = 4096 };
struct timeline {
    uint64_t width; /* picoseconds */
    uint64_t bin[TIMES];
};

enum { CLOCK_EVERY = 4096 }; /* events between looks at the real clock */

enum { SIZE_CLASSES = 33 };

struct trial {
    const struct scenario_point *point;
    struct trial_files files;
    struct workload_world offers;
    struct workload *workload;
    struct trial_counters counters;
    struct point_results r;
    uint32_t connections;
    struct flow_measure *flow;
    uint64_t *host_state; /* octets of tracking state, by host */
    struct samples latency, slowdown;
    struct samples slowdown_of[SIZE_CLASSES]; /* of messages whose length has so many bits */
    struct bins early;
    uint64_t staging[RNIC_BINS]; /* what arriving segments found, by size: of all adapters */
    uint64_t expected;           /* octets to be placed; 0: not known */
    uint64_t started, first_post, last_placed, half_time, half_bytes, over_at;
    struct timeline placed; /* what was placed when, for worlds that tell it in another order */
    bool unordered;
    uint64_t progress; /* when something was last placed or completed */
    uint64_t crossings, cpu;
    uint32_t looks;
    struct timespec wall;
    bool running, stopped, no_memory;
};

/* ---- status ---- */

static void stop(struct trial *t, enum point_status status)
{
    if (!t->stopped)
        t->r.status = status;
    t->stopped = true;
}

__attribute__((format(printf, 2, 0))) static void note(struct trial *t, const char *format, va_list arguments)
{
    if (!*t->r.note)
        vsnprintf(t->r.note, sizeof t->r.note, format, arguments);
}

__attribute__((format(printf, 2, 3))) static void say(struct trial *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(t, format, arguments);
    va_end(arguments);
}

void trial_broken(struct trial *t, uint64_t now, const char *format, ...)
{
    char at[40];
    va_list arguments;
    va_start(arguments, format);
    value_decimal(now, 6, at, sizeof at);
    if (!*t->r.note) {
        note(t, format, arguments);
        size_t used = strlen(t->r.note);
        snprintf(t->r.note + used, sizeof t->r.note - used, " (at %s us)", at);
    }
    va_end(arguments);
    stop(t, STATUS_BROKEN);
}

void trial_refuse(struct trial *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(t, format, arguments);
    va_end(arguments);
    stop(t, STATUS_REFUSED);
}

static void say_who_waits(struct trial *t, const char *why)
{
    struct workload_waits waits;
    if (!workload_waits(t->workload, &waits)) {
        say(t, "%s", why);
        return;
    }
    struct workload_pair pair = workload_pair(&t->point->workload, waits.conn);
    say(t, "%s: connection %u (host %u to host %u) waits for %s, message %llu of side %d", why, waits.conn,
        pair.from, pair.to, waits.what, (unsigned long long)waits.index, waits.side);
}

static void hit_limit(struct trial *t, enum point_status status, const char *why)
{
    say_who_waits(t, why);
    stop(t, status);
}

void trial_stalled(struct trial *t, uint64_t now)
{
    (void)now;
    if (!t->stopped && !workload_over(t->workload))
        hit_limit(t, STATUS_STALLED, "nothing is left to happen");
}

static bool wall_is_over(struct trial *t)
{
    struct timespec now;
    if (t->looks++ % CLOCK_EVERY)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (double)(now.tv_sec - t->wall.tv_sec) + 1e-9 * (double)(now.tv_nsec - t->wall.tv_nsec);
    return seconds * 1e12 > (double)t->point->limit.wall;
}

bool trial_over(struct trial *t, uint64_t now)
{
    if (t->stopped)
        return true;
    if (t->running && workload_over(t->workload)) {
        t->over_at = t->over_at == IW_NEVER ? now : t->over_at;
        return true;
    }
    if (now > t->point->limit.sim)
        hit_limit(t, STATUS_LIMIT_SIM, "limit.sim is reached");
    else if (now > t->progress && now - t->progress > t->point->limit.idle)
        hit_limit(t, STATUS_LIMIT_IDLE, "nothing was placed and nothing completed for limit.idle");
    else if (wall_is_over(t))
        hit_limit(t, STATUS_LIMIT_WALL, "limit.wall is reached");
    return t->stopped;
}

/* ---- trace ---- */

bool trial_tracing(const struct trial *t)
{
    return t->files.trace != NULL;
}

const char *trial_pcap(const struct trial *t)
{
    return t->files.pcap;
}

const char trial_columns[] = "t_ps,node,conn,event,key,length,stag,to,qn,msn,mo,window_edge,staging,cwnd,"
                             "side,ooo,end,held,crossings,text,head\n";

enum { HEAD_SHOWN = 16 }; /* payload octets behind a header, where the payload is the ULP's */

static void trace_number(FILE *out, uint64_t n)
{
    if (n == IW_NEVER)
        fputs(",", out);
    else
        fprintf(out, ",%llu", (unsigned long long)n);
}

static void trace_head(FILE *out, const struct trial_line *line)
{
    struct ddp_head h;
    if (line->place)
        fprintf(out, ",0x%08x,%llu,,,", line->place->stag, (unsigned long long)line->place->to);
    else if (!line->seg || !ddp_head_get(line->seg->head, line->seg->head_len, &h))
        fputs(",,,,,", out);
    else if (h.tagged)
        fprintf(out, ",0x%08x,%llu,,,", h.stag, (unsigned long long)h.to);
    else
        fprintf(out, ",,,%u,%u,%u", h.qn, h.msn, h.mo);
}

static void trace_start(FILE *out, const struct trial_line *line)
{
    fprintf(out, "%llu,%u,", (unsigned long long)line->t, line->node);
    if (line->conn >= 0)
        fprintf(out, "%lld", (long long)line->conn);
    fprintf(out, ",%s", line->event);
    trace_number(out, line->key);
    fprintf(out, ",%u", line->length);
}

/* Octets of a segment from the first on: all that RDMAP itself reads, and the first of the ULP's. */
static void trace_octets(FILE *out, const struct iw_seg *seg)
{
    struct ddp_head h;
    for (uint32_t i = 0; i < seg->head_len; i++)
        fprintf(out, "%02x", seg->head[i]);
    bool own = ddp_head_get(seg->head, seg->head_len, &h) && !h.tagged && h.qn > 0;
    uint32_t most = own ? IW_TERM_MAX : HEAD_SHOWN;
    const uint8_t *octets = seg->frags ? seg->frag[0].octets : NULL;
    for (uint32_t i = 0; octets && i < seg->frag[0].len && i < most; i++)
        fprintf(out, "%02x", octets[i]);
}

static const struct rnic_stats *adapter_of(const struct trial *t, const struct trial_line *line)
{
    return line->conn >= 0 ? t->flow[line->conn].side[line->side].adapter : NULL;
}

static void trace_rest(FILE *out, const struct trial_line *line, const struct rnic_stats *adapter)
{
    fprintf(out, ",%d,%d", line->side, line->ooo);
    trace_number(out, line->end ? line->end : IW_NEVER);
    trace_number(out, adapter ? adapter->held : IW_NEVER);
    trace_number(out, adapter ? adapter->crossings : IW_NEVER);
    fprintf(out, ",%s,", line->text ? line->text : "");
    if (line->seg)
        trace_octets(out, line->seg);
    putc('\n', out);
}

void trial_trace(struct trial *t, const struct trial_line *line)
{
    FILE *out = t->files.trace;
    if (!out)
        return;
    const struct rnic_stats *adapter = adapter_of(t, line);
    trace_start(out, line);
    trace_head(out, line);
    trace_number(out, line->window_edge);
    trace_number(out, adapter ? adapter->staging : line->staging);
    trace_number(out, line->cwnd);
    trace_rest(out, line, adapter);
}

void trial_watch(struct trial *t, uint32_t conn, int side, const struct rnic *adapter)
{
    t->flow[conn].side[side].adapter = adapter ? rnic_statistics(adapter) : NULL;
}

static uint32_t host_of(const struct trial *t, uint32_t conn, int side)
{
    struct workload_pair pair = workload_pair(&t->point->workload, conn);
    return side ? pair.to : pair.from;
}

static struct trial_line line_of(const struct trial *t, uint64_t now, uint32_t conn, int side,
                                 const char *event, uint64_t key, uint32_t length)
{
    return (struct trial_line){.t = now,
                               .node = host_of(t, conn, side),
                               .conn = conn,
                               .event = event,
                               .key = key,
                               .length = length,
                               .window_edge = IW_NEVER,
                               .staging = IW_NEVER,
                               .cwnd = IW_NEVER,
                               .side = side};
}

void trial_note(struct trial *t, uint64_t now, uint32_t conn, int side, const char *event, uint64_t key,
                uint64_t end, uint32_t length, const char *text)
{
    if (!t->files.trace)
        return;
    struct trial_line line = line_of(t, now, conn, side, event, key, length);
    line.end = end;
    line.text = text;
    trial_trace(t, &line);
}

/* A placement has no segment any more, but says where the octets are. */
static void trace_place(struct trial *t, uint64_t now, uint32_t conn, int side, uint64_t key,
                        const struct iw_place *place, bool ooo)
{
    if (!t->files.trace)
        return;
    struct trial_line line = line_of(t, now, conn, side, "placed", key, place->len);
    line.place = place;
    line.ooo = ooo;
    trial_trace(t, &line);
}

/* Stream offset behind the FPDU of a segment; SCTP counts messages instead. */
static uint64_t end_of(const struct trial *t, const struct iw_seg *seg)
{
    if (t->point->llp.kind == LLP_SCTP)
        return seg->key + 1;
    return seg->key + mpa_fpdu_size(seg->key, seg->head_len + seg->payload_len, t->point->llp.markers);
}

/* ---- placed and not delivered ---- */

static void swap(struct early *a, struct early *b)
{
    struct early t = *a;
    *a = *b;
    *b = t;
}

static bool push(struct waiting *w, struct early e)
{
    if (w->count == w->room) {
        size_t room = w->room ? 2 * w->room : 16;
        struct early *more = realloc(w->heap, room * sizeof *more);
        if (!more)
            return false;
        w->heap = more;
        w->room = room;
    }
    size_t i = w->count++;
    w->heap[i] = e;
    for (; i && w->heap[i].key < w->heap[(i - 1) / 2].key; i = (i - 1) / 2)
        swap(&w->heap[i], &w->heap[(i - 1) / 2]);
    return true;
}

static struct early pop(struct waiting *w)
{
    struct early first = w->heap[0];
    w->heap[0] = w->heap[--w->count];
    for (size_t i = 0;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < w->count && w->heap[child + 1].key < w->heap[child].key)
            child++;
        if (child >= w->count || w->heap[i].key <= w->heap[child].key)
            return first;
        swap(&w->heap[i], &w->heap[child]);
        i = child;
    }
}

/* ---- what the workload says ---- */

/* Picoseconds that a message takes alone: propagation, all its packets at line rate, the last one once more per hop. */
static double alone(const struct scenario_point *p, const struct workload_message *m)
{
    struct scenario_derived d;
    scenario_derive(p, &d);
    double hops = d.hops;
    double packets = m->length ? ceil((double)m->length / d.payload) : 1;
    double wire = (double)m->length + packets * (d.wire - d.payload);
    double last = wire / packets;
    double one_way =
        hops * (double)p->topology.delay + (wire + (hops - 1) * last) * 8e12 / (double)p->topology.rate;
    return m->op == IW_READ ? one_way + hops * (double)p->topology.delay : one_way;
}

static unsigned bits_of(uint32_t n)
{
    return n ? 32 - (unsigned)__builtin_clz(n) : 0;
}

static void measure_latency(struct trial *t, const struct workload_message *m)
{
    double slowdown = (double)m->latency / alone(t->point, m);
    uint64_t millionths = (uint64_t)(slowdown * 1e6 + 0.5);
    t->no_memory |= !samples_add(&t->latency, m->latency) || !samples_add(&t->slowdown, millionths);
    t->no_memory |= !samples_add(&t->slowdown_of[bits_of(m->length)], millionths);
}

static void on_message(void *context, uint64_t now, const struct workload_message *m)
{
    struct trial *t = context;
    t->r.messages_posted++;
    t->r.messages += m->status == 0;
    t->progress = now;
    if (m->latency != IW_NEVER)
        measure_latency(t, m);
    if (t->files.messages)
        results_write_message(t->files.messages, t->files.label, t->point->repeat, m);
}

static void on_broken(void *context, uint64_t now, const struct workload_broken *b)
{
    struct trial *t = context;
    if (b->expected)
        trial_broken(t, now, "broken law: %s: connection %u: expected %x/%x/%02x, found %x/%x/%02x", b->law,
                     b->conn, IW_TERM_LAYER(b->expected), IW_TERM_ETYPE(b->expected),
                     IW_TERM_CODE(b->expected), IW_TERM_LAYER(b->found), IW_TERM_ETYPE(b->found),
                     IW_TERM_CODE(b->found));
    else
        trial_broken(t, now, "broken law: %s: connection %u, side %d, message %llu, octet %llu", b->law,
                     b->conn, b->side, (unsigned long long)b->index, (unsigned long long)b->offset);
}

/* ---- what the workload asks of the world ---- */

/* A region of a host: its name, range, rights and domain. */
static void trace_region(struct trial *t, uint32_t host, const char *event, iw_stag stag,
                         const struct iw_region *region)
{
    char text[80];
    struct iw_place place = {.stag = stag, .to = region->to};
    uint32_t length = region->len < UINT32_MAX ? (uint32_t)region->len : UINT32_MAX;
    struct trial_line line = {.t = t->progress,
                              .node = host,
                              .conn = -1,
                              .event = event,
                              .key = IW_NEVER,
                              .length = length,
                              .window_edge = IW_NEVER,
                              .staging = IW_NEVER,
                              .cwnd = IW_NEVER,
                              .place = &place,
                              .text = text};
    snprintf(text, sizeof text, "%s%s%sdomain %u", region->rights & IW_LOCAL_WRITE ? "local write; " : "",
             region->rights & IW_REMOTE_READ ? "remote read; " : "",
             region->rights & IW_REMOTE_WRITE ? "remote write; " : "", region->pd);
    trial_trace(t, &line);
}

static int offer_memory(void *context, uint32_t host, struct iw_region *region, iw_stag *stag)
{
    struct trial *t = context;
    int result = t->offers.memory(t->offers.context, host, region, stag);
    if (result == IW_OK)
        trace_region(t, host, "region", *stag, region);
    return result;
}

static int offer_rebind(void *context, uint32_t host, iw_stag stag, const struct iw_region *region)
{
    struct trial *t = context;
    int result = t->offers.rebind(t->offers.context, host, stag, region);
    if (result == IW_OK)
        trace_region(t, host, "rebind", stag, region);
    return result;
}

static int offer_invalidate(void *context, uint32_t host, iw_stag stag)
{
    struct trial *t = context;
    const struct iw_region none = {.to = 0};
    int result = t->offers.invalidate(t->offers.context, host, stag);
    if (result == IW_OK)
        trace_region(t, host, "invalidate", stag, &none);
    return result;
}

static uint32_t length_of(const struct iw_work *work)
{
    uint32_t length = 0;
    for (uint32_t i = 0; i < work->sges; i++)
        length += work->sge[i].len;
    return length;
}

static void note_post(struct trial *t, uint64_t now, uint32_t conn)
{
    struct flow_measure *f = &t->flow[conn];
    t->first_post = now < t->first_post ? now : t->first_post;
    f->first_post = now < f->first_post ? now : f->first_post;
}

static const char *const op_names[IW_OPS] = {[IW_SEND] = "Send",
                                             [IW_SEND_INV] = "Send with Invalidate",
                                             [IW_SEND_SE] = "Send with Solicited Event",
                                             [IW_SEND_SE_INV] = "Send with Solicited Event and Invalidate",
                                             [IW_WRITE] = "Write",
                                             [IW_READ] = "Read",
                                             [IW_IMMEDIATE] = "Immediate Data",
                                             [IW_IMMEDIATE_SE] = "Immediate Data with Solicited Event",
                                             [IW_DDP_TAGGED] = "tagged message",
                                             [IW_DDP_UNTAGGED] = "untagged message",
                                             [IW_RECV] = "receive"};

/* A request: where it reaches; a receive: where its octets will go. */
static void trace_post(struct trial *t, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    if (!t->files.trace)
        return;
    char text[64];
    bool recv = work->op == IW_RECV, remote = work->remote_stag != 0;
    struct iw_place place = {.stag = recv ? work->sge[0].stag : work->remote_stag,
                             .to = recv ? work->sge[0].to : work->remote_to};
    struct trial_line line = line_of(t, now, conn, side, recv ? "recv" : "post", work->id, length_of(work));
    line.place = recv || remote ? &place : NULL;
    line.text = text;
    snprintf(text, sizeof text, "%s%s", op_names[work->op], work->flags & IW_FENCE ? "; fenced" : "");
    trial_trace(t, &line);
}

static int offer_post(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    struct trial *t = context;
    if (work->op != IW_RECV)
        note_post(t, now, conn);
    trace_post(t, now, conn, side, work);
    return t->offers.post(t->offers.context, now, conn, side, work);
}

static int offer_close(void *context, uint64_t now, uint32_t conn, int side, enum iw_close_how how)
{
    struct trial *t = context;
    return t->offers.close(t->offers.context, now, conn, side, how);
}

static void offer_wake(void *context, uint64_t at)
{
    struct trial *t = context;
    t->offers.wake(t->offers.context, at);
}

static int offer_inject(void *context, uint64_t now, uint32_t conn, int side,
                        const struct workload_wrong *wrong)
{
    struct trial *t = context;
    note_post(t, now, conn);
    static const char *const kinds[WRONG_KINDS] = {[WRONG_ULPDU] = "a segment made by hand",
                                                   [WRONG_CRC] = "a segment with a wrong CRC",
                                                   [WRONG_MARKER] = "a segment with a wrong marker",
                                                   [WRONG_TERMINATE] = "an error of its own",
                                                   [WRONG_LOST] = "loss of the connection"};
    trial_note(t, now, conn, side, "post", IW_NEVER, 0, wrong->len, kinds[wrong->kind]);
    return t->offers.inject ? t->offers.inject(t->offers.context, now, conn, side, wrong) : IW_EINVAL;
}

/* ---- what the world tells ---- */

int trial_prepare(struct trial *t, const struct workload_world *offers)
{
    t->offers = *offers;
    return workload_prepare(t->workload);
}

void trial_start(struct trial *t, uint64_t now)
{
    t->running = true;
    t->started = t->progress = now;
    workload_start(t->workload, now);
}

void trial_wake(struct trial *t, uint64_t now)
{
    workload_wake(t->workload, now);
}

/* "Send", "receive; solicited; STag 0x00000100 invalidated", "Write; flushed", "receive; 1/1/01" */
static void trace_done(struct trial *t, uint64_t now, uint32_t conn, int side, const struct iw_done *done)
{
    if (!t->files.trace)
        return;
    char text[120], status[24] = "", invalid[40] = "";
    if (done->status == IW_FLUSHED)
        snprintf(status, sizeof status, "; flushed");
    else if (done->status > 0)
        snprintf(status, sizeof status, "; %d/%d/%02x", IW_TERM_LAYER(done->status),
                 IW_TERM_ETYPE(done->status), (unsigned)IW_TERM_CODE(done->status));
    if (done->invalidated)
        snprintf(invalid, sizeof invalid, "; STag 0x%08x invalidated", done->invalidated);
    snprintf(text, sizeof text, "%s%s%s%s", op_names[done->op], done->solicited ? "; solicited" : "", invalid,
             status);
    trial_note(t, now, conn, side, "done", done->id, 0, done->len, text);
}

void trial_done(struct trial *t, uint64_t now, uint32_t conn, int side, const struct iw_done *done)
{
    trace_done(t, now, conn, side, done);
    t->progress = now;
    workload_done(t->workload, now, conn, side, done);
}

void trial_sent(struct trial *t, uint64_t now, uint32_t conn, int side, const struct iw_seg *seg)
{
    workload_sent(t->workload, conn, side, seg);
    if (!t->files.trace)
        return;
    struct trial_line line = line_of(t, now, conn, side, "sent", seg->key, seg->payload_len);
    line.seg = seg;
    line.end = end_of(t, seg);
    trial_trace(t, &line);
}

void trial_resent(struct trial *t, uint64_t now, uint32_t conn, int side, uint64_t key, uint64_t end)
{
    t->r.retransmits++;
    workload_resent(t->workload, conn, side, key, end);
    trial_note(t, now, conn, side, "resent", key, end, (uint32_t)(end - key), NULL);
}

void trial_arrived(struct trial *t, uint64_t now, uint32_t conn, int side, uint64_t key, uint32_t payload_len,
                   bool ooo)
{
    t->r.segments++;
    t->r.segments_ooo += ooo;
    if (!t->files.trace)
        return;
    struct trial_line line = line_of(t, now, conn, side, "arrived", key, payload_len);
    line.ooo = ooo;
    trial_trace(t, &line);
}

/* ---- octets by time: bins that double in width as time goes on ---- */

static void timeline_add(struct timeline *line, uint64_t at, uint32_t octets)
{
    for (; at / line->width >= TIMES; line->width *= 2)
        for (size_t i = 0; i < TIMES; i++)
            line->bin[i] = i < TIMES / 2 ? line->bin[2 * i] + line->bin[2 * i + 1] : 0;
    line->bin[at / line->width] += octets;
}

/* When `octets` were placed, to a part of a bin. */
static uint64_t timeline_find(const struct timeline *line, uint64_t octets)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < TIMES; sum += line->bin[i++])
        if (sum + line->bin[i] >= octets && line->bin[i])
            return i * line->width +
                   (uint64_t)((double)(octets - sum) / (double)line->bin[i] * (double)line->width);
    return IW_NEVER;
}

static uint64_t latest(uint64_t a, uint64_t b)
{
    return a == IW_NEVER || b > a ? b : a;
}

static void measure_placed(struct trial *t, uint64_t now, uint32_t conn, uint32_t len, bool ooo)
{
    struct flow_measure *f = &t->flow[conn];
    uint64_t half = t->expected / 2;
    bool before = t->r.bytes < half;
    t->r.bytes += len;
    t->r.placed_ooo_bytes += ooo ? len : 0;
    f->bytes += len;
    t->unordered |= t->last_placed != IW_NEVER && now < t->last_placed;
    timeline_add(&t->placed, now - t->started, len);
    f->last_placed = latest(f->last_placed, now);
    t->last_placed = latest(t->last_placed, now);
    t->progress = now;
    if (t->expected && before && t->r.bytes >= half) {
        t->half_time = now;
        t->half_bytes = t->r.bytes;
    }
}

void trial_placed(struct trial *t, uint64_t now, uint32_t conn, int side, uint64_t key,
                  const struct iw_place *place, bool ooo)
{
    t->no_memory |= !push(&t->flow[conn].side[side].waiting, (struct early){key, now});
    if (place->len == 0 || place->stag == 0) /* a header that RDMAP keeps is nobody's payload */
        return;
    measure_placed(t, now, conn, place->len, ooo);
    trace_place(t, now, conn, side, key, place, ooo);
    workload_placed(t->workload, now, conn, side, place->stag, place->to, place->len);
}

void trial_delivered(struct trial *t, uint64_t now, uint32_t conn, int side, const struct iw_message *message)
{
    if (t->files.trace)
        trial_note(t, now, conn, side, "delivered", message->key, 0, message->length,
                   message->ctl.opcode < RDMAP_OPCODES ? rdmap_rules[message->ctl.opcode].name : NULL);
    workload_delivered(t->workload, now, conn, side, message);
}

void trial_edge(struct trial *t, uint64_t now, uint32_t conn, int side, uint64_t edge)
{
    struct waiting *w = &t->flow[conn].side[side].waiting;
    uint64_t *known = &t->flow[conn].side[side].edge;
    if (edge > *known)
        trial_note(t, now, conn, side, "edge", edge, 0, 0, NULL);
    *known = edge > *known ? edge : *known;
    while (w->count && w->heap[0].key < edge)
        t->no_memory |= !bins_add(&t->early, now - pop(w).placed);
}

/* With the value of the Terminate, and the DDP header that it carries back. */
static void trace_event(struct trial *t, uint64_t now, uint32_t conn, int side, const char *name,
                        const struct iw_event *event)
{
    char text[16];
    const struct rdmap_terminate *x = &event->terminate;
    struct iw_seg seg = {.head_len = event->valid && x->d ? x->head_len : 0};
    struct trial_line line =
        line_of(t, now, conn, side, name, IW_NEVER, event->valid && x->m ? x->segment_len : 0);
    if (!t->files.trace)
        return;
    memcpy(seg.head, x->head, seg.head_len);
    line.seg = seg.head_len ? &seg : NULL;
    line.text = x->term ? text : NULL;
    snprintf(text, sizeof text, "%d/%d/%02x", IW_TERM_LAYER(x->term), IW_TERM_ETYPE(x->term),
             (unsigned)IW_TERM_CODE(x->term));
    trial_trace(t, &line);
}

void trial_event(struct trial *t, uint64_t now, uint32_t conn, int side, const struct iw_event *event)
{
    static const char *const names[IW_EV_KINDS] = {
        [IW_EV_TERMINATE_SENT] = "terminate_sent",
        [IW_EV_TERMINATE_RECEIVED] = "terminate_received",
        [IW_EV_HALF_CLOSED] = "half_closed",
        [IW_EV_FATAL] = "fatal",
        [IW_EV_CLOSED] = "closed",
        [IW_EV_NO_BUFFER] = "no_buffer",
    };
    t->r.terminates += event->kind == IW_EV_TERMINATE_SENT;
    trace_event(t, now, conn, side, names[event->kind], event);
    workload_event(t->workload, now, conn, side, event);
}

void trial_window(struct trial *t, uint64_t now, uint32_t conn, int side, uint64_t ack, uint64_t window)
{
    struct point_results *r = &t->r;
    r->window_min = window < r->window_min ? window : r->window_min;
    r->window_max = r->window_max == UNDEFINED || window > r->window_max ? window : r->window_max;
    if (!t->files.trace)
        return;
    struct trial_line line = line_of(t, now, conn, side, "window", ack, 0);
    line.window_edge = ack + window;
    trial_trace(t, &line);
}

static void raise(uint64_t *most, uint64_t value)
{
    if (*most == UNDEFINED || value > *most)
        *most = value;
}

void trial_adapter(struct trial *t, uint32_t host, const struct rnic *adapter)
{
    const struct rnic_stats *s = rnic_statistics(adapter);
    const struct rnic_histogram *h = rnic_staging_histogram(adapter);
    (void)host;
    raise(&t->r.staging_peak, s->staging_peak);
    raise(&t->r.held_peak, s->held_peak);
    if (h->count)
        raise(&t->r.staging_p999, rnic_histogram_quantile(h, 999, 1000));
    for (uint32_t i = 0; i < RNIC_BINS; i++)
        t->staging[i] += h->bin[i];
    t->r.drops_staging += s->dropped;
    t->crossings += s->crossings;
    t->cpu += s->cpu;
}

void trial_endpoint(struct trial *t, uint32_t conn, int side, const struct iw_ep *ep)
{
    const struct iw_stats *s = iw_statistics(ep);
    uint64_t *state = &t->host_state[host_of(t, conn, side)];
    *state += (uint64_t)s->remembered_peak * iw_ooo_state_octets();
    raise(&t->r.ooo_state_peak, *state);
}

struct trial_counters *trial_counters(struct trial *t)
{
    return &t->counters;
}

/* ---- from measures to results ---- */

static double gbps(uint64_t octets, uint64_t from, uint64_t to)
{
    return from != IW_NEVER && to != IW_NEVER && to > from ? (double)octets * 8e3 / (double)(to - from) : NAN;
}

static double slowest_flow(const struct trial *t)
{
    double least = NAN;
    for (uint32_t c = 0; c < t->connections; c++) {
        const struct flow_measure *f = &t->flow[c];
        double g = gbps(f->bytes, f->first_post, f->last_placed);
        if (isnan(least) || g < least)
            least = g;
    }
    return least;
}

static void fill_latency(struct trial *t)
{
    struct point_results *r = &t->r;
    struct samples *s = &t->latency;
    r->latency_n = s->count;
    if (!s->count)
        return;
    r->latency_mean_us = samples_mean(s) / 1e6;
    r->latency_p50_ps = samples_percentile(s, 50, 100);
    r->latency_p99_ps = samples_percentile(s, 99, 100);
    r->latency_p999_ps = samples_percentile(s, 999, 1000);
    r->latency_max_ps = samples_percentile(s, 1, 1);
    r->fct_slowdown_p50 = (double)samples_percentile(&t->slowdown, 50, 100) / 1e6;
    r->fct_slowdown_p99 = (double)samples_percentile(&t->slowdown, 99, 100) / 1e6;
}

static void fill_counters(struct trial *t)
{
    const struct trial_counters *c = &t->counters;
    struct point_results *r = &t->r;
    r->retransmits_spurious = c->retransmits_spurious;
    r->timeouts = c->timeouts;
    r->drops_channel = c->drops_channel;
    r->drops_switch = c->drops_switch;
    r->crc_errors = c->crc_errors;
    r->ecn_marks = c->ecn_marks;
    r->segments_ooo += c->segments_late;
    r->events = c->events;
}

static void fill_results(struct trial *t)
{
    struct point_results *r = &t->r;
    if (t->unordered && t->half_time != IW_NEVER) {
        t->half_bytes = t->expected / 2;
        t->half_time = t->started + timeline_find(&t->placed, t->half_bytes);
    }
    r->goodput_gbps = gbps(r->bytes, t->first_post, t->last_placed);
    r->steady_gbps =
        t->half_time == IW_NEVER ? NAN : gbps(r->bytes - t->half_bytes, t->half_time, t->last_placed);
    r->flow_min_gbps = slowest_flow(t);
    if (t->over_at != IW_NEVER && t->first_post != IW_NEVER)
        r->completion_ps = t->over_at - t->first_post;
    if (r->completion_ps != UNDEFINED && r->completion_ps)
        r->messages_per_s = (double)r->messages * 1e12 / (double)r->completion_ps;
    if (t->early.count) {
        r->early_p50_ps = bins_percentile(&t->early, 50, 100);
        r->early_p99_ps = bins_percentile(&t->early, 99, 100);
    }
    if (r->bytes && r->staging_peak != UNDEFINED) {
        r->bus_bytes_per_byte = (double)t->crossings / (double)r->bytes;
        r->model_cpu_ns_per_byte = (double)t->cpu / 1e3 / (double)r->bytes;
    }
    fill_latency(t);
    fill_counters(t);
}

/* ---- distributions: coarser bins, 1/16 of an octave ---- */

enum { COARSE = BIN_BITS - 4 };

static void write_bins(FILE *out, const struct trial *t, const struct bins *b)
{
    for (size_t i = 0; out && b->bin && i < BINS;) {
        size_t end = i < (size_t)1 << BIN_BITS ? i + 1 : i + ((size_t)1 << COARSE);
        uint64_t n = 0;
        char low[40], high[40];
        value_decimal(bin_floor(i), 6, low, sizeof low);
        value_decimal(end < BINS ? bin_floor(end) : UINT64_MAX, 6, high, sizeof high);
        for (; i < end; i++)
            n += b->bin[i];
        if (n) {
            csv_cell(out, t->files.label);
            fprintf(out, ",%u,%s,%s,%llu\n", t->point->repeat, low, high, (unsigned long long)n);
        }
    }
}

static void write_staging(FILE *out, const struct trial *t)
{
    for (uint32_t i = 0; out && i < RNIC_BINS; i++) {
        if (!t->staging[i])
            continue;
        csv_cell(out, t->files.label);
        fprintf(out, ",%u,%llu,%llu,%llu\n", t->point->repeat, (unsigned long long)rnic_histogram_floor(i),
                (unsigned long long)rnic_histogram_floor(i + 1), (unsigned long long)t->staging[i]);
    }
}

enum { P50_NEEDS = 10, P99_NEEDS = 100 }; /* messages of a size */

static void write_percentile(FILE *out, struct samples *s, uint32_t n, size_t needs)
{
    putc(',', out);
    if (s->count >= needs)
        fprintf(out, "%.6f", (double)samples_percentile(s, n, 100) / 1e6);
}

/* Slowdown by size of message, an octave each; percentiles that rest on too little are left out. */
static void write_slowdown(FILE *out, struct trial *t)
{
    for (unsigned bits = 0; out && bits < SIZE_CLASSES; bits++) {
        struct samples *s = &t->slowdown_of[bits];
        uint64_t from = bits ? (uint64_t)1 << (bits - 1) : 0, to = (uint64_t)1 << bits;
        if (s->count == 0)
            continue;
        csv_cell(out, t->files.label);
        fprintf(out, ",%u,%llu,%llu,%zu,%.6f", t->point->repeat, (unsigned long long)from,
                (unsigned long long)to, s->count, samples_mean(s) / 1e6);
        write_percentile(out, s, 50, P50_NEEDS);
        write_percentile(out, s, 99, P99_NEEDS);
        putc('\n', out);
    }
}

static void write_distributions(struct trial *t)
{
    struct bins latency = {0};
    for (size_t i = 0; i < t->latency.count; i++)
        t->no_memory |= !bins_add(&latency, t->latency.value[i]);
    write_bins(t->files.latency, t, &latency);
    write_bins(t->files.early, t, &t->early);
    write_staging(t->files.staging, t);
    write_slowdown(t->files.slowdown, t);
    bins_free(&latency);
}

/* ---- life ---- */

static void undefine(struct point_results *r)
{
    memset(r, 0, sizeof *r);
    r->goodput_gbps = r->steady_gbps = r->flow_min_gbps = r->messages_per_s = r->latency_mean_us = NAN;
    r->fct_slowdown_p50 = r->fct_slowdown_p99 = r->bus_bytes_per_byte = r->model_cpu_ns_per_byte = NAN;
    r->completion_ps = r->latency_p50_ps = r->latency_p99_ps = r->latency_p999_ps = r->latency_max_ps =
        UNDEFINED;
    r->early_p50_ps = r->early_p99_ps = r->staging_peak = r->staging_p999 = r->held_peak = r->ooo_state_peak =
        UNDEFINED;
    r->window_min = r->window_max = UNDEFINED;
}

static bool make_workload(struct trial *t)
{
    static const struct workload_world world = {NULL,       offer_memory, offer_rebind, offer_invalidate,
                                                offer_post, offer_close,  offer_wake,   offer_inject};
    struct workload_world mine = world;
    struct workload_notes notes = {t, on_message, on_broken};
    mine.context = t;
    void *memory = malloc(workload_size(&t->point->workload));
    if (memory)
        t->workload = workload_init(memory, &t->point->workload, &mine, &notes);
    return memory != NULL;
}

static bool make_measures(struct trial *t)
{
    t->connections = workload_connections(&t->point->workload);
    t->flow = calloc(t->connections, sizeof *t->flow);
    t->host_state = calloc(t->point->workload.hosts, sizeof *t->host_state);
    for (uint32_t c = 0; t->flow && c < t->connections; c++)
        t->flow[c].first_post = t->flow[c].last_placed = IW_NEVER;
    return t->flow && t->host_state;
}

struct trial *trial_new(const struct scenario_point *point, const struct trial_files *files)
{
    struct trial *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->point = point;
    t->files = *files;
    t->expected = workload_octets(&point->workload);
    t->placed.width = 1000;
    t->first_post = t->last_placed = t->half_time = t->over_at = IW_NEVER;
    undefine(&t->r);
    clock_gettime(CLOCK_MONOTONIC, &t->wall);
    if (make_measures(t) && make_workload(t))
        return t;
    trial_free(t);
    return NULL;
}

void trial_run(struct trial *t, trial_world *run, struct point_results *results)
{
    int result = run(t->point, t);
    if (result != 0)
        trial_refuse(t, "the world cannot run this point");
    else if (!t->stopped && !workload_over(t->workload))
        hit_limit(t, STATUS_STALLED, "the world stopped before the workload was over");
    if (t->running)
        workload_stop(t->workload, t->progress);
    fill_results(t);
    write_distributions(t);
    if (t->no_memory) {
        t->r.status = STATUS_CRASHED;
        say(t, "out of memory");
    }
    *results = t->r;
}

void trial_free(struct trial *t)
{
    if (!t)
        return;
    for (uint32_t c = 0; t->flow && c < t->connections; c++)
        for (int side = 0; side < 2; side++)
            free(t->flow[c].side[side].waiting.heap);
    free(t->flow);
    free(t->host_state);
    free(t->workload);
    samples_free(&t->latency);
    samples_free(&t->slowdown);
    for (int i = 0; i < SIZE_CLASSES; i++)
        samples_free(&t->slowdown_of[i]);
    bins_free(&t->early);
    free(t);
}
