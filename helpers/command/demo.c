/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demo.c -- the first thing a new user runs: one Write and two Sends over a link that loses and reorders, told as they
 * happen. What is printed is what the engine did; nothing is scripted but the work. */
#include "helpers/command/demo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rdmap.h"
#include "pair/pair.h"

enum { WRITE_LEN = 9000, SEND_LEN = 2000, MEMORY = 32768 };
#define US 1000000u

struct demo {
    struct pair *pair;
    uint8_t memory[2][MEMORY];
    unsigned placed, early, lost, resent;
    uint64_t early_octets;
};

static double us(iw_time t)
{
    return (double)t / US;
}

static const char *where_to(const struct ddp_head *h, char *text, size_t size)
{
    if (h->tagged)
        snprintf(text, size, "STag %08" PRIx32 " TO %" PRIu64, h->stag, h->to);
    else
        snprintf(text, size, "QN %" PRIu32 " MSN %" PRIu32 " MO %" PRIu32, h->qn, h->msn, h->mo);
    return text;
}

static void tell_placed(struct demo *d, const struct pair_event *e)
{
    struct ddp_head h;
    char text[64];
    if (!ddp_head_get(e->seg->head, e->seg->head_len, &h))
        return;
    d->placed++;
    if (!e->in_order) {
        d->early++;
        d->early_octets += e->len;
    }
    printf("%9.3f us  placed     %4" PRIu32 " octets at %-24s%s\n", us(e->t), e->len,
           where_to(&h, text, sizeof text), e->in_order ? "" : " <- early: something before it is missing");
}

static void tell_delivered(const struct pair_event *e)
{
    const struct iw_message *m = e->message;
    const struct rdmap_rule *rule = &rdmap_rules[m->ctl.opcode];
    if (rule->kind == RDMAP_KIND_WRITE)
        printf("%9.3f us  complete   %s: all of it is in place (its ULP is not told)\n", us(e->t),
               rule->name);
    else
        printf("%9.3f us  DELIVERED  %s, MSN %" PRIu32 ", %" PRIu32
               " octets: everything before it is in place\n",
               us(e->t), rule->name, m->head.msn, m->length);
}

static void listen(void *user, const struct pair_event *e)
{
    struct demo *d = user;
    if (e->what == PAIR_SENT && e->sends > 1 && e->len) {
        d->resent++;
        printf("%9.3f us  sent again octets %" PRIu64 " .. %" PRIu64 " of the stream\n", us(e->t), e->offset,
               e->offset + e->len - 1);
    }
    if (e->what == PAIR_LOST) {
        d->lost++;
        printf("%9.3f us  LOST       octets %" PRIu64 " .. %" PRIu64 " of the stream\n", us(e->t), e->offset,
               e->offset + e->len - 1);
    }
    if (e->what == PAIR_PLACED && e->side == 1)
        tell_placed(d, e);
    if (e->what == PAIR_DELIVERED && e->side == 1)
        tell_delivered(e);
}

static struct pair_conf link_with_faults(void)
{
    struct pair_conf c = {
        .rate = 10000000000u,
        .delay = 5 * US,
        .mtu = 1460,
        .framing = 78,
        .seed = 5,
        .crc = true,
        .window = 65536,
        .ranges = 64,
        .regions_max = 4,
        .cq_entries = 16,
        .channel = {.loss = 0.08, .reorder = {.probability = 0.25, .displacement = 3}},
    };
    for (int side = 0; side < 2; side++)
        c.ep[side] = (struct iw_conf){
            .pd = 1, .sq_max = 8, .rq_max = 8, .ord = 1, .ird = 1, .reorder_max = 64, .linger = 100 * US};
    return c;
}

static int post(struct demo *d, int side, enum iw_op op, struct iw_sge sge, iw_stag remote_stag,
                uint64_t remote_to)
{
    struct iw_work w = {
        .op = op, .sges = 1, .sge = {sge}, .remote_stag = remote_stag, .remote_to = remote_to};
    return iw_post(pair_ep(d->pair, side), pair_now(d->pair), &w);
}

/* Two receives at the peer, then Write, Send, Send, and a graceful end. */
static int play(struct demo *d)
{
    iw_stag stag[2];
    for (int side = 0; side < 2; side++) {
        struct iw_region region = {.base = d->memory[side],
                                   .len = MEMORY,
                                   .pd = 1,
                                   .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE};
        if (iw_register(pair_stags(d->pair, side), &region, &stag[side]))
            return 1;
    }
    for (uint32_t i = 0; i < MEMORY; i++)
        d->memory[0][i] = (uint8_t)(i * 31 + 7);
    int wrong = 0;
    for (int i = 0; i < 2; i++)
        wrong |= post(d, 1, IW_RECV, (struct iw_sge){stag[1], SEND_LEN, 16384u + 4096u * (unsigned)i}, 0, 0);
    wrong |= post(d, 0, IW_WRITE, (struct iw_sge){stag[0], WRITE_LEN, 0}, stag[1], 1000);
    wrong |= post(d, 0, IW_SEND, (struct iw_sge){stag[0], SEND_LEN, 16384}, 0, 0);
    wrong |= post(d, 0, IW_SEND, (struct iw_sge){stag[0], SEND_LEN, 20480}, 0, 0);
    wrong |= iw_close(pair_ep(d->pair, 0), 0, IW_CLOSE);
    if (wrong)
        return 1;
    pair_kick(d->pair, 0);
    while (pair_step(d->pair)) {
        struct iw_event event;
        while (iw_event(pair_ep(d->pair, 1), &event))
            if (event.kind == IW_EV_HALF_CLOSED)
                iw_close(pair_ep(d->pair, 1), pair_now(d->pair), IW_CLOSE);
        pair_kick(d->pair, 1);
    }
    return 0;
}

static int account(const struct demo *d)
{
    bool same = !memcmp(d->memory[1] + 1000, d->memory[0], WRITE_LEN) &&
                !memcmp(d->memory[1] + 16384, d->memory[0] + 16384, SEND_LEN) &&
                !memcmp(d->memory[1] + 20480, d->memory[0] + 20480, SEND_LEN);
    printf("\n%u segments placed, %u of them (%" PRIu64
           " octets) before something earlier had arrived; %u packets lost, %u sent again.\n",
           d->placed, d->early, d->early_octets, d->lost, d->resent);
    printf("The memory of both sides %s.\n", same ? "agrees, octet for octet" : "DIFFERS");
    return same ? 0 : 1;
}

int demo_link(void)
{
    struct demo *d = calloc(1, sizeof *d);
    struct pair_conf conf = link_with_faults();
    void *memory = d ? malloc(pair_size(&conf)) : NULL;
    int result = 3;
    printf("A %d-octet RDMA Write and two %d-octet Sends over 10 Gb/s, 5 us one way; the channel loses 8 %% "
           "of the\n"
           "packets and lets 25 %% fall three packets behind. What the receiver does, as it happens:\n\n",
           WRITE_LEN, SEND_LEN);
    if (memory && (d->pair = pair_init(memory, &conf, listen, d)) && play(d) == 0)
        result = account(d);
    free(memory);
    free(d);
    return result;
}
