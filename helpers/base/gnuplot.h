/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gnuplot.h -- a script that was written is drawn. */
#ifndef HELPERS_BASE_GNUPLOT_H
#define HELPERS_BASE_GNUPLOT_H

#include <stdio.h>

enum {
    PICTURE_SVG = 1,
    PICTURE_PNG = 2,
    PICTURE_PDF = 4,
    PICTURE_TEX = 8,
    PICTURES = 4,
    PICTURES_OF_PLOT = PICTURE_SVG | PICTURE_PNG | PICTURE_PDF
};

/* Run DIR/NAME.gp, which makes these pictures, of a .tsv if there is one: in a folder of its own below DIR, so that a picture
 * that is in DIR is whole, whatever is killed or full. The script takes the name of its files, without ending, from its
 * variable `name`, and sets it (gnuplot_name()) only where it is not known: here they have a constant name and are renamed. EXIT_DONE, EXIT_INTERRUPTED, or EXIT_FAILED after a line on
 * stderr that begins with "iwarpsim COMMAND:". */
int gnuplot_draw(const char *command, const char *dir, const char *name, unsigned pictures);

/* The line of such a script that ends it, with a sentence of gnuplot_draw()'s, where gnuplot was built without this terminal. */
void gnuplot_need(FILE *out, const char *terminal);
/* The first lines of such a script: how it is run again, and its name, which must be name_is_safe(). */
void gnuplot_name(FILE *out, const char *name);

#endif
