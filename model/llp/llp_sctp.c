/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* llp_sctp.c -- DDP streams on an SCTP association (RFC 5043): a session on each stream, from set-up to Terminate.
 *
 *   key      the DDP-SSN in 64 bits; segments begin at 1, behind Initiate or Accept
 *   unit     a DATA chunk
 *   window   octets of the chunks' user data, all streams together; control chunks do not count
 *
 * Sessions, and what becomes of their segments, are in sctp_ddp.c: its functions are rows here. With in_order a segment
 * ahead of its turn is kept there. */
#include "engine/law.h"
#include "llp/sctp_ddp.h"

enum { RESERVE = 16, EVENTS = 64, UNSENT = 16 /* packets beside what is under way */ };
enum { TSN_AT = 4, STREAM_AT = 8, PPID_AT = 15, SSN_AT = 16 }; /* in a DATA chunk */

/* A stream, beside its session. */
struct lane {
    bool down;
    unsigned told; /* 1 << enum llp_event_kind: to be told */
    uint64_t sent; /* keys below have left at least once */
    /* in */
    struct llp_ring size; /* of the chunks from key `base` on, by key: uint32_t */
    uint64_t base, below; /* `below`: octets of all before `base` */
    struct llp_track track;
};

/* A segment that was sent again, should the peer say that it need not have been. */
struct again {
    uint64_t key;
    uint32_t tsn;
    uint16_t stream;
    bool used;
};

struct association {
    struct sctp_ddp d;
    struct sctp_conf sctp;
    struct lane *lane;
    uint32_t pending; /* what lanes have to tell */
    bool was_open;    /* a lane */
    /* out */
    uint64_t fast_seen, timeouts_seen, probes_seen;
    uint64_t fast;       /* retransmissions that follow from reports */
    struct again *again; /* by TSN % sctp.chunks */
    uint8_t *packet;
    /* in */
    const struct ip_packet *in;
    bool bad, data;   /* of that packet */
    uint32_t units;   /* given of it */
    uint64_t refused; /* sctp_stats.refused before it */
    uint32_t len;     /* of the chunk that came last */
    uint64_t received;
    /* what happened */
    struct llp_event event[EVENTS];
    struct llp_stats stats;
};

/* ---- configuration ---- */

static uint16_t power_of_two(uint64_t least)
{
    uint64_t n = SCTP_CHUNKS_MIN;
    while (n < least && n < SCTP_CHUNKS_MAX)
        n *= 2;
    return (uint16_t)n;
}

static uint64_t send_buffer(const struct llp_conf *c)
{
    return c->send_buffer ? c->send_buffer : c->window + UNSENT * (uint64_t)c->mtu;
}

static uint32_t most32(uint64_t n)
{
    return n < UINT32_MAX / 2 ? (uint32_t)n : UINT32_MAX / 2;
}

static void times(const struct llp_conf *c, struct sctp_conf *s)
{
    s->rto_min = c->min_rto ? c->min_rto : s->rto_min;
    s->rto_initial = s->rto_initial > s->rto_min ? s->rto_initial : s->rto_min;
    s->rto_max = c->max_rto ? c->max_rto : s->rto_max;
    s->rto_max = s->rto_max > s->rto_initial ? s->rto_max : s->rto_initial;
    s->sack_delay = c->delayed_ack_timeout ? c->delayed_ack_timeout : s->sack_delay;
    s->sack_every = c->delayed_ack ? c->delayed_ack : s->sack_every;
}

static uint32_t packet_room(uint32_t mtu)
{
    return mtu > IP_HEAD ? (mtu - IP_HEAD) & ~3u : 0;
}

/* A full segment leaves room in its packet for a bundled SACK; windows count the whole packet. */
void llp_sctp_sizes(const struct llp_form *form, struct llp_sizes *s)
{
    *s = (struct llp_sizes){.before = IP_HEAD + SCTP_HEAD, .head = SCTP_DATA_HEAD + SCTP_DDP_HEAD, .pad = 4};
    s->mss = form->mtu - IP_HEAD;
    s->full = packet_room(form->mtu);
    s->mulpdu = sctp_ddp_mulpdu_of(s->full, RESERVE);
    s->packet = llp_packet_octets(s, s->mulpdu);
    s->answer = IP_HEAD + SCTP_HEAD + SCTP_SACK_HEAD;
}

