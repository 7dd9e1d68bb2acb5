/* SPDX-License-Identifier: GPL-2.0-or-later */
/* manifest.c -- manifest.json (manifest.h). */
#include "helpers/campaign/manifest.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helpers/base/built.h"
#include "helpers/base/environment.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/quote.h"
#include "helpers/campaign/campaign.h"
#include "helpers/scenario/binding.h"
#include "helpers/scenario/scenario_check.h"
#include "helpers/scenario/world.h"
#include "helpers/trial/results.h"

/* What stands before it, and its name. */
static void member(FILE *out, const char *before, const char *name)
{
    fputs(before, out);
    quote_json(out, name, false);
    fputs(": ", out);
}

static void text_member(FILE *out, const char *name, const char *text)
{
    member(out, "  ", name);
    quote_json(out, text, false);
    fputs(",\n", out);
}

static void write_command(FILE *out, const struct run_options *o)
{
    char line[8192];
    struct run_options told = *o;
    FILE *memory = need(fmemopen(line, sizeof line, "w"));
    told.notes = false;
    run_options_command(&told, memory);
    run_options_outputs(&told, memory);
    fclose(memory);
    text_member(out, "command", line);
}

/* ---- what all points together tell ---- */

struct survey {
    bool worlds[WORLDS];              /* that some point runs in */
    bool *applies;                    /* of each key: it means something at some point */
    bool *seen;                       /* of each preset: a point has it */
    struct scenario_point *as_preset; /* such a point */
    size_t cases;
    struct scenario_point *as_case; /* a point of each case */
};

static void survey_free(struct survey *v)
{
    free(v->applies);
    free(v->seen);
    free(v->as_preset);
    free(v->as_case);
}

static void survey_points(struct survey *v, const struct scenario *s)
{
    size_t count = scenario_keys(s), cases = 0;
    while (scenario_case_at(s, cases))
        cases++;
    *v = (struct survey){.cases = cases,
                         .as_case = need(calloc(cases + 1, sizeof *v->as_case)),
                         .applies = need(calloc(count, sizeof *v->applies)),
                         .seen = need(calloc(rnic_presets_count, sizeof *v->seen)),
                         .as_preset = need(calloc(rnic_presets_count, sizeof *v->as_preset))};
    for (size_t p = 0; p < s->points; p++) {
        struct scenario_point point;
        char error[SCENARIO_ERROR_MAX];
        if (!scenario_point(s, p, 0, &point, error))
            continue;
        v->worlds[point.world] = true;
        /* survey_free() frees it. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        for (size_t k = 0; k < count; k++)
            v->applies[k] = v->applies[k] || key_applies(scenario_key_at(s, k), &point);
        if (!v->seen[point.preset] || v->as_preset[point.preset].window_free) /* whose window is its own */
            v->as_preset[point.preset] = point;
        v->seen[point.preset] = true;
        for (size_t c = 0; c < cases; c++)
            if (scenario_case_at(s, c) == scenario_case(s, p))
                v->as_case[c] = point;
    }
}

/* ---- what made it ---- */

/* The commit of all rows; "mixed" when they have several. */
static void commit_of_rows(const struct campaign *c, char commit[FACT_MAX])
{
    for (size_t i = 0; i < c->versions; i++)
        snprintf(commit, FACT_MAX, "%s",
                 strcmp(c->version[i].commit, c->version[0].commit) ? "mixed" : commit);
    if (c->versions && strcmp(commit, "mixed"))
        snprintf(commit, FACT_MAX, "%s", c->version[0].commit);
}

/* Of the simulators those that some point ran in. */
static void write_facts(FILE *out, const struct manifest *m, const struct survey *v)
{
    struct manifest_facts facts;
    manifest_facts(&facts, v->worlds);
    commit_of_rows(m->c, facts.of[FACT_COMMIT]);
    for (int i = 0; i < FACTS; i++)
        if (*facts.of[i])
            text_member(out, manifest_fact_name(i), facts.of[i]);
}

/* The members that must be the same for the same octets of results: compilers, C libraries and processors need not. */
static void write_must_match(FILE *out, const struct survey *v)
{
    fputs("  \"must_match\": [\"commit\", \"scenario\"", out);
    for (int w = WORLD_FIRST; w < WORLDS; w++)
        if (v->worlds[w] && worlds[w].simulator)
            fprintf(out, ", \"%s\"", worlds[w].name);
    fputs("],\n", out);
}

/* ---- the scenario ---- */

