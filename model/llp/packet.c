/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet.c -- configuration, memory and the table of a packet transport (packet.h). */
#include "engine/carve.h"
#include "engine/least.h"
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
    if (c->path.count > 1 && c->recovery != PACKET_RUD)
        return "paths need rud, whose answers name packets";
    if (!c->congestion)
        return NULL;
    if (c->congestion->answered_each && c->recovery != PACKET_RUD)
        return "this congestion control needs rud, whose answers name packets";
    return c->congestion->error ? c->congestion->error(c) : NULL;
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

/* Without values any port will do. */
static struct packet_path_conf paths_of(const struct llp_conf *c)
{
    struct packet_path_conf paths = c->packet->path;
    paths.ports = paths.count > 1 ? c->ports : 1;
    return paths;
}

static const char *paths_error(const struct llp_conf *c)
{
    struct packet_path_conf paths = paths_of(c);
    return packet_path_error(&paths);
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
    const char *paths = paths_error(c);
    return paths ? paths : packet_conf_error(c->packet);
}

static uint32_t power_of_two(uint32_t least)
{
    uint32_t n = WORD;
    while (n < least)
        n *= 2;
    return n;
}

static void *lay_out(struct carve *c, const struct llp_conf *conf)
{
    const struct packet_scheme *scheme = packet_scheme_of(conf->packet->recovery);
    bool in_order = conf->packet->recovery == PACKET_GO_BACK_N; /* has nothing to tell apart */
    uint32_t track = in_order ? WORD : power_of_two(conf->packet->track);
    struct packet_end *e = carve(c, sizeof *e);
    struct packet_record *record = carve(c, RECORDS * sizeof *record);
    struct packet_answer *answer = carve(c, ANSWERS * sizeof *answer);
    uint64_t *bits = carve(c, track / WORD * sizeof *bits);
    struct packet_path_conf path = paths_of(conf);
    uint32_t paths = path.count > 1 ? path.count : 0;
    iw_time *latest = carve(c, paths * sizeof *latest);
    if (!e) {
        packet_path_lay_out(NULL, c, &path, conf->secret);
        return NULL;
    }
    *e = (struct packet_end){.packet = *conf->packet,
                             .scheme = scheme,
                             .congestion = conf->packet->congestion ? conf->packet->congestion : &packet_none,
                             .news = {.rtt = IW_NEVER},
                             .late = conf->packet->late,
                             .data_head = scheme->charge.data,
                             .answer_head = scheme->charge.answer,
                             .records = {record, RECORDS},
                             .answers = {answer, ANSWERS},
                             .bits = bits,
                             .latest = paths ? latest : NULL,
                             .track = track,
                             .fin_due = IW_NEVER,
                             .answer_at = IW_NEVER,
                             .end = IW_NEVER};
    e->packet.path = path;
    for (uint32_t i = 0; i < track / WORD; i++)
        bits[i] = 0;
    for (uint32_t i = 0; i < paths; i++)
        latest[i] = 0;
    packet_path_lay_out(&e->paths, c, &path, conf->secret);
    llp_track_init(&e->tracked, &conf->track, 1, 1);
    llp_object_init(&e->o, conf, e->event, PACKET_EVENTS);
    e->cells = (struct llp_cells){.octets = conf->real ? conf->mtu : PACKET_NOTE_MAX, .left = UINT32_MAX};
    e->blocks.octets = (PACKET_HEAD + (conf->real ? conf->mtu : PACKET_NOTE_MAX) + 15u) & ~15u;
    if (e->congestion->start)
        e->congestion->start(e);
    return e;
}

/* ---- beginning and end ---- */

static enum llp_end ended(void *l, uint16_t stream)
{
    struct packet_end *e = l;
    return packet_edge(e, stream) == e->end ? LLP_FIN : LLP_OPEN;
}

static bool is_down(struct packet_end *e)
{
    return !e->o.gone && e->fin_heard && e->get == e->put && ended(e, 0) == LLP_FIN;
}

static bool event(void *l, struct llp_event *out)
{
    struct packet_end *e = l;
    return llp_told(&e->o, out) || (!e->o.told_down && is_down(e) && llp_told_down(&e->o, out));
}

/* ---- out ---- */

