/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "llp/sctp_ddp.h"

#include <string.h>

#include "engine/law.h"

enum { FUNCTION = 2, CONTROL_HEAD = SCTP_DDP_HEAD + FUNCTION };

/* ---- configuration, memory ---- */

const char *sctp_ddp_conf_error(const struct sctp_ddp_conf *c)
{
    if (!c->streams)
        return "streams must not be 0";
    if (c->reorder < 64 || c->reorder > 16384 || (c->reorder & (c->reorder - 1)))
        return "reorder must be a power of two in 64 .. 16384";
    if (!c->pending)
        return "pending must not be 0";
    return c->reserve % 4 ? "reserve must be a multiple of 4" : NULL;
}

void sctp_ddp_lay_out(struct sctp_ddp *d, struct carve *c, const struct sctp_ddp_conf *conf,
                      const struct sctp_conf *association, struct sctp *a)
{
    struct sctp_ddp_session *session = carve(c, conf->streams * sizeof *session);
    uint64_t *bits = carve(c, (size_t)conf->streams * conf->reorder / 8);
    if (!c->memory)
        return;
    *d = (struct sctp_ddp){.conf = *conf, .a = a, .mtu = association->mtu, .session = session};
    d->cells.octets = association->head_max ? association->head_max : association->mtu - SCTP_OVERHEAD;
    d->cells.left = conf->keep;
    for (uint16_t i = 0; i < conf->streams; i++)
        session[i] = (struct sctp_ddp_session){.got = bits + (size_t)i * conf->reorder / 64};
}

uint32_t sctp_ddp_mulpdu_of(uint32_t mtu, uint32_t reserve)
{
    uint32_t most = mtu - SCTP_OVERHEAD - SCTP_DDP_HEAD;
    return most > SCTP_DDP_MULPDU_MIN + reserve ? most - reserve : SCTP_DDP_MULPDU_MIN;
}

uint32_t sctp_ddp_mulpdu(const struct sctp_ddp *d)
{
    return sctp_ddp_mulpdu_of(d->mtu, d->conf.reserve);
}

/* ---- sessions ---- */

static struct sctp_ddp_session *session_of(const struct sctp_ddp *d, uint16_t stream)
{
    return stream < d->conf.streams && stream < sctp_streams(d->a) ? &d->session[stream] : NULL;
}

enum sctp_ddp_state sctp_ddp_state(const struct sctp_ddp *d, uint16_t stream)
{
    const struct sctp_ddp_session *s = session_of(d, stream);
    return s ? s->state : SCTP_DDP_CLOSED;
}

bool sctp_ddp_usable(struct sctp_ddp *d, iw_time now)
{
    uint32_t indication;
    if (sctp_adaptation(d->a, &indication) && indication == SCTP_DDP_INDICATION)
        return true;
    sctp_abort(d->a, now);
    return false;
}

/* A session begins: DDP-SSN 0 both ways. */
static void begin_session(struct sctp_ddp *d, uint16_t stream, enum sctp_ddp_state state)
{
    struct sctp_ddp_session *s = &d->session[stream];
    memset(s->got, 0, d->conf.reorder / 8);
    *s = (struct sctp_ddp_session){.state = state,
                                   .base = sctp_queued(d->a, stream),
                                   .got = s->got,
                                   .existed = true,
                                   .opened = s->opened};
    d->sessions++;
}

static void opens(struct sctp_ddp_session *s)
{
    s->state = SCTP_DDP_OPEN;
    s->opened = true;
}

static void end_session(struct sctp_ddp *d, uint16_t stream)
{
    llp_waiting_drop(&d->session[stream].waiting, &d->cells);
    LAW(d->sessions && d->session[stream].state != SCTP_DDP_CLOSED);
    d->session[stream].state = SCTP_DDP_CLOSED;
    d->sessions--;
}

/* One chunk of the session: `head` follows the DDP-SSN. */
static int put_chunk(struct sctp_ddp *d, iw_time now, uint16_t stream, uint32_t ppid, struct iw_frag *frag,
                     uint8_t frags)
{
    struct sctp_ddp_session *s = &d->session[stream];
    uint8_t ssn[SCTP_DDP_HEAD];
    struct sctp_out out = {.ppid = ppid,
                           .stream = stream,
                           .unordered = true,
                           .retransmits = SCTP_RELIABLE,
                           .frags = frags,
                           .frag = frag};
    iw_put16(ssn, (uint16_t)s->key);
    frag[0] = (struct iw_frag){ssn, sizeof ssn};
    int result = sctp_send(d->a, now, &out);
    s->key += result == IW_OK;
    LAW(s->key == sctp_queued(d->a, stream) - s->base);
    return result;
}

