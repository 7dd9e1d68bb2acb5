/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/goal_file.h"

static bool read_file(void *item, FILE *in, char *error)
{
    struct goal_file *f = item;
    return (f->goal = goal_read(in, f->file.name, error));
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
