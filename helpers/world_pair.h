/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HELPERS_WORLD_PAIR_H
#define HELPERS_WORLD_PAIR_H

#include "helpers/trial.h"

/* The pair world (model/pair): two hosts on one link, no TCP, no adapter timing; connections do not share the link. */
trial_world world_pair;

#endif
