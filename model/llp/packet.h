/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet.h -- transports of packets, to compare with: one DDP segment is one packet, its key the unwrapped PSN.
 *
 *   recovery     who does so          out of order   a loss is known by                       sent again
 *   GO_BACK_N    RoCEv2, RC           dropped        NAK of the expected PSN, once a gap      all from there on
 *   IRN          IRN (SIGCOMM 2018)   placed         NAK with what has come instead           what is missing, once
 *   RUD          UET, SRD             placed         an answer to a packet that left later    that packet
 *
 * and by a timeout; and where a queue trims packets (topology.trim), by the NAK of a header that came alone: the packet
 * whose header it is leaves at once again. Go-back-N cannot have it: such a header overtakes what waits. There is no receive window: memory is registered. What is bounded is `flight`, packets under way (the
 * flow control of IRN), and `track`, how far beyond the first missing packet the receiver tells packets apart.
 *
 *   0       1     4      7       8       11      12     20     24
 *   | flags | psn | edge | sends | named | flags | sack | ICRC | ULPDU: DDP's header, payload
 *
 * `edge`: all below is here; `named`: the packet that is answered, and how often it had been sent; `sack`: bit i for the
 * packet edge + 1 + i. These 24 octets stand for the protocol's own, of which the wire is charged for as many as it has. */
#ifndef IW_LLP_PACKET_H
#define IW_LLP_PACKET_H

#include "engine/iw.h"
#include "llp/packet_kinds.h"
#include "llp/packet_path.h"
#include "llp/sizes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Octets behind the IP header that are charged: before a ULPDU, and for an answer alone. DDP's header stands for the
 * address that the protocol has itself. */
struct packet_charge {
    const char *name;
    uint32_t data, answer;
    const char *grade, *source; /* the words of rnic_grade_name() */
};
/* NULL: there is no such recovery. */
const struct packet_charge *packet_charge_of(enum packet_recovery recovery);

/* DCQCN. Rates are bits per second. */
struct packet_dcqcn_conf {
    bool clamp;                /* each cut makes the rate before it the target */
    uint64_t line, least;      /* the rate stays between them */
    uint64_t additive, hyper;  /* steps of the target */
    iw_time timer;             /* of steps, from the last cut on */
    iw_time alpha_timer;       /* alpha moves once in each */
    iw_time cut_interval;      /* at most one cut in each */
    uint32_t fast_steps, gain; /* steps before the additive one; alpha moves by its distance / gain */
};

/* What windows are measured with: a round trip without load, the delay in queues beyond it that is aimed at, and the line,
 * bits per second of full IP packets. */
struct packet_span {
    iw_time rtt, target;
    uint64_t line;
};
enum { PACKET_SPAN_MAX = 10 }; /* milliseconds */

struct packet_conf {
    enum packet_recovery recovery;
    uint32_t flight; /* packets, 1 .. PACKET_RANGE_MAX */
    uint32_t track;  /* packets beyond the first missing, 1 .. PACKET_RANGE_MAX */
    uint32_t
        answer_octets; /* rud: of packets that an answer may be for together; 0: each packet has its own */
    const struct packet_congestion *congestion; /* NULL: packet_none */
    struct packet_path_conf path;
    iw_time
        probe; /* rud: nothing was answered for so long: ask; and what is passed by so much is lost. 0: never */
    iw_time
        late; /* rud: a packet may come so much later than one that left behind it, before any was seen to */
    struct packet_dcqcn_conf dcqcn;
    struct packet_span span;
};
enum { PACKET_RANGE_MAX = 1 << 20 };
#define PACKET_RATE_MAX UINT64_C(4000000000000) /* bits per second, where a congestion control asks for it */
/* NULL, or what is wrong in words. */
const char *packet_conf_error(const struct packet_conf *conf);

/* ---- the header ---- */

enum packet_flag {
    PACKET_DATA = 1,
    PACKET_SAYS = 2,  /* `edge` and `sack` */
    PACKET_NAMED = 4, /* `named` is here; with PACKET_CUT it is not */
    PACKET_NAK = 8,   /* `edge` is missing */
    PACKET_CNP = 16,
    PACKET_FIN = 32, /* the last packet was that before `psn` */
    PACKET_RST = 64,
    PACKET_CREDIT =
        128 /* `sack`: of data, or with PACKET_ASKS, the octets that shall have been granted; else those that are.
             * `named` of data: how many packets had been sent for the first time as it left */
};
enum packet_more {
    PACKET_AGAIN = 1 /* `named` was here before */,
    PACKET_HEARD = 2 /* FIN */,
    PACKET_BAD = 4,
    PACKET_CUT = 8 /* `named`: a queue has trimmed it, and its header alone came; a NAK of this packet */,
    PACKET_MARKED = 16 /* `named` had a mark */,
    PACKET_ASKS = 32 /* this packet asks for an answer at once */,
    PACKET_NEAR = 64 /* `sack`: bit i for the packet named - 63 + i */,
    PACKET_FULL = PACKET_CUT | PACKET_AGAIN /* `named` came, and the receiver could not remember it; a NAK */,
    PACKET_PROBED =
        128 /* the answer to a probe, a packet that does nothing but ask; `sends` is the probe's */
};

enum { PACKET_HEAD = 24, PACKET_ICRC = 20, PACKET_PSN_MASK = 0xffffff };
struct packet_head {
    uint32_t psn, edge, named; /* 24 bits */
    uint8_t flags, more, sends;
    uint64_t sack;
};
/* Write it at `out`, without the ICRC. */
void packet_put(uint8_t *out, const struct packet_head *head);
/* Read what packet_put() wrote. */
void packet_get(const uint8_t *in, struct packet_head *head);
/* The number nearest to `near` that ends in these 24 bits; never below 0. */
uint64_t packet_unwrap(uint64_t near, uint32_t psn);

/* What a packet transport counts beside struct llp_stats. */
struct packet_stats {
    uint64_t naks;        /* sent by this end */
    uint32_t track_peak;  /* of its receiver: packets from the first missing to the last that came */
    uint32_t path_values; /* that its packets carried; 0: none was chosen */
    uint64_t retired;     /* values, each time */
    uint64_t probes;      /* sent */
    uint64_t credits;     /* packets that grant octets */
};
/* And what it is at now; IW_NEVER: it has none. */
struct packet_now {
    uint64_t values, retired; /* that its packets carried so far; that are not used now */
    uint64_t credit;          /* octets that it may send; 0 where it has sent more */
    uint64_t tracked;         /* packets from the first missing to the last that came */
};
/* Of an end that llp_packet made. */
const struct packet_stats *packet_statistics(const void *l);
struct packet_now packet_now_of(const void *l);

#ifdef __cplusplus
}
#endif
#endif
