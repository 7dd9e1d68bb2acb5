/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns_read.c -- reading what anybody may have written (columns.h). */
#include <stdlib.h>
#include <string.h>
#ifdef IWARP_ZSTD
#include <zstd.h>
#endif

#include "helpers/base/cells.h"
#include "helpers/base/columns_inner.h"
#include "helpers/base/csv.h"

enum { LINE = 2 * COLUMNS_TEXT + 64 }; /* octets of a line that are put together */
enum { HEAD_MOST = 1 << 14, COLUMNS_MOST = 256, BLOCK_MOST = 1 << 24 };
#define CSV_MOST ((uint64_t)1 << 32) /* octets of text, which a small file may ask for without end */

struct text {
    const uint8_t *at;
    uint32_t len;
};

struct column {
    enum columns_kind kind;
    const char *name;
    bool wanted;
    const uint8_t *at, *end; /* of the block: the next value, and what is behind the last */
    uint64_t last;
    uint32_t texts;
    struct text *text; /* COLUMNS_ROWS and 2 of them; number 0 is not used */
};

struct reader {
    FILE *in, *out;
    const char *name;
    char *error;
    char head[HEAD_MOST];
    unsigned count;
    struct column column[COLUMNS_MOST];
    uint8_t *stored, *block;
    size_t rows_read;
    uint64_t written;
    char line[LINE];
};

static bool damaged(struct reader *r, const char *what)
{
    snprintf(r->error, COLUMNS_ERROR_MAX, "%s: is damaged or cut: %s behind row %zu", r->name, what,
             r->rows_read);
    return false;
}

/* ---- the head ---- */

bool columns_are(const void *octets, size_t size)
{
    return size >= strlen(COLUMNS_MAGIC) && memcmp(octets, COLUMNS_MAGIC, strlen(COLUMNS_MAGIC)) == 0;
}

static bool column_is_wanted(const char *const *wanted, const char *name)
{
    while (wanted && *wanted && strcmp(*wanted, name) != 0)
        wanted++;
    return !wanted || *wanted;
}

/* "n:t_ps" */
static bool add_column(struct reader *r, char *text, const char *const *wanted)
{
    if (r->count == COLUMNS_MOST || !*text || !strchr("nxutwh", *text) || text[1] != ':' || !text[2] ||
        strspn(text + 2, "abcdefghijklmnopqrstuvwxyz_0123456789.") != strlen(text + 2))
        return false;
    struct column *c = &r->column[r->count++];
    *c = (struct column){.kind = (enum columns_kind) * text, .name = text + 2};
    c->wanted = column_is_wanted(wanted, c->name);
    if (!columns_is_text(c->kind) || !c->wanted)
        return true;
    c->text = malloc((COLUMNS_ROWS + 2) * sizeof *c->text);
    return c->text;
}

static bool read_head(struct reader *r, const char *const *wanted)
{
    char magic[sizeof COLUMNS_MAGIC], *text = r->head;
    if (!fgets(magic, sizeof magic, r->in) || strcmp(magic, COLUMNS_MAGIC) != 0 ||
        !fgets(r->head, sizeof r->head, r->in) || !strchr(r->head, '\n'))
        return damaged(r, "no head of columns");
    for (char *comma; text; text = comma) {
        comma = strpbrk(text, ",\n");
        bool more = *comma == ',';
        *comma = 0;
        if (!add_column(r, text, wanted))
            return damaged(r, "no column that this version knows");
        comma = more ? comma + 1 : NULL;
    }
    const char *before = "";
    for (unsigned i = 0; i < r->count; i++)
        if (r->column[i].wanted) {
            fprintf(r->out, "%s%s", before, r->column[i].name);
            before = ",";
        }
    putc('\n', r->out);
    return true;
}

/* ---- a block ---- */

#ifdef IWARP_ZSTD
static bool expand(struct reader *r, uint32_t stored, uint32_t size)
{
    return ZSTD_decompress(r->block, size, r->stored, stored) == size ||
           damaged(r, "a block that is no zstd frame of its size");
}
#else
static bool expand(struct reader *r, uint32_t stored, uint32_t size)
{
    (void)stored, (void)size;
    snprintf(r->error, COLUMNS_ERROR_MAX,
             "%s: is compressed, and this iwarpsim was built without zstd (Debian: libzstd-dev)", r->name);
    return false;
}
#endif

/* Where each column begins and ends. */
static bool cut_block(struct reader *r, size_t size)
{
    const uint8_t *p = r->block, *end = p + size;
    for (unsigned i = 0; i < r->count; i++) {
        struct column *c = &r->column[i];
        if (end - p < 4 || columns_get32(p) > (size_t)(end - p - 4))
            return damaged(r, "a column that leaves its block");
        c->at = p + 4;
        c->end = p = c->at + columns_get32(p);
        c->last = 0;
        c->texts = 1;
        if (c->text)
            c->text[1] = (struct text){(const uint8_t *)"", 0};
    }
    return p == end || damaged(r, "octets behind the columns of a block");
}

static bool read_block_octets(struct reader *r, uint8_t **into, uint32_t size)
{
    uint8_t *more = realloc(*into, size + 1);
    if (!more)
        return damaged(r, "no memory for a block");
    *into = more;
    return fread(more, 1, size, r->in) == size || damaged(r, "less than a block");
}

