/* SPDX-License-Identifier: GPL-2.0-or-later */
/* challenge_run.c -- a solution as a scenario (challenge_inner.h). */
#include <stdarg.h>
#include <stdio.h>

#include "helpers/story/challenge_inner.h"

bool challenge_says(char *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out, CHALLENGE_TEXT_MAX, format, arguments);
    va_end(arguments);
    return false;
}

struct scenario *challenge_scenario(const struct challenge *c, const char *more, char *out)
{
    const char *sets[CHALLENGE_RUN_SETS];
    size_t n = 0;
    for (size_t i = 0; i < c->base_count; i++)
        sets[n++] = c->base[i];
    for (size_t i = 0; i < c->count; i++)
        sets[n++] = c->sets[i];
    if (more)
        sets[n++] = more;
    struct scenario *s = scenario_from("challenge", NULL, 0, sets, n, out);
    if (!s || s->points == 1)
        return s;
    scenario_free(s);
    challenge_says(out, "one value for each key");
    return NULL;
}
