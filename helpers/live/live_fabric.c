/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_fabric.c -- a network of many hosts for a live page: what was placed when, and what every link carried (live_inner.h). */
#include <stdlib.h>
#include <string.h>

#include "helpers/live/live_inner.h"
#include "helpers/trial/trial_run.h"
#include "helpers/world/fabric/world_fabric.h"

/* The number of a column of a trace. */
static int numbered(const char *name)
{
    size_t length = strlen(name);
    int n = 0;
    for (const char *c = trial_columns; c; c = strchr(c, ','), c += c != NULL, n++)
        if (strncmp(c, name, length) == 0 && strcspn(c, ",\n") == length)
            return n;
    return n;
}

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
    int t = numbered("t_ps"), event = numbered("event"), length = numbered("length"), ooo = numbered("ooo");
    for (char *line = trace, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        if (strncmp(column(line, event), "placed,", 7) == 0)
            fprintf(out, "%llu,%lu,%c\n", strtoull(column(line, t), NULL, 10),
                    strtoul(column(line, length), NULL, 10), *column(line, ooo));
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
        snprintf(why, SCENARIO_ERROR_MAX, "only world: fabric runs on a page");
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
