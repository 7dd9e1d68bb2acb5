/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "engine/prm.h"

#include "engine/law.h"
#include "engine/least.h"

struct range {
    const uint8_t *base;
    uint64_t len;
    uint32_t owner;
};

/* Law: used <= peak <= limit, for every resource. */
struct tenant {
    struct iw_prm_owner owner;
    uint32_t used[IW_PRM_RESOURCES], peak[IW_PRM_RESOURCES];
    uint64_t refused;
};

struct iw_prm {
    uint32_t total[IW_PRM_RESOURCES];
    uint32_t max, count, ranges_max, ranges;
    struct range *range; /* behind the tenants */
    struct tenant tenant[];
};

size_t iw_prm_size(uint32_t owners_max, uint32_t ranges_max)
{
    size_t ranges = (size_t)ranges_max * sizeof(struct range);
    return owners_max ? sizeof(struct iw_prm) + (size_t)owners_max * sizeof(struct tenant) + ranges : 0;
}

struct iw_prm *iw_prm_init(void *memory, uint32_t owners_max, uint32_t ranges_max,
                           const uint32_t total[IW_PRM_RESOURCES])
{
    struct iw_prm *prm = memory;
    *prm = (struct iw_prm){.max = owners_max, .ranges_max = ranges_max};
    prm->range = (struct range *)(void *)&prm->tenant[owners_max];
    for (int r = 0; r < IW_PRM_RESOURCES; r++)
        prm->total[r] = total[r];
    return prm;
}

static struct tenant *tenant_of(const struct iw_prm *prm, uint32_t owner)
{
    for (uint32_t i = 0; i < prm->count; i++)
        if (prm->tenant[i].owner.owner == owner)
            return (struct tenant *)&prm->tenant[i];
    return NULL;
}

/* What of a resource is used or promised. */
static uint64_t spoken_for(const struct iw_prm *prm, unsigned what)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < prm->count; i++) {
        uint32_t used = prm->tenant[i].used[what], promised = prm->tenant[i].owner.guarantee[what];
        sum += used > promised ? used : promised;
    }
    return sum;
}

/* used(o) <= limit(o) and sum over o of max(used(o), guarantee(o)) <= total, for every resource. */
static bool keeps_promises(const struct iw_prm *prm, const struct tenant *t)
{
    for (unsigned r = 0; r < IW_PRM_RESOURCES; r++)
        if (t->used[r] > t->peak[r] || t->peak[r] > t->owner.limit[r] || spoken_for(prm, r) > prm->total[r])
            return false;
    return true;
}

int iw_prm_admit(struct iw_prm *prm, const struct iw_prm_owner *owner)
{
    if (!owner->owner || tenant_of(prm, owner->owner))
        return IW_EINVAL;
    if (prm->count == prm->max)
        return IW_EFULL;
    for (unsigned r = 0; r < IW_PRM_RESOURCES; r++) {
        if (owner->limit[r] < owner->guarantee[r])
            return IW_EINVAL;
        if (spoken_for(prm, r) + owner->guarantee[r] > prm->total[r])
            return IW_EQUOTA;
    }
    prm->tenant[prm->count++] = (struct tenant){.owner = *owner};
    LAW(keeps_promises(
        prm, &prm->tenant[prm->count - 1])); /* used(o) <= limit(o) and sum over o of max(..) <= total */
    return IW_OK;
}

int iw_prm_grant(struct iw_prm *prm, uint32_t owner, const void *base, uint64_t len)
{
    if (!tenant_of(prm, owner) || !base || !len)
        return IW_EINVAL;
    if (prm->ranges == prm->ranges_max)
        return IW_EFULL;
    prm->range[prm->ranges++] = (struct range){base, len, owner};
    return IW_OK;
}

static int refuse(struct tenant *t)
{
    t->refused++;
    return IW_EQUOTA;
}

