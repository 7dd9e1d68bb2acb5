/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* receive.c -- check a segment, place it, deliver what has become whole. */
#include "engine/endpoint.h"

#include <string.h>

#include "engine/law.h"

/* One segment on its way in, read once. */
struct incoming {
    const struct iw_seg *seg;
    struct ddp_head head;
    struct rdmap_ctl ctl;
    const struct rdmap_rule *rule; /* NULL: a stream without RDMAP */
    bool in_order;
};

static enum rdmap_kind kind_of_incoming(const struct incoming *in)
{
    if (in->rule)
        return in->rule->kind;
    return in->head.tagged ? RDMAP_KIND_WRITE : RDMAP_KIND_SEND;
}

/* Copy the first `len` payload octets; those that nobody stored stay as they are. False: there are fewer, or none
 * is there to be read. */
static bool copy_payload(const struct iw_seg *seg, uint8_t *out, uint32_t len)
{
    bool any = len == 0;
    if (seg->payload_len < len)
        return false;
    for (uint32_t i = 0; i < seg->frags && len; i++) {
        uint32_t n = seg->frag[i].len < len ? seg->frag[i].len : len;
        if (seg->frag[i].octets)
            memcpy(out, seg->frag[i].octets, n);
        any = any || seg->frag[i].octets;
        out += n;
        len -= n;
    }
    return any && len == 0;
}

/* ---- the checks of RFC 5041 section 7.1 and RFC 5040 section 7.2, in the order of conformance.md R1 and R2 ---- */

/* All that a decoder, which knows no STags, can say of a range. */
static bool wraps(uint64_t to, uint32_t len)
{
    return len && to > UINT64_MAX - (len - 1);
}

static int place_tagged(struct iw_ep *ep, const struct incoming *in, unsigned rights, struct iw_place *place)
{
    uint32_t len = in->seg->payload_len;
    *place = (struct iw_place){.len = len, .stag = in->head.stag, .to = in->head.to};
    if (len == 0)
        return IW_OK; /* DDP-5.2-11 */
    if (ep_is(ep, IW_DECODER))
        return wraps(place->to, len) ? IW_T_DDP_WRAP : IW_OK;
    enum stag_fault fault =
        stag_check(ep->stags, place->stag, ep->pd, ep->stream, place->to, len, rights, &place->slot);
    if (fault)
        return ddp_stag_fault(fault);
    place->address = stag_address(place->slot, place->to);
    return IW_OK;
}

/* Does a segment of a Response fit what this Read asked for? (RDMAP-5.2.2-8) */
static int answers(const struct ep_read_out *r, const struct ddp_head *head, uint32_t len)
{
    uint64_t offset = head->to - r->req.sink_to;
    if (r->atomic)
        return IW_T_RDMA_OPCODE; /* its Response comes first (RFC 7306 section 7) */
    if (len == 0)
        return IW_OK;
    if (head->stag != r->req.sink_stag)
        return IW_T_DDP_STAG;
    return offset > r->req.size || len > r->req.size - offset ? IW_T_DDP_BOUNDS : IW_OK;
}

/* In order it belongs to the oldest Read; out of order to any that it fits, and it is asked again in its turn. When it
 * fits none the error is the oldest one's. */
static int check_response(const struct iw_ep *ep, const struct incoming *in)
{
    uint32_t len = in->seg->payload_len;
    if (ep->read_out_get == ep->read_out_put)
        return IW_T_RDMA_OPCODE;
    int oldest = answers(&ep->read_out[ep->read_out_get & ep->read_out_mask], &in->head, len);
    if (in->in_order)
        return oldest;
    for (uint32_t i = ep->read_out_get; i != ep->read_out_put; i++)
        if (answers(&ep->read_out[i & ep->read_out_mask], &in->head, len) == IW_OK)
            return IW_OK;
    return oldest;
}

static int check_tagged(struct iw_ep *ep, const struct incoming *in, struct iw_place *place)
{
    if (kind_of_incoming(in) == RDMAP_KIND_WRITE)
        return place_tagged(ep, in, IW_REMOTE_WRITE, place);
    int term = check_response(ep, in);
    return term ? term : place_tagged(ep, in, IW_LOCAL_WRITE, place);
}

