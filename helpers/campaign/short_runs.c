/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/campaign/short_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/campaign/enough.h"
#include "helpers/trial/results.h"

enum { NAMED = 3 };

struct short_runs {
    const struct scenario *s;
    char *head;    /* of results.csv */
    double *times; /* as long would be enough: of each point, for all its marked runs; NaN: none is marked */
};

struct short_runs *short_runs_new(const struct scenario *s)
{
    struct short_runs *t = need(calloc(1, sizeof *t));
    *t =
        (struct short_runs){.s = s, .head = row_head(s), .times = need(malloc(s->points * sizeof *t->times))};
    for (size_t i = 0; i < s->points; i++)
        t->times[i] = NAN;
    return t;
}

void short_runs_free(struct short_runs *t)
{
    free(t->head);
    free(t->times);
    free(t);
}

static double cell(struct table *t, const char *column)
{
    double number = 0;
    return table_number(t, 0, table_column(t, column), &number) ? number : 0;
}

void short_runs_note(struct short_runs *t, size_t run, const struct row *r)
{
    static const char *const drops[] = {"drops_channel", "drops_switch", "lost_on_failed_links",
                                        "drops_staging", "crc_errors"};
    struct table row;
    double sum = 0, within, *most = &t->times[run / t->s->conf.repeat];
    if (t->s->conf.repeat >= ENOUGH_LEAST || strcmp(r->status, status_names[STATUS_OK]) ||
        !row_table(t->head, r, &row))
        return;
    for (size_t i = 0; i < sizeof drops / sizeof *drops; i++)
        sum += cell(&row, drops[i]);
    if (!table_number(&row, 0, table_column(&row, "steady_within"), &within))
        within = NAN;
    if (cell(&row, "marked") > 0)
        *most = fmax(enough_times(sum, within), *most); /* a number goes before NaN */
    table_free(&row);
}

void short_runs_say(const struct short_runs *t, FILE *out)
{
    char label[SCENARIO_LABEL_MAX];
    size_t count = 0;
    double most = 0;
    for (size_t i = 0; i < t->s->points; i++) {
        if (!isnan(t->times[i]))
            count++;
        most = fmax(most, t->times[i]);
    }
    if (!count)
        return;
    fprintf(out, "note: %zu of %zu point%s marked, too short for what chance decides (", count, t->s->points,
            t->s->points == 1 ? " is" : "s are");
    for (size_t i = 0, named = 0; i < t->s->points && named < NAMED; i++)
        if (!isnan(t->times[i])) {
            scenario_label(t->s, i, label);
            fprintf(out, "%s%s", named++ ? ", " : "", label);
        }
    fputs(count > NAMED ? " ...): " : "): ", out);
    if (scenario_switches_on(t->s, key_find("measure.until_enough")))
        fputs("limit.sim or limit.wall forbids longer ones, ", out);
    else
        fprintf(out, "%.4g times as long should be enough for each (--until-enough), ", most);
    fprintf(out, "repeat: %d would show how far they differ\n", ENOUGH_LEAST);
}
