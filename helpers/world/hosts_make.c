/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts_make.c -- nodes and connections of a trial, made from a point (hosts_inner.h). */
#include <stdlib.h>

#include "helpers/world/hosts_conf.h"
#include "helpers/world/hosts_inner.h"
#include "helpers/world/network_conf.h"

static void *more(void *user, size_t octets)
{
    const struct host *host = user;
    return memory_arena_take(&host->hosts->ahead.nodes[host->part], octets);
}

static uint32_t hosts_tenant(const struct workload_conf *w, uint32_t conn)
{
    return workload_conf_of(w, &conn)->tenant;
}

/* Connections of the workload ride together where a connection of the world has several streams: those of the same two
 * hosts, and of one tenant, fill one after the other. */
static bool share_out(struct hosts *h, uint32_t streams)
{
    const struct workload_conf *w = &h->point->workload;
    uint32_t n = h->connections, *open = calloc(n, sizeof *open);
    h->wires.at = calloc(n, sizeof *h->wires.at);
    h->wires.carried = calloc(n, sizeof *h->wires.carried);
    if (!open || !h->wires.at || !h->wires.carried) {
        free(open);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct workload_pair pair = workload_pair(w, i);
        uint32_t j = h->wires.count;
        for (uint32_t k = 0; streams > 1 && k < h->wires.count && j == h->wires.count; k++)
            if (h->wires.at[k].host[0] == pair.from && h->wires.at[k].host[1] == pair.to &&
                h->wires.at[k].tenant == hosts_tenant(w, i) && h->wires.at[k].streams < streams)
                j = k;
        if (j == h->wires.count)
            h->wires.at[h->wires.count++] =
                (struct hosts_wire){.host = {pair.from, pair.to}, .tenant = hosts_tenant(w, i)};
        open[i] = j;
        end_of(h, i, 0)->connection = end_of(h, i, 1)->connection = j;
        end_of(h, i, 0)->stream = end_of(h, i, 1)->stream = h->wires.at[j].streams++;
        end_of(h, i, 0)->host = pair.from;
        end_of(h, i, 1)->host = pair.to;
        end_of(h, i, 0)->tenant = end_of(h, i, 1)->tenant = hosts_tenant(w, i);
    }
    for (uint32_t j = 1; j < h->wires.count; j++)
        h->wires.at[j].first = h->wires.at[j - 1].first + h->wires.at[j - 1].streams;
    for (uint32_t i = 0; i < n; i++)
        h->wires.carried[h->wires.at[open[i]].first + end_of(h, i, 0)->stream] = i;
    free(open);
    return true;
}

/* An STag is known in every process. */
static bool make_elsewhere(struct host *host, const struct node_conf *conf)
{
    void *memory = more(host, iw_stags_size(conf->regions_max));
    host->tags = memory ? iw_stags_init(memory, conf->regions_max, conf->stag_key) : NULL;
    return host->tags != NULL;
}

static bool make_here(struct host *host, const struct node_conf *conf)
{
    void *memory = more(host, node_size(conf));
    host->node = memory ? node_init(memory, conf) : NULL;
    host->tags = host->node ? node_stags(host->node) : NULL;
    return host->node != NULL;
}

static bool make_node(struct hosts *h, uint32_t host, uint32_t streams, uint32_t connections)
{
    struct node_conf conf = hosts_node_conf(h->point, host, streams, connections);
    struct node_tenant tenant[POINT_TENANTS];
    hosts_tenants(h->point, tenant);
    conf.tenant = tenant;
    struct rnic_conf rnic = scenario_adapter(h->point, host);
    conf.rnic = &rnic;
    conf.memory = (struct llp_memory){more, &h->host[host]};
    conf.listener = hosts_listen;
    conf.unheard = trial_tracing(h->trial) ? 0 : ~node_kinds_of(NODE_COUNTED);
    conf.user = h;
    const char *why = node_conf_error(&conf);
    if (why) {
        trial_refuse(h->trial, "a host is refused: %s", why);
        return false;
    }
    bool here = !h->world.here || h->world.here(h->world.context, host);
    bool made = here ? make_here(&h->host[host], &conf) : make_elsewhere(&h->host[host], &conf);
    if (!made)
        trial_no_memory(h->trial);
    return made;
}

static bool make_nodes(struct hosts *h)
{
    uint32_t *streams = calloc(2 * (size_t)h->count, sizeof *streams), *connections = streams + h->count;
    bool made = streams != NULL;
    for (uint32_t j = 0; made && j < h->wires.count; j++)
        for (int side = 0; side < 2; side++) {
            streams[h->wires.at[j].host[side]] += h->wires.at[j].streams;
            connections[h->wires.at[j].host[side]]++;
        }
    for (uint32_t i = 0; made && i < h->count; i++)
        made = make_node(h, i, streams[i], connections[i]);
    free(streams);
    return made;
}

enum { STREAMS_MAX = 4096, HEARS_NOTHING = 4 /* segments remembered */ };

static bool hears(const struct hosts *h, const struct hosts_wire *w, int side)
{
    bool any = false;
    for (uint32_t i = 0; i < w->streams; i++)
        any |= workload_hears(&h->point->workload, h->wires.carried[w->first + i], side);
    return any;
}

