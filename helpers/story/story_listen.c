/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story_listen.c -- a story from a capture: what its receivers did, as far as the frames show it.
 *
 * A segment is placed when the last frame that brought octets of it came; a message is delivered when all octets before
 * its end had come. The decoder says what was delivered at all. */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/list.h"
#include "helpers/capture/decode.h"
#include "helpers/capture/decode_rules.h"
#include "helpers/story/story_load.h"

struct listener {
    struct story *story;
    uint32_t segments, segments_max;
    bool full, no_memory;
    int good_count;
    struct good { /* messages that were delivered, by their last segments */
        int conn, side;
        uint64_t key;
    } * good;
};

static uint64_t picoseconds(int64_t ns)
{
    return ns < 0 ? 0 : (uint64_t)ns * 1000;
}

static struct story_event event_of(int conn, enum decode_dir dir, enum trace_kind kind, int64_t ns,
                                   uint64_t frame)
{
    struct story_event e = story_nothing;
    e.t = picoseconds(ns);
    e.frame = frame;
    e.kind = kind;
    e.conn = conn;
    e.side = dir == DECODE_R2I;
    e.node = (uint32_t)e.side;
    return e;
}

static void add_event(struct listener *l, struct story_event *e)
{
    e->said = trace_said(e->kind, e->text);
    l->no_memory |= !story_add(l->story, e);
}

/* "; B answers with IRD 4, ORD 2 and 8 octets of private data"; false: there is nothing to say. */
static bool say_frame(char *text, size_t size, const char *who, int ird, int ord, uint32_t private_len)
{
    size_t used = strlen(text);
    bool depths = ird != DECODE_UNKNOWN;
    if (!depths && !private_len)
        return false;
    used += (size_t)snprintf(text + used, size - used, "; %s", who);
    if (depths && used < size)
        used += (size_t)snprintf(text + used, size - used, " IRD %d, ORD %d%s", ird, ord,
                                 private_len ? " and" : "");
    if (private_len && used < size)
        snprintf(text + used, size - used, " %u octet%s of private data", private_len,
                 private_len == 1 ? "" : "s");
    return true;
}

static void on_connection(void *context, const struct decode_connection *c)
{
    struct listener *l = context;
    char initiator[CAPTURE_END_TEXT], responder[CAPTURE_END_TEXT];
    struct story_event e = event_of(c->conn, DECODE_I2R, TRACE_STARTUP, c->time_ns, c->frame);
    capture_end_text(&c->initiator, initiator);
    capture_end_text(&c->responder, responder);
    snprintf(e.text, sizeof e.text, "A is %s, B is %s; ", initiator, responder);
    size_t used = strlen(e.text);
    if (c->mpa_rev != DECODE_UNKNOWN)
        used += (size_t)snprintf(e.text + used, sizeof e.text - used, "revision %d, ", c->mpa_rev);
    snprintf(e.text + used, sizeof e.text - used, "CRC %s, markers %s", c->crc ? "on" : "off",
             c->markers[0] || c->markers[1] ? (c->markers[0] && c->markers[1] ? "both ways" : "one way")
                                            : "off");
    say_frame(e.text, sizeof e.text, "A asks with", c->ird_asked, c->ord_asked, c->private_len);
    bool answers =
        say_frame(e.text, sizeof e.text, c->rejected ? "B rejects the connection, with" : "B answers with",
                  c->reply ? c->ird : DECODE_UNKNOWN, c->ord, c->reply_private_len);
    used = strlen(e.text);
    if (c->rejected && !answers)
        snprintf(e.text + used, sizeof e.text - used, "; B rejects the connection");
    add_event(l, &e);
    l->story->crc |= c->crc;
}

static void fill_head(struct story_event *e, const struct decode_segment *s)
{
    struct ddp_head h;
    e->head_len = (uint8_t)(s->octets_len < STORY_HEAD_MAX ? s->octets_len : STORY_HEAD_MAX);
    memcpy(e->head, s->octets, e->head_len);
    if (!ddp_head_get(e->head, e->head_len, &h)) {
        e->length = s->ulpdu_len;
        return;
    }
    e->length = s->ulpdu_len - ddp_head_size(&h);
    e->tagged = h.tagged;
    e->untagged = !h.tagged;
    e->stag = h.stag;
    e->to = h.to;
    e->qn = h.qn;
    e->msn = h.msn;
    e->mo = h.mo;
}

