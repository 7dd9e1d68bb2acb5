/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/campaign/enough.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/stats.h"
#include "helpers/trial/results.h"

struct enough {
    const struct scenario *s;
    char *head;       /* of results.csv */
    uint32_t *taken;  /* of each point: so many repeats, so far */
    bool *wide;       /* of each point: `most` of them are not enough */
    double *value;    /* of each run; NaN: none */
    double *together; /* room for those of a point */
};

char *row_head(const struct scenario *s)
{
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));
    results_write_head(out, s);
    need(fclose(out) == 0 ? text : NULL);
    return text;
}

bool row_table(const char *head, const struct row *r, struct table *t)
{
    char error[TABLE_ERROR_MAX], *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));
    fputs(head, out);
    fwrite(r->section[ROW_LINE].octets, 1, r->section[ROW_LINE].size, out);
    return fclose(out) == 0 && table_parse(t, "results.csv", text, size, error); /* which takes `text` */
}

struct enough *enough_new(const struct scenario *s)
{
    size_t most = s->conf.repeat, runs = s->points * most;
    struct enough *e = need(calloc(1, sizeof *e));
    *e = (struct enough){.s = s,
                         .head = row_head(s),
                         .taken = need(calloc(s->points, sizeof *e->taken)),
                         .wide = need(calloc(s->points, sizeof *e->wide)),
                         .value = need(malloc(runs * sizeof *e->value)),
                         .together = need(malloc(most * sizeof *e->together))};
    for (size_t i = 0; i < s->points; i++)
        e->taken[i] = ENOUGH_LEAST;
    for (size_t i = 0; i < runs; i++)
        e->value[i] = NAN;
    return e;
}

void enough_free(struct enough *e)
{
    if (!e)
        return;
    free(e->head);
    free(e->taken);
    free(e->wide);
    free(e->value);
    free(e->together);
    free(e);
}

void enough_note(struct enough *e, size_t run, const struct row *r)
{
    struct table t;
    if (strcmp(r->status, status_names[STATUS_OK]) || !row_table(e->head, r, &t))
        return;
    table_number(&t, 0, table_column(&t, e->s->conf.until_of), &e->value[run]);
    table_free(&t);
}

bool enough_takes(const struct enough *e, size_t run)
{
    return run % e->s->conf.repeat < e->taken[run / e->s->conf.repeat];
}

/* Half of the interval of the first n values of a point, as a share of their mean. */
static double share_of(struct enough *e, size_t point, uint32_t n)
{
    struct stats s;
    size_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        double value = e->value[point * e->s->conf.repeat + i];
        if (!isnan(value))
            e->together[count++] = value;
    }
    stats_of(e->together, count, &s);
    return s.kind == STATS_SAME ? 0 : (s.mean_high - s.mean_low) / 2 / fabs(s.mean);
}

/* By how many to go on: half of those that are missing if they vary as these do, not more than there are. */
static uint32_t repeats_to_add(double share, double until, uint32_t n)
{
    double missing = n * (share / until) * (share / until) - n;
    return !(missing > 2) ? 1 : missing / 2 < n ? (uint32_t)(missing / 2) : n;
}

static bool all_done(const struct enough *e, size_t point, const bool *done)
{
    bool all = true;
    for (uint32_t i = 0; i < e->taken[point]; i++)
        all &= done[point * e->s->conf.repeat + i];
    return all;
}

/* True: it takes more than it has. */
static bool point_more(struct enough *e, size_t point, const bool *done)
{
    uint32_t most = e->s->conf.repeat, have = e->taken[point];
    double share = NAN, until = e->s->conf.until;
    if (!all_done(e, point, done))
        return false; /* one of them failed: that is what there is to say */
    for (uint32_t n = ENOUGH_LEAST; n <= have; n++)
        if ((share = share_of(e, point, n)) <= until) {
            e->taken[point] = n;
            return false;
        }
    e->wide[point] = have == most;
    uint32_t more = isnan(share) ? 1 : repeats_to_add(share, until, have);
    e->taken[point] = more < most - have ? have + more : most;
    return have < most;
}

bool enough_more(struct enough *e, const bool *done)
{
    bool more = false;
    for (size_t i = 0; i < e->s->points; i++)
        more |= point_more(e, i, done);
    return more;
}

size_t enough_wide(const struct enough *e)
{
    size_t count = 0;
    for (size_t i = 0; i < e->s->points; i++)
        count += e->wide[i];
    return count;
}
