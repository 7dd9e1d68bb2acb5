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

/* A point as the keys have it, sensible or not. */
void scenario_resolve(const struct scenario *s, size_t index, uint32_t repeat, struct scenario_point *point);

#endif
