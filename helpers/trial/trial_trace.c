/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_trace.c -- the lines of a trial's trace (trial.h: trial_line). */
#include <string.h>

#include "engine/rdmap.h"
#include "helpers/trial/trial_inner.h"
#include "llp/mpa.h"
#include "scenarios/workloads/request.h"

const char trial_link_columns[] = "point,repeat,link,from,to,rate_gbps,packets,bytes,drops,marks,trims,lost,"
                                  "queue_peak_bytes,queue_mean_bytes,pauses,paused_us\n";

bool trial_asks_for_links(const struct trial *t)
{
    return t->files.links != NULL;
}

static void link_count(FILE *out, uint64_t n)
{
    fprintf(out, ",%llu", (unsigned long long)n);
}

void trial_link(struct trial *t, const struct trial_link *l)
{
    FILE *out = t->files.links;
    csv_cell(out, t->files.label);
    fprintf(out, ",%u,%u,", t->point->repeat, l->link);
    csv_cell(out, l->from);
    putc(',', out);
    csv_cell(out, l->to);
    fprintf(out, ",%.9g", l->rate / 1e9);
    const uint64_t counts[] = {l->packets, l->octets, l->drops, l->marks, l->trims, l->lost, l->queue_peak};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        link_count(out, counts[i]);
    fprintf(out, ",%.1f", l->queue_mean);
    link_count(out, l->pauses);
    fprintf(out, ",%.6f\n", l->paused / 1e6);
}

bool trial_tracing(const struct trial *t)
{
    return t->files.trace != NULL;
}

const char trial_columns[] =
    "t_ps,node,conn,event,key,length,stag,to,qn,msn,mo,window_edge,staging,cwnd,ssthresh,srtt_ps,"
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
    for (uint8_t f = 0; f < seg->frags; f++) {
        const uint8_t *octets = seg->frag[f].octets;
        for (uint32_t i = 0; octets && i < seg->frag[f].len && most; i++, most--)
            fprintf(out, "%02x", octets[i]);
    }
}

static const struct rnic_stats *adapter_of(const struct trial *t, const struct trial_line *line)
{
    return line->conn >= 0 ? t->flow[line->conn].side[line->side].adapter : NULL;
}

/* Where it is watched; a threshold or a round trip that nothing has set yet is empty. */
static void trace_path(const struct trial *t, FILE *out, const struct trial_line *line)
{
    struct llp_stats s = {.cwnd = IW_NEVER, .ssthresh = IW_NEVER};
    const struct side_measure *side = line->conn >= 0 ? &t->flow[line->conn].side[line->side] : NULL;
    if (side && side->llp)
        side->llp->statistics(side->lower, &s);
    trace_number(out, s.cwnd);
    trace_number(out, s.ssthresh);
    trace_number(out, s.srtt ? s.srtt : IW_NEVER);
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
    trace_path(t, out, line);
    trace_rest(out, line, adapter);
}

void trial_watch(struct trial *t, uint32_t conn, int side, const struct rnic *adapter, const struct llp *llp,
                 const void *l)
{
    t->flow[conn].side[side].adapter = adapter ? rnic_statistics(adapter) : NULL;
    t->flow[conn].side[side].llp = llp;
    t->flow[conn].side[side].lower = l;
}

