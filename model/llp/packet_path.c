/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* packet_path.c -- choices of path values, a row each (packet_path.h). */
#include "llp/packet_path.h"

#include "engine/carve.h"
#include "engine/law.h"
#include "engine/least.h"

enum { WORD = 64, WORST = 15, EXPLORE = 16, FREEZE_MS = 10 };
static const uint8_t penalties[] = {
    [PACKET_SAID_MARK] = 1, [PACKET_SAID_TRIM] = 4, [PACKET_SAID_LOST] = 15, [PACKET_SAID_PROBED] = 0};

static uint32_t count_of(const struct packet_paths *p)
{
    return p->conf.count;
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

static uint32_t oblivious_next(struct packet_paths *p, iw_time now)
{
    (void)now;
    if (!p->turn)
        p->order = draw(p, count_of(p));
    uint32_t value = p->turn ^ p->order;
    p->turn = (p->turn + 1) & (count_of(p) - 1);
    return value;
}

static uint32_t round_next(struct packet_paths *p, iw_time now)
{
    uint32_t value = p->turn;
    (void)now;
    p->turn = (p->turn + 1) & (count_of(p) - 1);
    return value;
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
static uint32_t bitmap_next(struct packet_paths *p, iw_time now)
{
    uint32_t value = oblivious_next(p, now);
    bool skip = p->penalty[value];
    if (skip && !is_out(p, value))
        p->penalty[value]--;
    for (uint32_t i = 0; i <= count_of(p) && (skip || p->penalty[value] || is_out(p, value)); i++) {
        value = oblivious_next(p, now);
        skip = false;
    }
    while (is_out(p, value)) /* a quarter is not */
        value = oblivious_next(p, now);
    return value;
}

static void bitmap_heard(struct packet_paths *p, iw_time now, uint32_t value, enum packet_said said)
{
    (void)now;
    if (said != PACKET_SAID_GOOD)
        p->penalty[value] = (uint8_t)least(p->penalty[value] + penalties[said], WORST);
}

/* ---- reps ---- */

static void put_good(struct packet_paths *p, uint32_t value)
{
    p->good[p->good_put++ & (p->slots - 1)] = (uint16_t)value;
    p->fresh = (uint32_t)least(p->fresh + 1, p->slots);
}

static uint32_t take_good(struct packet_paths *p)
{
    LAW(p->fresh && p->fresh <= p->slots && p->fresh <= p->good_put);
    return p->good[(p->good_put - p->fresh--) & (p->slots - 1)];
}

static uint32_t reps_next(struct packet_paths *p, iw_time now)
{
    if (p->frozen && p->good_put)
        return p->good[p->turn++ % least(p->good_put, p->slots)];
    (void)now;
    if (p->draws)
        p->draws--;
    else if (p->fresh)
        return take_good(p);
    return draw(p, count_of(p));
}

static void reps_heard(struct packet_paths *p, iw_time now, uint32_t value, enum packet_said said)
{
    if (p->frozen && p->frozen <= now) {
        p->frozen = 0;
        p->fresh = p->good_put = 0;
        p->draws = EXPLORE;
    }
    if (said == PACKET_SAID_GOOD)
        put_good(p, value);
    else if (said == PACKET_SAID_LOST && !p->frozen && !p->draws)
        p->frozen = now + FREEZE_MS * UINT64_C(1000000000);
}

/* ---- mixed ---- */

static uint32_t mixed_next(struct packet_paths *p, iw_time now)
{
    return p->fresh ? take_good(p) : bitmap_next(p, now);
}

static void mixed_heard(struct packet_paths *p, iw_time now, uint32_t value, enum packet_said said)
{
    if (said == PACKET_SAID_GOOD)
        put_good(p, value);
    else
        bitmap_heard(p, now, value, said);
}

/* ---- retire ---- */

static void look_ahead(struct packet_paths *p)
{
    p->test_at = IW_NEVER;
    for (uint32_t i = 0; p->out && i < count_of(p); i++)
        p->test_at = p->retired[i] ? least(p->test_at, p->retired[i]) : p->test_at;
}

static void retire_heard(struct packet_paths *p, iw_time now, uint32_t value, enum packet_said said)
{
    bool last = (p->out + 1) * 4 > count_of(p) * 3;
    if (said == PACKET_SAID_LOST && !p->retired[value] && !last) {
        p->retired[value] = now + p->conf.revive;
        p->out++;
        p->retirements++;
        look_ahead(p);
    } else if (said == PACKET_SAID_PROBED && p->retired[value]) {
        p->retired[value] = 0;
        p->out--;
        look_ahead(p);
    } else if (said != PACKET_SAID_LOST) {
        bitmap_heard(p, now, value, said);
    }
    LAW(p->out * 4 <= count_of(p) * 3); /* at least a quarter of the values is never retired */
}

uint32_t packet_path_test(struct packet_paths *p, iw_time now)
{
    uint32_t value = 0;
    while (!p->retired[value] || p->retired[value] > now)
        value++;
    LAW(value < count_of(p));
    p->retired[value] = now + p->conf.revive;
    look_ahead(p);
    return value;
}

/* ---- rows ---- */

static const struct {
    uint32_t (*next)(struct packet_paths *p, iw_time now);
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
    return c->choice == PACKET_BY_retire && !c->revive ? "the time until a path is tested must not be 0"
                                                       : NULL;
}

void packet_path_lay_out(struct packet_paths *p, struct carve *c, const struct packet_path_conf *conf,
                         uint64_t secret)
{
    uint32_t n = conf->count > 1 ? conf->count : 0, slots = conf->choice == PACKET_BY_mixed ? n : PACKET_REPS;
    struct packet_paths made = {.conf = *conf, .state = secret | 1, .slots = slots, .test_at = IW_NEVER};
    made.retired = carve(c, n * sizeof *made.retired);
    made.used = carve(c, (n + WORD - 1) / WORD * sizeof *made.used);
    made.good = carve(c, (n ? slots : 0) * sizeof *made.good);
    made.penalty = carve(c, n * sizeof *made.penalty);
    if (!p)
        return;
    *p = made;
    for (uint32_t i = 0; i < n; i++) {
        p->retired[i] = 0;
        p->penalty[i] = 0;
        p->used[i / WORD] = 0;
    }
}

uint32_t packet_path_next(struct packet_paths *p, iw_time now)
{
    uint32_t value = choices[p->conf.choice].next(p, now);
    uint64_t bit = UINT64_C(1) << value % WORD;
    LAW(value < count_of(p));
    p->values_used += !(p->used[value / WORD] & bit);
    p->used[value / WORD] |= bit;
    return value;
}

void packet_path_heard(struct packet_paths *p, iw_time now, uint32_t value, enum packet_said said)
{
    choices[p->conf.choice].heard(p, now, value, said);
}
