/* SPDX-License-Identifier: GPL-2.0-or-later */
/* size_form.c -- what a line on paper says to iwarpsim size (size.h).
 *
 *   rnic.window.bytes    n FPDUs, n x payload / T >= the goodput asked for; T: the packet, the propagation both ways, the
 *                        ACK, and the receive pipelines in front of both; policies that count the backlog, if there is
 *                        one: the DMA write too, and a packet: what a segment frees, the acknowledgement of the next tells
 *                        late packets, if there are any, are waited for: T is longer by as much as the channel makes one late
 *   llp.track            as many packets, as bits; of irn and rud
 *   rnic.hold_bytes      what comes while a late packet is waited for
 *   rnic.staging_bytes   the larger of: arrival rate x stall, and what is in the pipeline;
 *                        burst x (1 - retire rate / arrival rate), and what is before acceptance; of a burst that is
 *                        longer than the windows, with a policy that counts the backlog: windows - retire rate x RTT
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/command/size.h"
#include "rnic/rnic.h"

/* ---- the adapter, asked itself ---- */

enum { BURST = 17 /* jobs that enter together: the first tells the latency, the others the rate */ };
#define LATER UINT64_C(1000000000000) /* ps: long after the one ahead of them */

static struct rnic *new_adapter(const struct rnic_conf *conf)
{
    void *block = malloc(rnic_size(conf, 1));
    return block ? rnic_init(block, conf, 1, 0) : NULL;
}

struct pace {
    double through; /* the transmit pipeline, idle */
    double send;    /* between two segments that leave a host when many wait, be it for the line */
    double accept;  /* from the port to acceptance, idle */
    double heard;   /* the same of an acknowledgement at the sender */
    double write;   /* the DMA write of one segment, idle */
    double retire;  /* between two segments that leave staging when many wait, stalls included */
};

/* The first of BURST jobs that enter together, and the last: when they are done. */
struct burst {
    uint64_t first, last;
};

static void done_at(struct burst *b, int number, uint64_t at)
{
    b->first = number > 0 ? b->first : at;
    b->last = at;
}

static double between(const struct burst *b)
{
    return (double)(b->last - b->first) / (BURST - 1);
}

static struct pace pace_of(const struct scenario_point *p, const struct scenario_derived *d)
{
    struct burst read = {0, 0}, send = {0, 0}, accept = {0, 0}, write = {0, 0};
    struct rnic_conf conf = p->rnic;
    conf.stall.for_ = 0;
    conf.staging_bytes = RNIC_UNLIMITED;
    struct rnic *sender = new_adapter(&conf), *receiver = new_adapter(&conf);
    for (int i = -1; sender && receiver && i < BURST; i++) { /* one ahead of them, for the caches */
        uint64_t now = i < 0 ? 0 : LATER;
        done_at(&read, i, rnic_read(sender, now, d->payload) - now);
        done_at(&send, i, rnic_send(sender, now, 0, d->fpdu) - now);
        done_at(&accept, i, rnic_arrive(receiver, now, 0, d->fpdu) - now);
        done_at(&write, i, rnic_place(receiver, now, 0, d->payload) - now);
    }
    double heard = sender ? (double)rnic_step_time(sender, RNIC_STEP_ARRIVE, 0) : 0;
    free(sender);
    free(receiver);
    double going = p->rnic.stall.for_ && p->rnic.stall.every
                       ? 1 - (double)p->rnic.stall.for_ / (double)p->rnic.stall.every
                       : 1;
    return (struct pace){.send = fmax((double)d->serialization, fmax(between(&read), between(&send))),
                         .through = (double)send.first,
                         .accept = (double)accept.first,
                         .heard = heard,
                         .write = (double)write.first,
                         .retire = fmax(between(&accept), between(&write) / going)};
}

/* Does the advertised edge know of octets that are accepted and not yet written? */
static bool counts_backlog(const struct scenario_point *p)
{
    return !rnic_policy_is(p->rnic.window.policy, RNIC_COUNTS_NOTHING);
}

