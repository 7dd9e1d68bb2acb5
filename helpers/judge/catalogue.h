/* SPDX-License-Identifier: GPL-2.0-or-later */
/* catalogue.h -- the requirements of RFC 5041, RFC 5040, RFC 5044 and RFC 7306, as validation/conformance lists them
 * (the build makes the table from there), and what exercises each. */
#ifndef HELPERS_JUDGE_CATALOGUE_H
#define HELPERS_JUDGE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>

struct judge_requirement {
    const char *id;      /* "DDP-4.1-12" */
    const char *section; /* "RFC 5041 4.1" */
    const char *level;   /* "MUST" */
    const char *text;    /* in our words */
};

extern const struct judge_requirement catalogue[];
extern const size_t catalogue_size;

enum { CATALOGUE_MAX = 512 };

/* Index of an ID; -1: there is none. */
int catalogue_find(const char *id);

/* What a capture can show, and the requirements that rest on it, which are exercised where it happens; IDs between spaces.
 * RESPONDER: the responder's first FPDU; CRC: an FPDU with one that was checked, NO_CRC: whose CRC field means nothing; CUT: in
 * several TCP segments; RUN: a segment that is not its message's only one; NEXT: a message that is not the first of its
 * queue; ZERO: without octets; NO_INVALIDATE: whose Invalidate STag field has no meaning; WRONG: a segment that calls for a
 * Terminate, WRONG_DDP: and DDP finds it, WRONG_REQUEST: and it is a Read Request. */
