/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial.c -- one point, run once: between world and workload (trial.h). */
#include "helpers/trial/trial.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rdmap.h"
#include "helpers/scenario/goal_check.h"
#include "helpers/trial/trial_inner.h"

enum { CLOCK_EVERY = 4096 }; /* events between looks at the real clock */

const char *trial_pcap(const struct trial *t)
{
    return t->files.pcap;
}

uint32_t trial_host(const struct trial *t, uint32_t conn, int side)
{
    const struct workload_pair *pair = &t->flow[conn].pair;
    return side ? pair->to : pair->from;
}

/* ---- status ---- */

static void stop(struct trial *t, enum point_status status)
{
    if (!t->stopped)
        t->r.status = status;
    t->stopped = true;
}

__attribute__((format(printf, 2, 0))) static void note(struct trial *t, const char *format, va_list arguments)
{
    if (!*t->r.note)
        vsnprintf(t->r.note, sizeof t->r.note, format, arguments);
}

void trial_set_note(struct trial *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(t, format, arguments);
    va_end(arguments);
}

void trial_broken(struct trial *t, uint64_t now, const char *format, ...)
{
    char at[40];
    va_list arguments;
    va_start(arguments, format);
    value_decimal(now, 6, at, sizeof at);
    if (!*t->r.note) {
        note(t, format, arguments);
        size_t used = strlen(t->r.note);
        snprintf(t->r.note + used, sizeof t->r.note - used, " (at %s us)", at);
    }
    va_end(arguments);
    stop(t, STATUS_BROKEN);
}

void trial_refuse(struct trial *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(t, format, arguments);
    va_end(arguments);
    stop(t, STATUS_REFUSED);
}

void trial_remark(const struct trial *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "iwarpsim: point %s: ", t->files.label ? t->files.label : "");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void trial_no_memory(struct trial *t)
{
    t->no_memory = true;
    stop(t, STATUS_CRASHED);
}

static void say_who_waits(struct trial *t, const char *why)
{
    struct workload_waits waits;
    if (!workload_waits(t->workload, &waits)) {
        trial_set_note(t, "%s", why);
        return;
    }
    if (waits.op) {
        char op[GOAL_OP_TEXT];
        goal_op_text(waits.op, waits.label, op);
        trial_set_note(t, "%s: the schedule is stuck in %s", why, op);
        return;
    }
    struct workload_pair pair = workload_pair(&t->point->workload, waits.conn);
    trial_set_note(t, "%s: connection %u (host %u to host %u) waits for %s, message %llu of side %d", why,
                   waits.conn, pair.from, pair.to, waits.what, (unsigned long long)waits.index, waits.side);
}

static void hit_limit(struct trial *t, enum point_status status, const char *why)
{
    say_who_waits(t, why);
    stop(t, status);
}

void trial_stalled(struct trial *t, uint64_t now)
{
    (void)now;
    if (!t->stopped && !workload_over(t->workload))
        hit_limit(t, STATUS_STALLED, "no event is left");
}

/* A length, a number or a mark was another one than was sent, and what it stood for never comes. */
void trial_misled(struct trial *t, uint32_t conn, int side)
{
    char why[120];
    if (t->r.status != STATUS_STALLED || workload_has_done(t->workload, conn))
        return;
    snprintf(why, sizeof why, "host %u took an altered packet on connection %u and could not know it",
             trial_host(t, conn, side), conn);
    t->r.status = STATUS_ENDED;
    *t->r.note = 0;
    say_who_waits(t, why);
}

void trial_deadlock(struct trial *t, const char *links)
{
    if (t->stopped || workload_over(t->workload))
        return;
    trial_set_note(t, "links pause each other in a circle: %s", links);
    stop(t, STATUS_DEADLOCK);
}

static bool wall_is_over(struct trial *t)
{
    struct timespec now;
    if (t->looks++ % CLOCK_EVERY)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (double)(now.tv_sec - t->wall.tv_sec) + 1e-9 * (double)(now.tv_nsec - t->wall.tv_nsec);
    return seconds * 1e12 > (double)t->point->limit.wall;
}

