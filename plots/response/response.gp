# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot response.gp
name = 'response'
width = 9
height = 4.2
panels = 2
load '../style.gp'
data = name . '.tsv'
array trips[4] = ['20', '100', '300', '1000']
array laws[3] = ['1-p place', '1-p hold', 'go-back-N']
array titles[3] = ['place', 'hold', 'discard']
array marks[3] = [7, 6, 9]
array colours[3] = ['#000000', '#D55E00', '#0072B2']
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    eval tile(1, 0, 0, 0.5, 1)
    set title 'NewReno'
    set logscale xy
    set xrange [0.1:400]
    set yrange [0.1:400]
    set format xy '%g'
    set xlabel '1.31 (SMSS s / p)^{1/2} a round trip (Gb/s)'
    set ylabel 'Measured (Gb/s)'
    set key inside top left samplen 1
    plot '+' using 1:($1 * 0.9):($1 * 1.1) with filledcurves lc rgb '#e4e4e4' title '10 %', \
         x with lines ls 9 notitle, \
         for [k = 1:4] data skip 1 using (strcol(1) eq 'mathis' && strcol(3) eq trips[k] ? $10 : NaN):9 \
             with points ls k lw 1 ps 0.9 title 'RTT ' . trips[k] . ' us'
    eval tile(2, 0.5, 0, 0.5, 1)
    set title 'Fixed window, 100 Gb/s'
    unset logscale
    set xrange [-0.1:4]
    set yrange [0:1.05]
    set xlabel 'p (RTT / serialization + 3)'
    set ylabel 'Share of the line'
    set key at graph 1, graph 0.8 right samplen 2
    plot 1 / (1 + x) with lines ls 9 title '1 / (1 + x)', \
         for [k = 1:3] data skip 1 using (strcol(1) eq laws[k] ? $14 : NaN):15 with points pt marks[k] ps 1 lc rgb colours[k] title titles[k]
    unset multiplot
    unset output
}
