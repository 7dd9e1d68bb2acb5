/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare.c -- iwarpsim compare: two results point by point, the difference with its 95 % interval.
 *
 * Points match when the keys that either sweeps have the same values. Repeats that had the same seed met the same channel:
 * they are paired, and what is left is the difference of the two. Else it is that of two means (Welch).
 */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/gnuplot.h"
#include "helpers/base/list.h"
#include "helpers/base/quote.h"
#include "helpers/base/stats.h"
#include "helpers/base/table.h"
#include "helpers/campaign/campaign.h"
#include "helpers/command.h"
#include "helpers/trial/results.h"

static const char help[] =
    "usage: iwarpsim compare DIR DIR [--y COLUMN] [--out DIR]\n"
    "\n"
    "Compares two results: the second minus the first, at each point whose swept keys have the same values "
    "in\n"
    "both. Repeats of the same seed are paired. Prints one column, writes compare.csv with all columns, and "
    "draws\n"
    "that one as compare.svg, .png and .pdf.\n"
    "\n"
    "  --y COLUMN  column to print and draw (the first of the scenario's plot.y, else steady_gbps)\n"
    "  --out DIR   folder for the files (this folder)\n";

struct side {
    const char *dir;
    struct scenario *s;
    struct table t;
    size_t status, seed, repeat;
    size_t *start; /* of each point its first row; of one more, where they end */
};

/* Runs of one point and column, of both sides. */
struct pairing {
    double *a, *b, *difference;
    size_t n_a, n_b, pairs;
};

struct difference {
    bool paired;
    size_t n_a, n_b;
    double mean_a, mean_b, value, low, high; /* NAN: there is none */
};

struct named {
    char *name;
    size_t index;
};

struct compare {
    struct side side[2];
    struct named *second;    /* the points of the second, by name */
    const struct key **keys; /* that either sweeps */
    size_t keys_count, matched;
    bool differ; /* any of the points printed */
    const char *y, *out;
    struct pairing p;
};

/* The world of either side that only estimates this column; NULL: neither does. */
static const char *estimating(const struct compare *c, const char *column)
{
    const char *first = scenario_estimates(c->side[0].s, column);
    return first ? first : scenario_estimates(c->side[1].s, column);
}

/* ---- reading ---- */

/* Where the rows of each point start: at its repeat 0. False: they are not those of the scenario. */
static bool find_points(struct side *x)
{
    size_t points = 0;
    x->start = calloc(x->s->points + 1, sizeof *x->start);
    for (size_t row = 0; x->start && row < x->t.rows; row++)
        if (strcmp(table_cell(&x->t, row, x->repeat), "0") == 0 && points++ < x->s->points)
            x->start[points - 1] = row;
    if (!x->start || points != x->s->points)
        return false;
    x->start[points] = x->t.rows;
    return x->s->conf.until > 0 || x->t.rows == points * x->s->conf.repeat;
}

static int open_side(struct side *x, const char *dir)
{
    char path[PATH_LONG], error[SCENARIO_ERROR_MAX];
    x->dir = dir;
    file_path(path, dir, "", "scenario.yaml", "");
    x->s = campaign_open(path, error);
    if (!x->s)
        return complain(EXIT_INPUT, "compare", "%s", error);
    file_path(path, dir, "", "results.csv", "");
    if (!table_read(&x->t, path, error))
        return complain(EXIT_INPUT, "compare", "%s", error);
    x->status = table_column(&x->t, "status");
    x->seed = table_column(&x->t, "seed");
    x->repeat = table_column(&x->t, "repeat");
    bool whole =
        x->status < x->t.columns && x->seed < x->t.columns && x->repeat < x->t.columns && find_points(x);
    return whole ? EXIT_DONE
                 : complain(EXIT_INPUT, "compare", "not the results of its scenario.yaml: %s", path);
}

static void close_side(struct side *x)
{
    free(x->start);
    table_free(&x->t);
    scenario_free(x->s);
}

static bool add_key(struct compare *c, const struct key *key)
{
    for (size_t i = 0; i < c->keys_count; i++)
        if (c->keys[i] == key)
            return true;
    const struct key **more = list_grow(c->keys, c->keys_count, sizeof *more);
    if (!more)
        return false;
    c->keys = more;
    c->keys[c->keys_count++] = key;
    return true;
}

static bool gather_keys(struct compare *c)
{
    bool good = true;
    for (int i = 0; i < 2; i++)
        for (size_t j = 0; j < c->side[i].s->axes_count; j++)
            good = good && add_key(c, c->side[i].s->axes[j].key);
    return good;
}

