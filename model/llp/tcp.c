/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* tcp.c -- configuration, tables, states, timers, events (RFC 9293 3.3, 3.8, 3.10). */
#include "llp/tcp.h"

#include <string.h>

#include "engine/carve.h"
#include "engine/law.h"
#include "llp/tcp_inner.h"

/* ---- configuration ---- */

#define US ((iw_time)1000000)
#define MS (1000 * US)

void tcp_defaults(struct tcp_conf *conf)
{
    *conf = (struct tcp_conf){.congestion = &tcp_newreno,
                              .detection = &tcp_rack,
                              .window_shift = 7,
                              .delayed_ack = 2,
                              .retries = 15,
                              .syn_retries = 8,
                              .dupack_threshold = 3,
                              .initial_window = 10,
                              .records = 16,
                              .store = 65536,
                              .ranges = 16,
                              .repeats = 16,
                              .late_ticks = 1,
                              .delayed_ack_timeout = 50 * US,
                              .initial_rto = 10 * MS,
                              .min_rto = MS,
                              .max_rto = 60000 * MS,
                              .msl = MS};
}

static bool is_power(uint32_t n)
{
    return n && !(n & (n - 1));
}

/* Has it all that no control may lack? */
static bool is_whole(const struct tcp_congestion *c)
{
    return c && c->response && c->grow && c->after_loss && c->after_mark;
}

const char *tcp_conf_error(const struct tcp_conf *c)
{
    if (!c->local_port)
        return "local_port must not be 0";
    if (c->mtu < TCP_MTU_MIN)
        return "mtu must be 576 .. 65535";
    if (c->note_max > TCP_NOTE_MAX)
        return "note_max must be 0 .. 80";
    if (!is_whole(c->congestion) || !c->detection || !c->detection->detect)
        return "no such congestion control or loss detection";
    if (c->congestion->fixed && (c->fixed_window < 1 || c->fixed_window > TCP_CWND_MAX))
        return "fixed_window must be 1 .. 2^30";
    if (c->window_shift > TCP_SHIFT_MAX)
        return "window_shift must be 0 .. 14";
    if (!c->delayed_ack || !c->dupack_threshold || c->initial_window > TCP_CWND_MAX / TCP_MTU_MAX)
        return "delayed_ack and dupack_threshold must be above 0, initial_window at most 16384";
    if (c->records < 4 || !is_power(c->records) || (c->store && !is_power(c->store)) ||
        (c->ranges && !is_power(c->ranges)) || (c->repeats && !is_power(c->repeats)))
        return "records must be a power of two, at least 4; store, ranges and repeats a power of two, or 0";
    if (!c->min_rto || c->initial_rto < c->min_rto || c->max_rto < c->initial_rto)
        return "min_rto, initial_rto and max_rto must be above 0 and ascending";
    return NULL;
}

/* ---- memory ---- */

static uint8_t note_room_of(const struct tcp_conf *conf)
{
    return conf->note_room && conf->note_room < conf->note_max ? conf->note_room : conf->note_max;
}

static size_t record_octets(const struct tcp_conf *conf, uint32_t entries)
{
    return entries * (sizeof(struct tcp_record) + note_room_of(conf));
}

static void records_place(struct tcp *t, void *memory, uint32_t entries)
{
    t->tx.record = memory;
    if (t->conf.note_max)
        t->tx.store = memory ? (uint8_t *)memory + entries * sizeof(struct tcp_record) : NULL;
    t->tx.mask = entries - 1;
}

/* One walk serves both to size the block and to fill it. */
static void carve_connection(struct tcp *t, struct carve *c)
{
    const struct tcp_conf *conf = &t->conf;
    records_place(t, carve(c, record_octets(conf, conf->records)), conf->records);
    t->rx.range = carve(c, conf->ranges * sizeof(struct tcp_range));
    t->rx.entries = conf->ranges;
    tcp_repeats_place(t, carve(c, tcp_repeats_octets(conf->repeats)), conf->repeats);
    if (conf->note_max)
        return;
    t->tx.store = carve(c, conf->store);
    t->tx.store_size = conf->store;
}

size_t tcp_size(const struct tcp_conf *conf)
{
    struct tcp t = {.conf = *conf};
    struct carve c = {0};
    if (tcp_conf_error(conf))
        return 0;
    carve(&c, sizeof t);
    carve_connection(&t, &c);
    return c.used;
}

