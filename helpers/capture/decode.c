/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.c -- from segments to connections: which of them speak MPA, from where on, and with which settings. */
#include "helpers/capture/decode.h"

#include <stdlib.h>

#include "helpers/capture/decode_direction.h"
#include "helpers/capture/decode_rules.h"
#include "helpers/capture/decode_startup.h"
#include "helpers/capture/flow.h"

enum {
    LINGER =
        4096, /* frames after its end before a connection is forgotten: late repetitions are part of it */
    HELD_MAX = 256 << 10 /* octets to hold while the other start-up frame is waited for */
};

/* NEW -> GATHERING -> OPEN -> DONE; GATHERING <-> OTHER -> DONE */
enum state {
    NEW,
    GATHERING, /* what is heard first is held until both start-up frames are there */
    OPEN,      /* both directions are listened to */
    OTHER,     /* not MPA, unless a Request comes later */
    DONE
};

/* One TCP connection. Pairs are by side: [0] sent the first segment of the capture. */
struct conn {
    struct flow flow;
    struct conn *older, *newer; /* of those not DONE, in the order of their first segment */
    enum state state;
    bool joined[2];        /* this side's start-up frame was sent before the capture began */
    bool sound[2];         /* this side has sent a right TCP checksum: a wrong one means something */
    uint64_t closed_frame; /* its end was seen; 0: not yet */
    int closer;            /* side that ended first, with closer_frame; meaningless while that is 0 */
    uint64_t closer_frame;
    int initiator; /* side */
    int number;
    int8_t shift[2];  /* of the windows that this side offers */
    uint64_t seen[2]; /* stream offset behind the last octet that this side has sent */
    struct reassembly held[2];
    struct decode_direction *direction[2];
};

struct decoder {
    const struct decode_options *options;
    const struct decode_sink *sink;
    struct decode_summary summary;
    struct decode_report report;
    struct flow_table *flows;
    struct conn *oldest, *newest;
    uint64_t frame, swept;
    int64_t time_ns;
    bool failed; /* out of memory */
};

/* ---- names ---- */

const char *decode_op_name(uint8_t opcode, enum decode_words words, char *out)
{
    static const char *const names[][RDMAP_OPCODES] = {
        [DECODE_JSON] = {"write", "read_req", "read_resp", "send", "send_inv", "send_se", "send_se_inv",
                         "terminate", "immediate", "immediate_se", "atomic_req", "atomic_resp"},
        [DECODE_TEXT] = {"Write", "Read Request", "Read Response", "Send", "Send Inv", "Send SE",
                         "Send SE Inv", "Terminate", "Immediate", "Immediate SE", "Atomic Request",
                         "Atomic Response"}};
    if (opcode < RDMAP_OPCODES)
        return names[words][opcode];
    snprintf(out, DECODE_NAME_MAX, words == DECODE_TEXT ? "opcode %u" : "opcode_%u", opcode);
    return out;
}

const char *decode_atomic_name(uint8_t code)
{
    return code == RDMAP_FETCH_ADD ? "fetch_add" : code == RDMAP_CMP_SWAP ? "cmp_swap" : "undefined";
}

/* ---- connections come and go ---- */

static void link_conn(struct decoder *d, struct conn *c)
{
    c->state = GATHERING;
    c->older = d->newest;
    *(d->newest ? &d->newest->newer : &d->oldest) = c;
    d->newest = c;
}

static void note_end(struct decoder *d, struct conn *c, const struct capture_segment *s, int side)
{
    const struct flow *f = &c->flow;
    if (s->flags & (TCP_FIN | TCP_RST) && !c->closer_frame) {
        c->closer = side;
        c->closer_frame = s->frame;
    }
    if (!c->closed_frame && (f->reset || (f->half[0].fin && f->half[1].fin)))
        c->closed_frame = d->frame;
}

/* ---- opening ---- */

static enum decode_dir dir_of(const struct conn *c, int side)
{
    return side == c->initiator ? DECODE_I2R : DECODE_R2I;
}

/* One that has come to its end, else zeros. */
static const struct mpa_frame *frame_of(const struct decode_startup_side *s)
{
    static const struct mpa_frame none;
    return s->is == STARTUP_WHOLE ? &s->frame : &none;
}

static int depth_of(const struct mpa_frame *f, int depth)
{
    return f->enhanced ? depth : DECODE_UNKNOWN;
}

static int reads_of(const struct decode_startup_side *s)
{
    const struct mpa_frame *f = frame_of(s);
    return f->ird == MPA_DEPTH_ULP ? DECODE_UNKNOWN : depth_of(f, f->ird);
}

