/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ns3_main.cc -- iwarpsim-ns3: one point of a scenario on ns-3. */
#include "helpers/world_ns3.h"

int main(int argc, char **argv)
{
    return trial_main(argc, argv, WORLD_NS3, world_ns3);
}