static int put_control(struct sctp_ddp *d, iw_time now, uint16_t stream, enum sctp_ddp_function function,
                       const void *private_data, uint16_t len)
{
    uint8_t code[FUNCTION];
    struct iw_frag frag[3] = {{NULL, 0}, {code, sizeof code}, {private_data, len}};
    iw_put16(code, (uint16_t)function);
    return put_chunk(d, now, stream, SCTP_DDP_PPID_CONTROL, frag, len ? 3 : 2);
}

int sctp_ddp_initiate(struct sctp_ddp *d, iw_time now, uint16_t stream, const void *private_data,
                      uint16_t len)
{
    struct sctp_ddp_session *s = session_of(d, stream);
    if (!s || len > SCTP_DDP_PRIVATE_MAX)
        return IW_EINVAL;
    if (s->state != SCTP_DDP_CLOSED)
        return IW_ESTATE;
    begin_session(d, stream, SCTP_DDP_INITIATING);
    int result = put_control(d, now, stream, SCTP_DDP_INITIATE, private_data, len);
    if (result != IW_OK)
        end_session(d, stream);
    return result;
}

int sctp_ddp_decide(struct sctp_ddp *d, iw_time now, uint16_t stream, enum sctp_ddp_function answer,
                    const void *private_data, uint16_t len)
{
    struct sctp_ddp_session *s = session_of(d, stream);
    if (!s || len > SCTP_DDP_PRIVATE_MAX)
        return IW_EINVAL;
    if (s->state != SCTP_DDP_DECIDING)
        return IW_ESTATE;
    int result = put_control(d, now, stream, answer, private_data, len);
    if (result != IW_OK)
        return result;
    LAW(d->pending);
    d->pending--;
    s->state = SCTP_DDP_ENDING;
    s->closes = answer == SCTP_DDP_REJECT;
    if (answer == SCTP_DDP_ACCEPT)
        opens(s);
    return IW_OK;
}

static uint64_t acked(const struct sctp_ddp *d, uint16_t stream)
{
    return sctp_acked(d->a, stream) - d->session[stream].base;
}

/* Terminate goes out when no control message before it can be overtaken (section 6.6). */
static void say_terminate(struct sctp_ddp *d, iw_time now, uint16_t stream)
{
    struct sctp_ddp_session *s = &d->session[stream];
    if (!s->want_terminate || (s->key && !acked(d, stream)))
        return;
    if (put_control(d, now, stream, SCTP_DDP_TERMINATE, NULL, 0) != IW_OK)
        return;
    s->want_terminate = false;
    s->said_terminate = true;
}

static void start_ending(struct sctp_ddp *d, iw_time now, uint16_t stream)
{
    struct sctp_ddp_session *s = &d->session[stream];
    if (s->state == SCTP_DDP_ENDING)
        return;
    d->pending -= s->state == SCTP_DDP_DECIDING;
    s->state = SCTP_DDP_ENDING;
    s->want_terminate = true;
    say_terminate(d, now, stream);
}

int sctp_ddp_terminate(struct sctp_ddp *d, iw_time now, uint16_t stream)
{
    struct sctp_ddp_session *s = session_of(d, stream);
    if (!s)
        return IW_EINVAL;
    if (s->state == SCTP_DDP_CLOSED || s->state == SCTP_DDP_ENDING)
        return IW_ESTATE;
    start_ending(d, now, stream);
    return IW_OK;
}

bool sctp_ddp_peer_ended(const struct sctp_ddp *d, uint16_t stream)
{
    const struct sctp_ddp_session *s = session_of(d, stream);
    return s && s->peer_terminates && s->edge > s->last;
}

/* Both have ended, and nothing of either is on its way. */
static bool session_is_over(const struct sctp_ddp *d, uint16_t stream)
{
    const struct sctp_ddp_session *s = &d->session[stream];
    LAW(acked(d, stream) <= s->key);
    bool heard = s->peer_terminates && (s->deaf || s->edge > s->last);
    return s->state == SCTP_DDP_ENDING && (s->closes || (s->said_terminate && heard)) &&
           acked(d, stream) == s->key;
}

