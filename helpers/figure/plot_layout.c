/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_layout.c -- how large things are and where they stand (plot_layout.h). */
#include "helpers/figure/plot_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sizes ---- */

const struct layout_size layout_sizes[SIZES] = {
    [SIZE_COLUMN] = {3.35, 2.6, 8, 1.2, 0.5, 2.5, true},
    [SIZE_PAGE] = {7.0, 4.2, 11, 1.6, 0.8, 3, false},
    [SIZE_SLIDE] = {10.0, 5.6, 18, 2.5, 1.2, 3, false},
};

#define PANEL_MORE 0.7 /* of a figure's height for each panel after the first */

double layout_height_of(const struct figure *f)
{
    return layout_sizes[f->size].height * (1 + PANEL_MORE * (double)(f->panels - 1));
}

double layout_letters(const struct figure *f, double count)
{
    return count * 0.56 * layout_sizes[f->size].font / 72;
}

/* ---- curves ---- */

size_t layout_measured_in(const struct figure *f, size_t panel)
{
    size_t n = 0;
    for (size_t y = 0; y < f->y_count; y++)
        n += f->y[y].panel == panel && !f->y[y].exact;
    return n;
}

void layout_curve_title(const struct figure *f, const struct plot_series *s, char *title, size_t size)
{
    const struct plot_y *y = &f->y[s->y];
    bool named = y->exact || layout_measured_in(f, y->panel) > 1;
    snprintf(title, size, "%s%s%s", named ? y->curve : "", named && *s->group ? ", " : "", s->group);
}

/* The how manieth of its panel a column is, closed forms not counted. */
size_t layout_turn_of(const struct figure *f, size_t y)
{
    size_t turn = 0;
    for (size_t i = 0; i < y; i++)
        turn += f->y[i].panel == f->y[y].panel && !f->y[i].exact;
    return turn;
}

const struct plot_y *layout_first_of(const struct figure *f, size_t panel)
{
    size_t y = 0;
    while (y + 1 < f->y_count && f->y[y].panel != panel)
        y++;
    return &f->y[y];
}

/* ---- lines of text ---- */

size_t layout_line_end(const char *text, size_t width)
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

static size_t lines_of(const char *text, size_t width)
{
    size_t lines = 0;
    for (; *text; lines++) {
        text += layout_line_end(text, width);
        text += strspn(text, " ");
    }
    return lines;
}

/* ---- the legend ---- */

static void legend_title(const struct figure *f, const struct plot_series *s, char title[LAYOUT_TITLE_LONG])
{
    if (f->y[s->y].exact) /* one line for all of a closed form */
        snprintf(title, LAYOUT_TITLE_LONG, "%s", f->y[s->y].curve);
    else
        layout_curve_title(f, s, title, LAYOUT_TITLE_LONG);
}

/* All panels share one legend; a curve of the same title looks the same in each. */
bool layout_in_legend(const struct figure *f, const struct plot_series *s)
{
    char title[LAYOUT_TITLE_LONG], before[LAYOUT_TITLE_LONG];
    legend_title(f, s, title);
    for (const struct plot_series *t = f->series; t < s; t++) {
        legend_title(f, t, before);
        if (strcmp(title, before) == 0)
            return false;
    }
    return true;
}

/* Does a closed form say again what it said of another curve? */
bool layout_is_drawn(const struct figure *f, const struct plot_series *s)
{
    for (const struct plot_series *t = f->series; f->y[s->y].exact && t < s; t++) {
        size_t same = 0;
        if (t->y != s->y)
            continue;
        for (size_t i = 0; i < s->count; i++)
            for (size_t j = 0; j < t->count; j++)
                same += !(s->points[i].x < t->points[j].x) && !(t->points[j].x < s->points[i].x) &&
                        fabs(s->points[i].stats.median - t->points[j].stats.median) <=
                            1e-9 * fabs(s->points[i].stats.median);
        if (same == s->count)
            return true;
    }
    return false;
}

static size_t legend_lines(const struct figure *f)
{
    size_t lines = 0;
    for (size_t i = 0; i < f->count; i++)
        lines += layout_in_legend(f, &f->series[i]);
    return lines;
}

/* Letters of the longest title in the legend. */
static size_t longest_title(const struct figure *f)
{
    size_t longest = 0;
    for (size_t i = 0; i < f->count; i++) {
        char title[LAYOUT_TITLE_LONG];
        legend_title(f, &f->series[i], title);
        longest = strlen(title) > longest ? strlen(title) : longest;
    }
    return longest;
}

bool layout_has_legend(const struct figure *f)
{
    return legend_lines(f) > 1;
}

enum { TITLE_LONG = 24 }; /* letters of a legend that is better read below than beside */

bool layout_legend_below(const struct figure *f)
{
    double high = 1.25 * (double)f->count * layout_sizes[f->size].font / 72;
    return layout_sizes[f->size].below || longest_title(f) > TITLE_LONG || high > 0.75 * layout_height_of(f);
}

/* Inches beside the panels: a line of the legend, or its title. */
double layout_legend_width(const struct figure *f)
{
    bool beside = layout_has_legend(f) && !layout_legend_below(f);
    double line = (double)longest_title(f) + 6, title = (double)strlen(f->by_label) + 1;
    return beside ? layout_letters(f, line > title ? line : title) : 0;
}

/* Inches below the panels. */
static double legend_height(const struct figure *f)
{
    double each = layout_letters(f, (double)longest_title(f) + layout_sizes[f->size].sample + 9);
    double in_row = floor((layout_sizes[f->size].width - layout_letters(f, 4)) / each);
    double rows = ceil((double)legend_lines(f) / (in_row > 1 ? in_row : 1));
    bool none = !layout_has_legend(f) || !layout_legend_below(f);
    return none ? 0 : (rows + (*f->by_label ? 1 : 0)) * 1.25 * layout_sizes[f->size].font / 72;
}

