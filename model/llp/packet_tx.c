/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_tx.c -- records of what was sent, the peer's answers, and what leaves next. */
#include <string.h>

#include "engine/law.h"
#include "engine/least.h"
#include "engine/wire.h"
#include "llp/crc32c.h"
#include "llp/packet_inner.h"

enum { SENDS_MAX = 255, WORD = 64 };

/* ---- records ---- */

static bool has_octets(const struct iw_seg *seg)
{
    for (int i = 0; i < seg->frags; i++)
        if (!seg->frag[i].octets)
            return false;
    return true;
}

/* The ULPDU, or with payload none its headers and what RDMAP itself says; the octets written. */
static uint32_t put_ulpdu(const struct packet_end *e, const struct iw_seg *seg, uint8_t *out)
{
    uint8_t *p = out + seg->head_len;
    memcpy(out, seg->head, seg->head_len);
    if (!e->o.conf.real && (seg->payload_len > IW_TERM_MAX || !has_octets(seg)))
        return seg->head_len;
    for (int i = 0; i < seg->frags; p += seg->frag[i++].len) {
        if (seg->frag[i].octets)
            memcpy(p, seg->frag[i].octets, seg->frag[i].len);
        else
            memset(p, 0, seg->frag[i].len);
    }
    return (uint32_t)(p - out);
}

bool packet_has_room(const void *l, uint16_t stream, uint32_t pulled, uint64_t octets)
{
    const struct packet_end *e = l;
    uint64_t most = e->o.conf.send_buffer;
    (void)stream;
    (void)pulled;
    return llp_may_send(&e->o) && e->put == e->sent && (!most || e->stored + octets + packet_full(e) <= most);
}

static bool find_room(struct packet_end *e)
{
    uint32_t count = (uint32_t)(e->put - e->get);
    bool has_record = count != e->records.slots ||
                      llp_ring_grow(&e->o, &e->records, sizeof(struct packet_record), e->get, count);
    return has_record && llp_blocks_ready(&e->o, &e->blocks);
}

int packet_send(void *l, iw_time now, uint16_t stream, const struct iw_seg *seg, enum llp_wrong how)
{
    struct packet_end *e = l;
    uint32_t ulpdu = seg->head_len + seg->payload_len;
    bool fits = ulpdu && ulpdu <= packet_full(e) - e->data_head && seg->key == e->put;
    (void)now;
    (void)stream;
    if (!llp_may_send(&e->o))
        return IW_ESTATE;
    if (!fits || how == LLP_WRONG_MARKER)
        return IW_EINVAL;
    if (!find_room(e))
        return IW_EFULL;
    uint8_t *octets = llp_block_take(&e->blocks);
    struct ddp_head head = {0};
    ddp_head_get(seg->head, seg->head_len, &head);
    *packet_record_at(e, e->put++) =
        (struct packet_record){.octets = octets,
                               .ulpdu = ulpdu,
                               .carried = (uint16_t)put_ulpdu(e, seg, octets + PACKET_HEAD),
                               .last = head.last,
                               .more = how == LLP_WRONG_CRC ? PACKET_BAD : 0};
    e->stored += e->data_head + ulpdu;
    LAW(packet_is_in_order(e) && seg->key + 1 == e->put);
    return IW_OK;
}

/* ---- the peer's answers ---- */

/* It left earlier than one of its path that was answered before it: so late packets come. */
static void learn_left(struct packet_end *e, uint16_t path, iw_time left)
{
    iw_time *latest = packet_latest(e, path);
    if (left > *latest)
        *latest = left;
    else if (*latest - left > e->late)
        e->late = *latest - left;
    if (e->latest_acked > left)
        e->late_any = most(e->late_any, e->latest_acked - left);
    e->latest_acked = most(e->latest_acked, left);
}

static void learn(struct packet_end *e, const struct packet_record *r, uint8_t sends)
{
    if (sends == 1)
        learn_left(e, r->first_path, r->first_sent);
    else if (sends == r->sends)
        learn_left(e, r->path, r->sent);
}

