/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* mpa_runs.h -- which octets beyond the edge have arrived, and what became of them. Private to the MPA
 * receiver.
 *
 *   edge      held          taken      kept
 *     |    [----------)[-------------)[-----)      [---)
 *
 * Laws: runs are sorted, never empty and never overlap; neighbours of the same kind do not touch.
 */
#ifndef IW_LLP_MPA_RUNS_H
#define IW_LLP_MPA_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#define MPA_NOWHERE UINT64_MAX

enum mpa_run_kind {
    MPA_RUN_HELD,  /* octets not yet handed up */
    MPA_RUN_TAKEN, /* FPDUs handed up ahead; their octets are gone */
    MPA_RUN_KEPT   /* FPDUs handed up ahead and given back; their octets are here */
};

struct mpa_run {
    uint64_t start, end;
    uint64_t anchor; /* held: where an FPDU starts, or may start, inside the run; MPA_NOWHERE: not known */
    enum mpa_run_kind kind;
};

/* The runs lie where they were made; `order` says in which order. It is a gap buffer: the runs before `gap` stand at its
 * front, the others at its back. An arrival works through the runs from left to right, and so does the gap, so that one
 * arrival moves each of these small numbers once or twice, however many holes it closes. */
struct mpa_runs {
    struct mpa_run *slot;
    uint32_t *order;
    uint32_t count;
    uint32_t gap, hole; /* where it is, and how long: max - count */
    uint32_t used;      /* slots ever used: those behind were never touched */
    uint32_t free;      /* a slot that is free again, or MPA_NO_SLOT; its `start` names the next one */
    uint32_t near;      /* the run changed last: most questions are about it */
};
#define MPA_NO_SLOT UINT32_MAX

/* Room for `max` runs: `slot` and `order` have so many entries, which need not be clean. */
void mpa_runs_init(struct mpa_runs *runs, struct mpa_run *slot, uint32_t *order, uint32_t max);
/* The same runs in such memory, in which there is room for more of them. */
void mpa_runs_move(struct mpa_runs *runs, struct mpa_run *slot, uint32_t *order, uint32_t max);
/* Run `i` of `count`, from the edge on. */
static inline struct mpa_run *mpa_run_at(const struct mpa_runs *r, uint32_t i)
{
    return &r->slot[r->order[i < r->gap ? i : i + r->hole]];
}

/* The first run that ends beyond `offset`; count when there is none. */
uint32_t mpa_runs_find(const struct mpa_runs *runs, uint64_t offset);
/* [start, end) has arrived: a held run, one with the held runs it touches. It overlaps none; `i` is
 * mpa_runs_find() of start. */
void mpa_runs_insert(struct mpa_runs *runs, uint32_t i, uint64_t start, uint64_t end, uint64_t anchor);
/* The FPDU [start, end) of held run `i` becomes taken or kept. */
void mpa_runs_turn(struct mpa_runs *runs, uint32_t i, uint64_t start, uint64_t end, enum mpa_run_kind kind);
/* The edge moves to `edge`, inside the first run or to its end: what lies before is forgotten. */
void mpa_runs_advance(struct mpa_runs *runs, uint64_t edge);

#endif