struct tcp *tcp_init(void *memory, const struct tcp_conf *conf)
{
    struct tcp *t = memory;
    struct carve c = {.memory = memory};
    if (tcp_conf_error(conf))
        return NULL;
    *t = (struct tcp){.conf = *conf, .remote_port = conf->remote_port, .rto = conf->initial_rto};
    t->conf.note_room = note_room_of(conf);
    carve(&c, sizeof *t);
    carve_connection(t, &c);
    t->rto_at = t->pto_at = t->reo_at = t->other_at = t->pace_at = IW_NEVER;
    t->stats.min_rtt = t->last_sent = IW_NEVER;
    t->tx.mss = (uint16_t)(conf->mtu - IP_HEAD - TCP_HEAD - (conf->timestamps ? TCP_OPTION_TIMESTAMPS : 0));
    tcp_sack_agreed(t, false);
    tcp_rx_init(t);
    tcp_cong_init(t);
    LAW(c.used == tcp_size(conf));
    return t;
}

size_t tcp_table_octets(const struct tcp *t, enum tcp_table table, uint32_t entries)
{
    if (table == TCP_RECORDS)
        return record_octets(&t->conf, entries);
    if (table == TCP_REPEATS)
        return tcp_repeats_octets(entries);
    return table == TCP_RANGES ? entries * sizeof(struct tcp_range) : t->conf.note_max ? 0 : entries;
}

uint32_t tcp_table_entries(const struct tcp *t, enum tcp_table table)
{
    if (table == TCP_RECORDS)
        return t->tx.mask + 1;
    if (table == TCP_REPEATS)
        return t->repeats.entries;
    return table == TCP_RANGES ? t->rx.entries : t->tx.store_size;
}

/* Octets in the store begin with those of the first record, which may be acknowledged in part. */
static uint64_t store_from(const struct tcp *t)
{
    return t->tx.first == t->tx.end ? tcp_appended(t) : record_at(t, t->tx.first)->offset;
}

uint32_t tcp_table_used(const struct tcp *t, enum tcp_table table)
{
    if (table == TCP_RECORDS)
        return t->tx.end - t->tx.first;
    if (table == TCP_REPEATS)
        return tcp_repeats_used(t);
    return table == TCP_RANGES ? t->rx.count
           : t->conf.note_max  ? 0
                               : (uint32_t)(tcp_appended(t) - store_from(t));
}

/* Notes get `room`, no less than they have. */
static void records_move(struct tcp *t, void *memory, uint32_t entries, uint8_t room)
{
    struct tcp_tx was = t->tx;
    size_t had = t->conf.note_room;
    LAW(room >= had);
    t->conf.note_room = room;
    records_place(t, memory, entries);
    for (uint32_t i = was.first; i != was.end; i++) {
        *record_at(t, i) = was.record[i & was.mask];
        if (room)
            memcpy(t->tx.store + (i & t->tx.mask) * (size_t)room, was.store + (i & was.mask) * had, had);
    }
}

uint32_t tcp_note_room(const struct tcp *t)
{
    return t->conf.note_room;
}

size_t tcp_widen_octets(const struct tcp *t)
{
    return (t->tx.mask + 1) * (sizeof(struct tcp_record) + t->conf.note_max);
}

void tcp_widen(struct tcp *t, void *memory)
{
    records_move(t, memory, t->tx.mask + 1, t->conf.note_max);
}

static void store_move(struct tcp *t, uint8_t *memory, uint32_t entries)
{
    for (uint64_t i = store_from(t); i < tcp_appended(t);) {
        uint32_t from = (uint32_t)i & (t->tx.store_size - 1), to = (uint32_t)i & (entries - 1);
        uint64_t n = least(tcp_appended(t) - i, least(t->tx.store_size - from, entries - to));
        memcpy(memory + to, t->tx.store + from, n);
        i += n;
    }
    t->tx.store = memory;
    t->tx.store_size = entries;
}

static void ranges_move(struct tcp *t, struct tcp_range *memory, uint32_t entries)
{
    for (uint32_t i = 0; i < t->rx.count; i++)
        memory[i] = t->rx.range[(t->rx.head + i) & t->rx.mask];
    t->rx.range = memory;
    t->rx.head = 0;
    t->rx.entries = entries;
    t->rx.mask = entries - 1;
}

static bool in_block(const struct tcp *t, const void *p)
{
    const uint8_t *at = p, *block = (const uint8_t *)t;
    return at >= block && at < block + tcp_size(&t->conf);
}