/* ---- matching ---- */

static void point_of(const struct side *x, size_t index, struct scenario_point *p)
{
    char error[SCENARIO_ERROR_MAX];
    scenario_point(x->s, index, 0, p, error);
}

/* What a point is matched by: the values of all keys that either sweeps. malloc()ed; NULL: out of memory. */
static char *name_of_point(const struct compare *c, const struct scenario_point *p)
{
    char *name = NULL;
    size_t size;
    FILE *out = open_memstream(&name, &size);
    for (size_t i = 0; out && i < c->keys_count; i++) {
        char text[VALUE_TEXT_MAX];
        key_text(c->keys[i], p, text);
        fprintf(out, "%s\n", text);
    }
    if (out && fclose(out) != 0) {
        free(name);
        name = NULL;
    }
    return name;
}

static int compare_key_names(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static bool name_second(struct compare *c)
{
    size_t points = c->side[1].s->points;
    c->second = calloc(points, sizeof *c->second);
    for (size_t i = 0; c->second && i < points; i++) {
        struct scenario_point p;
        point_of(&c->side[1], i, &p);
        c->second[i] = (struct named){name_of_point(c, &p), i};
        if (!c->second[i].name)
            return false;
    }
    if (c->second)
        qsort(c->second, points, sizeof *c->second, compare_key_names);
    return c->second != NULL;
}

static void forget_names(struct compare *c)
{
    for (size_t i = 0; c->second && i < c->side[1].s->points; i++)
        free(c->second[i].name);
    free(c->second);
}

/* The point of the second that matches one of the first; its number of points: none. */
static size_t match(const struct compare *c, const struct scenario_point *a)
{
    struct named wanted = {name_of_point(c, a), 0}, *found = NULL;
    if (wanted.name)
        found = bsearch(&wanted, c->second, c->side[1].s->points, sizeof wanted, compare_key_names);
    free(wanted.name);
    return found ? found->index : c->side[1].s->points;
}

/* ---- differences ---- */

static bool value_of(const struct side *x, size_t row, size_t column, double *value)
{
    return column < x->t.columns && strcmp(table_cell(&x->t, row, x->status), "ok") == 0 &&
           table_number(&x->t, row, column, value);
}

static void collect(struct compare *c, size_t a, size_t b, const char *column)
{
    const struct side *x = &c->side[0], *y = &c->side[1];
    size_t repeats_a = x->start[a + 1] - x->start[a], repeats_b = y->start[b + 1] - y->start[b];
    size_t in_a = table_column(&x->t, column), in_b = table_column(&y->t, column);
    c->p.n_a = c->p.n_b = c->p.pairs = 0;
    for (size_t r = 0; r < repeats_a || r < repeats_b; r++) {
        double left, right;
        size_t row_a = x->start[a] + r, row_b = y->start[b] + r;
        bool has_a = r < repeats_a && value_of(x, row_a, in_a, &left);
        bool has_b = r < repeats_b && value_of(y, row_b, in_b, &right);
        if (has_a)
            c->p.a[c->p.n_a++] = left;
        if (has_b)
            c->p.b[c->p.n_b++] = right;
        if (has_a && has_b &&
            strcmp(table_cell(&x->t, row_a, x->seed), table_cell(&y->t, row_b, y->seed)) == 0)
            c->p.difference[c->p.pairs++] = right - left;
    }
}

static double variance(const double *values, size_t n, double mean)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return n > 1 ? sum / (double)(n - 1) : NAN;
}

/* Welch: two means, each with its own variance. */
static double welch_half(const struct pairing *p, double mean_a, double mean_b)
{
    double a = variance(p->a, p->n_a, mean_a) / (double)p->n_a,
           b = variance(p->b, p->n_b, mean_b) / (double)p->n_b;
    if (isnan(a) || isnan(b) || a + b == 0)
        return NAN;
    double degrees = (a + b) * (a + b) / (a * a / (double)(p->n_a - 1) + b * b / (double)(p->n_b - 1));
    return student_quantile(degrees < 1 ? 1 : (size_t)degrees) * sqrt(a + b);
}

