/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <string.h>

enum { GAP_MAX = 24, REGION_TAIL = 24, BETWEEN_MIN = 16, BETWEEN_MAX = 80, SMALL = 64, LINGER_MS = 1000 };
#define MS 1000000000u

/* ---- names ---- */

const char *op_name(enum iw_op op)
{
    static const char *const names[IW_OPS] = {
        "Send",         "Send Inv", "Send SE", "Send SE Inv", "Write",        "Read",   "Immediate",
        "Immediate SE", "FetchAdd", "CmpSwap", "DDP tagged",  "DDP untagged", "Receive"};
    return op < IW_OPS ? names[op] : "?";
}

bool op_untagged(enum iw_op op)
{
    return op != IW_WRITE && op != IW_DDP_TAGGED && op != IW_READ;
}

/* ---- content ---- */

uint8_t content_octet(struct content c, uint32_t i)
{
    uint32_t at = c.offset + i;
    return (uint8_t)((c.key >> at % 8 * 8) + at / 8 * 0x9d + at / 2048 * 0x3b);
}

void content_fill(struct content c, uint8_t *out, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        out[i] = content_octet(c, i);
}

bool content_is(struct content c, const uint8_t *octets, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        if (octets[i] != content_octet(c, i))
            return false;
    return true;
}

/* ---- a plan in the making ---- */

struct maker {
    struct plan *plan;
    const struct plan_conf *conf;
    struct draw d;
    uint32_t left[2]; /* octets that the messages of a side may still have */
    bool window_closed[2][WINDOWS];
    bool unreceived[2]; /* side: from the wrong request on its messages find no receive */
    int error_side;
    uint32_t error_job;
};

static uint32_t draw_len(struct maker *m, int side)
{
    uint32_t mulpdu = m->plan->mulpdu,
             room = mulpdu - (draw_chance(&m->d, 50) ? IW_HEAD_TAGGED : IW_HEAD_UNTAGGED), len = 0;
    switch (draw_below(&m->d, 8)) {
    case 0: len = 0; break;
    case 1: len = 1; break;
    case 2: len = draw_from(&m->d, 1, SMALL); break;
    case 3: len = room * draw_from(&m->d, 1, 3) + draw_below(&m->d, 5) - 2; break;
    case 4: len = room; break;
    case 5: len = draw_from(&m->d, 1, mulpdu); break;
    default: len = draw_from(&m->d, 1, 4 * mulpdu); break;
    }
    if (len > m->left[side])
        len = draw_below(&m->d, SMALL);
    m->left[side] -= len < m->left[side] ? len : m->left[side];
    return len;
}

/* Fresh octets of a region, with a gap before them. */
static struct area new_area(struct maker *m, int side, uint8_t region, uint32_t len)
{
    struct plan_region *r = &m->plan->side[side].region[region];
    struct area a = {region, r->len + draw_below(&m->d, GAP_MAX), len};
    r->len = a.at + len;
    return a;
}

static uint8_t pick(struct maker *m, uint8_t a, uint8_t b)
{
    return draw_chance(&m->d, 50) ? a : b;
}

static struct content new_content(struct maker *m)
{
    return (struct content){draw_bits(&m->d), draw_below(&m->d, 4096)};
}

/* ---- requests ---- */

static void draw_sources(struct maker *m, int side, struct job *j)
{
    uint32_t left = j->len;
    j->sges = (uint8_t)(left ? draw_from(&m->d, 1, IW_SGE_MAX) : draw_below(&m->d, IW_SGE_MAX + 1));
    for (int i = 0; i < j->sges; i++) {
        uint32_t len = i + 1 == j->sges ? left : draw_below(&m->d, left + 1);
        uint8_t region = draw_chance(&m->d, 20) ? REGION_READ : pick(m, REGION_LOCAL, REGION_LOCAL_STREAM);
        j->local[i] = new_area(m, side, region, len);
        left -= len;
    }
}

/* Some octets inside `a`: at least one when it has any. */
static struct area part_of(struct maker *m, struct area a)
{
    if (!a.len)
        return a;
    uint32_t from = draw_below(&m->d, a.len);
    return (struct area){a.region, a.at + from, draw_from(&m->d, 1, a.len - from)};
}

