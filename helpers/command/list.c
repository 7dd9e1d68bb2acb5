/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.c -- iwarpsim list: what there is. */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/built.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/quote.h"
#include "helpers/campaign/program.h"
#include "helpers/command.h"
#include "helpers/scenario/binding.h"
#include "helpers/scenario/delay_file.h"
#include "helpers/scenario/fates_file.h"
#include "helpers/scenario/goal_file.h"
#include "helpers/scenario/keys.h"
#include "helpers/scenario/matrix_file.h"
#include "helpers/scenario/platform_file.h"
#include "helpers/scenario/scenario.h"
#include "helpers/scenario/size_mix.h"
#include "helpers/scenario/topology_file.h"
#include "helpers/scenario/world.h"
#include "llp/packet.h"

static const char list_help[] =
    "usage: iwarpsim list [ADAPTER]\n\nPrints the workloads, worlds, adapters, packet transports, "
    "message-size mixes and "
    "shipped scenarios; or the "
    "numbers of one\nadapter that differ from `ideal`, each with its range (low, likely, high), its grade "
    "and its "
    "source:\n\n"
    "  maker     stated, published or programmed by its maker\n"
    "  others    published by someone who measured it and does not sell it\n"
    "  derived   follows from such a number or from a standard\n"
    "  fitted    chosen so that the model gives a measured or stated total\n"
    "  guess     plausible, no more; where nobody says how far off it may be, low is half and high twice\n\n"
    "`iwarpsim run FILE --uncertain` draws what the ranges leave open.\n";

static void list_workloads(void)
{
    puts("workloads (workload.kind)");
    for (enum workload_kind kind = WORKLOAD_NO_KIND + 1; kind < WORKLOAD_KINDS; kind++)
        printf("  %-18s %s\n", workload_kind_name(kind), workload_kind_what(kind));
}

static void list_worlds(void)
{
    puts("\nworlds (world)");
    for (int w = WORLD_FIRST; w < WORLDS; w++) {
        char program[PATH_LONG];
        bool here = world_program((enum point_world)w, program);
        printf("  %-12s %s%s\n", worlds[w].name, worlds[w].what, here ? "" : " (not built here)");
    }
}

static void list_presets(void)
{
    puts("\nadapters (rnic.preset)");
    for (unsigned i = 0; i < rnic_presets_count; i++)
        printf("  %-12s %s\n", rnic_presets[i].name, rnic_presets[i].what);
}

static void list_transports(void)
{
    puts("\npacket transports (llp.recovery): octets after the IP header of a packet, of an answer");
    for (int i = PACKET_GO_BACK_N; i < PACKET_RECOVERIES; i++) {
        const struct packet_charge *c = packet_charge_of((enum packet_recovery)i);
        printf("  %-12s %u, %u (%s: %s)\n", c->name, c->data, c->answer, c->grade, c->source);
    }
}

static const struct key *key_of_fact(const struct rnic_fact *f)
{
    char name[64];
    snprintf(name, sizeof name, "rnic.%s", f->name);
    return key_find(name);
}

static void list_value(const struct key *key, uint64_t n)
{
    char text[VALUE_TEXT_MAX];
    struct value v = {.type = key->rules.type, .n = n};
    value_write(&v, &key->rules, text, sizeof text);
    printf(" %-10s", text);
}

/* One line for each number of a preset that is its own: key, range, grade, source. */
static void list_facts(const struct rnic_preset *preset)
{
    printf("%s: %s\n", preset->name, preset->what);
    if (preset->facts->name)
        printf("  %-24s %-10s %-10s %-10s %-8s source\n", "key", "low", "likely", "high", "grade");
    for (const struct rnic_fact *f = preset->facts; f->name; f++) {
        const struct key *key = key_of_fact(f);
        printf("  %-24s", key->name);
        list_value(key, f->low);
        list_value(key, f->value);
        list_value(key, f->high);
        printf(" %-8s %s\n", rnic_grade_name(f->grade), f->source);
    }
}

/* Small Writes on one connection: what binds them, and what the ranges leave open. */
static void list_message_rate(unsigned preset)
{
    enum { SMALL = 64, DRAWS = 1000 };
    struct scenario_conf conf;
    struct scenario_point p;
    struct scenario_binding likely = {NULL, NULL, 0}, b;
    double low = 0, high = 0;
    keys_defaults(&p, &conf);
    p.workload.kind = WORKLOAD_stream;
    p.workload.op = WORKLOAD_WRITE;
    p.workload.size = SMALL;
    p.workload.connections = 1;
    for (uint32_t draw = 0; draw <= DRAWS; draw++) {
        p.draw = draw;
        keys_preset(&p, rnic_presets[preset].name);
        scenario_slowest_part(&p, &b);
        likely = draw ? likely : b;
        low = draw == 0 || b.gbps < low ? b.gbps : low;
        high = draw == 0 || b.gbps > high ? b.gbps : high;
    }
    if (likely.fact)
        printf("\n%u-octet Writes, one connection: %.3g million messages a second, bounded by rnic.%s "
               "(%s)%s; %.3g to %.3g "
               "within the ranges\n",
               SMALL, likely.gbps * 1e3 / (8 * SMALL), likely.name, rnic_grade_name(likely.fact->grade),
               likely.fact->grade == RNIC_GUESS ? ": that of the adapter is unknown" : "",
               low * 1e3 / (8 * SMALL), high * 1e3 / (8 * SMALL));
}

