/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys.c -- the scenario keys: the tables of the rooms, and what belongs to a scenario alone (keys.h). */
#include "helpers/scenario/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/word.h"
#include "helpers/scenario/field_words.h"
#include "helpers/scenario/world.h"
#include "parameter_rows.h"

/* ---- tables ---- */

static const char *const directions[] = {"data", "acks", "both"};
static const char *const scales[] = {"auto", "true", "false"};
static const char *const payloads[] = {"real", "none"};

/* clang-format off */
#define PARAMETER_OF struct scenario_conf
static const struct parameter scenario_rows[] = {
    TEXT("title", title, "What the scenario shows, in one line."),
    TEXT("claim", claim, "What its results should show, in one sentence."),
    COUNT("repeat", repeat, 1, 100000, 1, "Runs per point; or, instead of a number, {until, of, most}.", .counts = "runs per point"),
};

static const struct parameter repeat_rows[] = {
    REAL("until", until, 0, 1000, 0, "Instead of a fixed number: add repeats, at least 6, until half of the 95 % interval of the mean is at most this share of the mean; write 2 % as 0.02.", .share = true),
    TEXT("of", until_of, "The column of results.csv whose mean repeat.until judges.", .word = "steady_gbps"),
    COUNT("most", most, 6, 100000, 100, "The most repeats to run.", .counts = "runs per point"),
};

static const struct parameter plot_rows[] = {
    TEXT("x", plot.x, "Column on the x axis; default: the first key of the sweep that is a number, else its first."),
    TEXT("y", plot.y, "Columns on the y axis, separated by blanks or commas; columns of one unit share a panel; default: steady_gbps. line_gbps, window_gbps, rtt_us and bdp_bytes follow from the keys."),
    TEXT("by", plot.by, "One curve for each value of this column; default: the first swept key other than x."),
    TEXT("title", plot.title, "Title above the figure; default: the scenario's title."),
    TEXT("panels", plot.panels, "One panel for each value of this column."),
    TEXT("table", plot.table, "A table other than results.csv, such as dist/slowdown.csv; x and y may be its columns."),
    CHOICE("logx", plot.logx, scales, SCALE_AUTO, "Logarithmic x axis; auto: when the sweep spans decades."),
    SWITCH("logy", plot.logy, false, "Logarithmic y axis."),
};

#undef PARAMETER_OF
#define PARAMETER_OF struct scenario_point
static const struct parameter point_rows[] = {
    ROW("world", VALUE_CHOICE, world, 0, WORLDS - 1, WORLD_FABRIC, "Where it runs: fabric (packets, in C), ns3 (packets, on ns-3's devices), simgrid (clusters, as flows).", .label = "World"),
    TEXT("case", case_name, "Which of the sets of keys that cases: names; all of them, one after the other, when nothing is said.", .label = "Case"),
    COUNT("seed", seed, 0, UINT64_MAX, 1, "Seed of every random draw, together with the repeat's number; swept keys do not change the draws.", .label = "Seed"),
    CHOICE("payload", payload, payloads, PAYLOAD_REAL, "real: packets carry octets, which are placed, and compared at delivery. none: packets carry lengths only; CRC and corruption become marks."),
};

static const char *const tiers[] = {"host", "leaf", "core", "all"};

