/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "socket/session.h"

#include <string.h>

#include "engine/carve.h"
#include "engine/law.h"
#include "engine/least.h"

/* The engine does an Atomic when it makes the answer, so while one is due memory may change between the CRC of a segment and
 * its departure in the same batch: then everything is copied. Nothing else writes in between. */

/* FPDUs up to this size are copied: one piece is cheaper than three. */
enum { SMALL = 2048, RTR_STAG = 1 };
enum { STORE = 128 << 10 };

struct session {
    struct session_conf conf;
    struct mpa_start start;
    uint8_t frames[2 * MPA_FRAME_MAX]; /* of start-up; the ULP may read the peer's later */
    enum session_state state;
    struct mpa_tx tx;
    struct mpa_rx *rx;
    struct iw_ep *ep;
    uint8_t *rx_memory, *rest; /* rest: octets that TCP has not taken yet */
    uint32_t rest_at, rest_len;
    uint64_t acked, received; /* octets of full operation */
    uint32_t atomics_due;     /* asked for and not answered */
    uint32_t fpdu_most;       /* octets of the largest FPDU, and a marker */
    bool was_open, deaf, fin_in, fin_out, want_fin, want_reset;
    iw_time give_up; /* SESSION_CLOSING: RST then */
};

/* ---- memory ---- */

static struct mpa_rx_conf rx_conf(unsigned flags)
{
    return (struct mpa_rx_conf){
        .flags = flags | MPA_IN_ORDER, .store = STORE + MPA_FPDU_MAX, .ulpdu_max = MPA_ULPDU_MAX};
}

static struct iw_conf ep_conf(const struct session_conf *conf)
{
    struct iw_conf c = conf->ep;
    c.mulpdu = mpa_mulpdu(conf->emss, true); /* the markers are known later; so is the digest: iw_settle() */
    c.llp = IW_LLP_ALL;
    return c;
}

const char *session_conf_error(const struct session_conf *conf)
{
    const struct iw_conf ep = ep_conf(conf);
    if (conf->ep.profile & IW_RECOVER)
        return "a byte stream cannot wait for a receive buffer";
    if (conf->start.no_crc && !(conf->ep.profile & IW_NO_DIGEST))
        return "CRC must be off for the endpoint, too";
    const char *error = iw_conf_error(&ep);
    return error ? error : mpa_start_conf_error(&conf->start);
}

static void carve_session(struct session *s, struct carve *c, const struct session_conf *conf)
{
    const struct iw_conf ep = ep_conf(conf);
    const struct mpa_rx_conf rx = rx_conf(MPA_CRC | MPA_MARKERS);
    carve(c, sizeof *s);
    s->ep = carve(c, iw_ep_size(&ep));
    s->rx_memory = carve(c, mpa_rx_size(&rx));
    s->rest = carve(c, SESSION_BATCH);
}

size_t session_size(const struct session_conf *conf)
{
    struct session s;
    struct carve c = {0};
    const struct iw_conf ep = ep_conf(conf);
    if (!iw_ep_size(&ep))
        return 0;
    carve_session(&s, &c, conf);
    return c.used;
}

struct session *session_init(void *memory, iw_time now, const struct session_conf *conf)
{
    struct session *s = memory;
    struct carve c = {.memory = memory};
    const struct iw_conf ep = ep_conf(conf);
    if (session_conf_error(conf))
        return NULL;
    *s = (struct session){.conf = *conf, .give_up = IW_NEVER};
    carve_session(s, &c, conf);
    s->conf.start.frames = s->frames;
    s->ep = iw_ep_init(s->ep, &ep);
    if (!s->ep || mpa_start(&s->start, now, &s->conf.start) != IW_OK)
        return NULL;
    s->rest_len = mpa_start_out(&s->start, s->rest);
    LAW(c.used == session_size(conf));
    return s;
}

/* ---- start-up ---- */

/* The first message of a peer-to-peer initiator, by which the responder may speak (RFC 6581 9.2): without octets, so its STag
 * reaches nothing. It is 1, as that of Linux siw. */
static void send_rtr(struct session *s, iw_time now)
{
    const struct mpa_agreement *a = &s->start.agreed;
    enum iw_op op = a->rtr & MPA_RTR_WRITE ? IW_WRITE : a->rtr & MPA_RTR_READ ? IW_READ : IW_SEND;
    const struct iw_work rtr = {.op = op, .flags = IW_UNSIGNALLED, .remote_stag = RTR_STAG};
    if (a->peer_to_peer && a->rtr)
        iw_post(s->ep, now, &rtr);
}

