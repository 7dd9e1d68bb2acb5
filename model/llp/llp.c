/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* llp.c -- what is the same of every lower layer (llp.h, llp_inner.h). */
#include <string.h>

#include "engine/carve.h"
#include "engine/law.h"
#include "llp/llp_inner.h"
#include "llp/packet.h"
#include "llp/tcp.h"

enum { SHIFT_MAX = 14, FIELD_MAX = 65535, BLOCKS_MIN = 4, BLOCKS_MAX = 64, RING_MIN = 64 };

const char *const llp_reason_names[] = {[LLP_WHY_NONE] = "",           [LLP_WHY_DUPACK] = "dupack",
                                        [LLP_WHY_RACK] = "RACK",       [LLP_WHY_TLP] = "TLP",
                                        [LLP_WHY_RTO] = "RTO",         [LLP_WHY_GO_BACK] = "go-back-N",
                                        [LLP_WHY_NAK] = "NAK",         [LLP_WHY_PASSED] = "passed",
                                        [LLP_WHY_TRIMMED] = "trimmed", [LLP_WHY_FULL] = "not remembered"};
_Static_assert(sizeof llp_reason_names / sizeof *llp_reason_names == LLP_REASONS, "each reason has its name");

struct llp_form llp_form_of(const struct llp_conf *c)
{
    return (struct llp_form){.mtu = c->mtu,
                             .markers = c->markers,
                             .timestamps = c->tcp && c->tcp->timestamps,
                             .recovery = c->packet ? c->packet->recovery : 0};
}

uint8_t llp_window_shift(uint64_t window)
{
    uint8_t shift = 0;
    while (shift < SHIFT_MAX && window > (uint64_t)FIELD_MAX << shift)
        shift++;
    return shift;
}

/* ---- an object ---- */

size_t llp_size(const struct llp *table, const struct llp_conf *conf)
{
    struct carve c = {0};
    if (!table->conf_error(conf))
        table->lay_out(&c, conf);
    return c.used;
}

void *llp_init(const struct llp *table, void *memory, const struct llp_conf *conf)
{
    struct carve c = {.memory = memory};
    void *l = table->conf_error(conf) ? NULL : table->lay_out(&c, conf);
    LAW(!l || c.used == llp_size(table, conf));
    return l;
}

/* ---- what happens ---- */

void llp_object_init(struct llp_object *o, const struct llp_conf *conf, struct llp_event *event,
                     uint32_t events)
{
    *o = (struct llp_object){.face.told = true,
                             .conf = *conf,
                             .event = event,
                             .events = events,
                             .ord = conf->ord,
                             .ird = conf->ird};
    o->conf.tcp = NULL;
    o->conf.sctp = NULL;
    o->conf.packet = NULL;
}

void llp_tell(struct llp_object *o, struct llp_event e)
{
    if (o->event_put - o->event_get == o->events)
        o->event_get++;
    o->event[o->event_put++ & (o->events - 1)] = e;
    o->face.told = true;
}

bool llp_told_next(struct llp_object *o, struct llp_event *e)
{
    if (o->up) {
        o->up = false;
        *e = (struct llp_event){.kind = LLP_EV_UP, .ord = o->ord, .ird = o->ird, .wait_first = o->wait_first};
    } else if (o->event_get != o->event_put) {
        LAW(o->event_put - o->event_get <= o->events);
        *e = o->event[o->event_get++ & (o->events - 1)];
    } else if (o->failed) {
        o->failed = false;
        *e = (struct llp_event){.kind = LLP_EV_FAILED, .term = o->term};
    } else if (o->lost) {
        o->lost = false;
        *e = (struct llp_event){.kind = LLP_EV_LOST};
    } else {
        return false;
    }
    return true;
}

bool llp_told_down(struct llp_object *o, struct llp_event *e)
{
    LAW(!o->told_down); /* DOWN is told once */
    o->told_down = true;
    *e = (struct llp_event){.kind = LLP_EV_DOWN};
    return true;
}

/* ---- memory ---- */

bool llp_ring_grow(const struct llp_object *o, struct llp_ring *ring, size_t each, uint64_t get,
                   uint32_t count)
{
    uint32_t slots = ring->slots ? ring->slots * 2 : RING_MIN;
    uint8_t *from = ring->at, *to = llp_more(o, slots * each);
    if (!to)
        return false;
    LAW(count <= ring->slots && !(slots & (slots - 1)));
    memset(to, 0, slots * each);
    for (uint64_t n = get; n != get + count; n++)
        memcpy(to + (n & (slots - 1)) * each, from + (n & (ring->slots - 1)) * each, each);
    *ring = (struct llp_ring){to, slots};
    return true;
}

struct llp_block {
    struct llp_block *next;
};

bool llp_blocks_ready(const struct llp_object *o, struct llp_blocks *b)
{
    uint32_t n = b->made < BLOCKS_MIN ? BLOCKS_MIN : b->made > BLOCKS_MAX ? BLOCKS_MAX : b->made;
    uint8_t *p = b->spare ? NULL : llp_more(o, (size_t)n * b->octets);
    if (!p)
        return b->spare;
    b->made += n;
    for (; n--; p += b->octets)
        llp_block_give(b, p);
    return true;
}

void *llp_block_take(struct llp_blocks *b)
{
    struct llp_block *block = b->spare;
    b->spare = block->next;
    return block;
}

void llp_block_give(struct llp_blocks *b, void *block)
{
    struct llp_block *given = block;
    given->next = b->spare;
    b->spare = given;
}

/* ---- rows ---- */

void llp_open_at_once(void *l, iw_time now)
{
    struct llp_object *o = l;
    (void)now;
    o->up = o->open = true;
}

void llp_close_by_packet(void *l, iw_time now, uint16_t stream, enum iw_llp_want how)
{
    struct llp_object *o = l;
    (void)now;
    (void)stream;
    o->finish |= how == IW_LLP_SEND_FIN;
    o->rst |= how == IW_LLP_SEND_RST && !o->gone;
    o->gone |= how == IW_LLP_SEND_RST;
}

uint8_t llp_shift(const void *l)
{
    return llp_window_shift(((const struct llp_object *)l)->conf.window);
}
