/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_tcp.c -- a life of a connection, as the input tells it: segments that are nearly right, with any options, records to
 * send, time, credit, tables that move.
 *
 * Input: 4 octets of configuration, then steps {what, a, b, c}, some followed by options.
 * Laws, after every step: the lists and sums of tcp_inner.h hold; a timer is armed when something is owed; the right edge
 * moves right only; what was acknowledged stays; life events come once; the steps of one segment are bounded by what it
 * changes.
 *
 * The block is used again by the next input, and what is behind it is out of bounds; so is what is behind a packet. Only TCP
 * is traced for coverage, not this file: that was most of the time. In a CPU second 15,000 inputs of at most 300 octets under
 * the sanitizers, 90,000 in the flavour `swift`, which has the laws alone: the 10^8 of `./waf check --nightly`, or of
 *
 *   ./waf fuzz --target fuzz_tcp --runs 100000000
 *
 * take 20 minutes of one CPU; what they kept is played once more under the sanitizers.
 */
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "llp/tcp_inner.h"

enum { MTU = 576, BLOCK = 16384, SEGMENT = 128 };

/* What of `block` is behind `from` is out of bounds. */
#if defined __has_feature
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define BOUND(block, from)                                \
    (ASAN_UNPOISON_MEMORY_REGION((block), sizeof(block)), \
     ASAN_POISON_MEMORY_REGION((block) + (from), sizeof(block) - (from)))
#endif
#endif
#ifndef BOUND
#define BOUND(block, from) ((void)0)
#endif
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)
#endif

#define LAW(condition)    \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

struct scene {
    struct tcp *t;
    struct tcp_conf conf;
    iw_time now;
    const uint8_t *in;
    size_t left;
    void *memory[TCP_TABLES];
    uint64_t received, acked, advertised;
    unsigned life;
    bool pulled; /* the port has taken all there was */
};

static uint8_t next(struct scene *s)
{
    if (!s->left)
        return 0;
    s->left--;
    return *s->in++;
}

/* ---- laws ---- */

static void chain_holds(const struct tcp *t, const struct tcp_chain *c, bool lost, uint64_t *octets)
{
    uint32_t i = c->head;
    for (uint32_t n = 0; n < c->count; n++) {
        const struct tcp_record *r = record_at(t, i);
        LAW(i - t->tx.first < t->tx.next - t->tx.first);
        LAW(!(r->flags & SACKED) && !!(r->flags & LOST) == lost);
        LAW(n == 0 || record_at(t, r->prev)->next == i);
        *octets += r->len;
        LAW(n + 1 < c->count || i == c->tail);
        i = r->next;
    }
}

static void sender_holds(const struct tcp *t)
{
    uint64_t flight = 0, lost = 0, offset = 0;
    uint32_t sacked = 0, out = t->tx.next - t->tx.first;
    LAW(t->tx.end - t->tx.first <= t->tx.mask + 1 && out <= t->tx.end - t->tx.first);
    for (uint32_t i = t->tx.first; i != t->tx.end; i++) {
        const struct tcp_record *r = record_at(t, i);
        LAW(r->len && (i == t->tx.first || r->offset == offset));
        offset = record_end(r);
        sacked += i - t->tx.first < out && r->flags & SACKED;
    }
    LAW(t->tx.first == t->tx.end || offset == t->tx.end_offset);
    LAW(t->tx.una <= t->tx.nxt && t->tx.nxt <= t->tx.end_offset);
    chain_holds(t, &t->tx.flying, false, &flight);
    chain_holds(t, &t->tx.lost, true, &lost);
    LAW(flight == t->stats.flight && sacked == t->stats.sacked);
    LAW(t->tx.flying.count + t->tx.lost.count + sacked == out);
    LAW(t->stats.cwnd <= TCP_CWND_MAX && (t->state < TCP_ESTABLISHED || t->stats.cwnd));
}

static void receiver_holds(const struct tcp *t)
{
    uint64_t at = t->rx.nxt;
    LAW(t->rx.count <= t->rx.entries);
    for (uint32_t i = 0; i < t->rx.count; i++) {
        const struct tcp_range *r = &t->rx.range[(t->rx.head + i) & t->rx.mask];
        LAW(r->from > at && r->to > r->from);
        at = r->to;
    }
    LAW(at <= most(t->rx.advertised, t->rx.nxt));
}

