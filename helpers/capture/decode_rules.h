/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode_rules.h -- which requirement an error is against, and what a Terminate's octets can mean. */
#ifndef HELPERS_CAPTURE_DECODE_RULES_H
#define HELPERS_CAPTURE_DECODE_RULES_H

#include "engine/wire.h"
#include "llp/mpa.h"

/* An error as people write it, "1/1/00": a format, and its arguments. */
#define TERM_TEXT        "%d/%d/%02x"
#define TERM_PARTS(term) IW_TERM_LAYER(term), IW_TERM_ETYPE(term), (unsigned)IW_TERM_CODE(term)

/* What a verdict rests on beside its own segment: it means nothing when that was not heard in full. */
enum decode_basis {
    BASIS_SEGMENT, /* on nothing */
    BASIS_RUN,     /* on the segments of the same message */
    BASIS_QUEUE,   /* on the messages of the same queue */
    BASIS_READS    /* on the Read Requests and Responses of both directions */
};

struct decode_rule {
    int term;                /* what an RNIC would report */
    const char *requirement; /* ID in the catalogue */
    const char *what;        /* in words */
    enum decode_basis basis;
};

/* The requirement behind the engine's or MPA's verdict `term` on a segment; `head` NULL: shorter than its header. */
struct decode_rule decode_rule_of(int term, const struct ddp_head *head, const struct rdmap_ctl *ctl);
/* The same for start-up. */
struct decode_rule decode_rule_of_start(enum mpa_why why);

/* Read the body of a Terminate as RFC 5040 does, into `rfc`, and in the order of Linux siw's C bit fields, into `siw`.
 * Returns which readings are possible: no reserved bit set, an error that some document defines, M, D and R as the length
 * has it. Where both say the same, only RFC 5040's is. */
enum { DECODE_AS_RFC = 1, DECODE_AS_SIW = 2 };
unsigned decode_terminate(const uint8_t *body, uint32_t len, struct rdmap_terminate *rfc,
                          struct rdmap_terminate *siw);

/* "1/1/00"; with headers "1/1/00 MD". */
enum { DECODE_TERM_MAX = 24 };
const char *decode_terminate_text(const struct rdmap_terminate *t, char out[DECODE_TERM_MAX]);
/* Do they say the same error, with the same headers? */
bool decode_same_terminate(const struct rdmap_terminate *a, const struct rdmap_terminate *b);
/* Does a document define this error? Local errors of RDMAP may have any code (RFC 5040 figure 9). */
bool decode_is_defined(int term);

#endif
