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
static size_t add_default(const struct scenario *s, const char *name, struct stated *list, size_t n)
{
    const struct key *key = key_find(name);
    char why[VALUE_WHY_MAX];
    if (scenario_states(s, key))
        return n;
    list[n].key = key;
    return n + value_read(&list[n].value, &key->rules, key->initial, why);
}

static size_t gather_stated(const struct scenario *s, size_t index, struct stated *list)
{
    size_t n = 0;
    for (size_t i = 0; i < s->axes_count; i++)
        list[n++] = (struct stated){s->axes[i].key, *scenario_value(s, index, i)};
    for (size_t i = 0; i < s->settings_count; i++)
        if (s->settings[i].key->of == KEY_POINT && !scenario_sweeps(s, s->settings[i].key))
            list[n++] = (struct stated){s->settings[i].key, s->settings[i].value};
    n = add_default(s, "world", list, n);
    n = add_default(s, "seed", list, n);
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
    struct stated *list = need(malloc((s->axes_count + s->settings_count + 2) * sizeof *list));
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
