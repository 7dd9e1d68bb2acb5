/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire_laws.h"

#include <string.h>

#include "ulp.h"

enum { CTL_RESERVED = 0x3c, RDMAP_RESERVED = 0x30, TERMINATE_QN = 2, READ_QN = 1, IMMEDIATE_OCTETS = 8 };

/* A segment, read once. */
struct sent {
    struct ulp *u;
    int side;
    const struct iw_seg *seg;
    struct ddp_head head;
    struct rdmap_ctl ctl;
};

void wire_laws_start(struct wire_laws *w)
{
    *w = (struct wire_laws){0};
    memset(w->end_key, 0xff, sizeof w->end_key);
}

static const struct plan_side *side_of(const struct sent *s)
{
    return &s->u->plan->side[s->side];
}

static bool rdmap(const struct sent *s)
{
    return !(side_of(s)->conf.profile & IW_DDP_ONLY);
}

static uint32_t first_msn(const struct sent *s)
{
    return side_of(s)->conf.first_msn ? side_of(s)->conf.first_msn : 1;
}

/* checks: DDP-3-1 DDP-4.1-3 DDP-4.1-9 DDP-4.4-1 DDP-5.2-1 DDP-5.2-2 RDMAP-4.1-3 */
static void check_segment(const struct sent *s)
{
    const struct iw_seg *seg = s->seg;
    uint32_t octets = 0;
    law(seg->head_len == ddp_head_size(&s->head), "side %d sent a header of %u octets", s->side,
        seg->head_len);
    law(seg->head_len + seg->payload_len <= s->u->world->mulpdu[s->side], "side %d sent %u octets, MULPDU %u",
        s->side, seg->head_len + seg->payload_len, s->u->world->mulpdu[s->side]);
    law(seg->frags <= IW_FRAGS_MAX, "%u fragments", seg->frags);
    for (int i = 0; i < seg->frags; i++)
        octets += seg->frag[i].len;
    law(octets == seg->payload_len, "fragments of %u octets in a payload of %u", octets, seg->payload_len);
    law(!(seg->head[0] & CTL_RESERVED), "reserved bits are set: %02x", seg->head[0]);
    law(s->head.version == (side_of(s)->conf.profile & IW_RDMAC ? 0 : 1), "DV %u", s->head.version);
    if (!rdmap(s))
        return;
    law(!(seg->head[1] & RDMAP_RESERVED), "reserved bits are set: %02x", seg->head[1]);
    law(s->ctl.version == s->head.version, "RV %u", s->ctl.version);
}

/* checks: DDP-5.3-2 DDP-3-3 */
static void check_key(const struct sent *s, struct wire_laws *w)
{
    law(!w->any || s->seg->key > w->last_key, "side %d sent key %llu after %llu", s->side,
        (unsigned long long)s->seg->key, (unsigned long long)w->last_key);
    w->any = true;
    w->last_key = s->seg->key;
}

/* checks: RDMAP-5.4-2 RDMAP-5.4-6 RDMAP-5.4-8 RDMAP-7.1-4 RDMAP-4.8-1 */
static void sent_terminate(const struct sent *s, struct wire_laws *w)
{
    const struct ulp_side *self = &s->u->side[s->side];
    w->terminated = true;
    law(s->head.qn == TERMINATE_QN && s->head.msn == first_msn(s) && s->head.mo == 0 && s->head.last,
        "a Terminate on QN %u with MSN %u, MO %u", s->head.qn, s->head.msn, s->head.mo);
    law(!self->terminate_in || self->fatal_first, "side %d answered a Terminate with one", s->side);
}

/* ---- the message that a segment belongs to ---- */

static const struct job *job_at(const struct sent *s, int side, uint32_t index)
{
    return &s->u->plan->side[side].job[index];
}

/* Reads of `side` among its jobs below `before` that have no Response yet. */
static uint32_t reads_waiting(const struct sent *s, uint32_t before)
{
    uint32_t n = 0;
    for (uint32_t i = s->u->side[s->side].answered; i < before; i++)
        n += job_at(s, s->side, i)->op == IW_READ;
    return n;
}

/* checks: RDMAP-5.2.1-7 RDMAP-5.5-13 RDMAP-5.1-7 RDMAP-5.3-10 RDMAP-6.1-5 DDP-5.3-2 DDP-5.3-1 */
static void start_request(const struct sent *s, const struct wire_laws *w)
{
    law(w->job < s->u->side[s->side].posted, "side %d sent a message that nobody posted", s->side);
    const struct job *j = job_at(s, s->side, w->job);
    uint32_t waiting = reads_waiting(s, w->job);
    if (j->op == IW_READ)
        law(waiting < side_of(s)->conf.ord, "side %d has %u Reads outstanding, ORD %u", s->side, waiting + 1,
            side_of(s)->conf.ord);
    if (j->flags & IW_FENCE)
        law(!waiting, "side %d: job %u passed its fence, %u Reads before it", s->side, w->job, waiting);
}

