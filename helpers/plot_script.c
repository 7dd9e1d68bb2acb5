/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_script.c -- NAME.tsv, the data of a figure, and NAME.gp, the gnuplot script that draws them (plot.h). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/files.h"
#include "helpers/plot.h"
#include "helpers/value.h"

/* ---- sizes ---- */

static const struct {
    double width, height; /* inches */
    int font;             /* points */
    double line, mark;
    double sample; /* letters: length of a line in the legend */
    bool below;    /* the legend stands always below */
} sizes[SIZES] = {
    [SIZE_COLUMN] = {3.35, 2.6, 8, 1.2, 0.5, 2.5, true},
    [SIZE_PAGE] = {7.0, 4.2, 11, 1.6, 0.8, 3, false},
    [SIZE_SLIDE] = {10.0, 5.6, 18, 2.5, 1.2, 3, false},
};

#define PANEL_MORE 0.7 /* of a figure's height for each panel after the first */

static double height_of(const struct figure *f)
{
    return sizes[f->size].height * (1 + PANEL_MORE * (double)(f->panels - 1));
}

/* Inches that so many letters take, about. */
static double letters(const struct figure *f, double count)
{
    return count * 0.56 * sizes[f->size].font / 72;
}

/* ---- curves ---- */

static size_t measured_in(const struct figure *f, size_t panel)
{
    size_t n = 0;
    for (size_t y = 0; y < f->y_count; y++)
        n += f->y[y].panel == panel && !f->y[y].exact;
    return n;
}

/* What the legend says of a curve. */
static void curve_title(const struct figure *f, const struct plot_series *s, char *title, size_t size)
{
    const struct plot_y *y = &f->y[s->y];
    bool named = y->exact || measured_in(f, y->panel) > 1;
    snprintf(title, size, "%s%s%s", named ? y->label : "", named && *s->group ? ", " : "", s->group);
}

/* The how manieth of its panel a column is, closed forms not counted. */
static size_t turn_of(const struct figure *f, size_t y)
{
    size_t turn = 0;
    for (size_t i = 0; i < y; i++)
        turn += f->y[i].panel == f->y[y].panel && !f->y[i].exact;
    return turn;
}

/* ---- styles ---- */

/* Okabe and Ito's colours in an order whose greys differ; dash and mark differ as well, for print without colour. Mark
 * and colour repeat together only after 49. */
static const char *const colours[] = {"#000000", "#D55E00", "#0072B2", "#E69F00",
                                      "#009E73", "#CC79A7", "#56B4E9"};
static const int marks[] = {7, 5, 9, 13, 11, 15, 6};
static const int dashes[] = {1, 2, 4, 1, 3, 5, 2};
enum { STYLES = sizeof marks / sizeof *marks };

static void write_style(const struct figure *f, const struct plot_series *s, size_t number, FILE *out)
{
    size_t k = turn_of(f, s->y) * f->groups + s->number;
    size_t colour = f->groups > 1 ? s->number : k;
    bool exact = f->y[s->y].exact;
    fprintf(out, "set style line %zu lc rgb '%s' dt %d pt %d lw %.1f ps %.1f\n", number,
            colours[colour % STYLES], exact ? 1 : dashes[k % STYLES], marks[(k + k / STYLES) % STYLES],
            sizes[f->size].line * (exact ? 0.5 : 1), sizes[f->size].mark);
}

static void write_styles(const struct figure *f, FILE *out)
{
    for (size_t i = 0; i < f->count; i++)
        write_style(f, &f->series[i], i + 1, out);
}

/* ---- the data ---- */

/* Names of folders may hold anything; a table's cells no tabs or new lines. */
static void write_cell(FILE *out, const char *text)
{
    for (; *text; text++)
        putc((unsigned char)*text < ' ' ? ' ' : *text, out);
}

static bool has_bar(const struct stats *s)
{
    return s->kind == STATS_FEW || s->kind == STATS_MANY;
}

