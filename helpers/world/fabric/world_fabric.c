/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_fabric.c -- a trial in the packet world: model/fabric carries packets between the hosts of hosts.h. In one go, or in pieces
 * for who looks at it in between (world_fabric.h). */
#include "helpers/world/fabric/world_fabric.h"

#include <stdlib.h>

#include "fabric/fabric.h"
#include "helpers/base/arena.h"
#include "helpers/world/fabric/fabric_pcap.h"
#include "helpers/world/fabric/team.h"
#include "helpers/world/fabric/world_ahead.h"
#include "helpers/world/fabric/world_classes.h"
#include "helpers/world/fabric/world_links.h"
#include "helpers/world/hosts.h"
#include "helpers/world/network_conf.h"

enum { CIRCLE = 64 };
enum { TIMER_WORKLOAD, TIMERS };

/* What the fabric calls from one thread at a time. */
struct part {
    struct world *world;
    struct memory_arena memory;
};

struct world {
    const struct scenario_point *point;
    struct trial *trial;
    const struct world_watch *watch; /* NULL: nobody looks at packets */
    struct hosts *hosts;
    struct fabric *fabric;
    struct part *part; /* one for each part of the network; the first stands for the whole, too */
    uint32_t parts;
    struct ahead *ahead;       /* NULL: in one piece */
    struct captures *captures; /* NULL: none */
    uint64_t check;            /* when limits are looked at next */
    bool over;                 /* it has come to its end */
    bool finished;             /* nothing is told any more */
};

/* ---- what the hosts ask for ---- */

static uint64_t now_of(void *context)
{
    return fabric_now(((struct world *)context)->fabric);
}

static void kick(void *context, uint32_t host)
{
    fabric_kick(((struct world *)context)->fabric, host);
}

static void wake(void *context, uint64_t at)
{
    fabric_at(((struct world *)context)->fabric, TIMER_WORKLOAD, at);
}

static void started(void *context)
{
    struct world *w = context;
    fabric_impair(w->fabric);
}

static struct hosts_key key(void *context, uint32_t part)
{
    struct fabric_key k = fabric_key(((struct world *)context)->fabric, part);
    return (struct hosts_key){k.at, k.order, 0};
}

static void halt(void *context, uint32_t host)
{
    fabric_halt(((struct world *)context)->fabric, host);
}

/* Where there are no threads to be had, one does it all. */
static void together(void *context, uint32_t parts, team_work *work, void *of)
{
    unsigned threads = trial_threads(((struct world *)context)->trial);
    struct team *team = threads > 1 ? team_new(threads < parts ? threads : parts, work, of) : NULL;
    if (team)
        team_do(team, parts);
    for (uint32_t i = 0; !team && i < parts; i++)
        work(of, i);
    team_free(team);
}

static uint32_t part_of(void *context, uint32_t host)
{
    return fabric_part_of(((struct world *)context)->fabric, host);
}

/* Of any thread; a window that one runs ahead in tells nothing. */
static void called(void *context, uint64_t now, bool heard)
{
    struct world *w = context;
    if (heard && !fabric_is_ahead(w->fabric) && trial_over(w->trial, now))
        fabric_stop(w->fabric);
}

/* ---- what the fabric asks for ---- */

static void *more(void *user, size_t octets)
{
    struct part *p = user;
    return memory_arena_take(&p->memory, octets);
}

static void expect(void *user, uint32_t host, uint32_t connection)
{
    hosts_expect(((const struct part *)user)->world->hosts, host, connection);
}

static void timer(void *user, iw_time now, uint32_t number)
{
    struct world *w = ((struct part *)user)->world;
    (void)number;
    if (w->finished)
        return;
    hosts_wake(w->hosts);
    called(w, now, true);
}

static void port_stopped(struct world *w, iw_time now, uint32_t node, bool stopped)
{
    if (node < w->point->workload.hosts)
        hosts_paused(w->hosts, now, node, stopped);
}

/* The words of the trace. Of a packet that was trimmed its header alone can be dropped, which carries nothing. */
static const char *const losses[] = {[FABRIC_LOST] = NULL,
                                     [FABRIC_DROPPED] = "a switch's queue is full",
                                     [FABRIC_TRIMMED] = "a switch's queue is full, and its header goes on",
                                     [FABRIC_FAILED] = NETWORK_LINK_DOWN};

