/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_simgrid_offers.c -- what the workload may ask of the world (world_simgrid.h). */
#include <stdlib.h>
#include <string.h>

#include "helpers/world/simgrid/world_simgrid.h"

static int offer_memory(void *context, uint32_t host, struct iw_region *region, iw_stag *stag)
{
    struct cluster *c = context;
    if (!message_memory_offer(&c->memory, c->point, c->trial, region))
        return IW_EFULL;
    return iw_register(c->host[host].stags, region, stag);
}

static int offer_rebind(void *context, uint32_t host, iw_stag stag, const struct iw_region *region)
{
    struct cluster *c = context;
    return iw_rebind(c->host[host].stags, stag, region);
}

/* `key` of the event: octets; `window`: is it the first that there is to send? */
static void hear_offer(struct cluster *c, struct grid_end *e, iw_time at, uint32_t octets, bool idle)
{
    struct cluster_event x = {.at = at, .kind = EVENT_HEARD, .of = e, .key = octets, .window = idle};
    if (idle)
        e->known = at;
    if (at <= c->now)
        cluster_heard(c, &x);
    else
        cluster_schedule(c, x);
}

static int offer_post(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    struct cluster *c = context;
    struct grid_end *e = &c->end[2 * conn + (uint32_t)side];
    iw_time at = most(now, c->now);
    bool idle = !iw_has_work(e->ep);
    int result = iw_post(e->ep, at, work);
    if (result != IW_OK)
        return result;
    iw_time heard = grid_post(e, at, work);
    if (work->op != IW_RECV)
        hear_offer(c, e, heard, step_octets(work), idle);
    else if (e->blocked)
        cluster_schedule(c, (struct cluster_event){.at = at, .kind = EVENT_AGAIN, .of = e});
    return result;
}

static void offer_wake(void *context, uint64_t at)
{
    struct cluster *c = context;
    c->wake = at == IW_NEVER ? at : most(at, c->now);
}

/* Octets that no engine made, as a flow of their own in the order of the stream. */
static int inject_octets(struct cluster *c, struct grid_end *e, const struct workload_wrong *wrong)
{
    struct grid_chunk *chunk = cluster_take_chunk(c);
    uint8_t *octets = malloc(wrong->len ? wrong->len : 1);
    if (!chunk || !octets) {
        free(octets);
        return IW_EFULL;
    }
    struct iw_seg seg;
    memcpy(octets, wrong->ulpdu, wrong->len);
    chunk->raw = octets;
    iw_seg_view(&seg, e->next_key, octets, wrong->len);
    iw_time at = grid_inject(e, c->now, chunk, &seg);
    chunk->packet[0].flags |= wrong->kind == WRONG_CRC      ? GRID_CORRUPTED
                              : wrong->kind == WRONG_MARKER ? GRID_MARKER
                                                            : 0;
    cluster_fly_at(c, chunk, at);
    return IW_OK;
}

static int offer_inject(void *context, uint64_t now, uint32_t conn, int side,
                        const struct workload_wrong *wrong)
{
    struct cluster *c = context;
    struct grid_end *e = &c->end[2 * conn + (uint32_t)side];
    if (wrong->kind == WRONG_TERMINATE) {
        int result = iw_terminate(e->ep, most(now, c->now), wrong->term);
        cluster_send_at(c, e, c->now);
        return result;
    }
    if (wrong->kind != WRONG_LOST)
        return inject_octets(c, e, wrong);
    for (int i = 0; i < 2; i++) {
        iw_llp(c->end[2 * conn + (uint32_t)i].ep, c->now, IW_LLP_LOST);
        cluster_look(c, c->now, &c->end[2 * conn + (uint32_t)i]);
    }
    return IW_OK;
}

struct workload_world cluster_offers(struct cluster *c)
{
    return (struct workload_world){c, offer_memory, offer_rebind, offer_post, offer_wake, offer_inject, NULL};
}
