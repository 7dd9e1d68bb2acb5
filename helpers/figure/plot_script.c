/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_script.c -- NAME.tsv, the data of a figure, and NAME.gp, the gnuplot script that draws them (plot.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/gnuplot.h"
#include "helpers/base/quote.h"
#include "helpers/figure/plot_layout.h"
#include "helpers/scenario/value.h"

/* ---- styles ---- */

/* Okabe and Ito's colours in an order whose greys differ; dash and mark differ as well, for print without colour. Mark
 * and colour repeat together only after 49. */
static const char *const colours[] = {"#000000", "#D55E00", "#0072B2", "#E69F00",
                                      "#009E73", "#CC79A7", "#56B4E9"};
static const int marks[] = {6, 5, 9, 13, 11, 15, 7};
static const int dashes[] = {1, 2, 4, 1, 3, 5, 2};
enum { STYLES = sizeof marks / sizeof *marks };
#define OPEN_MARK 1.6 /* of a mark's size: the first, a circle in which another curve's is seen */

/* Closed forms are thin and grey; each has a dash of its own. */
static void write_bound_style(const struct figure *f, const struct plot_series *s, size_t number, FILE *out)
{
    static const int bounds[] = {1, 2, 4, 5, 3};
    size_t k = 0;
    for (size_t y = 0; y < s->y; y++)
        k += f->y[y].exact && strcmp(f->y[y].only, f->y[s->y].only) == 0;
    fprintf(out, "set style line %zu lc rgb '#555555' dt %d lw %.1f\n", number,
            bounds[k % (sizeof bounds / sizeof *bounds)], layout_sizes[f->size].line * 0.6);
}

/* Of the series with this number, "#000000". */
static const char *colour_of(const struct figure *f, size_t number)
{
    const struct plot_series *s = &f->series[number - 1];
    size_t k = layout_turn_of(f, s->y) * f->groups + s->number;
    return colours[(f->groups > 1 ? s->number : k) % STYLES];
}

static void write_style(const struct figure *f, const struct plot_series *s, size_t number, FILE *out)
{
    if (f->y[s->y].exact) {
        write_bound_style(f, s, number, out);
        return;
    }
    size_t k = layout_turn_of(f, s->y) * f->groups + s->number;
    fprintf(out, "set style line %zu lc rgb '%s' dt %d pt %d lw %.1f ps %.1f\n", number, colour_of(f, number),
            dashes[k % STYLES], marks[(k + k / STYLES) % STYLES], layout_sizes[f->size].line,
            layout_sizes[f->size].mark * (k % STYLES ? 1 : OPEN_MARK));
}

static void write_styles(const struct figure *f, FILE *out)
{
    for (size_t i = 0; i < f->count; i++)
        write_style(f, &f->series[i], i + 1, out);
}

/* ---- the data ---- */

/* A cell that is text; one that begins as a formula does is marked, as csv_cell() marks it. */
static void write_cell(FILE *out, const char *text)
{
    if (*text && strchr("=+-@", *text))
        putc('\'', out);
    for (; *text; text++)
        putc((unsigned char)*text < ' ' ? ' ' : *text, out);
}

static bool has_bands(const struct figure *f)
{
    return f->draws || f->reduced;
}

static void write_plot_point(const struct figure *f, size_t number, const struct plot_series *s,
                             const struct plot_point *p, FILE *out)
{
    char title[NAME_LONG + LABEL_LONG + 4];
    layout_curve_title(f, s, title, sizeof title);
    fprintf(out, "%zu\t", number);
    write_cell(out, title);
    fprintf(out, "\t%.15g\t%.15g\t", p->x, p->stats.median);
    if (stats_has_bar(&p->stats))
        fprintf(out, "%.15g\t%.15g", stats_bar_low(&p->stats), stats_bar_high(&p->stats));
    else
        putc('\t', out);
    fprintf(out, "\t%zu\t", p->n);
    write_cell(out, p->name);
    putc('\t', out);
    if (f->y[s->y].exact)
        fputs("closed form", out);
    else if (p->stats.kind == STATS_FEW)
        fputs("smallest to largest", out);
    else if (p->stats.kind == STATS_NOTHING && p->n)
        fputs("median of neighbours", out);
    else
        stats_median_method(&p->stats, out);
    fprintf(out, "\t%s", f->y[s->y].column);
    if (has_bands(f) && p->drawn)
        fprintf(out, "\t%.15g\t%.15g", p->band_low, p->band_high);
    else
        fputs(has_bands(f) ? "\t\t" : "", out);
    putc('\n', out);
}

static void write_data(const struct figure *f, FILE *out)
{
    fprintf(out, "series\tname\tx\tmedian\tlow\thigh\tn\tplace\tmethod\tcolumn%s\n",
            has_bands(f) ? "\tband_low\tband_high" : "");
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; j < f->series[i].count; j++)
            write_plot_point(f, i + 1, &f->series[i], &f->series[i].points[j], out);
}

