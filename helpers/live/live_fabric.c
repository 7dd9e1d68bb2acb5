/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_fabric.c -- a network of many hosts for a live page: what was placed when, how much was on its way, and what every link
 * carried (live_inner.h). */
#include <stdlib.h>
#include <string.h>

#include "helpers/live/live_inner.h"
#include "helpers/scenario/world.h"
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

/* The line behind this one, which ends with a zero octet from now on; NULL: it was the last. */
static char *end_line(char *line)
{
    char *end = strchr(line, '\n');
    if (end)
        *end++ = 0;
    return end && *end ? end : NULL;
}

/* More octets on links and in queues (1), fewer (-1), or neither. */
static int way_of(enum trace_kind kind)
{
    static const int ways[TRACE_KINDS] = {
        [TRACE_LEFT] = 1, [TRACE_RESENT] = 1, [TRACE_LANDED] = -1, [TRACE_LOST] = -1};
    return ways[kind];
}

/* Of each placement its time, octets and whether something before it was missing: "picoseconds,octets,0". Then, into `way`, the octets
 * on links and in queues: the most since the line before, and how many are left: "picoseconds,octets,octets". */
static void tell_trace(FILE *out, FILE *way, char *trace)
{
    enum { EVENTS = 8 }; /* between lines of `way` */
    int t = numbered("t_ps"), event = numbered("event"), length = numbered("length"), ooo = numbered("ooo");
    long long now = 0, most = 0;
    unsigned events = 0;
    for (char *line = trace && *trace ? trace : NULL, *next; line; line = next) {
        next = end_line(line);
        unsigned long long at = strtoull(column(line, t), NULL, 10);
        long octets = strtol(column(line, length), NULL, 10);
        enum trace_kind kind = trace_kind_of(column(line, event));
        int change = way_of(kind);
        if (kind == TRACE_PLACED)
            fprintf(out, "%llu,%ld,%c\n", at, octets, *column(line, ooo));
        now += change * octets;
        most = now > most ? now : most;
        events += change != 0;
        if (!change || (events % EVENTS && now > 0))
            continue;
        fprintf(way, "%llu,%lld,%lld\n", at, most, now);
        most = now;
    }
}

static void print_trace(FILE *out, char *trace, const char *links)
{
    char *text = NULL;
    size_t size;
    FILE *way = open_memstream(&text, &size);
    if (!way)
        return;
    tell_trace(out, way, trace);
    fclose(way);
    fprintf(out, "\n%s\n%s", text, links);
    free(text);
}

static bool run_point(const struct scenario_point *point, char **trace, char **links,
                      struct point_results *results)
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
    bool good = worlds[point.world].inside;
    if (!good)
        snprintf(why, SCENARIO_ERROR_MAX, "only world: fabric runs on a page");
    if (good && !run_point(&point, &trace, &links, &results)) {
        snprintf(why, SCENARIO_ERROR_MAX, "out of memory");
        good = false;
    }
    if (good && (results.status == STATUS_REFUSED || results.status == STATUS_CRASHED)) {
        snprintf(why, SCENARIO_ERROR_MAX, "%s", results.note);
        good = false;
    }
    if (good)
        print_trace(out, trace, links);
    free(trace);
    free(links);
    return good;
}
