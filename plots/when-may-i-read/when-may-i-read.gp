# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot when-may-i-read.gp
name = 'when-may-i-read'
width = 9
height = 5
panels = 2
each = 3.4
load '../style.gp'
data = name . '.tsv'
array early[5] = ['flag_other', 'atomic_other', 'flag', 'last_octet', 'send']
array early_is[5] = ['a flag on another connection', 'an atomic on another connection', 'a flag behind it', 'its last octet', 'each way of (b)']
array safe[5] = ['send', 'atomic', 'flag_other_waits', 'send_waits', 'read_back']
array safe_is[5] = ['a Send or Immediate Data behind it', 'an atomic behind it', 'completion, then a flag elsewhere', 'completion, then a Send', 'an octet read back, then a flag']
array places[8] = ['hashed', '2', '4', '8', '16', '32', '64', 'slow']
place(w) = (p = NaN, sum [i = 1:8] (w eq places[i] ? (p = i) : 0), p)
at(s, n) = strcol(2) eq s ? place(strcol(1)) + 0.09 * (n - 3) : NaN
do for [kind in kinds] {
    eval begin(kind)
    set multiplot
    set xrange [0.5:8.5]
    set xtics ("one,\nhashed" 1, '2' 2, '4' 3, '8' 4, '16' 5, '32' 6, '64' 7, "one\nslow" 8)
    set xlabel 'Paths over which packets are sprayed' offset 0, -0.4
    eval tile(1, 0, 0.27, 0.5, 0.73)
    set key vertical maxrows 5 samplen 2.5 Left reverse
    if (in_column) { set bmargin at screen (each * 2 - 1.9) / height; set key at screen 0.5, screen (each + 0.1) / height center bottom } else { set key at screen 0.27, screen 0.02 center bottom }
    set title '(a) Read too soon: an octet was missing'
    set ylabel 'Share of messages (%)'
    set yrange [-4:105]
    plot for [n = 1:5] data skip 1 using (at(early[n], n)):(100 * $3) with linespoints ls (n < 5 ? n + 1 : 1) title early_is[n]
    unset label 99
    eval tile(2, 0.5, 0.27, 0.5, 0.73)
    if (in_column) { set bmargin at screen (each - 1.9) / height; set key at screen 0.5, screen 0.1 / height } else { set key at screen 0.77, screen 0.02 }
    set title '(b) The price of a read that is safe'
    set ylabel 'Post to read, median (us)'
    set yrange [0:20]
    set label 1 'one round trip' at 4.5, 11.8 center font small
    array line[5] = [1, 5, 3, 2, 4]
    plot for [n = 1:5] data skip 1 using (at(safe[n], n)):5 with linespoints ls line[n] title safe_is[n]
    unset label 1
    set bmargin
    unset multiplot
    unset output
}
