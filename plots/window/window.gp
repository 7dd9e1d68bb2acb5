# Made by: iwarpsim plot /tmp/tmp.4iuRCPPiFA/window --x rnic.window.bytes --y steady_gbps --by topology.delay --size page
# Again, in this folder: gnuplot 'window.gp'
# points: median of 1 repeat
caption = ''
data = 'window.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
set xlabel 'Receive window'
set ylabel 'Steady goodput (Gbps)'
set title 'Receive window against round-trip time' . (caption eq '' ? '' : "\n") . (caption eq '' ? '' : '{/*0.8 ' . caption . '}')
set key outside right center samplen 3
set key title 'Link delay'
set logscale x 2
set xrange [59578.2:4.61373e+06]
set xtics ('64KiB' 65536, '256KiB' 262144, '1MiB' 1048576, '4MiB' 4194304, '64KiB' 65536, '256KiB' 262144, '1MiB' 1048576, '4MiB' 4194304, '64KiB' 65536, '256KiB' 262144, '1MiB' 1048576, '4MiB' 4194304)
set yrange [0:*]
set style line 1 lc rgb '#000000' dt 1 pt 7 lw 1.6 ps 0.8
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set terminal svg size 672,403 font 'sans,14' background rgb 'white'
set output 'window.svg'
plot data skip 1 using ($1 == 1 ? $3 : NaN):4 with linespoints ls 1 title '1us', \
     data skip 1 using ($1 == 2 ? $3 : NaN):4 with linespoints ls 2 title '10us', \
     data skip 1 using ($1 == 3 ? $3 : NaN):4 with linespoints ls 3 title '100us'
set terminal pngcairo size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2
set output 'window.png'
replot
set terminal pdfcairo size 7.00in,4.20in font 'sans,11'
set output 'window.pdf'
replot
set output