static struct trial_line line_of(const struct trial *t, uint64_t now, uint32_t conn, int side,
                                 const char *event, uint64_t key, uint32_t length)
{
    return (struct trial_line){.t = now,
                               .node = trial_host(t, conn, side),
                               .conn = conn,
                               .event = event,
                               .key = key,
                               .length = length,
                               .window_edge = IW_NEVER,
                               .staging = IW_NEVER,
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

/* ---- segments ---- */

/* Stream offset behind the FPDU of a segment; SCTP and packet transports count messages instead. */
static uint64_t end_of(const struct trial *t, const struct iw_seg *seg)
{
    if (t->point->llp.kind == LLP_SCTP || t->point->llp.kind == LLP_PACKET)
        return seg->key + 1;
    return seg->key + mpa_fpdu_size(seg->key, seg->head_len + seg->payload_len, t->point->llp.markers);
}

void trace_sent(struct trial *t, uint64_t now, uint32_t conn, int side, const struct iw_seg *seg)
{
    if (!t->files.trace)
        return;
    struct trial_line line = line_of(t, now, conn, side, "sent", seg->key, seg->payload_len);
    line.seg = seg;
    line.end = end_of(t, seg);
    trial_trace(t, &line);
}

void trace_arrived(struct trial *t, uint64_t now, uint32_t conn, int side, uint64_t key, uint32_t payload_len,
                   bool ooo)
{
    if (!t->files.trace)
        return;
    struct trial_line line = line_of(t, now, conn, side, "arrived", key, payload_len);
    line.ooo = ooo;
    trial_trace(t, &line);
}

/* A placement has no segment any more, but says where the octets are. */
void trace_place(struct trial *t, uint64_t now, uint32_t conn, int side, uint64_t key,
                 const struct iw_place *place, bool ooo)
{
    if (!t->files.trace)
        return;
    struct trial_line line = line_of(t, now, conn, side, "placed", key, place->len);
    line.place = place;
    line.ooo = ooo;
    trial_trace(t, &line);
}

void trace_window(struct trial *t, uint64_t now, uint32_t conn, int side, uint64_t ack, uint64_t window)
{
    if (!t->files.trace)
        return;
    struct trial_line line = line_of(t, now, conn, side, "window", ack, 0);
    line.window_edge = ack + window;
    trial_trace(t, &line);
}

/* ---- memory ---- */

/* A region of a host: its name, range, rights and domain. */
void trace_region(struct trial *t, uint32_t host, const char *event, iw_stag stag,
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
                              .place = &place,
                              .text = text};
    snprintf(text, sizeof text, "%s%s%sdomain %u", region->rights & IW_LOCAL_WRITE ? "local write; " : "",
             region->rights & IW_REMOTE_READ ? "remote read; " : "",
             region->rights & IW_REMOTE_WRITE ? "remote write; " : "", region->pd);
    trial_trace(t, &line);
}

/* ---- work and its completion ---- */

/* A request: where it reaches; a receive: where its octets will go. */
void trace_post(struct trial *t, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    if (!t->files.trace)
        return;
    char text[64];
    bool recv = work->op == IW_RECV, remote = work->remote_stag != 0;
    struct iw_place place = {.stag = recv ? work->sge[0].stag : work->remote_stag,
                             .to = recv ? work->sge[0].to : work->remote_to};
    struct trial_line line =
        line_of(t, now, conn, side, recv ? "recv" : "post", work->id, request_length(work));
    line.place = recv || remote ? &place : NULL;
    line.text = text;
    snprintf(text, sizeof text, "%s%s", request_name(work->op), work->flags & IW_FENCE ? "; fenced" : "");
    trial_trace(t, &line);
}

/* Of a message of a transport class: "Write; acknowledged", or "Write; not asked for", when nobody asked whether it came.
 * "Send", "receive; solicited; STag 0x00000100 invalidated", "Write; flushed", "receive; 1/1/01", "FetchAdd; it was 5" */
void trace_done(struct trial *t, uint64_t now, uint32_t conn, int side, const struct iw_done *done)
{
    if (!t->files.trace)
        return;
    char text[120], status[32] = "", invalid[40] = "";
    const struct workload_conf *w = &t->point->workload;
    if (done->status == IW_FLUSHED)
        snprintf(status, sizeof status, "; flushed");
    else if (done->status > 0)
        snprintf(status, sizeof status, "; %d/%d/%02x", IW_TERM_LAYER(done->status),
                 IW_TERM_ETYPE(done->status), (unsigned)IW_TERM_CODE(done->status));
    if (done->invalidated)
        snprintf(invalid, sizeof invalid, "; STag 0x%08x invalidated", done->invalidated);
    if (done->status == IW_OK && (done->op == IW_FETCH_ADD || done->op == IW_CMP_SWAP))
        snprintf(status, sizeof status, "; it was %llu", (unsigned long long)done->rsvdulp);
    if (workload_is(w->kind, WORKLOAD_BARE) && !*status)
        snprintf(status, sizeof status, "; %s",
                 workload_transport_is(w->transport, WORKLOAD_RELIABLE) ? "acknowledged" : "not asked for");
    snprintf(text, sizeof text, "%s%s%s%s", request_name(done->op), done->solicited ? "; solicited" : "",
             invalid, status);
    trial_note(t, now, conn, side, "done", done->id, 0, done->len, text);
}

/* With the value of the Terminate, and the DDP header that it carries back. */
void trace_event(struct trial *t, uint64_t now, uint32_t conn, int side, const char *name,
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