/* What an earlier request of the side brought to where; NULL when there is none of this kind. */
static const struct job *earlier(struct maker *m, int side, enum iw_op op, uint32_t before)
{
    const struct plan_side *s = &m->plan->side[side];
    for (uint32_t i = before; i-- > 0;) {
        bool fits = s->job[i].op == op && s->job[i].len && !s->job[i].term[0];
        if (fits && draw_chance(&m->d, 60))
            return &s->job[i];
    }
    return NULL;
}

/* A Send of what an earlier Read brought: right only when the fence holds it back. */
static void derive_from_read(struct maker *m, struct job *j, const struct job *read)
{
    j->local[0] = part_of(m, read->local[0]);
    j->sges = 1;
    j->len = j->local[0].len;
    j->content = read->content;
    j->content.offset += j->local[0].at - read->local[0].at;
    j->derived = true;
    j->flags |= IW_FENCE;
}

static uint8_t open_window(struct maker *m, int peer)
{
    uint8_t w = (uint8_t)draw_below(&m->d, WINDOWS);
    return m->window_closed[peer][w] ? NONE : (uint8_t)(REGION_WINDOW + w);
}

static void draw_write(struct maker *m, int side, uint32_t index, struct job *j)
{
    const struct job *read =
        draw_chance(&m->d, 20) && j->op == IW_WRITE ? earlier(m, side, IW_READ, index) : NULL;
    uint8_t window = draw_chance(&m->d, 30) ? open_window(m, !side) : NONE;
    uint8_t region = draw_chance(&m->d, 30) ? REGION_BOTH : pick(m, REGION_WRITTEN, REGION_WRITTEN_STREAM);
    if (read)
        derive_from_read(m, j, read);
    else
        draw_sources(m, side, j);
    j->remote = new_area(m, !side, window != NONE ? window : region, j->len);
}

static bool readable(const struct maker *m, int side, const struct job *write)
{
    uint8_t region = write->remote.region;
    bool window = region >= REGION_WINDOW && region < REGION_WINDOW + WINDOWS;
    return region == REGION_BOTH || (window && !m->window_closed[!side][region - REGION_WINDOW]);
}

static void draw_read(struct maker *m, int side, uint32_t index, struct job *j)
{
    const struct job *write = draw_chance(&m->d, 60) ? earlier(m, side, IW_WRITE, index) : NULL;
    if (write && readable(m, side, write)) {
        j->remote = part_of(m, write->remote);
        j->len = j->remote.len;
        j->content = write->content;
        j->content.offset += j->remote.at - write->remote.at;
        j->derived = true;
    } else {
        j->remote = new_area(m, !side, pick(m, REGION_READ, REGION_READ_STREAM), j->len);
    }
    j->sges = j->len || draw_chance(&m->d, 50);
    if (j->sges)
        j->local[0] = new_area(m, side, pick(m, REGION_LOCAL, REGION_LOCAL_STREAM), j->len);
}

static void draw_invalidate(struct maker *m, int side, struct job *j)
{
    uint8_t window = open_window(m, !side);
    bool invalidates = j->op == IW_SEND_INV || j->op == IW_SEND_SE_INV;
    if (!invalidates)
        return;
    if (window == NONE) {
        j->op = IW_SEND;
        return;
    }
    j->window = window;
    j->flags |= IW_FENCE; /* a Response may still be reading from it */
    m->window_closed[!side][window - REGION_WINDOW] = true;
}

/* The peer's receive for an untagged message: large enough, and often larger. */
static uint8_t new_recv(struct maker *m, int side, const struct job *j)
{
    struct plan_side *peer = &m->plan->side[!side];
    uint32_t len = j->op == IW_IMMEDIATE || j->op == IW_IMMEDIATE_SE ? 0 : j->len;
    struct recv *r = &peer->recv[peer->recvs];
    *r = (struct recv){.qn = j->qn, .empty = !len && draw_chance(&m->d, 50)};
    if (!r->empty)
        r->area = new_area(m, !side, pick(m, REGION_LOCAL, REGION_LOCAL_STREAM),
                           len + (draw_chance(&m->d, 50) ? draw_below(&m->d, 40) : 0));
    return (uint8_t)peer->recvs++;
}

