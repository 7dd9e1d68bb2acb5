/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lane.c -- messages of one operation, one way, over one connection: from post to over (kind.h). */
#include <string.h>

#include "engine/least.h"
#include "engine/rdmap.h"
#include "scenarios/workloads/kind.h"
#include "scenarios/workloads/request.h"

/* A request's id: lane, whether it is a receive, number of the message. */
#define ID_LANE_SHIFT 56
#define ID_RECV       ((uint64_t)1 << 55)
#define ID_INDEX      (ID_RECV - 1)

/* Tagged offsets of a lane's memory, so that an offset tells the lane. */
#define TO_LANE_SHIFT 40

/* What stands for a lane in ids and offsets of buffers that are shared; then the id has the buffer's number, and that of the
 * workload, of several, that has posted it. */
enum { POOL = LANES_MAX };
#define ID_PART_SHIFT 40
#define ID_BUFFER     (((uint64_t)1 << ID_PART_SHIFT) - 1)

static uint64_t to_base(uint32_t lane)
{
    return (uint64_t)(lane + 1) << TO_LANE_SHIFT;
}

static uint32_t remote_slots(const struct workload_lane_plan *p)
{
    return request_takes_receive(p->op) ? p->recvs : p->depth;
}

static uint32_t names_of(const struct workload_lane_plan *p)
{
    return request_takes_receive(p->op) ? 1 : p->slot_stags ? p->depth : p->stags;
}

static struct workload_lane *lane_at(struct workload *w, uint32_t conn, uint32_t lane)
{
    return &w->flow[conn].lane[lane];
}

struct workload_slot *lane_slot(struct workload *w, uint32_t conn, uint32_t lane, uint64_t index)
{
    return &lane_at(w, conn, lane)->slots[index % w->plan[lane].depth];
}

iw_stag lane_name(const struct workload *w, uint32_t conn, uint32_t lane, uint64_t index)
{
    return w->flow[conn].lane[lane].names[index % names_of(&w->plan[lane])];
}

static uint64_t slot_offset(const struct workload_lane_plan *p, uint64_t index, uint32_t slots)
{
    return index % slots * p->slot;
}

/* Its octets are its own, and not those of memory. */
static bool carries_itself(enum iw_op op)
{
    return request_is_atomic(op) || op == IW_IMMEDIATE;
}

/* All Atomics of a lane change the number at its start. */
static uint64_t remote_to(const struct workload *w, uint32_t lane, uint64_t index)
{
    if (request_is_atomic(w->plan[lane].op))
        return to_base(lane);
    return to_base(lane) + slot_offset(&w->plan[lane], index, remote_slots(&w->plan[lane]));
}

bool lane_full(const struct workload *w, uint32_t conn, uint32_t lane)
{
    const struct workload_lane *l = &w->flow[conn].lane[lane];
    return l->posted - l->over >= w->plan[lane].depth;
}

bool lane_keeps_order(const struct workload *w, uint32_t conn, uint32_t lane)
{
    const struct workload_flow *f = &w->flow[conn];
    const struct workload_lane *l = &f->lane[lane];
    bool arrive = request_is_send(w->plan[lane].op) && !f->ended;
    return l->over <= l->posted && l->posted - l->over <= w->plan[lane].depth && l->arrived <= l->posted &&
           (!arrive || l->over <= l->arrived);
}

bool lane_writable(const struct workload *w, uint32_t host, iw_stag *stag, uint64_t *to)
{
    for (uint32_t c = 0; c < w->connections; c++)
        for (uint32_t i = 0; i < w->lanes; i++)
            if (request_is_write(w->plan[i].op) &&
                part_host(w->as, host_at(w, c, !w->plan[i].side)) == host) {
                *stag = lane_name(w, c, i, 0);
                *to = to_base(i);
                return true;
            }
    return false;
}

/* ---- memory ---- */

size_t lanes_size(const struct workload_lane_plan *plan, uint32_t lanes)
{
    size_t size = 0;
    for (uint32_t i = 0; i < lanes; i++)
        size += align16(plan[i].depth * sizeof(struct workload_slot)) +
                align16(names_of(&plan[i]) * sizeof(iw_stag));
    return size;
}

void lanes_init(struct workload *w, uint32_t conn, uint8_t *memory)
{
    const uint8_t *start = memory;
    for (uint32_t i = 0; i < w->lanes; i++) {
        struct workload_lane *l = lane_at(w, conn, i);
        l->slots = (struct workload_slot *)(void *)memory;
        memory += align16(w->plan[i].depth * sizeof(struct workload_slot));
        l->names = (iw_stag *)(void *)memory;
        memory += align16(names_of(&w->plan[i]) * sizeof(iw_stag));
    }
    LAW((size_t)(memory - start) == lanes_size(w->plan, w->lanes));
}

