/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/judge/bench.h"

#include <string.h>

#include "helpers/base/list.h"

bool bench_keep(struct judge_side *s, const struct decode_segment *d)
{
    struct judge_seen *more = s->heard < SEEN_MAX ? list_grow(s->seen, s->heard, sizeof *more) : s->seen;
    if (!more)
        return false;
    s->seen = more;
    struct judge_seen *x = &s->seen[s->heard % SEEN_MAX];
    x->segment = *d;
    x->segment.octets_len = d->octets_len < SEEN_OCTETS ? d->octets_len : SEEN_OCTETS;
    memcpy(x->octets, d->octets, x->segment.octets_len);
    if (!s->heard || d->key < s->first)
        s->first = d->key;
    if (d->end > s->end)
        s->end = d->end;
    s->octets += d->end - d->key;
    s->heard++;
    return true;
}

static uint32_t count_outstanding(const struct judge_side *s)
{
    return s->heard < SEEN_MAX ? (uint32_t)s->heard : SEEN_MAX;
}

const struct judge_seen *bench_at(const struct judge_side *s, uint64_t key)
{
    for (uint32_t i = 0; i < count_outstanding(s); i++)
        if (bench_newest(s, i)->segment.key == key)
            return bench_newest(s, i);
    return NULL;
}

bool bench_is_whole(const struct judge_side *s)
{
    return s->octets == s->end - s->first;
}

bool bench_remembers_all(const struct judge_side *s)
{
    return bench_is_whole(s) && s->heard <= SEEN_MAX;
}

bool bench_has_earlier(const struct judge_side *s, const struct judge_seen *x)
{
    for (uint32_t i = 0; !x->segment.head.tagged && x->segment.head.mo && i < count_outstanding(s); i++) {
        const struct judge_seen *y = bench_newest(s, i);
        if (y->segment.key < x->segment.key && y->segment.readable && !y->segment.head.tagged &&
            y->segment.head.qn == x->segment.head.qn && y->segment.head.msn == x->segment.head.msn)
            return true;
    }
    return false;
}

/* ---- copied headers ---- */

static const struct {
    const char *name;
    uint8_t at, len;
    bool tagged;
} parts[] = {{"MSN", 10, 4, false},         {"MO", 14, 4, false}, {"QN", 6, 4, false},
             {"STag", 2, 4, true},          {"TO", 6, 8, true},   {"control octet", 0, 1, true},
             {"control octet", 0, 1, false}};
enum { PARTS = sizeof parts / sizeof *parts };

/* Equal but for the octets of one part; part PARTS: equal throughout. */
static bool matches(const struct judge_seen *x, const uint8_t *head, uint32_t len, int part)
{
    if (x->segment.octets_len < len)
        return false;
    if (part == PARTS)
        return memcmp(x->octets, head, len) == 0;
    uint32_t at = parts[part].at, behind = at + parts[part].len;
    return parts[part].tagged == (len == IW_HEAD_TAGGED) && memcmp(x->octets, head, at) == 0 &&
           memcmp(x->octets + behind, head + behind, len - behind) == 0;
}

static const struct judge_seen *find_with(const struct judge_side *s, const uint8_t *head, uint32_t head_len,
                                          int part, uint64_t key, uint32_t len)
{
    const struct judge_seen *best = NULL;
    for (uint32_t i = 0; i < count_outstanding(s); i++) {
        const struct judge_seen *x = bench_newest(s, i);
        if (!matches(x, head, head_len, part))
            continue;
        if (x->segment.key == key)
            return x;
        if (!best || (best->segment.ulpdu_len != len && x->segment.ulpdu_len == len))
            best = x;
    }
    return best;
}

const struct judge_seen *bench_find(const struct judge_side *s, const uint8_t *head, uint32_t head_len,
                                    uint64_t key, uint32_t len, const char **differs)
{
    *differs = NULL;
    const struct judge_seen *x = find_with(s, head, head_len, PARTS, key, len);
    for (int part = 0; !x && part < PARTS; part++) {
        x = find_with(s, head, head_len, part, key, len);
        *differs = x ? parts[part].name : NULL;
    }
    return x;
}