void sctp_ddp_note_acked(struct sctp_ddp *d, iw_time now)
{
    bool existed = false;
    for (uint16_t i = 0; i < d->conf.streams && i < sctp_streams(d->a); i++) {
        say_terminate(d, now, i);
        if (session_is_over(d, i))
            end_session(d, i);
        existed |= d->session[i].existed;
    }
    LAW(d->sessions <= d->conf.streams && d->pending <= d->sessions);
    if (d->conf.shut_down && existed && !d->sessions && sctp_state(d->a) == SCTP_ESTABLISHED)
        sctp_shutdown(d->a, now);
}

/* ---- segments out ---- */

bool sctp_ddp_has_room(const void *l, uint16_t stream, uint32_t pulled, uint64_t octets)
{
    const struct sctp_ddp *d = l;
    return sctp_ddp_state(d, stream) == SCTP_DDP_OPEN && sctp_unsent(d->a) < d->mtu &&
           sctp_has_room_behind(d->a, pulled, octets);
}

uint64_t sctp_ddp_key(const void *l, uint16_t stream)
{
    return ((const struct sctp_ddp *)l)->session[stream].key;
}

int sctp_ddp_send(void *l, iw_time now, uint16_t stream, const struct iw_seg *seg, enum llp_wrong how)
{
    struct sctp_ddp *d = l;
    struct iw_frag frag[2 + IW_FRAGS_MAX] = {{NULL, 0}, {seg->head, seg->head_len}};
    struct sctp_ddp_session *s = session_of(d, stream);
    if (!s || how != LLP_RIGHT || seg->head_len + seg->payload_len > sctp_ddp_mulpdu(d))
        return IW_EINVAL;
    if (s->state != SCTP_DDP_OPEN)
        return IW_ESTATE;
    if (seg->key != s->key)
        return IW_EINVAL;
    for (uint8_t i = 0; i < seg->frags; i++)
        frag[2 + i] = seg->frag[i];
    return put_chunk(d, now, stream, SCTP_DDP_PPID_SEGMENT, frag, (uint8_t)(2 + seg->frags));
}

uint64_t sctp_ddp_acked(const void *l, uint16_t stream)
{
    const struct sctp_ddp *d = l;
    const struct sctp_ddp_session *s = session_of(d, stream);
    return s && s->existed ? acked(d, stream) : 0;
}

/* ---- which chunks are here ---- */

static bool has_key(const struct sctp_ddp *d, const struct sctp_ddp_session *s, uint64_t key)
{
    uint64_t bit = key & (d->conf.reorder - 1u);
    return s->got[bit / 64] >> (bit & 63) & 1;
}

static void flip(const struct sctp_ddp *d, struct sctp_ddp_session *s, uint64_t key)
{
    uint64_t bit = key & (d->conf.reorder - 1u);
    s->got[bit / 64] ^= (uint64_t)1 << (bit & 63);
}

/* The edge passes what is here, up to the first that is kept. */
static void move_edge(const struct sctp_ddp *d, struct sctp_ddp_session *s)
{
    while (has_key(d, s, s->edge) && llp_waiting_first(&s->waiting) != s->edge)
        flip(d, s, s->edge++);
    LAW(!has_key(d, s, s->edge) ||
        llp_waiting_first(&s->waiting) == s->edge); /* a bit stands for the edge only while it is kept */
}

static void settle_session(struct sctp_ddp *d, struct sctp_ddp_session *s)
{
    if (!s->waiting.given)
        return;
    llp_waiting_settle(&s->waiting, &d->cells);
    move_edge(d, s);
}

static void advance_front(const struct sctp_ddp *d, struct sctp_ddp_session *s)
{
    s->front = s->front > s->edge ? s->front : s->edge;
    while (s->front - s->edge < d->conf.reorder && has_key(d, s, s->front))
        s->front++;
    LAW(s->edge <= s->front && s->front - s->edge <= d->conf.reorder);
}

void sctp_ddp_advance(struct sctp_ddp *d)
{
    advance_front(d, &d->session[d->from]);
}

/* The first chunk of the peer was control. */
static void pass_first(const struct sctp_ddp *d, struct sctp_ddp_session *s)
{
    s->edge = 1;
    advance_front(d, s);
}