static int place_untagged(struct iw_ep *ep, const struct incoming *in, const struct ddp_queue *q,
                          struct iw_place *place)
{
    uint32_t len = in->seg->payload_len;
    *place = (struct iw_place){.len = len, .msn = in->head.msn};
    if (len == 0 || ep_is(ep, IW_DECODER))
        return IW_OK;
    const struct ddp_buffer *b = &q->buffer[in->head.msn & q->mask];
    int term = ddp_check_mo(in->head.mo, len, b->len);
    if (term)
        return term;
    place->stag = b->stag;
    place->to = b->to + in->head.mo;
    if (stag_check(ep->stags, b->stag, ep->pd, ep->stream, place->to, len, IW_LOCAL_WRITE, &place->slot))
        return IW_T_DDP_CATASTROPHIC; /* our own buffer is gone: nobody's fault but ours */
    place->address = stag_address(place->slot, place->to);
    return IW_OK;
}

/* A message whose whole body RDMAP keeps itself: of exactly this size, in one segment, as MULPDU >= 128 allows every
 * sender to make it. */
static int check_whole(const struct incoming *in, uint32_t size)
{
    if (in->head.mo)
        return IW_T_DDP_MO;
    return in->head.last && in->seg->payload_len == size ? IW_OK : IW_T_RDMA_OPERATION; /* RDMAP-4.2-1 */
}

enum { IMMEDIATE_SIZE = 8 }; /* RFC 7306 section 6 */

static int keep_immediate(struct iw_ep *ep, const struct incoming *in, const struct ddp_queue *q)
{
    int term = check_whole(in, IMMEDIATE_SIZE);
    uint8_t octets[IMMEDIATE_SIZE] = {0};
    if (term || ep_is(ep, IW_DECODER))
        return term;
    struct ddp_buffer *b = &q->buffer[in->head.msn & q->mask];
    if (b->immediate_key < in->seg->key)
        return IW_OK; /* 1/2/03 in its turn */
    copy_payload(in->seg, octets, IMMEDIATE_SIZE);
    iw_get64(octets, &b->immediate);
    b->immediate_key = in->seg->key;
    return IW_OK;
}

static int keep_read_req(struct iw_ep *ep, const struct incoming *in, const struct ddp_queue *q)
{
    int term = check_whole(in, IW_READ_REQ_SIZE);
    if (term || !ep->read_in)
        return term ? term : IW_LATER;
    struct ep_read_in *r = &ep->read_in[in->head.msn & q->mask];
    uint8_t octets[IW_READ_REQ_SIZE];
    if (!copy_payload(in->seg, octets, IW_READ_REQ_SIZE))
        return IW_T_RDMA_OPERATION;
    if (r->used && r->key < in->seg->key && !ep_is(ep, IW_DECODER))
        return IW_OK; /* 1/2/03 in its turn */
    *r = (struct ep_read_in){.used = true, .key = in->seg->key};
    rdmap_read_req_get(octets, &r->req);
    memcpy(r->head, in->seg->head, IW_HEAD_UNTAGGED);
    return IW_OK;
}

/* What is asked for is judged when it is delivered; what nobody defines is like an opcode. */
static int keep_atomic_req(struct iw_ep *ep, const struct incoming *in, const struct ddp_queue *q)
{
    int term = check_whole(in, IW_ATOMIC_REQ_SIZE);
    if (term)
        return term;
    struct rdmap_atomic_req req;
    uint8_t octets[IW_ATOMIC_REQ_SIZE];
    if (!copy_payload(in->seg, octets, IW_ATOMIC_REQ_SIZE))
        return IW_T_RDMA_OPERATION;
    rdmap_atomic_req_get(octets, &req);
    if (req.code != RDMAP_FETCH_ADD && req.code != RDMAP_CMP_SWAP)
        return IW_T_RDMA_OPCODE;
    if (ep_is(ep, IW_DECODER) || !ep->read_in)
        return ep->read_in ? IW_OK : IW_LATER;
    struct ep_read_in *r = &ep->read_in[in->head.msn & q->mask];
    if (r->used && r->key < in->seg->key)
        return IW_OK; /* 1/2/03 in its turn */
    *r = (struct ep_read_in){.atomic = req, .used = true, .is_atomic = true, .key = in->seg->key};
    memcpy(r->head, in->seg->head, IW_HEAD_UNTAGGED);
    return IW_OK;
}

