/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_header.c -- octets <-> segments (RFC 9293 3.1, 3.2; RFC 7323, 2018), and the checksum. */
#include "engine/law.h"
#include "llp/tcp_inner.h"

enum { OPTION_END, OPTION_NOP, OPTION_MSS, OPTION_SHIFT, OPTION_SACK_OK, OPTION_SACK, OPTION_STAMPS = 8 };
enum { FLAGS_AT = 13, CHECKSUM_AT = 16, OFFSET_AT = 12, SACK_BLOCK = 8, SACKS_MAX = 4 };

/* ---- in ---- */

/* One option, its length checked: 2 <= len, and it ends before the header does. One of a wrong length is skipped. */
static void option_get(struct tcp_wire *w, const uint8_t *p, uint32_t len)
{
    if (p[0] == OPTION_MSS && len == 4)
        iw_get16(p + 2, &w->mss);
    if (p[0] == OPTION_SHIFT && len == 3) {
        w->scaled = true;
        w->shift = p[2] > TCP_SHIFT_MAX ? TCP_SHIFT_MAX : p[2]; /* RFC 7323 2.3 */
    }
    if (p[0] == OPTION_SACK_OK && len == 2)
        w->sack_ok = true;
    if (p[0] == OPTION_SACK && len >= 2 + SACK_BLOCK && (len - 2) % SACK_BLOCK == 0) {
        w->sack = p + 2;
        w->sacks = (uint8_t)((len - 2) / SACK_BLOCK);
    }
    if (p[0] == OPTION_STAMPS && len == 10) {
        w->stamped = true;
        iw_get32(iw_get32(p + 2, &w->ts_val), &w->ts_ecr);
    }
}

/* Options that are cut short end the list; what stood before them counts. */
static void options_get(struct tcp_wire *w, const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p != OPTION_END) {
        if (*p == OPTION_NOP) {
            p++;
            continue;
        }
        if (end - p < 2 || p[1] < 2 || p[1] > end - p)
            return;
        option_get(w, p, p[1]);
        p += p[1];
    }
}

static void payload_get(struct tcp_wire *w, const struct ip_packet *in, uint32_t note_max)
{
    uint16_t before;
    uint32_t kept = (uint32_t)in->head - w->head;
    if (!note_max) {
        w->octets = in->octets + w->head;
        return;
    }
    if (kept < 2)
        return;
    iw_get16(in->octets + w->head, &before);
    w->before = before;
    w->note = in->octets + w->head + 2;
    w->note_len = kept - 2;
}

bool tcp_wire_get(const struct ip_packet *in, uint32_t note_max, struct tcp_wire *w)
{
    const uint8_t *p = in->octets;
    uint32_t size = in->size - IP_HEAD;
    if (in->protocol != IP_PROTOCOL_TCP || in->trimmed || in->head < TCP_HEAD ||
        in->size < IP_HEAD + TCP_HEAD)
        return false;
    uint32_t head = (uint32_t)(p[OFFSET_AT] >> 4) * 4;
    if (head < TCP_HEAD || head > in->head || head > size ||
        in->head > (note_max ? head + 2 + note_max : size))
        return false;
    if (!note_max && in->head != size)
        return false;
    iw_get16(iw_get16(p, &w->from), &w->to);
    iw_get32(iw_get32(p + 4, &w->seq), &w->ack);
    w->flags = p[13];
    iw_get16(p + 14, &w->window);
    w->head = (uint8_t)head;
    w->len = size - head;
    w->ecn = in->ecn;
    w->mss = 0;
    w->sacks = w->shift = 0;
    w->scaled = w->sack_ok = w->stamped = false;
    w->octets = w->note = NULL;
    w->before = w->note_len = 0;
    if (head > TCP_HEAD)
        options_get(w, p + TCP_HEAD, p + head);
    if (w->len)
        payload_get(w, in, note_max);
    LAW(w->sacks <= SACKS_MAX && w->note_len <= note_max);
    return true;
}

/* ---- checksum (RFC 9293 3.1) ---- */

