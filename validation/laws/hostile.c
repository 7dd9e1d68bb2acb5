/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hostile.h"

#include <string.h>

enum {
    PD = 1,
    STREAM = 1,
    OTHER = 2,
    GAP = 32,
    REGION_OCTETS = 256,
    MULPDU = 1500,
    CQ_ENTRIES = 64,
    TABLE = 16
};
enum {
    RECV_REGION = 0,
    SINK_REGION = 1,
    WRITE_REGION = 2,
    READ_REGION = 3,
    BOTH_REGION = 4,
    FOREIGN_REGION = 5,
    SHARED_REGION = 6,
    SHORT_REGION = 7,
    WINDOW_REGION = 8
};

/* ---- the victim ---- */

static void add_region(struct victim *v, struct draw *d, int i)
{
    static const unsigned rights[VICTIM_REGIONS] = {[RECV_REGION] = IW_LOCAL_WRITE,
                                                    [SINK_REGION] = IW_LOCAL_WRITE,
                                                    [WRITE_REGION] = IW_REMOTE_WRITE,
                                                    [READ_REGION] = IW_REMOTE_READ,
                                                    [BOTH_REGION] = IW_REMOTE_READ | IW_REMOTE_WRITE,
                                                    [FOREIGN_REGION] = IW_REMOTE_READ | IW_REMOTE_WRITE,
                                                    [SHARED_REGION] = IW_REMOTE_WRITE,
                                                    [SHORT_REGION] = IW_REMOTE_WRITE,
                                                    [WINDOW_REGION] = IW_REMOTE_WRITE,
                                                    [WINDOW_REGION + 1] = IW_REMOTE_WRITE};
    struct victim_region *r = &v->region[i];
    *r = (struct victim_region){
        .start = v->octets + GAP, .len = i == SHORT_REGION ? 10 : REGION_OCTETS, .rights = rights[i]};
    r->to = draw_chance(d, 30) ? 0 : draw_chance(d, 30) ? UINT64_MAX - r->len + 1 : draw_bits(d) >> 1;
    v->octets = r->start + r->len;
    struct iw_region region = {
        .base = v->memory + r->start, .to = r->to, .len = r->len, .rights = r->rights, .pd = PD};
    if (i == FOREIGN_REGION)
        region.pd = OTHER;
    if (i == SHARED_REGION)
        region.shared = true;
    if (i >= WINDOW_REGION)
        region = (struct iw_region){region.base, r->to, r->len, r->rights, .stream = {STREAM}};
    law(iw_register(v->stags, &region, &r->stag) == IW_OK, "region %d", i);
}

static void allow(struct victim *v, struct victim_buffer b)
{
    memset(v->allowed + v->region[b.region].start + b.at, 1, b.len);
}

static struct iw_sge sge_of(const struct victim *v, struct victim_buffer b)
{
    return (struct iw_sge){v->region[b.region].stag, b.len, v->region[b.region].to + b.at};
}

static void post_receives(struct victim *v, struct draw *d)
{
    uint32_t at = 0;
    v->recvs = draw_from(d, 0, VICTIM_RECVS);
    for (uint32_t i = 0; i < v->recvs; i++) {
        v->recv[i] = (struct victim_buffer){RECV_REGION, at, draw_chance(d, 20) ? 0 : draw_from(d, 8, 40)};
        at += v->recv[i].len;
        allow(v, v->recv[i]);
        struct iw_work w = {.id = i, .op = IW_RECV, .sges = 1, .sge = {sge_of(v, v->recv[i])}};
        law(iw_post(v->ep, 0, &w) == IW_OK, "receive %u", i);
    }
}

