/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* sctp_start.c -- the four-way handshake (RFC 9260 section 5.1).
 *
 *   INIT ->   <- INIT ACK with a cookie   COOKIE ECHO ->   <- COOKIE ACK
 *
 * Law: until a good cookie comes back nothing is remembered of who sent an INIT: the cookie holds it all,
 * sealed. */
#include "llp/sctp_inner.h"

#include <string.h>

#include "engine/law.h"

enum {
    PARAM_IPV4 = 5,
    PARAM_IPV6 = 6,
    PARAM_COOKIE = 7,
    PARAM_UNRECOGNIZED = 8,
    PARAM_PRESERVATIVE = 9,
    PARAM_ADDRESS_TYPES = 12,
    PARAM_PARTIAL = 0xc000,
    PARAM_ADAPTATION = 0xc006
};
enum { UNKNOWN_GO_ON = 0x8000, UNKNOWN_REPORT = 0x4000 };

/* ---- the seal: SipHash-2-4 (Aumasson, Bernstein 2012) ---- */

static uint64_t turned(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static void sip_rounds(uint64_t v[4], int rounds)
{
    while (rounds--) {
        v[0] += v[1], v[1] = turned(v[1], 13) ^ v[0], v[0] = turned(v[0], 32);
        v[2] += v[3], v[3] = turned(v[3], 16) ^ v[2];
        v[0] += v[3], v[3] = turned(v[3], 21) ^ v[0];
        v[2] += v[1], v[1] = turned(v[1], 17) ^ v[2], v[2] = turned(v[2], 32);
    }
}

static void sip_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_rounds(v, 2);
    v[0] ^= word;
}

static uint64_t little(const uint8_t *p, uint32_t n)
{
    uint64_t word = 0;
    for (uint32_t i = 0; i < n; i++)
        word |= (uint64_t)p[i] << 8 * i;
    return word;
}

uint64_t sctp_seal(const uint64_t key[2], const uint8_t *octets, uint32_t len)
{
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du, key[0] ^ 0x6c7967656e657261u,
                     key[1] ^ 0x7465646279746573u};
    for (uint32_t i = 0; i + 8 <= len; i += 8)
        sip_word(v, little(octets + i, 8));
    sip_word(v, little(octets + (len & ~7u), len & 7) | (uint64_t)len << 56);
    v[2] ^= 0xff;
    sip_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Tag and first TSN of an association that begins at `now`; the tag is not 0. */
static void draw_tag(const struct sctp *a, iw_time now, uint32_t peer_tag, uint32_t *tag, uint32_t *tsn)
{
    uint8_t in[16];
    iw_put16(iw_put16(iw_put32(iw_put64(in, now), peer_tag), a->conf.local_port), a->remote_port);
    uint64_t drawn = sctp_seal(a->conf.secret, in, sizeof in);
    *tag = (uint32_t)(drawn >> 32) ? (uint32_t)(drawn >> 32) : 1;
    *tsn = (uint32_t)drawn;
}

/* ---- INIT and INIT ACK ---- */

static uint16_t streams_with(const struct sctp *a, const struct sctp_peer *p)
{
    uint16_t n = a->conf.streams;
    n = p->out < n ? p->out : n;
    return p->in < n ? p->in : n;
}

/* What follows tag and TSN in both: window, streams, and what we can do. */
static uint8_t *put_init(const struct sctp *a, uint8_t *p, uint32_t tag, uint32_t tsn, uint16_t streams_out)
{
    p = iw_put32(iw_put32(p, tag), a->conf.rwnd);
    p = iw_put32(iw_put16(iw_put16(p, streams_out), a->conf.streams), tsn);
    if (a->conf.partial)
        p = param_put(p, PARAM_PARTIAL, PARAM_HEAD);
    if (a->conf.adapts)
        p = iw_put32(param_put(p, PARAM_ADAPTATION, PARAM_HEAD + 4), a->conf.adaptation);
    return p;
}

void start_transmit_init(struct sctp *a, uint8_t *out, uint32_t *len)
{
    uint8_t *end = put_init(a, out + CHUNK_HEAD, a->tag, a->first_tsn, a->conf.streams);
    *len += (uint32_t)(end - out);
    chunk_put(out, SCTP_INIT, 0, (uint32_t)(end - out));
}

