/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assume.h -- what decode and judge have in common. */
#ifndef HELPERS_COMMAND_ASSUME_H
#define HELPERS_COMMAND_ASSUME_H

#include "helpers/capture/decode.h"

/* Option --assume: "markers=off,crc=on", both, in any order. */
bool assume_read(const char *text, void *decode_assume);
#define ASSUME_REFUSAL "--assume takes markers=on|off,crc=on|off, not"

/* On stderr: why there was nothing to read in a capture. */
void assume_explain_nothing(const char *command, const struct decode_summary *s);

#endif
