/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns.c -- writing (columns.h). */
#include "helpers/base/columns.h"

#include <stdlib.h>
#include <string.h>
#ifdef IWARP_ZSTD
#include <zstd.h>
#endif

#include "helpers/base/cells.h"
#include "helpers/base/columns_inner.h"
#include "helpers/base/csv.h"

enum { KNOWN = 256 };     /* texts of a column that are found again; a power of 2 */
enum { ROOM = 1 << 16 };  /* octets of a column of a block: numbers take 10 at most */
enum { LEVEL = 1 };       /* of zstd: what it adds to a run is to be small */
enum { LINES = 1 << 16 }; /* octets of CSV that are written at a time */
enum { SHOWN = 24 };      /* octets that are copied of a cell's text, however long it is */

struct known {
    uint32_t at, len, number; /* in the octets of its column; number 0: none */
};

struct writer {
    uint64_t last; /* the number and 1 */
    uint8_t *at;   /* where the next value goes */
    enum columns_kind kind;
    /* Of texts: */
    uint8_t *octets; /* the first one's; ROOM of them behind the size of the column */
    struct known *known;
    uint32_t texts;
};

/* As CSV: rows that are not in the file yet, and of each column the last number, with its text and a comma. */
struct rows {
    char *first, *behind;
    uint64_t last[COLUMNS_WRITTEN]; /* of a text 0: an empty one */
    uint8_t len[COLUMNS_WRITTEN];
    char shown[COLUMNS_WRITTEN][SHOWN];
};

struct columns_out {
    FILE *out;
    unsigned count;
    bool csv;
    uint32_t in_block;
    uint8_t *block, *stored;
    size_t stored_room;
    void *squeezer;
    struct rows rows;
    struct writer column[];
};

uint32_t columns_get32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint8_t *put32(uint8_t *p, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        *p++ = (uint8_t)(n >> 8 * i);
    return p;
}

static uint8_t *put_number(uint8_t *p, uint64_t n)
{
    for (; n >= 0x80; n >>= 7)
        *p++ = (uint8_t)(n | 0x80);
    *p++ = (uint8_t)n;
    return p;
}

/* ---- as CSV ---- */

/* The number at `p` and at `q`; how long it is. */
static inline size_t show_twice(char *p, char *q, enum columns_kind kind, uint64_t n)
{
    if (n == CELL_EMPTY)
        return 0;
    if (kind == CELL_NUMBER)
        return cells_twice(p, q, n);
    if (kind == CELL_MICRO) {
        size_t len = (size_t)(cells_decimal(p, n) - p);
        memmove(q, p, len);
        return len;
    }
    memcpy(p, "0x", 2);
    memcpy(q, "0x", 2);
    cells_hex_twice(p + 2, q + 2, (uint32_t)n);
    return 10;
}

char *columns_hex(char *p, uint32_t octet)
{
    static const char digits[] = "0123456789abcdef";
    *p++ = digits[octet >> 4 & 15];
    *p++ = digits[octet & 15];
    return p;
}

char *columns_show(char *p, enum columns_kind kind, uint64_t n)
{
    return p + show_twice(p, p, kind, n);
}

bool columns_is_text(enum columns_kind kind)
{
    return kind == CELL_TEXT || kind == CELL_WORD || kind == CELL_HEX;
}

/* What is longer than any is cut. */
static size_t length_of(uint64_t len)
{
    return len < COLUMNS_TEXT ? len : COLUMNS_TEXT;
}

static void write_rows(struct columns_out *c)
{
    struct rows *r = &c->rows;
    fwrite(r->first, 1, (size_t)(r->behind - r->first), c->out);
    r->behind = r->first;
}

static char *show_text(char *p, enum columns_kind kind, const uint8_t *text, size_t len)
{
    if (kind == CELL_TEXT)
        return csv_put(p, (const char *)text);
    if (kind == CELL_WORD) {
        memcpy(p, text, len);
        return p + len;
    }
    for (size_t i = 0; i < len; i++)
        p = columns_hex(p, text[i]);
    return p;
}