static void write_axis(FILE *out, const struct scenario_axis *axis)
{
    putc('[', out);
    for (size_t i = 0; i < axis->count; i++) {
        char text[VALUE_TEXT_MAX];
        value_write(&axis->values[i], &axis->key->rules, text, sizeof text);
        fputs(i ? ", " : "", out);
        quote_json(out, text, false);
    }
    putc(']', out);
}

/* The swept keys, the slowest first. */
static void write_sweep(FILE *out, const struct scenario *s)
{
    fputs("  \"sweep\": [", out);
    for (size_t i = 0; i < s->axes_count; i++) {
        fputs(i ? ", " : "", out);
        quote_json(out, s->axes[i].key->name, false);
    }
    fputs("],\n", out);
}

static void text_at(const struct key *key, const void *base, char text[VALUE_TEXT_MAX])
{
    struct value v;
    key_load(key, base, &v);
    value_write(&v, &key->rules, text, VALUE_TEXT_MAX);
}

/* Does a key that is not swept follow the preset, which is? */
static bool follows_preset(const struct key *key, const struct survey *v)
{
    char first[VALUE_TEXT_MAX] = "", text[VALUE_TEXT_MAX];
    for (unsigned i = 0; i < rnic_presets_count; i++) {
        if (!v->seen[i])
            continue;
        text_at(key, &v->as_preset[i], text);
        if (*first && strcmp(first, text))
            return true;
        memcpy(first, text, sizeof first);
    }
    return false;
}

static void write_by_preset(FILE *out, const struct key *key, const struct survey *v)
{
    char text[VALUE_TEXT_MAX];
    const char *between = "";
    putc('{', out);
    for (unsigned i = 0; i < rnic_presets_count; i++) {
        if (!v->seen[i])
            continue;
        text_at(key, &v->as_preset[i], text);
        member(out, between, rnic_presets[i].name);
        quote_json(out, text, false);
        between = ", ";
    }
    putc('}', out);
}

/* Does a key that is not swept have another value in another case? */
static bool follows_case(const struct key *key, const struct survey *v)
{
    char first[VALUE_TEXT_MAX], text[VALUE_TEXT_MAX];
    for (size_t i = 0; key->of == KEY_POINT && i < v->cases; i++) {
        text_at(key, &v->as_case[i], i ? text : first);
        if (i && strcmp(first, text))
            return true;
    }
    return false;
}

static void write_by_case(FILE *out, const struct scenario *s, const struct key *key, const struct survey *v)
{
    char text[VALUE_TEXT_MAX];
    putc('{', out);
    for (size_t i = 0; i < v->cases; i++) {
        text_at(key, &v->as_case[i], text);
        member(out, i ? ", " : "", scenario_case_at(s, i)->name);
        quote_json(out, text, false);
    }
    putc('}', out);
}

static void write_key(FILE *out, const struct scenario *s, const struct survey *v, const struct key *key)
{
    const struct scenario_axis *axis = scenario_axis_of(s, key);
    unsigned preset = 0;
    char text[VALUE_TEXT_MAX];
    while (!v->seen[preset])
        preset++;
    if (axis) {
        write_axis(out, axis);
    } else if (follows_case(key, v)) {
        write_by_case(out, s, key, v);
    } else if (key->of == KEY_POINT && strncmp(key->name, "rnic.", 5) == 0 && follows_preset(key, v)) {
        write_by_preset(out, key, v);
    } else {
        text_at(key, key->of == KEY_POINT ? (const void *)&v->as_preset[preset] : (const void *)&s->conf,
                text);
        quote_json(out, text, false);
    }
}

/* Every key that means something, with its value, defaults included: of a swept one the list, of one that follows a swept
 * preset the value of each. */
static void write_scenario(FILE *out, const struct scenario *s, const struct survey *v)
{
    size_t count = scenario_keys(s);
    const char *between = "\n    ";
    fputs("  \"scenario\": {", out);
    for (size_t i = 0; i < count; i++) {
        if (!v->applies[i])
            continue;
        member(out, between, scenario_key_at(s, i)->name);
        write_key(out, s, v, scenario_key_at(s, i));
        between = ",\n    ";
    }
    fputs("\n  },\n", out);
}

/* What made the rows, and how many of them. */
static void write_versions(FILE *out, const struct campaign *c)
{
    fputs("  \"versions\": [", out);
    for (size_t i = 0; i < c->versions; i++) {
        const struct campaign_version *v = &c->version[i];
        member(out, i ? ",\n    {" : "\n    {", "commit");
        quote_json(out, v->commit, false);
        member(out, ", ", "simulator");
        quote_json(out, v->simulator, false);
        fprintf(out, ", \"rows\": %zu}", v->rows);
    }
    fputs("\n  ],\n", out);
}

