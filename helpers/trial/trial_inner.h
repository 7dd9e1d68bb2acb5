/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_inner.h -- a trial from inside, for its own files:
 *
 *     trial.c           its status, what workload and world ask and tell, its life
 *     trial_event.c     what happens in the world: a row for each kind
 *     trial_trace.c     the lines of the trace
 *     trial_measure.c   what is measured while it runs
 *     trial_cells.c     numbers as text, for the rows of both
 *     trial_series.c    what is looked at again and again, or once
 *     trial_tally.c     what of it needs no order
 *     trial_loads.c     the same of each of several workloads
 *     trial_flows.c     and of each connection: flows.csv, and what flows are together
 *     trial_bounds.c    what held connections back
 *     trial_notify.c    how the receiving programs learn of messages
 *     trial_results.c   what is made of that at the end: the row and the distributions
 */
#ifndef HELPERS_TRIAL_TRIAL_INNER_H
#define HELPERS_TRIAL_TRIAL_INNER_H

#include <time.h>

#include "helpers/base/cells.h"
#include "helpers/trial/trial_run.h"

/* Segments placed and not yet delivered: a heap, smallest key first. */
struct trial_early {
    uint64_t key, placed;
};
struct trial_undelivered {
    struct trial_early *heap;
    size_t count, room;
};

/* What held back a side of a connection from then on; not counted yet, as the other side may be told of in another part. */
struct trial_bound {
    uint64_t at;
    uint32_t user;
    uint32_t next; /* of the same side, in the same list; 0: none */
    enum node_bound bound;
};
struct trial_bounds {
    struct trial_bound *at;
    size_t count, room;
};
/* Those of a side in a window: in which, and where they are. */
struct trial_told {
    uint64_t window;
    uint32_t part, first, last;
};

struct trial_side {
    struct trial_undelivered waiting;
    const struct rnic_stats *adapter; /* NULL: not watched */
    const struct llp *llp;            /* NULL: not watched; of `lower` */
    const void *lower;
    uint64_t last_placed, bytes; /* in its memory */
    uint64_t resent_in;          /* the window of the world in which it did last; 0: it never did */
    uint64_t edge;               /* delivered */
    uint64_t window_edge;        /* as far as its window was ever advertised */
    uint64_t state_peak;         /* octets */
    enum node_bound bound;       /* told last */
    struct trial_told told[2];   /* in even and in odd windows */
};

struct trial_flow {
    uint64_t first_post;
    struct trial_side side[2];
    struct workload_pair pair;           /* the hosts at both ends */
    uint32_t load;                       /* which of several workloads */
    enum node_bound bound[2], bound_was; /* of either side, counted; of both since bound_since */
    uint64_t bound_since;                /* IW_NEVER: not known */
    uint64_t resent;
    _Atomic uint64_t lost; /* on the way; told by any thread of a world */
    char *path[2];         /* that octets of either side take; NULL: not known */
};

enum { SIZE_CLASSES = 33 };

/* Of all messages, and of those of each of several workloads. */
struct trial_load {
    struct point_results *r;  /* the trial's row, or `own` */
    struct point_results own; /* what of it a workload has */
    uint64_t first_post, last_placed, last_over;
    uint64_t failed; /* messages that did not come to their end */
    struct samples latency, slowdown;
    struct samples
        slowdown_of[SIZE_CLASSES]; /* of messages whose length has so many bits; with the workload, where
                                                 there are several */
};

/* Of messages that the receiving program has taken (workload.notify): from the last octet in memory to that, and the other
 * way round where it was early; from the post. */
struct trial_notify {
    struct samples late, early, since_post;
    uint64_t stale;
};

/* What is counted in no order, by each part of a world for itself, and added up at the end (trial_tally.c). */
enum { PARTS = 32 }; /* of a run: equal octets of it, or equal times of a window */
struct trial_tally_load {
    uint64_t segments, segments_ooo, bytes, placed_ooo_bytes;
    uint64_t last_placed; /* IW_NEVER: nothing was */
};
struct trial_tally {
    struct trial_tally_load all, *load; /* of each of several workloads; NULL: there is one */
    uint64_t segments_late, progress;   /* when something was last placed */
    uint64_t window_min, window_max;    /* UNDEFINED: none was advertised */
    struct samples_bins early;          /* how long what was placed waited for its delivery */
    uint64_t slice[PARTS];              /* octets in equal times of a window */
    uint64_t bound_ps[NODE_BOUNDS];     /* of all connections */
    struct trial_bounds bounds[2];      /* of even and of odd windows */
    uint64_t told_before;               /* all of them */
    bool no_memory;
};

