/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* mpa_rx.c -- octets in, at any offset; FPDUs out (RFC 5044 sections 5.2, 6, 8 and appendix A).
 *
 * An arrival becomes a held run. mpa_take() follows the chain of lengths from the edge, then looks for FPDUs
 * ahead of it in the run that the arrival changed. What is still held when nothing more is found moves into
 * the store.
 *
 * Where an FPDU may start, ahead of the edge:
 *   sure     the run follows an FPDU that was handed up ahead or kept: the chain of lengths goes on
 *   guessed  the first octet of the TCP segment (alignment), or where a marker points; proven by the CRC
 */
#include <string.h>

#include "engine/carve.h"
#include "engine/law.h"
#include "engine/least.h"
#include "llp/mpa_inner.h"

/* Held octets at the edge never lack a run, nor does the rest behind a kept FPDU there. */
enum { RUNS_AT_EDGE = 2 };
/* Starts that may be disproved in one arrival: markers can be made to point to many, each of them worth a CRC. */
enum { WRONG_MAX = 16 };

/* ---- configuration and memory ---- */

static uint32_t ulpdu_max(const struct mpa_rx_conf *c)
{
    return c->ulpdu_max ? c->ulpdu_max : MPA_MULPDU_MAX;
}

/* No phase of the markers makes it larger than that of offset 0. */
static uint32_t largest_fpdu(const struct mpa_rx_conf *c)
{
    return mpa_fpdu_size(0, ulpdu_max(c), c->flags & MPA_MARKERS);
}

const char *mpa_rx_conf_error(const struct mpa_rx_conf *c)
{
    if (c->flags &
        ~(unsigned)(MPA_MARKERS | MPA_CRC | MPA_TRUST_ALIGNMENT | MPA_CRC_DROP | MPA_IN_ORDER | MPA_PIECES))
        return "unknown flags";
    if (c->flags & MPA_CRC_DROP && !(c->flags & MPA_CRC))
        return "without CRC no FPDU can be bad";
    if (c->ulpdu_max > MPA_ULPDU_MAX)
        return "ulpdu_max must be at most 65535";
    if (c->store < largest_fpdu(c))
        return "store must hold one FPDU of ulpdu_max";
    if (c->store > 1u << 31) /* half of the sequence numbers: TCP's largest window, and a packet */
        return "store must be at most 2^31 octets";
    if (c->ranges > 65535)
        return "ranges must be at most 65535";
    if (c->fpdus == 1 || c->fpdus > 65535)
        return "fpdus must be 0, or 2 to 65535";
    return NULL;
}

static uint32_t *order_behind(struct mpa_run *run, uint32_t runs)
{
    return run ? (uint32_t *)(void *)(run + runs) : NULL;
}

/* The parts of the block, behind the receiver itself. */
static void carve_receiver(struct mpa_rx *rx, struct carve *c)
{
    const struct mpa_rx_conf *conf = &rx->conf;
    struct mpa_run *run = carve(c, mpa_rx_runs_octets(conf->ranges));
    uint32_t runs = conf->ranges + RUNS_AT_EDGE;
    mpa_runs_init(&rx->runs, run, order_behind(run, runs), runs);
    rx->marks.mark = carve(c, conf->fpdus * sizeof *rx->marks.mark);
    if (conf->fpdus)
        return;
    rx->scratch = carve(c, conf->ulpdu_max);
    rx->store = carve(c, conf->store);
}

static struct mpa_rx configured(const struct mpa_rx_conf *conf)
{
    struct mpa_rx rx = {.conf = *conf,
                        .markers = conf->flags & MPA_MARKERS,
                        .crc = conf->flags & MPA_CRC,
                        .dropped_key = MPA_NOWHERE};
    rx.conf.ulpdu_max = ulpdu_max(conf);
    return rx;
}

size_t mpa_rx_size(const struct mpa_rx_conf *conf)
{
    struct carve c = {0};
    if (mpa_rx_conf_error(conf))
        return 0;
    struct mpa_rx rx = configured(conf);
    carve(&c, sizeof rx);
    carve_receiver(&rx, &c);
    return c.used;
}

struct mpa_rx *mpa_rx_init(void *memory, const struct mpa_rx_conf *conf)
{
    struct mpa_rx *rx = memory;
    struct carve c = {.memory = memory};
    if (mpa_rx_conf_error(conf))
        return NULL;
    *rx = configured(conf);
    carve(&c, sizeof *rx);
    carve_receiver(rx, &c);
    LAW(c.used == mpa_rx_size(conf));
    return rx;
}