/* Register `len` octets at `*base`; NULL: new ones, and `*base` tells where. */
static int enroll_octets(struct workload *w, uint32_t host, uint8_t **base, uint64_t to, uint64_t len,
                         unsigned rights, iw_stag *stag)
{
    struct iw_region region = {.base = *base, .to = to, .len = len, .rights = rights, .pd = WORKLOAD_PD};
    int result = ask_memory(w, host, &region, stag);
    *base = region.base;
    return result;
}

static unsigned remote_rights(enum iw_op op)
{
    if (request_is_atomic(op))
        return IW_REMOTE_READ | IW_REMOTE_WRITE;
    return op == IW_READ ? IW_REMOTE_READ : request_is_write(op) ? IW_REMOTE_WRITE : IW_LOCAL_WRITE;
}

struct iw_region lane_region(const struct workload *w, uint32_t conn, uint32_t lane, uint64_t index)
{
    const struct workload_lane_plan *p = &w->plan[lane];
    uint64_t offset = slot_offset(p, index, p->depth);
    uint8_t *remote = w->flow[conn].lane[lane].remote;
    return (struct iw_region){.base = remote ? remote + offset : NULL,
                              .to = to_base(lane) + offset,
                              .len = p->slot,
                              .rights = remote_rights(p->op),
                              .pd = WORKLOAD_PD};
}

/* One name for all slots first, which brings the memory; then a name for each slot takes its place. */
static int enroll_slots(struct workload *w, uint32_t conn, uint32_t lane, uint32_t host)
{
    struct workload_lane *l = lane_at(w, conn, lane);
    const struct workload_lane_plan *p = &w->plan[lane];
    iw_stag whole;
    int result = enroll_octets(w, host, &l->remote, to_base(lane), (uint64_t)p->depth * p->slot,
                               IW_LOCAL_WRITE, &whole);
    for (uint32_t i = 0; result == IW_OK && i < p->depth; i++) {
        struct iw_region region = lane_region(w, conn, lane, i);
        result = ask_memory(w, host, &region, &l->names[i]);
    }
    return result;
}

static int enroll_remote(struct workload *w, uint32_t conn, uint32_t lane)
{
    struct workload_lane *l = lane_at(w, conn, lane);
    const struct workload_lane_plan *p = &w->plan[lane];
    uint32_t host = host_at(w, conn, !p->side);
    if (p->slot_stags)
        return enroll_slots(w, conn, lane, host);
    int result = IW_OK;
    for (uint32_t i = 0; result == IW_OK && i < names_of(p); i++)
        result = enroll_octets(w, host, &l->remote, to_base(lane), (uint64_t)remote_slots(p) * p->slot,
                               remote_rights(p->op), &l->names[i]);
    return result;
}

static int post_recv(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane, uint64_t index)
{
    const struct workload_lane_plan *p = &w->plan[lane];
    LAW(index - lane_at(w, conn, lane)->arrived < p->recvs); /* no more receives than buffers */
    struct iw_work work = {.id = (uint64_t)lane << ID_LANE_SHIFT | ID_RECV | index, .op = IW_RECV, .sges = 1};
    work.sge[0] = (struct iw_sge){lane_name(w, conn, lane, 0), p->slot, remote_to(w, lane, index)};
    return ask_post(w, now, conn, !p->side, &work);
}

/* ---- receive buffers that are shared ---- */

static bool is_shared(const struct workload *w, uint32_t lane)
{
    return w->conf.shared_receives && request_is_send(w->plan[lane].op);
}

/* The message may be of another tenant than the one whose buffer it came into, if they trust each other. */
static struct workload_pool *pool_with(struct workload *w, uint32_t host, uint64_t id)
{
    struct workload *owner = part_numbered(w, (uint32_t)((id & ID_INDEX) >> ID_PART_SHIFT));
    return &owner->pool[part_own_host(owner->as, part_host(w->as, host))];
}

