/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot.h -- from the rows of results.csv to curves: medians over repeats, with their interval. */
#ifndef HELPERS_PLOT_H
#define HELPERS_PLOT_H

#include <stdbool.h>
#include <stdio.h>

/* One place of a curve. */
struct plot_point {
    double x;
    char name[64]; /* of a place that is a word, not a number */
    size_t n;      /* values, one per repeat */
    double median, low, high;
    double *values;
};

struct plot_series {
    char name[256];
    size_t count;
    struct plot_point *points;
};

/* What the bars of a figure are. */
enum plot_bars {
    BARS_NONE,    /* one value each, or all repeats the same */
    BARS_RANGE,   /* fewer than six: smallest to largest */
    BARS_INTERVAL /* 95 % interval of the median by order statistics */
};

enum plot_size { SIZE_COLUMN, SIZE_PAGE, SIZE_SLIDE, SIZES };

struct figure {
    char title[256], x_label[300], y_label[300], by_label[300];
    char made_by[512];      /* the command that makes it again */
    bool logx, logy, words; /* words: x is a choice */
    bool octets;            /* x is in octets */
    enum plot_size size;
    enum plot_bars bars;
    size_t repeats; /* most values of a point */
    size_t count;
    struct plot_series *series;
};

/* The series of that name, made if it is new; the point at `x` (or of that word), made if it is new. NULL: no memory. */
struct plot_series *figure_series(struct figure *f, const char *name);
struct plot_point *series_point(struct plot_series *s, double x, const char *word);
bool point_add(struct plot_point *p, double y);
/* All values are in: medians, intervals, points in the order of x. */
void figure_settle(struct figure *f);
void figure_free(struct figure *f);

/* DIR/NAME.tsv and DIR/NAME.gp, which run alone. False: the reason was printed. */
bool figure_write(const struct figure *f, const char *dir, const char *name);

/* The rank, from 1, of the lower end of the 95 % interval of a median of n values (order statistics); the upper end is
 * n + 1 minus it. 0: n is below six, there is no such interval. */
size_t median_rank(size_t n);

#endif
