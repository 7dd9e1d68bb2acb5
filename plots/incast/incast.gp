# Made by: iwarpsim plot incast --x topology.hosts --y steady_gbps,drops_switch,latency_p99_us --by llp.congestion --size page --logx true --logy false
# points: median of 5 runs; bars: smallest to largest; without a bar: deterministic
# Again, in this folder: gnuplot -d incast.gp
if (!exists("name")) name = "incast"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "median of 5 runs; bars: smallest to largest; without a bar: deterministic"
title = "Incast, 4 to 64 senders to one host"
set tmargin 2.7
set key title "Congestion control"
set logscale x
set xrange [4.34783:74.75]
set xtics ("5" 5, "9" 9, "17" 17, "33" 33, "65" 65)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 4 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 5 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 6 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
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
    set tmargin at screen 0.9488; set bmargin at screen 0.6831
    set lmargin at screen 0.1833; set rmargin at screen 0.7433
    unset xlabel
    set ylabel "Steady goodput (Gbps)"
    set yrange [0:*]
    set key outside right center vertical samplen 3.0
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "dctcp", \
         data skip 1 using (at($3)):(of(1, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 1 dt 1 notitle, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2 title "cubic", \
         data skip 1 using (at($3)):(of(2, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 2 dt 1 notitle
    unset label 1; unset label 3
    set tmargin at screen 0.6395; set bmargin at screen 0.3738
    set lmargin at screen 0.1833; set rmargin at screen 0.7433
    unset xlabel
    set ylabel "Dropped by switches (packets)"
    set yrange [0:*]
    unset key
    plot data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3 notitle, \
         data skip 1 using (at($3)):(of(3, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 3 dt 1 notitle, \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4 notitle, \
         data skip 1 using (at($3)):(of(4, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 4 dt 1 notitle
    set tmargin at screen 0.3302; set bmargin at screen 0.0644
    set lmargin at screen 0.1833; set rmargin at screen 0.7433
    set xlabel "Hosts"
    set xlabel offset 0,2*lift
    set ylabel "99th percentile of latency (us)"
    set yrange [0:*]
    unset key
    plot data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5 notitle, \
         data skip 1 using (at($3)):(of(5, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 5 dt 1 notitle, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6 notitle, \
         data skip 1 using (at($3)):(of(6, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 6 dt 1 notitle
    unset multiplot
}
unset output
