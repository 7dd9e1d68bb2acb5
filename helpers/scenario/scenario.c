/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenario.c -- points of a scenario: their values, their names, and writing them down (scenario.h). */
#include "helpers/scenario/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/ddpp.h"
#include "engine/least.h"
#include "engine/wire.h"
#include "helpers/base/quote.h"
#include "helpers/base/sha256.h"
#include "helpers/scenario/bound.h"
#include "helpers/scenario/delay_file.h"
#include "helpers/scenario/fates_file.h"
#include "helpers/scenario/goal_collective.h"
#include "helpers/scenario/goal_file.h"
#include "helpers/scenario/hosts_list.h"
#include "helpers/scenario/matrix_file.h"
#include "helpers/scenario/platform_file.h"
#include "helpers/scenario/scenario_inner.h"
#include "helpers/scenario/size_mix.h"
#include "helpers/scenario/topology_file.h"
#include "helpers/scenario/world.h"
#include "rnic/window.h"
#include "scenarios/workloads/collective.h"

/* ---- points ---- */

enum { LABEL_DIGITS = 12 };

/* Cut a label, between two characters of UTF-8, and say which one it was. */
static void abbreviate(const struct scenario *s, size_t index, char label[SCENARIO_LABEL_MAX])
{
    char *text = NULL, sum[SHA256_TEXT];
    size_t size, end = SCENARIO_LABEL_MAX - LABEL_DIGITS - 2;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < s->axes_count; i++) {
        char value[VALUE_TEXT_MAX];
        value_write(scenario_value(s, index, i), &s->axes[i].key->rules, value, sizeof value);
        fprintf(out, "%s%s", i ? "/" : "", value);
    }
    if (!out || fclose(out) != 0) {
        fputs("iwarpsim: out of memory\n", stderr);
        exit(3);
    }
    sha256_text(text, size, sum);
    free(text);
    while (end && ((unsigned char)label[end] & 0xc0) == 0x80)
        end--;
    snprintf(label + end, SCENARIO_LABEL_MAX - end, "~%.*s", LABEL_DIGITS, sum);
}

void scenario_label(const struct scenario *s, size_t index, char label[SCENARIO_LABEL_MAX])
{
    size_t used = 0;
    snprintf(label, SCENARIO_LABEL_MAX, "all");
    for (size_t i = 0; i < s->axes_count && used < SCENARIO_LABEL_MAX; i++) {
        char text[VALUE_TEXT_MAX];
        value_write(scenario_value(s, index, i), &s->axes[i].key->rules, text, sizeof text);
        used += (size_t)snprintf(label + used, SCENARIO_LABEL_MAX - used, "%s%s", i ? "/" : "", text);
    }
    if (used >= SCENARIO_LABEL_MAX)
        abbreviate(s, index, label);
}

static size_t find_label(const struct scenario *s, const char *label)
{
    char text[SCENARIO_LABEL_MAX];
    size_t i = 0;
    for (; i < s->points; i++) {
        scenario_label(s, i, text);
        if (strcmp(text, label) == 0)
            break;
    }
    return i;
}

size_t scenario_find(const struct scenario *s, const char *label)
{
    char *end;
    bool numbered = *label == '#';
    size_t found = numbered ? s->points : find_label(s, label);
    label += numbered;
    if (found < s->points || *label < '0' || *label > '9')
        return found;
    unsigned long long number = strtoull(label, &end, 10);
    return *end || number >= s->points ? s->points : (size_t)number;
}

/* ---- from keys to a point ---- */

static const struct scenario_setting *setting_of(const struct scenario *s, const char *name)
{
    for (size_t i = 0; i < s->settings_count; i++)
        if (strcmp(s->settings[i].key->name, name) == 0)
            return &s->settings[i];
    return NULL;
}

bool scenario_states(const struct scenario *s, const struct key *key)
{
    const struct scenario_case *c;
    for (size_t i = 0; (c = scenario_case_at(s, i)); i++)
        if (scenario_case_says(c, key))
            return true;
    return setting_of(s, key->name) || scenario_sweeps(s, key);
}

bool scenario_switches_on(const struct scenario *s, const struct key *key)
{
    const struct scenario_case *c;
    const struct scenario_setting *own = setting_of(s, key->name);
    for (size_t i = 0; (c = scenario_case_at(s, i)); i++)
        if (scenario_case_says(c, key) && scenario_case_says(c, key)->value.n)
            return true;
    return (own && own->value.n) || scenario_sweeps(s, key);
}

