/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet.c -- configuration, memory and the table of a packet transport (packet.h). */
#include "engine/carve.h"
#include "llp/packet_inner.h"

enum { RECORDS = 8, ANSWERS = 8, MTU_MIN = 256, MTU_MAX = 65535, WORD = 64 };

/* ---- configuration ---- */

const char *packet_conf_error(const struct packet_conf *c)
{
    if (!packet_scheme_of(c->recovery))
        return "there is no such recovery";
    if (!c->flight || c->flight > PACKET_RANGE_MAX)
        return "flight must be 1 .. 1048576 packets";
    if (!c->track || c->track > PACKET_RANGE_MAX)
        return "track must be 1 .. 1048576 packets";
    return c->dcqcn && !c->rate ? "dcqcn needs the rate of the line" : NULL;
}

/* A full packet is as long as the MTU. */
void llp_packet_sizes(const struct llp_form *form, struct llp_sizes *s)
{
    const struct packet_charge *charge = packet_charge_of(form->recovery);
    *s = (struct llp_sizes){.before = IP_HEAD, .head = charge->data, .pad = 1, .packet = form->mtu};
    s->mss = s->full = form->mtu - IP_HEAD;
    s->mulpdu = s->full - charge->data;
    s->answer = IP_HEAD + charge->answer;
}

static const char *conf_error(const struct llp_conf *c)
{
    if (!c->packet)
        return "a packet transport needs its configuration";
    if (c->mtu < MTU_MIN || c->mtu > MTU_MAX)
        return "mtu must be 256 .. 65535";
    if (c->streams > 1)
        return "a packet transport carries one stream";
    if (c->markers)
        return "a packet transport has no markers";
    if (!c->min_rto)
        return "min_rto must not be 0";
    if (c->go_back != (c->packet->recovery == PACKET_GO_BACK_N))
        return "go-back-N, and no other recovery, discards what is out of order";
    if (c->send_buffer && c->send_buffer < 2 * (uint64_t)c->mtu)
        return "send_buffer below two packets";
    return packet_conf_error(c->packet);
}

static uint32_t power_of_two(uint32_t least)
{
    uint32_t n = WORD;
    while (n < least)
        n *= 2;
    return n;
}

/* One walk serves both to size the block and to fill it. */
static struct packet_end *lay_out(struct carve *c, const struct llp_conf *conf)
{
    const struct packet_scheme *scheme = packet_scheme_of(conf->packet->recovery);
    uint32_t track = power_of_two(conf->packet->track);
    struct packet_end *e = carve(c, sizeof *e);
    struct packet_record *record = carve(c, RECORDS * sizeof *record);
    struct packet_answer *answer = carve(c, ANSWERS * sizeof *answer);
    uint64_t *bits = carve(c, track / WORD * sizeof *bits);
    if (!e)
        return NULL;
    *e = (struct packet_end){.conf = *conf,
                             .packet = *conf->packet,
                             .scheme = scheme,
                             .data_head = scheme->charge.data,
                             .answer_head = scheme->charge.answer,
                             .record = record,
                             .slots = RECORDS,
                             .answer = answer,
                             .answers = ANSWERS,
                             .bits = bits,
                             .track = track,
                             .fin_due = IW_NEVER,
                             .answer_at = IW_NEVER,
                             .end = IW_NEVER};
    for (uint32_t i = 0; i < track / WORD; i++)
        bits[i] = 0;
    e->conf.tcp = NULL;
    e->conf.sctp = NULL;
    e->conf.packet = NULL;
    e->block_octets = (PACKET_HEAD + (conf->real ? conf->mtu : PACKET_NOTE_MAX) + 15u) & ~15u;
    packet_dcqcn_init(&e->rate, conf->packet->rate);
    return e;
}

static size_t size(const struct llp_conf *conf)
{
    struct carve c = {0};
    if (conf_error(conf))
        return 0;
    lay_out(&c, conf);
    return c.used;
}

static void *init(void *memory, const struct llp_conf *conf)
{
    struct carve c = {.memory = memory};
    return conf_error(conf) ? NULL : lay_out(&c, conf);
}

