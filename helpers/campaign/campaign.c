/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign.c -- the folder of a campaign (campaign.h). */
#include "helpers/campaign/campaign.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "helpers/base/files.h"
#include "helpers/base/quote.h"
#include "helpers/base/rows.h"
#include "helpers/base/sha256.h"
#include "helpers/campaign/manifest.h"
#include "helpers/campaign/summary.h"
#include "helpers/scenario/size_mix.h"
#include "helpers/trial/results.h"

void point_id(char id[ID_MAX], const char *label, uint32_t repeat)
{
    snprintf(id, ID_MAX, "%s-r%u", label, repeat);
    for (char *c = id; *c; c++)
        if (*c == '/')
            *c = '_';
}

static bool cannot_write(const char *path)
{
    fprintf(stderr, "iwarpsim: %s cannot be written: %s\n", path, strerror(errno));
    return false;
}

static bool out_of_memory(void)
{
    fputs("iwarpsim: out of memory\n", stderr);
    return false;
}

/* ---- whose it is ---- */

enum { MIXES_SEEN = 64 };

static const char claim_name[] = "# scenario "; /* the first line: its name */

/* Call `use` for each file of message sizes that some point draws from. */
static bool with_mixes(const struct scenario *s, bool (*use)(const struct size_mix *, void *), void *context)
{
    const struct size_mix *seen[MIXES_SEEN] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < s->points; i++) {
        struct scenario_point p;
        char error[SCENARIO_ERROR_MAX];
        size_t j = 0;
        scenario_point(s, i, 0, &p, error);
        const struct size_mix *m = *p.size_cdf ? size_mix_find(s->file, p.size_cdf, error) : NULL;
        while (j < count && seen[j] != m)
            j++;
        if (!m || j < count || count == MIXES_SEEN)
            continue;
        seen[count++] = m;
        if (!use(m, context))
            return false;
    }
    return true;
}

static bool write_mix(const struct size_mix *m, void *out)
{
    fprintf(out, "# %s %s\n", m->name, m->sha256);
    return true;
}

static void write_mixes(const struct scenario *s, FILE *out)
{
    with_mixes(s, write_mix, out);
}

/* The campaign has a copy of its own, which its points read. */
static bool copy_mix(const struct size_mix *m, void *dir)
{
    char path[PATH_LONG];
    file_path(path, dir, "", m->name, "");
    return file_exists(path) || file_copy(m->path, path) || cannot_write(path);
}

/* What a folder must say to be continued: version, name, options, scenario. malloc()ed. */
static char *claim_text(const struct scenario *s, const struct run_options *o)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "%s%s\n# iwarpsim %s%s%s%s%s\n", claim_name, s->name, IWARPSIM_VERSION,
            o->messages ? " --messages" : "", o->trace ? " --trace" : "", o->pcap ? " --pcap" : "",
            o->notes ? " --notes" : "");
    write_mixes(s, out);
    scenario_write(s, out);
    return fclose(out) == 0 ? text : NULL;
}

/* The first line in which two texts differ, in either. */
static void different_lines(const char *a, const char *b, const char **line_a, const char **line_b)
{
    *line_a = a;
    *line_b = b;
    for (; *a && *a == *b; a++, b++)
        if (*a == '\n') {
            *line_a = a + 1;
            *line_b = b + 1;
        }
}

static bool is_essential(const char *line)
{
    static const char *const others[] = {"title: ", "claim: ", "plot."};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(line, others[i], strlen(others[i])) == 0)
            return false;
    return true;
}

char *campaign_essence(const char *text)
{
    char *essence = malloc(strlen(text) + 1), *out = essence;
    for (const char *line = text; essence && *line;) {
        size_t len = strcspn(line, "\n");
        len += line[len] == '\n';
        if (is_essential(line)) {
            memcpy(out, line, len);
            out += len;
        }
        line += len;
    }
    if (essence)
        *out = 0;
    return essence;
}

static bool same_essence(const char *dir, const char *have, const char *want)
{
    const char *a, *b;
    if (strcmp(have, want) == 0)
        return true;
    different_lines(have, want, &a, &b);
    fprintf(
        stderr,
        "iwarpsim: %s holds another scenario: it says '%.*s' where this one says %s%.*s%s; choose another "
        "--out\n",
        dir, (int)strcspn(a, "\n"), a, *b ? "'" : "nothing", (int)strcspn(b, "\n"), b, *b ? "'" : "");
    return false;
}

