/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_rows.c -- rows of results.csv to curves (plot.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/quote.h"
#include "helpers/campaign/campaign.h"
#include "helpers/campaign/manifest_read.h"
#include "helpers/figure/plot.h"
#include "helpers/scenario/binding.h"
#include "helpers/trial/results.h"

void add_words(char *list, size_t size, const char *words)
{
    size_t used = strlen(list), len = strlen(words);
    const char *between = used ? ", " : "";
    if (used + strlen(between) >= size)
        return;
    size_t room = size - used - strlen(between) - 1;
    memcpy(list + used, between, strlen(between));
    used += strlen(between);
    len = len < room ? len : room;
    memcpy(list + used, words, len);
    list[used + len] = 0;
}

static bool out_of_memory(void)
{
    return complain(false, "plot", "out of memory");
}

/* ---- columns ---- */

/* Columns of the tables below dist/. */
static const struct {
    const char *name, *label, *unit;
} others[] = {
    {"from_octets", "Message size", "octets"},
    {"mean", "Mean slowdown", ""},
    {"p50", "Median slowdown", ""},
    {"p99", "99th percentile of slowdown", ""},
    {"from_us", "Time", "us"},
    {"n", "Messages", "messages"},
    {"workload", "Workload", ""},
};
enum { OTHERS = sizeof others / sizeof *others };

void column_describe(const char *column, struct plot_y *y)
{
    const struct key *key = key_like(column);
    const struct column *c = result_column(column);
    const struct column *d = derived_column(column);
    const char *label = key ? key_label(key) : c ? c->label : d ? d->label : column;
    const char *unit = key ? value_unit(key->rules.type) : c ? c->unit : d ? d->unit : "";
    for (int i = 0; i < OTHERS && !key && !c && !d; i++)
        if (strcmp(others[i].name, column) == 0) {
            label = others[i].label;
            unit = others[i].unit;
        }
    char load[KEY_LOAD_NAME_MAX] = "";
    bool of_hosts = !key_names_load(column, load) && key_names_hosts(column, load);
    *y = (struct plot_y){.exact = d != NULL};
    snprintf(y->column, sizeof y->column, "%s", column);
    snprintf(y->label, sizeof y->label, "%s%s%s", label, *load ? of_hosts ? " of host " : " of " : "", load);
    memcpy(y->curve, y->label, sizeof y->curve);
    snprintf(y->unit, sizeof y->unit, "%s", strcmp(unit, "1") == 0 ? "" : unit);
}

/* ---- a run ---- */

/* Whether the table is in the folder itself, wherever links lead; one that is not there is said later. */
static bool is_inside(const char *dir, const char *path)
{
    char folder[PATH_LONG], file[PATH_LONG];
    if (!realpath(dir, folder) || !realpath(path, file))
        return true;
    size_t len = strlen(folder);
    return strncmp(folder, file, len) == 0 && (file[len] == '/' || len == 1);
}

/* What a run with --columns writes in place of NAME.csv. */
static bool has_columns(const struct plot_run *r, const char *name, char columns[PATH_LONG])
{
    size_t len = strlen(name);
    if (len < 5 || strcmp(name + len - 4, ".csv"))
        return false;
    char path[PATH_LONG];
    snprintf(columns, PATH_LONG, "%.*s.cols", (int)(len - 4), name);
    file_path(path, r->dir, "", columns, "");
    return file_exists(path);
}

static bool open_table(struct plot_run *r, const char *name)
{
    char *path = r->table, error[TABLE_ERROR_MAX];
    file_path(path, r->dir, "", name, "");
    if (*name == '/' || strstr(name, "..") || !is_inside(r->dir, path))
        return complain(false, "plot", "%s: the table '%s' is not in that folder", r->dir, name);
    bool partial = strcmp(name, "results.csv") == 0 && !file_exists(path);
    if (partial)
        file_path(path, r->dir, "", "results.partial.csv", "");
    if (partial && !file_exists(path))
        return complain(false, "plot", "%s holds neither results.csv nor results.partial.csv", r->dir);
    char columns[PATH_LONG];
    if (!file_exists(path) && has_columns(r, name, columns))
        return complain(false, "plot", "%s is not there; the run wrote this table as columns: --table %s",
                        path, columns);
    if (!table_read_head(&r->rows, path, error))
        return complain(false, "plot", "%s", error);
    if (table_column(&r->rows, "point") == r->rows.columns)
        return complain(false, "plot", "%s lacks the column point", path);
    return !partial || complain(true, "plot", "%s is not finished: drawing what is there", r->dir);
}

/* What warnings, captions and names of curves ask besides what is drawn. */
static const char *const always[] = {"point", "status", "marked", "steady_gbps", "goodput_gbps"};
enum { ALWAYS = sizeof always / sizeof *always };

bool run_read(struct plot_run *r, const struct figure *f, const struct plot_axes *axes)
{
    char error[TABLE_ERROR_MAX];
    size_t n = ALWAYS;
    const char **wanted = calloc(ALWAYS + 4 + 2 * f->y_count + r->s->axes_count, sizeof *wanted);
    if (!wanted)
        return out_of_memory();
    memcpy(wanted, always, sizeof always);
    wanted[n++] = axes->x;
    wanted[n++] = axes->by;
    wanted[n++] = axes->panels;
    for (size_t y = 0; y < f->y_count; y++) {
        const struct trial_percentile_needs *needs = percentile_needs(f->y[y].column);
        wanted[n++] = f->y[y].column;
        if (needs)
            wanted[n++] = needs->count;
    }
    for (size_t i = 0; i < r->s->axes_count; i++)
        wanted[n++] = r->s->axes[i].key->name;
    table_free(&r->rows);
    bool good = table_read_columns(&r->rows, r->table, wanted, error);
    free(wanted);
    return good || complain(false, "plot", "%s", error);
}

/* The scenario's name. */
static bool name_run(struct plot_run *r, const char *scenario)
{
    size_t column = table_column(&r->rows, "scenario");
    bool told = column < r->rows.columns && r->rows.rows;
    char *claimed = campaign_name(scenario);
    snprintf(r->name, sizeof r->name, "%s",
             claimed ? claimed
             : told  ? table_cell(&r->rows, 0, column)
                     : "results");
    memcpy(r->scenario, r->name, sizeof r->scenario);
    free(claimed);
    if (name_is_safe(r->name))
        return true;
    text_make_plain(r->name, false);
    fprintf(stderr, "iwarpsim plot: %s names its scenario '%s': " NAME_SAFE_RULE "\n", scenario, r->name);
    return false;
}

static bool says_changed(const struct manifest_read *m, const char *dir, const char *name)
{
    enum manifest_file_state state = manifest_state(m, dir, name);
    if (state == FILE_SAME)
        return false;
    if (state == FILE_UNREADABLE)
        return complain(true, "plot", "%s/%s cannot be read: %s", dir, name, strerror(errno));
    return complain(true, "plot",
                    "%s/%s is not the file that its manifest.json describes; `iwarpsim verify` lists what "
                    "changed, and `iwarpsim run` with this --out makes it again",
                    dir, name);
}

enum { COMMIT_SHOWN = 12 }; /* digits */

/* Its first digits; whatever a stranger's manifest holds, no more than a word. */
static void add_commit(struct plot_run *r, const char *commit)
{
    char shown[COMMIT_SHOWN + 1];
    size_t len = strspn(commit, "0123456789abcdefghijklmnopqrstuvwxyz");
    snprintf(shown, sizeof shown, "%.*s", len < COMMIT_SHOWN ? (int)len : COMMIT_SHOWN, commit);
    if (*shown && !strstr(r->versions, shown))
        add_words(r->versions, sizeof r->versions, shown);
}

static bool is_one_version(struct plot_run *r, const struct manifest_read *m, bool mixed)
{
    for (size_t i = 0; i < m->versions; i++)
        add_commit(r, m->version[i].commit);
    if (mixed || !manifest_is_mixed(m))
        return true;
    return complain(false, "plot",
                    "%s holds rows of several versions (%s): --mixed draws them, and says so in the caption",
                    r->dir, r->versions);
}

/* Is a finished folder as its manifest describes it, scenario and table? One without a manifest says nothing of itself. */
static bool is_as_described(struct plot_run *r, const char *table, bool mixed)
{
    char path[PATH_LONG], error[512];
    struct manifest_read m;
    file_path(path, r->dir, "", "manifest.json", "");
    if (!file_exists(path))
        return true;
    if (!manifest_read(&m, path, error))
        return complain(false, "plot", "%s", error);
    bool good = !says_changed(&m, r->dir, "scenario.yaml") && !says_changed(&m, r->dir, table) &&
                is_one_version(r, &m, mixed);
    manifest_read_free(&m);
    return good;
}

bool run_open(struct plot_run *r, const char *dir, const char *name, bool mixed)
{
    char path[PATH_LONG], error[SCENARIO_ERROR_MAX];
    r->dir = dir;
    file_path(path, dir, "", "scenario.yaml", "");
    if (!file_exists(path))
        return complain(false, "plot", "%s holds no scenario.yaml, so it is not a folder of results", dir);
    r->s = scenario_open(path, NULL, 0, error);
    if (!r->s) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    const char *planned = *r->s->conf.plot.table ? r->s->conf.plot.table : "results.csv";
    const char *table = name ? name : planned;
    return open_table(r, table) && name_run(r, path) && is_as_described(r, table, mixed);
}

void run_close(struct plot_run *r)
{
    table_free(&r->rows);
    scenario_free(r->s);
}

bool run_has(const struct plot_run *r, const char *column)
{
    const struct key *key = scenario_key(r->s, column);
    return table_column(&r->rows, column) < r->rows.columns || (key && key->of == KEY_POINT) ||
           derived_column(column);
}

/* Octets up to and with the last '/' that all folders have in common. */
static size_t common_folders(const struct plot_run *runs, int count)
{
    size_t common = 0;
    for (size_t n = 0; runs[0].dir[n]; n++) {
        for (int i = 1; i < count; i++)
            if (runs[i].dir[n] != runs[0].dir[n])
                return common;
        common = runs[0].dir[n] == '/' ? n + 1 : common;
    }
    return common;
}

void runs_name(struct plot_run *runs, int count)
{
    bool same = false;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            same |= strcmp(runs[i].name, runs[j].name) == 0;
    if (!same)
        return;
    size_t common = common_folders(runs, count);
    for (int i = 0; i < count; i++) {
        const char *rest = runs[i].dir + common;
        size_t len = strlen(rest);
        while (len > 1 && rest[len - 1] == '/')
            len--;
        snprintf(runs[i].name, sizeof runs[i].name, "%.*s", (int)len, len ? rest : runs[i].dir);
    }
}

/* ---- cells ---- */

/* The value of an axis in a row that has it in a column; NULL when the row was not made by this scenario. */
static const struct value *written_value(const struct plot_run *r, size_t row, size_t axis, size_t column)
{
    const struct scenario_axis *a = &r->s->axes[axis];
    for (size_t i = 0; i < a->count; i++) {
        char text[VALUE_TEXT_MAX];
        value_bare(&a->values[i], &a->key->rules, text, sizeof text);
        if (strcmp(text, table_cell(&r->rows, row, column)) == 0)
            return &a->values[i];
    }
    return NULL;
}

/* The same; a row without that column says it by its point. */
static const struct value *axis_value(const struct plot_run *r, size_t row, size_t axis)
{
    size_t column = table_column(&r->rows, r->s->axes[axis].key->name);
    bool alone = !r->s->axes[axis].zipped && (axis + 1 == r->s->axes_count || !r->s->axes[axis + 1].zipped);
    if (alone && column < r->rows.columns) /* in a zip a value may come twice */
        return written_value(r, row, axis, column);
    size_t index = scenario_find(r->s, table_cell(&r->rows, row, table_column(&r->rows, "point")));
    return index < r->s->points ? scenario_value(r->s, index, axis) : NULL;
}

/* The number of a row's point. */
static bool point_of(const struct plot_run *r, size_t row, struct scenario_point *point)
{
    size_t index = 0;
    char error[SCENARIO_ERROR_MAX];
    for (size_t i = 0; i < r->s->axes_count; i++) {
        const struct value *v = axis_value(r, row, i);
        if (!v)
            return false;
        if (r->s->axes[i].zipped)
            continue;
        index = index * r->s->axes[i].count + (size_t)(v - r->s->axes[i].values);
    }
    scenario_point(r->s, index, 0, point, error);
    return true;
}

static void computed_cell(const struct scenario *s, const char *column, const struct scenario_point *point,
                          char text[VALUE_TEXT_MAX])
{
    const struct column *d = derived_column(column);
    const struct key *key = scenario_key(s, column);
    struct scenario_derived follows;
    struct value v;
    if (d) {
        scenario_derive(point, &follows);
        snprintf(text, VALUE_TEXT_MAX, "%.17g", derived_number(d, &follows));
    } else {
        key_load(key, point, &v);
        value_bare(&v, &key->rules, text, VALUE_TEXT_MAX);
    }
}

/* A cell of the table, or what the scenario says; empty where neither has a value. */
void run_cell(const struct plot_run *r, size_t row, const char *column, char text[VALUE_TEXT_MAX])
{
    size_t number = table_column(&r->rows, column);
    struct scenario_point point;
    *text = 0;
    if (number < r->rows.columns)
        snprintf(text, VALUE_TEXT_MAX, "%s", table_cell(&r->rows, row, number));
    else if (point_of(r, row, &point))
        computed_cell(r->s, column, &point, text);
}

/* 2500ns as 2.5us: a figure whose words speak one unit is read faster. */
static void enlarge_unit(char text[VALUE_TEXT_MAX])
{
    static const char *const units[] = {"ps",  "ns",   "us",   "ms",   "s", NULL,
                                        "bps", "Kbps", "Mbps", "Gbps", NULL};
    char *end;
    double x = strtod(text, &end);
    const char *unit = end;
    for (size_t i = 0; end > text && i + 1 < sizeof units / sizeof *units; i++)
        if (units[i] && units[i + 1] && strcmp(units[i], unit) == 0 && x >= 1000) {
            x /= 1000;
            unit = units[i + 1];
        }
    if (end > text && unit != end)
        snprintf(text, VALUE_TEXT_MAX, "%.6g%s", x, unit);
}

/* As the scenario writes it: 10us, 64KiB. */
static void axis_text(const struct plot_run *r, size_t row, size_t axis, char text[VALUE_TEXT_MAX])
{
    const struct key *key = r->s->axes[axis].key;
    const struct value *v = axis_value(r, row, axis);
    if (!v) {
        run_cell(r, row, key->name, text);
        return;
    }
    value_write(v, &key->rules, text, VALUE_TEXT_MAX);
    enlarge_unit(text);
}

void run_words(const struct plot_run *r, size_t row, const char *column, char text[VALUE_TEXT_MAX])
{
    for (size_t i = 0; i < r->s->axes_count; i++)
        if (strcmp(r->s->axes[i].key->name, column) == 0) {
            axis_text(r, row, i, text);
            return;
        }
    run_cell(r, row, column, text);
}

/* ---- the name of a curve ---- */

/* `alone`: nothing else is in the name, and the legend's title says what it is. */
static void append_axis(const struct plot_run *r, size_t row, size_t axis, bool alone, char name[NAME_LONG])
{
    char text[VALUE_TEXT_MAX], both[2 * VALUE_TEXT_MAX];
    const struct key *key = r->s->axes[axis].key;
    axis_text(r, row, axis, text);
    bool bare =
        key->rules.type == VALUE_BOOL || key->rules.type == VALUE_COUNT || key->rules.type == VALUE_REAL;
    snprintf(both, sizeof both, "%s %s", key_label(key), text);
    add_words(name, NAME_LONG, bare && !alone ? both : text);
}

bool axes_have_band(const struct plot_axes *axes, const struct key *key)
{
    const char *draw = "rnic.draw";
    return strcmp(key->name, draw) == 0 && strcmp(axes->x, draw) != 0 && strcmp(axes->by, draw) != 0 &&
           strcmp(axes->panels, draw) != 0;
}

/* Is it in the name of a curve? */
static bool names_curve(const struct plot_axes *axes, const struct key *key)
{
    return strcmp(key->name, axes->x) != 0 && strcmp(key->name, axes->panels) != 0 &&
           !axes_have_band(axes, key);
}

static size_t axes_beside(const struct plot_run *r, const struct plot_axes *axes)
{
    size_t n = 0;
    for (size_t i = 0; i < r->s->axes_count; i++)
        n += names_curve(axes, r->s->axes[i].key);
    return n;
}

/* The run, if there are several; all swept values but x, and `by`. */
static void group_name(const struct plot_run *r, const struct plot_axes *axes, size_t row, bool many,
                       char name[NAME_LONG])
{
    bool by_is_swept = !*axes->by;
    *name = 0;
    if (many)
        add_words(name, NAME_LONG, r->name);
    for (size_t i = 0; i < r->s->axes_count; i++) {
        by_is_swept |= strcmp(r->s->axes[i].key->name, axes->by) == 0;
        if (names_curve(axes, r->s->axes[i].key))
            append_axis(r, row, i, !many && axes_beside(r, axes) == 1, name);
    }
    if (!by_is_swept) {
        char text[VALUE_TEXT_MAX];
        run_cell(r, row, axes->by, text);
        add_words(name, NAME_LONG, text);
    }
}

/* ---- rows ---- */

struct collector {
    struct figure *f;
    const struct plot_run *run;
    const struct plot_axes *axes;
    bool many;
    size_t empty; /* rows without a value, of this run and column */
};

/* Places of words are numbered as they come. */
static double place_of_word(const struct figure *f, const char *word)
{
    double next = 0;
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; j < f->series[i].count; j++) {
            const struct plot_point *p = &f->series[i].points[j];
            if (strcmp(p->name, word) == 0)
                return p->x;
            next = p->x + 1 > next ? p->x + 1 : next;
        }
    return next;
}

