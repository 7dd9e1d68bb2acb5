# Made by: iwarpsim plot /tmp/tmp.JemdAenCjP/mtu-markers --x topology.mtu --y steady_gbps --by llp.markers --size page
# Again, in this folder: gnuplot 'mtu-markers.gp'
# points: median of 1 repeat
caption = ''
data = 'mtu-markers.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
set xlabel 'MTU (octets)'
set ylabel 'Steady goodput (Gbps)'
set title 'What MTU and markers leave of the link' . (caption eq '' ? '' : "\n") . (caption eq '' ? '' : '{/*0.8 ' . caption . '}')
set key outside right center samplen 3
set key title 'markers'
set xrange [1200:9300]
set yrange [0:*]
set style line 1 lc rgb '#000000' dt 1 pt 7 lw 1.6 ps 0.8
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set terminal svg size 672,403 font 'sans,14' background rgb 'white'
set output 'mtu-markers.svg'
plot data skip 1 using ($1 == 1 ? $3 : NaN):4 with linespoints ls 1 title 'false', \
     data skip 1 using ($1 == 2 ? $3 : NaN):4 with linespoints ls 2 title 'true'
set terminal pngcairo size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2
set output 'mtu-markers.png'
replot
set terminal pdfcairo size 7.00in,4.20in font 'sans,11'
set output 'mtu-markers.pdf'
replot
set output
