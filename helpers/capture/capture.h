/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture.h -- the TCP segments of a capture file (pcap, pcapng), in the order of the file.
 *
 *     file --libpcap--> frame --link header--> IPv4 | IPv6 --> TCP segment
 *
 * Link layers: Ethernet (802.1Q and 802.1ad tags too), PPP, raw IP, loopback, Linux cooked v1 and v2.
 * Anything may stand in a file: every length is checked, what is not understood is counted and skipped.
 */
#ifndef HELPERS_CAPTURE_CAPTURE_H
#define HELPERS_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One end of a TCP connection. Compares with memcmp: unused octets are zero. */
struct capture_end {
    uint8_t address[16]; /* network order; IPv4 uses the first four */
    uint8_t address_len; /* 4 or 16 */
    uint8_t zero;
    uint16_t port;
};

enum { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_ACK = 16 };

enum capture_checksum {
    CAPTURE_CHECKSUM_GOOD,
    CAPTURE_CHECKSUM_UNFILLED, /* zero or the pseudo header's sum: captured before the adapter filled it in */
    CAPTURE_CHECKSUM_WRONG,
    CAPTURE_CHECKSUM_UNKNOWN /* the frame was cut short */
};

struct capture_segment {
    uint64_t frame;  /* number in the file, from 1 */
    int64_t time_ns; /* since the file's first frame; captures may step back */
    struct capture_end source, target;
    uint32_t seq, ack;
    uint8_t flags;   /* TCP_* */
    uint16_t window; /* as the header has it */
    uint16_t ident;  /* of IPv4; IPv6: 0 */
    int8_t shift;    /* of a SYN: the window scale option (RFC 7323 2); -1: it has none */
    bool stamped;    /* it has the timestamps option (RFC 7323 3) */
    uint32_t stamp;  /* TSval */
    enum capture_checksum checksum;
    const uint8_t *octets; /* payload; borrowed until the next call */
    uint32_t len;          /* octets of it in the file */
    uint32_t missing;      /* octets after them that the snap length cut off */
};

/* What was in the file beside TCP segments. */
struct capture_counts {
    uint64_t frames;
    uint64_t segments;  /* TCP */
    uint64_t fragments; /* of IP packets: not put together */
    uint64_t malformed; /* a header that is cut short or contradicts the length */
    uint64_t other;     /* not TCP over IP */
};

struct capture;

enum { CAPTURE_ERROR_MAX = 512 };

/* Open a file by name ("-": standard input), or take over an open stream. NULL: `error` (CAPTURE_ERROR_MAX octets)
 * says why in one sentence. capture_close() ends it; NULL is allowed there. */
struct capture *capture_open(const char *path, char *error);
struct capture *capture_stream(FILE *stream, const char *name, char *error);
void capture_close(struct capture *c);

/* The next TCP segment: 1; 0 at the end of the file; -1 when the file cannot be read further: `error` says why. */
int capture_take(struct capture *c, struct capture_segment *segment, char *error);
const struct capture_counts *capture_counted(const struct capture *c);

/* "10.7.0.2:7174", "[fe80::1]:7174" */
enum { CAPTURE_END_TEXT = 64 };
void capture_end_text(const struct capture_end *end, char out[CAPTURE_END_TEXT]);

#endif
