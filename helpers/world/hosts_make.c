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
        struct workload_pair pair = {trial_host(h->trial, i, 0), trial_host(h->trial, i, 1)};
        uint32_t j = h->wires.count;
        for (uint32_t k = 0; streams > 1 && k < h->wires.count && j == h->wires.count; k++)
            if (h->wires.at[k].host[0] == pair.from && h->wires.at[k].host[1] == pair.to &&
                h->wires.at[k].tenant == hosts_tenant(w, i) && h->wires.at[k].streams < streams)
                j = k;
        if (j == h->wires.count) {
            h->wires.at[h->wires.count++] =
                (struct hosts_wire){.host = {pair.from, pair.to}, .tenant = hosts_tenant(w, i)};
            h->host[pair.from].connections++;
            h->host[pair.to].connections++;
        }
        open[i] = j;
        end_of(h, i, 0)->connection = end_of(h, i, 1)->connection = j;
        end_of(h, i, 0)->stream = end_of(h, i, 1)->stream = h->wires.at[j].streams++;
        end_of(h, i, 0)->host = pair.from;
        end_of(h, i, 1)->host = pair.to;
        end_of(h, i, 0)->tenant = end_of(h, i, 1)->tenant = hosts_tenant(w, i);
        h->host[pair.from].streams++;
        h->host[pair.to].streams++;
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

/* ---- what is made of a part, on whatever thread ---- */

struct making {
    struct hosts *hosts;
    struct factory factory[POINT_LOADS]; /* one for each workload, in their order */
};

static const char no_memory[] = "no memory";

static void make_node(struct hosts *h, uint32_t number)
{
    struct host *host = &h->host[number];
    struct node_conf conf = hosts_node_conf(h->point, number, host->streams, host->connections);
    struct node_tenant tenant[POINT_TENANTS];
    hosts_tenants(h->point, tenant);
    conf.tenant = tenant;
    struct rnic_conf rnic = scenario_adapter(h->point, number);
    conf.rnic = &rnic;
    conf.memory = (struct llp_memory){more, host};
    conf.listener = hosts_listen;
    conf.unheard = trial_tracing(h->trial) ? 0 : ~node_kinds_of(NODE_COUNTED);
    conf.user = h;
    host->refused = node_conf_error(&conf);
    bool here = !h->world.here || h->world.here(h->world.context, number);
    if (!host->refused && !(here ? make_here(host, &conf) : make_elsewhere(host, &conf)))
        host->refused = no_memory;
}

enum { STREAMS_MAX = 4096, HEARS_NOTHING = 4 /* segments remembered */ };

static bool hears(const struct hosts *h, const struct hosts_wire *w, int side)
{
    bool any = false;
    for (uint32_t i = 0; i < w->streams; i++)
        any |= workload_hears(&h->point->workload, h->wires.carried[w->first + i], side);
    return any;
}

static void watch(struct hosts *h, uint32_t conn, int side)
{
    const struct hosts_end *e = end_of(h, conn, side);
    const struct node *n = node_of(h, e->host);
    void *l;
    const struct llp *llp = node_llp(n, h->wires.at[e->connection].local[side], &l);
    trial_watch(h->trial, conn, side, node_adapter(n), llp, l);
}

static void make_end(struct making *m, uint32_t number, int side)
{
    struct hosts *h = m->hosts;
    struct hosts_wire *w = &h->wires.at[number];
    const uint32_t *carried = h->wires.carried + w->first;
    const struct workload_conf *workload = &h->point->workload;
    struct factory_end end = hosts_end(h->point, number, side, w->host[0], w->host[1]);
    uint64_t user[STREAMS_MAX];
    uint32_t first;
    const char *why;
    for (uint32_t i = 0; i < w->streams; i++)
        user[i] = 2 * (uint64_t)carried[i] + (unsigned)side;
    end.streams = (uint16_t)w->streams;
    struct node_connection_conf c =
        factory_connection(m->factory + (workload->parts ? workload_part_of(workload, *carried) : 0), &end);
    c.user = user;
    c.tenant = w->tenant;
    c.ep.stream = workload_stream(*carried);
    if (!hears(h, w, side))
        c.ep.reorder_max = HEARS_NOTHING;
    int result = node_connect(node_of(h, w->host[side]), &c, &w->local[side], &first, &why);
    if (result != IW_OK) {
        h->host[w->host[side]].refused = result == IW_EFULL ? no_memory : why;
        return;
    }
    for (uint32_t i = 0; i < w->streams; i++) {
        end_of(h, carried[i], side)->stream = first + i;
        watch(h, carried[i], side);
    }
}

static void make_part(void *making, uint32_t part)
{
    struct making *m = making;
    struct hosts *h = m->hosts;
    for (uint32_t i = 0; i < h->count; i++)
        if (h->host[i].part == part)
            make_node(h, i);
    for (uint32_t end = 0; end < 2 * h->wires.count; end++) {
        uint32_t host = h->wires.at[end / 2].host[end % 2];
        if (h->host[host].part == part && is_here(h, host) && !h->host[host].refused)
            make_end(m, end / 2, (int)(end % 2));
    }
}

/* Of the first host that was refused, or a connection of it; true: none was. */
static bool tell_refusal(struct hosts *h)
{
    const struct host *first = h->host, *end = h->host + h->count;
    while (first != end && !first->refused)
        first++;
    if (first != end && first->refused == no_memory) {
        trial_no_memory(h->trial);
        trial_refuse(h->trial, "not enough memory for the hosts");
    } else if (first != end)
        trial_refuse(h->trial, "a %s is refused: %s", first->node ? "connection" : "host", first->refused);
    return first == end;
}

/* What parts tell meanwhile they count. */
bool hosts_make(struct hosts *h)
{
    struct hosts_ahead *a = &h->ahead;
    struct making m = {.hosts = h};
    bool alone = a->parts == 1 || h->world.parts;
    hosts_factory(h->point, &m.factory[0]);
    for (uint32_t i = 0; i < h->point->loads; i++)
        hosts_factory_of(h->point, i, &m.factory[i]);
    a->on |= !alone;
    if (alone)
        make_part(&m, h->world.part);
    else
        h->world.together(h->world.context, a->parts, make_part, &m);
    a->on &= alone;
    for (uint32_t i = 0; i < 2 * h->connections; i++)
        h->set_up.ends_here += is_here(h, h->end[i].host);
    return tell_refusal(h);
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
                share_out(h, point->llp.kind == LLP_SCTP ? point->llp.streams : 1);
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
