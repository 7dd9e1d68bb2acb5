/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_trace.c -- the lines of a trial's trace (trial.h: trial_line). */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "engine/rdmap.h"
#include "helpers/trial/trial_inner.h"
#include "scenarios/workloads/request.h"

const char trial_link_columns[] = "point,repeat,link,from,to,rate_gbps,packets,bytes,drops,marks,trims,lost,"
                                  "queue_peak_bytes,queue_mean_bytes,pauses,paused_us,failed,parallel\n";

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
    fprintf(out, ",%.6f", l->paused / 1e6);
    link_count(out, l->failed);
    link_count(out, l->parallel);
    putc('\n', out);
}

bool trial_tracing(const struct trial *t)
{
    return t->files.trace || t->files.line;
}

enum trace_column {
    T_PS,
    NODE,
    CONN,
    EVENT,
    KEY,
    LENGTH,
    STAG,
    TO,
    QN,
    MSN,
    MO,
    WINDOW_EDGE,
    STAGING,
    CWND,
    SSTHRESH,
    SRTT,
    SIDE,
    OOO,
    END,
    HELD,
    CROSSINGS,
    TEXT,
    HEAD
};
const struct column_head trial_columns[TRACE_COLUMNS] = {
    [T_PS] = {CELL_NUMBER, "t_ps"},
    [NODE] = {CELL_NUMBER, "node"},
    [CONN] = {CELL_NUMBER, "conn"},
    [EVENT] = {CELL_WORD, "event"},
    [KEY] = {CELL_NUMBER, "key"},
    [LENGTH] = {CELL_NUMBER, "length"},
    [STAG] = {CELL_STAG, "stag"},
    [TO] = {CELL_NUMBER, "to"},
    [QN] = {CELL_NUMBER, "qn"},
    [MSN] = {CELL_NUMBER, "msn"},
    [MO] = {CELL_NUMBER, "mo"},
    [WINDOW_EDGE] = {CELL_NUMBER, "window_edge"},
    [STAGING] = {CELL_NUMBER, "staging"},
    [CWND] = {CELL_NUMBER, "cwnd"},
    [SSTHRESH] = {CELL_NUMBER, "ssthresh"},
    [SRTT] = {CELL_NUMBER, "srtt_ps"},
    [SIDE] = {CELL_NUMBER, "side"},
    [OOO] = {CELL_NUMBER, "ooo"},
    [END] = {CELL_NUMBER, "end"},
    [HELD] = {CELL_NUMBER, "held"},
    [CROSSINGS] = {CELL_NUMBER, "crossings"},
    [TEXT] = {CELL_WORD, "text"},
    [HEAD] = {CELL_HEX, "head"},
};

_Static_assert(sizeof trial_columns / sizeof *trial_columns <= COLUMNS_WRITTEN, "a row has room for all");

#define WORD(kind, word)                                    [TRACE_##kind] = word,
#define NODE_WORD(kind, traced, word, source, says, traits) [TRACE_##traced] = word,
const char *const trace_words[TRACE_KINDS] = {[TRACE_OTHER] = "",
                                              NODE_EVENT_TABLE(NODE_WORD) TRACE_TABLE(WORD)};
#define LEN(kind, word)                                    [TRACE_##kind] = sizeof word - 1,
#define NODE_LEN(kind, traced, word, source, says, traits) [TRACE_##traced] = sizeof word - 1,
static const uint8_t word_len[TRACE_KINDS] = {NODE_EVENT_TABLE(NODE_LEN) TRACE_TABLE(LEN)};

enum trace_kind trace_kind_of(const char *word)
{
    size_t len = strcspn(word, ",");
    for (int kind = TRACE_KINDS - 1; kind > TRACE_OTHER && len; kind--)
        if (strlen(trace_words[kind]) == len && memcmp(trace_words[kind], word, len) == 0)
            return (enum trace_kind)kind;
    return TRACE_OTHER;
}

/* ---- the cells of a line ---- */

static const char *word_of(const struct trial_line *line)
{
    return line->kind == TRACE_OTHER ? line->other : trace_words[line->kind];
}

