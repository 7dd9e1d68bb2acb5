/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* endpoint.c -- an endpoint's life: configuration, requests, completions, the end of the stream. */
#include "engine/endpoint.h"

#include <string.h>

#include "engine/carve.h"
#include "engine/law.h"

enum { MULPDU_MIN = 128, DEPTH_MAX = 1 << 15 };

/* ---- configuration and memory ---- */

static bool queues_distinct(const struct iw_conf *c)
{
    for (int i = 0; i < c->queues; i++)
        for (int j = 0; j < i; j++)
            if (c->queue[i].qn == c->queue[j].qn)
                return false;
    return true;
}

static bool serves(unsigned llp, unsigned profile)
{
    unsigned least = profile & IW_NO_DIGEST ? IW_LLP_ALL & ~(unsigned)IW_LLP_DIGEST : IW_LLP_ALL;
    return (llp & least) == least;
}

/* The numbers alone say how large the endpoint is. */
static const char *numbers_error(const struct iw_conf *c)
{
    bool decoder = c->profile & IW_DECODER, alone = c->profile & IW_DDP_ONLY;
    if (!serves(c->llp, c->profile))
        return "the LLP lacks a service that RFC 5041 section 3 requires";
    if (!c->stream)
        return "stream must not be 0";
    if (c->mulpdu < MULPDU_MIN)
        return "mulpdu below 128";
    if (!decoder && !c->sq_max)
        return "sq_max must be at least 1";
    if (c->sq_max > DEPTH_MAX || c->rq_max > DEPTH_MAX || c->reorder_max > DEPTH_MAX)
        return "a queue is longer than 32768";
    if (c->ord > DEPTH_MAX || c->ird > DEPTH_MAX)
        return "more than 32768 Reads outstanding";
    if (alone && (decoder || c->profile & IW_RFC7306))
        return "DDP alone has no opcodes to decode";
    if (alone && (!c->queues || c->queues > IW_QUEUES_MAX || !queues_distinct(c)))
        return "DDP alone needs 1 to 8 distinct queues";
    if (c->profile & IW_DRAFT00 && c->profile & IW_RECOVER)
        return "draft-00 has no recovery from a missing buffer";
    return NULL;
}

static const char *srq_error(const struct iw_conf *c)
{
    if (c->profile & IW_DDP_ONLY)
        return "a shared receive queue is of QN 0 of RDMAP";
    if (iw_srq_trust(c->srq) != c->trust || iw_srq_pd(c->srq) != c->pd)
        return "the shared receive queue belongs to another trust group or protection domain";
    return NULL;
}

const char *iw_version(void)
{
    return IW_VERSION;
}

const char *iw_conf_error(const struct iw_conf *c)
{
    const char *error = numbers_error(c);
    if (error || c->profile & IW_DECODER)
        return error;
    if (!c->stags || !c->send_cq || !c->recv_cq)
        return "an STag table and two completion queues are required";
    bool trusted = iw_cq_trust(c->send_cq) == c->trust && iw_cq_trust(c->recv_cq) == c->trust;
    if (!trusted)
        return "a completion queue belongs to another trust group";
    return c->srq ? srq_error(c) : NULL;
}

/* Entries of a ring that is indexed by & mask. */
static uint32_t ring_size(uint32_t entries)
{
    uint32_t size = 1;
    while (size < entries)
        size *= 2;
    LAW(!(size & (size - 1)) && (size == 1 || size / 2 < entries)); /* the least power of two */
    return size;
}

static void carve_buffers(struct carve *c, struct ddp_queue *q, bool now)
{
    uint32_t size = ring_size(q->max);
    q->mask = size - 1;
    q->buffer = now ? carve(c, size * sizeof(struct ddp_buffer)) : NULL;
}

static void add_queue(struct iw_ep *ep, uint32_t qn, uint32_t max)
{
    uint32_t first = ep->first_msn;
    ep->queue[ep->queues++] = (struct ddp_queue){.qn = qn, .max = max, .first = first, .next = first};
}

static uint32_t queues_of(const struct iw_conf *c)
{
    return c->profile & IW_DDP_ONLY ? c->queues : c->profile & IW_RFC7306 ? 4 : 3;
}

