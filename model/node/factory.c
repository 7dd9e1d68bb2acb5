/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "node/factory.h"

#include "channel/channel.h"
#include "rnic/window.h"

enum { REMEMBERED_MIN = 64, REMEMBERED_MAX = 16384 };
enum {
    DRAWS_OF_ENDS = 1 << 29,
    DRAWS_OF_STALLS = 1 << 30,
    DRAWS_OF_PORTS = 1 << 28
};                     /* beside those of links */
#define RETRIES     64 /* some 6,000 shortest timeouts: Linux has 4,600 (15 tries), limit.idle 5,000 by default */
#define LINGER      16   /* shortest timeouts for a Terminate or FIN to get through, before RST */
#define LINGER_SCTP 2048 /* the association itself gives up before: 10 of them, doubling */

static const struct llp *llp_of(enum llp_kind kind)
{
    switch (kind) {
    case LLP_MPA: return &llp_tcp;
    case LLP_SCTP: return &llp_sctp;
    case LLP_IDEAL: return &llp_ideal;
    case LLP_PACKET: return &llp_packet;
    case LLPS: break;
    }
    return NULL;
}

const struct tcp_congestion *factory_congestion(const struct llp_keys *k)
{
    bool of_tcp = k->kind == LLP_MPA && !llp_packet_congestion(k);
    return of_tcp ? tcp_congestions[k->congestion - 1] : NULL;
}

static void fill_tcp(struct tcp_conf *t, const struct factory_conf *c)
{
    const struct llp_keys *k = c->llp;
    tcp_defaults(t);
    t->mtu = (uint16_t)c->mtu;
    t->congestion = factory_congestion(k);
    t->detection = tcp_detections[k->detection - 1];
    t->window_shift = (uint8_t)rnic_window_shift(c->rnic->window.bytes);
    t->ecn = k->ecn == ECN_ON || (k->ecn == ECN_AUTO && t->congestion && t->congestion->ecn);
    t->timestamps = k->timestamps;
    t->pacing = k->pacing;
    t->idle_restart = k->idle_restart;
    t->delayed_ack = (uint8_t)k->delayed_ack;
    if (k->dupack_threshold) /* adaptive: rack */
        t->dupack_threshold = (uint16_t)k->dupack_threshold;
    t->initial_window = k->initial_window;
    t->fixed_window = (uint32_t)k->congestion_window;
    t->delayed_ack_timeout = k->delayed_ack_timeout;
    t->min_rto = llp_min_rto(k);
    t->initial_rto = llp_initial_rto(k);
    t->max_rto = c->max_rto ? c->max_rto : t->max_rto;
    t->retries = RETRIES;
    t->msl = k->msl;
}

/* Segments remembered beyond the delivered edge: of a window, of packets in flight, or where these have no bound of so
 * many octets as a long stall of the adapter lets come. */
static uint16_t remembered(const struct factory_conf *c)
{
    enum { UNBOUNDED = 4 << 20 };
    bool packets = c->llp->kind == LLP_PACKET;
    bool bounded = c->flight < PACKET_RANGE_MAX || c->llp->recovery != PACKET_GO_BACK_N; /* llp.track */
    uint64_t segments = REMEMBERED_MIN + 2 * c->rnic->window.bytes / c->segment;
    if (packets)
        segments = REMEMBERED_MIN + (bounded ? c->track : UNBOUNDED / c->segment);
    return (uint16_t)(segments < REMEMBERED_MAX ? segments : REMEMBERED_MAX);
}

/* The draft knows no recovery from a missing buffer (conformance.md 4.3, D2). */
static unsigned profile_of(const struct llp_keys *k)
{
    static const unsigned profiles[] = {[PROFILE_RFC] = 0,
                                        [PROFILE_DRAFT00] = IW_DRAFT00,
                                        [PROFILE_RDMAC] = IW_RDMAC,
                                        [PROFILE_STRICT] = IW_STRICT};
    bool waits = k->missing_buffer == MISSING_BUFFER_WAIT && k->profile != PROFILE_DRAFT00;
    return profiles[k->profile] | (waits ? (unsigned)IW_RECOVER : 0);
}

/* A Terminate or FIN that is lost has time to leave again. */
static iw_time linger_of(const struct factory_conf *c)
{
    iw_time shortest = llp_min_rto(c->llp);
    if (c->llp->kind == LLP_IDEAL && c->timeout > shortest)
        shortest = c->timeout;
    return shortest * (c->llp->kind == LLP_SCTP ? LINGER_SCTP : LINGER);
}

