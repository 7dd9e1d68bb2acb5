/* SPDX-License-Identifier: GPL-2.0-or-later */
/* catalogue.h -- the requirements of RFC 5041, RFC 5040, RFC 5044 and RFC 7306, as validation/conformance lists them
 * (the build makes the table from there), and what exercises each. */
#ifndef HELPERS_JUDGE_CATALOGUE_H
#define HELPERS_JUDGE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>

struct requirement {
    const char *id;      /* "DDP-4.1-12" */
    const char *section; /* "RFC 5041 4.1" */
    const char *level;   /* "MUST" */
    const char *text;    /* in our words */
};

extern const struct requirement catalogue[];
extern const size_t catalogue_size;

enum { CATALOGUE_MAX = 512 };

/* Index of an ID; -1: there is none. */
int catalogue_find(const char *id);

/* What a capture can show. Where one of these happens, the requirements that rest on it are exercised. */
enum occasion {
    OCCASION_NONE, /* a capture cannot show it: a local call, memory, time inside an adapter */
    OCCASION_REQUEST,
    OCCASION_REPLY,
    OCCASION_RESPONDER, /* the responder's first FPDU */
    OCCASION_FPDU,
    OCCASION_PAD,
    OCCASION_CRC,    /* an FPDU with a CRC that was checked */
    OCCASION_NO_CRC, /* one whose CRC field means nothing */
    OCCASION_MARKERS,
    OCCASION_CUT, /* an FPDU that came in several TCP segments, or not at the start of one */
    OCCASION_TAGGED,
    OCCASION_UNTAGGED,
    OCCASION_TAGGED_RUN, /* a segment that is not its message's only one */
    OCCASION_UNTAGGED_RUN,
    OCCASION_RUN,
    OCCASION_NEXT, /* a message that is not the first of its queue */
    OCCASION_MESSAGE,
    OCCASION_ZERO, /* a message without octets */
    OCCASION_ZERO_TAGGED,
    OCCASION_WRITE,
    OCCASION_READ_REQUEST,
    OCCASION_READ_ZERO,
    OCCASION_READ_RESPONSE,
    OCCASION_SEND,
    OCCASION_SEND_ZERO,
    OCCASION_INVALIDATE,
    OCCASION_NO_INVALIDATE, /* a message whose Invalidate STag field has no meaning */
    OCCASION_IMMEDIATE,
    OCCASION_ATOMIC_REQUEST,
    OCCASION_ATOMIC_RESPONSE,
    OCCASION_TERMINATE,
    OCCASION_TERMINATE_M,
    OCCASION_TERMINATE_D,
    OCCASION_TERMINATE_R,
    OCCASION_WRONG,         /* a segment that calls for a Terminate */
    OCCASION_WRONG_DDP,     /* and DDP finds it */
    OCCASION_WRONG_VERSION, /* of RDMAP */
    OCCASION_WRONG_OPCODE,
    OCCASION_WRONG_REQUEST, /* and it is a Read Request */
    OCCASION_WRONG_CRC,
    OCCASIONS
};

/* The occasion that exercises catalogue[i]. */
enum occasion catalogue_occasion(size_t i);

#endif
