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

/* ---- styles ---- */

/* Okabe and Ito's colours in an order whose greys differ; dash and mark differ as well, for print without colour. Mark
 * and colour repeat together only after 49. */
static const char *const colours[] = {"#000000", "#D55E00", "#0072B2", "#E69F00",
                                      "#009E73", "#CC79A7", "#56B4E9"};
static const int marks[] = {6, 5, 9, 13, 11, 15, 7};
static const int dashes[] = {1, 2, 4, 1, 3, 5, 2};
enum { STYLES = sizeof marks / sizeof *marks };
#define TEX_MARK  1.8 /* of a mark's size: tikz draws them smaller */
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
            layout_sizes[f->size].mark * (k % STYLES ? 1 : OPEN_MARK) * (f->tex ? TEX_MARK : 1));
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

/* ---- text and lines of the layout ---- */

/* Inches from the left lower corner as shares of the picture. */
static void write_screen(const struct layout *l, double x, double y, FILE *out)
{
    fprintf(out, "screen %.4f, screen %.4f", x / l->width, y / l->height);
}

/* Of a text whose upper edge is at `top`: the middle of that line. */
static double line_middle(double top, double line, size_t i)
{
    return top - line * ((double)i + 0.5);
}

static unsigned text_is_for(const struct figure *f)
{
    return f->tex ? QUOTE_TEX : 0;
}

static void write_label(const struct figure *f, const struct layout *l, const struct text_piece *piece,
                        double x, double y, const char *how, FILE *out)
{
    fputs("    set label ", out);
    quote_gnuplot(out, piece->text, piece->len, text_is_for(f));
    fputs(" at ", out);
    write_screen(l, x, y, out);
    fprintf(out, " %s\n", how);
}

static void write_lines(const struct figure *f, const struct layout *l, const struct text_lines *lines,
                        double x, double top, const char *how, double share, FILE *out)
{
    double line = text_line(layout_sizes[f->size].font * share);
    for (size_t i = 0; i < lines->count; i++)
        write_label(f, l, &lines->line[i], x, line_middle(top, line, i), how, out);
}

static void write_header(const struct figure *f, const struct layout *l, FILE *out)
{
    double top = l->height - layout_em(f, 0.5), line = text_line(layout_sizes[f->size].font);
    write_lines(f, l, &l->title, l->text_middle, top, "center", 1, out);
    write_lines(f, l, &l->caption_lines, l->text_middle, top - line * (double)l->title.count,
                "center font small", LAYOUT_SMALL, out);
}

/* ---- the legend ---- */

static const char *style_of(const struct figure *f, const struct plot_series *s)
{
    return f->plain || f->y[s->y].exact ? "lines" : f->words ? "points" : "linespoints";
}

/* A line with its mark in the middle of it, as style_of() says. */
static void write_sample(const struct figure *f, const struct layout *l, size_t number, double x, double y,
                         FILE *out)
{
    const char *style = style_of(f, &f->series[number - 1]);
    double wide = layout_em(f, layout_sizes[f->size].sample);
    if (strncmp(style, "lines", 5) == 0) {
        fputs("    set arrow from ", out);
        write_screen(l, x, y, out);
        fputs(" to ", out);
        write_screen(l, x + wide, y, out);
        fprintf(out, " nohead ls %zu\n", number);
    }
    if (strstr(style, "points")) {
        fputs("    set label \"\" at ", out);
        write_screen(l, x + wide / 2, y, out);
        fprintf(out, " point ls %zu\n", number);
    }
}

/* How many lines it took. */
static size_t write_entry(const struct figure *f, const struct layout *l, size_t number, double x, double top,
                          FILE *out)
{
    char title[LAYOUT_TITLE_LONG];
    struct text_lines lines;
    double font = layout_sizes[f->size].font;
    layout_legend_title(f, &f->series[number - 1], title);
    text_break(title, l->legend.columns > 1 ? INFINITY : l->legend.text, font, &lines);
    write_sample(f, l, number, x, line_middle(top, text_line(font), 0), out);
    write_lines(f, l, &lines, x + layout_em(f, layout_sizes[f->size].sample + 0.6), top, "left", 1, out);
    return lines.count;
}

static void write_legend(const struct figure *f, const struct layout *l, FILE *out)
{
    const struct layout_legend *g = &l->legend;
    double top = g->top;
    size_t column = 0;
    write_lines(f, l, &g->title, g->title_at, g->title_top, "center", 1, out);
    for (size_t i = 0; i < f->count; i++) {
        if (!layout_in_legend(f, &f->series[i]))
            continue;
        double x = g->left + (double)column * (g->cell + layout_em(f, 2));
        size_t lines = write_entry(f, l, i + 1, x, top, out);
        column = (column + 1) % g->columns;
        top -= column ? 0 : text_line(layout_sizes[f->size].font) * (double)lines;
    }
}

