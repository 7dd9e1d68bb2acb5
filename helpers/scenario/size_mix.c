/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/size_mix.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/files.h"
#include "helpers/base/sha256.h"
#include "helpers/base/table.h"

enum { MIXES_MAX = 64, LINES_MAX = 65536 };

static const double octets_max = 1 << 30;

/* ---- reading ---- */

static bool wrong_line(char *error, const struct size_mix *m, unsigned line, const char *what)
{
    snprintf(error, SIZE_MIX_ERROR_MAX, "%.80s:%u: %s", m->file.name, line, what);
    return false;
}

static bool add_size(struct size_mix *m, double octets, double share, unsigned line, char *error)
{
    struct workload_size s = {(uint32_t)octets, (uint64_t)(share * 4294967296.0 + 0.5)};
    const struct workload_size *last = m->count ? &m->sizes[m->count - 1] : NULL;
    if (!(octets >= 0) || octets > octets_max || !(share >= 0) || share > 1)
        return wrong_line(error, m, line, "octets must be 0 to 1073741824, shares 0 to 1");
    if (last && (s.octets < last->octets || s.share < last->share))
        return wrong_line(error, m, line, "octets and shares must ascend");
    double share_here = (double)(last ? s.share - last->share : s.share) / 4294967296.0;
    double octets_here = last ? ((double)last->octets + s.octets) / 2 : s.octets;
    struct workload_size *more =
        m->count < LINES_MAX ? realloc(m->sizes, (m->count + 1) * sizeof *more) : NULL;
    if (!more)
        return wrong_line(error, m, line, "too many lines");
    m->mean += share_here * octets_here;
    m->sizes = more;
    more[m->count++] = s;
    return true;
}

static bool read_line(struct size_mix *m, char *line, unsigned number, char *error)
{
    char *rest, *end;
    double octets, share;
    line += strspn(line, " \t\r");
    if (!*line || *line == '#')
        return true;
    char *first = strtok_r(line, " \t\r", &rest), *second = strtok_r(NULL, " \t\r", &rest);
    end = strtok_r(NULL, " \t\r", &rest);
    if (!second || end || !text_number(first, &octets) || !text_number(second, &share))
        return wrong_line(error, m, number, "a line needs two numbers, octets and share");
    return add_size(m, octets, share, number, error);
}

static bool read_lines(struct size_mix *m, char *text, char *error)
{
    unsigned number = 0;
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        if (!read_line(m, line, ++number, error))
            return false;
    }
    if (m->count && m->sizes[m->count - 1].share == (uint64_t)1 << 32)
        return true;
    return wrong_line(error, m, number, "the last share must be 1");
}

static bool read_mix(struct size_mix *m, char *error)
{
    size_t size;
    char *text = file_read(m->file.path, &size);
    if (!text) {
        snprintf(error, SIZE_MIX_ERROR_MAX, "%.80s cannot be read", m->file.name);
        return false;
    }
    sha256_text(text, size, m->file.sha256);
    bool good = read_lines(m, text, error);
    free(text);
    return good;
}

/* ---- those that were read ---- */

static struct size_mix known[MIXES_MAX];
static size_t known_count;

static const struct size_mix *recall(const char *path)
{
    for (size_t i = 0; i < known_count; i++)
        if (strcmp(known[i].file.path, path) == 0)
            return &known[i];
    return NULL;
}

static const struct size_mix *load(const char *path, const char *name, char *error)
{
    struct size_mix *m = &known[known_count];
    if (known_count == MIXES_MAX) {
        snprintf(error, SIZE_MIX_ERROR_MAX, "more than %d mixes", MIXES_MAX);
        return NULL;
    }
    *m = (struct size_mix){.file = {.name = strdup(name), .path = strdup(path)}};
    if (m->file.name && m->file.path && read_mix(m, error)) {
        known_count++;
        return m;
    }
    free(m->file.name);
    free(m->file.path);
    free(m->sizes);
    return NULL;
}

const struct size_mix *size_mix_find(const char *beside, const char *name, char *error)
{
    char path[PATH_LONG];
    if (!named_file_find(beside, "sizes", name, path)) {
        snprintf(error, SIZE_MIX_ERROR_MAX,
                 "'%.80s' is neither a file beside the scenario nor a shipped one (web-search.cdf, "
                 "data-mining.cdf)",
                 name);
        return NULL;
    }
    const struct size_mix *m = recall(path);
    return m ? m : load(path, name, error);
}
