/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/identity.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/scenario/named_file.h"

struct stated {
    const struct key *key;
    struct value value;
};

static int compare_stated_names(const void *a, const void *b)
{
    return strcmp(((const struct stated *)a)->key->name, ((const struct stated *)b)->key->name);
}

/* World and seed, stated or not. */
static size_t add_default(const struct scenario *s, size_t index, const char *name, struct stated *list,
                          size_t n)
{
    const struct key *key = key_find(name);
    struct scenario_place at;
    char why[VALUE_WHY_MAX];
    if (scenario_stated(s, index, key, &at))
        return n;
    list[n].key = key;
    return n + value_read(&list[n].value, &key->rules, key->initial, why);
}

/* Of a list of settings those that hold at the point. */
static size_t add_settings(const struct scenario *s, size_t index, const struct scenario_setting *settings,
                           size_t count, struct stated *list, size_t n)
{
    struct scenario_place at;
    for (size_t i = 0; i < count; i++)
        if (settings[i].key->of == KEY_POINT &&
            scenario_stated(s, index, settings[i].key, &at) == &settings[i].value)
            list[n++] = (struct stated){settings[i].key, settings[i].value};
    return n;
}

static size_t gather_stated(const struct scenario *s, size_t index, struct stated *list)
{
    const struct scenario_case *c = scenario_case(s, index);
    size_t n = 0;
    for (size_t i = 0; i < s->axes_count; i++)
        list[n++] = (struct stated){s->axes[i].key, *scenario_value(s, index, i)};
    n = add_settings(s, index, s->settings, s->settings_count, list, n);
    if (c)
        n = add_settings(s, index, c->settings, c->settings_count, list, n);
    n = add_default(s, index, "world", list, n);
    n = add_default(s, index, "seed", list, n);
    qsort(list, n, sizeof *list, compare_stated_names);
    return n;
}

static void write_stated(FILE *out, const struct scenario *s, const struct stated *x)
{
    char text[VALUE_TEXT_MAX];
    value_write(&x->value, &x->key->rules, text, sizeof text);
    fprintf(out, "%s %s\n", x->key->name, text);
    const struct named_file *file = named_file_of(s->file, key_like(x->key->name)->name, text);
    if (file)
        fprintf(out, "%s sha256 %s\n", x->key->name, file->sha256);
}

static void write_canonical(FILE *out, const struct scenario *s, size_t index, uint32_t repeat)
{
    const struct scenario_case *c = scenario_case(s, index);
    size_t most = s->axes_count + s->settings_count + (c ? c->settings_count : 0) + 2;
    struct stated *list = need(malloc(most * sizeof *list));
    size_t n = gather_stated(s, index, list);
    fprintf(out, "repeat %u\n", repeat);
    for (size_t i = 0; i < n; i++)
        write_stated(out, s, &list[i]);
    free(list);
}

void scenario_identity(const struct scenario *s, size_t index, uint32_t repeat, char identity[SHA256_TEXT])
{
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));
    write_canonical(out, s, index, repeat);
    need(fclose(out) == 0 ? text : NULL);
    sha256_text(text, size, identity);
    free(text);
}