static bool no_number(const struct plot_run *r, size_t row, const char *column, const char *text)
{
    return complain(false, "plot", "%s: row %zu: '%.*s' in column %s is not a number", r->dir, row + 1,
                    (int)(strlen(text) < 60 ? strlen(text) : utf8_within(text, 60)), text, column);
}

/* Was the adapter of this row drawn, and so its value part of a band? */
static bool is_in_band(const struct collector *c, size_t row)
{
    for (size_t i = 0; i < c->run->s->axes_count; i++) {
        char text[VALUE_TEXT_MAX];
        const struct key *key = c->run->s->axes[i].key;
        if (!axes_have_band(c->axes, key))
            continue;
        run_cell(c->run, row, key->name, text);
        return strcmp(text, "0") != 0;
    }
    return false;
}

static bool add_value(struct collector *c, size_t row, size_t y, const char *x, double value)
{
    struct figure *f = c->f;
    char name[NAME_LONG];
    double place = 0;
    group_name(c->run, c->axes, row, c->many, name);
    if (f->words)
        place = place_of_word(f, x);
    else
        text_number(x, &place);
    struct plot_series *s = figure_series(f, name, y);
    struct plot_point *p = s ? series_point(s, place, f->words ? x : "") : NULL;
    if (p && is_in_band(c, row)) {
        point_widen(p, value);
        return true;
    }
    return (p && point_add(p, value)) || out_of_memory();
}

