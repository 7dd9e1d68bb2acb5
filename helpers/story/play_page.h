/* SPDX-License-Identifier: GPL-2.0-or-later */
/* play_page.h -- the player: stories in one page that needs nothing else, and, in a live page, the engine that makes them. */
#ifndef HELPERS_STORY_PLAY_PAGE_H
#define HELPERS_STORY_PLAY_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "helpers/story/story.h"

struct scenario;

/* What a live page has beside its stories. */
struct play_live {
    const struct scenario *scenario;
    size_t point;
    uint32_t repeat;
    const char *beside;    /* as --beside was given; empty: not */
    const uint8_t *module; /* WebAssembly, deflated (zlib) */
    size_t module_size;
};

/* The page of `count` stories of the same scenario, side by side. `live`: NULL for a page that plays only; `about`: JSON of a lesson (6_lesson.js),
 * or NULL. False: writing failed. */
bool play_write(FILE *out, struct story *const *stories, int count, const struct play_live *live,
                const char *about);
/* Octets in base 64. */
void play_base64(FILE *out, const uint8_t *p, size_t size);

/* play.html, turned into C by the build, with the hashes of its script and style in its Content-Security-Policy. */
extern const unsigned char play_page[];
extern const size_t play_page_size;

#endif
