/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* transmit.c -- who sends next, and the next segment of it. Nothing is cut before the LLP asks. */
#include "engine/endpoint.h"

#include <string.h>

#include "engine/law.h"

/* Who speaks: the Terminate before all; then the message under way; then Responses and requests in turn. */
static bool response_waits(const struct iw_ep *ep)
{
    return ep->read_in && ep->answer_msn != ep->queue[RDMAP_QN_READ].first;
}

static bool request_waits(const struct iw_ep *ep)
{
    if (ep->sq_cut == ep->sq_put)
        return false;
    LAW(ep_sends_in_order(ep));
    const struct iw_work *w = &ep->sq[ep->sq_cut & ep->sq_mask].work;
    uint32_t reads = ep->read_out_put - ep->read_out_get;
    if (w->flags & IW_FENCE && reads)
        return false;
    return !is_asked(w->op) || reads < ep->ord; /* RDMAP-6.1-5 */
}

static enum ep_tx_turn next_turn(const struct iw_ep *ep)
{
    if (ep->turn != TURN_NONE)
        return (enum ep_tx_turn)ep->turn;
    bool response = response_waits(ep), request = request_waits(ep);
    if (response && request)
        return ep->response_next ? TURN_RESPONSE : TURN_SEND_QUEUE;
    return response ? TURN_RESPONSE : request ? TURN_SEND_QUEUE : TURN_NONE;
}

bool iw_has_work(const struct iw_ep *ep)
{
    if (!ep->enabled || ep->waiting_first || ep->tx == TX_ENDED)
        return false;
    return ep->tx == TX_TERMINATE || next_turn(ep) != TURN_NONE;
}

enum iw_waits iw_waits(const struct iw_ep *ep)
{
    if (ep->sq_cut != ep->sq_put)
        return IW_WAITS_ORD;
    return ep->sq_get != ep->sq_put ? IW_WAITS_PEER : IW_WAITS_NOTHING;
}

/* ---- one segment ---- */

static void seal(struct iw_ep *ep, struct iw_seg *seg, const struct ddp_head *head)
{
    seg->head_len = (uint8_t)ddp_head_put(seg->head, head);
    LAW(seg->head_len + seg->payload_len <= ep->mulpdu);
    ep->stats.segments_tx++;
    ep->stats.octets_tx += seg->payload_len;
}

static void carry(struct iw_seg *seg, const void *octets, uint32_t len)
{
    seg->payload_len = len;
    seg->frags = len ? 1 : 0;
    seg->frag[0] = (struct iw_frag){octets, len};
}

static uint64_t control(const struct iw_ep *ep, uint8_t opcode, bool tagged, iw_stag inval_stag)
{
    const struct rdmap_ctl ctl = {ep->version, opcode, inval_stag};
    return rdmap_ctl_put(&ctl, tagged);
}

/* What each request becomes on the wire. */
static const uint8_t opcode_of[IW_OPS] = {
    [IW_SEND] = RDMAP_SEND,
    [IW_SEND_INV] = RDMAP_SEND_INV,
    [IW_SEND_SE] = RDMAP_SEND_SE,
    [IW_SEND_SE_INV] = RDMAP_SEND_SE_INV,
    [IW_WRITE] = RDMAP_WRITE,
    [IW_READ] = RDMAP_READ_REQ,
    [IW_IMMEDIATE] = RDMAP_IMMEDIATE,
    [IW_IMMEDIATE_SE] = RDMAP_IMMEDIATE_SE,
    [IW_FETCH_ADD] = RDMAP_ATOMIC_REQ,
    [IW_CMP_SWAP] = RDMAP_ATOMIC_REQ,
};

static struct ddp_head head_of(const struct iw_ep *ep, const struct ep_send_entry *e)
{
    const struct iw_work *w = &e->work;
    struct ddp_head h = {.version = ep->version, .tagged = w->op == IW_WRITE || w->op == IW_DDP_TAGGED};
    if (ep_is(ep, IW_DDP_ONLY)) {
        h.rsvdulp = w->rsvdulp;
    } else {
        uint8_t opcode = opcode_of[w->op];
        h.rsvdulp = control(ep, opcode, h.tagged, rdmap_rules[opcode].invalidates ? w->remote_stag : 0);
        h.qn = rdmap_rules[opcode].qn;
    }
    if (h.tagged) {
        h.stag = w->remote_stag;
        h.to = w->remote_to + e->sent;
        return h;
    }
    if (w->op == IW_DDP_UNTAGGED)
        h.qn = w->qn;
    h.msn = e->sent ? e->msn : ep->counter[e->counter].next;
    h.mo = e->sent;
    return h;
}

