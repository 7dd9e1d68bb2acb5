/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_command.c -- iwarpsim judge */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/command.h"
#include "helpers/command/assume.h"
#include "helpers/command/judge_active.h"
#include "helpers/judge/judge.h"
#include "helpers/story/notes.h"

static const char help[] =
    "usage: iwarpsim judge FILE|- [--json] [--all] [--junit FILE] [--notes FILE.pcapng]\n"
    "                      [--assume markers=on|off,crc=on|off]\n"
    "       iwarpsim judge --connect HOST:PORT | --serve PORT | --self [--cases FILE] [--case NAME]\n"
    "                      [--gap MS] [--listen ADDR] [--wait S] [--memory STAG:TO:LEN] [--json]\n"
    "                      [--junit FILE] [--page FILE.html]\n"
    "\n"
    "Reads a capture (pcap or pcapng; - is standard input) as decode does and names what either end did\n"
    "against RFC 5040, 5041, 5044, 6581 or 7306: -> the MPA initiator, <- the responder. It judges answers,\n"
    "too: the octets of a Terminate, the segment it refers to, the error it names where another is "
    "required,\n"
    "a wrong Read that is carried out, silence. Where the RFCs leave a choice, each reading is right; what\n"
    "depends on memory, or on octets that the capture lacks, counts against nobody.\n"
    "\n"
    "The summary names each violated requirement and counts all: violated, kept, not exercised here, or\n"
    "impossible to decide from a capture.\n"
    "\n"
    "  --json          an object for each violation and each requirement instead\n"
    "  --all           name all requirements\n"
    "  --junit FILE    the requirements as test cases, for a CI system\n"
    "  --notes FILE    the capture as pcapng, with each violation as a comment on its frame\n"
    "  --assume ...    as for decode: connections whose start-up is not in the capture\n"
    "\n"
    "With --connect the judge itself is the MPA initiator: it plays each case of a file to the peer at\n"
    "HOST:PORT, right messages and deliberately wrong ones, each on a connection of its own, and compares "
    "the\n"
    "answer with those that the RFCs allow. Do this only to a stack that you may crash. With --serve it is "
    "the "
    "MPA\n"
    "responder and the peer connects, once for each case, and reads; a loop of `iwarpsim connect "
    "HOST:PORT\n"
    "'read 16'` is such a peer. --self plays both kinds to the simulator's own engine, which must pass.\n"
    "\n"
    "  --listen ADDR   the address that --serve listens on (127.0.0.1); port 0: the kernel chooses one\n"
    "  --wait S        how many seconds --serve waits for the next connection (60); then the others are\n"
    "                  skipped\n"
    "  --cases FILE    other cases than the shipped ones (validation/vectors/judge.json)\n"
    "  --case NAME     only this one\n"
    "  --gap MS        how long to wait for an answer (300)\n"
    "  --memory ...    a region of the peer that others may read and write: its STag, TO and length, in C\n"
    "                  notation. Not needed if the MPA Reply advertises one, as iwarpsim serve and siwtest "
    "do;\n"
    "                  without either, cases that need memory are skipped\n"
    "  --page FILE     the report as a page\n"
    "\n"
    "Exit: 0 nothing was violated; 1 something was; 2 the file or an argument is wrong; 3 a file cannot be\n"
    "written, or the peer does not answer.\n";

enum { PORT_MAX = 65535 };

struct arguments {
    const char *path, *junit, *notes;
    bool json, all;
    struct decode_options options;
    bool active; /* then: */
    struct judge_order order;
};

static int wrong(const char *what, const char *value)
{
    return argument_wrong("judge", what, value);
}

enum {
    OPTION_CONNECT = 'c',
    OPTION_SELF = 'S',
    OPTION_SERVE = 's',
    OPTION_LISTEN = 'L',
    OPTION_WAIT = 'w',
    OPTION_CASES = 'C',
    OPTION_CASE = 'o',
    OPTION_GAP = 'g',
    OPTION_MEMORY = 'm',
    OPTION_PAGE = 'p',
    OPTION_HELP = 'h',
    OPTION_JSON = 'j',
    OPTION_ALL = 'l',
    OPTION_JUNIT = 'u',
    OPTION_NOTES = 'n',
    OPTION_ASSUME = 'a'
};

