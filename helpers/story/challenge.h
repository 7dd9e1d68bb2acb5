/* SPDX-License-Identifier: GPL-2.0-or-later */
/* challenge.h -- tasks whose solution is a scenario, and the engine that judges it: in a page and in the command alike.
 *
 * A solution is the settings that it changes, as KEY=VALUE; its code is those, with the number of the task and of the student:
 * "iwarpsim challenge=3 student=7 seed=12 workload.script=write%209000". Nothing in it is secret: whoever has the code can
 * run it again. A student's number changes the numbers of a task. */
#ifndef HELPERS_STORY_CHALLENGE_H
#define HELPERS_STORY_CHALLENGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one pair come first, and then those of many hosts. */
enum { CHALLENGES_OF_PAIR = 12, CHALLENGES = 18 };
enum { CHALLENGE_TEXT_MAX = 1200, CHALLENGE_SETS_MAX = 16, CHALLENGE_CODE_MAX = 1024 };

struct challenge {
    unsigned number; /* from 1 */
    uint64_t student;
    const char *sets[CHALLENGE_SETS_MAX]; /* what the solution changes */
    size_t count;
    const char *const *base; /* what it begins with: challenge_judge() fills it in */
    size_t base_count;
};

/* Settings of two hosts that challenges and labs begin with; NULL is the last. */
extern const char *const challenge_pair[];

const char *challenge_title(unsigned number);
/* What is asked of this student, in a few sentences; which keys a solution may set, with blanks between. */
void challenge_text(unsigned number, uint64_t student, char out[CHALLENGE_TEXT_MAX]);
const char *challenge_keys(unsigned number);
/* The settings that all solutions of a task begin with, as KEY=VALUE; `*count` of them. */
const char *const *challenge_base(unsigned number, uint64_t student, size_t *count);

/* Is it solved? `out` says why, or what is missing; false with *wrong: the settings make no scenario, or may not be set. */
bool challenge_judge(const struct challenge *c, char out[CHALLENGE_TEXT_MAX], bool *wrong);

/* A code as a solution; `room` (CHALLENGE_CODE_MAX octets) holds its texts. False: `out` says what is wrong with it. */
bool challenge_read(const char *code, struct challenge *c, char *room, char out[CHALLENGE_TEXT_MAX]);

#endif
