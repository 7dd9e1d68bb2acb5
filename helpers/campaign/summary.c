/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/campaign/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/stats.h"
#include "helpers/trial/results.h"

/* All repeats of a point. */
struct point_rows {
    size_t point; /* points: none yet */
    struct table rows;
    double *values; /* of each repeat; NaN: none */
};

struct summary {
    const struct scenario *s;
    struct rows *rows;
    char *error;
    size_t *column; /* of results.csv, by number in result_columns */
    size_t status;  /* its column */
    struct point_rows a, b;
};

static bool fetch(struct summary *m, struct point_rows *p, size_t point)
{
    if (p->point == point)
        return true;
    table_free(&p->rows);
    p->point = m->s->points;
    if (!rows_of(m->rows, point, &p->rows, m->error))
        return false;
    bool until = m->s->conf.until > 0 && p->rows.rows && p->rows.rows <= m->s->conf.repeat;
    if (until || p->rows.rows == m->s->conf.repeat)
        p->point = point;
    else
        snprintf(m->error, TABLE_ERROR_MAX, "point %zu has %zu rows of %u", point, p->rows.rows,
                 m->s->conf.repeat);
    return p->point == point;
}

static bool start(struct summary *m, const struct scenario *s, struct rows *rows, char *error)
{
    size_t repeats = s->conf.repeat;
    *m = (struct summary){.s = s, .rows = rows, .error = error};
    m->a = (struct point_rows){.point = s->points, .values = need(malloc(repeats * sizeof(double)))};
    m->b = (struct point_rows){.point = s->points, .values = need(malloc(repeats * sizeof(double)))};
    m->column = need(malloc(result_columns_count * sizeof *m->column));
    if (!fetch(m, &m->a, 0))
        return false;
    m->status = table_column(&m->a.rows, "status");
    for (size_t i = 0; i < result_columns_count; i++)
        m->column[i] = table_column(&m->a.rows, result_columns[i].name);
    return true;
}

static bool end_summary(struct summary *m, bool good)
{
    table_free(&m->a.rows);
    table_free(&m->b.rows);
    free(m->a.values);
    free(m->b.values);
    free(m->column);
    return good;
}

/* ---- values ---- */

static bool is_ok(const struct summary *m, const struct point_rows *p, size_t row)
{
    return strcmp(table_cell(&p->rows, row, m->status), "ok") == 0;
}

/* One column of all repeats of a point; NaN where there is no value. */
static void take_column(const struct summary *m, struct point_rows *p, size_t column)
{
    for (size_t r = 0; r < p->rows.rows; r++)
        if (!is_ok(m, p, r) || !table_number(&p->rows, r, m->column[column], &p->values[r]))
            p->values[r] = NAN;
}

/* Values that are there, moved to the front; how many. */
static size_t pack(double *values, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            values[n++] = values[i];
    return n;
}

/* ---- rows ---- */

static void write_stats(FILE *out, const struct column *c, const struct stats *s)
{
    fprintf(out, ",%s,%s,%zu", c->name, c->unit, s->n);
    csv_number(out, s->mean);
    csv_number(out, s->mean_low);
    csv_number(out, s->mean_high);
    putc(',', out);
    stats_mean_method(s, out);
    csv_number(out, s->median);
    csv_number(out, s->median_low);
    csv_number(out, s->median_high);
    putc(',', out);
    stats_median_method(s, out);
}

static const char stats_head[] = ",column,unit,n,mean,mean_low,mean_high,mean_method,median,median_low,"
                                 "median_high,median_method";

/* What a percentile of this point rests on is too little: in how many of its runs. */
static void write_warning(const struct summary *m, FILE *out, const struct column *c)
{
    const struct trial_percentile_needs *needs = percentile_needs(c->name);
    size_t few = 0, of = needs ? table_column(&m->a.rows, needs->count) : 0;
    char text[160] = "";
    double n;
    for (size_t r = 0; needs && r < m->a.rows.rows; r++)
        few += is_ok(m, &m->a, r) && table_number(&m->a.rows, r, of, &n) && n < needs->least;
    if (few)
        snprintf(text, sizeof text, "%zu runs have %s", few, needs->words);
    putc(',', out);
    csv_cell(out, text);
}

