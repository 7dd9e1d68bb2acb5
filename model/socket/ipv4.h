/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* ipv4.h -- the IPv4 header (RFC 791) between an ip_packet and the octets of a real network. */
#ifndef IW_SOCKET_IPV4_H
#define IW_SOCKET_IPV4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "llp/ip_packet.h"

/* Write the 20 octets that go before packet->octets: protocol, ECN, size, "don't fragment". */
void ipv4_put(uint8_t head[IP_HEAD], const struct ip_packet *packet, uint32_t source, uint32_t destination,
              uint16_t identification);
/* Read a packet of `len` octets: size, protocol, ECN, head and octets are filled, which stay where they are. False: no
 * IPv4, a wrong length or checksum, or a fragment. Options are skipped; octets behind the packet's length are ignored. */
bool ipv4_get(uint8_t *octets, size_t len, struct ip_packet *packet, uint32_t *source, uint32_t *destination);

#endif
