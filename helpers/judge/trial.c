/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/judge/trial.h"

#include <stdio.h>
#include <string.h>

#include "helpers/capture/decode_rules.h"
#include "helpers/judge/tap.h"
#include "helpers/world/socket/memory.h"
#include "llp/crc32c.h"
#include "llp/mpa.h"

enum { FPDU_MAX = 70000, ANSWERED_MAX = 1024, PROBE_STAG = 1 };

struct play {
    const struct judge_case *c;
    const struct judge_peer *peer;
    struct judge_trial *out;
    unsigned gap_ms;
    struct case_memory memory;

    struct judge *judge;
    struct judge_sink told;    /* by it */
    struct decode_sink decode; /* its own */
    struct tap tap;

    /* what was heard of the peer */
    bool replied, rejected;                  /* replied: and the stream is there for the steps */
    bool spoke, owes;                        /* it has sent an FPDU; it waits for the answer to a Read */
    bool terminated, answers;                /* answers: to a probe, or by a Terminate */
    struct rdmap_terminate terminate, other; /* other: the second reading its octets have */
    bool has_other;
    uint8_t answered[ANSWERED_MAX]; /* octets of Read Responses */
    uint32_t answered_len, probes;
    uint32_t responses; /* whole ones */
    bool served;        /* none of our Reads waits for one, or none will come */

    /* what we send */
    uint32_t reads;
    bool holding;
    uint8_t held[FPDU_MAX];
    uint32_t held_len;
    uint8_t ulpdu[FPDU_MAX], fpdu[2 * FPDU_MAX];
};

static void skip(struct play *p, const char *why)
{
    p->out->result = TRIAL_SKIPPED;
    snprintf(p->out->fault[0], sizeof p->out->fault[0], "%s", why);
    p->out->faults = 1;
}

static void blame(struct play *p, const char *requirement, const char *what)
{
    if (p->out->faults < TRIAL_FAULTS)
        snprintf(p->out->fault[p->out->faults++], sizeof p->out->fault[0], "%s: %s", requirement, what);
}

/* ---- the sink ---- */

static enum decode_dir peer_dir(const struct play *p)
{
    return p->c->initiates ? DECODE_I2R : DECODE_R2I;
}

static void on_accuse(void *context, const struct judge_accusation *a)
{
    struct play *p = context;
    if (a->dir == peer_dir(p))
        blame(p, catalogue[a->requirement].id, a->what);
}

/* The first Read of the peer; the judge has to answer it. */
static void note_read(struct play *p, const uint8_t *octets)
{
    struct rdmap_read_req r;
    rdmap_read_req_get(octets, &r);
    if (p->memory.asked)
        return;
    p->memory.asked = p->owes = true;
    p->memory.sink = r.sink_stag;
    p->memory.to = r.sink_to;
    p->memory.size = r.size;
}

static void on_segment(void *context, const struct decode_segment *s)
{
    struct play *p = context;
    if (s->dir != peer_dir(p))
        return;
    p->spoke = true;
    if (!s->readable)
        return;
    if (!s->head.tagged && s->ctl.opcode == RDMAP_READ_REQ &&
        s->octets_len == IW_HEAD_UNTAGGED + IW_READ_REQ_SIZE)
        note_read(p, s->octets + IW_HEAD_UNTAGGED);
    if (!s->head.tagged || s->ctl.opcode != RDMAP_READ_RESP)
        return;
    tap_keep(p->answered, &p->answered_len, ANSWERED_MAX, s->octets + IW_HEAD_TAGGED,
             s->octets_len - IW_HEAD_TAGGED);
    p->responses += s->head.last;
    p->served = p->responses >= p->reads;
    p->probes += s->head.stag == PROBE_STAG && s->ulpdu_len == IW_HEAD_TAGGED;
    p->answers |= p->probes;
}

static void on_message(void *context, const struct decode_message *m)
{
    struct play *p = context;
    if (m->dir != peer_dir(p) || !m->has_terminate || p->terminated)
        return;
    p->terminated = p->answers = p->served = true;
    p->terminate = m->believe_siw ? m->as_siw : m->terminate;
    p->other = m->believe_siw ? m->terminate : m->as_siw;
    p->has_other = m->has_as_siw;
}