static size_t word_length(const struct trial_line *line)
{
    return line->kind == TRACE_OTHER ? strlen(line->other) : word_len[line->kind];
}

static void put_tagged(uint64_t *cell, iw_stag stag, uint64_t to)
{
    cell[STAG] = stag;
    cell[TO] = to;
}

static void put_head(uint64_t *cell, const struct trial_line *line)
{
    struct ddp_head h;
    if (line->place) {
        put_tagged(cell, line->place->stag, line->place->to);
    } else if (line->seg && ddp_head_get(line->seg->head, line->seg->head_len, &h)) {
        if (h.tagged) {
            put_tagged(cell, h.stag, h.to);
            return;
        }
        cell[QN] = h.qn;
        cell[MSN] = h.msn;
        cell[MO] = h.mo;
    }
}

static const struct rnic_stats *adapter_of(const struct trial *t, const struct trial_line *line)
{
    return line->conn >= 0 ? t->flow[line->conn].side[line->side].adapter : NULL;
}

/* Where it is watched; a threshold or a round trip that nothing has set yet is empty. */
static void put_path(uint64_t *cell, const struct trial *t, const struct trial_line *line)
{
    struct llp_stats s;
    s.cwnd = s.ssthresh = CELL_EMPTY;
    s.srtt = 0;
    const struct trial_side *side = line->conn >= 0 ? &t->flow[line->conn].side[line->side] : NULL;
    if (side && side->llp)
        side->llp->statistics(side->lower, &s);
    cell[CWND] = s.cwnd;
    cell[SSTHRESH] = s.ssthresh;
    cell[SRTT] = s.srtt ? s.srtt : CELL_EMPTY;
}

void trial_trace(struct trial *t, const struct trial_line *line)
{
    if (t->files.line)
        t->files.line(t->files.listener, line);
    if (!t->files.trace)
        return;
    const struct rnic_stats *adapter = adapter_of(t, line);
    const void *octets[TRACE_COLUMNS];
    octets[EVENT] = word_of(line);
    octets[TEXT] = line->text;
    octets[HEAD] = line->seg ? line->seg->head : NULL;
    uint64_t cell[TRACE_COLUMNS] = {
        /* all of them, so that nothing is cleared first */
        [T_PS] = line->t,
        [NODE] = line->node,
        [CONN] = line->conn >= 0 ? (uint64_t)line->conn : CELL_EMPTY,
        [EVENT] = word_length(line),
        [KEY] = line->key,
        [LENGTH] = line->length,
        [STAG] = CELL_EMPTY,
        [TO] = CELL_EMPTY,
        [QN] = CELL_EMPTY,
        [MSN] = CELL_EMPTY,
        [MO] = CELL_EMPTY,
        [WINDOW_EDGE] = line->window_edge,
        [STAGING] = adapter ? adapter->staging : line->staging,
        [CWND] = CELL_EMPTY,
        [SSTHRESH] = CELL_EMPTY,
        [SRTT] = CELL_EMPTY,
        [SIDE] = (uint64_t)line->side,
        [OOO] = line->ooo,
        [END] = line->end ? line->end : CELL_EMPTY,
        [HELD] = adapter ? adapter->held : CELL_EMPTY,
        [CROSSINGS] = adapter ? adapter->crossings : CELL_EMPTY,
        [TEXT] = *line->text ? strlen(line->text) : 0,
        [HEAD] = line->seg ? line->seg->len : 0,
    };
    put_head(cell, line);
    put_path(cell, t, line);
    columns_row(t->files.trace, cell, octets);
}

void trial_watch(struct trial *t, uint32_t conn, int side, const struct rnic *adapter, const struct llp *llp,
                 const void *l)
{
    t->flow[conn].side[side].adapter = adapter ? rnic_statistics(adapter) : NULL;
    t->flow[conn].side[side].llp = llp;
    t->flow[conn].side[side].lower = l;
}

