/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* llp.c -- what is the same of every lower layer (llp.h). */
#include "llp/llp.h"

#include "llp/packet.h"
#include "llp/tcp.h"

const char *const llp_reason_names[] = {
    [LLP_WHY_NONE] = "",   [LLP_WHY_DUPACK] = "dupack", [LLP_WHY_RACK] = "RACK",
    [LLP_WHY_TLP] = "TLP", [LLP_WHY_RTO] = "RTO",       [LLP_WHY_GO_BACK] = "go-back-N",
    [LLP_WHY_NAK] = "NAK", [LLP_WHY_PASSED] = "passed", [LLP_WHY_TRIMMED] = "trimmed"};
_Static_assert(sizeof llp_reason_names / sizeof *llp_reason_names == LLP_REASONS, "each reason has its name");

struct llp_form llp_form_of(const struct llp_conf *c)
{
    return (struct llp_form){.mtu = c->mtu,
                             .markers = c->markers,
                             .timestamps = c->tcp && c->tcp->timestamps,
                             .recovery = c->packet ? c->packet->recovery : 0};
}
