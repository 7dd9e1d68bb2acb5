/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* prm.h -- the privileged resource manager: who may have how much of an RNIC (RFC 5041 8.3.2, RFC 5040 8.1.2,
 * RFC 5042 section 2).
 *
 * Owners are the local ULPs. Each has a guarantee and a limit per resource. Law, for every resource at all times:
 *     used(o) <= limit(o)   and   sum over o of max(used(o), guarantee(o)) <= total
 * so nobody can take what another was promised, and what nobody was promised goes to whoever asks first.
 */
#ifndef IW_ENGINE_PRM_H
#define IW_ENGINE_PRM_H

#include "engine/stag.h"

#ifdef __cplusplus
extern "C" {
#endif

enum iw_resource {
    IW_PRM_REGIONS,    /* STags */
    IW_PRM_ENDPOINTS,  /* stream contexts */
    IW_PRM_CQ_ENTRIES, /* entries of completion queues (RDMAP-8.1.2-5) */
    IW_PRM_READ_SLOTS, /* inbound RDMA Reads, kept per stream (RDMAP-8.1.2-7) */
    IW_PRM_RECV_BUFFERS, /* shared receive buffers that messages have taken and nobody has posted again (RDMAP-8.1.2-8) */
    IW_PRM_RESOURCES
};

struct iw_prm_owner {
    uint32_t owner;  /* not 0 */
    uint32_t trust;  /* ULPs of one trust group may share completion queues (DDP-8.3.2-3) */
    bool privileged; /* may register any memory */
    uint32_t guarantee[IW_PRM_RESOURCES], limit[IW_PRM_RESOURCES];
};

struct iw_prm;
/* Octets for `owners_max` (at least 1) owners and `ranges_max` ranges of memory of all of them; then the manager in `memory`,
 * which stays the caller's. `total`: what the RNIC has of each resource. */
size_t iw_prm_size(uint32_t owners_max, uint32_t ranges_max);
struct iw_prm *iw_prm_init(void *memory, uint32_t owners_max, uint32_t ranges_max,
                           const uint32_t total[IW_PRM_RESOURCES]);
/* Admit a ULP. IW_EQUOTA: its guarantees cannot be kept beside the others'; IW_EFULL; IW_EINVAL: owner 0 or known,
 * or a limit below its guarantee. */
int iw_prm_admit(struct iw_prm *prm, const struct iw_prm_owner *owner);
/* The owner may register [base, base + len) from now on. IW_EFULL after ranges_max ranges; IW_EINVAL. */
int iw_prm_grant(struct iw_prm *prm, uint32_t owner, const void *base, uint64_t len);
/* Take or return `n` of a resource. IW_EQUOTA; IW_EINVAL: unknown owner, or more returned than taken. */
int iw_prm_take(struct iw_prm *prm, uint32_t owner, enum iw_resource what, uint32_t n);
int iw_prm_give(struct iw_prm *prm, uint32_t owner, enum iw_resource what, uint32_t n);
uint32_t iw_prm_used(const struct iw_prm *prm, uint32_t owner, enum iw_resource what);
/* The most that it had of a resource at a time; and how often it was refused something, memory included. */
uint32_t iw_prm_peak(const struct iw_prm *prm, uint32_t owner, enum iw_resource what);
uint64_t iw_prm_refusals(const struct iw_prm *prm, uint32_t owner);
/* May these two share a completion queue? */
bool iw_prm_trusts(const struct iw_prm *prm, uint32_t owner, uint32_t other);

/* Register memory for a ULP: its right to that memory first, then its quota, then the table (DDP-8.3.2-4).
 * IW_EQUOTA: not its memory, or too many regions; else as iw_register(). A length-only region needs no grant. */
int iw_prm_register(struct iw_prm *prm, uint32_t owner, struct iw_stags *stags,
                    const struct iw_region *region, iw_stag *stag);
/* Revoke a region of this ULP and return its quota, at IW_EBUSY too: the slot itself is free when iw_revoked(), and
 * until then a table without spare slots can be full. IW_EQUOTA: somebody else's; else as iw_revoke(). */
int iw_prm_revoke(struct iw_prm *prm, uint32_t owner, struct iw_stags *stags, iw_stag stag,
                  enum iw_revoke_how how);

#ifdef __cplusplus
}
#endif
#endif
