/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch.c -- what must be true of memory, of deliveries and of completions, at every step and at the end. */
#include <string.h>

#include "ulp.h"

enum { ENDED = 1 << IW_EV_FATAL | 1 << IW_EV_TERMINATE_RECEIVED | 1 << IW_EV_CLOSED };
enum { RECV_ID = 1000, IMMEDIATE_OCTETS = 8, NEIGHBOURS = 64 };

static const struct plan_side *plan_of(const struct ulp *u, int side)
{
    return &u->plan->side[side];
}

static bool rdmap(const struct ulp *u)
{
    return !(u->plan->side[0].conf.profile & IW_DDP_ONLY);
}

static bool is_immediate(enum iw_op op)
{
    return op == IW_IMMEDIATE || op == IW_IMMEDIATE_SE;
}

static void note(struct ulp *u, uint64_t value)
{
    u->trace = law_mix(u->trace ^ value);
}

/* ---- memory ---- */

uint8_t ulp_region_of(const struct ulp *u, int side, iw_stag stag)
{
    for (uint8_t i = 0; i < REGIONS; i++)
        if (u->side[side].stag[i] == stag)
            return i;
    return NONE;
}

uint8_t ulp_recv_of(const struct ulp *u, int side, uint32_t qn, uint32_t msn)
{
    const struct plan_side *p = plan_of(u, side);
    uint32_t next = p->conf.first_msn ? p->conf.first_msn : 1;
    for (uint8_t i = 0; i < u->side[side].recv_posted; i++)
        if (p->recv[i].qn == qn && next++ == msn)
            return i;
    return NONE;
}

static void check_octets(const struct ulp *u, int side, uint32_t from, uint32_t to)
{
    const struct ulp_side *s = &u->side[side];
    for (uint32_t i = from; i < to; i++)
        law(s->memory[i] == s->shadow[i], "side %d: octet %u of its memory is %02x and should be %02x", side,
            i, s->memory[i], s->shadow[i]);
}

void ulp_check_memory(const struct ulp *u, int side)
{
    const struct ulp_side *s = &u->side[side];
    if (s->memory && memcmp(s->memory, s->shadow, plan_of(u, side)->memory))
        check_octets(u, side, 0, plan_of(u, side)->memory);
}

/* Where a segment must go by our own reckoning. The laws: only into a region that is open, with the right it
 * needs, inside its range; an untagged one inside the receive that its MSN names. */
struct target {
    uint8_t region;
    uint64_t to;
};

/* checks: DDP-7.1-T1 DDP-7.1-T3 DDP-7.1-T4 DDP-7.1-T5 DDP-8.3-1 DDP-8.3-2 DDP-8.3.1-3 DDP-8.3.1-5 DDP-8.3.1-6 RDMAP-8.1.1-3 RDMAP-8.1.1-5 RDMAP-8.1.1-6 */
static struct target tagged_target(const struct ulp *u, int side, const struct ddp_head *head, bool response)
{
    struct target t = {ulp_region_of(u, side, head->stag), head->to};
    law(t.region != NONE, "side %d placed octets through STag %08x, which nobody registered", side,
        head->stag);
    unsigned rights = u->side[side].region[t.region].rights;
    law(rights & (response ? IW_LOCAL_WRITE : IW_REMOTE_WRITE), "side %d: region %u may not be written", side,
        t.region);
    return t;
}

/* checks: DDP-7.1-U0 DDP-7.1-U2 DDP-7.1-U3 DDP-7.1-U4 DDP-7.1-U5 */
static struct target untagged_target(const struct ulp *u, int side, const struct ddp_head *head, uint32_t len)
{
    uint8_t index = ulp_recv_of(u, side, head->qn, head->msn);
    law(index != NONE, "side %d placed octets of MSN %u on QN %u, for which no receive was posted", side,
        head->msn, head->qn);
    const struct recv *r = &plan_of(u, side)->recv[index];
    law(!u->side[side].recv_done[index], "side %d placed octets in receive %u after its completion", side,
        index);
    law(!r->empty && head->mo <= r->area.len && len <= r->area.len - head->mo,
        "side %d placed octets beside receive %u", side, index);
    return (struct target){r->area.region,
                           plan_of(u, side)->region[r->area.region].to + r->area.at + head->mo};
}

