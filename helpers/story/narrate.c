/* SPDX-License-Identifier: GPL-2.0-or-later */
/* narrate.c -- a sentence for each kind of event: one table (narrate.h). */
#include "helpers/story/narrate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "engine/term.h"
#include "helpers/capture/fields.h"
#include "llp/mpa.h"

struct telling {
    const struct story *s;
    int at;
    const struct story_event *e;
    const struct story_segment *g; /* NULL: about none */
    const struct story_message *m;
    char name[STORY_NAME_MAX];
    struct narration *out;
};

__attribute__((format(printf, 2, 3))) static void say(struct narration *out, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(out->text);
    va_start(arguments, format);
    vsnprintf(out->text + used, sizeof out->text - used, format, arguments);
    va_end(arguments);
}

/* ---- words ---- */

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static const char *op_name(const struct story_segment *g)
{
    return g->readable && g->ctl.opcode < RDMAP_OPCODES ? rdmap_rules[g->ctl.opcode].name : "unknown message";
}

static const char *section_of_op(uint8_t opcode)
{
    static const char *const sections[RDMAP_OPCODES] = {
        [RDMAP_WRITE] = "RFC 5040 5.1",        [RDMAP_READ_REQ] = "RFC 5040 5.2.1",
        [RDMAP_READ_RESP] = "RFC 5040 5.2.2",  [RDMAP_SEND] = "RFC 5040 5.3",
        [RDMAP_SEND_INV] = "RFC 5040 5.3",     [RDMAP_SEND_SE] = "RFC 5040 5.3",
        [RDMAP_SEND_SE_INV] = "RFC 5040 5.3",  [RDMAP_TERMINATE] = "RFC 5040 5.4",
        [RDMAP_IMMEDIATE] = "RFC 7306 6",      [RDMAP_IMMEDIATE_SE] = "RFC 7306 6",
        [RDMAP_ATOMIC_REQ] = "RFC 7306 5.2.1", [RDMAP_ATOMIC_RESP] = "RFC 7306 5.2.2"};
    return opcode < RDMAP_OPCODES ? sections[opcode] : "RFC 5040 4.1";
}

/* "TO 10000 .. 11439", "MSN 1, MO 0 .. 1435"; one octet or none has no range. */
static void say_where(struct narration *out, const struct story_segment *g)
{
    uint32_t more = g->length ? g->length - 1 : 0;
    if (!g->readable)
        say(out, "nowhere: its header is incomplete");
    else if (g->head.tagged && more)
        say(out, "TO %" PRIu64 " .. %" PRIu64, g->head.to, g->head.to + more);
    else if (g->head.tagged)
        say(out, "TO %" PRIu64, g->head.to);
    else if (more)
        say(out, "MSN %u, MO %u .. %u", g->head.msn, g->head.mo, g->head.mo + more);
    else
        say(out, "MSN %u, MO %u", g->head.msn, g->head.mo);
}

static void say_octets(struct narration *out, uint64_t n)
{
    say(out, "%" PRIu64 " octet%s", n, plural(n));
}

static void say_time_between(struct narration *out, uint64_t from, uint64_t to)
{
    char text[STORY_NAME_MAX];
    say(out, "%s us", story_time(to - from, text));
}

static const char *name_of(const struct story *s, int segment, char out[STORY_NAME_MAX])
{
    return story_segment_name(s, segment, out);
}

/* ---- memory and requests ---- */

static bool narrate_region(struct telling *t)
{
    const struct story_event *e = t->e;
    say(t->out, "%s ", e->kind == TRACE_REBIND ? "revalidates" : "registers");
    say_octets(t->out, e->length);
    if (e->length)
        say(t->out, ", TO %" PRIu64 " .. %" PRIu64, e->to, e->to + e->length - 1);
    say(t->out, ", as STag 0x%08x (%s)", e->stag, e->text);
    t->out->section = "RFC 5041 8.2";
    t->out->mood = MOOD_QUIET;
    return true;
}

static bool narrate_invalidate(struct telling *t)
{
    say(t->out, "invalidates its STag 0x%08x", t->e->stag);
    t->out->section = "RFC 5040 8.1";
    return true;
}

static bool is_such_a_receive(const struct story_event *e, const struct story_event *first)
{
    return e->kind == TRACE_RECV && e->t == first->t && e->conn == first->conn && e->side == first->side &&
           e->length == first->length;
}

/* Receives posted in a row are told once. */
static bool narrate_recv(struct telling *t)
{
    const struct story_event *e = t->e;
    int n = 1;
    if (t->at && is_such_a_receive(e - 1, e))
        return false;
    while (t->at + n < t->s->events && is_such_a_receive(&t->s->event[t->at + n], e))
        n++;
    say(t->out, "posts %d receive buffer%s of ", n, plural((uint64_t)n));
    say_octets(t->out, e->length);
    t->out->section = "RFC 5041 5.1.2";
    t->out->mood = MOOD_QUIET;
    return true;
}

