/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts.c -- what the workload asks of nodes, a world's calls into them, the start and the end (hosts.h). */
#include "helpers/world/hosts_inner.h"
#include "llp/packet.h"
#include "llp/security.h"

/* ---- what the workload asks for ---- */

static int offer_memory(void *context, uint32_t host, struct iw_region *region, iw_stag *stag)
{
    struct hosts *h = context;
    if (!message_memory_offer(&h->memory, h->point, h->trial, region))
        return IW_EFULL;
    return iw_register(h->tags[host], region, stag);
}

static int offer_rebind(void *context, uint32_t host, iw_stag stag, const struct iw_region *region)
{
    struct hosts *h = context;
    return iw_rebind(h->tags[host], stag, region);
}

/* Before the start: what is posted later has been taken back. */
static void count_receive(struct hosts *h, uint32_t host, const struct iw_work *work)
{
    if (h->state == SETTING_UP && work->op == IW_RECV && work->sges)
        h->receives[host] += work->sge[0].len;
}

/* Something was done to a host here. */
static int acted(struct hosts *h, uint32_t host, int result)
{
    h->parted |= result != IW_OK;
    h->world.kick(h->world.context, host);
    return result;
}

static int offer_post(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    struct hosts *h = context;
    const struct end *e = end_of(h, conn, side);
    if (!is_here(h, e->host))
        return IW_OK;
    count_receive(h, e->host, work);
    return acted(h, e->host, node_post(h->node[e->host], now, e->stream, work));
}

static int offer_post_shared(void *context, uint64_t now, uint32_t host, const struct iw_work *work)
{
    struct hosts *h = context;
    if (!is_here(h, host))
        return IW_OK;
    count_receive(h, host, work);
    return acted(h, host, node_post_shared(h->node[host], now, work));
}

static void offer_wake(void *context, uint64_t at)
{
    struct hosts *h = context;
    h->world.wake(h->world.context, at);
}

static void lose(struct hosts *h, uint64_t now, uint32_t connection)
{
    const struct wire *w = &h->wire[connection];
    for (int side = 0; side < 2; side++) {
        if (!is_here(h, w->host[side]))
            continue;
        node_lose(h->node[w->host[side]], now, w->local[side]);
        h->world.kick(h->world.context, w->host[side]);
    }
}

static int offer_inject(void *context, uint64_t now, uint32_t conn, int side,
                        const struct workload_wrong *wrong)
{
    static const enum llp_wrong how[] = {
        [WRONG_ULPDU] = LLP_RIGHT, [WRONG_CRC] = LLP_WRONG_CRC, [WRONG_MARKER] = LLP_WRONG_MARKER};
    struct hosts *h = context;
    const struct end *e = end_of(h, conn, side);
    struct node *n = h->node[e->host];
    if (wrong->kind == WRONG_LOST)
        lose(h, now, e->connection);
    if (wrong->kind == WRONG_LOST || !n)
        return IW_OK;
    if (wrong->kind == WRONG_TERMINATE)
        return acted(h, e->host, node_terminate(n, now, e->stream, wrong->term));
    return acted(h, e->host, node_inject(n, now, e->stream, how[wrong->kind], wrong->ulpdu, wrong->len));
}

/* ---- a node's calls ---- */

static void begin(struct hosts *h);

static void fetch_completions(struct hosts *h, struct hosts_ear *r)
{
    for (; r->asked < r->whole_count; r->asked++) {
        const struct node_event *e = &r->whole[r->asked].e;
        struct iw_done done;
        if (e->kind != NODE_COMPLETED || !node_poll(h->node[end_of(h, conn_of(e), side_of(e))->host], &done))
            continue;
        r->whole[r->asked].done = done; /* the list may have moved */
        r->whole[r->asked].fetched = true;
    }
}

void hosts_after(struct hosts *h, uint32_t part)
{
    if (h->ahead)
        fetch_completions(h, &h->ear[part]);
    else {
        for (size_t i = 0; i < h->told_count; i++) {
            struct told x = h->told[i]; /* the list may grow, and move */
            hosts_tell(h, &x);
        }
        h->told_count = 0;
    }
    if (h->state == SETTING_UP && h->up == 2 * h->connections)
        begin(h);
}

static void after(struct hosts *h, uint32_t host)
{
    hosts_after(h, h->pocket[host].part);
}

bool hosts_transmit(struct hosts *h, uint32_t host, uint64_t now, struct ip_packet *packet)
{
    bool some = node_transmit(h->node[host], now, packet);
    after(h, host);
    return some;
}

void hosts_expect(const struct hosts *h, uint32_t host)
{
    node_expect(h->node[host]);
}

void hosts_arrive(struct hosts *h, uint32_t host, uint64_t now, const struct ip_packet *packet)
{
    node_arrive(h->node[host], now, h->wire[packet->connection].local[!packet->direction], packet);
    after(h, host);
}

