/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenario_load.c -- from YAML and --set to settings and axes, each checked by itself (scenario.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/quote.h"
#include "helpers/scenario/column.h"
#include "helpers/scenario/scenario.h"
#include "helpers/scenario/yaml_text.h"

enum { NAME_MAX_ = 256, AXIS_MAX = 10000 /* values */ };

struct loader {
    struct scenario *s;
    struct yaml_text yaml;
    const struct key *setting;   /* reading the value of a --set of this key */
    struct scenario_place *seen; /* of each key of the table, while the file is read */
};

static void *need(void *memory)
{
    if (!memory) {
        fputs("iwarpsim: out of memory\n", stderr);
        exit(3);
    }
    return memory;
}

/* ---- single values ---- */

static bool unknown_key(struct loader *l, struct scenario_place at, const char *name)
{
    const char *near = key_suggest(name);
    if (key_is_group(name))
        return yaml_fail(&l->yaml, at,
                         "%s: is a group of keys and takes no value of its own; see `iwarpsim keys %s`", name,
                         name);
    return yaml_fail(&l->yaml, at, "%s: unknown key%s%s%s; `iwarpsim keys` lists all", name,
                     near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static bool wrong_value(struct loader *l, struct scenario_place at, const struct key *key, const char *text,
                        const char *why)
{
    char allowed[SCENARIO_ERROR_MAX / 2];
    value_allowed(&key->rules, allowed, sizeof allowed);
    const char *near = key_suggest_choice(key, text);
    if (!*text)
        return yaml_fail(&l->yaml, at, "%s: has no value; allowed: %s", key->name, allowed);
    return yaml_fail(&l->yaml, at, "%s: '%.60s' %s%s%s%s; allowed: %s", key->name, text, why,
                     near ? " (did you mean " : "", near ? near : "", near ? "?)" : "", allowed);
}

static bool read_value(struct loader *l, const struct key *key, const char *text, struct scenario_place at,
                       struct value *v)
{
    char why[VALUE_WHY_MAX];
    if (strcmp(key->name, "world") == 0 && strcmp(text, "pair") == 0) { /* the name of the first release */
        l->s->was_pair = true;
        text = "fabric";
    }
    if (key->rules.type != VALUE_TEXT && !*text)
        return wrong_value(l, at, key, text, "");
    return value_read(v, &key->rules, text, why) || wrong_value(l, at, key, text, why);
}

/* ---- settings and axes of the scenario ---- */

static struct scenario_setting *find_setting(struct scenario *s, const struct key *key)
{
    for (size_t i = 0; i < s->settings_count; i++)
        if (s->settings[i].key == key)
            return &s->settings[i];
    return NULL;
}

static struct scenario_axis *find_axis(struct scenario *s, const struct key *key)
{
    for (size_t i = 0; i < s->axes_count; i++)
        if (s->axes[i].key == key)
            return &s->axes[i];
    return NULL;
}

static void put_setting(struct scenario *s, const struct key *key, const struct value *v,
                        struct scenario_place at)
{
    struct scenario_setting *setting = find_setting(s, key);
    if (!setting) {
        s->settings = need(realloc(s->settings, (s->settings_count + 1) * sizeof *s->settings));
        setting = &s->settings[s->settings_count++];
    }
    *setting = (struct scenario_setting){key, *v, at};
}

static void empty_axis(struct scenario_axis *axis)
{
    free(axis->values);
    free(axis->at);
    axis->values = NULL;
    axis->at = NULL;
    axis->count = 0;
}

static void drop_axis(struct scenario *s, struct scenario_axis *axis)
{
    size_t place = (size_t)(axis - s->axes);
    if (!axis->zipped && place + 1 < s->axes_count) /* the next leads what is left of its zip */
        axis[1].zipped = false;
    empty_axis(axis);
    memmove(axis, axis + 1, (--s->axes_count - place) * sizeof *axis);
}

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
    struct scenario_axis *axis = find_axis(s, key);
    if (axis) {
        empty_axis(axis);
        unzip(s, axis);
        return find_axis(s, key);
    }
    s->axes = need(realloc(s->axes, (s->axes_count + 1) * sizeof *s->axes));
    axis = &s->axes[s->axes_count++];
    *axis = (struct scenario_axis){.key = key};
    return axis;
}

/* `text`: as it was written; NULL: as it would be. */
static bool add_value(struct loader *l, struct scenario_axis *axis, const struct value *v, const char *text,
                      struct scenario_place at, bool twice)
{
    char shown[VALUE_TEXT_MAX];
    value_write(v, &axis->key->rules, shown, sizeof shown);
    for (size_t i = 0; !twice && i < axis->count; i++)
        if (value_equal(&axis->values[i], v))
            return yaml_fail(&l->yaml, at, "sweep.%s: '%s' stands in its list twice", axis->key->name,
                             text ? text : shown);
    if (axis->count == AXIS_MAX)
        return yaml_fail(&l->yaml, at, "sweep.%s: more than %d values", axis->key->name, AXIS_MAX);
    axis->values = need(realloc(axis->values, (axis->count + 1) * sizeof *axis->values));
    axis->at = need(realloc(axis->at, (axis->count + 1) * sizeof *axis->at));
    axis->values[axis->count] = *v;
    axis->at[axis->count++] = at;
    return true;
}

static bool add_range(struct loader *l, struct scenario_axis *axis, const char *text,
                      struct scenario_place at, bool twice)
{
    struct value_range range;
    char why[VALUE_WHY_MAX];
    if (!value_range_read(&range, &axis->key->rules, text, why))
        return yaml_fail(&l->yaml, at, "sweep.%s: '%.60s' %s; a range is A..B, A..B by STEP or A..B x FACTOR",
                         axis->key->name, text, why);
    for (struct value v = range.first; value_range_has(&range, &v); v = value_range_next(&range, &v))
        if (!add_value(l, axis, &v, NULL, at, twice))
            return false;
    return true;
}

static bool add_to_axis(struct loader *l, struct scenario_axis *axis, const yaml_node_t *node, bool twice)
{
    struct value v;
    struct scenario_place at = yaml_place(&l->yaml, node);
    if (node->type != YAML_SCALAR_NODE || !yaml_is_plain(node))
        return yaml_fail(&l->yaml, at, "sweep.%s: its list holds values, nothing else", axis->key->name);
    if (value_is_range(&axis->key->rules, yaml_scalar(node)))
        return add_range(l, axis, yaml_scalar(node), at, twice);
    return read_value(l, axis->key, yaml_scalar(node), at, &v) &&
           add_value(l, axis, &v, yaml_scalar(node), at, twice);
}

/* A list, or one range; `twice`: a value may come again, for it is zipped with others. */
static bool read_values(struct loader *l, struct scenario_axis *axis, const yaml_node_t *list, bool twice)
{
    if (list->type == YAML_SCALAR_NODE)
        return add_to_axis(l, axis, list, twice);
    for (yaml_node_item_t *i = list->data.sequence.items.start; i < list->data.sequence.items.top; i++)
        if (!add_to_axis(l, axis, yaml_node(&l->yaml, *i), twice))
            return false;
    return axis->count > 0 ||
           yaml_fail(&l->yaml, yaml_place(&l->yaml, list), "sweep.%s: its list is empty", axis->key->name);
}

static bool read_axis(struct loader *l, const struct key *key, const yaml_node_t *list, bool twice)
{
    struct scenario_place at = yaml_place(&l->yaml, list);
    if (key->of == KEY_SCENARIO)
        return yaml_fail(&l->yaml, at, "%s: belongs to the whole scenario and cannot be swept", key->name);
    return read_values(l, put_axis(l->s, key), list, twice);
}

static bool read_setting(struct loader *l, const struct key *key, const yaml_node_t *node)
{
    struct value v;
    if (!read_value(l, key, yaml_scalar(node), yaml_place(&l->yaml, node), &v))
        return false;
    put_setting(l->s, key, &v, yaml_place(&l->yaml, node));
    return true;
}

/* ---- the tree ---- */

/* What the keys of a map belong to. */
enum part { SETTINGS, SWEEP, ZIP };

static bool read_tree(struct loader *l, const yaml_node_t *map, const char *prefix, enum part part);

static bool seen_before(struct loader *l, const struct key *key, struct scenario_place at, enum part part)
{
    size_t count;
    struct scenario_place *seen = &l->seen[2 * (size_t)(key - keys_all(&count)) + (part != SETTINGS)];
    if (seen->line)
        return yaml_fail(&l->yaml, at, "%s%s: is given twice, first in line %u",
                         part != SETTINGS ? "sweep." : "", key->name, seen->line);
    *seen = at;
    return true;
}

static bool read_leaf(struct loader *l, const char *name, struct scenario_place at, const yaml_node_t *node,
                      enum part part)
{
    const struct key *key = key_find(name);
    if (!key)
        return unknown_key(l, at, name);
    if (!seen_before(l, key, at, part))
        return false;
    bool range = part != SETTINGS && node->type == YAML_SCALAR_NODE && yaml_is_plain(node) &&
                 value_is_range(&key->rules, yaml_scalar(node));
    if (part != SETTINGS && (range || node->type == YAML_SEQUENCE_NODE))
        return read_axis(l, key, node, part == ZIP);
    if (part != SETTINGS)
        return yaml_fail(&l->yaml, at, "sweep.%s: needs a list of values, [a, b, c], or a range, A..B", name);
    if (node->type == YAML_SEQUENCE_NODE)
        return yaml_fail(&l->yaml, at, "%s: takes one value; lists belong below `sweep:`", name);
    if (!yaml_is_plain(node))
        return yaml_fail(&l->yaml, at, "%s: has an octet 0 in its value", name);
    return read_setting(l, key, node);
}

/* Do two steps of the last axes, from `first` on, differ in some value? */
static bool all_differ(struct loader *l, size_t first)
{
    const struct scenario *s = l->s;
    for (size_t a = 0; a < s->axes[first].count; a++)
        for (size_t b = 0; b < a; b++) {
            size_t i = first;
            while (i < s->axes_count && value_equal(&s->axes[i].values[a], &s->axes[i].values[b]))
                i++;
            if (i == s->axes_count)
                return yaml_fail(&l->yaml, s->axes[first].at[a],
                                 "sweep.zip: values %zu and %zu of %s are the same in all its keys", b + 1,
                                 a + 1, s->axes[first].key->name);
        }
    return true;
}

/* One group of a zip: its axes, which are the last now, step together. */
static bool read_group(struct loader *l, const yaml_node_t *map)
{
    struct scenario *s = l->s;
    struct scenario_place at = yaml_place(&l->yaml, map);
    size_t first = s->axes_count;
    if (map->type != YAML_MAPPING_NODE)
        return yaml_fail(&l->yaml, at, "sweep.zip: needs a list of maps, [{KEY: [a, b], KEY: [c, d]}]");
    if (!read_tree(l, map, "", ZIP))
        return false;
    if (s->axes_count < first + 2)
        return yaml_fail(&l->yaml, at, "sweep.zip: what is zipped is two keys or more");
    for (size_t i = first + 1; i < s->axes_count; i++) {
        if (s->axes[i].count != s->axes[first].count)
            return yaml_fail(&l->yaml, s->axes[i].at[0],
                             "sweep.zip: %s has %zu values and %s has %zu; zipped keys have equally many",
                             s->axes[first].key->name, s->axes[first].count, s->axes[i].key->name,
                             s->axes[i].count);
        s->axes[i].zipped = true;
    }
    return all_differ(l, first);
}

static bool read_zip(struct loader *l, const yaml_node_t *list, struct scenario_place at)
{
    if (list->type != YAML_SEQUENCE_NODE || list->data.sequence.items.start == list->data.sequence.items.top)
        return yaml_fail(&l->yaml, at, "sweep.zip: needs a list of maps, [{KEY: [a, b], KEY: [c, d]}]");
    for (yaml_node_item_t *i = list->data.sequence.items.start; i < list->data.sequence.items.top; i++)
        if (!read_group(l, yaml_node(&l->yaml, *i)))
            return false;
    return true;
}

static bool is_top(const char *prefix, const char *name, const char *wanted)
{
    return !*prefix && strcmp(name, wanted) == 0;
}

static bool read_pair(struct loader *l, const yaml_node_t *key, const yaml_node_t *value, const char *prefix,
                      enum part part)
{
    char name[NAME_MAX_];
    struct scenario_place at = yaml_place(&l->yaml, key);
    if (key->type != YAML_SCALAR_NODE || !yaml_is_plain(key) || !*yaml_scalar(key))
        return yaml_fail(&l->yaml, at, "a key must be a word");
    int len = snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", yaml_scalar(key));
    if (len < 0 || len >= (int)sizeof name)
        return yaml_fail(&l->yaml, at, "%.60s...: unknown key; `iwarpsim keys` lists all", name);
    if (part == SETTINGS && is_top(prefix, name, "sweep")) {
        if (value->type != YAML_MAPPING_NODE)
            return yaml_fail(&l->yaml, at, "sweep: needs keys with lists, KEY: [a, b, c]");
        return read_tree(l, value, "", SWEEP);
    }
    if (part == SWEEP && is_top(prefix, name, "zip"))
        return read_zip(l, value, at);
    if (value->type != YAML_MAPPING_NODE)
        return read_leaf(l, name, at, value, part);
    if (!key_is_group(name))
        return key_find(name) ? yaml_fail(&l->yaml, at, "%s: takes one value and has no keys below it", name)
                              : unknown_key(l, at, name);
    return read_tree(l, value, name, part);
}

static bool read_tree(struct loader *l, const yaml_node_t *map, const char *prefix, enum part part)
{
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++)
        if (!read_pair(l, yaml_node(&l->yaml, p->key), yaml_node(&l->yaml, p->value), prefix, part))
            return false;
    return true;
}

/* ---- the file ---- */

static bool use_file(void *loader, const yaml_node_t *root)
{
    struct loader *l = loader;
    struct scenario_place start = {1, 1};
    if (!root)
        return yaml_fail(&l->yaml, start,
                         "the file is empty; a scenario needs keys such as workload: {kind: stream}");
    if (root->type != YAML_MAPPING_NODE)
        return yaml_fail(&l->yaml, yaml_place(&l->yaml, root), "a scenario is a list of `key: value`");
    return read_tree(l, root, "", SETTINGS);
}

/* ---- --set ---- */

static bool use_list(void *loader, const yaml_node_t *root)
{
    struct loader *l = loader;
    const struct key *key = l->setting;
    bool range = root && root->type == YAML_SCALAR_NODE && yaml_is_plain(root) &&
                 value_is_range(&key->rules, yaml_scalar(root));
    if (!root || (root->type != YAML_SEQUENCE_NODE && !range))
        return yaml_fail(&l->yaml, (struct scenario_place){0, 0},
                         "%s: needs a list of values, [a, b, c], or a range, A..B", key->name);
    return read_axis(l, key, root, false);
}

static bool set_list(struct loader *l, const struct key *key, const char *text)
{
    l->setting = key;
    return yaml_text_read(&l->yaml, text, strlen(text), use_list, l);
}

static bool set_one(struct loader *l, const struct key *key, const char *text)
{
    struct value v;
    struct scenario_place at = {0, 0};
    if (!read_value(l, key, text, at, &v))
        return false;
    struct scenario_axis *axis = find_axis(l->s, key);
    if (axis)
        drop_axis(l->s, axis);
    put_setting(l->s, key, &v, at);
    return true;
}

static bool apply_set(struct loader *l, const char *set)
{
    char name[NAME_MAX_];
    struct scenario_place at = {0, 0};
    const char *equals = strchr(set, '=');
    size_t len = equals ? (size_t)(equals - set) : 0;
    if (!equals || len == 0 || len >= sizeof name)
        return yaml_fail(&l->yaml, at, "'%.60s' is not KEY=VALUE", set);
    memcpy(name, set, len);
    name[len] = 0;
    const char *plain = strncmp(name, "sweep.", 6) == 0 ? name + 6 : name;
    const struct key *key = key_find(plain);
    if (!key)
        return unknown_key(l, at, plain);
    bool list = equals[1] == '[' || plain != name || value_is_range(&key->rules, equals + 1);
    return list ? set_list(l, key, equals + 1) : set_one(l, key, equals + 1);
}

/* ---- the scenario ---- */

static char *name_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file;
    const char *dot = strrchr(base, '.');
    size_t len = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    char *name = need(calloc(len + 1, 1));
    memcpy(name, base, len);
    return name;
}

