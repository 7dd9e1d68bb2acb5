/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.c -- iwarpsim explain: a small run, or a capture, told event by event in the terminal. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/command.h"
#include "helpers/scenario/value.h"
#include "helpers/story/moment.h"
#include "helpers/story/notes.h"
#include "helpers/story/picture.h"
#include "helpers/story/story_load.h"
#include "helpers/story/story_print.h"

static const char help[] =
    "usage: iwarpsim explain FILE [--wide] [--from T] [--to T] [--conn N] [--only ABOUT[,ABOUT]...]\n"
    "                        [--set KEY=VALUE]... [--point P] [--repeat R] [--markdown] [--color WHEN]\n"
    "                        [--notes OUT.pcapng] [--pictures DIR [--size page|slide]] [--at T --svg]\n"
    "\n"
    "Tells a small run step by step: who sends what, the header fields by name, where the octets went,\n"
    "what was delivered and why only then, what the window did, and which section of which RFC says so.\n"
    "FILE is a scenario, which is run; a trace that `run --trace` wrote; or a capture (pcap, pcapng).\n"
    "A is the side that sends the MPA Request, B the other; A3 is the third segment that A sent.\n"
    "\n"
    "  --wide           lines of 110 columns instead of 80\n"
    "  --from, --to T   only from, and up to, this time: 10us, 1.5ms; a bare number is microseconds\n"
    "  --conn N         only this connection\n"
    "  --only ABOUT     only post, send, place, deliver, window, error; several with commas; end: how it\n"
    "                   ended, and nothing else\n"
    "  --set, --point, --repeat   as for `iwarpsim run`, for a scenario\n"
    "  --markdown       as a table in Markdown\n"
    "  --color WHEN     auto (when the output is a terminal), always, never\n"
    "  --notes OUT      write a capture also as pcapng, with these sentences as comments\n"
    "  --pictures DIR   also draw it: placement, window, memory (svg, png and the gnuplot scripts)\n"
    "  --size           size of those pictures: page, or slide: wider, large letters, thick lines\n"
    "  --at T --svg     draw one moment instead, as an SVG of a slide's size on stdout: octets in flight "
    "and in place\n"
    "\n"
    "Exit: 0 done, whatever the peers did wrong; 2 the input is wrong; 3 a tool is missing.\n";

enum { SEGMENTS_MAX = 20000 };

struct arguments {
    struct story_request request;
    struct story_manner manner;
    const char *pictures, *notes;
    enum picture_size size;
    uint64_t moment;
    bool at, svg, sized;
};

static int wrong(const char *what, const char *value)
{
    return argument_wrong("explain", what, value);
}

/* ---- arguments ---- */

static bool parse_time(const char *text, uint64_t *t)
{
    char why[VALUE_WHY_MAX], with_unit[64];
    struct value v;
    const struct value_rules rules = {.type = VALUE_TIME};
    bool bare = *text && strspn(text, "0123456789.") == strlen(text);
    snprintf(with_unit, sizeof with_unit, "%s%s", text, bare ? "us" : "");
    if (!value_read(&v, &rules, with_unit, why))
        return false;
    *t = v.n;
    return true;
}

static bool parse_only(const char *text, bool only[ABOUTS])
{
    memset(only, 0, ABOUTS * sizeof *only);
    while (*text) {
        size_t len = strcspn(text, ",");
        bool end = len == 3 && strncmp(text, "end", 3) == 0;
        int i = 0;
        while (!end && i < ABOUTS &&
               (strlen(story_about_names[i]) != len || strncmp(story_about_names[i], text, len) != 0))
            i++;
        if (i == ABOUTS)
            return false;
        only[i] |= !end;
        text += len + (text[len] == ',');
    }
    return true;
}

static bool parse_color(const char *text, bool *color)
{
    *color = strcmp(text, "always") == 0 || (strcmp(text, "auto") == 0 && isatty(STDOUT_FILENO));
    return *color || strcmp(text, "never") == 0 || strcmp(text, "auto") == 0;
}

static const struct option long_options[] = {{"help", no_argument, NULL, 'h'},
                                             {"wide", no_argument, NULL, 'w'},
                                             {"from", required_argument, NULL, 'f'},
                                             {"to", required_argument, NULL, 't'},
                                             {"conn", required_argument, NULL, 'c'},
                                             {"only", required_argument, NULL, 'o'},
                                             {"set", required_argument, NULL, 's'},
                                             {"point", required_argument, NULL, 'p'},
                                             {"repeat", required_argument, NULL, 'r'},
                                             {"markdown", no_argument, NULL, 'm'},
                                             {"color", required_argument, NULL, 'C'},
                                             {"pictures", required_argument, NULL, 'P'},
                                             {"notes", required_argument, NULL, 'N'},
                                             {"size", required_argument, NULL, 'z'},
                                             {"at", required_argument, NULL, 'a'},
                                             {"svg", no_argument, NULL, 'v'},
                                             {0}};

