/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_options.h -- what `iwarpsim serve` and `iwarpsim connect` have in common on the command line. */
#ifndef HELPERS_COMMAND_LIVE_OPTIONS_H
#define HELPERS_COMMAND_LIVE_OPTIONS_H

#include <getopt.h>

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

#define LIVE_OPTIONS                                                                  \
    {"rev1", no_argument, NULL, '1'}, {"markers", no_argument, NULL, 'M'},            \
        {"no-crc", no_argument, NULL, 'C'}, {"bare", no_argument, NULL, 'B'},         \
        {"ird", required_argument, NULL, 'I'}, {"ord", required_argument, NULL, 'O'}, \
    {                                                                                 \
        "emss", required_argument, NULL, 'E'                                          \
    }

enum { LIVE_OTHER = -2 };
/* -1: it was one of these; LIVE_OTHER: it is not; else what to exit with. */
int live_option(int option, struct live_conf *conf, const char *command);
struct live_conf live_conf_usual(void);

/* Decimal or 0x..., at most `most`. */
bool live_number(const char *text, uint64_t most, uint64_t *n);
bool live_time(const char *text, iw_time *t);
bool live_octets(const char *text, uint32_t *n);

/* SIGINT and SIGTERM end the loops. */
void live_catch_signals(void);
bool live_interrupted(void);

/* As the trace of a run has them. */
const char *live_op_name(enum iw_op op);
uint32_t live_op_length(const struct iw_work *work);
void live_done_text(const struct iw_done *d, char *out, size_t size);
/* "1/1/00, tagged buffer: invalid STag"; read as Linux siw orders the bits where RFC 5040's order makes no sense. */
void live_term_text(const struct rdmap_terminate *t, char *out, size_t size);

#endif
