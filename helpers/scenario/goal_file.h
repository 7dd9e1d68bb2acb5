/* SPDX-License-Identifier: GPL-2.0-or-later */
/* goal_file.h -- a GOAL schedule that a scenario names (`workload.file`): looked for beside the scenario, then among those
 * that ship (scenarios/schedules). Its text is goal_read.h's. */
#ifndef HELPERS_SCENARIO_GOAL_FILE_H
#define HELPERS_SCENARIO_GOAL_FILE_H

#include "helpers/scenario/goal_read.h"
#include "helpers/scenario/named_file.h"

struct goal_file {
    struct named_file file;
    const struct goal *goal;
};

/* `beside`: the scenario's file. Read once, never freed. NULL: `error` (GOAL_ERROR_MAX octets) says why. */
const struct goal_file *goal_file_find(const char *beside, const char *name, char *error);

#endif
