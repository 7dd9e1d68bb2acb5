/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_referee.c -- laws that hold whatever the scenario and the world: watched in every run.
 *
 *     latency >= alone              no message outruns light and wire: nor is a slowdown below 1
 *     goodput, steady <= wire       what the links into the receiving hosts carry
 *     spurious <= retransmits       of those; spurious timeouts of timeouts and those
 *     retransmits <= lost + needless    TCP: each copy of a record is taken, lost or refused, needless, or still under way
 *     messages <= posted <= asked
 *
 * The first that does not hold makes the row `broken`; one line names it with both numbers; the run goes on to its end.
 */
#include <math.h>

#include "engine/wire.h"
#include "helpers/scenario/topology_file.h"
#include "helpers/scenario/world.h"
#include "helpers/trial/trial_inner.h"
#include "scenarios/workloads/request.h"

/* ---- how long a message takes alone ---- */

enum { REQUEST = 28, HOPS_MAX = 8 };

/* Octets that a segment's packet takes on a link, with as few markers as there may be. */
static double packet_octets(const struct scenario_derived *d, uint32_t ulpdu)
{
    const struct llp_sizes *z = &d->sizes;
    double packet = llp_packet_octets(z, ulpdu), framing = d->wire - z->packet;
    double markers = z->marker ? floor((packet - z->before) / z->every) * z->marker : 0;
    return packet + markers + framing;
}

/* The octets that a full segment may carry: with markers at the phase that takes fewest of them. Not each is at that phase:
 * it may be as short as without the place of one marker, and its packets are sooner over long ways then. */
static uint32_t most_payload(const struct llp_sizes *z, uint32_t header)
{
    return z->mulpdu + (z->mulpdu + z->marker < z->mss ? z->marker : 0) - header;
}

static double link_rate(const struct scenario_point *p, uint32_t hops, uint32_t link)
{
    return (double)fabric_along(&p->topology, hops, link).rate;
}

static double delays(const struct scenario_point *p, uint32_t hops)
{
    double sum = 0;
    for (uint32_t i = 0; i < hops; i++)
        sum += (double)fabric_along(&p->topology, hops, i).delay;
    return sum;
}

/* Picoseconds until the last octet of packets is there: all but the last are full, and each link sends one after the other
 * as soon as it has them. */
static double one_way(const struct scenario_point *p, uint32_t hops, double packets, double full, double last)
{
    double sum = 0, slowest = 0, end = 0;
    for (uint32_t i = 0; i < hops; i++) {
        double octet = 8e12 / link_rate(p, hops, i);
        sum += full * octet;
        slowest = fmax(slowest, full * octet);
        double others =
            packets > 1 ? sum + (packets - 2) * slowest : 0; /* the last but one has left link i */
        end = fmax(others, end) + last * octet;
    }
    return end + delays(p, hops);
}

/* Sprayed packets overtake each other: the first link alone has them in order, and each has its own way from there. */
static double sprayed(const struct scenario_point *p, uint32_t hops, double packets, double full, double last)
{
    double first = 8e12 / link_rate(p, hops, 0), octet = 0;
    for (uint32_t i = 0; i < hops; i++)
        octet += 8e12 / link_rate(p, hops, i);
    double ports = scenario_dealt(p); /* each sends its part of them */
    double one_full = packets > 1 ? floor((packets - 2) / ports) * full * first + full * octet : 0;
    return fmax(one_full, floor((packets - 1) / ports) * full * first + last * octet) + delays(p, hops);
}

/* The same of a network whose links differ: the first packets go before on the slowest link, or, where they overtake each
 * other, on the first and the last, each port its part of them. */
static double described(const struct scenario_point *p, struct topology_path path, double packets,
                        double full, double last)
{
    double ports = scenario_dealt(p);
    double octet = fabric_overtakes(&p->topology) || ports > 1 ? path.ends : path.slowest;
    return path.delay + last * path.octet + floor((packets - 1) / ports) * full * octet;
}

static double carried(const struct scenario_point *p, const struct scenario_derived *d,
                      struct workload_pair pair, uint32_t length, uint32_t header)
{
    uint32_t most = most_payload(&d->sizes, header);
    double packets = length ? ceil((double)length / most) : 1;
    uint32_t rest = length - (uint32_t)((packets - 1) * most);
    double full = packet_octets(d, d->sizes.mulpdu), last = packet_octets(d, rest + header);
    if (p->platform)
        return 0; /* only SimGrid knows its paths */
    if (p->described)
        return described(p, topology_path(p, pair.from, pair.to), packets, full, last);
    bool overtakes = fabric_overtakes(&p->topology) || scenario_dealt(p) > 1;
    double (*way)(const struct scenario_point *, uint32_t, double, double, double) =
        overtakes ? sprayed : one_way;
    return way(p, scenario_hops(p, pair.from, pair.to), packets, full, last);
}

