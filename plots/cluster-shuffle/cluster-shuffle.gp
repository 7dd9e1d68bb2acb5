# Made by: iwarpsim plot cluster-shuffle --x topology.hosts --y host_mean_gbps,flow_p1_gbps --by workload.size --size page --logx true --logy true
# points: one run a point
# Again, in this folder: gnuplot -d cluster-shuffle.gp
if (!exists("name")) name = "cluster-shuffle"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1300; set rmargin at screen 0.9760
set logscale x
set xrange [13.913:147.2]
set xtics ("" 16, "" 32, "" 64, "" 128)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#000000' dt 4 pt 9 lw 1.6 ps 0.8
set style line 4 lc rgb '#D55E00' dt 1 pt 13 lw 1.6 ps 0.8
if (!exists("kinds")) kinds = 'svg png pdf'
do for [kind in kinds] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,403 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,4.20in font 'sans,11' fontscale 0.75 }
    small = kind eq 'svg' ? ',11' : ',8'
    set output name . '.' . kind
    unset label; unset arrow
    set tmargin at screen 0.8781; set bmargin at screen 0.3838
    set label "All to all on a cluster of 16 to 128 hosts" at screen 0.5000, screen 0.9591 center
    set label "one run a point" at screen 0.5000, screen 0.9182 center font small
    set label "Message size" at screen 0.5000, screen 0.2228 center
    set arrow from screen 0.2154, screen 0.1773 to screen 0.2699, screen 0.1773 nohead ls 1
    set label "" at screen 0.2427, screen 0.1773 point ls 1
    set label "Mean goodput of hosts, 4KiB" at screen 0.2830, screen 0.1773 left
    set arrow from screen 0.2154, screen 0.1319 to screen 0.2699, screen 0.1319 nohead ls 2
    set label "" at screen 0.2427, screen 0.1319 point ls 2
    set label "Mean goodput of hosts, 64KiB" at screen 0.2830, screen 0.1319 left
    set arrow from screen 0.2154, screen 0.0864 to screen 0.2699, screen 0.0864 nohead ls 3
    set label "" at screen 0.2427, screen 0.0864 point ls 3
    set label "Goodput, 1st percentile of connections, 4KiB" at screen 0.2830, screen 0.0864 left
    set arrow from screen 0.2154, screen 0.0409 to screen 0.2699, screen 0.0409 nohead ls 4
    set label "" at screen 0.2427, screen 0.0409 point ls 4
    set label "Goodput, 1st percentile of connections, 64KiB" at screen 0.2830, screen 0.0409 left
    set label "Rate (Gbps)" at screen 0.0246, screen 0.6310 center rotate by 90
    set logscale y; set yrange [0.349525333333333:147.483036]; floor = 0.349525333333333
    set ytics ("" 0.4 1, "" 0.5 1, "" 0.6 1, "" 0.7 1, "" 0.8 1, "" 0.9 1, "1" 1, "" 2 1, "" 3 1, "" 4 1, "" 5 1, "" 6 1, "" 7 1, "" 8 1, "" 9 1, "10" 10, "" 20 1, "" 30 1, "" 40 1, "" 50 1, "" 60 1, "" 70 1, "" 80 1, "" 90 1, "100" 100)
    set label "16" at screen 0.1802, screen 0.3356 center
    set label "32" at screen 0.4287, screen 0.3356 center
    set label "64" at screen 0.6773, screen 0.3356 center
    set label "128" at screen 0.9259, screen 0.3356 center
    set label "Hosts" at screen 0.5530, screen 0.2901 center
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3, \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4
}
unset output
