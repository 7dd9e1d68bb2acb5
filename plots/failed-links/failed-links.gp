# Made by: iwarpsim plot failed-links --x topology.degrade.share --y flow_mean_gbps,flow_p1_gbps --by topology.routing --panels topology.degrade.rate --size page --logx false --logy false
# points: median of 6 runs; bars: 95 % interval of the median (order statistics)
# Again, in this folder: gnuplot -d failed-links.gp
if (!exists("name")) name = "failed-links"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1162; set rmargin at screen 0.9760
set xrange [-0.02:0.52]
set xtics ("" 0, "" 0.0625, "" 0.125, "" 0.25, "" 0.375, "" 0.5)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 4 lc rgb '#000000' dt 1 pt 13 lw 1.6 ps 0.8
set style line 5 lc rgb '#D55E00' dt 3 pt 11 lw 1.6 ps 0.8
set style line 6 lc rgb '#0072B2' dt 5 pt 15 lw 1.6 ps 0.8
set style line 7 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 8 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 9 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 10 lc rgb '#000000' dt 1 pt 13 lw 1.6 ps 0.8
set style line 11 lc rgb '#D55E00' dt 3 pt 11 lw 1.6 ps 0.8
set style line 12 lc rgb '#0072B2' dt 5 pt 15 lw 1.6 ps 0.8
if (!exists("kinds")) kinds = 'svg png pdf'
do for [kind in kinds] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,660 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,1374 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,6.87in font 'sans,11' fontscale 0.75 }
    small = kind eq 'svg' ? ',11' : ',8'
    set output name . '.' . kind
    set multiplot
    unset label; unset arrow
    set tmargin at screen 0.8977; set bmargin at screen 0.6212
    set label "One to eight slow or dead core links of sixteen, by routing" at screen 0.5000, screen 0.9750 center
    set label "median of 6 runs; bars: 95 % interval of the median (order statistics)" at screen 0.5000, screen 0.9500 center font small
    set label "Routing" at screen 0.5000, screen 0.1918 center
    set arrow from screen 0.1928, screen 0.1640 to screen 0.2474, screen 0.1640 nohead ls 1
    set label "" at screen 0.2201, screen 0.1640 point ls 1
    set label "Mean goodput of connections, flow_hash" at screen 0.2605, screen 0.1640 left
    set arrow from screen 0.1928, screen 0.1362 to screen 0.2474, screen 0.1362 nohead ls 2
    set label "" at screen 0.2201, screen 0.1362 point ls 2
    set label "Mean goodput of connections, spray" at screen 0.2605, screen 0.1362 left
    set arrow from screen 0.1928, screen 0.1084 to screen 0.2474, screen 0.1084 nohead ls 3
    set label "" at screen 0.2201, screen 0.1084 point ls 3
    set label "Mean goodput of connections, adaptive" at screen 0.2605, screen 0.1084 left
    set arrow from screen 0.1928, screen 0.0806 to screen 0.2474, screen 0.0806 nohead ls 4
    set label "" at screen 0.2201, screen 0.0806 point ls 4
    set label "Goodput, 1st percentile of connections, flow_hash" at screen 0.2605, screen 0.0806 left
    set arrow from screen 0.1928, screen 0.0528 to screen 0.2474, screen 0.0528 nohead ls 5
    set label "" at screen 0.2201, screen 0.0528 point ls 5
    set label "Goodput, 1st percentile of connections, spray" at screen 0.2605, screen 0.0528 left
    set arrow from screen 0.1928, screen 0.0250 to screen 0.2474, screen 0.0250 nohead ls 6
    set label "" at screen 0.2201, screen 0.0250 point ls 6
    set label "Goodput, 1st percentile of connections, adaptive" at screen 0.2605, screen 0.0250 left
    set label "Rate of degraded lines: 2.5Gbps" at screen 0.5461, screen 0.9177 center
    set label "Rate (Gbps)" at screen 0.0246, screen 0.7595 center rotate by 90
    set yrange [0:25]; floor = 0
    set ytics ("0" 0, "5" 5, "10" 10, "15" 15, "20" 20, "25" 25)
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(1, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 1 dt 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(2, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 2 dt 1, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3, \
         data skip 1 using (at($3)):(of(3, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 3 dt 1, \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4, \
         data skip 1 using (at($3)):(of(4, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 4 dt 1, \
         data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5, \
         data skip 1 using (at($3)):(of(5, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 5 dt 1, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6, \
         data skip 1 using (at($3)):(of(6, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 6 dt 1
    unset label; unset arrow
    set tmargin at screen 0.5667; set bmargin at screen 0.2902
    set label "Rate of degraded lines: down" at screen 0.5461, screen 0.5867 center
    set label "Rate (Gbps)" at screen 0.0246, screen 0.4284 center rotate by 90
    set yrange [0:25]; floor = 0
    set ytics ("0" 0, "5" 5, "10" 10, "15" 15, "20" 20, "25" 25)
    set label "0" at screen 0.1480, screen 0.2607 center
    set label "0.0625" at screen 0.2475, screen 0.2607 center
    set label "0.125" at screen 0.3470, screen 0.2607 center
    set label "0.25" at screen 0.5461, screen 0.2607 center
    set label "0.375" at screen 0.7451, screen 0.2607 center
    set label "0.5" at screen 0.9441, screen 0.2607 center
    set label "Share of lines degraded" at screen 0.5461, screen 0.2329 center
    plot data skip 1 using (at($3)):(of(7, $1, $4)) with linespoints ls 7, \
         data skip 1 using (at($3)):(of(7, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 7 dt 1, \
         data skip 1 using (at($3)):(of(8, $1, $4)) with linespoints ls 8, \
         data skip 1 using (at($3)):(of(8, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 8 dt 1, \
         data skip 1 using (at($3)):(of(9, $1, $4)) with linespoints ls 9, \
         data skip 1 using (at($3)):(of(9, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 9 dt 1, \
         data skip 1 using (at($3)):(of(10, $1, $4)) with linespoints ls 10, \
         data skip 1 using (at($3)):(of(10, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 10 dt 1, \
         data skip 1 using (at($3)):(of(11, $1, $4)) with linespoints ls 11, \
         data skip 1 using (at($3)):(of(11, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 11 dt 1, \
         data skip 1 using (at($3)):(of(12, $1, $4)) with linespoints ls 12, \
         data skip 1 using (at($3)):(of(12, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 12 dt 1
    unset multiplot
}
unset output
