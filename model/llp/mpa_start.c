/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* mpa_start.c -- Request, Reply, and what both sides make of them (RFC 5044 7.1, RFC 6581).
 *
 *   initiator   WAIT_REPLY ----------------> FULL | REJECTED | FAILED
 *   responder   WAIT_REQUEST -> DECIDE ----> FULL | REJECTED | FAILED
 */
#include <string.h>

#include "engine/law.h"
#include "engine/least.h"
#include "llp/mpa.h"

/* ---- frames ---- */

enum { KEY_LEN = 16 };
enum { BIT_M = 0x80, BIT_C = 0x40, BIT_R = 0x20, BIT_S = 0x10 };
enum { HIGH_BIT = 0x8000, NEXT_BIT = 0x4000 }; /* A and B before the IRD, C and D before the ORD */

static const uint8_t request_key[KEY_LEN + 1] = "MPA ID Req Frame";
static const uint8_t reply_key[KEY_LEN + 1] = "MPA ID Rep Frame";

/* The first octet of the frame is at `in`; `len` are there. */
static bool key_get(const uint8_t *in, uint32_t len, bool *reply)
{
    uint32_t n = len < KEY_LEN ? len : KEY_LEN;
    *reply = len && memcmp(in, request_key, n) != 0;
    return !*reply || memcmp(in, reply_key, n) == 0;
}

static void flags_get(const uint8_t *in, struct mpa_frame *f)
{
    uint8_t flags = in[0];
    f->rev = in[1];
    f->markers = flags & BIT_M;
    f->crc = flags & BIT_C;
    f->rejected = flags & BIT_R;
    f->enhanced = f->rev >= 2 && flags & BIT_S;
    f->reserved = (uint8_t)(flags & ~(BIT_M | BIT_C | BIT_R | (f->rev >= 2 ? BIT_S : 0)));
    iw_get16(in + 2, &f->pd_length);
}

static void depth_get(const uint8_t *in, struct mpa_frame *f)
{
    uint16_t ird, ord;
    iw_get16(iw_get16(in, &ird), &ord);
    f->peer_to_peer = ird & HIGH_BIT;
    f->rtr = (uint8_t)((ird & NEXT_BIT ? MPA_RTR_SEND : 0) | (ord & HIGH_BIT ? MPA_RTR_WRITE : 0) |
                       (ord & NEXT_BIT ? MPA_RTR_READ : 0));
    f->ird = ird & MPA_DEPTH_ULP;
    f->ord = ord & MPA_DEPTH_ULP;
}

enum mpa_frame_is mpa_frame_get(const uint8_t *in, uint32_t len, struct mpa_frame *f, uint32_t *size)
{
    *f = (struct mpa_frame){0};
    *size = 0;
    bool key_good = key_get(in, len, &f->reply);
    if (len < MPA_FRAME_HEAD)
        return key_good ? MPA_FRAME_MORE : MPA_FRAME_NO_KEY;
    flags_get(in + KEY_LEN, f);
    *size = (uint32_t)MPA_FRAME_HEAD + f->pd_length;
    if (!key_good)
        return MPA_FRAME_NO_KEY;
    if (f->pd_length > MPA_PRIVATE_MAX)
        return MPA_FRAME_TOO_LONG;
    uint32_t word = f->enhanced ? MPA_ENHANCED : 0;
    if (f->pd_length < word)
        return MPA_FRAME_NO_DEPTH;
    f->private_len = (uint16_t)(f->pd_length - word);
    f->private_data = in + MPA_FRAME_HEAD + word;
    if (f->enhanced && len >= MPA_FRAME_HEAD + MPA_ENHANCED)
        depth_get(in + MPA_FRAME_HEAD, f);
    return len < *size ? MPA_FRAME_MORE : MPA_FRAME_WHOLE;
}