static void open_streams(struct session *s, iw_time now)
{
    const struct mpa_agreement *a = &s->start.agreed;
    LAW(!s->was_open && !s->received && !s->acked);
    unsigned crc = a->crc ? MPA_CRC : 0;
    unsigned digest = a->crc ? 0 : IW_LLP_DIGEST;
    const struct mpa_rx_conf rx =
        rx_conf(crc | (a->markers_rx ? MPA_MARKERS : 0u) | (s->conf.tap ? 0u : MPA_PIECES));
    bool responds = s->conf.start.role == MPA_RESPONDER;
    s->rx = mpa_rx_init(s->rx_memory, &rx);
    mpa_tx_init(&s->tx, crc | (a->markers_tx ? MPA_MARKERS : 0u), s->conf.emss);
    s->fpdu_most = mpa_fpdu_size(0, mpa_mulpdu(s->conf.emss, false), true) + MPA_MARKER;
    iw_set_mulpdu(s->ep, mpa_mulpdu(s->conf.emss, a->markers_tx));
    iw_settle(s->ep, IW_LLP_ALL & ~digest, a->version);
    if (a->enhanced)
        iw_set_read_depth(s->ep, (uint16_t)least(a->ord, s->conf.ep.ord),
                          (uint16_t)least(a->ird, s->conf.ep.ird));
    iw_enable(s->ep, now, responds && s->start.state == MPA_FULL ? IW_WAIT_FIRST : 0);
    if (!responds && s->start.state == MPA_FULL)
        send_rtr(s, now);
    s->state = SESSION_OPEN;
    s->was_open = true;
}

static void close_without_stream(struct session *s, iw_time now)
{
    s->state = SESSION_CLOSING;
    s->want_fin = true;
    s->give_up = s->conf.ep.linger < IW_NEVER - now ? now + s->conf.ep.linger : IW_NEVER;
}

/* What the start-up has come to; its frame goes into `rest`. */
static void after_start(struct session *s, iw_time now)
{
    if (s->state > SESSION_DECIDE)
        return;
    s->rest_len += mpa_start_out(&s->start, s->rest + s->rest_len);
    LAW(s->rest_at <= s->rest_len && s->rest_len <= SESSION_BATCH);
    switch (s->start.state) {
    case MPA_WAIT_REPLY:
    case MPA_WAIT_REQUEST: break;
    case MPA_DECIDE: s->state = SESSION_DECIDE; break;
    case MPA_FULL: open_streams(s, now); break;
    case MPA_REJECTED: close_without_stream(s, now); break;
    case MPA_FAILED:
        if (s->start.tcp != MPA_TCP_TERMINATE) {
            close_without_stream(s, now);
            break;
        }
        open_streams(s, now);
        iw_llp_failed(s->ep, now, s->start.term);
        break;
    }
}

int session_answer(struct session *s, iw_time now, bool accept, const uint8_t *private_data, uint16_t len)
{
    if (s->state != SESSION_DECIDE)
        return IW_ESTATE;
    int result = (accept ? mpa_accept : mpa_reject)(&s->start, private_data, len);
    after_start(s, now);
    return result;
}

/* ---- the end ---- */

static void over(struct session *s, iw_time now)
{
    if (s->state == SESSION_OVER)
        return;
    if (s->was_open)
        iw_llp(s->ep, now, IW_LLP_DOWN);
    s->state = SESSION_OVER;
    s->rest_at = s->rest_len = 0;
}

/* Nobody can say anything any more: what is left of TCP is thrown away. */
static void lose_session(struct session *s, iw_time now)
{
    if (s->was_open)
        iw_llp(s->ep, now, IW_LLP_LOST);
    s->deaf = s->want_reset = true;
    over(s, now);
}

void session_lost(struct session *s, iw_time now)
{
    if (s->state == SESSION_OVER)
        return;
    mpa_start_lost(&s->start);
    lose_session(s, now);
}

void session_fin(struct session *s, iw_time now)
{
    if (s->fin_in || s->state == SESSION_OVER)
        return;
    s->fin_in = true;
    if (s->state <= SESSION_DECIDE) {
        mpa_start_lost(&s->start);
        after_start(s, now);
    }
    if (s->state != SESSION_OPEN || s->deaf)
        return;
    mpa_fin(s->rx, s->received);
    if (mpa_ended(s->rx) == MPA_FIN)
        iw_llp(s->ep, now, IW_LLP_FIN);
    else
        lose_session(s, now); /* inside an FPDU */
}

enum session_want session_request(struct session *s, iw_time now)
{
    if (s->want_reset) {
        s->want_reset = false;
        return SESSION_RESET;
    }
    if (s->state == SESSION_OVER || s->state < SESSION_OPEN)
        return SESSION_NOTHING;
    enum iw_llp_want want = s->was_open ? iw_llp_request(s->ep) : IW_LLP_NOTHING;
    s->want_fin |= want == IW_LLP_SEND_FIN;
    if (want == IW_LLP_SEND_RST) {
        over(s, now);
        return SESSION_RESET;
    }
    if (s->want_fin && !s->fin_out && s->rest_at == s->rest_len) {
        s->fin_out = true;
        return SESSION_SEND_FIN;
    }
    if (s->fin_out && s->fin_in)
        over(s, now);
    return SESSION_NOTHING;
}

