# Made by: iwarpsim plot latency-load --x workload.load --y latency_p50_us,latency_p99_us --size page --logx false --logy true
# points: median of 6 runs; bars: 95 % interval of the median (order statistics); without a bar: deterministic
# Again, in this folder: gnuplot -d latency-load.gp
if (!exists("name")) name = "latency-load"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1300; set rmargin at screen 0.9760
set xrange [0.276:0.924]
set xtics ("" 0.3, "" 0.5, "" 0.6, "" 0.7, "" 0.8, "" 0.9)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
if (!exists("kinds")) kinds = 'svg png pdf'
do for [kind in kinds] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,403 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,4.20in font 'sans,11' fontscale 0.75 }
    small = kind eq 'svg' ? ',11' : ',8'
    set output name . '.' . kind
    unset label; unset arrow
    set tmargin at screen 0.8781; set bmargin at screen 0.2019
    set label "Latency against offered load, eight senders to one receiver" at screen 0.5000, screen 0.9591 center
    set label "median of 6 runs; bars: 95 % interval of the median (order statistics); without a bar: deterministic" at screen 0.5000, screen 0.9182 center font small
    set arrow from screen 0.1287, screen 0.0409 to screen 0.1832, screen 0.0409 nohead ls 1
    set label "" at screen 0.1560, screen 0.0409 point ls 1
    set label "Median latency" at screen 0.1963, screen 0.0409 left
    set arrow from screen 0.5218, screen 0.0409 to screen 0.5764, screen 0.0409 nohead ls 2
    set label "" at screen 0.5491, screen 0.0409 point ls 2
    set label "99th percentile of latency" at screen 0.5895, screen 0.0409 left
    set label "Latency (us)" at screen 0.0246, screen 0.5400 center rotate by 90
    set logscale y; set yrange [9.27069090909091:211.4011933]; floor = 9.27069090909091
    set ytics ("10" 10, "20" 20, "50" 50, "100" 100, "200" 200)
    set label "0.3" at screen 0.1614, screen 0.1537 center
    set label "0.5" at screen 0.4225, screen 0.1537 center
    set label "0.6" at screen 0.5530, screen 0.1537 center
    set label "0.7" at screen 0.6836, screen 0.1537 center
    set label "0.8" at screen 0.8141, screen 0.1537 center
    set label "0.9" at screen 0.9447, screen 0.1537 center
    set label "Offered load" at screen 0.5530, screen 0.1082 center
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(1, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 1 dt 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(2, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 2 dt 1
}
unset output
