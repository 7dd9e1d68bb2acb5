/* SPDX-License-Identifier: GPL-2.0-or-later */
/* listener.h -- one direction of an MPA connection, heard by a receiver that nobody sees.
 *
 *   segments -> stream -> mpa_rx -> FPDUs -> iw_ep (IW_DECODER) -> messages, violations -> decode_sink
 *
 * Both are the model's own; what they cannot do for lack of a sender that would repeat octets is done here: step over
 * an FPDU with a bad CRC or with octets that the capture lacks, and find an FPDU again after octets went missing.
 */
#ifndef HELPERS_CAPTURE_LISTENER_H
#define HELPERS_CAPTURE_LISTENER_H

#include "helpers/capture/decode.h"
#include "helpers/capture/stream.h"

struct listener_conf {
    int conn;
    enum decode_dir dir;
    bool markers, crc;
    bool rdmac;     /* DDP and RDMAP version 0 (RFC 5044 appendix C) */
    bool searching; /* where an FPDU starts is not known: try where segments start */
    bool gated;     /* this end may not speak before the other did (MPA-7.1.2-4) */
    int reads;      /* RDMA Reads that may be outstanding towards this direction's receiver; DECODE_UNKNOWN */
    int other_reads; /* the same, the other way */
    uint64_t origin; /* stream offset of the first octet of full operation */
};

/* Where a listener reports to, shared by all. */
struct listener_report {
    const struct decode_sink *sink;
    struct decode_summary *summary;
};

struct listener;

/* NULL: out of memory. `report` must outlive the listener. */
struct listener *listener_new(const struct listener_conf *conf, const struct listener_report *report);
void listener_free(struct listener *l);
/* The two directions of a connection know of each other's Reads. */
void listener_pair(struct listener *a, struct listener *b);

/* A TCP segment's octets, borrowed during the call. False: out of memory. */
bool listener_hear(struct listener *l, const struct stream_piece *p);
/* The receiver has acknowledged everything below `at`: what is missing there will not come. */
void listener_acked(struct listener *l, uint64_t at);
/* Nothing more will come. */
void listener_end(struct listener *l);
/* Octets below are done. */
uint64_t listener_edge(const struct listener *l);
/* Report a violation that was found outside. */
void listener_report_violation(const struct listener_report *report, const struct decode_violation *v);

#endif
