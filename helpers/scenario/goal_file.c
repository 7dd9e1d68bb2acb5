/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/goal_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 64 };

static struct goal_file known[FILES_MAX];
static size_t known_count;

static bool read_file(struct goal_file *f, char *error)
{
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

static const struct goal_file *load(const char *path, const char *name, char *error)
{
    struct goal_file *f = &known[known_count];
    if (known_count == FILES_MAX) {
        snprintf(error, GOAL_ERROR_MAX, "more than %d schedules", FILES_MAX);
        return NULL;
    }
    *f = (struct goal_file){.file = {.name = strdup(name), .path = strdup(path)}};
    if (f->file.name && f->file.path && read_file(f, error)) {
        known_count++;
        return f;
    }
    free(f->file.name);
    free(f->file.path);
    return NULL;
}

const struct goal_file *goal_file_find(const char *beside, const char *name, char *error)
{
    char path[PATH_LONG];
    if (!named_file_find(beside, "schedules", name, path)) {
        snprintf(error, GOAL_ERROR_MAX,
                 "'%.80s' is neither a file beside the scenario nor a shipped one (`iwarpsim list`)", name);
        return NULL;
    }
    for (size_t i = 0; i < known_count; i++)
        if (strcmp(known[i].file.path, path) == 0)
            return &known[i];
    return load(path, name, error);
}
