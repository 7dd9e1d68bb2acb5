# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/loss.tsv: goodput of each path and loss, and the share of it that is lost against no loss.
set -eu; export LC_ALL=C
"$1" run scenarios/loss.yaml --out "$2/run" >/dev/null 2>&1
python3 plots/columns.py "$2/run" channel.loss rnic.receive steady_gbps drops_channel retransmits timeouts |
    awk -F '\t' -v OFS='\t' '
        NR == 1 { print $0, "lost", "lost_low", "lost_high"; next }
        $1 == 0 { clean[$2] = $3 }
        { print $0, 1 - $3 / clean[$2], 1 - $5 / clean[$2], 1 - $4 / clean[$2] }' >"$2/loss.tsv"
