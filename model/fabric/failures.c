/* SPDX-License-Identifier: GPL-2.0-or-later */
/* failures.c -- links that fail, are repaired, or change their rate. The ways round them: detour.c.
 *
 * Changes are listed, or drawn by (seed, repeat, line, number), and happen as events of the whole network, between the windows of
 * its parts. A link is down as long as anybody holds that it is: the list, the draw.
 * LAW: a link is avoided only while it is down. */
#include "fabric/fabric_inner.h"

#include <string.h>

static const uint32_t OF_LINES =
    UINT32_C(1) << 30; /* keys of draws: hosts' channels have 0 there, switches another bit */

/* ---- memory ---- */

/* As many rates as there are changes, behind those of the lines. */
void fabric_failures_carve(struct fabric *f, struct carve *c, const struct fabric_conf *conf,
                           const struct fabric_extent *x)
{
    struct fabric_failures sized, *o;
    struct fabric_detours of, *d;
    f->failures = NULL;
    if (!fabric_fails(conf))
        return;
    f->failures = carve(c, sizeof sized);
    f->detours = carve(c, sizeof of);
    o = c->memory ? f->failures : &sized;
    d = c->memory ? f->detours : &of;
    o->change = carve(c, conf->changes * sizeof *o->change);
    o->outage = carve(c, x->ports * sizeof *o->outage);
    fabric_detours_carve(d, c, x);
}

bool fabric_detours_new(struct fabric *part)
{
    struct carve size = {0};
    struct fabric_detours sized;
    carve(&size, sizeof sized);
    fabric_detours_carve(&sized, &size, &part->extent);
    struct carve c = {.memory = fabric_room(part, size.used)};
    if (!c.memory)
        return false;
    part->detours = carve(&c, sizeof sized);
    fabric_detours_carve(part->detours, &c, &part->extent);
    part->detours->rerouted = 0;
    return true;
}

/* ---- what comes next ---- */

static bool is_first_of_line(const struct fabric *f, uint32_t link)
{
    return link < f->port[link].peer;
}

/* Of a line that is up, until it fails; of one that is not, until it is repaired: a picosecond at least. */
static iw_time drawn(const struct fabric *f, uint32_t link, struct fabric_outage *o)
{
    uint64_t key = channel_key(f->conf.seed, f->conf.repeat, link, OF_LINES);
    iw_time mean = o->failed ? f->conf.failures.mttr : f->conf.failures.mtbf;
    return channel_exponential(channel_draw(key, o->fates++), mean) + 1;
}

static iw_time avoids_at(const struct fabric *f, uint32_t link)
{
    const struct fabric_port *p = &f->port[link];
    iw_time after = f->conf.reroute_after, since = f->failures->outage[link].down_at;
    return p->down && !p->avoided && after < IW_NEVER - since ? since + after : IW_NEVER;
}

static iw_time next_of_link(const struct fabric *f, uint32_t link)
{
    iw_time avoids = avoids_at(f, link), drawn_at = f->failures->outage[link].next;
    return avoids < drawn_at ? avoids : drawn_at;
}

static void look_ahead(struct fabric *f)
{
    struct fabric_failures *o = f->failures;
    o->due = o->taken < o->changes ? o->change[o->taken].at : IW_NEVER;
    for (uint32_t i = 0; i < f->extent.ports; i++)
        o->due = next_of_link(f, i) < o->due ? next_of_link(f, i) : o->due;
}

iw_time fabric_next_change(const struct fabric *f)
{
    return f->failures ? f->failures->due : IW_NEVER;
}

static void set_timer(struct fabric *f)
{
    uint32_t timer = f->conf.timers + TIMER_CHANGES;
    fabric_touched(f);
    fabric_events_set(&f->events, timer_of_workload(f, timer), event_order(EVENT_WORKLOAD, timer),
                      f->failures->due);
}

void fabric_failures_init(struct fabric *f)
{
    struct fabric_failures *o = f->failures;
    uint32_t changes = f->conf.changes;
    struct fabric_change *change = o->change;
    if (changes)
        memcpy(change, f->conf.change, changes * sizeof *change);
    *o = (struct fabric_failures){
        .change = change, .changes = changes, .lines = f->extent.lines, .epoch = 1, .outage = o->outage};
    memset(o->outage, 0, f->extent.ports * sizeof *o->outage);
    for (uint32_t i = 0; i < f->extent.ports; i++)
        o->outage[i].next =
            f->conf.failures.mtbf && is_first_of_line(f, i) ? drawn(f, i, &o->outage[i]) : IW_NEVER;
    for (uint32_t i = 0; i < f->detours->count; i++)
        f->detours->of[i].epoch = 0;
    f->detours->rerouted = 0;
    look_ahead(f);
    set_timer(f);
}

/* ---- a change ---- */

static enum fabric_event_kind go_down(struct fabric *f, uint32_t link, iw_time now)
{
    struct fabric_outage *o = &f->failures->outage[link];
    if (o->holds++)
        return FABRIC_EVENTS;
    o->down_at = now;
    o->fell = 1;
    f->port[link].down = f->port[link].changed = 1;
    return FABRIC_DOWN;
}