/* `sge` and `sge_used` say where octet `sent` lies: behind as many octets of the list. */
static bool is_where_sge_says(const struct ep_send_entry *e)
{
    uint64_t before = e->sge_used;
    for (int i = 0; i < e->sge; i++)
        before += e->work.sge[i].len;
    return before == e->sent;
}

/* Gather the next `len` octets of the list into `seg`. False when memory was taken away meanwhile. */
static bool gather_octets(struct iw_ep *ep, struct ep_send_entry *e, uint32_t len, struct iw_seg *seg)
{
    struct stag_slot *slot;
    seg->payload_len = len;
    seg->frags = 0;
    while (len) {
        const struct iw_sge *s = &e->work.sge[e->sge];
        uint32_t n = s->len - e->sge_used;
        if (n > len)
            n = len;
        if (n) {
            uint64_t to = s->to + e->sge_used;
            if (stag_check(ep->stags, s->stag, ep->pd, ep->stream, to, n, 0, &slot))
                return false;
            seg->frag[seg->frags++] = (struct iw_frag){stag_address(slot, to), n};
        }
        e->sge_used += n;
        len -= n;
        if (e->sge_used == s->len) {
            e->sge++;
            e->sge_used = 0;
        }
    }
    return true;
}

/* A message gets its MSN when its first segment leaves, so that what is flushed before leaves no gap (DDP-4.3-9). */
static void number(struct iw_ep *ep, struct ep_send_entry *e, const struct ddp_head *head)
{
    if (head->tagged || e->sent)
        return;
    e->msn = head->msn;
    LAW(e->counter < ep->counters);
    ep->counter[e->counter].next++;
}

static void end_message(struct iw_ep *ep, struct ep_send_entry *e, uint64_t key)
{
    e->end_key = key;
    LAW(is_asked(e->work.op) || e->sent == e->len);
    LAW(e == &ep->sq[ep->sq_cut & ep->sq_mask] && ep->sq_cut != ep->sq_put);
    ep->sq_cut++;
    ep->turn = TURN_NONE;
    ep->response_next = true;
}

static void ask_read(struct ep_send_entry *e, struct ep_read_out *r, struct iw_seg *seg)
{
    const struct iw_work *w = &e->work;
    r->req = (struct rdmap_read_req){w->sge[0].stag, w->sge[0].to, e->len, w->remote_stag, w->remote_to};
    r->left = e->len;
    rdmap_read_req_put(e->body, &r->req);
    carry(seg, e->body, IW_READ_REQ_SIZE);
}

/* Its Response has a buffer of QN 3 from now on (RFC 7306 5.2.2 item 5). */
static void ask_atomic(struct iw_ep *ep, struct ep_send_entry *e, struct ep_read_out *r, struct iw_seg *seg)
{
    r->atomic = true;
    ep->queue[RDMAP_QN_ATOMIC_RESP].next++;
    carry(seg, atomic_body(e), IW_ATOMIC_REQ_SIZE);
}

static bool send_asked(struct iw_ep *ep, struct ep_send_entry *e, uint64_t key, struct iw_seg *seg)
{
    struct ep_read_out *r = &ep->read_out[ep->read_out_put++ & ep->read_out_mask];
    struct ddp_head head = head_of(ep, e);
    LAW(ep->read_out_put - ep->read_out_get <= ep->ord); /* RDMAP-6.1-5 */
    *r = (struct ep_read_out){.entry = ep->sq_cut};
    head.last = true;
    number(ep, e, &head);
    if (is_atomic(e->work.op))
        ask_atomic(ep, e, r, seg);
    else
        ask_read(e, r, seg);
    seal(ep, seg, &head);
    end_message(ep, e, key);
    return true;
}

