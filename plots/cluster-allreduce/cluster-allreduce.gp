# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot cluster-allreduce.gp
name = 'cluster-allreduce'
width = 7
height = 4.6
load '../style.gp'
data = name . '.tsv'
of(series, size) = strcol(1) eq series && strcol(2) eq size ? column(4) : NaN
# what the octets alone take: 2(N-1)/N of the volume at the goodput of MTU 9000; and what the steps alone take
octets(volume, n) = 2 * (n - 1) / n * volume * 8 / 98.92e9 * 1e3
set logscale xy
set xrange [12:90000]
set yrange [1:1000]
set xtics ('16' 16, '64' 64, '256' 256, '1,024' 1024, '4,096' 4096, '16,384' 16384, '65,536' 65536)
if (in_column) { set xtics ('16' 16, '256' 256, '4,096' 4096, '65,536' 65536) }
set xlabel 'Hosts'
set ylabel 'Time of one allreduce (ms)'
set key at graph 0.02, 0.68 left top Left reverse samplen 3 opaque
do for [kind in kinds] {
    eval begin(kind)
    plot octets(1073741824., x) with lines ls 9 dt 2 title 'its octets alone', octets(16777216., x) with lines ls 9 dt 2 notitle, \
        data skip 1 using 3:(of('steps', '1GiB')) with linespoints ls 2 title '1 GiB, from 8 steps', \
        '' skip 1 using 3:(of('steps', '16MiB')) with linespoints ls 1 title '16 MiB, from 8 steps', \
        '' skip 1 using 3:(of('whole', '16MiB')) with points ls 3 ps 1.6 title '16 MiB, all steps run'
    unset output
}