/* ---- rnic.window.bytes ---- */

static const struct size_term *goodput_term(const struct size_condition *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct size_term *t = &c->term[i];
        bool goodput =
            strcmp(t->column->name, "steady_gbps") == 0 || strcmp(t->column->name, "goodput_gbps") == 0;
        if (goodput && (t->comparison == SIZE_AT_LEAST || t->comparison == SIZE_ABOVE))
            return t;
    }
    return NULL;
}

/* How much later than its turn a packet may come, in picoseconds. */
static double skew_of(const struct scenario_point *p, const struct scenario_derived *d)
{
    const struct channel_conf *c = &p->channel;
    double chosen = (double)c->reorder.delay + c->reorder.displacement * (double)d->serialization;
    return (c->reorder.probability > 0 ? chosen : 0) + (double)c->jitter;
}

/* So many packets in a time are the goodput that is asked for; false: one connection does not decide it. */
static bool packets_in(const struct size_condition *c, const struct scenario_point *p,
                       const struct scenario_derived *d, double trip, double *packets)
{
    const struct size_term *t = goodput_term(c);
    double wanted = t ? size_bound(t, d->line_gbps) : 0;
    *packets = ceil(wanted * trip / (d->payload * 8e3));
    return t && !(wanted > d->line_gbps) && workload_connections(&p->workload) == 1 &&
           !rnic_path_is(p->rnic.receive, RNIC_BY_CPU);
}

/* A round trip without load, and what is waited for. */
static double trip_of(const struct scenario_point *p, const struct scenario_derived *d,
                      const struct pace *pace)
{
    return (double)d->path + pace->through + pace->accept + pace->heard + skew_of(p, d);
}

static bool window_form(const struct size_condition *c, const struct scenario_point *p, double *value,
                        char *text)
{
    struct scenario_derived d;
    double fpdus;
    scenario_derive(p, &d);
    struct pace pace = pace_of(p, &d);
    double trip = trip_of(p, &d, &pace) +
                  (counts_backlog(p) && pace.write > 0 ? pace.write + (double)d.serialization : 0);
    if (p->llp.kind == LLP_MPA)
        trip += (p->llp.delayed_ack - 1) * (double)d.serialization;
    if (!packets_in(c, p, &d, trip, &fpdus))
        return false;
    fpdus = fmax(2, fpdus);
    *value = fpdus * d.fpdu;
    snprintf(
        text, SIZE_FORM_MAX,
        "%.0f FPDUs of %u octets; floor(W/FPDU) x %u octets of payload / %.3f us, the round trip with the "
        "adapter's part%s",
        fpdus, d.fpdu, d.payload, trip / 1e6, skew_of(p, &d) > 0 ? " and the latest packet" : "");
    return true;
}

/* ---- llp.track, rnic.hold_bytes ---- */

static bool track_form(const struct size_condition *c, const struct scenario_point *p, double *value,
                       char *text)
{
    struct scenario_derived d;
    scenario_derive(p, &d);
    struct pace pace = pace_of(p, &d);
    double trip = trip_of(p, &d, &pace);
    snprintf(text, SIZE_FORM_MAX, "packets of a round trip and of what the latest is late by, %.3f us",
             trip / 1e6);
    return p->llp.kind == LLP_PACKET && packets_in(c, p, &d, trip, value);
}

static bool hold_form(const struct size_condition *c, const struct scenario_point *p, double *value,
                      char *text)
{
    struct scenario_derived d;
    scenario_derive(p, &d);
    double skew = skew_of(p, &d), packets = fmax(1, floor(skew / pace_of(p, &d).send));
    *value = packets * d.fpdu;
    snprintf(text, SIZE_FORM_MAX,
             "%.0f FPDUs of %u octets, which come in the %.3f us that the latest is late by", packets, d.fpdu,
             skew / 1e6);
    return goodput_term(c) && workload_connections(&p->workload) == 1;
}

