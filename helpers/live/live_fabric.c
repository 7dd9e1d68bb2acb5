/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_fabric.c -- a network of many hosts for a live page: what was placed when, and what every link carried (live_inner.h). */
#include <stdlib.h>
#include <string.h>

#include "helpers/live/live_inner.h"
#include "helpers/trial/trial_run.h"
#include "helpers/world/fabric/world_fabric.h"

enum { COLUMN_T = 0, COLUMN_EVENT = 3, COLUMN_LENGTH = 5, COLUMN_OOO = 15 };

/* The text of column `n` of a line, which commas separate. */
static const char *column(const char *line, int n)
{
    for (; n && line; n--) {
        line = strchr(line, ',');
        line = line ? line + 1 : NULL;
    }
    return line ? line : "";
}

/* Of each placement its time, octets and whether something before it was missing: "picoseconds,octets,0". */
static void tell_placements(FILE *out, char *trace)
{
    for (char *line = trace, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        if (strncmp(column(line, COLUMN_EVENT), "placed,", 7) == 0)
            fprintf(out, "%llu,%lu,%c\n", strtoull(column(line, COLUMN_T), NULL, 10),
                    strtoul(column(line, COLUMN_LENGTH), NULL, 10), *column(line, COLUMN_OOO));
    }
}

static bool run(const struct scenario_point *point, char **trace, char **links, struct point_results *results)
{
    size_t size;
    struct trial_files files = {.label = "all"};
    files.trace = open_memstream(trace, &size);
    files.links = open_memstream(links, &size);
    struct trial *t = files.trace && files.links ? trial_new(point, &files) : NULL;
    if (t)
        trial_run(t, world_fabric, results);
    trial_free(t);
    if (files.trace)
        fclose(files.trace);
    if (files.links)
        fclose(files.links);
    return t != NULL;
}

bool live_fabric_run(const struct scenario *s, uint32_t repeat, FILE *out, char *why)
{
    struct scenario_point point;
    struct point_results results;
    char *trace = NULL, *links = NULL;
    if (!scenario_point(s, 0, repeat, &point, why))
        return false;
    bool good = point.world == WORLD_FABRIC;
    if (!good)
        snprintf(why, SCENARIO_ERROR_MAX, "only world: fabric runs in a page");
    if (good && !run(&point, &trace, &links, &results)) {
        snprintf(why, SCENARIO_ERROR_MAX, "out of memory");
        good = false;
    }
    if (good && (results.status == STATUS_REFUSED || results.status == STATUS_CRASHED)) {
        snprintf(why, SCENARIO_ERROR_MAX, "%s", results.note);
        good = false;
    }
    if (good) {
        tell_placements(out, trace);
        fprintf(out, "\n%s", links);
    }
    free(trace);
    free(links);
    return good;
}
