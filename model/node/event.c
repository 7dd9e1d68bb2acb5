/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/event.h"

#include <string.h>

#include "engine/wire.h"

#define TRAITS(kind, traced, word, source, says, traits) [NODE_##kind] = (traits),
#define WORD(kind, traced, word, source, says, traits)   [NODE_##kind] = word,
const uint8_t node_event_traits[NODE_EVENTS] = {NODE_EVENT_TABLE(TRAITS)};
const char *const node_event_words[NODE_EVENTS] = {[NODE_NO_EVENT] = "", NODE_EVENT_TABLE(WORD)};

uint32_t node_kinds_of(unsigned traits)
{
    uint32_t kinds = 0;
    for (unsigned kind = 0; kind < NODE_EVENTS; kind++)
        kinds |= (uint32_t)((node_event_traits[kind] & traits) != 0) << kind;
    return kinds;
}

const char *const node_drop_names[NODE_DROPS] = {
    [NODE_NOT_DROPPED] = "",    [NODE_FOR_STAGING] = "staging", [NODE_FOR_ORDER] = "order",
    [NODE_FOR_TRACK] = "track", [NODE_FOR_HOLD] = "hold",       [NODE_FOR_CRC] = "crc",
    [NODE_FOR_ROOM] = "room",   [NODE_FOR_ICV] = "icv"};

/* RDMAP itself reads what comes on a queue but the first. */
static uint32_t shown(const struct iw_seg *seg)
{
    struct ddp_head h;
    bool own = ddp_head_get(seg->head, seg->head_len, &h) && !h.tagged && h.qn > 0;
    return own ? IW_TERM_MAX : NODE_SHOWN;
}

void node_seg_of(struct node_seg *out, const struct iw_seg *seg)
{
    out->head_len = out->len = seg->head_len;
    memcpy(out->head, seg->head, sizeof seg->head);
}

void node_seg_show(struct node_seg *out, const struct iw_seg *seg)
{
    uint32_t most = shown(seg);
    for (uint8_t f = 0; f < seg->frags && most; f++) {
        uint32_t len = seg->frag[f].len < most ? seg->frag[f].len : most;
        if (!seg->frag[f].octets)
            continue;
        memcpy(out->head + out->len, seg->frag[f].octets, len);
        out->len = (uint8_t)(out->len + len);
        most -= len;
    }
}

struct node_place node_place_of(const struct iw_place *place)
{
    return (struct node_place){.to = place->to, .stag = place->stag, .len = place->len, .msn = place->msn};
}

struct node_message node_message_of(const struct iw_message *message)
{
    return (struct node_message){.key = message->key,
                                 .to = message->to,
                                 .length = message->length,
                                 .stag = message->head.stag,
                                 .qn = message->head.qn,
                                 .msn = message->head.msn,
                                 .opcode = message->ctl.opcode,
                                 .tagged = message->head.tagged,
                                 .last = message->head.last};
}

void node_endpoint_of(struct node_endpoint_event *out, const struct iw_event *event)
{
    const struct rdmap_terminate *t = &event->terminate;
    *out = (struct node_endpoint_event){.kind = event->kind,
                                        .term = t->term,
                                        .valid = event->valid,
                                        .has_len = t->m,
                                        .has_head = t->d,
                                        .head_len = t->head_len,
                                        .segment_len = t->segment_len};
    memcpy(out->head, t->head, sizeof out->head);
}
