/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/judge/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/list.h"
#include "helpers/capture/reassembly.h"
#include "helpers/judge/said.h"
#include "helpers/judge/tap.h"
#include "helpers/world/socket/memory.h"
#include "llp/mpa.h"

enum { OCTETS_MAX = 256 << 20, FPDUS_MAX = 1 << 20, REGIONS_MAX = 64 };
enum { READS_MAX = 64, SINK_OCTETS = 12 };
enum { AT_STAG = 2, AT_TO = 6, AT_SOURCE = 34, AT_ATOMIC = 26 }; /* in a ULPDU */

/* An FPDU of the initiator. */
struct sent {
    struct decode_segment segment;
    size_t after; /* messages of the responder that came before it */
    uint8_t *ulpdu;
};

/* Memory that a capture's Reply does not tell of: an STag and the lowest TO that is used with it. */
struct region {
    iw_stag stag;
    uint64_t to, end;
};

struct replay {
    int conn;
    bool rejected;
    uint8_t request[MPA_FRAME_MAX], reply[MPA_FRAME_MAX];
    uint32_t request_len, reply_len;
    struct sent *sent;
    size_t count;
    uint64_t octets;
    struct said_list said;
    struct live_told told;
    bool is_told;
    struct region region[REGIONS_MAX];
    uint32_t regions;
    char note[REPLAY_TEXT_MAX]; /* why it ends early */
};

/* ---- the capture ---- */

static void end_early(struct replay *r, uint64_t frame, const char *why)
{
    if (!*r->note)
        snprintf(r->note, sizeof r->note, "frame %" PRIu64 ": %s: from here on nothing is sent", frame, why);
}

static void on_connection(void *context, const struct decode_connection *c)
{
    struct replay *r = context;
    struct mpa_frame reply;
    uint32_t size;
    if (!r->conn && c->start_up_len[DECODE_I2R])
        r->conn = c->conn;
    if (c->conn != r->conn || !c->start_up_len[DECODE_I2R])
        return;
    r->rejected = c->rejected;
    r->request_len = c->start_up_len[DECODE_I2R];
    r->reply_len = c->start_up_len[DECODE_R2I];
    memcpy(r->request, c->start_up[DECODE_I2R], r->request_len);
    memcpy(r->reply, c->start_up[DECODE_R2I], r->reply_len);
    if (mpa_frame_get(r->reply, r->reply_len, &reply, &size) == MPA_FRAME_WHOLE)
        r->is_told = told_get(reply.private_data, reply.private_len, &r->told);
}

static bool room_for_fpdu(struct replay *r)
{
    struct sent *more = r->count < FPDUS_MAX ? list_grow(r->sent, r->count, sizeof *more) : NULL;
    r->sent = more ? more : r->sent;
    return more != NULL;
}

/* FPDUs come as they were heard; they are sent in the order of their stream. */
static void on_segment(void *context, const struct decode_segment *s)
{
    struct replay *r = context;
    if (s->conn == r->conn && s->dir == DECODE_R2I)
        said_segment(&r->said, s);
    if (s->conn != r->conn || s->dir != DECODE_I2R || *r->note)
        return;
    if (!s->ulpdu || s->ulpdu_there < s->ulpdu_len || !s->ulpdu_len || s->crc == DECODE_CRC_BAD) {
        end_early(r, s->frame_first, "the FPDU is broken, or not wholly in the capture");
        return;
    }
    uint8_t *octets =
        r->octets + s->ulpdu_len <= OCTETS_MAX && room_for_fpdu(r) ? malloc(s->ulpdu_len) : NULL;
    if (!octets) {
        end_early(r, s->frame_first, "there is no memory for more than 256 MiB");
        return;
    }
    memcpy(octets, s->ulpdu, s->ulpdu_len);
    r->octets += s->ulpdu_len;
    size_t i = r->count++;
    for (; i && r->sent[i - 1].segment.key > s->key; i--)
        r->sent[i] = r->sent[i - 1];
    r->sent[i] = (struct sent){*s, r->said.count, octets};
}