/* ---- rnic.staging_bytes ---- */

static double gbps(const struct scenario_derived *d, double between_segments)
{
    return d->fpdu * 8e3 / between_segments;
}

/* Retirement stands still: what the line brings meanwhile, and what is in the pipeline anyhow. */
static double stalled(const struct scenario_point *p, const struct scenario_derived *d,
                      const struct pace *pace, char *text)
{
    double inside = ceil((pace->accept + pace->write) / pace->send) * d->fpdu;
    double length = p->rnic.stall.every ? (double)p->rnic.stall.for_ : 0;
    double stall = ceil(length / pace->send) * d->fpdu;
    snprintf(text, SIZE_FORM_MAX, "%.0f octets in the pipeline + arrival %.1f Gb/s x a stall of %.3f us",
             inside, gbps(d, pace->send), length / 1e6);
    return inside + stall;
}

/* Retirement is slower than the line: of all that comes at once, the part that it does not keep up with. */
static double too_slow(const struct scenario_derived *d, const struct pace *pace, double burst, char *text)
{
    double excess = fmax(0, 1 - pace->send / pace->retire);
    double inside = pace->accept / pace->send * d->fpdu;
    snprintf(text, SIZE_FORM_MAX,
             "%.0f octets before acceptance + a burst of %.0f x (1 - retire %.1f / arrival %.1f Gb/s)",
             inside, burst, gbps(d, pace->retire), gbps(d, pace->send));
    return inside + burst * excess;
}

/* The same without an end: the windows, but for what is on its way. */
static double windows_full(const struct scenario_derived *d, const struct pace *pace, double windows,
                           char *text)
{
    double on_the_way = (double)d->rtt / pace->retire * d->fpdu;
    snprintf(text, SIZE_FORM_MAX, "windows of %.0f octets - retire %.1f Gb/s x RTT %.3f us", windows,
             gbps(d, pace->retire), (double)d->rtt / 1e6);
    return fmax(windows - on_the_way, d->fpdu);
}

static bool staging_form(const struct size_condition *c, const struct scenario_point *p, double *value,
                         char *text)
{
    struct scenario_derived d;
    char slow[SIZE_FORM_MAX];
    (void)c;
    scenario_derive(p, &d);
    struct pace pace = pace_of(p, &d);
    double octets = (double)workload_octets(&p->workload) * d.fpdu / d.payload;
    double windows = (double)p->rnic.window.bytes * workload_connections(&p->workload);
    bool bounded = counts_backlog(p) && octets > windows, overload = pace.retire > pace.send;
    if (overload && rnic_policy_is(p->rnic.window.policy, RNIC_SLOWS))
        return false; /* the sender is slowed: no line on paper */
    *value = stalled(p, &d, &pace, text);
    double other = too_slow(&d, &pace, octets, slow);
    if (bounded && other > windows - (double)d.rtt / pace.retire * d.fpdu)
        other = windows_full(&d, &pace, windows, slow);
    if (overload && other > *value) {
        *value = other;
        memcpy(text, slow, SIZE_FORM_MAX);
    }
    if (bounded && *value > windows) {
        *value = windows;
        snprintf(text, SIZE_FORM_MAX, "the windows: no more octets are ever in flight or waiting");
    }
    return true;
}

/* ---- the table ---- */

static const struct {
    const char *key;
    bool (*form)(const struct size_condition *, const struct scenario_point *, double *value, char *text);
} forms[] = {
    {"rnic.window.bytes", window_form},
    {"llp.track", track_form},
    {"rnic.hold_bytes", hold_form},
    {"rnic.staging_bytes", staging_form},
};

bool size_form(const struct key *key, const struct size_condition *condition,
               const struct scenario_point *point, double *value, char text[SIZE_FORM_MAX])
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].key, key->name) == 0)
            return forms[i].form(condition, point, value, text);
    return false;
}
