# Made by: iwarpsim plot cluster-storage --x topology.hosts --y latency_p99_us --by workload.size --size page --logx true --logy true
# points: one run a point
# Again, in this folder: gnuplot -d cluster-storage.gp
if (!exists("name")) name = "cluster-storage"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "one run a point; latency_p99_us of world simgrid is an estimate"
title = "Blocks from one server, 10 to 1,000 clients"
set tmargin 2.7
set key title "Message size"
set logscale x
set xrange [9.56522:1151.15]
set xtics ("11" 11, "33" 33, "101" 101, "333" 333, "1001" 1001)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set xlabel "Hosts"
set ylabel "99th percentile of latency (us)"
set logscale y; set yrange [14.0921:14131.8]; floor = 14.0921
set ytics autofreq
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
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "4KiB", \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2 title "64KiB"
}
unset output
