# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot early-placement.gp
name = 'early-placement'
width = 9
height = 3.8
panels = 2
load '../style.gp'
data = name . '.tsv'
array depths[3] = ['3', '10', '30']
array losses[3] = ['0.0001', '0.001', '0.01']
array written[3] = ['1e-4', '1e-3', '1e-2']
set logscale xy
set yrange [1e-5:1.3]
set format y '10^{%T}'
set ylabel 'Share in place for longer'
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    eval tile(1, 0, 0, 0.5, 1)
    set title '(a) 10 % of the packets reordered'
    set xlabel 'Placement to delivery (us)'
    set xrange [0.1:60]
    set key at graph 0.02, 0.42 left top Left reverse samplen 2.5 title 'Depth (packets)' left
    do for [i = 1:3] { set arrow i from depths[i] * 0.72304, 1e-5 to depths[i] * 0.72304, 1 nohead ls i dt 3 lw 1 }
    plot for [i = 1:3] data skip 1 using (strcol(1) eq 'reordering' && strcol(2) eq depths[i] ? $3 : NaN):($4 > 0 ? $4 : 1e-9) with steps ls i lw 2 title depths[i]
    do for [i = 1:3] { unset arrow i }
    eval tile(2, 0.5, 0, 0.5, 1)
    set title '(b) packets lost'
    set xrange [0.1:4000]
    set key title 'Loss' left
    set arrow 1 from 10.73, 1e-5 to 10.73, 1 nohead ls 9 dt 3
    set arrow 2 from 1000, 1e-5 to 1000, 1 nohead ls 9 dt 2
    set label 1 'RTT' at 11.5, 0.7 font small
    set label 2 'RTO' at 1100, 0.7 font small
    plot for [i = 1:3] data skip 1 using (strcol(1) eq 'loss' && strcol(2) eq losses[i] ? $3 : NaN):($4 > 0 ? $4 : 1e-9) with steps ls i lw 2 title written[i]
    unset arrow
    unset label
    unset multiplot
    unset output
}