static int keep_atomic_resp(struct iw_ep *ep, const struct incoming *in, const struct ddp_queue *q)
{
    int term = check_whole(in, IW_ATOMIC_RESP_SIZE);
    if (term || ep_is(ep, IW_DECODER))
        return term;
    struct ep_atomic_in *a = &ep->atomic_in[in->head.msn & q->mask];
    uint8_t octets[IW_ATOMIC_RESP_SIZE];
    if (!copy_payload(in->seg, octets, IW_ATOMIC_RESP_SIZE))
        return IW_T_RDMA_OPERATION;
    if (a->used && a->key < in->seg->key)
        return IW_OK; /* 1/2/03 in its turn */
    *a = (struct ep_atomic_in){.used = true, .key = in->seg->key};
    rdmap_atomic_resp_get(octets, &a->resp);
    return IW_OK;
}

/* Judged when it is delivered: a Terminate is never answered with one. The first one counts (RDMAP-5.4-4). */
static int keep_terminate(struct iw_ep *ep, const struct incoming *in)
{
    uint32_t len = in->seg->payload_len < IW_TERM_MAX ? in->seg->payload_len : IW_TERM_MAX;
    if (in->head.mo != 0)
        return IW_T_DDP_MO; /* RFC 5041 4.3: it is one segment */
    bool later = ep->term_in_any && in->seg->key > ep->term_in_key && !ep_is(ep, IW_DECODER);
    if (later || !copy_payload(in->seg, ep->term_in_octets, len))
        return IW_OK;
    ep->term_in_any = true;
    ep->term_in_len = len;
    ep->term_in_key = in->seg->key;
    return IW_OK;
}

static struct ddp_queue *queue_of(struct iw_ep *ep, uint32_t qn)
{
    if (!ep_is(ep, IW_DDP_ONLY))
        return qn < ep->queues ? &ep->queue[qn] : NULL;
    for (int i = 0; i < ep->queues; i++)
        if (ep->queue[i].qn == qn)
            return &ep->queue[i];
    return NULL;
}

static int missing_buffer(struct iw_ep *ep, const struct incoming *in, const struct ddp_queue *q)
{
    bool receive = ep_is(ep, IW_DDP_ONLY) || q->qn == RDMAP_QN_SEND;
    if (in->in_order)
        ep->stats.no_buffer++;
    if (!receive || !ep_is(ep, IW_RECOVER))
        return IW_T_DDP_NO_BUFFER;
    ep_raise(ep, IW_EV_NO_BUFFER);
    return IW_LATER;
}

static int check_msn(struct iw_ep *ep, const struct incoming *in, const struct ddp_queue *q)
{
    int term = ddp_check_msn(q, in->head.msn);
    if (term == IW_T_DDP_NO_BUFFER)
        return missing_buffer(ep, in, q);
    return term == IW_OK && in->in_order && in->head.msn != q->first ? IW_T_DDP_MSN_RANGE : term;
}

/* Of a segment that came early, where as many are remembered as there is room for. */
static bool is_one_too_many(const struct iw_ep *ep, const struct incoming *in)
{
    return !in->in_order && ddp_log_count(&ep->log) >= ep->log.max;
}

/* The first segment of a message to arrive takes its buffer from the queue that is shared, unless it could not be
 * remembered. */
static int take_shared(struct iw_ep *ep, const struct incoming *in, struct ddp_queue *q)
{
    struct ddp_buffer *b = &q->buffer[in->head.msn & q->mask];
    if (!ddp_buffer_is_missing(b))
        return IW_OK;
    if (is_one_too_many(ep, in))
        return IW_LATER;
    if (!iw_srq_take(ep->srq, b))
        return missing_buffer(ep, in, q);
    struct iw_stats *s = &ep->stats;
    s->buffers_held++;
    s->buffers_held_peak = s->buffers_held > s->buffers_held_peak ? s->buffers_held : s->buffers_held_peak;
    LAW(s->buffers_held <= q->max);
    return IW_OK;
}

static int check_untagged(struct iw_ep *ep, const struct incoming *in, struct iw_place *place)
{
    struct ddp_queue *q = queue_of(ep, in->head.qn);
    if (!q)
        return IW_T_DDP_QN;
    if (in->rule && in->rule->qn != in->head.qn)
        return IW_T_RDMA_OPCODE; /* RDMAP-7.2-R2 */
    int term = ep_is(ep, IW_DECODER) ? IW_OK : check_msn(ep, in, q);
    if (!term && ep->srq && in->head.qn == RDMAP_QN_SEND)
        term = take_shared(ep, in, q);
    if (term)
        return term;
    *place = (struct iw_place){.len = in->seg->payload_len};
    switch (kind_of_incoming(in)) {
    case RDMAP_KIND_READ_REQ: return keep_read_req(ep, in, q);
    case RDMAP_KIND_TERMINATE: return keep_terminate(ep, in);
    case RDMAP_KIND_ATOMIC_REQ: return keep_atomic_req(ep, in, q);
    case RDMAP_KIND_ATOMIC_RESP: return keep_atomic_resp(ep, in, q);
    default: break;
    }
    return in->rule && in->rule->immediate ? keep_immediate(ep, in, q) : place_untagged(ep, in, q, place);
}

