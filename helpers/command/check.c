/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.c -- iwarpsim check: what a scenario means, before it runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/process.h"
#include "helpers/campaign/enough.h"
#include "helpers/campaign/program.h"
#include "helpers/campaign/run_options.h"
#include "helpers/command.h"
#include "helpers/scenario/binding.h"
#include "helpers/scenario/bound.h"
#include "helpers/scenario/cost.h"
#include "helpers/scenario/fates_file.h"
#include "helpers/scenario/scenario_check.h"
#include "helpers/scenario/world.h"
#include "helpers/trial/results.h"
#include "helpers/world/fabric/world_links.h"

static const char check_help[] = "usage: iwarpsim check FILE [--set KEY=VALUE]...\n"
                                 "\n"
                                 "Checks a scenario and prints what follows from its keys: everything for "
                                 "the first point, and for each further\n"
                                 "point what differs from the point before. Runs nothing.\n";

/* What is granted: octets by the receiver, or, where there is no window, packets. */
static void print_window(const struct scenario_point *p, const struct scenario_derived *d, FILE *out)
{
    if (p->llp.kind == LLP_PACKET && d->flight == PACKET_RANGE_MAX)
        fputs("  flight    unlimited", out);
    else if (p->llp.kind == LLP_PACKET)
        fprintf(out, "  flight    %u packets per connection, %u tracked", d->flight, d->track);
    else
        fprintf(out, "  window    %llu octets per connection, scale %u",
                (unsigned long long)p->rnic.window.bytes, d->window_shift);
    fprintf(out, ": at most %.4g Gbps of payload; line rate is %.4g Gbps\n", d->window_gbps, d->line_gbps);
}

struct platform_routes {
    unsigned links, held;
    double rtt, gbps, least;
};

/* What SimGrid says of the platform's routes. False: it cannot be asked, or says something else. */
static bool ask_routes(const struct run_options *o, size_t index, struct platform_routes *r)
{
    char program[PATH_LONG], number[24];
    struct run_options one = *o;
    pid_t child;
    if (!world_program(WORLD_SIMGRID, program))
        return false;
    snprintf(number, sizeof number, "%zu", index);
    one.point = number;
    const char *const front[] = {program, "routes"};
    const char **words = run_options_words(&one, front, 2);
    fflush(stdout);
    FILE *in = process_hear(words, &child);
    bool good = in && fscanf(in, "%u links, RTT %lf us, %lf Gbps, %lf Gbps, %u held", &r->links, &r->rtt,
                             &r->gbps, &r->least, &r->held) == 5;
    if (in)
        fclose(in);
    free(words);
    return process_wait(child) == 0 && good;
}

/* Of a platform topology.rate and topology.delay say nothing: rates and latencies are SimGrid's. */
static void print_platform(const struct run_options *o, size_t index, const struct scenario_derived *d,
                           FILE *out)
{
    struct platform_routes r;
    double payload = (double)d->payload / d->wire;
    fprintf(out, "  packets   MSS %u, MULPDU %u, FPDU %u, payload %u octets; %u octets on the wire\n",
            d->sizes.mss, d->sizes.mulpdu, d->fpdu, d->payload, d->wire);
    if (!ask_routes(o, index, &r)) {
        fputs(
            "  path      as SimGrid routes in the platform: its rates and latencies are known when it runs\n",
            out);
        return;
    }
    fprintf(out,
            "  path      %u link%s on the longest route, %.6g us there and back, as SimGrid routes\n"
            "  share     %.4g Gbps of payload on all routes together, while all send and share links "
            "fairly; the least of one is %.4g Gbps\n",
            r.links, r.links == 1 ? "" : "s", r.rtt, r.gbps * payload, r.least * payload);
    if (r.held)
        fprintf(
            out,
            "  held      %u connection%s by the sender, not by a link: rnic.window.bytes, llp.send_buffer, "
            "channel.loss or the adapter\n",
            r.held, r.held == 1 ? "" : "s");
}

