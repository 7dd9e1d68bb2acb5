/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/socket/memory.h"

#include <stdlib.h>
#include <string.h>

#define HOME_TO 0x10000u
#define MAGIC   0x53495754u /* "SIWT" */

enum { UNKNOWN_STAG = 0x7ffffff7, STAGS_PER_END = 2, DONES_PER_END = 160, PAGE = 4096 };

/* In the order of the block. */
static const enum script_memory told_order[] = {SCRIPT_HOME, SCRIPT_READABLE, SCRIPT_WRITABLE,
                                                SCRIPT_FOREIGN};

void told_put(const struct live_told *t, uint8_t out[TOLD_OCTETS])
{
    memset(out, 0, TOLD_OCTETS);
    uint8_t *p = iw_put64(iw_put32(iw_put32(out, MAGIC), t->len), t->to);
    for (size_t i = 0; i < sizeof told_order / sizeof *told_order; i++)
        p = iw_put32(p, t->stag[told_order[i]]);
}

bool told_get(const uint8_t *octets, uint32_t len, struct live_told *t)
{
    uint32_t magic;
    *t = (struct live_told){.stag = {[SCRIPT_NOTHING] = UNKNOWN_STAG}};
    if (len < TOLD_OCTETS)
        return false;
    const uint8_t *p = iw_get64(iw_get32(iw_get32(octets, &magic), &t->len), &t->to);
    for (size_t i = 0; i < sizeof told_order / sizeof *told_order; i++)
        p = iw_get32(p, &t->stag[told_order[i]]);
    return magic == MAGIC;
}

static bool enroll_memory(struct live_memory *m, enum script_memory what)
{
    static const struct {
        unsigned rights;
        uint32_t pd;
    } kinds[SCRIPT_MEMORIES] = {
        [SCRIPT_HOME] = {IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE, LIVE_PD},
        [SCRIPT_READABLE] = {IW_REMOTE_READ, LIVE_PD},
        [SCRIPT_WRITABLE] = {IW_LOCAL_WRITE | IW_REMOTE_WRITE, LIVE_PD},
        [SCRIPT_FOREIGN] = {IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE, LIVE_PD + 1}};
    const struct iw_region r = {.base = m->home,
                                .to = m->told.to,
                                .len = m->told.len,
                                .rights = kinds[what].rights,
                                .pd = kinds[what].pd};
    return iw_register(m->stags, &r, &m->told.stag[what]) == IW_OK;
}

bool memory_make(struct live_memory *m, uint32_t len, uint32_t ends, uint64_t seed)
{
    uint32_t stags = SCRIPT_MEMORIES + STAGS_PER_END * ends, dones = DONES_PER_END * ends;
    void *table = malloc(iw_stags_size(stags)), *queue = malloc(iw_cq_size(dones));
    *m = (struct live_memory){.home = aligned_alloc(PAGE, ((size_t)len + PAGE) / PAGE * PAGE),
                              .told = {.len = len, .to = HOME_TO, .stag = {[SCRIPT_NOTHING] = UNKNOWN_STAG}}};
    m->stags = table ? iw_stags_init(table, stags, seed) : NULL;
    m->cq = queue ? iw_cq_init(queue, dones, LIVE_TRUST) : NULL;
    bool good = m->home && m->stags && m->cq;
    if (good)
        memset(m->home, 0, len);
    for (size_t i = 0; good && i < sizeof told_order / sizeof *told_order; i++)
        good = enroll_memory(m, told_order[i]);
    if (!good)
        memory_free(m);
    return good;
}

void memory_free(struct live_memory *m)
{
    free(m->stags);
    free(m->cq);
    free(m->home);
    *m = (struct live_memory){0};
}

void memory_restore(struct live_memory *m)
{
    struct iw_region region;
    bool valid;
    for (size_t i = 0; i < sizeof told_order / sizeof *told_order; i++)
        if (iw_region_of(m->stags, m->told.stag[told_order[i]], &region, &valid) && !valid)
            iw_rebind(m->stags, m->told.stag[told_order[i]], &region);
}
