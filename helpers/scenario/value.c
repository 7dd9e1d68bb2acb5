/* SPDX-License-Identifier: GPL-2.0-or-later */
/* value.c -- read and write numbers with units, choices and words (value.h). */
#include "helpers/scenario/value.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/quote.h"

__extension__ typedef unsigned __int128 wide;

struct unit {
    const char *name;
    uint64_t factor;
};

/* In each list the order is that of preference for writing: the first that divides. */
static const struct unit octet_units[] = {{"GiB", 1u << 30},  {"MiB", 1u << 20}, {"KiB", 1u << 10},
                                          {"GB", 1000000000}, {"MB", 1000000},   {"kB", 1000},
                                          {"B", 1},           {NULL, 0}};
static const struct unit rate_units[] = {
    {"Gbps", 1000000000}, {"Mbps", 1000000}, {"Kbps", 1000}, {"bps", 1}, {NULL, 0}};
static const struct unit time_units[] = {{"s", 1000000000000}, {"ms", 1000000000}, {"us", 1000000},
                                         {"ns", 1000},         {"ps", 1},          {NULL, 0}};
static const struct unit no_units[] = {{"", 1}, {NULL, 0}};
static const struct unit thousandths[] = {{"", 1000}, {NULL, 0}};

static const struct {
    const char *what;     /* "a size" */
    const char *smallest; /* the unit that a value must be a whole number of */
    const char *units;    /* as a person would list them */
    const struct unit *table;
    const char *bare;     /* unit of a bare number */
    unsigned bare_digits; /* which is 10^this of the smallest */
} types[VALUE_TYPES] = {
    [VALUE_BOOL] = {"true or false", "", "", NULL, "", 0},
    [VALUE_COUNT] = {"a whole number", "", "", no_units, "", 0},
    [VALUE_OCTETS] = {"a size", "octets", "B KiB MiB GiB kB MB GB", octet_units, "octets", 0},
    [VALUE_RATE] = {"a rate", "bits per second", "bps Kbps Mbps Gbps", rate_units, "Gbps", 9},
    [VALUE_TIME] = {"a time", "picoseconds", "ps ns us ms s", time_units, "us", 6},
    [VALUE_RATIO] = {"a number", "thousandths", "", thousandths, "", 3},
    [VALUE_REAL] = {"a number", "", "", NULL, "", 0},
    [VALUE_CHOICE] = {"one of", "", "", NULL, "", 0},
    [VALUE_TEXT] = {"text", "", "", NULL, "", 0},
};

const char *value_unit(enum value_type type)
{
    return types[type].bare;
}

static bool refuse_value(char *why, const char *what)
{
    snprintf(why, VALUE_WHY_MAX, "%s", what);
    return false;
}

/* ---- whole quantities ---- */

/* A decimal as digits * 10^-places. */
struct decimal {
    uint64_t digits;
    int places;
};

static const char *read_digits(const char *p, struct decimal *d, int places, bool *any, bool *overflow)
{
    for (; *p >= '0' && *p <= '9'; p++) {
        *any = true;
        uint64_t digit = (uint64_t)(*p - '0');
        if (d->digits > (UINT64_MAX - digit) / 10)
            *overflow = true;
        else {
            d->digits = d->digits * 10 + digit;
            d->places += places;
        }
    }
    return p;
}

/* Read a decimal at `p`; the first octet after it, or NULL when none stands there or it has too many digits. */
static const char *read_decimal(const char *p, struct decimal *d)
{
    bool any = false, overflow = false;
    *d = (struct decimal){0, 0};
    p = read_digits(p, d, 0, &any, &overflow);
    if (*p == '.')
        p = read_digits(p + 1, d, 1, &any, &overflow);
    if (!any || overflow)
        return NULL;
    if (*p == 'e' || *p == 'E') {
        char *end;
        long e = strtol(p + 1, &end, 10);
        if (end == p + 1 || e < -100 || e > 100)
            return NULL;
        d->places -= (int)e;
        p = end;
    }
    return p;
}

/* digits * factor * 10^-places when that is whole and fits. */
static bool whole(const struct decimal *d, uint64_t factor, uint64_t *out, bool *fits)
{
    wide n = (wide)d->digits * factor;
    int places = n ? d->places : 0;
    *fits = true;
    for (; places > 0; places--) {
        if (n % 10)
            return false;
        n /= 10;
    }
    for (; places < 0 && *fits; places++) {
        n *= 10;
        *fits = n <= UINT64_MAX;
    }
    *fits = *fits && n <= UINT64_MAX;
    *out = (uint64_t)n;
    return *fits;
}

static const struct unit *find_unit(const struct unit *table, const char *name)
{
    for (; table->name; table++)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}

