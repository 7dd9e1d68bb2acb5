/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* llp_tcp.c -- MPA over TCP: the handshake, MPA's start-up on the first octets, then one FPDU in one record.
 *
 *   TCP's stream   | Request or Reply | FPDU | FPDU | ...       offset 0 of MPA is `base` of TCP, each way
 *
 * Of a packet with data MPA decides first whether it can be taken; only then does TCP hear of it. */
#include <string.h>

#include "engine/carve.h"
#include "engine/law.h"
#include "engine/least.h"
#include "llp/llp_mpa.h"
#include "llp/tcp_inner.h"

/* LATE_TICKS: both ends tick in microseconds, and 2^31 octets take 43 ms at 400 Gb/s. NOTE_ROOM: all but Requests of Reads and Atomics and
 * Terminates; a frame of start-up without private data. */
enum {
    RECORDS = 4,
    NOTE_ROOM = 24,
    STORE = 64,
    STORE_MORE = 8192,
    RANGES = 16,
    REPEATS = 16,
    LATE_TICKS = 40000,
    EVENTS = 8,
    HEADS = IP_HEAD + TCP_HEAD
};

enum phase {
    CONNECTING,
    STARTING, /* MPA's start-up */
    FULL,
    ENDED /* start-up failed, or the connection is gone */
};

struct connection {
    struct llp_mpa mpa; /* `open`: the phase is FULL */
    struct tcp *tcp;
    uint64_t tx_base, rx_base; /* of TCP's stream */
    enum phase phase;
    bool granted, down;   /* down: TCP is */
    bool begun;           /* all of start-up has left: what is sent are FPDUs */
    uint64_t retransmits; /* TCP's, before the last packet */
    uint8_t *packet;      /* being sent; NULL: none was */
    uint8_t *frame;       /* room to make an FPDU in; NULL: none was made */
    /* in */
    const struct ip_packet *in;
    uint64_t bad; /* packets with data that cannot be read: length, checksum, ports */
    union {
        struct { /* until the phase is FULL */
            struct mpa_start start;
            uint8_t frames[2 * MPA_FRAME_LEAST];
        };
        struct llp_event event[EVENTS]; /* from then on */
    };
};

/* ---- configuration and memory ---- */

static struct tcp_conf tcp_conf_of(const struct llp_conf *c)
{
    struct tcp_conf t;
    tcp_defaults(&t);
    if (c->tcp)
        t = *c->tcp;
    t.local_address = c->source;
    t.remote_address = c->destination;
    t.local_port = c->local_port;
    t.remote_port = c->remote_port;
    t.mtu = c->mtu < UINT16_MAX ? (uint16_t)c->mtu : UINT16_MAX;
    t.iss = (uint32_t)(c->secret ^ c->secret >> 32);
    t.note_max = c->real ? 0 : LLP_NOTE_MAX;
    t.note_room = NOTE_ROOM;
    t.window_shift = llp_window_shift(c->window);
    t.go_back_n = c->go_back;
    t.whole = c->crc_drop || c->trust_alignment; /* a part of an FPDU would pass for an altered one */
    t.delayed_ack = c->delayed_ack > UINT8_MAX ? UINT8_MAX
                    : c->delayed_ack           ? (uint8_t)c->delayed_ack
                                               : t.delayed_ack;
    t.delayed_ack_timeout = c->delayed_ack_timeout ? c->delayed_ack_timeout : t.delayed_ack_timeout;
    t.min_rto = c->min_rto ? c->min_rto : t.min_rto;
    t.initial_rto = t.initial_rto > t.min_rto ? t.initial_rto : t.min_rto;
    t.max_rto = c->max_rto ? c->max_rto : t.max_rto;
    t.max_rto = t.max_rto > t.initial_rto ? t.max_rto : t.initial_rto;
    t.records = RECORDS;
    t.store = c->real ? STORE : 0;
    t.ranges = t.repeats = 0;
    t.late_ticks = LATE_TICKS;
    return t;
}

