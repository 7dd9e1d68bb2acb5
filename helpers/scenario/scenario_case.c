/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenario_case.c -- what is said of a key: by settings, the sweep and cases, which are named sets of keys (scenario.h). */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/quote.h"
#include "helpers/scenario/scenario_inner.h"

/* ---- settings and axes ---- */

struct scenario_setting *scenario_setting_of(const struct scenario *s, const struct key *key)
{
    for (size_t i = 0; i < s->settings_count; i++)
        if (s->settings[i].key == key)
            return &s->settings[i];
    return NULL;
}

struct scenario_axis *scenario_axis_of(const struct scenario *s, const struct key *key)
{
    for (size_t i = 0; i < s->axes_count; i++)
        if (s->axes[i].key == key)
            return &s->axes[i];
    return NULL;
}

bool scenario_sweeps(const struct scenario *s, const struct key *key)
{
    for (size_t i = 0; i < s->axes_count; i++)
        if (s->axes[i].key == key)
            return true;
    return false;
}

size_t scenario_stride(const struct scenario *s, size_t axis)
{
    size_t stride = 1;
    for (size_t i = axis + 1; i < s->axes_count; i++)
        stride *= s->axes[i].zipped ? 1 : s->axes[i].count;
    return stride;
}

const struct value *scenario_value(const struct scenario *s, size_t index, size_t axis)
{
    return &s->axes[axis].values[index / scenario_stride(s, axis) % s->axes[axis].count];
}

/* ---- which case ---- */

static const struct scenario_case *find_case(const struct scenario *s, const char *name)
{
    for (size_t i = 0; i < s->cases_count; i++)
        if (strcmp(s->cases[i].name, name) == 0)
            return &s->cases[i];
    return NULL;
}

bool key_is_case(const struct key *key)
{
    return strcmp(key->name, "case") == 0;
}

/* The axis of cases by its number; axes_count: they are not swept. */
static size_t case_axis(const struct scenario *s)
{
    size_t i = 0;
    while (i < s->axes_count && !key_is_case(s->axes[i].key))
        i++;
    return i;
}

static const struct scenario_case *only_case(const struct scenario *s)
{
    const struct scenario_setting *one = scenario_setting_of(s, key_find("case"));
    return one ? find_case(s, one->value.text) : NULL;
}

const struct scenario_case *scenario_case(const struct scenario *s, size_t index)
{
    size_t axis = s->cases_count ? case_axis(s) : 0;
    if (!s->cases_count)
        return NULL;
    return axis < s->axes_count ? find_case(s, scenario_value(s, index, axis)->text) : only_case(s);
}

const struct scenario_case *scenario_case_at(const struct scenario *s, size_t i)
{
    size_t axis = s->cases_count ? case_axis(s) : 0;
    if (!s->cases_count)
        return NULL;
    if (axis == s->axes_count)
        return i ? NULL : only_case(s);
    return i < s->axes[axis].count ? find_case(s, s->axes[axis].values[i].text) : NULL;
}

const struct scenario_setting *scenario_case_says(const struct scenario_case *c, const struct key *key)
{
    for (size_t i = 0; c && i < c->settings_count; i++)
        if (c->settings[i].key == key)
            return &c->settings[i];
    return NULL;
}

const struct value *scenario_stated(const struct scenario *s, size_t index, const struct key *key,
                                    struct scenario_place *at)
{
    const struct scenario_axis *axis = scenario_axis_of(s, key);
    if (axis) {
        const struct value *v = scenario_value(s, index, (size_t)(axis - s->axes));
        *at = axis->at[v - axis->values];
        return v;
    }
    const struct scenario_setting *setting = scenario_case_says(scenario_case(s, index), key);
    setting = setting ? setting : scenario_setting_of(s, key);
    if (setting)
        *at = setting->at;
    return setting ? &setting->value : NULL;
}

/* ---- while they are read ---- */

static bool is_good_name(const char *name)
{
    return *name && strlen(name) <= SCENARIO_CASE_NAME && *name != '[' && *name != '#' && text_is_plain(name);
}

struct scenario_case *case_add(struct scenario_loader *l, struct scenario_place at, const char *name)
{
    struct scenario *s = l->s;
    const struct scenario_case *same = find_case(s, name);
    if (!is_good_name(name))
        load_fail(l, at, "cases: '%.60s': the name of a case is " SCENARIO_CASE_RULE, name);
    else if (same)
        load_fail(l, at, "cases.%s: is given twice; the first is in line %u", name, same->at.line);
    else if (s->cases_count == SCENARIO_CASES)
        load_fail(l, at, "cases.%s: at most %d cases", name, SCENARIO_CASES);
    else {
        s->cases = need(realloc(s->cases, (s->cases_count + 1) * sizeof *s->cases));
        struct scenario_case *c = &s->cases[s->cases_count++];
        *c = (struct scenario_case){.at = at};
        memcpy(c->name, name, strlen(name));
        return c;
    }
    return NULL;
}

