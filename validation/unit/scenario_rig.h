/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenario_rig.h -- scenarios from text, run in this process, for the tests of the command's parts. */
#ifndef VALIDATION_SCENARIO_RIG_H
#define VALIDATION_SCENARIO_RIG_H

#include "helpers/scenario/scenario.h"
#include "helpers/trial/results.h"
#include "validation/support/test.h"

/* A file with this text, in a folder of its own that is removed when all tests are over; valid until the next call. */
const char *rig_file(const char *name, const char *text);
/* A path in that folder. */
const char *rig_path(const char *name);

/* The scenario of a text; fails the test when it is refused. */
struct scenario *rig_scenario(const char *text, const char *const *sets, size_t sets_count);
/* The row of a run in the packet world, without its new line; malloc()ed. */
char *rig_row(const struct scenario *s, size_t index, uint32_t repeat);
struct point_results rig_results(const struct scenario *s, size_t index, uint32_t repeat);

#endif
