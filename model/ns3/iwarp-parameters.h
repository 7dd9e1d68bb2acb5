/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-parameters.h -- tables of parameters (parameter.h) as attributes. */
#ifndef IWARP_PARAMETERS_H
#define IWARP_PARAMETERS_H

#include "parameter.h"

#include "ns3/type-id.h"

#include <set>
#include <string>

namespace ns3
{

/// Adds an attribute `GROUP.NAME` to `tid` for each row of a table but those of `without`. Values are strings as in a scenario
/// ("64KiB", "100Gbps", "1us", "1.5", "unlimited", "place"), or ns-3's own: TimeValue, DataRateValue, BooleanValue,
/// UintegerValue. "" leaves what the structure has, which is the default where a `preset` says it. `structure` finds it in an
/// object.
void AddParameters(TypeId tid, const parameter_table &table, void *(*structure)(ObjectBase *object),
                   bool preset, const std::set<std::string> &without = {});

/// The value of a parameter as such a string; and back: false when `text` is none, or out of range.
std::string FormatParameter(const parameter &p, const void *structure);
bool ParseParameter(const parameter &p, const std::string &text, void *structure);

} // namespace ns3

#endif
