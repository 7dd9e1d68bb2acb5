/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/matrix_read.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/complaint.h"
#include "helpers/base/exit.h"
#include "helpers/base/list.h"
#include "helpers/scenario/goal_keys.h"

enum { LINE_MAX_OCTETS = 512, PLACES = 6 };
#define START_MAX ((uint64_t)1000000000)
#define BLANKS    " \t\r"

enum word { WORD_id, WORD_start, WORD_size, WORD_trigger, WORD_sent, WORD_received, WORD_msg, WORDS };

/* What a line of a flow, or of a trigger, may say; a start is held in picoseconds. */
static const struct {
    const char *text;
    uint64_t least, most;
} words[WORDS] = {[WORD_id] = {"id", 1, UINT32_MAX},
                  [WORD_start] = {"start", 0, START_MAX},
                  [WORD_size] = {"size", 1, 1 << 30},
                  [WORD_trigger] = {"trigger", 1, UINT32_MAX},
                  [WORD_sent] = {"send_done_trigger", 1, UINT32_MAX},
                  [WORD_received] = {"recv_done_trigger", 1, UINT32_MAX},
                  [WORD_msg] = {"msg", 1, UINT32_MAX}};

struct said {
    uint64_t value[WORDS];
    bool given[WORDS];
};

/* What is known of a trigger besides what is run. */
struct declared {
    uint32_t line, used; /* that declares it, the first that names it; 0: none */
    uint32_t needs, givers, waiting;
};

struct reader {
    FILE *in;
    const char *name;
    char *error;
    unsigned line;
    char text[LINE_MAX_OCTETS], *rest; /* of the line, and what is not read of it */
    bool ended;

    struct matrix *m;
    struct matrix_message *message;
    struct workload_pair *pair;
    struct declared *trigger;
    struct goal_keys triggers, ids; /* by number */
    uint32_t *of_id;                /* the first message with an id */
    uint64_t connections, declares; /* that the header says; declarations that came */
    uint64_t counts;                /* that the header says of triggers */
};

#define wrong(r, ...)        complaint((r)->error, MATRIX_ERROR_MAX, (r)->name, (r)->line, 0, __VA_ARGS__)
#define wrong_in(r, at, ...) complaint((r)->error, MATRIX_ERROR_MAX, (r)->name, (at), 0, __VA_ARGS__)
#define GROW(list, count)    ((list) = need(list_grow((list), (count), sizeof *(list))))

/* ---- lines and words ---- */

/* The next line, without its end; false: there is none, or it is wrong, which `error` says. */
static bool next_line(struct reader *r)
{
    size_t len = 0;
    int c = getc(r->in);
    r->line++;
    r->ended = c == EOF;
    for (; c != '\n' && c != EOF; c = getc(r->in)) {
        if (len == LINE_MAX_OCTETS - 1)
            return wrong(r, "a line is longer than %d octets", LINE_MAX_OCTETS - 1);
        if (c == 0)
            return wrong(r, "an octet 0 is no text");
        r->text[len++] = (char)c;
    }
    r->text[len] = 0;
    return !r->ended;
}

/* NULL: the line has no other. */
static char *next_word(struct reader *r)
{
    char *word = r->rest + strspn(r->rest, BLANKS);
    r->rest = word + strcspn(word, BLANKS);
    if (*r->rest)
        *r->rest++ = 0;
    return *word ? word : NULL;
}

/* Does the next word begin with a digit? */
static bool number_follows(const struct reader *r)
{
    char c = r->rest[strspn(r->rest, BLANKS)];
    return c >= '0' && c <= '9';
}

/* A whole number of at most `most`, with up to so many decimals, in units of the last; false: it is none. */
static bool matrix_number(const char *text, unsigned places, uint64_t most, uint64_t *number)
{
    uint64_t value = 0, units = 1;
    const char *c = text;
    for (; *c >= '0' && *c <= '9'; c++) {
        value = 10 * value + (uint64_t)(*c - '0');
        if (value > most)
            return false;
    }
    bool some = c != text, point = places && *c == '.';
    c += point;
    for (unsigned i = 0; i < places; i++, units *= 10) {
        bool digit = point && *c >= '0' && *c <= '9';
        value = 10 * value + (digit ? (uint64_t)(*c++ - '0') : 0);
    }
    *number = value;
    return some && !*c && (!point || c[-1] != '.') && value <= most * units;
}

