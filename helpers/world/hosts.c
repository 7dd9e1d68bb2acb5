/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts.c -- nodes made from a point, and what happens at them told to the trial (hosts.h). */
#include "helpers/world/hosts.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/arena.h"
#include "helpers/scenario/scenario.h"
#include "helpers/world/hosts_conf.h"
#include "helpers/world/hosts_ear.h"
#include "helpers/world/message_memory.h"
#include "llp/security.h"

struct end {
    uint32_t host, connection; /* of the world */
    uint32_t stream;           /* of the node */
};

struct wire {
    uint32_t host[2];
    uint32_t local[2];       /* number of the connection at either node */
    uint32_t first, streams; /* of the list of the workload's connections */
};

struct pocket {
    struct hosts *hosts;
    uint32_t part;
};

struct hosts {
    const struct scenario_point *point;
    struct trial *trial;
    struct hosts_world world;
    uint32_t count;
    struct node **node;
    uint32_t connections; /* of the workload */
    struct end *end;      /* 2 x connection + side */
    uint32_t wires;
    struct wire *wire;
    uint32_t *carried; /* connections of the workload, in the order of the wires that carry them */
    uint32_t up;       /* ends that are */
    enum { SETTING_UP, ABOUT_TO_START, RUNNING } state;
    bool failed, finished;
    struct told *told;
    size_t told_count, told_room;
    bool no_memory;
    struct memory_arena *nodes; /* by part */
    struct pocket *pocket;      /* by host: where its memory comes from */
    struct hosts_ear *ear;      /* by part */
    uint32_t parts, witness;
    bool ahead;
    uint32_t *hanging,
        hangs;            /* split: connections that hung when they completed something, and may no longer */
    bool *listed;         /* by connection: in `hanging` */
    struct octets packed; /* several processes: what the others are told */
    struct heard *replayed;
    size_t replayed_room, asked_for; /* asked_for: of what was kept whole, whose completions were fetched */
    uint64_t others_ready;
    uint32_t ends_here, up_here;
    bool parted;
    struct iw_stags **elsewhere; /* by host */
    struct message_memory memory;
    uint64_t *receives; /* by host: octets of the buffers posted */
};

static struct end *end_of(const struct hosts *h, uint32_t conn, int side)
{
    return &h->end[2 * (size_t)conn + (size_t)side];
}

static void *more(void *user, size_t octets)
{
    const struct pocket *p = user;
    return memory_arena_take(&p->hosts->nodes[p->hosts->world.ranks ? 0 : p->part], octets);
}

/* ---- of several processes ---- */

static bool is_here(const struct hosts *h, uint32_t host)
{
    return !h->world.ranks || h->world.here(h->world.context, host);
}

/* An STag is known in every process: of a host elsewhere by a table that is like the host's own. */
static struct iw_stags *stags_of(const struct hosts *h, uint32_t host)
{
    return is_here(h, host) ? node_stags(h->node[host]) : h->elsewhere[host];
}

/* What a process does to a host here goes well, or not everybody knows. */
static int known(struct hosts *h, int result)
{
    h->parted |= h->world.ranks && result != IW_OK;
    return result;
}

/* ---- what the workload asks for ---- */

static int offer_memory(void *context, uint32_t host, struct iw_region *region, iw_stag *stag)
{
    struct hosts *h = context;
    if (!message_memory_offer(&h->memory, h->point, h->trial, region))
        return IW_EFULL;
    return iw_register(stags_of(h, host), region, stag);
}

static int offer_rebind(void *context, uint32_t host, iw_stag stag, const struct iw_region *region)
{
    struct hosts *h = context;
    return iw_rebind(stags_of(h, host), stag, region);
}

static int offer_invalidate(void *context, uint32_t host, iw_stag stag)
{
    struct hosts *h = context;
    return iw_invalidate(stags_of(h, host), stag);
}

/* Before the start: what is posted later has been taken back. */
static void count_receive(struct hosts *h, uint32_t host, const struct iw_work *work)
{
    if (h->state == SETTING_UP && work->op == IW_RECV && work->sges)
        h->receives[host] += work->sge[0].len;
}

static int offer_post(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    struct hosts *h = context;
    const struct end *e = end_of(h, conn, side);
    if (!is_here(h, e->host))
        return IW_OK;
    count_receive(h, e->host, work);
    int result = known(h, node_post(h->node[e->host], now, e->stream, work));
    h->world.kick(h->world.context, e->host);
    return result;
}

