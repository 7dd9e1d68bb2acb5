/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.h -- what a live end registers, and the block in MPA's private data by which ends tell each other of it.
 *
 * One region, `home`, under four STags: to be read and written, read only, written only, and of another protection domain: the
 * words of a script (`home`, `readable`, `writable`, `foreign`). The block is that of siwtest, the test program of Linux
 * siw: magic "SIWT", length, address, the four STags, 8 octets of zero, all big endian.
 */
#ifndef HELPERS_WORLD_SOCKET_MEMORY_H
#define HELPERS_WORLD_SOCKET_MEMORY_H

#include "engine/iw.h"
#include "scenarios/workloads/script.h"

enum { TOLD_OCTETS = 40, LIVE_PD = 1, LIVE_TRUST = 1 };

struct live_told {
    uint32_t len;
    uint64_t to;
    iw_stag stag[SCRIPT_MEMORIES]; /* [SCRIPT_NOTHING]: one that does not exist */
};
void told_put(const struct live_told *t, uint8_t out[TOLD_OCTETS]);
/* False: it is no such block. */
bool told_get(const uint8_t *octets, uint32_t len, struct live_told *t);

struct live_memory {
    struct iw_stags *stags;
    struct iw_cq *cq;
    uint8_t *home;
    struct live_told told;
};

/* `len` octets of home, room for `ends` connections; STags are drawn from `seed`. False: out of memory. */
bool memory_make(struct live_memory *m, uint32_t len, uint32_t ends, uint64_t seed);
void memory_free(struct live_memory *m);
/* Make valid again what peers have invalidated. */
void memory_restore(struct live_memory *m);

#endif
