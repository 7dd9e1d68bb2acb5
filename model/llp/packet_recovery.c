/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_recovery.c -- what is sent again, and when: a row for each recovery.
 *
 * The hooks run when the records of what was answered have been settled, and before those below `get` are forgotten. */
#include "llp/packet_inner.h"

enum {
    BACKOFF_MAX = 3 /* doublings */,
    FEW = 3 /* packets under way, for IRN's shorter timeout */,
    LOW = 3 /* of its longer one */
};

static void nothing(struct packet_end *e, iw_time now)
{
    (void)e;
    (void)now;
}

/* The timeout of RoCEv2 is constant; here it grows somewhat, or a full queue could feed on its own repetitions. */
static iw_time doubled(const struct packet_end *e, iw_time rto)
{
    iw_time most = e->conf.max_rto > rto ? e->conf.max_rto : rto;
    for (uint32_t i = 0; i < e->backoff && i < BACKOFF_MAX && rto < most; i++)
        rto *= 2;
    return rto < most ? rto : most;
}

static iw_time rto(const struct packet_end *e)
{
    return doubled(e, e->conf.min_rto);
}

/* ---- go-back-N: all from the first missing on ---- */

static void go_back(struct packet_end *e, enum llp_reason reason)
{
    for (uint64_t psn = e->get; psn < e->sent; psn++)
        packet_again(e, psn, reason);
}

static void go_back_nak(struct packet_end *e, iw_time now)
{
    (void)now;
    go_back(e, LLP_WHY_GO_BACK);
}

static void go_back_timeout(struct packet_end *e, iw_time now)
{
    (void)now;
    go_back(e, LLP_WHY_RTO);
}

/* ---- IRN: what is missing below the last that came, once; what is lost again waits for a timeout ---- */

static void resend_missing(struct packet_end *e, enum llp_reason reason)
{
    for (uint64_t psn = e->get; psn < e->highest; psn++) {
        struct packet_record *r = packet_record_at(e, psn);
        if (r->acked || r->tried)
            continue;
        r->tried = true;
        packet_again(e, psn, reason);
    }
}

static void irn_nak(struct packet_end *e, iw_time now)
{
    (void)now;
    resend_missing(e, LLP_WHY_NAK);
}

static void irn_timeout(struct packet_end *e, iw_time now)
{
    for (uint64_t psn = e->get; psn < e->sent; psn++) {
        struct packet_record *r = packet_record_at(e, psn);
        r->tried = r->tried && r->sent + e->scheme->rto(e) > now; /* the last may be on its way yet */
    }
    packet_record_at(e, e->get)->tried = true;
    packet_again(e, e->get, LLP_WHY_RTO);
    resend_missing(e, LLP_WHY_RTO);
}

/* RTO_low while few packets are under way, else RTO_high, which is llp.min_rto. Read in the simulator of ConWeave
 * (github.com/conweave-project/conweave-ns3, src/point-to-point/model), not in IRN's paper: rdma-queue-pair.h takes
 * RTO_high for more than 3 packets in flight, rdma-hw.cc has 454 and 1350 microseconds. */
static iw_time irn_rto(const struct packet_end *e)
{
    return doubled(e, e->sent - e->get <= FEW ? e->conf.min_rto / LOW : e->conf.min_rto);
}

/* ---- RUD: what left earlier than one that was answered, by more than packets have come late ---- */

static void rud_answered(struct packet_end *e, iw_time now)
{
    iw_time slack = e->late + e->late / 4;
    (void)now;
    for (uint64_t psn = e->get; psn < e->sent; psn++) {
        struct packet_record *r = packet_record_at(e, psn);
        if (!r->acked && r->sent + slack < e->latest_acked)
            packet_again(e, psn, LLP_WHY_PASSED);
        if (r->sends == 1 && r->sent >= e->latest_acked)
            break; /* nor can those that left behind it have been passed, but for what was sent again */
    }
}

static void rud_timeout(struct packet_end *e, iw_time now)
{
    for (uint64_t psn = e->get; psn < e->sent; psn++)
        if (packet_record_at(e, psn)->sent + e->conf.min_rto <= now)
            packet_again(e, psn, LLP_WHY_RTO);
}

/* clang-format off */
const struct packet_scheme packet_schemes[PACKET_RECOVERIES] = {
    /*                    in_order by_count answers nak          answered      timeout          rto */
    [PACKET_GO_BACK_N] = {true,    false,   false,  go_back_nak, nothing,      go_back_timeout, rto},
    [PACKET_IRN]       = {false,   true,    false,  irn_nak,     nothing,      irn_timeout,     irn_rto},
    [PACKET_RUD]       = {false,   true,    true,   nothing,     rud_answered, rud_timeout,     rto},
};
/* clang-format on */
