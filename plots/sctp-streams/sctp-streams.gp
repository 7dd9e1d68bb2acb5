# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot sctp-streams.gp
name = 'sctp-streams'
width = 9
height = 4.2
load '../style.gp'
data = name . '.tsv'
array kinds_of[2] = ['sctp', 'mpa']
array titles[2] = ['streams of one SCTP association', 'MPA connections, a TCP each']
set logscale x 2
set xrange [0.87:18.4]
set xtics (1, 2, 4, 8, 16)
set logscale y
set yrange [0.05:200]
set ytics ('none' 0.06, '0.1' 0.1, '1' 1, '10' 10, '100' 100)
shown(y) = y < 0.06 ? 0.06 : y 
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    do for [c = 1:2] {
        set origin (c - 1) * 0.5, 0.1
        set size 0.5, 0.9
        set key off
        if (c == 2) { set key at screen 0.5, screen 0.06 center maxrows 1 samplen 2.5 }
        set title titles[c]
        set xlabel (c == 1 ? 'Streams' : 'Connections')
        set ylabel (c == 1 ? 'Placement to delivery (us)' : '')
        k = kinds_of[c]
        plot data skip 1 using (strcol(2) eq k ? $1 : NaN):(shown($9)) with linespoints ls 3 title '99th percentile', \
             data skip 1 using (strcol(2) eq k ? $1 : NaN):(shown($8)) with linespoints ls 2 title '90th percentile', \
             data skip 1 using (strcol(2) eq k ? $1 : NaN):(shown($7)) with linespoints ls 1 title 'mean'
    }
    unset multiplot
    unset output
}
