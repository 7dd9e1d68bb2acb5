/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_file.h -- a connection matrix that a scenario names (`workload.matrix`): looked for beside the scenario, then among
 * those that ship (scenarios/matrices). Its text is matrix_read.h's. */
#ifndef HELPERS_SCENARIO_MATRIX_FILE_H
#define HELPERS_SCENARIO_MATRIX_FILE_H

#include "helpers/scenario/matrix_read.h"
#include "helpers/scenario/named_file.h"

struct matrix_file {
    struct named_file file;
    const struct matrix *matrix;
};

/* `beside`: the scenario's file. Read once, never freed. NULL: `error` (MATRIX_ERROR_MAX octets) says why. */
const struct matrix_file *matrix_file_find(const char *beside, const char *name, char *error);

#endif