static struct iw_conf endpoint_of(const struct factory_conf *c)
{
    return (struct iw_conf){.pd = c->pd,
                            .profile = profile_of(c->llp),
                            .complete_on = IW_ON_ACK,
                            .sq_max = c->sq_max,
                            .rq_max = c->rq_max,
                            .ord = llp_ord(c->llp),
                            .ird = c->llp->ird,
                            .reorder_max = remembered(c),
                            .linger = linger_of(c)};
}

/* A value of its own has one path, and packets keep their order there. Where switches spray those of one value (nobody knows how
 * late they come: `late` is 0), they are a round trip apart at most before queues are. */
static iw_time sprayed_late(const struct factory_conf *c)
{
    return c->late || c->llp->paths > 1 ? 0 : c->rtt;
}

void factory_init(struct factory *f, const struct factory_conf *c)
{
    const struct llp_keys *k = c->llp;
    bool drop = k->crc && k->crc_error == CRC_ERROR_DROP; /* every packet is one FPDU here */
    bool packets = k->kind == LLP_PACKET;
    *f = (struct factory){.kind = k->kind,
                          .draws = !llp_deals(k),
                          .planes = c->planes,
                          .llp = llp_of(k->kind),
                          .ep = endpoint_of(c)};
    f->conf = (struct llp_conf){
        .real = c->real,
        .mtu = c->mtu,
        .window = c->rnic->window.bytes,
        .reorder = f->ep.reorder_max,
        .track = {.layout = k->tracking,
                  .reach = packets ? 0 : c->track,
                  .ranges = k->track_ranges,
                  .naks = c->rnic->track.full == RNIC_TRACK_NAK},
        .go_back = packets && k->recovery == PACKET_GO_BACK_N,
        .markers = k->markers && !packets,
        .rdmac = k->profile == PROFILE_RDMAC,
        .crc = k->crc || packets,
        .crc_drop = drop,
        .trust_alignment = drop || k->trust_alignment,
        .ord = k->kind == LLP_MPA ? k->ord : f->ep.ord, /* MPA agrees on it (RFC 6581); the others need not */
        .ird = k->ird,
        .start_timeout = c->start_timeout,
        .delayed_ack_timeout = k->delayed_ack_timeout,
        .min_rto = llp_min_rto(k),
        .max_rto = c->max_rto,
        .delayed_ack = k->delayed_ack,
        .send_buffer = k->send_buffer,
        .timeout = c->timeout,
        .late = c->late};
    if (k->kind == LLP_MPA)
        fill_tcp(&f->tcp, c);
    f->packet =
        (struct packet_conf){.recovery = k->recovery,
                             .flight = c->flight,
                             .track = c->track,
                             .answer_octets = (uint32_t)k->answer_octets,
                             .congestion = llp_packet_congestion(k),
                             .path = {k->paths, k->path_choice, k->path_revive, 0},
                             .probe = llp_probe(k, c->rtt),
                             .late = sprayed_late(c),
                             .dcqcn = llp_dcqcn_of(k, c->rate),
                             .span = llp_span(k, c->rtt, c->rate / (c->mtu + c->around) * c->mtu, c->trims)};
}

uint32_t factory_port(const struct factory *f, const struct factory_end *end)
{
    unsigned side = f->planes ? 0 : !end->initiator;
    uint64_t key = channel_key(end->seed, end->repeat, end->number, DRAWS_OF_PORTS + side);
    uint32_t ports = end->ports ? end->ports : 1;
    return f->draws ? (uint32_t)((channel_draw(key, 0) >> 32) * ports >> 32) : NODE_ANY_PORT;
}

struct node_connection_conf factory_connection(const struct factory *f, const struct factory_end *end)
{
    struct node_connection_conf c = {.llp = f->llp, .conf = f->conf, .ep = f->ep, .number = end->number};
    unsigned side =
        f->kind == LLP_SCTP ? 0 : !end->initiator; /* of an association either end may be the first */
    c.port = factory_port(f, end);
    c.conf.initiator = end->initiator;
    c.conf.streams = end->streams;
    c.conf.source = end->source;
    c.conf.destination = end->destination;
    c.conf.local_port = end->local_port;
    c.conf.remote_port = end->remote_port;
    c.conf.ports = end->ports;
    c.conf.secret = channel_key(end->seed, end->repeat, end->number, DRAWS_OF_ENDS + side);
    c.conf.tcp = &f->tcp;
    c.conf.packet = &f->packet;
    return c;
}

uint64_t factory_stall_key(uint64_t seed, uint32_t repeat, uint32_t host)
{
    return channel_key(seed, repeat, host, DRAWS_OF_STALLS);
}