int tcp_table_move(struct tcp *t, enum tcp_table table, void *memory, uint32_t entries, void **old)
{
    bool empty = !tcp_table_entries(t, table);
    void *was = table == TCP_RECORDS   ? (void *)t->tx.record
                : table == TCP_RANGES  ? (void *)t->rx.range
                : table == TCP_REPEATS ? (void *)t->repair.cut
                                       : t->tx.store;
    if (!is_power(entries) || (table == TCP_RECORDS && entries < 4) ||
        (table == TCP_STORE && t->conf.note_max))
        return IW_EINVAL;
    if (entries < tcp_table_used(t, table) + (table == TCP_RECORDS ? 2 : 0)) /* for a cut, for the FIN */
        return IW_EFULL;
    if (table == TCP_RECORDS)
        records_move(t, memory, entries, t->conf.note_room);
    else if (table == TCP_RANGES)
        ranges_move(t, memory, entries);
    else if (table == TCP_REPEATS)
        tcp_repeats_move(t, memory, entries);
    else
        store_move(t, memory, entries);
    LAW(tcp_table_entries(t, table) == entries && tcp_table_used(t, table) <= entries && tcp_is_in_order(t));
    *old = empty || in_block(t, was) ? NULL : was;
    return IW_OK;
}

/* ---- events ---- */

void tcp_tell(struct tcp *t, enum tcp_event_kind kind, enum tcp_why why, uint64_t offset, uint32_t len)
{
    if (kind <= TCP_EV_LOST) {
        t->life |= (uint16_t)(1u << kind);
        return;
    }
    if (t->event_count == TCP_EVENTS) {
        t->event_get = (uint8_t)((t->event_get + 1) % TCP_EVENTS);
        t->event_count--;
    }
    LAW(t->event_count < TCP_EVENTS);
    t->event[(t->event_get + t->event_count) % TCP_EVENTS] =
        (struct tcp_queued_event){.kind = (uint8_t)kind, .why = (uint8_t)why, .len = len, .offset = offset};
    t->event_count++;
}

static void take_queued(struct tcp *t, struct tcp_event *event)
{
    const struct tcp_queued_event *e = &t->event[t->event_get];
    *event = (struct tcp_event){(enum tcp_event_kind)e->kind, (enum tcp_why)e->why, e->len, e->offset};
    t->event_get = (uint8_t)((t->event_get + 1) % TCP_EVENTS);
    t->event_count--;
}

/* In the order of their kinds. */
static void take_life(struct tcp *t, struct tcp_event *event)
{
    unsigned kind = TCP_EV_UP;
    while (!(t->life >> kind & 1))
        kind++;
    LAW(kind <= TCP_EV_LOST);
    t->life &= (uint16_t) ~(1u << kind);
    *event = (struct tcp_event){.kind = (enum tcp_event_kind)kind};
}

bool tcp_has_event(const struct tcp *t)
{
    return t->event_count || t->life;
}

bool tcp_event(struct tcp *t, struct tcp_event *event)
{
    bool some = tcp_has_event(t);
    if (t->event_count)
        take_queued(t, event);
    else if (some)
        take_life(t, event);
    return some;
}

/* ---- states ---- */

enum tcp_state tcp_state(const struct tcp *t)
{
    return (enum tcp_state)t->state;
}

/* The SYN's timer, and after it the RTO (RFC 6298 section 5). */
void tcp_syn_timer(struct tcp *t, iw_time now)
{
    t->other_at = later(now, tcp_rto_now(t));
}

int tcp_connect(struct tcp *t, iw_time now)
{
    (void)now;
    if (t->state != TCP_CLOSED || t->used || !t->remote_port)
        return IW_ESTATE;
    t->used = true;
    t->state = TCP_SYN_SENT;
    t->must |= MUST_SYN;
    return IW_OK;
}

int tcp_listen(struct tcp *t)
{
    if (t->state != TCP_CLOSED || t->used)
        return IW_ESTATE;
    t->used = t->passive = true;
    t->state = TCP_LISTEN;
    return IW_OK;
}

static void timers_off(struct tcp *t)
{
    t->rto_at = t->pto_at = t->reo_at = t->other_at = t->pace_at = IW_NEVER;
    t->rx.ack_at = IW_NEVER;
    t->rx.ack = t->rx.pure = t->rx.before_ce = false;
    t->rx.owed = 0;
    t->tx.tlp = t->tx.probe = t->tx.force = false;
    t->must &= MUST_RST | MUST_RST_ACK;
}

void tcp_end(struct tcp *t, enum tcp_event_kind kind)
{
    timers_off(t);
    t->state = TCP_CLOSED;
    if (kind != TCP_EV_NONE)
        tcp_tell(t, kind, TCP_WHY_NONE, 0, 0);
}

void tcp_abort(struct tcp *t, iw_time now)
{
    (void)now;
    bool say = t->state == TCP_SYN_RECEIVED || (synchronized(t) && t->state != TCP_TIME_WAIT);
    if (t->state == TCP_CLOSED)
        return;
    if (say) {
        t->must |= MUST_RST | MUST_RST_ACK;
        t->rst_seq = seq_of(t, t->tx.nxt);
        t->rst_ack = ack_of(t, t->rx.nxt);
    }
    tcp_end(t, TCP_EV_NONE);
}

