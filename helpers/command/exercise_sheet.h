/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exercise_sheet.h -- the sheets of a class: variants of one lesson, and what is asked about each. */
#ifndef HELPERS_COMMAND_EXERCISE_SHEET_H
#define HELPERS_COMMAND_EXERCISE_SHEET_H

#include "helpers/scenario/scenario.h"
#include "helpers/story/exercise.h"
#include "helpers/story/task.h"

enum { SHEET_SEGMENTS_MAX = 2000, SHEET_QUESTIONS = 6, SHEET_SETS_MAX = 64, SHEET_OWN_SETS = 4 };

/* What happens in a story, in kinds: a variant must have the same. */
struct sheet_kinds {
    bool lost, early, terminated;
};

/* What all sheets are made from. `sets` are the caller's. */
struct exercise_lesson {
    const char *file, *course; /* course NULL: none */
    const char *sets[SHEET_SETS_MAX];
    size_t sets_count;
    struct scenario *scenario;
    struct scenario_point point; /* its texts are the scenario's */
    struct sheet_kinds kinds;
};

/* One student's. `sets` point into the sheet: it is not copied. */
struct sheet {
    const struct exercise_lesson *lesson;
    uint64_t student, key;
    uint64_t draw[2];              /* for its questions, for its task */
    char own[SHEET_OWN_SETS][300]; /* KEY=VALUE */
    const char *sets[SHEET_SETS_MAX + SHEET_OWN_SETS];
    size_t sets_count;
    struct exercise x[SHEET_QUESTIONS];
    int questions;
    struct task task;
};

/* False: `error` (STORY_ERROR_MAX) says why, `*status` is the exit code. */
bool lesson_open(struct exercise_lesson *l, char *error, int *status);
void lesson_close(struct exercise_lesson *l);
/* Of the course: its draws. */
uint64_t sheet_course_key(const struct exercise_lesson *l);
/* Its story, or that of a capture. NULL: `error`, and the exit code. */
struct story *sheet_story(const char *file, const char *const *sets, size_t count, char *error, int *status);
bool sheet_make(struct sheet *s, const struct exercise_lesson *l, uint64_t student, char *error, int *status);

/* The sheet as a scenario with the questions as comments; the key to it. False: it cannot be read again; `error`. */
bool sheet_write(FILE *out, const struct sheet *s, char *error);
void sheet_write_key(FILE *out, const struct sheet *s);
/* Questions with room for answers, as comments. */
void sheet_put_questions(FILE *out, const struct exercise *x, int count);
/* One task as a sentence: "Change ... alone, so that ...". */
void sheet_put_task(FILE *out, const struct sheet *s);

/* Says why there is no file, or no sheet; returns what to exit with (`status` 0: the input is wrong). */
int sheet_failed(const char *path, const char *why);
int sheet_refused(const char *error, int status);

/* "1-40", of at most CLASS_MAX students. False: it is something else. */
enum { CLASS_MAX = 1000 };
bool class_read(const char *text, uint64_t *first, uint64_t *last);
/* A class, from student `first` to `last`: as pages, a page each, with the keys in a second file NAME-keys.html; or in a format. What
 * goes wrong is said on stderr. The exit code. */
int class_html(const struct exercise_lesson *l, uint64_t first, uint64_t last, const char *path);
struct sheet_format {
    const char *head, *foot;                                    /* NULL: none */
    bool (*put)(FILE *out, const struct sheet *s, char *error); /* false: `error` */
};
int class_write(const struct exercise_lesson *l, uint64_t first, uint64_t last, const char *path,
                const struct sheet_format *format);
/* What Moodle reads: GIFT, and its XML, which has one question for each of a sheet with a field for each part of its answer. */
extern const struct sheet_format class_gift, class_moodle;
/* The settings of a sheet as a scenario without comments, malloc()ed. NULL: `error`. */
char *sheet_scenario(const struct sheet *s, char *error);
/* Read a capture and find the fault: DIR/student-N.pcap, one message of which breaks a rule, DIR/student-N.txt with questions about it, and
 * DIR/keys.csv. */
int class_captures(const struct exercise_lesson *l, uint64_t first, uint64_t last, const char *dir);
/* What is asked about a student's capture, and what it does not show. */
enum { CAPTURE_GROUND_MAX = 2000 };
struct capture_sheet {
    struct exercise x[SHEET_QUESTIONS];
    char ground[CAPTURE_GROUND_MAX]; /* lines that begin with # */
};
bool capture_fits(const struct exercise_lesson *l);
/* DIR/student-N.pcap and its questions. False: `error` (STORY_ERROR_MAX). */
bool capture_make(const struct exercise_lesson *l, uint64_t student, const char *dir, struct capture_sheet *c,
                  char *error);
/* The marks of what lies in a folder, sheets (.yaml) and questions about captures (.txt), as CSV on stdout. A file there is anybody's text. */
int class_marks(const struct exercise_lesson *l, const char *folder);

#endif