static void cut_off(struct replay *r, size_t count)
{
    for (size_t i = count; i < r->count; i++)
        free(r->sent[i].ulpdu);
    r->count = count;
}

/* What a broken FPDU, or a hole in the capture, leaves. */
static void check_order(struct replay *r)
{
    for (size_t i = 1; i < r->count; i++) {
        struct sent *s = &r->sent[i];
        if (s->segment.key != s[-1].segment.end) {
            end_early(r, s->segment.frame_first, "octets before it are not in the capture");
            cut_off(r, i);
            return;
        }
        s->after = s->after < s[-1].after ? s[-1].after : s->after;
    }
}

static void on_message(void *context, const struct decode_message *m)
{
    struct replay *r = context;
    if (m->conn == r->conn && m->dir == DECODE_R2I)
        said_message(&r->said, m);
}

void replay_free(struct replay *r)
{
    if (!r)
        return;
    cut_off(r, 0);
    free(r->sent);
    said_free(&r->said);
    free(r);
}

/* ---- memory ---- */

static uint32_t get_stag(const uint8_t *p)
{
    uint32_t stag;
    iw_get32(p, &stag);
    return stag;
}

static uint64_t get_to(const uint8_t *p)
{
    uint64_t to;
    iw_get64(p, &to);
    return to;
}

/* Where a ULPDU names memory of the responder: its STag, a TO behind it, and how many octets; false: nowhere. */
struct named {
    uint32_t stag, to; /* offsets in the ULPDU; to 0: none */
    uint64_t len;
};

static bool names_memory(const struct sent *s, struct named *n)
{
    if (!s->segment.readable)
        return false;
    if (s->segment.head.tagged) {
        *n = (struct named){AT_STAG, AT_TO, s->segment.ulpdu_len - IW_HEAD_TAGGED};
        return s->segment.ctl.opcode == RDMAP_WRITE;
    }
    switch (s->segment.ctl.opcode) {
    case RDMAP_SEND_INV:
    case RDMAP_SEND_SE_INV: *n = (struct named){AT_STAG, 0, 0}; return true;
    case RDMAP_READ_REQ:
        if (s->segment.ulpdu_len < IW_HEAD_UNTAGGED + IW_READ_REQ_SIZE)
            return false;
        *n = (struct named){AT_SOURCE, AT_SOURCE + 4, get_stag(s->ulpdu + AT_SOURCE - 4)};
        return true;
    case RDMAP_ATOMIC_REQ:
        *n = (struct named){AT_ATOMIC, AT_ATOMIC + 4, sizeof(uint64_t)};
        return s->segment.ulpdu_len >= IW_HEAD_UNTAGGED + IW_ATOMIC_REQ_SIZE;
    default: return false;
    }
}

static struct region *region_of(struct replay *r, iw_stag stag)
{
    for (uint32_t i = 0; i < r->regions; i++)
        if (r->region[i].stag == stag)
            return &r->region[i];
    return NULL;
}

/* What the initiator's messages reach, where no Reply tells of it. */
static void find_regions(struct replay *r)
{
    struct named n;
    for (size_t i = 0; i < r->count; i++) {
        if (!names_memory(&r->sent[i], &n) || !n.to || !n.len)
            continue;
        iw_stag stag = get_stag(r->sent[i].ulpdu + n.stag);
        uint64_t to = get_to(r->sent[i].ulpdu + n.to);
        struct region *g = region_of(r, stag);
        if (!g && r->regions < REGIONS_MAX) {
            g = &r->region[r->regions++];
            *g = (struct region){stag, to, to};
        }
        if (!g)
            continue;
        g->to = to < g->to ? to : g->to;
        g->end = to + n.len > g->end ? to + n.len : g->end;
    }
}

