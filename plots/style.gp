# SPDX-License-Identifier: GPL-2.0-or-later
# What the figures with several panels share. A script sets `name`, `width` and `height` (inches), loads this, and draws in
#   do for [kind in kinds] { eval begin(kind); set multiplot ...; unset multiplot; unset output }
# Okabe and Ito's colours in an order whose greys differ; dash and mark differ as well, for print without colour.
set encoding utf8
set datafile separator tab
set datafile missing 'NaN'
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
set style line 1 lc rgb '#000000' dt 1 pt 7 lw 1.6 ps 0.8
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.9
set style line 4 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 ps 1.0
set style line 5 lc rgb '#009E73' dt 3 pt 11 lw 1.6 ps 0.9
set style line 6 lc rgb '#CC79A7' dt 5 pt 15 lw 1.6 ps 0.9
set style line 7 lc rgb '#56B4E9' dt 2 pt 6 lw 1.6 ps 0.8
set style line 9 lc rgb '#777777' dt 1 lw 1.2
kinds = 'svg png pdf'
load name . '.note' # note: at how many points what binds is a guess (note.py)
# The note stands above the figure; with several panels the script unsets it (`unset label 99`) after the first.
noted(kind) = note eq '' ? '' : sprintf("; set label 99 note noenhanced at screen 0.5, screen %.4f center font ',%d'", 1 - 0.1 / height, kind eq 'svg' ? 11 : 8)
begin(kind) = ( \
    kind eq 'svg' ? sprintf("set terminal svg size %d,%d font 'sans,14' background rgb 'white'; set output '%s.svg'", width * 96, height * 96, name) : \
    kind eq 'png' ? sprintf("set terminal pngcairo size %d,%d font 'sans,11' fontscale 1.56 linewidth 1.5 pointscale 1.5; set output '%s.png'", width * 150, height * 150, name) : \
    sprintf("set terminal pdfcairo size %.2fin,%.2fin font 'sans,11'; set output '%s.pdf'", width, height, name)) . noted(kind)
