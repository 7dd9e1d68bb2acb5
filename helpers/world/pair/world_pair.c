/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_pair.c -- a trial in the pair world (world_pair.h). Each connection is a pair of its own. */
#include "helpers/world/pair/world_pair.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/scenario.h"
#include "pair/pair.h"

/* Something the trial will be told when the pair has done its step: what the ULP then posts may not reach into it. */
struct told {
    enum pair_what what;
    int side;
    bool in_order;
    uint64_t offset;
    uint32_t len;
    int term;
    struct iw_place place;
    struct iw_message message;
};

struct line {
    struct link *link;
    uint32_t conn;
    struct pair *pair;
    struct told *told;
    size_t told_count, told_room;
};

struct link {
    const struct scenario_point *point;
    struct trial *trial;
    uint32_t lines;
    struct line *line;
    uint64_t now, wake;
    uint64_t events;
    bool no_memory;
    uint8_t **memory; /* of the workload, freed at the end */
    size_t memories;
};

/* ---- configuration ---- */

enum { REMEMBERED_MIN = 64, REMEMBERED_MAX = 16384 };
#define LINGER 10000000000u /* ps */

static uint16_t remembered(const struct scenario_point *p, const struct scenario_derived *d)
{
    uint64_t segments = 2 * p->rnic.window.bytes / d->fpdu;
    return (uint16_t)(segments < REMEMBERED_MIN   ? REMEMBERED_MIN
                      : segments > REMEMBERED_MAX ? REMEMBERED_MAX
                                                  : segments);
}

/* Until a packet is sent again: two round trips, and as long as the channel may hold it up. */
static uint64_t timeout_of(const struct scenario_point *p, const struct scenario_derived *d)
{
    uint64_t held =
        p->channel.reorder.delay + p->channel.reorder.displacement * d->serialization + p->channel.jitter;
    return 2 * d->rtt + held;
}

static struct iw_conf endpoint_of(const struct scenario_point *p, const struct scenario_derived *d)
{
    struct workload_needs needs = workload_needs(&p->workload);
    return (struct iw_conf){.pd = WORKLOAD_PD,
                            .profile = needs.profile,
                            .complete_on = IW_ON_ACK,
                            .sq_max = needs.sq_max,
                            .rq_max = needs.rq_max,
                            .ord = p->llp.ord,
                            .ird = p->llp.ird,
                            .reorder_max = remembered(p, d),
                            .linger = LINGER};
}

static struct pair_conf pair_conf_of(const struct scenario_point *p, uint32_t conn)
{
    struct scenario_derived d;
    struct workload_needs needs = workload_needs(&p->workload);
    scenario_derive(p, &d);
    bool drop = p->llp.crc && p->llp.crc_error == CRC_ERROR_DROP; /* every packet is one FPDU here */
    struct pair_conf c = {.rate = p->topology.rate,
                          .delay = p->topology.delay,
                          .mtu = d.mss,
                          .framing = d.wire - d.fpdu,
                          .channel = p->channel,
                          .impair_acks = p->channel_direction == DIRECTION_BOTH,
                          .seed = p->seed,
                          .repeat = p->repeat,
                          .markers = {p->llp.markers, p->llp.markers},
                          .crc = p->llp.crc,
                          .crc_drop = drop,
                          .trust_alignment = drop || p->llp.trust_alignment,
                          .window = (uint32_t)p->llp.send_buffer,
                          .ranges = remembered(p, &d),
                          .timeout = timeout_of(p, &d),
                          .delayed_ack = p->llp.delayed_ack,
                          .ack_delay = p->llp.delayed_ack_timeout,
                          .length_only = p->payload == PAYLOAD_NONE,
                          .rnic = {&p->rnic, &p->rnic},
                          .consume_rate = p->consume_rate,
                          .regions_max = needs.regions_max,
                          .cq_entries = needs.cq_entries};
    c.ep[0] = c.ep[1] = endpoint_of(p, &d);
    c.ep[0].stream = c.ep[1].stream = workload_stream(conn);
    return c;
}

/* ---- what the workload asks for ---- */