static bool is_response(const struct ulp *u, const struct ddp_head *head)
{
    struct rdmap_ctl ctl;
    rdmap_ctl_get(head->rsvdulp, head->tagged, &ctl);
    return rdmap(u) && ctl.opcode == RDMAP_READ_RESP;
}

/* Does RDMAP keep the octets of this segment itself? */
static bool kept_by_rdmap(const struct ulp *u, const struct ddp_head *head)
{
    struct rdmap_ctl ctl;
    rdmap_ctl_get(head->rsvdulp, head->tagged, &ctl);
    bool immediate = ctl.opcode == RDMAP_IMMEDIATE || ctl.opcode == RDMAP_IMMEDIATE_SE;
    return rdmap(u) && !head->tagged && (head->qn != 0 || immediate);
}

static void place_in_shadow(struct ulp *u, int side, uint32_t at, const struct iw_seg *seg)
{
    struct ulp_side *s = &u->side[side];
    uint32_t from = at > NEIGHBOURS ? at - NEIGHBOURS : 0, to = at + seg->payload_len + NEIGHBOURS;
    for (int i = 0; i < seg->frags; i++) {
        memcpy(s->shadow + at, seg->frag[i].octets, seg->frag[i].len);
        at += seg->frag[i].len;
    }
    if (to > plan_of(u, side)->memory)
        to = plan_of(u, side)->memory;
    if (memcmp(s->memory + from, s->shadow + from, to - from))
        check_octets(u, side, from, to);
}

/* checks: DDP-5.2-5 DDP-5.3-4 DDP-5.3-5 DDP-7.1-T0 DDP-7.1-T2 DDP-7.1-E3 RDMAP-5.5-3 RDMAP-B-1 RDMAP-B-2 RDMAP-B-4 RDMAP-B-5 */
static void placed(struct ulp *u, const struct heard *h)
{
    struct ddp_head head;
    ddp_head_get(h->seg->head, h->seg->head_len, &head);
    law(h->place->len == h->seg->payload_len, "side %d placed %u octets of %u", h->side, h->place->len,
        h->seg->payload_len);
    if (!h->seg->payload_len || kept_by_rdmap(u, &head))
        return;
    law(!(u->side[h->side].events & ENDED), "side %d placed octets after its stream ended", h->side);
    struct target t = head.tagged ? tagged_target(u, h->side, &head, is_response(u, &head))
                                  : untagged_target(u, h->side, &head, h->seg->payload_len);
    const struct plan_region *r = &u->side[h->side].region[t.region];
    uint64_t at = t.to - r->to;
    law(at < r->len && h->seg->payload_len <= r->len - at, "side %d placed octets outside of region %u",
        h->side, t.region);
    law(u->side[h->side].state[t.region] != REGION_SHUT,
        "side %d placed octets in region %u, which was taken away", h->side, t.region);
    if (u->world->length_only) {
        law(!h->place->address, "side %d: length-only memory has an address", h->side);
        return;
    }
    law(h->place->address == u->side[h->side].memory + r->start + at, "side %d: a wrong address in region %u",
        h->side, t.region);
    place_in_shadow(u, h->side, r->start + (uint32_t)at, h->seg);
}

/* ---- deliveries ---- */

static void check_content(const struct ulp *u, int side, struct area a, const struct job *j)
{
    const struct ulp_side *s = &u->side[side];
    if (!s->memory || !j->len || u->loose)
        return;
    const uint8_t *octets = s->memory + plan_of(u, side)->region[a.region].start + a.at;
    law(content_is(j->content, octets, j->len), "side %d: the %u octets of a %s are not those that were sent",
        side, j->len, op_name(j->op));
}

