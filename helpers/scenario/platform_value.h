/* SPDX-License-Identifier: GPL-2.0-or-later */
/* platform_value.h -- what attributes of a platform file (platform_file.h) may say. A value is read by the grammar of its
 * kind and written again from what was understood: no octet of the file goes through.
 */
#ifndef HELPERS_SCENARIO_PLATFORM_VALUE_H
#define HELPERS_SCENARIO_PLATFORM_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PLATFORM_HOSTS_MAX = 131072 };

enum platform_kind {
    PLATFORM_NAME,
    PLATFORM_AFFIX, /* may be empty */
    PLATFORM_VERSION,
    PLATFORM_ROUTING,
    PLATFORM_SPEED,
    PLATFORM_RATE,
    PLATFORM_TIME,
    PLATFORM_CORES,
    PLATFORM_COORDINATES,
    PLATFORM_RADICAL,
    PLATFORM_SHARING,
    PLATFORM_APART,
    PLATFORM_YES_NO,
    PLATFORM_DIRECTION,
    PLATFORM_TOPOLOGY,
    PLATFORM_SHAPE,
    PLATFORM_KINDS
};
/* How a sentence goes on that begins with "'x' is not". */
extern const char *const platform_kind_is[PLATFORM_KINDS];

/* False: `text` is not of the kind. Then what was written to `out` means nothing. */
bool platform_value_write(enum platform_kind kind, const char *text, FILE *out);

/* The next range of a radical that was found good; *p moves on. False: there is none left. */
bool platform_radical_next(const char **p, uint32_t *from, uint32_t *to);

/* What is wrong with the topo_parameters (NULL: none) of a cluster of so many hosts; NULL: nothing. Both texts are of
 * their kinds. */
const char *platform_shape_wrong(const char *topology, const char *shape, uint32_t hosts);

#endif
