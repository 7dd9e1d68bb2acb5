/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ulp.c -- what the ULPs do. What they watch stands in watch.c. */
#include "ulp.h"

#include <string.h>

enum { STEPS_MAX = 400000, SECOND_STREAM = 9, OTHER_PD = 2, RECV_ID = 1000 };

/* ---- memory ---- */

struct iw_region ulp_region(const struct ulp *u, int side, uint8_t i)
{
    const struct ulp_side *s = &u->side[side];
    const struct plan_region *r = &s->region[i];
    const struct iw_conf *conf = &u->plan->side[side].conf;
    struct iw_region region = {
        .base = s->memory ? s->memory + r->start : NULL, .to = r->to, .len = r->len, .rights = r->rights};
    if (r->by_stream)
        region.stream[0] = conf->stream;
    else
        region.pd = i == REGION_FOREIGN ? OTHER_PD : conf->pd;
    if (i == REGION_SHARED)
        region.stream[1] = SECOND_STREAM;
    return region;
}

static void register_regions(struct ulp *u, int side)
{
    struct ulp_side *s = &u->side[side];
    memcpy(s->region, u->plan->side[side].region, sizeof s->region);
    for (int i = 0; i < REGIONS; i++) {
        const struct plan_region *r = &s->region[i];
        struct iw_region region = ulp_region(u, side, (uint8_t)i);
        int result = iw_register(u->world->stags[side], &region, &s->stag[i]);
        law(result == IW_OK, "registration of region %d: %d", i, result);
        law_trace("  side %d region %2d: STag %08x TO %llx + %u at %u rights %u", side, i, s->stag[i],
                  (unsigned long long)r->to, r->len, r->start, r->rights);
    }
}

static uint8_t *octets_at(const struct ulp *u, int side, struct area a, uint8_t *memory)
{
    return memory + u->plan->side[side].region[a.region].start + a.at;
}

/* What a request reads must be there before: its own sources, and what a Read finds at the peer. */
static void fill_sources(struct ulp *u, int side, const struct job *j)
{
    struct content c = j->content;
    if (j->derived || j->term[0])
        return;
    if (j->op == IW_READ) {
        content_fill(c, octets_at(u, !side, j->remote, u->side[!side].memory), j->len);
        return;
    }
    for (int i = 0; i < j->sges; i++) {
        content_fill(c, octets_at(u, side, j->local[i], u->side[side].memory), j->local[i].len);
        c.offset += j->local[i].len;
    }
}

/* Where the octets of a request end up: at the side and in the area given back; false when nowhere. */
static bool target_of(const struct ulp *u, int side, const struct job *j, int *at, struct area *a)
{
    bool immediate = j->op == IW_IMMEDIATE || j->op == IW_IMMEDIATE_SE;
    if (immediate || !j->len || j->term[0] || (op_untagged(j->op) && j->recv == NONE))
        return false;
    *at = j->op == IW_READ ? side : !side;
    *a = j->op == IW_READ     ? j->local[0]
         : op_untagged(j->op) ? u->plan->side[!side].recv[j->recv].area
                              : j->remote;
    a->len = j->len;
    return true;
}

static void foretell(struct ulp *u, int side, const struct job *j)
{
    int at;
    struct area a;
    if (target_of(u, side, j, &at, &a))
        content_fill(j->content, octets_at(u, at, a, u->side[at].final), a.len);
}

static void for_jobs(struct ulp *u, void (*what)(struct ulp *, int, const struct job *))
{
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < u->plan->side[side].jobs; i++)
            what(u, side, &u->plan->side[side].job[i]);
}

static void make_memory(struct ulp *u)
{
    struct draw d = draw_start(u->plan->seed, 2);
    for (int side = 0; side < 2; side++) {
        struct ulp_side *s = &u->side[side];
        uint32_t n = u->plan->side[side].memory;
        s->memory = law_memory(n);
        s->shadow = law_memory(n);
        s->final = law_memory(n);
        content_fill((struct content){draw_bits(&d), 0}, s->memory, n);
    }
    for_jobs(u, fill_sources);
    for (int side = 0; side < 2; side++) {
        struct ulp_side *s = &u->side[side];
        memcpy(s->shadow, s->memory, u->plan->side[side].memory);
        memcpy(s->final, s->memory, u->plan->side[side].memory);
    }
    for_jobs(u, foretell);
}