void llp_sctp_bare(struct llp_sizes *s)
{
    s->head = SCTP_DATA_HEAD;
    s->mulpdu = s->full > SCTP_OVERHEAD ? s->full - SCTP_OVERHEAD : 0;
    s->packet = llp_packet_octets(s, s->mulpdu);
}

static struct sctp_conf sctp_conf_of(const struct llp_conf *c)
{
    struct sctp_conf s;
    sctp_defaults(&s);
    if (c->sctp)
        s = *c->sctp;
    times(c, &s);
    s.local_port = c->local_port;
    s.remote_port = c->remote_port;
    s.mtu = packet_room(c->mtu);
    s.streams = c->streams ? c->streams : 1;
    uint32_t mtu = s.mtu ? s.mtu : 1;
    s.chunks = power_of_two(2 * (c->window + send_buffer(c)) / mtu + 2u * s.streams);
    s.head_max = c->real ? 0 : SCTP_DDP_HEAD_MAX;
    uint64_t store = send_buffer(c) > 2 * mtu ? send_buffer(c) : 2 * mtu;
    s.store = most32(store);
    s.hold = 0; /* of SCTP's own: all is unordered */
    s.rwnd = most32(c->window);
    s.adapts = true;
    s.adaptation = SCTP_DDP_INDICATION;
    s.secret[0] = c->secret;
    s.secret[1] = c->initiator;
    return s;
}

static struct sctp_ddp_conf ddp_conf_of(const struct sctp_conf *s)
{
    return (struct sctp_ddp_conf){.streams = s->streams,
                                  .reorder = s->chunks,
                                  .keep = s->chunks,
                                  .pending = s->streams,
                                  .reserve = RESERVE,
                                  .shut_down = true};
}

static const char *conf_error(const struct llp_conf *c)
{
    struct sctp_conf s = sctp_conf_of(c);
    struct sctp_ddp_conf d = ddp_conf_of(&s);
    if (c->go_back)
        return "SCTP acknowledges out-of-order data, so it cannot discard it";
    if (c->markers)
        return "SCTP has no markers";
    return sctp_conf_error(&s) ? sctp_conf_error(&s) : sctp_ddp_conf_error(&d);
}

static void *lay_out(struct carve *c, const struct llp_conf *conf)
{
    struct sctp_conf s = sctp_conf_of(conf);
    struct sctp_ddp_conf d = ddp_conf_of(&s);
    struct association *as = carve(c, sizeof *as);
    struct lane *lane = carve(c, s.streams * sizeof *lane);
    struct again *again = carve(c, s.chunks * sizeof *again);
    uint8_t *packet = carve(c, s.mtu);
    void *a = carve(c, sctp_size(&s));
    if (as)
        *as = (struct association){.sctp = s, .lane = lane, .again = again, .packet = packet};
    sctp_ddp_lay_out(as ? &as->d : NULL, c, &d, &s, as ? sctp_init(a, &s) : NULL);
    if (!as)
        return NULL;
    llp_object_init(&as->d.o, conf, as->event, EVENTS);
    for (uint32_t i = 0; i < s.chunks; i++)
        again[i].used = false;
    for (uint16_t i = 0; i < s.streams; i++) {
        lane[i] = (struct lane){.down = false};
        llp_track_init(&lane[i].track, &conf->track, 1, 1);
    }
    return as;
}

/* ---- what happens ---- */

static void tell_lane(struct association *as, uint16_t stream, enum llp_event_kind kind)
{
    LAW(!(as->lane[stream].told & 1u << kind)); /* `pending` counts the bits */
    as->lane[stream].told |= 1u << kind;
    as->pending++;
}

/* One of both, of the first stream that has it to tell. */
static bool told_lane(struct association *as, enum llp_event_kind one, enum llp_event_kind other,
                      struct llp_event *e)
{
    for (uint16_t i = 0; as->pending && i < as->sctp.streams; i++) {
        enum llp_event_kind kind = as->lane[i].told & 1u << one ? one : other;
        if (!(as->lane[i].told & 1u << kind))
            continue;
        LAW(as->pending);
        as->lane[i].told &= ~(1u << kind);
        as->pending--;
        *e = (struct llp_event){.kind = kind, .stream = i, .ord = as->d.o.ord, .ird = as->d.o.ird};
        return true;
    }
    return false;
}

