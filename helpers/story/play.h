/* SPDX-License-Identifier: GPL-2.0-or-later */
/* play.h -- stories as JSON, as the player has them (play_page.h). */
#ifndef HELPERS_STORY_PLAY_H
#define HELPERS_STORY_PLAY_H

#include <stdio.h>

#include "helpers/story/story.h"

/* `count` stories of the same scenario as a list in JSON, each under its receive path. */
void play_stories(FILE *out, struct story *const *stories, int count);

/* Beside it is nothing: a live page shows many hosts instead of stories. */
#define PLAY_CLUSTER "cluster"
/* The receive path that is shown beside `receive`: `wanted` ("none": none), or, when that is empty, copy beside place.
 * Empty: none. */
const char *play_beside(const char *receive, const char *wanted);
/* The --set of a receive path, with a window policy that it can have (rnic/window.h). False: it is none. */
enum { PLAY_BESIDE_SETS = 2 };
bool play_beside_sets(const char *receive, const char *sets[PLAY_BESIDE_SETS]);

#endif