/* Reads, and with RFC 7306 FetchAdds, that wait for their Responses: posted, and on the wire already. */
static void post_reads(struct victim *v, struct draw *d)
{
    uint32_t at = 0;
    struct iw_seg seg;
    uint64_t key = 0;
    v->reads = draw_from(d, 0, VICTIM_READS);
    for (uint32_t i = 0; i < v->reads; i++) {
        v->atomic[i] = v->conf.profile & IW_RFC7306 && draw_chance(d, 40);
        if (v->atomic[i]) {
            struct iw_work w = {.id = 100 + i, .op = IW_FETCH_ADD, .remote_stag = 1, .atomic.data = 1};
            law(iw_post(v->ep, 0, &w) == IW_OK, "FetchAdd %u", i);
            continue;
        }
        v->read[i] = (struct victim_buffer){SINK_REGION, at, draw_chance(d, 15) ? 0 : draw_from(d, 1, 60)};
        at += v->read[i].len;
        allow(v, v->read[i]);
        struct iw_work w = {
            .id = 100 + i, .op = IW_READ, .sges = 1, .sge = {sge_of(v, v->read[i])}, .remote_stag = 1};
        law(iw_post(v->ep, 0, &w) == IW_OK, "Read %u", i);
    }
    while (iw_transmit(v->ep, 0, key, &seg))
        iw_note_acked(v->ep, 0, ++key);
}

void victim_open(struct victim *v, uint64_t seed, unsigned profile, uint16_t reorder_max)
{
    struct draw d = draw_start(seed, 20);
    *v = (struct victim){.conf = {.pd = PD,
                                  .stream = STREAM,
                                  .trust = 1,
                                  .mulpdu = MULPDU,
                                  .llp = IW_LLP_ALL,
                                  .sq_max = 8,
                                  .rq_max = 8,
                                  .ord = VICTIM_READS,
                                  .reorder_max = reorder_max,
                                  .linger = 1000}};
    uint32_t size = VICTIM_REGIONS * (REGION_OCTETS + GAP) + GAP;
    v->conf.profile = profile;
    v->conf.ird = (uint16_t)draw_from(&d, 0, 4);
    v->conf.first_msn = draw_chance(&d, 30) ? 0u - draw_below(&d, 4) : 0;
    v->memory = law_memory(size);
    v->before = law_memory(size);
    v->allowed = law_memory(size);
    memset(v->memory, 0xee, size);
    memset(v->before, 0xee, size);
    memset(v->allowed, 0, size);
    v->conf.stags = v->stags = iw_stags_init(law_memory(iw_stags_size(TABLE)), TABLE, seed | 1);
    v->conf.send_cq = v->conf.recv_cq = v->cq = iw_cq_init(law_memory(iw_cq_size(CQ_ENTRIES)), CQ_ENTRIES, 1);
    v->ep = iw_ep_init(law_memory(iw_ep_size(&v->conf)), &v->conf);
    law(v->ep, "%s", iw_conf_error(&v->conf));
    iw_enable(v->ep, 0, 0);
    for (int i = 0; i < VICTIM_REGIONS; i++) {
        add_region(v, &d, i);
        bool writable = v->region[i].rights & IW_REMOTE_WRITE && i != FOREIGN_REGION;
        if (writable)
            memset(v->allowed + v->region[i].start, 1, v->region[i].len);
    }
    v->octets = size;
    post_receives(v, &d);
    post_reads(v, &d);
}

void victim_check_memory(const struct victim *v)
{
    for (uint32_t i = 0; i < v->octets; i++)
        law(v->allowed[i] || v->memory[i] == v->before[i], "octet %u changed, which nobody may write", i);
}

/* ---- a good stream ---- */

struct writer {
    struct stream *s;
    const struct victim *v;
    struct draw d;
    uint32_t send_msn, read_msn, atomic_msn, read; /* the next of each */
    uint32_t written[VICTIM_REGIONS];              /* octets of each region that are used */
};

static void put_segment(struct writer *w, const struct ddp_head *head, const uint8_t *payload, uint32_t len)
{
    if (w->s->count == STREAM_MAX)
        return;
    struct stream_segment *g = &w->s->segment[w->s->count++];
    uint32_t n = ddp_head_put(g->octets, head);
    if (len)
        memcpy(g->octets + n, payload, len);
    g->len = n + len;
}