static bool listen_in(struct play *p)
{
    p->told =
        (struct judge_sink){.context = p, .accuse = on_accuse, .segment = on_segment, .message = on_message};
    p->judge = judge_new(&p->told);
    if (!p->judge)
        return false;
    p->decode = judge_decode_sink(p->judge);
    return tap_open(&p->tap, p->peer, &p->decode, p->c->initiates ? TAP_PEER : TAP_US);
}

/* ---- the peer ---- */

/* Until it has nothing more to say for `ms`. */
static void listen_to_peer(struct play *p, unsigned ms)
{
    bool heard = false;
    while (tap_listen(&p->tap, ms))
        heard = true;
    if (!heard && !p->tap.ended)
        tap_hear(&p->tap, TAP_PEER, TCP_ACK, NULL, 0); /* it has heard us */
}

/* A peer on a slow computer gets more time for what it must say: until that is there, and no longer, at most PATIENCE gaps. */
static void await(struct play *p, const bool *said)
{
    enum { PATIENCE = 20 };
    for (int i = 0; i < PATIENCE && !p->tap.ended && !*said; i++) {
        bool heard = false;
        while (!*said && tap_listen(&p->tap, p->gap_ms))
            heard = true;
        if (!heard && !p->tap.ended)
            tap_hear(&p->tap, TAP_PEER, TCP_ACK, NULL, 0);
    }
}

/* ---- start-up ---- */

/* What the judge tells of memory that it does not have: so the peer can read. */
static void tell_memory(uint8_t out[TOLD_OCTETS])
{
    enum { TOLD_TO = 65536, TOLD_LEN = 4096, TOLD_STAG = 0x10 };
    struct live_told t = {.len = TOLD_LEN, .to = TOLD_TO};
    for (int i = 0; i < SCRIPT_MEMORIES; i++)
        t.stag[i] = (iw_stag)(TOLD_STAG + i);
    told_put(&t, out);
}

/* What the peer's frame tells of memory, and whether the case can be played: the judge's Reads are no more than the peer takes
 * (RFC 6581 9.1); who does not say takes what comes. */
static void learn(struct play *p, const char *no_markers)
{
    const struct mpa_frame *theirs = &p->tap.theirs;
    struct live_told told;
    if (!p->memory.known && told_get(theirs->private_data, theirs->private_len, &told))
        p->memory = (struct case_memory){.known = true, .told = told};
    if (p->c->markers && !theirs->markers)
        skip(p, no_markers);
    if (theirs->enhanced && theirs->ird < p->c->ird)
        skip(p, "the peer takes fewer Reads at a time");
}

/* The Request is read, the Reply goes out, and the peer speaks (RFC 5044 7.1.2: it must be first). */
static void answer_request(struct play *p)
{
    struct mpa_frame reply;
    uint32_t size;
    uint8_t frame[MPA_FRAME_MAX + CASE_TEXT], told[TOLD_OCTETS];
    tell_memory(told);
    await(p, &p->tap.framed);
    if (p->tap.is != MPA_FRAME_WHOLE || p->tap.theirs.reply) {
        blame(p, "MPA-7.1-*", "no MPA Request");
        return;
    }
    learn(p, "the peer wants no markers");
    int len = case_frame(p->c->start, &p->tap.theirs, told, sizeof told, frame, sizeof frame);
    bool whole = mpa_frame_get(frame, (uint32_t)len, &reply, &size) == MPA_FRAME_WHOLE;
    tap_begin(&p->tap, whole ? &reply : &(struct mpa_frame){0});
    tap_send(&p->tap, frame, (uint32_t)len);
    if (whole && !reply.rejected)
        await(p, &p->spoke);
    p->replied = p->spoke;
}

