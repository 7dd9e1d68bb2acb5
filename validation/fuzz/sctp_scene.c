/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "validation/fuzz/sctp_scene.h"

#include <stdlib.h>
#include <string.h>

#include "llp/crc32c.h"

static void must(bool law)
{
    if (!law)
        abort();
}

/* ---- laws ---- */

static void check_tx(const struct sctp *a)
{
    const struct sctp_tx *t = &a->tx;
    uint32_t flight = 0, agains = 0, unsent = 0;
    must(!before(t->next, t->una) && !before(t->end, t->next) && t->end - t->una <= t->gap.mask);
    for (uint32_t tsn = t->una; tsn != t->end; tsn++) {
        const struct sctp_sent *s = &t->sent[tsn & t->gap.mask];
        bool gap = bit_is(&t->gap, tsn), again = bit_is(&t->again, tsn), gone = bit_is(&t->gone, tsn);
        must(!(again && gone) && !(gap && again));
        must(s->store + s->kept <= t->store_size && s->len <= a->conf.mtu - SCTP_OVERHEAD &&
             s->kept <= s->len);
        must(before(tsn, t->next) || !(gap || again || gone));
        if (before(tsn, t->next) && !gap && !again && !gone)
            flight += s->len;
        agains += again;
        unsent += before(tsn, t->next) ? 0 : s->len;
    }
    must(flight == t->flight && agains == t->agains && unsent == t->unsent);
    must(established(a) ? t->una == t->next || t->t3 != IW_NEVER || t->agains || t->forward : true);
}

static void check_rx(const struct sctp *a)
{
    const struct sctp_rx *r = &a->rx;
    uint32_t held = 0, slots = 0;
    must(!before(r->high, r->cum) && r->high - r->cum < a->conf.chunks);
    must(r->high == r->cum || (!bit_is(&r->got, r->cum + 1) && bit_is(&r->got, r->high)));
    for (uint16_t i = 0; i < a->conf.streams; i++) {
        uint16_t slot = a->stream[i].first, last = 0;
        for (uint32_t n = 0; slot != NONE16; n++, slot = r->held[slot].next, slots++) {
            must(slot < a->conf.hold && (!n || before16(last, r->held[slot].ssn)));
            last = r->held[slot].ssn;
            held += r->held[slot].len;
        }
    }
    for (uint16_t slot = r->free; slot != NONE16; slot = r->held[slot].next)
        slots++;
    must(slots + (r->lent != NONE16) == a->conf.hold && held == r->held_octets);
}

void scene_check(const struct scene *s)
{
    const struct sctp *a = s->a;
    if (established(a))
        check_tx(a);
    if (a->state >= SCTP_COOKIE_ECHOED)
        check_rx(a);
    must(a->state != SCTP_CLOSED || sctp_deadline(a) == IW_NEVER);
    must(a->reply_len <= REPLY_MAX && a->cookie_len <= COOKIE_MAX);
}

/* ---- packets ---- */

static volatile uint8_t seen; /* the octets are read, so that a sanitizer sees where they lie */

void scene_deliver(struct scene *s, uint32_t tag, const uint8_t *chunks, uint32_t len, uint8_t refuse)
{
    uint8_t *packet = malloc(SCTP_HEAD + len);
    struct sctp_in in;
    iw_put32(iw_put32(iw_put16(iw_put16(packet, SCENE_PEER_PORT), SCENE_PORT), tag), 0);
    if (len)
        memcpy(packet + SCTP_HEAD, chunks, len);
    uint32_t crc = crc32c(0, packet, SCTP_HEAD + len);
    for (int i = 0; i < 4; i++)
        packet[8 + i] = (uint8_t)(crc >> 8 * i);
    if (sctp_receive(s->a, s->now, packet, SCTP_HEAD + len) == IW_OK)
        for (int i = 0; sctp_take(s->a, &in); i++) {
            must(in.kept <= in.len && in.stream < s->a->conf.streams);
            for (uint32_t k = 0; k < in.kept; k++)
                seen ^= in.octets[k];
            must(!(refuse >> (i & 7) & 1) || sctp_refuse(s->a) == (in.fresh ? IW_OK : IW_ESTATE));
        }
    free(packet);
    scene_check(s);
}