static bool is_about_atomic(const struct story_event *e)
{
    return e->said.op == IW_FETCH_ADD || e->said.op == IW_CMP_SWAP;
}

/* Of the operation, in its words. */
static int name_length(const struct story_event *e)
{
    return (int)strcspn(e->text, ";");
}

static const char *post_section(const struct story_event *e)
{
    static const char *const sections[IW_OPS + 1] = {
        [IW_READ] = "RFC 5040 5.2",      [IW_WRITE] = "RFC 5040 5.1",       [IW_FETCH_ADD] = "RFC 7306 5.1",
        [IW_CMP_SWAP] = "RFC 7306 5.1",  [IW_SEND] = "RFC 5040 5.3",        [IW_SEND_INV] = "RFC 5040 5.3",
        [IW_SEND_SE] = "RFC 5040 5.3",   [IW_SEND_SE_INV] = "RFC 5040 5.3", [IW_IMMEDIATE] = "RFC 7306 6",
        [IW_IMMEDIATE_SE] = "RFC 7306 6"};
    return sections[e->said.op];
}

static bool narrate_post(struct telling *t)
{
    const struct story_event *e = t->e;
    bool read = e->said.op == IW_READ, write = e->said.op == IW_WRITE;
    bool named = e->said.op < IW_OPS; /* else it has an article of its own */
    say(t->out, "posts %s%s%.*s", named ? "a " : "", e->said.fenced ? "fenced " : "", name_length(e),
        e->text);
    if (e->length) {
        say(t->out, " of ");
        say_octets(t->out, e->length);
    }
    if (e->tagged && is_about_atomic(e))
        say(t->out, " on the number at the peer's STag 0x%08x, TO %" PRIu64, e->stag, e->to);
    else if (e->tagged && (read || write))
        say(t->out, "%s the peer's STag 0x%08x, TO %" PRIu64, read ? " from" : " to", e->stag, e->to);
    else if (e->tagged)
        say(t->out, ", to invalidate the peer's STag 0x%08x", e->stag);
    t->out->section = t->s->decorated ? NULL : post_section(e);
    return true;
}

/* ---- on the way ---- */

static void show_fields(const struct story *s, int sent, struct narration *out)
{
    struct field f[FIELDS_MAX];
    char text[FIELD_TEXT_MAX];
    const struct story_event *e = &s->event[sent];
    int n = fields_of(e->head, e->head_len, f);
    for (int i = 0; i < n; i++) {
        size_t used = strlen(out->fields);
        bool reserved = strncmp(f[i].name, "Rsv", 3) == 0 ||
                        (strcmp(f[i].name, "InvSTag") == 0 && field_value(&f[i], e->head) == 0);
        if (reserved && field_value(&f[i], e->head) == 0)
            continue;
        snprintf(out->fields + used, sizeof out->fields - used, "%s%s=%s", used ? " " : "", f[i].name,
                 field_text(&f[i], e->head, text));
    }
}

static uint64_t first_marker(const struct story_segment *g)
{
    return (g->key + MPA_MARKER_EVERY - 1) / MPA_MARKER_EVERY * MPA_MARKER_EVERY;
}

/* Stream offsets of the markers in its FPDU. */
static void show_markers(const struct story *s, const struct story_segment *g, struct narration *out)
{
    if (!s->markers || g->end == STORY_NONE || first_marker(g) >= g->end)
        return;
    size_t used = strlen(out->fields);
    used += (size_t)snprintf(out->fields + used, sizeof out->fields - used, " markers at");
    for (uint64_t at = first_marker(g); at < g->end && used < sizeof out->fields - 32; at += MPA_MARKER_EVERY)
        used += (size_t)snprintf(out->fields + used, sizeof out->fields - used, " %" PRIu64, at);
}

/* In a capture: was one that follows it in the stream seen before it? */
static bool is_seen_late(const struct story *s, const struct story_segment *g)
{
    const struct story_segment *next = g + 1;
    bool has_next = next < s->segment + s->segments && next->conn == g->conn && next->side == g->side;
    return s->capture && has_next && next->sent < g->sent;
}