static void print_derived(const struct scenario_point *p, const struct scenario_derived *d, FILE *out)
{
    char serialization[40], rtt[40];
    value_decimal(d->serialization, 6, serialization, sizeof serialization);
    value_decimal(d->rtt, 6, rtt, sizeof rtt);
    fprintf(out, "  packets   MSS %u, MULPDU %u, FPDU %u, payload %u octets; %u octets on the wire, %s us\n",
            d->sizes.mss, d->sizes.mulpdu, d->fpdu, d->payload, d->wire, serialization);
    fprintf(out, "  path      %u link%s, RTT %s us without load, BDP %llu octets\n", d->hops,
            d->hops > 1 ? "s" : "", rtt, (unsigned long long)d->bdp);
    print_window(p, d, out);
    if (scenario_connections(&p->workload) > 1)
        fprintf(out, "  windows   of %u connections: at most %.4g Gbps together\n",
                workload_connections(&p->workload), d->windows_gbps);
}

/* The least of what closed forms know, by name, and the others. */
static void print_bounds(const struct scenario_point *p, const struct scenario_derived *d, FILE *out)
{
    struct scenario_bound b[SCENARIO_BOUNDS];
    size_t n = scenario_bounds(p, b);
    fprintf(out, "  bound     %s: at most %.4g Gbps", b[0].name, b[0].gbps);
    for (size_t i = 1; i < n; i++)
        fprintf(out, "%s%s %.4g", i > 1 ? ", " : " (", b[i].name, b[i].gbps);
    fputs(n > 1 ? ")\n" : "\n", out);
    if (rnic_policy_is(p->rnic.window.policy, RNIC_FINDS) && strcmp(b[0].name, "window") == 0)
        fprintf(out,
                "  note      policy bdp never goes beyond rnic.window.bytes; the line needs %llu octets\n",
                (unsigned long long)d->bdp);
}

/* The number of the adapter that binds, if one does, and who says so. */
static void print_adapter(const struct scenario_point *p, FILE *out)
{
    struct scenario_binding b;
    if (!scenario_binding(p, &b) || p->preset == 0)
        return;
    fprintf(out, "  adapter   rnic.%s binds: at most %.4g Gbps; ", b.name, b.gbps);
    if (b.fact)
        fprintf(out, "%s: %s\n", rnic_grade_name(b.fact->grade), b.fact->source);
    else
        fputs("the scenario gives it\n", out);
}

/* What each transmit pipeline holds, so that latency delays and does not throttle. */
static void print_pipeline(const struct scenario_point *p, FILE *out)
{
    void *block = worlds[p->world].flows ? NULL : malloc(rnic_size(&p->rnic, 1));
    uint32_t octets =
        block ? rnic_ahead(rnic_init(block, &p->rnic, 1, 0), p->topology.rate, p->topology.mtu) : 0;
    free(block);
    if (octets)
        fprintf(out, "  transmit  %llu pipeline%s of up to %u octets: what the line sends while they pass\n",
                (unsigned long long)p->rnic.tx.queues, p->rnic.tx.queues > 1 ? "s" : "", octets);
}

/* Does a queue grow where connections converge on a port? */
static bool has_queue(const struct scenario_point *p)
{
    return scenario_converging(&p->workload) > 1 && !world_ignores(&worlds[p->world], "topology.buffer") &&
           fabric_switches_of(&p->topology);
}

static double windows_of(const struct scenario_point *p, const struct scenario_derived *d)
{
    const struct workload_conf *w = &p->workload;
    double posted = w->depth && w->size_max ? (double)w->depth * w->size_max : HUGE_VAL;
    double each = p->llp.kind == LLP_PACKET ? fmin((double)d->flight * p->topology.mtu, posted)
                                            : (double)p->rnic.window.bytes;
    return (double)scenario_converging(&p->workload) * each;
}

/* What converges on a port, against its queue. */
static void print_queue(const struct scenario_point *p, const struct scenario_derived *d, FILE *out)
{
    if (has_queue(p) && windows_of(p, d) > (double)p->topology.buffer)
        fprintf(out,
                "  note      the %s of %u connections into one port are %.0f octets, its queue holds "
                "%llu; the excess is %s\n",
                p->llp.kind == LLP_PACKET ? "packets in flight" : "windows",
                scenario_converging(&p->workload), windows_of(p, d), (unsigned long long)p->topology.buffer,
                p->topology.trim ? "trimmed" : "marked or dropped");
}

