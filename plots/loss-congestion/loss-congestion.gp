# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot loss-congestion.gp
name = 'loss-congestion'
width = 9
height = 4.2
panels = 2
below = 0.4
load '../style.gp'
data = name . '.tsv'
array paths[4] = ['place', 'hold', 'discard', 'copy']
array congestions[2] = ['cubic', 'fixed:1MiB']
array titles[2] = ['CUBIC', 'fixed window, 1 MiB']
set style line 1 pt 6 ps 1.3
set logscale x
set xrange [7e-5:1.4e-2]
set xtics ('10^{-4}' 1e-4, '10^{-3}' 1e-3, '10^{-2}' 1e-2)
set yrange [0:105]
mine(p, c) = strcol(1) eq paths[p] && strcol(2) eq congestions[c]
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    do for [c = 1:2] {
        eval tile(c, (c - 1) * 0.5, 0.1, 0.5, 0.9)
        set key off
        if (c == 2) { eval legend(0.05, 1, 2); set key samplen 2.5 width 1 }
        set title titles[c]
        set ylabel (c == 1 || in_column ? 'Steady goodput (Gb/s)' : '')
        set xlabel 'Loss probability'
        plot for [p = 1:4] data skip 1 using (mine(p, c) ? $3 : NaN):4 with lines ls p notitle, \
             for [p = 1:4] data skip 1 using (mine(p, c) ? $3 : NaN):4:5:6 with yerrorbars ls p dt 1 notitle, \
             for [p = 1:4] NaN with linespoints ls p title paths[p]
        unset label 99
    }
    unset multiplot
    unset output
}
