/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story.c -- reading a trace, and tying together what belongs together (story.h). */
#include "helpers/story/story.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/list.h"
#include "helpers/trial/trial_run.h"

const char *const story_about_names[ABOUTS] = {
    [ABOUT_POST] = "post",       [ABOUT_SEND] = "send",     [ABOUT_PLACE] = "place",
    [ABOUT_DELIVER] = "deliver", [ABOUT_WINDOW] = "window", [ABOUT_ERROR] = "error"};

char story_side_name(int side)
{
    return side ? 'B' : 'A';
}

const char *story_time(uint64_t t, char out[STORY_NAME_MAX])
{
    uint64_t ns = (t + 500) / 1000;
    snprintf(out, STORY_NAME_MAX, "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
    return out;
}

const char *story_segment_name(const struct story *s, int segment, char out[STORY_NAME_MAX])
{
    if (segment < 0) {
        snprintf(out, STORY_NAME_MAX, "a segment");
        return out;
    }
    const struct story_segment *g = &s->segment[segment];
    if (s->several)
        snprintf(out, STORY_NAME_MAX, "c%d.%c%u", g->conn, story_side_name(g->side), g->number);
    else
        snprintf(out, STORY_NAME_MAX, "%c%u", story_side_name(g->side), g->number);
    return out;
}

const struct story_event story_nothing = {.said = {.original = TRACE_NO_NUMBER},
                                          .key = STORY_NONE,
                                          .end = STORY_NONE,
                                          .window_edge = STORY_NONE,
                                          .staging = STORY_NONE,
                                          .cwnd = STORY_NONE,
                                          .ssthresh = STORY_NONE,
                                          .srtt = STORY_NONE,
                                          .held = STORY_NONE,
                                          .crossings = STORY_NONE,
                                          .segment = STORY_NOBODY,
                                          .message = STORY_NOBODY};

/* ---- life ---- */

struct story *story_new(void)
{
    return calloc(1, sizeof(struct story));
}

void story_free(struct story *s)
{
    if (!s)
        return;
    free(s->event);
    free(s->segment);
    free(s->message);
    free(s);
}

bool story_add(struct story *s, const struct story_event *e)
{
    struct story_event *more = list_grow(s->event, (size_t)s->events, sizeof *more);
    if (!more)
        return false;
    s->event = more;
    s->event[s->events++] = *e;
    return true;
}

/* ---- a line of the trace ---- */

enum cell {
    C_T,
    C_NODE,
    C_CONN,
    C_EVENT,
    C_KEY,
    C_LENGTH,
    C_STAG,
    C_TO,
    C_QN,
    C_MSN,
    C_MO,
    C_EDGE,
    C_STAGING,
    C_CWND,
    C_SSTHRESH,
    C_SRTT,
    C_SIDE,
    C_OOO,
    C_END,
    C_HELD,
    C_CROSSINGS,
    C_TEXT,
    C_HEAD,
    COLUMNS
};

enum { TRACE_LINE_MAX = 2048 };

static bool split(char *line, char *cell[COLUMNS])
{
    line[strcspn(line, "\r\n")] = 0;
    for (int i = 0; i < COLUMNS; i++) {
        cell[i] = line;
        line = strchr(line, ',');
        if (!line)
            return i == COLUMNS - 1;
        *line++ = 0;
    }
    return false;
}

/* An empty cell is STORY_NONE. */
static bool number(const char *cell, uint64_t *n)
{
    char *end;
    *n = STORY_NONE;
    if (!*cell)
        return true;
    errno = 0;
    *n = strtoull(cell, &end, 0);
    return !*end && *cell != '-' && !errno;
}

static bool number32(const char *cell, uint32_t *n)
{
    uint64_t wide;
    bool good = number(cell, &wide) && (wide == STORY_NONE || wide <= UINT32_MAX);
    *n = wide == STORY_NONE ? 0 : (uint32_t)wide;
    return good;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool octets(const char *cell, struct story_event *e)
{
    for (; *cell; cell += 2) {
        int high = digit(cell[0]), low = high < 0 ? -1 : digit(cell[1]);
        if (low < 0 || e->head_len == STORY_HEAD_MAX)
            return false;
        e->head[e->head_len++] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool who(char *const cell[COLUMNS], struct story_event *e)
{
    uint64_t conn = STORY_NONE;
    uint32_t side = 0, ooo = 0;
    bool good = number32(cell[C_NODE], &e->node) && number(cell[C_CONN], &conn) &&
                number32(cell[C_SIDE], &side) && number32(cell[C_OOO], &ooo);
    e->conn = conn == STORY_NONE ? STORY_NOBODY : (int)(conn & INT32_MAX);
    e->side = side != 0;
    e->ooo = ooo != 0;
    return good && (conn == STORY_NONE || conn < 1 << 24);
}

static bool where(char *const cell[COLUMNS], struct story_event *e)
{
    e->tagged = *cell[C_STAG];
    e->untagged = *cell[C_QN];
    return number32(cell[C_STAG], &e->stag) && number(cell[C_TO], &e->to) && number32(cell[C_QN], &e->qn) &&
           number32(cell[C_MSN], &e->msn) && number32(cell[C_MO], &e->mo);
}

static bool counts(char *const cell[COLUMNS], struct story_event *e)
{
    return number(cell[C_T], &e->t) && e->t != STORY_NONE && number(cell[C_KEY], &e->key) &&
           number32(cell[C_LENGTH], &e->length) && number(cell[C_EDGE], &e->window_edge) &&
           number(cell[C_STAGING], &e->staging) && number(cell[C_CWND], &e->cwnd) &&
           number(cell[C_SSTHRESH], &e->ssthresh) && number(cell[C_SRTT], &e->srtt) &&
           number(cell[C_END], &e->end) && number(cell[C_HELD], &e->held) &&
           number(cell[C_CROSSINGS], &e->crossings);
}

/* Words for a terminal: what would command it is taken out. */
static void copy_words(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text);
    for (; *out; out++)
        if ((unsigned char)*out < ' ' || *out == 0x7f)
            *out = '?';
}

static bool read_event(char *line, struct story_event *e)
{
    char *cell[COLUMNS];
    *e = (struct story_event){.segment = STORY_NOBODY, .message = STORY_NOBODY};
    if (!split(line, cell) || !counts(cell, e) || !who(cell, e) || !where(cell, e) ||
        !octets(cell[C_HEAD], e))
        return false;
    e->kind = trace_kind_of(cell[C_EVENT]);
    copy_words(e->text, sizeof e->text, e->kind == TRACE_OTHER ? cell[C_EVENT] : cell[C_TEXT]);
    e->said = trace_said(e->kind, e->text);
    return true;
}

static bool read_events(struct story *s, FILE *trace, const char *name, char *error)
{
    char line[TRACE_LINE_MAX];
    struct story_event e;
    unsigned number_of = 1;
    while (fgets(line, sizeof line, trace)) {
        number_of++;
        if (!read_event(line, &e)) {
            snprintf(error, STORY_ERROR_MAX, "%s: line %u is not one of a trace", name, number_of);
            return false;
        }
        if (!story_add(s, &e)) {
            snprintf(error, STORY_ERROR_MAX, "out of memory for %s", name);
            return false;
        }
    }
    return true;
}

/* What is written and not yet seen has an effect for who reads memory; else stories leave it out. */
static void keep_written(struct story *s)
{
    int kept = 0;
    if (story_next(s, TRACE_LOOKED, 0) >= 0)
        return;
    for (int i = 0; i < s->events; i++)
        if (s->event[i].kind != TRACE_WRITTEN)
            s->event[kept++] = s->event[i];
    s->events = kept;
}

struct story *story_read(FILE *trace, const char *name, char *error)
{
    char head[TRACE_LINE_MAX] = "", *wanted = NULL;
    size_t size;
    struct story *s = story_new();
    FILE *line = open_memstream(&wanted, &size);
    if (line) {
        columns_start(line, trial_columns, TRACE_COLUMNS, true);
        fclose(line);
    }
    bool is_trace = wanted && fgets(head, sizeof head, trace) && strcmp(head, wanted) == 0;
    free(wanted);
    if (!is_trace)
        snprintf(error, STORY_ERROR_MAX, "%s is not a trace of this version: its first line differs", name);
    else if (!s)
        snprintf(error, STORY_ERROR_MAX, "out of memory for %s", name);
    if (s && is_trace && read_events(s, trace, name, error)) {
        keep_written(s);
        if (story_tie(s))
            return s;
        snprintf(error, STORY_ERROR_MAX, "out of memory for %s", name);
    }
    story_free(s);
    return NULL;
}

/* ---- segments ---- */

static int by_key(const void *a, const void *b)
{
    const struct story_segment *x = a, *y = b;
    if (x->conn != y->conn)
        return x->conn < y->conn ? -1 : 1;
    if (x->side != y->side)
        return x->side - y->side;
    return x->key < y->key ? -1 : x->key > y->key;
}

static void add_segment(struct story *s, int event)
{
    const struct story_event *e = &s->event[event];
    struct story_segment *g = &s->segment[s->segments++];
    *g = (struct story_segment){.conn = e->conn,
                                .side = e->side,
                                .key = e->key,
                                .end = e->end,
                                .sends = 1,
                                .length = e->length,
                                .message = STORY_NOBODY,
                                .sent = event,
                                .left = STORY_NOBODY,
                                .landed = STORY_NOBODY,
                                .arrived = STORY_NOBODY,
                                .placed = STORY_NOBODY,
                                .delivered = STORY_NOBODY,
                                .waits_for = STORY_NOBODY};
    g->readable = ddp_head_get(e->head, e->head_len, &g->head);
    if (g->readable)
        rdmap_ctl_get(g->head.rsvdulp, g->head.tagged, &g->ctl);
}

static bool make_segments(struct story *s)
{
    int n = 0;
    for (int i = 0; i < s->events; i++)
        n += s->event[i].kind == TRACE_SENT;
    s->segment = calloc((size_t)n + 1, sizeof *s->segment);
    if (!s->segment)
        return false;
    for (int i = 0; i < s->events; i++)
        if (s->event[i].kind == TRACE_SENT)
            add_segment(s, i);
    qsort(s->segment, (size_t)s->segments, sizeof *s->segment, by_key);
    for (int i = 0; i < s->segments; i++) {
        struct story_segment *g = &s->segment[i];
        bool first = i == 0 || g[-1].conn != g->conn || g[-1].side != g->side;
        g->number = first ? 1 : g[-1].number + 1;
    }
    return true;
}

/* The segment of `side` that holds stream offset `at`: the last one whose key is at most `at`; STORY_NOBODY. */
static int segment_at(const struct story *s, int conn, int side, uint64_t at)
{
    struct story_segment wanted = {.conn = conn, .side = side, .key = at};
    int low = 0, high = s->segments;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (by_key(&s->segment[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct story_segment *g = low ? &s->segment[low - 1] : NULL;
    bool mine = g && g->conn == conn && g->side == side && (g->end == STORY_NONE || at < g->end);
    return mine ? low - 1 : STORY_NOBODY;
}

/* Whose segments an event's key counts: those that its side sends, or those that it receives. */
static bool is_about_own(enum trace_kind kind)
{
    return kind == TRACE_SENT || kind == TRACE_LEFT || kind == TRACE_RESENT || kind == TRACE_LOST ||
           kind == TRACE_TIMEOUT || kind == TRACE_SPURIOUS;
}

static bool is_about_segment(enum trace_kind kind)
{
    return is_about_own(kind) || kind == TRACE_LANDED || kind == TRACE_ARRIVED || kind == TRACE_REFUSED ||
           kind == TRACE_DROPPED || kind == TRACE_KEPT || kind == TRACE_WRITTEN || kind == TRACE_PLACED ||
           kind == TRACE_DELIVERED || kind == TRACE_LOOKED;
}

/* Nobody's segment: a packet that was altered, or came when all was over, has no numbers that can be trusted; a packet of
 * the start-up came before the first segment left. */
static bool is_about_none(const struct story *s, const struct story_event *e, int i)
{
    bool packet = e->kind == TRACE_LOST || e->kind == TRACE_LANDED || e->kind == TRACE_REFUSED ||
                  e->kind == TRACE_DROPPED;
    return !e->frame && ((packet && e->end == STORY_NONE) || s->segment[e->segment].sent > i);
}

static void note_first(int *place, int event)
{
    if (*place == STORY_NOBODY)
        *place = event;
}

static void tie_event(struct story *s, int i)
{
    struct story_event *e = &s->event[i];
    if (e->conn < 0 || e->key == STORY_NONE || !is_about_segment(e->kind))
        return;
    e->segment = segment_at(s, e->conn, is_about_own(e->kind) ? e->side : !e->side, e->key);
    if (e->segment >= 0 && is_about_none(s, e, i))
        e->segment = STORY_NOBODY;
    if (e->segment < 0)
        return;
    struct story_segment *g = &s->segment[e->segment];
    g->sends += e->kind == TRACE_RESENT;
    g->losses += e->kind == TRACE_LOST;
    if (e->kind == TRACE_LEFT)
        note_first(&g->left, i);
    if (e->kind == TRACE_ARRIVED)
        note_first(&g->arrived, i);
    if (e->kind == TRACE_PLACED)
        note_first(&g->placed, i);
    if (e->kind == TRACE_DELIVERED)
        note_first(&g->delivered, i);
}

/* ---- holes ---- */

static bool belongs_here(const struct story_segment *g, int event)
{
    return (g->landed >= 0 && g->landed <= event) || (g->arrived >= 0 && g->arrived <= event);
}

/* The first segment before `at` that is not there yet, or (`accepted`) that was not accepted yet; `*hole` is as far as
 * all are. */
static int missing_before(const struct story *s, int *hole, int at, int event, bool accepted)
{
    while (*hole < at && s->segment[*hole].arrived >= 0 && s->segment[*hole].arrived < event)
        ++*hole;
    for (int i = *hole; i < at; i++)
        if (accepted || !belongs_here(&s->segment[i], event))
            return i;
    return STORY_NOBODY;
}

/* What was missing when each segment came: the first of its stream that was not there. One that was refused has not come. */
static void tie_holes(struct story *s, int first, int last)
{
    int hole = first;
    for (int i = 0; i < s->events; i++) {
        struct story_event *e = &s->event[i];
        if (e->segment < first || e->segment > last)
            continue;
        struct story_segment *g = &s->segment[e->segment];
        if (e->kind == TRACE_REFUSED || e->kind == TRACE_DROPPED)
            g->landed = STORY_NOBODY;
        e->twice = e->kind == TRACE_LANDED && belongs_here(g, i);
        if (e->kind == TRACE_LANDED && !e->twice)
            g->landed = i;
        if ((e->kind == TRACE_LANDED && g->landed == i) ||
            (e->kind == TRACE_ARRIVED && e->ooo && g->arrived == i))
            g->waits_for = missing_before(s, &hole, e->segment, i, e->kind == TRACE_ARRIVED);
        if (e->kind == TRACE_ARRIVED && g->arrived == i)
            g->early = e->ooo;
    }
}

static void tie_all_holes(struct story *s)
{
    for (int first = 0, i = 1; i <= s->segments; i++) {
        const struct story_segment *g = &s->segment[i];
        if (i < s->segments && g->conn == g[-1].conn && g->side == g[-1].side)
            continue;
        tie_holes(s, first, i - 1);
        first = i;
    }
}

/* ---- messages ---- */

static bool belongs(const struct story_message *m, const struct story_segment *g)
{
    if (m->conn != g->conn || m->side != g->side || m->opcode != g->ctl.opcode ||
        m->head.tagged != g->head.tagged)
        return false;
    return g->head.tagged ? m->head.stag == g->head.stag
                          : m->head.qn == g->head.qn && m->head.msn == g->head.msn;
}

enum { OPEN_MAX = 8 }; /* messages under way in one direction */

static void add_to_message(struct story *s, int open[OPEN_MAX], int i)
{
    struct story_segment *g = &s->segment[i];
    int slot = 0, spare = 0;
    for (int k = OPEN_MAX - 1; k >= 0; k--)
        spare = open[k] < 0 ? k : spare;
    for (slot = 0; slot < OPEN_MAX; slot++)
        if (open[slot] >= 0 && belongs(&s->message[open[slot]], g))
            break;
    if (slot == OPEN_MAX) {
        slot = spare;
        open[slot] = s->messages++;
        s->message[open[slot]] = (struct story_message){.conn = g->conn,
                                                        .side = g->side,
                                                        .first = i,
                                                        .opcode = g->ctl.opcode,
                                                        .head = g->head,
                                                        .delivered = STORY_NOBODY,
                                                        .brought_by = STORY_NOBODY};
    }
    struct story_message *m = &s->message[open[slot]];
    g->message = open[slot];
    m->last = i;
    m->segments++;
    m->early += g->early;
    m->length += g->length;
    if (g->head.last)
        open[slot] = STORY_NOBODY;
}

static bool make_messages(struct story *s)
{
    int open[OPEN_MAX];
    s->message = calloc((size_t)s->segments + 1, sizeof *s->message);
    for (int i = 0; s->message && i < s->segments; i++) {
        const struct story_segment *g = &s->segment[i];
        if (i == 0 || g[-1].conn != g->conn || g[-1].side != g->side)
            for (int k = 0; k < OPEN_MAX; k++)
                open[k] = STORY_NOBODY;
        if (g->readable)
            add_to_message(s, open, i);
    }
    return s->message;
}

/* The segment whose octets were the last to get in place before a delivery, on the same connection and side. */
static int brought_by(const struct story *s, int delivered)
{
    const struct story_event *e = &s->event[delivered];
    for (int i = delivered - 1; i >= 0; i--) {
        const struct story_event *b = &s->event[i];
        bool here = b->conn == e->conn && b->side == e->side && b->segment >= 0;
        if (here && (b->kind == TRACE_PLACED || b->kind == TRACE_ARRIVED) && b->t <= e->t)
            return b->segment;
    }
    return STORY_NOBODY;
}

static void tie_messages(struct story *s)
{
    for (int i = 0; i < s->events; i++) {
        struct story_event *e = &s->event[i];
        if (e->segment < 0)
            continue;
        e->message = s->segment[e->segment].message;
        if (e->kind != TRACE_DELIVERED || e->message < 0)
            continue;
        s->message[e->message].delivered = i;
        s->message[e->message].brought_by = brought_by(s, i);
    }
}

static bool has_several(const struct story *s)
{
    int known = STORY_NOBODY;
    for (int i = 0; i < s->events; i++) {
        if (s->event[i].conn >= 0 && known >= 0 && s->event[i].conn != known)
            return true;
        known = s->event[i].conn >= 0 ? s->event[i].conn : known;
    }
    return false;
}

static bool has_decorated(const struct story *s)
{
    bool delivered = false;
    for (int i = 0; i < s->events; i++) {
        delivered |= s->event[i].kind == TRACE_DELIVERED;
        if (s->event[i].kind == TRACE_SENT)
            return false;
    }
    return delivered && !s->capture;
}

/* What an engine says when a call has ended comes before what the same call made others do. */
static bool goes_before(const struct story_event *x, const struct story_event *y)
{
    bool says = x->kind == TRACE_TERMINATE_SENT || x->kind == TRACE_TERMINATE_RECEIVED;
    bool follows = y->kind == TRACE_CLOSES || y->kind == TRACE_DONE || y->kind == TRACE_FATAL ||
                   y->kind == TRACE_SENT || y->kind == TRACE_LEFT || y->kind == TRACE_EDGE;
    return says && follows && x->t == y->t && x->conn == y->conn && x->side == y->side && !y->frame;
}

/* That a program will read is known before, and told at its time. */
static bool is_ahead(const struct story_event *x, const struct story_event *of)
{
    return x->kind == TRACE_LOOKED && x->t > of->t;
}

static void order(struct story *s)
{
    for (int i = 1; i < s->events; i++)
        for (int k = i; k > 0 && (is_ahead(&s->event[k - 1], &s->event[k]) ||
                                  goes_before(&s->event[k], &s->event[k - 1]));
             k--) {
            struct story_event x = s->event[k];
            s->event[k] = s->event[k - 1];
            s->event[k - 1] = x;
        }
}

bool story_tie(struct story *s)
{
    order(s);
    s->several = has_several(s);
    s->decorated = has_decorated(s);
    for (int i = 0; i < s->events; i++)
        s->nodes = s->event[i].node >= s->nodes ? s->event[i].node + 1 : s->nodes;
    if (!make_segments(s))
        return false;
    for (int i = 0; i < s->events; i++)
        tie_event(s, i);
    tie_all_holes(s);
    if (!make_messages(s))
        return false;
    tie_messages(s);
    return true;
}

int story_region_of(const struct story *s, uint32_t node, uint32_t stag, int before)
{
    int found = STORY_NOBODY;
    for (int i = 0; i < before; i++) {
        const struct story_event *e = &s->event[i];
        if (e->stag == stag && e->node == node &&
            (e->kind == TRACE_REGION || e->kind == TRACE_REBIND || e->kind == TRACE_INVALIDATE))
            found = i;
    }
    return found;
}

/* ---- looking ---- */

int story_next(const struct story *s, enum trace_kind kind, int from)
{
    for (int i = from; i < s->events; i++)
        if (s->event[i].kind == kind)
            return i;
    return STORY_NOBODY;
}

int story_last(const struct story *s, enum trace_kind kind)
{
    int i = s->events - 1;
    while (i >= 0 && s->event[i].kind != kind)
        i--;
    return i;
}

int story_message_of(const struct story *s, uint8_t opcode)
{
    for (int i = 0; i < s->messages; i++)
        if (s->message[i].opcode == opcode)
            return i;
    return STORY_NOBODY;
}

unsigned story_count(const struct story *s, enum trace_kind kind)
{
    unsigned n = 0;
    for (int i = 0; i < s->events; i++)
        n += s->event[i].kind == kind;
    return n;
}

unsigned story_early(const struct story *s, uint64_t *octets)
{
    unsigned n = 0;
    uint64_t sum = 0;
    for (int i = 0; i < s->events; i++)
        if (s->event[i].kind == TRACE_PLACED && s->event[i].ooo) {
            sum += s->event[i].length;
            n++;
        }
    if (octets)
        *octets = sum;
    return n;
}

uint64_t story_missing(const struct story *s, int message, uint64_t t)
{
    uint64_t octets = 0;
    for (int i = s->message[message].first; i <= s->message[message].last; i++) {
        const struct story_segment *g = &s->segment[i];
        bool there = g->placed >= 0 && s->event[g->placed].t <= t;
        octets += g->message == message && !there ? g->length : 0;
    }
    return octets;
}

uint64_t story_original(const struct story *s)
{
    for (int i = s->events - 1; i >= 0; i--)
        if (s->event[i].said.original != TRACE_NO_NUMBER)
            return s->event[i].said.original;
    return STORY_NONE;
}
