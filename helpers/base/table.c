/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/files.h"
#include "helpers/base/list.h"
#include "helpers/base/quote.h"

struct reader {
    struct table *t;
    size_t cells;
    char *error;
};

static bool add_cell(struct reader *r, char *cell)
{
    struct table *t = r->t;
    char **more = list_grow(t->cell, r->cells, sizeof *more);
    if (!more)
        return false;
    t->cell = more;
    text_make_plain(cell, false);
    t->cell[r->cells++] = cell;
    return true;
}

/* Cut the cell at `p` free, quotes taken off in place; `*end` gets what followed it. What comes after that; NULL: a
 * quote that never ends. */
static char *cut_quoted(char *p, char *end)
{
    char *out = p;
    for (char *in = p + 1;; in++) {
        if (!*in)
            return NULL;
        if (*in == '"' && in[1] != '"') {
            *end = in[1];
            *out = 0;
            return in + 1;
        }
        in += *in == '"';
        *out++ = *in;
    }
}

static char *cut_cell(char *p, char *end)
{
    if (*p == '"')
        return cut_quoted(p, end);
    p += strcspn(p, ",\r\n");
    *end = *p;
    *p = 0;
    return p;
}

/* One line of cells; `*next` is where the next one starts. Quoted cells are read in place. */
static bool read_table_line(struct reader *r, char *line, char **next, size_t *cells)
{
    char end = ',';
    *cells = 0;
    while (end == ',') {
        char *cell = line;
        line = cut_cell(line, &end);
        if (!line || (end && end != ',' && end != '\r' && end != '\n'))
            return false;
        if (!add_cell(r, cell))
            return false;
        ++*cells;
        line += end != 0;
    }
    *next = end == '\r' && *line == '\n' ? line + 1 : line;
    return true;
}

static bool read_table_lines(struct reader *r, const char *path)
{
    struct table *t = r->t;
    for (char *line = t->text, *next; *line; line = next) {
        size_t cells;
        bool head = t->columns == 0;
        if (!read_table_line(r, line, &next, &cells) || (!head && cells != t->columns)) {
            snprintf(r->error, TABLE_ERROR_MAX, "%s: line %zu is not a row of its table", path,
                     t->rows + (head ? 1 : 2));
            return false;
        }
        t->columns = cells;
        t->rows += !head;
    }
    if (t->columns)
        return true;
    snprintf(r->error, TABLE_ERROR_MAX, "%s: is empty", path);
    return false;
}

bool table_parse(struct table *t, const char *path, char *text, size_t size, char *error)
{
    struct reader r = {.t = t, .error = error};
    *t = (struct table){.text = text};
    if (strlen(text) != size)
        snprintf(error, TABLE_ERROR_MAX, "%s: contains a zero octet, so it is not a text file", path);
    else if (read_table_lines(&r, path))
        return true;
    table_free(t);
    return false;
}

bool table_read(struct table *t, const char *path, char *error)
{
    size_t size;
    char *text = file_read(path, &size);
    *t = (struct table){0};
    if (text)
        return table_parse(t, path, text, size, error);
    snprintf(error, TABLE_ERROR_MAX, "%s: cannot be read: %s", path, strerror(errno));
    return false;
}

void table_free(struct table *t)
{
    free(t->text);
    free(t->cell);
    *t = (struct table){0};
}

size_t table_column(const struct table *t, const char *name)
{
    size_t i = 0;
    while (i < t->columns && strcmp(t->cell[i], name) != 0)
        i++;
    return i;
}

const char *table_cell(const struct table *t, size_t row, size_t column)
{
    return t->cell[(row + 1) * t->columns + column];
}

void csv_number(FILE *out, double number)
{
    putc(',', out);
    if (!isnan(number))
        fprintf(out, "%.9g", number);
}

bool text_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return *text && !*end && strspn(text, "0123456789+-.eE") == strlen(text) && isfinite(*number);
}

bool table_number(const struct table *t, size_t row, size_t column, double *number)
{
    return text_number(table_cell(t, row, column), number);
}
