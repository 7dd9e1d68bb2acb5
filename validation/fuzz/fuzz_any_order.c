/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_any_order.c -- the same octets of a connection, in order and in any order: the same completions, the same first
 * error, the same Terminate, and the same memory where no message was altered.
 *
 * Input: settings; a program of messages with a few altered octets, in their headers or in the FPDUs; then a schedule of
 * pieces, which overlap, repeat and come in any order. CRC is always on. Streams that leave an in-order receiver waiting
 * for octets that never come say nothing; nor do STags that change on the way (laws/law_changed_stag.c), so there is no
 * Send with Invalidate.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/iw.h"
#include "llp/mpa.h"

enum {
    STREAM = 40000,
    MESSAGES = 40,
    MEMORY =
        4096, /* octets of the memory that Writes fill, as many that receives and Reads fill, and for Atomics */
    RECEIVES = 24,
    RECEIVE = 100,
    SINK = RECEIVES * RECEIVE,
    ASKED = 8,
    READ = 64,
    DONES = 128,
    SENT = 32
};

static void must(bool law)
{
    if (!law)
        abort();
}

struct cursor {
    const uint8_t *at, *end;
};

static uint32_t next8(struct cursor *c)
{
    return c->at < c->end ? *c->at++ : 0;
}

static uint32_t next16(struct cursor *c)
{
    uint32_t high = next8(c);
    return high << 8 | next8(c);
}

/* ---- settings ---- */

struct setting {
    unsigned mpa, profile; /* without MPA_IN_ORDER */
    uint32_t reorder_max, ranges, first_msn, receives;
    bool atomic[ASKED]; /* what was asked of the peer: Reads and Atomics */
    uint32_t asked;
};

static struct setting settings(struct cursor *c)
{
    uint32_t mode = next8(c), asked = next8(c);
    struct setting s = {.mpa = MPA_CRC | (mode & 1 ? MPA_MARKERS : 0) | (mode & 2 ? MPA_TRUST_ALIGNMENT : 0),
                        .profile = IW_RFC7306 | (mode & 4 ? IW_STRICT : 0),
                        .reorder_max = mode & 8 ? 3 : 400,
                        .ranges = mode & 16 ? 6 : 2000,
                        .first_msn = mode & 32 ? 0xfffffffdu : 1,
                        .receives = next8(c) % (RECEIVES + 1),
                        .asked = asked % (ASKED + 1)};
    for (uint32_t i = 0; i < s.asked; i++)
        s.atomic[i] = asked >> i & 1;
    return s;
}

/* ---- the stream ---- */

static struct {
    uint8_t octets[STREAM + 2048];
    uint32_t len;
    bool altered; /* a header: then messages may write where others do */
    struct mpa_tx tx;
    uint32_t msn[4];            /* of each QN */
    uint32_t written, answered; /* octets of Writes; of what was asked */
} stream;

enum { FAULT_HEADER = 250, FAULT_FPDU = 253 }; /* from here on, of 256 */

/* One segment becomes an FPDU; what is wrong with either. */
static void put(struct cursor *c, struct ddp_head h, uint8_t opcode, const uint8_t *payload, uint32_t len)
{
    uint8_t ulpdu[IW_HEAD_MAX + 256];
    struct iw_seg seg;
    uint32_t fault = next8(c), at = stream.len;
    h.version = 1;
    h.rsvdulp = rdmap_ctl_put(&(struct rdmap_ctl){.version = 1, .opcode = opcode}, h.tagged);
    uint32_t head = ddp_head_put(ulpdu, &h);
    memcpy(ulpdu + head, payload, len);
    if (fault >= FAULT_HEADER && fault < FAULT_FPDU) {
        stream.altered = true;
        ulpdu[next8(c) % (head + (len < 28 ? len : 28))] ^= (uint8_t)next8(c);
        len -= next8(c) % 4 == 3 && len;
    }
    iw_seg_view(&seg, mpa_key(&stream.tx), ulpdu, head + len);
    stream.len += mpa_put(&stream.tx, &seg, stream.octets + at);
    if (fault >= FAULT_FPDU)
        stream.octets[at + next16(c) % (stream.len - at)] ^= (uint8_t)next8(c);
}