/* A buffer, by its id, that has octets in a pool of its owner's; `w` posts it, at a host of its own. */
static int post_shared(struct workload *w, uint64_t now, uint32_t host, uint64_t id)
{
    const struct workload_pool *pool = pool_with(w, host, id);
    uint64_t buffer = id & ID_BUFFER;
    LAW(pool->made && buffer < w->conf.shared_receives);
    struct iw_work work = {.id = id, .op = IW_RECV, .sges = 1};
    work.sge[0] = (struct iw_sge){pool->stag, pool->slot, to_base(POOL) + buffer * pool->slot};
    return ask_post_shared(w, now, host, &work);
}

/* Octets of a buffer: messages of all workloads may come into it. */
static uint32_t pool_slot(const struct workload *w)
{
    uint32_t largest = 0;
    for (uint32_t k = 0; k < (w->whole ? w->whole->conf.parts : 1); k++) {
        const struct workload *part = w->whole ? w->whole->part[k] : w;
        for (uint32_t i = 0; i < part->lanes; i++)
            if (request_is_send(part->plan[i].op))
                largest = (uint32_t)most(largest, part->plan[i].slot);
    }
    return largest;
}

/* With the first lane of a host. */
static int make_pool(struct workload *w, uint32_t conn, uint32_t lane)
{
    uint32_t host = host_at(w, conn, !w->plan[lane].side), buffers = w->conf.shared_receives;
    struct workload_pool *pool = &w->pool[host];
    if (pool->made)
        return IW_OK;
    pool->made = true;
    pool->slot = pool_slot(w);
    int result = enroll_octets(w, host, &pool->memory, to_base(POOL), (uint64_t)buffers * pool->slot,
                               IW_LOCAL_WRITE, &pool->stag);
    for (uint64_t i = 0; result == IW_OK && i < buffers; i++)
        result = post_shared(w, 0, host,
                             (uint64_t)POOL << ID_LANE_SHIFT | ID_RECV |
                                 (uint64_t)part_number(w) << ID_PART_SHIFT | i);
    return result;
}

static int lane_prepare(struct workload *w, uint32_t conn, uint32_t lane)
{
    struct workload_lane *l = lane_at(w, conn, lane);
    const struct workload_lane_plan *p = &w->plan[lane];
    int result = enroll_octets(w, host_at(w, conn, p->side), &l->local, to_base(lane),
                               (uint64_t)p->depth * p->slot, IW_LOCAL_WRITE, &l->local_stag);
    if (result == IW_OK)
        result = is_shared(w, lane) ? make_pool(w, conn, lane) : enroll_remote(w, conn, lane);
    if (request_is_atomic(p->op) && l->remote)
        memset(l->remote, 0, sizeof(uint64_t));
    for (uint64_t i = 0;
         result == IW_OK && request_takes_receive(p->op) && !is_shared(w, lane) && i < p->recvs; i++)
        result = post_recv(w, 0, conn, lane, i);
    return result;
}

int lanes_prepare(struct workload *w, uint32_t conn)
{
    int result = IW_OK;
    for (uint32_t i = 0; result == IW_OK && i < w->lanes; i++)
        result = lane_prepare(w, conn, i);
    return result;
}

/* ---- payload ---- */

static uint8_t *source_of(struct workload *w, uint32_t conn, uint32_t lane, uint64_t index)
{
    const struct workload_lane_plan *p = &w->plan[lane];
    struct workload_lane *l = lane_at(w, conn, lane);
    uint8_t *base = p->op == IW_READ ? l->remote : l->local;
    return base ? base + slot_offset(p, index, p->depth) : NULL;
}

static const uint8_t *sink_of(struct workload *w, uint32_t conn, uint32_t lane, uint64_t index)
{
    const struct workload_lane_plan *p = &w->plan[lane];
    struct workload_lane *l = lane_at(w, conn, lane);
    const uint8_t *base = p->op == IW_READ ? l->local : l->remote;
    return base ? base + slot_offset(p, index, request_takes_receive(p->op) ? p->recvs : p->depth) : NULL;
}

/* Law: the memory at delivery holds what was sent. */
static void verify_at(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                      const struct workload_message *m, const uint8_t *sink)
{
    if (!sink)
        return;
    uint64_t key = stamp_key(w->base + conn, lane, m->index);
    uint32_t octets = w->conf.unproven ? stamp_wrong(sink, m->length, key) : 0;
    uint32_t wrong = w->conf.unproven && !octets ? m->length : stamp_check(sink, m->length, key);
    if (wrong == m->length && !octets)
        return;
    struct workload_broken broken = {
        .conn = conn, .side = m->side, .index = m->index, .offset = wrong, .octets = octets};
    broken.law = "memory at delivery equals what was sent";
    report_broken(w, now, &broken);
}

