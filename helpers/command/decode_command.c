/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode_command.c -- iwarpsim decode */
#include <getopt.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/capture/decode.h"
#include "helpers/command.h"
#include "helpers/command/assume.h"

static const char help[] =
    "usage: iwarpsim decode FILE|- [--json [--segments]] [--fail-on error] [--assume "
    "markers=on|off,crc=on|off]\n"
    "\n"
    "Reads a capture (pcap or pcapng; - is standard input) and prints every RDMA message in it, one per\n"
    "line: -> from the MPA initiator to the responder, <- back. The octets go, packet by packet, through\n"
    "the simulator's own MPA receiver and endpoint; a line with ! is an error they found, with the\n"
    "requirement that it violates. Times are seconds since the first frame of the capture.\n"
    "\n"
    "  where    STag:TO of the first octet (hexadecimal), or QN and MSN\n"
    "  segs     DDP segments (FPDUs) of the message; a retransmitted one counts once\n"
    "  early    how many of them arrived while an earlier octet was missing\n"
    "  crc      good, BAD, or off: not used, or not checked\n"
    "\n"
    "  --json            one JSON object per line instead\n"
    "  --segments        with --json: also one for each DDP segment, in order of arrival\n"
    "  --fail-on error   exit 1 when a violation was found\n"
    "  --assume ...      also decode TCP connections whose MPA start-up is not in the capture, from the\n"
    "                    first segment on that seems to begin with an FPDU (with markers: with a\n"
    "                    marker). It takes all such connections for MPA, so the capture should hold\n"
    "                    nothing else, and calls the end that it sees first the initiator. What start-up\n"
    "                    would have told stays unknown: private data, and IRD, so that too many Reads go\n"
    "                    unnoticed. It does not judge Responses to Reads before the capture.\n"
    "\n"
    "Exit: 0 done, whatever the peers did wrong; 1 with --fail-on error; 2 the file cannot be read.\n";

struct arguments {
    const char *path;
    bool json, segments, fail_on_error;
    struct decode_options options;
};

static bool read_fail_on(const char *value, void *on_error)
{
    return *(bool *)on_error = strcmp(value, "error") == 0;
}

static const struct argument rows[] = {
    ARGUMENT_FLAG("json", struct arguments, json),
    ARGUMENT_FLAG("segments", struct arguments, segments),
    ARGUMENT_READ("fail-on", struct arguments, fail_on_error, read_fail_on,
                  "--fail-on takes error only, not"),
    ARGUMENT_READ("assume", struct arguments, options.assume, assume_read, ASSUME_REFUSAL),
    {0},
};

static int parse_decode(int argc, char **argv, struct arguments *a)
{
    int status = arguments_read(argc, argv, "decode", help, rows, a);
    if (status >= 0)
        return status;
    if (optind != argc - 1)
        return argument_wrong(
            "decode", optind < argc ? "one capture file at a time" : "a capture file is required", NULL);
    if (a->segments && !a->json)
        return argument_wrong("decode", "--segments needs --json", NULL);
    a->path = argv[optind];
    return -1;
}

int command_decode(int argc, char **argv)
{
    char error[CAPTURE_ERROR_MAX];
    struct decode_summary summary;
    struct arguments a = {0};
    int status = parse_decode(argc, argv, &a);
    if (status >= 0)
        return status;
    struct capture *capture = capture_open(a.path, error);
    if (!capture)
        return complain(EXIT_INPUT, "decode", "%s", error);
    if (a.path && strcmp(a.path, "-") == 0)
        setvbuf(stdout, NULL, _IOLBF, 0); /* each line as its segment arrives */
    struct decode_sink sink = a.segments ? decode_json_segments : a.json ? decode_json : decode_text;
    sink.context = stdout;
    int got = decode_capture(capture, &a.options, &sink, &summary, error);
    capture_close(capture);
    if (fflush(stdout) != 0)
        return complain(EXIT_FAILED, "decode", "cannot write the output");
    if (got < 0)
        return complain(EXIT_INPUT, "decode", "%s", error);
    if (a.json && !summary.connections)
        assume_explain_nothing("decode", &summary);
    return a.fail_on_error && summary.violations ? EXIT_LAW : EXIT_DONE;
}
