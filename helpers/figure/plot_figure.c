/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_figure.c -- curves: medians, intervals, places (plot.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/list.h"
#include "helpers/figure/plot.h"

/* ---- collecting ---- */

struct plot_series *figure_series(struct figure *f, const char *group, size_t y)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->series[i].y == y && strcmp(f->series[i].group, group) == 0)
            return &f->series[i];
    struct plot_series *more = list_grow(f->series, f->count, sizeof *more);
    if (!more)
        return NULL;
    f->series = more;
    struct plot_series *s = &more[f->count++];
    *s = (struct plot_series){.y = y};
    snprintf(s->group, sizeof s->group, "%s", group);
    return s;
}

static size_t hash_of(double x)
{
    uint64_t bits;
    x += 0.0; /* -0 is 0 */
    memcpy(&bits, &x, sizeof bits);
    bits ^= bits >> 32; /* the low bits of a whole number are 0 */
    return (size_t)(bits * 0x9e3779b97f4a7c15 >> 32);
}

/* Where the point at x is, or where its number belongs; there is always a free slot. */
static size_t *slot_of(const struct plot_series *s, double x)
{
    size_t i = hash_of(x), mask = s->places.slots - 1;
    while (s->places.slot[i & mask]) {
        double there = s->points[s->places.slot[i & mask] - 1].x;
        if (!(there < x) && !(x < there))
            break;
        i++;
    }
    return &s->places.slot[i & mask];
}

/* At least half of the slots stay free. */
static bool make_room(struct plot_series *s)
{
    enum { LEAST = 32 };
    if (2 * (s->count + 1) <= s->places.slots)
        return true;
    size_t slots = s->places.slots ? 2 * s->places.slots : LEAST, *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(s->places.slot);
    s->places = (struct plot_places){slot, slots};
    for (size_t i = 0; i < s->count; i++)
        *slot_of(s, s->points[i].x) = i + 1;
    return true;
}

struct plot_point *series_append(struct plot_series *s, double x)
{
    struct plot_point *more = list_grow(s->points, s->count, sizeof *more);
    if (!more)
        return NULL;
    s->points = more;
    more[s->count] = (struct plot_point){.x = x};
    return &more[s->count++];
}

struct plot_point *series_point(struct plot_series *s, double x, const char *word)
{
    size_t *slot = make_room(s) ? slot_of(s, x) : NULL;
    if (slot && *slot)
        return &s->points[*slot - 1];
    struct plot_point *p = slot ? series_append(s, x) : NULL;
    if (!p)
        return NULL;
    *slot = s->count;
    snprintf(p->name, sizeof p->name, "%s", word);
    return p;
}

bool point_add(struct plot_point *p, double y)
{
    double *more = list_grow(p->values, p->n, sizeof *more);
    if (!more)
        return false;
    p->values = more;
    more[p->n++] = y;
    return true;
}

void point_widen(struct plot_point *p, double y)
{
    p->band_low = p->drawn == 0 || y < p->band_low ? y : p->band_low;
    p->band_high = p->drawn == 0 || y > p->band_high ? y : p->band_high;
    p->drawn++;
}

/* ---- settling ---- */

static int by_number(double x, double y)
{
    return (x > y) - (x < y);
}

static int by_x(const void *a, const void *b)
{
    return by_number(((const struct plot_point *)a)->x, ((const struct plot_point *)b)->x);
}

static void number_groups(struct figure *f)
{
    for (size_t i = 0; i < f->count; i++) {
        size_t j = 0;
        while (strcmp(f->series[j].group, f->series[i].group))
            j++;
        f->series[i].number = j < i ? f->series[j].number : f->groups++;
    }
}

void figure_settle(struct figure *f)
{
    number_groups(f);
    for (size_t i = 0; i < f->count; i++) {
        struct plot_series *s = &f->series[i];
        for (size_t j = 0; j < s->count; j++)
            stats_of(s->points[j].values, s->points[j].n, &s->points[j].stats);
        for (size_t j = 0; j < s->count; j++)
            if (s->points[j].drawn && s->points[j].n) /* the likely numbers are a draw, too */
                point_widen(&s->points[j], s->points[j].stats.median);
        for (size_t j = 0; j < s->count; j++) {
            s->bars |= stats_has_bar(&s->points[j].stats);
            s->band |= s->points[j].drawn > 0;
        }
        qsort(s->points, s->count, sizeof *s->points, by_x);
    }
}

void figure_free(struct figure *f)
{
    for (size_t i = 0; i < f->count; i++) {
        for (size_t j = 0; j < f->series[i].count; j++)
            free(f->series[i].points[j].values);
        free(f->series[i].points);
        free(f->series[i].places.slot);
    }
    free(f->series);
}