static void draw_untagged(struct maker *m, int side, uint32_t index, struct job *j)
{
    const struct iw_conf *conf = &m->plan->side[side].conf;
    const struct job *read = draw_chance(&m->d, 20) ? earlier(m, side, IW_READ, index) : NULL;
    j->rsvdulp = draw_bits(&m->d);
    if (j->op == IW_IMMEDIATE || j->op == IW_IMMEDIATE_SE)
        j->len = 0;
    else if (read)
        derive_from_read(m, j, read);
    else
        draw_sources(m, side, j);
    if (j->op == IW_DDP_UNTAGGED)
        j->qn = conf->queue[draw_below(&m->d, conf->queues)].qn;
    draw_invalidate(m, side, j);
    if (!m->unreceived[side])
        j->recv = new_recv(m, side, j);
}

static enum iw_op draw_op(struct maker *m, int side)
{
    static const enum iw_op rdmap[] = {IW_SEND,        IW_SEND,  IW_SEND_SE,   IW_SEND_INV,
                                       IW_SEND_SE_INV, IW_WRITE, IW_WRITE,     IW_WRITE,
                                       IW_READ,        IW_READ,  IW_IMMEDIATE, IW_IMMEDIATE_SE};
    const struct iw_conf *conf = &m->plan->side[side].conf;
    if (conf->profile & IW_DDP_ONLY)
        return draw_chance(&m->d, 50) ? IW_DDP_TAGGED : IW_DDP_UNTAGGED;
    enum iw_op op = rdmap[draw_below(&m->d, sizeof rdmap / sizeof rdmap[0])];
    bool immediate = op == IW_IMMEDIATE || op == IW_IMMEDIATE_SE;
    if (immediate && !(conf->profile & IW_RFC7306))
        return IW_SEND;
    return op == IW_READ && !conf->ord ? IW_WRITE : op;
}

static void draw_job(struct maker *m, int side, uint32_t index)
{
    struct job *j = &m->plan->side[side].job[index];
    *j = (struct job){.op = draw_op(m, side),
                      .window = NONE,
                      .recv = NONE,
                      .content = new_content(m),
                      .len = draw_len(m, side)};
    if (draw_chance(&m->d, 15))
        j->flags |= IW_FENCE;
    if (draw_chance(&m->d, 25))
        j->flags |= IW_UNSIGNALLED;
    if (j->op == IW_READ)
        draw_read(m, side, index, j);
    else if (op_untagged(j->op))
        draw_untagged(m, side, index, j);
    else
        draw_write(m, side, index, j);
    if (j->op == IW_DDP_TAGGED)
        j->rsvdulp = draw_bits(&m->d);
}

/* ---- the wrong request ---- */

enum wrong {
    WRONG_STAG,
    WRONG_BOUNDS,
    WRONG_RIGHTS,
    WRONG_ASSOCIATION,
    WRONG_WRAP, /* Write, Read, DDP tagged */
    WRONG_NO_RECEIVE,
    WRONG_TOO_LONG, /* Send, DDP untagged */
    WRONG_INVALIDATE_UNKNOWN,
    WRONG_INVALIDATE_SHARED,
    WRONG_INVALIDATE_FOREIGN, /* Send with Invalidate */
    WRONG_IMMEDIATE,          /* the peer has no RFC 7306 */
    WRONG_QN,                 /* DDP untagged */
    WRONGS
};
enum {
    AT_TAGGED = 1,
    AT_READ = 2,
    AT_UNTAGGED = 4,
    AT_INVALIDATE = 8,
    AT_IMMEDIATE = 16,
    AT_DDP_UNTAGGED = 32
};

/* Which requests can be wrong in this way, and what the peer then must say: of a Read, and of the others. The
 * second of two values is as right: it depends on where the message is cut. */
