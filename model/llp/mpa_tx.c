/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* mpa_tx.c -- one segment in, one FPDU out (RFC 5044 section 4). */
#include <string.h>

#include "engine/law.h"
#include "llp/crc32c.h"
#include "llp/mpa.h"

static uint32_t clamp_mulpdu(uint32_t mulpdu)
{
    if (mulpdu < MPA_MULPDU_MIN)
        return MPA_MULPDU_MIN;
    return mulpdu > MPA_MULPDU_MAX ? MPA_MULPDU_MAX : mulpdu;
}

uint32_t mpa_mulpdu(uint32_t emss, bool markers)
{
    uint64_t marker_octets =
        markers ? MPA_MARKER * (((uint64_t)emss + MPA_MARKER_EVERY - 1) / MPA_MARKER_EVERY) : 0;
    uint64_t overhead = MPA_AROUND + marker_octets + emss % 4;
    uint32_t mulpdu = clamp_mulpdu(emss > overhead ? (uint32_t)(emss - overhead) : 0);
    LAW(mulpdu == MPA_MULPDU_MIN || mpa_fpdu_size(0, mulpdu, markers) <= emss);
    return mulpdu;
}

void mpa_tx_init(struct mpa_tx *tx, unsigned flags, uint32_t emss)
{
    *tx = (struct mpa_tx){.emss = emss, .flags = flags};
}

uint32_t mpa_mulpdu_fit(const struct mpa_tx *tx, uint32_t room)
{
    bool markers = tx->flags & MPA_MARKERS;
    uint32_t whole = mpa_mulpdu(tx->emss, markers), words = room / 4, taken = 0;
    if (markers) {
        uint64_t before = (tx->offset + MPA_MARKER_EVERY - 1) / MPA_MARKER_EVERY;
        uint64_t behind = (tx->offset + (uint64_t)words * 4 + MPA_MARKER_EVERY - 1) / MPA_MARKER_EVERY;
        taken = (uint32_t)(behind - before);
    }
    uint32_t fit = words > taken + 2 ? (words - taken) * 4 - MPA_AROUND : 0;
    if (fit < MPA_MULPDU_MIN || fit > whole)
        return whole;
    LAW(mpa_fpdu_size(tx->offset, fit, markers) <= room);
    return fit;
}

static uint32_t ulpdu_len(const struct iw_seg *seg)
{
    return seg->payload_len > MPA_MULPDU_MAX ? UINT32_MAX : seg->head_len + seg->payload_len;
}

uint32_t mpa_fpdu_len(const struct mpa_tx *tx, const struct iw_seg *seg)
{
    uint32_t len = ulpdu_len(seg);
    return len && len <= MPA_MULPDU_MAX ? mpa_fpdu_size(tx->offset, len, tx->flags & MPA_MARKERS) : 0;
}

/* 0 when the segment is not the next FPDU. */
static uint32_t size_of_next(const struct mpa_tx *tx, const struct iw_seg *seg)
{
    LAW(tx->offset % 4 == 0); /* offset is a multiple of 4 and is the key of the next FPDU */
    return seg->key == tx->offset ? mpa_fpdu_len(tx, seg) : 0;
}

/* ---- an FPDU being written: octets in stream order, markers where they are due ---- */

struct writer {
    uint8_t *p;
    uint64_t offset; /* of p in the stream */
    uint64_t start;  /* of ULPDU_Length: what markers point to */
};

static void put_marker(struct writer *w)
{
    bool leads = w->start == w->offset;
    w->p = iw_put16(iw_put16(w->p, 0), leads ? 0 : (uint16_t)(w->offset - w->start));
    w->offset += MPA_MARKER;
    if (leads)
        w->start = w->offset;
}

/* Octets up to the next marker; that marker, when it is due here, is written first. */
static uint32_t room(struct writer *w)
{
    if (w->offset % MPA_MARKER_EVERY == 0)
        put_marker(w);
    return MPA_MARKER_EVERY - (uint32_t)(w->offset % MPA_MARKER_EVERY);
}

/* octets == NULL: zeros. */
static void put_stream_octets(struct writer *w, const void *octets, uint32_t len)
{
    const uint8_t *from = octets;
    while (len) {
        uint32_t n = room(w);
        if (n > len)
            n = len;
        if (from)
            memcpy(w->p, from, n);
        else
            memset(w->p, 0, n);
        if (from)
            from += n;
        w->p += n;
        w->offset += n;
        len -= n;
    }
}

static void put_crc(uint8_t *out, uint32_t crc)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(crc >> 8 * i);
}