/* A text, or a number that the row before has not: it is made in both places, for octets that were just written one by one are slow to copy. */
static inline char *show_cell(struct columns_out *c, char *p, unsigned i, uint64_t n,
                              const void *const *octets)
{
    struct rows *r = &c->rows;
    enum columns_kind kind = c->column[i].kind;
    if (columns_is_text(kind)) {
        p = show_text(p, kind, octets[i], length_of(n));
        *p++ = ',';
        return p;
    }
    size_t len = show_twice(p, r->shown[i], kind, n);
    p[len] = r->shown[i][len] = ',';
    r->last[i] = n;
    r->len[i] = (uint8_t)(len + 1);
    return p + len + 1;
}

/* Rows repeat most of the numbers of the row before, and most of their texts are empty. */
static void csv_row(struct columns_out *c, const uint64_t *cell, const void *const *octets)
{
    struct rows *r = &c->rows;
    char *p = r->behind;
    for (unsigned i = 0; i < c->count; i++) {
        if (cell[i] == r->last[i]) {
            memcpy(p, r->shown[i], SHOWN);
            p += r->len[i];
        } else {
            p = show_cell(c, p, i, cell[i], octets);
        }
    }
    p[-1] = '\n';
    r->behind = p;
    if (p - r->first >= LINES)
        write_rows(c);
}

/* ---- as columns ---- */

static inline void add_number(struct writer *w, uint64_t n)
{
    uint64_t step = n + 1 - w->last;
    w->last = n + 1;
    step = step << 1 ^ (0 - (step >> 63));
    *w->at = (uint8_t)step;
    w->at = step < 0x80 ? w->at + 1 : put_number(w->at, step);
}

/* Eight octets at a time. */
static struct known *find_known(const struct writer *w, const uint8_t *text, size_t len)
{
    uint64_t mix = len, part = 0;
    for (; len >= sizeof part; text += sizeof part, len -= sizeof part) {
        memcpy(&part, text, sizeof part);
        mix = (mix ^ part) * 0x9e3779b97f4a7c15u;
    }
    for (part = 0; len; len--)
        part = part << 8 | text[len - 1];
    mix = (mix ^ part) * 0x9e3779b97f4a7c15u;
    return &w->known[mix >> 48 & (KNOWN - 1)];
}

static void add_text(struct writer *w, const uint8_t *text, size_t len)
{
    if (!len) {
        *w->at++ = 1;
        return;
    }
    struct known *k = find_known(w, text, len);
    if (k->number && k->len == len && memcmp(w->octets + k->at, text, len) == 0) {
        w->at = put_number(w->at, k->number);
        return;
    }
    *w->at++ = 0;
    w->at = put_number(w->at, len);
    *k = (struct known){(uint32_t)(w->at - w->octets), (uint32_t)len, ++w->texts};
    memcpy(w->at, text, len);
    w->at += len;
}

static void begin_block(struct columns_out *c)
{
    c->in_block = 0;
    for (unsigned i = 0; i < c->count; i++) {
        struct writer *w = &c->column[i];
        w->at = w->octets;
        w->last = 0;
        w->texts = 1;
        if (w->known)
            memset(w->known, 0, KNOWN * sizeof *w->known);
    }
}

/* The columns, one behind the other. */
static size_t join(struct columns_out *c)
{
    uint8_t *p = c->block;
    for (unsigned i = 0; i < c->count; i++) {
        size_t size = (size_t)(c->column[i].at - c->column[i].octets);
        p = put32(p, (uint32_t)size);
        memmove(p, c->column[i].octets, size); /* the first one is there */
        p += size;
    }
    return (size_t)(p - c->block);
}

#ifdef IWARP_ZSTD
static size_t squeeze(struct columns_out *c, size_t size)
{
    size_t stored = ZSTD_compress2(c->squeezer, c->stored, c->stored_room, c->block, size);
    return ZSTD_isError(stored) || stored >= size ? size : stored;
}

