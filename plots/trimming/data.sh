# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/trimming.tsv.
set -eu; export LC_ALL=C
"$1" run scenarios/trimming.yaml --out "$2/runs" >/dev/null 2>&1
python3 plots/columns.py "$2/runs" case topology.hosts goodput_gbps latency_p99_us timeouts trims >"$2/trimming.tsv"