/* The queues of a stream without RDMAP are the ULP's; RDMAP has three, or four with RFC 7306 (RDMAP-3.1-2). */
static void add_queues(struct iw_ep *ep, const struct iw_conf *c)
{
    if (ep_is(ep, IW_DDP_ONLY)) {
        for (int i = 0; i < c->queues; i++)
            add_queue(ep, c->queue[i].qn, c->queue[i].max);
        return;
    }
    add_queue(ep, RDMAP_QN_SEND, c->rq_max);
    add_queue(ep, RDMAP_QN_READ, c->ird);
    add_queue(ep, RDMAP_QN_TERMINATE, 1);
    if (ep_is(ep, IW_RFC7306))
        add_queue(ep, RDMAP_QN_ATOMIC_RESP, c->ord);
    ep->queue[RDMAP_QN_READ].next += c->ird;
    ep->queue[RDMAP_QN_READ].mask = ring_size(c->ird) - 1;
    ep->queue[RDMAP_QN_TERMINATE].next += 1;
    ep->answer_msn = ep->queue[RDMAP_QN_READ].first;
    ep->atomic_msn = ep->answer_msn;
    LAW(ep->queues == queues_of(c));
}

/* ---- tables that begin small ---- */

/* An entry more than is remembered out of order: of a segment in order. */
static const uint32_t spares[] = {[IW_TABLE_SENDS] = 0, [IW_TABLE_REORDER] = 1};

static uint32_t entries_at_first(const struct iw_conf *c, enum iw_table table)
{
    uint32_t most = (table == IW_TABLE_SENDS ? c->sq_max : c->reorder_max) + spares[table];
    return ring_size(c->at_first && c->at_first < most ? c->at_first : most);
}

/* A ring of so many, of which it uses what it may. */
static void size_ring(struct iw_ep *ep, enum iw_table table, uint32_t entries)
{
    bool sends = table == IW_TABLE_SENDS;
    uint32_t room = entries - spares[table], most = sends ? ep->sq_most : ep->log_most;
    LAW(!(entries & (entries - 1)));
    *(sends ? &ep->sq_mask : &ep->log.mask) = entries - 1;
    *(sends ? &ep->sq_max : &ep->log.max) = room < most ? room : most;
}

static void size_tables(struct iw_ep *ep, const struct iw_conf *c)
{
    ep->sq_most = c->sq_max;
    ep->log_most = c->reorder_max;
    size_ring(ep, IW_TABLE_SENDS, entries_at_first(c, IW_TABLE_SENDS));
    size_ring(ep, IW_TABLE_REORDER, entries_at_first(c, IW_TABLE_REORDER));
    ep->read_out_mask = ring_size(c->ord) - 1;
}

size_t iw_table_octets(enum iw_table table, uint32_t entries)
{
    static const size_t each[IW_TABLES] = {[IW_TABLE_SENDS] = sizeof(struct ep_send_entry),
                                           [IW_TABLE_RECEIVES] = sizeof(struct ddp_buffer),
                                           [IW_TABLE_READS_OUT] = sizeof(struct ep_read_out),
                                           [IW_TABLE_REORDER] = DDP_LOG_OCTETS,
                                           [IW_TABLE_READS_IN] = sizeof(struct ep_read_in)};
    return entries * each[table];
}

static uint32_t twice(uint32_t used, uint32_t max, uint32_t most, uint32_t spare)
{
    return used < max || max == most ? 0 : 2 * (max + spare);
}

uint32_t iw_table_wants(const struct iw_ep *ep, enum iw_table table)
{
    if (table == IW_TABLE_SENDS)
        return twice(ep->sq_put - ep->sq_get, ep->sq_max, ep->sq_most, 0);
    if (table == IW_TABLE_REORDER)
        return twice(ddp_log_count(&ep->log), ep->log.max, ep->log_most, 1);
    if (table == IW_TABLE_RECEIVES)
        return ep_is(ep, IW_DDP_ONLY) || ep->queue->buffer ? 0 : ep->queue->mask + 1;
    if (table == IW_TABLE_READS_OUT)
        return ep->read_out ? 0 : ep->read_out_mask + 1;
    return ep->read_in || ep_is(ep, IW_DDP_ONLY) ? 0 : ep->queue[RDMAP_QN_READ].mask + 1;
}

static void move_sends(struct iw_ep *ep, struct ep_send_entry *to, uint32_t entries)
{
    for (uint32_t i = ep->sq_get; i != ep->sq_put; i++)
        to[i & (entries - 1)] = ep->sq[i & ep->sq_mask];
    ep->sq = to;
    size_ring(ep, IW_TABLE_SENDS, entries);
}