/* ---- how the points came to be ---- */

struct methods {
    size_t least, most; /* repeats of a point */
    size_t of[STATS_KINDS];
};

static struct methods methods_of(const struct figure *f)
{
    struct methods m = {.least = SIZE_MAX};
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; !f->y[f->series[i].y].exact && j < f->series[i].count; j++) {
            const struct stats *s = &f->series[i].points[j].stats;
            if (s->kind == STATS_NOTHING)
                continue;
            m.least = s->n < m.least ? s->n : m.least;
            m.most = s->n > m.most ? s->n : m.most;
            m.of[s->kind]++;
        }
    return m;
}

static void write_bars(const struct methods *m, FILE *out)
{
    if (m->of[STATS_FEW] && m->of[STATS_MANY])
        fputs("; bars: 95 % interval of the median (order statistics), below 6 runs smallest to largest",
              out);
    else if (m->of[STATS_MANY])
        fputs("; bars: 95 % interval of the median (order statistics)", out);
    else if (m->of[STATS_FEW])
        fputs("; bars: smallest to largest", out);
    if (m->of[STATS_FEW] + m->of[STATS_MANY] == 0 || m->of[STATS_SAME] + m->of[STATS_ONE] == 0)
        return;
    fprintf(out, "; without a bar: %s%s%s", m->of[STATS_SAME] ? "deterministic" : "",
            m->of[STATS_SAME] && m->of[STATS_ONE] ? " or " : "", m->of[STATS_ONE] ? "one run" : "");
}

static void write_repeats(const struct figure *f, const struct methods *m, FILE *out)
{
    if (m->most == 1)
        fputs("one run a point", out);
    else if (m->most && m->of[STATS_FEW] + m->of[STATS_MANY] == 0)
        fprintf(out, "deterministic: all runs of a point gave the same%s",
                m->of[STATS_ONE] ? "; some points are one run" : "");
    else if (m->most && m->least == m->most)
        fprintf(out, "median of %zu runs", m->most);
    else if (m->most)
        fprintf(out, "median of %zu to %zu runs", m->least, m->most);
    write_bars(m, out);
    if (f->draws)
        fprintf(out, "; band: least to greatest of %zu draws of the adapter's numbers from their ranges",
                f->draws);
}

void figure_method(const struct figure *f, char *text, size_t size)
{
    struct methods m = methods_of(f);
    FILE *out = fmemopen(text, size, "w");
    *text = 0;
    if (!out)
        return;
    if (*f->caption)
        fputs(f->caption, out);
    else
        write_repeats(f, &m, out);
    if (f->reduced)
        fprintf(out, "%scurves of over %d places: medians of neighbours; band: least to greatest",
                *f->caption || m.most ? "; " : "", PLACES_MANY);
    fclose(out);
}

/* ---- places ---- */

static int by_place(const void *a, const void *b)
{
    return by_number((*(const struct plot_point *const *)a)->x, (*(const struct plot_point *const *)b)->x);
}

const struct plot_point **figure_places(const struct figure *f, size_t *count)
{
    size_t room = 0, n = 0;
    for (size_t i = 0; i < f->count; i++)
        room += f->series[i].count;
    const struct plot_point **places = malloc((room ? room : 1) * sizeof *places);
    *count = 0;
    if (!places)
        return NULL;
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; j < f->series[i].count; j++)
            places[n++] = &f->series[i].points[j];
    qsort(places, n, sizeof *places, by_place);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || places[*count - 1]->x < places[i]->x)
            places[(*count)++] = places[i];
    return places;
}

enum { DECADES = 16 }; /* from so many times the smallest on */

static bool places_span_decades(const struct plot_point **place, size_t n)
{
    while (n && !(place[0]->x > 0)) { /* one 0 has a place of its own on such an axis */
        if (place[0]->x < 0)
            return false;
        place++;
        n--;
    }
    if (n < 3 || place[n - 1]->x < (double)DECADES * place[0]->x)
        return false;
    double low = place[0]->x, high = place[n - 1]->x;
    double middle = (place[(n - 1) / 2]->x + place[n / 2]->x) / 2;
    return fabs(log(middle / low) / log(high / low) - 0.5) < fabs((middle - low) / (high - low) - 0.5);
}

bool figure_spans_decades(const struct figure *f)
{
    size_t count;
    const struct plot_point **places = f->words ? NULL : figure_places(f, &count);
    bool spans = places && places_span_decades(places, count);
    free(places);
    return spans;
}

bool figure_has_negative_x(const struct figure *f)
{
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; j < f->series[i].count; j++)
            if (f->series[i].points[j].x < 0)
                return true;
    return false;
}
