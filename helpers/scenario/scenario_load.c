/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenario_load.c -- from YAML and --set to settings and axes, each checked by itself (scenario.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/quote.h"
#include "helpers/scenario/link_events.h"
#include "helpers/scenario/scenario_inner.h"
#include "helpers/scenario/yaml_text.h"

enum { AXIS_MAX = 10000 /* values */ };

/* ---- settings and axes of the scenario ---- */

/* A list by --set takes the axis out of its zip. */
static void unzip(struct scenario *s, struct scenario_axis *axis)
{
    struct scenario_axis moved = *axis, *end = s->axes + s->axes_count - 1;
    bool alone = !axis->zipped && (axis == end || !axis[1].zipped);
    if (alone)
        return;
    if (!axis->zipped)
        axis[1].zipped = false;
    moved.zipped = false;
    memmove(axis, axis + 1, (size_t)(end - axis) * sizeof *axis);
    *end = moved;
}

static struct scenario_axis *put_axis(struct scenario *s, const struct key *key)
{
    struct scenario_axis *axis = scenario_axis_of(s, key);
    if (axis) {
        load_empty_axis(axis);
        unzip(s, axis);
        return scenario_axis_of(s, key);
    }
    s->axes = need(realloc(s->axes, (s->axes_count + 1) * sizeof *s->axes));
    axis = &s->axes[s->axes_count++];
    *axis = (struct scenario_axis){.key = key};
    return axis;
}

/* `text`: as it was written; NULL: as it would be. */
static bool add_value(struct scenario_loader *l, struct scenario_axis *axis, const struct value *v,
                      const char *text, struct scenario_place at, bool twice)
{
    char shown[VALUE_TEXT_MAX];
    value_write(v, &axis->key->rules, shown, sizeof shown);
    for (size_t i = 0; !twice && i < axis->count; i++)
        if (value_equal(&axis->values[i], v))
            return load_fail(l, at, "sweep.%s: '%s' is listed twice", axis->key->name, text ? text : shown);
    if (axis->count == AXIS_MAX)
        return load_fail(l, at, "sweep.%s: more than %d values", axis->key->name, AXIS_MAX);
    axis->values = need(realloc(axis->values, (axis->count + 1) * sizeof *axis->values));
    axis->at = need(realloc(axis->at, (axis->count + 1) * sizeof *axis->at));
    axis->values[axis->count] = *v;
    axis->at[axis->count++] = at;
    return true;
}

static bool add_range(struct scenario_loader *l, struct scenario_axis *axis, const char *text,
                      struct scenario_place at, bool twice)
{
    struct value_range range;
    char why[VALUE_WHY_MAX];
    if (!value_range_read(&range, &axis->key->rules, text, why))
        return load_fail(l, at, "sweep.%s: '%.60s' %s; a range is A..B, A..B by STEP or A..B x FACTOR",
                         axis->key->name, text, why);
    for (struct value v = range.first; value_range_has(&range, &v); v = value_range_next(&range, &v))
        if (!add_value(l, axis, &v, NULL, at, twice))
            return false;
    return true;
}

static bool add_to_axis(struct scenario_loader *l, struct scenario_axis *axis, const yaml_node_t *node,
                        bool twice)
{
    struct value v;
    struct scenario_place at = yaml_place(l->yaml, node);
    if (node->type != YAML_SCALAR_NODE || !yaml_is_plain(node))
        return load_fail(l, at, "sweep.%s: its list may hold only values", axis->key->name);
    if (value_is_range(&axis->key->rules, yaml_scalar(node)))
        return add_range(l, axis, yaml_scalar(node), at, twice);
    return load_value(l, axis->key, yaml_scalar(node), at, &v) &&
           add_value(l, axis, &v, yaml_scalar(node), at, twice);
}

/* A list, or one range; `twice`: a value may come again, for it is zipped with others. */
static bool read_values(struct scenario_loader *l, struct scenario_axis *axis, const yaml_node_t *list,
                        bool twice)
{
    if (list->type == YAML_SCALAR_NODE)
        return add_to_axis(l, axis, list, twice);
    for (yaml_node_item_t *i = list->data.sequence.items.start; i < list->data.sequence.items.top; i++)
        if (!add_to_axis(l, axis, yaml_node(l->yaml, *i), twice))
            return false;
    return axis->count > 0 ||
           load_fail(l, yaml_place(l->yaml, list), "sweep.%s: its list is empty", axis->key->name);
}

static bool read_axis(struct scenario_loader *l, const struct key *key, const yaml_node_t *list, bool twice)
{
    struct scenario_place at = yaml_place(l->yaml, list);
    if (key->of == KEY_SCENARIO)
        return load_fail(l, at, "%s: belongs to the whole scenario and cannot be swept", key->name);
    return read_values(l, put_axis(l->s, key), list, twice);
}

static bool read_setting(struct scenario_loader *l, const struct key *key, const yaml_node_t *node)
{
    struct value v;
    if (!load_value(l, key, yaml_scalar(node), yaml_place(l->yaml, node), &v))
        return false;
    if (l->in)
        return case_put(l, l->in, key, &v, yaml_place(l->yaml, node));
    load_put_setting(l->s, key, &v, yaml_place(l->yaml, node));
    return true;
}

static bool read_events(struct scenario_loader *l, const struct key *key, const yaml_node_t *list)
{
    char text[VALUE_TEXT_MAX];
    struct value v;
    struct scenario_place at = yaml_place(l->yaml, list);
    if (!link_events_list(l->s, l->yaml, list, text) || !load_value(l, key, text, at, &v))
        return false;
    load_put_setting(l->s, key, &v, at);
    return true;
}

/* ---- the tree ---- */

/* What the keys of a map belong to. */
enum part { SETTINGS, CASE, SWEEP, ZIP };

static bool is_swept(enum part part)
{
    return part == SWEEP || part == ZIP;
}

static bool read_tree(struct scenario_loader *l, const yaml_node_t *map, const char *prefix, enum part part);

/* A case, which knows its keys, has case_put() for that. */
static bool seen_before(struct scenario_loader *l, const struct key *key, struct scenario_place at,
                        enum part part)
{
    size_t count;
    const struct key *keys = keys_all(&count);
    struct scenario_place *seen = l->seen + 2 * (key->like ? 0 : (size_t)(key - keys)) + (part != SETTINGS);
    for (size_t i = 0; key->like && i < l->s->own_count; i++)
        if (&l->s->own[i]->key == key)
            seen = &l->s->own[i]->seen[part != SETTINGS];
    if (seen->line)
        return load_fail(l, at, "%s%s: is given twice; the first is in line %u",
                         part != SETTINGS ? "sweep." : "", key->name, seen->line);
    *seen = at;
    return true;
}

static bool read_leaf(struct scenario_loader *l, const char *name, struct scenario_place at,
                      const yaml_node_t *node, enum part part)
{
    const struct key *key = load_key(l, at, name);
    if (!key)
        return false;
    if (part != CASE && !seen_before(l, key, at, part))
        return false;
    bool range = is_swept(part) && node->type == YAML_SCALAR_NODE && yaml_is_plain(node) &&
                 value_is_range(&key->rules, yaml_scalar(node));
    if (is_swept(part) && (range || node->type == YAML_SEQUENCE_NODE))
        return read_axis(l, key, node, part == ZIP);
    if (is_swept(part))
        return load_fail(l, at, "sweep.%s: needs a list of values, [a, b, c], or a range, A..B", name);
    if (node->type == YAML_SEQUENCE_NODE && link_events_are(key))
        return read_events(l, key, node);
    if (node->type == YAML_SEQUENCE_NODE)
        return load_fail(l, at, "%s: takes one value; lists belong below `sweep:`", name);
    if (!yaml_is_plain(node))
        return load_fail(l, at, "%s: has a zero octet in its value", name);
    return read_setting(l, key, node);
}

/* Do two steps of the last axes, from `first` on, differ in some value? */
static bool all_differ(struct scenario_loader *l, size_t first)
{
    const struct scenario *s = l->s;
    for (size_t a = 0; a < s->axes[first].count; a++)
        for (size_t b = 0; b < a; b++) {
            size_t i = first;
            while (i < s->axes_count && value_equal(&s->axes[i].values[a], &s->axes[i].values[b]))
                i++;
            if (i == s->axes_count)
                return load_fail(l, s->axes[first].at[a],
                                 "sweep.zip: entries %zu and %zu of %s are the same in all its keys", b + 1,
                                 a + 1, s->axes[first].key->name);
        }
    return true;
}

/* One group of a zip: its axes, which are the last now, step together. */
static bool read_group(struct scenario_loader *l, const yaml_node_t *map)
{
    struct scenario *s = l->s;
    struct scenario_place at = yaml_place(l->yaml, map);
    size_t first = s->axes_count;
    if (map->type != YAML_MAPPING_NODE)
        return load_fail(l, at, "sweep.zip: needs a list of maps, [{KEY: [a, b], KEY: [c, d]}]");
    if (!read_tree(l, map, "", ZIP))
        return false;
    if (s->axes_count < first + 2)
        return load_fail(l, at, "sweep.zip: needs two or more keys");
    for (size_t i = first + 1; i < s->axes_count; i++) {
        if (s->axes[i].count != s->axes[first].count)
            return load_fail(
                l, s->axes[i].at[0],
                "sweep.zip: %s has %zu values and %s has %zu; zipped keys need the same number of values",
                s->axes[first].key->name, s->axes[first].count, s->axes[i].key->name, s->axes[i].count);
        s->axes[i].zipped = true;
    }
    return all_differ(l, first);
}

static bool read_zip(struct scenario_loader *l, const yaml_node_t *list, struct scenario_place at)
{
    if (list->type != YAML_SEQUENCE_NODE || list->data.sequence.items.start == list->data.sequence.items.top)
        return load_fail(l, at, "sweep.zip: needs a list of maps, [{KEY: [a, b], KEY: [c, d]}]");
    for (yaml_node_item_t *i = list->data.sequence.items.start; i < list->data.sequence.items.top; i++)
        if (!read_group(l, yaml_node(l->yaml, *i)))
            return false;
    return true;
}

/* ---- cases ---- */

static bool read_case(struct scenario_loader *l, const yaml_node_t *name, const yaml_node_t *map)
{
    struct scenario_place at = yaml_place(l->yaml, name);
    if (name->type != YAML_SCALAR_NODE || !yaml_is_plain(name))
        return load_fail(l, at, "cases: the name of a case is " SCENARIO_CASE_RULE);
    bool none = map->type == YAML_SCALAR_NODE && yaml_is_plain(map) && !*yaml_scalar(map);
    if (!none && map->type != YAML_MAPPING_NODE)
        return load_fail(l, yaml_place(l->yaml, map), "cases.%.60s: needs keys, {KEY: value}",
                         yaml_scalar(name));
    l->in = case_add(l, at, yaml_scalar(name));
    bool good = l->in && (none || read_tree(l, map, "", CASE));
    l->in = NULL;
    return good;
}

static bool read_cases(struct scenario_loader *l, const yaml_node_t *map, struct scenario_place at)
{
    if (map->type != YAML_MAPPING_NODE || map->data.mapping.pairs.start == map->data.mapping.pairs.top)
        return load_fail(l, at, "cases: needs names with keys, {NAME: {KEY: value}, NAME: {KEY: value}}");
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++)
        if (!read_case(l, yaml_node(l->yaml, p->key), yaml_node(l->yaml, p->value)))
            return false;
    return true;
}

