# Made by: iwarpsim plot replayed-path --x topology.delay --y steady_gbps --by rnic.receive --panels channel.trace.file --size page --logx true --logy false
# points: median of 3 runs; bars: smallest to largest
# Again, in this folder: gnuplot -d replayed-path.gp
if (!exists("name")) name = "replayed-path"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1300; set rmargin at screen 0.7852
set logscale x
set xrange [0.869565:23]
set xtics ("" 1, "" 5, "" 20)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 4 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 5 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 6 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
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
    set label "What a path does to each receive path" at screen 0.5000, screen 0.9744 center
    set label "median of 3 runs; bars: smallest to largest" at screen 0.5000, screen 0.9488 center font small
    set label "Receive path" at screen 0.9024, screen 0.5324 center
    set arrow from screen 0.8288, screen 0.5040 to screen 0.8834, screen 0.5040 nohead ls 1
    set label "" at screen 0.8561, screen 0.5040 point ls 1
    set label "place" at screen 0.8965, screen 0.5040 left
    set arrow from screen 0.8288, screen 0.4756 to screen 0.8834, screen 0.4756 nohead ls 2
    set label "" at screen 0.8561, screen 0.4756 point ls 2
    set label "hold" at screen 0.8965, screen 0.4756 left
    set arrow from screen 0.8288, screen 0.4471 to screen 0.8834, screen 0.4471 nohead ls 3
    set label "" at screen 0.8561, screen 0.4471 point ls 3
    set label "discard" at screen 0.8965, screen 0.4471 left
    set label "Path: sprayed.fates" at screen 0.4576, screen 0.9159 center
    set label "Steady goodput (Gbps)" at screen 0.0246, screen 0.7065 center rotate by 90
    set yrange [0:100]; floor = 0
    set ytics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100)
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(1, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 1 dt 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(2, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 2 dt 1, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3, \
         data skip 1 using (at($3)):(of(3, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 3 dt 1
    unset label; unset arrow
    set tmargin at screen 0.4619; set bmargin at screen 0.0841
    set label "Path: bursts.fates" at screen 0.4576, screen 0.4824 center
    set label "Steady goodput (Gbps)" at screen 0.0246, screen 0.2730 center rotate by 90
    set yrange [0:100]; floor = 0
    set ytics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100)
    set label "1" at screen 0.1580, screen 0.0540 center
    set label "5" at screen 0.4799, screen 0.0540 center
    set label "20" at screen 0.7572, screen 0.0540 center
    set label "Link delay (us)" at screen 0.4576, screen 0.0256 center
    plot data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4, \
         data skip 1 using (at($3)):(of(4, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 4 dt 1, \
         data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5, \
         data skip 1 using (at($3)):(of(5, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 5 dt 1, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6, \
         data skip 1 using (at($3)):(of(6, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 6 dt 1
    unset multiplot
}
unset output