static void set_acked(struct packet_end *e, iw_time now, uint64_t psn, uint8_t sends)
{
    struct packet_record *r = packet_record_at(e, psn);
    if (r->acked)
        return;
    LAW(e->get <= psn && psn < e->sent && r->sends && e->under_way);
    r->acked = true;
    e->news.octets += packet_octets(e, r);
    e->octets_out -= r->due ? 0 : packet_octets(e, r);
    e->due -= r->due;
    r->due = false;
    e->under_way--;
    e->progress = now;
    e->backoff = 0;
    e->highest = psn >= e->highest ? psn + 1 : e->highest;
    if (sends)
        learn(e, r, sends);
}

static void release_acked(struct packet_end *e)
{
    for (; e->get != e->sent && packet_record_at(e, e->get)->acked; e->get++) {
        struct packet_record *r = packet_record_at(e, e->get);
        LAW(e->stored >= e->data_head + r->ulpdu && !r->due);
        e->stored -= e->data_head + r->ulpdu;
        llp_block_give(&e->blocks, r->octets);
    }
}

/* One that was sent once alone is known by a bit to have come by that. */
static void hear_sack(struct packet_end *e, iw_time now, uint64_t psn, uint64_t sack)
{
    for (; sack; psn++, sack >>= 1)
        if (sack & 1 && psn >= e->get && psn < e->sent)
            set_acked(e, now, psn, e->packet.answer_octets && packet_record_at(e, psn)->sends == 1);
}

/* A copy of what was sent again came second: the repetition was for nothing, and if it came first, the first came late. */
static void hear_again(struct packet_end *e, uint64_t psn, const struct packet_head *h)
{
    struct packet_resent *x = &e->resent[psn % PACKET_RESENT];
    if (x->end != psn + 1)
        return;
    x->end = 0;
    if (h->sends == 1)
        learn_left(e, x->path, x->left);
    e->stats.retransmits_spurious++;
    llp_tell(&e->o, (struct llp_event){.kind = LLP_EV_SPURIOUS, .key = psn, .end = psn + 1});
}

/* Was it the copy that left last that was cut, or not remembered? An earlier one was missed already. */
static void hear_cut(struct packet_end *e, iw_time now, uint64_t psn, const struct packet_head *h)
{
    struct packet_record *r = packet_record_at(e, psn);
    if (psn < e->get || psn >= e->sent || h->sends != r->sends)
        return;
    r->tried = true;
    packet_again(e, now, psn, h->more & PACKET_AGAIN ? LLP_WHY_FULL : LLP_WHY_TRIMMED);
}

/* The round trip of the copy that is answered, if it left last. */
static void measure(struct packet_end *e, iw_time now, uint64_t psn, const struct packet_head *h)
{
    const struct packet_record *r = packet_record_at(e, psn);
    if (!r->acked && r->sends == h->sends && r->sends < SENDS_MAX)
        e->news.rtt = now - r->sent;
}

static void hear_named(struct packet_end *e, iw_time now, const struct packet_head *h)
{
    uint64_t psn = packet_unwrap(e->get, h->named);
    if (h->more & PACKET_CUT) {
        hear_cut(e, now, psn, h);
        return;
    }
    if (h->more & PACKET_AGAIN)
        hear_again(e, psn, h);
    if (psn < e->get || psn >= e->sent)
        return;
    measure(e, now, psn, h);
    set_acked(e, now, psn, h->sends);
}

static void tell_congestion(struct packet_end *e, iw_time now, const struct packet_head *h)
{
    if (e->congestion->answered && !(h->more & PACKET_CUT)) {
        e->news.marked = h->more & PACKET_MARKED;
        e->congestion->answered(e, now);
        e->news = (struct packet_news){.rtt = IW_NEVER};
    }
}