void ulp_start(struct ulp *u, const struct plan *plan, struct world *world)
{
    *u = (struct ulp){.plan = plan, .world = world, .d = draw_start(plan->seed, 3)};
    world->hear = ulp_hear;
    world->user = u;
    if (!world->length_only)
        make_memory(u);
    for (int side = 0; side < 2; side++) {
        register_regions(u, side);
        wire_laws_start(&u->wire[side]);
    }
}

/* ---- requests ---- */

static struct iw_sge sge_of(const struct ulp *u, int side, struct area a)
{
    return (struct iw_sge){u->side[side].stag[a.region], a.len,
                           u->plan->side[side].region[a.region].to + a.at};
}

static struct iw_work work_of(const struct ulp *u, int side, uint32_t index)
{
    const struct job *j = &u->plan->side[side].job[index];
    struct iw_work w = {
        .id = index, .op = j->op, .flags = j->flags, .sges = j->sges, .qn = j->qn, .rsvdulp = j->rsvdulp};
    for (int i = 0; i < j->sges; i++)
        w.sge[i] = sge_of(u, side, j->local[i]);
    if (j->window != NONE)
        w.remote_stag = u->side[!side].stag[j->window];
    if (!op_untagged(j->op)) {
        struct iw_sge remote = sge_of(u, !side, j->remote);
        w.remote_stag = remote.stag;
        w.remote_to = j->wild ? j->wild_to : remote.to;
    }
    if (j->wild_stag)
        w.remote_stag = j->wild_stag;
    return w;
}

/* A Send goes only where a receive waits for it, unless the peer can wait (IW_RECOVER) or must have none. */
static bool has_credit(const struct ulp *u, int side, const struct job *j)
{
    if (!op_untagged(j->op) || j->recv == NONE)
        return true;
    return u->plan->side[!side].conf.profile & IW_RECOVER || u->side[!side].recv_posted > j->recv;
}

static bool ended(const struct ulp *u, int side)
{
    return u->side[side].events & (1u << IW_EV_CLOSED | 1u << IW_EV_FATAL | 1u << IW_EV_TERMINATE_RECEIVED);
}

/* What may a post answer now? Nothing is taken after the end, which may come with the post. `over`: it had come before.
 * checks: DDP-6.2.1-2 DDP-3-8b */
static void check_answer(const struct ulp *u, int side, int result, bool over)
{
    bool mute = u->may_fail &&
                u->side[side].events & 1u << IW_EV_HALF_CLOSED; /* Reads, and one who never may speak */
    if ((result == IW_EINVAL && u->loose) || (result == IW_ESTATE && mute))
        return;
    if (over || (result == IW_ESTATE && ended(u, side)))
        law(result == IW_ESTATE, "side %d: a post after the end gave %d", side, result);
    else
        law(result == IW_OK || result == IW_EFULL, "side %d: job %u was refused: %d", side,
            u->side[side].posted, result);
}

/* A DDP stream takes one more request after an error (DDP-7.1-E4); these ULPs have nothing to say then. */
static bool post_job(struct ulp *u, int side)
{
    struct ulp_side *s = &u->side[side];
    const struct plan_side *p = &u->plan->side[side];
    bool silent = ended(u, side) && p->conf.profile & IW_DDP_ONLY;
    if (s->posted == p->jobs || silent || s->stuck || !has_credit(u, side, &p->job[s->posted]))
        return false;
    struct iw_work w = s->work[s->posted] = work_of(u, side, s->posted);
    law_trace("side %d posts job %u: %s, %u octets%s", side, s->posted, op_name(w.op), p->job[s->posted].len,
              w.flags & IW_FENCE ? ", fenced" : "");
    bool over = ended(u, side) || s->closing;
    s->posted++; /* it may have effect before the call is back */
    int result = u->world->post(u->world, side, &w);
    ulp_poll(u);
    check_answer(u, side, result, over);
    if (result == IW_OK)
        return true;
    law_trace("side %d: job %u is refused: %d", side, --s->posted, result);
    s->stuck = s->stuck || result != IW_EFULL;
    return false;
}

