# Made by: iwarpsim plot latency-load --x workload.load --y latency_p50_us,latency_p99_us --size page --logx false --logy true
# points: median of 6 runs; bars: 95 % interval of the median (order statistics); without a bar: deterministic
# Again, in this folder: gnuplot -d latency-load.gp
if (!exists("name")) name = "latency-load"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "median of 6 runs; bars: 95 % interval of the median (order statistics); without a bar: deterministic"
title = "Latency against offered load, eight senders to one receiver"
set tmargin 2.7
set xrange [0.276:0.924]
set xtics ("0.3" 0.3, "0.5" 0.5, "0.6" 0.6, "0.7" 0.7, "0.8" 0.8, "0.9" 0.9)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set xlabel "Offered load"
set ylabel "Latency (us)"
set logscale y; set yrange [9.27069:211.401]; floor = 9.27069
set ytics (10, 20, 50, 100, 200)
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
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "Median latency", \
         data skip 1 using (at($3)):(of(1, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 1 dt 1 notitle, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2 title "99th percentile of latency", \
         data skip 1 using (at($3)):(of(2, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 2 dt 1 notitle
}
unset output
