/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.c -- iwarpsim run: a scenario's points, each in a process of its own.
 *
 * Workers (worker.h) take batches of them. On this machine they are started here, as many at a time as there are jobs; on others
 * GNU parallel starts them from a list of batches and keeps its log. Either way the process of a point writes its row at its end, and that row alone says
 * that its point is done: whatever is killed, the next run goes on from the rows that are there.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/list.h"
#include "helpers/base/process.h"
#include "helpers/base/quote.h"
#include "helpers/campaign/campaign.h"
#include "helpers/campaign/enough.h"
#include "helpers/campaign/parallel.h"
#include "helpers/campaign/program.h"
#include "helpers/campaign/short_runs.h"
#include "helpers/campaign/worker.h"
#include "helpers/campaign/world_main.h"
#include "helpers/command.h"
#include "helpers/scenario/binding.h"
#include "helpers/scenario/world.h"
#include "helpers/story/notes.h"
#include "helpers/trial/results.h"
#include "helpers/world/fabric/world_fabric.h"

enum { HELPLESS = 2 };                             /* rounds in which no run was done */
enum { SOON = 100, TICK_MS = 10, LOOK_MS = 1000 }; /* waits of 1 ms at first; between looks, at least */

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

struct runner {
    struct campaign c;
    char program[PATH_LONG];
    unsigned jobs;
    struct timespec start;
    size_t done_before;
    bool few;                   /* some point has too few messages for a 99th percentile */
    struct worker_batch *batch; /* what workers take */
    size_t batches;
    bool disk_full;
    char logins[PATH_LONG]; /* file of GNU parallel, absolute; empty: none */
    int *how;               /* of each batch: exit code, or minus the signal */
};

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* ---- progress ---- */

static void time_left(double seconds, char *text, size_t size)
{
    if (seconds < 90)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 5400)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.1f h", seconds / 3600);
}

static void show_progress(struct runner *r)
{
    size_t done = r->c.done_count - r->done_before, left = r->c.mine - r->c.done_count;
    char text[32] = "?";
    if (!isatty(STDERR_FILENO))
        return;
    if (done)
        time_left(seconds_since(&r->start) / (double)done * (double)left, text, sizeof text);
    fprintf(stderr, "\r%zu of %zu runs, %s left   ", r->c.done_count, r->c.mine, text);
    if (!left)
        fputs("\r\033[K", stderr);
}

static void watch_runs(struct runner *r)
{
    campaign_update(&r->c);
    show_progress(r);
}

/* ---- one process ---- */

static int how_it_ended(int status)
{
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* While processes run: the folder is looked at now and then, a fiftieth of the time at most. */
struct wait {
    struct timespec looked;
    double pause;
    long ticks;
};

static struct wait wait_start(void)
{
    struct wait w = {.pause = LOOK_MS / 1e3};
    clock_gettime(CLOCK_MONOTONIC, &w.looked);
    return w;
}

static void wait_tick(struct runner *r, struct wait *w)
{
    wait_ms(w->ticks++ < SOON ? 1 : TICK_MS); /* short jobs are not kept waiting */
    if (seconds_since(&w->looked) < w->pause)
        return;
    clock_gettime(CLOCK_MONOTONIC, &w->looked);
    watch_runs(r);
    w->pause = LOOK_MS / 1e3 + 50 * seconds_since(&w->looked);
}

/* How a process ends, which is killed when this one is interrupted. */
static int wait_for_child(struct runner *r, pid_t child)
{
    struct wait w = wait_start();
    int status;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (interrupted)
            kill(child, SIGKILL);
        wait_tick(r, &w);
    }
    return how_it_ended(status);
}

/* Start a job behind `fronts` words, in the folder of the campaign, whose name GNU parallel thus never reads. -1: it could not be. */
static pid_t start_job(struct runner *r, const char *const *front, size_t fronts, const char *batch)
{
    struct run_options job = *r->c.o;
    job.file = "scenario.yaml";
    job.out = ".";
    job.sets_count = 0;
    job.point = NULL;
    job.job = true;
    job.batch = batch;
    const char **words = run_options_words(&job, front, fronts);
    pid_t child = words ? process_start(words, r->c.dir, -1) : -1;
    free(words);
    return child;
}

static bool is_pending(const struct runner *r, size_t run)
{
    return !r->c.done[run] && campaign_is_mine(&r->c, run);
}

