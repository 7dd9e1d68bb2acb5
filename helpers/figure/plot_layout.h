/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_layout.h -- what stands where in a figure, in inches from its left lower corner. All text but the labels of ticks at the
 * y axes is placed here and not by gnuplot, whose terminals measure text in ways of their own: widths are plot_text.h's.
 */
#ifndef HELPERS_FIGURE_PLOT_LAYOUT_H
#define HELPERS_FIGURE_PLOT_LAYOUT_H

#include "helpers/figure/plot.h"
#include "helpers/figure/plot_text.h"

struct layout_size {
    double width, height; /* inches; of a figure of one panel at least so high */
    double least;         /* inches: of a panel */
    int font;             /* points */
    double line, mark;
    double sample; /* of the font's size: length of a line in the legend */
    bool below;    /* the legend stands always below */
};
extern const struct layout_size layout_sizes[SIZES];

#define LAYOUT_SMALL 0.8 /* of the font: the caption's */
enum { LAYOUT_TITLE_LONG = NAME_LONG + LABEL_LONG + 4, LAYOUT_TICKS = 64, LAYOUT_CAPTION_LONG = 512 };

struct layout_tick {
    double at;
    char text[64]; /* empty: between two that have a label */
};

struct layout_panel {
    double top, bottom;
    double low, high; /* the ends of its y axis */
    struct layout_tick tick[LAYOUT_TICKS];
    size_t ticks;
    char label[LABEL_LONG + 64];
    struct text_lines label_lines; /* from bottom to top; the first is the outermost */
};

struct layout_span {
    double low, high;   /* x, on a logarithmic axis of those above 0 */
    double left, right; /* the ends of the axis */
    bool
        zero; /* x = 0 has a place of its own on the logarithmic axis: as far below the lowest as that is below the next,
                           at least a half and at most a tenth of it ... */
    double zero_at; /* ... here */
};

struct layout_legend {
    bool shown, below;
    size_t entries, columns;
    double cell, high;          /* the width of an entry; the height of all, title included */
    double left, top;           /* of its first entry */
    double text;                /* room for an entry's text */
    double title_at, title_top; /* the middle of its title; its upper edge */
    struct text_lines title;
};

struct layout {
    double width, height;
    double left, right; /* the ends of the x axis */
    double labels;      /* left edge of the labels of the y axes */
    double text_middle; /* of title and caption */
    char caption[LAYOUT_CAPTION_LONG];
    struct text_lines title, caption_lines, x_label;
    double ticks_high; /* labels of the x axis: how much they take, */
    bool turned;       /* and whether they are turned */
    struct layout_span span;
    struct layout_legend legend;
    struct layout_panel panel[Y_MAX];
};
/* Of a figure that is settled, which must outlive it. */
void layout_make(const struct figure *f, struct layout *l);

/* Inches: so many times the font's size. */
double layout_em(const struct figure *f, double count);

/* ---- curves ---- */

/* Columns of a panel that are no closed forms; the how manieth of them a column is. */
size_t layout_measured_in(const struct figure *f, size_t panel);
size_t layout_turn_of(const struct figure *f, size_t y);
/* What the data say of a curve, what the legend does; whether it has a line there, or is a closed form that another line draws
 * already. */
void layout_curve_title(const struct figure *f, const struct plot_series *s, char *title, size_t size);
void layout_legend_title(const struct figure *f, const struct plot_series *s, char title[LAYOUT_TITLE_LONG]);
bool layout_in_legend(const struct figure *f, const struct plot_series *s);
bool layout_is_drawn(const struct figure *f, const struct plot_series *s);
/* The first column of a panel. */
const struct plot_y *layout_first_of(const struct figure *f, size_t panel);

/* ---- the x axis ---- */

/* Inches from the left end of the axis. */
double layout_position(const struct figure *f, const struct layout *l, double x);
/* Its ticks, from left to right, malloc()ed: "4KiB", "1e-5", a word. NULL: no memory. */
struct layout_tick *layout_x_ticks(const struct figure *f, const struct layout *l, size_t *count);
/* Room for a word between its neighbours. */
double layout_slot(const struct figure *f, const struct layout *l);

#endif