static bool read_quantity(enum value_type type, bool bare, const char *text, uint64_t *out, char *why)
{
    struct decimal d;
    if (*text == '-')
        return refuse_value(why, "must not be negative");
    const char *rest = read_decimal(text, &d);
    if (!rest) {
        snprintf(why, VALUE_WHY_MAX, "is not %s", types[type].what);
        return false;
    }
    while (*rest == ' ')
        rest++;
    const struct unit *unit = find_unit(types[type].table, *rest || !bare ? rest : "B");
    if (!unit) {
        if (type == VALUE_COUNT || type == VALUE_RATIO)
            return refuse_value(why, "must be a number without a unit");
        return refuse_value(why, *rest ? "has an unknown unit" : "has no unit");
    }
    bool fits;
    if (whole(&d, unit->factor, out, &fits))
        return true;
    if (!fits)
        return refuse_value(why, "is too large");
    snprintf(why, VALUE_WHY_MAX, "is not a whole number%s%s", *types[type].smallest ? " of " : "",
             types[type].smallest);
    return false;
}

/* ---- the types ---- */

static bool read_bool(struct value *v, const char *text, char *why)
{
    v->n = strcmp(text, "true") == 0;
    if (v->n || strcmp(text, "false") == 0)
        return true;
    return refuse_value(why, "is neither true nor false");
}

static bool read_real(struct value *v, const struct value_rules *rules, const char *text, char *why)
{
    char *end;
    struct decimal d;
    const char *sign = *text == '-' ? text + 1 : text;
    const char *rest = read_decimal(sign, &d); /* no hexadecimal, infinity or nan */
    v->real = strtod(text, &end);
    bool percent = rules->share && rest && strcmp(rest, "%") == 0;
    if (!rest || (*rest && !percent) || end != rest || !isfinite(v->real))
        return refuse_value(why, "is not a number");
    v->real /= percent ? 100 : 1;
    return true;
}

static bool read_choice(struct value *v, const struct value_rules *rules, const char *text, char *why)
{
    for (uint64_t i = 0; i < rules->choices_end; i++) {
        if (!rules->choices[i])
            continue;
        size_t len = strlen(rules->choices[i]);
        bool argument = rules->choices[i][len - 1] == ':';
        if (argument ? strncmp(text, rules->choices[i], len) : strcmp(text, rules->choices[i]))
            continue;
        v->n = i;
        return !argument || read_quantity(VALUE_OCTETS, false, text + len, &v->argument, why);
    }
    return refuse_value(why, "is not one of the choices");
}

static bool read_text(struct value *v, const char *text, char *why)
{
    if (!text_is_plain(text))
        return refuse_value(why, "is refused: " TEXT_PLAIN_RULE);
    if (strlen(text) >= sizeof v->text)
        return refuse_value(why, "is too long");
    snprintf(v->text, sizeof v->text, "%s", text);
    return true;
}

static bool is_the_word(const struct value_rules *rules, const char *text)
{
    return rules->word && strcmp(text, rules->word) == 0;
}

/* `max` says it in figures. */
static bool is_the_most(const struct value_rules *rules, const char *text)
{
    return rules->most && strcmp(text, rules->most) == 0;
}

static bool read_unbounded(struct value *v, const struct value_rules *rules, const char *text, char *why)
{
    *v = (struct value){.type = rules->type};
    switch (rules->type) {
    case VALUE_BOOL: return read_bool(v, text, why);
    case VALUE_REAL: return read_real(v, rules, text, why);
    case VALUE_CHOICE: return read_choice(v, rules, text, why);
    case VALUE_TEXT: return read_text(v, text, why);
    default: break;
    }
    if (is_the_word(rules, text)) {
        v->n = rules->means;
        return true;
    }
    return read_quantity(rules->type, rules->bare, is_the_most(rules, text) ? rules->max : text, &v->n, why);
}

static bool below(const struct value *a, const struct value *b)
{
    return a->type == VALUE_REAL ? a->real < b->real : a->n < b->n;
}

static bool in_range(const struct value *v, const struct value_rules *rules, const char *text, char *why)
{
    struct value bound;
    if (is_the_word(rules, text))
        return true;
    if (rules->min && read_unbounded(&bound, rules, rules->min, why) && below(v, &bound))
        return refuse_value(why, "is too small");
    if (rules->max && read_unbounded(&bound, rules, rules->max, why) && below(&bound, v))
        return refuse_value(why, "is too large");
    return true;
}

bool value_read(struct value *v, const struct value_rules *rules, const char *text, char *why)
{
    return read_unbounded(v, rules, text, why) && in_range(v, rules, text, why);
}

