# Made by: iwarpsim plot message-size-throughput --x workload.size --y steady_gbps --by workload.depth --panels workload.op --size page --logx true --logy false
# points: one run a point
# Again, in this folder: gnuplot -d message-size-throughput.gp
if (!exists("name")) name = "message-size-throughput"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "one run a point; at 9 of 63 points what binds is a guess (rnic.cpu.post)"
title = "Throughput against message size"
set tmargin 4.0
set key title "Messages outstanding"
set logscale x
set xrange [55.6522:301466]
set xtics ("64B" 64, "512B" 512, "4KiB" 4096, "16KiB" 16384, "64KiB" 65536, "256KiB" 262144)
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
do for [kind in 'svg png pdf'] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,968 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,2016 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,10.08in font 'sans,11' fontscale 0.75 }
    lift = kind eq 'svg' ? 0.5 : 0
    set xtics offset 0,lift
    set label 3 title at screen 0.5, screen 1 center offset 0,-0.9
    set label 1 caption at screen 0.5, screen 1 center offset 0,-1.8 font (kind eq 'svg' ? ',11' : ',8')
    set output name . '.' . kind
    set multiplot
    set tmargin at screen 0.9242; set bmargin at screen 0.6831
    set lmargin at screen 0.1589; set rmargin at screen 0.7189
    unset xlabel
    set ylabel "Steady goodput (Gbps)"
    set yrange [0:*]
    set label 4 "Operation: send" at graph 0.5, graph 1 center offset 0,0.7
    set key outside right center vertical samplen 3.0
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "1", \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2 title "16", \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3 title "128"
    unset label 1; unset label 3
    set tmargin at screen 0.6149; set bmargin at screen 0.3738
    set lmargin at screen 0.1589; set rmargin at screen 0.7189
    unset xlabel
    set ylabel "Steady goodput (Gbps)"
    set yrange [0:*]
    set label 4 "Operation: write" at graph 0.5, graph 1 center offset 0,0.7
    unset key
    plot data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4 notitle, \
         data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5 notitle, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6 notitle
    set tmargin at screen 0.3055; set bmargin at screen 0.0644
    set lmargin at screen 0.1589; set rmargin at screen 0.7189
    set xlabel "Message size"
    set xlabel offset 0,2*lift
    set ylabel "Steady goodput (Gbps)"
    set yrange [0:*]
    set label 4 "Operation: read" at graph 0.5, graph 1 center offset 0,0.7
    unset key
    plot data skip 1 using (at($3)):(of(7, $1, $4)) with linespoints ls 7 notitle, \
         data skip 1 using (at($3)):(of(8, $1, $4)) with linespoints ls 8 notitle, \
         data skip 1 using (at($3)):(of(9, $1, $4)) with linespoints ls 9 notitle
    unset multiplot
}
unset output
