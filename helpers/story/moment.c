/* SPDX-License-Identifier: GPL-2.0-or-later */
/* moment.c -- one instant of a story, drawn (moment.h). */
#include "helpers/story/moment.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/quote.h"
#include "helpers/story/narrate.h"

enum { WIDTH = 960, HEIGHT = 540, MARGIN = 40, HOST = 110, LETTER = 11, TOLD = 3, LINE = 62, NAMED = 12 };

struct moment {
    const struct story *s;
    FILE *out;
    uint64_t t;
    int conn;
    int *departs,
        *ends; /* of each segment: the last event before or at t that sent it, and the first after that which
                            ended its way; STORY_NOBODY */
};

/* ---- what is where ---- */

static bool is_departure(const struct moment *m, const struct story_event *e)
{
    const struct story_segment *g = &m->s->segment[e->segment];
    return e->kind == TRACE_LEFT || e->kind == TRACE_RESENT || (e->kind == TRACE_SENT && g->left < 0);
}

static bool is_end_of_way(enum trace_kind kind)
{
    return kind == TRACE_LANDED || kind == TRACE_ARRIVED || kind == TRACE_PLACED || kind == TRACE_LOST ||
           kind == TRACE_DROPPED || kind == TRACE_REFUSED || kind == TRACE_KEPT;
}

static bool look_at_segments(struct moment *m)
{
    const struct story *s = m->s;
    size_t n = (size_t)s->segments + 1;
    m->departs = malloc(n * sizeof *m->departs);
    m->ends = malloc(n * sizeof *m->ends);
    for (int i = 0; m->departs && m->ends && i < s->segments; i++)
        m->departs[i] = m->ends[i] = STORY_NOBODY;
    for (int i = 0; m->departs && m->ends && i < s->events; i++) {
        const struct story_event *e = &s->event[i];
        if (e->segment < 0)
            continue;
        if (e->t <= m->t && is_departure(m, e)) {
            m->departs[e->segment] = i;
            m->ends[e->segment] = STORY_NOBODY;
        } else if (is_end_of_way(e->kind) && m->departs[e->segment] >= 0 && m->ends[e->segment] < 0)
            m->ends[e->segment] = i;
    }
    return m->departs && m->ends;
}

/* The share of its way that a segment has behind it, in thousandths; negative: it is not on its way. */
static int way_of(const struct moment *m, int segment)
{
    int from = m->departs[segment], to = m->ends[segment];
    if (from < 0 || to < 0 || m->s->event[to].t <= m->t)
        return STORY_NOBODY;
    uint64_t start = m->s->event[from].t, end = m->s->event[to].t;
    return (int)((double)(m->t - start) * 1000 / (double)(end - start));
}

enum state { NOT_SENT, ON_ITS_WAY, LOST, AWAITED, IN_PLACE, USABLE };

static bool has_happened(const struct moment *m, int event)
{
    return event >= 0 && m->s->event[event].t <= m->t;
}

static enum state state_of_segment(const struct moment *m, int segment)
{
    const struct story_segment *g = &m->s->segment[segment];
    int message = g->message, end = m->ends[segment];
    if (has_happened(m, g->placed))
        return message >= 0 && has_happened(m, m->s->message[message].delivered) ? USABLE : IN_PLACE;
    if (m->departs[segment] < 0)
        return NOT_SENT;
    if (way_of(m, segment) >= 0)
        return ON_ITS_WAY;
    return end >= 0 && m->s->event[end].kind == TRACE_LOST ? LOST : AWAITED;
}

static bool has_arrived(const struct moment *m, int segment)
{
    return m->s->segment[segment].conn == m->conn;
}

static bool has_buffer(const struct story_segment *g)
{
    return g->readable && g->length && (g->head.tagged || g->head.qn == RDMAP_QN_SEND);
}

/* ---- drawing ---- */

static void put_words(FILE *out, int x, int y, int size, const char *more, const char *text)
{
    fprintf(out, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" %s>", x, y, size, more);
    quote_markup(out, text);
    fputs("</text>\n", out);
}

