# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot memory-bus.gp
name = 'memory-bus'
width = 10
height = 4
panels = 3
load '../style.gp'
data = name . '.tsv'
left(background) = (614 - background) / 8.0 # GB/s
array paths[3] = ['place', 'copy', 'copy, CPU costs nothing']
array marks[3] = [6, 8, 4]
array all[5] = ['place, t6', 'hold, t6', 'discard, t6', 'copy, t6', 'copy, siw']
least(a, b) = a < b ? a : b
number(path) = path eq all[1] ? 1 : path eq all[2] ? 2 : path eq all[3] ? 3 : path eq all[4] ? 4 : 5
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    eval tile(1, 0, 0, 0.5, 1)
    set title '(a) a host whose memory is busy'
    set xlabel 'Memory bandwidth left (GB/s)'
    set ylabel 'Steady goodput (Gb/s)'
    set logscale xy
    set xrange [0.2:100]
    set yrange [0.5:150]
    set key at graph 0.99, 0.01 right bottom samplen 2
    plot least(97.67, 8 * x) with lines ls 9 title 'memory / 1', least(97.67, 8 * x / 3) with lines ls 9 dt 2 title 'memory / 3', \
        for [p = 1:3] data skip 1 using (strcol(1) eq 'bus' && strcol(2) eq paths[p] ? left($3) : NaN):4 with points ls p pt marks[p] ps 1.2 title paths[p]
    unset label 99
    unset logscale
    set key off
    set xlabel ''
    set xrange [0.4:5.6]
    set style fill solid 1 border lc rgb '#000000'
    set boxwidth 0.6
    set xtics (all[1] 1, all[2] 2, all[3] 3, all[4] 4, all[5] 5)
    eval tile(2, 0.5, 0, 0.25, 1)
    set title '(b) crossings'
    set ylabel 'Memory crossings per octet'
    set yrange [0:3.4]
    set ytics 1
    set xtics rotate by 90 right font small
    plot data skip 1 using (strcol(1) eq 'path' ? number(strcol(2)) : NaN):5 with boxes lc rgb '#0072B2' lw 0.6
    eval tile(3, 0.75, 0, 0.25, 1)
    set title '(c) CPU'
    set ylabel 'CPU time (ns/octet)'
    set yrange [0:0.4]
    set ytics 0.1
    plot data skip 1 using (strcol(1) eq 'path' ? number(strcol(2)) : NaN):6 with boxes lc rgb '#E69F00' lw 0.6
    set xtics auto norotate font ''
    set ytics auto
    unset multiplot
    unset output
}