static bool is_loss(enum fabric_event_kind kind)
{
    return kind == FABRIC_LOST || kind == FABRIC_DROPPED || kind == FABRIC_TRIMMED || kind == FABRIC_FAILED;
}

static void on_event(void *user, const struct fabric_event *e)
{
    struct world *w = ((struct part *)user)->world;
    if (w->finished)
        return;
    if (w->watch)
        w->watch->event(w->watch->user, e);
    if (e->kind == FABRIC_PAUSED || e->kind == FABRIC_RESUMED)
        port_stopped(w, e->at, fabric_link(w->fabric, e->link).from, e->kind == FABRIC_PAUSED);
    if (is_loss(e->kind))
        hosts_lost(w->hosts, e->at, e->packet, losses[e->kind]);
    if (e->kind >= FABRIC_DOWN)
        network_tell_change(w->point, w->fabric, w->trial, e->at, e->kind, e->link);
}

/* What a host's port sends, and what arrives there; for who watches, on all links. */
static void tap(void *user, uint32_t link, enum fabric_side side, iw_time at, const struct ip_packet *packet)
{
    struct world *w = ((struct part *)user)->world;
    if (w->watch) {
        w->watch->tap(w->watch->user, link, side, at, packet);
        return;
    }
    struct hosts_connection c = hosts_connection(w->hosts, packet->connection);
    uint32_t from = packet->direction ? c.to : c.from, to = packet->direction ? c.from : c.to;
    uint32_t hosts = w->point->workload.hosts, links = fabric_host_links(w->fabric);
    bool at_host = side == FABRIC_LEAVES ? link < links : link >= links || fabric_nodes(w->fabric) == hosts;
    if (at_host && !w->finished)
        captures_write(w->captures, side == FABRIC_LEAVES ? from : to, at, packet, from, to);
}

static void watch(struct world *w)
{
    for (uint32_t i = 0; i < fabric_links(w->fabric); i++)
        fabric_tap(w->fabric, i, true);
}

static int capture(struct world *w)
{
    const char *why;
    w->captures = captures_open(trial_pcap(w->trial), w->point->workload.hosts, &why);
    if (!w->captures) {
        trial_refuse(w->trial, "%s", why);
        return -1;
    }
    for (uint32_t i = 0; i < fabric_host_links(w->fabric); i++) {
        fabric_tap(w->fabric, i, true);
        fabric_tap(w->fabric, fabric_link(w->fabric, i).reverse, true);
    }
    return 0;
}

/* ---- building ---- */

static bool make_parts(struct world *w)
{
    uint32_t most = world_parts_max(trial_threads(w->trial));
    w->part = calloc(most, sizeof *w->part);
    for (uint32_t i = 0; w->part && i < most; i++)
        w->part[i].world = w;
    w->parts = w->part ? most : 0;
    return w->part != NULL;
}

static struct fabric_conf conf_of(const struct world *w)
{
    struct fabric_conf c = network_conf_of(w->point);
    c.timers = TIMERS;
    c.more = more;
    c.timer = timer;
    bool pauses = w->point->topology.pfc.on;
    bool listens = trial_tracing(w->trial) || trial_asks_for_flows(w->trial);
    c.event = pauses || listens || w->watch ? on_event : NULL;
    c.tap = trial_pcap(w->trial) || w->watch ? tap : NULL;
    return c;
}

static int build(struct world *w)
{
    struct fabric_conf conf = conf_of(w);
    conf.connections = hosts_connections(w->hosts);
    conf.user = w->part;
    conf.expect = expect;
    const char *why = fabric_conf_error(&conf);
    if (why) {
        trial_refuse(w->trial, "the packet world refuses: %s", why);
        return -1;
    }
    void *memory = more(w->part, fabric_size(&conf));
    w->fabric = memory ? fabric_init(memory, &conf) : NULL;
    if (!w->fabric) {
        trial_refuse(w->trial, "not enough memory for the network");
        return -1;
    }
    for (uint32_t i = 0; i < w->point->workload.hosts; i++)
        fabric_attach(w->fabric, i, &hosts_table, hosts_object(w->hosts, i));
    for (uint32_t i = 0; i < conf.connections; i++) {
        struct hosts_connection c = hosts_connection(w->hosts, i);
        fabric_connect(w->fabric, i, c.from, c.to);
    }
    if (w->watch)
        watch(w);
    return trial_pcap(w->trial) ? capture(w) : 0;
}

