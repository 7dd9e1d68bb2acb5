/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys.c -- the scenario keys: the tables of the rooms, and what belongs to a scenario alone (keys.h). */
#include "helpers/scenario/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/world.h"
#include "parameter_rows.h"

/* ---- tables ---- */

#define WORKLOAD_NAME(name, what) #name,
static const char *const topologies[] = {
    [TOPOLOGY_LINK] = "link",        [TOPOLOGY_STAR] = "star",           [TOPOLOGY_FAT_TREE] = "fat_tree",
    [TOPOLOGY_CLUSTER] = "cluster",  [TOPOLOGY_DRAGONFLY] = "dragonfly", [TOPOLOGY_FILE] = "file",
    [TOPOLOGY_PLATFORM] = "platform"};
static const char *const routings[] = {[ROUTING_FLOW_HASH] = "flow_hash", [ROUTING_SPRAY] = "spray"};
static const char *const sharings[] = {"port", "shared"};
static const char *const flow_controls[] = {"none", "pfc"};
static const char *const framings[] = {"ethernet", "ppp"};
static const char *const directions[] = {"data", "acks", "both"};
static const char *const workloads[] = {WORKLOAD_TABLE(WORKLOAD_NAME)};
static const char *const ops[] = {[WORKLOAD_SEND] = "send",
                                  [WORKLOAD_WRITE] = "write",
                                  [WORKLOAD_READ] = "read",
                                  [WORKLOAD_FETCH_ADD] = "fetch_add",
                                  [WORKLOAD_CMP_SWAP] = "cmp_swap"};
static const char *const transports[] = {"reliable_ordered", "reliable_unordered", "unreliable_ordered",
                                         "unreliable_unordered"};
static const char *const arrivals[] = {"closed", "poisson", "every"};
static const char *const scales[] = {"auto", "true", "false"};
static const char *const payloads[] = {"real", "none"};
_Static_assert(sizeof topologies / sizeof *topologies == TOPOLOGIES, "each topology has its word");
_Static_assert(sizeof routings / sizeof *routings == ROUTINGS, "each routing has its word");
_Static_assert(sizeof ops / sizeof *ops == WORKLOAD_OPS, "each operation has its word");

/* Kinds that move messages one operation at a time. */
#define MOVERS "pingpong stream incast permutation shuffle"

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
    COUNT("seed", seed, 0, UINT64_MAX, 1, "Seed of every random draw, together with the repeat's number; swept keys do not change the draws.", .label = "Seed"),
    CHOICE("payload", payload, payloads, PAYLOAD_REAL, "real: packets carry octets, which are placed, and compared at delivery. none: packets carry lengths only; CRC and corruption become marks."),
};