uint32_t mpa_rx_runs(const struct mpa_rx *rx)
{
    return rx->runs.count;
}

size_t mpa_rx_runs_octets(uint32_t ranges)
{
    return (ranges + RUNS_AT_EDGE) * (sizeof(struct mpa_run) + sizeof(uint32_t));
}

void mpa_rx_move_runs(struct mpa_rx *rx, void *memory, uint32_t ranges)
{
    uint32_t runs = ranges + RUNS_AT_EDGE;
    mpa_runs_move(&rx->runs, memory, order_behind(memory, runs), runs);
    rx->conf.ranges = ranges;
}

uint32_t mpa_rx_marks(const struct mpa_rx *rx)
{
    return rx->marks.count;
}

size_t mpa_rx_marks_octets(uint32_t fpdus)
{
    return fpdus * sizeof(struct mpa_mark);
}

int mpa_rx_move_marks(struct mpa_rx *rx, void *memory, uint32_t fpdus)
{
    if (!rx->conf.fpdus || fpdus < 2 || fpdus > 65535 || fpdus < rx->marks.count)
        return IW_EINVAL;
    LAW(rx->marks.count <= rx->conf.fpdus);
    memcpy(memory, rx->marks.mark, mpa_rx_marks_octets(rx->marks.count));
    rx->marks.mark = memory;
    rx->conf.fpdus = fpdus;
    return IW_OK;
}

const struct mpa_stats *mpa_statistics(const struct mpa_rx *rx)
{
    return &rx->stats;
}

/* ---- what can be taken ---- */

/* Octets of the arrival that lie below edge + store. */
static uint32_t below_end_of_store(const struct mpa_rx *rx, const struct mpa_arrival *in)
{
    uint64_t room = rx->conf.store;
    if (in->offset < rx->edge)
        room += rx->edge - in->offset;
    else if (in->offset - rx->edge < room)
        room -= in->offset - rx->edge;
    else
        return 0;
    return (uint32_t)least(in->len, room);
}

/* The next octets of [*from, to) that are not here yet, and the run they lie before; false: all are here. `*i` is
 * mpa_runs_find() of `*from`, or the run of the gap before. */
static inline bool next_gap(const struct mpa_rx *rx, uint64_t *from, uint64_t to, uint64_t *end, uint32_t *i)
{
    const struct mpa_runs *r = &rx->runs;
    if (*from >= to)
        return false;
    for (; *i < r->count && mpa_run_at(r, *i)->start <= *from; ++*i)
        *from = mpa_run_at(r, *i)->end;
    *end = *i < r->count ? least(to, mpa_run_at(r, *i)->start) : to;
    return *from < to;
}

/* Does [from, to), in the gap before run `i`, join octets that are held already, or start at the edge? */
static bool needs_no_run(const struct mpa_rx *rx, uint64_t from, uint64_t to, uint32_t i)
{
    const struct mpa_run *before = i > 0 ? mpa_run_at(&rx->runs, i - 1) : NULL;
    const struct mpa_run *behind = i < rx->runs.count ? mpa_run_at(&rx->runs, i) : NULL;
    return from == rx->edge || (before && before->end == from && before->kind == MPA_RUN_HELD) ||
           (behind && behind->start == to && behind->kind == MPA_RUN_HELD);
}

/* Cut `to` where one run too many would be needed. A segment that may be refused for its CRC is one gap
 * (so that it is judged as a whole). */
static uint64_t affordable(const struct mpa_rx *rx, uint64_t from, uint64_t to)
{
    uint32_t free = rx->runs.count < rx->conf.ranges ? rx->conf.ranges - rx->runs.count : 0, gaps = 0;
    uint32_t i = mpa_runs_find(&rx->runs, from);
    for (uint64_t end; next_gap(rx, &from, to, &end, &i); from = end) {
        if (gaps++ && rx->conf.flags & MPA_CRC_DROP)
            return from;
        if (needs_no_run(rx, from, end, i))
            continue;
        if (!free--)
            return from;
    }
    return to;
}

/* Length-only: cut `to` where one mark too many would have to be remembered. Arrivals ahead of the edge
 * leave half of them to the edge. */
