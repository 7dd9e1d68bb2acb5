/* SPDX-License-Identifier: GPL-2.0-or-later */
/* play_command.c -- iwarpsim play */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/command.h"
#include "helpers/command/course.h"
#include "helpers/scenario/scenario.h"
#include "helpers/story/play.h"
#include "helpers/story/play_page.h"
#include "helpers/story/story_load.h"

static const char help[] =
    "usage: iwarpsim play FILE [-o OUT.html] [--live] [--beside PATH] [--set KEY=VALUE]... [--point P] "
    "[--repeat R]\n"
    "\n"
    "Writes a small run as one page for any browser, with nothing else to install: a sequence chart and the\n"
    "receiver's buffer on one time line, to play, step through and search; a click on a segment shows its\n"
    "octets, a click on a field explains it. In `predict` the page stops and asks what comes next: where a\n"
    "segment goes, which octets may be used, what must come first. The page lists its keys.\n"
    "FILE is a scenario, a trace or a capture, as for `iwarpsim explain`.\n"
    "\n"
    "  -o OUT.html      file to write [NAME.html, in this folder]; - is standard output\n"
    "  --live           with the engine in the page: sliders, a box for the script, captures dropped there\n"
    "  --beside PATH    a second receive path on the same channel: place, hold, discard, copy, or none;\n"
    "                   cluster: no stories, but all hosts on one canvas (with --live)\n"
    "                   [copy beside place; none for captures, traces and runs that use another]\n"
    "  --set, --point, --repeat   as for `iwarpsim run`, for a scenario\n";

enum { SEGMENTS_MAX = 2000, EVENTS_MAX = 20000, STORIES_MAX = 2 };

struct arguments {
    struct story_request request;
    const char *out, *beside;
    const char *about; /* JSON of a page in a course; NULL: it is none */
    bool live;
};

static bool read_beside(const char *word, void *beside)
{
    const char *sets[PLAY_BESIDE_SETS];
    *(const char **)beside = word;
    return strcmp(word, "none") == 0 || strcmp(word, PLAY_CLUSTER) == 0 || play_beside_sets(word, sets);
}

static const struct argument rows[] = {
    {.name = "output", .into = offsetof(struct arguments, out), .read = argument_text, .letter = 'o'},
    ARGUMENT_READ("beside", struct arguments, beside, read_beside,
                  "--beside takes place, hold, discard, copy, none or cluster, not"),
    ARGUMENT_FLAG("live", struct arguments, live),
    STORY_REQUEST_ROWS(struct arguments),
    {0},
};

static int parse_play(int argc, char **argv, struct arguments *a)
{
    int status = arguments_read(argc, argv, "play", help, rows, a);
    if (status >= 0)
        return status;
    if (optind != argc - 1)
        return argument_wrong(
            "play", optind < argc ? "one file at a time" : "a scenario, trace or capture is required", NULL);
    a->request.file = argv[optind];
    return -1;
}

/* ---- the second one ---- */

static struct story *load_beside(const struct story_request *r, const char *path, char *error, int *status)
{
    struct story_request second = *r;
    const char **sets = calloc(r->sets_count + PLAY_BESIDE_SETS, sizeof *sets);
    if (!sets)
        return NULL;
    if (r->sets_count)
        memcpy(sets, r->sets, r->sets_count * sizeof *sets);
    play_beside_sets(path, sets + r->sets_count);
    second.sets = sets;
    second.sets_count = r->sets_count + PLAY_BESIDE_SETS;
    struct story *s = story_load(&second, error, status);
    free(sets);
    return s;
}

/* ---- the engine in the page ---- */

/* `./waf wasm` writes it beside the program; an installation has it in share/iwarpsim. */
static const char module_name[] = "live.wasm.z";

uint8_t *play_module(size_t *size)
{
    char path[PATH_LONG];
    if (!built_path(path, module_name)) {
        complain(0, "play", "the engine for pages, %s, is missing; `./waf wasm` builds it", module_name);
        return NULL;
    }
    return (uint8_t *)file_read(path, size);
}

