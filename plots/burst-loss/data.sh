# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/burst-loss.tsv: goodput lost against none, by the mean length of a burst, 1 / channel.burst.r.
set -eu; export LC_ALL=C
"$1" run scenarios/burst-loss.yaml --out "$2/run" >/dev/null 2>&1
"$1" run scenarios/burst-loss.yaml --set channel.burst.p=0 --set channel.burst.r=0 --set channel.burst.loss_bad=0 --set repeat=1 --set rnic.receive=place \
    --out "$2/clean" >/dev/null 2>&1
clean=$(python3 plots/columns.py "$2/clean" steady_gbps | tail -n 1)
python3 plots/columns.py "$2/run" channel.burst.r rnic.receive steady_gbps drops_channel retransmits timeouts |
    awk -F '\t' -v OFS='\t' -v clean="$clean" '
        NR == 1 { print $0, "packets", "lost", "lost_low", "lost_high"; next }
        { print $0, 1 / $1, 1 - $3 / clean, 1 - $5 / clean, 1 - $4 / clean }' >"$2/burst-loss.tsv"