/* What both frames, or the user, say together. */
static void settle_startup(const struct decoder *d, const struct conn *c, const struct decode_startup *s,
                           struct decode_connection *out)
{
    const struct decode_startup_side *request = &s->side[s->initiator], *reply = &s->side[1 - s->initiator];
    const struct decode_assume *assume = &d->options->assume;
    bool asked = decode_startup_has_frame(request), answered = decode_startup_has_frame(reply);
    const struct decode_startup_side *last = answered ? reply : request; /* the Reply has the last word */
    const struct mpa_frame *question = frame_of(request), *answer = frame_of(reply), *both = frame_of(last);
    *out = (struct decode_connection){.conn = c->number,
                                      .initiator = c->flow.end[s->initiator],
                                      .responder = c->flow.end[1 - s->initiator],
                                      .request = asked,
                                      .reply = answered,
                                      .assumed = !asked || !answered,
                                      .rejected = answered && reply->frame.rejected,
                                      .enhanced = (asked || answered) && last->frame.enhanced,
                                      .mpa_rev = asked || answered ? last->frame.rev : DECODE_UNKNOWN,
                                      .ird = depth_of(both, both->ird),
                                      .ord = depth_of(both, both->ord),
                                      .ird_asked = depth_of(question, question->ird),
                                      .ord_asked = depth_of(question, question->ord),
                                      .private_data = question->private_data,
                                      .private_len = question->private_len,
                                      .reply_private_len = answer->private_len,
                                      .start_up = {request->octets, reply->octets},
                                      .start_up_len = {request->is == STARTUP_WHOLE ? request->size : 0,
                                                       reply->is == STARTUP_WHOLE ? reply->size : 0},
                                      .request_rejected = question->rejected,
                                      .reserved = {question->reserved, answer->reserved},
                                      .closer = c->closer_frame ? (int)dir_of(c, c->closer) : DECODE_UNKNOWN,
                                      .closer_frame = c->closer_frame,
                                      .frame = d->frame,
                                      .time_ns = d->time_ns};
    out->crc = request->frame.crc || reply->frame.crc || (out->assumed && assume->given && assume->crc);
    out->markers[DECODE_I2R] = answered ? reply->frame.markers : assume->given && assume->markers;
    out->markers[DECODE_R2I] = asked ? request->frame.markers : assume->given && assume->markers;
}

static struct decode_direction *direction_for(struct decoder *d, const struct conn *c,
                                              const struct decode_startup *s,
                                              const struct decode_connection *settings, int side)
{
    enum decode_dir dir = dir_of(c, side);
    const struct decode_startup_side *own = &s->side[side], *other = &s->side[1 - side];
    bool both = settings->request && settings->reply;
    const struct decode_direction_conf conf = {.conn = settings->conn,
                                               .dir = dir,
                                               .markers = settings->markers[dir],
                                               .crc = settings->crc,
                                               .rdmac = settings->mpa_rev == 0,
                                               .searching = !decode_startup_has_frame(own),
                                               .gated = dir == DECODE_R2I && both && !settings->rejected,
                                               .reads = reads_of(other),
                                               .other_reads = reads_of(own),
                                               .memory = d->options->memory ? d->options->memory
                                                                            : REASSEMBLY_OCTETS_MAX,
                                               .origin = own->size};
    return decode_direction_new(&conf, &d->report);
}

static void report_fault(struct decoder *d, const struct conn *c, const struct decode_startup_fault *f)
{
    struct decode_rule rule = decode_rule_of_start(f->why);
    decode_report_violation(&d->report, &(struct decode_violation){.conn = c->number,
                                                                   .dir = dir_of(c, f->side),
                                                                   .frame = f->when.frame_first,
                                                                   .time_ns = f->when.t_first_ns,
                                                                   .term = rule.term,
                                                                   .what = rule.what,
                                                                   .requirement = rule.requirement});
}

/* Every segment held, of both sides in the order of the capture. */
static void replay(struct decoder *d, struct conn *c)
{
    struct reassembly *held = c->held;
    const struct reassembly_piece *next[2] = {reassembly_beyond(&held[0], 0), reassembly_beyond(&held[1], 0)};
    while (next[0] || next[1]) {
        int side = !next[0] || (next[1] && next[1]->frame < next[0]->frame);
        struct reassembly_piece p = *next[side];
        next[side] = reassembly_beyond(&held[side], reassembly_end_of(&p));
        p.memory = NULL; /* the direction copies what it keeps */
        d->failed |= !decode_direction_hear(c->direction[side], &p);
    }
    reassembly_free(&held[0]);
    reassembly_free(&held[1]);
}

