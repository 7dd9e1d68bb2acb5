/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gnuplot.h -- a script that was written is drawn. */
#ifndef HELPERS_GNUPLOT_H
#define HELPERS_GNUPLOT_H

/* Run DIR/NAME.gp in DIR. EXIT_DONE, or EXIT_FAILED after a line on stderr that begins with "iwarpsim COMMAND:". */
int gnuplot_draw(const char *command, const char *dir, const char *name);

#endif
