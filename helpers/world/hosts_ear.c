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
    if (!last || last->key.at != key.at || last->key.order != key.order) {
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
static bool is_kept_whole(enum node_event_kind kind)
{
    static const bool whole[NODE_EVENTS] = {
        [NODE_DELIVERED] = true, [NODE_COMPLETED] = true, [NODE_CLOSED] = true,
        [NODE_ENDPOINT] = true,  [NODE_UP] = true,        [NODE_FAILED] = true};
    return whole[kind];
}

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
    if (is_kept_whole(e->kind))
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

void hosts_ear_clear(struct hosts_ear *r)
{
    r->heard_count = r->event_count = r->whole_count = r->next = 0;
}

void hosts_ear_free(struct hosts_ear *r)
{
    free(r->heard);
    free(r->event);
    free(r->whole);
    *r = (struct hosts_ear){0};
}
