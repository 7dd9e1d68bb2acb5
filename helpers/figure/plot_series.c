/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_series.c -- curves over time, from the tables of `run --series` (plot.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/list.h"
#include "helpers/figure/plot.h"

enum { SHOWN = 8 };

/* `zero`: where nothing is written, it is 0; else it is as before. */
static const struct quantity {
    const char *what, *table, *column, *who, *label, *unit;
    bool zero;
} quantities[] = {
    {"goodput", "flow", "goodput_gbps", "flow", "Goodput", "Gbps", true},
    {"rate", "flow", "rate_gbps", "flow", "Sending rate", "Gbps", true},
    {"cwnd", "flow", "cwnd_bytes", "flow", "Congestion window", "octets", false},
    {"flight", "flow", "flight", "flow", "In flight", "", false},
    {"window", "flow", "window_bytes", "flow", "Receive window", "octets", false},
    {"holes", "flow", "holes", "flow", "Missing in holes", "", true},
    {"queue", "link", "queue_bytes", "name", "Queue", "octets", true},
    {"link", "link", "rate_gbps", "name", "Rate on the link", "Gbps", true},
    {"staging", "host", "staging_bytes", "host", "Staging", "octets", true},
    {"jain", "total", "jain", NULL, "Jain's index of goodputs", "", false},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

static const struct quantity *quantity_of(const char *what)
{
    for (int i = 0; i < QUANTITIES; i++)
        if (strcmp(quantities[i].what, what) == 0)
            return &quantities[i];
    return NULL;
}

/* ---- which file ---- */

struct over_time {
    const struct quantity *q;
    struct table rows;
    size_t t, who, value; /* columns */
    double interval;
    struct curve {
        const char *who;
        double sum;
        bool shown;
    } * curve;
    size_t curves;
};

/* The one that is asked for, or the first; how many there are. */
static size_t choose_file(const char *dir, const struct quantity *q, const char *point, char path[PATH_LONG],
                          char chosen[NAME_LONG])
{
    char folder[PATH_LONG], ending[24], **names;
    file_path(folder, dir, "", "series", "");
    snprintf(ending, sizeof ending, ".%s.csv", q->table);
    size_t count = files_in(folder, ending, &names);
    *path = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]) - strlen(ending);
        bool same = !point || (strlen(point) == length && strncmp(point, names[i], length) == 0);
        if (same && !*path) {
            file_path(path, folder, "", names[i], "");
            snprintf(chosen, NAME_LONG, "%.*s", (int)length, names[i]);
        }
        free(names[i]);
    }
    free(names);
    return count;
}

static bool open_table(struct over_time *o, struct figure *f, const char *dir, const char *point)
{
    char path[PATH_LONG], chosen[NAME_LONG] = "", error[TABLE_ERROR_MAX];
    size_t count = choose_file(dir, o->q, point, path, chosen);
    if (!count)
        return complain(false, "plot", "%s has no series of %ss; `iwarpsim run --series 10us` writes them",
                        dir, o->q->table);
    if (!*path)
        return complain(false, "plot", "%s/series has no point %s; its files are called POINT-rREPEAT", dir,
                        point);
    if (!table_read(&o->rows, path, error))
        return complain(false, "plot", "%s", error);
    o->t = table_column(&o->rows, "t_us");
    o->value = table_column(&o->rows, o->q->column);
    o->who = o->q->who ? table_column(&o->rows, o->q->who) : o->t;
    if (o->t == o->rows.columns || o->value == o->rows.columns || o->who == o->rows.columns)
        return complain(false, "plot", "%s has no column %s", path, o->q->column);
    snprintf(f->caption, sizeof f->caption, "%.100s", chosen);
    return true;
}

/* ---- which curves ---- */

/* Rows go through them in turn: it is that behind `last` as a rule. NULL: no memory. */
static struct curve *curve_of(struct over_time *o, const char *who, size_t last)
{
    for (size_t i = 0; i < o->curves; i++) {
        struct curve *c = &o->curve[(last + 1 + i) % o->curves];
        if (strcmp(c->who, who) == 0)
            return c;
    }
    struct curve *more = list_grow(o->curve, o->curves, sizeof *more);
    if (!more)
        return NULL;
    o->curve = more;
    more[o->curves] = (struct curve){.who = who};
    return &more[o->curves++];
}

static const char *who_of(const struct over_time *o, size_t row)
{
    return o->q->who ? table_cell(&o->rows, row, o->who) : "";
}