static uint64_t rememberable(const struct mpa_rx *rx, const struct mpa_arrival *in, uint64_t from,
                             uint64_t to)
{
    uint32_t all = from == rx->edge ? rx->conf.fpdus : rx->conf.fpdus / 2;
    uint32_t free = rx->marks.count < all ? all - rx->marks.count : 0;
    for (uint32_t i = 0; i < in->marks; i++) {
        const struct mpa_mark *m = &in->mark[i];
        if (m->key + mpa_fpdu_size(m->key, m->ulpdu_len, rx->markers) <= from)
            continue;
        if (m->key >= to)
            break;
        if (mpa_mark_of(&rx->marks, m->key))
            continue;
        if (!free--)
            return most(m->key, from);
    }
    return to;
}

/* The common case: in order, with nothing held or taken beyond the edge. */
static bool is_direct(const struct mpa_rx *rx, const struct mpa_arrival *in)
{
    return in->offset == rx->edge && !rx->runs.count && in->len <= rx->conf.store && !rx->failed &&
           !rx->open && in->len && in->marks < 2 && !(rx->conf.flags & MPA_CRC_DROP);
}

uint32_t mpa_would_take(const struct mpa_rx *rx, const struct mpa_arrival *in)
{
    if (is_direct(rx, in))
        return in->len;
    if (rx->failed)
        return in->len;
    if (rx->open)
        return 0;
    uint64_t from = most(in->offset, rx->edge), to = in->offset + below_end_of_store(rx, in);
    if (from >= to)
        return (uint32_t)(to - in->offset);
    if (mpa_length_only(rx))
        to = rememberable(rx, in, from, to);
    to = affordable(rx, from, to); /* last: cut short, what would have joined a run needs one of its own */
    LAW(from <= to && to - in->offset <= in->len && to <= rx->edge + rx->conf.store);
    return (uint32_t)(to - in->offset);
}

/* ---- where FPDUs may start ---- */

/* A receiver that hands nothing up ahead looks there only for what it may refuse. */
static bool can_guess(const struct mpa_rx *rx)
{
    if (rx->conf.flags & MPA_IN_ORDER)
        return rx->conf.flags & MPA_CRC_DROP;
    return rx->crc || rx->conf.flags & MPA_TRUST_ALIGNMENT;
}

/* Is `start`, in or before run `i`, the start of an FPDU by the chain of lengths? A run that ends there was
 * handed up: held runs never touch. */
static bool is_sure(const struct mpa_rx *rx, uint32_t i, uint64_t start)
{
    const struct mpa_run *before = i > 0 ? mpa_run_at(&rx->runs, i - 1) : NULL;
    return start == rx->edge || (before && before->end == start);
}

/* The held run that new octets become part of, and the FPDU start it is to be tried at. */
struct place {
    uint64_t start, end, anchor;
    enum { HOPED, BELIEVED, SURE } how; /* a venture; by a marker or by trust; by the chain of lengths */
};

static struct place join_runs(const struct mpa_rx *rx, uint32_t i, uint64_t start, uint64_t end)
{
    const struct mpa_run *before = i > 0 ? mpa_run_at(&rx->runs, i - 1) : NULL;
    const struct mpa_run *behind = i < rx->runs.count ? mpa_run_at(&rx->runs, i) : NULL;
    struct place p = {start, end, MPA_NOWHERE, HOPED};
    uint32_t first = i;
    if (before && before->end == start && before->kind == MPA_RUN_HELD) {
        first = i - 1;
        p.start = before->start;
        p.anchor = before->anchor;
    }
    if (behind && behind->start == end && behind->kind == MPA_RUN_HELD)
        p.end = behind->end;
    bool disproved = first < i && p.start != rx->edge && p.anchor != p.start;
    if (disproved || !is_sure(rx, first, p.start))
        return p;
    p.anchor = p.start;
    p.how = SURE;
    return p;
}

static bool proves_itself(struct mpa_rx *rx, const struct place *p)
{
    struct mpa_found found;
    return p->anchor != MPA_NOWHERE && mpa_probe(rx, p->anchor, p->end, &found) == MPA_GOOD;
}

/* Without a sure start: the segment's first octet if that proves itself; what was hoped for before if that
 * does; where the first new marker points; without markers the first octet after all, until it is
 * disproved. */
