/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exercise_moodle.c -- the sheets of a class as Moodle's XML, each question of type cloze (exercise_sheet.h): text with fields in braces,
 * {1:NUMERICAL:=7:0}, {1:SHORTANSWER:=A9}. A field takes its own answer and no other: there is no wildcard. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/quote.h"
#include "helpers/command/exercise_sheet.h"

/* ---- fields ---- */

/* What ends a field or an answer of cloze has a backslash before it. */
static void put_plain(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("}#~/\"\\", *text))
            putc('\\', out);
        putc(*text, out);
    }
}

static void put_time(FILE *out, const struct reply_field *f)
{
    const double us = 1e6, exact = 0.0005;
    double middle = ((double)f->from + (double)f->to) / 2 / us,
           off = ((double)f->to - (double)f->from) / 2 / us;
    fprintf(out, "{1:NUMERICAL:=%.3f:%.4f}", middle, off > exact ? off : exact);
}

static void put_number(FILE *out, const struct reply_field *f)
{
    char value[REPLY_TEXT_MAX];
    reply_value(f, value);
    bool hex = strncmp(value, "0x", 2) == 0;
    fprintf(out, hex ? "{1:SHORTANSWER:=%s" : "{1:NUMERICAL:=%s:0", value);
    if (hex)
        fprintf(out, "~=0x%" PRIx64, f->from);
    putc('}', out);
}

/* With and without blanks. */
static void put_octets(FILE *out, const struct reply_field *f)
{
    static const char *const between[] = {" .. ", "..", " - ", "-", " to "};
    fputs("{1:SHORTANSWER:", out);
    for (size_t i = 0; i < sizeof between / sizeof *between; i++)
        fprintf(out, "%s=%" PRIu64 "%s%" PRIu64, i ? "~" : "", f->from, between[i], f->to);
    putc('}', out);
}

static void put_word(FILE *out, const struct reply_field *f)
{
    char value[REPLY_TEXT_MAX];
    fputs("{1:SHORTANSWER:=", out);
    put_plain(out, reply_value(f, value));
    putc('}', out);
}

static void (*const put_field[REPLY_KINDS])(FILE *, const struct reply_field *) = {
    [REPLY_SEGMENT] = put_word, [REPLY_OCTETS] = put_octets, [REPLY_NUMBER] = put_number,
    [REPLY_TIME] = put_time,    [REPLY_CODE] = put_word,     [REPLY_CHOICE] = put_word};

/* ---- questions ---- */

/* Text of a person in HTML of cloze: what begins a field there is a number of its own. */
static void put_moodle_text(FILE *out, const char *text)
{
    char *quoted = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&quoted, &size);
    if (!memory)
        return;
    quote_markup(memory, text);
    fclose(memory);
    for (const char *p = quoted; *p; p++)
        if (*p == '{' || *p == '}')
            fprintf(out, "&#%d;", *p);
        else
            putc(*p, out);
    free(quoted);
}

/* HTML that is then one text of XML. */
static void put_body(FILE *out, const struct exercise *x, const char *scenario)
{
    fputs("<p>", out);
    put_moodle_text(out, x->question);
    fputs("</p>\n", out);
    for (int k = 0; k < x->fields; k++) {
        const struct reply_field *f = &x->field[k];
        fputs("<p>", out);
        put_moodle_text(out, f->label);
        fputs(": ", out);
        put_field[f->kind](out, f);
        fprintf(out, " %s (", f->kind == REPLY_TIME ? "us" : f->unit ? f->unit : "");
        put_moodle_text(out, reply_example(f));
        fputs(")</p>\n", out);
    }
    fputs("<pre>", out);
    put_moodle_text(out, scenario);
    fputs("</pre>", out);
}

static void put_question(FILE *out, const struct sheet *s, int number, const char *scenario)
{
    char *body = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&body, &size);
    if (!memory)
        return;
    put_body(memory, &s->x[number], scenario);
    fclose(memory);
    quote_between(out, "<question type=\"cloze\">\n<name><text>", s->lesson->point.title, "");
    fprintf(out, ", student %" PRIu64 ", %d</text></name>\n", s->student, number + 1);
    quote_between(out, "<questiontext format=\"html\"><text>", body, "</text></questiontext>\n</question>\n");
    free(body);
}

static bool put_sheet(FILE *out, const struct sheet *s, char *error)
{
    char *scenario = sheet_scenario(s, error);
    if (!scenario)
        return false;
    fprintf(out,
            "<question type=\"category\"><category><text>$course$/iwarpsim/student %" PRIu64
            "</text></category></question>\n",
            s->student);
    for (int i = 0; i < s->questions; i++)
        put_question(out, s, i, scenario);
    free(scenario);
    return true;
}

const struct sheet_format class_moodle = {"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<quiz>\n", "</quiz>\n",
                                          put_sheet};
