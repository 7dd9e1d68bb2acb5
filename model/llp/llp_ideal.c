/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* llp_ideal.c -- MPA over an ideal byte stream: no congestion control, each packet acknowledged by itself and sent again
 * after one timeout. For closed forms, and for looking at the layers above alone.
 *
 *   0        4       8      12      16      17      18            19         20
 *   | offset | acked | edge | named | flags | sends | named_sends | reserved | FPDU or note
 *
 * The header takes as many octets as TCP's. Offsets are the low 32 bits of those of the stream: `acked`: all below is
 * here; `edge`: the window's right edge; `named`: the packet that is answered, and how often it had been sent.
 *
 *   acked   | sent, not all acknowledged | framed             |
 *   first                                next                 end        packets end at or below the peer's edge
 *
 * A packet is sent again `timeout` after it left. Until one that left later is acknowledged it may be waiting in a queue,
 * and its time starts again with each acknowledgement. One that left later and is acknowledged has passed it: where it is
 * known how `late` a packet can be, it is sent again so long after that.
 *
 * It is no scheme of packet.h: keys and the window count octets and what arrives goes through MPA, so that 22 of the
 * table's 32 functions would be its own. Each packet has its own timeout here, while an end has one timer there. */
#include <string.h>

#include "engine/carve.h"
#include "engine/law.h"
#include "engine/least.h"
#include "llp/llp_mpa.h"

enum { HEAD = LLP_IDEAL_HEAD, HEADS = IP_HEAD + HEAD, MTU_MIN = HEADS + 140, MTU_MAX = 65535 };
enum { RECORDS = 8, NAMES = 8, EVENTS = 8, PROBE_TIMEOUTS = 8, SENDS_MAX = 255 };
enum flag { SAYS = 1, NAMED = 2, FIN = 4, NAMED_FIN = 8, RST = 16, PROBE = 32 };

struct head {
    uint32_t offset, acked, edge, named;
    uint8_t flags, sends, named_sends;
};

/* A packet of data. */
struct record {
    uint64_t key, end;
    uint64_t order;       /* among all that left */
    iw_time sent, passed; /* passed: IW_NEVER until detect_losses() finds a later one acknowledged */
    uint8_t *packet;      /* its header and `octets` behind it */
    uint16_t octets;
    uint8_t sends;
    bool acked, due;
};

/* An answer that has not left. */
struct name {
    uint32_t offset;
    uint8_t sends, flags;
};

struct stream {
    struct llp_mpa mpa;
    /* out */
    struct llp_ring records; /* by count: [get, sent) left at least once, [sent, put) not yet */
    uint32_t get, sent, put;
    struct llp_blocks blocks;
    uint64_t first, limit;
    bool limited; /* the peer has told its edge */
    uint64_t order, acked_order;
    iw_time heard, no_sooner, oldest;
    uint32_t due, due_from;
    bool fin_sent, fin_acked;
    iw_time fin_due;
    bool probe;
    iw_time probe_at, probe_wait;
    uint8_t control[HEAD];
    /* in */
    struct ideal_in *in; /* NULL: nothing has arrived */
    const struct ip_packet *packet;
    struct head head; /* of it */
    uint32_t owed;
    iw_time answer_at;
    struct llp_ring names; /* by count */
    uint32_t name_get, name_put;
    uint64_t edge; /* the right edge that we grant */
    bool granted;
    /* what happened */
    struct llp_event event[EVENTS];
    struct llp_stats stats;
};

/* ---- configuration and memory ---- */

void llp_ideal_sizes(const struct llp_form *form, struct llp_sizes *sizes)
{
    llp_mpa_sizes(form, HEADS, sizes);
}

static const char *conf_error(const struct llp_conf *c)
{
    if (c->mtu < MTU_MIN || c->mtu > MTU_MAX)
        return "mtu must be 180 .. 65535";
    if (!c->timeout)
        return "timeout must not be 0";
    if (c->send_buffer && c->send_buffer < 2 * (uint64_t)(c->mtu - HEADS))
        return "send_buffer below two packets";
    return llp_mpa_conf_error(c, c->mtu - HEADS);
}