static void put_moment_head(const struct moment *m)
{
    char line[STORY_NAME_MAX + 16], time[STORY_NAME_MAX];
    fprintf(m->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" fill=\"#1a1a1a\">\n<title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    quote_markup(m->out, m->s->title);
    fputs("</title>\n<defs><pattern id=\"waits\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate(45)\"><rect width=\"8\" height=\"8\" fill=\"#ffffff\"/>"
          "<rect width=\"4\" height=\"8\" fill=\"#0072B2\"/></pattern></defs>\n"
          "<rect width=\"960\" height=\"540\" fill=\"#ffffff\"/>\n",
          m->out);
    put_words(m->out, MARGIN, 44, 26, "font-weight=\"bold\"", m->s->title);
    snprintf(line, sizeof line, "at %s us", story_time(m->t, time));
    put_words(m->out, WIDTH - MARGIN, 44, 22, "text-anchor=\"end\"", line);
}

/* The two hosts, and a lane for each direction between them. */
static void put_hosts(const struct moment *m)
{
    for (int side = 0; side < 2; side++) {
        char name[2] = {story_side_name(side), 0};
        int x = side ? WIDTH - MARGIN - HOST + 30 : MARGIN;
        fprintf(m->out,
                "<rect x=\"%d\" y=\"80\" width=\"%d\" height=\"120\" rx=\"6\" fill=\"#eef2f5\" "
                "stroke=\"#555555\"/>\n",
                x, HOST - 30);
        put_words(m->out, x + (HOST - 30) / 2, 152, 34, "text-anchor=\"middle\"", name);
        int y = side ? 172 : 112;
        fprintf(m->out,
                "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#bbbbbb\" stroke-width=\"2\"/>\n",
                MARGIN + HOST - 30, y, WIDTH - MARGIN - HOST + 30, y);
    }
}

static void put_way(const struct moment *m, int segment, int way, int nth, bool named)
{
    const struct story_segment *g = &m->s->segment[segment];
    char name[STORY_NAME_MAX];
    int first = MARGIN + HOST, length = WIDTH - 2 * (MARGIN + HOST), done = length * way / 1000;
    int x = g->side ? first + length - done : first + done, y = g->side ? 172 : 112;
    bool lost = m->s->event[m->ends[segment]].kind == TRACE_LOST;
    const char *color = lost ? "#D55E00" : "#0072B2";
    fprintf(m->out,
            "<rect x=\"%d\" y=\"%d\" width=\"16\" height=\"20\" rx=\"3\" fill=\"%s\" stroke=\"#ffffff\"/>\n",
            x - 8, y - 10, color);
    if (named)
        put_words(m->out, x, y + (nth % 2 ? 26 : -16), 15, "text-anchor=\"middle\"",
                  story_segment_name(m->s, segment, name));
}

static void put_ways(const struct moment *m)
{
    int on_their_way = 0;
    for (int i = 0; i < m->s->segments; i++)
        on_their_way += has_arrived(m, i) && way_of(m, i) >= 0;
    for (int i = 0, nth = 0; i < m->s->segments; i++)
        if (has_arrived(m, i) && way_of(m, i) >= 0)
            put_way(m, i, way_of(m, i), nth++, on_their_way <= NAMED);
}

static void put_part(const struct moment *m, int segment, double x, double width, int y, bool named)
{
    static const char *const fill[] = {
        [NOT_SENT] = "#ffffff", [ON_ITS_WAY] = "#ffffff",   [LOST] = "#f6d5c3",
        [AWAITED] = "#ffffff",  [IN_PLACE] = "url(#waits)", [USABLE] = "#009E73"};
    char name[STORY_NAME_MAX];
    enum state state = state_of_segment(m, segment);
    fprintf(m->out,
            "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"34\" fill=\"%s\" stroke=\"%s\" "
            "stroke-width=\"1\"/>\n",
            x, y, width, fill[state], state == LOST ? "#D55E00" : "#777777");
    if (named)
        put_words(m->out, (int)(x + width / 2), y + 52, 14, "text-anchor=\"middle\"",
                  story_segment_name(m->s, segment, name));
}

/* What the other side's segments fill here, in the order sent. False: nothing is meant for these buffers. */
static bool put_buffers(const struct moment *m, int side, int y)
{
    char title[32];
    uint64_t octets = 0, before = 0;
    int parts = 0;
    const int left = MARGIN + HOST + 20, room = WIDTH - MARGIN - left;
    for (int i = 0; i < m->s->segments; i++)
        if (has_arrived(m, i) && m->s->segment[i].side != side && has_buffer(&m->s->segment[i])) {
            octets += m->s->segment[i].length;
            parts++;
        }
    if (!octets)
        return false;
    snprintf(title, sizeof title, "%c's buffers", story_side_name(side));
    put_words(m->out, MARGIN, y + 23, 18, "", title);
    for (int i = 0; i < m->s->segments; i++) {
        const struct story_segment *g = &m->s->segment[i];
        if (!has_arrived(m, i) || g->side == side || !has_buffer(g))
            continue;
        double width = (double)room * (double)g->length / (double)octets;
        put_part(m, i, left + (double)room * (double)before / (double)octets, width, y,
                 parts <= 2 * NAMED && width > 20);
        before += g->length;
    }
    return true;
}

static void put_legend(FILE *out, int y)
{
    static const struct {
        const char *fill, *text;
    } legend[] = {{"url(#waits)", "in place, not to be used yet"},
                  {"#009E73", "delivered"},
                  {"#f6d5c3", "lost"},
                  {"#0072B2", "on its way"}};
    for (int i = 0, x = MARGIN + HOST + 20; i < (int)(sizeof legend / sizeof *legend); i++) {
        fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"16\" height=\"14\" fill=\"%s\" stroke=\"#777777\"/>\n",
                x, y - 12, legend[i].fill);
        put_words(out, x + 22, y, 15, "", legend[i].text);
        x += 50 + 8 * (int)strlen(legend[i].text);
    }
}