static int offer_post_shared(void *context, uint64_t now, uint32_t host, const struct iw_work *work)
{
    struct hosts *h = context;
    if (!is_here(h, host))
        return IW_OK;
    count_receive(h, host, work);
    int result = known(h, node_post_shared(h->node[host], now, work));
    h->world.kick(h->world.context, host);
    return result;
}

static int offer_close(void *context, uint64_t now, uint32_t conn, int side, enum iw_close_how how)
{
    struct hosts *h = context;
    const struct end *e = end_of(h, conn, side);
    if (!is_here(h, e->host))
        return IW_OK;
    int result = known(h, node_close(h->node[e->host], now, e->stream, how));
    h->world.kick(h->world.context, e->host);
    return result;
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
    int result = IW_OK;
    if (wrong->kind == WRONG_LOST)
        lose(h, now, e->connection);
    if (wrong->kind == WRONG_LOST || !is_here(h, e->host))
        return IW_OK;
    if (wrong->kind == WRONG_TERMINATE)
        result = node_terminate(n, now, e->stream, wrong->term);
    else
        result = node_inject(n, now, e->stream, how[wrong->kind], wrong->ulpdu, wrong->len);
    h->world.kick(h->world.context, e->host);
    return known(h, result);
}

/* ---- what happens: at once, for counters and trace ---- */

static uint32_t conn_of(const struct node_event *e)
{
    return (uint32_t)(e->user / 2);
}

static int side_of(const struct node_event *e)
{
    return (int)(e->user % 2);
}

static void note(struct hosts *h, const struct node_event *e)
{
    static const char *const names[NODE_EVENTS] = {
        [NODE_SENT] = "left",         [NODE_ARRIVED] = "landed",  [NODE_DROPPED] = "refused",
        [NODE_KEPT] = "kept",         [NODE_TIMEOUT] = "timeout", [NODE_STALLED] = "stalled",
        [NODE_SPURIOUS] = "spurious", [NODE_UNDONE] = "undone",   [NODE_PROBED] = "probed"};
    bool staging = e->kind == NODE_DROPPED && strcmp(e->why, "staging") == 0;
    const char *name = staging ? "dropped" : names[e->kind];
    const char *text = e->kind == NODE_TIMEOUT && e->spurious ? "nothing was lost" : NULL;
    if (e->altered)
        text = "altered on the way";
    uint32_t len = e->len ? e->len : (uint32_t)(e->end - e->key);
    if (name)
        trial_note(h->trial, e->t, conn_of(e), side_of(e), name, e->key, e->kind == NODE_KEPT ? 0 : e->end,
                   e->kind == NODE_KEPT ? 0 : len, text);
}

static const enum trial_bound bounds[NODE_BOUNDS] = {[NODE_BY_WINDOW] = BOUND_WINDOW,
                                                     [NODE_BY_CONGESTION] = BOUND_CONGESTION,
                                                     [NODE_BY_SEND_BUFFER] = BOUND_SEND_BUFFER,
                                                     [NODE_BY_DEPTH] = BOUND_DEPTH,
                                                     [NODE_BY_ORD] = BOUND_ORD,
                                                     [NODE_BY_FLIGHT] = BOUND_FLIGHT,
                                                     [NODE_BY_TRACK] = BOUND_TRACK,
                                                     [NODE_BY_ADAPTER] = BOUND_ADAPTER,
                                                     [NODE_BY_LINE] = BOUND_LINE,
                                                     [NODE_BY_NOTHING] = BOUND_IDLE};

static void at_once(struct hosts *h, const struct node_event *e)
{
    struct trial *t = h->trial;
    struct trial_counters *c = trial_counters(t);
    switch (e->kind) {
    case NODE_PULLED: trial_sent(t, e->t, conn_of(e), side_of(e), e->seg); break;
    case NODE_RETRANSMITTED:
        trial_resent(t, e->t, conn_of(e), side_of(e), e->key, e->end,
                     e->reason ? llp_reason_names[e->reason] : NULL);
        break;
    case NODE_SPURIOUS: c->retransmits_spurious++; break;
    case NODE_TAKEN:
        c->segments_late += e->late && e->in_order;
        trial_arrived(t, e->t, conn_of(e), side_of(e), e->key, e->len, !e->in_order);
        break;
    case NODE_WINDOW: trial_window(t, e->t, conn_of(e), side_of(e), e->key, e->edge - e->key); break;
    case NODE_BOUND: trial_bound(t, e->t, conn_of(e), side_of(e), bounds[e->bound]); break;
    default: break;
    }
    if (trial_tracing(t))
        note(h, e);
}

