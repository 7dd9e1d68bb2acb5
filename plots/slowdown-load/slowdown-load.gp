# Made by: iwarpsim plot slowdown-load --x from_octets --y p50 --by topology.routing --panels workload.load --size page --logx true --logy true
# points: one run a point
# Again, in this folder: gnuplot -d slowdown-load.gp
if (!exists("name")) name = "slowdown-load"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1162; set rmargin at screen 0.6630
set logscale x
set xrange [111.304:1.92938e+07]
set xtics ("" 128, "" 1024, "" 4096, "" 32768, "" 262144, "" 2097152, "" 16777216)
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
set style line 9 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 10 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 11 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 12 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 ps 0.8
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
    set label "Slowdown against message size, web-search mix, all to all" at screen 0.5000, screen 0.9814 center
    set label "one run a point" at screen 0.5000, screen 0.9628 center font small
    set label "Routing, Receive path" at screen 0.8413, screen 0.5339 center
    set arrow from screen 0.7066, screen 0.5132 to screen 0.7612, screen 0.5132 nohead ls 1
    set label "" at screen 0.7339, screen 0.5132 point ls 1
    set label "flow_hash, place" at screen 0.7743, screen 0.5132 left
    set arrow from screen 0.7066, screen 0.4926 to screen 0.7612, screen 0.4926 nohead ls 2
    set label "" at screen 0.7339, screen 0.4926 point ls 2
    set label "flow_hash, discard" at screen 0.7743, screen 0.4926 left
    set arrow from screen 0.7066, screen 0.4719 to screen 0.7612, screen 0.4719 nohead ls 3
    set label "" at screen 0.7339, screen 0.4719 point ls 3
    set label "spray, place" at screen 0.7743, screen 0.4719 left
    set arrow from screen 0.7066, screen 0.4512 to screen 0.7612, screen 0.4512 nohead ls 4
    set label "" at screen 0.7339, screen 0.4512 point ls 4
    set label "spray, discard" at screen 0.7743, screen 0.4512 left
    set label "Offered load: 0.3" at screen 0.3896, screen 0.9388 center
    set label "Median slowdown" at screen 0.0246, screen 0.7937 center rotate by 90
    set logscale y; set yrange [0.909090909090909:16.4424909]; floor = 0.909090909090909
    set ytics ("1" 1, "2" 2, "5" 5, "10" 10)
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3, \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4
    unset label; unset arrow
    set tmargin at screen 0.6229; set bmargin at screen 0.3623
    set label "Offered load: 0.6" at screen 0.3896, screen 0.6377 center
    set label "Median slowdown" at screen 0.0246, screen 0.4926 center rotate by 90
    set logscale y; set yrange [1.25846454545455:18.2427861]; floor = 1.25846454545455
    set ytics ("2" 2, "5" 5, "10" 10)
    plot data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6, \
         data skip 1 using (at($3)):(of(7, $1, $4)) with linespoints ls 7, \
         data skip 1 using (at($3)):(of(8, $1, $4)) with linespoints ls 8
    unset label; unset arrow
    set tmargin at screen 0.3218; set bmargin at screen 0.0612
    set label "Offered load: 0.8" at screen 0.3896, screen 0.3366 center
    set label "Median slowdown" at screen 0.0246, screen 0.1915 center rotate by 90
    set logscale y; set yrange [1.95873363636364:24.266627]; floor = 1.95873363636364
    set ytics ("2" 2, "5" 5, "10" 10, "20" 20)
    set label "128B" at screen 0.1225, screen 0.0393 center
    set label "1KiB" at screen 0.2168, screen 0.0393 center
    set label "4KiB" at screen 0.2796, screen 0.0393 center
    set label "32KiB" at screen 0.3739, screen 0.0393 center
    set label "256KiB" at screen 0.4681, screen 0.0393 center
    set label "2MiB" at screen 0.5624, screen 0.0393 center
    set label "16MiB" at screen 0.6567, screen 0.0393 center
    set label "Message size" at screen 0.3896, screen 0.0186 center
    plot data skip 1 using (at($3)):(of(9, $1, $4)) with linespoints ls 9, \
         data skip 1 using (at($3)):(of(10, $1, $4)) with linespoints ls 10, \
         data skip 1 using (at($3)):(of(11, $1, $4)) with linespoints ls 11, \
         data skip 1 using (at($3)):(of(12, $1, $4)) with linespoints ls 12
    unset multiplot
}
unset output
