# Made by: iwarpsim plot goal-stencil --x topology.delay --y completion_us --by channel.loss --size page --logx false --logy false
# points: median of 40 runs; bars: 95 % interval of the median (order statistics); without a bar: deterministic
# Again, in this folder: gnuplot -d goal-stencil.gp
if (!exists("name")) name = "goal-stencil"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "median of 40 runs; bars: 95 % interval of the median (order statistics); without a bar:" . "\n" . "deterministic"
title = "A stencil that calculates while its borders travel"
set tmargin 3.5
set key title "Loss probability"
set xrange [0.56:12.44]
set xtics ("1" 1, "2" 2, "3" 3, "4" 4, "6" 6, "8" 8, "12" 12)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set xlabel "Link delay (us)"
set ylabel "Completion time (us)"
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
    set key outside right center vertical samplen 3.0
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title "0", \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2 title "0.003", \
         data skip 1 using (at($3)):(of(2, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 2 dt 1 notitle, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3 title "0.01", \
         data skip 1 using (at($3)):(of(3, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 3 dt 1 notitle
}
unset output
