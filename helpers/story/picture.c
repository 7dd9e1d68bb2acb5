/* SPDX-License-Identifier: GPL-2.0-or-later */
/* picture.c -- placement map, window and memory of a story, as gnuplot scripts that carry their data (picture.h).
 *
 * All three look at one direction: towards the side where more octets were placed. */
#include "helpers/story/picture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/gnuplot.h"
#include "helpers/base/quote.h"

struct view {
    const struct story *s;
    enum picture_size size;
    int receiver;     /* side */
    uint64_t *offset; /* of each segment: octets of all segments before it, in the order sent */
    uint64_t last;    /* when the last thing happened there */
};

static double us(uint64_t t)
{
    return (double)t / 1e6;
}

/* ---- what is looked at ---- */

static bool is_data(const struct story_segment *g)
{
    return g->readable && (g->head.tagged || g->head.qn == RDMAP_QN_SEND);
}

static bool is_progress(const struct view *v, const struct story_event *e)
{
    return e->side == v->receiver && (e->kind == TRACE_DELIVERED || e->kind == TRACE_PLACED);
}

static bool look_at_story(struct view *v, const struct story *s)
{
    uint64_t placed[2] = {0, 0}, sum = 0;
    *v = (struct view){.s = s, .offset = calloc((size_t)s->segments + 1, sizeof *v->offset)};
    for (int i = 0; i < s->events; i++)
        if (s->event[i].kind == TRACE_PLACED)
            placed[s->event[i].side] += s->event[i].length;
    v->receiver = placed[1] >= placed[0];
    for (int i = 0; v->offset && i < s->segments; i++) {
        v->offset[i] = sum;
        sum += s->segment[i].side != v->receiver && is_data(&s->segment[i]) ? s->segment[i].length : 0;
    }
    for (int i = 0; i < s->events; i++)
        v->last = is_progress(v, &s->event[i]) ? s->event[i].t : v->last;
    return v->offset;
}

static bool is_seen(const struct view *v, const struct story_segment *g)
{
    return g->side != v->receiver && is_data(g) && g->length > 0;
}

/* ---- scripts ---- */

/* A string of gnuplot; markup of its enhanced text is taken out. */
static void put_words(FILE *out, const char *text)
{
    char words[STORY_TITLE_MAX];
    snprintf(words, sizeof words, "%s", text);
    for (char *c = words; *c; c++)
        if (strchr("_^{}@&~\\", *c))
            *c = ' ';
    quote_gnuplot(out, words, strlen(words), 0);
}

static void put_picture_head(FILE *out, const struct view *v, const char *name, const char *what)
{
    fputs("# Made by: iwarpsim explain FILE --pictures DIR\n", out);
    gnuplot_name(out, name);
    fputs("set border 3 lw 0.8\nset tics nomirror out\nset grid lc rgb '#dddddd' lw 0.5 dt 1\n", out);
    fputs("set key outside below horizontal samplen 3\nset xlabel 'Time (us)'\nset title ", out);
    put_words(out, what);
    fputs(" . \"\\n{/*0.8 \" . ", out);
    put_words(out, v->s->title);
    fputs(" . \"}\"\n", out);
}

/* Terminals of each size. The lines of a slide are twice as thick. */
static const char *const terminals[][2] = {
    [PICTURE_PAGE] = {"svg size 720,460 font 'sans,14' background rgb 'white'",
                      "pngcairo size 1440,920 font 'sans,11' fontscale 2 linewidth 2 pointscale 2"},
    [PICTURE_SLIDE] = {"svg size 960,540 font 'sans,20' linewidth 2 background rgb 'white'",
                       "pngcairo size 1920,1080 font 'sans,15' fontscale 2 linewidth 4 pointscale 3"}};

static void put_end(FILE *out, const struct view *v, const char *plot)
{
    fprintf(out, "set terminal %s\nset output name . '.svg'\n%s", terminals[v->size][0], plot);
    fprintf(out, "set terminal %s\nset output name . '.png'\nreplot\nset output\n", terminals[v->size][1]);
}

/* One row per segment: placed, may be used, offsets, kind 0 in order, 1 early, 2 sent again. */
static bool put_segments(FILE *out, const struct view *v)
{
    const struct story *s = v->s;
    bool any = false;
    fputs("$segments << EOD\n", out);
    for (int i = 0; i < s->segments; i++) {
        const struct story_segment *g = &s->segment[i];
        if (!is_seen(v, g) || g->placed < 0)
            continue;
        int delivered = g->message >= 0 ? s->message[g->message].delivered : STORY_NOBODY;
        uint64_t until = delivered >= 0 ? s->event[delivered].t : v->last;
        fprintf(out, "%.6f %.6f %" PRIu64 " %" PRIu64 " %d\n", us(s->event[g->placed].t), us(until),
                v->offset[i], v->offset[i] + g->length,
                g->sends > 1 ? 2
                : g->early   ? 1
                             : 0);
        any = true;
    }
    fputs("EOD\n", out);
    return any;
}