static struct difference difference_of(struct compare *c, size_t a, size_t b, const char *column)
{
    struct pairing *p = &c->p;
    struct stats left, right, pairs;
    collect(c, a, b, column);
    stats_of(p->a, p->n_a, &left);
    stats_of(p->b, p->n_b, &right);
    stats_of(p->difference, p->pairs, &pairs);
    struct difference d = {.n_a = p->n_a, .n_b = p->n_b, .mean_a = left.mean, .mean_b = right.mean};
    d.paired = p->pairs && p->pairs == p->n_a && p->pairs == p->n_b;
    d.value = d.paired ? pairs.mean : p->n_a && p->n_b ? right.mean - left.mean : NAN;
    double half = d.paired ? NAN : welch_half(p, left.mean, right.mean);
    d.low = d.paired ? pairs.mean_low : d.value - half;
    d.high = d.paired ? pairs.mean_high : d.value + half;
    return d;
}

/* ---- writing ---- */

static void write_compared_row(FILE *out, const struct compare *c, const struct scenario_point *p,
                               const struct column *column, const struct difference *d)
{
    for (size_t i = 0; i < c->keys_count; i++) {
        char text[VALUE_TEXT_MAX];
        struct value v;
        key_load(c->keys[i], p, &v);
        value_bare(&v, &c->keys[i]->rules, text, sizeof text);
        csv_cell(out, text);
        putc(',', out);
    }
    fprintf(out, "%s,%s,%s%s,%zu,%zu", column->name, column->unit, d->paired ? "paired by seed" : "unpaired",
            estimating(c, column->name) ? " estimate" : "", d->n_a, d->n_b);
    double percent = d->mean_a != 0 ? 100 * d->value / fabs(d->mean_a) : NAN;
    const double numbers[] = {d->mean_a, d->mean_b, d->value, d->low, d->high, percent};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        csv_number(out, numbers[i]);
    putc('\n', out);
}

static void label_of(const struct compare *c, const struct scenario_point *p, char *label, size_t size)
{
    size_t used = 0;
    snprintf(label, size, "all");
    for (size_t i = 0; i < c->keys_count && used < size; i++) {
        char text[VALUE_TEXT_MAX];
        key_text(c->keys[i], p, text);
        used += (size_t)snprintf(label + used, size - used, "%s%s", i ? "/" : "", text);
    }
    text_make_plain(label, false);
}

static void print_row(struct compare *c, const struct scenario_point *p, const struct difference *d,
                      FILE *data)
{
    char label[SCENARIO_LABEL_MAX], interval[64] = "no interval";
    label_of(c, p, label, sizeof label);
    bool known = !isnan(d->low);
    if (known)
        snprintf(interval, sizeof interval, "%+.4g to %+.4g", d->low, d->high);
    c->differ |= d->value != 0 || (known && (d->low != 0 || d->high != 0));
    printf("%-32s %10.4g %10.4g  %+10.4g  (%s)%s\n", label, d->mean_a, d->mean_b, d->value, interval,
           known && (d->low > 0 || d->high < 0) ? " differs" : "");
    fprintf(data, "%s\t%.9g\t%.9g\t%.9g\n", label, d->value, known ? d->low : d->value,
            known ? d->high : d->value);
}

static void write_difference(struct compare *c, size_t a, size_t b, const struct scenario_point *p,
                             FILE *table, FILE *data)
{
    for (size_t i = 0; i < result_columns_count; i++) {
        const struct column *column = &result_columns[i];
        struct difference d = difference_of(c, a, b, column->name);
        if (isnan(d.value))
            continue;
        write_compared_row(table, c, p, column, &d);
        if (strcmp(column->name, c->y) == 0)
            print_row(c, p, &d, data);
    }
}

static void say_estimate(const struct compare *c)
{
    const char *world = estimating(c, c->y);
    if (world)
        printf("%s of world %s is an estimate\n", c->y, world);
}

static void write_all(struct compare *c, FILE *table, FILE *data)
{
    for (size_t i = 0; i < c->keys_count; i++)
        fprintf(table, "%s,", c->keys[i]->name);
    fputs("column,unit,method,n_first,n_second,mean_first,mean_second,difference,low,high,percent\n", table);
    fputs("point\tdifference\tlow\thigh\n", data);
    printf("%-32s %10s %10s  %10s  (95 %% interval)\n", c->y, "first", "second", "difference");
    say_estimate(c);
    for (size_t a = 0; a < c->side[0].s->points; a++) {
        struct scenario_point p;
        point_of(&c->side[0], a, &p);
        size_t b = match(c, &p);
        if (b == c->side[1].s->points)
            continue;
        c->matched++;
        write_difference(c, a, b, &p, table, data);
    }
}

