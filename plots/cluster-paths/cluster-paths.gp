# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot cluster-paths.gp
name = 'cluster-paths'
width = 9
height = 6
panels = 4
load '../style.gp'
data = name . '.tsv'
of(pattern, path, n) = strcol(1) eq pattern && strcol(2) eq path ? column(n) : NaN
set logscale x
set xlabel 'Hosts'
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    do for [pattern in 'next all'] {
        right = pattern eq 'all'
        eval tile(right ? 3 : 1, right * 0.5, 0.5, 0.5, 0.5)
        set title (pattern eq 'next' ? 'each host Writes to the next' : 'each host Writes to all others')
        if (pattern eq 'next') {
            set xrange [3:1400]
            set xtics ('4' 4, '16' 16, '64' 64, '256' 256, '1,024' 1024)
        } else {
            set xrange [3.4:38]
            set xtics ('4' 4, '8' 8, '16' 16, '32' 32)
        }
        set ylabel 'Goodput of a host (Gb/s)'
        set yrange [0:100]
        set key bottom left Left reverse samplen 3
        plot data skip 1 using 3:(of(pattern, 'place', 4)) with linespoints ls 1 title 'place', \
            '' skip 1 using 3:(of(pattern, 'hold', 4)) with linespoints ls 2 title 'hold', \
            '' skip 1 using 3:(of(pattern, 'discard', 4)) with linespoints ls 3 title 'discard'
        eval tile(right ? 4 : 2, right * 0.5, 0, 0.5, 0.5)
        set title (in_column ? ' ' : '')
        set ylabel 'NIC memory held, most (kB)'
        set yrange [0:*]
        unset key
        plot data skip 1 using 3:(of(pattern, 'place', 5) / 1000) with linespoints ls 1, \
            '' skip 1 using 3:(of(pattern, 'hold', 5) / 1000) with linespoints ls 2, \
            '' skip 1 using 3:(of(pattern, 'discard', 5) / 1000) with linespoints ls 3
    }
    unset multiplot
    unset output
}
