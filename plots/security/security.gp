# Made by: iwarpsim plot security --x channel.reorder.displacement --y steady_gbps,early_p99_us,held_peak_bytes --by llp.security --size page --logx true --logy false
# points: one run a point
# Again, in this folder: gnuplot -d security.gp
if (!exists("name")) name = "security"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "one run a point"
title = "What a security service leaves of placement"
set tmargin 2.7
set key title "Security, Receive path, Link delay"
set logscale x
set xrange [0.289855:115]
set xtics ("0" 0.333333333333333, "1" 1, "3" 3, "10" 10, "30" 30, "100" 100)
of(series, number, value) = number == series ? value : NaN
at(x) = x > 0 ? x : zero
zero = 0.333333
set label 2 '//' at 0.57735, graph 0 center front
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 4 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 ps 0.8
set style line 5 lc rgb '#009E73' dt 3 pt 11 lw 1.6 ps 0.8
set style line 6 lc rgb '#CC79A7' dt 5 pt 15 lw 1.6 ps 0.8
set style line 7 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 8 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 9 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 10 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 ps 0.8
set style line 11 lc rgb '#009E73' dt 3 pt 11 lw 1.6 ps 0.8
set style line 12 lc rgb '#CC79A7' dt 5 pt 15 lw 1.6 ps 0.8
set style line 13 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 14 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 15 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 16 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 ps 0.8
set style line 17 lc rgb '#009E73' dt 3 pt 11 lw 1.6 ps 0.8
set style line 18 lc rgb '#CC79A7' dt 5 pt 15 lw 1.6 ps 0.8
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
    set lmargin at screen 0.1833; set rmargin at screen 0.5478
    unset xlabel
    set ylabel "Steady goodput (Gbps)"
    set yrange [0:*]
    set key outside right center vertical samplen 3.0
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "none, place, 1us", \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2 title "none, place, 5us", \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3 title "esp, place, 1us", \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4 title "esp, place, 5us", \
         data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5 title "tls, hold, 1us", \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6 title "tls, hold, 5us"
    unset label 1; unset label 3
    set tmargin at screen 0.6395; set bmargin at screen 0.3738
    set lmargin at screen 0.1833; set rmargin at screen 0.5478
    unset xlabel
    set ylabel "Placement to delivery, 99th" . "\n" . "percentile (us)"
    set yrange [0:*]
    unset key
    plot data skip 1 using (at($3)):(of(7, $1, $4)) with linespoints ls 7 notitle, \
         data skip 1 using (at($3)):(of(8, $1, $4)) with linespoints ls 8 notitle, \
         data skip 1 using (at($3)):(of(9, $1, $4)) with linespoints ls 9 notitle, \
         data skip 1 using (at($3)):(of(10, $1, $4)) with linespoints ls 10 notitle, \
         data skip 1 using (at($3)):(of(11, $1, $4)) with linespoints ls 11 notitle, \
         data skip 1 using (at($3)):(of(12, $1, $4)) with linespoints ls 12 notitle
    set tmargin at screen 0.3302; set bmargin at screen 0.0644
    set lmargin at screen 0.1833; set rmargin at screen 0.5478
    set xlabel "Reordering depth"
    set xlabel offset 0,2*lift
    set ylabel "Held out of order, peak (octets)"
    set yrange [0:*]
    unset key
    plot data skip 1 using (at($3)):(of(13, $1, $4)) with linespoints ls 13 notitle, \
         data skip 1 using (at($3)):(of(14, $1, $4)) with linespoints ls 14 notitle, \
         data skip 1 using (at($3)):(of(15, $1, $4)) with linespoints ls 15 notitle, \
         data skip 1 using (at($3)):(of(16, $1, $4)) with linespoints ls 16 notitle, \
         data skip 1 using (at($3)):(of(17, $1, $4)) with linespoints ls 17 notitle, \
         data skip 1 using (at($3)):(of(18, $1, $4)) with linespoints ls 18 notitle
    unset multiplot
}
unset output
