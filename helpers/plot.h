/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot.h -- iwarpsim plot: a figure from the results of one or several runs, drawn by gnuplot.
 *
 *     DIR/results.csv  --plot_read()-->  rows  --plot_curves()-->  median and interval for each x of each series
 *     DIR/scenario.yaml: its `plot:` key                                    |
 *                                                    NAME.tsv, NAME.gp  --gnuplot-->  NAME.svg NAME.png NAME.pdf
 */
#ifndef HELPERS_PLOT_H
#define HELPERS_PLOT_H

/* Draw and say where the figures are. Returns what the command exits with. */
int command_plot(int argc, char **argv);

#endif
