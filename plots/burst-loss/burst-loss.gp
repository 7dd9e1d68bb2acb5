# Made by: iwarpsim plot burst-loss --x channel.burst.r --y goodput_gbps --size page --logx false --logy false
# Again, in this folder: gnuplot 'burst-loss.gp'
# points: median of 5 runs; bars: smallest to largest
name = "burst-loss"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "median of 5 runs; bars: smallest to largest"
title = "Losses in bursts"
set tmargin 2.7
set xrange [0.064:1.036]
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 7 lw 1.6 ps 0.8
set xlabel "Probability that a burst of losses ends"
set ylabel "Goodput (Gbps)"
set yrange [0:*]
do for [kind in 'svg png pdf'] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,403 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,4.20in font 'sans,11' fontscale 0.75 }
    set label 3 title at screen 0.5, screen 1 center offset 0,-0.9
    set label 1 caption at screen 0.5, screen 1 center offset 0,-1.8 font (kind eq 'svg' ? ',11' : ',8')
    set output name . '.' . kind
    unset key
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "", \
         data skip 1 using (at($3)):(of(1, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 1 dt 1 notitle
}
unset output
