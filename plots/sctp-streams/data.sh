# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/sctp-streams.tsv. The same 80,000 messages on 1 to 16 connections; what each waits for.
set -eu
iwarpsim=$1 out=$2
for connections in 1 2 4 8 16; do
    "$iwarpsim" run scenarios/sctp-streams.yaml --messages --set workload.connections=$connections \
        --set workload.count=$((80000 / connections)) --out "$out/$connections" >/dev/null 2>&1
    python3 validation/bench/delays.py --tsv "$out/$connections" | sed "1s/^/connections\t/; 2,\$s/^/$connections\t/" >"$out/$connections.tsv"
done
{
    head -n 1 "$out/1.tsv"
    for connections in 1 2 4 8 16; do tail -n +2 "$out/$connections.tsv"; done
} >"$out/sctp-streams.tsv"
