/* SPDX-License-Identifier: GPL-2.0-or-later */
/* challenge_cluster.c -- challenges of many hosts: what is asked of the numbers of a run, not of its story (challenge_inner.h). */
#include <inttypes.h>
#include <string.h>

#include "helpers/story/challenge_inner.h"
#include "helpers/trial/trial_run.h"
#include "helpers/world/fabric/world_fabric.h"

#define LATE UINT64_C(960000000) /* ps: 15 x 64 KiB at 10 Gb/s take 840 us */

/* ---- running ---- */

static bool run_point(const struct scenario *s, struct point_results *r, char *out)
{
    struct scenario_point point;
    const struct trial_files files = {.label = "all"};
    struct trial *t = scenario_point(s, 0, 0, &point, out) ? trial_new(&point, &files) : NULL;
    if (!t)
        return false;
    trial_run(t, world_fabric, r);
    trial_free(t);
    return r->status != STATUS_REFUSED || challenge_says(out, "%s", r->note);
}

/* With `more` behind the solution's settings. False: these make no scenario, `out` says why. */
static bool run_for(const struct challenge *c, const char *more, struct point_results *r, char *out)
{
    struct scenario *s = challenge_scenario(c, more, out);
    bool good = s && run_point(s, r, out);
    scenario_free(s);
    return good;
}

static bool point_as_set(const struct challenge *c, struct scenario_point *p, char *out, bool *wrong)
{
    struct scenario *s = challenge_scenario(c, NULL, out);
    *wrong = !s || !scenario_point(s, 0, 0, p, out);
    scenario_free(s);
    return !*wrong;
}

/* When all is done, in picoseconds; UINT64_MAX: it never is. */
static uint64_t done_at(const struct point_results *r)
{
    return r->status == STATUS_OK ? r->completion_ps : UINT64_MAX;
}

/* Runs the solution, and another one with `more`. */
static bool measure_two(const struct challenge *c, const struct challenge *another, const char *more,
                        uint64_t *mine, uint64_t *other, char *out, bool *wrong)
{
    struct point_results a, b;
    *wrong = !run_for(c, NULL, &a, out) || !run_for(another, more, &b, out);
    if (*wrong)
        return false;
    *mine = done_at(&a);
    *other = done_at(&b);
    return *mine < UINT64_MAX || challenge_says(out, "The run does not end in time.");
}

/* The task as it begins. */
static struct challenge unsolved(const struct challenge *c)
{
    struct challenge begin = *c;
    begin.count = 0;
    return begin;
}

static bool is_within(uint64_t mine, uint64_t other, unsigned percent)
{
    return mine / percent <= other / 100;
}

/* ---- the judges ---- */

static bool judge_drops(const struct challenge *c, char *out, bool *wrong)
{
    struct point_results r;
    char time[STORY_NAME_MAX];
    *wrong = !run_for(c, NULL, &r, out);
    if (*wrong)
        return false;
    if (done_at(&r) == UINT64_MAX)
        return challenge_says(out, "The run does not end in time.");
    challenge_says(out, "%" PRIu64 " packets are dropped; all is done at %s us.", r.counted.drops_switch,
                   story_time(done_at(&r), time));
    return !r.counted.drops_switch && done_at(&r) <= LATE;
}

/* One link by its name: nothing that stands for several. */
static bool names_one_link(const struct challenge *c)
{
    return c->count == 1 && !strpbrk(c->sets[0], "*;") && !strstr(c->sets[0], "switch");
}

static bool judge_slow_link(const struct challenge *c, char *out, bool *wrong)
{
    const struct challenge begin = unsolved(c);
    uint64_t mine, whole;
    char a[STORY_NAME_MAX], b[STORY_NAME_MAX];
    *wrong = false;
    if (!names_one_link(c))
        return challenge_says(out, "Set topology.events to one event, of one link: 1us aggregation0-core0 "
                                   "10Gbps for instance.");
    if (!measure_two(c, &begin, "topology.degrade.share=0", &mine, &whole, out, wrong))
        return false;
    challenge_says(out, "All is done at %s us; with no slow link at %s us.", story_time(mine, a),
                   story_time(whole, b));
    return is_within(mine, whole, 102);
}

static bool judge_overtaking(const struct challenge *c, char *out, bool *wrong)
{
    enum { LEAST = 60000, MOST = 70000 };
    uint64_t discard, place;
    char a[STORY_NAME_MAX], b[STORY_NAME_MAX];
    struct scenario_point p;
    if (!point_as_set(c, &p, out, wrong))
        return false;
    if (p.workload.size < LEAST || p.workload.size > MOST)
        return challenge_says(out, "The Write has %" PRIu32 " octets; %d to %d are asked for.",
                              p.workload.size, LEAST, MOST);
    if (!measure_two(c, c, "rnic.receive=place", &discard, &place, out, wrong))
        return false;
    challenge_says(out, "discard is done at %s us, place at %s us.", story_time(discard, a),
                   story_time(place, b));
    return discard <= place;
}

/* What the run takes with this value of a key, in place of the solution's. */
static uint64_t time_with(const struct challenge *c, const char *key, uint64_t value, const char *unit,
                          char *out)
{
    enum { SET_LONG = 64 };
    char set[SET_LONG];
    struct point_results r;
    snprintf(set, sizeof set, "%s=%" PRIu64 "%s", key, value, unit);
    return run_for(c, set, &r, out) ? done_at(&r) : UINT64_MAX;
}

