# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/crc.tsv: the share of streams that delivered every message, with its 95 % interval (Wilson 1927).
set -eu; export LC_ALL=C
"$1" run scenarios/crc.yaml --out "$2/run" >/dev/null 2>&1 || [ $? = 3 ] # 3: streams that ended
awk -F ',' -v OFS='\t' '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    {
        key = $column["llp.crc_error"] OFS $column["channel.corrupt"]
        if (!n[key]++) order[++points] = key
        whole[key] += $column["messages"] == $column["messages_posted"] && $column["status"] == "ok"
        again[key] += $column["retransmits"]; wrong[key] += $column["crc_errors"]; segments[key] += $column["segments"]
    }
    END {
        print "crc_error", "corrupt", "share_whole", "low", "high", "runs", "crc_errors", "retransmits"
        for (i = 1; i <= points; i++) {
            k = order[i]; p = whole[k] / n[k]; z = 1.96; q = 1 + z * z / n[k]
            middle = (p + z * z / (2 * n[k])) / q; half = z * sqrt(p * (1 - p) / n[k] + z * z / (4 * n[k] * n[k])) / q
            low = middle - half; high = middle + half
            print k, sprintf("%.4f", p), sprintf("%.4f", low < 0 ? 0 : low), sprintf("%.4f", high > 1 ? 1 : high), n[k], wrong[k], again[k]
        }
    }' "$2/run/results.csv" >"$2/crc.tsv"
