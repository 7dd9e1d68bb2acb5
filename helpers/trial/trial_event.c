/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_event.c -- what happens in a trial's world: for each kind its line of the trace, what is measured, what the workload
 * hears. One table (trial.h: trial_event). */
#include <stdio.h>
#include <string.h>

#include "engine/rdmap.h"
#include "helpers/trial/trial_inner.h"
#include "llp/mpa.h"
#include "scenarios/workloads/request.h"

static uint32_t conn_of(const struct node_event *e)
{
    return (uint32_t)(e->user / 2);
}

static int side_of(const struct node_event *e)
{
    return (int)(e->user % 2);
}

/* ---- lines of the trace: false, there is none ---- */

static void add_words(struct trial_line *line, const char *words)
{
    size_t used = strlen(line->text), len = strlen(words), room = sizeof line->text - 1 - used;
    len = len < room ? len : room;
    memcpy(line->text + used, words, len);
    line->text[used + len] = 0;
}

static bool packet(const struct node_event *e, struct trial_line *line)
{
    line->end = e->end;
    line->length = e->len ? e->len : (uint32_t)(e->end - e->key);
    if (e->altered)
        add_words(line, "altered on the way");
    return true;
}

static bool drop(const struct node_event *e, struct trial_line *line)
{
    if (e->why == NODE_FOR_STAGING)
        line->kind = TRACE_DROPPED;
    return packet(e, line);
}

/* One by one they tell no more than what is sent. */
static bool read_from_memory(const struct node_event *e, struct trial_line *line)
{
    return line->trial->point->rnic.read_order != RNIC_READS_ONE_BY_ONE && packet(e, line);
}

static bool timer(const struct node_event *e, struct trial_line *line)
{
    packet(e, line);
    add_words(line, e->spurious ? "nothing was lost" : "");
    return true;
}

static bool bare(const struct node_event *e, struct trial_line *line)
{
    (void)e, (void)line;
    return true;
}

/* Stream offset behind the FPDU of a segment; SCTP and packet transports count messages instead. */
static bool segment(const struct node_event *e, struct trial_line *line)
{
    const struct trial *t = line->trial;
    bool counts = t->point->llp.kind == LLP_SCTP || t->point->llp.kind == LLP_PACKET;
    uint64_t fpdu = mpa_fpdu_size(e->key, e->seg.head_len + e->len, t->point->llp.markers);
    line->length = e->len;
    line->end = e->key + (counts ? 1 : fpdu);
    line->seg = &e->seg;
    return true;
}

static bool again(const struct node_event *e, struct trial_line *line)
{
    line->end = e->end;
    line->length = (uint32_t)(e->end - e->key);
    add_words(line, e->reason ? llp_reason_names[e->reason] : "");
    return true;
}

static bool taken(const struct node_event *e, struct trial_line *line)
{
    line->length = e->len;
    line->ooo = !e->in_order;
    return true;
}

/* A header that RDMAP keeps is nobody's payload. */
static bool is_payload(const struct node_event *e)
{
    return e->place.len && e->place.stag;
}

/* A placement has no segment any more, but says where the octets are. */
static bool place(const struct node_event *e, struct trial_line *line)
{
    line->length = e->place.len;
    line->ooo = !e->in_order;
    line->place = &e->place;
    return is_payload(e);
}

static bool message(const struct node_event *e, struct trial_line *line)
{
    line->length = e->message.length;
    if (workload_is(line->trial->point->workload.kind, WORKLOAD_ON_DDP))
        add_words(line, request_name(e->message.tagged ? IW_DDP_TAGGED : IW_DDP_UNTAGGED));
    else if (e->message.opcode < RDMAP_OPCODES)
        add_words(line, rdmap_rules[e->message.opcode].name);
    return true;
}

static bool edge(const struct node_event *e, struct trial_line *line)
{
    return e->key > line->trial->flow[conn_of(e)].side[side_of(e)].edge;
}

static bool window(const struct node_event *e, struct trial_line *line)
{
    line->window_edge = e->edge;
    return true;
}

static bool heard(const struct node_event *e, struct trial_line *line)
{
    char text[24] = "packet ";
    *cells_number(text + strlen(text), e->ack.number) = 0;
    add_words(line, text);
    return true;
}

