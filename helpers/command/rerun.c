/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rerun.c -- iwarpsim rerun: does a result come out again as it was, octet for octet? */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/sha256.h"
#include "helpers/base/table.h"
#include "helpers/campaign/campaign.h"
#include "helpers/campaign/manifest_read.h"
#include "helpers/command.h"

static const char help[] =
    "usage: iwarpsim rerun DIR [--jobs N] [--out DIR]\n"
    "\n"
    "Repeats the run that made DIR, from its scenario.yaml and manifest.json, and compares results.csv: "
    "says\n"
    "\"identical\", or names the first cell that differs. It also names versions that differ from the "
    "manifest; those\n"
    "of iwarpsim and of the world's simulator must match for identical octets. An interrupted rerun "
    "resumes.\n"
    "\n"
    "  --jobs N    points to run at a time (all processors)\n"
    "  --out DIR   folder to run in (DIR/rerun); without --out it is removed when identical\n"
    "\n"
    "Exit: 0 identical; 3 different; 2 DIR is not what its manifest says.\n";

struct rerun {
    const char *dir;
    char scenario[PATH_LONG], out[PATH_LONG];
    bool keep, wrong;
    struct run_options o;
    struct manifest_read manifest;
};

/* ---- is the folder what its manifest says ---- */

static bool has_sum(const char *dir, const char *name, bool (*sum_of)(const char *, char *), const char *sum)
{
    char path[PATH_LONG], found[SHA256_TEXT];
    file_path(path, dir, "", name, "");
    errno = 0;
    bool read = sum_of(path, found);
    if (!read && errno && !file_is_gone(errno) && !file_is_odd(errno))
        return cannot_read(false, "rerun", path);
    return (read && strcmp(found, sum) == 0) ||
           complain(false, "rerun", "%s is not the file that manifest.json describes", path);
}

static void say_changed(void *context, const char *name, enum manifest_file_state state)
{
    struct rerun *r = context;
    if (state == FILE_UNREADABLE)
        complain(0, "rerun", "%s/%s cannot be read: %s", r->dir, name, strerror(errno));
    else if (state != FILE_SAME && !r->wrong)
        complain(0, "rerun", "%s/%s is not the file that manifest.json describes", r->dir, name);
    r->wrong |= state != FILE_SAME;
}

static bool campaign_is_whole(struct rerun *r)
{
    if (!has_sum(r->dir, "results.csv", manifest_sum, r->manifest.results_sha256) ||
        !has_sum(r->dir, "scenario.yaml", manifest_scenario_sum, r->manifest.scenario_sha256))
        return false;
    manifest_compare(&r->manifest, r->dir, say_changed, r);
    manifest_read_free(&r->manifest);
    return !r->wrong;
}

/* Versions then and now: why the results differ, or what did not matter. */
static void tell_versions(const struct rerun *r, bool identical)
{
    struct manifest_facts now;
    bool used[WORLDS];
    for (int w = 0; w < WORLDS; w++)
        used[w] = *r->manifest.facts.of[FACT_WORLD + w];
    manifest_facts(&now, used);
    for (int i = 0; i < FACTS; i++) {
        const char *then = r->manifest.facts.of[i], *here = now.of[i];
        if (*then && strcmp(then, here))
            complain(0, "rerun", "%s was '%s' and is now '%s'%s", manifest_fact_name(i), then,
                     *here ? here : "not there",
                     !identical && manifest_fact_must_match(i) ? ": identical results need the same" : "");
    }
}

/* ---- the comparison ---- */

/* A results.csv, read line by line. */
struct lines {
    FILE *in;
    char *head, *line;
    size_t number, room; /* of the line, the head is 0 */
};

static bool open_lines(struct lines *l, const char *dir)
{
    char path[PATH_LONG];
    size_t room = 0;
    *l = (struct lines){0};
    file_path(path, dir, "", "results.csv", "");
    l->in = file_open_plain(path);
    return (l->in && getline(&l->head, &room, l->in) > 0) ||
           complain(false, "rerun", "%s: cannot be read", path);
}

static void close_lines(struct lines *l)
{
    if (l->in)
        fclose(l->in);
    free(l->head);
    free(l->line);
}

static bool next_line(struct lines *l)
{
    bool more = getline(&l->line, &l->room, l->in) > 0;
    l->number += more;
    return more;
}

static size_t count_rows(struct lines *l)
{
    while (next_line(l))
        ;
    return l->number;
}

/* The head, or the head and a row, as a table. */
static bool cells_of(const struct lines *l, const char *row, struct table *t)
{
    size_t head = strlen(l->head), len = head + strlen(row);
    char error[TABLE_ERROR_MAX], *text = malloc(len + 1);
    if (!text)
        return false;
    memcpy(text, l->head, head);
    memcpy(text + head, row, len - head + 1);
    return table_parse(t, "results.csv", text, len, error) ||
           complain(false, "rerun", "row %zu: %s", l->number, error);
}

static void say_columns(const struct table *was, const struct table *is)
{
    size_t column = 0;
    while (column < was->columns && column < is->columns && !strcmp(was->cell[column], is->cell[column]))
        column++;
    if (column < was->columns && column < is->columns)
        complain(0, "rerun", "column %zu was called %s, now %s", column + 1, was->cell[column],
                 is->cell[column]);
    else
        complain(0, "rerun", "%zu columns, not %zu", is->columns, was->columns);
}

