/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_recovery.c -- what is sent again, and when: a row for each recovery.
 *
 * The hooks run when the records of what was answered have been settled, and before those below `get` are forgotten. */
#include "engine/law.h"
#include "engine/least.h"
#include "llp/packet_inner.h"

enum {
    BACKOFF_MAX = 3 /* doublings */,
    FEW = 3 /* packets under way, for IRN's shorter timeout */
};

static void nothing(struct packet_end *e, iw_time now)
{
    (void)e;
    (void)now;
}

/* The timeout of RoCEv2 is constant; here it grows somewhat, or a full queue could feed on its own repetitions. */
static iw_time doubled(const struct packet_end *e, iw_time rto)
{
    iw_time most = e->o.conf.max_rto > rto ? e->o.conf.max_rto : rto;
    for (uint32_t i = 0; i < e->backoff && i < BACKOFF_MAX && rto < most; i++)
        rto *= 2;
    return rto < most ? rto : most;
}

static iw_time rto(const struct packet_end *e)
{
    return doubled(e, e->o.conf.min_rto);
}

/* ---- go-back-N: all from the first missing on ---- */

static void go_back(struct packet_end *e, iw_time now, enum llp_reason reason)
{
    for (uint64_t psn = e->get; psn < e->sent; psn++)
        packet_again(e, now, psn, reason);
}

static void go_back_nak(struct packet_end *e, iw_time now)
{
    go_back(e, now, LLP_WHY_GO_BACK);
}

static void go_back_timeout(struct packet_end *e, iw_time now)
{
    go_back(e, now, LLP_WHY_RTO);
}

/* ---- IRN: what is missing below the last that came, once; what is lost again waits for a timeout ---- */

static void resend_missing(struct packet_end *e, iw_time now, enum llp_reason reason)
{
    LAW(e->highest <= e->sent);
    for (uint64_t psn = e->get; psn < e->highest; psn++) {
        struct packet_record *r = packet_record_at(e, psn);
        if (r->acked || r->tried)
            continue;
        r->tried = true;
        packet_again(e, now, psn, reason);
    }
}

static void irn_nak(struct packet_end *e, iw_time now)
{
    resend_missing(e, now, LLP_WHY_NAK);
}

static void irn_timeout(struct packet_end *e, iw_time now)
{
    for (uint64_t psn = e->get; psn < e->sent; psn++) {
        struct packet_record *r = packet_record_at(e, psn);
        r->tried = r->tried && r->sent + e->scheme->rto(e) > now; /* the last may be on its way yet */
    }
    LAW(e->get < e->sent && !packet_record_at(e, e->get)->acked); /* the first is the one that waits */
    packet_record_at(e, e->get)->tried = true;
    packet_again(e, now, e->get, LLP_WHY_RTO);
    resend_missing(e, now, LLP_WHY_RTO);
}

/* RTO_low while few packets are under way, else RTO_high, which is llp.min_rto: 100 and 320 microseconds, as IRN's paper is
 * cited; its text was not read. The simulator of ConWeave (github.com/conweave-project/conweave-ns3,
 * src/point-to-point/model) has the 3 packets (rdma-queue-pair.h), with 454 and 1350 microseconds (rdma-hw.cc). */
static iw_time irn_rto(const struct packet_end *e)
{
    return doubled(e, e->sent - e->get <= FEW ? e->o.conf.min_rto * PACKET_RTO_LOW / PACKET_RTO_HIGH
                                              : e->o.conf.min_rto);
}

/* ---- RUD: what left earlier than one of its path that was answered, by more than packets have come late ---- */

/* On its own path, or by far on another. */
static bool is_passed(struct packet_end *e, const struct packet_record *r)
{
    return r->sent + e->late + e->late / 4 < *packet_latest(e, r->path) ||
           (e->packet.probe &&
            r->sent + most(2 * e->packet.probe, e->late_any + e->late_any / 4) < e->latest_acked);
}

static void rud_answered(struct packet_end *e, iw_time now)
{
    for (uint64_t psn = e->get; psn < e->sent; psn++) {
        struct packet_record *r = packet_record_at(e, psn);
        if (!r->acked && is_passed(e, r))
            packet_again(e, now, psn, LLP_WHY_PASSED);
        if (r->sends == 1 && r->sent >= e->latest_acked)
            break; /* nor can those that left behind it have been passed, but for what was sent again */
    }
}

static void rud_timeout(struct packet_end *e, iw_time now)
{
    for (uint64_t psn = e->get; psn < e->sent; psn++)
        if (packet_record_at(e, psn)->sent + e->o.conf.min_rto <= now)
            packet_again(e, now, psn, LLP_WHY_RTO);
}

/* ---- rows ---- */

/* UDP 8, BTH 12, ICRC 4; RETH 16 stands in each packet of IRN, where DDP's 14 are; AETH 4. */
static const struct packet_scheme schemes[] = {
    [PACKET_GO_BACK_N] =
        {.charge = {"go_back_n", 8 + 12 + 4, 8 + 12 + 4 + 4, "others",
                    "Linux, include/rdma/ib_pack.h: UDP 8, BTH 12, ICRC 4; ib_hdrs.h: AETH 4; DDP's 14 "
                    "or 18 octets stand in "
                    "every packet where RETH, 16, stands in a message's first"},
         .in_order = true,
         .nak = go_back_nak,
         .answered = nothing,
         .timeout = go_back_timeout,
         .rto = rto},
    [PACKET_IRN] =
        {.charge =
             {"irn", 8 + 12 + 4 + 2, 8 + 12 + 4 + 4 + 3, "guess",
              "RoCEv2's, with RETH (ib_hdrs.h: 16) in every packet and a PSN more in a NAK; the paper's "
              "abstract was read, its tables were not"},
         .by_count = true,
         .nak = irn_nak,
         .answered = nothing,
         .timeout = irn_timeout,
         .rto = irn_rto},
    [PACKET_RUD] =
        {.charge = {"rud", 64 - 20 - 14, 64 - 20, "derived",
                    "uet-htsim counts 64 octets of headers with IP's 20 for a packet and for an answer; the "
                    "specification was not read"},
         .by_count = true,
         .answers = true,
         .nak = nothing,
         .answered = rud_answered,
         .timeout = rud_timeout,
         .rto = rto},
};
_Static_assert(sizeof schemes / sizeof *schemes == PACKET_RECOVERIES, "a row for each");

const struct packet_scheme *packet_scheme_of(enum packet_recovery recovery)
{
    switch (recovery) { /* one that has no row does not compile */
    case PACKET_GO_BACK_N:
    case PACKET_IRN:
    case PACKET_RUD: return &schemes[recovery];
    }
    return NULL;
}

const struct packet_charge *packet_charge_of(enum packet_recovery recovery)
{
    const struct packet_scheme *scheme = packet_scheme_of(recovery);
    return scheme ? &scheme->charge : NULL;
}