static void time_wait(struct tcp *t, iw_time now)
{
    bool ack = t->rx.ack;
    if (t->state != TCP_TIME_WAIT)
        tcp_tell(t, TCP_EV_DOWN, TCP_WHY_NONE, 0, 0);
    LAW(t->tx.fin && t->tx.una == t->tx.end_offset); /* all of ours is acknowledged */
    t->state = TCP_TIME_WAIT;
    timers_off(t);
    t->rx.ack = ack;
    t->other_at = later(now, 2 * t->conf.msl);
}

void tcp_fin_acked(struct tcp *t, iw_time now)
{
    LAW(t->tx.fin && t->tx.una == t->tx.nxt && t->tx.nxt == t->tx.end_offset);
    if (t->state == TCP_FIN_WAIT_1)
        t->state = TCP_FIN_WAIT_2;
    else if (t->state == TCP_CLOSING)
        time_wait(t, now);
    else if (t->state == TCP_LAST_ACK)
        tcp_end(t, TCP_EV_DOWN);
}

void tcp_fin_came(struct tcp *t, iw_time now)
{
    LAW(t->tx.fin == (t->state == TCP_FIN_WAIT_1 || t->state == TCP_FIN_WAIT_2));
    tcp_tell(t, TCP_EV_FIN, TCP_WHY_NONE, 0, 0);
    if (t->state == TCP_SYN_RECEIVED || t->state == TCP_ESTABLISHED)
        t->state = TCP_CLOSE_WAIT;
    else if (t->state == TCP_FIN_WAIT_1)
        t->state = TCP_CLOSING;
    else if (t->state == TCP_FIN_WAIT_2)
        time_wait(t, now);
}

void tcp_sack_agreed(struct tcp *t, bool sack)
{
    const struct tcp_detection *asked = t->conf.detection;
    t->sack = sack;
    t->detection = sack || !asked->without_sack ? asked : asked->without_sack;
}

/* The handshake is done: both options are known. */
void tcp_established(struct tcp *t, iw_time now)
{
    (void)now;
    LAW(!t->tx.nxt && !t->rx.nxt); /* no octet went before */
    t->state = TCP_ESTABLISHED;
    t->other_at = IW_NEVER;
    t->must &=
        (uint8_t)~MUST_SYN; /* one that waits for the port is late: its timer would pass for a closed window's */
    t->tries = t->backoff = 0;
    if (t->detection->start)
        t->detection->start(t);
    tcp_cong_up(t);
    tcp_tell(t, TCP_EV_UP, TCP_WHY_NONE, 0, 0);
}

/* ---- time ---- */

iw_time tcp_deadline(const struct tcp *t)
{
    LAW(t->state != TCP_CLOSED || deadline_of(t) == IW_NEVER);
    return deadline_of(t);
}

static bool due(iw_time *at, iw_time now)
{
    if (*at > now)
        return false;
    *at = IW_NEVER;
    return true;
}

/* TIME-WAIT is over, or the SYN is sent again, or the window is still closed. */
static void other_expired(struct tcp *t, iw_time now)
{
    if (synchronized(t) && t->state != TCP_TIME_WAIT) {
        tcp_persist(t, now);
        return;
    }
    if (t->state == TCP_TIME_WAIT || t->tries++ == t->conf.syn_retries) {
        tcp_end(t, t->state == TCP_TIME_WAIT ? TCP_EV_NONE : TCP_EV_LOST);
        return;
    }
    t->syn_again = true;
    tcp_back_off(t);
    t->stats.timeouts++;
    t->must |= MUST_SYN;
}

void tcp_expire(struct tcp *t, iw_time now)
{
    if (due(&t->rx.ack_at, now))
        t->rx.ack = true;
    if (due(&t->other_at, now))
        other_expired(t, now);
    if (due(&t->reo_at, now))
        tcp_recovery_lost(t, now);
    if (due(&t->pto_at, now))
        tcp_tlp_fire(t, now);
    if (due(&t->rto_at, now))
        tcp_timeout(t, now);
    due(&t->pace_at, now);
}

/* ---- looking on ---- */

uint32_t tcp_mss(const struct tcp *t)
{
    return t->tx.mss;
}

const struct tcp_stats *tcp_statistics(struct tcp *t)
{
    struct tcp_stats *s = &t->stats;
    LAW(tcp_accounts(t) && s->flight <= s->flight_peak && s->spurious <= s->retransmits);
    s->lost = t->tx.lost.count;
    s->rto = tcp_rto_now(t);
    return s;
}
