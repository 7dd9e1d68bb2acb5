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

#include "helpers/base/built.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/quote.h"
#include "helpers/base/sha256.h"
#include "helpers/campaign/enough.h"
#include "helpers/campaign/manifest_read.h"
#include "helpers/campaign/short_runs.h"
#include "helpers/scenario/identity.h"
#include "helpers/scenario/named_file.h"
#include "helpers/trial/results.h"

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c && strchr("._+-~:,%", c));
}

void point_id(char id[ID_MAX], const char *label, uint32_t repeat)
{
    char sum[SHA256_TEXT];
    bool other = false;
    size_t used = 0;
    for (const char *c = label; *c; c++) {
        bool plain = is_plain(*c) && (used || *c != '.');
        other |= !plain && *c != '/';
        id[used++] = (char)(plain ? *c : '_');
    }
    sha256_text(label, strlen(label), sum);
    snprintf(id + used, ID_MAX - used, "%s%.*s-r%u", other ? "~" : "", other ? 12 : 0, sum, repeat);
}

/* ---- whose it is ---- */

enum { FILES_SEEN = 256 };

static const char claim_name[] = "# scenario "; /* the first line: its name */

/* What `use` was called for. */
struct seen {
    const struct named_file *file[FILES_SEEN];
    size_t count;
};

static bool is_new(struct seen *seen, const struct named_file *file)
{
    for (size_t i = 0; i < seen->count; i++)
        if (seen->file[i] == file)
            return false;
    if (seen->count == FILES_SEEN)
        return false;
    seen->file[seen->count++] = file;
    return true;
}

bool campaign_files(const struct scenario *s, bool (*use)(const struct named_file *, void *), void *context)
{
    struct seen seen = {.count = 0};
    for (size_t i = 0; i < s->points; i++) {
        struct scenario_point p;
        char error[SCENARIO_ERROR_MAX];
        const struct named_file *files[NAMED_FILES];
        scenario_point(s, i, 0, &p, error);
        size_t n = named_files(s->file, &p, files);
        for (size_t j = 0; j < n; j++)
            if (is_new(&seen, files[j]) && !use(files[j], context))
                return false;
    }
    return true;
}

static bool claim_file(const struct named_file *file, void *out)
{
    fprintf(out, "# %s %s\n", file->name, file->sha256);
    return true;
}

/* The campaign has a copy of its own, which its points read. */
static bool copy_file(const struct named_file *file, void *dir)
{
    char path[PATH_LONG];
    file_path(path, dir, "", file->name, "");
    return file_exists(path) || file_copy(file->path, path) || cannot_write(false, "", path);
}

char *campaign_claim_text(const struct scenario *s, const struct run_options *o)
{
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));
    fprintf(out, "%s%s\n# iwarpsim %s", claim_name, s->name, IWARPSIM_VERSION);
    run_options_outputs(o, out);
    putc('\n', out);
    campaign_files(s, claim_file, out);
    scenario_write(s, out);
    need(fclose(out) == 0 ? text : NULL);
    return text;
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

static bool same_essence(const char *dir, const char *have, const char *want)
{
    const char *a, *b;
    if (strcmp(have, want) == 0)
        return true;
    different_lines(have, want, &a, &b);
    return complain(false, "",
                    "%s holds the results of another scenario: it has '%.*s' where this one has %s%.*s%s; "
                    "choose another --out",
                    dir, (int)strcspn(a, "\n"), a, *b ? "'" : "nothing", (int)strcspn(b, "\n"), b,
                    *b ? "'" : "");
}

bool campaign_same_claim(const char *dir, const char *have, const char *want)
{
    char *a = campaign_essence(have), *b = campaign_essence(want);
    text_make_plain(a, true); /* it will be shown, and nobody has read it yet */
    bool same = same_essence(dir, a, b);
    free(a);
    free(b);
    return same;
}

static bool write_claim(const char *path, const char *text)
{
    struct whole_file f;
    if (!file_begin(&f, path))
        return cannot_write(false, "", path);
    fputs(text, f.out);
    return file_commit(&f, false) || cannot_write(false, "", path);
}

/* Is it there? False: nobody can say, which was printed. */
static bool is_there(const char *dir, const char *name, bool *there)
{
    char path[PATH_LONG];
    file_path(path, dir, "", name, "");
    *there = file_exists(path);
    return *there || file_is_gone(errno) || cannot_read(false, "", path);
}

