/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gnuplot.h -- a script that was written is drawn. */
#ifndef HELPERS_BASE_GNUPLOT_H
#define HELPERS_BASE_GNUPLOT_H

enum { PICTURES_SVG_PNG = 2, PICTURES_SVG_PNG_PDF = 3 };

/* Run DIR/NAME.gp, which makes these pictures called NAME, of NAME.tsv if there is one: in a folder of its own below DIR, so
 * that a picture that is in DIR is whole, whatever is killed or full. EXIT_DONE, EXIT_INTERRUPTED, or EXIT_FAILED after a line on
 * stderr that begins with "iwarpsim COMMAND:". */
int gnuplot_draw(const char *command, const char *dir, const char *name, int pictures);

#endif
