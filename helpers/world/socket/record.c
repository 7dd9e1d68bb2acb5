/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/socket/record.h"

#include <netinet/in.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    IP4_HEAD = 20,
    IP6_HEAD = 40,
    TCP_HEAD = 20,
    SEGMENT = 65000,
    SNAP = 262144,
    PROTOCOL_TCP = 6,
    WINDOW = 65535
};
enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16 };
enum { UNIT_MAX = MPA_FPDU_MAX + MPA_MARKER, PS_PER_NS = 1000, NS_PER_S = 1000000000 };

struct record {
    pcap_t *kind;
    pcap_dumper_t *file;
    uint64_t octets;
    iw_time zero; /* sockets_now() of the first frame */
    int64_t wall; /* nanoseconds since 1970 then */
    bool begun;
    uint8_t packet[IP6_HEAD + TCP_HEAD + SEGMENT];
};

/* One direction, cut into start-up frames and FPDUs. */
struct cutter {
    struct socket_address from, to;
    uint32_t seq;
    bool framed, markers, raw; /* framed: its start-up frame is done; raw: no MPA: as it comes */
    uint64_t key;
    uint32_t len;
    uint8_t unit[UNIT_MAX];
};

struct record_flow {
    struct record *r;
    struct cutter way[2]; /* [0] what this end sends */
};

/* ---- packets ---- */

static uint8_t *put_record_octets(uint8_t *p, const void *octets, size_t len)
{
    if (len)
        memcpy(p, octets, len);
    return p + len;
}

static uint16_t port_of(const struct socket_address *a)
{
    return ntohs(a->a.ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)&a->a)->sin6_port
                                            : ((const struct sockaddr_in *)&a->a)->sin_port);
}

static void fill_checksum(uint8_t *head)
{
    uint32_t sum = 0;
    for (int i = 0; i < IP4_HEAD; i += 2)
        sum += (uint32_t)(head[i] << 8 | head[i + 1]);
    sum = (sum & 0xffff) + (sum >> 16);
    iw_put16(head + 10, (uint16_t) ~(sum + (sum >> 16)));
}

static uint8_t *put_ip(uint8_t *out, const struct cutter *c, uint32_t payload)
{
    uint16_t size = (uint16_t)(TCP_HEAD + payload);
    if (c->from.a.ss_family == AF_INET6) {
        uint8_t *p = iw_put16(iw_put32(out, 0x60000000), size);
        p = iw_put8(iw_put8(p, PROTOCOL_TCP), 64);
        p = put_record_octets(p, &((const struct sockaddr_in6 *)&c->from.a)->sin6_addr,
                              sizeof(struct in6_addr));
        return put_record_octets(p, &((const struct sockaddr_in6 *)&c->to.a)->sin6_addr,
                                 sizeof(struct in6_addr));
    }
    uint8_t *p = iw_put16(iw_put16(out, 0x4500), (uint16_t)(IP4_HEAD + size));
    p = iw_put32(p, 0x4000);
    p = iw_put16(iw_put8(iw_put8(p, 64), PROTOCOL_TCP), 0);
    p = put_record_octets(p, &((const struct sockaddr_in *)&c->from.a)->sin_addr, sizeof(struct in_addr));
    p = put_record_octets(p, &((const struct sockaddr_in *)&c->to.a)->sin_addr, sizeof(struct in_addr));
    fill_checksum(out);
    return p;
}

uint64_t record_time(const struct record *r, iw_time now)
{
    return r->begun && now > r->zero ? (now - r->zero) / PS_PER_NS * PS_PER_NS : 0;
}

static void stamp(struct record *r, struct pcap_pkthdr *head)
{
    struct timespec wall;
    iw_time now = sockets_now();
    if (!r->begun) {
        clock_gettime(CLOCK_REALTIME, &wall);
        r->begun = true;
        r->zero = now;
        r->wall = (int64_t)wall.tv_sec * NS_PER_S + wall.tv_nsec;
    }
    int64_t ns = r->wall + (int64_t)((now - r->zero) / PS_PER_NS);
    head->ts.tv_sec = ns / NS_PER_S;
    head->ts.tv_usec = ns % NS_PER_S;
}

/* A TCP segment whose checksum is left to nobody: 0, as a capture at an adapter that fills it in has it. */
static void put_segment(struct record_flow *f, int way, uint8_t flags, const uint8_t *octets, uint32_t len)
{
    struct record *r = f->r;
    struct cutter *c = &f->way[way];
    uint8_t *p = put_ip(r->packet, c, len);
    p = iw_put16(iw_put16(p, port_of(&c->from)), port_of(&c->to));
    p = iw_put32(iw_put32(p, c->seq), flags == SYN ? 0 : f->way[!way].seq);
    p = iw_put16(iw_put8(iw_put8(p, TCP_HEAD / 4 << 4), flags), WINDOW);
    p = iw_put32(p, 0);
    p = put_record_octets(p, octets, len);
    struct pcap_pkthdr head = {.caplen = (bpf_u_int32)(p - r->packet), .len = (bpf_u_int32)(p - r->packet)};
    stamp(r, &head);
    pcap_dump((u_char *)r->file, &head, r->packet);
    c->seq += len + (flags & (SYN | FIN) ? 1 : 0);
}