/* A value that nobody chose is not heard. */
static void tell_path(struct packet_end *e, iw_time now, const struct packet_head *h)
{
    uint32_t value = e->in->entropy - 1u;
    bool probed = h->more & PACKET_PROBED, named = h->flags & PACKET_NAMED && !(h->more & PACKET_CUT);
    if (e->latest && value < e->packet.path.count && (probed || named))
        packet_path_heard(&e->paths, now, value,
                          probed                    ? PACKET_SAID_PROBED
                          : h->more & PACKET_MARKED ? PACKET_SAID_MARK
                                                    : PACKET_SAID_GOOD);
    if (!probed || !h->sends || h->sends != e->tail.number)
        return;
    e->tail.waits = false;
    if (e->tail.sent > *packet_latest(e, e->tail.path))
        learn_left(e, e->tail.path, e->tail.sent); /* what left before it on its path has been passed */
}

/* What nobody can say is not heard. */
static void hear_says(struct packet_end *e, iw_time now, const struct packet_head *h)
{
    uint64_t edge = packet_unwrap(e->get, h->edge);
    if (edge > e->sent)
        return;
    e->told = now;
    if (h->flags & PACKET_NAMED) /* first: what it fills lies below the edge */
        hear_named(e, now, h);
    for (uint64_t psn = e->get; psn < edge; psn++)
        set_acked(e, now, psn, 0);
    uint64_t near = packet_unwrap(e->get, h->named) + 1;
    hear_sack(e, now, !(h->more & PACKET_NEAR) ? edge + 1 : near > WORD ? near - WORD : 0, h->sack);
    release_acked(e);
    LAW(packet_is_in_order(e) && (e->get != e->put || !e->stored));
    if (h->flags & PACKET_NAK && edge >= e->get && e->get < e->sent)
        e->scheme->nak(e, now);
    tell_path(e, now, h);
    tell_congestion(e, now, h);
    e->scheme->answered(e, now);
}

void packet_hear(struct packet_end *e, iw_time now)
{
    const struct packet_head *h = &e->head;
    if (h->flags & PACKET_SAYS)
        hear_says(e, now, h);
    if (e->congestion->credits)
        packet_credit_hear(e, now);
    if (h->flags & PACKET_CNP && e->congestion->notified)
        e->congestion->notified(e, now);
    e->fin_heard |= h->more & PACKET_HEARD && e->fin_sent;
    if (e->fin_heard)
        e->fin_due = IW_NEVER;
}

/* ---- what may leave ---- */

static iw_time free_at(const struct packet_end *e)
{
    return e->congestion->free_at ? e->congestion->free_at(e) : 0;
}

static bool is_paced(const struct packet_end *e, iw_time now)
{
    return free_at(e) > now;
}

/* The window has no room for a full packet, or there is no credit. */
static bool is_held(const struct packet_end *e)
{
    return (e->congestion->window && e->congestion->window(e) < e->octets_out + e->o.conf.mtu) ||
           (e->congestion->credits && packet_credit_holds(e));
}

iw_time packet_paced_until(const struct packet_end *e)
{
    bool waits = free_at(e) && packet_has_some(e);
    return waits ? free_at(e) : IW_NEVER;
}

enum llp_bound packet_bound(const void *l, iw_time now)
{
    const struct packet_end *e = l;
    if (packet_has_new(e) && !packet_is_in_flight(e))
        return LLP_BY_FLIGHT;
    if (packet_has_new(e) && !packet_is_tracked(e))
        return LLP_BY_TRACK;
    if (packet_has_new(e) || e->due)
        return is_held(e) ? LLP_BY_CONGESTION : is_paced(e, now) ? LLP_BY_PACING : LLP_FREE;
    uint64_t most = e->o.conf.send_buffer;
    return most && e->stored + packet_full(e) > most ? LLP_BY_SEND_BUFFER : LLP_IDLE;
}

