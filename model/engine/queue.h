/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* queue.h -- the end of a queue of linked items: `first` is NULL while it is empty, `last` is then not looked at, and `next`
 * names the link in an item. */
#ifndef IW_ENGINE_QUEUE_H
#define IW_ENGINE_QUEUE_H

#include <stddef.h>

#define QUEUE_PUT(first, last, item, next) \
    ((item)->next = NULL, *((first) ? &(last)->next : &(first)) = (item), (last) = (item))

#endif