/* What an INIT or INIT ACK says beside the peer. */
struct greeting {
    struct sctp_peer peer;
    uint32_t cookie_len;
    const uint8_t *cookie;
    uint32_t reported;
    uint8_t report[REPORTED_MAX]; /* Unrecognized Parameters, as INIT ACK carries them */
};

static void report(struct greeting *g, const struct sctp_tlv *param)
{
    uint32_t room = REPORTED_MAX - g->reported;
    if (PARAM_HEAD + padded(param->len) > room)
        return;
    uint8_t *p = param_put(g->report + g->reported, PARAM_UNRECOGNIZED, PARAM_HEAD + param->len);
    memset(p, 0, padded(param->len));
    memcpy(p, param->at, param->len);
    g->reported += PARAM_HEAD + padded(param->len);
    LAW(g->reported <= REPORTED_MAX);
}

/* One parameter. False: an unknown one that stops the reading (RFC 9260 3.2.1). */
static bool read_param(struct greeting *g, const struct sctp_tlv *param)
{
    const uint8_t *value = param->at + PARAM_HEAD;
    switch (param->type) {
    case PARAM_PARTIAL: g->peer.partial = true; return true;
    case PARAM_ADAPTATION:
        if (param->len == PARAM_HEAD + 4 && !g->peer.adapts)
            iw_get32(value, &g->peer.adaptation);
        g->peer.adapts |= param->len == PARAM_HEAD + 4;
        return true;
    case PARAM_COOKIE:
        g->cookie = value;
        g->cookie_len = param->len - PARAM_HEAD;
        return true;
    case PARAM_IPV4:
    case PARAM_IPV6:
    case PARAM_UNRECOGNIZED:
    case PARAM_PRESERVATIVE:
    case PARAM_ADDRESS_TYPES: return true;
    default: break;
    }
    if (param->type & UNKNOWN_REPORT)
        report(g, param);
    return param->type & UNKNOWN_GO_ON;
}

static bool read_greeting(const struct sctp_tlv *chunk, struct greeting *g)
{
    const uint8_t *p = chunk->at + CHUNK_HEAD;
    *g = (struct greeting){0};
    if (chunk->len < INIT_HEAD)
        return false;
    p = iw_get32(iw_get32(p, &g->peer.tag), &g->peer.rwnd);
    p = iw_get32(iw_get16(iw_get16(p, &g->peer.out), &g->peer.in), &g->peer.tsn);
    struct sctp_tlv param;
    uint32_t left = chunk->len - INIT_HEAD, took;
    while ((took = param_get(p, left, &param)) && read_param(g, &param)) {
        p += took;
        left -= took;
    }
    return true;
}

/* ---- the cookie ---- */

enum { SEAL = 8, COOKIE_ADAPTS = 1, COOKIE_PARTIAL = 2 };
struct cookie {
    iw_time made;
    uint32_t tag, tsn; /* ours */
    struct sctp_peer peer;
    uint16_t local_port, remote_port;
};

static void cookie_put(const struct sctp *a, uint8_t *out, const struct cookie *c)
{
    uint32_t flags = (c->peer.adapts ? COOKIE_ADAPTS : 0) | (c->peer.partial ? COOKIE_PARTIAL : 0);
    uint8_t *p = iw_put32(iw_put32(iw_put64(out, c->made), c->tag), c->tsn);
    p = iw_put32(iw_put32(iw_put32(p, c->peer.tag), c->peer.rwnd), c->peer.tsn);
    p = iw_put16(iw_put16(iw_put16(iw_put16(p, c->peer.out), c->peer.in), c->local_port), c->remote_port);
    p = iw_put32(iw_put32(p, flags), c->peer.adaptation);
    LAW(p == out + COOKIE_OCTETS - SEAL);
    iw_put64(p, sctp_seal(a->conf.secret, out, COOKIE_OCTETS - SEAL));
}