iw_time session_deadline(const struct session *s)
{
    switch (s->state) {
    case SESSION_STARTING:
    case SESSION_DECIDE: return mpa_start_deadline(&s->start);
    case SESSION_OPEN: return iw_deadline(s->ep);
    case SESSION_CLOSING: return s->give_up;
    case SESSION_OVER: break;
    }
    return IW_NEVER;
}

void session_expire(struct session *s, iw_time now)
{
    if (s->state <= SESSION_DECIDE) {
        mpa_start_expire(&s->start, now);
        after_start(s, now);
    } else if (s->state == SESSION_OPEN) {
        iw_expire(s->ep, now);
    } else if (s->state == SESSION_CLOSING && now >= s->give_up) {
        lose_session(s, now);
    }
}

/* ---- in ---- */

static void deliver_messages(struct session *s, iw_time now)
{
    struct iw_message m;
    if (!s->conf.message)
        iw_deliver(s->ep, now, mpa_edge(s->rx), NULL);
    else
        while (iw_deliver(s->ep, now, mpa_edge(s->rx), &m) == 1)
            s->conf.message(s->conf.context, now, &m);
}

static bool has_opcode(const uint8_t *head, uint32_t len, uint8_t opcode)
{
    enum { OPCODE = 0x0f };
    return len > 1 && (head[1] & OPCODE) == opcode;
}

/* Everything that mpa_take() has; false: the inbound half has failed. */
static bool drain(struct session *s, iw_time now)
{
    struct mpa_fpdu fpdu;
    struct iw_seg seg;
    int got;
    while ((got = mpa_take(s->rx, &fpdu)) == 1) {
        if (s->conf.tap)
            s->conf.tap(s->conf.context, now, fpdu.ulpdu, fpdu.len);
        mpa_seg(&fpdu, &seg);
        s->atomics_due += has_opcode(fpdu.ulpdu, fpdu.len, RDMAP_ATOMIC_REQ);
        int result = iw_receive(s->ep, now, &seg);
        LAW(result != IW_LATER);
        (void)result;
        deliver_messages(s, now);
    }
    if (got)
        iw_llp_failed(s->ep, now, got);
    return !got;
}

void session_receive(struct session *s, iw_time now, const uint8_t *octets, size_t len)
{
    if (s->state <= SESSION_DECIDE) {
        uint32_t used = mpa_start_in(&s->start, now, octets, len < UINT32_MAX ? (uint32_t)len : UINT32_MAX);
        octets += used;
        len -= used;
        after_start(s, now);
    }
    while (len && s->state == SESSION_OPEN && !s->deaf) {
        uint32_t taken = mpa_stream(s->rx, octets, len < STORE ? (uint32_t)len : STORE);
        LAW(taken && taken <= len); /* a session takes every octet it is given */
        s->received += taken;
        s->deaf = !drain(s, now);
        octets += taken;
        len -= taken;
    }
}

/* ---- out ---- */

static void add_piece(struct session_batch *b, const uint8_t *octets, uint32_t len)
{
    struct iw_frag *last = b->pieces ? &b->piece[b->pieces - 1] : NULL;
    bool joins = last && (const uint8_t *)last->octets + last->len == octets;
    b->octets += len;
    LAW(joins || !len || b->pieces < SESSION_PIECES);
    if (joins)
        last->len += len;
    else if (len)
        b->piece[b->pieces++] = (struct iw_frag){octets, len};
}

static void add_copy(struct session_batch *b, const uint8_t *octets, uint32_t len)
{
    LAW(b->copied + len <= SESSION_COPIED);
    memcpy(b->copy + b->copied, octets, len);
    add_piece(b, b->copy + b->copied, len);
    b->copied += len;
}

static void add_whole(struct session *s, struct session_batch *b, const struct iw_seg *seg)
{
    uint32_t len = mpa_put(&s->tx, seg, b->copy + b->copied);
    add_piece(b, b->copy + b->copied, len);
    b->copied += len;
    LAW(len && b->copied <= SESSION_COPIED);
}

/* The payload from where it lies. */
static void add_gathered(struct session *s, struct session_batch *b, const struct iw_seg *seg)
{
    struct mpa_gather g;
    mpa_gather(&s->tx, seg, &g);
    add_copy(b, g.head, g.head_len);
    for (uint32_t i = 0; i < seg->frags; i++)
        add_piece(b, seg->frag[i].octets, seg->frag[i].len);
    add_copy(b, g.tail, g.tail_len);
}