/* The segment of an event of this kind, when it is looked at; STORY_NOBODY. */
static int seen_segment(const struct view *v, const struct story_event *e, enum trace_kind kind)
{
    bool seen = e->kind == kind && e->segment >= 0 && is_seen(v, &v->s->segment[e->segment]);
    return seen ? e->segment : STORY_NOBODY;
}

/* In the middle of a segment where something happened to it. */
static void put_marks(FILE *out, const struct view *v, const char *name, enum trace_kind kind)
{
    fprintf(out, "$%s << EOD\n", name);
    for (int i = 0; i < v->s->events; i++) {
        const struct story_event *e = &v->s->event[i];
        int g = seen_segment(v, e, kind);
        if (g >= 0 && (kind == TRACE_LOST || e->twice))
            fprintf(out, "%.6f %" PRIu64 "\n", us(e->t), v->offset[g] + v->s->segment[g].length / 2);
    }
    fputs("nan nan\nEOD\n", out);
}

/* Up to where everything has been delivered. */
static void put_delivered(FILE *out, const struct view *v)
{
    uint64_t edge = 0;
    fputs("$delivered << EOD\n0 0\n", out);
    for (int i = 0; i < v->s->events; i++) {
        int g = seen_segment(v, &v->s->event[i], TRACE_DELIVERED);
        if (g < 0)
            continue;
        edge = v->offset[g] + v->s->segment[g].length;
        fprintf(out, "%.6f %" PRIu64 "\n", us(v->s->event[i].t), edge);
    }
    fprintf(out, "%.6f %" PRIu64 "\nEOD\n", us(v->last), edge);
}

static bool write_placement(FILE *out, const struct view *v)
{
    static const char plot[] =
        "plot $segments using 1:3:1:2:3:4 with boxxyerror fs solid lc rgb '#cfe3f3' "
        "title 'in place, not yet usable', \\\n"
        "     $delivered using 1:2 with steps lw 2 lc rgb '#000000' title 'delivered up to here', \\\n"
        "     $segments using ($5 == 0 ? $1 : NaN):3:(0):($4 - $3) with vectors nohead lw 4 lc rgb '#009E73' "
        "title 'placed in order', \\\n"
        "     $segments using ($5 == 1 ? $1 : NaN):3:(0):($4 - $3) with vectors nohead lw 4 "
        "lc rgb '#0072B2' notitle, \\\n"
        "     $segments using ($5 == 1 ? $1 : NaN):(($3 + $4) / 2) with points pt 7 ps 1.1 "
        "lc rgb '#0072B2' title 'placed early', \\\n"
        "     $segments using ($5 == 2 ? $1 : NaN):3:(0):($4 - $3) with vectors nohead lw 4 "
        "lc rgb '#D55E00' notitle, \\\n"
        "     $segments using ($5 == 2 ? $1 : NaN):(($3 + $4) / 2) with points pt 9 ps 1.4 "
        "lc rgb '#D55E00' title 'retransmitted', \\\n"
        "     $lost using 1:2 with points pt 2 ps 1.2 lw 2 lc rgb '#D55E00' title 'lost', \\\n"
        "     $twice using 1:2 with points pt 4 ps 1.1 lw 2 lc rgb '#000000' title 'arrived twice'\n";
    put_picture_head(out, v, "placement", "Where octets are, and when they may be used");
    fputs("set ylabel 'Octet of the receiver''s buffers'\nset format y '%.0f'\n", out);
    bool any = put_segments(out, v);
    put_marks(out, v, "lost", TRACE_LOST);
    put_marks(out, v, "twice", TRACE_LANDED);
    put_delivered(out, v);
    fputs("set style fill solid 1.0 noborder\n", out);
    put_end(out, v, plot);
    return any;
}

struct levels {
    uint64_t sent, acked, edge, staging, held;
};

static bool take_levels(const struct view *v, const struct story_event *e, struct levels *l)
{
    const struct levels before = *l;
    bool sends =
        e->side != v->receiver && (e->kind == TRACE_LEFT || e->kind == TRACE_SENT) && e->end != STORY_NONE;
    if (e->conn < 0)
        return false;
    if (sends && e->segment >= 0 && (e->kind == TRACE_LEFT) == (v->s->segment[e->segment].left >= 0))
        l->sent = e->end > l->sent ? e->end : l->sent;
    if (e->kind == TRACE_WINDOW && e->side == v->receiver) {
        l->acked = e->key;
        l->edge = e->window_edge;
    }
    if (e->side == v->receiver && e->staging != STORY_NONE)
        l->staging = e->staging;
    if (e->side == v->receiver && e->held != STORY_NONE)
        l->held = e->held;
    return memcmp(&before, l, sizeof before) != 0;
}

