# Made by: iwarpsim plot cluster-incast --x topology.hosts --y flow_mean_gbps,flow_p1_gbps --by llp.congestion --size page --logx true --logy true
# points: one run a point
# Again, in this folder: gnuplot -d cluster-incast.gp
if (!exists("name")) name = "cluster-incast"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1231; set rmargin at screen 0.9754
set logscale x
set xrange [14.7826:1178.75]
set xtics ("" 17, "" 65, "" 257, "" 1025)
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
    set label "Incast on a cluster, 16 to 1,024 senders" at screen 0.5000, screen 0.9591 center
    set label "one run a point" at screen 0.5000, screen 0.9182 center font small
    set label "Congestion control" at screen 0.5000, screen 0.2228 center
    set arrow from screen 0.2168, screen 0.1773 to screen 0.2714, screen 0.1773 nohead ls 1
    set label "" at screen 0.2441, screen 0.1773 point ls 1
    set label "Mean goodput of connections, cubic" at screen 0.2845, screen 0.1773 left
    set arrow from screen 0.2168, screen 0.1319 to screen 0.2714, screen 0.1319 nohead ls 2
    set label "" at screen 0.2441, screen 0.1319 point ls 2
    set label "Mean goodput of connections, dctcp" at screen 0.2845, screen 0.1319 left
    set arrow from screen 0.2168, screen 0.0864 to screen 0.2714, screen 0.0864 nohead ls 3
    set label "" at screen 0.2441, screen 0.0864 point ls 3
    set label "Goodput, 1st percentile of connections, cubic" at screen 0.2845, screen 0.0864 left
    set arrow from screen 0.2168, screen 0.0409 to screen 0.2714, screen 0.0409 nohead ls 4
    set label "" at screen 0.2441, screen 0.0409 point ls 4
    set label "Goodput, 1st percentile of connections, dctcp" at screen 0.2845, screen 0.0409 left
    set label "Rate (Gbps)" at screen 0.0246, screen 0.6310 center rotate by 90
    set logscale y; set yrange [0.0139:9.264258]; floor = 0.0139
    set ytics ("" 0.02 1, "" 0.03 1, "" 0.04 1, "" 0.05 1, "" 0.06 1, "" 0.07 1, "" 0.08 1, "" 0.09 1, "0.1" 0.1, "" 0.2 1, "" 0.3 1, "" 0.4 1, "" 0.5 1, "" 0.6 1, "" 0.7 1, "" 0.8 1, "" 0.9 1, "1" 1, "" 2 1, "" 3 1, "" 4 1, "" 5 1, "" 6 1, "" 7 1, "" 8 1, "" 9 1)
    set label "17" at screen 0.1503, screen 0.3356 center
    set label "65" at screen 0.4114, screen 0.3356 center
    set label "257" at screen 0.6790, screen 0.3356 center
    set label "1025" at screen 0.9482, screen 0.3356 center
    set label "Hosts" at screen 0.5493, screen 0.2901 center
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3, \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4
}
unset output