static const struct parameter topology_rows[] = {
    CHOICE("kind", topology.kind, topologies, TOPOLOGY_LINK, "link: two hosts. star: hosts around one switch. fat_tree: k*k*k/4 hosts, three levels of switches. cluster: a star of any size. dragonfly: groups of routers, each router linked to all others of its group, each group to all others. file: as topology.file describes it. platform: a platform file of SimGrid."),
    TEXT("file", topology.file, "A file that describes the network: hosts, switches, links with rate and delay (NAME.yaml), or a SimGrid platform (NAME.xml). It is in the scenario's folder, or one of those that are shipped (`iwarpsim list`).", .with = "topology.kind", .is = "file platform"),
    COUNT("hosts", topology.hosts, 2, 131072, 2, "Hosts of a star or cluster.", .counts = "hosts", .with = "topology.kind", .is = "star cluster", .label = "Hosts"),
    COUNT("groups", topology.groups, 1, 1024, 2, "Groups of a dragonfly.", .counts = "groups", .with = "topology.kind", .is = "dragonfly"),
    COUNT("routers", topology.routers, 1, 1024, 2, "Routers of each group of a dragonfly.", .counts = "routers", .with = "topology.kind", .is = "dragonfly"),
    COUNT("nodes", topology.nodes, 1, 1024, 2, "Hosts of each router of a dragonfly.", .counts = "hosts", .with = "topology.kind", .is = "dragonfly"),
    COUNT("k", topology.k, 2, 64, 4, "Ports of each switch of a fat tree; even.", .counts = "ports", .with = "topology.kind", .is = "fat_tree", .label = "Ports of a switch"),
    CHOICE("routing", topology.routing, routings, ROUTING_FLOW_HASH, "Which of several equal paths a packet takes: one per connection, or one drawn for each packet.", .acts = "every switch", .with = "topology.kind", .is = "fat_tree dragonfly file", .label = "Routing"),
    REAL("oversubscription", topology.oversubscription, 1000, 64000, 1000, "Links between switches run at the rate divided by this.", .acts = "links above the edge", .with = "topology.kind", .is = "fat_tree", .label = "Oversubscription"),
    RATE("rate", topology.rate, MBPS, 1000 * 1000 * MBPS, 100 * 1000 * MBPS, "Rate of a link; with topology.file, of each link whose rate the file leaves out.", .counts = "bits on the wire, framing included", .acts = "every link, each direction", .label = "Link rate"),
    TIME("delay", topology.delay, 0, S, US, "Propagation delay of a link, one way; a path over one switch has two. With topology.file: of each link whose delay the file leaves out.", .acts = "every link", .label = "Link delay"),
    OCTETS("mtu", topology.mtu, 256, 65535, 1500, "Largest IP packet.", .counts = "octets of the IP packet, headers included", .acts = "every link", .bare = true, .label = "MTU"),
    OCTETS("buffer", topology.buffer, 16 * KIB, GIB, MIB, "Size of an output queue; a packet that finds it full is dropped.", .counts = "octets of packets", .acts = "each port of each switch", .label = "Switch buffer"),
    OCTETS("ecn_threshold", topology.ecn_threshold, 1, GIB, 0, "Queue length at and above which packets are marked Congestion Experienced.", .counts = "octets of packets", .acts = "each port of each switch", .word = "never", .label = "ECN threshold"),
    OCTETS("ecn.kmin", topology.ecn_kmin, 1, GIB, 0, "Instead of topology.ecn_threshold: above this queue length packets are marked with a probability that rises to pmax at kmax.", .counts = "octets of waiting packets", .acts = "each port of each switch", .word = "never"),
    OCTETS("ecn.kmax", topology.ecn_kmax, 1, GIB, 0, "Queue length at and above which every packet is marked.", .counts = "octets of waiting packets", .acts = "each port of each switch", .word = "never"),
    REAL("ecn.pmax", topology.ecn_pmax, 0, 1000, 1000, "Probability of a mark just below topology.ecn.kmax.", .acts = "each port of each switch"),
    CHOICE("buffer_sharing", topology.sharing, sharings, SHARING_PORT, "port: each output queue has topology.buffer for itself; shared: the queues of a switch share the sum.", .acts = "every switch"),
    REAL("buffer_alpha", topology.alpha, 1, 64000, 1000, "A queue may hold this many times the free part of the shared buffer (dynamic threshold).", .acts = "every switch", .with = "topology.buffer_sharing", .is = "shared"),
    CHOICE("flow_control", topology.flow_control, flow_controls, FLOW_CONTROL_NONE, "pfc: a switch pauses a link that brings too many octets, and drops nothing (IEEE 802.1Qbb).", .acts = "every link of a switch"),
    SWITCH("trim", topology.trim, false, "A packet of llp.kind packet that finds an output queue full is trimmed to its header. Headers and answers wait in a queue of their own, as large as topology.buffer, which goes first but for one packet after ten headers in a row; the receiver answers a header that comes alone with a NAK of its packet, which is retransmitted at once (NDP, UET).", .acts = "each port of each switch", .with = "llp.kind", .is = "packet"),
    OCTETS("pfc.xoff", topology.pfc_xoff, KIB, GIB, 256 * KIB, "Waiting octets that came by one link, at and above which the switch pauses it.", .counts = "octets of packets", .acts = "each port of each switch", .with = "topology.flow_control", .is = "pfc"),
    OCTETS("pfc.xon", topology.pfc_xon, 1, GIB, 128 * KIB, "Waiting octets that came by one link, at and below which the switch resumes it.", .counts = "octets of packets", .acts = "each port of each switch", .with = "topology.flow_control", .is = "pfc"),
    OCTETS("pfc.headroom", topology.pfc_headroom, KIB, GIB, 0, "Room above xoff for the octets in flight when a pause is sent; auto: what the link needs.", .counts = "octets of packets", .acts = "each port of each switch", .with = "topology.flow_control", .is = "pfc", .word = "auto"),
    COUNT("globals", topology.globals, 1, 1024, 0, "Global links of each router of a dragonfly; auto: the fewest that link all groups evenly.", .counts = "links", .with = "topology.kind", .is = "dragonfly", .word = "auto"),
    CHOICE("framing", topology.framing, framings, FRAMING_ETHERNET, "Octets on the wire in addition to the IP packet: Ethernet 38 (header, FCS, preamble, gap), PPP 2.", .acts = "every link"),
};

