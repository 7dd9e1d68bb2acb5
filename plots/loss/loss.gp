# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot loss.gp
name = 'loss'
width = 6
height = 4.2
load '../style.gp'
data = name . '.tsv'
array paths[3] = ['place', 'hold', 'discard']
set style line 1 pt 6 ps 1.4
set logscale xy
set xrange [7e-5:4.5e-2]
set yrange [5e-5:1]
set xtics ('10^{-4}' 1e-4, '10^{-3}' 1e-3, '10^{-2}' 1e-2)
set ytics ('0.01 %%' 1e-4, '0.1 %%' 1e-3, '1 %%' 1e-2, '10 %%' 1e-1, '100 %%' 1)
set xlabel 'Loss probability'
set ylabel 'Goodput lost'
set key left top reverse Left samplen 2.5
behind = 10.72928 / 0.70664 + 3 # round trip in packets of the mean size, and the three duplicates
do for [kind in kinds] {
    eval begin(kind)
    plot x with lines ls 9 title 'p', \
         x * behind / (1 + x * behind) with lines ls 9 dt 2 title '1 - 1/(1 + p (RTT/packet + 3))', \
         for [p = 1:3] data skip 1 using (strcol(2) eq paths[p] && $1 > 0 ? $1 : NaN):15 with points ls p title paths[p], \
         for [p = 1:3] data skip 1 using (strcol(2) eq paths[p] && $1 > 0 ? $1 : NaN):15:16:17 with yerrorbars ls p dt 1 notitle
    unset output
}
