# Made by: iwarpsim plot sctp-streams --x workload.connections --y early_p99_us --by llp.kind --size page --logx true --logy false
# Again, in this folder: gnuplot 'sctp-streams.gp'
# points: one run a point
name = "sctp-streams"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "one run a point"
title = "Delivery waits for what is missing, on one stream or on many"
set tmargin 2.7
set key title "Lower layer"
set logscale x
set xrange [0.869565:18.4]
set xtics ("1" 1, "2" 2, "4" 4, "8" 8, "16" 16)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 7 lw 1.6 ps 0.8
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set xlabel "Connections"
set ylabel "Placement to delivery, 99th percentile" . "\n" . "(us)"
set yrange [0:*]
do for [kind in 'svg png pdf'] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,403 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,4.20in font 'sans,11' fontscale 0.75 }
    set label 3 title at screen 0.5, screen 1 center offset 0,-0.9
    set label 1 caption at screen 0.5, screen 1 center offset 0,-1.8 font (kind eq 'svg' ? ',11' : ',8')
    set output name . '.' . kind
    set key outside right center vertical samplen 3.0
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "sctp", \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2 title "mpa"
}
unset output
