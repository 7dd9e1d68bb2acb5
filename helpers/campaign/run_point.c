/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_point.c -- one point of a scenario, run once (run_point.h). */
#include "helpers/campaign/run_point.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "helpers/base/built.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/campaign/campaign.h"
#include "helpers/campaign/longer.h"
#include "helpers/campaign/parallel.h"
#include "helpers/campaign/program.h"
#include "helpers/campaign/world_main.h"
#include "helpers/scenario/identity.h"
#include "helpers/trial/results.h"
#include "helpers/trial/trial_run.h"

static const char *simulator = "iwarpsim " IWARPSIM_VERSION;
static bool silent; /* another process speaks */

const char *world_simulator(const char *name_and_version)
{
    return simulator = name_and_version ? name_and_version : simulator;
}

void world_silent(void)
{
    silent = true;
}

/* ---- the files of one point ---- */

/* Written in memory, for they become one file (row.h). */
struct section {
    FILE *out;
    char *octets;
    size_t size;
};

struct outputs {
    const char *dir; /* NULL: none */
    char id[ID_MAX], label[SCENARIO_LABEL_MAX], pcap[PATH_LONG];
    struct section section[ROW_SECTIONS];
    struct columns_out *message_rows, *trace_rows;
    bool telling, tracing, looking[SERIES_TABLES], again; /* again: the run was void */
    bool told;                                            /* the state was */
    uint64_t end;                                         /* of the trial */
    struct whole_file messages, trace, series[SERIES_TABLES];
    struct timespec begun;
};

static const int disk_full[] = {ENOSPC, EDQUOT, EROFS, EFBIG};

/* EXIT_DISK: no other point could write either. */
static int failed_to_write(const char *path)
{
    int why = errno;
    cannot_write(0, "", path);
    for (size_t i = 0; i < sizeof disk_full / sizeof *disk_full; i++)
        if (why == disk_full[i])
            return EXIT_DISK;
    return EXIT_FAILED;
}

static int open_file(struct outputs *x, const char *sub, const char *ending, struct whole_file *f, bool *open)
{
    char path[PATH_LONG];
    file_path(path, x->dir, sub, x->id, ending);
    *open = file_begin(f, path);
    return *open ? EXIT_DONE : failed_to_write(path);
}

static int make_folders(const struct run_options *o)
{
    static const char *const folders[] = {"points", "trace", "pcap", "series"};
    const bool wanted[] = {true, o->trace, o->pcap, o->series};
    for (int i = 0; i < 4; i++) {
        char path[PATH_LONG];
        file_path(path, o->out, "", folders[i], "");
        if (wanted[i] && !make_own_folder(path))
            return failed_to_write(path);
    }
    return EXIT_DONE;
}

/* ns-3 writes its captures through links. */
static int remove_captures(const struct outputs *x)
{
    char folder[PATH_LONG], prefix[ID_MAX + 2];
    file_path(folder, x->dir, "", "pcap", "");
    snprintf(prefix, sizeof prefix, "%s-h", x->id);
    return empty_folder(folder, prefix) ? EXIT_DONE : failed_to_write(folder);
}

static void open_sections(struct outputs *x)
{
    for (int i = 0; i < ROW_SECTIONS; i++)
        x->section[i].out = need(open_memstream(&x->section[i].octets, &x->section[i].size));
}

/* A table that is written row by row; its head, if it is to have one. */
static struct columns_out *open_rows(FILE *out, const struct run_options *o, const struct column_head *head,
                                     unsigned count, bool whole)
{
    if (whole)
        columns_start(out, head, count, !o->columns);
    return need(columns_begin(out, head, count, !o->columns));
}

static int open_messages(struct outputs *x, const struct run_options *o)
{
    int status = open_file(x, "points", ".messages", &x->messages, &x->telling);
    if (status == EXIT_DONE)
        x->message_rows = open_rows(x->messages.out, o, results_message_columns, MESSAGE_COLUMNS, false);
    return status;
}