double referee_alone(const struct trial *t, const struct workload_message *m)
{
    const struct scenario_point *p = t->point;
    const struct scenario_derived *d = &t->derived;
    struct workload_pair pair = t->flow[m->conn].pair;
    if (m->op == IW_FETCH_ADD || m->op == IW_CMP_SWAP)
        return carried(p, d, pair, IW_ATOMIC_REQ_SIZE, IW_HEAD_UNTAGGED) +
               carried(p, d, pair, IW_ATOMIC_RESP_SIZE, IW_HEAD_UNTAGGED);
    bool tagged = request_is_write(m->op) || m->op == IW_READ;
    double data = carried(p, d, pair, m->length, tagged ? IW_HEAD_TAGGED : IW_HEAD_UNTAGGED);
    if (workload_is(p->workload.kind, WORKLOAD_COMMANDED)) /* a command, and its data */
        return data + carried(p, d, pair, 0, IW_HEAD_UNTAGGED);
    return m->op == IW_READ ? data + carried(p, d, pair, REQUEST, IW_HEAD_UNTAGGED) : data;
}

/* ---- laws ---- */

static void judge_law(struct trial *t, const char *law, double found, double bound)
{
    if (t->judged)
        return;
    t->judged = true;
    *t->r.note = 0; /* it outweighs a limit that was hit */
    trial_set_note(t, "broken law: %s: %.9g and %.9g", law, found, bound);
}

/* A world rounds each link's time of each packet to a picosecond. */
void referee_latency(struct trial *t, const struct workload_message *m, double alone)
{
    double slack = 1e-6 * alone + HOPS_MAX * (2 + (double)m->length / t->derived.payload);
    if ((double)m->latency + slack < alone)
        judge_law(t, "no message is faster than light and wire: microseconds", (double)m->latency / 1e6,
                  alone / 1e6);
}

static void not_above(struct trial *t, const char *law, double found, double bound)
{
    if (!isnan(found) && found > bound)
        judge_law(t, law, found, bound);
}

uint32_t referee_receivers(const struct trial *t)
{
    uint32_t count = 0;
    for (uint32_t h = 0; h < t->point->workload.hosts; h++)
        count += t->host_placed[h];
    return count;
}

static double octets_or_none(uint64_t n)
{
    return n == UNDEFINED ? 0 : (double)n;
}

/* What the kernel's buffers may hold, out of order or not yet copied, where the CPU places. */
static double in_kernels(const struct trial *t)
{
    bool by_cpu = rnic_path_is(t->point->rnic.receive, RNIC_BY_CPU);
    return by_cpu ? (double)t->connections * octets_or_none(t->r.window_max) : 0;
}

/* What had come in before and was placed after the second half began: in adapters, in kernels, in one packet of each host, in
 * chunks; and what the channel held up until then. */
static double kept_back(const struct trial *t, uint32_t hosts)
{
    const struct point_results *r = &t->r;
    double late = t->derived.line_gbps / 8e3 * (double)scenario_held_up(t->point, &t->derived) *
                  fabric_ports_of(&t->point->topology);
    double each =
        octets_or_none(r->staging_peak) + octets_or_none(r->held_peak) + 2.0 * t->derived.payload + late;
    double chunks = worlds[t->point->world].flows ? (double)t->point->simgrid_chunk * t->connections : 0;
    return hosts * each + in_kernels(t) + chunks;
}

static void judge_rates(struct trial *t)
{
    const struct point_results *r = &t->r;
    uint32_t hosts = referee_receivers(t);
    if (t->point->platform)
        return;
    double wire = hosts * fabric_ports_of(&t->point->topology) * t->derived.line_gbps *
                  1.001; /* markers: the mean of all phases */
    double before = has_window(t) ? kept_back(t, hosts) * 8e3 / (double)(t->until - t->from) : 0;
    not_above(t, "goodput is at most what the wire carries: Gbps", r->goodput_gbps, wire + before);
    uint64_t second_half = r->bytes - t->end[PARTS / 2].octets;
    double nanoseconds = (double)second_half * 8 / t->slope;
    not_above(t, "steady goodput is at most what the wire carries: Gbps", t->slope,
              wire + kept_back(t, hosts) * 8 / nanoseconds);
}

