/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenario_check.c -- pairs of values that make no sense (scenario_check.h). */
#include "helpers/scenario/scenario_check.h"

#include <stdlib.h>
#include <string.h>

#include "engine/least.h"
#include "helpers/base/complaint.h"
#include "helpers/base/exit.h"
#include "helpers/base/quote.h"
#include "helpers/scenario/bound.h"
#include "helpers/scenario/column.h"
#include "helpers/scenario/delay_file.h"
#include "helpers/scenario/fates_file.h"
#include "helpers/scenario/goal_collective.h"
#include "helpers/scenario/goal_file.h"
#include "helpers/scenario/hosts_list.h"
#include "helpers/scenario/link_events.h"
#include "helpers/scenario/matrix_file.h"
#include "helpers/scenario/platform_file.h"
#include "helpers/scenario/scenario_inner.h"
#include "helpers/scenario/size_mix.h"
#include "helpers/scenario/topology_file.h"
#include "helpers/scenario/world.h"
#include "scenarios/workloads/collective.h"

/* ---- where a key was written ---- */

/* `index` EVERY_POINT: it holds for all of them. */
#define EVERY_POINT SIZE_MAX

static bool place_of_key(const struct scenario *s, size_t index, const char *name, struct scenario_place *at)
{
    const struct key *key = scenario_key(s, name);
    if (key && scenario_stated(s, index == EVERY_POINT ? 0 : index, key, at))
        return true;
    for (size_t i = 0; key && index == EVERY_POINT && i < s->cases_count; i++) {
        const struct scenario_setting *x = scenario_case_says(&s->cases[i], key);
        if (x)
            *at = x->at;
        if (x)
            return true;
    }
    return false;
}

/* One sentence about the first of `keys` (separated by blanks); the place is that of the first that was given at all. */

/* A key as it is called where there are several workloads, when it is about the one called `load`. */
static void name_key(char name[KEY_NAME_MAX], const char *key, size_t len, const char *load)
{
    enum { GROUP = sizeof "workload" - 1 };
    bool own = load && len >= GROUP && strncmp(key, "workload", GROUP) == 0 &&
               strncmp(key, "workload.consume_rate", len) != 0;
    if (own || (load && len == GROUP && strncmp(key, "workload", GROUP) == 0))
        snprintf(name, KEY_NAME_MAX, "workloads.%s%.*s", load, (int)(len - GROUP), key + GROUP);
    else
        snprintf(name, KEY_NAME_MAX, "%.*s", (int)len, key);
}

/* The workload's own key of that name, where it was given. */
static void name_llp(const struct scenario *s, char name[KEY_NAME_MAX], const char *load)
{
    char own[KEY_NAME_MAX];
    const struct key *row = load ? key_find(name) : NULL, *key;
    if (!row || key_not_of_load(row))
        return;
    key_name_of_load(row, load, own);
    key = scenario_key(s, own);
    if (key && scenario_states(s, key))
        memcpy(name, own, sizeof own);
}

/* `load`: the workload it is about, of several; NULL: none. */
static bool refuse_load(const struct scenario *s, size_t index, const char *load, const char *keys,
                        const char *what, char *error)
{
    char name[KEY_NAME_MAX] = "", label[SCENARIO_LABEL_MAX], first[KEY_NAME_MAX] = "";
    struct scenario_place at = {1, 1};
    for (const char *p = keys; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        name_key(name, p, len, load);
        name_llp(s, name, load);
        if (!*first)
            memcpy(first, name, sizeof first);
        p += len;
        if (place_of_key(s, index, name, &at))
            break;
    }
    bool one = index != EVERY_POINT && s->points > 1;
    scenario_label(s, one ? index : 0, label);
    return scenario_fail(error, s->file, at, "%s: %s%s%s", first, what, one ? "; at point " : "",
                         one ? label : "");
}

static bool refuse_keys(const struct scenario *s, size_t index, const char *keys, const char *what,
                        char *error)
{
    return refuse_load(s, index, NULL, keys, what, error);
}

/* ---- keys that mean nothing here ---- */

static bool is_one_of(const char *word, const char *list)
{
    size_t len = strcspn(word, ":"); /* without the argument */
    for (const char *p = list; *p; p += strcspn(p, " "), p += strspn(p, " "))
        if (strcspn(p, " ") == len && strncmp(p, word, len) == 0)
            return true;
    return false;
}

/* `list` NULL: any value at all. */
static bool value_is_one_of(const struct key *key, const struct value *v, const char *list)
{
    char text[VALUE_TEXT_MAX];
    value_write(v, &key->rules, text, sizeof text);
    return list ? is_one_of(text, list) : *text;
}

/* Does key `name`, of the same workload as `key`, have a value of `list` at this point? */
static bool point_has(const struct key *key, const struct scenario_point *point, const char *name,
                      const char *list)
{
    const struct key *with = key_like(name);
    char load[KEY_LOAD_NAME_MAX];
    struct key own;
    struct value v;
    bool of_loads = point->loads && point->load_of[0].name && strncmp(name, "workload.", 9) == 0;
    for (uint32_t i = 0; of_loads && !key->like && !key_not_of_load(with) && i < point->loads; i++) {
        own = key_of_load(with, i);
        key_load(&own, point, &v);
        if (value_is_one_of(&own, &v, list))
            return true;
    }
    if (key_names_load(key->name, load) && !key_not_of_load(with)) {
        own = key_of_load(with, key->load);
        with = &own;
    }
    key_load(with, point, &v);
    return value_is_one_of(with, &v, list);
}

/* The key that has to have a use in its turn. */
static const char *goes_on_with(const struct key *row, bool with)
{
    return with || strcmp(row->also, row->name) == 0 ? row->with : row->also;
}

/* What it goes with may be a default that has no use itself: MPA's CRC under SCTP. */
bool key_has_use(const struct key *key, const struct scenario_point *point)
{
    for (const struct key *row = key_like(key->name); row->with;) {
        bool with = point_has(key, point, row->with, row->is);
        if (!with && !(row->also && point_has(key, point, row->also, row->also_is)))
            return false;
        row = key_like(goes_on_with(row, with));
    }
    return true;
}

bool key_applies(const struct key *key, const struct scenario_point *point)
{
    bool several = point->loads && point->load_of[0].name && strncmp(key->name, "workload.", 9) == 0;
    if ((key_is_of_tenant(key) && !key->like) || (key_is_case(key) && !*point->case_name))
        return false;
    if (point->window_free && strcmp(key->name, "rnic.window.bytes") == 0)
        return false;
    if (several && !key_not_of_load(key))
        return false;
    return key_has_use(key, point);
}

/* The points that a question is about: all, or those of one case. */
struct some {
    const struct scenario *s;
    const struct scenario_case
        *of; /* NULL: all points; what --set leaves out of the cases still gives a key its use */
};

static const struct scenario_case *case_of_some(const struct some *p, size_t i)
{
    if (p->of)
        return i ? NULL : p->of;
    return i < p->s->cases_count ? &p->s->cases[i] : NULL;
}

/* The values that their key has, by number from 0: of a swept one all, else that of each case, which may be the default,
 * `initial`. NULL: there are no more. */
static const struct value *value_at(const struct some *p, const struct key *key, size_t i,
                                    struct value *initial)
{
    char why[VALUE_WHY_MAX];
    const struct scenario_axis *axis = scenario_axis_of(p->s, key);
    const struct scenario_case *c = case_of_some(p, i);
    if (axis)
        return i < axis->count ? &axis->values[i] : NULL;
    const struct scenario_setting *setting = scenario_case_says(c, key);
    setting = setting ? setting : scenario_setting_of(p->s, key);
    if (!setting && key->like && strncmp(key->like->name, "llp.", 4) == 0)
        return value_at(p, key->like, i, initial); /* as all have it */
    if (i && !c)
        return NULL;
    if (!setting)
        value_read(initial, &key->rules, key->initial, why);
    return setting ? &setting->value : initial;
}

static bool some_point_has(const struct some *p, const char *name, const char *list);

/* The same of a key of any of several workloads. */
static bool some_load_has(const struct some *p, const char *name, const char *list)
{
    for (uint32_t i = 0; i < p->s->loads; i++) {
        char own[KEY_NAME_MAX];
        snprintf(own, sizeof own, "workloads.%s%s", p->s->load[i], name + sizeof "workload" - 1);
        if (some_point_has(p, own, list))
            return true;
    }
    return false;
}

