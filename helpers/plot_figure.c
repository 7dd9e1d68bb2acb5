/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_figure.c -- curves: medians, intervals, and the files gnuplot reads (plot.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/files.h"
#include "helpers/plot.h"
#include "helpers/value.h"

/* ---- collecting ---- */

struct plot_series *figure_series(struct figure *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->series[i].name, name) == 0)
            return &f->series[i];
    struct plot_series *more = realloc(f->series, (f->count + 1) * sizeof *more);
    if (!more)
        return NULL;
    f->series = more;
    struct plot_series *s = &more[f->count++];
    *s = (struct plot_series){.count = 0};
    snprintf(s->name, sizeof s->name, "%s", name);
    return s;
}

static bool same_place(const struct plot_point *p, double x, const char *word)
{
    return *word ? strcmp(p->name, word) == 0 : !(p->x < x) && !(x < p->x);
}

struct plot_point *series_point(struct plot_series *s, double x, const char *word)
{
    for (size_t i = 0; i < s->count; i++)
        if (same_place(&s->points[i], x, word))
            return &s->points[i];
    struct plot_point *more = realloc(s->points, (s->count + 1) * sizeof *more);
    if (!more)
        return NULL;
    s->points = more;
    struct plot_point *p = &more[s->count++];
    *p = (struct plot_point){.x = x};
    snprintf(p->name, sizeof p->name, "%s", word);
    return p;
}

bool point_add(struct plot_point *p, double y)
{
    double *more = realloc(p->values, (p->n + 1) * sizeof *more);
    if (!more)
        return false;
    p->values = more;
    more[p->n++] = y;
    return true;
}

/* ---- medians ---- */

size_t median_rank(size_t n)
{
    double chance = 1, below = 0; /* P(Binomial(n, 1/2) = k), P(... <= k) */
    size_t k = 0;
    if (n < 6)
        return 0;
    if (n > 1000) { /* normal approximation: 1.96 deviations of sqrt(n) / 2 */
        double root = 1;
        for (int i = 0; i < 64; i++)
            root = (root + (double)n / root) / 2;
        return (size_t)((double)n / 2 - 0.98 * root);
    }
    for (size_t i = 0; i < n; i++)
        chance /= 2;
    for (; below + chance <= 0.025; k++) {
        below += chance;
        chance *= (double)(n - k) / (double)(k + 1);
    }
    return k;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_x(const void *a, const void *b)
{
    return by_value(&((const struct plot_point *)a)->x, &((const struct plot_point *)b)->x);
}

static void settle_point(struct plot_point *p)
{
    size_t rank = median_rank(p->n);
    qsort(p->values, p->n, sizeof *p->values, by_value);
    p->median = (p->values[(p->n - 1) / 2] + p->values[p->n / 2]) / 2;
    p->low = p->values[rank ? rank - 1 : 0];
    p->high = p->values[rank ? p->n - rank : p->n - 1];
}

static bool has_width(const struct plot_point *p)
{
    return p->low < p->high;
}

void figure_settle(struct figure *f)
{
    for (size_t i = 0; i < f->count; i++) {
        struct plot_series *s = &f->series[i];
        for (size_t j = 0; j < s->count; j++) {
            struct plot_point *p = &s->points[j];
            settle_point(p);
            enum plot_bars bars = !has_width(p) ? BARS_NONE : median_rank(p->n) ? BARS_INTERVAL : BARS_RANGE;
            if (bars != BARS_NONE && f->bars != BARS_RANGE)
                f->bars = bars;
            f->repeats = p->n > f->repeats ? p->n : f->repeats;
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
    }
    free(f->series);
}

/* ---- the data ---- */

static void write_data(const struct figure *f, FILE *out)
{
    fputs("series\tname\tx\tmedian\tlow\thigh\tn\tplace\n", out);
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; j < f->series[i].count; j++) {
            const struct plot_point *p = &f->series[i].points[j];
            fprintf(out, "%zu\t%s\t%.15g\t%.15g\t%.15g\t%.15g\t%zu\t%s\n", i + 1, f->series[i].name, p->x,
                    p->median, p->low, p->high, p->n, p->name);
        }
}

/* ---- the script ---- */

/* Inside single quotes of gnuplot, with what its enhanced text takes for its own made harmless. */
static void write_quoted(FILE *out, const char *text)
{
    putc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', out);
        if (strchr("_^{}@&~\\", *text))
            putc('\\', out);
        putc(*text, out);
    }
    putc('\'', out);
}

