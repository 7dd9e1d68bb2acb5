/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fates.c -- iwarpsim fates: what a path did to packets, from captures of it, as a file for channel.trace. */
#include "helpers/capture/fates.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/command.h"
#include "helpers/scenario/fates_file.h"

static const char help[] =
    "usage: iwarpsim fates SENT RECEIVED [--conn N] [--out FILE]\n"
    "       iwarpsim fates CAPTURE [--at SIDE] [--conn N] [--out FILE]\n"
    "\n"
    "Reads captures (pcap or pcapng) of any TCP connection, and writes what became of each data packet in "
    "the\n"
    "direction that carried more: lost, late by how much, or received twice. Its output is a file for\n"
    "channel.trace.file.\n"
    "\n"
    "With a capture of each end nothing is guessed: each packet is found in both, and the clocks need not\n"
    "agree. One end alone shows less, and the file says what was assumed:\n"
    "  receiver  what filled a hole was late, or lost and sent again; its timestamp, its IP identification\n"
    "            or the round trip decides which. A lost retransmission is not seen\n"
    "  sender    what was sent again counts as lost, whether or not it was; nothing is late or twice\n"
    "Segmentation offload hides packets from a capture: ethtool -K DEVICE tso off gso off gro off.\n"
    "\n"
    "  --at SIDE   which end one capture was taken at: receiver, sender [receiver]\n"
    "  --conn N    the Nth connection that carries data, in order of first segments\n"
    "              [the one with the most octets]\n"
    "  --out FILE  write to this file instead of standard output, and print a summary\n"
    "\n"
    "A replayed path does not react to what is sent: where a queue dropped packets, it drops those of a new\n"
    "sender too, even of one that would not have filled it.\n"
    "\n"
    "Exit: 0 done; 2 the input is wrong; 3 the file cannot be written.\n";

struct arguments {
    const char *first, *second, *out, *side;
    enum fates_side at;
    uint32_t conn;
};

static const struct argument rows[] = {
    ARGUMENT_WORD("at", struct arguments, side, "receiver or sender"),
    ARGUMENT_NUMBER("conn", struct arguments, conn, 1, INT32_MAX,
                    "--conn takes the number of a connection, from 1 on, not"),
    ARGUMENT_READ("out", struct arguments, out, argument_given, "--out takes a file, not"),
    {0},
};

static int parse_fates(int argc, char **argv, struct arguments *a)
{
    int status = arguments_read(argc, argv, "fates", help, rows, a);
    if (status >= 0)
        return status;
    if (argc - optind < 1 || argc - optind > 2)
        return argument_wrong(
            "fates", "one capture is needed, or one of each end: iwarpsim fates SENT.pcap RECEIVED.pcap",
            NULL);
    a->first = argv[optind];
    a->second = argc - optind == 2 ? argv[optind + 1] : NULL;
    a->at = a->side && strcmp(a->side, "sender") == 0 ? FATES_SENDER : FATES_RECEIVER;
    if (a->second && a->side)
        return argument_wrong("fates", "--at is for one capture; of two the first is the sender's", NULL);
    return -1;
}

/* ---- reading ---- */

static bool read_two(const struct arguments *a, struct fates *f, char *error)
{
    struct capture *sent = capture_open(a->first, error);
    struct capture *received = sent ? capture_open(a->second, error) : NULL;
    bool good = received && fates_of_two(sent, received, (int)a->conn, f, error);
    capture_close(sent);
    capture_close(received);
    return good;
}

static bool read_one(const struct arguments *a, struct fates *f, char *error)
{
    struct capture *c = capture_open(a->first, error);
    bool good = c && fates_of_one(c, a->at, (int)a->conn, f, error);
    capture_close(c);
    return good;
}