static const struct parameter topology_rows[] = {
    REAL("degrade.share", degrade.share, 0, 1000, 0, "This share of the lines of topology.degrade.tier, to the nearest whole number, has topology.degrade.rate from the start on, both ways. Which they are is drawn by topology.degrade.seed; a larger share has those of a smaller one.", .share = true, .label = "Share of lines degraded"),
    RATE("degrade.rate", degrade.rate, MBPS, 3200 * 1000 * MBPS, 10 * 1000 * MBPS, "Rate of degraded lines, at most their own; down: they carry nothing.", .counts = "bits on the wire, framing included", .word = "down", .label = "Rate of degraded lines"),
    CHOICE("degrade.tier", degrade.tier, tiers, TIER_CORE, "host: lines of hosts. core: lines of the cores of a fat tree, or between groups of a dragonfly. leaf: all other lines between switches."),
    COUNT("degrade.seed", degrade.seed, 0, UINT64_MAX, 1, "Seed of the draw of degraded lines."),
    TEXT("events", events, "What happens to links and when, from the start of the simulation, as a list or as one text, which has at most 255 characters: {at: 2ms, link: host0-switch0, state: down} or 2ms host0-switch0 down. link: A-B, both directions, or A->B, one, with the nodes of links.csv and * for any letters; A-B#2: the second of several links. state: down or up. rate: 10Gbps instead of a state, from the next packet on. switch: NAME instead of a link: all its links.", .acts = "links", .label = "Events of links"),
    TEXT("file", network_file, "A file that describes the network: hosts, switches, links with rate and delay, ports of each host (NAME.yaml), or a SimGrid platform (NAME.xml). It is in the scenario's folder, or one of those that are shipped (`iwarpsim list`).", .with = "topology.kind", .is = "file platform", .label = "Network"),
};

/* Its words are those of rnic_presets. */
static const struct parameter adapter_rows[] = {
    ROW("preset", VALUE_CHOICE, preset, 0, 0, 0, "A named adapter; other rnic. keys override single values of it.", .acts = "every host", .label = "Adapter"),
    COUNT("draw", draw, 0, 100000, 0, "Numbers of the preset within their ranges (`iwarpsim list ADAPTER`): 0, the likely ones; any other, each number at its low, its likely or its high value, drawn by the seed. `run --uncertain` sweeps it.", .acts = "every host", .label = "Draw of the adapter's numbers"),
};

static const struct parameter channel_rows[] = {
    TEXT("trace.file", trace_file, "Instead of draws: what packets met on a path (lost, late, twice), one after the other and again from the first; each host's link replays it for itself. The file is beside the scenario or shipped (`iwarpsim list`); `iwarpsim fates` makes one from captures. It does not react to the new load.", .label = "Path"),
    TEXT("delay.cdf", delay_file, "Extra delay of each packet, drawn from this file of `time share` lines (1.5us 0.9: nine in ten have at most 1.5 us). It is beside the scenario or shipped: rack.delays, long-tail.delays.", .label = "Delays"),
    CHOICE("direction", channel_direction, directions, DIRECTION_DATA, "Which packets the channel impairs: those with data, those without, or both."),
};

#define UNLIMITED .word = "unlimited", .means = UINT32_MAX
static const char *const trusts[] = {"none", "domain", "all"};

/* Of one tenant: tenants.NAME.connections. */
static const struct parameter tenant_rows[] = {
    COUNT("connections", tenant.limit[IW_PRM_ENDPOINTS], 1, 1 << 24, UINT32_MAX, "Streams that the tenant may have: more are refused before the run.", .counts = "per host", UNLIMITED),
    COUNT("cq_entries", tenant.limit[IW_PRM_CQ_ENTRIES], 1, 1 << 24, UINT32_MAX, "Entries of completion queues that its requests may take, from the post until the ULP takes the completion (RFC 5042 6.4.3.2). A post without one is refused, and the connection does nothing more.", .counts = "per host", UNLIMITED),
    COUNT("stags", tenant.limit[IW_PRM_REGIONS], 1, 1 << 24, UINT32_MAX, "Regions that it may register.", .counts = "per host", UNLIMITED),
    COUNT("read_entries", tenant.limit[IW_PRM_READ_SLOTS], 1, 1 << 24, UINT32_MAX, "Inbound Reads that its streams may have, llp.ird for each: more are refused before the run (RFC 5042 6.4.3.3).", .counts = "per host", UNLIMITED),
    COUNT("recv_buffers", tenant.limit[IW_PRM_RECV_BUFFERS], 1, 1 << 24, UINT32_MAX, "Buffers of a shared receive queue (rnic.srq) that its messages may have taken without posting one again. The stream that takes one more ends (RFC 5042 6.4.3.1).", .counts = "per host", UNLIMITED),
    COUNT("domain", tenant.domain, 1, 65535, 0, "Protection domain of its streams and its memory; own: one that no other has.", .word = "own"),
    CHOICE("trust", tenant.trust, trusts, TRUST_NONE, "With whom it shares completion queues and shared receives. none: nobody. domain: tenants of the same domain that say so, too. all: all who say so, and with them one protection domain."),
    ROW("wrong", VALUE_CHOICE, tenant.fault, 0, WORKLOAD_FAULTS - 1, WORKLOAD_NO_FAULT, "What its ULP does wrong (RFC 5042): flood_cq never takes a completion; register_without_end registers memory until it is refused, before the others do; guess_stags has its peers write to an STag of another tenant; terminate ends its streams when messages are under way; never_post posts no receive again.", .words = workload_fault_words, .words_end = WORKLOAD_FAULTS, .label = "What a tenant does wrong"),
};