static bool post_recv(struct ulp *u, int side)
{
    struct ulp_side *s = &u->side[side];
    const struct plan_side *p = &u->plan->side[side];
    if (s->recv_posted == p->recvs)
        return false;
    const struct recv *r = &p->recv[s->recv_posted];
    struct iw_work w = {.id = RECV_ID + s->recv_posted, .op = IW_RECV, .sges = !r->empty, .qn = r->qn};
    if (!r->empty)
        w.sge[0] = sge_of(u, side, r->area);
    law_trace("side %d posts receive %u", side, s->recv_posted);
    s->recv_posted++;
    int result = u->world->post(u->world, side, &w);
    if (result == IW_OK)
        return true;
    law_trace("side %d: receive %u is refused: %d", side, --s->recv_posted, result);
    bool half_closed = s->events & 1u << IW_EV_HALF_CLOSED;
    s->stuck = s->stuck || result == IW_EINVAL;
    law(result == IW_EFULL || ended(u, side) || half_closed || (u->loose && result == IW_EINVAL),
        "side %d: receive %u was refused: %d", side, s->recv_posted, result);
    return false;
}

/* ---- closing ---- */

static bool answered_all(const struct ulp *u, int side)
{
    for (uint32_t i = u->side[side].answered; i < u->plan->side[side].jobs; i++)
        if (u->plan->side[side].job[i].op == IW_READ)
            return false;
    return true;
}

/* A side closes when it has nothing more to say, not even an answer. */
static bool close_side(struct ulp *u, int side)
{
    struct ulp_side *s = &u->side[side];
    bool over = ended(u, side) || (u->hurried && (s->stuck || s->events & 1u << IW_EV_HALF_CLOSED));
    bool done = s->posted == u->plan->side[side].jobs && answered_all(u, !side);
    if (s->closing || !(done || over))
        return false;
    enum iw_close_how how = draw_chance(&u->d, 50) ? IW_CLOSE : IW_HALF_CLOSE;
    s->closing = true;
    law_trace("side %d closes%s", side, how == IW_CLOSE ? "" : " its half");
    u->world->close(u->world, side, how);
    return true;
}

/* Must the ULP end the stream? DDP does not do so by itself after an error (DDP-6.2.2-6); and a side whose
 * memory was taken away may never be able to drain. */
static bool wants_abort(const struct ulp *u, int side)
{
    const struct ulp_side *s = &u->side[side];
    bool alone = u->plan->side[side].conf.profile & IW_DDP_ONLY && s->events & 1u << IW_EV_FATAL;
    return (alone || (s->stuck && s->closing)) && !(s->events & 1u << IW_EV_CLOSED);
}

static bool abort_side(struct ulp *u, int side)
{
    if (!wants_abort(u, side))
        return false;
    law_trace("side %d aborts", side);
    return u->world->close(u->world, side, IW_ABORT) == IW_OK;
}

/* ---- life ---- */

bool ulp_act(struct ulp *u)
{
    static bool (*const acts[])(struct ulp *, int) = {post_job, post_recv, close_side, abort_side};
    enum { ACTS = 4 };
    uint32_t first = draw_below(&u->d, 2 * ACTS);
    for (uint32_t i = 0; i < 4 * ACTS; i++) { /* twice round: a refusal is a reason to close */
        uint32_t n = (first + i) % (2 * ACTS);
        int side = (int)(n / ACTS);
        if (!acts[n % ACTS](u, side))
            continue;
        ulp_poll(u);
        return true;
    }
    return false;
}

void ulp_run(struct ulp *u, uint32_t chance)
{
    for (uint32_t steps = 0;; steps++) {
        law(steps < STEPS_MAX, "no end after %u steps", steps);
        if (u->meddle)
            u->meddle(u, u->meddler);
        bool acted = draw_chance(&u->d, chance) && ulp_act(u), stepped = u->world->step(u->world);
        ulp_poll(u);
        if (acted || stepped || ulp_act(u))
            continue;
        if (!u->world->expire(u->world))
            break;
        ulp_poll(u);
    }
}
