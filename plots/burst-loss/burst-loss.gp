# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot burst-loss.gp
name = 'burst-loss'
width = 6
height = 4.2
load '../style.gp'
data = name . '.tsv'
array paths[2] = ['place', 'discard']
set logscale xy
set xrange [0.85:12]
set yrange [2e-4:0.1]
set xtics (1, 2, 5, 10)
set ytics ('0.1 %%' 1e-3, '1 %%' 1e-2, '10 %%' 1e-1)
set xlabel 'Mean length of a burst (packets)'
set ylabel 'Goodput lost'
set key left top reverse Left samplen 2.5
p = 0.0005
go_back(x) = x + 10.72928 / 0.70664 + 3 # what is lost, the round trip in packets of the mean size, three duplicates
do for [kind in kinds] {
    eval begin(kind)
    plot p * x / (1 + p * x) with lines ls 9 title 'what is lost', \
         p * go_back(x) / (1 + p * go_back(x)) with lines ls 9 dt 2 title 'and for each burst a round trip', \
         for [i = 1:2] data skip 1 using (strcol(2) eq paths[i] ? $15 : NaN):16 with points ls i title paths[i], \
         for [i = 1:2] data skip 1 using (strcol(2) eq paths[i] ? $15 : NaN):16:17:18 with yerrorbars ls i dt 1 notitle
    unset output
}
