/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns_test.c -- a table as columns is the table as CSV, and what is cut or damaged is refused. */
#include "helpers/base/columns.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/cells.h"
#include "helpers/base/csv.h"
#include "validation/support/test.h"

enum { ROWS = 10000, COLUMNS = 7 }; /* three blocks, the last one not full */
enum { LONGEST = 256 };

static const struct column_head head[COLUMNS] = {
    {CELL_NUMBER, "t_ps"}, {CELL_TEXT, "point"}, {CELL_STAG, "stag"},    {CELL_MICRO, "latency"},
    {CELL_WORD, "event"},  {CELL_HEX, "head"},   {CELL_NUMBER, "always"}};

/* A file in memory. */
struct made {
    char *octets;
    size_t size;
};

static uint64_t drawn(uint64_t n)
{
    n = (n ^ n >> 31) * 0x9e3779b97f4a7c15u;
    return n ^ n >> 29;
}

/* Numbers of all lengths up to the largest, some of them again; texts that repeat and that do not; empty cells. */
static void put_row(struct columns_out *c, uint64_t i)
{
    static const char *const points[] = {"all", "a,b", "=1", "", "say \"so\""};
    static const uint64_t sums[] = {0, 1, 999999, 1000000, 1500000, UINT64_MAX - 1, CELL_EMPTY};
    char event[LONGEST];
    uint8_t octets[16];
    uint64_t n = drawn(i);
    snprintf(event, sizeof event, i % 3 ? "placed" : "packet %*u", i % 200 > 100 ? (int)(i % 200) : 0,
             (unsigned)i);
    memcpy(octets, &n, sizeof n);
    memset(octets + sizeof n, (int)(i & 0xff), sizeof n);
    const char *point = points[i / 100 % 5];
    columns_row(c,
                (const uint64_t[COLUMNS]){i % 2 ? n >> (i % 64) : i, strlen(point),
                                          i % 5 ? n >> 32 : CELL_EMPTY, sums[n % 7], strlen(event), i % 17,
                                          CELL_EMPTY},
                (const void *[COLUMNS]){[1] = point, [4] = event, [5] = octets});
}

static struct made table_of(uint64_t rows, bool csv)
{
    struct made m;
    FILE *out = open_memstream(&m.octets, &m.size);
    struct columns_out *c = columns_begin(out, head, COLUMNS, csv);
    columns_start(out, head, COLUMNS, csv);
    for (uint64_t i = 0; i < rows; i++)
        put_row(c, i);
    columns_flush(c);
    columns_end(out, csv);
    columns_free(c);
    fclose(out);
    return m;
}

/* The CSV of `size` octets; .octets NULL: they were refused, in one sentence. */
static struct made csv_of(const void *octets, size_t size, const char *const *wanted)
{
    struct made m;
    char error[COLUMNS_ERROR_MAX] = "";
    FILE *in = fmemopen((void *)(uintptr_t)octets, size, "r"), *out = open_memstream(&m.octets, &m.size);
    bool good = columns_csv(in, "x.cols", wanted, SIZE_MAX, out, error);
    fclose(in);
    fclose(out);
    if (good)
        return m;
    assert_int_equal(strncmp(error, "x.cols: ", 8), 0);
    free(m.octets);
    return (struct made){NULL, 0};
}

static bool refused(const struct made *m, size_t size)
{
    struct made found = csv_of(m->octets, size, NULL);
    free(found.octets);
    return !found.octets;
}

static void same(uint64_t rows)
{
    struct made columns = table_of(rows, false), csv = table_of(rows, true),
                found = csv_of(columns.octets, columns.size, NULL);
    assert_true(columns_are(columns.octets, columns.size) && !columns_are(csv.octets, csv.size));
    assert_int_equal(found.size, csv.size);
    assert_memory_equal(found.octets, csv.octets, csv.size);
    free(columns.octets);
    free(csv.octets);
    free(found.octets);
}

TEST(the_csv_made_of_columns_is_the_csv_of_the_run)
{
    same(0);
    same(1);
    same(4096);
    same(4097);
    same(ROWS);
}

