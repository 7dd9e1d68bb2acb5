/* SPDX-License-Identifier: GPL-2.0-or-later */
/* size_condition.c -- the condition of iwarpsim size: read, and compared (size.h). */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/command/size.h"

/* Longer ones first: ">=" is not ">" and "=". */
static const char *const size_comparisons[SIZE_COMPARISONS] = {">=", "<=", ">", "<", "==", "!="};

static const char *skip_blanks(const char *p)
{
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

static const char *refuse_condition(char *why, const char *what, const char *at)
{
    snprintf(
        why, SIZE_WHY_MAX,
        "%s%s%.80s; a condition is COLUMN >=|<=|>|<|==|!= NUMBER or FACTOR*line, several joined by `and`",
        what, *at ? ", not " : "", at);
    return NULL;
}

static const char *read_column(struct size_term *t, const char *p, char *why)
{
    char name[80];
    size_t len = strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789_.");
    snprintf(name, sizeof name, "%.*s", (int)len, p);
    t->column = result_column(name);
    if (t->column)
        return skip_blanks(p + len);
    if (!len)
        return refuse_condition(why, "the condition needs a column of results.csv", p);
    snprintf(why, SIZE_WHY_MAX, "results.csv has no column '%s'; columns.tsv beside it lists its columns",
             name);
    return NULL;
}

static const char *read_comparison(struct size_term *t, const char *p, char *why)
{
    for (int i = 0; i < SIZE_COMPARISONS; i++) {
        size_t len = strlen(size_comparisons[i]);
        if (strncmp(p, size_comparisons[i], len) == 0) {
            t->comparison = (enum size_comparison)i;
            return skip_blanks(p + len);
        }
    }
    return refuse_condition(why, "a comparison must follow the column", p);
}

static const char *read_condition_term(struct size_term *t, const char *p)
{
    bool line = strncmp(p, "line", 4) == 0 && !isalnum((unsigned char)p[4]) && p[4] != '_';
    t->of_line = line;
    return line ? p + 4 : p;
}

static const char *read_bound(struct size_term *t, const char *p, char *why)
{
    char *end;
    t->bound = 1;
    const char *after = read_condition_term(t, p);
    if (t->of_line)
        return skip_blanks(after);
    bool number = isdigit((unsigned char)*p) || *p == '.';
    t->bound = number ? strtod(p, &end) : 0;
    if (!number || !isfinite(t->bound))
        return refuse_condition(why, "a number or FACTOR*line must follow the comparison", p);
    after = skip_blanks(end);
    if (*after != '*')
        return after;
    after = skip_blanks(after + 1);
    const char *rest = read_condition_term(t, after);
    return t->of_line ? skip_blanks(rest) : refuse_condition(why, "only `line` may follow the *", after);
}

static const char *read_term(struct size_term *t, const char *p, char *why)
{
    p = read_column(t, skip_blanks(p), why);
    p = p ? read_comparison(t, p, why) : NULL;
    return p ? read_bound(t, p, why) : NULL;
}

bool size_condition_read(struct size_condition *c, const char *text, char *why)
{
    const char *p = text;
    c->count = 0;
    while (c->count < SIZE_TERMS) {
        p = read_term(&c->term[c->count++], p, why);
        if (!p || !*p)
            return p != NULL;
        if (strncmp(p, "and", 3) || !isspace((unsigned char)p[3]))
            return refuse_condition(why, "only `and` may follow a comparison", p) != NULL;
        p += 3;
    }
    return refuse_condition(why, "at most four comparisons are allowed", "") != NULL;
}

double size_bound(const struct size_term *t, double line_gbps)
{
    return t->of_line ? t->bound * line_gbps : t->bound;
}

bool size_term_met(const struct size_term *t, double value, double line_gbps)
{
    double bound = size_bound(t, line_gbps);
    bool above = value > bound, below = value < bound;
    const bool met[SIZE_COMPARISONS] = {
        [SIZE_AT_LEAST] = !below, [SIZE_AT_MOST] = !above,         [SIZE_ABOVE] = above,
        [SIZE_BELOW] = below,     [SIZE_EQUAL] = !above && !below, [SIZE_UNEQUAL] = above || below,
    };
    return !isnan(value) && met[t->comparison];
}
