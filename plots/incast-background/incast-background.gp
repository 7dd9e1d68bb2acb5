# Made by: iwarpsim plot incast-background --x workloads.background.load --y latency_p99_us --by workload --panels llp.congestion --size page --logx false --logy true
# points: median of 3 runs; bars: smallest to largest
# Again, in this folder: gnuplot -d incast-background.gp
if (!exists("name")) name = "incast-background"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "median of 3 runs; bars: smallest to largest"
title = "A victim of an incast, over background load"
set tmargin 4.0
set key title "Workload"
set xrange [0.072:0.828]
set xtics ("0.1" 0.1, "0.2" 0.2, "0.4" 0.4, "0.6" 0.6, "0.8" 0.8)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 4 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 ps 0.8
set style line 5 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 6 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 7 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 8 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 ps 0.8
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
    set tmargin at screen 0.8930; set bmargin at screen 0.5401
    set lmargin at screen 0.1589; set rmargin at screen 0.7800
    unset xlabel
    set ylabel "99th percentile of latency (us)"
    set logscale y; set yrange [2.33421:8102.68]; floor = 2.33421
    set ytics autofreq
    set label 4 "Congestion control: dctcp" at graph 0.5, graph 1 center offset 0,0.7
    set key outside right center vertical samplen 3.0
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "background", \
         data skip 1 using (at($3)):(of(1, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 1 dt 1 notitle, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2 title "bystander", \
         data skip 1 using (at($3)):(of(2, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 2 dt 1 notitle, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3 title "incast", \
         data skip 1 using (at($3)):(of(3, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 3 dt 1 notitle, \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4 title "victim", \
         data skip 1 using (at($3)):(of(4, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 4 dt 1 notitle
    unset label 1; unset label 3
    set tmargin at screen 0.4438; set bmargin at screen 0.0909
    set lmargin at screen 0.1589; set rmargin at screen 0.7800
    set xlabel "Offered load of background"
    set xlabel offset 0,2*lift
    set ylabel "99th percentile of latency (us)"
    set logscale y; set yrange [2.34467:7850.68]; floor = 2.34467
    set ytics autofreq
    set label 4 "Congestion control: cubic" at graph 0.5, graph 1 center offset 0,0.7
    unset key
    plot data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5 notitle, \
         data skip 1 using (at($3)):(of(5, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 5 dt 1 notitle, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6 notitle, \
         data skip 1 using (at($3)):(of(6, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 6 dt 1 notitle, \
         data skip 1 using (at($3)):(of(7, $1, $4)) with linespoints ls 7 notitle, \
         data skip 1 using (at($3)):(of(7, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 7 dt 1 notitle, \
         data skip 1 using (at($3)):(of(8, $1, $4)) with linespoints ls 8 notitle, \
         data skip 1 using (at($3)):(of(8, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 8 dt 1 notitle
    unset multiplot
}
unset output