static bool fin_is_due(const struct packet_end *e, iw_time now)
{
    return e->o.finish && !e->fin_heard && e->sent == e->put && (e->fin_due == IW_NEVER || e->fin_due <= now);
}

static bool credit_is_to_be_said(const struct packet_end *e)
{
    return e->congestion->credits && (e->grants.due || packet_credit_is_short(e));
}

static bool has_ports(const struct packet_end *e)
{
    return e->packet.path.ports > 1;
}

static bool some_test_is_due(const struct packet_end *e)
{
    bool due = false;
    for (uint32_t i = 0; e->latest && i < (has_ports(e) ? e->packet.path.ports : 1) && !due; i++)
        due = e->paths.port[i].test != PACKET_NO_PATH;
    return due;
}

bool packet_wants(const void *l, iw_time now, unsigned parts)
{
    const struct packet_end *e = l;
    if (e->o.gone)
        return e->o.rst && parts & LLP_CONTROL;
    bool data = packet_has_some(e) && !is_paced(e, now) && !is_held(e);
    return (parts & LLP_CONTROL && (e->answer_get != e->answer_put || e->tail.due || some_test_is_due(e) ||
                                    credit_is_to_be_said(e))) ||
           (parts & LLP_DATA && (data || fin_is_due(e, now)));
}

/* ---- what leaves ---- */

/* The head of a packet says what is known now; real octets have a check sequence over all that is theirs. */
static void seal(const struct packet_end *e, uint8_t *packet, uint32_t octets, const struct packet_head *h)
{
    packet_put(packet, h);
    iw_put32(packet + PACKET_ICRC, 0);
    if (!e->o.conf.real)
        return;
    uint32_t crc = crc32c(0, packet, octets);
    iw_put32(packet + PACKET_ICRC, h->more & PACKET_BAD ? ~crc : crc);
}

static void say(struct packet_end *e, struct packet_head *h)
{
    h->edge = (uint32_t)e->edge & PACKET_PSN_MASK;
    uint64_t named = packet_unwrap(e->edge, h->named);
    bool near = e->packet.answer_octets && h->flags & PACKET_NAMED && named > e->edge + WORD;
    h->more |= near ? PACKET_NEAR : 0;
    bool asks = h->flags & PACKET_DATA || h->more & PACKET_ASKS;
    if (h->flags & PACKET_CREDIT && h->flags & PACKET_DATA)
        h->named = (uint32_t)e->sent & PACKET_PSN_MASK;
    if (h->flags & PACKET_CREDIT)
        h->sack = asks ? packet_credit_target(e) : e->grants.granted;
    else
        h->sack = packet_sack(e, near ? named + 1 - WORD : e->edge + 1);
    if (h->flags & PACKET_SAYS) {
        e->owed = 0;
        e->answer_at = IW_NEVER;
    }
}

static void fill_packet(const struct packet_end *e, struct ip_packet *out, uint8_t *packet, uint32_t charged,
                        uint32_t carried)
{
    *out = (struct ip_packet){.size = IP_HEAD + charged,
                              .direction = !e->o.conf.initiator,
                              .protocol = IP_PROTOCOL_EXPERIMENT,
                              .head = (uint16_t)(PACKET_HEAD + carried),
                              .octets = packet};
}

static void send_control(struct packet_end *e, struct ip_packet *out, struct packet_head h)
{
    say(e, &h);
    seal(e, e->control, PACKET_HEAD, &h);
    fill_packet(e, out, e->control, e->answer_head, 0);
}

/* The oldest that leaves by this port comes first. False: there is none. */
static bool find_answer_by(struct packet_end *e, uint8_t port)
{
    uint32_t n = e->answer_get;
    while (n != e->answer_put && packet_answer_at(e, n)->port != port)
        n++;
    if (n == e->answer_put)
        return false;
    struct packet_answer found = *packet_answer_at(e, n);
    for (; n != e->answer_get; n--)
        *packet_answer_at(e, n) = *packet_answer_at(e, n - 1);
    *packet_answer_at(e, n) = found;
    return true;
}

