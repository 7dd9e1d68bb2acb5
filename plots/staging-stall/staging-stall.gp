# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot staging-stall.gp
name = 'staging-stall'
width = 10
height = 9.4
panels = 5
each = 2.5
load '../style.gp'
data = name . '.tsv'
# t6 on 100 Gb/s: an FPDU of 8960 octets every 731.8 ns; three of them in the pipeline and being written.
arrival = 8960 / 0.7318 # octets per us
inside = 3 * 8960.0
bound(stall) = inside + 8960 * ceil(stall / 0.7318)
fpdu_time = 0.7318
retire_time(credits) = 35 * 0.547 / credits # 35 writes of 256 octets, us
line_share(credits) = retire_time(credits) > fpdu_time ? fpdu_time / retire_time(credits) : 1
array policies[3] = ['constant', 'placed', 'retire']
array marks[3] = [6, 4, 8]
KiB = 1024.0
array stalls[4] = [5, 20, 50, 100]
stalls_run = 76.0 # one each ms
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    # (a)
    eval tile(1, 0, 0.68, 0.5, 0.32)
    set title '(a) what arriving segments find, placed'
    set xlabel 'Staging (KiB)'
    set ylabel 'Share that finds more'
    set logscale y
    set format y '10^{%T}'
    set yrange [3e-4:1.2]
    set xrange [0:1850]
    set xtics 400
    set key at graph 0.98, 1.0 right top samplen 2 title 'Stall' noopaque
    do for [s = 1:4] {
        b = bound(stalls[s]) / KiB
        set arrow s from b, 3e-4 to b, 1 nohead ls s dt 3 lw 1
    }
    plot for [s = 1:4] data using (strcol(1) eq 'ccdf' && $3 == stalls[s] ? $4 / KiB : NaN):($5 > 0 ? $5 : 1e-5) with steps ls s lw 2 \
        title sprintf('%d us', stalls[s])
    do for [s = 1:4] { unset arrow s }
    set key notitle
    set format y '%h'
    # (b)
    eval tile(2, 0.5, 0.68, 0.5, 0.32)
    set title '(b) the most that is needed, rare stalls'
    set xlabel 'Stall each ms (us)'
    set ylabel 'Staging, peak (KiB)'
    set logscale xy
    set xrange [0.8:130]
    set yrange [20:2000]
    set xtics (1, 2, 5, 10, 20, 50, 100)
    set key at graph 0.02, 1.0 left top Left reverse samplen 2
    plot bound(x) / KiB with lines ls 9 title 'pipeline + arrival rate x stall', \
        for [p = 1:3] data using (strcol(1) eq 'stall' && strcol(2) eq policies[p] ? $3 : NaN):($6 / KiB) with points ls p pt marks[p] ps 1.1 title policies[p]
    # (c)
    unset logscale
    eval tile(3, 0, 0.36, 0.5, 0.32)
    set title in_lines('(c) retirement always too slow, window 1 MiB')
    set xlabel 'Retire rate / arrival rate'
    set ylabel 'Staging, peak (KiB)'
    set xrange [0.4:1.32]
    set yrange [0:1100]
    set xtics auto
    set key at graph 0.98, 0.6 right top noreverse Right samplen 2
    ratio(c) = fpdu_time / retire_time(c)
    rtt = 10.729
    windows(r) = r < 1 ? 1024 - r * arrival * rtt / KiB : 1 / 0
    set samples 500
    plot windows(x) with lines ls 9 title 'window - retire rate x RTT', \
        for [p = 2:3] data using (strcol(1) eq 'slow' && strcol(2) eq policies[p] ? ratio($3) : NaN):($6 / KiB) with points ls p pt marks[p] ps 1.1 title policies[p]
    # (d)
    eval tile(4, 0.5, 0.36, 0.5, 0.32)
    set title in_lines('(d) too little staging for a stall of 20 us each ms')
    set xlabel 'Staging (KiB)'
    set ylabel 'Segments dropped a stall'
    set xrange [80:335]
    set yrange [0:28]
    set arrow 1 from bound(20) / KiB, 0 to bound(20) / KiB, 15 nohead ls 9 dt 2
    set key at graph 0.98, 1.0 right top samplen 2
    plot NaN with lines ls 9 dt 2 title 'pipeline + arrival rate x stall', \
        for [p = 2:3] data using (strcol(1) eq 'drop' && strcol(2) eq policies[p] ? $4 / KiB : NaN):($6 / stalls_run) with linespoints ls p pt marks[p] ps 1.1 title policies[p]
    unset arrow 1
    # (e)
    eval tile(5, 0, 0, 1, 0.35)
    set title in_lines('(e) the smallest window for 95 % of the line rate, and below it the smallest staging without a drop then (KiB)')
    set xlabel 'Round-trip time without load (us)'
    set ylabel 'Stall each ms (us)'
    set key off
    unset grid
    set xrange [-0.5:3.5]
    set yrange [-0.5:3.5]
    set xtics ('1' 0, '10' 1, '100' 2, '1000' 3)
    set ytics ('none' 0, '1' 1, '10' 2, '100' 3)
    set palette defined (0 '#ffffff', 1 '#6baed6')
    set logscale cb
    unset colorbox
    column_of(rtt) = rtt < 5 ? 0 : rtt < 50 ? 1 : rtt < 500 ? 2 : 3
    row_of(stall) = stall < 0.5 ? 0 : stall < 5 ? 1 : stall < 50 ? 2 : 3
    set cbrange [30:4000]
    plot data using (strcol(1) eq 'map' ? column_of($4) : NaN):(row_of($3)):(0.5):(0.5):($6 / KiB) with boxxyerror fs solid border lc rgb '#888888' fc palette z, \
        data using (strcol(1) eq 'map' ? column_of($4) : NaN):(row_of($3) + 0.25):(sprintf(in_column ? '%.0f' : 'window %.0f', $5 / KiB)) with labels font small, \
        data using (strcol(1) eq 'map' ? column_of($4) : NaN):(row_of($3) - 0.25):(sprintf(in_column ? '%.0f' : 'staging %.0f', $6 / KiB)) with labels font small
    set ytics auto
    set xtics auto
    set grid
    unset multiplot
    unset output
}
