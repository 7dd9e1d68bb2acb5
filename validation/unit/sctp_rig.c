/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "validation/unit/sctp_rig.h"

#include <stdlib.h>
#include <string.h>

#include "llp/crc32c.h"
#include "validation/support/test.h"

void by_hand_defaults(struct sctp_conf *conf)
{
    sctp_defaults(conf);
    conf->local_port = RIG_PORT;
    conf->remote_port = RIG_PEER_PORT;
    conf->mtu = RIG_MTU;
    conf->streams = 4;
    conf->chunks = 256;
    conf->store = 1 << 18;
    conf->rwnd = 200000;
    conf->secret[0] = 7;
}

void by_hand_open(struct by_hand *h, const struct sctp_conf *conf)
{
    memset(h, 0, sizeof *h);
    by_hand_defaults(&h->conf);
    if (conf)
        h->conf = *conf;
    assert_null(sctp_conf_error(&h->conf));
    h->a = sctp_init(malloc(sctp_size(&h->conf)), &h->conf);
}

void by_hand_close(struct by_hand *h)
{
    free(h->a);
}

void by_hand_seal(uint8_t *packet, uint32_t len)
{
    iw_put32(packet + 8, 0);
    uint32_t crc = crc32c(0, packet, len);
    for (int i = 0; i < 4; i++)
        packet[8 + i] = (uint8_t)(crc >> 8 * i);
}

int by_hand_send(struct by_hand *h, uint32_t tag, const uint8_t *chunks, uint32_t len)
{
    struct sctp_in in;
    uint8_t *packet = malloc(12 + len); /* exactly, so that a read beyond it is seen */
    iw_put32(iw_put32(iw_put16(iw_put16(packet, RIG_PEER_PORT), RIG_PORT), tag), 0);
    memcpy(packet + 12, chunks, len);
    by_hand_seal(packet, 12 + len);
    int result = sctp_receive(h->a, h->now, packet, 12 + len);
    while (result == IW_OK && sctp_take(h->a, &in))
        ;
    free(packet);
    return result;
}

int by_hand_data(struct by_hand *h, uint8_t flags, uint32_t tsn, uint16_t stream, uint16_t ssn, uint32_t len,
                 uint8_t fill)
{
    uint8_t chunk[2048];
    uint8_t *p = iw_put16(iw_put8(iw_put8(chunk, 0), flags), (uint16_t)(16 + len));
    p = iw_put32(iw_put16(iw_put16(iw_put32(p, tsn), stream), ssn), 16);
    memset(p, fill, len);
    memset(p + len, 0, 3);
    return by_hand_send(h, h->tag, chunk, (16 + len + 3) & ~3u);
}

int by_hand_sack(struct by_hand *h, uint32_t cum, uint32_t rwnd, const uint16_t *gaps)
{
    uint8_t chunk[512], *p = chunk + 16;
    uint16_t n = 0;
    for (; gaps && gaps[2 * n]; n++)
        p = iw_put16(iw_put16(p, gaps[2 * n]), gaps[2 * n + 1]);
    iw_put16(
        iw_put16(iw_put32(iw_put32(iw_put16(iw_put16(chunk, 0x0300), (uint16_t)(p - chunk)), cum), rwnd), n),
        0);
    return by_hand_send(h, h->tag, chunk, (uint32_t)(p - chunk));
}

int by_hand_take(struct by_hand *h)
{
    h->out_len = sctp_transmit(h->a, h->now, h->out, NULL);
    return h->out_len ? h->out[12] : -1;
}

int by_hand_queue(struct by_hand *h, uint16_t stream, bool unordered, uint8_t retransmits, uint32_t len)
{
    struct iw_frag frag = {NULL, len};
    struct sctp_out out = {.ppid = 16,
                           .stream = stream,
                           .unordered = unordered,
                           .retransmits = retransmits,
                           .frags = 1,
                           .frag = &frag};
    return sctp_send(h->a, h->now, &out);
}