static bool take_number(struct reader *r, const char *what, uint64_t least, uint64_t most, unsigned places,
                        uint64_t *number)
{
    const char *text = next_word(r);
    if (text && matrix_number(text, places, most, number) && *number >= least)
        return true;
    return wrong(r, "%s needs a number of %llu to %llu, not '%.40s'", what, (unsigned long long)least,
                 (unsigned long long)most, text ? text : "");
}

static bool take_word(struct reader *r, const char *text, struct said *said)
{
    enum word w = 0;
    while (w < WORDS && strcmp(words[w].text, text) != 0)
        w++;
    if (w == WORDS)
        return wrong(r,
                     "'%.40s' is not a word of a flow: they are id, start, size, trigger, msg, "
                     "send_done_trigger and recv_done_trigger",
                     text);
    if (said->given[w])
        return wrong(r, "%s is there twice", text);
    said->given[w] = true;
    if (w == WORD_msg && !number_follows(r))
        return true; /* its number may be left out */
    return take_number(r, text, words[w].least, words[w].most, w == WORD_start ? PLACES : 0, &said->value[w]);
}

/* ---- triggers ---- */

static struct declared *trigger_of(struct reader *r, uint64_t number, uint32_t *index)
{
    uint32_t known = r->triggers.count;
    *index = goal_keys_add(&r->triggers, (struct goal_key){.tag = (uint32_t)number});
    if (*index == known) {
        GROW(r->trigger, known);
        r->trigger[known] = (struct declared){0};
    }
    return &r->trigger[*index];
}

static uint32_t names_trigger(struct reader *r, const struct said *said, enum word w)
{
    uint32_t index = MATRIX_NONE;
    if (!said->given[w])
        return index;
    struct declared *t = trigger_of(r, said->value[w], &index);
    t->used = t->used ? t->used : r->line;
    t->waiting += w == WORD_trigger;
    t->givers += w != WORD_trigger;
    return index;
}

/* `needs` of a barrier follows; without it, as many as give it. */
#define BY_COUNT UINT32_MAX

static bool kind_of(const char *text, uint32_t *needs)
{
    static const struct {
        const char *text;
        uint32_t needs;
    } kinds[] = {{"oneshot", 1}, {"multishot", 0}, {"barrier", BY_COUNT}};
    for (size_t i = 0; text && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].text, text) == 0) {
            *needs = kinds[i].needs;
            return true;
        }
    return false;
}

static bool read_trigger(struct reader *r)
{
    uint64_t number, count;
    uint32_t index, needs;
    const char *id = next_word(r);
    if (!id || strcmp(id, "id") != 0)
        return wrong(r, "a trigger needs `id` and its number");
    if (!take_number(r, "id", 1, UINT32_MAX, 0, &number))
        return false;
    if (!kind_of(next_word(r), &needs))
        return wrong(r, "a trigger is oneshot, multishot or barrier");
    struct declared *t = trigger_of(r, number, &index);
    if (t->line)
        return wrong(r, "trigger %llu is there already, in line %u", (unsigned long long)number, t->line);
    const char *more = next_word(r);
    if (needs == BY_COUNT && (!more || strcmp(more, "count") != 0))
        return wrong(r, "a barrier needs `count` and how often it must be given");
    if (needs == BY_COUNT && !take_number(r, "count", 1, MATRIX_MESSAGES_MAX, 0, &count))
        return false;
    if (needs == BY_COUNT) {
        needs = (uint32_t)count;
        more = next_word(r);
    }
    if (more)
        return wrong(r, "'%.40s' is not a word of a trigger", more);
    t->line = r->line;
    t->needs = needs;
    r->declares++;
    return true;
}

/* ---- flows ---- */

