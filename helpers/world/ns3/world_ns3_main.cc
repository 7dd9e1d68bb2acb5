/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3_main.cc -- iwarpsim-ns3: one point of a scenario on ns-3. */
#include "helpers/base/exit.h"
#include "helpers/campaign/world_main.h"
#include "helpers/story/notes.h"
#include "helpers/world/ns3/world_ns3.h"
#include "helpers/world/ns3/world_ranks.h"
#include "ns3/iwarp-version.h"

#include <cstdio>
#include <new>
#include <unistd.h>

// ns-3 takes memory without asking: say what is missing instead of std::bad_alloc and a core.
static void OutOfMemory()
{
    std::fputs("iwarpsim-ns3: not enough memory for this point; fewer hosts, connections or outstanding "
               "messages need less\n",
               stderr);
    _exit(EXIT_FAILED);
}

int main(int argc, char **argv)
{
    std::set_new_handler(OutOfMemory);
    if (JoinRanks(&argc, &argv))
        world_silent();
    const std::string simulator = ns3::IwarpNs3Version();
    world_simulator(simulator.c_str());
    const int status = world_main(argc, argv, WORLD_NS3, world_ns3, notes_write_all);
    LeaveRanks();
    return status;
}
