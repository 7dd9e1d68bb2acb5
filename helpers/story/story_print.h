/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story_print.h -- a story as lines of text: what `iwarpsim explain` prints, and what the live page shows.
 *
 *     |    10.709 us|B | places A2: 1440 octets at TO 11440 .. 12879.          RFC 5041 5.3
 *      time           who what                                                  section
 */
#ifndef HELPERS_STORY_STORY_PRINT_H
#define HELPERS_STORY_STORY_PRINT_H

#include <stdio.h>

#include "helpers/story/story.h"

/* Which events, and how they look. */
struct story_manner {
    uint64_t from, to; /* picoseconds, both count */
    int conn;          /* STORY_NOBODY: all */
    bool only[ABOUTS], markdown, color;
    int width; /* columns */
};
enum { STORY_WIDTH = 80, STORY_WIDE = 110 };

/* All events in STORY_WIDTH columns, without colour. */
struct story_manner story_manner_plain(void);
/* False: writing failed. */
bool story_print(FILE *out, const struct story *s, const struct story_manner *manner);

#endif