static bool event(void *l, struct llp_event *e)
{
    struct association *as = l;
    return told_lane(as, LLP_EV_UP, LLP_EV_FAILED, e) || llp_told(&as->d.o, e) ||
           told_lane(as, LLP_EV_DOWN, LLP_EV_LOST, e);
}

static bool is_open(const struct association *as, uint16_t stream)
{
    return as->d.session[stream].opened && !as->lane[stream].down;
}

static enum llp_verdict lane_opens(struct association *as, uint16_t stream)
{
    as->was_open = true;
    as->lane[stream].sent = sctp_ddp_key(as, stream);
    tell_lane(as, stream, LLP_EV_UP);
    return LLP_NOTHING;
}

static void lane_ends(struct association *as, uint16_t stream, bool gracefully)
{
    enum llp_event_kind end = gracefully ? LLP_EV_DOWN : LLP_EV_LOST;
    if (as->lane[stream].down)
        return;
    as->lane[stream].down = true;
    tell_lane(as, stream, as->d.session[stream].opened ? end : LLP_EV_FAILED);
}

static void hear_association(struct association *as, iw_time now)
{
    struct sctp_event e;
    while (sctp_event(as->d.a, &e)) {
        if (e.kind == SCTP_EV_UP && sctp_ddp_usable(&as->d, now) && as->d.o.conf.initiator)
            for (uint16_t i = 0; i < as->sctp.streams; i++)
                sctp_ddp_initiate(&as->d, now, i, NULL, 0);
        for (uint16_t i = 0; e.kind >= SCTP_EV_DOWN && i < as->sctp.streams; i++)
            lane_ends(as, i, e.kind == SCTP_EV_DOWN);
    }
}

static void hear_losses(struct association *as)
{
    const struct sctp_stats *s = sctp_counters(as->d.a);
    bool fast = s->fast_retransmits != as->fast_seen, timeout = s->timeouts != as->timeouts_seen;
    LAW(s->fast_retransmits >= as->fast_seen && s->timeouts >= as->timeouts_seen);
    as->fast = timeout ? 0 : as->fast + s->fast_retransmits - as->fast_seen;
    as->fast_seen = s->fast_retransmits;
    as->timeouts_seen = s->timeouts;
    if (timeout)
        llp_tell(&as->d.o, (struct llp_event){.kind = LLP_EV_TIMEOUT, .reason = LLP_WHY_RTO});
    if (timeout || fast)
        llp_tell(&as->d.o, (struct llp_event){.kind = LLP_EV_CONGESTION,
                                              .reason = timeout ? LLP_WHY_RTO : LLP_WHY_DUPACK});
}

static void hear_spurious(struct association *as)
{
    uint32_t tsn;
    while (sctp_spurious(as->d.a, &tsn)) {
        const struct again *g = &as->again[tsn & (as->sctp.chunks - 1u)];
        if (!g->used || g->tsn != tsn)
            continue;
        as->stats.retransmits_spurious++;
        llp_tell(&as->d.o,
                 (struct llp_event){
                     .kind = LLP_EV_SPURIOUS, .stream = g->stream, .key = g->key, .end = g->key + 1});
    }
}

/* After anything: what the association says, which sessions have ended. */
static void settle_association(struct association *as, iw_time now)
{
    hear_association(as, now);
    hear_losses(as);
    hear_spurious(as);
    sctp_ddp_note_acked(&as->d, now);
    hear_association(as, now);
    for (uint16_t i = 0; i < as->sctp.streams; i++)
        if (is_open(as, i) && sctp_ddp_state(&as->d, i) == SCTP_DDP_CLOSED)
            lane_ends(as, i, true);
}

static void open_association(void *l, iw_time now)
{
    struct association *as = l;
    if (as->d.o.conf.initiator)
        sctp_connect(as->d.a, now);
}

/* A session knows no reset: its end is Terminate, whatever was asked for. */
static void close_stream(void *l, iw_time now, uint16_t stream, enum iw_llp_want how)
{
    struct association *as = l;
    if (how == IW_LLP_NOTHING)
        return;
    sctp_ddp_terminate(&as->d, now, stream);
    settle_association(as, now);
}