/* "packet 17; behind 1460 .. 2919 and 5840 .. 7299": over SCTP chunks, from the first one missing on. */
static bool acked(const struct node_event *e, struct trial_line *line)
{
    bool chunks = line->trial->point->llp.kind == LLP_SCTP;
    uint64_t first = chunks ? 1 : e->key;
    char text[48];
    heard(e, line);
    for (uint32_t i = 0; i < e->ack.runs; i++) {
        const uint32_t *run = e->ack.run[i];
        snprintf(text, sizeof text, "%s%llu .. %llu", i ? " and " : "; behind ",
                 (unsigned long long)(first + run[0]), (unsigned long long)(first + run[1] - 1));
        add_words(line, text);
    }
    return true;
}

static bool closes(const struct node_event *e, struct trial_line *line)
{
    line->key = IW_NEVER;
    add_words(line, e->term == IW_LLP_SEND_FIN ? "FIN" : "RST");
    return true;
}

static void add_term(struct trial_line *line, const char *before, int term)
{
    char text[24];
    snprintf(text, sizeof text, "%s%d/%d/%02x", before, IW_TERM_LAYER(term), IW_TERM_ETYPE(term),
             (unsigned)IW_TERM_CODE(term));
    add_words(line, text);
}

/* "; flushed", "; 1/1/01", "; it was 5"; of a message of a transport class "; acknowledged", or "; not asked for", when nobody
 * asked whether it came. */
static void add_status(const struct trial *t, const struct iw_done *done, struct trial_line *line)
{
    char text[40] = "";
    const struct workload_conf *w = &t->point->workload;
    if (done->status == IW_FLUSHED)
        add_words(line, "; flushed");
    else if (done->status > 0)
        add_term(line, "; ", done->status);
    else if (done->status == IW_OK && (done->op == IW_FETCH_ADD || done->op == IW_CMP_SWAP))
        snprintf(text, sizeof text, "; it was %llu", (unsigned long long)done->rsvdulp);
    else if (workload_is(w->kind, WORKLOAD_BARE))
        add_words(line, workload_transport_is(w->transport, WORKLOAD_RELIABLE) ? "; acknowledged"
                                                                               : "; not asked for");
    add_words(line, text);
}

/* "Send", "receive; solicited; STag 0x00000100 invalidated", "Write; flushed" */
static bool done(const struct node_event *e, struct trial_line *line)
{
    char text[40] = "";
    line->key = e->done.id;
    line->length = e->done.len;
    add_words(line, request_name(e->done.op));
    add_words(line, e->done.solicited ? "; solicited" : "");
    if (e->done.invalidated)
        snprintf(text, sizeof text, "; STag 0x%08x invalidated", e->done.invalidated);
    add_words(line, text);
    add_status(line->trial, &e->done, line);
    return true;
}

/* With the value of the Terminate, and the DDP header that it carries back. */
static bool endpoint(const struct node_event *e, struct trial_line *line)
{
    static const enum trace_kind kinds[IW_EV_KINDS] = {
        [IW_EV_TERMINATE_SENT] = TRACE_TERMINATE_SENT,
        [IW_EV_TERMINATE_RECEIVED] = TRACE_TERMINATE_RECEIVED,
        [IW_EV_HALF_CLOSED] = TRACE_HALF_CLOSED,
        [IW_EV_FATAL] = TRACE_FATAL,
        [IW_EV_CLOSED] = TRACE_CLOSED,
        [IW_EV_NO_BUFFER] = TRACE_NO_BUFFER,
    };
    const struct node_endpoint_event *x = &e->event;
    line->kind = kinds[x->kind];
    line->key = IW_NEVER;
    line->length = x->valid && x->has_len ? x->segment_len : 0;
    if (x->valid && x->has_head && x->head_len) {
        line->own = (struct node_seg){.head_len = x->head_len, .len = x->head_len};
        memcpy(line->own.head, x->head, x->head_len);
        line->seg = &line->own;
    }
    if (x->term)
        add_term(line, "", x->term);
    return true;
}

/* ---- what is measured, and what the workload hears ---- */

static struct iw_seg seg_of(const struct node_event *e)
{
    struct iw_seg seg = {.key = e->key, .payload_len = e->len, .head_len = e->seg.head_len};
    memcpy(seg.head, e->seg.head, sizeof seg.head);
    return seg;
}

static void sent(struct trial *t, const struct node_event *e)
{
    struct iw_seg seg = seg_of(e);
    workload_sent(t->workload, e->t, conn_of(e), side_of(e), &seg);
}

