/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp_rtt.c -- round trips, and the retransmission timeout (RFC 6298). */
#include "engine/law.h"
#include "llp/tcp_inner.h"

/* The smallest round trip of the last ten seconds or so (RFC 8985 6.2, step 1). */
static void smallest(struct tcp *t, iw_time now, iw_time took)
{
    uint32_t at = (uint32_t)(now >> 32);
    if (took <= t->stats.min_rtt || at - t->min_rtt_at > 2328) {
        t->stats.min_rtt = took;
        t->min_rtt_at = at;
    }
    LAW(t->stats.min_rtt <= took);
}

/* One sample for each round trip moves SRTT (RFC 6298 section 3); any ends the back-off (section 5). */
void tcp_round_trip(struct tcp *t, iw_time now, iw_time took, bool sample)
{
    took = took ? took : 1;
    smallest(t, now, took);
    t->backoff = 0;
    if (!sample)
        return;
    if (!t->stats.srtt) {
        t->stats.srtt = took;
        t->stats.rttvar = took / 2;
    } else {
        iw_time off = took > t->stats.srtt ? took - t->stats.srtt : t->stats.srtt - took;
        t->stats.rttvar = t->stats.rttvar - t->stats.rttvar / 4 + off / 4;
        t->stats.srtt = t->stats.srtt - t->stats.srtt / 8 + took / 8;
    }
    iw_time most_of_it = t->conf.max_rto / 4, var = 4 * least(t->stats.rttvar, most_of_it);
    iw_time rto = t->stats.srtt + most(var, t->conf.granularity); /* 2.3 */
    t->rto = least(most(rto, t->conf.min_rto), t->conf.max_rto);
    LAW(t->stats.srtt); /* 0 would say that there was no sample */
}

void tcp_back_off(struct tcp *t)
{
    if (t->backoff < 32)
        t->backoff++;
}

iw_time tcp_rto_now(const struct tcp *t)
{
    iw_time most_of_it = t->conf.max_rto >> t->backoff;
    LAW(t->rto >= t->conf.min_rto && t->rto <= t->conf.max_rto);
    return t->rto > most_of_it ? t->conf.max_rto : t->rto << t->backoff;
}

void tcp_arm_rto(struct tcp *t, iw_time now)
{
    t->rto_at = t->tx.first != t->tx.next ? later(now, tcp_rto_now(t)) : IW_NEVER;
}
