/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_layout.h -- the measures of a figure: inches, letters, shares of the picture. What gnuplot measures itself is estimated
 * here, from the mean width of a letter, where it must be known before: whether ticks run into each other, whether a
 * legend fits beside, where panels stand.
 */
#ifndef HELPERS_FIGURE_PLOT_LAYOUT_H
#define HELPERS_FIGURE_PLOT_LAYOUT_H

#include "helpers/figure/plot.h"

struct layout_size {
    double width, height; /* inches */
    int font;             /* points */
    double line, mark;
    double sample; /* letters: length of a line in the legend */
    bool below;    /* the legend stands always below */
};
extern const struct layout_size layout_sizes[SIZES];

#define LAYOUT_SMALL 0.8 /* of the font: the caption's */

/* Inches: the picture's height; so many letters, about; between the ends of the x axis; a panel's height; from the bottom to
 * its top; beside the panels for the legend. */
double layout_height_of(const struct figure *f);
double layout_letters(const struct figure *f, double count);
double layout_axis_width(const struct figure *f);
double layout_panel_height(const struct figure *f);
double layout_panel_top(const struct figure *f, size_t panel);
double layout_legend_width(const struct figure *f);
/* Lines of the figure's font above the first panel; of its title; letters of a size that fit over the figure. */
double layout_header_lines(const struct figure *f);
size_t layout_title_lines(const struct figure *f);
size_t layout_title_letters(const struct figure *f, double size);
/* Where the next line of a text ends that has room for `width` letters: at a blank, or in the middle of a long word. */
size_t layout_line_end(const char *text, size_t width);
/* How the points came to be, and what the axes cannot show. */
void layout_caption_of(const struct figure *f, char *text, size_t size);

/* ---- curves ---- */

/* Columns of a panel that are no closed forms; the how manieth of them a column is. */
size_t layout_measured_in(const struct figure *f, size_t panel);
size_t layout_turn_of(const struct figure *f, size_t y);
enum { LAYOUT_TITLE_LONG = NAME_LONG + LABEL_LONG + 4 };
/* What the legend says of a curve; whether it has a line there, or is a closed form that another line draws already; whether there is
 * a legend, one for all panels, and below them. */
void layout_curve_title(const struct figure *f, const struct plot_series *s, char *title, size_t size);
bool layout_in_legend(const struct figure *f, const struct plot_series *s);
bool layout_is_drawn(const struct figure *f, const struct plot_series *s);
bool layout_has_legend(const struct figure *f);
bool layout_legend_below(const struct figure *f);
/* The first column of a panel. */
const struct plot_y *layout_first_of(const struct figure *f, size_t panel);

/* ---- axes ---- */

struct layout_span {
    double low, high;   /* x, on a logarithmic axis of those above 0 */
    double left, right; /* the ends of the axis */
    bool
        zero; /* x = 0 has a place of its own on the logarithmic axis: as far below the lowest as that is below the next,
                           at least a half and at most a tenth of it ... */
    double zero_at; /* ... here */
};
struct layout_span layout_span_of(const struct figure *f);
/* Inches from the left end of the axis. */
double layout_position(const struct figure *f, const struct layout_span *s, double x);

struct layout_heights {
    double low, high; /* of those above 0, bars included */
    size_t at_zero;   /* points that a logarithmic axis cannot show */
    bool negative;
};
struct layout_heights layout_heights_of(const struct figure *f, size_t panel);

#endif
