/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/delay_file.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/complaint.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/list.h"
#include "helpers/base/table.h"
#include "helpers/scenario/value.h"

enum { LINES_MAX = 65536 };

static bool wrong_line(const struct delay_file *f, unsigned line, const char *what, char *error)
{
    return complaint(error, DELAY_FILE_ERROR_MAX, f->file.name, line, 0, "%s", what);
}

static bool add_delay(struct delay_file *f, uint64_t time, double share, unsigned line, char *error)
{
    struct channel_delay d = {time, (uint64_t)(share * 4294967296.0 + 0.5)};
    const struct channel_delay *last = f->count ? &f->entry[f->count - 1] : NULL;
    if (last && (d.time < last->time || d.share < last->share))
        return wrong_line(f, line, "times and shares must ascend", error);
    if (f->count == LINES_MAX)
        return wrong_line(f, line, "too many lines", error);
    f->entry = need(list_grow(f->entry, f->count, sizeof d));
    f->entry[f->count++] = d;
    return true;
}

static bool read_delay(struct delay_file *f, char *line, unsigned number, char *error)
{
    static const struct value_rules times = {.type = VALUE_TIME, .min = "0ps", .max = "10s"};
    struct value time;
    char *rest, why[VALUE_WHY_MAX];
    double share;
    line += strspn(line, " \t\r");
    if (!*line || *line == '#')
        return true;
    char *first = strtok_r(line, " \t\r", &rest), *second = strtok_r(NULL, " \t\r", &rest);
    if (!second || strtok_r(NULL, " \t\r", &rest))
        return wrong_line(f, number, "a line needs a time and a share, 1.5us 0.9", error);
    if (!value_read(&time, &times, first, why))
        return wrong_line(f, number, "the time needs its unit and is 0ps to 10s", error);
    if (!text_number(second, &share) || !(share >= 0) || share > 1)
        return wrong_line(f, number, "the share is 0 to 1", error);
    return add_delay(f, time.n, share, number, error);
}

static bool read_delays(struct delay_file *f, char *text, size_t size, char *error)
{
    unsigned number = 0;
    if (strlen(text) != size)
        return wrong_line(f, 0, "is not text", error);
    for (char *line; (line = strsep(&text, "\n"));)
        if (!read_delay(f, line, ++number, error))
            return false;
    if (f->count && f->entry[f->count - 1].share == (uint64_t)1 << 32)
        return true;
    return wrong_line(f, number, "the last share must be 1", error);
}

static bool read_file(void *item, FILE *in, char *error)
{
    size_t size;
    char *text = need(file_rest(in, FILE_WHOLE, &size));
    bool good = read_delays(item, text, size, error);
    free(text);
    return good;
}

static void forget(void *item)
{
    free(((struct delay_file *)item)->entry);
}

const struct delay_file *delay_file_find(const char *beside, const char *name, char *error)
{
    static struct named_store delays = {.what = "files of delays",
                                        .room = "paths",
                                        .size = sizeof(struct delay_file),
                                        .most = 64,
                                        .read = read_file,
                                        .forget = forget};
    return named_store_find(&delays, beside, name, error);
}
