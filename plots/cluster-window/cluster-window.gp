# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot cluster-window.gp
name = 'cluster-window'
width = 9
height = 4
panels = 2
load '../style.gp'
data = name . '.tsv'
of(series, n) = strcol(1) eq series ? column(n) : NaN
with_(senders, n) = strcol(1) eq 'goodput' && column(2) == senders ? column(n) : NaN
array senders[5] = [1, 4, 16, 64, 256]
set logscale x
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    eval tile(1, 0, 0, 0.5, 1)
    set xlabel 'Window of each connection'
    set xtics ('32 KiB' 32768, '128 KiB' 131072, '512 KiB' 524288)
    set xrange [28000:1200000]
    set ylabel 'Goodput of the receiver (Gb/s)'
    unset logscale y
    set yrange [0:105]
    set key bottom right Left reverse samplen 3 title 'Senders'
    plot for [i = 1:5] data skip 1 using 3:(with_(senders[i], 4)) with linespoints ls i title sprintf('%d', senders[i])
    eval tile(2, 0.5, 0, 0.5, 1)
    set xlabel 'Connections of the receiver'
    set xtics ('1' 1, '4' 4, '16' 16, '64' 64, '256' 256, '1,024' 1024)
    set xrange [0.8:1300]
    set ylabel 'Octets promised to all, most (MB)'
    set logscale y
    set yrange [0.2:3000]
    set key top left Left reverse samplen 3 notitle
    plot data skip 1 using 2:(of('stays', 5) / 1e6) with linespoints ls 2 title 'a window that stays, 1 MiB', \
        '' skip 1 using 2:(of('bdp', 5) / 1e6) with linespoints ls 1 title 'bdp: found by itself', \
        10 * 8960 * x / 1e6 with lines ls 9 dt 2 title 'ten segments each'
    unset multiplot
    unset output
}
