/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot.h -- from the rows of results.csv to curves and what gnuplot draws of them.
 *
 *     plot.c         arguments, which runs           plot_rows.c     rows of results.csv -> curves
 *     plot_figure.c  curves -> medians, intervals    plot_layout.c   what stands where
 *     plot_script.c  NAME.tsv and NAME.gp            plot_series.c    tables of series/ -> curves over time
 *     plot_reduce.c  curves of many places -> few
 */
#ifndef HELPERS_FIGURE_PLOT_H
#define HELPERS_FIGURE_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "helpers/base/files.h"
#include "helpers/base/stats.h"
#include "helpers/base/table.h"
#include "helpers/scenario/column.h"
#include "helpers/scenario/scenario.h"

enum { NAME_LONG = 256, LABEL_LONG = 300, Y_MAX = 8 };

/* ---- a figure ---- */

/* One place of a curve. */
struct plot_point {
    double x;
    char name[64];  /* of a place that is a word, not a number */
    double *values; /* one per repeat */
    size_t n;
    struct stats stats;
    size_t drawn; /* values of drawn adapters beside these, from band_low to band_high */
    double band_low, band_high;
};

/* The curve of one column and one choice of what is swept beside x. */
struct plot_series {
    char group[NAME_LONG]; /* the choice in words; a group has one colour */
    struct plot_places {
        size_t *slot, slots; /* by a hash of x, the number of its point from 1; a power of two */
    } places;
    size_t number; /* of the group, in the order in which they came */
    size_t y;      /* which of the figure's columns */
    size_t count;
    struct plot_point *points;
    bool bars, band; /* some point has one; known when the figure is settled */
};

enum plot_size { SIZE_COLUMN, SIZE_PAGE, SIZE_SLIDE, SIZES };

/* Columns of the same unit share a panel; panels stand above each other. */
struct plot_y {
    char column[VALUE_TEXT_MAX], label[LABEL_LONG], unit[32];
    char curve[LABEL_LONG];   /* what the legend says: the label without the panel's value */
    char only[NAME_LONG];     /* of the panels' column: the value whose panel this is; empty: all */
    char heading[LABEL_LONG]; /* over that panel: "Offered load: 0.3" */
    size_t panel;
    bool exact; /* a closed form: a line without marks */
};

struct figure {
    char title[NAME_LONG], x_label[LABEL_LONG], by_label[LABEL_LONG];
    char made_by[2048];      /* the command that makes it again */
    bool logx, logy, words;  /* words: x is a choice */
    bool octets;             /* x is in octets */
    bool bare;               /* no caption under the title */
    bool tex;                /* NAME.tex of gnuplot's terminal tikz, and no other picture */
    bool plain;              /* lines without marks: the points are many */
    bool reduced;            /* some curve's points stand for many each: figure_reduce() */
    char caption[NAME_LONG]; /* how the points came to be; empty: as figure_method() finds */
    double y_low, y_high;    /* NAN: as the points have it */
    enum plot_size size;
    struct plot_y y[Y_MAX];
    size_t y_count, panels;
    size_t runs, marked;                 /* of those, too short for what chance decides */
    size_t unsteady;                     /* of those, without a steady rate that is drawn */
    size_t draws;                        /* of the adapter's numbers, beside the likely ones; 0: no band */
    size_t points_drawn, points_guessed; /* of the scenarios; where a guess of the adapter binds */
    char guesses[NAME_LONG];             /* which */
    char estimates[NAME_LONG];           /* columns that some world only estimates, with the world */
    char versions[NAME_LONG];            /* of what made the rows, where there are several */
    size_t count, groups;
    struct plot_series *series;
};

/* The series of that group and column, made if it is new; the point at `x` (or of that word), made if it is new. NULL: no
 * memory. */