/* ---- in parts ---- */

static bool cut_fabric(struct world *w, uint32_t parts)
{
    void **user = calloc(parts, sizeof *user);
    for (uint32_t i = 0; user && i < parts; i++)
        user[i] = &w->part[i];
    bool done = user && fabric_cut(w->fabric, parts, user) == 0 && hosts_split(w->hosts, parts, part_of);
    free(user);
    return done;
}

static int share_out(struct world *w)
{
    const char *why;
    unsigned threads = trial_threads(w->trial);
    uint32_t parts = world_parts(w->point, w->fabric, threads, &why);
    if (why && threads > 1)
        trial_remark(w->trial, "one thread runs it: %s", why);
    bool in_order = trial_tracing(w->trial) || trial_next_look(w->trial) != IW_NEVER; /* event by event */
    if (!parts || in_order)
        return 0;
    w->ahead = cut_fabric(w, parts) ? ahead_new(w->fabric, w->hosts, w->trial, parts, threads) : NULL;
    if (!w->ahead && threads > 1)
        trial_refuse(w->trial, "not enough memory, or the system gives no %u threads", threads);
    else if (!w->ahead)
        trial_refuse(w->trial, "not enough memory for the network");
    return w->ahead ? 0 : -1;
}

/* ---- running ---- */

static void end_in_deadlock(struct world *w)
{
    uint32_t links[CIRCLE];
    char text[LINKS_TEXT_MAX];
    uint32_t count = fabric_deadlock(w->fabric, links, CIRCLE);
    world_links_circle(w->point, w->fabric, links, count, text);
    trial_deadlock(w->trial, text);
}

static void name_of(void *context, uint32_t link, char name[TRIAL_NAME])
{
    const struct world *w = context;
    network_link_name(w->point, w->fabric, link, name, TRIAL_NAME);
}

static struct trial_link_now link_now(void *context, uint32_t link)
{
    struct fabric_link_now now = fabric_link_now(((struct world *)context)->fabric, link);
    return (struct trial_link_now){now.octets, now.waiting};
}

static void link_state(void *context, uint32_t link, struct hosts_link *l)
{
    struct world *w = context;
    world_links_now(w->point, w->fabric, link, l);
}

static void look(struct world *w)
{
    const struct trial_network network = {w, fabric_links(w->fabric), name_of, link_now};
    uint64_t now = fabric_now(w->fabric);
    FILE *state = trial_state(w->trial, now);
    if (state)
        world_fabric_state(w, state);
    trial_look(w->trial, now, &network);
}

/* A look sees all that happens until its instant. */
static enum fabric_end run_until(struct world *w, uint64_t until)
{
    enum fabric_end end = FABRIC_UNTIL;
    uint64_t next;
    if (w->ahead)
        return ahead_run(w->ahead, until);
    while (end == FABRIC_UNTIL && (next = trial_next_look(w->trial)) <= until) {
        end = fabric_run(w->fabric, next);
        if (end == FABRIC_UNTIL)
            look(w);
    }
    return end == FABRIC_UNTIL ? fabric_run(w->fabric, until) : end;
}

/* All that happens until then. False: it is over. */
static bool go_on(struct world *w, uint64_t until, bool check)
{
    switch (run_until(w, until)) {
    case FABRIC_UNTIL: return !check || !trial_over(w->trial, fabric_now(w->fabric));
    case FABRIC_STOPPED: return !trial_over(w->trial, fabric_now(w->fabric));
    case FABRIC_IDLE: trial_stalled(w->trial, fabric_now(w->fabric)); return false;
    case FABRIC_DEADLOCK: end_in_deadlock(w); return false;
    case FABRIC_MEMORY: trial_refuse(w->trial, "not enough memory for packets"); return false;
    case FABRIC_MISTAKE: trial_refuse(w->trial, "%s", fabric_mistake(w->fabric)); return false;
    }
    return false;
}

/* Limits are looked at in between too, always at the same times, and the last event of all is noticed. */
bool world_fabric_run(struct world *w, uint64_t until)
{
    uint64_t step = network_check_interval(w->point);
    if (!w->check) {
        w->over = trial_over(w->trial, fabric_now(w->fabric));
        w->check = step;
    }
    for (; !w->over && w->check <= until; w->check += step)
        w->over = !go_on(w, w->check, true);
    w->over = w->over || !go_on(w, until, false);
    return !w->over;
}