static void guess(struct mpa_rx *rx, struct place *p, uint64_t from, uint64_t to, bool aligned)
{
    struct mpa_found found;
    enum mpa_verdict v = MPA_UNTRIED;
    if (aligned && from % 4 == 0) {
        v = mpa_probe(rx, from, p->end, &found);
        rx->stats.guesses++;
        rx->stats.guesses_wrong += v != MPA_GOOD && v != MPA_WAIT;
    }
    bool trusted = v != MPA_UNTRIED && rx->conf.flags & MPA_TRUST_ALIGNMENT;
    if (v == MPA_GOOD || trusted)
        p->anchor = from;
    if (trusted)
        p->how = BELIEVED;
    if (v == MPA_GOOD || trusted)
        return;
    uint64_t marked = MPA_NOWHERE;
    if (rx->markers && rx->crc)
        marked =
            mpa_marked_start(rx, from > p->start + 3 ? from - 3 : p->start, least(to + 3, p->end), p->start);
    if (marked != MPA_NOWHERE && !proves_itself(rx, p)) {
        p->anchor = marked;
        p->how = BELIEVED;
    }
    if (p->anchor == MPA_NOWHERE && v == MPA_WAIT && !rx->markers)
        p->anchor = from;
}

/* What the held run on the right was hoping for, if nothing better is known. */
static void inherit(const struct mpa_rx *rx, struct place *p, uint32_t i, uint64_t end)
{
    if (p->anchor == MPA_NOWHERE && p->end > end)
        p->anchor = mpa_run_at(&rx->runs, i)->anchor;
}

/* ---- refusing a segment whose CRC is bad (RFC 5044 section 8) ---- */

static bool runs_into_taken(const struct mpa_rx *rx, uint32_t i, uint64_t end)
{
    for (; i < rx->runs.count && mpa_run_at(&rx->runs, i)->start < end; i++) {
        if (mpa_run_at(&rx->runs, i)->kind != MPA_RUN_HELD)
            return true;
    }
    return false;
}

/* The bad octets may be among those accepted before; then sending the segment again does not mend it, and
 * the second time it is taken, so that the error comes out. Of several such FPDUs the first decides: those
 * behind it wait, or each would make the other one's second time look like a first. */
static bool may_mend(struct mpa_rx *rx, uint64_t key, bool all_new)
{
    bool waits = rx->dropped_key != MPA_NOWHERE && rx->dropped_key >= rx->edge && key > rx->dropped_key;
    if (all_new || waits)
        return true;
    bool again = key == rx->dropped_key;
    rx->dropped_key = key;
    return !again;
}

/* Is an FPDU that the new octets complete, and whose start is certain, bad? `i`: the run behind them. Where
 * alignment is trusted, an FPDU that a `whole` segment begins and does not end has an altered length. */
static bool spoiled(struct mpa_rx *rx, const struct place *p, uint32_t i, bool whole)
{
    struct mpa_found f = {0};
    enum mpa_verdict v = MPA_GOOD;
    bool certain = p->how != HOPED, collides = false, overlong = false;
    for (uint64_t key = p->anchor; v == MPA_GOOD && key < rx->view.end; key = f.end) {
        v = mpa_probe(rx, key, p->end, &f);
        certain |= v == MPA_GOOD;
    }
    if (v == MPA_WAIT) {
        overlong = whole && rx->conf.flags & MPA_TRUST_ALIGNMENT && f.key >= rx->view.start;
        collides = !overlong && p->start == rx->edge && runs_into_taken(rx, i, f.end);
    }
    if (!certain || v == MPA_GOOD || (v == MPA_WAIT && !collides && !overlong))
        return false;
    rx->stats.crc_bad++;
    return may_mend(rx, f.key, overlong || (f.key >= rx->view.start && f.end <= rx->view.end && !collides));
}

/* ---- an arrival ---- */

static void copy_in(struct mpa_rx *rx, uint64_t from, uint64_t to)
{
    rx->stats.held += (uint32_t)(to - from);
    rx->stats.octets_copied += to - from;
    if (rx->stats.held > rx->stats.held_peak)
        rx->stats.held_peak = rx->stats.held;
    LAW(rx->stats.held <= rx->conf.store);
    if (mpa_length_only(rx))
        return;
    const uint8_t *octets = rx->view.octets + (from - rx->view.start);
    while (from < to) {
        uint32_t i = (uint32_t)(from % rx->conf.store);
        uint32_t n = (uint32_t)least(to - from, rx->conf.store - i);
        memcpy(rx->store + i, octets, n);
        octets += n;
        from += n;
    }
}

