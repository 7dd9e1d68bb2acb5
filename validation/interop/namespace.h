/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IW_INTEROP_NAMESPACE_H
#define IW_INTEROP_NAMESPACE_H

#include <stdbool.h>
#include <stddef.h>

/* Move this process, which has one thread, into a network namespace of its own where it may make devices: in a user
 * namespace of its own (`unshare -Urn`), or, for one who may, without (`unshare -n`). False: `why` says what failed. */
bool namespace_enter(char *why, size_t size);
/* Write a file of /proc/sys; false: errno says why. */
bool namespace_set(const char *path, const char *value);

#endif
