/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_none.c -- the list of congestion controls of packet transports, and the one that does nothing. */
#include "llp/packet_kinds.h"

const struct packet_congestion packet_none = {0};

#define PACKET_KIND(name, word) &packet_##name,
const struct packet_congestion *const packet_congestions[] = {PACKET_CONGESTION_TABLE(PACKET_KIND)};