static void resent(struct trial *t, const struct node_event *e)
{
    t->r.retransmits++;
    t->flow[conn_of(e)].resent++;
    loads_resent(t, conn_of(e));
    workload_resent(t->workload, conn_of(e), side_of(e), e->key, e->end);
}

static void spurious(struct trial *t, const struct node_event *e)
{
    (void)e;
    t->r.counted.retransmits_spurious++;
}

static struct iw_place place_of(const struct node_event *e)
{
    return (struct iw_place){
        .len = e->place.len, .stag = e->place.stag, .msn = e->place.msn, .to = e->place.to};
}

static void count_octets(struct trial *t, struct trial_tally *a, const struct node_event *e)
{
    tally_octets(t, a, e->t, conn_of(e), side_of(e), e->place.len, !e->in_order);
}

/* A share of all octets begins and ends with some of them. */
static void placed(struct trial *t, const struct node_event *e)
{
    const struct iw_place at = place_of(e);
    if (has_share(t)) {
        count_octets(t, t->tally, e);
        trial_octets(t, e->t, at.len);
    }
    workload_placed(t->workload, e->t, conn_of(e), side_of(e), &at);
}

static void delivered(struct trial *t, const struct node_event *e)
{
    const struct iw_message m = {.first_key = e->message.key,
                                 .key = e->message.key,
                                 .to = e->message.to,
                                 .length = e->message.length,
                                 .head = {.tagged = e->message.tagged},
                                 .ctl = {.opcode = e->message.opcode}};
    workload_delivered(t->workload, e->t, conn_of(e), side_of(e), &m);
}

static void completed(struct trial *t, const struct node_event *e)
{
    measure_progress(t, e->t);
    workload_done(t->workload, e->t, conn_of(e), side_of(e), &e->done);
}

static void endpoint_told(struct trial *t, const struct node_event *e)
{
    const struct iw_event event = {
        .kind = e->event.kind, .valid = e->event.valid, .terminate = {.term = e->event.term}};
    t->r.terminates += event.kind == IW_EV_TERMINATE_SENT;
    if (event.kind == IW_EV_TERMINATE_SENT)
        loads_terminated(t, conn_of(e));
    workload_event(t->workload, e->t, conn_of(e), side_of(e), &event);
}

/* ---- what is counted in no order: what of it is left, an or of trial_left ---- */

/* The message that they belong to is found among those that this side has posted or has been sent; what it has retransmitted finds
 * it by what it had sent until then. */
static unsigned pulled(struct trial *t, struct trial_tally *a, const struct node_event *e)
{
    struct iw_seg seg = seg_of(e);
    bool behind = t->flow[conn_of(e)].side[side_of(e)].resent_in == t->windows;
    (void)a;
    return !behind && workload_sent_alone(t->workload, conn_of(e), side_of(e), &seg) ? 0 : TRIAL_REST;
}

static unsigned retransmitted(struct trial *t, struct trial_tally *a, const struct node_event *e)
{
    (void)a;
    t->flow[conn_of(e)].side[side_of(e)].resent_in = t->windows;
    return TRIAL_REST;
}

static unsigned arrived(struct trial *t, struct trial_tally *a, const struct node_event *e)
{
    tally_taken(t, a, conn_of(e), !e->in_order, e->late && e->in_order);
    return 0;
}

static unsigned in_memory(struct trial *t, struct trial_tally *a, const struct node_event *e)
{
    const struct iw_place at = place_of(e);
    tally_placed(t, a, e->t, conn_of(e), side_of(e), e->key);
    if (!is_payload(e))
        return 0;
    t->host_placed[trial_host(t, conn_of(e), side_of(e))] = true;
    series_placed(t, conn_of(e), side_of(e), at.len);
    if (has_share(t))
        return TRIAL_REST;
    count_octets(t, a, e);
    bool alone = workload_placed_alone(t->workload, e->t, conn_of(e), side_of(e), &at);
    return TRIAL_OCTETS | (alone ? 0 : TRIAL_REST);
}

static unsigned edge_moved(struct trial *t, struct trial_tally *a, const struct node_event *e)
{
    tally_edge(t, a, e->t, conn_of(e), side_of(e), e->key);
    return 0;
}

/* RFC 9293 3.8.6: a window does not shrink. What SCTP advertises is credit, and may. */
static unsigned window_told(struct trial *t, struct trial_tally *a, const struct node_event *e)
{
    struct trial_side *s = &t->flow[conn_of(e)].side[side_of(e)];
    bool right = e->edge >= s->window_edge || t->point->llp.kind == LLP_SCTP;
    tally_window(a, e->edge - e->key);
    s->window_edge = e->edge > s->window_edge ? e->edge : s->window_edge;
    return right ? 0 : TRIAL_REST;
}

