# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/loss-congestion.tsv.
set -eu; export LC_ALL=C
"$1" run scenarios/loss-congestion.yaml --out "$2/run" >/dev/null 2>&1
python3 plots/columns.py "$2/run" rnic.receive llp.congestion channel.loss steady_gbps latency_p99_us drops_channel retransmits \
    timeouts held_peak_bytes >"$2/loss-congestion.tsv"