/* World pair had an ideal stream in the place of TCP. */
static void be_ideal(struct scenario *s)
{
    const struct key *kind = key_find("llp.kind");
    const struct scenario_setting *given = find_setting(s, kind);
    struct value v;
    char why[VALUE_WHY_MAX];
    if (!s->was_pair || find_axis(s, kind) || (given && given->value.n != LLP_MPA))
        return;
    if (value_read(&v, &kind->rules, "ideal", why))
        put_setting(s, kind, &v, given ? given->at : (struct scenario_place){0, 0});
}

static void take_setting(struct scenario *s, const struct key *key)
{
    struct scenario_setting *setting = find_setting(s, key);
    if (!setting)
        return;
    size_t place = (size_t)(setting - s->settings);
    memmove(setting, setting + 1, (--s->settings_count - place) * sizeof *setting);
}

/* Repeats are a number, or as many as an interval takes. Of a file and a --set the latter counts. */
static bool choose_repeats(struct loader *l)
{
    const struct key *number = key_find("repeat"), *until = key_find("repeat.until");
    const struct scenario_setting *n = find_setting(l->s, number), *u = find_setting(l->s, until);
    const struct scenario_setting *of = find_setting(l->s, key_find("repeat.of"));
    const struct scenario_setting *most = find_setting(l->s, key_find("repeat.most"));
    bool set_number = n && !n->at.line, set_until = u && !u->at.line;
    if (n && u && set_number == set_until)
        return yaml_fail(&l->yaml, u->at, "repeat: a number, or {until, of, most}, not both");
    if (!u && (of || most))
        return yaml_fail(&l->yaml, (of ? of : most)->at, "%s: needs repeat.until",
                         (of ? of : most)->key->name);
    if (of && !result_column(of->value.text))
        return yaml_fail(&l->yaml, of->at,
                         "repeat.of: '%.60s' is no column of results.csv; columns.tsv lists them",
                         of->value.text);
    if (n && u && set_until)
        take_setting(l->s, number);
    for (const char *const *name = (const char *const[]){"repeat.until", "repeat.of", "repeat.most", NULL};
         set_number && u && *name; name++)
        take_setting(l->s, key_find(*name));
    return true;
}

