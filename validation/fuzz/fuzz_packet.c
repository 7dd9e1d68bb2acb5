/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_packet.c -- any octets as packets to one end of a packet transport: it reads nothing beyond them, takes each packet once
 * and no header that a queue trimmed, acknowledges nothing that was not sent, and what it says fits its own header.
 *
 * Input: a configuration of 2 octets, then packets: 1 octet of length, 1 of what else happens, then so many octets. */
#include <stdlib.h>
#include <string.h>

#include "engine/wire.h"
#include "llp/llp.h"
#include "llp/packet.h"

enum { MTU = 600, BLOCKS = 4096, US = 1000000, TURNS = 64 };

struct scene {
    void *block[BLOCKS];
    unsigned blocks;
    uint64_t edge, acked, sent;
    iw_time now;
};

static void must(bool law)
{
    if (!law)
        abort();
}

static void *more(void *user, size_t octets)
{
    struct scene *s = user;
    return s->blocks < BLOCKS ? s->block[s->blocks++] = malloc(octets) : NULL;
}

static void header_reads_as_written(const uint8_t *in)
{
    struct packet_head h, again;
    uint8_t out[PACKET_HEAD] = {0};
    packet_get(in, &h);
    packet_put(out, &h);
    packet_get(out, &again);
    must(!memcmp(in, out, PACKET_ICRC) && again.sack == h.sack && again.psn == h.psn);
    must((packet_unwrap(h.sack >> 1, h.psn) & PACKET_PSN_MASK) == h.psn);
}

static void say(struct scene *s, void *l)
{
    static const uint8_t head[IW_HEAD_TAGGED];
    struct iw_seg seg = {.head_len = IW_HEAD_TAGGED, .key = llp_packet.key(l, 0)};
    memcpy(seg.head, head, sizeof head);
    if (llp_packet.has_room(l, 0, 0, 0) && llp_packet.send(l, s->now, 0, &seg, LLP_RIGHT) == IW_OK)
        s->sent = seg.key + 1;
}

static void hear(struct scene *s, void *l, const struct ip_packet *in, bool keep)
{
    struct llp_unit u;
    struct llp_segment segment;
    llp_packet.peek(l, in, &u);
    llp_packet.arrive(l, s->now, in);
    must(!in->trimmed || !u.octets);
    while (llp_packet.unit(l, s->now, keep ? 0 : UINT64_MAX, &u) != LLP_END) {
        must(!in->trimmed || u.verdict == LLP_NOTHING);
        while (llp_packet.next(l, 0, &segment) == 1)
            if (keep)
                llp_packet.keep(l, 0);
    }
    uint64_t edge = llp_packet.edge(l, 0), acked = llp_packet.acked(l, 0);
    must(edge >= s->edge && acked >= s->acked && acked <= s->sent);
    s->edge = edge;
    s->acked = acked;
}

static void answer(struct scene *s, void *l)
{
    struct ip_packet out;
    struct llp_event e;
    struct llp_sent sent;
    for (int n = 0; n < TURNS && llp_packet.transmit(l, s->now, LLP_ANY, &out, &sent); n++)
        must(out.size <= MTU && out.head >= PACKET_HEAD && out.head + (uint32_t)IP_HEAD <= out.size);
    while (llp_packet.event(l, &e))
        must(e.kind != LLP_EV_SENT || e.end <= s->sent);
}

static const uint8_t *one_packet(struct scene *s, void *l, const uint8_t *in, const uint8_t *end, bool real)
{
    size_t len = (size_t)(end - in) - 2 < in[0] ? (size_t)(end - in) - 2 : in[0];
    uint8_t what = in[1], *octets = malloc(len ? len : 1);
    must(octets);
    memcpy(octets, in + 2, len);
    struct ip_packet packet = {.size = IP_HEAD + (uint32_t)len + (real ? 0 : what & 63u),
                               .protocol = IP_PROTOCOL_EXPERIMENT,
                               .ecn = what & 1 ? IP_CE : IP_NOT_ECT,
                               .altered = what & 2,
                               .trimmed = what & 32,
                               .head = (uint16_t)len,
                               .octets = octets};
    if (len >= PACKET_HEAD)
        header_reads_as_written(octets);
    if (what & 4)
        say(s, l);
    hear(s, l, &packet, what & 8);
    free(octets);
    s->now += (what & 0xf0u) * (iw_time)US;
    if (llp_packet.deadline(l) <= s->now)
        llp_packet.expire(l, s->now);
    if (what & 16)
        llp_packet.again(l, 0);
    answer(s, l);
    return in + 2 + len;
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *in, size_t len)
{
    if (len < 2)
        return 0;
    const uint8_t *end = in + len;
    struct scene *s = calloc(1, sizeof *s);
    must(s);
    struct packet_conf packet = {.recovery =
                                     PACKET_GO_BACK_N + in[0] % (PACKET_RECOVERIES - PACKET_GO_BACK_N),
                                 .flight = 1 + in[0] / 8,
                                 .track = 1 + in[1],
                                 .answer_octets = in[1] & 2 ? 4000 : 0,
                                 .span = {10 * (iw_time)US, 8 * (iw_time)US, 10000000000},
                                 .dcqcn = {.line = 10000000000,
                                           .least = 100000000,
                                           .additive = 2000000,
                                           .hyper = 20000000,
                                           .timer = 300 * (iw_time)US,
                                           .alpha_timer = US,
                                           .cut_interval = 4 * (iw_time)US,
                                           .fast_steps = 1,
                                           .gain = 256}};
    packet.congestion = packet_congestions[in[1] % PACKET_CONGESTIONS];
    if (packet.congestion->answered_each)
        packet.recovery = PACKET_RUD;
    struct llp_conf c = {.real = in[0] & 4,
                         .go_back = packet.recovery == PACKET_GO_BACK_N,
                         .mtu = MTU,
                         .streams = 1,
                         .delayed_ack = 2,
                         .delayed_ack_timeout = 50 * (iw_time)US,
                         .min_rto = 200 * (iw_time)US,
                         .packet = &packet,
                         .memory = {more, s}};
    must(!llp_packet.conf_error(&c));
    void *memory = malloc(llp_size(&llp_packet, &c)), *l = llp_init(&llp_packet, memory, &c);
    must(l);
    llp_packet.open(l, 0);
    for (in += 2; in + 2 < end;)
        in = one_packet(s, l, in, end, c.real);
    for (unsigned i = 0; i < s->blocks; i++)
        free(s->block[i]);
    free(memory);
    free(s);
    return 0;
}
