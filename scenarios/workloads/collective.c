/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collective.c -- who sends what to whom in a collective operation (collective.h). */
#include "scenarios/workloads/collective.h"

#include "engine/law.h"

struct teller {
    uint32_t hosts, host;
    collective_take *take;
    void *context;
};

static uint32_t send_to(const struct teller *t, uint32_t peer, uint32_t units, uint32_t after)
{
    LAW(peer < t->hosts && peer != t->host);
    return t->take(t->context, &(struct collective_step){GOAL_SEND, peer, units, after});
}

static uint32_t receive_from(const struct teller *t, uint32_t peer, uint32_t units)
{
    LAW(peer < t->hosts && peer != t->host);
    return t->take(t->context, &(struct collective_step){GOAL_RECV, peer, units, COLLECTIVE_LAST_CALC});
}

static void join(const struct teller *t)
{
    t->take(t->context, &(struct collective_step){.kind = GOAL_CALC, .after = COLLECTIVE_LAST_CALC});
}

/* ---- ring: what came last goes on to the next host ---- */

static void ring_of(const struct teller *t, uint32_t rounds)
{
    uint32_t next = (t->host + 1) % t->hosts, before = (t->host + t->hosts - 1) % t->hosts;
    uint32_t came = COLLECTIVE_LAST_CALC;
    for (uint32_t i = 0; i < rounds; i++) {
        send_to(t, next, 1, came);
        came = receive_from(t, before, 1);
    }
}

static void ring(const struct teller *t)
{
    ring_of(t, t->hosts - 1);
}

static void ring_twice(const struct teller *t)
{
    ring_of(t, 2 * (t->hosts - 1));
}

/* Part by part from host 0 on; the last host passes nothing on. */
static void chain(const struct teller *t)
{
    for (uint32_t i = 0; i < t->hosts; i++) {
        uint32_t came = t->host ? receive_from(t, t->host - 1, 1) : COLLECTIVE_LAST_CALC;
        if (t->host + 1 < t->hosts)
            send_to(t, t->host + 1, 1, came);
    }
}

/* ---- halving: with the host whose number differs in one bit; so many parts as the bit says ---- */

static uint32_t exchange(const struct teller *t, uint32_t bit, uint32_t came)
{
    send_to(t, t->host ^ bit, bit, came);
    return receive_from(t, t->host ^ bit, bit);
}

static uint32_t halve(const struct teller *t)
{
    uint32_t came = COLLECTIVE_LAST_CALC;
    for (uint32_t bit = t->hosts / 2; bit; bit /= 2)
        came = exchange(t, bit, came);
    return came;
}

static void double_up(const struct teller *t, uint32_t came)
{
    for (uint32_t bit = 1; bit < t->hosts; bit *= 2)
        came = exchange(t, bit, came);
}

static void halving(const struct teller *t)
{
    halve(t);
}

static void doubling(const struct teller *t)
{
    double_up(t, COLLECTIVE_LAST_CALC);
}

static void halving_and_doubling(const struct teller *t)
{
    double_up(t, halve(t));
}

/* ---- tree: host h's parent is h without its lowest bit ---- */

static uint32_t parent(uint32_t host)
{
    return host & (host - 1);
}

static bool has_child(const struct teller *t, uint32_t bit)
{
    return t->host + bit < t->hosts && parent(t->host + bit) == t->host;
}

static void up_the_tree(const struct teller *t)
{
    uint32_t children = 0;
    for (uint32_t bit = 1; bit < t->hosts; bit *= 2)
        if (has_child(t, bit)) {
            receive_from(t, t->host + bit, 1);
            children++;
        }
    if (children)
        join(t);
    if (t->host)
        send_to(t, parent(t->host), 1, COLLECTIVE_LAST_CALC);
}

/* To one child after the other, that with most hosts behind it first. */
static void down_the_tree(const struct teller *t)
{
    uint32_t before = t->host ? receive_from(t, parent(t->host), 1) : COLLECTIVE_LAST_CALC, bit = 1;
    while (bit < t->hosts)
        bit *= 2;
    for (bit /= 2; bit; bit /= 2)
        if (has_child(t, bit))
            before = send_to(t, t->host + bit, 1, before);
}

static void up_and_down(const struct teller *t)
{
    up_the_tree(t);
    down_the_tree(t);
}

/* ---- direct: to all others at once, the next host first ---- */

static void direct(const struct teller *t)
{
    for (uint32_t i = 1; i < t->hosts; i++)
        send_to(t, (t->host + i) % t->hosts, 1, COLLECTIVE_LAST_CALC);
    for (uint32_t i = 1; i < t->hosts; i++)
        receive_from(t, (t->host + t->hosts - i) % t->hosts, 1);
}

static void direct_twice(const struct teller *t)
{
    direct(t);
    join(t);
    direct(t);
}

static void fan_out(const struct teller *t)
{
    if (t->host)
        receive_from(t, 0, 1);
    for (uint32_t i = 1; i < t->hosts && !t->host; i++)
        send_to(t, i, 1, COLLECTIVE_LAST_CALC);
}

/* ---- what it costs ---- */

static uint32_t log2_of(uint32_t hosts)
{
    uint32_t log = 0;
    while (hosts >> (log + 1))
        log++;
    return log;
}

