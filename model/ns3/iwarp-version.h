/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-version.h -- which ns-3 this program runs on. */
#ifndef IWARP_VERSION_H
#define IWARP_VERSION_H

#include <string>

namespace ns3
{

/// "ns-3 3.37, logging compiled in": from the name of the library that is loaded. Logging makes it slower.
std::string IwarpNs3Version();

} // namespace ns3

#endif