/* ---- what happens: when the node has returned, for the workload ---- */

static struct told *new_told(struct hosts *h)
{
    if (h->told_count == h->told_room) {
        size_t room = h->told_room ? 2 * h->told_room : 64;
        struct told *list = realloc(h->told, room * sizeof *list);
        if (!list) {
            h->no_memory = true;
            return NULL;
        }
        h->told = list;
        h->told_room = room;
    }
    return &h->told[h->told_count++];
}

/* A trace tells everything in its order. */
static bool is_for_later(const struct hosts *h, enum node_event_kind kind)
{
    static const bool later[NODE_EVENTS] = {
        [NODE_PLACED] = true, [NODE_DELIVERED] = true, [NODE_EDGE] = true, [NODE_COMPLETED] = true,
        [NODE_CLOSED] = true, [NODE_ENDPOINT] = true,  [NODE_UP] = true,   [NODE_FAILED] = true};
    return later[kind] || trial_tracing(h->trial);
}

/* What the workload may act upon; of a PLACED only those do that cannot run ahead. */
static bool is_acted_upon(enum node_event_kind kind)
{
    static const bool acted[NODE_EVENTS] = {
        [NODE_DELIVERED] = true, [NODE_COMPLETED] = true, [NODE_CLOSED] = true,
        [NODE_ENDPOINT] = true,  [NODE_UP] = true,        [NODE_FAILED] = true};
    return acted[kind];
}

/* What nobody counts is not kept. */
static bool is_counted(enum node_event_kind kind)
{
    static const bool counted[NODE_EVENTS] = {
        [NODE_PULLED] = true, [NODE_RETRANSMITTED] = true, [NODE_SPURIOUS] = true,
        [NODE_TAKEN] = true,  [NODE_WINDOW] = true,        [NODE_BOUND] = true};
    return counted[kind];
}

static void hear(struct hosts *h, const struct node_event *e)
{
    uint32_t host = end_of(h, conn_of(e), side_of(e))->host, part = h->pocket[host].part;
    bool kept = hosts_ear_hear(&h->ear[part], h->world.key(h->world.context, part), e);
    bool elsewhere_too = h->world.ranks && !workload_runs_ahead(&h->point->workload);
    if (!kept || !(is_acted_upon(e->kind) || (elsewhere_too && e->kind == NODE_PLACED)))
        return;
    hosts_ear_halted(&h->ear[part], host);
    h->world.halt(h->world.context, host);
}

static void on_node(void *user, const struct node_event *e)
{
    struct hosts *h = user;
    if (h->finished)
        return;
    if (h->ahead) {
        if (is_counted(e->kind) || is_for_later(h, e->kind))
            hear(h, e);
        return;
    }
    if (!is_for_later(h, e->kind)) {
        at_once(h, e);
        return;
    }
    struct told *t = new_told(h);
    if (!t)
        return;
    told_copy(t, e);
}

static void has_failed(struct hosts *h, uint64_t now, uint32_t conn)
{
    if (!h->failed && h->state == SETTING_UP)
        trial_broken(h->trial, now, "connection %u: set-up failed", conn);
    h->failed = true;
}

/* A connection begins to hang in no other way. */
static void done_with(struct hosts *h, uint64_t now, const struct iw_done *done)
{
    uint32_t conn = (uint32_t)(done->user / 2);
    trial_done(h->trial, now, conn, (int)(done->user % 2), done);
    if (!h->listed || h->listed[conn] || !trial_hangs(h->trial, conn))
        return;
    h->listed[conn] = true;
    h->hanging[h->hangs++] = conn;
}

/* One for each that is told: what the next one completes may not have been told yet. */
static void poll(struct hosts *h, uint64_t now, uint32_t host)
{
    struct iw_done done;
    if (node_poll(h->node[host], &done))
        done_with(h, now, &done);
}

static void completed(struct hosts *h, const struct told *x)
{
    if (x->fetched)
        done_with(h, x->e.t, &x->done);
    else if (!h->world.ranks)
        poll(h, x->e.t, end_of(h, conn_of(&x->e), side_of(&x->e))->host);
}

