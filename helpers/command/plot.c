/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot.c -- iwarpsim plot: the reader's own data, drawn by gnuplot. */
#include "helpers/figure/plot.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/gnuplot.h"
#include "helpers/base/quote.h"
#include "helpers/campaign/manifest.h"
#include "helpers/command.h"
#include "helpers/trial/results.h"

static const char help[] =
    "usage: iwarpsim plot DIR... [--x COLUMN] [--y COLUMN[,COLUMN]...] [--by COLUMN]\n"
    "                     [--size column|page|slide] [--logx auto|true|false] [--logy true|false]\n"
    "                     [--panels COLUMN] [--table FILE] [--yrange LOW:HIGH] [--caption auto|none]\n"
    "                     [--title TEXT] [--label TEXT]... [--name NAME] [--out DIR] [--mixed] [--format "
    "FORMAT]\n"
    "       iwarpsim plot DIR --series [--what WHAT] [--point POINT] [--size ...] [--title ...] ...\n"
    "\n"
    "Draws results.csv of one run, or of several over each other: NAME.svg, NAME.png, NAME.pdf, and NAME.gp "
    "with\n"
    "NAME.tsv, which make them again. The scenario's `plot:` key says what is on the axes; without it, x is "
    "the first\n"
    "swept key that is a number, the others make the curves, and y is steady_gbps, or goodput_gbps\n"
    "where no run was long enough to be steady. A column is one of results.csv,\n"
    "a key of the scenario, or a number that follows from its keys and is drawn as a line: line_gbps, "
    "window_gbps,\n"
    "rtt_us, bdp_bytes. Columns of one unit share a panel. Points are medians over repeats; bars are the 95 "
    "%\n"
    "interval of the median by order statistics (fewer than six repeats: smallest to largest). The caption "
    "says which.\n"
    "A curve of more than 2000 places is drawn as 500 medians of neighbours in a band from least to "
    "greatest.\n"
    "\n"
    "  --panels      one panel for each value of this column\n"
    "  --table FILE  table of DIR to draw instead of results.csv, such as dist/slowdown.csv\n"
    "  --size        column: 3.35 in wide, for a two-column paper; page: 7 in; slide: 10 in, large letters\n"
    "  --format      pictures: svg, png and pdf; tikz: NAME.tex alone, for \\input in a document with\n"
    "                \\usepackage{gnuplot-lua-tikz} (it comes with gnuplot), whose letters it has\n"
    "  --yrange      ends of the y axis, 80:100, for the panels with the first panel's unit\n"
    "  --caption     none: nothing under the title; the caption of the paper must then say how the points "
    "were made\n"
    "  --mixed       draw a folder whose rows several versions made; the caption lists them\n"
    "  --logx        auto: when the sweep spans decades\n"
    "  --label TEXT  name of the next DIR in the legend\n"
    "  --series      what `run --series` wrote, over time; of more than 8 flows, links or hosts those with "
    "the "
    "most\n"
    "  --what WHAT   goodput (of flows), rate, cwnd, flight, window, holes; queue, link; staging; jain\n"
    "  --point POINT which, as the files of series/ begin: 64KiB-r0 (the first)\n"
    "  --out DIR     folder for the files (the first DIR); --name: their name (the scenario's name)\n";

enum { LABELS_MAX = 64 };

static const char *const sizes[SIZES] = {"column", "page", "slide"};

struct arguments {
    const char *x, *y, *by, *panels, *table, *title, *name, *out, *logx, *logy, *yrange, *caption;
    const char *what, *point; /* of series */
    const char *format;
    bool mixed, series;
    double y_low, y_high;
    enum plot_size size;
    const char *labels[LABELS_MAX];
    int labels_count;
    char **dirs;
    int count;
};

static int wrong(const char *what, const char *value)
{
    return complain(EXIT_INPUT, "plot", "%s%s%s", what, value ? ": " : "", value ? value : "");
}

/* ---- which columns ---- */

