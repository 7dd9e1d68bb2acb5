/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge.c -- the decoder's sink: what happened on each connection, and who is accused of what (judge.h). */
#include "helpers/judge/judge.h"

#include <stdlib.h>
#include <string.h>

#include "engine/term.h"
#include "helpers/base/list.h"
#include "helpers/capture/decode_rules.h"
#include "helpers/judge/bench.h"

enum { PROMPT_NS = 100000000 }; /* silence for less than this, before the other side closes, proves nothing */

struct judge {
    struct judge_docket docket;
    struct judge_bench **bench; /* connections as they are numbered, from 1; NULL: it is over */
    size_t benches;
    uint64_t occasion[OCCASIONS];
    bool failed; /* out of memory */
};

/* ---- making and unmaking ---- */

struct judge *judge_new(const struct judge_sink *sink)
{
    struct judge *j = calloc(1, sizeof *j);
    if (j)
        j->docket.sink = sink;
    return j;
}

static void bench_free(struct judge_bench *b)
{
    if (!b)
        return;
    free(b->side[0].seen);
    free(b->side[1].seen);
    free(b);
}

void judge_free(struct judge *j)
{
    if (!j)
        return;
    for (size_t i = 0; i < j->benches; i++)
        bench_free(j->bench[i]);
    free(j->bench);
    free(j);
}

static struct judge_bench *bench_of(const struct judge *j, int conn)
{
    return (size_t)conn <= j->benches ? j->bench[conn - 1] : NULL;
}

static struct judge_bench *bench_new(struct judge *j)
{
    struct judge_bench **more = j->failed ? NULL : list_grow(j->bench, j->benches, sizeof *more);
    if (!more)
        return NULL;
    j->bench = more;
    return j->bench[j->benches++] = calloc(1, sizeof(struct judge_bench));
}

/* ---- start-up ---- */

static void judge_frames(struct judge *j, struct judge_bench *b)
{
    const struct decode_connection *c = &b->c;
    static const char *const whose[] = {"the Request", "the Reply"};
    for (int dir = 0; dir < 2; dir++) {
        const struct judge_place at = {&j->docket, b, (enum decode_dir)dir, c->frame, c->time_ns};
        if (dir == DECODE_I2R && c->request_rejected)
            judge_accuse(&at, "MPA-7.1-*", "R is set in the Request");
        if (c->reserved[dir])
            judge_accuse(&at, "MPA-7.1-*", "reserved bits are set in %s: %02x", whose[dir], c->reserved[dir]);
    }
}

static void on_connection(void *context, const struct decode_connection *c)
{
    struct judge *j = context;
    struct judge_bench *b = bench_new(j);
    if (!b) {
        j->failed = true;
        return;
    }
    b->c = *c;
    b->c.private_data = NULL;
    b->doubtful = !c->request || !c->reply;
    b->closer = c->closer;
    b->close_frame = c->closer_frame;
    b->unanswered = c->request && !c->reply && c->closer == DECODE_R2I;
    j->occasion[OCCASION_REQUEST] += c->request;
    j->occasion[OCCASION_REPLY] += c->reply;
    judge_frames(j, b);
}

/* ---- segments ---- */

static bool invalidates(const struct rdmap_ctl *ctl)
{
    return ctl->opcode == RDMAP_SEND_INV || ctl->opcode == RDMAP_SEND_SE_INV;
}

static void count_segment(struct judge *j, const struct decode_segment *s)
{
    const struct ddp_head *h = &s->head;
    bool payload = s->ulpdu_len > ddp_head_size(h);
    uint64_t *n = j->occasion;
    bool part = !h->last || (!h->tagged && h->mo);
    n[h->tagged ? OCCASION_TAGGED : OCCASION_UNTAGGED]++;
    n[OCCASION_PAD] += (2 + s->ulpdu_len) % 4 != 0;
    n[OCCASION_CRC] += s->crc == DECODE_CRC_GOOD;
    n[OCCASION_NO_CRC] += s->crc == DECODE_CRC_OFF;
    n[OCCASION_CUT] += s->frame_first != s->frame_last;
    n[OCCASION_RUN] += part;
    n[OCCASION_TAGGED_RUN] += part && h->tagged;
    n[OCCASION_UNTAGGED_RUN] += part && !h->tagged;
    n[OCCASION_ZERO] += !payload;
    n[OCCASION_ZERO_TAGGED] += !payload && h->tagged;
    n[OCCASION_NEXT] += !h->tagged && h->msn > 1 && !h->mo;
    n[OCCASION_NO_INVALIDATE] += !h->tagged && !invalidates(&s->ctl);
}