/* ---- batches ---- */

enum { BATCH_MAX = 1000 };

static size_t count_pending(const struct runner *r, enum point_world world)
{
    size_t count = 0;
    for (size_t i = 0; i < r->c.runs; i++)
        count += is_pending(r, i) && scenario_world(r->c.s, i / r->c.s->conf.repeat) == world;
    return count;
}

/* Of `left` runs: large batches first, single runs at the end, so that no worker is late. */
static size_t batch_size(size_t left, unsigned jobs)
{
    size_t size = left / (2 * (size_t)jobs);
    return size < 1 ? 1 : size > BATCH_MAX ? BATCH_MAX : size;
}

static bool add_batch(struct runner *r, enum point_world world, size_t first, size_t last)
{
    struct worker_batch *more = list_grow(r->batch, r->batches, sizeof *more);
    if (!more)
        return false;
    r->batch = more;
    r->batch[r->batches++] = (struct worker_batch){world, first, last};
    return true;
}

static bool batches_of(struct runner *r, enum point_world world)
{
    size_t left = count_pending(r, world), size = 0, first = 0;
    for (size_t i = 0; left && i < r->c.runs; i++) {
        if (!is_pending(r, i) || scenario_world(r->c.s, i / r->c.s->conf.repeat) != world) {
            if (r->c.enough && size && !add_batch(r, world, first, i - 1)) /* what is not taken is not run */
                return false;
            left -= r->c.enough ? size : 0;
            size = r->c.enough ? 0 : size;
            continue;
        }
        first = size++ ? first : i;
        if (size < batch_size(left, r->jobs))
            continue;
        if (!add_batch(r, world, first, i))
            return false;
        left -= size;
        size = 0;
    }
    return true;
}

/* All pending runs, in batches of one world each; with one job each world is one batch. */
static bool make_batches(struct runner *r)
{
    bool good = true;
    r->batches = 0;
    for (int w = WORLD_FIRST; good && w < WORLDS; w++)
        if (r->jobs > 1 || *r->logins || r->c.enough)
            good = batches_of(r, (enum point_world)w);
        else if (count_pending(r, (enum point_world)w))
            good = add_batch(r, (enum point_world)w, 0, r->c.runs - 1);
    free(r->how);
    r->how = calloc(r->batches + 1, sizeof *r->how);
    return good && r->how;
}

static void batch_words(const struct worker_batch *b, char text[64])
{
    snprintf(text, 64, "%s:%zu-%zu", worlds[b->world].name, b->first, b->last);
}

/* ---- workers on this machine ---- */

struct worker {
    pid_t child; /* 0: none */
    size_t batch;
};

static void start_worker(struct runner *r, struct worker *w, size_t batch)
{
    char words[64];
    batch_words(&r->batch[batch], words);
    *w = (struct worker){start_job(r, (const char *const[]){r->program, "run"}, 2, words), batch};
    if (w->child > 0)
        return;
    r->how[batch] = PROCESS_MISSING;
    w->child = 0;
}

static void hear_worker(struct runner *r, struct worker *w)
{
    int status;
    if (interrupted)
        kill(w->child, SIGKILL);
    if (waitpid(w->child, &status, WNOHANG) == 0)
        return;
    r->how[w->batch] = how_it_ended(status);
    r->disk_full |= r->how[w->batch] == EXIT_DISK;
    w->child = 0;
}

/* Each takes the next batch when its own is done; when the disk is full none takes another. */
static bool run_workers(struct runner *r)
{
    struct worker *worker = need(calloc(r->jobs, sizeof *worker));
    struct wait wait = wait_start();
    size_t next = 0, busy;
    do {
        busy = 0;
        for (unsigned i = 0; i < r->jobs; i++) {
            if (worker[i].child)
                hear_worker(r, &worker[i]);
            if (!worker[i].child && next < r->batches && !interrupted && !r->disk_full)
                start_worker(r, &worker[i], next++);
            busy += worker[i].child != 0;
        }
        if (busy)
            wait_tick(r, &wait);
    } while (busy || (next < r->batches && !interrupted && !r->disk_full));
    free(worker);
    watch_runs(r);
    return true;
}

/* ---- workers on other machines, too: GNU parallel ---- */