static bool narrate_leaving(struct telling *t)
{
    const struct story_segment *g = t->g;
    say(t->out, "sends %s: %s, ", t->name, op_name(g));
    say_octets(t->out, g->length);
    const unsigned in_one =
        1 << RDMAP_READ_REQ | 1 << RDMAP_TERMINATE | 1 << RDMAP_ATOMIC_REQ | 1 << RDMAP_ATOMIC_RESP;
    if (g->readable && !(in_one >> g->ctl.opcode & 1) && g->length) {
        say(t->out, " for ");
        say_where(t->out, g);
    }
    if (g->readable && g->head.last && t->m && t->m->segments > 1)
        say(t->out, "; the last of %u", t->m->segments);
    if (is_seen_late(t->s, g))
        say(t->out, ". Captured late: it was lost or overtaken before the capture point");
    show_fields(t->s, g->sent, t->out);
    show_markers(t->s, g, t->out);
    t->out->section = t->m && t->m->segments > 1 ? "RFC 5041 5.2"
                      : g->readable              ? section_of_op(g->ctl.opcode)
                                                 : NULL;
    return true;
}

/* Where the moment of leaving is known, that is when it is sent. */
static bool narrate_sent(struct telling *t)
{
    return t->g && t->g->left == STORY_NOBODY && narrate_leaving(t);
}

static bool narrate_left(struct telling *t)
{
    return t->g && t->g->left == t->at && narrate_leaving(t);
}

/* Why a sender repeats a segment: what that means, who says so. */
struct repeat {
    const char *means, *section;
};
enum { REPEATS = TRACE_SEEN + 1 };
static const struct repeat repeats[REPEATS] = {
    [LLP_WHY_NONE] = {"no acknowledgement arrived", "RFC 9293 3.8"},
    [LLP_WHY_DUPACK] = {"duplicate acknowledgements report it missing", "RFC 5681 3.2"},
    [LLP_WHY_RACK] = {"a segment sent later was acknowledged (RACK)", "RFC 8985 6.2"},
    [LLP_WHY_TLP] = {"a probe, as no acknowledgement arrived (TLP)", "RFC 8985 7.3"},
    [LLP_WHY_RTO] = {"no acknowledgement arrived in time (RTO)", "RFC 6298 5"},
    [LLP_WHY_GO_BACK] = {"an earlier segment was lost (go-back-N)", "RFC 6298 5"},
    [LLP_WHY_NAK] = {"the receiver reports it missing (NAK)", NULL},
    [LLP_WHY_PASSED] = {"a packet that left later was answered", NULL},
    [LLP_WHY_TRIMMED] = {"a switch had trimmed it, and its header was answered", NULL},
    [TRACE_SEEN] = {"an earlier frame carried its octets", "RFC 9293 3.8.1"},
};

static const struct repeat sctp_repeats[REPEATS] = {
    [LLP_WHY_NONE] = {"no acknowledgement arrived", "RFC 9260 6.3"},
    [LLP_WHY_DUPACK] = {"three SACKs report it missing", "RFC 9260 7.2.4"},
    [LLP_WHY_RTO] = {"no acknowledgement arrived in time (RTO)", "RFC 9260 6.3.3"},
};

/* The slow-start threshold that this end had before; STORY_NONE: none yet. */
static uint64_t threshold_before(const struct telling *t)
{
    for (int i = t->at - 1; i >= 0; i--) {
        const struct story_event *e = &t->s->event[i];
        if (e->conn == t->e->conn && e->side == t->e->side && e->cwnd != STORY_NONE)
            return e->ssthresh;
    }
    return STORY_NONE;
}

/* A loss is also news about the network (RFC 5681 3.1). */
static void say_reduction(struct telling *t)
{
    const struct story_event *e = t->e;
    if (e->cwnd == STORY_NONE || e->ssthresh == STORY_NONE || e->ssthresh == threshold_before(t))
        return;
    say(t->out, ". The congestion window is now %" PRIu64 " octets, the slow-start threshold %" PRIu64,
        e->cwnd, e->ssthresh);
}

static bool narrate_resent(struct telling *t)
{
    const struct repeat *of = t->s->sctp && !t->s->packet ? sctp_repeats : repeats;
    const struct repeat *r = &of[of[t->e->said.reason].means ? t->e->said.reason : LLP_WHY_NONE];
    say(t->out, "retransmits %s: %s", t->name, r->means);
    t->out->section = t->s->packet ? NULL : r->section;
    say_reduction(t);
    t->out->mood = MOOD_LOST;
    return true;
}

static bool narrate_lost(struct telling *t)
{
    say(t->out, "the network LOSES %s: ", t->name);
    if (t->s->sctp)
        say(t->out, "%s %" PRIu64, t->s->packet ? "PSN" : "DDP-SSN", t->e->key);
    else
        say(t->out, "octets %" PRIu64 " .. %" PRIu64 " of the stream", t->e->key,
            t->e->end == STORY_NONE ? t->e->key : t->e->end - 1);
    say(t->out, "%s%s", *t->e->text ? "; " : "", t->e->text);
    t->out->mood = MOOD_LOST;
    return true;
}

