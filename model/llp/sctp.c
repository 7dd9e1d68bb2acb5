/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* sctp.c -- configuration, packets in and out, timers, the end (RFC 9260 sections 8, 9). */
#include "llp/sctp.h"

#include <string.h>

#include "engine/carve.h"
#include "engine/law.h"
#include "engine/least.h"
#include "llp/crc32c.h"
#include "llp/sctp_inner.h"

/* ---- configuration ---- */

#define MS     1000000000u
#define SECOND (1000u * (iw_time)MS)

void sctp_defaults(struct sctp_conf *conf)
{
    *conf = (struct sctp_conf){.streams = 1,
                               .chunks = 1024,
                               .hold = 64,
                               .rwnd = 1 << 20,
                               .partial = true,
                               .rto_initial = 10 * (iw_time)MS,
                               .rto_min = MS,
                               .rto_max = 60 * SECOND,
                               .sack_delay = MS / 20,
                               .sack_every = 2,
                               .heartbeat = 30 * SECOND,
                               .cookie_life = 60 * SECOND,
                               .burst = 4,
                               .retries = 10,
                               .init_retries = 8};
}

const char *sctp_conf_error(const struct sctp_conf *c)
{
    if (!c->local_port)
        return "local_port must not be 0";
    if (c->mtu < SCTP_MTU_MIN || c->mtu > SCTP_MTU_MAX || c->mtu % 4)
        return "mtu must be a multiple of 4 in 576 .. 65515";
    if (!c->streams || c->streams == NO_STREAM)
        return "streams must be 1 .. 65534";
    if (c->chunks < SCTP_CHUNKS_MIN || c->chunks > SCTP_CHUNKS_MAX || (c->chunks & (c->chunks - 1)))
        return "chunks must be a power of two in 64 .. 16384";
    if (c->store < 2 * c->mtu)
        return "store below two packets";
    if (c->head_max % 4 || c->head_max > c->mtu - SCTP_OVERHEAD)
        return "head_max must be a multiple of 4 that fits a packet";
    if (c->hold == NONE16)
        return "hold must be 0 .. 65534";
    if (c->rwnd < c->mtu)
        return "rwnd below one packet";
    if (!c->rto_min || c->rto_initial < c->rto_min || c->rto_max < c->rto_initial)
        return "rto_min, rto_initial and rto_max must be above 0 and ascending";
    if (!c->sack_every)
        return "sack_every must not be 0";
    return NULL;
}

/* ---- memory ---- */

static struct sctp_bits carve_bits(struct carve *c, uint32_t n)
{
    struct sctp_bits b = {.word = carve(c, n / 8), .mask = n - 1};
    if (b.word)
        memset(b.word, 0, n / 8);
    return b;
}

/* One walk serves both to size the block and to fill it. */
static void carve_association(struct sctp *a, struct carve *c)
{
    const struct sctp_conf *conf = &a->conf;
    uint32_t room = conf->head_max ? conf->head_max : conf->mtu - SCTP_OVERHEAD;
    a->tx.gap = carve_bits(c, conf->chunks);
    a->tx.again = carve_bits(c, conf->chunks);
    a->tx.fast = carve_bits(c, conf->chunks);
    a->tx.gone = carve_bits(c, conf->chunks);
    a->rx.got = carve_bits(c, conf->chunks);
    a->tx.sent = carve(c, conf->chunks * sizeof(struct sctp_sent));
    a->stream = carve(c, conf->streams * sizeof(struct sctp_stream_state));
    a->rx.held = carve(c, conf->hold * sizeof(struct sctp_held));
    a->rx.octets = carve(c, (size_t)conf->hold * room);
    a->tx.store = carve(c, conf->head_max ? (size_t)conf->chunks * conf->head_max : conf->store);
    a->tx.store_size = conf->store;
}

