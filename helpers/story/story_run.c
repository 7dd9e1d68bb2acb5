/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story_run.c -- running one point and reading what it traced (story_load.h). No file, no process: the page does the same. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/scenario/scenario.h"
#include "helpers/scenario/world.h"
#include "helpers/story/story_load.h"
#include "helpers/trial/trial_run.h"
#include "helpers/world/fabric/world_fabric.h"

/* ---- the head of a story ---- */

static const char *written(const struct scenario_point *p, const char *name, char out[64])
{
    struct value v;
    const struct key *key = key_find(name);
    key_load(key, p, &v);
    value_write(&v, &key->rules, out, 64);
    return out;
}

static void put_text(char *out, const char *format, const char *a)
{
    size_t used = strlen(out);
    snprintf(out + used, STORY_TITLE_MAX - used, format, a);
}

static void describe_faults(struct story *s, const struct scenario_point *p)
{
    static const struct {
        const char *key, *format;
    } faults[] = {{"channel.loss", "loss %s"},
                  {"channel.corrupt", "corruption %s"},
                  {"channel.duplicate", "duplication %s"},
                  {"channel.reorder.probability", "reordering %s"},
                  {"channel.reorder.displacement", " by %s packets"},
                  {"channel.reorder.delay", " by %s"},
                  {"channel.jitter", "jitter %s"}};
    char text[64];
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        written(p, faults[i].key, text);
        if (strcmp(text, "0") == 0 || strcmp(text, "0ps") == 0)
            continue;
        put_text(s->faults, "%s", *s->faults && *faults[i].format != ' ' ? ", " : "");
        put_text(s->faults, faults[i].format, text);
    }
}

static void describe_story(struct story *s, const struct scenario *scenario, const struct scenario_point *p)
{
    static const struct {
        const char *key, *format;
    } settings[] = {{"topology.rate", "%s"},          {"topology.delay", ", %s one way"},
                    {"topology.mtu", ", MTU %s"},     {"rnic.preset", "; adapter %s"},
                    {"rnic.receive", ", receive %s"}, {"rnic.window.bytes", ", window %s"},
                    {"rnic.window.policy", " (%s)"}};
    char text[64];
    snprintf(s->title, sizeof s->title, "%s", *scenario->conf.title ? scenario->conf.title : scenario->name);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        put_text(s->setting, settings[i].format, written(p, settings[i].key, text));
    describe_faults(s, p);
    snprintf(s->receive, sizeof s->receive, "%.15s", written(p, "rnic.receive", text));
    s->markers = p->llp.markers;
    s->crc = p->llp.crc;
    s->packet = p->llp.kind == LLP_PACKET;
    s->sctp = p->llp.kind == LLP_SCTP || s->packet;
    s->rate = p->topology.rate;
    s->delay = p->topology.delay;
}

/* ---- running ---- */

/* How many segments a point has at least; the tour of errors has few. */
static uint64_t segments_of(const struct scenario_point *p)
{
    struct scenario_derived d;
    scenario_derive(p, &d);
    uint64_t octets = workload_octets(&p->workload), messages = workload_messages(&p->workload);
    return (d.payload ? octets / d.payload : 0) + messages;
}

/* What makes a run smaller, from the least change on: a message count, a size; 0: as it is. */
static const struct smaller {
    uint32_t count;
    uint32_t size;
    const char *how;
} smallers[] = {
    {10, 0, "with --set workload.count=10 for instance"},
    {1, 0, "with --set workload.count=1 for instance"},
    {0, 16384, "with --set workload.size=16KiB for instance"},
    {10, 16384, "with --set workload.count=10 --set workload.size=16KiB for instance"},
    {1, 16384, "with --set workload.count=1 --set workload.size=16KiB for instance"},
};

/* Does a key mean anything for this kind of workload? */
static bool has_key(const struct scenario_point *p, const char *name)
{
    const struct key *key = key_find(name);
    char kind[64];
    written(p, "workload.kind", kind);
    const char *found = key->is ? strstr(key->is, kind) : kind;
    return found != NULL;
}

/* An advice that can be followed: tried before it is given. */
static const char *advice(const struct story_request *r, const struct scenario_point *p)
{
    for (size_t i = 0; i < sizeof smallers / sizeof *smallers; i++) {
        const struct smaller *s = &smallers[i];
        struct scenario_point less = *p;
        if (s->count)
            less.workload.count = s->count;
        if (s->size)
            less.workload.size = s->size;
        bool possible = (!s->count || has_key(p, "workload.count")) &&
                        (!s->size || (has_key(p, "workload.size") && !p->workload.sizes));
        if (possible && segments_of(&less) <= r->segments_max)
            return s->how;
    }
    return p->workload.kind == WORKLOAD_script ? "with shorter messages in --set workload.script"
                                               : "with fewer hosts, fewer connections or shorter messages";
}

static bool too_many(const struct story_request *r, const struct scenario_point *p, char *error)
{
    uint64_t n = segments_of(p), messages = workload_messages(&p->workload);
    if (n <= r->segments_max)
        return false;
    snprintf(error, STORY_ERROR_MAX,
             "%s has %" PRIu64 " message%s in about %" PRIu64
             " segments; at most %u segments can be told one by one: make it smaller, %s%s",
             r->file, messages, messages == 1 ? "" : "s", n, r->segments_max, advice(r, p),
             r->instead ? r->instead : "");
    return true;
}

/* In this process; what it traced as a stream to read. NULL: `error`. */
static FILE *run_here(const struct story_request *r, const struct scenario_point *point, char **memory,
                      char *error, int *status)
{
    size_t size = 0;
    struct point_results results;
    FILE *out = open_memstream(memory, &size);
    struct columns_out *rows = out ? columns_begin(out, trial_columns, TRACE_COLUMNS, true) : NULL;
    struct trial_files files = {.trace = rows, .label = "all"};
    struct trial *t = rows ? trial_new(point, &files) : NULL;
    *status = EXIT_FAILED;
    snprintf(error, STORY_ERROR_MAX, "out of memory for %s", r->file);
    if (t) {
        columns_start(out, trial_columns, TRACE_COLUMNS, true);
        trial_run(t, world_fabric, &results);
        trial_free(t);
        columns_flush(rows);
    }
    columns_free(rows);
    if (out)
        fclose(out);
    if (!t)
        return NULL;
    if (results.status == STATUS_REFUSED || results.status == STATUS_CRASHED) {
        snprintf(error, STORY_ERROR_MAX, "%s: %s", r->file, results.note);
        *status = status_exit(results.status);
        return NULL;
    }
    return fmemopen(*memory, size, "r");
}

struct story *story_run(const struct scenario *scenario, size_t index, const struct story_request *r,
                        char *error, int *status)
{
    struct scenario_point point;
    char label[SCENARIO_LABEL_MAX], *memory = NULL;
    *status = EXIT_INPUT;
    if (!scenario_point(scenario, index, r->repeat, &point, error) || too_many(r, &point, error))
        return NULL;
    scenario_label(scenario, index, label);
    FILE *trace = worlds[point.world].inside ? run_here(r, &point, &memory, error, status)
                                             : story_there(r, point.world, label, error, status);
    struct story *s = trace ? story_read(trace, r->file, error) : NULL;
    if (trace)
        fclose(trace);
    free(memory);
    if (s) {
        describe_story(s, scenario, &point);
        s->elsewhere = !worlds[point.world].inside;
    }
    return s;
}