/* Its words are those of rnic_presets. */
static const struct parameter adapter_rows[] = {
    ROW("preset", VALUE_CHOICE, preset, 0, 0, 0, "A named adapter; other rnic. keys override single values of it.", .acts = "every host", .label = "Adapter"),
    COUNT("draw", draw, 0, 100000, 0, "Numbers of the preset within their ranges (`iwarpsim list ADAPTER`): 0, the likely ones; any other, each number at its low, its likely or its high value, drawn by the seed. `run --uncertain` sweeps it.", .acts = "every host", .label = "Draw of the adapter's numbers"),
};

static const struct parameter srq_rows[] = {
    COUNT("srq", workload.shared_receives, 1, 16777216, 0, "Receive buffers that all connections of a host share, instead of workload.recv_depth for each: a shared receive queue (RFC 5042 6.4.3.1). A Send takes one when its first segment arrives, in order or not; a Send that finds none in its turn ends its stream.", .counts = "buffers per host", .acts = "receiver", .with = "workload.op", .is = "send", .word = "off"),
};

static const struct parameter channel_rows[] = {
    TEXT("trace.file", trace_file, "Instead of draws: what packets met on a path (lost, late, twice), one after the other and again from the first; each host's link replays it for itself. The file is beside the scenario or shipped (`iwarpsim list`); `iwarpsim fates` makes one from captures. It does not react to the new load.", .label = "Path"),
    CHOICE("direction", channel_direction, directions, DIRECTION_DATA, "Which packets the channel impairs: those with data, those without, or both."),
};

