# SPDX-License-Identifier: GPL-2.0-or-later
# Again, in this folder: gnuplot cost.gp        data: cost.tsv, whose README says where each row comes from
set datafile separator tab
set datafile missing NaN
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
set logscale xy
set key top left Left reverse samplen 2
mine(name, y) = stringcolumn(1) eq name ? y : NaN
HEADS = 76 # octets of a packet that are not the ULP's
packets(x) = column(2) * column(3) / (column(4) - HEADS)
cost(name) = mine(name, column(5) * 1e6 / packets(0))
mb(name) = mine(name, column(6))
set xlabel 'Hosts'
set xtics (128, 1024, 8192, 65536)
set xrange [90:200000]
set terminal svg size 900,430 font 'sans,14' background rgb 'white'
set output 'cost.svg'
set multiplot layout 1,2
set ylabel 'CPU microseconds per data packet'
set yrange [0.05:100000]
plot 'cost.tsv' skip 1 using 2:(cost('ns3')) with points pt 13 ps 1.3 lc rgb '#CC79A7' title 'world ns3, 1 MB', \
     '' skip 1 using 2:(cost('htsim')) with points pt 9 ps 1.3 lc rgb '#0072B2' title 'htsim RoCE, 1, 2 and 20 MB', \
     '' skip 1 using 2:(cost('fabric')) with linespoints pt 7 lw 1.6 lc rgb '#000000' title 'world fabric, 1 MB', \
     '' skip 1 using 2:(cost('fabric-64KiB')) with linespoints pt 6 lw 1.6 lc rgb '#000000' title 'world fabric, 64 KiB', \
     '' skip 1 using 2:(cost('simgrid')) with linespoints pt 5 lw 1.6 lc rgb '#D55E00' title 'world simgrid, 5 MB'
set ylabel 'peak memory in MB'
set yrange [10:1000000]
plot 'cost.tsv' skip 1 using 2:(mb('ns3')) with points pt 13 ps 1.3 lc rgb '#CC79A7' title 'world ns3', \
     '' skip 1 using 2:(mb('htsim')) with points pt 9 ps 1.3 lc rgb '#0072B2' title 'htsim RoCE', \
     '' skip 1 using 2:(mb('fabric')) with linespoints pt 7 lw 1.6 lc rgb '#000000' title 'world fabric, 1 MB', \
     '' skip 1 using 2:(mb('fabric-64KiB')) with linespoints pt 6 lw 1.6 lc rgb '#000000' title 'world fabric, 64 KiB', \
     '' skip 1 using 2:(mb('simgrid')) with linespoints pt 5 lw 1.6 lc rgb '#D55E00' title 'world simgrid'
unset multiplot
set output
