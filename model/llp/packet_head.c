/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_head.c -- the header that is carried, and what the wire is charged for it. */
#include "engine/wire.h"
#include "llp/packet.h"

/* UDP 8, BTH 12, ICRC 4; RETH 16 stands in each packet of IRN, where DDP's 14 are; AETH 4. */
const struct packet_charge packet_charges[PACKET_RECOVERIES] = {
    [PACKET_GO_BACK_N] = {"go_back_n", 8 + 12 + 4, 8 + 12 + 4 + 4, "others",
                          "Linux, include/rdma/ib_pack.h: UDP 8, BTH 12, ICRC 4; ib_hdrs.h: AETH 4; DDP's 14 "
                          "or 18 octets stand in "
                          "every packet where RETH, 16, stands in a message's first"},
    [PACKET_IRN] =
        {"irn", 8 + 12 + 4 + 2, 8 + 12 + 4 + 4 + 3, "guess",
         "RoCEv2's, with RETH (ib_hdrs.h: 16) in every packet and a PSN more in a NAK; the paper's "
         "abstract was read, its tables were not"},
    [PACKET_RUD] = {"rud", 64 - 20 - 14, 64 - 20, "derived",
                    "uet-htsim counts 64 octets of headers with IP's 20 for a packet and for an answer; the "
                    "specification was not read"},
};

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
    return behind ? near - back : near + ahead;
}
