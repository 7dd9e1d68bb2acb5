# Made by: iwarpsim plot /tmp/tmp.8OBgZ70bBQ/message-size-latency --x workload.size --y latency_p50_us --by workload.op --size page
# Again, in this folder: gnuplot 'message-size-latency.gp'
# points: median of 1 repeat
caption = ''
data = 'message-size-latency.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
set xlabel 'Message size'
set ylabel 'Median latency (us)'
set title 'Latency against message size' . (caption eq '' ? '' : "\n") . (caption eq '' ? '' : '{/*0.8 ' . caption . '}')
set key outside right center samplen 3
set key title 'Operation'
set logscale x 2
set xrange [0.909091:1.15343e+06]
set xtics ('1B' 1, '64B' 64, '512B' 512, '4KiB' 4096, '16KiB' 16384, '64KiB' 65536, '256KiB' 262144, '1MiB' 1048576, '1B' 1, '64B' 64, '512B' 512, '4KiB' 4096, '16KiB' 16384, '64KiB' 65536, '256KiB' 262144, '1MiB' 1048576, '1B' 1, '64B' 64, '512B' 512, '4KiB' 4096, '16KiB' 16384, '64KiB' 65536, '256KiB' 262144, '1MiB' 1048576)
set logscale y
set style line 1 lc rgb '#000000' dt 1 pt 7 lw 1.6 ps 0.8
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
set terminal svg size 672,403 font 'sans,14' background rgb 'white'
set output 'message-size-latency.svg'
plot data skip 1 using ($1 == 1 ? $3 : NaN):4 with linespoints ls 1 title 'send', \
     data skip 1 using ($1 == 2 ? $3 : NaN):4 with linespoints ls 2 title 'write', \
     data skip 1 using ($1 == 3 ? $3 : NaN):4 with linespoints ls 3 title 'read'
set terminal pngcairo size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2
set output 'message-size-latency.png'
replot
set terminal pdfcairo size 7.00in,4.20in font 'sans,11'
set output 'message-size-latency.pdf'
replot
set output