static void verify_message(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                           const struct workload_message *m)
{
    verify_at(w, now, conn, lane, m, sink_of(w, conn, lane, m->index));
}

/* How many of 8 octets differ. */
static uint32_t octets_unlike(uint64_t a, uint64_t b)
{
    uint32_t count = 0;
    for (uint64_t x = a ^ b; x; x >>= 8)
        count += (x & 0xff) != 0;
    return count;
}

/* Law: Immediate Data are those of the Write before it. */
static void verify_immediate(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                             const struct workload_message *m, const struct iw_done *done)
{
    (void)lane;
    struct workload_broken broken = {.conn = conn, .side = m->side, .index = m->index};
    broken.law = "Immediate Data come as they were sent";
    broken.octets = done->immediate ? octets_unlike(done->rsvdulp, m->index) : sizeof done->rsvdulp;
    if (!done->immediate || done->rsvdulp != m->index)
        report_broken(w, now, &broken);
}

/* Law: Atomics of a connection are done one after the other, each once: the `index`-th finds what `index` before it left. */
static void verify_atomic(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                          const struct workload_message *m, uint64_t original)
{
    struct workload_broken broken = {.conn = conn, .side = m->side, .index = m->index};
    broken.law = "an Atomic finds the number that the one before it left";
    broken.octets = octets_unlike(original, m->index);
    if (lane_at(w, conn, lane)->remote && original != m->index)
        report_broken(w, now, &broken);
}

/* ---- post ---- */

/* The number counts from 0: each adds 1, or swaps what the one before left for one more. */
static struct iw_atomic atomic_of(uint64_t index, enum iw_op op)
{
    if (op == IW_FETCH_ADD)
        return (struct iw_atomic){.data = 1};
    return (struct iw_atomic){
        .data = index + 1, .mask = UINT64_MAX, .compare = index, .compare_mask = UINT64_MAX};
}

static bool is_solicited(const struct workload *w, const struct workload_lane_plan *p, uint64_t index)
{
    return p->solicited && ((index + 1) % p->solicited == 0 || index + 1 == w->conf.count);
}

static struct iw_work work_of(struct workload *w, uint32_t conn, uint32_t lane, uint64_t index,
                              const struct workload_lane_post *post)
{
    const struct workload_lane_plan *p = &w->plan[lane];
    struct iw_work work = {
        .id = (uint64_t)lane << ID_LANE_SHIFT | index, .op = p->op, .sges = post->length > 0};
    if (is_solicited(w, p, index))
        work.op = IW_SEND_SE;
    work.sge[0] = (struct iw_sge){lane_at(w, conn, lane)->local_stag, post->length,
                                  to_base(lane) + slot_offset(p, index, p->depth)};
    if (carries_itself(p->op))
        work.sges = 0;
    if (request_is_atomic(p->op))
        work.atomic = atomic_of(index, p->op);
    if (p->op == IW_IMMEDIATE || workload_is(w->conf.kind, WORKLOAD_ON_DDP))
        work.rsvdulp = index;
    bool receives = request_takes_receive(p->op);
    work.remote_stag = receives ? post->invalidate : lane_name(w, conn, lane, index);
    work.remote_to = receives ? 0 : remote_to(w, lane, index);
    return work;
}

static void fill_slot(struct workload_slot *s, uint32_t conn, const struct workload_lane_plan *p,
                      uint64_t index, const struct workload_lane_post *post)
{
    memset(s, 0, sizeof *s);
    s->used = true;
    s->first_key = IW_NEVER;
    s->named = post->invalidate;
    s->m = message_posted(conn, p->side, p->op, post->length, post->t_post);
    s->m.index = index;
}

bool lane_post(struct workload *w, uint32_t conn, uint32_t lane, const struct workload_lane_post *post)
{
    struct workload_lane *l = lane_at(w, conn, lane);
    if (w->flow[conn].ended || lane_full(w, conn, lane))
        return false;
    uint64_t index = l->posted;
    LAW(!lane_slot(w, conn, lane, index)->used); /* slot i % depth belongs to message i until it is over */
    uint8_t *source = source_of(w, conn, lane, index);
    if (source && !carries_itself(w->plan[lane].op))
        (w->conf.unproven ? stamp_fill : stamp_put)(source, post->length,
                                                    stamp_key(w->base + conn, lane, index));
    struct iw_work work = work_of(w, conn, lane, index, post);
    int result = ask_post(w, post->now, conn, w->plan[lane].side, &work);
    if (result != IW_OK) {
        if (result == IW_EQUOTA)
            flow_refused(w, post->now, conn, result);
        flow_end(w, post->now, conn, result);
        return false;
    }
    fill_slot(lane_slot(w, conn, lane, index), conn, &w->plan[lane], index, post);
    lane_slot(w, conn, lane, index)->completed = !fault_waits(w);
    l->posted++;
    LAW(lane_keeps_order(w, conn, lane)); /* posted - over <= depth */
    return true;
}