static uint8_t *depth_put(uint8_t *out, const struct mpa_frame *f)
{
    uint8_t rtr = f->peer_to_peer ? f->rtr : 0; /* A = 0 takes B, C and D with it (RFC 6581 9.2) */
    unsigned ird =
        (f->ird & MPA_DEPTH_ULP) | (f->peer_to_peer ? HIGH_BIT : 0) | (rtr & MPA_RTR_SEND ? NEXT_BIT : 0);
    unsigned ord =
        (f->ord & MPA_DEPTH_ULP) | (rtr & MPA_RTR_WRITE ? HIGH_BIT : 0) | (rtr & MPA_RTR_READ ? NEXT_BIT : 0);
    return iw_put16(iw_put16(out, (uint16_t)ird), (uint16_t)ord);
}

uint32_t mpa_frame_put(uint8_t *out, const struct mpa_frame *f)
{
    uint32_t word = f->enhanced ? MPA_ENHANCED : 0;
    if (f->private_len > MPA_PRIVATE_MAX - word)
        return 0;
    memcpy(out, f->reply ? reply_key : request_key, KEY_LEN);
    uint8_t flags = (uint8_t)((f->markers ? BIT_M : 0) | (f->crc ? BIT_C : 0) | (f->rejected ? BIT_R : 0) |
                              (f->enhanced ? BIT_S : 0));
    uint8_t *p = iw_put8(iw_put8(out + KEY_LEN, flags), f->rev);
    p = iw_put16(p, (uint16_t)(f->private_len + word));
    if (f->enhanced)
        p = depth_put(p, f);
    if (f->private_len)
        memcpy(p, f->private_data, f->private_len);
    return (uint32_t)(p - out) + f->private_len;
}

/* ---- configuration ---- */

static const char *depth_error(const struct mpa_start_conf *c)
{
    if (c->ird > MPA_DEPTH_ULP || c->ord > MPA_DEPTH_ULP)
        return "ird and ord are at most 16383 (14 bits)";
    if (c->role == MPA_INITIATOR && c->ird != MPA_DEPTH_ULP && c->ird_max < c->ird)
        return "ird_max is below ird";
    if (c->ord_min > c->ord)
        return "ord_min is above ord";
    if (c->peer_to_peer && !c->rtr)
        return "peer-to-peer needs a kind of RTR that can be sent";
    if (c->role == MPA_RESPONDER && !c->rtr)
        return "an enhanced responder supports at least one kind of RTR";
    if (c->role == MPA_RESPONDER && c->rtr == MPA_RTR_READ && !c->ird)
        return "an RTR by Read needs an ird of 1";
    return NULL;
}

static uint32_t frame_max(const struct mpa_start_conf *c)
{
    return c->frame_max ? c->frame_max : MPA_FRAME_MAX;
}

static uint32_t private_max(const struct mpa_start_conf *c, bool enhanced)
{
    return frame_max(c) - MPA_FRAME_HEAD - (enhanced ? MPA_ENHANCED : 0);
}

const char *mpa_start_conf_error(const struct mpa_start_conf *c)
{
    if (c->rtr & ~(MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ))
        return "rtr has unknown kinds";
    if (c->kind == MPA_RDMAC && (c->enhanced || c->no_crc || !c->markers))
        return "an RDMAC RNIC has markers and CRC and no enhanced frames";
    if (c->peer_to_peer && !c->enhanced)
        return "peer-to-peer needs enhanced frames";
    if (c->frame_max && (c->frame_max < MPA_FRAME_LEAST || c->frame_max > MPA_FRAME_MAX))
        return "frame_max must be 24 .. 532";
    if (c->private_len > private_max(c, c->enhanced))
        return "private data is longer than a frame: at most 512 octets, 508 with enhanced frames";
    return c->enhanced ? depth_error(c) : NULL;
}

/* ---- ends of start-up ---- */