/* All of them, slowest, where the file does not say which. */
static bool sweep_cases(struct scenario_loader *l)
{
    struct scenario *s = l->s;
    const struct key *key = key_find("case");
    if (!s->cases_count || scenario_states(s, key))
        return true;
    struct scenario_axis *axis = put_axis(s, key), moved;
    for (size_t i = 0; i < s->cases_count; i++) {
        struct value v = {.type = VALUE_TEXT};
        snprintf(v.text, sizeof v.text, "%s", s->cases[i].name);
        if (!add_value(l, axis, &v, NULL, s->cases[i].at, false))
            return false;
    }
    moved = *axis;
    memmove(s->axes + 1, s->axes, (s->axes_count - 1) * sizeof *s->axes);
    s->axes[0] = moved;
    return true;
}

/* ---- a pair of the tree ---- */

static bool is_top(const char *prefix, const char *name, const char *wanted)
{
    return !*prefix && strcmp(name, wanted) == 0;
}

static bool read_pair(struct scenario_loader *l, const yaml_node_t *key, const yaml_node_t *value,
                      const char *prefix, enum part part)
{
    char name[NAME_MAX_];
    struct scenario_place at = yaml_place(l->yaml, key);
    if (key->type != YAML_SCALAR_NODE || !yaml_is_plain(key) || !*yaml_scalar(key))
        return load_fail(l, at, "a key must be a word");
    int len = snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", yaml_scalar(key));
    if (len < 0 || len >= (int)sizeof name)
        return load_fail(l, at, "%.60s...: unknown key; `iwarpsim keys` lists all", name);
    if (part == SETTINGS && is_top(prefix, name, "sweep")) {
        if (value->type != YAML_MAPPING_NODE)
            return load_fail(l, at, "sweep: needs keys with lists, KEY: [a, b, c]");
        return read_tree(l, value, "", SWEEP);
    }
    if (part == SETTINGS && is_top(prefix, name, "cases"))
        return read_cases(l, value, at);
    if (part == SWEEP && is_top(prefix, name, "zip"))
        return read_zip(l, value, at);
    if (value->type != YAML_MAPPING_NODE)
        return read_leaf(l, name, at, value, part);
    bool own = strncmp(name, "workloads", 9) == 0 || strncmp(name, "hosts", 5) == 0 ||
               strncmp(name, "tenants", 7) == 0;
    if (own && key_is_group(name) && value->data.mapping.pairs.start == value->data.mapping.pairs.top)
        return load_fail(l, at, "%s: has no %s below it", name,
                         strchr(name, '.') ? "keys"
                         : *name == 'w'    ? "names of workloads"
                         : *name == 't'    ? "names of tenants"
                                           : "hosts");
    if (!key_is_group(name))
        return key_like(name) ? load_fail(l, at, "%s: takes one value and has no keys below it", name)
                              : load_unknown_key(l, at, name);
    return read_tree(l, value, name, part);
}

