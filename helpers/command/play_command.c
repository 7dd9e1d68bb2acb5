/* SPDX-License-Identifier: GPL-2.0-or-later */
/* play_command.c -- iwarpsim play */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/command.h"
#include "helpers/story/play.h"
#include "helpers/story/story_load.h"

static const char help[] =
    "usage: iwarpsim play FILE [-o OUT.html] [--beside PATH] [--set KEY=VALUE]... [--point P] [--repeat R]\n"
    "\n"
    "Writes a small run as one page that any browser opens, with nothing else installed: a sequence chart\n"
    "and the receiver's buffer on one time line, to be played, stepped through and searched; a click on a\n"
    "segment shows its octets, a click on a field what it means. In `predict` it stops before each\n"
    "delivery and each Terminate and asks. It prints, and every key is on the page.\n"
    "FILE is a scenario, a trace or a capture, as for `iwarpsim explain`.\n"
    "\n"
    "  -o OUT.html      where to [NAME.html, in this folder]; - is standard output\n"
    "  --beside PATH    a second receive path on the same channel: place, hold, discard, copy, or none\n"
    "                   [copy beside place; none for captures, traces and runs that use another]\n"
    "  --set, --point, --repeat   as for `iwarpsim run`, for a scenario\n";

enum { SEGMENTS_MAX = 2000, EVENTS_MAX = 20000, STORIES_MAX = 2 };

struct arguments {
    struct story_request request;
    const char *out, *beside;
};

static int wrong(const char *what, const char *value)
{
    return argument_wrong("play", what, value);
}

static bool is_path(const char *word)
{
    static const char *const paths[] = {"place", "hold", "discard", "copy", "none"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (strcmp(word, paths[i]) == 0)
            return true;
    return false;
}

static const struct option long_options[] = {{"help", no_argument, NULL, 'h'},
                                             {"output", required_argument, NULL, 'o'},
                                             {"beside", required_argument, NULL, 'b'},
                                             {"set", required_argument, NULL, 's'},
                                             {"point", required_argument, NULL, 'p'},
                                             {"repeat", required_argument, NULL, 'r'},
                                             {0}};

/* -1: go on; else what to exit with. */
static int parse_option(int option, char **argv, struct arguments *a)
{
    uint64_t n;
    switch (option) {
    case 'h': fputs(help, stdout); return EXIT_DONE;
    case 'o': a->out = optarg; return -1;
    case 'b':
        a->beside = optarg;
        return is_path(optarg) ? -1 : wrong("--beside takes place, hold, discard, copy or none, not", optarg);
    case 's': a->request.sets[a->request.sets_count++] = optarg; return -1;
    case 'p': a->request.point = optarg; return -1;
    case 'r':
        if (!argument_number(optarg, UINT32_MAX, &n))
            return wrong("--repeat takes a number, not", optarg);
        a->request.repeat = (uint32_t)n;
        return -1;
    default: return wrong("wrong option, or one without its value", argument_at_fault(argv));
    }
}

static int parse(int argc, char **argv, struct arguments *a)
{
    int option, status = -1;
    optind = 1;
    opterr = 0;
    while (status < 0 && (option = getopt_long(argc, argv, "ho:", long_options, NULL)) != -1)
        status = parse_option(option, argv, a);
    if (status >= 0)
        return status;
    if (optind != argc - 1)
        return wrong(optind < argc ? "one file at a time" : "a scenario, trace or capture is needed", NULL);
    a->request.file = argv[optind];
    return -1;
}

/* ---- the second one ---- */

/* The window policy that a receive path can have (rnic/window.h) goes with it. */
static struct story *load_beside(const struct story_request *r, const char *path, char *error, int *status)
{
    char receive[40], copy[] = "rnic.window.policy=buffer", other[] = "rnic.window.policy=placed";
    struct story_request second = *r;
    const char **sets = calloc(r->sets_count + 2, sizeof *sets);
    if (!sets)
        return NULL;
    if (r->sets_count)
        memcpy(sets, r->sets, r->sets_count * sizeof *sets);
    snprintf(receive, sizeof receive, "rnic.receive=%s", path);
    sets[r->sets_count] = receive;
    sets[r->sets_count + 1] = strcmp(path, "copy") == 0 ? copy : other;
    second.sets = sets;
    second.sets_count = r->sets_count + 2;
    struct story *s = story_load(&second, error, status);
    free(sets);
    return s;
}

static const char *beside(const struct arguments *a, const struct story *first)
{
    if (a->beside)
        return strcmp(a->beside, "none") == 0 ? NULL : a->beside;
    return strcmp(first->receive, "place") == 0 ? "copy" : NULL;
}

/* ---- writing ---- */

static void name_page(const char *file, char out[PATH_LONG])
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    snprintf(out, PATH_LONG, "%.*s.html", (int)(dot ? dot - name : (long)strlen(name)), name);
}

static bool write_file(const char *path, struct story *const *stories, const char *const *names, int count)
{
    struct whole_file f;
    if (!file_begin(&f, path))
        return false;
    if (play_write(f.out, stories, names, count))
        return file_commit(&f, false);
    file_abandon(&f);
    return false;
}

static int write_page(const struct arguments *a, struct story *const *stories, int count)
{
    char path[PATH_LONG];
    const char *names[STORIES_MAX] = {stories[0]->receive, count > 1 ? stories[1]->receive : ""};
    bool to_stdout = a->out && strcmp(a->out, "-") == 0;
    name_page(a->request.file, path);
    if (a->out)
        snprintf(path, sizeof path, "%s", a->out);
    bool good = to_stdout ? play_write(stdout, stories, names, count) && fflush(stdout) == 0
                          : write_file(path, stories, names, count);
    if (!good) {
        fprintf(stderr, "iwarpsim play: %s cannot be written: %s\n", path, strerror(errno));
        return EXIT_FAILED;
    }
    if (!to_stdout)
        printf("%s\n", path);
    return EXIT_DONE;
}

static int too_long(const struct arguments *a, const struct story *s)
{
    fprintf(stderr,
            "iwarpsim play: %s has %d events, and a page holds %d at most: make it smaller, with --set "
            "workload.count=10 for instance, or read it with `iwarpsim explain`\n",
            a->request.file, s->events, EVENTS_MAX);
    return EXIT_INPUT;
}

static int play(const struct arguments *a)
{
    char error[STORY_ERROR_MAX];
    int status, count = 1;
    struct story *stories[STORIES_MAX] = {story_load(&a->request, error, &status), NULL};
    const char *path = stories[0] ? beside(a, stories[0]) : NULL;
    if (path && *stories[0]->receive) {
        stories[1] = load_beside(&a->request, path, error, &status);
        count = 2;
    }
    if (!stories[0] || (count > 1 && !stories[1]))
        fprintf(stderr, "iwarpsim play: %s\n", error);
    else if (stories[0]->events > EVENTS_MAX)
        status = too_long(a, stories[0]);
    else
        status = write_page(a, stories, count);
    story_free(stories[0]);
    story_free(stories[1]);
    return status;
}

int command_play(int argc, char **argv)
{
    struct arguments a = {.request = {.segments_max = SEGMENTS_MAX,
                                      .instead = ", or `iwarpsim explain` for up to 20000 segments"}};
    a.request.sets = calloc((size_t)argc, sizeof *a.request.sets);
    int status = a.request.sets ? parse(argc, argv, &a) : EXIT_FAILED;
    if (status < 0)
        status = play(&a);
    free(a.request.sets);
    return status;
}