static const struct option long_options[] = {
    {"help", no_argument, NULL, OPTION_HELP},
    {"connect", required_argument, NULL, OPTION_CONNECT},
    {"self", no_argument, NULL, OPTION_SELF},
    {"cases", required_argument, NULL, OPTION_CASES},
    {"case", required_argument, NULL, OPTION_CASE},
    {"gap", required_argument, NULL, OPTION_GAP},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"page", required_argument, NULL, OPTION_PAGE},
    {"json", no_argument, NULL, OPTION_JSON},
    {"all", no_argument, NULL, OPTION_ALL},
    {"junit", required_argument, NULL, OPTION_JUNIT},
    {"notes", required_argument, NULL, OPTION_NOTES},
    {"assume", required_argument, NULL, OPTION_ASSUME},
    {"serve", required_argument, NULL, OPTION_SERVE},
    {"listen", required_argument, NULL, OPTION_LISTEN},
    {"wait", required_argument, NULL, OPTION_WAIT},
    {0},
};

/* An option of the active judge: -1, or what to exit with. */
static int take_active(int option, struct arguments *a)
{
    uint64_t n;
    switch (option) {
    case OPTION_CONNECT: a->order.address = optarg; break;
    case OPTION_SELF: a->order.self = true; break;
    case OPTION_CASES: a->order.cases = optarg; break;
    case OPTION_CASE: a->order.only = optarg; break;
    case OPTION_PAGE: a->order.page = optarg; break;
    case OPTION_GAP:
        if (!argument_number(optarg, 60000, &n))
            return wrong("--gap takes milliseconds, at most 60000, not", optarg);
        a->order.gap_ms = (unsigned)n;
        break;
    case OPTION_SERVE:
        if (!argument_number(optarg, PORT_MAX, &n))
            return wrong("--serve takes a port, 0 to 65535, not", optarg);
        a->order.serves = true;
        a->order.port = (uint16_t)n;
        break;
    case OPTION_LISTEN: a->order.host = optarg; break;
    case OPTION_WAIT:
        if (!argument_number(optarg, 3600, &n) || !n)
            return wrong("--wait takes seconds, 1 to 3600, not", optarg);
        a->order.wait_ms = (unsigned)n * 1000;
        break;
    case OPTION_MEMORY:
        if (!case_memory_read(optarg, &a->order.memory))
            return wrong("--memory takes STAG:TO:LEN, not", optarg);
        break;
    default: break;
    }
    return -1;
}

/* -1: go on; else what to exit with. */
static int take_option(int option, void *arguments)
{
    struct arguments *a = arguments;
    switch (option) {
    case OPTION_HELP: fputs(help, stdout); return EXIT_DONE;
    case OPTION_JSON: a->json = true; return -1;
    case OPTION_ALL: a->all = true; return -1;
    case OPTION_JUNIT: a->junit = optarg; return -1;
    case OPTION_NOTES: a->notes = optarg; return -1;
    case OPTION_ASSUME:
        return assume_parse(optarg, &a->options.assume)
                   ? -1
                   : wrong("--assume takes markers=on|off,crc=on|off, not", optarg);
    default: return take_active(option, a);
    }
}

/* Do the arguments go together? */
static int check(const struct arguments *a, int files)
{
    const struct judge_order *o = &a->order;
    int ways = (o->address != NULL) + o->serves + o->self;
    bool others = o->cases || o->only || o->page || o->gap_ms || o->memory.known;
    if (ways > 1)
        return wrong("one of --connect, --serve and --self, not two", NULL);
    if (ways && (files || a->notes || a->all || a->options.assume.given))
        return wrong("--connect, --serve and --self take no capture, --notes, --all or --assume", NULL);
    if (!ways && others)
        return wrong("--cases, --case, --gap, --memory and --page need --connect, --serve or --self", NULL);
    if (!o->serves && (o->host || o->wait_ms))
        return wrong("--listen and --wait need --serve", NULL);
    if (!ways && files != 1)
        return wrong(files ? "one capture file at a time"
                           : "a capture file, --connect, --serve or --self is required",
                     NULL);
    return -1;
}

static int parse(int argc, char **argv, struct arguments *a)
{
    int status = arguments_take(argc, argv, "judge", long_options, take_option, a);
    if (status >= 0)
        return status;
    a->active = a->order.address || a->order.serves || a->order.self;
    a->order.json = a->json;
    a->order.junit = a->junit;
    if (check(a, argc - optind) >= 0)
        return EXIT_INPUT;
    a->path = argv[optind];
    if (a->notes && strcmp(a->path, "-") == 0)
        return wrong("--notes reads the capture twice: it needs a file, not standard input", NULL);
    return -1;
}

