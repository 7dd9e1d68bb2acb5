# Made by: iwarpsim plot shuffle-fat-tree --x topology.oversubscription --y flow_mean_gbps,flow_p1_gbps --by topology.routing --size page --logx false --logy false
# points: median of 5 runs; bars: smallest to largest
# Again, in this folder: gnuplot -d shuffle-fat-tree.gp
if (!exists("name")) name = "shuffle-fat-tree"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1231; set rmargin at screen 0.9760
set xrange [0.88:4.12]
set xtics ("" 1, "" 2, "" 4)
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
    set label "All to all on a fat tree of 16 hosts" at screen 0.5000, screen 0.9591 center
    set label "median of 5 runs; bars: smallest to largest" at screen 0.5000, screen 0.9182 center font small
    set label "Routing" at screen 0.5000, screen 0.2228 center
    set arrow from screen 0.1928, screen 0.1773 to screen 0.2474, screen 0.1773 nohead ls 1
    set label "" at screen 0.2201, screen 0.1773 point ls 1
    set label "Mean goodput of connections, flow_hash" at screen 0.2605, screen 0.1773 left
    set arrow from screen 0.1928, screen 0.1319 to screen 0.2474, screen 0.1319 nohead ls 2
    set label "" at screen 0.2201, screen 0.1319 point ls 2
    set label "Mean goodput of connections, spray" at screen 0.2605, screen 0.1319 left
    set arrow from screen 0.1928, screen 0.0864 to screen 0.2474, screen 0.0864 nohead ls 3
    set label "" at screen 0.2201, screen 0.0864 point ls 3
    set label "Goodput, 1st percentile of connections, flow_hash" at screen 0.2605, screen 0.0864 left
    set arrow from screen 0.1928, screen 0.0409 to screen 0.2474, screen 0.0409 nohead ls 4
    set label "" at screen 0.2201, screen 0.0409 point ls 4
    set label "Goodput, 1st percentile of connections, spray" at screen 0.2605, screen 0.0409 left
    set label "Rate (Gbps)" at screen 0.0246, screen 0.6310 center rotate by 90
    set yrange [0:2]; floor = 0
    set ytics ("0" 0, "0.5" 0.5, "1" 1, "1.5" 1.5, "2" 2)
    set label "1" at screen 0.1547, screen 0.3356 center
    set label "2" at screen 0.4179, screen 0.3356 center
    set label "4" at screen 0.9444, screen 0.3356 center
    set label "Oversubscription" at screen 0.5495, screen 0.2901 center
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(1, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 1 dt 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(2, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 2 dt 1, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3, \
         data skip 1 using (at($3)):(of(3, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 3 dt 1, \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4, \
         data skip 1 using (at($3)):(of(4, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 4 dt 1
}
unset output
