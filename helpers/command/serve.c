/* SPDX-License-Identifier: GPL-2.0-or-later */
/* serve.c -- iwarpsim serve: a live iWARP peer. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/command.h"
#include "helpers/command/live_options.h"

static const char help[] =
    "usage: iwarpsim serve PORT [--listen ADDR] [--memory SIZE] [--connections N] [--once] [--pcap FILE]\n"
    "                      " LIVE_USAGE "\n"
    "\n"
    "Registers memory, prints its STags, and serves every peer that connects: RDMA Writes, Reads, Atomics, "
    "Sends\n"
    "into receive buffers of 64 KiB. It advertises its memory in the private data of the MPA Reply, in the "
    "format\n"
    "of siwtest, and plays its side of the script of `iwarpsim connect`. It prints a line when a connection "
    "opens\n"
    "and when it closes. With PORT 0 the kernel chooses a port. Ctrl-C ends it.\n"
    "Anyone who reaches the port may read and write the registered memory, and send: there is no "
    "authentication.\n"
    "\n"
    "  --listen ADDR    address to listen on [127.0.0.1]; 0.0.0.0, or ::, means all addresses\n"
    "  --memory SIZE    octets to register, for all connections together; also the most that the script of "
    "one\n"
    "                   connection may take beside them [16MiB]\n"
    "  --connections N  most connections at a time; more are reset [64]\n"
    "  --once           exit when the first connection closes\n"
    "  --pcap FILE      the octets of all connections as a capture, in made-up packets, one per "
    "FPDU\n" LIVE_HELP "\n"
    "Exit: 0 ended by Ctrl-C, or by --once; 2 the input is wrong; 3 the address is not available.\n";

enum { CONNECTIONS_MAX = 4096, PORT_MAX = 65535, WAIT_S = 3600 };
#define SECOND ((iw_time)1000000000000)

struct arguments {
    struct live_conf conf;
    const char *listen, *pcap;
    uint16_t port;
    bool once;
};

/* ---- arguments ---- */

static const struct argument rows[] = {
    {.name = "listen",
     .into = offsetof(struct arguments, listen),
     .read = argument_given,
     .refusal = "--listen needs an address",
     .quiet = true},
    ARGUMENT_READ("memory", struct arguments, conf.memory, live_octets,
                  "--memory takes a size such as 16MiB, below 2GiB, not"),
    ARGUMENT_NUMBER("connections", struct arguments, conf.ends, 1, CONNECTIONS_MAX,
                    "--connections takes a number, 1 to 4096, not"),
    ARGUMENT_FLAG("once", struct arguments, once),
    ARGUMENT_TEXT("pcap", struct arguments, pcap),
    LIVE_ROWS(struct arguments),
    {0},
};

static int parse_serve(int argc, char **argv, struct arguments *a)
{
    uint64_t port;
    int status = arguments_read(argc, argv, "serve", help, rows, a);
    if (status >= 0)
        return status;
    if (optind != argc - 1)
        return argument_wrong("serve",
                              optind < argc ? "one port at a time, not also"
                                            : "a port is required: iwarpsim serve 7174",
                              optind < argc ? argv[optind + 1] : NULL);
    if (!argument_number(argv[optind], PORT_MAX, &port))
        return argument_wrong("serve", "a port is a number, 0 to 65535, not", argv[optind]);
    a->port = (uint16_t)port;
    return -1;
}

/* ---- what is said ---- */

struct server {
    struct record *record;
    uint64_t gone;
};

static void opened(void *context, struct live_end *e)
{
    char peer[ADDRESS_TEXT_MAX];
    const struct mpa_agreement *a = &e->agreed;
    (void)context;
    printf("%s connected: MPA revision %d, CRC %s, markers %s, IRD %d, ORD %d%s%s\n",
           address_text(link_peer(e->link), peer), a->rev, a->crc ? "on" : "off",
           a->markers_rx && a->markers_tx   ? "both ways"
           : a->markers_rx || a->markers_tx ? "one way"
                                            : "off",
           a->ird, a->ord, e->player.both ? ", with a script: " : "", e->player.both ? e->script : "");
}