/* ---- text ---- */

static void write_quoted(FILE *out, const char *text)
{
    quote_gnuplot(out, text, strlen(text), false);
}

/* The text in lines of `width` letters; how many. NULL: only count. */
static size_t write_lines(FILE *out, const char *text, size_t width)
{
    size_t lines = 0;
    while (*text) {
        size_t end = layout_line_end(text, width);
        if (out && lines)
            fputs(" . \"\\n\" . ", out);
        if (out)
            quote_gnuplot(out, text, end, false);
        text += end;
        text += strspn(text, " ");
        lines++;
    }
    if (out && lines == 0)
        fputs("\"\"", out);
    return lines;
}

static void write_axis_label(const struct figure *f, const char *command, const char *label, const char *unit,
                             double inches, FILE *out)
{
    char text[LABEL_LONG + 64];
    if (!unit || !*unit)
        snprintf(text, sizeof text, "%s", label);
    else
        snprintf(text, sizeof text, "%s (%s)", label, unit);
    fprintf(out, "%s ", command);
    write_lines(out, text, (size_t)(inches / layout_letters(f, 1)));
    putc('\n', out);
}

/* ---- the x axis ---- */

/* "4KiB", "1e-5", "0.25", a word. */
static void tick_text(const struct figure *f, const struct plot_point *p, char *text, size_t size)
{
    static const struct value_rules octets = {.type = VALUE_OCTETS};
    struct value v = {.type = VALUE_OCTETS, .n = p->x > 0 ? (uint64_t)p->x : 0};
    if (f->words) {
        snprintf(text, size, "%s", p->name);
        return;
    }
    if (f->octets && v.n && v.n % 1024) { /* 9000B, the MTU, and not 9kB */
        snprintf(text, size, "%lluB", (unsigned long long)v.n);
        return;
    }
    if (f->octets && v.n) {
        value_write(&v, &octets, text, size);
        return;
    }
    snprintf(text, size, "%.6g", p->x);
    char *exponent = strpbrk(text, "e");
    if (exponent && exponent[2] == '0')
        memmove(exponent + 2, exponent + 3, strlen(exponent + 3) + 1);
}

/* Ticks at the places of the curves, as many as have room for their labels; words all, turned if they must be. */
static void write_places(const struct figure *f, const struct layout_span *s, FILE *out)
{
    size_t count;
    const char *between = "";
    bool crowded = false;
    double end = -1e9; /* of the last label */
    const struct plot_point **place = figure_places(f, &count);
    fputs("set xtics (", out);
    for (size_t i = 0; place && i < count; i++) {
        char text[64];
        tick_text(f, place[i], text, sizeof text);
        double half = layout_letters(f, (double)strlen(text)) / 2, at = layout_position(f, s, place[i]->x);
        bool room = at - half > end + layout_letters(f, 2);
        crowded |= !room;
        if (!room && !f->words)
            continue;
        end = at + half;
        fputs(between, out);
        quote_gnuplot(out, text, strlen(text), true);
        fprintf(out, " %.15g", f->logx && !(place[i]->x > 0) ? s->zero_at : place[i]->x);
        between = ", ";
    }
    fprintf(out, ")%s\n", f->words && crowded ? " rotate by 30 right" : "");
    free(place);
}