int by_hand_flood(struct by_hand *h, int n)
{
    int left = 0;
    for (int i = 0; i < n && sctp_has_room(h->a); i++)
        by_hand_queue(h, 0, true, SCTP_RELIABLE, RIG_MTU - 28);
    while (by_hand_take(h) == SCTP_DATA)
        left++;
    return left;
}

void by_hand_expect(struct by_hand *h, const uint8_t *packet, uint32_t len, const uint32_t *tsn, int n)
{
    struct sctp_in in;
    assert_int_equal(sctp_receive(h->a, h->now, packet, len), IW_OK);
    for (int i = 0; i < n; i++) {
        assert_true(sctp_take(h->a, &in));
        assert_int_equal(in.tsn, tsn[i]);
        assert_int_equal(in.octets[0], (uint8_t)tsn[i]);
    }
    assert_false(sctp_take(h->a, &in));
}

void by_hand_expect_data(struct by_hand *h, uint8_t flags, uint32_t tsn, uint16_t stream, uint16_t ssn,
                         const uint32_t *expected, int n)
{
    static uint8_t packet[12 + 20];
    uint8_t *p = iw_put32(iw_put32(iw_put16(iw_put16(packet, RIG_PEER_PORT), RIG_PORT), h->tag), 0);
    p = iw_put32(iw_put16(iw_put8(iw_put8(p, 0), flags), 20), tsn);
    p = iw_put32(iw_put16(iw_put16(p, stream), ssn), 16);
    memset(p, (uint8_t)tsn, 4);
    by_hand_seal(packet, sizeof packet);
    by_hand_expect(h, packet, sizeof packet, expected, n);
}

void by_hand_open_headers(struct by_hand *h)
{
    struct sctp_conf conf;
    by_hand_defaults(&conf);
    conf.head_max = 72;
    conf.store = 256 * 72;
    by_hand_establish(h, &conf);
}

enum sctp_event_kind by_hand_event(struct by_hand *h, uint16_t *cause)
{
    struct sctp_event event;
    if (!sctp_event(h->a, &event))
        return SCTP_EV_NONE;
    if (cause)
        *cause = event.cause;
    return event.kind;
}

void by_hand_establish(struct by_hand *h, const struct sctp_conf *conf)
{
    /* INIT: tag, a_rwnd 100000, 4 streams out and in, TSN 1000, Forward-TSN-Supported */
    static const uint8_t init[] = {1, 0, 0, 24, 0x11, 0x22, 0x33, 0x44, 0,    1, 0x86, 0xa0,
                                   0, 4, 0, 4,  0,    0,    0x03, 0xe8, 0xc0, 0, 0,    4};
    by_hand_open(h, conf);
    assert_int_equal(by_hand_send(h, 0, init, sizeof init), IW_EINVAL); /* it is not of an association */
    assert_int_equal(by_hand_take(h), SCTP_INIT_ACK);
    h->tag = at32(h->out + 12 + 4);
    h->tsn = at32(h->out + 12 + 16);
    const uint8_t *p = h->out + 12 + 20;
    while (at16(p) != 7)
        p += (at16(p + 2) + 3) & ~3;
    h->cookie_len = (uint32_t)at16(p + 2) - 4;
    h->cookie[0] = SCTP_COOKIE_ECHO;
    iw_put16(h->cookie + 2, (uint16_t)(h->cookie_len + 4));
    memcpy(h->cookie + 4, p + 4, h->cookie_len);
    assert_int_equal(by_hand_send(h, h->tag, h->cookie, h->cookie_len + 4), IW_OK);
    assert_int_equal(by_hand_take(h), SCTP_COOKIE_ACK);
    assert_int_equal(sctp_state(h->a), SCTP_ESTABLISHED);
    assert_int_equal(by_hand_event(h, NULL), SCTP_EV_UP);
}

/* ---- two ends ---- */

