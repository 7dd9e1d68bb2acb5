# Made by: iwarpsim plot /tmp/tmp.zlGuZqcMTt/burst-loss --x channel.burst.r --y goodput_gbps --size page
# Again, in this folder: gnuplot 'burst-loss.gp'
# points: median of 5 repeats, bars: smallest to largest
caption = 'median of 5 repeats, bars: smallest to largest'
data = 'burst-loss.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
set xlabel 'r'
set ylabel 'Goodput (Gbps)'
set title 'Losses in bursts' . (caption eq '' ? '' : "\n") . (caption eq '' ? '' : '{/*0.8 ' . caption . '}')
set key outside right center samplen 3
set key off
set xrange [0.064:1.036]
set yrange [0:*]
set style line 1 lc rgb '#000000' dt 1 pt 7 lw 1.6 ps 0.8
set terminal svg size 672,403 font 'sans,14' background rgb 'white'
set output 'burst-loss.svg'
plot data skip 1 using ($1 == 1 ? $3 : NaN):4 with linespoints ls 1 title '', \
     data skip 1 using ($1 == 1 && $5 < $6 ? $3 : NaN):4:5:6 with yerrorbars ls 1 dt 1 notitle
set terminal pngcairo size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2
set output 'burst-loss.png'
replot
set terminal pdfcairo size 7.00in,4.20in font 'sans,11'
set output 'burst-loss.pdf'
replot
set output
