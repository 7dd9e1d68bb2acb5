# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/sizing.tsv.
# Rows: what (window, track), depth of reordering, the smallest that carries 95 % of the line (octets, bits), and as packets: of FPDUs of 4056 octets.
set -eu; export LC_ALL=C
"$1" size scenarios/sizing.yaml --find rnic.window.bytes --until 'steady_gbps >= 0.95*line' --within 1 --out "$2/window.tsv" >/dev/null 2>&1
"$1" size scenarios/sizing-track.yaml --find llp.track --until 'steady_gbps >= 0.95*line' --within 1 --out "$2/track.tsv" >/dev/null 2>&1
run() { # DEPTH-swept runs of a scenario with each layout: layout, depth, octets
    "$1" run "$2" --set "llp.tracking=[$4]" --set workload.count=600 $5 --out "$3" >/dev/null 2>&1
    python3 plots/columns.py "$3" llp.tracking channel.reorder.displacement nic_state_bytes | tail -n +2
}
run "$1" scenarios/sizing.yaml "$2/tcp" 'list, ranges, bitmap' '' | sed 's/^/tcp-/' >"$2/layouts.tsv"
run "$1" scenarios/sizing.yaml "$2/held" 'list' '--set rnic.receive=hold' | sed 's/^/held-/' >>"$2/layouts.tsv"
run "$1" scenarios/sizing-track.yaml "$2/rud" 'list, ranges, bitmap' '' | sed 's/^/rud-/' >>"$2/layouts.tsv"
"$1" size scenarios/sizing-track.yaml --set llp.tracking=ranges --find llp.track_ranges --until 'steady_gbps >= 0.95*line' --within 1 --out "$2/ranges.tsv" >/dev/null 2>&1
{
    printf 'what\tdepth\tsmallest\tpackets\n'
    awk -F'\t' -v OFS='\t' 'NR > 1 {print "window", $2, $3, $3 / 4056}' "$2/window.tsv"
    awk -F'\t' -v OFS='\t' 'NR > 1 {print "track", $2, $3, $3}' "$2/track.tsv"
    awk -F'\t' -v OFS='\t' 'NR > 1 {print "ranges", $2, $3, $3}' "$2/ranges.tsv"
    awk -F'\t' -v OFS='\t' '{print $1, $2, $3, ""}' "$2/layouts.tsv"
} >"$2/sizing.tsv"
