/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/capture/decode_direction.h"

#include <stdlib.h>

#include "helpers/capture/decode_rules.h"
#include "llp/mpa.h"

enum {
    READS_UNKNOWN = 64, /* RDMA Reads to keep track of where start-up does not say how many there may be */
    READS_MAX = 4096,   /* and where it says more than anybody has */
    REORDER = 256       /* segments that the engine remembers beyond its edge */
};

/* In doubt are: the message under way, the Reads, the count of messages in each queue. */
enum {
    DOUBT_RUN = 1,
    DOUBT_READS = 2,
    DOUBT_QUEUE = 4,
    DOUBT_ALL = DOUBT_RUN | DOUBT_READS | DOUBT_QUEUE * 15
};

/* ---- making and unmaking ---- */

static uint16_t depth(int reads)
{
    if (reads == DECODE_UNKNOWN)
        return READS_UNKNOWN;
    return (uint16_t)(reads < READS_MAX ? reads : READS_MAX);
}

static struct iw_ep *endpoint_new(const struct decode_direction_conf *c)
{
    struct iw_conf conf = {.stream = 1,
                           .mulpdu = MPA_MULPDU_MIN,
                           .llp = IW_LLP_ALL,
                           .profile = IW_DECODER | (c->rdmac ? IW_RDMAC : IW_RFC7306),
                           .ird = depth(c->reads),
                           .ord = (uint16_t)(depth(c->other_reads) * 2 + 16), /* more than is allowed */
                           .reorder_max = REORDER};
    size_t size = iw_ep_size(&conf);
    void *memory = size ? malloc(size) : NULL;
    struct iw_ep *ep = memory ? iw_ep_init(memory, &conf) : NULL;
    if (ep)
        iw_enable(ep, 0, 0);
    return ep;
}

bool decode_engine_init(struct decode_engine *j, const struct decode_direction_conf *conf,
                        const struct decode_report *report)
{
    *j = (struct decode_engine){
        .conf = *conf, .report = report, .ep = endpoint_new(conf), .doubt = conf->searching ? DOUBT_ALL : 0};
    return j->ep;
}

void decode_engine_free(struct decode_engine *j)
{
    if (j->other)
        j->other->other = NULL;
    free(j->ep);
}

void decode_engine_missed(struct decode_engine *j)
{
    j->doubt = DOUBT_ALL;
}

uint8_t decode_engine_version(const struct decode_engine *j)
{
    return j->conf.rdmac ? 0 : 1;
}

/* ---- violations ---- */

void decode_report_violation(const struct decode_report *report, const struct decode_violation *v)
{
    report->summary->violations++;
    if (report->sink->violation)
        report->sink->violation(report->sink->context, v);
}

static void report_segment(const struct decode_engine *j, const struct decode_segment *s, int term,
                           const char *what, const char *requirement)
{
    decode_report_violation(j->report, &(struct decode_violation){.conn = s->conn,
                                                                  .dir = s->dir,
                                                                  .frame = s->frame_last,
                                                                  .time_ns = s->t_last_ns,
                                                                  .term = term,
                                                                  .at_segment = true,
                                                                  .key = s->key,
                                                                  .what = what,
                                                                  .requirement = requirement});
}

static void remember_broken(struct decode_engine *j, int term)
{
    if (term)
        j->broken[j->breaks++ % DECODE_BROKEN] = term;
}

static bool has_broken(const struct decode_engine *j, int term)
{
    for (unsigned i = 0; j && i < DECODE_BROKEN && i < j->breaks; i++)
        if (j->broken[i] == term)
            return true;
    return false;
}

static uint32_t payload_of(const struct decode_heard *h)
{
    return h->segment.ulpdu_len - ddp_head_size(&h->segment.head);
}

static unsigned doubt_of_queue(uint32_t qn)
{
    return qn < 4 ? (unsigned)DOUBT_QUEUE << qn : 0;
}

/* Do we know how many Reads there may be, and keep track of as many? */
static bool knows_ird(const struct decode_engine *j)
{
    return j->conf.reads != DECODE_UNKNOWN && j->conf.reads <= READS_MAX;
}