static void list_path(const struct runner *r, const char *name, char path[PATH_LONG])
{
    file_path(path, r->c.dir, "points", name, "");
}

/* Line n of the list is the nth batch. */
static bool write_list(struct runner *r)
{
    char path[PATH_LONG], words[64];
    struct whole_file f;
    list_path(r, "joblog.tsv", path);
    unlink(path);
    list_path(r, "jobs.tsv", path);
    if (!file_begin(&f, path))
        return false;
    for (size_t i = 0; i < r->batches; i++) {
        batch_words(&r->batch[i], words);
        fprintf(f.out, "%s\n", words);
    }
    return file_commit(&f, false);
}

enum {
    SHELL_SIGNAL = 128, /* a shell's exit code beyond this is the signal that ended its command */
    SSH_FAILED = 255
};

/* A line of the job log, columns 1 Seq, 7 Exitval, 8 Signal; false at a line that is none. */
static bool read_log_line(const char *line, size_t *seq, int *how)
{
    long exit_code, signal_number;
    if (sscanf(line, "%zu\t%*[^\t]\t%*[^\t]\t%*[^\t]\t%*[^\t]\t%*[^\t]\t%ld\t%ld", seq, &exit_code,
               &signal_number) != 3)
        return false;
    if (!signal_number && exit_code > SHELL_SIGNAL && exit_code < SHELL_SIGNAL + NSIG &&
        exit_code != EXIT_INTERRUPTED)
        signal_number = exit_code - SHELL_SIGNAL; /* newer ones run the job in a shell, which tells it so */
    *how = signal_number ? -(int)signal_number : (int)exit_code;
    return true;
}

