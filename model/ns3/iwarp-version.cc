/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-version.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <dlfcn.h>
#include <regex>

namespace ns3
{

namespace
{

// libns3-core.so.37 (Debian), libns3.40-core-optimized.so (ns-3's own build)
std::string VersionIn(const std::string &library)
{
    std::smatch found;
    if (std::regex_search(library, found, std::regex("libns(3\\.[0-9.]+)-core")))
        return found[1];
    if (std::regex_search(library, found, std::regex("core\\.so\\.([0-9.]+)")))
        return "3." + found[1].str();
    return "of unknown version";
}

} // namespace

std::string IwarpNs3Version()
{
    Dl_info library;
    const bool found = dladdr(reinterpret_cast<const void *>(&Simulator::Run), &library) && library.dli_fname;
    const LogComponent::ComponentList *components = LogComponent::GetComponentList();
    const bool logging = components && components->count("Simulator");
    return "ns-3 " + VersionIn(found ? library.dli_fname : "") + (logging ? ", logging compiled in" : "");
}

} // namespace ns3
