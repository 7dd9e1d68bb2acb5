# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/many-connections.tsv. `cache`: one Send outstanding on each connection; `peak`: how many buffers of a queue that
# is never empty, as many as 10,000 connections of 16 would have, messages had at a time; `ended`: how many of 1,000 streams found a smaller one empty.
set -eu; export LC_ALL=C
iwarpsim=$1 out=$2
run() { # NAME SETTING...
    name=$1
    shift
    "$iwarpsim" run scenarios/many-connections.yaml "$@" --out "$out/$name" >/dev/null 2>&1 || [ $? = 3 ] # 3: streams that ended
}
table() { # NAME COLUMN...: also of runs whose streams ended
    name=$1
    shift
    awk -F ',' -v OFS='\t' -v what="$name" -v columns="$*" '
        NR == 1 { n = split(columns, c, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
        { line = what; for (i = 1; i <= n; i++) line = line OFS $at[c[i]]; print line }' "$out/$name/results.csv"
}
pooled() { # NAME SETTING...
    run "$@" --set rnic.cache.misses=8 --set workload.size=8KiB --set workload.depth=16 --set workload.count=16 \
        --set workload.arrival=poisson --set workload.load=0.5 --set rnic.window.bytes=256KiB
}
both() { # WHAT SETTING...
    what=$1
    shift
    pooled "peak-$what" --set rnic.srq=160000 --set 'workload.connections=[1, 4, 16, 64, 256, 1250]' "$@"
    pooled "ended-$what" --set workload.connections=125 --set 'rnic.srq=[1, 2, 3, 4, 6, 8, 12, 16, 24, 32]' "$@"
    table "peak-$what" workload.connections shared_peak_buffers terminates recv_buffer_bytes
    table "ended-$what" rnic.srq shared_peak_buffers terminates recv_buffer_bytes
}
run cache
{
    printf 'what\tx\trate_or_buffers\tp99_us_or_terminates\tmisses_or_octets\n'
    table cache workload.connections messages_per_s latency_p99_us rnic.cache.misses
    both clean
    both loss --set channel.loss=1e-3
    both late --set channel.reorder.probability=0.1 --set channel.reorder.delay=20us
} >"$out/many-connections.tsv"