/* So few that each is a tick; of more gnuplot makes round ones. */
static bool has_few_places(const struct figure *f)
{
    enum { FEW = 9 };
    size_t count = 0;
    free(figure_places(f, &count));
    return count <= FEW;
}

static void write_x_axis(const struct figure *f, FILE *out)
{
    struct layout_span s = layout_span_of(f);
    if (f->logx)
        fputs("set logscale x\n", out);
    if (s.right > s.left)
        fprintf(out, "set xrange [%.6g:%.6g]\n", s.left, s.right);
    if (f->words || f->logx || f->octets || has_few_places(f))
        write_places(f, &s, out);
    fputs("of(series, number, value) = number == series ? value : NaN\n", out);
    fprintf(out, "at(x) = x%s\n", s.zero ? " > 0 ? x : zero" : "");
    if (s.zero) /* the axis is broken between 0 and the rest */
        fprintf(out, "zero = %.6g\nset label 2 '//' at %.6g, graph 0 center front\n", s.zero_at,
                sqrt(s.zero_at * s.low));
}

/* ---- title and caption ---- */

static void write_title(const struct figure *f, FILE *out)
{
    char caption[512];
    layout_caption_of(f, caption, sizeof caption);
    fputs("caption = ", out);
    write_lines(out, caption, layout_title_letters(f, LAYOUT_SMALL));
    fputs("\ntitle = ", out);
    write_lines(out, f->title, layout_title_letters(f, 1));
    fprintf(out, "\nset tmargin %.1f\n", layout_header_lines(f));
}

/* Labels know no share of a font: its size again, for each kind of picture. */
static void write_title_labels(const struct figure *f, FILE *out)
{
    int font = layout_sizes[f->size].font;
    fputs("    set label 3 title at screen 0.5, screen 1 center offset 0,-0.9\n", out);
    fprintf(
        out,
        "    set label 1 caption at screen 0.5, screen 1 center offset 0,%.1f font (kind eq 'svg' ? ',%d' : "
        "',%d')\n",
        -0.8 - (double)layout_title_lines(f), (int)(font * (4 / 3.0) * LAYOUT_SMALL),
        (int)(font * LAYOUT_SMALL));
}

/* ---- the y axes in gnuplot's words ---- */

/* Words that all measured columns of a panel end with, "latency"; the rest of `label`. */
static const char *common_end(const struct figure *f, size_t panel, const char *label)
{
    for (const char *words = label; words; words = strchr(words + 1, ' ')) {
        bool all = true;
        for (size_t y = 0; y < f->y_count; y++) {
            size_t len = strlen(f->y[y].label), end = strlen(words);
            bool counts = f->y[y].panel == panel && !f->y[y].exact;
            all &= !counts || (len >= end && strcmp(f->y[y].label + len - end, words) == 0);
        }
        if (all)
            return words + (*words == ' ');
    }
    return "";
}

/* The label of the panel's column; of several what their labels have in common; with the unit. */
static void write_y_label(const struct figure *f, size_t panel, const char *indent, FILE *out)
{
    const struct plot_y *shown = NULL;
    char label[LABEL_LONG];
    bool measured = layout_measured_in(f, panel) > 0;
    for (size_t y = 0; y < f->y_count; y++)
        if (!shown && f->y[y].panel == panel && (!measured || !f->y[y].exact))
            shown = &f->y[y];
    snprintf(label, sizeof label, "%s", measured ? common_end(f, panel, shown->label) : shown->label);
    if (*label >= 'a' && *label <= 'z')
        *label = (char)(*label - 'a' + 'A');
    fputs(indent, out);
    write_axis_label(f, "set ylabel", *label ? label : shown->unit, *label ? shown->unit : "",
                     layout_panel_height(f) + layout_letters(f, 5), out);
}

