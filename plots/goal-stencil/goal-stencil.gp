# Made by: iwarpsim plot goal-stencil --x topology.delay --y completion_us --by channel.loss --size page --logx false --logy false
# points: median of 40 runs; bars: 95 % interval of the median (order statistics); without a bar: deterministic
# Again, in this folder: gnuplot -d goal-stencil.gp
if (!exists("name")) name = "goal-stencil"
data = name . '.tsv'
set datafile separator tab
set border 3 lw 0.8
set tics nomirror out scale 0.6,0.3
set grid lc rgb '#dddddd' lw 0.5 dt 1
unset key
set lmargin at screen 0.1300; set rmargin at screen 0.7602
set xrange [0.56:12.44]
set xtics ("" 1, "" 2, "" 3, "" 4, "" 6, "" 8, "" 12)
of(series, number, value) = number == series ? value : NaN
at(x) = x
set style line 1 lc rgb '#000000' dt 1 pt 6 lw 1.6 ps 1.3
set style line 2 lc rgb '#D55E00' dt 2 pt 5 lw 1.6 ps 0.8
set style line 3 lc rgb '#0072B2' dt 4 pt 9 lw 1.6 ps 0.8
if (!exists("kinds")) kinds = 'svg png pdf'
do for [kind in kinds] {
    if (kind eq 'svg') { set terminal svg noenhanced size 672,403 font 'sans,14' background rgb 'white' }
    if (kind eq 'png') { set terminal pngcairo noenhanced size 1400,840 font 'sans,11' fontscale 2.08 linewidth 2 pointscale 2 }
    if (kind eq 'pdf') { set terminal pdfcairo noenhanced size 7.00in,4.20in font 'sans,11' fontscale 0.75 }
    small = kind eq 'svg' ? ',11' : ',8'
    set output name . '.' . kind
    unset label; unset arrow
    set tmargin at screen 0.8781; set bmargin at screen 0.1346
    set label "A stencil that calculates while its borders travel" at screen 0.5000, screen 0.9591 center
    set label "median of 40 runs; bars: 95 % interval of the median (order statistics); without a bar: deterministic" at screen 0.5000, screen 0.9182 center font small
    set label "Loss probability" at screen 0.8899, screen 0.5746 center
    set arrow from screen 0.8038, screen 0.5291 to screen 0.8584, screen 0.5291 nohead ls 1
    set label "" at screen 0.8311, screen 0.5291 point ls 1
    set label "0" at screen 0.8715, screen 0.5291 left
    set arrow from screen 0.8038, screen 0.4836 to screen 0.8584, screen 0.4836 nohead ls 2
    set label "" at screen 0.8311, screen 0.4836 point ls 2
    set label "0.003" at screen 0.8715, screen 0.4836 left
    set arrow from screen 0.8038, screen 0.4382 to screen 0.8584, screen 0.4382 nohead ls 3
    set label "" at screen 0.8311, screen 0.4382 point ls 3
    set label "0.01" at screen 0.8715, screen 0.4382 left
    set label "Completion time (us)" at screen 0.0246, screen 0.5064 center rotate by 90
    set yrange [0:500]; floor = 0
    set ytics ("0" 0, "100" 100, "200" 200, "300" 300, "400" 400, "500" 500)
    set label "1" at screen 0.1534, screen 0.0864 center
    set label "2" at screen 0.2064, screen 0.0864 center
    set label "3" at screen 0.2595, screen 0.0864 center
    set label "4" at screen 0.3125, screen 0.0864 center
    set label "6" at screen 0.4186, screen 0.0864 center
    set label "8" at screen 0.5247, screen 0.0864 center
    set label "12" at screen 0.7368, screen 0.0864 center
    set label "Link delay (us)" at screen 0.4451, screen 0.0409 center
    plot data skip 1 using (at($3)):(of(1, $1, $4)) with linespoints ls 1, \
         data skip 1 using (at($3)):(of(2, $1, $4)) with linespoints ls 2, \
         data skip 1 using (at($3)):(of(2, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 2 dt 1, \
         data skip 1 using (at($3)):(of(3, $1, $4)) with linespoints ls 3, \
         data skip 1 using (at($3)):(of(3, $1, $5)):(0):($6 - $5) with vectors heads fixed size screen 0.005,90 ls 3 dt 1
}
unset output
