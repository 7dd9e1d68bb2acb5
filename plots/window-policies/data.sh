# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/window-policies.tsv. Rows `run`: goodput at a window; rows `size`: the smallest window
# for 95 % of the line rate, with its closed form.
set -eu; export LC_ALL=C
iwarpsim=$1 out=$2
"$iwarpsim" run scenarios/window-policies.yaml --out "$out/run" >/dev/null 2>&1
size() {
    table=$1
    shift
    "$iwarpsim" size scenarios/window-policies.yaml --find rnic.window.bytes --until 'steady_gbps >= 0.95*line' \
        --within 1 --set workload.consume_rate=unlimited "$@" --out "$table" >/dev/null
}
size "$out/size.tsv"
{
    printf 'what\tpolicy\tconsume_gbps\tdelay_us\twindow\tsteady_gbps\tclosed_form\n'
    python3 plots/columns.py "$out/run" what=run rnic.window.policy workload.consume_rate topology.delay \
        rnic.window.bytes steady_gbps closed=NaN | tail -n +2
    awk -F '\t' 'FNR > 1 { print "size\t" $2 "\t0\t" $3 "\t" $4 "\tNaN\t" $5 }' OFS='\t' "$out/size.tsv"
} >"$out/window-policies.tsv"
