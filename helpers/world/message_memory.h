/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message_memory.h -- the octets of a workload's messages, for every world. */
#ifndef MESSAGE_MEMORY_H
#define MESSAGE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/iw.h"
#include "helpers/scenario/point.h"
#include "helpers/trial/trial.h"

/* A world's; all zero when it holds nothing. */
struct message_memory {
    uint8_t **of;
    size_t count;
};

/* Memory for a region that has none, if packets carry octets. False: there is too little, and the trial is refused. */
bool message_memory_offer(struct message_memory *m, const struct scenario_point *p, struct trial *t,
                          struct iw_region *region);
void message_memory_free(struct message_memory *m);

#endif
