/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "our_end.h"

#include <stdlib.h>
#include <string.h>

#include "channel/channel.h"

#define MS ((iw_time)1000000000)
enum { RECORDS = 1024, STORE = 1 << 18, RANGES = 1024 };

bool our_end_open(struct our_end *e, struct tcp_conf *conf, bool active, iw_time now)
{
    conf->records = RECORDS;
    conf->store = STORE;
    conf->ranges = RANGES;
    size_t size = tcp_size(conf);
    e->t = size ? tcp_init(malloc(size), conf) : NULL;
    if (!e->t)
        return false;
    e->consumed_at = now;
    tcp_credit(e->t, now, e->window, false);
    return !(active ? tcp_connect(e->t, now) : tcp_listen(e->t));
}

void our_end_free(struct our_end *e)
{
    free(e->t);
}

static void place(struct our_end *e, const struct tcp_segment *s)
{
    if (s->offset + s->len > e->in_len)
        e->wrong = "handed up octets behind the peer's last";
    else if (!s->octets || !tcp_has(e->t, s->offset, s->len))
        e->wrong = "took a segment that is not here";
    else
        memcpy(e->in + s->offset, s->octets, s->len);
}

void our_end_arrive(struct our_end *e, iw_time now, const struct ip_packet *packet)
{
    struct tcp_segment s;
    bool is_new = tcp_peek(e->t, packet, &s) == TCP_TAKEN;
    if (is_new && tcp_has(e->t, s.offset, s.len))
        e->wrong = "took a segment twice";
    if (tcp_accept(e->t, now, packet, &s) == TCP_TAKEN)
        place(e, &s);
}

static void consume(struct our_end *e, iw_time now)
{
    uint64_t may = e->read_rate ? e->consumed + (now - e->consumed_at) / MS * e->read_rate : UINT64_MAX;
    uint64_t here = tcp_received(e->t);
    e->consumed_at += e->read_rate ? (now - e->consumed_at) / MS * MS : 0;
    e->consumed = here < may ? here : may;
    tcp_credit(e->t, now, e->consumed + e->window, e->consumed + e->window >= tcp_told(e->t) + e->window / 2);
}

/* Records of any size up to a segment's, as far as there is room; then FIN. */
static void append(struct our_end *e, iw_time now)
{
    while (e->up && !e->gone && tcp_appended(e->t) < e->out_len) {
        uint64_t at = tcp_appended(e->t), left = e->out_len - at, most = tcp_mss(e->t);
        uint64_t len = channel_draw(e->draw, at) & 1 ? most : 1 + channel_draw(e->draw, at) % most;
        len = len < left ? len : left;
        if (!tcp_room(e->t, (uint32_t)len) ||
            tcp_append(e->t, now, &(struct iw_frag){e->out + at, (uint32_t)len}, 1))
            return;
    }
    if (e->up)
        tcp_close(e->t, now); /* once; later calls change nothing */
}

static void events(struct our_end *e)
{
    struct tcp_event event;
    while (tcp_event(e->t, &event)) {
        e->up |= event.kind == TCP_EV_UP;
        e->fin |= event.kind == TCP_EV_FIN;
        e->down |= event.kind == TCP_EV_DOWN;
        e->gone |= event.kind >= TCP_EV_REFUSED && event.kind <= TCP_EV_LOST;
    }
}

bool our_end_transmit(struct our_end *e, iw_time now, struct ip_packet *out)
{
    tcp_expire(e->t, now);
    events(e);
    consume(e, now);
    append(e, now);
    bool some = tcp_transmit(e->t, now, out);
    events(e);
    return some;
}

iw_time our_end_deadline(const struct our_end *e, iw_time now)
{
    iw_time at = tcp_deadline(e->t);
    bool reads = e->read_rate && e->consumed < tcp_received(e->t);
    return reads && at > now + MS ? now + MS : at;
}

bool our_end_is_done(const struct our_end *e)
{
    return e->fin && tcp_acked(e->t) == e->out_len && tcp_received(e->t) == e->in_len &&
           (e->down || tcp_state(e->t) == TCP_TIME_WAIT);
}
