/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/step.h"

const char *intake_leftover(const struct rnic *r, struct intake sum)
{
    const struct rnic_stats *stats = rnic_statistics(r);
    if (stats->staging != sum.staged)
        return "octets are left in staging";
    return stats->held != sum.held ? "octets are left in NIC memory" : NULL;
}

uint32_t step_octets(const struct iw_work *work)
{
    uint32_t octets = 0;
    for (uint8_t i = 0; i < work->sges && work->op != IW_READ; i++)
        octets += work->sge[i].len;
    return octets;
}
