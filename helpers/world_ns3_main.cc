/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3_main.cc -- iwarpsim-ns3: one point of a scenario on ns-3. */
#include "helpers/world_ns3.h"
#include "ns3/iwarp-version.h"

int main(int argc, char **argv)
{
    const std::string simulator = ns3::IwarpNs3Version();
    trial_simulator(simulator.c_str());
    return trial_main(argc, argv, WORLD_NS3, world_ns3);
}
