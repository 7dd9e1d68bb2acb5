# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot planes.gp
name = 'planes'
width = 9
height = 4.6
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
    set key at screen 0.5, screen 0.02 center bottom vertical maxrows 2 samplen 2.5 Left reverse
    set label 1 'down' at 300, 6.6 center font ',11'
    set label 2 'up' at 900, 6.6 center font ',11'
    set arrow 1 from 300, 0 to 300, 6.4 nohead ls 9
    set arrow 2 from 900, 0 to 900, 6.4 nohead ls 9
    set origin 0, 0.13
    set size 0.5, 0.87
    set title '(a) Its spines die: hosts do not see it'
    plot for [n = 1:5] data skip 1 using (at('spines', n)):($4 / 1000) with lines ls n lw 2 title cases_are[n]
    unset label 99
    unset key
    set origin 0.5, 0.13
    set title '(b) All its switches die: hosts see it'
    plot for [n = 1:5] data skip 1 using (at('switches', n)):($4 / 1000) with lines ls n lw 2 notitle
    unset multiplot
    unset output
}
