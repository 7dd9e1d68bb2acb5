/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_simgrid_main.c -- iwarpsim-simgrid: one point of a scenario on SimGrid. */
#include "helpers/campaign/world_main.h"
#include "helpers/world/simgrid/world_simgrid.h"

int main(int argc, char **argv)
{
    world_simulator(grid_ports_version());
    return world_main(argc, argv, WORLD_SIMGRID, world_simgrid, NULL);
}
