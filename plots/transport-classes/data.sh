# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/transport-classes.tsv: how long messages took that came, how many never came, how many were sent again.
set -eu; export LC_ALL=C
"$1" run scenarios/transport-classes.yaml --out "$2/run" >/dev/null 2>&1
python3 plots/columns.py "$2/run" workload.class channel.loss latency_p50_us latency_p99_us drops_channel retransmits messages_posted messages |
    awk -F '\t' -v OFS='\t' 'NR == 1 { print $0, "missing", "missing_low", "missing_high"; next } { print $0, 1 - $18 / $15, 1 - $20 / $15, 1 - $19 / $15 }' >"$2/transport-classes.tsv"
