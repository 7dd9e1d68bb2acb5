/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot.c -- iwarpsim plot: the reader's own data, drawn by gnuplot. */
#include "helpers/plot.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/command.h"
#include "helpers/files.h"
#include "helpers/manifest.h"
#include "helpers/results.h"
#include "helpers/table.h"

static const char help[] =
    "usage: iwarpsim plot DIR... [--x COLUMN] [--y COLUMN] [--by COLUMN] [--size column|page|slide]\n"
    "                     [--title TEXT] [--name NAME] [--out DIR]\n"
    "\n"
    "Draws results.csv of one run, or of several over each other: NAME.svg, NAME.png, NAME.pdf, and NAME.gp "
    "with\n"
    "NAME.tsv, which make them again. What is on the axes says the scenario's `plot:` key; without it the "
    "first key of\n"
    "the sweep is x, the others make the curves, and y is steady_gbps. Points are medians over repeats; bars "
    "are the\n"
    "95 % interval of the median by order statistics (fewer than six repeats: smallest to largest).\n"
    "\n"
    "  --out DIR     where the files go (the first DIR); --name: what they are called (the scenario's "
    "name)\n";

struct arguments {
    const char *x, *y, *by, *title, *name, *out;
    enum plot_size size;
    char **dirs;
    int count;
};

/* One run: its rows and the scenario behind them. */
struct run {
    const char *dir;
    struct scenario *s;
    struct table rows;
    char name[256];
};

static int wrong(const char *what, const char *value)
{
    fprintf(stderr, "iwarpsim plot: %s%s%s\n", what, value ? ": " : "", value ? value : "");
    return EXIT_INPUT;
}

/* ---- which columns ---- */

struct axes {
    char x[VALUE_TEXT_MAX], y[VALUE_TEXT_MAX], by[VALUE_TEXT_MAX];
};

static void choose(char *out, const char *asked, const char *planned, const char *fallback)
{
    const char *from = asked ? asked : *planned ? planned : fallback;
    if (from != out)
        snprintf(out, VALUE_TEXT_MAX, "%s", from);
}

static const char *swept(const struct scenario *s, size_t axis)
{
    return axis < s->axes_count ? s->axes[axis].key->name : "";
}

static struct axes axes_of(const struct arguments *a, const struct scenario *s)
{
    struct axes axes;
    choose(axes.x, a->x, s->conf.plot.x, swept(s, 0));
    choose(axes.y, a->y, s->conf.plot.y, "steady_gbps");
    const char *other = strcmp(swept(s, 0), axes.x) == 0 ? swept(s, 1) : swept(s, 0);
    choose(axes.by, a->by, s->conf.plot.by, other);
    return axes;
}

static bool has_column(const struct run *r, const char *name, const char *option)
{
    if (table_column(&r->rows, name) < r->rows.columns)
        return true;
    fprintf(stderr, "iwarpsim plot: %s/results.csv has no column '%s' for %s; columns.tsv lists them\n",
            r->dir, name, option);
    return false;
}

static void label_of(const char *column, char *out, size_t size)
{
    const struct key *key = key_find(column);
    const struct column *c = result_column(column);
    const char *label = key ? key_label(key) : c ? c->label : column;
    const char *unit = key ? value_unit(key->rules.type) : c ? c->unit : "";
    bool none = !*unit || strcmp(unit, "1") == 0;
    snprintf(out, size, "%s%s%s%s", label, none ? "" : " (", none ? "" : unit, none ? "" : ")");
}

/* ---- rows to curves ---- */

/* Part `axis` of a point's label: the value as it is written. */
static void part_of_label(const char *label, size_t axis, char *out, size_t size)
{
    for (; axis && strchr(label, '/'); axis--)
        label = strchr(label, '/') + 1;
    snprintf(out, size, "%.*s", (int)strcspn(label, "/"), label);
}

