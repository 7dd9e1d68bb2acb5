/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "llp/llp_mpa.h"

#include <string.h>

#include "engine/law.h"
#include "llp/crc32c.h"

enum { CRC_OCTETS = 4, RANGES_MAX = 65535, RUNS = 8, MARKS = 4, MARKS_MAX = 65535 };

/* ---- configuration ---- */

void llp_mpa_sizes(const struct llp_form *form, uint32_t before, struct llp_sizes *s)
{
    *s = (struct llp_sizes){.before = before, .head = MPA_AROUND, .pad = 4, .answer = before};
    s->marker = form->markers ? MPA_MARKER : 0;
    s->every = MPA_MARKER_EVERY;
    s->mss = form->mtu - before;
    s->mulpdu = mpa_mulpdu(s->mss, form->markers);
    s->full = mpa_fpdu_size(0, s->mulpdu, form->markers);
    s->packet = before + s->full;
    LAW(s->mulpdu == MPA_MULPDU_MIN || s->packet <= form->mtu);
}

static unsigned flags_of(const struct llp_conf *c, const struct llp_mpa_terms *terms)
{
    bool drop = c->crc_drop && terms->crc; /* and then a packet is whole FPDUs or altered */
    return (terms->markers_rx ? MPA_MARKERS : 0u) | (terms->crc ? MPA_CRC : 0u) | (drop ? MPA_CRC_DROP : 0u) |
           (drop || c->trust_alignment ? MPA_TRUST_ALIGNMENT : 0u) | (c->in_order ? MPA_IN_ORDER : 0u) |
           MPA_PIECES;
}

static struct mpa_rx_conf rx_conf_of(const struct llp_conf *c, uint32_t emss,
                                     const struct llp_mpa_terms *terms)
{
    uint32_t ulpdu = emss > MPA_MULPDU_MIN ? emss : MPA_MULPDU_MIN;
    uint64_t store = c->window + ((uint64_t)1 << llp_window_shift(c->window)) +
                     2 * mpa_fpdu_size(0, ulpdu, terms->markers_rx);
    uint32_t ranges = c->reorder < RANGES_MAX ? c->reorder : RANGES_MAX;
    return (struct mpa_rx_conf){.flags = flags_of(c, terms),
                                .ulpdu_max = ulpdu,
                                .store = store < UINT32_MAX ? (uint32_t)store : UINT32_MAX,
                                .ranges = c->go_back ? 0 : ranges,
                                .fpdus = c->real ? 0 : MARKS};
}

const char *llp_mpa_conf_error(const struct llp_conf *c, uint32_t emss)
{
    struct llp_mpa_terms terms = {c->markers, c->markers, c->crc};
    struct mpa_rx_conf rx = rx_conf_of(c, emss, &terms);
    if (c->streams > 1)
        return "MPA carries one stream";
    if (c->crc_drop && !c->crc)
        return "crc_drop needs crc";
    return mpa_rx_conf_error(&rx);
}

void llp_mpa_init(struct llp_mpa *m, uint32_t emss, const struct llp_mpa_terms *terms)
{
    m->rx_conf = rx_conf_of(&m->o.conf, emss, terms);
    mpa_tx_init(&m->tx, (terms->markers_tx ? MPA_MARKERS : 0u) | (terms->crc ? MPA_CRC : 0u), emss);
}

/* The receiver is made when something arrives, with room for few runs. */
static bool is_ready(struct llp_mpa *m)
{
    if (m->rx)
        return true;
    struct mpa_rx_conf first = m->rx_conf;
    m->runs = first.ranges = first.ranges < RUNS ? first.ranges : RUNS;
    void *block = llp_more(&m->o, mpa_rx_size(&first));
    if (block)
        m->rx = mpa_rx_init(block, &first);
    return m->rx;
}

/* As if there were room for all that it may ever remember. */
static void room_for_runs(struct llp_mpa *m)
{
    uint32_t most = m->rx_conf.ranges, wants = 2 * mpa_rx_runs(m->rx) + 8;
    if (wants <= m->runs || m->runs == most)
        return;
    uint32_t runs = 2 * wants < most ? 2 * wants : most;
    void *memory = llp_more(&m->o, mpa_rx_runs_octets(runs));
    if (!memory)
        return;
    mpa_rx_move_runs(m->rx, memory, runs);
    m->runs = runs;
}

/* ---- out ---- */

uint32_t llp_mpa_fpdu_len(const struct llp_mpa *m, uint64_t key, uint32_t ulpdu)
{
    return mpa_fpdu_size(key, ulpdu, m->tx.flags & MPA_MARKERS);
}

static void spoil(enum llp_wrong how, uint64_t key, uint8_t *fpdu, uint32_t size)
{
    uint32_t body = size - CRC_OCTETS, marker = (uint32_t)(-key % MPA_MARKER_EVERY);
    if (how == LLP_WRONG_CRC) {
        fpdu[body] ^= 0xff;
        return;
    }
    if (marker + MPA_MARKER <= body)
        fpdu[marker + 3] ^= 8; /* FPDUPTR, a multiple of 4 */
    uint32_t crc = crc32c(0, fpdu, body);
    for (uint32_t i = 0; i < CRC_OCTETS; i++)
        fpdu[body + i] = (uint8_t)(crc >> 8 * i);
}

