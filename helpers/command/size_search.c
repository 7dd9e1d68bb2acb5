/* SPDX-License-Identifier: GPL-2.0-or-later */
/* size_search.c -- the smallest value of a key that meets a condition.
 *
 * From the scenario's own value by factors of two to the place where the answer turns, then bisection:
 *
 *     low .... unmet | met .... high            every value tried is a line; the neighbours of the result are tried too,
 *                                               for nothing says that a larger value is always as good
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/list.h"
#include "helpers/command.h"
#include "helpers/command/size.h"
#include "helpers/scenario/scenario.h"

struct search {
    const struct size_arguments *a;
    const struct key *key;
    struct size_condition condition;
    const struct scenario *s; /* the key has one value in it */
    size_t index;
    struct scenario_point point;
    struct size_question q;
    char label[SCENARIO_LABEL_MAX];
    double from, to;           /* what was asked for */
    double low, high;          /* what is looked at at this point */
    struct size_answer *tried; /* by value, the smallest first */
    size_t count;
    double last; /* what the run before had in the first column of the condition */
    int status;  /* above 0: stop, and exit with it */
};

/* ---- values ---- */

static bool is_a_number(const struct key *key)
{
    static const enum value_type numbers[] = {VALUE_COUNT, VALUE_OCTETS, VALUE_RATE,
                                              VALUE_TIME,  VALUE_RATIO,  VALUE_REAL};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (key->rules.type == numbers[i])
            return key->of == KEY_POINT;
    return false;
}

static bool is_real(const struct key *key)
{
    return key->rules.type == VALUE_REAL;
}

static double number_of(const struct value *v)
{
    return v->type == VALUE_REAL ? v->real : (double)v->n;
}

static double settle_value(const struct search *x, double value)
{
    double settled = is_real(x->key) ? value : floor(value);
    return fmin(fmax(settled, x->low), x->high);
}

/* The least difference that matters between values around `value`. */
static double grain(const struct search *x, double value, double within)
{
    double least = is_real(x->key) ? 1e-9 * fmax(fabs(value), 1e-9) : 1;
    return fmax(least, within * value);
}

static double middle(const struct search *x, double a, double b)
{
    return settle_value(x, a > 0 && b > 2 * a ? sqrt(a * b) : (a + b) / 2);
}

/* Does the scenario make sense with it? */
static bool is_allowed(const struct search *x, double value)
{
    char error[SCENARIO_ERROR_MAX];
    struct scenario_point point;
    size_set(x->a->set, x->key, value);
    struct scenario *s = scenario_open(x->a->file, x->a->sets, x->a->sets_count + 1, error);
    bool allowed = s && scenario_point(s, x->index, 0, &point, error);
    scenario_free(s);
    return allowed;
}

/* The last allowed value on the way from one that is to one that may not be. */
static double last_allowed(const struct search *x, double good, double bad)
{
    if (is_allowed(x, bad))
        return bad;
    while (fabs(bad - good) > grain(x, good, 0)) {
        double between = is_real(x->key) ? (good + bad) / 2 : floor((good + bad) / 2);
        *(is_allowed(x, between) ? &good : &bad) = between;
    }
    return good;
}

/* ---- one value tried ---- */

static void print_terms(const struct search *x, const struct size_answer *a)
{
    for (size_t i = 0; i < x->condition.count; i++) {
        const char *name = x->condition.term[i].column->name;
        if (isnan(a->low[i]))
            printf("  %s undefined", name);
        else if (a->low[i] < a->high[i])
            printf("  %s %.6g .. %.6g", name, a->low[i], a->high[i]);
        else
            printf("  %s %.6g", name, a->low[i]);
    }
    if (a->status != STATUS_OK)
        printf("  %s", status_names[a->status]);
}

static void print_answer(const struct search *x, const struct size_answer *a)
{
    char text[VALUE_TEXT_MAX], met[32];
    size_write(x->key, a->value, text, sizeof text);
    if (a->repeats > 1)
        snprintf(met, sizeof met, "%u of %u", a->met, a->repeats);
    else
        snprintf(met, sizeof met, "%s", a->met ? "yes" : "no");
    printf("  %-14s %-9s", text, met);
    print_terms(x, a);
    putchar('\n');
    fflush(stdout);
}

static int exit_of(const struct size_answer *a)
{
    if (a->broken)
        return EXIT_LAW;
    if (a->failed)
        return a->status == STATUS_REFUSED ? EXIT_INPUT : EXIT_FAILED;
    return EXIT_DONE;
}

/* Where a value stands among those tried, or would. */
static size_t place_of_value(const struct search *x, double value)
{
    size_t i = 0;
    while (i < x->count && x->tried[i].value < value)
        i++;
    return i;
}

