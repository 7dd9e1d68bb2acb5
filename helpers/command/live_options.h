/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_options.h -- what `iwarpsim serve` and `iwarpsim connect` have in common on the command line. */
#ifndef HELPERS_COMMAND_LIVE_OPTIONS_H
#define HELPERS_COMMAND_LIVE_OPTIONS_H

#include "helpers/base/arguments.h"
#include "helpers/world/socket/live.h"
#include "helpers/world/socket/record.h"

#define LIVE_USAGE "[--rev1] [--markers] [--no-crc] [--bare] [--ird N] [--ord N] [--emss N]"
#define LIVE_HELP                                                                               \
    "  --rev1           MPA revision 1 (RFC 5044) instead of the enhanced frames of RFC 6581\n" \
    "  --markers        ask for markers\n"                                                      \
    "  --no-crc         use no CRC, if the peer agrees\n"                                       \
    "  --bare           send no private data\n"                                                 \
    "  --ird N, --ord N   RDMA Reads and Atomics outstanding, in and out [16]\n"                \
    "  --emss N         use no larger TCP payload than this\n"

/* Rows for a structure with a `conf`, a struct live_conf. */
#define LIVE_ROWS(of)                                                                          \
    ARGUMENT_FLAG("rev1", of, conf.rev1), ARGUMENT_FLAG("markers", of, conf.markers),          \
        ARGUMENT_FLAG("no-crc", of, conf.no_crc), ARGUMENT_FLAG("bare", of, conf.bare),        \
        ARGUMENT_READ("ird", of, conf.ird, live_depth, "--ird takes a number, 1 to 128, not"), \
        ARGUMENT_READ("ord", of, conf.ord, live_depth, "--ord takes a number, 1 to 128, not"), \
        ARGUMENT_READ("emss", of, conf.emss, live_emss,                                        \
                      "--emss takes a number of octets, 536 to 65535, not")

bool live_depth(const char *value, void *depth);
bool live_emss(const char *value, void *octets);
struct live_conf live_conf_usual(void);

/* Decimal or 0x..., at most `most`. */
bool live_number(const char *text, uint64_t most, uint64_t *n);
/* More readers of arguments: an iw_time, and a uint32_t of octets; neither is 0. */
bool live_time(const char *text, void *time);
bool live_octets(const char *text, void *octets);

/* SIGINT and SIGTERM end the loops. */
void live_catch_signals(void);
bool live_interrupted(void);

/* As the trace of a run has them. */
void live_done_text(const struct iw_done *d, char *out, size_t size);
/* "1/1/00, tagged buffer: invalid STag"; read as Linux siw orders the bits where RFC 5040's order makes no sense. */
void live_term_text(const struct rdmap_terminate *t, char *out, size_t size);

#endif
