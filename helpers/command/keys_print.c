/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys_print.c -- iwarpsim keys: the table of keys as text, as a manual page, as a JSON schema. */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/built.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/command.h"
#include "helpers/command/keys_completion.h"
#include "helpers/scenario/keys.h"
#include "helpers/scenario/link_events.h"
#include "helpers/scenario/scenario.h"
#include "helpers/trial/results.h"

static const char help[] =
    "usage: iwarpsim keys [PREFIX]...\n"
    "       iwarpsim keys --man | --completion bash|zsh|fish | --schema\n"
    "\n"
    "Prints the keys of a scenario file that start with a PREFIX: allowed values, default, unit, and where "
    "each key\n"
    "acts; of a key with just that name, also the shipped scenarios that use it, the shortest first. "
    "--man: the\n"
    "manual page iwarpsim-scenario(5); --completion SHELL: a script to source.\n"
    "--schema: a JSON schema for editors, `# yaml-language-server: $schema=FILE`.\n";

/* ---- text ---- */

enum { KEY_IS_MAX = 192 };

/* " mpa or sctp, or llp.recovery irn", after the key that it goes with; "" if any value will do. */
static void write_is(const struct key *key, char *out)
{
    *out = 0;
    if (key->is) {
        *out = ' ';
        value_alternatives(key->is, out + 1, KEY_IS_MAX - 1);
    }
    if (key->also) {
        size_t used = strlen(out);
        used += (size_t)snprintf(out + used, KEY_IS_MAX - used, ", or %s ", key->also);
        value_alternatives(key->also_is, out + used, KEY_IS_MAX - used);
    }
}

static void print_key(FILE *out, const struct key *key)
{
    char allowed[1024], is[KEY_IS_MAX];
    value_allowed(&key->rules, allowed, sizeof allowed);
    fprintf(out, "%s: %s", key->name, allowed);
    if (*key->initial)
        fprintf(out, "; default %s", key->initial);
    fprintf(out, "\n    %s\n", key->what);
    if (key->counts)
        fprintf(out, "    Counts: %s.\n", key->counts);
    if (key->acts)
        fprintf(out, "    Acts: %s.\n", key->acts);
    write_is(key, is);
    if (key->with)
        fprintf(out, "    Only with: %s%s.\n", key->with, is);
}

/* Its name up to the first word in capitals, and what follows, as far as given, agree with `prefix`. */
static bool family_fits(size_t i, const char *prefix)
{
    size_t fixed = strcspn(key_families[i].name, "."), len = strlen(prefix);
    return strncmp(key_families[i].name, prefix, len < fixed ? len : fixed) == 0 &&
           (len <= fixed || prefix[fixed] == '.');
}

static void print_families(const char *prefix)
{
    for (size_t i = 0; i < key_families_count; i++)
        if (family_fits(i, prefix))
            printf("%s: %s\n    %s\n", key_families[i].name, key_families[i].allowed, key_families[i].what);
}

static void plain_of_load(const char *rest, char plain[KEY_NAME_MAX])
{
    bool llp = strncmp(rest, ".llp", 4) == 0 && (!rest[4] || rest[4] == '.');
    snprintf(plain, KEY_NAME_MAX, "%s%s", llp ? "" : "workload", rest + llp);
}

/* Keys of one workload or some hosts, as those of all are called; NULL: it is about neither. */
static const char *of_some(const char *prefix, char plain[KEY_NAME_MAX])
{
    char word[KEY_LOAD_NAME_MAX];
    if (key_names_load(prefix, word))
        plain_of_load(prefix + sizeof "workloads." - 1 + strlen(word), plain);
    else if (key_names_tenant(prefix, word))
        snprintf(plain, KEY_NAME_MAX, "tenant%s", prefix + sizeof "tenants." - 1 + strlen(word));
    else if (key_names_hosts(prefix, word) && prefix[sizeof "hosts." - 1 + strlen(word)])
        snprintf(plain, KEY_NAME_MAX, "%s", prefix + sizeof "hosts." + strlen(word));
    else
        return NULL;
    return plain;
}

