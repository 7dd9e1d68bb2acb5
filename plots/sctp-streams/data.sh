# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/sctp-streams.tsv: what the messages of each point wait for.
set -eu; export LC_ALL=C
"$1" run scenarios/sctp-streams.yaml --messages --out "$2/run" >/dev/null 2>&1
python3 validation/bench/delays.py --tsv "$2/run" | sed '1s/^/connections\t/; 2,$s,/[0-9]*/,\t,' >"$2/sctp-streams.tsv"
rm -r "$2/run"