size_t sctp_size(const struct sctp_conf *conf)
{
    struct sctp a = {.conf = *conf};
    struct carve c = {0};
    if (sctp_conf_error(conf))
        return 0;
    carve(&c, sizeof a);
    carve_association(&a, &c);
    return c.used;
}

struct sctp *sctp_init(void *memory, const struct sctp_conf *conf)
{
    struct sctp *a = memory;
    struct carve c = {.memory = memory};
    if (sctp_conf_error(conf))
        return NULL;
    *a = (struct sctp){.conf = *conf, .remote_port = conf->remote_port, .rto = conf->rto_initial};
    carve(&c, sizeof *a);
    carve_association(a, &c);
    for (uint16_t i = 0; i < conf->streams; i++)
        a->stream[i] = (struct sctp_stream_state){.first = NONE16, .ready = NO_STREAM};
    for (uint16_t i = 0; i < conf->hold; i++)
        a->rx.held[i].next = i + 1 < conf->hold ? (uint16_t)(i + 1) : NONE16;
    a->rx.free = conf->hold ? 0 : NONE16;
    a->rx.lent = NONE16;
    a->rx.ready = NO_STREAM;
    a->rx.credit = a->rx.told = conf->rwnd;
    a->rx.sack_at = a->tx.t3 = a->control_at = a->heartbeat_at = IW_NEVER;
    LAW(c.used == sctp_size(conf));
    return a;
}

uint32_t sctp_chunk_octets(void)
{
    return sizeof(struct sctp_sent);
}

/* ---- looking on ---- */

enum sctp_state sctp_state(const struct sctp *a)
{
    return a->state;
}

bool sctp_adaptation(const struct sctp *a, uint32_t *indication)
{
    *indication = a->peer.adaptation;
    return a->peer.adapts;
}

uint16_t sctp_streams(const struct sctp *a)
{
    return a->streams;
}

uint32_t sctp_first_tsn(const struct sctp *a)
{
    return a->peer.tsn;
}

void sctp_listen(struct sctp *a, bool on)
{
    a->deaf = !on;
}

const struct sctp_stats *sctp_statistics(struct sctp *a)
{
    struct sctp_stats *s = &a->stats;
    LAW(s->spurious <= s->retransmits && a->tx.next - a->tx.una <= a->conf.chunks);
    s->cwnd = a->tx.cwnd;
    s->ssthresh = a->tx.ssthresh;
    s->flight = a->tx.flight;
    s->peer_rwnd = a->tx.peer_rwnd;
    s->outstanding = a->tx.next - a->tx.una;
    s->held = a->rx.held_octets;
    s->srtt = a->srtt;
    s->rttvar = a->rttvar;
    s->rto = a->rto;
    return s;
}

const struct sctp_stats *sctp_counters(const struct sctp *a)
{
    return &a->stats;
}

/* ---- events ---- */

void sctp_tell(struct sctp *a, enum sctp_event_kind kind, uint16_t cause)
{
    if (a->events_put == EVENTS)
        return;
    a->event[a->events_put++] = (uint8_t)kind;
    if (kind == SCTP_EV_ABORTED || kind == SCTP_EV_REFUSED)
        a->cause = cause;
}

bool sctp_event(struct sctp *a, struct sctp_event *event)
{
    if (a->events_get == a->events_put)
        return false;
    event->kind = (enum sctp_event_kind)a->event[a->events_get++];
    event->cause = event->kind == SCTP_EV_ABORTED || event->kind == SCTP_EV_REFUSED ? a->cause : 0;
    return true;
}

/* The association is no more; `kind` says why. */
static void end(struct sctp *a, enum sctp_event_kind kind, uint16_t cause)
{
    a->state = SCTP_CLOSED;
    a->finished = true;
    a->want = 0;
    a->rx.sack = false;
    a->rx.left = 0;
    a->rx.ready = NO_STREAM;
    a->rx.sack_at = a->tx.t3 = a->control_at = a->heartbeat_at = IW_NEVER;
    sctp_tell(a, kind, cause);
}

