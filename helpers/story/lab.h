/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lab.h -- labs: a scenario swept over two of its settings, and questions that the sweep answers; in a page and in the command alike.
 *
 * A student predicts one value of the table, runs it, and reads two more things from it. A student's number chooses what is asked about.
 * Handed in is a code (code.h), "lab=3&student=7&a1=108.2&a2=24KiB&a3=120.9": the sweep is run again and judges it. */
#ifndef HELPERS_STORY_LAB_H
#define HELPERS_STORY_LAB_H

#include "helpers/story/exercise.h"
#include "helpers/story/story.h"

enum { LABS = 8, LAB_SETS = 10, LAB_X = 9, LAB_BY = 3, LAB_QUESTIONS = 3 };

/* What is read off each run. */
struct lab_measure {
    const char *name, *unit; /* unit: of reply.h; "time": in picoseconds */
    uint64_t (*of)(const struct story *s);
};

struct lab_question;

struct lab {
    const char *title, *then;       /* then: to think about, when it has run */
    const char *sets[LAB_SETS + 1]; /* KEY=VALUE, in which {x} and {by} are those of a point */
    const char *x_name, *x_unit, *x[LAB_X + 1];
    const char *by_name, *by[LAB_BY + 1];
    const struct lab_measure *measure;
    const struct lab_question *question; /* LAB_QUESTIONS, the prediction first */
};

/* value[i][k] is that of the point x[i], by[k]. */
struct lab_table {
    uint64_t value[LAB_X][LAB_BY];
};

/* From 1; NULL: there is none. */
const struct lab *lab_of(unsigned number);
/* Runs one point. False: `why` (STORY_ERROR_MAX octets). */
bool lab_run(const struct lab *l, size_t x, size_t by, uint64_t *value, char *why);
bool lab_run_all(const struct lab *l, struct lab_table *t, char *why);
/* The questions of a student, with the answers that the table has (NULL: without). */
void lab_ask(const struct lab *l, uint64_t student, const struct lab_table *t,
             struct exercise out[LAB_QUESTIONS]);

#endif
