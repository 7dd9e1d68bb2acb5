/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exercise_command.c -- iwarpsim exercise: a variant of a scenario for one student, with questions; or the key to them. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "channel/channel.h"
#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/command.h"
#include "helpers/scenario/scenario.h"
#include "helpers/story/challenge.h"
#include "helpers/story/exercise.h"
#include "helpers/story/story_load.h"

static const char help[] =
    "usage: iwarpsim exercise FILE --student N [--set KEY=VALUE]... [--course SECRET] [--answers]\n"
    "       iwarpsim exercise --verify CODE\n"
    "\n"
    "Writes a scenario for one student, with questions as comments: another seed and other sizes, but the\n"
    "same kinds of events. The same N gives the same exercise everywhere.\n"
    "\n"
    "    iwarpsim exercise scenarios/lessons/05-loss/lesson.yaml --student 7 > mine.yaml\n"
    "    iwarpsim explain mine.yaml\n"
    "\n"
    "  --student N   a whole number, such as the student's place in the class list\n"
    "  --set         as for `iwarpsim run`, before sizes and seed are changed\n"
    "  --course      a word that the teacher keeps secret: it chooses the variants, so that nobody without "
    "it\n"
    "                can make the sheet or its key\n"
    "  --answers     print the key to that student's questions instead\n"
    "  --verify      judge the code of a challenge that was solved on a page: the code is the solution "
    "itself,\n"
    "                which is run again; exit 0: solved, 1: not solved\n"
    "\n"
    "`iwarpsim explain` answers every question of the sheet but the prediction: grade what students hand in\n"
    "before the run.\n";

enum { SEGMENTS_MAX = 2000, TRIES = 200, QUESTIONS = 6, SETS_MAX = 64 };

struct arguments {
    const char *file;
    const char *course; /* NULL: none */
    const char *code;   /* of a challenge; NULL: none */
    uint64_t student;
    bool has_student, answers;
    const char *sets[SETS_MAX];
    size_t sets_count;
};

static int wrong(const char *what, const char *value)
{
    return argument_wrong("exercise", what, value);
}

static int parse(int argc, char **argv, struct arguments *a)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                            {"student", required_argument, NULL, 's'},
                                            {"set", required_argument, NULL, 'S'},
                                            {"answers", no_argument, NULL, 'a'},
                                            {"course", required_argument, NULL, 'c'},
                                            {"verify", required_argument, NULL, 'v'},
                                            {0}};
    int option;
    optind = 1;
    opterr = 0;
    while ((option = argument_option(argc, argv, "h", options)) != -1) {
        switch (option) {
        case 'h': fputs(help, stdout); return EXIT_DONE;
        case 'a': a->answers = true; break;
        case 'c': a->course = optarg; break;
        case 'v': a->code = optarg; break;
        case 'S':
            if (a->sets_count == SETS_MAX)
                return wrong("too many --set options", optarg);
            a->sets[a->sets_count++] = optarg;
            break;
        case 's':
            a->has_student = argument_number(optarg, INT64_MAX, &a->student);
            if (!a->has_student)
                return wrong("--student takes a whole number, not", optarg);
            break;
        default: return argument_refused("exercise", argv);
        }
    }
    if (a->code)
        return optind == argc ? -1 : wrong("--verify takes a code and no scenario", NULL);
    if (optind != argc - 1)
        return wrong(optind < argc ? "one scenario at a time" : "a scenario is required", NULL);
    if (!a->has_student)
        return wrong("--student N says whose exercise it is", NULL);
    a->file = argv[optind];
    return -1;
}

/* ---- a variant ---- */

/* What happens in it, in kinds: a variant must have the same. */
struct kinds {
    bool lost, early, terminated;
};

static struct kinds kinds_of(const struct story *s)
{
    struct kinds k = {0};
    for (int i = 0; i < s->events; i++) {
        k.lost |= s->event[i].kind == STORY_LOST;
        k.early |= s->event[i].kind == STORY_PLACED && s->event[i].ooo;
        k.terminated |= s->event[i].kind == STORY_TERMINATE_SENT;
    }
    return k;
}

static bool same_kinds(struct kinds a, struct kinds b)
{
    return a.lost == b.lost && a.early == b.early && a.terminated == b.terminated;
}

struct variant {
    uint64_t key;               /* of the student's draws */
    char seed[48], octets[300]; /* as --set takes them */
    const char *sets[SETS_MAX + 2];
    size_t count;
};

enum { DRAW_OCTETS = 1 << 20, DRAW_TERMINATE };

/* Other sizes: of the script's messages, or the one that all have. False: there is nothing to vary. */
static bool vary_octets(struct variant *v, const struct workload_conf *w)
{
    enum { NAME = 16 };
    uint64_t key = channel_draw(v->key, DRAW_OCTETS);
    if (w->kind == WORKLOAD_script) {
        memcpy(v->octets, "workload.script=", NAME);
        return exercise_vary_script(w->script, key, v->octets + NAME, sizeof v->octets - NAME);
    }
    snprintf(v->octets, sizeof v->octets, "workload.size=%" PRIu64 "B",
             exercise_vary_octets(w->size, key, 0));
    return !w->sizes && w->kind != WORKLOAD_errors;
}