static int check_incoming(struct iw_ep *ep, struct incoming *in, struct iw_place *place)
{
    const struct iw_seg *seg = in->seg;
    if (!ddp_head_get(seg->head, seg->head_len, &in->head))
        return IW_T_DDP_CATASTROPHIC; /* DDP-4.4-1 has no code */
    if (in->head.version != ep->version)
        return in->head.tagged ? IW_T_DDP_VERSION_TAGGED : IW_T_DDP_VERSION_UNTAGGED;
    if (!ep_is(ep, IW_DDP_ONLY)) {
        rdmap_ctl_get(in->head.rsvdulp, in->head.tagged, &in->ctl);
        int term = rdmap_check(&in->head, &in->ctl, ep->version, ep_is(ep, IW_RFC7306));
        if (term)
            return term;
        in->rule = &rdmap_rules[in->ctl.opcode];
    }
    return in->head.tagged ? check_tagged(ep, in, place) : check_untagged(ep, in, place);
}

/* ---- placement ---- */

/* A segment of the oldest Read's Response, in its turn. The same may be presented again before it is delivered. */
static void count_response(struct iw_ep *ep, uint64_t key, uint32_t len)
{
    struct ep_read_out *r = &ep->read_out[ep->read_out_get & ep->read_out_mask];
    if (key < ep->counted)
        return;
    ep->counted = key + 1;
    LAW(r->left <= r->req.size);
    r->left -= len < r->left ? len : r->left;
}

/* Delivery needs the last segment of each message; what came early is judged again in its turn, so that the error is
 * that of an in-order receiver; IW_STRICT looks at how all of them follow each other. */
static bool remember(struct iw_ep *ep, const struct incoming *in)
{
    const struct iw_seg *seg = in->seg;
    if (!in->head.last && in->in_order && !ep_is(ep, IW_STRICT)) {
        if (in->head.tagged && kind_of_incoming(in) == RDMAP_KIND_READ_RESP)
            count_response(ep, seg->key, seg->payload_len);
        return true;
    }
    if (is_one_too_many(ep, in))
        return false;
    struct ddp_landed *landed = ddp_log_add(&ep->log, seg->key);
    if (!landed) {
        ep->stats.duplicates++;
        return true;
    }
    LAW(ddp_log_count(&ep->log) <= ep->log.max + in->in_order);
    *landed = (struct ddp_landed){
        .key = seg->key, .payload_len = seg->payload_len, .head_len = seg->head_len, .ooo = !in->in_order};
    memcpy(landed->head, seg->head, IW_HEAD_MAX);
    ep->stats.remembered = ddp_log_count(&ep->log);
    if (ep->stats.remembered > ep->stats.remembered_peak)
        ep->stats.remembered_peak = ep->stats.remembered;
    return true;
}

static void count_segment(struct iw_ep *ep, const struct incoming *in)
{
    struct iw_stats *s = &ep->stats;
    s->segments_rx++;
    s->octets_rx += in->seg->payload_len;
    s->segments_ooo += !in->in_order;
    s->octets_ooo += in->in_order ? 0 : in->seg->payload_len;
    LAW(s->segments_ooo <= s->segments_rx && s->octets_ooo <= s->octets_rx);
}

/* `body`: room for the Read Request that the segment may be. */
static struct ep_fault_cause cause_of(const struct incoming *in, uint8_t body[IW_READ_REQ_SIZE])
{
    const struct iw_seg *seg = in->seg;
    bool read_req =
        !in->head.tagged && in->ctl.opcode == RDMAP_READ_REQ && copy_payload(seg, body, IW_READ_REQ_SIZE);
    return (struct ep_fault_cause){seg->head, seg->head_len, seg->payload_len, read_req ? body : NULL,
                                   !in->head.tagged && in->ctl.opcode == RDMAP_TERMINATE};
}

static int reject(struct iw_ep *ep, iw_time now, const struct incoming *in, int term)
{
    uint8_t body[IW_READ_REQ_SIZE];
    const struct ep_fault_cause cause = cause_of(in, body);
    return ep_fault(ep, now, term, &cause);
}