uint64_t hosts_deadline(const struct hosts *h, uint32_t host)
{
    return node_deadline(h->node[host]);
}

void hosts_expire(struct hosts *h, uint32_t host, uint64_t now)
{
    node_expire(h->node[host], now);
    after(h, host);
}

void hosts_lost(struct hosts *h, uint64_t now, const struct ip_packet *packet, const char *why)
{
    const struct wire *w = &h->wire[packet->connection];
    struct ip_packet opened = *packet;
    struct llp_unit unit = {0};
    void *l;
    const struct llp *llp = node_llp(h->node[w->host[!packet->direction]], w->local[!packet->direction], &l);
    security_open(&opened);
    llp->peek(l, &opened, &unit);
    if (unit.octets && unit.stream < w->streams)
        trial_note(h->trial, now, h->carried[w->first + unit.stream], packet->direction, "lost", unit.key,
                   unit.end, unit.octets, why);
}

/* ---- starting ---- */

uint64_t hosts_ready_from(const struct hosts *h, uint64_t now)
{
    now = h->others_ready > now ? h->others_ready : now;
    for (uint32_t i = 0; i < h->count; i++) {
        uint64_t free = is_here(h, i) ? rnic_cpu_free(node_adapter(h->node[i])) : 0;
        now = free > now ? free : now;
    }
    return now;
}

/* Receives were posted: the ULPs start when the CPUs have done with it. */
static void begin(struct hosts *h)
{
    h->state = ABOUT_TO_START;
    if (h->world.started)
        h->world.started(h->world.context);
    h->world.wake(h->world.context, hosts_ready_from(h, h->world.now(h->world.context)));
}

void hosts_wake(struct hosts *h)
{
    uint64_t now = h->world.now(h->world.context);
    h->world.wake(h->world.context, IW_NEVER);
    if (h->state == RUNNING)
        trial_wake(h->trial, now);
    else
        trial_start(h->trial, now);
    h->state = RUNNING;
    hosts_after(h, h->world.part);
}

int hosts_start(struct hosts *h)
{
    struct workload_world offers = {h,          offer_memory, offer_rebind,     offer_post,
                                    offer_wake, offer_inject, offer_post_shared};
    hosts_after(h, h->world.part); /* windows were offered when the connections were made */
    if (trial_prepare(h->trial, &offers) != IW_OK)
        return -1;
    for (uint32_t i = 0; i < h->wires; i++)
        for (int side = 1; side >= 0; side--) {
            const struct wire *w = &h->wire[i];
            if (!is_here(h, w->host[side]))
                continue;
            node_open(h->node[w->host[side]], 0, w->local[side]);
            h->world.kick(h->world.context, w->host[side]);
        }
    hosts_after(h, h->world.part);
    return 0;
}

uint32_t hosts_connections(const struct hosts *h)
{
    return h->wires;
}

struct hosts_connection hosts_connection(const struct hosts *h, uint32_t connection)
{
    return (struct hosts_connection){h->wire[connection].host[0], h->wire[connection].host[1]};
}

/* ---- the end ---- */

static void count_connection(struct hosts *h, const struct wire *w, int side)
{
    struct trial_counters *c = trial_counters(h->trial);
    struct llp_stats s = {0};
    void *l;
    const struct llp *llp = node_llp(h->node[w->host[side]], w->local[side], &l);
    llp->statistics(l, &s);
    c->timeouts += s.timeouts;
    c->timeouts_spurious += s.timeouts_spurious;
    c->stalls += s.stalls;
    c->crc_errors += s.crc_errors;
    c->ecn_marks += s.ecn_marks;
    if (llp == &llp_packet)
        trial_packets(h->trial, packet_statistics(l));
}

void hosts_finish(struct hosts *h)
{
    bool no_memory = h->no_memory;
    for (uint32_t j = 0; j < h->wires; j++)
        for (int side = 0; side < 2; side++)
            if (is_here(h, h->wire[j].host[side]))
                count_connection(h, &h->wire[j], side);
    for (uint32_t i = 0; i < 2 * h->connections; i++)
        if (is_here(h, h->end[i].host))
            trial_endpoint(h->trial, i / 2, (int)(i % 2),
                           node_endpoint(h->node[h->end[i].host], h->end[i].stream));
    for (uint32_t i = 0; i < h->count; i++) {
        if (!is_here(h, i))
            continue;
        trial_adapter(h->trial, i, node_adapter(h->node[i]));
        const struct iw_srq *srq = node_shared_receives(h->node[i]);
        trial_receives(h->trial, h->receives[i], srq ? iw_srq_peak(srq) : IW_NEVER);
        no_memory |= node_no_memory(h->node[i]);
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
        left = node_leftover(h->node[i]);
        *host = i;
    }
    return left;
}
