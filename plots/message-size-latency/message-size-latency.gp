# Made by: iwarpsim plot message-size-latency --x workload.size --y latency_p50_us --by workload.op --size page --logx true --logy true
# points: one run a point
# Again, in this folder: gnuplot -d message-size-latency.gp
if (!exists("name")) name = "message-size-latency"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1300; set rmargin at screen 0.7895
set logscale x
set xrange [0.869565:1.20586e+06]
set xtics ("" 1, "" 8, "" 24, "" 512, "" 4096, "" 65536, "" 1048576)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
if (!exists("kinds")) kinds = 'svg png pdf'
do for [kind in kinds] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,403 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,4.20in font 'sans,11' fontscale 0.75 }
    small = kind eq 'svg' ? ',11' : ',8'
    set output name . '.' . kind
    unset label; unset arrow
    set tmargin at screen 0.8781; set bmargin at screen 0.1346
    set label "Latency against message size" at screen 0.5000, screen 0.9591 center
    set label "one run a point; at 9 of 33 points what binds is a guess (rnic.tx.latency)" at screen 0.5000, screen 0.9182 center font small
    set label "Operation" at screen 0.8944, screen 0.5746 center
    set arrow from screen 0.8331, screen 0.5291 to screen 0.8877, screen 0.5291 nohead ls 1
    set label "" at screen 0.8604, screen 0.5291 point ls 1
    set label "send" at screen 0.9008, screen 0.5291 left
    set arrow from screen 0.8331, screen 0.4836 to screen 0.8877, screen 0.4836 nohead ls 2
    set label "" at screen 0.8604, screen 0.4836 point ls 2
    set label "write" at screen 0.9008, screen 0.4836 left
    set arrow from screen 0.8331, screen 0.4382 to screen 0.8877, screen 0.4382 nohead ls 3
    set label "" at screen 0.8604, screen 0.4382 point ls 3
    set label "read" at screen 0.9008, screen 0.4382 left
    set label "Median latency (us)" at screen 0.0246, screen 0.5064 center rotate by 90
    set logscale y; set yrange [1.92288545454545:102.1238933]; floor = 1.92288545454545
    set ytics ("2" 2, "5" 5, "10" 10, "20" 20, "50" 50, "100" 100)
    set label "1B" at screen 0.1366, screen 0.0864 center
    set label "8B" at screen 0.2335, screen 0.0864 center
    set label "24B" at screen 0.2847, screen 0.0864 center
    set label "512B" at screen 0.4274, screen 0.0864 center
    set label "4KiB" at screen 0.5244, screen 0.0864 center
    set label "64KiB" at screen 0.6537, screen 0.0864 center
    set label "1MiB" at screen 0.7829, screen 0.0864 center
    set label "Message size" at screen 0.4597, screen 0.0409 center
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3
}
unset output
