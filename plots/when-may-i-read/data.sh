# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/when-may-i-read.tsv: one hashed path, then 2 to 64 sprayed ones, then sixteen of which one is slow.
set -eu; export LC_ALL=C
columns="workload.notify reads_early early_hole_p50_us notify_p50_us notify_p99_us fence_us"
mkdir "$2/hosts"
cp scenarios/when-may-i-read.yaml "$2/hosts/"
"$1" run scenarios/when-may-i-read.yaml --out "$2/slow" >/dev/null 2>&1
python3 plots/columns.py "$2/slow" topology.routing $columns >"$2/slow.tsv"
for paths in 2 4 8 16 32 64; do
    python3 plots/placement-cost/spines.py 8 $paths >"$2/hosts/spines.yaml"
    "$1" run "$2/hosts/when-may-i-read.yaml" --set topology.file=spines.yaml --set topology.routing=spray --out "$2/$paths" >/dev/null 2>&1
    python3 plots/columns.py "$2/$paths" "paths=$paths" $columns | tail -n +2 >"$2/$paths.tsv"
done
{
    head -1 "$2/slow.tsv" | sed 's/^[^\t]*/paths/'
    sed -n 's/^flow_hash/hashed/p' "$2/slow.tsv"
    for paths in 2 4 8 16 32 64; do cat "$2/$paths.tsv"; done
    sed -n 's/^spray/slow/p' "$2/slow.tsv"
} >"$2/when-may-i-read.tsv"
