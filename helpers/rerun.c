/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rerun.c -- iwarpsim rerun: does a result come out again as it was, octet for octet? */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/arguments.h"
#include "helpers/campaign.h"
#include "helpers/command.h"
#include "helpers/files.h"
#include "helpers/manifest.h"
#include "helpers/run_point.h"
#include "helpers/sha256.h"
#include "helpers/table.h"

static const char help[] =
    "usage: iwarpsim rerun DIR [--jobs N] [--out DIR]\n"
    "\n"
    "Runs again what made DIR, from its scenario.yaml and manifest.json, and compares results.csv: says "
    "\"identical\", or\n"
    "names the first cell that differs. Versions that differ from those in the manifest are told; those of "
    "iwarpsim and\n"
    "of the world's simulator must match for identical octets. A run that was interrupted goes on.\n"
    "\n"
    "  --jobs N    points at the same time (all processors)\n"
    "  --out DIR   where it runs (DIR/rerun); removed when identical, unless this is given\n"
    "\n"
    "Exit: 0 identical; 3 it is not; 2 DIR is not what its manifest says.\n";

struct rerun {
    const char *dir;
    char scenario[PATH_LONG], out[PATH_LONG];
    bool keep;
    struct run_options o;
    struct manifest_read manifest;
};

static int wrong(const char *what, const char *value)
{
    fprintf(stderr, "iwarpsim rerun: %s%s%s\n", what, value ? ": " : "", value ? value : "");
    return EXIT_INPUT;
}

/* ---- is the folder what its manifest says ---- */

static char *whole_text(const char *text)
{
    return strdup(text);
}

/* Has the file this sum, or what `part` takes of it? */
static bool has_sum(const char *dir, const char *name, char *(*part)(const char *), const char *sum)
{
    char path[PATH_LONG], found[SHA256_TEXT] = "";
    size_t size;
    file_path(path, dir, "", name, "");
    char *text = file_read(path, &size), *counts = text ? part(text) : NULL;
    if (counts)
        sha256_text(counts, strlen(counts), found);
    free(counts);
    free(text);
    if (strcmp(found, sum) == 0)
        return true;
    fprintf(stderr, "iwarpsim rerun: %s is not the file that manifest.json describes\n", path);
    return false;
}

static bool is_whole(const struct rerun *r)
{
    return has_sum(r->dir, "results.csv", whole_text, r->manifest.results_sha256) &&
           has_sum(r->dir, "scenario.yaml", campaign_essence, r->manifest.scenario_sha256);
}

/* Versions then and now: why the results differ, or what did not matter. */
static void tell_versions(const struct rerun *r, bool identical)
{
    struct manifest_facts now;
    manifest_facts(&now);
    for (int i = 0; i < FACTS; i++) {
        const char *then = r->manifest.facts.of[i], *here = now.of[i];
        if (*then && strcmp(then, here))
            fprintf(stderr, "iwarpsim rerun: %s was '%s', is '%s'%s\n", manifest_fact_rows[i].name, then,
                    *here ? here : "not there",
                    identical                          ? ""
                    : manifest_fact_rows[i].must_match ? ": identical results need the same"
                                                       : "");
    }
}

/* ---- the comparison ---- */

static const char *cell_or_head(const struct table *t, size_t line, size_t column)
{
    return t->cell[line * t->columns + column];
}

static void say_cell(const struct table *was, const struct table *is, size_t line, size_t column)
{
    const char *name = cell_or_head(was, 0, column);
    if (line == 0)
        fprintf(stderr, "iwarpsim rerun: column %zu was called %s, now %s\n", column + 1, name,
                cell_or_head(is, 0, column));
    else
        fprintf(stderr, "iwarpsim rerun: row %zu, point %s repeat %s: %s was %s, now %s\n", line,
                table_cell(was, line - 1, table_column(was, "point")),
                table_cell(was, line - 1, table_column(was, "repeat")), name, cell_or_head(was, line, column),
                cell_or_head(is, line, column));
}

static bool same_cells(const struct table *was, const struct table *is)
{
    if (was->columns != is->columns || was->rows != is->rows) {
        fprintf(stderr, "iwarpsim rerun: %zu rows of %zu columns were %zu rows of %zu\n", is->rows,
                is->columns, was->rows, was->columns);
        return false;
    }
    for (size_t line = 0; line <= was->rows; line++)
        for (size_t column = 0; column < was->columns; column++)
            if (strcmp(cell_or_head(was, line, column), cell_or_head(is, line, column))) {
                say_cell(was, is, line, column);
                return false;
            }
    return true;
}

static bool same_results(const struct rerun *r)
{
    char path[PATH_LONG], error[TABLE_ERROR_MAX];
    struct table was = {0}, is = {0};
    file_path(path, r->dir, "", "results.csv", "");
    bool read = table_read(&was, path, error);
    file_path(path, r->out, "", "results.csv", "");
    read = read && table_read(&is, path, error);
    if (!read)
        fprintf(stderr, "iwarpsim rerun: %s\n", error);
    bool same = read && same_cells(&was, &is);
    table_free(&was);
    table_free(&is);
    return same;
}

/* ---- the run ---- */

static int compare(const struct rerun *r)
{
    if (!same_results(r)) {
        tell_versions(r, false);
        fprintf(stderr, "iwarpsim rerun: not identical; what came out is in %s\n", r->out);
        return EXIT_FAILED;
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
        return wrong(error, NULL);
    campaign_flags(r->scenario, &r->o);
    r->o.file = r->scenario;
    r->o.out = r->out;
    r->o.quiet = true;
    int status = run_scenario(&r->o, s);
    scenario_free(s);
    file_path(path, r->out, "", "results.csv", "");
    if (status == EXIT_INTERRUPTED || !file_exists(path))
        return status == EXIT_DONE ? EXIT_FAILED : status;
    r->o.out = r->out;
    return compare(r);
}

static int with_folder(struct rerun *r, const char *out)
{
    char path[PATH_LONG], error[512];
    file_path(path, r->dir, "", "manifest.json", "");
    if (!manifest_read(&r->manifest, path, error))
        return wrong(error, NULL);
    if (!is_whole(r))
        return EXIT_INPUT;
    file_path(r->scenario, r->dir, "", "scenario.yaml", "");
    r->keep = out != NULL;
    if (out)
        snprintf(r->out, sizeof r->out, "%s", out);
    else
        file_path(r->out, r->dir, "", "rerun", "");
    return rerun(r);
}

static int take_jobs(struct rerun *r, const char *text)
{
    uint64_t n;
    if (!argument_number(text, 4096, &n) || n == 0)
        return wrong("--jobs needs a number from 1 to 4096, not", text);
    r->o.jobs = (unsigned)n;
    return -1;
}

int command_rerun(int argc, char **argv)
{
    static const struct option options[] = {{"out", required_argument, NULL, 'o'},
                                            {"jobs", required_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    static struct rerun r;
    const char *out = NULL;
    int option, status = -1;
    optind = 1;
    opterr = 0;
    while (status < 0 && (option = getopt_long(argc, argv, "h", options, NULL)) != -1)
        switch (option) {
        case 'o': out = optarg; break;
        case 'j': status = take_jobs(&r, optarg); break;
        case 'h': fputs(help, stdout); return EXIT_DONE;
        default: return wrong("this is not an option, or lacks its value", argv[optind - 1]);
        }
    if (status >= 0)
        return status;
    if (optind + 1 != argc)
        return wrong("one folder of results at a time. Try `iwarpsim rerun --help`", NULL);
    r.dir = argv[optind];
    return with_folder(&r, out);
}