/* What comes in while the adapter stalls, against staging. */
static void print_staging(const struct scenario_point *p, FILE *out)
{
    const struct rnic_conf *r = &p->rnic;
    const struct world *w = &worlds[p->world];
    double comes = (double)p->topology.rate / 8e12 * (double)r->stall.for_;
    if (r->stall.every && r->staging_bytes != RNIC_UNLIMITED && comes > (double)r->staging_bytes)
        fprintf(out,
                "  note      a stall lets %.0f octets come, staging holds %llu; the rest is dropped%s%s%s\n",
                comes, (unsigned long long)r->staging_bytes, w->flows ? ", and world " : "",
                w->flows ? w->name : "", w->flows ? " repeats it without TCP's timeouts" : "");
}

/* A tour with a stop less. */
static void print_tour(const struct scenario_point *p, FILE *out)
{
    if (p->workload.kind == WORKLOAD_errors && p->payload == PAYLOAD_NONE && p->llp.markers)
        fputs("  note      payload: none has no marker to be wrong: the tour leaves this error out\n", out);
}

/* What TCP makes of keys that contradict nothing. */
static void print_tcp(const struct scenario_point *p, const struct scenario_derived *d, FILE *out)
{
    char would_do[SCENARIO_TIME_TEXT];
    if (p->llp.kind == LLP_MPA && p->llp.dupack_threshold == 0)
        fputs("  note      dupack_threshold: adaptive selects loss_detection: rack\n", out);
    if (p->llp.kind == LLP_MPA && !worlds[p->world].flows && scenario_initial_rto(p) < d->rtt)
        fprintf(out,
                "  note      initial_rto is below the round trip without load: the SYN is sent again "
                "although nothing is lost; %s would do\n",
                scenario_rto_for(d->rtt, would_do));
    if (p->llp.kind == LLP_PACKET && scenario_few_rto(p) < d->rtt)
        fprintf(
            out,
            "  note      with at most 3 packets under way irn waits for %.4g us, 5/16 of min_rto, which is "
            "below the round trip without load: they are sent again although nothing is lost; %s would "
            "do\n",
            (double)scenario_few_rto(p) / 1e6, scenario_rto_for(d->rtt * 16 / 5, would_do));
    double queue = fmin((double)p->topology.buffer, windows_of(p, d));
    double waits = 8e12 * queue / (double)p->topology.rate + (double)d->rtt;
    if (p->llp.kind != LLP_IDEAL && has_queue(p) && (double)scenario_min_rto(p) < waits)
        fprintf(out,
                "  note      min_rto is below a round trip through a full queue, %.0f us: timeouts may occur "
                "although nothing is lost; %s would do\n",
                waits / 1e6, scenario_rto_for((uint64_t)waits, would_do));
}

/* What nothing fits into is asked for again and again: as often as a round trip ends. */
static void print_tracking(const struct scenario_point *p, FILE *out)
{
    if (p->rnic.track.full == RNIC_TRACK_NAK && p->rnic.track.pool < scenario_track_least(p))
        fprintf(
            out,
            "  note      rnic.track.pool has %llu bits, and llp.tracking needs %u to remember one packet: "
            "what comes out of order is asked for again each round trip until its turn comes\n",
            (unsigned long long)p->rnic.track.pool, scenario_track_least(p));
}

/* DCQCN's steps are scaled for marks of its own. */
static void print_marks(const struct scenario_point *p, FILE *out)
{
    struct llp_marks m;
    if (scenario_marks_differ(p, &m))
        fprintf(out,
                "  note      marks are not those that HPCC's script has for dcqcn on this line: "
                "topology.ecn.kmin %lluB, kmax %lluB, pmax %g\n",
                (unsigned long long)m.kmin, (unsigned long long)m.kmax, m.pmax);
}

/* Whether pauses could wait for each other. */
static void print_circle(const struct scenario_point *p, FILE *out)
{
    char text[LINKS_TEXT_MAX];
    if (world_links_cycle(p, text))
        fprintf(out, "  note      with pfc these links could pause each other in a circle, a deadlock: %s\n",
                text);
}

static double mean_loss(const struct scenario_point *p)
{
    const struct channel_conf *c = &p->channel;
    if (p->fates)
        return (double)p->fates->lost / p->fates->packets;
    double turns = c->burst.p + c->burst.r;
    double bad = turns > 0 ? c->burst.p / turns : 0;
    double burst = c->burst.p > 0 ? bad * c->burst.loss_bad + (1 - bad) * c->burst.loss_good : 0;
    return 1 - (1 - c->loss) * (1 - burst);
}