int iw_prm_take(struct iw_prm *prm, uint32_t owner, enum iw_resource what, uint32_t n)
{
    struct tenant *t = tenant_of(prm, owner);
    if (!t || (unsigned)what >= IW_PRM_RESOURCES)
        return IW_EINVAL;
    if (n > t->owner.limit[what] - t->used[what])
        return refuse(t);
    t->used[what] += n;
    if (spoken_for(prm, (unsigned)what) > prm->total[what]) {
        t->used[what] -= n;
        return refuse(t);
    }
    t->peak[what] = (uint32_t)most(t->peak[what], t->used[what]);
    LAW(keeps_promises(prm, t));
    return IW_OK;
}

int iw_prm_give(struct iw_prm *prm, uint32_t owner, enum iw_resource what, uint32_t n)
{
    struct tenant *t = tenant_of(prm, owner);
    if (!t || (unsigned)what >= IW_PRM_RESOURCES || n > t->used[what])
        return IW_EINVAL;
    t->used[what] -= n;
    LAW(keeps_promises(prm, t));
    return IW_OK;
}

uint32_t iw_prm_used(const struct iw_prm *prm, uint32_t owner, enum iw_resource what)
{
    const struct tenant *t = tenant_of(prm, owner);
    return t && (unsigned)what < IW_PRM_RESOURCES ? t->used[what] : 0;
}

uint32_t iw_prm_peak(const struct iw_prm *prm, uint32_t owner, enum iw_resource what)
{
    const struct tenant *t = tenant_of(prm, owner);
    return t && (unsigned)what < IW_PRM_RESOURCES ? t->peak[what] : 0;
}

uint64_t iw_prm_refusals(const struct iw_prm *prm, uint32_t owner)
{
    const struct tenant *t = tenant_of(prm, owner);
    return t ? t->refused : 0;
}

bool iw_prm_trusts(const struct iw_prm *prm, uint32_t owner, uint32_t other)
{
    const struct tenant *a = tenant_of(prm, owner), *b = tenant_of(prm, other);
    return a && b && a->owner.trust == b->owner.trust;
}

static bool may_register(const struct iw_prm *prm, const struct tenant *t, const struct iw_region *r)
{
    if (t->owner.privileged || !r->base)
        return true;
    for (uint32_t i = 0; i < prm->ranges; i++) {
        const struct range *g = &prm->range[i];
        uintptr_t from = (uintptr_t)r->base, granted = (uintptr_t)g->base;
        bool whole = from >= granted && from - granted <= g->len && r->len <= g->len - (from - granted);
        if (g->owner == t->owner.owner && whole)
            return true;
    }
    return false;
}

int iw_prm_register(struct iw_prm *prm, uint32_t owner, struct iw_stags *stags,
                    const struct iw_region *region, iw_stag *stag)
{
    struct tenant *t = tenant_of(prm, owner);
    if (!t)
        return IW_EINVAL;
    if (!may_register(prm, t, region))
        return refuse(t);
    int result = iw_prm_take(prm, owner, IW_PRM_REGIONS, 1);
    if (result)
        return result;
    struct iw_region owned = *region;
    owned.owner = owner;
    result = iw_register(stags, &owned, stag);
    if (result)
        iw_prm_give(prm, owner, IW_PRM_REGIONS, 1);
    return result;
}

int iw_prm_revoke(struct iw_prm *prm, uint32_t owner, struct iw_stags *stags, iw_stag stag,
                  enum iw_revoke_how how)
{
    struct iw_region region;
    if (!tenant_of(prm, owner) || !iw_region_of(stags, stag, &region, NULL))
        return IW_EINVAL;
    if (region.owner != owner)
        return IW_EQUOTA;
    int result = iw_revoke(stags, stag, how);
    if (result == IW_OK || result == IW_EBUSY)
        iw_prm_give(prm, owner, IW_PRM_REGIONS, 1);
    return result;
}