static int open_trace(struct outputs *x, const struct run_options *o)
{
    int status = open_file(x, "trace", o->columns ? ".cols" : ".csv", &x->trace, &x->tracing);
    if (status == EXIT_DONE)
        x->trace_rows = open_rows(x->trace.out, o, trial_columns, TRACE_COLUMNS, true);
    return status;
}

/* What is left goes to their files. */
static void close_rows(struct outputs *x, const struct run_options *o)
{
    if (x->message_rows)
        columns_flush(x->message_rows);
    if (x->trace_rows) {
        columns_flush(x->trace_rows);
        columns_end(x->trace.out, !o->columns);
    }
}

/* One of its tables, if it is asked for. */
static int open_series(struct outputs *x, const struct run_options *o, int table)
{
    const char *of = o->series_of ? o->series_of : "all", *name = trial_series_names[table];
    char ending[24];
    bool with = table == SERIES_TOTAL && strcmp(of, trial_series_names[SERIES_FLOW]) == 0;
    if (!o->series || (strcmp(of, "all") != 0 && strcmp(of, name) != 0 && !with))
        return EXIT_DONE;
    snprintf(ending, sizeof ending, ".%s.csv", name);
    int status = open_file(x, "series", ending, &x->series[table], &x->looking[table]);
    if (status == EXIT_DONE)
        fputs(trial_series_columns[table], x->series[table].out);
    return status;
}

static int open_outputs(struct outputs *x, const struct run_options *o)
{
    int status = EXIT_DONE;
    x->dir = o->out;
    clock_gettime(CLOCK_MONOTONIC, &x->begun);
    if (!x->dir)
        return EXIT_DONE;
    file_path(x->pcap, x->dir, "pcap", x->id, "");
    open_sections(x);
    if (!o->job || o->trace || o->pcap || o->series)
        status = make_folders(o);
    if (status == EXIT_DONE && o->pcap)
        status = remove_captures(x);
    if (status == EXIT_DONE && o->messages)
        status = open_messages(x, o);
    if (status == EXIT_DONE && o->trace)
        status = open_trace(x, o);
    for (int i = 0; status == EXIT_DONE && i < SERIES_TABLES; i++)
        status = open_series(x, o, i);
    return status;
}

static int commit_file(struct whole_file *f, bool *open)
{
    bool was = *open;
    *open = false;
    return !was || file_commit(f, false) ? EXIT_DONE : failed_to_write(f->path);
}

static void close_outputs(struct outputs *x)
{
    for (int i = 0; i < ROW_SECTIONS; i++) {
        if (x->section[i].out)
            fclose(x->section[i].out);
        free(x->section[i].octets);
    }
    columns_free(x->message_rows);
    columns_free(x->trace_rows);
    if (x->telling)
        file_abandon(&x->messages);
    if (x->tracing)
        file_abandon(&x->trace);
    for (int i = 0; i < SERIES_TABLES; i++)
        if (x->looking[i])
            file_abandon(&x->series[i]);
}

static struct trial_files trial_files_of(const struct outputs *x, const struct run_options *o)
{
    struct trial_files files = {.messages = x->message_rows,
                                .trace = x->trace_rows,
                                .interval = o->interval,
                                .state = o->state ? stdout : NULL,
                                .state_at = o->state_at,
                                .latency = x->section[ROW_LATENCY].out,
                                .early = x->section[ROW_EARLY].out,
                                .staging = x->section[ROW_STAGING].out,
                                .slowdown = x->section[ROW_SLOWDOWN].out,
                                .links = o->links ? x->section[ROW_LINKS].out : NULL,
                                .flows = o->flows ? x->section[ROW_FLOWS].out : NULL,
                                .workloads = x->section[ROW_WORKLOADS].out,
                                .pcap = o->pcap ? x->pcap : NULL,
                                .threads = o->parallel[PARALLEL_THREADS] ? o->parallel[PARALLEL_THREADS] : 1,
                                .label = x->label};
    for (int i = 0; i < SERIES_TABLES; i++)
        files.series[i] = x->looking[i] ? x->series[i].out : NULL;
    return files;
}

/* ---- what is told ---- */

