# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot receiver-memory.gp
name = 'receiver-memory'
width = 9
height = 6.4
panels = 4
below = 0.5
load '../style.gp'
data = name . '.tsv'
array transports[5] = ['retire', 'constant', 'go_back_n', 'irn', 'rud']
array called[5] = ['TCP, retire', 'TCP, constant', 'go-back-N', 'IRN', 'RUD']
array titles[4] = ['(a) steady goodput', '(b) dropped by staging', '(c) 99th percentile of latency', '(d) staging used, by stall']
array labels[4] = ['Gb/s', 'Packets', 'us', 'Octets']
array places[4] = [4, 7, 10, 13]
array tops[4] = [80, 36000, 22000, 2e6]
array steps[4] = [20, 10000, 5000, 10]
mine(p, what) = strcol(1) eq what && strcol(2) eq transports[p]
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    do for [c = 1:4] {
        what = c < 4 ? 'incast' : 'stall'
        eval tile(c, (c - 1) % 2 / 2.0, c < 3 ? 0.53 : 0.06, 0.5, 0.46)
        set key off
        if (c == 4) { eval legend(0.03, 1, 3); set key samplen 2 width -2 Left reverse }
        set title titles[c]
        set ylabel labels[c]
        set xlabel (c < 3 && !in_column ? '' : c < 4 ? 'Senders' : 'Stall in each ms (us)')
        unset logscale
        set logscale x (c < 4 ? 2 : 10)
        set format y '%.0f'
        if (c == 4) { set logscale y; set format y '10^{%T}' }
        set xtics (2, 4, 8, 16, 32)
        if (c == 4) { set xtics (1, 2, 5, 10, 20, 50, 100) }
        y = places[c]
        top = tops[c]
        step = steps[c]
        set ytics step
        if (c < 4) { set xrange [1.7:38]; set yrange [0:top] } else { set xrange [0.8:130]; set yrange [1e4:top] }
        plot for [p = 1:5] data skip 1 using (mine(p, what) ? (c < 4 ? $3 - 1 : $3) : NaN):(column(y)) with linespoints ls p title called[p], \
            for [p = 1:5] data skip 1 using (mine(p, what) ? (c < 4 ? $3 - 1 : $3) : NaN):(column(y)):(column(y + 1)):(column(y + 2)) \
            with yerrorbars ls p dt 1 notitle
    }
    unset multiplot
    unset output
}