/* One message, cut anywhere. `head` says what its segments share. */
static void put_message(struct writer *w, struct ddp_head head, uint32_t len, bool whole)
{
    uint8_t payload[STREAM_OCTETS];
    uint32_t sent = 0;
    do {
        uint32_t left = len - sent, n = whole || !left ? left : draw_from(&w->d, 1, left);
        for (uint32_t i = 0; i < n; i++)
            payload[i] = (uint8_t)draw_bits(&w->d);
        struct ddp_head h = head;
        if (h.tagged)
            h.to += sent;
        else
            h.mo = sent;
        sent += n;
        h.last = sent == len;
        put_segment(w, &h, payload, n);
    } while (sent < len);
}

static uint64_t control(enum rdmap_opcode opcode, bool tagged, uint32_t inval)
{
    const struct rdmap_ctl ctl = {1, (uint8_t)opcode, inval};
    return rdmap_ctl_put(&ctl, tagged);
}

static uint32_t first_msn(const struct victim *v)
{
    return v->conf.first_msn ? v->conf.first_msn : 1;
}

static void good_send(struct writer *w)
{
    static const enum rdmap_opcode opcodes[] = {RDMAP_SEND, RDMAP_SEND_SE, RDMAP_SEND_INV, RDMAP_SEND_SE_INV};
    uint32_t n = w->send_msn - first_msn(w->v);
    if (n >= w->v->recvs)
        return;
    uint32_t room = w->v->recv[n].len, which = draw_below(&w->d, 8);
    enum rdmap_opcode opcode = opcodes[which < 4 ? which : which % 2];
    bool inv = opcode == RDMAP_SEND_INV || opcode == RDMAP_SEND_SE_INV;
    uint32_t stag = inv ? w->v->region[WINDOW_REGION].stag : 0;
    if (inv && w->written[WINDOW_REGION]++)
        opcode = RDMAP_SEND, stag = 0; /* once */
    put_message(
        w, (struct ddp_head){.version = 1, .msn = w->send_msn++, .rsvdulp = control(opcode, false, stag)},
        draw_below(&w->d, room + 1), false);
}

static void good_write(struct writer *w)
{
    static const uint8_t regions[] = {WRITE_REGION, BOTH_REGION, SHARED_REGION};
    uint8_t i = regions[draw_below(&w->d, sizeof regions)];
    const struct victim_region *r = &w->v->region[i];
    uint32_t at = w->written[i] + draw_below(&w->d, 8), len = draw_below(&w->d, 80);
    if (at + len > r->len)
        return;
    w->written[i] = at + len;
    put_message(w,
                (struct ddp_head){.tagged = true,
                                  .version = 1,
                                  .stag = r->stag,
                                  .to = r->to + at,
                                  .rsvdulp = control(RDMAP_WRITE, true, 0)},
                len, false);
}

static void good_read_request(struct writer *w)
{
    if (w->read_msn - first_msn(w->v) >= w->v->conf.ird)
        return;
    const struct victim_region *r = &w->v->region[draw_chance(&w->d, 50) ? READ_REGION : BOTH_REGION];
    uint32_t at = draw_below(&w->d, r->len), size = draw_below(&w->d, r->len - at + 1);
    const struct rdmap_read_req req = {7, 9, size, r->stag, r->to + at};
    uint8_t body[IW_READ_REQ_SIZE];
    rdmap_read_req_put(body, &req);
    const struct ddp_head head = {.last = true,
                                  .version = 1,
                                  .qn = 1,
                                  .msn = w->read_msn++,
                                  .rsvdulp = control(RDMAP_READ_REQ, false, 0)};
    put_segment(w, &head, body, IW_READ_REQ_SIZE);
}