/* Remember a mark beyond this arrival, or what it adds to its FPDU. There is room: rememberable(). */
static void remember(struct mpa_rx *rx, const struct mpa_mark *mark)
{
    struct mpa_marks *m = &rx->marks;
    struct mpa_mark *known = mpa_mark_of(m, mark->key);
    if (known) {
        known->bad |= mark->bad;
        return;
    }
    uint32_t i = m->count++;
    for (; i > 0 && m->mark[i - 1].key > mark->key; i--)
        m->mark[i] = m->mark[i - 1];
    m->mark[i] = *mark;
    LAW(m->count <= rx->conf.fpdus && (!i || m->mark[i - 1].key < mark->key));
}

static void forget_below(struct mpa_rx *rx, uint64_t key)
{
    struct mpa_marks *m = &rx->marks;
    struct mpa_mark *known = mpa_mark_of(m, key);
    if (!known)
        return;
    m->count--;
    for (; known < m->mark + m->count; known++)
        *known = known[1];
}

static void remember_within(struct mpa_rx *rx, uint64_t from, uint64_t to)
{
    for (uint32_t i = 0; i < rx->view.marks; i++) {
        const struct mpa_mark *m = &rx->view.mark[i];
        if (m->key < to && m->key + mpa_fpdu_size(m->key, m->ulpdu_len, rx->markers) > from)
            remember(rx, m);
    }
}

/* Move what is still held or kept of the view into the store: its octets are the caller's again. */
static void close_view(struct mpa_rx *rx)
{
    const struct mpa_view *v = &rx->view;
    const struct mpa_runs *r = &rx->runs;
    for (uint32_t i = mpa_runs_find(r, v->start); i < r->count && mpa_run_at(r, i)->start < v->end; i++) {
        if (mpa_run_at(r, i)->kind == MPA_RUN_TAKEN)
            continue;
        uint64_t from = most(mpa_run_at(r, i)->start, v->start), to = least(mpa_run_at(r, i)->end, v->end);
        copy_in(rx, from, to);
        remember_within(rx, from, to);
    }
    rx->view = (struct mpa_view){0};
}

/* No octet beyond edge + store is taken; at most `ranges` runs lie beyond the edge, and two more at the edge. */
static bool is_within_bounds(const struct mpa_rx *rx)
{
    const struct mpa_runs *r = &rx->runs;
    if (!r->count)
        return true;
    return mpa_run_at(r, 0)->start >= rx->edge &&
           mpa_run_at(r, r->count - 1)->end <= rx->edge + rx->conf.store &&
           r->count <= rx->conf.ranges + RUNS_AT_EDGE;
}

static void count_runs(struct mpa_rx *rx)
{
    LAW(is_within_bounds(rx));
    rx->stats.ranges = rx->runs.count;
    if (rx->runs.count > rx->stats.ranges_peak)
        rx->stats.ranges_peak = rx->runs.count;
}

/* [from, to) of the arrival, in the gap before run `i`, becomes the view and a held run. False: refused. */
static bool open_view(struct mpa_rx *rx, const struct mpa_arrival *in, uint64_t from, uint64_t to, uint32_t i)
{
    const uint8_t *octets = in->octets ? in->octets + (from - in->offset) : NULL;
    LAW(rx->edge <= from && from < to); /* of octets that arrive twice the first win */
    rx->view = (struct mpa_view){from, to, octets, in->marks, in->mark};
    rx->proven_from = rx->proven_to = MPA_NOWHERE;
    struct place p = join_runs(rx, i, from, to);
    if (p.how != SURE && can_guess(rx))
        guess(rx, &p, from, to, from == in->offset);
    inherit(rx, &p, i, to);
    if (rx->conf.flags & MPA_CRC_DROP && spoiled(rx, &p, i, to == in->offset + in->len)) {
        rx->view = (struct mpa_view){0};
        return false;
    }
    mpa_runs_insert(&rx->runs, i, from, to, p.anchor);
    return true;
}

/* The edge moves to `edge`, and on over what was taken ahead: a hole has closed. */
static void move_edge(struct mpa_rx *rx, uint64_t edge)
{
    struct mpa_runs *r = &rx->runs;
    mpa_runs_advance(r, edge);
    if (r->count && mpa_run_at(r, 0)->start == edge && mpa_run_at(r, 0)->kind == MPA_RUN_TAKEN) {
        edge = mpa_run_at(r, 0)->end;
        mpa_runs_advance(r, edge);
    }
    LAW(rx->edge < edge && (!r->count || edge <= mpa_run_at(r, 0)->start));
    rx->edge = edge;
}