/* True: it meets the condition. A run that fails ends the search: x->status. */
static bool is_met(struct search *x, double value)
{
    size_t place = place_of_value(x, value);
    if (place < x->count && !(value < x->tried[place].value))
        return size_is_met(&x->tried[place]);
    struct size_answer *more = list_grow(x->tried, x->count, sizeof *more);
    if (!more) {
        x->status = EXIT_FAILED;
        return false;
    }
    x->tried = more;
    struct size_answer *a = more + place;
    memmove(a + 1, a, (x->count++ - place) * sizeof *a);
    *a = size_try(&x->q, value);
    x->last = a->low[0];
    x->status = exit_of(a);
    if (!x->a->each)
        print_answer(x, a);
    return size_is_met(a);
}

/* The first tried that meets the condition; their number: none does. */
static size_t first_met(const struct search *x)
{
    size_t i = 0;
    while (i < x->count && !size_is_met(&x->tried[i]))
        i++;
    return i;
}

/* ---- the search ---- */

/* From `value` on, until the answer turns: then an unmet value and a met one are neighbours by a factor of two at most. */
static void bracket(struct search *x, double value)
{
    bool first = is_met(x, value), now = first;
    while (x->status == EXIT_DONE && now == first) {
        double before = value;
        value = settle_value(x, first ? value / 2 : fmax(2 * value, value + grain(x, x->high, 1e-6)));
        if (!(value < before) && !(before < value))
            return;
        now = is_met(x, value);
    }
}

static void bisect(struct search *x)
{
    for (size_t i; x->status == EXIT_DONE && (i = first_met(x)) > 0 && i < x->count;) {
        double unmet = x->tried[i - 1].value, met = x->tried[i].value, between = middle(x, unmet, met);
        if (!(met - unmet > grain(x, met, x->a->within)) || !(between > unmet) || !(between < met))
            return;
        is_met(x, between);
    }
}

/* Values near by that a condition which only gets better would answer alike. */
static void try_neighbours(struct search *x, double met)
{
    static const double factors[] = {0.5, 0.75, 0.9, 1.1, 1.5, 2};
    for (size_t i = 0; i < sizeof factors / sizeof *factors && x->status == EXIT_DONE; i++)
        is_met(x, settle_value(x, met * factors[i]));
}

/* ---- what came of it ---- */

static bool differs(const struct size_answer *a, const struct size_condition *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (a->low[i] < a->high[i])
            return true;
    return false;
}

/* What so many repeats without a failure say of all that could be: at least this share meets it, with 95 % confidence
 * (Clopper and Pearson 1934: 0.05^(1/n)). */
static void print_rest(const struct search *x, const struct size_answer *a)
{
    if (a->repeats == 1)
        printf("1 repeat");
    else if (!differs(a, &x->condition))
        printf("%u repeats, all equal", a->repeats);
    else
        printf("all of %u repeats: with 95 %% confidence, at least %.0f %% of all runs", a->repeats,
               floor(100 * pow(0.05, 1.0 / a->repeats)));
}

/* `first` is the first that meets it. */
static void print_result(const struct search *x, size_t first)
{
    char text[VALUE_TEXT_MAX], other[VALUE_TEXT_MAX];
    size_t safe = x->count;
    while (safe && size_is_met(&x->tried[safe - 1]))
        safe--;
    size_write(x->key, x->tried[first].value, text, sizeof text);
    printf("  smallest: %s %s, by ", x->key->name, text);
    print_rest(x, &x->tried[first]);
    if (first) {
        size_write(x->key, x->tried[first - 1].value, other, sizeof other);
        printf("; %s does not meet it\n", other);
    } else
        printf("; nothing smaller is allowed or in the range\n");
    if (safe == first)
        return;
    if (safe < x->count)
        size_write(x->key, x->tried[safe].value, other, sizeof other);
    printf("  note: not every larger value meets it (the condition is not monotone here); all values "
           "tried from %s on do\n",
           safe < x->count ? other : "no value");
}

/* More than a packet between what was found and the line on paper: one of them leaves something out. */
static void say_apart(const struct search *x, double form, double met)
{
    struct scenario_derived d;
    scenario_derive(&x->point, &d);
    if (isfinite(met) && x->key->rules.type == VALUE_OCTETS &&
        fabs(met - form) > fmax(d.fpdu, met * x->a->within / 100))
        printf("  note: found and closed form differ by %.1f packets: something bounds it that the form "
               "leaves out\n",
               fabs(met - form) / d.fpdu);
}

/* What the line on paper says; NaN: nothing is known. */
static double print_form(const struct search *x, double met)
{
    char text[SIZE_FORM_MAX], value[VALUE_TEXT_MAX];
    double form;
    if (!size_form(x->key, &x->condition, &x->point, &form, text))
        return NAN;
    size_write(x->key, form, value, sizeof value);
    printf("  closed form: %s = %s\n", value, text);
    say_apart(x, form, met);
    return form;
}

