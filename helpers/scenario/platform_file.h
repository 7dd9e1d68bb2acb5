/* SPDX-License-Identifier: GPL-2.0-or-later */
/* platform_file.h -- a platform file of SimGrid (`topology.kind: platform`): hosts, links, routes and zones in XML.
 *
 * What is wrong is told here, with its line: XML, elements, attributes, hosts that are called twice, routes to hosts and
 * over links that there are not. What the words mean is SimGrid's (model/simgrid/shim.h), which reads it again. Hosts are
 * numbered in the order of the file.
 */
#ifndef HELPERS_SCENARIO_PLATFORM_FILE_H
#define HELPERS_SCENARIO_PLATFORM_FILE_H

#include <stdint.h>

#include "helpers/scenario/named_file.h"

struct platform_file {
    struct named_file file;
    uint32_t hosts;
    char **names;
};

/* `beside`: the scenario's file. Read once, never freed. NULL: `error` (SCENARIO_ERROR_MAX octets) says why. */
const struct platform_file *platform_file_find(const char *beside, const char *name, char *error);

#endif