/* The value that a key has at a point, unless it is a default. */
static const struct value *given(const struct scenario *s, size_t index, const char *name)
{
    const struct key *key = scenario_key(s, name);
    struct scenario_place at;
    return key ? scenario_stated(s, index, key, &at) : NULL;
}

enum point_world scenario_world(const struct scenario *s, size_t index)
{
    struct scenario_point initial;
    struct scenario_conf conf;
    const struct value *world = given(s, index, "world");
    if (world)
        return (enum point_world)world->n;
    keys_defaults(&initial, &conf);
    return initial.world;
}

static void load_preset(const struct scenario *s, size_t index, struct scenario_point *point)
{
    const struct value *preset = given(s, index, "rnic.preset"), *draw = given(s, index, "rnic.draw");
    const struct value *seed = given(s, index, "seed");
    point->draw = draw ? (uint32_t)draw->n : point->draw;
    point->seed = seed ? seed->n : point->seed;
    keys_preset(point, preset ? rnic_presets[preset->n].name : rnic_presets[point->preset].name);
}

/* Which hosts and values of theirs are of a kind of their own; the values come with the settings. */
static void name_overrides(const struct scenario *s, struct scenario_point *p)
{
    for (size_t i = 0; i < s->own_count; i++) {
        const struct scenario_own_key *own = s->own[i];
        if (!own->of_hosts)
            continue;
        p->override_of[p->overrides++] = (struct point_override){
            .hosts = own->load, .offset = own->key.like->offset - offsetof(struct scenario_point, rnic)};
    }
}

/* What only other cases say is of no host, be there so many or not; the value is that of all. */
static void leave_overrides(const struct scenario *s, size_t index, struct scenario_point *p)
{
    struct scenario_place at;
    for (size_t i = 0; i < s->own_count; i++) {
        const struct scenario_own_key *own = s->own[i];
        if (own->of_hosts && !scenario_stated(s, index, &own->key, &at)) {
            struct point_override *o = &p->override_of[own->key.load];
            memcpy(&o->value, (const char *)&p->rnic + o->offset, sizeof o->value);
            o->hosts = "";
        }
    }
}

/* Each workload of several begins as one alone does. */
static void load_defaults(const struct scenario *s, struct scenario_point *p)
{
    for (uint32_t i = 0; i < s->loads; i++)
        p->load_of[i] = (struct point_load){.name = s->load[i], .workload = p->workload};
    p->tenants = s->tenants;
    for (uint32_t i = 0; i < s->tenants; i++) {
        p->tenant_of[i] = p->tenant;
        p->tenant_of[i].name = s->tenant[i];
    }
}

/* A key of the lower layer that one workload has for itself. */
static bool is_own_llp(const struct key *key)
{
    return key->like && strncmp(key->like->name, "llp.", 4) == 0;
}

static void store_settings(const struct scenario_setting *settings, size_t count,
                           struct scenario_point *point, bool own_llp)
{
    for (size_t i = 0; i < count; i++)
        if (settings[i].key->of == KEY_POINT && is_own_llp(settings[i].key) == own_llp)
            key_store(settings[i].key, &settings[i].value, point);
}

/* Those are left until what all have is settled. */
static void store_all(const struct scenario *s, size_t index, struct scenario_point *point, bool own_llp)
{
    const struct scenario_case *c = scenario_case(s, index);
    store_settings(s->settings, s->settings_count, point, own_llp);
    if (c)
        store_settings(c->settings, c->settings_count, point, own_llp);
    for (size_t i = 0; i < s->axes_count; i++)
        if (is_own_llp(s->axes[i].key) == own_llp)
            key_store(s->axes[i].key, scenario_value(s, index, i), point);
}

uint64_t scenario_rate(const struct scenario_point *p, uint32_t host)
{
    const struct topology_file *t = p->described;
    return t ? topology_rate(p, &t->link[t->host_link[host * t->ports]]) : p->topology.rate;
}

static uint64_t fastest_host(const struct scenario_point *p)
{
    uint64_t fastest = scenario_rate(p, 0);
    for (uint32_t h = 1; p->described && h < p->topology.hosts; h++)
        fastest = scenario_rate(p, h) > fastest ? scenario_rate(p, h) : fastest;
    return fastest;
}

