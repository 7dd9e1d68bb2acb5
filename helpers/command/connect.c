/* SPDX-License-Identifier: GPL-2.0-or-later */
/* connect.c -- iwarpsim connect: a script played against a live peer, and told. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/base/list.h"
#include "helpers/capture/capture.h"
#include "helpers/command.h"
#include "helpers/command/live_options.h"
#include "helpers/story/story_load.h"
#include "helpers/story/story_print.h"
#include "scenarios/workloads/request.h"

static const char help[] =
    "usage: iwarpsim connect HOST:PORT SCRIPT [--quiet] [--wide] [--pcap FILE] [--timeout T]\n"
    "                        [--stag N --to N --len N] " LIVE_USAGE "\n"
    "\n"
    "Plays a script (`write 1MB; read 1MB; send 100`; `iwarpsim keys workload.script` has the language) "
    "against\n"
    "a live iWARP peer over the kernel's TCP, and tells what happened as `iwarpsim explain` does. A is this\n"
    "end, B the peer; what B did is inferred from its octets. B advertises its memory in MPA's private data, "
    "as\n"
    "`iwarpsim serve` and siwtest do, or --stag, --to and --len name it. The steps of B (`peer ...`), `into` "
    "and\n"
    "`unexpected` need `iwarpsim serve` there, which gets the script with the Request. Octets that the "
    "script\n"
    "writes and reads back are compared.\n"
    "\n"
    "  --quiet          print only how it ended\n"
    "  --wide           lines of 110 columns instead of 80\n"
    "  --pcap FILE      the octets of the connection as a capture, in made-up packets, one per FPDU\n"
    "  --timeout T      give up when no step completes for this long [10s]\n"
    "  --stag N --to N --len N   memory of the peer that it does not advertise: home, readable and "
    "writable\n" LIVE_HELP "\n"
    "Exit: 0 done, provoked Terminates included; 1 octets arrived altered, or the peer broke the\n"
    "protocol; 2 the input is wrong; 3 no connection, or the peer is gone; 130 interrupted.\n";

#define MS ((iw_time)1000000000)

enum { SEGMENTS_MAX = 20000, TIMEOUT_S = 10 };

struct arguments {
    struct live_conf conf;
    struct socket_address to;
    const char *address, *text, *pcap;
    struct script script;
    struct live_told given;
    bool has_stag, has_to, quiet, wide;
    iw_time timeout;
    struct story_manner manner;
};

/* ---- arguments ---- */

static bool read_stag(const char *value, void *arguments)
{
    uint64_t n = 0;
    struct arguments *a = arguments;
    a->has_stag = live_number(value, UINT32_MAX, &n);
    for (int i = SCRIPT_HOME; i < SCRIPT_MEMORIES; i++)
        a->given.stag[i] = i == SCRIPT_NOTHING || i == SCRIPT_FOREIGN ? 0 : (iw_stag)n;
    return a->has_stag;
}

static bool read_to(const char *value, void *arguments)
{
    struct arguments *a = arguments;
    return a->has_to = live_number(value, UINT64_MAX, &a->given.to);
}

static bool read_len(const char *value, void *len)
{
    uint64_t n;
    bool good = live_number(value, UINT32_MAX, &n);
    *(uint32_t *)len = good ? (uint32_t)n : 0;
    return good;
}

static const struct argument rows[] = {
    ARGUMENT_FLAG("quiet", struct arguments, quiet),
    ARGUMENT_FLAG("wide", struct arguments, wide),
    ARGUMENT_TEXT("pcap", struct arguments, pcap),
    ARGUMENT_READ("timeout", struct arguments, timeout, live_time, "--timeout takes a time such as 10s, not"),
    {.name = "stag",
     .read = read_stag,
     .refusal = "--stag takes a number of 32 bits such as 0x1a2b3c4d, not"},
    {.name = "to", .read = read_to, .refusal = "--to takes a number, not"},
    ARGUMENT_READ("len", struct arguments, given.len, read_len, "--len takes a number of octets, not"),
    LIVE_ROWS(struct arguments),
    {0},
};

static int parse_words(int argc, char **argv, struct arguments *a)
{
    char why[SOCKETS_WHY_MAX];
    if (argc - optind < 2)
        return argument_wrong(
            "connect", "an address and a script are required: iwarpsim connect 127.0.0.1:7174 'send 100'",
            NULL);
    if (argc - optind > 2)
        return argument_wrong("connect",
                              "one script at a time, in quotes; another argument follows:", argv[optind + 2]);
    a->address = argv[optind];
    a->text = argv[optind + 1];
    const char *error = script_read(a->text, &a->script);
    if (error)
        return argument_wrong("connect", error, a->text);
    if (a->has_stag != a->has_to)
        return argument_wrong("connect", "--stag and --to need each other, and --len with the size", NULL);
    a->manner.width = a->wide ? STORY_WIDE : a->manner.width;
    a->given.len = a->given.len ? a->given.len : SCRIPT_OCTETS_MAX;
    if (address_read(a->address, &a->to, why))
        return -1;
    return argument_wrong("connect", why, NULL);
}

