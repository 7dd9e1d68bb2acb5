# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot many-connections.gp
name = 'many-connections'
width = 9
height = 6.6
panels = 4
each = 2.5
load '../style.gp'
data = name . '.tsv'
senders = 8
depth = 16
octets = 8192
array misses[3] = [8, 2, 1]
array whats[3] = ['clean', 'loss', 'late']
array titles[3] = ['clean', 'loss 1e-3', '10 % late']
set logscale x
set lmargin 10
set rmargin 2
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    eval tile(1, 0, 0.5, 0.5, 0.5)
    set xrange [6:14000]
    set xtics (8, 32, 128, 512, 2048, 10000)
    set arrow 1 from 2048, graph 0 to 2048, graph 1 nohead ls 9 dt 2
    set xlabel 'Connections'
    set title 'Sends of 64 octets, one outstanding on each'
    set ylabel 'Messages (million/s)'
    set yrange [0:12]
    set key top left Left reverse samplen 2.5 title 'Misses served at a time' left
    plot for [m = 1:3] data skip 1 using (strcol(1) eq 'cache' && $5 == misses[m] ? $2 * senders : NaN):($3 / 1e6) \
        with linespoints ls m title sprintf('%d', misses[m])
    unset label 99
    eval tile(2, 0.5, 0.5, 0.5, 0.5)
    set title 'the same'
    set ylabel (in_column ? "99th percentile\nof latency (us)" : '99th percentile of latency (us)')
    set logscale y
    set yrange [3:12000]
    set key off
    plot for [m = 1:3] data skip 1 using (strcol(1) eq 'cache' && $5 == misses[m] ? $2 * senders : NaN):4 \
        with linespoints ls m title sprintf('%d', misses[m])
    unset arrow 1
    eval tile(3, 0, 0, 0.5, 0.5)
    set title in_lines('Sends of 8 KiB at half the line; colours as in the next one')
    set ylabel 'Receive buffers (KiB)'
    set yrange [16:4e6]
    set ytics (16, 256, '4 Ki' 4096, '64 Ki' 65536, '1 Mi' 1048576)
    unset key
    set key top left Left reverse samplen 2.5 notitle
    plot data skip 1 using (strcol(1) eq 'peak-clean' ? $2 * senders : NaN):($2 * senders * depth * octets / 1024) with lines ls 9 title '16 for each connection', \
        for [w = 1:3] data skip 1 using (strcol(1) eq 'peak-' . whats[w] ? $2 * senders : NaN):($3 * octets / 1024) \
        with linespoints ls w title (w == 1 ? 'shared, in use' : '')
    unset logscale y
    eval tile(4, 0.5, 0, 0.5, 0.5)
    set title '1,000 connections that share'
    set xlabel 'Buffers in the shared queue'
    set ylabel 'Share of streams ended'
    set xrange [0.9:36]
    set yrange [0:1.05]
    set xtics (1, 2, 4, 8, 16, 32)
    set ytics auto
    set key top right Left reverse samplen 2.5 notitle
    plot for [w = 1:3] data skip 1 using (strcol(1) eq 'ended-' . whats[w] ? $2 : NaN):($4 / 1000) with linespoints ls w title titles[w]
    unset multiplot
    unset output
    set logscale x
}