uint32_t scenario_connections(const struct workload_conf *w)
{
    return workload_is(w->kind, WORKLOAD_IN_TURN) ? 1 : workload_connections(w);
}

uint32_t scenario_converging(const struct workload_conf *w)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < w->parts; i++) {
        uint32_t own = scenario_converging(w->part[i].conf);
        most = own > most ? own : most;
    }
    if (w->parts)
        return most;
    return w->connections * (workload_is(w->kind, WORKLOAD_CONVERGES) ? w->hosts - 1 : 1);
}

double scenario_ends(const struct workload_conf *w)
{
    double sum = 0, connections = scenario_connections(w);
    for (uint32_t i = 0; i < w->parts; i++)
        sum += scenario_ends(w->part[i].conf);
    return w->parts ? fmin(sum, w->hosts) : connections / scenario_converging(w);
}

/* `size`: octets of a message, in the mean. */
static uint64_t interval_of(const struct scenario_point *p, const struct workload_conf *w, double size)
{
    if (w->arrival == WORKLOAD_CLOSED)
        return 0;
    double alone =
        size * 8e12 / (double)fastest_host(p) / fabric_ports_of(&p->topology); /* ps that one message takes */
    return (uint64_t)(alone * scenario_converging(w) / w->load);
}

enum { SEND_BUFFER = 4 << 20 }; /* auto, where a world cannot make it grow */

/* ---- tenants ---- */

uint32_t scenario_tenant(const struct scenario_point *p, const char *name)
{
    for (uint32_t i = 0; i < p->tenants; i++)
        if (strcmp(p->tenant_of[i].name, name) == 0)
            return i + 1;
    return 0;
}

/* Behind those that a workload's own hosts have; numbers that a user gives come behind those of tenants that have their own. */
uint32_t scenario_domain(const struct scenario_point *p, uint32_t tenant)
{
    enum { OWN = WORKLOAD_PD + 1, GIVEN = OWN + 1 + POINT_TENANTS };
    const struct point_tenant *t = &p->tenant_of[tenant - 1];
    if (t->trust == TRUST_ALL)
        return OWN;
    return t->domain ? GIVEN + t->domain : OWN + tenant;
}

/* The first that it trusts and that trusts it, or itself. */
uint32_t scenario_trust(const struct scenario_point *p, uint32_t tenant)
{
    const struct point_tenant *t = &p->tenant_of[tenant - 1];
    uint32_t i = 0;
    while (i + 1 < tenant && !(t->trust != TRUST_NONE && p->tenant_of[i].trust == t->trust &&
                               scenario_domain(p, i + 1) == scenario_domain(p, tenant)))
        i++;
    return i + 1;
}

bool scenario_guesses(const struct scenario_point *p)
{
    for (uint32_t i = 0; i < p->tenants; i++)
        if (p->tenant_of[i].fault == WORKLOAD_GUESSES)
            return true;
    return false;
}

/* Never more messages are under way on a connection than it has. */
static void use_matrix(struct workload_conf *w)
{
    w->size_max = w->matrix->largest;
    w->depth = w->depth < w->matrix->deepest ? w->depth : w->matrix->deepest;
}

/* Of a file; or made for the operation of all hosts. */
static void use_goal(const struct scenario *s, struct workload_conf *w)
{
    char why[GOAL_ERROR_MAX];
    bool plays = workload_is(w->kind, WORKLOAD_PLAYS) && *w->goal_file,
         joint = workload_is(w->kind, WORKLOAD_JOINT);
    const struct goal_file *file = plays ? goal_file_find(s->file, w->goal_file, why) : NULL;
    w->goal = joint ? goal_collective(w) : file ? file->goal : NULL;
    w->goal_unit = joint && w->goal ? collective_unit(w) : 1;
    if (w->goal)
        w->size_max = w->goal->largest * w->goal_unit;
}

