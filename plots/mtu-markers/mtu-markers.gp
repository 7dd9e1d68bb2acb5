# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot mtu-markers.gp
name = 'mtu-markers'
width = 6
height = 4.2
load '../style.gp'
data = name . '.tsv'
set style line 1 pt 7
set logscale xy
set xrange [500:10500]
set yrange [0.009:0.2]
set xtics (576, 1000, 1500, 2304, 4096, 9000)
set ytics ('1 %%' 0.01, '2 %%' 0.02, '5 %%' 0.05, '10 %%' 0.1, '20 %%' 0.2)
set xlabel 'MTU (octets)'
set ylabel 'Taken from the line'
set key left bottom reverse Left samplen 2.5
# Of a packet: 38 octets of Ethernet, 40 of IP and TCP, 20 of MPA and DDP; a marker of 4 octets in each 512 of the stream.
plain(mtu) = 1 - (mtu - 60) / (mtu + 38)
marked(mtu) = 1 - ((mtu - 40) * 508.0 / 512 - 20) / (mtu + 38)
do for [kind in kinds] {
    eval begin(kind)
    plot plain(x) with lines ls 9 title '98 octets of headers a packet', \
         marked(x) with lines ls 9 dt 2 title 'and 4 of each 512', \
         data skip 1 using (strcol(2) eq 'true' ? $1 : NaN):4 with points ls 2 title 'with markers', \
         data skip 1 using (strcol(2) eq 'false' ? $1 : NaN):4 with points ls 1 title 'without'
    unset output
}