/* Of each record one copy is taken. Where a stream ended in an error what comes later is nobody's. */
static void judge_retransmits(struct trial *t)
{
    const struct point_results *r = &t->r;
    const struct point_counters *c = &r->counted;
    bool sound = t->point->llp.kind == LLP_MPA && r->status == STATUS_OK && !r->terminates;
    if (!sound || worlds[t->point->world].flows)
        return;
    double gone = (double)c->drops_channel + (double)c->drops_switch + (double)c->drops_track +
                  (double)c->trims + (double)c->refused + (double)c->lost_on_failed_links;
    not_above(t, "what left again was lost, refused, needless, or is under way", (double)r->retransmits,
              gone + (double)c->retransmits_needless + (double)c->under_way);
}

void referee_end(struct trial *t)
{
    const struct point_results *r = &t->r;
    uint64_t asked = workload_messages(&t->point->workload);
    if (r->status == STATUS_BROKEN || r->status == STATUS_REFUSED)
        return;
    judge_rates(t);
    not_above(t, "spurious retransmissions are among the retransmissions",
              (double)r->counted.retransmits_spurious, (double)r->retransmits);
    judge_retransmits(t);
    not_above(t, "messages completed were posted", (double)r->messages, (double)r->messages_posted);
    not_above(t, "no more messages are posted than requested", (double)r->messages_posted, (double)asked);
    if (t->judged)
        t->r.status = STATUS_BROKEN;
}

/* ---- streams that ended ---- */

/* Where ends are the point, or no message is promised to arrive. */
static bool may_end(const struct workload_conf *w)
{
    return workload_is(w->kind, WORKLOAD_FREE) ||
           (workload_is(w->kind, WORKLOAD_BARE) && !workload_transport_is(w->transport, WORKLOAD_RELIABLE));
}

/* A window is measured whole, and nothing fails before its end. */
static void window_ended(struct trial *t)
{
    char at[40];
    if (window_is_over(t) && !t->failed)
        return;
    t->r.status = STATUS_ENDED;
    value_decimal(t->over_at - t->started, 6, at, sizeof at);
    if (t->failed)
        trial_set_note(t, "streams ended early, with %llu Terminates", (unsigned long long)t->r.terminates);
    else
        trial_set_note(t,
                       "the workload was over after %s us, before the window of measure.for ended: use "
                       "workload.count: unlimited, or more of them",
                       at);
}

void referee_ended(struct trial *t)
{
    struct point_results *r = &t->r;
    uint64_t asked = workload_messages(&t->point->workload);
    if (r->status == STATUS_OK && t->unsaid) {
        r->status = STATUS_ENDED;
        trial_set_note(t,
                       "%llu of %llu errors ended with their Terminate at both ends: the path lost or "
                       "altered the others",
                       (unsigned long long)t->all.latency.count, (unsigned long long)asked);
        return;
    }
    if (r->status != STATUS_OK || may_end(&t->point->workload))
        return;
    if (has_window(t)) {
        window_ended(t);
        return;
    }
    if (r->messages >= asked)
        return;
    r->status = STATUS_ENDED;
    trial_set_note(t, "%llu of %llu messages were done: streams ended early, with %llu Terminates",
                   (unsigned long long)r->messages, (unsigned long long)asked,
                   (unsigned long long)r->terminates);
}

/* ---- damage that nothing can see ---- */

/* A Terminate did not get through before its end gave up, or what was altered was another error. */
static bool takes_silence(struct trial *t, const struct workload_broken *b)
{
    const struct channel_conf *c = &t->point->channel;
    bool of_the_path = c->corrupt > 0 || (!b->found && channel_impairs(c));
    t->unsaid |= of_the_path;
    return of_the_path;
}

/* Without a CRC a packet that TCP's checksum let through is delivered as it came. That is the result. */
bool referee_takes_damage(struct trial *t, const struct workload_broken *b)
{
    const struct scenario_point *p = t->point;
    if (b->expected)
        return takes_silence(t, b);
    if (scenario_guesses(p)) { /* a guess that was right: foreign_bytes counts its octets */
        t->r.messages_wrong++;
        t->r.octets_wrong += b->octets;
        return true;
    }
    if (p->workload.reuse) { /* DDPP core 3.4: the hazard that was asked for */
        t->r.messages_wrong += b->octets > 0;
        t->r.octets_wrong += b->octets;
        return b->octets > 0;
    }
    if (p->llp.crc || p->llp.kind == LLP_SCTP || p->llp.kind == LLP_PACKET || !(p->channel.corrupt > 0))
        return false;
    t->r.messages_wrong += b->octets > 0;
    t->r.octets_wrong += b->octets;
    return true;
}