static bool narrate_timeout(struct telling *t)
{
    bool spurious = t->e->said.spurious;
    if (spurious)
        say(t->out, "learns that its timeout was spurious: the original segments arrived");
    else
        say(t->out, "times out: %s was not acknowledged before the timer expired", t->name);
    say_reduction(t);
    t->out->section = t->s->packet ? NULL
                      : t->s->sctp ? "RFC 9260 6.3.3"
                      : spurious   ? "RFC 5682 3"
                                   : "RFC 6298 5";
    t->out->mood = MOOD_LOST;
    return true;
}

/* What the lower layer learns of its own doing: what it says, who says so. */
static bool narrate_learnt(struct telling *t)
{
    static const struct {
        const char *says, *section;
    } learnt[TRACE_KINDS] = {
        [TRACE_UNDONE] = {"undoes the last cut of its congestion window: nothing was lost", "RFC 2883, 5682"},
        [TRACE_STALLED] = {"has waited for a whole timeout: the window is smaller than the next FPDU",
                           "RFC 9293 3.8.6.2.1"},
        [TRACE_PROBED] = {"probes the closed window", "RFC 9293 3.8.6.1"}};
    say(t->out, "%s", learnt[t->e->kind].says);
    t->out->section = t->s->packet ? NULL : t->s->sctp ? "RFC 9260 6.1" : learnt[t->e->kind].section;
    t->out->mood = MOOD_LOST;
    return true;
}

static bool narrate_spurious(struct telling *t)
{
    say(t->out, "learns that it retransmitted %s needlessly: the peer had it", t->name);
    t->out->section = t->s->packet ? NULL : t->s->sctp ? "RFC 9260 6.7" : "RFC 2883 4";
    t->out->mood = MOOD_LOST;
    return true;
}

/* ---- arriving ---- */

static void say_hole(struct telling *t)
{
    char hole[STORY_NAME_MAX];
    if (t->g->waits_for >= 0)
        say(t->out, "%s is missing", name_of(t->s, t->g->waits_for, hole));
    else
        say(t->out, "earlier octets are missing");
}

static bool is_kept_back(const struct story *s)
{
    return strcmp(s->receive, "hold") == 0;
}

static bool narrate_held(struct telling *t)
{
    if (t->g->waits_for < 0 || t->g->landed != t->at)
        return false;
    say(t->out, "receives %s early: ", t->name);
    say_hole(t);
    say(t->out, "; it waits in the adapter's memory");
    t->out->mood = MOOD_EARLY;
    return true;
}

/* Told where the octets wait for their turn or for the CPU, and where they are there already. */
static bool narrate_landed(struct telling *t)
{
    bool copy = strcmp(t->s->receive, "copy") == 0;
    if (t->g && !t->e->twice && is_kept_back(t->s))
        return narrate_held(t);
    if (!t->g || (!copy && !t->e->twice))
        return false;
    if (t->e->twice) {
        say(t->out, "receives %s again; it is already there", t->name);
        t->out->section = "RFC 5041 3";
        t->out->mood = MOOD_LOST;
        return true;
    }
    say(t->out, "puts %s into the kernel's buffer", t->name);
    if (t->g->waits_for >= 0) {
        say(t->out, "; ");
        say_hole(t);
        t->out->mood = MOOD_EARLY;
    }
    return true;
}

/* In order, placing it tells the same. */
static bool narrate_arrived(struct telling *t)
{
    if (!t->e->ooo || !t->g || is_kept_back(t->s))
        return false;
    say(t->out, "receives %s early: ", t->name);
    say_hole(t);
    bool marked = t->s->markers && t->g->end != STORY_NONE && first_marker(t->g) < t->g->end;
    if (marked)
        say(t->out, "; the marker at octet %" PRIu64 " points %" PRIu64 " octets back to its start",
            first_marker(t->g), first_marker(t->g) - t->g->key);
    t->out->section = t->s->packet ? NULL
                      : t->s->sctp ? "RFC 5043 10"
                      : marked     ? "RFC 5044 4.3"
                                   : "RFC 5044 A.3";
    t->out->mood = MOOD_EARLY;
    return true;
}

static bool narrate_refused(struct telling *t)
{
    bool discard = strcmp(t->s->receive, "discard") == 0 && !*t->e->text;
    say(t->out, "refuses %s%s%s; to its sender it is lost", t->name, *t->e->text ? ", " : "", t->e->text);
    if (discard)
        say(t->out, " (out of order, and this adapter discards)");
    t->out->mood = MOOD_LOST;
    t->out->section = *t->e->text ? "RFC 5044 8" : NULL;
    return true;
}

