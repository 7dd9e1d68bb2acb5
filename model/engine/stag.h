/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* stag.h -- registered memory: the STag table of one RNIC (RFC 5041 8.2-8.3, RFC 5040 8.1, RFC 5042).
 *
 *     free --register--> valid --invalidate--> invalid --rebind--> valid
 *                          \---- revoke ----> revoking -> free     (free when no placement is in flight)
 *
 * Law: octets are written only between a check that succeeded and the end of the commit that belongs to it, only
 * inside [to, to + len) as it stood at the check, and never after iw_revoke() or iw_invalidate() has completed.
 */
#ifndef IW_ENGINE_STAG_H
#define IW_ENGINE_STAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t iw_stag; /* steering tag: names registered memory on the wire */

/* Results of all calls of the engine below zero: the caller's mistake, nothing changed. */
enum {
    IW_OK = 0,
    IW_EINVAL = -1, /* an argument makes no sense */
    IW_EFULL = -2,  /* the queue or table is full */
    IW_ESTATE = -3, /* not in this state of the stream or region */
    IW_EBUSY = -4,  /* placements are in flight */
    IW_EQUOTA = -5, /* the privileged resource manager refuses */
    IW_LATER = -6,  /* iw_check: keep the octets, present the segment again when it is in order */
    IW_FLUSHED = -7 /* a completion: the stream ended first */
};

enum { IW_LOCAL_WRITE = 1, IW_REMOTE_READ = 2, IW_REMOTE_WRITE = 4 };
enum { IW_REGION_STREAMS = 4 };

/* What is registered. The memory stays the caller's and must live until iw_revoke() has completed. */
struct iw_region {
    void *base;                         /* NULL: length only; all checks happen, no octet is stored */
    uint64_t to;                        /* TO of the first octet; to + len may reach 2^64 but not pass it */
    uint64_t len;                       /* octets */
    unsigned rights;                    /* IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE */
    uint32_t pd;                        /* protection domain; 0: the streams below only (DDP-8.2-4) */
    uint32_t stream[IW_REGION_STREAMS]; /* streams that may use it; 0 ends the list */
    uint32_t owner;                     /* whose quota it counts against, 0 nobody's (prm.h) */
    bool shared; /* a peer may not invalidate it (RDMAP-8.1.1-7); two streams or more imply it */
};

struct iw_stags;

/* Octets for a table of `regions_max` (1 .. 2^24 - 1) regions; 0 when that is out of range. */
size_t iw_stags_size(uint32_t regions_max);
/* Make the table in `memory` (that many octets, aligned as malloc does; the caller's). STags are spread over all 32
 * bits by a permutation keyed with `seed` and change at every reuse of a slot (RDMAP-8.1.1-8a, -8b). A slot has as many
 * names as the index of a region leaves room for in 32 bits: 2^(32 - b), where regions_max takes b bits (70,000 regions:
 * 32,768; 2^24 - 1: 256). Freed slots wait in a queue, so a table with f free slots gives a name again after
 * f * 2^(32 - b) registrations at the earliest: keep as many slots free as that needs.
 * seed 0: readable values, (1-based index) << 8 | reuse count, for lessons and test vectors; 256 names to a slot. */
struct iw_stags *iw_stags_init(void *memory, uint32_t regions_max, uint64_t seed);

/* Register: `*stag` gets the name. IW_EFULL; IW_EINVAL: empty association (neither PD nor stream), unknown rights,
 * or a range that passes 2^64. */
int iw_register(struct iw_stags *t, const struct iw_region *region, iw_stag *stag);
/* Change what a valid or invalidated STag means (range, rights, association). IW_EBUSY while placements are in
 * flight; IW_EINVAL as above or for an unknown STag. */
int iw_rebind(struct iw_stags *t, iw_stag stag, const struct iw_region *region);
/* Read back what `stag` means; false when it is unknown. `valid` may be NULL. */
bool iw_region_of(const struct iw_stags *t, iw_stag stag, struct iw_region *region, bool *valid);
/* The first region at or behind slot `*at`, valid or invalidated, and its name; `*at` moves behind it. False: there is none. */
bool iw_region_next(const struct iw_stags *t, uint32_t *at, iw_stag *stag);
/* Stop all access now; the slot and name stay for iw_rebind(). Placements in flight fail at their commit. */
int iw_invalidate(struct iw_stags *t, iw_stag stag);
/* Stop all access and free the slot. IW_OK: done. IW_EBUSY: placements in flight still end (drain) or fail at their
 * commit (cancel); done when iw_revoked(). Each placement in flight needs its iw_commit(). IW_EINVAL: unknown. */
enum iw_revoke_how { IW_CANCEL, IW_DRAIN };
int iw_revoke(struct iw_stags *t, iw_stag stag, enum iw_revoke_how how);
/* True when nothing can write through `stag` any more. */
bool iw_revoked(const struct iw_stags *t, iw_stag stag);
/* Regions registered (free slots not counted). */
uint32_t iw_stags_count(const struct iw_stags *t);

/* ---- for the engine ---- */

enum stag_fault { STAG_OK, STAG_INVALID, STAG_BOUNDS, STAG_RIGHTS, STAG_ASSOCIATION, STAG_WRAP, STAG_FAULTS };

struct stag_slot;

/* May a stream (of a PD) use [to, to + len) of `stag` with these rights (0: any local use)? len > 0.
 * Order of the checks: conformance.md R2. `*slot` is set on STAG_OK. */
enum stag_fault stag_check(struct iw_stags *t, iw_stag stag, uint32_t pd, uint32_t stream, uint64_t to,
                           uint64_t len, unsigned rights, struct stag_slot **slot);
/* The address of `to` in a region that stag_check() passed; NULL for a length-only one. */
uint8_t *stag_address(const struct stag_slot *slot, uint64_t to);
/* Does `to` stand for an address that `octets` divide? In a length-only region the first octet's does. */
bool stag_aligned(const struct stag_slot *slot, uint64_t to, uint32_t octets);
/* Begin a placement: the region cannot be freed or rebound before stag_commit(). */
void stag_hold(struct stag_slot *slot);
/* End it: true when the octets may still be written, false when the region was revoked or invalidated meanwhile. */
bool stag_commit(struct iw_stags *t, struct stag_slot *slot);
/* Invalidate on behalf of a peer (Send with Invalidate): STAG_ASSOCIATION, or STAG_INVALID for an unknown, invalid
 * or shared STag (conformance.md F13). */
enum stag_fault stag_remote_invalidate(struct iw_stags *t, iw_stag stag, uint32_t pd, uint32_t stream);

#ifdef __cplusplus
}
#endif
#endif
