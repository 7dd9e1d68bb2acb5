# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/reordering-paths.tsv.
set -eu; export LC_ALL=C
"$1" run scenarios/reordering-paths.yaml --out "$2/run" >/dev/null 2>&1
python3 plots/columns.py "$2/run" rnic.receive llp.loss_detection llp.congestion channel.reorder.displacement steady_gbps \
    held_peak_bytes latency_p99_us retransmits timeouts >"$2/reordering-paths.tsv"
