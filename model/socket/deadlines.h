/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* deadlines.h -- what is due when, the soonest first: a binary heap whose entries lie in what they belong to. */
#ifndef IW_SOCKET_DEADLINES_H
#define IW_SOCKET_DEADLINES_H

#include "engine/iw.h"

struct deadline {
    iw_time at;
    uint32_t place; /* in the heap, from 1 on; 0: it is in none */
};

/* Law: no entry is due before the one at half its place. */
struct deadlines {
    struct deadline **heap; /* [1 .. count] */
    uint32_t count, room;
};

/* Room for so many entries. False: out of memory, and nothing has changed. */
bool deadlines_make_room(struct deadlines *d, uint32_t entries);
void deadlines_free(struct deadlines *d);
/* Due at `at` from now on; IW_NEVER: taken out. There is room. */
void deadline_set(struct deadlines *d, struct deadline *e, iw_time at);
/* The soonest; NULL: none. */
struct deadline *deadlines_first(const struct deadlines *d);

#endif
