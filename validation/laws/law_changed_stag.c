/* SPDX-License-Identifier: GPL-2.0-or-later */
/* law_changed_stag.c -- the exception to the law that the order of arrival does not change the error: a
 * verdict that depends on an STag or a buffer which changed between a segment's arrival and its turn.
 *
 * Each row: one segment, and what happens before its turn comes. A receiver in order sees the segment after
 * that, a receiver out of order before it, while an earlier segment is missing. Rows with two equal columns
 * are no exception: they show where the exception ends. */
#include <stdlib.h>
#include <string.h>

#include "engine/iw.h"
#include "validation/support/test.h"

enum { TABLE = 8, ENTRIES = 16, OCTETS = 64, KEY = 100, BLOCK = 16384, PD = 1, OTHER_PD = 2 };
static const uint64_t base_to = 1000;

struct receiver {
    struct iw_conf conf;
    struct iw_ep *ep;
    struct iw_stags *stags;
    struct iw_cq *cq;
    iw_stag stag; /* of `memory`, under test */
    uint8_t memory[OCTETS];
    _Alignas(max_align_t) uint8_t ep_block[BLOCK];
    _Alignas(max_align_t) uint8_t stags_block[BLOCK];
    _Alignas(max_align_t) uint8_t cq_block[BLOCK];
    struct iw_place place;
    struct iw_seg seg;
    uint8_t octets[IW_HEAD_MAX + OCTETS];
};

/* ---- a receiver ---- */

static struct iw_region region_of(struct receiver *r)
{
    return (struct iw_region){.base = r->memory,
                              .to = base_to,
                              .len = 32,
                              .pd = PD,
                              .rights = IW_LOCAL_WRITE | IW_REMOTE_WRITE | IW_REMOTE_READ};
}

static void open_receiver(struct receiver *r, uint16_t reorder_max)
{
    memset(r, 0xa5, sizeof *r);
    memset(r->memory, 0, sizeof r->memory);
    r->conf = (struct iw_conf){.pd = PD,
                               .stream = 1,
                               .trust = 1,
                               .mulpdu = 1500,
                               .llp = IW_LLP_ALL,
                               .sq_max = 4,
                               .rq_max = 4,
                               .ord = 2,
                               .ird = 1,
                               .reorder_max = reorder_max,
                               .linger = 1000};
    assert_true(iw_stags_size(TABLE) <= BLOCK && iw_cq_size(ENTRIES) <= BLOCK &&
                iw_ep_size(&r->conf) <= BLOCK);
    r->conf.stags = r->stags = iw_stags_init(r->stags_block, TABLE, 0);
    r->conf.send_cq = r->conf.recv_cq = r->cq = iw_cq_init(r->cq_block, ENTRIES, 1);
    r->ep = iw_ep_init(r->ep_block, &r->conf);
    assert_non_null(r->ep);
    assert_int_equal(iw_enable(r->ep, 0, 0), IW_OK);
    r->stag = 0x100; /* the first name of a table without a seed */
}

static void register_it(struct receiver *r)
{
    struct iw_region region = region_of(r);
    assert_int_equal(iw_register(r->stags, &region, &r->stag), IW_OK);
    assert_int_equal(r->stag, 0x100);
}

static void post(struct receiver *r, enum iw_op op, uint32_t len)
{
    struct iw_work w = {.op = op, .sges = 1, .sge = {{r->stag, len, base_to}}, .remote_stag = 7};
    assert_int_equal(iw_post(r->ep, 0, &w), IW_OK);
}

static void send_all(struct receiver *r)
{
    static uint64_t key;
    struct iw_seg seg;
    while (iw_transmit(r->ep, 0, key, &seg))
        iw_note_acked(r->ep, 0, ++key);
}

/* ---- the segments ---- */

static void put(struct receiver *r, struct ddp_head head, enum rdmap_opcode opcode, const void *payload,
                uint32_t len)
{
    const struct rdmap_ctl ctl = {1, (uint8_t)opcode, 0};
    head.version = 1;
    head.last = true;
    head.rsvdulp = rdmap_ctl_put(&ctl, head.tagged);
    uint32_t n = ddp_head_put(r->octets, &head);
    memcpy(r->octets + n, payload, len);
    iw_seg_view(&r->seg, KEY, r->octets, n + len);
}

static const char text[] = "sixteen octets..";

static void a_write(struct receiver *r)
{
    put(r, (struct ddp_head){.tagged = true, .stag = r->stag, .to = base_to + 16}, RDMAP_WRITE, text, 16);
}

static void a_response(struct receiver *r)
{
    put(r, (struct ddp_head){.tagged = true, .stag = r->stag, .to = base_to}, RDMAP_READ_RESP, text, 16);
}

static void a_send(struct receiver *r)
{
    put(r, (struct ddp_head){.msn = 1}, RDMAP_SEND, text, 16);
}

