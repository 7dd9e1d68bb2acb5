# Made by: iwarpsim plot window --x rnic.window.bytes --y steady_gbps,window_gbps --by topology.delay --size page --logx true --logy false
# points: one run a point
# Again, in this folder: gnuplot -d window.gp
if (!exists("name")) name = "window"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "one run a point"
title = "Receive window against round-trip time"
set tmargin 2.7
set key title "Link delay"
set logscale x
set xrange [28493.9:9.6469e+06]
set xtics ("32KiB" 32768, "128KiB" 131072, "512KiB" 524288, "2MiB" 2097152, "4MiB" 4194304, "8MiB" 8388608)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 4 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 ps 0.8
set style line 5 lc rgb '#555555' dt 1 lw 1.0
set style line 6 lc rgb '#555555' dt 1 lw 1.0
set style line 7 lc rgb '#555555' dt 1 lw 1.0
set style line 8 lc rgb '#555555' dt 1 lw 1.0
set xlabel "Receive window"
set ylabel "Steady goodput (Gbps)"
set yrange [0:*]
do for [kind in 'svg png pdf'] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,403 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,4.20in font 'sans,11' fontscale 0.75 }
    lift = kind eq 'svg' ? 0.5 : 0
    set xtics offset 0,lift
    set xlabel offset 0,2*lift
    set label 3 title at screen 0.5, screen 1 center offset 0,-0.9
    set label 1 caption at screen 0.5, screen 1 center offset 0,-1.8 font (kind eq 'svg' ? ',11' : ',8')
    set output name . '.' . kind
    set key outside right center vertical samplen 3.0
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "1us", \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2 title "10us", \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3 title "100us", \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4 title "400us", \
         data skip 1 using (at($3)):(of(5, $1, $4)) with lines ls 5 title "Windows allow", \
         data skip 1 using (at($3)):(of(6, $1, $4)) with lines ls 6 notitle, \
         data skip 1 using (at($3)):(of(7, $1, $4)) with lines ls 7 notitle, \
         data skip 1 using (at($3)):(of(8, $1, $4)) with lines ls 8 notitle
}
unset output