static uint8_t *new_memory(struct link *l, uint64_t len)
{
    uint8_t **more = realloc(l->memory, (l->memories + 1) * sizeof *more);
    if (!more)
        return NULL;
    l->memory = more;
    l->memory[l->memories] = calloc(len, 1);
    return l->memory[l->memories++];
}

/* The STags of a host on one of its connections. */
static struct iw_stags *stags_of(const struct link *l, uint32_t conn, uint32_t host)
{
    struct workload_pair pair = workload_pair(&l->point->workload, conn);
    return pair_stags(l->line[conn].pair, pair.from == host ? 0 : 1);
}

/* One host, yet a table of STags for each line: they are told the same and so name alike. */
static int on_all_lines(struct link *l, uint32_t host, const struct iw_region *region, iw_stag *stag)
{
    int result = IW_OK;
    for (uint32_t i = 0; result == IW_OK && i < l->lines; i++)
        result = iw_register(stags_of(l, i, host), region, stag);
    return result;
}

static int offer_memory(void *context, uint32_t host, struct iw_region *region, iw_stag *stag)
{
    struct link *l = context;
    if (!region->base && l->point->payload == PAYLOAD_REAL) {
        region->base = new_memory(l, region->len);
        if (!region->base) {
            trial_refuse(l->trial, "not enough memory for the messages: payload: none needs none");
            return IW_EFULL;
        }
    }
    return on_all_lines(l, host, region, stag);
}

static int offer_rebind(void *context, uint32_t host, iw_stag stag, const struct iw_region *region)
{
    struct link *l = context;
    int result = IW_OK;
    for (uint32_t i = 0; result == IW_OK && i < l->lines; i++)
        result = iw_rebind(stags_of(l, i, host), stag, region);
    return result;
}

static int offer_invalidate(void *context, uint32_t host, iw_stag stag)
{
    struct link *l = context;
    int result = IW_OK;
    for (uint32_t i = 0; result == IW_OK && i < l->lines; i++)
        result = iw_invalidate(stags_of(l, i, host), stag);
    return result;
}

static int offer_post(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    struct link *l = context;
    pair_wait(l->line[conn].pair, now);
    return pair_post(l->line[conn].pair, side, work);
}

static int offer_close(void *context, uint64_t now, uint32_t conn, int side, enum iw_close_how how)
{
    struct link *l = context;
    return iw_close(pair_ep(l->line[conn].pair, side), now, how);
}

static void offer_wake(void *context, uint64_t at)
{
    struct link *l = context;
    l->wake = at;
}

static int offer_inject(void *context, uint64_t now, uint32_t conn, int side,
                        const struct workload_wrong *wrong)
{
    struct link *l = context;
    struct pair *p = l->line[conn].pair;
    static const enum pair_wrong how[] = {
        [WRONG_ULPDU] = PAIR_WRONG_ULPDU, [WRONG_CRC] = PAIR_WRONG_CRC, [WRONG_MARKER] = PAIR_WRONG_MARKER};
    pair_wait(p, now);
    if (wrong->kind == WRONG_TERMINATE)
        return iw_terminate(pair_ep(p, side), now, wrong->term);
    if (wrong->kind != WRONG_LOST)
        return pair_inject(p, side, how[wrong->kind], wrong->ulpdu, wrong->len);
    pair_cut(p);
    return IW_OK;
}

/* ---- what happens ---- */

static void keep(struct line *line, const struct pair_event *e)
{
    if (line->told_count == line->told_room) {
        size_t room = line->told_room ? 2 * line->told_room : 64;
        struct told *more = realloc(line->told, room * sizeof *more);
        if (!more) {
            line->link->no_memory = true;
            return;
        }
        line->told = more;
        line->told_room = room;
    }
    struct told *t = &line->told[line->told_count++];
    *t = (struct told){.what = e->what,
                       .side = e->side,
                       .in_order = e->in_order,
                       .offset = e->offset,
                       .len = e->len,
                       .term = e->term};
    if (e->place)
        t->place = *e->place;
    if (e->message)
        t->message = *e->message;
}