static void take_direct(struct mpa_rx *rx)
{
    rx->edge = rx->current.end;
    rx->current.where = MPA_CURRENT_NONE;
    if (rx->edge != rx->view.end)
        return;
    rx->direct = rx->open = false;
    rx->view = (struct mpa_view){0};
}

static void take_current(struct mpa_rx *rx)
{
    struct mpa_current *c = &rx->current;
    if (rx->direct) {
        take_direct(rx);
        return;
    }
    uint64_t new_from = most(c->key, rx->view.start), new_to = least(c->end, rx->view.end);
    uint64_t in_view = new_from < new_to ? new_to - new_from : 0;
    LAW(c->end - c->key - in_view <= rx->stats.held);
    rx->stats.held -= (uint32_t)(c->end - c->key - in_view);
    if (c->where == MPA_CURRENT_FRONT) {
        move_edge(rx, c->end);
    } else {
        mpa_runs_turn(&rx->runs, mpa_runs_find(&rx->runs, c->key), c->key, c->end, MPA_RUN_TAKEN);
    }
    if (rx->marks.count)
        forget_below(rx, c->key);
    c->where = MPA_CURRENT_NONE;
    count_runs(rx);
}

/* The FPDU handed up last was not given back: it is taken. */
static inline void settle_fpdu(struct mpa_rx *rx)
{
    if (rx->current.where != MPA_CURRENT_NONE)
        take_current(rx);
}

/* Every gap in [from, to) becomes held; `fresh` counts its octets. False: refused. */
static bool take_octets(struct mpa_rx *rx, const struct mpa_arrival *in, uint64_t from, uint64_t to,
                        uint64_t *fresh)
{
    uint32_t i = mpa_runs_find(&rx->runs, from);
    for (uint64_t end; next_gap(rx, &from, to, &end, &i); from = end) {
        if (*fresh)
            close_view(rx);
        if (!open_view(rx, in, from, end, i))
            return false;
        *fresh += end - from;
        if (end < to)
            i = mpa_runs_find(&rx->runs, end);
    }
    return true;
}

bool mpa_arrive_direct(struct mpa_rx *rx, const struct mpa_arrival *in)
{
    if (!rx->open)
        settle_fpdu(rx);
    if (!is_direct(rx, in))
        return false;
    rx->view = (struct mpa_view){in->offset, in->offset + in->len, in->octets, in->marks, in->mark};
    rx->proven_from = rx->proven_to = MPA_NOWHERE;
    rx->look = rx->look_end = rx->view.end;
    rx->wrong = 0;
    rx->open = rx->direct = true;
    return true;
}

/* What is left of a direct arrival becomes a held run like any other. */
static void end_direct(struct mpa_rx *rx)
{
    rx->direct = false;
    if (rx->edge < rx->view.end)
        mpa_runs_insert(&rx->runs, 0, rx->edge, rx->view.end, rx->edge);
    rx->look = rx->edge;
    count_runs(rx);
}

uint32_t mpa_arrive(struct mpa_rx *rx, const struct mpa_arrival *in)
{
    if (mpa_arrive_direct(rx, in))
        return in->len;
    uint32_t len = mpa_would_take(rx, in);
    rx->stats.octets_refused += in->len - len;
    if (rx->failed || !len)
        return len;
    uint64_t from = most(in->offset, rx->edge), to = in->offset + len, fresh = 0;
    rx->waiting = false;
    if (!take_octets(rx, in, from, to, &fresh)) {
        rx->stats.octets_refused += len;
        return 0;
    }
    LAW(fresh <= len);
    rx->stats.octets_again += len - fresh;
    if (!fresh)
        return len;
    rx->open = true;
    rx->wrong = 0;
    rx->look = from;
    rx->look_end = to;
    count_runs(rx);
    return len;
}

uint32_t mpa_stream(struct mpa_rx *rx, const void *octets, uint32_t len)
{
    uint64_t most = mpa_edge(rx) + rx->conf.store - rx->streamed;
    uint32_t taken = mpa_receive(rx, rx->streamed, octets, len < most || rx->failed ? len : (uint32_t)most);
    rx->streamed += taken;
    LAW(rx->failed || (rx->edge <= rx->streamed && rx->streamed <= rx->edge + rx->conf.store));
    return taken;
}

/* ---- handing up ---- */