/* Of the number at any multiple of 8. */
static void good_atomic_request(struct writer *w)
{
    if (!(w->v->conf.profile & IW_RFC7306) || w->read_msn - first_msn(w->v) >= w->v->conf.ird)
        return;
    const struct victim_region *r = &w->v->region[BOTH_REGION];
    uint32_t at = draw_below(&w->d, r->len / 8) * 8 - r->start % 8;
    struct rdmap_atomic_req req = {.code = draw_chance(&w->d, 50) ? RDMAP_FETCH_ADD : RDMAP_CMP_SWAP,
                                   .request_id = (uint32_t)draw_bits(&w->d),
                                   .stag = r->stag,
                                   .to = r->to + at,
                                   .data = draw_bits(&w->d)};
    uint8_t body[IW_ATOMIC_REQ_SIZE];
    rdmap_atomic_req_put(body, &req);
    const struct ddp_head head = {.last = true,
                                  .version = 1,
                                  .qn = 1,
                                  .msn = w->read_msn++,
                                  .rsvdulp = control(RDMAP_ATOMIC_REQ, false, 0)};
    put_segment(w, &head, body, sizeof body);
}

static void good_atomic_response(struct writer *w)
{
    const struct rdmap_atomic_resp resp = {w->read++, draw_bits(&w->d)};
    uint8_t body[IW_ATOMIC_RESP_SIZE];
    rdmap_atomic_resp_put(body, &resp);
    const struct ddp_head head = {.last = true,
                                  .version = 1,
                                  .qn = 3,
                                  .msn = w->atomic_msn++,
                                  .rsvdulp = control(RDMAP_ATOMIC_RESP, false, 0)};
    put_segment(w, &head, body, sizeof body);
}

static void good_response(struct writer *w)
{
    if (w->read == w->v->reads)
        return;
    if (w->v->atomic[w->read]) {
        good_atomic_response(w);
        return;
    }
    const struct victim_buffer *b = &w->v->read[w->read++];
    put_message(w,
                (struct ddp_head){.tagged = true,
                                  .version = 1,
                                  .stag = w->v->region[SINK_REGION].stag,
                                  .to = w->v->region[SINK_REGION].to + b->at,
                                  .rsvdulp = control(RDMAP_READ_RESP, true, 0)},
                b->len, false);
}

static void good_immediate(struct writer *w)
{
    if (!(w->v->conf.profile & IW_RFC7306) || w->send_msn - first_msn(w->v) >= w->v->recvs)
        return;
    put_message(
        w,
        (struct ddp_head){.version = 1, .msn = w->send_msn++, .rsvdulp = control(RDMAP_IMMEDIATE, false, 0)},
        8, true);
}

static void good_terminate(struct writer *w)
{
    if (!draw_chance(&w->d, 10))
        return;
    const uint8_t body[4] = {0x02, 0xff};
    const struct ddp_head head = {.last = true,
                                  .version = 1,
                                  .qn = 2,
                                  .msn = first_msn(w->v),
                                  .rsvdulp = control(RDMAP_TERMINATE, false, 0)};
    put_segment(w, &head, body, sizeof body);
}

/* ---- spoiling it ---- */

static bool tagged(const struct stream_segment *g)
{
    return g->octets[0] & 0x80;
}

static void flip_header_bit(struct writer *w, struct stream_segment *g)
{
    uint32_t octets = tagged(g) ? IW_HEAD_TAGGED : IW_HEAD_UNTAGGED;
    g->octets[draw_below(&w->d, octets)] ^= (uint8_t)(1 << draw_below(&w->d, 8));
}

static void flip_payload_bit(struct writer *w, struct stream_segment *g)
{
    g->octets[draw_below(&w->d, g->len)] ^= (uint8_t)(1 << draw_below(&w->d, 8));
}

static void change_opcode(struct writer *w, struct stream_segment *g)
{
    g->octets[1] = (uint8_t)((g->octets[1] & 0xf0) | draw_below(&w->d, 16));
}

/* Any STag, but none to invalidate that the stream still uses: what an STag is at a segment's arrival and
 * what it is in its turn may differ then (law_changed_stag.c). */
static void change_stag(struct writer *w, struct stream_segment *g)
{
    bool read_request = !tagged(g) && g->len == IW_HEAD_UNTAGGED + IW_READ_REQ_SIZE;
    uint32_t first = tagged(g) || read_request ? 0 : FOREIGN_REGION,
             last = tagged(g) || read_request ? SHORT_REGION : SHARED_REGION;
    iw_stag stag = w->v->region[draw_from(&w->d, first, last)].stag;
    iw_put32(g->octets + (read_request ? IW_HEAD_UNTAGGED + 16 : 2),
             draw_chance(&w->d, 70) ? stag : (iw_stag)draw_bits(&w->d));
}

