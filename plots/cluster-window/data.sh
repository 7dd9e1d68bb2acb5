# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/cluster-window.tsv: goodput by window and senders (`goodput`), and the most octets that the receiver
# had promised all its connections together, where the window stays (`stays`) and where bdp finds it (`bdp`).
set -eu; export LC_ALL=C
iwarpsim=$1 out=$2
"$iwarpsim" run scenarios/cluster-window.yaml --out "$out/goodput" >/dev/null
printf 'series\tsenders\twindow\tgbps\tpromised\n' >"$out/cluster-window.tsv"
take() { # SERIES FOLDER COLUMNS
    series=$1
    shift
    python3 plots/columns.py "$@" steady_gbps window_max_bytes |
        awk -F '\t' -v OFS='\t' -v series="$series" 'NR > 1 { n = $1 - 1; print series, n, $2, $3, n * $4 }' >>"$out/cluster-window.tsv"
}
take goodput "$out/goodput" topology.hosts rnic.window.bytes
for hosts in 2 5 17 65 257 1025; do
    for policy in placed bdp; do
        "$iwarpsim" run scenarios/cluster-window.yaml --set "rnic.window.policy=$policy" --set rnic.window.bytes=1MiB --set workload.count=64 \
            --set "topology.hosts=$hosts" --out "$out/$policy-$hosts" >/dev/null
        case $policy in placed) series=stays ;; *) series=bdp ;; esac
        take $series "$out/$policy-$hosts" "topology.hosts=$hosts" rnic.window.bytes=1048576
    done
done
