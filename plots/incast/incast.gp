# Made by: iwarpsim plot incast --x topology.hosts --y steady_gbps,drops_switch,latency_p99_us --by llp.congestion --size page --logx true --logy false
# points: median of 5 runs; bars: smallest to largest; without a bar: deterministic
# Again, in this folder: gnuplot -d incast.gp
if (!exists("name")) name = "incast"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1439; set rmargin at screen 0.8044
set logscale x
set xrange [4.34783:74.75]
set xtics ("" 5, "" 9, "" 17, "" 33, "" 65)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 4 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 5 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 6 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
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
    set label "Incast, 4 to 64 senders to one host" at screen 0.5000, screen 0.9814 center
    set label "median of 5 runs; bars: smallest to largest; without a bar: deterministic" at screen 0.5000, screen 0.9628 center font small
    set label "Congestion" at screen 0.9120, screen 0.5339 center
    set label "control" at screen 0.9120, screen 0.5132 center
    set arrow from screen 0.8481, screen 0.4926 to screen 0.9026, screen 0.4926 nohead ls 1
    set label "" at screen 0.8753, screen 0.4926 point ls 1
    set label "dctcp" at screen 0.9157, screen 0.4926 left
    set arrow from screen 0.8481, screen 0.4719 to screen 0.9026, screen 0.4719 nohead ls 2
    set label "" at screen 0.8753, screen 0.4719 point ls 2
    set label "cubic" at screen 0.9157, screen 0.4719 left
    set label "Steady goodput (Gbps)" at screen 0.0246, screen 0.8040 center rotate by 90
    set yrange [0:100]; floor = 0
    set ytics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100)
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(1, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 1 dt 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(2, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 2 dt 1
    unset label; unset arrow
    set tmargin at screen 0.6435; set bmargin at screen 0.3623
    set label "Dropped by switches (packets)" at screen 0.0246, screen 0.5029 center rotate by 90
    set yrange [0:3500]; floor = 0
    set ytics ("0" 0, "500" 500, "1000" 1000, "1500" 1500, "2000" 2000, "2500" 2500, "3000" 3000, "3500" 3500)
    plot data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3, \
         data skip 1 using (at($3)):(of(3, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 3 dt 1, \
         data skip 1 using (at($3)):(of(4, $1, $4)) with linespoints ls 4, \
         data skip 1 using (at($3)):(of(4, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 4 dt 1
    unset label; unset arrow
    set tmargin at screen 0.3424; set bmargin at screen 0.0612
    set label "99th percentile of latency (us)" at screen 0.0246, screen 0.2018 center rotate by 90
    set yrange [0:3500]; floor = 0
    set ytics ("0" 0, "500" 500, "1000" 1000, "1500" 1500, "2000" 2000, "2500" 2500, "3000" 3000, "3500" 3500)
    set label "5" at screen 0.1764, screen 0.0393 center
    set label "9" at screen 0.3129, screen 0.0393 center
    set label "17" at screen 0.4605, screen 0.0393 center
    set label "33" at screen 0.6145, screen 0.0393 center
    set label "65" at screen 0.7719, screen 0.0393 center
    set label "Hosts" at screen 0.4742, screen 0.0186 center
    plot data skip 1 using (at($3)):(of(5, $1, $4)) with linespoints ls 5, \
         data skip 1 using (at($3)):(of(5, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 5 dt 1, \
         data skip 1 using (at($3)):(of(6, $1, $4)) with linespoints ls 6, \
         data skip 1 using (at($3)):(of(6, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 6 dt 1
    unset multiplot
}
unset output