static double bar_low(const struct stats *s)
{
    return s->kind == STATS_MANY ? s->median_low : s->smallest;
}

static double bar_high(const struct stats *s)
{
    return s->kind == STATS_MANY ? s->median_high : s->largest;
}

static void write_point(const struct figure *f, size_t number, const struct plot_series *s,
                        const struct plot_point *p, FILE *out)
{
    char title[NAME_LONG + LABEL_LONG + 4];
    curve_title(f, s, title, sizeof title);
    fprintf(out, "%zu\t", number);
    write_cell(out, title);
    fprintf(out, "\t%.15g\t%.15g\t", p->x, p->stats.median);
    if (has_bar(&p->stats))
        fprintf(out, "%.15g\t%.15g", bar_low(&p->stats), bar_high(&p->stats));
    else
        putc('\t', out);
    fprintf(out, "\t%zu\t", p->n);
    write_cell(out, p->name);
    putc('\t', out);
    if (f->y[s->y].exact)
        fputs("closed form", out);
    else if (p->stats.kind == STATS_FEW)
        fputs("smallest to largest", out);
    else
        stats_median_method(&p->stats, out);
    fprintf(out, "\t%s\n", f->y[s->y].column);
}

static void write_data(const struct figure *f, FILE *out)
{
    fputs("series\tname\tx\tmedian\tlow\thigh\tn\tplace\tmethod\tcolumn\n", out);
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; j < f->series[i].count; j++)
            write_point(f, i + 1, &f->series[i], &f->series[i].points[j], out);
}

/* ---- text ---- */

/* A string of gnuplot: what it would take for its own (quotes, escapes, commands, macros) as octal numbers. Tick labels are
 * formats as well. */
static void write_quoted_part(FILE *out, const char *text, size_t len, bool format)
{
    putc('"', out);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i] < ' ' ? ' ' : (unsigned char)text[i];
        if (strchr("'\"\\`@", c))
            fprintf(out, "\\%03o", c);
        else
            fprintf(out, format && c == '%' ? "%%%%" : "%c", c);
    }
    putc('"', out);
}

static void write_quoted(FILE *out, const char *text)
{
    write_quoted_part(out, text, strlen(text), false);
}

/* Where the next line of a text ends that has room for `width` letters: at a blank, or in the middle of a long word. */
static size_t line_end(const char *text, size_t width)
{
    size_t len = strlen(text), end = width;
    if (len <= width)
        return len;
    while (end && text[end] != ' ')
        end--;
    if (end)
        return end;
    for (end = width; end > 1 && ((unsigned char)text[end] & 0xc0) == 0x80;) /* not inside a letter */
        end--;
    return end;
}

