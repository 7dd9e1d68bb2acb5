/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/fabric/fabric_pcap.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/files.h"

enum { SNAP = 65535, NAME_MAX_ = 4096, IDENTIFIED = 1 << 16 };
/* What is written at a time, of one capture and of all. */
enum { BUFFER_LEAST = 1 << 12, BUFFER_MOST = 1 << 16, BUFFERS = 1 << 26 };
enum { DSCP_TRIMMED = 43 }; /* xxxx11, for experimental or local use (RFC 2474 section 6) */
#define PS_PER_NS 1000
#define NS_PER_S  1000000000

struct captures {
    pcap_t *kind;
    uint32_t hosts;
    pcap_dumper_t **file;
    char *buffers; /* `buffer` octets for each */
    size_t buffer;
};

/* One thread at a time runs a host; a lock of the stream would wait for every packet until its octets have left the processor. */
static pcap_dumper_t *open_one(struct captures *c, const char *name, uint32_t host)
{
    FILE *out = file_open_own(name, false);
    if (out)
        __fsetlocking(out, FSETLOCKING_BYCALLER);
    if (out && c->buffers)
        setvbuf(out, c->buffers + host * c->buffer, _IOFBF, c->buffer);
    pcap_dumper_t *file = out ? pcap_dump_fopen(c->kind, out) : NULL;
    if (out && !file)
        fclose(out);
    return file;
}

static size_t buffer_of(uint32_t hosts)
{
    size_t each = hosts ? BUFFERS / hosts : BUFFER_MOST;
    return each < BUFFER_LEAST ? BUFFER_LEAST : each > BUFFER_MOST ? BUFFER_MOST : each;
}

struct captures *captures_open(const char *prefix, uint32_t hosts, const char **why)
{
    struct captures *c = calloc(1, sizeof *c);
    *why = "not enough memory for the captures";
    if (!c)
        return NULL;
    c->hosts = hosts;
    c->buffer = buffer_of(hosts);
    c->buffers = malloc(hosts * c->buffer);
    c->file = calloc(hosts, sizeof *c->file);
    c->kind = pcap_open_dead_with_tstamp_precision(DLT_RAW, SNAP, PCAP_TSTAMP_PRECISION_NANO);
    for (uint32_t i = 0; c->file && c->kind && i < hosts; i++) {
        char name[NAME_MAX_];
        snprintf(name, sizeof name, "%s-h%u.pcap", prefix, i);
        c->file[i] = open_one(c, name, i);
        *why = c->file[i] ? NULL : "a capture cannot be written";
        if (*why)
            break;
    }
    if (!*why)
        return c;
    captures_close(c);
    return NULL;
}

bool captures_close(struct captures *c)
{
    bool good = true;
    for (uint32_t i = 0; c->file && i < c->hosts; i++)
        if (c->file[i]) {
            good &= pcap_dump_flush(c->file[i]) == 0;
            pcap_dump_close(c->file[i]);
        }
    if (c->kind)
        pcap_close(c->kind);
    free(c->buffers);
    free(c->file);
    free(c);
    return good;
}

static uint16_t checksum(const uint8_t *octets, uint32_t len)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < len; i += 2)
        sum += (uint32_t)octets[i] << 8 | octets[i + 1];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

/* Version, DSCP and ECN, length, identification, don't fragment, TTL, protocol, checksum, addresses (RFC 791 3.1). */
static void ip_head(uint8_t *out, const struct ip_packet *p, uint32_t from, uint32_t to)
{
    uint8_t service = (uint8_t)((p->trimmed ? DSCP_TRIMMED : 0) << 2 | p->ecn);
    uint8_t *at = iw_put8(iw_put8(out, 0x45), service);
    at = iw_put16(at, (uint16_t)p->size);
    at = iw_put16(at, (uint16_t)(p->number % IDENTIFIED));
    at = iw_put16(at, 0x4000);
    at = iw_put8(iw_put8(at, 64), p->protocol);
    at = iw_put16(at, 0);
    at = iw_put32(at, hosts_address(from));
    iw_put32(at, hosts_address(to));
    iw_put16(out + 10, checksum(out, IP_HEAD));
}

void captures_write(struct captures *c, uint32_t host, iw_time at, const struct ip_packet *packet,
                    uint32_t from, uint32_t to)
{
    uint64_t ns = at / PS_PER_NS;
    struct pcap_pkthdr head = {.ts = {(time_t)(ns / NS_PER_S), (suseconds_t)(ns % NS_PER_S)},
                               .caplen = IP_HEAD + packet->head,
                               .len = packet->size};
    uint8_t octets[SNAP]; /* not shared: hosts may be on several threads */
    ip_head(octets, packet, from, to);
    memcpy(octets + IP_HEAD, packet->octets, packet->head);
    pcap_dump((u_char *)c->file[host], &head, octets);
}