static void finish_workload(const struct scenario *s, const struct scenario_point *p, struct workload_conf *w,
                            uint32_t hosts)
{
    char error[SIZE_MIX_ERROR_MAX], why[MATRIX_ERROR_MAX];
    bool listed = workload_is(w->kind, WORKLOAD_LISTED) && *w->matrix_file;
    const struct matrix_file *matrix = listed ? matrix_file_find(s->file, w->matrix_file, why) : NULL;
    const struct size_mix *mix = *w->size_cdf ? size_mix_find(s->file, w->size_cdf, error) : NULL;
    w->hosts = hosts;
    w->seed = p->seed;
    w->repeat = p->repeat;
    w->consume_rate = p->workload.consume_rate; /* of all */
    w->shared_receives = p->workload.shared_receives;
    w->tenant = scenario_tenant(p, w->of_tenant);
    w->domain = w->tenant ? scenario_domain(p, w->tenant) : 0;
    w->fault = w->tenant ? p->tenant_of[w->tenant - 1].fault : WORKLOAD_NO_FAULT;
    w->size_max = mix ? mix->sizes[mix->count - 1].octets : w->size;
    w->sizes = mix ? mix->count : 0;
    w->distribution = mix ? mix->sizes : NULL;
    w->matrix = matrix ? matrix->matrix : NULL;
    use_goal(s, w);
    if (matrix)
        use_matrix(w);
    w->interval = interval_of(p, w, mix ? mix->mean : (double)w->size);
    w->take = p->rnic.cpu.poll;
    w->unproven = (!p->llp.crc && p->channel.corrupt > 0) || scenario_guesses(p);
    bool drops = p->llp.crc && p->llp.crc_error == CRC_ERROR_DROP;     /* and says nothing */
    bool shown = p->payload == PAYLOAD_REAL || worlds[p->world].flows; /* a wrong marker is octets */
    w->markers = p->llp.markers && !drops && shown;
    w->crc = p->llp.crc && !drops;
    w->strict = p->llp.profile == PROFILE_STRICT;
}

/* FNV-1a: what one workload draws does not depend on the others, be there more or fewer of them. */
static uint64_t seed_of_load(const struct scenario_point *p, const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return p->seed ^ hash;
}

static void finish_load(const struct scenario *s, struct scenario_point *p, uint32_t i)
{
    struct point_load *load = &p->load_of[i];
    struct hosts_list list;
    char why[VALUE_WHY_MAX];
    bool good = hosts_list_place(load->workload.host_list, p->topology.hosts, p->part, i, &list,
                                 why); /* else it is refused later */
    finish_workload(s, p, &load->workload, good ? list.hosts : p->topology.hosts);
    p->part[i] =
        (struct workload_part){.name = load->name, .conf = &load->workload, .ranges = good ? list.ranges : 0};
    memcpy(p->part[i].range, list.range, sizeof list.range);
    if (load->name)
        load->workload.seed = seed_of_load(p, load->name);
}

/* Several workloads; or one that has not all hosts, or begins late. */
static void finish_loads(const struct scenario *s, struct scenario_point *p)
{
    bool whole = strcmp(p->workload.host_list, "all") == 0 && p->workload.start == 0;
    p->loads = s->loads;
    if (s->loads == 0 && !whole)
        p->load_of[p->loads++] = (struct point_load){.workload = p->workload};
    for (uint32_t i = 0; i < p->loads; i++)
        finish_load(s, p, i);
    p->workload.parts = p->loads;
    p->workload.part = p->loads ? p->part : NULL;
}

/* Where nothing is encrypted, nothing takes time: rnic.crypto counts for no host. */
static void encrypt_nothing(const struct scenario_point *p, struct rnic_conf *rnic)
{
    if (p->llp.security != SECURITY_NONE)
        return;
    rnic->crypto.rate = RNIC_UNLIMITED;
    rnic->crypto.latency = 0;
}

/* What its file says; where that is wrong and will be refused, two hosts. */
static void read_network(const struct scenario *s, struct scenario_point *p)
{
    char why[SCENARIO_ERROR_MAX];
    const struct fabric_topology *kind = fabric_topology_of(&p->topology);
    if (kind->described)
        p->described = topology_file_find(s->file, p->network_file, why);
    if (kind->of_flows)
        p->platform = platform_file_find(s->file, p->network_file, why);
    p->topology.file.hosts = p->described ? p->described->hosts : p->platform ? p->platform->hosts : 2;
    p->topology.file.switches = p->described ? p->described->switches : 0;
    p->topology.file.ports = p->described ? p->described->ports : 1;
    p->topology.file.own_ports = p->described ? p->described->own_ports : NULL;
    p->topology.hosts = kind->extent(&p->topology).hosts;
}

