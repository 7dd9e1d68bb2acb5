# SPDX-License-Identifier: GPL-2.0-or-later
# In this folder: gnuplot greedy-tenant.gp
name = 'greedy-tenant'
width = 7
height = 4.2
column = 3.2
load '../style.gp'
data = name . '.tsv'
array cases[2] = ['trust', 'limits']
array titles[2] = ['trust, no limits', 'no trust, limits']
set yrange [5.6:-0.6]
set ytics ('none' 0, 'flood\_cq' 1, 'register\_without\_end' 2, 'guess\_stags' 3, 'terminate' 4, 'never\_post' 5)
set xrange [0:420]
set xtics 0, 100
set xlabel size eq 'page' ? 'Messages of the other tenant that came through, of 400' : "Messages of the other tenant\nthat came through, of 400"
set ylabel 'What one tenant does wrong'
set style fill solid 1.0 border -1
set key outside top center horizontal Left reverse samplen 1.5
if (in_column) { set key vertical maxrows 2 }
row(fault) = \
    (fault eq 'none' ? 0 : fault eq 'flood_cq' ? 1 : fault eq 'register_without_end' ? 2 : fault eq 'guess_stags' ? 3 : fault eq 'terminate' ? 4 : 5)
mine(i) = strcol(3) eq 'victim' && strcol(1) eq cases[i]
do for [kind in kinds] {
    eval begin(kind)
    plot for [i = 1:2] data skip 1 using (0):(mine(i) ? row(strcol(2)) : NaN):(0):(column(4)): \
        (row(strcol(2)) + (i == 1 ? -0.34 : 0.02)):(row(strcol(2)) + (i == 1 ? -0.02 : 0.34)) with boxxyerror lc rgb (i == 1 ? '#D55E00' : '#56B4E9') title titles[i], \
        for [i = 1:2] data skip 1 using (mine(i) ? column(4) + 3 : NaN):(row(strcol(2)) + (i == 1 ? -0.22 : 0.22)):4 with labels left font small notitle
    unset output
}