/* Over less than two decades powers of ten are too few ticks: 1, 2, 5, 10, 20 ... */
static void write_log_ticks(double low, double high, const char *indent, FILE *out)
{
    const char *between = "";
    fprintf(out, "%sset ytics %s", indent, high / low < 100 ? "(" : "autofreq\n");
    if (high / low >= 100)
        return;
    for (int decade = (int)floor(log10(low)); decade <= (int)floor(log10(high)); decade++)
        for (int i = 0; i < 3; i++) {
            double tick = pow(10, decade) * (const double[]){1, 2, 5}[i];
            if (tick < low || tick > high)
                continue;
            fprintf(out, "%s%.6g", between, tick);
            between = ", ";
        }
    fputs(")\n", out);
}

static void write_y_axis(const struct figure *f, size_t panel, const char *indent, FILE *out)
{
    struct layout_heights h = layout_heights_of(f, panel);
    write_y_label(f, panel, indent, out);
    if (!isnan(f->y_low) && strcmp(layout_first_of(f, panel)->unit, f->y[0].unit) == 0) {
        fprintf(out, "%s%sset yrange [%.15g:%.15g]; floor = %.15g\n", indent,
                f->logy ? "set logscale y; " : "", f->y_low, f->y_high, f->y_low);
    } else if (f->logy && h.high > 0) {
        double room = h.high / h.low > 100 ? 1.5 : 1.1;
        fprintf(out, "%sset logscale y; set yrange [%.6g:%.6g]; floor = %.6g\n", indent, h.low / room,
                h.high * room, h.low / room);
        write_log_ticks(h.low / room, h.high * room, indent, out);
    } else
        fprintf(out, "%sset yrange [%s:*]\n", indent, h.negative ? "*" : "0");
}

/* ---- curves in gnuplot's words ---- */

/* Between words there are no lines: dots beside each other, and a closed form as a dash over the dots that it is about. */
#define DODGE      0.5  /* of the room between two words, all of them at most */
#define DODGE_EACH 0.15 /* from one to the next */

/* Is a closed form another one for another curve? */
static bool differs_by_group(const struct figure *f, size_t y)
{
    size_t drawn = 0;
    for (size_t i = 0; i < f->count; i++)
        drawn += f->series[i].y == y && !layout_is_drawn(f, &f->series[i]);
    return drawn > 1;
}

static double dodge_room(size_t curves)
{
    double room = DODGE_EACH * (double)(curves - 1);
    return room < DODGE ? room : DODGE;
}

static double dodge_of(const struct figure *f, const struct plot_series *s)
{
    size_t all = layout_measured_in(f, f->y[s->y].panel) * f->groups,
           k = layout_turn_of(f, s->y) * f->groups + s->number;
    bool alone = all < 2 || (f->y[s->y].exact && !differs_by_group(f, s->y));
    return alone ? 0
                 : dodge_room(all) * ((double)(f->y[s->y].exact ? s->number : k) / (double)(all - 1) - 0.5);
}

static double dash_of(const struct figure *f, const struct plot_series *s)
{
    size_t all = layout_measured_in(f, f->y[s->y].panel) * f->groups;
    bool each = all > 1 && differs_by_group(f, s->y);
    return each ? 0.8 * dodge_room(all) / (double)(all - 1) : 1.3 * DODGE;
}

static void write_title_of(const struct figure *f, const struct plot_series *s, FILE *out)
{
    char title[LAYOUT_TITLE_LONG];
    layout_curve_title(f, s, title, sizeof title);
    fputs("title ", out);
    write_quoted(out, f->y[s->y].exact ? f->y[s->y].curve : title);
}

static void write_bars(const struct figure *f, size_t number, const char *x, FILE *out)
{
    const char *low = f->logy ? "($5 > floor ? $5 : floor)" : "$5";
    fprintf(out,
            ", \\\n         data skip 1 using (%s):(of(%zu, $1, %s)):(0):($6 - %s) "
            "with vectors heads fixed size screen 0.005,90 ls %zu dt 1 notitle",
            x, number, low, low, number);
}