/* The text in lines of `width` letters; how many. NULL: only count. */
static size_t write_lines(FILE *out, const char *text, size_t width)
{
    size_t lines = 0;
    while (*text) {
        size_t end = line_end(text, width);
        if (out && lines)
            fputs(" . \"\\n\" . ", out);
        if (out)
            write_quoted_part(out, text, end, false);
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
    snprintf(text, sizeof text, "%s%s%s%s", label, *unit ? " (" : "", unit, *unit ? ")" : "");
    fprintf(out, "%s ", command);
    write_lines(out, text, (size_t)(inches / letters(f, 1)));
    putc('\n', out);
}

/* ---- the legend ---- */

static bool in_legend(const struct figure *f, const struct plot_series *s)
{
    if (!f->y[s->y].exact)
        return true;
    for (const struct plot_series *t = f->series; t < s; t++) /* one line for all of a closed form */
        if (t->y == s->y)
            return false;
    return true;
}

/* All panels have the same curves: one legend says all. */
static bool one_legend(const struct figure *f)
{
    for (size_t y = 0; y < f->y_count; y++)
        if (f->y[y].exact || measured_in(f, f->y[y].panel) > 1)
            return false;
    return f->panels > 1;
}

static size_t legend_lines(const struct figure *f, size_t panel)
{
    size_t lines = 0;
    for (size_t i = 0; i < f->count; i++)
        lines += f->y[f->series[i].y].panel == panel && in_legend(f, &f->series[i]);
    return lines;
}

/* Letters of the longest title in a panel's legend. */
static size_t longest_title(const struct figure *f, size_t panel)
{
    size_t longest = 0;
    for (size_t i = 0; i < f->count; i++) {
        char title[NAME_LONG + LABEL_LONG + 4];
        const struct plot_y *y = &f->y[f->series[i].y];
        if (y->panel != panel)
            continue;
        curve_title(f, &f->series[i], title, sizeof title);
        const char *shown = y->exact ? y->label : title;
        longest = strlen(shown) > longest ? strlen(shown) : longest;
    }
    return longest;
}

static size_t longest_of_all(const struct figure *f)
{
    size_t longest = 0;
    for (size_t p = 0; p < f->panels; p++)
        longest = longest_title(f, p) > longest ? longest_title(f, p) : longest;
    return longest;
}

static bool has_legend(const struct figure *f, size_t panel)
{
    return legend_lines(f, panel) > 1 && (panel == 0 || !one_legend(f));
}

enum { TITLE_LONG = 24 }; /* letters of a legend that is better read below than beside */

static bool legend_below(const struct figure *f)
{
    double high = 1.25 * (double)f->count * sizes[f->size].font / 72;
    return sizes[f->size].below || longest_of_all(f) > TITLE_LONG || high > 0.75 * height_of(f);
}

static bool any_legend(const struct figure *f)
{
    for (size_t p = 0; p < f->panels; p++)
        if (has_legend(f, p))
            return true;
    return false;
}

/* Inches beside the panels. */
static double legend_width(const struct figure *f)
{
    return any_legend(f) && !legend_below(f) ? letters(f, (double)longest_of_all(f) + 6) : 0;
}

/* Inches below the panels, or below each if each has its own. */
static double legend_height(const struct figure *f, size_t panel)
{
    double each = letters(f, (double)longest_title(f, panel) + sizes[f->size].sample + 9);
    double in_row = floor((sizes[f->size].width - letters(f, 4)) / each);
    double rows = ceil((double)legend_lines(f, panel) / (in_row > 1 ? in_row : 1));
    bool none = !has_legend(f, panel) || !legend_below(f);
    return none ? 0 : (rows + (*f->by_label ? 1 : 0)) * 1.25 * sizes[f->size].font / 72;
}

/* Inches between the ends of the x axis, about. */
static double axis_width(const struct figure *f)
{
    double width = sizes[f->size].width - letters(f, 10) - legend_width(f);
    return width > 1 ? width : 1;
}

/* ---- the x axis ---- */

struct span {
    double low, high;
    bool zero;      /* x = 0 has a place of its own on the logarithmic axis ... */
    double zero_at; /* ... here */
};

/* Smallest and largest x; on a logarithmic axis of those above 0, and the place of 0: as far below the smallest as that
 * is below the next, at least a half and at most a tenth. */
static struct span span_of(const struct figure *f)
{
    struct span s = {.low = 1, .high = 1};
    size_t count, first = 0;
    const struct plot_point **place = figure_places(f, &count);
    for (; place && f->logx && first < count && !(place[first]->x > 0); first++)
        s.zero = true;
    if (place && first < count) {
        s.low = place[first]->x;
        s.high = place[count - 1]->x;
        double step = first + 1 < count ? place[first + 1]->x / s.low : 10;
        s.zero_at = s.low / (step < 2 ? 2 : step > 10 ? 10 : step);
    }
    free(place);
    return s;
}

static double left_end(const struct figure *f, const struct span *s)
{
    double room = f->words ? 0.3 : (s->high - s->low) * 0.04;
    return f->logx ? (s->zero ? s->zero_at : s->low) / 1.15 : s->low - room;
}

static double right_end(const struct figure *f, const struct span *s)
{
    double room = f->words ? 0.3 : (s->high - s->low) * 0.04;
    return f->logx ? s->high * 1.15 : s->high + room;
}

/* Inches from the left end of the axis. */
static double position(const struct figure *f, const struct span *s, double x)
{
    double low = left_end(f, s), high = right_end(f, s);
    x = f->logx && !(x > 0) ? s->zero_at : x;
    double share = f->logx ? log(x / low) / log(high / low) : (x - low) / (high - low);
    return high > low ? share * axis_width(f) : 0;
}

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
static void write_places(const struct figure *f, const struct span *s, FILE *out)
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
        double half = letters(f, (double)strlen(text)) / 2, at = position(f, s, place[i]->x);
        bool room = at - half > end + letters(f, 2);
        crowded |= !room;
        if (!room && !f->words)
            continue;
        end = at + half;
        fputs(between, out);
        write_quoted_part(out, text, strlen(text), true);
        fprintf(out, " %.15g", f->logx && !(place[i]->x > 0) ? s->zero_at : place[i]->x);
        between = ", ";
    }
    fprintf(out, ")%s\n", f->words && crowded ? " rotate by 30 right" : "");
    free(place);
}