static const char *choose(const char *asked, const char *planned, const char *fallback)
{
    return asked ? asked : *planned ? planned : fallback;
}

static const char *swept(const struct scenario *s, size_t axis)
{
    return axis < s->axes_count ? s->axes[axis].key->name : "";
}

static bool is_number(const struct key *key)
{
    return key->rules.type != VALUE_CHOICE && key->rules.type != VALUE_BOOL && key->rules.type != VALUE_TEXT;
}

/* The first swept key that is none of the two; `number`: of those that are numbers. */
static const char *first_but(const struct scenario *s, const char *one, const char *other, bool number)
{
    for (size_t i = 0; i < s->axes_count; i++) {
        const char *name = s->axes[i].key->name;
        if (strcmp(name, one) != 0 && strcmp(name, other) != 0 && strcmp(name, "rnic.draw") != 0 &&
            (!number || is_number(s->axes[i].key)))
            return name;
    }
    return "";
}

/* Words on the x axis say no more than a table: a number, if one is swept. */
static const char *default_x(const struct scenario *s, const char *panels, const char *by)
{
    const char *x = first_but(s, panels, by, true);
    x = *x ? x : first_but(s, panels, by, false);
    return *x ? x : swept(s, 0);
}

static struct plot_axes axes_of(const struct arguments *a, const struct scenario *s)
{
    struct plot_axes axes;
    const char *by = choose(a->by, s->conf.plot.by, "");
    snprintf(axes.panels, sizeof axes.panels, "%s", choose(a->panels, s->conf.plot.panels, ""));
    snprintf(axes.x, sizeof axes.x, "%s", choose(a->x, s->conf.plot.x, default_x(s, axes.panels, by)));
    if (!a->by && !*by)
        by = first_but(s, axes.x, axes.panels, false);
    snprintf(axes.by, sizeof axes.by, "%s", by);
    if (strcmp(axes.by, axes.x) == 0 || strcmp(axes.by, axes.panels) == 0)
        *axes.by = 0;
    return axes;
}

/* A column's panel: that of the columns with the same unit. */
static size_t panel_of(struct figure *f, const struct plot_y *y)
{
    for (size_t i = 0; i < f->y_count; i++)
        if (strcmp(f->y[i].unit, y->unit) == 0 && (*y->unit || strcmp(f->y[i].label, y->label) == 0))
            return f->y[i].panel;
    return f->panels++;
}

static int choose_columns(struct figure *f, const char *list)
{
    for (const char *p = list + strspn(list, ", "); *p; p += strspn(p, ", ")) {
        char name[VALUE_TEXT_MAX];
        int len = (int)strcspn(p, ", ");
        struct plot_y *y = &f->y[f->y_count];
        if (f->y_count == Y_MAX)
            return wrong("more columns than one figure holds", list);
        snprintf(name, sizeof name, "%.*s", len, p);
        column_describe(name, y);
        y->panel = panel_of(f, y);
        f->y_count++;
        p += len;
    }
    return f->y_count ? EXIT_DONE : wrong("--y names no column", NULL);
}