/* Fields that are 0 or nothing else. */
static void judge_reserved(const struct judge_place *at, const struct decode_segment *s)
{
    if (s->octets[0] & 0x3c)
        judge_accuse(at, "DDP-4.1-9", "reserved bits of DDP's control octet are set");
    if (s->octets[1] & 0x30)
        judge_accuse(at, "RDMAP-4.1-9", "reserved bits of RDMAP's control octet are set");
    if (!s->head.tagged && !invalidates(&s->ctl) && s->ctl.inval_stag)
        judge_accuse(at, s->ctl.opcode > RDMAP_TERMINATE ? "EXT-4.1-3" : "RDMAP-4.1-10",
                     "the Invalidate STag field is not 0 in a message that invalidates nothing");
}

static void judge_turn(const struct judge_place *at, struct judge_side *own, const struct decode_segment *s)
{
    if (own->terminated && s->key > own->terminate_key && !own->told_after) {
        own->told_after = true;
        judge_accuse(at, "RDMAP-5.4-8", "a segment follows a Terminate");
    }
    if (at->b->c.rejected && s->frame_first > at->b->c.frame && !own->told_rejected) {
        own->told_rejected = true;
        judge_accuse(at, "MPA-7.1-*", "an FPDU on a connection that the Reply rejected");
    }
}

static void note_terminate(struct judge_side *own, const struct decode_segment *s)
{
    uint32_t body = s->octets_len - IW_HEAD_UNTAGGED;
    own->body_len = body < IW_TERM_MAX ? body : IW_TERM_MAX;
    own->body_key = s->key;
    memcpy(own->body, s->octets + IW_HEAD_UNTAGGED, own->body_len);
}

static void judge_segment(struct judge *j, struct judge_bench *b, const struct decode_segment *s)
{
    struct judge_side *own = &b->side[s->dir];
    const struct judge_place at = {&j->docket, b, s->dir, s->frame_last, s->t_last_ns};
    j->failed |= !bench_keep(own, s);
    j->occasion[OCCASION_FPDU]++;
    j->occasion[OCCASION_MARKERS] += b->c.markers[s->dir];
    j->occasion[OCCASION_RESPONDER] += s->dir == DECODE_R2I && !own->spoke;
    own->spoke = true;
    judge_turn(&at, own, s);
    if (s->crc == DECODE_CRC_BAD || !s->readable)
        return;
    own->later_opcode |= s->ctl.opcode > RDMAP_TERMINATE;
    if (s->pad_used)
        judge_accuse(&at, "MPA-4.1-1", "pad octets are not 0");
    if (s->head.version > 1 || s->ctl.version > 1)
        return;
    count_segment(j, s);
    judge_reserved(&at, s);
    if (!s->head.tagged && s->ctl.opcode == RDMAP_TERMINATE)
        note_terminate(own, s);
}

static void on_segment(void *context, const struct decode_segment *s)
{
    struct judge *j = context;
    struct judge_bench *b = bench_of(j, s->conn);
    if (b)
        judge_segment(j, b, s);
    if (j->docket.sink->segment)
        j->docket.sink->segment(j->docket.sink->context, s);
}

/* ---- messages ---- */

static void count_message(struct judge *j, const struct decode_message *m)
{
    static const enum judge_occasion of[RDMAP_OPCODES] = {
        /* in the order of enum rdmap_opcode */
        OCCASION_WRITE,      OCCASION_READ_REQUEST, OCCASION_READ_RESPONSE,  OCCASION_SEND,
        OCCASION_INVALIDATE, OCCASION_SEND,         OCCASION_INVALIDATE,     OCCASION_TERMINATE,
        OCCASION_IMMEDIATE,  OCCASION_IMMEDIATE,    OCCASION_ATOMIC_REQUEST, OCCASION_ATOMIC_RESPONSE};
    uint64_t *n = j->occasion;
    bool sends = m->ctl.opcode >= RDMAP_SEND && m->ctl.opcode <= RDMAP_SEND_SE_INV;
    n[OCCASION_MESSAGE]++;
    if (m->ctl.opcode < RDMAP_OPCODES)
        n[of[m->ctl.opcode]]++;
    n[OCCASION_SEND] += of[m->ctl.opcode % RDMAP_OPCODES] == OCCASION_INVALIDATE;
    n[OCCASION_SEND_ZERO] += sends && !m->length;
    n[OCCASION_READ_ZERO] += m->has_read_req && !m->read_req.size;
    n[OCCASION_TERMINATE_M] += m->has_terminate && m->terminate.m;
    n[OCCASION_TERMINATE_D] += m->has_terminate && m->terminate.d;
    n[OCCASION_TERMINATE_R] += m->has_terminate && m->terminate.r;
}