bool value_equal(const struct value *a, const struct value *b)
{
    return a->type == b->type && a->n == b->n && a->argument == b->argument && !(a->real < b->real) &&
           !(b->real < a->real) && strcmp(a->text, b->text) == 0;
}

/* ---- writing ---- */

/* The word that a whole value is written as; NULL: it is a number. */
static const char *word_of(const struct value *v, const struct value_rules *rules)
{
    struct value most;
    char why[VALUE_WHY_MAX];
    if (rules->word && v->n == rules->means)
        return rules->word;
    bool last = rules->most && read_unbounded(&most, rules, rules->most, why) && v->n == most.n;
    return last ? rules->most : NULL;
}

static void list_choices(const struct value_rules *rules, const char *between, char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < rules->choices_end && used < size; i++) {
        const char *word = rules->choices[i];
        if (!word)
            continue;
        bool argument = word[strlen(word) - 1] == ':';
        used += (size_t)snprintf(out + used, size - used, "%s%s%s", used ? between : "", word,
                                 argument ? "SIZE" : "");
    }
}

static void append_text(char *out, size_t size, const char *format, const char *a, const char *b)
{
    size_t used = strlen(out);
    if (used < size)
        snprintf(out + used, size - used, format, a, b);
}

void value_allowed(const struct value_rules *rules, char *out, size_t size)
{
    if (rules->type == VALUE_CHOICE) {
        list_choices(rules, ", ", out, size);
        return;
    }
    snprintf(out, size, "%s", types[rules->type].what);
    if (rules->min && rules->max)
        append_text(out, size, " from %s to %s", rules->min, rules->max);
    else if (rules->min || rules->max)
        append_text(out, size, rules->min ? " of at least %s%s" : " of at most %s%s",
                    rules->min ? rules->min : rules->max, "");
    if (*types[rules->type].units)
        append_text(out, size, " (units %s%s)", types[rules->type].units,
                    rules->bare ? "; none: octets" : "");
    if (rules->word)
        append_text(out, size, rules->most ? ", %s or %s" : ", or %s%s", rules->word,
                    rules->most ? rules->most : "");
}

void value_decimal(uint64_t n, unsigned digits, char *out, size_t size)
{
    uint64_t scale = 1;
    for (unsigned i = 0; i < digits; i++)
        scale *= 10;
    int len = snprintf(out, size, "%llu", (unsigned long long)(n / scale));
    if (n % scale == 0 || len < 0 || (size_t)len >= size)
        return;
    snprintf(out + len, size - (size_t)len, ".%0*llu", (int)digits, (unsigned long long)(n % scale));
    for (char *end = out + strlen(out) - 1; *end == '0'; end--)
        *end = 0;
}

/* The shortest decimal that reads back as the same number. */
static void write_real(double real, char *out, size_t size)
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, size, "%.*g", digits, real);
        double again = strtod(out, NULL);
        if (!(again < real) && !(real < again))
            return;
    }
}

static void write_quantity(uint64_t n, enum value_type type, char *out, size_t size)
{
    const struct unit *unit = types[type].table;
    while (unit[1].name && (n == 0 || n % unit->factor))
        unit++;
    snprintf(out, size, "%llu%s", (unsigned long long)(n / unit->factor), unit->name);
}

static void write_choice(const struct value *v, const struct value_rules *rules, char *out, size_t size)
{
    const char *word = rules->choices[v->n];
    snprintf(out, size, "%s", word);
    size_t len = strlen(out);
    if (len && word[len - 1] == ':')
        write_quantity(v->argument, VALUE_OCTETS, out + len, size - len);
}

static void write_word(const struct value *v, const struct value_rules *rules, char *out, size_t size)
{
    if (v->type == VALUE_BOOL)
        snprintf(out, size, "%s", v->n ? "true" : "false");
    else if (v->type == VALUE_TEXT)
        snprintf(out, size, "%s", v->text);
    else
        write_choice(v, rules, out, size);
}

static bool is_word(enum value_type type)
{
    return type == VALUE_BOOL || type == VALUE_TEXT || type == VALUE_CHOICE;
}

void value_write(const struct value *v, const struct value_rules *rules, char *out, size_t size)
{
    if (is_word(v->type))
        write_word(v, rules, out, size);
    else if (v->type == VALUE_REAL)
        write_real(v->real, out, size);
    else if (word_of(v, rules))
        snprintf(out, size, "%s", word_of(v, rules));
    else if (v->type == VALUE_RATIO || rules->bare)
        value_decimal(v->n, types[v->type].bare_digits, out, size);
    else
        write_quantity(v->n, v->type, out, size);
}

