# Made by: iwarpsim plot reordering --x channel.reorder.displacement --y steady_gbps --by rnic.receive --panels topology.delay --size page --logx false --logy false
# points: one run a point
# Again, in this folder: gnuplot -d reordering.gp
if (!exists("name")) name = "reordering"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1300; set rmargin at screen 0.7125
set xrange [-0.4:10.4]
set xtics ("" 0, "" 1, "" 2, "" 3, "" 5, "" 7, "" 10)
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
    set label "Goodput against reordering" at screen 0.5000, screen 0.9744 center
    set label "one run a point" at screen 0.5000, screen 0.9488 center font small
    set label "Receive path, Loss" at screen 0.8661, screen 0.5608 center
    set label "detection" at screen 0.8661, screen 0.5324 center
    set arrow from screen 0.7561, screen 0.5040 to screen 0.8107, screen 0.5040 nohead ls 1
    set label "" at screen 0.7834, screen 0.5040 point ls 1
    set label "place, rack" at screen 0.8238, screen 0.5040 left
    set arrow from screen 0.7561, screen 0.4756 to screen 0.8107, screen 0.4756 nohead ls 2
    set label "" at screen 0.7834, screen 0.4756 point ls 2
    set label "hold, rack" at screen 0.8238, screen 0.4756 left
    set arrow from screen 0.7561, screen 0.4471 to screen 0.8107, screen 0.4471 nohead ls 3
    set label "" at screen 0.7834, screen 0.4471 point ls 3
    set label "place, dupack" at screen 0.8238, screen 0.4471 left
    set arrow from screen 0.7561, screen 0.4187 to screen 0.8107, screen 0.4187 nohead ls 4
    set label "" at screen 0.7834, screen 0.4187 point ls 4
    set label "discard, rack" at screen 0.8238, screen 0.4187 left
    set label "Link delay: 1us" at screen 0.4213, screen 0.9159 center
    set label "Steady goodput (Gbps)" at screen 0.0246, screen 0.7065 center rotate by 90
    set yrange [0:100]; floor = 0
    set ytics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100)
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3, \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4
    unset label; unset arrow
    set tmargin at screen 0.4619; set bmargin at screen 0.0841
    set label "Link delay: 2.5us" at screen 0.4213, screen 0.4824 center
    set label "Steady goodput (Gbps)" at screen 0.0246, screen 0.2730 center rotate by 90
    set yrange [0:100]; floor = 0
    set ytics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100)
    set label "0" at screen 0.1516, screen 0.0540 center
    set label "1" at screen 0.2055, screen 0.0540 center
    set label "2" at screen 0.2595, screen 0.0540 center
    set label "3" at screen 0.3134, screen 0.0540 center
    set label "5" at screen 0.4213, screen 0.0540 center
    set label "7" at screen 0.5291, screen 0.0540 center
    set label "10" at screen 0.6909, screen 0.0540 center
    set label "Reordering depth (packets)" at screen 0.4213, screen 0.0256 center
    plot data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6, \
         data skip 1 using (at($3)):(of(7, $1, $4)) with linespoints ls 7, \
         data skip 1 using (at($3)):(of(8, $1, $4)) with linespoints ls 8
    unset multiplot
}
unset output