static const struct parameter simgrid_rows[] = {
    OCTETS("chunk", simgrid_chunk, KIB, 64 * MIB, 64 * KIB, "Octets that travel as one SimGrid flow; the sender and other connections learn what happened to them when the flow ends.", .counts = "octets of FPDUs", .acts = "world simgrid", .with = "world", .is = "simgrid"),
};

static const struct parameter measure_rows[] = {
    TIME("from", measure.from, 0, 1000000 * S, 0, "When the window of measure.for begins, after the start of the run."),
    TIME("for", measure.span, US / 1000, 1000000 * S, 0, "Length of a window from measure.from on: the run ends with it, and rates, messages and latencies are those of the window alone (`columns.tsv` says which columns are). none: the whole run, until the workload is over.", .label = "Window", .word = "none"),
    REAL("from_share", measure.from_share, 0, 999, 0, "The same as a share of the workload's octets, where workload.count is a number: the window of measure.for_share begins when that share has been placed.", .share = true, .with = "measure.for_share"),
    REAL("for_share", measure.share, 0, 1000, 0, "Instead of measure.for: the window ends when this share more of the workload's octets has been placed. The run goes on until the workload is over. 0: the whole run.", .label = "Window", .share = true),
    SWITCH("until_enough", measure.until_enough, false, "`run --until-enough`: a run that is marked as too short (column marked) is run again with so many times its workload.count and measure.for as would meet 1,000 losses or, where less will do, bring steady_within to 0.02; and again, until it is not marked, or limit.sim or limit.wall forbids it. The row is that of the longest, and has both keys as they were."),
};

static const struct parameter limit_rows[] = {
    TIME("sim", limit.sim, US, 1000000 * S, 60 * S, "Stop a run after this much simulated time."),
    TIME("wall", limit.wall, MS, 1000000 * S, 600 * S, "Stop a run after this much real time."),
    TIME("idle", limit.idle, US, 1000000 * S, 5 * S, "Stop a run when nothing is placed and nothing completes for this much simulated time."),
};

/* clang-format on */

