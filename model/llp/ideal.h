/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* ideal.h -- which octets, or keys, of a stream are here: everything below one edge, and runs beyond it. */
#ifndef IW_LLP_IDEAL_H
#define IW_LLP_IDEAL_H

#include "engine/iw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Law: everything below `next` is here (RCV.NXT); at most `max` runs are, beyond it, in order and apart. */
struct ideal_in;
size_t ideal_in_size(uint32_t max);
struct ideal_in *ideal_in_init(void *memory, uint32_t max);
uint64_t ideal_in_edge(const struct ideal_in *in);
/* Is nothing here beyond ideal_in_edge()? */
bool ideal_in_whole(const struct ideal_in *in);
/* How many runs are here beyond it; the first `max`, [from, to), counted from it. */
uint32_t ideal_in_runs(const struct ideal_in *in, uint64_t (*run)[2], uint32_t max);
/* Are all these octets here? */
bool ideal_in_has(const struct ideal_in *in, uint64_t offset, uint32_t len);
/* Here they are. IW_EFULL, and nothing changed: one run too many. */
int ideal_in_take(struct ideal_in *in, uint64_t offset, uint32_t len);

#ifdef __cplusplus
}
#endif
#endif