/* Sent, arrived, placed: a capture shows them at once. */
static void on_segment(void *context, const struct decode_segment *s)
{
    struct listener *l = context;
    if (l->segments++ >= l->segments_max) {
        l->full = true;
        return;
    }
    struct story_event e = event_of(s->conn, s->dir, TRACE_SENT, s->t_first_ns, s->frame_first);
    e.key = s->key;
    e.end = s->end;
    fill_head(&e, s);
    add_event(l, &e);
    e.t = picoseconds(s->t_last_ns);
    e.frame = s->frame_last;
    e.side = e.side ? 0 : 1;
    e.node = (uint32_t)e.side;
    e.head_len = 0;
    e.end = STORY_NONE;
    e.ooo = s->ahead;
    e.kind = s->crc == DECODE_CRC_BAD ? TRACE_REFUSED : TRACE_ARRIVED;
    snprintf(e.text, sizeof e.text, "%s", s->crc == DECODE_CRC_BAD ? "bad CRC" : "");
    add_event(l, &e);
    e.kind = TRACE_PLACED;
    bool kept = e.untagged && e.qn != RDMAP_QN_SEND; /* RDMAP reads it itself */
    if (s->crc != DECODE_CRC_BAD && e.length && !kept)
        add_event(l, &e);
}

static void note_good(struct listener *l, const struct decode_message *m)
{
    struct good *more = list_grow(l->good, (size_t)l->good_count, sizeof *more);
    l->no_memory |= !more;
    if (!more)
        return;
    l->good = more;
    l->good[l->good_count++] = (struct good){m->conn, m->dir == DECODE_R2I, m->key};
}

static void on_message(void *context, const struct decode_message *m)
{
    struct listener *l = context;
    const struct rdmap_terminate *t = m->believe_siw ? &m->as_siw : &m->terminate;
    if (m->delivered)
        note_good(l, m);
    if (!m->has_terminate)
        return;
    struct story_event e = event_of(m->conn, m->dir, TRACE_TERMINATE_SENT, m->t_last_ns, m->frame_last);
    e.length = t->m ? t->segment_len : 0;
    e.head_len = t->d ? t->head_len : 0;
    memcpy(e.head, t->head, e.head_len);
    snprintf(e.text, sizeof e.text, TERM_TEXT, TERM_PARTS(t->term));
    add_event(l, &e);
}

static void on_violation(void *context, const struct decode_violation *v)
{
    struct listener *l = context;
    struct story_event e = event_of(v->conn, v->dir, TRACE_VIOLATION, v->time_ns, v->frame);
    char term[16] = "";
    if (v->term)
        snprintf(term, sizeof term, " (" TERM_TEXT ")", TERM_PARTS(v->term));
    snprintf(e.text, sizeof e.text, "%s%s, against %s", v->what, term, v->requirement);
    e.said.term = v->term;
    l->no_memory |= !story_add(l->story, &e);
}

/* Acknowledgement and window, what is sent again, and how it ends. */
static void on_tcp(void *context, const struct decode_tcp *t)
{
    struct story_event e = event_of(t->conn, t->dir, TRACE_RESENT, t->time_ns, t->frame);
    if (t->again) {
        e.key = t->at;
        snprintf(e.text, sizeof e.text, "seen");
        add_event(context, &e);
    }
    e.text[0] = 0;
    if (t->has_ack) {
        e.kind = TRACE_WINDOW;
        e.key = t->ack;
        e.window_edge = t->has_window ? t->ack + t->window : STORY_NONE;
        add_event(context, &e);
    }
    e.key = e.window_edge = STORY_NONE;
    e.kind = TRACE_CLOSES;
    if (t->fin || t->reset) {
        snprintf(e.text, sizeof e.text, "%s", t->reset ? "RST" : "FIN");
        add_event(context, &e);
    }
}

/* ---- deliveries ---- */

static int by_place(const void *a, const void *b)
{
    const struct good *x = a, *y = b;
    if (x->conn != y->conn)
        return x->conn < y->conn ? -1 : 1;
    if (x->side != y->side)
        return x->side - y->side;
    return x->key < y->key ? -1 : x->key > y->key;
}

static bool is_good(const struct listener *l, const struct story_segment *g)
{
    const struct good wanted = {g->conn, g->side, g->key};
    return l->good_count && bsearch(&wanted, l->good, (size_t)l->good_count, sizeof wanted, by_place);
}

/* The arrival that everything up to and including segment `last` had to wait for. */
static int latest_arrival(const struct story *s, int last, int latest)
{
    const struct story_segment *g = &s->segment[last];
    bool first = last == 0 || g[-1].conn != g->conn || g[-1].side != g->side;
    int mine = g->arrived;
    if (first || latest < 0)
        return mine;
    return mine >= 0 && s->event[mine].frame > s->event[latest].frame ? mine : latest;
}

static void deliver_segment(struct listener *l, const struct story_segment *g, const struct story_event *at)
{
    struct story_event e = *at;
    e.kind = TRACE_DELIVERED;
    e.key = g->key;
    e.ooo = false;
    e.length = l->story->message[g->message].length;
    e.tagged = e.untagged = false;
    snprintf(e.text, sizeof e.text, "%s",
             g->ctl.opcode < RDMAP_OPCODES ? rdmap_rules[g->ctl.opcode].name : "message");
    add_event(l, &e);
}

