/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge.c -- iwarpsim merge: the parts of a campaign that ran elsewhere become one result.
 *
 * A part is a folder of `iwarpsim run`, usually of a shard: the claim in scenario.yaml, and points/. The same claim, the
 * same rows: the result is, octet for octet, that of a run in one piece, whatever the parts are and in whatever order.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/list.h"
#include "helpers/campaign/campaign.h"
#include "helpers/command.h"

static const char help[] =
    "usage: iwarpsim merge DIR... [--out DIR] [--mixed]\n"
    "\n"
    "Merges the shards of a campaign into one result: folders that `iwarpsim run --shard` wrote, or a folder "
    "that\n"
    "holds them. Their order does not matter; the result equals that of a single run, octet for octet. If "
    "runs are\n"
    "missing, merge keeps the others in --out, and `iwarpsim run` with the same --out computes the rest.\n"
    "\n"
    "  --out DIR   folder for the result (the folder that holds the shards)\n"
    "  --mixed     accept rows of several versions of iwarpsim or its simulators; manifest.json lists them\n";

struct merge {
    char **parts; /* folders */
    size_t count;
    char out[PATH_LONG];
    struct campaign c;
    struct run_options o;
    char claimed[PATH_LONG]; /* the scenario's file, which `o` points to */
};

/* ---- which folders ---- */

static bool add_part(struct merge *m, const char *path)
{
    char **more = list_grow(m->parts, m->count, sizeof *more);
    if (!more)
        return false;
    m->parts = more;
    m->parts[m->count] = strdup(path);
    return m->parts[m->count++] != NULL;
}

static bool is_part(const char *dir)
{
    char scenario[PATH_LONG], points[PATH_LONG];
    file_path(scenario, dir, "", "scenario.yaml", "");
    file_path(points, dir, "", "points", "");
    return file_exists(scenario) && file_exists(points);
}

static int is_shard(const struct dirent *e)
{
    return strncmp(e->d_name, "shard-", 6) == 0;
}