static bool claim_folder(const char *dir, const char *text)
{
    char path[PATH_LONG];
    size_t size;
    bool results;
    if (!make_folder(dir))
        return cannot_write(false, "", dir);
    file_path(path, dir, "", "scenario.yaml", "");
    char *have = file_read(path, &size);
    if (!have && !file_is_gone(errno))
        return cannot_read(false, "", path);
    if (!have && !is_there(dir, "results.csv", &results))
        return false;
    if (!have && results)
        return complain(false, "", "%s holds a results.csv of unknown origin; choose another --out", dir);
    bool good = !have || campaign_same_claim(dir, have, text);
    if (good && (!have || strcmp(have, text))) /* another title or plot: the new one */
        good = write_claim(path, text);
    free(have);
    return good;
}

bool campaign_claim(const struct scenario *s, const struct run_options *o)
{
    char *text = campaign_claim_text(s, o);
    bool good = claim_folder(o->out, text) && campaign_files(s, copy_file, (void *)(uintptr_t)o->out);
    free(text);
    return good;
}

char *campaign_name(const char *scenario)
{
    size_t size, len = strlen(claim_name);
    char *text = file_read(scenario, &size);
    char *name = NULL;
    if (text)
        errno = 0;
    if (text && strncmp(text, claim_name, len) == 0)
        name = strndup(text + len, strcspn(text + len, "\n"));
    free(text);
    return name;
}

