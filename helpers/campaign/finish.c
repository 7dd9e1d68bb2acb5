/* SPDX-License-Identifier: GPL-2.0-or-later */
/* finish.c -- what a campaign becomes at its end: the rows in order, what they say together, and what describes them
 * (campaign.h). */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/list.h"
#include "helpers/base/rows.h"
#include "helpers/base/sha256.h"
#include "helpers/campaign/band.h"
#include "helpers/campaign/campaign.h"
#include "helpers/campaign/manifest.h"
#include "helpers/campaign/summary.h"
#include "helpers/scenario/named_file.h"
#include "helpers/trial/results.h"
#include "helpers/trial/trial.h"

/* ---- the files ---- */

enum file {
    RESULTS,
    ROWS,
    LATENCY,
    EARLY,
    STAGING,
    SLOWDOWN,
    LINKS,
    FLOWS,
    WORKLOADS,
    COSTS,
    MESSAGES,
    COLUMNS,
    FILES
};

static const struct {
    const char *name, *head; /* head NULL: written by a function */
    enum row_section section;
} files[FILES] = {
    [RESULTS] = {"results.csv", NULL, ROW_LINE},
    [ROWS] = {"rows.tsv", "point\trepeat\tidentity\tstatus\tsha256\tcommit\tsimulator\n", ROW_SECTIONS},
    [LATENCY] = {"dist/latency.csv", "point,repeat,from_us,to_us,count\n", ROW_LATENCY},
    [EARLY] = {"dist/early.csv", "point,repeat,from_us,to_us,count\n", ROW_EARLY},
    [STAGING] = {"dist/staging.csv", "point,repeat,from_octets,to_octets,count\n", ROW_STAGING},
    [SLOWDOWN] = {"dist/slowdown.csv", "point,repeat,workload,from_octets,to_octets,n,mean,p50,p99\n",
                  ROW_SLOWDOWN},
    [LINKS] = {"links.csv", trial_link_columns, ROW_LINKS},
    [FLOWS] = {"flows.csv", trial_flow_columns, ROW_FLOWS},
    [WORKLOADS] = {"workloads.csv", trial_load_columns, ROW_WORKLOADS},
    [COSTS] = {"costs.csv",
               "point,repeat,cpu_s,wall_s,peak_bytes,events,events_per_s,packet_hops,packet_hops_per_s\n",
               ROW_COST},
    [MESSAGES] = {"messages.csv", NULL, ROW_SECTIONS}, /* or messages.cols: name_of() */
    [COLUMNS] = {"columns.tsv", NULL, ROW_SECTIONS},
};

struct finish {
    struct campaign *c;
    struct rows rows;
    bool open[FILES];
    struct whole_file file[FILES];
    struct manifest_file *listed;
    size_t count;
};

static bool wanted(const struct finish *f, enum file i)
{
    return (i != MESSAGES || f->c->o->messages) && (i != LINKS || f->c->o->links) &&
           (i != FLOWS || f->c->o->flows) && (i != WORKLOADS || f->c->s->loads);
}

static const char *name_of(const struct finish *f, enum file i)
{
    return i == MESSAGES && f->c->o->columns ? "messages.cols" : files[i].name;
}

static bool open_one(struct finish *f, enum file i)
{
    char path[PATH_LONG];
    file_path(path, f->c->dir, "", name_of(f, i), "");
    f->open[i] = file_begin(&f->file[i], path);
    if (!f->open[i])
        return cannot_write(false, "", path);
    if (files[i].head)
        fputs(files[i].head, f->file[i].out);
    return true;
}

static bool open_all(struct finish *f)
{
    char dist[PATH_LONG];
    bool good = true;
    file_path(dist, f->c->dir, "", "dist", "");
    if (!make_own_folder(dist))
        return cannot_write(false, "", dist);
    for (int i = 0; good && i < FILES; i++)
        good = !wanted(f, (enum file)i) || open_one(f, (enum file)i);
    return good;
}

static void abandon_all(struct finish *f)
{
    for (int i = 0; i < FILES; i++)
        if (f->open[i])
            file_abandon(&f->file[i]);
}

/* ---- rows ---- */

static void write_proof(struct finish *f, size_t run, const struct row *r)
{
    char label[SCENARIO_LABEL_MAX], sum[SHA256_TEXT];
    uint32_t repeat;
    campaign_label(f->c, run, label, &repeat);
    sha256_text(r->section[ROW_LINE].octets, r->section[ROW_LINE].size, sum);
    fprintf(f->file[ROWS].out, "%s\t%u\t%s\t%s\t%s\t%s\t%s\n", label, repeat, r->identity, r->status, sum,
            r->commit, r->simulator);
}