/* The path that a trace is of, and how often a run goes through it. */
static void print_trace(const struct scenario_point *p, FILE *out)
{
    if (!p->fates)
        return;
    fputs("  trace     ", out);
    fates_count_write(p->fates, out);
    double packets = scenario_packets(p);
    if (packets > p->fates->packets && p->channel_direction == DIRECTION_DATA)
        fprintf(out, "\n  note      about %.0f packets go through %u fates, %.1f times", packets,
                p->fates->packets, packets / p->fates->packets);
    putc('\n', out);
}

/* A rate that losses decide is as good as they are many. */
static void print_losses(const struct scenario_point *p, FILE *out)
{
    double loss = mean_loss(p), losses = loss * scenario_packets(p);
    if (!(losses > 0) || losses >= LOSSES_ENOUGH || p->channel_direction == DIRECTION_ACKS)
        return;
    fprintf(out,
            "  note      about %.0f packets will be lost: fewer than 1,000, so a run is marked unless its "
            "rate is known to "
            "2 %%; ",
            losses);
    if (p->measure.span)
        fprintf(out, "a window %.3g times as long meets 1,000\n", LOSSES_ENOUGH / losses);
    else if (p->loads || (p->workload.goal && !workload_is(p->workload.kind, WORKLOAD_JOINT)) ||
             p->workload.matrix)
        fprintf(out, "%.3g times as many messages meet 1,000\n", LOSSES_ENOUGH / losses);
    else
        fprintf(out, "workload.count %.0f meets 1,000\n",
                ceil((double)p->workload.count * LOSSES_ENOUGH / losses));
}

/* Was a value given that is another than the default, below rnic. than that of the preset? */
static bool is_chosen(const struct scenario *s, const struct key *key, const struct scenario_point *p)
{
    struct scenario_point plain;
    struct scenario_conf conf;
    struct value v, initial;
    keys_defaults(&plain, &conf);
    plain.seed = p->seed;
    plain.draw = p->draw;
    keys_preset(&plain, rnic_presets[strcmp(key->name, "rnic.preset") ? p->preset : plain.preset].name);
    key_load(key, p, &v);
    key_load(key->like ? key->like : key, &plain, &initial);
    return scenario_states(s, key) && !value_equal(&v, &initial);
}

/* The keys of a group that mean something here, with their values, defaults included; others than these marked. */
static void print_group(const struct scenario *s, const struct scenario_point *p, const char *group)
{
    size_t len = strlen(group);
    const char *between = " ";
    for (size_t i = 0; i < scenario_keys(s); i++) {
        const struct key *key = scenario_key_at(s, i);
        char text[VALUE_TEXT_MAX];
        if (strncmp(key->name, group, len) || key->name[len] != '.' || !key_applies(key, p))
            continue;
        key_text(key, p, text);
        if (!*text)
            continue;
        if (*between == ' ')
            printf("  %-9s", group);
        printf("%s%s%s %s", between, is_chosen(s, key, p) ? "*" : "", key->name + len + 1, text);
        between = ", ";
    }
    if (*between != ' ')
        putchar('\n');
}

/* "at most 80 messages" */
static void print_messages(const struct workload_conf *w, FILE *out)
{
    uint64_t messages = workload_messages(w);
    if (messages < WORKLOAD_UNLIMITED)
        fprintf(out, "at most %llu messages", (unsigned long long)messages);
    else
        fputs("messages until measure.for ends", out);
}

/* What each of several asks for. */
static void print_loads(const struct scenario_point *p, FILE *out)
{
    for (uint32_t i = 0; p->workload.part && i < p->loads && p->load_of[0].name; i++) {
        const struct workload_conf *w = p->workload.part[i].conf;
        fprintf(out, "    %-7s %s, %u hosts, %u connection%s, ", p->workload.part[i].name,
                workload_kind_name(w->kind), w->hosts, workload_connections(w),
                workload_connections(w) > 1 ? "s" : "");
        print_messages(w, out);
        putc('\n', out);
    }
}

/* Where many flows share links, to solve for their rates costs what packets do, or more (CAMPAIGNS.md). */
static void print_flows(const struct scenario_point *p, FILE *out)
{
    enum { MANY = 1024 };
    bool shared = p->topology.kind == FABRIC_FAT_TREE || p->topology.kind == FABRIC_DRAGONFLY;
    if (worlds[p->world].flows && shared && p->workload.hosts >= MANY)
        fputs("  note      flows of so many hosts that share links cost about as much CPU as packets, or "
              "more: world "
              "fabric carries every packet\n",
              out);
}

