# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot trimming.gp
name = 'trimming'
width = 9
height = 4.6
panels = 2
below = 0.8
load '../style.gp'
data = name . '.tsv'
array called[5] = ['iWARP over TCP', 'IRN', 'IRN + trimming', 'RUD', 'RUD + trimming']
mine(s) = strcol(1) eq called[s]
at(s) = mine(s) ? ($2 - 1) * (1 + 0.03 * (s - 3)) : NaN
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    set key off
    eval tile(1, 0, 0.12, 0.5, 0.88)
    set logscale x 2
    set xrange [1.7:38]
    set xtics ('2' 2, '4' 4, '8' 8, '16' 16, '32' 32)
    set yrange [0:105]
    set title 'What the full link carries'
    set xlabel 'Senders'
    set ylabel 'Goodput (Gb/s)'
    plot for [s = 1:5] data skip 1 using (at(s)):3:4:5 with yerrorlines ls s title called[s]
    unset label 99
    eval tile(2, 0.5, 0.12, 0.5, 0.88)
    set logscale y
    set yrange [20:20000]
    set title 'The slowest hundredth of the messages'
    set ylabel '99th percentile of latency (us)'
    plot for [s = 1:5] data skip 1 using (at(s)):6:7:8 with yerrorlines ls s title called[s]
    set origin 0, 0
    set size 1, (in_column ? below / height : 0.12)
    unset xtics
    unset ytics
    unset border
    unset title
    unset xlabel
    unset ylabel
    unset logscale y
    set yrange [0:1]
    if (in_column) { eval legend(0, 0, 5) } else { set key at screen 0.5, screen 0.06 center center horizontal maxcols 3 }
    set key samplen 2.5
    plot for [s = 1:5] NaN with linespoints ls s title called[s]
    set border
    set xtics
    set ytics
    unset multiplot
    unset output
}
