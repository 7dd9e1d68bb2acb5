/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet_rig.h -- one end of a packet transport that answers name packets to (rud), for tests of its congestion control. */
#ifndef IW_UNIT_PACKET_RIG_H
#define IW_UNIT_PACKET_RIG_H

#include "llp/llp.h"
#include "llp/packet_inner.h"

/* Of packets of `mtu` octets; `pacer`: NULL, or as llp_conf has it. The caller frees it. */
struct packet_end *packet_rig(const struct packet_congestion *congestion, uint32_t mtu,
                              struct packet_span span, struct llp_pacer *pacer);

#endif