static void *lay_out(struct carve *c, const struct llp_conf *conf)
{
    struct stream *s = carve(c, sizeof *s);
    struct record *record = carve(c, RECORDS * sizeof *record);
    struct name *name = carve(c, NAMES * sizeof *name);
    struct llp_mpa_terms terms = {conf->markers, conf->markers, conf->crc};
    if (!s)
        return NULL;
    *s = (struct stream){.records = {record, RECORDS}, .names = {name, NAMES}};
    llp_object_init(&s->mpa.o, conf, s->event, EVENTS);
    s->mpa.o.wait_first = !conf->initiator;
    s->no_sooner = s->fin_due = s->probe_at = s->answer_at = IW_NEVER;
    s->blocks.octets = (HEAD + (conf->real ? conf->mtu - HEADS : LLP_NOTE_MAX) + 15u) & ~15u;
    llp_mpa_init(&s->mpa, conf->mtu - HEADS, &terms);
    return s;
}

static struct record *record_at(const struct stream *s, uint32_t n)
{
    return (struct record *)s->records.at + (n & (s->records.slots - 1));
}

/* get <= sent <= put in the ring; what is due again is among those that left, and so is the last that was acknowledged. */
static bool counts_agree(const struct stream *s)
{
    uint32_t left = s->sent - s->get, all = s->put - s->get;
    return left <= all && all <= s->records.slots && s->due <= left && s->acked_order <= s->order;
}

/* ---- what happens ---- */

/* Our end acknowledged and all before it, which it may have passed on the way; and the peer's read. */
static bool is_down(struct stream *s)
{
    return !s->mpa.o.gone && s->fin_acked && s->get == s->put && llp_mpa_ended(s, 0) == LLP_FIN;
}

static bool event(void *l, struct llp_event *e)
{
    struct stream *s = l;
    struct llp_object *o = &s->mpa.o;
    return llp_told(o, e) || (!o->told_down && is_down(s) && llp_told_down(o, e));
}

/* ---- framing ---- */

static uint64_t next_key(const struct stream *s)
{
    return s->sent != s->put ? record_at(s, s->sent)->key : mpa_key(&s->mpa.tx);
}

static bool has_room(const void *l, uint16_t stream, uint32_t pulled, uint64_t octets)
{
    const struct stream *s = l;
    uint64_t unsent = mpa_key(&s->mpa.tx) - next_key(s);
    uint64_t stored = mpa_key(&s->mpa.tx) - s->first + octets + s->mpa.tx.emss;
    (void)stream;
    (void)pulled;
    return llp_may_send(&s->mpa.o) && unsent < s->mpa.tx.emss &&
           (!s->mpa.o.conf.send_buffer || stored <= s->mpa.o.conf.send_buffer);
}

static int send(void *l, iw_time now, uint16_t stream, const struct iw_seg *seg, enum llp_wrong how)
{
    struct stream *s = l;
    (void)now;
    (void)stream;
    if (!llp_may_send(&s->mpa.o))
        return IW_ESTATE;
    bool has_record = s->put - s->get != s->records.slots ||
                      llp_ring_grow(&s->mpa.o, &s->records, sizeof(struct record), s->get, s->put - s->get);
    if (!has_record || !llp_blocks_ready(&s->mpa.o, &s->blocks))
        return IW_EFULL;
    uint64_t at = mpa_key(&s->mpa.tx);
    uint8_t *packet = llp_block_take(&s->blocks);
    uint32_t octets = llp_mpa_frame(&s->mpa, seg, how, packet + HEAD);
    if (!octets) {
        llp_block_give(&s->blocks, packet);
        return IW_EINVAL;
    }
    *record_at(s, s->put++) =
        (struct record){.key = at, .end = mpa_key(&s->mpa.tx), .packet = packet, .octets = (uint16_t)octets};
    LAW(counts_agree(s) && at < mpa_key(&s->mpa.tx)); /* keys of a stream increase in the order sent */
    return IW_OK;
}

/* ---- answers: at once, delayed, or with data ---- */

static struct name *name_at(const struct stream *s, uint32_t n)
{
    return (struct name *)s->names.at + (n & (s->names.slots - 1));
}

/* An answer leaves as soon as the port is free; what is owed goes with it. */
static void answer_packet(struct stream *s, struct name name)
{
    s->owed = 0;
    s->answer_at = IW_NEVER;
    if (s->name_put - s->name_get == s->names.slots &&
        !llp_ring_grow(&s->mpa.o, &s->names, sizeof name, s->name_get, s->name_put - s->name_get))
        return; /* the one before says it, all but the name */
    *name_at(s, s->name_put++) = name;
    LAW(s->name_put - s->name_get <= s->names.slots);
}