/* The row, turned into lines: name, value, unit. */
static void print_results(const struct scenario *s, size_t index, uint32_t repeat,
                          const struct point_results *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = need(open_memstream(&text, &size));
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

static double seconds_of(const struct timeval *t)
{
    return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

static void write_rate(FILE *out, uint64_t count, double seconds)
{
    if (count == 0)
        fputs(",,", out);
    else
        fprintf(out, ",%llu,%.0f", (unsigned long long)count, seconds > 0 ? (double)count / seconds : 0);
}

static double wall_since(const struct timespec *begun)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begun->tv_sec) + 1e-9 * (double)(now.tv_nsec - begun->tv_nsec);
}

/* What this process took, from its start on. */
static void write_cost(const struct outputs *x, const struct run_options *o, const struct point_results *r,
                       FILE *out)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    double wall = wall_since(&x->begun);
    double cpu = seconds_of(&u.ru_utime) + seconds_of(&u.ru_stime);
    csv_cell(out, x->label);
    fprintf(out, ",%u,%.4f,%.4f,%llu", o->repeat, cpu, wall, 1024 * (unsigned long long)u.ru_maxrss);
    write_rate(out, r->counted.events, cpu);
    write_rate(out, r->counted.packet_hops, cpu);
    putc('\n', out);
}

static void fill_row(struct outputs *x, struct row *row)
{
    for (int i = 0; i < ROW_SECTIONS; i++) {
        need(fclose(x->section[i].out) == 0 ? x->section[i].octets : NULL);
        x->section[i].out = NULL;
        row->section[i].octets = x->section[i].octets;
        row->section[i].size = x->section[i].size;
    }
}

static int write_point_row(const struct scenario *s, size_t index, struct outputs *x,
                           const struct run_options *o, const struct point_results *r)
{
    char path[PATH_LONG];
    struct row row = {.text = NULL};
    struct whole_file f;
    file_path(path, x->dir, "points", x->id, ".row");
    results_write_row(x->section[ROW_LINE].out, s, index, o->repeat, r);
    write_cost(x, o, r, x->section[ROW_COST].out);
    snprintf(row.commit, sizeof row.commit, "%s", built_commit);
    snprintf(row.simulator, sizeof row.simulator, "%s", simulator);
    snprintf(row.status, sizeof row.status, "%s", status_names[r->status]);
    fill_row(x, &row);
    scenario_identity(s, index, o->repeat, row.identity);
    if (!file_begin(&f, path))
        return failed_to_write(path);
    if (row_write(&row, f.out))
        return file_commit(&f, false) ? EXIT_DONE : failed_to_write(path);
    int status = failed_to_write(path);
    file_abandon(&f);
    return status;
}

/* ---- the run ---- */

static bool write_notes(const struct outputs *x, point_annotate *annotate)
{
    char error[SCENARIO_ERROR_MAX];
    return annotate(x->pcap, error) || complain(false, "", "notes on %s: %s", x->label, error);
}

/* The row comes last, for it says that the others are there. */
static int keep_outputs(struct outputs *x, const struct run_options *o, const struct scenario *s,
                        size_t index, const struct point_results *r)
{
    close_rows(x, o);
    int status = commit_file(&x->messages, &x->telling);
    if (status == EXIT_DONE)
        status = commit_file(&x->trace, &x->tracing);
    for (int i = 0; status == EXIT_DONE && i < SERIES_TABLES; i++)
        status = commit_file(&x->series[i], &x->looking[i]);
    return status == EXIT_DONE && x->dir ? write_point_row(s, index, x, o, r) : status;
}

/* What a run that is void wrote is gone. */
static int begin_again(struct outputs *x)
{
    if (x->telling) {
        columns_forget(x->message_rows);
        if (fseeko(x->messages.out, 0, SEEK_SET) != 0 || ftruncate(fileno(x->messages.out), 0) != 0)
            return failed_to_write(x->messages.path);
    }
    for (int i = 0; i < ROW_SECTIONS; i++)
        if (x->section[i].out)
            rewind(x->section[i].out);
    return EXIT_DONE;
}

static int out_of_memory(void)
{
    return complain(EXIT_FAILED, "", "out of memory: fewer hosts, connections or a smaller depth need less");
}