static const struct job *next_job(const struct ulp *u, int side)
{
    uint32_t index = u->side[side].delivered;
    law(index < u->side[side].posted, "side %d was delivered a message that was never sent", !side);
    return &plan_of(u, side)->job[index];
}

static uint8_t opcode_of(enum iw_op op)
{
    static const uint8_t opcodes[IW_OPS] = {RDMAP_SEND,  RDMAP_SEND_INV, RDMAP_SEND_SE,   RDMAP_SEND_SE_INV,
                                            RDMAP_WRITE, RDMAP_READ_REQ, RDMAP_IMMEDIATE, RDMAP_IMMEDIATE_SE};
    return opcodes[op];
}

/* checks: DDP-4.3-9 DDP-5.3-6 RDMAP-3.1-5 RDMAP-5.3-5 RDMAP-5.5-10 RDMAP-5.1-8 */
static void delivered_untagged(const struct ulp *u, int side, const struct job *j, const struct iw_message *m)
{
    uint32_t qn = j->op == IW_READ ? 1 : j->qn, octets = j->op == IW_READ      ? IW_READ_REQ_SIZE
                                                         : is_immediate(j->op) ? IMMEDIATE_OCTETS
                                                                               : j->len;
    law(m->head.qn == qn, "side %d: a message on QN %u instead of %u", side, m->head.qn, qn);
    law(m->length == octets, "side %d: a message of %u octets instead of %u", side, m->length, octets);
    if (j->op == IW_READ)
        return;
    law(ulp_recv_of(u, side, m->head.qn, m->head.msn) == j->recv,
        "side %d: MSN %u is not the number of its receive", side, m->head.msn);
    if (!is_immediate(j->op))
        check_content(u, side, plan_of(u, side)->recv[j->recv].area, j);
}

/* checks: DDP-4.1-7 DDP-5.3-6 DDP-5.3-7 DDP-5.4-2 DDP-5.4-3 DDP-5.4-4 DDP-5.4-5 DDP-3-5a RDMAP-3.1-3 RDMAP-3.1-11 RDMAP-5.2.1-8 RDMAP-5.5-10 */
static void delivered_request(struct ulp *u, int side, const struct iw_message *m)
{
    const struct job *j = next_job(u, !side);
    law(!j->term[0], "side %d was delivered the wrong request, job %u", side, u->side[!side].delivered);
    if (rdmap(u))
        law(m->ctl.opcode == opcode_of(j->op), "side %d: opcode %u is not that of job %u", side,
            m->ctl.opcode, u->side[!side].delivered);
    law(m->head.last, "side %d was delivered a segment without L", side);
    if (m->head.tagged)
        check_content(u, side, j->remote, j);
    else
        delivered_untagged(u, side, j, m);
    if (j->window != NONE)
        u->side[side].state[j->window] = REGION_SHUT;
    u->side[!side].delivered++;
}

/* checks: RDMAP-5.5-11 RDMAP-5.2.2-7 RDMAP-5.5-12a RDMAP-5.5-20a RDMAP-B-3 RDMAP-B-6 RDMAP-5.2.1-10 RDMAP-4.4-6 */
static void delivered_response(struct ulp *u, int side, const struct iw_message *m)
{
    struct ulp_side *s = &u->side[side];
    while (s->answered < s->delivered && plan_of(u, side)->job[s->answered].op != IW_READ)
        s->answered++;
    law(s->answered < s->delivered, "side %d was delivered a Response that it has not asked for", side);
    const struct job *j = &plan_of(u, side)->job[s->answered];
    if (j->len)
        check_content(u, side, j->local[0], j);
    law(m->head.last, "side %d was delivered a Response without L", side);
    s->answered++;
    while (s->answered < s->delivered && plan_of(u, side)->job[s->answered].op != IW_READ)
        s->answered++;
}