static const struct {
    uint8_t at;
    int read, term[2];
} wrongs[WRONGS] = {
    [WRONG_STAG] = {AT_TAGGED | AT_READ, IW_T_RDMA_STAG, {IW_T_DDP_STAG, 0}},
    [WRONG_BOUNDS] = {AT_TAGGED | AT_READ, IW_T_RDMA_BOUNDS, {IW_T_DDP_BOUNDS, 0}},
    [WRONG_RIGHTS] = {AT_TAGGED | AT_READ, IW_T_RDMA_RIGHTS, {IW_T_DDP_STAG, 0}},
    [WRONG_ASSOCIATION] = {AT_TAGGED | AT_READ, IW_T_RDMA_ASSOCIATION, {IW_T_DDP_ASSOCIATION, 0}},
    [WRONG_WRAP] = {AT_TAGGED | AT_READ, IW_T_RDMA_WRAP, {IW_T_DDP_WRAP, 0}},
    [WRONG_NO_RECEIVE] = {AT_UNTAGGED, 0, {IW_T_DDP_NO_BUFFER, 0}},
    [WRONG_TOO_LONG] = {AT_UNTAGGED, 0, {IW_T_DDP_TOO_LONG, IW_T_DDP_MO}},
    [WRONG_INVALIDATE_UNKNOWN] = {AT_INVALIDATE, 0, {IW_T_RDMA_INVALIDATE, 0}},
    [WRONG_INVALIDATE_SHARED] = {AT_INVALIDATE, 0, {IW_T_RDMA_INVALIDATE, 0}},
    [WRONG_INVALIDATE_FOREIGN] = {AT_INVALIDATE, 0, {IW_T_RDMA_INVALIDATE_STREAM, 0}},
    [WRONG_IMMEDIATE] = {AT_IMMEDIATE, 0, {IW_T_RDMA_OPCODE, 0}},
    [WRONG_QN] = {AT_DDP_UNTAGGED, 0, {IW_T_DDP_QN, 0}},
};

static uint8_t kind_of(const struct job *j)
{
    static const uint8_t kinds[IW_OPS] = {
        [IW_SEND] = AT_UNTAGGED,
        [IW_SEND_SE] = AT_UNTAGGED,
        [IW_SEND_INV] = AT_UNTAGGED | AT_INVALIDATE,
        [IW_SEND_SE_INV] = AT_UNTAGGED | AT_INVALIDATE,
        [IW_WRITE] = AT_TAGGED,
        [IW_READ] = AT_READ,
        [IW_DDP_TAGGED] = AT_TAGGED,
        [IW_DDP_UNTAGGED] = AT_UNTAGGED | AT_DDP_UNTAGGED,
        [IW_IMMEDIATE] = AT_IMMEDIATE,
        [IW_IMMEDIATE_SE] = AT_IMMEDIATE,
    };
    return kinds[j->op];
}

static void make_tagged_wrong(struct maker *m, struct job *j, enum wrong wrong)
{
    static const uint8_t region[] = {
        [WRONG_STAG] = REGION_SPARE,          [WRONG_BOUNDS] = REGION_BOTH, [WRONG_RIGHTS] = REGION_LOCAL,
        [WRONG_ASSOCIATION] = REGION_FOREIGN, [WRONG_WRAP] = REGION_BOTH,
    };
    j->remote = (struct area){region[wrong], 0, j->len};
    j->wild = true;
    if (wrong == WRONG_STAG)
        j->wild_stag = (iw_stag)draw_bits(&m->d) | 1;
    j->wild_to = wrong == WRONG_WRAP ? UINT64_MAX - (j->len - 2) : 0; /* ends one octet behind 2^64 */
}

static void make_wrong(struct maker *m, int side, struct job *j, enum wrong wrong)
{
    struct recv *r = j->recv != NONE ? &m->plan->side[!side].recv[j->recv] : NULL;
    memcpy(j->term, wrongs[wrong].term, sizeof j->term);
    if (j->op == IW_READ)
        j->term[0] = wrongs[wrong].read;
    switch (wrong) {
    case WRONG_NO_RECEIVE: /* the last receive is its own: nothing was drawn after it */
        m->plan->side[!side].recvs--;
        j->recv = NONE;
        break;
    case WRONG_TOO_LONG: r->area.len = draw_below(&m->d, j->len); break;
    case WRONG_INVALIDATE_UNKNOWN:
        j->window = NONE;
        j->wild = true;
        j->wild_stag = (iw_stag)draw_bits(&m->d) | 1;
        break;
    case WRONG_INVALIDATE_SHARED: j->window = REGION_SHARED; break;
    case WRONG_INVALIDATE_FOREIGN: j->window = REGION_FOREIGN; break;
    case WRONG_IMMEDIATE: m->plan->side[!side].conf.profile &= ~(unsigned)IW_RFC7306; break;
    case WRONG_QN: j->qn ^= 0x5a5a5a5au; break;
    default: make_tagged_wrong(m, j, wrong); break;
    }
}

/* Has no request so far brought Immediate Data? Then the profile may still lose it. */
static bool no_immediate(const struct plan *p, const struct job *but)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < p->side[side].jobs; i++)
            if (kind_of(&p->side[side].job[i]) & AT_IMMEDIATE && &p->side[side].job[i] != but)
                return false;
    return true;
}

