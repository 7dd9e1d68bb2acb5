/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_pair_classes.c -- the transport_classes workload: its Writes become decorated messages that ask for
 * an indication, sent over one SCTP association in the class of the point. */
#include "helpers/world/pair/world_pair_classes.h"

#include <stdlib.h>

#include "helpers/scenario/scenario.h"
#include "pair/ddpp_pair.h"

enum { FRAMING_ETHERNET_OCTETS = 38, FRAMING_PPP_OCTETS = 2, IP = 20, KEEP = 64, FLIGHTS = 8192 };
#define SETUP_LIMIT 1000000000000u /* ps */

/* A message that was posted: until it is in SCTP, and until SCTP has done with it. */
struct posted {
    struct iw_work work;
    uint64_t end; /* messages of SCTP when all its pieces are queued */
};

struct bench {
    const struct scenario_point *point;
    struct trial *trial;
    struct ddpp_pair *pair;
    struct posted *ring;
    uint64_t room, given, sent, done; /* counts, by % room */
    uint8_t *memory[2];
    uint64_t wake, resent;
};

static struct sctp *sender(const struct bench *b)
{
    return sctp_link_end(ddpp_pair_link(b->pair), 0);
}

/* ---- configuration ---- */

static uint16_t chunks_of(const struct scenario_point *p, uint32_t mtu)
{
    uint64_t wanted = p->llp.send_buffer / mtu, n = SCTP_CHUNKS_MIN;
    while (n < wanted && n < SCTP_CHUNKS_MAX)
        n *= 2;
    return (uint16_t)n;
}

static void end_conf(const struct scenario_point *p, int side, struct sctp_conf *c)
{
    sctp_defaults(c);
    c->local_port = (uint16_t)(1 + side);
    c->remote_port = (uint16_t)(2 - side);
    c->mtu = (p->topology.mtu - IP) & ~3u;
    c->chunks = chunks_of(p, c->mtu);
    c->head_max = p->payload == PAYLOAD_NONE ? DDPP_HEAD : 0;
    c->store = p->payload == PAYLOAD_NONE ? (uint32_t)c->chunks * DDPP_HEAD : (uint32_t)p->llp.send_buffer;
    c->hold = c->chunks;
    c->rwnd = (uint32_t)p->rnic.window.bytes;
    c->secret[0] = channel_key(p->seed, p->repeat, 1u << 29, (uint32_t)side);
    c->rto_min = p->llp.min_rto;
    c->rto_initial = c->rto_initial < c->rto_min ? c->rto_min : c->rto_initial;
    c->sack_delay = p->llp.delayed_ack_timeout;
    c->sack_every = p->llp.delayed_ack;
}

static struct ddpp_pair_conf pair_conf(const struct scenario_point *p)
{
    enum workload_transport t = p->workload.transport;
    struct ddpp_pair_conf c = {.regions_max = workload_needs(&p->workload).regions_max};
    c.link = (struct sctp_link_conf){.rate = p->topology.rate,
                                     .delay = p->topology.delay,
                                     .framing = IP,
                                     .channel = p->channel,
                                     .seed = p->seed,
                                     .repeat = p->repeat,
                                     .flights = FLIGHTS};
    c.link.framing += p->topology.framing == FRAMING_PPP ? FRAMING_PPP_OCTETS : FRAMING_ETHERNET_OCTETS;
    end_conf(p, 0, &c.link.end[0]);
    end_conf(p, 1, &c.link.end[1]);
    c.ddpp =
        (struct ddpp_conf){.pd = WORKLOAD_PD,
                           .stream = workload_stream(0),
                           .reliable = t == WORKLOAD_RELIABLE_ORDERED || t == WORKLOAD_RELIABLE_UNORDERED,
                           .ordered = t == WORKLOAD_RELIABLE_ORDERED || t == WORKLOAD_UNRELIABLE_ORDERED,
                           .remember = c.link.end[0].chunks,
                           .keep = KEEP};
    return c;
}

/* ---- what the workload asks for ---- */

static int offer_memory(void *context, uint32_t host, struct iw_region *region, iw_stag *stag)
{
    struct bench *b = context;
    if (!region->base && b->point->payload == PAYLOAD_REAL) {
        region->base = b->memory[host] = calloc(region->len, 1);
        if (!region->base) {
            trial_refuse(b->trial, "not enough memory for the messages: payload: none needs none");
            return IW_EFULL;
        }
    }
    *stag = 0;
    return host ? iw_register(ddpp_pair_stags(b->pair), region, stag)
                : IW_OK; /* the sender's has no name on the wire */
}

static int offer_rebind(void *context, uint32_t host, iw_stag stag, const struct iw_region *region)
{
    struct bench *b = context;
    return host ? iw_rebind(ddpp_pair_stags(b->pair), stag, region) : IW_EINVAL;
}

static int offer_invalidate(void *context, uint32_t host, iw_stag stag)
{
    struct bench *b = context;
    return host ? iw_invalidate(ddpp_pair_stags(b->pair), stag) : IW_EINVAL;
}

static int offer_post(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    struct bench *b = context;
    (void)now, (void)conn;
    if (side || b->given - b->done == b->room)
        return IW_EFULL;
    b->ring[b->given++ % b->room].work = *work;
    return IW_OK;
}