/* Does some point have a value of `name` that is in `list`? */
static bool some_point_has(const struct some *p, const char *name, const char *list)
{
    const struct key *key = scenario_key(p->s, name);
    if (p->s->loads && strncmp(name, "workload.", 9) == 0 && !key_not_of_load(key))
        return some_load_has(p, name, list);
    struct value initial;
    const struct value *v;
    for (size_t i = 0; (v = value_at(p, key, i, &initial)); i++)
        if (value_is_one_of(key, v, list))
            return true;
    return false;
}

static bool some_states(const struct some *p, const struct key *key)
{
    if (!p->of)
        return scenario_states(p->s, key);
    return scenario_case_says(p->of, key) || scenario_setting_of(p->s, key) || scenario_sweeps(p->s, key);
}

/* llp.dupack_threshold chooses the loss detection where none is stated (scenario.c): of several cases, in one of them. */
static bool chooses(const struct some *p, const struct key *key)
{
    const char *name = key->like ? key->like->name : key->name;
    struct some one = {p->s, case_of_some(p, 0)};
    bool unsaid = false;
    if (strcmp(name, "llp.dupack_threshold"))
        return false;
    for (size_t i = 0; i == 0 || one.of; one.of = case_of_some(p, ++i))
        unsaid = unsaid || !some_states(&one, scenario_key(p->s, key->with));
    return unsaid;
}

/* What is wrong with a key at all of these points. */
static bool refuse_some(const struct some *p, const struct key *key, const char *what, char *error)
{
    const struct scenario_setting *own = scenario_case_says(p->of, key);
    if (!own)
        return refuse_keys(p->s, EVERY_POINT, key->name, what, error);
    return scenario_fail(error, p->s->file, own->at, "%s: %s%s%s", key->name, what, "; in case ",
                         p->of->name);
}

static bool has_no_effect(const struct some *p, const struct key *key, const struct key *about, char *error)
{
    char what[SCENARIO_ERROR_MAX / 2], is[128] = "", also[128] = "";
    if (about->is)
        value_alternatives(about->is, is, sizeof is);
    if (about->also)
        value_alternatives(about->also_is, also, sizeof also);
    snprintf(what, sizeof what, "has no effect %s %s%s%s%s%s%s%s", about->is ? "unless" : "without",
             about->with, about->is ? " is " : "", is, about->also ? ", or " : "",
             about->also ? about->also : "", about->also ? " is " : "", also);
    return refuse_some(p, key, what, error);
}

static bool some_point_uses(const struct some *p, const struct key *key, char *error)
{
    const struct key *about = chooses(p, key) ? scenario_key(p->s, key->with) : key;
    while (about->with) {
        bool with = some_point_has(p, about->with, about->is);
        if (!with && !(about->also && some_point_has(p, about->also, about->also_is)))
            return has_no_effect(p, key, about, error);
        about = scenario_key(p->s, goes_on_with(about, with));
    }
    return true;
}

const char *scenario_estimates(const struct scenario *s, const char *column)
{
    struct some p = {s, scenario_case_at(s, 0)};
    for (size_t i = 0; i == 0 || p.of; p.of = scenario_case_at(s, ++i))
        for (int w = WORLD_FIRST; w < WORLDS; w++)
            if (world_estimates(&worlds[w], column) && some_point_has(&p, "world", worlds[w].name))
                return worlds[w].name;
    return NULL;
}

/* Does a world that some point runs in act on this key? */
static bool some_world_acts(const struct some *p, const struct key *key)
{
    for (int w = WORLD_FIRST; w < WORLDS; w++)
        if (some_point_has(p, "world", worlds[w].name) && !world_ignores(&worlds[w], key->name))
            return true;
    return false;
}

/* A default, or a value that switches off what the key is about: 0, false, none, unlimited, never. */
static bool asks_for_nothing(const struct key *key, const struct value *v)
{
    char text[VALUE_TEXT_MAX];
    struct value initial;
    char why[VALUE_WHY_MAX];
    if (value_read(&initial, &key->rules, key->initial, why) && value_equal(&initial, v))
        return true;
    value_write(v, &key->rules, text, sizeof text);
    if (*text < '0' || *text > '9')
        return is_one_of(text, "false none unlimited never");
    return v->type == VALUE_REAL ? v->real == 0 : v->type != VALUE_TEXT && v->n == 0;
}

static bool is_ignored(const struct some *p, const struct key *key, char *error)
{
    char what[SCENARIO_ERROR_MAX / 2], act[128];
    struct value initial;
    const struct value *v;
    bool asked = false;
    for (size_t i = 0; (v = value_at(p, key, i, &initial)); i++)
        asked |= !asks_for_nothing(key, v);
    if (!asked || some_world_acts(p, key))
        return false;
    worlds_that_act(key->name, act, sizeof act);
    snprintf(what, sizeof what, "has no effect in this world, only in world %s", act);
    refuse_some(p, key, what, error);
    return true;
}

static bool has_use(const struct some *p, const struct key *key, char *error)
{
    return some_point_uses(p, key, error) && !is_ignored(p, key, error);
}

static bool all_have_use(const struct scenario *s, char *error)
{
    struct some p = {s, NULL};
    for (size_t i = 0; i < s->axes_count; i++)
        if (!has_use(&p, s->axes[i].key, error))
            return false;
    for (size_t i = 0; i < s->settings_count; i++)
        if (!has_use(&p, s->settings[i].key, error))
            return false;
    for (size_t i = 0; (p.of = scenario_case_at(s, i)); i++)
        for (size_t k = 0; k < p.of->settings_count; k++)
            if (!has_use(&p, p.of->settings[k].key, error))
                return false;
    return true;
}

/* Beside several workloads there is not one more that has no name. */
static bool loads_are_named(const struct scenario *s, char *error)
{
    size_t count;
    const struct key *keys = keys_all(&count);
    for (size_t i = 0; s->loads && i < count; i++)
        if (strncmp(keys[i].name, "workload.", 9) == 0 && !key_not_of_load(&keys[i]) &&
            scenario_states(s, &keys[i]))
            return refuse_keys(s, EVERY_POINT, keys[i].name,
                               "has no effect beside workloads: write it below the name of one of them",
                               error);
    return true;
}

/* ---- what does something only together ---- */

static bool is_above_zero(const struct value *v)
{
    return v->type == VALUE_REAL ? v->real > 0 : v->n > 0;
}

/* Is some value of a key, or the default where none is given, above 0? */
static bool some_above_zero(const struct some *p, const char *name)
{
    struct value initial;
    const struct value *v;
    for (size_t i = 0; (v = value_at(p, key_find(name), i, &initial)); i++)
        if (is_above_zero(v))
            return true;
    return false;
}

/* Is 0 all that is said of a key, and is it said? */
static bool is_switched_off(const struct some *p, const char *name)
{
    const struct key *key = key_find(name);
    return some_states(p, key) && !some_above_zero(p, name);
}

/* 0 switches an impairment off wherever it stands; what is refused is one that nobody switched on or off. */
static bool none_is_half_of(const struct some *p, char *error)
{
    static const struct {
        const char *key, *needs, * or, *what;
    } halves[] = {
        {"channel.reorder.probability", "channel.reorder.delay", "channel.reorder.displacement",
         "needs a channel.reorder.delay or channel.reorder.displacement"},
        {"channel.reorder.delay", "channel.reorder.probability", NULL,
         "needs a channel.reorder.probability above 0"},
        {"channel.reorder.displacement", "channel.reorder.probability", NULL,
         "needs a channel.reorder.probability above 0"},
        {"rnic.stall.for", "rnic.stall.every", NULL,
         "stalls have a length but never occur: give rnic.stall.every"},
        {"topology.ecn.kmin", "topology.ecn.kmax", NULL, "marks nothing without topology.ecn.kmax"},
        {"measure.from", "measure.for", NULL, "begins a window of no length: give measure.for, too"},
        {"measure.from_share", "measure.for_share", NULL,
         "begins a window of no length: give measure.for_share, too"},
    };
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        const struct key *key = key_find(halves[i].key);
        bool whole = is_switched_off(p, halves[i].needs) || some_above_zero(p, halves[i].needs) ||
                     (halves[i].or &&some_above_zero(p, halves[i].or));
        bool asked = !p->of || scenario_case_says(p->of, key);
        if (!whole && asked && some_above_zero(p, halves[i].key))
            return refuse_some(p, key, halves[i].what, error);
    }
    return true;
}

