/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "validation/unit/packet_rig.h"

#include <stdlib.h>

#include "validation/support/test.h"

struct packet_end *packet_rig(const struct packet_congestion *congestion, uint32_t mtu,
                              struct packet_span span, struct llp_pacer *pacer)
{
    const iw_time us = 1000000;
    struct packet_conf packet = {
        .recovery = PACKET_RUD, .flight = 1000, .track = 1000, .congestion = congestion, .span = span};
    struct llp_conf c = {.mtu = mtu,
                         .streams = 1,
                         .delayed_ack = 1,
                         .delayed_ack_timeout = us,
                         .min_rto = 1000 * us,
                         .packet = &packet,
                         .pacer = pacer};
    struct packet_end *e = llp_init(&llp_packet, calloc(1, llp_size(&llp_packet, &c)), &c);
    assert_non_null(e);
    return e;
}