/* The sums of every node are 0 when what was under way at the last event has come to its end. */
static void check_leftover(struct world *w)
{
    uint64_t end = fabric_now(w->fabric) + w->point->limit.idle;
    uint32_t host;
    const char *left;
    while ((left = hosts_leftover(w->hosts, &host)) && fabric_deadline(w->fabric) <= end)
        fabric_run(w->fabric, fabric_deadline(w->fabric));
    if (left)
        trial_broken(w->trial, fabric_now(w->fabric),
                     "broken law: every arrival is placed or refused: host %u: %s", host, left);
}

static void count_pauses(const struct world *w, struct point_counters *c)
{
    bool pfc = w->point->topology.pfc.on;
    for (uint32_t i = 0; pfc && i < fabric_links(w->fabric); i++) {
        struct fabric_link_stats s = fabric_link_stats(w->fabric, i);
        c->pauses += s.pauses;
        c->paused_ps += s.paused;
    }
}

static void finish_world(struct world *w)
{
    struct point_counters *c = trial_counters(w->trial);
    struct fabric_counts counts = fabric_counts(w->fabric);
    hosts_finish(w->hosts);
    c->under_way += counts.in_flight;
    c->drops_channel = counts.lost;
    c->drops_switch = counts.dropped;
    c->trims = counts.trimmed;
    c->lost_on_failed_links = counts.failed;
    c->reroutes = counts.rerouted;
    c->events = counts.events;
    c->packet_hops = counts.hops;
    count_pauses(w, c);
    if (trial_asks_for_links(w->trial))
        world_links_tell(w->point, w->fabric, w->trial);
    if (trial_asks_for_flows(w->trial))
        world_links_paths(w->point, w->fabric, w->hosts, w->trial);
    if (w->point->topology.pfc.on && counts.dropped)
        trial_broken(w->trial, fabric_now(w->fabric), "broken law: with pfc no switch drops: %llu packets",
                     (unsigned long long)counts.dropped);
    w->finished = true;
    if (trial_went_well(w->trial))
        check_leftover(w);
}

static void free_all(struct world *w)
{
    if (w->captures && !captures_close(w->captures))
        trial_refuse(w->trial, "a capture could not be written to its end");
    ahead_free(w->ahead);
    hosts_free(w->hosts);
    for (uint32_t i = 0; i < w->parts; i++)
        memory_arena_free(&w->part[i].memory);
    free(w->part);
}

static int start_world(struct world *w)
{
    struct hosts_world offers = {.context = w,
                                 .now = now_of,
                                 .kick = kick,
                                 .wake = wake,
                                 .started = started,
                                 .called = called,
                                 .key = key,
                                 .halt = halt,
                                 .together = together};
    w->hosts = make_parts(w) ? hosts_new(w->point, w->trial, &offers) : NULL;
    int result = w->hosts ? build(w) : -1;
    if (result == 0)
        result = share_out(w);
    return result == 0 ? hosts_start(w->hosts) : result;
}

static void end_world(struct world *w)
{
    if (!trial_is_void(w->trial))
        finish_world(w);
}

int world_fabric(const struct scenario_point *point, struct trial *t)
{
    struct world w = {.point = point, .trial = t};
    if (workload_is(point->workload.kind, WORKLOAD_BARE))
        return world_classes(point, t, conf_of(&w));
    int result = start_world(&w);
    if (result == 0) {
        world_fabric_run(&w, IW_NEVER);
        end_world(&w);
    }
    free_all(&w);
    return result;
}

/* ---- in pieces ---- */

struct world *world_fabric_open(const struct scenario_point *point, struct trial *t,
                                const struct world_watch *watch)
{
    struct world *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    *w = (struct world){.point = point, .trial = t, .watch = watch};
    if (start_world(w) == 0)
        return w;
    free_all(w);
    free(w);
    return NULL;
}

uint64_t world_fabric_now(const struct world *w)
{
    return fabric_now(w->fabric);
}

void world_fabric_state(struct world *w, FILE *out)
{
    hosts_state(w->hosts, out, fabric_now(w->fabric), fabric_links(w->fabric), link_state);
}

void world_fabric_close(struct world *w)
{
    end_world(w);
    free_all(w);
    free(w);
}