static bool find_answer(struct packet_end *e, uint8_t port)
{
    return e->answer_get != e->answer_put && (!has_ports(e) || find_answer_by(e, port));
}

static void send_answer(struct packet_end *e, struct ip_packet *out)
{
    struct packet_answer a = *packet_answer_at(e, e->answer_get++);
    send_control(e, out,
                 (struct packet_head){.flags = a.flags, .more = a.more, .named = a.named, .sends = a.sends});
    out->entropy = a.entropy;
}

/* What is granted, or that more is needed. */
static void send_credit(struct packet_end *e, uint8_t port, struct ip_packet *out)
{
    bool grants = e->grants.due;
    e->grants.due = false;
    e->packets.credits += grants;
    send_control(e, out,
                 (struct packet_head){.flags = PACKET_CREDIT,
                                      .more = grants ? 0 : PACKET_ASKS,
                                      .psn = (uint32_t)e->sent & PACKET_PSN_MASK});
    out->entropy = (uint16_t)(e->latest ? packet_path_next(&e->paths, port) + 1u : 0);
}

/* `number`: of the tail's probes; 0: of a value that was retired. */
static void send_probe(struct packet_end *e, uint8_t number, uint32_t path, struct ip_packet *out)
{
    e->packets.probes++;
    send_control(e, out, (struct packet_head){.more = PACKET_ASKS, .sends = number});
    out->entropy = (uint16_t)(e->latest ? path + 1u : 0);
}

static void send_tail_probe(struct packet_end *e, iw_time now, struct ip_packet *out)
{
    e->tail.due = false;
    e->tail.waits = true;
    e->tail.sent = now;
    send_probe(e, e->tail.number, e->tail.path, out);
}

/* The probe of the tail has the port of its value. */
static bool tail_is_due(const struct packet_end *e, uint8_t port)
{
    bool here = !e->latest || !has_ports(e) || e->tail.path % e->packet.path.ports == port;
    return e->tail.due && here;
}

static bool test_is_due(const struct packet_end *e, uint8_t port)
{
    return e->latest && e->paths.port[port].test != PACKET_NO_PATH;
}

/* Where one answer is for several packets: is this the last for a while, or one that was missed? */
static bool asks(const struct packet_end *e, const struct packet_record *r)
{
    return e->packet.answer_octets &&
           (r->last || r->sends > 1 || is_held(e) || !packet_is_tracked(e) || !packet_is_in_flight(e));
}

/* Of a packet that leaves by this port. */
static void choose_path(struct packet_end *e, struct packet_record *r, uint8_t port)
{
    r->path = (uint16_t)packet_path_next(&e->paths, port);
    e->packets.path_values = e->paths.values_used;
    r->first_path = r->sends > 1 ? r->first_path : r->path;
}

/* With IP_ANY_PORT its path is chosen as it leaves (packet_renew). */
static void send_data(struct packet_end *e, iw_time now, uint64_t psn, uint8_t port, struct ip_packet *out)
{
    struct packet_record *r = packet_record_at(e, psn);
    struct packet_head h = {.psn = (uint32_t)psn & PACKET_PSN_MASK,
                            .flags = (uint8_t)(PACKET_DATA | (e->owed ? PACKET_SAYS : 0) |
                                               (e->congestion->credits ? PACKET_CREDIT : 0))};
    r->sends = (uint8_t)(r->sends + (r->sends < SENDS_MAX));
    r->sent = now;
    if (e->latest && port != IP_ANY_PORT)
        choose_path(e, r, port);
    h.sends = r->sends;
    e->octets_out += packet_octets(e, r);
    if (e->congestion->sent)
        e->congestion->sent(e, now, packet_octets(e, r));
    h.more = (uint8_t)(r->more | (asks(e, r) ? PACKET_ASKS : 0));
    say(e, &h);
    seal(e, r->octets, PACKET_HEAD + r->carried, &h);
    fill_packet(e, out, r->octets, e->data_head + r->ulpdu, r->carried);
    out->ecn = e->congestion->marks ? IP_ECT_0 : IP_NOT_ECT;
    out->entropy = e->latest ? r->path + 1u : 0;
}