static void write_statuses(FILE *out, const struct campaign *c)
{
    size_t of[STATUSES] = {0};
    const char *between = "";
    for (size_t i = 0; i < c->runs; i++)
        if (campaign_is_mine(c, i))
            of[c->done[i] ? c->status[i] : STATUS_CRASHED]++;
    fputs("  \"status\": {", out);
    for (int s = 0; s < STATUSES; s++) {
        if (!of[s])
            continue;
        member(out, between, status_names[s]);
        fprintf(out, "%zu", of[s]);
        between = ", ";
    }
    fputs("},\n", out);
}

static void write_files(FILE *out, const struct manifest *m)
{
    fputs("  \"files\": {", out);
    for (size_t i = 0; i < m->files; i++) {
        member(out, i ? ",\n    " : "\n    ", m->file[i].name);
        fprintf(out, "\"%s\"", m->file[i].sha256);
    }
    fputs("\n  },\n", out);
}

static void write_body(FILE *out, const struct manifest *m, const struct survey *v)
{
    write_facts(out, m, v);
    write_versions(out, m->c);
    text_member(out, "jobs_by", m->c->tool);
    text_member(out, "name", m->c->s->name);
    write_command(out, m->c->o);
    text_member(out, "environment_removed", environment_removed());
    write_must_match(out, v);
    write_scenario(out, m->c->s, v);
    write_sweep(out, m->c->s);
    write_statuses(out, m->c);
}

/* Where results hang on a number of the adapter that nobody published. */
static void write_guesses(FILE *out, const struct scenario *s)
{
    struct binding_guesses g;
    guesses_of(s, &g);
    if (g.points == 0)
        return;
    fprintf(out, "  \"guesses\": {\"points\": %zu, \"of\": %zu, \"numbers\": ", g.points, g.of);
    quote_json(out, g.names, false);
    fputs("},\n", out);
}

void manifest_write(const struct manifest *m, FILE *out)
{
    char now[64];
    time_t seconds = time(NULL);
    struct tm utc;
    struct survey v;
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    fputs("{\n", out);
    survey_points(&v, m->c->s);
    write_body(out, m, &v);
    survey_free(&v);
    write_guesses(out, m->c->s);
    fprintf(out, "  \"runs\": %zu,\n  \"wall_seconds\": %.3f,\n", m->c->mine, m->c->wall);
    text_member(out, "finished", now);
    write_files(out, m);
    text_member(out, "scenario_sha256", m->scenario_sha256);
    member(out, "  ", "results_sha256");
    quote_json(out, m->results_sha256, false);
    fputs("\n}\n", out);
}

/* ---- figures ---- */

static bool describe_file(struct manifest_read *m, const char *dir, const char *name)
{
    char path[PATH_LONG], sum[SHA256_TEXT];
    file_path(path, dir, "", name, "");
    if (!manifest_sum(path, sum))
        return true; /* there is no such file */
    for (size_t i = 0; i < m->files; i++)
        if (strcmp(m->file[i].name, name) == 0) {
            memcpy(m->file[i].sha256, sum, sizeof sum);
            return true;
        }
    return manifest_take_file(m, name, sum);
}

bool manifest_note_figure(const char *dir, const char *name)
{
    static const char *const endings[] = {".svg", ".png", ".pdf", ".tex", ".gp", ".tsv"};
    char path[PATH_LONG], error[512], figure[PATH_LONG];
    struct manifest_read m;
    struct whole_file f;
    bool good = true;
    file_path(path, dir, "", "manifest.json", "");
    if (!file_exists(path))
        return true;
    file_path(path, dir, "", "plot.manifest.json", "");
    if (!file_exists(path) || !manifest_read(&m, path, error))
        memset(&m, 0, sizeof m);
    for (size_t i = 0; good && i < sizeof endings / sizeof *endings; i++) {
        snprintf(figure, sizeof figure, "%s%s", name, endings[i]);
        good = describe_file(&m, dir, figure);
    }
    if (good && file_begin(&f, path)) {
        fputs("{\n", f.out);
        write_files(f.out, &(struct manifest){.file = m.file, .files = m.files});
        fprintf(f.out, "  \"iwarpsim\": \"%s\"\n}\n", IWARPSIM_VERSION);
        good = file_commit(&f, false);
    } else {
        good = false;
    }
    if (!good)
        cannot_write(0, "plot", path);
    manifest_read_free(&m);
    return good;
}
