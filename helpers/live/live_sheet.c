/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_sheet.c -- a student's sheet in a page: asked, marked and its task run as the command does (live_inner.h). */
#include <string.h>

#include "helpers/base/quote.h"
#include "helpers/live/live_inner.h"
#include "helpers/story/code.h"
#include "helpers/story/task.h"

enum { SETS_MAX = 64 };

/* The story of the scenario with the student's settings and those of the code; NULL: `why`. */
static struct story *run_with(const struct live_sheet_of *of, const struct code *c, struct scenario_point *p,
                              struct scenario **s, char *why)
{
    const char *sets[SETS_MAX + CODE_SETS];
    size_t count = of->request->sets_count, more = c ? c->count : 0;
    int status;
    memcpy(sets, of->request->sets, count * sizeof *sets);
    for (size_t i = 0; i < more; i++)
        sets[count++] = c->sets[i];
    *s = scenario_from(of->request->file, of->given, of->given_count, sets, count, why);
    return *s && scenario_point(*s, 0, 0, p, why) ? story_run(*s, 0, of->request, why, &status) : NULL;
}

/* ---- as JSON ---- */

static void put_field(FILE *out, const struct reply_field *f, const char *before)
{
    fprintf(out, "%s{\"label\":", before);
    quote_json(out, f->label, true);
    fputs(",\"example\":", out);
    quote_json(out, reply_example(f), true);
    fputs(",\"unit\":", out);
    quote_json(out, f->kind == REPLY_TIME ? "us" : f->unit ? f->unit : "", true);
    putc('}', out);
}

void live_put_questions(FILE *out, const struct exercise *x, int questions, const bool *right)
{
    fputs("\"questions\":[", out);
    for (int i = 0; i < questions; i++) {
        fputs(i ? ",{\"text\":" : "{\"text\":", out);
        quote_json(out, x[i].question, true);
        fputs(",\"fields\":[", out);
        for (int k = 0; k < x[i].fields; k++)
            put_field(out, &x[i].field[k], k ? "," : "");
        fprintf(out, "],\"right\":%s}", right[i] ? "true" : "false");
    }
    putc(']', out);
}

static void put_task(FILE *out, const struct task *t, bool done, const char *said)
{
    fputs(",\"task\":{\"text\":", out);
    quote_json(out, t->text, true);
    fputs(",\"keys\":", out);
    quote_json(out, t->keys, true);
    fprintf(out, ",\"done\":%s,\"said\":", done ? "true" : "false");
    quote_json(out, said, true);
    putc('}', out);
}

/* ---- judging ---- */

static bool is_done(const struct live_sheet_of *of, const struct code *c, const struct task *t,
                    char said[STORY_ERROR_MAX])
{
    struct scenario_point p;
    struct scenario *s = NULL;
    const char *stranger = code_stranger(c, t->keys);
    if (stranger)
        snprintf(said, STORY_ERROR_MAX, "%.80s may not be changed", stranger);
    struct story *story = stranger ? NULL : run_with(of, c, &p, &s, said);
    bool done = story && task_judge(t, story, &p, said);
    story_free(story);
    scenario_free(s);
    return done;
}

bool live_sheet_tell(const struct live_sheet_of *of, FILE *out, char *why)
{
    struct exercise x[CODE_ANSWERS];
    struct code c = {0};
    struct task t;
    struct scenario_point p;
    struct scenario *s = NULL;
    char said[STORY_ERROR_MAX] = "";
    bool right[CODE_ANSWERS];
    if (of->request->sets_count > SETS_MAX || (*of->code && !code_read(of->code, &c, why)))
        return false;
    struct story *story = run_with(of, NULL, &p, &s, why);
    if (story) {
        int questions = exercise_make(story, of->draw[0], x, CODE_ANSWERS);
        task_make(story, &p, of->draw[1], &t);
        code_points(&c, x, questions, right);
        putc('{', out);
        live_put_questions(out, x, questions, right);
        put_task(out, &t, is_done(of, &c, &t, said), said);
        putc('}', out);
    }
    bool good = story != NULL;
    story_free(story);
    scenario_free(s);
    return good;
}
