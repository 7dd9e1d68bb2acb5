/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_columns.c -- any octets as a file of columns: refused with one sentence, or CSV that is a table. */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/columns.h"
#include "helpers/base/table.h"

enum { OCTETS_MOST = 4096 }; /* of a file */

static void must(bool law)
{
    if (!law)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t size)
{
    char error[COLUMNS_ERROR_MAX] = "", *text = NULL;
    size_t length;
    struct table table;
    if (!size || size > OCTETS_MOST)
        return 0;
    FILE *in = fmemopen((void *)(uintptr_t)octets, size, "rb"), *out = open_memstream(&text, &length);
    must(in && out);
    bool good = columns_csv(in, "fuzz.cols", NULL, 8192, out, error);
    fclose(in);
    fclose(out);
    must(good || (strncmp(error, "fuzz.cols: ", 11) == 0 && !strchr(error, '\n')));
    must(!good || columns_are(octets, size));
    if (good) {
        must(table_parse(&table, "fuzz.cols", text, length, error));
        table_free(&table);
    } else {
        free(text);
    }
    return 0;
}