static bool write_means(struct summary *m, FILE *out, size_t point)
{
    char label[SCENARIO_LABEL_MAX];
    scenario_label(m->s, point, label);
    if (!fetch(m, &m->a, point))
        return false;
    for (size_t i = 0; i < result_columns_count; i++) {
        struct stats stats;
        take_column(m, &m->a, i);
        stats_of(m->a.values, pack(m->a.values, m->a.rows.rows), &stats);
        if (stats.n == 0)
            continue;
        csv_cell(out, label);
        results_write_swept(out, m->s, point);
        write_stats(out, &result_columns[i], &stats);
        write_warning(m, out, &result_columns[i]);
        putc('\n', out);
    }
    return true;
}

bool summary_write(FILE *out, const struct scenario *s, struct rows *rows, char *error)
{
    struct summary m;
    bool good = start(&m, s, rows, error);
    fputs("point", out);
    results_write_swept_head(out, s);
    fprintf(out, "%s,warning\n", stats_head);
    for (size_t i = 0; good && i < s->points; i++)
        good = write_means(&m, out, i);
    return end_summary(&m, good);
}

/* ---- differences ---- */

/* What a draw is keyed by, or what makes another world of it. */
static bool key_keeps_channel(const struct key *key)
{
    static const char *const others[] = {"seed", "world", "topology.kind", "topology.hosts",
                                         "topology.routing"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(key->name, others[i]) == 0)
            return false;
    return strncmp(key->name, "channel.", 8) != 0;
}

static bool write_pair(struct summary *m, FILE *out, size_t axis, size_t point, size_t against)
{
    char label[SCENARIO_LABEL_MAX], other[SCENARIO_LABEL_MAX];
    scenario_label(m->s, point, label);
    scenario_label(m->s, against, other);
    if (!fetch(m, &m->a, point) || !fetch(m, &m->b, against))
        return false;
    for (size_t i = 0; i < result_columns_count; i++) {
        struct stats stats;
        take_column(m, &m->a, i);
        take_column(m, &m->b, i);
        for (size_t r = 0; r < m->a.rows.rows; r++) /* what has no partner has no difference */
            m->a.values[r] -= r < m->b.rows.rows ? m->b.values[r] : NAN;
        stats_of(m->a.values, pack(m->a.values, m->a.rows.rows), &stats);
        if (stats.n == 0)
            continue;
        fprintf(out, "%s,", m->s->axes[axis].key->name);
        csv_cell(out, label);
        putc(',', out);
        csv_cell(out, other);
        write_stats(out, &result_columns[i], &stats);
        putc('\n', out);
    }
    return true;
}

/* A Read's payload goes the other way and meets other draws than that of a Send or Write. */
static bool keeps_direction(const struct scenario *s, size_t axis, size_t point, size_t against)
{
    if (strcmp(s->axes[axis].key->name, "workload.op"))
        return true;
    bool read = workload_is_asked_for((enum workload_op)scenario_value(s, point, axis)->n);
    return read == workload_is_asked_for((enum workload_op)scenario_value(s, against, axis)->n);
}

/* Each value of an axis against the first, all else the same. */
static bool write_axis(struct summary *m, FILE *out, size_t axis)
{
    size_t stride = scenario_stride(m->s, axis), count = m->s->axes[axis].count;
    for (size_t i = 0; i < m->s->points; i++) {
        size_t against = i - i / stride % count * stride;
        if (i != against && keeps_direction(m->s, axis, i, against) && !write_pair(m, out, axis, i, against))
            return false;
    }
    return true;
}

/* All keys of all cases. */
static bool cases_keep_channel(const struct scenario *s)
{
    const struct scenario_case *c;
    bool keep = true;
    for (size_t i = 0; (c = scenario_case_at(s, i)); i++)
        for (size_t k = 0; k < c->settings_count; k++)
            keep = keep && key_keeps_channel(c->settings[k].key) &&
                   strcmp(c->settings[k].key->name, "workload.op");
    return keep;
}

/* The key of an axis and those that step with it. */
static bool all_keep_channel(const struct scenario *s, size_t axis)
{
    bool keep = true;
    do {
        bool cases = strcmp(s->axes[axis].key->name, "case") == 0;
        keep = keep && (cases ? cases_keep_channel(s) : key_keeps_channel(s->axes[axis].key));
    } while (++axis < s->axes_count && s->axes[axis].zipped);
    return keep;
}

bool paired_write(FILE *out, const struct scenario *s, struct rows *rows, char *error)
{
    struct summary m;
    bool good = start(&m, s, rows, error);
    fprintf(out, "key,point,against%s\n", stats_head);
    for (size_t i = 0; good && i < s->axes_count; i++)
        good = s->axes[i].zipped || !all_keep_channel(s, i) || write_axis(&m, out, i);
    return end_summary(&m, good);
}
