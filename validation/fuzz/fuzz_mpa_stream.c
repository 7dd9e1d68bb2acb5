/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_mpa_stream.c -- the receiver against a peer and a network that do as they like.
 *
 * Input: 5 octets of configuration, then commands: a piece of a stream of good FPDUs (altered or not), or any
 * octets, at any offset; what the host keeps; when it asks again. Beside the receiver a shadow remembers the
 * octets that were accepted first. Laws: those of mpa.h.
 */
#include <stdlib.h>
#include <string.h>

#include <sanitizer/asan_interface.h>

#include "llp/crc32c.h"
#include "llp/mpa.h"
#include "validation/support/ulpdu.h"

enum { SPACE = 1 << 16, ULPDU = 1500, FPDUS = 40, CONF = 5 };

static void must(bool law)
{
    if (!law)
        abort();
}

struct cursor {
    const uint8_t *at, *end;
};

static unsigned next8(struct cursor *c)
{
    return c->at < c->end ? *c->at++ : 0;
}

static unsigned next16(struct cursor *c)
{
    unsigned high = next8(c);
    return high << 8 | next8(c);
}

/* ---- what good FPDUs there are ---- */

static uint8_t good[SPACE + 4096];
static uint64_t keys[FPDUS + 1];
static struct mpa_mark marks[FPDUS];

static void make_good(unsigned flags, unsigned seed)
{
    static uint8_t ulpdu[ULPDU];
    struct mpa_tx tx, twin;
    uint32_t random = seed;
    mpa_tx_init(&tx, flags, 1460);
    twin = tx;
    for (int i = 0; i < FPDUS; i++) {
        struct iw_seg seg;
        random = random * 1103515245 + 12345;
        memset(ulpdu, seed & 1 ? 0 : (int)(random >> 24), sizeof ulpdu);
        keys[i] = mpa_key(&tx);
        iw_seg_view(&seg, keys[i], ulpdu, 1 + (random >> 8) % (seed & 2 ? ULPDU : 60));
        mpa_put(&tx, &seg, good + keys[i]);
        mpa_advance(&twin, &seg, &marks[i]);
    }
    keys[FPDUS] = mpa_key(&tx);
}

/* ---- the receiver and its shadow ---- */

enum { MISSING, HERE, TAKEN, KEPT, STATES };
static uint8_t all[STATES][SPACE]; /* of each state as many as there are octets: to compare with */
static struct {
    struct mpa_rx_conf conf;
    struct mpa_rx *rx;
    unsigned keep; /* which FPDUs are given back */
    int failed;
    uint64_t edge;
    uint8_t octets[SPACE];
    uint8_t what[SPACE]; /* MISSING ... KEPT */
} s;

/* Octets up to the next marker, at most `most`; `*at` passes one that is due now. */
static uint32_t up_to_marker(uint64_t *at, uint32_t most)
{
    if (!(s.conf.flags & MPA_MARKERS))
        return most;
    if (*at % MPA_MARKER_EVERY == 0)
        *at += MPA_MARKER;
    uint32_t left = (uint32_t)(MPA_MARKER_EVERY - *at % MPA_MARKER_EVERY);
    return left < most ? left : most;
}

static void check_octets(const struct mpa_fpdu *f)
{
    uint64_t at = f->key + (s.conf.flags & MPA_MARKERS && f->key % MPA_MARKER_EVERY == 0 ? MPA_MARKER : 0);
    must((uint32_t)(s.octets[at] << 8 | s.octets[at + 1]) == f->len);
    static uint8_t ulpdu[SPACE];
    must(ulpdu_octets(f, ulpdu) == f->len);
    at += 2;
    for (uint32_t i = 0, n; i < f->len; i += n, at += n) {
        n = up_to_marker(&at, f->len - i);
        must(!memcmp(s.octets + at, ulpdu + i, n));
    }
    if (!(s.conf.flags & MPA_CRC))
        return;
    uint32_t crc = crc32c(0, s.octets + f->key, f->end - f->key - 4);
    for (int i = 0; i < 4; i++)
        must(s.octets[f->end - 4 + (uint64_t)i] == (crc >> 8 * i & 255));
}

static void check_fpdu(const struct mpa_fpdu *f)
{
    must(f->end == f->key + mpa_fpdu_size(f->key, f->len, s.conf.flags & MPA_MARKERS) && f->end <= SPACE);
    must(f->len <= s.conf.ulpdu_max && f->octets <= f->len);
    must(f->in_order == (f->key == s.edge));
    must(f->in_order || !(s.conf.flags & MPA_IN_ORDER));
    must(!memcmp(s.what + f->key, all[f->again ? KEPT : HERE], f->end - f->key));
    if (!s.conf.fpdus)
        check_octets(f);
}

/* What is tried octet by octet is kept out of the coverage: it would be most of it. */
#ifdef __clang__
#define UNCOUNTED __attribute__((noinline, no_sanitize("coverage")))
#else
#define UNCOUNTED
#endif

UNCOUNTED static void move_edge(void)
{
    while (s.edge < SPACE && s.what[s.edge] == TAKEN)
        s.edge++;
}

static void hand_up(void)
{
    struct mpa_fpdu f;
    int r, was = s.failed;
    uint32_t kept = 0;
    while ((r = mpa_take(s.rx, &f)) == 1) {
        must(!was);
        check_fpdu(&f);
        bool keep = s.keep && (f.key >> 2) % s.keep == 0 && kept++ < 100;
        if (keep)
            must(mpa_keep(s.rx) == IW_OK);
        memset(s.what + f.key, keep ? KEPT : TAKEN, f.end - f.key);
        move_edge();
        must(mpa_edge(s.rx) == s.edge);
    }
    must(r == 0 || r == IW_T_LLP_CRC || r == IW_T_LLP_MARKER);
    must(!was || r == was);
    s.failed = r;
}