/* What a case says itself has its other half in that case. */
static bool none_is_half(const struct scenario *s, char *error)
{
    struct some p = {s, NULL};
    bool good = none_is_half_of(&p, error);
    for (size_t i = 0; good && (p.of = scenario_case_at(s, i)); i++)
        good = none_is_half_of(&p, error);
    return good;
}

/* ---- pairs ---- */

static const char *small_send_buffer(const struct scenario_point *p)
{
    struct scenario_derived d;
    scenario_derive(p, &d);
    return p->llp.send_buffer && p->llp.send_buffer < 2 * (uint64_t)d.fpdu ? "must hold two full packets"
                                                                           : NULL;
}

/* Above a seventh of the bandwidth-delay product (DCTCP, SIGCOMM 2010, equation 13), and of no less than eight packets, for they
 * come in bursts. */
static const char *dctcp_threshold(const struct scenario_point *p)
{
    enum { SHARE = 7, PACKETS = 8, KIB = 1024 };
    static char said[160];
    struct scenario_derived d;
    uint64_t threshold = KIB;
    scenario_derive(p, &d);
    while (threshold <= d.bdp / SHARE || threshold < PACKETS * d.wire)
        threshold *= 2;
    snprintf(said, sizeof said, "dctcp needs marks: set topology.ecn_threshold, for this link about %uKiB",
             (unsigned)(threshold / KIB));
    return said;
}

static const char *dctcp(const struct scenario_point *p)
{
    bool marks = !world_ignores(&worlds[p->world], "topology.ecn_threshold");
    bool none = marks && !p->topology.ecn_threshold && !p->topology.red.kmax;
    const struct packet_congestion *packets = llp_packet_congestion(&p->llp);
    if (p->llp.kind == LLP_PACKET && packets && packets->marks && packets->window)
        return none ? "a window of packets needs marks: set topology.ecn.kmin and "
                      "kmax (uet-htsim: 0.2 and 0.8 of the octets "
                      "that the path holds), or topology.ecn_threshold"
                    : NULL;
    if (p->llp.kind == LLP_PACKET)
        return p->llp.congestion == CONGESTION_dcqcn && none
                   ? "dcqcn needs marks: set topology.ecn.kmin, kmax and pmax (HPCC's script: 100kB and "
                     "400kB for each "
                     "25Gbps of the line, and 0.2), or topology.ecn_threshold"
                   : NULL;
    if (p->llp.congestion == CONGESTION_dcqcn)
        return "dcqcn needs llp.kind: packet";
    if (packets)
        return "is of packets: it needs llp.kind: packet";
    return p->llp.congestion == CONGESTION_dctcp && none ? dctcp_threshold(p) : NULL;
}

static const char *unnamed(const struct scenario_point *p)
{
    const struct packet_congestion *packets = llp_packet_congestion(&p->llp);
    bool unnamed = p->llp.kind == LLP_PACKET && p->llp.recovery != PACKET_RUD;
    return packets && packets->answered_each && unnamed
               ? "needs llp.recovery: rud, whose acknowledgements name packets"
               : NULL;
}

/* Each of a host's ports can have as many of them. */
static bool paths_are_dealt(const struct scenario_point *p)
{
    bool dealt = fabric_ports_of(&p->topology) <= p->llp.paths;
    for (uint32_t h = 0; h < p->topology.hosts && dealt; h++) {
        uint32_t ports = fabric_ports_at(&p->topology, h);
        dealt = !(ports & (ports - 1));
    }
    return dealt;
}

static const char *paths(const struct scenario_point *p)
{
    if (p->llp.kind != LLP_PACKET || p->llp.paths == 1)
        return NULL;
    if (p->llp.paths & (p->llp.paths - 1))
        return "must be a power of two";
    if (!paths_are_dealt(p))
        return "gives each port of a host as many values: the ports must be 2, 4 or 8, and no more than the "
               "values";
    return p->llp.recovery == PACKET_RUD ? NULL
                                         : "needs llp.recovery: rud, whose acknowledgements name packets";
}

static const char *long_path(const struct scenario_point *p)
{
    const struct packet_congestion *packets = llp_packet_congestion(&p->llp);
    struct scenario_derived d;
    scenario_derive(p, &d);
    bool measured = p->llp.kind == LLP_PACKET && packets && packets->answered_each && !p->llp.rtt;
    return measured && d.span > PACKET_SPAN_MAX * UINT64_C(1000000000)
               ? "counts with round trips of at most 10ms, and the path has a longer one: give llp.rtt"
               : NULL;
}

static const char *dcqcn_least(const struct scenario_point *p)
{
    bool on = p->llp.kind == LLP_PACKET && p->llp.congestion == CONGESTION_dcqcn;
    return on && p->llp.dcqcn.least > p->topology.rate
               ? "is above topology.rate: no rate would ever fall; make it smaller"
               : NULL;
}

/* Workloads whose lower layers differ must not share an association. */
static const char *shared_association(const struct scenario_point *p)
{
    bool differ = false;
    for (uint32_t i = 0; i < p->loads; i++)
        differ |= memcmp(&p->load_of[i].llp, &p->llp, sizeof p->llp) != 0;
    return differ && p->llp.kind == LLP_SCTP && p->llp.streams > 1
               ? "lets connections of several workloads share an association, which cannot have each one's "
                 "own "
                 "keys of llp: use llp.streams: 1"
               : NULL;
}

static const char *fixed_window(const struct scenario_point *p)
{
    struct scenario_derived d;
    scenario_derive(p, &d);
    if (p->llp.kind == LLP_MPA && p->llp.congestion == CONGESTION_fixed &&
        p->llp.congestion_window < 2 * (uint64_t)d.fpdu)
        return "a fixed window must hold two full packets";
    return NULL;
}

static const char *adaptive(const struct scenario_point *p)
{
    bool both = p->llp.detection == DETECTION_dupack && p->llp.dupack_threshold == 0;
    return both ? "adaptive selects rack, but llp.loss_detection is dupack: give a number, or leave one "
                  "of them out"
                : NULL;
}

static const char *max_rto(const struct scenario_point *p)
{
    bool below = p->llp.max_rto && p->llp.max_rto < llp_initial_rto(&p->llp);
    return below ? "is below llp.min_rto or llp.initial_rto" : NULL;
}

/* While the channel keeps a packet the others go on at the pace of the window, and what is 2^31 octets old is new to a
 * receiver without timestamps (RFC 7323 section 5). */
static const char *wraps(const struct scenario_point *p)
{
    struct scenario_derived d;
    scenario_derive(p, &d);
    double held = (double)channel_longest(&p->channel) +
                  (double)p->channel.reorder.displacement * (double)d.serialization;
    if (p->fates)
        held = p->channel.trace.by_time ? (double)p->fates->latest
                                        : (double)p->fates->furthest * (double)d.serialization;
    double window = (double)p->rnic.window.bytes, line = (double)p->topology.rate / 8e12;
    double pace = d.rtt && window / (double)d.rtt < line ? window / (double)d.rtt : line;
    bool wrapped = p->llp.kind == LLP_MPA && !p->llp.timestamps && pace * held > 0x1p31 - window;
    return wrapped
               ? "the channel may delay a packet while 2^31 octets pass, and its sequence number then means "
                 "another octet: use less delay, a smaller window, or llp.timestamps: true"
               : NULL;
}

static bool has_queues(const struct scenario_point *p)
{
    return fabric_switches_of(&p->topology) && !world_ignores(&worlds[p->world], "topology.buffer");
}

/* DCTCP never sends less than two segments a round trip (the floor of Linux; RFC 8257 has none). */
static const char *dctcp_floor(const struct scenario_point *p)
{
    double least = 2.0 * p->topology.mtu * scenario_converging(&p->workload);
    bool drops = p->llp.kind == LLP_MPA && p->llp.congestion == CONGESTION_dctcp &&
                 p->workload.arrival == WORKLOAD_CLOSED && has_queues(p) && !p->topology.pfc.on &&
                 least > (double)p->topology.buffer;
    return drops
               ? "is less than two packets per sender, the least DCTCP keeps in flight: it would drop forever"
               : NULL;
}

static bool trims(const struct scenario_point *p)
{
    return p->topology.trim && p->llp.kind == LLP_PACKET && has_queues(p) &&
           !world_ignores(&worlds[p->world], "topology.trim");
}

static const char *no_marks(const struct scenario_point *p, bool said)
{
    return said && !p->topology.ecn_threshold && !p->topology.red.kmax
               ? "marks nothing without topology.ecn.kmax or topology.ecn_threshold"
               : NULL;
}

