/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "validation/unit/tcp_rig.h"
#include "validation/support/test.h"

#include <stdlib.h>
#include <string.h>

void tcp_rig_defaults(struct tcp_conf *conf)
{
    tcp_defaults(conf);
    conf->local_address = 0x0a000001;
    conf->remote_address = 0x0a000002;
    conf->local_port = 4000;
    conf->remote_port = 5000;
    conf->mtu = 1040;
    conf->iss = RIG_ISS;
    conf->delayed_ack = 1;
    conf->records = 64;
    conf->store = 1 << 16;
}

void tcp_rig_new(struct tcp_rig *r, const struct tcp_conf *conf)
{
    memset(r, 0, sizeof *r);
    tcp_rig_defaults(&r->conf);
    if (conf)
        r->conf = *conf;
    assert_null(tcp_conf_error(&r->conf));
    r->t = tcp_init(malloc(tcp_size(&r->conf)), &r->conf);
    r->now = RIG_MS;
    tcp_credit(r->t, r->now, 100000, false);
}

void tcp_rig_free(struct tcp_rig *r)
{
    free(r->t);
}

void tcp_rig_open_with(struct tcp_rig *r, const struct tcp_conf *conf, const uint8_t *options, uint32_t len,
                       uint8_t flags)
{
    tcp_rig_new(r, conf);
    assert_int_equal(tcp_connect(r->t, r->now), IW_OK);
    assert_true(tcp_rig_take(r));
    r->now += 100 * RIG_US;
    tcp_rig_hear(r, RIG_PEER_ISS, RIG_ISS + 1, flags, 60000, 0, options, len);
    assert_int_equal(tcp_state(r->t), TCP_ESTABLISHED);
    assert_true(tcp_rig_event(r, TCP_EV_UP));
    assert_true(tcp_rig_take(r));
    assert_int_equal(r->flags, ACK);
    assert_false(tcp_rig_take(r));
    tcp_rig_hear(r, RIG_PEER_ISS + 1, RIG_ISS + 1, ACK, 1000, 0, NULL, 0);
}

void tcp_rig_open(struct tcp_rig *r, const struct tcp_conf *conf)
{
    static const uint8_t options[] = {2, 4, 1000 >> 8, 1000 & 255, 1, 3, 3, 7, 1, 1, 4, 2};
    tcp_rig_open_with(r, conf, options, sizeof options, SYN | ACK);
}