void scene_transmit(struct scene *s)
{
    uint32_t wire = 0;
    s->out_len = sctp_transmit(s->a, s->now, s->out, &wire);
    s->sent = s->out_len != 0;
    must(s->out_len <= s->a->conf.mtu && (!s->sent || (wire >= s->out_len && wire <= s->a->conf.mtu)));
    must(s->out_len % 4 == 0);
    scene_check(s);
}

/* ---- reaching a state ---- */

static struct sctp_conf conf_of(unsigned flags)
{
    struct sctp_conf c;
    sctp_defaults(&c);
    c.local_port = SCENE_PORT;
    c.remote_port = SCENE_PEER_PORT;
    c.mtu = 576;
    c.streams = 3;
    c.chunks = 64;
    c.store = flags & 1 ? 4096 : 8192;
    c.head_max = flags & 1 ? 72 : 0;
    c.hold = flags & 4 ? 0 : 4;
    c.rwnd = 4000;
    c.partial = !(flags & 2);
    c.heartbeat = flags & 16 ? 1000000000 : 0;
    c.retries = c.init_retries = 2;
    return c;
}

static const uint8_t greeting[] = {1, 0, 0, 24, 1, 2, 3, 4,    0,    0, 0x40, 0,
                                   0, 3, 0, 3,  0, 0, 1, 0xf4, 0xc0, 0, 0,    4};

static void be_asked(struct scene *s)
{
    uint8_t echo[4 + COOKIE_OCTETS] = {SCTP_COOKIE_ECHO, 0, 0, 4 + COOKIE_OCTETS};
    uint32_t tag;
    scene_deliver(s, 0, greeting, sizeof greeting, 0);
    scene_transmit(s);
    iw_get32(s->out + 16, &tag);
    memcpy(echo + 4, s->out + SCTP_HEAD + INIT_HEAD + (s->a->conf.partial ? 4 : 0) + 4, COOKIE_OCTETS);
    scene_deliver(s, tag, echo, sizeof echo, 0);
    scene_transmit(s);
}

static void ask(struct scene *s, enum sctp_state state)
{
    uint8_t ack[sizeof greeting + 8];
    static const uint8_t cookie[8] = {0, 7, 0, 8, 'c', 'o', 'o', 'k'},
                         cookie_ack[] = {SCTP_COOKIE_ACK, 0, 0, 4};
    sctp_connect(s->a, s->now);
    scene_transmit(s);
    if (state == SCTP_COOKIE_WAIT)
        return;
    memcpy(ack, greeting, sizeof greeting);
    memcpy(ack + sizeof greeting, cookie, sizeof cookie);
    ack[0] = SCTP_INIT_ACK;
    ack[3] = sizeof ack;
    scene_deliver(s, s->a->tag, ack, sizeof ack, 0);
    scene_transmit(s);
    if (state != SCTP_COOKIE_ECHOED)
        scene_deliver(s, s->a->tag, cookie_ack, sizeof cookie_ack, 0);
}

static void go_down(struct scene *s, enum sctp_state state)
{
    uint8_t shutdown[8] = {SCTP_SHUTDOWN, 0, 0, 8};
    struct iw_frag frag = {NULL, 100};
    struct sctp_out out = {.ppid = 16, .retransmits = SCTP_RELIABLE, .frags = 1, .frag = &frag};
    bool waits = state == SCTP_SHUTDOWN_PENDING || state == SCTP_SHUTDOWN_RECEIVED;
    if (waits)
        sctp_send(s->a, s->now, &out);
    if (state == SCTP_SHUTDOWN_PENDING || state == SCTP_SHUTDOWN_SENT)
        sctp_shutdown(s->a, s->now);
    iw_put32(shutdown + 4, s->a->tx.una - 1);
    if (state == SCTP_SHUTDOWN_RECEIVED || state == SCTP_SHUTDOWN_ACK_SENT)
        scene_deliver(s, s->a->tag, shutdown, sizeof shutdown, 0);
    scene_transmit(s);
}

void scene_open(struct scene *s, unsigned flags, enum sctp_state state)
{
    struct sctp_conf conf = conf_of(flags);
    *s = (struct scene){.a = sctp_init(malloc(sctp_size(&conf)), &conf)};
    if (state == SCTP_CLOSED)
        return;
    if (flags & 8 || state < SCTP_ESTABLISHED)
        ask(s, state);
    else
        be_asked(s);
    if (state > SCTP_ESTABLISHED)
        go_down(s, state);
    must(s->a->state == state);
}

void scene_close(struct scene *s)
{
    free(s->a);
}
