# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/receiver-memory.tsv.
# Rows: what (incast, stall), transport (a window policy of TCP, or a packet transport), senders or the stall in us, and what came of it.
set -eu; export LC_ALL=C
columns="steady_gbps drops_staging latency_p99_us staging_peak_bytes retransmits timeouts drops_switch"
for scenario in incast-windows staging-stall receiver-memory receiver-memory-stall; do
    "$1" run "scenarios/$scenario.yaml" --out "$2/$scenario" >/dev/null 2>&1
done
python3 plots/columns.py "$2/incast-windows" rnic.pcie.credits rnic.window.policy topology.hosts $columns |
    awk -F'\t' -v OFS='\t' 'NR == 1 || $1 == 20 {$1 = NR == 1 ? "what" : "incast"; print}' >"$2/windows.tsv"
python3 plots/columns.py "$2/receiver-memory" llp.recovery topology.hosts $columns | sed 's/^/incast\t/' >"$2/packet.tsv"
# One repeat: the value stands for its range, too.
for scenario in staging-stall:rnic.window.policy receiver-memory-stall:llp.recovery; do
    python3 plots/columns.py "$2/${scenario%:*}" "${scenario#*:}" rnic.stall.for $columns | tail -n +2 |
        awk -F'\t' -v OFS='\t' '{line = "stall" OFS $1 OFS $2; for (i = 3; i <= NF; i++) line = line OFS $i OFS $i OFS $i; print line}'
done >"$2/stall.tsv"
{ sed 's/rnic.window.policy/transport/; s/topology.hosts/x/' "$2/windows.tsv"; tail -n +2 "$2/packet.tsv"; cat "$2/stall.tsv"; } >"$2/receiver-memory.tsv"