static bool find_curves(struct over_time *o)
{
    double before = 0, t, value;
    size_t last = 0;
    o->interval = INFINITY;
    for (size_t row = 0; row < o->rows.rows; row++) {
        struct curve *c = curve_of(o, who_of(o, row), last);
        if (!c)
            return complain(false, "plot", "out of memory");
        last = (size_t)(c - o->curve);
        c->sum += table_number(&o->rows, row, o->value, &value) ? value : 0;
        if (!table_number(&o->rows, row, o->t, &t))
            return complain(false, "plot", "the series has a row without a time");
        o->interval = t > before && t - before < o->interval ? t - before : o->interval;
        before = t;
    }
    return o->curves || complain(false, "plot", "nothing to draw: the run was shorter than an interval");
}

/* Those with the most; what is left out is said. */
static void show_curves(struct over_time *o, struct figure *f)
{
    size_t shown = 0;
    for (int i = 0; i < SHOWN; i++) {
        struct curve *most = NULL;
        for (size_t k = 0; k < o->curves; k++)
            if (!o->curve[k].shown && (!most || o->curve[k].sum > most->sum))
                most = &o->curve[k];
        if (!most || (i && !(most->sum > 0)))
            break;
        most->shown = true;
        shown++;
    }
    size_t used = strlen(f->caption);
    if (o->curves > shown)
        snprintf(f->caption + used, sizeof f->caption - used, "; of %zu %ss the %zu with %s", o->curves,
                 o->q->table, shown, shown < SHOWN ? "any" : "the most");
    used = strlen(f->caption);
    snprintf(f->caption + used, sizeof f->caption - used, "; every %.6g us", o->interval);
}

/* ---- points ---- */

static bool append(struct plot_series *s, double t, double value)
{
    struct plot_point *p = series_append(s, t);
    return (p && point_add(p, value)) || complain(false, "plot", "out of memory");
}

/* Behind a gap; of what is 0 there both its ends are told. */
static bool append_behind(const struct over_time *o, struct plot_series *s, double t, double value)
{
    double before = s->count ? s->points[s->count - 1].x : t;
    bool gap = o->q->zero && t - before > 1.5 * o->interval;
    if (gap && !(append(s, before + o->interval, 0) && append(s, t - o->interval, 0)))
        return false;
    return append(s, t, value);
}

static void group_name(const struct over_time *o, const char *who, char name[NAME_LONG])
{
    bool number = o->q->who && strcmp(o->q->who, o->q->table) == 0;
    snprintf(name, NAME_LONG, "%s%s%s", number ? o->q->table : "", number ? " " : "", who);
}

static bool add_points(const struct over_time *o, struct figure *f)
{
    for (size_t i = 0; i < o->curves; i++) {
        char name[NAME_LONG];
        group_name(o, o->curve[i].who, name);
        struct plot_series *s = o->curve[i].shown ? figure_series(f, name, 0) : NULL;
        for (size_t row = 0; s && row < o->rows.rows; row++) {
            double t, value;
            if (strcmp(who_of(o, row), o->curve[i].who) == 0 && table_number(&o->rows, row, o->t, &t) &&
                table_number(&o->rows, row, o->value, &value) && !append_behind(o, s, t, value))
                return false;
        }
    }
    return true;
}

/* From where on Jain's index stays at 0.95, which is taken for fair (of flows that have anything to place). */
static void say_fair(const struct over_time *o, struct figure *f)
{
    enum { FAIR = 95 };
    double t = 0, value, from = 0;
    bool fair = false;
    for (size_t row = 0; row < o->rows.rows; row++) {
        if (!table_number(&o->rows, row, o->value, &value) || !table_number(&o->rows, row, o->t, &t))
            continue;
        from = value * 100 >= FAIR && !fair ? t - o->interval : from;
        fair = value * 100 >= FAIR;
    }
    size_t used = strlen(f->caption);
    snprintf(f->caption + used, sizeof f->caption - used,
             fair ? "; at least 0.95 from %.6g us on" : "; below 0.95 at the end, %.6g us", fair ? from : t);
}

bool figure_over_time(struct figure *f, const char *dir, const char *what, const char *point)
{
    struct over_time o = {.q = quantity_of(what)};
    struct plot_y *y = &f->y[0];
    *y = (struct plot_y){.panel = 0};
    snprintf(y->column, sizeof y->column, "%s", o.q->what);
    snprintf(y->label, sizeof y->label, "%s", o.q->label);
    snprintf(y->curve, sizeof y->curve, "%s", o.q->label);
    snprintf(y->unit, sizeof y->unit, "%s", o.q->unit);
    f->y_count = f->panels = 1;
    f->plain = true;
    bool good = open_table(&o, f, dir, point) && find_curves(&o);
    if (good) {
        show_curves(&o, f);
        if (!o.q->who)
            say_fair(&o, f);
        good = add_points(&o, f);
    }
    free(o.curve);
    table_free(&o.rows);
    return good;
}
