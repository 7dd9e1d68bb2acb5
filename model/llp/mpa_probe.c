/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* mpa_probe.c -- is there an FPDU at this offset? Length, CRC, markers (RFC 5044 sections 4 and 6). */
#include <string.h>

#include "engine/law.h"
#include "llp/crc32c.h"
#include "llp/mpa_inner.h"

static uint8_t octet(const struct mpa_rx *rx, uint64_t at)
{
    uint32_t n;
    return *mpa_octets(rx, at, at + 1, &n);
}

static uint16_t get16(const struct mpa_rx *rx, uint64_t at)
{
    return (uint16_t)(octet(rx, at) << 8 | octet(rx, at + 1));
}

static uint64_t marker_from(uint64_t offset)
{
    return (offset + MPA_MARKER_EVERY - 1) & ~(uint64_t)(MPA_MARKER_EVERY - 1);
}

/* ---- length-only: the marks ---- */

struct mpa_mark *mpa_mark_of(const struct mpa_marks *marks, uint64_t key)
{
    uint32_t low = 0, high = marks->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (marks->mark[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    LAW(!low || marks->mark[low - 1].key < key);
    LAW(low == marks->count || marks->mark[low].key >= key);
    return low < marks->count && marks->mark[low].key == key ? &marks->mark[low] : NULL;
}

static const struct mpa_mark *mark_in_view(const struct mpa_rx *rx, uint64_t key)
{
    for (uint32_t i = 0; i < rx->view.marks; i++) {
        if (rx->view.mark[i].key == key)
            return &rx->view.mark[i];
    }
    return NULL;
}

/* The last mark that starts at or below `offset`. */
static const struct mpa_mark *mark_around(const struct mpa_mark *mark, uint32_t count, uint64_t offset)
{
    const struct mpa_mark *found = NULL;
    for (uint32_t i = 0; i < count && mark[i].key <= offset; i++)
        found = &mark[i];
    return found;
}

static bool mark_covers(const struct mpa_rx *rx, const struct mpa_mark *mark, uint64_t offset)
{
    return mark && offset - mark->key < mpa_fpdu_size(mark->key, mark->ulpdu_len, rx->markers);
}

/* The FPDU that holds the marker at `marker`, as the marker's octets would say. */
static uint64_t start_by_mark(const struct mpa_rx *rx, uint64_t marker)
{
    const struct mpa_mark *mark = mark_around(rx->view.mark, rx->view.marks, marker);
    if (!mark_covers(rx, mark, marker))
        mark = mark_around(rx->marks.mark, rx->marks.count, marker);
    return mark_covers(rx, mark, marker) ? mark->key : MPA_NOWHERE;
}

static bool mark_is_bad(const struct mpa_rx *rx, uint64_t key)
{
    const struct mpa_mark *new = mark_in_view(rx, key), *old = mpa_mark_of(&rx->marks, key);
    return (new &&new->bad) || (old && old->bad);
}

/* ---- markers ---- */

static uint64_t start_by_marker(const struct mpa_rx *rx, uint64_t marker)
{
    if (mpa_length_only(rx))
        return start_by_mark(rx, marker);
    uint64_t back = get16(rx, marker + 2) & 0xfffc; /* RFC 5044 4.2: the low two bits count as zero */
    if (back > marker)
        return MPA_NOWHERE;
    uint64_t body = marker - back; /* of a marker right before ULPDU_Length the FPDU starts there */
    return body % MPA_MARKER_EVERY == MPA_MARKER ? body - MPA_MARKER : body;
}

uint64_t mpa_marked_start(const struct mpa_rx *rx, uint64_t from, uint64_t to, uint64_t lowest)
{
    for (uint64_t m = marker_from(from); m + MPA_MARKER <= to; m += MPA_MARKER_EVERY) {
        uint64_t start = start_by_marker(rx, m);
        if (start >= lowest && start != MPA_NOWHERE)
            return start;
    }
    return MPA_NOWHERE;
}

static bool markers_agree(const struct mpa_rx *rx, const struct mpa_found *f)
{
    for (uint64_t m = marker_from(f->key); m < f->end; m += MPA_MARKER_EVERY) {
        uint64_t back = m == f->key ? 0 : m - f->body, at = m + 2 - f->key;
        const uint8_t *p = f->octets + at;
        uint32_t says = at + 2 <= f->n ? (uint32_t)p[0] << 8 | p[1] : get16(rx, m + 2);
        if ((says & 0xfffc) != (back & 0xfffc))
            return false;
    }
    return true;
}

/* ---- CRC ---- */

static uint32_t crc_between(const struct mpa_rx *rx, uint64_t from, uint64_t to)
{
    uint32_t crc = 0, n;
    for (; from < to; from += n) {
        const uint8_t *p = mpa_octets(rx, from, to, &n);
        crc = crc32c(crc, p, n);
    }
    return crc;
}

static uint32_t crc_field(const struct mpa_rx *rx, uint64_t at)
{
    uint32_t crc = 0;
    for (uint32_t i = 0; i < 4; i++)
        crc |= (uint32_t)octet(rx, at + i) << 8 * i;
    return crc;
}

static uint32_t get_crc(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool crc_matches(const struct mpa_rx *rx, const struct mpa_found *f)
{
    if (!rx->crc)
        return true;
    if (mpa_length_only(rx))
        return !mark_is_bad(rx, f->key);
    uint32_t covered = (uint32_t)(f->end - f->key) - 4;
    if (f->n >= covered + 4)
        return crc32c(0, f->octets, covered) == get_crc(f->octets + covered);
    return crc_between(rx, f->key, f->end - 4) == crc_field(rx, f->end - 4);
}

/* ---- the FPDU ---- */

static uint32_t length_by_mark(struct mpa_rx *rx, struct mpa_found *f)
{
    f->mark = mark_in_view(rx, f->key);
    if (!f->mark)
        f->mark = mpa_mark_of(&rx->marks, f->key);
    return f->mark ? f->mark->ulpdu_len : UINT32_MAX;
}

static uint32_t length(struct mpa_rx *rx, struct mpa_found *f, uint64_t there)
{
    uint32_t before = (uint32_t)(f->body - f->key);
    if (mpa_length_only(rx))
        return length_by_mark(rx, f);
    f->octets = mpa_octets(rx, f->key, there, &f->n);
    if (f->n < before + 2)
        return get16(rx, f->body);
    return (uint32_t)f->octets[before] << 8 | f->octets[before + 1];
}

static bool proven(const struct mpa_rx *rx, const struct mpa_found *f)
{
    return f->key >= rx->proven_from && f->end <= rx->proven_to;
}

static void remember_proof(struct mpa_rx *rx, const struct mpa_found *f)
{
    if (f->key != rx->proven_to)
        rx->proven_from = f->key;
    rx->proven_to = f->end;
    LAW(rx->proven_from <= f->key && f->key < rx->proven_to);
}

enum mpa_verdict mpa_probe(struct mpa_rx *rx, uint64_t key, uint64_t there, struct mpa_found *f)
{
    bool leads = rx->markers && key % MPA_MARKER_EVERY == 0;
    f->key = key;
    f->body = key + (leads ? MPA_MARKER : 0);
    f->end = f->body + 2;
    if (f->end > there)
        return MPA_WAIT;
    f->len = length(rx, f, there);
    if (f->len > rx->conf.ulpdu_max)
        return MPA_BAD_LENGTH;
    f->end = key + mpa_fpdu_size(key, f->len, rx->markers);
    if (f->end > there)
        return MPA_WAIT;
    if (proven(rx, f))
        return MPA_GOOD;
    if (!crc_matches(rx, f))
        return MPA_BAD_CRC;
    if (rx->markers && !mpa_length_only(rx) && !markers_agree(rx, f))
        return MPA_BAD_MARKER;
    LAW(f->body + 2 + f->len + 4 <= f->end && f->end <= there);
    remember_proof(rx, f);
    return MPA_GOOD;
}

/* Of lengths alone the arrival's own mark says what the octets would; one that is bad, or that others are beside, is looked at
 * closely. */
static bool is_plain_mark(const struct mpa_rx *rx, const struct mpa_mark *m)
{
    return rx->view.marks && m->key == rx->edge && !m->bad && !rx->marks.count;
}

uint32_t mpa_plain(const struct mpa_rx *rx, struct mpa_fpdu *out)
{
    uint32_t there = (uint32_t)(rx->view.end - rx->edge);
    const struct mpa_mark *m = mpa_length_only(rx) ? rx->view.mark : NULL;
    const uint8_t *p = m ? NULL : rx->view.octets + (rx->edge - rx->view.start);
    if (there < 8 || (m && !is_plain_mark(rx, m)))
        return 0;
    uint32_t len = m ? m->ulpdu_len : (uint32_t)p[0] << 8 | p[1], size = mpa_fpdu_size(0, len, false);
    if (size > there || len > rx->conf.ulpdu_max)
        return 0;
    if (!m && rx->crc && crc32c(0, p, size - 4) != get_crc(p + size - 4))
        return 0;
    LAW(rx->edge + size <= rx->view.end && 2 + len + 4 <= size);
    out->key = rx->edge;
    out->end = rx->edge + size;
    out->ulpdu = m ? m->head : p + 2;
    out->len = len;
    out->octets = m && m->head_len < len ? m->head_len : len;
    out->in_order = true;
    out->again = false;
    out->pieces = 0;
    return size;
}

/* ---- the ULPDU ---- */

static void gather_found(struct mpa_rx *rx, const struct mpa_found *f)
{
    uint8_t *out = rx->scratch;
    uint64_t at = f->body + 2;
    for (uint32_t left = f->len, n; left; left -= n) {
        uint64_t border = at + left;
        if (rx->markers) {
            if (at % MPA_MARKER_EVERY == 0)
                at += MPA_MARKER;
            uint64_t next = marker_from(at + 1);
            border = next - at < left ? next : at + left;
        }
        const uint8_t *p = mpa_octets(rx, at, border, &n);
        memcpy(out, p, n);
        out += n;
        at += n;
    }
    LAW(out == rx->scratch + f->len && at + 4 <= f->end);
}

/* What lies between the markers, as pieces where it arrived. False: too many, or a marker cuts the DDP header. */
static bool cut_fpdu(const struct mpa_found *f, const uint8_t *p, uint32_t first, struct mpa_fpdu *out)
{
    const uint32_t between = MPA_MARKER_EVERY - MPA_MARKER;
    uint32_t left = f->len - first;
    if (first < IW_HEAD_MAX || left > between * (IW_FRAGS_MAX - 1))
        return false;
    out->ulpdu = p;
    out->octets = first;
    for (uint32_t n = first; left; left -= n) {
        p += n + MPA_MARKER;
        n = left < between ? left : between;
        out->piece[out->pieces++] = (struct iw_frag){p, n};
    }
    LAW(out->pieces < IW_FRAGS_MAX && p < f->octets + f->n);
    return true;
}

/* A remembered mark moves when another is forgotten. */
static const struct mpa_mark *lasting_mark(struct mpa_rx *rx, const struct mpa_found *f)
{
    if (f->mark != mpa_mark_of(&rx->marks, f->key))
        return f->mark;
    LAW(f->mark);
    rx->handed = *f->mark;
    return &rx->handed;
}

void mpa_ulpdu(struct mpa_rx *rx, const struct mpa_found *f, struct mpa_fpdu *out)
{
    out->len = f->len;
    out->pieces = 0;
    if (mpa_length_only(rx)) {
        out->ulpdu = lasting_mark(rx, f)->head;
        out->octets = f->mark->head_len < f->len ? f->mark->head_len : f->len;
        return;
    }
    uint64_t start = f->body + 2, end = start + f->len;
    const uint8_t *p = f->octets + (start - f->key);
    bool marked = rx->markers && marker_from(start) < end;
    if (marked && rx->conf.flags & MPA_PIECES && f->n >= f->end - f->key &&
        cut_fpdu(f, p, (uint32_t)(marker_from(start) - start), out))
        return;
    out->octets = f->len;
    out->ulpdu = p;
    if (!marked && f->n >= end - f->key)
        return;
    gather_found(rx, f);
    out->ulpdu = rx->scratch;
}
