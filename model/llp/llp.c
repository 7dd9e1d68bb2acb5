/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* llp.c -- what is the same of every lower layer (llp.h). */
#include "llp/llp.h"

#include "llp/packet.h"
#include "llp/tcp.h"

const char *const llp_reason_names[LLP_REASONS] = {"",          "dupack", "RACK",   "TLP",    "RTO",
                                                   "go-back-N", "NAK",    "passed", "trimmed"};

struct llp_form llp_form_of(const struct llp_conf *c)
{
    return (struct llp_form){.mtu = c->mtu,
                             .markers = c->markers,
                             .timestamps = c->tcp && c->tcp->timestamps,
                             .recovery = c->packet ? c->packet->recovery : 0};
}