static bool parse_size(const char *text, enum picture_size *size)
{
    *size = strcmp(text, "slide") == 0 ? PICTURE_SLIDE : PICTURE_PAGE;
    return *size == PICTURE_SLIDE || strcmp(text, "page") == 0;
}

/* -1: go on; else what to exit with. */
static int parse_option(int option, char **argv, struct arguments *a)
{
    uint64_t n = 0;
    switch (option) {
    case 'h': fputs(help, stdout); return EXIT_DONE;
    case 'w': a->manner.width = STORY_WIDE; return -1;
    case 'f':
        return parse_time(optarg, &a->manner.from) ? -1
                                                   : wrong("--from takes a time such as 10us, not", optarg);
    case 't':
        return parse_time(optarg, &a->manner.to) ? -1 : wrong("--to takes a time such as 10us, not", optarg);
    case 'c':
        a->manner.conn = argument_number(optarg, INT32_MAX, &n) ? (int)n : STORY_NOBODY;
        return a->manner.conn >= 0 ? -1 : wrong("--conn takes the number of a connection, not", optarg);
    case 'o':
        return parse_only(optarg, a->manner.only)
                   ? -1
                   : wrong("--only takes post, send, place, deliver, window, error, end, not", optarg);
    case 's': a->request.sets[a->request.sets_count++] = optarg; return -1;
    case 'p': a->request.point = optarg; return -1;
    case 'r':
        if (!argument_number(optarg, UINT32_MAX, &n))
            return wrong("--repeat takes a number, not", optarg);
        a->request.repeat = (uint32_t)n;
        return -1;
    case 'm': a->manner.markdown = true; return -1;
    case 'C':
        return parse_color(optarg, &a->manner.color)
                   ? -1
                   : wrong("--color takes auto, always, never, not", optarg);
    case 'P': a->pictures = optarg; return -1;
    case 'N': a->notes = optarg; return -1;
    case 'z':
        a->sized = true;
        return parse_size(optarg, &a->size) ? -1 : wrong("--size takes page or slide, not", optarg);
    case 'a':
        a->at = true;
        return parse_time(optarg, &a->moment) ? -1 : wrong("--at takes a time such as 10us, not", optarg);
    case 'v': a->svg = true; return -1;
    default: return argument_refused("explain", argv);
    }
}

static int parse(int argc, char **argv, struct arguments *a)
{
    int option, status = -1;
    optind = 1;
    opterr = 0;
    while (status < 0 && (option = argument_option(argc, argv, "h", long_options)) != -1)
        status = parse_option(option, argv, a);
    if (status >= 0)
        return status;
    if (optind != argc - 1)
        return wrong(optind < argc ? "one file at a time" : "a scenario, trace or capture is required", NULL);
    if (a->at != a->svg)
        return wrong("--at T and --svg need each other: they draw one moment", NULL);
    if (a->sized && !a->pictures)
        return wrong("--size needs --pictures DIR", NULL);
    a->request.file = argv[optind];
    return -1;
}

static int tell(const struct arguments *a, const struct story *s)
{
    bool good =
        a->svg ? moment_write(stdout, s, a->moment, a->manner.conn) : story_print(stdout, s, &a->manner);
    return good ? EXIT_DONE : EXIT_FAILED;
}

static int put_notes(const struct arguments *a, const struct story *s)
{
    char error[STORY_ERROR_MAX];
    if (!s->capture)
        return wrong("--notes needs a capture; for a scenario use `iwarpsim run --pcap --notes`", NULL);
    if (notes_write(a->request.file, a->notes, error))
        return EXIT_DONE;
    fprintf(stderr, "iwarpsim explain: %s\n", error);
    return EXIT_FAILED;
}

int command_explain(int argc, char **argv)
{
    char error[STORY_ERROR_MAX];
    struct arguments a = {
        .manner = story_manner_plain(),
        .request = {.segments_max = SEGMENTS_MAX, .instead = ", or `iwarpsim run` for the numbers"}};
    a.manner.color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    a.request.sets = calloc((size_t)argc, sizeof *a.request.sets);
    int status = a.request.sets ? parse(argc, argv, &a) : EXIT_FAILED;
    if (status < 0) {
        struct story *s = story_load(&a.request, error, &status);
        if (!s)
            fprintf(stderr, "iwarpsim explain: %s\n", error);
        else
            status = tell(&a, s);
        if (s && a.pictures && status == EXIT_DONE)
            status = picture_all(s, a.pictures, a.size);
        if (s && a.notes && status == EXIT_DONE)
            status = put_notes(&a, s);
        story_free(s);
    }
    free(a.request.sets);
    return status;
}
