/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/hosts_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 16 }; /* numbers and ranges that a user writes */

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
    range->step = 1;
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
    if (list->ranges == LIST_MAX)
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

/* ---- hosts that nobody has ---- */

static bool is_taken(const struct workload_part *part, uint32_t parts, uint32_t host)
{
    for (uint32_t i = 0; i < parts; i++)
        for (uint32_t r = 0; r < part[i].ranges; r++)
            if (workload_range_has(&part[i].range[r], host))
                return true;
    return false;
}

static uint32_t count_free(const struct workload_part *part, uint32_t parts, uint32_t hosts)
{
    uint32_t count = 0;
    for (uint32_t h = 0; h < hosts; h++)
        count += !is_taken(part, parts, h);
    return count;
}

/* To the last range, where the distance is that of its others; else to a new one. */
static bool put_host(struct hosts_list *list, uint32_t host)
{
    struct workload_range *last = list->ranges ? &list->range[list->ranges - 1] : NULL;
    list->hosts++;
    if (last && last->first == last->last)
        last->step = host - last->first;
    if (last && host == last->last + last->step)
        last->last = host;
    else if (list->ranges == WORKLOAD_RANGES_MAX)
        return false;
    else
        list->range[list->ranges++] = (struct workload_range){host, host, 1};
    return true;
}

/* Of `free` hosts number i * free / count for each i; packed, number i. */
static bool put_free(struct hosts_list *list, const struct workload_part *part, uint32_t parts,
                     uint32_t count, uint32_t free)
{
    for (uint32_t h = 0, number = 0; list->hosts < count; h++) {
        if (is_taken(part, parts, h))
            continue;
        if (number++ == (uint64_t)list->hosts * free / count && !put_host(list, h))
            return false;
    }
    return true;
}

/* Behind the word and blanks, a number and nothing else. */
static bool takes_count(const char *text, const char *word, uint32_t *count)
{
    size_t len = strlen(word);
    const char *p = text + len + strspn(text + len, " ");
    return strncmp(text, word, len) == 0 && p > text + len && (p = take_host(p, count)) && !*p;
}

bool hosts_list_place(const char *text, uint32_t hosts, const struct workload_part *part, uint32_t parts,
                      struct hosts_list *list, char *why)
{
    uint32_t count = 0;
    bool pack = takes_count(text, "pack", &count);
    if (!pack && !takes_count(text, "spread", &count))
        return hosts_list_read(text, hosts, list, why);
    uint32_t free = count_free(part, parts, hosts);
    *list = (struct hosts_list){.hosts = 0};
    if (count == 0)
        return refuse_range(why, "names no host", text);
    if (count > free) {
        snprintf(why, VALUE_WHY_MAX, "'%.40s' is more than the %u hosts that no workload above it names",
                 text, free);
        return false;
    }
    return put_free(list, part, parts, count, pack ? count : free) ||
           refuse_range(why, "falls into more than 64 pieces between the hosts of the workloads above it",
                        text);
}