static void delivered(struct ulp *u, const struct heard *h)
{
    struct ulp_side *s = &u->side[h->side];
    const struct iw_message *m = h->message;
    law(m->key >= s->next_delivered, "side %d was delivered key %llu after %llu", h->side,
        (unsigned long long)m->key, (unsigned long long)s->next_delivered - 1);
    law(!s->heard_fault, "side %d was delivered a message after its stream ended", h->side);
    s->next_delivered = m->key + 1;
    if (rdmap(u) && m->ctl.opcode == RDMAP_TERMINATE)
        return;
    if (rdmap(u) && m->ctl.opcode == RDMAP_READ_RESP)
        delivered_response(u, h->side, m);
    else
        delivered_request(u, h->side, m);
}

/* ---- what is heard ---- */

static void trace(const struct ulp *u, const struct heard *h)
{
    static const char *const words[] = {"sent", "placed", "kept", "delivered"};
    struct ddp_head d = {0};
    struct rdmap_ctl c = {0};
    if (!law_verbose || h->what == HEARD_STEP)
        return;
    if (h->what == HEARD_FAULT) {
        const struct iw_term_entry *e = iw_term_entry(h->term);
        law_trace("side %d fault %05x %s", h->side, (unsigned)h->term, e ? e->name : "?");
        return;
    }
    if (h->seg)
        ddp_head_get(h->seg->head, h->seg->head_len, &d);
    else if (h->message)
        d = h->message->head;
    rdmap_ctl_get(d.rsvdulp, d.tagged, &c);
    uint64_t key = h->seg ? h->seg->key : h->message ? h->message->key : h->key;
    if (d.tagged)
        law_trace("side %d %s key %llu: opcode %u%s STag %08x TO %llx, %u octets", h->side, words[h->what],
                  (unsigned long long)key, c.opcode, d.last ? " L" : "", d.stag, (unsigned long long)d.to,
                  h->seg ? h->seg->payload_len : h->message->length);
    else if (h->seg || h->message)
        law_trace("side %d %s key %llu: opcode %u%s QN %u MSN %u MO %u, %u octets", h->side, words[h->what],
                  (unsigned long long)key, rdmap(u) ? c.opcode : 99u, d.last ? " L" : "", d.qn, d.msn, d.mo,
                  h->seg ? h->seg->payload_len : h->message->length);
}

static void note_heard(struct ulp *u, const struct heard *h)
{
    note(u, (uint64_t)h->what << 32 | (uint64_t)(uint32_t)h->side << 40 | (uint32_t)h->term);
    note(u, u->world->now(u->world));
    if (h->seg) {
        note(u, h->seg->key ^ (uint64_t)h->seg->payload_len << 32);
        for (int i = 0; i < h->seg->head_len; i++)
            note(u, h->seg->head[i]);
    }
    if (h->place)
        note(u, h->place->to ^ (uint64_t)h->place->stag << 32 ^ h->place->len);
    if (h->message)
        note(u, h->message->key ^ (uint64_t)h->message->length << 32);
    note(u, h->key);
}

void ulp_hear(void *ulp, const struct heard *h)
{
    struct ulp *u = ulp;
    trace(u, h);
    note_heard(u, h);
    switch (h->what) {
    case HEARD_SENT: wire_laws_sent(u, h->side, h->seg); break;
    case HEARD_PLACED: placed(u, h); break;
    case HEARD_DELIVERED: delivered(u, h); break;
    case HEARD_FAULT:
        if (!u->side[h->side].heard_fault)
            u->side[h->side].heard_fault = h->term;
        law(u->may_fail, "side %d: the stream ended for %05x", h->side, (unsigned)h->term);
        break;
    default: break;
    }
}

/* ---- completions ---- */

/* One status for all that was not done, and it is the first error (checked against the events at the end).
 * checks: DDP-6.2.2-4 RDMAP-6.2.1-2 RDMAP-5.4-7 */