/* checks: RDMAP-5.2.1-8 RDMAP-5.2.2-7 RDMAP-5.5-12a RDMAP-5.5-17 RDMAP-5.5-20a RDMAP-B-9 */
static void start_response(const struct sent *s, struct wire_laws *w)
{
    const struct ulp_side *peer = &s->u->side[!s->side];
    while (w->answer < peer->delivered && job_at(s, !s->side, w->answer)->op != IW_READ)
        w->answer++;
    law(w->answer < peer->delivered, "side %d sent a Response before it was delivered a Request for it",
        s->side);
}

static const struct job *current(const struct sent *s, const struct wire_laws *w)
{
    return w->response ? job_at(s, !s->side, w->answer) : job_at(s, s->side, w->job);
}

static const struct iw_work *posted(const struct sent *s, const struct wire_laws *w)
{
    return w->response ? &s->u->side[!s->side].work[w->answer] : &s->u->side[s->side].work[w->job];
}

static uint32_t octets_of(const struct sent *s, const struct wire_laws *w)
{
    const struct job *j = current(s, w);
    if (w->response)
        return j->len;
    if (j->op == IW_READ)
        return IW_READ_REQ_SIZE;
    return j->op == IW_IMMEDIATE || j->op == IW_IMMEDIATE_SE ? IMMEDIATE_OCTETS : j->len;
}

static uint8_t opcode_of(const struct sent *s, const struct wire_laws *w)
{
    static const uint8_t opcodes[IW_OPS] = {RDMAP_SEND,  RDMAP_SEND_INV, RDMAP_SEND_SE,   RDMAP_SEND_SE_INV,
                                            RDMAP_WRITE, RDMAP_READ_REQ, RDMAP_IMMEDIATE, RDMAP_IMMEDIATE_SE};
    return w->response ? RDMAP_READ_RESP : opcodes[current(s, w)->op];
}

/* ---- its header ---- */

static uint32_t qn_of(const struct job *j)
{
    return j->op == IW_READ ? READ_QN : j->qn;
}

static uint32_t msn_of(const struct sent *s, uint32_t job)
{
    uint32_t msn = first_msn(s), qn = qn_of(job_at(s, s->side, job));
    for (uint32_t i = 0; i < job; i++) {
        const struct job *j = job_at(s, s->side, i);
        bool untagged = op_untagged(j->op) || j->op == IW_READ;
        msn += untagged && qn_of(j) == qn;
    }
    return msn;
}

static bool is_tagged(const struct sent *s, const struct wire_laws *w)
{
    enum iw_op op = current(s, w)->op;
    return w->response || op == IW_WRITE || op == IW_DDP_TAGGED;
}

/* checks: DDP-4.2-10 DDP-4.2-11 DDP-4.2-12 DDP-5.3-3 RDMAP-5.1-4 RDMAP-5.1-5 RDMAP-5.2.2-6 RDMAP-4.4-4 */
static void check_tagged(const struct sent *s, const struct wire_laws *w)
{
    const struct iw_work *work = posted(s, w);
    iw_stag stag = w->response ? work->sge[0].stag : work->remote_stag;
    uint64_t to = (w->response ? work->sge[0].to : work->remote_to) + w->sent;
    if (w->response && !work->sges)
        return; /* a Read of nothing names no memory */
    law(s->head.stag == stag, "side %d sent STag %08x, not %08x", s->side, s->head.stag, stag);
    law(s->head.to == to, "side %d sent TO %llx, not %llx", s->side, (unsigned long long)s->head.to,
        (unsigned long long)to);
}

/* checks: DDP-4.3-7 DDP-4.3-8 DDP-4.3-9 DDP-4.3-11 DDP-4.3-12 DDP-4.3-13 DDP-5.3-3 */
static void check_untagged(const struct sent *s, const struct wire_laws *w)
{
    const struct job *j = current(s, w);
    law(s->head.qn == qn_of(j), "side %d sent QN %u, not %u", s->side, s->head.qn, qn_of(j));
    law(s->head.msn == msn_of(s, w->job), "side %d sent MSN %u, not %u", s->side, s->head.msn,
        msn_of(s, w->job));
    law(s->head.mo == w->sent, "side %d sent MO %u, not %u", s->side, s->head.mo, w->sent);
}

/* checks: DDP-4.2-5 DDP-4.2-6 DDP-4.3-5 DDP-4.2-9 RDMAP-4.1-4 */
static void check_rsvdulp(const struct sent *s, struct wire_laws *w)
{
    const struct job *j = current(s, w);
    if (w->sent == 0)
        w->rsvdulp = s->head.rsvdulp;
    law(s->head.rsvdulp == w->rsvdulp, "side %d changed RsvdULP inside a message", s->side);
    if (!rdmap(s)) {
        uint64_t want = j->rsvdulp & (s->head.tagged ? 0xffu : 0xffffffffffu);
        law(s->head.rsvdulp == want, "side %d sent RsvdULP %llx, not %llx", s->side,
            (unsigned long long)s->head.rsvdulp, (unsigned long long)want);
        return;
    }
    law(s->ctl.opcode == opcode_of(s, w), "side %d sent opcode %u, not %u", s->side, s->ctl.opcode,
        opcode_of(s, w));
    if (s->head.tagged || w->response)
        return;
    bool invalidates = j->op == IW_SEND_INV || j->op == IW_SEND_SE_INV;
    law(s->ctl.inval_stag == (invalidates ? posted(s, w)->remote_stag : 0),
        "side %d sent Invalidate STag %08x", s->side, s->ctl.inval_stag);
}

