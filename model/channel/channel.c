/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "channel/channel.h"

#include <stddef.h>

#include "engine/law.h"

enum draw {
    DRAW_LOSS,
    DRAW_BURST_STATE,
    DRAW_BURST_LOSS,
    DRAW_CORRUPT,
    DRAW_DUPLICATE,
    DRAW_REORDER,
    DRAW_JITTER,
    DRAW_ENTROPY,
    DRAWS
};

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* splitmix64 (Steele, Lea, Flood 2014) with the counter in place of the state, twice so that near keys part. */
uint64_t channel_draw(uint64_t key, uint64_t counter)
{
    return mix(key ^ mix(counter * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u));
}

uint64_t channel_key(uint64_t seed, uint32_t repeat, uint32_t link, uint32_t direction)
{
    return channel_draw(channel_draw(seed, repeat), (uint64_t)link << 32 | direction);
}

uint64_t channel_threshold(double probability)
{
    if (probability <= 0)
        return 0;
    return probability >= 1 ? UINT64_MAX : (uint64_t)(probability * 18446744073709551616.0);
}

static bool is_probability(double p)
{
    return p >= 0 && p <= 1;
}

static bool draws(const struct channel_conf *c)
{
    return c->loss > 0 || c->burst.p > 0 || c->burst.loss_good > 0 || c->corrupt > 0 || c->duplicate > 0 ||
           c->reorder.probability > 0 || c->jitter || c->delay.count;
}

const char *channel_conf_error(const struct channel_conf *c)
{
    const double all[] = {c->loss,           c->burst.p, c->burst.r,   c->burst.loss_good,
                          c->burst.loss_bad, c->corrupt, c->duplicate, c->reorder.probability};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!is_probability(all[i]))
            return "a probability must be 0 .. 1";
    if (c->burst.p > 0 && c->burst.r <= 0)
        return "burst.p without burst.r: the bad state would never end";
    if (c->trace.count && draws(c))
        return "channel.trace decides about every packet: nothing can be drawn beside it";
    if (c->trace.count && c->trace.first > c->trace.count)
        return "channel.trace.start is behind the last packet of the trace";
    return NULL;
}

uint64_t channel_longest(const struct channel_conf *c)
{
    uint64_t measured = c->delay.count ? c->delay.entry[c->delay.count - 1].time : 0;
    return c->reorder.delay + c->jitter + measured;
}

bool channel_impairs(const struct channel_conf *c)
{
    return c->trace.count || draws(c);
}

/* No packet has this number: where a trace starts depends on no draw about a packet. */
static uint32_t first_seen(const struct channel_trace *t, uint64_t key)
{
    if (!t->count || t->first)
        return t->count ? t->first - 1 : 0;
    return (uint32_t)channel_uniform(channel_draw(key, UINT64_MAX), t->count - 1);
}

void channel_init(struct channel *c, const struct channel_conf *conf, uint64_t seed, uint32_t repeat,
                  uint32_t link, uint32_t direction)
{
    bool holds = conf->reorder.delay || conf->reorder.displacement;
    *c = (struct channel){
        .key = channel_key(seed, repeat, link, direction),
        .loss = channel_threshold(conf->loss),
        .good_loss = channel_threshold(conf->burst.loss_good),
        .bad_loss = channel_threshold(conf->burst.loss_bad),
        .to_bad = channel_threshold(conf->burst.p),
        .to_good = channel_threshold(conf->burst.r),
        .corrupt = channel_threshold(conf->corrupt),
        .duplicate = channel_threshold(conf->duplicate),
        .reorder = holds ? channel_threshold(conf->reorder.probability) : 0,
        .delay = conf->reorder.delay,
        .displacement = conf->reorder.displacement,
        .jitter = conf->jitter,
        .burst = conf->burst.p > 0 || conf->burst.loss_good > 0,
        .trace = conf->trace,
        .delays = conf->delay,
    };
    c->at = first_seen(&c->trace, c->key);
    LAW(!c->trace.count || c->at < c->trace.count);
}

static uint64_t draw_number(const struct channel *c, enum draw which)
{
    return channel_draw(c->key, c->number * DRAWS + which);
}

static bool hit(const struct channel *c, enum draw which, uint64_t threshold)
{
    return threshold && draw_number(c, which) < threshold;
}

/* The chain moves first, then the packet meets the state it finds. */
static bool lost_in_burst(struct channel *c)
{
    if (!c->burst)
        return false;
    if (hit(c, DRAW_BURST_STATE, c->bad ? c->to_good : c->to_bad))
        c->bad = !c->bad;
    return hit(c, DRAW_BURST_LOSS, c->bad ? c->bad_loss : c->good_loss);
}

/* The upper half of bits x (limit + 1). */
uint64_t channel_uniform(uint64_t bits, uint64_t limit)
{
    uint64_t n = limit + 1, high = bits >> 32, low = (uint32_t)bits;
    if (!n)
        return bits;
    uint64_t middle = high * (uint32_t)n + (low * (uint32_t)n >> 32);
    uint64_t value = high * (n >> 32) + (middle >> 32) + ((low * (n >> 32) + (uint32_t)middle) >> 32);
    LAW(value <= limit);
    return value;
}