static bool narrate_placed(struct telling *t)
{
    bool early = t->e->ooo;
    if (!t->g && t->e->tagged) {
        say(t->out, "places ");
        say_octets(t->out, t->e->length);
        say(t->out, " at TO %" PRIu64, t->e->to);
        t->out->mood = MOOD_PLACED;
        return true;
    }
    if (!t->g)
        return false;
    say(t->out, "places %s: ", t->name);
    say_octets(t->out, t->g->length);
    say(t->out, " at ");
    say_where(t->out, t->g);
    if (early) {
        say(t->out, ". EARLY: ");
        say_hole(t);
    }
    t->out->section = "RFC 5041 5.3";
    t->out->mood = early ? MOOD_EARLY : MOOD_PLACED;
    return true;
}

/* ---- delivery ---- */

/* Why only now: what came last, and how long the rest had been there. */
static void say_why_now(struct telling *t)
{
    char name[STORY_NAME_MAX];
    const struct story *s = t->s;
    const struct story_message *m = t->m;
    const struct story_segment *last = &s->segment[m->last];
    int by = m->brought_by;
    if (by < 0 || by == m->last || last->arrived < 0)
        return;
    bool own = s->segment[by].message == t->e->message;
    say(t->out, " Only now: %s%s had to arrive first", name_of(s, by, name), own ? ", a part of it," : "");
    if (s->segment[by].sends > 1)
        say(t->out, " (retransmitted)");
    const struct story_event *in_place =
        last->placed >= 0 ? &s->event[last->placed] : &s->event[last->arrived];
    if (in_place->t < t->e->t) {
        say(t->out, "; %s had been %s for ", name_of(s, m->last, name),
            last->placed >= 0 ? "in place" : "there");
        say_time_between(t->out, in_place->t, t->e->t);
    }
    say(t->out, ".");
}

static bool narrate_write_complete(struct telling *t)
{
    say(t->out, "has the Write of ");
    say_octets(t->out, t->m->length);
    say(t->out, " and everything before it in place; it does not notify the ULP.");
    t->out->section = "RFC 5040 5.1";
    return true;
}

static bool narrate_delivered(struct telling *t)
{
    t->out->mood = MOOD_DELIVERED;
    if (!t->m) {
        say(t->out, "DELIVERS %s number %" PRIu64 ", ", t->e->text, t->e->key + 1);
        say_octets(t->out, t->e->length);
        return true;
    }
    t->out->section = "RFC 5041 5.4";
    if (t->m->opcode == RDMAP_WRITE) {
        narrate_write_complete(t);
    } else {
        say(t->out, "DELIVERS the %s", op_name(&t->s->segment[t->m->first]));
        if (!t->m->head.tagged)
            say(t->out, ", MSN %u", t->m->head.msn);
        say(t->out, ", ");
        say_octets(t->out, t->m->length);
        say(t->out, ".");
    }
    say_why_now(t);
    return true;
}

/* A message of DDPP core: its lower layer has done with it. */
static bool narrate_decorated_done(struct telling *t, bool acknowledged)
{
    say(t->out, "tells the ULP that a message is finished: ");
    say_octets(t->out, t->e->length);
    say(t->out,
        acknowledged ? "; the peer's SCTP acknowledged them" : "; the sender awaits no acknowledgement");
    t->out->section = acknowledged ? "RFC 9260 6.2" : "RFC 3758 3.5";
    return true;
}

static bool narrate_done(struct telling *t)
{
    const struct story_event *e = t->e;
    bool recv = e->said.op == IW_RECV, read = e->said.op == IW_READ, failed = trace_said_failed(&e->said);
    int name = name_length(e);
    const char *rest = e->text + name;
    if (*rest && t->s->decorated && !failed)
        return narrate_decorated_done(t, e->said.acknowledged);
    t->out->section = "RFC 5040 5.5";
    t->out->mood = failed ? MOOD_ERROR : MOOD_DELIVERED;
    if (failed) {
        say(t->out, "returns a %.*s to the ULP unfinished%s", name, e->text, rest);
        return true;
    }
    if (is_about_atomic(e)) {
        say(t->out, "tells the ULP that its %.*s is complete%s", name, e->text, rest);
        t->out->section = "RFC 7306 5.4";
        return true;
    }
    if (recv)
        say(t->out, "tells the ULP of a receive: ");
    else
        say(t->out, "tells the ULP that its %.*s is complete: ", name, e->text);
    say_octets(t->out, e->length);
    if (*rest)
        say(t->out, "%s", rest);
    else if (!recv && !read) /* rule 9 of RFC 5040 5.5 */
        say(t->out, "; it may reuse its buffer; nothing is said of the peer's");
    return true;
}

/* ---- the window ---- */

/* TCP acknowledges all octets below a number. SCTP acknowledges chunks, behind a hole too, and offers room for more of them
 * without saying how far that reaches. */
static void say_acknowledged(struct telling *t)
{
    const struct story_event *e = t->e;
    if (t->s->sctp)
        say(t->out, "has acknowledged %" PRIu64 " octets, in order or not", e->key);
    else
        say(t->out, "acknowledges everything below %" PRIu64, e->key);
    if (e->window_edge == STORY_NONE)
        return;
    say(t->out, "; the window is ");
    say_octets(t->out, e->window_edge - e->key);
    if (!t->s->sctp)
        say(t->out, ", up to %" PRIu64, e->window_edge);
}