static struct name name_of_packet(const struct head *h, uint8_t flags)
{
    return (struct name){h->offset, h->sends, flags};
}

/* A packet was accepted, or had been before. May the answer wait? Not when it has filled a gap, or left one. */
static void answer_data(struct stream *s, iw_time now, uint64_t end, bool known)
{
    bool in_line = ideal_in_whole(s->in) && ideal_in_edge(s->in) == end;
    if (known || !in_line || s->owed + 1 >= s->mpa.o.conf.delayed_ack) {
        answer_packet(s, name_of_packet(&s->head, NAMED));
        return;
    }
    if (!s->owed++)
        s->answer_at = now + s->mpa.o.conf.delayed_ack_timeout;
}

static uint64_t received(const void *l)
{
    const struct stream *s = l;
    return s->in ? ideal_in_edge(s->in) : 0;
}

static void credit(void *l, iw_time now, uint64_t window, bool say_so)
{
    struct stream *s = l;
    uint64_t edge = received(s) + window;
    (void)now;
    s->edge = edge > s->edge ? edge : s->edge;
    if (!s->granted && !s->limited)
        s->limit = s->edge; /* the peer's is the same until it tells */
    s->granted = true;
    if (say_so && s->name_get == s->name_put && !s->mpa.o.gone)
        answer_packet(s, (struct name){0});
}

/* ---- the peer's answers ---- */

static iw_time due_of(const struct stream *s, const struct record *r)
{
    iw_time wait = s->mpa.o.conf.timeout;
    if (r->passed != IW_NEVER && s->mpa.o.conf.late)
        return r->passed + s->mpa.o.conf.late;
    if (s->acked_order > r->order)
        return r->sent + wait;
    if (s->mpa.o.conf.delayed_ack > 1)
        wait += s->mpa.o.conf.delayed_ack_timeout;
    return (r->sent > s->heard ? r->sent : s->heard) + wait;
}

static void set_acked(struct stream *s, iw_time now, struct record *r)
{
    if (r->acked)
        return;
    LAW(r->order && r->order <= s->order && s->due >= r->due);
    r->acked = true;
    s->due -= r->due;
    r->due = false;
    s->heard = now;
    if (s->mpa.o.conf.late && r->order > s->acked_order + 1)
        s->no_sooner = now; /* detect_losses() at those that it has passed */
    s->acked_order = r->order > s->acked_order ? r->order : s->acked_order;
}

static void advance_first(struct stream *s)
{
    while (s->get != s->sent && record_at(s, s->get)->acked) {
        struct record *r = record_at(s, s->get++);
        llp_block_give(&s->blocks, r->packet);
        s->first = r->end;
    }
    LAW(counts_agree(s) && (s->get == s->put || record_at(s, s->get)->key == s->first));
    if (s->get == s->sent)
        s->no_sooner = IW_NEVER;
    else if (record_at(s, s->get)->order < s->acked_order && s->oldest + s->mpa.o.conf.timeout < s->no_sooner)
        s->no_sooner = s->oldest + s->mpa.o.conf.timeout;
}

