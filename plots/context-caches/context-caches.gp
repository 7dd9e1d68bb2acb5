# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot context-caches.gp
name = 'context-caches'
width = 9
height = 6.6
panels = 4
below = 0.4
load '../style.gp'
data = name . '.tsv'
array misses[4] = [8, 4, 2, 1]
array sizes[2] = [64, 4096]
array whats[2] = ['stags', 'connections']
array caches[2] = [8192, 2048]
array lefts[2] = [1800, 450]
array rights[2] = [14000, 3500]
array tops[2] = [11, 105]
rate(gbps, size) = size == 64 ? gbps * 1e3 / (8 * 64) : gbps
set logscale x 2
set lmargin 9
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    do for [row = 1:2] {
        do for [c = 1:2] {
            eval tile(2 * row + c - 2, (c - 1) * 0.5, row == 1 ? 0.54 : 0.08, 0.5, 0.46)
            set key off
            if (row == 2 && c == 2) { eval legend(0.05, 1, 1); set key samplen 2.5 title 'Misses served at a time' }
            set title (row == 1 ? 'messages of 64 octets' : 'messages of 4 KiB')
            set ylabel (row == 1 ? 'Messages (million/s)' : 'Steady goodput (Gb/s)')
            set xlabel (row == 1 && !in_column ? '' : c == 1 ? 'STags used in turn' : 'Connections')
            set xtics (512, 1024, 2048, 4096, 8192)
            if (c == 2) { set xtics (512, 1024, 2048, 3072) }
            low = lefts[c]
            high = rights[c]
            top = tops[row]
            set xrange [low:high]
            set yrange [0:top]
            set arrow 1 from caches[c], 0 to caches[c], top nohead ls 9 dt 2
            s = sizes[row]
            w = whats[c]
            plot for [m = 1:4] data skip 1 using (strcol(1) eq w && $2 == s && $3 == misses[m] ? $4 : NaN):(rate($5, s)) \
                with linespoints ls m title sprintf('%d', misses[m])
            unset label 99
        }
    }
    unset multiplot
    unset output
}