static bool make_end(struct hosts *h, const struct factory *f, uint32_t number, int side)
{
    struct hosts_wire *w = &h->wires.at[number];
    struct factory_end end = hosts_end(h->point, number, side, w->host[0], w->host[1]);
    uint64_t user[STREAMS_MAX];
    uint32_t first;
    const char *why;
    for (uint32_t i = 0; i < w->streams; i++)
        user[i] = 2 * (uint64_t)h->wires.carried[w->first + i] + (unsigned)side;
    end.streams = (uint16_t)w->streams;
    struct node_connection_conf c = factory_connection(f, &end);
    c.user = user;
    c.tenant = w->tenant;
    c.ep.stream = workload_stream(h->wires.carried[w->first]);
    if (!hears(h, w, side))
        c.ep.reorder_max = HEARS_NOTHING;
    int result = node_connect(node_of(h, w->host[side]), &c, &w->local[side], &first, &why);
    if (result == IW_EFULL)
        trial_no_memory(h->trial);
    else if (result != IW_OK)
        trial_refuse(h->trial, "a connection is refused: %s", why);
    if (result != IW_OK)
        return false;
    for (uint32_t i = 0; i < w->streams; i++)
        end_of(h, h->wires.carried[w->first + i], side)->stream = first + i;
    return true;
}

static void watch(struct hosts *h, uint32_t conn, int side)
{
    const struct hosts_end *e = end_of(h, conn, side);
    const struct node *n = node_of(h, e->host);
    void *l;
    const struct llp *llp = node_llp(n, h->wires.at[e->connection].local[side], &l);
    trial_watch(h->trial, conn, side, node_adapter(n), llp, l);
}

/* One factory for each workload, in their order. */
static const struct factory *factory_of(const struct hosts *h, const struct factory *f, uint32_t wire)
{
    const struct workload_conf *w = &h->point->workload;
    return f + (w->parts ? workload_part_of(w, h->wires.carried[h->wires.at[wire].first]) : 0);
}

static void make_factories(const struct scenario_point *p, struct factory f[POINT_LOADS])
{
    hosts_factory(p, &f[0]);
    for (uint32_t i = 0; i < p->loads; i++)
        hosts_factory_of(p, i, &f[i]);
}

static bool make_connections(struct hosts *h)
{
    struct factory f[POINT_LOADS];
    make_factories(h->point, f);
    for (uint32_t j = 0; j < h->wires.count; j++)
        for (int side = 0; side < 2; side++)
            if (is_here(h, h->wires.at[j].host[side]) && !make_end(h, factory_of(h, f, j), j, side))
                return false;
    for (uint32_t i = 0; i < 2 * h->connections; i++)
        if (is_here(h, h->end[i].host)) {
            watch(h, i / 2, (int)(i % 2));
            h->set_up.ends_here++;
        }
    return true;
}

struct hosts *hosts_new(const struct scenario_point *point, struct trial *trial,
                        const struct hosts_world *world)
{
    struct hosts *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->point = point;
    h->packet_head = network_conf_of(point).packet_head;
    h->trial = trial;
    h->world = *world;
    h->counts_sent = trial_counts_sent(trial);
    h->count = point->workload.hosts;
    h->connections = workload_connections(&point->workload);
    h->host = calloc(h->count, sizeof *h->host);
    h->end = calloc(2 * (size_t)h->connections, sizeof *h->end);
    struct hosts_ahead *a = &h->ahead;
    a->parts = world->parts ? world->parts : 1;
    a->on = world->parts; /* in several processes all that is told is heard later */
    a->nodes = calloc(a->parts, sizeof *a->nodes);
    a->log = calloc(a->parts, sizeof *a->log);
    for (uint32_t i = 0; h->host && i < h->count; i++)
        h->host[i] = (struct host){.hosts = h, .part = world->part};
    bool made = h->host && h->end && a->nodes && a->log &&
                share_out(h, point->llp.kind == LLP_SCTP ? point->llp.streams : 1) && make_nodes(h) &&
                make_connections(h);
    if (made)
        return h;
    trial_refuse(trial, "not enough memory for the hosts");
    hosts_free(h);
    return NULL;
}

void hosts_free(struct hosts *h)
{
    if (!h)
        return;
    struct hosts_ahead *a = &h->ahead;
    for (uint32_t i = 0; a->nodes && i < a->parts; i++)
        memory_arena_free(&a->nodes[i]);
    for (uint32_t i = 0; a->log && i < a->parts; i++)
        event_log_free(&a->log[i]);
    for (uint32_t i = 0; a->placed && i < a->parts; i++)
        free(a->placed[i].at);
    free(a->nodes);
    free(a->log);
    free(a->placed);
    free(a->deferred);
    free(a->listed);
    free(h->ranks.packed.at);
    message_memory_free(&h->memory);
    free(h->host);
    free(h->end);
    free(h->wires.at);
    free(h->wires.carried);
    free(h->reported.events.at);
    free(h->reported.pulled);
    free(h);
}