/* Results and figures are called as the file is. */
static bool check_name(const struct scenario *s, char *error)
{
    if (name_is_safe(s->name))
        return true;
    snprintf(error, SCENARIO_ERROR_MAX, "%s: results and figures are called as the file is: " NAME_SAFE_RULE,
             s->file);
    text_make_plain(error, false);
    return false;
}

static void store_conf(struct scenario *s)
{
    struct scenario_point point;
    keys_defaults(&point, &s->conf);
    for (size_t i = 0; i < s->settings_count; i++)
        if (s->settings[i].key->of == KEY_SCENARIO)
            key_store(s->settings[i].key, &s->settings[i].value, &s->conf);
    if (s->conf.until > 0)
        s->conf.repeat = s->conf.most;
}

static bool count_points(struct loader *l)
{
    size_t points = l->s->conf.repeat;
    for (size_t i = 0; i < l->s->axes_count; i++) {
        if (l->s->axes[i].zipped)
            continue;
        if (l->s->axes[i].count > SCENARIO_POINTS_MAX / points)
            return yaml_fail(&l->yaml, l->s->axes[i].at[0], "sweep: more than %d runs", SCENARIO_POINTS_MAX);
        points *= l->s->axes[i].count;
    }
    l->s->points = points / l->s->conf.repeat;
    return true;
}