/* ---- answers that are not remembered ---- */

static void put_common_head(const struct sctp *a, uint8_t *out, uint32_t tag)
{
    iw_put32(iw_put32(iw_put16(iw_put16(out, a->conf.local_port), a->remote_port), tag), 0);
}

uint8_t *sctp_reply(struct sctp *a, uint32_t tag, uint8_t type, uint8_t flags, uint32_t value_len)
{
    uint32_t len = CHUNK_HEAD + value_len, old;
    if (a->reply_len) {
        iw_get32(a->reply + 4, &old);
        if (old != tag || type == SCTP_INIT_ACK || a->reply_len + padded(len) > REPLY_MAX)
            a->reply_len = 0;
    }
    if (SCTP_HEAD + padded(len) > REPLY_MAX)
        return NULL;
    if (!a->reply_len) {
        put_common_head(a, a->reply, tag);
        a->reply_len = SCTP_HEAD;
    }
    uint8_t *out = a->reply + a->reply_len;
    LAW(a->reply_len + padded(len) <= REPLY_MAX);
    memset(out, 0, padded(len));
    a->reply_len += padded(len);
    return chunk_put(out, type, flags, len);
}

/* The octets that a cause has beside its head, where it must have some (RFC 9260 3.3.10). */
static uint32_t cause_info(uint16_t cause, uint8_t info[8])
{
    static const uint8_t cookie_is_missing[6] = {0, 0, 0, 1, 0, 7};
    memset(info, 0, 8);
    if (cause != SCTP_CAUSE_MISSING)
        return cause == SCTP_CAUSE_NO_DATA ? 4 : 0;
    memcpy(info, cookie_is_missing, sizeof cookie_is_missing);
    return sizeof cookie_is_missing;
}

void sctp_fail(struct sctp *a, enum sctp_event_kind kind, uint16_t cause)
{
    uint8_t info[8];
    uint32_t more = cause_info(cause, info);
    uint8_t *p = sctp_reply(a, a->peer.tag, SCTP_ABORT, 0, cause ? PARAM_HEAD + more : 0);
    if (p && cause)
        memcpy(param_put(p, cause, PARAM_HEAD + more), info, more);
    end(a, kind, cause);
}

void sctp_abort(struct sctp *a, iw_time now)
{
    (void)now;
    if (a->state > SCTP_COOKIE_WAIT)
        sctp_fail(a, SCTP_EV_REFUSED, SCTP_CAUSE_USER);
    else if (a->state == SCTP_COOKIE_WAIT)
        end(a, SCTP_EV_REFUSED, SCTP_CAUSE_USER);
}

/* ---- round trips and timers ---- */

static iw_time clamped(const struct sctp *a, iw_time rto)
{
    rto = rto < a->conf.rto_min ? a->conf.rto_min : rto;
    return rto > a->conf.rto_max ? a->conf.rto_max : rto;
}

/* RFC 9260 6.3.1. A simulated path may have the same round trip always: the variation counts as a quarter of
 * it at least, else RTO would come down to the round trip itself. */
void sctp_round_trip(struct sctp *a, iw_time took)
{
    if (!a->measured) {
        a->srtt = took;
        a->rttvar = took / 2;
        a->measured = true;
    } else {
        iw_time off = a->srtt > took ? a->srtt - took : took - a->srtt;
        a->rttvar = (3 * a->rttvar + off) / 4;
        a->srtt = (7 * a->srtt + took) / 8;
    }
    if (a->rttvar < a->srtt / 4)
        a->rttvar = a->srtt / 4;
    a->rto = clamped(a, a->srtt + 4 * a->rttvar);
}

void sctp_back_off(struct sctp *a)
{
    a->rto = clamped(a, 2 * a->rto);
}