/* Is what calls for an answer an untagged message of this kind? */
static bool is_call_of(const struct judge_call *c, enum rdmap_opcode opcode)
{
    return c->at.segment.readable && !c->at.segment.head.tagged && c->at.segment.ctl.opcode == opcode;
}

/* The other side's Read Request was wrong, and is answered as if it were not. */
static void judge_response(const struct judge_place *at, const struct decode_message *m)
{
    struct judge_call *call = &at->b->side[1 - m->dir].call;
    struct rdmap_read_req asked;
    bool request = call->open && is_call_of(call, RDMAP_READ_REQ) &&
                   call->at.segment.octets_len == SEEN_OCTETS && call->term != IW_T_DDP_NO_BUFFER;
    if (m->ctl.opcode != RDMAP_READ_RESP || !request)
        return;
    rdmap_read_req_get(call->at.octets + IW_HEAD_UNTAGGED, &asked);
    if (m->head.stag != asked.sink_stag || m->to != asked.sink_to)
        return;
    call->open = false;
    judge_accuse(at, IW_TERM_LAYER(call->term) == 1 ? "DDP-7.1-E1" : answer_requirement(call->term),
                 "the wrong Read Request of frame %llu (" TERM_TEXT ") was carried out",
                 (unsigned long long)call->frame, TERM_PARTS(call->term));
}

static void judge_terminate(const struct judge_place *at, const struct decode_message *m)
{
    struct judge_side *own = &at->b->side[m->dir];
    if (m->delivered && own->body_key == m->key && !own->terminated) {
        if (m->head.msn != 1)
            judge_accuse(at, "DDP-4.3-10", "the Terminate is not message 1 of its queue");
        terminate_judge(at, m);
    }
    own->terminated = true;
    own->terminate_key = m->key;
    at->b->side[1 - m->dir].call.open = false;
}

static void judge_message(struct judge *j, struct judge_bench *b, const struct decode_message *m)
{
    const struct judge_place at = {&j->docket, b, m->dir, m->frame_last, m->t_last_ns};
    count_message(j, m);
    if (m->has_terminate && m->head.qn == 2)
        judge_terminate(&at, m);
    else
        judge_response(&at, m);
}

static void on_message(void *context, const struct decode_message *m)
{
    struct judge *j = context;
    struct judge_bench *b = bench_of(j, m->conn);
    if (b)
        judge_message(j, b, m);
    if (j->docket.sink->message)
        j->docket.sink->message(j->docket.sink->context, m);
}

/* ---- what the decoder found wrong ---- */

