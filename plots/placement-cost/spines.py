#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A topology file as sixteen-spines.yaml is, for any number of leaves of 16 hosts: spines.py LEAVES; with as many hosts of a leaf as spines, none
of them slow: spines.py LEAVES SPINES"""

import sys

leaves, HOSTS = int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 16
spines = [f"spine{i}" for i in range(HOSTS)] if sys.argv[2:] else [f"spine{i}" for i in range(HOSTS - 1)] + ["slow"]
print("# SPDX-License-Identifier: GPL-2.0-or-later")
print(f"# {leaves * HOSTS} hosts on {leaves} leaves, {len(spines)} spines" + (", one of them slow: its links run at 70 Gb/s and are 20 us longer." if "slow" in spines else "."))
print(f"hosts: [{', '.join(f'h{i}' for i in range(leaves * HOSTS))}]")
print(f"switches: [{', '.join([f'leaf{i}' for i in range(leaves)] + spines)}]")
print("links:")
for host in range(leaves * HOSTS):
    print(f"  - {{between: [h{host}, leaf{host // HOSTS}], rate: 100Gbps, delay: 500ns}}")
for leaf in range(leaves):
    for spine in spines:
        rate, delay = ("70Gbps", "20500ns") if spine == "slow" else ("100Gbps", "500ns")
        print(f"  - {{between: [leaf{leaf}, {spine}], rate: {rate}, delay: {delay}}}")