static struct mpa_start_conf start_conf_of(const struct llp_conf *c)
{
    return (struct mpa_start_conf){.role = c->initiator ? MPA_INITIATOR : MPA_RESPONDER,
                                   .kind = c->rdmac ? MPA_RDMAC : MPA_IETF,
                                   .markers = c->markers,
                                   .no_crc = !c->crc,
                                   .enhanced = !c->rdmac,
                                   .rtr = c->initiator ? 0 : MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ,
                                   .ird = c->ird,
                                   .ird_max = c->ird,
                                   .ord = c->ord,
                                   .timeout = c->start_timeout};
}

void llp_tcp_sizes(const struct llp_form *form, struct llp_sizes *sizes)
{
    llp_mpa_sizes(form, HEADS + (form->timestamps ? TCP_OPTION_TIMESTAMPS : 0), sizes);
}

static const char *conf_error(const struct llp_conf *c)
{
    struct tcp_conf t = tcp_conf_of(c);
    struct mpa_start_conf start = start_conf_of(c);
    if (c->mtu > TCP_MTU_MAX)
        return "mtu must be 576 .. 65535";
    if (c->send_buffer && c->send_buffer < 2 * (uint64_t)c->mtu)
        return "send_buffer below two packets";
    if (tcp_conf_error(&t))
        return tcp_conf_error(&t);
    return mpa_start_conf_error(&start) ? mpa_start_conf_error(&start)
                                        : llp_mpa_conf_error(c, c->mtu - HEADS);
}

static void *lay_out(struct carve *c, const struct llp_conf *conf)
{
    struct tcp_conf t = tcp_conf_of(conf);
    struct connection *n = carve(c, sizeof *n);
    void *tcp = carve_line(c, tcp_size(&t));
    if (!n)
        return NULL;
    *n = (struct connection){.phase = CONNECTING, .tcp = tcp_init(tcp, &t)};
    llp_object_init(&n->mpa.o, conf, n->event, EVENTS);
    n->mpa.o.wait_first = !conf->initiator;
    return n;
}

static bool grow_table(struct connection *n, enum tcp_table table, uint32_t entries)
{
    void *old, *memory = llp_more(&n->mpa.o, tcp_table_octets(n->tcp, table, entries));
    return memory && tcp_table_move(n->tcp, table, memory, entries, &old) == IW_OK;
}

/* Room for a note of `len` octets. */
static bool room_for_note(struct connection *n, uint32_t len)
{
    if (n->mpa.o.conf.real || len <= tcp_note_room(n->tcp))
        return true;
    void *memory = llp_more(&n->mpa.o, tcp_widen_octets(n->tcp));
    if (memory)
        tcp_widen(n->tcp, memory);
    return memory;
}

/* Room for one record of `len` octets, or a note of `note` for it. */
static bool room_for_record(struct connection *n, uint32_t len, uint32_t note)
{
    if (!room_for_note(n, note))
        return false;
    if (tcp_room(n->tcp, len))
        return true;
    uint32_t store = tcp_table_entries(n->tcp, TCP_STORE), used = tcp_table_used(n->tcp, TCP_STORE);
    uint32_t records = tcp_table_entries(n->tcp, TCP_RECORDS);
    if (tcp_table_used(n->tcp, TCP_RECORDS) + 3 > records && !grow_table(n, TCP_RECORDS, records * 2))
        return false;
    while (n->mpa.o.conf.real && store < used + len)
        store = store < STORE_MORE ? STORE_MORE : store * 2;
    if (store != tcp_table_entries(n->tcp, TCP_STORE) && !grow_table(n, TCP_STORE, store))
        return false;
    return tcp_room(n->tcp, len);
}

/* Room for one more range out of order. False: there was, or there is to be none. */
static bool make_range(struct connection *n)
{
    uint32_t entries = tcp_table_entries(n->tcp, TCP_RANGES), used = tcp_table_used(n->tcp, TCP_RANGES);
    bool may = used == entries && !n->mpa.o.conf.go_back && used < n->mpa.o.conf.reorder;
    return may && grow_table(n, TCP_RANGES, entries ? entries * 2 : RANGES);
}

/* And for the next repetition: without it the oldest is forgotten. */
static void make_repeat(struct connection *n)
{
    uint32_t entries = tcp_table_entries(n->tcp, TCP_REPEATS);
    if (tcp_table_used(n->tcp, TCP_REPEATS) >= entries)
        grow_table(n, TCP_REPEATS, entries ? entries * 2 : REPEATS);
}

