/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool namespace_set(const char *path, const char *value)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);
    if (fd >= 0)
        close(fd);
    return good;
}

/* Whoever we were is root in here (user_namespaces(7)). */
static bool become_root(uid_t uid, gid_t gid)
{
    char users[32], groups[32];
    snprintf(users, sizeof users, "0 %u 1", (unsigned)uid);
    snprintf(groups, sizeof groups, "0 %u 1", (unsigned)gid);
    return namespace_set("/proc/self/setgroups", "deny") && namespace_set("/proc/self/uid_map", users) &&
           namespace_set("/proc/self/gid_map", groups);
}

bool namespace_enter(char *why, size_t size)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();
    if (!unshare(CLONE_NEWUSER | CLONE_NEWNET)) {
        if (become_root(uid, gid))
            return true;
    } else if (!unshare(CLONE_NEWNET)) {
        return true;
    }
    snprintf(why, size, "no network namespace: %s", strerror(errno));
    return false;
}