static uint64_t first_due(struct packet_end *e)
{
    uint64_t psn = e->due_from > e->get ? e->due_from : e->get;
    while (!packet_record_at(e, psn)->due)
        psn++;
    LAW(psn < e->sent);
    e->due_from = psn + 1;
    return psn;
}

/* Its first copy may come yet, as may that of one that is remembered already. */
static void note_resent(struct packet_end *e, iw_time now, uint64_t psn, const struct packet_record *r)
{
    struct packet_resent *x = &e->resent[psn % PACKET_RESENT];
    bool known_gone = r->reason == LLP_WHY_TRIMMED || r->reason == LLP_WHY_FULL;
    if (!known_gone && (!x->end || x->left + e->o.conf.min_rto <= now))
        *x = (struct packet_resent){psn + 1, r->first_sent, r->first_path};
}

static void resend_packet(struct packet_end *e, iw_time now, uint8_t port, struct ip_packet *out)
{
    uint64_t psn = first_due(e);
    struct packet_record *r = packet_record_at(e, psn);
    LAW(e->due && !r->acked && r->sends);
    r->due = false;
    e->due--;
    e->stats.retransmits++;
    note_resent(e, now, psn, r);
    send_data(e, now, psn, port, out);
    llp_tell(&e->o, (struct llp_event){
                        .kind = LLP_EV_RETRANSMITTED, .reason = r->reason, .key = psn, .end = psn + 1});
}

static void send_first(struct packet_end *e, iw_time now, uint8_t port, struct ip_packet *out)
{
    uint64_t psn = e->sent;
    if (e->get == e->sent)
        e->progress = now; /* the timer starts */
    e->sent++;
    e->under_way++;
    e->stats.segments++;
    packet_record_at(e, psn)->first_sent = now;
    LAW(!packet_record_at(e, psn)->sends);
    send_data(e, now, psn, port, out);
    LAW(packet_is_in_order(e));
    llp_tell(&e->o, (struct llp_event){.kind = LLP_EV_SENT, .key = psn, .end = psn + 1});
}

static void send_fin(struct packet_end *e, iw_time now, struct ip_packet *out)
{
    e->fin_sent = true;
    e->fin_due = now + e->o.conf.min_rto;
    send_control(e, out,
                 (struct packet_head){.psn = (uint32_t)e->put & PACKET_PSN_MASK, .flags = PACKET_FIN});
}

static bool transmit_control(struct packet_end *e, iw_time now, uint8_t port, struct ip_packet *out)
{
    if (e->o.rst) {
        e->o.rst = false;
        send_control(e, out, (struct packet_head){.flags = PACKET_RST});
        return true;
    }
    if (e->o.gone)
        return false;
    if (find_answer(e, port))
        send_answer(e, out);
    else if (tail_is_due(e, port))
        send_tail_probe(e, now, out);
    else if (test_is_due(e, port))
        send_probe(e, 0, packet_path_test(&e->paths, port), out);
    else if (credit_is_to_be_said(e) && packet_leads(e, port))
        send_credit(e, port, out);
    else
        return false;
    return true;
}

static bool transmit_data(struct packet_end *e, iw_time now, uint8_t port, struct ip_packet *out,
                          struct llp_sent *sent)
{
    bool waits = is_paced(e, now) || is_held(e) || !packet_leads(e, port);
    if (e->o.gone)
        return false;
    if (e->due && !waits) {
        sent->again = true;
        resend_packet(e, now, port, out);
    } else if (packet_may_leave(e) && !waits) {
        send_first(e, now, port, out);
    } else if (fin_is_due(e, now)) {
        send_fin(e, now, out);
    } else {
        return false;
    }
    sent->data = true;
    sent->octets = out->size > IP_HEAD + e->answer_head ? out->size - IP_HEAD : 0;
    return true;
}