static void note_status(struct ulp_side *s, int side, const struct iw_done *d)
{
    law(d->status == IW_FLUSHED || d->status > 0, "side %d: status %d", side, d->status);
    law(!s->flushed || d->status == s->status, "side %d: statuses %d and %d", side, s->status, d->status);
    s->flushed = true;
    s->status = d->status;
}

/* What is sent below this key counts as done: accepted or acknowledged, as the endpoint is configured. */
static uint64_t sent_edge(const struct ulp *u, int side)
{
    return plan_of(u, side)->conf.complete_on == IW_ON_ACK ? u->world->acked[side] : u->world->accepted[side];
}

/* checks: RDMAP-5.5-14 RDMAP-5.5-19 RDMAP-5.5-11 DDP-3-3 */
static void check_success(const struct ulp *u, int side, uint32_t index, const struct iw_done *d)
{
    const struct ulp_side *s = &u->side[side];
    const struct job *j = &plan_of(u, side)->job[index];
    law(!s->flushed, "side %d: job %u succeeded after the end", side, index);
    law(d->len == (is_immediate(j->op) ? IMMEDIATE_OCTETS : j->len), "side %d: job %u has %u octets", side,
        index, d->len);
    if (j->op == IW_READ) {
        law(s->answered > index, "side %d: Read %u complete before its Response", side, index);
        return;
    }
    if (!u->world->knows_acks)
        return;
    law(u->wire[side].end_key[index] < sent_edge(u, side),
        "side %d: job %u complete before it was accepted or acknowledged", side, index);
}

/* A request without a completion: unsignalled, and so it must have succeeded before the stream ended. */
static void check_silent(const struct ulp *u, int side, uint32_t index)
{
    const struct ulp_side *s = &u->side[side];
    const struct job *j = &plan_of(u, side)->job[index];
    law(j->flags & IW_UNSIGNALLED && !s->sends_flushed, "side %d: job %u has no completion", side, index);
    if (j->op == IW_READ)
        law(s->answered > index, "side %d: Read %u failed in silence", side, index);
    else if (u->world->knows_acks)
        law(u->wire[side].end_key[index] < sent_edge(u, side), "side %d: job %u failed in silence", side,
            index);
}

/* Those between the last completion and this one were unsignalled.
 * checks: RDMAP-5.5-15 DDP-6.2.2-4 RDMAP-6.2.1-2 */
static void completed_send(struct ulp *u, int side, const struct iw_done *d)
{
    struct ulp_side *s = &u->side[side];
    law(d->id < s->posted && d->id >= s->completed, "side %d: completion of job %llu after job %u", side,
        (unsigned long long)d->id, s->completed);
    const struct job *j = &plan_of(u, side)->job[d->id];
    law(d->op == j->op, "side %d: job %llu is no %s", side, (unsigned long long)d->id, op_name(d->op));
    if (d->status == IW_OK) {
        check_success(u, side, (uint32_t)d->id, d);
        law(!(j->flags & IW_UNSIGNALLED), "side %d: a completion of job %llu, which is unsignalled", side,
            (unsigned long long)d->id);
    }
    for (; s->completed < d->id; s->completed++)
        check_silent(u, side, s->completed);
    if (d->status != IW_OK)
        note_status(s, side, d);
    s->sends_flushed = d->status != IW_OK;
    s->completed++;
}

/* The request that consumed receive `index`; NULL when none has. */
static const struct job *consumer_of(const struct ulp *u, int side, uint32_t index)
{
    for (uint32_t i = 0; i < u->side[!side].delivered; i++)
        if (plan_of(u, !side)->job[i].recv == index)
            return &plan_of(u, !side)->job[i];
    return NULL;
}

