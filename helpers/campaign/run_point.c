/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_point.c -- one point of a scenario, run once (run_point.h). */
#include "helpers/campaign/run_point.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "helpers/base/arguments.h"
#include "helpers/base/environment.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/quote.h"
#include "helpers/campaign/campaign.h"
#include "helpers/scenario/world.h"
#include "helpers/trial/results.h"
#include "helpers/trial/trial_run.h"

bool world_program(enum point_world world, char path[PATH_LONG])
{
    char self[PATH_LONG];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len <= 0)
        return false;
    self[len] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    int used = snprintf(path, PATH_LONG, "%s/%s", self, worlds[world].program);
    return used < PATH_LONG && access(path, X_OK) == 0;
}

/* ---- the files of one point ---- */

enum part { PART_MESSAGES, PART_LATENCY, PART_EARLY, PART_STAGING, PART_SLOWDOWN, PARTS };
static const char *const endings[PARTS] = {[PART_MESSAGES] = ".messages",
                                           [PART_LATENCY] = ".latency",
                                           [PART_EARLY] = ".early",
                                           [PART_STAGING] = ".staging",
                                           [PART_SLOWDOWN] = ".slowdown"};

struct outputs {
    const char *dir; /* NULL: none */
    char id[ID_MAX], label[SCENARIO_LABEL_MAX], pcap[PATH_LONG];
    bool open[PARTS], tracing;
    struct whole_file part[PARTS], trace;
};

static bool cannot_write(const char *path)
{
    fprintf(stderr, "iwarpsim: %s cannot be written: %s\n", path, strerror(errno));
    return false;
}

static bool open_part(struct outputs *x, enum part part)
{
    char path[PATH_LONG];
    file_path(path, x->dir, "points", x->id, endings[part]);
    x->open[part] = file_begin(&x->part[part], path);
    return x->open[part] || cannot_write(path);
}

static bool open_trace(struct outputs *x)
{
    char path[PATH_LONG];
    file_path(path, x->dir, "trace", x->id, ".csv");
    x->tracing = file_begin(&x->trace, path);
    if (x->tracing)
        fputs(trial_columns, x->trace.out);
    return x->tracing || cannot_write(path);
}

static bool make_folders(const struct run_options *o)
{
    static const char *const folders[] = {"points", "trace", "pcap"};
    const bool wanted[] = {true, o->trace, o->pcap};
    for (int i = 0; i < 3; i++) {
        char path[PATH_LONG];
        file_path(path, o->out, "", folders[i], "");
        if (wanted[i] && !make_own_folder(path))
            return cannot_write(path);
    }
    return true;
}

/* ns-3 writes its captures through links. */
static void remove_captures(const struct outputs *x)
{
    char folder[PATH_LONG], prefix[ID_MAX + 2];
    file_path(folder, x->dir, "", "pcap", "");
    snprintf(prefix, sizeof prefix, "%s-h", x->id);
    empty_folder(folder, prefix);
}

static bool open_outputs(struct outputs *x, const struct run_options *o)
{
    x->dir = o->out;
    if (!x->dir)
        return true;
    file_path(x->pcap, x->dir, "pcap", x->id, "");
    if (!make_folders(o))
        return false;
    if (o->pcap)
        remove_captures(x);
    return (!o->messages || open_part(x, PART_MESSAGES)) && open_part(x, PART_LATENCY) &&
           open_part(x, PART_EARLY) && open_part(x, PART_STAGING) && open_part(x, PART_SLOWDOWN) &&
           (!o->trace || open_trace(x));
}

static bool commit_outputs(struct outputs *x)
{
    bool good = true;
    for (int i = 0; i < PARTS; i++)
        good &= !x->open[i] || file_commit(&x->part[i], false) || cannot_write(x->part[i].path);
    good &= !x->tracing || file_commit(&x->trace, false) || cannot_write(x->trace.path);
    return good;
}

static void abandon_outputs(struct outputs *x)
{
    for (int i = 0; i < PARTS; i++)
        if (x->open[i])
            file_abandon(&x->part[i]);
    if (x->tracing)
        file_abandon(&x->trace);
}