/* A text as a key of draws (FNV-1a); NULL: 0. */
static uint64_t key_of(const char *text)
{
    uint64_t key = text ? 0xcbf29ce484222325 : 0;
    for (; text && *text; text++)
        key = (key ^ (uint8_t)*text) * 0x100000001b3;
    return key;
}

static void vary(struct variant *v, const struct arguments *a, const struct scenario_point *p,
                 uint64_t attempt)
{
    uint64_t whose = p->seed ^ key_of(p->title) ^ channel_draw(key_of(a->course), 0);
    v->key = channel_key(whose, 0, (uint32_t)(a->student ^ a->student >> 32), 0xe6);
    snprintf(v->seed, sizeof v->seed, "seed=%" PRIu64, channel_draw(v->key, attempt) >> 44);
    memcpy(v->sets, a->sets, sizeof a->sets);
    v->sets[a->sets_count] = v->seed;
    v->sets[a->sets_count + 1] = v->octets;
    v->count = a->sets_count + (vary_octets(v, &p->workload) ? 2 : 1);
}

/* The story of the first variant in which the same kinds of things happen; the last one tried when none does. */
static struct story *find_variant(const struct arguments *a, const struct scenario_point *p,
                                  struct kinds wanted, struct variant *v, char *error, int *status)
{
    struct story *s = NULL;
    for (uint64_t attempt = 0; attempt < TRIES; attempt++) {
        vary(v, a, p, attempt);
        const struct story_request r = {
            .file = a->file, .sets = v->sets, .sets_count = v->count, .segments_max = SEGMENTS_MAX};
        story_free(s);
        s = story_load(&r, error, status);
        if (!s || same_kinds(kinds_of(s), wanted))
            return s;
    }
    return s;
}

/* ---- what is written ---- */

static void put_questions(const struct exercise *x, int n)
{
    for (int i = 0; i < n; i++)
        printf("# %d. %s\n", i + 1, x[i].question);
}

static int put_exercise(const struct arguments *a, const struct variant *v, const struct exercise *x, int n)
{
    char error[SCENARIO_ERROR_MAX];
    struct scenario *s = scenario_load(a->file, v->sets, v->count, error);
    if (!s) {
        fprintf(stderr, "iwarpsim exercise: %s\n", error);
        return EXIT_INPUT;
    }
    printf("# Exercise for student %" PRIu64
           ", made from %s\n# Read it with `iwarpsim explain`, or step through it with `iwarpsim play`.\n#\n",
           a->student, a->file);
    put_questions(x, n);
    scenario_write(s, stdout);
    scenario_free(s);
    return EXIT_DONE;
}

static int put_answers(const struct arguments *a, const struct exercise *x, int n)
{
    printf("Student %" PRIu64 ", %s\n", a->student, a->file);
    for (int i = 0; i < n; i++)
        printf("%d. %s\n   %s\n", i + 1, x[i].question, x[i].answer);
    return EXIT_DONE;
}

static int exercise(const struct arguments *a)
{
    char error[STORY_ERROR_MAX];
    int status = EXIT_INPUT;
    struct variant v;
    struct exercise x[QUESTIONS];
    struct scenario_point point;
    const char *sets[SETS_MAX];
    memcpy(sets, a->sets, sizeof sets);
    const struct story_request r = {
        .file = a->file, .sets = sets, .sets_count = a->sets_count, .segments_max = SEGMENTS_MAX};
    struct story *model = story_load(&r, error, &status), *own = NULL;
    struct scenario *s =
        model && !model->capture ? scenario_load(a->file, a->sets, a->sets_count, error) : NULL;
    if (model && model->capture)
        snprintf(error, sizeof error, "%s is a capture, and an exercise needs a scenario", a->file);
    if (s && scenario_point(s, 0, 0, &point, error))
        own = find_variant(a, &point, kinds_of(model), &v, error, &status);
    scenario_free(s);
    story_free(model);
    if (!own) {
        fprintf(stderr, "iwarpsim exercise: %s\n", error);
        return status ? status : EXIT_INPUT;
    }
    int n = exercise_make(own, channel_draw(v.key, DRAW_TERMINATE), x, QUESTIONS);
    story_free(own);
    return a->answers ? put_answers(a, x, n) : put_exercise(a, &v, x, n);
}

/* ---- challenges ---- */

static int verify(const char *code)
{
    struct challenge c;
    char room[CHALLENGE_CODE_MAX], said[CHALLENGE_TEXT_MAX], asked[CHALLENGE_TEXT_MAX];
    bool wrong_settings = true;
    bool good = challenge_read(code, &c, room, said);
    good = good && challenge_judge(&c, said, &wrong_settings);
    if (wrong_settings) {
        fprintf(stderr, "iwarpsim exercise: %s\n", said);
        return EXIT_INPUT;
    }
    challenge_text(c.number, c.student, asked);
    printf("Challenge %u, student %" PRIu64 ": %s\n%s\n%s: %s\n", c.number, c.student,
           challenge_title(c.number), asked, good ? "solved" : "not solved", said);
    return good ? EXIT_DONE : EXIT_LAW;
}

int command_exercise(int argc, char **argv)
{
    struct arguments a = {0};
    int status = parse(argc, argv, &a);
    return status >= 0 ? status : a.code ? verify(a.code) : exercise(&a);
}