struct scenario *campaign_open(const char *scenario, char *error)
{
    struct scenario *s = scenario_load(scenario, NULL, 0, error);
    char *name = s ? campaign_name(scenario) : NULL;
    if (s && !name && errno) {
        snprintf(error, SCENARIO_ERROR_MAX, "%s: cannot be read: %s", scenario, strerror(errno));
        scenario_free(s);
        return NULL;
    }
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

bool campaign_flags(const char *scenario, struct run_options *o)
{
    size_t size;
    char *text = file_read(scenario, &size), *line = text ? strchr(text, '\n') : NULL;
    if (!text)
        return false;
    if (line) {
        line[1 + strcspn(line + 1, "\n")] = 0; /* the second line */
        run_options_take_outputs(o, line);
    }
    free(text);
    return true;
}

bool campaign_lock(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        return true;
    if (fd >= 0 && errno == EWOULDBLOCK)
        return complain(false, "", "another iwarpsim is running in %s", dir);
    return complain(false, "", "%s cannot be %s: %s", dir, fd < 0 ? "opened" : "locked", strerror(errno));
}

/* ---- what is done ---- */

void campaign_label(const struct campaign *c, size_t run, char label[SCENARIO_LABEL_MAX], uint32_t *repeat)
{
    *repeat = (uint32_t)(run % c->s->conf.repeat);
    scenario_label(c->s, run / c->s->conf.repeat, label);
}

void campaign_part_path(const struct campaign *c, size_t run, const char *ending, char path[PATH_LONG])
{
    char label[SCENARIO_LABEL_MAX], id[ID_MAX];
    uint32_t repeat;
    campaign_label(c, run, label, &repeat);
    point_id(id, label, repeat);
    file_path(path, c->dir, "points", id, ending);
}

static enum row_state messages_state(const struct campaign *c, size_t run)
{
    char path[PATH_LONG];
    campaign_part_path(c, run, ".messages", path);
    return file_exists(path) ? ROW_WHOLE : file_is_gone(errno) ? ROW_MISSING : ROW_UNREADABLE;
}

enum row_state campaign_row(const struct campaign *c, size_t run, struct row *r)
{
    char path[PATH_LONG], identity[SHA256_TEXT];
    uint32_t repeat = c->s->conf.repeat;
    campaign_part_path(c, run, ".row", path);
    enum row_state state = row_read(r, path);
    if (state != ROW_WHOLE)
        return state;
    scenario_identity(c->s, run / repeat, (uint32_t)(run % repeat), identity);
    if (strcmp(r->identity, identity))
        return ROW_FOREIGN;
    return c->o->messages ? messages_state(c, run) : ROW_WHOLE;
}

static FILE *open_partial(const struct campaign *c, bool append)
{
    char path[PATH_LONG];
    file_path(path, c->dir, "", "results.partial.csv", "");
    return file_open_own(path, append);
}

bool campaign_is_mine(const struct campaign *c, size_t run)
{
    return (c->o->shards == 0 || run % c->o->shards == c->o->shard - 1) &&
           (!c->enough || enough_takes(c->enough, run));
}

void campaign_count(struct campaign *c)
{
    c->mine = c->done_count = 0;
    for (size_t i = 0; i < c->runs; i++)
        if (campaign_is_mine(c, i)) {
            c->mine++;
            c->done_count += c->done[i];
        }
}

static void count_version(struct campaign *c, size_t run, const struct row *r)
{
    enum point_world world = scenario_world(c->s, run / c->s->conf.repeat);
    size_t i = 0;
    while (i < c->versions && (c->version[i].world != world || strcmp(c->version[i].commit, r->commit) ||
                               strcmp(c->version[i].simulator, r->simulator)))
        i++;
    if (i == VERSIONS_MAX)
        return;
    if (i == c->versions) {
        c->version[i] = (struct campaign_version){.world = world};
        memcpy(c->version[i].commit, r->commit, sizeof r->commit);
        memcpy(c->version[i].simulator, r->simulator, sizeof r->simulator);
        c->versions++;
    }
    c->version[i].rows++;
}

static uint8_t status_number(const char *name)
{
    uint8_t status = 0;
    while (status < STATUS_CRASHED && strcmp(status_names[status], name))
        status++;
    return status;
}

static void take_row(struct campaign *c, size_t run, const struct row *r, FILE **partial)
{
    c->done[run] = true;
    c->status[run] = status_number(r->status);
    c->done_count += campaign_is_mine(c, run);
    count_version(c, run, r);
    short_runs_note(c->short_runs, run, r);
    if (c->enough)
        enough_note(c->enough, run, r);
    if (!*partial)
        *partial = open_partial(c, true);
    if (*partial)
        fwrite(r->section[ROW_LINE].octets, 1, r->section[ROW_LINE].size, *partial);
}

static void look_at(struct campaign *c, size_t run, FILE **partial)
{
    struct row r;
    if (c->done[run])
        return;
    enum row_state state = campaign_row(c, run, &r);
    if (state == ROW_WHOLE) {
        take_row(c, run, &r, partial);
    } else if (state == ROW_UNREADABLE) {
        c->unread = run;
        c->unread_why = errno;
    }
    row_free(&r);
}

void campaign_update(struct campaign *c)
{
    FILE *partial = NULL;
    c->unread_why = 0;
    for (size_t i = 0; i < c->runs; i++)
        look_at(c, i, &partial);
    if (partial)
        fclose(partial);
}

bool campaign_was_read(const struct campaign *c)
{
    char path[PATH_LONG];
    if (!c->unread_why)
        return true;
    campaign_part_path(c, c->unread, ".row", path);
    errno = c->unread_why;
    return cannot_read(false, "", path);
}

/* What lies there and cannot be used is named and goes. */
static void remove_wrong(const struct campaign *c, size_t run)
{
    struct row r;
    char path[PATH_LONG];
    file_path(path, c->dir, "", "points", "");
    if (!make_own_folder(path)) /* a link: what is there is not ours */
        return;
    campaign_part_path(c, run, ".row", path);
    enum row_state state = campaign_row(c, run, &r);
    row_free(&r);
    if (state != ROW_DAMAGED && state != ROW_FOREIGN)
        return;
    complain(0, "", "%s is %s: running it again", path,
             state == ROW_DAMAGED ? "damaged" : "the row of another run");
    unlink(path);
}

static void remove_final(const struct campaign *c)
{
    static const char *const names[] = {"results.csv", "rows.tsv", "costs.csv", "manifest.json"};
    for (int i = 0; i < 4; i++) {
        char path[PATH_LONG];
        file_path(path, c->dir, "", names[i], "");
        unlink(path);
    }
}

struct left {
    const char *dir;
    bool changed, unreadable;
};

static void say_changed(void *context, const char *name, enum manifest_file_state state)
{
    struct left *l = context;
    char path[PATH_LONG];
    if (state == FILE_SAME || strncmp(name, "trace/", 6) == 0 || strncmp(name, "series/", 7) == 0 ||
        strncmp(name, "pcap/", 5) == 0)
        return;
    if (state == FILE_UNREADABLE) {
        file_path(path, l->dir, "", name, "");
        l->unreadable = !cannot_read(false, "", path);
        return;
    }
    l->changed = true;
    complain(0, "", "%s is %s: running its points again", name,
             state == FILE_MISSING ? "gone" : "not the file that manifest.json describes");
}

/* Are the files of a finished campaign those that its manifest describes? Traces and captures may be gone. False: nobody
 * can say now, which was printed. */
static bool is_as_it_was_left(const struct campaign *c, bool *same)
{
    char path[PATH_LONG], error[512];
    struct manifest_read m;
    struct left left = {.dir = c->dir};
    *same = false;
    file_path(path, c->dir, "", "manifest.json", "");
    if (!manifest_read(&m, path, error)) {
        bool unreadable = errno && !file_is_gone(errno) && !file_is_odd(errno);
        complain(0, "", "%s%s", error, unreadable ? "" : ": running its points again");
        return !unreadable;
    }
    manifest_compare(&m, c->dir, say_changed, &left);
    manifest_read_free(&m);
    *same = !left.changed;
    return !left.unreadable;
}

bool campaign_survey(struct campaign *c, bool *complete)
{
    bool results, points;
    *complete = false;
    campaign_count(c);
    if (!is_there(c->dir, "results.csv", &results) || !is_there(c->dir, "points", &points))
        return false;
    if (results && !points && !is_as_it_was_left(c, complete))
        return false;
    if (*complete)
        return true;
    remove_final(c);
    FILE *partial = open_partial(c, false);
    if (partial) {
        results_write_head(partial, c->s);
        fclose(partial);
    }
    campaign_update(c);
    for (size_t i = 0; i < c->runs; i++)
        if (!c->done[i])
            remove_wrong(c, i);
    return campaign_was_read(c);
}

/* ---- versions ---- */

void campaign_init(struct campaign *c, const struct scenario *s, const struct run_options *o)
{
    c->s = s;
    c->o = o;
    c->runs = s->points * s->conf.repeat;
    c->done = need(calloc(c->runs, sizeof *c->done));
    c->status = need(calloc(c->runs, sizeof *c->status));
    c->short_runs = short_runs_new(s);
    c->enough = s->conf.until > 0 ? enough_new(s) : NULL;
}

void campaign_free(struct campaign *c)
{
    enough_free(c->enough);
    short_runs_free(c->short_runs);
    free(c->done);
    free(c->status);
}

static bool is_version_of_today(const struct campaign_version *v)
{
    char simulator[FACT_MAX];
    program_simulator(v->world, simulator);
    return strcmp(v->commit, built_commit) == 0 && strcmp(v->simulator, simulator) == 0;
}

bool campaign_same_version(const struct campaign *c)
{
    bool same = true;
    for (size_t i = 0; i < c->versions; i++)
        same &= is_version_of_today(&c->version[i]);
    if (same || c->o->mixed)
        return true;
    fprintf(stderr, "iwarpsim: %s holds rows of other versions:", c->dir);
    for (size_t i = 0; i < c->versions; i++)
        fprintf(stderr, "%s %.12s on %s (%zu)", i ? "," : "", c->version[i].commit, c->version[i].simulator,
                c->version[i].rows);
    fprintf(stderr, "; this is %.12s: choose another --out, or --mixed to add to them\n", built_commit);
    return false;
}

/* ---- removing ---- */

static bool remove_folder(const char *path)
{
    return empty_folder(path, "") && rmdir(path) == 0;
}

void campaign_remove(const char *dir)
{
    static const char *const folders[] = {"dist", "trace", "series", "pcap", "points"};
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
static bool remove_begun(const char *path)
{
    DIR *dir = opendir(path);
    bool good = dir != NULL;
    errno = good ? 0 : errno;
    for (struct dirent *e; good && (e = readdir(dir));) {
        char name[PATH_LONG];
        file_path(name, path, "", e->d_name, "");
        if (name_ends(e->d_name, ".part"))
            good = unlink(name) == 0;
    }
    int why = errno;
    if (dir)
        closedir(dir);
    errno = why;
    return why == 0;
}

static bool cannot_remove(const char *path)
{
    return complain(false, "", "%s cannot be removed: %s; the results are whole", path, strerror(errno));
}

/* points/ goes last: while it is there, the same command does this again. */
bool campaign_remove_leftovers(const struct campaign *c)
{
    char dist[PATH_LONG], partial[PATH_LONG], points[PATH_LONG];
    file_path(dist, c->dir, "", "dist", "");
    file_path(partial, c->dir, "", "results.partial.csv", "");
    file_path(points, c->dir, "", "points", "");
    if (!remove_begun(dist))
        return cannot_remove(dist);
    if (!remove_begun(c->dir))
        return cannot_remove(c->dir);
    if (unlink(partial) != 0 && !file_is_gone(errno))
        return cannot_remove(partial);
    return remove_folder(points) || cannot_remove(points);
}