/* False: we have not made it. */
static bool cookie_get(const struct sctp *a, const uint8_t *in, uint32_t len, struct cookie *c)
{
    uint64_t seal;
    uint32_t flags;
    if (len != COOKIE_OCTETS)
        return false;
    const uint8_t *p = iw_get32(iw_get32(iw_get64(in, &c->made), &c->tag), &c->tsn);
    p = iw_get32(iw_get32(iw_get32(p, &c->peer.tag), &c->peer.rwnd), &c->peer.tsn);
    p = iw_get16(iw_get16(iw_get16(iw_get16(p, &c->peer.out), &c->peer.in), &c->local_port), &c->remote_port);
    p = iw_get32(iw_get32(p, &flags), &c->peer.adaptation);
    iw_get64(p, &seal);
    c->peer.adapts = flags & COOKIE_ADAPTS;
    c->peer.partial = flags & COOKIE_PARTIAL;
    return seal == sctp_seal(a->conf.secret, in, COOKIE_OCTETS - SEAL);
}

/* ---- the passive side ---- */

/* RFC 9260 3.3.10: a cause without more to say. */
static void refuse_association(struct sctp *a, uint32_t tag, uint16_t cause)
{
    uint8_t *p = sctp_reply(a, tag, SCTP_ABORT, 0, PARAM_HEAD);
    if (p)
        param_put(p, cause, PARAM_HEAD);
}

static void answer_init(struct sctp *a, iw_time now, const struct greeting *g)
{
    struct cookie c = {.made = now, .peer = g->peer, .local_port = a->conf.local_port};
    uint8_t value[INIT_HEAD + 16 + PARAM_HEAD + COOKIE_OCTETS + REPORTED_MAX], *p;
    c.remote_port = a->remote_port;
    draw_tag(a, now, g->peer.tag, &c.tag, &c.tsn);
    p = put_init(a, value, c.tag, c.tsn, streams_with(a, &g->peer));
    p = param_put(p, PARAM_COOKIE, PARAM_HEAD + COOKIE_OCTETS);
    cookie_put(a, p, &c);
    p += COOKIE_OCTETS;
    memcpy(p, g->report, g->reported);
    uint32_t len = (uint32_t)(p - value) + g->reported;
    LAW(len <= sizeof value && len % 4 == 0);
    LAW(!a->tag &&
        !a->peer.tag); /* until a good cookie comes back nothing is remembered of who sent an INIT */
    uint8_t *out = sctp_reply(a, g->peer.tag, SCTP_INIT_ACK, 0, len);
    if (out)
        memcpy(out, value, len);
}

void start_init(struct sctp *a, iw_time now, const struct sctp_tlv *chunk)
{
    struct greeting g;
    if (!read_greeting(chunk, &g) || !g.peer.tag)
        return;
    bool open = a->state == SCTP_CLOSED && !a->deaf && !a->finished;
    if (!open && a->state != SCTP_CLOSED && g.peer.tag == a->peer.tag)
        return; /* an old one of this association */
    if (!g.peer.out || !g.peer.in)
        refuse_association(a, g.peer.tag, SCTP_CAUSE_PARAMETER);
    else if (!open)
        refuse_association(a, g.peer.tag, SCTP_CAUSE_RESOURCE);
    else
        answer_init(a, now, &g);
}

static void establish(struct sctp *a, iw_time now)
{
    a->state = SCTP_ESTABLISHED;
    a->streams = streams_with(a, &a->peer);
    LAW(a->streams && a->tag && a->peer.tag);
    a->control_at = IW_NEVER;
    a->errors = a->tries = 0;
    a->want = 0;
    tx_start(a, now);
    if (a->conf.heartbeat)
        a->heartbeat_at = now + a->conf.heartbeat;
    sctp_tell(a, SCTP_EV_UP, 0);
}

static void tell_stale(struct sctp *a, const struct cookie *c, iw_time late)
{
    uint8_t *p = sctp_reply(a, c->peer.tag, SCTP_ERROR, 0, PARAM_HEAD + 4);
    uint64_t us = late / 1000000;
    if (p)
        iw_put32(param_put(p, SCTP_CAUSE_STALE_COOKIE, PARAM_HEAD + 4),
                 us > UINT32_MAX ? UINT32_MAX : (uint32_t)us);
}