static bool write_sections(struct finish *f, const struct row *r)
{
    for (int i = 0; i < FILES; i++) {
        if (f->open[i] && files[i].section != ROW_SECTIONS && r->section[files[i].section].size)
            fwrite(r->section[files[i].section].octets, 1, r->section[files[i].section].size, f->file[i].out);
        if (f->open[i] && ferror(f->file[i].out))
            return cannot_write(false, "", f->file[i].path);
    }
    return true;
}

static bool write_messages(struct finish *f, size_t run)
{
    char path[PATH_LONG];
    FILE *out = f->file[MESSAGES].out;
    campaign_part_path(f->c, run, ".messages", path);
    return !f->open[MESSAGES] || file_append(out, path) ||
           (ferror(out) ? cannot_write(false, "", f->file[MESSAGES].path) : cannot_read(false, "", path));
}

/* A run that is done has its row; that of one that is not says that it crashed. */
static bool write_finished_row(struct finish *f, size_t run)
{
    char path[PATH_LONG];
    struct row r;
    uint32_t repeats = f->c->s->conf.repeat;
    if (!f->c->done[run]) {
        results_write_row(f->file[RESULTS].out, f->c->s, run / repeats, (uint32_t)(run % repeats), NULL);
        return true;
    }
    enum row_state state = campaign_row(f->c, run, &r);
    bool good = state == ROW_WHOLE && write_sections(f, &r);
    if (good)
        write_proof(f, run, &r);
    row_free(&r);
    campaign_part_path(f->c, run, ".row", path);
    errno = state == ROW_MISSING ? ENOENT : state == ROW_UNREADABLE ? errno : EBADMSG; /* it was whole */
    return good ? write_messages(f, run) : state == ROW_WHOLE ? false : cannot_read(false, "", path);
}

static bool write_rows(struct finish *f)
{
    bool good = true;
    results_write_head(f->file[RESULTS].out, f->c->s);
    results_write_columns(f->file[COLUMNS].out, f->c->s);
    if (f->open[MESSAGES])
        columns_start(f->file[MESSAGES].out, results_message_columns, MESSAGE_COLUMNS, !f->c->o->columns);
    for (size_t i = 0; good && i < f->c->runs; i++) {
        if (i % f->c->s->conf.repeat == 0)
            rows_note(&f->rows);
        good = !campaign_is_mine(f->c, i) || write_finished_row(f, i);
    }
    rows_note(&f->rows);
    if (f->open[MESSAGES])
        columns_end(f->file[MESSAGES].out, !f->c->o->columns);
    return good;
}

/* ---- what describes them ---- */

static void list_sum(struct finish *f, const char *name, const char sum[SHA256_TEXT])
{
    f->listed = need(list_grow(f->listed, f->count, sizeof *f->listed));
    memcpy(f->listed[f->count].sha256, sum, SHA256_TEXT);
    f->listed[f->count++].name = need(strdup(name));
}

static bool list_file(struct finish *f, const char *name, FILE *in)
{
    char sum[SHA256_TEXT];
    bool good = sha256_file(in, sum);
    if (good)
        list_sum(f, name, sum);
    return good;
}

static FILE *open_named(const struct finish *f, const char *name, char path[PATH_LONG])
{
    file_path(path, f->c->dir, "", name, "");
    return file_open_plain(path);
}

/* Up to SHA256_FILES. */
static bool list_paths(struct finish *f, const char *const *name, unsigned count)
{
    char path[PATH_LONG], sum[SHA256_FILES][SHA256_TEXT];
    FILE *in[SHA256_FILES];
    unsigned opened = 0, summed;
    while (opened < count && (in[opened] = open_named(f, name[opened], path)))
        opened++;
    summed = opened == count ? sha256_files(in, count, sum) : opened;
    int why = errno;
    while (opened--)
        fclose(in[opened]);
    for (unsigned i = 0; summed == count && i < count; i++)
        list_sum(f, name[i], sum[i]);
    if (summed == count)
        return true;
    file_path(path, f->c->dir, "", name[summed], "");
    errno = why;
    return cannot_read(false, "", path);
}

static bool list_path(struct finish *f, const char *name)
{
    return list_paths(f, &name, 1);
}

static int is_visible(const struct dirent *e)
{
    return *e->d_name != '.';
}

/* Some of what is in a folder. */
static bool list_some(struct finish *f, const char *folder, struct dirent *const *entry, unsigned count)
{
    char name[SHA256_FILES][PATH_LONG];
    const char *names[SHA256_FILES];
    for (unsigned i = 0; i < count; i++) {
        file_path(name[i], folder, "", entry[i]->d_name, "");
        names[i] = name[i];
    }
    return list_paths(f, names, count);
}