static void count_event(struct trial_counters *c, const struct pair_event *e)
{
    c->drops_channel += e->what == PAIR_LOST;
    c->segments_late += e->what == PAIR_TAKEN && e->late && e->in_order;
    c->crc_errors +=
        (e->what == PAIR_REFUSED && e->corrupted) || (e->what == PAIR_FAULT && e->term == IW_T_LLP_CRC);
}

/* What only the trace wants to know, and at once. */
static void note(struct line *line, const struct pair_event *e)
{
    static const char *const names[] = {
        [PAIR_SENT] = "left",       [PAIR_LOST] = "lost",       [PAIR_ARRIVED] = "landed",
        [PAIR_REFUSED] = "refused", [PAIR_DROPPED] = "dropped", [PAIR_KEPT] = "kept"};
    const char *name = e->what < sizeof names / sizeof *names ? names[e->what] : NULL;
    bool again = e->what == PAIR_SENT && e->sends > 1; /* trial_resent() tells */
    if (!name || again || (!e->len && e->what != PAIR_KEPT))
        return;
    trial_note(line->link->trial, e->t, line->conn, e->side, name, e->offset, e->len ? e->offset + e->len : 0,
               e->len, e->corrupted ? "altered on the way" : NULL);
}

static void on_pair(void *user, const struct pair_event *e)
{
    struct line *line = user;
    struct trial *t = line->link->trial;
    line->link->events++;
    count_event(trial_counters(t), e);
    if (trial_tracing(t))
        note(line, e);
    if (e->what == PAIR_PULLED)
        trial_sent(t, e->t, line->conn, e->side, e->seg);
    else if (e->what == PAIR_SENT && e->sends > 1)
        trial_resent(t, e->t, line->conn, e->side, e->offset, e->offset + e->len);
    else if (e->what == PAIR_WINDOW)
        trial_window(t, e->t, line->conn, e->side, e->offset, e->edge - e->offset);
    else if (e->what == PAIR_TAKEN)
        trial_arrived(t, e->t, line->conn, e->side, e->seg->key, e->seg->payload_len, !e->in_order);
    else if (e->what == PAIR_PLACED || e->what == PAIR_DELIVERED || e->what == PAIR_CLOSED)
        keep(line, e);
}

static void tell(struct line *line, const struct told *x)
{
    struct trial *t = line->link->trial;
    uint64_t now = line->link->now;
    if (x->what == PAIR_PLACED)
        trial_placed(t, now, line->conn, x->side, x->offset, &x->place, !x->in_order);
    else if (x->what == PAIR_CLOSED)
        trial_note(t, now, line->conn, x->side, "closes", IW_NEVER, 0, 0,
                   x->term == IW_LLP_SEND_FIN ? "FIN" : "RST");
    else
        trial_delivered(t, now, line->conn, x->side, &x->message);
}

/* What happened in the last step, in its order, and what the engines have to say after it. */
static void hear(struct line *line)
{
    struct iw_done done;
    struct iw_event event;
    struct trial *t = line->link->trial;
    uint64_t now = line->link->now;
    for (size_t i = 0; i < line->told_count; i++) {
        struct told x = line->told[i]; /* more may be told meanwhile */
        tell(line, &x);
    }
    line->told_count = 0;
    for (int side = 0; side < 2; side++) {
        trial_edge(t, now, line->conn, side, iw_delivered_edge(pair_ep(line->pair, side)));
        while (pair_poll(line->pair, side, &done))
            trial_done(t, now, line->conn, side, &done);
        while (iw_event(pair_ep(line->pair, side), &event))
            trial_event(t, now, line->conn, side, &event);
    }
}

/* What the ULP posts when it hears may make more to be heard at once. */
static void settle(struct line *line)
{
    do {
        hear(line);
        pair_kick(line->pair, 0);
        pair_kick(line->pair, 1);
    } while (line->told_count);
}

/* Let what the ULP did have effect. */
static void kick(struct link *l)
{
    for (uint32_t i = 0; i < l->lines; i++) {
        pair_wait(l->line[i].pair, l->now);
        settle(&l->line[i]);
    }
}