static bool is_finished(const struct plot_run *r, size_t row)
{
    size_t status = table_column(&r->rows, "status");
    return status == r->rows.columns || strcmp(table_cell(&r->rows, row, status), "ok") == 0;
}

static bool in_panel(const struct collector *c, size_t row, size_t y)
{
    char text[VALUE_TEXT_MAX];
    if (!*c->axes->panels)
        return true;
    run_cell(c->run, row, c->axes->panels, text);
    return strcmp(text, c->f->y[y].only) == 0;
}

static bool add_row(struct collector *c, size_t row, size_t y)
{
    char x[VALUE_TEXT_MAX], text[VALUE_TEXT_MAX];
    double value;
    const char *column = c->f->y[y].column;
    if (!is_finished(c->run, row) || !in_panel(c, row, y))
        return true;
    run_cell(c->run, row, c->axes->x, x);
    run_cell(c->run, row, column, text);
    if (!*x || !*text) {
        c->empty++;
        return true;
    }
    return text_number(text, &value) ? add_value(c, row, y, x, value) : no_number(c->run, row, column, text);
}

static bool add_column(struct collector *c, size_t y)
{
    c->empty = 0;
    for (size_t row = 0; row < c->run->rows.rows; row++)
        if (!add_row(c, row, y))
            return false;
    const struct plot_y *of = &c->f->y[y];
    return !c->empty ||
           complain(true, "plot", "%s: %zu rows have no value of %s or of %s and are not drawn%s%s%s%s",
                    c->run->dir, c->empty, of->column, c->axes->x, *of->only ? ", where " : "",
                    *of->only ? c->axes->panels : "", *of->only ? " is " : "", of->only);
}

