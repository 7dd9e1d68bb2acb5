/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/listener.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/decode_rules.h"
#include "llp/mpa.h"

enum {
    TALLIES = 8,              /* messages under way at the same time */
    UNLIMITED_READS = 0x4000, /* RFC 6581 counts to 2^14 */
    REORDER = 256,            /* segments that the engine remembers beyond its edge */
    STORE_FIRST = 128 << 10,  /* MPA's memory: at first, and at most */
    STORE_MAX = STREAM_OCTETS_MAX,
    RANGES_FIRST = 256,
    RANGES_MAX = 65535,
    EARLY_MAX = 16384,        /* FPDUs remembered beyond the edge */
    PATIENCE = 64 /* segments after an acknowledgement before a hole below it counts as lost by the capture */
};

/* One FPDU: what must be kept of it until its turn. */
struct heard {
    uint64_t key, end; /* stream offsets */
    struct stream_span when;
    enum decode_crc crc;
    bool ahead;     /* it arrived while an earlier octet was missing */
    bool committed; /* the engine has it */
    uint32_t ulpdu_len;
    uint8_t octets_len; /* of the ULPDU, at `octets` */
    uint8_t octets[IW_HEAD_UNTAGGED + IW_TERM_MAX];
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
    struct stream_span when;
};

struct listener {
    struct listener_conf conf;
    const struct listener_report *report;
    struct listener *other;
    struct stream stream; /* octets at and beyond the edge */
    struct mpa_rx *rx;
    struct mpa_rx_conf rx_conf;
    uint64_t start; /* stream offset that the receiver counts from */
    bool refused;   /* it had no room for something */
    struct iw_ep *ep;
    struct heard *early; /* handed up ahead of their turn, by key */
    uint32_t earlies, early_room;
    struct tally tally[TALLIES];
    unsigned doubt; /* DOUBT_*: what was not heard in full, so that errors that rest on it mean nothing */
    bool spoke;
    uint64_t frame_now;
    uint64_t acked;
    int patience;
};

/* In doubt are: the message under way, the Reads, the count of messages in each queue. */
enum { DOUBT_RUN = 1, DOUBT_READS = 2, DOUBT_QUEUE = 4, DOUBT_ALL = DOUBT_RUN | DOUBT_READS | DOUBT_QUEUE * 7 };

/* ---- making and unmaking ---- */

static uint16_t depth(int reads)
{
    return (uint16_t)(reads < 0 || reads > UNLIMITED_READS ? UNLIMITED_READS : reads);
}

static struct iw_ep *endpoint_new(const struct listener_conf *c)
{
    int asked = depth(c->other_reads) * 2 + 16; /* room for more than is allowed */
    struct iw_conf conf = {.stream = 1,
                           .mulpdu = MPA_MULPDU_MIN,
                           .llp = IW_LLP_ALL,
                           .profile = IW_DECODER | (c->rdmac ? IW_RDMAC : 0u),
                           .ird = depth(c->reads),
                           .ord = depth(asked),
                           .reorder_max = REORDER};
    size_t size = iw_ep_size(&conf);
    void *memory = size ? malloc(size) : NULL;
    struct iw_ep *ep = memory ? iw_ep_init(memory, &conf) : NULL;
    if (ep)
        iw_enable(ep, 0, 0);
    return ep;
}

/* A receiver for FPDUs from `start` on, with more room than the last one when that was too small. */
static bool receiver_new(struct listener *l, uint64_t start)
{
    struct mpa_rx_conf conf = l->rx_conf;
    if (l->refused && conf.store < STORE_MAX) {
        conf.store = conf.store < STORE_MAX / 8 ? conf.store * 8 : STORE_MAX;
        conf.ranges = conf.ranges < RANGES_MAX / 8 ? conf.ranges * 8 : RANGES_MAX;
    }
    size_t size = mpa_rx_size(&conf);
    void *memory = l->rx && !l->refused ? l->rx : malloc(size);
    if (!memory || !size)
        return false;
    if (memory != l->rx)
        free(l->rx);
    l->rx = mpa_rx_init(memory, &conf);
    l->rx_conf = conf;
    l->start = start;
    l->refused = false;
    return l->rx;
}

