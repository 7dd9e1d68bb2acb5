/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/judge/said.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/list.h"
#include "helpers/capture/decode_rules.h"

struct said_part {
    uint64_t key;
    uint32_t len;
    uint8_t *octets; /* NULL: not all are there */
};

/* ---- what is said ---- */

static bool make_part_room(struct said_list *l)
{
    struct said_part *more = l->parts < SAID_MAX ? list_grow(l->part, l->parts, sizeof *more) : NULL;
    l->part = more ? more : l->part;
    return more != NULL;
}

static uint8_t *keep_octets(struct said_list *l, const uint8_t *octets, uint32_t len)
{
    uint8_t *kept = l->octets + len <= SAID_OCTETS_MAX ? malloc(len + 1u) : NULL;
    if (!kept)
        return NULL;
    l->octets += len;
    memcpy(kept, octets, len);
    return kept;
}

void said_segment(struct said_list *l, const struct decode_segment *s)
{
    bool whole = s->ulpdu && s->ulpdu_there >= s->ulpdu_len && s->crc != DECODE_CRC_BAD;
    if (!whole || !s->readable || !make_part_room(l))
        return;
    uint32_t head = ddp_head_size(&s->head), len = s->ulpdu_len - head;
    size_t i = l->parts++;
    for (; i && l->part[i - 1].key > s->key; i--)
        l->part[i] = l->part[i - 1];
    l->part[i] = (struct said_part){s->key, len, keep_octets(l, s->ulpdu + head, len)};
}

/* The octets of the message whose last segment is at `key`: those of the segments up to it (RFC 5041 5.3). NULL: not all are
 * there. */
static uint8_t *take_parts(struct said_list *l, uint64_t key, uint32_t length)
{
    size_t count = 0;
    uint64_t len = 0, at = 0;
    bool whole = true;
    for (; count < l->parts && l->part[count].key <= key; count++) {
        len += l->part[count].len;
        whole &= l->part[count].octets != NULL;
    }
    uint8_t *octets = whole && len == length ? malloc(length + 1u) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (octets)
            memcpy(octets + at, l->part[i].octets, l->part[i].len);
        at += l->part[i].len;
        free(l->part[i].octets);
    }
    memmove(l->part, l->part + count, (l->parts - count) * sizeof *l->part);
    l->parts -= count;
    return octets;
}

void said_message(struct said_list *l, const struct decode_message *m)
{
    uint8_t *octets = l->parts ? take_parts(l, m->key, m->length) : NULL;
    struct said *more = l->count < SAID_MAX ? list_grow(l->said, l->count, sizeof *more) : NULL;
    l->failed |= !more;
    if (!more) {
        free(octets);
        return;
    }
    l->said = more;
    l->said[l->count++] = (struct said){.frame = m->frame_first,
                                        .head = m->head,
                                        .opcode = m->ctl.opcode,
                                        .length = m->length,
                                        .to = m->to,
                                        .read = m->read_req,
                                        .terminate = m->believe_siw ? m->as_siw : m->terminate,
                                        .octets = octets};
}

void said_know(struct said *s, uint64_t from, uint64_t to, bool known)
{
    if (!s->known)
        s->known = calloc(s->length + 1u, sizeof *s->known);
    for (uint64_t i = from; s->known && i < to && i < s->length; i++)
        s->known[i] = known;
}

void said_free(struct said_list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->said[i].octets);
        free(l->said[i].known);
    }
    for (size_t i = 0; i < l->parts; i++)
        free(l->part[i].octets);
    free(l->said);
    free(l->part);
    *l = (struct said_list){0};
}

static void describe_said(const struct said *s, char *out, size_t room)
{
    char unnamed[DECODE_NAME_MAX], text[DECODE_TERM_MAX];
    const char *name = decode_op_name(s->opcode, DECODE_TEXT, unnamed);
    if (s->opcode == RDMAP_TERMINATE)
        snprintf(out, room, "%s %s", name, decode_terminate_text(&s->terminate, text));
    else if (s->head.tagged)
        snprintf(out, room, "%s, %" PRIu32 " octets to %08" PRIx32 ":%" PRIx64, name, s->length, s->head.stag,
                 s->to);
    else
        snprintf(out, room, "%s, %" PRIu32 " octets, QN %" PRIu32 " MSN %" PRIu32, name, s->length,
                 s->head.qn, s->head.msn);
}

/* ---- octets ---- */

/* A number of memory that begins at most `len` - 1 octets before octet `i` and is another one at the peer's: the octet behind
 * it. 0: none. */
static uint32_t behind_number(const struct said *a, const struct said *b, uint32_t i, uint32_t len,
                              said_alike *alike, const void *context)
{
    for (uint32_t back = 0; back < len && back <= i; back++) {
        uint32_t at = i - back;
        if (at + len <= a->length && alike(context, a->octets + at, b->octets + at, len))
            return at + len;
    }
    return 0;
}

