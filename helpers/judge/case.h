/* SPDX-License-Identifier: GPL-2.0-or-later */
/* case.h -- what the active judge plays, as data: validation/vectors/judge.json, whose README has the words. */
#ifndef HELPERS_JUDGE_CASE_H
#define HELPERS_JUDGE_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/world/socket/memory.h"
#include "llp/mpa.h"

enum {
    CASE_TEXT = 400,
    CASE_STEPS = 24,
    CASE_ACCEPTS = 12,
    CASE_NAME = 48,
    CASE_FROM = 128,
    CASE_ERROR_MAX = 512
};

/* Steps by name: whether a number `n` follows, and whether octets do. */
/* clang-format off */
#define STEP_TABLE(ROW) \
    ROW(ULPDU,      "ulpdu",      false, true)  /* an FPDU with this ULPDU */ \
    ROW(BAD_CRC,    "bad-crc",    false, true)  /* and a CRC that is wrong */ \
    ROW(BAD_LENGTH, "bad-length", false, true)  /* and one octet more in its length field */ \
    ROW(BAD_MARKER, "bad-marker", false, true)  /* and a marker that points elsewhere */ \
    ROW(USED_PAD,   "used-pad",   false, true)  /* and a pad that is not zero; its CRC is right */ \
    ROW(CUT,        "cut",        true,  true)  /* in two pieces, with a gap: `n` octets and the others */ \
    ROW(DRIBBLE,    "dribble",    false, true)  /* octet by octet */ \
    ROW(RAW,        "raw",        false, true)  /* octets, framed by nobody */ \
    ROW(GAP,        "gap",        true,  false) /* `n` milliseconds without a word */ \
    ROW(HOLD,       "hold",       false, false) /* what follows waits for ... */ \
    ROW(FLUSH,      "flush",      false, false) /* ... this, and leaves in one piece */ \
    ROW(FIN,        "fin",        false, false)
/* clang-format on */
#define STEP_KIND(kind, name, number, octets) STEP_##kind,
enum case_step_kind { STEP_TABLE(STEP_KIND) STEP_KINDS };
#undef STEP_KIND

struct case_step {
    enum case_step_kind kind;
    uint32_t n;
    char text[CASE_TEXT]; /* octets, in hexadecimal and words */
};

struct judge_case {
    char name[CASE_NAME];
    char requirement[4][24];
    uint32_t requirements;
    char start[CASE_TEXT]; /* the judge's start-up frame, in words; empty: the usual one */
    bool initiates;        /* the peer: it is the frame of a responder, then */
    bool markers;          /* the peer must want markers */
    bool waits;   /* it may wait for a receive buffer, and is silent: by RFC 5041 7.1, not by draft-00 */
    uint32_t ird; /* and take so many Reads at a time */
    struct case_step step[CASE_STEPS];
    uint32_t steps;
    char accept[CASE_ACCEPTS][24]; /* readings, any of which is right */
    uint32_t accepts;
    char from
        [CASE_FROM]; /* the sentences that they rest on: documents and sections; empty: as conformance.md has it */
    char response[4][CASE_TEXT]; /* octets of the Read Responses, in order, when the stream stays open */
    uint32_t responses;
    uint32_t probe; /* MSN of the Read that asks whether the stream is open; 0: the next */
};

/* What words stand for. */
struct case_memory {
    bool known;            /* the peer, or the user, has told of: */
    struct live_told told; /* $rw, $ro, $wo, $pd, $none; $addr, $len */
    bool plain;            /* $ro, $wo and $pd are not there */
    bool asked;            /* the peer has sent a Read Request: $sink, $to, $size */
    uint32_t sink, size;
    uint64_t to;
};

/* "0x1234:0x10000:4096": a region that may be read and written, in C's notation. False: it is none. */
bool case_memory_read(const char *text, void *memory);

/* Read a file of cases, malloc()ed in one piece. NULL: `error` (CASE_ERROR_MAX octets) is one sentence, FILE:LINE:COLUMN: ... */
struct judge_case *cases_read(const char *path, size_t *cases, char *error);

/* Octets of a text such as "c140 $rw $addr+8 78*100"; how many, at most `room`. -1: something in it is no octets; -2: it
 * needs memory that is not known. */
int case_octets(const char *text, const struct case_memory *m, uint8_t *out, uint32_t room);

/* The start-up frame that "rev 2 enhanced ird 4 ord 4 crc" means, or the octets behind "raw"; how many, -1: neither.
 * `request`: it is the Reply to this one, with private data of `private_len` octets where the words ask for none. */
int case_frame(const char *text, const struct mpa_frame *request, const uint8_t *private_data,
               uint16_t private_len, uint8_t *out, uint32_t room);

#endif