static void open_conn(struct decoder *d, struct conn *c, const struct decode_startup *s)
{
    struct decode_connection settings;
    struct decode_startup_fault fault[STARTUP_FAULTS];
    c->state = OPEN;
    c->initiator = s->initiator;
    c->number = (int)++d->summary.connections;
    settle_startup(d, c, s, &settings);
    if (d->sink->connection)
        d->sink->connection(d->sink->context, &settings);
    int faults = decode_startup_check(s, &c->flow, c->held, fault);
    for (int i = 0; i < faults; i++)
        report_fault(d, c, &fault[i]);
    for (int side = 0; side < 2; side++)
        c->direction[side] = direction_for(d, c, s, &settings, side);
    if (!c->direction[0] || !c->direction[1]) {
        d->failed = true;
        return;
    }
    decode_direction_pair(c->direction[0], c->direction[1]);
    replay(d, c);
}

static bool is_mpa(const struct decode_startup_side *s)
{
    return decode_startup_has_frame(s) || s->is == STARTUP_JOINED;
}

/* Are both start-up frames there? `end`: nothing more will come. */
static void try_open(struct decoder *d, struct conn *c, bool end)
{
    struct decode_startup s;
    decode_startup_read(&s, &c->flow, c->held, c->joined);
    const struct decode_startup_side *a = &s.side[0], *b = &s.side[1];
    bool full = c->held[0].octets + c->held[1].octets > HELD_MAX;
    bool waiting =
        a->is == STARTUP_NONE || a->is == STARTUP_MORE || b->is == STARTUP_NONE || b->is == STARTUP_MORE;
    if ((is_mpa(a) || is_mpa(b)) && (!waiting || full || end)) {
        open_conn(d, c, &s);
    } else if (a->is == STARTUP_OTHER || b->is == STARTUP_OTHER || full) {
        if (is_mpa(a) || is_mpa(b))
            return;
        c->state = OTHER;
        reassembly_free(&c->held[0]);
        reassembly_free(&c->held[1]);
    }
}

static void unlink_conn(struct decoder *d, struct conn *c)
{
    *(c->older ? &c->older->newer : &d->oldest) = c->newer;
    *(c->newer ? &c->newer->older : &d->newest) = c->older;
}

static void count_other(struct decoder *d, const struct flow *f)
{
    bool data = f->half[0].data || f->half[1].data;
    d->summary.other_tcp += data;
    d->summary.other_tcp_joined += data && !f->half[0].syn && !f->half[1].syn;
}

/* The connection has ended. What stays is enough to know its late segments by. */
static void finish_connection(struct decoder *d, struct conn *c)
{
    if (c->state == DONE)
        return;
    if (c->state == GATHERING)
        try_open(d, c, true);
    if (c->state != OPEN)
        count_other(d, &c->flow);
    else if (c->direction[0] && c->direction[1]) {
        decode_direction_end(c->direction[c->initiator]);
        decode_direction_end(c->direction[1 - c->initiator]);
        if (d->sink->gone)
            d->sink->gone(d->sink->context, c->number);
    }
    for (int side = 0; side < 2; side++) {
        decode_direction_free(c->direction[side]);
        c->direction[side] = NULL;
        reassembly_free(&c->held[side]);
    }
    c->state = DONE;
    unlink_conn(d, c);
}

/* Now and then: those that have been closed for a while. */
static void sweep(struct decoder *d)
{
    if (d->frame - d->swept < LINGER)
        return;
    d->swept = d->frame;
    for (struct conn *c = d->oldest, *newer; c; c = newer) {
        newer = c->newer;
        if (c->closed_frame && d->frame - c->closed_frame > LINGER)
            finish_connection(d, c);
    }
}

/* The flow goes: at the end, or because a new connection between the same ends has begun. */
static void flow_gone(void *context, struct flow *flow)
{
    finish_connection(context, (struct conn *)flow);
    free(flow);
}

/* ---- segments ---- */

/* Does a segment begin with the key of a start-up frame? */
static bool has_key(const struct capture_segment *s, struct mpa_frame *frame)
{
    enum { KEY = 16 };
    uint32_t size;
    return s->len >= KEY && mpa_frame_get(s->octets, KEY, frame, &size) == MPA_FRAME_MORE;
}