static const uint8_t *filled(uint32_t with)
{
    static uint8_t octets[256];
    for (uint32_t i = 0; i < sizeof octets; i++)
        octets[i] = (uint8_t)(with + i);
    return octets;
}

static void put_untagged(struct cursor *c, uint32_t qn, uint8_t opcode, uint32_t mo, bool last,
                         const uint8_t *payload, uint32_t len)
{
    put(c, (struct ddp_head){.last = last, .qn = qn, .msn = stream.msn[qn], .mo = mo}, opcode, payload, len);
    stream.msn[qn] += last;
}

static void put_send(struct cursor *c, uint32_t segments, uint8_t opcode)
{
    for (uint32_t i = 0, mo = 0; i < segments; i++) {
        uint32_t len = next8(c) & 31;
        put_untagged(c, 0, opcode, mo, i + 1 == segments, filled(i), len);
        mo += len;
    }
}

static void put_write(struct cursor *c, uint32_t segments, iw_stag stag)
{
    for (uint32_t i = 0; i < segments; i++) {
        uint32_t len = next8(c) & 63;
        put(c,
            (struct ddp_head){.tagged = true, .last = i + 1 == segments, .stag = stag, .to = stream.written},
            RDMAP_WRITE, filled(len), len);
        stream.written += len;
    }
}

static void put_read_request(struct cursor *c, iw_stag stag)
{
    uint8_t body[IW_READ_REQ_SIZE];
    rdmap_read_req_put(body, &(struct rdmap_read_req){5, 77, next8(c), stag, next16(c) % MEMORY});
    put_untagged(c, 1, RDMAP_READ_REQ, 0, true, body, sizeof body);
}

static void put_atomic_request(struct cursor *c, iw_stag stag)
{
    uint8_t body[IW_ATOMIC_REQ_SIZE];
    uint32_t what = next8(c);
    rdmap_atomic_req_put(body, &(struct rdmap_atomic_req){.code = what % 8 == 7 ? 1 : what & 2,
                                                          .request_id = what,
                                                          .stag = stag,
                                                          .to = (what >> 3) * 8 + (what % 16 == 5),
                                                          .data = what,
                                                          .compare = what & 1});
    put_untagged(c, 1, RDMAP_ATOMIC_REQ, 0, true, body, sizeof body);
}

/* The answer to what was asked next. */
static void put_answer(struct cursor *c, const struct setting *s, iw_stag stag, uint32_t parts)
{
    uint32_t i = stream.answered++;
    if (i < s->asked && s->atomic[i]) {
        uint8_t body[IW_ATOMIC_RESP_SIZE];
        rdmap_atomic_resp_put(body, &(struct rdmap_atomic_resp){i, i * 1000});
        put_untagged(c, 3, RDMAP_ATOMIC_RESP, 0, true, body, sizeof body);
        return;
    }
    for (uint32_t k = 0, each = READ / parts; k < parts; k++)
        put(c,
            (struct ddp_head){
                .tagged = true, .last = k + 1 == parts, .stag = stag, .to = SINK + READ * i + each * k},
            RDMAP_READ_RESP, filled(k), next8(c) == 9 ? 0 : each);
}

static void put_message(struct cursor *c, const struct setting *s, iw_stag sink, iw_stag target,
                        iw_stag counters)
{
    static const uint8_t terminate[4] = {0x02, 0x06};
    uint32_t op = next8(c), n = 1 + (op >> 6);
    switch (op & 15) {
    case 0:
    case 1: put_send(c, n, RDMAP_SEND); break;
    case 2: put_send(c, n, RDMAP_SEND_SE); break;
    case 3: put_untagged(c, 0, RDMAP_IMMEDIATE + (n & 1), 0, true, filled(op), 8); break;
    case 4:
    case 5: put_read_request(c, target); break;
    case 6:
    case 7: put_atomic_request(c, counters); break;
    case 8:
    case 9:
    case 10: put_answer(c, s, sink, n == 3 ? 4 : n); break;
    case 11:
        if (op == 11)
            put_untagged(c, 2, RDMAP_TERMINATE, 0, true, terminate, sizeof terminate);
        break;
    default: put_write(c, n, target); break;
    }
}

/* ---- two hosts ---- */