static const struct parameter workload_rows[] = {
    CHOICE("kind", workload.kind, workloads, WORKLOAD_stream, "What the hosts do: see `iwarpsim list`.", .label = "Workload"),
    CHOICE("op", workload.op, ops, WORKLOAD_WRITE, "The RDMA operation of each message. fetch_add and cmp_swap (RFC 7306) change an 8-octet number in the peer's memory, one per connection, and return its previous value.", .with = "workload.kind", .is = MOVERS, .label = "Operation"),
    OCTETS("size", workload.size, 0, GIB, 64 * KIB, "Size of a message.", .counts = "ULP octets", .with = "workload.kind", .is = MOVERS " ring storage transport_classes", .label = "Message size"),
    TEXT("size.cdf", size_cdf, "Draw message sizes from this file of `octets share` lines instead. It is in the scenario's folder, or one of those that are shipped: web-search.cdf, data-mining.cdf.", .counts = "ULP octets", .with = "workload.kind", .is = MOVERS, .label = "Message sizes"),
    COUNT("count", workload.count, 1, 1000000000, 1000, "Messages; ring: allreduces; storage: blocks.", .counts = "per connection", .with = "workload.kind", .is = MOVERS " ring storage transport_classes", .label = "Messages of a connection"),
    COUNT("steps", workload.steps, 1, 1000000, 0, "Steps to run of each allreduce; all: 2(N-1).", .counts = "per connection", .with = "workload.kind", .is = "ring", .word = "all"),
    CHOICE("class", workload.transport, transports, 0, "Transport class: messages are retransmitted until acknowledged, or never; delivered in order, or as they arrive.", .acts = "association", .with = "workload.kind", .is = "transport_classes", .label = "Transport class"),
    COUNT("connections", workload.connections, 1, 65536, 1, "Connections between each pair of communicating hosts.", .counts = "connections", .with = "workload.kind", .is = MOVERS " storage", .label = "Connections"),
    COUNT("stags", workload.stags, 1, 1000000, 1, "Registered regions that the messages use in turn.", .counts = "per connection and side", .with = "workload.kind", .is = MOVERS),
    COUNT("depth", workload.depth, 1, 16384, 16, "Messages outstanding: posted, and not yet both completed and in place.", .counts = "per connection", .acts = "sender", .with = "workload.kind", .is = "stream incast permutation shuffle storage transport_classes goal", .label = "Messages outstanding"),
    COUNT("solicited", workload.solicited, 1, 65535, 0, "Every Nth Send of a connection, and its last, carries a Solicited Event; see rnic.completion.arm.", .counts = "messages", .acts = "sender", .with = "workload.op", .is = "send", .word = "never", .label = "Sends per Solicited Event"),
    COUNT("recv_depth", workload.recv_depth, 1, 65535, 0, "Receive buffers posted; iWARP has no `receiver not ready`: a Send that finds none ends the stream. auto: as many as the workload can need.", .counts = "per connection", .acts = "receiver", .word = "auto", .label = "Receive buffers"),
    TEXT("script", workload.script, "The operations, step by step: `write 9000; send 2000; wait; peer send 100`. Operations: send, send_inv, send_se, send_se_inv, write, read, each with its octets (9000, 64KiB, 1MB); fetch_add N, cmp_swap OLD NEW (RFC 7306); wait: until all are complete. An operation may be followed by fence; to nothing, readable, writable, foreign; beyond; into OCTETS; unexpected.", .with = "workload.kind", .is = "script"),
    TEXT("file", goal_file, "The GOAL schedule to run, in the text format of LogGOPSim and ATLAHS; rank r is host r. The file lies beside the scenario or is shipped (`iwarpsim list`).", .with = "workload.kind", .is = "goal"),
    RATE("consume_rate", consume_rate, MBPS / 1000, 10000 * 1000 * MBPS, 0, "Rate at which the ULP reads in-order octets.", .counts = "per connection", .acts = "receiver", .word = "unlimited", .label = "Consumer rate"),
    TIME("start_jitter", workload.start_jitter, 0, 10 * S, 0, "Each connection starts after a random delay of at most this.", .acts = "sender", .with = "workload.kind", .is = MOVERS " ring storage"),
    CHOICE("arrival", workload.arrival, arrivals, WORKLOAD_CLOSED, "closed: post the next message when one completes. poisson, every: post by the clock, whether or not others have completed.", .acts = "sender", .with = "workload.kind", .is = "stream incast permutation shuffle", .label = "Arrivals"),
    REAL("load", load, 1, 10000, 500, "Offered load of poisson and every.", .counts = "share of the receiver's link, payload octets", .acts = "sender", .with = "workload.arrival", .is = "poisson every", .label = "Offered load"),
    TEXT("hosts", hosts, "Hosts that take part, in this order: all, or numbers and ranges, `0 4-7`. A kind numbers them from 0 in this order: with `5 0`, stream sends from host 5 to host 0.", .label = "Hosts that take part", .word = "all"),
    TIME("start", start, 0, 1000 * S, 0, "When it begins, after the start of the run.", .acts = "sender", .label = "Start"),
};

