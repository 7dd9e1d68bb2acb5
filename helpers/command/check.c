/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.c -- iwarpsim check: what a scenario means, before it runs. */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/campaign/enough.h"
#include "helpers/campaign/run_options.h"
#include "helpers/command.h"
#include "helpers/scenario/bound.h"
#include "helpers/scenario/scenario_check.h"
#include "helpers/scenario/world.h"
#include "helpers/world/fabric/world_links.h"

static const char check_help[] =
    "usage: iwarpsim check FILE [--set KEY=VALUE]...\n"
    "\n"
    "Checks a scenario and prints what follows from its keys: for the first point, and for each further one "
    "what is\n"
    "other than at the point before. Runs nothing.\n";

static void print_derived(const struct scenario_point *p, FILE *out)
{
    struct scenario_derived d;
    char serialization[40], rtt[40];
    scenario_derive(p, &d);
    value_decimal(d.serialization, 6, serialization, sizeof serialization);
    value_decimal(d.rtt, 6, rtt, sizeof rtt);
    fprintf(out, "  packets   MSS %u, MULPDU %u, FPDU %u, payload %u octets; %u octets on the wire, %s us\n",
            d.mss, d.mulpdu, d.fpdu, d.payload, d.wire, serialization);
    fprintf(out, "  path      %u link%s, RTT %s us without load, BDP %llu octets\n", d.hops,
            d.hops > 1 ? "s" : "", rtt, (unsigned long long)d.bdp);
    fprintf(out,
            "  window    %llu octets per connection, scale %u: at most %.4g Gbps of payload; line rate is "
            "%.4g Gbps\n",
            (unsigned long long)p->rnic.window.bytes, d.window_shift, d.window_gbps, d.line_gbps);
    if (workload_connections(&p->workload) > 1 && p->workload.kind != WORKLOAD_errors)
        fprintf(out, "  windows   of %u connections: at most %.4g Gbps together\n",
                workload_connections(&p->workload), d.windows_gbps);
}

/* The least of what closed forms know, by name, and the others. */
static void print_bounds(const struct scenario_point *p, FILE *out)
{
    struct scenario_bound b[SCENARIO_BOUNDS];
    size_t n = scenario_bounds(p, b);
    fprintf(out, "  bound     %s: at most %.4g Gbps", b[0].name, b[0].gbps);
    for (size_t i = 1; i < n; i++)
        fprintf(out, "%s%s %.4g", i > 1 ? ", " : " (", b[i].name, b[i].gbps);
    fputs(n > 1 ? ")\n" : "\n", out);
    if (p->rnic.window.policy == RNIC_BDP && strcmp(b[0].name, "window") == 0) {
        struct scenario_derived d;
        scenario_derive(p, &d);
        fprintf(out, "  note      bdp finds no more than rnic.window.bytes; the line needs %llu octets\n",
                (unsigned long long)d.bdp);
    }
}

/* What converges on a port, against its queue. */
static void print_queue(const struct scenario_point *p, FILE *out)
{
    uint32_t many = scenario_converging(&p->workload);
    double windows = (double)many * (double)p->rnic.window.bytes;
    bool queue =
        many > 1 && !world_ignores(&worlds[p->world], "topology.buffer") && p->topology.kind != TOPOLOGY_LINK;
    if (queue && windows > (double)p->topology.buffer)
        fprintf(
            out,
            "  note      the windows of %u connections into one port are %.0f octets, its queue holds %llu: "
            "what is more is marked or dropped\n",
            many, windows, (unsigned long long)p->topology.buffer);
}

/* Whether pauses could wait for each other. */
static void print_circle(const struct scenario_point *p, FILE *out)
{
    char text[LINKS_TEXT_MAX];
    if (world_links_cycle(p, text))
        fprintf(out,
                "  note      with pfc these links could wait for each other in a circle, a deadlock: %s\n",
                text);
}

static bool is_given(const struct scenario *s, const struct key *key)
{
    for (size_t i = 0; i < s->axes_count; i++)
        if (s->axes[i].key == key)
            return true;
    for (size_t i = 0; i < s->settings_count; i++)
        if (s->settings[i].key == key)
            return true;
    return false;
}

/* Was a value given that is another than the default, below rnic. than that of the preset? */
static bool is_chosen(const struct scenario *s, const struct key *key, const struct scenario_point *p)
{
    struct scenario_point plain;
    struct scenario_conf conf;
    struct value v, initial;
    keys_defaults(&plain, &conf);
    keys_preset(&plain, rnic_presets[strcmp(key->name, "rnic.preset") ? p->preset : plain.preset].name);
    key_load(key, p, &v);
    key_load(key, &plain, &initial);
    return is_given(s, key) && !value_equal(&v, &initial);
}

/* The keys of a group that mean something here, with their values, defaults included; others than these marked. */
static void print_group(const struct scenario *s, const struct scenario_point *p, const char *group)
{
    size_t count, len = strlen(group);
    const struct key *keys = keys_all(&count);
    printf("  %-9s", group);
    const char *between = " ";
    for (size_t i = 0; i < count; i++) {
        char text[VALUE_TEXT_MAX];
        struct value v;
        if (strncmp(keys[i].name, group, len) || keys[i].name[len] != '.' || !key_applies(&keys[i], p))
            continue;
        key_load(&keys[i], p, &v);
        value_write(&v, &keys[i].rules, text, sizeof text);
        if (!*text)
            continue;
        printf("%s%s%s %s", between, is_chosen(s, &keys[i], p) ? "*" : "", keys[i].name + len + 1, text);
        between = ", ";
    }
    putchar('\n');
}

