/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/columns.h"
#include "helpers/base/files.h"
#include "helpers/base/list.h"
#include "helpers/base/quote.h"

struct reader {
    struct table *t;
    const char *const *wanted; /* columns, up to a NULL; NULL: all */
    bool *skips;               /* of each column of the file; NULL: none */
    size_t head;               /* columns of the file */
    size_t cells, rows_most;
    char *error;
};

static bool is_wanted(const char *const *wanted, const char *name)
{
    while (*wanted && strcmp(*wanted, name) != 0)
        wanted++;
    return *wanted;
}

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

/* Cell `i` of a row is kept if its column is; one of the head decides it. */
static bool take_cell(struct reader *r, char *cell, size_t i)
{
    if (r->head)
        return (r->skips && i < r->head && r->skips[i]) || add_cell(r, cell);
    if (!r->wanted)
        return add_cell(r, cell);
    bool *more = list_grow(r->skips, i, sizeof *more);
    if (!more)
        return false;
    r->skips = more;
    more[i] = !is_wanted(r->wanted, cell);
    return more[i] || add_cell(r, cell);
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
        if (!take_cell(r, cell, *cells))
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
    for (char *line = t->text, *next; *line && t->rows < r->rows_most; line = next) {
        size_t cells;
        bool head = r->head == 0;
        if (!read_table_line(r, line, &next, &cells) || (!head && cells != r->head)) {
            snprintf(r->error, TABLE_ERROR_MAX, "%s: line %zu is not a row of its table", path,
                     t->rows + (head ? 1 : 2));
            return false;
        }
        if (head) {
            r->head = cells;
            t->columns = r->cells;
        }
        t->rows += !head;
    }
    if (r->head)
        return true;
    snprintf(r->error, TABLE_ERROR_MAX, "%s: is empty", path);
    return false;
}

static bool parse(struct reader *r, const char *path, char *text, size_t size)
{
    struct table *t = r->t;
    bool good = strlen(text) == size;
    *t = (struct table){.text = text};
    if (!good)
        snprintf(r->error, TABLE_ERROR_MAX, "%s: contains a zero octet, so it is not a text file", path);
    good = good && read_table_lines(r, path);
    free(r->skips);
    if (!good)
        table_free(t);
    return good;
}

bool table_parse(struct table *t, const char *path, char *text, size_t size, char *error)
{
    return parse(&(struct reader){.t = t, .rows_most = SIZE_MAX, .error = error}, path, text, size);
}

static bool cannot_read(struct table *t, const char *path, char *error)
{
    *t = (struct table){0};
    snprintf(error, TABLE_ERROR_MAX, "%s: cannot be read: %s", path, strerror(errno));
    return false;
}

bool table_read(struct table *t, const char *path, char *error)
{
    return table_read_columns(t, path, NULL, error);
}

static bool is_columns(FILE *in)
{
    char begins[16];
    size_t size = fread(begins, 1, sizeof begins, in);
    rewind(in);
    return columns_are(begins, size);
}

/* NULL: `error` says why. */
static char *text_of_columns(FILE *in, const char *path, const char *const *wanted, size_t rows_most,
                             size_t *size, char *error)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    bool good = out && columns_csv(in, path, wanted, rows_most, out, error);
    if (!out || fclose(out) != 0)
        snprintf(error, TABLE_ERROR_MAX, "%s: no memory to read it", path);
    else if (good)
        return text;
    free(text);
    return NULL;
}

enum { HEAD_MOST = 1 << 20 }; /* octets: far more than a head and a row */

static bool read_rows(struct reader *r, const char *path)
{
    size_t size = 0;
    FILE *in = file_open_plain(path);
    if (!in)
        return cannot_read(r->t, path, r->error);
    bool columns = is_columns(in), one = r->rows_most == 1;
    char *text = columns ? text_of_columns(in, path, r->wanted, r->rows_most, &size, r->error)
                         : file_rest(in, one ? HEAD_MOST : FILE_WHOLE, &size);
    bool is_read = text && !ferror(in), good = false;
    if (is_read)
        good = parse(r, path, text, size);
    else if (columns)
        *r->t = (struct table){0};
    else
        cannot_read(r->t, path, r->error);
    if (!is_read)
        free(text);
    fclose(in);
    return good;
}

bool table_read_columns(struct table *t, const char *path, const char *const *wanted, char *error)
{
    return read_rows(&(struct reader){.t = t, .wanted = wanted, .rows_most = SIZE_MAX, .error = error}, path);
}

bool table_read_head(struct table *t, const char *path, char *error)
{
    return read_rows(&(struct reader){.t = t, .rows_most = 1, .error = error}, path);
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
