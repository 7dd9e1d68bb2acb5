/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code.c -- reading a line that was handed in (code.h). */
#include "helpers/story/code.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int hex(char c)
{
    const char *digits = "0123456789abcdef",
               *found = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c) : NULL;
    return found ? (int)(found - digits) : -1;
}

char *code_word(const char *word, size_t length, char **room)
{
    char *start = *room;
    for (size_t i = 0; i < length; i++) {
        bool coded = word[i] == '%' && i + 2 < length && hex(word[i + 1]) >= 0 && hex(word[i + 2]) >= 0;
        int octet = coded ? 16 * hex(word[i + 1]) + hex(word[i + 2]) : word[i];
        *(*room)++ = (char)octet;
        i += coded ? 2 : 0;
    }
    *(*room)++ = 0;
    return start;
}

__attribute__((format(printf, 2, 3))) static bool says(char *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, CODE_ERROR_MAX, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_number(const char *text, uint64_t most, uint64_t *n)
{
    char *end;
    *n = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && strlen(text) < 19 && *n <= most;
}

/* What stands behind NAME=; NULL: it is another word. */
static const char *behind(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

/* The number of a lesson, or of a lab. */
static bool take_place(unsigned *place, const char *what, const char *value, char *why)
{
    enum { MOST = 99 };
    uint64_t n;
    if (!is_number(value, MOST, &n) || !n)
        return says(why, "%s=%.20s: must be a number from 1 to %d", what, value, MOST);
    *place = (unsigned)n;
    return true;
}

static bool take_code_word(struct code *c, const char *word, char *why)
{
    const char *sheet = behind(word, "sheet"), *lab = behind(word, "lab"), *student = behind(word, "student");
    if (sheet || lab)
        return sheet ? take_place(&c->lesson, "sheet", sheet, why) : take_place(&c->lab, "lab", lab, why);
    if (student)
        return is_number(student, INT64_MAX, &c->student) ||
               says(why, "student=%.20s: must be a whole number", student);
    if (word[0] == 'a' && word[1] > '0' && word[1] <= '0' + CODE_ANSWERS && word[2] == '=') {
        c->answer[word[1] - '1'] = word + 3;
        return true;
    }
    if (c->count == CODE_SETS)
        return says(why, "more than %d settings", CODE_SETS);
    c->sets[c->count++] = word;
    return true;
}

bool code_read(const char *text, struct code *c, char *why)
{
    char *room = c->room;
    memset(c, 0, sizeof *c);
    if (strlen(text) >= CODE_MAX / 2)
        return says(why, "a code has at most %d octets", CODE_MAX / 2 - 1);
    while (*text) {
        size_t length = strcspn(text, "&");
        if (length && !take_code_word(c, code_word(text, length, &room), why))
            return false;
        text += length + (text[length] == '&');
    }
    if (!c->lesson == !c->lab)
        return says(why, "a code must begin with challenge=N, sheet=N or lab=N");
    return !c->lab || !c->count ||
           says(why, "%.80s: the code of a lab has answers and no settings", c->sets[0]);
}

static bool is_key_of(const char *keys, const char *set)
{
    size_t length = strcspn(set, "=");
    for (const char *at = keys; *at; at += strcspn(at, ", "), at += strspn(at, ", "))
        if (strcspn(at, ", ") == length && memcmp(at, set, length) == 0)
            return set[length] == '=';
    return false;
}

const char *code_stranger(const struct code *c, const char *keys)
{
    for (size_t i = 0; i < c->count; i++)
        if (!is_key_of(keys, c->sets[i]))
            return c->sets[i];
    return NULL;
}

int code_points(const struct code *c, const struct exercise *x, int questions, bool *right)
{
    int points = 0;
    for (int i = 0; i < questions; i++) {
        bool good = c->answer[i] && exercise_is_right(&x[i], c->answer[i]);
        points += good;
        if (right)
            right[i] = good;
    }
    return points;
}
