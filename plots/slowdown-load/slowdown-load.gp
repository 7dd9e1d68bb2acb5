# Made by: iwarpsim plot slowdown-load --x from_octets --y p50 --by topology.routing --panels workload.load --size page --logx true --logy true
# points: one run a point
# Again, in this folder: gnuplot -d slowdown-load.gp
if (!exists("name")) name = "slowdown-load"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "one run a point"
title = "Slowdown against message size, web-search mix, all to all"
set tmargin 4.0
set key title "Routing, Receive path"
set logscale x
set xrange [111.304:1.92938e+07]
set xtics ("128B" 128, "1KiB" 1024, "8KiB" 8192, "64KiB" 65536, "512KiB" 524288, "4MiB" 4194304)
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
set style line 9 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 10 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 11 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 12 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 ps 0.8
do for [kind in 'svg png pdf'] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,968 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,2016 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,10.08in font 'sans,11' fontscale 0.75 }
    lift = kind eq 'svg' ? 0.5 : 0
    set xtics offset 0,lift
    set label 3 title at screen 0.5, screen 1 center offset 0,-0.9
    set label 1 caption at screen 0.5, screen 1 center offset 0,-1.8 font (kind eq 'svg' ? ',11' : ',8')
    set output name . '.' . kind
    set multiplot
    set tmargin at screen 0.9242; set bmargin at screen 0.6831
    set lmargin at screen 0.1833; set rmargin at screen 0.6822
    unset xlabel
    set ylabel "Median slowdown"
    set logscale y; set yrange [0.909091:16.4425]; floor = 0.909091
    set ytics (1, 2, 5, 10)
    set label 4 "Offered load: 0.3" at graph 0.5, graph 1 center offset 0,0.7
    set key outside right center vertical samplen 3.0
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "flow_hash, place", \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2 title "flow_hash, discard", \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3 title "spray, place", \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4 title "spray, discard"
    unset label 1; unset label 3
    set tmargin at screen 0.6149; set bmargin at screen 0.3738
    set lmargin at screen 0.1833; set rmargin at screen 0.6822
    unset xlabel
    set ylabel "Median slowdown"
    set logscale y; set yrange [1.25846:18.2428]; floor = 1.25846
    set ytics (2, 5, 10)
    set label 4 "Offered load: 0.6" at graph 0.5, graph 1 center offset 0,0.7
    unset key
    plot data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5 notitle, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6 notitle, \
         data skip 1 using (at($3)):(of(7, $1, $4)) with linespoints ls 7 notitle, \
         data skip 1 using (at($3)):(of(8, $1, $4)) with linespoints ls 8 notitle
    set tmargin at screen 0.3055; set bmargin at screen 0.0644
    set lmargin at screen 0.1833; set rmargin at screen 0.6822
    set xlabel "Message size"
    set xlabel offset 0,2*lift
    set ylabel "Median slowdown"
    set logscale y; set yrange [1.95873:24.2666]; floor = 1.95873
    set ytics (2, 5, 10, 20)
    set label 4 "Offered load: 0.8" at graph 0.5, graph 1 center offset 0,0.7
    unset key
    plot data skip 1 using (at($3)):(of(9, $1, $4)) with linespoints ls 9 notitle, \
         data skip 1 using (at($3)):(of(10, $1, $4)) with linespoints ls 10 notitle, \
         data skip 1 using (at($3)):(of(11, $1, $4)) with linespoints ls 11 notitle, \
         data skip 1 using (at($3)):(of(12, $1, $4)) with linespoints ls 12 notitle
    unset multiplot
}
unset output