/* What follows from the keys and is kept in the point because worlds and workloads read it there. */
static void finish_point(const struct scenario *s, struct scenario_point *p)
{
    char why[SCENARIO_ERROR_MAX];
    read_network(s, p);
    const struct fates_file *fates = *p->trace_file ? fates_file_find(s->file, p->trace_file, why) : NULL;
    if (worlds[p->world].flows && !p->llp.send_buffer)
        p->llp.send_buffer = SEND_BUFFER;
    if (fates) {
        p->channel.trace.seen = fates->seen;
        p->channel.trace.count = fates->count.packets;
        p->fates = &fates->count;
    }
    const struct delay_file *delays = *p->delay_file ? delay_file_find(s->file, p->delay_file, why) : NULL;
    if (delays) {
        p->channel.delay.entry = delays->entry;
        p->channel.delay.count = delays->count;
    }
    encrypt_nothing(p, &p->rnic);
    finish_workload(s, p, &p->workload, p->topology.hosts);
    finish_loads(s, p);
}

/* Who gives a threshold counts duplicates; `adaptive` is what RACK does better (RFC 8985 6.2.4). */
static void choose_detection(const struct scenario *s, size_t index, const char *group, struct llp_keys *k)
{
    char threshold[KEY_NAME_MAX], detection[KEY_NAME_MAX];
    snprintf(threshold, sizeof threshold, "%s.dupack_threshold", group);
    snprintf(detection, sizeof detection, "%s.loss_detection", group);
    if (given(s, index, threshold) && !given(s, index, detection))
        k->detection = k->dupack_threshold ? DETECTION_dupack : DETECTION_rack;
}

/* A conventional receiver buffers everything: it has no other policy. */
static void choose_policy(const struct scenario *s, size_t index, struct scenario_point *p)
{
    if (rnic_path_is(p->rnic.receive, RNIC_BY_CPU) && !given(s, index, "rnic.window.policy"))
        p->rnic.window.policy = RNIC_BUFFER;
}

/* Policy bdp is to find its window by itself: nothing but the line and TCP's 2^30 octets is in its way. */
static void free_window(const struct scenario *s, size_t index, struct scenario_point *p)
{
    enum { LINES = 8, LEAST = 4 << 20 };
    struct scenario_derived d;
    bool given_bytes = given(s, index, "rnic.window.bytes") && p->rnic.window.bytes != RNIC_UNLIMITED;
    p->window_free = rnic_policy_is(p->rnic.window.policy, RNIC_FINDS) && !given_bytes;
    if (!p->window_free)
        return;
    scenario_derive(p, &d);
    uint64_t bytes = LINES * d.bdp > LEAST ? LINES * d.bdp : LEAST;
    p->rnic.window.bytes = bytes < RNIC_WINDOW_MAX ? bytes : RNIC_WINDOW_MAX;
}

/* Each workload has what all have, but for what it has for itself. */
static void give_llp(const struct scenario *s, size_t index, struct scenario_point *p)
{
    for (uint32_t i = 0; i < p->loads; i++)
        p->load_of[i].llp = p->llp;
    store_all(s, index, p, true);
    for (uint32_t i = 0; i < s->loads; i++) {
        char group[KEY_NAME_MAX];
        snprintf(group, sizeof group, "workloads.%s.llp", s->load[i]);
        choose_detection(s, index, group, &p->load_of[i].llp);
    }
}

void scenario_resolve(const struct scenario *s, size_t index, uint32_t repeat, struct scenario_point *point)
{
    struct scenario_conf conf;
    keys_defaults(point, &conf);
    load_preset(s, index, point);
    load_defaults(s, point);
    name_overrides(s, point);
    store_all(s, index, point, false);
    leave_overrides(s, index, point);
    choose_detection(s, index, "llp", &point->llp);
    choose_policy(s, index, point);
    point->title = s->conf.title;
    point->index = (uint32_t)index;
    point->repeat = repeat;
    finish_point(s, point);
    give_llp(s, index, point);
    free_window(s, index, point);
}

/* ---- adapters that differ ---- */

