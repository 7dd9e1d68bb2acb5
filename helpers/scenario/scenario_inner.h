/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenario_inner.h -- what reading a scenario shares: scenario_load.c (YAML), scenario_set.c (words), scenario.c (points). */
#ifndef HELPERS_SCENARIO_SCENARIO_INNER_H
#define HELPERS_SCENARIO_SCENARIO_INNER_H

#include "helpers/scenario/scenario.h"

enum { NAME_MAX_ = 256 };

struct yaml_text;

struct scenario_loader {
    struct scenario *s;
    struct yaml_text *yaml;      /* NULL: no file */
    const struct key *setting;   /* reading the value of a --set of this key */
    struct scenario_case *in;    /* reading this case; NULL: none */
    struct scenario_place *seen; /* of each key of the table, while the file is read */
    char *error;
};

/* Reads the list of a --set. */
typedef bool load_list(struct scenario_loader *l, const struct key *key, const char *text);

/* An empty scenario; its settings come next, then load_sets(), at last load_end(). */
bool load_begin(struct scenario_loader *l, const char *file, char *error);
bool load_sets(struct scenario_loader *l, const char *const *sets, size_t sets_count, load_list *list);
/* The scenario; NULL when it was not good, or has a name that its results could not have. */
struct scenario *load_end(struct scenario_loader *l, bool good);

/* Say what is wrong and where; always false. */
#define load_fail(l, at, ...) scenario_fail((l)->error, (l)->s->file, (at), __VA_ARGS__)
/* The key of this name; NULL: there is none, and load_unknown_key() has said so. */
const struct key *load_key(struct scenario_loader *l, struct scenario_place at, const char *name);
bool load_unknown_key(struct scenario_loader *l, struct scenario_place at, const char *name);
bool load_value(struct scenario_loader *l, const struct key *key, const char *text, struct scenario_place at,
                struct value *v);
void load_put_setting(struct scenario *s, const struct key *key, const struct value *v,
                      struct scenario_place at);
void load_empty_axis(struct scenario_axis *axis);

/* ---- cases ---- */

bool key_is_case(const struct key *key);
/* A new one, and what it says of a key; NULL, false: they cannot be, and why was said. */
struct scenario_case *case_add(struct scenario_loader *l, struct scenario_place at, const char *name);
bool case_put(struct scenario_loader *l, struct scenario_case *c, const struct key *key,
              const struct value *v, struct scenario_place at);
/* Of a file. */
bool cases_are_not_swept(struct scenario_loader *l);
/* Of file and --set: key `case` has names of cases; workloads are those of all points. */
bool cases_check(struct scenario_loader *l);
/* No case says anything about this key any more. */
void cases_drop(struct scenario *s, const struct key *key);
void cases_free(struct scenario *s);

/* A point as the keys have it, sensible or not. */
void scenario_resolve(const struct scenario *s, size_t index, uint32_t repeat, struct scenario_point *point);

#endif
