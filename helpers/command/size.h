/* SPDX-License-Identifier: GPL-2.0-or-later */
/* size.h -- the parts of iwarpsim size: what is asked for, what a run answers, what a line on paper says. */
#ifndef HELPERS_COMMAND_SIZE_H
#define HELPERS_COMMAND_SIZE_H

#include "helpers/scenario/keys.h"
#include "helpers/trial/results.h"

/* ---- the condition: "steady_gbps >= 0.95*line and drops_staging == 0" ---- */

enum { SIZE_TERMS = 4, SIZE_WHY_MAX = 512, SIZE_SET_MAX = 2 * VALUE_TEXT_MAX };
enum size_comparison {
    SIZE_AT_LEAST,
    SIZE_AT_MOST,
    SIZE_ABOVE,
    SIZE_BELOW,
    SIZE_EQUAL,
    SIZE_UNEQUAL,
    SIZE_COMPARISONS
};

/* A column of results.csv against a number in its unit, or (of_line) against `bound` times the payload line rate. */
struct size_term {
    const struct column *column;
    enum size_comparison comparison;
    double bound;
    bool of_line;
};
struct size_condition {
    size_t count;
    struct size_term term[SIZE_TERMS];
};

/* False: `why` (SIZE_WHY_MAX octets) is one sentence. */
bool size_condition_read(struct size_condition *condition, const char *text, char *why);
/* What a column is compared with where the payload line rate is `line_gbps`. */
double size_bound(const struct size_term *term, double line_gbps);
/* `value` NaN: not defined there, and so not met. */
bool size_term_met(const struct size_term *term, double value, double line_gbps);

/* ---- one value tried: all repeats, each in a process of its own ---- */

struct size_question {
    const char *file;
    const char **sets; /* the last one is `set`: what is tried */
    size_t sets_count;
    char *set;
    const struct key *key;
    const struct size_condition *condition;
    const char *label; /* of the point */
    double line_gbps;  /* there */
    uint32_t repeats;
    unsigned jobs; /* processes at a time */
};

/* Law: it is met when every repeat met every term. */
struct size_answer {
    double value; /* of the key, in its smallest unit */
    uint32_t repeats, met;
    enum point_status status;                 /* the worst */
    double low[SIZE_TERMS], high[SIZE_TERMS]; /* of each term's column over the repeats; NaN: never defined */
    bool broken, failed; /* a law of the protocol; a process that ended without results */
};
/* The value as the scenario would have it: "64KiB". */
void size_write(const struct key *key, double value, char *text, size_t size);
/* And with its key, "KEY=VALUE", into SIZE_SET_MAX octets. */
void size_set(char *set, const struct key *key, double value);
void size_set_to(char *set, const struct key *key, const struct value *v);
struct size_answer size_try(const struct size_question *question, double value);
bool size_is_met(const struct size_answer *answer);

/* ---- a search ---- */

struct size_arguments {
    const char *file, *find, *until, *from, *to, *out;
    const char **sets; /* and behind them `set` */
    size_t sets_count;
    char *set;     /* SIZE_SET_MAX octets: the key with the value that is tried */
    double within; /* share; below 0: not said */
    unsigned jobs;
    bool atlas;
    /* Of an atlas: told of each point what was found and what the closed form says, which may be NaN; nothing is printed. */
    void (*each)(void *user, size_t index, double met, double form);
    void *user;
};
/* The smallest value of `find` at each point; an exit code (size_search.c). */
int size_search(const struct size_arguments *a);
/* Three of them, side by side (size_atlas.c). */
int size_atlas(const struct size_arguments *a);

/* ---- the closed form ---- */

enum { SIZE_FORM_MAX = 512 };
/* False: nothing is known for this key and condition here. `text`: what it is made of, in one line. */
bool size_form(const struct key *key, const struct size_condition *condition,
               const struct scenario_point *point, double *value, char text[SIZE_FORM_MAX]);

#endif
