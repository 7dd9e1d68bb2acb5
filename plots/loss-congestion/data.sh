# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/loss-congestion.tsv. Eight repeats of as many messages as it takes to lose 100 packets a point;
# `copy`, which buffers everything, has only the policy `buffer`.
set -eu
iwarpsim=$1 out=$2
run() {
    path=$1 to=$out/$2
    shift 2
    "$iwarpsim" run scenarios/loss-congestion.yaml "$@" --out "$to" >/dev/null 2>&1
    python3 plots/columns.py "$to" "$path" llp.congestion channel.loss steady_gbps goodput_gbps latency_p50_us latency_p99_us \
        latency_p999_us drops_channel retransmits timeouts segments | tail -n +"$first"
    rm -r "$to"
}
first=1
{
    for point in 1e-3:2000 1e-2:1000 1e-4:16000 1e-5:160000; do
        loss=${point%:*} count=${point#*:}
        for path in place hold discard; do
            run path=$path $path --set rnic.receive=$path --set "channel.loss=[$loss]" --set workload.count="$count"
            first=2
        done
        run path=copy copy --set rnic.receive=copy --set rnic.window.policy=buffer --set "channel.loss=[$loss]" --set workload.count="$count"
    done
} >"$out/loss-congestion.tsv"
