/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.c -- iwarpsim list: what there is. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/built.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/quote.h"
#include "helpers/campaign/run_point.h"
#include "helpers/command.h"
#include "helpers/scenario/fates_file.h"
#include "helpers/scenario/keys.h"
#include "helpers/scenario/platform_file.h"
#include "helpers/scenario/scenario.h"
#include "helpers/scenario/size_mix.h"
#include "helpers/scenario/topology_file.h"
#include "helpers/scenario/world.h"

static const char list_help[] =
    "usage: iwarpsim list [ADAPTER]\n\nPrints the workloads, worlds, adapters, message-size mixes and "
    "shipped scenarios; or the "
    "numbers of one\nadapter that differ from `ideal`, each with its grade and source.\n\n"
    "  measured  published by someone who measured it and does not sell it\n"
    "  vendor    stated or published by its maker\n"
    "  fitted    chosen so that the model gives a measured or stated total\n"
    "  guess     plausible, no more\n";

static void list_workloads(void)
{
#define ROW(name, what) {#name, what},
    static const struct {
        const char *name, *what;
    } rows[] = {WORKLOAD_TABLE(ROW)};
#undef ROW
    puts("workloads (workload.kind)");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("  %-18s %s\n", rows[i].name, rows[i].what);
}

static void list_worlds(void)
{
    puts("\nworlds (world)");
    for (int w = 0; w < WORLDS; w++) {
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

/* One line for each number of a preset that is its own: key, value, grade, source. */
static void list_facts(const struct rnic_preset *preset)
{
    struct scenario_point p = {0};
    printf("%s: %s\n", preset->name, preset->what);
    rnic_preset_load(&p.rnic, preset);
    for (const struct rnic_fact *f = preset->facts; f->name; f++) {
        char name[64], text[VALUE_TEXT_MAX];
        struct value v;
        snprintf(name, sizeof name, "rnic.%s", f->name);
        const struct key *key = key_find(name);
        key_load(key, &p, &v);
        value_write(&v, &key->rules, text, sizeof text);
        printf("  %-24s %-10s %-9s %s\n", name, text, rnic_grade_name(f->grade), f->source);
    }
}

static int list_adapter(const char *name)
{
    for (unsigned i = 0; i < rnic_presets_count; i++)
        if (strcmp(rnic_presets[i].name, name) == 0) {
            list_facts(&rnic_presets[i]);
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

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends_with(const char *name, const char *ending)
{
    size_t len = strlen(name), end = strlen(ending);
    return len > end && strcmp(name + len - end, ending) == 0;
}

static void list_scenario(const char *folder, const char *name)
{
    char path[PATH_LONG], error[SCENARIO_ERROR_MAX];
    file_path(path, folder, "", name, "");
    struct scenario *s = scenario_open(path, NULL, 0, error);
    printf("  %s: %s\n", path, s ? s->conf.title : error);
    scenario_free(s);
}

/* The names in a folder with this ending, sorted; how many. */
static size_t find_files(const char *folder, const char *ending, char ***names)
{
    size_t count = 0;
    DIR *dir = opendir(folder);
    *names = NULL;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char **more = ends_with(e->d_name, ending) ? realloc(*names, (count + 1) * sizeof *more) : NULL;
        if (!more)
            continue;
        *names = more;
        more[count++] = strdup(e->d_name);
    }
    if (dir)
        closedir(dir);
    if (count)
        qsort(*names, count, sizeof **names, by_name);
    return count;
}

static void list_scenarios(void)
{
    char folder[PATH_LONG], **names;
    puts("\nscenarios");
    if (!shipped_path(folder, "scenarios", "scenarios")) {
        printf("  none here or in %s/scenarios\n", built_datadir);
        return;
    }
    size_t count = find_files(folder, ".yaml", &names);
    for (size_t i = 0; i < count; i++) {
        list_scenario(folder, names[i]);
        free(names[i]);
    }
    free(names);
}

static void list_mixes(void)
{
    char folder[PATH_LONG], error[SIZE_MIX_ERROR_MAX], **names;
    puts("\nmessage sizes (workload.size.cdf)");
    if (!shipped_path(folder, "scenarios/sizes", "scenarios/sizes"))
        return;
    size_t count = find_files(folder, ".cdf", &names);
    for (size_t i = 0; i < count; i++) {
        const struct size_mix *m = size_mix_find(folder, names[i], error);
        if (m)
            printf("  %-18s mean %.0f octets, largest %u\n", names[i], m->mean,
                   m->sizes[m->count - 1].octets);
        free(names[i]);
    }
    free(names);
}

static void list_paths(void)
{
    char folder[PATH_LONG], error[FATES_FILE_ERROR_MAX], **names;
    puts("\npaths (channel.trace.file)");
    if (!shipped_path(folder, "scenarios/paths", "scenarios/paths"))
        return;
    size_t count = find_files(folder, ".fates", &names);
    for (size_t i = 0; i < count; i++) {
        const struct fates_file *f = fates_file_find(folder, names[i], error);
        if (f) {
            printf("  %-18s ", names[i]);
            fates_count_write(&f->count, stdout);
            putchar('\n');
        }
        free(names[i]);
    }
    free(names);
}

static void list_platforms(const char *folder)
{
    char error[SCENARIO_ERROR_MAX], **names;
    size_t count = find_files(folder, ".xml", &names);
    for (size_t i = 0; i < count; i++) {
        const struct platform_file *p = platform_file_find(folder, names[i], error);
        if (p)
            printf("  %-18s %u hosts, a platform of SimGrid (topology.kind: platform)\n", names[i], p->hosts);
        free(names[i]);
    }
    free(names);
}

static void list_topologies(void)
{
    char folder[PATH_LONG], error[SCENARIO_ERROR_MAX], **names;
    puts("\nnetworks (topology.file)");
    if (!shipped_path(folder, "scenarios/topologies", "scenarios/topologies"))
        return;
    size_t count = find_files(folder, ".yaml", &names);
    for (size_t i = 0; i < count; i++) {
        const struct topology_file *t = topology_file_find(folder, names[i], error);
        if (t)
            printf("  %-18s %u hosts, %u switches, %u links\n", names[i], t->hosts, t->switches, t->links);
        free(names[i]);
    }
    free(names);
    list_platforms(folder);
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
    list_mixes();
    list_topologies();
    list_paths();
    list_scenarios();
    return EXIT_DONE;
}