static uint64_t near(struct writer *w, uint64_t value)
{
    static const int64_t steps[] = {-1, 1, 2, -2, 40, -40, 0x100000000, 1 << 20};
    return value + (uint64_t)steps[draw_below(&w->d, sizeof steps / sizeof steps[0])];
}

static void change_offset(struct writer *w, struct stream_segment *g)
{
    uint64_t to;
    uint32_t mo;
    if (tagged(g)) {
        iw_get64(g->octets + 6, &to);
        iw_put64(g->octets + 6, draw_chance(&w->d, 10) ? UINT64_MAX - 1 : near(w, to));
    } else {
        iw_get32(g->octets + 14, &mo);
        iw_put32(g->octets + 14, (uint32_t)near(w, mo));
    }
}

static void change_number(struct writer *w, struct stream_segment *g)
{
    uint32_t msn;
    if (tagged(g))
        return;
    if (draw_chance(&w->d, 30)) {
        iw_put32(g->octets + 6, draw_below(&w->d, 5));
        return;
    }
    iw_get32(g->octets + 10, &msn);
    iw_put32(g->octets + 10, (uint32_t)near(w, msn));
}

static void toggle_last(struct writer *w, struct stream_segment *g)
{
    (void)w;
    g->octets[0] ^= 0x40;
}

static void cut(struct writer *w, struct stream_segment *g)
{
    g->len = draw_below(&w->d, g->len + 1);
}

static void stretch(struct writer *w, struct stream_segment *g)
{
    uint32_t len = g->len + draw_from(&w->d, 1, 50);
    if (len > STREAM_OCTETS)
        return;
    memset(g->octets + g->len, 0x5a, len - g->len);
    g->len = len;
}

static void drop(struct writer *w, struct stream_segment *g)
{
    uint32_t i = (uint32_t)(g - w->s->segment);
    memmove(g, g + 1, (--w->s->count - i) * sizeof *g);
}

static void repeat(struct writer *w, struct stream_segment *g)
{
    if (w->s->count == STREAM_MAX)
        return;
    uint32_t i = (uint32_t)(g - w->s->segment), to = draw_from(&w->d, i, w->s->count);
    struct stream_segment copy = *g;
    memmove(&w->s->segment[to + 1], &w->s->segment[to], (w->s->count++ - to) * sizeof *g);
    w->s->segment[to] = copy;
}

static void swap(struct writer *w, struct stream_segment *g)
{
    struct stream_segment *other = &w->s->segment[draw_below(&w->d, w->s->count)], keep = *g;
    *g = *other;
    *other = keep;
}

static void randomize(struct writer *w, struct stream_segment *g)
{
    g->len = draw_below(&w->d, 60);
    for (uint32_t i = 0; i < g->len; i++)
        g->octets[i] = (uint8_t)draw_bits(&w->d);
    if (draw_chance(&w->d, 80))
        iw_put8(iw_put8(g->octets, (uint8_t)(draw_below(&w->d, 4) << 6 | 1)),
                (uint8_t)(0x40 | draw_below(&w->d, 12)));
}

static void spoil(struct writer *w)
{
    static void (*const ways[])(struct writer *, struct stream_segment *) = {flip_header_bit,
                                                                             flip_header_bit,
                                                                             flip_payload_bit,
                                                                             change_opcode,
                                                                             change_stag,
                                                                             change_offset,
                                                                             change_offset,
                                                                             change_number,
                                                                             change_number,
                                                                             toggle_last,
                                                                             cut,
                                                                             stretch,
                                                                             drop,
                                                                             repeat,
                                                                             swap,
                                                                             randomize};
    for (uint32_t n = draw_from(&w->d, 1, 3); n && w->s->count; n--)
        ways[draw_below(&w->d, sizeof ways / sizeof ways[0])](w,
                                                              &w->s->segment[draw_below(&w->d, w->s->count)]);
}