static void holds(struct scene *s)
{
    struct tcp *t = s->t;
    sender_holds(t);
    receiver_holds(t);
    LAW(tcp_received(t) >= s->received && tcp_acked(t) >= s->acked && tcp_told(t) >= s->advertised);
    s->received = tcp_received(t);
    s->acked = tcp_acked(t);
    s->advertised = tcp_told(t);
    bool owed = sends(t) && (t->tx.first != t->tx.end || t->rx.ack);
    bool opening = t->state == TCP_SYN_SENT || t->state == TCP_SYN_RECEIVED || t->state == TCP_TIME_WAIT;
    LAW(!s->pulled || !(owed || opening) || tcp_deadline(t) != IW_NEVER);
    LAW(t->state != TCP_CLOSED || tcp_deadline(t) == IW_NEVER);
}

static void events(struct scene *s)
{
    struct tcp_event e;
    while (tcp_event(s->t, &e)) {
        LAW(e.kind > TCP_EV_NONE && e.kind < TCP_EV_KINDS);
        if (e.kind <= TCP_EV_LOST) {
            LAW(!(s->life >> e.kind & 1) || e.kind == TCP_EV_UP);
            s->life |= 1u << e.kind;
        }
    }
}

/* ---- steps ---- */

/* A segment near what is expected: offsets of sequence and acknowledgement from the input, options as they come. */
static void segment_came(struct scene *s, const uint8_t *x)
{
    uint8_t octets[120];
    uint32_t options = (x[0] >> 5) * 4u % 44u, len = x[0] & 16 ? x[1] % 40u : 0;
    struct tcp *t = s->t;
    bool notes = s->conf.note_max;
    uint32_t head = 20 + options, kept = !len ? 0 : notes ? 2u + x[2] % 9 : len;
    int32_t ahead = (int8_t)next(s), beyond = (int8_t)next(s);
    uint8_t flags = x[2] & 128 ? next(s) : FLAG_ACK;
    uint8_t *p = iw_put16(iw_put16(octets, 9), 8);
    p = iw_put32(p, ack_of(t, t->rx.nxt) + (uint32_t)(ahead * (x[1] & 64 ? 37 : 1)));
    p = iw_put32(p, seq_of(t, t->tx.una) + (uint32_t)(beyond * (x[1] & 128 ? 50 : 1)));
    p = iw_put16(iw_put16(p, (uint16_t)(head / 4 << 12 | flags)), (uint16_t)(x[2] << (x[1] & 7)));
    p = iw_put32(p, 0);
    for (uint32_t i = 0; i < options; i++)
        *p++ = next(s);
    if (options >= 12 && x[2] & 64) { /* SACK near what is in flight */
        uint32_t from = seq_of(t, t->tx.una) + octets[24] * 8u;
        octets[20] = octets[21] = 1;
        octets[22] = 5;
        octets[23] = 10;
        iw_put32(iw_put32(octets + 24, from), from + octets[25] * 8u);
    }
    for (uint32_t i = 0; i < kept; i++)
        *p++ = (uint8_t)i;
    struct ip_packet in = {.size = 20 + head + len,
                           .protocol = IP_PROTOCOL_TCP,
                           .ecn = x[2] & 3,
                           .head = (uint16_t)(head + kept),
                           .octets = octets};
    if (!notes) { /* the sum that makes it right */
        uint32_t sum = 6 + head + len + 3;
        for (uint32_t i = 0; i < head + len; i++)
            sum += (uint32_t)octets[i] << (i & 1 ? 0 : 8);
        while (sum >> 16)
            sum = (sum & 0xffff) + (sum >> 16);
        iw_put16(octets + 16, (uint16_t)~sum);
    }
    static uint8_t exactly[SEGMENT];
    struct tcp_segment a, b;
    BOUND(exactly, in.head);
    memcpy(exactly, octets, in.head);
    in.octets = exactly;
    enum tcp_verdict peeked = tcp_peek(t, &in, &a);
    bool had = peeked == TCP_TAKEN && tcp_has(t, a.offset, a.len);
    LAW(!had);
    enum tcp_verdict verdict = tcp_accept(t, s->now, &in, &b);
    LAW((peeked == TCP_TAKEN) <= (verdict == TCP_TAKEN) || t->state == TCP_CLOSED ||
        t->state >= TCP_FIN_WAIT_2);
    if (verdict == TCP_TAKEN)
        LAW(b.len && b.len <= len && tcp_has(t, b.offset, b.len));
}