static void print_workload(const struct scenario_point *p, FILE *out)
{
    uint64_t messages = workload_messages(&p->workload), octets = workload_octets(&p->workload);
    fprintf(out, "  workload  %u hosts, %u connection%s, ", p->workload.hosts,
            workload_connections(&p->workload), workload_connections(&p->workload) > 1 ? "s" : "");
    print_messages(&p->workload, out);
    if (octets)
        fprintf(out, ", %llu ULP octets", (unsigned long long)octets);
    putc('\n', out);
    print_loads(p, out);
    print_flows(p, out);
    if (messages < 1000)
        fputs("  note      a 99th percentile from fewer than 1,000 messages depends on fewer than ten of "
              "them\n",
              out);
    else if (messages < 10000)
        fputs("  note      a 99.9th percentile from fewer than 10,000 messages rests on fewer than ten of "
              "them\n",
              out);
}

static void print_settings(const struct scenario *s)
{
    static const char *const groups[] = {"topology", "llp", "rnic", "hosts", "channel", "workload"};
    struct scenario_point p;
    char error[SCENARIO_ERROR_MAX];
    scenario_point(s, 0, 0, &p, error);
    printf("settings%s; * differs from the default, below rnic from the preset\n",
           s->points > 1 ? " at the first point" : "");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        print_group(s, &p, groups[i]);
    for (uint32_t i = 0; i < s->loads; i++) {
        char group[KEY_NAME_MAX];
        snprintf(group, sizeof group, "workloads.%s", s->load[i]);
        print_group(s, &p, group);
    }
    for (uint32_t i = 0; i < s->tenants; i++) {
        char group[KEY_NAME_MAX];
        snprintf(group, sizeof group, "tenants.%s", s->tenant[i]);
        print_group(s, &p, group);
    }
    print_group(s, &p, "measure");
    print_group(s, &p, "limit");
}

/* The values of the sweep, ranges written out; keys that step together on lines that begin with +. */
static void print_sweep(const struct scenario *s)
{
    for (size_t i = 0; i < s->axes_count; i++) {
        const struct scenario_axis *a = &s->axes[i];
        printf("  %s %s:", a->zipped ? "+    " : "sweep", a->key->name);
        for (size_t j = 0; j < a->count; j++) {
            char text[VALUE_TEXT_MAX];
            value_write(&a->values[j], &a->key->rules, text, sizeof text);
            printf("%s %s", j ? "," : "", text);
        }
        putchar('\n');
    }
}

/* What each case states. */
static void print_cases(const struct scenario *s)
{
    const struct scenario_case *c;
    for (size_t i = 0; (c = scenario_case_at(s, i)); i++) {
        printf("  case %s:", c->name);
        for (size_t k = 0; k < c->settings_count; k++) {
            char text[VALUE_TEXT_MAX];
            value_write(&c->settings[k].value, &c->settings[k].key->rules, text, sizeof text);
            printf("%s %s %s", k ? "," : "", c->settings[k].key->name, text);
        }
        putchar('\n');
    }
}

static void print_rates(const struct scenario_point *p, const struct scenario_derived *d, FILE *out)
{
    print_derived(p, d, out);
    print_bounds(p, d, out);
    print_adapter(p, out);
    print_pipeline(p, out);
}

/* What follows from the keys of a point. malloc()ed; NULL: no memory. */
static char *point_text(const struct run_options *o, const struct scenario *s, size_t index)
{
    struct scenario_point p;
    struct scenario_derived d;
    char error[SCENARIO_ERROR_MAX], *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    scenario_point(s, index, 0, &p, error);
    scenario_derive(&p, &d);
    if (p.platform)
        print_platform(o, index, &d, out);
    else
        print_rates(&p, &d, out);
    print_queue(&p, &d, out);
    print_staging(&p, out);
    print_tour(&p, out);
    print_circle(&p, out);
    print_tcp(&p, &d, out);
    print_tracking(&p, out);
    print_marks(&p, out);
    print_workload(&p, out);
    print_trace(&p, out);
    print_losses(&p, out);
    fclose(out);
    return text;
}

