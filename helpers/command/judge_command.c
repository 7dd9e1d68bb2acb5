/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_command.c -- iwarpsim judge */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/list.h"
#include "helpers/command.h"
#include "helpers/command/assume.h"
#include "helpers/command/judge_active.h"
#include "helpers/command/judge_play.h"
#include "helpers/judge/judge.h"
#include "helpers/story/notes.h"

static const char help[] =
    "usage: iwarpsim judge FILE|- [--json] [--all] [--junit FILE] [--notes FILE.pcapng]\n"
    "                      [--assume markers=on|off,crc=on|off]\n"
    "       iwarpsim judge --connect HOST:PORT | --serve PORT | --self [--cases FILE] [--case NAME]\n"
    "                      [--gap MS] [--listen ADDR] [--wait S] [--memory STAG:TO:LEN] [--json]\n"
    "                      [--junit FILE] [--page FILE.html] [--captures DIR] [--jobs N] [--restart CMD]\n"
    "                      [--profile rfc|draft00]\n"
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
    "  --captures DIR  a capture of each case that is not right; --junit attaches it\n"
    "  --jobs N        cases at once, for --connect (32 if the peer answers two connections at a time, else "
    "1);\n"
    "                  those that read back what they wrote have the peer's memory for themselves\n"
    "  --restart CMD   what starts the peer again when it no longer answers. Without it the judge stops "
    "then,\n"
    "                  and names the case\n"
    "  --profile P     judge by rfc (the default) or by draft00, draft-ietf-rddp-ddp-00: RFC 5041 7.1 lets "
    "a\n"
    "                  peer wait for a receive buffer, the draft has it end the stream\n"
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

static bool read_port(const char *value, void *order)
{
    uint64_t port;
    struct judge_order *o = order;
    o->serves = argument_number(value, PORT_MAX, &port);
    o->port = (uint16_t)port;
    return o->serves;
}

static const struct argument rows[] = {
    ARGUMENT_FLAG("json", struct arguments, json),
    ARGUMENT_FLAG("all", struct arguments, all),
    ARGUMENT_TEXT("junit", struct arguments, junit),
    ARGUMENT_TEXT("notes", struct arguments, notes),
    ARGUMENT_READ("assume", struct arguments, options.assume, assume_read, ASSUME_REFUSAL),
    ARGUMENT_TEXT("connect", struct arguments, order.address),
    ARGUMENT_READ("serve", struct arguments, order, read_port, "--serve takes a port, 0 to 65535, not"),
    ARGUMENT_FLAG("self", struct arguments, order.self),
    ARGUMENT_TEXT("listen", struct arguments, order.host),
    ARGUMENT_NUMBER("wait", struct arguments, order.wait_s, 1, 3600, "--wait takes seconds, 1 to 3600, not"),
    ARGUMENT_TEXT("cases", struct arguments, order.cases),
    ARGUMENT_TEXT("case", struct arguments, order.only),
    ARGUMENT_NUMBER("gap", struct arguments, order.gap_ms, 0, 60000,
                    "--gap takes milliseconds, at most 60000, not"),
    ARGUMENT_READ("memory", struct arguments, order.memory, case_memory_read,
                  "--memory takes STAG:TO:LEN, not"),
    ARGUMENT_TEXT("page", struct arguments, order.page),
    ARGUMENT_TEXT("captures", struct arguments, order.captures),
    ARGUMENT_TEXT("restart", struct arguments, order.restart),
    ARGUMENT_NUMBER("jobs", struct arguments, order.jobs, 1, PLAY_AT_ONCE,
                    "--jobs takes a number of cases, 1 to 32, not"),
    ARGUMENT_WORD("profile", struct arguments, order.profile, "rfc or draft00"),
    {0},
};

