/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simgrid/expand.h"

#include <string.h>

#include "engine/law.h"

/* Direction numbers that no channel of packets uses. */
enum { RETRY = 16 };

void grid_weather_init(struct grid_loss_process *w, const struct channel_conf *conf, uint64_t seed,
                       uint32_t repeat, uint32_t connection, uint32_t direction)
{
    memset(w, 0, sizeof *w);
    channel_init(&w->channel, conf, seed, repeat, connection, direction);
    w->retry = channel_key(seed, repeat, connection, RETRY + direction);
}

uint64_t grid_flow_octets(const struct grid_path *path, const struct grid_flow *flow)
{
    uint64_t octets = 0;
    for (uint32_t i = 0; i < flow->n; i++)
        octets += flow->packet[i].size + path->framing;
    return octets;
}

/* ---- departures ---- */

/* When it comes if it waits for the one ahead, of `was` octets, at the last of the slowest links, or at the last link. */
static iw_time behind(const struct grid_path *path, const struct grid_flow *flow, const struct grid_packet *p,
                      iw_time before, uint64_t was)
{
    uint64_t octets = p->size + path->framing, after = flow->behind * was / 1000;
    iw_time last = before + grid_link_time(path, p);
    iw_time narrow =
        before - (after < before ? after : before) + (flow->narrow + flow->behind) * octets / 1000;
    return narrow > last ? narrow : last;
}

/* Each packet at its share of the flow's time; a short one does not overtake a long one. */
static void depart(const struct grid_path *path, struct grid_flow *flow)
{
    double all = (double)grid_flow_octets(path, flow), span = (double)(flow->end - flow->start);
    double each = all > 0 ? span / all : 0;
    LAW(flow->end >= flow->start);
    int64_t octets = 0; /* signed: to and from a double in one instruction */
    iw_time before = flow->before;
    uint64_t was = flow->before_octets;
    for (uint32_t i = 0; i < flow->n; i++) {
        struct grid_packet *p = &flow->packet[i];
        octets += p->size + path->framing;
        p->at = flow->start + (iw_time)(int64_t)(each * (double)octets) + flow->latency +
                (p->size + path->framing) * flow->again / 1000;
        iw_time least = behind(path, flow, p, before, was);
        p->at = before && p->at < least ? least : p->at;
        LAW(p->at >= flow->start + flow->latency &&
            p->at >= before); /* nor before the one ahead of it on a clear channel */
        before = p->at;
        was = p->size + path->framing;
    }
}

/* ---- what the channel does ---- */

#define TIMEOUT_MOST UINT64_C(60000000000000) /* RFC 6298 (2.5): a minute or more */

/* How much later a lost packet arrives: once by duplicate acknowledgements or a timeout; when it is lost again, by
 * timeouts that double. */
static iw_time recover(const struct grid_path *path, struct grid_loss_process *w, struct grid_packet *p,
                       uint64_t number, iw_time told, struct grid_expanded *out)
{
    iw_time late = told ? told : path->timeout, timeout = path->timeout;
    out->timeouts += !told;
    p->resends = 1;
    for (uint32_t i = 0; i < GRID_RETRIES && late <= path->patience &&
                         channel_draw(w->retry, number * GRID_RETRIES + i) < w->channel.loss;
         i++) {
        late += timeout;
        timeout = 2 * timeout < TIMEOUT_MOST ? 2 * timeout : TIMEOUT_MOST;
        out->timeouts++;
        out->lost++;
        p->resends++;
    }
    out->resends += p->resends;
    LAW(out->lost <= out->resends); /* what is lost is sent again */
    return late;
}

static void mark(struct grid_packet *p, const struct channel_fate *fate)
{
    p->flags |= (uint8_t)((fate->duplicated ? GRID_DUPLICATED : 0) | (fate->corrupted ? GRID_CORRUPTED : 0));
    p->bit = (uint8_t)(fate->entropy & 7);
    p->corrupt = (uint32_t)(fate->entropy >> 8);
}

