# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot reordering-paths.gp
name = 'reordering-paths'
width = 9
height = 6.4
panels = 4
below = 0.4
load '../style.gp'
data = name . '.tsv'
array paths[4] = ['place', 'hold', 'discard', 'copy']
array detections[2] = ['dupack', 'rack']
array detected[2] = ['three duplicate ACKs', 'RACK']
array congestions[2] = ['cubic', 'fixed:512KiB']
array windows[2] = ['CUBIC', 'fixed window, 512 KiB']
set style line 1 pt 6 ps 1.3
set xrange [-0.7:31]
set xtics 0, 5, 30
set yrange [0:105]
mine(p, d, c) = strcol(1) eq paths[p] && strcol(2) eq detections[d] && strcol(3) eq congestions[c]
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    do for [c = 1:2] {
        do for [d = 1:2] {
            eval tile(2 * c + d - 2, (d - 1) * 0.5, c == 1 ? 0.53 : 0.07, 0.5, 0.47)
            set key off
            if (c == 2 && d == 2) { eval legend(0.04, 1, 2); set key samplen 2.5 width 1 }
            set title in_lines(windows[c] . ', ' . detected[d])
            set ylabel (d == 1 || in_column ? 'Steady goodput (Gb/s)' : '')
            set xlabel (c == 2 || in_column ? 'Packets that a late one falls behind' : '')
            plot for [p = 1:4] data skip 1 using (mine(p, d, c) ? $4 : NaN):5 with lines ls p notitle, \
                 for [p = 1:4] data skip 1 using (mine(p, d, c) ? $4 : NaN):5:6:7 with yerrorbars ls p dt 1 notitle, \
                 for [p = 1:4] NaN with linespoints ls p title paths[p]
            unset label 99
        }
    }
    unset multiplot
    unset output
}
