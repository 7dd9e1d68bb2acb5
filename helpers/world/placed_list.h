/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placed_list.h -- octets that were placed while hosts run ahead of the trial, which counts them by their number alone: they wait
 * until all parts are known, and only those with one of which a part of the run may end are put in order. */
#ifndef HELPERS_WORLD_PLACED_LIST_H
#define HELPERS_WORLD_PLACED_LIST_H

#include "helpers/world/hosts.h"

struct placed {
    struct hosts_key key;
    uint32_t octets, number; /* in its list: keys of one list may be alike */
};

/* Of one part. */
struct placed_list {
    struct placed *at;
    size_t count, room;
    uint64_t first, last, octets; /* the times between which they were placed, and their sum */
    bool no_memory;
};

void placed_add(struct placed_list *list, struct hosts_key key, uint32_t octets);
/* The trial hears of all lists, which are empty then. False: no memory. */
bool placed_hear(struct placed_list *list, uint32_t lists, struct trial *t);

#endif
