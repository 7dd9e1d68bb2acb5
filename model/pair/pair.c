/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pair.c -- the pair world: configuration, memory, time, the end of a stream. */
#include <string.h>

#include "engine/carve.h"
#include "pair/pair_inner.h"

enum { EMSS_MIN = 140, EMSS_MAX = 65495, RETRY_ROUND_TRIPS = 2, FLIGHTS_SPARE = 64 };
enum { PACKETS_MIN = 16, PACKETS_SMALL = 1024, PACKETS_MAX = 32767 };

/* ---- configuration ---- */

static uint32_t packet_octets(const struct pair_conf *c)
{
    return c->cut > c->mtu ? c->cut : c->mtu;
}

/* At most so many packets are unacknowledged: those that fill the window, and more when they are small. */
static uint32_t packets_max(const struct pair_conf *c)
{
    uint32_t full = c->window / c->mtu, small = c->window / 64;
    uint32_t n = full > PACKETS_SMALL ? full : small > PACKETS_SMALL ? PACKETS_SMALL : small;
    return n < PACKETS_MIN ? PACKETS_MIN : n > PACKETS_MAX ? PACKETS_MAX : n;
}

/* Each way: a packet, its copy, and the DMAs they cause; with adapters, what is in their stages. */
static uint32_t flights_of(const struct pair_conf *c)
{
    uint32_t each = c->rnic[0] || c->rnic[1] ? 6 : 4;
    return packets_max(c) * each + FLIGHTS_SPARE + RESERVE;
}

static struct ideal_conf ideal_conf_of(const struct pair_conf *c)
{
    uint64_t full = (uint64_t)(packet_octets(c) + c->framing) * 8 * PS_PER_S / c->rate;
    iw_time round_trip = 2 * (c->delay + full) + c->dma;
    return (struct ideal_conf){c->window, packets_max(c),
                               c->timeout ? c->timeout : RETRY_ROUND_TRIPS * round_trip, c->length_only};
}

static struct rnic_conf rnic_conf_of(const struct pair_conf *c, int side)
{
    struct rnic_conf conf;
    if (c->rnic[side])
        return *c->rnic[side];
    rnic_preset_load(&conf, &rnic_presets[0]);
    return conf;
}

static bool in_order_only(const struct pair_conf *c, int side)
{
    uint64_t path = rnic_conf_of(c, side).receive;
    return c->in_order || path == RNIC_HOLD || path == RNIC_COPY;
}

static unsigned mpa_flags(const struct pair_conf *c, int sender)
{
    return (c->markers[sender] ? MPA_MARKERS : 0u) | (c->crc ? MPA_CRC : 0u) |
           (c->crc_drop ? MPA_CRC_DROP : 0u) | (c->trust_alignment ? MPA_TRUST_ALIGNMENT : 0u) |
           (in_order_only(c, !sender) ? MPA_IN_ORDER : 0u);
}

/* Octets of the smallest FPDU, an empty tagged segment: as many as fit in the store must find room when they travel as
 * marks, or the two payload modes would part. */
enum { FPDU_MIN = 2 + IW_HEAD_TAGGED + 4 };

static uint32_t store_of(const struct pair_conf *c)
{
    return c->window + packet_octets(c) + MPA_FPDU_MAX;
}

static uint32_t fpdus_max(const struct pair_conf *c)
{
    uint32_t n = store_of(c) / FPDU_MIN;
    return n < 65535 ? n : 65535;
}

static struct mpa_rx_conf mpa_conf_of(const struct pair_conf *c, int side)
{
    return (struct mpa_rx_conf){.flags = mpa_flags(c, !side),
                                .store = store_of(c),
                                .ranges = c->ranges,
                                .fpdus = c->length_only ? fpdus_max(c) : 0};
}

static struct iw_conf ep_conf_of(const struct pair_conf *c, int side)
{
    struct iw_conf e = c->ep[side];
    e.mulpdu = mpa_mulpdu(c->mtu, c->markers[side]);
    e.llp = c->crc ? IW_LLP_ALL : IW_LLP_ALL & ~(unsigned)IW_LLP_DIGEST;
    if (!c->crc)
        e.profile |= IW_NO_DIGEST;
    if (!e.stream)
        e.stream = 1;
    return e;
}

uint32_t pair_fpdu(const struct pair_conf *c, int side)
{
    return mpa_fpdu_size(0, mpa_mulpdu(c->mtu, c->markers[side]), c->markers[side]);
}

static const char *adapter_error(const struct pair_conf *c, int side)
{
    return c->rnic[side] ? rnic_conf_error(c->rnic[side], pair_fpdu(c, !side), NULL) : NULL;
}