/* ---- progress of one message ---- */

static void report(struct workload *w, uint64_t now, const struct workload_lane_plan *p,
                   struct workload_slot *s)
{
    LAW((s->m.status || s->m.t_post <= now) && s->placed <= s->m.length);
    if (p->latency && s->m.latency == IW_NEVER && s->m.status == 0)
        s->m.latency = message_latency(&s->m);
    if (p->report)
        report_message(w, now, &s->m);
}

static bool slot_is_over(const struct workload_slot *s)
{
    return s->completed && s->arrived && !s->untold && (s->delivered || request_is_asked_for(s->m.op));
}

/* Law: messages of a lane are over in the order they were posted. */
void lane_settle(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane)
{
    struct workload_lane *l = lane_at(w, conn, lane);
    while (!w->flow[conn].ended && l->over < l->posted) {
        struct workload_slot *s = lane_slot(w, conn, lane, l->over);
        LAW(s->used && s->m.index == l->over); /* messages of a lane are over in the order they were posted */
        if (!slot_is_over(s))
            return;
        report(w, now, &w->plan[lane], s);
        struct workload_message m = s->m;
        s->used = false;
        l->over++;
        LAW(lane_keeps_order(w, conn, lane)); /* over <= arrived <= posted */
        w->kind->over(w, now, conn, lane, &m);
    }
}

static void arrive(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane, struct workload_slot *s)
{
    LAW(!s->arrived && s->m.index < lane_at(w, conn, lane)->posted);
    s->arrived = true;
    struct workload_message m = s->m;
    if (w->kind->arrived)
        w->kind->arrived(w, now, conn, lane, &m);
}

static void broken(struct workload *w, uint64_t now, uint32_t conn, int side, uint64_t index, const char *law)
{
    struct workload_broken b = {.conn = conn, .side = side, .law = law, .index = index};
    report_broken(w, now, &b);
}

/* Law: a receive completes once, in order, with the length sent. False: it is broken. */
static bool is_next(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane, uint64_t index,
                    const struct iw_done *done)
{
    const struct workload_lane *l = lane_at(w, conn, lane);
    const struct workload_slot *s = lane_slot(w, conn, lane, index);
    if (index != l->arrived || index >= l->posted || !s->used || done->len != s->m.length ||
        done->invalidated != s->named) {
        broken(w, now, conn, !w->plan[lane].side, index,
               "a receive completes once, in order, with the length sent");
        return false;
    }
    return true;
}

/* Law: the field that DDP keeps for its ULP comes as it was sent, where no RDMAP uses it (RFC 5041 4.3). */
static void verify_received(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                            const struct workload_message *m, const struct iw_done *done)
{
    struct workload_broken broken = {.conn = conn, .side = m->side, .index = m->index};
    broken.law = "RsvdULP comes as it was sent";
    broken.octets = octets_unlike(done->rsvdulp, m->index);
    if (m->op == IW_DDP_UNTAGGED && broken.octets)
        report_broken(w, now, &broken);
    verify_message(w, now, conn, lane, m);
}

static void recv_done(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                      const struct iw_done *done)
{
    uint64_t index = done->id & ID_INDEX;
    struct workload_slot *s = lane_slot(w, conn, lane, index);
    if (done->status != IW_OK || !is_next(w, now, conn, lane, index, done))
        return; /* the events of the stream tell */
    (s->m.op == IW_IMMEDIATE ? verify_immediate : verify_received)(w, now, conn, lane, &s->m, done);
    lane_at(w, conn, lane)->arrived++;
    LAW(lane_keeps_order(w, conn, lane) && s->m.index + 1 == lane_at(w, conn, lane)->arrived); /* in order */
    if (fault_posts_again(w))
        post_recv(w, now, conn, lane, index + w->plan[lane].recvs);
    arrive(w, now, conn, lane, s);
    lane_settle(w, now, conn, lane);
}

