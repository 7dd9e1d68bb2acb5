/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_pcap.c -- pcap and pcapng files (draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng), for wasm32 (stand_in/pcap). */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pcap/pcap.h>

enum { OCTETS_MAX = 1 << 18, INTERFACES_MAX = 32 };
enum { SECTION = 0x0a0d0d0a, INTERFACE = 1, SIMPLE = 3, PACKET = 6 };

struct interface {
    uint32_t link, snaplen;
    uint64_t per_second; /* units of its time stamps */
};

struct pcap {
    FILE *file;
    bool swapped, ng;
    struct interface interface[INTERFACES_MAX];
    uint32_t interfaces;
    struct pcap_pkthdr head;
    uint8_t octets[OCTETS_MAX];
    char why[PCAP_ERRBUF_SIZE];
};

static uint32_t get32(const pcap_t *c, const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return c->swapped ? __builtin_bswap32(v) : v;
}

static uint16_t get16(const pcap_t *c, const void *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return c->swapped ? __builtin_bswap16(v) : v;
}

static int fail_capture(pcap_t *c, const char *why)
{
    snprintf(c->why, sizeof c->why, "%s", why);
    return PCAP_ERROR;
}

static const char cut[] = "truncated dump file";

/* ---- pcap ---- */

static bool open_classic(pcap_t *c, const uint8_t *magic)
{
    enum { REST = 20, LINK_AT = 16, SNAP_AT = 12 };
    static const uint32_t micro = 0xa1b2c3d4, nano = 0xa1b23c4d;
    uint8_t rest[REST];
    uint32_t m = get32(c, magic);
    c->swapped = m == __builtin_bswap32(micro) || m == __builtin_bswap32(nano);
    m = get32(c, magic);
    if ((m != micro && m != nano) || fread(rest, 1, REST, c->file) != REST)
        return false;
    c->interface[0] = (struct interface){get32(c, rest + LINK_AT) & 0xffff, get32(c, rest + SNAP_AT),
                                         m == nano ? 1000000000 : 1000000};
    c->interfaces = 1;
    return true;
}

static int read_octets(pcap_t *c, uint32_t len, uint32_t padded)
{
    if (len > OCTETS_MAX)
        return fail_capture(c, "a packet is longer than any link can carry");
    if (fread(c->octets, 1, len, c->file) != len)
        return fail_capture(c, cut);
    for (; len < padded; len++)
        if (getc(c->file) == EOF)
            return fail_capture(c, cut);
    return 1;
}

static int next_classic(pcap_t *c)
{
    enum { HEAD = 16 };
    uint8_t h[HEAD];
    size_t got = fread(h, 1, HEAD, c->file);
    if (got == 0)
        return PCAP_ERROR_BREAK;
    if (got != HEAD)
        return fail_capture(c, cut);
    uint32_t part = get32(c, h + 4), ns = c->interface[0].per_second == 1000000 ? part * 1000 : part;
    c->head = (struct pcap_pkthdr){{(time_t)get32(c, h), (suseconds_t)ns}, get32(c, h + 8), get32(c, h + 12)};
    return read_octets(c, c->head.caplen, c->head.caplen);
}

/* ---- pcapng ---- */

/* The resolution among the options of an interface: powers of ten, or, with the high bit, of two. */
static uint64_t resolution(const pcap_t *c, const uint8_t *p, uint32_t len)
{
    enum { RESOLUTION = 9 };
    while (len >= 4) {
        uint16_t code = get16(c, p), size = get16(c, p + 2);
        uint32_t whole = 4 + ((size + 3u) & ~3u);
        uint64_t units = 1;
        if (code == 0 || whole > len)
            break;
        if (code == RESOLUTION && size >= 1 && p[4] & 0x80)
            return (uint64_t)1 << (p[4] & 0x3f);
        for (int i = 0; code == RESOLUTION && size >= 1 && i < p[4] && i < 18; i++)
            units *= 10;
        if (code == RESOLUTION)
            return units;
        p += whole;
        len -= whole;
    }
    return 1000000;
}

static bool section(pcap_t *c, const uint8_t *body, uint32_t len)
{
    enum { SAME = 0x1a2b3c4d };
    uint32_t magic;
    if (len < 4)
        return false;
    memcpy(&magic, body, sizeof magic);
    c->swapped = magic == __builtin_bswap32(SAME);
    c->interfaces = 0;
    return c->swapped || magic == SAME;
}

static void interface(pcap_t *c, uint32_t len)
{
    enum { FIXED = 8 };
    if (len < FIXED || c->interfaces == INTERFACES_MAX)
        return;
    c->interface[c->interfaces++] = (struct interface){get16(c, c->octets), get32(c, c->octets + 4),
                                                       resolution(c, c->octets + FIXED, len - FIXED)};
}