/* ---- what happens ---- */

static bool event(void *l, struct llp_event *e)
{
    struct connection *n = l;
    struct llp_object *o = &n->mpa.o;
    bool down = n->down && !o->told_down;
    bool some = llp_told(o, e) || (down && llp_mpa_ended(l, 0) != LLP_OPEN && llp_told_down(o, e));
    o->face.told = some || down;
    return some;
}

static void fail_connection(struct connection *n, int term)
{
    n->phase = ENDED;
    n->mpa.o.failed = n->mpa.o.face.told = true;
    n->mpa.o.term = term;
}

/* ---- start-up ---- */

static int append_octets(struct connection *n, iw_time now, const uint8_t *octets, uint32_t len,
                         uint32_t carried)
{
    struct iw_frag frag = {octets, len};
    return n->mpa.o.conf.real ? tcp_append(n->tcp, now, &frag, 1)
                              : tcp_append_note(n->tcp, now, len, octets, carried);
}

static void note_begun(struct connection *n)
{
    n->begun = n->phase == FULL && sent_of(n->tcp) >= n->tx_base;
}

static void enter_full(struct connection *n)
{
    LAW(n->phase == STARTING && n->start.state == MPA_FULL);
    const struct mpa_agreement agreed = n->start.agreed;
    struct llp_object *o = &n->mpa.o;
    struct llp_mpa_terms terms = {agreed.markers_tx, agreed.markers_rx, agreed.crc};
    n->phase = FULL;
    n->tx_base = appended_of(n->tcp);
    o->ord = agreed.ord < o->ord ? agreed.ord : o->ord;
    o->ird = agreed.ird < o->ird ? agreed.ird : o->ird;
    llp_mpa_init(&n->mpa, tcp_mss(n->tcp), &terms);
    o->up = o->open = o->face.told = true;
    note_begun(n);
    LAW(!mpa_key(&n->mpa.tx) && n->rx_base <= received_of(n->tcp));
}

/* Both keys begin with "MP" (RFC 5044 7.1.1): a note leaves it out, for TCP puts two octets of its own before it. */
enum { KEY_LEFT_OUT = 2 };

static int append_frame(struct connection *n, iw_time now, const uint8_t *frame, uint32_t len)
{
    return n->mpa.o.conf.real ? append_octets(n, now, frame, len, len)
                              : append_octets(n, now, frame + KEY_LEFT_OUT, len, len - KEY_LEFT_OUT);
}

/* What start-up wants to say, and where it has come to. */
static void continue_startup(struct connection *n, iw_time now)
{
    uint8_t frame[MPA_FRAME_MAX];
    if (n->start.state == MPA_DECIDE)
        mpa_accept(&n->start, NULL, 0);
    uint32_t len = mpa_start_out(&n->start, frame);
    bool said =
        !len || (room_for_record(n, len, len - KEY_LEFT_OUT) && append_frame(n, now, frame, len) == IW_OK);
    if (said && n->start.state == MPA_FULL) {
        enter_full(n);
    } else if (!said || n->start.state == MPA_FAILED || n->start.state == MPA_REJECTED) {
        fail_connection(n, n->start.term);
        tcp_close(n->tcp, now);
    }
}

static void begin_startup(struct connection *n, iw_time now)
{
    struct mpa_start_conf conf = start_conf_of(&n->mpa.o.conf);
    conf.frames = n->frames;
    conf.frame_max = MPA_FRAME_LEAST;
    mpa_start(&n->start, now, &conf);
    n->phase = STARTING;
    continue_startup(n, now);
}

/* ---- what TCP says ---- */

static struct llp_event of_record(const struct connection *n, const struct tcp_event *from)
{
    static const enum llp_reason reasons[TCP_WHYS] = {[TCP_WHY_DUPACK] = LLP_WHY_DUPACK,
                                                      [TCP_WHY_RACK] = LLP_WHY_RACK,
                                                      [TCP_WHY_TLP] = LLP_WHY_TLP,
                                                      [TCP_WHY_RTO] = LLP_WHY_RTO,
                                                      [TCP_WHY_GO_BACK] = LLP_WHY_GO_BACK};
    uint64_t key = from->offset > n->tx_base ? from->offset - n->tx_base : 0;
    return (struct llp_event){.reason = reasons[from->why], .key = key, .end = key + from->len};
}

