/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/world.h"

#include <stdio.h>
#include <string.h>

#define HAS(value) (1u << (value))

/* What needs our own TCP; and switches of our own. */
#define OWN_TCP                                                                                          \
    "llp.loss_detection llp.ecn llp.initial_rto llp.max_rto llp.timestamps llp.pacing llp.idle_restart " \
    "llp.msl "
#define OWN_SWITCHES                                                                                       \
    "topology.ecn.kmin topology.ecn.kmax topology.ecn.pmax topology.buffer_sharing topology.buffer_alpha " \
    "topology.flow_control topology.pfc. "

const struct world worlds[WORLDS] = {
#define WORLD(value, ...) [value] = {__VA_ARGS__},
#include "helpers/scenario/world_rows.h"
#undef WORLD
};

enum { PLAIN_MAX = 256 };

/* `workloads.NAME.llp.ecn` as `workloads.llp.ecn`, `workloads.NAME.notify` as `workload.notify`, `tenants.NAME.stags` as
 * `tenant.stags`. */
static const char *without_name(const char *key, char plain[PLAIN_MAX])
{
    bool load = strncmp(key, "workloads.", 10) == 0, tenant = strncmp(key, "tenants.", 8) == 0;
    const char *rest = load || tenant ? strchr(strchr(key, '.') + 1, '.') : NULL;
    if (!rest)
        return key;
    bool llp = load && strncmp(rest, ".llp.", 5) == 0;
    snprintf(plain, PLAIN_MAX, "%s%s", tenant ? "tenant" : llp ? "workloads" : "workload", rest);
    return plain;
}

/* Is `name` in a list, by itself or by its group? */
static bool lists(const char *list, const char *name)
{
    for (const char *p = list ? list : ""; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        bool group = p[len - 1] == '.';
        if (strncmp(p, name, len) == 0 && (group || name[len] == 0))
            return true;
        p += len;
    }
    return false;
}

bool world_ignores(const struct world *world, const char *key)
{
    char plain[PLAIN_MAX];
    return lists(world->ignores, without_name(key, plain));
}

bool world_estimates(const struct world *world, const char *column)
{
    return lists(world->estimates, column);
}

static void add_name(const struct world *w, const char *between, char *text, size_t size)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? between : "", w->name);
}

void worlds_that_act(const char *key, char *text, size_t size)
{
    *text = 0;
    for (int w = WORLD_FIRST; w < WORLDS; w++)
        if (!world_ignores(&worlds[w], key))
            add_name(&worlds[w], ", ", text, size);
}

bool world_has(enum point_world world, size_t property)
{
    return *(const bool *)((const char *)&worlds[world] + property);
}

void worlds_that_have(size_t property, char *text, size_t size)
{
    *text = 0;
    for (int w = WORLD_FIRST; w < WORLDS; w++)
        if (world_has((enum point_world)w, property))
            add_name(&worlds[w], " or ", text, size);
}