static bool read_tree(struct scenario_loader *l, const yaml_node_t *map, const char *prefix, enum part part)
{
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++)
        if (!read_pair(l, yaml_node(l->yaml, p->key), yaml_node(l->yaml, p->value), prefix, part))
            return false;
    return true;
}

/* ---- the file ---- */

static bool use_file(void *loader, const yaml_node_t *root)
{
    struct scenario_loader *l = loader;
    struct scenario_place start = {1, 1};
    if (!root)
        return load_fail(l, start,
                         "the file is empty; a scenario needs keys such as workload: {kind: stream}");
    if (root->type != YAML_MAPPING_NODE)
        return load_fail(l, yaml_place(l->yaml, root), "a scenario is a list of `key: value`");
    return read_tree(l, root, "", SETTINGS) && cases_are_not_swept(l) && sweep_cases(l);
}

/* ---- --set ---- */

static bool use_list(void *loader, const yaml_node_t *root)
{
    struct scenario_loader *l = loader;
    const struct key *key = l->setting;
    bool range = root && root->type == YAML_SCALAR_NODE && yaml_is_plain(root) &&
                 value_is_range(&key->rules, yaml_scalar(root));
    if (!root || (root->type != YAML_SEQUENCE_NODE && !range))
        return load_fail(l, (struct scenario_place){0},
                         "%s: needs a list of values, [a, b, c], or a range, A..B", key->name);
    return read_axis(l, key, root, false);
}