static int parse_connect(int argc, char **argv, struct arguments *a)
{
    int status = arguments_read(argc, argv, "connect", help, rows, a);
    return status < 0 ? parse_words(argc, argv, a) : status;
}

/* ---- what is noted for the story ---- */

struct noted {
    struct record *record;
    struct record_flow *flow;
    FILE *stream;
    char *octets;
    size_t size;
    struct story_event *event;
    int events;
};

static void add_event(struct noted *n, const struct story_event *e)
{
    struct story_event *more = list_grow(n->event, (size_t)n->events, sizeof *more);
    if (!more)
        return;
    n->event = more;
    n->event[n->events] = *e;
    n->event[n->events++].said = trace_said(e->kind, e->text);
}

static struct story_event event_now(const struct noted *n, enum trace_kind kind)
{
    struct story_event e = story_nothing;
    e.t = record_time(n->record, sockets_now());
    e.kind = kind;
    e.conn = 1;
    return e;
}

static void posted(void *context, const struct live_player *p, const struct iw_work *work)
{
    struct noted *n = context;
    struct story_event e = event_now(n, TRACE_POST);
    (void)p;
    e.length = request_length(work);
    e.stag = work->remote_stag;
    e.to = work->remote_to;
    e.tagged = work->remote_stag != 0;
    snprintf(e.text, sizeof e.text, "%s%s", request_name(work->op), work->flags & IW_FENCE ? "; fence" : "");
    add_event(n, &e);
}

static void over(void *context, const struct live_player *p, const struct iw_done *d)
{
    struct noted *n = context;
    struct story_event e = event_now(n, TRACE_DONE);
    (void)p;
    if (d->op == IW_RECV && d->status == IW_FLUSHED)
        return;
    e.length = d->len;
    live_done_text(d, e.text, sizeof e.text);
    add_event(n, &e);
}

static void octets(void *context, struct live_end *e, bool sent, const struct iw_frag *piece, uint32_t pieces,
                   size_t count)
{
    struct noted *n = context;
    if (!n->flow)
        n->flow = record_begin(n->record, link_local(e->link), link_peer(e->link), true);
    if (n->flow)
        record_octets(n->flow, sent, piece, pieces, count);
}

static void gone(void *context, struct live_end *e)
{
    struct noted *n = context;
    record_end(n->flow, e->error || !e->closing);
    n->flow = NULL;
}

/* ---- the story ---- */

static int keep_capture(const struct noted *n, const char *path)
{
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(n->octets, 1, n->size, f) == n->size;
    good = f && fclose(f) == 0 && good;
    return good ? EXIT_DONE : cannot_write(EXIT_FAILED, "connect", path);
}

static int print_noted(const struct arguments *a, struct noted *n)
{
    char error[STORY_ERROR_MAX];
    int status;
    struct story_request r = {.file = a->address, .segments_max = SEGMENTS_MAX};
    FILE *in = fmemopen(n->octets, n->size, "rb");
    struct capture *capture = in ? capture_stream(in, a->address, error) : NULL;
    struct story *s = capture ? story_hear(capture, &r, error, &status) : NULL;
    capture_close(capture);
    if (!s)
        return complain(EXIT_FAILED, "connect", "the story cannot be told: %s", error);
    story_join(s, n->event, n->events);
    snprintf(s->title, sizeof s->title, "%.*s", STORY_TITLE_MAX - 1, a->text);
    snprintf(s->setting, sizeof s->setting, "live, with %.64s; the engine infers from its octets what it did",
             a->address);
    status = story_print(stdout, s, &a->manner) ? EXIT_DONE : EXIT_FAILED;
    story_free(s);
    return status;
}

/* ---- how it ended ---- */

static int say_not_open(const struct arguments *a, const struct live_end *e, bool timed_out)
{
    if (e->rejected)
        return complain(EXIT_FAILED, "connect", "%.64s rejects the connection in its MPA Reply", a->address);
    if (e->error)
        return complain(EXIT_FAILED, "connect", "no connection with %.64s: %s", a->address,
                        strerror(e->error));
    return complain(EXIT_FAILED, "connect", "MPA's start-up with %.64s failed: %s", a->address,
                    timed_out ? "no answer" : mpa_why_text(e->why_start));
}