/* ---- the x axis ---- */

static void write_x_axis(const struct figure *f, const struct layout *l, FILE *out)
{
    const struct layout_span *s = &l->span;
    size_t count;
    struct layout_tick *tick = layout_x_ticks(f, l, &count);
    if (f->logx)
        fputs("set logscale x\n", out);
    if (s->right > s->left)
        fprintf(out, "set xrange [%.6g:%.6g]\n", s->left, s->right);
    fputs("set xtics (", out);
    for (size_t i = 0; tick && i < count; i++)
        fprintf(out, "%s\"\" %.15g", i ? ", " : "", tick[i].at);
    free(tick);
    fputs(")\nof(series, number, value) = number == series ? value : NaN\n", out);
    fprintf(out, "at(x) = x%s\n", s->zero ? " > 0 ? x : zero" : "");
    if (s->zero)
        fprintf(out, "zero = %.6g\n", s->zero_at);
}

/* The axis is broken between 0 and the rest. */
static void write_break(const struct layout *l, FILE *out)
{
    if (l->span.zero)
        fprintf(out, "    set label '//' at %.6g, graph 0 center front\n",
                sqrt(l->span.zero_at * l->span.low));
}

static void write_x_tick(const struct figure *f, const struct layout *l, const struct layout_tick *tick,
                         double top, FILE *out)
{
    struct text_lines lines = {1, {{tick->text, strlen(tick->text)}}};
    double x = l->left + layout_position(f, l, tick->at);
    if (l->turned)
        write_label(f, l, &lines.line[0], x, top, "right rotate by 90", out);
    if (l->turned)
        return;
    if (f->words)
        text_break(tick->text, layout_slot(f, l), layout_sizes[f->size].font, &lines);
    write_lines(f, l, &lines, x, top, "center", 1, out);
}

/* Labels of the ticks and of the axis, below the last panel. */
static void write_x_labels(const struct figure *f, const struct layout *l, FILE *out)
{
    size_t count;
    double top = l->panel[f->panels - 1].bottom - layout_em(f, 0.7);
    struct layout_tick *tick = layout_x_ticks(f, l, &count);
    for (size_t i = 0; tick && i < count; i++)
        write_x_tick(f, l, &tick[i], top, out);
    free(tick);
    write_lines(f, l, &l->x_label, (l->left + l->right) / 2, top - l->ticks_high, "center", 1, out);
}

/* ---- the y axes ---- */

static void write_y_label(const struct figure *f, const struct layout *l, const struct layout_panel *p,
                          FILE *out)
{
    const struct text_lines *lines = &p->label_lines;
    double line = text_line(layout_sizes[f->size].font), middle = (p->top + p->bottom) / 2;
    for (size_t i = 0; i < lines->count; i++)
        write_label(f, l, &lines->line[i], l->labels + line * ((double)i + 0.5), middle,
                    "center rotate by 90", out);
}