/* What the adapter's numbers leave open: an area about the curve; about a word, a broad bar. */
static void write_band(const struct figure *f, size_t number, const char *x, FILE *out)
{
    const char *low = f->logy ? "($11 > floor ? $11 : floor)" : "$11";
    if (f->words)
        fprintf(out,
                "data skip 1 using (%s):(of(%zu, $1, %s)):(0):($12 - %s) with vectors nohead lw 7 lc rgb "
                "'#c0%s' notitle, \\\n         ",
                x, number, low, low, colour_of(f, number) + 1);
    else
        fprintf(out,
                "data skip 1 using (%s):(of(%zu, $1, %s)):($12) with filledcurves fc rgb '#c0%s' notitle, "
                "\\\n         ",
                x, number, low, colour_of(f, number) + 1);
}

static const char *style_of(const struct figure *f, const struct plot_series *s)
{
    return f->plain || f->y[s->y].exact ? "lines" : f->words ? "points" : "linespoints";
}

static void write_curve(const struct figure *f, size_t number, const struct plot_series *s, FILE *out)
{
    bool exact = f->y[s->y].exact;
    char x[40] = "at($3)";
    if (f->words)
        snprintf(x, sizeof x, "at($3) + %.3g", dodge_of(f, s));
    if (s->band && !exact)
        write_band(f, number, x, out);
    if (f->words && exact)
        fprintf(out, "data skip 1 using (%s - %.3g):(of(%zu, $1, $4)):(%.3g):(0) with vectors nohead ls %zu ",
                x, dash_of(f, s) / 2, number, dash_of(f, s), number);
    else
        fprintf(out, "data skip 1 using (%s):(of(%zu, $1, $4)) with %s ls %zu ", x, number, style_of(f, s),
                number);
    if (layout_in_legend(f, s) && f->y[s->y].panel == 0)
        write_title_of(f, s, out);
    else
        fputs("notitle", out);
    if (s->bars)
        write_bars(f, number, x, out);
}

/* What the legend says of curves that are in other panels only. */
static void write_entries(const struct figure *f, FILE *out)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct plot_series *s = &f->series[i];
        if (f->y[s->y].panel == 0 || !layout_in_legend(f, s))
            continue;
        fprintf(out, ", \\\n         keyentry with %s ls %zu ", style_of(f, s), i + 1);
        write_title_of(f, s, out);
    }
}

static void write_plot(const struct figure *f, size_t panel, FILE *out)
{
    const char *between = "    plot ";
    for (size_t i = 0; i < f->count; i++) {
        if (f->y[f->series[i].y].panel != panel || layout_is_drawn(f, &f->series[i]))
            continue;
        fputs(between, out);
        write_curve(f, i + 1, &f->series[i], out);
        between = ", \\\n         ";
    }
    if (panel == 0)
        write_entries(f, out);
    fputs("\n", out);
}

/* ---- panels ---- */

/* gnuplot's svg sets what is below the x axis far from it: by so many letters nearer. It takes letters for wider, too. */
#define LIFT         "    lift = kind eq 'svg' ? 0.5 : 0\n    set xtics offset 0,lift\n"
#define LIFT_X_LABEL "    set xlabel offset 0,2*lift\n"

static void write_legend(const struct figure *f, size_t panel, FILE *out)
{
    if (!layout_has_legend(f) || panel > 0)
        fputs("    unset key\n", out);
    else if (!layout_legend_below(f))
        fprintf(out, "    set key outside right center vertical samplen %.1f\n",
                layout_sizes[f->size].sample);
    else if (f->panels == 1)
        fprintf(out, "    set key below samplen %.1f width -10*lift\n", layout_sizes[f->size].sample);
    else /* one for all panels, below them */
        fprintf(out,
                "    set key at screen 0.5, screen 0.01 center bottom horizontal samplen %.1f "
                "width -10*lift\n",
                layout_sizes[f->size].sample);
}

static void write_heading(const struct figure *f, size_t panel, FILE *out)
{
    const char *heading = layout_first_of(f, panel)->heading;
    if (!*heading)
        return;
    fputs("    set label 4 ", out);
    write_quoted(out, heading);
    fputs(" at graph 0.5, graph 1 center offset 0,0.7\n", out);
}