/* Why this cannot be a live page; NULL: it can. */
static const char *not_live(const struct arguments *a, const struct story *first)
{
    char error[STORY_ERROR_MAX];
    if (story_file_kind(a->request.file, error) != STORY_FILE_SCENARIO)
        return "--live needs a scenario; a capture or trace cannot be run";
    return first->elsewhere ? "only world: fabric runs on a page" : NULL;
}

/* ---- writing ---- */

static void name_page(const char *file, char out[PATH_LONG])
{
    /* a file was given: parse_play(). NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    snprintf(out, PATH_LONG, "%.*s.html", (int)(dot ? dot - name : (long)strlen(name)), name);
}

static bool write_file(const struct arguments *a, const char *path, struct story *const *stories, int count,
                       const struct play_live *live)
{
    struct whole_file f;
    return file_end(&f, file_begin(&f, path) && play_write(f.out, stories, count, live, a->about));
}

static int write_page(const struct arguments *a, struct story *const *stories, int count,
                      const struct play_live *live)
{
    char path[PATH_LONG];
    bool to_stdout = a->out && strcmp(a->out, "-") == 0;
    name_page(a->request.file, path);
    if (a->out)
        snprintf(path, sizeof path, "%s", a->out);
    bool good = to_stdout ? play_write(stdout, stories, count, live, a->about) && fflush(stdout) == 0
                          : write_file(a, path, stories, count, live);
    if (!good)
        return cannot_write(EXIT_FAILED, "play", path);
    if (!to_stdout && !a->about)
        printf("%s\n", path);
    return EXIT_DONE;
}

/* With the scenario, and the engine to run it. */
static int write_live(const struct arguments *a, struct story *const *stories, int count)
{
    char error[SCENARIO_ERROR_MAX];
    const struct story_request *r = &a->request;
    const char *why = not_live(a, stories[0]);
    if (why)
        return argument_wrong("play", why, NULL);
    struct play_live live = {.repeat = r->repeat, .beside = a->beside ? a->beside : ""};
    uint8_t *module = play_module(&live.module_size);
    struct scenario *s = module ? scenario_load(r->file, r->sets, r->sets_count, error) : NULL;
    int status = EXIT_FAILED;
    if (s) {
        live.scenario = s;
        live.point = r->point ? scenario_find(s, r->point) : 0;
        live.module = module;
        status = write_page(a, stories, count, &live);
    }
    scenario_free(s);
    free(module);
    return status;
}

static int too_long(const struct arguments *a, int events)
{
    return complain(EXIT_INPUT, "play",
                    "%s has %d events, and a page holds at most %d: use fewer or shorter messages, show one "
                    "receive path with --beside none, or read it with `iwarpsim explain`",
                    a->request.file, events, EVENTS_MAX);
}

static int play_story(const struct arguments *a)
{
    char error[STORY_ERROR_MAX];
    int status, count = 1;
    struct story *stories[STORIES_MAX] = {story_load(&a->request, error, &status), NULL};
    const char *path = stories[0] ? play_beside(stories[0]->receive, a->beside ? a->beside : "") : "";
    if (*path && *stories[0]->receive) {
        stories[1] = load_beside(&a->request, path, error, &status);
        count = stories[1] || a->beside ? 2 : 1; /* that nobody asked for, where it cannot be */
    }
    bool good = stories[0] && (count == 1 || stories[1]);
    int events = good ? stories[0]->events + (stories[1] ? stories[1]->events : 0) : 0;
    if (!good)
        complain(status, "play", "%s", error);
    else if (events > EVENTS_MAX)
        status = too_long(a, events);
    else
        status = a->live ? write_live(a, stories, count) : write_page(a, stories, count, NULL);
    story_free(stories[0]);
    story_free(stories[1]);
    return status;
}

int play_page_of(int argc, char **argv, const char *about)
{
    struct arguments a = {.about = about,
                          .request = {.segments_max = SEGMENTS_MAX,
                                      .instead = ", or `iwarpsim explain` for up to 20000 segments"}};
    a.request.sets = calloc((size_t)argc, sizeof *a.request.sets);
    int status = a.request.sets ? parse_play(argc, argv, &a) : EXIT_FAILED;
    if (status < 0)
        status = play_story(&a);
    free(a.request.sets);
    return status;
}

int command_play(int argc, char **argv)
{
    return play_page_of(argc, argv, NULL);
}
