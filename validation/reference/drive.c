/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drive.c -- the engine plays the scripts that judge.py plays on the reference engine, and prints the same lines.
 *
 * Scripts come on stdin, one operation a line; judge.py describes them. Values are decimal numbers, octets hex.
 * An "open" begins a new stream with memory of its own.
 */
#include "engine/iw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS = 16, HELD = 64, WORK = 32, OCTETS = 2048, ALL = 63 };

struct held {
    uint8_t octets[OCTETS];
    struct iw_seg seg;
    bool wanted; /* present it again at its turn */
};

struct drive {
    struct iw_stags *stags;
    struct iw_cq *send_cq, *recv_cq;
    struct iw_ep *ep;
    bool ddp_only;
    uint64_t key_in, key_out;
    unsigned regions, held;
    iw_stag stag[REGIONS];
    struct held segment[HELD];
};

static void bad(const char *line, const char *what)
{
    fprintf(stderr, "drive: %s: %s\n", what, line);
    exit(2);
}

static void *memory(size_t octets)
{
    void *block = calloc(1, octets ? octets : 1);
    return block ? block : (perror("drive"), exit(1), NULL);
}

/* ---- one line ---- */

/* What follows "name": in the line; NULL when it is not there. */
static const char *member(const char *line, const char *name)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *at = strstr(line, quoted);
    return at ? at + strlen(quoted) : NULL;
}

static uint64_t number(const char *line, const char *name)
{
    const char *at = member(line, name);
    return at ? strtoull(at, NULL, 10) : 0;
}

static bool is(const char *line, const char *name, const char *value)
{
    const char *at = member(line, name);
    size_t n = strlen(value);
    return at && *at == '"' && strncmp(at + 1, value, n) == 0 && at[n + 1] == '"';
}

static uint32_t octets_of(const char *line, const char *name, uint8_t *out)
{
    const char *at = member(line, name);
    uint32_t n = 0;
    for (unsigned octet; at && sscanf(at + 1 + 2 * (size_t)n, "%2x", &octet) == 1; n++) {
        if (n == OCTETS)
            bad(line, "too many octets");
        out[n] = (uint8_t)octet;
    }
    return n;
}

/* "local":[[stag,to,len],...] */
static uint8_t pieces(const char *line, struct iw_sge *sge)
{
    const char *at = member(line, "local");
    uint8_t n = 0;
    int used;
    for (at = at ? at + 1 : ""; n < IW_SGE_MAX; at += used + (at[used] == ','), n++) {
        struct iw_sge *s = &sge[n];
        used = 0;
        if (sscanf(at, "[%" SCNu32 ",%" SCNu64 ",%" SCNu32 "]%n", &s->stag, &s->to, &s->len, &used) < 3 ||
            !used)
            break;
    }
    return n;
}

/* ---- what came of it ---- */

static void hex(const void *octets, size_t n)
{
    for (const uint8_t *p = octets; n; n--)
        printf("%02x", *p++);
}

static const char *const names[IW_OPS] = {
    [IW_SEND] = "send",
    [IW_SEND_INV] = "send_inv",
    [IW_SEND_SE] = "send_se",
    [IW_SEND_SE_INV] = "send_se_inv",
    [IW_WRITE] = "write",
    [IW_READ] = "read",
    [IW_IMMEDIATE] = "immediate",
    [IW_IMMEDIATE_SE] = "immediate_se",
    [IW_FETCH_ADD] = "fetch_add",
    [IW_CMP_SWAP] = "cmp_swap",
    [IW_DDP_TAGGED] = "ddp_tagged",
    [IW_DDP_UNTAGGED] = "ddp_untagged",
    [IW_RECV] = "receive",
};

static void completion(const struct drive *d, const struct iw_done *done)
{
    if (done->status != IW_OK)
        printf("failed %s\n", names[done->op]);
    else if (done->op != IW_RECV)
        printf("complete %s %" PRIu32 " %" PRIx64 "\n", names[done->op], done->len,
               done->op == IW_FETCH_ADD || done->op == IW_CMP_SWAP ? done->rsvdulp : 0);
    else if (d->ddp_only)
        printf("receive %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIx64 "\n", done->qn, done->msn, done->len,
               done->rsvdulp);
    else
        printf("receive %" PRIu32 " %" PRIu32 " %" PRIx32 " %d %" PRIx64 "\n", done->msn, done->len,
               done->invalidated, done->solicited, done->immediate ? done->rsvdulp : 0);
}

static void event(const struct iw_event *e)
{
    const struct rdmap_terminate *t = &e->terminate;
    bool peers = e->kind == IW_EV_TERMINATE_RECEIVED;
    if (peers && !e->valid)
        printf("terminated invalid\n");
    if (e->kind != IW_EV_FATAL && !(peers && e->valid))
        return;
    printf("%s %d/%d/%02x", peers ? "terminated" : "fatal", IW_TERM_LAYER(t->term), IW_TERM_ETYPE(t->term),
           IW_TERM_CODE(t->term));
    if (peers) {
        printf(" %d%d%d %d ", t->m, t->d, t->r, t->m ? t->segment_len : 0);
        hex(t->head, t->d ? t->head_len : 0);
        printf(" ");
        hex(t->read_req, t->r ? IW_READ_REQ_SIZE : 0);
    }
    printf("\n");
}