void iw_table_move(struct iw_ep *ep, enum iw_table table, void *memory, uint32_t entries)
{
    if (table == IW_TABLE_SENDS) {
        move_sends(ep, memory, entries);
    } else if (table == IW_TABLE_REORDER) {
        ddp_log_move(&ep->log, memory, entries);
        size_ring(ep, table, entries);
    } else if (table == IW_TABLE_RECEIVES) {
        ep->queue->buffer = memory;
    } else if (table == IW_TABLE_READS_OUT) {
        ep->read_out = memory;
    } else {
        ep->read_in = memset(memory, 0, iw_table_octets(table, entries));
    }
}

/* ---- the block ---- */

static void carve_all(struct iw_ep *ep, struct carve *c, const struct iw_conf *conf)
{
    size_tables(ep, conf);
    ep->runs = ep_is(ep, IW_STRICT) ? 1 + ep->queues : 0;
    ep->run = carve(c, ep->runs * sizeof(struct ddp_run));
    ddp_log_place(&ep->log, carve(c, iw_table_octets(IW_TABLE_REORDER, ep->log.mask + 1)), ep->log.mask + 1);
    ep->sq = carve(c, iw_table_octets(IW_TABLE_SENDS, ep->sq_mask + 1));
    ep->read_out = conf->at_first ? NULL : carve(c, (ep->read_out_mask + 1u) * sizeof(struct ep_read_out));
    if (ep_is(ep, IW_DDP_ONLY)) {
        for (int i = 0; i < ep->queues; i++)
            carve_buffers(c, &ep->queue[i], true);
        return;
    }
    carve_buffers(c, &ep->queue[RDMAP_QN_SEND], !conf->at_first || conf->srq);
    uint32_t reads = ep->queue[RDMAP_QN_READ].mask + 1;
    ep->read_in = conf->at_first ? NULL : carve(c, reads * sizeof(struct ep_read_in));
    if (!ep_is(ep, IW_RFC7306))
        return;
    ep->queue[RDMAP_QN_ATOMIC_RESP].mask = ep->read_out_mask;
    ep->atomic_in = carve(c, (ep->read_out_mask + 1u) * sizeof(struct ep_atomic_in));
}

/* `counted`: its queues while there is no memory. */
static void carve_endpoint(struct iw_ep *ep, struct carve *c, const struct iw_conf *conf,
                           struct ddp_queue *counted)
{
    *ep = (struct iw_ep){.profile = conf->profile, .first_msn = conf->first_msn ? conf->first_msn : 1};
    if (ep_is(ep, IW_DECODER))
        ep->profile |= IW_STRICT;
    carve(c, sizeof *ep);
    struct ddp_queue *queues = carve(c, queues_of(conf) * sizeof *queues);
    ep->queue = queues ? queues : counted;
    add_queues(ep, conf);
    carve_all(ep, c, conf);
}

/* Every message that may hold a buffer may come; whether there is one is asked when it does. */
static void share_receives(struct iw_ep *ep, struct iw_srq *srq)
{
    struct ddp_queue *q = &ep->queue[RDMAP_QN_SEND];
    ep->srq = srq;
    q->next = q->first + q->max;
    for (uint32_t i = 0; i <= q->mask; i++)
        ddp_buffer_forget(&q->buffer[i]);
}

size_t iw_ep_size(const struct iw_conf *conf)
{
    struct iw_ep ep;
    struct ddp_queue queues[IW_QUEUES_MAX];
    struct carve c = {0};
    if (numbers_error(conf))
        return 0;
    carve_endpoint(&ep, &c, conf, queues);
    return c.used;
}