struct listener *listener_new(const struct listener_conf *conf, const struct listener_report *report)
{
    struct listener *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->conf = *conf;
    l->report = report;
    l->rx_conf = (struct mpa_rx_conf){.flags = (conf->markers ? MPA_MARKERS : 0u) | (conf->crc ? MPA_CRC : 0u),
                                      .ulpdu_max = MPA_ULPDU_MAX,
                                      .store = conf->markers ? STORE_MAX : STORE_FIRST,
                                      .ranges = conf->markers ? RANGES_MAX : RANGES_FIRST};
    l->ep = endpoint_new(conf);
    l->doubt = conf->searching ? DOUBT_ALL : 0;
    if (l->ep && receiver_new(l, conf->origin))
        return l;
    listener_free(l);
    return NULL;
}

void listener_free(struct listener *l)
{
    if (!l)
        return;
    if (l->other)
        l->other->other = NULL;
    stream_free(&l->stream);
    free(l->early);
    free(l->rx);
    free(l->ep);
    free(l);
}

void listener_pair(struct listener *a, struct listener *b)
{
    a->other = b;
    b->other = a;
}

uint64_t listener_edge(const struct listener *l)
{
    return l->start + mpa_edge(l->rx);
}

bool listener_spoke(const struct listener *l)
{
    return l->spoke;
}

/* ---- reporting ---- */

void listener_report_violation(const struct listener_report *report, const struct decode_violation *v)
{
    report->summary->violations++;
    report->sink->violation(report->sink->context, v);
}

/* A segment read once, for tally and report. */
struct reading {
    bool readable;
    struct ddp_head head;
    struct rdmap_ctl ctl;
    const uint8_t *body; /* octets of the payload that were kept */
    uint32_t body_len, payload_len;
};

static struct reading read_heard(const struct heard *h)
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
    return qn < 3 ? (unsigned)DOUBT_QUEUE << qn : 0;
}

/* Is something in doubt that this verdict rests on? */
static bool is_doubtful(const struct listener *l, const struct reading *r, enum decode_basis basis)
{
    switch (basis) {
    case BASIS_RUN:
        return l->doubt & DOUBT_RUN;
    case BASIS_QUEUE:
        return l->doubt & doubt_of_queue(r->head.qn);
    case BASIS_READS:
        return (l->doubt | (l->other ? l->other->doubt : DOUBT_READS)) & DOUBT_READS;
    default:
        return false;
    }
}

/* What an error of this kind leaves in doubt: one cause is told once. */
static unsigned doubt_after(enum decode_basis basis)
{
    static const unsigned doubt[] = {
        [BASIS_SEGMENT] = DOUBT_ALL, [BASIS_RUN] = DOUBT_RUN, [BASIS_QUEUE] = 0, [BASIS_READS] = DOUBT_READS};
    return doubt[basis];
}

static void violate(struct listener *l, const struct heard *h, const struct reading *r, int term)
{
    struct decode_rule rule = decode_rule_of(term, r->readable ? &r->head : NULL, &r->ctl);
    bool doubtful = is_doubtful(l, r, rule.basis);
    l->doubt |= doubt_after(rule.basis);
    if (doubtful)
        return;
    listener_report_violation(l->report, &(struct decode_violation){.conn = l->conf.conn,
                                                                    .dir = l->conf.dir,
                                                                    .frame = h->when.frame_last,
                                                                    .time_ns = h->when.t_last_ns,
                                                                    .term = term,
                                                                    .what = rule.what,
                                                                    .requirement = rule.requirement});
}