/* The receiver keeps nothing behind a hole of `hole`: what arrives meanwhile, so many packets, comes again, and the rest
 * of the flow with it. */
static uint64_t fall_behind(struct grid_expanded *out, iw_time hole, iw_time each)
{
    out->stall += hole;
    return each ? hole / each : 0;
}

static void come_again(struct grid_packet *p, uint64_t *unkept, struct grid_expanded *out)
{
    if (!*unkept)
        return;
    --*unkept;
    p->resends++;
    out->resends++;
}

static bool is_spared(const struct channel_fate *f)
{
    return !(f->lost | f->corrupted | f->duplicated | f->reordered) && !f->delay;
}

/* `told`: how much later it arrives when it is lost and those behind it tell. How late it is. */
static iw_time strike(const struct grid_path *path, struct grid_loss_process *w, struct grid_packet *p,
                      const struct channel_fate *fate, iw_time told, struct grid_expanded *out)
{
    uint64_t number = w->channel.number - 1;
    iw_time link = grid_link_time(path, p);
    mark(p, fate);
    out->lost += fate->lost;
    iw_time late = fate->lost ? recover(path, w, p, number, told, out) : fate->delay;
    if (path->go_back && (fate->lost || fate->reordered) && late > link)
        w->unkept = fall_behind(out, fate->lost ? late : told, link);
    else
        come_again(p, &w->unkept, out);
    p->flags |= late ? GRID_LATE : 0;
    return late;
}

static bool blow(const struct grid_path *path, struct grid_loss_process *w, struct grid_flow *flow,
                 struct grid_expanded *out)
{
    bool moved = false;
    uint32_t told_below =
        flow->tail ? flow->n - (path->dupacks < flow->n ? path->dupacks : flow->n) : flow->n;
    iw_time told = path->recovery + path->dupacks * (flow->end - flow->start) / (flow->n ? flow->n : 1);
    for (uint32_t i = 0; i < flow->n; i++) {
        struct grid_packet *p = &flow->packet[i];
        struct channel_fate fate = channel_take(&w->channel, grid_link_time(path, p));
        p->at += out->stall;
        if (is_spared(&fate)) {
            come_again(p, &w->unkept, out);
            continue;
        }
        iw_time late = strike(path, w, p, &fate, i < told_below ? told : 0, out);
        p->at += late;
        moved |= late > 0;
    }
    return moved;
}

/* ---- order of arrival ---- */

/* Nearly sorted as a rule; stable, so that ties stay by key. */
static void sort(struct grid_flow *flow)
{
    for (uint32_t i = 1; i < flow->n; i++) {
        struct grid_packet x = flow->packet[i];
        uint32_t j = i;
        for (; j && flow->packet[j - 1].at > x.at; j--)
            flow->packet[j] = flow->packet[j - 1];
        flow->packet[j] = x;
        LAW(!j || flow->packet[j - 1].at <= x.at);
    }
}

static void link_up(struct grid_flow *flow)
{
    for (uint32_t i = 0; i + 1 < flow->n; i++) {
        LAW(flow->packet[i].at <= flow->packet[i + 1].at); /* by arrival */
        flow->packet[i].next = &flow->packet[i + 1];
    }
    if (flow->n)
        flow->packet[flow->n - 1].next = NULL;
}

struct grid_expanded grid_expand(const struct grid_path *path, struct grid_loss_process *loss_process,
                                 struct grid_flow *flow)
{
    struct grid_expanded out = {0};
    depart(path, flow);
    out.clear = flow->n ? flow->packet[flow->n - 1].at : flow->end + flow->latency;
    if (loss_process && blow(path, loss_process, flow, &out))
        sort(flow);
    link_up(flow);
    out.last = flow->n ? flow->packet[flow->n - 1].at : flow->end + flow->latency;
    LAW(out.last >= out.clear); /* no packet arrives before its departure plus the flow's latency */
    return out;
}
