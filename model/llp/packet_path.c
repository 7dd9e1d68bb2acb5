/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_path.c -- choices of path values, a row each (packet_path.h). */
#include "llp/packet_path.h"

#include "engine/carve.h"
#include "engine/law.h"
#include "engine/least.h"

enum { WORD = 64, WORST = 15, EXPLORE = 16, FREEZE_MS = 10 };
static const uint8_t penalties[] = {
    [PACKET_SAID_MARK] = 1, [PACKET_SAID_TRIM] = 4, [PACKET_SAID_LOST] = 15, [PACKET_SAID_PROBED] = 0};

static uint32_t path_ports(const struct packet_path_conf *c)
{
    return c->ports ? c->ports : 1;
}

/* Of each port. */
static uint32_t count_of(const struct packet_paths *p)
{
    return p->conf.count / path_ports(&p->conf);
}

static uint32_t value_of(const struct packet_paths *p, const struct packet_path_port *at, uint32_t nth)
{
    return nth * path_ports(&p->conf) + (uint32_t)(at - p->port);
}

static struct packet_path_port *port_of(const struct packet_paths *p, uint32_t value)
{
    return &p->port[value & (path_ports(&p->conf) - 1)];
}

/* Uniform in 0 .. n - 1, n a power of two (xorshift64*, Vigna 2016). */
static uint32_t draw(struct packet_paths *p, uint32_t n)
{
    p->state ^= p->state >> 12;
    p->state ^= p->state << 25;
    p->state ^= p->state >> 27;
    return (uint32_t)(p->state * UINT64_C(0x2545f4914f6cdd1d) >> 32) & (n - 1);
}

/* ---- oblivious, round ---- */

static uint32_t oblivious_next(struct packet_paths *p, struct packet_path_port *at)
{
    if (!at->turn)
        at->order = draw(p, count_of(p));
    uint32_t nth = at->turn ^ at->order;
    at->turn = (at->turn + 1) & (count_of(p) - 1);
    return value_of(p, at, nth);
}

static uint32_t round_next(struct packet_paths *p, struct packet_path_port *at)
{
    uint32_t nth = at->turn;
    at->turn = (at->turn + 1) & (count_of(p) - 1);
    return value_of(p, at, nth);
}

static void nothing(struct packet_paths *p, iw_time now, uint32_t value, enum packet_said said)
{
    (void)p;
    (void)now;
    (void)value;
    (void)said;
}

/* ---- bitmap ---- */

static bool is_out(const struct packet_paths *p, uint32_t value)
{
    return p->conf.choice == PACKET_BY_retire && p->retired[value];
}

/* The first alone that is passed over is forgiven a part; when all have penalties the last looked at has its turn. */
static uint32_t bitmap_next(struct packet_paths *p, struct packet_path_port *at)
{
    uint32_t value = oblivious_next(p, at);
    bool skip = p->penalty[value];
    if (skip && !is_out(p, value))
        p->penalty[value]--;
    for (uint32_t i = 0; i <= count_of(p) && (skip || p->penalty[value] || is_out(p, value)); i++) {
        value = oblivious_next(p, at);
        skip = false;
    }
    while (is_out(p, value)) /* some are not: the port leads */
        value = oblivious_next(p, at);
    return value;
}

static void bitmap_heard(struct packet_paths *p, iw_time now, uint32_t value, enum packet_said said)
{
    (void)now;
    if (said != PACKET_SAID_GOOD)
        p->penalty[value] = (uint8_t)least(p->penalty[value] + penalties[said], WORST);
}

/* ---- reps ---- */

static void put_good(const struct packet_paths *p, uint32_t value)
{
    struct packet_path_port *at = port_of(p, value);
    at->good[at->good_put++ & (p->slots - 1)] = (uint16_t)value;
    at->fresh = (uint32_t)least(at->fresh + 1, p->slots);
}

static uint32_t take_good(const struct packet_paths *p, struct packet_path_port *at)
{
    LAW(at->fresh && at->fresh <= p->slots && at->fresh <= at->good_put);
    return at->good[(at->good_put - at->fresh--) & (p->slots - 1)];
}

static uint32_t reps_next(struct packet_paths *p, struct packet_path_port *at)
{
    if (at->frozen && at->good_put)
        return at->good[at->turn++ % least(at->good_put, p->slots)];
    if (at->draws)
        at->draws--;
    else if (at->fresh)
        return take_good(p, at);
    return value_of(p, at, draw(p, count_of(p)));
}

static void reps_heard(struct packet_paths *p, iw_time now, uint32_t value, enum packet_said said)
{
    struct packet_path_port *at = port_of(p, value);
    if (at->frozen && at->frozen <= now) {
        at->frozen = 0;
        at->fresh = at->good_put = 0;
        at->draws = EXPLORE;
    }
    if (said == PACKET_SAID_GOOD)
        put_good(p, value);
    else if (said == PACKET_SAID_LOST && !at->frozen && !at->draws)
        at->frozen = now + FREEZE_MS * UINT64_C(1000000000);
}

/* ---- mixed ---- */

static uint32_t mixed_next(struct packet_paths *p, struct packet_path_port *at)
{
    return at->fresh ? take_good(p, at) : bitmap_next(p, at);
}

static void mixed_heard(struct packet_paths *p, iw_time now, uint32_t value, enum packet_said said)
{
    if (said == PACKET_SAID_GOOD)
        put_good(p, value);
    else
        bitmap_heard(p, now, value, said);
}

/* ---- retire ---- */

