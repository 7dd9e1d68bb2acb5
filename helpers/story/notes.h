/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notes.h -- a capture once more, as pcapng with a comment for each packet that carries iWARP: what the receiver does
 * with it, and when, by the number of the frame, what waits may go on. */
#ifndef HELPERS_STORY_NOTES_H
#define HELPERS_STORY_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Read `from` (pcap or pcapng), write `to`. False: `error` (STORY_ERROR_MAX octets) says why, nothing was written. */
bool notes_write(const char *from, const char *to, char *error);

/* The same with comments of the caller's; it sorts them by frame, and those of a frame by `order`. `error`: NOTES_ERROR_MAX
 * octets. */
enum { NOTES_ERROR_MAX = 1024 };
struct note_line {
    uint64_t frame, order;
    char text[480];
};
bool notes_write_lines(const char *from, const char *to, struct note_line *line, size_t lines, char *error);

/* The same for each capture that ns-3 wrote with this prefix: PREFIX-hN.pcap becomes PREFIX-hN.pcapng. */
bool notes_write_all(const char *prefix, char *error);

#ifdef __cplusplus
}
#endif

#endif
