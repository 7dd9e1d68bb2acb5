/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/capture/decode_engine.h"

#include <stdlib.h>

#include "helpers/capture/decode_rules.h"
#include "llp/mpa.h"

enum {
    TALLIES = 8,        /* messages under way at the same time */
    READS_UNKNOWN = 64, /* RDMA Reads to keep track of where start-up does not say how many there may be */
    READS_MAX = 4096,   /* and where it says more than anybody has */
    REORDER = 256,      /* segments that the engine remembers beyond its edge */
    BROKEN = 8          /* kinds of violations to remember, for the Terminate that answers one */
};

/* In doubt are: the message under way, the Reads, the count of messages in each queue. */
enum {
    DOUBT_RUN = 1,
    DOUBT_READS = 2,
    DOUBT_QUEUE = 4,
    DOUBT_ALL = DOUBT_RUN | DOUBT_READS | DOUBT_QUEUE * 15
};

/* A message under way: what its segments were, seen from the capture. */
struct tally {
    bool open;
    bool refused;         /* a segment of it, by MPA or the engine */
    struct ddp_head head; /* of its first segment */
    uint8_t opcode;
    uint64_t first_key, length;
    uint32_t fpdus, ahead;
    enum decode_crc crc;
    struct reassembly_span when;
};

struct decode_engine {
    struct decode_direction_conf conf;
    const struct decode_report *report;
    struct decode_engine *other; /* of the other direction */
    struct iw_ep *ep;
    struct tally tally[TALLIES];
    int broken[BROKEN]; /* what was violated here, IW_TERM values, told or in doubt; the last ones */
    unsigned breaks;
    unsigned doubt; /* DOUBT_*: what was not heard in full, so that errors that rest on it mean nothing */
    bool spoke;
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

struct decode_engine *decode_engine_new(const struct decode_direction_conf *conf,
                                        const struct decode_report *report)
{
    struct decode_engine *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    j->conf = *conf;
    j->report = report;
    j->doubt = conf->searching ? DOUBT_ALL : 0;
    j->ep = endpoint_new(conf);
    if (j->ep)
        return j;
    free(j);
    return NULL;
}

void decode_engine_free(struct decode_engine *j)
{
    if (!j)
        return;
    if (j->other)
        j->other->other = NULL;
    free(j->ep);
    free(j);
}

void decode_engine_pair(struct decode_engine *a, struct decode_engine *b)
{
    a->other = b;
    b->other = a;
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

static void tell(const struct decode_engine *j, const struct decode_heard *h, int term, const char *what,
                 const char *requirement)
{
    decode_report_violation(j->report, &(struct decode_violation){.conn = j->conf.conn,
                                                                  .dir = j->conf.dir,
                                                                  .frame = h->when.frame_last,
                                                                  .time_ns = h->when.t_last_ns,
                                                                  .term = term,
                                                                  .at_segment = true,
                                                                  .key = h->key,
                                                                  .what = what,
                                                                  .requirement = requirement});
}

static void remember_broken(struct decode_engine *j, int term)
{
    if (term)
        j->broken[j->breaks++ % BROKEN] = term;
}

static bool has_broken(const struct decode_engine *j, int term)
{
    for (unsigned i = 0; j && i < BROKEN && i < j->breaks; i++)
        if (j->broken[i] == term)
            return true;
    return false;
}

/* A segment read once, for tally and report. */
struct reading {
    bool readable;
    struct ddp_head head;
    struct rdmap_ctl ctl;
    const uint8_t *body; /* octets of the payload that were kept */
    uint32_t body_len, payload_len;
};

static struct reading read_heard(const struct decode_heard *h)
{
    struct reading r = {.readable = ddp_head_get(h->octets, h->octets_len, &r.head)};
    if (!r.readable)
        return r;
    rdmap_ctl_get(r.head.rsvdulp, r.head.tagged, &r.ctl);
    uint32_t size = ddp_head_size(&r.head);
    r.body = h->octets + size;
    r.body_len = h->octets_len - size;
    r.payload_len = h->ulpdu_len - size;
    return r;
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

static bool doubts_reads(const struct decode_engine *j, const struct reading *r)
{
    unsigned doubt = j->doubt | (j->other ? j->other->doubt : DOUBT_READS);
    return doubt & DOUBT_READS || (r->ctl.opcode == RDMAP_READ_REQ && !knows_ird(j));
}

/* Is something in doubt that this verdict rests on? */
static bool is_doubtful(const struct decode_engine *j, const struct reading *r, enum decode_basis basis)
{
    switch (basis) {
    case BASIS_RUN: return j->doubt & DOUBT_RUN;
    case BASIS_QUEUE: return j->doubt & doubt_of_queue(r->head.qn);
    case BASIS_READS: return doubts_reads(j, r);
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

static void violate(struct decode_engine *j, const struct decode_heard *h, const struct reading *r, int term)
{
    struct decode_rule rule = decode_rule_of(term, r->readable ? &r->head : NULL, &r->ctl);
    bool doubtful = is_doubtful(j, r, rule.basis);
    remember_broken(j, term);
    j->doubt |= doubt_after(rule.basis);
    if (!doubtful)
        tell(j, h, term, rule.what, rule.requirement);
}

/* The engine has taken the last segment of a message: from here on it knows where that queue stands. */
static void regain(struct decode_engine *j, const struct reading *r)
{
    if (r->head.last)
        j->doubt &= ~((unsigned)DOUBT_RUN | (r->head.tagged ? 0 : doubt_of_queue(r->head.qn)));
}

/* ---- messages ---- */

static bool belongs(const struct tally *t, const struct reading *r)
{
    if (!t->open || t->head.tagged != r->head.tagged)
        return false;
    if (r->head.tagged)
        return t->opcode == r->ctl.opcode;
    return t->head.qn == r->head.qn && t->head.msn == r->head.msn;
}

/* The message that a segment belongs to; a new one takes the place of the oldest when there are too many. */
static struct tally *tally_of(struct decode_engine *j, const struct reading *r)
{
    struct tally *free_one = &j->tally[0];
    for (int i = 0; i < TALLIES; i++) {
        struct tally *t = &j->tally[i];
        if (belongs(t, r))
            return t;
        if (free_one->open && (!t->open || t->first_key < free_one->first_key))
            free_one = t;
    }
    *free_one = (struct tally){.head = r->head, .opcode = r->ctl.opcode};
    return free_one;
}

static void widen(struct reassembly_span *span, const struct reassembly_span *by)
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

static struct tally *tally_add(struct decode_engine *j, const struct decode_heard *h, const struct reading *r,
                               bool refused)
{
    struct tally *t = tally_of(j, r);
    if (!t->open) {
        t->open = true;
        t->first_key = h->key;
        t->when = h->when;
        t->crc = h->crc;
    }
    widen(&t->when, &h->when);
    if (h->crc == DECODE_CRC_BAD)
        t->crc = DECODE_CRC_BAD;
    t->refused |= refused;
    t->fpdus++;
    t->ahead += h->ahead;
    t->length = r->head.tagged ? t->length + r->payload_len : (uint64_t)r->head.mo + r->payload_len;
    if (r->head.last)
        t->open = false;
    return t;
}

/* A Read Request heard here will be answered in the other direction; a Response frees its place there. */
static void tell_other(struct decode_engine *j, const struct decode_message *m, const struct reading *r)
{
    if (!j->other || m->crc == DECODE_CRC_BAD)
        return;
    bool asked = m->has_read_req && r->payload_len == IW_READ_REQ_SIZE;
    if (asked && iw_heard_read_req(j->other->ep, &m->read_req) != IW_OK)
        j->other->doubt |= DOUBT_READS; /* too many to keep track of */
    if (m->ctl.opcode == RDMAP_READ_RESP || m->ctl.opcode == RDMAP_ATOMIC_RESP)
        iw_heard_read_resp(j->other->ep);
}

/* Where both readings are possible the one that names what was done wrong before is meant. */
static void read_terminate(const struct decode_engine *other, struct decode_message *m,
                           const struct reading *r)
{
    unsigned can = decode_terminate(r->body, r->body_len, &m->terminate, &m->as_siw);
    m->has_terminate = true;
    m->has_as_siw = can & DECODE_AS_SIW;
    m->believe_siw = m->has_as_siw && (!(can & DECODE_AS_RFC) || (has_broken(other, m->as_siw.term) &&
                                                                  !has_broken(other, m->terminate.term)));
}

static void read_body(const struct decode_engine *other, struct decode_message *m, const struct reading *r)
{
    if (m->ctl.opcode == RDMAP_READ_REQ && !m->head.tagged && r->body_len >= IW_READ_REQ_SIZE) {
        m->has_read_req = true;
        rdmap_read_req_get(r->body, &m->read_req);
    }
    if (m->ctl.opcode == RDMAP_ATOMIC_REQ && !m->head.tagged && r->body_len >= IW_ATOMIC_REQ_SIZE) {
        m->has_atomic_req = true;
        rdmap_atomic_req_get(r->body, &m->atomic_req);
    }
    if (m->ctl.opcode == RDMAP_ATOMIC_RESP && !m->head.tagged && r->body_len >= IW_ATOMIC_RESP_SIZE) {
        m->has_atomic_resp = true;
        rdmap_atomic_resp_get(r->body, &m->atomic_resp);
    }
    if (m->ctl.opcode == RDMAP_TERMINATE && !m->head.tagged)
        read_terminate(other, m, r);
}

/* The last segment of a message had its turn. `m`: what the engine says it was; NULL when it refused some of it: then
 * what the capture shows. */
static void report_message(struct decode_engine *j, const struct tally *t, uint64_t key,
                           const struct reading *r, const struct iw_message *m)
{
    struct decode_message out = {.conn = j->conf.conn,
                                 .dir = j->conf.dir,
                                 .head = m ? m->head : r->head,
                                 .ctl = m ? m->ctl : r->ctl,
                                 .frame_first = t->when.frame_first,
                                 .frame_last = t->when.frame_last,
                                 .t_first_ns = t->when.t_first_ns,
                                 .t_last_ns = t->when.t_last_ns,
                                 .key = key,
                                 .delivered = m != NULL,
                                 .to = m ? m->to : t->head.to,
                                 .length = m ? m->length : (uint32_t)t->length,
                                 .fpdus = m ? m->segments : t->fpdus,
                                 .ooo_fpdus = t->ahead,
                                 .crc = t->crc};
    read_body(j->other, &out, r);
    tell_other(j, &out, r);
    j->report->summary->messages++;
    j->report->summary->terminates += out.has_terminate;
    if (j->report->sink->message)
        j->report->sink->message(j->report->sink->context, &out);
}

/* ---- the engine ---- */

/* Are all octets there that the engine reads? The snap length may have cut them. */
static bool is_judgeable(const struct decode_heard *h, const struct reading *r)
{
    if (h->octets_len == h->ulpdu_len || h->octets_len == sizeof h->octets)
        return true;
    bool body = r->ctl.opcode == RDMAP_READ_REQ || r->ctl.opcode >= RDMAP_TERMINATE;
    return r->readable && (!body || r->head.tagged);
}

/* The segment as it was on the wire; octets that were not kept are there by length only. */
static void segment_of(const struct decode_heard *h, struct iw_seg *seg)
{
    iw_seg_view(seg, h->key, h->octets, h->octets_len);
    uint32_t missing = h->ulpdu_len - h->octets_len;
    if (!missing)
        return;
    seg->payload_len += missing;
    seg->frag[seg->frags++] = (struct iw_frag){NULL, missing};
}

static int check(struct decode_engine *j, struct decode_heard *h)
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
static int deliver(struct decode_engine *j, uint64_t key, struct iw_message *message, bool *delivered)
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
    check(j, h);
}

/* The engine's verdict on an FPDU whose turn it is: 0 or an error. */
static int verdict_of(struct decode_engine *j, struct decode_heard *h, struct iw_message *message,
                      bool *delivered)
{
    deliver(j, h->key, message, delivered);
    int verdict = h->committed ? IW_OK : check(j, h);
    return verdict > 0 ? verdict : deliver(j, h->key + 1, message, delivered);
}

void decode_engine_turn(struct decode_engine *j, struct decode_heard *h, int fault)
{
    struct iw_message message;
    bool delivered = false;
    struct reading r = read_heard(h);
    int error = fault;
    bool heard = !fault && is_judgeable(h, &r);
    if (heard)
        error = verdict_of(j, h, &message, &delivered);
    else
        decode_engine_missed(j);
    if (r.readable) {
        const struct tally *t = tally_add(j, h, &r, error || !heard);
        if (r.head.last)
            report_message(j, t, h->key, &r, delivered && !t->refused ? &message : NULL);
    }
    if (error)
        violate(j, h, &r, error);
    else if (r.readable && r.ctl.opcode > RDMAP_TERMINATE)
        remember_broken(j, IW_T_RDMA_OPCODE); /* by a peer that knows RFC 5040 alone */
    if (heard && h->committed)
        regain(j, &r);
}

void decode_engine_end(struct decode_engine *j)
{
    for (int i = 0; i < TALLIES; i++)
        j->report->summary->unfinished += j->tally[i].open;
}

/* ---- an FPDU heard for the first time ---- */

/* The responder keeps silent until it has heard an FPDU; what the capture shows first was sent first. */
static void check_gate(struct decode_engine *j, const struct decode_heard *h)
{
    bool silent = j->conf.gated && j->other && !j->other->spoke && !j->other->doubt;
    if (silent && !j->spoke)
        tell(j, h, 0, "responder sends before it received an FPDU", "MPA-7.1.2-4");
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
    if (j->spoke || !j->conf.rdmac || !h->octets_len || !(h->octets[0] & VERSION))
        return;
    tell(j, h, 0, "DDP version 1 on MPA revision 0", "MPA-3-6");
    set_version_1(j);
    if (j->other && !j->other->spoke)
        set_version_1(j->other);
}

static void report_segment(const struct decode_engine *j, const struct decode_heard *h, const uint8_t *ulpdu,
                           uint32_t there)
{
    const struct decode_segment s = {.conn = j->conf.conn,
                                     .dir = j->conf.dir,
                                     .key = h->key,
                                     .end = h->end,
                                     .frame_first = h->when.frame_first,
                                     .frame_last = h->when.frame_last,
                                     .t_first_ns = h->when.t_first_ns,
                                     .t_last_ns = h->when.t_last_ns,
                                     .ulpdu_len = h->ulpdu_len,
                                     .octets_len = h->octets_len,
                                     .octets = h->octets,
                                     .ulpdu = ulpdu,
                                     .ulpdu_there = there,
                                     .ahead = h->ahead,
                                     .pad_used = h->pad_used,
                                     .crc = h->crc};
    j->report->sink->segment(j->report->sink->context, &s);
}

void decode_engine_count(struct decode_engine *j, const struct decode_heard *h, const uint8_t *ulpdu,
                         uint32_t there)
{
    check_gate(j, h);
    settle_version(j, h);
    j->spoke = true;
    j->report->summary->fpdus++;
    if (j->report->sink->segment)
        report_segment(j, h, ulpdu, there);
}
