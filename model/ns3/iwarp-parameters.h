/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-parameters.h -- the table of rnic parameters (rnic/conf.h) as attributes. */
#ifndef IWARP_PARAMETERS_H
#define IWARP_PARAMETERS_H

#include "rnic/conf.h"

#include "ns3/type-id.h"

#include <string>

namespace ns3
{

/// Adds an attribute `rnic.NAME` to `tid` for each parameter. Values are strings as in a scenario: "64KiB", "100Gbps",
/// "1us", "1.5", "unlimited", "place"; "" leaves what the preset says. `conf` finds the structure in an object.
TypeId AddRnicParameters(TypeId tid, rnic_conf &(*conf)(ObjectBase *object));

/// The value of a parameter as such a string; and back: false when `text` is none, or out of range.
std::string FormatRnicParameter(const rnic_parameter &parameter, uint64_t value);
bool ParseRnicParameter(const rnic_parameter &parameter, const std::string &text, uint64_t *value);

} // namespace ns3

#endif
