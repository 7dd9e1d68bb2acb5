/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/hosts_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool refuse_range(char *why, const char *what, const char *part)
{
    snprintf(why, VALUE_WHY_MAX, "'%.40s' %s", part, what);
    return false;
}

/* Behind a host's number. NULL: it is none. */
static const char *take_host(const char *p, uint32_t *host)
{
    enum { DIGITS_MAX = 7 };
    size_t digits = strspn(p, "0123456789");
    *host = (uint32_t)strtoul(p, NULL, 10);
    return digits >= 1 && digits <= DIGITS_MAX ? p + digits : NULL;
}

/* One host or a range. NULL: it is neither. */
static const char *take_range(const char *p, struct workload_range *range)
{
    p = take_host(p, &range->first);
    range->last = range->first;
    return p && *p == '-' ? take_host(p + 1, &range->last) : p;
}

static bool is_twice(const struct hosts_list *list, struct workload_range r)
{
    for (uint32_t i = 0; i < list->ranges; i++)
        if (r.first <= list->range[i].last && list->range[i].first <= r.last)
            return true;
    return false;
}

static bool put_range(struct hosts_list *list, struct workload_range r, uint32_t hosts, const char *part,
                      char *why)
{
    if (r.last < r.first)
        return refuse_range(why, "goes down", part);
    if (r.last >= hosts) {
        snprintf(why, VALUE_WHY_MAX, "'%.40s' is beyond the last host, %u", part, hosts - 1);
        return false;
    }
    if (is_twice(list, r))
        return refuse_range(why, "names a host twice", part);
    if (list->ranges == WORKLOAD_RANGES_MAX)
        return refuse_range(why, "follows 16 numbers and ranges, the most allowed", part);
    list->range[list->ranges++] = r;
    list->hosts += r.last - r.first + 1;
    return true;
}

bool hosts_list_read(const char *text, uint32_t hosts, struct hosts_list *list, char *why)
{
    *list = (struct hosts_list){.hosts = hosts};
    if (strcmp(text, "all") == 0)
        return true;
    list->hosts = 0;
    for (const char *p = text + strspn(text, ", "); *p; p += strspn(p, ", ")) {
        struct workload_range range;
        const char *part = p;
        p = take_range(p, &range);
        if (!p || !strchr(", ", *p))
            return refuse_range(why, "is not a list of hosts: all, or numbers and ranges, 0 4-7", part);
        if (!put_range(list, range, hosts, part, why))
            return false;
    }
    return list->hosts >= 1 || refuse_range(why, "names no host", text);
}