static void write_x_axis(const struct figure *f, FILE *out)
{
    struct span s = span_of(f);
    double low = left_end(f, &s), high = right_end(f, &s);
    if (f->logx)
        fputs("set logscale x\n", out);
    if (high > low)
        fprintf(out, "set xrange [%.6g:%.6g]\n", low, high);
    if (f->words || f->logx || f->octets)
        write_places(f, &s, out);
    fputs("of(series, number, value) = number == series ? value : NaN\n", out);
    fprintf(out, "at(x) = x%s\n", s.zero ? " > 0 ? x : zero" : "");
    if (s.zero) /* the axis is broken between 0 and the rest */
        fprintf(out, "zero = %.6g\nset label 2 '//' at %.6g, graph 0 center front\n", s.zero_at,
                sqrt(s.zero_at * s.low));
}

/* ---- the y axes ---- */

struct heights {
    double low, high; /* of those above 0, bars included */
    size_t at_zero;   /* points that a logarithmic axis cannot show */
    bool negative;
};

static struct heights heights_of(const struct figure *f, size_t panel)
{
    struct heights h = {.low = INFINITY, .high = 0};
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; f->y[f->series[i].y].panel == panel && j < f->series[i].count; j++) {
            const struct stats *s = &f->series[i].points[j].stats;
            h.at_zero += !(s->median > 0);
            h.negative |= s->smallest < 0;
            if (s->median > 0 && s->median < h.low)
                h.low = s->median;
            if (has_bar(s) && bar_low(s) > 0 && bar_low(s) < h.low)
                h.low = bar_low(s);
            h.high = s->largest > h.high ? s->largest : h.high;
        }
    return h;
}

static size_t hidden(const struct figure *f)
{
    size_t n = 0;
    for (size_t p = 0; f->logy && p < f->panels; p++)
        n += heights_of(f, p).at_zero;
    return n;
}

/* ---- title and caption ---- */

#define SMALL 0.8 /* of the font: the caption's */

/* How many letters of a size fit over the figure. */
static size_t title_letters(const struct figure *f, double size)
{
    return (size_t)(sizes[f->size].width / letters(f, 1) / size) - 2;
}

static void caption_of(const struct figure *f, char *text, size_t size)
{
    size_t unseen = hidden(f);
    figure_method(f, text, size);
    size_t used = strlen(text);
    if (unseen)
        snprintf(text + used, size - used, "; %zu point%s at 0 not shown", unseen, unseen == 1 ? "" : "s");
}

