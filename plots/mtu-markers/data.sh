# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/mtu-markers.tsv: goodput, and the share of the line that it is short of.
set -eu; export LC_ALL=C
"$1" run scenarios/mtu-markers.yaml --out "$2/run" >/dev/null 2>&1
python3 plots/columns.py "$2/run" topology.mtu llp.markers steady_gbps |
    awk -F '\t' -v OFS='\t' 'NR == 1 { print $0, "taken"; next } { print $0, 1 - $3 / 100 }' >"$2/mtu-markers.tsv"