/* The engine has taken the last segment of a message: from here on it knows where that queue stands. */
static void regain(struct listener *l, const struct reading *r)
{
    if (r->head.last)
        l->doubt &= ~((unsigned)DOUBT_RUN | (r->head.tagged ? 0 : doubt_of_queue(r->head.qn)));
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
static struct tally *tally_of(struct listener *l, const struct reading *r)
{
    struct tally *free_one = &l->tally[0];
    for (int i = 0; i < TALLIES; i++) {
        struct tally *t = &l->tally[i];
        if (belongs(t, r))
            return t;
        if (free_one->open && (!t->open || t->first_key < free_one->first_key))
            free_one = t;
    }
    *free_one = (struct tally){.head = r->head, .opcode = r->ctl.opcode};
    return free_one;
}

static void widen(struct stream_span *span, const struct stream_span *by)
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

static struct tally *tally_add(struct listener *l, const struct heard *h, const struct reading *r, bool refused)
{
    struct tally *t = tally_of(l, r);
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
static void tell_other(struct listener *l, const struct decode_message *m, const struct reading *r)
{
    if (!l->other || m->crc == DECODE_CRC_BAD)
        return;
    if (m->has_read_req && r->payload_len == IW_READ_REQ_SIZE)
        iw_heard_read_req(l->other->ep, &m->read_req);
    if (m->ctl.opcode == RDMAP_READ_RESP)
        iw_heard_read_resp(l->other->ep);
}

static void read_body(struct decode_message *m, const struct reading *r)
{
    if (m->ctl.opcode == RDMAP_READ_REQ && !m->head.tagged && r->body_len >= IW_READ_REQ_SIZE) {
        m->has_read_req = true;
        rdmap_read_req_get(r->body, &m->read_req);
    }
    if (m->ctl.opcode == RDMAP_TERMINATE && !m->head.tagged) {
        m->has_terminate = true;
        m->has_as_siw = decode_terminate(r->body, r->body_len, &m->terminate, &m->as_siw);
    }
}

/* The last segment of a message had its turn. `m`: what the engine says it was; NULL when it refused some of it: then
 * what the capture shows. */
static void report_message(struct listener *l, const struct tally *t, const struct reading *r, const struct iw_message *m)
{
    struct decode_message out = {.conn = l->conf.conn,
                                 .dir = l->conf.dir,
                                 .head = m ? m->head : r->head,
                                 .ctl = m ? m->ctl : r->ctl,
                                 .frame_first = t->when.frame_first,
                                 .frame_last = t->when.frame_last,
                                 .t_first_ns = t->when.t_first_ns,
                                 .t_last_ns = t->when.t_last_ns,
                                 .to = m ? m->to : t->head.to,
                                 .length = m ? m->length : (uint32_t)t->length,
                                 .fpdus = m ? m->segments : t->fpdus,
                                 .ooo_fpdus = t->ahead,
                                 .crc = t->crc};
    read_body(&out, r);
    tell_other(l, &out, r);
    l->report->summary->messages++;
    l->report->summary->terminates += out.has_terminate;
    l->report->sink->message(l->report->sink->context, &out);
}

/* ---- the engine ---- */

/* Are all octets there that the engine reads? The snap length may have cut them. */
static bool is_judgeable(const struct heard *h, const struct reading *r)
{
    if (h->octets_len == h->ulpdu_len || h->octets_len == sizeof h->octets)
        return true;
    bool body = r->ctl.opcode == RDMAP_READ_REQ || r->ctl.opcode == RDMAP_TERMINATE;
    return r->readable && (!body || r->head.tagged);
}

/* The segment as it was on the wire; octets that were not kept are there by length only. */
static void segment_of(const struct heard *h, struct iw_seg *seg)
{
    iw_seg_view(seg, h->key, h->octets, h->octets_len);
    uint32_t missing = h->ulpdu_len - h->octets_len;
    if (!missing)
        return;
    seg->payload_len += missing;
    seg->frag[seg->frags++] = (struct iw_frag){NULL, missing};
}

static int check(struct listener *l, struct heard *h)
{
    struct iw_seg seg;
    struct iw_place place;
    segment_of(h, &seg);
    int verdict = iw_check(l->ep, 0, &seg, &place);
    if (verdict != IW_OK)
        return verdict;
    h->committed = true;
    return iw_commit(l->ep, 0, &seg, &place);
}

/* Everything below `key` is in place: the first error that this brings to light, or 0; what was delivered last in
 * `message`. */
static int deliver(struct listener *l, uint64_t key, struct iw_message *message, bool *delivered)
{
    int error = 0, got;
    while ((got = iw_deliver(l->ep, 0, key, message)) > 0) {
        if (got == 1)
            *delivered = true;
        else if (!error)
            error = got;
    }
    return error;
}

/* The engine's judgement of an FPDU whose turn it is: 0 or an error. */
static int judge(struct listener *l, struct heard *h, struct iw_message *message, bool *delivered)
{
    deliver(l, h->key, message, delivered);
    int verdict = h->committed ? IW_OK : check(l, h);
    return verdict > 0 ? verdict : deliver(l, h->key + 1, message, delivered);
}

/* The FPDU's turn. `fault`: MPA has refused it, the engine never sees it; 0: none. */
static void take_turn(struct listener *l, struct heard *h, int fault)
{
    struct iw_message message;
    bool delivered = false;
    struct reading r = read_heard(h);
    int error = fault;
    bool heard = !fault && is_judgeable(h, &r);
    if (heard)
        error = judge(l, h, &message, &delivered);
    else
        l->doubt = DOUBT_ALL;
    if (r.readable) {
        const struct tally *t = tally_add(l, h, &r, error || !heard);
        if (r.head.last)
            report_message(l, t, &r, delivered && !t->refused ? &message : NULL);
    }
    if (error)
        violate(l, h, &r, error);
    if (heard && h->committed)
        regain(l, &r);
}

/* ---- FPDUs ahead of their turn ---- */

static uint32_t early_at(const struct listener *l, uint64_t key)
{
    uint32_t i = l->earlies;
    while (i && l->early[i - 1].key >= key)
        i--;
    return i;
}

static bool is_early(const struct listener *l, uint64_t key)
{
    uint32_t i = early_at(l, key);
    return i < l->earlies && l->early[i].key == key;
}

/* False: there is no room. */
static bool early_add(struct listener *l, const struct heard *h)
{
    if (l->earlies == l->early_room) {
        uint32_t room = l->early_room ? l->early_room * 2 : 16;
        struct heard *early = room <= EARLY_MAX ? realloc(l->early, room * sizeof *early) : NULL;
        if (!early)
            return false;
        l->early = early;
        l->early_room = room;
    }
    uint32_t i = early_at(l, h->key);
    memmove(l->early + i + 1, l->early + i, (l->earlies - i) * sizeof *h);
    l->early[i] = *h;
    l->earlies++;
    return true;
}

static void early_remove(struct listener *l, uint32_t n)
{
    memmove(l->early, l->early + n, (l->earlies - n) * sizeof *l->early);
    l->earlies -= n;
}

/* Everything below `key` is there: those have their turn. */
static void settle_early(struct listener *l, uint64_t key)
{
    uint32_t n = 0;
    while (n < l->earlies && l->early[n].key < key)
        take_turn(l, &l->early[n++], 0);
    if (n)
        early_remove(l, n);
}

/* ---- MPA ---- */

static void tell(struct listener *l, const struct heard *h, const char *what, const char *requirement)
{
    listener_report_violation(l->report, &(struct decode_violation){.conn = l->conf.conn,
                                                                    .dir = l->conf.dir,
                                                                    .frame = h->when.frame_last,
                                                                    .time_ns = h->when.t_last_ns,
                                                                    .what = what,
                                                                    .requirement = requirement});
}

/* The responder keeps silent until it has heard an FPDU; what the capture shows first was sent first. */
static void check_gate(struct listener *l, const struct heard *h)
{
    bool silent = l->conf.gated && l->other && !l->other->spoke && !l->other->doubt;
    if (silent && !l->spoke)
        tell(l, h, "responder sends before it heard an FPDU", "MPA-7.1.2-4");
}

static void set_version_1(struct listener *l)
{
    l->conf.rdmac = false;
    struct iw_ep *ep = endpoint_new(&l->conf);
    if (!ep)
        return;
    free(l->ep);
    l->ep = ep;
}

/* With MPA revision 0 goes DDP version 0; some speak version 1 all the same, and then the endpoints listen so. */
static void settle_version(struct listener *l, const struct heard *h)
{
    enum { VERSION = 0x03 };
    if (l->spoke || !l->conf.rdmac || !h->octets_len || !(h->octets[0] & VERSION))
        return;
    tell(l, h, "DDP version 1 on MPA revision 0", "MPA-3-6");
    set_version_1(l);
    if (l->other && !l->other->spoke)
        set_version_1(l->other);
}

static void count_fpdu(struct listener *l, const struct heard *h)
{
    check_gate(l, h);
    settle_version(l, h);
    l->spoke = true;
    l->report->summary->fpdus++;
}

static struct heard heard_from(const struct listener *l, uint64_t key, uint64_t end, const uint8_t *ulpdu, uint32_t octets,
                               uint32_t len)
{
    struct heard h = {.key = key, .end = end, .ulpdu_len = len, .crc = l->conf.crc ? DECODE_CRC_GOOD : DECODE_CRC_OFF};
    h.octets_len = (uint8_t)(octets < sizeof h.octets ? octets : sizeof h.octets);
    if (h.octets_len)
        memcpy(h.octets, ulpdu, h.octets_len);
    if (!stream_when(&l->stream, key, end, &h.when))
        h.when = (struct stream_span){l->frame_now, l->frame_now, 0, 0};
    return h;
}

static void hear_ahead(struct listener *l, struct heard *h)
{
    check(l, h);
    if (early_add(l, h))
        count_fpdu(l, h);
    else
        mpa_keep(l->rx); /* it comes again in its turn */
}

static void hear(struct listener *l, const struct mpa_fpdu *f)
{
    struct heard h = heard_from(l, l->start + f->key, l->start + f->end, f->ulpdu, f->octets, f->len);
    h.ahead = !f->in_order || h.when.frame_last < l->frame_now;
    bool known = is_early(l, h.key); /* by a receiver that was replaced */
    if (!f->in_order) {
        if (!known)
            hear_ahead(l, &h);
        return;
    }
    settle_early(l, h.key + known);
    if (known)
        return;
    count_fpdu(l, &h);
    take_turn(l, &h, 0);
}

/* Take what MPA has found: 0, or the error that ends it. */
static int drain(struct listener *l)
{
    struct mpa_fpdu f;
    int got;
    while ((got = mpa_next(l->rx, &f)) == 1)
        hear(l, &f);
    if (got == 0)
        settle_early(l, listener_edge(l));
    return got;
}

static int feed(struct listener *l, const struct stream_piece *p)
{
    uint64_t end = p->at + p->len, at = p->at > l->start ? p->at : l->start;
    if (end <= at)
        return 0;
    uint32_t len = (uint32_t)(end - at);
    l->refused |= mpa_receive(l->rx, at - l->start, p->octets + (at - p->at), len) < len;
    return drain(l);
}

/* ---- where MPA alone cannot go on ---- */

/* Octets of the ULPDU of the FPDU at `key`, as many as the capture has, at most `room`; false when not even its
 * length is there. */
static bool read_fpdu(const struct listener *l, uint64_t key, uint8_t *out, uint32_t room, uint32_t *octets, uint32_t *len)
{
    uint8_t raw[2 + sizeof((struct heard){0}).octets];
    uint32_t have = 0, want = room + 2 < sizeof raw ? room + 2 : (uint32_t)sizeof raw;
    for (uint64_t at = key; have < want;) {
        uint32_t phase = (uint32_t)((at - l->conf.origin) % MPA_MARKER_EVERY), run = want - have;
        if (l->conf.markers && phase == 0)
            at += MPA_MARKER;
        if (l->conf.markers && run > MPA_MARKER_EVERY - phase)
            run = MPA_MARKER_EVERY - phase;
        uint32_t got = stream_copy(&l->stream, at, raw + have, run);
        have += got;
        at += got;
        if (got < run)
            break;
    }
    if (have < 2)
        return false;
    *len = (uint32_t)raw[0] << 8 | raw[1];
    *octets = have - 2 < *len ? have - 2 : *len;
    memcpy(out, raw + 2, *octets);
    return true;
}

/* Could an FPDU of RDMAP start here? Versions, opcode and T bit agree and reserved bits are zero: a guess. */
static bool looks_like_fpdu(const struct listener *l, uint64_t at)
{
    uint8_t octets[IW_HEAD_MAX];
    uint32_t have, len, version = l->conf.rdmac ? 0 : 1;
    struct ddp_head head;
    struct rdmap_ctl ctl;
    if (!read_fpdu(l, at, octets, sizeof octets, &have, &len) || !ddp_head_get(octets, have, &head))
        return false;
    rdmap_ctl_get(head.rsvdulp, head.tagged, &ctl);
    bool tagged_op = ctl.opcode == RDMAP_WRITE || ctl.opcode == RDMAP_READ_RESP;
    bool reserved = octets[0] & 0x3c || octets[1] & 0x30;
    return head.version == version && ctl.version == version && !reserved && ctl.opcode < RDMAP_OPCODES &&
           tagged_op == head.tagged && (head.tagged || head.qn <= 3);
}

/* Can a receiver be made that starts there? It counts from its start, so markers tie it to their grid. */
static bool can_start(const struct listener *l, uint64_t place)
{
    return !l->conf.markers || (place - l->conf.origin) % MPA_MARKER_EVERY == 0;
}

/* Begin again at `place`, forgetting what lies below; the octets forgotten. */
static uint64_t restart(struct listener *l, uint64_t place)
{
    settle_early(l, place);
    uint64_t forgotten = stream_drop(&l->stream, place);
    if (!receiver_new(l, place))
        stream_free(&l->stream); /* no memory: nothing more is heard */
    return forgotten;
}

/* The next place beyond `from` where an FPDU starts for certain or by its looks; else the end of what is there, and
 * the search goes on where segments start. */
static uint64_t find_place(struct listener *l, uint64_t from)
{
    uint32_t next = early_at(l, from + 1);
    while (next < l->earlies && !can_start(l, l->early[next].key))
        next++;
    uint64_t certain = next < l->earlies ? l->early[next].key : 0; /* 0: none */
    for (uint32_t i = 0; i < l->stream.count; i++) {
        const struct stream_piece *p = stream_piece(&l->stream, i);
        if (certain && p->at >= certain)
            break;
        if (p->at > from && p->octets && can_start(l, p->at) && looks_like_fpdu(l, p->at))
            return p->at;
    }
    l->conf.searching = !certain;
    return certain ? certain : stream_end(&l->stream);
}

static void lose_place(struct listener *l, uint64_t edge)
{
    l->report->summary->resyncs++;
    l->doubt = DOUBT_ALL;
    l->report->summary->unparsed_octets += restart(l, find_place(l, edge));
}

/* May the length field of the refused FPDU at `key` be believed? */
static bool believes(const struct listener *l, uint64_t key, uint64_t end)
{
    uint32_t i = early_at(l, key + 1);
    if (i < l->earlies && l->early[i].key < end)
        return false; /* it would cover an FPDU that is proven */
    uint8_t octet;
    bool nothing_there = stream_copy(&l->stream, end, &octet, 1) == 0;
    return looks_like_fpdu(l, key) && (nothing_there || looks_like_fpdu(l, end));
}

/* The FPDU at the edge cannot be had from MPA: it is bad (`fault`), or the capture lacks octets of it (0). Read what
 * can be read and go on behind it. */
static void step_over(struct listener *l, int fault)
{
    uint64_t edge = listener_edge(l);
    uint8_t ulpdu[sizeof((struct heard){0}).octets];
    uint32_t octets, len;
    settle_early(l, edge);
    bool known = read_fpdu(l, edge, ulpdu, sizeof ulpdu, &octets, &len);
    uint64_t end = known ? edge + mpa_fpdu_size(edge - l->conf.origin, len, l->conf.markers) : edge;
    if (fault && known) {
        struct heard h = heard_from(l, edge, end, ulpdu, octets, len);
        h.crc = fault == IW_T_LLP_CRC ? DECODE_CRC_BAD : h.crc;
        l->report->summary->crc_bad += fault == IW_T_LLP_CRC;
        count_fpdu(l, &h);
        take_turn(l, &h, fault);
    }
    if (!known || !can_start(l, end) || !believes(l, edge, end)) {
        lose_place(l, edge);
        return;
    }
    if (!fault) {
        struct heard h = heard_from(l, edge, end, ulpdu, octets, len);
        h.crc = DECODE_CRC_OFF; /* nobody can check it */
        count_fpdu(l, &h);
        take_turn(l, &h, 0);
    }
    restart(l, end);
}

/* Is what stands at the edge cut by octets that will never come? */
static bool stuck(const struct listener *l)
{
    bool lost;
    stream_reach(&l->stream, listener_edge(l), &lost);
    return lost;
}

/* Feed again what is kept, the octets in order first. True: an FPDU was stepped over on the way, start again. */
static bool feed_kept(struct listener *l)
{
    uint64_t reach = listener_edge(l);
    for (uint32_t i = 0; i < l->stream.count; i++) {
        const struct stream_piece p = *stream_piece(&l->stream, i);
        if (!p.octets)
            break;
        int error = feed(l, &p);
        bool in_order = p.at <= reach;
        reach = in_order ? p.at + p.len : reach;
        if (!error)
            continue;
        step_over(l, error);
        return true;
    }
    if (!stuck(l))
        return false;
    step_over(l, 0);
    return true;
}

static void tidy(struct listener *l)
{
    stream_drop(&l->stream, listener_edge(l));
    stream_own(&l->stream);
}

static void go_on(struct listener *l)
{
    while (!l->conf.searching && feed_kept(l)) {
    }
    tidy(l);
}

/* Nobody will fill the first hole beyond the edge, or any (`all`). False when there is none. */
static bool give_up_holes(struct listener *l, bool all)
{
    uint64_t reach = listener_edge(l);
    bool any = false;
    for (uint32_t i = 0; i < l->stream.count && (all || !any); i++) {
        const struct stream_piece p = *stream_piece(&l->stream, i);
        uint64_t hole = p.at > reach ? p.at - reach : 0;
        reach = p.at + p.len;
        if (!hole || hole > UINT32_MAX)
            continue;
        const struct stream_piece lost = {.at = p.at - hole, .len = (uint32_t)hole, .frame = p.frame, .time_ns = p.time_ns};
        if (!stream_add(&l->stream, &lost))
            break;
        l->report->summary->missing_octets += hole;
        any = true;
        i++;
    }
    return any;
}

/* Is the first hole below what its receiver acknowledged, and has it been for a while? */
static bool is_patience_over(struct listener *l)
{
    bool lost;
    uint64_t reach = l->stream.count ? stream_reach(&l->stream, listener_edge(l), &lost) : UINT64_MAX;
    bool hole = l->stream.count && reach < stream_end(&l->stream) && reach < l->acked;
    l->patience = hole ? l->patience + 1 : 0;
    return l->patience > PATIENCE || stream_full(&l->stream);
}

/* While the place is lost: does an FPDU start with this segment? */
static void search(struct listener *l, const struct stream_piece *p)
{
    if (!p->octets || !can_start(l, p->at) || !looks_like_fpdu(l, p->at)) {
        l->report->summary->unparsed_octets += stream_drop(&l->stream, stream_end(&l->stream));
        return;
    }
    l->conf.searching = false;
    l->report->summary->unparsed_octets += restart(l, p->at);
    go_on(l);
}

static void hear_piece(struct listener *l, const struct stream_piece *p)
{
    int error = p->octets ? feed(l, p) : 0;
    if (error)
        step_over(l, error);
    if (l->refused && l->rx_conf.store < STORE_MAX && can_start(l, listener_edge(l)))
        restart(l, listener_edge(l));
    else if (!error && !stuck(l))
        return;
    go_on(l);
}

bool listener_hear(struct listener *l, const struct stream_piece *p)
{
    l->frame_now = p->frame;
    if (p->at + p->len <= listener_edge(l))
        return true; /* known already */
    if (!stream_add(&l->stream, p))
        return false;
    if (l->conf.searching)
        search(l, p);
    else
        hear_piece(l, p);
    if (is_patience_over(l) && give_up_holes(l, false))
        go_on(l);
    tidy(l);
    return true;
}

void listener_acked(struct listener *l, uint64_t at)
{
    if (at > l->acked)
        l->acked = at;
}

void listener_end(struct listener *l)
{
    give_up_holes(l, true);
    go_on(l);
    l->report->summary->unparsed_octets += stream_drop(&l->stream, stream_end(&l->stream));
}