static bool doubts_reads(const struct decode_engine *j, const struct decode_segment *s)
{
    unsigned doubt = j->doubt | (j->other ? j->other->doubt : DOUBT_READS);
    return doubt & DOUBT_READS || (s->ctl.opcode == RDMAP_READ_REQ && !knows_ird(j));
}

/* Is something in doubt that this verdict rests on? */
static bool is_doubtful(const struct decode_engine *j, const struct decode_segment *s,
                        enum decode_basis basis)
{
    switch (basis) {
    case BASIS_RUN: return j->doubt & DOUBT_RUN;
    case BASIS_QUEUE: return j->doubt & doubt_of_queue(s->head.qn);
    case BASIS_READS: return doubts_reads(j, s);
    default: return false;
    }
}

/* What an error of this kind leaves in doubt: one cause is told once. */
static unsigned doubt_after(enum decode_basis basis)
{
    static const unsigned doubt[] = {
        [BASIS_SEGMENT] = DOUBT_ALL, [BASIS_RUN] = DOUBT_RUN, [BASIS_QUEUE] = 0, [BASIS_READS] = DOUBT_READS};
    return doubt[basis];
}

static void violate(struct decode_engine *j, const struct decode_segment *s, int term)
{
    struct decode_rule rule = decode_rule_of(term, s->readable ? &s->head : NULL, &s->ctl);
    bool doubtful = is_doubtful(j, s, rule.basis);
    remember_broken(j, term);
    j->doubt |= doubt_after(rule.basis);
    if (!doubtful)
        report_segment(j, s, term, rule.what, rule.requirement);
}

/* The engine has taken the last segment of a message: from here on it knows where that queue stands. */
static void regain(struct decode_engine *j, const struct ddp_head *head)
{
    if (head->last)
        j->doubt &= ~((unsigned)DOUBT_RUN | (head->tagged ? 0 : doubt_of_queue(head->qn)));
}

/* ---- messages ---- */

static bool belongs(const struct decode_tally *t, const struct decode_segment *s)
{
    if (!t->open || t->first.head.tagged != s->head.tagged)
        return false;
    if (s->head.tagged)
        return t->first.ctl.opcode == s->ctl.opcode;
    return t->first.head.qn == s->head.qn && t->first.head.msn == s->head.msn;
}

/* The message that a segment belongs to; a new one takes the place of the oldest when there are too many. */
static struct decode_tally *tally_of(struct decode_engine *j, const struct decode_segment *s)
{
    struct decode_tally *free_one = &j->tally[0];
    for (int i = 0; i < DECODE_TALLIES; i++) {
        struct decode_tally *t = &j->tally[i];
        if (belongs(t, s))
            return t;
        if (free_one->open && (!t->open || t->first.key < free_one->first.key))
            free_one = t;
    }
    *free_one = (struct decode_tally){.open = true, .first = *s};
    return free_one;
}

static void widen(struct decode_segment *span, const struct decode_segment *by)
{
    if (by->frame_first < span->frame_first) {
        span->frame_first = by->frame_first;
        span->t_first_ns = by->t_first_ns;
    }
    if (by->frame_last > span->frame_last) {
        span->frame_last = by->frame_last;
        span->t_last_ns = by->t_last_ns;
    }
}

static struct decode_tally *tally_add(struct decode_engine *j, const struct decode_heard *h, bool refused)
{
    const struct decode_segment *s = &h->segment;
    struct decode_tally *t = tally_of(j, s);
    widen(&t->first, s);
    if (s->crc == DECODE_CRC_BAD)
        t->first.crc = DECODE_CRC_BAD;
    t->refused |= refused;
    t->fpdus++;
    t->ahead += s->ahead;
    t->length = payload_of(h) + (s->head.tagged ? t->length : s->head.mo);
    t->open = !s->head.last;
    return t;
}

/* A Read Request heard here will be answered in the other direction; a Response frees its place there. */
static void tell_other(struct decode_engine *j, const struct decode_message *m, const struct decode_heard *h)
{
    if (!j->other || m->crc == DECODE_CRC_BAD)
        return;
    bool asked = m->has_read_req && payload_of(h) == IW_READ_REQ_SIZE;
    if (asked && iw_heard_read_req(j->other->ep, &m->read_req) != IW_OK)
        j->other->doubt |= DOUBT_READS; /* too many to keep track of */
    if (m->ctl.opcode == RDMAP_READ_RESP || m->ctl.opcode == RDMAP_ATOMIC_RESP)
        iw_heard_read_resp(j->other->ep);
}