static bool make_squeezer(struct columns_out *c, size_t room)
{
    c->stored_room = ZSTD_compressBound(room);
    c->stored = malloc(c->stored_room);
    c->squeezer = ZSTD_createCCtx();
    if (!c->squeezer || !c->stored)
        return false;
    ZSTD_CCtx_setParameter(c->squeezer, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(c->squeezer, ZSTD_c_checksumFlag, 1);
    return true;
}

static void free_squeezer(struct columns_out *c)
{
    ZSTD_freeCCtx(c->squeezer);
}
#else
static size_t squeeze(struct columns_out *c, size_t size)
{
    (void)c;
    return size;
}

static bool make_squeezer(struct columns_out *c, size_t room)
{
    (void)c, (void)room;
    return true;
}

static void free_squeezer(struct columns_out *c)
{
    (void)c;
}
#endif

static void put_block_head(FILE *out, uint32_t rows, size_t stored, size_t size)
{
    uint8_t head[COLUMNS_BLOCK_HEAD];
    put32(put32(put32(head, rows), (uint32_t)stored), (uint32_t)size);
    fwrite(head, 1, sizeof head, out);
}

void columns_flush(struct columns_out *c)
{
    if (c->csv) {
        write_rows(c);
        return;
    }
    if (!c->in_block)
        return;
    size_t size = join(c), stored = squeeze(c, size);
    put_block_head(c->out, c->in_block, stored, size);
    fwrite(stored < size ? c->stored : c->block, 1, stored, c->out);
    begin_block(c);
}

void columns_forget(struct columns_out *c)
{
    if (c->csv)
        c->rows.behind = c->rows.first;
    else
        begin_block(c);
}

static void column_row(struct columns_out *c, const uint64_t *cell, const void *const *octets)
{
    bool full = ++c->in_block == COLUMNS_ROWS;
    for (unsigned i = 0; i < c->count; i++) {
        struct writer *w = &c->column[i];
        if (!w->known) {
            add_number(w, cell[i]);
            continue;
        }
        add_text(w, octets[i], length_of(cell[i]));
        full |= w->octets + ROOM - w->at < COLUMNS_TEXT + 16;
    }
    if (full)
        columns_flush(c);
}

void columns_row(struct columns_out *c, const uint64_t *cell, const void *const *octets)
{
    (c->csv ? csv_row : column_row)(c, cell, octets);
}

void columns_start(FILE *out, const struct column_head *head, unsigned count, bool csv)
{
    if (!csv)
        fputs(COLUMNS_MAGIC, out);
    for (unsigned i = 0; i < count; i++) {
        if (i)
            putc(',', out);
        if (!csv)
            fprintf(out, "%c:", head[i].kind);
        fputs(head[i].name, out);
    }
    putc('\n', out);
}

void columns_end(FILE *out, bool csv)
{
    if (!csv)
        put_block_head(out, 0, 0, 0);
}

/* Each column is made where the block has it if all of the ones before are full: behind where it will go. */
static bool make_block(struct columns_out *c)
{
    size_t each = ROOM + 4, room = c->count * each;
    c->block = malloc(room);
    if (!c->block || !make_squeezer(c, room))
        return false;
    for (unsigned i = 0; i < c->count; i++)
        c->column[i].octets = c->block + i * each + 4;
    begin_block(c);
    return true;
}

/* No cell is shown yet: the last ones are empty. */
static bool make_rows(struct columns_out *c)
{
    struct rows *r = &c->rows;
    r->behind = r->first = malloc(LINES + c->count * (2 * COLUMNS_TEXT + SHOWN));
    for (unsigned i = 0; i < c->count; i++) {
        r->last[i] = columns_is_text(c->column[i].kind) ? 0 : CELL_EMPTY;
        r->shown[i][0] = ',';
        r->len[i] = 1;
    }
    return r->first;
}

struct columns_out *columns_begin(FILE *out, const struct column_head *head, unsigned count, bool csv)
{
    struct columns_out *c = calloc(1, sizeof *c + count * sizeof *c->column);
    bool good = c;
    if (!c)
        return NULL;
    c->out = out;
    c->count = count;
    c->csv = csv;
    for (unsigned i = 0; i < count; i++) {
        struct writer *w = &c->column[i];
        w->kind = head[i].kind;
        w->known = columns_is_text(w->kind) ? calloc(KNOWN, sizeof *w->known) : NULL;
        good &= w->known || !columns_is_text(w->kind);
    }
    if (good && (csv ? make_rows(c) : make_block(c)))
        return c;
    columns_free(c);
    return NULL;
}

void columns_free(struct columns_out *c)
{
    for (unsigned i = 0; c && i < c->count; i++)
        free(c->column[i].known);
    if (c) {
        free_squeezer(c);
        free(c->block);
        free(c->stored);
        free(c->rows.first);
    }
    free(c);
}