static void read_request(struct receiver *r, uint32_t msn)
{
    const struct rdmap_read_req req = {9, 9, 16, r->stag, base_to};
    uint8_t body[IW_READ_REQ_SIZE];
    rdmap_read_req_put(body, &req);
    put(r, (struct ddp_head){.qn = 1, .msn = msn}, RDMAP_READ_REQ, body, sizeof body);
}

static void a_read_request(struct receiver *r)
{
    read_request(r, 1);
}

static void a_second_read_request(struct receiver *r)
{
    read_request(r, 2);
}

/* ---- what was there before ---- */

static void nothing(struct receiver *r)
{
    (void)r;
}

static void a_receive(struct receiver *r)
{
    register_it(r);
    post(r, IW_RECV, 16);
}

static void a_read(struct receiver *r)
{
    register_it(r);
    post(r, IW_READ, 16);
    send_all(r);
}

static void of_another_domain(struct receiver *r)
{
    register_it(r);
    struct iw_region region = region_of(r);
    region.pd = OTHER_PD;
    assert_int_equal(iw_rebind(r->stags, r->stag, &region), IW_OK);
}

static void too_short(struct receiver *r)
{
    register_it(r);
    struct iw_region region = region_of(r);
    region.len = 16;
    assert_int_equal(iw_rebind(r->stags, r->stag, &region), IW_OK);
}

static void read_only(struct receiver *r)
{
    register_it(r);
    struct iw_region region = region_of(r);
    region.rights = IW_REMOTE_READ;
    assert_int_equal(iw_rebind(r->stags, r->stag, &region), IW_OK);
}

/* One Read Request, delivered and not answered: IRD is 1. */
static void a_full_ird(struct receiver *r)
{
    struct iw_seg keep = r->seg;
    register_it(r);
    a_read_request(r);
    r->seg.key = 0;
    assert_int_equal(iw_receive(r->ep, 0, &r->seg), IW_OK);
    struct iw_message message;
    assert_int_equal(iw_deliver(r->ep, 0, 1, &message), 1);
    assert_int_equal(iw_deliver(r->ep, 0, 1, &message), IW_OK);
    r->seg = keep;
}

/* ---- what happens between arrival and turn ---- */

static void invalidate(struct receiver *r)
{
    assert_int_equal(iw_invalidate(r->stags, r->stag), IW_OK);
}

static void revoke(struct receiver *r)
{
    iw_revoke(r->stags, r->stag, IW_CANCEL);
}

static void revoke_drained(struct receiver *r)
{
    iw_revoke(r->stags, r->stag, IW_DRAIN);
}

static void restore(struct receiver *r)
{
    struct iw_region region = region_of(r);
    assert_int_equal(iw_rebind(r->stags, r->stag, &region), IW_OK);
}

static void shorten(struct receiver *r)
{
    struct iw_region region = region_of(r);
    region.len = 16;
    assert_int_equal(iw_rebind(r->stags, r->stag, &region), IW_OK);
}

static void forbid(struct receiver *r)
{
    struct iw_region region = region_of(r);
    region.rights = IW_REMOTE_READ;
    assert_int_equal(iw_rebind(r->stags, r->stag, &region), IW_OK);
}

static void give_away(struct receiver *r)
{
    struct iw_region region = region_of(r);
    region.pd = OTHER_PD;
    assert_int_equal(iw_rebind(r->stags, r->stag, &region), IW_OK);
}

static void post_receive(struct receiver *r)
{
    post(r, IW_RECV, 16);
}

static void send_read(struct receiver *r)
{
    post(r, IW_READ, 16);
    send_all(r);
}

/* ---- the table ---- */

enum { PLACED, COMMITTING, WAITS };

struct row {
    const char *what;
    void (*before)(struct receiver *);
    void (*segment)(struct receiver *);
    void (*between)(struct receiver *);
    uint16_t reorder_max;
    int state; /* out of order, when `between` happens: in place, its commit pending, or IW_LATER */
    int in_order, out_of_order; /* how the stream fares: IW_OK or the error */
};

