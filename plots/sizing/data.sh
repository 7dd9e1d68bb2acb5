# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/sizing.tsv.
# Rows: what (window, track), depth of reordering, the smallest that carries 95 % of the line (octets, bits), and as packets: of FPDUs of 4056 octets.
set -eu; export LC_ALL=C
"$1" size scenarios/sizing.yaml --find rnic.window.bytes --until 'steady_gbps >= 0.95*line' --within 1 --out "$2/window.tsv" >/dev/null 2>&1
"$1" size scenarios/sizing-track.yaml --find llp.track --until 'steady_gbps >= 0.95*line' --within 1 --out "$2/track.tsv" >/dev/null 2>&1
{
    printf 'what\tdepth\tsmallest\tpackets\n'
    awk -F'\t' -v OFS='\t' 'NR > 1 {print "window", $2, $3, $3 / 4056}' "$2/window.tsv"
    awk -F'\t' -v OFS='\t' 'NR > 1 {print "track", $2, $3, $3}' "$2/track.tsv"
} >"$2/sizing.tsv"
