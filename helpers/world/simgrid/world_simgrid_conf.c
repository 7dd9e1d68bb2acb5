/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_simgrid_conf.c -- what follows from a point for the world of SimGrid (world_simgrid.h). */
#include <math.h>
#include <stdlib.h>

#include "helpers/world/hosts_conf.h"
#include "helpers/world/simgrid/world_simgrid.h"

enum { ACK_OCTETS = 40, PACKETS_LEAST = 4, MESSAGES_LEAST = 1 };

/* ---- losses ---- */

/* What the sender takes for a loss: losses, a burst counted once; what is held up beyond its threshold of duplicate
 * acknowledgements; what is refused for its CRC. */
static double believed_lost(const struct scenario_point *p, const struct scenario_derived *d)
{
    const struct channel_conf *c = &p->channel;
    double bad = c->burst.p > 0 ? c->burst.p / (c->burst.p + c->burst.r) : 0;
    double bursts = c->burst.loss_bad * bad, begun = c->burst.p * (1 - bad);
    double loss = c->loss + c->burst.loss_good * (1 - bad) + (bursts < begun ? bursts : begun);
    double held = (double)c->reorder.delay + (double)c->reorder.displacement * (double)d->serialization;
    bool told = p->llp.dupack_threshold && held >= p->llp.dupack_threshold * (double)d->serialization;
    loss += told ? c->reorder.probability : 0;
    loss += p->llp.crc && p->llp.crc_error == CRC_ERROR_DROP ? c->corrupt : 0;
    return p->channel_direction == DIRECTION_ACKS ? 0 : loss;
}

/* ---- adapters ---- */

/* Does nothing of the adapter's receive side take time, fill up, or stand still? Then connections do not meet there. */
static bool is_exact(const struct rnic_conf *r, iw_time busy)
{
    return busy == 0 && r->staging_bytes == RNIC_UNLIMITED && !(r->stall.for_ && r->stall.every) &&
           r->cache.stags == RNIC_UNLIMITED && r->cache.connections == RNIC_UNLIMITED &&
           !rnic_path_is(r->receive, RNIC_BY_CPU);
}

static double rate_of(iw_time busy, uint32_t wire)
{
    return busy ? (double)wire * 1e12 / (double)busy : 0; /* octets per second */
}

static double slower(double a, double b)
{
    return a > 0 && a < b ? a : b;
}

/* Of two bounds, either of which may be none. */
static double smaller_bound(double a, double b)
{
    return b > 0 ? slower(a, b) : a;
}

/* The memory bus is worth a resource of its own only if both directions of the port together can ask for more. */
static double bus_of(const struct rnic_conf *r, const struct scenario_derived *d, double ports)
{
    if (r->bus.rate == RNIC_UNLIMITED)
        return 0;
    double wire = (double)(r->bus.rate - r->bus.background) / 8 * d->wire / d->payload;
    return wire < ports ? wire : 0;
}

/* What one pipeline of several can do: a connection uses no other. 0: no bound. */
static double one_pipeline(void *scratch, const struct rnic_conf *conf, const struct scenario_derived *d)
{
    struct rnic_conf one = *conf;
    one.tx.queues = one.rx.queues = 1;
    double out = rate_of(grid_busy_sending(scratch, &one, d->fpdu, d->payload), d->wire);
    return smaller_bound(out, rate_of(grid_busy_receiving(scratch, &one, d->fpdu, d->payload), d->wire));
}

static bool fill_adapters(struct cluster_conf *c, const struct scenario_point *p,
                          const struct scenario_derived *d)
{
    void *scratch = malloc(grid_busy_size(&p->rnic));
    if (!scratch)
        return false;
    iw_time out = grid_busy_sending(scratch, &p->rnic, d->fpdu, d->payload);
    iw_time in = grid_busy_receiving(scratch, &p->rnic, d->fpdu, d->payload);
    if (p->rnic.tx.queues > 1 || p->rnic.rx.queues > 1)
        c->pipeline = one_pipeline(scratch, &p->rnic, d);
    struct rnic_conf idle = p->rnic;
    idle.cache.stags = idle.cache.connections = RNIC_UNLIMITED;
    const struct rnic *r = rnic_init(scratch, &idle, 1, 0);
    c->grid.pipeline =
        rnic_step_time(r, RNIC_STEP_READ, d->payload) + rnic_step_time(r, RNIC_STEP_SEND, d->fpdu);
    c->heard = rnic_step_time(r, RNIC_STEP_ARRIVE, 0);
    c->rtt_more = d->serialization + rnic_step_time(r, RNIC_STEP_SEND, d->fpdu) +
                  rnic_step_time(r, RNIC_STEP_ARRIVE, d->fpdu);
    free(scratch);
    double line = (double)p->topology.rate / 8;
    c->up = rate_of(out, d->wire);
    c->down = rate_of(in, d->wire);
    c->bus = bus_of(&p->rnic, d, slower(c->up, line) + slower(c->down, line));
    c->grid.exact = is_exact(&p->rnic, in);
    return true;
}

