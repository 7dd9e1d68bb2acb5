/* SPDX-License-Identifier: GPL-2.0-or-later */
/* errors.c -- a tour of the Terminate codes. Each has a connection of its own; the next one starts when the Terminate of
 * the last is known at both ends. Host 0 does something wrong, host 1 finds it.
 *
 * Missing here: 2/0/04, invalid start-up frame, which ends a connection before it carries a stream.
 */
#include <string.h>

#include "scenarios/workloads/kind.h"
#include "scenarios/workloads/talk.h"

/* What host 1 has, on every connection. */
enum memory {
    NOTHING,  /* an STag that does not exist */
    WRITABLE, /* remote write only */
    READABLE, /* remote read only */
    FOREIGN,  /* another protection domain */
    MEMORIES
};
enum {
    REGION_TO = 0x1000,
    REGION_LEN = 256,
    OTHER_PD = WORKLOAD_PD + 1,
    BUFFER = 64,
    UNKNOWN_STAG = 0x7ffffff7
};

/* One thing that is wrong; what is not said is right. */
struct wrong {
    int term;
    enum workload_wrong_kind kind;
    uint8_t opcode;       /* WRONG_ULPDU, WRONG_CRC, WRONG_MARKER: the message that goes out */
    enum memory memory;   /* its STag; READ_REQ: the Data Source; SEND_INV: what it invalidates */
    uint64_t to;          /* 0: the start of the region */
    uint32_t len;         /* octets of payload; READ_REQ: octets asked for */
    uint8_t dv, rv;       /* 0: version 1 */
    uint32_t qn, msn, mo; /* msn 0: 1 */
    uint32_t cut;         /* octets of the ULPDU that are sent; 0: all */
    bool strict;          /* only the profile of that name finds it (RFC 5041 5.2) */
};

#define LAST_MSN 0xffffffffu

static const struct wrong wrongs[] = {
    {.term = IW_T_DDP_STAG, .opcode = RDMAP_WRITE, .memory = NOTHING, .len = 16},
    {.term = IW_T_DDP_BOUNDS,
     .opcode = RDMAP_WRITE,
     .memory = WRITABLE,
     .to = REGION_TO + REGION_LEN - 8,
     .len = 16},
    {.term = IW_T_DDP_ASSOCIATION, .opcode = RDMAP_WRITE, .memory = FOREIGN, .len = 16},
    {.term = IW_T_DDP_WRAP, .opcode = RDMAP_WRITE, .memory = WRITABLE, .to = UINT64_MAX - 7, .len = 16},
    {.term = IW_T_DDP_VERSION_TAGGED, .opcode = RDMAP_WRITE, .memory = WRITABLE, .len = 16, .dv = 2},
    {.term = IW_T_DDP_QN, .opcode = RDMAP_SEND, .len = 16, .qn = 9},
    {.term = IW_T_DDP_NO_BUFFER, .opcode = RDMAP_SEND, .len = 16, .msn = 1000},
    {.term = IW_T_DDP_MSN_RANGE, .opcode = RDMAP_SEND, .len = 16, .msn = LAST_MSN},
    {.term = IW_T_DDP_MO, .opcode = RDMAP_SEND, .len = 16, .mo = BUFFER},
    {.term = IW_T_DDP_MO, .opcode = RDMAP_SEND, .len = 16, .mo = 16, .strict = true},
    {.term = IW_T_DDP_TOO_LONG, .opcode = RDMAP_SEND, .len = BUFFER + 16},
    {.term = IW_T_DDP_VERSION_UNTAGGED, .opcode = RDMAP_SEND, .len = 16, .dv = 2},
    {.term = IW_T_DDP_CATASTROPHIC, .opcode = RDMAP_SEND, .cut = 10},
    {.term = IW_T_RDMA_STAG, .opcode = RDMAP_READ_REQ, .memory = NOTHING, .len = 16},
    {.term = IW_T_RDMA_BOUNDS,
     .opcode = RDMAP_READ_REQ,
     .memory = READABLE,
     .to = REGION_TO + REGION_LEN - 8,
     .len = 16},
    {.term = IW_T_RDMA_RIGHTS, .opcode = RDMAP_READ_REQ, .memory = WRITABLE, .len = 16},
    {.term = IW_T_RDMA_ASSOCIATION, .opcode = RDMAP_READ_REQ, .memory = FOREIGN, .len = 16},
    {.term = IW_T_RDMA_WRAP, .opcode = RDMAP_READ_REQ, .memory = READABLE, .to = UINT64_MAX - 7, .len = 16},
    {.term = IW_T_RDMA_INVALIDATE_STREAM, .opcode = RDMAP_SEND_INV, .memory = FOREIGN, .len = 16},
    {.term = IW_T_RDMA_INVALIDATE, .opcode = RDMAP_SEND_INV, .memory = NOTHING, .len = 16},
    {.term = IW_T_RDMA_VERSION, .opcode = RDMAP_SEND, .len = 16, .rv = 2},
    {.term = IW_T_RDMA_OPCODE, .opcode = 12, .len = 16},
    {.term = IW_T_RDMA_OPERATION,
     .opcode = RDMAP_READ_REQ,
     .memory = READABLE,
     .len = 16,
     .cut = IW_HEAD_UNTAGGED + 27},
    {.term = IW_T_LLP_CRC, .kind = WRONG_CRC, .opcode = RDMAP_SEND, .len = 16},
    {.term = IW_T_LLP_MARKER, .kind = WRONG_MARKER, .opcode = RDMAP_SEND, .len = 16},
    {.term = IW_T_LLP_LOST, .kind = WRONG_LOST},
    {.term = IW_T_RDMA_CATASTROPHIC, .kind = WRONG_TERMINATE},
    {.term = IW_T_RDMA_PROTECTION, .kind = WRONG_TERMINATE},
    {.term = IW_T_RDMA_STREAM, .kind = WRONG_TERMINATE},
    {.term = IW_T_RDMA_GLOBAL, .kind = WRONG_TERMINATE},
    {.term = IW_T_LLP_CATASTROPHIC, .kind = WRONG_TERMINATE},
    {.term = IW_T_LLP_IRD, .kind = WRONG_TERMINATE},
    {.term = IW_T_LLP_RTR, .kind = WRONG_TERMINATE},
};