static void pull(struct scene *s, uint32_t most_of_them)
{
    uint8_t octets[MTU];
    struct ip_packet out = {.octets = octets};
    s->pulled = false;
    for (uint32_t i = 0; i < most_of_them; i++) {
        if (!tcp_transmit(s->t, s->now, &out)) {
            s->pulled = true;
            return;
        }
        LAW(out.head <= tcp_packet_max(s->t) && out.size <= MTU && out.head >= 20);
        LAW(tcp_answer_stray(&out, &(struct ip_packet){.octets = (uint8_t[20]){0}}) || octets[13] & FLAG_RST);
        s->now += 1000;
    }
}

static void move(struct scene *s, const uint8_t *x)
{
    enum tcp_table table = (enum tcp_table)(x[0] % TCP_TABLES);
    uint32_t entries = 1u << x[1] % 9;
    void *old, *memory = malloc(tcp_table_octets(s->t, table, entries) + 1);
    if (tcp_table_move(s->t, table, memory, entries, &old)) {
        free(memory);
        return;
    }
    LAW(!old || old == s->memory[table]);
    free(old);
    s->memory[table] = memory;
}

static void step(struct scene *s, uint8_t what, const uint8_t *x)
{
    struct iw_frag frag = {NULL, 1 + x[0] + (x[1] & 3) * 256u};
    s->pulled &= what % 16 == 15;
    switch (what % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5: segment_came(s, x); break;
    case 6:
    case 7:
        if (s->conf.note_max)
            tcp_append_note(s->t, s->now, frag.len, x, x[2] % 4);
        else
            tcp_append(s->t, s->now, &frag, 1);
        break;
    case 8:
    case 9: pull(s, 1 + x[0] % 64u); break;
    case 10: s->now += (iw_time)x[0] << x[1] % 40; break;
    case 11: s->now = most(s->now, tcp_deadline(s->t) == IW_NEVER ? 0 : tcp_deadline(s->t)); break;
    case 12: tcp_credit(s->t, s->now, s->received + x[0] * 64u, x[1] & 1); break;
    case 13: move(s, x); break;
    case 14:
        if (x[0] < 200)
            tcp_close(s->t, s->now);
        else if (x[0] > 250)
            tcp_abort(s->t, s->now);
        break;
    default: break;
    }
    tcp_expire(s->t, s->now);
    if (what & 128)
        pull(s, 1000);
}

static void start(struct scene *s)
{
    static alignas(max_align_t) uint8_t block[BLOCK];
    uint8_t a = next(s), b = next(s), c = next(s), d = next(s);
    tcp_defaults(&s->conf);
    s->conf.local_address = 1;
    s->conf.remote_address = 2;
    s->conf.local_port = 8;
    s->conf.remote_port = 9;
    s->conf.mtu = MTU;
    s->conf.iss = a & 1 ? 0xffffff00u : 7;
    s->conf.note_max = a & 2 ? 8 : 0;
    s->conf.congestion = tcp_congestions[(a >> 2 & 3) % TCP_CONGESTIONS];
    s->conf.detection = tcp_detections[a >> 4 & 1];
    s->conf.go_back_n = (a >> 5) == 7;
    s->conf.ecn = b & 1;
    s->conf.timestamps = b & 2;
    s->conf.pacing = b & 4;
    s->conf.idle_restart = b & 8;
    s->conf.window_shift = b >> 4 & 7;
    s->conf.delayed_ack = (uint8_t)(1 + (c & 3));
    s->conf.dupack_threshold = (uint16_t)(1 + (c >> 2 & 3));
    s->conf.retries = s->conf.syn_retries = (uint8_t)(1 + (c >> 4));
    s->conf.fixed_window = 1 + d * 100u;
    s->conf.initial_window = d & 15;
    s->conf.records = 4u << (d >> 4 & 3);
    s->conf.store = d & 64 ? 0 : 4096;
    s->conf.ranges = d & 128 ? 0 : 4;
    LAW(!tcp_conf_error(&s->conf));
    size_t size = tcp_size(&s->conf);
    LAW(size <= sizeof block);
    BOUND(block, size);
    s->t = tcp_init(block, &s->conf);
    s->now = 1;
    tcp_credit(s->t, s->now, 4000, false);
    if (c & 128)
        tcp_listen(s->t);
    else
        tcp_connect(s->t, s->now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct scene s = {.in = data, .left = size < 2000 ? size : 2000};
    start(&s);
    while (s.left) {
        uint8_t what = next(&s), x[3] = {next(&s), next(&s), next(&s)};
        step(&s, what, x);
        events(&s);
        holds(&s);
    }
    for (int i = 0; i < TCP_TABLES; i++)
        free(s.memory[i]);
    return 0;
}

#ifdef __clang__
#pragma clang attribute pop
#endif