static int hand(struct mpa_rx *rx, const struct mpa_found *f, struct mpa_fpdu *out, bool in_order, bool again)
{
    LAW(rx->current.where ==
        MPA_CURRENT_NONE); /* every FPDU is handed up at most once: the last one was taken or kept */
    LAW(in_order == (f->key == rx->edge) && rx->edge <= f->key);
    LAW(rx->proven_from <= f->key &&
        f->end <= rx->proven_to); /* what was handed up had a CRC that matched and a start that was proven */
    rx->current.key = out->key = f->key;
    rx->current.end = out->end = f->end;
    rx->current.where = in_order ? MPA_CURRENT_FRONT : MPA_CURRENT_AHEAD;
    out->in_order = in_order;
    out->again = again;
    mpa_ulpdu(rx, f, out);
    rx->stats.fpdus += !again;
    rx->stats.fpdus_ahead += !in_order;
    LAW(rx->stats.fpdus_ahead <= rx->stats.fpdus);
    return 1;
}

static int fail_stream(struct mpa_rx *rx, int term)
{
    rx->failed = term;
    rx->view = (struct mpa_view){0};
    rx->open = rx->direct = false;
    return term;
}

/* The FPDU at the edge runs into one that was handed up ahead: its octets are gone. No CRC can match, and that is what
 * an in-order receiver looks at first. */
static int fail_collision(struct mpa_rx *rx)
{
    return fail_stream(rx, rx->crc ? IW_T_LLP_CRC : IW_T_LLP_MARKER);
}

static int fail_bad(struct mpa_rx *rx, enum mpa_verdict v)
{
    rx->stats.crc_bad += v == MPA_BAD_CRC;
    return fail_stream(rx, v == MPA_BAD_CRC ? IW_T_LLP_CRC : IW_T_LLP_MARKER);
}

static int next_held_at_edge(struct mpa_rx *rx, struct mpa_fpdu *out)
{
    struct mpa_found f;
    enum mpa_verdict v = mpa_probe(rx, rx->edge, mpa_run_at(&rx->runs, 0)->end, &f);
    if (v == MPA_GOOD)
        return hand(rx, &f, out, true, false);
    if (v != MPA_WAIT)
        return fail_bad(rx, v);
    return runs_into_taken(rx, 1, f.end) ? fail_collision(rx) : 0;
}

/* Kept octets were proven before. */
static int next_kept_at_edge(struct mpa_rx *rx, struct mpa_fpdu *out)
{
    struct mpa_found f;
    if (rx->waiting)
        return 0;
    rx->proven_from = rx->edge;
    rx->proven_to = mpa_run_at(&rx->runs, 0)->end;
    mpa_probe(rx, rx->edge, mpa_run_at(&rx->runs, 0)->end, &f);
    return hand(rx, &f, out, true, true);
}

static int next_in_order(struct mpa_rx *rx, struct mpa_fpdu *out)
{
    const struct mpa_run *first = rx->runs.count ? mpa_run_at(&rx->runs, 0) : NULL;
    if (!first || first->start != rx->edge)
        return 0;
    return first->kind == MPA_RUN_KEPT ? next_kept_at_edge(rx, out) : next_held_at_edge(rx, out);
}

/* The anchor of held run `i` is no FPDU. Is there another marker to believe? */
static void disprove(struct mpa_rx *rx, uint32_t i)
{
    struct mpa_run *run = mpa_run_at(&rx->runs, i);
    if (!is_sure(rx, i, run->anchor))
        rx->stats.guesses_wrong++;
    run->anchor =
        rx->markers && rx->crc ? mpa_marked_start(rx, run->anchor, run->end, run->anchor + 1) : MPA_NOWHERE;
}

static bool worth_a_look(const struct mpa_rx *rx, const struct mpa_run *run)
{
    return run->kind == MPA_RUN_HELD && run->anchor != MPA_NOWHERE && run->start != rx->edge;
}

/* Handing up an FPDU may cut its run in three. */
static bool room_to_cut(const struct mpa_rx *rx)
{
    return rx->runs.count + 2 <= rx->conf.ranges;
}

