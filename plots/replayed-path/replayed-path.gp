# Made by: iwarpsim plot replayed-path --x topology.delay --y steady_gbps --by rnic.receive --panels channel.trace.file --size page --logx true --logy false
# points: median of 3 runs; bars: smallest to largest
# Again, in this folder: gnuplot -d replayed-path.gp
if (!exists("name")) name = "replayed-path"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "median of 3 runs; bars: smallest to largest"
title = "What a path does to each receive path"
set tmargin 4.0
set key title "Receive path"
set logscale x
set xrange [0.869565:23]
set xtics ("1" 1, "5" 5, "20" 20)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 4 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 5 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 6 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
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
    set lmargin at screen 0.1833; set rmargin at screen 0.8167
    unset xlabel
    set ylabel "Steady goodput (Gbps)"
    set yrange [0:*]
    set label 4 "Path: sprayed.fates" at graph 0.5, graph 1 center offset 0,0.7
    set key outside right center vertical samplen 3.0
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "place", \
         data skip 1 using (at($3)):(of(1, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 1 dt 1 notitle, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2 title "hold", \
         data skip 1 using (at($3)):(of(2, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 2 dt 1 notitle, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3 title "discard", \
         data skip 1 using (at($3)):(of(3, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 3 dt 1 notitle
    unset label 1; unset label 3
    set tmargin at screen 0.4438; set bmargin at screen 0.0909
    set lmargin at screen 0.1833; set rmargin at screen 0.8167
    set xlabel "Link delay (us)"
    set xlabel offset 0,2*lift
    set ylabel "Steady goodput (Gbps)"
    set yrange [0:*]
    set label 4 "Path: bursts.fates" at graph 0.5, graph 1 center offset 0,0.7
    unset key
    plot data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4 notitle, \
         data skip 1 using (at($3)):(of(4, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 4 dt 1 notitle, \
         data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5 notitle, \
         data skip 1 using (at($3)):(of(5, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 5 dt 1 notitle, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6 notitle, \
         data skip 1 using (at($3)):(of(6, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 6 dt 1 notitle
    unset multiplot
}
unset output