static bool set_list(struct scenario_loader *l, const struct key *key, const char *text)
{
    l->setting = key;
    return yaml_text_read(l->yaml, text, strlen(text), use_list, l);
}

/* ---- the scenario ---- */

static bool check_points(const struct scenario *s, char *error)
{
    struct scenario_point point;
    for (size_t i = 0; i < s->points; i++)
        if (!scenario_point(s, i, 0, &point, error))
            return false;
    return true;
}

struct scenario *scenario_read(FILE *in, const char *name, const char *const *sets, size_t sets_count,
                               char *error)
{
    struct scenario_loader l;
    bool good = load_begin(&l, name, error);
    struct yaml_text yaml = {.file = l.s->file, .what = "a scenario", .error = error};
    l.yaml = &yaml;
    good = good && yaml_stream_read(&yaml, in, use_file, &l);
    yaml.from_set = true;
    good = good && load_sets(&l, sets, sets_count, set_list);
    return load_end(&l, good);
}

struct scenario *scenario_open(const char *file, const char *const *sets, size_t sets_count, char *error)
{
    FILE *in = fopen(file, "rb");
    if (!in) {
        snprintf(error, SCENARIO_ERROR_MAX, "%s: cannot be opened: %s", file, strerror(errno));
        return NULL;
    }
    struct scenario *s = scenario_read(in, file, sets, sets_count, error);
    fclose(in);
    if (!s)
        text_make_plain(error, true); /* what it quotes may end inside a character */
    return s;
}

struct scenario *scenario_load(const char *file, const char *const *sets, size_t sets_count, char *error)
{
    struct scenario *s = scenario_open(file, sets, sets_count, error);
    if (s && s->was_pair)
        fprintf(stderr,
                "note: %s: world: pair now means world: fabric with llp.kind: ideal; write that, or mpa for "
                "TCP\n",
                file);
    if (!s || check_points(s, error))
        return s;
    text_make_plain(error, true);
    scenario_free(s);
    return NULL;
}