enum { FRACTION = 24 }; /* bits after the point */

/* The logarithm to base 2 of x / 2^31, x in [2^31, 2^32): each squaring brings one binary digit. */
static uint64_t log2_of(uint64_t x)
{
    uint64_t log = 0;
    for (int i = 0; i < FRACTION; i++) {
        x = x * x >> 31;
        log = log << 1 | x >> 32;
        x >>= x >> 32;
    }
    LAW(log < (uint64_t)1 << FRACTION);
    return log;
}

/* -ln(u) for u = (n + 1) / 2^32, in units of 2^-FRACTION; in whole numbers, so that every machine draws the same. */
static uint64_t exponential(uint32_t n)
{
    const uint64_t ln2 = 11629080; /* ln 2 x 2^24 */
    uint64_t x = n, shift = 0;
    if (n == UINT32_MAX)
        return 0;
    for (x++; x < (uint64_t)1 << 31; x <<= 1)
        shift++;
    return ((shift + 1) << FRACTION) * ln2 / ((uint64_t)1 << FRACTION) - (log2_of(x) * ln2 >> FRACTION);
}

uint64_t channel_exponential(uint64_t bits, uint64_t mean)
{
    const uint64_t below = ((uint64_t)1 << FRACTION) - 1;
    uint64_t e = exponential((uint32_t)(bits >> 32)), part = e & below;
    return mean * (e >> FRACTION) + (mean >> FRACTION) * part + ((mean & below) * part >> FRACTION);
}

/* Half a packet more than those that are to overtake it: behind the last of them, before the next. */
static struct channel_fate replay(struct channel *c, uint64_t serialization)
{
    const struct channel_seen *s = &c->trace.seen[c->at];
    uint64_t passed = s->packets ? s->packets * serialization + serialization / 2 : 0;
    uint64_t delay = c->trace.by_time ? s->time : passed;
    LAW(c->at < c->trace.count &&
        (!c->trace.first || c->at == (c->trace.first - 1 + c->number) % c->trace.count));
    c->at = c->at + 1 < c->trace.count ? c->at + 1 : 0;
    c->number++;
    return (struct channel_fate){
        .lost = s->lost, .duplicated = s->twice, .reordered = delay > 0, .delay = delay};
}

struct channel_fate channel_take(struct channel *c, uint64_t serialization)
{
    struct channel_fate f = {0};
    if (c->trace.count)
        return replay(c, serialization);
    bool burst_loss = lost_in_burst(c);
    f.lost = hit(c, DRAW_LOSS, c->loss) || burst_loss;
    f.corrupted = hit(c, DRAW_CORRUPT, c->corrupt);
    f.duplicated = hit(c, DRAW_DUPLICATE, c->duplicate);
    f.reordered = hit(c, DRAW_REORDER, c->reorder);
    if (f.reordered)
        f.delay = c->delay + c->displacement * serialization;
    if (c->jitter)
        f.delay += channel_uniform(draw_number(c, DRAW_JITTER), c->jitter);
    LAW(f.reordered || f.delay <= c->jitter);
    if (f.corrupted)
        f.entropy = draw_number(c, DRAW_ENTROPY);
    c->number++;
    return f;
}

/* ---- delays as they were measured ---- */

/* The first entry whose share is above a draw of 32 bits. */
static uint32_t entry_above(const struct channel_delays *d, uint64_t share)
{
    uint32_t low = 0, high = d->count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (d->entry[middle].share > share)
            high = middle;
        else
            low = middle + 1;
    }
    LAW(d->entry[low].share > share && (!low || d->entry[low - 1].share <= share));
    return low;
}

static uint64_t measured(const struct channel_delays *d, uint64_t bits)
{
    uint64_t share = bits >> 32;
    uint32_t i = entry_above(d, share);
    if (i == 0)
        return d->entry[0].time;
    const struct channel_delay *a = &d->entry[i - 1], *b = &d->entry[i];
    uint64_t part = ((share - a->share) << 32) / (b->share - a->share);
    return a->time + channel_uniform(part << 32, b->time - a->time);
}

/* No packet has this number, and no trace starts by it: what holds for a while depends on no draw about a packet. */
static uint64_t draw_delay(const struct channel *c, uint64_t now)
{
    const struct channel_delays *d = &c->delays;
    uint64_t key = channel_draw(c->key, UINT64_MAX - 1);
    return measured(d, channel_draw(key, d->hold ? now / d->hold : c->number));
}

/* A link that keeps the order is busy with one packet after the other. */
uint64_t channel_arrival(struct channel *c, uint64_t now, uint64_t serialization,
                         const struct channel_fate *fate)
{
    uint64_t at = c->delays.count ? now + draw_delay(c, now) : now;
    if (c->delays.count && !c->delays.overtakes) {
        at = at < c->free + serialization ? c->free + serialization : at;
        LAW(at >= now && at >= c->free);
        c->free = at;
    }
    return at + fate->delay;
}