/* What is remembered lies at the delivered edge or beyond. */
static bool is_beyond_edge(const struct iw_ep *ep)
{
    return !ddp_log_count(&ep->log) || ddp_log_at(&ep->log, ep->log.get)->key >= ep->edge;
}

int iw_check(struct iw_ep *ep, iw_time now, const struct iw_seg *seg, struct iw_place *place)
{
    struct incoming in = {.seg = seg, .in_order = seg->key == ep->edge};
    if (!ep->enabled || ep->rx == RX_DROPPING) {
        ep->stats.dropped++;
        return IW_ESTATE;
    }
    if (seg->key < ep->edge) {
        ep->stats.duplicates++;
        return IW_EINVAL;
    }
    if (ep->rx == RX_FINISHED) { /* data after the peer's FIN (DDP-6.2.1-3) */
        iw_close(ep, now, IW_ABORT);
        return IW_ESTATE;
    }
    LAW(is_beyond_edge(ep));
    ep->waiting_first = false;
    int verdict = check_incoming(ep, &in, place);
    if (verdict > 0 && !in.in_order)
        verdict = IW_LATER;
    if (verdict == IW_OK && !remember(ep, &in))
        verdict = IW_LATER;
    if (verdict == IW_LATER)
        ep->stats.later++;
    if (verdict > 0)
        reject(ep, now, &in, verdict);
    if (verdict != IW_OK)
        return verdict;
    LAW(place->len == seg->payload_len); /* all of it has a place */
    if (place->slot)
        stag_hold(place->slot);
    count_segment(ep, &in);
    return IW_OK;
}

int iw_commit(struct iw_ep *ep, iw_time now, const struct iw_seg *seg, const struct iw_place *place)
{
    if (!place->slot)
        return IW_OK;
    LAW(place->address ==
        stag_address(place->slot, place->to)); /* inside [to, to + len) as it stood at the check */
    bool allowed = stag_commit(ep->stags, place->slot);
    if (ep->why)
        return IW_ESTATE; /* the requests were flushed: their memory is the ULP's again */
    if (allowed) {
        if (place->address)
            copy_payload(seg, place->address, place->len);
        return IW_OK;
    }
    const struct incoming in = {.seg = seg};
    bool tagged = seg->head_len == IW_HEAD_TAGGED;
    return reject(ep, now, &in, tagged ? IW_T_DDP_STAG : IW_T_DDP_CATASTROPHIC);
}

int iw_receive(struct iw_ep *ep, iw_time now, const struct iw_seg *seg)
{
    struct iw_place place;
    int verdict = iw_check(ep, now, seg, &place);
    return verdict == IW_OK ? iw_commit(ep, now, seg, &place) : verdict;
}

/* ---- delivery ---- */

/* A remembered segment in its turn. */
struct turn {
    const struct ddp_landed *landed;
    struct ddp_head head;
    struct rdmap_ctl ctl;
    const struct rdmap_rule *rule;
};

/* Messages of a queue come one by one (DDP-4.3-9). A decoder takes up the count from what it hears. */
static int untagged_turn(struct iw_ep *ep, const struct turn *t)
{
    struct ddp_queue *q = queue_of(ep, t->head.qn);
    if (t->head.msn == q->first)
        return IW_OK;
    if (ep_is(ep, IW_DECODER))
        q->first = t->head.msn + t->head.last;
    return IW_T_DDP_MSN_RANGE;
}

/* Responses come in the order of their Reads. */
static int response_turn(struct iw_ep *ep, const struct turn *t)
{
    if (ep->read_out_get == ep->read_out_put)
        return IW_T_RDMA_OPCODE;
    int term = answers(&ep->read_out[ep->read_out_get & ep->read_out_mask], &t->head, t->landed->payload_len);
    if (!term)
        count_response(ep, t->landed->key, t->landed->payload_len);
    if (term && t->head.last && ep_is(ep, IW_DECODER))
        ep->read_out_get++;
    return term;
}

static enum rdmap_kind kind_of_turn(const struct turn *t)
{
    return t->rule ? t->rule->kind : t->head.tagged ? RDMAP_KIND_WRITE : RDMAP_KIND_SEND;
}

static int check_turn(struct iw_ep *ep, const struct turn *t)
{
    bool told_always = kind_of_turn(t) == RDMAP_KIND_TERMINATE && ep_is(ep, IW_DECODER);
    if (told_always)
        return IW_OK;
    if (!t->head.tagged)
        return untagged_turn(ep, t);
    return kind_of_turn(t) == RDMAP_KIND_READ_RESP ? response_turn(ep, t) : IW_OK;
}

