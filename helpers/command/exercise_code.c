/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exercise_code.c -- a code of a sheet or a lab that was handed in from a page, judged again (course.h). */
#include <inttypes.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/command/course.h"
#include "helpers/command/exercise_sheet.h"
#include "helpers/story/code.h"
#include "helpers/story/lab.h"
#include "helpers/story/story_load.h"

enum { TASK_POINTS = 2 };

/* `said`: what a run shows, or why there is none. */
static bool code_is_done(const struct sheet *s, const struct code *c, char said[STORY_ERROR_MAX])
{
    const char *sets[SHEET_SETS_MAX + SHEET_OWN_SETS + CODE_SETS], *stranger = code_stranger(c, s->task.keys);
    struct scenario_point point;
    size_t count = s->sets_count;
    int status;
    if (stranger) {
        snprintf(said, STORY_ERROR_MAX, "%.80s may not be changed", stranger);
        return false;
    }
    memcpy(sets, s->sets, count * sizeof *sets);
    for (size_t i = 0; i < c->count; i++)
        sets[count++] = c->sets[i];
    struct scenario *scenario = scenario_load(s->lesson->file, sets, count, said);
    bool good = scenario && scenario_point(scenario, 0, 0, &point, said);
    const struct story_request r = {.file = s->lesson->file, .segments_max = SHEET_SEGMENTS_MAX};
    struct story *story = good ? story_run(scenario, 0, &r, said, &status) : NULL;
    good = story && task_judge(&s->task, story, &point, said);
    story_free(story);
    scenario_free(scenario);
    return good;
}

static void say_answers(const struct code *c, const struct exercise *x, int questions, const bool *right)
{
    for (int i = 0; i < questions; i++)
        printf("%d. %s: %s\n", i + 1,
               right[i]       ? "right"
               : c->answer[i] ? "wrong"
                              : "no answer",
               x[i].question);
}

static int say_sheet(const struct sheet *s, const struct code *c)
{
    char said[STORY_ERROR_MAX] = "";
    bool right[CODE_ANSWERS], done = code_is_done(s, c, said);
    int points = code_points(c, s->x, s->questions, right) + TASK_POINTS * done,
        most = s->questions + TASK_POINTS;
    printf("Lesson %u, student %" PRIu64 ": %d of %d points\n", c->lesson, c->student, points, most);
    say_answers(c, s->x, s->questions, right);
    printf("Task: %s: %s\n", done ? "done" : "not done", said);
    return points == most ? EXIT_DONE : EXIT_LAW;
}

static int verify_sheet(const struct code *c, const char *course)
{
    char path[PATH_LONG], name[32], error[STORY_ERROR_MAX];
    struct exercise_lesson l = {.file = path, .course = course};
    struct sheet s;
    int status = EXIT_INPUT;
    snprintf(name, sizeof name, "lesson-%02u.yaml", c->lesson);
    if (!course_part(path, name))
        return complain(EXIT_INPUT, "exercise", "sheet=%u: there is no lesson %u with sheets", c->lesson,
                        c->lesson);
    bool good = lesson_open(&l, error, &status) && sheet_make(&s, &l, c->student, error, &status);
    status = good ? say_sheet(&s, c) : sheet_refused(error, status);
    lesson_close(&l);
    return status;
}

static int verify_lab(const struct code *c)
{
    char why[STORY_ERROR_MAX];
    struct exercise x[LAB_QUESTIONS];
    struct lab_table t;
    bool right[LAB_QUESTIONS];
    const struct lab *l = lab_of(c->lab);
    if (!l)
        return complain(EXIT_INPUT, "exercise", "lab=%u: there are labs 1 to %d", c->lab, LABS);
    if (!lab_run_all(l, &t, why))
        return sheet_refused(why, EXIT_FAILED);
    lab_ask(l, c->student, &t, x);
    int points = code_points(c, x, LAB_QUESTIONS, right);
    printf("Lab %u, student %" PRIu64 ": %d of %d points: %s\n", c->lab, c->student, points, LAB_QUESTIONS,
           l->title);
    say_answers(c, x, LAB_QUESTIONS, right);
    return points == LAB_QUESTIONS ? EXIT_DONE : EXIT_LAW;
}

int code_verify(const char *code, const char *course)
{
    char why[CODE_ERROR_MAX];
    struct code c;
    if (!code_read(code, &c, why))
        return complain(EXIT_INPUT, "exercise", "%s", why);
    return c.lab ? verify_lab(&c) : verify_sheet(&c, course);
}
