/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pfc.c -- priority flow control (IEEE 802.1Qbb) with one priority: a switch that holds too much of what came by one port
 * pauses whoever sends there.
 *
 * A pause frame takes no room on the link: it is there after its own serialization and the link's delay, whatever else is
 * under way, and stops the next packet. A pause lasts until it is taken back.
 * LAW: octets that wait of one ingress <= xoff + headroom; so no switch drops. */
#include "fabric/fabric_inner.h"

static const iw_time WATCH =
    UINT64_C(100000000); /* how often links are looked at while some are paused: 100 us */

static void watch_again(struct fabric *f)
{
    uint32_t timer = f->conf.timers + TIMER_WATCH;
    fabric_touched(f);
    fabric_events_set(&f->events, timer_of_workload(f, timer), event_order(EVENT_WORKLOAD, timer),
                      f->now + WATCH);
}

/* From the port that sends on `link` to the one at its other end. */
static void send_frame(struct fabric *f, uint32_t link, uint8_t flag)
{
    const struct fabric_port *p = &f->port[link];
    const struct fabric_timing *l = &f->line[p->line];
    struct fabric_cell *c = fabric_cell_new(f, 0);
    if (!c)
        return;
    c->connection = NONE;
    c->flags = flag;
    f->frames += !f->parts;
    c->number = f->queue[link].frames++;
    iw_time at = f->now + serialization(l, FABRIC_PAUSE) + l->delay;
    if (p->cut)
        fabric_cross(f, link, c, at);
    else
        fabric_late_add(f, c, at, p->peer);
}

void fabric_pfc_counts(struct fabric *f, bool stops)
{
    LAW(stops ? f->pausing < f->extent.ports : f->pausing);
    if (!stops)
        f->pausing--;
    else if (!f->pausing++)
        watch_again(f);
}

void fabric_pfc_waits(struct fabric *f, const struct fabric_cell *c)
{
    uint32_t back = f->port[c->ingress].peer;
    struct fabric_queue *q = &f->queue[back];
    q->ingress += c->size;
    LAW(q->ingress <=
        f->conf.pfc.xoff + f->conf.pfc.headroom); /* octets that wait of one ingress <= xoff + headroom */
    if (q->ingress > q->ingress_peak)
        q->ingress_peak = q->ingress;
    if (q->pausing || q->ingress < f->conf.pfc.xoff)
        return;
    q->pausing = true;
    f->counts.pauses++;
    if (!fabric_notes_pause(f, true))
        fabric_pfc_counts(fabric_whole(f), true);
    send_frame(f, back, CELL_PAUSE);
}

void fabric_pfc_leaves(struct fabric *f, const struct fabric_cell *c)
{
    uint32_t back = f->port[c->ingress].peer;
    struct fabric_queue *q = &f->queue[back];
    LAW(q->ingress >= c->size && q->ingress_peak >= q->ingress);
    q->ingress -= c->size;
    if (!q->pausing || q->ingress > f->conf.pfc.xon)
        return;
    q->pausing = false;
    if (!fabric_notes_pause(f, false))
        fabric_pfc_counts(fabric_whole(f), false);
    send_frame(f, back, CELL_RESUME);
}

static void stop(struct fabric *f, uint32_t link)
{
    LAW(!f->port[link].paused && fabric_is_own(f, fabric_sender(f, link)));
    f->port[link].paused = 1;
    f->queue[link].paused_since = f->now;
    f->tally[link].pauses++;
    fabric_tell(f, FABRIC_PAUSED, link, NULL, f->queue[link].data.octets, 0);
}

static void resume_port(struct fabric *f, uint32_t link)
{
    struct fabric_port *p = &f->port[link];
    iw_time stood = f->now - f->queue[link].paused_since;
    LAW(p->paused && stood <= f->now); /* a frame that takes back follows one that stops */
    p->paused = 0;
    f->tally[link].paused += stood;
    fabric_tell(f, FABRIC_RESUMED, link, NULL, f->queue[link].data.octets, stood);
    if (link < f->extent.hosts)
        fabric_host_touched(f, link);
    else if (!p->armed)
        fabric_queue_departs(f, link);
}

void fabric_pfc_frame(struct fabric *f, uint32_t link, struct fabric_cell *c)
{
    uint8_t flag = c->flags;
    LAW(f->parts || f->frames);
    f->frames -= !f->parts;
    fabric_cell_free(f, c);
    if (flag & CELL_PAUSE)
        stop(f, link);
    else
        resume_port(f, link);
}

void fabric_pfc_watch(struct fabric *f)
{
    LAW(fabric_pauses_agree(f));
    if (!f->pausing)
        return;
    watch_again(f);
    if (fabric_deadlocked(f))
        fabric_end_with(f, FABRIC_DEADLOCK, NULL);
}
