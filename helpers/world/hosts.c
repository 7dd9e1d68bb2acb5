/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts.c -- what the workload asks of nodes, a world's calls into them, the start and the end (hosts.h). */
#include "fabric/fabric.h"
#include "helpers/world/hosts_inner.h"
#include "llp/packet.h"
#include "llp/security.h"

/* ---- what the workload asks for ---- */

static int offer_memory(void *context, uint32_t host, struct iw_region *region, iw_stag *stag)
{
    struct hosts *h = context;
    bool granted = region->base != NULL;
    if (!message_memory_offer(&h->memory, h->point, h->trial, region))
        return IW_EFULL;
    if (!region->owner)
        return iw_register(h->host[host].tags, region, stag);
    if (!granted && region->base) /* a ULP may register the memory that it was given, and no other */
        node_grant(node_of(h, host), region->owner, region->base, region->len);
    return node_register(node_of(h, host), region, stag);
}

static int offer_rebind(void *context, uint32_t host, iw_stag stag, const struct iw_region *region)
{
    struct hosts *h = context;
    return iw_rebind(h->host[host].tags, stag, region);
}

/* Before the start: what is posted later has been taken back. */
static void count_receive(struct hosts *h, uint32_t host, const struct iw_work *work)
{
    if (h->set_up.state == SETTING_UP && work->op == IW_RECV && work->sges)
        h->host[host].receives += work->sge[0].len;
}

/* Something was done to a host here. */
static int acted(struct hosts *h, uint32_t host, int result)
{
    h->ranks.parted |= result != IW_OK;
    h->ahead.rests = 0;
    h->world.kick(h->world.context, host);
    return result;
}

static int offer_post(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    struct hosts *h = context;
    const struct hosts_end *e = end_of(h, conn, side);
    if (!is_here(h, e->host))
        return IW_OK;
    count_receive(h, e->host, work);
    return acted(h, e->host, node_post(node_of(h, e->host), now, e->stream, work));
}

static int offer_post_shared(void *context, uint64_t now, uint32_t host, uint32_t tenant,
                             const struct iw_work *work)
{
    struct hosts *h = context;
    if (!is_here(h, host))
        return IW_OK;
    count_receive(h, host, work);
    return acted(h, host, node_post_shared(node_of(h, host), now, tenant, work));
}

static void offer_wake(void *context, uint64_t at)
{
    struct hosts *h = context;
    h->world.wake(h->world.context, at);
}

static void lose_connection(struct hosts *h, uint64_t now, uint32_t connection)
{
    const struct hosts_wire *w = &h->wires.at[connection];
    for (int side = 0; side < 2; side++) {
        if (!is_here(h, w->host[side]))
            continue;
        node_lose(node_of(h, w->host[side]), now, w->local[side]);
        h->world.kick(h->world.context, w->host[side]);
    }
}

static int offer_inject(void *context, uint64_t now, uint32_t conn, int side,
                        const struct workload_wrong *wrong)
{
    static const enum llp_wrong how[] = {
        [WRONG_ULPDU] = LLP_RIGHT, [WRONG_CRC] = LLP_WRONG_CRC, [WRONG_MARKER] = LLP_WRONG_MARKER};
    struct hosts *h = context;
    const struct hosts_end *e = end_of(h, conn, side);
    struct node *n = node_of(h, e->host);
    if (wrong->kind == WRONG_LOST)
        lose_connection(h, now, e->connection);
    if (wrong->kind == WRONG_LOST || !n)
        return IW_OK;
    if (wrong->kind == WRONG_TERMINATE)
        return acted(h, e->host, node_terminate(n, now, e->stream, wrong->term));
    return acted(h, e->host, node_inject(n, now, e->stream, how[wrong->kind], wrong->ulpdu, wrong->len));
}

/* ---- a node's calls ---- */

static void begin_workload(struct hosts *h);

/* The lists may grow, and move. */
static void tell_all(struct hosts *h)
{
    size_t pulled = 0;
    for (size_t i = 0; i < h->reported.events.count; i++) {
        struct node_event e = h->reported.events.at[i];
        if (e.kind == NODE_PULLED && pulled < h->reported.segments)
            node_seg_show(&e.seg, &h->reported.pulled[pulled++]);
        hosts_poll(h, &(struct event_list){&e, 1, 1}, 0);
        if (!h->ahead.waits_until || e.kind != NODE_PLACED || !hosts_keep_octets(h, &e))
            hosts_tell(h, &e, trial_event);
    }
    h->reported.events.count = h->reported.segments = 0;
}

void hosts_after(struct hosts *h, uint32_t part)
{
    struct event_log *log = &h->ahead.log[part];
    if (!h->ahead.on)
        tell_all(h);
    else
        hosts_poll(h, &log->event, log->polled);
    log->polled = log->event.count;
    if (h->set_up.state == SETTING_UP && h->set_up.up == 2 * h->connections)
        begin_workload(h);
}