static bool check_points(const struct scenario *s, char *error)
{
    struct scenario_point point;
    for (size_t i = 0; i < s->points; i++)
        if (!scenario_point(s, i, 0, &point, error))
            return false;
    return true;
}

static bool load(struct loader *l, FILE *in, const char *const *sets, size_t sets_count)
{
    if (!yaml_stream_read(&l->yaml, in, use_file, l))
        return false;
    l->yaml.from_set = true;
    for (size_t i = 0; i < sets_count; i++)
        if (!apply_set(l, sets[i]))
            return false;
    if (!choose_repeats(l))
        return false;
    be_ideal(l->s);
    store_conf(l->s);
    return count_points(l);
}

struct scenario *scenario_read(FILE *in, const char *name, const char *const *sets, size_t sets_count,
                               char *error)
{
    size_t keys;
    keys_all(&keys);
    struct scenario *s = need(calloc(1, sizeof *s));
    s->file = need(strdup(name));
    s->name = name_of(name);
    struct loader l = {.s = s,
                       .yaml = {.file = s->file, .what = "a scenario", .error = error},
                       .seen = need(calloc(2 * keys, sizeof *l.seen))};
    bool good = load(&l, in, sets, sets_count) && check_name(s, error);
    free(l.seen);
    if (good)
        return s;
    scenario_free(s);
    return NULL;
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
    return s;
}

struct scenario *scenario_load(const char *file, const char *const *sets, size_t sets_count, char *error)
{
    struct scenario *s = scenario_open(file, sets, sets_count, error);
    if (s && s->was_pair)
        fprintf(stderr,
                "note: %s: world: pair is read as world: fabric with llp.kind: ideal; write that, or mpa for "
                "TCP\n",
                file);
    if (!s || check_points(s, error))
        return s;
    scenario_free(s);
    return NULL;
}

void scenario_free(struct scenario *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->axes_count; i++)
        empty_axis(&s->axes[i]);
    free(s->axes);
    free(s->settings);
    free(s->file);
    free(s->name);
    free(s);
}