/* Where both readings are possible the one that names what was done wrong before is meant. */
static void read_terminate(const struct decode_engine *other, struct decode_message *m, const uint8_t *body,
                           uint32_t len)
{
    unsigned can = decode_terminate(body, len, &m->terminate, &m->as_siw);
    m->has_terminate = true;
    m->has_as_siw = can & DECODE_AS_SIW;
    m->believe_siw = m->has_as_siw && (!(can & DECODE_AS_RFC) || (has_broken(other, m->as_siw.term) &&
                                                                  !has_broken(other, m->terminate.term)));
}

static void read_body(const struct decode_engine *other, struct decode_message *m,
                      const struct decode_heard *h)
{
    uint32_t head = ddp_head_size(&h->segment.head), len = h->segment.octets_len - head;
    const uint8_t *body = h->octets + head;
    if (m->head.tagged)
        return;
    m->has_read_req = m->ctl.opcode == RDMAP_READ_REQ && len >= IW_READ_REQ_SIZE;
    m->has_atomic_req = m->ctl.opcode == RDMAP_ATOMIC_REQ && len >= IW_ATOMIC_REQ_SIZE;
    m->has_atomic_resp = m->ctl.opcode == RDMAP_ATOMIC_RESP && len >= IW_ATOMIC_RESP_SIZE;
    if (m->has_read_req)
        rdmap_read_req_get(body, &m->read_req);
    if (m->has_atomic_req)
        rdmap_atomic_req_get(body, &m->atomic_req);
    if (m->has_atomic_resp)
        rdmap_atomic_resp_get(body, &m->atomic_resp);
    if (m->ctl.opcode == RDMAP_TERMINATE)
        read_terminate(other, m, body, len);
}

/* The last segment of a message had its turn. `m`: what the engine says it was; NULL when it refused some of it: then
 * what the capture shows. */
static void report_message(struct decode_engine *j, const struct decode_tally *t,
                           const struct decode_heard *h, const struct iw_message *m)
{
    const struct decode_segment *first = &t->first;
    struct decode_message out = {.conn = first->conn,
                                 .dir = first->dir,
                                 .head = m ? m->head : h->segment.head,
                                 .ctl = m ? m->ctl : h->segment.ctl,
                                 .frame_first = first->frame_first,
                                 .frame_last = first->frame_last,
                                 .t_first_ns = first->t_first_ns,
                                 .t_last_ns = first->t_last_ns,
                                 .key = h->segment.key,
                                 .delivered = m != NULL,
                                 .to = m ? m->to : first->head.to,
                                 .length = m ? m->length : (uint32_t)t->length,
                                 .fpdus = m ? m->segments : t->fpdus,
                                 .ooo_fpdus = t->ahead,
                                 .crc = first->crc};
    read_body(j->other, &out, h);
    tell_other(j, &out, h);
    j->report->summary->messages++;
    j->report->summary->terminates += out.has_terminate;
    if (j->report->sink->message)
        j->report->sink->message(j->report->sink->context, &out);
}

/* ---- the engine ---- */

/* Are all octets there that the engine reads? The snap length may have cut them. */
static bool is_judgeable(const struct decode_segment *s)
{
    if (s->octets_len == s->ulpdu_len || s->octets_len == sizeof((struct decode_heard){0}).octets)
        return true;
    bool body = s->ctl.opcode == RDMAP_READ_REQ || s->ctl.opcode >= RDMAP_TERMINATE;
    return s->readable && (!body || s->head.tagged);
}

/* The segment as it was on the wire; octets that were not kept are there by length only. */
static void segment_of(const struct decode_heard *h, struct iw_seg *seg)
{
    iw_seg_view(seg, h->segment.key, h->octets, h->segment.octets_len);
    uint32_t missing = h->segment.ulpdu_len - h->segment.octets_len;
    if (!missing)
        return;
    seg->payload_len += missing;
    seg->frag[seg->frags++] = (struct iw_frag){NULL, missing};
}