static const char *side_error(const struct pair_conf *c, int side)
{
    struct iw_conf ep = ep_conf_of(c, side);
    const char *adapter = adapter_error(c, side);
    if (adapter)
        return adapter;
    struct mpa_rx_conf mpa = mpa_conf_of(c, side);
    if (mpa_rx_conf_error(&mpa))
        return mpa_rx_conf_error(&mpa);
    return iw_ep_size(&ep) ? NULL : "an endpoint's configuration is refused: see iw_conf_error()";
}

const char *pair_conf_error(const struct pair_conf *c)
{
    if (!c->rate)
        return "rate must not be 0";
    if (c->mtu < EMSS_MIN || c->mtu > EMSS_MAX)
        return "mtu (EMSS) must be 140 .. 65495";
    if (c->window < 2 * packet_octets(c))
        return "window below two packets";
    if (c->cut && c->length_only)
        return "packets without octets cannot be cut anywhere";
    if (c->crc_drop && !c->crc)
        return "crc_drop needs crc";
    if (!c->regions_max || !iw_stags_size(c->regions_max))
        return "regions_max out of range";
    if (!c->cq_entries)
        return "cq_entries must not be 0";
    const char *error = side_error(c, 0);
    error = error ? error : side_error(c, 1);
    return error ? error : channel_conf_error(&c->channel);
}

/* ---- memory ---- */

static void make_llp(struct pair *p, struct carve *c, int side)
{
    const struct pair_conf *conf = &p->conf;
    struct side *s = &p->side[side];
    struct ideal_conf ideal = ideal_conf_of(conf);
    struct mpa_rx_conf mpa = mpa_conf_of(conf, side);
    void *rx = carve(c, mpa_rx_size(&mpa)), *out = carve(c, ideal_size(&ideal));
    void *in = carve(c, ideal_in_size(ideal.packets));
    if (!c->memory)
        return;
    s->rx = mpa_rx_init(rx, &mpa);
    s->out = ideal_init(out, &ideal);
    s->a.in = ideal_in_init(in, ideal.packets);
    mpa_tx_init(&s->tx, mpa_flags(conf, side), conf->mtu);
    channel_init(&s->channel, &conf->channel, conf->seed, conf->repeat, 0, (uint32_t)side);
    p->timeout = ideal.timeout;
}

static void make_engine(struct pair *p, struct carve *c, int side)
{
    const struct pair_conf *conf = &p->conf;
    struct side *s = &p->side[side];
    struct iw_conf ep = ep_conf_of(conf, side);
    void *stags = carve(c, iw_stags_size(conf->regions_max)), *cq = carve(c, iw_cq_size(conf->cq_entries));
    void *block = carve(c, iw_ep_size(&ep));
    if (!c->memory)
        return;
    s->stags = ep.stags =
        iw_stags_init(stags, conf->regions_max, conf->seed ? conf->seed * 2 + (unsigned)side : 0);
    s->cq = ep.send_cq = ep.recv_cq = iw_cq_init(cq, conf->cq_entries, ep.trust);
    s->ep = iw_ep_init(block, &ep);
}

static void make_adapter(struct pair *p, struct carve *c, int side)
{
    const struct pair_conf *conf = &p->conf;
    struct side *s = &p->side[side];
    struct rnic_conf rnic = rnic_conf_of(conf, side);
    void *nic = carve(c, rnic_size(&rnic, 1));
    void *bell = carve(c, conf->ep[side].sq_max * sizeof(struct bell));
    void *done = carve(c, conf->cq_entries * sizeof(struct completion));
    void *held = carve(c, packets_max(conf) * sizeof(struct held));
    void *late = carve(c, packets_max(conf) * sizeof(uint64_t));
    if (!c->memory)
        return;
    s->nic = rnic_init(nic, &rnic, 1, channel_key(conf->seed, conf->repeat, 1, (uint32_t)side));
    s->timed = conf->rnic[side];
    s->path = (enum rnic_receive)rnic.receive;
    s->d.bell = bell;
    s->d.bells = conf->ep[side].sq_max;
    s->done.ring = done;
    s->done.max = conf->cq_entries;
    s->done.look = IW_NEVER;
    s->done.arm = IW_ARM_ALL;
    s->a.held = held;
    s->a.late = late;
    s->a.helds_max = packets_max(conf);
    departures_init(p, side);
}

static void make_flights(struct pair *p, struct carve *c)
{
    uint32_t n = flights_of(&p->conf), room = p->conf.length_only ? IW_TERM_MAX : packet_octets(&p->conf);
    struct flight *flight = carve(c, n * sizeof(struct flight));
    uint32_t *heap = carve(c, n * sizeof(uint32_t)), *spare = carve(c, n * sizeof(uint32_t));
    uint8_t *octets = carve(c, (size_t)n * room);
    if (!c->memory)
        return;
    p->room = room;
    p->spares = n;
    p->flight = flight;
    p->heap = heap;
    p->spare = spare;
    for (uint32_t i = 0; i < n; i++) {
        flight[i] = (struct flight){.octets = octets + (size_t)i * room};
        spare[i] = n - 1 - i;
    }
}