struct rnic_conf scenario_adapter(const struct scenario_point *p, uint32_t host)
{
    struct rnic_conf rnic = p->rnic;
    for (uint32_t i = 0; i < p->overrides; i++) {
        const struct point_override *o = &p->override_of[i];
        struct hosts_list list;
        char why[VALUE_WHY_MAX];
        if (hosts_list_read(o->hosts, p->topology.hosts, &list, why) && list.range[0].first <= host &&
            host <= list.range[0].last)
            memcpy((char *)&rnic + o->offset, &o->value, sizeof o->value);
    }
    encrypt_nothing(p, &rnic);
    return rnic;
}

/* ---- what follows from a point's keys ---- */

enum { IP_TCP = 40 }; /* what stands before `fpdu` in every packet of `wire` */

uint32_t scenario_hops(const struct scenario_point *p, uint32_t a, uint32_t b)
{
    return p->described ? topology_path(p, a, b).links : fabric_hops(&p->topology, a, b);
}

uint32_t scenario_dealt(const struct scenario_point *p)
{
    return llp_deals(&p->llp) ? fabric_ports_of(&p->topology) : 1;
}

/* Of the longest path, or none where a file is wrong and will be refused. */
static bool describe_path(const struct scenario_point *p, struct scenario_derived *d, uint32_t ack)
{
    if (!p->described)
        return false;
    struct topology_path path = topology_longest(p, d->wire);
    d->hops = path.links;
    d->path = (uint64_t)(2 * path.delay + (d->wire + ack) * path.octet + 0.5);
    d->late = (uint64_t)(2 * path.late);
    return true;
}

static uint64_t at_rate(uint64_t octets, uint64_t rate)
{
    return (uint64_t)((double)octets * 8e12 / (double)rate + 0.5);
}

static uint64_t on_the_link(const struct scenario_point *p, uint64_t octets)
{
    return at_rate(octets, fastest_host(p));
}

/* There and back over the links of the longest path. */
static uint64_t path_of(const struct scenario_point *p, const struct scenario_derived *d, uint32_t ack)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < d->hops; i++) {
        struct fabric_pace link = fabric_along(&p->topology, d->hops, i);
        sum += 2 * link.delay + at_rate(d->wire, link.rate) + at_rate(ack, link.rate);
    }
    return sum;
}

/* ULP octets per full packet: with markers their average, for MULPDU follows the markers' phase. */
static double payload_of(const struct scenario_derived *d)
{
    const struct llp_sizes *z = &d->sizes;
    double markers = (double)z->full * (double)z->marker / (double)z->every;
    return z->marker ? z->full - z->head - IW_HEAD_TAGGED - markers : d->payload;
}

/* The data goes through both adapters, the acknowledgement, which is not encrypted, through the sender's. */
static uint64_t adapters_of(const struct rnic_conf *r)
{
    return r->tx.latency + 2 * r->rx.latency + 2 * r->crypto.latency;
}

/* A round trip with what adapters take for each segment, and as much again. */
static uint64_t span_of(const struct scenario_point *p, const struct scenario_derived *d)
{
    const struct rnic_conf *r = &p->rnic;
    uint64_t adapters =
        r->tx.latency + r->rx.latency + 2 * r->crypto.latency + (r->pcie.generation ? r->pcie.write : 0);
    return d->path + 2 * adapters;
}

/* What it holds, and more where one of equally many links is slower; an answer may wait for more packets than one. */
static uint32_t packets_of(const struct scenario_point *p, const struct scenario_derived *d)
{
    enum { MOST = 16384 };
    uint64_t answered = p->llp.recovery == PACKET_RUD ? 1 : p->llp.delayed_ack;
    uint64_t each = d->serialization ? d->serialization : 1;
    uint64_t packets = (d->span + d->late) * scenario_dealt(p) / each + 1 + answered;
    return packets < MOST ? (uint32_t)packets : MOST;
}

/* What `connections` windows allow that end at `links` ports. */
static double window_bound(const struct scenario_point *p, const struct scenario_derived *d, double payload,
                           double connections, double links)
{
    uint64_t whole = p->rnic.window.bytes / d->fpdu;
    double fpdus = p->llp.kind == LLP_PACKET ? d->flight : (double)whole;
    links *= fabric_ports_of(&p->topology);
    double each = d->rtt ? fpdus * payload * 8e3 / (double)d->rtt : d->line_gbps;
    return fmin(connections * each, links * d->line_gbps);
}

uint32_t scenario_mtu(const struct scenario_point *p)
{
    return security_mtu(p->llp.security, p->topology.mtu);
}

