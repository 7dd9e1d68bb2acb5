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
    const char *pictures, *notes, *size;
    uint64_t moment;
    bool wide, at, svg;
};

/* ---- arguments ---- */

static bool read_time(const char *text, void *picoseconds)
{
    char why[VALUE_WHY_MAX], with_unit[64];
    struct value v;
    const struct value_rules rules = {.type = VALUE_TIME};
    bool bare = *text && strspn(text, "0123456789.") == strlen(text);
    snprintf(with_unit, sizeof with_unit, "%s%s", text, bare ? "us" : "");
    if (!value_read(&v, &rules, with_unit, why))
        return false;
    *(uint64_t *)picoseconds = v.n;
    return true;
}

static bool read_moment(const char *text, void *arguments)
{
    struct arguments *a = arguments;
    a->at = true;
    return read_time(text, &a->moment);
}

static bool read_conn(const char *text, void *conn)
{
    uint64_t n;
    bool good = argument_number(text, INT32_MAX, &n);
    *(int *)conn = good ? (int)n : STORY_NOBODY;
    return good;
}

static bool read_only(const char *text, void *abouts)
{
    bool *only = abouts;
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

static bool read_color(const char *text, void *color)
{
    bool automatic = strcmp(text, "auto") == 0, always = strcmp(text, "always") == 0;
    *(bool *)color = always || (automatic && isatty(STDOUT_FILENO));
    return always || automatic || strcmp(text, "never") == 0;
}

static const struct argument rows[] = {
    ARGUMENT_FLAG("wide", struct arguments, wide),
    ARGUMENT_READ("from", struct arguments, manner.from, read_time, "--from takes a time such as 10us, not"),
    ARGUMENT_READ("to", struct arguments, manner.to, read_time, "--to takes a time such as 10us, not"),
    ARGUMENT_READ("conn", struct arguments, manner.conn, read_conn,
                  "--conn takes the number of a connection, not"),
    ARGUMENT_READ("only", struct arguments, manner.only, read_only,
                  "--only takes post, send, place, deliver, window, error, end, not"),
    STORY_REQUEST_ROWS(struct arguments),
    ARGUMENT_FLAG("markdown", struct arguments, manner.markdown),
    ARGUMENT_READ("color", struct arguments, manner.color, read_color,
                  "--color takes auto, always, never, not"),
    ARGUMENT_TEXT("pictures", struct arguments, pictures),
    ARGUMENT_TEXT("notes", struct arguments, notes),
    ARGUMENT_WORD("size", struct arguments, size, "page or slide"),
    {.name = "at", .read = read_moment, .refusal = "--at takes a time such as 10us, not"},
    ARGUMENT_FLAG("svg", struct arguments, svg),
    {0},
};

static int parse_explain(int argc, char **argv, struct arguments *a)
{
    int status = arguments_read(argc, argv, "explain", help, rows, a);
    if (status >= 0)
        return status;
    if (optind != argc - 1)
        return argument_wrong(
            "explain", optind < argc ? "one file at a time" : "a scenario, trace or capture is required",
            NULL);
    if (a->at != a->svg)
        return argument_wrong("explain", "--at T and --svg need each other: they draw one moment", NULL);
    if (a->size && !a->pictures)
        return argument_wrong("explain", "--size needs --pictures DIR", NULL);
    a->manner.width = a->wide ? STORY_WIDE : a->manner.width;
    a->request.file = argv[optind];
    return -1;
}

static int print_story(const struct arguments *a, const struct story *s)
{
    bool good =
        a->svg ? moment_write(stdout, s, a->moment, a->manner.conn) : story_print(stdout, s, &a->manner);
    return good ? EXIT_DONE : EXIT_FAILED;
}

static int put_notes(const struct arguments *a, const struct story *s)
{
    char error[STORY_ERROR_MAX];
    if (!s->capture)
        return argument_wrong(
            "explain", "--notes needs a capture; for a scenario use `iwarpsim run --pcap --notes`", NULL);
    return notes_write(a->request.file, a->notes, error) ? EXIT_DONE
                                                         : complain(EXIT_FAILED, "explain", "%s", error);
}

int command_explain(int argc, char **argv)
{
    char error[STORY_ERROR_MAX];
    struct arguments a = {
        .manner = story_manner_plain(),
        .request = {.segments_max = SEGMENTS_MAX, .instead = ", or `iwarpsim run` for the numbers"}};
    a.manner.color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    a.request.sets = calloc((size_t)argc, sizeof *a.request.sets);
    int status = a.request.sets ? parse_explain(argc, argv, &a) : EXIT_FAILED;
    if (status < 0) {
        struct story *s = story_load(&a.request, error, &status);
        if (!s)
            complain(status, "explain", "%s", error);
        else
            status = print_story(&a, s);
        if (s && a.pictures && status == EXIT_DONE)
            status = picture_all(s, a.pictures,
                                 a.size && strcmp(a.size, "slide") == 0 ? PICTURE_SLIDE : PICTURE_PAGE);
        if (s && a.notes && status == EXIT_DONE)
            status = put_notes(&a, s);
        story_free(s);
    }
    free(a.request.sets);
    return status;
}
