/* SPDX-License-Identifier: GPL-2.0-or-later */
/* embedded.h -- the worlds that this program runs by itself. */
#ifndef HELPERS_WORLD_EMBEDDED_H
#define HELPERS_WORLD_EMBEDDED_H

#include "helpers/trial/trial.h"

static inline bool world_is_embedded(enum point_world world)
{
    return world == WORLD_FABRIC || world == WORLD_PAIR;
}
/* A trial in one of them. */
int world_embedded(const struct scenario_point *point, struct trial *t);

#endif
