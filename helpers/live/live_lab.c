/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_lab.c -- labs in a page: asked, run point by point, and judged as the command does (live_inner.h). */
#include <string.h>

#include "helpers/base/quote.h"
#include "helpers/live/live_inner.h"
#include "helpers/story/code.h"
#include "helpers/story/lab.h"

static void put_member(FILE *out, const char *name, const char *text)
{
    fprintf(out, ",\"%s\":", name);
    quote_json(out, text, true);
}

static void put_list(FILE *out, const char *name, const char *const *words)
{
    fprintf(out, ",\"%s\":[", name);
    for (size_t i = 0; words[i]; i++) {
        fputs(i ? "," : "", out);
        quote_json(out, words[i], true);
    }
    putc(']', out);
}

static void put_lab(FILE *out, const struct lab *l, uint64_t student)
{
    static const bool right[LAB_QUESTIONS];
    struct exercise x[LAB_QUESTIONS];
    lab_ask(l, student, NULL, x);
    putc('{', out);
    live_put_questions(out, x, LAB_QUESTIONS, right);
    put_member(out, "title", l->title);
    put_member(out, "then", l->then);
    put_member(out, "xName", l->x_name);
    put_list(out, "x", l->x);
    put_member(out, "byName", l->by_name);
    put_list(out, "by", l->by);
    put_member(out, "y", l->measure->name);
    putc('}', out);
}

void live_put_labs(FILE *out, uint64_t student)
{
    for (unsigned n = 1; n <= LABS; n++) {
        putc(n > 1 ? ',' : '[', out);
        put_lab(out, lab_of(n), student);
    }
    putc(']', out);
}

double live_lab_value(unsigned lab, unsigned x, unsigned by, char *why)
{
    const double us = 1e6;
    uint64_t value;
    const struct lab *l = lab_of(lab);
    if (!lab_run(l, x, by, &value, why))
        return __builtin_nan("");
    return l->measure->unit && strcmp(l->measure->unit, "time") == 0 ? (double)value / us : (double)value;
}

bool live_lab_tell(const char *code, FILE *out, char *why)
{
    struct exercise x[LAB_QUESTIONS];
    struct lab_table t;
    struct code c;
    bool right[LAB_QUESTIONS];
    if (!code_read(code, &c, why))
        return false;
    const struct lab *l = lab_of(c.lab);
    if (!l || !lab_run_all(l, &t, why))
        return false;
    lab_ask(l, c.student, &t, x);
    code_points(&c, x, LAB_QUESTIONS, right);
    putc('{', out);
    live_put_questions(out, x, LAB_QUESTIONS, right);
    putc('}', out);
    return true;
}