/* All tables, in the order of the documentation, and where a structure that they describe stands. */
static const struct {
    struct parameter_table table;
    const struct parameter_table *room; /* instead of `table` */
    enum key_of of;
    size_t at;
} tables[] = {
    {TABLE("", NULL, scenario_rows), NULL, KEY_SCENARIO, 0},
    {TABLE("repeat", NULL, repeat_rows), NULL, KEY_SCENARIO, 0},
    {TABLE("", NULL, point_rows), NULL, KEY_POINT, 0},
    {{0}, &fabric_parameters, KEY_POINT, offsetof(struct scenario_point, topology)},
    {TABLE("topology", NULL, topology_rows), NULL, KEY_POINT, 0},
    {{0}, &llp_parameters, KEY_POINT, offsetof(struct scenario_point, llp)},
    {TABLE("rnic", NULL, adapter_rows), NULL, KEY_POINT, 0},
    {{0}, &rnic_parameters, KEY_POINT, offsetof(struct scenario_point, rnic)},
    {{0}, &workload_rnic_parameters, KEY_POINT, offsetof(struct scenario_point, workload)},
    {{0}, &channel_parameters, KEY_POINT, offsetof(struct scenario_point, channel)},
    {TABLE("channel", "last link before each host", channel_rows), NULL, KEY_POINT, 0},
    {{0}, &workload_parameters, KEY_POINT, offsetof(struct scenario_point, workload)},
    {TABLE("tenant", NULL, tenant_rows), NULL, KEY_POINT, 0},
    {TABLE("simgrid", NULL, simgrid_rows), NULL, KEY_POINT, 0},
    {TABLE("measure", NULL, measure_rows), NULL, KEY_POINT, 0},
    {TABLE("limit", NULL, limit_rows), NULL, KEY_POINT, 0},
    {TABLE("plot", "iwarpsim plot", plot_rows), NULL, KEY_SCENARIO, 0},
};

/* ---- from a row to a key ---- */

enum { BOUND_MAX = 40 };

static void *need(void *memory)
{
    if (!memory) {
        fputs("iwarpsim: out of memory\n", stderr);
        exit(3);
    }
    return memory;
}

/* A whole value as a scenario has it; of a real, in thousandths. */
static const char *written(const struct value_rules *rules, uint64_t n)
{
    char *text = need(malloc(BOUND_MAX));
    struct value_rules own = *rules;
    struct value v = {.type = rules->type == VALUE_REAL ? VALUE_RATIO : rules->type, .n = n};
    own.type = v.type;
    value_write(&v, &own, text, BOUND_MAX);
    return text;
}

static const char *name_of_parameter(const struct parameter_table *table, const struct parameter *p)
{
    size_t size = strlen(table->group) + strlen(p->name) + 2;
    char *name = need(malloc(size));
    snprintf(name, size, "%s%s%s", table->group, *table->group ? "." : "", p->name);
    return name;
}

/* Words that are the names of rows elsewhere. */
static const char *const *names_of_presets(size_t *count)
{
    const char **names = need(calloc(rnic_presets_count, sizeof *names));
    for (unsigned i = 0; i < rnic_presets_count; i++)
        names[i] = rnic_presets[i].name;
    *count = rnic_presets_count;
    return names;
}

static const char *const *names_of_worlds(size_t *count)
{
    const char **names = need(calloc(WORLDS, sizeof *names));
    for (unsigned i = WORLD_FIRST; i < WORLDS; i++)
        names[i] = worlds[i].name;
    *count = WORLDS;
    return names;
}

static struct value_rules rules_of(const struct parameter *p)
{
    struct value_rules r = {
        .type = p->type, .share = p->share, .choices = p->words, .choices_end = p->words_end};
    if (p->type == VALUE_CHOICE && !p->words)
        r.choices = strcmp(p->name, "world") == 0 ? names_of_worlds(&r.choices_end)
                                                  : names_of_presets(&r.choices_end);
    if (p->type == VALUE_BOOL || p->type == VALUE_CHOICE || p->type == VALUE_TEXT)
        return r;
    r.min = written(&r, p->min);
    r.max = written(&r, p->max);
    r.bare = p->bare; /* bounds have their unit */
    r.word = p->word;
    r.means = p->means;
    r.most = p->most;
    return r;
}

static const char *initial_of(const struct parameter *p, const struct value_rules *rules)
{
    if (p->type == VALUE_TEXT)
        return p->word ? p->word : "";
    return written(rules, p->initial);
}