void value_bare(const struct value *v, const struct value_rules *rules, char *out, size_t size)
{
    if (is_word(v->type))
        write_word(v, rules, out, size);
    else if (v->type == VALUE_REAL)
        write_real(v->real, out, size);
    else if (word_of(v, rules) && v->n)
        snprintf(out, size, "%s", word_of(v, rules));
    else
        value_decimal(v->n, types[v->type].bare_digits, out, size);
}

/* ---- ranges ---- */

bool value_is_range(const struct value_rules *rules, const char *text)
{
    return !is_word(rules->type) && strstr(text, "..") != NULL;
}

/* A copy of the `len` octets at `text`, without blanks around. */
static bool copy_part(char part[VALUE_TEXT_MAX], const char *text, size_t len)
{
    while (len && *text == ' ') {
        text++;
        len--;
    }
    while (len && text[len - 1] == ' ')
        len--;
    if (len == 0 || len >= VALUE_TEXT_MAX)
        return false;
    memcpy(part, text, len);
    part[len] = 0;
    return true;
}

/* One of the unit that `text` is written in. */
static bool read_one(struct value *v, const struct value_rules *rules, const char *text, char *why)
{
    char one[VALUE_TEXT_MAX];
    const char *unit = text + strspn(text, "0123456789.");
    snprintf(one, sizeof one, "1%.200s", *unit == 'e' || *unit == 'E' ? "" : unit);
    return read_unbounded(v, rules, one, why);
}

static bool read_factor(double *factor, const char *text, char *why)
{
    struct value v;
    const struct value_rules real = {.type = VALUE_REAL};
    if (!read_unbounded(&v, &real, text, why))
        return false;
    *factor = v.real;
    return v.real > 1 || refuse_value(why, "needs a factor above 1");
}

static bool is_step(const struct value *v)
{
    return v->type == VALUE_REAL ? v->real > 0 : v->n > 0;
}

/* 0.30000000000000004 is 0.3: what fifteen digits say. */
static double shortest(double real)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", real);
    return strtod(text, NULL);
}

bool value_range_read(struct value_range *r, const struct value_rules *rules, const char *text, char *why)
{
    char first[VALUE_TEXT_MAX], last[VALUE_TEXT_MAX], step[VALUE_TEXT_MAX];
    const char *dots = strstr(text, ".."), *rest = dots + 2, *by = strstr(rest, " by "),
               *times = strstr(rest, " x ");
    const char *end = by ? by : times ? times : rest + strlen(rest);
    *r = (struct value_range){.rules = rules};
    if (!copy_part(first, text, (size_t)(dots - text)) || !copy_part(last, rest, (size_t)(end - rest)))
        return refuse_value(why, "lacks an end");
    if (!value_read(&r->first, rules, first, why) || !value_read(&r->last, rules, last, why))
        return false;
    if (below(&r->last, &r->first))
        return refuse_value(why, "goes down");
    if (by)
        return (copy_part(step, by + 4, strlen(by + 4)) && read_unbounded(&r->step, rules, step, why) &&
                is_step(&r->step)) ||
               refuse_value(why, "has a step of zero");
    if (times)
        return (copy_part(step, times + 3, strlen(times + 3)) && read_factor(&r->factor, step, why)) &&
               (is_step(&r->first) || refuse_value(why, "multiplies 0"));
    return read_one(&r->step, rules, first, why);
}

bool value_range_has(const struct value_range *r, const struct value *v)
{
    return v->type == VALUE_REAL ? v->real <= r->last.real * (1 + 1e-12) : v->n <= r->last.n;
}

/* From the first, not from the one before: sums of decimals drift. */
struct value value_range_next(struct value_range *r, const struct value *v)
{
    struct value next = *v;
    double times = r->factor > 0 ? pow(r->factor, ++r->count) : ++r->count;
    if (v->type == VALUE_REAL)
        next.real = r->factor > 0 ? r->first.real * times : r->first.real + r->step.real * times;
    else if (r->factor > 0)
        next.n =
            (double)r->first.n * times < 1.8e19 ? (uint64_t)((double)r->first.n * times + 0.5) : UINT64_MAX;
    else
        next.n = r->step.n > UINT64_MAX - v->n ? UINT64_MAX : v->n + r->step.n;
    if (v->type == VALUE_REAL)
        next.real = shortest(next.real);
    return next;
}

void value_alternatives(const char *words, char *out, size_t size)
{
    size_t used = 0;
    for (const char *w = words, *next; w && used < size; w = next) {
        next = strchr(w, ' ');
        int length = next ? (int)(next++ - w) : (int)strlen(w);
        const char *comma = w == words ? "" : next ? ", " : " or ";
        used += (size_t)snprintf(out + used, size - used, "%s%.*s", comma, length, w);
    }
}