bool campaign_same_claim(const char *dir, const char *have, const char *want)
{
    char *a = campaign_essence(have), *b = campaign_essence(want);
    if (a) /* it will be shown, and nobody has read it yet */
        text_make_plain(a, true);
    bool same = a && b ? same_essence(dir, a, b) : out_of_memory();
    free(a);
    free(b);
    return same;
}

static bool write_claim(const char *path, const char *text)
{
    struct whole_file f;
    if (!file_begin(&f, path))
        return cannot_write(path);
    fputs(text, f.out);
    return file_commit(&f, false) || cannot_write(path);
}

static bool is_foreign(const char *dir)
{
    char path[PATH_LONG];
    file_path(path, dir, "", "results.csv", "");
    return file_exists(path);
}

static bool claim_folder(const char *dir, const char *text)
{
    char path[PATH_LONG];
    size_t size;
    if (!make_folder(dir))
        return cannot_write(dir);
    file_path(path, dir, "", "scenario.yaml", "");
    char *have = file_read(path, &size);
    if (!have && is_foreign(dir)) {
        fprintf(stderr, "iwarpsim: %s holds a results.csv of unknown origin; choose another --out\n", dir);
        return false;
    }
    bool good = !have || campaign_same_claim(dir, have, text);
    if (good && (!have || strcmp(have, text))) /* another title or plot: the new one */
        good = write_claim(path, text);
    free(have);
    return good;
}

bool campaign_claim(const struct scenario *s, const struct run_options *o)
{
    char *text = claim_text(s, o);
    bool good = text ? claim_folder(o->out, text) && with_mixes(s, copy_mix, (void *)(uintptr_t)o->out)
                     : out_of_memory();
    free(text);
    return good;
}

char *campaign_name(const char *scenario)
{
    size_t size, len = strlen(claim_name);
    char *text = file_read(scenario, &size);
    char *name = NULL;
    if (text && strncmp(text, claim_name, len) == 0)
        name = strndup(text + len, strcspn(text + len, "\n"));
    free(text);
    return name;
}

struct scenario *campaign_open(const char *scenario, char *error)
{
    struct scenario *s = scenario_load(scenario, NULL, 0, error);
    char *name = s ? campaign_name(scenario) : NULL;
    if (name && !name_is_safe(name)) {
        text_make_plain(name, false);
        snprintf(error, SCENARIO_ERROR_MAX, "%s:1:1: its name is '%.60s': " NAME_SAFE_RULE, scenario, name);
        free(name);
        scenario_free(s);
        return NULL;
    }
    if (name) {
        free(s->name);
        s->name = name;
    }
    return s;
}

void campaign_flags(const char *scenario, struct run_options *o)
{
    size_t size;
    char *text = file_read(scenario, &size), *line = text ? strchr(text, '\n') : NULL;
    if (line) {
        line[1 + strcspn(line + 1, "\n")] = 0; /* the second line */
        o->messages = strstr(line, " --messages");
        o->trace = strstr(line, " --trace");
        o->pcap = strstr(line, " --pcap");
        o->notes = strstr(line, " --notes");
    }
    free(text);
}

bool campaign_lock(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        return true;
    if (fd >= 0)
        fprintf(stderr, "iwarpsim: another iwarpsim is running in %s\n", dir);
    else
        fprintf(stderr, "iwarpsim: %s cannot be opened: %s\n", dir, strerror(errno));
    return false;
}

/* ---- what is done ---- */

void campaign_label(const struct campaign *c, size_t run, char label[SCENARIO_LABEL_MAX], uint32_t *repeat)
{
    *repeat = (uint32_t)(run % c->s->conf.repeat);
    scenario_label(c->s, run / c->s->conf.repeat, label);
}

static void part_path(const struct campaign *c, size_t run, const char *ending, char path[PATH_LONG])
{
    char label[SCENARIO_LABEL_MAX], id[ID_MAX];
    uint32_t repeat;
    campaign_label(c, run, label, &repeat);
    point_id(id, label, repeat);
    file_path(path, c->dir, "points", id, ending);
}

void campaign_row_path(const struct campaign *c, size_t run, char path[PATH_LONG])
{
    part_path(c, run, ".row", path);
}

static FILE *open_partial(const struct campaign *c, bool append)
{
    char path[PATH_LONG];
    file_path(path, c->dir, "", "results.partial.csv", "");
    return file_open_own(path, append);
}

