/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* ipv4.c -- the IPv4 header (RFC 791 3.1).
 *
 *   | 4, IHL | DSCP, ECN | total length | identification | flags, offset | TTL | protocol | checksum | source | destination |
 */
#include "socket/ipv4.h"

#include "engine/law.h"
#include "engine/wire.h"

enum { VERSION = 4, TTL = 64, DONT_FRAGMENT = 0x4000, IS_FRAGMENT = 0x3fff, CHECKSUM_AT = 10 };

static uint16_t checksum(const uint8_t *head, size_t len)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < len; i += 2)
        sum += (uint32_t)head[i] << 8 | head[i + 1];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

void ipv4_put(uint8_t head[IP_HEAD], const struct ip_packet *packet, uint32_t source, uint32_t destination,
              uint16_t identification)
{
    uint8_t *p = iw_put16(head, (uint16_t)(VERSION << 12 | IP_HEAD / 4 << 8 | packet->ecn));
    p = iw_put16(iw_put16(p, (uint16_t)packet->size), identification);
    p = iw_put16(iw_put16(p, DONT_FRAGMENT), (uint16_t)(TTL << 8 | packet->protocol));
    iw_put32(iw_put32(iw_put16(p, 0), source), destination);
    iw_put16(head + CHECKSUM_AT, checksum(head, IP_HEAD));
    LAW(!checksum(head, IP_HEAD)); /* with its checksum the sum is 0 */
}

bool ipv4_get(uint8_t *octets, size_t len, struct ip_packet *packet, uint32_t *source, uint32_t *destination)
{
    uint16_t total, fragment;
    if (len < IP_HEAD || octets[0] >> 4 != VERSION)
        return false;
    size_t head = (octets[0] & 15u) * 4;
    iw_get16(octets + 2, &total);
    iw_get16(octets + 6, &fragment);
    if (head < IP_HEAD || total < head || total > len || fragment & IS_FRAGMENT || checksum(octets, head))
        return false;
    *packet = (struct ip_packet){.size = total - (uint32_t)head + IP_HEAD,
                                 .protocol = octets[9],
                                 .ecn = octets[1] & 3,
                                 .head = (uint16_t)(total - head),
                                 .octets = octets + head};
    LAW(packet->head + head <= len && packet->size == (uint32_t)IP_HEAD + packet->head);
    iw_get32(iw_get32(octets + 12, source), destination);
    return true;
}
