/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/hosts_ear.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more, at the end of a list. */
static void *one_more(struct hosts_ear *r, void **list, size_t *count, size_t *room, size_t each)
{
    if (*count == *room) {
        size_t want = *room ? 2 * *room : 256;
        void *more = realloc(*list, want * each);
        if (!more) {
            r->no_memory = true;
            return NULL;
        }
        *list = more;
        *room = want;
    }
    return (char *)*list + (*count)++ * each;
}

static struct heard *new_heard(struct hosts_ear *r, struct hosts_key key)
{
    struct heard_event *last = r->event_count ? &r->event[r->event_count - 1] : NULL;
    if (!last || last->key.at != key.at || last->key.order != key.order || last->key.kick != key.kick ||
        r->sent == r->event_count) {
        void *list = r->event;
        last = one_more(r, &list, &r->event_count, &r->event_room, sizeof *last);
        r->event = list;
        if (!last)
            return NULL;
        *last = (struct heard_event){key, (uint32_t)r->heard_count, 0, HOSTS_NONE};
    }
    void *list = r->heard;
    struct heard *x = one_more(r, &list, &r->heard_count, &r->heard_room, sizeof *x);
    r->heard = list;
    if (x)
        last->count++;
    return x;
}

/* Few: the end of a message, of a stream. */
static bool keep_whole(struct hosts_ear *r, struct heard *x, const struct node_event *e)
{
    void *list = r->whole;
    x->whole = true;
    x->number = (uint32_t)r->whole_count;
    struct told *t = one_more(r, &list, &r->whole_count, &r->whole_room, sizeof *t);
    r->whole = list;
    if (t)
        told_copy(t, e);
    return t != NULL;
}

bool hosts_ear_hear(struct hosts_ear *r, struct hosts_key key, const struct node_event *e)
{
    struct heard *x = new_heard(r, key);
    if (!x)
        return false;
    x->kind = (uint8_t)e->kind;
    x->whole = false;
    if (told_when(e->kind) == TOLD_ACTED_UPON)
        return keep_whole(r, x, e);
    x->t = e->t;
    x->user = e->user;
    x->key = e->key;
    x->end = e->kind == NODE_WINDOW ? e->edge : e->end;
    x->len = e->place ? e->place->len : e->len;
    x->in_order = e->in_order;
    x->late = e->late;
    x->how = (uint8_t)(e->kind == NODE_BOUND ? (int)e->bound : (int)e->reason);
    if (e->place) {
        x->number = e->place->stag;
        x->to = e->place->to;
        x->end = e->place->msn;
    } else if (e->kind == NODE_PULLED) {
        x->head_len = e->seg->head_len;
        memcpy(x->head, e->seg->head, sizeof x->head);
    }
    return true;
}

bool hosts_ear_hear_pause(struct hosts_ear *r, struct hosts_key key, uint64_t now, uint32_t host,
                          bool stopped)
{
    struct heard *x = new_heard(r, key);
    if (!x)
        return false;
    x->kind = HEARD_PAUSED;
    x->whole = false;
    x->t = now;
    x->len = host;
    x->how = stopped;
    return true;
}

void hosts_ear_halted(struct hosts_ear *r, uint32_t host)
{
    r->event[r->event_count - 1].halted = host;
}

void hosts_ear_open(const struct hosts_ear *r, const struct heard *x, struct told *t)
{
    if (x->whole) {
        *t = r->whole[x->number];
        return;
    }
    t->e = (struct node_event){.t = x->t,
                               .kind = (enum node_event_kind)x->kind,
                               .user = x->user,
                               .key = x->key,
                               .end = x->end,
                               .edge = x->end,
                               .len = x->len,
                               .in_order = x->in_order,
                               .late = x->late};
    if (x->kind == NODE_BOUND)
        t->e.bound = (enum node_bound)x->how;
    else
        t->e.reason = (enum llp_reason)x->how;
    if (x->kind == NODE_PLACED)
        t->place = (struct iw_place){.len = x->len, .stag = x->number, .to = x->to, .msn = (uint32_t)x->end};
    if (x->kind == NODE_PULLED) {
        t->e.seg = &t->seg;
        t->seg.key = x->key;
        t->seg.head_len = x->head_len;
        memcpy(t->seg.head, x->head, sizeof x->head);
    }
}

/* ---- to other processes ---- */

/* Counts, then the three lists from these on. */
struct packed {
    size_t events, heards, wholes;
};

