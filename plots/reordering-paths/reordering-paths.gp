# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot reordering-paths.gp
name = 'reordering-paths'
width = 10
height = 6.2
load '../style.gp'
data = name . '.tsv'
array paths[5] = ['place', 'hold', 'hold, 1 MiB', 'discard', 'copy']
array titles[5] = ['place', 'hold, 128 KiB', 'hold, 1 MiB', 'discard', 'copy']
array thresholds[2] = [3, 300]
array places[3] = [4, 7, 10]
array scale[3] = [1, 1024, 1]
array labels[3] = ['Steady goodput (Gb/s)', 'NIC memory, peak (KiB)', 'Latency, 99th percentile (us)']
array rows[2] = ['3 duplicate ACKs', '300 duplicate ACKs']
set style line 1 pt 6 ps 1.3
mine(p, row) = strcol(1) eq paths[p] && $2 == thresholds[row]
set xtics (1, 2, 3, 5, 10, 20, 30)
set logscale x
set xrange [0.85:36]
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    do for [row = 1:2] {
        do for [c = 1:3] {
            set origin (c - 1) / 3.0, row == 1 ? 0.53 : 0.075
            set size 1 / 3.0, 0.47
            set key off
            if (row == 2 && c == 2) { set key at screen 0.5, screen 0.05 center maxrows 1 samplen 2.5 width 1 }
            set title rows[row]
            set ylabel labels[c]
            set xlabel (row == 2 ? 'Reordering depth (packets)' : '')
            unset logscale y
            top = c == 1 ? 105 : 570
            set yrange [0:top]
            if (c == 3) {
                set logscale y
                set yrange [100:20000]
            }
            y = places[c]
            unit = scale[c]
            plot for [p = 5:1:-1] data skip 1 using (mine(p, row) ? $3 : NaN):(column(y) / unit) \
                with linespoints ls p title titles[p], \
                for [p = 5:1:-1] data skip 1 using (mine(p, row) ? $3 : NaN):(column(y) / unit):\
                (column(y + 1) / unit):(column(y + 2) / unit) with yerrorbars ls p dt 1 notitle
        }
    }
    unset multiplot
    unset output
}