/* ---- octets that the replay decides ---- */

/* What memory of the responder a ULPDU names, in one space of addresses; false: it cannot be said. Where nobody told of memory,
 * several STags of the capture become one of the peer's, so nothing is known then. */
static bool place_of_ulpdu(const struct replay *r, const struct sent *s, uint64_t *from, uint64_t *to)
{
    struct named n;
    if ((!r->is_told && r->regions != 1) || !names_memory(s, &n) || !n.to)
        return false;
    *from = get_to(s->ulpdu + n.to);
    *to = *from + n.len;
    return *to >= *from;
}

/* What was asked and is not answered yet: the answer is number `index` of what the responder said. */
struct asked {
    size_t index;
    uint64_t from;
};

struct known {
    struct replay *r;
    struct reassembly written;     /* by the initiator, or known for another reason */
    struct asked asked[READS_MAX]; /* Reads, the last ones */
    uint32_t first, count;
    size_t next[2]; /* where the next answer is searched: to a Read, to an Atomic */
};

/* The next answer of a kind; the count of all: none. */
static size_t next_answer(struct known *k, bool atomic)
{
    const struct said_list *l = &k->r->said;
    for (size_t i = k->next[atomic]; i < l->count; i++)
        if (l->said[i].opcode == (atomic ? RDMAP_ATOMIC_RESP : RDMAP_READ_RESP)) {
            k->next[atomic] = i + 1;
            return i;
        }
    k->next[atomic] = l->count;
    return l->count;
}

/* An answer says what was written before it was asked for, and it cannot have changed before it came. */
static void predict_answer(struct known *k, const struct sent *s, bool atomic)
{
    uint64_t from, to, skipped = atomic ? sizeof(uint32_t) : 0; /* its identifier */
    size_t index = next_answer(k, atomic);
    if (index == k->r->said.count)
        return;
    struct said *answer = &k->r->said.said[index];
    answer->partly = true;
    said_know(answer, 0, skipped, true);
    if (!place_of_ulpdu(k->r, s, &from, &to))
        return;
    const struct reassembly_piece *p = reassembly_beyond(&k->written, from), *next;
    for (uint64_t end; p && p->at < to; p = next) {
        uint64_t a = p->at > from ? p->at : from;
        for (end = reassembly_end_of(p); (next = reassembly_beyond(&k->written, end)) && next->at == end;)
            end = reassembly_end_of(next);
        end = end < to ? end : to;
        if (end - from + skipped <= answer->length)
            said_know(answer, a - from + skipped, end - from + skipped, true);
    }
    if (atomic)
        return;
    k->asked[(k->first + k->count) % READS_MAX] = (struct asked){index, from};
    if (k->count < READS_MAX)
        k->count++;
    else
        k->first++;
}

/* Octets that change while a Read is under way may be in its answer, or not. */
static void change(struct known *k, const struct sent *s, uint64_t from, uint64_t to)
{
    for (; k->count && k->asked[k->first % READS_MAX].index < s->after; k->first++)
        k->count--;
    for (uint32_t i = 0; i < k->count; i++) {
        const struct asked *a = &k->asked[(k->first + i) % READS_MAX];
        if (to > a->from)
            said_know(&k->r->said.said[a->index], from > a->from ? from - a->from : 0, to - a->from, false);
    }
}