/* ---- its payload ---- */

/* Octets are read only from memory that is registered, and for a Response readable by the peer. */
static void check_source(const struct sent *s, const struct wire_laws *w, const struct iw_frag *f)
{
    const struct ulp_side *self = &s->u->side[s->side];
    uint64_t at = (uint64_t)((const uint8_t *)f->octets - self->memory);
    for (int i = 0; i < REGIONS; i++) {
        const struct plan_region *r = &self->region[i];
        bool inside = at >= r->start && at - r->start < r->len && f->len <= r->len - (at - r->start);
        if (!inside || self->state[i] != REGION_OPEN)
            continue;
        law(!w->response || r->rights & IW_REMOTE_READ, "side %d answered from a region that may not be read",
            s->side);
        return;
    }
    law(false, "side %d sent octets from memory that is not registered", s->side);
}

static void check_read_request(const struct sent *s, const struct iw_work *work, uint32_t size)
{
    struct rdmap_read_req r;
    rdmap_read_req_get(s->seg->frag[0].octets, &r);
    law(r.size == size, "side %d asked for %u octets, not %u", s->side, r.size, size);
    law(r.src_stag == work->remote_stag && r.src_to == work->remote_to, "side %d: source of a Read", s->side);
    if (work->sges)
        law(r.sink_stag == work->sge[0].stag && r.sink_to == work->sge[0].to, "side %d: sink of a Read",
            s->side);
}

/* checks: DDP-5.2-4 DDP-5.2-1 RDMAP-5.5-12a RDMAP-5.1-8 */
static void check_payload(const struct sent *s, const struct wire_laws *w)
{
    const struct job *j = current(s, w);
    struct content c = {j->content.key, j->content.offset + w->sent};
    bool own = !w->response && (j->op == IW_READ || j->op == IW_IMMEDIATE || j->op == IW_IMMEDIATE_SE);
    if (own && j->op == IW_READ)
        check_read_request(s, posted(s, w), j->len);
    if (own || s->u->world->length_only || j->term[0])
        return;
    for (int i = 0; i < s->seg->frags; i++) {
        const struct iw_frag *f = &s->seg->frag[i];
        if (!f->len)
            continue;
        check_source(s, w, f);
        law(s->u->loose || content_is(c, f->octets, f->len),
            "side %d sent other octets than were asked for: %s, from octet %u on", s->side,
            w->response ? "Response" : op_name(j->op), w->sent);
        c.offset += f->len;
    }
}

/* checks: DDP-4.1-3 DDP-4.1-5 DDP-5.2-4 DDP-5.2-11 RDMAP-3.1-3 */
static void advance(const struct sent *s, struct wire_laws *w)
{
    uint32_t octets = octets_of(s, w);
    law(s->seg->payload_len || !octets, "side %d sent an empty segment of a message that is not empty",
        s->side);
    law(s->seg->payload_len <= octets - w->sent, "side %d sent more than the message has", s->side);
    w->sent += s->seg->payload_len;
    law(s->head.last == (w->sent == octets), "side %d: L is %d after %u of %u octets", s->side, s->head.last,
        w->sent, octets);
    w->open = !s->head.last;
    if (w->open)
        return;
    if (w->response) {
        w->answer++;
    } else {
        w->end_key[w->job] = s->seg->key;
        w->job++;
    }
}

void wire_laws_sent(struct ulp *u, int side, const struct iw_seg *seg)
{
    struct wire_laws *w = &u->wire[side];
    struct sent s = {.u = u, .side = side, .seg = seg};
    law(ddp_head_get(seg->head, seg->head_len, &s.head), "side %d sent no header", side);
    if (rdmap(&s))
        rdmap_ctl_get(s.head.rsvdulp, s.head.tagged, &s.ctl);
    law(!w->terminated, "side %d sent a segment after its Terminate", side);
    law(!(u->side[side].events & 1u << IW_EV_CLOSED), "side %d sent a segment after its end", side);
    check_key(&s, w);
    check_segment(&s);
    if (rdmap(&s) && s.ctl.opcode == RDMAP_TERMINATE) {
        sent_terminate(&s, w);
        return;
    }
    if (!w->open) {
        w->sent = 0;
        w->response = rdmap(&s) && s.ctl.opcode == RDMAP_READ_RESP;
        if (w->response)
            start_response(&s, w);
        else
            start_request(&s, w);
    }
    law(s.head.tagged == is_tagged(&s, w), "side %d: wrong buffer model", side);
    check_rsvdulp(&s, w);
    if (s.head.tagged)
        check_tagged(&s, w);
    else
        check_untagged(&s, w);
    check_payload(&s, w);
    advance(&s, w);
}