/* What a file of fates can say. */
static struct channel_seen seen_of(const struct fates_packet *p)
{
    static const uint64_t longest = 10000000000u; /* ns */
    uint64_t late = p->late_ns < longest ? p->late_ns : longest;
    uint32_t most = 1000000;
    return (struct channel_seen){.time = late * 1000,
                                 .packets = p->overtaken < most ? p->overtaken : most,
                                 .lost = p->lost,
                                 .twice = p->twice};
}

/* ---- telling ---- */

static void tell_number(FILE *out, const char *before, uint64_t n, const char *what)
{
    if (n)
        fprintf(out, "%s%" PRIu64 " %s\n", before, n, what);
}

static void print_fates(FILE *out, const char *before, const struct arguments *a, const struct fates *f,
                        const struct fates_count *count)
{
    char from[CAPTURE_END_TEXT], to[CAPTURE_END_TEXT];
    capture_end_text(&f->from, from);
    capture_end_text(&f->to, to);
    fprintf(out, "%sfrom %s to %s, connection %d of %d; %s\n", before, from, to, f->conn, f->conns,
            a->second                 ? "both ends captured"
            : a->at == FATES_RECEIVER ? "captured at the receiver alone"
                                      : "captured at the sender alone: what was sent again counts as lost");
    fputs(before, out);
    fates_count_write(count, out);
    putc('\n', out);
    tell_number(out, before, f->resent, "of them carried octets that had been sent before");
    tell_number(out, before, f->alike, "cannot be told from their retransmissions, except by time");
    tell_number(out, before, f->strange,
                "packets received that the sender's capture does not have: left out");
    tell_number(out, before, f->outside, "sent before or after what both captures have: left out");
    tell_number(out, before, f->by_trip, "late or sent again? decided by the round trip alone");
    tell_number(out, before, f->guessed, "late or sent again? unknown: taken for late");
    tell_number(out, before, f->uncaught, "acknowledged and never captured: left out");
}

static void write_all(FILE *out, const struct arguments *a, const struct fates *f,
                      const struct channel_seen *seen, const struct fates_count *count)
{
    fputs("# iwarpsim fates: for channel.trace.file\n", out);
    print_fates(out, "# ", a, f, count);
    fates_write(seen, f->count, out);
}

static bool write_file(const struct arguments *a, const struct fates *f, const struct channel_seen *seen,
                       const struct fates_count *count)
{
    struct whole_file file;
    if (!file_begin(&file, a->out))
        return false;
    write_all(file.out, a, f, seen, count);
    if (!file_commit(&file, false))
        return false;
    print_fates(stdout, "", a, f, count);
    return true;
}

static int write_fates(const struct arguments *a, const struct fates *f)
{
    struct fates_count count = {0};
    struct channel_seen *seen = malloc((f->count + 1) * sizeof *seen);
    if (!seen)
        return complain(EXIT_FAILED, "fates", "out of memory");
    for (size_t i = 0; i < f->count; i++) {
        seen[i] = seen_of(&f->packets[i]);
        fates_count_add(&count, &seen[i]);
    }
    bool good = true;
    if (a->out)
        good = write_file(a, f, seen, &count);
    else
        write_all(stdout, a, f, seen, &count);
    free(seen);
    return good ? EXIT_DONE : cannot_write(EXIT_FAILED, "fates", a->out);
}

int command_fates(int argc, char **argv)
{
    struct arguments a = {0};
    struct fates f = {0};
    char error[CAPTURE_ERROR_MAX];
    int status = parse_fates(argc, argv, &a);
    if (status >= 0)
        return status;
    if (!(a.second ? read_two(&a, &f, error) : read_one(&a, &f, error)))
        status = complain(EXIT_INPUT, "fates", "%s", error);
    else if (!f.count || f.count > FATES_FILE_MOST)
        status = complain(EXIT_INPUT, "fates",
                          f.count ? "more than 4194304 packets: capture less"
                                  : "no packet that both captures have");
    else
        status = write_fates(&a, &f);
    free(f.packets);
    return status;
}
