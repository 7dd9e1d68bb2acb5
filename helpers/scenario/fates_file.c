/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/fates_file.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/complaint.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/list.h"
#include "helpers/scenario/value.h"

enum { WORDS_MAX = 6 };

static const char form[] = "a line is [COUNT] ok, lost, late PACKETS TIME or twice";

/* ---- reading ---- */

struct reader {
    struct fates_file *f;
    unsigned line;
    char *error;
};

static bool wrong(const struct reader *r, const char *what)
{
    return complaint(r->error, FATES_FILE_ERROR_MAX, r->f->file.name, r->line, 0, "%s", what);
}

/* From `least` to `most`; else 0. */
static bool read_value(const char *word, enum value_type type, const char *least, const char *most,
                       uint64_t *n)
{
    struct value v;
    char why[VALUE_WHY_MAX];
    struct value_rules rules = {.type = type, .min = least, .max = most};
    bool good = value_read(&v, &rules, word, why);
    *n = good ? v.n : 0;
    return good;
}

static bool add_seen(struct reader *r, const struct channel_seen *seen, uint64_t times)
{
    struct fates_file *f = r->f;
    if (times > FATES_FILE_MOST - f->count.packets)
        return wrong(r, "more than 4194304 packets");
    for (; times; times--) {
        f->seen = need(list_grow(f->seen, f->count.packets, sizeof *f->seen));
        f->seen[f->count.packets] = *seen;
        fates_count_add(&f->count, seen);
    }
    return true;
}

/* The words behind the count. */
static bool read_fate(struct reader *r, char **word, size_t words, struct channel_seen *seen)
{
    uint64_t packets = 0;
    bool late = words >= 3 && strcmp(word[0], "late") == 0;
    size_t used = late ? 3 : 1;
    if (late && (!read_value(word[1], VALUE_COUNT, "0", "1000000", &packets) ||
                 !read_value(word[2], VALUE_TIME, "0ps", "10s", &seen->time)))
        return wrong(r, "late takes packets, 0 to 1000000, and a time with its unit, 0ps to 10s");
    seen->packets = (uint32_t)packets;
    if (late && !packets && !seen->time)
        return wrong(r, "late by 0 packets and 0ps is ok");
    seen->lost = words && strcmp(word[0], "lost") == 0;
    seen->twice = words && strcmp(word[words - 1], "twice") == 0;
    bool plain = words == 1 && (seen->lost || seen->twice || strcmp(word[0], "ok") == 0);
    bool both = words == used + 1 && seen->twice && (late || seen->lost);
    return plain || both || (late && words == used) || wrong(r, form);
}

static bool read_fate_line(struct reader *r, char *line)
{
    char *word[WORDS_MAX], *rest;
    size_t words = 0, first = 0;
    uint64_t times = 1;
    struct channel_seen seen = {0};
    if (line[strspn(line, " \t\r")] == '#')
        return true;
    for (char *w = strtok_r(line, " \t\r", &rest); w; w = strtok_r(NULL, " \t\r", &rest)) {
        if (words == WORDS_MAX)
            return wrong(r, form);
        word[words++] = w;
    }
    if (!words)
        return true;
    if (*word[0] >= '0' && *word[0] <= '9') {
        if (!read_value(word[0], VALUE_COUNT, "1", "4194304", &times))
            return wrong(r, "a count is 1 to 4194304");
        first = 1;
    }
    return words == first ? wrong(r, form)
                          : read_fate(r, word + first, words - first, &seen) && add_seen(r, &seen, times);
}

static bool read_fates(struct reader *r, char *text, size_t size)
{
    bool whole = strlen(text) == size;
    for (char *line; (line = strsep(&text, "\n"));) {
        r->line++;
        if (!read_fate_line(r, line))
            return false;
    }
    return whole ? r->f->count.packets || wrong(r, "has no packet") : wrong(r, "is not text");
}

static bool read_file(void *item, FILE *in, char *error)
{
    size_t size;
    char *text = need(file_rest(in, FILE_WHOLE, &size));
    struct reader r = {.f = item, .error = error};
    bool good = read_fates(&r, text, size);
    free(text);
    return good;
}

static void forget(void *item)
{
    free(((struct fates_file *)item)->seen);
}

const struct fates_file *fates_file_find(const char *beside, const char *name, char *error)
{
    static struct named_store paths = {.what = "files of fates",
                                       .room = "paths",
                                       .size = sizeof(struct fates_file),
                                       .most = 64,
                                       .read = read_file,
                                       .forget = forget};
    return named_store_find(&paths, beside, name, error);
}

/* ---- telling ---- */

void fates_count_add(struct fates_count *c, const struct channel_seen *seen)
{
    c->packets++;
    c->lost += seen->lost;
    c->twice += seen->twice;
    c->late += seen->packets || seen->time;
    c->furthest = seen->packets > c->furthest ? seen->packets : c->furthest;
    c->latest = seen->time > c->latest ? seen->time : c->latest;
}

void fates_count_write(const struct fates_count *c, FILE *out)
{
    fprintf(out, "%u packets: %u lost (%.3g %%), %u late (%.3g %%", c->packets, c->lost,
            100.0 * c->lost / c->packets, c->late, 100.0 * c->late / c->packets);
    if (c->late)
        fprintf(out, ", by up to %u packets and %.6g us", c->furthest, (double)c->latest / 1e6);
    fprintf(out, "), %u twice (%.3g %%)", c->twice, 100.0 * c->twice / c->packets);
}

static bool same_packet(const struct channel_seen *a, const struct channel_seen *b)
{
    return a->time == b->time && a->packets == b->packets && a->lost == b->lost && a->twice == b->twice;
}

static void write_fate(const struct channel_seen *s, size_t times, FILE *out)
{
    static const char *const words[2][2] = {{"ok", "twice"}, {"lost", "lost twice"}};
    static const struct value_rules rules = {.type = VALUE_TIME};
    char time[VALUE_TEXT_MAX];
    value_write(&(struct value){.type = VALUE_TIME, .n = s->time}, &rules, time, sizeof time);
    if (times > 1)
        fprintf(out, "%zu ", times);
    if (s->packets || s->time)
        fprintf(out, "late %u %s%s\n", s->packets, time, s->twice ? " twice" : "");
    else
        fprintf(out, "%s\n", words[s->lost][s->twice]);
}

void fates_write(const struct channel_seen *seen, size_t count, FILE *out)
{
    for (size_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && same_packet(&seen[i], &seen[i + n]); n++)
            ;
        write_fate(&seen[i], n, out);
    }
}