/* The lane of Sends that `side` receives. */
static bool lane_to(const struct workload *w, int side, uint32_t *lane)
{
    for (*lane = 0; *lane < w->lanes; (*lane)++)
        if (request_is_send(w->plan[*lane].op) && w->plan[*lane].side != side)
            return true;
    return false;
}

static void post_shared_again(struct workload *w, uint64_t now, uint32_t host, uint64_t id)
{
    if (fault_posts_again(w))
        post_shared(w, now, host, id);
}

static const uint8_t *shared_octets(struct workload *w, uint32_t host, uint64_t id)
{
    const struct workload_pool *pool = pool_with(w, host, id);
    return pool->memory ? pool->memory + (id & ID_BUFFER) * pool->slot : NULL;
}

/* The buffer is free whatever has become of the message. */
static void shared_done(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_done *done)
{
    uint32_t lane, host = host_at(w, conn, side);
    uint64_t index = (uint64_t)done->msn - 1;
    if (w->flow[conn].ended || done->status != IW_OK || !fault_waits(w) || !lane_to(w, side, &lane)) {
        post_shared_again(w, now, host, done->id);
        return;
    }
    if (!is_next(w, now, conn, lane, index, done))
        return;
    struct workload_slot *s = lane_slot(w, conn, lane, index);
    verify_at(w, now, conn, lane, &s->m, shared_octets(w, host, done->id));
    lane_at(w, conn, lane)->arrived++;
    LAW(lane_keeps_order(w, conn, lane) && s->m.index + 1 == lane_at(w, conn, lane)->arrived); /* in order */
    post_shared_again(w, now, host, done->id);
    arrive(w, now, conn, lane, s);
    lane_settle(w, now, conn, lane);
}

static void send_done(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                      const struct iw_done *done)
{
    uint64_t index = done->id & ID_INDEX;
    struct workload_lane *l = lane_at(w, conn, lane);
    struct workload_slot *s = lane_slot(w, conn, lane, index);
    if (done->status != IW_OK) {
        flow_end(w, now, conn, done->status);
        return;
    }
    if (index < l->over || index >= l->posted || s->completed) {
        broken(w, now, conn, w->plan[lane].side, index, "a request completes once");
        return;
    }
    LAW(s->used && s->m.index == index);
    s->completed = true;
    s->m.t_completed = now;
    if (w->kind->completed)
        w->kind->completed(w, now, conn, lane, &s->m);
    if (request_is_asked_for(s->m.op)) {
        if (request_is_atomic(s->m.op))
            verify_atomic(w, now, conn, lane, &s->m, done->rsvdulp);
        else
            verify_message(w, now, conn, lane, &s->m);
        arrive(w, now, conn, lane, s);
    }
    lane_settle(w, now, conn, lane);
}

void lanes_done(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_done *done)
{
    uint32_t lane = (uint32_t)(done->id >> ID_LANE_SHIFT);
    if (lane == POOL)
        shared_done(w, now, conn, side, done);
    if (w->flow[conn].ended || lane >= w->lanes)
        return;
    if (!fault_waits(w))
        return;
    if (done->id & ID_RECV)
        recv_done(w, now, conn, lane, done);
    else
        send_done(w, now, conn, lane, done);
}

/* ---- placement and delivery ---- */

/* The side whose memory a lane's payload ends in. */
static int sink_side(const struct workload_lane_plan *p)
{
    return request_is_asked_for(p->op) ? p->side : !p->side;
}

/* The message that the octets at `offset` of a lane's sink belong to. */
static uint64_t index_at(struct workload *w, uint32_t conn, uint32_t lane, uint64_t offset)
{
    const struct workload_lane_plan *p = &w->plan[lane];
    struct workload_lane *l = lane_at(w, conn, lane);
    uint64_t slot = offset / p->slot;
    if (!request_takes_receive(p->op))
        return l->slots[slot % p->depth].m.index;
    uint64_t index = l->arrived + (slot + p->recvs - l->arrived % p->recvs) % p->recvs;
    LAW(index >= l->arrived && index % p->recvs == slot % p->recvs);
    return index;
}

static bool lane_of_to(const struct workload *w, int side, uint64_t to, uint32_t *lane)
{
    uint64_t base = to >> TO_LANE_SHIFT;
    *lane = (uint32_t)(base - 1);
    return base >= 1 && base <= w->lanes && sink_side(&w->plan[*lane]) == side;
}

