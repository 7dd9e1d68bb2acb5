/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_simgrid_routes.c -- what SimGrid routes in a platform: the longest path of the connections of a point, and the shares of
 * its links that all of them get at once, max-min fair, none more than its window gives. */
#include <math.h>
#include <stdlib.h>

#include "helpers/base/exit.h"
#include "helpers/base/list.h"
#include "helpers/scenario/bound.h"
#include "helpers/scenario/platform_file.h"
#include "helpers/world/simgrid/world_simgrid.h"

struct flow {
    size_t first, end; /* of the links */
    double rtt;        /* seconds */
    double narrow;     /* octets per second: its slowest link, shared or not */
    double most, sent; /* what links of its own, its sender allow */
    double rate;       /* what it gets */
    bool full;
};

struct routes {
    struct flow *flow;
    uint32_t flows, *link, *users; /* of each link: flows that may still get more */
    size_t hops;
    double *left; /* of each link: octets per second */
    uint32_t longest;
    double rtt; /* seconds */
};

static bool add_flow(struct routes *r, struct workload_pair pair, char *why, size_t size)
{
    struct grid_route there, back;
    if (!grid_platform_route(pair.to, pair.from, &back, why, size))
        return false;
    double latency = back.latency;
    if (!grid_platform_route(pair.from, pair.to, &there, why, size))
        return false;
    struct flow *f = &r->flow[r->flows++];
    *f = (struct flow){.first = r->hops,
                       .rtt = latency + there.latency,
                       .narrow = HUGE_VAL,
                       .most = HUGE_VAL,
                       .sent = HUGE_VAL};
    for (uint32_t i = 0; i < there.links; i++) {
        r->link = need(list_grow(r->link, r->hops, sizeof *r->link));
        r->link[r->hops++] = there.link[i];
    }
    f->end = r->hops;
    r->longest = there.links > r->longest ? there.links : r->longest;
    r->rtt = fmax(r->rtt, f->rtt);
    return true;
}

/* What no flow competes for limits each alone. */
static void take_rates(struct routes *r)
{
    uint32_t links = grid_platform_links();
    r->left = need(calloc(links + 1, sizeof *r->left));
    r->users = need(calloc(links + 1, sizeof *r->users));
    for (uint32_t i = 0; i < r->flows; i++)
        for (size_t h = r->flow[i].first; h < r->flow[i].end; h++) {
            struct grid_platform_link l = grid_platform_link(r->link[h]);
            r->left[r->link[h]] = l.apart ? HUGE_VAL : l.rate;
            r->users[r->link[h]]++;
            r->flow[i].narrow = fmin(r->flow[i].narrow, l.rate);
            if (l.apart)
                r->flow[i].most = fmin(r->flow[i].most, l.rate);
        }
}

/* What is on the way at most in a round trip (window, send buffer, outstanding messages), and loss, leave to each sender. */
static void take_senders(struct routes *r, const struct scenario_point *p)
{
    struct scenario_derived d;
    struct cluster_conf c;
    scenario_derive(p, &d);
    if (!cluster_conf_fill(&c, p))
        need(NULL);
    c.line = 0;
    for (size_t h = 0; h < r->hops; h++)
        c.line = fmax(c.line, grid_platform_link(r->link[h]).rate * 8);
    uint64_t window = p->rnic.window.bytes < c.window_most ? p->rnic.window.bytes : c.window_most;
    for (uint32_t i = 0; i < r->flows; i++) {
        struct flow *f = &r->flow[i];
        double rtt = f->rtt * 1e12, most = cluster_window_rate(&c, window, (iw_time)rtt + c.rtt_more) / 8;
        double waiting =
            scenario_waiting(p, &d, rtt, c.wire * 1e12 / f->narrow) * 1e9 / 8 * c.wire / d.payload;
        f->sent = fmin(most > 0 ? most : HUGE_VAL, waiting);
    }
}

/* As much more as every flow that is not full can get. */
static double step_of(const struct routes *r)
{
    double step = HUGE_VAL;
    for (uint32_t i = 0; i < r->flows; i++) {
        const struct flow *f = &r->flow[i];
        for (size_t h = f->first; !f->full && h < f->end; h++)
            step = fmin(step, r->left[r->link[h]] / r->users[r->link[h]]);
        if (!f->full)
            step = fmin(step, fmin(f->most, f->sent) - f->rate);
    }
    return step;
}

static bool is_full(const struct routes *r, const struct flow *f, double step)
{
    bool full = f->rate >= fmin(f->most, f->sent) * (1 - 1e-9);
    for (size_t h = f->first; h < f->end; h++)
        full |= r->left[r->link[h]] <= 1e-9 * (step + f->rate);
    return full;
}

static uint32_t fill(struct routes *r, double step)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < r->flows; i++)
        for (size_t h = r->flow[i].first; !r->flow[i].full && h < r->flow[i].end; h++)
            r->left[r->link[h]] -= step;
    for (uint32_t i = 0; i < r->flows; i++)
        if (!r->flow[i].full)
            r->flow[i].rate += step;
    for (uint32_t i = 0; i < r->flows; i++) {
        struct flow *f = &r->flow[i];
        if (f->full || !is_full(r, f, step)) {
            open += !f->full;
            continue;
        }
        f->full = true;
        for (size_t h = f->first; h < f->end; h++)
            r->users[r->link[h]]--;
    }
    return open;
}

/* Of all together; the least of one; those that their sender holds. */
static double shares(struct routes *r, double *least, uint32_t *held)
{
    double sum = 0;
    *held = 0;
    for (double step = step_of(r); step < HUGE_VAL && fill(r, step);)
        step = step_of(r);
    *least = HUGE_VAL;
    for (uint32_t i = 0; i < r->flows; i++) {
        sum += r->flow[i].rate;
        *least = fmin(*least, r->flow[i].rate);
        *held += r->flow[i].rate >= r->flow[i].sent * (1 - 1e-9);
    }
    return sum;
}

bool world_simgrid_routes(const struct scenario_point *p, FILE *out, char *why, size_t size)
{
    uint32_t connections = workload_connections(&p->workload);
    struct routes r = {.flow = need(calloc(connections + 1, sizeof *r.flow))};
    grid_ports_begin();
    bool good = grid_platform_load(p->platform->text, p->platform->names, p->platform->hosts, why, size);
    for (uint32_t c = 0; good && c < connections; c++)
        good = add_flow(&r, workload_pair(&p->workload, c), why, size);
    if (good) {
        take_rates(&r);
        take_senders(&r, p);
        uint32_t held;
        double least, sum = shares(&r, &least, &held);
        fprintf(out, "%u links, RTT %.6g us, %.4g Gbps, %.4g Gbps, %u held\n", r.longest, r.rtt * 1e6,
                sum * 8 / 1e9, least * 8 / 1e9, held);
    }
    free(r.flow);
    free(r.link);
    free(r.left);
    free(r.users);
    return good;
}
