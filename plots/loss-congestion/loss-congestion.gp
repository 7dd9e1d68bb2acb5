# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot loss-congestion.gp
name = 'loss-congestion'
width = 10
height = 6.2
load '../style.gp'
data = name . '.tsv'
array paths[4] = ['place', 'hold', 'discard', 'copy']
array congestions[3] = ['cubic', 'dctcp', 'fixed:512KiB']
array titles[3] = ['CUBIC', 'DCTCP', 'fixed window, 512 KiB']
array places[2] = [4, 13]
array labels[2] = ['Steady goodput (Gb/s)', 'Latency, 99th percentile (us)']
set style line 1 pt 6 ps 1.3
mine(p, c) = strcol(1) eq paths[p] && strcol(2) eq congestions[c]
set logscale x
set xrange [6e-6:1.6e-2]
set xtics ('10^{-5}' 1e-5, '10^{-4}' 1e-4, '10^{-3}' 1e-3, '10^{-2}' 1e-2)
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    do for [row = 1:2] {
        do for [c = 1:3] {
            set origin (c - 1) / 3.0, row == 1 ? 0.53 : 0.075
            set size 1 / 3.0, 0.47
            set key off
            if (row == 2 && c == 2) { set key at screen 0.5, screen 0.05 center maxrows 1 samplen 2.5 width 1 }
            set title titles[c]
            set ylabel labels[row]
            set xlabel (row == 2 ? 'Loss probability' : '')
            unset logscale y
            set yrange [0:105]
            if (row == 2) {
                set logscale y
                set yrange [50:5000]
            }
            y = places[row]
            plot for [p = 4:1:-1] data skip 1 using (mine(p, c) ? $3 : NaN):(column(y)) smooth unique with lines ls p notitle, \
                for [p = 4:1:-1] data skip 1 using (mine(p, c) ? $3 : NaN):(column(y)) with points ls p notitle, \
                for [p = 4:1:-1] data skip 1 using (mine(p, c) ? $3 : NaN):(column(y)):(column(y + 1)):(column(y + 2)) \
                with yerrorbars ls p dt 1 notitle, \
                for [p = 4:1:-1] NaN with linespoints ls p title paths[p]
        }
    }
    unset multiplot
    unset output
}
