# Made by: iwarpsim plot cluster-incast --x topology.hosts --y completion_us --size page --logx true --logy true
# Again, in this folder: gnuplot 'cluster-incast.gp'
# points: one run a point
name = "cluster-incast"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
caption = "one run a point"
title = "Incast on a cluster, 64 to 4096 senders"
set tmargin 2.7
set logscale x
set xrange [56.5217:4711.55]
set xtics ("65" 65, "257" 257, "1025" 1025, "4097" 4097)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 7 lw 1.6 ps 0.8
set xlabel "Hosts"
set ylabel "Completion time (us)"
set logscale y; set yrange [1239.07:95740.1]; floor = 1239.07
do for [kind in 'svg png pdf'] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,403 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,4.20in font 'sans,11' fontscale 0.75 }
    set label 3 title at screen 0.5, screen 1 center offset 0,-0.9
    set label 1 caption at screen 0.5, screen 1 center offset 0,-1.8 font (kind eq 'svg' ? ',11' : ',8')
    set output name . '.' . kind
    unset key
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1 title ""
}
unset output