static struct trial_files trial_files_of(const struct outputs *x, const struct run_options *o)
{
    return (struct trial_files){.messages = x->open[PART_MESSAGES] ? x->part[PART_MESSAGES].out : NULL,
                                .trace = x->tracing ? x->trace.out : NULL,
                                .latency = x->open[PART_LATENCY] ? x->part[PART_LATENCY].out : NULL,
                                .early = x->open[PART_EARLY] ? x->part[PART_EARLY].out : NULL,
                                .staging = x->open[PART_STAGING] ? x->part[PART_STAGING].out : NULL,
                                .slowdown = x->open[PART_SLOWDOWN] ? x->part[PART_SLOWDOWN].out : NULL,
                                .pcap = o->pcap ? x->pcap : NULL,
                                .label = x->label};
}

/* ---- what is told ---- */

/* The row, turned into lines: name, value, unit. */
static void print_results(const struct scenario *s, size_t index, uint32_t repeat,
                          const struct point_results *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return;
    results_write_head(memory, s);
    results_write_row(memory, s, index, repeat, r);
    fclose(memory);
    char *name = text, *value = strchr(text, '\n') + 1;
    while (*name != '\n') {
        size_t name_len = strcspn(name, ",\n"), value_len = strcspn(value, ",\n");
        char column[128];
        snprintf(column, sizeof column, "%.*s", (int)name_len, name);
        const struct column *c = result_column(column);
        printf("%-22s %.*s%s%s\n", column, (int)value_len, value, c && value_len ? " " : "",
               c && value_len ? c->unit : "");
        name += name_len + (name[name_len] == ',');
        value += value_len + (value[value_len] == ',');
    }
    free(text);
}

static bool write_row(const struct scenario *s, size_t index, const struct outputs *x, uint32_t repeat,
                      const struct point_results *r)
{
    char path[PATH_LONG];
    struct whole_file row;
    file_path(path, x->dir, "points", x->id, ".row");
    if (!file_begin(&row, path))
        return cannot_write(path);
    results_write_row(row.out, s, index, repeat, r);
    return file_commit(&row, false) || cannot_write(path);
}

static bool tell(const struct run_options *o, const struct scenario *s, size_t index, const struct outputs *x,
                 const struct point_results *r)
{
    if (*r->note)
        fprintf(stderr, "iwarpsim: point %s repeat %u: %s: %s\n", x->label, o->repeat,
                status_names[r->status], r->note);
    if (!o->job)
        print_results(s, index, o->repeat, r);
    return !x->dir || write_row(s, index, x, o->repeat, r);
}

/* ---- the run ---- */

static bool write_notes(struct outputs *x, point_annotate *annotate)
{
    char error[SCENARIO_ERROR_MAX];
    if (annotate(x->pcap, error))
        return true;
    fprintf(stderr, "iwarpsim: notes on %s: %s\n", x->label, error);
    abandon_outputs(x);
    return false;
}

static int run_here(const struct run_options *o, const struct scenario *s, size_t index,
                    const struct scenario_point *point, trial_world *run, point_annotate *annotate)
{
    static struct outputs x;
    struct point_results results;
    scenario_label(s, index, x.label);
    point_id(x.id, x.label, o->repeat);
    if (!o->job && o->out && !campaign_claim(s, o))
        return EXIT_INPUT;
    if (!open_outputs(&x, o))
        return EXIT_FAILED;
    struct trial_files files = trial_files_of(&x, o);
    struct trial *t = trial_new(point, &files);
    if (!t) {
        abandon_outputs(&x);
        fputs("iwarpsim: out of memory: fewer hosts, connections or a smaller depth need less\n", stderr);
        return EXIT_FAILED;
    }
    trial_run(t, run, &results);
    trial_free(t);
    if (o->notes && annotate && !write_notes(&x, annotate))
        return EXIT_FAILED;
    return commit_outputs(&x) && tell(o, s, index, &x, &results) ? status_exit(results.status) : EXIT_FAILED;
}

static bool is_ours(enum point_world asked, enum point_world ours)
{
    return asked == ours || (strcmp(worlds[asked].program, worlds[ours].program) == 0);
}

