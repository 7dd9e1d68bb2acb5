/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exercise_sheet.c -- a variant of a lesson for one student (exercise_sheet.h). */
#include "helpers/command/exercise_sheet.h"

#include <inttypes.h>
#include <string.h>

#include "channel/channel.h"
#include "helpers/base/exit.h"
#include "helpers/story/story_load.h"

enum { TRIES = 200 };
enum { DRAW_OCTETS = 1 << 20, DRAW_TERMINATE, DRAW_TASK, DRAW_DELAY, DRAW_HOSTS };

static struct sheet_kinds kinds_of(const struct story *s)
{
    return (struct sheet_kinds){.lost = story_count(s, TRACE_LOST),
                                .early = story_early(s, NULL),
                                .terminated = story_count(s, TRACE_TERMINATE_SENT)};
}

static bool same_kinds(struct sheet_kinds a, struct sheet_kinds b)
{
    return a.lost == b.lost && a.early == b.early && a.terminated == b.terminated;
}

struct story *sheet_story(const char *file, const char *const *sets, size_t count, char *error, int *status)
{
    const char *own[SHEET_SETS_MAX + SHEET_OWN_SETS];
    memcpy(own, sets, count * sizeof *own);
    const struct story_request r = {
        .file = file, .sets = own, .sets_count = count, .segments_max = SHEET_SEGMENTS_MAX};
    return story_load(&r, error, status);
}

bool lesson_open(struct exercise_lesson *l, char *error, int *status)
{
    struct story *model = sheet_story(l->file, l->sets, l->sets_count, error, status);
    if (!model)
        return false;
    bool capture = model->capture;
    l->kinds = kinds_of(model);
    story_free(model);
    *status = EXIT_INPUT;
    if (capture) {
        snprintf(error, STORY_ERROR_MAX,
                 "%s is a capture: an exercise is made from a scenario, with --captures too", l->file);
        return false;
    }
    l->scenario = scenario_load(l->file, l->sets, l->sets_count, error);
    return l->scenario && scenario_point(l->scenario, 0, 0, &l->point, error);
}

void lesson_close(struct exercise_lesson *l)
{
    scenario_free(l->scenario);
}

/* ---- a variant ---- */

/* Other sizes: of the script's messages, or the one that all have. False: there is nothing to vary. */
static bool vary_octets(char *set, size_t size, uint64_t sheet_key, const struct workload_conf *w)
{
    static const char name[] = "workload.script=";
    uint64_t key = channel_draw(sheet_key, DRAW_OCTETS);
    if (w->kind == WORKLOAD_script) {
        memcpy(set, name, sizeof name - 1);
        return exercise_vary_script(w->script, key, set + sizeof name - 1, size - sizeof name + 1);
    }
    snprintf(set, size, "workload.size=%" PRIu64 "B", exercise_vary_octets(w->size, key, 0));
    return !w->sizes && w->kind != WORKLOAD_errors;
}

/* A path of one's own, a fifth longer or shorter: no two of a class have the same. */
static bool vary_delay(char *set, size_t size, uint64_t class_key, uint64_t student, uint64_t delay)
{
    enum { NS = 1000 };
    uint64_t spread = delay / NS * 2 / 5;
    snprintf(set, size, "topology.delay=%" PRIu64 "ns",
             spread
                 ? exercise_own(delay / NS - spread / 2, spread, channel_draw(class_key, DRAW_DELAY), student)
                 : 0);
    return spread > 0;
}

/* More than one sender where many send to one: the times of two, three and more hosts tell what one more takes. */
static bool vary_hosts(char *set, size_t size, uint64_t sheet_key, const struct scenario_point *p)
{
    snprintf(set, size, "topology.hosts=%" PRIu64, 3 + channel_draw(sheet_key, DRAW_HOSTS) % 4);
    return p->workload.kind == WORKLOAD_incast && p->topology.kind == FABRIC_STAR;
}

/* A text as a key of draws (FNV-1a); NULL: 0. */
static uint64_t hash_text(const char *text)
{
    uint64_t key = text ? 0xcbf29ce484222325 : 0;
    for (; text && *text; text++)
        key = (key ^ (uint8_t)*text) * 0x100000001b3;
    return key;
}