static void print_workload(const struct scenario_point *p, FILE *out)
{
    uint64_t messages = workload_messages(&p->workload), octets = workload_octets(&p->workload);
    fprintf(out, "  workload  %u hosts, %u connection%s, at most %llu messages", p->workload.hosts,
            workload_connections(&p->workload), workload_connections(&p->workload) > 1 ? "s" : "",
            (unsigned long long)messages);
    if (octets)
        fprintf(out, ", %llu ULP octets", (unsigned long long)octets);
    putc('\n', out);
    if (messages < 1000)
        fputs("  note      a 99th percentile from fewer than 1,000 messages rests on less than ten of them\n",
              out);
    else if (messages < 10000)
        fputs("  note      a 99.9th percentile from fewer than 10,000 messages rests on less than ten of "
              "them\n",
              out);
}

static void print_settings(const struct scenario *s)
{
    struct scenario_point p;
    char error[SCENARIO_ERROR_MAX];
    scenario_point(s, 0, 0, &p, error);
    printf("settings%s; * is not the default, below rnic not the preset's\n",
           s->points > 1 ? " at the first point" : "");
    print_group(s, &p, "topology");
    print_group(s, &p, "llp");
    print_group(s, &p, "rnic");
    print_group(s, &p, "channel");
    print_group(s, &p, "workload");
    print_group(s, &p, "limit");
}

/* The values of the sweep, ranges written out; keys that step together on lines that begin with +. */
static void print_sweep(const struct scenario *s)
{
    for (size_t i = 0; i < s->axes_count; i++) {
        const struct scenario_axis *a = &s->axes[i];
        printf("  %s %s:", a->zipped ? "+    " : "sweep", a->key->name);
        for (size_t j = 0; j < a->count; j++) {
            char text[VALUE_TEXT_MAX];
            value_write(&a->values[j], &a->key->rules, text, sizeof text);
            printf("%s %s", j ? "," : "", text);
        }
        putchar('\n');
    }
}

/* What follows from the keys of a point. malloc()ed; NULL: no memory. */
static char *point_text(const struct scenario *s, size_t index)
{
    struct scenario_point p;
    char error[SCENARIO_ERROR_MAX], *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    scenario_point(s, index, 0, &p, error);
    print_derived(&p, out);
    print_bounds(&p, out);
    print_queue(&p, out);
    print_circle(&p, out);
    print_workload(&p, out);
    fclose(out);
    return text;
}

/* The lines that the text before does not have. */
static void print_new(const char *text, const char *before)
{
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        char copy[512];
        snprintf(copy, sizeof copy, "%.*s", (int)(end + 1 - line), line);
        if (!before || !strstr(before, copy))
            fputs(copy, stdout);
    }
}

enum { POINTS_SHOWN = 200 };

static void print_points(const struct scenario *s)
{
    char *before = NULL;
    for (size_t i = 0; i < s->points; i++) {
        if (i == POINTS_SHOWN) {
            printf("and %zu points more\n", s->points - i);
            break;
        }
        char label[SCENARIO_LABEL_MAX], *text = point_text(s, i);
        scenario_label(s, i, label);
        printf("point %s\n", label);
        if (text)
            print_new(text, before);
        free(before);
        before = text;
    }
    free(before);
}

enum { MEDIAN_LEAST = 6 }; /* stats.h */

static int check(const char *file, const char *const *sets, size_t count)
{
    char error[SCENARIO_ERROR_MAX];
    struct scenario *s = scenario_load(file, sets, count, error);
    if (!s) {
        fprintf(stderr, "%s\n", error);
        return EXIT_INPUT;
    }
    printf("%s: %s\n", s->name, *s->conf.title ? s->conf.title : "(no title)");
    if (*s->conf.claim)
        printf("claim: %s\n", s->conf.claim);
    printf("%zu point%s, %s%u repeat%s each\n", s->points, s->points > 1 ? "s" : "",
           s->conf.until > 0 ? "at most " : "", s->conf.repeat, s->conf.repeat > 1 ? "s" : "");
    if (s->conf.until > 0)
        printf("  repeats   from %d on until the 95 %% interval of the mean of %s is within %.4g %%\n",
               ENOUGH_LEAST, s->conf.until_of, 100 * s->conf.until);
    if (s->conf.repeat > 1 && s->conf.repeat < MEDIAN_LEAST)
        printf("  note      fewer than %d repeats: a median has no 95 %% interval\n", MEDIAN_LEAST);
    print_sweep(s);
    print_settings(s);
    print_points(s);
    scenario_free(s);
    return EXIT_DONE;
}

int command_check(int argc, char **argv)
{
    struct run_options o;
    int status;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(check_help, stdout);
        return EXIT_DONE;
    }
    if (run_options_parse(&o, argc, argv, &status))
        status = check(o.file, o.sets, o.sets_count);
    run_options_free(&o);
    return status;
}
