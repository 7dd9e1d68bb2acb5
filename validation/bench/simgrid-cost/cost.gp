# SPDX-License-Identifier: GPL-2.0-or-later
# Again, in this folder: gnuplot cost.gp        data: python3 validation/bench/simgrid_scale.py --full --write
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
set logscale xy
set key top left samplen 3
set style line 1 lc rgb '#000000' dt 1 pt 7 lw 1.6 ps 0.8
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
seg(n) = strcol(1) eq 'segments' ? column(n) : NaN
nod(n) = strcol(1) eq 'nodes' ? column(n) : NaN
alone(n) = strcol(1) eq 'simgrid' ? column(n) : NaN
f(x) = a + b * x
b = 1; a = -14
fit f(x) 'cost.tsv' skip 1 using (log(seg(3))):(log(seg(4))) via a, b
sa = a; sb = b
b = 1; a = -6
fit f(x) 'cost.tsv' skip 1 using (log(nod(2))):(log(nod(4))) via a, b
na = a; nb = b
b = 1; a = -6
fit f(x) 'cost.tsv' skip 1 using (log(alone(2))):(log(alone(4))) via a, b
la = a; lb = b
set terminal svg size 900,403 font 'sans,14' background rgb 'white'
set output 'cost.svg'
set multiplot layout 1,2
set xlabel 'Segments (128 hosts)'
set ylabel 'CPU seconds'
set format x '10^{%L}'
plot 'cost.tsv' skip 1 using (seg(3)):(seg(4)) with points ls 1 title 'measured', exp(sa) * x**sb with lines ls 2 title sprintf('slope %.2f', sb)
set xlabel 'Hosts (5 messages of 1 MB each)'
set ylabel 'CPU seconds; peak memory in MB'
set format x '%g'
set yrange [0.01:3e6]
plot 'cost.tsv' skip 1 using (nod(2)):(nod(4)) with points ls 1 title 'CPU seconds', exp(na) * x**nb with lines ls 2 title sprintf('slope %.2f', nb), \
     '' skip 1 using (alone(2)):(alone(4)) with points pt 4 lc rgb '#777777' title 'SimGrid alone', exp(la) * x**lb with lines lc rgb '#777777' dt 2 title sprintf('slope %.2f', lb), \
     '' skip 1 using (nod(2)):(nod(5) / 1000) with linespoints lc rgb '#0072B2' pt 9 title 'peak memory'
unset multiplot
set output
