/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_text.h -- how wide text is, and where it is broken. Widths are those of DejaVu Sans, which is gnuplot's `sans` on most
 * systems and wider than the others: what fits in it fits.
 */
#ifndef HELPERS_FIGURE_PLOT_TEXT_H
#define HELPERS_FIGURE_PLOT_TEXT_H

#include <stddef.h>

/* Inches of the first `len` octets of a text in a font of so many points. */
double text_inches(const char *text, size_t len, double points);
/* Of a line of text, from one to the next. */
double text_line(double points);

enum { TEXT_LINES = 16 };
struct text_lines {
    size_t count;
    struct text_piece {
        const char *text; /* in the text that was broken */
        size_t len;
    } line[TEXT_LINES];
};
/* The text in lines that are no wider, broken at blanks, or in a word that is wider than a line. What needs more lines
 * than there are stands in the last. */
void text_break(const char *text, double inches, double points, struct text_lines *lines);
/* Inches of the widest. */
double text_widest(const struct text_lines *lines, double points);

#endif