/* ---- notes ---- */

enum { NOTES_MAX = 100000 }; /* violations of a hostile capture may have no end */

/* What is told goes to the report and, if asked for, into the notes. */
struct clerk {
    const struct judge_sink *told;
    FILE *out;
    bool noted;
    struct note_line *line;
    size_t lines, room;
    bool failed;
};

static void take_note(struct clerk *k, const struct judge_accusation *a)
{
    if (k->lines == k->room) {
        size_t room = k->room ? k->room * 2 : 64;
        struct note_line *more = realloc(k->line, room * sizeof *more);
        if (!more) {
            k->failed = true;
            return;
        }
        k->line = more;
        k->room = room;
    }
    const struct requirement *r = &catalogue[a->requirement];
    struct note_line *n = &k->line[k->lines++];
    n->frame = a->frame;
    n->order = k->lines;
    snprintf(n->text, sizeof n->text, "%s violates %s (%s, %s): %s.",
             a->dir == DECODE_I2R ? "initiator" : "responder", r->id, r->level, r->section, a->what);
}

static void clerk_accuse(void *context, const struct judge_accusation *a)
{
    struct clerk *k = context;
    k->told->accuse(k->out, a);
    if (k->noted && k->lines < NOTES_MAX)
        take_note(k, a);
}

/* ---- the whole ---- */

static bool write_junit(const struct arguments *a, const struct judgement *g)
{
    struct whole_file file;
    bool good = file_begin(&file, a->junit);
    if (good) {
        judge_report_junit(file.out, g, a->path);
        good = file_commit(&file, false);
    }
    if (!good)
        fprintf(stderr, "iwarpsim judge: %s cannot be written: %s\n", a->junit, strerror(errno));
    return good;
}

static bool write_notes(const struct arguments *a, struct clerk *k)
{
    char error[NOTES_ERROR_MAX];
    bool good = notes_write_lines(a->path, a->notes, k->line, k->lines, error);
    if (!good)
        fprintf(stderr, "iwarpsim judge: %s\n", error);
    return good;
}

static int report(const struct arguments *a, const struct judge *j, struct clerk *k)
{
    bool whole;
    const struct judgement *g = judge_verdict(j, &whole);
    if (a->json)
        judge_report_json(stdout, g);
    else
        judge_report_text(stdout, g, a->all);
    if (fflush(stdout) != 0) {
        fprintf(stderr, "iwarpsim judge: cannot write the output\n");
        return EXIT_FAILED;
    }
    if (!whole || k->failed) {
        fprintf(stderr, "iwarpsim judge: out of memory: not everything was judged\n");
        return EXIT_FAILED;
    }
    if ((a->junit && !write_junit(a, g)) || (a->notes && !write_notes(a, k)))
        return EXIT_FAILED;
    return g->accusations ? EXIT_LAW : EXIT_DONE;
}

static int judge(const struct arguments *a, struct capture *capture)
{
    char error[CAPTURE_ERROR_MAX];
    struct decode_summary summary;
    struct clerk clerk = {.told = a->json ? &judge_json : &judge_text, .out = stdout, .noted = a->notes};
    const struct judge_sink sink = {&clerk, clerk_accuse};
    struct judge *j = judge_new(&sink);
    if (!j) {
        fprintf(stderr, "iwarpsim judge: out of memory\n");
        return EXIT_FAILED;
    }
    const struct decode_sink ear = judge_ear(j);
    int got = decode_capture(capture, &a->options, &ear, &summary, error);
    int status = report(a, j, &clerk);
    judge_free(j);
    free(clerk.line);
    if (got < 0) {
        fprintf(stderr, "iwarpsim judge: %s\n", error);
        return EXIT_INPUT;
    }
    if (!summary.connections)
        assume_explain_nothing("judge", &summary);
    return status;
}

int command_judge(int argc, char **argv)
{
    char error[CAPTURE_ERROR_MAX];
    struct arguments a = {0};
    int status = parse(argc, argv, &a);
    if (status >= 0)
        return status;
    if (a.active)
        return judge_active(&a.order);
    struct capture *capture = capture_open(a.path, error);
    if (!capture) {
        fprintf(stderr, "iwarpsim judge: %s\n", error);
        return EXIT_INPUT;
    }
    if (a.path && strcmp(a.path, "-") == 0)
        setvbuf(stdout, NULL, _IOLBF, 0); /* each line as its segment arrives */
    status = judge(&a, capture);
    capture_close(capture);
    return status;
}
