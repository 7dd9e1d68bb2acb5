/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/quote.h"

#include <string.h>

/* ---- what a text may hold ---- */

int32_t utf8_next(const char **p)
{
    static const struct {
        uint8_t mask, lead;
        int32_t least;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    const uint8_t *c = (const uint8_t *)*p;
    for (int more = 0; more < 4; more++) {
        if ((c[0] & forms[more].mask) != forms[more].lead)
            continue;
        int32_t point = c[0] & (uint8_t)~forms[more].mask;
        for (int i = 1; i <= more; i++) {
            if ((c[i] & 0xc0) != 0x80)
                return -1;
            point = point << 6 | (c[i] & 0x3f);
        }
        bool surrogate = point >= 0xd800 && point < 0xe000;
        if (point < forms[more].least || point > 0x10ffff || surrogate)
            return -1;
        *p += more + 1;
        return point;
    }
    return -1;
}

static bool is_plain(int32_t point)
{
    static const struct {
        int32_t from, to;
    } wrong[] = {
        {-1, 0x1f},     /* no UTF-8; C0 */
        {0x7f, 0x9f},   /* DEL; C1, where 0x9b begins an escape sequence */
        {0x61c, 0x61c}, /* marks, embeddings, overrides and isolates of direction */
        {0x200e, 0x200f},   {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff}, /* byte order mark */
        {0xfff9, 0xfffb},   /* interlinear annotations */
        {0xe0000, 0xe007f}, /* tags: letters that do not show */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (point >= wrong[i].from && point <= wrong[i].to)
            return false;
    return (point & 0xfffe) != 0xfffe;
}

/* The character at `*p`, which moves behind it: whether it is plain. */
static bool next_is_plain(const char **p)
{
    int32_t point = utf8_next(p);
    *p += point < 0;
    return is_plain(point);
}

size_t utf8_within(const char *text, size_t most)
{
    size_t n = most;
    while (n && ((uint8_t)text[n] & 0xc0) == 0x80)
        n--;
    return n ? n : most;
}

bool text_is_plain(const char *text)
{
    while (*text)
        if (!next_is_plain(&text))
            return false;
    return true;
}

void text_make_plain(char *text, bool lines)
{
    for (const char *p = text; *p;) {
        char *start = text + (p - text);
        if (!next_is_plain(&p) && !(lines && *start == '\n'))
            memset(start, '?', (size_t)(p - start));
    }
}

bool name_is_safe(const char *name)
{
    unsigned char c = (unsigned char)*name;
    bool begins =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c > 0x7f;
    return begins && strlen(name) <= NAME_SAFE_MAX && !strchr(name, '/') && text_is_plain(name);
}

/* ---- the three ---- */

static void put_quoted(FILE *out, const char *from, const char *to)
{
    for (; from < to; from++)
        fprintf(out, "\\%03o", (unsigned char)*from);
}

/* The characters that TeX takes for its own, and those that its oldest fonts have not. */
static const struct {
    char c;
    const char *tex;
} tex_of[] = {{'\\', "\\textbackslash{}"},
              {'{', "\\{"},
              {'}', "\\}"},
              {'$', "\\$"},
              {'&', "\\&"},
              {'#', "\\#"},
              {'%', "\\%"},
              {'_', "\\_"},
              {'^', "\\textasciicircum{}"},
              {'~', "\\textasciitilde{}"},
              {'<', "\\textless{}"},
              {'>', "\\textgreater{}"},
              {'|', "\\textbar{}"}};

static void put_gnuplot(FILE *out, unsigned char c, unsigned how)
{
    if (strchr("'\"\\`@", c))
        fprintf(out, "\\%03o", c);
    else
        fprintf(out, how & QUOTE_FORMAT && c == '%' ? "%%%%" : "%c", c < ' ' || c == 0x7f ? ' ' : c);
}

static void put_gnuplot_tex(FILE *out, unsigned char c, unsigned how)
{
    for (size_t i = 0; how & QUOTE_TEX && i < sizeof tex_of / sizeof *tex_of; i++)
        if (tex_of[i].c == (char)c) {
            for (const char *p = tex_of[i].tex; *p; p++)
                put_gnuplot(out, (unsigned char)*p, how);
            return;
        }
    put_gnuplot(out, c, how);
}

void quote_gnuplot(FILE *out, const char *text, size_t len, unsigned how)
{
    putc('"', out);
    for (size_t i = 0; i < len && text[i]; i++)
        put_gnuplot_tex(out, (unsigned char)text[i], how);
    putc('"', out);
}

static bool is_bare_word(const char *text)
{
    return *text &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/=:,+@%") ==
               strlen(text);
}

static void quote_for_bash(FILE *out, const char *text)
{
    fputs("$'", out);
    for (const char *p = text; *p;) {
        const char *start = p;
        if (!next_is_plain(&p) || *start == '\'' || *start == '\\')
            put_quoted(out, start, p);
        else
            fwrite(start, 1, (size_t)(p - start), out);
    }
    putc('\'', out);
}

void quote_shell(FILE *out, const char *text)
{
    if (is_bare_word(text)) {
        fputs(text, out);
        return;
    }
    if (!text_is_plain(text)) {
        quote_for_bash(out, text);
        return;
    }
    putc('\'', out);
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, 0}, out);
    putc('\'', out);
}

void quote_terminal(FILE *out, const char *text)
{
    while (*text) {
        const char *start = text;
        if (next_is_plain(&text))
            fwrite(start, 1, (size_t)(text - start), out);
        else
            put_quoted(out, start, text);
    }
}

void quote_json(FILE *out, const char *text, bool page)
{
    putc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20 || (page && strchr("<>&\x7f", *c)))
            fprintf(out, "\\u%04x", *c);
        else
            putc(*c, out);
    }
    putc('"', out);
}

void quote_markup(FILE *f, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        default: fputc(*text, f);
        }
}

void quote_between(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    quote_markup(out, text);
    fputs(after, out);
}
