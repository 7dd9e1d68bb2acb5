/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story_load.c -- finding out what a file is, and telling it (story_load.h). */
#include "helpers/story/story_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "helpers/base/exit.h"
#include "helpers/scenario/scenario.h"
#include "helpers/trial/trial_run.h"

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
    if (columns_are(p, len))
        return STORY_FILE_TRACE;
    return len >= 5 && memcmp(p, "t_ps,", 5) == 0 ? STORY_FILE_TRACE : STORY_FILE_SCENARIO;
}

enum story_file story_file_kind(const char *path, char *error)
{
    uint8_t octets[16];
    struct stat status;
    FILE *f = stat(path, &status) == 0 ? fopen(path, "rb") : NULL;
    if (!f) {
        snprintf(error, STORY_ERROR_MAX, "%s cannot be opened: %s", path, strerror(errno));
        return STORY_FILE_NONE;
    }
    if (S_ISDIR(status.st_mode)) {
        snprintf(
            error, STORY_ERROR_MAX,
            "%s is a folder; name a scenario, a capture, or a trace (a file of DIR/trace of `run --trace`)",
            path);
        fclose(f);
        return STORY_FILE_NONE;
    }
    size_t len = fread(octets, 1, sizeof octets, f);
    fclose(f);
    return is_named_capture(path) ? STORY_FILE_CAPTURE : by_first_octets(octets, len);
}

/* ---- scenarios and traces ---- */

static size_t pick(const struct scenario *s, const struct story_request *r, char *error)
{
    if (!r->point && s->points == 1)
        return 0;
    size_t index = r->point ? scenario_find(s, r->point) : s->points;
    if (index == s->points && r->point)
        snprintf(error, STORY_ERROR_MAX, "%s has no point '%s'; `iwarpsim check %s` lists them", r->file,
                 r->point, r->file);
    else if (index == s->points)
        snprintf(
            error, STORY_ERROR_MAX,
            "%s has %zu points, and only one can be told: set each swept key with --set KEY=VALUE, or, for "
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

/* A trace does not name its lower layer: the keys of SCTP and of packets count segments, and packets have no window. */
static void find_layer(struct story *s)
{
    bool window = false;
    for (int i = 0; i < s->events; i++)
        window |= s->event[i].kind == TRACE_WINDOW;
    s->sctp = s->segments && s->segment[0].end == s->segment[0].key + 1;
    s->packet = s->sctp && !window;
}

/* Its lines; those of a file of columns are made from it, into `*lines`. NULL: `error`. */
static FILE *open_trace(const struct story_request *r, char **lines, char *error)
{
    char begins[16];
    size_t size;
    FILE *f = fopen(r->file, "r"), *out;
    if (!f) {
        snprintf(error, STORY_ERROR_MAX, "%s cannot be opened: %s", r->file, strerror(errno));
        return NULL;
    }
    size = fread(begins, 1, sizeof begins, f);
    rewind(f);
    if (!columns_are(begins, size))
        return f;
    out = open_memstream(lines, &size);
    bool good = out && columns_csv(f, r->file, NULL, SIZE_MAX, out, error);
    fclose(f);
    good = out && fclose(out) == 0 && good;
    return good ? fmemopen(*lines, size, "r") : NULL;
}

static struct story *load_trace(const struct story_request *r, char *error)
{
    char *lines = NULL;
    FILE *f = open_trace(r, &lines, error);
    struct story *s = f ? story_read(f, r->file, error) : NULL;
    if (f)
        fclose(f);
    free(lines);
    if (s && (uint32_t)s->segments > r->segments_max) {
        snprintf(error, STORY_ERROR_MAX, "%s has %d segments; at most %u can be told one by one", r->file,
                 s->segments, r->segments_max);
        story_free(s);
        return NULL;
    }
    if (s) {
        snprintf(s->title, sizeof s->title, "%s", r->file);
        find_layer(s);
    }
    return s;
}

bool story_request_set(const char *value, void *request)
{
    struct story_request *r = request;
    r->sets[r->sets_count++] = value;
    return true;
}

/* A message was posted to DDP itself. */
static bool is_of_ddp(const struct story *s)
{
    for (int i = 0; i < s->events; i++)
        if (s->event[i].kind == TRACE_POST &&
            (s->event[i].said.op == IW_DDP_TAGGED || s->event[i].said.op == IW_DDP_UNTAGGED))
            return true;
    return false;
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
    if (s && is_of_ddp(s)) {
        snprintf(error, STORY_ERROR_MAX,
                 "%s is a run of workload.kind: ddp, whose headers have no RDMAP that a story could tell; "
                 "`run --trace` has its events",
                 r->file);
        story_free(s);
        return NULL;
    }
    if (s)
        snprintf(s->file, sizeof s->file, "%s", r->file);
    return s;
}