static void control_timer(struct sctp *a, iw_time now)
{
    LAW(a->conf.rto_min <= a->rto && a->rto <= a->conf.rto_max);
    a->control_at = now + a->rto;
}

bool sctp_missed(struct sctp *a)
{
    if (++a->errors <= a->conf.retries)
        return true;
    sctp_fail(a, SCTP_EV_LOST, 0);
    return false;
}

/* What is sent again in each state when its timer ends (T1: RFC 9260 4; T2: 9.2). */
static const uint8_t wanted_again[SCTP_STATES] = {[SCTP_COOKIE_WAIT] = WANT_INIT,
                                                  [SCTP_COOKIE_ECHOED] = WANT_COOKIE,
                                                  [SCTP_SHUTDOWN_SENT] = WANT_SHUTDOWN,
                                                  [SCTP_SHUTDOWN_ACK_SENT] = WANT_SHUTDOWN_ACK};

static void expire_control(struct sctp *a, iw_time now)
{
    if (a->control_at > now)
        return;
    a->control_at = IW_NEVER;
    bool starting = a->state < SCTP_ESTABLISHED;
    if (++a->tries > (starting ? a->conf.init_retries : a->conf.retries)) {
        end(a, SCTP_EV_LOST, 0);
        return;
    }
    sctp_back_off(a);
    a->want |= wanted_again[a->state];
}

static void expire_heartbeat(struct sctp *a, iw_time now)
{
    if (a->heartbeat_at > now)
        return;
    iw_time quiet = a->tx.last > now ? 0 : now - a->tx.last;
    if (!a->heartbeat_out && quiet < a->conf.heartbeat) {
        a->heartbeat_at = a->tx.last + a->conf.heartbeat;
        return;
    }
    if (a->heartbeat_out && !sctp_missed(a))
        return;
    if (a->heartbeat_out)
        sctp_back_off(a);
    a->want |= WANT_HEARTBEAT;
    a->heartbeat_out = true;
    a->heartbeat_at = now + a->conf.heartbeat + a->rto;
}

iw_time sctp_deadline(const struct sctp *a)
{
    iw_time timers = least(least(a->rx.sack_at, a->tx.t3), a->control_at);
    LAW(a->state != SCTP_CLOSED || least(timers, a->heartbeat_at) == IW_NEVER);
    return least(timers, a->heartbeat_at);
}

void sctp_expire(struct sctp *a, iw_time now)
{
    if (a->rx.sack_at <= now) {
        a->rx.sack_at = IW_NEVER;
        a->rx.sack = true;
    }
    expire_control(a, now);
    if (established(a))
        tx_expire(a, now);
    if (established(a))
        expire_heartbeat(a, now);
}

/* ---- the end (RFC 9260 9.2) ---- */

/* When everything is acknowledged the shutdown goes on. */
static void go_down(struct sctp *a)
{
    if (!tx_empty(a))
        return;
    LAW(!a->tx.flight && !a->tx.unsent && !a->tx.agains); /* all was acknowledged */
    if (a->state == SCTP_SHUTDOWN_PENDING) {
        a->state = SCTP_SHUTDOWN_SENT;
        a->want |= WANT_SHUTDOWN;
    } else if (a->state == SCTP_SHUTDOWN_RECEIVED) {
        a->state = SCTP_SHUTDOWN_ACK_SENT;
        a->want |= WANT_SHUTDOWN_ACK;
    }
}

int sctp_shutdown(struct sctp *a, iw_time now)
{
    (void)now;
    if (a->state != SCTP_ESTABLISHED)
        return IW_ESTATE;
    a->state = SCTP_SHUTDOWN_PENDING;
    a->tries = 0;
    go_down(a);
    return IW_OK;
}