/* clang-format off */
static const struct row rows[] = {
    /* what                                                 before             segment         between         ooo  state       in order           out of order */
    {"a Write is in place when its STag is invalidated",    register_it,       a_write,        invalidate,      4, PLACED,     IW_T_DDP_STAG,        IW_OK},
    {"... is revoked",                                      register_it,       a_write,        revoke,          4, PLACED,     IW_T_DDP_STAG,        IW_OK},
    {"... becomes shorter",                                 register_it,       a_write,        shorten,         4, PLACED,     IW_T_DDP_BOUNDS,      IW_OK},
    {"... becomes read-only",                               register_it,       a_write,        forbid,          4, PLACED,     IW_T_DDP_STAG,        IW_OK},
    {"... goes to another domain",                          register_it,       a_write,        give_away,       4, PLACED,     IW_T_DDP_ASSOCIATION, IW_OK},
    {"a Write is in flight when its STag is invalidated",   register_it,       a_write,        invalidate,      4, COMMITTING, IW_T_DDP_STAG,        IW_T_DDP_STAG},
    {"... is revoked, cancelling",                          register_it,       a_write,        revoke,          4, COMMITTING, IW_T_DDP_STAG,        IW_T_DDP_STAG},
    {"... is revoked, draining",                            register_it,       a_write,        revoke_drained,  4, COMMITTING, IW_T_DDP_STAG,        IW_OK},
    {"a Write waits, for no table has room, and its STag is invalidated", register_it, a_write, invalidate,     0, WAITS,      IW_T_DDP_STAG,        IW_T_DDP_STAG},
    {"a Write comes before its STag is registered",         nothing,           a_write,        register_it,     4, WAITS,      IW_OK,                IW_OK},
    {"... is long enough",                                  too_short,         a_write,        restore,         4, WAITS,      IW_OK,                IW_OK},
    {"... may be written",                                  read_only,         a_write,        restore,         4, WAITS,      IW_OK,                IW_OK},
    {"... is of its domain",                                of_another_domain, a_write,        restore,         4, WAITS,      IW_OK,                IW_OK},
    {"a Send comes before its receive is posted",           register_it,       a_send,         post_receive,    4, WAITS,      IW_OK,                IW_OK},
    {"a Send is in place when its buffer is revoked",       a_receive,         a_send,         revoke,          4, PLACED,     IW_T_DDP_CATASTROPHIC, IW_OK},
    {"a Send is in flight when its buffer is revoked",      a_receive,         a_send,         revoke,          4, COMMITTING, IW_T_DDP_CATASTROPHIC, IW_T_DDP_CATASTROPHIC},
    {"a Response is in place when its sink is revoked",     a_read,            a_response,     revoke,          4, PLACED,     IW_T_DDP_STAG,        IW_OK},
    {"a Response is in flight when its sink is revoked",    a_read,            a_response,     revoke,          4, COMMITTING, IW_T_DDP_STAG,        IW_T_DDP_STAG},
    {"a Response comes before its Read has left",           register_it,       a_response,     send_read,       4, WAITS,      IW_OK,                IW_OK},
    {"a Read Request comes, and its source is revoked",     register_it,       a_read_request, revoke,          4, PLACED,     IW_T_RDMA_STAG,       IW_T_RDMA_STAG},
    {"a Read Request comes before its source is registered", nothing,          a_read_request, register_it,     4, PLACED,     IW_OK,                IW_OK},
    {"a Read Request comes while IRD is full",              a_full_ird,        a_second_read_request, send_all, 4, WAITS,      IW_OK,                IW_OK},
};
/* clang-format on */

static int deliver(struct receiver *r, uint64_t key)
{
    struct iw_message message;
    int got;
    while ((got = iw_deliver(r->ep, 0, key, &message)) == 1)
        continue;
    return got;
}

static int take_turn(struct receiver *r)
{
    int got = deliver(r, KEY); /* the segments before it have come */
    if (got == IW_OK)
        got = iw_receive(r->ep, 0, &r->seg);
    return got ? got : deliver(r, KEY + 1);
}

static int hear_in_order(const struct row *row)
{
    static struct receiver r;
    open_receiver(&r, row->reorder_max);
    row->before(&r);
    row->segment(&r);
    row->between(&r);
    return take_turn(&r);
}

static int hear_out_of_order(const struct row *row)
{
    static struct receiver r;
    open_receiver(&r, row->reorder_max);
    row->before(&r);
    row->segment(&r);
    int verdict = iw_check(r.ep, 0, &r.seg, &r.place), got = IW_OK;
    assert_int_equal(verdict, row->state == WAITS ? IW_LATER : IW_OK);
    if (row->state == PLACED)
        got = iw_commit(r.ep, 0, &r.seg, &r.place);
    assert_int_equal(got, IW_OK);
    row->between(&r);
    if (row->state == WAITS)
        return take_turn(&r);
    if (row->state == COMMITTING)
        got = iw_commit(r.ep, 0, &r.seg, &r.place);
    return got ? got : deliver(&r, KEY + 1);
}

/* checks: DDP-3-5a DDP-7.1-T1 DDP-7.1-T2 DDP-8.3-2 DDP-8.3.1-6 RDMAP-8.1.1-6 RDMAP-5.2.1-13 */
TEST(a_verdict_depends_on_what_changed)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int in_order = hear_in_order(&rows[i]), out_of_order = hear_out_of_order(&rows[i]);
        if (in_order != rows[i].in_order || out_of_order != rows[i].out_of_order)
            print_error("row %zu (%s): %05x in order, %05x out of order\n", i, rows[i].what,
                        (unsigned)in_order, (unsigned)out_of_order);
        assert_int_equal(in_order, rows[i].in_order);
        assert_int_equal(out_of_order, rows[i].out_of_order);
    }
}
