/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "helpers/base/list.h"
#include "helpers/world/message_memory.h"

static uint8_t *add_memory(struct message_memory *m, uint64_t len)
{
    uint8_t **more = list_grow(m->of, m->count, sizeof *more);
    if (!more)
        return NULL;
    m->of = more;
    m->of[m->count] = calloc(len, 1);
    return m->of[m->count++];
}

bool message_memory_offer(struct message_memory *m, const struct scenario_point *p, struct trial *t,
                          struct iw_region *region)
{
    if (region->base || p->payload != PAYLOAD_REAL)
        return true;
    region->base = add_memory(m, region->len);
    if (!region->base)
        trial_refuse(t, "not enough memory for the messages; payload: none needs none");
    return region->base;
}

void message_memory_free(struct message_memory *m)
{
    for (size_t i = 0; i < m->count; i++)
        free(m->of[i]);
    free(m->of);
}