static void stamp(pcap_t *c, uint64_t t, uint64_t per_second)
{
    uint64_t part = t % per_second;
    c->head.ts.tv_sec = (time_t)(t / per_second);
    while (per_second > UINT64_C(10000000000)) {
        part >>= 1;
        per_second >>= 1;
    }
    c->head.ts.tv_usec = (suseconds_t)(part * 1000000000 / per_second);
}

static int packet(pcap_t *c, uint32_t kind, uint32_t len)
{
    uint32_t fixed = kind == PACKET ? 20 : 4;
    if (len < fixed)
        return fail_capture(c, "a packet block is too short");
    uint32_t which = kind == PACKET ? get32(c, c->octets) : 0;
    if (which >= c->interfaces)
        return fail_capture(c, "a packet names an undescribed interface");
    const struct interface *i = &c->interface[which];
    c->head.len = get32(c, c->octets + fixed - 4);
    c->head.caplen = kind == PACKET                            ? get32(c, c->octets + 12)
                     : c->head.len < i->snaplen || !i->snaplen ? c->head.len
                                                               : i->snaplen;
    if (c->head.caplen > len - fixed)
        return fail_capture(c, "a packet is longer than its block");
    stamp(c, kind == PACKET ? (uint64_t)get32(c, c->octets + 4) << 32 | get32(c, c->octets + 8) : 0,
          i->per_second);
    memmove(c->octets, c->octets + fixed, c->head.caplen);
    return 1;
}

/* A block behind its type: its length twice, its body between. */
static int block(pcap_t *c, const uint8_t *type, uint32_t *kind, uint32_t *len)
{
    enum { AROUND = 12 };
    uint8_t size[4], start[4] = {0};
    if (fread(size, 1, 4, c->file) != 4)
        return fail_capture(c, cut);
    *kind = get32(c, type);
    bool begins = *kind == SECTION;
    if (begins && (fread(start, 1, 4, c->file) != 4 || !section(c, start, 4)))
        return fail_capture(c, "a section has no valid byte order");
    uint32_t whole = get32(c, size), ahead = begins ? 4 : 0;
    if (whole < AROUND + ahead || whole % 4)
        return fail_capture(c, "a block has an impossible length");
    *len = whole - AROUND - ahead;
    int got = read_octets(c, *len, *len);
    return got == 1 && fread(size, 1, 4, c->file) != 4 ? fail_capture(c, cut) : got;
}

static int next_ng(pcap_t *c)
{
    uint8_t type[4];
    uint32_t kind, len;
    for (;;) {
        size_t got = fread(type, 1, 4, c->file);
        if (got == 0)
            return PCAP_ERROR_BREAK;
        if (got != 4)
            return fail_capture(c, cut);
        int whole = block(c, type, &kind, &len);
        if (whole != 1)
            return whole;
        if (kind == INTERFACE)
            interface(c, len);
        if (kind == PACKET || kind == SIMPLE)
            return packet(c, kind, len);
    }
}

/* The link is known from the first interface, which must come before any packet. */
static bool open_ng(pcap_t *c, const uint8_t *magic)
{
    uint32_t kind, len;
    c->ng = true;
    if (block(c, magic, &kind, &len) != 1 || kind != SECTION)
        return false;
    while (c->interfaces == 0) {
        uint8_t type[4];
        if (fread(type, 1, 4, c->file) != 4 || block(c, type, &kind, &len) != 1)
            return false;
        if (kind == INTERFACE)
            interface(c, len);
    }
    return true;
}

/* ---- the seven calls ---- */

pcap_t *pcap_fopen_offline_with_tstamp_precision(FILE *f, unsigned precision, char *why)
{
    static const uint8_t ng[] = {0x0a, 0x0d, 0x0d, 0x0a};
    uint8_t magic[4];
    pcap_t *c = calloc(1, sizeof *c);
    (void)precision;
    if (c)
        c->file = f;
    bool some = c && fread(magic, 1, 4, f) == 4;
    if (some && (memcmp(magic, ng, 4) == 0 ? open_ng(c, magic) : open_classic(c, magic)))
        return c;
    snprintf(why, PCAP_ERRBUF_SIZE,
             !c     ? "out of memory"
             : some ? "unknown file format"
                    : "truncated dump file");
    free(c);
    return NULL;
}

int pcap_datalink(pcap_t *c)
{
    return (int)c->interface[0].link;
}

const char *pcap_datalink_val_to_description_or_dlt(int link)
{
    static char text[24];
    snprintf(text, sizeof text, "DLT %d", link);
    return text;
}

int pcap_next_ex(pcap_t *c, struct pcap_pkthdr **head, const u_char **octets)
{
    int got = c->ng ? next_ng(c) : next_classic(c);
    *head = &c->head;
    *octets = c->octets;
    return got;
}

const char *pcap_geterr(pcap_t *c)
{
    return c->why;
}

void pcap_close(pcap_t *c)
{
    if (c)
        fclose(c->file);
    free(c);
}