/* Do the arguments go together? */
static int check_order(const struct arguments *a, int files)
{
    const struct judge_order *o = &a->order;
    int ways = (o->address != NULL) + o->serves + o->self;
    bool others = o->cases || o->only || o->page || o->gap_ms || o->memory.known || o->captures || o->profile;
    if (ways > 1)
        return argument_wrong("judge", "one of --connect, --serve and --self, not two", NULL);
    if (ways && (files || a->notes || a->all || a->options.assume.given))
        return argument_wrong(
            "judge", "--connect, --serve and --self take no capture, --notes, --all or --assume", NULL);
    if (!ways && others)
        return argument_wrong("judge",
                              "--cases, --case, --gap, --memory, --captures, --profile and --page need "
                              "--connect, --serve or --self",
                              NULL);
    if (!o->serves && (o->host || o->wait_s))
        return argument_wrong("judge", "--listen and --wait need --serve", NULL);
    if (!o->address && (o->restart || o->jobs))
        return argument_wrong("judge", "--restart and --jobs need --connect", NULL);
    if (!ways && files != 1)
        return argument_wrong("judge",
                              files ? "one capture file at a time"
                                    : "a capture file, --connect, --serve or --self is required",
                              NULL);
    return -1;
}

static int parse_judge(int argc, char **argv, struct arguments *a)
{
    int status = arguments_read(argc, argv, "judge", help, rows, a);
    if (status >= 0)
        return status;
    a->active = a->order.address || a->order.serves || a->order.self;
    a->order.json = a->json;
    a->order.junit = a->junit;
    if (check_order(a, argc - optind) >= 0)
        return EXIT_INPUT;
    a->path = argv[optind];
    if (a->notes && strcmp(a->path, "-") == 0)
        return argument_wrong("judge", "--notes reads the capture twice: it needs a file, not standard input",
                              NULL);
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
    size_t lines;
    bool failed;
};

static void take_note(struct clerk *k, const struct judge_accusation *a)
{
    struct note_line *more = list_grow(k->line, k->lines, sizeof *more);
    k->failed |= !more;
    if (!more)
        return;
    k->line = more;
    const struct judge_requirement *r = &catalogue[a->requirement];
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

static bool write_junit(const struct arguments *a, const struct judge_result *g)
{
    struct whole_file file;
    bool good = file_begin(&file, a->junit);
    if (good)
        judge_report_junit(file.out, g, a->path);
    return file_end(&file, good) || cannot_write(false, "judge", a->junit);
}

static bool write_notes(const struct arguments *a, struct clerk *k)
{
    char error[NOTES_ERROR_MAX];
    return notes_write_lines(a->path, a->notes, k->line, k->lines, error) ||
           complain(false, "judge", "%s", error);
}

static int report(const struct arguments *a, const struct judge *j, struct clerk *k)
{
    bool whole;
    const struct judge_result *g = judge_verdict(j, &whole);
    if (a->json)
        judge_report_json(stdout, g);
    else
        judge_report_text(stdout, g, a->all);
    if (fflush(stdout) != 0)
        return complain(EXIT_FAILED, "judge", "cannot write the output");
    if (!whole || k->failed)
        return complain(EXIT_FAILED, "judge", "out of memory: not everything was judged");
    if ((a->junit && !write_junit(a, g)) || (a->notes && !write_notes(a, k)))
        return EXIT_FAILED;
    return g->accusations ? EXIT_LAW : EXIT_DONE;
}

static int judge_capture(const struct arguments *a, struct capture *capture)
{
    char error[CAPTURE_ERROR_MAX];
    struct decode_summary summary;
    struct clerk clerk = {.told = a->json ? &judge_json : &judge_text, .out = stdout, .noted = a->notes};
    const struct judge_sink sink = {.context = &clerk, .accuse = clerk_accuse};
    struct judge *j = judge_new(&sink);
    if (!j)
        return complain(EXIT_FAILED, "judge", "out of memory");
    const struct decode_sink decode = judge_decode_sink(j);
    int got = decode_capture(capture, &a->options, &decode, &summary, error);
    int status = report(a, j, &clerk);
    judge_free(j);
    free(clerk.line);
    if (got < 0)
        return complain(EXIT_INPUT, "judge", "%s", error);
    if (!summary.connections)
        assume_explain_nothing("judge", &summary);
    return status;
}

int command_judge(int argc, char **argv)
{
    char error[CAPTURE_ERROR_MAX];
    struct arguments a = {0};
    int status = parse_judge(argc, argv, &a);
    if (status >= 0)
        return status;
    if (a.active)
        return judge_active(&a.order);
    struct capture *capture = capture_open(a.path, error);
    if (!capture)
        return complain(EXIT_INPUT, "judge", "%s", error);
    if (a.path && strcmp(a.path, "-") == 0)
        setvbuf(stdout, NULL, _IOLBF, 0); /* each line as its segment arrives */
    status = judge_capture(&a, capture);
    capture_close(capture);
    return status;
}