/* Checks that the RFCs leave to the sink: who does not look is not to blame. */
static bool is_optional(const char *requirement)
{
    static const char *const ids[] = {"DDP-4.2-5", "DDP-4.2-10", "DDP-5.2-8",     "DDP-5.2-6",
                                      "DDP-4.3-5", "DDP-4.3-7",  "RDMAP-5.2.2-8", "RDMAP-5.2.2-5"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (strcmp(ids[i], requirement) == 0)
            return true;
    return false;
}

static void count_call(struct judge *j, const struct judge_call *c)
{
    uint64_t *n = j->occasion;
    n[OCCASION_WRONG]++;
    n[OCCASION_WRONG_DDP] += IW_TERM_LAYER(c->term) == 1;
    n[OCCASION_WRONG_VERSION] += c->term == IW_T_RDMA_VERSION;
    n[OCCASION_WRONG_OPCODE] += c->term == IW_T_RDMA_OPCODE;
    n[OCCASION_WRONG_REQUEST] += is_call_of(c, RDMAP_READ_REQ);
    n[OCCASION_WRONG_CRC] += c->term == IW_T_LLP_CRC;
}

/* The first error is the one to answer (RDMAP-7.1-4); nobody answers a Terminate with one (F15). */
static void call_for_answer(struct judge *j, struct judge_bench *b, const struct decode_violation *v)
{
    struct judge_side *own = &b->side[v->dir];
    struct judge_call c = {.open = true,
                           .startup = !v->at_segment,
                           .may = is_optional(v->requirement),
                           .term = v->term,
                           .frame = v->frame,
                           .time_ns = v->time_ns};
    if (own->call.open || !v->term || b->side[1 - v->dir].terminated)
        return;
    if (v->at_segment) {
        const struct judge_seen *x = bench_at(own, v->key);
        if (!x)
            return;
        c.at = *x;
        c.mine = bench_has_earlier(own, x);
        if (is_call_of(&c, RDMAP_TERMINATE))
            return;
        count_call(j, &c);
    }
    own->call = c;
}

static void on_violation(void *context, const struct decode_violation *v)
{
    struct judge *j = context;
    struct judge_bench *b = bench_of(j, v->conn);
    if (!b)
        return;
    const struct judge_place at = {&j->docket, b, v->dir, v->frame, v->time_ns};
    b->unanswered &= v->at_segment || v->dir != DECODE_I2R;
    if (v->term)
        judge_accuse(&at, v->requirement, "%s (" TERM_TEXT ")", v->what, TERM_PARTS(v->term));
    else
        judge_accuse(&at, v->requirement, "%s", v->what);
    call_for_answer(j, b, v);
}

/* ---- silence ---- */

static void accuse_silent(struct judge *j, struct judge_bench *b, enum decode_dir dir,
                          const struct judge_call *c, const char *how)
{
    const struct judge_place at = {&j->docket, b, dir, b->close_frame, b->close_ns};
    bool request = is_call_of(c, RDMAP_READ_REQ);
    const char *requirement = IW_TERM_LAYER(c->term) == 2 ? "RDMAP-6.2.1-1"
                              : request                   ? "RDMAP-7.1-3"
                                                          : "RDMAP-7.1-2";
    judge_accuse(&at, requirement, "%s: no Terminate answers the error in frame %llu (" TERM_TEXT ")", how,
                 (unsigned long long)c->frame, TERM_PARTS(c->term));
}

/* A responder that has not heard a valid FPDU may not send one, a Terminate neither (MPA-7.1.2-4). */
static bool is_gated(const struct judge_bench *b, enum decode_dir dir, const struct judge_call *c)
{
    return dir == DECODE_I2R && IW_TERM_LAYER(c->term) == 2 && c->at.segment.key == b->side[dir].first;
}

/* An error in direction `dir` was not answered, and the connection is over. */
static void judge_silence(struct judge *j, struct judge_bench *b, enum decode_dir dir)
{
    const struct judge_call *c = &b->side[dir].call;
    enum decode_dir other = dir == DECODE_I2R ? DECODE_R2I : DECODE_I2R;
    if (!c->open || c->startup || is_gated(b, dir, c))
        return;
    bool heard = b->side[dir].acked >= c->at.segment.end && bench_is_whole(&b->side[other]);
    bool long_ago = b->close_ns - c->time_ns >= PROMPT_NS;
    if (heard && b->closer == (int)other && (!c->may || !long_ago))
        accuse_silent(j, b, other, c, "closed without a Terminate");
    else if (heard && b->closer == (int)dir && long_ago && c->at.segment.head.last && !c->may)
        accuse_silent(j, b, other, c, "went on as if nothing had happened");
    else
        j->docket.judgement.undecided++;
}

static void settle_bench(struct judge *j, struct judge_bench *b)
{
    if (b->settled)
        return;
    b->settled = true;
    judge_silence(j, b, DECODE_I2R);
    judge_silence(j, b, DECODE_R2I);
    const struct judge_place at = {&j->docket, b, DECODE_R2I, b->close_frame, b->c.time_ns};
    if (b->unanswered)
        judge_accuse(&at, "MPA-7.1-*",
                     "a correct Request was answered by closing the connection, not by a Reply");
}

static void on_tcp(void *context, const struct decode_tcp *t)
{
    struct judge *j = context;
    struct judge_bench *b = bench_of(j, t->conn);
    if (!b)
        return;
    struct judge_side *other = &b->side[1 - t->dir];
    if (t->has_ack && t->ack > other->acked)
        other->acked = t->ack;
    if (!t->fin && !t->reset)
        return;
    if (b->closer == DECODE_UNKNOWN) {
        b->closer = (int)t->dir;
        b->close_frame = t->frame;
        b->close_ns = t->time_ns;
    }
    if (t->reset || b->closer != (int)t->dir)
        settle_bench(j, b);
}

static void on_gone(void *context, int conn)
{
    struct judge *j = context;
    struct judge_bench *b = bench_of(j, conn);
    if (!b)
        return;
    settle_bench(j, b);
    bench_free(b);
    j->bench[conn - 1] = NULL;
}

/* ---- the verdict ---- */

static void on_summary(void *context, const struct decode_summary *s)
{
    struct judge *j = context;
    (void)s;
    for (size_t i = 0; i < catalogue_size && i < CATALOGUE_MAX; i++) {
        struct judge_verdict *v = &j->docket.judgement.verdict[i];
        v->exercised = j->occasion[catalogue_occasion(i)];
        if (v->exercised < v->violated)
            v->exercised = v->violated;
    }
}

struct decode_sink judge_decode_sink(struct judge *j)
{
    return (struct decode_sink){.context = j,
                                .connection = on_connection,
                                .segment = on_segment,
                                .message = on_message,
                                .violation = on_violation,
                                .summary = on_summary,
                                .tcp = on_tcp,
                                .gone = on_gone};
}

const struct judge_result *judge_verdict(const struct judge *j, bool *whole)
{
    *whole = !j->failed;
    return &j->docket.judgement;
}