/* An IP packet with what the security service adds. */
static uint32_t sealed_of(const struct scenario_point *p, uint32_t octets, bool data)
{
    return octets + security_adds(p->llp.security, octets - IP_HEAD, data);
}

/* A segment of Writes: DDP's, or a decorated message of DDPP core. */
static void sizes_of(const struct scenario_point *p, struct scenario_derived *d)
{
    bool bare = workload_is(p->workload.kind, WORKLOAD_BARE);
    uint32_t head = bare ? DDPP_HEAD : IW_HEAD_TAGGED;
    d->sizes = llp_sizes_of(&p->llp, scenario_mtu(p));
    if (bare)
        llp_sctp_bare(&d->sizes);
    d->fpdu = d->sizes.packet - IP_TCP;
    d->payload = d->sizes.mulpdu > head ? d->sizes.mulpdu - head : 0;
}

void scenario_derive(const struct scenario_point *p, struct scenario_derived *d)
{
    *d = (struct scenario_derived){.hops = fabric_farthest(&p->topology)};
    sizes_of(p, d);
    d->wire = sealed_of(p, d->sizes.packet, true) + p->topology.framing;
    d->serialization = on_the_link(p, d->wire);
    uint32_t ack = sealed_of(p, d->sizes.answer, false) + p->topology.framing;
    if (!describe_path(p, d, ack))
        d->path = path_of(p, d, ack);
    d->rtt = d->path + adapters_of(&p->rnic);
    d->bdp = (uint64_t)((double)fastest_host(p) / 8e12 * (double)d->rtt);
    d->span = span_of(p, d);
    d->flight = llp_flight(&p->llp, packets_of(p, d));
    d->track = p->llp.kind == LLP_PACKET ? llp_track(&p->llp, packets_of(p, d)) : p->llp.track;
    double payload = payload_of(d);
    d->line_gbps = (double)fastest_host(p) / 1e9 * payload / d->wire;
    for (uint64_t w = p->rnic.window.bytes; w > 65535 && d->window_shift < 14; w = (w + 1) / 2)
        d->window_shift++;
    double connections = scenario_connections(&p->workload);
    d->window_gbps = window_bound(p, d, payload, 1, 1);
    d->windows_gbps = window_bound(p, d, payload, connections, scenario_ends(&p->workload));
}

uint32_t scenario_track_least(const struct scenario_point *p)
{
    return llp_track_least(p->llp.tracking);
}

uint64_t scenario_held_up(const struct scenario_point *p, const struct scenario_derived *d)
{
    if (p->fates)
        return p->channel.trace.by_time ? p->fates->latest
                                        : (p->fates->furthest + (uint64_t)1) * d->serialization;
    return channel_longest(&p->channel) + p->channel.reorder.displacement * d->serialization;
}

const char *scenario_rto_for(uint64_t wait, char text[SCENARIO_TIME_TEXT])
{
    enum { US = 1000000, TIMES = 1000 };
    static const unsigned steps[] = {1, 2, 5};
    uint64_t least = (wait + wait / 4 + US - 1) / US, power = 1, us;
    for (unsigned i = 0; (us = steps[i] * power) < least; i = (i + 1) % 3)
        power *= i == 2 ? 10 : 1;
    bool ms = us >= TIMES;
    snprintf(text, SCENARIO_TIME_TEXT, "%llu%s", (unsigned long long)(ms ? us / TIMES : us),
             ms ? "ms" : "us");
    return text;
}

uint64_t scenario_min_rto(const struct scenario_point *p)
{
    return llp_min_rto(&p->llp);
}

uint64_t scenario_few_rto(const struct scenario_point *p)
{
    return llp_few_rto(&p->llp);
}

uint64_t scenario_initial_rto(const struct scenario_point *p)
{
    return llp_initial_rto(&p->llp);
}

uint64_t scenario_max_rto(const struct scenario_point *p)
{
    struct scenario_derived d;
    scenario_derive(p, &d);
    uint64_t full = d.rtt + (d.hops > 1 ? d.hops * on_the_link(p, p->topology.buffer) : 0);
    uint64_t by_itself = most(100 * llp_min_rto(&p->llp), 2 * full);
    return most(p->llp.max_rto ? p->llp.max_rto : by_itself, llp_initial_rto(&p->llp));
}

