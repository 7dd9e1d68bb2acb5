/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_classes.c -- the transport_classes workload in the packet world: its Writes become decorated messages that ask for
 * an indication, sent over one SCTP association in the class of the point. */
#include "helpers/world/fabric/world_classes.h"

#include "helpers/world/fabric/world_links.h"

#include <stdlib.h>

#include "helpers/base/arena.h"
#include "helpers/scenario/scenario.h"
#include "helpers/world/network_conf.h"
#include "node/ddpp_host.h"

enum { IP = 20, KEEP = 64, SEND_BUFFER = 4 << 20, DRAWS_OF_ENDS = 1 << 29 };

/* A message that was posted: until it is in SCTP, and until SCTP has done with it. */
struct posted {
    struct iw_work work;
    uint64_t end; /* messages of SCTP when all its pieces are queued */
};

struct bench;
struct end {
    struct bench *bench;
    struct ddpp_host *host;
};

struct bench {
    const struct scenario_point *point;
    struct trial *trial;
    struct fabric *fabric;
    struct end end[2];
    struct posted *ring;
    uint64_t room, given, sent, done; /* counts, by % room */
    uint8_t *memory[2];
    uint64_t resent;
    bool started;
    struct memory_arena network;
};

static struct sctp *sender(const struct bench *b)
{
    return ddpp_host_sctp(b->end[0].host);
}

/* ---- configuration ---- */

static uint64_t send_buffer(const struct scenario_point *p)
{
    return p->llp.send_buffer ? p->llp.send_buffer : SEND_BUFFER;
}

static uint16_t chunks_of(const struct scenario_point *p, uint32_t mtu)
{
    uint64_t wanted = send_buffer(p) / mtu, n = SCTP_CHUNKS_MIN;
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
    c->store = (uint32_t)send_buffer(p);
    c->hold = c->chunks;
    c->rwnd = (uint32_t)p->rnic.window.bytes;
    c->secret[0] = channel_key(p->seed, p->repeat, DRAWS_OF_ENDS, (uint32_t)side);
    c->rto_min = llp_min_rto(&p->llp);
    c->rto_initial = c->rto_initial < c->rto_min ? c->rto_min : c->rto_initial;
    c->sack_delay = p->llp.delayed_ack_timeout;
    c->sack_every = p->llp.delayed_ack;
}

static struct ddpp_host_conf host_conf(const struct scenario_point *p, int side)
{
    enum workload_transport t = p->workload.transport;
    struct ddpp_host_conf c = {
        .client = side == 0, .regions_max = workload_needs(&p->workload).regions_max, .stag_key = p->seed};
    end_conf(p, side, &c.sctp);
    c.ddpp = (struct ddpp_conf){.pd = WORKLOAD_PD,
                                .stream = workload_stream(0),
                                .reliable = workload_transport_is(t, WORKLOAD_RELIABLE),
                                .ordered = workload_transport_is(t, WORKLOAD_ORDERED),
                                .remember = c.sctp.chunks,
                                .quarantine = p->workload.quarantine > 0,
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
            trial_refuse(b->trial, "not enough memory for the messages; payload: none needs none");
            return IW_EFULL;
        }
    }
    *stag = 0;
    return host ? iw_register(ddpp_host_stags(b->end[1].host), region, stag)
                : IW_OK; /* the sender's has no name on the wire */
}

static int offer_rebind(void *context, uint32_t host, iw_stag stag, const struct iw_region *region)
{
    struct bench *b = context;
    iw_time now = b->started ? fabric_now(b->fabric) : 0, quarantine = b->point->workload.quarantine;
    if (now && quarantine)
        ddpp_quarantine(ddpp_host_receiver(b->end[1].host), now, stag, now + quarantine);
    return host ? iw_rebind(ddpp_host_stags(b->end[1].host), stag, region) : IW_EINVAL;
}

static int offer_post(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    struct bench *b = context;
    (void)now, (void)conn;
    if (side || b->given - b->done == b->room)
        return IW_EFULL;
    b->ring[b->given++ % b->room].work = *work;
    fabric_kick(b->fabric, 0);
    return IW_OK;
}

enum { TIMER_WORKLOAD, TIMERS };

static void offer_wake(void *context, uint64_t at)
{
    struct bench *b = context;
    fabric_at(b->fabric, TIMER_WORKLOAD, at);
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
    uint32_t most = ddpp_host_message_max(b->end[0].host) - DDPP_HEAD;
    (void)now;
    if (ddpp_host_send(b->end[0].host, &what, b->memory[0] ? b->memory[0] + sge->to : NULL) != IW_OK)
        return;
    p->end = sctp_queued(sender(b), 0) + (sge->len ? (sge->len - 1) / most + 1 : 1);
    b->sent++;
}

static void placed(void *user, iw_time now, const struct ddpp_place *place)
{
    struct bench *b = user;
    struct node_event e = {.t = now, .user = trial_user(0, 1), .key = place->key, .in_order = true};
    e.len = place->len;
    e.kind = NODE_TAKEN;
    trial_event(b->trial, &e);
    e.kind = NODE_PLACED;
    e.place = (struct node_place){.len = place->len, .stag = place->stag, .to = place->to};
    trial_event(b->trial, &e);
    trial_event(b->trial,
                &(struct node_event){.kind = NODE_EDGE, .t = now, .user = e.user, .key = place->key + 1});
}

static void told(void *user, iw_time now, const struct ddpp_event *event)
{
    struct bench *b = user;
    trial_event(b->trial,
                &(struct node_event){
                    .kind = NODE_DELIVERED,
                    .t = now,
                    .user = trial_user(0, 1),
                    .key = event->key,
                    .message = {.key = event->key, .to = event->id, .length = event->len, .tagged = true}});
}

