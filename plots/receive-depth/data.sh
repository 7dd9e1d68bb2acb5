# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/receive-depth.tsv: the share of runs that a Terminate ended, with its 95 % interval (Wilson 1927).
set -eu; export LC_ALL=C
iwarpsim=$1 out=$2
run() {
    what=$1
    shift
    "$iwarpsim" run scenarios/receive-depth.yaml "$@" --out "$out/run-$what" >/dev/null 2>&1 || [ $? = 3 ] # 3: streams that ended
    awk -F ',' -v OFS='\t' -v what="$what" '
        NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "workload.recv_depth") depth = i; if ($i == "terminates") column = i } next }
        { if (!n[$depth]++) order[++points] = $depth; bad[$depth] += $column > 0 }
        END {
            for (i = 1; i <= points; i++) {
                d = order[i]; p = bad[d] / n[d]; z = 1.96; q = 1 + z * z / n[d]
                middle = (p + z * z / (2 * n[d])) / q; half = z * sqrt(p * (1 - p) / n[d] + z * z / (4 * n[d] * n[d])) / q
                low = middle - half; high = middle + half
                printf "%s\t%s\t%.4f\t%.4f\t%.4f\t%d\n", what, d, p, (low < 0 ? 0 : low), (high > 1 ? 1 : high), n[d]
            }
        }' "$out/run-$what/results.csv"
}
{
    printf 'what\trecv_depth\tshare_terminated\tlow\thigh\truns\n'
    run clean
    run interrupt --set rnic.completion.mode=interrupt
    run loss --set channel.loss=1e-3
    run reordering --set channel.reorder.probability=0.1 --set channel.reorder.displacement=20 --set llp.loss_detection=dupack --set llp.dupack_threshold=300
} >"$out/receive-depth.tsv"
