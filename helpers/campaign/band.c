/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/campaign/band.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/scenario/column.h"
#include "helpers/trial/results.h"

/* Of one column at one point. */
struct band {
    double likely, low, high; /* NaN: no value */
    uint64_t low_draw, high_draw;
    size_t draws; /* with a value */
};

size_t band_axis(const struct scenario *s)
{
    for (size_t i = 0; i < s->axes_count; i++) {
        bool leads = i + 1 < s->axes_count && s->axes[i + 1].zipped;
        if (strcmp(s->axes[i].key->name, "rnic.draw") == 0 && !s->axes[i].zipped && !leads)
            return i;
    }
    return s->axes_count;
}

/* Over the rows that are ok. */
static double mean_of(const struct table *t, size_t status, size_t column)
{
    double sum = 0, n = 0;
    for (size_t row = 0; row < t->rows; row++) {
        double value;
        if (strcmp(table_cell(t, row, status), "ok") != 0 || !table_number(t, row, column, &value))
            continue;
        sum += value;
        n++;
    }
    return n > 0 ? sum / n : NAN;
}

static void widen(struct band *b, uint64_t draw, double value)
{
    if (draw == 0)
        b->likely = value;
    if (isnan(value))
        return;
    if (b->draws == 0 || value < b->low) {
        b->low = value;
        b->low_draw = draw;
    }
    if (b->draws == 0 || value > b->high) {
        b->high = value;
        b->high_draw = draw;
    }
    b->draws++;
}

static bool widen_all(struct band *bands, uint64_t draw, struct rows *rows, size_t point, char *error)
{
    struct table t;
    if (!rows_of(rows, point, &t, error))
        return false;
    size_t status = table_column(&t, "status");
    for (size_t i = 0; i < result_columns_count; i++)
        widen(&bands[i], draw, mean_of(&t, status, table_column(&t, result_columns[i].name)));
    table_free(&t);
    return true;
}

static void write_bands(FILE *out, const struct scenario *s, size_t point, const struct band *bands)
{
    char label[SCENARIO_LABEL_MAX];
    scenario_label(s, point, label);
    for (size_t i = 0; i < result_columns_count; i++) {
        const struct band *b = &bands[i];
        if (b->draws == 0)
            continue;
        csv_cell(out, label);
        results_write_swept(out, s, point);
        fprintf(out, ",%s,%s,%zu", result_columns[i].name, result_columns[i].unit, b->draws);
        csv_number(out, b->likely);
        csv_number(out, b->low);
        fprintf(out, ",%llu", (unsigned long long)b->low_draw);
        csv_number(out, b->high);
        fprintf(out, ",%llu\n", (unsigned long long)b->high_draw);
    }
}

/* All draws of one point, which is that of the first. */
static bool write_band_point(FILE *out, const struct scenario *s, size_t axis, size_t point,
                             struct rows *rows, struct band *bands, char *error)
{
    size_t stride = scenario_stride(s, axis);
    for (size_t i = 0; i < result_columns_count; i++)
        bands[i] = (struct band){.likely = NAN, .low = NAN, .high = NAN};
    for (size_t k = 0; k < s->axes[axis].count; k++)
        if (!widen_all(bands, s->axes[axis].values[k].n, rows, point + k * stride, error))
            return false;
    write_bands(out, s, point, bands);
    return true;
}

bool band_write(FILE *out, const struct scenario *s, struct rows *rows, char *error)
{
    size_t axis = band_axis(s), stride = scenario_stride(s, axis), count = s->axes[axis].count;
    struct band *bands = need(malloc(result_columns_count * sizeof *bands));
    bool good = true;
    fputs("point", out);
    results_write_swept_head(out, s);
    fputs(",column,unit,draws,likely,low,low_draw,high,high_draw\n", out);
    for (size_t i = 0; good && i < s->points; i++)
        if (i / stride % count == 0)
            good = write_band_point(out, s, axis, i, rows, bands, error);
    free(bands);
    return good;
}