/* The length of the message is where its last segment ends (DDP-5.4-7). An empty one was not checked when it came, but
 * must not tell of more than the buffer holds. */
static int check_length(const struct turn *t, const struct ddp_buffer *b)
{
    bool kept = t->rule && t->rule->immediate; /* not in the buffer */
    return kept ? IW_OK : ddp_check_mo(t->head.mo, t->landed->payload_len, b->len);
}

static int deliver_send(struct iw_ep *ep, iw_time now, const struct turn *t)
{
    struct ddp_queue *q = queue_of(ep, t->head.qn);
    LAW(ep_is(ep, IW_DECODER) || t->head.msn - q->first < q->next - q->first);
    const struct ddp_buffer *b = &q->buffer[t->head.msn & q->mask];
    bool decoder = ep_is(ep, IW_DECODER);
    struct iw_done done = {
        .op = IW_RECV, .len = t->head.mo + t->landed->payload_len, .qn = t->head.qn, .msn = t->head.msn};
    int term = decoder ? IW_OK : check_length(t, b);
    if (term)
        return term;
    if (t->rule && t->rule->invalidates && !decoder) {
        enum stag_fault fault = stag_remote_invalidate(ep->stags, t->ctl.inval_stag, ep->pd, ep->stream);
        if (fault)
            return fault == STAG_ASSOCIATION ? IW_T_RDMA_INVALIDATE_STREAM : IW_T_RDMA_INVALIDATE;
        done.invalidated = t->ctl.inval_stag;
    }
    q->first++;
    if (decoder)
        return IW_OK;
    done.id = b->id;
    done.solicited = t->rule && t->rule->solicited;
    done.immediate = t->rule && t->rule->immediate;
    done.rsvdulp = done.immediate ? b->immediate : t->rule ? 0 : t->head.rsvdulp;
    ep_release(ep, q, t->head.msn);
    ep_complete(ep, now, ep->recv_cq, &done);
    return IW_OK;
}

static int deliver_read_req(struct iw_ep *ep, const struct turn *t)
{
    struct ddp_queue *q = &ep->queue[RDMAP_QN_READ];
    const struct ep_read_in *r = &ep->read_in[t->head.msn & q->mask];
    struct stag_slot *slot;
    if (r->req.size && !ep_is(ep, IW_DECODER)) { /* RDMAP-5.2.1-13, -14 */
        enum stag_fault fault = stag_check(ep->stags, r->req.src_stag, ep->pd, ep->stream, r->req.src_to,
                                           r->req.size, IW_REMOTE_READ, &slot);
        if (fault)
            return rdmap_stag_fault(fault);
    }
    q->first++;
    LAW(r->used);
    if (!ep_is(ep, IW_DECODER)) {
        LAW(ep_reads_fit(ep));
        return IW_OK;
    }
    if (q->first - ep->answer_msn > ep->ird)
        return IW_T_DDP_NO_BUFFER;
    return wraps(r->req.src_to, r->req.size) ? IW_T_RDMA_WRAP : IW_OK;
}

/* Does the last segment end where the Read does, after as many octets as it asked for, and (IW_STRICT) the first one
 * start there? An empty one says nothing of where it is (DDP-5.2-10, conformance.md F21). */
static bool ends_read(const struct iw_ep *ep, const struct ep_read_out *r, const struct turn *t)
{
    const struct ddp_run *run = ep->run;
    uint32_t len = t->landed->payload_len;
    if (len && t->head.to + len - r->req.sink_to != r->req.size)
        return false;
    if (!ep_is(ep, IW_STRICT) || r->req.size == 0)
        return r->left == 0;
    return run->head.to == r->req.sink_to && run->next - run->head.to == r->req.size;
}

/* What waits for an answer was sent and is not complete: its entry is among those cut. */
static bool is_under_way(const struct iw_ep *ep, const struct ep_read_out *r)
{
    const struct ep_send_entry *e = &ep->sq[r->entry & ep->sq_mask];
    bool cut = r->entry - ep->sq_get < ep->sq_cut - ep->sq_get;
    return cut && !e->responded && is_asked(e->work.op) && is_atomic(e->work.op) == r->atomic;
}