/* checks: RDMAP-3.2-2 RDMAP-5.3-2 RDMAP-5.3-3 RDMAP-5.5-16 DDP-4.3-6 RDMAP-5.3-15 */
static void received(const struct ulp *u, int side, uint32_t index, const struct iw_done *d)
{
    const struct job *j = consumer_of(u, side, index);
    law(j, "side %d: receive %u complete before its message was delivered", side, index);
    bool se = j->op == IW_SEND_SE || j->op == IW_SEND_SE_INV || j->op == IW_IMMEDIATE_SE;
    law(d->len == (is_immediate(j->op) ? IMMEDIATE_OCTETS : j->len), "side %d: receive %u has %u octets",
        side, index, d->len);
    law(d->solicited == se, "side %d: receive %u is%s solicited", side, index, se ? " not" : "");
    law(d->immediate == is_immediate(j->op), "side %d: receive %u and Immediate Data", side, index);
    law(d->invalidated == (j->window == NONE ? 0 : u->side[side].stag[j->window]),
        "side %d: receive %u invalidated %08x", side, index, d->invalidated);
    law(d->qn == j->qn && ulp_recv_of(u, side, d->qn, d->msn) == index,
        "side %d: receive %u on QN %u with MSN %u", side, index, d->qn, d->msn);
    uint64_t rsvdulp = is_immediate(j->op) ? j->rsvdulp : rdmap(u) ? 0 : j->rsvdulp & 0xffffffffffu;
    law(d->rsvdulp == rsvdulp || (is_immediate(j->op) && u->world->length_only),
        "side %d: receive %u has RsvdULP %llx, not %llx", side, index, (unsigned long long)d->rsvdulp,
        (unsigned long long)rsvdulp);
}

/* Receives of one queue complete in the order of posting. */
static void completed_recv(struct ulp *u, int side, const struct iw_done *d)
{
    struct ulp_side *s = &u->side[side];
    uint32_t index = (uint32_t)d->id - RECV_ID;
    law(d->id >= RECV_ID && index < s->recv_posted, "side %d: completion %llu", side,
        (unsigned long long)d->id);
    law(!s->recv_done[index], "side %d: receive %u completes twice", side, index);
    for (uint32_t i = 0; i < index; i++)
        law(s->recv_done[i] || plan_of(u, side)->recv[i].qn != plan_of(u, side)->recv[index].qn,
            "side %d: receive %u completes before %u", side, index, i);
    if (d->status == IW_OK) {
        law(!s->flushed, "side %d: receive %u succeeded after the end", side, index);
        received(u, side, index, d);
    } else {
        note_status(s, side, d);
    }
    s->recv_done[index] = true;
    s->recv_completed++;
}

/* checks: RDMAP-7.1-4 DDP-6.2.2-1 RDMAP-7.1-0 */
static void take_event(struct ulp *u, int side, const struct iw_event *e)
{
    struct ulp_side *s = &u->side[side];
    static const char *const words[IW_EV_KINDS] = {
        "Terminate sent", "Terminate received", "half closed", "fatal", "closed", "no buffer"};
    law_trace("side %d event: %s %05x", side, words[e->kind], (unsigned)e->terminate.term);
    note(u, (uint64_t)e->kind << 20 ^ (uint64_t)e->terminate.term);
    law(!(s->events & 1u << e->kind), "side %d: the event %s comes twice", side, words[e->kind]);
    s->events |= 1u << e->kind;
    if (e->kind == IW_EV_TERMINATE_SENT)
        s->terminate_out = e->terminate.term;
    if (e->kind == IW_EV_FATAL) {
        s->fatal = e->terminate.term;
        s->fatal_first = !s->terminate_in;
    }
    if (e->kind == IW_EV_TERMINATE_RECEIVED) {
        s->terminate_in = e->terminate.term ? e->terminate.term : 1;
        s->terminate_valid = e->valid;
    }
    law(e->kind != IW_EV_FATAL || u->may_fail, "side %d: fatal %05x", side, (unsigned)e->terminate.term);
}