/* Without a SYN, or when the ULP has spoken before MPA, the stream begins with the start-up frame; what the segment
 * acknowledges is where the other side stands. */
static void rebase(struct conn *c, const struct capture_segment *s, int side)
{
    struct flow_half *own = &c->flow.half[side], *other = &c->flow.half[1 - side];
    struct mpa_frame frame;
    uint8_t first;
    bool begun =
        own->based && (flow_offset(own, s->seq) == 0 || reassembly_copy(&c->held[side], 0, &first, 1));
    if (c->state == DONE || c->state == OPEN || (begun && c->state == GATHERING) || !has_key(s, &frame))
        return;
    c->state = GATHERING;
    reassembly_free(&c->held[side]);
    flow_base(own, s->seq);
    if (other->based || !(s->flags & TCP_ACK))
        return;
    flow_base(other, s->ack);
    c->joined[1 - side] = frame.reply;
}

/* Offset 0 of a connection that --assume speaks of: the first octet seen. */
static void assume(struct decoder *d, struct conn *c, const struct capture_segment *s, int side)
{
    struct flow_half *own = &c->flow.half[side];
    if (!d->options->assume.given || own->based || !s->len || c->state == DONE)
        return;
    flow_base(own, s->seq);
    c->joined[side] = true;
}

static bool is_assumed(const struct conn *c)
{
    return c->joined[0] && c->joined[1];
}

/* The octets of a segment as a piece of its stream; false when none of them lies at or beyond offset 0. */
static bool piece_of(const struct flow_half *half, const struct capture_segment *s,
                     struct reassembly_piece *p)
{
    int64_t at = flow_offset(half, s->flags & TCP_SYN ? s->seq + 1 : s->seq);
    uint32_t before = at < 0 ? (uint32_t)-at : 0;
    if (at < INT32_MIN || before >= s->len)
        return false;
    *p = (struct reassembly_piece){.at = (uint64_t)(at + before),
                                   .len = s->len - before,
                                   .octets = s->octets + before,
                                   .frame = s->frame,
                                   .time_ns = s->time_ns};
    return true;
}

/* One piece goes where its connection stands. */
static void take_piece(struct decoder *d, struct conn *c, int side, const struct reassembly_piece *p)
{
    if (c->state == OPEN && c->direction[0] && c->direction[1]) {
        d->failed |= !decode_direction_hear(c->direction[side], p);
        c->flow.half[side].edge = decode_direction_edge(c->direction[side]);
    }
    if (c->state != GATHERING)
        return;
    d->failed |= !reassembly_add(&c->held[side], p);
    reassembly_own(&c->held[side]);
    try_open(d, c, is_assumed(c));
}

static void take_octets(struct decoder *d, struct conn *c, const struct capture_segment *s, int side)
{
    struct reassembly_piece p;
    const struct flow_half *half = &c->flow.half[side];
    if (!half->based || !s->len || !piece_of(half, s, &p))
        return;
    take_piece(d, c, side, &p);
    if (!s->missing)
        return;
    const struct reassembly_piece cut = {
        .at = p.at + p.len, .len = s->missing, .frame = s->frame, .time_ns = s->time_ns};
    d->summary.missing_octets += s->missing;
    take_piece(d, c, side, &cut);
}

static void take_ack(struct conn *c, const struct capture_segment *s, int side)
{
    const struct flow_half *other = &c->flow.half[1 - side];
    if (c->state != OPEN || !(s->flags & TCP_ACK) || !other->based || !c->direction[1 - side])
        return;
    int64_t at = flow_offset(other, s->ack);
    if (at > 0)
        decode_direction_note_acked(c->direction[1 - side], (uint64_t)at);
}

/* The window that a frame offers: as its side's SYN has scaled it; SYNs themselves are not scaled (RFC 7323 2.2). */
static bool scale(const struct conn *c, int side, const struct capture_segment *s, uint64_t *window)
{
    bool both = c->shift[0] >= 0 && c->shift[1] >= 0;
    const struct flow *f = &c->flow;
    *window = (uint64_t)s->window << (both ? c->shift[side] : 0);
    return f->half[0].syn && f->half[1].syn && !(s->flags & TCP_SYN);
}

/* Does a frame bring nothing new? Notes how far its side has come. */
static bool is_again(struct conn *c, const struct capture_segment *s, int side, uint64_t *at)
{
    const struct flow_half *half = &c->flow.half[side];
    int64_t from = half->based && s->len ? flow_offset(half, s->seq) : -1;
    if (from < 0)
        return false;
    uint64_t end = (uint64_t)from + s->len + s->missing;
    bool again = end <= c->seen[side];
    c->seen[side] = end > c->seen[side] ? end : c->seen[side];
    *at = (uint64_t)from;
    return again;
}