static bool send_request(struct iw_ep *ep, iw_time now, uint64_t key, struct iw_seg *seg)
{
    struct ep_send_entry *e = &ep->sq[ep->sq_cut & ep->sq_mask];
    if (is_asked(e->work.op) && ep->rx != RX_OPEN) { /* the peer, which has finished, cannot answer */
        ep_fault(ep, now, IW_T_LLP_LOST, NULL);
        return false;
    }
    if (is_asked(e->work.op))
        return send_asked(ep, e, key, seg);
    struct ddp_head head = head_of(ep, e);
    uint32_t room = ep->mulpdu - ddp_head_size(&head), left = e->len - e->sent;
    uint32_t len = left < room ? left : room;
    if (!e->work.sges && len) {
        carry(seg, e->body, len); /* Immediate Data */
    } else if (!gather_octets(ep, e, len, seg)) {
        if (ep->why)
            ep_flush(ep, now);                           /* DDP alone: the last words are lost too */
        ep_fault(ep, now, IW_T_RDMA_CATASTROPHIC, NULL); /* instead of the request (RDMAP-7.1-1) */
        return iw_transmit(ep, now, key, seg);
    }
    number(ep, e, &head);
    e->sent += len;
    LAW(e->sent <= e->len);
    LAW(!e->work.sges ||
        is_where_sge_says(e)); /* sent <= len; `sge` and `sge_used` say where octet `sent` lies */
    head.last = e->sent == e->len;
    ep->turn = TURN_SEND_QUEUE;
    seal(ep, seg, &head);
    if (head.last)
        end_message(ep, e, key);
    return true;
}

/* The source of a Response has gone while it was being sent: the Terminate carries what is left (RDMAP-4.8-15). */
static void response_fault(struct iw_ep *ep, iw_time now, const struct ep_read_in *r, enum stag_fault fault)
{
    uint8_t body[IW_READ_REQ_SIZE];
    struct rdmap_read_req left = r->req;
    left.sink_to += r->sent;
    left.src_to += r->sent;
    left.size -= r->sent;
    rdmap_read_req_put(body, &left);
    const struct ep_fault_cause cause = {r->head, IW_HEAD_UNTAGGED, IW_READ_REQ_SIZE, body, false};
    ep_fault(ep, now, rdmap_stag_fault(fault), &cause);
}

static void end_response(struct iw_ep *ep, struct ep_read_in *r)
{
    LAW(r->used && response_waits(ep));
    r->used = false;
    ep->answer_msn++;
    ep->queue[RDMAP_QN_READ].next = ep->answer_msn + ep->ird;
    LAW(ep_reads_fit(ep));
    ep->turn = TURN_NONE;
    ep->response_next = false;
}

int ep_check_atomic(struct iw_ep *ep, const struct rdmap_atomic_req *r, uint8_t **address)
{
    struct stag_slot *slot;
    enum stag_fault fault = stag_check(ep->stags, r->stag, ep->pd, ep->stream, r->to, sizeof(uint64_t),
                                       IW_REMOTE_READ | IW_REMOTE_WRITE, &slot);
    if (fault)
        return rdmap_stag_fault(fault);
    *address = stag_address(slot, r->to);
    return stag_aligned(slot, r->to, sizeof(uint64_t)) ? IW_OK : IW_T_RDMA_STREAM;
}

/* Read, changed, written and answered in one call: nothing comes between (RFC 7306 5.3). */
static uint64_t do_atomic(const struct rdmap_atomic_req *r, uint8_t *address)
{
    uint64_t original = 0, left;
    if (!address)
        return 0;
    memcpy(&original, address, sizeof original);
    left = rdmap_atomic(r, original);
    memcpy(address, &left, sizeof left);
    return original;
}