/* The words of the choice that a row goes with which have its trait, "stream incast". */
static const char *words_with(const struct parameter_table *table, const struct parameter *p)
{
    const struct parameter *choice = parameter_find(table, strchr(p->with, '.') + 1);
    char *list = NULL;
    size_t size;
    FILE *out = need(open_memstream(&list, &size));
    for (size_t i = 0; i < choice->words_end; i++)
        if (choice->traits[i] & p->trait)
            fprintf(out, "%s%s", ftell(out) ? " " : "", choice->words[i]);
    fclose(out);
    return need(list);
}

static struct key key_of_parameter(const struct parameter_table *table, const struct parameter *p)
{
    struct key key = {.name = name_of_parameter(table, p),
                      .rules = rules_of(p),
                      .offset = p->offset,
                      .size = p->size,
                      .argument = p->argument,
                      .label = p->label,
                      .what = p->what,
                      .counts = p->counts,
                      .acts = p->acts ? p->acts : table->acts,
                      .with = p->with,
                      .is = p->trait ? words_with(table, p) : p->is,
                      .also = p->also,
                      .also_is = p->also_is};
    key.initial = initial_of(p, &key.rules);
    return key;
}

static struct {
    struct key *rows;
    size_t count;
} all;

static void add_table(const struct parameter_table *table, enum key_of of, size_t at)
{
    all.rows = need(realloc(all.rows, (all.count + table->count) * sizeof *all.rows));
    for (unsigned i = 0; i < table->count; i++) {
        struct key *key = &all.rows[all.count++];
        *key = key_of_parameter(table, &table->rows[i]);
        key->of = of;
        key->offset += at;
        key->argument += key->argument ? at : 0;
    }
}

const struct key *keys_all(size_t *count)
{
    static bool built;
    for (size_t i = 0; !built && i < sizeof tables / sizeof *tables; i++)
        add_table(tables[i].room ? tables[i].room : &tables[i].table, tables[i].of, tables[i].at);
    built = true;
    *count = all.count;
    return all.rows;
}

const struct key *key_next(const struct key *key)
{
    size_t count;
    const struct key *first = keys_all(&count), *next = key ? key + 1 : first;
    return next < first + count ? next : NULL;
}

/* ---- finding ---- */

const struct key *key_find(const char *name)
{
    size_t count;
    const struct key *keys = keys_all(&count);
    for (size_t i = 0; i < count; i++)
        if (*keys[i].name == *name && strcmp(keys[i].name, name) == 0) /* it is asked often */
            return &keys[i];
    return NULL;
}

/* ---- of one workload of several ---- */

static const char loads[] = "workloads.", load[] = "workload", hosts[] = "hosts.";
static const char tenants[] = "tenants.", tenant[] = "tenant";

/* Is it `before`, a name, and a dot and more? */
static bool names_one(const char *name, const char *before, char word[KEY_LOAD_NAME_MAX])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (strncmp(name, before, strlen(before)) != 0)
        return false;
    name += strlen(before);
    size_t len = strspn(name, others);
    if (len == 0 || len >= KEY_LOAD_NAME_MAX || !strchr(letters, *name) || (name[len] && name[len] != '.'))
        return false;
    memcpy(word, name, len);
    word[len] = 0;
    return true;
}

bool key_names_load(const char *name, char word[KEY_LOAD_NAME_MAX])
{
    return names_one(name, loads, word);
}

bool key_names_tenant(const char *name, char word[KEY_LOAD_NAME_MAX])
{
    return names_one(name, tenants, word);
}

static bool is_of_llp(const struct key *row)
{
    return strncmp(row->name, "llp.", 4) == 0;
}

/* What a connection's two ends, which belong to one workload, do between themselves. What makes packets longer, or what
 * an adapter has for all connections, is not among it. */
