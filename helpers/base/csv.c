/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/csv.h"

#include <stdbool.h>
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

static bool is_plain(const char *text)
{
    return !strpbrk(text, ",\"\n\r");
}

void csv_cell(FILE *out, const char *text)
{
    if (is_plain(text))
        fprintf(out, "%s%s", mark_of(text), text);
    else
        csv_quoted(out, text);
}

char *csv_put(char *p, const char *text)
{
    bool plain = is_plain(text);
    const char *mark = mark_of(text);
    if (!plain)
        *p++ = '"';
    if (*mark)
        *p++ = *mark;
    for (; *text; text++) {
        if (*text == '"')
            *p++ = '"';
        *p++ = *text;
    }
    if (!plain)
        *p++ = '"';
    return p;
}