/* What SCTP has done with: acknowledged or given up. */
static void complete(struct bench *b, iw_time now)
{
    while (b->done != b->sent && b->ring[b->done % b->room].end <= sctp_acked(sender(b), 0)) {
        const struct iw_work *work = &b->ring[b->done++ % b->room].work;
        struct iw_done done = {
            .id = work->id, .op = IW_WRITE, .status = IW_OK, .len = work->sges ? work->sge[0].len : 0};
        trial_event(b->trial, &(struct node_event){.kind = NODE_COMPLETED, .t = now, .done = done});
    }
    for (; b->resent < sctp_statistics(sender(b))->retransmits; b->resent++)
        trial_event(b->trial, &(struct node_event){.kind = NODE_RETRANSMITTED, .t = now, .end = 1});
}

static void after(struct bench *b, iw_time now)
{
    bool up = ddpp_host_is_up(b->end[0].host) && ddpp_host_is_up(b->end[1].host);
    if (up && !b->started) {
        b->started = true;
        fabric_impair(b->fabric);
        trial_start(b->trial, now);
        fabric_kick(b->fabric, 0);
    }
    complete(b, now);
    if (trial_over(b->trial, now))
        fabric_stop(b->fabric);
}

/* ---- hosts of the packet world ---- */

static bool transmit(void *host, iw_time now, struct ip_packet *out)
{
    struct end *e = host;
    bool some = ddpp_host_transmit(e->host, now, out);
    complete(e->bench, now);
    return some;
}

static void arrive(void *host, iw_time now, const struct ip_packet *in)
{
    struct end *e = host;
    ddpp_host_arrive(e->host, now, in);
    after(e->bench, now);
}

static iw_time deadline(const void *host)
{
    const struct end *e = host;
    return ddpp_host_deadline(e->host);
}

static void expire(void *host, iw_time now)
{
    struct end *e = host;
    ddpp_host_expire(e->host, now);
    after(e->bench, now);
}

static const struct fabric_host table = {transmit, arrive, deadline, expire};

static void timer(void *user, iw_time now, uint32_t number)
{
    struct bench *b = user;
    (void)number;
    fabric_at(b->fabric, TIMER_WORKLOAD, IW_NEVER);
    trial_wake(b->trial, now);
    after(b, now);
}

static void *more_memory(void *user, size_t octets)
{
    struct bench *b = user;
    return memory_arena_take(&b->network, octets);
}

/* ---- running ---- */

static void run_bench(struct bench *b)
{
    struct point_counters *c = trial_counters(b->trial);
    uint64_t step = network_check_interval(b->point);
    ddpp_host_open(b->end[0].host, 0);
    fabric_kick(b->fabric, 0);
    for (uint64_t until = step; !trial_over(b->trial, fabric_now(b->fabric)); until += step)
        if (fabric_run(b->fabric, until) == FABRIC_IDLE) {
            trial_stalled(b->trial, fabric_now(b->fabric));
            break;
        }
    struct fabric_counts counts = fabric_counts(b->fabric);
    c->events = counts.events;
    c->packet_hops = counts.hops;
    if (trial_asks_for_links(b->trial))
        world_links_tell(b->point, b->fabric, b->trial);
    c->timeouts = sctp_statistics(sender(b))->timeouts;
    c->drops_channel = counts.lost;
    c->crc_errors = counts.altered;
}

/* ---- life ---- */

static int refuse_class(struct bench *b, const char *what, const char *why)
{
    trial_refuse(b->trial, "%s%s", what, why ? why : "");
    return -1;
}

static int make_host(struct bench *b, int side)
{
    struct ddpp_host_conf conf = host_conf(b->point, side);
    struct ddpp_host_user user = {.user = b, .more = more, .placed = placed, .told = told};
    const char *why = ddpp_host_conf_error(&conf);
    if (why)
        return refuse_class(b, "the packet world refuses: ", why);
    void *block = malloc(ddpp_host_size(&conf));
    b->end[side] = (struct end){b, block ? ddpp_host_init(block, &conf, &user) : NULL};
    return block ? 0 : refuse_class(b, "not enough memory", NULL);
}

static int make_network(struct bench *b, struct fabric_conf *conf)
{
    conf->user = b;
    conf->timer = timer;
    conf->more = more_memory;
    conf->timers = TIMERS;
    conf->connections = 1;
    conf->event = NULL;
    const char *why = fabric_conf_error(conf);
    if (why)
        return refuse_class(b, "the packet world refuses: ", why);
    void *block = malloc(fabric_size(conf));
    b->fabric = block ? fabric_init(block, conf) : NULL;
    if (!b->fabric)
        return refuse_class(b, "not enough memory for the network", NULL);
    for (uint32_t side = 0; side < 2; side++)
        fabric_attach(b->fabric, side, &table, &b->end[side]);
    fabric_connect(b->fabric, 0, 0, 1);
    return 0;
}

int world_classes(const struct scenario_point *point, struct trial *t, struct fabric_conf conf)
{
    struct bench b = {.point = point, .trial = t, .room = point->workload.depth};
    struct workload_world offers = {&b, offer_memory, offer_rebind, offer_post, offer_wake, NULL, NULL};
    b.ring = calloc(b.room, sizeof *b.ring);
    int result = b.ring ? make_host(&b, 0) : refuse_class(&b, "not enough memory", NULL);
    if (result == 0)
        result = make_host(&b, 1);
    if (result == 0)
        result = make_network(&b, &conf);
    if (result == 0)
        result = trial_prepare(t, &offers);
    if (result == 0)
        run_bench(&b);
    memory_arena_free(&b.network);
    free(b.fabric);
    free(b.end[0].host);
    free(b.end[1].host);
    free(b.ring);
    free(b.memory[0]);
    free(b.memory[1]);
    return result;
}