static bool is_apart(const struct key *row)
{
    static const char *const apart[] = {"congestion",
                                        "initial_window",
                                        "min_rto",
                                        "max_rto",
                                        "initial_rto",
                                        "delayed_ack",
                                        "delayed_ack_timeout",
                                        "ecn",
                                        "loss_detection",
                                        "pacing",
                                        "idle_restart",
                                        "send_buffer",
                                        "flight",
                                        "dupack_threshold",
                                        "track",
                                        "rtt",
                                        "target_delay",
                                        "answer_octets",
                                        "paths",
                                        "path_choice",
                                        "path_revive",
                                        "probe"};
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        if (strcmp(row->name + 4, apart[i]) == 0)
            return true;
    return strncmp(row->name, "llp.dcqcn.", 10) == 0;
}

const char *key_not_of_load(const struct key *key)
{
    if (is_of_llp(key))
        return is_apart(key)
                   ? NULL
                   : "is the same for all workloads: packets are sized by it, or an adapter has it for "
                     "all connections";
    if (strcmp(key->name, "workload.consume_rate") == 0)
        return "is the same for all workloads";
    return strncmp(key->name, "workload.", 9) == 0 ? NULL : "is the same for all workloads";
}

void key_name_of_load(const struct key *row, const char *word, char name[KEY_NAME_MAX])
{
    snprintf(name, KEY_NAME_MAX, "workloads.%s.%s", word, is_of_llp(row) ? row->name : row->name + 9);
}

bool key_names_hosts(const char *name, char list[KEY_LOAD_NAME_MAX])
{
    enum { DIGITS_MAX = 7 };
    if (strncmp(name, hosts, sizeof hosts - 1) != 0)
        return false;
    name += sizeof hosts - 1;
    size_t first = strspn(name, "0123456789"), len = first, last = 1;
    if (name[len] == '-') {
        last = strspn(name + len + 1, "0123456789");
        len += 1 + last;
    }
    if (first == 0 || first > DIGITS_MAX || last == 0 || last > DIGITS_MAX || (name[len] && name[len] != '.'))
        return false;
    memcpy(list, name, len);
    list[len] = 0;
    return true;
}

const char *key_not_of_hosts(const struct key *key)
{
    static const char *const shared[] = {"rnic.receive", "rnic.retransmit"};
    bool of_adapter = key->offset >= offsetof(struct scenario_point, rnic) &&
                      key->offset < offsetof(struct scenario_point, rnic) + sizeof(struct rnic_conf);
    if (strncmp(key->name, "rnic.", 5) == 0 && !of_adapter)
        return "is the same for all hosts: it stands for many keys";
    if (!of_adapter)
        return "is the same for all hosts: only keys of rnic can differ from host to host";
    if (strncmp(key->name, "rnic.window.", 12) == 0)
        return "is the same for all hosts: a window belongs to a connection";
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (strcmp(key->name, shared[i]) == 0)
            return "is the same for all hosts";
    return NULL;
}

/* "workloads.incast.load" as "workload.load", "hosts.3.rnic.stall.for" as "rnic.stall.for"; empty: it is no such name. */
static void plain_name(const char *name, char plain[KEY_NAME_MAX])
{
    char word[KEY_LOAD_NAME_MAX];
    *plain = 0;
    const char *rest = key_names_load(name, word) ? name + sizeof loads - 1 + strlen(word) : NULL;
    bool llp = rest && strncmp(rest, ".llp", 4) == 0 && (!rest[4] || rest[4] == '.');
    if (rest)
        snprintf(plain, KEY_NAME_MAX, "%s%s", llp ? "" : load, rest + llp);
    else if (key_names_tenant(name, word))
        snprintf(plain, KEY_NAME_MAX, "%s%s", tenant, name + sizeof tenants - 1 + strlen(word));
    else if (key_names_hosts(name, word) && name[sizeof hosts - 1 + strlen(word)])
        snprintf(plain, KEY_NAME_MAX, "%s", name + sizeof hosts + strlen(word));
}

/* Is it a name for a part of them, and has that part to take the value of all? */
static bool is_shared(const char *name, const struct key *row)
{
    if (strncmp(name, tenants, sizeof tenants - 1) == 0)
        return false;
    return strncmp(name, hosts, sizeof hosts - 1) == 0 ? key_not_of_hosts(row) != NULL
                                                       : key_not_of_load(row) != NULL;
}