void *packet_more(const struct packet_end *e, size_t octets)
{
    return e->conf.memory.more ? e->conf.memory.more(e->conf.memory.user, octets) : NULL;
}

/* ---- beginning and end ---- */

static void open_end(void *l, iw_time now)
{
    struct packet_end *e = l;
    (void)now;
    e->up = e->open = true;
}

static void close_end(void *l, iw_time now, uint16_t stream, enum iw_llp_want how)
{
    struct packet_end *e = l;
    (void)now;
    (void)stream;
    e->finish |= how == IW_LLP_SEND_FIN;
    e->rst |= how == IW_LLP_SEND_RST && !e->gone;
    e->gone |= how == IW_LLP_SEND_RST;
}

static enum llp_end ended(void *l, uint16_t stream)
{
    struct packet_end *e = l;
    (void)stream;
    return packet_edge(e) == e->end ? LLP_FIN : LLP_OPEN;
}

static bool is_down(struct packet_end *e)
{
    return !e->gone && e->fin_heard && e->get == e->put && ended(e, 0) == LLP_FIN;
}

/* ---- what happens ---- */

void packet_tell(struct packet_end *e, struct llp_event event)
{
    if (e->event_put - e->event_get == PACKET_EVENTS)
        e->event_get++;
    e->event[e->event_put++ % PACKET_EVENTS] = event;
}

static bool event(void *l, struct llp_event *out)
{
    struct packet_end *e = l;
    if (e->up) {
        e->up = false;
        *out = (struct llp_event){.kind = LLP_EV_UP, .ord = e->conf.ord, .ird = e->conf.ird};
    } else if (e->event_get != e->event_put) {
        *out = e->event[e->event_get++ % PACKET_EVENTS];
    } else if (e->lost) {
        e->lost = false;
        *out = (struct llp_event){.kind = LLP_EV_LOST};
    } else if (!e->told_down && is_down(e)) {
        e->told_down = true;
        *out = (struct llp_event){.kind = LLP_EV_DOWN};
    } else {
        return false;
    }
    return true;
}

/* ---- out ---- */

static uint32_t full(const struct packet_end *e)
{
    return e->conf.mtu - IP_HEAD;
}

static uint32_t mulpdu(const void *l, uint16_t stream)
{
    const struct packet_end *e = l;
    (void)stream;
    return e->open ? full(e) - e->data_head : 0;
}

static bool no_markers(const void *l)
{
    (void)l;
    return false;
}

static bool may_send(const struct packet_end *e)
{
    return e->open && !e->gone && !e->finish;
}

static bool has_room(const void *l, uint16_t stream, uint32_t pulled, uint64_t octets)
{
    const struct packet_end *e = l;
    uint64_t most = e->conf.send_buffer;
    (void)stream;
    (void)pulled;
    return may_send(e) && e->put == e->sent && (!most || e->stored + octets + full(e) <= most);
}

static uint64_t key(const void *l, uint16_t stream)
{
    (void)stream;
    return ((const struct packet_end *)l)->put;
}

static uint64_t key_after(const void *l, uint16_t stream, uint64_t at, uint32_t ulpdu, uint32_t *octets)
{
    (void)stream;
    *octets = ((const struct packet_end *)l)->data_head + ulpdu;
    return at + 1;
}

static int send(void *l, iw_time now, uint16_t stream, const struct iw_seg *seg, enum llp_wrong how)
{
    (void)now;
    (void)stream;
    return may_send(l) ? packet_send(l, seg, how) : IW_ESTATE;
}

static bool wants(const void *l, iw_time now, unsigned parts)
{
    return packet_wants(l, now, parts);
}

static bool transmit(void *l, iw_time now, unsigned parts, struct ip_packet *out, struct llp_sent *sent)
{
    return packet_transmit(l, now, parts, out, sent);
}

static void renew(void *l, iw_time now, struct ip_packet *packet)
{
    (void)now;
    packet_renew(l, packet);
}

static uint64_t acked(const void *l, uint16_t stream)
{
    (void)stream;
    return ((const struct packet_end *)l)->get;
}

static enum llp_bound bound(const void *l, iw_time now)
{
    return packet_bound(l, now);
}

/* ---- in ---- */