struct why {
    int term;
    enum mpa_tcp tcp;
    const char *text;
};
static const struct why whys[MPA_WHYS] = {
    [MPA_WHY_NONE] = {0, MPA_TCP_KEEP, "no error"},
    [MPA_WHY_KEY] = {IW_T_LLP_STARTUP, MPA_TCP_CLOSE, "the octets are not an MPA start-up frame"},
    [MPA_WHY_SAME_ROLE] = {IW_T_LLP_STARTUP, MPA_TCP_CLOSE, "both sides started as MPA initiators"},
    [MPA_WHY_REV] = {IW_T_LLP_STARTUP, MPA_TCP_CLOSE, "the peer's MPA revision is not supported"},
    [MPA_WHY_PRIVATE_DATA] = {IW_T_LLP_STARTUP, MPA_TCP_CLOSE,
                              "the length of the private data is impossible"},
    [MPA_WHY_ENHANCED] = {IW_T_LLP_STARTUP, MPA_TCP_CLOSE,
                          "only one side uses the enhanced frames of RFC 6581"},
    [MPA_WHY_SURPLUS] = {IW_T_LLP_STARTUP, MPA_TCP_CLOSE,
                         "octets follow the start-up frame before any may be sent"},
    [MPA_WHY_TIMEOUT] = {IW_T_LLP_LOST, MPA_TCP_CLOSE, "start-up took too long"},
    [MPA_WHY_LOST] = {IW_T_LLP_LOST, MPA_TCP_CLOSE, "TCP ended during start-up"},
    [MPA_WHY_IRD] = {IW_T_LLP_IRD, MPA_TCP_TERMINATE, "insufficient IRD resources"},
    [MPA_WHY_RTR] = {IW_T_LLP_RTR, MPA_TCP_TERMINATE, "no matching RTR option"},
};

const char *mpa_why_text(enum mpa_why why)
{
    return (unsigned)why < MPA_WHYS ? whys[why].text : "unknown";
}

static void fail_startup(struct mpa_start *s, enum mpa_why why)
{
    s->state = MPA_FAILED;
    s->why = why;
    s->term = whys[why].term;
    s->tcp = whys[why].tcp;
}

static bool over(const struct mpa_start *s)
{
    return s->state >= MPA_FULL;
}

static bool fail_lost(struct mpa_start *s, enum mpa_why why)
{
    if (over(s))
        return false;
    s->retry_unenhanced = s->state == MPA_WAIT_REPLY && s->conf.enhanced; /* RFC 6581 section 10 */
    fail_startup(s, why);
    return true;
}

void mpa_start_lost(struct mpa_start *s)
{
    fail_lost(s, MPA_WHY_LOST);
}

iw_time mpa_start_deadline(const struct mpa_start *s)
{
    return over(s) ? IW_NEVER : s->deadline;
}

void mpa_start_expire(struct mpa_start *s, iw_time now)
{
    if (now >= s->deadline)
        fail_lost(s, MPA_WHY_TIMEOUT);
}

/* ---- what both frames say together ---- */

static void agree_modes(struct mpa_start *s)
{
    const struct mpa_frame *peer = &s->peer;
    struct mpa_agreement *a = &s->agreed;
    bool rdmac =
        peer->rev == 0 || s->conf.kind == MPA_RDMAC; /* RFC 5044 appendix C: version 0, markers, CRC */
    a->rev = peer->rev;
    a->version = rdmac ? 0 : 1;
    a->markers_tx = rdmac || peer->markers;
    a->markers_rx = rdmac || s->conf.markers;
    a->crc = rdmac || peer->crc || !s->conf.no_crc;
    a->enhanced = peer->enhanced;
    a->ird = s->conf.ird;
    a->ord = s->conf.ord;
}

/* Can we work with a frame of this revision? (RFC 5044 7.1.1 and figures 15 to 17, RFC 6581 section 6) */
static bool rev_fits(const struct mpa_start *s, uint8_t rev)
{
    if (s->conf.kind == MPA_RDMAC)
        return rev == 0 || (rev == 1 && s->conf.role == MPA_RESPONDER);
    if (rev == 0)
        return s->conf.kind == MPA_IETF_PERMISSIVE && !(s->conf.role == MPA_INITIATOR && s->conf.enhanced);
    return rev == 1 || (rev == 2 && s->conf.enhanced);
}

/* ---- the initiator ---- */

