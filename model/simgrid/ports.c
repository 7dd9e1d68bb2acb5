/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simgrid/ports.h"

#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>
#include <simgrid/semaphore.h>
#include <simgrid/version.h>

#include "engine/queue.h"
#include "simgrid/shim.h"

/* ---- what is pinned ---- */

/* stack-size in KiB: so large a stack is mapped, and takes only the memory that is touched; a small one takes all of
 * its own. Flows count octets on the wire; latency is the expander's. */
#define PINNED(X)                        \
    X("network/model", "CM02")           \
    X("network/optim", "Lazy")           \
    X("network/crosstraffic", "0")       \
    X("network/bandwidth-factor", "1")   \
    X("network/latency-factor", "1e-15") \
    X("network/weight-S", "0")           \
    X("network/TCP-gamma", "0")          \
    X(PRECISION, "1e-12")                \
    X("contexts/guard-size", "0")        \
    X("contexts/stack-size", "256")      \
    X("contexts/nthreads", "1")

#if SIMGRID_VERSION >= 33400
#define PRECISION "precision/timing"
#else
#define PRECISION "surf/precision"
#endif

#define AS_TEXT(key, value) ", " key ":" value
#define AS_FLAG(key, value) "--cfg=" key ":" value,

const char *grid_ports_version(void)
{
    static char text[1024];
    int major, minor, patch;
    sg_version_get(&major, &minor, &patch);
    snprintf(text, sizeof text, "SimGrid %d.%d%s", major, minor, "" PINNED(AS_TEXT));
    return text;
}

/* What else those who compare context factories may ask for; of other words none reaches SimGrid. */
static const char *const more[] = {"--cfg=contexts/factory:boost", "--cfg=contexts/factory:raw",
                                   "--cfg=contexts/factory:thread", "--cfg=contexts/factory:ucontext",
                                   "--cfg=contexts/stack-size:512"};
enum { MORE = sizeof more / sizeof *more };

static void initialise(void)
{
    mallopt(M_MMAP_MAX, INT_MAX); /* every stack is mapped, however many there are */
    mallopt(M_MMAP_THRESHOLD, 1 << 17);
    static const char *const pinned[] = {"iwarpsim-simgrid", PINNED(AS_FLAG) "--log=root.thres:warning"};
    enum { FIXED = sizeof pinned / sizeof *pinned };
    static char *argv[FIXED + MORE + 1];
    int argc = 0;
    const char *given = getenv("IWARPSIM_SIMGRID_FLAGS");
    for (size_t i = 0; i < FIXED; i++)
        argv[argc++] = (char *)(uintptr_t)pinned[i];
    for (size_t i = 0; given && i < MORE; i++)
        if (strstr(given, more[i]))
            argv[argc++] = (char *)(uintptr_t)more[i];
    simgrid_init(&argc, argv);
}

void grid_ports_begin(void)
{
    static bool begun;
    if (!begun)
        initialise();
    begun = true;
}

/* ---- ports ---- */

struct port {
    struct grid_ports *all;
    sg_actor_t actor;
    sg_mailbox_t poked_at;
    void *word;                      /* that a poke brings: this port itself, or all of them: go home */
    struct grid_chunk *first, *last; /* to start */
    sg_comm_t *comm;                 /* comm[0] waits for a poke, the others are flows */
    struct grid_chunk **flying;
    uint32_t count, room;
    bool awake, to_poke;
};

struct grid_ports {
    struct grid_ports_conf conf;
    struct port *port;
    sg_mailbox_t *box; /* by connection and receiving side */
    uint32_t *poke, pokes;
    sg_host_t *host;
    sg_actor_t clock;
    sg_sem_t bell;
    iw_time sleeps_until;
    bool rung, stopping;
};

iw_time grid_ports_now(void)
{
    return (iw_time)llround(simgrid_get_clock() * 1e12);
}

static sg_mailbox_t box_of(struct grid_ports *p, const struct grid_chunk *chunk)
{
    const struct grid_end *to = chunk->to;
    sg_mailbox_t *box = &p->box[2 * to->conn + (uint32_t)to->side];
    if (!*box) {
        char name[32];
        snprintf(name, sizeof name, "c%u.%d", to->conn, to->side);
        *box = sg_mailbox_by_name(name);
    }
    return *box;
}