const struct key *key_like(const char *name)
{
    char plain[KEY_NAME_MAX];
    const struct key *key = key_find(name);
    plain_name(name, plain);
    if (key || !*plain)
        return key;
    key = key_find(plain);
    return key && is_shared(name, key) ? NULL : key;
}

struct key key_of_load(const struct key *row, unsigned number)
{
    struct key key = *row;
    key.like = row;
    key.load = number;
    size_t beyond = offsetof(struct scenario_point, load_of) + number * sizeof(struct point_load);
    if (is_of_llp(row))
        beyond += offsetof(struct point_load, llp) - offsetof(struct scenario_point, llp);
    else
        beyond += offsetof(struct point_load, workload) - offsetof(struct scenario_point, workload);
    key.offset += beyond;
    key.argument += key.argument ? beyond : 0;
    return key;
}

struct key key_of_tenant(const struct key *row, unsigned number)
{
    struct key key = *row;
    key.like = row;
    key.load = number;
    key.offset += offsetof(struct scenario_point, tenant_of) + number * sizeof(struct point_tenant) -
                  offsetof(struct scenario_point, tenant);
    return key;
}

void key_name_of_tenant(const struct key *row, const char *word, char name[KEY_NAME_MAX])
{
    snprintf(name, KEY_NAME_MAX, "%s%s%s", tenants, word, row->name + sizeof tenant - 1);
}

bool key_is_of_tenant(const struct key *key)
{
    return strncmp((key->like ? key->like : key)->name, "tenant.", sizeof tenant) == 0;
}

static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

const char *key_label(const struct key *key)
{
    return key->label ? key->label : last_part(key->name);
}

bool key_is_group(const char *prefix)
{
    char plain[KEY_NAME_MAX];
    plain_name(prefix, plain);
    char list[KEY_LOAD_NAME_MAX];
    if (*plain)
        return key_is_group(plain);
    if (strcmp(prefix, "workloads") == 0 || strcmp(prefix, "tenants") == 0 || strcmp(prefix, "hosts") == 0 ||
        key_names_hosts(prefix, list))
        return true;
    size_t count, len = strlen(prefix);
    const struct key *keys = keys_all(&count);
    for (size_t i = 0; i < count; i++)
        if (strncmp(keys[i].name, prefix, len) == 0 && keys[i].name[len] == '.')
            return true;
    return false;
}

/* Twice the edits from a wrong name to a known one, or one more than those from its last part to the last part of the
 * known one: in another group. WORD_FAR: far away. */
static size_t closeness(const char *wrong, const char *known)
{
    size_t whole = word_distance(wrong, known), part = word_distance(last_part(wrong), last_part(known));
    size_t near = whole < WORD_FAR ? 2 * whole : WORD_FAR,
           elsewhere = part < WORD_FAR ? 2 * part + 1 : WORD_FAR;
    return near < elsewhere ? near : elsewhere;
}

static const char *suggest_own(const char *wrong, const char *plain)
{
    static char found[KEY_NAME_MAX];
    char word[KEY_LOAD_NAME_MAX];
    const char *near = key_suggest(plain);
    const struct key *row = near ? key_find(near) : NULL;
    if (row && key_names_load(wrong, word) && !key_not_of_load(row))
        key_name_of_load(row, word, found);
    else if (row && key_names_tenant(wrong, word) && key_is_of_tenant(row))
        key_name_of_tenant(row, word, found);
    else if (near && key_names_hosts(wrong, word))
        snprintf(found, sizeof found, "%s%s.%s", hosts, word, near);
    else
        return NULL;
    return found;
}