void two_ends_conf(struct sctp_link_conf *conf, iw_time rtt)
{
    *conf = (struct sctp_link_conf){
        .rate = 100000000000, .delay = rtt / 2, .framing = 58, .seed = 1, .flights = 4096};
    for (int i = 0; i < 2; i++) {
        struct sctp_conf *c = &conf->end[i];
        sctp_defaults(c);
        c->local_port = (uint16_t)(RIG_PORT + i);
        c->remote_port = (uint16_t)(RIG_PORT + 1 - i);
        c->mtu = RIG_MTU;
        c->streams = 4;
        c->chunks = 2048;
        c->store = 4 << 20;
        c->hold = 2048;
        c->rwnd = 8 << 20;
        c->rto_min = 100 * US;
        c->rto_initial = 1000 * US;
        c->sack_delay = 5 * US;
        c->secret[0] = (uint64_t)i + 1;
    }
}

static bool two_take(void *user, int side, iw_time now, const struct sctp_in *in)
{
    struct two_ends *t = user;
    uint64_t number;
    if (side == 0)
        return true;
    iw_get64(in->octets, &number);
    t->wrong += number >= t->total || number % t->streams != in->stream || in->len != t->len;
    if (number >= t->total)
        return true;
    t->twice += t->seen[number];
    t->seen[number] = 1;
    t->disordered += number < t->next[in->stream];
    t->next[in->stream] = number + 1;
    if (!t->got++)
        t->first = now;
    if (t->got == t->total / 2)
        t->half = now;
    t->last = now;
    return true;
}

static void two_pull(void *user, int side, iw_time now)
{
    struct two_ends *t = user;
    uint8_t number[8];
    struct sctp *a = sctp_link_end(t->link, 0);
    if (side)
        return;
    while (t->sent < t->total && sctp_has_room(a) && sctp_unsent(a) < RIG_MTU) {
        struct iw_frag frag[2] = {{number, 8}, {NULL, t->len - 8}};
        struct sctp_out out = t->out;
        iw_put64(number, t->sent);
        out.stream = (uint16_t)(t->sent % t->streams);
        out.frag = frag;
        out.frags = 2;
        if (sctp_send(a, now, &out) != IW_OK)
            return;
        t->sent++;
    }
}

static void two_left(void *user, int side, iw_time now, const uint8_t *packet, uint32_t len, uint32_t wire,
                     const struct channel_fate *fate, bool dropped)
{
    struct two_ends *t = user;
    (void)packet, (void)len, (void)wire, (void)dropped;
    if (side || !t->lose)
        return;
    if (fate->lost)
        t->lost_at = now;
    sctp_link_impair(t->link, 0, ++t->left == t->lose - 1);
}

void two_ends_open(struct two_ends *t, const struct sctp_link_conf *conf, uint64_t total, uint32_t len)
{
    struct sctp_link_user user = {.user = t, .take = two_take, .pull = two_pull, .left = two_left};
    memset(t, 0, sizeof *t);
    assert_null(sctp_link_conf_error(conf));
    t->link = sctp_link_init(malloc(sctp_link_size(conf)), conf, &user);
    assert_true(sctp_link_connect(t->link, 1000000 * US));
    t->out = (struct sctp_out){.ppid = 16, .unordered = true, .retransmits = SCTP_RELIABLE};
    t->streams = 1;
    t->total = total;
    t->len = len;
    t->seen = calloc(total, 1);
    for (int side = 0; side < 2; side++)
        sctp_link_impair(t->link, side, true);
}

void two_ends_run(struct two_ends *t, iw_time limit)
{
    struct sctp *a = sctp_link_end(t->link, 0);
    sctp_link_kick(t->link, 0);
    while (sctp_link_next(t->link) <= limit && sctp_link_step(t->link))
        if (t->sent == t->total && sctp_statistics(a)->outstanding == 0 && sctp_unsent(a) == 0)
            return;
}

void two_ends_close(struct two_ends *t)
{
    free(t->link);
    free(t->seen);
}