void grid_ports_fly(struct grid_ports *p, uint32_t node, struct grid_chunk *chunk)
{
    struct port *port = &p->port[node];
    QUEUE_PUT(port->first, port->last, chunk, next);
    if (!port->awake && !port->to_poke) {
        port->to_poke = true;
        p->poke[p->pokes++] = node;
    }
}

void grid_ports_stop(struct grid_ports *p)
{
    p->stopping = true;
}

/* ---- between two waits ---- */

static bool room_for_flow(struct port *port)
{
    if (port->count < port->room)
        return true;
    uint32_t room = port->room ? 2 * port->room : 2;
    sg_comm_t *comm = realloc(port->comm, (room + 1) * sizeof(sg_comm_t));
    if (comm)
        port->comm = comm;
    struct grid_chunk **flying = realloc(port->flying, room * sizeof(struct grid_chunk *));
    if (flying)
        port->flying = flying;
    if (!comm || !flying)
        return false;
    port->room = room;
    return true;
}

static void start(struct port *port, struct grid_chunk *chunk)
{
    struct grid_ports *p = port->all;
    if (!room_for_flow(port)) {
        p->conf.observer.out_of_memory(p->conf.observer.context);
        p->stopping = true;
        return;
    }
    sg_mailbox_t box = box_of(p, chunk);
    grid_mailbox_receiver(box, p->port[chunk->to->node->number].actor);
    uint32_t host = chunk->from->node->number;
    sg_comm_t comm = sg_mailbox_put_init(box, chunk, (long)chunk->octets);
    grid_platform_path(host, chunk->from->link, chunk->from->links, chunk->weight);
    grid_comm_start(comm, chunk->rate / 8);
    grid_platform_path(host, NULL, 0, 0);
    port->flying[port->count++] = chunk;
    port->comm[port->count] = comm;
}

static void start_all(struct port *port)
{
    while (port->first) {
        struct grid_chunk *chunk = port->first;
        port->first = chunk->next;
        start(port, chunk);
    }
}

/* A poke is a message of no octets: it takes no time. The clock steps aside when it would talk to its own host. */
static void poke(struct grid_ports *p, uint32_t node, bool by_clock, void *word)
{
    if (by_clock)
        sg_actor_set_host(p->clock, p->host[node ? 0 : 1]);
    sg_mailbox_put(p->port[node].poked_at, word, 0);
}

/* Of SimGrid's time and the observer's, which are rounded on their own ways. */
enum { SAME_INSTANT = 4 };

/* Flows that were asked for start now. Not yet: the observer is ahead, and the clock catches up with them first. */
static bool is_time(const struct grid_ports *p)
{
    return p->conf.observer.now(p->conf.observer.context) <= grid_ports_now() + SAME_INSTANT;
}

/* What an actor that was awake all the time found in its queue ahead of time. True: the clock must hear of it. */
static bool leave_to_the_clock(struct port *port)
{
    struct grid_ports *p = port->all;
    if (!port->first || port->to_poke || p->stopping)
        return false;
    port->to_poke = true;
    p->poke[p->pokes++] = (uint32_t)(port - p->port);
    return true;
}

static void settle_ports(struct grid_ports *p, struct port *me)
{
    bool left = false;
    if (me && !p->stopping && is_time(p))
        start_all(me);
    else if (me)
        left = leave_to_the_clock(me);
    while (p->pokes && !p->stopping && is_time(p)) {
        uint32_t node = p->poke[--p->pokes];
        p->port[node].to_poke = false;
        if (!p->port[node].awake)
            poke(p, node, !me, &p->port[node]);
    }
    if (me && !p->rung &&
        (left || p->stopping || p->conf.observer.next(p->conf.observer.context) < p->sleeps_until)) {
        p->rung = true;
        sg_sem_release(p->bell);
    }
}

/* ---- a node ---- */

static void await_poke(struct port *port)
{
    port->comm[0] = sg_mailbox_get_async(port->poked_at, &port->word);
}

