# Made by: iwarpsim plot spray --x rnic.receive --y flow_mean_gbps,flow_p1_gbps --by topology.routing --size page --logx false --logy false
# points: median of 5 runs; bars: smallest to largest
# Again, in this folder: gnuplot -d spray.gp
if (!exists("name")) name = "spray"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "median of 5 runs; bars: smallest to largest"
title = "Spraying packets against hashing flows, three receive paths"
set tmargin 2.7
set key title "Routing"
set xrange [-0.3:2.3]
set xtics ("place" 0, "hold" 1, "copy" 2)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#000000' dt 4 pt 9 lw 1.6 ps 0.8
set style line 4 lc rgb '#D55E00' dt 1 pt 13 lw 1.6 ps 0.8
set xlabel "Receive path"
set ylabel "Of connections (Gbps)"
set yrange [0:*]
do for [kind in 'svg png pdf'] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,403 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,4.20in font 'sans,11' fontscale 0.75 }
    lift = kind eq 'svg' ? 0.5 : 0
    set xtics offset 0,lift
    set xlabel offset 0,2*lift
    set label 3 title at screen 0.5, screen 1 center offset 0,-0.9
    set label 1 caption at screen 0.5, screen 1 center offset 0,-1.8 font (kind eq 'svg' ? ',11' : ',8')
    set output name . '.' . kind
    set key below samplen 3.0 width -10*lift
    plot data skip 1 using (at($3) + -0.225):(of(1, $1, $4)) with points ls 1 title "Mean goodput of connections, flow_hash", \
         data skip 1 using (at($3) + -0.225):(of(1, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 1 dt 1 notitle, \
         data skip 1 using (at($3) + -0.075):(of(2, $1, $4)) with points ls 2 title "Mean goodput of connections, spray", \
         data skip 1 using (at($3) + -0.075):(of(2, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 2 dt 1 notitle, \
         data skip 1 using (at($3) + 0.075):(of(3, $1, $4)) with points ls 3 title "Goodput, 1st percentile of connections, flow_hash", \
         data skip 1 using (at($3) + 0.075):(of(3, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 3 dt 1 notitle, \
         data skip 1 using (at($3) + 0.225):(of(4, $1, $4)) with points ls 4 title "Goodput, 1st percentile of connections, spray", \
         data skip 1 using (at($3) + 0.225):(of(4, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 4 dt 1 notitle
}
unset output