const char *key_suggest(const char *wrong)
{
    static char found[WORD_FAR];
    char plain[KEY_NAME_MAX];
    const char *field = field_word(NULL, wrong);
    plain_name(wrong, plain);
    if (*plain)
        return suggest_own(wrong, plain);
    if (field)
        return field;
    size_t count, best = WORD_FAR;
    const struct key *keys = keys_all(&count);
    for (size_t i = 0; i < count; i++)
        for (const char *end = keys[i].name; end;
             end = strchr(end + 1, '.')) { /* its groups, then the key itself */
            char known[WORD_FAR];
            const char *dot = strchr(end + 1, '.');
            snprintf(known, sizeof known, "%.*s", dot ? (int)(dot - keys[i].name) : WORD_FAR, keys[i].name);
            size_t d = closeness(wrong, known);
            if (d < best) {
                best = d;
                memcpy(found, known, sizeof found);
            }
        }
    return best < WORD_FAR ? found : NULL;
}

const char *key_suggest_choice(const struct key *key, const char *wrong)
{
    static char found[WORD_FAR];
    size_t best = WORD_FAR;
    const char *field = field_word((key->like ? key->like : key)->name, wrong);
    if (field)
        return field;
    for (size_t i = 0; i < key->rules.choices_end; i++) {
        const char *word = key->rules.choices[i];
        if (!word)
            continue;
        size_t d = word_distance(wrong, word);
        if (d < best) {
            best = d;
            snprintf(found, sizeof found, "%s%s", word, word[strlen(word) - 1] == ':' ? "SIZE" : "");
        }
    }
    return best < WORD_FAR ? found : NULL;
}

/* ---- members ---- */

void key_store(const struct key *key, const struct value *v, void *base)
{
    const struct parameter whole = {.offset = key->offset, .size = key->size};
    char *member = (char *)base + key->offset;
    if (v->type == VALUE_REAL)
        memcpy(member, &v->real, sizeof v->real);
    else if (v->type == VALUE_TEXT)
        memcpy(member, v->text, key->size);
    else
        parameter_set(base, &whole, v->n);
    if (key->argument)
        memcpy((char *)base + key->argument, &v->argument, sizeof v->argument);
}

void key_load(const struct key *key, const void *base, struct value *v)
{
    const struct parameter whole = {.offset = key->offset, .size = key->size};
    const char *member = (const char *)base + key->offset;
    *v = (struct value){.type = key->rules.type};
    if (v->type == VALUE_REAL)
        memcpy(&v->real, member, sizeof v->real);
    else if (v->type == VALUE_TEXT)
        memcpy(v->text, member, key->size);
    else
        v->n = parameter_get(base, &whole);
    if (key->argument)
        memcpy(&v->argument, (const char *)base + key->argument, sizeof v->argument);
}

void key_text(const struct key *key, const void *base, char text[VALUE_TEXT_MAX])
{
    struct value v;
    key_load(key, base, &v);
    value_write(&v, &key->rules, text, VALUE_TEXT_MAX);
}

void keys_preset(struct scenario_point *point, const char *preset)
{
    for (unsigned i = 0; i < rnic_presets_count; i++)
        if (strcmp(rnic_presets[i].name, preset) == 0) {
            point->preset = i;
            rnic_preset_draw(&point->rnic, &rnic_presets[i], point->seed, point->draw);
        }
}

static void read_defaults(struct scenario_point *point, struct scenario_conf *conf)
{
    size_t count;
    const struct key *keys = keys_all(&count);
    for (size_t i = 0; i < count; i++) {
        struct value v;
        char why[VALUE_WHY_MAX];
        if (value_read(&v, &keys[i].rules, keys[i].initial, why))
            key_store(&keys[i], &v, keys[i].of == KEY_POINT ? (void *)point : (void *)conf);
    }
}

/* Read once: a campaign asks for them at each of its points. */
void keys_defaults(struct scenario_point *point, struct scenario_conf *conf)
{
    static struct scenario_point initial;
    static struct scenario_conf conf_initial;
    static bool read;
    if (!read)
        read_defaults(&initial, &conf_initial);
    read = true;
    *point = initial;
    *conf = conf_initial;
}