static void flow_ended(struct port *port, size_t which)
{
    struct grid_ports *p = port->all;
    struct grid_chunk *chunk = port->flying[which - 1];
    port->count--;
    port->flying[which - 1] = port->flying[port->count];
    port->comm[which] = port->comm[port->count + 1];
    sg_mailbox_get(box_of(p, chunk)); /* it lies there, done */
    if (!p->stopping)
        p->conf.observer.ended(p->conf.observer.context, grid_ports_now(), chunk);
}

static void node(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct port *port = sg_actor_self_get_data();
    struct grid_ports *p = port->all;
    bool home = false;
    await_poke(port);
    while (!home || port->count) {
        settle_ports(p, port);
        if (port->first && !p->stopping && !port->to_poke)
            continue;
        port->awake = false;
        size_t which = home ? 1 + grid_comm_wait_any(port->comm + 1, port->count)
                            : grid_comm_wait_any(port->comm, port->count + 1);
        port->awake = true;
        if (which)
            flow_ended(port, which);
        else if (port->word == p)
            home = true;
        else
            await_poke(port);
    }
}

/* ---- the clock ---- */

static void wait_until(struct grid_ports *p, iw_time next)
{
    iw_time now = grid_ports_now();
    p->sleeps_until = next;
    if (next == IW_NEVER)
        sg_sem_acquire(p->bell);
    else if (next > now)
        sg_sem_acquire_timeout(p->bell, (double)(next - now) * 1e-12);
    p->rung = false;
    p->sleeps_until = 0;
}

/* Flows are to start later than it is here; until then there is none. */
static void catch_up(const struct grid_ports *p)
{
    iw_time now = grid_ports_now(), then = p->conf.observer.now(p->conf.observer.context);
    if (p->pokes && !p->stopping && then > now)
        sg_actor_sleep_for((double)(then - now) * 1e-12);
}

static void tick(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct grid_ports *p = sg_actor_self_get_data();
    const struct grid_ports_observer *observer = &p->conf.observer;
    observer->begin(observer->context);
    catch_up(p);
    settle_ports(p, NULL);
    while (!p->stopping) {
        wait_until(p, observer->next(observer->context));
        if (!p->stopping)
            observer->run(observer->context, grid_ports_now());
        catch_up(p);
        settle_ports(p, NULL);
    }
    for (uint32_t i = 0; i < p->conf.hosts; i++)
        poke(p, i, true, p);
}

/* ---- life ---- */

static bool allocate(struct grid_ports *p)
{
    uint32_t hosts = p->conf.hosts;
    p->port = calloc(hosts, sizeof *p->port);
    p->host = calloc(hosts, sizeof(sg_host_t));
    p->poke = calloc(hosts, sizeof *p->poke);
    p->box = calloc(2 * (size_t)p->conf.connections, sizeof(sg_mailbox_t));
    bool good = p->port && p->host && p->poke && p->box;
    for (uint32_t i = 0; good && i < hosts; i++)
        good = room_for_flow(&p->port[i]);
    return good;
}

struct grid_ports *grid_ports_new(const struct grid_ports_conf *conf)
{
    struct grid_ports *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->conf = *conf;
    if (!allocate(p)) {
        free(p);
        return NULL;
    }
    grid_ports_begin();
    if (conf->platform)
        grid_platform_build(conf->platform);
    p->bell = sg_sem_init(0);
    for (uint32_t i = 0; i < conf->hosts; i++)
        p->host[i] = grid_platform_host(i);
    return p;
}

void grid_ports_run(struct grid_ports *p)
{
    p->clock = sg_actor_init("clock", p->host[0]);
    sg_actor_set_data(p->clock, p);
    sg_actor_start(p->clock, tick, 0, NULL);
    for (uint32_t i = 0; i < p->conf.hosts; i++) {
        char name[32];
        struct port *port = &p->port[i];
        snprintf(name, sizeof name, "p%u", i);
        port->all = p;
        port->awake = true;
        port->poked_at = sg_mailbox_by_name(name);
        port->actor = sg_actor_init("node", p->host[i]);
        sg_actor_set_data(port->actor, port);
        sg_actor_start(port->actor, node, 0, NULL);
    }
    simgrid_run();
}