static void write_number(FILE *table, double number)
{
    if (isfinite(number))
        fprintf(table, "\t%.15g", number);
    else
        putc('\t', table);
}

static void write_tried_row(const struct search *x, double met, double form, FILE *table)
{
    fprintf(table, "%s", x->label);
    for (size_t i = 0; i < x->s->axes_count; i++) {
        char text[VALUE_TEXT_MAX];
        value_bare(scenario_value(x->s, x->index, i), &x->s->axes[i].key->rules, text, sizeof text);
        fprintf(table, "\t%s", text);
    }
    write_number(table, met);
    write_number(table, form);
    fprintf(table, "\t%u\n", x->q.repeats);
}

static int say_never(const struct search *x)
{
    char from[VALUE_TEXT_MAX], to[VALUE_TEXT_MAX];
    size_write(x->key, x->low, from, sizeof from);
    size_write(x->key, x->high, to, sizeof to);
    return complain(
        EXIT_INPUT, "size", "no value tried of %s from %s to %s meets '%s' at point %s; the last had %s %.6g",
        x->key->name, from, to, x->a->until, x->label, x->condition.term[0].column->name, x->last);
}

/* ---- a point ---- */

static bool read_bound(const struct search *x, const char *option, const char *text, double *bound)
{
    char why[VALUE_WHY_MAX], allowed[VALUE_TEXT_MAX];
    struct value v;
    if (!text)
        return true;
    if (value_read(&v, &x->key->rules, text, why)) {
        *bound = number_of(&v);
        return true;
    }
    value_allowed(&x->key->rules, allowed, sizeof allowed);
    return complain(false, "size", "%s %s %s; %s takes %s", option, text, why, x->key->name, allowed);
}

/* The scenario's own value, unless it is a word or an atlas is made: then the closed form, or what lies in the middle of the
 * range. */
static double start_of(const struct search *x)
{
    struct value v;
    double form;
    char text[SIZE_FORM_MAX];
    key_load(x->key, &x->point, &v);
    bool own = !x->key->rules.word || v.n != x->key->rules.means;
    if (own && !x->a->each)
        return settle_value(x, number_of(&v));
    if (size_form(x->key, &x->condition, &x->point, &form, text))
        return settle_value(x, form);
    if (own)
        return settle_value(x, number_of(&v));
    return settle_value(x, x->low > 0 ? sqrt(x->low * x->high) : x->high / 2);
}

/* Where to look: what was asked for, or what the key allows. */
static int read_range(struct search *x)
{
    struct value v;
    char why[VALUE_WHY_MAX];
    value_read(&v, &x->key->rules, x->key->rules.min, why);
    x->from = number_of(&v);
    value_read(&v, &x->key->rules, x->key->rules.max, why);
    x->to = number_of(&v);
    if (!read_bound(x, "--from", x->a->from, &x->from) || !read_bound(x, "--to", x->a->to, &x->to))
        return EXIT_INPUT;
    return x->from > x->to ? complain(EXIT_INPUT, "size", "--from is larger than --to") : EXIT_DONE;
}

/* Of that, what the scenario makes sense with at this point. */
static bool set_range(struct search *x, double *start)
{
    x->low = x->from;
    x->high = x->to;
    *start = start_of(x);
    if (!is_allowed(x, *start)) {
        char text[VALUE_TEXT_MAX];
        size_write(x->key, *start, text, sizeof text);
        return complain(false, "size", "the scenario is not valid with %s %s; give --from and --to",
                        x->key->name, text);
    }
    x->low = last_allowed(x, *start, x->low);
    x->high = last_allowed(x, *start, x->high);
    return true;
}

static bool set_point(struct search *x, size_t index)
{
    char error[SCENARIO_ERROR_MAX];
    struct scenario_derived d;
    x->index = index;
    x->count = 0;
    x->status = EXIT_DONE;
    if (!scenario_point(x->s, index, 0, &x->point, error)) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    scenario_label(x->s, index, x->label);
    scenario_derive(&x->point, &d);
    x->q = (struct size_question){.file = x->a->file,
                                  .sets = x->a->sets,
                                  .sets_count = x->a->sets_count + 1,
                                  .set = x->a->set,
                                  .key = x->key,
                                  .condition = &x->condition,
                                  .label = x->label,
                                  .line_gbps = d.line_gbps,
                                  .repeats = x->s->conf.repeat,
                                  .jobs = x->a->jobs};
    if (!x->a->each)
        printf("point %s: line %.3f Gbps\n", x->label, d.line_gbps);
    return true;
}