/* ---- what a network calls ---- */

static void after(const struct host *host, uint64_t now, bool heard)
{
    struct hosts *h = host->hosts;
    hosts_after(h, host->part);
    h->world.called(h->world.context, now, heard);
}

static bool transmit(void *object, iw_time now, struct ip_packet *packet)
{
    const struct host *host = object;
    struct hosts *h = host->hosts;
    bool some = node_transmit(host->node, now, packet);
    if (some && h->counts_sent)
        trial_sent(h->trial, h->wires.carried[h->wires.at[packet->connection].first], packet->direction,
                   packet->size);
    after(host, now, false);
    return some;
}

static void arrive(void *object, iw_time now, const struct ip_packet *packet)
{
    const struct host *host = object;
    const struct hosts_wire *w = &host->hosts->wires.at[packet->connection];
    node_arrive(host->node, now, w->local[!packet->direction], packet);
    after(host, now, true);
}

static iw_time deadline(const void *object)
{
    return node_deadline(((const struct host *)object)->node);
}

static void expire(void *object, iw_time now)
{
    const struct host *host = object;
    node_expire(host->node, now);
    after(host, now, true);
}

const struct fabric_host hosts_table = {transmit, arrive, deadline, expire};

void *hosts_object(const struct hosts *h, uint32_t host)
{
    return &h->host[host];
}

void hosts_expect(const struct hosts *h, uint32_t host, uint32_t connection)
{
    if (connection == FABRIC_ANY) {
        node_expect(node_of(h, host));
        return;
    }
    const struct hosts_wire *w = &h->wires.at[connection];
    node_expect_packet(node_of(h, host), w->local[w->host[1] == host]);
}

static void trace_lost(struct hosts *h, uint64_t now, const struct ip_packet *packet, const char *why)
{
    const struct hosts_wire *w = &h->wires.at[packet->connection];
    struct ip_packet opened = *packet;
    struct llp_unit unit = {0};
    void *l;
    const struct llp *llp =
        node_llp(node_of(h, w->host[!packet->direction]), w->local[!packet->direction], &l);
    security_open(&opened);
    llp->peek(l, &opened, &unit);
    if (!unit.octets || unit.stream >= w->streams)
        return;
    struct trial_line line;
    trace_line(&line, h->trial, now, h->wires.carried[w->first + unit.stream], packet->direction, TRACE_LOST);
    line.key = unit.key;
    line.end = unit.end;
    line.length = unit.octets;
    snprintf(line.text, sizeof line.text, "%s", why ? why : "");
    trial_trace(h->trial, &line);
}

static bool has_data(const struct hosts *h, const struct ip_packet *packet)
{
    return fabric_user_data(packet, h->packet_head) != FABRIC_NO_DATA;
}

/* Any thread that carries packets may be here, where no trace is asked for. */
void hosts_lost(struct hosts *h, uint64_t now, const struct ip_packet *packet, const char *why)
{
    const struct hosts_wire *w = &h->wires.at[packet->connection];
    if (trial_asks_for_flows(h->trial) && has_data(h, packet))
        trial_lost(h->trial, h->wires.carried[w->first]);
    if (trial_tracing(h->trial))
        trace_lost(h, now, packet, why);
}

/* ---- starting ---- */

uint64_t hosts_ready_from(const struct hosts *h, uint64_t now)
{
    now = h->ranks.others_ready > now ? h->ranks.others_ready : now;
    for (uint32_t i = 0; i < h->count; i++) {
        uint64_t free = is_here(h, i) ? rnic_cpu_free(node_adapter(node_of(h, i))) : 0;
        now = free > now ? free : now;
    }
    return now;
}

/* Receives were posted: the ULPs start when the CPUs have done with it. */
static void begin_workload(struct hosts *h)
{
    h->set_up.state = ABOUT_TO_START;
    if (h->world.started)
        h->world.started(h->world.context);
    h->world.wake(h->world.context, hosts_ready_from(h, h->world.now(h->world.context)));
}

void hosts_wake(struct hosts *h)
{
    uint64_t now = h->world.now(h->world.context);
    h->world.wake(h->world.context, IW_NEVER);
    if (h->set_up.state == RUNNING)
        trial_wake(h->trial, now);
    else
        trial_start(h->trial, now);
    h->set_up.state = RUNNING;
    hosts_after(h, h->world.part);
}