/* ---- out ---- */

static uint32_t mulpdu(const void *l, uint16_t stream)
{
    const struct association *as = l;
    return is_open(as, stream) ? sctp_ddp_mulpdu(&as->d) : 0;
}

static uint64_t key_after(const void *l, uint16_t stream, uint64_t at, uint32_t ulpdu, uint32_t *octets)
{
    (void)l;
    (void)stream;
    *octets = SCTP_DATA_HEAD + SCTP_DDP_HEAD + ulpdu;
    return at + 1;
}

/* The start-up of sessions is control: it is no segment. */
static unsigned parts_now(const struct association *as, unsigned parts)
{
    return as->was_open ? parts : parts & LLP_CONTROL ? LLP_ANY : 0;
}

static bool wants(const void *l, iw_time now, unsigned parts)
{
    const struct association *as = l;
    (void)now;
    parts = parts_now(as, parts);
    return (parts & LLP_CONTROL && sctp_wants_control(as->d.a)) ||
           (parts & LLP_DATA && sctp_wants_data(as->d.a));
}

/* ---- packets: the segments in them ---- */

struct cursor {
    const uint8_t *chunk;
    uint32_t at, size;
};

/* The next chunk with a segment; `head_max` as in sctp_conf. */
static bool next_segment(struct cursor *c, const uint8_t *packet, uint32_t len, uint32_t head_max)
{
    while (c->at + SSN_AT + SCTP_DDP_HEAD <= len) {
        uint16_t size_16;
        uint32_t keeps;
        c->chunk = packet + c->at;
        iw_get16(c->chunk + 2, &size_16);
        c->size = keeps = size_16;
        if (keeps < 4)
            return false;
        if (c->chunk[0] == SCTP_DATA && head_max && keeps > SCTP_DATA_HEAD + head_max)
            keeps = SCTP_DATA_HEAD + head_max;
        c->at += (keeps + 3) & ~3u;
        if (c->chunk[0] == SCTP_DATA && c->chunk[PPID_AT] == SCTP_DDP_PPID_SEGMENT)
            return true;
    }
    return false;
}

/* A segment leaves. True: again. */
static bool note_sent(struct association *as, const uint8_t *chunk)
{
    uint16_t stream, ssn;
    uint32_t tsn;
    iw_get32(chunk + TSN_AT, &tsn);
    iw_get16(chunk + STREAM_AT, &stream);
    iw_get16(chunk + SSN_AT, &ssn);
    struct lane *lane = &as->lane[stream];
    struct llp_event e = {.kind = LLP_EV_SENT, .stream = stream, .key = sctp_ddp_unwrap(lane->sent, ssn)};
    bool again = e.key < lane->sent;
    e.end = e.key + 1;
    if (again) {
        e.kind = LLP_EV_RETRANSMITTED;
        e.reason = as->fast ? LLP_WHY_DUPACK : LLP_WHY_RTO;
        as->fast -= as->fast != 0;
        as->stats.retransmits++;
        as->again[tsn & (as->sctp.chunks - 1u)] =
            (struct again){.key = e.key, .tsn = tsn, .stream = stream, .used = true};
    } else {
        lane->sent = e.end;
        as->stats.segments++;
    }
    LAW(lane->sent <= sctp_ddp_key(as, stream)); /* what left was queued */
    if (again || !as->d.o.conf.quiet)
        llp_tell(&as->d.o, e);
    return again;
}

static bool transmit(void *l, iw_time now, unsigned parts, struct ip_packet *out, struct llp_sent *sent)
{
    typedef uint32_t transmits(struct sctp *, iw_time, uint8_t *, uint32_t *);
    static transmits *const by_parts[LLP_ANY + 1] = {
        [LLP_CONTROL] = sctp_transmit_control, [LLP_DATA] = sctp_transmit_data, [LLP_ANY] = sctp_transmit};
    struct association *as = l;
    unsigned which = parts_now(as, parts);
    uint32_t wire, len = which ? by_parts[which](as->d.a, now, as->packet, &wire) : 0;
    *sent = (struct llp_sent){0};
    if (!len)
        return false;
    LAW(len <= wire && wire <= as->sctp.mtu);
    *out = (struct ip_packet){.size = IP_HEAD + wire,
                              .direction = !as->d.o.conf.initiator,
                              .protocol = IP_PROTOCOL_SCTP,
                              .head = (uint16_t)len,
                              .octets = as->packet};
    struct cursor c = {.at = SCTP_HEAD};
    while (next_segment(&c, as->packet, len, as->sctp.head_max)) {
        sent->again |= note_sent(as, c.chunk);
        sent->octets += c.size;
    }
    sent->data = sent->octets != 0;
    const struct sctp_stats *s = sctp_counters(as->d.a);
    if (s->probes != as->probes_seen)
        llp_tell(&as->d.o, (struct llp_event){.kind = LLP_EV_PROBE});
    as->probes_seen = s->probes;
    return true;
}

