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

/* ---- private: what an endpoint (IW_DECODER) makes of the FPDUs of one direction, decode_engine.c ----
 *
 * FPDUs have their turn in the order of the stream; one that comes ahead of it is shown to the endpoint at once and
 * once more, if it said IW_LATER, in its turn. An error that rests on something that was not heard is not told.
 */

/* One FPDU: what must be kept of it until its turn. */
struct decode_heard {
    struct decode_segment segment; /* its octets are these: */
    uint8_t octets[IW_HEAD_UNTAGGED + IW_TERM_MAX];
    bool committed; /* the engine has it */
};

/* A message under way: what its segments were, seen from the capture. */
struct decode_tally {
    bool open;
    bool refused;                /* a segment of it, by MPA or the engine */
    struct decode_segment first; /* its frames and times are those of all */
    uint64_t length;
    uint32_t fpdus, ahead;
};

enum {
    DECODE_TALLIES = 8, /* messages under way at the same time */
    DECODE_BROKEN = 8   /* kinds of violations to remember, for the Terminate that answers one */
};

struct decode_engine {
    struct decode_direction_conf conf;
    const struct decode_report *report;
    struct decode_engine *other; /* that of the other direction, for Reads; NULL: it is gone */
    struct iw_ep *ep;
    struct decode_tally tally[DECODE_TALLIES];
    int broken[DECODE_BROKEN]; /* what was violated here, IW_TERM values, told or in doubt; the last ones */
    unsigned breaks;
    unsigned doubt; /* DOUBT_*: what was not heard in full, so that errors that rest on it mean nothing */
    bool spoke;
};

/* False: out of memory. */
bool decode_engine_init(struct decode_engine *j, const struct decode_direction_conf *conf,
                        const struct decode_report *report);
void decode_engine_free(struct decode_engine *j);

/* An FPDU was heard for the first time; `there` octets of its ULPDU are at `ulpdu`, borrowed. */
void decode_engine_count(struct decode_engine *j, const struct decode_heard *h, const uint8_t *ulpdu,
                         uint32_t there);
/* It is ahead of its turn. */
void decode_engine_early(struct decode_engine *j, struct decode_heard *h);
/* It is its turn. `fault`: MPA has refused it, so the endpoint never sees it; 0: none. */
void decode_engine_turn(struct decode_engine *j, struct decode_heard *h, int fault);
/* Nothing more will come. */
void decode_engine_end(struct decode_engine *j);
/* Something was not heard here. */
void decode_engine_missed(struct decode_engine *j);
/* DDP and RDMAP version in use. */
uint8_t decode_engine_version(const struct decode_engine *j);

#endif