struct host {
    struct iw_stags *stags;
    struct iw_cq *cq;
    struct iw_ep *ep;
    struct mpa_rx *rx;
    iw_stag sink, target, counters;
    int fatal; /* the first event that ends the stream */
    bool failed;
    uint32_t dones, sent;
    struct iw_done done[DONES];
    struct iw_seg seg[SENT];
    _Alignas(8) uint8_t memory[3 * MEMORY];
};
static struct host in_order, any_order;

/* A part of one block for all inputs. */
static void *part(void **memory, size_t *room, size_t size)
{
    if (size > *room) {
        free(*memory);
        *memory = malloc(size);
        *room = size;
        must(*memory != NULL);
    }
    return *memory;
}
#define PART(size)                   \
    part(&block[n], &room[n], size); \
    n++

static iw_stag offer(struct host *h, int which, unsigned rights)
{
    iw_stag stag;
    const struct iw_region region = {
        .base = h->memory + which * MEMORY, .len = MEMORY, .rights = rights, .pd = 1};
    must(iw_register(h->stags, &region, &stag) == IW_OK);
    return stag;
}

static void ask(struct host *h, uint32_t i, bool atomic)
{
    struct iw_seg seg;
    struct iw_work work = {.id = 100 + i, .op = atomic ? IW_FETCH_ADD : IW_READ, .remote_stag = 9};
    if (!atomic) {
        work.sges = 1;
        work.sge[0] = (struct iw_sge){h->sink, READ, SINK + READ * i};
    }
    must(iw_post(h->ep, 0, &work) == IW_OK);
    must(iw_transmit(h->ep, 0, i, &seg));
}

static void host_open(struct host *h, const struct setting *s, unsigned mpa)
{
    static void *block[8];
    static size_t room[8];
    int n = h == &in_order ? 0 : 4;
    h->fatal = 0;
    h->failed = false;
    h->dones = h->sent = 0;
    memset(h->memory, 0, sizeof h->memory);
    void *memory = PART(iw_stags_size(4));
    h->stags = iw_stags_init(memory, 4, 0);
    memory = PART(iw_cq_size(DONES));
    h->cq = iw_cq_init(memory, DONES, 1);
    struct iw_conf conf = {.stags = h->stags,
                           .send_cq = h->cq,
                           .recv_cq = h->cq,
                           .trust = 1,
                           .pd = 1,
                           .stream = 1,
                           .mulpdu = 1000,
                           .llp = IW_LLP_ALL,
                           .profile = s->profile,
                           .sq_max = 16,
                           .rq_max = 64,
                           .ord = ASKED,
                           .ird = 4,
                           .reorder_max = (uint16_t)s->reorder_max,
                           .linger = 1000,
                           .first_msn = s->first_msn};
    memory = PART(iw_ep_size(&conf));
    h->ep = iw_ep_init(memory, &conf);
    const struct mpa_rx_conf rx = {.flags = mpa, .store = 140000, .ranges = s->ranges};
    memory = PART(mpa_rx_size(&rx));
    h->rx = mpa_rx_init(memory, &rx);
    h->sink = offer(h, 0, IW_LOCAL_WRITE);
    h->target = offer(h, 1, IW_REMOTE_WRITE | IW_REMOTE_READ);
    h->counters = offer(h, 2, IW_REMOTE_WRITE | IW_REMOTE_READ);
    iw_enable(h->ep, 0, 0);
    for (uint32_t i = 0; i < s->receives; i++) {
        struct iw_work work = {.id = i, .op = IW_RECV, .sges = 1, .sge = {{h->sink, RECEIVE, RECEIVE * i}}};
        must(iw_post(h->ep, 0, &work) == IW_OK);
    }
    for (uint32_t i = 0; i < s->asked; i++)
        ask(h, i, s->atomic[i]);
}

/* How many octets it took of a piece that is gone afterwards. */
static uint32_t arrive(struct host *h, uint32_t at, uint32_t len)
{
    static uint8_t piece[STREAM + 2048];
    struct mpa_fpdu f;
    struct iw_seg seg;
    int more;
    if (len > stream.len - at)
        len = stream.len - at;
    memcpy(piece, stream.octets + at, len);
    uint32_t took = mpa_receive(h->rx, at, piece, len);
    while ((more = mpa_take(h->rx, &f)) == 1) {
        mpa_seg(&f, &seg);
        int verdict = iw_receive(h->ep, 0, &seg);
        must(verdict <= 0 || f.in_order);
        if (verdict == IW_LATER)
            must(mpa_keep(h->rx) == IW_OK);
        else
            iw_deliver(h->ep, 0, mpa_edge(h->rx), NULL);
    }
    iw_deliver(h->ep, 0, mpa_edge(h->rx), NULL);
    if (more > 0 && !h->failed)
        iw_llp_failed(h->ep, 0, more);
    h->failed = more > 0;
    memset(piece, 0xee, len);
    return took;
}