struct iw_ep *iw_ep_init(void *memory, const struct iw_conf *conf)
{
    struct iw_ep *ep = memory;
    struct carve c = {.memory = memory};
    if (iw_conf_error(conf))
        return NULL;
    carve_endpoint(ep, &c, conf, NULL);
    ddp_log_init(&ep->log);
    memset(ep->run, 0, ep->runs * sizeof(struct ddp_run));
    if (ep->read_in)
        memset(ep->read_in, 0, (ep->queue[RDMAP_QN_READ].mask + 1u) * sizeof(struct ep_read_in));
    if (ep->atomic_in)
        memset(ep->atomic_in, 0, (ep->read_out_mask + 1u) * sizeof(struct ep_atomic_in));
    ep->stags = conf->stags;
    ep->pd = conf->pd;
    ep->stream = conf->stream;
    ep->version = ep_is(ep, IW_RDMAC) ? 0 : 1;
    ep->mulpdu = conf->mulpdu;
    ep->ord = ep->ord_max = conf->ord;
    ep->ird = ep->ird_max = conf->ird;
    ep->send_cq = conf->send_cq;
    ep->recv_cq = conf->recv_cq;
    if (conf->srq && !ep_is(ep, IW_DECODER))
        share_receives(ep, conf->srq);
    ep->user = conf->user;
    ep->linger = conf->linger;
    ep->complete_on = conf->complete_on;
    ep->give_up = IW_NEVER;
    LAW(c.used == iw_ep_size(conf));
    return ep;
}

bool ep_sends_in_order(const struct iw_ep *ep)
{
    uint32_t made = ep->sq_cut - ep->sq_get, posted = ep->sq_put - ep->sq_get;
    return made <= posted && posted <= ep->sq_max;
}

bool ep_reads_fit(const struct iw_ep *ep)
{
    const struct ddp_queue *q = &ep->queue[RDMAP_QN_READ];
    return q->next - ep->answer_msn <= ep->ird_max && q->first - ep->answer_msn <= ep->ird_max;
}

int iw_enable(struct iw_ep *ep, iw_time now, unsigned flags)
{
    (void)now;
    if (ep->enabled || ep->why)
        return IW_ESTATE;
    ep->enabled = true;
    ep->waiting_first = flags & IW_WAIT_FIRST;
    return IW_OK;
}

int iw_settle(struct iw_ep *ep, unsigned llp, uint8_t version)
{
    if (ep->enabled || ep->why)
        return IW_ESTATE;
    if (!serves(llp, ep->profile) || version > 1)
        return IW_EINVAL;
    ep->version = version;
    return IW_OK;
}

int iw_set_read_depth(struct iw_ep *ep, uint16_t ord, uint16_t ird)
{
    if (ord > ep->ord_max || ird > ep->ird_max || ep_is(ep, IW_DDP_ONLY))
        return IW_EINVAL;
    ep->ord = ord;
    ep->ird = ird;
    ep->queue[RDMAP_QN_READ].next = ep->answer_msn + ird;
    LAW(ep_reads_fit(ep));
    return IW_OK;
}

int iw_set_mulpdu(struct iw_ep *ep, uint32_t mulpdu)
{
    if (mulpdu < MULPDU_MIN)
        return IW_EINVAL;
    ep->mulpdu = mulpdu;
    return IW_OK;
}

/* ---- requests ---- */

enum { OP_RDMAP = 1, OP_DDP = 2, OP_7306 = 4, OP_INVALIDATES = 8, OP_ONE_SGE = 16 };
static const uint8_t op_rules[IW_OPS] = {
    [IW_SEND] = OP_RDMAP,
    [IW_SEND_INV] = OP_RDMAP | OP_INVALIDATES,
    [IW_SEND_SE] = OP_RDMAP,
    [IW_SEND_SE_INV] = OP_RDMAP | OP_INVALIDATES,
    [IW_WRITE] = OP_RDMAP,
    [IW_READ] = OP_RDMAP | OP_ONE_SGE,
    [IW_IMMEDIATE] = OP_RDMAP | OP_7306,
    [IW_IMMEDIATE_SE] = OP_RDMAP | OP_7306,
    [IW_FETCH_ADD] = OP_RDMAP | OP_7306,
    [IW_CMP_SWAP] = OP_RDMAP | OP_7306,
    [IW_DDP_TAGGED] = OP_DDP,
    [IW_DDP_UNTAGGED] = OP_DDP,
    [IW_RECV] = OP_RDMAP | OP_DDP | OP_ONE_SGE,
};

static bool op_allowed(const struct iw_ep *ep, const struct iw_work *w)
{
    if ((unsigned)w->op >= IW_OPS || ep_is(ep, IW_DECODER))
        return false;
    uint8_t rule = op_rules[w->op];
    if (!(rule & (ep_is(ep, IW_DDP_ONLY) ? OP_DDP : OP_RDMAP)))
        return false;
    if (rule & OP_7306 && (!ep_is(ep, IW_RFC7306) || w->sges))
        return false;
    return w->sges <= (rule & OP_ONE_SGE ? 1 : IW_SGE_MAX);
}