/* Told when it has changed its size or its acknowledgement. */
static bool narrate_window(struct telling *t)
{
    const struct story_event *e = t->e;
    for (int i = t->at - 1; i >= 0; i--) {
        const struct story_event *b = &t->s->event[i];
        if (b->kind != TRACE_WINDOW || b->conn != e->conn || b->side != e->side)
            continue;
        if (b->key == e->key && b->window_edge == e->window_edge)
            return false;
        break;
    }
    if (e->key) {
        say_acknowledged(t);
    } else if (e->window_edge == STORY_NONE) {
        return false;
    } else {
        say(t->out, "advertises a window of ");
        say_octets(t->out, e->window_edge);
    }
    t->out->section = t->s->capture ? "RFC 9293 3.4" : t->s->sctp && e->key ? "RFC 9260 6.2" : "RFC 5041 A";
    t->out->mood = MOOD_QUIET;
    return true;
}

/* ---- errors and ends ---- */

static void say_value(struct narration *out, const struct story_event *sent, const char *name)
{
    struct field f[FIELDS_MAX];
    char text[FIELD_TEXT_MAX];
    int n = fields_of(sent->head, sent->head_len, f);
    for (int i = 0; i < n; i++)
        if (strcmp(f[i].name, name) == 0)
            say(out, "=%s", field_text(&f[i], sent->head, text));
}

/* The ULP of `node` learned that a Send had this effect. */
static bool is_invalidated_by(const struct story_event *e, uint32_t node, uint32_t stag)
{
    return e->kind == TRACE_DONE && e->node == node && stag && e->said.invalidated == stag;
}

/* What the buffer is, where the error is about a buffer. */
static void say_buffer(struct telling *t, const struct story_segment *g)
{
    int region =
        g->readable && g->head.tagged ? story_region_of(t->s, t->e->node, g->head.stag, t->at) : STORY_NOBODY;
    if (region < 0)
        return;
    for (int i = region; i < t->at; i++)
        if (is_invalidated_by(&t->s->event[i], t->e->node, g->head.stag)) {
            say(t->out, " A Send with Invalidate invalidated this STag.");
            return;
        }
    const struct story_event *r = &t->s->event[region];
    if (r->kind == TRACE_INVALIDATE)
        say(t->out, " The STag had been invalidated.");
    else if (r->length)
        say(t->out, " The buffer is TO %" PRIu64 " .. %" PRIu64 " (%s).", r->to, r->to + r->length - 1,
            r->text);
}

static void say_cause(struct telling *t)
{
    struct narration_cause c;
    char name[STORY_NAME_MAX];
    if (!narrate_cause(t->s, t->at, &c))
        return;
    const struct story_segment *g = &t->s->segment[c.segment];
    say(t->out, " The cause is %s", name_of(t->s, c.segment, name));
    if (!c.field) {
        say(t->out, ", from octet %" PRIu64 " of %c's stream on.", g->key, story_side_name(g->side));
        return;
    }
    say(t->out, ", %s", c.field);
    say_value(t->out, &t->s->event[g->sent], c.field);
    say(t->out, ": %s. It is at octet%s %" PRIu64, c.why, plural(c.octets), c.at);
    if (c.octets > 1)
        say(t->out, " .. %" PRIu64, c.at + c.octets - 1);
    if (t->s->sctp)
        say(t->out, " of the segment.");
    else
        say(t->out, " of %c's stream.", story_side_name(g->side));
    say_buffer(t, g);
}

static void say_term(struct telling *t)
{
    const struct iw_term_entry *entry = iw_term_entry(t->e->said.term);
    say(t->out, "%s%s%s", t->e->text, entry ? ", " : "", entry ? entry->meaning : "");
    t->out->section = entry ? entry->section : "RFC 5040 4.8";
}

static bool narrate_terminate_sent(struct telling *t)
{
    say(t->out, "TERMINATES the stream: ");
    say_term(t);
    say(t->out, ".");
    say_cause(t);
    t->out->mood = MOOD_ERROR;
    return true;
}

static bool narrate_terminate_received(struct telling *t)
{
    say(t->out, "learns that the peer terminated the stream: ");
    say_term(t);
    t->out->section = "RFC 5040 5.4";
    t->out->mood = MOOD_ERROR;
    return true;
}

static bool narrate_fatal(struct telling *t)
{
    say(t->out, "tells the ULP that the stream has ended: ");
    say_term(t);
    t->out->section = "RFC 5040 7.1";
    t->out->mood = MOOD_ERROR;
    return true;
}