static int offer_close(void *context, uint64_t now, uint32_t conn, int side, enum iw_close_how how)
{
    (void)context, (void)now, (void)conn, (void)side, (void)how;
    return IW_OK;
}

static void offer_wake(void *context, uint64_t at)
{
    struct bench *b = context;
    b->wake = at;
}

/* ---- what happens ---- */

static void more(void *user, iw_time now)
{
    struct bench *b = user;
    if (b->sent == b->given)
        return;
    struct posted *p = &b->ring[b->sent % b->room];
    const struct iw_sge *sge = &p->work.sge[0];
    struct ddpp_send what = {.stag = p->work.remote_stag,
                             .offset = p->work.remote_to,
                             .len = sge->len,
                             .notify = true,
                             .id = (uint32_t)(p->work.id & DDPP_ID_MAX)};
    uint32_t most = ddpp_pair_message_max(b->pair) - DDPP_HEAD;
    (void)now;
    if (ddpp_pair_send(b->pair, &what, b->memory[0] ? b->memory[0] + sge->to : NULL) != IW_OK)
        return;
    p->end = sctp_queued(sender(b), 0) + (sge->len ? (sge->len - 1) / most + 1 : 1);
    b->sent++;
}

static void placed(void *user, iw_time now, const struct ddpp_place *place)
{
    struct bench *b = user;
    struct iw_place at = {.address = place->address, .len = place->len, .stag = place->stag, .to = place->to};
    trial_arrived(b->trial, now, 0, 1, place->key, place->len, false);
    trial_placed(b->trial, now, 0, 1, place->key, &at, false);
    trial_edge(b->trial, now, 0, 1, place->key + 1);
}

static void told(void *user, iw_time now, const struct ddpp_event *event)
{
    struct bench *b = user;
    struct iw_message message = {
        .first_key = event->key, .key = event->key, .to = event->id, .length = event->len};
    message.head.tagged = message.head.last = true;
    trial_delivered(b->trial, now, 0, 1, &message);
}

/* What SCTP has done with: acknowledged or given up. */
static void complete(struct bench *b)
{
    iw_time now = sctp_link_now(ddpp_pair_link(b->pair));
    while (b->done != b->sent && b->ring[b->done % b->room].end <= sctp_acked(sender(b), 0)) {
        struct iw_done done = {.id = b->ring[b->done++ % b->room].work.id, .op = IW_WRITE, .status = IW_OK};
        trial_done(b->trial, now, 0, 0, &done);
    }
    for (; b->resent < sctp_statistics(sender(b))->retransmits; b->resent++)
        trial_resent(b->trial, now, 0, 0, 0, 1);
}

static void run(struct bench *b)
{
    struct sctp_link *link = ddpp_pair_link(b->pair);
    struct trial_counters *c = trial_counters(b->trial);
    for (int side = 0; side < 2; side++)
        sctp_link_impair(link, side, side == 0 || b->point->channel_direction == DIRECTION_BOTH);
    trial_start(b->trial, sctp_link_now(link));
    sctp_link_kick(link, 0);
    while (!trial_over(b->trial, sctp_link_now(link))) {
        if (sctp_link_next(link) == IW_NEVER || !sctp_link_step(link)) {
            trial_stalled(b->trial, sctp_link_now(link));
            break;
        }
        c->events++;
        complete(b);
        sctp_link_kick(link, 0);
    }
    c->timeouts = sctp_statistics(sender(b))->timeouts;
    for (int side = 0; side < 2; side++) {
        c->drops_channel += sctp_link_statistics(link, side)->lost;
        c->crc_errors += sctp_link_statistics(link, side)->corrupted;
    }
}

/* ---- life ---- */

static int make(struct bench *b)
{
    struct ddpp_pair_conf conf = pair_conf(b->point);
    struct ddpp_pair_user user = {.user = b, .more = more, .placed = placed, .told = told};
    const char *why = ddpp_pair_conf_error(&conf);
    if (why) {
        trial_refuse(b->trial, "the pair world refuses: %s", why);
        return -1;
    }
    void *block = malloc(ddpp_pair_size(&conf));
    b->room = b->point->workload.depth;
    b->ring = calloc(b->room, sizeof *b->ring);
    b->pair = block ? ddpp_pair_init(block, &conf, &user) : NULL;
    if (b->pair && b->ring)
        return 0;
    trial_refuse(b->trial, "not enough memory");
    return -1;
}

int world_pair_classes(const struct scenario_point *point, struct trial *t)
{
    struct bench b = {.point = point, .trial = t, .wake = IW_NEVER};
    struct workload_world offers = {&b,         offer_memory, offer_rebind, offer_invalidate,
                                    offer_post, offer_close,  offer_wake,   NULL};
    int result = make(&b);
    if (result == 0)
        result = trial_prepare(t, &offers);
    if (result == 0 && !sctp_link_connect(ddpp_pair_link(b.pair), SETUP_LIMIT)) {
        trial_refuse(t, "the association does not come up within a second");
        result = -1;
    }
    if (result == 0)
        run(&b);
    free(b.pair);
    free(b.ring);
    free(b.memory[0]);
    free(b.memory[1]);
    return result;
}
