# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/staging-stall.tsv, its rows of five kinds:
#   stall  policy, stall us, -: goodput, staging peak          slow   policy, credits, -: goodput, staging peak
#   drop   policy, stall us, staging: goodput, drops           ccdf   -, stall us, staging: share of segments that found more
#   map    -, stall us, RTT us: smallest window, smallest staging then, closed form of each
set -eu; export LC_ALL=C
iwarpsim=$1 out=$2
scenario=scenarios/staging-stall.yaml
run() {
    to=$out/$1
    shift
    "$iwarpsim" run $scenario "$@" --out "$to" >/dev/null 2>&1
}
columns() {
    from=$out/$1
    shift
    python3 plots/columns.py "$from" "$@" | tail -n +2
}
run stall
run slow --set rnic.stall.for=0ps --set rnic.stall.every=0ps --set rnic.window.bytes=1MiB \
    --set 'rnic.window.policy=[placed, retire]' --set 'rnic.pcie.credits=[12, 14, 16, 18, 20, 22, 24, 26, 28, 32]'
run drop --set 'rnic.stall.for=[20us]' --set 'rnic.window.policy=[placed, retire]' \
    --set 'rnic.staging_bytes=[96KiB, 128KiB, 160KiB, 192KiB, 224KiB, 256KiB, 272KiB, 288KiB, 304KiB, 320KiB]'

# the smallest window for 95 % of the line, then the smallest staging without a drop with that window
size() { "$iwarpsim" size $scenario --set rnic.window.policy=placed --within 1 "$@" >/dev/null; }
size --find rnic.window.bytes --until 'steady_gbps >= 0.95*line' --out "$out/windows.tsv" \
    --set 'topology.delay=[500ns, 5us, 50us, 500us]' --set 'rnic.stall.for=[0ps, 1us, 10us, 100us]'
tail -n +2 "$out/windows.tsv" | while IFS='	' read -r _ stall delay window form _; do
    size --find rnic.staging_bytes --until 'drops_staging == 0' --out "$out/staging.tsv" --set "topology.delay=${delay}us" \
        --set "rnic.stall.for=${stall}us" --set "rnic.window.bytes=${window}B"
    tail -n 1 "$out/staging.tsv" | awk -v OFS='\t' -F '\t' -v d="$delay" -v s="$stall" -v w="$window" -v f="$form" \
        '{ print "map", "-", s, 2 * d, w, $2, f, $3 }'
done >"$out/map.tsv"
{
    printf 'what\tpolicy\tx\ty\tv1\tv2\tv3\tv4\n'
    columns stall what=stall rnic.window.policy rnic.stall.for y=- steady_gbps staging_peak_bytes v3=- v4=-
    columns slow what=slow rnic.window.policy rnic.pcie.credits y=- steady_gbps staging_peak_bytes v3=- v4=-
    columns drop what=drop rnic.window.policy rnic.stall.for rnic.staging_bytes steady_gbps drops_staging v3=- v4=-
    awk -F ',' -v OFS='\t' '
        FNR == 1 || $1 !~ /^placed\// { next }
        { split($1, label, "/"); stall = label[2]; sub("us", "", stall); all[stall] += $5; to[++n] = $4; of[n] = stall; count[n] = $5 }
        END { for (i = 1; i <= n; i++) { seen[of[i]] += count[i]; print "ccdf", "-", of[i], to[i], 1 - seen[of[i]] / all[of[i]], "-", "-", "-" } }
    ' "$out/stall/dist/staging.csv"
    cat "$out/map.tsv"
} >"$out/staging-stall.tsv"