/* Is every octet of the list ours to use? The length of the message, or -1. */
static int64_t sge_length(struct iw_ep *ep, const struct iw_work *w)
{
    unsigned rights = w->op == IW_RECV || w->op == IW_READ ? IW_LOCAL_WRITE : 0;
    struct stag_slot *slot;
    uint64_t len = 0;
    for (int i = 0; i < w->sges; i++) {
        const struct iw_sge *s = &w->sge[i];
        len += s->len;
        if (s->len && stag_check(ep->stags, s->stag, ep->pd, ep->stream, s->to, s->len, rights, &slot))
            return -1;
    }
    return len <= UINT32_MAX ? (int64_t)len : -1; /* DDP-5.2-3 */
}

static struct ddp_queue *queue_with(struct iw_ep *ep, uint32_t qn)
{
    for (int i = 0; i < ep->queues; i++)
        if (ep->queue[i].qn == qn)
            return &ep->queue[i];
    return NULL;
}

static int post_receive(struct iw_ep *ep, const struct iw_work *w)
{
    struct ddp_queue *q = ep_is(ep, IW_DDP_ONLY) ? queue_with(ep, w->qn) : &ep->queue[RDMAP_QN_SEND];
    if (!q || ep->srq)
        return IW_EINVAL;
    if (ep->why || ep->rx != RX_OPEN)
        return IW_ESTATE;
    if (!q->buffer || q->next - q->first >= q->max)
        return IW_EFULL;
    ddp_buffer_of(&q->buffer[q->next++ & q->mask], w);
    LAW(q->next - q->first <= q->max);
    return IW_OK;
}

/* The counter of a QN's MSNs; IW_QUEUES_MAX when the ULP uses more than so many QNs. */
static uint8_t counter_of(struct iw_ep *ep, uint32_t qn)
{
    uint8_t i = 0;
    while (i < ep->counters && ep->counter[i].qn != qn)
        i++;
    if (i < ep->counters || i == IW_QUEUES_MAX)
        return i;
    ep->counter[i] = (struct ep_msn_counter){qn, ep->first_msn};
    LAW(i == ep->counters);
    return ep->counters++;
}

static uint32_t qn_of(const struct iw_work *w)
{
    return w->op == IW_DDP_UNTAGGED ? w->qn : is_asked(w->op) ? RDMAP_QN_READ : RDMAP_QN_SEND;
}

static bool is_untagged(enum iw_op op)
{
    return op != IW_WRITE && op != IW_DDP_TAGGED;
}

/* FetchAdd has nothing to compare: 0, and a mask of ones (RFC 7306 figure 4). */
static void write_atomic(struct ep_send_entry *e, uint32_t request_id)
{
    const struct iw_work *w = &e->work;
    bool swap = w->op == IW_CMP_SWAP;
    const struct rdmap_atomic_req r = {.code = swap ? RDMAP_CMP_SWAP : RDMAP_FETCH_ADD,
                                       .request_id = request_id,
                                       .stag = w->remote_stag,
                                       .to = w->remote_to,
                                       .data = w->atomic.data,
                                       .mask = w->atomic.mask,
                                       .compare = swap ? w->atomic.compare : 0,
                                       .compare_mask = swap ? w->atomic.compare_mask : UINT64_MAX};
    e->len = sizeof(uint64_t);
    rdmap_atomic_req_put(atomic_body(e), &r);
}

/* An entry that served before; its body is written when it is needed. */
static void enter(struct ep_send_entry *e, const struct iw_work *w, uint32_t len, uint8_t counter)
{
    e->work = *w;
    e->end_key = 0;
    e->len = len;
    e->sent = e->msn = e->sge_used = 0;
    e->sge = 0;
    e->counter = counter;
    e->responded = false;
}