/* x is numbers, or, if any of it is not, words. */
static bool has_words(const struct plot_run *r, const struct plot_axes *axes)
{
    for (size_t row = 0; row < r->rows.rows; row++) {
        char x[VALUE_TEXT_MAX];
        double number;
        run_cell(r, row, axes->x, x);
        if (*x && is_finished(r, row) && !text_number(x, &number))
            return true;
    }
    return false;
}

/* ---- what the reader should know ---- */

static void warn_of_unfinished(const struct plot_run *r)
{
    size_t left_out = 0;
    for (size_t row = 0; row < r->rows.rows; row++)
        left_out += !is_finished(r, row);
    if (left_out)
        complain(0, "plot", "%s: %zu rows whose status is not ok are left out", r->dir, left_out);
}

/* Percentiles that rest on too few messages. */
static void warn_of_few(const struct plot_run *r, const char *column)
{
    const struct trial_percentile_needs *needs = percentile_needs(column);
    size_t few = 0, of = needs ? table_column(&r->rows, needs->count) : r->rows.columns;
    double n;
    for (size_t row = 0; of < r->rows.columns && row < r->rows.rows; row++)
        few += is_finished(r, row) && table_number(&r->rows, row, of, &n) && n < needs->least;
    if (few)
        complain(0, "plot", "%s: %zu rows have %s", r->dir, few, needs->words);
}