static uint32_t put_note(struct llp_mpa *m, const struct iw_seg *seg, enum llp_wrong how, uint8_t *out)
{
    struct mpa_mark mark;
    if (!mpa_advance(&m->tx, seg, &mark))
        return 0;
    LAW(mark.key == seg->key && mark.key + mark.ulpdu_len < m->tx.offset);
    uint8_t *p = iw_put8(iw_put16(out, mark.ulpdu_len), how == LLP_WRONG_CRC);
    memcpy(p, mark.head, mark.head_len);
    return LLP_NOTE_HEAD + (uint32_t)mark.head_len;
}

uint32_t llp_mpa_frame(struct llp_mpa *m, const struct iw_seg *seg, enum llp_wrong how, uint8_t *out)
{
    uint32_t size = llp_mpa_fpdu_len(m, m->tx.offset, seg->head_len + seg->payload_len);
    bool no_marker = how == LLP_WRONG_MARKER && !(m->o.conf.real && m->tx.flags & MPA_MARKERS);
    if (size > m->tx.emss || no_marker)
        return 0;
    if (!m->o.conf.real)
        return put_note(m, seg, how, out);
    if (!mpa_put(&m->tx, seg, out))
        return 0;
    LAW(m->tx.offset == seg->key + size);
    if (how != LLP_RIGHT)
        spoil(how, seg->key, out, size);
    return size;
}

uint32_t llp_mpa_gather(struct llp_mpa *m, const struct iw_seg *seg, enum llp_wrong how,
                        struct mpa_gather *out)
{
    bool plain = m->o.conf.real && how == LLP_RIGHT && seg->head_len + seg->payload_len <= MPA_MULPDU_MAX;
    if (!plain || llp_mpa_fpdu_len(m, m->tx.offset, seg->head_len + seg->payload_len) > m->tx.emss)
        return 0;
    return mpa_gather(&m->tx, seg, out);
}

/* ---- in ---- */

/* The note of an FPDU, or of a part of it. */
static bool get_note(struct llp_mpa *m, const struct llp_mpa_in *in)
{
    struct mpa_mark *mark = &m->mark;
    if (in->carried < LLP_NOTE_HEAD || in->carried > LLP_NOTE_MAX)
        return false;
    mark->key = in->offset - in->before;
    mark->head_len = (uint8_t)(in->carried - LLP_NOTE_HEAD);
    const uint8_t *p = iw_get16(in->octets, &mark->ulpdu_len);
    mark->bad = *p || in->altered;
    memcpy(mark->head, p + 1, mark->head_len);
    uint32_t whole = mpa_fpdu_size(mark->key, mark->ulpdu_len, m->rx_conf.flags & MPA_MARKERS);
    return mark->head_len <= mark->ulpdu_len && in->before <= in->offset && in->before + in->len <= whole;
}

/* Room for one more mark, even where half of them are kept for the edge. */
static void room_for_mark(struct llp_mpa *m)
{
    uint32_t fpdus = m->rx_conf.fpdus;
    if (m->o.conf.real || fpdus == MARKS_MAX || mpa_rx_marks(m->rx) + 1 <= fpdus / 2)
        return;
    fpdus = fpdus < MARKS_MAX / 2 ? fpdus * 2 : MARKS_MAX;
    void *memory = llp_more(&m->o, mpa_rx_marks_octets(fpdus));
    if (memory && mpa_rx_move_marks(m->rx, memory, fpdus) == IW_OK)
        m->rx_conf.fpdus = fpdus;
}

static void note_late(struct llp_mpa *m, const struct llp_mpa_in *in)
{
    uint32_t runs = 2 * m->rx_conf.ranges + 2;
    void *block = m->late ? NULL : llp_more(&m->o, ideal_in_size(runs));
    if (block)
        m->late = ideal_in_init(block, runs);
    if (!m->late)
        return;
    uint64_t from = ideal_in_edge(m->late), edge = mpa_edge(m->rx);
    if (edge > from)
        ideal_in_take(m->late, from, (uint32_t)(edge - from));
    LAW(ideal_in_edge(m->late) >= edge);
    ideal_in_take(m->late, in->offset, in->len);
}

static bool finds_room(struct llp_mpa *m, const struct llp_mpa_in *in, const struct mpa_arrival *a)
{
    room_for_mark(m);
    room_for_runs(m);
    if (in->ahead && (!m->rx_conf.ranges || in->room < in->len))
        return false;
    return mpa_would_take(m->rx, a) == a->len;
}

static bool has_track(struct llp_mpa *m)
{
    enum { WORD = 4 };
    bool markers = m->rx_conf.flags & MPA_MARKERS;
    uint32_t full = mpa_fpdu_size(0, mpa_mulpdu(m->rx_conf.ulpdu_max, markers), markers);
    if (!m->track && (m->track = llp_more(&m->o, sizeof *m->track)))
        llp_track_init(m->track, &m->o.conf.track, full, WORD);
    return m->track;
}

