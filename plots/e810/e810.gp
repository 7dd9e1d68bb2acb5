# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot e810.gp
name = 'e810'
width = 6.4
height = 4
load '../style.gp'
data = name . '.tsv'
# Intel article 000059783, E810-CQDA2, ib_send_bw
array stated[3] = [49, 88, 91]
array mtus[3] = [1500, 4096, 9000]
array colours[3] = ['#56B4E9', '#0072B2', '#E69F00']
set style fill solid 1 border lc rgb '#000000'
set boxwidth 0.2
set xrange [0.5:3.5]
set yrange [0:108]
set xtics ('1' 1, '2' 2, '3' 3)
set xlabel 'Connections'
set ylabel 'Steady goodput (Gb/s)'
if (in_column) { set key outside top center vertical maxrows 2 } else { set key outside right center }
set key Left reverse samplen 1.5
do for [kind in kinds] {
    eval begin(kind)
    plot for [m = 1:3] data skip 1 using ($2 == mtus[m] ? $1 + (m - 2) * 0.22 : NaN):3 with boxes lc rgb colours[m] lw 0.6 \
        title sprintf('model, MTU %d', mtus[m]), \
        for [c = 1:3] '+' using (c - 0.4):(stated[c]):(0.8):(0) every ::0::0 with vectors nohead lw 2.2 dt 1 lc rgb '#000000' \
        title (c == 1 ? 'stated by its maker' : ''), \
        for [c = 1:3] '+' using (c + 0.02):(stated[c] + 6):(sprintf(in_column ? '%d' : 'stated: %d', stated[c])) every ::0::0 with labels font small notitle
    unset output
}