/* What bounds one connection, whatever the others do. */
static double one_connection(const struct cluster_conf *c, const struct scenario_point *p,
                             const struct scenario_derived *d)
{
    double most = 8 * c->pipeline, framed = (double)d->wire / d->payload;
    if (p->platform) /* whose links know nothing of adapters */
        most = smaller_bound(most, 8 * smaller_bound(c->up, c->down));
    if (p->rnic.tx.connection_rate != RNIC_UNLIMITED)
        most = smaller_bound(most, (double)p->rnic.tx.connection_rate * d->wire / d->fpdu);
    if (p->workload.consume_rate && rnic_policy_is(p->rnic.window.policy, RNIC_CONSUMED))
        most = smaller_bound(most, (double)p->workload.consume_rate * framed);
    return most;
}

/* ---- all of it ---- */

/* Three duplicate acknowledgements make the sender send again; what it sends arrives a round trip after they left. */
static void fill_path(struct cluster_conf *c, const struct scenario_point *p,
                      const struct scenario_derived *d)
{
    struct grid_path *path = &c->grid.path;
    uint32_t threshold = p->llp.dupack_threshold ? p->llp.dupack_threshold : 3;
    path->framing = d->wire - d->fpdu;
    path->octet = UINT64_C(8000000000000000) / p->topology.rate;
    path->recovery = d->rtt + d->serialization;
    path->timeout = (iw_time)fmax((double)llp_min_rto(&p->llp), 2 * (double)d->rtt);
    path->patience = p->limit.idle;
    path->dupacks = threshold;
    path->go_back = rnic_path_is(p->rnic.receive, RNIC_GOES_BACK);
}

static uint32_t deepest(const struct workload_conf *w)
{
    uint32_t most = w->parts ? 0 : w->depth;
    for (uint32_t i = 0; i < w->parts; i++)
        most = w->part[i].conf->depth > most ? w->part[i].conf->depth : most;
    return most;
}

bool cluster_conf_fill(struct cluster_conf *c, const struct scenario_point *p)
{
    struct scenario_derived d;
    scenario_derive(p, &d);
    struct factory f;
    hosts_factory(p, &f);
    *c = (struct cluster_conf){.fpdu = d.fpdu, .wire = d.wire, .mulpdu = d.sizes.mulpdu, .ep = f.ep};
    fill_path(c, p, &d);
    if (!fill_adapters(c, p, &d))
        return false;
    struct grid_conf *g = &c->grid;
    g->receive = p->rnic.receive;
    g->crc = p->llp.crc;
    g->crc_drop = p->llp.crc && p->llp.crc_error == CRC_ERROR_DROP;
    g->markers = p->llp.markers;
    g->acks = (struct grid_acks){p->llp.kind == LLP_MPA ? p->llp.delayed_ack : 1, p->llp.delayed_ack_timeout};
    g->consume_rate = p->workload.consume_rate;
    g->chunk = p->simgrid_chunk;
    uint32_t depth = deepest(&p->workload);
    g->messages = depth / 4 > MESSAGES_LEAST ? depth / 4 : MESSAGES_LEAST;
    c->ack = ACK_OCTETS + g->path.framing;
    c->window_most = p->llp.send_buffer;
    const struct tcp_congestion *tcp = factory_congestion(&p->llp);
    if (tcp && tcp->fixed && p->llp.congestion_window < c->window_most)
        c->window_most = p->llp.congestion_window;
    c->response = tcp ? tcp->response : TCP_RESPONSE_NONE;
    c->serialization = d.serialization;
    c->line = (double)p->topology.rate;
    if (tcp && !tcp->fixed)
        c->ramp = (uint64_t)p->llp.initial_window * d.sizes.mss;
    c->loss = channel_impairs(&p->channel) ? believed_lost(p, &d) : 0;
    c->rate_most = one_connection(c, p, &d);
    c->room = (uint32_t)(p->simgrid_chunk / d.fpdu) + PACKETS_LEAST;
    return true;
}

uint64_t cluster_window(const struct cluster_conf *c, const struct grid_end *e)
{
    return e->window < c->window_most ? e->window : c->window_most;
}

iw_time cluster_rtt(const struct cluster_conf *c, const struct grid_end *e)
{
    return e->latency + e->again * c->wire / 1000 + e->peer->back + c->rtt_more;
}

double cluster_window_rate(const struct cluster_conf *c, uint64_t window, iw_time rtt)
{
    double line = c->line;
    double rate = grid_window_rate(window, c->fpdu, c->wire, c->grid.acks, rtt);
    rate = rate <= 0 || rate > line ? line : rate;
    if (c->loss > 0)
        rate = slower(rate,
                      line * grid_loss_share(c->response, line / 8 * (double)rtt * 1e-12 / c->wire, c->loss));
    rate = slower(c->rate_most, rate);
    return rate < line ? rate : 0;
}

double cluster_rate(const struct cluster_conf *c, const struct grid_end *e)
{
    return cluster_window_rate(c, cluster_window(c, e), cluster_rtt(c, e));
}