/* One of several panels; the last has the label of the x axis. */
static void write_panel(const struct figure *f, size_t panel, FILE *out)
{
    double height = layout_height_of(f);
    fprintf(out, "    set tmargin at screen %.4f; set bmargin at screen %.4f\n",
            layout_panel_top(f, panel) / height,
            (layout_panel_top(f, panel) - layout_panel_height(f)) / height);
    fprintf(out, "    set lmargin at screen %.4f; set rmargin at screen %.4f\n",
            layout_letters(f, 15) / layout_sizes[f->size].width,
            1 - (layout_letters(f, 2) + layout_legend_width(f)) / layout_sizes[f->size].width);
    if (panel + 1 == f->panels) {
        write_axis_label(f, "    set xlabel", f->x_label, "", layout_axis_width(f), out);
        fputs(LIFT_X_LABEL, out);
    } else
        fputs("    unset xlabel\n", out);
    write_y_axis(f, panel, "    ", out);
    write_heading(f, panel, out);
    write_legend(f, panel, out);
    write_plot(f, panel, out);
    if (panel == 0) /* once is enough */
        fputs("    unset label 1; unset label 3\n", out);
}

/* ---- the script ---- */

static void write_settings(const struct figure *f, FILE *out)
{
    fputs("set datafile separator tab\nset border 3 lw 0.8\nset tics nomirror out\nset grid lc rgb '#dddddd' "
          "lw 0.5 dt 1\n",
          out);
    write_title(f, out);
    if (*f->by_label) {
        fputs("set key title ", out);
        write_quoted(out, f->by_label);
        putc('\n', out);
    }
    write_x_axis(f, out);
    write_styles(f, out);
}

static void write_terminals(const struct figure *f, FILE *out)
{
    double w = layout_sizes[f->size].width, h = layout_height_of(f);
    int font = layout_sizes[f->size].font;
    fprintf(
        out,
        "    if (kind eq 'svg') { set terminal svg noenhanced size %.0f,%.0f font 'sans,%d' background rgb "
        "'white' }\n",
        w * 96, h * 96, font * 4 / 3);
    fprintf(
        out,
        "    if (kind eq 'png') { set terminal pngcairo noenhanced size %.0f,%.0f font 'sans,%d' fontscale "
        "%.2f linewidth 2 pointscale 2 }\n",
        w * 200, h * 200, font, 200 / 96.0);
    fprintf(out,
            "    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size %.2fin,%.2fin font 'sans,%d' "
            "fontscale 0.75 }\n",
            w, h, font);
    fputs(f->panels == 1 ? LIFT LIFT_X_LABEL : LIFT, out);
    write_title_labels(f, out);
}

static void write_one_panel(const struct figure *f, FILE *out)
{
    write_legend(f, 0, out);
    write_plot(f, 0, out);
}

static void write_script(const struct figure *f, const char *name, FILE *out)
{
    char caption[512];
    figure_method(f, caption, sizeof caption);
    fprintf(out, "# Made by: %s\n# points: %s\n", f->made_by, caption);
    gnuplot_name(out, name);
    fputs("data = name . '.tsv'\n", out);
    write_settings(f, out);
    if (f->panels == 1) {
        write_axis_label(f, "set xlabel", f->x_label, "", layout_axis_width(f), out);
        write_y_axis(f, 0, "", out);
    }
    fputs("do for [kind in 'svg png pdf'] {\n", out);
    write_terminals(f, out);
    fputs("    set output name . '.' . kind\n", out);
    if (f->panels == 1)
        write_one_panel(f, out);
    else
        fputs("    set multiplot\n", out);
    for (size_t p = 0; f->panels > 1 && p < f->panels; p++)
        write_panel(f, p, out);
    fprintf(out, "%s}\nunset output\n", f->panels > 1 ? "    unset multiplot\n" : "");
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
    return good || cannot_write(false, "plot", path);
}