/* clang-format off */
#define OCCASION_TABLE(ROW) \
    ROW(REQUEST,         " MPA-7.1-* ") \
    ROW(REPLY,           " MPA-3-6 MPA-4.4-1 RFC 6581 section 9 ") \
    ROW(RESPONDER,       " MPA-7.1.2-4 ") \
    ROW(FPDU,            " MPA-3-1 MPA-3-4 MPA-5.2-1 DDP-4.1-9 DDP-4.1-11 DDP-4.1-12 DDP-4.4-1 DDP-5.2-2 RDMAP-3.1-1 RDMAP-4.1-1 " \
                         "RDMAP-4.1-2 RDMAP-4.1-4 RDMAP-4.1-5 RDMAP-4.1-6 RDMAP-4.1-8 RDMAP-4.1-9 RDMAP-6.1-1 ") \
    ROW(PAD,             " MPA-4.1-1 ") \
    ROW(CRC,             " MPA-4.4-2 DDP-3-6 ") \
    ROW(NO_CRC,          " MPA-4.1-2 ") \
    ROW(MARKERS,         " MPA-4.2-1 MPA-4.3-1 MPA-4.3-2 MPA-4.3-3 MPA-4.3-4 ") \
    ROW(CUT,             " MPA-A-1 DDP-3-4 ") \
    ROW(TAGGED,          " DDP-4.1-1 DDP-4.2-1 DDP-4.2-2 DDP-4.2-8 ") \
    ROW(UNTAGGED,        " DDP-4.1-2 DDP-4.3-1 DDP-4.3-2 DDP-4.3-10 DDP-4.3-14 DDP-7.1-U1 DDP-7.1-U5 RDMAP-3.1-2 ") \
    ROW(TAGGED_RUN,      " DDP-4.2-5 DDP-4.2-6 DDP-4.2-10 DDP-4.2-11 DDP-5.2-8 ") \
    ROW(UNTAGGED_RUN,    " DDP-4.1-6 DDP-4.3-5 DDP-4.3-7 DDP-4.3-8 DDP-4.3-12 DDP-4.3-13 DDP-5.2-6 ") \
    ROW(RUN,             " DDP-4.1-4 DDP-4.1-5 DDP-4.1-8 DDP-5.2-1 DDP-5.3-3 ") \
    ROW(NEXT,            " DDP-4.3-9 ") \
    ROW(MESSAGE,         " DDP-4.1-3 DDP-5.2-4 DDP-5.3-2 RDMAP-3.1-3 ") \
    ROW(ZERO,            " DDP-4.4-2 DDP-5.2-9 ") \
    ROW(ZERO_TAGGED,     " DDP-5.2-10 DDP-5.2-11 ") \
    ROW(WRITE,           " RDMAP-5.1-1a RDMAP-5.1-1b RDMAP-A-1 ") \
    ROW(READ_REQUEST,    " RDMAP-4.2-1 RDMAP-4.4-1 RDMAP-5.2.1-1a RDMAP-5.2.1-1b RDMAP-5.2.1-6a RDMAP-5.2.1-6b RDMAP-5.2.1-7 " \
                         "RDMAP-6.1-5 RDMAP-6.1-6 RDMAP-7.2-R4e RDMAP-A-2 ") \
    ROW(READ_ZERO,       " RDMAP-5.2.1-12 RDMAP-5.2.1-14 RDMAP-5.2.1-15 ") \
    ROW(READ_RESPONSE,   " RDMAP-4.4-2 RDMAP-4.4-3 RDMAP-5.2-1 RDMAP-5.2.1-8 RDMAP-5.2.1-11 RDMAP-5.2.2-1 RDMAP-5.2.2-2a " \
                         "RDMAP-5.2.2-2b RDMAP-5.2.2-5 RDMAP-5.2.2-7 RDMAP-5.2.2-8 RDMAP-5.2.2-9 RDMAP-5.5-20a RDMAP-A-3 ") \
    ROW(SEND,            " RDMAP-5.3-1a RDMAP-5.3-1b RDMAP-5.3-9 RDMAP-5.3-10 RDMAP-A-4 ") \
    ROW(SEND_ZERO,       " RDMAP-5.3-11 ") \
    ROW(INVALIDATE,      " RDMAP-4.1-3 RDMAP-5.3-13b RDMAP-A-5 ") \
    ROW(NO_INVALIDATE,   " RDMAP-4.1-10 ") \
    ROW(IMMEDIATE,       " EXT-4.1-1 EXT-4.1-2 EXT-4.1-3 EXT-6.3-1 EXT-6.3-2 EXT-6.3-3 ") \
    ROW(ATOMIC_REQUEST,  " EXT-5.2-1 EXT-5.2.1-0a EXT-5.2.1-1 EXT-5.2.1-4 EXT-5.2.1-6 ") \
    ROW(ATOMIC_RESPONSE, " EXT-5-3 EXT-5.2.1-0c EXT-5.2.1-8 EXT-5.2.2-2 EXT-5.2.2-7 EXT-5.2.2-8 EXT-5.4-8 EXT-7-1 ") \
    ROW(TERMINATE,       " RDMAP-4.8-1 RDMAP-4.8-2 RDMAP-4.8-3 RDMAP-4.8-4 RDMAP-4.8-5 RDMAP-4.8-6 RDMAP-4.8-7 RDMAP-4.8-10 " \
                         "RDMAP-4.8-12 RDMAP-5.4-1a RDMAP-5.4-1b RDMAP-5.4-2 RDMAP-5.4-8 RDMAP-A-6 MPA-8-1 ") \
    ROW(TERMINATE_M,     " RDMAP-4.8-8 ") \
    ROW(TERMINATE_D,     " RDMAP-4.8-9 RDMAP-4.8-11 ") \
    ROW(TERMINATE_R,     " RDMAP-4.8-13 RDMAP-4.8-14 ") \
    ROW(WRONG,           " RDMAP-6.2.1-1 RDMAP-7.1-2 RDMAP-7.2-1 DDP-6.2.2-3 ") \
    ROW(WRONG_DDP,       " DDP-7.2-1 DDP-7.1-E1 DDP-7.1-T5 ") \
    ROW(WRONG_VERSION,   " RDMAP-7.2-3 RDMAP-7.2-R3 ") \
    ROW(WRONG_OPCODE,    " RDMAP-7.2-2 RDMAP-7.2-R2 ") \
    ROW(WRONG_REQUEST,   " RDMAP-7.1-3 RDMAP-7.2-R1 ") \
    ROW(WRONG_CRC,       " MPA-4.4-3 MPA-6-1 ")
/* clang-format on */

/* NONE: a capture cannot show it: a local call, memory, time inside an adapter. */
#define OCCASION_NAME(name, ids) OCCASION_##name,
enum judge_occasion { OCCASION_NONE, OCCASION_TABLE(OCCASION_NAME) OCCASIONS };
#undef OCCASION_NAME

/* The occasion that exercises catalogue[i]. */
enum judge_occasion catalogue_occasion(size_t i);

#endif