static enum llp_bound bound(const void *l, iw_time now)
{
    const struct association *as = l;
    const struct sctp_stats *s = sctp_statistics(as->d.a);
    uint32_t unsent = sctp_unsent(as->d.a), most = sctp_message_max(as->d.a);
    uint32_t len = unsent < most ? unsent : most;
    (void)now;
    if (!unsent)
        return s->outstanding && !sctp_has_room(as->d.a) ? LLP_BY_SEND_BUFFER : LLP_IDLE;
    if (len > s->peer_rwnd)
        return LLP_BY_WINDOW;
    return s->flight + len > s->cwnd ? LLP_BY_CONGESTION : LLP_FREE;
}

/* ---- in: chunks ---- */

static uint32_t *size_at(const struct lane *lane, uint64_t key)
{
    return (uint32_t *)lane->size.at + (key & (lane->size.slots - 1));
}

/* Room to remember the chunk `key`. */
static bool room_for_chunk(struct association *as, struct lane *lane, uint64_t key)
{
    struct llp_ring *size = &lane->size;
    while (key >= lane->base && key - lane->base >= size->slots)
        if (!llp_ring_grow(&as->d.o, size, sizeof(uint32_t), lane->base, size->slots))
            return false;
    LAW(key < lane->base || key - lane->base < size->slots);
    return true;
}

static enum llp_verdict refuse_chunk(struct association *as)
{
    sctp_refuse(as->d.a);
    return LLP_REFUSED;
}

static enum llp_verdict note_here(struct association *as, const struct llp_unit *u)
{
    *size_at(&as->lane[u->stream], u->key) = as->len;
    as->received += as->len;
    return LLP_TAKEN;
}

/* A segment ahead of its turn. */
static bool is_remembered(struct association *as, struct llp_unit *u)
{
    bool may =
        llp_track_may(&as->lane[u->stream].track, &as->d.o, as->d.session[u->stream].front, u->key, u->end);
    u->why = may ? LLP_FOR_ROOM : LLP_FOR_TRACK;
    return may;
}

static enum llp_verdict take_segment(struct association *as, uint64_t room, struct llp_unit *u)
{
    struct llp_waiting *w = &as->d.session[u->stream].waiting;
    bool waits = as->d.o.conf.in_order && !w->came.in_order;
    w->has_came = u->in_order || (room >= u->octets && is_remembered(as, u));
    if (!w->has_came || (waits && sctp_ddp_wait(&as->d, u->stream) != IW_OK))
        return refuse_chunk(as);
    if (!u->in_order)
        llp_track_took(&as->lane[u->stream].track, u->key, u->end);
    return note_here(as, u);
}

/* The ULP takes every session, but one on each stream. */
static enum llp_verdict initiated(struct association *as, iw_time now, uint16_t stream)
{
    if (!as->d.session[stream].opened &&
        sctp_ddp_decide(&as->d, now, stream, SCTP_DDP_ACCEPT, NULL, 0) == IW_OK)
        return lane_opens(as, stream);
    sctp_ddp_decide(&as->d, now, stream, SCTP_DDP_REJECT, NULL, 0);
    return LLP_NOTHING;
}

