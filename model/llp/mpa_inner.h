/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* mpa_inner.h -- the inside of the MPA receiver, shared by mpa_rx.c and mpa_probe.c only. */
#ifndef IW_LLP_MPA_INNER_H
#define IW_LLP_MPA_INNER_H

#include "llp/mpa.h"
#include "llp/mpa_runs.h"

/* What one arrival brought that is new: its octets are still the caller's, not in the store. */
struct mpa_view {
    uint64_t start, end; /* equal: none */
    const uint8_t *octets;
    uint32_t marks;
    const struct mpa_mark *mark;
};

/* Length-only: the marks of FPDUs that are held or kept, sorted by key. */
struct mpa_marks {
    struct mpa_mark *mark;
    uint32_t count;
};

/* The FPDU that mpa_take() handed up last, until it is known whether it was taken. */
struct mpa_current {
    uint64_t key, end;
    enum { MPA_CURRENT_NONE, MPA_CURRENT_FRONT, MPA_CURRENT_AHEAD } where;
};

struct mpa_rx {
    struct mpa_rx_conf conf;
    bool markers, crc;
    bool open;    /* an arrival is being worked on */
    bool direct;  /* it starts at the edge and nothing lies beyond: its octets are in no run yet */
    bool waiting; /* the kept FPDU at the edge was handed up and given back: not again in this arrival */
    bool fin_known;
    int failed;
    uint64_t edge;
    struct mpa_current current;
    struct mpa_view view;
    struct mpa_runs runs;
    uint64_t look, look_end;         /* runs still to be searched for FPDUs ahead of the edge */
    uint64_t proven_from, proven_to; /* FPDUs in there have been proven in this arrival */
    uint32_t wrong;                  /* FPDU starts disproved in this arrival */
    struct mpa_marks marks;
    struct mpa_stats stats;

    /* the rest */
    uint64_t streamed;    /* mpa_stream(): octets taken so far */
    uint64_t dropped_key; /* the FPDU for which a segment was refused though part of it was held */
    uint64_t fin;
    uint8_t *store;         /* octet x of the stream at x % conf.store */
    uint8_t *scratch;       /* one ULPDU in one piece */
    struct mpa_mark handed; /* length-only: of the FPDU handed up last, if it was remembered */
};

/* ---- mpa_probe.c: is there an FPDU at this offset? ---- */

struct mpa_found {
    uint64_t key, body, end; /* body: ULPDU_Length; end: of that while it is missing */
    uint32_t len;
    uint32_t n; /* octets of it that lie at `octets` in one piece */
    const uint8_t *octets;
    const struct mpa_mark *mark; /* length-only */
};

enum mpa_verdict {
    MPA_UNTRIED,
    MPA_WAIT, /* not whole yet */
    MPA_GOOD,
    MPA_BAD_LENGTH,
    MPA_BAD_CRC,
    MPA_BAD_MARKER
};

/* Try `key` as the start of an FPDU; everything from there up to `there` has arrived. A good one is
 * remembered as proven, so that its CRC is not computed again in this arrival. */
enum mpa_verdict mpa_probe(struct mpa_rx *rx, uint64_t key, uint64_t there, struct mpa_found *found);
/* The same for the most common case, an FPDU without markers at the edge, whole in the view: size, or 0. */
uint32_t mpa_plain(const struct mpa_rx *rx, struct mpa_fpdu *out);
/* The first FPDU start at or above `lowest` that a marker in [from, to) points to; MPA_NOWHERE. */
uint64_t mpa_marked_start(const struct mpa_rx *rx, uint64_t from, uint64_t to, uint64_t lowest);
/* Its ULPDU in one piece: where it lies, or in the scratch when markers or borders cut it. */
void mpa_ulpdu(struct mpa_rx *rx, const struct mpa_found *found, struct mpa_fpdu *out);

/* Contiguous octets from `from` on, at most up to `to`; `n` says how many. All of [from, to) has arrived. */
static inline const uint8_t *mpa_octets(const struct mpa_rx *rx, uint64_t from, uint64_t to, uint32_t *n)
{
    const struct mpa_view *v = &rx->view;
    if (from >= v->start && from < v->end) {
        *n = (uint32_t)((to < v->end ? to : v->end) - from);
        return v->octets + (from - v->start);
    }
    if (from < v->start && to > v->start)
        to = v->start;
    uint32_t i = (uint32_t)(from % rx->conf.store), border = rx->conf.store - i;
    *n = to - from < border ? (uint32_t)(to - from) : border;
    return rx->store + i;
}

/* Length-only: what is remembered of the FPDU `key`; NULL. */
struct mpa_mark *mpa_mark_of(const struct mpa_marks *marks, uint64_t key);

static inline bool mpa_length_only(const struct mpa_rx *rx)
{
    return rx->conf.fpdus != 0;
}

#endif