/* An answer takes its time through the sender's adapter. */
static void allow_for_pipelines(struct pair *p, const struct carve *c)
{
    for (int side = 0; c->memory && side < 2; side++)
        p->timeout += rnic_step_time(p->side[side].nic, RNIC_STEP_ARRIVE, 0);
}

/* One walk serves both to size the block and to fill it. */
static void lay_out(struct pair *p, struct carve *c)
{
    for (int side = 0; side < 2; side++) {
        make_llp(p, c, side);
        make_engine(p, c, side);
        make_adapter(p, c, side);
    }
    allow_for_pipelines(p, c);
    make_flights(p, c);
}

size_t pair_size(const struct pair_conf *conf)
{
    struct pair p = {.conf = *conf};
    struct carve c = {0};
    if (pair_conf_error(conf))
        return 0;
    carve(&c, sizeof p);
    lay_out(&p, &c);
    return c.used;
}

struct pair *pair_init(void *memory, const struct pair_conf *conf,
                       void (*trace)(void *user, const struct pair_event *), void *user)
{
    struct pair *p = memory;
    struct carve c = {.memory = memory};
    if (pair_conf_error(conf))
        return NULL;
    *p = (struct pair){.conf = *conf, .trace = trace, .user = user};
    carve(&c, sizeof *p);
    lay_out(p, &c);
    for (int side = 0; side < 2; side++) {
        rnic_connected(p->side[side].nic, 0);
        answers_init(p, side);
        credit_init(p, side);
    }
    iw_enable(p->side[0].ep, 0, 0);
    iw_enable(p->side[1].ep, 0, IW_WAIT_FIRST);
    return p;
}

/* ---- looking on ---- */

struct iw_ep *pair_ep(struct pair *p, int side)
{
    return p->side[side].ep;
}

struct iw_cq *pair_cq(struct pair *p, int side)
{
    return p->side[side].cq;
}

struct iw_stags *pair_stags(struct pair *p, int side)
{
    return p->side[side].stags;
}

const struct mpa_rx *pair_mpa(const struct pair *p, int side)
{
    return p->side[side].rx;
}

const struct rnic *pair_adapter(const struct pair *p, int side)
{
    return p->side[side].timed ? p->side[side].nic : NULL;
}

iw_time pair_now(const struct pair *p)
{
    return p->now;
}

void pair_tell(const struct pair *p, struct pair_event e)
{
    const struct rnic_stats *stats = rnic_statistics(p->side[e.side].nic);
    e.t = p->now;
    e.staging = stats->staging;
    e.held = stats->held;
    if (p->trace)
        p->trace(p->user, &e);
}

void pair_tell_stage(const struct pair *p, struct pair_event e)
{
    if (p->side[e.side].timed)
        pair_tell(p, e);
}

void pair_fault(struct pair *p, int side, int term)
{
    pair_tell(p, (struct pair_event){.what = PAIR_FAULT, .side = side, .term = term});
}

/* ---- the end ---- */

static void reset(struct pair *p, int side)
{
    struct flight *f = flight_take(p, 0);
    p->side[side].down = p->side[side].gone = true;
    if (!f)
        return;
    f->packet = (struct ideal_packet){0};
    flight_launch(p, f, FLIGHT_RST, !side, p->now + bare_serialization(p) + p->conf.delay);
}

void pair_finish(struct pair *p, int side, enum iw_llp_want want)
{
    struct side *s = &p->side[side];
    if (want == IW_LLP_NOTHING)
        return;
    pair_tell(p, (struct pair_event){.what = PAIR_CLOSED, .side = side, .term = (int)want});
    if (want == IW_LLP_SEND_RST) {
        reset(p, side);
        return;
    }
    s->finished = true;
    if (!s->d.pulled)
        ideal_finish(s->out);
}

/* The engine hears of the peer's FIN when all before it was handed up; cut inside an FPDU it is a loss. */
static void tell_fin(struct pair *p, int side, enum mpa_end end)
{
    struct side *s = &p->side[side];
    s->told_fin = true;
    if (end != MPA_CUT) {
        iw_llp(s->ep, p->now, IW_LLP_FIN);
        return;
    }
    iw_llp(s->ep, p->now, IW_LLP_LOST);
    pair_fault(p, side, IW_T_LLP_LOST);
    reset(p, side); /* the peer must not wait for an end that nobody will send */
}

