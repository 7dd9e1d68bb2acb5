# Made by: iwarpsim plot failed-links --x topology.degrade.share --y flow_mean_gbps,flow_p1_gbps --by topology.routing --panels topology.degrade.rate --size page --logx false --logy false
# points: median of 6 runs; bars: 95 % interval of the median (order statistics)
# Again, in this folder: gnuplot -d failed-links.gp
if (!exists("name")) name = "failed-links"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "median of 6 runs; bars: 95 % interval of the median (order statistics)"
title = "One to eight slow or dead core links of sixteen, by routing"
set tmargin 4.0
set key title "Routing"
set xrange [-0.02:0.52]
set xtics ("0" 0, "0.0625" 0.0625, "0.125" 0.125, "0.25" 0.25, "0.375" 0.375, "0.5" 0.5)
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
do for [kind in 'svg png pdf'] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,685 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,1428 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,7.14in font 'sans,11' fontscale 0.75 }
    lift = kind eq 'svg' ? 0.5 : 0
    set xtics offset 0,lift
    set label 3 title at screen 0.5, screen 1 center offset 0,-0.9
    set label 1 caption at screen 0.5, screen 1 center offset 0,-1.8 font (kind eq 'svg' ? ',11' : ',8')
    set output name . '.' . kind
    set multiplot
    set tmargin at screen 0.8930; set bmargin at screen 0.6337
    set lmargin at screen 0.1833; set rmargin at screen 0.9756
    unset xlabel
    set ylabel "Of connections (Gbps)"
    set yrange [0:*]
    set label 4 "Rate of degraded lines: 2500Mbps" at graph 0.5, graph 1 center offset 0,0.7
    set key at screen 0.5, screen 0.01 center bottom horizontal samplen 3.0 width -10*lift
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "Mean goodput of connections, flow_hash", \
         data skip 1 using (at($3)):(of(1, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 1 dt 1 notitle, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2 title "Mean goodput of connections, spray", \
         data skip 1 using (at($3)):(of(2, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 2 dt 1 notitle, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3 title "Mean goodput of connections, adaptive", \
         data skip 1 using (at($3)):(of(3, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 3 dt 1 notitle, \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4 title "Goodput, 1st percentile of connections, flow_hash", \
         data skip 1 using (at($3)):(of(4, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 4 dt 1 notitle, \
         data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5 title "Goodput, 1st percentile of connections, spray", \
         data skip 1 using (at($3)):(of(5, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 5 dt 1 notitle, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6 title "Goodput, 1st percentile of connections, adaptive", \
         data skip 1 using (at($3)):(of(6, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 6 dt 1 notitle
    unset label 1; unset label 3
    set tmargin at screen 0.5374; set bmargin at screen 0.2782
    set lmargin at screen 0.1833; set rmargin at screen 0.9756
    set xlabel "Share of lines degraded"
    set xlabel offset 0,2*lift
    set ylabel "Of connections (Gbps)"
    set yrange [0:*]
    set label 4 "Rate of degraded lines: down" at graph 0.5, graph 1 center offset 0,0.7
    unset key
    plot data skip 1 using (at($3)):(of(7, $1, $4)) with linespoints ls 7 notitle, \
         data skip 1 using (at($3)):(of(7, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 7 dt 1 notitle, \
         data skip 1 using (at($3)):(of(8, $1, $4)) with linespoints ls 8 notitle, \
         data skip 1 using (at($3)):(of(8, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 8 dt 1 notitle, \
         data skip 1 using (at($3)):(of(9, $1, $4)) with linespoints ls 9 notitle, \
         data skip 1 using (at($3)):(of(9, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 9 dt 1 notitle, \
         data skip 1 using (at($3)):(of(10, $1, $4)) with linespoints ls 10 notitle, \
         data skip 1 using (at($3)):(of(10, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 10 dt 1 notitle, \
         data skip 1 using (at($3)):(of(11, $1, $4)) with linespoints ls 11 notitle, \
         data skip 1 using (at($3)):(of(11, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 11 dt 1 notitle, \
         data skip 1 using (at($3)):(of(12, $1, $4)) with linespoints ls 12 notitle, \
         data skip 1 using (at($3)):(of(12, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 12 dt 1 notitle
    unset multiplot
}
unset output
