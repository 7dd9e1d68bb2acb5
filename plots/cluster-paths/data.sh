# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/cluster-paths.tsv: goodput of a host, and the most NIC memory that an adapter held, where each
# host Writes to the next one (`next`), and where each Writes to all others (`all`; beyond 32 hosts SimGrid's shared links take hours).
set -eu; export LC_ALL=C
iwarpsim=$1 out=$2
"$iwarpsim" run scenarios/cluster-paths.yaml --out "$out/next" >/dev/null
for hosts in 4 8 16 32; do
    "$iwarpsim" run scenarios/cluster-paths.yaml --set workload.kind=shuffle --set workload.count=8 --set workload.depth=2 \
        --set "topology.hosts=$hosts" --out "$out/all-$hosts" >/dev/null
done
printf 'pattern\tpath\thosts\tgbps\theld_bytes\n' >"$out/cluster-paths.tsv"
take() { # PATTERN FOLDER HOSTS (or empty: a column of the folder)
    python3 plots/columns.py "$2" ${3:-topology.hosts} rnic.receive goodput_gbps held_peak_bytes |
        awk -F '\t' -v OFS='\t' -v pattern="$1" 'NR > 1 { print pattern, $2, $1, sprintf("%.4f", $3 / $1), $4 }' >>"$out/cluster-paths.tsv"
}
take next "$out/next"
for hosts in 4 8 16 32; do take all "$out/all-$hosts" "topology.hosts=$hosts"; done