static const char *named(const struct table *t, const char *column)
{
    size_t i = table_column(t, column);
    return i < t->columns ? table_cell(t, 0, i) : "?";
}

static void say_cell(const struct table *was, const struct table *is, size_t row)
{
    size_t column = 0;
    while (column + 1 < was->columns && !strcmp(table_cell(was, 0, column), table_cell(is, 0, column)))
        column++;
    complain(0, "rerun", "row %zu, point %s repeat %s: %s was %s, now %s", row, named(was, "point"),
             named(was, "repeat"), was->cell[column], table_cell(was, 0, column), table_cell(is, 0, column));
}

static void say_different(const struct lines *was, const struct lines *is, bool heads)
{
    struct table a = {0}, b = {0};
    if (cells_of(was, heads ? "" : was->line, &a) && cells_of(is, heads ? "" : is->line, &b)) {
        if (heads)
            say_columns(&a, &b);
        else
            say_cell(&a, &b, was->number);
    }
    table_free(&a);
    table_free(&b);
}

static bool same_lines(struct lines *was, struct lines *is)
{
    bool heads = strcmp(was->head, is->head) != 0;
    if (heads) {
        say_different(was, is, heads);
        return false;
    }
    while (next_line(was)) {
        if (!next_line(is))
            break;
        if (strcmp(was->line, is->line)) {
            say_different(was, is, heads);
            return false;
        }
    }
    count_rows(was);
    count_rows(is);
    if (ferror(was->in) || ferror(is->in))
        return cannot_read(false, "rerun", "results.csv");
    return is->number == was->number ||
           complain(false, "rerun", "%zu rows, not %zu", is->number, was->number);
}

static bool same_results(const struct rerun *r)
{
    struct lines was = {0}, is = {0};
    bool same = open_lines(&was, r->dir) && open_lines(&is, r->out) && same_lines(&was, &is);
    close_lines(&was);
    close_lines(&is);
    return same;
}

/* ---- the run ---- */

static int compare_rows(const struct rerun *r)
{
    if (!same_results(r)) {
        tell_versions(r, false);
        return complain(EXIT_FAILED, "rerun", "not identical; the new results are in %s", r->out);
    }
    tell_versions(r, true);
    printf("identical: %s/results.csv\n", r->dir);
    if (!r->keep)
        campaign_remove(r->out);
    return EXIT_DONE;
}

/* A point that ended at a limit is a result as well; only what was never finished is not. */
static int rerun(struct rerun *r)
{
    char path[PATH_LONG], error[SCENARIO_ERROR_MAX];
    struct scenario *s = campaign_open(r->scenario, error);
    if (!s)
        return complain(EXIT_INPUT, "rerun", "%s", error);
    if (!campaign_flags(r->scenario, &r->o)) {
        scenario_free(s);
        return complain(EXIT_INPUT, "rerun", "%s: %s", strerror(errno), r->scenario);
    }
    r->o.file = r->scenario;
    r->o.out = r->out;
    r->o.quiet = true;
    int status = run_scenario(&r->o, s);
    scenario_free(s);
    file_path(path, r->out, "", "results.csv", "");
    if (status == EXIT_INTERRUPTED || !file_exists(path))
        return status == EXIT_DONE ? EXIT_FAILED : status;
    r->o.out = r->out;
    return compare_rows(r);
}

/* A result that lies there already says nothing of a run today. That of DIR/rerun is ours, and goes. */
static bool is_free(const struct rerun *r)
{
    char path[PATH_LONG];
    file_path(path, r->out, "", "results.csv", "");
    if (!file_exists(path))
        return true;
    if (!r->keep)
        campaign_remove(r->out);
    else
        complain(0, "rerun", "%s holds a result already; choose another --out", r->out);
    return !r->keep;
}

static int with_folder(struct rerun *r, const char *out)
{
    char path[PATH_LONG], error[512];
    file_path(path, r->dir, "", "manifest.json", "");
    if (!manifest_read(&r->manifest, path, error))
        return complain(EXIT_INPUT, "rerun", "%s", error);
    if (!campaign_is_whole(r))
        return EXIT_INPUT;
    file_path(r->scenario, r->dir, "", "scenario.yaml", "");
    r->keep = out != NULL;
    if (out)
        snprintf(r->out, sizeof r->out, "%s", out);
    else
        file_path(r->out, r->dir, "", "rerun", "");
    if (!out && !make_own_folder(r->out))
        return complain(EXIT_INPUT, "rerun", "%s cannot be written: %s; choose another --out", r->out,
                        strerror(errno));
    return is_free(r) ? rerun(r) : EXIT_INPUT;
}

static const struct argument rows[] = {
    ARGUMENT_TEXT("out", struct run_options, out),
    ARGUMENT_NUMBER("jobs", struct run_options, jobs, 1, 4096, NULL),
    {0},
};

int command_rerun(int argc, char **argv)
{
    static struct rerun r;
    int status = arguments_read(argc, argv, "rerun", help, rows, &r.o);
    if (status >= 0)
        return status;
    if (optind + 1 != argc)
        return complain(EXIT_INPUT, "rerun", "one folder of results at a time. Try `iwarpsim rerun --help`");
    r.dir = argv[optind];
    return with_folder(&r, r.o.out);
}