bool campaign_is_mine(const struct campaign *c, size_t run)
{
    return c->o->shards == 0 || run % c->o->shards == c->o->shard - 1;
}

/* Is the row of a run there, and was not before? */
static bool is_new(struct campaign *c, size_t run, char path[PATH_LONG])
{
    if (c->done[run])
        return false;
    campaign_row_path(c, run, path);
    c->done[run] = file_is_whole(path);
    c->done_count += c->done[run] && campaign_is_mine(c, run);
    return c->done[run];
}

void campaign_look(struct campaign *c, size_t run)
{
    char path[PATH_LONG];
    FILE *partial = is_new(c, run, path) ? open_partial(c, true) : NULL;
    if (!partial)
        return;
    file_append(partial, path);
    fclose(partial);
}

void campaign_update(struct campaign *c)
{
    FILE *partial = NULL;
    for (size_t i = 0; i < c->runs; i++) {
        char path[PATH_LONG];
        if (!is_new(c, i, path))
            continue;
        if (!partial)
            partial = open_partial(c, true);
        if (partial)
            file_append(partial, path);
    }
    if (partial)
        fclose(partial);
}

static void remove_final(const struct campaign *c)
{
    static const char *const names[] = {"results.csv", "manifest.json"};
    for (int i = 0; i < 2; i++) {
        char path[PATH_LONG];
        file_path(path, c->dir, "", names[i], "");
        unlink(path);
    }
}

bool campaign_survey(struct campaign *c)
{
    char points[PATH_LONG], results[PATH_LONG];
    for (size_t i = 0; i < c->runs; i++)
        c->mine += campaign_is_mine(c, i);
    file_path(points, c->dir, "", "points", "");
    file_path(results, c->dir, "", "results.csv", "");
    if (file_exists(results) && !file_exists(points))
        return true;
    remove_final(c);
    FILE *partial = open_partial(c, false);
    if (partial) {
        results_write_head(partial, c->s);
        fclose(partial);
    }
    campaign_update(c);
    return false;
}

/* ---- the end ---- */

/* Row by row, as they are on disk. */
static void write_results(struct campaign *c, struct rows *rows)
{
    results_write_head(rows->file, c->s);
    for (size_t i = 0; i < c->runs; i++) {
        char path[PATH_LONG];
        uint32_t repeat = (uint32_t)(i % c->s->conf.repeat);
        if (repeat == 0)
            rows_note(rows);
        campaign_row_path(c, i, path);
        if (c->done[i])
            file_append(rows->file, path);
        else
            results_write_row(rows->file, c->s, i / c->s->conf.repeat, repeat, NULL);
    }
    rows_note(rows);
}

static void write_parts(struct campaign *c, FILE *out, const char *ending)
{
    for (size_t i = 0; i < c->runs; i++) {
        char path[PATH_LONG];
        part_path(c, i, ending, path);
        if (c->done[i])
            file_append(out, path);
    }
}

static void write_columns(struct campaign *c, FILE *out, const char *argument)
{
    (void)argument;
    results_write_columns(out, c->s);
}

static void write_messages(struct campaign *c, FILE *out, const char *argument)
{
    results_write_message_head(out);
    write_parts(c, out, argument);
}

static void write_bins(struct campaign *c, FILE *out, const char *argument)
{
    fputs("point,repeat,from_us,to_us,count\n", out);
    write_parts(c, out, argument);
}

static void write_sizes(struct campaign *c, FILE *out, const char *argument)
{
    fputs("point,repeat,from_octets,to_octets,count\n", out);
    write_parts(c, out, argument);
}

static void write_slowdowns(struct campaign *c, FILE *out, const char *argument)
{
    fputs("point,repeat,from_octets,to_octets,n,mean,p50,p99\n", out);
    write_parts(c, out, argument);
}

static bool write_file(struct campaign *c, const char *sub, const char *name,
                       void (*write)(struct campaign *, FILE *, const char *), const char *argument)
{
    char path[PATH_LONG];
    struct whole_file f;
    file_path(path, c->dir, sub, name, "");
    if (!file_begin(&f, path))
        return cannot_write(path);
    write(c, f.out, argument);
    return file_commit(&f, true) || cannot_write(path);
}

