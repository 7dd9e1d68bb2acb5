/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/embedded.h"

#include "helpers/world/fabric/world_fabric.h"
#include "helpers/world/pair/world_pair.h"

int world_embedded(const struct scenario_point *point, struct trial *t)
{
    return point->world == WORLD_PAIR ? world_pair(point, t) : world_fabric(point, t);
}