static bool waits_for_test(const struct packet_paths *p, uint32_t value)
{
    return p->retired[value] && port_of(p, value)->test == PACKET_NO_PATH;
}

static void look_ahead(struct packet_paths *p)
{
    p->test_at = IW_NEVER;
    for (uint32_t i = 0; p->out && i < p->conf.count; i++)
        p->test_at = waits_for_test(p, i) ? least(p->test_at, p->retired[i]) : p->test_at;
}

static void retire(struct packet_paths *p, iw_time now, uint32_t value)
{
    p->retired[value] = now + p->conf.revive;
    p->out++;
    port_of(p, value)->out++;
    p->retirements++;
    look_ahead(p);
}

static void revive(struct packet_paths *p, uint32_t value)
{
    p->retired[value] = 0;
    p->out--;
    port_of(p, value)->out--;
    look_ahead(p);
}

static void retire_heard(struct packet_paths *p, iw_time now, uint32_t value, enum packet_said said)
{
    bool last = (p->out + 1) * 4 > p->conf.count * 3;
    if (said == PACKET_SAID_LOST && !p->retired[value] && !last)
        retire(p, now, value);
    else if (said == PACKET_SAID_PROBED && p->retired[value])
        revive(p, value);
    else if (said != PACKET_SAID_LOST)
        bitmap_heard(p, now, value, said);
    LAW(p->out * 4 <= p->conf.count * 3); /* at least a quarter of the values is never retired */
}

void packet_path_expire(struct packet_paths *p, iw_time now)
{
    for (uint32_t i = 0; i < p->conf.count; i++)
        if (waits_for_test(p, i) && p->retired[i] <= now) {
            port_of(p, i)->test = i;
            p->retired[i] = now + p->conf.revive;
        }
    look_ahead(p);
}

uint32_t packet_path_test(struct packet_paths *p, uint32_t port)
{
    uint32_t value = p->port[port].test;
    p->port[port].test = PACKET_NO_PATH;
    look_ahead(p);
    return value;
}

/* ---- rows ---- */

static const struct {
    uint32_t (*next)(struct packet_paths *p, struct packet_path_port *at);
    void (*heard)(struct packet_paths *p, iw_time now, uint32_t value, enum packet_said said);
} choices[] = {
    [PACKET_BY_oblivious] = {oblivious_next, nothing}, [PACKET_BY_round] = {round_next, nothing},
    [PACKET_BY_bitmap] = {bitmap_next, bitmap_heard},  [PACKET_BY_reps] = {reps_next, reps_heard},
    [PACKET_BY_mixed] = {mixed_next, mixed_heard},     [PACKET_BY_retire] = {bitmap_next, retire_heard},
};
_Static_assert(sizeof choices / sizeof *choices == PACKET_CHOICES, "a row for each");

const char *packet_path_error(const struct packet_path_conf *c)
{
    if (c->count > PACKET_PATHS_MAX || c->count & (c->count - 1))
        return "paths must be a power of two, at most 1024";
    if (c->count > 1 && (!c->choice || c->choice >= PACKET_CHOICES))
        return "there is no such choice of a path";
    if (path_ports(c) & (path_ports(c) - 1) || (c->count > 1 && path_ports(c) > c->count))
        return "ports must be a power of two, each with a path value of its own";
    return c->choice == PACKET_BY_retire && !c->revive ? "the time until a path is tested must not be 0"
                                                       : NULL;
}

static void begin_values(struct packet_paths *p)
{
    for (uint32_t i = 0; i < p->conf.count; i++) {
        p->retired[i] = 0;
        p->penalty[i] = 0;
        p->used[i / WORD] = 0;
    }
}

void packet_path_lay_out(struct packet_paths *p, struct carve *c, const struct packet_path_conf *conf,
                         uint64_t secret)
{
    uint32_t n = conf->count > 1 ? conf->count : 0, ports = n ? path_ports(conf) : 0;
    uint32_t slots = conf->choice == PACKET_BY_mixed ? n / (ports + !ports) : PACKET_REPS;
    struct packet_paths made = {.conf = *conf, .state = secret | 1, .slots = slots, .test_at = IW_NEVER};
    made.conf.count = n;
    made.retired = carve(c, n * sizeof *made.retired);
    made.used = carve(c, (n + WORD - 1) / WORD * sizeof *made.used);
    made.port = carve(c, ports * sizeof *made.port);
    uint16_t *good = carve(c, ports * slots * sizeof *good);
    made.penalty = carve(c, n * sizeof *made.penalty);
    if (!p)
        return;
    *p = made;
    begin_values(p);
    for (uint32_t i = 0; i < ports; i++)
        p->port[i] = (struct packet_path_port){.good = good + i * slots, .test = PACKET_NO_PATH};
}

bool packet_path_leads(const struct packet_paths *p, uint32_t port)
{
    return p->port[port].out < count_of(p);
}

uint32_t packet_path_next(struct packet_paths *p, uint32_t port)
{
    uint32_t value = choices[p->conf.choice].next(p, &p->port[port]);
    uint64_t bit = UINT64_C(1) << value % WORD;
    LAW(value < p->conf.count && port_of(p, value) == &p->port[port]); /* of a port's own values */
    p->values_used += !(p->used[value / WORD] & bit);
    p->used[value / WORD] |= bit;
    return value;
}

void packet_path_heard(struct packet_paths *p, iw_time now, uint32_t value, enum packet_said said)
{
    choices[p->conf.choice].heard(p, now, value, said);
}
