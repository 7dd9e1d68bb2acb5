/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/named_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/quote.h"
#include "helpers/scenario/delay_file.h"
#include "helpers/scenario/fates_file.h"
#include "helpers/scenario/goal_file.h"
#include "helpers/scenario/matrix_file.h"
#include "helpers/scenario/platform_file.h"
#include "helpers/scenario/scenario.h"
#include "helpers/scenario/size_mix.h"
#include "helpers/scenario/topology_file.h"

enum { PARENTS = 4 };

static void folder_of(const char *file, char folder[PATH_LONG])
{
    const char *slash = strrchr(file, '/');
    snprintf(folder, PATH_LONG, "%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".");
}

/* In the source tree that this program, or a test, was built in: above its own folder. */
static bool find_in_tree(const char *room, const char *name, char path[PATH_LONG])
{
    char self[PATH_LONG - 64], folder[PATH_LONG];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len > 0 ? len : 0] = 0;
    folder_of(self, folder);
    for (int i = 0; i < PARENTS; i++) {
        strncat(folder, "/..", PATH_LONG - 1 - strlen(folder));
        file_path(path, folder, room, name, "");
        if (file_exists(path))
            return true;
    }
    return false;
}

static bool find(const char *beside, const char *room, const char *name, char path[PATH_LONG])
{
    char folder[PATH_LONG], shipped[64];
    if (!name_is_safe(name))
        return false;
    folder_of(beside, folder);
    file_path(path, folder, "", name, "");
    if (file_exists(path))
        return true;
    snprintf(shipped, sizeof shipped, "scenarios/%s", room);
    file_path(folder, shipped, "", name, "");
    return shipped_path(path, folder, folder) || find_in_tree(shipped, name, path);
}

/* ---- those that were read ---- */

enum { ERROR_LEAST = 256 };

static struct named_file *item_at(const struct named_store *s, size_t i)
{
    return (struct named_file *)(void *)((char *)s->known + i * s->size);
}

bool named_file_unread(const struct named_file *file, char *error)
{
    snprintf(error, ERROR_LEAST, "%.80s cannot be read: %s", file->name, strerror(errno));
    return false;
}

static bool read_octets(const struct named_store *s, struct named_file *file, char *error)
{
    FILE *in = file_open_plain(file->path);
    bool summed = in && sha256_file(in, file->sha256) && fseek(in, 0, SEEK_SET) == 0;
    bool good = summed ? s->read(file, in, error) : named_file_unread(file, error);
    if (in)
        fclose(in);
    return good;
}

static void *read_item(struct named_store *s, const char *path, const char *name, char *error)
{
    struct named_file *file = item_at(s, s->count);
    memset(file, 0, s->size);
    *file = (struct named_file){.name = strdup(name), .path = strdup(path)};
    if (!file->name || !file->path)
        snprintf(error, ERROR_LEAST, "out of memory");
    else if (read_octets(s, file, error)) {
        s->count++;
        return file;
    } else if (s->forget)
        s->forget(file);
    free(file->name);
    free(file->path);
    return NULL;
}

static const void *load(struct named_store *s, const char *path, const char *name, char *error)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(item_at(s, i)->path, path) == 0)
            return item_at(s, i);
    if (!s->known)
        s->known = malloc(s->most * s->size);
    if (!s->known)
        snprintf(error, ERROR_LEAST, "out of memory");
    else if (s->count == s->most)
        snprintf(error, ERROR_LEAST, "more than %zu %s", s->most, s->what);
    else
        return read_item(s, path, name, error);
    return NULL;
}

/* No name is that of a file that a folder of results has itself. */
const void *named_store_find(struct named_store *s, const char *beside, const char *name, char *error)
{
    char path[PATH_LONG];
    bool right = !s->ending || (name_ends(name, s->ending) && strcmp(name, "scenario.yaml") != 0);
    if (right && find(beside, s->room, name, path))
        return load(s, path, name, error);
    snprintf(error, ERROR_LEAST,
             "'%.80s' is neither a file%s%s beside the scenario nor a shipped one (`iwarpsim list`)", name,
             s->ending ? " NAME" : "", s->ending ? s->ending : "");
    return NULL;
}

/* ---- the keys that name one ---- */

static const struct named_file *mix_of(const char *beside, const char *name)
{
    char error[SIZE_MIX_ERROR_MAX];
    const struct size_mix *m = size_mix_find(beside, name, error);
    return m ? &m->file : NULL;
}

static const struct named_file *topology_of(const char *beside, const char *name)
{
    char error[SCENARIO_ERROR_MAX];
    const struct platform_file *p = platform_file_find(beside, name, error);
    if (p)
        return &p->file;
    const struct topology_file *t = topology_file_find(beside, name, error);
    return t ? &t->file : NULL;
}

static const struct named_file *fates_of(const char *beside, const char *name)
{
    char error[FATES_FILE_ERROR_MAX];
    const struct fates_file *f = fates_file_find(beside, name, error);
    return f ? &f->file : NULL;
}

static const struct named_file *delays_of(const char *beside, const char *name)
{
    char error[DELAY_FILE_ERROR_MAX];
    const struct delay_file *f = delay_file_find(beside, name, error);
    return f ? &f->file : NULL;
}

static const struct named_file *goal_of(const char *beside, const char *name)
{
    char error[GOAL_ERROR_MAX];
    const struct goal_file *f = goal_file_find(beside, name, error);
    return f ? &f->file : NULL;
}

static const struct named_file *matrix_of(const char *beside, const char *name)
{
    char error[MATRIX_ERROR_MAX];
    const struct matrix_file *f = matrix_file_find(beside, name, error);
    return f ? &f->file : NULL;
}

static const struct {
    const char *key;
    const struct named_file *(*find)(const char *beside, const char *name);
} named[] = {{"workload.size.cdf", mix_of},    {"topology.file", topology_of},
             {"channel.trace.file", fates_of}, {"channel.delay.cdf", delays_of},
             {"workload.file", goal_of},       {"workload.matrix", matrix_of}};

const struct named_file *named_file_of(const char *beside, const char *key, const char *value)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (*value && strcmp(named[i].key, key) == 0)
            return named[i].find(beside, value);
    return NULL;
}

static size_t put_file(const struct named_file *file, const struct named_file **at)
{
    if (file)
        *at = file;
    return file != NULL;
}

size_t named_files(const char *beside, const struct scenario_point *p,
                   const struct named_file *files[NAMED_FILES])
{
    const char *const values[] = {p->workload.size_cdf, p->network_file,       p->trace_file,
                                  p->delay_file,        p->workload.goal_file, p->workload.matrix_file};
    size_t n = 0;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        n += put_file(named_file_of(beside, named[i].key, values[i]), &files[n]);
    for (uint32_t i = 0; i < p->loads; i++) {
        n += put_file(named_file_of(beside, "workload.size.cdf", p->load_of[i].workload.size_cdf), &files[n]);
        n += put_file(named_file_of(beside, "workload.file", p->load_of[i].workload.goal_file), &files[n]);
        n +=
            put_file(named_file_of(beside, "workload.matrix", p->load_of[i].workload.matrix_file), &files[n]);
    }
    return n;
}