static void put_octets_of(struct record_flow *f, int way, const uint8_t *octets, size_t len)
{
    struct record *r = f->r;
    for (size_t at = 0, n; at < len && r->octets < RECORD_OCTETS_MAX; at += n) {
        n = len - at < SEGMENT ? len - at : SEGMENT;
        put_segment(f, way, PSH | ACK, octets + at, (uint32_t)n);
        r->octets += n;
    }
}

/* ---- cutting ---- */

/* Octets that the unit at hand has in all, as far as is known: at least one more than there are. */
static uint32_t wanted(struct record_flow *f, struct cutter *c)
{
    struct mpa_frame frame;
    uint32_t size;
    if (c->framed) {
        uint32_t at = c->markers && c->key % MPA_MARKER_EVERY == 0 ? MPA_MARKER : 0;
        uint16_t len;
        if (c->len < at + sizeof len)
            return at + (uint32_t)sizeof len;
        iw_get16(c->unit + at, &len);
        return mpa_fpdu_size(c->key, len, c->markers);
    }
    enum mpa_frame_is is = mpa_frame_get(c->unit, c->len, &frame, &size);
    c->raw = is != MPA_FRAME_MORE && is != MPA_FRAME_WHOLE;
    if (is == MPA_FRAME_WHOLE)
        f->way[c == &f->way[0]].markers = frame.markers; /* its sender wants them of the other */
    return c->len < MPA_FRAME_HEAD ? (uint32_t)MPA_FRAME_HEAD : size;
}

static void unit_over(struct record_flow *f, int way)
{
    struct cutter *c = &f->way[way];
    put_octets_of(f, way, c->unit, c->len);
    c->key += c->framed ? c->len : 0;
    c->framed = true;
    c->len = 0;
}

static void cut_units(struct record_flow *f, int way, const uint8_t *octets, size_t len)
{
    struct cutter *c = &f->way[way];
    while (len && !c->raw) {
        uint32_t want = wanted(f, c);
        uint32_t n = c->raw ? 0 : want - c->len < len ? want - c->len : (uint32_t)len;
        memcpy(c->unit + c->len, octets, n);
        c->len += n;
        octets += n;
        len -= n;
        if (!c->raw && c->len == wanted(f, c))
            unit_over(f, way);
    }
    if (!c->raw)
        return;
    put_octets_of(f, way, c->unit, c->len);
    c->len = 0;
    put_octets_of(f, way, octets, len);
}

/* ---- captures and connections ---- */

struct record *record_new(FILE *out)
{
    struct record *r = calloc(1, sizeof *r);
    if (r)
        r->kind = pcap_open_dead_with_tstamp_precision(DLT_RAW, SNAP, PCAP_TSTAMP_PRECISION_NANO);
    if (r && r->kind)
        r->file = pcap_dump_fopen(r->kind, out);
    if (r && r->file)
        return r;
    fclose(out);
    if (r && r->kind)
        pcap_close(r->kind);
    free(r);
    return NULL;
}

bool record_close(struct record *r)
{
    bool good = pcap_dump_flush(r->file) == 0;
    pcap_dump_close(r->file);
    pcap_close(r->kind);
    free(r);
    return good;
}

struct record_flow *record_begin(struct record *r, const struct socket_address *local,
                                 const struct socket_address *peer, bool initiator)
{
    struct record_flow *f = calloc(1, sizeof *f);
    int first = initiator ? 0 : 1;
    if (!f)
        return NULL;
    f->r = r;
    f->way[0].from = f->way[1].to = *local;
    f->way[1].from = f->way[0].to = *peer;
    put_segment(f, first, SYN, NULL, 0);
    put_segment(f, !first, SYN | ACK, NULL, 0);
    put_segment(f, first, ACK, NULL, 0);
    return f;
}

void record_octets(struct record_flow *f, bool sent, const struct iw_frag *piece, uint32_t pieces,
                   size_t octets)
{
    for (uint32_t i = 0; i < pieces && octets; i++) {
        size_t n = piece[i].len < octets ? piece[i].len : octets;
        cut_units(f, !sent, piece[i].octets, n);
        octets -= n;
    }
}

void record_end(struct record_flow *f, bool reset)
{
    if (!f)
        return;
    for (int way = 0; way < 2; way++)
        put_octets_of(f, way, f->way[way].unit, f->way[way].len);
    if (reset) {
        put_segment(f, 0, RST | ACK, NULL, 0);
    } else {
        put_segment(f, 0, FIN | ACK, NULL, 0);
        put_segment(f, 1, FIN | ACK, NULL, 0);
    }
    free(f);
}
