/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/capture/capture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

struct capture {
    pcap_t *pcap;
    const struct link *link;
    struct capture_counts counts;
    int64_t first_ns;
    char name[256];
};

/* What is left of a frame while its headers are taken off. `wire` is at least `len`: the file may hold less than the
 * wire did. */
struct view {
    const uint8_t *p;
    uint32_t len, wire;
};

static uint16_t be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t be32(const uint8_t *p)
{
    return (uint32_t)be16(p) << 16 | be16(p + 2);
}

/* Take `n` octets off the front; false when the file does not hold them. */
static bool skip(struct view *v, uint32_t n)
{
    if (v->len < n)
        return false;
    v->p += n;
    v->len -= n;
    v->wire -= n;
    return true;
}

/* Nothing after the first `n` octets belongs to the packet (Ethernet pads). */
static void clip(struct view *v, uint32_t n)
{
    if (v->wire > n)
        v->wire = n;
    if (v->len > n)
        v->len = n;
}

/* ---- link layers ---- */

enum { ETHERTYPE_IPV4 = 0x0800, ETHERTYPE_IPV6 = 0x86dd, ETHERTYPE_NONE = 0 };
enum { PPP_IPV4 = 0x0021, PPP_IPV6 = 0x0057 };
enum { NEXT_TCP = 6, NEXT_FRAGMENT = 44 };

/* VLAN tags, any number: 2 octets of tag, 2 of the next type. */
static uint16_t untag(struct view *v, uint16_t ethertype)
{
    while (ethertype == 0x8100 || ethertype == 0x88a8 || ethertype == 0x9100) {
        const uint8_t *tag = v->p;
        if (!skip(v, 4))
            return ETHERTYPE_NONE;
        ethertype = be16(tag + 2);
    }
    return ethertype;
}

/* RFC 1661: protocol, one or two octets; RFC 1662 framing puts FF 03 before it. */
static uint16_t ppp(struct view *v)
{
    if (v->len >= 2 && v->p[0] == 0xff && v->p[1] == 0x03)
        skip(v, 2);
    if (v->len < 2)
        return ETHERTYPE_NONE;
    bool compressed = v->p[0] & 1;
    uint16_t protocol = compressed ? v->p[0] : be16(v->p);
    skip(v, compressed ? 1 : 2);
    return protocol == PPP_IPV4 ? ETHERTYPE_IPV4 : protocol == PPP_IPV6 ? ETHERTYPE_IPV6 : ETHERTYPE_NONE;
}

/* BY_VERSION: no type stands there, the IP version tells. BSD loopback has four octets of address family, in the byte order
 * of the host that captured, numbered by its system. */
enum { BY_VERSION = -1, BY_PPP = -2 };

static const struct link {
    int type;
    uint8_t size;   /* of its header, and ... */
    int8_t type_at; /* ... where the ethertype stands in it */
} links[] = {
    {DLT_EN10MB, 14, 12},        {DLT_LINUX_SLL, 16, 14},   {DLT_LINUX_SLL2, 20, 0},
    {DLT_RAW, 0, BY_VERSION},    {DLT_IPV4, 0, BY_VERSION}, {DLT_IPV6, 0, BY_VERSION},
    {DLT_NULL, 4, BY_VERSION},   {DLT_LOOP, 4, BY_VERSION}, {DLT_PPP, 0, BY_PPP},
    {DLT_PPP_SERIAL, 0, BY_PPP},
};

/* Takes the header off: an ethertype, ETHERTYPE_NONE when there is no IP behind it. */
static uint16_t link_header(const struct link *link, struct view *v)
{
    static const uint16_t of_version[16] = {[4] = ETHERTYPE_IPV4, [6] = ETHERTYPE_IPV6};
    const uint8_t *header = v->p;
    if (link->type_at == BY_PPP)
        return ppp(v);
    if (!skip(v, link->size))
        return ETHERTYPE_NONE;
    if (link->type_at == BY_VERSION)
        return v->len ? of_version[v->p[0] >> 4] : ETHERTYPE_NONE;
    return untag(v, be16(header + link->type_at));
}

static const struct link *link_of(int type)
{
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (links[i].type == type)
            return &links[i];
    return NULL;
}

/* ---- the network layer ---- */

enum found { FOUND_TCP, FOUND_OTHER, FOUND_FRAGMENT, FOUND_MALFORMED };

/* Both take their headers off, and note who sent the packet to whom. */
static void note_ends(struct capture_segment *s, const uint8_t *addresses, uint8_t len)
{
    memcpy(s->source.address, addresses, len);
    memcpy(s->target.address, addresses + len, len);
    s->source.address_len = s->target.address_len = len;
}

