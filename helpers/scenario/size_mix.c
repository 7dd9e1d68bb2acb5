/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/size_mix.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/complaint.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/list.h"
#include "helpers/base/table.h"

enum { LINES_MAX = 65536 };

static const double octets_max = 1 << 30;

/* ---- reading ---- */

static bool wrong_line(char *error, const struct size_mix *m, unsigned line, const char *what)
{
    return complaint(error, SIZE_MIX_ERROR_MAX, m->file.name, line, 0, "%s", what);
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
    if (m->count == LINES_MAX)
        return wrong_line(error, m, line, "too many lines");
    m->sizes = need(list_grow(m->sizes, m->count, sizeof s));
    m->mean += share_here * octets_here;
    m->sizes[m->count++] = s;
    return true;
}

static bool read_share(struct size_mix *m, char *line, unsigned number, char *error)
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

static bool read_shares(struct size_mix *m, char *text, char *error)
{
    unsigned number = 0;
    for (char *line; (line = strsep(&text, "\n"));)
        if (!read_share(m, line, ++number, error))
            return false;
    if (m->count && m->sizes[m->count - 1].share == (uint64_t)1 << 32)
        return true;
    return wrong_line(error, m, number, "the last share must be 1");
}

static bool read_mix(void *item, FILE *in, char *error)
{
    size_t size;
    char *text = need(file_rest(in, FILE_WHOLE, &size));
    bool good = read_shares(item, text, error);
    free(text);
    return good;
}

static void forget(void *item)
{
    free(((struct size_mix *)item)->sizes);
}

const struct size_mix *size_mix_find(const char *beside, const char *name, char *error)
{
    static struct named_store mixes = {.what = "mixes",
                                       .room = "sizes",
                                       .size = sizeof(struct size_mix),
                                       .most = 64,
                                       .read = read_mix,
                                       .forget = forget};
    return named_store_find(&mixes, beside, name, error);
}
