# Made by: iwarpsim plot incast-background --x workloads.background.load --y latency_p99_us --by workload --panels llp.congestion --size page --logx false --logy true
# points: median of 3 runs; bars: smallest to largest
# Again, in this folder: gnuplot -d incast-background.gp
if (!exists("name")) name = "incast-background"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1439; set rmargin at screen 0.7351
set xrange [0.072:0.828]
set xtics ("" 0.1, "" 0.2, "" 0.4, "" 0.6, "" 0.8)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 4 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 ps 0.8
set style line 5 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 6 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 7 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 8 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 ps 0.8
if (!exists("kinds")) kinds = 'svg png pdf'
do for [kind in kinds] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,645 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,1344 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,6.72in font 'sans,11' fontscale 0.75 }
    small = kind eq 'svg' ? ',11' : ',8'
    set output name . '.' . kind
    set multiplot
    unset label; unset arrow
    set tmargin at screen 0.8954; set bmargin at screen 0.5176
    set label "A victim of an incast, over background load" at screen 0.5000, screen 0.9744 center
    set label "median of 3 runs; bars: smallest to largest" at screen 0.5000, screen 0.9488 center font small
    set label "Workload" at screen 0.8774, screen 0.5466 center
    set arrow from screen 0.7787, screen 0.5182 to screen 0.8333, screen 0.5182 nohead ls 1
    set label "" at screen 0.8060, screen 0.5182 point ls 1
    set label "background" at screen 0.8464, screen 0.5182 left
    set arrow from screen 0.7787, screen 0.4898 to screen 0.8333, screen 0.4898 nohead ls 2
    set label "" at screen 0.8060, screen 0.4898 point ls 2
    set label "bystander" at screen 0.8464, screen 0.4898 left
    set arrow from screen 0.7787, screen 0.4614 to screen 0.8333, screen 0.4614 nohead ls 3
    set label "" at screen 0.8060, screen 0.4614 point ls 3
    set label "incast" at screen 0.8464, screen 0.4614 left
    set arrow from screen 0.7787, screen 0.4329 to screen 0.8333, screen 0.4329 nohead ls 4
    set label "" at screen 0.8060, screen 0.4329 point ls 4
    set label "victim" at screen 0.8464, screen 0.4329 left
    set label "Congestion control: dctcp" at screen 0.4395, screen 0.9159 center
    set label "99th percentile of latency (us)" at screen 0.0246, screen 0.7065 center rotate by 90
    set logscale y; set yrange [2.33420866666667:8102.6802465]; floor = 2.33420866666667
    set ytics ("" 3 1, "" 4 1, "" 5 1, "" 6 1, "" 7 1, "" 8 1, "" 9 1, "10" 10, "" 20 1, "" 30 1, "" 40 1, "" 50 1, "" 60 1, "" 70 1, "" 80 1, "" 90 1, "100" 100, "" 200 1, "" 300 1, "" 400 1, "" 500 1, "" 600 1, "" 700 1, "" 800 1, "" 900 1, "1000" 1000, "" 2000 1, "" 3000 1, "" 4000 1, "" 5000 1, "" 6000 1, "" 7000 1, "" 8000 1)
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(1, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 1 dt 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(2, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 2 dt 1, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3, \
         data skip 1 using (at($3)):(of(3, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 3 dt 1, \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4, \
         data skip 1 using (at($3)):(of(4, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 4 dt 1
    unset label; unset arrow
    set tmargin at screen 0.4619; set bmargin at screen 0.0841
    set label "Congestion control: cubic" at screen 0.4395, screen 0.4824 center
    set label "99th percentile of latency (us)" at screen 0.0246, screen 0.2730 center rotate by 90
    set logscale y; set yrange [2.34466933333333:7850.6817075]; floor = 2.34466933333333
    set ytics ("" 3 1, "" 4 1, "" 5 1, "" 6 1, "" 7 1, "" 8 1, "" 9 1, "10" 10, "" 20 1, "" 30 1, "" 40 1, "" 50 1, "" 60 1, "" 70 1, "" 80 1, "" 90 1, "100" 100, "" 200 1, "" 300 1, "" 400 1, "" 500 1, "" 600 1, "" 700 1, "" 800 1, "" 900 1, "1000" 1000, "" 2000 1, "" 3000 1, "" 4000 1, "" 5000 1, "" 6000 1, "" 7000 1)
    set label "0.1" at screen 0.1658, screen 0.0540 center
    set label "0.2" at screen 0.2440, screen 0.0540 center
    set label "0.4" at screen 0.4004, screen 0.0540 center
    set label "0.6" at screen 0.5568, screen 0.0540 center
    set label "0.8" at screen 0.7132, screen 0.0540 center
    set label "Offered load of background" at screen 0.4395, screen 0.0256 center
    plot data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5, \
         data skip 1 using (at($3)):(of(5, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 5 dt 1, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6, \
         data skip 1 using (at($3)):(of(6, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 6 dt 1, \
         data skip 1 using (at($3)):(of(7, $1, $4)) with linespoints ls 7, \
         data skip 1 using (at($3)):(of(7, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 7 dt 1, \
         data skip 1 using (at($3)):(of(8, $1, $4)) with linespoints ls 8, \
         data skip 1 using (at($3)):(of(8, $1, ($5 > floor ? $5 : floor))):(0):($6 - ($5 > floor ? $5 : floor)) with vectors heads fixed size screen 0.005,90 ls 8 dt 1
    unset multiplot
}
unset output
