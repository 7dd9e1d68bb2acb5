/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* keys.h -- what a user says of a lower layer, by the names of the keys below `llp.`; node/factory.h makes configurations of it.
 * Times are picoseconds, sizes octets. */
#ifndef IW_LLP_KEYS_H
#define IW_LLP_KEYS_H

#include "llp/llp_track.h"
#include "llp/packet.h"
#include "llp/security.h"
#include "llp/sizes.h"
#include "llp/tcp_kinds.h"
#include "parameter.h"

#ifdef __cplusplus
extern "C" {
#endif

enum llp_kind { LLP_MPA = 1, LLP_SCTP, LLP_IDEAL, LLP_PACKET, LLPS };
enum llp_crc_error { CRC_ERROR_TERMINATE = 1, CRC_ERROR_DROP, CRC_ERRORS };
/* TCP's, in the order of its table; then those of packets, in that of theirs. */
#define LLP_CONGESTION(name, word) CONGESTION_##name,
#define LLP_DETECTION(name, word)  DETECTION_##name,
enum llp_congestion {
    CONGESTION_UNSET,
    TCP_CONGESTION_TABLE(LLP_CONGESTION) PACKET_CONGESTION_TABLE(LLP_CONGESTION) CONGESTIONS
};
enum llp_detection { DETECTION_UNSET, TCP_DETECTION_TABLE(LLP_DETECTION) DETECTIONS };
/* Which document the ends follow (node/factory.c makes the engine's profile of it); what a Send does that finds no receive buffer. */
enum llp_profile { PROFILE_RFC = 1, PROFILE_DRAFT00, PROFILE_RDMAC, PROFILE_STRICT, LLP_PROFILES };
enum llp_missing_buffer { MISSING_BUFFER_END = 1, MISSING_BUFFER_WAIT, MISSING_BUFFERS };
enum llp_ecn { ECN_AUTO = 1, ECN_ON, ECN_OFF, ECNS };

enum llp_dcqcn_set { DCQCN_HPCC = 1, DCQCN_PAPER, DCQCN_SETS };

/* Of packets with CONGESTION_dcqcn; 0: as `set`, or the line's rate, says. */
struct llp_dcqcn_keys {
    enum llp_dcqcn_set set;
    uint64_t additive, hyper, least; /* bits per second */
    uint64_t timer, alpha_timer, cut_interval;
    uint32_t fast_steps, gain;
    bool clamp;
};

struct llp_keys {
    enum llp_kind kind;
    bool markers, crc, trust_alignment;
    enum llp_crc_error crc_error;
    enum llp_congestion congestion;
    uint64_t congestion_window; /* CONGESTION_fixed: octets */
    uint32_t initial_window;    /* segments */
    uint64_t min_rto, max_rto;  /* min_rto 0: as llp_min_rto(); max_rto 0: as the path asks for */
    uint32_t delayed_ack;       /* segments per acknowledgement */
    uint64_t delayed_ack_timeout;
    enum llp_detection detection;
    uint32_t dupack_threshold;
    enum llp_ecn ecn;
    bool timestamps, pacing, idle_restart;
    uint64_t initial_rto, msl;
    uint64_t send_buffer; /* octets per connection; 0: as many as are needed */
    uint16_t ord, ird;
    uint16_t streams;              /* sctp: DDP streams of an association */
    enum packet_recovery recovery; /* packet */
    uint32_t flight, track;        /* packets; 0: as the path asks for; TCP, SCTP: track 0 has no limit */
    enum llp_tracking tracking;
    uint32_t track_ranges; /* 0: as many as it takes */
    enum security security;
    enum llp_profile profile;
    enum llp_missing_buffer missing_buffer;
    struct llp_dcqcn_keys dcqcn;
    uint64_t rtt, target_delay; /* of windows of packets; 0: as the path asks for */
    uint32_t paths;
    enum packet_choice path_choice;
    uint64_t path_revive;
    uint64_t probe;         /* 0: as llp_probe(), LLP_PROBE_NEVER */
    uint64_t answer_octets; /* rud; 0: each packet has its answer */
};

extern const struct parameter_table llp_parameters; /* of struct llp_keys */

/* What such a lower layer makes of packets of at most `mtu` octets. */
struct llp_sizes llp_sizes_of(const struct llp_keys *keys, uint32_t mtu);

/* The congestion control of packets that is asked for; NULL: it is TCP's. */
const struct packet_congestion *llp_packet_congestion(const struct llp_keys *keys);

/* What windows of packets are measured with, on a path of such a round trip (0: not known) and such a line. */
struct packet_span llp_span(const struct llp_keys *keys, iw_time rtt, uint64_t line, bool trims);

/* After how long without an answer rud asks, on a path of such a round trip; 0: never. */
#define LLP_PROBE_NEVER UINT64_C(1000000000000)
iw_time llp_probe(const struct llp_keys *keys, iw_time rtt);

/* What DCQCN's keys come to on such a line. */
struct packet_dcqcn_conf llp_dcqcn_of(const struct llp_keys *keys, uint64_t line);

/* The marks that HPCC's script has for DCQCN on such a line: octets, and a probability. */
struct llp_marks {
    uint64_t kmin, kmax;
    double pmax;
};
struct llp_marks llp_dcqcn_marks(uint64_t line);

/* The shortest timeout: what is given, else what the recovery has, in picoseconds. */
uint64_t llp_min_rto(const struct llp_keys *keys);
uint64_t llp_few_rto(const struct llp_keys *keys); /* while few packets are under way */

/* Packets are placed as they come: a connection may leave by any of several ports. */
bool llp_deals(const struct llp_keys *keys);

/* Packets that a packet transport has in flight on a path that holds `path` of them, and how far from the first missing
 * its receiver tells them apart. `path` 0: not known; 0 is the answer where it would have to be. */
uint32_t llp_flight(const struct llp_keys *keys, uint32_t path);
uint32_t llp_track(const struct llp_keys *keys, uint32_t path);

/* The timeout of a SYN: never the shortest. */
static inline uint64_t llp_initial_rto(const struct llp_keys *k)
{
    return k->initial_rto > llp_min_rto(k) ? k->initial_rto : llp_min_rto(k);
}

/* Reads outstanding that two such hosts agree on: what one asks for, the other answers (RFC 6581). */
static inline uint16_t llp_ord(const struct llp_keys *k)
{
    return k->ord < k->ird ? k->ord : k->ird;
}

#ifdef __cplusplus
}
#endif
#endif