/* Its last segment completes the oldest Read. */
static int deliver_read_resp(struct iw_ep *ep, iw_time now, const struct turn *t)
{
    const struct ep_read_out *r = &ep->read_out[ep->read_out_get++ & ep->read_out_mask];
    if (!ends_read(ep, r, t))
        return IW_T_DDP_BOUNDS;
    if (ep_is(ep, IW_DECODER))
        return IW_OK;
    LAW(is_under_way(ep, r));
    ep->sq[r->entry & ep->sq_mask].responded = true;
    ep_retire(ep, now);
    return IW_OK;
}

/* Done when the Response is made, so that it and the Read Responses before and after it see what they should. */
static int deliver_atomic_req(struct iw_ep *ep, const struct turn *t)
{
    struct ddp_queue *q = &ep->queue[RDMAP_QN_READ];
    uint8_t *address;
    int term = ep_is(ep, IW_DECODER)
                   ? IW_OK
                   : ep_check_atomic(ep, &ep->read_in[t->head.msn & q->mask].atomic, &address);
    if (!term)
        q->first++;
    return term;
}

/* It completes the oldest request that waits for an answer, which must be the Atomic it says it answers. */
static int deliver_atomic_resp(struct iw_ep *ep, iw_time now, const struct turn *t)
{
    struct ddp_queue *q = &ep->queue[RDMAP_QN_ATOMIC_RESP];
    q->first++;
    if (ep_is(ep, IW_DECODER))
        return IW_OK;
    struct ep_atomic_in *a = &ep->atomic_in[t->head.msn & q->mask];
    const struct ep_read_out *r = &ep->read_out[ep->read_out_get & ep->read_out_mask];
    a->used = false;
    if (!r->atomic)
        return IW_T_RDMA_OPCODE;
    if (a->resp.request_id != r->entry)
        return IW_T_RDMA_OPERATION;
    LAW(is_under_way(ep, r) && ep->read_out_get != ep->read_out_put);
    struct ep_send_entry *e = &ep->sq[r->entry & ep->sq_mask];
    ep->read_out_get++;
    e->work.rsvdulp = a->resp.original;
    e->responded = true;
    ep_retire(ep, now);
    return IW_OK;
}

static int deliver_terminate(struct iw_ep *ep, iw_time now)
{
    ep->queue[RDMAP_QN_TERMINATE].first++;
    if (ep_is(ep, IW_DECODER)) {
        ep->event_seen &= (uint8_t) ~(1u << IW_EV_TERMINATE_RECEIVED);
        ep_raise(ep, IW_EV_TERMINATE_RECEIVED);
        return IW_OK;
    }
    ep_terminated(ep, now);
    return IW_OK;
}

static int deliver_turn(struct iw_ep *ep, iw_time now, const struct turn *t)
{
    switch (kind_of_turn(t)) {
    case RDMAP_KIND_READ_REQ: return deliver_read_req(ep, t);
    case RDMAP_KIND_READ_RESP: return deliver_read_resp(ep, now, t);
    case RDMAP_KIND_SEND: return deliver_send(ep, now, t);
    case RDMAP_KIND_TERMINATE: return deliver_terminate(ep, now);
    case RDMAP_KIND_ATOMIC_REQ: return deliver_atomic_req(ep, t);
    case RDMAP_KIND_ATOMIC_RESP: return deliver_atomic_resp(ep, now, t);
    default: return IW_OK;
    }
}

/* IW_STRICT: does it continue the message under way? Then what the message was, from its first segment on. */
static int follow(struct iw_ep *ep, const struct turn *t, struct iw_message *message)
{
    struct ddp_run *run = t->head.tagged ? &ep->run[0] : &ep->run[1 + (queue_of(ep, t->head.qn) - ep->queue)];
    LAW(run < ep->run + ep->runs);
    struct rdmap_ctl first;
    rdmap_ctl_get(run->head.rsvdulp, run->head.tagged, &first);
    bool other_opcode = run->open && t->rule && first.opcode != t->ctl.opcode;
    int term = other_opcode ? IW_T_RDMA_OPCODE : ddp_run_add(run, t->landed, &t->head);
    if (term && ep_is(ep, IW_DECODER)) { /* listen on from here */
        run->open = false;
        ddp_run_add(run, t->landed, &t->head);
    }
    message->first_key = run->first_key;
    message->segments = run->segments;
    message->segments_ooo = run->segments_ooo;
    if (!t->head.tagged)
        return term;
    message->to = run->head.to;
    message->length = (uint32_t)(run->next - run->head.to);
    return term;
}