static const char *no_marks_behind(const struct scenario_point *p)
{
    return no_marks(p, p->topology.ecn.at_dequeue);
}

static const char *no_marks_spared(const struct scenario_point *p)
{
    return no_marks(p, p->topology.ecn.spares_last);
}

static const char *trimmed_order(const struct scenario_point *p)
{
    return trims(p) && p->llp.recovery == PACKET_GO_BACK_N
               ? "lets a header overtake the packets before it, which go_back_n would report missing: use "
                 "llp.recovery: irn or rud"
               : NULL;
}

static const char *trimmed_seal(const struct scenario_point *p)
{
    return trims(p) && p->llp.security != SECURITY_NONE ? "cuts off the ICV of an ESP packet (RFC 4303 2), "
                                                          "whose header nobody could believe then: use "
                                                          "llp.security: none"
                                                        : NULL;
}

/* The largest packet that the workload makes: TCP sends no two FPDUs in one. */
static uint64_t largest_packet(const struct scenario_point *p)
{
    enum { HEADS = 128 };
    const struct workload_conf *w = &p->workload;
    bool known = !workload_is(w->kind, WORKLOAD_FREE) && w->size_max;
    struct scenario_derived d;
    scenario_derive(p, &d);
    uint64_t markers = d.sizes.marker ? (w->size_max / d.sizes.every + 1) * (uint64_t)d.sizes.marker : 0;
    uint64_t most = known ? w->size_max + markers + HEADS : p->topology.mtu;
    return most < p->topology.mtu ? most : p->topology.mtu;
}

static const char *no_packet_fits(const struct scenario_point *p)
{
    bool pauses = p->topology.pfc.on && !world_ignores(&worlds[p->world], "topology.flow_control");
    bool drops = has_queues(p) && !pauses && !p->topology.shared;
    return drops && p->topology.buffer < largest_packet(p)
               ? "cannot hold a packet of topology.mtu octets, so every one would be dropped"
               : NULL;
}

static const char *no_reads(const struct scenario_point *p)
{
    const struct workload_conf *w = &p->workload;
    bool reads = workload_is(w->kind, WORKLOAD_MOVES) ? workload_is_asked_for(w->op)
                                                      : workload_is(w->kind, WORKLOAD_READS);
    return reads && (p->llp.ord == 0 || p->llp.ird == 0)
               ? "must not be 0: this workload uses RDMA Reads or Atomics"
               : NULL;
}

static const char *tracked_order(const struct scenario_point *p)
{
    bool drops = p->llp.kind == LLP_PACKET && p->llp.recovery == PACKET_GO_BACK_N;
    return drops && p->llp.tracking != TRACK_LIST
               ? "has no effect unless llp.recovery is irn or rud: go_back_n drops what comes out of order"
               : NULL;
}

static const char *never_full(const struct scenario_point *p)
{
    return p->llp.tracking == TRACK_LIST && p->rnic.track.full == RNIC_TRACK_NAK
               ? "has no effect unless llp.tracking is ranges, bitmap or counter: a list refuses nothing"
               : NULL;
}

static const char *channel_conf(const struct scenario_point *p)
{
    return channel_conf_error(&p->channel);
}

/* Before its first `wait` a script has a step of side 0. */
static bool initiator_begins(const char *script)
{
    for (const char *step = script; *step; step += strcspn(step, ";"), step += *step == ';') {
        step += strspn(step, " ");
        if (strncmp(step, "peer", 4) && *step != ';')
            return strncmp(step, "wait", 4) != 0;
    }
    return false;
}

static const char *script(const struct scenario_point *p)
{
    if (p->workload.kind != WORKLOAD_script)
        return NULL;
    const char *wrong = workload_conf_error(&p->workload);
    if (!wrong && (p->llp.kind == LLP_MPA || p->llp.kind == LLP_IDEAL) &&
        !initiator_begins(p->workload.script))
        return "the initiator must send first: the responder waits for its first FPDU (RFC 5044 7.1.2)";
    return wrong;
}

static const char *long_calc(const struct scenario_point *p)
{
    const struct goal *g = p->workload.goal;
    return g && g->longest >= p->limit.idle
               ? "a calc of the schedule takes longer: it would end the run as one in which nothing happens"
               : NULL;
}

static const char *incast(const struct scenario_point *p)
{
    return p->workload.kind == WORKLOAD_incast && p->topology.kind == FABRIC_LINK
               ? "has one sender here; incast needs two: use topology.kind: star or fat_tree (or "
                 "workload.kind: "
                 "stream)"
               : NULL;
}

/* Octets are what tells damage that no CRC has found. */
static const char *undetected(const struct scenario_point *p)
{
    bool sees = p->llp.crc || p->llp.kind == LLP_SCTP || p->llp.kind == LLP_PACKET;
    bool damage = !sees && p->channel.corrupt > 0;
    return damage && p->payload == PAYLOAD_NONE ? "none carries no octets that could be wrong: without "
                                                  "llp.crc, channel.corrupt needs payload: real"
                                                : NULL;
}

static const char *workload_conf(const struct scenario_point *p)
{
    return workload_conf_error(&p->workload);
}

static const char *unseen_write(const struct scenario_point *p)
{
    if (p->workload.kind == WORKLOAD_pingpong && p->workload.op == WORKLOAD_WRITE && p->workload.size == 0)
        return "a Write of 0 octets changes no memory, so its receiver would never notice it";
    return NULL;
}

/* Both ends of each connection keep the octets of the messages under way. */
static double payload_octets(const struct workload_conf *w)
{
    double sum = 0, each = 2.0 * (workload_is(w->kind, WORKLOAD_COMMANDED) ? 2 : 1) * w->depth * w->size_max;
    for (uint32_t i = 0; i < w->parts; i++)
        sum += payload_octets(w->part[i].conf);
    return w->parts ? sum : each * workload_connections(w);
}

static const char *heavy_payload(const struct scenario_point *p)
{
    bool heavy = p->payload == PAYLOAD_REAL && payload_octets(&p->workload) > 16.0 * (1 << 30);
    return heavy ? "outstanding messages need more than 16 GiB of memory; payload: none needs none" : NULL;
}

#define MANY_PORTS "gives hosts several ports, which they have in worlds fabric and ns3"

static const char *world_ports(const struct scenario_point *p)
{
    return fabric_topology_of(&p->topology)->of_planes && world_ignores(&worlds[p->world], "topology.ports")
               ? "planes " MANY_PORTS
               : NULL;
}

static const char *world_file_ports(const struct scenario_point *p)
{
    return p->described && p->described->ports > 1 && world_ignores(&worlds[p->world], "topology.ports")
               ? MANY_PORTS
               : NULL;
}

static const char *world_topology(const struct scenario_point *p)
{
    return p->topology.hosts > worlds[p->world].hosts_max ? "at most 131072 hosts" : NULL;
}

static const char *world_routing(const struct scenario_point *p)
{
    return fabric_overtakes(&p->topology) ? worlds[p->world].no_spray : NULL;
}

static const char *world_trace(const struct scenario_point *p)
{
    return *p->trace_file ? worlds[p->world].no_fates : NULL;
}

static const char *world_llp(const struct scenario_point *p)
{
    return worlds[p->world].llps >> p->llp.kind & 1 ? NULL : worlds[p->world].no_llp;
}

static const char *classes_world(const struct scenario_point *p)
{
    bool here = worlds[p->world].classes && p->llp.kind == LLP_SCTP && p->topology.kind == FABRIC_LINK;
    return workload_is(p->workload.kind, WORKLOAD_BARE) && !here
               ? "transport_classes needs world: fabric, topology.kind: link and llp.kind: sctp"
               : NULL;
}

static const char *ddp_world(const struct scenario_point *p)
{
    return workload_is(p->workload.kind, WORKLOAD_ON_DDP) && worlds[p->world].flows
               ? "ddp: world simgrid knows segments of RDMAP alone: use fabric or ns3"
               : NULL;
}

static const char *solicited(const struct scenario_point *p)
{
    const struct workload_conf *w = &p->workload;
    bool interrupts = p->rnic.completion.mode == RNIC_INTERRUPT;
    bool only = interrupts && p->rnic.completion.arm == RNIC_ARM_SOLICITED;
    uint32_t buffers = w->recv_depth ? w->recv_depth : w->depth;
    bool sends = w->op == WORKLOAD_SEND && workload_is(w->kind, WORKLOAD_OPEN);
    if (only && !workload_is(w->kind, WORKLOAD_FREE) && (!sends || !w->solicited))
        return "solicited: no message of this workload carries a Solicited Event, so the receiver would "
               "never wake; "
               "set workload.solicited, with workload.op: send";
    return only && sends && w->solicited > buffers ? "solicited: the receiver must wake before its receive "
                                                     "buffers run out: workload.solicited must be "
                                                     "at most workload.recv_depth"
                                                   : NULL;
}

