# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/incast-windows.tsv.
set -eu; export LC_ALL=C
"$1" run scenarios/incast-windows.yaml --out "$2/run" >/dev/null 2>&1
python3 plots/columns.py "$2/run" rnic.pcie.credits rnic.window.policy topology.hosts steady_gbps drops_staging drops_switch \
    latency_p99_us staging_peak_bytes timeouts >"$2/incast-windows.tsv"