/* ---- which shipped scenarios use it ---- */

enum { USERS_SHOWN = 4 };

/* What ships, the shortest first. All are opened when the first key asks. */
struct users {
    struct {
        char *path;
        struct scenario *s;
    } * each;
    size_t count;
};

static bool uses(const struct scenario *s, const char *name)
{
    const struct key *key = scenario_key(s, name);
    bool used = key && (scenario_states(s, key) || scenario_sweeps(s, key));
    for (size_t i = 0; key && i < s->own_count; i++) /* or of one workload, tenant or host */
        used |= s->own[i]->key.like == key_find(name) && scenario_states(s, &s->own[i]->key);
    return used;
}

static void users_add(struct users *u, const char *path)
{
    char error[SCENARIO_ERROR_MAX];
    struct scenario *s = scenario_open(path, NULL, 0, error);
    if (!s)
        return;
    u->each = need(realloc(u->each, (u->count + 1) * sizeof *u->each));
    u->each[u->count].path = need(strdup(path));
    u->each[u->count++].s = s;
}

/* The scenarios of a shipped folder, or of the folders in it those called `file`. */
static void users_of(struct users *u, const char *shipped, const char *file)
{
    char folder[PATH_LONG], path[PATH_LONG], **names;
    if (!shipped_path(folder, shipped, shipped))
        return;
    size_t count = files_in(folder, *file ? "" : ".yaml", &names);
    for (size_t i = 0; i < count; i++) {
        file_path(path, folder, *file ? names[i] : "", *file ? file : names[i], "");
        if (*names[i] != '.')
            users_add(u, path);
        free(names[i]);
    }
    free(names);
}

static void users_free(struct users *u)
{
    for (size_t i = 0; i < u->count; i++) {
        free(u->each[i].path);
        scenario_free(u->each[i].s);
    }
    free(u->each);
}

static void print_users(struct users *u, const char *name)
{
    size_t printed = 0;
    if (!u->count) {
        users_of(u, "scenarios/gallery", "");
        users_of(u, "scenarios", "");
        users_of(u, "scenarios/lessons", "lesson.yaml");
    }
    for (size_t i = 0; i < u->count && printed < USERS_SHOWN; i++)
        if (uses(u->each[i].s, name))
            printf("%s%s", printed++ ? ", " : "    Used by: ", u->each[i].path);
    if (printed)
        puts(".");
}

/* The next key that starts with the prefix, as those of all are called. */
static const struct key *next_with(const char *prefix, const struct key *key)
{
    while ((key = key_next(key)) && strncmp(key->name, prefix, strlen(prefix)) != 0) {
    }
    return key;
}

static bool is_family(const char *prefix)
{
    for (size_t i = 0; i < key_families_count; i++)
        if (family_fits(i, prefix))
            return true;
    return false;
}