/* The first octet from `from` to `to` that differs, numbers of memory apart; `to`: none. */
static uint32_t differ_in(const struct said *a, const struct said *b, uint32_t from, uint32_t to,
                          said_alike *alike, const void *context)
{
    for (uint32_t i = from; i < to; i++) {
        if (a->octets[i] == b->octets[i])
            continue;
        uint32_t behind = behind_number(a, b, i, 8, alike, context);
        if (!behind)
            behind = behind_number(a, b, i, 4, alike, context);
        if (!behind)
            return i;
        i = behind - 1;
    }
    return to;
}

static bool knows_octet(const struct said *s, uint32_t octet)
{
    return s->known && s->known[octet];
}

/* The first octet that must be the same and is not; its length: none. `elsewhere`: the first other one. */
static uint32_t first_other(const struct said *a, const struct said *b, said_alike *alike,
                            const void *context, uint32_t *elsewhere)
{
    *elsewhere = a->length;
    if (!a->octets || !b->octets || a->opcode == RDMAP_TERMINATE)
        return a->length;
    if (!a->partly)
        return differ_in(a, b, 0, a->length, alike, context);
    uint32_t found = a->length;
    for (uint32_t from = 0, to; from < a->length; from = to) {
        bool known = knows_octet(a, from);
        for (to = from; to < a->length && knows_octet(a, to) == known;)
            to++;
        uint32_t i = differ_in(a, b, from, to, alike, context), *first = known ? &found : elsewhere;
        if (i < to && *first == a->length)
            *first = i;
    }
    return found;
}

/* ---- differences ---- */

static bool has_same_head(const struct said *a, const struct said *b)
{
    if (a->opcode != b->opcode || a->head.tagged != b->head.tagged)
        return false;
    if (a->opcode == RDMAP_TERMINATE)
        return decode_same_terminate(&a->terminate, &b->terminate);
    if (a->length != b->length)
        return false;
    return a->head.tagged ? a->head.stag == b->head.stag && a->to == b->to
                          : a->head.qn == b->head.qn && a->head.msn == b->head.msn;
}

enum { CLASSES = 7 };
static int class_of(const struct said *s)
{
    if (s->head.tagged)
        return s->opcode == RDMAP_READ_RESP;
    return s->head.qn < CLASSES - 3 ? 2 + (int)s->head.qn : CLASSES - 1;
}

/* The next of a class from `*i` on; NULL: there is none. */
static const struct said *next_of(const struct said_list *l, size_t *i, int class)
{
    while (*i < l->count && class_of(&l->said[*i]) != class)
        ++*i;
    return *i < l->count ? &l->said[(*i)++] : NULL;
}

struct pair {
    const struct said *was, *is;
    uint32_t octet; /* the first that differs; the length: their heads do */
};

static void note_elsewhere(struct said_difference *out, const struct said *s, uint32_t octet)
{
    if (octet == s->length || s->opcode == RDMAP_READ_REQ) /* whose sink is its sender's choice */
        return;
    if (!out->elsewhere++ || s->frame < out->elsewhere_frame) {
        out->elsewhere_frame = s->frame;
        out->elsewhere_octet = octet;
    }
}

/* The first of a class that is not the same in both; false: all are. */
static bool find_in_class(const struct said_list *was, const struct said_list *is, int class,
                          said_alike *alike, const void *context, struct pair *p, struct said_difference *out)
{
    size_t i = 0, k = 0;
    uint32_t elsewhere;
    for (;;) {
        p->was = next_of(was, &i, class);
        p->is = next_of(is, &k, class);
        p->octet = p->was ? p->was->length : 0;
        if (!p->was || !p->is || !has_same_head(p->was, p->is))
            return p->was || p->is;
        p->octet = first_other(p->was, p->is, alike, context, &elsewhere);
        note_elsewhere(out, p->was, elsewhere);
        if (p->octet < p->was->length)
            return true;
    }
}

static void print_pair(const struct pair *p, char *out)
{
    char was[160] = "nothing", is[160] = "nothing";
    if (p->was)
        describe_said(p->was, was, sizeof was);
    if (p->is)
        describe_said(p->is, is, sizeof is);
    if (p->was && p->is && p->octet < p->was->length)
        snprintf(out, SAID_TEXT_MAX,
                 "frame %" PRIu64 ": octet %" PRIu32 " of the capture's %s is %02x; of this peer's, %02x",
                 p->was->frame, p->octet, was, p->was->octets[p->octet], p->is->octets[p->octet]);
    else if (p->was)
        snprintf(out, SAID_TEXT_MAX, "frame %" PRIu64 ": the capture's responder says %s; this peer, %s",
                 p->was->frame, was, is);
    else
        snprintf(out, SAID_TEXT_MAX,
                 "this peer says %s, and the capture's responder nothing more of its kind", is);
}

void said_compare(const struct said_list *was, const struct said_list *is, said_alike *alike,
                  const void *context, struct said_difference *out)
{
    struct pair p, first = {0};
    *out = (struct said_difference){0};
    for (int class = 0; class < CLASSES; class ++) {
        if (!find_in_class(was, is, class, alike, context, &p, out))
            continue;
        if (!out->found || (p.was && (!first.was || p.was->frame < first.was->frame)))
            first = p;
        out->found = true;
    }
    if (out->found)
        print_pair(&first, out->text);
}
