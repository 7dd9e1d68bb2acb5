/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_head.c -- the header that is carried. */
#include "engine/law.h"
#include "engine/wire.h"
#include "llp/packet.h"

static uint8_t *put24(uint8_t *p, uint32_t v)
{
    return iw_put16(iw_put8(p, (uint8_t)(v >> 16)), (uint16_t)v);
}

static const uint8_t *get24(const uint8_t *p, uint32_t *v)
{
    *v = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
    return p + 3;
}

void packet_put(uint8_t *out, const struct packet_head *h)
{
    uint8_t *p = put24(put24(iw_put8(out, h->flags), h->psn), h->edge);
    p = iw_put8(put24(iw_put8(p, h->sends), h->named), h->more);
    iw_put64(p, h->sack);
}

void packet_get(const uint8_t *in, struct packet_head *h)
{
    const uint8_t *p = get24(get24(iw_get8(in, &h->flags), &h->psn), &h->edge);
    p = iw_get8(get24(iw_get8(p, &h->sends), &h->named), &h->more);
    iw_get64(p, &h->sack);
}

uint64_t packet_unwrap(uint64_t near, uint32_t psn)
{
    uint32_t ahead = (psn - (uint32_t)near) & PACKET_PSN_MASK, back = PACKET_PSN_MASK + 1u - ahead;
    bool behind = ahead > PACKET_PSN_MASK / 2 && near >= back;
    uint64_t whole = behind ? near - back : near + ahead;
    LAW(!((whole ^ psn) & PACKET_PSN_MASK));
    return whole;
}
