/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.h -- real iWARP traffic read by the engine that the simulator runs.
 *
 *     capture --segments--> connections --octets--> MPA --FPDUs--> endpoint (IW_DECODER) --messages--> sink
 *
 * Every segment is taken in the order of the capture, loss, retransmission and reordering included. One MPA receiver
 * and one endpoint listen to each direction and judge what they hear; no protocol rule lives here. After an error the
 * decoder reads on as far as the octets make sense.
 */
#ifndef HELPERS_CAPTURE_DECODE_H
#define HELPERS_CAPTURE_DECODE_H

#include "engine/iw.h"
#include "helpers/capture/capture.h"

enum decode_dir { DECODE_I2R, DECODE_R2I }; /* initiator: the end that sends the MPA Request */

/* Values that a start-up frame may leave open. */
enum { DECODE_UNKNOWN = -1 };

struct decode_connection {
    int conn; /* number, from 1 in the order of the capture */
    struct capture_end initiator, responder;
    bool request, reply; /* which start-up frames were read */
    bool assumed;        /* settings are the user's (--assume) or a guess, not the frames' */
    bool rejected, enhanced, crc;
    bool markers[2];          /* by direction */
    int mpa_rev, ird, ord;    /* IRD, ORD: the responder's, else what the initiator asked; DECODE_UNKNOWN */
    int ird_asked, ord_asked; /* the initiator's; DECODE_UNKNOWN */
    bool request_rejected;    /* R, which means nothing in a Request and must be 0 there */
    uint8_t reserved[2];      /* by direction: the frame's reserved bits, as they came */
    int closer;               /* the direction whose FIN or RST came before this call; DECODE_UNKNOWN */
    uint64_t closer_frame;
    const uint8_t *private_data; /* the ULP's, in the Request; borrowed during the call */
    uint32_t private_len, reply_private_len;
    const uint8_t *start_up[2]; /* by direction: the frame, octet for octet; borrowed, too */
    uint32_t start_up_len[2];
    int64_t time_ns;
    uint64_t frame;
};

enum decode_crc { DECODE_CRC_GOOD, DECODE_CRC_BAD, DECODE_CRC_OFF };

struct decode_message {
    int conn;
    enum decode_dir dir;
    struct ddp_head head; /* of its last segment */
    struct rdmap_ctl ctl;
    uint64_t frame_first, frame_last; /* of the capture */
    int64_t t_first_ns, t_last_ns;    /* since its first frame */
    uint64_t key;                     /* stream offset of its last segment */
    bool delivered;                   /* the engine did; else it found something wrong */
    uint64_t to;                      /* tagged: of the first octet */
    uint32_t length;                  /* octets of ULP payload or RDMAP header */
    uint32_t fpdus, ooo_fpdus;        /* ooo: arrived while an earlier octet was missing */
    enum decode_crc crc;
    bool has_read_req, has_terminate, has_atomic_req, has_atomic_resp;
    struct rdmap_read_req read_req;
    struct rdmap_atomic_req atomic_req;
    struct rdmap_atomic_resp atomic_resp;
    struct rdmap_terminate terminate; /* as RFC 5040 reads it */
    bool has_as_siw;                  /* Linux siw's order of the bits is possible and says something else */
    struct rdmap_terminate as_siw;
    bool
        believe_siw; /* and RFC 5040's reading is impossible, or `as_siw` names a violation seen before in the other
                       * direction and RFC 5040's does not */
};

/* An FPDU, heard for the first time. */
struct decode_segment {
    int conn;
    enum decode_dir dir;
    uint64_t key, end;                /* stream offsets */
    uint64_t frame_first, frame_last; /* of the capture */
    int64_t t_first_ns, t_last_ns;
    uint32_t ulpdu_len, octets_len; /* octets_len: of the ULPDU, at `octets` */
    const uint8_t *octets;
    bool readable; /* its headers are there: */
    struct ddp_head head;
    struct rdmap_ctl ctl;
    const uint8_t *ulpdu; /* all of it that the capture has, `ulpdu_there` octets */
    uint32_t ulpdu_there;
    bool ahead;    /* it arrived while an earlier octet was missing */
    bool pad_used; /* octets of its pad are not zero */
    enum decode_crc crc;
};