static size_t title_lines(const struct figure *f)
{
    return write_lines(NULL, f->title, title_letters(f, 1));
}

/* Lines of the figure's font above the first panel. */
static double header_lines(const struct figure *f)
{
    char caption[512];
    caption_of(f, caption, sizeof caption);
    return (double)title_lines(f) + SMALL * (double)write_lines(NULL, caption, title_letters(f, SMALL)) + 0.9;
}

static void write_title(const struct figure *f, FILE *out)
{
    char caption[512];
    caption_of(f, caption, sizeof caption);
    fputs("caption = ", out);
    write_lines(out, caption, title_letters(f, SMALL));
    fputs("\ntitle = ", out);
    write_lines(out, f->title, title_letters(f, 1));
    fprintf(out, "\nset tmargin %.1f\n", header_lines(f));
}

/* Labels know no share of a font: its size again, for each kind of picture. */
static void write_title_labels(const struct figure *f, FILE *out)
{
    int font = sizes[f->size].font;
    fputs("    set label 3 title at screen 0.5, screen 1 center offset 0,-0.9\n", out);
    fprintf(
        out,
        "    set label 1 caption at screen 0.5, screen 1 center offset 0,%.1f font (kind eq 'svg' ? ',%d' : "
        "',%d')\n",
        -0.8 - (double)title_lines(f), (int)(font * 4 / 3 * SMALL), (int)(font * SMALL));
}

/* ---- where panels stand: inches from the bottom ---- */

static double line_height(const struct figure *f)
{
    return 1.25 * sizes[f->size].font / 72;
}

/* Below a panel: ticks, the last one's label, its own legend. */
static double below_panel(const struct figure *f, size_t panel)
{
    bool last = panel + 1 == f->panels;
    double legend = one_legend(f) ? (last ? legend_height(f, 0) : 0) : legend_height(f, panel);
    return line_height(f) * (last ? 3.4 : 2.3) + legend;
}

static double panel_height(const struct figure *f)
{
    double rest = height_of(f) - line_height(f) * header_lines(f);
    for (size_t p = 0; p < f->panels; p++)
        rest -= below_panel(f, p);
    return rest / (double)f->panels;
}

static double panel_top(const struct figure *f, size_t panel)
{
    double top = height_of(f) - line_height(f) * header_lines(f);
    for (size_t p = 0; p < panel; p++)
        top -= panel_height(f) + below_panel(f, p);
    return top;
}

/* Lower end of a panel's legend, as a share of the picture. */
static double legend_at(const struct figure *f, size_t panel)
{
    if (one_legend(f))
        return 0.01;
    double bottom = panel_top(f, panel) - panel_height(f) - below_panel(f, panel);
    return 0.01 + bottom / height_of(f);
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
    bool measured = measured_in(f, panel) > 0;
    for (size_t y = 0; y < f->y_count; y++)
        if (!shown && f->y[y].panel == panel && (!measured || !f->y[y].exact))
            shown = &f->y[y];
    snprintf(label, sizeof label, "%s", measured ? common_end(f, panel, shown->label) : shown->label);
    if (*label >= 'a' && *label <= 'z')
        *label = (char)(*label - 'a' + 'A');
    fputs(indent, out);
    write_axis_label(f, "set ylabel", *label ? label : shown->unit, *label ? shown->unit : "",
                     panel_height(f) + letters(f, 5), out);
}

static void write_y_axis(const struct figure *f, size_t panel, const char *indent, FILE *out)
{
    struct heights h = heights_of(f, panel);
    write_y_label(f, panel, indent, out);
    if (f->logy && h.high > 0) {
        double room = h.high / h.low > 100 ? 1.5 : 1.1;
        fprintf(out, "%sset logscale y; set yrange [%.6g:%.6g]; floor = %.6g\n", indent, h.low / room,
                h.high * room, h.low / room);
    } else
        fprintf(out, "%sset yrange [%s:*]\n", indent, h.negative ? "*" : "0");
}