static bool read_hosts(struct reader *r, char *text, struct workload_pair *pair)
{
    char *arrow = strstr(text, "->");
    uint64_t from, to;
    *arrow = 0;
    if (!matrix_number(text, 0, UINT32_MAX, &from) || !matrix_number(arrow + 2, 0, UINT32_MAX, &to))
        return wrong(r, "a flow begins with two hosts, as in 0->13");
    if (from >= r->m->hosts || to >= r->m->hosts)
        return wrong(r, "host %llu is not there: Nodes %u has 0 to %u",
                     (unsigned long long)(from >= r->m->hosts ? from : to), r->m->hosts, r->m->hosts - 1);
    *pair = (struct workload_pair){(uint32_t)from, (uint32_t)to};
    return from != to || wrong(r, "host %llu sends to itself", (unsigned long long)from);
}

/* Its own, or for messages that of their id; MATRIX_NONE: it is wrong. */
static uint32_t connection_of(struct reader *r, const struct said *said, const struct workload_pair *pair)
{
    uint32_t known = r->ids.count, index = known;
    if (said->given[WORD_id])
        index = goal_keys_add(&r->ids, (struct goal_key){.tag = (uint32_t)said->value[WORD_id]});
    if (index != known) {
        const struct matrix_message *first = &r->message[r->of_id[index]];
        const struct workload_pair *of = &r->pair[first->conn];
        if (said->given[WORD_msg] && of->from == pair->from && of->to == pair->to)
            return first->conn;
        wrong(r, "id %u is that of %u->%u in line %u; flows of one connection need its hosts and `msg`",
              r->ids.key[index].tag, of->from, of->to, first->line);
        return MATRIX_NONE;
    }
    if (said->given[WORD_id]) {
        GROW(r->of_id, known);
        r->of_id[known] = r->m->messages;
    }
    GROW(r->pair, r->m->connections);
    r->pair[r->m->connections] = *pair;
    return r->m->connections++;
}

static bool said_enough(struct reader *r, const struct said *said)
{
    if (!said->given[WORD_size])
        return wrong(r, "a flow needs `size` and its octets");
    if (said->given[WORD_start] == said->given[WORD_trigger])
        return wrong(r, "a flow needs `start` or `trigger`, and not both");
    if (said->given[WORD_msg] && !said->given[WORD_id])
        return wrong(r, "`msg` needs `id`, the connection whose message it is");
    return r->m->messages < MATRIX_MESSAGES_MAX || wrong(r, "more than %d flows", MATRIX_MESSAGES_MAX);
}

static bool read_flow(struct reader *r, char *first)
{
    struct said said = {0};
    struct workload_pair pair;
    if (!read_hosts(r, first, &pair))
        return false;
    for (char *word; (word = next_word(r));)
        if (!take_word(r, word, &said))
            return false;
    if (!said_enough(r, &said))
        return false;
    uint32_t conn = connection_of(r, &said, &pair);
    if (conn == MATRIX_NONE)
        return false;
    GROW(r->message, r->m->messages);
    r->message[r->m->messages++] =
        (struct matrix_message){.start = said.given[WORD_start] ? said.value[WORD_start] : IW_NEVER,
                                .octets = (uint32_t)said.value[WORD_size],
                                .conn = conn,
                                .by = names_trigger(r, &said, WORD_trigger),
                                .sent = names_trigger(r, &said, WORD_sent),
                                .received = names_trigger(r, &said, WORD_received),
                                .line = r->line};
    return true;
}

/* ---- the header ---- */

static bool read_nodes(struct reader *r)
{
    uint64_t hosts;
    r->m->line = r->line;
    bool good = take_number(r, "Nodes", 2, MATRIX_HOSTS_MAX, 0, &hosts);
    r->m->hosts = good ? (uint32_t)hosts : 0;
    return good;
}

static bool read_connections(struct reader *r)
{
    return take_number(r, "Connections", 1, MATRIX_MESSAGES_MAX, 0, &r->connections);
}

static bool read_triggers(struct reader *r)
{
    return take_number(r, "Triggers", 0, MATRIX_MESSAGES_MAX, 0, &r->counts);
}

static bool read_failures(struct reader *r)
{
    uint64_t failures;
    return take_number(r, "Failures", 0, UINT32_MAX, 0, &failures) &&
           (!failures || wrong(r, "links that fail are no part of a workload: leave them out"));
}

static const struct {
    const char *text;
    bool (*read)(struct reader *r);
} heads[] = {{"Nodes", read_nodes},
             {"Connections", read_connections},
             {"Triggers", read_triggers},
             {"Failures", read_failures},
             {"trigger", read_trigger}};