static void hear_record(struct connection *n, const struct tcp_event *from)
{
    static const enum llp_event_kind kinds[TCP_EV_KINDS] = {
        [TCP_EV_RETRANSMITTED] = LLP_EV_RETRANSMITTED,
        [TCP_EV_SPURIOUS] = LLP_EV_SPURIOUS,
        [TCP_EV_TIMEOUT] = LLP_EV_TIMEOUT,
        [TCP_EV_TIMEOUT_SPURIOUS] = LLP_EV_TIMEOUT_SPURIOUS,
        [TCP_EV_REDUCED] = LLP_EV_CONGESTION,
        [TCP_EV_UNDONE] = LLP_EV_UNDONE,
        [TCP_EV_STALLED] = LLP_EV_STALLED,
        [TCP_EV_PROBED] = LLP_EV_PROBE,
    };
    bool of_data = from->kind == TCP_EV_RETRANSMITTED || from->kind == TCP_EV_SPURIOUS;
    struct llp_event e = of_record(n, from);
    e.kind = kinds[from->kind];
    bool of_stream = from->offset >= n->tx_base && from->offset < appended_of(n->tcp);
    if (n->phase == FULL && (of_stream || !of_data))
        llp_tell(&n->mpa.o, e);
}

static void hear_end(struct connection *n, iw_time now, enum tcp_event_kind kind)
{
    bool up = n->phase == FULL;
    if (n->phase == ENDED)
        return;
    if (kind == TCP_EV_FIN) {
        if (up)
            llp_mpa_fin(&n->mpa, received_of(n->tcp) - n->rx_base);
        else if (n->phase == STARTING)
            mpa_start_lost(&n->start), continue_startup(n, now);
        return;
    }
    if (!up)
        fail_connection(n, n->phase == STARTING ? IW_T_LLP_LOST : 0);
    else if (kind == TCP_EV_DOWN)
        n->down = true;
    else
        n->mpa.o.lost = !n->down;
    n->mpa.o.face.told = true;
}

static void hear_tcp(struct connection *n, iw_time now)
{
    struct tcp_event e;
    while (tcp_event(n->tcp, &e)) {
        if (e.kind == TCP_EV_UP)
            begin_startup(n, now);
        else if (e.kind <= TCP_EV_LOST)
            hear_end(n, now, e.kind);
        else
            hear_record(n, &e);
    }
}

static inline void settle_connection(struct connection *n, iw_time now)
{
    if (tcp_has_event(n->tcp))
        hear_tcp(n, now);
}

/* ---- life ---- */

static void open_connection(void *l, iw_time now)
{
    struct connection *n = l;
    if (!n->granted)
        tcp_credit(n->tcp, now, n->mpa.o.conf.window, false);
    if (n->mpa.o.conf.initiator)
        tcp_connect(n->tcp, now);
    else
        tcp_listen(n->tcp);
}

static void close_stream(void *l, iw_time now, uint16_t stream, enum iw_llp_want how)
{
    struct connection *n = l;
    (void)stream;
    n->mpa.o.finish |= how != IW_LLP_NOTHING;
    if (how == IW_LLP_SEND_FIN)
        tcp_close(n->tcp, now);
    if (how == IW_LLP_SEND_RST)
        tcp_abort(n->tcp, now);
    settle_connection(n, now);
}

/* ---- out ---- */

static bool may_send(const struct connection *n)
{
    enum tcp_state state = tcp_state(n->tcp);
    return llp_may_send(&n->mpa.o) && (state == TCP_ESTABLISHED || state == TCP_CLOSE_WAIT);
}

/* Would one more full segment, behind `octets` that were pulled, be more than it holds? */
static bool buffer_is_full(const struct connection *n, uint64_t octets)
{
    uint64_t most_of_it = n->mpa.o.conf.send_buffer;
    uint64_t more = octets + n->mpa.tx.emss;
    return most_of_it && appended_of(n->tcp) - acked_of(n->tcp) + more > most_of_it;
}

