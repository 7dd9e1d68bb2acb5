# SPDX-License-Identifier: CC0-1.0
# Message sizes of a web-search cluster: octets, share of the messages that are at most so large; straight lines between.
# Source: M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, doi:10.1145/1851182.1851192 (background traffic of
# the production cluster measured there); these points are those of github.com/datacenter/empirical-traffic-gen, DCTCP_CDF,
# which later work took over (HPCC, SIGCOMM 2019, has the same). Mean 1.71 MB.
0 0
10000 0.15
20000 0.2
30000 0.3
50000 0.4
80000 0.53
200000 0.6
1000000 0.7
2000000 0.8
5000000 0.9
10000000 0.97
30000000 1