/* The name of a row's curve: the run, if there are several, and all swept values but x. */
static void series_name(const struct run *r, const struct axes *axes, size_t row, bool many, char *out,
                        size_t size)
{
    const char *label = table_cell(&r->rows, row, table_column(&r->rows, "point"));
    size_t used = (size_t)snprintf(out, size, "%s", many ? r->name : "");
    bool by_is_swept = false;
    for (size_t i = 0; i < r->s->axes_count && used < size; i++) {
        char text[VALUE_TEXT_MAX];
        by_is_swept |= strcmp(r->s->axes[i].key->name, axes->by) == 0;
        if (strcmp(r->s->axes[i].key->name, axes->x) == 0)
            continue;
        part_of_label(label, i, text, sizeof text);
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", text);
    }
    if (*axes->by && !by_is_swept && used < size)
        snprintf(out + used, size - used, "%s%s", used ? ", " : "",
                 table_cell(&r->rows, row, table_column(&r->rows, axes->by)));
}

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

static bool add_row(struct figure *f, const struct run *r, const struct axes *axes, size_t row, bool many)
{
    char name[256];
    double x, y;
    size_t column = table_column(&r->rows, axes->x);
    const char *word = "";
    if (!table_number(&r->rows, row, table_column(&r->rows, axes->y), &y))
        return true; /* not defined there */
    if (!table_number(&r->rows, row, column, &x)) {
        word = table_cell(&r->rows, row, column);
        x = place_of_word(f, word);
        f->words = true;
    }
    series_name(r, axes, row, many, name, sizeof name);
    struct plot_series *s = figure_series(f, name);
    struct plot_point *p = s ? series_point(s, x, word) : NULL;
    return p && point_add(p, y);
}

static bool is_finished(const struct run *r, size_t row)
{
    return strcmp(table_cell(&r->rows, row, table_column(&r->rows, "status")), "ok") == 0;
}

/* Percentiles that rest on too few messages; the reader should know. */
static void warn_of_few(const struct run *r, const struct axes *axes)
{
    static const struct {
        const char *column;
        double least;
        const char *words;
    } needs[] = {{"latency_p99_us", 1000, "99th percentiles from fewer than 1,000"},
                 {"latency_p999_us", 10000, "99.9th percentiles from fewer than 10,000"},
                 {"fct_slowdown_p99", 1000, "99th percentiles from fewer than 1,000"}};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        size_t column = table_column(&r->rows, "latency_n"), few = 0;
        double n;
        for (size_t row = 0; strcmp(needs[i].column, axes->y) == 0 && row < r->rows.rows; row++)
            few += is_finished(r, row) && table_number(&r->rows, row, column, &n) && n < needs[i].least;
        if (few)
            fprintf(stderr, "iwarpsim plot: %s: %zu rows have %s messages\n", r->dir, few, needs[i].words);
    }
}

static bool add_run(struct figure *f, const struct run *r, const struct axes *axes, bool many)
{
    size_t left_out = 0;
    for (size_t row = 0; row < r->rows.rows; row++) {
        left_out += !is_finished(r, row);
        if (is_finished(r, row) && !add_row(f, r, axes, row, many)) {
            wrong("out of memory", NULL);
            return false;
        }
    }
    if (left_out)
        fprintf(stderr, "iwarpsim plot: %s: %zu rows whose status is not ok are left out\n", r->dir,
                left_out);
    warn_of_few(r, axes);
    return true;
}

/* ---- reading ---- */

