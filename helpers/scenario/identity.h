/* SPDX-License-Identifier: GPL-2.0-or-later */
/* identity.h -- which run a row is of: the SHA-256 of a canonical text.
 *
 *     repeat 2
 *     seed 1
 *     topology.delay 10us          every key of a point that file, sweep or --set states, by name, and what it says
 *     workload.size.cdf web-search.cdf
 *     workload.size.cdf sha256 ...   of the content of a file that is named
 *     world ns3
 *
 * World and seed stand there even as defaults; other defaults do not, or each new key would orphan the campaigns before it.
 */
#ifndef HELPERS_SCENARIO_IDENTITY_H
#define HELPERS_SCENARIO_IDENTITY_H

#include "helpers/base/sha256.h"
#include "helpers/scenario/scenario.h"

void scenario_identity(const struct scenario *s, size_t index, uint32_t repeat, char identity[SHA256_TEXT]);

#endif
