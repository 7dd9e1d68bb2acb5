# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot tracking.gp
name = 'tracking'
width = 10
height = 4.4
panels = 3
each = 2.6
load '../style.gp'
data = name . '.tsv'
most = 9675.86 # packets in 100 us at 3.2 Tb/s
is(what) = strcol(1) eq what && $4 > 0
array layouts[3] = ['list', 'ranges', 'bitmap']
array look[3] = [2, 3, 1]
array counts[4] = [1, 10, 100, 1000]
array full[3] = ['nak', 'probe', 'timeout']
array then[3] = ['asked for', 'probed for', 'timed out']
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    eval tile(1, 0, 0, 0.34, 1)
    set title '(a) Bitmaps'
    set logscale xy 10
    set format xy '10^{%L}'
    set xlabel 'Skew x rate (packets)'
    set ylabel 'Bits, peak'
    set xrange [2:20000]
    set yrange [1:1e7]
    set key top left Left reverse samplen 2
    plot x with lines ls 9 title 'skew x rate', \
        for [n = 1:4] data skip 1 using (is('bitmap') && $2 == counts[n] ? $3 : NaN):4 with points ls n title n > 1 ? sprintf('%d busy', counts[n]) : '1 connection'
    unset label 99
    eval tile(2, 0.34, 0, 0.34, 1)
    set title '(b) 100 us at 3.2 Tb/s'
    set xlabel 'Connections'
    set xrange [0.7:15000]
    set yrange [100:1e12]
    plot most * x with lines ls 9 title 'bits of their own', \
        for [n = 1:3] data skip 1 using (is(layouts[n]) && $3 > 9000 ? $2 : NaN):4 with linespoints ls look[n] title layouts[n] . ', busy', \
        data skip 1 using (is('poisson') ? $2 : NaN):4 with linespoints ls 5 title 'bitmap, load 0.8'
    eval tile(3, 0.68, 0, 0.31, 1)
    set title '(c) 100 share a pool'
    unset logscale
    set format xy '%g'
    set xlabel 'Pool / (skew x rate)'
    set ylabel 'Goodput (Tb/s)'
    set xrange [0:1.05]
    set yrange [0:5]
    set xtics 0.25
    plot for [n = 1:3] data skip 1 using (strcol(1) eq full[n] ? $4 / most : NaN):($5 / 1000) with linespoints ls n title then[n]
    set xtics auto
    unset multiplot
    unset output
}
