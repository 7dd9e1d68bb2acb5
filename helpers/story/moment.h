/* SPDX-License-Identifier: GPL-2.0-or-later */
/* moment.h -- one instant of a story as a picture for a slide. */
#ifndef HELPERS_STORY_MOMENT_H
#define HELPERS_STORY_MOMENT_H

#include "helpers/story/story.h"

/* An SVG of 960 x 540: what is on its way at `t` (picoseconds), what each side's buffers hold and whether it may be used, and what
 * was told last. Connection `conn`; STORY_NOBODY: the first. False: writing failed, or out of memory. */
bool moment_write(FILE *out, const struct story *s, uint64_t t, int conn);

#endif