static const struct parameter simgrid_rows[] = {
    OCTETS("chunk", simgrid_chunk, KIB, 64 * MIB, 64 * KIB, "Octets that travel as one SimGrid flow; the sender and other connections learn what happened to them when the flow ends.", .counts = "octets of FPDUs", .acts = "world simgrid", .with = "world", .is = "simgrid"),
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
    {TABLE("topology", NULL, topology_rows), NULL, KEY_POINT, 0},
    {{0}, &llp_parameters, KEY_POINT, offsetof(struct scenario_point, llp)},
    {TABLE("rnic", NULL, adapter_rows), NULL, KEY_POINT, 0},
    {{0}, &rnic_parameters, KEY_POINT, offsetof(struct scenario_point, rnic)},
    {TABLE("rnic", NULL, srq_rows), NULL, KEY_POINT, 0},
    {{0}, &channel_parameters, KEY_POINT, offsetof(struct scenario_point, channel)},
    {TABLE("channel", "last link before each host", channel_rows), NULL, KEY_POINT, 0},
    {TABLE("workload", NULL, workload_rows), NULL, KEY_POINT, 0},
    {TABLE("simgrid", NULL, simgrid_rows), NULL, KEY_POINT, 0},
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

static const char *name_of(const struct parameter_table *table, const struct parameter *p)
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
    return r;
}

static const char *initial_of(const struct parameter *p, const struct value_rules *rules)
{
    if (p->type == VALUE_TEXT)
        return p->word ? p->word : "";
    return written(rules, p->initial);
}

static struct key key_of(const struct parameter_table *table, const struct parameter *p)
{
    struct key key = {.name = name_of(table, p),
                      .rules = rules_of(p),
                      .offset = p->offset,
                      .size = p->size,
                      .argument = p->argument,
                      .label = p->label,
                      .what = p->what,
                      .counts = p->counts,
                      .acts = p->acts ? p->acts : table->acts,
                      .with = p->with,
                      .is = p->is,
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
        *key = key_of(table, &table->rows[i]);
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
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

/* ---- of one workload of several ---- */

static const char loads[] = "workloads.", load[] = "workload", hosts[] = "hosts.";

bool key_names_load(const char *name, char word[KEY_LOAD_NAME_MAX])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (strncmp(name, loads, sizeof loads - 1) != 0)
        return false;
    name += sizeof loads - 1;
    size_t len = strspn(name, others);
    if (len == 0 || len >= KEY_LOAD_NAME_MAX || !strchr(letters, *name) || (name[len] && name[len] != '.'))
        return false;
    memcpy(word, name, len);
    word[len] = 0;
    return true;
}

bool key_is_shared(const struct key *key)
{
    return strcmp(key->name, "workload.consume_rate") == 0;
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
    if (key_names_load(name, word))
        snprintf(plain, KEY_NAME_MAX, "%s%s", load, name + sizeof loads - 1 + strlen(word));
    else if (key_names_hosts(name, word) && name[sizeof hosts - 1 + strlen(word)])
        snprintf(plain, KEY_NAME_MAX, "%s", name + sizeof hosts + strlen(word));
}

const struct key *key_like(const char *name)
{
    char plain[KEY_NAME_MAX];
    const struct key *key = key_find(name);
    plain_name(name, plain);
    if (key || !*plain)
        return key;
    key = key_find(plain);
    bool shared = key && (strncmp(name, hosts, sizeof hosts - 1) == 0 ? key_not_of_hosts(key) != NULL
                                                                      : key_is_shared(key));
    return shared ? NULL : key;
}

struct key key_of_load(const struct key *row, unsigned number)
{
#define MEMBER(of, in)                                                             \
    offsetof(struct scenario_point, of), sizeof(((struct scenario_point *)0)->of), \
        offsetof(struct point_load, in)
    static const struct {
        size_t from, size, to;
    } members[] = {{MEMBER(workload, workload)}, {MEMBER(size_cdf, size_cdf)}, {MEMBER(goal_file, goal_file)},
                   {MEMBER(hosts, hosts)},       {MEMBER(load, load)},         {MEMBER(start, start)}};
#undef MEMBER
    struct key key = *row;
    size_t i = 0;
    while (row->offset < members[i].from || row->offset >= members[i].from + members[i].size)
        i++;
    key.like = row;
    key.load = number;
    key.offset = offsetof(struct scenario_point, load_of) + number * sizeof(struct point_load) +
                 members[i].to + (row->offset - members[i].from);
    return key;
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
    if (strcmp(prefix, "workloads") == 0 || strcmp(prefix, "hosts") == 0 || key_names_hosts(prefix, list))
        return true;
    size_t count, len = strlen(prefix);
    const struct key *keys = keys_all(&count);
    for (size_t i = 0; i < count; i++)
        if (strncmp(keys[i].name, prefix, len) == 0 && keys[i].name[len] == '.')
            return true;
    return false;
}

enum { WORD_MAX = 80 };

/* So many edits are few for a word of this length. */
static size_t few_edits(size_t length)
{
    return 1 + length / 4;
}

/* Edits (insert, delete, replace, swap of neighbours) from a to b; WORD_MAX when one is too long to try, or as soon as it
 * is plain that they are not few for `a`. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), row[3][WORD_MAX + 1], least[2] = {0, 0};
    if (n > WORD_MAX || m > WORD_MAX || m > n + few_edits(n) || n > m + few_edits(n))
        return WORD_MAX;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = least[i % 2] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
            least[i % 2] = best < least[i % 2] ? best : least[i % 2];
        }
        if (least[0] > few_edits(n) && least[1] > few_edits(n)) /* a swap goes back two rows */
            return WORD_MAX;
    }
    return row[n % 3][m];
}

