/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story_print.c -- a story as lines of text (story_print.h). */
#include "helpers/story/story_print.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/quote.h"
#include "helpers/story/narrate.h"

enum { TIME_WIDTH = 10, SECTION_WIDTH = 15, INDENT = TIME_WIDTH + 4 };

/* ---- lines ---- */

static const char *color_of(const struct story_manner *a, enum narration_mood mood)
{
    static const char *const colors[] = {[MOOD_PLAIN] = "",         [MOOD_EARLY] = "\33[33m",
                                         [MOOD_PLACED] = "\33[32m", [MOOD_DELIVERED] = "\33[1;36m",
                                         [MOOD_LOST] = "\33[31m",   [MOOD_ERROR] = "\33[1;31m",
                                         [MOOD_QUIET] = "\33[2m"};
    return a->color ? colors[mood] : "";
}

/* Octets of `text` that go on a line of `room`; breaks between words, or else between characters. */
static size_t line_of(const char *text, size_t room)
{
    size_t n = strlen(text);
    if (n <= room)
        return n;
    for (n = room; n && text[n] != ' ';)
        n--;
    return n ? n : utf8_within(text, room);
}

/* Wrapped text from column INDENT on; the section at the right end of the first line. */
static void put_text(FILE *out, const struct story_manner *a, const char *text, const char *section,
                     enum narration_mood mood)
{
    const char *color = color_of(a, mood), *end = *color ? "\33[0m" : "";
    size_t room = (size_t)(a->width - INDENT - SECTION_WIDTH);
    for (bool first = true; *text || first; first = false) {
        size_t indent = first ? 0 : INDENT + 2, n = line_of(text, room - (first ? 0 : 2));
        fprintf(out, "%*s%s%.*s%s", (int)indent, "", color, (int)n, text, end);
        if (first && section)
            fprintf(out, "%*s", (int)(room - n + SECTION_WIDTH), section);
        putc('\n', out);
        text += n + (text[n] == ' ');
    }
}

static void put_fields(FILE *out, const struct story_manner *a, const char *fields)
{
    size_t room = (size_t)(a->width - INDENT - 2);
    while (*fields) {
        size_t n = line_of(fields, room);
        fprintf(out, "%*s%s%.*s%s\n", INDENT + 2, "", color_of(a, MOOD_QUIET), (int)n, fields,
                a->color ? "\33[0m" : "");
        fields += n + (fields[n] == ' ');
    }
}

/* Hosts beyond two have numbers: they stand in the text. So does the network. */
static char who_of(const struct story *s, const struct story_event *e)
{
    if (e->kind == TRACE_LOST)
        return '-';
    if (e->conn >= 0)
        return story_side_name(e->side);
    return (char)(s->nodes > 2 ? '-' : story_side_name(e->node != 0));
}

/* Microseconds in TIME_WIDTH columns, with as many of three places as fit. */
static const char *time_of(uint64_t t, char out[STORY_NAME_MAX])
{
    story_time(t, out);
    for (size_t n = strlen(out); n > TIME_WIDTH && strchr(out, '.'); n = strlen(out))
        out[out[n - 2] == '.' ? n - 2 : n - 1] = 0;
    return out;
}

static void put_event(FILE *out, const struct story_manner *a, const struct story *s,
                      const struct story_event *e, const struct narration *told)
{
    char time[STORY_NAME_MAX], text[NARRATION_MAX + 64], who = who_of(s, e);
    char frame[32] = "", conn[16] = "";
    if (e->frame)
        snprintf(frame, sizeof frame, "[frame %llu] ", (unsigned long long)e->frame);
    if (s->several && e->conn >= 0 &&
        (e->segment < 0 || e->kind == TRACE_DELIVERED || e->kind == TRACE_LOOKED))
        snprintf(conn, sizeof conn, "c%d: ", e->conn);
    if (e->conn < 0 && s->nodes > 2)
        snprintf(conn, sizeof conn, "h%u: ", e->node);
    snprintf(text, sizeof text, "%s%s%s", frame, conn, told->text);
    if (a->markdown) {
        fprintf(out, "| %s | %c | %s%s%s%s | %s |\n", story_time(e->t, time), who, text,
                *told->fields ? " `" : "", told->fields, *told->fields ? "`" : "",
                told->section ? told->section : "");
        return;
    }
    fprintf(out, "%*s  %c ", TIME_WIDTH, time_of(e->t, time), who);
    put_text(out, a, text, told->section, told->mood);
    put_fields(out, a, told->fields);
}

static void put_line(FILE *out, const char *text, int width)
{
    while (*text) {
        size_t n = line_of(text, (size_t)width);
        fprintf(out, "%.*s\n", (int)n, text);
        text += n + (text[n] == ' ');
    }
}

static void put_story_head(FILE *out, const struct story_manner *a, const struct story *s)
{
    char faults[STORY_TITLE_MAX + 16];
    if (a->markdown) {
        fprintf(out, "# %s\n\n%s%s%s\n", s->title, s->setting, *s->faults ? "; channel: " : "", s->faults);
        return;
    }
    put_line(out, s->title, a->width);
    put_line(out, s->setting, a->width);
    snprintf(faults, sizeof faults, "channel: %s", s->faults);
    if (*s->faults)
        put_line(out, faults, a->width);
}

static void put_columns(FILE *out, const struct story_manner *a)
{
    if (a->markdown)
        fprintf(out, "\n| us | who | what | section |\n|---:|---|---|---|\n");
    else
        fprintf(out, "\n%*s  %-2s%-*s%*s\n", TIME_WIDTH, "us", "", a->width - INDENT - SECTION_WIDTH,
                "what happens", SECTION_WIDTH, "section");
}

static bool is_wanted(const struct story_manner *a, const struct story_event *e)
{
    bool here = a->conn == STORY_NOBODY || e->conn == a->conn;
    return here && e->t >= a->from && e->t <= a->to && a->only[story_about_of(e->kind)];
}

static void put_summary(FILE *out, const struct story_manner *a, const struct story *s)
{
    char *text = narrate_summary(s);
    for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
        put_line(out, line, a->width);
    free(text);
}

static bool wants_events(const struct story_manner *a)
{
    int i = 0;
    while (i < ABOUTS && !a->only[i])
        i++;
    return i < ABOUTS;
}

static void put_events(FILE *out, const struct story_manner *a, const struct story *s)
{
    struct narration told;
    bool any = false;
    put_columns(out, a);
    for (int i = 0; i < s->events; i++) {
        if (!is_wanted(a, &s->event[i]) || !narrate_event(s, i, &told))
            continue;
        put_event(out, a, s, &s->event[i], &told);
        any = true;
    }
    if (!any)
        fprintf(out, "%*s%s\n", a->markdown ? 0 : INDENT, "", "Nothing of that kind happened.");
}

struct story_manner story_manner_plain(void)
{
    struct story_manner m = {.to = UINT64_MAX, .conn = STORY_NOBODY, .width = STORY_WIDTH};
    memset(m.only, 1, sizeof m.only);
    return m;
}

bool story_print(FILE *out, const struct story *s, const struct story_manner *a)
{
    bool all = a->from == 0 && a->to == UINT64_MAX && a->conn == STORY_NOBODY;
    put_story_head(out, a, s);
    if (wants_events(a))
        put_events(out, a, s);
    if (all || !wants_events(a)) {
        putc('\n', out);
        put_summary(out, a, s);
    }
    return fflush(out) == 0;
}