static bool write_beside(struct campaign *c)
{
    char dist[PATH_LONG];
    file_path(dist, c->dir, "", "dist", "");
    if (!make_own_folder(dist))
        return cannot_write(dist);
    return write_file(c, "", "columns.tsv", write_columns, "") &&
           write_file(c, "dist", "latency.csv", write_bins, ".latency") &&
           write_file(c, "dist", "early.csv", write_bins, ".early") &&
           write_file(c, "dist", "staging.csv", write_sizes, ".staging") &&
           write_file(c, "dist", "slowdown.csv", write_slowdowns, ".slowdown") &&
           (!c->o->messages || write_file(c, "", "messages.csv", write_messages, ".messages"));
}

static void write_manifest(struct campaign *c, FILE *out, const char *results_sha256)
{
    char scenario_sha256[SHA256_TEXT] = "", *claim = claim_text(c->s, c->o);
    char *essence = claim ? campaign_essence(claim) : NULL;
    if (essence)
        sha256_text(essence, strlen(essence), scenario_sha256);
    free(essence);
    free(claim);
    struct manifest m = {c->s, c->o, c->runs, c->wall, c->tool, results_sha256, scenario_sha256};
    manifest_write(&m, out);
}

/* ---- what the repeats say together ---- */

static bool write_table(const struct campaign *c, struct rows *rows, const char *name,
                        bool (*write)(FILE *, const struct scenario *, struct rows *, char *))
{
    char path[PATH_LONG], error[TABLE_ERROR_MAX];
    struct whole_file f;
    file_path(path, c->dir, "", name, "");
    if (!file_begin(&f, path))
        return cannot_write(path);
    if (!write(f.out, c->s, rows, error)) {
        file_abandon(&f);
        fprintf(stderr, "iwarpsim: %s: %s\n", path, error);
        return false;
    }
    return file_commit(&f, true) || cannot_write(path);
}

/* summary.csv; with repeats paired.csv, too. */
static bool write_summaries(const struct campaign *c, struct rows *rows)
{
    return write_table(c, rows, "summary.csv", summary_write) &&
           (c->s->conf.repeat < 2 || write_table(c, rows, "paired.csv", paired_write));
}

static void remove_folder(const char *path)
{
    empty_folder(path, "");
    rmdir(path);
}

void campaign_remove(const char *dir)
{
    static const char *const folders[] = {"dist", "trace", "pcap", "points"};
    if (!make_own_folder(dir)) /* a link: what is there is not ours */
        return;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[PATH_LONG];
        file_path(path, dir, "", folders[i], "");
        remove_folder(path);
    }
    remove_folder(dir);
}

/* What a process that was killed had begun to write here; nobody else does, for this one holds the lock. */
static void remove_begun(const char *path)
{
    static const char ending[] = ".part";
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t len = strlen(e->d_name), end = sizeof ending - 1;
        char name[PATH_LONG];
        file_path(name, path, "", e->d_name, "");
        if (len > end && strcmp(e->d_name + len - end, ending) == 0)
            unlink(name);
    }
    if (dir)
        closedir(dir);
}

static void remove_leftovers(const struct campaign *c)
{
    char path[PATH_LONG];
    file_path(path, c->dir, "", "dist", "");
    remove_begun(path);
    remove_begun(c->dir);
    file_path(path, c->dir, "", "results.partial.csv", "");
    unlink(path);
    file_path(path, c->dir, "", "points", "");
    remove_folder(path);
}

/* What is made of the rows, and what stands beside them. */
static bool write_others(struct campaign *c, struct rows *rows, const char *path)
{
    char sha256[SHA256_TEXT];
    if (!rows_written(rows) || !sha256_file(rows->file, sha256))
        return cannot_write(path);
    return write_summaries(c, rows) && write_beside(c) &&
           write_file(c, "", "manifest.json", write_manifest, sha256);
}

/* results.csv gets its name last, for that says that all is there. */
static bool write_all(struct campaign *c)
{
    char path[PATH_LONG];
    struct whole_file results;
    struct rows rows;
    file_path(path, c->dir, "", "results.csv", "");
    if (!file_begin(&results, path))
        return cannot_write(path);
    bool good = rows_init(&rows, results.out, c->s->points) || out_of_memory();
    if (good) {
        write_results(c, &rows);
        good = write_others(c, &rows, path);
    }
    rows_free(&rows);
    if (good)
        return file_commit(&results, true) || cannot_write(path);
    file_abandon(&results);
    return false;
}

bool campaign_finish(struct campaign *c, bool clean)
{
    bool good = write_all(c);
    if (good && clean)
        remove_leftovers(c);
    return good;
}