static bool is_remembered(struct llp_mpa *m, const struct llp_mpa_in *in, enum llp_refusal *why)
{
    bool asked = in->ahead && m->o.conf.track.layout > TRACK_LIST;
    bool may = !asked || (has_track(m) &&
                          llp_track_may(m->track, &m->o, mpa_edge(m->rx), in->offset, in->offset + in->len));
    *why = may ? LLP_FOR_ROOM : LLP_FOR_TRACK;
    return may;
}

enum llp_verdict llp_mpa_take(struct llp_mpa *m, const struct llp_mpa_in *in, enum llp_refusal *why)
{
    struct mpa_arrival a = {.offset = in->offset, .len = in->len};
    if (!is_ready(m))
        return LLP_REFUSED;
    if (m->o.conf.real)
        a.octets = in->octets;
    else if (!get_note(m, in))
        return LLP_BAD;
    a.marks = !m->o.conf.real;
    a.mark = &m->mark;
    if (!in->ahead && mpa_arrive_direct(m->rx, &a))
        return LLP_TAKEN;
    if (!finds_room(m, in, &a) || !is_remembered(m, in, why))
        return LLP_REFUSED;
    if (mpa_arrive(m->rx, &a) != a.len)
        return LLP_BAD;
    if (in->ahead) {
        if (m->track)
            llp_track_took(m->track, in->offset, in->offset + in->len);
        note_late(m, in);
    }
    return LLP_TAKEN;
}

static bool was_late(const struct llp_mpa *m, const struct mpa_fpdu *f)
{
    return m->late && f->in_order && !f->again && ideal_in_has(m->late, f->key, (uint32_t)(f->end - f->key));
}

bool llp_mpa_fin(struct llp_mpa *m, uint64_t offset)
{
    if (!is_ready(m))
        return false;
    mpa_fin(m->rx, offset);
    m->fin = true;
    return true;
}

uint64_t llp_mpa_crc_errors(const struct llp_mpa *m)
{
    return m->rx ? mpa_statistics(m->rx)->crc_bad : 0;
}

/* ---- rows of a table ---- */

uint32_t llp_mpa_mulpdu(const void *l, uint16_t stream)
{
    const struct llp_mpa *m = l;
    (void)stream;
    return m->o.open ? mpa_mulpdu(m->tx.emss, m->tx.flags & MPA_MARKERS) : 0;
}

bool llp_mpa_markers(const void *l)
{
    const struct llp_mpa *m = l;
    return m->o.open ? m->tx.flags & MPA_MARKERS : m->o.conf.markers;
}

uint64_t llp_mpa_key(const void *l, uint16_t stream)
{
    (void)stream;
    return mpa_key(&((const struct llp_mpa *)l)->tx);
}

uint64_t llp_mpa_key_after(const void *l, uint16_t stream, uint64_t key, uint32_t ulpdu, uint32_t *octets)
{
    (void)stream;
    *octets = llp_mpa_fpdu_len(l, key, ulpdu);
    return key + *octets;
}

int llp_mpa_next(void *l, uint16_t stream, struct llp_segment *out)
{
    struct llp_mpa *m = l;
    struct mpa_fpdu f;
    int result = m->rx ? mpa_take(m->rx, &f) : 0;
    m->failed |= result > 1;
    if (result != 1)
        return result;
    mpa_seg(&f, &out->seg);
    out->stream = stream;
    out->in_order = f.in_order;
    out->again = f.again;
    out->late = was_late(m, &f);
    out->last = f.last;
    return 1;
}

struct llp_track *llp_mpa_track(void *l, uint16_t stream)
{
    struct llp_mpa *m = l;
    (void)stream;
    return m->track;
}

int llp_mpa_keep(void *l, uint16_t stream)
{
    struct llp_mpa *m = l;
    (void)stream;
    return m->rx ? mpa_keep(m->rx) : IW_ESTATE;
}

void llp_mpa_again(void *l, uint16_t stream)
{
    struct llp_mpa *m = l;
    (void)stream;
    if (m->rx)
        mpa_again(m->rx);
}

uint64_t llp_mpa_edge(void *l, uint16_t stream)
{
    struct llp_mpa *m = l;
    (void)stream;
    if (m->track)
        llp_track_passed(m->track, mpa_edge(m->rx));
    return m->rx ? mpa_edge(m->rx) : 0;
}

enum llp_end llp_mpa_ended(void *l, uint16_t stream)
{
    static const enum llp_end ends[] = {[MPA_OPEN] = LLP_OPEN, [MPA_FIN] = LLP_FIN, [MPA_CUT] = LLP_CUT};
    struct llp_mpa *m = l;
    (void)stream;
    enum llp_end end = m->fin ? ends[mpa_ended(m->rx)] : LLP_OPEN;
    return m->fin && m->failed && end == LLP_OPEN ? LLP_FIN : end; /* nobody reads what is before it */
}