/* ---- curves in gnuplot's words ---- */

static bool any_bar(const struct plot_series *s)
{
    for (size_t j = 0; j < s->count; j++)
        if (has_bar(&s->points[j].stats))
            return true;
    return false;
}

static void write_curve(const struct figure *f, size_t number, const struct plot_series *s, FILE *out)
{
    char title[NAME_LONG + LABEL_LONG + 4];
    curve_title(f, s, title, sizeof title);
    const char *low = f->logy ? "($5 > floor ? $5 : floor)" : "$5";
    fprintf(out, "data skip 1 using (at($3)):(of(%zu, $1, $4)) with %s ls %zu ", number,
            f->y[s->y].exact ? "lines" : "linespoints", number);
    if (in_legend(f, s)) {
        fputs("title ", out);
        write_quoted(out, f->y[s->y].exact ? f->y[s->y].label : title);
    } else
        fputs("notitle", out);
    if (any_bar(s))
        fprintf(out,
                ", \\\n         data skip 1 using (at($3)):(of(%zu, $1, %s)):(0):($6 - %s) "
                "with vectors heads fixed size screen 0.005,90 ls %zu dt 1 notitle",
                number, low, low, number);
}

static void write_plot(const struct figure *f, size_t panel, FILE *out)
{
    const char *between = "    plot ";
    for (size_t i = 0; i < f->count; i++) {
        if (f->y[f->series[i].y].panel != panel)
            continue;
        fputs(between, out);
        write_curve(f, i + 1, &f->series[i], out);
        between = ", \\\n         ";
    }
    fputs("\n", out);
}

/* ---- panels ---- */

static void write_legend(const struct figure *f, size_t panel, FILE *out)
{
    if (!has_legend(f, panel))
        fputs("    unset key\n", out);
    else if (!legend_below(f))
        fprintf(out, "    set key outside right center vertical samplen %.1f\n", sizes[f->size].sample);
    else if (f->panels == 1)
        fprintf(out, "    set key below samplen %.1f\n", sizes[f->size].sample);
    else /* between the panels, or, if it is one for all, below them */
        fprintf(out, "    set key at screen 0.5, screen %.4f center bottom horizontal samplen %.1f\n",
                legend_at(f, panel), sizes[f->size].sample);
}

/* One of several panels; the last has the label of the x axis. */
static void write_panel(const struct figure *f, size_t panel, FILE *out)
{
    double height = height_of(f);
    fprintf(out, "    set tmargin at screen %.4f; set bmargin at screen %.4f\n", panel_top(f, panel) / height,
            (panel_top(f, panel) - panel_height(f)) / height);
    fprintf(out, "    set lmargin at screen %.4f; set rmargin at screen %.4f\n",
            letters(f, 13) / sizes[f->size].width,
            1 - (letters(f, 2) + legend_width(f)) / sizes[f->size].width);
    if (panel + 1 == f->panels)
        write_axis_label(f, "    set xlabel", f->x_label, "", axis_width(f), out);
    else
        fputs("    unset xlabel\n", out);
    write_y_axis(f, panel, "    ", out);
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
    double w = sizes[f->size].width, h = height_of(f);
    int font = sizes[f->size].font;
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
    caption_of(f, caption, sizeof caption);
    fprintf(out, "# Made by: %s\n# Again, in this folder: gnuplot '%s.gp'\n# points: %s\nname = ", f->made_by,
            name, caption);
    write_quoted(out, name);
    fputs("\ndata = name . '.tsv'\n", out);
    write_settings(f, out);
    if (f->panels == 1) {
        write_axis_label(f, "set xlabel", f->x_label, "", axis_width(f), out);
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
    if (!good)
        fprintf(stderr, "iwarpsim plot: %s cannot be written: %s\n", path, strerror(errno));
    return good;
}
