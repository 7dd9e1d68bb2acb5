/* SPDX-License-Identifier: GPL-2.0-or-later */
/* narrate_cause.c -- from a Terminate back to the octets that caused it (narrate.h).
 *
 * The Terminate carries the DDP header of the segment in error: the latest segment of the other side that begins with
 * it is meant. Where it carries none (a bad CRC, a wrong marker), the segment before it is. */
#include <stdio.h>
#include <string.h>

#include "engine/term.h"
#include "helpers/capture/fields.h"
#include "helpers/story/narrate.h"
#include "llp/mpa.h"

/* The segment that a Terminate carries the header of: the latest of the other side that begins with these octets. */
static int segment_with(const struct story *s, const struct story_event *e, int before)
{
    int sender = !e->side;
    for (int i = before - 1; i >= 0 && e->head_len; i--) {
        const struct story_event *b = &s->event[i];
        bool sent = b->kind == TRACE_SENT && b->conn == e->conn && b->side == sender;
        uint8_t len = b->head_len < e->head_len ? b->head_len : e->head_len;
        if (sent && len && memcmp(b->head, e->head, len) == 0)
            return b->segment;
    }
    return STORY_NOBODY;
}

/* In a capture: the segment in which the decoder found the same error. */
static int segment_in_error(const struct story *s, const struct story_event *e, int before)
{
    for (int i = before - 1; i >= 0; i--) {
        const struct story_event *b = &s->event[i];
        bool same = b->kind == TRACE_VIOLATION && b->conn == e->conn && b->side != e->side && e->said.term &&
                    b->said.term == e->said.term;
        for (int k = i; same && k >= 0 && s->event[k].frame == b->frame; k--)
            if (s->event[k].kind == TRACE_SENT && s->event[k].conn == e->conn)
                return s->event[k].segment;
    }
    return STORY_NOBODY;
}

/* Without a header: the last segment that the other side sent before. */
static int segment_before(const struct story *s, const struct story_event *e, int before)
{
    for (int i = before - 1; i >= 0; i--) {
        const struct story_event *b = &s->event[i];
        bool mine = b->conn == e->conn && b->side == !e->side && b->kind == TRACE_SENT;
        if (mine && b->t < e->t)
            return b->segment;
    }
    return STORY_NOBODY;
}

/* Stream offset of octet `octet` of the ULPDU of the FPDU at `key`: its length field and markers come before. */
static uint64_t stream_offset(const struct story *s, uint64_t key, uint32_t octet)
{
    uint64_t at = key;
    uint32_t left = 2 + octet;
    while (s->markers) {
        uint32_t phase = (uint32_t)(at % MPA_MARKER_EVERY);
        if (phase == 0)
            at += MPA_MARKER;
        uint32_t run = MPA_MARKER_EVERY - (uint32_t)(at % MPA_MARKER_EVERY);
        if (left < run)
            break;
        at += run;
        left -= run;
    }
    return at + left;
}

static void find_field(const struct story *s, int term, struct narration_cause *c)
{
    struct field f[FIELDS_MAX];
    const struct story_segment *g = &s->segment[c->segment];
    const struct story_event *e = &s->event[g->sent];
    int n = fields_of(e->head, e->head_len, f);
    c->field = field_blamed(term, e->head_len && e->head[0] & 0x80, &c->why);
    for (int i = 0; i < n && c->field; i++) {
        if (strcmp(f[i].name, c->field) != 0)
            continue;
        c->octet = f[i].bit / 8u;
        c->octets = (f[i].bits + 7u) / 8;
        return;
    }
    c->field = NULL;
}

bool narrate_cause(const struct story *s, int event, struct narration_cause *c)
{
    const struct story_event *e = &s->event[event];
    int term = e->said.term;
    *c = (struct narration_cause){.segment = segment_with(s, e, event)};
    if (c->segment < 0 && s->capture)
        c->segment = segment_in_error(s, e, event);
    bool llp = term == IW_T_LLP_CRC || term == IW_T_LLP_MARKER;
    if (c->segment < 0 && (llp || term == IW_T_DDP_CATASTROPHIC))
        c->segment = segment_before(s, e, event);
    if (!term || c->segment < 0)
        return false;
    find_field(s, term, c);
    const struct story_segment *g = &s->segment[c->segment];
    c->at = s->sctp ? c->octet : stream_offset(s, g->key, c->octet);
    if (term == IW_T_LLP_CRC && g->end != STORY_NONE) {
        c->field = "CRC";
        c->why = "it does not match the octets that it covers";
        c->octets = 4;
        c->at = g->end - 4;
    }
    if (term == IW_T_LLP_MARKER) {
        c->field = "a marker";
        c->why = "it does not point to the start of the FPDU";
        c->octets = 4;
        c->at = (g->key + MPA_MARKER_EVERY - 1) / MPA_MARKER_EVERY * MPA_MARKER_EVERY;
    }
    return true;
}
