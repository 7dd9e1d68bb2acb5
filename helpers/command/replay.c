/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.c -- iwarpsim replay: what the initiator of a capture said, said again to a live peer. */
#include "helpers/judge/replay.h"

#include <getopt.h>
#include <stdio.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/command.h"

static const char help[] =
    "usage: iwarpsim replay FILE HOST:PORT [--conn N] [--gap MS] [--memory STAG:TO:LEN]\n"
    "\n"
    "Sends a live iWARP peer what the MPA initiator of a capture (pcap or pcapng; - is standard input) "
    "said:\n"
    "its Request and its FPDUs, in order, each once the peer has sent as many messages as the responder of\n"
    "the capture had by then. STags and addresses of the responder's memory become those of the peer's.\n"
    "Reports the first message in which the peer differs: in kind, length, queue, number, buffer, error of "
    "a\n"
    "Terminate, or in any octet other than STags and addresses. Octets of a Read Response are compared "
    "where\n"
    "the initiator had written them before; elsewhere memory may hold others. Do this only to a stack that\n"
    "you may crash.\n"
    "\n"
    "Both the capture's responder and the peer advertise their memory in MPA's private data, as\n"
    "`iwarpsim serve` and siwtest do; where the peer's is larger, what was out of bounds may be within it.\n"
    "In a capture without such private data each STag becomes the one of --memory.\n"
    "\n"
    "  --conn N        the connection of the capture, as `iwarpsim decode` numbers them [the first]\n"
    "  --gap MS        how long to wait for an answer [300]; 20 times as long for one that must come\n"
    "  --memory ...    a region of the peer that may be read and written: its STag, TO and length\n"
    "\n"
    "Exit: 0 the peer said what the capture's responder said; 1 it differs; 2 the input is wrong; 3 nobody\n"
    "answers.\n";

enum { GAP_MS = 300, GAP_MAX = 60000 };

struct arguments {
    const char *file, *address;
    uint32_t conn, gap_ms;
    struct case_memory memory;
};

static const struct argument rows[] = {
    ARGUMENT_NUMBER("conn", struct arguments, conn, 1, INT32_MAX,
                    "--conn takes the number of a connection, from 1 on, not"),
    ARGUMENT_NUMBER("gap", struct arguments, gap_ms, 1, GAP_MAX, "--gap takes milliseconds, 1 to 60000, not"),
    ARGUMENT_READ("memory", struct arguments, memory, case_memory_read, "--memory takes STAG:TO:LEN, not"),
    {0},
};

static int parse_replay(int argc, char **argv, struct arguments *a)
{
    int status = arguments_read(argc, argv, "replay", help, rows, a);
    if (status >= 0)
        return status;
    if (argc - optind != 2)
        return argument_wrong(
            "replay", "a capture and an address are needed: iwarpsim replay FILE.pcap 127.0.0.1:7174", NULL);
    a->file = argv[optind];
    a->address = argv[optind + 1];
    return -1;
}

static int print_result(const struct replay_result *r)
{
    printf("connection %d: %zu FPDU%s sent, %zu message%s came back\n", r->conn, r->sent,
           r->sent == 1 ? "" : "s", r->answers, r->answers == 1 ? "" : "s");
    if (*r->note)
        printf("  %s\n", r->note);
    if (r->differs)
        printf("  the first difference: %s\n", r->first);
    else
        printf("  as the capture's responder did%s\n", *r->first ? ": no connection" : "");
    if (*r->elsewhere)
        printf("  %s\n", r->elsewhere);
    return r->differs ? EXIT_LAW : EXIT_DONE;
}

static int play_replay(const struct arguments *a, const struct replay *r)
{
    char why[REPLAY_TEXT_MAX];
    struct judge_peer peer;
    struct replay_result result;
    struct peer_tcp *tcp = peer_tcp_new(&peer, a->address, why);
    if (!tcp)
        return complain(EXIT_INPUT, "replay", "%s", why);
    bool played = replay_play(r, &peer, a->gap_ms, a->memory.known ? &a->memory : NULL, &result, why);
    peer_tcp_free(tcp);
    return played ? print_result(&result) : complain(EXIT_FAILED, "replay", "%s: %s", a->address, why);
}

int command_replay(int argc, char **argv)
{
    char error[CAPTURE_ERROR_MAX], why[REPLAY_TEXT_MAX];
    struct arguments a = {.gap_ms = GAP_MS};
    int status = parse_replay(argc, argv, &a);
    if (status >= 0)
        return status;
    struct capture *capture = capture_open(a.file, error);
    if (!capture)
        return complain(EXIT_INPUT, "replay", "%s", error);
    struct replay *r = replay_read(capture, (int)a.conn, why);
    capture_close(capture);
    if (!r)
        return complain(EXIT_INPUT, "replay", "%s: %s", a.file, why);
    status = play_replay(&a, r);
    replay_free(r);
    return status;
}