struct plot_series *figure_series(struct figure *f, const char *group, size_t y);
struct plot_point *series_point(struct plot_series *s, double x, const char *word);
/* A new one, which no other is the same as. */
struct plot_point *series_append(struct plot_series *s, double x);
bool point_add(struct plot_point *p, double y);
/* A value that widens the band about a point. */
void point_widen(struct plot_point *p, double y);
/* All values are in: medians, intervals, points in the order of x. */
void figure_settle(struct figure *f);
/* Of a settled figure: curves of more places than a page can show get at most PLACES_SHOWN, equally far on the axis. Each has the median
 * of the values that it stands for, and a band from the least to the greatest. False: no memory. */
enum { PLACES_MANY = 2000, PLACES_SHOWN = 500 };
bool figure_reduce(struct figure *f);
void figure_free(struct figure *f);

/* How the points came to be, for the caption; true of every point. */
void figure_method(const struct figure *f, char *text, size_t size);
/* The places on the x axis, ascending, malloc()ed. NULL: no memory. */
const struct plot_point **figure_places(const struct figure *f, size_t *count);
/* A sweep that a logarithmic axis shows better: 16 times the smallest, all of it above 0 but for one 0, and its middle nearer
 * the middle of such an axis than that of a plain one. */
bool figure_spans_decades(const struct figure *f);
bool figure_has_negative_x(const struct figure *f);

/* DIR/NAME.tsv and DIR/NAME.gp, which run alone. False: the reason was printed. */
bool figure_write(const struct figure *f, const char *dir, const char *name);

/* Curves over time of a folder whose run wrote series/: a quantity of plot --what; `point`: "64KiB-r0", NULL the first. False:
 * the reason was printed. */
bool figure_over_time(struct figure *f, const char *dir, const char *what, const char *point);

/* ---- its data ---- */

/* One run: its rows and the scenario behind them. */
struct plot_run {
    const char *dir;
    struct scenario *s;
    char table[PATH_LONG];    /* the file that its rows are of */
    struct table rows;        /* run_open(): the head and one row; run_read(): what is drawn of all */
    char scenario[NAME_LONG]; /* its name */
    char name[NAME_LONG];     /* in the legend */
    char versions[NAME_LONG]; /* commits that made its rows, "a, b" */
};

struct plot_axes {
    char x[VALUE_TEXT_MAX], by[VALUE_TEXT_MAX], panels[VALUE_TEXT_MAX];
};

/* `name`: of the table below `dir`; NULL: what the scenario's plot.table says, results.csv as a rule. A folder with a manifest
 * must be as that describes it, and, unless `mixed`, of one version. False: the reason was printed. */
bool run_open(struct plot_run *r, const char *dir, const char *name, bool mixed);
/* All its rows, of the columns that a figure of these axes shows or asks. False: the reason was printed. */
bool run_read(struct plot_run *r, const struct figure *f, const struct plot_axes *axes);
void run_close(struct plot_run *r);
/* A column of results.csv, a key of the scenario, or a number that follows from its keys. */
bool run_has(const struct plot_run *r, const char *column);
/* What a run has in a column of a row; empty: nothing. */
void run_cell(const struct plot_run *r, size_t row, const char *column, char text[VALUE_TEXT_MAX]);
/* The same for people: a swept key's value has its unit. */
void run_words(const struct plot_run *r, size_t row, const char *column, char text[VALUE_TEXT_MAX]);
/* Do rows of other draws of the adapter make a band here, and not places or curves? */
bool axes_have_band(const struct plot_axes *axes, const struct key *key);
/* Names of several runs in the legend: their scenarios, or what tells their folders apart. */
void runs_name(struct plot_run *runs, int count);
/* All finished rows of the runs become points of `f`, whose columns are chosen. False: the reason was printed. */
bool runs_collect(struct figure *f, const struct plot_run *runs, int count, const struct plot_axes *axes);
/* Add to a list "a, b" in a room of `size`; cut when it is full. */
void add_words(char *list, size_t size, const char *words);
/* What is known of a column: label ("Receive window"), unit ("octets"), whether it is a closed form. */
void column_describe(const char *column, struct plot_y *y);

#endif
