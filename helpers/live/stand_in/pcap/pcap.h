/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcap.h -- the seven calls of libpcap that helpers/capture makes, for wasm32, where there is no libpcap: pcap and pcapng
 * of either byte order (live_pcap.c). */
#ifndef HELPERS_LIVE_PCAP_H
#define HELPERS_LIVE_PCAP_H

#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>

typedef struct pcap pcap_t;
typedef unsigned char u_char;

enum { PCAP_ERRBUF_SIZE = 256, PCAP_TSTAMP_PRECISION_NANO = 1, PCAP_ERROR_BREAK = -2, PCAP_ERROR = -1 };
enum {
    DLT_NULL = 0,
    DLT_EN10MB = 1,
    DLT_PPP = 9,
    DLT_RAW = 12,
    DLT_PPP_SERIAL = 50,
    DLT_LOOP = 108,
    DLT_LINUX_SLL = 113,
    DLT_IPV4 = 228,
    DLT_IPV6 = 229,
    DLT_LINUX_SLL2 = 276
};

struct pcap_pkthdr {
    struct timeval ts; /* tv_usec: nanoseconds */
    uint32_t caplen, len;
};

pcap_t *pcap_fopen_offline_with_tstamp_precision(FILE *f, unsigned precision, char *why);
int pcap_datalink(pcap_t *c);
const char *pcap_datalink_val_to_description_or_dlt(int link);
/* 1; PCAP_ERROR_BREAK at the end; PCAP_ERROR: pcap_geterr() says why. */
int pcap_next_ex(pcap_t *c, struct pcap_pkthdr **head, const u_char **octets);
const char *pcap_geterr(pcap_t *c);
void pcap_close(pcap_t *c);

#endif
