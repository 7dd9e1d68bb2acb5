# Made by: iwarpsim plot message-size-latency --x workload.size --y latency_p50_us --by workload.op --size page --logx true --logy true
# points: one run a point
# Again, in this folder: gnuplot -d message-size-latency.gp
if (!exists("name")) name = "message-size-latency"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "one run a point; at 9 of 33 points what binds is a guess (rnic.tx.latency)"
title = "Latency against message size"
set tmargin 2.7
set key title "Operation"
set logscale x
set xrange [0.869565:1.20586e+06]
set xtics ("1B" 1, "8B" 8, "24B" 24, "512B" 512, "4KiB" 4096, "64KiB" 65536, "1MiB" 1048576)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set xlabel "Message size"
set ylabel "Median latency (us)"
set logscale y; set yrange [1.92289:102.124]; floor = 1.92289
set ytics (2, 5, 10, 20, 50, 100)
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
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "send", \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2 title "write", \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3 title "read"
}
unset output