/* The Request goes out, the Reply is read. */
static void send_request(struct play *p)
{
    struct mpa_frame request;
    uint32_t size;
    uint8_t frame[MPA_FRAME_MAX + CASE_TEXT];
    int len = case_frame(p->c->start, NULL, NULL, 0, frame, sizeof frame);
    mpa_frame_get(frame, (uint32_t)len, &request, &size);
    tap_send(&p->tap, frame, (uint32_t)len);
    await(p, &p->tap.framed);
    p->replied = p->tap.is == MPA_FRAME_WHOLE && p->tap.theirs.reply;
    if (!p->replied)
        return;
    p->rejected = p->tap.theirs.rejected;
    tap_begin(&p->tap, &request);
    learn(p, "the peer refuses markers");
}

/* ---- steps ---- */

/* No ULP makes one: length 0, 2 octets of pad, and the CRC that seal() makes. */
static uint32_t frame_nothing(struct play *p)
{
    uint32_t len = 0;
    for (int words = 2; words; len += 4) {
        bool marker = p->tap.tx.flags & MPA_MARKERS && (p->tap.tx.offset + len) % MPA_MARKER_EVERY == 0;
        iw_put32(p->fpdu + len, marker ? len : 0); /* FPDUPTR: from the length field on, 0 before it */
        words -= !marker;
    }
    p->tap.tx.offset += len;
    return len;
}

/* The next FPDU, right in every octet; its length. */
static uint32_t frame_ulpdu(struct play *p, uint32_t len)
{
    struct iw_seg seg;
    if (!len)
        return frame_nothing(p);
    iw_seg_view(&seg, mpa_key(&p->tap.tx), p->ulpdu, len);
    return mpa_put(&p->tap.tx, &seg, p->fpdu);
}

static void put_out(struct play *p, const uint8_t *octets, uint32_t len)
{
    if (!p->holding) {
        tap_send(&p->tap, octets, len);
        listen_to_peer(p, p->peer->alone ? 0 : p->gap_ms / 8);
        return;
    }
    tap_keep(p->held, &p->held_len, FPDU_MAX, octets, len);
}

static void put_in_pieces(struct play *p, uint32_t len, uint32_t first, uint32_t piece)
{
    for (uint32_t at = 0, n = first; at < len; at += n, n = piece) {
        n = n < len - at ? n : len - at;
        put_out(p, p->fpdu + at, n);
        listen_to_peer(p, p->peer->alone ? 1 : piece == 1 ? 3 : p->gap_ms / 4);
    }
}

/* A marker is a word of 16 zero bits and a multiple of 4; the first one in the FPDU stands on a multiple of 512. */
static void spoil_marker(struct play *p, uint64_t key)
{
    uint32_t at = (uint32_t)((MPA_MARKER_EVERY - key % MPA_MARKER_EVERY) % MPA_MARKER_EVERY);
    p->fpdu[at + 3] ^= 4;
}

/* The CRC of what stands there now. */
static void seal(struct play *p, uint32_t len)
{
    uint32_t crc = crc32c(0, p->fpdu, len - 4);
    for (int i = 0; i < 4 && p->tap.tx.flags & MPA_CRC; i++)
        p->fpdu[len - 4 + (uint32_t)i] = (uint8_t)(crc >> 8 * i);
}

static void play_fpdu(struct play *p, const struct case_step *s, uint32_t ulpdu)
{
    uint64_t key = mpa_key(&p->tap.tx);
    uint32_t len = frame_ulpdu(p, ulpdu), pad = (0 - (2 + ulpdu)) & 3;
    switch (s->kind) {
    case STEP_BAD_CRC: p->fpdu[len - 1] ^= 1; break;
    case STEP_BAD_LENGTH:
        p->fpdu[key % MPA_MARKER_EVERY ? 1 : p->tap.tx.flags & MPA_MARKERS ? 5 : 1]++;
        break;
    case STEP_BAD_MARKER: spoil_marker(p, key); break;
    case STEP_USED_PAD:
        memset(p->fpdu + len - 4 - pad, 0xee, pad);
        seal(p, len);
        break;
    default: break;
    }
    if (!ulpdu)
        seal(p, len);
    p->reads += ulpdu > 1 && !(p->ulpdu[0] & 0x80) && (p->ulpdu[1] & 15) == RDMAP_READ_REQ;
    if (s->kind == STEP_CUT)
        put_in_pieces(p, len, s->n < len ? s->n : len, len);
    else if (s->kind == STEP_DRIBBLE)
        put_in_pieces(p, len, 1, 1);
    else
        put_out(p, p->fpdu, len);
}

