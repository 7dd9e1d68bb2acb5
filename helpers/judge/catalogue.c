/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/judge/catalogue.h"

#include <string.h>

int catalogue_find(const char *id)
{
    for (size_t i = 0; i < catalogue_size; i++)
        if (strcmp(catalogue[i].id, id) == 0)
            return (int)i;
    return -1;
}

/* Is `id` one of the words of `ids`? */
static bool names(const char *ids, const char *id)
{
    size_t n = strlen(id);
    for (const char *p = ids; (p = strstr(p, id)); p += n)
        if (p[-1] == ' ' && p[n] == ' ')
            return true;
    return false;
}

enum judge_occasion catalogue_occasion(size_t i)
{
#define OCCASION_IDS(name, ids) [OCCASION_##name] = (ids),
    static const char *const exercised[OCCASIONS] = {OCCASION_TABLE(OCCASION_IDS)};
    for (int o = OCCASION_NONE + 1; o < OCCASIONS; o++)
        if (names(exercised[o], catalogue[i].id))
            return (enum judge_occasion)o;
    return OCCASION_NONE;
}