/* Make the request wrong in some way it can be; false when there is none. */
static bool spoil(struct maker *m, int side, struct job *j)
{
    bool recovers = m->plan->side[!side].conf.profile & IW_RECOVER;
    for (uint32_t n = draw_below(&m->d, WRONGS), tries = 0; tries < WRONGS; tries++, n = (n + 1) % WRONGS) {
        enum wrong wrong = (enum wrong)n;
        if (!(wrongs[wrong].at & kind_of(j)) || (wrong == WRONG_NO_RECEIVE && recovers))
            continue;
        if ((wrongs[wrong].at & AT_TAGGED || wrong == WRONG_TOO_LONG) && !j->len)
            continue;
        if (wrong == WRONG_WRAP && (j->len < 2 || j->len > SMALL))
            continue;
        if (wrong == WRONG_QN && m->plan->side[side].conf.queues == IW_QUEUES_MAX)
            continue; /* nobody can send to more */
        if (wrong == WRONG_IMMEDIATE && !no_immediate(m->plan, j))
            continue;
        make_wrong(m, side, j, wrong);
        return true;
    }
    return false;
}

/* ---- the whole ---- */

static struct iw_conf draw_endpoint(struct maker *m)
{
    struct iw_conf c = {.pd = 1, .stream = 1, .trust = 7, .linger = (iw_time)LINGER_MS * MS};
    c.profile = m->conf->profile | (m->conf->ddp_only ? IW_DDP_ONLY : 0u);
    c.sq_max = (uint16_t)draw_from(&m->d, 1, 16);
    c.rq_max = (uint16_t)draw_from(&m->d, 1, 16);
    c.reorder_max = (uint16_t)(draw_chance(&m->d, 30) ? draw_below(&m->d, 4) : draw_from(&m->d, 4, 64));
    if (c.reorder_max < m->conf->reorder_max)
        c.reorder_max = m->conf->reorder_max;
    c.complete_on = draw_chance(&m->d, 50) ? IW_ON_ACK : IW_ON_ACCEPT;
    return c;
}

static void draw_queues(struct maker *m, struct iw_conf *c)
{
    c->queues = (uint8_t)draw_from(&m->d, 1, IW_QUEUES_MAX);
    uint32_t first = draw_chance(&m->d, 50) ? 0 : (uint32_t)draw_bits(&m->d),
             step = (uint32_t)draw_bits(&m->d) | 1;
    for (uint32_t i = 0; i < c->queues; i++)
        c->queue[i] = (struct iw_queue_conf){first + i * step, (uint16_t)draw_from(&m->d, 1, 8)};
}

static void draw_endpoints(struct maker *m)
{
    struct iw_conf *a = &m->plan->side[0].conf, *b = &m->plan->side[1].conf;
    unsigned same = (draw_chance(&m->d, 15) ? (unsigned)IW_RDMAC : 0u) |
                    (!m->conf->ddp_only && draw_chance(&m->d, 40) ? (unsigned)IW_RFC7306 : 0u);
    uint32_t msn = draw_chance(&m->d, 30) ? 0u - draw_below(&m->d, 12) : 0;
    *a = draw_endpoint(m);
    *b = draw_endpoint(m);
    a->profile |= same;
    b->profile |= same;
    a->first_msn = b->first_msn = msn;
    if (m->conf->ddp_only) {
        draw_queues(m, a);
        memcpy(b->queue, a->queue, sizeof a->queue);
        b->queues = a->queues;
        return;
    }
    a->ird = (uint16_t)draw_below(&m->d, 6);
    b->ird = (uint16_t)draw_below(&m->d, 6);
    a->ord = (uint16_t)draw_below(&m->d, b->ird + 1u);
    b->ord = (uint16_t)draw_below(&m->d, a->ird + 1u);
}

