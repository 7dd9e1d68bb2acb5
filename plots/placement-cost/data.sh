# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/placement-cost.tsv.
# Rows: transport, receive path or recovery, and what came of it by reordering depth on one path; or, for a depth, `paths` (128 hosts, 100 messages
# each), `short` (128 hosts, 25) or `thousand` (1,024 hosts, 25). `place` and `rud` by layout: `ranges`, `bitmap`. Medians of six runs, three of
# 128 hosts and of layouts, with `_low` and `_high`; 1,024 hosts run once, and stand three times. `rud nscc` and `rud rccc`: sprayed, with that congestion
# control; `entropy reps` and `entropy bitmap`: RUD that chooses one of 128 paths so, with NSCC and RCCC.
set -eu; export LC_ALL=C
spread="--set topology.kind=file --set topology.routing=spray --set topology.buffer=2MiB
    --set channel.reorder.probability=0 --set channel.reorder.displacement=0 --set workload.kind=permutation --set workload.size=64KiB
    --set workload.depth=64 --set workload.arrival=poisson --set workload.load=0.5"
rud="--set llp.kind=packet --set llp.recovery=rud --set topology.ecn.kmin=16KiB --set topology.ecn.kmax=64KiB"
columns="steady_gbps nic_state_bytes latency_p50_us latency_p99_us retransmits timeouts"
mkdir "$2/hosts"
cp scenarios/placement-cost.yaml scenarios/placement-cost-packet.yaml "$2/hosts/"
python3 plots/placement-cost/spines.py 64 >"$2/hosts/thousand.yaml"

# run NAME FILE [--set ...]
run() {
    out="$2/$1" scenario=$3 program=$4
    shift 4
    "$program" run "$scenario" "$@" --out "$out" >/dev/null 2>&1
}
# table NAME WHAT COLUMN COLUMN: the rows of a run on many hosts
table() { python3 plots/columns.py "$1/$2" "$4" "$5" $columns | awk -v OFS='\t' -v what="$3" -v once="$(($(echo $columns | wc -w) + 2))" \
    '{ line = $1 OFS $2 OFS what; for (i = 3; i <= NF; i++) line = line OFS $i (NF == once ? OFS $i OFS $i : ""); print line }' >"$1/$2.tsv"; }

run mpa "$2" scenarios/placement-cost.yaml "$1"
run packet "$2" scenarios/placement-cost-packet.yaml "$1"
python3 plots/columns.py "$2/mpa" rnic.receive llp.loss_detection channel.reorder.displacement $columns >"$2/mpa.tsv"
python3 plots/columns.py "$2/packet" llp.kind llp.recovery channel.reorder.displacement $columns >"$2/packet.tsv"
run layouts "$2" scenarios/placement-cost.yaml "$1" --set rnic.receive=place --set llp.loss_detection=rack --set 'llp.tracking=[ranges, bitmap]' --set repeat=3
python3 plots/columns.py "$2/layouts" rnic.receive=place llp.tracking channel.reorder.displacement $columns >"$2/layouts.tsv"
run rud-bits "$2" scenarios/placement-cost-packet.yaml "$1" --set llp.kind=packet --set llp.recovery=rud --set llp.tracking=bitmap --set repeat=3
python3 plots/columns.py "$2/rud-bits" llp.recovery=rud llp.tracking=bitmap channel.reorder.displacement $columns >"$2/rud-bits.tsv"
run control "$2" scenarios/placement-cost-packet.yaml "$1" $rud --set 'llp.congestion=[nscc, rccc]'
python3 plots/columns.py "$2/control" llp.recovery=rud llp.congestion channel.reorder.displacement $columns >"$2/control.tsv"
for hosts in "paths sixteen-spines 100 3" "short sixteen-spines 25 3" "thousand thousand 25 1"; do
    set -- "$1" "$2" $hosts
    what=$3 sets="--set topology.file=$4.yaml --set workload.count=$5 --set repeat=$6"
    run "mpa-$what" "$2" "$2/hosts/placement-cost.yaml" "$1" $spread $sets
    run "packet-$what" "$2" "$2/hosts/placement-cost-packet.yaml" "$1" $spread $sets
    run "control-$what" "$2" "$2/hosts/placement-cost-packet.yaml" "$1" $spread $sets $rud --set 'llp.congestion=[nscc, rccc]'
    for choice in "reps nscc" "bitmap rccc"; do
        run "${choice% *}-$what" "$2" "$2/hosts/placement-cost-packet.yaml" "$1" $spread $sets $rud --set llp.congestion="${choice#* }" \
            --set topology.routing=entropy --set llp.paths=128 --set llp.path_choice="${choice% *}"
        table "$2" "${choice% *}-$what" "$what" topology.routing=entropy "llp.path_choice=${choice% *}"
    done
    table "$2" "control-$what" "$what" llp.recovery=rud llp.congestion
    table "$2" "mpa-$what" "$what" rnic.receive llp.loss_detection
    table "$2" "packet-$what" "$what" llp.kind llp.recovery
done
head -1 "$2/mpa.tsv" | sed 's/^[^\t]*\t[^\t]*/transport\trecovery/' >"$2/placement-cost.tsv"
for f in mpa packet layouts rud-bits control mpa-paths packet-paths mpa-short packet-short mpa-thousand packet-thousand \
    control-paths reps-paths bitmap-paths control-short reps-short bitmap-short control-thousand reps-thousand bitmap-thousand; do
    tail -n +2 "$2/$f.tsv" >>"$2/placement-cost.tsv"
done