static uint8_t own_rev(const struct mpa_start_conf *c)
{
    if (c->kind == MPA_RDMAC)
        return 0;
    return c->enhanced ? 2 : 1;
}

static void send_request(struct mpa_start *s)
{
    const struct mpa_start_conf *c = &s->conf;
    struct mpa_frame f = {.markers = c->markers,
                          .crc = !c->no_crc,
                          .enhanced = c->enhanced,
                          .rev = own_rev(c),
                          .peer_to_peer = c->peer_to_peer,
                          .rtr = c->rtr,
                          .ird = c->ird,
                          .ord = c->ord,
                          .private_len = c->private_len,
                          .private_data = c->private_data};
    s->out_len = mpa_frame_put(s->out, &f);
    LAW(s->out_len <= frame_max(c));
}

/* The initiator's depths: IRD at least the responder's ORD, ORD at most its IRD (RFC 6581 9.1). */
static bool initiator_depths(struct mpa_start *s)
{
    struct mpa_agreement *a = &s->agreed;
    if (s->peer.ird != MPA_DEPTH_ULP && a->ord != MPA_DEPTH_ULP)
        a->ord = (uint16_t)least(a->ord, s->peer.ird);
    if (s->peer.ord != MPA_DEPTH_ULP && a->ird < s->peer.ord) /* MPA_DEPTH_ULP is above all others */
        a->ird = s->peer.ord;
    return a->ord >= s->conf.ord_min && (a->ird == MPA_DEPTH_ULP || a->ird <= s->conf.ird_max);
}

/* The RTR to send: a Write needs nothing of the peer, a Read a place in its IRD, a Send a receive buffer. */
static uint8_t choose_rtr(const struct mpa_start *s)
{
    uint8_t both = s->peer.peer_to_peer ? s->peer.rtr & s->conf.rtr : 0;
    if (both & MPA_RTR_WRITE)
        return MPA_RTR_WRITE;
    if (both & MPA_RTR_READ && s->peer.ird)
        return MPA_RTR_READ;
    return both & MPA_RTR_SEND;
}

static void agree_enhanced(struct mpa_start *s)
{
    struct mpa_agreement *a = &s->agreed;
    a->peer_to_peer = s->conf.peer_to_peer;
    a->rtr = s->conf.peer_to_peer ? choose_rtr(s) : 0;
    LAW(!(a->rtr & (a->rtr - 1)) && !(a->rtr & ~s->conf.rtr)); /* one kind or none */
    LAW(s->state == MPA_FULL && s->peer.enhanced);
    if (!initiator_depths(s))
        fail_startup(s, MPA_WHY_IRD);
    else if (a->peer_to_peer && !a->rtr)
        fail_startup(s, MPA_WHY_RTR);
    if (a->rtr == MPA_RTR_READ && !a->ord)
        a->ord = 1; /* the responder keeps a place for it */
}

static void got_reply(struct mpa_start *s)
{
    if (s->peer.enhanced != s->conf.enhanced) {
        s->retry_unenhanced = s->conf.enhanced;
        fail_startup(s, MPA_WHY_ENHANCED);
        return;
    }
    if (s->peer.rejected) {
        s->state = MPA_REJECTED;
        return;
    }
    s->state = MPA_FULL;
    agree_modes(s);
    if (s->conf.enhanced)
        agree_enhanced(s);
}

/* ---- the responder ---- */

static void got_request(struct mpa_start *s)
{
    if (s->peer.enhanced && !s->conf.enhanced)
        fail_startup(s, MPA_WHY_ENHANCED);
    else
        s->state = MPA_DECIDE;
}

/* The responder's depths: ORD at most the initiator's IRD, IRD enough for its ORD where we have that much
 * (RFC 6581 9.1), and for an RTR by Read. MPA_DEPTH_ULP from the initiator leaves ours alone. */
