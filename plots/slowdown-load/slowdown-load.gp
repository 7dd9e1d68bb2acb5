# Made by: iwarpsim plot slowdown-load --x from_octets --y p50 --panels workload.load --size page --logx true --logy true
# Again, in this folder: gnuplot 'slowdown-load.gp'
# points: median of 1 to 6 runs; bars: 95 % interval of the median (order statistics), below 6 runs smallest to largest; without a bar: one run
name = "slowdown-load"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "median of 1 to 6 runs; bars: 95 % interval of the median (order statistics), below 6 runs smallest" . "\n" . "to largest; without a bar: one run"
title = "Slowdown against message size, web-search mix"
set tmargin 3.5
set key title "Routing, Receive path"
set logscale x
set xrange [890.435:1.92938e+07]
set xtics ("1KiB" 1024, "4KiB" 4096, "16KiB" 16384, "128KiB" 131072, "1MiB" 1048576, "4MiB" 4194304, "16MiB" 16777216)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 7 lw 1.6 ps 0.8
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 4 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 ps 0.8
set style line 5 lc rgb '#009E73' dt 3 pt 11 lw 1.6 ps 0.8
set style line 6 lc rgb '#CC79A7' dt 5 pt 15 lw 1.6 ps 0.8
set style line 7 lc rgb '#56B4E9' dt 2 pt 6 lw 1.6 ps 0.8
set style line 8 lc rgb '#000000' dt 1 pt 5 lw 1.6 ps 0.8
set style line 9 lc rgb '#000000' dt 1 pt 7 lw 1.6 ps 0.8
set style line 10 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 11 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 12 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 ps 0.8
set style line 13 lc rgb '#009E73' dt 3 pt 11 lw 1.6 ps 0.8
set style line 14 lc rgb '#CC79A7' dt 5 pt 15 lw 1.6 ps 0.8
set style line 15 lc rgb '#56B4E9' dt 2 pt 6 lw 1.6 ps 0.8
set style line 16 lc rgb '#000000' dt 1 pt 5 lw 1.6 ps 0.8
set style line 17 lc rgb '#000000' dt 1 pt 7 lw 1.6 ps 0.8
set style line 18 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 19 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 20 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 ps 0.8
set style line 21 lc rgb '#009E73' dt 3 pt 11 lw 1.6 ps 0.8
set style line 22 lc rgb '#CC79A7' dt 5 pt 15 lw 1.6 ps 0.8
set style line 23 lc rgb '#56B4E9' dt 2 pt 6 lw 1.6 ps 0.8
set style line 24 lc rgb '#000000' dt 1 pt 5 lw 1.6 ps 0.8
do for [kind in 'svg png pdf'] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,968 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,2016 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,10.08in font 'sans,11' fontscale 0.75 }
    set label 3 title at screen 0.5, screen 1 center offset 0,-0.9
    set label 1 caption at screen 0.5, screen 1 center offset 0,-1.8 font (kind eq 'svg' ? ',11' : ',8')
    set output name . '.' . kind
    set multiplot
    set tmargin at screen 0.9337; set bmargin at screen 0.6730
    set lmargin at screen 0.1589; set rmargin at screen 0.6822
    unset xlabel
    set ylabel "Median slowdown, Offered load 0.3"
    set logscale y; set yrange [0.666757:9764.29]; floor = 0.666757
    set key outside right center vertical samplen 3.0
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "flow_hash, place", \
         data skip 1 using (at($3)):(of(1, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 1 dt 1 notitle, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2 title "flow_hash, hold", \
         data skip 1 using (at($3)):(of(2, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 2 dt 1 notitle, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3 title "flow_hash, discard", \
         data skip 1 using (at($3)):(of(3, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 3 dt 1 notitle, \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4 title "flow_hash, copy", \
         data skip 1 using (at($3)):(of(4, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 4 dt 1 notitle, \
         data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5 title "spray, place", \
         data skip 1 using (at($3)):(of(5, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 5 dt 1 notitle, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6 title "spray, hold", \
         data skip 1 using (at($3)):(of(6, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 6 dt 1 notitle, \
         data skip 1 using (at($3)):(of(7, $1, $4)) with linespoints ls 7 title "spray, discard", \
         data skip 1 using (at($3)):(of(7, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 7 dt 1 notitle, \
         data skip 1 using (at($3)):(of(8, $1, $4)) with linespoints ls 8 title "spray, copy", \
         data skip 1 using (at($3)):(of(8, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 8 dt 1 notitle
    unset label 1; unset label 3
    set tmargin at screen 0.6294; set bmargin at screen 0.3687
    set lmargin at screen 0.1589; set rmargin at screen 0.6822
    unset xlabel
    set ylabel "Median slowdown, Offered load 0.6"
    set logscale y; set yrange [0.66692:11730.4]; floor = 0.66692
    unset key
    plot data skip 1 using (at($3)):(of(9, $1, $4)) with linespoints ls 9 title "flow_hash, place", \
         data skip 1 using (at($3)):(of(9, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 9 dt 1 notitle, \
         data skip 1 using (at($3)):(of(10, $1, $4)) with linespoints ls 10 title "flow_hash, hold", \
         data skip 1 using (at($3)):(of(10, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 10 dt 1 notitle, \
         data skip 1 using (at($3)):(of(11, $1, $4)) with linespoints ls 11 title "flow_hash, discard", \
         data skip 1 using (at($3)):(of(11, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 11 dt 1 notitle, \
         data skip 1 using (at($3)):(of(12, $1, $4)) with linespoints ls 12 title "flow_hash, copy", \
         data skip 1 using (at($3)):(of(12, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 12 dt 1 notitle, \
         data skip 1 using (at($3)):(of(13, $1, $4)) with linespoints ls 13 title "spray, place", \
         data skip 1 using (at($3)):(of(13, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 13 dt 1 notitle, \
         data skip 1 using (at($3)):(of(14, $1, $4)) with linespoints ls 14 title "spray, hold", \
         data skip 1 using (at($3)):(of(14, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 14 dt 1 notitle, \
         data skip 1 using (at($3)):(of(15, $1, $4)) with linespoints ls 15 title "spray, discard", \
         data skip 1 using (at($3)):(of(15, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 15 dt 1 notitle, \
         data skip 1 using (at($3)):(of(16, $1, $4)) with linespoints ls 16 title "spray, copy", \
         data skip 1 using (at($3)):(of(16, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 16 dt 1 notitle
    set tmargin at screen 0.3251; set bmargin at screen 0.0644
    set lmargin at screen 0.1589; set rmargin at screen 0.6822
    set xlabel "Message size"
    set ylabel "Median slowdown, Offered load 0.8"
    set logscale y; set yrange [0.670616:12102.2]; floor = 0.670616
    unset key
    plot data skip 1 using (at($3)):(of(17, $1, $4)) with linespoints ls 17 title "flow_hash, place", \
         data skip 1 using (at($3)):(of(17, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 17 dt 1 notitle, \
         data skip 1 using (at($3)):(of(18, $1, $4)) with linespoints ls 18 title "flow_hash, hold", \
         data skip 1 using (at($3)):(of(18, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 18 dt 1 notitle, \
         data skip 1 using (at($3)):(of(19, $1, $4)) with linespoints ls 19 title "flow_hash, discard", \
         data skip 1 using (at($3)):(of(19, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 19 dt 1 notitle, \
         data skip 1 using (at($3)):(of(20, $1, $4)) with linespoints ls 20 title "flow_hash, copy", \
         data skip 1 using (at($3)):(of(20, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 20 dt 1 notitle, \
         data skip 1 using (at($3)):(of(21, $1, $4)) with linespoints ls 21 title "spray, place", \
         data skip 1 using (at($3)):(of(21, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 21 dt 1 notitle, \
         data skip 1 using (at($3)):(of(22, $1, $4)) with linespoints ls 22 title "spray, hold", \
         data skip 1 using (at($3)):(of(22, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 22 dt 1 notitle, \
         data skip 1 using (at($3)):(of(23, $1, $4)) with linespoints ls 23 title "spray, discard", \
         data skip 1 using (at($3)):(of(23, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 23 dt 1 notitle, \
         data skip 1 using (at($3)):(of(24, $1, $4)) with linespoints ls 24 title "spray, copy", \
         data skip 1 using (at($3)):(of(24, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 24 dt 1 notitle
    unset multiplot
}
unset output