/* RFC 5044 appendix C: version 0 has markers and CRC always; RFC 7306 4.1 knows version 1 alone. */
static const char *rdmac(const struct scenario_point *p)
{
    if (p->llp.profile != PROFILE_RDMAC)
        return NULL;
    if (p->llp.kind != LLP_MPA || !p->llp.markers || !p->llp.crc)
        return "rdmac is MPA of revision 0, which has markers and CRC always: set llp.kind: mpa, "
               "llp.markers: "
               "true and llp.crc: true";
    if (p->workload.kind == WORKLOAD_errors)
        return "rdmac: workload errors writes headers of version 1 itself";
    return workload_needs(&p->workload).profile & IW_RFC7306
               ? "rdmac has neither Atomics nor Immediate Data, which RFC 7306 adds to version 1"
               : NULL;
}

static bool has_no_adapters(const struct scenario_point *p)
{
    return workload_is(p->workload.kind, WORKLOAD_BARE);
}

/* A SYN goes through both adapters, and is repeated so often; then its sender gives up (RFC 9293 section 3.8.3, R2). */
static const char *set_up(const struct scenario_point *p)
{
    enum { SYNS = 9 };
    const struct rnic_conf *r = &p->rnic;
    uint64_t through = r->tx.latency + r->rx.latency + 2 * r->crypto.latency +
                       (r->pcie.generation ? r->pcie.read + r->pcie.write : 0);
    uint64_t patience = 0, timeout = llp_initial_rto(&p->llp), longest = scenario_max_rto(p);
    struct scenario_derived d;
    scenario_derive(p, &d);
    for (int i = 0; i < SYNS; i++, timeout = timeout < longest / 2 ? 2 * timeout : longest)
        patience += timeout;
    bool known = p->llp.kind == LLP_MPA && !world_ignores(&worlds[p->world], "llp.initial_rto");
    return known && d.path + 2 * through > patience
               ? "is so short that a host gives up a connection before the answer has passed the adapters"
               : NULL;
}

/* The last segment of a message waits for its acknowledgement, and two timeouts leave room for the path. */
static const char *delayed_ack(const struct scenario_point *p)
{
    bool each = p->llp.kind == LLP_PACKET && p->llp.recovery == PACKET_RUD;
    bool delays = p->llp.kind != LLP_IDEAL && !each && p->llp.delayed_ack != 1;
    return delays && llp_min_rto(&p->llp) < 2 * p->llp.delayed_ack_timeout
               ? "is below twice llp.delayed_ack_timeout: every delayed acknowledgement would cause a "
                 "timeout; make it longer, or set llp.delayed_ack: 1"
               : NULL;
}

/* ---- pairs of plain values ---- */

/* If that is so, the values of the keys do not go together. */
struct rule {
    const char *keys;
    bool broken;
    const char *what;
};

/* `what` NULL: none is. */
static struct rule first_broken(const struct rule *rules, size_t count)
{
    size_t i = 0;
    while (i < count && !rules[i].broken)
        i++;
    return i < count ? rules[i] : (struct rule){NULL, false, NULL};
}
#define FIRST_BROKEN(rules) first_broken((rules), sizeof(rules) / sizeof *(rules))

/* What the adapter receives with, and what packets come in. */
static struct rule receives(const struct scenario_point *p)
{
    bool bare = has_no_adapters(p), tls = p->llp.security == SECURITY_TLS;
    bool sctp = p->llp.kind == LLP_SCTP, packet = p->llp.kind == LLP_PACKET;
    bool at_once = rnic_path_is(p->rnic.receive, RNIC_AT_ONCE);
    bool discards = rnic_path_is(p->rnic.receive, RNIC_GOES_BACK);
    const struct rule rules[] = {
        {"rnic.srq workload.recv_depth", p->workload.shared_receives && p->workload.recv_depth,
         "srq takes the place of each connection's own receive buffers: leave workload.recv_depth at auto"},
        {"rnic.receive llp.kind world", sctp && bare && !at_once,
         "transport_classes has no adapters and places messages as they arrive: use place"},
        {"rnic.receive llp.kind world", sctp && discards,
         "discard cannot work over SCTP, where loss detection needs gap reports: use place, hold or copy"},
        {"rnic.receive llp.recovery llp.kind", packet && rnic_path_is(p->rnic.receive, RNIC_BY_CPU),
         "copy models sockets, which read a stream; llp.kind: packet has none: use place or hold"},
        {"rnic.receive llp.recovery llp.kind", packet && discards && p->llp.recovery != PACKET_GO_BACK_N,
         "discard leaves irn and rud nothing to recover from: use place or hold, or llp.recovery: go_back_n"},
        {"rnic.receive llp.security", tls && at_once, /* RFC 5042 5.4.2, RFC 8446 5.3 */
         "place cannot work under tls: a record is checked after all before it; use hold, discard or copy, "
         "or llp.security: esp"},
    };
    return FIRST_BROKEN(rules);
}

/* What the lower layers can carry. */
static struct rule layers(const struct scenario_point *p)
{
    enum { IP = 20, SCTP_LEAST = 576, TCP_LEAST = 576 };
    bool bare = has_no_adapters(p), tls = p->llp.security == SECURITY_TLS;
    bool sctp = p->llp.kind == LLP_SCTP, packet = p->llp.kind == LLP_PACKET;
    const struct rule rules[] = {
        {"llp.security llp.kind", tls && p->llp.kind != LLP_MPA, "tls needs TCP: use llp.kind: mpa, or esp"},
        {"llp.security channel.corrupt", tls && p->channel.corrupt > 0,
         "tls ends a connection whose record was altered (RFC 8446 5.2), which is not modelled: use none or "
         "esp with channel.corrupt"},
        {"llp.security workload.kind", p->llp.security != SECURITY_NONE && bare,
         "transport_classes has no adapters that could encrypt: use none"},
        {"workload.consume_rate llp.kind", packet && p->workload.consume_rate,
         "packet has no receive window that would slow its sender down: use unlimited"},
        {"topology.mtu llp.kind", sctp && scenario_mtu(p) < SCTP_LEAST + IP,
         "sctp needs at least 596B: one packet must hold 512 octets of private data (RFC 5043 section 9)"},
        {"topology.mtu llp.security llp.kind",
         p->llp.security != SECURITY_NONE && p->llp.kind == LLP_MPA && scenario_mtu(p) < TCP_LEAST,
         "mpa needs 576B, of which esp and tls take none (RFC 9293 3.7.1): use a larger MTU"},
        {"workload.consume_rate llp.kind world", bare && p->workload.consume_rate,
         "transport_classes consumes octets as soon as they are placed: use unlimited"},
        {"workload.kind llp.kind", (sctp || packet) && p->workload.kind == WORKLOAD_errors,
         "workload errors needs llp.kind: mpa"},
    };
    return FIRST_BROKEN(rules);
}

static const char *together(const struct scenario_point *p)
{
    return p->loads && !p->workload.parts && workload_is(p->workload.kind, WORKLOAD_ALONE | WORKLOAD_ON_DDP)
               ? "ddp, errors, script and transport_classes run alone, on all hosts, from the start"
               : NULL;
}

static const char *endless(const struct scenario_point *p)
{
    bool ends = p->workload.count < WORKLOAD_UNLIMITED || p->measure.span ||
                !workload_is(p->workload.kind, WORKLOAD_MOVES | WORKLOAD_SIZED);
    return ends ? NULL : "unlimited never ends: give measure.for, which ends the run, or a number";
}

static const char *late_window(const struct scenario_point *p)
{
    return p->measure.span && p->measure.from + p->measure.span > p->limit.sim
               ? "ends after limit.sim, so it would never be measured whole: make it shorter, or limit.sim "
                 "longer"
               : NULL;
}

static const char *share_of_octets(const struct scenario_point *p)
{
    const struct point_measure *m = &p->measure;
    const struct rule rules[] = {
        {"", m->share > 0 && m->span, "and measure.for are two windows: give one of them"},
        {"", m->share > 0 && m->from_share + m->share > 1,
         "and measure.from_share are more than 1: no more than all octets are placed"},
        {"", m->share > 0 && workload_octets(&p->workload) == 0,
         "is of octets that nobody knows before the run: use measure.for"},
    };
    return FIRST_BROKEN(rules).what;
}