/* RFC 9293 3.1, octet pair by octet pair. */
static uint16_t checksum(const struct tcp_rig *r, const uint8_t *p, uint32_t len)
{
    uint32_t sum = 6 + len;
    uint32_t addresses[2] = {r->conf.local_address, r->conf.remote_address};
    for (int i = 0; i < 2; i++)
        sum += (addresses[i] >> 16) + (addresses[i] & 0xffff);
    for (uint32_t i = 0; i < len; i++)
        sum += (uint32_t)p[i] << (i & 1 ? 0 : 8);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

void tcp_rig_hear(struct tcp_rig *r, uint32_t seq, uint32_t ack, uint8_t flags, uint32_t window, uint32_t len,
                  const uint8_t *options, uint32_t options_len)
{
    uint32_t head = 20 + options_len, size = head + len;
    uint8_t *p = malloc(size); /* exactly, so that a read beyond it is seen */
    uint8_t *at =
        iw_put32(iw_put32(iw_put16(iw_put16(p, r->conf.remote_port), r->conf.local_port), seq), ack);
    at = iw_put16(iw_put16(iw_put16(at, (uint16_t)(head / 4 << 12 | flags)), (uint16_t)window), 0);
    iw_put16(at, 0);
    if (options_len)
        memcpy(p + 20, options, options_len);
    for (uint32_t i = 0; i < len; i++)
        p[head + i] = (uint8_t)(seq + i);
    iw_put16(p + 16, checksum(r, p, size));
    struct ip_packet in = {
        .size = 20 + size, .protocol = IP_PROTOCOL_TCP, .ecn = r->ecn, .head = (uint16_t)size, .octets = p};
    r->peeked = tcp_peek(r->t, &in, &r->in);
    r->verdict = tcp_accept(r->t, r->now, &in, &r->in);
    free(p);
}

void tcp_rig_ack(struct tcp_rig *r, uint32_t offset, const uint32_t *sacks)
{
    uint8_t options[40] = {1, 1, 5}, *p = options + 4;
    uint32_t n = 0;
    for (; sacks && sacks[2 * n + 1]; n++)
        p = iw_put32(iw_put32(p, RIG_ISS + 1 + sacks[2 * n]), RIG_ISS + 1 + sacks[2 * n + 1]);
    options[3] = (uint8_t)(2 + 8 * n);
    tcp_rig_hear(r, RIG_PEER_ISS + 1, RIG_ISS + 1 + offset, ACK, 1000, 0, options, n ? 4 + 8 * n : 0);
}

void tcp_rig_data(struct tcp_rig *r, uint32_t offset, uint32_t len)
{
    tcp_rig_hear(r, RIG_PEER_ISS + 1 + offset, RIG_ISS + 1 + (uint32_t)tcp_acked(r->t), ACK, 1000, len, NULL,
                 0);
}

bool tcp_rig_take(struct tcp_rig *r)
{
    uint16_t word;
    r->out = (struct ip_packet){.octets = r->octets};
    if (!tcp_transmit(r->t, r->now, &r->out))
        return false;
    assert_true(r->out.head <= tcp_packet_max(r->t));
    assert_int_equal(r->out.protocol, IP_PROTOCOL_TCP);
    const uint8_t *p = iw_get32(iw_get32(r->octets + 4, &r->seq), &r->ack);
    r->flags = p[1];
    r->option_len = (uint32_t)(p[0] >> 4) * 4 - 20;
    iw_get16(p + 2, &word);
    r->window = word;
    r->option = r->octets + 20;
    r->payload = r->option + r->option_len;
    r->len = r->out.size - 40 - r->option_len;
    if (!r->conf.note_max) {
        assert_int_equal(r->out.head, r->out.size - 20);
        assert_int_equal(checksum(r, r->octets, r->out.head), 0);
    }
    return true;
}

unsigned tcp_rig_drain(struct tcp_rig *r)
{
    unsigned n = 0;
    while (tcp_rig_take(r))
        n += r->len > 0;
    return n;
}

void tcp_rig_append(struct tcp_rig *r, unsigned n, uint32_t len)
{
    struct iw_frag frag = {NULL, len};
    while (n--)
        assert_int_equal(tcp_append(r->t, r->now, &frag, 1), IW_OK);
}

void tcp_rig_wait(struct tcp_rig *r, iw_time until)
{
    iw_time at = tcp_deadline(r->t);
    r->now = at < until ? (at > r->now ? at : r->now) : until;
    tcp_expire(r->t, r->now);
}

bool tcp_rig_event(struct tcp_rig *r, enum tcp_event_kind kind)
{
    while (tcp_event(r->t, &r->event))
        if (r->event.kind == kind)
            return true;
    return false;
}

unsigned tcp_rig_sacks(const struct tcp_rig *r, uint32_t from[4], uint32_t to[4])
{
    unsigned n = 0;
    for (const uint8_t *p = r->option; p < r->payload;) {
        if (*p == 1) {
            p++;
            continue;
        }
        for (const uint8_t *b = p + 2; *p == 5 && b < p + p[1]; n++) {
            b = iw_get32(iw_get32(b, &from[n]), &to[n]);
            from[n] -= RIG_PEER_ISS + 1;
            to[n] -= RIG_PEER_ISS + 1;
        }
        p += p[1];
    }
    return n;
}

uint32_t tcp_rig_cwnd(struct tcp_rig *r)
{
    return tcp_statistics(r->t)->cwnd;
}