/* Is `d` edits few for a word of this length? */
static bool is_close(size_t d, const char *word)
{
    return d <= few_edits(strlen(word));
}

/* Twice the edits from a wrong name to a known one, or one more than those from its last part to the last part of the
 * known one: in another group. WORD_MAX: far away. */
static size_t closeness(const char *wrong, const char *known)
{
    size_t whole = distance(wrong, known), part = distance(last_part(wrong), last_part(known));
    size_t near = is_close(whole, wrong) ? 2 * whole : WORD_MAX;
    size_t elsewhere = is_close(part, last_part(wrong)) ? 2 * part + 1 : WORD_MAX;
    return near < elsewhere ? near : elsewhere;
}

static const char *suggest_own(const char *wrong, const char *plain)
{
    static char found[KEY_NAME_MAX];
    char word[KEY_LOAD_NAME_MAX];
    const char *near = key_suggest(plain);
    if (near && key_names_load(wrong, word) && strncmp(near, "workload.", 9) == 0)
        snprintf(found, sizeof found, "%s%s%s", loads, word, near + sizeof load - 1);
    else if (near && key_names_hosts(wrong, word))
        snprintf(found, sizeof found, "%s%s.%s", hosts, word, near);
    else
        return NULL;
    return found;
}

const char *key_suggest(const char *wrong)
{
    static char found[WORD_MAX];
    char plain[KEY_NAME_MAX];
    plain_name(wrong, plain);
    if (*plain)
        return suggest_own(wrong, plain);
    size_t count, best = WORD_MAX;
    const struct key *keys = keys_all(&count);
    for (size_t i = 0; i < count; i++)
        for (const char *end = keys[i].name; end;
             end = strchr(end + 1, '.')) { /* its groups, then the key itself */
            char known[WORD_MAX];
            const char *dot = strchr(end + 1, '.');
            snprintf(known, sizeof known, "%.*s", dot ? (int)(dot - keys[i].name) : WORD_MAX, keys[i].name);
            size_t d = closeness(wrong, known);
            if (d < best) {
                best = d;
                memcpy(found, known, sizeof found);
            }
        }
    return best < WORD_MAX ? found : NULL;
}

const char *key_suggest_choice(const struct key *key, const char *wrong)
{
    static char found[WORD_MAX];
    size_t best = WORD_MAX;
    for (size_t i = 0; i < key->rules.choices_end; i++) {
        const char *word = key->rules.choices[i];
        if (!word)
            continue;
        size_t d = distance(wrong, word);
        if (d < best && is_close(d, wrong)) {
            best = d;
            snprintf(found, sizeof found, "%s%s", word, word[strlen(word) - 1] == ':' ? "SIZE" : "");
        }
    }
    return best < WORD_MAX ? found : NULL;
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