static uint32_t mulpdu(const void *l, uint16_t stream)
{
    const struct packet_end *e = l;
    (void)stream;
    return e->o.open ? packet_full(e) - e->data_head : 0;
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

static uint64_t acked(const void *l, uint16_t stream)
{
    (void)stream;
    return ((const struct packet_end *)l)->get;
}

/* ---- no window ---- */

static uint64_t received(const void *l)
{
    return ((const struct packet_end *)l)->edge;
}

/* ---- time, looking on ---- */

static iw_time deadline(const void *l)
{
    const struct packet_end *e = l;
    if (e->o.gone)
        return IW_NEVER;
    iw_time ours = least(least(packet_timer(e), e->fin_due), e->answer_at);
    iw_time control = e->congestion->deadline ? e->congestion->deadline(e) : IW_NEVER;
    iw_time probes = least(packet_probe_at(e), packet_test_at(e));
    return least(least(ours, control), least(probes, packet_paced_until(e)));
}

static void timed_out(struct packet_end *e, iw_time now)
{
    e->progress = now; /* the timer starts again */
    e->backoff++;
    e->stats.timeouts++;
    llp_tell(&e->o, (struct llp_event){
                        .kind = LLP_EV_TIMEOUT, .reason = LLP_WHY_RTO, .key = e->get, .end = e->get + 1});
    e->scheme->timeout(e, now);
}

static void expire(void *l, iw_time now)
{
    struct packet_end *e = l;
    if (packet_timer(e) <= now)
        timed_out(e, now);
    packet_probe(e, now);
    if (e->fin_due <= now)
        e->fin_due = IW_NEVER; /* it leaves when the port is free */
    if (e->answer_at <= now)
        packet_say(e, (struct packet_answer){.flags = PACKET_SAYS});
    if (e->congestion->expire)
        e->congestion->expire(e, now);
}

static void statistics(const void *l, struct llp_stats *stats)
{
    const struct packet_end *e = l;
    *stats = e->stats;
    stats->cwnd = e->congestion->window ? e->congestion->window(e) : IW_NEVER;
    stats->ssthresh = IW_NEVER;
    stats->flight = e->under_way;
}

static struct llp_track *track(void *l, uint16_t stream)
{
    struct packet_end *e = l;
    (void)stream;
    return &e->tracked;
}

static uint32_t beyond(const void *l, uint64_t (*run)[2], uint32_t max)
{
    const struct packet_end *e = l;
    uint32_t n = 0;
    for (uint64_t psn = e->edge + 1; psn < e->beyond; psn++) {
        uint64_t from = psn;
        while (psn < e->beyond && packet_is_here(e, psn))
            psn++;
        if (from != psn && n++ < max) {
            run[n - 1][0] = from - e->edge;
            run[n - 1][1] = psn - e->edge;
        }
    }
    return n;
}

const struct packet_stats *packet_statistics(const void *l)
{
    return &((const struct packet_end *)l)->packets;
}

struct packet_now packet_now_of(const void *l)
{
    const struct packet_end *e = l;
    const int64_t credit = e->credit.left;
    return (struct packet_now){.values = e->latest ? e->paths.values_used : IW_NEVER,
                               .retired = e->latest ? e->paths.out : IW_NEVER,
                               .credit = !e->congestion->credits ? IW_NEVER
                                         : credit > 0            ? (uint64_t)credit
                                                                 : 0,
                               .tracked = e->beyond > e->edge ? e->beyond - e->edge : 0};
}

const struct llp llp_packet = {
    .name = "packet",
    .has = LLP_SACK | LLP_GO_BACK | LLP_PACKETS,
    .protocol = IP_PROTOCOL_EXPERIMENT,
    .sizes = llp_packet_sizes,
    .conf_error = conf_error,
    .lay_out = lay_out,
    .open = llp_open_at_once,
    .close = llp_close_by_packet,
    .mulpdu = mulpdu,
    .has_room = packet_has_room,
    .key = key,
    .key_after = key_after,
    .send = packet_send,
    .wants = packet_wants,
    .transmit = packet_transmit,
    .renew = packet_renew,
    .leads = packet_leads,
    .acked = acked,
    .bound = packet_bound,
    .peek = packet_peek,
    .arrive = packet_arrive,
    .unit = packet_unit,
    .next = packet_next,
    .keep = packet_keep,
    .again = packet_all_due,
    .edge = packet_edge,
    .ended = ended,
    .received = received,
    .deadline = deadline,
    .expire = expire,
    .event = event,
    .statistics = statistics,
    .beyond = beyond,
    .track = track,
};
