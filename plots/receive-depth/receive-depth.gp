# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot receive-depth.gp
name = 'receive-depth'
width = 7
height = 4
column = 2.8
load '../style.gp'
data = name . '.tsv'
array whats[4] = ['clean', 'reordering', 'loss', 'interrupt']
array titles[4] = ['polling', 'polling, reordering by 20', 'polling, loss 1e-3', 'interrupts']
set logscale x 2
set xrange [0.85:150]
set yrange [-0.04:1.06]
set xtics (1, 2, 4, 8, 16, 32, 64, 128)
if (in_column) { set xtics (1, 4, 16, 64) }
set xlabel 'Receive buffers'
set ylabel 'Share of runs ended by a Terminate'
if (size eq 'page') { set key outside right center } else { set key at screen 0.5, screen 0.05 / height center bottom vertical maxrows (in_column ? 4 : 2); set bmargin at screen (in_column ? 1.1 : 1.9) / height }
set key Left reverse samplen 2.5
do for [kind in kinds] {
    eval begin(kind)
    plot for [i = 1:4] data skip 1 using (strcol(1) eq whats[i] ? $2 : NaN):3 with linespoints ls i title titles[i], \
        for [i = 3:3] data skip 1 using (strcol(1) eq whats[i] ? $2 : NaN):3:4:5 with yerrorbars ls i dt 1 notitle
    unset output
}
