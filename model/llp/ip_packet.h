/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* ip_packet.h -- one IP packet as it crosses between a node and its world.
 *
 *   | IP header | transport header | user data ...                          |   size
 *               | octets ...                     | absent (payload none)    |   head <= size - sealed - IP_HEAD
 *
 * The octets are real and begin behind the IP header. With `payload: none` only the first `head` of them are carried:
 * the transport's headers, and what the lower layer puts in place of the payload. Links charge `size` in either case.
 */
#ifndef IW_LLP_IP_PACKET_H
#define IW_LLP_IP_PACKET_H

#include <stdbool.h>
#include <stdint.h>

enum { IP_HEAD = 20 }; /* octets of an IPv4 header without options */
enum { IP_PROTOCOL_TCP = 6, IP_PROTOCOL_SCTP = 132, IP_PROTOCOL_EXPERIMENT = 253 };
enum ip_ecn { IP_NOT_ECT, IP_ECT_1, IP_ECT_0, IP_CE }; /* RFC 3168 section 5 */

enum { IP_ANY_PORT = 255 }; /* of a packet that has not left: it is not known yet */

struct ip_packet {
    uint32_t size;       /* octets of the IP packet, header included; the link's framing apart */
    uint32_t connection; /* number of the connection in its world, and */
    uint8_t
        direction;    /* 0: from the end that connected, 1: from the end that listened: what routing hashes */
    uint8_t protocol; /* IP_PROTOCOL_* */
    uint8_t ecn;      /* enum ip_ecn; a queue may set IP_CE */
    bool
        altered; /* the channel altered it in a way that TCP's checksum misses: all that payload none has of it */
    bool trimmed;  /* a queue cut it down to its headers */
    uint8_t port;  /* of the host: that it leaves by, which who asks for a packet says, or that it came by */
    bool copied;   /* the network doubled a packet, and this is the copy: nobody but who counts may ask */
    uint16_t head; /* octets at `octets` */
    uint16_t sealed; /* octets of `size` that a security service added: absent, whatever the payload */
    uint16_t
        entropy; /* the path value that its sender chose, which switches hash beside the flow where they route by
                         entropy; 0: the flow's own */
    uint32_t
        number; /* counts the packets of this direction of the connection from 0: what spraying draws by */
    uint8_t *octets; /* borrowed until the next call into whoever gave it */
};

#endif