static void give_keys(struct stream *s, struct draw *d)
{
    uint64_t key = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        s->segment[i].key = key;
        key = s->segment[i].end = key + 1 + draw_below(d, 50);
    }
}

void stream_draw(struct stream *s, const struct victim *v, uint64_t seed, bool spoilt)
{
    static void (*const messages[])(struct writer *) = {good_send,      good_send,           good_write,
                                                        good_write,     good_read_request,   good_response,
                                                        good_immediate, good_atomic_request, good_terminate};
    struct writer w = {.s = s,
                       .v = v,
                       .d = draw_start(seed, 21),
                       .send_msn = first_msn(v),
                       .read_msn = first_msn(v),
                       .atomic_msn = first_msn(v)};
    *s = (struct stream){.spoilt = spoilt};
    for (uint32_t n = draw_from(&w.d, 1, 16); n; n--)
        messages[draw_below(&w.d, sizeof messages / sizeof messages[0])](&w);
    if (spoilt)
        spoil(&w);
    give_keys(s, &w.d);
}

/* ---- hearing it ---- */

enum { AWAY, KEPT, TAKEN, COPIES_MAX = 3 };

struct flight {
    struct iw_seg seg;
    struct iw_place place;
    uint32_t segment;
};

struct hearing {
    struct victim *v;
    const struct stream *s;
    const struct presentation *p;
    struct outcome *o;
    struct draw d;
    uint8_t state[STREAM_MAX], arrivals[STREAM_MAX];
    uint32_t in_flight[STREAM_MAX], edge, flights;
    struct flight flight[STREAM_MAX];
};

void outcome_fault(struct outcome *o, int term)
{
    if (term <= 0 || o->fault)
        return;
    o->fault = term;
    const struct iw_term_entry *e = iw_term_entry(term);
    law_trace("  fault %05x %s", (unsigned)term, e ? e->name : "?");
}

static void trace_segment(const struct hearing *h, uint32_t i, int verdict)
{
    const struct stream_segment *g = &h->s->segment[i];
    struct ddp_head d = {0};
    ddp_head_get(g->octets, g->len, &d);
    law_trace("  %2u: %02x%02x %s %08x %llx msn %u mo %u, %u octets: %d", i, g->octets[0], g->octets[1],
              d.tagged ? "tagged" : "untagged", d.tagged ? d.stag : d.qn, (unsigned long long)d.to, d.msn,
              d.mo, g->len, verdict);
}

static void present(struct hearing *h, uint32_t i)
{
    const struct stream_segment *g = &h->s->segment[i];
    struct flight *f = &h->flight[h->flights];
    h->arrivals[i]++;
    iw_seg_view(&f->seg, g->key, g->octets, g->len);
    int verdict = iw_check(h->v->ep, 0, &f->seg, &f->place);
    trace_segment(h, i, verdict);
    law(verdict <= 0 || i == h->edge, "segment %u has a verdict ahead of its turn", i);
    law(verdict != IW_EINVAL, "segment %u is behind the edge", i);
    if (verdict == IW_LATER) {
        law(i != h->edge, "segment %u is to wait in its turn", i);
        if (h->state[i] == AWAY)
            h->state[i] = KEPT;
        return;
    }
    h->state[i] = TAKEN;
    outcome_fault(h->o, verdict);
    if (verdict != IW_OK)
        return;
    f->segment = i;
    h->in_flight[i]++;
    h->flights++;
}

static void commit(struct hearing *h)
{
    uint32_t i = draw_below(&h->d, h->flights);
    struct flight f = h->flight[i];
    h->flight[i] = h->flight[--h->flights];
    h->in_flight[f.segment]--;
    outcome_fault(h->o, iw_commit(h->v->ep, 0, &f.seg, &f.place));
}