static void check_bounds(void)
{
    const struct mpa_stats *st = mpa_statistics(s.rx);
    must(st->ranges_peak <= s.conf.ranges + 2 && st->held_peak <= s.conf.store && st->held <= st->held_peak);
}

UNCOUNTED static void accept(uint64_t offset, const uint8_t *octets, uint32_t len)
{
    if (!memcmp(s.what + offset, all[MISSING], len)) {
        memset(s.what + offset, HERE, len);
        if (octets)
            memcpy(s.octets + offset, octets, len);
        return;
    }
    for (uint64_t i = 0; i < len; i++) {
        if (s.what[offset + i] != MISSING)
            continue;
        s.what[offset + i] = HERE;
        if (octets)
            s.octets[offset + i] = octets[i];
    }
}

static void arrive(struct mpa_arrival in)
{
    uint32_t would = mpa_would_take(s.rx, &in), took = mpa_arrive(s.rx, &in);
    must(took <= in.len && (took == would || (took == 0 && s.conf.flags & MPA_CRC_DROP)));
    must(s.failed || took == 0 || in.offset + took <= s.edge + s.conf.store);
    if (!s.failed)
        accept(in.offset, in.octets, took);
    hand_up();
    check_bounds();
}

/* ---- memory ---- */

/* Memory for all inputs: from malloc each piece of it would come new from the system, page by page. The first `size`
 * octets may be touched, nothing behind them. */
struct pool {
    _Alignas(16) uint8_t octets[1 << 18];
};

static void *lend(struct pool *p, size_t size)
{
    if (size > sizeof p->octets)
        abort();
    ASAN_POISON_MEMORY_REGION(p->octets, sizeof p->octets);
    ASAN_UNPOISON_MEMORY_REGION(p->octets, size);
    return p->octets;
}

static void take_back(struct pool *p)
{
    ASAN_POISON_MEMORY_REGION(p->octets, sizeof p->octets);
}

/* ---- commands ---- */

static void arrive_copy(uint64_t offset, const uint8_t *octets, uint32_t len, unsigned alter)
{
    if (offset >= SPACE)
        return;
    if (len > SPACE - offset)
        len = (uint32_t)(SPACE - offset);
    static struct pool pool;
    uint8_t *copy = lend(&pool, len); /* nothing behind it may be read, nothing of it later */
    memcpy(copy, octets, len);
    if (alter && len)
        copy[alter * 7 % len] ^= (uint8_t)alter;
    arrive((struct mpa_arrival){.offset = offset, .octets = copy, .len = len});
    take_back(&pool);
}

static void arrive_marked(uint64_t offset, uint32_t len, unsigned alter)
{
    struct mpa_mark of_it[FPDUS];
    uint32_t n = 0;
    if (offset >= keys[FPDUS] || len > keys[FPDUS] - offset)
        return;
    for (int i = 0; i < FPDUS; i++) {
        if (keys[i] >= offset + len || keys[i + 1] <= offset)
            continue;
        of_it[n] = marks[i];
        of_it[n++].bad = alter && alter % FPDUS == (unsigned)i;
    }
    arrive((struct mpa_arrival){.offset = offset, .len = len, .marks = n, .mark = of_it});
}

static void arrive_good(uint64_t offset, uint32_t len, unsigned alter)
{
    if (s.conf.fpdus)
        arrive_marked(offset, len, alter);
    else
        arrive_copy(offset, good + offset, len, alter);
}

static void command(struct cursor *c)
{
    unsigned op = next8(c), alter = op & 8 ? next8(c) : 0, i = 0;
    switch (op & 7) {
    case 0:
    case 1:
    case 2: /* whole FPDUs */
        i = next8(c) % FPDUS;
        arrive_good(keys[i], (uint32_t)(keys[i + 1 + (op >> 4 < FPDUS - i ? op >> 4 : 0)] - keys[i]), alter);
        break;
    case 3:
    case 4: /* any piece */
        i = next16(c) % (unsigned)keys[FPDUS];
        op = 1 + next16(c) % 3000;
        arrive_good(i, op < keys[FPDUS] - i ? op : (uint32_t)(keys[FPDUS] - i), alter);
        break;
    case 5: /* any octets */
        i = next16(c);
        op = next8(c);
        if (op > c->end - c->at)
            op = (unsigned)(c->end - c->at);
        if (!s.conf.fpdus)
            arrive_copy(i, c->at, op, 0);
        c->at += op;
        break;
    case 6: s.keep = next8(c) % 8; break;
    case 7:
        mpa_again(s.rx);
        hand_up();
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct pool pool;
    struct cursor c = {data, data + size};
    if (size < CONF || size > 2048)
        return 0;
    for (int i = 0; i < STATES && all[KEPT][0] != KEPT; i++)
        memset(all[i], i, SPACE);
    memset(s.what, MISSING, sizeof s.what);
    s.edge = 0;
    s.keep = 0;
    s.failed = 0;
    s.conf.flags = next8(&c) & 63;
    s.conf.ranges = next8(&c) & 63;
    s.conf.ulpdu_max = ULPDU + next8(&c);
    s.conf.store = 2048 + 64 * next8(&c);
    unsigned seed = next8(&c);
    s.conf.fpdus = seed & 4 ? 2 + (seed >> 3) : 0;
    size_t block = mpa_rx_size(&s.conf);
    if (!block)
        return 0;
    s.rx = mpa_rx_init(lend(&pool, block), &s.conf);
    make_good(s.conf.flags & (MPA_MARKERS | MPA_CRC), seed);
    while (c.at < c.end)
        command(&c);
    mpa_fin(s.rx, SPACE);
    mpa_ended(s.rx);
    return 0;
}
