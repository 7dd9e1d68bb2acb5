# Made by: iwarpsim plot window --x rnic.window.bytes --y steady_gbps,window_gbps --by topology.delay --size page --logx true --logy false
# points: one run a point
# Again, in this folder: gnuplot -d window.gp
if (!exists("name")) name = "window"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1300; set rmargin at screen 0.6896
set logscale x
set xrange [28493.9:9.6469e+06]
set xtics ("" 32768, "" 131072, "" 524288, "" 2097152, "" 8388608)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 4 lc rgb '#E69F00' dt 1 pt 13 lw 1.6 ps 0.8
set style line 5 lc rgb '#555555' dt 1 lw 1.0
set style line 6 lc rgb '#555555' dt 1 lw 1.0
set style line 7 lc rgb '#555555' dt 1 lw 1.0
set style line 8 lc rgb '#555555' dt 1 lw 1.0
if (!exists("kinds")) kinds = 'svg png pdf'
do for [kind in kinds] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,403 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,4.20in font 'sans,11' fontscale 0.75 }
    small = kind eq 'svg' ? ',11' : ',8'
    set output name . '.' . kind
    unset label; unset arrow
    set tmargin at screen 0.8781; set bmargin at screen 0.1346
    set label "Receive window against round-trip time" at screen 0.5000, screen 0.9591 center
    set label "one run a point" at screen 0.5000, screen 0.9182 center font small
    set label "Link delay" at screen 0.8479, screen 0.6200 center
    set arrow from screen 0.7333, screen 0.5746 to screen 0.7879, screen 0.5746 nohead ls 1
    set label "" at screen 0.7606, screen 0.5746 point ls 1
    set label "1us" at screen 0.8009, screen 0.5746 left
    set arrow from screen 0.7333, screen 0.5291 to screen 0.7879, screen 0.5291 nohead ls 2
    set label "" at screen 0.7606, screen 0.5291 point ls 2
    set label "10us" at screen 0.8009, screen 0.5291 left
    set arrow from screen 0.7333, screen 0.4836 to screen 0.7879, screen 0.4836 nohead ls 3
    set label "" at screen 0.7606, screen 0.4836 point ls 3
    set label "100us" at screen 0.8009, screen 0.4836 left
    set arrow from screen 0.7333, screen 0.4382 to screen 0.7879, screen 0.4382 nohead ls 4
    set label "" at screen 0.7606, screen 0.4382 point ls 4
    set label "400us" at screen 0.8009, screen 0.4382 left
    set arrow from screen 0.7333, screen 0.3927 to screen 0.7879, screen 0.3927 nohead ls 5
    set label "Windows allow" at screen 0.8009, screen 0.3927 left
    set label "Steady goodput (Gbps)" at screen 0.0246, screen 0.5064 center rotate by 90
    set yrange [0:100]; floor = 0
    set ytics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100)
    set label "32KiB" at screen 0.1435, screen 0.0864 center
    set label "128KiB" at screen 0.2766, screen 0.0864 center
    set label "512KiB" at screen 0.4098, screen 0.0864 center
    set label "2MiB" at screen 0.5430, screen 0.0864 center
    set label "8MiB" at screen 0.6762, screen 0.0864 center
    set label "Receive window" at screen 0.4098, screen 0.0409 center
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3, \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4, \
         data skip 1 using (at($3)):(of(5, $1, $4)) with lines ls 5, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with lines ls 6, \
         data skip 1 using (at($3)):(of(7, $1, $4)) with lines ls 7, \
         data skip 1 using (at($3)):(of(8, $1, $4)) with lines ls 8
}
unset output