static void is_up(struct hosts *h, const struct node_event *e)
{
    h->up++;
    h->up_here += is_here(h, end_of(h, conn_of(e), side_of(e))->host);
}

static void tell(struct hosts *h, struct told *x)
{
    struct trial *t = h->trial;
    struct node_event *e = &x->e;
    e->seg = e->seg ? &x->seg : NULL;
    switch (e->kind) {
    case NODE_PLACED: trial_placed(t, e->t, conn_of(e), side_of(e), e->key, &x->place, !e->in_order); break;
    case NODE_DELIVERED: trial_delivered(t, e->t, conn_of(e), side_of(e), &x->message); break;
    case NODE_EDGE: trial_edge(t, e->t, conn_of(e), side_of(e), e->key); break;
    case NODE_ENDPOINT: trial_event(t, e->t, conn_of(e), side_of(e), &x->event); break;
    case NODE_CLOSED:
        trial_note(t, e->t, conn_of(e), side_of(e), "closes", IW_NEVER, 0, 0,
                   e->term == IW_LLP_SEND_FIN ? "FIN" : "RST");
        break;
    case NODE_COMPLETED: completed(h, x); break;
    case NODE_UP: is_up(h, e); break;
    case NODE_FAILED: has_failed(h, e->t, conn_of(e)); break;
    default: at_once(h, e); break;
    }
}

/* ---- a node's calls ---- */

static void begin(struct hosts *h);

/* Other processes have no queue to fetch completions from: they are fetched now, as many as were told. */
static void fetch_completions(struct hosts *h)
{
    struct hosts_ear *r = &h->ear[h->world.rank];
    for (; h->asked_for < r->whole_count; h->asked_for++) {
        const struct node_event *e = &r->whole[h->asked_for].e;
        struct iw_done done;
        if (e->kind == NODE_COMPLETED && node_poll(h->node[end_of(h, conn_of(e), side_of(e))->host], &done))
            hosts_ear_fetched(r, h->asked_for, &done);
    }
}

/* What was told, and what the workload does when it hears makes more to be told. */
static void after(struct hosts *h)
{
    if (h->world.ranks)
        fetch_completions(h);
    if (h->ahead)
        return;
    for (size_t i = 0; i < h->told_count; i++) {
        struct told x = h->told[i]; /* the list may grow, and move */
        tell(h, &x);
    }
    h->told_count = 0;
    if (h->state == SETTING_UP && h->up == 2 * h->connections)
        begin(h);
}

bool hosts_transmit(struct hosts *h, uint32_t host, uint64_t now, struct ip_packet *packet)
{
    bool some = node_transmit(h->node[host], now, packet);
    after(h);
    return some;
}

void hosts_expect(const struct hosts *h, uint32_t host)
{
    node_expect(h->node[host]);
}

void hosts_arrive(struct hosts *h, uint32_t host, uint64_t now, const struct ip_packet *packet)
{
    node_arrive(h->node[host], now, h->wire[packet->connection].local[!packet->direction], packet);
    after(h);
}

uint64_t hosts_deadline(const struct hosts *h, uint32_t host)
{
    return node_deadline(h->node[host]);
}