static void write_label(FILE *out, const char *command, const char *text)
{
    fputs(command, out);
    write_quoted(out, text);
    putc('\n', out);
}

/* Okabe and Ito's colours in an order whose greys differ; dash and mark differ as well, for print without colour. */
static const struct {
    const char *colour;
    int dash, mark;
} styles[] = {
    {"#000000", 1, 7},  {"#D55E00", 2, 5},  {"#0072B2", 4, 9}, {"#E69F00", 1, 13},
    {"#009E73", 3, 11}, {"#CC79A7", 5, 15}, {"#56B4E9", 2, 6},
};
enum { STYLES = sizeof styles / sizeof *styles };

static const struct {
    double width, height; /* inches */
    int font;             /* points */
    double line, mark;
    const char *key;
} sizes[SIZES] = {
    [SIZE_COLUMN] = {3.4, 2.6, 8, 1.2, 0.5, "set key below samplen 2.5"},
    [SIZE_PAGE] = {7.0, 4.2, 11, 1.6, 0.8, "set key outside right center samplen 3"},
    [SIZE_SLIDE] = {10.0, 5.6, 18, 2.5, 1.2, "set key outside right center samplen 3"},
};

static void write_styles(const struct figure *f, FILE *out)
{
    for (size_t i = 0; i < f->count; i++)
        fprintf(out, "set style line %zu lc rgb '%s' dt %d pt %d lw %.1f ps %.1f\n", i + 1,
                styles[i % STYLES].colour, styles[i % STYLES].dash, styles[i % STYLES].mark,
                sizes[f->size].line, sizes[f->size].mark);
}

/* A tick at each place, with its word or its size. */
static void write_places(const struct figure *f, FILE *out)
{
    static const struct value_rules octets = {.type = VALUE_OCTETS};
    const char *between = "";
    fputs("set xtics (", out);
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; j < f->series[i].count; j++) {
            const struct plot_point *p = &f->series[i].points[j];
            struct value v = {.type = VALUE_OCTETS, .n = (uint64_t)p->x};
            char size[64];
            value_write(&v, &octets, size, sizeof size);
            fputs(between, out);
            write_quoted(out, f->words ? p->name : size);
            fprintf(out, " %.15g", p->x);
            between = ", ";
        }
    fputs(")\n", out);
}

/* Smallest and largest x; on a logarithmic axis of those above 0. */
static void span(const struct figure *f, double *low, double *high)
{
    bool any = false;
    *low = *high = 1;
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; j < f->series[i].count; j++) {
            double x = f->series[i].points[j].x;
            if (f->logx && !(x > 0))
                continue;
            *low = !any || x < *low ? x : *low;
            *high = !any || x > *high ? x : *high;
            any = true;
        }
}

static void write_range(const struct figure *f, FILE *out)
{
    double low, high;
    span(f, &low, &high);
    double room = f->words ? 0.3 : (high - low) * 0.04;
    if (f->logx)
        fprintf(out, "set logscale x%s\nset xrange [%.6g:%.6g]\n", f->octets ? " 2" : "", low / 1.1,
                high * 1.1);
    else if (room > 0)
        fprintf(out, "set xrange [%.6g:%.6g]\n", low - room, high + room);
}

static void write_ticks(const struct figure *f, FILE *out)
{
    write_range(f, out);
    if (f->words || (f->logx && f->octets))
        write_places(f, out);
    if (f->logy)
        fputs("set logscale y\n", out);
    else
        fputs("set yrange [0:*]\n", out);
}

