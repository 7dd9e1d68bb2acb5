# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/context-caches.tsv. Connections, then STags of one connection.
set -eu; export LC_ALL=C
iwarpsim=$1 out=$2
"$iwarpsim" run scenarios/context-caches.yaml --out "$out/connections" >/dev/null 2>&1
"$iwarpsim" run scenarios/context-caches.yaml --set workload.connections=1 --set workload.depth=64 \
    --set workload.count=40000 --set llp.send_buffer=4MiB --set rnic.window.bytes=1MiB --set llp.congestion=cubic \
    --set 'workload.stags=[2048, 4096, 7680, 8192, 8320, 8704, 12288]' --out "$out/stags" >/dev/null 2>&1
{
    python3 plots/columns.py "$out/connections" what=connections workload.size rnic.cache.misses workload.connections steady_gbps latency_p50_us
    python3 plots/columns.py "$out/stags" what=stags workload.size rnic.cache.misses workload.stags steady_gbps latency_p50_us | tail -n +2
} >"$out/context-caches.tsv"
