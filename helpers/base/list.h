/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.h -- a list that grows at its end.
 *
 * Law: a list of list_grow() of n elements has room for LIST_LEAST of them, or for the next power of two, so that n alone says when it is full.
 */
#ifndef HELPERS_BASE_LIST_H
#define HELPERS_BASE_LIST_H

#include <stdint.h>
#include <stdlib.h>

enum { LIST_LEAST = 16 };

/* The list with room for one more than `count`, of `each` octets; NULL: no memory, and it stays as it was. */
static inline void *list_grow(void *list, size_t count, size_t each)
{
    if (count && (count < LIST_LEAST || (count & (count - 1))))
        return list;
    return realloc(list, (count ? 2 * count : LIST_LEAST) * each);
}

/* The list with room for `want`, of `each` octets, and its room; NULL: no memory, and both stay as they were. */
static inline void *list_room(void *list, size_t *room, size_t want, size_t each)
{
    enum { LEAST = 256 };
    if (want <= *room)
        return list;
    size_t more = want < LEAST ? LEAST : 2 * want;
    void *grown = realloc(list, more * each);
    *room = grown ? more : *room;
    return grown;
}

/* Of `count` numbers in order, `each` octets apart, the first that is above this one. */
static inline size_t list_above(const int64_t *first, size_t count, size_t each, int64_t number)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (*(const int64_t *)(const void *)((const char *)first + middle * each) > number)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

#endif
