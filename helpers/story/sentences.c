/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sentences.c -- a row for each kind of sentence: of which event, in which state, its words, what must hold in the record,
 * and what it rests on (telling.h). */
#include <string.h>

#include "engine/term.h"
#include "helpers/story/telling.h"

#define SOURCE_SECTION(name, section, words, sha256) [BY_##name] = section,
const char *const source_sections[SOURCES] = {SOURCE_TABLE(SOURCE_SECTION)};
#undef SOURCE_SECTION

/* ---- states ---- */

static bool is_about_segment(const struct telling *t)
{
    return t->g != NULL;
}

static bool is_about_none(const struct telling *t)
{
    return !t->g;
}

/* Receives posted in a row are told once. */
static bool is_posted_with_others(const struct telling *t)
{
    const struct story_event *e = t->e;
    return t->at && e[-1].kind == TRACE_RECV && e[-1].t == e->t && e[-1].conn == e->conn &&
           e[-1].side == e->side && e[-1].length == e->length;
}

/* Where the moment of leaving is known, that is when it is sent. */
static bool is_known_to_leave_now(const struct telling *t)
{
    return t->g && t->g->left == STORY_NOBODY;
}

static bool leaves_now(const struct telling *t)
{
    return t->g && t->g->left == t->at;
}

static bool is_sctp(const struct telling *t)
{
    return t->s->sctp && !t->s->packet;
}

static bool was_spurious(const struct telling *t)
{
    return t->e->said.spurious;
}

static bool was_sent_once(const struct telling *t)
{
    return t->g && t->g->sends == 1;
}

/* ---- arriving ---- */

static bool receives_by(const struct telling *t, const char *path)
{
    return strcmp(t->s->receive, path) == 0;
}

static bool came_again(const struct telling *t)
{
    return t->g && t->e->twice;
}

static bool waits_in_adapter(const struct telling *t)
{
    return t->g && receives_by(t, "hold") && t->g->waits_for >= 0 && t->g->landed == t->at;
}

/* Where the octets wait for the CPU. */
static bool waits_for_copy(const struct telling *t)
{
    return t->g && receives_by(t, "copy");
}

static bool waits_for_copy_early(const struct telling *t)
{
    return waits_for_copy(t) && t->g->waits_for >= 0;
}

/* In order, placing it tells the same. */
static bool arrives_early(const struct telling *t)
{
    return t->e->ooo && t->g && !receives_by(t, "hold");
}

static bool arrives_early_marked(const struct telling *t)
{
    return arrives_early(t) && has_marker(t->s, t->g);
}

static bool has_words(const struct telling *t)
{
    return *t->e->text;
}

static bool discards(const struct telling *t)
{
    return t->g && receives_by(t, "discard");
}

static bool is_early(const struct telling *t)
{
    return t->g && t->e->ooo;
}

static bool is_placed_unseen(const struct telling *t)
{
    return !t->g && t->e->tagged;
}

/* ---- reading ---- */

static bool is_seen_later(const struct telling *t)
{
    return t->g && t->g->placed >= 0 && t->s->event[t->g->placed].t > t->e->t;
}

static bool lacks_octets(const struct telling *t)
{
    return t->m && story_missing(t->s, t->e->message, t->e->t);
}

/* ---- delivery ---- */

static bool is_of_no_message(const struct telling *t)
{
    return !t->m;
}

static bool is_write(const struct telling *t)
{
    return t->m && t->m->opcode == RDMAP_WRITE;
}

static bool is_tagged(const struct telling *t)
{
    return t->m && t->m->head.tagged;
}

static bool failed(const struct telling *t)
{
    return trace_said_failed(&t->e->said);
}

/* Of DDPP core: its lower layer has done with the message. */
static bool is_finished_core(const struct telling *t)
{
    return t->s->decorated && strchr(t->e->text, ';') && !failed(t);
}

static bool is_acknowledged_core(const struct telling *t)
{
    return is_finished_core(t) && t->e->said.acknowledged;
}