/* The folder itself, or the shards in it; how many. */
static size_t add_parts(struct merge *m, const char *dir)
{
    struct dirent **names;
    size_t before = m->count;
    int count = scandir(dir, &names, is_shard, alphasort);
    if (is_part(dir))
        add_part(m, dir);
    for (int i = 0; i < count; i++) {
        char path[PATH_LONG];
        file_path(path, dir, "", names[i]->d_name, "");
        if (is_part(path))
            add_part(m, path);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return m->count - before;
}

/* Is a part in this folder? */
static bool holds_part(const struct merge *m, const char *dir)
{
    size_t len = strlen(dir);
    for (size_t i = 0; i < m->count; i++)
        if (strncmp(m->parts[i], dir, len) == 0 && strncmp(m->parts[i] + len, "/shard-", 7) == 0)
            return true;
    return false;
}

/* Where the first folder is, or, if it holds shards, that; what was merged before may lie there, too. */
static void choose_out(struct merge *m, const char *first)
{
    char whole[PATH_LONG];
    snprintf(whole, sizeof whole, "%s", first);
    for (size_t len = strlen(whole); len > 1 && whole[len - 1] == '/'; len--)
        whole[len - 1] = 0;
    if (holds_part(m, first)) {
        snprintf(m->out, sizeof m->out, "%s", whole);
        return;
    }
    char *slash = strrchr(whole, '/');
    if (slash)
        *slash = 0;
    snprintf(m->out, sizeof m->out, "%s", slash ? *whole ? whole : "/" : ".");
}

/* ---- the claim ---- */

static bool same_claims(const struct merge *m)
{
    char first[PATH_LONG], path[PATH_LONG];
    size_t size;
    file_path(first, m->parts[0], "", "scenario.yaml", "");
    char *want = file_read(first, &size);
    bool same = want || cannot_read(false, "merge", first);
    for (size_t i = 1; same && i < m->count; i++) {
        file_path(path, m->parts[i], "", "scenario.yaml", "");
        char *have = file_read(path, &size);
        same = have ? campaign_same_claim(m->parts[i], have, want) : cannot_read(false, "merge", path);
        free(have);
    }
    free(want);
    return same;
}

/* ---- rows ---- */

/* The first cell in which two rows differ, in words. */
static void say_different(const struct merge *m, size_t run, const char *part, const char *path)
{
    char label[SCENARIO_LABEL_MAX];
    uint32_t repeat;
    campaign_label(&m->c, run, label, &repeat);
    complain(0, "merge", "point %s repeat %u differs between %s and %s: did different versions make them?",
             label, repeat, part, path);
}

static bool same_section(const struct row *a, const struct row *b, enum row_section i)
{
    return a->section[i].size == b->section[i].size &&
           (a->section[i].size == 0 ||
            memcmp(a->section[i].octets, b->section[i].octets, a->section[i].size) == 0);
}

/* The same run came out the same in two places; what it cost may differ. */
static bool same_rows(const struct row *a, const struct row *b)
{
    bool same = true;
    for (int i = 0; i < ROW_COST; i++)
        same &= same_section(a, b, (enum row_section)i);
    return same;
}

/* Its row last, for that says that its messages are there. */
static bool share_run(struct merge *m, const struct campaign *part, size_t run)
{
    static const char *const kinds[] = {".messages", ".row"};
    for (int i = m->o.messages ? 0 : 1; i < 2; i++) {
        char from[PATH_LONG], to[PATH_LONG];
        campaign_part_path(part, run, kinds[i], from);
        campaign_part_path(&m->c, run, kinds[i], to);
        if (!file_share(from, to))
            return cannot_write(false, "merge", to);
    }
    return true;
}

/* Read a row of a folder. False: it may be good, but cannot be read now; the reason was printed. */
static bool read_run(const struct campaign *c, size_t run, struct row *r, bool *good)
{
    char path[PATH_LONG];
    enum row_state state = campaign_row(c, run, r);
    campaign_part_path(c, run, ".row", path);
    *good = state == ROW_WHOLE;
    if (state == ROW_DAMAGED || state == ROW_FOREIGN)
        complain(0, "merge", "%s is damaged, or belongs to another run; it is ignored", path);
    return state != ROW_UNREADABLE || cannot_read(false, "merge", path);
}

static bool take_run(struct merge *m, const struct campaign *part, size_t run)
{
    struct row theirs, ours = {.text = NULL};
    bool good, have;
    bool read = read_run(part, run, &theirs, &good) && read_run(&m->c, run, &ours, &have);
    bool same = read && (!good || !have || same_rows(&theirs, &ours));
    if (read && !same)
        say_different(m, run, part->dir, m->out);
    row_free(&theirs);
    row_free(&ours);
    return same && (!good || have || share_run(m, part, run));
}

/* trace/, series/ and pcap/: whole folders. */
static bool take_folder(const struct merge *m, const char *part, const char *folder)
{
    char from[PATH_LONG], to[PATH_LONG];
    file_path(from, part, "", folder, "");
    file_path(to, m->out, "", folder, "");
    DIR *dir = opendir(from);
    if (!dir)
        return file_is_gone(errno) || cannot_read(false, "merge", from);
    bool good = make_own_folder(to);
    struct dirent *e = NULL;
    while (good && (errno = 0, e = readdir(dir))) {
        file_path(from, part, folder, e->d_name, "");
        file_path(to, m->out, folder, e->d_name, "");
        good = *e->d_name == '.' || file_share(from, to);
    }
    good = good && !errno;
    if (!good)
        cannot_write(false, "merge", to);
    closedir(dir);
    return good;
}

static bool take_part(struct merge *m, const char *part)
{
    static struct campaign other;
    other.s = m->c.s;
    other.o = &m->o;
    snprintf(other.dir, sizeof other.dir, "%s", part);
    for (size_t run = 0; run < m->c.runs; run++)
        if (!take_run(m, &other, run))
            return false;
    return take_folder(m, part, "trace") && take_folder(m, part, "series") && take_folder(m, part, "pcap");
}

/* ---- the result ---- */

static int say_missing(const struct merge *m)
{
    char label[SCENARIO_LABEL_MAX];
    uint32_t repeat;
    size_t first = 0;
    while (m->c.done[first])
        first++;
    campaign_label(&m->c, first, label, &repeat);
    return complain(
        EXIT_FAILED, "merge",
        "%zu of %zu runs are missing, first point %s repeat %u; the others are kept: the command of "
        "the shards computes the rest, without --shard and with --out %s",
        m->c.runs - m->c.done_count, m->c.runs, label, repeat, m->out);
}

static int finish_merge(struct merge *m)
{
    m->c.tool = "iwarpsim merge";
    campaign_update(&m->c);
    if (!campaign_was_read(&m->c))
        return EXIT_FAILED;
    if (m->c.versions > 1 && !campaign_same_version(&m->c))
        return EXIT_INPUT;
    if (m->c.done_count < m->c.runs)
        return say_missing(m);
    if (!campaign_finish(&m->c, true))
        return EXIT_FAILED;
    printf("%zu run%s of %zu part%s: %s/results.csv\n", m->c.runs, m->c.runs == 1 ? "" : "s", m->count,
           m->count == 1 ? "" : "s", m->out);
    return EXIT_DONE;
}

static int merge_parts(struct merge *m)
{
    char points[PATH_LONG];
    bool complete;
    if (!campaign_claim(m->c.s, &m->o))
        return EXIT_INPUT;
    if (!campaign_lock(m->out))
        return EXIT_FAILED;
    if (!campaign_survey(&m->c, &complete))
        return EXIT_FAILED;
    if (complete) {
        printf("%s/results.csv is complete; nothing to do\n", m->out);
        return EXIT_DONE;
    }
    file_path(points, m->out, "", "points", "");
    if (!make_own_folder(points))
        return cannot_write(EXIT_FAILED, "merge", points);
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->parts[i], m->out) && !take_part(m, m->parts[i]))
            return EXIT_FAILED;
    return finish_merge(m);
}

