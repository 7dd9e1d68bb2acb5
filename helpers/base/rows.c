/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"

void rows_init(struct rows *r, FILE *file, size_t points)
{
    *r = (struct rows){.file = file, .points = points, .start = need(calloc(points + 1, sizeof *r->start))};
}

void rows_free(struct rows *r)
{
    free(r->start);
    free(r->head);
    *r = (struct rows){0};
}

void rows_note(struct rows *r)
{
    off_t at = ftello(r->file);
    r->why = at < 0 ? errno : r->why;
    if (r->noted <= r->points)
        r->start[r->noted++] = (uint64_t)at;
}

/* Octets `from` .. `to` of the file behind `before` that are there already, and a 0. NULL: errno says why. */
static char *octets(struct rows *r, const char *head, size_t before, uint64_t from, uint64_t to)
{
    size_t size = (size_t)(to - from);
    char *text = malloc(before + size + 1);
    if (!text)
        return NULL;
    memcpy(text, head, before);
    if (fseeko(r->file, (off_t)from, SEEK_SET) == 0 && fread(text + before, 1, size, r->file) == size) {
        text[before + size] = 0;
        return text;
    }
    errno = ferror(r->file) ? errno : EIO;
    free(text);
    return NULL;
}

bool rows_written(struct rows *r)
{
    if (!file_is_written(r->file))
        return false;
    if (r->why) {
        errno = r->why;
        return false;
    }
    r->head = octets(r, "", 0, 0, r->start[0]);
    return r->head != NULL;
}

bool rows_of(struct rows *r, size_t point, struct table *t, char *error)
{
    size_t head = (size_t)r->start[0];
    char *text = octets(r, r->head, head, r->start[point], r->start[point + 1]);
    if (text)
        return table_parse(t, "results.csv", text, strlen(text), error);
    snprintf(error, TABLE_ERROR_MAX, "results.csv: cannot be read: %s", strerror(errno));
    return false;
}
