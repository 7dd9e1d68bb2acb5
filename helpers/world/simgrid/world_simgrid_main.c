/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_simgrid_main.c -- iwarpsim-simgrid: one point of a scenario on SimGrid. */
#include <string.h>

#include "helpers/base/environment.h"
#include "helpers/base/exit.h"
#include "helpers/campaign/run_options.h"
#include "helpers/campaign/world_main.h"
#include "helpers/world/simgrid/world_simgrid.h"

/* Of a point: FILE --point P, as a run has them. */
static int tell_routes(int argc, char **argv)
{
    struct run_options o;
    struct scenario_point p;
    char why[SCENARIO_ERROR_MAX];
    int status = EXIT_INPUT;
    environment_clean();
    struct scenario *s = run_options_parse(&o, argc, argv, NULL, &status) && o.point
                             ? scenario_open(o.file, o.sets, o.sets_count, why)
                             : NULL;
    size_t index = s ? scenario_find(s, o.point) : 0;
    bool good = s && index < s->points && scenario_point(s, index, 0, &p, why) && p.platform;
    if (good)
        status = world_simgrid_routes(&p, stdout, why, sizeof why) ? EXIT_DONE
                                                                   : complain(EXIT_FAILED, "", "%s", why);
    scenario_free(s);
    run_options_free(&o);
    return status;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "routes") == 0)
        return tell_routes(argc - 1, argv + 1);
    world_simulator(grid_ports_version());
    return world_main(argc, argv, WORLD_SIMGRID, world_simgrid, NULL);
}