static bool has_room(const void *l, uint16_t stream, uint32_t pulled, uint64_t octets)
{
    const struct connection *n = l;
    (void)stream;
    (void)pulled;
    return may_send(n) && appended_of(n->tcp) - sent_of(n->tcp) < n->mpa.tx.emss &&
           !buffer_is_full(n, octets);
}

/* Without markers the payload is copied once, into TCP's store. */
static int append_plain(struct connection *n, iw_time now, const struct iw_seg *seg,
                        const struct mpa_gather *g)
{
    struct iw_frag frag[IW_FRAGS_MAX + 2] = {{g->head, g->head_len}};
    uint32_t frags = 1;
    for (uint8_t i = 0; i < seg->frags; i++)
        frag[frags++] = seg->frag[i];
    frag[frags++] = (struct iw_frag){g->tail, g->tail_len};
    return tcp_append(n->tcp, now, frag, frags);
}

static bool has_packet(struct connection *n)
{
    if (!n->packet)
        n->packet = llp_more(&n->mpa.o, tcp_packet_max(n->tcp));
    return n->packet;
}

/* Room for one that is made of octets; NULL: no memory. */
static uint8_t *frame_of(struct connection *n)
{
    if (!n->frame)
        n->frame = llp_more(&n->mpa.o, n->mpa.tx.emss);
    return n->frame;
}

/* Not in the packet: who has it may still read it. */
static int append_framed(struct connection *n, iw_time now, const struct iw_seg *seg, enum llp_wrong how,
                         uint32_t len)
{
    uint8_t note[LLP_NOTE_MAX], *frame = n->mpa.o.conf.real ? frame_of(n) : note;
    if (!frame)
        return IW_EFULL;
    uint32_t carried = llp_mpa_frame(&n->mpa, seg, how, frame);
    return carried ? append_octets(n, now, frame, len, carried) : IW_EINVAL;
}

/* What MPA framed is what TCP was given. */
static bool is_all_appended(const struct connection *n)
{
    return n->tx_base + mpa_key(&n->mpa.tx) == appended_of(n->tcp);
}

static int send(void *l, iw_time now, uint16_t stream, const struct iw_seg *seg, enum llp_wrong how)
{
    struct connection *n = l;
    struct mpa_gather g;
    (void)stream;
    if (!may_send(n))
        return IW_ESTATE;
    uint64_t at = mpa_key(&n->mpa.tx);
    uint32_t len = seg->payload_len <= n->mpa.tx.emss
                       ? llp_mpa_fpdu_len(&n->mpa, at, seg->head_len + seg->payload_len)
                       : 0;
    if (!len || seg->key != at)
        return IW_EINVAL;
    if (!room_for_record(n, len, LLP_NOTE_HEAD + mpa_head_most(seg)))
        return IW_EFULL;
    LAW(is_all_appended(n));
    int result = llp_mpa_gather(&n->mpa, seg, how, &g) ? append_plain(n, now, seg, &g)
                                                       : append_framed(n, now, seg, how, len);
    LAW(is_all_appended(n) && (result != IW_OK || mpa_key(&n->mpa.tx) == at + len));
    return result;
}

static uint32_t head_of(const struct ip_packet *p)
{
    return (p->octets[12] >> 4) * 4u;
}

/* Octets of payload. */
static uint32_t payload_of(const struct ip_packet *in)
{
    if (in->protocol != IP_PROTOCOL_TCP || in->head < TCP_HEAD || in->trimmed)
        return 0;
    uint32_t head = head_of(in);
    return head >= TCP_HEAD && in->size > IP_HEAD + head ? in->size - IP_HEAD - head : 0;
}

/* MPA's start-up is control: it is no segment. */
static unsigned parts_now(const struct connection *n, unsigned parts)
{
    return n->begun ? parts : parts & LLP_CONTROL ? LLP_ANY : 0;
}

