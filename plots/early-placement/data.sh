# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/early-placement.tsv: for each point the share of segments that are in place longer than `us`
# before their delivery, bin by bin of dist/early.csv.
set -eu; export LC_ALL=C
iwarpsim=$1 out=$2
"$iwarpsim" run scenarios/early-placement.yaml --out "$out/reordering" >/dev/null 2>&1
"$iwarpsim" run scenarios/early-placement.yaml --set channel.reorder.probability=0 --set channel.reorder.displacement=0 \
    --set llp.dupack_threshold=3 --set 'channel.loss=[1e-4, 1e-3, 1e-2]' --set workload.count=20000 --out "$out/loss" >/dev/null 2>&1
{
    printf 'what\tpoint\tus\tshare_longer\n'
    for what in reordering loss; do
        awk -F ',' -v OFS='\t' -v what=$what '
            FNR > 1 { all[$1] += $5; point[++n] = $1; to[n] = $4; count[n] = $5 }
            END { for (i = 1; i <= n; i++) { seen[point[i]] += count[i]; printf "%s\t%s\t%s\t%.8f\n", what, point[i], to[i], 1 - seen[point[i]] / all[point[i]] } }
        ' "$out/$what/dist/early.csv"
    done
} >"$out/early-placement.tsv"