static bool has_column(const struct plot_run *r, const char *name, const char *option)
{
    if (run_has(r, name))
        return true;
    const char *near = result_suggest(name);
    if (near && !strcmp(near, name)) /* it is one of another table */
        near = NULL;
    return complain(false, "plot", "%s has no column '%s' for %s%s%s%s; columns.tsv lists them", r->table,
                    name, option, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static bool has_columns(const struct plot_run *r, const struct figure *f, const struct plot_axes *axes)
{
    for (size_t y = 0; y < f->y_count; y++)
        if (!has_column(r, f->y[y].column, "--y"))
            return false;
    return has_column(r, axes->x, "--x") && (!*axes->panels || has_column(r, axes->panels, "--panels")) &&
           (!*axes->by || has_column(r, axes->by, "--by"));
}

/* The columns once more for each value of the panels' column, in the order in which they come. */
static bool add_panels(struct figure *f, const struct plot_y *columns, size_t count, const char *value,
                       const char *words, const struct plot_axes *axes)
{
    struct plot_y of;
    column_describe(axes->panels, &of);
    for (size_t i = 0; i < f->y_count; i++)
        if (strcmp(f->y[i].only, value) == 0)
            return true;
    if (f->y_count + count > Y_MAX)
        return wrong("more panels than one figure holds: values of", axes->panels) == EXIT_DONE;
    size_t first = f->panels, most = 0;
    for (size_t i = 0; i < count; i++) {
        struct plot_y *y = &f->y[f->y_count++];
        *y = columns[i];
        y->panel += first;
        most = columns[i].panel > most ? columns[i].panel : most;
        snprintf(y->only, sizeof y->only, "%s", value);
        snprintf(y->heading, sizeof y->heading, "%.120s: %.120s", of.label, words);
    }
    f->panels = first + most + 1;
    return true;
}

static bool spread_panels(struct figure *f, const struct plot_run *runs, int count,
                          const struct plot_axes *axes)
{
    struct plot_y columns[Y_MAX];
    size_t columns_count = f->y_count;
    memcpy(columns, f->y, sizeof columns);
    f->y_count = f->panels = 0;
    for (int i = 0; i < count; i++)
        for (size_t row = 0; row < runs[i].rows.rows; row++) {
            char value[VALUE_TEXT_MAX], words[VALUE_TEXT_MAX];
            run_cell(&runs[i], row, axes->panels, value);
            run_words(&runs[i], row, axes->panels, words);
            if (*value && !add_panels(f, columns, columns_count, value, words, axes))
                return false;
        }
    return true;
}

/* ---- drawing ---- */

/* What makes the curves, in words. */
static void describe_groups(struct figure *f, const struct scenario *s, const struct plot_axes *axes)
{
    struct plot_y by;
    bool by_is_swept = !*axes->by;
    for (size_t i = 0; i < s->axes_count; i++) {
        const struct key *key = s->axes[i].key;
        by_is_swept |= strcmp(key->name, axes->by) == 0;
        if (strcmp(key->name, axes->x) && strcmp(key->name, axes->panels) && !axes_have_band(axes, key))
            add_words(f->by_label, sizeof f->by_label, key_label(key));
    }
    if (by_is_swept)
        return;
    column_describe(axes->by, &by);
    add_words(f->by_label, sizeof f->by_label, by.label);
}

static bool wants_logx(const struct arguments *a, const struct scenario *s, const struct figure *f)
{
    enum key_scale scale = s->conf.plot.logx;
    if (a->logx)
        scale = strcmp(a->logx, "auto") == 0   ? SCALE_AUTO
                : strcmp(a->logx, "true") == 0 ? SCALE_LOG
                                               : SCALE_PLAIN;
    bool log = !f->words && (scale == SCALE_LOG || (scale == SCALE_AUTO && figure_spans_decades(f)));
    if (!log || !figure_has_negative_x(f))
        return log;
    return complain(false, "plot", "x has values below 0, so its axis is not logarithmic");
}

static void describe_figure(struct figure *f, const struct arguments *a, const struct plot_run *first,
                            const struct plot_axes *axes)
{
    struct plot_y x;
    char unit[40] = "";
    const struct scenario *s = first->s;
    const char *planned = *s->conf.plot.title ? s->conf.plot.title : s->conf.title;
    snprintf(f->title, sizeof f->title, "%s", a->title ? a->title : planned);
    column_describe(a->series ? "from_us" : axes->x, &x);
    f->octets = strcmp(x.unit, "octets") == 0 && !f->words;
    if (*x.unit && !f->octets) /* ticks of octets have units */
        snprintf(unit, sizeof unit, " (%s)", x.unit);
    snprintf(f->x_label, sizeof f->x_label, "%.250s%s", x.label, unit);
    if (a->count == 1 && !a->series)
        describe_groups(f, s, axes);
    f->size = a->size;
    f->tex = a->format && strcmp(a->format, "tikz") == 0;
    f->bare = a->caption && strcmp(a->caption, "none") == 0;
    f->y_low = a->y_low;
    f->y_high = a->y_high;
    f->logx = wants_logx(a, s, f);
    f->logy = a->logy ? strcmp(a->logy, "true") == 0 : s->conf.plot.logy;
}

static void record_option(FILE *out, const char *option, const char *value)
{
    if (!value || !*value)
        return;
    fprintf(out, " --%s ", option);
    quote_shell(out, value);
}

static void record_columns(FILE *out, const struct figure *f)
{
    fputs(" --y ", out);
    for (size_t i = 0; i < f->y_count; i++) {
        bool again = false; /* in another panel */
        for (size_t j = 0; j < i; j++)
            again |= strcmp(f->y[j].column, f->y[i].column) == 0;
        if (!again)
            fprintf(out, "%s%s", i ? "," : "", f->y[i].column);
    }
}

static void record_command(struct figure *f, const struct arguments *a, const struct plot_axes *axes)
{
    FILE *out = fmemopen(f->made_by, sizeof f->made_by, "w");
    if (!out)
        return;
    fputs("iwarpsim plot", out);
    for (int i = 0; i < a->count; i++) {
        putc(' ', out);
        quote_shell(out, a->dirs[i]);
    }
    record_option(out, "x", axes->x);
    if (a->series)
        fputs(" --series", out);
    else
        record_columns(out, f);
    record_option(out, "what", a->what);
    record_option(out, "point", a->point);
    record_option(out, "by", axes->by);
    record_option(out, "panels", axes->panels);
    record_option(out, "table", a->table);
    record_option(out, "size", sizes[a->size]);
    record_option(out, "logx", f->logx ? "true" : "false");
    record_option(out, "logy", f->logy ? "true" : "false");
    record_option(out, "yrange", a->yrange);
    record_option(out, "format", f->tex ? "tikz" : NULL);
    record_option(out, "caption", f->bare ? "none" : NULL);
    fputs(a->mixed ? " --mixed" : "", out);
    record_option(out, "title", a->title);
    for (int i = 0; i < a->labels_count; i++)
        record_option(out, "label", a->labels[i]);
    fclose(out);
}

static int draw_script(const struct figure *f, const char *dir, const char *name)
{
    int status = gnuplot_draw("plot", dir, name, f->tex ? PICTURE_TEX : PICTURES_OF_PLOT);
    if (status == EXIT_DONE && !manifest_note_figure(dir, name))
        return EXIT_FAILED;
    if (status == EXIT_DONE)
        printf(f->tex ? "%s/%s.tex; %s.gp makes it again\n"
                      : "%s/%s.svg, .png, .pdf; %s.gp makes them again\n",
               dir, name, name);
    return status;
}

/* The scenario's name, and, when other columns were asked for, what is drawn. */
static void choose_name(const struct arguments *a, const struct plot_run *first, const struct figure *f,
                        char *name, size_t size)
{
    const char *scenario = first->scenario;
    bool other = a->x || a->y || a->by || a->series;
    snprintf(name, size, "%s%s%s", a->name ? a->name : scenario, !a->name && other ? "-" : "",
             !a->name && other ? f->y[0].column : "");
}

enum { CURVES_MANY = 12 };

static int draw_figure(struct figure *f, const struct arguments *a, const struct plot_run *runs,
                       const struct plot_axes *axes)
{
    char name[512];
    const char *dir = a->out ? a->out : runs[0].dir;
    if (a->labels_count > a->count)
        return wrong("more labels than folders, from this one on", a->labels[a->count]);
    if (f->count == 0)
        return complain(EXIT_INPUT, "plot",
                        "nothing to draw: no finished row has a value of %s; --y draws another column, such "
                        "as goodput_gbps",
                        f->y[0].column);
    describe_figure(f, a, &runs[0], axes);
    if (f->logy && f->y_low <= 0)
        return wrong("--yrange must start above 0 on a logarithmic axis", a->yrange);
    record_command(f, a, axes);
    figure_settle(f);
    if (!figure_reduce(f))
        return complain(EXIT_FAILED, "plot", "out of memory");
    if (f->groups > CURVES_MANY)
        complain(0, "plot", "%zu curves are hard to tell apart; run fewer with --set KEY=VALUE", f->groups);
    choose_name(a, &runs[0], f, name, sizeof name);
    if (!name_is_safe(name))
        return wrong(NAME_SAFE_RULE, name);
    if (!make_folder(dir) || access(dir, W_OK) != 0)
        return complain(EXIT_INPUT, "plot", "%s cannot be written: %s; choose another --out", dir,
                        strerror(errno));
    return figure_write(f, dir, name) ? draw_script(f, dir, name) : EXIT_FAILED;
}

/* Over time, under the scenario's own title. */
static int draw_series(struct figure *f, const struct arguments *a, const struct plot_run *run)
{
    struct arguments titled = *a;
    const struct plot_axes axes = {.x = ""};
    titled.title = a->title ? a->title : run->s->conf.title;
    titled.logx = a->logx ? a->logx : "false";
    titled.logy = a->logy ? a->logy : "false";
    return figure_over_time(f, run->dir, a->what ? a->what : "goodput", a->point)
               ? draw_figure(f, &titled, run, &axes)
               : EXIT_INPUT;
}

static bool any_has(const struct plot_run *runs, int count, const char *name)
{
    double number;
    for (int i = 0; i < count; i++) {
        const struct table *t = &runs[i].rows;
        size_t column = table_column(t, name);
        for (size_t row = 0; column < t->columns && row < t->rows; row++)
            if (table_number(t, row, column, &number))
                return true;
    }
    return false;
}

static bool read_runs(const struct figure *f, struct plot_run *runs, int count, const struct plot_axes *axes)
{
    for (int i = 0; i < count; i++)
        if (!run_read(&runs[i], f, axes))
            return false;
    return true;
}

/* What a few operations moved by their end is drawn where none was asked for and no run was steady. */
static bool read_columns(struct figure *f, const struct arguments *a, struct plot_run *runs,
                         const struct plot_axes *axes)
{
    if (!read_runs(f, runs, a->count, axes))
        return false;
    if (a->y || *runs[0].s->conf.plot.y || any_has(runs, a->count, f->y[0].column) ||
        !any_has(runs, a->count, "goodput_gbps"))
        return true;
    complain(0, "plot", "no run was long enough to be steady: y is goodput_gbps");
    f->y_count = f->panels = 0;
    return choose_columns(f, "goodput_gbps") == EXIT_DONE && read_runs(f, runs, a->count, axes);
}

static int draw_runs(struct figure *f, const struct arguments *a, struct plot_run *runs)
{
    struct plot_axes axes = axes_of(a, runs[0].s);
    int status = choose_columns(f, choose(a->y, runs[0].s->conf.plot.y, "steady_gbps"));
    if (status != EXIT_DONE)
        return status;
    if (!*axes.x)
        return wrong("the scenario sweeps nothing; name the x axis with --x", NULL);
    for (int i = 0; i < a->count; i++)
        if (!has_columns(&runs[i], f, &axes))
            return EXIT_INPUT;
    if (!read_columns(f, a, runs, &axes))
        return EXIT_INPUT;
    if (*axes.panels && !spread_panels(f, runs, a->count, &axes))
        return EXIT_INPUT;
    runs_name(runs, a->count);
    for (int i = 0; i < a->labels_count && i < a->count; i++)
        snprintf(runs[i].name, sizeof runs[i].name, "%s", a->labels[i]);
    return runs_collect(f, runs, a->count, &axes) ? draw_figure(f, a, runs, &axes) : EXIT_INPUT;
}

static int plot(const struct arguments *a)
{
    static struct figure f; /* too large for a stack */
    struct plot_run *runs = calloc((unsigned)a->count, sizeof *runs);
    int opened = 0, status = EXIT_INPUT;
    memset(&f, 0, sizeof f); /* the demo plots more than once */
    while (runs && opened < a->count && run_open(&runs[opened], a->dirs[opened], a->table, a->mixed))
        opened++;
    if (runs && opened == a->count)
        status = a->series ? draw_series(&f, a, runs) : draw_runs(&f, a, runs);
    figure_free(&f);
    for (int i = 0; runs && i < a->count && i <= opened; i++)
        run_close(&runs[i]);
    free(runs);
    return status;
}

/* ---- arguments ---- */

static bool read_size(const char *text, void *size)
{
    enum plot_size *chosen = size;
    for (*chosen = 0; *chosen < SIZES && strcmp(text, sizes[*chosen]) != 0; ++*chosen)
        ;
    return *chosen < SIZES;
}

static bool read_range(const char *text, void *arguments)
{
    char low[40];
    struct arguments *a = arguments;
    const char *colon = strchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : sizeof low;
    a->yrange = text;
    if (len >= sizeof low)
        return false;
    memcpy(low, text, len);
    low[len] = 0;
    return text_number(low, &a->y_low) && text_number(colon + 1, &a->y_high) && a->y_low < a->y_high;
}

static bool read_label(const char *text, void *arguments)
{
    struct arguments *a = arguments;
    if (a->labels_count == LABELS_MAX)
        return false;
    a->labels[a->labels_count++] = text;
    return true;
}

static const struct argument rows[] = {
    ARGUMENT_TEXT("x", struct arguments, x),
    ARGUMENT_TEXT("y", struct arguments, y),
    ARGUMENT_TEXT("by", struct arguments, by),
    ARGUMENT_TEXT("panels", struct arguments, panels),
    ARGUMENT_TEXT("table", struct arguments, table),
    ARGUMENT_READ("size", struct arguments, size, read_size, "--size takes column, page or slide, not"),
    ARGUMENT_TEXT("title", struct arguments, title),
    ARGUMENT_TEXT("name", struct arguments, name),
    ARGUMENT_TEXT("out", struct arguments, out),
    {.name = "label", .read = read_label, .refusal = "too many labels, from this one on", .again = true},
    ARGUMENT_WORD("logx", struct arguments, logx, "auto, true or false"),
    ARGUMENT_WORD("logy", struct arguments, logy, "true or false"),
    {.name = "yrange", .read = read_range, .refusal = "--yrange takes LOW:HIGH, with HIGH above LOW, not"},
    ARGUMENT_WORD("caption", struct arguments, caption, "auto or none"),
    ARGUMENT_WORD("format", struct arguments, format, "pictures or tikz"),
    ARGUMENT_FLAG("mixed", struct arguments, mixed),
    ARGUMENT_FLAG("series", struct arguments, series),
    ARGUMENT_WORD("what", struct arguments, what,
                  "goodput, rate, cwnd, flight, window, holes, queue, link, staging or jain"),
    ARGUMENT_TEXT("point", struct arguments, point),
    {0},
};

static int plot_dirs(struct arguments *a)
{
    if (a->count == 0)
        return wrong("which folder of results? Try `iwarpsim plot --help`", NULL);
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(a->dirs[i], a->dirs[j]) == 0)
                return wrong("this folder is listed twice", a->dirs[i]);
    if (!a->series && (a->what || a->point))
        return wrong("--what and --point need --series", NULL);
    if (a->series && (a->x || a->y || a->by || a->panels || a->table || a->labels_count || a->count > 1))
        return wrong("--series is of one folder, without --x, --y, --by, --panels, --table and --label",
                     NULL);
    return plot(a);
}

int command_plot(int argc, char **argv)
{
    struct arguments a = {.size = SIZE_PAGE, .y_low = NAN, .y_high = NAN};
    int status = arguments_read(argc, argv, "plot", help, rows, &a);
    a.dirs = argv + optind;
    a.count = argc - optind;
    return status < 0 ? plot_dirs(&a) : status;
}