uint64_t sctp_ddp_edge(void *l, uint16_t stream)
{
    struct sctp_ddp *d = l;
    settle_session(d, &d->session[stream]);
    return d->session[stream].edge;
}

/* ---- chunks in ---- */

uint64_t sctp_ddp_unwrap(uint64_t near, uint16_t ssn)
{
    uint16_t ahead = (uint16_t)(ssn - (uint16_t)near), back = (uint16_t)-ahead;
    uint64_t whole = ahead & 0x8000 && near >= back ? near - back : near + ahead;
    LAW((uint16_t)whole == ssn);
    return whole;
}

static enum sctp_ddp_what illegal(struct sctp_ddp *d, iw_time now, uint16_t stream)
{
    struct sctp_ddp_session *s = &d->session[stream];
    if (s->state == SCTP_DDP_CLOSED) {
        begin_session(d, stream, SCTP_DDP_OPEN);
        s->peer_terminates = true; /* it has no session with us */
    }
    s->deaf = true;
    llp_waiting_drop(&d->session[stream].waiting, &d->cells);
    start_ending(d, now, stream);
    return SCTP_DDP_ILLEGAL;
}

static enum sctp_ddp_what initiated(struct sctp_ddp *d, iw_time now, uint16_t stream)
{
    begin_session(d, stream, SCTP_DDP_DECIDING);
    struct sctp_ddp_session *s = &d->session[stream];
    pass_first(d, s);
    if (d->pending++ < d->conf.pending)
        return SCTP_DDP_INITIATED;
    s->deaf = s->peer_terminates = true; /* section 6.4: Initiate, Terminate, and that is all */
    start_ending(d, now, stream);
    return SCTP_DDP_NOTHING;
}

static enum sctp_ddp_what terminated(struct sctp_ddp *d, iw_time now, uint16_t stream, uint64_t key)
{
    struct sctp_ddp_session *s = &d->session[stream];
    s->peer_terminates = true;
    s->last = key;
    if (s->deaf)
        return SCTP_DDP_NOTHING;
    flip(d, s, key);
    move_edge(d, s);
    if (s->state == SCTP_DDP_INITIATING && key == 0) { /* Initiate, Terminate */
        s->state = SCTP_DDP_ENDING;
        s->closes = true;
    } else if (s->state == SCTP_DDP_DECIDING) {
        start_ending(d, now, stream);
    }
    return SCTP_DDP_NOTHING;
}

/* A control message in a legal place, or not. */
static enum sctp_ddp_what control(struct sctp_ddp *d, iw_time now, const struct sctp_in *in, uint64_t key,
                                  uint16_t function)
{
    struct sctp_ddp_session *s = &d->session[in->stream];
    bool first = key == 0 && s->edge == 0 && s->state == SCTP_DDP_INITIATING;
    if (function == SCTP_DDP_TERMINATE && in->len == CONTROL_HEAD && !s->peer_terminates &&
        s->state != SCTP_DDP_CLOSED)
        return terminated(d, now, in->stream, key);
    if (!first || (function != SCTP_DDP_ACCEPT && function != SCTP_DDP_REJECT))
        return illegal(d, now, in->stream);
    pass_first(d, s);
    if (function == SCTP_DDP_ACCEPT) {
        opens(s);
        move_edge(d, s);
        return SCTP_DDP_ACCEPTED;
    }
    s->state = SCTP_DDP_ENDING;
    s->closes = true;
    return SCTP_DDP_REJECTED;
}

int sctp_ddp_wait(struct sctp_ddp *d, uint16_t stream)
{
    struct sctp_ddp_session *s = &d->session[stream];
    s->waiting.has_came = false;
    if (!llp_waiting_put(&d->o, &s->waiting, &d->cells, true))
        return IW_EFULL;
    LAW(!has_key(d, s, s->waiting.came.key));
    flip(d, s, s->waiting.came.key);
    return IW_OK;
}