static enum found ipv4(struct view *v, struct capture_segment *s)
{
    if (v->len < 20 || v->p[0] >> 4 != 4)
        return FOUND_MALFORMED;
    uint32_t header = (uint32_t)(v->p[0] & 15) * 4, total = be16(v->p + 2);
    if (total == 0) /* larger than the field, or captured before the adapter cut it */
        total = v->wire;
    if (header < 20 || total < header || total > v->wire || v->len < header)
        return FOUND_MALFORMED;
    if (be16(v->p + 6) & 0x3fff) /* more fragments, or not the first one */
        return FOUND_FRAGMENT;
    if (v->p[9] != NEXT_TCP)
        return FOUND_OTHER;
    s->ident = be16(v->p + 4);
    note_ends(s, v->p + 12, 4);
    clip(v, total);
    skip(v, header);
    return FOUND_TCP;
}

/* IPv6 extension headers that can be passed over: their length octet counts units beyond the first 8 octets. */
static const struct extension {
    uint8_t next, unit;
} extensions[] = {{0, 8}, {43, 8}, {NEXT_FRAGMENT, 0}, {51, 4}, {60, 8}};

/* Octets of the extension header at `v`; 0 when it is none of these. */
static uint32_t extension_size(uint8_t next, const struct view *v)
{
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (extensions[i].next == next && v->len >= 8)
            return 8 + (uint32_t)v->p[1] * extensions[i].unit;
    return 0;
}

static enum found ipv6(struct view *v, struct capture_segment *s)
{
    if (v->len < 40 || v->p[0] >> 4 != 6)
        return FOUND_MALFORMED;
    uint32_t payload = be16(v->p + 4);
    uint8_t next = v->p[6];
    note_ends(s, v->p + 8, 16);
    skip(v, 40);
    if (payload > v->wire)
        return FOUND_MALFORMED;
    if (payload) /* 0: a jumbogram, or captured before the adapter cut it */
        clip(v, payload);
    while (next != NEXT_TCP) {
        uint32_t size = extension_size(next, v);
        if (size == 0)
            return FOUND_OTHER;
        if (next == NEXT_FRAGMENT && be16(v->p + 2) & 0xfff9)
            return FOUND_FRAGMENT;
        next = v->p[0];
        if (!skip(v, size))
            return FOUND_MALFORMED;
    }
    return FOUND_TCP;
}

/* ---- TCP ---- */

static uint64_t sum16(uint64_t sum, const uint8_t *p, uint32_t len)
{
    for (; len > 1; len -= 2, p += 2)
        sum += be16(p);
    return len ? sum + ((uint32_t)p[0] << 8) : sum;
}

