/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HELPERS_WORLD_FABRIC_WORLD_CLASSES_H
#define HELPERS_WORLD_FABRIC_WORLD_CLASSES_H

#include "fabric/fabric.h"
#include "helpers/trial/trial.h"

/* The transport_classes workload: DDPP core on two hosts without adapters, on the network of `conf`. */
int world_classes(const struct scenario_point *point, struct trial *t, struct fabric_conf conf);

#endif