enum { TIMES = 4096 };
struct trial_timeline {
    uint64_t width; /* picoseconds */
    uint64_t bin[TIMES];
};

/* When each of equal parts of the octets of a run was placed. */
struct trial_part_end {
    uint64_t at, octets;
};

struct trial {
    const struct scenario_point *point;
    struct trial_files files;
    struct workload *workload;
    struct point_counters heard; /* counted by all processes of a run, before they share the rest */
    struct point_results r;
    uint32_t connections;
    struct trial_flow *flow;
    uint64_t *host_state; /* octets of tracking state, by host */
    struct trial_load all;
    struct trial_tenant tenant[POINT_TENANTS]; /* of all hosts: the most, and the sum */
    struct trial_load *load;   /* of several workloads, in the order of the point; NULL: there is one */
    struct trial_tally *tally; /* the first is that of a world in one piece */
    uint32_t tallies;
    struct trial_notify notify;
    uint64_t staging[RNIC_BINS]; /* what arriving segments found, by size: of all adapters */
    uint64_t expected;           /* octets to be placed, of a share those in it; 0: not known */
    uint64_t started, over_at;
    uint64_t from,
        until; /* the window that is measured: from the start on and IW_NEVER, or measure.for; of a share of
                             the octets IW_NEVER until it is known */
    uint64_t octets, counted;             /* placed in the whole run, and in the window */
    uint64_t before;                      /* of these, those in front of a share that is measured */
    bool failed;                          /* a message did not come to its end */
    bool unsaid;                          /* nor a Terminate, on a path that loses or alters packets */
    struct trial_part_end end[PARTS + 1]; /* of each part, those passed so far */
    unsigned parts;
    double slope;                 /* Gbps over the second half of the octets; NaN: there was none */
    struct trial_timeline placed; /* what was placed when, for worlds that tell it in another order */
    uint64_t counted_at;          /* the latest of them; IW_NEVER */
    bool unordered;
    bool ahead;           /* parts of the world run ahead in a window */
    uint64_t windows;     /* number of that one, or of the next */
    uint64_t told_before; /* all bounds that wait to be counted */
    uint64_t progress;    /* when something was last placed or completed */
    uint64_t crossings, cpu;
    uint32_t looks;
    struct timespec wall;
    bool running, stopped, no_memory, again;
    bool judged;       /* a law does not hold (trial_referee.c) */
    bool *host_paused; /* its port is stopped by flow control */
    bool *host_placed; /* octets in its memory */
    struct scenario_derived derived;
    struct series *series; /* NULL: not asked for */
    bool told_state;
};

/* ---- trial.c ---- */

/* One sentence about the status; the first one stays. printf-like. */
void trial_set_note(struct trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- trial_trace.c: nothing happens where no trace is asked for ---- */

void trace_region(struct trial *t, uint32_t host, enum trace_kind kind, iw_stag stag,
                  const struct iw_region *region);
void trace_post(struct trial *t, uint64_t now, uint32_t conn, int side, const struct iw_work *work);
void trace_taken(struct trial *t, uint64_t key, const struct workload_message *m);

/* ---- trial_series.c: nothing happens where none is asked for ---- */

bool series_start(struct trial *t); /* false: out of memory */
void series_end(struct trial *t);
void series_placed(struct trial *t, uint32_t conn, int side, uint32_t octets);
void series_fill(struct trial *t);

/* ---- trial_loads.c ---- */

bool loads_start(struct trial *t); /* false: out of memory */
void loads_end(struct trial *t);
/* That after `before` (NULL: the first) of those that a connection counts in: of all, and of its workload. NULL: no more. */
struct trial_load *loads_next(struct trial *t, uint32_t conn, const struct trial_load *before);
void loads_resent(struct trial *t, uint32_t conn);
void loads_failed(struct trial *t, uint32_t conn);
void loads_terminated(struct trial *t, uint32_t conn);
void loads_write(struct trial *t);

/* ---- trial_flows.c ---- */

/* Is a share of the octets measured, is there a window, has it ended, and is that time in it? */
static inline bool has_share(const struct trial *t)
{
    return t->point->measure.share > 0;
}
static inline bool has_window(const struct trial *t)
{
    return t->point->measure.span || has_share(t);
}
static inline bool window_is_over(const struct trial *t)
{
    return has_share(t) ? t->until != IW_NEVER : t->over_at == t->until;
}
static inline bool in_window(const struct trial *t, uint64_t at)
{
    return at >= t->from && at < t->until;
}
/* The later of two times, of which IW_NEVER has not come. */
static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a == IW_NEVER || (b != IW_NEVER && b > a) ? b : a;
}
/* Gbps of octets that were placed between two times, or in the window. NaN: there is no time between the two. */
double flow_rate(const struct trial *t, uint64_t octets, uint64_t from, uint64_t to);
/* The octets that a flow placed at both sides, and when it placed the last of them; IW_NEVER: it placed none. */
uint64_t flow_bytes(const struct trial_flow *f);
uint64_t flow_last_placed(const struct trial_flow *f);
void flows_end(struct trial *t);
/* The columns of flows together. */
void flows_fill(struct trial *t);
void flows_write(const struct trial *t);