/* The lines that the text before does not have. */
static void print_new(const char *text, const char *before)
{
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        char copy[512];
        snprintf(copy, sizeof copy, "%.*s", (int)(end + 1 - line), line);
        if (!before || !strstr(before, copy))
            fputs(copy, stdout);
    }
}

enum { POINTS_SHOWN = 200 };

static void print_points(const struct run_options *o, const struct scenario *s)
{
    char *before = NULL;
    for (size_t i = 0; i < s->points; i++) {
        if (i == POINTS_SHOWN) {
            printf("and %zu more points\n", s->points - i);
            break;
        }
        char label[SCENARIO_LABEL_MAX], *text = point_text(o, s, i);
        scenario_label(s, i, label);
        printf("point %s\n", label);
        if (text)
            print_new(text, before);
        free(before);
        before = text;
    }
    free(before);
}

/* ---- what it will take ---- */

/* A name, and how many of the one before it are one of it. */
struct unit {
    const char *name;
    double is;
};
static const struct unit octets[] = {{"B", 1}, {"kB", 1000}, {"MB", 1000}, {"GB", 1000}, {NULL, 0}};
static const struct unit simulated[] = {{"us", 1}, {"ms", 1000}, {"s", 1000}, {NULL, 0}};
static const struct unit work[] = {{"s", 1}, {"min", 60}, {"h", 60}, {NULL, 0}};

static void print_amount(double amount, const struct unit *u)
{
    for (; u[1].name && amount >= u[1].is; u++)
        amount /= u[1].is;
    printf(amount < 9.95 ? "%.2g %s" : "%.0f %s", amount, u->name);
}

/* CPU time of all runs, memory of the largest, simulated time of the longest. NULL, or where nothing is known. */
static const char *sum_costs(const struct scenario *s, struct scenario_cost *all)
{
    *all = (struct scenario_cost){0};
    for (size_t i = 0; i < s->points; i++) {
        struct scenario_point p;
        struct scenario_cost c;
        char error[SCENARIO_ERROR_MAX];
        scenario_point(s, i, 0, &p, error);
        const char *where = scenario_cost(&p, &c);
        if (where)
            return where;
        all->cpu_s += c.cpu_s * s->conf.repeat;
        all->bytes = c.bytes > all->bytes ? c.bytes : all->bytes;
        all->time_us = c.time_us > all->time_us ? c.time_us : all->time_us;
    }
    return NULL;
}

static void print_cost(const struct scenario *s)
{
    struct scenario_cost all;
    const char *where = sum_costs(s, &all);
    if (where) {
        printf("cost: unknown %s\n", where);
        return;
    }
    printf("cost: %sabout ", s->conf.until > 0 ? "at most " : "");
    print_amount(all.cpu_s, work);
    fputs(" of CPU time, all runs together; ", stdout);
    print_amount(all.bytes, octets);
    fputs(" of memory, the largest; ", stdout);
    print_amount(all.time_us, simulated);
    puts(" of simulated time or more, the longest");
}

enum { MEDIAN_LEAST = 6 }; /* stats.h */

static int check_scenario(const struct run_options *o)
{
    struct scenario *s = run_options_scenario(o);
    if (!s)
        return EXIT_INPUT;
    printf("%s: %s\n", s->name, *s->conf.title ? s->conf.title : "(no title)");
    if (*s->conf.claim)
        printf("claim: %s\n", s->conf.claim);
    printf("%zu point%s, %s%u repeat%s each\n", s->points, s->points > 1 ? "s" : "",
           s->conf.until > 0 ? "at most " : "", s->conf.repeat, s->conf.repeat > 1 ? "s" : "");
    if (s->conf.until > 0)
        printf("  repeats   from %d on until the 95 %% interval of the mean of %s is within %.4g %%\n",
               ENOUGH_LEAST, s->conf.until_of, 100 * s->conf.until);
    if (s->conf.repeat > 1 && s->conf.repeat < MEDIAN_LEAST)
        printf("  note      fewer than %d repeats: a median has no 95 %% interval\n", MEDIAN_LEAST);
    print_sweep(s);
    print_cases(s);
    print_settings(s);
    print_points(o, s);
    print_cost(s);
    scenario_free(s);
    return EXIT_DONE;
}

int command_check(int argc, char **argv)
{
    struct run_options o;
    int status;
    if (run_options_parse(&o, argc, argv, check_help, &status))
        status = check_scenario(&o);
    run_options_free(&o);
    return status;
}