bool case_put(struct scenario_loader *l, struct scenario_case *c, const struct key *key,
              const struct value *v, struct scenario_place at)
{
    const struct scenario_setting *before = scenario_case_says(c, key);
    if (key->of == KEY_SCENARIO || key_is_case(key))
        return load_fail(l, at, "cases.%s: %s belongs to the whole scenario, not to a case of it", c->name,
                         key->name);
    if (before)
        return load_fail(l, at, "cases.%s: %s is given twice; the first is in line %u", c->name, key->name,
                         before->at.line);
    c->settings = need(realloc(c->settings, (c->settings_count + 1) * sizeof *c->settings));
    c->settings[c->settings_count++] = (struct scenario_setting){key, *v, at};
    return true;
}

bool cases_are_not_swept(struct scenario_loader *l)
{
    const struct scenario *s = l->s;
    for (size_t i = 0; i < s->cases_count; i++)
        for (size_t k = 0; k < s->cases[i].settings_count; k++)
            if (scenario_sweeps(s, s->cases[i].settings[k].key))
                return load_fail(l, s->cases[i].settings[k].at,
                                 "cases.%s: %s is swept; a key stands in cases or in the sweep, not in both",
                                 s->cases[i].name, s->cases[i].settings[k].key->name);
    return true;
}

void cases_drop(struct scenario *s, const struct key *key)
{
    for (size_t i = 0; i < s->cases_count; i++) {
        struct scenario_case *c = &s->cases[i];
        struct scenario_setting *end = c->settings + c->settings_count;
        struct scenario_setting *x = c->settings;
        while (x < end && x->key != key)
            x++;
        if (x < end) {
            memmove(x, x + 1, (size_t)(end - x - 1) * sizeof *x);
            c->settings_count--;
        }
    }
}

/* ---- what must hold in the end ---- */

static bool unknown_case(struct scenario_loader *l, struct scenario_place at, const char *name)
{
    char names[SCENARIO_ERROR_MAX / 2] = "";
    const struct scenario *s = l->s;
    if (!s->cases_count)
        return load_fail(l, at, "case: '%.60s' is not known: write cases: {NAME: {KEY: value}} first", name);
    for (size_t i = 0, used = 0; i < s->cases_count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", s->cases[i].name);
    return load_fail(l, at, "case: '%.60s' is not known; allowed: %s", name, names);
}

static bool all_are_known(struct scenario_loader *l)
{
    const struct scenario *s = l->s;
    const struct scenario_setting *one = scenario_setting_of(s, key_find("case"));
    size_t axis = case_axis(s);
    if (one && !find_case(s, one->value.text))
        return unknown_case(l, one->at, one->value.text);
    for (size_t i = 0; axis < s->axes_count && i < s->axes[axis].count; i++)
        if (!find_case(s, s->axes[axis].values[i].text))
            return unknown_case(l, s->axes[axis].at[i], s->axes[axis].values[i].text);
    return true;
}

static bool is_of(const struct key *key, const char *load)
{
    char other[KEY_LOAD_NAME_MAX];
    return key_names_load(key->name, other) && strcmp(load, other) == 0;
}

/* Is a key of the same workload, if it is one, given beside the cases? */
static bool is_named_outside(const struct scenario *s, const struct key *key)
{
    char load[KEY_LOAD_NAME_MAX];
    bool found = !key_names_load(key->name, load);
    for (size_t i = 0; i < s->settings_count; i++)
        found = found || is_of(s->settings[i].key, load);
    for (size_t i = 0; i < s->axes_count; i++)
        found = found || is_of(s->axes[i].key, load);
    return found;
}

/* Else the other cases would have that workload, too, with nothing but defaults. */
static bool loads_are_of_all(struct scenario_loader *l)
{
    const struct scenario *s = l->s;
    for (size_t i = 0; i < s->cases_count; i++)
        for (size_t k = 0; k < s->cases[i].settings_count; k++) {
            const struct scenario_setting *x = &s->cases[i].settings[k];
            if (!is_named_outside(s, x->key))
                return load_fail(
                    l, x->at,
                    "cases.%s: %s: all cases have the same workloads: name it outside of cases, too",
                    s->cases[i].name, x->key->name);
        }
    return true;
}

bool cases_check(struct scenario_loader *l)
{
    return all_are_known(l) && loads_are_of_all(l);
}

void cases_free(struct scenario *s)
{
    for (size_t i = 0; i < s->cases_count; i++)
        free(s->cases[i].settings);
    free(s->cases);
}
