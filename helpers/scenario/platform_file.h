/* SPDX-License-Identifier: GPL-2.0-or-later */
/* platform_file.h -- a platform file of SimGrid (`topology.kind: platform`): hosts, links, routes and zones in XML.
 *
 * Only what describes a network is read: elements and attributes of a list, each value by a grammar of its own
 * (platform_value.h). What is not on the list, and what is wrong, is refused with its line. SimGrid (model/simgrid/shim.h)
 * reads `text`, which is written here, and no octet of the file itself. Hosts are numbered in the order of the file.
 */
#ifndef HELPERS_SCENARIO_PLATFORM_FILE_H
#define HELPERS_SCENARIO_PLATFORM_FILE_H

#include <stdint.h>

#include "helpers/scenario/named_file.h"

struct platform_file {
    struct named_file file;
    uint32_t hosts;
    char **names;
    char *text; /* the same platform, each element on the line that it has in the file; ends with a 0 */
};

/* `beside`: the scenario's file. Read once, never freed. NULL: `error` (SCENARIO_ERROR_MAX octets) says why. */
const struct platform_file *platform_file_find(const char *beside, const char *name, char *error);

/* The same of a text. `p` is zeros but for its file's name; it is to be forgotten whatever comes of it. */
bool platform_file_read(struct platform_file *p, const char *text, size_t size, char *error);
void platform_file_forget(struct platform_file *p);

#endif
