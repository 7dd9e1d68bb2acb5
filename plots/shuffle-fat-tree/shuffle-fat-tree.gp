# Made by: iwarpsim plot /tmp/tmp.jGIVskvnX9/shuffle-fat-tree --x topology.oversubscription --y goodput_gbps --size page
# Again, in this folder: gnuplot 'shuffle-fat-tree.gp'
# points: median of 1 repeat
caption = ''
data = 'shuffle-fat-tree.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
set xlabel 'oversubscription'
set ylabel 'Goodput (Gbps)'
set title 'All to all on a fat tree of 16 hosts' . (caption eq '' ? '' : "\n") . (caption eq '' ? '' : '{/*0.8 ' . caption . '}')
set key outside right center samplen 3
set key off
set xrange [0.88:4.12]
set yrange [0:*]
set style line 1 lc rgb '#000000' dt 1 pt 7 lw 1.6 ps 0.8
set terminal svg size 672,403 font 'sans,14' background rgb 'white'
set output 'shuffle-fat-tree.svg'
plot data skip 1 using ($1 == 1 ? $3 : NaN):4 with linespoints ls 1 title ''
set terminal pngcairo size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2
set output 'shuffle-fat-tree.png'
replot
set terminal pdfcairo size 7.00in,4.20in font 'sans,11'
set output 'shuffle-fat-tree.pdf'
replot
set output