static void report_tcp(struct decoder *d, struct conn *c, const struct capture_segment *s, int side)
{
    const struct flow_half *other = &c->flow.half[1 - side];
    struct decode_tcp t = {.conn = c->number,
                           .frame = s->frame,
                           .time_ns = s->time_ns,
                           .fin = s->flags & TCP_FIN,
                           .reset = s->flags & TCP_RST};
    t.again = is_again(c, s, side, &t.at);
    t.has_window = scale(c, side, s, &t.window);
    if (c->state != OPEN || !d->sink->tcp)
        return;
    int64_t ack = s->flags & TCP_ACK && other->based ? flow_offset(other, s->ack) : -1;
    int64_t end =
        other->fin ? (int64_t)other->fin_at : INT64_MAX; /* a FIN is acknowledged, too, and is no octet */
    t.has_ack = ack >= 0 && !t.reset;
    t.ack = ack < 0 ? 0 : (uint64_t)(ack < end ? ack : end);
    t.dir = dir_of(c, side);
    d->sink->tcp(d->sink->context, &t);
}

/* A wrong checksum means a damaged segment, which its receiver drops, only when this sender's checksums were right
 * before: many captures are taken at a sender, before its adapter fills them in. */
static bool is_damaged(struct decoder *d, const struct capture_segment *s)
{
    int side;
    const struct flow *f = s->checksum == CAPTURE_CHECKSUM_WRONG ? flow_known(d->flows, s, &side) : NULL;
    return f && ((const struct conn *)f)->sound[side];
}

static void take_segment(struct decoder *d, const struct capture_segment *s)
{
    int side;
    struct flow *old;
    d->frame = s->frame;
    d->time_ns = s->time_ns;
    if (is_damaged(d, s)) {
        d->summary.wrong_checksums++;
        return;
    }
    struct conn *c = (struct conn *)flow_find(d->flows, s, &side, &old);
    if (old)
        flow_gone(d, old);
    if (c && c->state == NEW)
        link_conn(d, c);
    if (!c) {
        d->failed = true;
        return;
    }
    c->sound[side] |= s->checksum == CAPTURE_CHECKSUM_GOOD;
    if (s->flags & TCP_SYN)
        c->shift[side] = s->shift;
    rebase(c, s, side);
    assume(d, c, s, side);
    take_octets(d, c, s, side);
    take_ack(c, s, side);
    report_tcp(d, c, s, side);
    note_end(d, c, s, side);
    sweep(d);
}

/* ---- the whole capture ---- */

struct decoder *decoder_new(const struct decode_options *options, const struct decode_sink *sink)
{
    struct decoder *d = calloc(1, sizeof *d);
    struct flow_table *flows = d ? flow_table_new(sizeof(struct conn)) : NULL;
    if (!flows) {
        free(d);
        return NULL;
    }
    d->options = options;
    d->sink = sink;
    d->flows = flows;
    d->report = (struct decode_report){sink, &d->summary};
    return d;
}

bool decoder_hear(struct decoder *d, const struct capture_segment *s)
{
    take_segment(d, s);
    return !d->failed;
}

void decoder_end(struct decoder *d, const struct capture_counts *file, struct decode_summary *summary)
{
    while (d->oldest)
        finish_connection(d, d->oldest);
    flow_table_free(d->flows, flow_gone, d);
    if (file)
        d->summary.file = *file;
    if (d->sink->summary)
        d->sink->summary(d->sink->context, &d->summary);
    if (summary)
        *summary = d->summary;
    free(d);
}

static int read_all(struct decoder *d, struct capture *capture, char *error)
{
    struct capture_segment s;
    int got;
    while ((got = capture_take(capture, &s, error)) == 1)
        if (!decoder_hear(d, &s)) {
            snprintf(error, CAPTURE_ERROR_MAX, "out of memory at frame %llu", (unsigned long long)d->frame);
            return -1;
        }
    return got;
}

int decode_capture(struct capture *capture, const struct decode_options *options,
                   const struct decode_sink *sink, struct decode_summary *summary, char *error)
{
    struct decoder *d = decoder_new(options, sink);
    if (!d) {
        snprintf(error, CAPTURE_ERROR_MAX, "out of memory");
        return -1;
    }
    int got = read_all(d, capture, error);
    decoder_end(d, capture_counted(capture), summary);
    return got;
}