/* A dot and its interval for each point, and the line of no difference. */
static void write_script(const struct compare *c, FILE *out)
{
    const struct column *column = result_column(c->y);
    char label[256];
    snprintf(label, sizeof label, "%s, second minus first (%s%s)", column->label, column->unit,
             estimating(c, c->y) ? "; an estimate" : "");
    gnuplot_name(out, "compare");
    fputs("set datafile separator '\\t'\nunset key\nset border 3 lw 0.8\nset tics nomirror out\nset grid lc "
          "rgb '#dddddd' lw 0.5 dt 1\nset offsets 0, 0, 0.5, 0.5\n"
          "set arrow 1 from 0, graph 0 to 0, graph 1 nohead lw 1\nset ylabel 'Point'\nset xlabel ",
          out);
    quote_gnuplot(out, label, strlen(label), 0);
    if (!c->differ)
        fputs("\nset xrange [-1:1]", out);
    fputs("\ndo for [kind in 'svg png pdf'] {\n"
          "    if (kind eq 'svg') { set terminal svg noenhanced size 560,420 background rgb 'white' }\n"
          "    if (kind eq 'png') { set terminal pngcairo noenhanced size 1120,840 fontscale 1.4 }\n"
          "    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 5.6in,4.2in }\n"
          "    set output name . '.' . kind\n"
          "    plot name . '.tsv' every ::1 using 2:0:3:4:ytic(1) with xerrorbars lc rgb '#000000' pt 7\n"
          "}\nunset output\n",
          out);
}

static int write_files(struct compare *c)
{
    static const char *const endings[] = {".csv", ".tsv", ".gp"};
    struct whole_file file[3];
    bool good = true;
    if (!make_folder(c->out))
        return cannot_write(EXIT_FAILED, "compare", c->out);
    for (int i = 0; i < 3; i++) {
        char path[PATH_LONG];
        file_path(path, c->out, "", "compare", endings[i]);
        if (!file_begin(&file[i], path)) {
            while (i-- > 0)
                file_abandon(&file[i]);
            return cannot_write(EXIT_FAILED, "compare", path);
        }
    }
    write_all(c, file[0].out, file[1].out);
    write_script(c, file[2].out);
    for (int i = 0; i < 3; i++)
        good &= file_end(&file[i], c->matched);
    if (!c->matched)
        return complain(EXIT_INPUT, "compare", "the two results have no point in common");
    return good ? EXIT_DONE : cannot_write(EXIT_FAILED, "compare", c->out);
}

static int compare_campaigns(struct compare *c)
{
    size_t repeats = c->side[0].s->conf.repeat + (size_t)c->side[1].s->conf.repeat;
    if (!c->y)
        c->y = result_column(c->side[0].s->conf.plot.y) ? c->side[0].s->conf.plot.y : "steady_gbps";
    if (!result_column(c->y))
        return complain(EXIT_INPUT, "compare", "not a column of results.csv: %s", c->y);
    c->p = (struct pairing){.a = malloc(repeats * sizeof(double)),
                            .b = malloc(repeats * sizeof(double)),
                            .difference = malloc(repeats * sizeof(double))};
    bool good = c->p.a && c->p.b && c->p.difference && gather_keys(c) && name_second(c);
    int status = good ? write_files(c) : EXIT_FAILED;
    free(c->p.a);
    free(c->p.b);
    free(c->p.difference);
    forget_names(c);
    free(c->keys);
    if (status != EXIT_DONE)
        return status;
    printf("%zu of %zu and %zu points match; %s/compare.csv\n", c->matched, c->side[0].s->points,
           c->side[1].s->points, c->out);
    return gnuplot_draw("compare", c->out, "compare", PICTURES_OF_PLOT);
}

static int compare_folders(struct compare *c, char **dirs)
{
    int status = open_side(&c->side[0], dirs[0]);
    if (status == EXIT_DONE)
        status = open_side(&c->side[1], dirs[1]);
    if (status == EXIT_DONE)
        status = compare_campaigns(c);
    close_side(&c->side[0]);
    close_side(&c->side[1]);
    return status;
}

static const struct argument rows[] = {
    ARGUMENT_TEXT("y", struct compare, y),
    ARGUMENT_TEXT("out", struct compare, out),
    {0},
};

int command_compare(int argc, char **argv)
{
    struct compare c = {.out = "."};
    int status = arguments_read(argc, argv, "compare", help, rows, &c);
    if (status >= 0)
        return status;
    if (optind + 2 != argc)
        return complain(EXIT_INPUT, "compare",
                        "two folders of results are required. Try `iwarpsim compare --help`");
    return compare_folders(&c, argv + optind);
}