uint64_t trial_window_end(const struct trial *t)
{
    return t->running && !has_share(t) ? t->until : IW_NEVER;
}

bool trial_over(struct trial *t, uint64_t now)
{
    if (t->stopped)
        return true;
    if (t->running && workload_over(t->workload)) {
        t->over_at = t->over_at == IW_NEVER ? now : t->over_at;
        return true;
    }
    if (now >= trial_window_end(t)) {
        t->over_at = t->until;
        stop(t, STATUS_OK);
    } else if (now > t->point->limit.sim)
        hit_limit(t, STATUS_LIMIT_SIM, "limit.sim is reached");
    else if (now > t->progress && now - t->progress > t->point->limit.idle)
        hit_limit(t, STATUS_LIMIT_IDLE, "nothing was placed and nothing completed for limit.idle");
    else if (wall_is_over(t))
        hit_limit(t, STATUS_LIMIT_WALL, "limit.wall is reached");
    return t->stopped;
}

bool trial_hangs(const struct trial *t, uint32_t conn)
{
    return workload_hangs(t->workload, conn);
}

bool trial_owes(const struct trial *t, uint32_t conn, int side)
{
    return workload_owes(t->workload, conn, side);
}

uint64_t trial_limit(const struct trial *t)
{
    uint64_t sim = t->point->limit.sim, idle = t->progress + t->point->limit.idle;
    uint64_t limit = sim < idle ? sim : idle, window = trial_window_end(t);
    return limit < window ? limit : window;
}

unsigned trial_threads(const struct trial *t)
{
    return t->files.threads;
}

void trial_run_again(struct trial *t)
{
    t->again = t->r.status != STATUS_LIMIT_WALL;
    t->stopped = true;
}

bool trial_is_void(const struct trial *t)
{
    return t->again;
}

bool trial_went_well(const struct trial *t)
{
    return !t->stopped && t->running && workload_over(t->workload);
}

/* ---- what the workload says ---- */

static void on_message(void *context, uint64_t now, const struct workload_message *m)
{
    struct trial *t = context;
    t->failed |= m->status != 0;
    if (m->status)
        loads_failed(t, m->conn);
    measure_message(t, now, m);
    if (t->files.messages)
        results_write_message(t->files.messages, t->files.label, t->point->repeat, m);
}

static void on_broken(void *context, uint64_t now, const struct workload_broken *b)
{
    struct trial *t = context;
    if (referee_takes_damage(t, b))
        return;
    if (b->expected)
        trial_broken(t, now, "broken law: %s: connection %u: expected %x/%x/%02x, found %x/%x/%02x", b->law,
                     b->conn, IW_TERM_LAYER(b->expected), IW_TERM_ETYPE(b->expected),
                     IW_TERM_CODE(b->expected), IW_TERM_LAYER(b->found), IW_TERM_ETYPE(b->found),
                     IW_TERM_CODE(b->found));
    else
        trial_broken(t, now, "broken law: %s: connection %u, side %d, message %llu, octet %llu", b->law,
                     b->conn, b->side, (unsigned long long)b->index, (unsigned long long)b->offset);
}

/* What it asks of the world. */
static void on_region(void *context, uint32_t host, iw_stag stag, const struct iw_region *region, bool again)
{
    trace_region(context, host, again ? TRACE_REBIND : TRACE_REGION, stag, region);
}

static void on_post(void *context, uint64_t now, uint32_t conn, int side, const struct iw_work *work)
{
    if (work->op != IW_RECV)
        measure_post(context, now, conn);
    trace_post(context, now, conn, side, work);
}

static void on_taken(void *context, uint64_t key, const struct workload_message *m)
{
    trace_taken(context, key, m);
}

static void on_inject(void *context, uint64_t now, uint32_t conn, int side,
                      const struct workload_wrong *wrong)
{
    static const char *const kinds[WRONG_KINDS] = {[WRONG_ULPDU] = "a segment made by hand",
                                                   [WRONG_CRC] = "a segment with a wrong CRC",
                                                   [WRONG_MARKER] = "a segment with a wrong marker",
                                                   [WRONG_TERMINATE] = "an error of its own",
                                                   [WRONG_LOST] = "loss of the connection"};
    measure_post(context, now, conn);
    struct trial_line line;
    trace_line(&line, context, now, conn, side, TRACE_POST);
    line.length = wrong->len;
    snprintf(line.text, sizeof line.text, "%s", kinds[wrong->kind]);
    trial_trace(context, &line);
}