/* Again in one piece when parts ran beyond the end. */
static int run_once(struct outputs *x, const struct run_options *o, const struct scenario_point *point,
                    trial_world *run, struct point_results *results)
{
    struct trial_files files = trial_files_of(x, o);
    bool again = true;
    int status = EXIT_DONE;
    while (again && status == EXIT_DONE) {
        struct trial *t = trial_new(point, &files);
        if (!t)
            return out_of_memory();
        trial_run(t, run, results);
        x->again = trial_is_void(t);
        x->told = trial_told_state(t);
        x->end = trial_end(t);
        again = x->again && !o->piece;
        trial_free(t);
        files.threads = 0;
        if (again) {
            complain(0, "", "point %s repeat %u: run again in one piece: parts of it ran beyond its end",
                     x->label, o->repeat);
            status = begin_again(x);
        }
    }
    return status;
}

/* The state is all that was asked for. */
static int end_state(const struct outputs *x, const struct run_options *o, const struct point_results *r)
{
    char us[40];
    if (x->told)
        return file_is_written(stdout) ? EXIT_DONE : cannot_write(EXIT_FAILED, "", "stdout");
    value_decimal(x->end, 6, us, sizeof us);
    return complain(EXIT_INPUT, "", "--at %s is after the end of the run, which was at %s us (%s%s%s)", o->at,
                    us, status_names[r->status], *r->note ? ": " : "", r->note);
}

static int run_trial(struct outputs *x, const struct run_options *o, const struct scenario *s, size_t index,
                     const struct scenario_point *point, trial_world *run, point_annotate *annotate,
                     struct longer *longer)
{
    struct point_results results;
    int status = run_once(x, o, point, run, &results);
    if (status != EXIT_DONE)
        return status;
    if (o->state)
        return end_state(x, o, &results);
    if (longer && longer_again(longer, o, index, point, &results, x->end, wall_since(&x->begun)))
        return EXIT_AGAIN;
    if (o->piece && (silent || x->again))
        return silent ? EXIT_DONE : EXIT_AGAIN;
    if (o->notes && annotate && !write_notes(x, annotate))
        return EXIT_FAILED;
    if (*results.note)
        complain(0, "", "point %s repeat %u: %s: %s", x->label, o->repeat, status_names[results.status],
                 results.note);
    if (!o->job)
        print_results(s, index, o->repeat, &results);
    status = keep_outputs(x, o, s, index, &results);
    return status == EXIT_DONE ? status_exit(results.status) : status;
}

/* What is asked for of one point. */
struct job {
    const struct run_options *o;
    const struct scenario *s;
    size_t index;
    trial_world *run;
    point_annotate *annotate;
};

/* It may be longer than the scenario says. */
static int run_length(void *context, const struct scenario_point *point, struct longer *longer)
{
    static struct outputs x;
    const struct job *job = context;
    memset(&x, 0, sizeof x);
    scenario_label(job->s, job->index, x.label);
    point_id(x.id, x.label, job->o->repeat);
    int status = open_outputs(&x, job->o);
    if (status == EXIT_DONE)
        status = run_trial(&x, job->o, job->s, job->index, point, job->run, job->annotate, longer);
    close_outputs(&x);
    return status;
}

int run_in_process(const struct run_options *o, const struct scenario *s, size_t index,
                   const struct scenario_point *point, trial_world *run, point_annotate *annotate)
{
    char label[SCENARIO_LABEL_MAX];
    struct run_options mine = *o;
    struct scenario_point patient = *point;
    struct job job = {&mine, s, index, run, annotate};
    scenario_label(s, index, label);
    if (!o->job && !o->piece && o->out && !campaign_claim(s, o))
        return EXIT_INPUT;
    int status = parallel_run(o, index, label);
    if (status != EXIT_AGAIN)
        return status;
    if (silent) {
        mine.out = NULL;
        mine.messages = false;
        patient.limit.wall = IW_NEVER;
    }
    return point->measure.until_enough && !o->state ? longer_run(o, index, point, run_length, &job)
                                                    : run_length(&job, &patient, NULL);
}
