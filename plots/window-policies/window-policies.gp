# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot window-policies.gp
name = 'window-policies'
width = 9
height = 6.6
panels = 3
each = 2.5
load '../style.gp'
data = name . '.tsv'
# t6 on 100 Gb/s: 8940 octets of payload in an FPDU of 8960, one every 731.8 ns (716.8 ns at 100 Gb/s and 15 ns each).
fpdu = 8960.0
payload = 8940.0
wire = 0.72304
ack = 0.00624
pipeline = 0.7168 + 0.015 + 0.31
write = 0.871 # DMA write of a segment, us
most = payload * 8e-3 / 0.7318
least(a, b) = a < b ? a : b
trip(delay) = 2 * delay + wire + ack + 2 * pipeline + 0.325 # the last: an acknowledgement through the sender's pipeline
form(w, delay) = least(most, floor(w / fpdu) * payload * 8e-3 / (trip(delay) + write + wire))
form_constant(w, delay) = least(most, floor(w / fpdu) * payload * 8e-3 / trip(delay))
array marks[6] = [6, 4, 8, 12, 10, 14]
array colours[6] = ['#000000', '#D55E00', '#0072B2', '#B57900', '#009E73', '#CC79A7']
array delays[3] = [0.5, 5, 50]
array policies[6] = ['constant', 'placed', 'held', 'buffer', 'bdp', 'retire']
place(d) = d < 1 ? 1 : d < 10 ? 2 : 3
windows = "('32 KiB' 32768, '128 KiB' 131072, '512 KiB' 524288, '2 MiB' 2097152, '8 MiB' 8388608)"
set samples 2000
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    set key off
    set logscale x 2
    set xrange [26000:10500000]
    set yrange [0:108]
    eval 'set xtics ' . windows . ' font small'
    if (in_column) { set xtics ('32 KiB' 32768, '512 KiB' 524288, '8 MiB' 8388608) }
    set xlabel 'Receive window'
    set ylabel 'Steady goodput (Gb/s)'
    do for [panel = 0:1] {
        eval tile(panel + 1, panel * 0.5, 0.5, 0.5, 0.5)
        set title panel == 0 ? '(a) the ULP reads at once' : '(b) the ULP reads 25 Gb/s'
        set label 1 'RTT 1 us' at 33000, 104 font small
        set label 2 '10 us' at 240000, 85 font small
        set label 3 '100 us' at 1600000, 85 font small
        rate = panel * 25
        plot for [i = 1:3] form(x, delays[i]) with lines ls 9 lw 1.5, \
            for [i = 1:3] form_constant(x, delays[i]) with lines ls 9 lw 0.8 dt 2, \
            (panel == 0 ? NaN : 25 * payload / fpdu) with lines ls 9 dt 4, \
            for [p = 1:6] data skip 1 using (strcol(1) eq 'run' && strcol(2) eq policies[p] && $3 == rate ? $5 : NaN):6 \
            with points pt marks[p] lc rgb colours[p] lw 1.5 ps 1
    }
    do for [i = 1:3] { unset label i }
    eval tile(3, 0, 0, 1, 0.5)
    unset logscale x
    set xrange [0.5:3.5]
    set logscale y 2
    set yrange [24000:2600000]
    set title in_lines("(c) the smallest window for 95 % of the line rate")
    set xlabel 'Round-trip time without load'
    set xtics ('1 us' 1, '10 us' 2, '100 us' 3)
    set ylabel 'Receive window'
    set ytics ('32 KiB' 32768, '128 KiB' 131072, '512 KiB' 524288, '2 MiB' 2097152, '8 MiB' 8388608)
    if (in_column) { set bmargin at screen 1.3 / height; set key at screen 0.5, screen 0.05 / height center bottom vertical maxrows 4 } else { set key outside right center }
    set key samplen 2 Left reverse
    place6(p, d) = place(d) + (p - 3.5) * 0.11
    plot for [p = 1:6] data skip 1 using (strcol(1) eq 'size' && strcol(2) eq policies[p] ? place6(p, $4) : NaN):5 \
        with points pt marks[p] lc rgb colours[p] lw 1.5 ps 1.1 title policies[p], \
        for [p = 1:6] data skip 1 using (strcol(1) eq 'size' && strcol(2) eq policies[p] ? place6(p, $4) - 0.05 : NaN):7:(0.1):(0) \
        with vectors nohead ls 9 lw 1.5 title (p == 1 ? 'closed form' : ''), \
        NaN with lines ls 9 lw 0.8 dt 2 title 'for constant'
    unset logscale y
    set ytics auto
    set bmargin
    unset multiplot
    unset output
}