static void write_caption(const struct figure *f, FILE *out)
{
    static const char *const bars[] = {
        [BARS_NONE] = "",
        [BARS_RANGE] = ", bars: smallest to largest",
        [BARS_INTERVAL] = ", bars: 95 % interval (order statistics)",
    };
    const char *same = f->repeats > 1 && f->bars == BARS_NONE ? ", all the same" : "";
    fprintf(out, "# points: median of %zu repeat%s%s%s\n", f->repeats, f->repeats > 1 ? "s" : "",
            bars[f->bars], same);
    if (f->repeats > 1)
        fprintf(out, "caption = 'median of %zu repeats%s%s'\n", f->repeats, bars[f->bars], same);
    else
        fputs("caption = ''\n", out);
}

/* The title and, below it and smaller, what the points are. */
static void write_title(const struct figure *f, FILE *out)
{
    fputs("set title ", out);
    if (*f->title) {
        write_quoted(out, f->title);
        fputs(" . (caption eq '' ? '' : \"\\n\") . ", out);
    }
    fputs("(caption eq '' ? '' : '{/*0.8 ' . caption . '}')\n", out);
}

static void write_settings(const struct figure *f, FILE *out)
{
    fputs("set datafile separator tab\nset border 3 lw 0.8\nset tics nomirror out\nset grid lc rgb '#dddddd' "
          "lw 0.5 dt 1\n",
          out);
    write_label(out, "set xlabel ", f->x_label);
    write_label(out, "set ylabel ", f->y_label);
    write_title(f, out);
    fprintf(out, "%s\n", sizes[f->size].key);
    if (*f->by_label)
        write_label(out, "set key title ", f->by_label);
    if (f->count < 2)
        fputs("set key off\n", out);
    write_ticks(f, out);
    write_styles(f, out);
}

static void write_plot(const struct figure *f, FILE *out)
{
    fputs("plot ", out);
    for (size_t i = 0; i < f->count; i++) {
        fprintf(out, "%sdata skip 1 using ($1 == %zu ? $3 : NaN):4 with linespoints ls %zu title ",
                i ? ", \\\n     " : "", i + 1, i + 1);
        write_quoted(out, f->series[i].name);
        if (f->bars != BARS_NONE)
            fprintf(out,
                    ", \\\n     data skip 1 using ($1 == %zu && $5 < $6 ? $3 : NaN):4:5:6 with yerrorbars ls "
                    "%zu dt 1 notitle",
                    i + 1, i + 1);
    }
    fputs("\n", out);
}

static void write_terminals(const struct figure *f, const char *name, FILE *out)
{
    double w = sizes[f->size].width, h = sizes[f->size].height;
    int font = sizes[f->size].font;
    fprintf(out,
            "set terminal svg size %.0f,%.0f font 'sans,%d' background rgb 'white'\nset output '%s.svg'\n",
            w * 96, h * 96, font * 4 / 3, name);
    write_plot(f, out);
    fprintf(out,
            "set terminal pngcairo size %.0f,%.0f font 'sans,%d' fontscale %.2f linewidth 2 pointscale "
            "2\nset output '%s.png'\nreplot\n",
            w * 200, h * 200, font, 200 / 96.0, name);
    fprintf(
        out,
        "set terminal pdfcairo size %.2fin,%.2fin font 'sans,%d'\nset output '%s.pdf'\nreplot\nset output\n",
        w, h, font, name);
}

static void write_script(const struct figure *f, const char *name, FILE *out)
{
    fprintf(out, "# Made by: %s\n# Again, in this folder: gnuplot '%s.gp'\n", f->made_by, name);
    write_caption(f, out);
    fprintf(out, "data = '%s.tsv'\n", name);
    write_settings(f, out);
    write_terminals(f, name, out);
}

bool figure_write(const struct figure *f, const char *dir, const char *name)
{
    char path[PATH_LONG];
    struct whole_file data, script;
    file_path(path, dir, "", name, ".tsv");
    bool good = file_begin(&data, path);
    if (good) {
        write_data(f, data.out);
        good = file_commit(&data, false);
    }
    if (good)
        file_path(path, dir, "", name, ".gp");
    good = good && file_begin(&script, path);
    if (good) {
        write_script(f, name, script.out);
        good = file_commit(&script, false);
    }
    if (!good)
        fprintf(stderr, "iwarpsim plot: %s cannot be written: %s\n", path, strerror(errno));
    return good;
}