static int next_ahead(struct mpa_rx *rx, struct mpa_fpdu *out)
{
    if (rx->conf.flags & MPA_IN_ORDER)
        return 0;
    while (rx->look < rx->look_end && rx->wrong < WRONG_MAX && room_to_cut(rx)) {
        uint32_t i = mpa_runs_find(&rx->runs, rx->look);
        if (i == rx->runs.count || mpa_run_at(&rx->runs, i)->start >= rx->look_end)
            break;
        const struct mpa_run *run = mpa_run_at(&rx->runs, i);
        struct mpa_found f;
        enum mpa_verdict v = worth_a_look(rx, run) ? mpa_probe(rx, run->anchor, run->end, &f) : MPA_WAIT;
        rx->look = v == MPA_GOOD ? f.end : run->end;
        if (v == MPA_GOOD) {
            rx->look_end = most(rx->look_end, run->end); /* what was held behind is sure now */
            return hand(rx, &f, out, false, false);
        }
        if (v != MPA_WAIT) {
            rx->look = run->start;
            rx->wrong++;
            disprove(rx, i);
        }
    }
    return 0;
}

/* The whole FPDU at the edge, where it arrived. 0: it is not whole, or not good, and the arrival is direct no more. */
static int next_direct(struct mpa_rx *rx, struct mpa_fpdu *out)
{
    struct mpa_found f;
    LAW(rx->edge < rx->view.end);
    uint32_t size = rx->markers ? 0 : mpa_plain(rx, out);
    if (size) {
        rx->current = (struct mpa_current){rx->edge, rx->edge + size, MPA_CURRENT_FRONT};
        rx->stats.fpdus++;
        return 1;
    }
    if (mpa_probe(rx, rx->edge, rx->view.end, &f) == MPA_GOOD)
        return hand(rx, &f, out, true, false);
    end_direct(rx);
    return 0;
}

int mpa_take(struct mpa_rx *rx, struct mpa_fpdu *fpdu)
{
    settle_fpdu(rx);
    if (rx->failed)
        return rx->failed;
    if (rx->direct && next_direct(rx, fpdu)) {
        fpdu->last = fpdu->end == rx->view.end;
        return 1;
    }
    fpdu->last = false;
    if (!rx->open && !rx->runs.count)
        return 0;
    int next = next_in_order(rx, fpdu);
    if (!next)
        next = next_ahead(rx, fpdu);
    if (next)
        return next;
    close_view(rx);
    rx->open = false;
    return 0;
}

int mpa_keep(struct mpa_rx *rx)
{
    struct mpa_current *c = &rx->current;
    if (c->where == MPA_CURRENT_NONE)
        return IW_ESTATE;
    if (rx->direct)
        end_direct(rx);
    uint32_t i = mpa_runs_find(&rx->runs, c->key);
    if (mpa_run_at(&rx->runs, i)->kind == MPA_RUN_HELD)
        mpa_runs_turn(&rx->runs, i, c->key, c->end, MPA_RUN_KEPT);
    if (c->where == MPA_CURRENT_FRONT)
        rx->waiting = true;
    c->where = MPA_CURRENT_NONE;
    rx->stats.kept++;
    count_runs(rx);
    return IW_OK;
}

void mpa_again(struct mpa_rx *rx)
{
    rx->waiting = false;
}

uint64_t mpa_edge(struct mpa_rx *rx)
{
    settle_fpdu(rx);
    return rx->edge;
}

void mpa_seg(const struct mpa_fpdu *f, struct iw_seg *seg)
{
    iw_seg_view(seg, f->key, f->ulpdu, f->octets);
    if (f->octets == f->len)
        return;
    seg->payload_len = f->len - seg->head_len;
    if (!f->pieces) {
        seg->frag[0] = (struct iw_frag){NULL, seg->payload_len};
        return;
    }
    seg->frags = seg->frag[0].len ? 1 : 0;
    for (uint32_t i = 0; i < f->pieces; i++)
        seg->frag[seg->frags++] = f->piece[i];
}

/* ---- the end of the stream ---- */

void mpa_fin(struct mpa_rx *rx, uint64_t offset)
{
    rx->fin_known = true;
    rx->fin = offset;
}

enum mpa_end mpa_ended(struct mpa_rx *rx)
{
    uint64_t edge = mpa_edge(rx);
    const struct mpa_run *first = rx->runs.count ? mpa_run_at(&rx->runs, 0) : NULL;
    if (!rx->fin_known)
        return MPA_OPEN;
    if (edge >= rx->fin)
        return MPA_FIN;
    bool all_here = first && first->start == edge && first->kind == MPA_RUN_HELD && first->end >= rx->fin;
    return all_here ? MPA_CUT : MPA_OPEN;
}