static int post_send(struct iw_ep *ep, const struct iw_work *w, uint32_t len)
{
    bool may_speak = ep->tx == TX_OPEN && (!ep->why || ep->final_message_allowed);
    bool in_vain = ep->rx == RX_FINISHED && (is_asked(w->op) || ep->waiting_first);
    if (!may_speak || in_vain)
        return IW_ESTATE;
    if (ep->sq_put - ep->sq_get >= ep->sq_max || (is_asked(w->op) && !ep->read_out))
        return IW_EFULL;
    uint8_t counter = is_untagged(w->op) ? counter_of(ep, qn_of(w)) : 0;
    if (counter == IW_QUEUES_MAX)
        return IW_EFULL;
    if (ep->why)
        ep->final_message_allowed = false;
    uint32_t index = ep->sq_put++;
    struct ep_send_entry *e = &ep->sq[index & ep->sq_mask];
    enter(e, w, len, counter);
    if (is_atomic(w->op))
        write_atomic(e, index);
    if (w->op == IW_IMMEDIATE || w->op == IW_IMMEDIATE_SE) {
        e->len = 8;
        iw_put64(e->body, w->rsvdulp);
    }
    LAW(ep_sends_in_order(ep));
    return IW_OK;
}

int iw_post(struct iw_ep *ep, iw_time now, const struct iw_work *work)
{
    (void)now;
    if (!op_allowed(ep, work))
        return IW_EINVAL;
    if (is_asked(work->op) && ep->ord == 0)
        return IW_EINVAL; /* it would wait for ever (RDMAP-6.1-5) */
    int64_t len = sge_length(ep, work);
    if (len < 0)
        return IW_EINVAL;
    return work->op == IW_RECV ? post_receive(ep, work) : post_send(ep, work, (uint32_t)len);
}

/* ---- completions ---- */

void ep_complete(struct iw_ep *ep, iw_time now, struct iw_cq *cq, struct iw_done *done)
{
    done->user = ep->user;
    if (!iw_cq_push(cq, done))
        ep_fault(ep, now, IW_T_RDMA_CATASTROPHIC, NULL);
}

static bool is_complete(const struct iw_ep *ep, uint32_t index)
{
    const struct ep_send_entry *e = &ep->sq[index & ep->sq_mask];
    if (index == ep->sq_cut)
        return false;
    if (is_asked(e->work.op))
        return e->responded;
    return e->end_key < (ep->complete_on == IW_ON_ACK ? ep->acked : ep->accepted);
}

void ep_retire(struct iw_ep *ep, iw_time now)
{
    while (ep->sq_get != ep->sq_put && is_complete(ep, ep->sq_get)) {
        const struct ep_send_entry *e = &ep->sq[ep->sq_get++ & ep->sq_mask];
        struct iw_done done = {.id = e->work.id, .op = e->work.op, .len = e->len};
        if (is_atomic(e->work.op))
            done.rsvdulp = e->work.rsvdulp;
        if (!(e->work.flags & IW_UNSIGNALLED))
            ep_complete(ep, now, ep->send_cq, &done);
        LAW(ep_sends_in_order(ep));
    }
}

static void flush_sends(struct iw_ep *ep, iw_time now, int status)
{
    while (ep->sq_get != ep->sq_put) {
        const struct ep_send_entry *e = &ep->sq[ep->sq_get++ & ep->sq_mask];
        struct iw_done done = {.id = e->work.id, .op = e->work.op, .status = status};
        ep_complete(ep, now, ep->send_cq, &done);
    }
    ep->sq_cut = ep->sq_put;
}

void ep_release(struct iw_ep *ep, struct ddp_queue *q, uint32_t msn)
{
    if (!ep->srq)
        return;
    ddp_buffer_forget(&q->buffer[msn & q->mask]);
    q->next++;
    ep->stats.buffers_held--;
    LAW(q->next - q->first == q->max && ep->stats.buffers_held < q->max);
}

static void flush_receives(struct iw_ep *ep, iw_time now, struct ddp_queue *q, int status)
{
    while (q->buffer && q->first != q->next) {
        uint32_t msn = q->first++;
        struct ddp_buffer *b = &q->buffer[msn & q->mask];
        struct iw_done done = {.id = b->id, .op = IW_RECV, .status = status, .qn = q->qn, .msn = msn};
        if (ep->srq && ddp_buffer_is_missing(b))
            continue;
        if (ep->srq)
            ep->stats.buffers_held--;
        ep_complete(ep, now, ep->recv_cq, &done);
    }
    LAW(!q->buffer || !ep->stats.buffers_held); /* each was handed back */
}

void ep_flush(struct iw_ep *ep, iw_time now)
{
    int status = ep->why > 0 ? ep->why : IW_FLUSHED;
    flush_sends(ep, now, status);
    for (int i = 0; i < ep->queues; i++)
        flush_receives(ep, now, &ep->queue[i], status);
    ep->read_out_get = ep->read_out_put;
    ep->turn = TURN_NONE;
}

