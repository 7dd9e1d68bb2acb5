/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode_direction.h -- one direction of an MPA connection, heard by a receiver that nobody sees.
 *
 *   segments -> stream -> mpa_rx -> FPDUs -> iw_ep (IW_DECODER) -> messages, violations -> decode_sink
 *
 * Both are the model's own; what they cannot do for lack of a sender that would repeat octets is done here: step over
 * an FPDU with a bad CRC or with octets that the capture lacks, and find an FPDU again after octets went missing.
 */
#ifndef HELPERS_CAPTURE_DECODE_DIRECTION_H
#define HELPERS_CAPTURE_DECODE_DIRECTION_H

#include "helpers/capture/decode.h"
#include "helpers/capture/reassembly.h"

struct decode_direction_conf {
    int conn;
    enum decode_dir dir;
    bool markers, crc;
    bool rdmac;     /* DDP and RDMAP version 0 (RFC 5044 appendix C) */
    bool searching; /* where an FPDU starts is not known: try where segments start */
    bool gated;     /* this end may not speak before the other did (MPA-7.1.2-4) */
    int reads;      /* RDMA Reads that may be outstanding towards this direction's receiver; DECODE_UNKNOWN */
    int other_reads; /* the same, the other way */
    uint32_t memory; /* octets that may wait for earlier ones */
    uint64_t origin; /* stream offset of the first octet of full operation */
};

/* Where a direction reports to, shared by all. */
struct decode_report {
    const struct decode_sink *sink;
    struct decode_summary *summary;
};

struct decode_direction;

/* NULL: out of memory. `report` must outlive the direction. */
struct decode_direction *decode_direction_new(const struct decode_direction_conf *conf,
                                              const struct decode_report *report);
void decode_direction_free(struct decode_direction *l);
/* The two directions of a connection know of each other's Reads. */
void decode_direction_pair(struct decode_direction *a, struct decode_direction *b);

/* A TCP segment's octets, borrowed during the call. False: out of memory. */
bool decode_direction_hear(struct decode_direction *l, const struct reassembly_piece *p);
/* The receiver has acknowledged everything below `at`: what is missing there will not come. */
void decode_direction_note_acked(struct decode_direction *l, uint64_t at);
/* Nothing more will come. */
void decode_direction_end(struct decode_direction *l);
/* Octets below are done. */
uint64_t decode_direction_edge(const struct decode_direction *l);
/* Report a violation that was found outside. */
void decode_report_violation(const struct decode_report *report, const struct decode_violation *v);

#endif