static void write_y_axis(const struct figure *f, const struct layout_panel *p, FILE *out)
{
    fprintf(out, "    %sset yrange [%.15g:%.15g]; floor = %.15g\n    set ytics (",
            f->logy ? "set logscale y; " : "", p->low, p->high, p->low);
    for (size_t i = 0; i < p->ticks; i++) {
        fputs(i ? ", " : "", out);
        quote_gnuplot(out, p->tick[i].text, strlen(p->tick[i].text), QUOTE_FORMAT | text_is_for(f));
        fprintf(out, " %.15g%s", p->tick[i].at, *p->tick[i].text ? "" : " 1");
    }
    fputs(")\n", out);
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

static void write_bars(const struct figure *f, size_t number, const char *x, FILE *out)
{
    const char *low = f->logy ? "($5 > floor ? $5 : floor)" : "$5";
    fprintf(out,
            ", \\\n         data skip 1 using (%s):(of(%zu, $1, %s)):(0):($6 - %s) "
            "with vectors heads fixed size screen 0.005,90 ls %zu dt 1",
            x, number, low, low, number);
}

/* What the adapter's numbers leave open: an area about the curve; about a word, a broad bar. */
static void write_band(const struct figure *f, size_t number, const char *x, FILE *out)
{
    const char *low = f->logy ? "($11 > floor ? $11 : floor)" : "$11";
    if (f->words)
        fprintf(out,
                "data skip 1 using (%s):(of(%zu, $1, %s)):(0):($12 - %s) with vectors nohead lw 7 lc rgb "
                "'#c0%s', \\\n         ",
                x, number, low, low, colour_of(f, number) + 1);
    else
        fprintf(out,
                "data skip 1 using (%s):(of(%zu, $1, %s)):($12) with filledcurves fc rgb '#c0%s', "
                "\\\n         ",
                x, number, low, colour_of(f, number) + 1);
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
        fprintf(out, "data skip 1 using (%s - %.3g):(of(%zu, $1, $4)):(%.3g):(0) with vectors nohead ls %zu",
                x, dash_of(f, s) / 2, number, dash_of(f, s), number);
    else
        fprintf(out, "data skip 1 using (%s):(of(%zu, $1, $4)) with %s ls %zu", x, number, style_of(f, s),
                number);
    if (s->bars)
        write_bars(f, number, x, out);
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
    fputs("\n", out);
}

/* ---- panels ---- */

static void write_heading(const struct figure *f, const struct layout *l, size_t panel, FILE *out)
{
    const char *heading = layout_first_of(f, panel)->heading;
    struct text_piece all = {heading, strlen(heading)};
    if (*heading)
        write_label(f, l, &all, (l->left + l->right) / 2, l->panel[panel].top + layout_em(f, 0.9), "center",
                    out);
}

/* One of those that stand above each other; the last has the labels of the x axis. */
static void write_panel(const struct figure *f, const struct layout *l, size_t panel, FILE *out)
{
    const struct layout_panel *p = &l->panel[panel];
    fprintf(out, "    unset label; unset arrow\n    set tmargin at screen %.4f; set bmargin at screen %.4f\n",
            p->top / l->height, p->bottom / l->height);
    if (panel == 0)
        write_header(f, l, out);
    if (panel == 0 && l->legend.shown)
        write_legend(f, l, out);
    write_heading(f, l, panel, out);
    write_y_label(f, l, p, out);
    write_y_axis(f, p, out);
    write_break(l, out);
    if (panel + 1 == f->panels)
        write_x_labels(f, l, out);
    write_plot(f, panel, out);
}

/* ---- the script ---- */

static void write_settings(const struct figure *f, const struct layout *l, FILE *out)
{
    fputs("set datafile separator tab\nset border 3 lw 0.8\nset tics nomirror out scale 0.6,0.3\nset grid lc "
          "rgb '#dddddd' "
          "lw 0.5 dt 1\nunset key\n",
          out);
    fprintf(out, "set lmargin at screen %.4f; set rmargin at screen %.4f\n", l->left / l->width,
            l->right / l->width);
    write_x_axis(f, l, out);
    write_styles(f, out);
}

/* Its letters are those of the document that takes it in. */
static void write_tex_terminal(const struct figure *f, const struct layout *l, FILE *out)
{
    static const char font[] = "'\\fontsize{%.3g}{%.3g}\\selectfont'";
    double size = layout_sizes[f->size].font, small = size * LAYOUT_SMALL;
    fprintf(out, "    set terminal tikz size %.2fin,%.2fin linewidth 1.3 font ", l->width, l->height);
    fprintf(out, font, size, size * 1.2);
    fputs("\n    small = ", out);
    fprintf(out, font, small, small * 1.2);
    putc('\n', out);
}

static void write_terminals(const struct figure *f, const struct layout *l, FILE *out)
{
    double w = l->width, h = l->height;
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
    fprintf(out, "    small = kind eq 'svg' ? ',%d' : ',%d'\n", (int)(font * (4 / 3.0) * LAYOUT_SMALL),
            (int)(font * LAYOUT_SMALL));
}

static void write_script(const struct figure *f, const char *name, FILE *out)
{
    char caption[512];
    struct layout l;
    layout_make(f, &l);
    figure_method(f, caption, sizeof caption);
    fprintf(out, "# Made by: %s\n# points: %s\n", f->made_by, caption);
    gnuplot_name(out, name);
    fputs("data = name . '.tsv'\n", out);
    write_settings(f, &l, out);
    if (f->tex)
        gnuplot_need(out, "tikz");
    fprintf(out, "if (!exists(\"kinds\")) kinds = '%s'\ndo for [kind in kinds] {\n",
            f->tex ? "tex" : "svg png pdf");
    (f->tex ? write_tex_terminal : write_terminals)(f, &l, out);
    fputs("    set output name . '.' . kind\n", out);
    fputs(f->panels > 1 ? "    set multiplot\n" : "", out);
    for (size_t p = 0; p < f->panels; p++)
        write_panel(f, &l, p, out);
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