/* ---- the end ---- */

void ep_raise(struct iw_ep *ep, enum iw_event_kind kind)
{
    if (ep->event_seen & 1u << kind || ep->event_put - ep->event_get == IW_EV_KINDS)
        return;
    ep->event_seen |= (uint8_t)(1u << kind);
    ep->event[ep->event_put++ % IW_EV_KINDS] = (uint8_t)kind;
    LAW(ep->event_put - ep->event_get <= IW_EV_KINDS);
}

bool iw_event(struct iw_ep *ep, struct iw_event *event)
{
    if (ep->event_get == ep->event_put)
        return false;
    *event = (struct iw_event){.kind = ep->event[ep->event_get++ % IW_EV_KINDS], .valid = true};
    if (event->kind == IW_EV_TERMINATE_RECEIVED) {
        event->valid = rdmap_terminate_get(ep->term_in_octets, ep->term_in_len, &event->terminate);
    } else if (event->kind == IW_EV_TERMINATE_SENT || event->kind == IW_EV_FATAL) {
        event->terminate = ep->term_out;
    }
    return true;
}

/* With the LLP lost or never started there is no stream to send a Terminate on (conformance.md R8); nor is there when
 * the LLP failed before the first FPDU, without which the responder stays silent. */
static bool can_speak(const struct iw_ep *ep, int term)
{
    bool silenced = ep->waiting_first && IW_TERM_LAYER(term) == 2;
    return ep->enabled && ep->tx != TX_ENDED && !silenced && term != IW_T_LLP_LOST &&
           term != IW_T_LLP_STARTUP;
}

static void end_sending(struct iw_ep *ep, iw_time now)
{
    if (ep->tx != TX_ENDED)
        ep->fin_wanted = true;
    ep->tx = TX_ENDED;
    ep->give_up = now + ep->linger;
}

int ep_fault(struct iw_ep *ep, iw_time now, int term, const struct ep_fault_cause *cause)
{
    static const struct ep_fault_cause nothing = {0};
    if (ep_is(ep, IW_DECODER) || ep->why)
        return term;
    if (!cause)
        cause = &nothing;
    ep->why = term;
    rdmap_compose(&ep->term_out, term, cause->head, cause->head_len, cause->payload_len, cause->read_req);
    ep->rx = RX_DROPPING;
    bool speaks = can_speak(ep, term), alone = ep_is(ep, IW_DDP_ONLY);
    if (!speaks) {
        ep->tx = TX_ENDED;
    } else if (alone) {
        ep->final_message_allowed = true; /* the stream stays until the ULP ends it (DDP-6.2.2-6) */
    } else if (cause->in_terminate) {
        end_sending(ep, now);
    } else {
        ep->term_out_len = rdmap_terminate_put(ep->term_out_octets, &ep->term_out);
        ep->tx = TX_TERMINATE;
        ep->give_up = now + ep->linger; /* should the LLP never ask for it */
    }
    ep_raise(ep, IW_EV_FATAL);
    ep_flush(ep, now);
    ep_settle(ep, now);
    if (!speaks && !alone)
        iw_close(ep, now, IW_ABORT);               /* no word can be said, and nobody else would end it */
    LAW(ep->why == term && ep->rx == RX_DROPPING); /* the first error never changes again */
    LAW(ep->sq_get == ep->sq_put && ep->read_out_get == ep->read_out_put);
    return term;
}

void ep_terminated(struct iw_ep *ep, iw_time now)
{
    if (ep->why)
        return; /* an error of ours came first */
    struct rdmap_terminate said;
    ep->why = rdmap_terminate_get(ep->term_in_octets, ep->term_in_len, &said) ? said.term : IW_FLUSHED;
    ep->rx = RX_DROPPING;
    end_sending(ep, now); /* RDMAP-5.4-9; never answered with a Terminate (conformance.md F15) */
    ep_raise(ep, IW_EV_TERMINATE_RECEIVED);
    ep_flush(ep, now);
}

int iw_terminate(struct iw_ep *ep, iw_time now, int term)
{
    if (term <= 0 || !iw_term_entry(term))
        return IW_EINVAL;
    if (ep->why || !ep->enabled)
        return IW_ESTATE;
    ep_fault(ep, now, term, NULL);
    return IW_OK;
}

