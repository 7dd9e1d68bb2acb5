# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/latency-stages.tsv: for each adapter and operation the model's own stages, added up where a
# Read has them twice, and the latency that the run then had.
set -eu; export LC_ALL=C
iwarpsim=$1 out=$2
"$iwarpsim" run scenarios/latency-stages.yaml --out "$out/run" >/dev/null
"$iwarpsim" stages scenarios/latency-stages.yaml >"$out/stages.tsv"
python3 plots/columns.py "$out/run" rnic.preset workload.op latency_p50_us >"$out/latency.tsv"
awk -F '\t' -v OFS='\t' '
    BEGIN { n = split("post fetch read send line arrive place syscall copy complete notify repost sum", name, " ") }
    FNR == 1 { next }
    NR != FNR { run[$1 "/" $2] = $3; next }
    { us[$1, $3] += $5; if (!seen[$1]++) order[++points] = $1 }
    END {
        printf "adapter\top"
        for (i = 1; i <= n; i++) printf "\t%s", name[i]
        print "", "run"
        for (p = 1; p <= points; p++) {
            split(order[p], words, "/")
            printf "%s\t%s", words[1], words[2]
            for (i = 1; i <= n; i++) printf "\t%.6f", us[order[p], name[i]]
            print "", run[order[p]]
        }
    }' "$out/stages.tsv" "$out/latency.tsv" >"$out/latency-stages.tsv"
