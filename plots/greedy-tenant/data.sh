# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/greedy-tenant.tsv: for each case, fault and workload how many of its messages came to their end.
set -eu; export LC_ALL=C
"$1" run scenarios/greedy-tenant.yaml --out "$2/run" >/dev/null 2>&1 || [ $? = 3 ] # 3: streams that ended
awk -F ',' -v OFS='\t' '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print "case", "fault", "workload", "messages", "failed", "terminates", "refused"; next }
    { split($at["point"], p, "/"); print p[1], p[2], $at["workload"], $at["messages"], $at["failed"], $at["terminates"], $at["refused"] }' \
    "$2/run/workloads.csv" >"$2/greedy-tenant.tsv"
