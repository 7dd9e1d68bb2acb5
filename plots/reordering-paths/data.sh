# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/reordering-paths.tsv: the scenario's own paths, then `hold` with enough memory, then `copy`,
# which buffers everything and so has only the policy `buffer`.
set -eu
iwarpsim=$1 out=$2
run() {
    path=$1 to=$out/$2
    shift 2
    "$iwarpsim" run scenarios/reordering-paths.yaml "$@" --out "$to" >/dev/null 2>&1
    python3 plots/columns.py "$to" "$path" llp.dupack_threshold channel.reorder.displacement steady_gbps held_peak_bytes \
        latency_p99_us ooo_state_peak_bytes latency_p50_us early_p99_us retransmits timeouts
}
{
    run rnic.receive own
    run path='hold, 1 MiB' hold --set rnic.receive=hold --set rnic.hold_bytes=1MiB | tail -n +2
    run path=copy copy --set rnic.receive=copy --set rnic.window.policy=buffer | tail -n +2
} >"$out/reordering-paths.tsv"