static int run_there(const struct run_options *o, enum point_world world)
{
    char program[PATH_LONG], repeat[16];
    const char **argv = calloc(2 * o->sets_count + 20, sizeof *argv);
    size_t n = 0;
    if (!argv || !world_program(world, program)) {
        fprintf(
            stderr,
            "iwarpsim: the program of world %s is missing: it is built where its simulator is installed\n",
            worlds[world].name);
        free(argv);
        return EXIT_FAILED;
    }
    snprintf(repeat, sizeof repeat, "%u", o->repeat);
    argv[n++] = program;
    if (is_ours(world, WORLD_FABRIC)) /* the command itself */
        argv[n++] = "run";
    argv[n++] = o->file;
    for (size_t i = 0; i < o->sets_count; i++) {
        argv[n++] = "--set";
        argv[n++] = o->sets[i];
    }
    const char *const pairs[][2] = {{"--point", o->point}, {"--repeat", repeat}, {"--out", o->out}};
    for (int i = 0; i < 3; i++)
        if (pairs[i][1]) {
            argv[n++] = pairs[i][0];
            argv[n++] = pairs[i][1];
        }
    const char *const flags[] = {"--pcap", "--trace", "--messages", "--notes", "--job"};
    const bool on[] = {o->pcap, o->trace, o->messages, o->notes, o->job};
    for (int i = 0; i < 5; i++)
        if (on[i])
            argv[n++] = flags[i];
    fflush(NULL);
    execv(program, (char *const *)(uintptr_t)argv);
    fprintf(stderr, "iwarpsim: %s cannot be started: %s\n", program, strerror(errno));
    free(argv);
    return EXIT_FAILED;
}

static struct scenario *open_scenario(const struct run_options *o)
{
    char error[SCENARIO_ERROR_MAX];
    struct scenario *s = scenario_open(o->file, o->sets, o->sets_count, error);
    if (!s)
        fprintf(stderr, "%s\n", error);
    char *name = s && o->job ? campaign_name(o->file) : NULL;
    if (name && name_is_safe(name)) {
        free(s->name);
        s->name = name;
    } else
        free(name);
    return s;
}

static bool pick(const struct run_options *o, const struct scenario *s, size_t *index,
                 struct scenario_point *point)
{
    char error[SCENARIO_ERROR_MAX];
    *index = scenario_find(s, o->point);
    if (*index == s->points) {
        fprintf(stderr, "iwarpsim: %s has no point '%s'; `iwarpsim check` lists them\n", o->file, o->point);
        return false;
    }
    if (!scenario_point(s, *index, o->repeat, point, error)) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    if (o->pcap && (!worlds[point->world].carries_pcap || point->payload != PAYLOAD_REAL)) {
        fputs("iwarpsim: --pcap needs world: fabric or ns3, and payload: real\n", stderr);
        return false;
    }
    return true;
}

/* A finished job need not run again: another process may have done it. */
static bool is_done(const struct run_options *o, const struct scenario *s, size_t index)
{
    char label[SCENARIO_LABEL_MAX], id[ID_MAX], path[PATH_LONG];
    scenario_label(s, index, label);
    point_id(id, label, o->repeat);
    file_path(path, o->out, "points", id, ".row");
    return file_is_whole(path);
}

int run_point(const struct run_options *o, enum point_world world, trial_world *run, point_annotate *annotate)
{
    struct scenario_point point;
    size_t index;
    int status = EXIT_INPUT;
    if (o->job)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct scenario *s = open_scenario(o);
    if (s && pick(o, s, &index, &point)) {
        if (o->job && is_done(o, s, index))
            status = EXIT_DONE;
        else
            status = is_ours(point.world, world) ? run_here(o, s, index, &point, run, annotate)
                                                 : run_there(o, point.world);
    }
    scenario_free(s);
    return status;
}

static const char *simulator = "version unknown";

void world_simulator(const char *name_and_version)
{
    simulator = name_and_version;
}

int world_main(int argc, char **argv, enum point_world world, trial_world *run, point_annotate *annotate)
{
    struct run_options o;
    int status;
    environment_clean();
    if (!arguments_are_plain(argc, argv))
        return EXIT_INPUT;
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts(simulator);
        return EXIT_DONE;
    }
    if (run_options_parse(&o, argc, argv, &status)) {
        if (o.point)
            status = run_point(&o, world, run, annotate);
        else {
            fprintf(stderr, "%s: runs one point: --point P; campaigns are `iwarpsim run`\n", argv[0]);
            status = EXIT_INPUT;
        }
    }
    run_options_free(&o);
    return status;
}
