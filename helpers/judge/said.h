/* SPDX-License-Identifier: GPL-2.0-or-later */
/* said.h -- the messages of one end of a connection, octets included; and the first in which two ends differ. */
#ifndef HELPERS_JUDGE_SAID_H
#define HELPERS_JUDGE_SAID_H

#include "helpers/capture/decode.h"

enum { SAID_MAX = 1 << 20, SAID_OCTETS_MAX = 256 << 20, SAID_TEXT_MAX = 512 };

struct said {
    uint64_t frame;
    struct ddp_head head;
    uint8_t opcode;
    uint32_t length;
    uint64_t to; /* tagged: of its first octet */
    struct rdmap_read_req read;
    struct rdmap_terminate terminate;
    uint8_t *octets; /* behind its headers; NULL: they are not kept, and not compared */
    bool partly;     /* only octets i with known[i] do not depend on what memory held before; NULL: none */
    bool *known;
};
/* Say so of octets `from` to `to`, as far as it has them. */
void said_know(struct said *s, uint64_t from, uint64_t to, bool known);

struct said_list {
    struct said *said;
    size_t count;
    uint64_t octets;
    struct said_part *part; /* segments of messages that are not over, in the order of their stream */
    size_t parts;
    bool failed; /* no memory for all */
};
/* A segment, then, with the last one of a message, the message; as a decoder tells them. */
void said_segment(struct said_list *l, const struct decode_segment *s);
void said_message(struct said_list *l, const struct decode_message *m);
void said_free(struct said_list *l);

/* A value that stands in a message of the first list at `was` and would be `is` in one of the second; false: other octets.
 * Both have `len` octets, 4 (an STag) or 8 (a TO). */
typedef bool said_alike(const void *context, const uint8_t *was, const uint8_t *is, uint32_t len);

struct said_difference {
    bool found;
    char text[SAID_TEXT_MAX];
    /* Octets that depend on memory, and are not the same. Messages in which they are; the first, its octet */
    size_t elsewhere;
    uint64_t elsewhere_frame;
    uint32_t elsewhere_octet;
};
/* Messages of one class (Read Responses, other tagged ones, those of each queue) have one order, and are compared in it; of the
 * differences in all classes that which comes first in `was`. */
void said_compare(const struct said_list *was, const struct said_list *is, said_alike *alike,
                  const void *context, struct said_difference *out);

#endif
