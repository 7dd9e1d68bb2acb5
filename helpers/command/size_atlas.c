/* SPDX-License-Identifier: GPL-2.0-or-later */
/* size_atlas.c -- iwarpsim size --atlas: what a network asks of a receiver, each number found and as a line on paper has it.
 *
 *   window     TCP whose congestion control and loss detection hold nothing up, packets placed as they come
 *   tracking   rud with as many packets in flight as its bits allow
 *   hold       the same TCP with a wide window, packets held until their turn
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/command.h"
#include "helpers/command/size.h"
#include "helpers/scenario/scenario.h"

enum { SETS_MOST = 7 };
#define TCP \
    "llp.kind=mpa", "llp.congestion=fixed:64MiB", "llp.loss_detection=dupack", "llp.dupack_threshold=16000"

static const struct question {
    const char *head, *unit, *find, *sets[SETS_MOST + 1];
} questions[] = {
    {"window", "octets", "rnic.window.bytes", {TCP, "rnic.receive=place", "rnic.window.policy=placed"}},
    {"tracking",
     "bits",
     "llp.track",
     {"llp.kind=packet", "llp.recovery=rud", "llp.flight=unlimited", "rnic.receive=place"}},
    {"hold",
     "octets",
     "rnic.hold_bytes",
     {TCP, "rnic.receive=hold", "rnic.window.policy=constant", "rnic.window.bytes=16MiB"}},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

struct answer {
    double met, form; /* NaN: nothing is known */
};
struct atlas {
    const struct scenario *s; /* for its points */
    struct answer (*points)[QUESTIONS];
    size_t question; /* that is asked */
};

/* Each number takes many runs, so who waits for the table is told it as it is found. */
static void atlas_note(void *user, size_t index, double met, double form)
{
    struct atlas *atlas = user;
    const struct question *q = &questions[atlas->question];
    char label[SCENARIO_LABEL_MAX];
    atlas->points[index][atlas->question] = (struct answer){met, form};
    scenario_label(atlas->s, index, label);
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "size: %s at %s: %.0f %s (%zu of %zu)\n", q->head, label, met, q->unit,
            atlas->question * atlas->s->points + index + 1, QUESTIONS * atlas->s->points);
}

/* ---- the table ---- */

static void print_number(FILE *out, double number)
{
    if (isfinite(number))
        fprintf(out, "\t%.0f", number);
    else
        putc('\t', out);
}

static void write_table(const struct atlas *atlas, FILE *out)
{
    const struct scenario *s = atlas->s;
    fputs("point", out);
    for (size_t i = 0; i < s->axes_count; i++)
        fprintf(out, "\t%s", s->axes[i].key->name);
    for (size_t q = 0; q < QUESTIONS; q++)
        fprintf(out, "\t%s_%s\t%s_form", questions[q].head, questions[q].unit, questions[q].head);
    putc('\n', out);
    for (size_t i = 0; i < s->points; i++) {
        char text[VALUE_TEXT_MAX], label[SCENARIO_LABEL_MAX];
        scenario_label(s, i, label);
        fputs(label, out);
        for (size_t k = 0; k < s->axes_count; k++) {
            value_bare(scenario_value(s, i, k), &s->axes[k].key->rules, text, sizeof text);
            fprintf(out, "\t%s", text);
        }
        for (size_t q = 0; q < QUESTIONS; q++) {
            print_number(out, atlas->points[i][q].met);
            print_number(out, atlas->points[i][q].form);
        }
        putc('\n', out);
    }
}

static int give_table(const struct atlas *atlas, const char *path)
{
    struct whole_file table;
    if (!path) {
        write_table(atlas, stdout);
        return EXIT_DONE;
    }
    if (!file_begin(&table, path))
        return complain(EXIT_INPUT, "size", "this file cannot be written: %s", path);
    write_table(atlas, table.out);
    return file_commit(&table, false) ? EXIT_DONE
                                      : complain(EXIT_INPUT, "size", "this file cannot be written: %s", path);
}

/* ---- the questions ---- */

/* Behind what the user says stands what the question needs, then what is tried. */
static int ask(struct atlas *atlas, const struct size_arguments *a, const struct question *q)
{
    struct size_arguments own = *a;
    int status = EXIT_FAILED;
    size_t count = 0;
    while (q->sets[count])
        count++;
    own.sets = calloc(a->sets_count + count + 1, sizeof *own.sets);
    if (own.sets) {
        memcpy(own.sets, a->sets, a->sets_count * sizeof *own.sets);
        memcpy(own.sets + a->sets_count, q->sets, count * sizeof *q->sets);
        own.sets_count += count;
        own.sets[own.sets_count] = own.set;
        own.find = q->find;
        own.until = a->until ? a->until : "steady_gbps >= 0.95*line";
        own.each = atlas_note;
        own.user = atlas;
        status = size_search(&own);
    }
    free(own.sets);
    return status;
}

int size_atlas(const struct size_arguments *a)
{
    char error[SCENARIO_ERROR_MAX];
    struct scenario *s = scenario_open(a->file, a->sets, a->sets_count, error);
    if (!s)
        return complain(EXIT_INPUT, "size", "%s", error);
    struct atlas atlas = {.s = s, .points = calloc(s->points, sizeof *atlas.points)};
    int status = atlas.points ? EXIT_DONE : EXIT_FAILED;
    for (; status == EXIT_DONE && atlas.question < QUESTIONS; atlas.question++)
        status = ask(&atlas, a, &questions[atlas.question]);
    if (status == EXIT_DONE)
        status = give_table(&atlas, a->out);
    free(atlas.points);
    scenario_free(s);
    return status;
}