/* Has the point of a row so many repeats, which stand beside each other, that its median has an interval? */
static bool has_interval(const struct plot_run *r, size_t row)
{
    size_t point = table_column(&r->rows, "point"), from = row, to = row, n = 0;
    if (point == r->rows.columns)
        return false;
    const char *name = table_cell(&r->rows, row, point);
    while (from && strcmp(table_cell(&r->rows, from - 1, point), name) == 0)
        from--;
    while (to < r->rows.rows && strcmp(table_cell(&r->rows, to, point), name) == 0)
        to++;
    for (size_t i = from; i < to; i++)
        n += is_finished(r, i);
    return median_rank(n) > 0;
}

/* Runs that are marked as too short, but those of a point that shows its interval; and those that were not steady where
 * steady_gbps is drawn. */
static void count_marks(struct figure *f, const struct plot_run *r)
{
    size_t marked = table_column(&r->rows, "marked"), steady = table_column(&r->rows, "steady_gbps");
    bool drawn = false;
    for (size_t y = 0; y < f->y_count; y++)
        drawn |= strcmp(f->y[y].column, "steady_gbps") == 0;
    for (size_t row = 0; marked < r->rows.columns && row < r->rows.rows; row++) {
        if (!is_finished(r, row))
            continue;
        f->runs++;
        f->marked += strcmp(table_cell(&r->rows, row, marked), "1") == 0 && !has_interval(r, row);
        f->unsteady += drawn && steady < r->rows.columns && !*table_cell(&r->rows, row, steady);
    }
}

