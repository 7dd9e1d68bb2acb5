/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story_load.c -- running what shall be told (story_load.h). */
#define _XOPEN_SOURCE 700 /* nftw() */
#include "helpers/story/story_load.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/campaign/run_point.h"
#include "helpers/scenario/scenario.h"
#include "helpers/scenario/world.h"
#include "helpers/trial/trial_run.h"
#include "helpers/world/fabric/world_fabric.h"

/* ---- which file ---- */

/* A file named as captures are is one, whatever is in it. */
static bool is_named_capture(const char *path)
{
    static const char *const endings[] = {".pcap", ".pcapng", ".cap"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

static enum story_file by_first_octets(const uint8_t *p, size_t len)
{
    static const uint8_t magics[][4] = {{0xa1, 0xb2, 0xc3, 0xd4},
                                        {0xd4, 0xc3, 0xb2, 0xa1},
                                        {0xa1, 0xb2, 0x3c, 0x4d},
                                        {0x4d, 0x3c, 0xb2, 0xa1},
                                        {0x0a, 0x0d, 0x0d, 0x0a}};
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (len >= 4 && memcmp(p, magics[i], 4) == 0)
            return STORY_FILE_CAPTURE;
    return len >= 5 && memcmp(p, trial_columns, 5) == 0 ? STORY_FILE_TRACE : STORY_FILE_SCENARIO;
}

enum story_file story_file_kind(const char *path, char *error)
{
    uint8_t octets[8];
    struct stat status;
    FILE *f = stat(path, &status) == 0 ? fopen(path, "rb") : NULL;
    if (!f) {
        snprintf(error, STORY_ERROR_MAX, "%s cannot be opened: %s", path, strerror(errno));
        return STORY_FILE_NONE;
    }
    if (S_ISDIR(status.st_mode)) {
        snprintf(
            error, STORY_ERROR_MAX,
            "%s is a folder; name a scenario, a capture, or a trace (DIR/trace/NAME.csv of `run --trace`)",
            path);
        fclose(f);
        return STORY_FILE_NONE;
    }
    size_t len = fread(octets, 1, sizeof octets, f);
    fclose(f);
    return is_named_capture(path) ? STORY_FILE_CAPTURE : by_first_octets(octets, len);
}

/* ---- the head of a story ---- */

static const char *written(const struct scenario_point *p, const char *name, char out[64])
{
    struct value v;
    const struct key *key = key_find(name);
    key_load(key, p, &v);
    value_write(&v, &key->rules, out, 64);
    return out;
}

static void put(char *out, const char *format, const char *a)
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
        put(s->faults, "%s", *s->faults && *faults[i].format != ' ' ? ", " : "");
        put(s->faults, faults[i].format, text);
    }
}

static void describe(struct story *s, const struct scenario *scenario, const struct scenario_point *p)
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
        put(s->setting, settings[i].format, written(p, settings[i].key, text));
    describe_faults(s, p);
    snprintf(s->receive, sizeof s->receive, "%.15s", written(p, "rnic.receive", text));
    s->markers = p->llp.markers;
    s->crc = p->llp.crc;
    s->sctp = p->llp.kind == LLP_SCTP;
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

static bool too_many(const struct story_request *r, const struct scenario_point *p, char *error)
{
    uint64_t n = segments_of(p), messages = workload_messages(&p->workload);
    if (n <= r->segments_max)
        return false;
    snprintf(error, STORY_ERROR_MAX,
             "%s has %" PRIu64 " messages in about %" PRIu64
             " segments; at most %u segments can be told one by one: make it smaller, %s%s",
             r->file, messages, n, r->segments_max,
             p->workload.count > 10 ? "with --set workload.count=10 for instance"
                                    : "with fewer hosts, fewer connections or shorter messages",
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
    struct trial_files files = {.trace = out, .label = "all"};
    struct trial *t = out ? trial_new(point, &files) : NULL;
    *status = EXIT_FAILED;
    snprintf(error, STORY_ERROR_MAX, "out of memory for %s", r->file);
    if (t) {
        fputs(trial_columns, out);
        trial_run(t, world_fabric, &results);
        trial_free(t);
    }
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

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *where)
{
    (void)s, (void)type, (void)where;
    return remove(path);
}

static void start_world(const struct story_request *r, const char *label, const char *program,
                        const char *out)
{
    char repeat[16];
    const char **argv = calloc(2 * r->sets_count + 12, sizeof *argv);
    size_t n = 0;
    if (!argv)
        _exit(EXIT_FAILED);
    snprintf(repeat, sizeof repeat, "%u", r->repeat);
    argv[n++] = program;
    argv[n++] = r->file;
    for (size_t i = 0; i < r->sets_count; i++) {
        argv[n++] = "--set";
        argv[n++] = r->sets[i];
    }
    const char *const rest[] = {"--point", label, "--repeat", repeat, "--out", out, "--trace"};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        argv[n++] = rest[i];
    if (freopen("/dev/null", "w", stdout)) /* the row is not asked for */
        execv(program, (char *const *)(uintptr_t)argv);
    _exit(EXIT_FAILED);
}

static FILE *first_file(const char *folder)
{
    char path[PATH_LONG];
    FILE *f = NULL;
    DIR *d = opendir(folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e && !f; e = readdir(d)) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        f = strstr(e->d_name, ".csv") ? fopen(path, "r") : NULL;
    }
    if (d)
        closedir(d);
    return f;
}

