# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot sizing.gp
name = 'sizing'
width = 9
height = 4.2
panels = 2
each = 2.5
load '../style.gp'
data = name . '.tsv'
shown(x) = x > 0 ? x : 1
packet = 4134 * 8 / 100e9 # on the wire, s
form(depth) = 0.95 * 10.339e-6 / packet + depth
set logscale xy 2
set xrange [0.8:320]
set yrange [20:400]
set xtics ('0' 1, '4' 4, '16' 16, '64' 64, '256' 256)
set xlabel 'Packets that a late one falls behind'
set ylabel 'Packets for 95 % of the line'
set key left top Left reverse samplen 2.5
array keeps[5] = ['held-list', 'tcp-bitmap', 'tcp-list', 'tcp-ranges', 'rud-bitmap']
array kept[5] = ['octets held', 'bitmap of the TCP stream', 'list: 34 a segment', 'ranges: 16 each', 'bitmap of packets (RUD)']
array look[5] = [3, 4, 1, 2, 5]
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    eval tile(1, 0, 0, 0.5, 1)
    set title 'What 95 % of the line takes'
    set ylabel 'Packets for 95 % of the line'
    unset logscale y
    set logscale y 2
    set format y '%g'
    set yrange [0.8:2000]
    plot form(x > 1 ? x : 0) with lines ls 9 title '0.95 x round trip + depth', \
        data skip 1 using (strcol(1) eq 'window' ? shown($2) : NaN):4 with points ls 1 ps 1.4 title 'TCP: smallest window (FPDUs)', \
        data skip 1 using (strcol(1) eq 'track' ? shown($2) : NaN):4 with points ls 3 ps 1 title 'RUD: smallest llp.track (bits)', \
        data skip 1 using (strcol(1) eq 'ranges' ? shown($2) : NaN):4 with points ls 2 ps 1 title 'RUD: smallest llp.track\_ranges'
    unset label 99
    eval tile(2, 0.5, 0, 0.5, 1)
    set title 'What is remembered of them'
    set ylabel 'Octets, peak'
    unset logscale y
    set logscale y 10
    set format y '10^{%L}'
    set yrange [0.7:1e9]
    plot for [k = 1:5] data skip 1 using (strcol(1) eq keeps[k] && $3 > 0 && $2 > 0 ? $2 : NaN):3 with linespoints ls look[k] title kept[k]
    unset multiplot
    unset output
}