void hosts_expire(struct hosts *h, uint32_t host, uint64_t now)
{
    node_expire(h->node[host], now);
    after(h);
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

void hosts_paused(struct hosts *h, uint64_t now, uint32_t host, bool stopped)
{
    uint32_t part = h->pocket[host].part;
    if (h->ahead)
        hosts_ear_hear_pause(&h->ear[part], h->world.key(h->world.context, part), now, host, stopped);
    else
        trial_paused(h->trial, now, host, stopped);
}

/* ---- ahead of the trial ---- */

bool hosts_split(struct hosts *h, uint32_t parts, uint32_t (*part)(void *context, uint32_t host))
{
    struct memory_arena *nodes = realloc(h->nodes, parts * sizeof *nodes);
    if (!nodes)
        return false;
    h->nodes = nodes;
    h->ear = calloc(parts, sizeof *h->ear);
    h->hanging = calloc(h->connections, sizeof *h->hanging);
    h->listed = calloc(h->connections, sizeof *h->listed);
    if (!h->ear || !h->hanging || !h->listed)
        return false;
    memset(nodes + 1, 0, (parts - 1) * sizeof *nodes);
    h->parts = parts;
    for (uint32_t i = 0; i < h->count; i++)
        h->pocket[i].part = part(h->world.context, i);
    return true;
}

/* A side of it has something to send that no port has seen yet. */
static bool has_far_to_go(const struct hosts *h, uint32_t conn)
{
    for (int side = 0; side < 2; side++) {
        const struct end *e = end_of(h, conn, side);
        if (iw_has_work(node_endpoint(h->node[e->host], e->stream)))
            return true;
    }
    return false;
}

/* One such connection is enough: it is asked again until it is no longer one. */
bool hosts_may_run_ahead(struct hosts *h)
{
    if (h->state != RUNNING || trial_tracing(h->trial))
        return false;
    for (uint32_t i = 0; i < h->connections; i++, h->witness = (h->witness + 1) % h->connections)
        if (has_far_to_go(h, h->witness))
            return true;
    return false;
}

void hosts_begin_ahead(struct hosts *h)
{
    uint32_t hung = h->hangs;
    h->hangs = 0;
    for (uint32_t i = 0; i < hung; i++) {
        uint32_t conn = h->hanging[i];
        h->listed[conn] = trial_hangs(h->trial, conn);
        if (!h->listed[conn])
            continue;
        h->hanging[h->hangs++] = conn;
        h->world.halt(h->world.context, end_of(h, conn, 0)->host);
    }
    h->ahead = true;
}

void hosts_end_ahead(struct hosts *h)
{
    h->ahead = false;
    for (uint32_t i = 0; i < h->parts; i++)
        h->no_memory |= h->ear[i].no_memory;
}

static bool key_before(struct hosts_key a, struct hosts_key b)
{
    return a.at != b.at ? a.at < b.at : a.order != b.order ? a.order < b.order : a.kick < b.kick;
}

bool hosts_heard(const struct hosts *h, uint32_t *part, struct hosts_key *key)
{
    const struct heard_event *first = NULL;
    for (uint32_t i = 0; i < h->parts; i++) {
        const struct hosts_ear *r = &h->ear[i];
        if (r->next == r->event_count || (first && !key_before(r->event[r->next].key, first->key)))
            continue;
        first = &r->event[r->next];
        *part = i;
    }
    if (first)
        *key = first->key;
    return first != NULL;
}

static void hear_sent(struct trial *t, const struct heard *x, uint32_t conn, int side)
{
    struct iw_seg seg;
    seg.key = x->key;
    seg.head_len = x->head_len;
    memcpy(seg.head, x->head, sizeof x->head);
    trial_sent(t, x->t, conn, side, &seg);
}

static void hear_placed(struct trial *t, const struct heard *x, uint32_t conn, int side)
{
    const struct iw_place place = {.len = x->len, .stag = x->number, .to = x->to, .msn = (uint32_t)x->end};
    trial_placed(t, x->t, conn, side, x->key, &place, !x->in_order);
}

/* As at_once() and tell(). */
static void hear_small(struct hosts *h, const struct heard *x)
{
    uint32_t conn = (uint32_t)(x->user / 2);
    int side = (int)(x->user % 2);
    struct trial *t = h->trial;
    switch (x->kind) {
    case NODE_PULLED: hear_sent(t, x, conn, side); break;
    case NODE_RETRANSMITTED:
        trial_resent(t, x->t, conn, side, x->key, x->end, x->how ? llp_reason_names[x->how] : NULL);
        break;
    case NODE_SPURIOUS: trial_counters(t)->retransmits_spurious++; break;
    case NODE_TAKEN:
        trial_counters(t)->segments_late += x->late && x->in_order;
        trial_arrived(t, x->t, conn, side, x->key, x->len, !x->in_order);
        break;
    case NODE_WINDOW: trial_window(t, x->t, conn, side, x->key, x->end - x->key); break;
    case NODE_BOUND: trial_bound(t, x->t, conn, side, bounds[x->how]); break;
    case NODE_PLACED: hear_placed(t, x, conn, side); break;
    case NODE_EDGE: trial_edge(t, x->t, conn, side, x->key); break;
    case HEARD_PAUSED: trial_paused(t, x->t, x->len, x->how); break;
    default: break;
    }
}

static void hear_whole(struct hosts *h, const struct hosts_ear *r, const struct heard *x)
{
    struct told t = r->whole[x->number];
    tell(h, &t);
}

/* In a run of several processes what the workload does is told to the same ear. */
static const struct heard *own_copy(struct hosts *h, const struct hosts_ear *r,
                                    const struct heard_event *event)
{
    const struct heard *first = &r->heard[event->first];
    if (!h->world.ranks)
        return first;
    if (event->count > h->replayed_room) {
        struct heard *more = realloc(h->replayed, event->count * sizeof *more);
        if (!more) {
            h->no_memory = true;
            return first;
        }
        h->replayed = more;
        h->replayed_room = event->count;
    }
    memcpy(h->replayed, first, event->count * sizeof *first);
    return h->replayed;
}

/* As on_node() and after() do with what is told in one event: what is for later comes behind the rest, and what the
 * workload causes behind that. */
uint32_t hosts_replay(struct hosts *h, uint32_t part)
{
    struct hosts_ear *r = &h->ear[part];
    const struct heard_event *event = &r->event[r->next++];
    const struct heard *first = own_copy(h, r, event), *end = first + event->count;
    uint32_t halted = event->halted; /* the list may grow, and move */
    for (const struct heard *x = first; x < end; x++)
        if (!heard_later(x))
            hear_small(h, x);
    for (const struct heard *x = first; x < end; x++)
        if (x->whole)
            hear_whole(h, r, x);
        else if (heard_later(x))
            hear_small(h, x);
    if (r->next == r->event_count) {
        hosts_ear_clear(r);
        h->asked_for = part == h->world.rank ? 0 : h->asked_for;
    }
    if (h->told_count)
        after(h);
    if (h->world.ranks && h->state == SETTING_UP && h->up == 2 * h->connections)
        begin(h);
    return halted;
}

/* ---- in several processes ---- */

const void *hosts_told(struct hosts *h, size_t *octets)
{
    struct hosts_ear *r = &h->ear[h->world.rank];
    size_t before = r->whole_count;
    h->no_memory |= !hosts_ear_pack(r, &h->packed) || r->no_memory;
    h->asked_for -= before - r->whole_count;
    *octets = h->packed.size;
    return h->packed.at;
}

bool hosts_told_of(struct hosts *h, uint32_t rank, const void *octets, size_t size)
{
    return hosts_ear_unpack(&h->ear[rank], octets, size);
}

bool hosts_wait(const struct hosts *h, struct hosts_key *told)
{
    const struct hosts_ear *r = &h->ear[h->world.rank];
    for (size_t i = r->next; i < r->event_count; i++)
        if (r->event[i].halted != HOSTS_NONE) {
            *told = r->event[i].key;
            return true;
        }
    return false;
}

static bool end_owes(const struct hosts *h, uint32_t conn)
{
    for (int side = 0; side < 2; side++)
        if (is_here(h, end_of(h, conn, side)->host) && trial_owes(h->trial, conn, side))
            return true;
    return false;
}

/* One is enough: it is asked again until it does not. */
bool hosts_owe(struct hosts *h)
{
    if (h->state != RUNNING)
        return h->state == ABOUT_TO_START || h->up_here < h->ends_here;
    for (uint32_t i = 0; i < h->connections; i++, h->witness = (h->witness + 1) % h->connections)
        if (end_owes(h, h->witness))
            return true;
    return false;
}

bool hosts_depend(const struct hosts *h)
{
    if (!workload_runs_ahead(&h->point->workload))
        return true;
    for (uint32_t i = 0; h->state == RUNNING && i < h->connections; i++)
        if (is_here(h, end_of(h, i, 0)->host) && trial_hangs(h->trial, i))
            return true;
    return false;
}

void hosts_others_ready(struct hosts *h, uint64_t at)
{
    h->others_ready = at > h->others_ready ? at : h->others_ready;
}

bool hosts_have_parted(const struct hosts *h)
{
    return h->parted;
}

/* ---- starting ---- */

static uint64_t when_ready(const struct hosts *h, uint64_t now)
{
    now = h->others_ready > now ? h->others_ready : now;
    for (uint32_t i = 0; i < h->count; i++) {
        if (!is_here(h, i))
            continue;
        uint64_t free = rnic_cpu_free(node_adapter(h->node[i]));
        now = free > now ? free : now;
    }
    return now;
}

uint64_t hosts_ready(const struct hosts *h)
{
    return when_ready(h, 0);
}

/* Receives were posted: the ULPs start when the CPUs have done with it. */
static void begin(struct hosts *h)
{
    h->state = ABOUT_TO_START;
    if (h->world.started)
        h->world.started(h->world.context);
    h->world.wake(h->world.context, when_ready(h, h->world.now(h->world.context)));
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
    after(h);
}

int hosts_start(struct hosts *h)
{
    struct workload_world offers = {h,           offer_memory, offer_rebind, offer_invalidate, offer_post,
                                    offer_close, offer_wake,   offer_inject, offer_post_shared};
    after(h); /* windows were offered when the connections were made */
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
    after(h);
    return 0;
}

/* ---- building ---- */

/* Connections of the workload ride together where a connection of the world has several streams: those of the same two
 * hosts fill one after the other. */
static bool share_out(struct hosts *h, uint32_t streams)
{
    const struct workload_conf *w = &h->point->workload;
    uint32_t n = h->connections, *open = calloc(n, sizeof *open);
    h->wire = calloc(n, sizeof *h->wire);
    h->carried = calloc(n, sizeof *h->carried);
    if (!open || !h->wire || !h->carried) {
        free(open);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct workload_pair pair = workload_pair(w, i);
        uint32_t j = h->wires;
        for (uint32_t k = 0; streams > 1 && k < h->wires && j == h->wires; k++)
            if (h->wire[k].host[0] == pair.from && h->wire[k].host[1] == pair.to &&
                h->wire[k].streams < streams)
                j = k;
        if (j == h->wires)
            h->wire[h->wires++] = (struct wire){.host = {pair.from, pair.to}};
        open[i] = j;
        end_of(h, i, 0)->connection = end_of(h, i, 1)->connection = j;
        end_of(h, i, 0)->stream = end_of(h, i, 1)->stream = h->wire[j].streams++;
        end_of(h, i, 0)->host = pair.from;
        end_of(h, i, 1)->host = pair.to;
    }
    for (uint32_t j = 1; j < h->wires; j++)
        h->wire[j].first = h->wire[j - 1].first + h->wire[j - 1].streams;
    for (uint32_t i = 0; i < n; i++)
        h->carried[h->wire[open[i]].first + end_of(h, i, 0)->stream] = i;
    free(open);
    return true;
}

static bool make_elsewhere(struct hosts *h, uint32_t host, const struct node_conf *conf)
{
    void *memory = more(&h->pocket[host], iw_stags_size(conf->regions_max));
    h->elsewhere[host] = memory ? iw_stags_init(memory, conf->regions_max, conf->stag_key) : NULL;
    if (!h->elsewhere[host])
        trial_no_memory(h->trial);
    return h->elsewhere[host] != NULL;
}

static bool make_node(struct hosts *h, uint32_t host, uint32_t streams, uint32_t connections)
{
    struct node_conf conf = hosts_node_conf(h->point, host, streams, connections);
    struct rnic_conf rnic = scenario_adapter(h->point, host);
    conf.rnic = &rnic;
    if (!is_here(h, host))
        return make_elsewhere(h, host, &conf);
    conf.memory = (struct llp_memory){more, &h->pocket[host]};
    conf.listener = on_node;
    conf.user = h;
    const char *why = node_conf_error(&conf);
    if (why) {
        trial_refuse(h->trial, "a host is refused: %s", why);
        return false;
    }
    void *memory = more(&h->pocket[host], node_size(&conf));
    h->node[host] = memory ? node_init(memory, &conf) : NULL;
    if (!h->node[host])
        trial_no_memory(h->trial);
    return h->node[host] != NULL;
}

static bool make_nodes(struct hosts *h)
{
    uint32_t *streams = calloc(2 * (size_t)h->count, sizeof *streams), *connections = streams + h->count;
    bool made = streams != NULL;
    for (uint32_t j = 0; made && j < h->wires; j++)
        for (int side = 0; side < 2; side++) {
            streams[h->wire[j].host[side]] += h->wire[j].streams;
            connections[h->wire[j].host[side]]++;
        }
    for (uint32_t i = 0; made && i < h->count; i++)
        made = make_node(h, i, streams[i], connections[i]);
    free(streams);
    return made;
}

enum { FIRST_PORT = 10000, PORTS = 50000, STREAMS_MAX = 4096, HEARS_NOTHING = 4 /* segments remembered */ };

static bool hears(const struct hosts *h, const struct wire *w, int side)
{
    bool any = false;
    for (uint32_t i = 0; i < w->streams; i++)
        any |= workload_hears(&h->point->workload, h->carried[w->first + i], side);
    return any;
}

static bool make_end(struct hosts *h, struct hosts_conf *conf, uint32_t number, int side)
{
    struct wire *w = &h->wire[number];
    uint64_t user[STREAMS_MAX];
    uint16_t port = (uint16_t)(FIRST_PORT + number % PORTS);
    uint32_t first;
    const char *why;
    conf->streams = w->streams;
    for (uint32_t i = 0; i < w->streams; i++)
        user[i] = 2 * (uint64_t)h->carried[w->first + i] + (unsigned)side;
    struct node_connection_conf c = {
        .llp = conf->llp,
        .conf = hosts_end_conf(conf, h->point, number, side, w->host[0], w->host[1], port),
        .ep = conf->ep,
        .user = user,
        .number = number};
    c.ep.stream = workload_stream(h->carried[w->first]);
    if (!hears(h, w, side))
        c.ep.reorder_max = HEARS_NOTHING;
    int result = node_connect(h->node[w->host[side]], &c, &w->local[side], &first, &why);
    if (result == IW_EFULL)
        trial_no_memory(h->trial);
    else if (result != IW_OK)
        trial_refuse(h->trial, "a connection is refused: %s", why);
    if (result != IW_OK)
        return false;
    for (uint32_t i = 0; i < w->streams; i++)
        end_of(h, h->carried[w->first + i], side)->stream = first + i;
    return true;
}

static void watch(struct hosts *h, uint32_t conn, int side)
{
    const struct end *e = end_of(h, conn, side);
    const struct node *n = h->node[e->host];
    void *l;
    const struct llp *llp = node_llp(n, h->wire[e->connection].local[side], &l);
    trial_watch(h->trial, conn, side, node_adapter(n), llp, l);
}

static bool make_connections(struct hosts *h, struct hosts_conf *conf)
{
    for (uint32_t j = 0; j < h->wires; j++)
        for (int side = 0; side < 2; side++)
            if (is_here(h, h->wire[j].host[side]) && !make_end(h, conf, j, side))
                return false;
    for (uint32_t i = 0; i < 2 * h->connections; i++)
        if (is_here(h, h->end[i].host)) {
            watch(h, i / 2, (int)(i % 2));
            h->ends_here++;
        }
    return true;
}

/* In several processes all that is told is heard later. */
static bool listen_for_all(struct hosts *h)
{
    if (!h->world.ranks)
        return true;
    h->ear = calloc(h->world.ranks, sizeof *h->ear);
    h->parts = h->world.ranks;
    h->ahead = true;
    for (uint32_t i = 0; i < h->count; i++)
        h->pocket[i].part = h->world.rank;
    return h->ear != NULL;
}

struct hosts *hosts_new(const struct scenario_point *point, struct trial *trial,
                        const struct hosts_world *world)
{
    struct hosts *h = calloc(1, sizeof *h);
    struct hosts_conf conf;
    if (!h)
        return NULL;
    hosts_conf_of(point, &conf);
    h->point = point;
    h->trial = trial;
    h->world = *world;
    h->count = point->workload.hosts;
    h->connections = workload_connections(&point->workload);
    h->node = calloc(h->count, sizeof *h->node);
    h->end = calloc(2 * (size_t)h->connections, sizeof *h->end);
    h->nodes = calloc(1, sizeof *h->nodes);
    h->pocket = calloc(h->count, sizeof *h->pocket);
    for (uint32_t i = 0; h->pocket && i < h->count; i++)
        h->pocket[i].hosts = h;
    h->elsewhere = calloc(h->count, sizeof *h->elsewhere);
    h->receives = calloc(h->count, sizeof *h->receives);
    bool made = h->node && h->end && h->nodes && h->pocket && h->elsewhere && h->receives &&
                listen_for_all(h) && share_out(h, conf.streams) && make_nodes(h) &&
                make_connections(h, &conf);
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
    for (uint32_t i = 0; h->nodes && (i == 0 || (i < h->parts && !h->world.ranks)); i++)
        memory_arena_free(&h->nodes[i]);
    for (uint32_t i = 0; h->ear && i < h->parts; i++)
        hosts_ear_free(&h->ear[i]);
    free(h->nodes);
    free(h->ear);
    free(h->hanging);
    free(h->listed);
    free(h->packed.at);
    free(h->replayed);
    free(h->elsewhere);
    free(h->receives);
    free(h->pocket);
    message_memory_free(&h->memory);
    free(h->node);
    free(h->end);
    free(h->wire);
    free(h->carried);
    free(h->told);
    free(h);
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