static void shutdown_came(struct sctp *a, iw_time now, const struct sctp_tlv *chunk)
{
    uint32_t cum;
    if (!established(a) || chunk->len < CHUNK_HEAD + 4)
        return;
    iw_get32(chunk->at + CHUNK_HEAD, &cum);
    tx_cumulative(a, now, cum);
    if (a->state == SCTP_ESTABLISHED || a->state == SCTP_SHUTDOWN_PENDING) {
        a->state = SCTP_SHUTDOWN_RECEIVED;
        a->tries = 0;
        sctp_tell(a, SCTP_EV_SHUTDOWN, 0);
    } else if (a->state == SCTP_SHUTDOWN_SENT) {
        a->state = SCTP_SHUTDOWN_ACK_SENT; /* both at once (9.2) */
        a->want = (a->want & ~(unsigned)WANT_SHUTDOWN) | WANT_SHUTDOWN_ACK;
    } else if (a->state == SCTP_SHUTDOWN_ACK_SENT) {
        a->want |= WANT_SHUTDOWN_ACK;
    }
}

static void shutdown_ack_came(struct sctp *a)
{
    if (a->state != SCTP_SHUTDOWN_SENT && a->state != SCTP_SHUTDOWN_ACK_SENT)
        return;
    sctp_reply(a, a->peer.tag, SCTP_SHUTDOWN_COMPLETE, 0, 0);
    end(a, SCTP_EV_DOWN, 0);
}

static void abort_came(struct sctp *a, const struct sctp_tlv *chunk)
{
    uint16_t cause = 0;
    if (chunk->len >= CHUNK_HEAD + PARAM_HEAD)
        iw_get16(chunk->at + CHUNK_HEAD, &cause);
    end(a, SCTP_EV_ABORTED, cause);
}

/* ---- other chunks ---- */

static void heartbeat_came(struct sctp *a, const struct sctp_tlv *chunk)
{
    uint8_t *p = sctp_reply(a, a->peer.tag, SCTP_HEARTBEAT_ACK, 0, chunk->len - CHUNK_HEAD);
    if (p)
        memcpy(p, chunk->at + CHUNK_HEAD, chunk->len - CHUNK_HEAD);
}

enum { HEARTBEAT_INFO = PARAM_HEAD + 8 + 8 };

static void put_heartbeat(const struct sctp *a, iw_time now, uint8_t *out, uint32_t *len)
{
    uint8_t *p = chunk_put(out, SCTP_HEARTBEAT, 0, CHUNK_HEAD + HEARTBEAT_INFO);
    p = iw_put64(param_put(p, 1, HEARTBEAT_INFO), now);
    iw_put64(p, sctp_seal(a->conf.secret, p - 8, 8));
    *len += CHUNK_HEAD + HEARTBEAT_INFO;
}

static void heartbeat_ack_came(struct sctp *a, iw_time now, const struct sctp_tlv *chunk)
{
    const uint8_t *p = chunk->at + CHUNK_HEAD + PARAM_HEAD;
    uint64_t sent, seal;
    if (chunk->len != CHUNK_HEAD + HEARTBEAT_INFO || !a->heartbeat_out)
        return;
    iw_get64(iw_get64(p, &sent), &seal);
    if (seal != sctp_seal(a->conf.secret, p, 8) || sent > now)
        return;
    a->heartbeat_out = false;
    a->errors = 0;
    sctp_round_trip(a, now - sent);
    a->heartbeat_at = now + a->conf.heartbeat;
}

static void error_came(struct sctp *a, const struct sctp_tlv *chunk)
{
    uint16_t cause = 0;
    if (chunk->len >= CHUNK_HEAD + PARAM_HEAD)
        iw_get16(chunk->at + CHUNK_HEAD, &cause);
    if (a->state == SCTP_COOKIE_ECHOED && cause == SCTP_CAUSE_STALE_COOKIE)
        end(a, SCTP_EV_REFUSED, cause);
}