static void responder_depths(struct mpa_start *s)
{
    const struct mpa_frame *peer = &s->peer;
    struct mpa_agreement *a = &s->agreed;
    if (peer->ird != MPA_DEPTH_ULP && a->ord != MPA_DEPTH_ULP)
        a->ord = (uint16_t)least(a->ord, peer->ird);
    if (peer->ord == MPA_DEPTH_ULP || a->ird == MPA_DEPTH_ULP)
        return;
    uint16_t need = peer->ord;
    if (!need && a->rtr & MPA_RTR_READ)
        need = 1;
    a->ird = (uint16_t)least(a->ird, need);
}

/* Those both sides can do; if there are none all of ours, so that the initiator knows why (RFC 6581 9.2). */
static uint8_t offer_rtr(const struct mpa_start *s)
{
    uint8_t ours = s->conf.rtr;
    if (!s->conf.ird)
        ours &= (uint8_t)~MPA_RTR_READ;
    return s->peer.rtr & ours ? s->peer.rtr & ours : ours;
}

static void send_reply(struct mpa_start *s, bool rejected, const uint8_t *private_data, uint16_t private_len)
{
    const struct mpa_agreement *a = &s->agreed;
    LAW(a->ird <= s->conf.ird && a->ord <= s->conf.ord);
    bool ulp_ird = s->peer.ord == MPA_DEPTH_ULP, ulp_ord = s->peer.ird == MPA_DEPTH_ULP;
    struct mpa_frame f = {.reply = true,
                          .markers = a->markers_rx,
                          .crc = a->crc,
                          .rejected = rejected,
                          .enhanced = a->enhanced,
                          .rev = s->conf.kind == MPA_RDMAC ? 0 : a->rev,
                          .peer_to_peer = a->peer_to_peer,
                          .rtr = a->rtr,
                          .ird = ulp_ird ? MPA_DEPTH_ULP : a->ird,
                          .ord = ulp_ord ? MPA_DEPTH_ULP : a->ord,
                          .private_len = private_len,
                          .private_data = private_data};
    s->out_len = mpa_frame_put(s->out, &f);
    LAW(s->out_len <= frame_max(&s->conf));
}

static void agree_as_responder(struct mpa_start *s)
{
    agree_modes(s);
    if (!s->agreed.enhanced)
        return;
    s->agreed.peer_to_peer = s->peer.peer_to_peer;
    s->agreed.rtr = s->peer.peer_to_peer ? offer_rtr(s) : 0;
    responder_depths(s);
}

static int answer_request(struct mpa_start *s, bool reject, const uint8_t *private_data, uint16_t private_len)
{
    if (s->state != MPA_DECIDE)
        return IW_ESTATE;
    if (private_len > private_max(&s->conf, s->peer.enhanced))
        return IW_EINVAL;
    agree_as_responder(s);
    if (!reject && s->agreed.enhanced && s->agreed.ord < s->conf.ord_min) {
        reject = true;
        s->agreed.ord = s->conf.ord_min; /* the Reply says what it takes (RFC 6581 9.1) */
        s->why = MPA_WHY_IRD;
        s->term = IW_T_LLP_IRD;
    }
    send_reply(s, reject, private_data, private_len);
    s->state = reject ? MPA_REJECTED : MPA_FULL;
    return IW_OK;
}

int mpa_accept(struct mpa_start *s, const uint8_t *private_data, uint16_t private_len)
{
    return answer_request(s, false, private_data, private_len);
}

int mpa_reject(struct mpa_start *s, const uint8_t *private_data, uint16_t private_len)
{
    return answer_request(s, true, private_data, private_len);
}

/* A responder that cannot be RDMAC says which revision it is, then closes (RFC 5044 C.2.1). */
static void refuse_rdmac(struct mpa_start *s)
{
    struct mpa_frame f = {.reply = true, .markers = s->conf.markers, .crc = true, .rejected = true, .rev = 1};
    s->out_len = mpa_frame_put(s->out, &f);
    s->tcp = MPA_TCP_CLOSE_AFTER;
}

/* ---- octets in, frames out ---- */

