# SPDX-License-Identifier: CC0-1.0
# Message sizes of a data-mining cluster: octets, share of the messages that are at most so large; straight lines between.
# Source: A. Greenberg et al., "VL2: A Scalable and Flexible Data Center Network", SIGCOMM 2009,
# doi:10.1145/1592568.1592576; these points are those of github.com/datacenter/empirical-traffic-gen, VL2_CDF.
# Mean 12.7 MB: half the messages have 1,100 octets or fewer, and 2 % of them carry most of the octets.
0 0
180 0.1
216 0.2
560 0.3
900 0.4
1100 0.5
1870 0.6
3160 0.7
10000 0.8
400000 0.9
3160000 0.95
100000000 0.98
1000000000 1