/* RFC 9260 3.2: what the two highest bits of an unknown type ask for. */
static void unknown_came(struct sctp *a, const struct sctp_tlv *chunk)
{
    enum { GO_ON = 0x80, REPORT = 0x40, REPORTED = 64 };
    if (chunk->type & REPORT && a->peer.tag) {
        uint32_t len = chunk->len < REPORTED ? chunk->len : REPORTED;
        uint8_t *p = sctp_reply(a, a->peer.tag, SCTP_ERROR, 0, PARAM_HEAD + len);
        if (p)
            memcpy(param_put(p, SCTP_CAUSE_CHUNK, PARAM_HEAD + len), chunk->at, len);
    }
    if (!(chunk->type & GO_ON))
        a->rx.left = 0;
}

static void control_came(struct sctp *a, iw_time now, const struct sctp_tlv *chunk)
{
    switch (chunk->type) {
    case SCTP_INIT_ACK: start_init_ack(a, now, chunk); break;
    case SCTP_SACK:
        if (established(a)) {
            tx_sack(a, now, chunk);
            go_down(a);
        }
        break;
    case SCTP_HEARTBEAT: heartbeat_came(a, chunk); break;
    case SCTP_HEARTBEAT_ACK: heartbeat_ack_came(a, now, chunk); break;
    case SCTP_ABORT: abort_came(a, chunk); break;
    case SCTP_SHUTDOWN:
        shutdown_came(a, now, chunk);
        go_down(a);
        break;
    case SCTP_SHUTDOWN_ACK: shutdown_ack_came(a); break;
    case SCTP_ERROR: error_came(a, chunk); break;
    case SCTP_COOKIE_ECHO: start_cookie_echo(a, now, chunk, a->tag); break;
    case SCTP_COOKIE_ACK: start_cookie_ack(a, now); break;
    case SCTP_SHUTDOWN_COMPLETE:
        if (a->state == SCTP_SHUTDOWN_ACK_SENT)
            end(a, SCTP_EV_DOWN, 0);
        break;
    case SCTP_FORWARD_TSN:
        if (established(a))
            rx_forward(a, chunk);
        break;
    default: unknown_came(a, chunk); break;
    }
}

/* ---- packets in ---- */

static bool checksum_is_good(const uint8_t *octets, uint32_t len)
{
    static const uint8_t zero[4];
    uint32_t crc = crc32c(crc32c(crc32c(0, octets, 8), zero, 4), octets + SCTP_HEAD, len - SCTP_HEAD);
    uint8_t want[4] = {(uint8_t)crc, (uint8_t)(crc >> 8), (uint8_t)(crc >> 16), (uint8_t)(crc >> 24)};
    return memcmp(octets + 8, want, 4) == 0;
}

/* Of what is carried: a packet of small chunks is whole without payload, too, and can be altered like any other. */
static void put_checksum(uint8_t *out, uint32_t len)
{
    uint32_t crc = crc32c(0, out, len);
    for (int i = 0; i < 4; i++)
        out[8 + i] = (uint8_t)(crc >> 8 * i);
}

/* RFC 9260 8.4: a packet of an association that is no more, or never was. */
static void out_of_the_blue(struct sctp *a, const struct sctp_tlv *first, uint32_t tag)
{
    switch (first->type) {
    case SCTP_ABORT:
    case SCTP_INIT_ACK:
    case SCTP_COOKIE_ACK:
    case SCTP_COOKIE_ECHO:
    case SCTP_ERROR:
    case SCTP_SHUTDOWN_COMPLETE: return;
    case SCTP_SHUTDOWN_ACK: sctp_reply(a, tag, SCTP_SHUTDOWN_COMPLETE, TAG_REFLECTED, 0); return;
    default: sctp_reply(a, tag, SCTP_ABORT, TAG_REFLECTED, 0); return;
    }
}

