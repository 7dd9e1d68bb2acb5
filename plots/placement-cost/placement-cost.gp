# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot placement-cost.gp
name = 'placement-cost'
width = 9
height = 7.6
panels = 4
each = 2.6
load '../style.gp'
data = name . '.tsv'
array one[12] = ['place', 'place', 'hold', 'discard', 'sctp', 'packet', 'packet', 'packet', 'rud', 'rud', 'entropy', 'entropy']
array two[12] = ['rack', 'dupack', 'rack', 'rack', 'irn', 'go_back_n', 'irn', 'rud', 'nscc', 'rccc', 'reps', 'bitmap']
array called[12] = ['iWARP, placed, RACK', 'iWARP, placed, three duplicates', 'iWARP, held, RACK', 'iWARP, discarded', 'SCTP', 'go-back-N (RoCEv2)', 'IRN', 'RUD (UET, SRD)', 'RUD, NSCC', 'RUD, RCCC', 'RUD, NSCC, paths by REPS', 'RUD, RCCC, paths by bitmap']
array styled[12] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13]
set style line 10 lc rgb '#8B4513' dt 4 pt 8 lw 1.6 * scale ps 0.9 * scale
set style line 11 lc rgb '#4B0082' dt 2 pt 12 lw 1.6 * scale ps 0.9 * scale
set style line 12 lc rgb '#8B4513' dt 1 pt 9 lw 1.6 * scale ps 0.9 * scale
set style line 13 lc rgb '#4B0082' dt 1 pt 13 lw 1.6 * scale ps 0.9 * scale
of(s) = strcol(1) eq one[s] && strcol(2) eq two[s]
mine(s) = of(s) && valid(3)
# what an adapter keeps: transport and layout
array keeps[5] = ['hold rack', 'place rack', 'place bitmap', 'place ranges', 'rud bitmap']
array kept[5] = ['octets held', 'list: 34 a segment', 'bitmap of the TCP stream', 'ranges: 16 each', 'bitmap of packets (RUD)']
array look[5] = [3, 1, 4, 2, 8]
keeping(k) = strcol(1) . ' ' . strcol(2) eq keeps[k] && valid(3)
hosts(s, what) = of(s) && strcol(3) eq what
shown(x) = x > 0 ? x : 0.5
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    set key off
    eval tile(1, 0, 0.5, 0.53, 0.5)
    set logscale x 2
    set xrange [0.4:320]
    set xtics ('0' 0.5, '1' 1, '4' 4, '16' 16, '64' 64, '256' 256)
    unset logscale y
    set format y '%g'
    set yrange [0:105]
    set title 'One path, 10 % of the packets late'
    set xlabel 'Packets that a late one falls behind'
    set ylabel 'Steady goodput (Gb/s)'
    plot for [s = 1:10] data skip 1 using (mine(s) ? shown($3) : NaN):4 with linespoints ls styled[s] title called[s], \
         for [s = 1:10] data skip 1 using (mine(s) ? shown($3) : NaN):5:(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls styled[s] dt 1 notitle
    eval tile(2, 0.53, 0.5, 0.47, 0.5)
    set logscale y
    set yrange [0.7:1e12]
    set format y '10^{%L}'
    set ytics 1000
    set title 'What the adapter keeps for them'
    set key at graph 0.02, graph 0.98 top left Left reverse samplen 2 spacing 0.95
    set ylabel 'Octets, peak'
    plot for [k = 1:5] data skip 1 using (keeping(k) && $7 > 0 ? shown($3) : NaN):7 with linespoints ls look[k] title kept[k]
    set key off
    set ytics autofreq
    eval tile(3, 0, 0, 0.53, 0.5)
    unset logscale x
    set xrange [0.4:12.6]
    set xtics ('placed, RACK' 1, 'three dup.' 2, 'held' 3, 'discarded' 4, 'SCTP' 5, 'go-back-N' 6, 'IRN' 7, 'RUD' 8, 'NSCC' 9, 'RCCC' 10, 'REPS' 11, 'bitmap' 12) rotate by 90 right
    set yrange [10:2e5]
    set title in_lines('One slow path of 16: 128 hosts, 1,024 (grey)')
    set xlabel ''
    set ylabel 'Median to p99 (us)'
    plot for [s = 1:12] data skip 1 using (hosts(s, 'short') ? s - 0.12 : NaN):10:10:13:13 with candlesticks ls styled[s] dt 1 notitle, \
         for [s = 1:12] data skip 1 using (hosts(s, 'short') ? s - 0.12 : NaN):13 with points ls styled[s] ps 0.8 notitle, \
         for [s = 1:12] data skip 1 using (hosts(s, 'thousand') ? s + 0.2 : NaN):10:10:13:13 with candlesticks ls 9 notitle, \
         for [s = 1:12] data skip 1 using (hosts(s, 'thousand') ? s + 0.2 : NaN):13 with points ls 9 pt 7 ps 0.5 notitle
    set xtics norotate
    eval tile(4, 0.53, 0, 0.47, 0.5)
    unset xtics
    unset ytics
    unset border
    unset title
    unset ylabel
    unset logscale y
    set yrange [0:1]
    if (in_column) { set key at screen 0.1, screen each * 0.9 / height left top } else { set key at screen 0.6, screen 0.47 left top }
    set key Left reverse maxcols 1 samplen 2.5 spacing 0.9
    plot for [s = 1:12] NaN with linespoints ls styled[s] title called[s]
    set border
    set xtics
    set ytics
    unset multiplot
    unset output
}