enum { SCRATCH_LONG = 1024 };

/* In the program of its world: it writes its trace into a folder that is gone afterwards. */
static FILE *run_there(const struct story_request *r, enum point_world world, const char *label, char *error,
                       int *status)
{
    const char *scratch = getenv("TMPDIR");
    char program[PATH_LONG], out[SCRATCH_LONG], folder[sizeof out + 8];
    *status = EXIT_FAILED;
    if (snprintf(out, sizeof out, "%s/iwarpsim-XXXXXX", scratch && *scratch ? scratch : P_tmpdir) >=
        SCRATCH_LONG) {
        snprintf(error, STORY_ERROR_MAX, "TMPDIR names a folder with too long a path");
        return NULL;
    }
    if (!world_program(world, program)) {
        snprintf(error, STORY_ERROR_MAX,
                 "%s runs in world %s, whose program is built where its simulator is installed; --set "
                 "world=fabric tells the same without it",
                 r->file, worlds[world].name);
        return NULL;
    }
    snprintf(error, STORY_ERROR_MAX, "%s: world %s could not run it", r->file, worlds[world].name);
    if (!mkdtemp(out))
        return NULL;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        start_world(r, label, program, out);
    int got = EXIT_FAILED << 8;
    if (child > 0)
        waitpid(child, &got, 0);
    snprintf(folder, sizeof folder, "%s/trace", out);
    FILE *f = first_file(folder);
    nftw(out, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    *status = WIFEXITED(got) && WEXITSTATUS(got) ? WEXITSTATUS(got) : EXIT_FAILED;
    return f;
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
    FILE *trace = point.world == WORLD_FABRIC ? run_here(r, &point, &memory, error, status)
                                              : run_there(r, point.world, label, error, status);
    struct story *s = trace ? story_read(trace, r->file, error) : NULL;
    if (trace)
        fclose(trace);
    free(memory);
    if (s)
        describe(s, scenario, &point);
    return s;
}

static size_t pick(const struct scenario *s, const struct story_request *r, char *error)
{
    if (!r->point && s->points == 1)
        return 0;
    size_t index = r->point ? scenario_find(s, r->point) : s->points;
    if (index == s->points && r->point)
        snprintf(error, STORY_ERROR_MAX, "%s has no point '%s'; `iwarpsim check %s` lists them", r->file,
                 r->point, r->file);
    else if (index == s->points)
        snprintf(error, STORY_ERROR_MAX,
                 "%s has %zu points and one can be told at a time: --set KEY=VALUE each swept key, or, for "
                 "`iwarpsim explain` and `play`, choose with --point LABEL (`iwarpsim check %s` lists them)",
                 r->file, s->points, r->file);
    return index;
}

static struct story *load_scenario(const struct story_request *r, char *error, int *status)
{
    *status = EXIT_INPUT;
    struct scenario *scenario = scenario_load(r->file, r->sets, r->sets_count, error);
    if (!scenario)
        return NULL;
    size_t index = pick(scenario, r, error);
    struct story *s = index < scenario->points ? story_run(scenario, index, r, error, status) : NULL;
    scenario_free(scenario);
    return s;
}

static struct story *load_trace(const struct story_request *r, char *error)
{
    FILE *f = fopen(r->file, "r");
    if (!f) {
        snprintf(error, STORY_ERROR_MAX, "%s cannot be opened: %s", r->file, strerror(errno));
        return NULL;
    }
    struct story *s = story_read(f, r->file, error);
    fclose(f);
    if (s && (uint32_t)s->segments > r->segments_max) {
        snprintf(error, STORY_ERROR_MAX, "%s has %d segments; at most %u can be told one by one", r->file,
                 s->segments, r->segments_max);
        story_free(s);
        return NULL;
    }
    if (s)
        snprintf(s->title, sizeof s->title, "%s", r->file);
    return s;
}

struct story *story_load(const struct story_request *r, char *error, int *status)
{
    struct story *s = NULL;
    *status = EXIT_INPUT;
    switch (story_file_kind(r->file, error)) {
    case STORY_FILE_SCENARIO: s = load_scenario(r, error, status); break;
    case STORY_FILE_TRACE: s = load_trace(r, error); break;
    case STORY_FILE_CAPTURE: s = story_listen(r, error, status); break;
    case STORY_FILE_NONE: break;
    }
    if (s)
        snprintf(s->file, sizeof s->file, "%s", r->file);
    return s;
}