static bool put(struct octets *b, const void *from, size_t size)
{
    if (b->size + size > b->room) {
        size_t room = 2 * (b->size + size);
        uint8_t *more = realloc(b->at, room);
        if (!more)
            return false;
        b->at = more;
        b->room = room;
    }
    if (size)
        memcpy(b->at + b->size, from, size);
    b->size += size;
    return true;
}

/* Of the events from `event` on: their first entry, and the first that is kept whole. */
static size_t first_heard(const struct hosts_ear *r, size_t event)
{
    return event < r->event_count ? r->event[event].first : r->heard_count;
}

static size_t first_whole(const struct hosts_ear *r, size_t event)
{
    for (size_t i = first_heard(r, event); i < r->heard_count; i++)
        if (r->heard[i].whole)
            return r->heard[i].number;
    return r->whole_count;
}

/* Events that were taken go, when they are the greater part. */
static void forget_taken(struct hosts_ear *r)
{
    size_t heard = first_heard(r, r->next), whole = first_whole(r, r->next), taken = r->next;
    if (taken < r->event_count - taken || !taken)
        return;
    r->event_count -= taken;
    r->heard_count -= heard;
    r->whole_count -= whole;
    memmove(r->event, r->event + taken, r->event_count * sizeof *r->event);
    memmove(r->heard, r->heard + heard, r->heard_count * sizeof *r->heard);
    memmove(r->whole, r->whole + whole, r->whole_count * sizeof *r->whole);
    for (size_t i = 0; i < r->event_count; i++)
        r->event[i].first -= (uint32_t)heard;
    for (size_t i = 0; i < r->heard_count; i++)
        r->heard[i].number -= r->heard[i].whole ? (uint32_t)whole : 0;
    r->sent -= r->sent < taken ? r->sent : taken;
    r->asked -= r->asked < whole ? r->asked : whole;
    r->next = 0;
}

bool hosts_ear_pack(struct hosts_ear *r, struct octets *b)
{
    forget_taken(r);
    size_t heard = first_heard(r, r->sent), whole = first_whole(r, r->sent);
    struct packed p = {r->event_count - r->sent, r->heard_count - heard, r->whole_count - whole};
    b->size = 0;
    if (p.events == 0)
        return true;
    bool good = put(b, &p, sizeof p) && put(b, r->event + r->sent, p.events * sizeof *r->event) &&
                put(b, r->heard + heard, p.heards * sizeof *r->heard) &&
                put(b, r->whole + whole, p.wholes * sizeof *r->whole);
    r->sent = r->event_count;
    return good;
}

static const uint8_t *append(struct hosts_ear *r, void **list, size_t *count, size_t *room, size_t each,
                             size_t more, const uint8_t *from)
{
    for (size_t i = 0; i < more; i++, from += each) {
        void *slot = one_more(r, list, count, room, each);
        if (!slot)
            return from;
        memcpy(slot, from, each);
    }
    return from;
}

bool hosts_ear_unpack(struct hosts_ear *r, const void *octets, size_t size)
{
    const uint8_t *at = octets;
    struct packed p;
    forget_taken(r);
    size_t event = r->event_count, heard = r->heard_count, whole = r->whole_count;
    if (size < sizeof p)
        return size == 0;
    memcpy(&p, at, sizeof p);
    void *events = r->event, *heards = r->heard, *wholes = r->whole;
    at = append(r, &events, &r->event_count, &r->event_room, sizeof *r->event, p.events, at + sizeof p);
    at = append(r, &heards, &r->heard_count, &r->heard_room, sizeof *r->heard, p.heards, at);
    append(r, &wholes, &r->whole_count, &r->whole_room, sizeof *r->whole, p.wholes, at);
    r->event = events;
    r->heard = heards;
    r->whole = wholes;
    if (r->no_memory)
        return false;
    uint32_t first = event < r->event_count ? r->event[event].first : 0, number = 0;
    bool known = false;
    for (size_t i = heard; i < r->heard_count; i++)
        if (r->heard[i].whole) {
            number = known ? number : r->heard[i].number;
            known = true;
            r->heard[i].number = r->heard[i].number - number + (uint32_t)whole;
        }
    for (size_t i = event; i < r->event_count; i++)
        r->event[i].first = r->event[i].first - first + (uint32_t)heard;
    return true;
}

void hosts_ear_clear(struct hosts_ear *r)
{
    r->heard_count = r->event_count = r->whole_count = r->next = r->sent = r->asked = 0;
}

void hosts_ear_free(struct hosts_ear *r)
{
    free(r->heard);
    free(r->event);
    free(r->whole);
    *r = (struct hosts_ear){0};
}
