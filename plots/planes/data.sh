# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/planes.tsv: goodput of all hosts in each 20 us, by what dies (the spines of a plane, all its switches) and transport.
set -eu; export LC_ALL=C
{
    printf 'dies\tcase\tt_us\tgoodput_gbps\n'
    for dies in spine '*'; do
        name=$([ "$dies" = spine ] && echo spines || echo switches)
        events="300us switch plane0.${dies%\*}* down; 900us switch plane0.${dies%\*}* up"
        "$1" run scenarios/planes.yaml --set "topology.events=$events" --series 20us --series-of flow --out "$2/$name" >/dev/null 2>&1
        for case in retire reps oblivious go-back-N TCP; do
            tail -n +2 "$2/$name/series/$case-r0.total.csv" | awk -F, -v OFS='\t' -v dies=$name -v case=$case '{ print dies, case, $1, $2 }'
        done
    done
} >"$2/planes.tsv"
