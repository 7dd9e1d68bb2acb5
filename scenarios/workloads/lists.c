/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lists.c -- lists behind a structure, in one block (kind.h). */
#include <string.h>

#include "scenarios/workloads/kind.h"

size_t lists_size(size_t own, const struct workload_list *lists, size_t count)
{
    size_t octets = own;
    for (size_t i = 0; i < count; i++)
        octets += lists[i].each * lists[i].count;
    return octets;
}

void lists_lay(void *structure, size_t own, const struct workload_list *lists, size_t count)
{
    uint8_t *at = (uint8_t *)structure + own;
    memset(at, 0, lists_size(0, lists, count));
    for (size_t i = 0; i < count; i++) {
        LAW(i == 0 || lists[i].each <= lists[i - 1].each); /* larger entries come first */
        memcpy((uint8_t *)structure + lists[i].pointer, &at, sizeof at);
        at += lists[i].each * lists[i].count;
    }
    LAW(at ==
        (uint8_t *)structure + lists_size(own, lists, count)); /* what was carved is what was asked for */
}
