/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "engine/ddpp.h"

#include <string.h>

#include "engine/carve.h"
#include "engine/law.h"

#define NOTIFY 0x80000000u

void ddpp_head_put(uint8_t *out, const struct ddpp_head *h)
{
    uint32_t first = (h->notify ? NOTIFY : 0) | (h->id & DDPP_ID_MAX);
    iw_put64(iw_put32(iw_put32(out, first), h->stag), h->offset);
}

void ddpp_head_get(const uint8_t *in, struct ddpp_head *h)
{
    uint32_t first;
    iw_get64(iw_get32(iw_get32(in, &first), &h->stag), &h->offset);
    h->notify = first & NOTIFY;
    h->id = first & DDPP_ID_MAX;
}

/* ---- sending ---- */

int ddpp_split_start(struct ddpp_split *s, const struct ddpp_send *what, uint32_t message_max)
{
    if (message_max <= DDPP_HEAD || what->id > DDPP_ID_MAX || what->len > UINT64_MAX - what->offset)
        return IW_EINVAL;
    uint32_t most = message_max - DDPP_HEAD;
    if (what->atomic && what->len > most)
        return IW_EINVAL;
    *s = (struct ddpp_split){.what = *what, .most = most};
    s->pieces = what->len ? (what->len - 1) / most + 1 : 1;
    LAW((uint64_t)s->pieces * most >= what->len); /* the pieces hold it all */
    return IW_OK;
}

bool ddpp_split_take(struct ddpp_split *s, struct ddpp_piece *piece)
{
    if (s->next == s->pieces)
        return false;
    const struct ddpp_send *w = &s->what;
    uint32_t i = w->backwards ? s->pieces - 1 - s->next : s->next;
    s->next++;
    piece->from = i * s->most;
    piece->len = w->len - piece->from < s->most ? w->len - piece->from : s->most;
    struct ddpp_head head = {.notify = w->notify && s->next == s->pieces,
                             .id = w->id,
                             .stag = w->stag,
                             .offset = w->offset + piece->from};
    LAW((uint64_t)piece->from + piece->len <= w->len);
    LAW(!head.notify || s->next == s->pieces); /* N is set in the last one only, if at all */
    ddpp_head_put(piece->head, &head);
    return true;
}

/* ---- receiving ---- */

/* What is known of one message at or beyond the edge. */
enum known { UNKNOWN, PLACING, SILENT, INDICATE, WAITING, TOLD };
/* UNKNOWN: not here. PLACING: its octets are on the way to memory. SILENT: in place, nothing to tell.
 * INDICATE, WAITING: an indication, an undecorated message waits for its turn. TOLD: it was told
 * (unordered). */

struct record {
    uint8_t known;
    uint16_t slot; /* undecorated */
    uint32_t id, len;
};

struct told {
    struct ddpp_event event;
    uint16_t slot;
};

struct quarantined {
    iw_stag stag;
    uint64_t until;
};

enum { NO_SLOT = 0xffff };

/* Law: records exist for keys in [edge, edge + remember); that of the edge is UNKNOWN or PLACING, or waits
 * for room among the events. */
struct ddpp {
    struct ddpp_conf conf;
    uint64_t edge;
    struct record *record; /* by key & mask */
    uint32_t mask;
    struct told *told; /* a ring: events in the order of delivery */
    uint32_t get, put;
    uint32_t placing; /* indications that are to come when their octets are in place */
    uint8_t *octets;
    uint16_t *next_slot, free, lent;
    struct quarantined *quarantined;
    struct ddpp_stats stats;
};

const char *ddpp_conf_error(const struct ddpp_conf *c)
{
    if (c->remember < 2 || (c->remember & (c->remember - 1)))
        return "remember must be a power of two, at least 2";
    if (c->keep == NO_SLOT)
        return "keep must be 0 .. 65534";
    return c->message_max > DDPP_HEAD ? NULL : "message_max must be above 16";
}

static void carve_receiver(struct ddpp *d, struct carve *c)
{
    d->record = carve(c, d->conf.remember * sizeof(struct record));
    d->told = carve(c, d->conf.remember * sizeof(struct told));
    d->next_slot = carve(c, d->conf.keep * sizeof(uint16_t));
    d->quarantined = carve(c, d->conf.quarantine * sizeof(struct quarantined));
    d->octets = carve(c, (size_t)d->conf.keep * d->conf.message_max);
}

size_t ddpp_size(const struct ddpp_conf *conf)
{
    struct ddpp d = {.conf = *conf};
    struct carve c = {0};
    if (ddpp_conf_error(conf))
        return 0;
    carve(&c, sizeof d);
    carve_receiver(&d, &c);
    return c.used;
}