static bool narrate_closes(struct telling *t)
{
    bool reset = t->e->said.reset;
    say(t->out, "sends %s: %s", t->e->text,
        reset ? "the connection ends at once, whatever is in flight" : "this side will send nothing more");
    t->out->section = t->s->capture ? reset ? "RFC 9293 3.5.2" : "RFC 9293 3.6" : "RFC 5041 6.2";
    return true;
}

static bool narrate_other(struct telling *t)
{
    say(t->out, "%s", t->e->kind == TRACE_OTHER ? t->e->text : trace_words[t->e->kind]);
    if (t->e->length)
        say(t->out, ", %u octets", t->e->length);
    t->out->mood = MOOD_LOST;
    return true;
}

/* Sentences that depend on nothing: around the segment's name, or the event's own words. An edge, which has no row, is not told. */
static bool narrate_plainly(struct telling *t)
{
    static const struct {
        const char *before, *after, *section;
        enum narration_mood mood;
        enum { NOTHING, NAME, WORDS } with;
    } rows[TRACE_KINDS] = {[TRACE_STARTUP] = {"starts MPA: ", "", "RFC 5044 7.1", MOOD_PLAIN, WORDS},
                           [TRACE_DROPPED] = {"drops ", ": staging is full", NULL, MOOD_LOST, NAME},
                           [TRACE_KEPT] = {"keeps ", " until its turn", "RFC 5041 7.1", MOOD_EARLY, NAME},
                           [TRACE_HALF_CLOSED] = {"learns that the peer will send nothing more", "",
                                                  "RFC 5041 6.2.1", MOOD_PLAIN, NOTHING},
                           [TRACE_CLOSED] = {"is disconnected", "", "RFC 5041 6.2", MOOD_QUIET, NOTHING},
                           [TRACE_NO_BUFFER] = {"makes a message wait: no receive buffer is posted", "",
                                                "RFC 5041 7.1", MOOD_ERROR, NOTHING},
                           [TRACE_VIOLATION] = {"WRONG: ", "", "RFC 5041 7.1", MOOD_ERROR, WORDS}};
    const char *const with[] = {[NOTHING] = "", [NAME] = t->name, [WORDS] = t->e->text};
    const char *before = rows[t->e->kind].before;
    if (before)
        say(t->out, "%s%s%s", before, with[rows[t->e->kind].with], rows[t->e->kind].after);
    t->out->section = rows[t->e->kind].section;
    t->out->mood = rows[t->e->kind].mood;
    return before;
}

/* What a kind is about, and its sentence; a kind without a row is told by its word. */
static const struct {
    enum story_about about;
    bool (*tell)(struct telling *);
} kinds[TRACE_KINDS] = {
    [TRACE_STARTUP] = {ABOUT_POST, narrate_plainly},
    [TRACE_REGION] = {ABOUT_POST, narrate_region},
    [TRACE_REBIND] = {ABOUT_POST, narrate_region},
    [TRACE_INVALIDATE] = {ABOUT_POST, narrate_invalidate},
    [TRACE_RECV] = {ABOUT_POST, narrate_recv},
    [TRACE_POST] = {ABOUT_POST, narrate_post},
    [TRACE_SENT] = {ABOUT_SEND, narrate_sent},
    [TRACE_LEFT] = {ABOUT_SEND, narrate_left},
    [TRACE_RESENT] = {ABOUT_SEND, narrate_resent},
    [TRACE_LOST] = {ABOUT_SEND, narrate_lost},
    [TRACE_TIMEOUT] = {ABOUT_SEND, narrate_timeout},
    [TRACE_SPURIOUS] = {ABOUT_SEND, narrate_spurious},
    [TRACE_UNDONE] = {ABOUT_SEND, narrate_learnt},
    [TRACE_STALLED] = {ABOUT_SEND, narrate_learnt},
    [TRACE_PROBED] = {ABOUT_SEND, narrate_learnt},
    [TRACE_LANDED] = {ABOUT_PLACE, narrate_landed},
    [TRACE_ARRIVED] = {ABOUT_PLACE, narrate_arrived},
    [TRACE_REFUSED] = {ABOUT_PLACE, narrate_refused},
    [TRACE_DROPPED] = {ABOUT_PLACE, narrate_plainly},
    [TRACE_KEPT] = {ABOUT_PLACE, narrate_plainly},
    [TRACE_PLACED] = {ABOUT_PLACE, narrate_placed},
    [TRACE_DELIVERED] = {ABOUT_DELIVER, narrate_delivered},
    [TRACE_EDGE] = {ABOUT_DELIVER, narrate_plainly},
    [TRACE_DONE] = {ABOUT_DELIVER, narrate_done},
    [TRACE_WINDOW] = {ABOUT_WINDOW, narrate_window},
    [TRACE_TERMINATE_SENT] = {ABOUT_ERROR, narrate_terminate_sent},
    [TRACE_TERMINATE_RECEIVED] = {ABOUT_ERROR, narrate_terminate_received},
    [TRACE_HALF_CLOSED] = {ABOUT_ERROR, narrate_plainly},
    [TRACE_FATAL] = {ABOUT_ERROR, narrate_fatal},
    [TRACE_CLOSED] = {ABOUT_ERROR, narrate_plainly},
    [TRACE_NO_BUFFER] = {ABOUT_ERROR, narrate_plainly},
    [TRACE_CLOSES] = {ABOUT_ERROR, narrate_closes},
    [TRACE_VIOLATION] = {ABOUT_ERROR, narrate_plainly},
};