void ulp_poll(struct ulp *u)
{
    struct iw_done d;
    struct iw_event e;
    for (int side = 0; side < 2; side++) {
        while (u->world->poll(u->world, side, &d)) {
            law_trace("side %d completion %llu: %s, status %d, %u octets", side, (unsigned long long)d.id,
                      op_name(d.op), d.status, d.len);
            note(u, d.id ^ (uint64_t)(uint32_t)d.status << 32 ^ (uint64_t)d.len << 12);
            if (d.op == IW_RECV)
                completed_recv(u, side, &d);
            else
                completed_send(u, side, &d);
        }
        while (u->world->event(u->world, side, &e))
            take_event(u, side, &e);
    }
}

/* ---- the end ---- */

/* checks: DDP-6.2.2-4 RDMAP-6.2.1-2 */
static void check_all_completed(const struct ulp *u, int side)
{
    const struct ulp_side *s = &u->side[side];
    for (uint32_t i = s->completed; i < s->posted; i++)
        check_silent(u, side, i);
    law(s->recv_completed == s->recv_posted, "side %d: %u of %u receives completed", side, s->recv_completed,
        s->recv_posted);
}

/* The first error is what every completion says, and the Terminate too.
 * checks: RDMAP-7.1-4 RDMAP-3.2-3 */
static void check_first_error(const struct ulp *u, int side)
{
    const struct ulp_side *s = &u->side[side];
    int first = s->fatal && s->fatal_first ? s->fatal : s->terminate_in;
    if (s->flushed && s->status > 0)
        law(s->status == first, "side %d: status %05x after the error %05x", side, (unsigned)s->status,
            (unsigned)first);
    if (s->terminate_out)
        law(s->terminate_out == s->fatal, "side %d: Terminate %05x for the error %05x", side,
            (unsigned)s->terminate_out, (unsigned)s->fatal);
    if (s->heard_fault)
        law(s->fatal == s->heard_fault, "side %d: event %05x for the error %05x", side, (unsigned)s->fatal,
            (unsigned)s->heard_fault);
}

void ulp_end(struct ulp *u)
{
    if (u->world->end)
        u->world->end(u->world);
    for (int side = 0; side < 2; side++) {
        ulp_check_memory(u, side);
        law(u->side[side].events & 1u << IW_EV_CLOSED, "side %d never closed", side);
        if (!u->may_lose)
            check_all_completed(u, side);
        check_first_error(u, side);
    }
}

/* checks: DDP-3-5a DDP-5.2-5 RDMAP-5.5-10 RDMAP-5.5-11 DDP-6.2.1-1 RDMAP-6.2-1 */
void ulp_end_well(struct ulp *u)
{
    ulp_end(u);
    for (int side = 0; side < 2; side++) {
        const struct ulp_side *s = &u->side[side];
        const struct plan_side *p = plan_of(u, side);
        law(!s->flushed && !s->fatal && !s->terminate_in, "side %d did not end well", side);
        law(s->delivered == p->jobs, "side %d: %u of %u messages were delivered", side, s->delivered,
            p->jobs);
        law(!s->memory || !memcmp(s->memory, s->final, p->memory),
            "side %d: its memory is not what the plan foretells", side);
    }
}

/* checks: RDMAP-7.1-2 RDMAP-7.1-3 RDMAP-7.1-4 RDMAP-3.2-3 RDMAP-3.2-5 RDMAP-3.2-8 DDP-7.1-E1 */
void ulp_end_wrong(struct ulp *u)
{
    int side;
    uint32_t job;
    ulp_end(u);
    bool wrong = plan_error(u->plan, &side, &job);
    law(wrong, "the plan has no wrong request");
    const struct job *j = &plan_of(u, side)->job[job];
    const struct ulp_side *victim = &u->side[!side];
    law(victim->fatal == j->term[0] || (j->term[1] && victim->fatal == j->term[1]),
        "side %d ended for %05x, not for %05x", !side, (unsigned)victim->fatal, (unsigned)j->term[0]);
    law(u->side[side].delivered == job, "side %d: job %u is wrong, and %u were delivered", side, job,
        u->side[side].delivered);
}
