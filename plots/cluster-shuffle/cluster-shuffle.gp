# Made by: iwarpsim plot cluster-shuffle --x topology.hosts --y host_mean_gbps,flow_p1_gbps --by workload.size --size page --logx true --logy true
# points: one run a point
# Again, in this folder: gnuplot -d cluster-shuffle.gp
if (!exists("name")) name = "cluster-shuffle"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "one run a point"
title = "All to all on a cluster of 16 to 128 hosts"
set tmargin 2.7
set key title "Message size"
set logscale x
set xrange [13.913:147.2]
set xtics ("16" 16, "32" 32, "64" 64, "128" 128)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#000000' dt 4 pt 9 lw 1.6 ps 0.8
set style line 4 lc rgb '#D55E00' dt 1 pt 13 lw 1.6 ps 0.8
set xlabel "Hosts"
set ylabel "Gbps"
set logscale y; set yrange [0.349525:147.483]; floor = 0.349525
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
    set key below samplen 3.0 width -10*lift
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "Mean goodput of hosts, 4KiB", \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2 title "Mean goodput of hosts, 64KiB", \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3 title "Goodput, 1st percentile of connections, 4KiB", \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4 title "Goodput, 1st percentile of connections, 64KiB"
}
unset output
