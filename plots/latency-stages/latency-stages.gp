# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot latency-stages.gp
name = 'latency-stages'
width = 9
height = 4.8
column = 3.2
load '../style.gp'
data = name . '.tsv'
array adapters[6] = ['ideal', 't6', 't5', 'e810', 'ne010', 'siw']
array ops[3] = ['S', 'W', 'R']
# first and last column of each part
array parts[7] = ['CPU: post, doorbell', 'descriptor, DMA read', 'transmit pipeline', 'line', 'receive pipeline', 'DMA write', 'copy, completion, CPU']
array from[7] = [3, 4, 6, 7, 8, 9, 10]
array to[7] = [3, 5, 6, 7, 8, 9, 14]
array colours[7] = ['#000000', '#D55E00', '#56B4E9', '#dddddd', '#0072B2', '#F0E442', '#009E73']
upto(k) = sum [i = 3:to[k]] column(i)
where(a) = a eq 'ideal' ? 1 : a eq 't6' ? 2 : a eq 't5' ? 3 : a eq 'e810' ? 4 : a eq 'ne010' ? 5 : 6
which(o) = o eq 'send' ? -0.27 : o eq 'write' ? 0 : 0.27
place = "(where(strcol(1)) + which(strcol(2)))"
set style fill solid 1 border lc rgb '#000000'
set boxwidth 0.24
set xrange [0.5:6.5]
unset xtics
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    set key outside right center Left reverse samplen 1.5 width -4
    if (in_column) { set key at screen 0.5, screen 0.05 / height center bottom vertical maxrows 4 width 0 }
    set ylabel 'Latency of 64 octets (us)'
    set xlabel 'Adapter; S: Send, W: Write, R: Read' offset 0, -2.2
    set xrange [0.5:6.5]
    set yrange [0:17.5]
    if (size eq 'page') { set tmargin 2 }
    set bmargin 5.5
    if (in_column) { set bmargin at screen 1.3 / height }
    do for [a = 1:6] { set label a adapters[a] at a, graph 0 center offset 0, -2 }
    do for [a = 1:6] { do for [o = 1:3] { set label 10 * a + o ops[o] at a + (o - 2) * 0.27, graph 0 center offset 0, -0.9 font small } }
    plot for [k = 7:1:-1] data skip 1 using @place:(upto(k)) with boxes lc rgb colours[k] lw 0.6 title parts[k], \
        data skip 1 using @place:16 with points pt 2 ps 0.8 lw 1.5 lc rgb '#000000' title 'run, median'
    unset multiplot
    unset output
}