uint64_t sheet_course_key(const struct exercise_lesson *l)
{
    return l->point.seed ^ hash_text(l->point.title) ^ channel_draw(hash_text(l->course), 0);
}

static void vary(struct sheet *s, const struct exercise_lesson *l, uint64_t attempt)
{
    const struct scenario_point *p = &l->point;
    uint64_t whose = sheet_course_key(l);
    s->key = channel_key(whose, 0, (uint32_t)(s->student ^ s->student >> 32), 0xe6);
    snprintf(s->own[0], sizeof s->own[0], "seed=%" PRIu64, channel_draw(s->key, attempt) >> 44);
    memcpy(s->sets, l->sets, l->sets_count * sizeof *s->sets);
    s->sets_count = l->sets_count;
    s->sets[s->sets_count++] = s->own[0];
    if (vary_delay(s->own[1], sizeof s->own[1], whose, s->student, p->topology.delay))
        s->sets[s->sets_count++] = s->own[1];
    if (vary_octets(s->own[2], sizeof s->own[2], s->key, &p->workload))
        s->sets[s->sets_count++] = s->own[2];
    if (vary_hosts(s->own[3], sizeof s->own[3], s->key, p))
        s->sets[s->sets_count++] = s->own[3];
}

/* The story of the first variant in which the same kinds of things happen; the last one tried when none does. */
static struct story *find_variant(struct sheet *s, const struct exercise_lesson *l, char *error, int *status)
{
    struct story *story = NULL;
    for (uint64_t attempt = 0; attempt < TRIES; attempt++) {
        vary(s, l, attempt);
        story_free(story);
        story = sheet_story(l->file, s->sets, s->sets_count, error, status);
        if (!story || same_kinds(kinds_of(story), l->kinds))
            return story;
    }
    return story;
}

bool sheet_make(struct sheet *s, const struct exercise_lesson *l, uint64_t student, char *error, int *status)
{
    *s = (struct sheet){.lesson = l, .student = student};
    struct story *story = find_variant(s, l, error, status);
    if (!story)
        return false;
    s->draw[0] = channel_draw(s->key, DRAW_TERMINATE);
    s->draw[1] = channel_draw(s->key, DRAW_TASK);
    s->questions = exercise_make(story, s->draw[0], s->x, SHEET_QUESTIONS);
    task_make(story, &l->point, s->draw[1], &s->task);
    story_free(story);
    return true;
}

/* ---- what is written ---- */

int sheet_failed(const char *path, const char *why)
{
    return complain(EXIT_FAILED, "exercise", "%s: %s", path, why);
}

int sheet_refused(const char *error, int status)
{
    return complain(status ? status : EXIT_INPUT, "exercise", "%s", error);
}

void sheet_put_questions(FILE *out, const struct exercise *x, int count)
{
    for (int i = 0; i < count; i++)
        fprintf(out, "# %d. %s\n# Answer %d:\n", i + 1, x[i].question, i + 1);
}

void sheet_put_task(FILE *out, const struct sheet *s)
{
    fprintf(out, "Change %s alone, so %s.", s->task.keys, s->task.text);
}

bool sheet_write(FILE *out, const struct sheet *s, char *error)
{
    struct scenario *scenario = scenario_load(s->lesson->file, s->sets, s->sets_count, error);
    if (!scenario)
        return false;
    fprintf(out,
            "# Exercise for student %" PRIu64 ", made from %s\n# Read it with `iwarpsim explain`, or step "
            "through it with `iwarpsim play`. Hand in this file, "
            "with the answers\n# in its lines and the task done; the prediction before you run it.\n# "
            "Student: %" PRIu64 "\n#\n",
            s->student, s->lesson->file, s->student);
    sheet_put_questions(out, s->x, s->questions);
    fputs("# Task: ", out);
    sheet_put_task(out, s);
    fputs("\n", out);
    scenario_write(scenario, out);
    scenario_free(scenario);
    return true;
}

void sheet_write_key(FILE *out, const struct sheet *s)
{
    fprintf(out, "Student %" PRIu64 ", %s\n", s->student, s->lesson->file);
    for (int i = 0; i < s->questions; i++)
        fprintf(out, "%d. %s\n   %s\n", i + 1, s->x[i].question, s->x[i].answer);
    fputs("Task: ", out);
    sheet_put_task(out, s);
    fputs("\n   judged by a run: --csv\n", out);
}