static void flush_held(struct play *p)
{
    p->holding = false;
    if (p->held_len)
        put_out(p, p->held, p->held_len);
    p->held_len = 0;
}

static bool play_step(struct play *p, const struct case_step *s)
{
    int len;
    switch (s->kind) {
    case STEP_GAP: listen_to_peer(p, s->n); return true;
    case STEP_HOLD: p->holding = true; return true;
    case STEP_FLUSH: flush_held(p); return true;
    case STEP_FIN:
        tap_hear(&p->tap, TAP_US, TCP_FIN | TCP_ACK, NULL, 0);
        p->peer->finish(p->peer->context);
        return true;
    default: break;
    }
    bool answers = strstr(s->text, "$sink");
    if (answers)
        await(p, &p->memory.asked);
    len = case_octets(s->text, &p->memory, p->ulpdu, sizeof p->ulpdu);
    if (len < 0) {
        skip(p, answers && !p->memory.asked ? "the peer reads nothing"
                                            : "the peer does not advertise its memory");
        return false;
    }
    p->owes &= !answers;
    if (s->kind == STEP_RAW)
        put_out(p, p->ulpdu, (uint32_t)len);
    else
        play_fpdu(p, s, (uint32_t)len);
    return true;
}

/* A Read of no octets, which needs no memory: who answers is alive. */
static void probe(struct play *p)
{
    static const struct case_step plain = {.kind = STEP_ULPDU};
    const struct rdmap_read_req r = {.sink_stag = PROBE_STAG};
    const struct ddp_head h = {.last = true,
                               .version = 1,
                               .rsvdulp = rdmap_ctl_put(&(struct rdmap_ctl){1, RDMAP_READ_REQ, 0}, false),
                               .qn = 1,
                               .msn = p->c->probe ? p->c->probe : p->reads + 1};
    uint32_t n = ddp_head_put(p->ulpdu, &h);
    rdmap_read_req_put(p->ulpdu + n, &r);
    play_fpdu(p, &plain, n + IW_READ_REQ_SIZE);
    await(p, &p->answers);
}

/* Octets of zero for the Read that still waits, so that the peer may end well. */
static void pay(struct play *p)
{
    enum { PAID_MAX = 1024 };
    static const struct case_step plain = {.kind = STEP_ULPDU};
    const struct ddp_head h = {.tagged = true,
                               .last = true,
                               .version = 1,
                               .rsvdulp = rdmap_ctl_put(&(struct rdmap_ctl){1, RDMAP_READ_RESP, 0}, true),
                               .stag = p->memory.sink,
                               .to = p->memory.to};
    uint32_t n = ddp_head_put(p->ulpdu, &h);
    if (!p->owes || p->tap.ended || p->terminated || p->memory.size > PAID_MAX)
        return;
    memset(p->ulpdu + n, 0, p->memory.size);
    play_fpdu(p, &plain, n + p->memory.size);
    listen_to_peer(p, p->gap_ms);
}

/* ---- the verdict ---- */

static void read_outcome(struct play *p)
{
    char text[DECODE_TERM_MAX];
    snprintf(p->out->reading, sizeof p->out->reading, "%s",
             p->terminated  ? decode_terminate_text(&p->terminate, text)
             : p->rejected  ? "rejected"
             : p->tap.ended ? "closed"
             : p->probes    ? "open"
                            : "silent");
}

static bool is_accepted(const struct judge_case *c, const char *reading)
{
    for (uint32_t i = 0; i < c->accepts; i++) {
        size_t n = strlen(c->accept[i]);
        if (strncmp(c->accept[i], reading, n) == 0 && (!reading[n] || reading[n] == ' '))
            return true;
    }
    return false;
}

/* Octets whose bits are in another order are a fault of their own; what they say is judged as it is meant. */
static bool is_right(struct play *p)
{
    if (is_accepted(p->c, p->out->reading))
        return true;
    char other[DECODE_TERM_MAX];
    if (!p->terminated || !p->has_other)
        return false;
    if (!is_accepted(p->c, decode_terminate_text(&p->other, other)))
        return false;
    snprintf(p->out->reading, sizeof p->out->reading, "%s", other);
    return true;
}