/* EXIT_DONE: some key starts so. */
static int check_prefix(const char *prefix)
{
    char plain[KEY_NAME_MAX];
    const char *own = of_some(prefix, plain);
    if (next_with(own ? own : prefix, NULL) || (!own && is_family(prefix)))
        return EXIT_DONE;
    const char *near = key_suggest(prefix);
    return complain(EXIT_INPUT, "keys", "no key starts with '%s'%s%s%s", prefix,
                    near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static void print_keys_of(struct users *u, const char *prefix)
{
    char plain[KEY_NAME_MAX];
    const char *own = of_some(prefix, plain), *asked = own ? own : prefix;
    for (const struct key *key = NULL; (key = next_with(asked, key));) {
        print_key(stdout, key);
        if (strcmp(key->name, asked) == 0)
            print_users(u, asked);
    }
    print_families(prefix);
}

static int print_keys(int argc, char **argv)
{
    int status = EXIT_DONE;
    struct users u = {0};
    for (int i = 1; i < argc && status == EXIT_DONE; i++)
        status = check_prefix(argv[i]);
    for (int i = 1; i < argc && status == EXIT_DONE; i++)
        print_keys_of(&u, argv[i]);
    if (argc == 1)
        print_keys_of(&u, "");
    users_free(&u);
    return status;
}

/* ---- manual page ---- */

/* Text with what troff would take for its own made harmless. */
static void roff(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
}

static void roff_line(const char *before, const char *text, const char *after)
{
    fputs(before, stdout);
    roff(text);
    fputs(after, stdout);
}

/* A paragraph about something that has a name. */
static void man_about(const char *name, const char *text)
{
    roff_line(".TP\n.B ", name, "\n");
    roff(text);
}

static void man_key(const struct key *key)
{
    char allowed[1024], is[KEY_IS_MAX];
    value_allowed(&key->rules, allowed, sizeof allowed);
    man_about(key->name, key->what);
    roff_line(" Allowed: ", allowed, ".");
    if (*key->initial)
        roff_line(" Default: ", key->initial, ".");
    if (key->counts)
        roff_line(" Counts: ", key->counts, ".");
    if (key->acts)
        roff_line(" Acts: ", key->acts, ".");
    write_is(key, is);
    if (key->with) {
        roff_line(" Only with ", key->with, "");
        roff_line("", is, ".");
    }
    putchar('\n');
}

static int print_man(void)
{
    puts(".TH IWARPSIM\\-SCENARIO 5 \"\" \"iwarpsim " IWARPSIM_VERSION "\"\n"
         ".SH NAME\niwarpsim\\-scenario \\- scenario files and results of iwarpsim\n"
         ".SH DESCRIPTION\nA scenario is a YAML file of keys and values. Keys stand in groups or are written "
         "with dots;\n"
         ".B sweep\nholds lists, KEY: [A, B, C]; the points of the scenario are their cross product. A..B in "
         "a list, or "
         "in its place, steps by one,\n"
         "A..B by STEP adds, A..B x FACTOR multiplies: 64KiB..4MiB x 2. Keys below\n.B zip\nstep together: "
         "zip: [{KEY: [A, B], KEY: [C, D]}].\n"
         ".B cases\nnames sets of keys, cases: {NAME: {KEY: VALUE}, NAME: {KEY: VALUE}}, and is one more "
         "axis, called case.\nSizes take the units B KiB MiB GiB\n"
         "kB MB GB, rates bps Kbps Mbps Gbps, times ps ns us ms s. An unknown key, a missing unit, "
         "a value out\n"
         "of range or keys that contradict each other are errors, and nothing runs.\n"
         ".SH KEYS");
    for (const struct key *key = NULL; (key = key_next(key));)
        man_key(key);
    for (size_t i = 0; i < key_families_count; i++) {
        man_about(key_families[i].name, key_families[i].what);
        roff_line(" Allowed: ", key_families[i].allowed, ".\n");
    }
    puts(".SH COLUMNS OF results.csv");
    for (size_t i = 0; i < result_columns_count; i++) {
        man_about(result_columns[i].name, result_columns[i].definition);
        roff_line(" (", result_columns[i].unit, ")\n");
    }
    puts(".SH SEE ALSO\n.BR iwarpsim (1)");
    return EXIT_DONE;
}

/* ---- JSON schema ---- */

static const char *pattern_of(enum value_type type)
{
    static const char number[] = "[0-9]*\\\\.?[0-9]+([eE][-+]?[0-9]+)?|[0-9]+\\\\.";
    static char text[256];
    static const char *const units[VALUE_TYPES] = {[VALUE_OCTETS] = " *(B|KiB|MiB|GiB|kB|MB|GB)",
                                                   [VALUE_RATE] = " *(bps|Kbps|Mbps|Gbps)",
                                                   [VALUE_TIME] = " *(ps|ns|us|ms|s)"};
    snprintf(text, sizeof text, "(%s)%s", number, units[type] ? units[type] : "");
    return text;
}

static void schema_words(const struct value_rules *rules)
{
    const char *between = "";
    fputs("{\"anyOf\": [", stdout);
    for (size_t i = 0; i < rules->choices_end; i++) {
        const char *word = rules->choices[i];
        if (!word)
            continue;
        if (word[strlen(word) - 1] == ':')
            printf("%s{\"type\": \"string\", \"pattern\": \"^%s%s$\"}", between, word,
                   pattern_of(VALUE_OCTETS));
        else
            printf("%s{\"const\": \"%s\"}", between, word);
        if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) /* a word here, no text to YAML */
            printf(", {\"const\": %s}", word);
        between = ", ";
    }
    fputs("]}", stdout);
}

/* Bounds of bare numbers; those with units are words to a schema. */
static void schema_number(const struct value_rules *rules, const char *type)
{
    printf("{\"type\": \"%s\"", type);
    if (rules->min)
        printf(", \"minimum\": %s", rules->word ? "0" : rules->min);
    if (rules->max)
        printf(", \"maximum\": %s", rules->max);
    putchar('}');
}

static void schema_quantity(const struct value_rules *rules)
{
    bool bare = rules->type == VALUE_COUNT || rules->type == VALUE_RATIO || rules->type == VALUE_REAL;
    fputs("{\"anyOf\": [", stdout);
    if (bare) { /* 1e-4 is a number to YAML 1.2 and a text to 1.1 */
        schema_number(rules, rules->type == VALUE_COUNT ? "integer" : "number");
        printf(", {\"type\": \"string\", \"pattern\": \"^[0-9]+(\\\\.[0-9]*)?[eE][-+]?[0-9]+$\"}");
    } else
        printf("{\"type\": \"string\", \"pattern\": \"^(%s)$\"}", pattern_of(rules->type));
    if (rules->share)
        printf(", {\"type\": \"string\", \"pattern\": \"^(100|[0-9]?[0-9](\\\\.[0-9]*)?)%%$\"}");
    if (rules->bare)
        fputs(", {\"type\": \"integer\", \"minimum\": 0}", stdout);
    if (rules->word)
        printf(", {\"const\": \"%s\"}", rules->word);
    if (rules->most)
        printf(", {\"const\": \"%s\"}", rules->most);
    fputs("]}", stdout);
}

/* A list of events, or the text of them. */
static void schema_events(void)
{
    fputs("{\"anyOf\": [{\"type\": \"string\", \"maxLength\": 255}, {\"type\": \"array\", \"minItems\": 1, "
          "\"items\": {"
          "\"type\": \"object\", \"required\": [\"at\"], \"additionalProperties\": false, \"properties\": {",
          stdout);
    for (const char *const *name = link_events_parts; *name; name++)
        printf("%s\"%s\": {\"type\": \"string\"}", name == link_events_parts ? "" : ", ", *name);
    fputs("}}}]}", stdout);
}

static void schema_value(const struct key *key)
{
    if (link_events_are(key))
        schema_events();
    else if (key->rules.type == VALUE_BOOL)
        fputs("{\"type\": \"boolean\"}", stdout);
    else if (key->rules.type == VALUE_TEXT)
        fputs("{\"type\": [\"string\", \"number\", \"boolean\"], \"maxLength\": 255}", stdout);
    else if (key->rules.type == VALUE_CHOICE)
        schema_words(&key->rules);
    else
        schema_quantity(&key->rules);
}

/* A list of values and ranges, or one range. */
static void schema_axis(const struct key *key)
{
    bool ranges =
        key->rules.type != VALUE_BOOL && key->rules.type != VALUE_TEXT && key->rules.type != VALUE_CHOICE;
    static const char range[] = "{\"type\": \"string\", \"pattern\": \"[0-9a-zA-Z.] *\\\\.\\\\. *[0-9]\"}";
    fputs("{\"anyOf\": [{\"type\": \"array\", \"minItems\": 1, \"items\": {\"anyOf\": [", stdout);
    printf("{\"$ref\": \"#/$defs/value:%s\"}%s%s]}}%s%s]}", key->name, ranges ? ", " : "",
           ranges ? range : "", ranges ? ", " : "", ranges ? range : "");
}

/* The part of a name behind `prefix` that ends at its nth dot or its end; 0: there is none. */
static size_t part_of(const char *name, const char *prefix, size_t n)
{
    size_t len = strlen(prefix);
    if (strncmp(name, prefix, len) || (len && name[len] != '.'))
        return 0;
    const char *p = name + len + (len > 0), *end = p;
    for (;; end++) {
        end += strcspn(end, ".");
        if (n-- == 0)
            return (size_t)(end - p);
        if (!*end)
            return 0;
    }
}

/* Has an earlier key the same first octets? */
static bool was_printed(const struct key *key, const char *part, size_t len, const char *prefix)
{
    size_t skip = strlen(prefix) + (*prefix != 0);
    for (const struct key *k = NULL; (k = key_next(k)) != key;)
        for (size_t n = 0, other; (other = part_of(k->name, prefix, n)) > 0; n++)
            if (other == len && strncmp(k->name + skip, part, len) == 0)
                return true;
    return false;
}

/* What a name may be given: a value of the key that is called so, and the keys of a group that is; `kind`: value: or axis:. */
static void schema_either(const char *kind, const char *name, bool value)
{
    bool group = key_is_group(name);
    fputs("{\"anyOf\": [", stdout);
    if (value)
        printf("{\"$ref\": \"#/$defs/%s%s\"}%s", kind, name, group ? ", " : "");
    if (group)
        printf("{\"$ref\": \"#/$defs/%sgroup:%s\"}", kind, name);
    fputs("]}", stdout);
}

/* What may stand below `prefix`: of a.b.c the keys a, a.b and a.b.c. */
static void schema_properties(const char *prefix, const char *kind)
{
    size_t skip = strlen(prefix) + (*prefix != 0);
    const char *between = "";
    for (const struct key *key = NULL; (key = key_next(key));)
        for (size_t n = 0, len; (len = part_of(key->name, prefix, n)) > 0; n++) {
            const char *part = key->name + skip;
            char whole[128];
            if (was_printed(key, part, len, prefix))
                continue;
            snprintf(whole, sizeof whole, "%.*s", (int)(skip + len), key->name);
            const struct key *named = key_find(whole);
            bool sweepable = named && (named->of == KEY_POINT || strcmp(kind, "value:") == 0);
            if (!key_is_group(whole) && !sweepable)
                continue;
            printf("%s\n      \"%.*s\": ", between, (int)len, part);
            schema_either(kind, whole, sweepable);
            between = ",";
        }
}

static void schema_group(const char *name, const char *kind)
{
    printf(",\n    \"%sgroup:%s\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {",
           kind, name);
    schema_properties(name, kind);
    fputs("\n    }}", stdout);
}

static bool is_group_of_earlier(const struct key *key, const char *group, size_t len)
{
    for (const struct key *k = NULL; (k = key_next(k)) != key;)
        if (strncmp(k->name, group, len) == 0 && k->name[len] == '.')
            return true;
    return false;
}

static void schema_groups(void)
{
    for (const struct key *key = NULL; (key = key_next(key));)
        for (size_t n = 0, len; (len = part_of(key->name, "", n)) > 0; n++) {
            char group[128];
            snprintf(group, sizeof group, "%.*s", (int)len, key->name);
            if (!key->name[len] || is_group_of_earlier(key, group, len))
                continue;
            schema_group(group, "value:");
            schema_group(group, "axis:");
        }
}

static void schema_definitions(void)
{
    fputs("  \"$defs\": {\n    \"none\": false", stdout);
    for (const struct key *key = NULL; (key = key_next(key));) {
        printf(",\n    \"value:%s\": ", key->name);
        schema_value(key);
        if (key->of != KEY_POINT)
            continue;
        printf(",\n    \"axis:%s\": ", key->name);
        schema_axis(key);
    }
    schema_groups();
    fputs("\n  },\n", stdout);
}

/* The name of a workload, as a pattern in JSON. */
#define LOAD_NAME "[a-zA-Z][a-zA-Z0-9_-]{0,30}"

/* Hosts, too. */
#define HOSTS_LIST "[0-9]{1,7}(-[0-9]{1,7})?"

/* Keys that scenarios name: what comes before the name, the name, and the rows of the table that may follow it. */
struct schema_own {
    const char *before, *name, *group;
};
static const struct schema_own owns[] = {
    {"workloads", LOAD_NAME, "workload"}, {"hosts", HOSTS_LIST, "rnic"}, {"tenants", LOAD_NAME, "tenant"}};

static bool is_own(const struct schema_own *own, const struct key *key)
{
    size_t len = strlen(own->group);
    bool here = strncmp(key->name, own->group, len) == 0 && key->name[len] == '.';
    if (*own->before == 'w')
        return !key_not_of_load(key);
    return here && (*own->before == 't' || !key_not_of_hosts(key));
}

/* A pattern for each, as it is called behind `before` and the name. */
static void schema_own_keys(const struct schema_own *own, const char *before, const char *kind)
{
    for (const struct key *key = NULL; (key = key_next(key));)
        if (is_own(own, key)) {
            bool short_ = *own->before != 'h' && strncmp(key->name, "llp.", 4) != 0;
            const char *rest = key->name + (short_ ? strlen(own->group) + 1 : 0);
            printf(",\n      \"^%s%s[.]%s$\": ", before, own->name, rest);
            schema_either(kind, key->name, true);
        }
}

/* The adapter of some hosts: a map `rnic`, or its keys with dots. */
static void schema_of_hosts(const struct schema_own *own, const char *kind)
{
    printf("{\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": false, \"properties\": "
           "{\"rnic\": "
           "{\"$ref\": \"#/$defs/%sgroup:rnic\", \"not\": {\"anyOf\": [{\"required\": [\"preset\"]}, "
           "{\"required\": [\"draw\"]}, {\"required\": "
           "[\"receive\"]}, {\"required\": [\"retransmit\"]}, {\"required\": [\"window\"]}]}}",
           kind);
    char last[KEY_NAME_MAX] = "";
    for (const struct key *key = NULL; (key = key_next(key));) {
        const char *dot = is_own(own, key) ? strchr(key->name + strlen("rnic."), '.') : NULL;
        char group[KEY_NAME_MAX];
        snprintf(group, sizeof group, "%.*s", dot ? (int)(dot - key->name) : 0, key->name);
        if (*group && strcmp(group, last) != 0)
            printf(", \"%s\": {\"$ref\": \"#/$defs/%sgroup:%s\"}", group, kind, group);
        if (*group)
            memcpy(last, group, sizeof last);
        if (is_own(own, key))
            printf(", \"%s\": {\"$ref\": \"#/$defs/%s%s\"}", key->name, kind, key->name);
    }
    fputs("}}", stdout);
}

/* A workload: its keys, and a map `llp`, or its keys with dots. */
static void schema_of_load(const struct schema_own *own, const char *kind)
{
    const char *between = "";
    fputs("{\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": false, \"not\": "
          "{\"required\": [\"consume_rate\"]}, \"properties\": {",
          stdout);
    schema_properties(own->group, kind);
    printf(",\n      \"llp\": {\"$ref\": \"#/$defs/%sgroup:llp\", \"not\": {\"anyOf\": [", kind);
    for (const struct key *key = NULL; (key = key_next(key));)
        if (strncmp(key->name, "llp.", 4) == 0 && key_not_of_load(key)) {
            printf("%s{\"required\": [\"%s\"]}", between, key->name + 4);
            between = ", ";
        }
    fputs("]}}", stdout);
    for (const struct key *key = NULL; (key = key_next(key));)
        if (strncmp(key->name, "llp.", 4) == 0 && !key_not_of_load(key)) {
            printf(",\n      \"%s\": ", key->name);
            schema_either(kind, key->name, true);
        }
    fputs("}}", stdout);
}

/* What may stand below a name. */
static void schema_named(const struct schema_own *own, const char *before, const char *kind)
{
    printf("\n      \"^%s%s$\": ", before, own->name);
    if (*own->before == 'w')
        schema_of_load(own, kind);
    else if (*own->before == 't')
        printf("{\"$ref\": \"#/$defs/%sgroup:%s\", \"minProperties\": 1}", kind, own->group);
    else
        schema_of_hosts(own, kind);
    schema_own_keys(own, before, kind);
}

/* They stand at the top, and below `sweep`: ends the object of properties there. */
static void schema_loads(const char *kind)
{
    enum { OWNS = sizeof owns / sizeof *owns };
    for (int i = 0; i < OWNS; i++) {
        printf(
            ",\n      \"%s\": {\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": false, "
            "\"patternProperties\": {",
            owns[i].before);
        schema_named(&owns[i], "", kind);
        fputs("\n    }}", stdout);
    }
    fputs("}, \"patternProperties\": {", stdout);
    for (int i = 0; i < OWNS; i++) {
        char before[32];
        snprintf(before, sizeof before, "%s[.]", owns[i].before);
        fputs(i ? "," : "", stdout);
        schema_named(&owns[i], before, kind);
    }
    fputs("\n    }", stdout);
}

/* What belongs to the whole scenario is not in a case of it. */
static void schema_not_of_cases(void)
{
    fputs("\"not\": {\"anyOf\": [{\"required\": [\"case\"]}", stdout);
    for (const struct key *key = NULL; (key = key_next(key));) {
        int len = (int)strcspn(key->name, ".");
        if (key->of != KEY_SCENARIO)
            continue;
        printf(", {\"required\": [\"%s\"]}", key->name);
        if (key->name[len] && !is_group_of_earlier(key, key->name, (size_t)len))
            printf(", {\"required\": [\"%.*s\"]}", len, key->name);
    }
    fputs("]}", stdout);
}

static void schema_cases(void)
{
    printf(",\n      \"cases\": {\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": %d, "
           "\"propertyNames\": {\"pattern\": \"^[^\\\\[#]\", \"maxLength\": %d}, \"additionalProperties\": "
           "{\"anyOf\": [{\"type\": \"null\"}, {\"type\": \"object\", \"additionalProperties\": false, ",
           SCENARIO_CASES, SCENARIO_CASE_NAME);
    schema_not_of_cases();
    fputs(", \"properties\": {", stdout);
    schema_properties("", "value:");
    schema_loads("value:");
    fputs("}]}}", stdout);
}

static int print_schema(void)
{
    puts("{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"title\": \"iwarpsim "
         "scenario\",");
    schema_definitions();
    fputs("  \"type\": \"object\",\n  \"minProperties\": 1,\n  \"additionalProperties\": false,\n  "
          "\"properties\": {",
          stdout);
    schema_properties("", "value:");
    fputs(",\n      \"sweep\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {",
          stdout);
    schema_properties("", "axis:");
    fputs(",\n      \"zip\": {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"object\", "
          "\"minProperties\": 1, "
          "\"additionalProperties\": false, \"properties\": {",
          stdout);
    schema_properties("", "axis:");
    schema_loads("axis:");
    fputs("}}", stdout);
    schema_loads("axis:");
    fputs("}", stdout);
    schema_cases();
    schema_loads("value:");
    puts("\n}");
    return EXIT_DONE;
}

int command_keys(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0) {
        fputs(help, stdout);
        return EXIT_DONE;
    }
    if (argc == 2 && strcmp(what, "--man") == 0)
        return print_man();
    if (argc == 2 && strcmp(what, "--schema") == 0)
        return print_schema();
    if (argc == 3 && strcmp(what, "--completion") == 0)
        return print_completion(argv[2]);
    if (*what != '-')
        return print_keys(argc, argv);
    return complain(EXIT_INPUT, "keys",
                    "prefixes, --man, --completion bash|zsh|fish, or --schema. Try `iwarpsim keys --help`.");
}