void start_cookie_echo(struct sctp *a, iw_time now, const struct sctp_tlv *chunk, uint32_t tag)
{
    struct cookie c;
    bool ours = cookie_get(a, chunk->at + CHUNK_HEAD, chunk->len - CHUNK_HEAD, &c) && c.tag == tag &&
                c.local_port == a->conf.local_port && c.remote_port == a->remote_port && c.made <= now;
    if (!ours || a->deaf)
        return;
    if (a->state == SCTP_CLOSED && !a->finished) {
        if (now - c.made > a->conf.cookie_life) {
            tell_stale(a, &c, now - c.made - a->conf.cookie_life);
            return;
        }
        a->tag = c.tag;
        a->first_tsn = c.tsn;
        a->peer = c.peer;
        rx_start(a);
        establish(a, now);
    } else if (a->tag != c.tag || a->peer.tag != c.peer.tag || !established(a)) {
        return;
    }
    sctp_reply(a, a->peer.tag, SCTP_COOKIE_ACK, 0, 0);
}

/* ---- the active side ---- */

int sctp_connect(struct sctp *a, iw_time now)
{
    if (a->state != SCTP_CLOSED || a->finished)
        return IW_ESTATE;
    draw_tag(a, now, 0, &a->tag, &a->first_tsn);
    a->state = SCTP_COOKIE_WAIT;
    a->want |= WANT_INIT;
    return IW_OK;
}

/* RFC 9260 3.3.10.8: what INIT ACK had that we do not know, one parameter after the other, as one cause. */
static void keep_report(struct sctp *a, const struct greeting *g)
{
    const uint8_t *p = g->report;
    uint32_t left = g->reported, took, last = 0;
    struct sctp_tlv told;
    a->report_len = 0;
    for (uint32_t at = PARAM_HEAD; (took = param_get(p, left, &told)); at += padded(told.len) - PARAM_HEAD) {
        memcpy(a->report + at, told.at + PARAM_HEAD, padded(told.len) - PARAM_HEAD);
        last = at + told.len - PARAM_HEAD;
        p += took;
        left -= took;
    }
    LAW(last <= sizeof a->report);
    if (last)
        param_put(a->report, SCTP_CAUSE_PARAMETERS, a->report_len = last);
}

/* COOKIE ECHO and behind it, if there is room, ERROR. */
void start_transmit_cookie(struct sctp *a, uint8_t *out, uint32_t *len)
{
    uint32_t size = CHUNK_HEAD + a->cookie_len, error = CHUNK_HEAD + a->report_len;
    memcpy(chunk_put(out, SCTP_COOKIE_ECHO, 0, size), a->cookie, a->cookie_len);
    memset(out + size, 0, padded(size) - size);
    *len += padded(size);
    if (!a->report_len || *len + padded(error) > a->conf.mtu)
        return;
    out += padded(size);
    memcpy(chunk_put(out, SCTP_ERROR, 0, error), a->report, a->report_len);
    memset(out + error, 0, padded(error) - error);
    *len += padded(error);
}

void start_init_ack(struct sctp *a, iw_time now, const struct sctp_tlv *chunk)
{
    struct greeting g;
    if (a->state != SCTP_COOKIE_WAIT || !read_greeting(chunk, &g))
        return;
    a->peer = g.peer;
    if (!g.peer.tag || !g.peer.out || !g.peer.in) {
        sctp_fail(a, SCTP_EV_REFUSED, SCTP_CAUSE_PARAMETER);
        return;
    }
    if (!g.cookie_len || g.cookie_len > COOKIE_MAX) {
        sctp_fail(a, SCTP_EV_REFUSED, SCTP_CAUSE_MISSING);
        return;
    }
    memcpy(a->cookie, g.cookie, g.cookie_len);
    a->cookie_len = g.cookie_len;
    keep_report(a, &g);
    a->state = SCTP_COOKIE_ECHOED;
    a->want = WANT_COOKIE;
    a->tries = 0;
    a->control_at = IW_NEVER;
    (void)now;
    rx_start(a);
}

void start_cookie_ack(struct sctp *a, iw_time now)
{
    if (a->state == SCTP_COOKIE_ECHOED)
        establish(a, now);
}