static void say_end(const struct live_end *e, char *out, size_t size)
{
    char term[256];
    const struct rdmap_terminate *t = e->sent.term ? &e->sent : &e->heard;
    if (*e->player.broken)
        snprintf(out, size, "%s", e->player.broken);
    else if (t->term) {
        live_term_text(t, term, sizeof term);
        snprintf(out, size, "Terminate %s, %s", e->sent.term ? "sent" : "received", term);
    } else if (e->error)
        snprintf(out, size, "%s", strerror(e->error));
    else if (*e->why)
        snprintf(out, size, "rejected: %s", e->why);
    else if (!e->was_open)
        snprintf(out, size, "%s", e->why_start ? mpa_why_text(e->why_start) : "start-up did not finish");
    else
        snprintf(out, size, "%s", e->closing ? "closed" : "lost");
}

static void gone(void *context, struct live_end *e)
{
    struct server *s = context;
    char peer[ADDRESS_TEXT_MAX], how[512];
    struct session *session = link_session(e->link);
    const struct iw_stats *x =
        session && session_was_open(session) ? iw_statistics(session_ep(session)) : NULL;
    say_end(e, how, sizeof how);
    printf("%s disconnected: %s", address_text(link_peer(e->link), peer), how);
    if (x)
        printf("; %" PRIu64 " message%s and %" PRIu64 " octets received, %" PRIu64 " octets sent",
               x->messages_rx, x->messages_rx == 1 ? "" : "s", x->octets_rx, x->octets_tx);
    puts("");
    record_end(e->user, e->error != 0);
    e->user = NULL;
    s->gone++;
}

static void octets(void *context, struct live_end *e, bool sent, const struct iw_frag *piece, uint32_t pieces,
                   size_t count)
{
    struct server *s = context;
    if (!e->user)
        e->user = record_begin(s->record, link_local(e->link), link_peer(e->link), false);
    if (e->user)
        record_octets(e->user, sent, piece, pieces, count);
}

static void say_memory(const struct live *l, const struct socket_address *at)
{
    char where[ADDRESS_TEXT_MAX];
    const struct live_told *t = &l->memory.told;
    printf("listening on %s; %" PRIu32 " octets at TO %" PRIu64 " .. %" PRIu64 "\n", address_text(at, where),
           t->len, t->to, t->to + t->len - 1);
    printf("home     STag 0x%08x  may be read and written\n", t->stag[SCRIPT_HOME]);
    printf("readable STag 0x%08x  may be read\n", t->stag[SCRIPT_READABLE]);
    printf("writable STag 0x%08x  may be written\n", t->stag[SCRIPT_WRITABLE]);
    printf("foreign  STag 0x%08x  of another protection domain\n", t->stag[SCRIPT_FOREIGN]);
    complain(0, "serve", "anyone who reaches %s may read and write these octets", where);
}

/* ---- serving ---- */

static bool listens(struct live *l, const struct arguments *a, struct socket_address *at)
{
    char why[SOCKETS_WHY_MAX];
    if (!address_at(a->listen, a->port, at, why))
        return complain(false, "serve", "%s", why);
    int error = sockets_listen(l->sockets, at);
    return !error ||
           complain(false, "serve", "cannot listen on %s, port %u: %s", a->listen, a->port, strerror(error));
}

static int serve(const struct arguments *a, struct server *s)
{
    struct live l;
    struct socket_address at;
    char why[PLAYER_WHY_MAX];
    const struct live_note note = {
        .context = s, .opened = opened, .gone = gone, .octets = s->record ? octets : NULL};
    if (!live_open(&l, &a->conf, &note, why))
        return complain(EXIT_FAILED, "serve", "%s", why);
    bool good = listens(&l, a, &at);
    if (good)
        say_memory(&l, &at);
    while (good && !live_interrupted() && !(a->once && s->gone))
        good = live_turn(&l, sockets_now() + WAIT_S * SECOND) >= 0;
    live_close(&l);
    return good ? EXIT_DONE : EXIT_FAILED;
}

int command_serve(int argc, char **argv)
{
    struct server s = {0};
    struct arguments a = {.conf = live_conf_usual(), .listen = "127.0.0.1"};
    int status = parse_serve(argc, argv, &a);
    if (status >= 0)
        return status;
    setvbuf(stdout, NULL, _IOLBF, 0);
    live_catch_signals();
    FILE *out = a.pcap ? fopen(a.pcap, "wb") : NULL;
    s.record = out ? record_new(out) : NULL;
    if (a.pcap && !s.record)
        return cannot_write(EXIT_FAILED, "serve", a.pcap);
    status = serve(&a, &s);
    if (s.record && !record_close(s.record))
        status = EXIT_FAILED;
    return status;
}