static enum sctp_ddp_what segment(struct sctp_ddp *d, iw_time now, const struct sctp_in *in, uint64_t key)
{
    struct sctp_ddp_session *s = &d->session[in->stream];
    if (key == 0 || s->state == SCTP_DDP_DECIDING || (s->peer_terminates && key > s->last))
        return illegal(d, now, in->stream);
    LAW(key >= s->edge && key - s->edge < d->conf.reorder); /* chunks below `edge` were handed up and taken */
    d->from = in->stream;
    s->waiting.came = (struct llp_came){.octets = in->octets + SCTP_DDP_HEAD,
                                        .key = key,
                                        .ulpdu = in->len - SCTP_DDP_HEAD,
                                        .carried = in->kept - SCTP_DDP_HEAD,
                                        .in_order = key == s->edge,
                                        .late = key > s->front};
    s->waiting.has_came = s->state != SCTP_DDP_INITIATING;
    if (s->waiting.has_came)
        return SCTP_DDP_SEGMENTS;
    return sctp_ddp_wait(d, in->stream) == IW_OK ? SCTP_DDP_EARLY : SCTP_DDP_REFUSED;
}

/* A chunk while there is no session. */
static enum sctp_ddp_what first_chunk(struct sctp_ddp *d, iw_time now, const struct sctp_in *in, uint16_t ssn,
                                      uint16_t function)
{
    bool control_here = in->ppid == SCTP_DDP_PPID_CONTROL;
    if (control_here && function == SCTP_DDP_INITIATE && ssn == 0)
        return initiated(d, now, in->stream);
    if (d->session[in->stream].existed || (control_here && function == SCTP_DDP_TERMINATE))
        return SCTP_DDP_NOTHING;
    return illegal(d, now, in->stream);
}

enum sctp_ddp_what sctp_ddp_receive(struct sctp_ddp *d, iw_time now, const struct sctp_in *in,
                                    struct sctp_ddp_told *told)
{
    uint16_t ssn = 0, function = 0;
    struct sctp_ddp_session *s = session_of(d, in->stream);
    *told = (struct sctp_ddp_told){0};
    if (!s)
        return SCTP_DDP_NOTHING;
    settle_session(d, s);
    bool is_control = in->ppid == SCTP_DDP_PPID_CONTROL, is_segment = in->ppid == SCTP_DDP_PPID_SEGMENT;
    bool sound = is_control ? in->len >= CONTROL_HEAD && in->len <= CONTROL_HEAD + SCTP_DDP_PRIVATE_MAX
                            : is_segment && in->len > SCTP_DDP_HEAD;
    if (!sound)
        return illegal(d, now, in->stream);
    const uint8_t *p = iw_get16(in->octets, &ssn);
    if (is_control) {
        told->private_data = iw_get16(p, &function);
        told->private_len = (uint16_t)(in->kept - CONTROL_HEAD);
    }
    if (s->state == SCTP_DDP_CLOSED)
        return first_chunk(d, now, in, ssn, function);
    uint64_t key = sctp_ddp_unwrap(s->edge, ssn);
    if (s->deaf && !(is_control && function == SCTP_DDP_TERMINATE))
        return SCTP_DDP_NOTHING;
    if (key - s->edge >= d->conf.reorder && key >= s->edge)
        return SCTP_DDP_REFUSED;
    if (!s->deaf && (key < s->edge || has_key(d, s, key)))
        return illegal(d, now, in->stream);
    return is_control ? control(d, now, in, key, function) : segment(d, now, in, key);
}

/* ---- segments to the engine ---- */

int sctp_ddp_next(void *l, uint16_t stream, struct llp_segment *out)
{
    struct sctp_ddp *d = l;
    struct sctp_ddp_session *s = session_of(d, stream);
    if (!s || s->deaf || (s->state != SCTP_DDP_OPEN && s->state != SCTP_DDP_ENDING))
        return 0;
    settle_session(d, s);
    LAW(!s->waiting.has_came || !has_key(d, s, s->waiting.came.key));
    if (s->waiting.has_came)
        flip(d, s, s->waiting.came.key);
    int some = llp_waiting_next(&s->waiting, &d->cells, s->edge, out);
    out->stream = stream;
    return some;
}

int sctp_ddp_keep(void *l, uint16_t stream)
{
    struct sctp_ddp *d = l;
    struct sctp_ddp_session *s = session_of(d, stream);
    int result = s ? llp_waiting_keep(&d->o, &s->waiting, &d->cells) : IW_ESTATE;
    if (result == IW_EFULL)
        flip(d, s, s->waiting.came.key);
    return result;
}

void sctp_ddp_again(void *l, uint16_t stream)
{
    llp_waiting_again(&((struct sctp_ddp *)l)->session[stream].waiting);
}