static unsigned bound(struct trial *t, struct trial_tally *a, const struct node_event *e)
{
    bounds_told(t, a, e->t, conn_of(e), side_of(e), e->bound);
    return 0;
}

static void window_broken(struct trial *t, const struct node_event *e)
{
    uint64_t edge = t->flow[conn_of(e)].side[side_of(e)].window_edge;
    trial_broken(t, e->t,
                 "broken law: the right edge of a window never moves left: connection %u, side %d, from "
                 "%llu to %llu",
                 conn_of(e), side_of(e), (unsigned long long)edge, (unsigned long long)e->edge);
}

/* ---- the table ---- */

static const struct {
    bool (*trace)(const struct node_event *e, struct trial_line *line);
    unsigned (*tally)(struct trial *t, struct trial_tally *a, const struct node_event *e);
    void (*count)(struct trial *t, const struct node_event *e); /* in the order of all hosts */
} rows[] = {[NODE_NO_EVENT] = {NULL, NULL, NULL},
            [NODE_PULLED] = {segment, pulled, sent},
            [NODE_SNAPSHOT] = {read_from_memory, NULL, NULL},
            [NODE_SENT] = {packet, NULL, NULL},
            [NODE_RETRANSMITTED] = {again, retransmitted, resent},
            [NODE_SPURIOUS] = {packet, NULL, spurious},
            [NODE_UNDONE] = {packet, NULL, NULL},
            [NODE_TIMEOUT] = {timer, NULL, NULL},
            [NODE_STALLED] = {packet, NULL, NULL},
            [NODE_PROBED] = {packet, NULL, NULL},
            [NODE_ACKED] = {acked, NULL, NULL},
            [NODE_HEARD] = {heard, NULL, NULL},
            [NODE_ARRIVED] = {packet, NULL, NULL},
            [NODE_DROPPED] = {drop, NULL, NULL},
            [NODE_TAKEN] = {taken, arrived, NULL},
            [NODE_HELD] = {NULL, NULL, NULL},
            [NODE_WRITTEN] = {place, NULL, NULL},
            [NODE_PLACED] = {place, in_memory, placed},
            [NODE_KEPT] = {bare, NULL, NULL},
            [NODE_DELIVERED] = {message, NULL, delivered},
            [NODE_EDGE] = {edge, edge_moved, NULL},
            [NODE_WINDOW] = {window, window_told, window_broken},
            [NODE_COMPLETED] = {done, NULL, completed},
            [NODE_FAULT] = {NULL, NULL, NULL},
            [NODE_CLOSED] = {closes, NULL, NULL},
            [NODE_UP] = {NULL, NULL, NULL},
            [NODE_FAILED] = {NULL, NULL, NULL},
            [NODE_ENDPOINT] = {endpoint, NULL, endpoint_told},
            [NODE_BOUND] = {NULL, bound, NULL}};
_Static_assert(sizeof rows / sizeof *rows == NODE_EVENTS, "each kind of event has its row");

static void trace(struct trial *t, const struct node_event *e)
{
#define TRACED(kind, traced, word, source, says, traits) [NODE_##kind] = TRACE_##traced,
    static const enum trace_kind kinds[NODE_EVENTS] = {NODE_EVENT_TABLE(TRACED)};
#undef TRACED
    struct trial_line line;
    trace_line(&line, t, e->t, conn_of(e), side_of(e), kinds[e->kind]);
    line.key = e->key;
    if (rows[e->kind].trace(e, &line))
        trial_trace(t, &line);
}

unsigned trial_tally(struct trial *t, uint32_t part, const struct node_event *e)
{
    return rows[e->kind].tally ? rows[e->kind].tally(t, &t->tally[part], e) : TRIAL_REST;
}

void trial_tallied(struct trial *t, const struct node_event *e)
{
    if (rows[e->kind].count)
        rows[e->kind].count(t, e);
}

void trial_event(struct trial *t, const struct node_event *e)
{
    if (trial_tracing(t) && rows[e->kind].trace)
        trace(t, e);
    unsigned left = trial_tally(t, 0, e);
    if (left & TRIAL_OCTETS)
        trial_octets(t, e->t, e->place.len);
    if (left & TRIAL_REST)
        trial_tallied(t, e);
}
