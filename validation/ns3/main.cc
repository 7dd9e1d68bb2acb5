/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.cc -- the ns-3 test suites of iWARP as a program: --list, --suite=NAME, --fullness=EXTENSIVE ... */
#include "ns3/nstime.h"
#include "ns3/test.h"

int main(int argc, char **argv)
{
    ns3::Time::SetResolution(ns3::Time::PS);
    return ns3::TestRunner::Run(argc, argv);
}