enum { WRONGS = sizeof wrongs / sizeof *wrongs };

static bool applies(const struct wrong *x, const struct workload_conf *conf)
{
    return (x->kind != WRONG_CRC || conf->crc) && (x->kind != WRONG_MARKER || conf->markers) &&
           (!x->strict || conf->strict);
}

static const struct wrong *wrong_of(const struct workload_conf *conf, uint32_t conn)
{
    const struct wrong *x = wrongs;
    for (; !applies(x, conf) || conn > 0; x++)
        conn -= applies(x, conf);
    LAW(x < wrongs + WRONGS);
    return x;
}

static uint32_t pairs(const struct workload_conf *conf)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < WRONGS; i++)
        n += applies(&wrongs[i], conf);
    return n;
}

/* ---- what host 1 has, what host 0 knows of it ---- */

struct tour {
    iw_stag stag[MEMORIES];
    uint64_t t_post;
    uint32_t length;
    bool seen[2]; /* at either side */
    bool missed;  /* another one, or none: the stream had gone */
};

static int enroll_target(struct workload *w, uint32_t conn, unsigned rights, uint32_t pd, iw_stag *stag)
{
    struct iw_region region = {.to = REGION_TO, .len = REGION_LEN, .rights = rights, .pd = pd};
    return ask_memory(w, host_at(w, conn, 1), &region, stag);
}

static int post_buffer(struct workload *w, uint32_t conn, iw_stag stag)
{
    struct iw_work recv = {.op = IW_RECV, .sges = 1};
    recv.sge[0] = (struct iw_sge){stag, BUFFER, REGION_TO};
    return ask_post(w, 0, conn, 1, &recv);
}

static int prepare(struct workload *w, uint32_t conn)
{
    struct tour *t = w->flow[conn].own;
    iw_stag buffer;
    t->stag[NOTHING] = UNKNOWN_STAG;
    int result = enroll_target(w, conn, IW_REMOTE_WRITE, WORKLOAD_PD, &t->stag[WRITABLE]);
    if (result == IW_OK)
        result = enroll_target(w, conn, IW_REMOTE_READ, WORKLOAD_PD, &t->stag[READABLE]);
    if (result == IW_OK)
        result = enroll_target(w, conn, IW_REMOTE_WRITE | IW_REMOTE_READ, OTHER_PD, &t->stag[FOREIGN]);
    if (result == IW_OK)
        result = enroll_target(w, conn, IW_LOCAL_WRITE, WORKLOAD_PD, &buffer);
    return result == IW_OK ? post_buffer(w, conn, buffer) : result;
}

/* ---- the wrong ULPDU ---- */

enum { ULPDU_MAX = IW_HEAD_MAX + 256 };

static uint64_t to_of(const struct wrong *x)
{
    return x->to ? x->to : REGION_TO;
}

static struct ddp_head head_of(const struct wrong *x, const struct tour *t)
{
    struct ddp_head h = {.tagged = x->opcode == RDMAP_WRITE, .last = true, .version = x->dv ? x->dv : 1};
    struct rdmap_ctl ctl = {.version = x->rv ? x->rv : 1, .opcode = x->opcode};
    if (x->opcode == RDMAP_SEND_INV)
        ctl.inval_stag = t->stag[x->memory];
    h.rsvdulp = rdmap_ctl_put(&ctl, h.tagged);
    h.stag = t->stag[x->memory];
    h.to = to_of(x);
    h.qn = x->opcode == RDMAP_READ_REQ ? 1 : x->qn;
    h.msn = x->msn ? x->msn : 1;
    h.mo = x->mo;
    return h;
}