static void arrive_in_order(struct host *h, uint32_t piece)
{
    for (uint32_t at = (uint32_t)mpa_edge(h->rx), took = 1; at < stream.len && took; at += took)
        took = arrive(h, at, piece);
}

static void host_end(struct host *h)
{
    struct iw_event e;
    while (iw_event(h->ep, &e))
        if (e.kind == IW_EV_FATAL || e.kind == IW_EV_TERMINATE_RECEIVED)
            h->fatal = h->fatal ? h->fatal : e.kind == IW_EV_FATAL ? e.terminate.term : -1;
    while (h->dones < DONES && iw_poll(h->cq, &h->done[h->dones]))
        h->dones++;
    while (h->sent < SENT && iw_transmit(h->ep, 0, 1000 + h->sent, &h->seg[h->sent]))
        h->sent++;
}

/* ---- what must be the same ---- */

static bool same_octets(const struct iw_seg *a, const struct iw_seg *b)
{
    for (int i = 0; i < a->frags; i++)
        if (a->frag[i].len != b->frag[i].len ||
            memcmp(a->frag[i].octets, b->frag[i].octets, a->frag[i].len) != 0)
            return false;
    return true;
}

static void check_same(const struct host *a, const struct host *b)
{
    must(a->fatal == b->fatal && a->dones == b->dones && a->sent == b->sent);
    for (uint32_t i = 0; i < a->dones; i++) {
        const struct iw_done *x = &a->done[i], *y = &b->done[i];
        must(x->id == y->id && x->op == y->op && x->status == y->status && x->len == y->len &&
             x->msn == y->msn);
        must(x->solicited == y->solicited && x->immediate == y->immediate);
        must(stream.altered || x->rsvdulp == y->rsvdulp);
    }
    for (uint32_t i = 0; i < a->sent; i++) {
        const struct iw_seg *x = &a->seg[i], *y = &b->seg[i];
        bool terminate = (x->head[1] & 15) == RDMAP_TERMINATE;
        must(x->head_len == y->head_len && memcmp(x->head, y->head, x->head_len) == 0);
        must(x->payload_len == y->payload_len && x->frags == y->frags);
        must((stream.altered && !terminate) || same_octets(x, y));
    }
    if (a->fatal || stream.altered)
        return;
    must(mpa_edge(a->rx) == mpa_edge(b->rx));
    must(memcmp(a->memory, b->memory, sizeof a->memory) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cursor c = {data, data + size};
    if (size < 8)
        return 0;
    const struct setting s = settings(&c);
    host_open(&in_order, &s, (s.mpa & ~(unsigned)MPA_TRUST_ALIGNMENT) | MPA_IN_ORDER);
    host_open(&any_order, &s, s.mpa);
    stream.len = stream.written = stream.answered = 0;
    stream.altered = false;
    mpa_tx_init(&stream.tx, s.mpa & (MPA_CRC | MPA_MARKERS), 1460);
    for (int i = 0; i < 4; i++)
        stream.msn[i] = s.first_msn;
    for (uint32_t n = 1 + next8(&c) % MESSAGES; n && stream.len < STREAM - 1500; n--)
        put_message(&c, &s, in_order.sink, in_order.target, in_order.counters);
    if (!stream.len)
        return 0;
    arrive_in_order(&in_order, 1300);
    while (c.at < c.end) {
        uint32_t at = next16(&c) % stream.len, how = next8(&c);
        arrive(&any_order, how & 1 ? at & ~3u : at, 1 + (how & 2 ? next16(&c) % 1500 : how >> 2));
    }
    for (int round = 0; round < 3; round++)
        arrive_in_order(&any_order, 700);
    host_end(&in_order);
    host_end(&any_order);
    if (in_order.fatal || mpa_edge(in_order.rx) == stream.len) /* else it waits */
        check_same(&in_order, &any_order);
    return 0;
}
