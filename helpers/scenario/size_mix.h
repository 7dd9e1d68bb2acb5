/* SPDX-License-Identifier: GPL-2.0-or-later */
/* size_mix.h -- message-size mixes: files of "octets share" lines, from which workloads draw (`workload.size.cdf`).
 *
 *     # comment
 *     OCTETS SHARE     both ascending; SHARE of the messages has at most OCTETS; the last SHARE is 1; straight lines between
 *
 * A mix is named by its file's name: looked for beside the scenario, then among those that ship (scenarios/sizes).
 */
#ifndef HELPERS_SCENARIO_SIZE_MIX_H
#define HELPERS_SCENARIO_SIZE_MIX_H

#include "helpers/scenario/named_file.h"
#include "scenarios/workloads/workload.h"

enum { SIZE_MIX_ERROR_MAX = 256 };

struct size_mix {
    struct named_file file;
    uint32_t count;
    struct workload_size *sizes;
    double mean; /* octets */
};

/* `beside`: the scenario's file. Read once, never freed. NULL: `error` (SIZE_MIX_ERROR_MAX octets) says why. */
const struct size_mix *size_mix_find(const char *beside, const char *name, char *error);

#endif