static uint32_t sum_of(const uint8_t *p, uint32_t len)
{
    uint64_t sum = 0;
    for (; len >= 4; len -= 4, p += 4)
        sum += (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    if (len >= 2) {
        sum += (uint32_t)p[0] << 8 | p[1];
        p += 2;
    }
    if (len & 1)
        sum += (uint32_t)p[0] << 8;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint32_t)sum;
}

static uint16_t folded(uint32_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

static uint32_t pseudo_sum(const struct tcp *t, uint32_t size)
{
    uint32_t a = t->conf.local_address, b = t->conf.remote_address;
    return (a >> 16) + (a & 0xffff) + (b >> 16) + (b & 0xffff) + IP_PROTOCOL_TCP + size;
}

bool tcp_checksum_is_good(const struct tcp *t, const struct ip_packet *in)
{
    uint32_t size = in->size - IP_HEAD;
    return folded(pseudo_sum(t, size) + sum_of(in->octets, size)) == 0xffff;
}

/* ---- out ---- */

static uint8_t *syn_options_put(const struct tcp *t, uint8_t *p, uint8_t flags)
{
    bool answer = flags & FLAG_ACK;
    p = iw_put16(iw_put16(p, OPTION_MSS << 8 | 4), (uint16_t)(t->conf.mtu - IP_HEAD - TCP_HEAD));
    if (answer ? t->sack : offers_sack(t))
        p = iw_put32(p, (uint32_t)OPTION_NOP << 24 | OPTION_NOP << 16 | OPTION_SACK_OK << 8 | 2);
    if (answer ? t->tx.shift != UINT8_MAX : offers_scale(t))
        p = iw_put32(p, (uint32_t)OPTION_NOP << 24 | OPTION_SHIFT << 16 | 3 << 8 | t->conf.window_shift);
    return p;
}

uint32_t tcp_stamp(const struct tcp *t, iw_time at)
{
    return (uint32_t)(at / TCP_STAMP_TICK) + t->conf.iss;
}

static uint8_t *stamps_put(const struct tcp *t, iw_time now, uint8_t *p, uint8_t flags)
{
    p = iw_put32(p, (uint32_t)OPTION_NOP << 24 | OPTION_NOP << 16 | OPTION_STAMPS << 8 | 10);
    return iw_put32(iw_put32(p, tcp_stamp(t, now)), flags & FLAG_ACK ? t->rx.ts_recent : 0);
}

static uint8_t *sacks_put(struct tcp *t, uint8_t *p)
{
    struct tcp_range block[SACKS_MAX];
    uint32_t n = tcp_sack_blocks(t, block, t->stamps ? SACKS_MAX - 1 : SACKS_MAX);
    if (!n)
        return p;
    p = iw_put32(p, (uint32_t)OPTION_NOP << 24 | OPTION_NOP << 16 | OPTION_SACK << 8 | (2 + n * SACK_BLOCK));
    for (uint32_t i = 0; i < n; i++)
        p = iw_put32(iw_put32(p, ack_of(t, block[i].from)), ack_of(t, block[i].to));
    return p;
}

uint32_t tcp_head_put(struct tcp *t, iw_time now, uint8_t *at, uint32_t seq, uint32_t ack, uint8_t flags,
                      bool sacks)
{
    bool syn = flags & FLAG_SYN;
    uint8_t *end = at + TCP_HEAD;
    if (syn)
        end = syn_options_put(t, end, flags);
    if (syn && !(flags & FLAG_ACK) ? t->conf.timestamps : t->stamps)
        end = stamps_put(t, now, end, flags);
    if (sacks && (t->rx.count || t->rx.recents || t->rx.dsacks))
        end = sacks_put(t, end);
    uint32_t head = (uint32_t)(end - at);
    LAW(head % 4 == 0 && head <= TCP_HEAD_MAX);
    iw_put16(iw_put16(at, t->conf.local_port), t->remote_port);
    iw_put32(iw_put32(at + 4, seq), ack);
    iw_put16(at + OFFSET_AT, (uint16_t)(head / 4 << 12 | flags));
    iw_put16(at + 14, flags & FLAG_RST ? 0 : tcp_window_field(t, syn));
    iw_put32(at + CHECKSUM_AT, 0);
    return head;
}

void tcp_packet_end(struct tcp *t, struct ip_packet *out, uint32_t head, uint32_t len, uint32_t written)
{
    out->size = IP_HEAD + head + len;
    out->head = (uint16_t)(head + written);
    out->protocol = IP_PROTOCOL_TCP;
    out->altered = out->trimmed = false;
    t->stats.packets_tx++;
    if (t->conf.note_max)
        return;
    uint32_t sum = pseudo_sum(t, head + len) + sum_of(out->octets, head + len);
    iw_put16(out->octets + CHECKSUM_AT, (uint16_t)~folded(sum));
    LAW(tcp_checksum_is_good(t, out));
}

/* The checksum follows (RFC 1624). */
void tcp_head_renew(struct tcp *t, const struct ip_packet *packet, uint32_t ack, uint8_t echo)
{
    enum { ACK_AT = 8, WINDOW_AT = 14, RENEWED = 8 /* octets: the acknowledgement, flags, the window */ };
    uint8_t *at = packet->octets;
    uint16_t before = folded(sum_of(at + ACK_AT, RENEWED)), checksum;
    iw_put32(at + ACK_AT, ack);
    iw_put8(at + FLAGS_AT, (uint8_t)((at[FLAGS_AT] & ~FLAG_ECE) | echo));
    iw_put16(at + WINDOW_AT, tcp_window_field(t, false));
    if (t->conf.note_max)
        return;
    iw_get16(at + CHECKSUM_AT, &checksum);
    uint32_t sum = (uint16_t)~checksum;
    sum += (uint16_t)~before;
    sum += folded(sum_of(at + ACK_AT, RENEWED));
    iw_put16(at + CHECKSUM_AT, (uint16_t)~folded(sum));
}

bool tcp_is_fin(const struct ip_packet *packet)
{
    return packet->octets[FLAGS_AT] & FLAG_FIN;
}

/* ---- to nobody ---- */

/* The checksum covers the addresses, and they are not known here: what makes that of the packet right makes it right
 * in the answer, too, for they only change places. */
static void stray_checksum(const struct ip_packet *in, struct ip_packet *out)
{
    uint32_t size = in->size - IP_HEAD;
    if (in->head != size)
        return;
    uint32_t addresses = (uint16_t)~folded(sum_of(in->octets, size) + IP_PROTOCOL_TCP + size);
    uint32_t sum = addresses + IP_PROTOCOL_TCP + TCP_HEAD + sum_of(out->octets, TCP_HEAD);
    iw_put16(out->octets + CHECKSUM_AT, (uint16_t)~folded(sum));
}

bool tcp_answer_stray(const struct ip_packet *in, struct ip_packet *out)
{
    struct tcp_wire w;
    if (!tcp_wire_get(in, (uint32_t)in->head + IP_HEAD == in->size ? 0 : TCP_NOTE_MAX, &w) ||
        w.flags & FLAG_RST)
        return false;
    uint32_t len = w.len + (w.flags & FLAG_SYN ? 1 : 0) + (w.flags & FLAG_FIN ? 1 : 0);
    bool acks = w.flags & FLAG_ACK;
    uint8_t *p = iw_put16(iw_put16(out->octets, w.to), w.from);
    p = iw_put32(iw_put32(p, acks ? w.ack : 0), acks ? 0 : w.seq + len);
    p = iw_put16(p, (uint16_t)(TCP_HEAD / 4 << 12 | FLAG_RST | (acks ? 0 : FLAG_ACK)));
    iw_put16(iw_put32(p, 0), 0);
    out->size = IP_HEAD + TCP_HEAD;
    out->head = TCP_HEAD;
    out->protocol = IP_PROTOCOL_TCP;
    out->ecn = IP_NOT_ECT;
    out->altered = out->trimmed = false;
    stray_checksum(in, out);
    return true;
}
