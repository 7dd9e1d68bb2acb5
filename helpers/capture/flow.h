/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow.h -- TCP connections of a capture: which one a segment belongs to, and where in its stream it stands.
 *
 * A stream offset is 64 bits wide and counts octets of one direction; offset 0 is the octet after the SYN or, where
 * no SYN was captured, the octet that flow_base() named.
 */
#ifndef HELPERS_CAPTURE_FLOW_H
#define HELPERS_CAPTURE_FLOW_H

#include "helpers/base/tree.h"
#include "helpers/capture/capture.h"

/* One direction: what end[i] sends. */
struct flow_half {
    bool based;      /* offset 0 is known */
    bool syn, fin;   /* seen */
    bool data;       /* octets were seen */
    uint32_t base;   /* sequence number of offset 0 */
    uint64_t edge;   /* the owner's: octets below are done; sequence numbers are unwrapped near it */
    uint64_t fin_at; /* offset where the stream ends; valid with `fin` */
};

struct flow {
    struct tree_node node;     /* of its table */
    struct capture_end end[2]; /* [0] sent the first segment of the file */
    struct flow_half half[2];
    bool reset;
};

struct flow_table;

/* Flows are the first member of what the owner keeps of each, `size` octets, zero at first. NULL: out of memory. */
struct flow_table *flow_table_new(size_t size);
/* `gone` is called for each flow that is left, in no order, and may free it; NULL: they stay as they are. */
void flow_table_free(struct flow_table *t, void (*gone)(void *context, struct flow *f), void *context);

/* The flow of a segment, and in `*side` which end sent it; a new one when there is none, or when a SYN starts another
 * connection between the same ends: then `*replaced` is the old one, no longer in the table, else NULL. SYN, FIN and RST are noted. NULL: out of memory. */
struct flow *flow_find(struct flow_table *t, const struct capture_segment *s, int *side,
                       struct flow **replaced);
/* The flow of a segment if there is one, nothing noted. */
struct flow *flow_known(struct flow_table *t, const struct capture_segment *s, int *side);

/* Let the sequence number `seq` be offset 0. */
void flow_base(struct flow_half *half, uint32_t seq);
/* The stream offset of `seq`, which may lie before 0; half->based must hold. */
int64_t flow_offset(const struct flow_half *half, uint32_t seq);

#endif
