/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenario_check.h -- values that are fine by themselves and make no sense together. */
#ifndef HELPERS_SCENARIO_SCENARIO_CHECK_H
#define HELPERS_SCENARIO_SCENARIO_CHECK_H

#include "helpers/scenario/scenario.h"

/* Has the key that this one goes with (keys.h) a value that it goes with? A star has hosts, a link has none to choose. */
bool key_has_use(const struct key *key, const struct scenario_point *point);

/* Does this key say anything about this point that no other says? */
bool key_applies(const struct key *key, const struct scenario_point *point);

#endif
