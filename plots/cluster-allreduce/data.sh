# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/cluster-allreduce.tsv: the time of an allreduce from its first post to its last placement;
# `whole`: all 2(N-1) steps were run; `steps`: 8 of them, and as the steps are alike the time is that of all.
set -eu; export LC_ALL=C
iwarpsim=$1 out=$2

# take SERIES SIZE HOSTS FOLDER: the time that all octets take at the goodput of the run
take() {
    awk -F, -v OFS='\t' -v series="$1" -v size="$2" -v n="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
        NR > 1 {
            octets = size == "1GiB" ? 1073741824 : 16777216
            part = int((octets + n - 1) / n)
            print series, size, n, sprintf("%.6f", n * 2 * (n - 1) * part * 8 / $column["goodput_gbps"] / 1e6)
        }' "$4/results.csv" >>"$out/cluster-allreduce.tsv"
}

run() { # SERIES SIZE HOSTS --set ...
    series=$1 size=$2 hosts=$3
    shift 3
    "$iwarpsim" run scenarios/cluster-allreduce.yaml --set "topology.hosts=$hosts" --set "workload.size=$size" "$@" --out "$out/$series-$size-$hosts" >/dev/null
    take "$series" "$size" "$hosts" "$out/$series-$size-$hosts"
}

printf 'series\tsize\thosts\tms\n' >"$out/cluster-allreduce.tsv"
for hosts in 16 64 256 1024; do run whole 16MiB $hosts; done
for size in 16MiB 1GiB; do
    for hosts in 16 64 256 1024 4096 16384 65536; do run steps $size $hosts --set workload.steps=8; done
done