/* One sentence in lines of LINE columns; where the next one begins. */
static int put_sentence(const struct moment *m, const struct story_event *e, const struct narration *told,
                        int y)
{
    char text[NARRATION_MAX + 96], time[STORY_NAME_MAX];
    int used = snprintf(text, sizeof text, "%s us, %c: %s%s%s%s", story_time(e->t, time),
                        story_side_name(e->side), told->text, told->section ? " (" : "",
                        told->section ? told->section : "", told->section ? ")" : "");
    for (int at = 0; at < used && y < HEIGHT - 8;) {
        int end = used - at > LINE + 22 ? at + LINE + 22 : used;
        while (end < used && end > at + 1 && text[end] != ' ')
            end--;
        char line[LINE + 24];
        snprintf(line, sizeof line, "%.*s", end - at, text + at);
        put_words(m->out, MARGIN, y, 18, "", line);
        at = end + (end < used);
        y += 24;
    }
    return y + 6;
}

/* The last sentences, the newest at the end. */
static void put_told(const struct moment *m, int y)
{
    int last[TOLD], n = 0;
    struct narration told;
    for (int i = m->s->events - 1; i >= 0 && n < TOLD; i--) {
        const struct story_event *e = &m->s->event[i];
        if (e->t <= m->t && e->conn == m->conn && e->kind != TRACE_WINDOW && narrate_event(m->s, i, &told))
            last[n++] = i;
    }
    while (n--) {
        narrate_event(m->s, last[n], &told);
        y = put_sentence(m, &m->s->event[last[n]], &told, y);
    }
}

static int first_connection(const struct story *s)
{
    int conn = s->segments ? s->segment[0].conn : 0;
    for (int i = 0; i < s->segments; i++)
        conn = s->segment[i].conn < conn ? s->segment[i].conn : conn;
    return conn;
}

bool moment_write(FILE *out, const struct story *s, uint64_t t, int conn)
{
    struct moment m = {.s = s, .out = out, .t = t, .conn = conn == STORY_NOBODY ? first_connection(s) : conn};
    bool good = look_at_segments(&m);
    if (good) {
        put_moment_head(&m);
        put_hosts(&m);
        put_ways(&m);
        int y = 226;
        y += put_buffers(&m, 1, y) ? 66 : 0;
        y += put_buffers(&m, 0, y) ? 66 : 0;
        put_legend(out, y + 18);
        put_told(&m, y + 58);
        fputs("</svg>\n", out);
    }
    free(m.departs);
    free(m.ends);
    return good && fflush(out) == 0;
}
