/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/goal_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool read_file(void *item, char *error)
{
    struct goal_file *f = item;
    FILE *in = file_open_plain(f->file.path);
    bool good = in && sha256_file(in, f->file.sha256);
    if (!good) {
        snprintf(error, GOAL_ERROR_MAX, "%.80s cannot be read: %s", f->file.name, strerror(errno));
    } else {
        rewind(in);
        f->goal = goal_read(in, f->file.name, error);
        good = f->goal != NULL;
    }
    if (in)
        fclose(in);
    return good;
}

const struct goal_file *goal_file_find(const char *beside, const char *name, char *error)
{
    static struct named_store schedules = {.what = "schedules",
                                           .room = "schedules",
                                           .size = sizeof(struct goal_file),
                                           .most = 64,
                                           .read = read_file};
    return named_store_find(&schedules, beside, name, error);
}