static bool is_atomic(const struct telling *t)
{
    return t->e->said.op == IW_FETCH_ADD || t->e->said.op == IW_CMP_SWAP;
}

static bool is_receive(const struct telling *t)
{
    return t->e->said.op == IW_RECV;
}

static bool is_read(const struct telling *t)
{
    return t->e->said.op == IW_READ;
}

static bool says_more(const struct telling *t)
{
    return strchr(t->e->text, ';') != NULL;
}

/* ---- the window ---- */

/* What the same end said last is what it says now, or it says nothing. */
static bool is_window_known(const struct telling *t)
{
    const struct story_event *e = t->e, *all = t->s->event;
    int i = t->at - 1;
    while (i >= 0 && (all[i].kind != TRACE_WINDOW || all[i].conn != e->conn || all[i].side != e->side))
        i--;
    bool same = i >= 0 && all[i].key == e->key && all[i].window_edge == e->window_edge;
    return same || (!e->key && e->window_edge == STORY_NONE);
}

static bool opens_window(const struct telling *t)
{
    return !t->e->key;
}

/* TCP acknowledges all octets below a number. SCTP acknowledges chunks, behind a hole too, and offers room for more of them
 * without saying how far that reaches. */
static bool acknowledges_chunks(const struct telling *t)
{
    return t->s->sctp && t->e->key;
}

static bool reports_packets(const struct telling *t)
{
    return t->s->packet && t->e->said.behind;
}

/* What came behind something missing stands in the acknowledgement; else the line of the window says all. */
static bool reports_chunks(const struct telling *t)
{
    return t->s->sctp && t->e->said.behind;
}

static bool reports_hole(const struct telling *t)
{
    return t->e->said.behind;
}

static bool resets(const struct telling *t)
{
    return t->e->said.reset;
}

/* ---- sections of operations and codes ---- */

static const char *section_of_post(const struct telling *t)
{
    static const enum source by[IW_OPS + 1] = {
        [IW_READ] = BY_OF_READ,           [IW_WRITE] = BY_OF_WRITE,
        [IW_FETCH_ADD] = BY_OF_ATOMIC,    [IW_CMP_SWAP] = BY_OF_ATOMIC,
        [IW_SEND] = BY_OF_SEND,           [IW_SEND_INV] = BY_OF_SEND,
        [IW_SEND_SE] = BY_OF_SEND,        [IW_SEND_SE_INV] = BY_OF_SEND,
        [IW_IMMEDIATE] = BY_OF_IMMEDIATE, [IW_IMMEDIATE_SE] = BY_OF_IMMEDIATE};
    return t->s->decorated ? NULL : source_sections[by[t->e->said.op]];
}

static const char *section_of_segment(const struct telling *t)
{
    static const enum source by[RDMAP_OPCODES] = {[RDMAP_WRITE] = BY_OF_WRITE,
                                                  [RDMAP_READ_REQ] = BY_OF_READ_REQUEST,
                                                  [RDMAP_READ_RESP] = BY_OF_READ_RESPONSE,
                                                  [RDMAP_SEND] = BY_OF_SEND,
                                                  [RDMAP_SEND_INV] = BY_OF_SEND,
                                                  [RDMAP_SEND_SE] = BY_OF_SEND,
                                                  [RDMAP_SEND_SE_INV] = BY_OF_SEND,
                                                  [RDMAP_TERMINATE] = BY_OF_TERMINATE,
                                                  [RDMAP_IMMEDIATE] = BY_OF_IMMEDIATE,
                                                  [RDMAP_IMMEDIATE_SE] = BY_OF_IMMEDIATE,
                                                  [RDMAP_ATOMIC_REQ] = BY_OF_ATOMIC_REQUEST,
                                                  [RDMAP_ATOMIC_RESP] = BY_OF_ATOMIC_RESPONSE};
    if (t->m && t->m->segments > 1)
        return source_sections[BY_SEGMENTED];
    if (!t->g->readable)
        return NULL;
    return source_sections[t->g->ctl.opcode < RDMAP_OPCODES ? by[t->g->ctl.opcode] : BY_OPCODES];
}

