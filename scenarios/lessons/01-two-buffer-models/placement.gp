# Made by: iwarpsim explain FILE --pictures DIR
# Again, in this folder: gnuplot -d placement.gp
if (!exists("name")) name = "placement"
set border 3 lw 0.8
set tics nomirror out
set grid lc rgb '#dddddd' lw 0.5 dt 1
set key outside below horizontal samplen 3
set xlabel 'Time (us)'
set title "Where octets are, and when they may be used" . "\n{/*0.8 " . "Two buffer models" . "}"
set ylabel 'Octet of the receiver''s buffers'
set format y '%.0f'
$segments << EOD
32.170044 32.844811 0 1440 0
32.835670 32.844811 1440 2880 0
32.844811 32.844811 2880 3000 0
34.804990 34.804990 3000 4436 0
34.804990 34.804990 4436 5000 0
35.114228 35.114228 5000 5500 0
EOD
$lost << EOD
nan nan
EOD
$twice << EOD
nan nan
EOD
$delivered << EOD
0 0
32.844811 3000
34.804990 5000
35.114228 5500
35.114228 5500
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
