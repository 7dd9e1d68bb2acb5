/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-version.h"

#include "ns3/data-rate.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <dlfcn.h>
#include <iostream>
#include <regex>
#include <sstream>

namespace ns3
{

namespace
{

// libns3-core.so.37 (Debian), libns3.40-core-optimized.so (ns-3's own build), libns3.37-core.so (of its release)
std::string VersionIn(const std::string &library)
{
    std::smatch found;
    if (std::regex_search(library, found, std::regex("libns(3\\.[0-9.]+)-core-?(\\w*)")))
        return found[1].str() + (found[2].length() ? " " + found[2].str() : "");
    if (std::regex_search(library, found, std::regex("core\\.so\\.([0-9.]+)")))
        return "3." + found[1].str();
    return "of unknown version";
}

// Whether the library's functions log: one that does so, and nothing else, is asked to.
bool LogsFunctions()
{
    const LogComponent::ComponentList *components = LogComponent::GetComponentList();
    const auto found = components->find("DataRate");
    if (found == components->end())
        return false;
    LogComponent *component = found->second;
    const bool enabled = component->IsEnabled(LOG_FUNCTION);
    std::ostringstream log;
    std::streambuf *before = std::clog.rdbuf(log.rdbuf());
    component->Enable(LOG_FUNCTION);
    DataRate{1};
    if (!enabled)
        component->Disable(LOG_FUNCTION);
    std::clog.rdbuf(before);
    return !log.str().empty();
}

} // namespace

std::string IwarpNs3Version()
{
    Dl_info library;
    const bool found = dladdr(reinterpret_cast<const void *>(&Simulator::Run), &library) && library.dli_fname;
    return "ns-3 " + VersionIn(found ? library.dli_fname : "") +
           (LogsFunctions() ? ", logging compiled in" : "");
}

} // namespace ns3