static bool has_all_octets(const struct iw_seg *seg)
{
    for (uint32_t i = 0; i < seg->frags; i++)
        if (!seg->frag[i].octets)
            return false;
    return true;
}

static void add_segment(struct session *s, struct session_batch *b, const struct iw_seg *seg, bool atomics)
{
    bool copied =
        atomics || mpa_fpdu_len(&s->tx, seg) <= SMALL || s->tx.flags & MPA_MARKERS || !has_all_octets(seg);
    LAW(seg->key == mpa_key(&s->tx));
    (copied ? add_whole : add_gathered)(s, b, seg);
    LAW(mpa_key(&s->tx) - seg->key > seg->payload_len); /* the FPDU is in the batch, whole */
}

static bool has_room(const struct session *s, const struct session_batch *b)
{
    return b->octets + s->fpdu_most <= SESSION_BATCH && b->copied + s->fpdu_most <= SESSION_COPIED &&
           b->pieces + IW_SGE_MAX + 2 <= SESSION_PIECES;
}

bool session_transmit(struct session *s, iw_time now, struct session_batch *b)
{
    struct iw_seg seg;
    b->pieces = b->octets = b->copied = 0;
    if (s->rest_at < s->rest_len) {
        add_piece(b, s->rest + s->rest_at, s->rest_len - s->rest_at);
        return true;
    }
    if (s->state != SESSION_OPEN || s->fin_out)
        return false;
    const bool atomics = s->atomics_due;
    while (has_room(s, b) && iw_transmit(s->ep, now, mpa_key(&s->tx), &seg)) {
        add_segment(s, b, &seg, atomics);
        s->atomics_due -= s->atomics_due && has_opcode(seg.head, seg.head_len, RDMAP_ATOMIC_RESP);
    }
    return b->octets > 0;
}

/* The octets that TCP did not take: into `rest`, which is empty. */
static void keep_rest(struct session *s, const struct session_batch *b, size_t taken)
{
    s->rest_at = s->rest_len = 0;
    for (uint32_t i = 0; i < b->pieces; i++) {
        const struct iw_frag *p = &b->piece[i];
        size_t skip = taken < p->len ? taken : p->len;
        taken -= skip;
        memcpy(s->rest + s->rest_len, (const uint8_t *)p->octets + skip, p->len - skip);
        s->rest_len += (uint32_t)(p->len - skip);
    }
}

void session_sent(struct session *s, iw_time now, const struct session_batch *b, size_t taken)
{
    LAW(taken <= b->octets);
    if (s->rest_at < s->rest_len)
        s->rest_at += (uint32_t)taken;
    else
        keep_rest(s, b, taken);
    LAW(session_waiting(s) + taken == b->octets); /* what TCP did not take is kept */
    if (s->rest_at == s->rest_len)
        s->rest_at = s->rest_len = 0;
    if (s->was_open)
        iw_accepted(s->ep, now, mpa_key(&s->tx));
}

size_t session_waiting(const struct session *s)
{
    return s->rest_len - s->rest_at;
}

void session_note_acked(struct session *s, iw_time now, uint64_t unacked)
{
    uint64_t behind = unacked + session_waiting(s);
    if (!s->was_open || behind > s->tx.offset || s->tx.offset - behind <= s->acked)
        return;
    s->acked = s->tx.offset - behind;
    iw_note_acked(s->ep, now, s->acked);
}

/* Room for `len` octets more in `rest`. */
static bool room_for_rest(struct session *s, uint32_t len)
{
    memmove(s->rest, s->rest + s->rest_at, s->rest_len - s->rest_at);
    s->rest_len -= s->rest_at;
    s->rest_at = 0;
    return s->rest_len + len <= SESSION_BATCH;
}

int session_inject(struct session *s, const uint8_t *ulpdu, uint32_t len, int crc)
{
    struct iw_seg seg;
    if (s->state != SESSION_OPEN || s->fin_out)
        return IW_ESTATE;
    if (!len || len > MPA_MULPDU_MAX)
        return IW_EINVAL;
    if (!room_for_rest(s, MPA_FPDU_MAX))
        return IW_EFULL;
    iw_seg_view(&seg, mpa_key(&s->tx), ulpdu, len);
    s->rest_len += mpa_put(&s->tx, &seg, s->rest + s->rest_len);
    LAW(s->rest_len <= SESSION_BATCH);
    if (crc == SESSION_BAD_CRC)
        s->rest[s->rest_len - 1] ^= 0xff;
    return IW_OK;
}

/* ---- looking on ---- */

enum session_state session_state(const struct session *s)
{
    return s->state;
}

struct iw_ep *session_ep(struct session *s)
{
    return s->ep;
}

const struct mpa_start *session_start(const struct session *s)
{
    return &s->start;
}

bool session_was_open(const struct session *s)
{
    return s->was_open;
}
