/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_cluster.c -- a run of many hosts for a page, which looks at it piece by piece. For wasm32 only.
 *
 *     page: as for live_scenario(); live_cluster() -> false: live_text() says why
 *           live_cluster_run(ps)    -> true: there is more; live_cluster_now(): where it stands
 *           live_cluster_seen()     -> live_cluster_count() records of what happened since they were last asked for
 *           live_cluster_state()    -> live_stories() is the JSON of `run --at --state` of this instant
 *           live_cluster_end()      -> live_stories() is results.csv; live_text() the status, and its reason
 *
 * One run for each instance of the module: a page that wants another makes another. */
#include <stdlib.h>
#include <string.h>

#include "helpers/live/live_inner.h"
#include "helpers/scenario/world.h"
#include "helpers/trial/trial_run.h"
#include "helpers/world/fabric/world_fabric.h"

/* What is seen of a packet: on a link; what became of it there; that the data which it takes, at `key` of its stream, were sent, were
 * placed, were delivered. */
enum seen_kind {
    SEEN_LEAVES,
    SEEN_ARRIVES,
    SEEN_DROPPED,
    SEEN_TRIMMED,
    SEEN_LOST,
    SEEN_SENT,
    SEEN_SENT_AGAIN,
    SEEN_PLACED,
    SEEN_PLACED_EARLY,
    SEEN_DELIVERED
};
/* Of 40 octets, as the page reads them. Who: 2 x connection + the side that sends; of what is received, that receives. Number: of a
 * packet; of data, how far they reach in the stream. */
struct seen {
    double t, key; /* picoseconds */
    uint32_t kind, link, who, number;
    uint32_t octets, reserved;
};
_Static_assert(sizeof(struct seen) == 40, "helpers/story/page/8_engine.js reads it");

static struct {
    const struct scenario *scenario;
    struct scenario_point point;
    struct trial *trial;
    struct world *world;
    struct seen *seen;
    uint32_t count, room;
    bool no_memory;
} run;

/* ---- what is seen ---- */

static struct seen *next_seen(uint64_t t, enum seen_kind kind, uint32_t who)
{
    static struct seen nowhere;
    if (run.count == run.room) {
        uint32_t room = run.room ? 2 * run.room : 4096;
        struct seen *more = realloc(run.seen, room * sizeof *more);
        run.no_memory |= !more;
        if (!more)
            return &nowhere;
        run.seen = more;
        run.room = room;
    }
    struct seen *s = &run.seen[run.count++];
    *s = (struct seen){.t = (double)t, .kind = kind, .who = who};
    return s;
}

static void see_packet(uint64_t t, enum seen_kind kind, uint32_t link, const struct ip_packet *p)
{
    struct seen *s = next_seen(t, kind, 2 * p->connection + p->direction);
    s->link = link;
    s->number = p->number;
    s->octets = p->size;
}

static void on_link(void *user, uint32_t link, enum fabric_side side, iw_time at,
                    const struct ip_packet *packet)
{
    (void)user;
    see_packet(at, side == FABRIC_LEAVES ? SEEN_LEAVES : SEEN_ARRIVES, link, packet);
}

static void on_event(void *user, const struct fabric_event *e)
{
    static const struct {
        bool told;
        enum seen_kind kind;
    } kinds[FABRIC_EVENTS] = {[FABRIC_DROPPED] = {true, SEEN_DROPPED},
                              [FABRIC_TRIMMED] = {true, SEEN_TRIMMED},
                              [FABRIC_LOST] = {true, SEEN_LOST},
                              [FABRIC_FAILED] = {true, SEEN_LOST}};
    (void)user;
    if (e->packet && kinds[e->kind].told)
        see_packet(e->at, kinds[e->kind].kind, e->link, e->packet);
}

static enum seen_kind kind_of(const struct trial_line *line)
{
    static const enum seen_kind kinds[TRACE_KINDS] = {[TRACE_LEFT] = SEEN_SENT,
                                                      [TRACE_RESENT] = SEEN_SENT_AGAIN,
                                                      [TRACE_PLACED] = SEEN_PLACED,
                                                      [TRACE_DELIVERED] = SEEN_DELIVERED};
    return kinds[line->kind] == SEEN_PLACED && line->ooo ? SEEN_PLACED_EARLY : kinds[line->kind];
}

static void on_line(void *listener, const struct trial_line *line)
{
    enum seen_kind kind = kind_of(line);
    (void)listener;
    if (!kind)
        return;
    struct seen *s = next_seen(line->t, kind, 2 * (uint32_t)line->conn + (uint32_t)line->side);
    s->key = (double)line->key;
    s->octets = line->length;
    s->number = line->end > line->key ? (uint32_t)(line->end - line->key) : 0;
}

/* ---- the run ---- */

static bool refused(char *why)
{
    struct point_results results;
    if (!run.trial)
        snprintf(why, SCENARIO_ERROR_MAX, "out of memory");
    else {
        trial_finish(run.trial, -1, &results);
        snprintf(why, SCENARIO_ERROR_MAX, "%s", results.note);
    }
    return false;
}

enum { CONNECTIONS_MAX = 1 << 16 }; /* what a page begins in less than five seconds, in its 4 GiB */

static bool page_takes(const struct scenario_point *p, char *why)
{
    uint32_t connections = workload_connections(&p->workload);
    bool world = worlds[p->world].inside && !workload_is(p->workload.kind, WORKLOAD_BARE);
    if (!world)
        snprintf(why, SCENARIO_ERROR_MAX, "the cluster runs world: fabric, and workloads on RDMAP or DDP");
    else if (connections > CONNECTIONS_MAX)
        snprintf(why, SCENARIO_ERROR_MAX,
                 "workload.kind: %u connections are too many for a page, which runs %d; `iwarpsim run` "
                 "takes them",
                 connections, CONNECTIONS_MAX);
    return world && connections <= CONNECTIONS_MAX;
}

bool live_cluster_open(const struct scenario *s, uint32_t repeat, char *why)
{
    static const struct world_watch watch = {NULL, on_link, on_event};
    static const struct trial_files files = {.label = "all", .line = on_line};
    run.scenario = s;
    if (!scenario_point(s, 0, repeat, &run.point, why) || !page_takes(&run.point, why))
        return false;
    run.trial = trial_new(&run.point, &files);
    run.world = run.trial ? world_fabric_open(&run.point, run.trial, &watch) : NULL;
    return run.world || refused(why);
}

bool live_cluster_go(double until)
{
    return world_fabric_run(run.world, (uint64_t)until) && !run.no_memory;
}

double live_cluster_time(void)
{
    return (double)world_fabric_now(run.world);
}

const void *live_cluster_take(uint32_t *count)
{
    *count = run.count;
    run.count = 0;
    return run.seen;
}

void live_cluster_tell(FILE *out)
{
    world_fabric_state(run.world, out);
}

void live_cluster_finish(FILE *out, char *why)
{
    struct point_results results;
    world_fabric_close(run.world);
    trial_finish(run.trial, 0, &results);
    results_write_head(out, run.scenario);
    results_write_row(out, run.scenario, 0, run.point.repeat, &results);
    snprintf(why, SCENARIO_ERROR_MAX, "%s%s%s", status_names[results.status], *results.note ? ": " : "",
             run.no_memory ? "out of memory" : results.note);
}