static void report(struct drive *d)
{
    struct iw_done done;
    struct iw_event e;
    while (iw_poll(d->send_cq, &done) || iw_poll(d->recv_cq, &done))
        completion(d, &done);
    while (iw_event(d->ep, &e))
        event(&e);
    if (iw_cq_event(d->recv_cq))
        printf("event\n");
}

static void memories(const struct drive *d)
{
    for (unsigned i = 0; i < d->regions; i++) {
        struct iw_region r;
        bool valid;
        iw_region_of(d->stags, d->stag[i], &r, &valid);
        printf("memory %" PRIx32 " %d ", d->stag[i], valid);
        hex(r.base, r.len);
        printf("\n");
    }
}

/* ---- the operations ---- */

static void op_open(struct drive *d, const char *line)
{
    *d = (struct drive){.ddp_only = number(line, "profile") &
                                    IW_DDP_ONLY}; /* the process is short: nothing is freed */
    d->stags = iw_stags_init(memory(iw_stags_size(REGIONS)), REGIONS, 0);
    d->send_cq = iw_cq_init(memory(iw_cq_size(4 * WORK)), 4 * WORK, 0);
    d->recv_cq = iw_cq_init(memory(iw_cq_size(4 * WORK)), 4 * WORK, 0);
    struct iw_conf conf = {
        .stags = d->stags,
        .send_cq = d->send_cq,
        .recv_cq = d->recv_cq,
        .pd = (uint32_t)number(line, "pd"),
        .stream = 1,
        .mulpdu = (uint32_t)number(line, "mulpdu"),
        .llp = IW_LLP_ALL,
        .profile = (unsigned)number(line, "profile"),
        .complete_on = number(line, "on_ack") ? IW_ON_ACK : IW_ON_ACCEPT,
        .sq_max = (uint16_t)number(line, "sq"),
        .rq_max = d->ddp_only ? 0 : WORK,
        .reorder_max = (uint16_t)number(line, "reorder"),
        .ord = (uint16_t)number(line, "ord"),
        .ird = (uint16_t)number(line, "ird"),
        .queues = d->ddp_only ? 2 : 0,
        .queue = {{.qn = 0, .max = WORK}, {.qn = 5, .max = WORK}},
        .first_msn = (uint32_t)number(line, "first_msn"),
    };
    if (d->ddp_only)
        conf.ord = conf.ird = 0;
    if (iw_conf_error(&conf))
        bad(line, iw_conf_error(&conf));
    d->ep = iw_ep_init(memory(iw_ep_size(&conf)), &conf);
    iw_enable(d->ep, 0, number(line, "silent") ? IW_WAIT_FIRST : 0);
}

static void op_register(struct drive *d, const char *line)
{
    if (d->regions == REGIONS)
        bad(line, "too many regions");
    struct iw_region r = {.to = number(line, "to"),
                          .len = number(line, "len"),
                          .rights = (unsigned)number(line, "rights"),
                          .pd = (uint32_t)number(line, "pd"),
                          .stream = {(uint32_t)number(line, "stream"), (uint32_t)number(line, "stream2")}};
    uint8_t *base = memory(r.len);
    for (uint64_t i = 0; i < r.len; i++)
        base[i] = (uint8_t)i;
    r.base = base;
    if (iw_register(d->stags, &r, &d->stag[d->regions]) != IW_OK)
        printf("refused\n");
    else if (d->stag[d->regions++] != number(line, "stag"))
        bad(line, "registered otherwise");
}

static void op_revoke(struct drive *d, const char *line)
{
    unsigned at = 0;
    while (at < d->regions && d->stag[at] != number(line, "stag"))
        at++;
    if (at == d->regions || iw_revoke(d->stags, d->stag[at], IW_CANCEL) != IW_OK)
        bad(line, "not revoked");
    memmove(&d->stag[at], &d->stag[at + 1], (--d->regions - at) * sizeof d->stag[0]);
}

static enum iw_op kind(const char *line)
{
    for (unsigned i = 0; i < IW_OPS; i++)
        if (is(line, "kind", names[i]))
            return (enum iw_op)i;
    return IW_RECV;
}

static void op_post(struct drive *d, const char *line)
{
    struct iw_work work = {.op = kind(line),
                           .remote_stag = (iw_stag)number(line, "stag"),
                           .remote_to = number(line, "to"),
                           .qn = (uint32_t)number(line, "qn"),
                           .rsvdulp = number(line, "rsvdulp")};
    if (work.op == IW_FETCH_ADD || work.op == IW_CMP_SWAP)
        work.atomic = (struct iw_atomic){number(line, "data"), number(line, "mask"), number(line, "compare"),
                                         number(line, "compare_mask")};
    else
        work.sges = pieces(line, work.sge);
    work.flags = number(line, "fence") ? IW_FENCE : 0;
    iw_post(d->ep, 0, &work);
}