/* One row per change: octets in flight, window, staging, held. */
static bool write_window(FILE *out, const struct view *v)
{
    struct levels l = {0};
    bool any = false;
    if (v->s->several)
        return false;
    put_picture_head(out, v, "window", "The window, octets in flight, octets waiting");
    fputs("set ylabel 'Octets'\nset yrange [0:*]\n$levels << EOD\n", out);
    for (int i = 0; i < v->s->events; i++) {
        if (!take_levels(v, &v->s->event[i], &l))
            continue;
        any |= l.edge > 0;
        fprintf(out, "%.6f %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", us(v->s->event[i].t),
                l.sent > l.acked ? l.sent - l.acked : 0, l.edge - l.acked, l.staging, l.held);
    }
    fputs("EOD\n", out);
    /* SCTP's keys count segments, and what it acknowledges are octets. */
    static const char flight[] =
        "     $levels using 1:2 with steps lw 2 dt 2 lc rgb '#0072B2' title 'sent, not acknowledged', \\\n";
    char plot[512];
    snprintf(plot, sizeof plot,
             "plot $levels using 1:3 with steps lw 2 lc rgb '#000000' title 'window', \\\n%s"
             "     $levels using 1:4 with steps lw 2 dt 4 lc rgb '#D55E00' title 'staging', \\\n"
             "     $levels using 1:5 with steps lw 2 dt 3 lc rgb '#009E73' title 'held out of order'\n",
             v->s->sctp ? "" : flight);
    put_end(out, v, plot);
    return any;
}

static bool write_memory(FILE *out, const struct view *v)
{
    uint64_t placed = 0, crossings = 0;
    bool any = false;
    if (v->s->several)
        return false;
    put_picture_head(out, v, "memory", "How often the receiver's memory is crossed");
    fputs("set ylabel 'Octets'\nset yrange [0:*]\n$memory << EOD\n0 0 0\n", out);
    for (int i = 0; i < v->s->events; i++) {
        const struct story_event *e = &v->s->event[i];
        bool here = e->conn >= 0 && e->side == v->receiver && e->crossings != STORY_NONE;
        uint64_t now = here ? e->crossings : crossings;
        bool place = e->kind == TRACE_PLACED && e->side == v->receiver;
        if (!place && now == crossings)
            continue;
        placed += place ? e->length : 0;
        crossings = now;
        any |= here;
        fprintf(out, "%.6f %" PRIu64 " %" PRIu64 "\n", us(e->t), crossings, placed);
    }
    fputs("EOD\n", out);
    put_end(out, v,
            "plot $memory using 1:2 with steps lw 2 lc rgb '#D55E00' title 'octets that crossed memory', \\\n"
            "     $memory using 1:3 with steps lw 2 dt 2 lc rgb '#000000' title 'octets placed'\n");
    return any;
}

/* ---- drawing ---- */

static const struct {
    const char *name;
    bool (*write)(FILE *, const struct view *);
} pictures[] = {{"placement", write_placement}, {"window", write_window}, {"memory", write_memory}};

static int draw_picture(const struct view *v, const char *dir, int which)
{
    char path[PATH_LONG];
    struct whole_file f;
    file_path(path, dir, "", pictures[which].name, ".gp");
    bool good = file_begin(&f, path);
    if (good && !pictures[which].write(f.out, v)) {
        file_abandon(&f);
        return EXIT_DONE;
    }
    if (!good || !file_commit(&f, false))
        return cannot_write(EXIT_FAILED, "explain", path);
    int status = gnuplot_draw("explain", dir, pictures[which].name, PICTURE_SVG | PICTURE_PNG);
    if (status == EXIT_DONE)
        printf("%s/%s.svg\n", dir, pictures[which].name);
    return status;
}

int picture_all(const struct story *s, const char *dir, enum picture_size size)
{
    struct view v;
    int status = EXIT_DONE;
    if (!make_folder(dir))
        return complain(EXIT_FAILED, "explain", "%s cannot be made: %s", dir, strerror(errno));
    if (!look_at_story(&v, s))
        return complain(EXIT_FAILED, "explain", "out of memory");
    v.size = size;
    for (int i = 0; status == EXIT_DONE && i < (int)(sizeof pictures / sizeof *pictures); i++)
        status = draw_picture(&v, dir, i);
    free(v.offset);
    return status;
}
