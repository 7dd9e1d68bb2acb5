/* SPDX-License-Identifier: GPL-2.0-or-later */
/* size_try.c -- one value of iwarpsim size tried: `iwarpsim run FILE --point P` for each repeat, its printed results read
 * through a pipe (size.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/files.h"
#include "helpers/base/process.h"
#include "helpers/campaign/program.h"
#include "helpers/campaign/run_options.h"
#include "helpers/command/size.h"

static struct value value_of(const struct key *key, double value)
{
    return (struct value){.type = key->rules.type, .n = (uint64_t)value, .real = value};
}

void size_write(const struct key *key, double value, char *text, size_t size)
{
    struct value v = value_of(key, value);
    value_write(&v, &key->rules, text, size);
}

void size_set_to(char *set, const struct key *key, const struct value *v)
{
    char text[VALUE_TEXT_MAX];
    value_write(v, &key->rules, text, sizeof text);
    snprintf(set, SIZE_SET_MAX, "%s=%s", key->name, text);
}

void size_set(char *set, const struct key *key, double value)
{
    struct value v = value_of(key, value);
    size_set_to(set, key, &v);
}

/* ---- a process ---- */

struct job {
    pid_t child;
    FILE *told; /* what it prints */
};

static struct job begin_job(const struct size_question *q, uint32_t repeat)
{
    struct job job = {-1, NULL};
    char self[PATH_LONG];
    const char *const front[] = {self, "run"};
    const struct run_options o = {
        .file = q->file, .sets = q->sets, .sets_count = q->sets_count, .point = q->label, .repeat = repeat};
    const char **words = world_program(WORLD_FABRIC, self) ? run_options_words(&o, front, 2) : NULL;
    if (words)
        job.told = process_hear(words, &job.child);
    free(words);
    return job;
}

/* ---- what it says: "steady_gbps   98.9 Gbps", a line each ---- */

static void note_value(struct size_answer *a, const struct size_condition *c, const char *name,
                       const char *value, double *told)
{
    for (size_t i = 0; i < c->count; i++) {
        if (strcmp(c->term[i].column->name, name))
            continue;
        told[i] = strtod(value, NULL);
        a->low[i] = fmin(a->low[i], told[i]); /* of a number and NaN the number */
        a->high[i] = fmax(a->high[i], told[i]);
    }
}

static enum point_status status_named(const char *name)
{
    int status = 0;
    while (status < STATUS_CRASHED && strcmp(status_names[status], name))
        status++;
    return (enum point_status)status;
}

static enum point_status hear_job(struct size_answer *a, const struct size_condition *c, FILE *in,
                                  double *told)
{
    char line[1024], name[128], value[512];
    enum point_status status = STATUS_CRASHED;
    while (fgets(line, sizeof line, in)) {
        if (sscanf(line, "%127s %511s", name, value) != 2)
            continue;
        if (strcmp(name, "status") == 0)
            status = status_named(value);
        note_value(a, c, name, value, told);
    }
    return status;
}

static bool all_met(const struct size_question *q, const double *told)
{
    for (size_t i = 0; i < q->condition->count; i++)
        if (!size_term_met(&q->condition->term[i], told[i], q->line_gbps))
            return false;
    return true;
}

static void end_job(struct size_answer *a, const struct size_question *q, struct job *job)
{
    double told[SIZE_TERMS] = {NAN, NAN, NAN, NAN};
    enum point_status status = STATUS_CRASHED;
    if (job->told) {
        status = hear_job(a, q->condition, job->told, told);
        fclose(job->told);
    }
    process_wait(job->child);
    a->status = status > a->status ? status : a->status;
    a->broken |= status == STATUS_BROKEN;
    a->failed |= status == STATUS_CRASHED || status == STATUS_REFUSED;
    a->met += status == STATUS_OK && all_met(q, told);
}

struct size_answer size_try(const struct size_question *q, double value)
{
    struct size_answer a = {.value = value, .repeats = q->repeats};
    struct job *jobs = calloc(q->jobs, sizeof *jobs);
    size_set(q->set, q->key, value);
    for (size_t i = 0; i < SIZE_TERMS; i++)
        a.low[i] = a.high[i] = NAN;
    a.failed = !jobs;
    for (uint32_t first = 0; !a.failed && first < q->repeats; first += q->jobs) {
        uint32_t n = q->repeats - first < q->jobs ? q->repeats - first : q->jobs;
        for (uint32_t i = 0; i < n; i++)
            jobs[i] = begin_job(q, first + i);
        for (uint32_t i = 0; i < n; i++)
            end_job(&a, q, &jobs[i]);
    }
    free(jobs);
    return a;
}

bool size_is_met(const struct size_answer *a)
{
    return a->met == a->repeats;
}