static enum fabric_event_kind go_up(struct fabric *f, uint32_t link)
{
    struct fabric_outage *o = &f->failures->outage[link];
    struct fabric_port *p = &f->port[link];
    LAW(!p->down == !o->holds);
    if (!o->holds || --o->holds)
        return FABRIC_EVENTS;
    f->failures->avoided -= p->avoided;
    f->failures->epoch += p->avoided;
    p->down = p->avoided = 0;
    return FABRIC_UP;
}

/* A slow link's queue, where it shrinks: as much of it as of the rate. */
static uint32_t share_of(const struct fabric *f, uint64_t built, uint64_t rate)
{
    uint64_t share = rate < built && f->conf.slow_shrinks ? rate * FABRIC_WHOLE / built : FABRIC_WHOLE;
    return share ? (uint32_t)share : 1;
}

/* A link that is like others has a line with them, until it is not. */
static enum fabric_event_kind get_rate(struct fabric *f, uint32_t link, uint64_t rate)
{
    struct fabric_port *p = &f->port[link];
    iw_time delay = f->line[p->line].delay;
    uint64_t built = f->line[p->line].built;
    p->line = f->failures->lines++ & 0xffffff;
    p->changed = 1;
    LAW(f->failures->lines <= f->extent.lines + f->failures->changes);
    fabric_line_init(&f->line[p->line], rate, delay);
    f->line[p->line].built = built;
    f->line[p->line].share = share_of(f, built, rate);
    return FABRIC_RATE;
}

static enum fabric_event_kind avoid(struct fabric *f, uint32_t link)
{
    LAW(f->port[link].down); /* a link is avoided only while it is down */
    f->port[link].avoided = 1;
    f->failures->avoided++;
    f->failures->epoch++;
    return FABRIC_AVOIDED;
}

static enum fabric_event_kind take_listed(struct fabric *f, iw_time now, uint32_t *link)
{
    const struct fabric_change *x = &f->failures->change[f->failures->taken++];
    *link = x->link;
    switch (x->kind) { /* one that has none does not compile */
    case FABRIC_GOES_DOWN: return go_down(f, x->link, now);
    case FABRIC_GOES_UP: return go_up(f, x->link);
    case FABRIC_GETS_RATE: break;
    }
    return get_rate(f, x->link, x->rate);
}

/* One direction of a line after the other: the second is due as long as it has not followed the first. */
static enum fabric_event_kind take_drawn(struct fabric *f, iw_time now, uint32_t link)
{
    uint32_t back = f->port[link].peer, first = is_first_of_line(f, link) ? link : back;
    struct fabric_outage *o = &f->failures->outage[first];
    if (link == first) {
        o->failed = !o->failed;
        f->failures->outage[back].next = now;
        o->next = now + drawn(f, first, o);
    } else {
        f->failures->outage[link].next = IW_NEVER;
    }
    return o->failed ? go_down(f, link, now) : go_up(f, link);
}

static enum fabric_event_kind take_one(struct fabric *f, iw_time now, uint32_t *link)
{
    struct fabric_failures *o = f->failures;
    if (o->taken < o->changes && o->change[o->taken].at == now)
        return take_listed(f, now, link);
    for (*link = 0; next_of_link(f, *link) > now; ++*link)
        LAW(*link < f->extent.ports);
    return o->outage[*link].next <= now ? take_drawn(f, now, *link) : avoid(f, *link);
}

/* What changes nothing, as another one holds the link, is passed over. */
enum fabric_event_kind fabric_take_change(struct fabric *f, iw_time now, uint32_t *link)
{
    enum fabric_event_kind kind = FABRIC_EVENTS;
    while (kind == FABRIC_EVENTS && fabric_next_change(f) <= now) {
        kind = take_one(f, now, link);
        look_ahead(f);
    }
    return kind;
}

static void start_again(struct fabric *f, uint32_t link)
{
    struct fabric *sender = fabric_at_host(f, fabric_sender(f, link));
    if (f->port[link].armed)
        return;
    if (link < fabric_host_links(f))
        fabric_kick(f, fabric_host_of(f, link));
    else
        fabric_queue_departs(sender, link);
}

void fabric_failures_happen(struct fabric *f)
{
    enum fabric_event_kind kind;
    uint32_t link = NONE;
    while ((kind = fabric_take_change(f, f->now, &link)) != FABRIC_EVENTS) {
        iw_time stood = kind == FABRIC_UP ? f->now - f->failures->outage[link].down_at : 0;
        fabric_tell(f, kind, link, NULL, 0, stood);
        if (kind == FABRIC_UP)
            start_again(f, link);
        if (kind == FABRIC_AVOIDED && link >= fabric_host_links(f))
            fabric_queue_flush(fabric_at_host(f, fabric_sender(f, link)), link);
    }
    set_timer(f);
}

/* ---- packets ---- */

static void lose(struct fabric *f, uint32_t link, struct fabric_cell *c)
{
    f->counts.failed++;
    fabric_tell(f, FABRIC_FAILED, link, c, 0, 0);
    fabric_cell_free(f, c);
}

void fabric_failures_lose(struct fabric *f, uint32_t link, struct fabric_cell *c)
{
    f->tally[link].flushed++;
    lose(f, link, c);
}

/* A packet that left before the link failed and is here after that was on the wire. */
bool fabric_failures_sever(struct fabric *f, uint32_t link, struct fabric_cell *c)
{
    const struct fabric_outage *o = &f->failures->outage[link];
    if (!o->fell || c->start > o->down_at)
        return false;
    f->tally[link].severed++;
    lose(f, link, c);
    return true;
}
