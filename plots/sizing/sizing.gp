# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot sizing.gp
name = 'sizing'
width = 7
height = 4.2
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
do for [kind in kinds] {
    eval begin(kind)
    plot form(x > 1 ? x : 0) with lines ls 9 title '0.95 x round trip + depth', \
        data skip 1 using (strcol(1) eq 'window' ? shown($2) : NaN):4 with points ls 1 ps 1.4 title 'TCP: smallest window (FPDUs)', \
        data skip 1 using (strcol(1) eq 'track' ? shown($2) : NaN):4 with points ls 3 ps 1 title 'RUD: smallest llp.track (bits)'
    unset output
}