static void peek(const void *l, const struct ip_packet *in, struct llp_unit *first)
{
    packet_peek(l, in, first);
}

static void arrive(void *l, iw_time now, const struct ip_packet *in)
{
    packet_arrive(l, now, in);
}

static enum llp_verdict unit(void *l, iw_time now, uint64_t room, struct llp_unit *u)
{
    return packet_unit(l, now, room, u);
}

static int next(void *l, uint16_t stream, struct llp_segment *out)
{
    (void)stream;
    return packet_next(l, out);
}

static int keep(void *l, uint16_t stream)
{
    (void)stream;
    return packet_keep(l);
}

static void again(void *l, uint16_t stream)
{
    (void)stream;
    packet_all_due(l);
}

static uint64_t edge(void *l, uint16_t stream)
{
    (void)stream;
    return packet_edge(l);
}

/* ---- no window ---- */

static uint8_t shift(const void *l)
{
    (void)l;
    return 0;
}

static uint64_t received(const void *l)
{
    return ((const struct packet_end *)l)->edge;
}

static uint64_t octets_below(void *l, uint16_t stream, uint64_t below)
{
    (void)l;
    (void)stream;
    return below;
}

static void credit(void *l, iw_time now, uint64_t window, bool say_so)
{
    (void)l;
    (void)now;
    (void)window;
    (void)say_so;
}

/* ---- time, looking on ---- */

static iw_time sooner(iw_time a, iw_time b)
{
    return a < b ? a : b;
}

static iw_time deadline(const void *l)
{
    const struct packet_end *e = l;
    if (e->gone)
        return IW_NEVER;
    iw_time ours = sooner(sooner(packet_timer(e), e->fin_due), e->answer_at);
    return sooner(sooner(ours, e->rate.step_at), packet_paced_until(e));
}

static void timed_out(struct packet_end *e, iw_time now)
{
    e->progress = now; /* the timer starts again */
    e->backoff++;
    e->stats.timeouts++;
    packet_tell(e, (struct llp_event){
                       .kind = LLP_EV_TIMEOUT, .reason = LLP_WHY_RTO, .key = e->get, .end = e->get + 1});
    e->scheme->timeout(e, now);
}

static void expire(void *l, iw_time now)
{
    struct packet_end *e = l;
    if (packet_timer(e) <= now)
        timed_out(e, now);
    if (e->fin_due <= now)
        e->fin_due = IW_NEVER; /* it leaves when the port is free */
    if (e->answer_at <= now)
        packet_say(e, (struct packet_answer){.flags = PACKET_SAYS});
    if (e->rate.step_at <= now)
        packet_dcqcn_step(&e->rate, now, e->packet.rate);
    if (e->rate.free_at <= now)
        e->rate.free_at = 0;
}

static void statistics(const void *l, struct llp_stats *stats)
{
    const struct packet_end *e = l;
    *stats = e->stats;
    stats->cwnd = stats->ssthresh = IW_NEVER;
}

const struct packet_stats *packet_statistics(const void *l)
{
    return &((const struct packet_end *)l)->packets;
}

uint64_t packet_rate(const void *l)
{
    return ((const struct packet_end *)l)->rate.now;
}

const struct llp llp_packet = {
    .name = "packet",
    .has = LLP_SACK | LLP_GO_BACK | LLP_PACKETS,
    .protocol = IP_PROTOCOL_EXPERIMENT,
    .sizes = llp_packet_sizes,
    .conf_error = conf_error,
    .size = size,
    .init = init,
    .open = open_end,
    .close = close_end,
    .mulpdu = mulpdu,
    .markers = no_markers,
    .has_room = has_room,
    .key = key,
    .key_after = key_after,
    .send = send,
    .wants = wants,
    .transmit = transmit,
    .renew = renew,
    .acked = acked,
    .bound = bound,
    .peek = peek,
    .arrive = arrive,
    .unit = unit,
    .next = next,
    .keep = keep,
    .again = again,
    .edge = edge,
    .ended = ended,
    .shift = shift,
    .received = received,
    .octets_below = octets_below,
    .credit = credit,
    .deadline = deadline,
    .expire = expire,
    .event = event,
    .statistics = statistics,
};
