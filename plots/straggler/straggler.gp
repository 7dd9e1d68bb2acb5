# Made by: iwarpsim plot straggler --x hosts.3.rnic.stall.for --y flow_mean_gbps,flow_p1_gbps --by workload.kind --size page --logx false --logy false
# points: one run a point
# Again, in this folder: gnuplot -d straggler.gp
if (!exists("name")) name = "straggler"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1300; set rmargin at screen 0.9760
set xrange [-0.56:14.56]
set xtics ("" 0, "" 4, "" 8, "" 12, "" 14)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 4 lc rgb '#000000' dt 1 pt 13 lw 1.6 ps 0.8
set style line 5 lc rgb '#D55E00' dt 3 pt 11 lw 1.6 ps 0.8
set style line 6 lc rgb '#0072B2' dt 5 pt 15 lw 1.6 ps 0.8
if (!exists("kinds")) kinds = 'svg png pdf'
do for [kind in kinds] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,423 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,881 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,4.41in font 'sans,11' fontscale 0.75 }
    small = kind eq 'svg' ? ',11' : ',8'
    set output name . '.' . kind
    unset label; unset arrow
    set tmargin at screen 0.8838; set bmargin at screen 0.4526
    set label "One slow adapter among sixteen hosts" at screen 0.5000, screen 0.9610 center
    set label "one run a point" at screen 0.5000, screen 0.9220 center font small
    set label "Workload" at screen 0.5000, screen 0.2991 center
    set arrow from screen 0.1794, screen 0.2558 to screen 0.2340, screen 0.2558 nohead ls 1
    set label "" at screen 0.2067, screen 0.2558 point ls 1
    set label "Mean goodput of connections, permutation" at screen 0.2471, screen 0.2558 left
    set arrow from screen 0.1794, screen 0.2124 to screen 0.2340, screen 0.2124 nohead ls 2
    set label "" at screen 0.2067, screen 0.2124 point ls 2
    set label "Mean goodput of connections, shuffle" at screen 0.2471, screen 0.2124 left
    set arrow from screen 0.1794, screen 0.1691 to screen 0.2340, screen 0.1691 nohead ls 3
    set label "" at screen 0.2067, screen 0.1691 point ls 3
    set label "Mean goodput of connections, ring" at screen 0.2471, screen 0.1691 left
    set arrow from screen 0.1794, screen 0.1257 to screen 0.2340, screen 0.1257 nohead ls 4
    set label "" at screen 0.2067, screen 0.1257 point ls 4
    set label "Goodput, 1st percentile of connections, permutation" at screen 0.2471, screen 0.1257 left
    set arrow from screen 0.1794, screen 0.0824 to screen 0.2340, screen 0.0824 nohead ls 5
    set label "" at screen 0.2067, screen 0.0824 point ls 5
    set label "Goodput, 1st percentile of connections, shuffle" at screen 0.2471, screen 0.0824 left
    set arrow from screen 0.1794, screen 0.0390 to screen 0.2340, screen 0.0390 nohead ls 6
    set label "" at screen 0.2067, screen 0.0390 point ls 6
    set label "Goodput, 1st percentile of connections, ring" at screen 0.2471, screen 0.0390 left
    set label "Rate (Gbps)" at screen 0.0246, screen 0.6682 center rotate by 90
    set yrange [0:100]; floor = 0
    set ytics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100)
    set label "0" at screen 0.1614, screen 0.4066 center
    set label "4" at screen 0.3852, screen 0.4066 center
    set label "8" at screen 0.6090, screen 0.4066 center
    set label "12" at screen 0.8328, screen 0.4066 center
    set label "14" at screen 0.9447, screen 0.4066 center
    set label "Length of a stall of host 3 (us)" at screen 0.5530, screen 0.3633 center
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3, \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4, \
         data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6
}
unset output