enum { HEADS = sizeof heads / sizeof *heads };

static bool read_line(struct reader *r, char *first)
{
    size_t i = 0;
    if (strstr(first, "->"))
        return r->m->hosts ? read_flow(r, first) : wrong(r, "`Nodes` must come before the first flow");
    while (i < HEADS && strcmp(heads[i].text, first) != 0)
        i++;
    if (i == HEADS)
        return wrong(r,
                     "'%.40s' begins no line: those begin with Nodes, Connections, Triggers, A->B or trigger",
                     first);
    if (!heads[i].read(r))
        return false;
    char *more = next_word(r);
    return !more || wrong(r, "'%.40s' is one word too many", more);
}

static bool read_lines(struct reader *r)
{
    r->error[0] = 0;
    while (next_line(r)) {
        r->rest = r->text;
        char *first = next_word(r);
        if (first && *first != '#' && !read_line(r, first))
            return false;
    }
    if (ferror(r->in))
        return wrong(r, "cannot be read to its end");
    return r->ended && !r->error[0];
}

/* ---- is it whole, and can all begin? ---- */

static bool counts_agree(struct reader *r)
{
    if (!r->m->messages)
        return wrong(r, "no flow is there");
    if (r->connections != r->m->messages)
        return wrong(r, "Connections says %llu, and %u flows are there", (unsigned long long)r->connections,
                     r->m->messages);
    return r->counts == r->declares || wrong(r, "Triggers says %llu, and %llu are there",
                                             (unsigned long long)r->counts, (unsigned long long)r->declares);
}

static bool triggers_agree(struct reader *r)
{
    for (uint32_t i = 0; i < r->triggers.count; i++) {
        const struct declared *t = &r->trigger[i];
        uint32_t number = r->triggers.key[i].tag;
        if (!t->line)
            return wrong_in(r, t->used, "trigger %u has no line `trigger id %u oneshot`", number, number);
        if (t->waiting && !t->givers)
            return wrong_in(r, t->used,
                            "nothing gives trigger %u: no send_done_trigger, no recv_done_trigger", number);
        if (t->needs == 1 && t->givers > 1)
            return wrong_in(r, t->line, "trigger %u is given %u times; only a barrier or a multishot can be",
                            number, t->givers);
    }
    return true;
}

struct walk {
    uint32_t *order, count; /* messages that begin */
    uint32_t *given;        /* of each trigger */
};

static void walk_trigger(const struct matrix *m, struct walk *w, uint32_t trigger)
{
    if (trigger == MATRIX_NONE)
        return;
    const struct matrix_trigger *t = &m->trigger[trigger];
    uint32_t given = w->given[trigger]++, most = t[1].first - t->first;
    uint32_t first = t->needs ? 0 : given, end = t->needs ? most : given + 1;
    if (!t->needs || given + 1 == t->needs)
        for (uint32_t i = first; i < end && i < most; i++)
            w->order[w->count++] = m->begins[t->first + i];
}

static void walk_all(const struct matrix *m, struct walk *w)
{
    for (uint32_t i = 0; i < m->messages; i++)
        if (m->message[i].by == MATRIX_NONE)
            w->order[w->count++] = i;
    for (uint32_t n = 0; n < w->count; n++) {
        walk_trigger(m, w, m->message[w->order[n]].sent);
        walk_trigger(m, w, m->message[w->order[n]].received);
    }
}

static bool never_begins(struct reader *r, const struct walk *w)
{
    uint8_t *begins = need(calloc(r->m->messages, 1));
    uint32_t i = 0;
    for (uint32_t n = 0; n < w->count; n++)
        begins[w->order[n]] = 1;
    while (begins[i])
        i++;
    free(begins);
    const struct matrix_message *m = &r->message[i];
    return wrong_in(r, m->line, "never begins: trigger %u is given %u times by what does, which is too few",
                    r->triggers.key[m->by].tag, w->given[m->by]);
}

static bool all_begin(struct reader *r)
{
    struct walk w = {.order = need(calloc(r->m->messages, sizeof *w.order)),
                     .given = need(calloc((size_t)r->m->triggers + 1, sizeof *w.given))};
    walk_all(r->m, &w);
    bool good = w.count == r->m->messages || never_begins(r, &w);
    free(w.order);
    free(w.given);
    return good;
}

