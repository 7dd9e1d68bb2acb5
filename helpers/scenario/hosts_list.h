/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts_list.h -- hosts by number: `all`, or numbers and ranges in the order that counts, `0 4-7` or `0, 4-7`. */
#ifndef HELPERS_SCENARIO_HOSTS_LIST_H
#define HELPERS_SCENARIO_HOSTS_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "helpers/scenario/value.h"
#include "scenarios/workloads/workload.h"

struct hosts_list {
    uint32_t hosts, ranges; /* ranges 0: all */
    struct workload_range range[WORKLOAD_RANGES_MAX];
};

/* Of a network of so many hosts. False: `why` (VALUE_WHY_MAX octets) says what is wrong. */
bool hosts_list_read(const char *text, uint32_t hosts, struct hosts_list *list, char *why);
/* The same, or `pack N`, the first N hosts that none of these parts has, or `spread N`, N of those at even distances. A part
 * that has all hosts takes none. */
bool hosts_list_place(const char *text, uint32_t hosts, const struct workload_part *part, uint32_t parts,
                      struct hosts_list *list, char *why);

#endif