static uint16_t fold(uint64_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

static enum capture_checksum checksum_of(const struct view *v, const struct capture_segment *s)
{
    if (v->len < v->wire)
        return CAPTURE_CHECKSUM_UNKNOWN;
    uint64_t pseudo = sum16(sum16(0, s->source.address, 16), s->target.address, 16);
    pseudo += NEXT_TCP + (v->len >> 16) + (v->len & 0xffff);
    if (fold(sum16(pseudo, v->p, v->len)) == 0xffff)
        return CAPTURE_CHECKSUM_GOOD;
    uint16_t field = be16(v->p + 16);
    return field == 0 || field == fold(pseudo) ? CAPTURE_CHECKSUM_UNFILLED : CAPTURE_CHECKSUM_WRONG;
}

/* The option of this kind and size among a TCP header's options; NULL: there is none. */
static const uint8_t *tcp_option(const uint8_t *p, uint32_t len, uint8_t kind, uint8_t whole)
{
    enum { END = 0, PADDING = 1 };
    while (len > 1 && *p != END) {
        uint32_t size = *p == PADDING ? 1 : p[1];
        if (*p == kind && size == whole && len >= whole)
            return p;
        if (size == 0 || size > len || (size == 1 && *p != PADDING))
            break;
        p += size;
        len -= size;
    }
    return NULL;
}

static void tcp_options(const uint8_t *p, uint32_t len, struct capture_segment *s)
{
    enum { SCALE = 3, SCALE_SIZE = 3, SHIFT_MAX = 14, STAMPS = 8, STAMPS_SIZE = 10 };
    const uint8_t *scale = s->flags & TCP_SYN ? tcp_option(p, len, SCALE, SCALE_SIZE) : NULL;
    const uint8_t *stamps = tcp_option(p, len, STAMPS, STAMPS_SIZE);
    s->shift = (int8_t)(!scale ? -1 : scale[2] < SHIFT_MAX ? scale[2] : SHIFT_MAX);
    s->stamped = stamps != NULL;
    s->stamp = stamps ? be32(stamps + 2) : 0;
}

static enum found tcp(struct view *v, struct capture_segment *s)
{
    if (v->len < 20)
        return FOUND_MALFORMED;
    uint32_t header = (uint32_t)(v->p[12] >> 4) * 4;
    if (header < 20 || v->len < header)
        return FOUND_MALFORMED;
    s->checksum = checksum_of(v, s);
    s->source.port = be16(v->p);
    s->target.port = be16(v->p + 2);
    s->seq = be32(v->p + 4);
    s->ack = be32(v->p + 8);
    s->flags = v->p[13] & (TCP_FIN | TCP_SYN | TCP_RST | TCP_ACK);
    s->window = be16(v->p + 14);
    tcp_options(v->p + 20, header - 20, s);
    skip(v, header);
    s->octets = v->p;
    s->len = v->len;
    s->missing = v->wire - v->len;
    return FOUND_TCP;
}

static enum found dissect(const struct link *link, struct view v, struct capture_segment *s)
{
    uint16_t ethertype = link_header(link, &v);
    enum found found = ethertype == ETHERTYPE_IPV4   ? ipv4(&v, s)
                       : ethertype == ETHERTYPE_IPV6 ? ipv6(&v, s)
                                                     : FOUND_OTHER;
    return found == FOUND_TCP ? tcp(&v, s) : found;
}

/* ---- the file ---- */

static struct capture *refuse_capture(char *error, const char *name, const char *why)
{
    snprintf(error, CAPTURE_ERROR_MAX, "%s: %s", name, why);
    return NULL;
}

struct capture *capture_stream(FILE *stream, const char *name, char *error)
{
    char why[PCAP_ERRBUF_SIZE];
    pcap_t *pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, why);
    if (!pcap) {
        fclose(stream);
        return refuse_capture(error, name, why);
    }
    const struct link *link = link_of(pcap_datalink(pcap));
    struct capture *c = link ? calloc(1, sizeof *c) : NULL;
    if (!c) {
        const char *type = pcap_datalink_val_to_description_or_dlt(pcap_datalink(pcap));
        snprintf(why, sizeof why, link ? "out of memory" : "link layer %s is not supported", type);
        pcap_close(pcap);
        return refuse_capture(error, name, why);
    }
    c->pcap = pcap;
    c->link = link;
    snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

struct capture *capture_open(const char *path, char *error)
{
    if (strcmp(path, "-") == 0)
        return capture_stream(stdin, "standard input", error);
    FILE *stream = fopen(path, "rb");
    return stream ? capture_stream(stream, path, error) : refuse_capture(error, path, strerror(errno));
}

void capture_close(struct capture *c)
{
    if (!c)
        return;
    pcap_close(c->pcap);
    free(c);
}

static void count_frame(struct capture_counts *n, enum found found)
{
    uint64_t *counters[] = {&n->segments, &n->other, &n->fragments, &n->malformed};
    ++*counters[found];
}

static int64_t nanoseconds(const struct pcap_pkthdr *h)
{
    return (int64_t)((uint64_t)h->ts.tv_sec * 1000000000u + (uint64_t)h->ts.tv_usec);
}

int capture_take(struct capture *c, struct capture_segment *segment, char *error)
{
    struct pcap_pkthdr *h;
    const uint8_t *octets;
    int got;
    while ((got = pcap_next_ex(c->pcap, &h, &octets)) == 1) {
        if (c->counts.frames++ == 0)
            c->first_ns = nanoseconds(h);
        *segment =
            (struct capture_segment){.frame = c->counts.frames,
                                     .time_ns = (int64_t)((uint64_t)nanoseconds(h) - (uint64_t)c->first_ns)};
        struct view v = {octets, h->caplen, h->len > h->caplen ? h->len : h->caplen};
        enum found found = dissect(c->link, v, segment);
        count_frame(&c->counts, found);
        if (found == FOUND_TCP)
            return 1;
    }
    if (got == PCAP_ERROR_BREAK)
        return 0;
    snprintf(error, CAPTURE_ERROR_MAX, "%s: cannot be read after frame %llu: %s", c->name,
             (unsigned long long)c->counts.frames, pcap_geterr(c->pcap));
    return -1;
}

const struct capture_counts *capture_counted(const struct capture *c)
{
    return &c->counts;
}

void capture_end_text(const struct capture_end *end, char out[CAPTURE_END_TEXT])
{
    char address[INET6_ADDRSTRLEN];
    bool v6 = end->address_len == 16;
    inet_ntop(v6 ? AF_INET6 : AF_INET, end->address, address, sizeof address);
    snprintf(out, CAPTURE_END_TEXT, v6 ? "[%s]:%u" : "%s:%u", address, end->port);
}