bool packet_transmit(void *l, iw_time now, unsigned parts, struct ip_packet *out, struct llp_sent *sent)
{
    struct packet_end *e = l;
    uint8_t port = has_ports(e) ? out->port : 0;
    *sent = (struct llp_sent){0};
    return (parts & LLP_CONTROL && transmit_control(e, now, port, out)) ||
           (parts & LLP_DATA && transmit_data(e, now, port, out, sent));
}

bool packet_leads(const void *l, uint8_t port)
{
    const struct packet_end *e = l;
    return !e->latest || !has_ports(e) || port == IP_ANY_PORT || packet_path_leads(&e->paths, port);
}

/* What came through the adapter has the port that is free, and one of its values. */
static void leave_by(struct packet_end *e, uint64_t psn, uint8_t sends, struct ip_packet *packet)
{
    struct packet_record once = {0};
    bool known = psn >= e->get && psn < e->sent && packet_record_at(e, psn)->sends == sends;
    struct packet_record *r = known ? packet_record_at(e, psn) : &once;
    choose_path(e, r, packet->port);
    packet->entropy = r->path + 1u;
}

void packet_renew(void *l, iw_time now, struct ip_packet *packet)
{
    struct packet_end *e = l;
    struct packet_head h;
    (void)now;
    packet_get(packet->octets, &h);
    if (e->latest && has_ports(e) && h.flags & PACKET_DATA)
        leave_by(e, packet_unwrap(e->get, h.psn), h.sends, packet);
    h.flags |= e->owed ? PACKET_SAYS : 0;
    say(e, &h);
    seal(e, packet->octets, packet->head, &h);
}

/* Since when nothing was heard of what is under way; IW_NEVER: nothing is, or something leaves soon. What is held waits for
 * answers, which may be lost. */
static iw_time silent_since(const struct packet_end *e)
{
    if (e->get == e->sent || (e->due && !(is_held(e) && e->octets_out)))
        return IW_NEVER;
    return most(packet_record_at(e, e->get)->sent, e->progress);
}

iw_time packet_timer(const struct packet_end *e)
{
    iw_time since = silent_since(e);
    return since == IW_NEVER ? IW_NEVER : since + e->scheme->rto(e);
}

iw_time packet_probe_at(const struct packet_end *e)
{
    bool may = e->packet.probe && (!e->tail.due || has_ports(e));
    iw_time since = may ? silent_since(e) : IW_NEVER;
    return since == IW_NEVER ? IW_NEVER : most(most(since, e->told), e->tail.sent) + e->packet.probe;
}

iw_time packet_test_at(const struct packet_end *e)
{
    return e->latest ? e->paths.test_at : IW_NEVER;
}

/* When a probe has no answer either, the path is dead: the first packet goes another way. So it does when the port of its path has
 * not been free for as long. */
static void probe_tail(struct packet_end *e, iw_time now)
{
    const struct packet_record *first = packet_record_at(e, e->get);
    if (e->tail.waits && e->tail.sent >= most(silent_since(e), e->told) && !first->due) {
        e->tail.waits = false;
        packet_again(e, now, e->get, LLP_WHY_PASSED);
        return;
    }
    e->tail.due = true;
    e->tail.waits |= has_ports(e);
    e->tail.sent = has_ports(e) ? now : e->tail.sent;
    e->tail.path = first->path;
    e->tail.number = (uint8_t)(e->tail.number % SENDS_MAX + 1);
}

void packet_probe(struct packet_end *e, iw_time now)
{
    if (packet_probe_at(e) <= now)
        probe_tail(e, now);
    if (packet_test_at(e) <= now)
        packet_path_expire(&e->paths, now);
}