/* TCP's view of the end: our FIN acknowledged and the peer's read. */
static void check_end(struct pair *p, int side)
{
    struct side *s = &p->side[side];
    if (s->down || !s->peer_fin)
        return;
    enum mpa_end end = mpa_ended(s->rx);
    if (s->a.commits)
        return;
    if (!s->told_fin && (end != MPA_OPEN || s->a.deaf))
        tell_fin(p, side, end);
    if (s->told_fin && s->finished && ideal_finished(s->out)) {
        s->down = true;
        iw_llp(s->ep, p->now, IW_LLP_DOWN);
    }
}

/* ---- what happens ---- */

static void rst_landed(struct pair *p, struct flight *f)
{
    struct side *s = &p->side[f->side];
    s->down = s->gone = true;
    iw_llp(s->ep, p->now, IW_LLP_LOST);
}

static void staged(struct pair *p, struct flight *f)
{
    p->side[f->side].a.staged--;
    arrival_staged(p, f);
}

static void in_kernel(struct pair *p, struct flight *f)
{
    arrival_in_kernel(p, f);
}

static void land(struct pair *p, enum flight_kind kind, struct flight *f)
{
    typedef void lander(struct pair *, struct flight *);
    static lander *const landers[] = {
        [FLIGHT_READ] = departure_read,     [FLIGHT_SEND] = departure_sent,
        [FLIGHT_REREAD] = departure_reread, [FLIGHT_RESEND] = departure_resent,
        [FLIGHT_DATA] = arrival_landed,     [FLIGHT_STAGED] = staged,
        [FLIGHT_ACK] = answer_landed,       [FLIGHT_ACKED] = answer_staged,
        [FLIGHT_RST] = rst_landed,          [FLIGHT_KERNEL] = in_kernel,
        [FLIGHT_COMMIT] = arrival_placed,
    };
    struct side *s = &p->side[f->side];
    bool data = kind == FLIGHT_DATA || kind == FLIGHT_STAGED;
    if (s->down && data && !s->gone)
        answers_acknowledge(p, f->side, &f->packet);
    if (s->down && kind == FLIGHT_STAGED)
        arrival_forgotten(p, f);
    if (!s->down || kind == FLIGHT_COMMIT)
        landers[kind](p, f);
    if (f->kind == FLIGHT_FREE)
        flight_free(p, f);
}

/* What a side does on its own when its time has come. */
static void act(struct pair *p, int side)
{
    struct side *s = &p->side[side];
    if (!s->down && iw_deadline(s->ep) <= p->now)
        iw_expire(s->ep, p->now);
    departures_bells(p, side);
    credit_consume(p, side);
    arrivals_read(p, side);
    answers_expire(p, side);
}

/* ---- time ---- */

void pair_kick(struct pair *p, int side)
{
    if (p->side[side].a.again)
        pair_again(p, side);
    departures_transmit(p, side);
    check_end(p, side);
    pair_finish(p, side, iw_llp_request(p->side[side].ep));
    credit_open(p, side);
    completions_collect(p, side);
}

static iw_time sooner(iw_time a, iw_time b)
{
    return a < b ? a : b;
}

static iw_time side_next(const struct pair *p, int side)
{
    const struct side *s = &p->side[side];
    iw_time next = completions_next(p, side);
    if (s->down)
        return next;
    next = sooner(next, sooner(iw_deadline(s->ep), departures_next(p, side)));
    if (s->path == RNIC_COPY && s->a.reading != ASLEEP)
        next = sooner(next, s->a.read_at);
    return sooner(next, sooner(s->credit.consumed_at, s->answers.due));
}

iw_time pair_next(const struct pair *p)
{
    iw_time next = sooner(flight_next(p), sooner(side_next(p, 0), side_next(p, 1)));
    return next < p->now ? p->now : next;
}

bool pair_step(struct pair *p)
{
    iw_time next = pair_next(p);
    if (next == IW_NEVER)
        return false;
    p->now = next;
    if (flight_next(p) <= next) {
        enum flight_kind kind;
        struct flight *f = flight_land(p, &kind);
        land(p, kind, f);
    }
    for (int side = 0; side < 2; side++) {
        act(p, side);
        pair_kick(p, side);
    }
    return true;
}

void pair_wait(struct pair *p, iw_time t)
{
    if (t > p->now && t <= pair_next(p))
        p->now = t;
}

/* Only what is on its way to memory ends. */
static void drain(struct pair *p)
{
    while (p->flights) {
        enum flight_kind kind;
        struct flight *f = flight_land(p, &kind);
        if (kind == FLIGHT_COMMIT)
            arrival_placed(p, f);
        if (f->kind == FLIGHT_FREE)
            flight_free(p, f);
    }
}

void pair_cut(struct pair *p)
{
    drain(p);
    for (int side = 0; side < 2; side++) {
        if (p->side[side].down)
            continue;
        p->side[side].down = p->side[side].gone = true;
        iw_llp(p->side[side].ep, p->now, IW_LLP_LOST);
    }
}
