# Made by: iwarpsim plot /tmp/tmp.veGwRtDXon/spray --x llp.dupack_threshold --y goodput_gbps --by topology.routing --size page
# Again, in this folder: gnuplot 'spray.gp'
# points: median of 3 repeats, bars: smallest to largest
caption = 'median of 3 repeats, bars: smallest to largest'
data = 'spray.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
set xlabel 'Duplicate ACK threshold'
set ylabel 'Goodput (Gbps)'
set title 'Spraying packets against hashing flows' . (caption eq '' ? '' : "\n") . (caption eq '' ? '' : '{/*0.8 ' . caption . '}')
set key outside right center samplen 3
set key title 'routing'
set logscale x
set xrange [2.72727:330]
set yrange [0:*]
set style line 1 lc rgb '#000000' dt 1 pt 7 lw 1.6 ps 0.8
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set terminal svg size 672,403 font 'sans,14' background rgb 'white'
set output 'spray.svg'
plot data skip 1 using ($1 == 1 ? $3 : NaN):4 with linespoints ls 1 title 'flow\_hash', \
     data skip 1 using ($1 == 1 && $5 < $6 ? $3 : NaN):4:5:6 with yerrorbars ls 1 dt 1 notitle, \
     data skip 1 using ($1 == 2 ? $3 : NaN):4 with linespoints ls 2 title 'spray', \
     data skip 1 using ($1 == 2 && $5 < $6 ? $3 : NaN):4:5:6 with yerrorbars ls 2 dt 1 notitle
set terminal pngcairo size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2
set output 'spray.png'
replot
set terminal pdfcairo size 7.00in,4.20in font 'sans,11'
set output 'spray.pdf'
replot
set output
