/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenario_set.c -- settings and axes from words, each checked by itself, without a file (scenario.h). */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/quote.h"
#include "helpers/scenario/column.h"
#include "helpers/scenario/scenario_inner.h"

/* ---- single values ---- */

/* The row of the table that a workload is said to have for itself and cannot; NULL: there is none. */
static const struct key *shared_of(const char *name)
{
    char load[KEY_LOAD_NAME_MAX], whole[KEY_NAME_MAX];
    if (!key_names_load(name, load) || strncmp(name, "workloads.", 10) != 0)
        return NULL;
    const char *rest = name + 10 + strlen(load);
    const struct key *row = *rest ? key_find(rest + 1) : NULL;
    if (row && strncmp(row->name, "llp.", 4) == 0)
        return key_not_of_load(row) ? row : NULL;
    snprintf(whole, sizeof whole, "workload%s", rest);
    row = key_find(whole);
    return row && key_not_of_load(row) ? row : NULL;
}

bool load_unknown_key(struct scenario_loader *l, struct scenario_place at, const char *name)
{
    const char *near = key_suggest(name);
    char load[KEY_LOAD_NAME_MAX];
    const struct key *shared = shared_of(name);
    if (shared)
        return load_fail(l, at, "%s: %s; write %s", name, key_not_of_load(shared), shared->name);
    if (strncmp(name, "hosts.", 6) == 0 && !key_names_hosts(name, load))
        return load_fail(l, at, "%s: hosts are named by number or range, 3 or 4-7", name);
    const char *rest = strncmp(name, "hosts.", 6) == 0 ? strchr(name + 6, '.') : NULL;
    const struct key *row = rest ? key_find(rest + 1) : NULL;
    if (row && key_not_of_hosts(row))
        return load_fail(l, at, "%s: %s", row->name, key_not_of_hosts(row));
    if (strncmp(name, "workloads.", 10) == 0 && !key_names_load(name, load))
        return load_fail(l, at, "%s: the name of a workload is " KEY_LOAD_NAME_RULE, name);
    if (strncmp(name, "tenants.", 8) == 0 && !key_names_tenant(name, load))
        return load_fail(l, at, "%s: the name of a tenant is " KEY_LOAD_NAME_RULE, name);
    if (key_is_group(name))
        return load_fail(l, at,
                         "%s: is a group of keys and takes no value of its own; see `iwarpsim keys %s`", name,
                         name);
    return load_fail(l, at, "%s: unknown key%s%s%s; `iwarpsim keys` lists all", name,
                     near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static bool wrong_value(struct scenario_loader *l, struct scenario_place at, const struct key *key,
                        const char *text, const char *why)
{
    char allowed[SCENARIO_ERROR_MAX / 2];
    value_allowed(&key->rules, allowed, sizeof allowed);
    const char *near = key_suggest_choice(key, text);
    if (!*text)
        return load_fail(l, at, "%s: has no value; allowed: %s", key->name, allowed);
    return load_fail(l, at, "%s: '%.60s' %s%s%s%s; allowed: %s", key->name, text, why,
                     near ? " (did you mean " : "", near ? near : "", near ? "?)" : "", allowed);
}

bool load_value(struct scenario_loader *l, const struct key *key, const char *text, struct scenario_place at,
                struct value *v)
{
    char why[VALUE_WHY_MAX];
    if (strcmp(key->name, "world") == 0 && strcmp(text, "pair") == 0 && !l->in) { /* of the first release */
        l->s->was_pair = true;
        text = "fabric";
    }
    if (strcmp(key->name, "world") == 0 && strcmp(text, "socket") == 0)
        return load_fail(l, at, "world: socket is a live world: use `iwarpsim serve` and `iwarpsim connect`");
    if (key->rules.type != VALUE_TEXT && !*text)
        return wrong_value(l, at, key, text, "");
    return value_read(v, &key->rules, text, why) || wrong_value(l, at, key, text, why);
}

/* ---- keys of one workload of several ---- */

static struct scenario_own_key *find_own(const struct scenario *s, const char *name)
{
    for (size_t i = 0; i < s->own_count; i++)
        if (strcmp(s->own[i]->name, name) == 0)
            return s->own[i];
    return NULL;
}

const struct key *scenario_key(const struct scenario *s, const char *name)
{
    const struct key *key = key_find(name);
    const struct scenario_own_key *own = key ? NULL : find_own(s, name);
    return own ? &own->key : key;
}

size_t scenario_keys(const struct scenario *s)
{
    size_t count;
    keys_all(&count);
    return count + s->own_count;
}

const struct key *scenario_key_at(const struct scenario *s, size_t i)
{
    size_t count;
    const struct key *keys = keys_all(&count);
    return i < count ? &keys[i] : &s->own[i - count]->key;
}

/* False: there is no room for one more. */
static bool enter_name(char names[POINT_LOADS][KEY_LOAD_NAME_MAX], uint32_t *count, const char *name)
{
    _Static_assert(POINT_TENANTS == (int)POINT_LOADS, "lists of one length");
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    if (*count == POINT_LOADS)
        return false;
    snprintf(names[(*count)++], KEY_LOAD_NAME_MAX, "%s", name);
    return true;
}

/* A key that one goes with, as the workload calls it where it has it for itself. */
static const char *name_with(const char *with, const char *load, char name[KEY_NAME_MAX])
{
    const struct key *row = with ? key_find(with) : NULL;
    if (!row || key_not_of_load(row))
        return with;
    key_name_of_load(row, load, name);
    return name;
}

static const struct key *enter_own(struct scenario *s, const struct key *row, const char *name,
                                   const char *load)
{
    struct scenario_own_key *own = need(calloc(1, sizeof *own));
    s->own = need(realloc(s->own, (s->own_count + 1) * sizeof(struct scenario_own_key *)));
    s->own[s->own_count++] = own;
    own->of_hosts = strncmp(name, "hosts.", 6) == 0;
    own->key = own->of_hosts ? *row : key_is_of_tenant(row) ? key_of_tenant(row, 0) : key_of_load(row, 0);
    own->key.like = row;
    snprintf(own->name, sizeof own->name, "%s", name);
    snprintf(own->load, sizeof own->load, "%s", load);
    own->key.name = own->name;
    if (!own->of_hosts) {
        own->key.with = name_with(row->with, load, own->with);
        own->key.also = name_with(row->also, load, own->also);
    }
    return &own->key;
}

static const struct key *enter_hosts(struct scenario_loader *l, struct scenario_place at,
                                     const struct key *row, const char *name, const char *list)
{
    size_t of_hosts = 0;
    for (size_t i = 0; i < l->s->own_count; i++)
        of_hosts += l->s->own[i]->of_hosts;
    if (of_hosts < POINT_OVERRIDES)
        return enter_own(l->s, row, name, list);
    load_fail(l, at, "%s: at most %d keys may differ from host to host", name, POINT_OVERRIDES);
    return NULL;
}

const struct key *load_key(struct scenario_loader *l, struct scenario_place at, const char *name)
{
    char load[KEY_LOAD_NAME_MAX];
    const struct key *key = scenario_key(l->s, name), *row = key ? NULL : key_like(name);
    if (key && key_is_of_tenant(key) && !key->like) {
        load_fail(l, at, "%s: tenants have names: write tenants.NAME%s", name, strchr(name, '.'));
        return NULL;
    }
    if (key)
        return key;
    if (!row) {
        load_unknown_key(l, at, name);
        return NULL;
    }
    if (key_names_hosts(name, load))
        return enter_hosts(l, at, row, name, load);
    bool tenant = key_names_tenant(name, load);
    if (!tenant)
        key_names_load(name, load);
    if (!enter_name(tenant ? l->s->tenant : l->s->load, tenant ? &l->s->tenants : &l->s->loads, load)) {
        load_fail(l, at, "%s.%s: at most %d %s", tenant ? "tenants" : "workloads", load, POINT_LOADS,
                  tenant ? "tenants" : "workloads");
        return NULL;
    }
    return enter_own(l->s, row, name, load);
}

static int by_load(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int by_key(const void *a, const void *b)
{
    return strcmp((*(struct scenario_own_key *const *)a)->name, (*(struct scenario_own_key *const *)b)->name);
}

static bool has_own_llp(const struct scenario *s, const char *load)
{
    bool some = false;
    for (size_t i = 0; i < s->own_count; i++)
        some |= !s->own[i]->of_hosts && !strcmp(s->own[i]->load, load) &&
                !strncmp(s->own[i]->key.like->name, "llp.", 4);
    return some;
}

/* The keys of which nothing was said; those of the lower layer where something was said of one. */
static void complete_own(struct scenario *s, const char *load)
{
    size_t count;
    const struct key *keys = keys_all(&count);
    bool llp = has_own_llp(s, load);
    for (size_t i = 0; i < count; i++) {
        char name[KEY_NAME_MAX];
        if (key_not_of_load(&keys[i]) || (strncmp(keys[i].name, "llp.", 4) == 0 && !llp))
            continue;
        key_name_of_load(&keys[i], load, name);
        if (!find_own(s, name))
            enter_own(s, &keys[i], name, load);
    }
}

static void complete_tenant(struct scenario *s, const char *tenant)
{
    for (const struct key *row = NULL; (row = key_next(row));) {
        char name[KEY_NAME_MAX];
        if (!key_is_of_tenant(row))
            continue;
        key_name_of_tenant(row, tenant, name);
        if (!find_own(s, name))
            enter_own(s, row, name, tenant);
    }
}

static void number_own(struct scenario *s, struct scenario_own_key *own, unsigned *overrides)
{
    unsigned number = 0;
    if (own->of_hosts) {
        own->key.load = *overrides;
        own->key.offset = offsetof(struct scenario_point, override_of) +
                          *overrides * sizeof(struct point_override) + offsetof(struct point_override, value);
        ++*overrides;
        return;
    }
    bool tenant = key_is_of_tenant(&own->key);
    while (strcmp(tenant ? s->tenant[number] : s->load[number], own->load) != 0)
        number++;
    struct key placed = (tenant ? key_of_tenant : key_of_load)(own->key.like, number);
    own->key.load = number;
    own->key.offset = placed.offset;
    own->key.argument = placed.argument;
}

/* All names are known: each workload has its number, and all its keys; each override has its place. */
static void number_all(struct scenario *s)
{
    unsigned overrides = 0;
    if (s->own_count == 0)
        return;
    qsort(s->load, s->loads, sizeof *s->load, by_load);
    qsort(s->tenant, s->tenants, sizeof *s->tenant, by_load);
    for (uint32_t i = 0; i < s->loads; i++)
        complete_own(s, s->load[i]);
    for (uint32_t i = 0; i < s->tenants; i++)
        complete_tenant(s, s->tenant[i]);
    qsort(s->own, s->own_count, sizeof *s->own, by_key);
    for (size_t i = 0; i < s->own_count; i++)
        number_own(s, s->own[i], &overrides);
}

/* ---- settings and axes of the scenario ---- */

void load_put_setting(struct scenario *s, const struct key *key, const struct value *v,
                      struct scenario_place at)
{
    struct scenario_setting *setting = scenario_setting_of(s, key);
    if (!setting) {
        s->settings = need(realloc(s->settings, (s->settings_count + 1) * sizeof *s->settings));
        setting = &s->settings[s->settings_count++];
    }
    *setting = (struct scenario_setting){key, *v, at};
}

void load_empty_axis(struct scenario_axis *axis)
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
    load_empty_axis(axis);
    memmove(axis, axis + 1, (--s->axes_count - place) * sizeof *axis);
}

/* ---- --set ---- */

static bool set_one(struct scenario_loader *l, const struct key *key, const char *text)
{
    struct value v;
    struct scenario_place at = {0, 0};
    if (!load_value(l, key, text, at, &v))
        return false;
    struct scenario_axis *axis = scenario_axis_of(l->s, key);
    if (axis)
        drop_axis(l->s, axis);
    load_put_setting(l->s, key, &v, at);
    return true;
}

static bool apply_set(struct scenario_loader *l, const char *set, load_list *list_of)
{
    char name[NAME_MAX_];
    struct scenario_place at = {0, 0};
    const char *equals = strchr(set, '=');
    size_t len = equals ? (size_t)(equals - set) : 0;
    if (!equals || len == 0 || len >= sizeof name)
        return load_fail(l, at, "'%.60s' is not KEY=VALUE", set);
    memcpy(name, set, len);
    name[len] = 0;
    const char *plain = strncmp(name, "sweep.", 6) == 0 ? name + 6 : name;
    const struct key *key = load_key(l, at, plain);
    if (!key)
        return false;
    cases_drop(l->s, key);
    bool list = equals[1] == '[' || plain != name || value_is_range(&key->rules, equals + 1);
    return list ? list_of(l, key, equals + 1) : set_one(l, key, equals + 1);
}

/* ---- the scenario ---- */

static char *name_of_file(const char *file)
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
    const struct scenario_setting *given = scenario_setting_of(s, kind);
    struct value v;
    char why[VALUE_WHY_MAX];
    if (!s->was_pair || scenario_axis_of(s, kind) || (given && given->value.n != LLP_MPA))
        return;
    if (value_read(&v, &kind->rules, "ideal", why))
        load_put_setting(s, kind, &v, given ? given->at : (struct scenario_place){0, 0});
}

static void take_setting(struct scenario *s, const struct key *key)
{
    struct scenario_setting *setting = scenario_setting_of(s, key);
    if (!setting)
        return;
    size_t place = (size_t)(setting - s->settings);
    memmove(setting, setting + 1, (--s->settings_count - place) * sizeof *setting);
}

/* Repeats are a number, or as many as an interval takes. Of a file and a --set the latter counts. */
static bool choose_repeats(struct scenario_loader *l)
{
    const struct key *number = key_find("repeat"), *until = key_find("repeat.until");
    const struct scenario_setting *n = scenario_setting_of(l->s, number),
                                  *u = scenario_setting_of(l->s, until);
    const struct scenario_setting *of = scenario_setting_of(l->s, key_find("repeat.of"));
    const struct scenario_setting *most = scenario_setting_of(l->s, key_find("repeat.most"));
    bool set_number = n && !n->at.line, set_until = u && !u->at.line;
    if (n && u && set_number == set_until)
        return load_fail(l, u->at, "repeat: a number, or {until, of, most}, not both");
    if (!u && (of || most))
        return load_fail(l, (of ? of : most)->at, "%s: needs repeat.until", (of ? of : most)->key->name);
    if (of && !result_column(of->value.text))
        return load_fail(l, of->at,
                         "repeat.of: '%.60s' is not a column of results.csv; columns.tsv lists them",
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
    snprintf(error, SCENARIO_ERROR_MAX,
             "%s: results and figures take their name from the file: " NAME_SAFE_RULE, s->file);
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

static bool count_points(struct scenario_loader *l)
{
    size_t points = l->s->conf.repeat;
    for (size_t i = 0; i < l->s->axes_count; i++) {
        if (l->s->axes[i].zipped)
            continue;
        if (l->s->axes[i].count > SCENARIO_POINTS_MAX / points)
            return load_fail(l, l->s->axes[i].at[0], "sweep: more than %d runs", SCENARIO_POINTS_MAX);
        points *= l->s->axes[i].count;
    }
    l->s->points = points / l->s->conf.repeat;
    return true;
}

/* ---- from start to end ---- */

bool load_begin(struct scenario_loader *l, const char *file, char *error)
{
    size_t keys;
    keys_all(&keys);
    struct scenario *s = need(calloc(1, sizeof *s));
    s->file = need(strdup(file));
    s->name = name_of_file(file);
    *l = (struct scenario_loader){.s = s, .seen = need(calloc(2 * keys, sizeof *l->seen)), .error = error};
    return true;
}

bool load_sets(struct scenario_loader *l, const char *const *sets, size_t sets_count, load_list *list)
{
    for (size_t i = 0; i < sets_count; i++)
        if (!apply_set(l, sets[i], list))
            return false;
    if (!cases_check(l) || !choose_repeats(l))
        return false;
    be_ideal(l->s);
    number_all(l->s);
    store_conf(l->s);
    return count_points(l);
}

struct scenario *load_end(struct scenario_loader *l, bool good)
{
    good = good && check_name(l->s, l->error);
    free(l->seen);
    if (good)
        return l->s;
    scenario_free(l->s);
    return NULL;
}

/* ---- what was read before ---- */

static bool no_list(struct scenario_loader *l, const struct key *key, const char *text)
{
    (void)text;
    return load_fail(l, (struct scenario_place){0}, "%s: takes one value here", key->name);
}

static bool give(struct scenario_loader *l, const struct scenario_given *given)
{
    struct value v;
    const struct key *key = load_key(l, given->at, given->key);
    if (!key || !load_value(l, key, given->value, given->at, &v))
        return false;
    load_put_setting(l->s, key, &v, given->at);
    return true;
}

struct scenario *scenario_from(const char *file, const struct scenario_given *given, size_t count,
                               const char *const *sets, size_t sets_count, char *error)
{
    struct scenario_loader l;
    bool good = load_begin(&l, file, error);
    for (size_t i = 0; good && i < count; i++)
        good = give(&l, &given[i]);
    good = good && load_sets(&l, sets, sets_count, no_list);
    return load_end(&l, good);
}

void scenario_free(struct scenario *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->axes_count; i++)
        load_empty_axis(&s->axes[i]);
    cases_free(s);
    for (size_t i = 0; i < s->own_count; i++)
        free(s->own[i]);
    free(s->own);
    free(s->axes);
    free(s->settings);
    free(s->event_at);
    free(s->file);
    free(s->name);
    free(s);
}
