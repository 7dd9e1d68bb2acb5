# SPDX-License-Identifier: GPL-2.0-or-later
# What the figures whose scripts are written by hand share. A script sets `name`, `width` and `height` (inches, of a page), and, with more than one
# panel, `panels`, `each` and `below`; loads this, and draws in
#   do for [kind in kinds] { eval begin(kind); set multiplot; eval tile(1, ...); plot ...; unset multiplot; unset output }
# `gnuplot -e "size = 'column'" NAME.gp` draws for a column of a paper, where panels stand below each other, 'slide' with large letters;
# kinds = 'svg' draws that alone.
set encoding utf8
set datafile separator tab
set datafile missing 'NaN'
if (!exists("size")) size = 'page'
if (!exists("kinds")) kinds = 'svg png pdf'
if (!exists("panels")) panels = 1
if (!exists("each")) each = 2.1 # inches of a panel in a column
if (!exists("column")) column = height * 3.35 / width * 1.1 # inches of a figure of one panel in a column
if (!exists("below")) below = 0.0 # inches below them for a legend of all
load name . '.note' # note: at how many points what binds is a guess (note.py)
in_column = size eq 'column'
points = in_column ? 8 : size eq 'page' ? 11 : width > 7 ? 14 : 18
scale = in_column ? 0.75 : size eq 'page' ? 1.0 : 1.4
# A text in lines of at most so many letters.
blank(text, n) = n < 2 || text[n:n] eq ' ' ? n : blank(text, n - 1)
lines(text, most) = strlen(text) <= most ? text : text[1:blank(text, most + 1) - 1] . "\n" . lines(text[blank(text, most + 1) + 1:*], most)
in_lines(text) = lines(text, in_column ? 42 : size eq 'page' ? 200 : 46)
head = in_column && note ne '' ? 0.3 : 0.0 # inches above the panels for the note
height = in_column ? (panels > 1 ? panels * each + below + head : column + head) : size eq 'page' ? height : height * 10.0 / width * (panels > 1 ? 1.15 : 1)
width = in_column ? 3.35 : size eq 'page' ? width : 10.0
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
set style line 1 lc rgb '#000000' dt 1 pt 7 lw 1.6 * scale ps 0.8 * scale
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 * scale ps 0.8 * scale
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 * scale ps 0.9 * scale
set style line 4 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 * scale ps 1.0 * scale
set style line 5 lc rgb '#009E73' dt 3 pt 11 lw 1.6 * scale ps 0.9 * scale
set style line 6 lc rgb '#CC79A7' dt 5 pt 15 lw 1.6 * scale ps 0.9 * scale
set style line 7 lc rgb '#56B4E9' dt 2 pt 6 lw 1.6 * scale ps 0.8 * scale
set style line 9 lc rgb '#777777' dt 1 lw 1.2 * scale
# Panel k: the share of a page that is given; in a column its place from the top. A legend for all of them: where it is on a page, in how many
# rows, and in how many in a column.
tile(k, x, y, w, h) = in_column ? sprintf('set origin 0, %.5f; set size 1, %.5f', (below + each * (panels - k)) / height, each / height) : sprintf('set origin %.5f, %.5f; set size %.5f, %.5f', x, y, w, h)
legend(y, rows, stacked) = in_column ? sprintf('set key at screen 0.5, screen %.5f center maxrows %d', below / height / 2, stacked) : sprintf('set key at screen 0.5, screen %.5f center maxrows %d', y, rows)
# The note stands above the figure; with several panels the script unsets it (`unset label 99`) after the first.
noted(kind) = note eq '' ? '' : sprintf("; set label 99 lines(note, %d) noenhanced at screen 0.5, screen %.4f center font small%s", in_column ? 50 : 200, 1 - 0.1 / height, in_column && panels == 1 ? sprintf('; set tmargin at screen %.4f', 1 - (head + 0.1) / height) : '')
begin(kind) = ( \
    kind eq 'svg' ? sprintf("set terminal svg size %d,%d font 'sans,%d' background rgb 'white'; set output '%s.svg'; small = ',%d'", width * 96, height * 96, points * 14 / 11.0, name, points * 11 / 11.0) : \
    kind eq 'png' ? sprintf("set terminal pngcairo size %d,%d font 'sans,%d' fontscale 1.56 linewidth 1.5 pointscale 1.5; set output '%s.png'; small = ',%d'", width * 150, height * 150, points, name, points * 0.8) : \
    sprintf("set terminal pdfcairo size %.2fin,%.2fin font 'sans,%d' fontscale 0.75; set output '%s.pdf'; small = ',%d'", width, height, points, name, points * 0.8)) . noted(kind)
