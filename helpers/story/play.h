/* SPDX-License-Identifier: GPL-2.0-or-later */
/* play.h -- stories as one page that needs nothing else: the player. */
#ifndef HELPERS_STORY_PLAY_H
#define HELPERS_STORY_PLAY_H

#include <stddef.h>
#include <stdio.h>

#include "helpers/story/story.h"

/* The page of `count` stories of the same scenario, side by side, each under its name. False: writing failed. */
bool play_write(FILE *out, struct story *const *stories, const char *const *names, int count);

/* play.html, turned into C by the build, with the hashes of its script and style in its Content-Security-Policy. The stories go where PLAY_PLACE stands. */
extern const unsigned char play_page[];
extern const size_t play_page_size;
#define PLAY_PLACE "/*STORIES*/"

#endif
