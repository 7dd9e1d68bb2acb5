/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3.h -- the world of ns-3: a trial_world. One point per process: ns-3's counters are global. */
#ifndef HELPERS_WORLD_NS3_WORLD_NS3_H
#define HELPERS_WORLD_NS3_WORLD_NS3_H

#include "helpers/trial/trial.h"

#ifdef __cplusplus
extern "C" {
#endif

trial_world world_ns3;

#ifdef __cplusplus
}
#endif
#endif