/* ---- what is run ---- */

struct timed {
    uint64_t start;
    uint32_t conn, message;
};

static int by_time(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    if (x->conn != y->conn)
        return (x->conn > y->conn) - (x->conn < y->conn);
    if (x->start != y->start)
        return (x->start > y->start) - (x->start < y->start);
    return (x->message > y->message) - (x->message < y->message);
}

static void sort_times(struct matrix *m)
{
    struct timed *all = need(calloc(m->messages, sizeof *all));
    uint32_t count = 0, *timed = need(calloc(m->messages, sizeof *timed));
    uint32_t *first = need(calloc((size_t)m->connections + 1, sizeof *first));
    for (uint32_t i = 0; i < m->messages; i++)
        if (m->message[i].by == MATRIX_NONE)
            all[count++] = (struct timed){m->message[i].start, m->message[i].conn, i};
    qsort(all, count, sizeof *all, by_time);
    for (uint32_t i = 0; i < count; i++) {
        timed[i] = all[i].message;
        first[all[i].conn + 1]++;
    }
    for (uint32_t c = 0; c < m->connections; c++)
        first[c + 1] += first[c];
    free(all);
    m->timed = timed;
    m->first = first;
}

static void list_begins(struct reader *r)
{
    struct matrix *m = r->m;
    struct matrix_trigger *trigger = need(calloc((size_t)m->triggers + 1, sizeof *trigger));
    uint32_t *begins = need(calloc(m->messages, sizeof *begins));
    uint32_t *at = need(calloc((size_t)m->triggers + 1, sizeof *at));
    for (uint32_t i = 0; i < m->triggers; i++) {
        trigger[i].needs = r->trigger[i].needs;
        trigger[i + 1].first = at[i + 1] = trigger[i].first + r->trigger[i].waiting;
    }
    for (uint32_t i = 0; i < m->messages; i++)
        if (m->message[i].by != MATRIX_NONE)
            begins[at[m->message[i].by]++] = i;
    free(at);
    m->trigger = trigger;
    m->begins = begins;
}

static uint32_t most_of(const uint32_t *counts, uint32_t count)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = counts[i] > most ? counts[i] : most;
    return most;
}

static void count_all(struct matrix *m)
{
    uint32_t *hosts = need(calloc(m->hosts, sizeof *hosts));
    uint32_t *messages = need(calloc(m->connections, sizeof *messages));
    for (uint32_t i = 0; i < m->messages; i++) {
        messages[m->message[i].conn]++;
        m->octets += m->message[i].octets;
        m->largest = m->message[i].octets > m->largest ? m->message[i].octets : m->largest;
    }
    for (uint32_t c = 0; c < m->connections; c++) {
        hosts[m->pair[c].from]++;
        hosts[m->pair[c].to]++;
    }
    m->busiest = most_of(hosts, m->hosts);
    m->deepest = most_of(messages, m->connections);
    free(hosts);
    free(messages);
}

static void finish(struct reader *r)
{
    r->m->triggers = r->triggers.count;
    sort_times(r->m);
    list_begins(r);
    count_all(r->m);
}

struct matrix *matrix_read(FILE *in, const char *name, char *error)
{
    struct reader r = {.in = in, .name = name, .error = error};
    r.m = need(calloc(1, sizeof *r.m));
    bool good = read_lines(&r) && counts_agree(&r) && triggers_agree(&r);
    r.m->message = r.message;
    r.m->pair = r.pair;
    if (good)
        finish(&r);
    good = good && all_begin(&r);
    free(r.trigger);
    free(r.of_id);
    goal_keys_free(&r.triggers);
    goal_keys_free(&r.ids);
    if (good)
        return r.m;
    matrix_free(r.m);
    return NULL;
}

void matrix_free(struct matrix *m)
{
    if (!m)
        return;
    free((void *)(uintptr_t)m->message);
    free((void *)(uintptr_t)m->pair);
    free((void *)(uintptr_t)m->trigger);
    free((void *)(uintptr_t)m->begins);
    free((void *)(uintptr_t)m->timed);
    free((void *)(uintptr_t)m->first);
    free(m);
}
