/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_pair_classes.h -- the pair world for workload.kind transport_classes: DDPP core over SCTP. */
#ifndef HELPERS_WORLD_PAIR_WORLD_PAIR_CLASSES_H
#define HELPERS_WORLD_PAIR_WORLD_PAIR_CLASSES_H

#include "helpers/trial/trial.h"

trial_world world_pair_classes;

#endif
