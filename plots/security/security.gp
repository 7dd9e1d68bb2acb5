# Made by: iwarpsim plot security --x channel.reorder.displacement --y steady_gbps,early_p99_us,held_peak_bytes --by llp.security --size page --logx true --logy false
# points: one run a point
# Again, in this folder: gnuplot -d security.gp
if (!exists("name")) name = "security"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1573; set rmargin at screen 0.6759
set logscale x
set xrange [0.289855:115]
set xtics ("" 0.333333333333333, "" 1, "" 3, "" 10, "" 30, "" 100)
of(series, number, value) = number == series ? value : NaN
at(x) = x > 0 ? x : zero
zero = 0.333333
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
if (!exists("kinds")) kinds = 'svg png pdf'
do for [kind in kinds] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,887 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,1848 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,9.24in font 'sans,11' fontscale 0.75 }
    small = kind eq 'svg' ? ',11' : ',8'
    set output name . '.' . kind
    set multiplot
    unset label; unset arrow
    set tmargin at screen 0.9446; set bmargin at screen 0.6634
    set label "What a security service leaves of placement" at screen 0.5000, screen 0.9814 center
    set label "one run a point" at screen 0.5000, screen 0.9628 center font small
    set label "Security, Receive" at screen 0.8434, screen 0.5752 center
    set label "path, Link delay" at screen 0.8434, screen 0.5546 center
    set arrow from screen 0.7196, screen 0.5339 to screen 0.7742, screen 0.5339 nohead ls 1
    set label "" at screen 0.7469, screen 0.5339 point ls 1
    set label "none, place, 1us" at screen 0.7872, screen 0.5339 left
    set arrow from screen 0.7196, screen 0.5132 to screen 0.7742, screen 0.5132 nohead ls 2
    set label "" at screen 0.7469, screen 0.5132 point ls 2
    set label "none, place, 5us" at screen 0.7872, screen 0.5132 left
    set arrow from screen 0.7196, screen 0.4926 to screen 0.7742, screen 0.4926 nohead ls 3
    set label "" at screen 0.7469, screen 0.4926 point ls 3
    set label "esp, place, 1us" at screen 0.7872, screen 0.4926 left
    set arrow from screen 0.7196, screen 0.4719 to screen 0.7742, screen 0.4719 nohead ls 4
    set label "" at screen 0.7469, screen 0.4719 point ls 4
    set label "esp, place, 5us" at screen 0.7872, screen 0.4719 left
    set arrow from screen 0.7196, screen 0.4512 to screen 0.7742, screen 0.4512 nohead ls 5
    set label "" at screen 0.7469, screen 0.4512 point ls 5
    set label "tls, hold, 1us" at screen 0.7872, screen 0.4512 left
    set arrow from screen 0.7196, screen 0.4306 to screen 0.7742, screen 0.4306 nohead ls 6
    set label "" at screen 0.7469, screen 0.4306 point ls 6
    set label "tls, hold, 5us" at screen 0.7872, screen 0.4306 left
    set label "Steady goodput (Gbps)" at screen 0.0246, screen 0.8040 center rotate by 90
    set yrange [0:100]; floor = 0
    set ytics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100)
    set label '//' at 0.57735, graph 0 center front
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3, \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4, \
         data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6
    unset label; unset arrow
    set tmargin at screen 0.6435; set bmargin at screen 0.3623
    set label "Placement to delivery, 99th" at screen 0.0246, screen 0.5029 center rotate by 90
    set label "percentile (us)" at screen 0.0518, screen 0.5029 center rotate by 90
    set yrange [0:14]; floor = 0
    set ytics ("0" 0, "2" 2, "4" 4, "6" 6, "8" 8, "10" 10, "12" 12, "14" 14)
    set label '//' at 0.57735, graph 0 center front
    plot data skip 1 using (at($3)):(of(7, $1, $4)) with linespoints ls 7, \
         data skip 1 using (at($3)):(of(8, $1, $4)) with linespoints ls 8, \
         data skip 1 using (at($3)):(of(9, $1, $4)) with linespoints ls 9, \
         data skip 1 using (at($3)):(of(10, $1, $4)) with linespoints ls 10, \
         data skip 1 using (at($3)):(of(11, $1, $4)) with linespoints ls 11, \
         data skip 1 using (at($3)):(of(12, $1, $4)) with linespoints ls 12
    unset label; unset arrow
    set tmargin at screen 0.3424; set bmargin at screen 0.0612
    set label "Held out of order, peak (kB)" at screen 0.0246, screen 0.2018 center rotate by 90
    set yrange [0:140000]; floor = 0
    set ytics ("0" 0, "20" 20000, "40" 40000, "60" 60000, "80" 80000, "100" 100000, "120" 120000, "140" 140000)
    set label '//' at 0.57735, graph 0 center front
    set label "0" at screen 0.1694, screen 0.0393 center
    set label "1" at screen 0.2647, screen 0.0393 center
    set label "3" at screen 0.3599, screen 0.0393 center
    set label "10" at screen 0.4642, screen 0.0393 center
    set label "30" at screen 0.5595, screen 0.0393 center
    set label "100" at screen 0.6638, screen 0.0393 center
    set label "Reordering depth (packets)" at screen 0.4166, screen 0.0186 center
    plot data skip 1 using (at($3)):(of(13, $1, $4)) with linespoints ls 13, \
         data skip 1 using (at($3)):(of(14, $1, $4)) with linespoints ls 14, \
         data skip 1 using (at($3)):(of(15, $1, $4)) with linespoints ls 15, \
         data skip 1 using (at($3)):(of(16, $1, $4)) with linespoints ls 16, \
         data skip 1 using (at($3)):(of(17, $1, $4)) with linespoints ls 17, \
         data skip 1 using (at($3)):(of(18, $1, $4)) with linespoints ls 18
    unset multiplot
}
unset output