/* Presented for placement now, whatever its turn; kept if the engine asks for that. */
static void op_arrive(struct drive *d, const char *line)
{
    if (d->held == HELD)
        bad(line, "too many segments");
    struct held *h = &d->segment[d->held++];
    uint32_t n = octets_of(line, "ulpdu", h->octets);
    iw_seg_view(&h->seg, d->key_in + number(line, "key"), h->octets, n);
    h->wanted = iw_receive(d->ep, 0, &h->seg) == IW_LATER;
}

static void op_again(struct drive *d, const char *line)
{
    static uint8_t octets[OCTETS];
    struct iw_seg seg;
    uint32_t n = octets_of(line, "ulpdu", octets);
    iw_seg_view(&seg, d->key_in - number(line, "back"), octets, n);
    iw_receive(d->ep, 0, &seg);
}

static int by_key(const void *a, const void *b)
{
    const struct held *left = a, *right = b;
    return (left->seg.key > right->seg.key) - (left->seg.key < right->seg.key);
}

static void advance(struct drive *d, uint64_t edge)
{
    struct iw_message m;
    while (iw_deliver(d->ep, 0, edge, &m) == 1)
        if (d->ddp_only && m.head.tagged)
            printf("tagged %" PRIx64 " %" PRIx32 "\n", m.head.rsvdulp, m.head.stag);
}

static void turn(struct drive *d, struct held *h)
{
    advance(d, h->seg.key);
    if (!h->wanted)
        return;
    iw_seg_view(&h->seg, h->seg.key, h->octets, h->seg.head_len + h->seg.payload_len);
    iw_receive(d->ep, 0, &h->seg);
}

/* Everything before "key" has arrived: what was kept gets its turn, in order. */
static void op_deliver(struct drive *d, const char *line)
{
    unsigned n = 0;
    qsort(d->segment, d->held, sizeof d->segment[0], by_key);
    d->key_in += number(line, "key");
    for (; n < d->held && d->segment[n].seg.key < d->key_in; n++)
        turn(d, &d->segment[n]);
    advance(d, d->key_in);
    d->held -= n;
    memmove(d->segment, &d->segment[n], d->held * sizeof d->segment[0]);
}

/* At most "max" segments leave; the answers of Reads are named apart, since the two may leave in any order. */
static void op_pull(struct drive *d, const char *line)
{
    struct iw_seg seg;
    for (uint64_t n = number(line, "max"); n && iw_transmit(d->ep, 0, d->key_out, &seg); n--) {
        unsigned opcode = d->ddp_only ? RDMAP_OPCODES : seg.head[1] & 15;
        printf("%s ", opcode == RDMAP_READ_RESP || opcode == RDMAP_ATOMIC_RESP ? "answer" : "request");
        hex(seg.head, seg.head_len);
        for (unsigned i = 0; i < seg.frags; i++)
            hex(seg.frag[i].octets, seg.frag[i].len);
        printf("\n");
        iw_accepted(d->ep, 0, ++d->key_out);
    }
}

static void play(struct drive *d, const char *line)
{
    if (is(line, "op", "open"))
        op_open(d, line);
    else if (!d->ep)
        bad(line, "no stream is open");
    else if (is(line, "op", "register"))
        op_register(d, line);
    else if (is(line, "op", "invalidate"))
        iw_invalidate(d->stags, (iw_stag)number(line, "stag"));
    else if (is(line, "op", "revoke"))
        op_revoke(d, line);
    else if (is(line, "op", "depth"))
        iw_set_read_depth(d->ep, (uint16_t)number(line, "ord"), (uint16_t)number(line, "ird"));
    else if (is(line, "op", "again"))
        op_again(d, line);
    else if (is(line, "op", "arm"))
        iw_cq_arm(d->recv_cq, number(line, "how") == 1 ? IW_ARM_SOLICITED : IW_ARM_ALL);
    else if (is(line, "op", "ack"))
        iw_note_acked(d->ep, 0, d->key_out < number(line, "but") ? 0 : d->key_out - number(line, "but"));
    else if (is(line, "op", "post") || is(line, "op", "receive"))
        op_post(d, line);
    else if (is(line, "op", "error"))
        iw_terminate(d->ep, 0, (int)number(line, "term") | 1 << 16);
    else if (is(line, "op", "arrive"))
        op_arrive(d, line);
    else if (is(line, "op", "deliver"))
        op_deliver(d, line);
    else if (is(line, "op", "pull"))
        op_pull(d, line);
    else if (is(line, "op", "memory"))
        memories(d);
    else
        bad(line, "no such operation");
    report(d);
}

int main(void)
{
    static struct drive d;
    static char line[4 * OCTETS + 256];
    for (unsigned n = 0; fgets(line, sizeof line, stdin); n++) {
        printf("# %u\n", n);
        play(&d, line);
    }
    return 0;
}
