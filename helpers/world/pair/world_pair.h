/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HELPERS_WORLD_PAIR_WORLD_PAIR_H
#define HELPERS_WORLD_PAIR_WORLD_PAIR_H

#include "helpers/trial/trial.h"

/* The pair world (model/pair): two hosts on one link, an ideal stream in the place of TCP; connections share neither
 * link nor adapter. */
trial_world world_pair;

#endif