/* The packet that starts at `offset` and has left, or NULL. */
static struct record *record_with(const struct stream *s, uint64_t offset)
{
    uint32_t low = s->get, high = s->sent;
    while (low != high) {
        uint32_t middle = low + (high - low) / 2;
        struct record *r = record_at(s, middle);
        if (r->key == offset)
            return r;
        if (r->key < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static void hear_name(struct stream *s, iw_time now, const struct head *h)
{
    struct record *r = record_with(s, mpa_offset(s->first, h->named, 0));
    if (!r || r->acked)
        return;
    if (h->named_sends < r->sends) {
        s->stats.retransmits_spurious++;
        llp_tell(
            &s->mpa.o,
            (struct llp_event){.kind = LLP_EV_SPURIOUS, .reason = LLP_WHY_RTO, .key = r->key, .end = r->end});
    }
    set_acked(s, now, r);
}

static void hear_edge(struct stream *s, uint64_t edge)
{
    if (s->limited && edge <= s->limit)
        return;
    s->limit = !s->limited || edge > s->limit ? edge : s->limit;
    s->limited = true;
    s->probe = false;
    s->probe_at = IW_NEVER;
    s->probe_wait = 0;
}

/* The peer has all below `acked`, and grants up to `edge`. What nobody can say is not heard. */
static void hear_says(struct stream *s, iw_time now, uint64_t acked, uint64_t edge)
{
    if (acked > next_key(s) || edge - acked > UINT32_MAX / 2)
        return;
    for (uint32_t n = s->get; n != s->sent && record_at(s, n)->end <= acked; n++)
        set_acked(s, now, record_at(s, n));
    hear_edge(s, edge);
    LAW(s->limited && s->limit >= edge); /* a right edge that was told never moves left */
}

static void hear_head(struct stream *s, iw_time now)
{
    const struct head *h = &s->head;
    if (h->flags & SAYS)
        hear_says(s, now, mpa_offset(s->first, h->acked, 0), mpa_offset(s->limit, h->edge, 0));
    if (h->flags & NAMED)
        hear_name(s, now, h);
    s->fin_acked |= h->flags & NAMED_FIN && s->fin_sent;
    if (s->fin_due != IW_NEVER)
        s->fin_due = s->fin_acked ? IW_NEVER : now + s->mpa.o.conf.timeout;
    advance_first(s);
}

/* ---- in ---- */

static bool get_head(const struct ip_packet *in, struct head *h)
{
    if (in->protocol != IP_PROTOCOL_EXPERIMENT || in->head < HEAD || in->size < HEADS || in->trimmed)
        return false;
    const uint8_t *p = iw_get32(iw_get32(in->octets, &h->offset), &h->acked);
    p = iw_get32(iw_get32(p, &h->edge), &h->named);
    iw_get8(iw_get8(iw_get8(p, &h->flags), &h->sends), &h->named_sends);
    return true;
}

/* Where the data of a packet stands. */
static uint64_t place_of_packet(const struct stream *s, const struct head *h)
{
    return mpa_offset(received(s), h->offset, 0);
}

static void peek(const void *l, const struct ip_packet *in, struct llp_unit *first)
{
    const struct stream *s = l;
    struct head h;
    *first = (struct llp_unit){.verdict = LLP_NOTHING, .in_order = true};
    if (!get_head(in, &h) || in->size == HEADS)
        return;
    first->octets = in->size - HEADS;
    first->key = place_of_packet(s, &h);
    first->end = first->key + first->octets;
    first->in_order = first->key <= received(s);
}

static void arrive(void *l, iw_time now, const struct ip_packet *in)
{
    struct stream *s = l;
    bool whole = get_head(in, &s->head);
    s->packet = in;
    if (!whole)
        s->head = (struct head){0};
    if (s->mpa.o.gone || !whole) {
        s->mpa.o.rst |= whole && !(s->head.flags & RST);
        return;
    }
    if (s->head.flags & RST) {
        s->mpa.o.gone = true;
        s->mpa.o.lost = !s->mpa.o.told_down;
    }
    hear_head(s, now);
}

static bool is_ready(struct stream *s)
{
    uint32_t runs = s->mpa.rx_conf.ranges + 2;
    void *block = s->in ? NULL : llp_more(&s->mpa.o, ideal_in_size(runs));
    if (block)
        s->in = ideal_in_init(block, runs);
    return s->in;
}

static enum llp_verdict take_control(struct stream *s)
{
    const struct head *h = &s->head;
    if (h->flags & FIN && is_ready(s) && llp_mpa_fin(&s->mpa, place_of_packet(s, h)))
        answer_packet(s, name_of_packet(h, NAMED_FIN));
    if (h->flags & PROBE)
        answer_packet(s, (struct name){0});
    return LLP_NOTHING;
}

static enum llp_verdict take_data(struct stream *s, iw_time now, uint64_t room, struct llp_unit *u)
{
    struct llp_mpa_in in = {.offset = u->key,
                            .len = u->octets,
                            .octets = s->packet->octets + HEAD,
                            .carried = s->packet->head - (uint32_t)HEAD,
                            .altered = s->packet->altered,
                            .ahead = !u->in_order,
                            .room = room};
    if (s->mpa.o.conf.real && in.carried != in.len)
        return LLP_BAD;
    if (!is_ready(s))
        return LLP_REFUSED;
    bool known = ideal_in_has(s->in, in.offset, in.len);
    enum llp_verdict verdict = known ? LLP_DUPLICATE : llp_mpa_take(&s->mpa, &in, &u->why);
    if (verdict != LLP_TAKEN && verdict != LLP_DUPLICATE)
        return verdict;
    ideal_in_take(s->in, in.offset, in.len);
    LAW(ideal_in_has(s->in, in.offset, in.len)); /* what was acknowledged was taken */
    answer_data(s, now, u->end, known);
    return verdict;
}

static enum llp_verdict unit(void *l, iw_time now, uint64_t room, struct llp_unit *u)
{
    struct stream *s = l;
    const struct ip_packet *in = s->packet;
    if (!in)
        return LLP_END;
    peek(s, in, u);
    if (!s->mpa.o.gone)
        u->verdict = u->octets ? take_data(s, now, room, u) : take_control(s);
    s->packet = NULL;
    return u->verdict;
}

/* ---- out: what leaves next ---- */

/* Which packets have waited long enough. */
static void detect_losses(struct stream *s, iw_time now)
{
    uint32_t found = 0;
    s->no_sooner = s->oldest = IW_NEVER;
    s->due_from = s->get;
    for (uint32_t n = s->get; n != s->sent; n++) {
        struct record *r = record_at(s, n);
        if (r->acked || r->due)
            continue;
        if (r->passed == IW_NEVER && s->acked_order > r->order)
            r->passed = now;
        iw_time due = due_of(s, r);
        r->due = due <= now;
        found += r->due;
        s->no_sooner = !r->due && due < s->no_sooner ? due : s->no_sooner;
        s->oldest = !r->due && r->sent < s->oldest ? r->sent : s->oldest;
    }
    s->due += found;
    LAW(counts_agree(s));
    if (!found)
        return;
    s->stats.timeouts++;
    llp_tell(&s->mpa.o, (struct llp_event){.kind = LLP_EV_TIMEOUT, .reason = LLP_WHY_RTO, .key = s->first});
}

/* It leaves now. */
static void note_sent(struct stream *s, iw_time now, struct record *r)
{
    if (s->oldest == IW_NEVER || s->get == s->sent)
        s->oldest = now;
    r->sent = now;
    r->passed = IW_NEVER;
    r->order = ++s->order;
    r->sends = (uint8_t)(r->sends + (r->sends < SENDS_MAX));
    if (now + s->mpa.o.conf.timeout < s->no_sooner)
        s->no_sooner = now + s->mpa.o.conf.timeout;
}

static struct record *first_due(struct stream *s)
{
    uint32_t n = s->due_from - s->get < s->sent - s->get ? s->due_from : s->get;
    if (!s->due)
        return NULL;
    while (!record_at(s, n)->due)
        n++;
    LAW(n - s->get < s->sent - s->get);
    s->due_from = n + 1;
    return record_at(s, n);
}

static bool fits_window(const struct stream *s, const struct record *r)
{
    return r->end <= s->limit || (!s->limited && !s->granted);
}

/* The first packet that has not left yet and may. */
static struct record *first_new(const struct stream *s)
{
    struct record *r = s->sent != s->put ? record_at(s, s->sent) : NULL;
    return r && fits_window(s, r) ? r : NULL;
}

static bool is_closed(const struct stream *s)
{
    const struct record *r = s->sent != s->put ? record_at(s, s->sent) : NULL;
    return r && !fits_window(s, r);
}

static void put_ideal_head(uint8_t *out, const struct head *h)
{
    uint8_t *p = iw_put32(iw_put32(iw_put32(iw_put32(out, h->offset), h->acked), h->edge), h->named);
    iw_put8(iw_put8(iw_put8(iw_put8(p, h->flags), h->sends), h->named_sends), 0);
}

static void fill_packet(const struct stream *s, struct ip_packet *out, uint8_t *packet, uint32_t len,
                        uint32_t octets)
{
    *out = (struct ip_packet){.size = HEADS + len,
                              .direction = !s->mpa.o.conf.initiator,
                              .protocol = IP_PROTOCOL_EXPERIMENT,
                              .head = (uint16_t)(HEAD + octets),
                              .octets = packet};
}

static void send_control(struct stream *s, struct ip_packet *out, struct head h)
{
    h.acked = (uint32_t)received(s);
    h.edge = (uint32_t)s->edge;
    put_ideal_head(s->control, &h);
    fill_packet(s, out, s->control, 0, 0);
}

static void send_answer(struct stream *s, struct ip_packet *out)
{
    struct name name = *name_at(s, s->name_get++);
    send_control(s, out,
                 (struct head){
                     .flags = (uint8_t)(SAYS | name.flags), .named = name.offset, .named_sends = name.sends});
}

static void send_data(struct stream *s, iw_time now, struct record *r, struct ip_packet *out)
{
    struct llp_event e = {.kind = LLP_EV_SENT, .key = r->key, .end = r->end};
    note_sent(s, now, r);
    struct head h = {.offset = (uint32_t)r->key,
                     .acked = (uint32_t)received(s),
                     .edge = (uint32_t)s->edge,
                     .sends = r->sends,
                     .flags = s->owed ? SAYS : 0};
    put_ideal_head(r->packet, &h);
    fill_packet(s, out, r->packet, (uint32_t)(r->end - r->key), r->octets);
    if (r->sends > 1) {
        e.kind = LLP_EV_RETRANSMITTED;
        e.reason = LLP_WHY_RTO;
    }
    if (r->sends > 1 || !s->mpa.o.conf.quiet)
        llp_tell(&s->mpa.o, e);
}

static void resend_record(struct stream *s, iw_time now, struct record *r, struct ip_packet *out)
{
    LAW(s->due && !r->acked);
    r->due = false;
    s->due--;
    s->stats.retransmits++;
    send_data(s, now, r, out);
}

static void send_first(struct stream *s, iw_time now, struct record *r, struct ip_packet *out)
{
    LAW(fits_window(s, r) && r == record_at(s, s->sent));
    send_data(s, now, r, out);
    s->sent++;
    s->stats.segments++;
    s->owed = 0;
    s->answer_at = IW_NEVER;
}

static bool fin_is_due(const struct stream *s, iw_time now)
{
    return s->mpa.o.finish && !s->fin_acked && s->sent == s->put &&
           (s->fin_due == IW_NEVER || s->fin_due <= now);
}

static void send_fin(struct stream *s, iw_time now, struct ip_packet *out)
{
    s->fin_sent = true;
    s->fin_due = now + s->mpa.o.conf.timeout;
    send_control(s, out, (struct head){.offset = (uint32_t)mpa_key(&s->mpa.tx), .flags = FIN});
}

/* The window is closed and nothing is under way that would bring its update: ask for it. */
static void wait_to_probe(struct stream *s, iw_time now)
{
    if (s->probe_at != IW_NEVER || s->get != s->sent || !is_closed(s))
        return;
    s->probe_wait = s->probe_wait ? s->probe_wait * 2 : s->mpa.o.conf.timeout * PROBE_TIMEOUTS;
    s->probe_at = now + s->probe_wait;
}

static void send_probe(struct stream *s, struct ip_packet *out)
{
    s->probe = false;
    s->probe_at = IW_NEVER;
    llp_tell(&s->mpa.o, (struct llp_event){.kind = LLP_EV_PROBE});
    send_control(s, out, (struct head){.flags = SAYS | PROBE});
}

static bool transmit_data(struct stream *s, iw_time now, struct ip_packet *out, struct llp_sent *sent)
{
    struct record *r;
    if (s->mpa.o.gone)
        return false;
    if (s->no_sooner <= now)
        detect_losses(s, now);
    if ((r = first_due(s))) {
        sent->again = true;
        resend_record(s, now, r, out);
    } else if ((r = first_new(s))) {
        send_first(s, now, r, out);
    } else if (fin_is_due(s, now)) {
        send_fin(s, now, out);
    } else {
        wait_to_probe(s, now);
        return false;
    }
    sent->data = true;
    sent->octets = out->size - HEADS;
    return true;
}

static bool transmit_control(struct stream *s, struct ip_packet *out)
{
    if (s->mpa.o.rst) {
        s->mpa.o.rst = false;
        send_control(s, out, (struct head){.flags = RST});
        return true;
    }
    if (s->mpa.o.gone)
        return false;
    if (s->name_get != s->name_put)
        send_answer(s, out);
    else if (s->probe)
        send_probe(s, out);
    else
        return false;
    return true;
}

static bool transmit(void *l, iw_time now, unsigned parts, struct ip_packet *out, struct llp_sent *sent)
{
    struct stream *s = l;
    *sent = (struct llp_sent){0};
    return (parts & LLP_CONTROL && transmit_control(s, out)) ||
           (parts & LLP_DATA && transmit_data(s, now, out, sent));
}

static bool wants(const void *l, iw_time now, unsigned parts)
{
    const struct stream *s = l;
    if (s->mpa.o.gone)
        return s->mpa.o.rst && parts & LLP_CONTROL;
    bool closed = s->probe_at == IW_NEVER && s->get == s->sent && is_closed(s);
    bool control = s->name_get != s->name_put || s->probe;
    bool data = s->due || s->no_sooner <= now || first_new(s) || fin_is_due(s, now) || closed;
    return (parts & LLP_CONTROL && control) || (parts & LLP_DATA && data);
}

static void renew(void *l, iw_time now, struct ip_packet *packet)
{
    struct stream *s = l;
    struct head h;
    (void)now;
    if (!get_head(packet, &h))
        return;
    h.flags |= s->owed ? SAYS : 0;
    if (h.flags & SAYS) {
        s->owed = 0;
        s->answer_at = IW_NEVER;
    }
    h.acked = (uint32_t)received(s);
    h.edge = (uint32_t)s->edge;
    put_ideal_head(packet->octets, &h);
}

static uint64_t acked(const void *l, uint16_t stream)
{
    (void)stream;
    return ((const struct stream *)l)->first;
}

static enum llp_bound bound(const void *l, iw_time now)
{
    const struct stream *s = l;
    (void)now;
    if (is_closed(s))
        return LLP_BY_WINDOW;
    if (first_new(s))
        return LLP_FREE;
    return s->put != s->get && !has_room(s, 0, 0, 0) ? LLP_BY_SEND_BUFFER : LLP_IDLE;
}

/* ---- time, looking on ---- */

static iw_time deadline(const void *l)
{
    const struct stream *s = l;
    if (s->mpa.o.gone)
        return IW_NEVER;
    return least(least(s->no_sooner, s->fin_due), least(s->answer_at, s->probe_at));
}

static void expire(void *l, iw_time now)
{
    struct stream *s = l;
    if (s->no_sooner <= now)
        detect_losses(s, now);
    if (s->fin_due <= now)
        s->fin_due = IW_NEVER; /* it leaves when the port is free */
    if (s->answer_at <= now)
        answer_packet(s, (struct name){0});
    if (s->probe_at <= now) {
        s->probe = true;
        s->probe_at = IW_NEVER;
    }
}

static void statistics(const void *l, struct llp_stats *stats)
{
    const struct stream *s = l;
    *stats = s->stats;
    stats->cwnd = stats->ssthresh = stats->flight = IW_NEVER;
    stats->crc_errors = llp_mpa_crc_errors(&s->mpa);
}

static uint32_t beyond(const void *l, uint64_t (*run)[2], uint32_t max)
{
    const struct stream *s = l;
    return s->in ? ideal_in_runs(s->in, run, max) : 0;
}

const struct llp llp_ideal = {
    .name = "ideal",
    .has = LLP_SACK | LLP_GO_BACK | LLP_MARKERS,
    .protocol = IP_PROTOCOL_EXPERIMENT,
    .sizes = llp_ideal_sizes,
    .conf_error = conf_error,
    .lay_out = lay_out,
    .open = llp_open_at_once,
    .close = llp_close_by_packet,
    .mulpdu = llp_mpa_mulpdu,
    .markers = llp_mpa_markers,
    .has_room = has_room,
    .key = llp_mpa_key,
    .key_after = llp_mpa_key_after,
    .send = send,
    .wants = wants,
    .transmit = transmit,
    .renew = renew,
    .acked = acked,
    .bound = bound,
    .peek = peek,
    .arrive = arrive,
    .unit = unit,
    .next = llp_mpa_next,
    .keep = llp_mpa_keep,
    .again = llp_mpa_again,
    .edge = llp_mpa_edge,
    .ended = llp_mpa_ended,
    .shift = llp_shift,
    .received = received,
    .credit = credit,
    .deadline = deadline,
    .expire = expire,
    .event = event,
    .statistics = statistics,
    .beyond = beyond,
    .track = llp_mpa_track,
};