static uint32_t make_ulpdu(const struct wrong *x, const struct tour *t, uint8_t out[ULPDU_MAX])
{
    struct ddp_head h = head_of(x, t);
    memset(out, 0, ULPDU_MAX);
    uint32_t len = ddp_head_put(out, &h);
    struct rdmap_read_req req = {
        .sink_stag = UNKNOWN_STAG, .size = x->len, .src_stag = t->stag[x->memory], .src_to = to_of(x)};
    if (x->opcode == RDMAP_READ_REQ)
        rdmap_read_req_put(out + len, &req);
    len += x->opcode == RDMAP_READ_REQ ? IW_READ_REQ_SIZE : x->len;
    LAW(len <= ULPDU_MAX);
    return x->cut && x->cut < len ? x->cut : len;
}

/* ---- the tour ---- */

static void report_stop(struct workload *w, uint64_t now, uint32_t conn, int status)
{
    const struct tour *t = w->flow[conn].own;
    struct workload_message m = message_posted(conn, 0, (enum iw_op)MESSAGE_WRONG, t->length, t->t_post);
    m.status = status;
    if (status > 0) {
        m.t_delivered = now;
        m.latency = now - t->t_post;
    }
    report_message(w, now, &m);
}

static void visit(struct workload *w, uint64_t now, uint32_t conn);

static void end_flow(struct workload *w, uint64_t now, uint32_t conn, int status)
{
    LAW(!w->flow[conn].over &&
        w->flows_over == conn); /* the next one starts when the Terminate of the last is known */
    report_stop(w, now, conn, status);
    flow_over(w, conn);
    if (conn + 1 < w->connections)
        flow_wake(w, conn + 1, now + 1);
}

/* The responder may not speak, not even a Terminate, before one good FPDU came (RFC 5044 7.1.2 rule 4): where the fault
 * is in the FPDU itself, good Writes go ahead. Two of them bring the wrong FPDU to where a marker falls into it: with
 * the marker at 0 they are 268 and 240 octets long, so that it starts at 508. */
static void greet(struct workload *w, uint64_t now, uint32_t conn, enum workload_wrong_kind kind)
{
    static const uint32_t write[] = {256 - IW_HEAD_TAGGED, 234 - IW_HEAD_TAGGED};
    uint32_t writes = kind == WRONG_MARKER ? 2 : kind == WRONG_CRC ? 1 : 0;
    for (uint32_t i = 0; i < writes; i++) {
        uint8_t octets[ULPDU_MAX];
        const struct wrong right = {.opcode = RDMAP_WRITE, .memory = WRITABLE, .len = write[i]};
        struct workload_wrong hello = {.kind = WRONG_ULPDU, .ulpdu = octets};
        hello.len = make_ulpdu(&right, w->flow[conn].own, octets);
        ask_inject(w, now, conn, 0, &hello);
    }
}

static void visit(struct workload *w, uint64_t now, uint32_t conn)
{
    uint8_t octets[ULPDU_MAX];
    struct tour *t = w->flow[conn].own;
    const struct wrong *x = wrong_of(&w->conf, conn);
    struct workload_wrong wrong = {.kind = x->kind, .term = x->term, .ulpdu = octets};
    if (x->kind <= WRONG_MARKER)
        wrong.len = make_ulpdu(x, t, octets);
    t->t_post = now;
    t->length = wrong.len;
    greet(w, now, conn, x->kind);
    int result = ask_inject(w, now, conn, 0, &wrong);
    if (result != IW_OK)
        end_flow(w, now, conn, result); /* this world cannot; the others go on */
}

static void start(struct workload *w, uint64_t now, uint32_t conn)
{
    if (conn == 0)
        visit(w, now, conn);
}

static bool tells(const struct wrong *x, int side, const struct iw_event *event)
{
    bool speaker = x->kind == WRONG_TERMINATE ? side == 0 : side == 1;
    if (x->kind == WRONG_LOST)
        return event->kind == IW_EV_FATAL;
    return event->kind == (speaker ? IW_EV_TERMINATE_SENT : IW_EV_TERMINATE_RECEIVED);
}

/* Law: the Terminate is the one that the RFC has for what was wrong. A stream that has gone tells none any more. */
static void event(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_event *e)
{
    struct tour *t = w->flow[conn].own;
    const struct wrong *x = wrong_of(&w->conf, conn);
    bool told = tells(x, side, e);
    int found = told && e->valid ? e->terminate.term : 0;
    if (w->flow[conn].over || t->seen[side] || !(told || e->kind == IW_EV_CLOSED))
        return;
    if (found != x->term) {
        struct workload_broken broken = {.conn = conn, .side = side, .expected = x->term, .found = found};
        broken.law = "a fault ends the stream with the Terminate that the RFC prescribes";
        report_broken(w, now, &broken);
        t->missed = true;
    }
    t->seen[side] = true;
    if (t->seen[0] && t->seen[1])
        end_flow(w, now, conn, t->missed ? IW_FLUSHED : x->term);
}

static uint64_t messages(const struct workload_conf *conf)
{
    (void)conf;
    return 1;
}

const struct workload_rule kind_errors = {
    .what = "one Terminate code after the other is provoked, each on a connection of its own",
    .pairs = pairs,
    .pair = talk_one,
    .own = sizeof(struct tour),
    .messages = messages,
    .prepare = prepare,
    .start = start,
    .woken = visit,
    .event = event,
    .waits_for = "its Terminate"};
