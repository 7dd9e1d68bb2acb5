# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot crc.gp
name = 'crc'
width = 6
height = 4.2
load '../style.gp'
data = name . '.tsv'
array errors[2] = ['drop', 'terminate']
array titles[2] = ['dropped before TCP accepts', 'the stream is terminated']
set logscale x
set xrange [2e-5:5e-3]
set xtics ('10^{-5}' 1e-5, '10^{-4}' 1e-4, '10^{-3}' 1e-3)
set yrange [0:1.05]
set ytics ('0 %%' 0, '25 %%' 0.25, '50 %%' 0.5, '75 %%' 0.75, '100 %%' 1)
set xlabel 'Packets with an error that TCP did not see'
set ylabel 'Streams that delivered everything'
set key left bottom reverse Left samplen 2.5
segments = 2400 # of 200 messages of 16 KiB
do for [kind in kinds] {
    eval begin(kind)
    plot (1 - x) ** segments with lines ls 9 dt 2 title '(1 - p)^{2400}', \
         for [i = 1:2] data skip 1 using (strcol(1) eq errors[i] ? $2 : NaN):3 with points ls i title titles[i], \
         for [i = 1:2] data skip 1 using (strcol(1) eq errors[i] ? $2 : NaN):3:4:5 with yerrorbars ls i dt 1 notitle
    unset output
}