/* ---- what the world tells ---- */

int trial_prepare(struct trial *t, const struct workload_world *offers)
{
    return workload_prepare(t->workload, offers);
}

void trial_start(struct trial *t, uint64_t now)
{
    t->running = true;
    t->started = t->progress = now;
    t->from = t->before ? IW_NEVER : now + t->point->measure.from;
    t->until = t->point->measure.span ? t->from + t->point->measure.span : IW_NEVER;
    workload_start(t->workload, now);
}

/* The end of a calc is progress, too, and so is the start of a flow. */
static bool calculates(const struct workload_conf *w)
{
    bool some = (w->goal || w->matrix) && !w->parts;
    for (uint32_t i = 0; i < w->parts; i++)
        some |= calculates(w->part[i].conf);
    return some;
}

void trial_wake(struct trial *t, uint64_t now)
{
    if (calculates(&t->point->workload))
        measure_progress(t, now);
    workload_wake(t->workload, now);
}

struct point_counters *trial_counters(struct trial *t)
{
    return &t->r.counted;
}

/* ---- life ---- */

static bool make_workload(struct trial *t)
{
    struct workload_notes notes = {t, on_message, on_broken, on_post, on_inject, on_region, on_taken};
    void *memory = malloc(workload_size(&t->point->workload));
    if (memory)
        t->workload = workload_init(memory, &t->point->workload, &notes);
    return memory != NULL;
}

static uint64_t share_of(uint64_t octets, double share)
{
    return share < 1 ? (uint64_t)((double)octets * share) : octets;
}

/* A window that is a time has nobody knows how many. */
static void expect_octets(struct trial *t)
{
    const struct point_measure *m = &t->point->measure;
    uint64_t octets = workload_octets(&t->point->workload);
    t->before = has_share(t) ? share_of(octets, m->from_share) : 0;
    if (has_share(t))
        octets = share_of(octets, m->from_share + m->share) - t->before;
    t->expected = m->span ? 0 : octets;
    t->from = has_share(t) ? IW_NEVER : 0; /* nothing is in it before the start */
}

struct trial *trial_new(const struct scenario_point *point, const struct trial_files *files)
{
    struct trial *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->point = point;
    t->files = *files;
    expect_octets(t);
    t->over_at = IW_NEVER;
    t->until = point->measure.span ? 0 : IW_NEVER; /* nothing is in it before the start */
    clock_gettime(CLOCK_MONOTONIC, &t->wall);
    if (measure_start(t) && series_start(t) && make_workload(t))
        return t;
    trial_free(t);
    return NULL;
}

/* What is under way at the end of a window has not failed. */
static bool has_ended_in_time(const struct trial *t)
{
    return t->point->measure.span && window_is_over(t);
}

void trial_finish(struct trial *t, int result, struct point_results *results)
{
    if (result != 0)
        trial_refuse(t, "the world cannot run this point");
    else if (!t->stopped && !workload_over(t->workload))
        hit_limit(t, STATUS_STALLED, "the world stopped before the workload was over");
    if (t->again)
        return;
    if (t->running && !has_ended_in_time(t))
        workload_stop(t->workload, t->progress);
    trial_fill(t);
    referee_ended(t);
    referee_end(t);
    trial_distributions(t);
    loads_write(t);
    flows_write(t);
    if (t->no_memory) {
        t->r.status = STATUS_CRASHED;
        trial_set_note(t, "out of memory");
    }
    *results = t->r;
}

void trial_run(struct trial *t, trial_world *run, struct point_results *results)
{
    trial_finish(t, run(t->point, t), results);
}

void trial_free(struct trial *t)
{
    if (!t)
        return;
    series_end(t);
    measure_end(t);
    free(t->workload);
    free(t);
}