static enum llp_verdict take_chunk(struct association *as, iw_time now, uint64_t room,
                                   const struct sctp_in *in, struct llp_unit *u)
{
    struct sctp_ddp_told said;
    bool waits = u->octets && sctp_ddp_state(&as->d, u->stream) == SCTP_DDP_INITIATING;
    if ((waits && room < u->octets) || (u->octets && !room_for_chunk(as, &as->lane[u->stream], u->key)))
        return refuse_chunk(as);
    switch (sctp_ddp_receive(&as->d, now, in, &said)) {
    case SCTP_DDP_REFUSED: return refuse_chunk(as);
    case SCTP_DDP_INITIATED: return initiated(as, now, u->stream);
    case SCTP_DDP_ACCEPTED: return lane_opens(as, u->stream);
    case SCTP_DDP_SEGMENTS: return take_segment(as, room, u);
    case SCTP_DDP_EARLY: return note_here(as, u);
    default: return LLP_NOTHING;
    }
}

/* Where a segment stands. */
static void place_segment(const struct association *as, const uint8_t *chunk_ssn, uint16_t stream,
                          uint32_t len, struct llp_unit *u)
{
    uint64_t front = as->d.session[stream].front;
    uint16_t ssn;
    iw_get16(chunk_ssn, &ssn);
    u->stream = stream;
    u->octets = SCTP_DATA_HEAD + len;
    u->key = sctp_ddp_unwrap(front, ssn);
    u->end = u->key + 1;
    u->in_order = u->key <= front;
}

static bool is_segment(const struct association *as, const struct sctp_in *in)
{
    return in->ppid == SCTP_DDP_PPID_SEGMENT && in->kept >= SCTP_DDP_HEAD && in->stream < as->sctp.streams;
}

/* Octets of staging that a packet takes. */
static uint32_t staged(const struct ip_packet *in)
{
    for (uint32_t at = SCTP_HEAD; in->protocol == IP_PROTOCOL_SCTP && at + 4 <= in->head;) {
        uint16_t len;
        iw_get16(in->octets + at + 2, &len);
        if (in->octets[at] == SCTP_DATA && len > SCTP_DATA_HEAD)
            return in->size > IP_HEAD + SCTP_HEAD ? in->size - IP_HEAD - SCTP_HEAD : 0;
        if (len < 4)
            return 0;
        at += (len + 3u) & ~3u;
    }
    return 0;
}

static void peek(const void *l, const struct ip_packet *in, struct llp_unit *first)
{
    const struct association *as = l;
    struct cursor c = {.at = SCTP_HEAD};
    uint16_t stream;
    *first = (struct llp_unit){.verdict = LLP_NOTHING, .in_order = true};
    uint32_t octets = staged(in);
    if (octets && next_segment(&c, in->octets, in->head, as->sctp.head_max)) {
        iw_get16(c.chunk + STREAM_AT, &stream);
        if (stream < as->sctp.streams)
            place_segment(as, c.chunk + SSN_AT, stream, c.size > SCTP_DATA_HEAD ? c.size - SCTP_DATA_HEAD : 0,
                          first);
    }
    first->octets = octets;
}

static void arrive(void *l, iw_time now, const struct ip_packet *in)
{
    struct association *as = l;
    bool ours = in->protocol == IP_PROTOCOL_SCTP && !in->trimmed && in->head + (uint32_t)IP_HEAD <= in->size;
    bool altered = in->altered && !as->d.o.conf.real; /* its checksum would not match */
    sctp_ddp_advance(&as->d);
    as->in = in;
    as->units = 0;
    as->data = staged(in);
    as->refused = sctp_counters(as->d.a)->refused;
    as->bad = !ours || altered || sctp_receive(as->d.a, now, in->octets, in->head) != IW_OK;
    as->stats.crc_errors += as->bad && as->data;
}

/* What is said of a packet none of whose chunks was given. */
static enum llp_verdict last_verdict(const struct association *as)
{
    if (!as->data)
        return LLP_NOTHING;
    if (as->bad)
        return LLP_BAD;
    return sctp_counters(as->d.a)->refused != as->refused ? LLP_REFUSED : LLP_DUPLICATE;
}

