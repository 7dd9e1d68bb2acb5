/* SPDX-License-Identifier: GPL-2.0-or-later */
/* picture.h -- a story as figures, drawn with gnuplot. */
#ifndef HELPERS_STORY_PICTURE_H
#define HELPERS_STORY_PICTURE_H

#include "helpers/story/story.h"

enum picture_size { PICTURE_PAGE, PICTURE_SLIDE };

/* DIR/placement, window and memory: .gp (data included), .svg and .png, each where the story has what it takes. What
 * was written is said on stdout, what went wrong on stderr. Returns the exit code. */
int picture_all(const struct story *s, const char *dir, enum picture_size size);

#endif
