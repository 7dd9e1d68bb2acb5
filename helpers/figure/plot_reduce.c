/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_reduce.c -- of more places than a page shows, as many as it does (plot.h).
 *
 * Law: points are in the order of x, and those of one bin become one point, so the points that are left are in that order, too.
 */
#include <math.h>
#include <stdlib.h>

#include "helpers/figure/plot.h"

/* Where x is on the axis; on a logarithmic one what is not above 0 has a place of its own before all others. */
static double place_of(const struct figure *f, double x)
{
    return !f->logx ? x : x > 0 ? log(x) : -INFINITY;
}

/* Bins are equally wide on the axis: 0 .. PLACES_SHOWN - 1. */
struct bins {
    double low, width;
};

static struct bins bins_of(const struct figure *f, const struct plot_series *s)
{
    size_t first = 0;
    while (f->logx && first + 1 < s->count && !(s->points[first].x > 0))
        first++;
    double low = place_of(f, s->points[first].x), high = place_of(f, s->points[s->count - 1].x);
    return (struct bins){low, (high - low) / PLACES_SHOWN};
}

static size_t bin_of(const struct figure *f, const struct bins *b, double x)
{
    double at = (place_of(f, x) - b->low) / b->width;
    return !(at > 0) ? 0 : at < PLACES_SHOWN ? (size_t)at : PLACES_SHOWN - 1;
}

/* The median of all values of `count` points at the x of the middle one, a band about all; their memory is freed. */
static bool merge(struct plot_point *to, struct plot_point *from, size_t count)
{
    struct plot_point all = {.x = from[count / 2].x};
    for (size_t i = 0; i < count; i++)
        all.n += from[i].n;
    all.values = malloc((all.n ? all.n : 1) * sizeof *all.values);
    if (!all.values)
        return false;
    for (size_t i = 0, n = 0; i < count; i++) {
        for (size_t j = 0; j < from[i].n; j++)
            all.values[n++] = from[i].values[j];
        if (from[i].drawn) {
            point_widen(&all, from[i].band_low);
            point_widen(&all, from[i].band_high);
        }
        free(from[i].values);
        from[i] = (struct plot_point){0};
    }
    stats_of(all.values, all.n, &all.stats);
    if (all.n) {
        point_widen(&all, all.stats.smallest);
        point_widen(&all, all.stats.largest);
    }
    all.stats.kind = STATS_NOTHING; /* neighbours are not repeats: no interval is claimed */
    *to = all;
    return true;
}

static bool reduce(const struct figure *f, struct plot_series *s)
{
    struct bins b = bins_of(f, s);
    size_t kept = 0;
    for (size_t i = 0, next; i < s->count; i = next) {
        size_t bin = bin_of(f, &b, s->points[i].x);
        for (next = i + 1; next < s->count && bin_of(f, &b, s->points[next].x) == bin;)
            next++;
        if (!merge(&s->points[kept], &s->points[i], next - i))
            return false;
        kept++;
    }
    s->count = kept;
    s->bars = false;
    s->band = true;
    return true;
}

bool figure_reduce(struct figure *f)
{
    for (size_t i = 0; !f->words && i < f->count; i++) {
        if (f->series[i].count <= PLACES_MANY)
            continue;
        f->reduced = f->plain = true;
        if (!reduce(f, &f->series[i]))
            return false;
    }
    return true;
}
