/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/fabric/world_ahead.h"

#include <stdlib.h>

#include "engine/least.h"
#include "helpers/world/fabric/team.h"

enum {
    HOSTS_FOR_WINDOWS = 128, /* on one thread: fewer are in the caches, turns or not */
    PARTS_PER_THREAD = 4,    /* so that threads end together, be some parts busier than others */
    EVENTS_PER_PART = 8,     /* of a window, so that it is worth its beginning and its end */
    LOOKS = 16               /* during set-up, in the time of a window: all hosts start at the end of it */
};

struct ahead {
    struct fabric *fabric;
    struct hosts *hosts;
    struct trial *trial;
    struct team *team; /* NULL: one thread does it all */
    uint32_t parts;
    iw_time reach, window; /* within which no switch hears of another node; no host of another host */
    iw_time end;           /* of the window under way */
    enum fabric_turns turns;
    bool busy; /* much happened the last time that one was due */
};

/* ---- what is cut ---- */

uint32_t world_parts_max(unsigned threads)
{
    return threads > 1 ? threads * PARTS_PER_THREAD : 1;
}

uint32_t world_parts(const struct scenario_point *point, const struct fabric *f, unsigned threads,
                     const char **why)
{
    uint32_t most = fabric_parts_max(f), want = world_parts_max(threads);
    bool apart = false, pays = threads > 1 || (threads && point->workload.hosts >= HOSTS_FOR_WINDOWS);
    *why = NULL;
    if (!fabric_lookahead(f))
        *why = "a link has no delay, so its ends cannot run in parallel";
    else if (!workload_runs_ahead(&point->workload))
        *why = "in this workload, what arrives at one host makes another act at once";
    else if ((apart = true) && most < 2)
        *why = "all hosts share one switch or group, which is not cut";
    return !apart || !pays ? 0 : want < most ? want : most;
}

static void run_part(void *context, uint32_t part)
{
    struct ahead *a = context;
    fabric_ahead(a->fabric, part, a->turns);
    if (a->turns == FABRIC_HOSTS)
        hosts_settle_ahead(a->hosts, part);
}

static void all_parts(struct ahead *a, enum fabric_turns turns)
{
    a->turns = turns;
    if (a->team)
        team_do(a->team, a->parts);
    else
        for (uint32_t i = 0; i < a->parts; i++)
            run_part(a, i);
}

struct ahead *ahead_new(struct fabric *f, struct hosts *h, struct trial *t, uint32_t parts, unsigned threads)
{
    struct ahead *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    *a = (struct ahead){.fabric = f, .hosts = h, .trial = t, .parts = parts};
    a->reach = fabric_lookahead(f);
    a->window = fabric_window_max(f);
    if (threads < 2)
        return a;
    a->team = team_new(threads < parts ? threads : parts, run_part, a);
    if (a->team)
        return a;
    free(a);
    return NULL;
}

void ahead_free(struct ahead *a)
{
    if (!a)
        return;
    team_free(a->team);
    free(a);
}

/* ---- what happened in a window, in order ---- */

/* What hosts left undone comes in its order among what others did. */
static enum fabric_end replay(struct ahead *a)
{
    struct hosts_key key;
    uint32_t part;
    while (hosts_heard(a->hosts, &part, &key)) {
        struct fabric_key at = {key.at, key.order};
        enum fabric_end end = fabric_run_before(a->fabric, at);
        if (end != FABRIC_UNTIL)
            return end;
        uint32_t halted = hosts_replay(a->hosts, part);
        bool over = trial_over(a->trial, key.at);
        fabric_resume(a->fabric, at, halted);
        if (over)
            return FABRIC_STOPPED;
    }
    return fabric_run_before(a->fabric, (struct fabric_key){a->end, 0});
}

/* Nothing but a broken law, or streams that all end at once, ends a run in a window, and nothing starts the workload there:
 * what else could was seen before. */
static enum fabric_end run_window(struct ahead *a)
{
    bool set_up = hosts_are_set_up(a->hosts);
    fabric_begin_ahead(a->fabric, a->end);
    hosts_begin_ahead(a->hosts);
    all_parts(a, FABRIC_SWITCHES);
    all_parts(a, FABRIC_HOSTS);
    hosts_end_ahead(a->hosts);
    fabric_hear_ahead(a->fabric);
    enum fabric_end end = replay(a);
    fabric_go_ahead(a->fabric);
    all_parts(a, FABRIC_FOLLOW);
    all_parts(a, FABRIC_SETTLE);
    fabric_end_ahead(a->fabric);
    if (set_up != hosts_are_set_up(a->hosts))
        end = FABRIC_STOPPED;
    if (end == FABRIC_STOPPED)
        trial_run_again(a->trial);
    return end;
}

/* ---- windows ---- */

/* From `now` on; false: what comes is to be run event by event. */
static bool window_from(struct ahead *a, iw_time now, iw_time until)
{
    iw_time timer = fabric_next_of_all(a->fabric), end = now + a->window;
    a->end = least(timer < end ? least(now + a->reach, timer + 1) : end, until + 1);
    return a->busy && a->end > now && a->end <= trial_limit(a->trial) && hosts_may_run_ahead(a->hosts);
}

static enum fabric_end run_ahead(struct ahead *a, iw_time now, iw_time until)
{
    if (window_from(a, now, until))
        return run_window(a);
    a->end = least(now + (hosts_have_started(a->hosts) ? a->reach : a->reach / LOOKS), until) + 1;
    return fabric_run_before(a->fabric, (struct fabric_key){a->end, 0});
}

enum fabric_end ahead_run(struct ahead *a, iw_time until)
{
    enum fabric_end end = fabric_run_before(a->fabric, (struct fabric_key){0, 0}); /* kicks */
    uint64_t events = fabric_happened(a->fabric), before = events;
    iw_time now;
    while (end == FABRIC_UNTIL && (now = fabric_deadline(a->fabric)) <= until) {
        bool started = hosts_have_started(a->hosts);
        end = run_ahead(a, now, until);
        events = fabric_happened(a->fabric);
        a->busy = !started || events - before >= (uint64_t)EVENTS_PER_PART * a->parts;
        before = events;
    }
    return end == FABRIC_UNTIL ? fabric_run(a->fabric, until) : end;
}
