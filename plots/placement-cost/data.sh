# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/placement-cost.tsv.
# Rows: panel (link, paths), transport, receive path or recovery, loss detection, reordering depth, and what came of it.
set -eu
paths="--set topology.kind=file --set topology.file=sixteen-spines.yaml --set topology.routing=spray --set topology.buffer=2MiB
    --set channel.reorder.probability=0 --set channel.reorder.displacement=0 --set workload.kind=permutation --set workload.size=64KiB
    --set workload.count=100 --set workload.depth=64 --set workload.arrival=poisson --set workload.load=0.5"
columns="steady_gbps nic_state_bytes latency_p50_us latency_p99_us retransmits timeouts"
"$1" run scenarios/placement-cost.yaml --out "$2/mpa" >/dev/null 2>&1
"$1" run scenarios/placement-cost-packet.yaml --out "$2/packet" >/dev/null 2>&1
"$1" run scenarios/placement-cost.yaml $paths --out "$2/mpa-paths" >/dev/null 2>&1
"$1" run scenarios/placement-cost-packet.yaml $paths --out "$2/packet-paths" >/dev/null 2>&1
python3 plots/columns.py "$2/mpa" rnic.receive llp.loss_detection channel.reorder.displacement $columns >"$2/mpa.tsv"
python3 plots/columns.py "$2/packet" llp.kind llp.recovery channel.reorder.displacement $columns >"$2/packet.tsv"
python3 plots/columns.py "$2/mpa-paths" rnic.receive llp.loss_detection $columns | awk -v OFS='\t' '{$2 = $2 OFS "paths"} 1' >"$2/mpa-paths.tsv"
python3 plots/columns.py "$2/packet-paths" llp.kind llp.recovery $columns | awk -v OFS='\t' '{$2 = $2 OFS "paths"} 1' >"$2/packet-paths.tsv"
head -1 "$2/mpa.tsv" | sed 's/^[^\t]*\t[^\t]*/transport\trecovery/' >"$2/placement-cost.tsv"
for f in mpa packet mpa-paths packet-paths; do
    tail -n +2 "$2/$f.tsv" | awk -F'\t' '!(($1 == "sctp" && $2 != "irn") || ($1 == "discard" && $2 != "rack"))' >>"$2/placement-cost.tsv"
done