/* Those that drawing itself reads, whatever is drawn. */
static bool has_columns(const struct table *t)
{
    static const char *const needed[] = {"scenario", "point", "status"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (table_column(t, needed[i]) == t->columns)
            return false;
    return true;
}

static bool open_run(struct run *r, const char *dir)
{
    char path[PATH_LONG], error[SCENARIO_ERROR_MAX];
    r->dir = dir;
    file_path(path, dir, "", "results.csv", "");
    if (!table_read(&r->rows, path, error)) {
        file_path(path, dir, "", "results.partial.csv", "");
        if (!table_read(&r->rows, path, error)) {
            wrong("neither results.csv nor results.partial.csv can be read in", dir);
            return false;
        }
        fprintf(stderr, "iwarpsim plot: %s is not finished: drawing what is there\n", dir);
    }
    file_path(path, dir, "", "scenario.yaml", "");
    r->s = scenario_open(path, NULL, 0, error);
    if (!r->s) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    if (!has_columns(&r->rows)) {
        wrong("results.csv lacks one of the columns scenario, point, status in", dir);
        return false;
    }
    size_t name = table_column(&r->rows, "scenario");
    bool named = name < r->rows.columns && r->rows.rows;
    snprintf(r->name, sizeof r->name, "%s", named ? table_cell(&r->rows, 0, name) : "results");
    return true;
}

static void close_run(struct run *r)
{
    table_free(&r->rows);
    scenario_free(r->s);
}

/* Runs of the same scenario are told apart by their folders. */
static void name_runs(struct run *runs, int count)
{
    bool same = false;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            same |= strcmp(runs[i].name, runs[j].name) == 0;
    for (int i = 0; same && i < count; i++)
        snprintf(runs[i].name, sizeof runs[i].name, "%s", runs[i].dir);
}

/* ---- drawing ---- */

static void describe(struct figure *f, const struct arguments *a, const struct run *first,
                     const struct axes *axes)
{
    const struct key *x = key_find(axes->x);
    const char *planned = *first->s->conf.plot.title ? first->s->conf.plot.title : first->s->conf.title;
    snprintf(f->title, sizeof f->title, "%s", a->title ? a->title : planned);
    label_of(axes->x, f->x_label, sizeof f->x_label);
    label_of(axes->y, f->y_label, sizeof f->y_label);
    if (*axes->by) {
        const struct key *by = key_find(axes->by);
        snprintf(f->by_label, sizeof f->by_label, "%s", by ? key_label(by) : axes->by);
    }
    f->size = a->size;
    f->logx = first->s->conf.plot.logx && !f->words;
    f->logy = first->s->conf.plot.logy;
    f->octets = x && x->rules.type == VALUE_OCTETS;
    if (f->octets && f->logx) /* the ticks have units */
        snprintf(f->x_label, sizeof f->x_label, "%s", key_label(x));
}

static void record_command(struct figure *f, const struct arguments *a, const struct axes *axes)
{
    static const char *const names[SIZES] = {"column", "page", "slide"};
    FILE *out = fmemopen(f->made_by, sizeof f->made_by, "w");
    if (!out)
        return;
    fputs("iwarpsim plot", out);
    for (int i = 0; i < a->count; i++) {
        putc(' ', out);
        shell_word(out, a->dirs[i]);
    }
    fprintf(out, " --x %s --y %s", axes->x, axes->y);
    if (*axes->by)
        fprintf(out, " --by %s", axes->by);
    fprintf(out, " --size %s", names[a->size]);
    fclose(out);
}

static int run_gnuplot(const char *dir, const char *name)
{
    char script[PATH_LONG];
    int status;
    snprintf(script, sizeof script, "%s.gp", name);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(dir) == 0)
            execlp("gnuplot", "gnuplot", script, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status)) {
        bool missing = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127;
        fprintf(stderr, "iwarpsim plot: %s; %s/%s is there\n",
                missing ? "gnuplot is missing (Debian: gnuplot-nox)" : "gnuplot failed", dir, script);
        return EXIT_FAILED;
    }
    printf("%s/%s.svg, .png, .pdf; %s.gp makes them again\n", dir, name, name);
    return EXIT_DONE;
}

static void choose_name(const struct arguments *a, const struct run *first, const struct axes *axes,
                        char *name, size_t size)
{
    if (a->name)
        snprintf(name, size, "%s", a->name);
    else if (a->x || a->y || a->by)
        snprintf(name, size, "%s-%s", table_cell(&first->rows, 0, table_column(&first->rows, "scenario")),
                 axes->y);
    else
        snprintf(name, size, "%s", table_cell(&first->rows, 0, table_column(&first->rows, "scenario")));
}

static int draw(struct figure *f, const struct arguments *a, const struct run *runs, const struct axes *axes)
{
    char name[512];
    const char *dir = a->out ? a->out : runs[0].dir;
    if (f->count == 0)
        return wrong("nothing to draw: no finished row has a value in column", axes->y);
    describe(f, a, &runs[0], axes);
    record_command(f, a, axes);
    figure_settle(f);
    choose_name(a, &runs[0], axes, name, sizeof name);
    if (strpbrk(name, "/'"))
        return wrong("a name of files has no / and no '", name);
    if (!make_folder(dir)) {
        fprintf(stderr, "iwarpsim plot: %s cannot be made: %s\n", dir, strerror(errno));
        return EXIT_FAILED;
    }
    return figure_write(f, dir, name) ? run_gnuplot(dir, name) : EXIT_FAILED;
}