static const char *section_of_term(const struct telling *t)
{
    const struct iw_term_entry *entry = iw_term_entry(t->e->said.term);
    return entry ? entry->section : source_sections[BY_RDMAP_CODES];
}

/* ---- the table ---- */

/* Who says so: of every layer, of one, of two; in a capture another document. */
#define NOWHERE                .source = {NO_SOURCE}
#define EVERYWHERE(by)         .source = {BY_##by, BY_##by, BY_##by}
#define OVER_TCP(by)           .source = {BY_##by}
#define OVER(tcp, sctp)        .source = {BY_##tcp, BY_##sctp}
#define CAPTURED(by, captured) .source = {BY_##by, BY_##by, BY_##by, BY_##captured}
#define BY_STATE(function)     .section = function

#define LEAVES "sends {segment}: {kind}, {payload}{for}{last}{late}"
#define AGAIN(state, why, means, ...)                                                              \
    {                                                                                              \
        TRACE_RESENT, state, "retransmits {segment}: " means "{reduction}", shows_left, MOOD_LOST, \
            __VA_ARGS__, .reason = why                                                             \
    }

/* Without `words`: not told. Of one kind the first row whose state it is. */
const struct story_sentence sentences[] = {
    {TRACE_OTHER, NULL, "{event}", NULL, MOOD_LOST, NOWHERE},
    {TRACE_STARTUP, NULL, "starts MPA: {text}", NULL, MOOD_PLAIN, EVERYWHERE(STARTUP)},
    {TRACE_REGION, NULL, "registers {octets}{range}, as STag {stag} ({text})", shows_first_region, MOOD_QUIET,
     EVERYWHERE(STAG_NAMED)},
    {TRACE_REBIND, NULL, "revalidates {octets}{range}, as STag {stag} ({text})", shows_region, MOOD_QUIET,
     EVERYWHERE(STAG_NAMED)},
    {TRACE_INVALIDATE, NULL, "invalidates its STag {stag}", shows_region, MOOD_PLAIN,
     EVERYWHERE(STAG_REVOKED)},
    {TRACE_RECV, is_posted_with_others, NULL, NULL, MOOD_QUIET, NOWHERE},
    {TRACE_RECV, NULL, "posts {receives} of {octets}", NULL, MOOD_QUIET, EVERYWHERE(RECEIVE_QUEUE)},
    {TRACE_POST, NULL, "posts {a}{request}{of}{target}", NULL, MOOD_PLAIN, BY_STATE(section_of_post)},

    {TRACE_SENT, is_known_to_leave_now, LEAVES, shows_first_leaving, MOOD_PLAIN,
     BY_STATE(section_of_segment)},
    {TRACE_LEFT, leaves_now, LEAVES, shows_first_leaving, MOOD_PLAIN, BY_STATE(section_of_segment)},
    AGAIN(is_sctp, LLP_WHY_DUPACK, "three SACKs report it missing", EVERYWHERE(SCTP_MISSED)),
    AGAIN(is_sctp, LLP_WHY_RTO, "no acknowledgement arrived in time (RTO)", EVERYWHERE(SCTP_RTO)),
    AGAIN(is_sctp, LLP_WHY_NONE, "no acknowledgement arrived", EVERYWHERE(SCTP_REPEATED)),
    AGAIN(NULL, LLP_WHY_DUPACK, "duplicate acknowledgements report it missing", OVER_TCP(DUPACKS)),
    AGAIN(NULL, LLP_WHY_RACK, "a segment sent later was acknowledged (RACK)", OVER_TCP(RACK)),
    AGAIN(NULL, LLP_WHY_TLP, "a probe, as no acknowledgement arrived (TLP)", OVER_TCP(PROBE)),
    AGAIN(NULL, LLP_WHY_RTO, "no acknowledgement arrived in time (RTO)", OVER_TCP(RTO)),
    AGAIN(NULL, LLP_WHY_GO_BACK, "an earlier segment was lost (go-back-N)", OVER_TCP(RTO)),
    AGAIN(NULL, LLP_WHY_NAK, "the receiver reports it missing (NAK)", NOWHERE),
    AGAIN(NULL, LLP_WHY_PASSED, "a packet that left later was answered", NOWHERE),
    AGAIN(NULL, LLP_WHY_FULL, "the receiver had no bits left to remember it, and said so", NOWHERE),
    AGAIN(NULL, LLP_WHY_TRIMMED, "a switch had trimmed it, and its header was answered", NOWHERE),
    AGAIN(NULL, TRACE_SEEN, "an earlier frame carried its octets", OVER_TCP(REPEATED_SEEN)),
    AGAIN(NULL, LLP_WHY_NONE, "no acknowledgement arrived", OVER_TCP(REPEATED)),
    {TRACE_LINK, NULL, "the link {text}", NULL, MOOD_LOST, NOWHERE},
    {TRACE_LOST, is_about_none, "the network LOSES a packet{; text}", NULL, MOOD_LOST, NOWHERE},
    {TRACE_LOST, NULL, "the network LOSES {segment}: {numbers}{; text}", shows_copy_under_way, MOOD_LOST,
     NOWHERE},
    {TRACE_TIMEOUT, was_spurious,
     "learns that its timeout was spurious: the original segments arrived{reduction}", shows_timeout_before,
     MOOD_LOST, OVER(SPURIOUS_TIMEOUT, SCTP_RTO)},
    {TRACE_TIMEOUT, NULL, "times out: {segment} was not acknowledged before the timer expired{reduction}",
     shows_left, MOOD_LOST, OVER(RTO, SCTP_RTO)},
    {TRACE_SPURIOUS, was_sent_once,
     "learns that {segment} came twice: it was sent once, and the network has doubled it", shows_there_twice,
     MOOD_LOST, OVER(DUPLICATE_REPORT, SCTP_DUPLICATE)},
    {TRACE_SPURIOUS, NULL, "learns that it retransmitted {segment} needlessly: the peer had it",
     shows_repeated_and_there, MOOD_LOST, OVER(DUPLICATE_REPORT, SCTP_DUPLICATE)},
    {TRACE_UNDONE, NULL, "undoes the last cut of its congestion window: nothing was lost", NULL, MOOD_LOST,
     OVER(UNDO, SCTP_PROBE)},
    {TRACE_STALLED, NULL, "has waited for a whole timeout: the window is smaller than the next FPDU", NULL,
     MOOD_LOST, OVER(STALL, SCTP_PROBE)},
    {TRACE_PROBED, NULL, "probes the closed window", NULL, MOOD_LOST, OVER(WINDOW_PROBE, SCTP_PROBE)},

    {TRACE_LANDED, came_again, "receives {segment} again; it is already there", shows_there_before, MOOD_LOST,
     EVERYWHERE(NO_DUPLICATE)},
    {TRACE_LANDED, waits_in_adapter, "receives {segment} early: {hole}; it waits in the adapter's memory",
     shows_hole, MOOD_EARLY, NOWHERE},
    {TRACE_LANDED, waits_for_copy_early, "puts {segment} into the kernel's buffer; {hole}", shows_hole,
     MOOD_EARLY, NOWHERE},
    {TRACE_LANDED, waits_for_copy, "puts {segment} into the kernel's buffer", shows_left, MOOD_PLAIN,
     NOWHERE},
    {TRACE_ARRIVED, arrives_early_marked,
     "receives {segment} early: {hole}; the marker at octet {marker} points {back} octets back to its start",
     shows_early_arrival, MOOD_EARLY, OVER(MARKER, UNORDERED)},
    {TRACE_ARRIVED, arrives_early, "receives {segment} early: {hole}", shows_early_arrival, MOOD_EARLY,
     OVER(ANY_ORDER, UNORDERED)},
    {TRACE_REFUSED, has_words, "refuses {segment}, {text}; to its sender it is lost", NULL, MOOD_LOST,
     OVER(BAD_CRC, SCTP_CHECKSUM)},
    {TRACE_REFUSED, discards,
     "refuses {segment}; to its sender it is lost (out of order, and this adapter discards)", shows_hole,
     MOOD_LOST, NOWHERE},
    {TRACE_REFUSED, NULL, "refuses {segment}; to its sender it is lost", shows_landed, MOOD_LOST, NOWHERE},
    {TRACE_DROPPED, NULL, "drops {segment}: staging is full", shows_landed, MOOD_LOST, NOWHERE},
    {TRACE_KEPT, NULL, "keeps {segment} until its turn", shows_arrived, MOOD_EARLY, EVERYWHERE(TURN)},
    {TRACE_PLACED, is_placed_unseen, "places {octets} at TO {to}", NULL, MOOD_PLACED, NOWHERE},
    {TRACE_PLACED, is_early, "places {segment}: {payload} at {where}. EARLY: {hole}", shows_early_arrival,
     MOOD_EARLY, EVERYWHERE(PLACEMENT)},
    {TRACE_PLACED, is_about_segment, "places {segment}: {payload} at {where}", shows_arrived_in_turn,
     MOOD_PLACED, EVERYWHERE(PLACEMENT)},

    {TRACE_WRITTEN, is_seen_later, "issues the write of {segment}: {payload} that nobody can see yet",
     shows_arrived, MOOD_QUIET, NOWHERE},
    {TRACE_WRITTEN, NULL, NULL, NULL, MOOD_QUIET, NOWHERE},
    {TRACE_LOOKED, is_about_none,
     "its program ({name}) reads the memory of a Write of {octets}, of which nothing has left the peer", NULL,
     MOOD_ERROR, EVERYWHERE(PEEKING)},
    {TRACE_LOOKED, lacks_octets, "its program ({name}) reads the Write of {message}: {missing} had not come",
     shows_octets_missing, MOOD_ERROR, EVERYWHERE(PEEKING)},
    {TRACE_LOOKED, says_more,
     "its program ({name}) reads the Write of {message}; all had come, though nothing had said so",
     shows_message_in_place, MOOD_EARLY, EVERYWHERE(PEEKING)},
    {TRACE_LOOKED, NULL, "its program ({name}) reads the Write of {message}; all had come",
     shows_message_in_place, MOOD_DELIVERED, EVERYWHERE(READABLE)},

    {TRACE_DELIVERED, is_of_no_message, "DELIVERS {text} number {count}, {octets}", NULL, MOOD_DELIVERED,
     NOWHERE},
    {TRACE_DELIVERED, is_write,
     "has the Write of {message} and everything before it in place; it does not notify the ULP.{why now}",
     shows_all_in_place, MOOD_DELIVERED, EVERYWHERE(WRITE_SILENT)},
    {TRACE_DELIVERED, is_tagged, "DELIVERS the {type}, {message}.{why now}", shows_all_in_place,
     MOOD_DELIVERED, EVERYWHERE(DELIVERY)},
    {TRACE_DELIVERED, NULL, "DELIVERS the {type}, MSN {msn}, {message}.{why now}", shows_all_in_place,
     MOOD_DELIVERED, EVERYWHERE(DELIVERY)},
    {TRACE_EDGE, NULL, NULL, NULL, MOOD_QUIET, NOWHERE},
    {TRACE_DONE, is_acknowledged_core,
     "tells the ULP that a message is finished: {octets}; the peer's SCTP acknowledged them", shows_post,
     MOOD_DELIVERED, EVERYWHERE(SCTP_ACKNOWLEDGED)},
    {TRACE_DONE, is_finished_core,
     "tells the ULP that a message is finished: {octets}; the sender awaits no acknowledgement", shows_post,
     MOOD_DELIVERED, EVERYWHERE(NOT_ASKED)},
    {TRACE_DONE, failed, "returns a {name} to the ULP unfinished{rest}", shows_end, MOOD_ERROR,
     EVERYWHERE(COMPLETION)},
    {TRACE_DONE, is_atomic, "tells the ULP that its {name} is complete{rest}", shows_response, MOOD_DELIVERED,
     EVERYWHERE(ATOMIC_COMPLETION)},
    {TRACE_DONE, is_receive, "tells the ULP of a receive: {octets}{rest}", shows_receive, MOOD_DELIVERED,
     EVERYWHERE(RECEIVE_COMPLETION)},
    {TRACE_DONE, is_read, "tells the ULP that its {name} is complete: {octets}{rest}", shows_response,
     MOOD_DELIVERED, EVERYWHERE(READ_COMPLETION)},
    {TRACE_DONE, says_more, "tells the ULP that its {name} is complete: {octets}{rest}", shows_post,
     MOOD_DELIVERED, EVERYWHERE(COMPLETION)},
    {TRACE_DONE, NULL,
     "tells the ULP that its {name} is complete: {octets}; it may reuse its buffer; nothing is said of the "
     "peer's",
     shows_post, MOOD_DELIVERED, EVERYWHERE(COMPLETION)},

    {TRACE_WINDOW, is_window_known, NULL, NULL, MOOD_QUIET, NOWHERE},
    {TRACE_WINDOW, opens_window, "advertises a window of {edge}", NULL, MOOD_QUIET,
     CAPTURED(WINDOW, CUMULATIVE)},
    {TRACE_WINDOW, acknowledges_chunks, "has acknowledged {key} octets, in order or not{room}",
     shows_as_many_octets, MOOD_QUIET, EVERYWHERE(SCTP_ACKNOWLEDGED)},
    {TRACE_WINDOW, NULL, "acknowledges everything below {key}{room}{up to}", shows_below_key, MOOD_QUIET,
     CAPTURED(WINDOW, CUMULATIVE)},

    {TRACE_ACK, reports_packets,
     "reports: everything below PSN {key} is there{times}; behind the hole it has PSN {behind}", NULL,
     MOOD_QUIET, NOWHERE},
    {TRACE_ACK, reports_chunks,
     "reports a chunk missing{times}; of those from it on {behind} are there (SACK)", NULL, MOOD_QUIET,
     EVERYWHERE(SCTP_ACKNOWLEDGED)},
    {TRACE_ACK, reports_hole,
     "acknowledges everything below {key}{times}; behind the hole it has {behind} (SACK)", shows_behind,
     MOOD_QUIET, OVER_TCP(SACK)},
    {TRACE_ACK, NULL, NULL, NULL, MOOD_QUIET, NOWHERE},
    {TRACE_HEARD, NULL, NULL, NULL, MOOD_QUIET, NOWHERE},

    {TRACE_TERMINATE_SENT, NULL, "TERMINATES the stream: {code}.{cause}", shows_no_end_before, MOOD_ERROR,
     BY_STATE(section_of_term)},
    {TRACE_TERMINATE_RECEIVED, NULL, "learns that the peer terminated the stream: {code}",
     shows_terminate_of_peer, MOOD_ERROR, EVERYWHERE(TERMINATE_TOLD)},
    {TRACE_FATAL, NULL, "tells the ULP that the stream has ended: {code}", NULL, MOOD_ERROR,
     EVERYWHERE(ERROR_TOLD)},
    {TRACE_HALF_CLOSED, NULL, "learns that the peer will send nothing more", shows_peer_closed, MOOD_PLAIN,
     EVERYWHERE(HALF_CLOSE)},
    {TRACE_CLOSED, NULL, "is disconnected", NULL, MOOD_QUIET, EVERYWHERE(TEARDOWN)},
    {TRACE_NO_BUFFER, NULL, "makes a message wait: no receive buffer is posted", shows_no_buffer, MOOD_ERROR,
     EVERYWHERE(TURN)},
    {TRACE_CLOSES, resets, "sends {text}: the connection ends at once, whatever is in flight", NULL,
     MOOD_PLAIN, CAPTURED(TEARDOWN, RESET)},
    {TRACE_CLOSES, NULL, "sends {text}: this side will send nothing more", NULL, MOOD_PLAIN,
     CAPTURED(TEARDOWN, FIN)},
    {TRACE_VIOLATION, NULL, "WRONG: {text}", NULL, MOOD_ERROR, EVERYWHERE(FAULT)},
};
const int sentences_count = sizeof sentences / sizeof *sentences;