/* RFC 9260 8.5: does the verification tag belong to this association? */
static bool tag_is_good(const struct sctp *a, const struct sctp_tlv *first, uint32_t tag)
{
    bool may_reflect = first->type == SCTP_ABORT || first->type == SCTP_SHUTDOWN_COMPLETE;
    if (may_reflect && first->flags & TAG_REFLECTED)
        return a->peer.tag && tag == a->peer.tag && a->state > SCTP_COOKIE_WAIT;
    return tag == a->tag;
}

/* A packet that begins with INIT or, while closed, COOKIE ECHO. True: it may go on. */
static bool starts_here(struct sctp *a, iw_time now, const struct sctp_tlv *first, uint32_t tag, bool alone)
{
    if (first->type == SCTP_INIT) {
        if (tag == 0 && alone)
            start_init(a, now, first);
        return false;
    }
    if (a->state != SCTP_CLOSED)
        return tag_is_good(a, first, tag);
    if (first->type == SCTP_COOKIE_ECHO)
        start_cookie_echo(a, now, first, tag);
    if (a->state == SCTP_CLOSED && first->type != SCTP_COOKIE_ECHO)
        out_of_the_blue(a, first, tag);
    return established(a);
}

int sctp_receive(struct sctp *a, iw_time now, const uint8_t *octets, uint32_t len)
{
    uint16_t from, to;
    uint32_t tag, took;
    struct sctp_tlv first;
    if (a->rx.reading)
        return IW_ESTATE;
    a->stats.dropped++; /* until it is known to be good */
    if (len < SCTP_HEAD + CHUNK_HEAD || len % 4 || !checksum_is_good(octets, len))
        return IW_EINVAL;
    iw_get32(iw_get16(iw_get16(octets, &from), &to), &tag);
    bool stranger = a->conf.remote_port || a->state != SCTP_CLOSED || a->finished;
    if (to != a->conf.local_port || !from || (stranger && from != a->remote_port))
        return IW_EINVAL;
    took = chunk_get(octets + SCTP_HEAD, len - SCTP_HEAD, a->conf.head_max, &first);
    if (!took)
        return IW_EINVAL;
    bool was_closed = a->state == SCTP_CLOSED;
    a->remote_port = from;
    if (!starts_here(a, now, &first, tag, took == len - SCTP_HEAD))
        return IW_EINVAL;
    bool used = was_closed; /* the COOKIE ECHO */
    a->rx.at = octets + SCTP_HEAD + (used ? took : 0);
    a->rx.left = len - SCTP_HEAD - (used ? took : 0);
    a->rx.reading = true;
    a->now = now;
    a->stats.dropped--;
    a->stats.packets_rx++;
    return IW_OK;
}

static bool next_chunk(struct sctp *a, struct sctp_tlv *chunk)
{
    uint32_t took = chunk_get(a->rx.at, a->rx.left, a->conf.head_max, chunk);
    a->rx.at += took;
    a->rx.left = took ? a->rx.left - took : 0;
    return took != 0;
}

bool sctp_take(struct sctp *a, struct sctp_in *in)
{
    struct sctp_tlv chunk;
    rx_settle(a);
    if (!a->rx.reading)
        return false;
    for (;;) {
        if (rx_drain(a, in))
            return true;
        if (!next_chunk(a, &chunk))
            break;
        if (chunk.type == SCTP_DATA ? rx_data(a, &chunk, in) : (control_came(a, a->now, &chunk), false))
            return true;
    }
    a->rx.reading = false;
    if (established(a) || a->state == SCTP_COOKIE_ECHOED)
        rx_packet_end(a, a->now);
    return false;
}

/* ---- packets out ---- */

static uint32_t finish_packet(struct sctp *a, uint8_t *out, uint32_t len, uint32_t *wire, uint32_t on_wire)
{
    LAW(len % 4 == 0 && len <= on_wire);
    put_checksum(out, len);
    LAW(checksum_is_good(out, len));
    a->stats.packets_tx++;
    if (wire)
        *wire = on_wire;
    return len;
}