/* ---- trial_measure.c ---- */

bool measure_start(struct trial *t); /* false: out of memory */
void measure_end(struct trial *t);
void measure_post(struct trial *t, uint64_t now, uint32_t conn);
void measure_message(struct trial *t, uint64_t now, const struct workload_message *m);
/* Something was placed or completed then. */
static inline void measure_progress(struct trial *t, uint64_t now)
{
    t->progress = now > t->progress ? now : t->progress;
}
/* When that many octets were placed, to a part of a bin. */
uint64_t part_octets(const struct trial *t, unsigned n);
uint64_t timeline_find(const struct trial_timeline *line, uint64_t octets);

/* ---- trial_tally.c ---- */

bool tally_start(struct trial *t); /* false: out of memory */
void tally_end(struct trial *t);
/* A segment was taken, out of order or late; one was placed, with so many octets of payload; all before `edge` were delivered; a
 * window was advertised. */
void tally_taken(const struct trial *t, struct trial_tally *a, uint32_t conn, bool ooo, bool late);
void tally_placed(struct trial *t, struct trial_tally *a, uint64_t now, uint32_t conn, int side,
                  uint64_t key);
void tally_octets(struct trial *t, struct trial_tally *a, uint64_t now, uint32_t conn, int side, uint32_t len,
                  bool ooo);
void tally_edge(struct trial *t, struct trial_tally *a, uint64_t now, uint32_t conn, int side, uint64_t edge);
void tally_window(struct trial_tally *a, uint64_t window);
/* All of them become the first, and the row has what it counts. */
void tally_fill(struct trial *t);

/* ---- trial_bounds.c ---- */

void bounds_start(struct trial_flow *f);
/* Told by the part with this tally. */
void bounds_told(struct trial *t, struct trial_tally *a, uint64_t now, uint32_t conn, int side,
                 enum node_bound bound);
/* All that was told is counted. */
void bounds_fill(struct trial *t);

/* ---- trial_notify.c ---- */

void notify_measure_message(struct trial *t, const struct workload_message *m);
void notify_measure_fill(struct trial *t);
void notify_measure_end(struct trial *t);

/* ---- trial_referee.c ---- */

/* Hosts that octets were placed at. */
uint32_t referee_receivers(const struct trial *t);
/* Picoseconds that a message takes alone, on its path, with its own octets: no less is possible. */
double referee_alone(const struct trial *t, const struct workload_message *m);
void referee_latency(struct trial *t, const struct workload_message *m, double alone);
/* At the end, when the row is filled in. */
void referee_ended(struct trial *t);
void referee_end(struct trial *t);
/* True: that is what such a scenario is about, and it was counted. */
bool referee_takes_damage(struct trial *t, const struct workload_broken *b);

/* ---- trial_results.c ---- */

/* Nothing is defined yet. */
void trial_undefine(struct point_results *r);
void trial_fill(struct trial *t);
/* NaN where there is no time between the two. */
double gbps(uint64_t octets, uint64_t from, uint64_t to);
/* The columns of rates, latency and slowdown: of workload `number`, or of all (EVERY_LOAD). */
#define EVERY_LOAD UINT32_MAX
void loads_fill(const struct trial *t, struct trial_load *load, uint32_t number);
void trial_distributions(struct trial *t);

#endif