struct decode_violation {
    int conn;
    enum decode_dir dir;
    uint64_t frame;
    int64_t time_ns;
    int term;                /* the IW_TERM value an RNIC would report; 0 when it has none */
    bool at_segment;         /* of the segment at `key`; else of start-up */
    uint64_t key;            /* stream offset */
    const char *what;        /* in words */
    const char *requirement; /* ID in the catalogue of requirements */
};

/* What the TCP header of a frame says of an open connection. */
struct decode_tcp {
    int conn;
    enum decode_dir dir; /* of the frame */
    uint64_t frame;
    int64_t time_ns;
    bool fin, reset;
    bool has_ack, has_window; /* has_window: the scale of this side's window is known */
    uint64_t ack;             /* stream offset of the other direction */
    uint64_t window;          /* octets */
    bool again;               /* all its octets were in frames before it: */
    uint64_t at;              /* from this stream offset on */
};

struct decode_summary {
    uint64_t messages, fpdus, crc_bad, terminates, violations, resyncs, unparsed_octets;
    uint64_t connections;      /* MPA */
    uint64_t other_tcp;        /* connections that are not MPA, or miss its start-up */
    uint64_t other_tcp_joined; /* of those: begun before the capture */
    uint64_t unfinished;       /* messages whose last segment did not come */
    uint64_t wrong_checksums;  /* segments ignored, as their receiver did */
    uint64_t missing_octets;   /* of the streams, not in the file */
    struct capture_counts file;
};

/* Who listens. Pointers are valid during the call only. */
struct decode_sink {
    void *context;
    void (*connection)(void *context, const struct decode_connection *c);
    void (*segment)(void *context, const struct decode_segment *s);
    void (*message)(void *context, const struct decode_message *m);
    void (*violation)(void *context, const struct decode_violation *v);
    void (*summary)(void *context, const struct decode_summary *s);
    void (*tcp)(void *context, const struct decode_tcp *t);
    void (*gone)(void *context, int conn); /* nothing more will be said of it */
};

/* --assume: settings for connections whose start-up is not in the capture. */
struct decode_assume {
    bool given, markers, crc;
};

struct decode_options {
    struct decode_assume assume;
    uint32_t memory; /* octets of one direction that may wait for earlier ones; 0: 16 MiB */
};

/* The same segment by segment, from wherever they come. NULL: out of memory; `options` and `sink` must outlive it. */
struct decoder;
struct decoder *decoder_new(const struct decode_options *options, const struct decode_sink *sink);
/* In the order of their frames, which are numbered from 1. False: out of memory. */
bool decoder_hear(struct decoder *d, const struct capture_segment *s);
/* Nothing more will come: the summary is told and, if not NULL, written; frees it. `file` may be NULL. */
void decoder_end(struct decoder *d, const struct capture_counts *file, struct decode_summary *summary);

/* Decode a whole capture. 0: done; -1: it cannot be read (to its end): `error` says why; what could be read was told.
 * `summary` may be NULL. */
int decode_capture(struct capture *capture, const struct decode_options *options,
                   const struct decode_sink *sink, struct decode_summary *summary, char *error);

/* The sinks; `context` is a FILE. decode_json_segments: an object for each FPDU, too. */
extern const struct decode_sink decode_text, decode_json, decode_json_segments;

/* What the text is made of: the lines about a connection; what a line about a frame begins with, 30 columns; a line of
 * its own below one, broken between words. */
void decode_text_connection(FILE *f, const struct decode_connection *c);
void decode_text_start(FILE *f, int conn, int64_t time_ns, uint64_t frame, enum decode_dir dir);
__attribute__((format(printf, 2, 3))) void decode_text_detail(FILE *f, const char *format, ...);

/* "send_inv", "Send Inv"; for an opcode without a name "opcode_12". `out` holds DECODE_NAME_MAX octets. */
enum { DECODE_NAME_MAX = 24 };
enum decode_words { DECODE_JSON, DECODE_TEXT };
const char *decode_op_name(uint8_t opcode, enum decode_words words, char *out);
/* "fetch_add", "cmp_swap"; "undefined" (enum rdmap_atomic_code). */
const char *decode_atomic_name(uint8_t code);

#endif