static int list_adapter(const char *name)
{
    for (unsigned i = 0; i < rnic_presets_count; i++)
        if (strcmp(rnic_presets[i].name, name) == 0) {
            list_facts(&rnic_presets[i]);
            list_message_rate(i);
            return EXIT_DONE;
        }
    fputs("iwarpsim list: ", stderr);
    quote_terminal(stderr, name);
    fputs(" is not an adapter; the adapters are", stderr);
    for (unsigned i = 0; i < rnic_presets_count; i++)
        fprintf(stderr, "%s %s", i ? "," : "", rnic_presets[i].name);
    fputc('\n', stderr);
    return EXIT_INPUT;
}

static void tell_mix(const char *folder, const char *name, char *error)
{
    const struct size_mix *m = size_mix_find(folder, name, error);
    if (m)
        printf("  %-18s mean %.0f octets, largest %u\n", name, m->mean, m->sizes[m->count - 1].octets);
}

static void tell_path(const char *folder, const char *name, char *error)
{
    const struct fates_file *f = fates_file_find(folder, name, error);
    if (f) {
        printf("  %-18s ", name);
        fates_count_write(&f->count, stdout);
        putchar('\n');
    }
}

static void tell_delays(const char *folder, const char *name, char *error)
{
    char least[40], longest[40];
    const struct delay_file *f = delay_file_find(folder, name, error);
    if (!f)
        return;
    value_decimal(f->entry[0].time, 6, least, sizeof least);
    value_decimal(f->entry[f->count - 1].time, 6, longest, sizeof longest);
    printf("  %-18s delays from %s to %s us\n", name, least, longest);
}

static void tell_schedule(const char *folder, const char *name, char *error)
{
    const struct goal_file *f = goal_file_find(folder, name, error);
    if (f)
        printf("  %-18s %u ranks, %u operations, %llu messages, %llu octets\n", name, f->goal->ranks,
               f->goal->ops, (unsigned long long)f->goal->sends, (unsigned long long)f->goal->octets);
}

static void tell_matrix(const char *folder, const char *name, char *error)
{
    const struct matrix_file *f = matrix_file_find(folder, name, error);
    if (f)
        printf("  %-18s %u hosts, %u flows, %u triggers, %llu octets\n", name, f->matrix->hosts,
               f->matrix->messages, f->matrix->triggers, (unsigned long long)f->matrix->octets);
}

static void tell_network(const char *folder, const char *name, char *error)
{
    const struct topology_file *t = topology_file_find(folder, name, error);
    if (t)
        printf("  %-18s %u hosts, %u switches, %u links\n", name, t->hosts, t->switches, t->links);
}

static void tell_platform(const char *folder, const char *name, char *error)
{
    const struct platform_file *p = platform_file_find(folder, name, error);
    if (p)
        printf("  %-18s %u hosts, a platform of SimGrid (topology.kind: platform)\n", name, p->hosts);
}

static void tell_scenario(const char *folder, const char *name, char *error)
{
    char path[PATH_LONG];
    file_path(path, folder, "", name, "");
    struct scenario *s = scenario_open(path, NULL, 0, error);
    printf("  %s: %s\n", path, s ? s->conf.title : error);
    scenario_free(s);
}

/* Files that scenarios may name, and scenarios. */
static const struct {
    const char *title, *room, *ending; /* title NULL: that of the row above */
    void (*tell)(const char *folder, const char *name, char *error);
    bool always; /* say it where there are none */
} shipped[] = {{"message sizes (workload.size.cdf)", "scenarios/sizes", ".cdf", tell_mix, false},
               {"schedules (workload.file)", "scenarios/schedules", ".goal", tell_schedule, false},
               {"connection matrices (workload.matrix)", "scenarios/matrices", ".cm", tell_matrix, false},
               {"networks (topology.file)", "scenarios/topologies", ".yaml", tell_network, false},
               {NULL, "scenarios/topologies", ".xml", tell_platform, false},
               {"paths (channel.trace.file)", "scenarios/paths", ".fates", tell_path, false},
               {"delays (channel.delay.cdf)", "scenarios/paths", ".delays", tell_delays, false},
               {"scenarios", "scenarios", ".yaml", tell_scenario, true}};

static void list_shipped(size_t kind)
{
    char folder[PATH_LONG], error[SCENARIO_ERROR_MAX], **names;
    if (shipped[kind].title)
        printf("\n%s\n", shipped[kind].title);
    if (!shipped_path(folder, shipped[kind].room, shipped[kind].room)) {
        if (shipped[kind].always)
            printf("  none here or in %s/%s\n", built_datadir, shipped[kind].room);
        return;
    }
    size_t count = files_in(folder, shipped[kind].ending, &names);
    for (size_t i = 0; i < count; i++) {
        shipped[kind].tell(folder, names[i], error);
        free(names[i]);
    }
    free(names);
}

int command_list(int argc, char **argv)
{
    if (argc == 2 && *argv[1] != '-')
        return list_adapter(argv[1]);
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(list_help, stdout);
        return EXIT_DONE;
    }
    if (argc > 1)
        return argument_wrong("list", "one adapter at a time, and no options, not", argv[argc - 1]);
    list_workloads();
    list_worlds();
    list_presets();
    list_transports();
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++)
        list_shipped(i);
    return EXIT_DONE;
}