/* Is the value, which the point has, as good as `wide`, to a hundredth, and one step less is not? */
static bool is_smallest(const struct challenge *c, const char *key, uint64_t value, uint64_t step,
                        uint64_t wide, const char *unit, char *out)
{
    char a[STORY_NAME_MAX], b[STORY_NAME_MAX];
    uint64_t best = time_with(c, key, wide, unit, out), mine = time_with(c, key, value, unit, out);
    if (!is_within(mine, best, 101))
        return challenge_says(out, "With %" PRIu64 " it takes until %s us; without a limit until %s us.",
                              value, story_time(mine, a), story_time(best, b));
    if (value > step && is_within(time_with(c, key, value - step, unit, out), best, 101))
        return challenge_says(out, "It is large enough; %" PRIu64 " is, too.", value - step);
    challenge_says(out, "%" PRIu64 " is enough, and %" PRIu64 " less is not.", value, step);
    return true;
}

static bool judge_window(const struct challenge *c, char *out, bool *wrong)
{
    enum { FPDU = 1460, WIDE = 1 << 20 };
    struct scenario_point p;
    return point_as_set(c, &p, out, wrong) &&
           is_smallest(c, "rnic.window.bytes", p.rnic.window.bytes, FPDU, WIDE, "B", out);
}

static bool judge_bits(const struct challenge *c, char *out, bool *wrong)
{
    enum { WIDE = 256 };
    struct scenario_point p;
    return point_as_set(c, &p, out, wrong) && is_smallest(c, "llp.track", p.llp.track, 1, WIDE, "", out);
}

static bool judge_dead_switch(const struct challenge *c, char *out, bool *wrong)
{
    const struct challenge begin = unsolved(c);
    uint64_t mine, whole;
    char a[STORY_NAME_MAX], b[STORY_NAME_MAX];
    if (!measure_two(c, &begin, "topology.events=", &mine, &whole, out, wrong))
        return false;
    challenge_says(out, "All is done at %s us; with all switches alive at %s us.", story_time(mine, a),
                   story_time(whole, b));
    return is_within(mine, whole, 170);
}

/* ---- the table ---- */

const struct challenge_task challenge_cluster_tasks[CHALLENGES - CHALLENGES_OF_PAIR] = {
    {"Fifteen to one",
     "rnic.window.bytes topology.ecn_threshold llp.congestion",
     "Fifteen hosts write 64 KiB each to one, and its switch has a queue of 64 KiB. "
     "Let no packet be dropped, and all be done within 960 us.",
     {"workload.kind=incast", "workload.size=64KiB", "topology.buffer=64KiB"},
     {"seed=1", "seed=2", "seed=3", "seed=4"},
     NULL,
     judge_drops},
    {"The slow link",
     "topology.events",
     "One link between an aggregation switch and a core runs at a tenth of its rate. Find it by "
     "its queue in the picture, and give it 10Gbps at 1us, with one event.",
     {"workload.size=64KiB", "topology.degrade.share=0.0625", "topology.degrade.rate=1Gbps"},
     {"topology.degrade.seed=1", "topology.degrade.seed=3", "topology.degrade.seed=4",
      "topology.degrade.seed=5"},
     NULL,
     judge_slow_link},
    {"Sprayed, and nothing to discard",
     "workload.size",
     "One Write is sprayed to a receiver that discards what comes early. Let it end no later "
     "than with one that places it. The Write has 60000 to 70000 octets.",
     {"workload.kind=stream", "workload.hosts=spread 2", "rnic.receive=discard", "workload.size=64KiB"},
     {"topology.delay=1us", "topology.delay=2us", "topology.delay=3us", "topology.delay=4us"},
     NULL,
     judge_overtaking},
    {"The smallest window of a network",
     "rnic.window.bytes",
     "Between the two hosts that are farthest apart, find the smallest window with which 1 MiB "
     "is there as soon as with any larger one, to 1 % and one FPDU of 1460 octets.",
     {"workload.kind=stream", "workload.hosts=spread 2", "workload.size=1MiB", "llp.congestion=fixed:1MiB",
      "llp.delayed_ack=1", "llp.loss_detection=dupack", "llp.dupack_threshold=100"},
     {"topology.delay=1us", "topology.delay=2us", "topology.delay=3us", "topology.delay=4us"},
     NULL,
     judge_window},
    {"A dead core",
     "llp.path_choice llp.paths",
     "One core switch is dead, and the network does not route around it. Let the senders find "
     "out: all must be done in 1.7 times the time that it takes with all switches, or less.",
     {"workload.size=256KiB", "topology.routing=entropy", "llp.kind=packet", "llp.recovery=rud",
      "llp.paths=16"},
     {"topology.events=0us core0-* down", "topology.events=0us core1-* down",
      "topology.events=0us core2-* down", "topology.events=0us core3-* down"},
     NULL,
     judge_dead_switch},
    {"The fewest bits",
     "llp.track",
     "Each host writes 64 KiB to one other, sprayed. Find the fewest packets that a receiver must "
     "be able to remember, for all to be done as soon as with 256, to 1 %.",
     {"workload.size=64KiB", "llp.kind=packet", "llp.recovery=rud", "llp.flight=64", "llp.tracking=bitmap",
      "llp.track=256"},
     {"seed=1", "seed=2", "seed=3", "seed=4"},
     NULL,
     judge_bits},
};

/* ---- what they begin with ---- */

const char *const challenge_cluster_common[] = {"world=fabric",
                                                "topology.kind=fat_tree",
                                                "topology.k=4",
                                                "topology.rate=10Gbps",
                                                "topology.delay=1us",
                                                "topology.mtu=1500",
                                                "topology.buffer=256KiB",
                                                "topology.routing=spray",
                                                "rnic.preset=t6",
                                                "workload.kind=permutation",
                                                "workload.op=write",
                                                "workload.count=1",
                                                "payload=none",
                                                "limit.sim=20ms",
                                                NULL};
