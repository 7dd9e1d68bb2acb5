# Made by: iwarpsim plot described-networks --x topology.routing --y flow_mean_gbps,flow_p1_gbps --by topology.file --size page --logx false --logy false
# points: median of 8 runs; bars: 95 % interval of the median (order statistics)
# Again, in this folder: gnuplot -d described-networks.gp
if (!exists("name")) name = "described-networks"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1300; set rmargin at screen 0.9760
set xrange [-0.3:1.3]
set xtics ("" 0, "" 1)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set style line 4 lc rgb '#000000' dt 1 pt 13 lw 1.6 ps 0.8
set style line 5 lc rgb '#D55E00' dt 3 pt 11 lw 1.6 ps 0.8
set style line 6 lc rgb '#0072B2' dt 5 pt 15 lw 1.6 ps 0.8
if (!exists("kinds")) kinds = 'svg png pdf'
do for [kind in kinds] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,423 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,881 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,4.41in font 'sans,11' fontscale 0.75 }
    small = kind eq 'svg' ? ',11' : ',8'
    set output name . '.' . kind
    unset label; unset arrow
    set tmargin at screen 0.8838; set bmargin at screen 0.4526
    set label "Networks as files describe them" at screen 0.5000, screen 0.9610 center
    set label "median of 8 runs; bars: 95 % interval of the median (order statistics)" at screen 0.5000, screen 0.9220 center font small
    set label "Network" at screen 0.5000, screen 0.2991 center
    set label "" at screen 0.1905, screen 0.2558 point ls 1
    set label "Mean goodput of connections, ring.yaml" at screen 0.2308, screen 0.2558 left
    set label "" at screen 0.1905, screen 0.2124 point ls 2
    set label "Mean goodput of connections, leaf-spine.yaml" at screen 0.2308, screen 0.2124 left
    set label "" at screen 0.1905, screen 0.1691 point ls 3
    set label "Mean goodput of connections, two-sites.yaml" at screen 0.2308, screen 0.1691 left
    set label "" at screen 0.1905, screen 0.1257 point ls 4
    set label "Goodput, 1st percentile of connections, ring.yaml" at screen 0.2308, screen 0.1257 left
    set label "" at screen 0.1905, screen 0.0824 point ls 5
    set label "Goodput, 1st percentile of connections, leaf-spine.yaml" at screen 0.2308, screen 0.0824 left
    set label "" at screen 0.1905, screen 0.0390 point ls 6
    set label "Goodput, 1st percentile of connections, two-sites.yaml" at screen 0.2308, screen 0.0390 left
    set label "Rate (Gbps)" at screen 0.0246, screen 0.6682 center rotate by 90
    set yrange [0:100]; floor = 0
    set ytics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100)
    set label "flow_hash" at screen 0.2887, screen 0.4066 center
    set label "spray" at screen 0.8174, screen 0.4066 center
    set label "Routing" at screen 0.5530, screen 0.3633 center
    plot data skip 1 using (at($3) + -0.25):(of(1, $1, $4)) with points ls 1, \
         data skip 1 using (at($3) + -0.25):(of(1, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 1 dt 1, \
         data skip 1 using (at($3) + -0.15):(of(2, $1, $4)) with points ls 2, \
         data skip 1 using (at($3) + -0.15):(of(2, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 2 dt 1, \
         data skip 1 using (at($3) + -0.05):(of(3, $1, $4)) with points ls 3, \
         data skip 1 using (at($3) + -0.05):(of(3, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 3 dt 1, \
         data skip 1 using (at($3) + 0.05):(of(4, $1, $4)) with points ls 4, \
         data skip 1 using (at($3) + 0.05):(of(4, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 4 dt 1, \
         data skip 1 using (at($3) + 0.15):(of(5, $1, $4)) with points ls 5, \
         data skip 1 using (at($3) + 0.15):(of(5, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 5 dt 1, \
         data skip 1 using (at($3) + 0.25):(of(6, $1, $4)) with points ls 6, \
         data skip 1 using (at($3) + 0.25):(of(6, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 6 dt 1
}
unset output