static void check_responses(struct play *p)
{
    uint8_t wanted[ANSWERED_MAX];
    uint32_t at = 0;
    if (strcmp(p->out->reading, "open") != 0)
        return;
    for (uint32_t i = 0; i < p->c->responses; i++) {
        int n = case_octets(p->c->response[i], &p->memory, wanted, sizeof wanted);
        if (n < 0 || at + (uint32_t)n > p->answered_len || memcmp(p->answered + at, wanted, (size_t)n) != 0) {
            blame(p, p->c->requirement[0], "a Read returns other octets than the memory holds");
            return;
        }
        at += (uint32_t)n;
    }
    if (p->c->responses && at != p->answered_len)
        blame(p, p->c->requirement[0], "the Read returned more octets than requested");
}

static void judge_trial(struct play *p)
{
    bool right = is_right(p);
    check_responses(p);
    p->out->result = !right ? TRIAL_WRONG : p->out->faults ? TRIAL_FAULTY : TRIAL_RIGHT;
}

/* Would the probe be one Read more than the peer takes at a time? Then it waits for their answers. */
static bool is_full(const struct play *p)
{
    const struct mpa_frame *theirs = &p->tap.theirs;
    return p->c->responses && theirs->enhanced && theirs->ird <= (p->c->ird ? p->c->ird : 1);
}

static void play_case(struct play *p)
{
    if (p->c->initiates)
        answer_request(p);
    else
        send_request(p);
    if (p->out->result == TRIAL_SKIPPED)
        return;
    for (uint32_t i = 0; p->replied && i < p->c->steps && !p->tap.ended; i++)
        if (!play_step(p, &p->c->step[i]))
            return;
    flush_held(p);
    if (!p->c->responses) /* else the probe is answered behind what it has asked for (RFC 5040 5.5 rule 15) */
        listen_to_peer(p, p->gap_ms);
    if (is_full(p))
        await(p, &p->served);
    if (p->rejected || p->terminated || p->tap.ended)
        return;
    if (p->replied)
        probe(p);
    else if (!is_accepted(p->c, "silent"))
        await(p, &p->terminated);
}

static unsigned wishes(const struct judge_case *c)
{
    return (c->markers ? PEER_MARKERS : 0) | (c->initiates ? PEER_INITIATES : 0);
}

void trial_play(const struct judge_case *c, const struct judge_peer *peer, unsigned gap_ms,
                const struct case_memory *memory, struct judge_trial *out)
{
    static struct play p; /* large; one trial at a time */
    *out = (struct judge_trial){.result = TRIAL_RIGHT};
    p = (struct play){.c = c, .peer = peer, .out = out, .gap_ms = gap_ms};
    if (memory)
        p.memory = *memory;
    out->unreached = !peer->open(peer->context, wishes(c));
    if (out->unreached)
        skip(&p, "the peer cannot be reached");
    else if (!listen_in(&p))
        skip(&p, "out of memory");
    else
        play_case(&p);
    if (out->result != TRIAL_SKIPPED)
        read_outcome(&p);
    if (p.tap.decoder && p.probes)
        pay(&p);
    tap_close(&p.tap);
    judge_free(p.judge);
    peer->close(peer->context);
    if (out->result != TRIAL_SKIPPED)
        judge_trial(&p);
}

int trial_asks(const struct judge_peer *peer, unsigned gap_ms)
{
    uint8_t frame[MPA_FRAME_MAX + CASE_TEXT];
    int len = case_frame("", NULL, NULL, 0, frame, sizeof frame);
    if (!peer->open(peer->context, 0))
        return PEER_ABSENT;
    peer->send(peer->context, frame, (uint32_t)len);
    return peer->hear(peer->context, frame, sizeof frame, gap_ms);
}

const char *trial_result_text(enum trial_result r)
{
    static const char *const text[TRIAL_RESULTS] = {"right", "faulty", "WRONG", "skipped"};
    return text[r];
}
