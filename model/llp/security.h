/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* security.h -- the octets that a security service adds to a packet (RFC 5042 section 5.4). Their numbers, not their values.
 *
 *   esp   | IP | SPI 4, sequence 4 | IV 8 | transport packet | pad 0..3, length 1, next 1 | ICV 16 |
 *         RFC 4303 section 2, transport mode, AES-GCM (RFC 4106 sections 3.1 and 6); every packet.
 *   tls   | IP | TCP | type 1, version 2, length 2 | payload | type 1 | tag 16 |
 *         RFC 8446 section 5.2, AES-GCM; each TCP segment with octets is one record.
 *
 * An ESP packet is checked by itself. The nonce of a TLS record counts records (section 5.3), so none is checked before
 * those before it have come: "TCP must gather all out-of-order packets before TLS can decrypt them" (RFC 5042 section 5.4.2).
 */
#ifndef IW_LLP_SECURITY_H
#define IW_LLP_SECURITY_H

#include "llp/ip_packet.h"

#ifdef __cplusplus
extern "C" {
#endif

enum security { SECURITY_NONE, SECURITY_ESP, SECURITY_TLS, SECURITIES };

/* Octets that are added to `octets` behind the IP header, `data` or not. */
uint32_t security_adds(enum security s, uint32_t octets, bool data);
/* The largest packet that still fits in `mtu` with what is added. */
uint32_t security_mtu(enum security s, uint32_t mtu);
/* Add to a packet that leaves; what came is as it was before. */
void security_seal(enum security s, struct ip_packet *p);
void security_open(struct ip_packet *p);

#ifdef __cplusplus
}
#endif
#endif
