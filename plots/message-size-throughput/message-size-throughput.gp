# Made by: iwarpsim plot message-size-throughput --x workload.size --y steady_gbps --by workload.depth --panels workload.op --size page --logx true --logy false
# points: one run a point
# Again, in this folder: gnuplot -d message-size-throughput.gp
if (!exists("name")) name = "message-size-throughput"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1300; set rmargin at screen 0.7738
set logscale x
set xrange [55.6522:301466]
set xtics ("" 64, "" 512, "" 4096, "" 16384, "" 65536, "" 262144)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 4 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 5 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 6 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 7 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 8 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 9 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
if (!exists("kinds")) kinds = 'svg png pdf'
do for [kind in kinds] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,887 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,1848 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,9.24in font 'sans,11' fontscale 0.75 }
    small = kind eq 'svg' ? ',11' : ',8'
    set output name . '.' . kind
    set multiplot
    unset label; unset arrow
    set tmargin at screen 0.9239; set bmargin at screen 0.6634
    set label "Throughput against message size" at screen 0.5000, screen 0.9814 center
    set label "one run a point; at 9 of 63 points what binds is a guess (rnic.cpu.post)" at screen 0.5000, screen 0.9628 center font small
    set label "Messages" at screen 0.8827, screen 0.5339 center
    set label "outstanding" at screen 0.8827, screen 0.5132 center
    set arrow from screen 0.8174, screen 0.4926 to screen 0.8720, screen 0.4926 nohead ls 1
    set label "" at screen 0.8447, screen 0.4926 point ls 1
    set label "1" at screen 0.8851, screen 0.4926 left
    set arrow from screen 0.8174, screen 0.4719 to screen 0.8720, screen 0.4719 nohead ls 2
    set label "" at screen 0.8447, screen 0.4719 point ls 2
    set label "16" at screen 0.8851, screen 0.4719 left
    set arrow from screen 0.8174, screen 0.4512 to screen 0.8720, screen 0.4512 nohead ls 3
    set label "" at screen 0.8447, screen 0.4512 point ls 3
    set label "128" at screen 0.8851, screen 0.4512 left
    set label "Operation: send" at screen 0.4519, screen 0.9388 center
    set label "Steady goodput (Gbps)" at screen 0.0246, screen 0.7937 center rotate by 90
    set yrange [0:100]; floor = 0
    set ytics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100)
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3
    unset label; unset arrow
    set tmargin at screen 0.6229; set bmargin at screen 0.3623
    set label "Operation: write" at screen 0.4519, screen 0.6377 center
    set label "Steady goodput (Gbps)" at screen 0.0246, screen 0.4926 center rotate by 90
    set yrange [0:100]; floor = 0
    set ytics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100)
    plot data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4, \
         data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6
    unset label; unset arrow
    set tmargin at screen 0.3218; set bmargin at screen 0.0612
    set label "Operation: read" at screen 0.4519, screen 0.3366 center
    set label "Steady goodput (Gbps)" at screen 0.0246, screen 0.1915 center rotate by 90
    set yrange [0:100]; floor = 0
    set ytics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100)
    set label "64B" at screen 0.1405, screen 0.0393 center
    set label "512B" at screen 0.2962, screen 0.0393 center
    set label "4KiB" at screen 0.4519, screen 0.0393 center
    set label "16KiB" at screen 0.5557, screen 0.0393 center
    set label "64KiB" at screen 0.6595, screen 0.0393 center
    set label "256KiB" at screen 0.7633, screen 0.0393 center
    set label "Message size" at screen 0.4519, screen 0.0186 center
    plot data skip 1 using (at($3)):(of(7, $1, $4)) with linespoints ls 7, \
         data skip 1 using (at($3)):(of(8, $1, $4)) with linespoints ls 8, \
         data skip 1 using (at($3)):(of(9, $1, $4)) with linespoints ls 9
    unset multiplot
}
unset output