int hosts_start(struct hosts *h)
{
    struct workload_world offers = {h,          offer_memory, offer_rebind,     offer_post,
                                    offer_wake, offer_inject, offer_post_shared};
    if (!hosts_make(h))
        return -1;
    hosts_after(h, h->world.part); /* windows were offered when the connections were made */
    if (trial_prepare(h->trial, &offers) != IW_OK)
        return -1;
    for (uint32_t i = 0; i < h->wires.count; i++)
        for (int side = 1; side >= 0; side--) {
            const struct hosts_wire *w = &h->wires.at[i];
            if (!is_here(h, w->host[side]))
                continue;
            node_open(node_of(h, w->host[side]), 0, w->local[side]);
            h->world.kick(h->world.context, w->host[side]);
        }
    hosts_after(h, h->world.part);
    return 0;
}

uint32_t hosts_connections(const struct hosts *h)
{
    return h->wires.count;
}

uint32_t hosts_carrier(const struct hosts *h, uint32_t conn)
{
    return end_of(h, conn, 0)->connection;
}

struct hosts_connection hosts_connection(const struct hosts *h, uint32_t connection)
{
    return (struct hosts_connection){h->wires.at[connection].host[0], h->wires.at[connection].host[1]};
}

/* ---- the end ---- */

static void count_connection(struct hosts *h, const struct hosts_wire *w, int side)
{
    struct point_counters *c = trial_counters(h->trial);
    struct llp_stats s = {0};
    void *l;
    const struct llp *llp = node_llp(node_of(h, w->host[side]), w->local[side], &l);
    llp->statistics(l, &s);
    c->timeouts += s.timeouts;
    c->timeouts_spurious += s.timeouts_spurious;
    c->stalls += s.stalls;
    c->crc_errors += s.crc_errors;
    c->ecn_marks += s.ecn_marks;
    if (llp == &llp_packet)
        trial_packets(h->trial, packet_statistics(l));
}

/* Of the queue that had most of them out. */
static uint64_t shared_peak(const struct hosts *h, uint32_t host)
{
    uint64_t peak = IW_NEVER;
    for (uint32_t t = 0; t <= h->point->tenants; t++) {
        const struct iw_srq *srq = node_shared_receives(node_of(h, host), t);
        if (srq && (peak == IW_NEVER || iw_srq_peak(srq) > peak))
            peak = iw_srq_peak(srq);
    }
    return peak;
}

static void count_tenants(struct hosts *h, uint32_t host)
{
    const struct iw_prm *prm = node_resources(node_of(h, host));
    for (uint32_t t = 1; prm && t <= h->point->tenants; t++) {
        struct trial_tenant had = {.refused = iw_prm_refusals(prm, t)};
        for (int r = 0; r < IW_PRM_RESOURCES; r++)
            had.peak[r] = iw_prm_peak(prm, t, (enum iw_resource)r);
        trial_tenant(h->trial, t, &had);
    }
}

static void count_host(struct hosts *h, const struct node *n)
{
    struct point_counters *c = trial_counters(h->trial);
    struct node_counts counts = node_counts(n);
    c->refused += counts.refused;
    c->retransmits_needless += counts.needless;
    c->under_way += counts.inside;
}

static void count_end(struct hosts *h, uint32_t conn, int side, const struct hosts_end *e)
{
    const struct node *n = node_of(h, e->host);
    trial_endpoint(h->trial, conn, side, node_endpoint(node_of(h, e->host), e->stream),
                   node_track(n, e->stream));
    if (node_is_misled(n, e->stream))
        trial_misled(h->trial, conn, side);
}

void hosts_finish(struct hosts *h)
{
    hosts_hear_octets(h);
    bool no_memory = h->no_memory;
    for (uint32_t j = 0; j < h->wires.count; j++)
        for (int side = 0; side < 2; side++)
            if (is_here(h, h->wires.at[j].host[side]))
                count_connection(h, &h->wires.at[j], side);
    for (uint32_t i = 0; i < 2 * h->connections; i++)
        if (is_here(h, h->end[i].host))
            count_end(h, i / 2, (int)(i % 2), &h->end[i]);
    for (uint32_t i = 0; i < h->count; i++) {
        if (!is_here(h, i))
            continue;
        count_host(h, node_of(h, i));
        trial_adapter(h->trial, i, node_adapter(node_of(h, i)));
        trial_track_pool(h->trial, node_track_pool(node_of(h, i)));
        trial_receives(h->trial, h->host[i].receives, shared_peak(h, i));
        count_tenants(h, i);
        no_memory |= node_no_memory(node_of(h, i));
    }
    if (no_memory)
        trial_no_memory(h->trial);
    h->finished = true;
}

const char *hosts_leftover(const struct hosts *h, uint32_t *host)
{
    const char *left = NULL;
    for (uint32_t i = 0; i < h->count && !left; i++) {
        if (!is_here(h, i))
            continue;
        left = node_leftover(node_of(h, i));
        *host = i;
    }
    return left;
}