/* How many batches it knows. */
static size_t read_log(struct runner *r)
{
    char path[PATH_LONG];
    size_t size, seq, known = 0;
    int how;
    list_path(r, "joblog.tsv", path);
    char *log = file_read(path, &size);
    for (char *line = log, *end; line && (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        if (read_log_line(line, &seq, &how) && seq >= 1 && seq <= r->batches) {
            r->how[seq - 1] = how;
            known++;
        }
    }
    free(log);
    return known;
}

static bool run_parallel(struct runner *r)
{
    char jobs[16], here[PATH_LONG];
    if (!write_list(r) || !realpath(r->c.dir, here))
        return cannot_write(false, "", r->c.dir);
    snprintf(jobs, sizeof jobs, "%u", r->jobs);
    const char *front[24] = {"parallel",       "--plain", "--will-cite", "--ungroup",         "-q",
                             "--jobs",         jobs,      "--joblog",    "points/joblog.tsv", "--arg-file",
                             "points/jobs.tsv"};
    /* what fails on one machine is tried on another, and a point that is done says so at once */
    const char *const there_words[] = {"--sshloginfile", r->logins, "--workdir", here,
                                       "--retries",      "3",       NULL};
    size_t n = 0;
    while (front[n])
        n++;
    for (const char *const *word = there_words; *word; word++)
        front[n++] = *word;
    front[n++] = r->program;
    front[n++] = "run";
    pid_t child = start_job(r, front, n, "{}");
    int how = child < 0 ? PROCESS_MISSING : wait_for_child(r, child);
    watch_runs(r);
    size_t known = read_log(r);
    for (size_t i = 0; i < r->batches; i++)
        r->disk_full |= r->how[i] == EXIT_DISK;
    if (how == PROCESS_MISSING)
        complain(0, "",
                 "GNU parallel is missing (Debian: parallel); without --sshloginfile it is not needed");
    else if (how && !known && !interrupted)
        complain(0, "", "GNU parallel failed (exit code %d); without --sshloginfile it is not needed", how);
    return !how || known || interrupted;
}

/* ---- what came of it ---- */

/* How the process of a run ended that left no row: what waitpid() said; else what became of its worker. */
static bool how_of(const struct runner *r, size_t run, int *how)
{
    char path[PATH_LONG];
    size_t size;
    campaign_part_path(&r->c, run, ".how", path);
    char *text = file_read(path, &size);
    if (text)
        *how = how_it_ended(atoi(text));
    free(text);
    return text != NULL;
}

static int how_of_batch(const struct runner *r, size_t run)
{
    for (size_t i = 0; i < r->batches; i++)
        if (r->how[i] && run >= r->batch[i].first && run <= r->batch[i].last)
            return r->how[i];
    return 0;
}

static void say_failed(const struct runner *r, size_t run)
{
    char label[SCENARIO_LABEL_MAX];
    uint32_t repeat;
    int how;
    bool known = how_of(r, run, &how);
    if (!known)
        how = how_of_batch(r, run);
    campaign_label(&r->c, run, label, &repeat);
    fprintf(stderr, "iwarpsim: point %s repeat %u ", label, repeat);
    if (how < 0)
        fprintf(stderr, "%s (signal %d, %s)", known ? "crashed" : "was not run: its worker was killed", -how,
                strsignal(-how));
    else if (how == 0)
        fputs(known ? "ended without an error and without a row" : "was not run", stderr);
    else if (how == SSH_FAILED && *r->logins)
        fputs("ran on no machine: ssh failed (exit code 255)", stderr);
    else
        fprintf(stderr, "failed (exit code %d)", how);
    fputs("; again: ", stderr);
    run_options_command(r->c.o, stderr);
    fputs(" --point ", stderr);
    quote_shell(stderr, label);
    fprintf(stderr, " --repeat %u\n", repeat);
}

struct tally {
    size_t of[STATUSES];
};

static struct tally count_runs(const struct runner *r)
{
    struct tally t = {{0}};
    for (size_t i = 0; i < r->c.runs; i++) {
        if (!campaign_is_mine(&r->c, i))
            continue;
        enum point_status status = r->c.done[i] ? (enum point_status)r->c.status[i] : STATUS_CRASHED;
        t.of[status]++;
        if (status == STATUS_CRASHED)
            say_failed(r, i);
    }
    return t;
}

static int exit_of(const struct tally *t)
{
    static const int order[] = {EXIT_LAW, EXIT_FAILED, EXIT_INPUT}; /* the worst first */
    for (int i = 0; i < 3; i++)
        for (int s = 0; s < STATUSES; s++)
            if (t->of[s] && status_exit((enum point_status)s) == order[i])
                return order[i];
    return EXIT_DONE;
}

static void say_counts(const struct runner *r, const struct tally *t)
{
    const struct run_options *o = r->c.o;
    if (o->quiet)
        return;
    if (o->shards)
        printf("shard %u of %u: ", o->shard, o->shards);
    printf("%zu run%s", r->c.mine, r->c.mine == 1 ? "" : "s");
    for (int s = 0; s < STATUSES; s++)
        if (t->of[s] && (s != STATUS_OK || t->of[s] != r->c.mine))
            printf(", %zu %s", t->of[s], status_names[s]);
    printf(o->shards ? ": %s\n" : ": %s/results.csv\n", r->c.dir);
}

/* Points whose goodput hangs on a number of the adapter that nobody published. */
static void say_guesses(const struct runner *r)
{
    struct binding_guesses g;
    guesses_of(r->c.s, &g);
    if (g.points && !r->c.o->quiet)
        fprintf(stderr,
                "note: at %zu of %zu point%s what binds is a guess (%s); `run --uncertain` draws what that "
                "leaves open\n",
                g.points, g.of, g.of == 1 ? "" : "s", g.names);
}

/* Said of the column that most look at; columns.tsv marks each. */
static void say_estimates(const struct runner *r)
{
    const char *world = scenario_estimates(r->c.s, "latency_p99_us");
    if (world && !r->c.o->quiet)
        fprintf(stderr,
                "note: in world %s percentiles of latency are an estimate, off by up to a half "
                "where links are shared; fabric and ns3 have them\n",
                world);
}

static int conclude(struct runner *r)
{
    if (interrupted) {
        fprintf(stderr,
                "\niwarpsim: interrupted; %zu of %zu runs are done and kept; the same command resumes\n",
                r->c.done_count, r->c.mine);
        return EXIT_INTERRUPTED;
    }
    if (r->disk_full)
        return complain(EXIT_FAILED, "",
                        "%s can no longer be written; stopped: %zu of %zu runs are done and kept; the same "
                        "command resumes",
                        r->c.dir, r->c.done_count, r->c.mine);
    if (!campaign_was_read(&r->c))
        return EXIT_FAILED;
    if (!campaign_same_version(&r->c))
        return EXIT_INPUT;
    struct tally t = count_runs(r);
    r->c.wall = seconds_since(&r->start);
    if (r->c.o->shards == 0 && !campaign_finish(&r->c, t.of[STATUS_CRASHED] == 0))
        return EXIT_FAILED;
    say_counts(r, &t);
    size_t wide = r->c.enough ? enough_wide(r->c.enough) : 0;
    if (wide && !r->c.o->quiet)
        fprintf(stderr, "note: %zu point%s reached repeat.most, and the interval of %s is still too wide\n",
                wide, wide == 1 ? "" : "s", r->c.s->conf.until_of);
    if (r->few && !r->c.o->quiet)
        fputs("note: 99th percentiles of latency come from fewer than 1,000 messages; see `iwarpsim check`\n",
              stderr);
    if (!r->c.o->quiet)
        short_runs_say(r->c.short_runs, stderr);
    say_guesses(r);
    say_estimates(r);
    return exit_of(&t);
}

/* ---- before it starts ---- */

/* What all points ask for: time, and programs of other worlds. */
static int survey_points(struct runner *r)
{
    uint64_t fewest = UINT64_MAX;
    char look[LOOK_ERROR_MAX] = "";
    bool needed[WORLDS] = {false}, capture = true, links = true, some[PARALLELS] = {false};
    char no[PARALLELS][PARALLEL_ERROR_MAX] = {""}, why[PARALLEL_ERROR_MAX], names[64];
    for (size_t i = 0; i < r->c.s->points; i++) {
        struct scenario_point p;
        char error[SCENARIO_ERROR_MAX];
        scenario_point(r->c.s, i, 0, &p, error);
        uint64_t messages = workload_messages(&p.workload);
        if (p.workload.kind != WORKLOAD_errors)
            fewest = messages < fewest ? messages : fewest;
        needed[p.world] = true;
        for (enum parallel_way w = 0; w < PARALLELS; w++)
            some[w] |= !parallel_refuses(w, &p, *no[w] ? why : no[w]);
        links &= worlds[p.world].knows_links;
        if (!*look)
            run_options_look_error(r->c.o, &p, look);
        capture &=
            worlds[p.world].carries_pcap && p.payload == PAYLOAD_REAL && p.llp.security == SECURITY_NONE;
    }
    r->few = fewest < 1000;
    if (r->c.o->pcap && !capture) {
        worlds_that_have(offsetof(struct world, carries_pcap), names, sizeof names);
        return complain(EXIT_INPUT, "",
                        "--pcap needs world: %s, payload: real, and llp.security: none at every point",
                        names);
    }
    for (int w = 0; w < PARALLELS; w++)
        if (r->c.o->parallel[w] > 1 && *no[w] && (parallels[w].all || !some[w]))
            return complain(EXIT_INPUT, "", "%s", no[w]);
    if (r->c.o->links && !links) {
        worlds_that_have(offsetof(struct world, knows_links), names, sizeof names);
        return complain(EXIT_INPUT, "", "--links needs world: %s at every point", names);
    }
    if (*look)
        return complain(EXIT_INPUT, "", "%s", look);
    for (int w = WORLD_FIRST; w < WORLDS; w++)
        if (needed[w] && !world_program((enum point_world)w, r->program))
            return complain(
                EXIT_FAILED, "",
                "the program of world %s is missing: Debian's package %s has it; in a clone "
                "./waf build makes it where the simulator is installed, and names missing packages",
                worlds[w].name, worlds[w].program);
    return world_program(WORLD_FABRIC, r->program) ? EXIT_DONE : EXIT_FAILED;
}

static bool make_points(const struct campaign *c)
{
    char path[PATH_LONG];
    file_path(path, c->dir, "", "points", "");
    if (make_own_folder(path))
        return true;
    return cannot_write(false, "", path);
}

static bool has_parallel(void)
{
    const char *const words[] = {"sh", "-c", "parallel --version >/dev/null 2>&1", NULL};
    return process_wait(process_start(words, ".", -1)) == 0;
}

/* GNU parallel runs what stands between { and } in its command and working folder as Perl. */
static bool reads_braces(const struct runner *r)
{
    char here[PATH_LONG];
    const char *const texts[] = {r->program, r->logins, *r->logins && realpath(r->c.dir, here) ? here : ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strpbrk(texts[i], "{}"))
            return complain(true, "",
                            "GNU parallel would expand the { } in %s; rename it, or run without "
                            "--sshloginfile",
                            texts[i]);
    return false;
}

/* How many at a time, and by whom. */
static bool choose_jobs(struct runner *r)
{
    size_t left = r->c.mine - r->c.done_count;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    bool asked = r->c.o->jobs != 0;
    r->jobs = asked ? r->c.o->jobs : processors > 0 ? (unsigned)processors : 1;
    for (int w = 0; w < PARALLELS && !asked; w++)
        if (r->c.o->parallel[w] > 1)
            r->jobs /= r->c.o->parallel[w];
    if (!r->c.enough) /* there may be more */
        r->jobs = left < r->jobs ? (unsigned)left : r->jobs;
    r->jobs = r->jobs ? r->jobs : 1;
    if (*r->logins && !has_parallel())
        return complain(
            false, "", "GNU parallel is missing (Debian: parallel); without --sshloginfile it is not needed");
    if (*r->logins && reads_braces(r))
        return false;
    r->c.tool = *r->logins ? "GNU parallel (Tange 2018, doi:10.5281/zenodo.1146014)" : "iwarpsim";
    return true;
}

/* A process has ended: nobody waits for it any longer than that takes (wait_ms). */
static void on_child(int number)
{
    (void)number;
}

static void catch_signals(void)
{
    struct sigaction child = {.sa_handler = on_child, .sa_flags = SA_NOCLDSTOP | SA_RESTART};
    sigaction(SIGCHLD, &child, NULL);
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

/* Is there a run without a row and without a reason why? */
static bool some_untried(const struct runner *r)
{
    int how;
    for (size_t i = 0; i < r->c.runs; i++)
        if (is_pending(r, i) && !how_of(r, i, &how))
            return true;
    return false;
}

/* All that is pending, in as many goes as it takes. */
static bool run_round(struct runner *r)
{
    size_t before;
    int helpless = 0;
    if (r->c.done_count == r->c.mine)
        return true;
    do { /* again: a worker that was killed has left runs that nobody tried */
        before = r->c.done_count;
        if (!make_batches(r) || !(*r->logins ? run_parallel(r) : run_workers(r)))
            return false;
        helpless = r->c.done_count > before ? 0 : helpless + 1;
    } while (!interrupted && !r->disk_full && helpless < HELPLESS && some_untried(r));
    return true;
}

/* Where repeats are added until an interval is narrow: is there a next round? */
static bool more_repeats(struct runner *r)
{
    bool more = r->c.enough && enough_more(r->c.enough, r->c.done);
    if (r->c.enough)
        campaign_count(&r->c);
    return more;
}

static int run_runs(struct runner *r)
{
    if (!choose_jobs(r))
        return EXIT_FAILED;
    catch_signals();
    r->done_before = r->c.done_count;
    if (r->done_before)
        complain(0, "", "%zu of %zu runs are already done", r->done_before, r->c.mine);
    do
        if (!run_round(r))
            return EXIT_FAILED;
    while (!interrupted && !r->disk_full && more_repeats(r));
    return conclude(r);
}

static int run_campaign(struct runner *r)
{
    int status = survey_points(r);
    bool complete;
    if (status != EXIT_DONE)
        return status;
    if (!campaign_claim(r->c.s, r->c.o))
        return EXIT_INPUT;
    if (!campaign_lock(r->c.dir))
        return EXIT_FAILED;
    if (!campaign_survey(&r->c, &complete))
        return EXIT_FAILED;
    if (complete) {
        if (!r->c.o->quiet)
            printf("%s/results.csv is complete; nothing to do\n", r->c.dir);
        return EXIT_DONE;
    }
    if (!campaign_same_version(&r->c))
        return EXIT_INPUT;
    return make_points(&r->c) ? run_runs(r) : EXIT_FAILED;
}

/* The folder: --out or results/NAME; of a shard, one of its own below that. */
static bool choose_folder(struct runner *r, const struct run_options *o)
{
    int used = o->out ? snprintf(r->c.dir, sizeof r->c.dir, "%s", o->out)
                      : snprintf(r->c.dir, sizeof r->c.dir, "results/%s", r->c.s->name);
    if (o->shards && used > 0 && (size_t)used < sizeof r->c.dir)
        used +=
            snprintf(r->c.dir + used, sizeof r->c.dir - (size_t)used, "/shard-%u-of-%u", o->shard, o->shards);
    if (used > 0 && (size_t)used < sizeof r->c.dir)
        return true;
    return complain(false, "", "the name of the folder is too long");
}

/* In a folder of results, or in one below it? */
static bool is_of_results(const char *path)
{
    char folder[PATH_LONG], scenario[PATH_LONG + 16];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash; (slash = strrchr(folder, '/'));) {
        *slash = 0;
        snprintf(scenario, sizeof scenario, "%s/scenario.yaml", folder);
        char *name = campaign_name(scenario);
        free(name);
        if (name)
            return true;
    }
    return false;
}

/* GNU parallel will look for it from another folder. Its lines are commands: those of a folder of results may be anyone's. */
static bool find_logins(struct runner *r, const struct run_options *o)
{
    if (!o->sshloginfile)
        return true;
    struct stat is;
    if (!realpath(o->sshloginfile, r->logins) || stat(r->logins, &is) != 0 || access(r->logins, R_OK) != 0)
        return cannot_read(false, "", o->sshloginfile);
    if (S_ISDIR(is.st_mode))
        return complain(false, "", "%s is a folder, not a file of login lines", o->sshloginfile);
    if (!is_of_results(r->logins))
        return true;
    return complain(false, "", "%s is in a folder of results; it holds commands, so keep it elsewhere",
                    r->logins);
}

int run_scenario(struct run_options *o, const struct scenario *s)
{
    static struct runner r; /* too large for a stack */
    int status = EXIT_INPUT;
    memset(&r, 0, sizeof r);
    r.c.s = s; /* what it is called by default */
    if (!choose_folder(&r, o) || !find_logins(&r, o))
        return EXIT_INPUT;
    o->out = r.c.dir;
    clock_gettime(CLOCK_MONOTONIC, &r.start);
    campaign_init(&r.c, s, o);
    status = run_campaign(&r);
    campaign_free(&r.c);
    free(r.batch);
    free(r.how);
    return status;
}

/* How many repeats a point takes follows from all of them. */
static bool can_split(const struct run_options *o, const struct scenario *s)
{
    if (!o->shards || !(s->conf.until > 0))
        return true;
    return complain(false, "",
                    "%s: --shard needs a fixed number of repeats, not repeat.until: --set repeat=N", o->file);
}

static bool can_draw(const struct run_options *o, const struct scenario *s)
{
    if (!o->plot || s->axes_count || *s->conf.plot.x)
        return true;
    return complain(false, "", "%s sweeps nothing: --plot needs `sweep:` or `plot: {x: COLUMN}`", o->file);
}

static bool can_doubt(const struct run_options *o, const struct scenario *s)
{
    bool numbers = false;
    for (size_t i = 0; i < s->points && !numbers; i++) {
        struct scenario_point p;
        char error[SCENARIO_ERROR_MAX];
        scenario_point(s, i, 0, &p, error);
        numbers = p.preset != 0;
    }
    if (!o->uncertain || numbers)
        return true;
    return complain(false, "", "%s: --uncertain needs an adapter with numbers to doubt: rnic.preset is ideal",
                    o->file);
}

/* As `iwarpsim plot DIR --size SIZE` would. */
static int draw_results(const struct run_options *o)
{
    char plot[] = "plot", size[] = "--size", dir[PATH_LONG], how[16];
    char *argv[] = {plot, dir, size, how, NULL};
    snprintf(dir, sizeof dir, "%s", o->out);
    snprintf(how, sizeof how, "%s", o->plot);
    return command_plot(4, argv);
}

static int load_and_run(struct run_options *o)
{
    struct scenario *s = run_options_scenario(o);
    if (!s)
        return EXIT_INPUT;
    int status = can_draw(o, s) && can_split(o, s) && can_doubt(o, s) ? run_scenario(o, s) : EXIT_INPUT;
    scenario_free(s);
    if (status == EXIT_DONE && o->plot)
        status = draw_results(o);
    return status;
}

int command_run(int argc, char **argv)
{
    struct run_options o;
    int status;
    if (run_options_parse(&o, argc, argv, NULL, &status))
        status =
            o.point || o.job ? run_point(&o, WORLD_FABRIC, world_fabric, notes_write_all) : load_and_run(&o);
    run_options_free(&o);
    return status;
}