static void mark_known(struct replay *r)
{
    struct known k = {.r = r};
    uint64_t from, to;
    for (size_t i = 0; i < r->count; i++) {
        const struct sent *s = &r->sent[i];
        bool tagged = s->segment.head.tagged, placed = place_of_ulpdu(r, s, &from, &to);
        bool atomic = !tagged && s->segment.ctl.opcode == RDMAP_ATOMIC_REQ;
        bool write = tagged && s->segment.ctl.opcode == RDMAP_WRITE;
        if (placed && (write || atomic))
            change(&k, s, from, to);
        if (placed && write)
            reassembly_add(&k.written, &(struct reassembly_piece){.at = from, .len = (uint32_t)(to - from)});
        if (atomic || (s->segment.readable && !tagged && s->segment.ctl.opcode == RDMAP_READ_REQ))
            predict_answer(&k, s, atomic);
    }
    reassembly_free(&k.written);
    for (size_t i = 0; i < r->said.count; i++) {
        struct said *s = &r->said.said[i];
        if (s->opcode != RDMAP_READ_REQ)
            continue;
        s->partly = true; /* its sink is where the peer wants it */
        said_know(s, SINK_OCTETS, s->length, true);
    }
}

struct replay *replay_read(struct capture *capture, int conn, char *why)
{
    char error[CAPTURE_ERROR_MAX];
    static const struct decode_options options;
    struct replay *r = calloc(1, sizeof *r);
    const struct decode_sink sink = {
        .context = r, .connection = on_connection, .segment = on_segment, .message = on_message};
    if (!r) {
        snprintf(why, REPLAY_TEXT_MAX, "out of memory");
        return NULL;
    }
    r->conn = conn;
    if (decode_capture(capture, &options, &sink, NULL, error) < 0)
        snprintf(why, REPLAY_TEXT_MAX, "%.400s", error);
    else if (!r->request_len && conn)
        snprintf(why, REPLAY_TEXT_MAX, "it has no connection %d that begins with an MPA Request", conn);
    else if (!r->request_len)
        snprintf(why, REPLAY_TEXT_MAX, "it has no connection that begins with an MPA Request");
    else {
        check_order(r);
        if (!r->is_told)
            find_regions(r);
        mark_known(r);
        return r;
    }
    replay_free(r);
    return NULL;
}

/* ---- playing ---- */

struct play {
    const struct replay *r;
    struct replay_result *out;
    unsigned gap_ms;
    struct tap tap;
    struct said_list said;
    struct live_told told; /* the peer's memory */
    bool is_told;
    bool late; /* it did not say something in time; nothing is waited for any more */
    uint8_t ulpdu[MPA_ULPDU_MAX], fpdu[2 * MPA_ULPDU_MAX];
};

static void on_live_message(void *context, const struct decode_message *m)
{
    struct play *p = context;
    if (m->dir == DECODE_R2I)
        said_message(&p->said, m);
}

static void on_live_segment(void *context, const struct decode_segment *s)
{
    struct play *p = context;
    if (s->dir == DECODE_R2I)
        said_segment(&p->said, s);
}

/* Until it has said `count` messages (0: its start-up frame), or nothing for long. */
static void await(struct play *p, size_t count)
{
    enum { PATIENCE = 20 };
    for (int quiet = 0; !p->tap.ended && !p->late && (count ? p->said.count < count : !p->tap.framed);) {
        quiet = tap_listen(&p->tap, p->gap_ms) ? 0 : quiet + 1;
        p->late = quiet == PATIENCE;
    }
}

static void send_octets(struct play *p, const uint8_t *octets, uint32_t len)
{
    while (tap_listen(&p->tap, 0)) {
    }
    tap_send(&p->tap, octets, len);
}

/* ---- substitution ---- */

/* An STag of the capture's responder: the same word of the peer's. One that is near it (another key) stays as near. */
static bool map_told(const struct play *p, iw_stag *stag, uint64_t *to)
{
    enum { KEY = 0xff };
    const struct live_told *was = &p->r->told, *is = &p->told;
    for (int exact = 1; exact >= 0; exact--)
        for (int i = 0; i < SCRIPT_MEMORIES; i++) {
            iw_stag apart = *stag ^ was->stag[i];
            if (i == SCRIPT_NOTHING || !was->stag[i] || (exact ? apart : apart & ~(iw_stag)KEY))
                continue;
            *stag = is->stag[i] ^ apart;
            uint64_t from = *to - was->to, most = UINT64_C(1) << 40;
            *to = from < most || -from < most ? is->to + from : *to; /* TOs that wrap stay */
            return true;
        }
    return false;
}

