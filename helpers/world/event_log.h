/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event_log.h -- what nodes tell while they run ahead of the trial (hosts.h), kept until the trial takes it in the order of
 * all parts. One log for each part of the network, so that each has one thread at a time.
 *
 *     step   key, host that was halted in it, and of the list of events those that were told in it
 */
#ifndef HELPERS_WORLD_EVENT_LOG_H
#define HELPERS_WORLD_EVENT_LOG_H

#include "helpers/world/hosts.h"

bool hosts_key_before(const struct hosts_key *a, const struct hosts_key *b);

struct event_list {
    struct node_event *at;
    size_t count, room;
};
/* False: no memory. */
bool event_list_add(struct event_list *list, const struct node_event *e);

struct log_step {
    struct hosts_key key;
    uint32_t first, count; /* of the events */
    uint32_t halted;       /* a host, or HOSTS_NONE */
};

struct event_log {
    struct event_list event;
    struct log_step *step;
    size_t steps, room;
    size_t next;   /* step to be taken */
    size_t sent;   /* steps that other processes know */
    size_t polled; /* events, whose completions were polled */
    bool no_memory;
};

/* In the step `key`; false: not kept for lack of memory, which the log remembers. */
bool event_log_add(struct event_log *log, struct hosts_key key, const struct node_event *e);
/* Of the last step. */
void event_log_halt(struct event_log *log, uint32_t host);
/* Steps that are not sent yet, as octets in `buffer`, which grows; and such octets at the end of another log. False: no memory. */
struct log_octets {
    uint8_t *at;
    size_t size, room;
};
bool event_log_pack(struct event_log *log, struct log_octets *buffer);
bool event_log_unpack(struct event_log *log, const void *octets, size_t size);
/* The steps in the order of their keys; none was taken yet. */
void event_log_sort(struct event_log *log);
void event_log_clear(struct event_log *log);
void event_log_free(struct event_log *log);

#endif
