/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tenant.c -- several local ULPs on one host: what is scarce they have from the privileged resource manager alone (RFC 5041
 * 8.3.2, RFC 5040 8.1.2). Nothing here is asked for a segment: only connections, registrations, requests and completions. */
#include <string.h>

#include "node/node_inner.h"

/* Who shares a queue is of one protection domain. */
const char *tenants_error(const struct node_conf *c)
{
    for (uint32_t i = 0; i < c->tenants; i++) {
        const struct node_tenant *t = &c->tenant[i];
        if (!t->group || t->group > c->tenants)
            return "a tenant's group is out of range";
        for (uint32_t j = 0; j < i; j++)
            if (c->tenant[j].group == t->group && c->tenant[j].pd != t->pd)
                return "tenants of one group must have one protection domain";
    }
    return NULL;
}

/* A range for each region: memory is granted before it is registered. */
size_t tenants_size(const struct node_conf *conf)
{
    return iw_prm_size(conf->tenants, conf->regions_max);
}

/* Limits are the tenants' own; what there is of a resource the tables of the adapter say (IW_EFULL). */
void tenants_init(struct node *n, void *tenants, void *prm)
{
    uint32_t total[IW_PRM_RESOURCES];
    for (int r = 0; r < IW_PRM_RESOURCES; r++)
        total[r] = UINT32_MAX;
    if (!n->conf.tenants)
        return;
    n->conf.tenant = memcpy(tenants, n->conf.tenant, n->conf.tenants * sizeof *n->conf.tenant);
    n->prm = iw_prm_init(prm, n->conf.tenants, n->conf.regions_max, total);
    for (uint32_t i = 0; i < n->conf.tenants; i++) {
        const struct node_tenant *t = &n->conf.tenant[i];
        struct iw_prm_owner owner = {.owner = i + 1, .trust = t->group};
        for (int r = 0; r < IW_PRM_RESOURCES; r++)
            owner.limit[r] = t->limit[r];
        iw_prm_admit(n->prm, &owner);
    }
}

uint32_t tenants_pd(const struct node_conf *conf, uint32_t group)
{
    for (uint32_t i = 0; i < conf->tenants; i++)
        if (conf->tenant[i].group == group)
            return conf->tenant[i].pd;
    return conf->pd;
}

struct node_cq *tenant_cq(const struct node *n, uint32_t tenant)
{
    LAW(tenant <= n->conf.tenants);
    return &n->cq[tenant ? n->conf.tenant[tenant - 1].group : 0];
}

int tenant_take(struct node *n, uint32_t tenant, enum iw_resource what, uint32_t count)
{
    return tenant ? iw_prm_take(n->prm, tenant, what, count) : IW_OK;
}

/* In a shared queue an entry may be given back for another that was taken: never more than there were. */
void tenant_give(struct node *n, uint32_t tenant, enum iw_resource what, uint32_t count)
{
    if (tenant)
        iw_prm_give(n->prm, tenant, what, count);
}

void tenants_overflow(struct node *n, const struct node_cq *q)
{
    for (uint32_t i = 0; i < n->streams; i++)
        if (connection_of(n, n->stream[i])->cq == q)
            node_terminate(n, n->now, i, IW_T_RDMA_CATASTROPHIC);
}

int node_grant(struct node *n, uint32_t tenant, const void *base, uint64_t len)
{
    return iw_prm_grant(n->prm, tenant, base, len);
}

int node_register(struct node *n, const struct iw_region *region, iw_stag *stag)
{
    return region->owner ? iw_prm_register(n->prm, region->owner, n->stags, region, stag)
                         : iw_register(n->stags, region, stag);
}

const struct iw_prm *node_resources(const struct node *n)
{
    return n->prm;
}