TEST(each_kind_as_csv_has_it)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct columns_out *c = columns_begin(out, head, COLUMNS, true);
    const void *octets[COLUMNS] = {[1] = "a,b", [4] = "sent", [5] = "\x81\x40"};
    columns_row(c, (const uint64_t[COLUMNS]){UINT64_MAX - 1, 3, 0x1a2b, 1500000, 4, 2, 0}, octets);
    columns_row(c, (const uint64_t[COLUMNS]){CELL_EMPTY, 0, CELL_EMPTY, CELL_EMPTY, 0, 0, CELL_EMPTY},
                (const void *[COLUMNS]){[1] = "", [4] = ""});
    columns_flush(c);
    columns_free(c);
    fclose(out);
    assert_string_equal(text, "18446744073709551614,\"a,b\",0x00001a2b,1.5,sent,8140,0\n,,,,,,\n");
    free(text);
}

TEST(a_cell_in_memory_is_that_of_a_file)
{
    static const char *const texts[] = {"", "all", "=1", "-", "a,b", "say \"so\"", "+\n", "\"", "x=1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char put[32], *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        csv_cell(out, texts[i]);
        fclose(out);
        *csv_put(put, texts[i]) = 0;
        assert_string_equal(put, text);
        assert_true(size <= 2 * strlen(texts[i]) + 3);
        free(text);
    }
}

/* Around each power of ten, where a number becomes longer, and drawn ones of all lengths. */
TEST(a_number_is_shown_as_printf_shows_it)
{
    char shown[CELL_MOST + 1], want[40];
    uint64_t ten = 1;
    for (uint64_t i = 0; i < 20000; i++, ten *= i % 3 ? 1 : 10) {
        uint64_t n = i < 60 ? ten + i % 3 - 1 : drawn(i) >> i % 64;
        *cells_number(shown, n) = 0;
        snprintf(want, sizeof want, "%llu", (unsigned long long)n);
        assert_string_equal(shown, want);
        n >>= 2; /* with its point it is not longer than any number */
        *cells_decimal(shown, n) = 0;
        snprintf(want, sizeof want, "%llu.%06llu", (unsigned long long)(n / 1000000),
                 (unsigned long long)(n % 1000000));
        size_t len = strspn(want, "0123456789.");
        while (want[len - 1] == '0' || want[len - 1] == '.')
            if (want[--len] == '.')
                break;
        want[len] = 0;
        assert_string_equal(shown, want);
    }
}

TEST(one_column_is_that_of_all)
{
    static const char *const wanted[] = {"event", "none", NULL};
    struct made columns = table_of(5, false), found = csv_of(columns.octets, columns.size, wanted);
    assert_string_equal(found.octets, "event\npacket 0\nplaced\nplaced\npacket 3\nplaced\n");
    free(columns.octets);
    free(found.octets);
}

TEST(a_cut_file_is_refused_wherever_it_is_cut)
{
    struct made m = table_of(200, false);
    for (size_t size = 1; size < m.size; size++)
        assert_true(refused(&m, size));
    assert_false(refused(&m, m.size));
    free(m.octets);
}

/* Behind the names, which may be others. */
TEST(a_damaged_octet_is_refused_wherever_it_is)
{
    struct made m = table_of(5000, false);
    size_t names = (size_t)(strchr(strchr(m.octets, '\n') + 1, '\n') + 1 - m.octets);
    for (size_t at = names; at < m.size; at += at < names + 64 || at + 64 > m.size ? 1 : 997) {
        m.octets[at] ^= 0x04;
        assert_true(refused(&m, m.size));
        m.octets[at] ^= 0x04;
    }
    assert_false(refused(&m, m.size));
    free(m.octets);
}

/* "n:a,w:b", two rows, written by hand: 7 and nothing; "x" and again. */
TEST(a_block_by_hand)
{
    uint8_t octets[] = "iwcols 1\nn:a,w:b\n"
                       "\2\0\0\0\16\0\0\0\16\0\0\0"
                       "\2\0\0\0\20\17"
                       "\4\0\0\0\0\1x\2"
                       "\0\0\0\0\0\0\0\0\0\0\0\0";
    struct made found = csv_of(octets, sizeof octets - 1, NULL);
    assert_string_equal(found.octets, "a,b\n7,x\n,x\n");
    free(found.octets);
    octets[sizeof octets - 1 - 12 - 1] = 3; /* a text that was not told */
    found = csv_of(octets, sizeof octets - 1, NULL);
    assert_null(found.octets);
}
