# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot incast-windows.gp
name = 'incast-windows'
width = 10
height = 6.2
panels = 6
below = 0.5
load '../style.gp'
data = name . '.tsv'
array policies[4] = ['constant', 'placed', 'bdp', 'retire']
array credits[2] = [64, 20]
array rows[2] = ['retirement keeps up', 'retirement at 75 Gb/s']
array places[3] = [4, 7, 13]
array labels[3] = ['Steady goodput (Gb/s)', 'Staging drops (packets)', '99th percentile (us)']
array tops[3] = [105, 22500, 11500]
array steps[3] = [20, 5000, 2500]
mine(p, row) = strcol(2) eq policies[p] && $1 == credits[row]
set logscale x 2
set xrange [1.7:38]
set style line 1 pt 6 ps 1.2
set xtics (2, 4, 8, 16, 32)
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    do for [row = 1:2] {
        do for [c = 1:3] {
            eval tile(2 * c + row - 2, (c - 1) / 3.0, row == 1 ? 0.53 : 0.075, 1 / 3.0, 0.47)
            set key off
            if (row == 2 && c == 2) { eval legend(0.05, 1, 2); set key samplen 2.5 width 1 }
            set title rows[row]
            set ylabel labels[c]
            set xlabel (row == 2 || in_column ? 'Senders' : '')
            top = tops[c]
            set yrange [0:top]
            step = steps[c]
            set ytics step
            y = places[c]
            plot for [p = 1:4] data skip 1 using (mine(p, row) ? $3 - 1 : NaN):(column(y)) with linespoints ls p title policies[p], \
                for [p = 1:4] data skip 1 using (mine(p, row) ? $3 - 1 : NaN):(column(y)):(column(y + 1)):(column(y + 2)) \
                with yerrorbars ls p dt 1 notitle
        }
    }
    unset multiplot
    unset output
}