static void map_region(const struct play *p, iw_stag *stag, uint64_t *to)
{
    for (uint32_t i = 0; i < p->r->regions; i++)
        if (p->r->region[i].stag == *stag) {
            *to = p->told.to + (*to - p->r->region[i].to);
            *stag = p->told.stag[SCRIPT_HOME];
            return;
        }
}

static void map_memory(struct play *p, const struct sent *s)
{
    struct named n;
    if (!names_memory(s, &n))
        return;
    iw_stag stag = get_stag(p->ulpdu + n.stag);
    uint64_t to = n.to ? get_to(p->ulpdu + n.to) : p->r->told.to;
    if (p->r->is_told)
        map_told(p, &stag, &to);
    else
        map_region(p, &stag, &to);
    iw_put32(p->ulpdu + n.stag, stag);
    if (n.to)
        iw_put64(p->ulpdu + n.to, to);
}

/* A number in a message of the capture's responder that is one of its memory, and the peer's in the peer's. */
static bool is_alike(const void *context, const uint8_t *was, const uint8_t *is, uint32_t len)
{
    enum { STAG_LEN = 4 };
    const struct play *p = context;
    const struct live_told *old = &p->r->told;
    if (!p->r->is_told || !p->is_told)
        return false;
    if (len == STAG_LEN) {
        iw_stag stag = get_stag(was);
        uint64_t to = old->to;
        return map_told(p, &stag, &to) && stag == get_stag(is);
    }
    uint64_t from = get_to(was) - old->to;
    return from <= old->len && get_to(is) - p->told.to == from;
}

static void compare_answers(struct play *p)
{
    struct said_difference d;
    said_compare(&p->r->said, &p->said, is_alike, p, &d);
    p->out->differs = d.found;
    snprintf(p->out->first, sizeof p->out->first, "%s", d.text);
    if (d.elsewhere)
        snprintf(p->out->elsewhere, sizeof p->out->elsewhere,
                 "octets that memory held before differ in %zu answer%s; the first is octet %" PRIu32
                 " of frame %" PRIu64 "'s",
                 d.elsewhere, d.elsewhere == 1 ? "" : "s", d.elsewhere_octet, d.elsewhere_frame);
}

/* The Read Request number `k` of a list, from 0 on; NULL: not yet. */
static const struct said *read_of(const struct said_list *l, size_t k)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->said[i].opcode == RDMAP_READ_REQ && !k--)
            return &l->said[i];
    return NULL;
}

/* A Read Response of the initiator answers a Read of the responder: that of the peer has another sink. */
static void map_sink(struct play *p, const struct sent *s)
{
    const struct said *was, *is;
    const struct ddp_head *h = &s->segment.head;
    if (!s->segment.readable || !h->tagged || s->segment.ctl.opcode != RDMAP_READ_RESP)
        return;
    for (size_t k = 0; (was = read_of(&p->r->said, k)); k++) {
        if (was->read.sink_stag != h->stag || h->to - was->read.sink_to > was->read.size)
            continue;
        is = read_of(&p->said, k);
        if (!is)
            return;
        iw_put32(p->ulpdu + AT_STAG, is->read.sink_stag);
        iw_put64(p->ulpdu + AT_TO, is->read.sink_to + (h->to - was->read.sink_to));
        return;
    }
}

static void resend_fpdu(struct play *p, const struct sent *s)
{
    struct iw_seg seg;
    await(p, s->after);
    memcpy(p->ulpdu, s->ulpdu, s->segment.ulpdu_len);
    map_memory(p, s);
    map_sink(p, s);
    iw_seg_view(&seg, mpa_key(&p->tap.tx), p->ulpdu, s->segment.ulpdu_len);
    uint32_t len = mpa_put(&p->tap.tx, &seg, p->fpdu);
    send_octets(p, p->fpdu, len);
    p->out->sent++;
}