static bool send_atomic_response(struct iw_ep *ep, iw_time now, uint64_t key, struct ep_read_in *r,
                                 struct iw_seg *seg)
{
    uint8_t *address = NULL;
    int term = ep_check_atomic(ep, &r->atomic, &address);
    if (term) { /* it has gone since the request was delivered: RFC 7306 8.1 */
        const struct ep_fault_cause cause = {r->head, IW_HEAD_UNTAGGED, IW_ATOMIC_REQ_SIZE, NULL, false};
        ep_fault(ep, now, term, &cause);
        return iw_transmit(ep, now, key, seg);
    }
    const struct rdmap_atomic_resp resp = {r->atomic.request_id, do_atomic(&r->atomic, address)};
    const struct ddp_head head = {.last = true,
                                  .version = ep->version,
                                  .qn = RDMAP_QN_ATOMIC_RESP,
                                  .msn = ep->atomic_msn++,
                                  .rsvdulp = control(ep, RDMAP_ATOMIC_RESP, false, 0)};
    rdmap_atomic_resp_put(r->response, &resp);
    carry(seg, r->response, IW_ATOMIC_RESP_SIZE);
    seal(ep, seg, &head);
    end_response(ep, r);
    return true;
}

static bool send_response(struct iw_ep *ep, iw_time now, uint64_t key, struct iw_seg *seg)
{
    struct ep_read_in *r = &ep->read_in[ep->answer_msn & ep->queue[RDMAP_QN_READ].mask];
    if (r->is_atomic)
        return send_atomic_response(ep, now, key, r, seg);
    uint32_t room = ep->mulpdu - IW_HEAD_TAGGED, left = r->req.size - r->sent;
    uint32_t len = left < room ? left : room;
    struct stag_slot *slot;
    const void *octets = NULL;
    if (len) {
        uint64_t to = r->req.src_to + r->sent;
        enum stag_fault fault =
            stag_check(ep->stags, r->req.src_stag, ep->pd, ep->stream, to, len, IW_REMOTE_READ, &slot);
        if (fault) {
            response_fault(ep, now, r, fault);
            return iw_transmit(ep, now, key, seg);
        }
        octets = stag_address(slot, to);
    }
    struct ddp_head head = {.tagged = true,
                            .version = ep->version,
                            .stag = r->req.sink_stag,
                            .to = r->req.sink_to + r->sent,
                            .rsvdulp = control(ep, RDMAP_READ_RESP, true, 0)};
    carry(seg, octets, len);
    r->sent += len;
    LAW(r->sent <= r->req.size);
    head.last = r->sent == r->req.size;
    ep->turn = TURN_RESPONSE;
    seal(ep, seg, &head);
    if (head.last)
        end_response(ep, r);
    return true;
}

static bool send_terminate(struct iw_ep *ep, iw_time now, struct iw_seg *seg)
{
    const struct ddp_head head = {.last = true,
                                  .version = ep->version,
                                  .qn = RDMAP_QN_TERMINATE,
                                  .msn = ep->first_msn,
                                  .rsvdulp = control(ep, RDMAP_TERMINATE, false, 0)};
    carry(seg, ep->term_out_octets, ep->term_out_len);
    seal(ep, seg, &head);
    ep->tx = TX_ENDED;     /* RDMAP-5.4-8 */
    ep->fin_wanted = true; /* gracefully, so that it arrives (RDMAP-6.2.1-4) */
    ep->give_up = now + ep->linger;
    ep_raise(ep, IW_EV_TERMINATE_SENT);
    return true;
}

bool iw_transmit(struct iw_ep *ep, iw_time now, uint64_t key, struct iw_seg *seg)
{
    if (!ep->enabled || ep->waiting_first || ep->tx == TX_ENDED)
        return false;
    seg->key = key;
    if (ep->tx == TX_TERMINATE)
        return send_terminate(ep, now, seg);
    enum ep_tx_turn turn = next_turn(ep);
    if (turn == TURN_NONE)
        return false;
    bool made = turn == TURN_RESPONSE ? send_response(ep, now, key, seg) : send_request(ep, now, key, seg);
    ep_settle(ep, now);
    return made;
}

void iw_accepted(struct iw_ep *ep, iw_time now, uint64_t key)
{
    if (key > ep->accepted)
        ep->accepted = key;
    LAW(ep->acked <= ep->accepted);
    ep_retire(ep, now);
}

void iw_note_acked(struct iw_ep *ep, iw_time now, uint64_t key)
{
    if (key > ep->acked)
        ep->acked = key;
    iw_accepted(ep, now, key);
}
