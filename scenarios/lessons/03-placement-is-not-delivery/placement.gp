# Made by: iwarpsim explain FILE --pictures DIR
# Again, in this folder: gnuplot -d placement.gp
if (!exists("name")) name = "placement"
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
set key outside below horizontal samplen 3
set xlabel 'Time (us)'
set title "Where octets are, and when they may be used" . "\n{/*0.8 " . "Placement is not delivery" . "}"
set ylabel 'Octet of the receiver''s buffers'
set format y '%.0f'
$segments << EOD
32.170044 49.281330 0 1440 0
32.835670 49.281330 1440 2880 0
49.281330 49.281330 2880 4320 2
35.296470 49.281330 4320 5760 1
36.526870 49.281330 5760 7200 1
37.757270 49.281330 7200 8640 1
39.061821 49.281330 8640 9000 1
39.918590 49.281330 9000 10436 1
39.918590 49.281330 10436 11000 1
40.702613 49.281330 11000 12000 1
EOD
$lost << EOD
33.273722 3600
nan nan
EOD
$twice << EOD
nan nan
EOD
$delivered << EOD
0 0
49.281330 9000
49.281330 11000
49.281330 12000
49.281330 12000
EOD
set style fill solid 1.0 noborder
set terminal svg size 720,460 font 'sans,14' background rgb 'white'
set output name . '.svg'
plot $segments using 1:3:1:2:3:4 with boxxyerror fs solid lc rgb '#cfe3f3' title 'in place, not yet usable', \
     $delivered using 1:2 with steps lw 2 lc rgb '#000000' title 'delivered up to here', \
     $segments using ($5 == 0 ? $1 : NaN):3:(0):($4 - $3) with vectors nohead lw 4 lc rgb '#009E73' title 'placed in order', \
     $segments using ($5 == 1 ? $1 : NaN):3:(0):($4 - $3) with vectors nohead lw 4 lc rgb '#0072B2' notitle, \
     $segments using ($5 == 1 ? $1 : NaN):(($3 + $4) / 2) with points pt 7 ps 1.1 lc rgb '#0072B2' title 'placed early', \
     $segments using ($5 == 2 ? $1 : NaN):3:(0):($4 - $3) with vectors nohead lw 4 lc rgb '#D55E00' notitle, \
     $segments using ($5 == 2 ? $1 : NaN):(($3 + $4) / 2) with points pt 9 ps 1.4 lc rgb '#D55E00' title 'retransmitted', \
     $lost using 1:2 with points pt 2 ps 1.2 lw 2 lc rgb '#D55E00' title 'lost', \
     $twice using 1:2 with points pt 4 ps 1.1 lw 2 lc rgb '#000000' title 'arrived twice'
set terminal pngcairo size 1440,920 font 'sans,11' fontscale 2 linewidth 2 pointscale 2
set output name . '.png'
replot
set output
