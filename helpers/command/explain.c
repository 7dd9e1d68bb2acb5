/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.c -- iwarpsim explain: a small run, or a capture, told event by event in the terminal.
 *
 *     |    10.709 us|B | places A2: 1440 octets at TO 11440 .. 12879.          RFC 5041 5.3
 *      time           who what                                                  section
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/command.h"
#include "helpers/scenario/value.h"
#include "helpers/story/narrate.h"
#include "helpers/story/notes.h"
#include "helpers/story/picture.h"
#include "helpers/story/story_load.h"

static const char help[] =
    "usage: iwarpsim explain FILE [--wide] [--from T] [--to T] [--conn N] [--only ABOUT[,ABOUT]...]\n"
    "                        [--set KEY=VALUE]... [--point P] [--repeat R] [--markdown] [--color WHEN]\n"
    "                        [--notes OUT.pcapng] [--pictures DIR]\n"
    "\n"
    "Tells a small run step by step: who sends what, the header fields by name, where the octets went,\n"
    "what was delivered and why only now, what the window did, and which section of which RFC says so.\n"
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
    "  --notes OUT      of a capture: the same once more as pcapng, with these sentences as comments\n"
    "  --pictures DIR   draw it too: placement, window, memory (svg, png and the gnuplot scripts)\n"
    "\n"
    "Exit: 0 done, whatever the peers did wrong; 2 the input is wrong; 3 a tool is missing.\n";

enum {
    SEGMENTS_MAX = 20000,
    WIDTH = 80,
    WIDE = 110,
    TIME_WIDTH = 10,
    SECTION_WIDTH = 15,
    INDENT = TIME_WIDTH + 4
};

