/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/csv.h"

#include <string.h>

/* What a spreadsheet takes for a formula is marked. */
static const char *mark_of(const char *text)
{
    return *text && strchr("=+-@", *text) ? "'" : "";
}

void csv_quoted(FILE *out, const char *text)
{
    fprintf(out, "\"%s", mark_of(text));
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

void csv_cell(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\n\r"))
        csv_quoted(out, text);
    else
        fprintf(out, "%s%s", mark_of(text), text);
}
