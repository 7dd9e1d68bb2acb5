/* SPDX-License-Identifier: GPL-2.0-or-later */
/* delay_file.h -- delays as they were measured: files of "time share" lines (`channel.delay.cdf`).
 *
 *     # comment
 *     TIME SHARE     both ascending; SHARE of the packets has at most TIME (1.5us); the last SHARE is 1; straight lines between
 *
 * Looked for beside the scenario, then among those that ship (scenarios/paths).
 */
#ifndef HELPERS_SCENARIO_DELAY_FILE_H
#define HELPERS_SCENARIO_DELAY_FILE_H

#include "channel/channel.h"
#include "helpers/scenario/named_file.h"

enum { DELAY_FILE_ERROR_MAX = 256 };

struct delay_file {
    struct named_file file;
    uint32_t count;
    struct channel_delay *entry;
};

/* `beside`: the scenario's file. Read once, never freed. NULL: `error` (DELAY_FILE_ERROR_MAX octets) says why. */
const struct delay_file *delay_file_find(const char *beside, const char *name, char *error);

#endif