bool scenario_counted(const struct scenario_point *p)
{
    bool one = !p->loads || !p->load_of[0].name;
    return one && workload_is(p->workload.kind, WORKLOAD_MOVES | WORKLOAD_SIZED) &&
           p->workload.count < WORKLOAD_UNLIMITED;
}

static const char *nothing_grows(const struct scenario_point *p)
{
    return p->measure.until_enough && !p->measure.span && !scenario_counted(p)
               ? "(run --until-enough) needs measure.for, or a workload.count of one workload: nothing else "
                 "makes a run longer"
               : NULL;
}

static const char *of_tenant(const struct scenario_point *p)
{
    const struct workload_conf *w = &p->workload;
    bool named = p->loads && p->load_of[0].name;
    bool asks = workload_is(w->kind, WORKLOAD_READS) ||
                (workload_is(w->kind, WORKLOAD_MOVES) && workload_is_asked_for(w->op));
    if (named && w->fault == WORKLOAD_FLOODS && asks)
        return "its tenant does wrong: flood_cq, which works for Sends and Writes only: without a completion "
               "no "
               "Read is over";
    if (!*w->of_tenant || (named && w->tenant))
        return NULL;
    return named ? "no tenant has this name: give it a limit, trust or a fault below tenants"
                 : "a tenant has one of several workloads: write it below workloads.NAME";
}

/* The first key is named; the place is that of the first that was given. */
struct pair {
    const char *keys;
    const char *(*wrong)(const struct scenario_point *p);
};
#define WHOLE_PAIRS                                                                                     \
    {"workload workload.file workload.kind workload.hosts workload.size workload.count workload.depth " \
     "topology.hosts",                                                                                  \
     workload_conf},                                                                                    \
    {                                                                                                   \
        "payload workload.depth workload.size topology.hosts", heavy_payload                            \
    }

/* What several workloads must be right in together. */
static const struct pair wholes[] = {WHOLE_PAIRS, {"llp.streams llp.kind", shared_association}};

static const struct pair places[] = {
    {"topology.kind topology.hosts topology.groups world", world_topology},
    {"topology.kind world", world_ports},
    {"topology.file world", world_file_ports},
    {"topology.ecn.at topology.ecn_threshold", no_marks_behind},
    {"topology.ecn.last_hop topology.ecn_threshold", no_marks_spared},
    {"topology.trim llp.recovery", trimmed_order},
    {"topology.trim llp.security", trimmed_seal},
    {"topology.buffer topology.mtu", no_packet_fits},
    {"topology.routing world", world_routing},
    {"rnic.completion.arm workload.solicited workload.op workload.depth", solicited},
    {"workload.kind world llp.kind", classes_world},
    {"workload.kind world", ddp_world},
    {"llp.kind world", world_llp},
};

static const struct pair pairs[] = {
    {"llp.send_buffer topology.mtu", small_send_buffer},
    {"llp.congestion topology.ecn_threshold", dctcp},
    {"llp.congestion llp.recovery", unnamed},
    {"llp.paths llp.recovery topology.ports topology.planes", paths},
    {"llp.congestion llp.rtt topology.delay", long_path},
    {"llp.dcqcn.least topology.rate llp.congestion", dcqcn_least},
    {"llp.congestion topology.mtu", fixed_window},
    {"llp.dupack_threshold llp.loss_detection", adaptive},
    {"llp.max_rto llp.min_rto llp.initial_rto", max_rto},
    {"llp.tracking llp.recovery llp.kind", tracked_order},
    {"rnic.track.full llp.tracking", never_full},
    {"channel.reorder.delay channel.reorder.displacement channel.jitter channel.delay.cdf channel.trace.file "
     "rnic.window.bytes",
     wraps},
    {"topology.buffer topology.hosts workload.connections topology.mtu", dctcp_floor},
    {"llp.ord llp.ird workload.op", no_reads},
    {"llp.profile llp.kind llp.markers llp.crc workload.op workload.notify", rdmac},
    {"channel.trace.file world", world_trace},
    {"channel channel.trace.start channel.loss channel.burst.p channel.burst.r channel.burst.loss_good "
     "channel.corrupt channel.duplicate channel.jitter channel.delay.cdf channel.reorder.probability "
     "channel.trace.file",
     channel_conf},
    {"payload llp.crc channel.corrupt", undetected},
    {"workload.kind topology.kind", incast},
    {"workload.size workload.op workload.kind", unseen_write},
    {"workload.script workload.kind", script},
    {"limit.idle workload.file", long_calc},
    {"workload.count measure.for", endless},
    WHOLE_PAIRS,
    {"workload.kind workload.hosts workload.start", together},
    {"workload.tenant", of_tenant},
};

/* Times of the whole: of no workload by itself. */
static const struct pair timeouts[] = {
    {"measure.for measure.from limit.sim", late_window},
    {"measure.for_share measure.from_share measure.for workload.count workload.kind workload.size",
     share_of_octets},
    {"measure.until_enough measure.for workload.count workload.kind", nothing_grows},
    {"llp.initial_rto llp.max_rto rnic.rx.latency rnic.pcie.read rnic.tx.latency", set_up},
};

static const struct pair acknowledgements[] = {
    {"llp.min_rto llp.delayed_ack_timeout llp.delayed_ack", delayed_ack}};

static bool check_adapter(const struct scenario *s, size_t index, const struct scenario_point *p, char *error)
{
    struct scenario_derived d;
    const struct parameter *which = NULL;
    scenario_derive(p, &d);
    const char *what = rnic_conf_error(&p->rnic, d.fpdu, &which);
    if (!what)
        return true;
    char keys[128];
    snprintf(keys, sizeof keys, "rnic%s%s rnic.receive rnic.preset topology.mtu", which ? "." : "",
             which ? which->name : "");
    return refuse_keys(s, index, keys, what, error);
}

/* ---- adapters of some hosts ---- */

static const char *override_error(const struct scenario_point *p, uint32_t i, uint32_t fpdu)
{
    static char why[VALUE_WHY_MAX];
    struct hosts_list list, other;
    if (!*p->override_of[i].hosts)
        return NULL;
    if (!hosts_list_read(p->override_of[i].hosts, p->topology.hosts, &list, why))
        return why;
    if (world_ignores(&worlds[p->world], "hosts."))
        return "has no effect in this world, whose hosts all have the same adapter";
    for (uint32_t j = 0; j < i; j++)
        if (p->override_of[j].offset == p->override_of[i].offset &&
            hosts_list_read(p->override_of[j].hosts, p->topology.hosts, &other, why) &&
            other.range[0].first <= list.range[0].last && list.range[0].first <= other.range[0].last) {
            snprintf(why, sizeof why, "hosts.%s gives one of these hosts another value",
                     p->override_of[j].hosts);
            return why;
        }
    struct rnic_conf rnic = scenario_adapter(p, list.range[0].first);
    if (rnic.stall.for_ && !rnic.stall.every)
        return "stalls have a length but never occur: give rnic.stall.every";
    return rnic_conf_error(&rnic, fpdu, NULL);
}

static bool check_overrides(const struct scenario *s, size_t index, const struct scenario_point *p,
                            char *error)
{
    struct scenario_derived d;
    scenario_derive(p, &d);
    for (size_t i = 0; p->overrides && i < s->own_count; i++) {
        const struct scenario_own_key *own = s->own[i];
        const char *what = own->of_hosts ? override_error(p, own->key.load, d.fpdu) : NULL;
        if (what)
            return refuse_keys(s, index, own->name, what, error);
    }
    return true;
}

/* A timeout that ends before an acknowledgement can come. One that nobody asked for matters where it is constant: TCP and SCTP
 * measure theirs. */
static bool check_timeout(const struct scenario *s, size_t index, const struct scenario_point *p, char *error)
{
    struct scenario_derived d;
    struct scenario_place at;
    char what[200], rtt[40], would_do[SCENARIO_TIME_TEXT];
    bool said = place_of_key(s, index, "llp.min_rto", &at);
    scenario_derive(p, &d);
    if (llp_min_rto(&p->llp) >= d.rtt || !(said || p->llp.kind == LLP_PACKET))
        return true;
    value_decimal(d.rtt, 6, rtt, sizeof rtt);
    snprintf(
        what, sizeof what,
        "%sis below the round trip without load, %sus: every segment would be retransmitted; %s would do",
        said ? "" : "auto ", rtt, scenario_rto_for(d.rtt, would_do));
    return refuse_keys(s, index, "llp.min_rto topology.delay topology.rate", what, error);
}