/* A buffer that is shared does not tell whose message it has; the MSN does. */
static bool message_at(struct workload *w, uint32_t conn, int side, const struct iw_place *place,
                       uint32_t *lane, uint64_t *index)
{
    if (place->to >> TO_LANE_SHIFT == POOL + 1) {
        *index = (uint64_t)place->msn - 1;
        return lane_to(w, side, lane);
    }
    if (!lane_of_to(w, side, place->to, lane))
        return false;
    *index = index_at(w, conn, *lane, place->to - to_base(*lane));
    return true;
}

/* Has it to do with a message? */
static bool is_of_message(struct workload *w, uint32_t conn, int side, const struct iw_place *place,
                          uint32_t *lane, uint64_t *index)
{
    return !w->flow[conn].ended && place->len && message_at(w, conn, side, place, lane, index);
}

/* Of a message that was posted, and no more than is missing. */
static bool may_be_placed(struct workload *w, uint32_t conn, uint32_t lane, uint64_t index, uint32_t len)
{
    const struct workload_lane *l = lane_at(w, conn, lane);
    const struct workload_slot *s = lane_slot(w, conn, lane, index);
    return index >= l->over && index < l->posted && len <= s->m.length - s->placed;
}

static void count_placed(struct workload_slot *s, uint64_t now, uint32_t len)
{
    s->placed += len;
    LAW(s->used && s->placed <= s->m.length);
    if (s->m.t_first_placed == IW_NEVER)
        s->m.t_first_placed = now;
}

bool lanes_placed_alone(struct workload *w, uint64_t now, uint32_t conn, int side,
                        const struct iw_place *place)
{
    uint32_t lane;
    uint64_t index;
    if (!is_of_message(w, conn, side, place, &lane, &index))
        return true;
    struct workload_slot *s = lane_slot(w, conn, lane, index);
    if (!may_be_placed(w, conn, lane, index, place->len) || place->len == s->m.length - s->placed)
        return false;
    count_placed(s, now, place->len);
    return true;
}

void lanes_placed(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_place *place)
{
    uint32_t lane, len = place->len;
    uint64_t index;
    if (!is_of_message(w, conn, side, place, &lane, &index))
        return;
    struct workload_slot *s = lane_slot(w, conn, lane, index);
    if (!may_be_placed(w, conn, lane, index, len)) {
        broken(w, now, conn, side, index,
               "octets are placed once, and only those of a message that was posted");
        return;
    }
    count_placed(s, now, len);
    if (w->conf.notify && lane == NOTIFY_DATA)
        notify_placed(w, now, s, (place->to - to_base(lane)) % w->plan[lane].slot + len, len);
    if (s->placed < s->m.length)
        return;
    s->m.t_last_placed = now;
    if (request_is_write(s->m.op))
        arrive(w, now, conn, lane, s);
}

static void write_delivered(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                            struct workload_slot *s)
{
    if (s->m.length == 0) {
        s->m.t_first_placed = s->m.t_last_placed = now;
        arrive(w, now, conn, lane, s);
    }
    if (!s->arrived)
        broken(w, now, conn, w->plan[lane].side, s->m.index,
               "a message is delivered when all of it is in place");
    verify_message(w, now, conn, lane, &s->m);
}

/* Nobody looks at the completion. */
static void receive_blindly(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                            struct workload_slot *s)
{
    lane_at(w, conn, lane)->arrived++;
    if (!is_shared(w, lane))
        post_recv(w, now, conn, lane, s->m.index + w->plan[lane].recvs);
    arrive(w, now, conn, lane, s);
}

static void lane_delivered(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane)
{
    struct workload_lane *l = lane_at(w, conn, lane);
    uint64_t index = l->delivered++;
    struct workload_slot *s = lane_slot(w, conn, lane, index);
    if (index < l->over || index >= l->posted) {
        broken(w, now, conn, w->plan[lane].side, index, "every message that is delivered was posted");
        return;
    }
    LAW(!s->delivered && s->m.index == index && l->delivered <= l->posted); /* in the order sent, once */
    s->delivered = true;
    s->m.t_delivered = now;
    if (request_is_write(s->m.op))
        write_delivered(w, now, conn, lane, s);
    else if (!fault_waits(w))
        receive_blindly(w, now, conn, lane, s);
    lane_settle(w, now, conn, lane);
}