static bool wants(const void *l, iw_time now, unsigned parts)
{
    const struct connection *n = l;
    parts = parts_now(n, parts);
    if (parts == LLP_ANY)
        return wants_control(n->tcp) || (has_to_send(n->tcp) && tcp_wants_data(n->tcp, now));
    return parts == LLP_CONTROL ? wants_control(n->tcp) : parts && tcp_wants_data(n->tcp, now);
}

/* Did the last packet leave again? */
static bool repeats(struct connection *n)
{
    uint64_t retransmits = tcp_statistics(n->tcp)->retransmits;
    bool again = retransmits != n->retransmits;
    LAW(retransmits >= n->retransmits);
    n->retransmits = retransmits;
    if (again)
        make_repeat(n);
    return again;
}

static bool transmit(void *l, iw_time now, unsigned parts, struct ip_packet *out, struct llp_sent *sent)
{
    struct connection *n = l;
    bool begun = n->begun;
    unsigned which = parts_now(n, parts);
    uint64_t before = sent_of(n->tcp);
    *sent = (struct llp_sent){0};
    if (!which || !has_packet(n))
        return false;
    *out = (struct ip_packet){.octets = n->packet, .direction = !n->mpa.o.conf.initiator};
    if (!tcp_transmit_of(n->tcp, now, which & LLP_CONTROL, which & LLP_DATA, out)) {
        settle_connection(n, now);
        return false;
    }
    uint64_t after = sent_of(n->tcp);
    if (begun) {
        sent->octets = out->size - IP_HEAD - head_of(out);
        sent->data = sent->octets || tcp_is_fin(out);
        sent->answer = !sent->data;
    }
    LAW(after >= before);
    if (after == before && (sent->data || !begun))
        sent->again = repeats(n) && begun;
    if (!begun)
        note_begun(n);
    if (!n->mpa.o.conf.quiet && n->phase == FULL && after > before && before >= n->tx_base)
        llp_tell(&n->mpa.o, (struct llp_event){
                                .kind = LLP_EV_SENT, .key = before - n->tx_base, .end = after - n->tx_base});
    settle_connection(n, now);
    return true;
}

static void renew(void *l, iw_time now, struct ip_packet *packet)
{
    (void)now;
    tcp_renew(((struct connection *)l)->tcp, packet);
}

static uint64_t acked(const void *l, uint16_t stream)
{
    const struct connection *n = l;
    uint64_t at = acked_of(n->tcp);
    (void)stream;
    LAW(at <= sent_of(n->tcp));
    return n->phase >= FULL && at > n->tx_base ? at - n->tx_base : 0;
}

static enum llp_bound bound(const void *l, iw_time now)
{
    static const enum llp_bound bounds[TCP_BOUNDS] = {
        [TCP_BOUND_NOTHING] = LLP_FREE,     [TCP_BOUND_IDLE] = LLP_IDLE,
        [TCP_BOUND_WINDOW] = LLP_BY_WINDOW, [TCP_BOUND_CONGESTION] = LLP_BY_CONGESTION,
        [TCP_BOUND_PACING] = LLP_BY_PACING, [TCP_BOUND_CLOSED] = LLP_IDLE,
    };
    const struct connection *n = l;
    enum llp_bound by = has_unsent(n->tcp) ? bounds[tcp_bound(n->tcp, now)] : LLP_IDLE;
    bool full = by == LLP_IDLE && buffer_is_full(n, 0) && may_send(n);
    return full ? LLP_BY_SEND_BUFFER : by;
}

/* ---- in ---- */

/* What has arrived, its header read once. */
struct incoming {
    struct tcp_wire header;
    struct tcp_wire *read; /* NULL: it is no segment of this connection */
    struct tcp_segment s;
};

static void read_incoming(const struct connection *n, const struct ip_packet *in, struct incoming *i)
{
    i->read = tcp_read(n->tcp, in, &i->header) ? &i->header : NULL;
}

/* Where it stands in the stream of FPDUs. */
static inline enum tcp_verdict judge_incoming(const struct connection *n, struct incoming *i,
                                              struct llp_unit *u)
{
    i->s.len = 0;
    bool data = i->read && i->header.len;
    enum tcp_verdict verdict =
        data ? tcp_judge(n->tcp, i->read, &i->s) : TCP_CONTROL; /* for tcp_take() to say */
    if (n->phase != FULL || !i->s.len)
        return verdict;
    u->in_order = i->s.offset <= received_of(n->tcp);
    u->key = i->s.offset > n->rx_base ? i->s.offset - n->rx_base : 0;
    u->end = u->key + i->s.len;
    return verdict;
}