static void draw_rights(struct plan_side *s)
{
    static const unsigned rights[REGIONS] = {
        [REGION_LOCAL] = IW_LOCAL_WRITE,
        [REGION_LOCAL_STREAM] = IW_LOCAL_WRITE,
        [REGION_WRITTEN] = IW_REMOTE_WRITE,
        [REGION_WRITTEN_STREAM] = IW_REMOTE_WRITE | IW_LOCAL_WRITE,
        [REGION_READ] = IW_REMOTE_READ,
        [REGION_READ_STREAM] = IW_REMOTE_READ | IW_LOCAL_WRITE,
        [REGION_BOTH] = IW_REMOTE_READ | IW_REMOTE_WRITE,
        [REGION_SHARED] = IW_REMOTE_WRITE,
        [REGION_FOREIGN] = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE,
        [REGION_SPARE] = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE,
    };
    for (int i = 0; i < REGIONS; i++) {
        bool window = i >= REGION_WINDOW && i < REGION_WINDOW + WINDOWS;
        s->region[i].rights = window ? IW_REMOTE_READ | IW_REMOTE_WRITE : rights[i];
        s->region[i].by_stream = window || i == REGION_LOCAL_STREAM || i == REGION_WRITTEN_STREAM ||
                                 i == REGION_READ_STREAM || i == REGION_SHARED;
    }
}

static uint64_t draw_to(struct maker *m, uint32_t len)
{
    switch (draw_below(&m->d, 6)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return UINT32_MAX;
    case 3: return UINT64_MAX - len + 1; /* its end is 2^64 itself */
    case 4: return UINT32_MAX - len / 2;
    default: return draw_bits(&m->d) >> 1;
    }
}

/* Lengths are known now: where each region lies in memory and among TOs. */
static void lay_out(struct maker *m, struct plan_side *s)
{
    uint32_t at = draw_from(&m->d, BETWEEN_MIN, BETWEEN_MAX);
    for (int i = 0; i < REGIONS; i++) {
        struct plan_region *r = &s->region[i];
        r->len += REGION_TAIL;
        r->start = at;
        r->to = draw_to(m, r->len);
        at += r->len + draw_from(&m->d, BETWEEN_MIN, BETWEEN_MAX);
    }
    s->memory = at;
}

/* A request out of bounds begins in the tail of its region, which is nobody's, or just before the region when
 * its end is that of all TOs. */
static void aim_out_of_bounds(const struct plan *p, int side, struct job *j)
{
    const struct plan_region *r = &p->side[!side].region[REGION_BOTH];
    bool bounds = j->term[0] == IW_T_DDP_BOUNDS || j->term[0] == IW_T_RDMA_BOUNDS;
    if (!bounds)
        return;
    j->wild_to = r->to + r->len == 0 ? r->to - j->len
                                     : r->to + r->len - (j->len > REGION_TAIL ? REGION_TAIL : j->len - 1);
}

static uint32_t jobs_of(struct maker *m, int side)
{
    uint32_t n = draw_below(&m->d, m->conf->jobs + 1);
    return n || side ? n : 1; /* the responder waits for a first segment */
}

static void draw_jobs(struct maker *m)
{
    struct plan *p = m->plan;
    bool spoilt = false;
    for (int side = 0; side < 2; side++)
        p->side[side].jobs = jobs_of(m, side);
    m->error_side = m->conf->error ? (int)draw_below(&m->d, p->side[1].jobs ? 2 : 1) : 2;
    if (m->conf->error)
        m->error_job = draw_below(&m->d, p->side[m->error_side].jobs);
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < p->side[side].jobs; i++) {
            struct job *j = &p->side[side].job[i];
            draw_job(m, side, i);
            if (side != m->error_side || i < m->error_job || spoilt)
                continue;
            spoilt = spoil(m, side, j);
            if (spoilt)
                m->unreceived[side] = true;
        }
    }
}

void plan_draw(struct plan *plan, uint64_t seed, const struct plan_conf *conf)
{
    struct maker m = {
        .plan = plan, .conf = conf, .d = draw_start(seed, 1), .left = {conf->octets, conf->octets}};
    *plan = (struct plan){.seed = seed, .mulpdu = conf->mulpdu};
    draw_endpoints(&m);
    for (int side = 0; side < 2; side++)
        draw_rights(&plan->side[side]);
    draw_jobs(&m);
    for (int side = 0; side < 2; side++)
        lay_out(&m, &plan->side[side]);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < plan->side[side].jobs; i++)
            aim_out_of_bounds(plan, side, &plan->side[side].job[i]);
}

bool plan_error(const struct plan *plan, int *side, uint32_t *job)
{
    for (*side = 0; *side < 2; ++*side)
        for (*job = 0; *job < plan->side[*side].jobs; ++*job)
            if (plan->side[*side].job[*job].term[0])
                return true;
    return false;
}