/* ---- message sizes from a file ---- */

static bool check_mix(const struct scenario *s, size_t index, const struct workload_conf *w, const char *load,
                      char *error)
{
    char what[SIZE_MIX_ERROR_MAX], size[KEY_NAME_MAX];
    const char *keys = "workload.size.cdf workload.size";
    if (!*w->size_cdf)
        return true;
    if (!size_mix_find(s->file, w->size_cdf, what))
        return refuse_load(s, index, load, keys, what, error);
    name_key(size, "workload.size", sizeof "workload.size" - 1, load);
    for (size_t i = 0; i < s->axes_count; i++)
        if (strcmp(s->axes[i].key->name, size) == 0)
            return refuse_load(s, EVERY_POINT, load, keys, "replaces workload.size, which is swept", error);
    return true;
}

/* ---- a schedule, from a file or of a collective operation ---- */

static bool check_joint(const struct scenario *s, size_t index, const struct workload_conf *w,
                        const char *load, char *error)
{
    char what[160];
    if (!workload_is(w->kind, WORKLOAD_JOINT) || w->goal || w->hosts < 2 || collective_error(w))
        return true;
    unsigned long long each = collective_cost(w).messages, most = COLLECTIVE_SENDS_MAX / each;
    if (most)
        snprintf(what, sizeof what,
                 "is too many: %u hosts send %llu messages each time, and %d are the most; %llu would do",
                 w->hosts, each, COLLECTIVE_SENDS_MAX, most);
    else
        snprintf(what, sizeof what, "has too many messages between %u hosts, %llu; %d are the most", w->hosts,
                 each, COLLECTIVE_SENDS_MAX);
    return refuse_load(s, index, load,
                       most ? "workload.count workload.kind" : "workload.by workload.op workload.kind", what,
                       error);
}

static bool check_goal(const struct scenario *s, size_t index, const struct workload_conf *w,
                       const char *load, char *error)
{
    char what[GOAL_ERROR_MAX];
    return !workload_is(w->kind, WORKLOAD_PLAYS) || !*w->goal_file ||
           goal_file_find(s->file, w->goal_file, what) ||
           refuse_load(s, index, load, "workload.file workload.kind", what, error);
}

/* ---- a matrix from a file ---- */

static bool check_matrix(const struct scenario *s, size_t index, const struct workload_conf *w,
                         const char *load, char *error)
{
    char what[MATRIX_ERROR_MAX];
    if (!workload_is(w->kind, WORKLOAD_LISTED) || !*w->matrix_file)
        return true;
    const struct matrix_file *f = matrix_file_find(s->file, w->matrix_file, what);
    if (f && f->matrix->hosts <= w->hosts)
        return true;
    if (f)
        complaint(what, sizeof what, f->file.name, f->matrix->line, 0,
                  "Nodes %u is more than the %u hosts that there are", f->matrix->hosts, w->hosts);
    return refuse_load(s, index, load, "workload.matrix workload.kind", what, error);
}

/* ---- several workloads ---- */

static bool check_hosts(const struct scenario *s, size_t index, const struct scenario_point *p,
                        const struct point_load *load, char *error)
{
    struct hosts_list list;
    char why[VALUE_WHY_MAX];
    uint32_t above = (uint32_t)(load - p->load_of);
    return hosts_list_place(load->workload.host_list, p->topology.hosts, p->part, above, &list, why) ||
           refuse_load(s, index, load->name, "workload.hosts topology.hosts topology.kind", why, error);
}

static bool check_rows(const struct scenario *s, size_t index, const struct scenario_point *p,
                       const char *load, const struct pair *rows, size_t count, char *error)
{
    for (size_t i = 0; i < count; i++) {
        const char *what = rows[i].wrong(p);
        if (what)
            return refuse_load(s, index, load, rows[i].keys, what, error);
    }
    return true;
}
#define CHECK(rows) check_rows(s, index, p, load, (rows), sizeof(rows) / sizeof *(rows), error)

static bool check_rules(const struct scenario *s, size_t index, const char *load, struct rule r, char *error)
{
    return !r.what || refuse_load(s, index, load, r.keys, r.what, error);
}

/* Each pair of values, as if this workload were the only one; `load` NULL: as it is. */
static bool check_pairs(const struct scenario *s, size_t index, const struct scenario_point *p,
                        const char *load, char *error)
{
    if (p->workload.parts)
        return CHECK(wholes);
    return CHECK(places) && check_rules(s, index, load, receives(p), error) &&
           check_rules(s, index, load, layers(p), error) && CHECK(pairs);
}

static bool check_loads(const struct scenario *s, size_t index, const struct scenario_point *p, char *error)
{
    for (uint32_t i = 0; i < p->loads; i++) {
        const struct point_load *load = &p->load_of[i];
        struct scenario_point one = *p;
        one.workload = load->workload;
        one.llp = load->llp;
        if (!check_hosts(s, index, p, load, error) ||
            !check_mix(s, index, &load->workload, load->name, error) ||
            !check_goal(s, index, &load->workload, load->name, error) ||
            !check_joint(s, index, &load->workload, load->name, error) ||
            !check_matrix(s, index, &load->workload, load->name, error) ||
            !check_pairs(s, index, &one, load->name, error) ||
            !check_rows(s, index, &one, load->name, acknowledgements, 1, error))
            return false;
    }
    return true;
}

/* ---- tenants ---- */

/* Streams of a tenant on the host that has most of them. */
static uint32_t streams_of(const struct scenario_point *p, uint32_t tenant)
{
    uint32_t *at = need(calloc(p->workload.hosts, sizeof *at)), largest = 0;
    for (uint32_t c = 0; c < workload_connections(&p->workload); c++) {
        uint32_t own = c;
        struct workload_pair pair = workload_pair(&p->workload, c);
        if (workload_conf_of(&p->workload, &own)->tenant != tenant)
            continue;
        largest = (uint32_t)most(most(largest, ++at[pair.from]), ++at[pair.to]);
    }
    free(at);
    return largest;
}

/* `key`: of the tenant, that is wrong. */
static const char *tenant_error(const struct scenario_point *p, uint32_t tenant, const char **key)
{
    static char why[VALUE_WHY_MAX];
    const struct point_tenant *t = &p->tenant_of[tenant - 1];
    uint32_t streams = streams_of(p, tenant);
    *key = streams > t->limit[IW_PRM_ENDPOINTS] ? "connections" : "read_entries";
    if (streams > t->limit[IW_PRM_ENDPOINTS])
        snprintf(why, sizeof why, "its workloads have %u on a host", streams);
    else if ((uint64_t)streams * p->llp.ird > t->limit[IW_PRM_READ_SLOTS])
        snprintf(why, sizeof why, "its workloads have %u streams on a host, each with llp.ird %u", streams,
                 p->llp.ird);
    else
        return NULL;
    return why;
}

static bool has_workload(const struct scenario_point *p, uint32_t tenant)
{
    bool some = false;
    for (uint32_t i = 0; i < p->loads; i++)
        some |= p->load_of[i].workload.tenant == tenant;
    return some;
}

/* What the scenario says of a tenant, and there is none of which it says nothing. */
static const char *stated_key(const struct scenario *s, const char *tenant)
{
    size_t i = 0;
    while (!key_is_of_tenant(&s->own[i]->key) || strcmp(s->own[i]->load, tenant) != 0 ||
           !scenario_states(s, &s->own[i]->key))
        i++;
    return s->own[i]->name;
}

/* What is wrong with the use of tenants; else with a limit of one. */
static bool check_tenants(const struct scenario *s, size_t index, const struct scenario_point *p, char *error)
{
    for (uint32_t i = 0; i < p->tenants; i++) {
        char name[KEY_NAME_MAX];
        const char *key = NULL, *what = NULL;
        if (!has_workload(p, i + 1))
            what = "no workload is of this tenant: workloads.NAME.tenant says whose it is";
        else if (p->rnic.completion.mode == RNIC_INTERRUPT)
            what = "tenants have queues of their own, which are polled: use rnic.completion.mode: poll";
        else
            what = tenant_error(p, i + 1, &key);
        if (key)
            snprintf(name, sizeof name, "tenants.%s.%s", p->tenant_of[i].name, key);
        if (what)
            return refuse_keys(s, index, key ? name : stated_key(s, p->tenant_of[i].name), what, error);
    }
    return true;
}