struct arguments {
    struct story_request request;
    uint64_t from, to;
    int conn; /* STORY_NOBODY: all */
    bool only[ABOUTS], markdown, color;
    int width;
    const char *pictures, *notes;
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

static const struct option long_options[] = {
    {"help", no_argument, NULL, 'h'},         {"wide", no_argument, NULL, 'w'},
    {"from", required_argument, NULL, 'f'},   {"to", required_argument, NULL, 't'},
    {"conn", required_argument, NULL, 'c'},   {"only", required_argument, NULL, 'o'},
    {"set", required_argument, NULL, 's'},    {"point", required_argument, NULL, 'p'},
    {"repeat", required_argument, NULL, 'r'}, {"markdown", no_argument, NULL, 'm'},
    {"color", required_argument, NULL, 'C'},  {"pictures", required_argument, NULL, 'P'},
    {"notes", required_argument, NULL, 'N'},  {0}};

/* -1: go on; else what to exit with. */
static int parse_option(int option, char **argv, struct arguments *a)
{
    uint64_t n = 0;
    switch (option) {
    case 'h': fputs(help, stdout); return EXIT_DONE;
    case 'w': a->width = WIDE; return -1;
    case 'f':
        return parse_time(optarg, &a->from) ? -1 : wrong("--from takes a time such as 10us, not", optarg);
    case 't': return parse_time(optarg, &a->to) ? -1 : wrong("--to takes a time such as 10us, not", optarg);
    case 'c':
        a->conn = argument_number(optarg, INT32_MAX, &n) ? (int)n : STORY_NOBODY;
        return a->conn >= 0 ? -1 : wrong("--conn takes the number of a connection, not", optarg);
    case 'o':
        return parse_only(optarg, a->only)
                   ? -1
                   : wrong("--only takes post, send, place, deliver, window, error, end, not", optarg);
    case 's': a->request.sets[a->request.sets_count++] = optarg; return -1;
    case 'p': a->request.point = optarg; return -1;
    case 'r':
        if (!argument_number(optarg, UINT32_MAX, &n))
            return wrong("--repeat takes a number, not", optarg);
        a->request.repeat = (uint32_t)n;
        return -1;
    case 'm': a->markdown = true; return -1;
    case 'C':
        return parse_color(optarg, &a->color) ? -1 : wrong("--color takes auto, always, never, not", optarg);
    case 'P': a->pictures = optarg; return -1;
    case 'N': a->notes = optarg; return -1;
    default: return wrong("wrong option, or one without its value", argument_at_fault(argv));
    }
}

static int parse(int argc, char **argv, struct arguments *a)
{
    int option, status = -1;
    optind = 1;
    opterr = 0;
    while (status < 0 && (option = getopt_long(argc, argv, "h", long_options, NULL)) != -1)
        status = parse_option(option, argv, a);
    if (status >= 0)
        return status;
    if (optind != argc - 1)
        return wrong(optind < argc ? "one file at a time" : "a scenario, trace or capture is needed", NULL);
    a->request.file = argv[optind];
    return -1;
}

/* ---- lines ---- */

static const char *color_of(const struct arguments *a, enum narration_mood mood)
{
    static const char *const colors[] = {[MOOD_PLAIN] = "",         [MOOD_EARLY] = "\33[33m",
                                         [MOOD_PLACED] = "\33[32m", [MOOD_DELIVERED] = "\33[1;36m",
                                         [MOOD_LOST] = "\33[31m",   [MOOD_ERROR] = "\33[1;31m",
                                         [MOOD_QUIET] = "\33[2m"};
    return a->color ? colors[mood] : "";
}

/* Octets of `text` that go on a line of `room`; breaks between words. */
static size_t line_of(const char *text, size_t room)
{
    size_t n = strlen(text);
    if (n <= room)
        return n;
    for (n = room; n && text[n] != ' ';)
        n--;
    return n ? n : room;
}

/* Wrapped text from column INDENT on; the section at the right end of the first line. */
static void put_text(const struct arguments *a, const char *text, const char *section,
                     enum narration_mood mood)
{
    const char *color = color_of(a, mood), *end = *color ? "\33[0m" : "";
    size_t room = (size_t)(a->width - INDENT - SECTION_WIDTH);
    for (bool first = true; *text || first; first = false) {
        size_t indent = first ? 0 : INDENT + 2, n = line_of(text, room - (first ? 0 : 2));
        printf("%*s%s%.*s%s", (int)indent, "", color, (int)n, text, end);
        if (first && section)
            printf("%*s", (int)(room - n + SECTION_WIDTH), section);
        putchar('\n');
        text += n + (text[n] == ' ');
    }
}

static void put_fields(const struct arguments *a, const char *fields)
{
    size_t room = (size_t)(a->width - INDENT - 2);
    while (*fields) {
        size_t n = line_of(fields, room);
        printf("%*s%s%.*s%s\n", INDENT + 2, "", color_of(a, MOOD_QUIET), (int)n, fields,
               a->color ? "\33[0m" : "");
        fields += n + (fields[n] == ' ');
    }
}

/* Hosts beyond two have numbers: they stand in the text. */
static char who_of(const struct story *s, const struct story_event *e)
{
    if (e->conn >= 0)
        return story_side_name(e->side);
    return s->nodes > 2 ? '-' : story_side_name(e->node != 0);
}

/* Microseconds in TIME_WIDTH columns, with as many of three places as fit. */
static const char *time_of(uint64_t t, char out[STORY_NAME_MAX])
{
    story_time(t, out);
    for (size_t n = strlen(out); n > TIME_WIDTH && strchr(out, '.'); n = strlen(out))
        out[out[n - 2] == '.' ? n - 2 : n - 1] = 0;
    return out;
}

static void put_event(const struct arguments *a, const struct story *s, const struct story_event *e,
                      const struct narration *told)
{
    char time[STORY_NAME_MAX], text[NARRATION_MAX + 64], who = who_of(s, e);
    char frame[32] = "", conn[16] = "";
    if (e->frame)
        snprintf(frame, sizeof frame, "[frame %llu] ", (unsigned long long)e->frame);
    if (s->several && e->conn >= 0 && (e->segment < 0 || e->kind == STORY_DELIVERED))
        snprintf(conn, sizeof conn, "c%d: ", e->conn);
    if (e->conn < 0 && s->nodes > 2)
        snprintf(conn, sizeof conn, "h%u: ", e->node);
    snprintf(text, sizeof text, "%s%s%s", frame, conn, told->text);
    if (a->markdown) {
        printf("| %s | %c | %s%s%s%s | %s |\n", story_time(e->t, time), who, text, *told->fields ? " `" : "",
               told->fields, *told->fields ? "`" : "", told->section ? told->section : "");
        return;
    }
    printf("%*s  %c ", TIME_WIDTH, time_of(e->t, time), who);
    put_text(a, text, told->section, told->mood);
    put_fields(a, told->fields);
}

static void put_line(const char *text, int width)
{
    while (*text) {
        size_t n = line_of(text, (size_t)width);
        printf("%.*s\n", (int)n, text);
        text += n + (text[n] == ' ');
    }
}

static void put_head(const struct arguments *a, const struct story *s)
{
    char faults[STORY_TITLE_MAX + 16];
    if (a->markdown) {
        printf("# %s\n\n%s%s%s\n", s->title, s->setting, *s->faults ? "; channel: " : "", s->faults);
        return;
    }
    put_line(s->title, a->width);
    put_line(s->setting, a->width);
    snprintf(faults, sizeof faults, "channel: %s", s->faults);
    if (*s->faults)
        put_line(faults, a->width);
}

static void put_columns(const struct arguments *a)
{
    if (a->markdown)
        printf("\n| us | who | what | section |\n|---:|---|---|---|\n");
    else
        printf("\n%*s  %-2s%-*s%*s\n", TIME_WIDTH, "us", "", a->width - INDENT - SECTION_WIDTH,
               "what happens", SECTION_WIDTH, "section");
}

static bool is_wanted(const struct arguments *a, const struct story_event *e)
{
    bool here = a->conn == STORY_NOBODY || e->conn == a->conn;
    return here && e->t >= a->from && e->t <= a->to && a->only[story_about_of(e->kind)];
}

static void put_summary(const struct arguments *a, const struct story *s)
{
    char *text = narrate_summary(s);
    for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
        put_line(line, a->width);
    free(text);
}

static bool wants_events(const struct arguments *a)
{
    int i = 0;
    while (i < ABOUTS && !a->only[i])
        i++;
    return i < ABOUTS;
}

static void put_events(const struct arguments *a, const struct story *s)
{
    struct narration told;
    bool any = false;
    put_columns(a);
    for (int i = 0; i < s->events; i++) {
        if (!is_wanted(a, &s->event[i]) || !narrate_event(s, i, &told))
            continue;
        put_event(a, s, &s->event[i], &told);
        any = true;
    }
    if (!any)
        printf("%*s%s\n", a->markdown ? 0 : INDENT, "", "Nothing of that kind happened.");
}

static int put_story(const struct arguments *a, const struct story *s)
{
    bool all = a->from == 0 && a->to == UINT64_MAX && a->conn == STORY_NOBODY;
    put_head(a, s);
    if (wants_events(a))
        put_events(a, s);
    if (all || !wants_events(a)) {
        putchar('\n');
        put_summary(a, s);
    }
    return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}

static int put_notes(const struct arguments *a, const struct story *s)
{
    char error[STORY_ERROR_MAX];
    if (!s->capture)
        return wrong("--notes goes with a capture; for a scenario there is `iwarpsim run --pcap --notes`",
                     NULL);
    if (notes_write(a->request.file, a->notes, error))
        return EXIT_DONE;
    fprintf(stderr, "iwarpsim explain: %s\n", error);
    return EXIT_FAILED;
}

int command_explain(int argc, char **argv)
{
    char error[STORY_ERROR_MAX];
    struct arguments a = {
        .to = UINT64_MAX,
        .conn = STORY_NOBODY,
        .width = WIDTH,
        .color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR"),
        .request = {.segments_max = SEGMENTS_MAX, .instead = ", or `iwarpsim run` for the numbers"}};
    memset(a.only, 1, sizeof a.only);
    a.request.sets = calloc((size_t)argc, sizeof *a.request.sets);
    int status = a.request.sets ? parse(argc, argv, &a) : EXIT_FAILED;
    if (status < 0) {
        struct story *s = story_load(&a.request, error, &status);
        if (!s)
            fprintf(stderr, "iwarpsim explain: %s\n", error);
        else
            status = put_story(&a, s);
        if (s && a.pictures && status == EXIT_DONE)
            status = picture_all(s, a.pictures);
        if (s && a.notes && status == EXIT_DONE)
            status = put_notes(&a, s);
        story_free(s);
    }
    free(a.request.sets);
    return status;
}