enum story_about story_about_of(enum trace_kind kind)
{
    return kinds[kind].tell ? kinds[kind].about : ABOUT_PLACE;
}

bool narrate_event(const struct story *s, int event, struct narration *out)
{
    const struct story_event *e = &s->event[event];
    struct telling t = {.s = s, .at = event, .e = e, .out = out};
    *out = (struct narration){.mood = MOOD_PLAIN};
    t.g = e->segment >= 0 ? &s->segment[e->segment] : NULL;
    int message = t.g ? t.g->message : STORY_NOBODY;
    t.m = message >= 0 ? &s->message[message] : NULL;
    story_segment_name(s, e->segment, t.name);
    return (kinds[e->kind].tell ? kinds[e->kind].tell : narrate_other)(&t);
}

/* ---- the end ---- */

static uint64_t longest_wait(const struct story *s, int *segment)
{
    uint64_t longest = 0;
    *segment = STORY_NOBODY;
    for (int i = 0; i < s->segments; i++) {
        const struct story_segment *g = &s->segment[i];
        int m = g->message, end = m >= 0 ? s->message[m].delivered : STORY_NOBODY;
        if (g->placed < 0 || end < 0 || s->event[end].t < s->event[g->placed].t)
            continue;
        uint64_t wait = s->event[end].t - s->event[g->placed].t;
        if (wait > longest && g->early) {
            longest = wait;
            *segment = i;
        }
    }
    return longest;
}

static uint64_t crossings_of(const struct story *s, uint64_t *placed)
{
    uint64_t last[2] = {0, 0};
    *placed = 0;
    for (int i = 0; i < s->events; i++) {
        const struct story_event *e = &s->event[i];
        if (e->kind == TRACE_PLACED)
            *placed += e->length;
        if (e->crossings != STORY_NONE && e->conn >= 0)
            last[e->side] = e->crossings;
    }
    return last[0] + last[1];
}

/* Messages whose segments nobody saw. */
static void write_decorated(const struct story *s, FILE *out)
{
    unsigned posted = story_count(s, TRACE_POST), again = story_count(s, TRACE_RESENT);
    fprintf(out, "%u message%s posted, %u delivered", posted, plural(posted),
            story_count(s, TRACE_DELIVERED));
    if (again)
        fprintf(out, "; %u packet%s retransmitted", again, plural(again));
    fprintf(out, ".\n");
}

static void write_summary(const struct story *s, FILE *out)
{
    if (s->decorated) {
        write_decorated(s, out);
        return;
    }
    unsigned again = story_count(s, TRACE_RESENT), terminates = story_count(s, TRACE_TERMINATE_SENT);
    uint64_t early_octets, placed;
    unsigned early = story_early(s, &early_octets);
    char time[STORY_NAME_MAX], name[STORY_NAME_MAX];
    int waited;
    uint64_t wait = longest_wait(s, &waited), crossings = crossings_of(s, &placed);
    fprintf(out, "%d segment%s in %d message%s, %u delivered", s->segments, plural((uint64_t)s->segments),
            s->messages, plural((uint64_t)s->messages), story_count(s, TRACE_DELIVERED));
    if (story_count(s, TRACE_LEFT)) /* else nobody saw what was lost */
        fprintf(out, "; %u lost, %u retransmitted", story_count(s, TRACE_LOST), again);
    else if (again)
        fprintf(out, "; %u retransmitted", again);
    fprintf(out, ".\n");
    fprintf(out, "%u segment%s (%" PRIu64 " octets) placed early", early, plural(early), early_octets);
    if (waited >= 0)
        fprintf(out, "; the longest waited %s us for delivery of its message (%s)", story_time(wait, time),
                story_segment_name(s, waited, name));
    fprintf(out, ".\n");
    if (crossings && placed && !s->several)
        fprintf(out, "Each placed octet crossed memory %.2f times.\n", (double)crossings / (double)placed);
    if (terminates)
        fprintf(out, "%u Terminate%s.\n", terminates, plural(terminates));
}

char *narrate_summary(const struct story *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    write_summary(s, out);
    fclose(out);
    return text;
}