static struct llp_unit unit_of(const struct ip_packet *in, const struct incoming *i)
{
    return (struct llp_unit){.verdict = LLP_NOTHING,
                             .in_order = true,
                             .last = true,
                             .octets = i->read ? i->header.len : payload_of(in)};
}

static void peek(const void *l, const struct ip_packet *in, struct llp_unit *first)
{
    const struct connection *n = l;
    struct incoming i;
    read_incoming(n, in, &i);
    *first = unit_of(in, &i);
    judge_incoming(n, &i, first);
}

static void arrive(void *l, iw_time now, const struct ip_packet *in)
{
    (void)now;
    ((struct connection *)l)->in = in;
}

/* Octets of the peer's frame: in order only, and before TCP has acknowledged them. */
static enum llp_verdict take_start(struct connection *n, iw_time now, struct incoming *i)
{
    const struct tcp_segment s = i->s;
    uint64_t from = received_of(n->tcp);
    uint8_t frame[MPA_FRAME_MAX] = "MP";
    const uint8_t *octets = s.octets;
    if (s.offset > from)
        return LLP_REFUSED;
    if (!n->mpa.o.conf.real) {
        if (s.before || s.note_len + KEY_LEFT_OUT > s.len || s.len > MPA_FRAME_MAX)
            return LLP_BAD;
        memcpy(frame + KEY_LEFT_OUT, s.note, s.note_len);
        octets = frame;
    }
    tcp_take_judged(n->tcp, now, i->read, &s);
    settle_connection(n, now); /* it may be what establishes the connection */
    if (n->phase != STARTING)
        return LLP_NOTHING;
    uint32_t skip = (uint32_t)(from - s.offset);
    n->rx_base += mpa_start_in(&n->start, now, octets + skip, s.len - skip);
    continue_startup(n, now);
    return LLP_NOTHING;
}

static enum llp_verdict take_data(struct connection *n, uint64_t room, const struct tcp_segment *s,
                                  enum llp_refusal *why)
{
    struct llp_mpa_in in = {.offset = s->offset - n->rx_base,
                            .len = s->len,
                            .before = s->before,
                            .octets = n->mpa.o.conf.real ? s->octets : s->note,
                            .carried = n->mpa.o.conf.real ? s->len : s->note_len,
                            .altered = n->in->altered,
                            .ahead = s->offset > received_of(n->tcp),
                            .room = room};
    return s->offset < n->rx_base ? LLP_REFUSED : llp_mpa_take(&n->mpa, &in, why);
}

static enum llp_verdict accept(struct connection *n, iw_time now, struct incoming *i, uint32_t octets)
{
    static const enum llp_verdict verdicts[] = {[TCP_TAKEN] = LLP_TAKEN,
                                                [TCP_CONTROL] = LLP_NOTHING,
                                                [TCP_DUPLICATE] = LLP_DUPLICATE,
                                                [TCP_REFUSED] = LLP_REFUSED,
                                                [TCP_BAD] = LLP_BAD};
    enum llp_verdict verdict = verdicts[tcp_take(n->tcp, now, i->read, &i->s)];
    if (verdict == LLP_BAD && i->read)
        verdict = LLP_REFUSED; /* sound, and older than what it would need, or of a connection that is over */
    n->bad += verdict == LLP_BAD && octets;
    settle_connection(n, now);
    return octets ? verdict : LLP_NOTHING;
}