static int check_segment(struct decode_engine *j, struct decode_heard *h)
{
    struct iw_seg seg;
    struct iw_place place;
    segment_of(h, &seg);
    int verdict = iw_check(j->ep, 0, &seg, &place);
    if (verdict != IW_OK)
        return verdict;
    h->committed = true;
    return iw_commit(j->ep, 0, &seg, &place);
}

/* Everything below `key` is in place: the first error that this brings to light, or 0; what was delivered last in
 * `message`. */
static int deliver_below(struct decode_engine *j, uint64_t key, struct iw_message *message, bool *delivered)
{
    int error = 0, got;
    while ((got = iw_deliver(j->ep, 0, key, message)) > 0) {
        if (got == 1)
            *delivered = true;
        else if (!error)
            error = got;
    }
    return error;
}

void decode_engine_early(struct decode_engine *j, struct decode_heard *h)
{
    check_segment(j, h);
}

/* The engine's verdict on an FPDU whose turn it is: 0 or an error. */
static int verdict_of(struct decode_engine *j, struct decode_heard *h, struct iw_message *message,
                      bool *delivered)
{
    deliver_below(j, h->segment.key, message, delivered);
    int verdict = h->committed ? IW_OK : check_segment(j, h);
    return verdict > 0 ? verdict : deliver_below(j, h->segment.key + 1, message, delivered);
}

void decode_engine_turn(struct decode_engine *j, struct decode_heard *h, int fault)
{
    struct iw_message message;
    const struct decode_segment *s = &h->segment;
    bool delivered = false, heard = !fault && is_judgeable(s);
    int error = heard ? verdict_of(j, h, &message, &delivered) : fault;
    if (!heard)
        decode_engine_missed(j);
    if (s->readable) {
        const struct decode_tally *t = tally_add(j, h, error || !heard);
        if (s->head.last)
            report_message(j, t, h, delivered && !t->refused ? &message : NULL);
    }
    if (error)
        violate(j, s, error);
    else if (s->readable && s->ctl.opcode > RDMAP_TERMINATE)
        remember_broken(j, IW_T_RDMA_OPCODE); /* by a peer that knows RFC 5040 alone */
    if (heard && h->committed)
        regain(j, &s->head);
}

void decode_engine_end(struct decode_engine *j)
{
    for (int i = 0; i < DECODE_TALLIES; i++)
        j->report->summary->unfinished += j->tally[i].open;
}

/* ---- an FPDU heard for the first time ---- */

/* The responder keeps silent until it has heard an FPDU; what the capture shows first was sent first. */
static void check_gate(struct decode_engine *j, const struct decode_segment *s)
{
    bool silent = j->conf.gated && j->other && !j->other->spoke && !j->other->doubt;
    if (silent && !j->spoke)
        report_segment(j, s, 0, "responder sends before it received an FPDU", "MPA-7.1.2-4");
}

static void set_version_1(struct decode_engine *j)
{
    j->conf.rdmac = false;
    struct iw_ep *ep = endpoint_new(&j->conf);
    if (!ep)
        return;
    free(j->ep);
    j->ep = ep;
}

/* With MPA revision 0 goes DDP version 0; some speak version 1 all the same, and then the endpoints listen so. */
static void settle_version(struct decode_engine *j, const struct decode_heard *h)
{
    enum { VERSION = 0x03 };
    if (j->spoke || !j->conf.rdmac || !h->segment.octets_len || !(h->octets[0] & VERSION))
        return;
    report_segment(j, &h->segment, 0, "DDP version 1 on MPA revision 0", "MPA-3-6");
    set_version_1(j);
    if (j->other && !j->other->spoke)
        set_version_1(j->other);
}

void decode_engine_count(struct decode_engine *j, const struct decode_heard *h, const uint8_t *ulpdu,
                         uint32_t there)
{
    struct decode_segment s = h->segment;
    s.octets = h->octets;
    s.ulpdu = ulpdu;
    s.ulpdu_there = there;
    check_gate(j, &s);
    settle_version(j, h);
    j->spoke = true;
    j->report->summary->fpdus++;
    if (j->report->sink->segment)
        j->report->sink->segment(j->report->sink->context, &s);
}