static int plot_runs(const struct arguments *a, struct run *runs)
{
    struct figure f = {.count = 0};
    struct axes axes = axes_of(a, runs[0].s);
    if (!*axes.x)
        return wrong("the scenario sweeps nothing: say what is on the x axis with --x", NULL);
    for (int i = 0; i < a->count; i++)
        if (!has_column(&runs[i], axes.x, "--x") || !has_column(&runs[i], axes.y, "--y") ||
            (*axes.by && !has_column(&runs[i], axes.by, "--by")))
            return EXIT_INPUT;
    name_runs(runs, a->count);
    bool good = true;
    for (int i = 0; good && i < a->count; i++)
        good = add_run(&f, &runs[i], &axes, a->count > 1);
    int status = good ? draw(&f, a, runs, &axes) : EXIT_FAILED;
    figure_free(&f);
    return status;
}

static int plot(const struct arguments *a)
{
    struct run *runs = calloc((size_t)a->count, sizeof *runs);
    int opened = 0, status = EXIT_INPUT;
    while (runs && opened < a->count && open_run(&runs[opened], a->dirs[opened]))
        opened++;
    if (runs && opened == a->count)
        status = plot_runs(a, runs);
    for (int i = 0; runs && i < a->count && i <= opened; i++)
        close_run(&runs[i]);
    free(runs);
    return status;
}

/* ---- arguments ---- */

enum {
    OPTION_X = 'x',
    OPTION_Y = 'y',
    OPTION_BY = 'b',
    OPTION_SIZE = 's',
    OPTION_TITLE = 't',
    OPTION_NAME = 'n',
    OPTION_OUT = 'o',
    OPTION_HELP = 'h'
};

static const struct option long_options[] = {
    {"x", required_argument, NULL, OPTION_X},
    {"y", required_argument, NULL, OPTION_Y},
    {"by", required_argument, NULL, OPTION_BY},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"title", required_argument, NULL, OPTION_TITLE},
    {"name", required_argument, NULL, OPTION_NAME},
    {"out", required_argument, NULL, OPTION_OUT},
    {"help", no_argument, NULL, OPTION_HELP},
    {0},
};

static bool read_size(const char *text, enum plot_size *size)
{
    static const char *const names[SIZES] = {"column", "page", "slide"};
    for (int i = 0; i < SIZES; i++)
        if (strcmp(text, names[i]) == 0) {
            *size = (enum plot_size)i;
            return true;
        }
    return false;
}

static int take(struct arguments *a, int option, char **argv)
{
    switch (option) {
    case OPTION_X: a->x = optarg; return -1;
    case OPTION_Y: a->y = optarg; return -1;
    case OPTION_BY: a->by = optarg; return -1;
    case OPTION_TITLE: a->title = optarg; return -1;
    case OPTION_NAME: a->name = optarg; return -1;
    case OPTION_OUT: a->out = optarg; return -1;
    case OPTION_SIZE:
        return read_size(optarg, &a->size) ? -1 : wrong("--size is column, page or slide, not", optarg);
    case OPTION_HELP: fputs(help, stdout); return EXIT_DONE;
    default: return wrong("this is not an option, or lacks its value", argv[optind - 1]);
    }
}

int command_plot(int argc, char **argv)
{
    struct arguments a = {.size = SIZE_PAGE};
    int option, status = -1;
    optind = 1;
    opterr = 0;
    while (status < 0 && (option = getopt_long(argc, argv, "h", long_options, NULL)) != -1)
        status = take(&a, option, argv);
    if (status >= 0)
        return status;
    a.dirs = argv + optind;
    a.count = argc - optind;
    return a.count > 0 ? plot(&a) : wrong("which folder of results? Try `iwarpsim plot --help`", NULL);
}