struct ddpp *ddpp_init(void *memory, const struct ddpp_conf *conf)
{
    struct ddpp *d = memory;
    struct carve c = {.memory = memory};
    if (ddpp_conf_error(conf))
        return NULL;
    *d = (struct ddpp){.conf = *conf, .mask = conf->remember - 1u, .lent = NO_SLOT};
    carve(&c, sizeof *d);
    carve_receiver(d, &c);
    for (uint32_t i = 0; i < conf->remember; i++)
        d->record[i].known = UNKNOWN;
    for (uint16_t i = 0; i < conf->keep; i++)
        d->next_slot[i] = i + 1 < conf->keep ? (uint16_t)(i + 1) : NO_SLOT;
    d->free = conf->keep ? 0 : NO_SLOT;
    for (uint16_t i = 0; i < conf->quarantine; i++)
        d->quarantined[i] = (struct quarantined){0};
    LAW(c.used == ddpp_size(conf));
    return d;
}

const struct ddpp_stats *ddpp_statistics(const struct ddpp *d)
{
    return &d->stats;
}

uint64_t ddpp_edge(const struct ddpp *d)
{
    return d->edge;
}

static struct record *record_of(struct ddpp *d, uint64_t key)
{
    return &d->record[key & d->mask];
}

/* Nothing is remembered where nothing is promised. */
static bool remembers(const struct ddpp *d)
{
    return d->conf.reliable || d->conf.ordered;
}

/* ---- telling ---- */

static bool has_room(const struct ddpp *d)
{
    return d->put - d->get <= d->mask;
}

/* Room that nothing on its way to memory will need. */
static bool has_spare_room(const struct ddpp *d)
{
    return d->put - d->get + d->placing <= d->mask;
}

static bool waits(const struct record *r)
{
    return r->known == INDICATE || r->known == WAITING;
}

/* The record of the edge is UNKNOWN or PLACING, or waits for room among the events. */
static bool edge_rests(struct ddpp *d)
{
    const struct record *r = record_of(d, d->edge);
    return !remembers(d) || r->known == UNKNOWN || r->known == PLACING || waits(r);
}

static void report_message(struct ddpp *d, const struct record *r, uint64_t key)
{
    LAW(waits(r) && has_room(d));
    bool indication = r->known == INDICATE;
    struct told *t = &d->told[d->put++ & d->mask];
    *t = (struct told){.slot = indication ? (uint16_t)NO_SLOT : r->slot};
    t->event = (struct ddpp_event){.indication = indication, .key = key, .id = r->id, .len = r->len};
    if (!indication)
        t->event.octets = d->octets + (size_t)r->slot * d->conf.message_max;
    d->stats.indications += indication;
    d->stats.undecorated += !indication;
}

/* The edge passes what is here and told; on an ordered transport it is told when the edge comes to it. */
static void move_edge(struct ddpp *d)
{
    for (;; d->edge++) {
        struct record *r = record_of(d, d->edge);
        if (r->known == UNKNOWN || r->known == PLACING || (waits(r) && !has_room(d)))
            return;
        if (waits(r))
            report_message(d, r, d->edge);
        r->known = UNKNOWN;
    }
}

/* A message is here, and in place. */
static void arrived(struct ddpp *d, struct record *r, uint64_t key)
{
    if (!d->conf.ordered && waits(r)) {
        report_message(d, r, key);
        r->known = TOLD;
    }
    if (remembers(d))
        move_edge(d);
}

void ddpp_give_up(struct ddpp *d, uint64_t key)
{
    if (d->conf.reliable || !d->conf.ordered)
        return;
    while (d->edge < key) {
        struct record *r = record_of(d, d->edge);
        if (r->known == PLACING || (waits(r) && !has_room(d)))
            return; /* it ends soon; the mapping asks again with the next message */
        if (waits(r))
            report_message(d, r, d->edge);
        r->known = UNKNOWN;
        d->edge++;
    }
    move_edge(d);
}

bool ddpp_take(struct ddpp *d, struct ddpp_event *event)
{
    LAW(edge_rests(d));
    if (d->lent != NO_SLOT) {
        LAW(d->lent != d->free); /* lent and free at once: it would be written while it is read */
        d->next_slot[d->lent] = d->free;
        d->free = d->lent;
        d->lent = NO_SLOT;
    }
    if (remembers(d))
        move_edge(d);
    if (d->get == d->put)
        return false;
    const struct told *t = &d->told[d->get++ & d->mask];
    *event = t->event;
    d->lent = t->slot;
    return true;
}

/* ---- messages in ---- */