static uint8_t *put_with_markers(const struct mpa_tx *tx, const struct iw_seg *seg, uint32_t len,
                                 uint8_t *out)
{
    struct writer w = {out, tx->offset, tx->offset};
    uint8_t length[2];
    iw_put16(length, (uint16_t)len);
    put_stream_octets(&w, length, 2);
    put_stream_octets(&w, seg->head, seg->head_len);
    for (int i = 0; i < seg->frags; i++)
        put_stream_octets(&w, seg->frag[i].octets, seg->frag[i].len);
    put_stream_octets(&w, NULL, -(2 + len) & 3);
    room(&w); /* a marker between PAD and CRC is covered by the CRC (RFC 5044 4.4) */
    return w.p;
}

/* The usual length as a constant: no call. */
static uint8_t *put_ddp_head(const struct iw_seg *seg, uint8_t *p)
{
    if (seg->head_len == IW_HEAD_TAGGED)
        memcpy(p, seg->head, IW_HEAD_TAGGED);
    else
        memcpy(p, seg->head, seg->head_len);
    return p + seg->head_len;
}

static uint8_t *put_without(const struct iw_seg *seg, uint32_t len, uint8_t *p)
{
    p = put_ddp_head(seg, iw_put16(p, (uint16_t)len));
    for (int i = 0; i < seg->frags; i++) {
        const struct iw_frag *f = &seg->frag[i];
        if (f->octets)
            memcpy(p, f->octets, f->len);
        else
            memset(p, 0, f->len);
        p += f->len;
    }
    for (uint32_t pad = -(2 + len) & 3; pad; pad--)
        p = iw_put8(p, 0);
    return p;
}

uint32_t mpa_put(struct mpa_tx *tx, const struct iw_seg *seg, uint8_t *out)
{
    uint32_t size = size_of_next(tx, seg), len = ulpdu_len(seg);
    if (!size)
        return 0;
    uint8_t *end = tx->flags & MPA_MARKERS ? put_with_markers(tx, seg, len, out) : put_without(seg, len, out);
    LAW((size_t)(end - out) + 4 == size);
    put_crc(end, tx->flags & MPA_CRC ? crc32c(0, out, (size_t)(end - out)) : 0);
    tx->offset += size;
    return size;
}

static uint32_t crc_of_frag(uint32_t crc, const struct iw_frag *frag)
{
    static const uint8_t zeros[512];
    if (frag->octets)
        return crc32c(crc, frag->octets, frag->len);
    for (uint32_t left = frag->len, n; left; left -= n) {
        n = left < sizeof zeros ? left : (uint32_t)sizeof zeros;
        crc = crc32c(crc, zeros, n);
    }
    return crc;
}

uint32_t mpa_gather(struct mpa_tx *tx, const struct iw_seg *seg, struct mpa_gather *out)
{
    uint32_t size = tx->flags & MPA_MARKERS ? 0 : size_of_next(tx, seg), len = ulpdu_len(seg), pad, crc = 0;
    if (!size)
        return 0;
    pad = -(2 + len) & 3;
    memcpy(iw_put16(out->head, (uint16_t)len), seg->head, seg->head_len);
    out->head_len = (uint8_t)(2 + seg->head_len);
    out->tail_len = (uint8_t)(pad + 4);
    memset(out->tail, 0, pad);
    if (tx->flags & MPA_CRC) {
        crc = crc32c(0, out->head, out->head_len);
        for (int i = 0; i < seg->frags; i++)
            crc = crc_of_frag(crc, &seg->frag[i]);
        crc = crc32c(crc, out->tail, pad);
    }
    put_crc(out->tail + pad, crc);
    LAW(out->head_len + seg->payload_len + out->tail_len == size);
    tx->offset += size;
    return size;
}

static bool has_octets(const struct iw_seg *seg)
{
    for (int i = 0; i < seg->frags; i++) {
        if (!seg->frag[i].octets && seg->frag[i].len)
            return false;
    }
    return true;
}

static void mark_append(struct mpa_mark *mark, const struct iw_frag *frag)
{
    if (frag->len)
        memcpy(mark->head + mark->head_len, frag->octets, frag->len);
    mark->head_len = (uint8_t)(mark->head_len + frag->len);
}

uint32_t mpa_advance(struct mpa_tx *tx, const struct iw_seg *seg, struct mpa_mark *mark)
{
    uint32_t size = size_of_next(tx, seg);
    if (!size)
        return 0;
    mark->key = tx->offset;
    mark->ulpdu_len = (uint16_t)ulpdu_len(seg);
    mark->head_len = seg->head_len;
    mark->bad = false;
    memcpy(mark->head, seg->head, seg->head_len);
    if (seg->payload_len <= IW_TERM_MAX && has_octets(seg)) {
        for (int i = 0; i < seg->frags; i++)
            mark_append(mark, &seg->frag[i]);
    }
    LAW(mark->head_len <= mpa_head_most(seg) && mark->head_len <= mark->ulpdu_len && mark->ulpdu_len < size);
    tx->offset += size;
    return size;
}
