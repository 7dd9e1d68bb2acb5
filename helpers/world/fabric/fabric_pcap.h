/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_pcap.h -- captures of the packet world: one file per host, IP packets, nanoseconds. */
#ifndef HELPERS_WORLD_FABRIC_FABRIC_PCAP_H
#define HELPERS_WORLD_FABRIC_FABRIC_PCAP_H

#include "fabric/fabric.h"
#include "helpers/world/hosts.h"

struct captures;
/* Files PREFIX-h0.pcap and up; NULL: `why` says it. */
struct captures *captures_open(const char *prefix, uint32_t hosts, const char **why);
/* A packet as the host's port sees it at `at`; `from` and `to`: hosts of its connection in its direction. */
void captures_write(struct captures *c, uint32_t host, iw_time at, const struct ip_packet *packet,
                    uint32_t from, uint32_t to);
/* False: not everything was written. */
bool captures_close(struct captures *c);

#endif
