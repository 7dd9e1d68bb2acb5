/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3_sctp.h -- the ns-3 world for llp.kind sctp (world_ns3.h runs it). */
#ifndef HELPERS_WORLD_NS3_SCTP_H
#define HELPERS_WORLD_NS3_SCTP_H

#include "helpers/trial.h"

#include "ns3/iwarp-rnic.h"
#include "ns3/iwarp-topology.h"

#include <functional>

/// Runs the point. `adapter` makes the adapter of a host with so many connection ends. False: trial_refuse() said why.
bool world_ns3_sctp(const scenario_point &point, trial *t, const ns3::IwarpTopology::Configuration &topology,
                    const std::function<ns3::Ptr<ns3::IwarpRnic>(uint32_t host, uint32_t ends)> &adapter);

#endif