/* ---- start-up ---- */

static bool needs_memory(const struct replay *r)
{
    struct named n;
    for (size_t i = 0; i < r->count; i++)
        if (names_memory(&r->sent[i], &n) && n.len)
            return true;
    return false;
}

static bool fits(const struct play *p, char *why)
{
    if (!p->is_told && needs_memory(p->r)) {
        snprintf(why, REPLAY_TEXT_MAX, "the peer does not advertise its memory; give --memory STAG:TO:LEN");
        return false;
    }
    for (uint32_t i = 0; i < p->r->regions; i++) {
        const struct region *g = &p->r->region[i];
        if (g->end - g->to <= p->told.len)
            continue;
        snprintf(why, REPLAY_TEXT_MAX,
                 "the capture reaches %" PRIu64 " octets of memory, and the peer has %" PRIu32,
                 g->end - g->to, p->told.len);
        return false;
    }
    return true;
}

/* The Request, as it was. False: there is nothing to go on with; `why` is empty when that is an answer. */
static bool start_up(struct play *p, char *why)
{
    struct mpa_frame request;
    const struct mpa_frame *reply = &p->tap.theirs;
    uint32_t size;
    send_octets(p, p->r->request, p->r->request_len);
    await(p, 0);
    mpa_frame_get(p->r->request, p->r->request_len, &request, &size);
    bool replied = p->tap.is == MPA_FRAME_WHOLE && reply->reply;
    if (!replied || reply->rejected != p->r->rejected) {
        p->out->differs = replied || p->r->reply_len;
        snprintf(p->out->first, sizeof p->out->first,
                 "the capture's responder %s the connection; this peer %s",
                 p->r->rejected    ? "rejects"
                 : p->r->reply_len ? "accepts"
                                   : "does not answer",
                 !replied          ? "does not answer with an MPA Reply"
                 : reply->rejected ? "rejects it"
                                   : "accepts it");
        return false;
    }
    if (!p->is_told)
        p->is_told = told_get(reply->private_data, reply->private_len, &p->told);
    tap_begin(&p->tap, &request);
    return !p->r->rejected && fits(p, why);
}

static void play_capture(struct play *p, char *why)
{
    if (!start_up(p, why))
        return;
    for (size_t i = 0; i < p->r->count && !p->tap.ended; i++)
        resend_fpdu(p, &p->r->sent[i]);
    await(p, p->r->said.count);
    while (tap_listen(&p->tap, p->gap_ms)) {
    }
    compare_answers(p);
}

bool replay_play(const struct replay *r, const struct judge_peer *peer, unsigned gap_ms,
                 const struct case_memory *memory, struct replay_result *out, char *why)
{
    struct play *p = calloc(1, sizeof *p);
    const struct decode_sink sink = {.context = p, .segment = on_live_segment, .message = on_live_message};
    *why = '\0';
    *out = (struct replay_result){.conn = r->conn};
    snprintf(out->note, sizeof out->note, "%s", r->note);
    bool there = p && peer->open(peer->context, 0);
    if (!there || !tap_open(&p->tap, peer, &sink, TAP_US)) {
        snprintf(why, REPLAY_TEXT_MAX, p && !there ? "nobody answers there" : "out of memory");
        free(p);
        return false;
    }
    p->r = r;
    p->out = out;
    p->gap_ms = gap_ms;
    if (memory) {
        p->told = memory->told;
        p->is_told = true;
    }
    play_capture(p, why);
    if (p->said.failed || r->said.failed)
        snprintf(why, REPLAY_TEXT_MAX, "out of memory for so many messages");
    out->answers = p->said.count;
    tap_close(&p->tap);
    peer->close(peer->context);
    said_free(&p->said);
    free(p);
    return !*why;
}