bool scenario_marks_differ(const struct scenario_point *p, struct llp_marks *m)
{
    *m = llp_dcqcn_marks(p->topology.rate);
    bool on = p->llp.kind == LLP_PACKET && p->llp.congestion == CONGESTION_dcqcn;
    for (uint32_t i = 0; i < p->loads; i++)
        on |= p->llp.kind == LLP_PACKET && p->load_of[i].llp.congestion == CONGESTION_dcqcn;
    bool same =
        p->topology.red.kmin == m->kmin && p->topology.red.kmax == m->kmax && p->topology.red.pmax == m->pmax;
    return on && !same && !world_ignores(&worlds[p->world], "topology.ecn.kmin");
}

/* ---- writing ---- */

/* Characters that YAML reads as something else even between quotes: controls, line breaks, byte order marks. */
static bool needs_escape(int32_t point)
{
    bool control = point < 0x20 || (point >= 0x7f && point < 0xa0);
    return control || point == 0x2028 || point == 0x2029 || point == 0xfeff || (point & 0xfffe) == 0xfffe;
}

/* A text as a YAML scalar that reads back as the same. */
static void write_text(FILE *out, const char *text)
{
    putc('"', out);
    for (const char *p = text; *p;) {
        const char *start = p;
        int32_t point = utf8_next(&p);
        if (point == '"' || point == '\\')
            fprintf(out, "\\%c", point);
        else if (needs_escape(point))
            fprintf(out, "\\U%08x", (unsigned)point);
        else
            fwrite(start, 1, (size_t)(p - start), out);
    }
    putc('"', out);
}

static void write_value(FILE *out, const struct key *key, const struct value *v)
{
    char text[VALUE_TEXT_MAX];
    value_write(v, &key->rules, text, sizeof text);
    if (v->type == VALUE_TEXT)
        write_text(out, text);
    else
        fputs(text, out);
}

static void write_axis(FILE *out, const struct scenario_axis *axis)
{
    fprintf(out, "%s: [", axis->key->name);
    for (size_t i = 0; i < axis->count; i++) {
        fputs(i ? ", " : "", out);
        write_value(out, axis->key, &axis->values[i]);
    }
    putc(']', out);
}

/* Zipped axes of one group; those of the loader stand together, below one `zip`. */
static size_t write_zip(FILE *out, const struct scenario *s, size_t first)
{
    size_t i = first;
    bool begun = first > 1 && s->axes[first - 1].zipped;
    fputs(begun ? "    - {" : "  zip:\n    - {", out);
    do {
        fputs(i > first ? ", " : "", out);
        write_axis(out, &s->axes[i++]);
    } while (i < s->axes_count && s->axes[i].zipped);
    fputs("}\n", out);
    return i;
}

static void write_sweep(FILE *out, const struct scenario *s)
{
    for (size_t i = 0; i < s->axes_count;) {
        if (i + 1 < s->axes_count && s->axes[i + 1].zipped) {
            i = write_zip(out, s, i);
            continue;
        }
        fputs("  ", out);
        write_axis(out, &s->axes[i++]);
        putc('\n', out);
    }
}

static void write_setting(FILE *out, const struct scenario *s, const struct key *key)
{
    const struct scenario_setting *setting = setting_of(s, key->name);
    if (!setting || scenario_sweeps(s, key))
        return;
    fprintf(out, "%s: ", key->name);
    write_value(out, key, &setting->value);
    putc('\n', out);
}

static void write_case(FILE *out, const struct scenario_case *c)
{
    fputs("  ", out);
    write_text(out, c->name);
    fputs(": {", out);
    for (size_t i = 0; i < c->settings_count; i++) {
        fprintf(out, "%s%s: ", i ? ", " : "", c->settings[i].key->name);
        write_value(out, c->settings[i].key, &c->settings[i].value);
    }
    fputs("}\n", out);
}

void scenario_write(const struct scenario *s, FILE *out)
{
    for (size_t i = 0; i < scenario_keys(s); i++)
        write_setting(out, s, scenario_key_at(s, i));
    if (s->cases_count)
        fputs("cases:\n", out);
    for (size_t i = 0; i < s->cases_count; i++)
        write_case(out, &s->cases[i]);
    if (s->axes_count)
        fputs("sweep:\n", out);
    write_sweep(out, s);
}