static void add_deliveries(struct listener *l)
{
    struct story *s = l->story;
    int latest = STORY_NOBODY;
    if (l->good_count)
        qsort(l->good, (size_t)l->good_count, sizeof *l->good, by_place);
    for (int i = 0; i < s->segments; i++) {
        const struct story_segment *g = &s->segment[i];
        latest = latest_arrival(s, i, latest);
        if (latest >= 0 && g->message >= 0 && s->message[g->message].last == i && is_good(l, g)) {
            struct story_event at = s->event[latest];
            deliver_segment(l, g, &at);
        }
    }
}

/* Events of one frame keep their order. */
struct ranked {
    struct story_event e;
    int order;
};

static int by_frame(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->e.frame != y->e.frame)
        return x->e.frame < y->e.frame ? -1 : 1;
    return x->order - y->order;
}

static bool sort_events(struct story *s)
{
    struct ranked *all = malloc(((size_t)s->events + 1) * sizeof *all);
    bool good = all != NULL;
    for (int i = 0; all && i < s->events; i++)
        all[i] = (struct ranked){s->event[i], i};
    if (all)
        qsort(all, (size_t)s->events, sizeof *all, by_frame);
    for (int i = 0; all && i < s->events; i++)
        s->event[i] = all[i].e;
    free(all);
    return good;
}

/* As before story_tie(). */
static void untie(struct story *s)
{
    free(s->segment);
    free(s->message);
    s->segment = NULL;
    s->message = NULL;
    s->segments = s->messages = 0;
    for (int i = 0; i < s->events; i++)
        s->event[i].segment = s->event[i].message = STORY_NOBODY;
}

bool story_join(struct story *s, const struct story_event *event, int events)
{
    int a = 0, b = 0;
    struct story joined = {.events = 0};
    while (a < s->events || b < events) {
        bool own = b < events && (a == s->events || event[b].t <= s->event[a].t) &&
                   !(a < s->events && s->event[a].kind == TRACE_STARTUP);
        if (!story_add(&joined, own ? &event[b++] : &s->event[a++])) {
            free(joined.event);
            return false;
        }
    }
    free(s->event);
    s->event = joined.event;
    s->events = joined.events;
    untie(s);
    return story_tie(s);
}

/* Once to know which segments there are, and again with the deliveries among the events. */
static bool tie(struct listener *l)
{
    struct story *s = l->story;
    if (!sort_events(s) || !story_tie(s))
        return false;
    add_deliveries(l);
    untie(s);
    return sort_events(s) && story_tie(s) && !l->no_memory;
}

static const char *nothing_heard(const struct decode_summary *d)
{
    if (d->other_tcp_joined)
        return "its TCP connections began before the capture: without the MPA start-up it is unknown whether "
               "CRC and "
               "markers are on; capture again from the start, or read it with `iwarpsim decode --assume`";
    if (d->other_tcp)
        return "no TCP connection in it starts with MPA, so it holds no iWARP";
    return "it holds no TCP connection with data";
}

struct story *story_hear(struct capture *capture, const struct story_request *r, char *error, int *status)
{
    struct decode_summary summary;
    struct decode_options options = {.assume = {.given = false}};
    struct listener l = {.story = story_new(), .segments_max = r->segments_max};
    const struct decode_sink sink = {.context = &l,
                                     .connection = on_connection,
                                     .segment = on_segment,
                                     .message = on_message,
                                     .violation = on_violation,
                                     .tcp = on_tcp};
    *status = EXIT_INPUT;
    int got = l.story ? decode_capture(capture, &options, &sink, &summary, error) : -1;
    if (got == 0 && l.full)
        snprintf(error, STORY_ERROR_MAX,
                 "%s has %u segments; at most %u can be told one by one: cut out a part of it, with "
                 "`editcap -r %s part.pcap 1-5000` for instance (from the start of its connections on)",
                 r->file, l.segments, r->segments_max, r->file);
    else if (got == 0 && !summary.connections)
        snprintf(error, STORY_ERROR_MAX, "%s: %s", r->file, nothing_heard(&summary));
    else if (got == 0 && !tie(&l))
        snprintf(error, STORY_ERROR_MAX, "out of memory for %s", r->file);
    else if (got == 0)
        *status = EXIT_DONE;
    free(l.good);
    if (*status != EXIT_DONE) {
        story_free(l.story);
        return NULL;
    }
    l.story->capture = true;
    const char *slash = strrchr(r->file, '/');
    snprintf(l.story->title, sizeof l.story->title, "Capture %s", slash ? slash + 1 : r->file);
    snprintf(l.story->setting, sizeof l.story->setting,
             "a capture; times since its first frame; what receivers did is read from it by the engine");
    return l.story;
}

struct story *story_listen(const struct story_request *r, char *error, int *status)
{
    struct capture *capture = capture_open(r->file, error);
    *status = EXIT_INPUT;
    if (!capture)
        return NULL;
    struct story *s = story_hear(capture, r, error, status);
    capture_close(capture);
    return s;
}
