/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "llp/ideal.h"

#include <string.h>

struct sent {
    struct ideal_packet packet;
    iw_time due; /* when to send it again */
    bool acked;
};

struct ideal {
    struct ideal_conf conf;
    uint64_t first, next, end; /* stream offsets, as drawn in the header */
    uint64_t limit;            /* the peer's window */
    uint32_t get, put;         /* packets: counts, by % conf.packets */
    bool finish, fin_sent, fin_acked;
    iw_time fin_due;
    iw_time no_sooner; /* no packet is due before this */
    uint32_t fin_sends;
    struct mpa_mark *mark; /* length_only: of the one FPDU that is unsent */
    struct sent *sent;
    uint8_t *ring; /* octets, by offset % window */
};

static size_t rounded(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

size_t ideal_size(const struct ideal_conf *c)
{
    if (!c->window || !c->packets || !c->timeout)
        return 0;
    return rounded(sizeof(struct ideal)) + rounded(sizeof(struct mpa_mark)) +
           rounded(c->packets * sizeof(struct sent)) + (c->length_only ? 0 : c->window);
}

struct ideal *ideal_init(void *memory, const struct ideal_conf *conf)
{
    struct ideal *i = memory;
    uint8_t *p = (uint8_t *)memory + rounded(sizeof *i);
    *i = (struct ideal){.conf = *conf, .limit = UINT64_MAX, .mark = (struct mpa_mark *)(void *)p};
    p += rounded(sizeof(struct mpa_mark));
    i->sent = (struct sent *)(void *)p;
    i->ring = p + rounded(conf->packets * sizeof(struct sent));
    return i;
}

uint32_t ideal_room(const struct ideal *i)
{
    bool blocked =
        i->finish || i->put - i->get == i->conf.packets || (i->conf.length_only && i->next != i->end);
    return blocked ? 0 : i->conf.window - (uint32_t)(i->end - i->first);
}

uint32_t ideal_unsent(const struct ideal *i)
{
    return (uint32_t)(i->end - i->next);
}

/* Copy between the ring at stream offset `at` and plain memory. */
static void ring_copy(const struct ideal *i, uint64_t at, uint8_t *plain, uint32_t len, bool in)
{
    while (len) {
        uint32_t from = (uint32_t)(at % i->conf.window), n = i->conf.window - from;
        if (n > len)
            n = len;
        memcpy(in ? i->ring + from : plain, in ? plain : i->ring + from, n);
        plain += n;
        at += n;
        len -= n;
    }
}

int ideal_append(struct ideal *i, const void *octets, uint32_t len, const struct mpa_mark *mark)
{
    if (len > ideal_room(i))
        return IW_EFULL;
    if (i->conf.length_only)
        *i->mark = *mark;
    else
        ring_copy(i, i->end, (uint8_t *)(uintptr_t)octets, len, true);
    i->end += len;
    return IW_OK;
}

void ideal_finish(struct ideal *i)
{
    i->finish = true;
}

bool ideal_finishing(const struct ideal *i)
{
    return i->finish && !i->fin_sent;
}

static struct sent *sent_at(const struct ideal *i, uint32_t n)
{
    return &i->sent[n % i->conf.packets];
}

static bool resend(struct ideal *i, iw_time now, struct ideal_packet *packet)
{
    if (now < i->no_sooner)
        return false;
    i->no_sooner = now + i->conf.timeout;
    for (uint32_t n = i->get; n != i->put; n++) {
        struct sent *s = sent_at(i, n);
        if (s->acked)
            continue;
        if (s->due <= now) {
            s->due = now + i->conf.timeout;
            s->packet.sends++;
            *packet = s->packet;
            i->no_sooner = now; /* there may be more */
            return true;
        }
        if (s->due < i->no_sooner)
            i->no_sooner = s->due;
    }
    return false;
}

void ideal_limit(struct ideal *i, uint64_t edge)
{
    if (i->limit == UINT64_MAX || edge > i->limit)
        i->limit = edge;
}

static bool send_fin(struct ideal *i, iw_time now, struct ideal_packet *packet)
{
    bool due = i->finish && !i->fin_acked && i->next == i->end && (!i->fin_sent || i->fin_due <= now);
    if (!due)
        return false;
    i->fin_sent = true;
    i->fin_due = now + i->conf.timeout;
    *packet = (struct ideal_packet){.offset = i->end, .fin = true, .sends = ++i->fin_sends};
    return true;
}

bool ideal_next(struct ideal *i, iw_time now, uint32_t cut, struct ideal_packet *packet)
{
    if (resend(i, now, packet))
        return true;
    uint32_t len = ideal_unsent(i) < cut ? ideal_unsent(i) : cut;
    bool closed = i->limit - i->next < len;
    if (len == 0 || closed || i->put - i->get == i->conf.packets)
        return send_fin(i, now, packet);
    struct sent *s = sent_at(i, i->put++);
    *s = (struct sent){.packet = {.offset = i->next, .len = len, .sends = 1}, .due = now + i->conf.timeout};
    if (i->conf.length_only)
        s->packet.mark = *i->mark;
    if (i->put - i->get == 1)
        i->no_sooner = s->due;
    i->next += len;
    *packet = s->packet;
    return true;
}

void ideal_octets(const struct ideal *i, const struct ideal_packet *packet, uint8_t *out)
{
    ring_copy(i, packet->offset, out, packet->len, false);
}

/* The packet that starts at `offset`, or NULL. Packets lie in the order of the stream. */
static struct sent *sent_with(const struct ideal *i, uint64_t offset)
{
    uint32_t low = i->get, high = i->put;
    while (low != high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t found = sent_at(i, middle)->packet.offset;
        if (found == offset)
            return sent_at(i, middle);
        if (found < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void ideal_postpone(struct ideal *i, uint64_t offset, iw_time due)
{
    struct sent *s = sent_with(i, offset);
    if (s && due > s->due)
        s->due = due;
}

static void advance_first(struct ideal *i)
{
    while (i->get != i->put && sent_at(i, i->get)->acked)
        i->first += sent_at(i, i->get++)->packet.len;
}

void ideal_ack_below(struct ideal *i, uint64_t edge)
{
    for (uint32_t n = i->get; n != i->put; n++) {
        struct sent *s = sent_at(i, n);
        if (s->packet.offset + s->packet.len > edge)
            break;
        s->acked = true;
    }
    advance_first(i);
}

void ideal_ack(struct ideal *i, uint64_t offset, bool fin)
{
    struct sent *s = fin ? NULL : sent_with(i, offset);
    if (fin)
        i->fin_acked = i->fin_sent;
    if (s)
        s->acked = true;
    advance_first(i);
}

uint64_t ideal_acked(const struct ideal *i)
{
    return i->first;
}

bool ideal_finished(const struct ideal *i)
{
    return i->fin_acked && i->first == i->end;
}

iw_time ideal_deadline(const struct ideal *i)
{
    iw_time due = i->fin_sent && !i->fin_acked ? i->fin_due : IW_NEVER;
    return i->get != i->put && i->no_sooner < due ? i->no_sooner : due;
}

/* ---- the receiving half ---- */

struct run {
    uint64_t start, end;
};

struct ideal_in {
    uint64_t next;
    uint32_t max, count;
    struct run *run;
};

size_t ideal_in_size(uint32_t max)
{
    return rounded(sizeof(struct ideal_in)) + max * sizeof(struct run);
}

struct ideal_in *ideal_in_init(void *memory, uint32_t max)
{
    struct ideal_in *in = memory;
    *in = (struct ideal_in){.max = max};
    in->run = (struct run *)(void *)((uint8_t *)memory + rounded(sizeof *in));
    return in;
}

uint64_t ideal_in_next(const struct ideal_in *in)
{
    return in->next;
}

bool ideal_in_whole(const struct ideal_in *in)
{
    return in->count == 0;
}

/* The first run that ends at or behind `offset`. */
static uint32_t run_at(const struct ideal_in *in, uint64_t offset)
{
    uint32_t low = 0, high = in->count;
    while (low != high) {
        uint32_t middle = low + (high - low) / 2;
        if (in->run[middle].end < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool ideal_in_has(const struct ideal_in *in, uint64_t offset, uint32_t len)
{
    uint64_t end = offset + len;
    if (end <= in->next)
        return true;
    uint32_t i = run_at(in, end);
    return i < in->count && in->run[i].start <= (offset > in->next ? offset : in->next);
}

/* Runs first .. last - 1, at least one, are no more. */
static void drop(struct ideal_in *in, uint32_t first, uint32_t last)
{
    for (; last < in->count; first++, last++)
        in->run[first] = in->run[last];
    in->count -= last - first;
}

/* Run `i` is new; those behind it move. */
static void insert(struct ideal_in *in, uint32_t i, struct run new)
{
    for (uint32_t k = in->count++; k > i; k--)
        in->run[k] = in->run[k - 1];
    in->run[i] = new;
}

/* The run that has come within reach of `next` belongs to it. */
static void advance(struct ideal_in *in)
{
    if (!in->count || in->run[0].start > in->next)
        return;
    if (in->run[0].end > in->next)
        in->next = in->run[0].end;
    drop(in, 0, 1);
}

int ideal_in_take(struct ideal_in *in, uint64_t offset, uint32_t len)
{
    struct run new = {offset, offset + len};
    uint32_t first, last;
    if (new.end <= in->next)
        return IW_OK;
    if (new.start <= in->next && !in->count) {
        in->next = new.end;
        return IW_OK;
    }
    for (first = last = run_at(in, new.start); last < in->count && in->run[last].start <= new.end; last++) {
        if (in->run[last].start < new.start)
            new.start = in->run[last].start;
        if (in->run[last].end > new.end)
            new.end = in->run[last].end;
    }
    if (first == last && in->count == in->max)
        return IW_EFULL;
    if (first == last)
        insert(in, first, new);
    else if (last - first > 1)
        drop(in, first + 1, last);
    in->run[first] = new;
    advance(in);
    return IW_OK;
}