static void gone(struct iw_ep *ep, iw_time now)
{
    if (!ep->why)
        ep->why = IW_FLUSHED;
    ep->tx = TX_ENDED;
    ep->rx = RX_DROPPING;
    ep->closed = true;
    ep->give_up = IW_NEVER;
    ep_flush(ep, now);
    ep_raise(ep, IW_EV_CLOSED);
    LAW(ep->sq_get == ep->sq_put && ep->turn == TURN_NONE); /* what is gone owes nothing */
}

int iw_close(struct iw_ep *ep, iw_time now, enum iw_close_how how)
{
    if (ep->closed)
        return IW_ESTATE;
    if (how == IW_ABORT) {
        ep->rst_wanted = true;
        gone(ep, now);
        return IW_OK;
    }
    if (ep->tx != TX_OPEN)
        return IW_ESTATE;
    ep->tx = TX_DRAINING;
    ep->lingers = how == IW_CLOSE;
    ep_settle(ep, now);
    return IW_OK;
}

/* Does anything of ours or of the peer still hang in the air? Then the peer's FIN is a loss, not an end. */
static bool unfinished(const struct iw_ep *ep)
{
    bool open = ep->read_out_get != ep->read_out_put || ddp_log_count(&ep->log);
    open = open || (ep->waiting_first && ep->sq_cut != ep->sq_put); /* it would never leave */
    for (int i = 0; i < ep->runs; i++)
        open = open || ep->run[i].open;
    return open;
}

void iw_llp(struct iw_ep *ep, iw_time now, enum iw_llp_says what)
{
    if (ep->closed)
        return;
    if (what == IW_LLP_FIN) {
        if (ep->rx == RX_OPEN && unfinished(ep))
            ep_fault(ep, now, IW_T_LLP_LOST, NULL);
        if (ep->rx == RX_OPEN) {
            ep->rx = RX_FINISHED;
            ep_raise(ep, IW_EV_HALF_CLOSED);
        }
        ep_settle(ep, now);
        return;
    }
    if (what == IW_LLP_LOST)
        ep_fault(ep, now, IW_T_LLP_LOST, NULL);
    if (!ep->closed)
        gone(ep, now);
    ep->rst_wanted = ep->fin_wanted = false; /* there is nothing to send them on */
}

void iw_llp_failed(struct iw_ep *ep, iw_time now, int term)
{
    ep_fault(ep, now, term, NULL);
}

static bool drained(const struct iw_ep *ep)
{
    return ep->sq_cut == ep->sq_put && ep->turn == TURN_NONE &&
           (ep_is(ep, IW_DDP_ONLY) || ep->answer_msn == ep->queue[RDMAP_QN_READ].first);
}

void ep_settle(struct iw_ep *ep, iw_time now)
{
    if (ep->tx != TX_DRAINING || !drained(ep))
        return;
    end_sending(ep, now);
    if (!ep->lingers)
        ep->give_up = IW_NEVER;
}

enum iw_llp_want iw_llp_request(struct iw_ep *ep)
{
    if (ep->rst_wanted) {
        ep->rst_wanted = ep->fin_wanted = false;
        return IW_LLP_SEND_RST;
    }
    if (ep->fin_wanted) {
        LAW(ep->tx == TX_ENDED); /* FIN comes after the last segment */
        ep->fin_wanted = false;
        return IW_LLP_SEND_FIN;
    }
    return IW_LLP_NOTHING;
}

bool iw_has_news(const struct iw_ep *ep)
{
    return ep->event_get != ep->event_put || ep->rst_wanted || ep->fin_wanted;
}

iw_time iw_deadline(const struct iw_ep *ep)
{
    LAW(!ep->closed || ep->give_up == IW_NEVER);
    return ep->give_up;
}

void iw_expire(struct iw_ep *ep, iw_time now)
{
    if (now < ep->give_up)
        return;
    ep->rst_wanted = true;
    gone(ep, now);
}

/* ---- looking on ---- */

const struct iw_stats *iw_statistics(const struct iw_ep *ep)
{
    return &ep->stats;
}

uint32_t iw_receives(const struct iw_ep *ep)
{
    return ep->queue[0].next - ep->queue[0].first;
}

uint32_t iw_ooo_state_octets(void)
{
    return sizeof(struct ddp_landed) + sizeof(uint16_t);
}

uint64_t iw_delivered_edge(const struct iw_ep *ep)
{
    return ep->edge;
}