static void describe_message(const struct turn *t, struct iw_message *message)
{
    *message = (struct iw_message){.first_key = t->landed->key,
                                   .key = t->landed->key,
                                   .head = t->head,
                                   .ctl = t->ctl,
                                   .to = t->head.to,
                                   .length = t->head.mo + t->landed->payload_len,
                                   .segments = 1,
                                   .segments_ooo = t->landed->ooo};
}

static int turn_fault(struct iw_ep *ep, iw_time now, const struct turn *t, int term)
{
    uint8_t body[IW_READ_REQ_SIZE];
    const struct ddp_landed *l = t->landed;
    bool read_req = t->rule && t->rule->kind == RDMAP_KIND_READ_REQ;
    if (read_req)
        rdmap_read_req_put(body, &ep->read_in[t->head.msn & ep->queue[RDMAP_QN_READ].mask].req);
    const struct ep_fault_cause cause = {l->head, l->head_len, l->payload_len, read_req ? body : NULL,
                                         t->rule && t->rule->kind == RDMAP_KIND_TERMINATE};
    return ep_fault(ep, now, term, &cause);
}

/* A Write changes nothing when its turn comes (RDMAP-5.1-2): without a listener there is no need to read it again. */
static bool is_silent(const struct iw_ep *ep, const struct ddp_landed *landed,
                      const struct iw_message *message)
{
    return !message && !ep_is(ep, IW_STRICT | IW_DDP_ONLY) && rdmap_opcode_of(landed->head) == RDMAP_WRITE;
}

static void read_turn(const struct iw_ep *ep, struct turn *t)
{
    ddp_head_get(t->landed->head, t->landed->head_len, &t->head);
    t->rule = NULL;
    if (ep_is(ep, IW_DDP_ONLY))
        return;
    rdmap_ctl_get(t->head.rsvdulp, t->head.tagged, &t->ctl);
    LAW(t->ctl.opcode < RDMAP_OPCODES); /* iw_check() took it */
    t->rule = &rdmap_rules[t->ctl.opcode];
}

/* 1: a message ended with it; 0: none did; IW_TERM: it must not be here. */
static int take_turn(struct iw_ep *ep, iw_time now, struct turn *t, struct iw_message *message)
{
    struct iw_message m;
    read_turn(ep, t);
    int term = check_turn(ep, t);
    if (message || ep_is(ep, IW_STRICT)) {
        message = message ? message : &m;
        describe_message(t, message);
        int broken = ep_is(ep, IW_STRICT) ? follow(ep, t, message) : IW_OK;
        term = term ? term : broken;
    }
    if (term == IW_OK && t->head.last)
        term = deliver_turn(ep, now, t);
    if (term)
        return turn_fault(ep, now, t, term);
    return t->head.last;
}

int iw_deliver(struct iw_ep *ep, iw_time now, uint64_t key, struct iw_message *message)
{
    struct turn t;
    int result = 0, any = 0;
    if (!ep->enabled || ep->rx == RX_DROPPING)
        return IW_ESTATE;
    while (result == 0 && ep->rx != RX_DROPPING && (t.landed = ddp_log_take(&ep->log, key))) {
        result = is_silent(ep, t.landed, message) ? 1 : take_turn(ep, now, &t, message);
        if (result != 1)
            continue;
        ep->stats.messages_rx++;
        any = 1;
        if (!message)
            result = 0;
    }
    ep->stats.remembered = ddp_log_count(&ep->log);
    if (result == 0 && key > ep->edge)
        ep->edge = key;
    LAW(result || ep->rx == RX_DROPPING || is_beyond_edge(ep));
    return result ? result : any;
}

/* ---- a decoder's knowledge of the other direction ---- */

int iw_heard_read_req(struct iw_ep *ep, const struct rdmap_read_req *req)
{
    if (ep->read_out_put - ep->read_out_get > ep->read_out_mask)
        return IW_EFULL;
    ep->read_out[ep->read_out_put++ & ep->read_out_mask] =
        (struct ep_read_out){.req = *req, .left = req->size};
    return IW_OK;
}

void iw_heard_read_resp(struct iw_ep *ep)
{
    struct ddp_queue *q = &ep->queue[RDMAP_QN_READ];
    if (ep->answer_msn == q->first)
        return;
    ep->answer_msn++;
    q->next = ep->answer_msn + ep->ird;
}

const struct rdmap_read_req *iw_last_read_req(const struct iw_ep *ep)
{
    const struct ddp_queue *q = &ep->queue[RDMAP_QN_READ];
    return &ep->read_in[(q->first - 1) & q->mask].req;
}
