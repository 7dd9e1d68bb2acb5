# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot sctp-streams.gp
name = 'sctp-streams'
width = 9
height = 4.2
panels = 2
below = 0.4
load '../style.gp'
data = name . '.tsv'
array kinds_of[2] = ['sctp', 'mpa']
array curves[2] = ['streams of one SCTP association', 'MPA connections, a TCP each']
array titles[2] = ['(a) messages that wait', '(b) how long: mean of all, and 99th percentile']
set style line 1 pt 6 ps 1.2
set logscale x 2
set xrange [0.87:18.4]
set xtics (1, 2, 4, 8, 16)
set xlabel 'Streams, connections'
set logscale y
mine(i) = strcol(2) eq kinds_of[i] ? $1 : NaN
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    eval tile(1, 0, 0.1, 0.5, 0.9)
    set key off
    set title titles[1]
    set ylabel 'Waiting for others (%)'
    set yrange [1:30]
    set ytics (1, 2, 5, 10, 20)
    plot for [i = 1:2] data skip 1 using (mine(i)):10 with linespoints ls i title curves[i], \
         for [i = 1:2] data skip 1 using (mine(i)):11:(0):($12 - $11) with vectors heads fixed size screen 0.005,90 ls i dt 1 notitle
    eval tile(2, 0.5, 0.1, 0.5, 0.9)
    eval legend(0.06, 1, 2)
    set key samplen 2.5
    set title titles[2]
    set ylabel 'Placement to delivery (us)'
    set yrange [0.08:150]
    set ytics (0.1, 1, 10, 100)
    set label 1 '99th percentile' at 2.4, 60
    set label 2 'mean' at 1.05, 0.7
    plot for [i = 1:2] data skip 1 using (mine(i)):9 with linespoints ls i title curves[i], \
         for [i = 1:2] data skip 1 using (mine(i)):7 with linespoints ls i lw 0.8 notitle, \
         for [i = 1:2] data skip 1 using (mine(i)):($13 > 0.08 ? $13 : 0.08):(0):($14 - ($13 > 0.08 ? $13 : 0.08)) with vectors heads fixed size screen 0.005,90 ls i dt 1 notitle, \
         for [i = 1:2] data skip 1 using (mine(i)):($15 > 0.08 ? $15 : 0.08):(0):($16 - ($15 > 0.08 ? $15 : 0.08)) with vectors heads fixed size screen 0.005,90 ls i dt 1 notitle
    unset label 1
    unset label 2
    unset multiplot
    unset output
}