/* The same whatever the cuts: the wrong one of the two keys is judged when it is whole. */
static enum mpa_why why_malformed(const struct mpa_start *s, enum mpa_frame_is is)
{
    bool initiator = s->conf.role == MPA_INITIATOR;
    if (is == MPA_FRAME_NO_KEY)
        return MPA_WHY_KEY;
    if (s->in_len >= KEY_LEN && s->peer.reply != initiator)
        return initiator ? MPA_WHY_SAME_ROLE : MPA_WHY_KEY;
    if (is == MPA_FRAME_TOO_LONG || is == MPA_FRAME_NO_DEPTH)
        return MPA_WHY_PRIVATE_DATA;
    if (s->in_len >= MPA_FRAME_HEAD && !rev_fits(s, s->peer.rev))
        return MPA_WHY_REV;
    return MPA_WHY_NONE;
}

/* Judge what is in s->in; true when the frame is whole and good. */
static bool frame_ready(struct mpa_start *s, uint32_t *size)
{
    enum mpa_frame_is is = mpa_frame_get(s->in, s->in_len, &s->peer, size);
    enum mpa_why why = why_malformed(s, is);
    if (!why && *size > frame_max(&s->conf))
        why = MPA_WHY_PRIVATE_DATA;
    if (why) {
        fail_startup(s, why);
        if (why == MPA_WHY_REV && s->conf.role == MPA_RESPONDER && s->peer.rev == 0)
            refuse_rdmac(s);
        if (why == MPA_WHY_REV && s->conf.role == MPA_INITIATOR)
            s->retry_unenhanced = s->conf.enhanced;
    }
    return !why && is == MPA_FRAME_WHOLE;
}

/* How many octets more the frame certainly has: never read past its end, which the head tells. */
static uint32_t wanted(const struct mpa_start *s, uint32_t size)
{
    return (s->in_len < MPA_FRAME_HEAD ? (uint32_t)MPA_FRAME_HEAD : size) - s->in_len;
}

static void got_frame(struct mpa_start *s, bool surplus)
{
    bool initiator = s->conf.role == MPA_INITIATOR;
    if (surplus && !(initiator && (s->peer.rejected || s->conf.lenient)))
        fail_startup(s, MPA_WHY_SURPLUS);
    else if (initiator)
        got_reply(s);
    else
        got_request(s);
}

uint32_t mpa_start_in(struct mpa_start *s, iw_time now, const uint8_t *octets, uint32_t len)
{
    uint32_t used = 0, size = 0;
    mpa_start_expire(s, now);
    if (s->state == MPA_DECIDE && len)
        fail_startup(s, MPA_WHY_SURPLUS);
    while (s->state <= MPA_WAIT_REQUEST && used < len) {
        if (s->in_len >= MPA_FRAME_HEAD)
            mpa_frame_get(s->in, s->in_len, &s->peer, &size);
        uint32_t n = wanted(s, size);
        if (n > len - used)
            n = len - used;
        LAW(n && s->in_len + n <= frame_max(&s->conf));
        memcpy(s->in + s->in_len, octets + used, n);
        s->in_len += n;
        used += n;
        if (frame_ready(s, &size))
            got_frame(s, used < len);
    }
    return used;
}

uint32_t mpa_start_out(struct mpa_start *s, uint8_t *out)
{
    uint32_t len = s->out_len;
    if (len)
        memcpy(out, s->out, len);
    s->out_len = 0;
    return len;
}

int mpa_start(struct mpa_start *s, iw_time now, const struct mpa_start_conf *conf)
{
    if (mpa_start_conf_error(conf) || !conf->frames)
        return IW_EINVAL;
    *s = (struct mpa_start){.conf = *conf, .in = conf->frames, .out = conf->frames + frame_max(conf)};
    s->deadline = conf->timeout && conf->timeout < IW_NEVER - now ? now + conf->timeout : IW_NEVER;
    s->state = conf->role == MPA_INITIATOR ? MPA_WAIT_REPLY : MPA_WAIT_REQUEST;
    if (conf->role == MPA_INITIATOR)
        send_request(s);
    s->conf.private_data = NULL; /* it is in the Request now */
    return IW_OK;
}
