# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot transport-classes.gp
name = 'transport-classes'
width = 9
height = 4.4
panels = 2
below = 0.7
each = 2.6
load '../style.gp'
data = name . '.tsv'
array classes[4] = ['reliable_ordered', 'reliable_unordered', 'unreliable_ordered', 'unreliable_unordered']
array titles[4] = ['reliable, ordered', 'reliable, unordered', 'unreliable, ordered', 'unreliable, unordered']
set style line 1 pt 6 ps 1.3
set style line 3 pt 8 ps 1.3
set logscale x
set xrange [7e-5:1.4e-2]
set xtics ('10^{-4}' 1e-4, '10^{-3}' 1e-3, '10^{-2}' 1e-2)
set xlabel 'Loss probability'
none = 5e-5
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    eval tile(1, 0, 0.12, 0.5, 0.88)
    set key off
    set title '(a) latency of the messages that came'
    set ylabel '99th percentile (us)'
    set yrange [0:25]
    plot for [c = 1:4] data skip 1 using (strcol(1) eq classes[c] ? $2 : NaN):6 with linespoints ls c title titles[c], \
         for [c = 1:4] data skip 1 using (strcol(1) eq classes[c] ? $2 : NaN):7:(0):($8 - $7) with vectors heads fixed size screen 0.005,90 ls c dt 1 notitle
    eval tile(2, 0.5, 0.12, 0.5, 0.88)
    eval legend(0.07, 2, 4)
    set key samplen 2.5
    set title '(b) messages that never came'
    set ylabel 'Missing'
    set logscale y
    set yrange [3e-5:3e-2]
    set ytics ('none' none, '0.01 %%' 1e-4, '0.1 %%' 1e-3, '1 %%' 1e-2)
    plot x > 1e-4 ? x : NaN with lines ls 9 notitle, \
         for [c = 1:4] data skip 1 using (strcol(1) eq classes[c] ? $2 : NaN):($21 > 0 ? $21 : none) with linespoints ls c title titles[c], \
         for [c = 3:4] data skip 1 using (strcol(1) eq classes[c] ? $2 : NaN):22:(0):($23 - $22) with vectors heads fixed size screen 0.005,90 ls c dt 1 notitle
    unset logscale y
    set ytics autofreq
    unset multiplot
    unset output
}
