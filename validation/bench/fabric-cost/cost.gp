# SPDX-License-Identifier: GPL-2.0-or-later
# Again, in this folder: gnuplot cost.gp        data: python3 validation/bench/fabric_scale.py --full --write
set datafile separator tab
set datafile missing NaN  # rows of the other sizes do not cut a line
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
set logscale xy
set key top left Left reverse samplen 2
mb(n) = column(2) == 1000000 ? column(n) : NaN
kib(n) = column(2) == 65536 ? column(n) : NaN
writes(n) = column(2) == 16384 ? column(n) : NaN
set xlabel 'Hosts'
set xtics (128, 1024, 8192, 65536)
set xrange [90:100000]
set terminal svg size 900,403 font 'sans,14' background rgb 'white'
set output 'cost.svg'
set multiplot layout 1,2
set ylabel 'CPU nanoseconds per packet on a link'
set yrange [100:10000]
plot 'cost.tsv' skip 1 using 1:(mb(8)) with linespoints pt 7 lw 1.6 lc rgb '#000000' title '1 MB, MTU 1500', \
     '' skip 1 using 1:(kib(8)) with linespoints pt 5 lw 1.6 lc rgb '#D55E00' title '64 KiB, MTU 1500', \
     '' skip 1 using 1:(writes(8)) with points pt 9 lc rgb '#0072B2' title '100 Writes of 16 KiB, MTU 9000'
set ylabel 'peak memory in MB'
set yrange [10:20000]
plot 'cost.tsv' skip 1 using 1:(mb(6)) with linespoints pt 7 lw 1.6 lc rgb '#000000' title '1 MB', \
     '' skip 1 using 1:(kib(6)) with linespoints pt 5 lw 1.6 lc rgb '#D55E00' title '64 KiB', \
     '' skip 1 using 1:(writes(6)) with points pt 9 lc rgb '#0072B2' title '100 Writes of 16 KiB'
unset multiplot
set output