/* An atlas has the number alone, without the neighbours. */
static int give(struct search *x)
{
    char text[SIZE_FORM_MAX];
    double form = NAN;
    size_t first = first_met(x);
    if (!size_form(x->key, &x->condition, &x->point, &form, text))
        form = NAN;
    if (x->status != EXIT_DONE)
        return x->status;
    if (first == x->count)
        return say_never(x);
    x->a->each(x->a->user, x->index, x->tried[first].value, form);
    return EXIT_DONE;
}

static int search_point(struct search *x, size_t index, FILE *table)
{
    double start;
    if (!set_point(x, index) || !set_range(x, &start))
        return EXIT_INPUT;
    bracket(x, start);
    bisect(x);
    if (x->a->each)
        return give(x);
    size_t first = first_met(x);
    if (first < x->count)
        try_neighbours(x, x->tried[first].value);
    if (x->status != EXIT_DONE)
        return x->status;
    first = first_met(x);
    bool found = first < x->count;
    double met = found ? x->tried[first].value : INFINITY;
    if (found)
        print_result(x, first);
    double form = print_form(x, met);
    if (table)
        write_tried_row(x, met, form, table);
    return found ? EXIT_DONE : say_never(x);
}

/* ---- all points ---- */

static void write_head(const struct search *x, FILE *table)
{
    fputs("point", table);
    for (size_t i = 0; i < x->s->axes_count; i++)
        fprintf(table, "\t%s", x->s->axes[i].key->name);
    fprintf(table, "\t%s\tclosed_form\trepeats\n", x->key->name);
}

static int search_points(struct search *x, FILE *table)
{
    int status = EXIT_DONE;
    if (!x->a->each)
        printf("%s: the smallest %s with %s\n", x->s->name, x->key->name, x->a->until);
    if (table)
        write_head(x, table);
    for (size_t i = 0; i < x->s->points && (status == EXIT_DONE || status == EXIT_INPUT); i++) {
        int now = search_point(x, i, table);
        status = now == EXIT_DONE ? status : now;
    }
    return status;
}

static int with_table(struct search *x)
{
    struct whole_file table;
    if (!x->a->out)
        return search_points(x, NULL);
    if (!file_begin(&table, x->a->out))
        return complain(EXIT_INPUT, "size", "this file cannot be written: %s", x->a->out);
    int status = search_points(x, table.out);
    return file_commit(&table, false)
               ? status
               : complain(EXIT_INPUT, "size", "this file cannot be written: %s", x->a->out);
}

/* The scenario with one value of the key: its own, the first of its sweep, or its default. */
static struct scenario *pin(const struct size_arguments *a, const struct key *key)
{
    char error[SCENARIO_ERROR_MAX];
    struct scenario_point point;
    struct value v;
    struct scenario *s = scenario_open(a->file, a->sets, a->sets_count, error);
    bool good = s && scenario_point(s, 0, 0, &point, error);
    const struct key *own = good ? scenario_key(s, key->name) : NULL;
    if (good && !own)
        snprintf(error, sizeof error, "%s: %s: none of its workloads has this name", a->file, key->name);
    else if (good)
        key_load(own, &point, &v);
    scenario_free(s);
    if (own)
        size_set_to(a->set, key, &v);
    s = own ? scenario_open(a->file, a->sets, a->sets_count + 1, error) : NULL;
    if (!s)
        fprintf(stderr, "%s\n", error);
    return s;
}

/* A key of the table, or one like it of a workload that the scenario will name. */
static int find_key(const char *name, const struct key **key)
{
    static struct key own;
    *key = key_find(name);
    if (!*key && key_like(name)) {
        own = *key_like(name);
        own.name = name;
        *key = &own;
    }
    if (*key && is_a_number(*key))
        return EXIT_DONE;
    const char *near = *key ? NULL : key_suggest(name);
    return complain(EXIT_INPUT, "size", "%s is %s%s%s%s", name,
                    *key ? "not a numeric key to search" : "not a key", near ? " (did you mean " : "",
                    near ? near : "", near ? "?)" : "; `iwarpsim keys` lists them");
}

int size_search(const struct size_arguments *a)
{
    struct search x = {.a = a};
    char why[SIZE_WHY_MAX];
    int status = find_key(a->find, &x.key);
    if (status != EXIT_DONE)
        return status;
    if (!size_condition_read(&x.condition, a->until, why))
        return complain(EXIT_INPUT, "size", "%s", why);
    status = read_range(&x);
    if (status != EXIT_DONE)
        return status;
    struct scenario *s = pin(a, x.key);
    x.s = s;
    status = s ? with_table(&x) : EXIT_INPUT;
    free(x.tried);
    scenario_free(s);
    return status;
}
