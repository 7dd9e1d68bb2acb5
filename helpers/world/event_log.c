/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/event_log.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_LEAST = 256, PIECES = 64 };

/* The list with room for so many, of `each` octets; NULL: no memory, and it stays as it was. */
static void *with_room(void *list, size_t *room, size_t want, size_t each)
{
    if (want <= *room)
        return list;
    size_t more = want < ROOM_LEAST ? ROOM_LEAST : 2 * want;
    void *grown = realloc(list, more * each);
    *room = grown ? more : *room;
    return grown;
}

static bool event_room(struct event_list *l, size_t more)
{
    struct node_event *grown = with_room(l->at, &l->room, l->count + more, sizeof *grown);
    l->at = grown ? grown : l->at;
    return grown || !more;
}

static bool step_room(struct event_log *log, size_t more)
{
    struct log_step *grown = with_room(log->step, &log->room, log->steps + more, sizeof *grown);
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
        log->step[log->steps++] =
            (struct log_step){*key, (uint32_t)log->event.count, 0, HOSTS_NONE, (uint32_t)log->placements, 0};
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

bool event_log_placed(struct event_log *log, struct hosts_key key, uint32_t octets)
{
    struct log_step *step = step_of(log, &key);
    uint32_t *grown = with_room(log->octets, &log->octets_room, log->placements + 1, sizeof *grown);
    log->octets = grown ? grown : log->octets;
    log->no_memory |= !step || !grown;
    if (!step || !grown)
        return false;
    grown[log->placements++] = octets;
    step->placements++;
    return true;
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

/* In which of so many equal times the step is. */
static size_t piece_of(const struct log_step *s, const uint64_t range[2])
{
    return (size_t)((s->key.at - range[0]) * PIECES / (range[1] - range[0] + 1));
}

static void range_of(const struct event_log *log, uint64_t range[2])
{
    range[0] = range[1] = log->step[0].key.at;
    for (size_t i = 1; i < log->steps; i++) {
        uint64_t at = log->step[i].key.at;
        range[0] = at < range[0] ? at : range[0];
        range[1] = at > range[1] ? at : range[1];
    }
}

/* Into the other list, by pieces of time, which are short enough for the caches; `end` of each. */
static void deal_steps(struct event_log *log, size_t end[PIECES])
{
    uint64_t range[2];
    size_t sum = 0;
    range_of(log, range);
    memset(end, 0, PIECES * sizeof *end);
    for (size_t i = 0; i < log->steps; i++)
        end[piece_of(&log->step[i], range)]++;
    for (size_t p = 0; p < PIECES; p++) {
        size_t count = end[p];
        end[p] = sum;
        sum += count;
    }
    for (size_t i = 0; i < log->steps; i++)
        log->other[end[piece_of(&log->step[i], range)]++] = log->step[i];
}

void event_log_sort(struct event_log *log)
{
    size_t end[PIECES];
    struct log_step *other = with_room(log->other, &log->other_room, log->steps, sizeof *other);
    log->no_memory |= log->steps && !other;
    log->other = other ? other : log->other;
    if (!log->steps || !other)
        return;
    deal_steps(log, end);
    for (size_t p = 0; p < PIECES; p++)
        qsort(log->other + (p ? end[p - 1] : 0), end[p] - (p ? end[p - 1] : 0), sizeof *log->other, by_key);
    log->other = log->step;
    log->step = other;
    size_t room = log->room;
    log->room = log->other_room;
    log->other_room = room;
}

void event_log_clear(struct event_log *log)
{
    log->steps = log->event.count = log->placements = log->next = log->sent = log->polled = 0;
}

void event_log_free(struct event_log *log)
{
    free(log->event.at);
    free(log->octets);
    free(log->step);
    free(log->other);
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
    uint8_t *grown = with_room(b->at, &b->room, size, 1);
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