static struct line *soonest(const struct link *l, uint64_t *at)
{
    struct line *first = NULL;
    *at = IW_NEVER;
    for (uint32_t i = 0; i < l->lines; i++) {
        uint64_t next = pair_next(l->line[i].pair);
        if (next < *at) {
            *at = next;
            first = &l->line[i];
        }
    }
    return first;
}

static void wake_workload(struct link *l)
{
    l->wake = IW_NEVER;
    trial_wake(l->trial, l->now);
    kick(l);
}

static void step(struct line *line)
{
    pair_step(line->pair);
    settle(line);
}

/* Receives were posted: the connection is not up before the CPUs have done with it. */
static uint64_t when_ready(const struct link *l)
{
    uint64_t ready = 0;
    for (uint32_t i = 0; i < l->lines; i++)
        for (int side = 0; side < 2; side++) {
            uint64_t free = rnic_cpu_free(pair_adapter(l->line[i].pair, side));
            ready = free > ready ? free : ready;
        }
    return ready;
}

static void run(struct link *l)
{
    l->now = when_ready(l);
    for (uint32_t i = 0; i < l->lines; i++)
        pair_wait(l->line[i].pair, l->now);
    trial_start(l->trial, l->now);
    kick(l);
    while (!trial_over(l->trial, l->now)) {
        uint64_t at;
        struct line *line = soonest(l, &at);
        bool wake = l->wake <= at;
        uint64_t next = wake ? l->wake : at;
        if (next == IW_NEVER) {
            trial_stalled(l->trial, l->now);
            return;
        }
        if (trial_over(l->trial, next)) /* what lies beyond a limit does not happen */
            return;
        l->now = next;
        if (wake)
            wake_workload(l);
        else
            step(line);
    }
}

/* ---- life ---- */

static int make_lines(struct link *l)
{
    for (uint32_t i = 0; i < l->lines; i++) {
        struct pair_conf conf = pair_conf_of(l->point, i);
        const char *why = pair_conf_error(&conf);
        if (why) {
            trial_refuse(l->trial, "the pair world refuses: %s", why);
            return -1;
        }
        void *block = malloc(pair_size(&conf));
        if (!block) {
            trial_refuse(l->trial, "not enough memory for a pair");
            return -1;
        }
        l->line[i] = (struct line){.link = l, .conn = i};
        l->line[i].pair = pair_init(block, &conf, on_pair, &l->line[i]);
        for (int side = 0; side < 2; side++)
            trial_watch(l->trial, i, side, pair_adapter(l->line[i].pair, side));
    }
    return 0;
}

static void finish(struct link *l)
{
    trial_counters(l->trial)->events = l->events;
    for (uint32_t i = 0; i < l->lines; i++)
        for (int side = 0; side < 2; side++) {
            struct workload_pair pair = workload_pair(&l->point->workload, i);
            trial_endpoint(l->trial, i, side, pair_ep(l->line[i].pair, side));
            trial_adapter(l->trial, side ? pair.to : pair.from, pair_adapter(l->line[i].pair, side));
        }
    if (l->no_memory)
        trial_refuse(l->trial, "not enough memory");
}

static void free_all(struct link *l)
{
    for (uint32_t i = 0; i < l->lines; i++) {
        free(l->line[i].pair);
        free(l->line[i].told);
    }
    free(l->line);
    for (size_t i = 0; i < l->memories; i++)
        free(l->memory[i]);
    free(l->memory);
}

int world_pair(const struct scenario_point *point, struct trial *t)
{
    struct link l = {.point = point, .trial = t, .wake = IW_NEVER};
    struct workload_world offers = {&l,         offer_memory, offer_rebind, offer_invalidate,
                                    offer_post, offer_close,  offer_wake,   offer_inject};
    l.lines = workload_connections(&point->workload);
    l.line = calloc(l.lines, sizeof *l.line);
    int result = l.line ? make_lines(&l) : -1;
    if (result == 0)
        result = trial_prepare(t, &offers);
    if (result == 0) {
        run(&l);
        finish(&l);
    }
    free_all(&l);
    return result;
}
