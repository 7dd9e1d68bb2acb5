# Made by: iwarpsim plot cluster-storage --x topology.hosts --y latency_p99_us --by workload.size --size page --logx true --logy true
# points: one run a point
# Again, in this folder: gnuplot -d cluster-storage.gp
if (!exists("name")) name = "cluster-storage"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1578; set rmargin at screen 0.7777
set logscale x
set xrange [9.56522:1151.15]
set xtics ("" 11, "" 33, "" 101, "" 333, "" 1001)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
if (!exists("kinds")) kinds = 'svg png pdf'
do for [kind in kinds] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,403 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,4.20in font 'sans,11' fontscale 0.75 }
    small = kind eq 'svg' ? ',11' : ',8'
    set output name . '.' . kind
    unset label; unset arrow
    set tmargin at screen 0.8781; set bmargin at screen 0.1346
    set label "Blocks from one server, 10 to 1,000 clients" at screen 0.5000, screen 0.9591 center
    set label "one run a point; latency_p99_us of world simgrid is an estimate" at screen 0.5000, screen 0.9182 center font small
    set label "Message size" at screen 0.8939, screen 0.5518 center
    set arrow from screen 0.8214, screen 0.5064 to screen 0.8760, screen 0.5064 nohead ls 1
    set label "" at screen 0.8487, screen 0.5064 point ls 1
    set label "4KiB" at screen 0.8891, screen 0.5064 left
    set arrow from screen 0.8214, screen 0.4609 to screen 0.8760, screen 0.4609 nohead ls 2
    set label "" at screen 0.8487, screen 0.4609 point ls 2
    set label "64KiB" at screen 0.8891, screen 0.4609 left
    set label "99th percentile of latency (us)" at screen 0.0246, screen 0.5064 center rotate by 90
    set logscale y; set yrange [14.09209:14131.789935]; floor = 14.09209
    set ytics ("" 20 1, "" 30 1, "" 40 1, "" 50 1, "" 60 1, "" 70 1, "" 80 1, "" 90 1, "100" 100, "" 200 1, "" 300 1, "" 400 1, "" 500 1, "" 600 1, "" 700 1, "" 800 1, "" 900 1, "1000" 1000, "" 2000 1, "" 3000 1, "" 4000 1, "" 5000 1, "" 6000 1, "" 7000 1, "" 8000 1, "" 9000 1, "10000" 10000)
    set label "11" at screen 0.1759, screen 0.0864 center
    set label "33" at screen 0.3181, screen 0.0864 center
    set label "101" at screen 0.4628, screen 0.0864 center
    set label "333" at screen 0.6172, screen 0.0864 center
    set label "1001" at screen 0.7597, screen 0.0864 center
    set label "Hosts" at screen 0.4678, screen 0.0409 center
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2
}
unset output