static enum llp_verdict unit(void *l, iw_time now, uint64_t room, struct llp_unit *u)
{
    struct connection *n = l;
    struct incoming i;
    u->verdict = LLP_END;
    if (!n->in)
        return LLP_END;
    read_incoming(n, n->in, &i);
    *u = unit_of(n->in, &i);
    enum tcp_verdict verdict = judge_incoming(n, &i, u);
    if (verdict == TCP_REFUSED && make_range(n))
        verdict = judge_incoming(n, &i, u);
    bool taken = verdict == TCP_TAKEN;
    if (taken && n->phase == FULL)
        u->verdict = take_data(n, room, &i.s, &u->why);
    else if (taken && n->phase != ENDED)
        u->verdict = take_start(n, now, &i);
    if (u->verdict == LLP_TAKEN) {
        tcp_take_judged(n->tcp, now, i.read, &i.s);
        settle_connection(n, now);
    } else if (!taken || n->phase == ENDED) {
        u->verdict = accept(n, now, &i, u->octets);
    }
    n->in = NULL;
    return u->verdict;
}

/* ---- window ---- */

static uint64_t received(const void *l)
{
    const struct connection *n = l;
    LAW(n->phase != FULL || received_of(n->tcp) >= n->rx_base);
    return n->phase == FULL ? received_of(n->tcp) - n->rx_base : 0;
}

static void credit(void *l, iw_time now, uint64_t window, bool say_so)
{
    struct connection *n = l;
    n->granted = true;
    tcp_credit(n->tcp, now, received_of(n->tcp) + window, say_so);
}

/* ---- time, looking on ---- */

static iw_time deadline(const void *l)
{
    const struct connection *n = l;
    if (n->phase != STARTING)
        return deadline_of(n->tcp);
    return least(deadline_of(n->tcp), mpa_start_deadline(&n->start));
}

static void expire(void *l, iw_time now)
{
    struct connection *n = l;
    tcp_expire(n->tcp, now);
    settle_connection(n, now);
    if (n->phase != STARTING || mpa_start_deadline(&n->start) > now)
        return;
    mpa_start_expire(&n->start, now);
    if (n->start.state != MPA_FAILED)
        return;
    fail_connection(n, n->start.term);
    tcp_abort(n->tcp, now);
}

static void statistics(const void *l, struct llp_stats *stats)
{
    const struct connection *n = l;
    const struct tcp_stats *s = tcp_statistics(n->tcp);
    *stats = (struct llp_stats){.segments = s->segments_tx,
                                .retransmits = s->retransmits,
                                .retransmits_spurious = s->spurious,
                                .timeouts = s->timeouts,
                                .timeouts_spurious = s->timeouts_spurious,
                                .stalls = s->stalls,
                                .ecn_marks = s->marks,
                                .cwnd = s->cwnd,
                                .flight = s->flight,
                                .ssthresh = s->ssthresh < TCP_CWND_MAX ? s->ssthresh : IW_NEVER,
                                .srtt = s->srtt,
                                .crc_errors = n->bad};
    if (n->phase == FULL)
        stats->crc_errors += llp_mpa_crc_errors(&n->mpa);
}

static uint32_t beyond(const void *l, uint64_t (*run)[2], uint32_t max)
{
    return tcp_ranges(((const struct connection *)l)->tcp, run, max);
}

const struct llp llp_tcp = {
    .name = "tcp",
    .has = LLP_SACK | LLP_GO_BACK | LLP_MARKERS | LLP_HANDSHAKE,
    .protocol = IP_PROTOCOL_TCP,
    .sizes = llp_tcp_sizes,
    .conf_error = conf_error,
    .lay_out = lay_out,
    .open = open_connection,
    .close = close_stream,
    .mulpdu = llp_mpa_mulpdu,
    .markers = llp_mpa_markers,
    .has_room = has_room,
    .key = llp_mpa_key,
    .key_after = llp_mpa_key_after,
    .send = send,
    .wants = wants,
    .transmit = transmit,
    .renew = renew,
    .acked = acked,
    .bound = bound,
    .peek = peek,
    .staged = payload_of,
    .arrive = arrive,
    .unit = unit,
    .next = llp_mpa_next,
    .keep = llp_mpa_keep,
    .again = llp_mpa_again,
    .edge = llp_mpa_edge,
    .ended = llp_mpa_ended,
    .shift = llp_shift,
    .received = received,
    .credit = credit,
    .deadline = deadline,
    .expire = expire,
    .event = event,
    .statistics = statistics,
    .beyond = beyond,
    .track = llp_mpa_track,
};
