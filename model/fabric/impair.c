/* SPDX-License-Identifier: GPL-2.0-or-later */
/* impair.c -- what goes wrong on the last link before a host. Its fate meets a packet at the time it would arrive. */
#include "fabric/fabric_inner.h"

enum { TCP_OFFSET = 12, TCP_HEAD = 20, SCTP_HEAD = 12, SCTP_CHUNK = 4, SCTP_DATA = 0 };

/* ---- user data ---- */

static uint32_t tcp_data(const struct ip_packet *p)
{
    return p->head > TCP_OFFSET ? (uint32_t)(p->octets[TCP_OFFSET] >> 4) * 4 : NONE;
}

/* Everything behind the common header, if there is a DATA chunk: the first, or behind others. */
static uint32_t sctp_data(const struct ip_packet *p)
{
    for (uint32_t at = SCTP_HEAD; at + SCTP_CHUNK <= p->head;) {
        uint32_t length = (uint32_t)p->octets[at + 2] << 8 | p->octets[at + 3];
        if (p->octets[at] == SCTP_DATA)
            return SCTP_HEAD;
        if (length < SCTP_CHUNK)
            break;
        at += (length + 3) & ~3u;
    }
    return NONE;
}

uint32_t fabric_user_data(const struct ip_packet *p, uint32_t packet_head)
{
    uint32_t from = NONE;
    switch (p->protocol) {
    case IP_PROTOCOL_TCP: from = tcp_data(p); break;
    case IP_PROTOCOL_SCTP: from = sctp_data(p); break;
    case IP_PROTOCOL_EXPERIMENT: from = p->head > packet_head ? packet_head : NONE; break;
    default: break;
    }
    return from < p->size - p->sealed - IP_HEAD ? from : FABRIC_NO_DATA;
}

static uint32_t user_data(const struct fabric *f, const struct fabric_cell *c)
{
    struct ip_packet p = fabric_cell_packet(c);
    return fabric_user_data(&p, f->conf.packet_head);
}

void fabric_alter(uint8_t *octet, uint32_t length, uint64_t entropy)
{
    uint32_t at = (uint32_t)(entropy % length), lane = (length - at % 2 + 1) / 2;
    uint8_t bit = (uint8_t)(1u << (entropy >> 32) % 8);
    for (uint32_t i = 1; i < lane; i++) {
        uint32_t other = at % 2 + (at / 2 + i) % lane * 2;
        if (((octet[at] ^ octet[other]) & bit) == 0)
            continue;
        octet[other] ^= bit;
        break;
    }
    octet[at] ^= bit;
}

static void alter(struct fabric *f, uint32_t link, struct fabric_cell *c, uint64_t entropy)
{
    uint32_t from = user_data(f, c);
    if (from == FABRIC_NO_DATA)
        return;
    LAW(from <= c->head || c->head < c->size - c->sealed - IP_HEAD);
    f->counts.altered++;
    c->flags |= CELL_ALTERED; /* with payload none nobody looks at octets, be they all there */
    if (c->head == c->size - c->sealed - IP_HEAD)
        fabric_alter(c->octets + from, c->head - from, entropy);
    fabric_tell(f, FABRIC_ALTERED, link, c, 0, 0);
}

/* ---- fates ---- */

static void lose_cell(struct fabric *f, uint32_t link, struct fabric_cell *c)
{
    f->counts.lost++;
    f->tally[link].lost++;
    fabric_tell(f, FABRIC_LOST, link, c, 0, 0);
    fabric_cell_free(f, c);
}

static void delay(struct fabric *f, uint32_t link, struct fabric_cell *c, iw_time extra)
{
    f->counts.delayed++;
    fabric_tell(f, FABRIC_DELAYED, link, c, 0, extra);
    fabric_late_add(f, c, f->now + extra, f->port[link].peer);
}

/* The copy is of the packet as it was, and follows it by its serialization. */
static void duplicate(struct fabric *f, uint32_t link, const struct fabric_cell *c, iw_time after)
{
    struct fabric_cell *copy = fabric_cell_copy(f, c);
    if (!copy)
        return;
    copy->flags |= CELL_COPIED;
    f->counts.duplicated++;
    fabric_tell(f, FABRIC_DUPLICATED, link, c, 0, 0);
    fabric_late_add(f, copy, f->now + after, f->port[link].peer);
}

static void suffer(struct fabric *f, uint32_t link, struct fabric_cell *c, iw_time serialized)
{
    uint32_t port = f->port[link].peer;
    struct channel_fate fate = channel_take(&f->channel[port], serialized);
    bool comes = !fate.lost || fate.duplicated;
    iw_time late = comes ? channel_arrival(&f->channel[port], f->now, serialized, &fate) - f->now : 0;
    if (fate.duplicated)
        duplicate(f, link, c, late + serialized);
    if (fate.lost) {
        lose_cell(f, link, c);
        return;
    }
    if (fate.corrupted)
        alter(f, link, c, fate.entropy);
    if (late)
        delay(f, link, c, late);
    else
        fabric_host_receives(f, port, c);
}

static bool meets(const struct fabric *f, const struct fabric_cell *c)
{
    if (!f->channel || c->start < f->impaired_from)
        return false;
    if (f->conf.data && f->conf.acks)
        return true;
    return user_data(f, c) == FABRIC_NO_DATA ? f->conf.acks : f->conf.data;
}

void fabric_impair_packet(struct fabric *f, uint32_t link, struct fabric_cell *c)
{
    const struct fabric_port *p = &f->port[link];
    LAW(c->to == fabric_host_of(f, p->peer));
    if (meets(f, c))
        suffer(f, link, c, serialization(&f->line[p->line], c->size + f->conf.framing));
    else
        fabric_host_receives(f, p->peer, c);
}