/* trace/, series/ and pcap/: everything in them. */
static bool list_folder(struct finish *f, const char *folder)
{
    char path[PATH_LONG];
    struct dirent **names;
    file_path(path, f->c->dir, "", folder, "");
    int count = scandir(path, &names, is_visible, alphasort);
    bool good = true;
    if (count < 0)
        return file_is_gone(errno) || cannot_read(false, "", path);
    for (int i = 0; good && i < count; i += SHA256_FILES)
        good =
            list_some(f, folder, names + i, (unsigned)(count - i < SHA256_FILES ? count - i : SHA256_FILES));
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return good;
}

static bool list_named(const struct named_file *file, void *finish)
{
    return list_path(finish, file->name);
}

static bool commit_one(struct finish *f, enum file i)
{
    bool listed =
        i == COSTS || (file_is_written(f->file[i].out) && list_file(f, name_of(f, i), f->file[i].out));
    f->open[i] = false;
    if (listed)
        return file_commit(&f->file[i], true) || cannot_write(false, "", f->file[i].path);
    cannot_write(false, "", f->file[i].path);
    file_abandon(&f->file[i]);
    return false;
}

/* All but results.csv, which gets its name last, for that says that all is there. */
static bool commit_others(struct finish *f)
{
    bool good = true;
    for (int i = 0; good && i < FILES; i++)
        good = i == RESULTS || !f->open[i] || commit_one(f, (enum file)i);
    return good;
}

static bool write_table(struct finish *f, const char *name,
                        bool (*write)(FILE *, const struct scenario *, struct rows *, char *))
{
    char path[PATH_LONG], error[TABLE_ERROR_MAX];
    struct whole_file out;
    file_path(path, f->c->dir, "", name, "");
    if (!file_begin(&out, path))
        return cannot_write(false, "", path);
    bool written = write(out.out, f->c->s, &f->rows, error);
    if (written && file_is_written(out.out) && list_file(f, name, out.out))
        return file_commit(&out, true) || cannot_write(false, "", path);
    if (written)
        cannot_write(false, "", path);
    else
        complain(0, "", "%s: %s", path, error);
    file_abandon(&out);
    return false;
}

/* summary.csv; with repeats paired.csv, with draws of the adapter band.csv, too. */
static bool write_summaries(struct finish *f)
{
    const struct scenario *s = f->c->s;
    return write_table(f, "summary.csv", summary_write) &&
           (s->conf.repeat < 2 || write_table(f, "paired.csv", paired_write)) &&
           (band_axis(s) == s->axes_count || write_table(f, "band.csv", band_write));
}

static bool write_manifest(struct finish *f)
{
    char path[PATH_LONG], scenario_sha256[SHA256_TEXT], *claim = campaign_claim_text(f->c->s, f->c->o);
    struct whole_file out;
    campaign_essence_sum(claim, scenario_sha256);
    free(claim);
    file_path(path, f->c->dir, "", "manifest.json", "");
    if (!file_begin(&out, path))
        return cannot_write(false, "", path);
    struct manifest m = {f->c, f->listed[0].sha256, scenario_sha256, f->listed, f->count};
    manifest_write(&m, out.out);
    return file_commit(&out, true) || cannot_write(false, "", path);
}

static bool write_all(struct finish *f)
{
    if (!open_all(f))
        return false;
    rows_init(&f->rows, f->file[RESULTS].out, f->c->s->points);
    if (!write_rows(f))
        return false;
    if (!rows_written(&f->rows) || !list_file(f, "results.csv", f->file[RESULTS].out))
        return cannot_write(false, "", f->file[RESULTS].path);
    return commit_others(f) && write_summaries(f) && list_path(f, "scenario.yaml") &&
           campaign_files(f->c->s, list_named, f) && list_folder(f, "trace") && list_folder(f, "series") &&
           list_folder(f, "pcap") && write_manifest(f);
}

bool campaign_finish(struct campaign *c, bool clean)
{
    static struct finish f;
    memset(&f, 0, sizeof f);
    f.c = c;
    bool good = write_all(&f);
    rows_free(&f.rows);
    if (good) {
        f.open[RESULTS] = false;
        good = file_commit(&f.file[RESULTS], true) || cannot_write(false, "", f.file[RESULTS].path);
    }
    abandon_all(&f);
    for (size_t i = 0; i < f.count; i++)
        free(f.listed[i].name);
    free(f.listed);
    return good && (!clean || campaign_remove_leftovers(c));
}
