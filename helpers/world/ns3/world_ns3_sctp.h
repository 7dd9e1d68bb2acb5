/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3_sctp.h -- the ns-3 world for llp.kind sctp (world_ns3.h runs it). */
#ifndef HELPERS_WORLD_NS3_WORLD_NS3_SCTP_H
#define HELPERS_WORLD_NS3_WORLD_NS3_SCTP_H

#include "helpers/world/ns3/world_ns3_hosts.h"

#include <memory>

std::unique_ptr<Ns3Hosts> world_ns3_sctp(const scenario_point &point, trial *t);

#endif