static enum llp_verdict unit(void *l, iw_time now, uint64_t room, struct llp_unit *u)
{
    struct association *as = l;
    struct sctp_in in;
    sctp_ddp_advance(&as->d);
    *u = (struct llp_unit){.verdict = LLP_END, .in_order = true};
    if (!as->in)
        return LLP_END;
    if (!as->bad && sctp_take(as->d.a, &in)) {
        as->units++;
        as->len = in.len;
        u->stream = in.stream;
        if (is_segment(as, &in))
            place_segment(as, in.octets, in.stream, in.len, u);
        u->verdict = in.stream < as->sctp.streams ? take_chunk(as, now, room, &in, u) : LLP_NOTHING;
        return u->verdict;
    }
    if (!as->units) {
        peek(as, as->in, u);
        u->verdict = last_verdict(as);
    }
    as->in = NULL;
    settle_association(as, now);
    return u->verdict;
}

/* ---- in: segments ---- */

static int keep(void *l, uint16_t stream)
{
    struct association *as = l;
    int result = sctp_ddp_keep(l, stream);
    if (result == IW_EFULL) {
        LAW(as->received >= as->len);
        as->received -= as->len;
        sctp_refuse(as->d.a);
    }
    return result;
}

static enum llp_end ended(void *l, uint16_t stream)
{
    struct association *as = l;
    sctp_ddp_edge(l, stream);
    return as->d.session[stream].opened && sctp_ddp_peer_ended(&as->d, stream) ? LLP_FIN : LLP_OPEN;
}

/* ---- window ---- */

static uint64_t received(const void *l)
{
    return ((const struct association *)l)->received;
}

static uint64_t octets_below(void *l, uint16_t stream, uint64_t key)
{
    struct lane *lane = &((struct association *)l)->lane[stream];
    for (; lane->size.slots && lane->base < key; lane->base++) {
        lane->below += *size_at(lane, lane->base);
        *size_at(lane, lane->base) = 0;
    }
    LAW(lane->below <= received(l));
    return lane->below;
}

static void credit(void *l, iw_time now, uint64_t window, bool say_so)
{
    (void)say_so; /* SCTP knows when an update is worth it */
    sctp_credit(((struct sctp_ddp *)l)->a, now, most32(window));
}

/* ---- time, looking on ---- */

static iw_time deadline(const void *l)
{
    return sctp_deadline(((const struct sctp_ddp *)l)->a);
}

static void expire(void *l, iw_time now)
{
    struct association *as = l;
    sctp_expire(as->d.a, now);
    settle_association(as, now);
}

static void statistics(const void *l, struct llp_stats *stats)
{
    const struct association *as = l;
    const struct sctp_stats *s = sctp_statistics(as->d.a);
    *stats = as->stats;
    stats->timeouts = s->timeouts;
    stats->cwnd = s->cwnd;
    stats->flight = s->flight;
    stats->ssthresh = s->ssthresh;
    stats->srtt = s->srtt;
}

static struct llp_track *track(void *l, uint16_t stream)
{
    return &((struct association *)l)->lane[stream].track;
}

static uint64_t edge(void *l, uint16_t stream)
{
    struct association *as = l;
    uint64_t front = as->d.session[stream].front, at = sctp_ddp_edge(&as->d, stream);
    llp_track_passed(&as->lane[stream].track, at > front ? at : front);
    return at;
}

static uint32_t beyond(const void *l, uint64_t (*run)[2], uint32_t max)
{
    return sctp_runs(((const struct association *)l)->d.a, run, max);
}

const struct llp llp_sctp = {
    .name = "sctp",
    .has = LLP_STREAMS | LLP_SACK | LLP_HANDSHAKE,
    .protocol = IP_PROTOCOL_SCTP,
    .sizes = llp_sctp_sizes,
    .conf_error = conf_error,
    .lay_out = lay_out,
    .open = open_association,
    .close = close_stream,
    .mulpdu = mulpdu,
    .has_room = sctp_ddp_has_room,
    .key = sctp_ddp_key,
    .key_after = key_after,
    .send = sctp_ddp_send,
    .wants = wants,
    .transmit = transmit,
    .acked = sctp_ddp_acked,
    .bound = bound,
    .peek = peek,
    .staged = staged,
    .arrive = arrive,
    .unit = unit,
    .next = sctp_ddp_next,
    .keep = keep,
    .again = sctp_ddp_again,
    .edge = edge,
    .ended = ended,
    .received = received,
    .octets_below = octets_below,
    .credit = credit,
    .deadline = deadline,
    .expire = expire,
    .event = event,
    .statistics = statistics,
    .beyond = beyond,
    .track = track,
};