void lanes_delivered(struct workload *w, uint64_t now, uint32_t conn, int side,
                     const struct iw_message *message)
{
    bool alone = workload_is(w->conf.kind, WORKLOAD_ON_DDP);
    bool write = alone ? message->head.tagged : message->ctl.opcode == RDMAP_WRITE;
    bool send = message->ctl.opcode >= RDMAP_SEND && message->ctl.opcode <= RDMAP_SEND_SE_INV;
    send = alone ? !write : send || message->ctl.opcode == RDMAP_IMMEDIATE;
    for (uint32_t i = 0; i < w->lanes && !w->flow[conn].ended; i++) {
        const struct workload_lane_plan *p = &w->plan[i];
        bool mine =
            write ? request_is_write(p->op) && (!w->conf.notify || message->to >> TO_LANE_SHIFT == i + 1)
                  : send && request_takes_receive(p->op);
        if (p->side != side && mine) {
            lane_delivered(w, now, conn, i);
            return;
        }
    }
}

/* ---- which segments were a message's ---- */

/* The message of a segment that carries payload of a lane; false when it is none of this lane. */
static bool slot_of_segment(struct workload *w, uint32_t conn, uint32_t lane, const struct ddp_head *h,
                            struct workload_slot **slot)
{
    const struct workload_lane_plan *p = &w->plan[lane];
    struct workload_lane *l = lane_at(w, conn, lane);
    uint64_t index = h->tagged ? index_at(w, conn, lane, h->to - to_base(lane)) : h->msn - 1;
    *slot = lane_slot(w, conn, lane, index);
    return index >= l->over && index < l->posted && h->tagged != request_takes_receive(p->op);
}

/* What answers an Atomic tells that it was done. */
static bool answers_mark(const struct workload *w, int side, const struct ddp_head *h)
{
    return w->conf.notify && request_is_atomic(w->plan[NOTIFY_MARK].op) && !h->tagged &&
           h->qn == RDMAP_QN_ATOMIC_RESP && w->plan[NOTIFY_MARK].side != side;
}

void lanes_sent(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_seg *seg)
{
    struct ddp_head h;
    struct workload_slot *s;
    if (!ddp_head_get(seg->head, seg->head_len, &h))
        return;
    if (answers_mark(w, side, &h))
        notify_done(w, now, conn, h.msn - 1);
    if (!h.tagged && h.qn != 0)
        return;
    for (uint32_t i = 0; i < w->lanes; i++) {
        bool mine = h.tagged ? h.to >> TO_LANE_SHIFT == i + 1 : request_takes_receive(w->plan[i].op);
        if (!mine || sink_side(&w->plan[i]) == side || !slot_of_segment(w, conn, i, &h, &s))
            continue;
        if (s->first_key == IW_NEVER)
            s->first_key = seg->key;
        s->last_key = seg->key;
    }
}

static void lane_resent(struct workload *w, uint32_t conn, uint32_t lane, uint64_t key, uint64_t end)
{
    struct workload_lane *l = lane_at(w, conn, lane);
    for (uint64_t i = l->over; i < l->posted; i++) {
        struct workload_slot *s = lane_slot(w, conn, lane, i);
        if (s->first_key != IW_NEVER && s->first_key < end && key <= s->last_key)
            s->m.retransmitted++;
    }
}

void lanes_resent(struct workload *w, uint32_t conn, int side, uint64_t key, uint64_t end)
{
    for (uint32_t i = 0; i < w->lanes; i++)
        if (sink_side(&w->plan[i]) != side)
            lane_resent(w, conn, i, key, end);
}

/* ---- the end of a connection ---- */

static void fail_lane(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane, int status)
{
    struct workload_lane *l = lane_at(w, conn, lane);
    for (; l->over < l->posted; l->over++) {
        struct workload_slot *s = lane_slot(w, conn, lane, l->over);
        LAW(s->used && s->m.index == l->over);
        s->m.status = status;
        s->used = false;
        if (s->m.t_first_placed > now) /* by a host that ran ahead */
            s->m.t_first_placed = IW_NEVER;
        report(w, now, &w->plan[lane], s);
    }
}

static void end_one(struct workload *w, uint64_t now, uint32_t conn, int status)
{
    LAW(!w->flow[conn].ended);
    w->flow[conn].ended = true;
    for (uint32_t i = 0; i < w->lanes; i++)
        fail_lane(w, now, conn, i, status);
    if (w->kind->ended)
        w->kind->ended(w, now, conn, status);
}

void flow_end(struct workload *w, uint64_t now, uint32_t conn, int status)
{
    if (w->flow[conn].ended)
        return;
    end_one(w, now, conn, status);
    for (uint32_t c = 0; w->kind->together && c < w->connections; c++)
        if (!w->flow[c].ended) {
            end_one(w, now, c, IW_FLUSHED);
            flow_over(w, c);
        }
}