/* ---- fates from a file ---- */

static bool check_trace(const struct scenario *s, size_t index, const struct scenario_point *p, char *error)
{
    char what[FATES_FILE_ERROR_MAX];
    return !*p->trace_file || fates_file_find(s->file, p->trace_file, what) ||
           refuse_keys(s, index, "channel.trace.file", what, error);
}

static bool check_delay(const struct scenario *s, size_t index, const struct scenario_point *p, char *error)
{
    char what[DELAY_FILE_ERROR_MAX];
    return !*p->delay_file || delay_file_find(s->file, p->delay_file, what) ||
           refuse_keys(s, index, "channel.delay.cdf", what, error);
}

/* ---- a network from a file ---- */

static bool check_topology(const struct scenario *s, size_t index, const struct scenario_point *p,
                           char *error)
{
    char what[SCENARIO_ERROR_MAX];
    const char *name = p->network_file;
    const struct fabric_topology *t = fabric_topology_of(&p->topology);
    if (!*name)
        return !(t->described || t->of_flows) ||
               refuse_keys(s, index, "topology.kind topology.file",
                           "needs topology.file, the name of a file beside the scenario", error);
    bool good = t->of_flows ? platform_file_find(s->file, name, what) != NULL
                            : topology_file_find(s->file, name, what) != NULL;
    return good || refuse_keys(s, index, "topology.file", what, error);
}

/* Without what this world has not, or this point does not use. */
static bool check_network(const struct scenario *s, size_t index, const struct scenario_point *p, char *error)
{
    const struct world *w = &worlds[p->world];
    struct fabric_conf network = topology_network(p);
    const char *keys, *what;
    if (world_ignores(w, "topology.flow_control"))
        network.pfc.on = false;
    if (world_ignores(w, "topology.ecn.kmax"))
        network.red.kmax = 0;
    network.trim = network.trim && p->llp.kind == LLP_PACKET && !world_ignores(w, "topology.trim");
    what = p->platform && w->flows ? NULL : fabric_network_error(&network, &keys);
    return !what || refuse_keys(s, index, keys, what, error);
}

/* ---- links that change ---- */

/* What has no effect unless one of others is stated. */
static const struct {
    const char *key, *without, *what;
} of_links[] = {
    {"topology.failures.mttr", "topology.failures.mtbf", "has no effect without topology.failures.mtbf"},
    {"topology.degrade.rate", "topology.degrade.share", "has no effect without topology.degrade.share"},
    {"topology.degrade.tier", "topology.degrade.share", "has no effect without topology.degrade.share"},
    {"topology.degrade.seed", "topology.degrade.share", "has no effect without topology.degrade.share"},
    {"topology.slow_queues", "topology.events topology.degrade.share",
     "has no effect without topology.events or topology.degrade.share"},
    {"topology.reroute_after", "topology.events topology.failures.mtbf topology.degrade.share",
     "has no effect without topology.events, topology.failures.mtbf or topology.degrade.share"},
};

static bool states_one(const struct scenario *s, const char *keys)
{
    size_t count;
    const struct key *all = keys_all(&count);
    for (size_t i = 0; i < count; i++)
        if (is_one_of(all[i].name, keys) && scenario_states(s, &all[i]))
            return true;
    return false;
}

static bool links_have_use(const struct scenario *s, char *error)
{
    for (size_t i = 0; i < sizeof of_links / sizeof *of_links; i++)
        if (states_one(s, of_links[i].key) && !states_one(s, of_links[i].without))
            return refuse_keys(s, EVERY_POINT, of_links[i].key, of_links[i].what, error);
    return true;
}

/* In the line of its own, where it has one. */
static bool refuse_event(const struct scenario *s, size_t index, size_t number, const char *what, char *error)
{
    const struct scenario_setting *list = scenario_setting_of(s, key_find("topology.events"));
    if (number == SIZE_MAX)
        return refuse_keys(s, index, "topology.degrade.share", what, error);
    bool known = list && list->at.line && number < s->event_ats;
    return known ? scenario_fail(error, s->file, s->event_at[number], "topology.events: %s", what)
                 : refuse_keys(s, index, "topology.events", what, error);
}

static bool check_events(const struct scenario *s, size_t index, const struct scenario_point *p, char *error)
{
    char what[SCENARIO_ERROR_MAX / 2];
    struct link_events e;
    size_t number;
    bool pauses = p->topology.pfc.on && (link_events_some(p) || p->topology.failures.mtbf);
    if (world_ignores(&worlds[p->world], "topology.events"))
        return true;
    if (pauses)
        return refuse_keys(
            s, index, "topology.flow_control topology.events topology.failures.mtbf topology.degrade.share",
            "pfc is of links that do not change: use none", error);
    return !link_events_some(p) || link_events_read(p, &e, what, &number) ||
           refuse_event(s, index, number, what, error);
}

/* ---- the figure ---- */

static bool check_plot(const struct scenario *s, const char *key, const char *column, char *error)
{
    char what[SCENARIO_ERROR_MAX / 2];
    if (column_is_known(column))
        return true;
    const char *near = result_suggest(column);
    near = near ? near : key_suggest(column);
    snprintf(what, sizeof what, "'%.60s' is neither a key nor a column of results%s%s%s", column,
             near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    return refuse_keys(s, EVERY_POINT, key, what, error);
}

/* One column, or several separated by blanks or commas. */
static bool check_list(const struct scenario *s, const char *key, const char *list, char *error)
{
    for (const char *p = list + strspn(list, ", "); *p; p += strspn(p, ", ")) {
        char column[VALUE_TEXT_MAX];
        int len = (int)strcspn(p, ", ");
        snprintf(column, sizeof column, "%.*s", len, p);
        if (!check_plot(s, key, column, error))
            return false;
        p += len;
    }
    return true;
}

static bool check_plots(const struct scenario *s, char *error)
{
    const char *x = s->conf.plot.x, *by = s->conf.plot.by;
    if (*s->conf.plot.table) /* it has columns of its own */
        return true;
    return (!*x || check_plot(s, "plot.x", x, error)) && (!*by || check_plot(s, "plot.by", by, error)) &&
           check_list(s, "plot.y", s->conf.plot.y, error);
}

/* Its runs may be as long as they must, one of each point. */
static bool check_lengths(const struct scenario *s, size_t index, const struct scenario_point *p, char *error)
{
    const struct rule rules[] = {
        {"measure.until_enough repeat", s->conf.repeat > 1,
         "(run --until-enough) is for one run of each point, so that all rows of a point are of one length: "
         "use repeat: 1, or repeat.until instead"},
        {"measure.until_enough workload.count", scenario_axis_of(s, key_find("workload.count")),
         "(run --until-enough) decides on workload.count, so the sweep must not"},
        {"measure.until_enough measure.for", scenario_axis_of(s, key_find("measure.for")),
         "(run --until-enough) decides on measure.for, so the sweep must not"},
    };
    return !p->measure.until_enough || check_rules(s, index, NULL, FIRST_BROKEN(rules), error);
}

static bool check_point(const struct scenario *s, size_t index, const struct scenario_point *point,
                        char *error)
{
    if (index == 0 && (!loads_are_named(s, error) || !all_have_use(s, error) || !none_is_half(s, error) ||
                       !links_have_use(s, error) || !check_plots(s, error)))
        return false;
    return check_topology(s, index, point, error) && check_network(s, index, point, error) &&
           check_events(s, index, point, error) && check_trace(s, index, point, error) &&
           check_delay(s, index, point, error) && check_mix(s, index, &point->workload, NULL, error) &&
           check_goal(s, index, &point->workload, NULL, error) &&
           check_joint(s, index, &point->workload, NULL, error) &&
           check_matrix(s, index, &point->workload, NULL, error) && check_loads(s, index, point, error) &&
           check_pairs(s, index, point, NULL, error) && check_timeout(s, index, point, error) &&
           check_rows(s, index, point, NULL, timeouts, sizeof timeouts / sizeof *timeouts, error) &&
           check_rows(s, index, point, NULL, acknowledgements, 1, error) &&
           check_adapter(s, index, point, error) && check_overrides(s, index, point, error) &&
           check_tenants(s, index, point, error) && check_lengths(s, index, point, error);
}

bool scenario_point(const struct scenario *s, size_t index, uint32_t repeat, struct scenario_point *point,
                    char *error)
{
    scenario_resolve(s, index, repeat, point);
    bool good = check_point(s, index, point, error);
    if (!good)
        text_make_plain(error, true);
    return good;
}