static int say_terminate(const struct live_end *e)
{
    char term[256];
    const char *who = e->heard.term ? "the peer" : "this end";
    live_term_text(e->heard.term ? &e->heard : &e->sent, term, sizeof term);
    if (!e->heard.term && !e->player.both) /* a peer without the script had nothing to provoke it with */
        return complain(EXIT_LAW, "connect", "%s ended the stream with Terminate %s", who, term);
    printf("%s ended the stream with Terminate %s\n", who, term);
    return EXIT_DONE;
}

static int say_end(const struct arguments *a, const struct live_end *e, bool timed_out)
{
    const struct live_player *p = &e->player;
    uint32_t step = player_waits_for(p);
    if (*p->broken)
        return complain(EXIT_LAW, "connect", "%s", p->broken);
    if (*e->why)
        return complain(EXIT_INPUT, "connect", "%s", e->why);
    if (!e->was_open)
        return say_not_open(a, e, timed_out);
    if (e->heard.term || e->sent.term)
        return say_terminate(e);
    if (step || p->failed)
        return complain(EXIT_FAILED, "connect", "%s step %" PRIu32 " was over%s%s",
                        timed_out ? "nothing arrived for too long, and iwarpsim gave up before"
                                  : "the peer was gone before",
                        step, e->error ? ": " : "", e->error ? strerror(e->error) : "");
    printf("all %" PRIu32 " step%s done\n", p->script.count, p->script.count == 1 ? " is" : "s are");
    return EXIT_DONE;
}

/* ---- playing ---- */

/* Until it is over; 0: it is, else what to exit with. */
static int play_live(const struct arguments *a, struct live *l, struct live_end *e, bool *timed_out)
{
    uint32_t done = 0, heard = 0;
    uint64_t octets_rx = 0;
    iw_time give_up = sockets_now() + a->timeout;
    while (e->state != LIVE_GONE) {
        struct session *s = link_session(e->link);
        const struct iw_stats *x = s ? iw_statistics(session_ep(s)) : NULL;
        uint64_t rx = x ? x->octets_rx + x->octets_tx : 0;
        if (live_interrupted())
            return EXIT_INTERRUPTED;
        if (done != e->player.completed || heard != e->player.heard || rx != octets_rx)
            give_up = sockets_now() + a->timeout;
        done = e->player.completed;
        heard = e->player.heard;
        octets_rx = rx;
        if (sockets_now() >= give_up) {
            *timed_out = true;
            return 0;
        }
        live_turn(l, give_up);
    }
    return 0;
}

static int converse(const struct arguments *a, struct noted *n)
{
    struct live l;
    char why[PLAYER_WHY_MAX];
    bool timed_out = false;
    const struct live_note note = {.context = n, .gone = gone, .octets = octets};
    if (!live_open(&l, &a->conf, &note, why))
        return complain(EXIT_FAILED, "connect", "%s", why);
    int status = EXIT_FAILED;
    struct live_end *e = live_connect(&l, &a->to, a->text, &a->script, a->has_stag ? &a->given : NULL, why);
    if (e) {
        e->player.note.posted = posted;
        e->player.note.over = over;
        e->player.note.context = n;
        status = play_live(a, &l, e, &timed_out);
        live_stop(&l);
        record_close(n->record);
        n->record = NULL;
        int told = n->size > 0 && e->was_open && !a->quiet ? print_noted(a, n) : 0;
        int kept = a->pcap ? keep_capture(n, a->pcap) : 0;
        status = status ? status : say_end(a, e, timed_out);
        status = status ? status : told ? told : kept;
        live_end_free(e);
    } else {
        complain(0, "connect", "%s", why);
    }
    live_close(&l);
    return status;
}

int command_connect(int argc, char **argv)
{
    struct noted n = {0};
    struct arguments a = {
        .conf = live_conf_usual(), .timeout = TIMEOUT_S * 1000LL * MS, .manner = story_manner_plain()};
    a.conf.ends = 1;
    a.manner.only[ABOUT_WINDOW] = false; /* a socket shows neither acknowledgements nor windows */
    a.manner.color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    int status = parse_connect(argc, argv, &a);
    if (status >= 0)
        return status;
    live_catch_signals();
    n.stream = open_memstream(&n.octets, &n.size);
    n.record = n.stream ? record_new(n.stream) : NULL;
    status = n.record ? converse(&a, &n) : EXIT_FAILED;
    if (n.record)
        record_close(n.record);
    free(n.octets);
    free(n.event);
    return status;
}
