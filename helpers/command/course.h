/* SPDX-License-Identifier: GPL-2.0-or-later */
/* course.h -- a course as a folder of pages, from the ready-made parts that a build writes (helpers/live/course.py). */
#ifndef HELPERS_COMMAND_COURSE_H
#define HELPERS_COMMAND_COURSE_H

#include <stddef.h>
#include <stdint.h>

#include "helpers/base/files.h"

/* Where a ready-made part is. False: nowhere. */
bool course_part(char path[PATH_LONG], const char *name);
/* As `iwarpsim play`, for a page of a course: `about` is what it says beside its run, as JSON. */
int play_page_of(int argc, char **argv, const char *about);
/* The engine for pages, deflated, malloc()ed. NULL: it is missing, which was said. */
uint8_t *play_module(size_t *size);
/* Says what is right in the code of a sheet or a lab. EXIT_DONE: all of it; EXIT_LAW: not. */
int code_verify(const char *code, const char *course);

#endif