/* `*rows` 0: that was the last one. */
static bool read_block(struct reader *r, uint32_t *rows)
{
    uint8_t head[COLUMNS_BLOCK_HEAD];
    if (fread(head, 1, sizeof head, r->in) != sizeof head)
        return damaged(r, "no last block");
    *rows = columns_get32(head);
    uint32_t stored = columns_get32(head + 4), size = columns_get32(head + 8);
    if (!*rows)
        return (!stored && !size && getc(r->in) == EOF) || damaged(r, "octets behind the last block");
    if (*rows > COLUMNS_ROWS || size > BLOCK_MOST || stored > size)
        return damaged(r, "a block larger than any");
    if (stored == size)
        return read_block_octets(r, &r->block, size) && cut_block(r, size);
    uint8_t *block = realloc(r->block, size);
    r->block = block ? block : r->block;
    return (block || damaged(r, "no memory for a block")) && read_block_octets(r, &r->stored, stored) &&
           expand(r, stored, size) && cut_block(r, size);
}

/* ---- a row ---- */

static bool get_number(struct column *c, uint64_t *n)
{
    *n = 0;
    for (int shift = 0; shift < 64 && c->at < c->end; shift += 7) {
        uint8_t octet = *c->at++;
        *n |= (uint64_t)(octet & 0x7f) << shift;
        if (!(octet & 0x80))
            return shift < 63 || octet < 2;
    }
    return false;
}

static bool get_text(struct column *c, struct text *text)
{
    uint64_t number, len;
    if (!get_number(c, &number) || number > c->texts)
        return false;
    if (number) {
        *text = c->text[number];
        return true;
    }
    if (!get_number(c, &len) || len > COLUMNS_TEXT || len > (size_t)(c->end - c->at))
        return false;
    *text = c->text[++c->texts] = (struct text){c->at, (uint32_t)len};
    c->at += len;
    return true;
}

static bool is_column_word(const struct text *t)
{
    for (uint32_t i = 0; i < t->len; i++)
        if (t->at[i] < ' ' || t->at[i] == ',' || t->at[i] == '"')
            return false;
    return true;
}

static char *put_out(struct reader *r, char *p)
{
    fwrite(r->line, 1, (size_t)(p - r->line), r->out);
    r->written += (size_t)(p - r->line);
    return r->line;
}

/* What would be no cell of CSV is no text of ours. NULL: it is damaged. */
static char *show_text(struct reader *r, char *p, struct column *c)
{
    struct text t;
    char quoted[COLUMNS_TEXT + 1];
    if (!get_text(c, &t) || (c->kind == CELL_WORD && !is_column_word(&t)) ||
        (c->kind == CELL_TEXT && memchr(t.at, 0, t.len)))
        return NULL;
    if (2 * t.len + 3 > (size_t)(r->line + LINE - p))
        p = put_out(r, p);
    if (c->kind == CELL_TEXT) {
        memcpy(quoted, t.at, t.len);
        quoted[t.len] = 0;
        p = csv_put(p, quoted);
    } else if (c->kind == CELL_WORD) {
        memcpy(p, t.at, t.len);
        p += t.len;
    } else {
        for (uint32_t i = 0; i < t.len; i++)
            p = columns_hex(p, t.at[i]);
    }
    return p;
}

static char *show_number(struct reader *r, char *p, struct column *c)
{
    uint64_t step;
    if (!get_number(c, &step))
        return NULL;
    c->last += step >> 1 ^ (0 - (step & 1));
    if ((size_t)(r->line + LINE - p) < CELL_MOST + 2)
        p = put_out(r, p);
    return columns_show(p, c->kind, c->last - 1);
}

static bool show_row(struct reader *r)
{
    char *p = r->line;
    bool first = true;
    for (unsigned i = 0; i < r->count; i++) {
        struct column *c = &r->column[i];
        if (!c->wanted)
            continue;
        if (!first)
            *p++ = ',';
        first = false;
        p = columns_is_text(c->kind) ? show_text(r, p, c) : show_number(r, p, c);
        if (!p)
            return damaged(r, "a value that is none");
    }
    *p++ = '\n';
    put_out(r, p);
    r->rows_read++;
    return r->written <= CSV_MOST || damaged(r, "more than 4 GiB of text");
}

static bool is_used_up(struct reader *r)
{
    for (unsigned i = 0; i < r->count; i++)
        if (r->column[i].wanted && r->column[i].at != r->column[i].end)
            return damaged(r, "values of no row");
    return true;
}

static bool read_all(struct reader *r, const char *const *wanted, size_t rows_most)
{
    uint32_t rows = 1;
    if (!read_head(r, wanted))
        return false;
    while (rows && r->rows_read < rows_most) {
        if (!read_block(r, &rows))
            return false;
        for (uint32_t i = 0; i < rows; i++)
            if (!show_row(r))
                return false;
        if (rows && !is_used_up(r))
            return false;
    }
    return true;
}

bool columns_csv(FILE *in, const char *name, const char *const *wanted, size_t rows_most, FILE *out,
                 char error[COLUMNS_ERROR_MAX])
{
    struct reader *r = calloc(1, sizeof *r);
    if (!r) {
        snprintf(error, COLUMNS_ERROR_MAX, "%s: no memory to read it", name);
        return false;
    }
    r->in = in;
    r->out = out;
    r->name = name;
    r->error = error;
    bool good = read_all(r, wanted, rows_most);
    for (unsigned i = 0; i < r->count; i++)
        free(r->column[i].text);
    free(r->stored);
    free(r->block);
    free(r);
    return good;
}
