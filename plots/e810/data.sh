# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/e810.tsv.
set -eu; export LC_ALL=C
"$1" run scenarios/e810.yaml --out "$2/run" >/dev/null 2>&1
python3 plots/columns.py "$2/run" workload.connections topology.mtu steady_gbps flow_min_gbps >"$2/e810.tsv"