/* Inches between the ends of the x axis, about. */
double layout_axis_width(const struct figure *f)
{
    double width = layout_sizes[f->size].width - layout_letters(f, 10) - layout_legend_width(f);
    return width > 1 ? width : 1;
}

/* ---- the x axis ---- */

struct layout_span layout_span_of(const struct figure *f)
{
    struct layout_span s = {.low = 1, .high = 1};
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
    double room = f->words ? 0.3 : (s.high - s.low) * 0.04;
    s.left = f->logx ? (s.zero ? s.zero_at : s.low) / 1.15 : s.low - room;
    s.right = f->logx ? s.high * 1.15 : s.high + room;
    return s;
}

double layout_position(const struct figure *f, const struct layout_span *s, double x)
{
    x = f->logx && !(x > 0) ? s->zero_at : x;
    double share =
        f->logx ? log(x / s->left) / log(s->right / s->left) : (x - s->left) / (s->right - s->left);
    return s->right > s->left ? share * layout_axis_width(f) : 0;
}

/* ---- the y axes ---- */

struct layout_heights layout_heights_of(const struct figure *f, size_t panel)
{
    struct layout_heights h = {.low = INFINITY, .high = 0};
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; f->y[f->series[i].y].panel == panel && j < f->series[i].count; j++) {
            const struct stats *s = &f->series[i].points[j].stats;
            const struct plot_point *p = &f->series[i].points[j];
            if (p->drawn && p->band_low > 0 && p->band_low < h.low)
                h.low = p->band_low;
            h.high = p->drawn && p->band_high > h.high ? p->band_high : h.high;
            if (s->n == 0)
                continue;
            h.at_zero += !(s->median > 0);
            h.negative |= s->smallest < 0;
            if (s->median > 0 && s->median < h.low)
                h.low = s->median;
            if (stats_has_bar(s) && stats_bar_low(s) > 0 && stats_bar_low(s) < h.low)
                h.low = stats_bar_low(s);
            h.high = s->largest > h.high ? s->largest : h.high;
        }
    return h;
}

static size_t hidden(const struct figure *f)
{
    size_t n = 0;
    for (size_t p = 0; f->logy && p < f->panels; p++)
        n += layout_heights_of(f, p).at_zero;
    return n;
}

/* ---- title and caption ---- */

size_t layout_title_letters(const struct figure *f, double size)
{
    return (size_t)(layout_sizes[f->size].width / layout_letters(f, 1) / size) - 2;
}

static void append_counts(char *text, size_t size, const char *format, size_t count, size_t of)
{
    size_t used = strlen(text);
    if (count)
        snprintf(text + used, size - used, format, count, of);
}

void layout_caption_of(const struct figure *f, char *text, size_t size)
{
    size_t unseen = hidden(f);
    *text = 0;
    if (f->bare)
        return;
    figure_method(f, text, size);
    append_counts(text, size, "; %zu of %zu runs are marked: too short for what chance decides", f->marked,
                  f->runs);
    append_counts(text, size, "; %zu of %zu runs were not steady and are not drawn", f->unsteady, f->runs);
    append_counts(text, size, "; at %zu of %zu points what binds is a guess", f->points_guessed,
                  f->points_drawn);
    size_t used = strlen(text);
    if (f->points_guessed && used < size)
        used += (size_t)snprintf(text + used, size - used, " (%s)", f->guesses);
    if (*f->estimates && used < size)
        used += (size_t)snprintf(text + used, size - used, "; %s", f->estimates);
    if (*f->versions && used < size)
        used += (size_t)snprintf(text + used, size - used, "; rows of versions %s", f->versions);
    if (unseen && used < size)
        snprintf(text + used, size - used, "; %zu point%s at 0 not shown", unseen, unseen == 1 ? "" : "s");
}

size_t layout_title_lines(const struct figure *f)
{
    return lines_of(f->title, layout_title_letters(f, 1));
}

static double heading_lines(const struct figure *f)
{
    return f->y_count && *f->y[0].heading ? 1.3 : 0;
}

double layout_header_lines(const struct figure *f)
{
    char caption[512];
    layout_caption_of(f, caption, sizeof caption);
    return (double)layout_title_lines(f) +
           LAYOUT_SMALL * (double)lines_of(caption, layout_title_letters(f, LAYOUT_SMALL)) + 0.9 +
           heading_lines(f);
}

/* ---- where panels stand: inches from the bottom ---- */

static double line_height(const struct figure *f)
{
    return 1.25 * layout_sizes[f->size].font / 72;
}

/* Below a panel: ticks and the next one's heading; below the last its label and the legend. */
static double below_panel(const struct figure *f, size_t panel)
{
    bool last = panel + 1 == f->panels;
    return last ? line_height(f) * 3.4 + legend_height(f) : line_height(f) * (2.3 + heading_lines(f));
}

double layout_panel_height(const struct figure *f)
{
    double rest = layout_height_of(f) - line_height(f) * layout_header_lines(f);
    for (size_t p = 0; p < f->panels; p++)
        rest -= below_panel(f, p);
    return rest / (double)f->panels;
}

double layout_panel_top(const struct figure *f, size_t panel)
{
    double top = layout_height_of(f) - line_height(f) * layout_header_lines(f);
    for (size_t p = 0; p < panel; p++)
        top -= layout_panel_height(f) + below_panel(f, p);
    return top;
}
