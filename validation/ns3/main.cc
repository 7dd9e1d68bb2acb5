/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.cc -- the ns-3 test suites of iWARP as a program: --list, --suite=NAME, --fullness=EXTENSIVE ...; --attributes: what its types have. */
#include <cstring>
#include <iostream>

#include "ns3/nstime.h"
#include "ns3/test.h"
#include "ns3/type-id.h"

static void Describe(ns3::TypeId type)
{
    std::cout << type.GetName() << ", a " << type.GetParent().GetName() << "\n";
    for (std::size_t i = 0; i < type.GetAttributeN(); i++) {
        const auto a = type.GetAttribute(i);
        std::cout << "  " << a.name << ": " << a.checker->GetValueTypeName() << " "
                  << (a.checker->HasUnderlyingTypeInformation() ? a.checker->GetUnderlyingTypeInformation()
                                                                : "")
                  << "; default " << a.initialValue->SerializeToString(a.checker) << "; flags " << a.flags
                  << "; " << a.help << "\n";
    }
    for (std::size_t i = 0; i < type.GetTraceSourceN(); i++) {
        const auto s = type.GetTraceSource(i);
        std::cout << "  trace " << s.name << ": " << s.callback << "; " << s.help << "\n";
    }
}

int main(int argc, char **argv)
{
    ns3::Time::SetResolution(ns3::Time::PS);
    if (argc < 2 || std::strcmp(argv[1], "--attributes") != 0)
        return ns3::TestRunner::Run(argc, argv);
    for (uint16_t i = 0; i < ns3::TypeId::GetRegisteredN(); i++)
        if (ns3::TypeId::GetRegistered(i).GetName().find("Iwarp") != std::string::npos)
            Describe(ns3::TypeId::GetRegistered(i));
    return 0;
}
