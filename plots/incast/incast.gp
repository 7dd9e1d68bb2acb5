# Made by: iwarpsim plot /tmp/tmp.6F7l24zrml/incast --x topology.hosts --y goodput_gbps --by llp.congestion --size page
# Again, in this folder: gnuplot 'incast.gp'
# points: median of 1 repeat
caption = ''
data = 'incast.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
set xlabel 'Hosts'
set ylabel 'Goodput (Gbps)'
set title 'Incast, 4 to 64 senders to one host' . (caption eq '' ? '' : "\n") . (caption eq '' ? '' : '{/*0.8 ' . caption . '}')
set key outside right center samplen 3
set key title 'congestion'
set logscale x
set xrange [4.54545:71.5]
set yrange [0:*]
set style line 1 lc rgb '#000000' dt 1 pt 7 lw 1.6 ps 0.8
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set terminal svg size 672,403 font 'sans,14' background rgb 'white'
set output 'incast.svg'
plot data skip 1 using ($1 == 1 ? $3 : NaN):4 with linespoints ls 1 title 'dctcp', \
     data skip 1 using ($1 == 2 ? $3 : NaN):4 with linespoints ls 2 title 'cubic'
set terminal pngcairo size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2
set output 'incast.png'
replot
set terminal pdfcairo size 7.00in,4.20in font 'sans,11'
set output 'incast.pdf'
replot
set output
