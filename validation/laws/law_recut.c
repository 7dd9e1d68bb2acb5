/* SPDX-License-Identifier: GPL-2.0-or-later */
/* law_recut.c -- the octets of MPA are cut anew: at every position, octet by octet, forwards, backwards,
 * twice. The ULPDUs that come out are those that went in. */
#include <string.h>

#include "law.h"
#include "llp/mpa.h"

enum { ULPDUS = 6, ULPDU_MAX = 700, OCTETS_MAX = 8192, RANGES = OCTETS_MAX };

/* What went in. */
struct sent {
    unsigned flags;
    uint32_t count, octets;
    uint64_t key[ULPDUS + 1];
    uint32_t len[ULPDUS];
    uint8_t ulpdu[ULPDUS][ULPDU_MAX];
    uint8_t stream[OCTETS_MAX];
};

static void send(struct sent *s, struct draw *d)
{
    struct mpa_tx tx;
    struct iw_seg seg;
    s->flags =
        (draw_chance(d, 50) ? (unsigned)MPA_MARKERS : 0u) | (draw_chance(d, 70) ? (unsigned)MPA_CRC : 0u);
    s->octets = 0;
    s->count = draw_from(d, 1, ULPDUS);
    mpa_tx_init(&tx, s->flags, 1460);
    for (uint32_t i = 0; i < s->count; i++) {
        s->len[i] = draw_from(d, IW_HEAD_UNTAGGED, draw_chance(d, 60) ? 80 : ULPDU_MAX);
        for (uint32_t n = 0; n < s->len[i]; n++)
            s->ulpdu[i][n] = (uint8_t)draw_bits(d);
        s->ulpdu[i][0] &= 0x7f; /* untagged */
        iw_seg_view(&seg, mpa_key(&tx), s->ulpdu[i], s->len[i]);
        s->key[i] = mpa_key(&tx);
        s->octets += mpa_put(&tx, &seg, s->stream + s->octets);
    }
    s->key[s->count] = mpa_key(&tx);
}

/* What comes out. */
struct hearing {
    const struct sent *s;
    struct mpa_rx *rx;
    bool heard[ULPDUS];
    uint32_t in_order;
};

static struct hearing listen(const struct sent *s, unsigned more)
{
    const struct mpa_rx_conf conf = {
        .flags = s->flags | more, .store = MPA_FPDU_MAX + OCTETS_MAX, .ranges = RANGES};
    struct hearing h = {.s = s, .rx = mpa_rx_init(law_memory(mpa_rx_size(&conf)), &conf)};
    law(h.rx, "%s", mpa_rx_conf_error(&conf));
    return h;
}

static uint32_t index_of(const struct hearing *h, uint64_t key)
{
    uint32_t i = 0;
    while (i < h->s->count && h->s->key[i] != key)
        i++;
    law(i < h->s->count, "an FPDU at %llu, where none was sent", (unsigned long long)key);
    return i;
}

/* checks: DDP-3-4 DDP-3-5b DDP-3-7 DDP-3-11 */
static void take(struct hearing *h)
{
    struct mpa_fpdu f;
    int more;
    while ((more = mpa_take(h->rx, &f)) == 1) {
        uint32_t i = index_of(h, f.key);
        law(!h->heard[i], "FPDU %u comes twice", i);
        law(f.len == h->s->len[i] && !memcmp(f.ulpdu, h->s->ulpdu[i], f.len), "FPDU %u came out changed", i);
        law(f.end == h->s->key[i + 1], "FPDU %u ends at %llu", i, (unsigned long long)f.end);
        law(f.in_order == (i == h->in_order), "FPDU %u says it is%s in order", i, f.in_order ? "" : " not");
        h->heard[i] = true;
        while (h->in_order < h->s->count && h->heard[h->in_order])
            h->in_order++;
    }
    law(more == 0, "an error from nowhere: %05x", (unsigned)more);
}

static void arrive(struct hearing *h, uint32_t from, uint32_t to)
{
    const struct mpa_arrival in = {.offset = from, .len = to - from, .octets = h->s->stream + from};
    uint32_t taken = mpa_arrive(h->rx, &in);
    law(taken == in.len, "%u of %u octets were taken", taken, in.len);
    take(h);
}

static void all_came(struct hearing *h)
{
    law(h->in_order == h->s->count, "%u of %u ULPDUs came", h->in_order, h->s->count);
    law(mpa_edge(h->rx) == h->s->octets, "the edge is %llu of %u", (unsigned long long)mpa_edge(h->rx),
        h->s->octets);
}

/* ---- the laws ---- */

/* checks: DDP-3-4 */
static void cut_at_every_position(uint64_t seed)
{
    static struct sent s;
    struct draw d = draw_start(seed, 30);
    unsigned more = draw_chance(&d, 30) ? MPA_IN_ORDER : 0;
    send(&s, &d);
    for (uint32_t at = 1; at < s.octets; at++) {
        struct hearing h = listen(&s, more);
        bool backwards = draw_chance(&d, 50);
        if (backwards)
            arrive(&h, at, s.octets);
        arrive(&h, 0, at);
        if (!backwards)
            arrive(&h, at, s.octets);
        all_came(&h);
        law_trace("cut at %u%s", at, backwards ? ", backwards" : "");
    }
}

static void octet_by_octet(uint64_t seed)
{
    static struct sent s;
    struct draw d = draw_start(seed, 31);
    send(&s, &d);
    struct hearing h = listen(&s, 0);
    bool backwards = draw_chance(&d, 50);
    for (uint32_t i = 0; i < s.octets; i++) {
        uint32_t at = backwards ? s.octets - 1 - i : i;
        arrive(&h, at, at + 1);
    }
    all_came(&h);
}

/* Pieces of any length from anywhere, overlapping, again and again; then what is still missing. */
static void any_pieces(uint64_t seed)
{
    static struct sent s;
    struct draw d = draw_start(seed, 32);
    send(&s, &d);
    struct hearing h = listen(&s, 0);
    uint32_t longest = draw_from(&d, 1, s.octets);
    for (uint32_t n = draw_below(&d, 60); n; n--) {
        uint32_t from = draw_below(&d, s.octets), len = draw_from(&d, 1, longest);
        law_trace("octets %u + %u", from, len);
        arrive(&h, from, from + len > s.octets ? s.octets : from + len);
    }
    for (uint32_t at = 0, len; at < s.octets; at += len) {
        len = draw_from(&d, 1, longest);
        if (len > s.octets - at)
            len = s.octets - at;
        arrive(&h, at, at + len);
    }
    all_came(&h);
}

int main(int argc, char **argv)
{
    static const struct law laws[] = {
        {"cut_at_every_position", cut_at_every_position, 100, 100},
        {"octet_by_octet", octet_by_octet, 1000, 1},
        {"any_pieces", any_pieces, 10000, 1},
    };
    return law_main(argc, argv, laws, sizeof laws / sizeof laws[0]);
}