static uint32_t transmit_reply(struct sctp *a, uint8_t *out, uint32_t *wire)
{
    uint32_t len = a->reply_len;
    memcpy(out, a->reply, len);
    a->reply_len = 0;
    return finish_packet(a, out, len, wire, len);
}

static void put_shutdown(const struct sctp *a, uint8_t *out, uint32_t *len)
{
    iw_put32(chunk_put(out, SCTP_SHUTDOWN, 0, CHUNK_HEAD + 4), a->rx.cum);
    *len += CHUNK_HEAD + 4;
}

/* The lowest wanted of the chunks that travel alone (but for SACK). */
static uint32_t transmit_wanted(struct sctp *a, iw_time now, uint8_t *out, uint32_t *wire)
{
    uint32_t len = SCTP_HEAD;
    unsigned want = a->want & (0u - a->want);
    a->want &= ~want;
    put_common_head(a, out, want == WANT_INIT ? 0 : a->peer.tag);
    if (a->rx.sack && want >= WANT_SHUTDOWN)
        rx_put_sack(a, out + len, &len);
    if (want == WANT_INIT)
        start_transmit_init(a, out + len, &len);
    if (want == WANT_COOKIE)
        start_transmit_cookie(a, out + len, &len);
    if (want == WANT_SHUTDOWN)
        put_shutdown(a, out + len, &len);
    if (want == WANT_SHUTDOWN_ACK) {
        chunk_put(out + len, SCTP_SHUTDOWN_ACK, 0, CHUNK_HEAD);
        len += CHUNK_HEAD;
    }
    if (want == WANT_HEARTBEAT)
        put_heartbeat(a, now, out + len, &len);
    else
        control_timer(a, now);
    LAW(len <= a->conf.mtu);
    return finish_packet(a, out, len, wire, len);
}

bool sctp_wants_control(const struct sctp *a)
{
    return a->reply_len || a->want || a->rx.sack;
}

bool sctp_wants_data(const struct sctp *a)
{
    return established(a) && tx_wants(a, IW_NEVER);
}

/* What goes before everything else. */
static uint32_t transmit_first(struct sctp *a, iw_time now, uint8_t *out, uint32_t *wire)
{
    if (a->reply_len)
        return transmit_reply(a, out, wire);
    return a->want ? transmit_wanted(a, now, out, wire) : 0;
}

static uint32_t transmit_chunks(struct sctp *a, iw_time now, bool sack, bool data, uint8_t *out,
                                uint32_t *wire)
{
    uint32_t len = SCTP_HEAD, on_wire;
    put_common_head(a, out, a->peer.tag);
    if (sack)
        rx_put_sack(a, out + len, &len);
    on_wire = len;
    if (data)
        tx_fill(a, now, out, &len, &on_wire);
    return len == SCTP_HEAD ? 0 : finish_packet(a, out, len, wire, on_wire);
}

uint32_t sctp_transmit_control(struct sctp *a, iw_time now, uint8_t *out, uint32_t *wire)
{
    uint32_t len = transmit_first(a, now, out, wire);
    return len || !a->rx.sack ? len : transmit_chunks(a, now, true, false, out, wire);
}

uint32_t sctp_transmit_data(struct sctp *a, iw_time now, uint8_t *out, uint32_t *wire)
{
    bool data = established(a) && tx_wants(a, now);
    return data ? transmit_chunks(a, now, false, true, out, wire) : 0;
}

uint32_t sctp_transmit(struct sctp *a, iw_time now, uint8_t *out, uint32_t *wire)
{
    uint32_t len = transmit_first(a, now, out, wire);
    bool data = established(a) && tx_wants(a, now);
    bool sack = a->rx.sack || (data && a->rx.sack_at != IW_NEVER && a->tx.next != a->tx.end);
    return len || (!sack && !data) ? len : transmit_chunks(a, now, sack, data, out, wire);
}