/* Where a number of the adapter binds that nobody published; draws of adapters. */
static void count_guesses(struct figure *f, const struct plot_run *r, const struct plot_axes *axes)
{
    struct binding_guesses g;
    guesses_of(r->s, &g);
    f->points_drawn += g.of;
    f->points_guessed += g.points;
    if (!strstr(f->guesses, g.names))
        add_words(f->guesses, sizeof f->guesses, g.names);
    for (size_t i = 0; i < r->s->axes_count; i++)
        if (axes_have_band(axes, r->s->axes[i].key))
            f->draws = r->s->axes[i].count - 1;
}

/* Commits of all runs, where they are not one. */
static void list_versions(struct figure *f, const struct plot_run *runs, int count)
{
    bool several = strchr(runs[0].versions, ',') != NULL;
    for (int i = 1; i < count; i++)
        several |= *runs[i].versions && strcmp(runs[i].versions, runs[0].versions) != 0;
    for (int i = 0; several && i < count; i++)
        if (*runs[i].versions && !strstr(f->versions, runs[i].versions))
            add_words(f->versions, sizeof f->versions, runs[i].versions);
}

static void note_estimate(struct figure *f, const struct plot_run *r, const struct plot_y *y)
{
    char text[2 * NAME_LONG];
    const char *world = scenario_estimates(r->s, y->column);
    if (!world)
        return;
    snprintf(text, sizeof text, "%s of world %s is an estimate", y->column, world);
    if (!strstr(f->estimates, text))
        add_words(f->estimates, sizeof f->estimates, text);
}

bool runs_collect(struct figure *f, const struct plot_run *runs, int count, const struct plot_axes *axes)
{
    bool good = true;
    list_versions(f, runs, count);
    for (int i = 0; i < count; i++) {
        f->words |= has_words(&runs[i], axes);
        warn_of_unfinished(&runs[i]);
        count_marks(f, &runs[i]);
        count_guesses(f, &runs[i], axes);
        for (size_t y = 0; y < f->y_count; y++) {
            warn_of_few(&runs[i], f->y[y].column);
            note_estimate(f, &runs[i], &f->y[y]);
        }
    }
    for (size_t y = 0; good && y < f->y_count; y++)
        for (int i = 0; good && i < count; i++) {
            struct collector c = {f, &runs[i], axes, count > 1, 0};
            good = add_column(&c, y);
        }
    return good;
}