void victim_deliver(struct victim *v, uint64_t key, struct outcome *o)
{
    struct iw_message m;
    int got;
    while ((got = iw_deliver(v->ep, 0, key, &m)) == 1) {
        law_trace("  delivered key %llu opcode %u, %u octets", (unsigned long long)m.key, m.ctl.opcode,
                  m.length);
        o->delivered++;
        o->deliveries =
            law_mix(o->deliveries ^ m.key ^ (uint64_t)m.ctl.opcode << 48 ^ (uint64_t)m.length << 24);
    }
    outcome_fault(o, got);
}

/* checks: DDP-5.3-6 DDP-5.3-7 */
static void deliver(struct hearing *h)
{
    while (h->edge < h->s->count && h->state[h->edge] == TAKEN && !h->in_flight[h->edge]) {
        h->edge++;
        victim_deliver(h->v, h->s->segment[h->edge - 1].end, h->o);
        if (draw_chance(&h->d, 30))
            return;
    }
}

/* The next segment that may come now; false when none may. */
static bool arrive(struct hearing *h)
{
    uint32_t left = h->s->count - h->edge, reach = h->p->in_order ? 1 : h->p->span;
    if (reach > left)
        reach = left;
    uint32_t first = draw_below(&h->d, reach);
    for (uint32_t n = 0; n < reach; n++) {
        uint32_t i = h->edge + (first + n) % reach;
        bool may = h->state[i] == AWAY || (h->state[i] == KEPT && i == h->edge) ||
                   (h->state[i] == TAKEN && !h->p->in_order && h->arrivals[i] < COPIES_MAX &&
                    draw_chance(&h->d, h->p->duplicates));
        if (!may || h->flights == STREAM_MAX)
            continue;
        present(h, i);
        return true;
    }
    return false;
}

static void take_completions(struct victim *v, struct outcome *o)
{
    struct iw_done d;
    struct iw_event e;
    while (iw_poll(v->cq, &d)) {
        law_trace("  completion %llu status %d, %u octets", (unsigned long long)d.id, d.status, d.len);
        o->completed++;
        o->completions = law_mix(o->completions ^ d.id ^ (uint64_t)(uint32_t)d.status << 32 ^
                                 (uint64_t)d.len << 8 ^ d.invalidated ^ law_mix(d.rsvdulp));
    }
    while (iw_event(v->ep, &e)) {
        law(!(o->events & 1u << e.kind), "event %d comes twice", (int)e.kind);
        o->events |= 1u << e.kind;
    }
}

/* What the victim says to an error: one Terminate, and then nothing. */
static void take_terminate(struct victim *v, struct outcome *o)
{
    struct iw_seg seg;
    bool spoke = iw_transmit(v->ep, 0, 1000, &seg);
    law_trace("  it answers with %s", spoke ? "a Terminate" : "nothing");
    if (!spoke)
        return;
    law((seg.head[1] & 15) == RDMAP_TERMINATE, "opcode %u after an error", seg.head[1] & 15);
    memcpy(o->terminate, seg.head, seg.head_len);
    memcpy(o->terminate + seg.head_len, seg.frag[0].octets, seg.payload_len);
    o->terminate_len = seg.head_len + seg.payload_len;
    law(!iw_transmit(v->ep, 0, 1001, &seg), "a segment follows the Terminate");
}

void victim_end(struct victim *v, struct outcome *o)
{
    take_completions(v, o);
    if (o->fault || o->events)
        take_terminate(v, o);
    take_completions(v, o);
}

void victim_hear(struct victim *v, const struct stream *s, const struct presentation *p, struct outcome *o)
{
    struct hearing h = {.v = v, .s = s, .p = p, .o = o, .d = draw_start(p->seed, 22)};
    *o = (struct outcome){0};
    law_trace("hears it %s", p->in_order ? "in order" : "out of order");
    while (h.edge < s->count || h.flights) {
        if (h.flights && (draw_chance(&h.d, 40) || p->in_order))
            commit(&h);
        else if (h.edge == s->count || !arrive(&h)) {
            if (h.flights)
                commit(&h);
        }
        deliver(&h);
    }
    victim_end(v, o);
}