/* The scenario that the first part was claimed for, with its name and flags. */
static struct scenario *open_claimed(struct merge *m, char path[PATH_LONG])
{
    char error[SCENARIO_ERROR_MAX];
    file_path(path, m->parts[0], "", "scenario.yaml", "");
    struct scenario *s = campaign_open(path, error);
    if (!s)
        fprintf(stderr, "%s\n", error);
    m->o.file = path;
    m->o.out = m->out;
    if (!s || campaign_flags(path, &m->o))
        return s;
    cannot_read(false, "merge", path);
    scenario_free(s);
    return NULL;
}

static int merge(struct merge *m)
{
    struct scenario *s = same_claims(m) ? open_claimed(m, m->claimed) : NULL;
    if (!s)
        return EXIT_INPUT;
    if (s->conf.until > 0) {
        scenario_free(s);
        return complain(EXIT_INPUT, "merge", "a scenario with repeat.until cannot be sharded: %s",
                        m->parts[0]);
    }
    memcpy(m->c.dir, m->out, sizeof m->c.dir);
    campaign_init(&m->c, s, &m->o);
    int status = merge_parts(m);
    campaign_free(&m->c);
    scenario_free(s);
    return status;
}

static int with_folders(struct merge *m, char **dirs, int count)
{
    for (int i = 0; i < count; i++)
        if (add_parts(m, dirs[i]) == 0)
            return complain(EXIT_INPUT, "merge", "neither a shard nor a folder of shards: %s", dirs[i]);
    if (m->count == 0)
        return complain(EXIT_INPUT, "merge", "which folders? Try `iwarpsim merge --help`");
    if (m->o.out)
        snprintf(m->out, sizeof m->out, "%s", m->o.out);
    else
        choose_out(m, dirs[0]);
    return merge(m);
}

static const struct argument rows[] = {
    ARGUMENT_TEXT("out", struct run_options, out),
    ARGUMENT_FLAG("mixed", struct run_options, mixed),
    {0},
};

int command_merge(int argc, char **argv)
{
    static struct merge m;
    int status = arguments_read(argc, argv, "merge", help, rows, &m.o);
    if (status < 0)
        status = with_folders(&m, argv + optind, argc - optind);
    for (size_t i = 0; i < m.count; i++)
        free(m.parts[i]);
    free(m.parts);
    return status;
}
