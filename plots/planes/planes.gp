# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot planes.gp
name = 'planes'
width = 9
height = 4.6
panels = 2
below = 0.75 # inches for the legend
load '../style.gp'
data = name . '.tsv'
array cases[5] = ['retire', 'reps', 'oblivious', 'go-back-N', 'TCP']
array cases_are[5] = ['RUD, retire', 'RUD, reps', 'RUD, oblivious', 'go-back-N', 'TCP']
at(d, n) = strcol(1) eq d && strcol(2) eq cases[n] ? $3 - 10 : NaN
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    set xrange [200:1500]
    set xtics 300
    set yrange [0:7]
    set xlabel 'Time (us)'
    set ylabel 'Goodput of eight hosts (Tb/s)'
    set key vertical samplen 2.5 Left reverse
    eval legend(0.06, 2, 3)
    set label 1 'down' at 300, 6.6 center font small
    set label 2 'up' at 900, 6.6 center font small
    set arrow 1 from 300, 0 to 300, 6.4 nohead ls 9
    set arrow 2 from 900, 0 to 900, 6.4 nohead ls 9
    eval tile(1, 0, 0.13, 0.5, 0.87)
    set title '(a) Its spines die: hosts do not see it'
    plot for [n = 1:5] data skip 1 using (at('spines', n)):($4 / 1000) with lines ls n lw 2 title cases_are[n]
    unset label 99
    unset key
    eval tile(2, 0.5, 0.13, 0.5, 0.87)
    set title '(b) All its switches die: hosts see it'
    plot for [n = 1:5] data skip 1 using (at('switches', n)):($4 / 1000) with lines ls n lw 2 notitle
    unset multiplot
    unset output
}
