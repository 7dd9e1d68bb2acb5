/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/event_log.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/list.h"

static bool event_room(struct event_list *l, size_t more)
{
    struct node_event *grown = list_room(l->at, &l->room, l->count + more, sizeof *grown);
    l->at = grown ? grown : l->at;
    return grown || !more;
}

static bool step_room(struct event_log *log, size_t more)
{
    struct log_step *grown = list_room(log->step, &log->room, log->steps + more, sizeof *grown);
    log->step = grown ? grown : log->step;
    return grown || !more;
}

bool event_list_add(struct event_list *list, const struct node_event *e)
{
    if (!event_room(list, 1))
        return false;
    list->at[list->count++] = *e;
    return true;
}

static bool same_key(const struct hosts_key *a, const struct hosts_key *b)
{
    return a->at == b->at && a->order == b->order && a->kick == b->kick;
}

/* What other processes know is not added to. */
static bool goes_on(const struct event_log *log, const struct hosts_key *key)
{
    return log->steps > log->sent && same_key(&log->step[log->steps - 1].key, key);
}

/* The last one, with this key; NULL: no memory. */
static struct log_step *step_of(struct event_log *log, const struct hosts_key *key)
{
    if (!goes_on(log, key) && step_room(log, 1))
        log->step[log->steps++] = (struct log_step){*key, (uint32_t)log->event.count, 0, HOSTS_NONE};
    return goes_on(log, key) ? &log->step[log->steps - 1] : NULL;
}

bool event_log_add(struct event_log *log, struct hosts_key key, const struct node_event *e)
{
    struct log_step *step = step_of(log, &key);
    bool added = step && event_list_add(&log->event, e);
    if (added)
        step->count++;
    log->no_memory |= !added;
    return added;
}

void event_log_halt(struct event_log *log, uint32_t host)
{
    log->step[log->steps - 1].halted = host;
}

bool hosts_key_before(const struct hosts_key *a, const struct hosts_key *b)
{
    return a->at != b->at ? a->at < b->at : a->order != b->order ? a->order < b->order : a->kick < b->kick;
}

static int by_key(const void *a, const void *b)
{
    const struct log_step *x = a, *y = b;
    return hosts_key_before(&x->key, &y->key) ? -1 : 1; /* none are alike */
}

void event_log_sort(struct event_log *log)
{
    if (log->steps)
        qsort(log->step, log->steps, sizeof *log->step, by_key);
}

void event_log_clear(struct event_log *log)
{
    log->steps = log->event.count = log->next = log->sent = log->polled = 0;
}

void event_log_free(struct event_log *log)
{
    free(log->event.at);
    free(log->step);
    *log = (struct event_log){0};
}

/* ---- to other processes ---- */

/* Counts, then the two lists. */
struct packed {
    size_t steps, events;
};

/* The first event of the steps from `step` on. */
static size_t first_event(const struct event_log *log, size_t step)
{
    return step < log->steps ? log->step[step].first : log->event.count;
}

/* Steps that were taken go, when they are the greater part. */
static void forget_taken(struct event_log *log)
{
    size_t taken = log->next, events = first_event(log, taken);
    if (taken < log->steps - taken || !taken)
        return;
    log->steps -= taken;
    log->event.count -= events;
    memmove(log->step, log->step + taken, log->steps * sizeof *log->step);
    memmove(log->event.at, log->event.at + events, log->event.count * sizeof *log->event.at);
    for (size_t i = 0; i < log->steps; i++)
        log->step[i].first -= (uint32_t)events;
    log->sent -= log->sent < taken ? log->sent : taken;
    log->polled -= log->polled < events ? log->polled : events;
    log->next = 0;
}

static void put_in_log(struct log_octets *b, const void *from, size_t size)
{
    if (size)
        memcpy(b->at + b->size, from, size);
    b->size += size;
}

bool event_log_pack(struct event_log *log, struct log_octets *b)
{
    forget_taken(log);
    size_t event = first_event(log, log->sent);
    struct packed p = {log->steps - log->sent, log->event.count - event};
    b->size = 0;
    if (p.steps == 0)
        return true;
    size_t size = sizeof p + p.steps * sizeof *log->step + p.events * sizeof *log->event.at;
    uint8_t *grown = list_room(b->at, &b->room, size, 1);
    if (!grown)
        return false;
    b->at = grown;
    put_in_log(b, &p, sizeof p);
    put_in_log(b, log->step + log->sent, p.steps * sizeof *log->step);
    put_in_log(b, log->event.at + event, p.events * sizeof *log->event.at);
    log->sent = log->steps;
    return true;
}

bool event_log_unpack(struct event_log *log, const void *octets, size_t size)
{
    const uint8_t *at = octets;
    struct packed p;
    forget_taken(log);
    if (size < sizeof p)
        return size == 0;
    memcpy(&p, at, sizeof p);
    if (!step_room(log, p.steps) || !event_room(&log->event, p.events))
        return false;
    struct log_step *step = log->step + log->steps;
    memcpy(step, at + sizeof p, p.steps * sizeof *step);
    if (p.events)
        memcpy(log->event.at + log->event.count, at + sizeof p + p.steps * sizeof *step,
               p.events * sizeof *log->event.at);
    for (size_t i = p.steps; i-- > 0;)
        step[i].first += (uint32_t)log->event.count - step[0].first;
    log->steps += p.steps;
    log->event.count += p.events;
    return true;
}