static struct collective_cost ring_cost(uint32_t n)
{
    return (struct collective_cost){(uint64_t)n * (n - 1), n - 1, n - 1};
}

/* The first part goes n - 1 times, and the others follow it. */
static struct collective_cost chain_cost(uint32_t n)
{
    return (struct collective_cost){(uint64_t)n * (n - 1), 2 * ((uint64_t)n - 1), n - 1};
}

static struct collective_cost halving_cost(uint32_t n)
{
    return (struct collective_cost){(uint64_t)n * log2_of(n), n - 1, log2_of(n)};
}

/* The longest way: to the host with most bits. */
static struct collective_cost tree_cost(uint32_t n)
{
    return (struct collective_cost){n - 1, log2_of(n), log2_of(n)};
}

static struct collective_cost direct_cost(uint32_t n)
{
    return (struct collective_cost){(uint64_t)n * (n - 1), n - 1, 1};
}

static struct collective_cost fan_cost(uint32_t n)
{
    return (struct collective_cost){n - 1, n - 1, 1};
}

/* ---- which operation goes by which way ---- */

struct way {
    void (*tell)(const struct teller *t);
    struct collective_cost (*cost)(uint32_t hosts);
    uint32_t times;
    bool whole; /* nothing is cut in parts */
    bool even;  /* with 2, 4, 8 ... hosts only */
};
enum { CUT = false, WHOLE = true };

static const struct way ways[WORKLOAD_OPS][WORKLOAD_WAYS] = {
    [WORKLOAD_ALLREDUCE] = {[WORKLOAD_BY_RING] = {ring_twice, ring_cost, 2, CUT, false},
                            [WORKLOAD_BY_TREE] = {up_and_down, tree_cost, 2, WHOLE, false},
                            [WORKLOAD_BY_HALVING] = {halving_and_doubling, halving_cost, 2, CUT, true},
                            [WORKLOAD_BY_DIRECT] = {direct_twice, direct_cost, 2, CUT, false}},
    [WORKLOAD_ALL_GATHER] = {[WORKLOAD_BY_RING] = {ring, ring_cost, 1, CUT, false},
                             [WORKLOAD_BY_HALVING] = {doubling, halving_cost, 1, CUT, true},
                             [WORKLOAD_BY_DIRECT] = {direct, direct_cost, 1, CUT, false}},
    [WORKLOAD_REDUCE_SCATTER] = {[WORKLOAD_BY_RING] = {ring, ring_cost, 1, CUT, false},
                                 [WORKLOAD_BY_HALVING] = {halving, halving_cost, 1, CUT, true},
                                 [WORKLOAD_BY_DIRECT] = {direct, direct_cost, 1, CUT, false}},
    [WORKLOAD_ALL_TO_ALL] = {[WORKLOAD_BY_DIRECT] = {direct, direct_cost, 1, CUT, false}},
    [WORKLOAD_BROADCAST] = {[WORKLOAD_BY_RING] = {chain, chain_cost, 1, CUT, false},
                            [WORKLOAD_BY_TREE] = {down_the_tree, tree_cost, 1, WHOLE, false},
                            [WORKLOAD_BY_DIRECT] = {fan_out, fan_cost, 1, WHOLE, false}}};

/* Where a way is missing; NULL: it goes by all. */
static const char *const others[WORKLOAD_OPS] = {
    [WORKLOAD_ALL_GATHER] = "all_gather goes by ring, halving or direct: set workload.by to one of them",
    [WORKLOAD_REDUCE_SCATTER] =
        "reduce_scatter goes by ring, halving or direct: set workload.by to one of them",
    [WORKLOAD_ALL_TO_ALL] = "all_to_all goes from each host to all others: it needs workload.by: direct",
    [WORKLOAD_BROADCAST] = "broadcast goes by ring, tree or direct: set workload.by to one of them"};

static const struct way *way_of(const struct workload_conf *conf)
{
    return &ways[conf->op][conf->by];
}

const char *collective_error(const struct workload_conf *conf)
{
    if (!workload_is_of_all(conf->op))
        return "collective needs workload.op: allreduce, all_gather, reduce_scatter, all_to_all or broadcast";
    if (!way_of(conf)->tell)
        return others[conf->op];
    if (way_of(conf)->even && (conf->hosts & (conf->hosts - 1)))
        return "by halving needs 2, 4, 8 ... hosts: workload.by: ring or direct takes any number";
    return conf->count == WORKLOAD_UNLIMITED
               ? "a collective operation is run so often as workload.count says, "
                 "which needs a number"
               : NULL;
}

uint32_t collective_unit(const struct workload_conf *conf)
{
    return way_of(conf)->whole ? conf->size
                               : (uint32_t)(((uint64_t)conf->size + conf->hosts - 1) / conf->hosts);
}

struct collective_cost collective_cost(const struct workload_conf *conf)
{
    const struct way *way = way_of(conf);
    struct collective_cost one = way->cost(conf->hosts);
    return (struct collective_cost){one.messages * way->times, one.units * way->times,
                                    one.rounds * way->times};
}

void collective_steps(const struct workload_conf *conf, uint32_t host, collective_take *take, void *context)
{
    LAW(host < conf->hosts && !collective_error(conf));
    way_of(conf)->tell(&(struct teller){conf->hosts, host, take, context});
}