void trace_line(struct trial_line *line, const struct trial *t, uint64_t now, uint32_t conn, int side,
                enum trace_kind kind)
{
    line->trial = t;
    line->t = now;
    line->node = trial_host(t, conn, side);
    line->conn = conn;
    line->side = side;
    line->kind = kind;
    line->other = NULL;
    line->key = line->window_edge = line->staging = IW_NEVER;
    line->length = 0;
    line->seg = NULL;
    line->ooo = false;
    line->end = 0;
    line->place = NULL;
    line->text[0] = 0;
}

/* ---- links ---- */

void trial_link_changes(struct trial *t, uint64_t now, uint32_t host, const char *name,
                        enum trial_link_change change, double gbps)
{
    static const char *const does[] = {[TRIAL_LINK_DOWN] = "goes down",
                                       [TRIAL_LINK_UP] = "is up again",
                                       [TRIAL_LINK_RATE] = "has another rate from the next packet on",
                                       [TRIAL_LINK_AVOIDED] =
                                           "is avoided by routes; what waits for it is lost"};
    char rate[32] = "";
    struct trial_line line = {.t = now,
                              .node = host,
                              .conn = -1,
                              .kind = TRACE_LINK,
                              .key = IW_NEVER,
                              .window_edge = IW_NEVER,
                              .staging = IW_NEVER};
    if (change == TRIAL_LINK_RATE)
        snprintf(rate, sizeof rate, ": %.9g Gbps", gbps);
    snprintf(line.text, sizeof line.text, "%.60s %s%s", name, does[change], rate);
    trial_trace(t, &line);
}

/* ---- memory ---- */

/* A region of a host: its name, range, rights and domain. */
void trace_region(struct trial *t, uint32_t host, enum trace_kind kind, iw_stag stag,
                  const struct iw_region *region)
{
    if (!trial_tracing(t))
        return;
    struct node_place place = {.stag = stag, .to = region->to};
    uint32_t length = region->len < UINT32_MAX ? (uint32_t)region->len : UINT32_MAX;
    struct trial_line line = {.t = t->progress,
                              .node = host,
                              .conn = -1,
                              .kind = kind,
                              .key = IW_NEVER,
                              .length = length,
                              .window_edge = IW_NEVER,
                              .staging = IW_NEVER,
                              .place = &place};
    snprintf(line.text, sizeof line.text, "%s%s%sdomain %u",
             region->rights & IW_LOCAL_WRITE ? "local write; " : "",
             region->rights & IW_REMOTE_READ ? "remote read; " : "",
             region->rights & IW_REMOTE_WRITE ? "remote write; " : "", region->pd);
    trial_trace(t, &line);
}

/* A request: where it reaches; a receive: where its octets will go. */
void trace_post(struct trial *t, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    if (!t->files.trace)
        return;
    bool recv = work->op == IW_RECV, remote = work->remote_stag != 0;
    struct node_place place = {.stag = recv ? work->sge[0].stag : work->remote_stag,
                               .to = recv ? work->sge[0].to : work->remote_to};
    struct trial_line line;
    trace_line(&line, t, now, conn, side, recv ? TRACE_RECV : TRACE_POST);
    line.key = work->id;
    line.length = request_length(work);
    line.place = recv || remote ? &place : NULL;
    snprintf(line.text, sizeof line.text, "%s%s", request_name(work->op),
             work->flags & IW_FENCE ? "; fenced" : "");
    trial_trace(t, &line);
}

/* By its way to learn of the Write, and whether that is a peek. */
void trace_taken(struct trial *t, uint64_t key, const struct workload_message *m)
{
    uint32_t conn = m->conn;
    const struct workload_conf *conf = workload_conf_of(&t->point->workload, &conn);
    if (!t->files.trace)
        return;
    struct trial_line line;
    trace_line(&line, t, m->t_taken, m->conn, !m->side, TRACE_LOOKED);
    line.key = key;
    line.length = m->length;
    snprintf(line.text, sizeof line.text, "%s%s", workload_notify_words[conf->notify],
             workload_mark_is(conf->notify, WORKLOAD_MARK_EARLY) ? "; a peek" : "");
    trial_trace(t, &line);
}
