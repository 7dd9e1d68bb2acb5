/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HELPERS_WORLD_FABRIC_WORLD_FABRIC_H
#define HELPERS_WORLD_FABRIC_WORLD_FABRIC_H

#include "helpers/trial/trial.h"

/* A trial in the packet world: model/fabric between the nodes of model/node. */
int world_fabric(const struct scenario_point *point, struct trial *t);

#endif