/* Is the message new, and is there room to remember it? */
static enum ddpp_verdict admit(struct ddpp *d, uint64_t key)
{
    LAW(edge_rests(d)); /* records exist for keys in [edge, edge + remember) */
    bool far = key >= d->edge && key - d->edge > d->mask;
    if (far && !d->conf.reliable)
        ddpp_give_up(d, key - d->mask);
    far = remembers(d) && key >= d->edge && key - d->edge > d->mask;
    if (far || (!d->conf.ordered && !has_spare_room(d))) {
        d->stats.no_room++;
        return DDPP_LATER;
    }
    if (!remembers(d) || (key >= d->edge && record_of(d, key)->known == UNKNOWN))
        return DDPP_PLACE;
    d->stats.late++;
    return DDPP_DROPPED;
}

static bool is_quarantined(const struct ddpp *d, uint64_t now, iw_stag stag)
{
    for (uint16_t i = 0; i < d->conf.quarantine; i++)
        if (d->quarantined[i].stag == stag && d->quarantined[i].until > now)
            return true;
    return false;
}

/* What no set() belongs to takes its place in the order all the same: those after it need not wait. */
static enum ddpp_verdict drop_segment(struct ddpp *d, uint64_t key, uint64_t *counter)
{
    ++*counter;
    if (remembers(d)) {
        record_of(d, key)->known = SILENT;
        move_edge(d);
    }
    return DDPP_DROPPED;
}

enum ddpp_verdict ddpp_check_decorated(struct ddpp *d, uint64_t now, uint64_t key,
                                       const uint8_t head[DDPP_HEAD], const uint8_t *octets, uint32_t len,
                                       struct ddpp_place *place)
{
    struct ddpp_head h;
    enum ddpp_verdict verdict = admit(d, key);
    if (verdict != DDPP_PLACE)
        return verdict;
    ddpp_head_get(head, &h);
    *place = (struct ddpp_place){
        .key = key, .stag = h.stag, .to = h.offset, .len = len, .notify = h.notify, .id = h.id};
    if (len && is_quarantined(d, now, h.stag))
        return drop_segment(d, key, &d->stats.quarantined);
    if (len && stag_check(d->conf.stags, h.stag, d->conf.pd, d->conf.stream, h.offset, len, IW_REMOTE_WRITE,
                          &place->slot) != STAG_OK)
        return drop_segment(d, key, &d->stats.nowhere);
    if (len) {
        stag_hold(place->slot);
        place->address = octets ? stag_address(place->slot, h.offset) : NULL;
        place->octets = octets;
    }
    d->placing += h.notify;
    if (remembers(d))
        record_of(d, key)->known = PLACING;
    return DDPP_PLACE;
}

int ddpp_commit(struct ddpp *d, const struct ddpp_place *place)
{
    struct record none = {0}, *r = remembers(d) ? record_of(d, place->key) : &none;
    LAW(!place->address || place->address == stag_address(place->slot, place->to));
    bool valid = !place->len || stag_commit(d->conf.stags, place->slot);
    if (valid && place->address)
        memcpy(place->address, place->octets, place->len);
    LAW(!remembers(d) || (r->known == PLACING && place->key - d->edge <= d->mask));
    LAW(d->placing >= place->notify);
    d->placing -= place->notify;
    d->stats.placed += valid;
    d->stats.octets += valid ? place->len : 0;
    r->known = valid && place->notify ? INDICATE : SILENT;
    r->id = place->id;
    r->len = place->len;
    arrived(d, r, place->key);
    return valid ? IW_OK : IW_ESTATE;
}

enum ddpp_verdict ddpp_check_undecorated(struct ddpp *d, uint64_t key, const uint8_t *octets, uint32_t len)
{
    struct record none = {0}, *r = remembers(d) ? record_of(d, key) : &none;
    enum ddpp_verdict verdict = admit(d, key);
    if (verdict != DDPP_PLACE)
        return verdict;
    if (d->free == NO_SLOT || len > d->conf.message_max) {
        d->stats.no_room++;
        return DDPP_LATER;
    }
    *r = (struct record){.known = WAITING, .slot = d->free, .len = len};
    d->free = d->next_slot[r->slot];
    if (octets && len)
        memcpy(d->octets + (size_t)r->slot * d->conf.message_max, octets, len);
    arrived(d, r, key);
    return DDPP_TAKEN;
}

/* ---- unregistering ---- */

/* Its own place, else one whose time is over; NULL. */
static struct quarantined *quarantine_of(struct ddpp *d, uint64_t now, iw_stag stag)
{
    struct quarantined *over = NULL;
    for (uint16_t i = 0; i < d->conf.quarantine; i++) {
        struct quarantined *q = &d->quarantined[i];
        if (q->until <= now)
            over = q;
        else if (q->stag == stag)
            return q;
    }
    return over;
}

int ddpp_quarantine(struct ddpp *d, uint64_t now, iw_stag stag, uint64_t until)
{
    struct quarantined *q = quarantine_of(d, now, stag);
    if (!q)
        return IW_EFULL;
    if (q->until <= now || q->until < until)
        *q = (struct quarantined){.stag = stag, .until = until};
    return IW_OK;
}
