/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/goal_read.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/complaint.h"
#include "helpers/base/exit.h"
#include "helpers/base/list.h"
#include "helpers/scenario/goal_check.h"
#include "helpers/scenario/goal_keys.h"

enum { WORD_MAX = 64, CPUS_MAX = 256, UNIT = 1000 /* picoseconds of a nanosecond */ };
#define OCTETS_MAX ((uint64_t)1 << 30)
#define CALC_MAX   ((uint64_t)1000000000000000) /* the longest limit.sim */
#define NONE       UINT32_MAX

enum token { END, LINE, WORD, NUMBER, ANY, SIGN };

struct wait {
    uint32_t before,
        after; /* operations; the first must be over, or have started (GOAL_STARTED in `after`) */
};

struct reader {
    FILE *in;
    const char *name;
    char *error;
    unsigned line;
    int ahead; /* an octet that was read and not used; EOF - 1: none */
    enum token token;
    char word[WORD_MAX];
    uint64_t number;
    bool overflow;

    struct goal *g;
    struct goal_op *op;
    uint32_t *edge, names;
    char *text;             /* its `names` octets */
    bool *seen;             /* ranks */
    uint32_t rank, first;   /* that is read, and its first operation; NONE: none */
    uint32_t cpu[CPUS_MAX]; /* of this rank */
    uint32_t *label, labels_room,
        here; /* operations of this rank by the hash of their labels; how many have one */
    struct wait *wait;
    uint32_t waits;
    struct goal_keys pairs;
};

#define wrong(r, ...) complaint((r)->error, GOAL_ERROR_MAX, (r)->name, (r)->line, 0, __VA_ARGS__)

/* A list with room for one more than its `count`. */
#define GROW(list, count) ((list) = need(list_grow((list), (count), sizeof *(list))))

/* ---- words ---- */

static int next_octet(struct reader *r)
{
    int c = r->ahead;
    r->ahead = EOF - 1;
    return c == EOF - 1 ? getc(r->in) : c;
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static void skip_line(struct reader *r)
{
    int c = next_octet(r);
    while (c != '\n' && c != EOF)
        c = next_octet(r);
    r->ahead = c;
}

static bool skip_comment(struct reader *r)
{
    int c = next_octet(r);
    for (int before = 0; !(before == '*' && c == '/'); before = c, c = next_octet(r)) {
        if (c == EOF)
            return wrong(r, "the file ends within a comment");
        r->line += c == '\n';
    }
    return true;
}

/* The octet after blanks and comments. */
static bool skip_blanks(struct reader *r, int *c)
{
    for (;;) {
        *c = next_octet(r);
        if (*c == '/') {
            int kind = next_octet(r);
            if (kind == '/')
                skip_line(r);
            else if (kind != '*')
                return wrong(r, "a comment begins with // or /*");
            else if (!skip_comment(r))
                return false;
        } else if (*c != ' ' && *c != '\t' && *c != '\r')
            return true;
    }
}

static bool read_word(struct reader *r, int c)
{
    size_t len = 0;
    for (; is_letter(c) || is_digit(c) || c == '_'; c = next_octet(r)) {
        if (len == WORD_MAX - 1)
            return wrong(r, "'%.20s...' is longer than %d octets", r->word, WORD_MAX - 1);
        r->word[len++] = (char)c;
        r->word[len] = 0;
    }
    r->ahead = c;
    r->token = WORD;
    return true;
}

static void read_count(struct reader *r, int c)
{
    r->number = 0;
    r->overflow = false;
    for (; is_digit(c); c = next_octet(r)) {
        uint64_t digit = (uint64_t)(c - '0');
        r->overflow |= r->number > (UINT64_MAX - digit) / 10;
        r->number = r->overflow ? UINT64_MAX : 10 * r->number + digit;
    }
    r->ahead = c;
    r->token = NUMBER;
}

/* ---- tokens ---- */

static bool next(struct reader *r)
{
    int c;
    r->line += r->token == LINE;
    r->token = SIGN;
    r->word[0] = r->word[1] = 0;
    if (!skip_blanks(r, &c))
        return false;
    if (is_letter(c))
        return read_word(r, c);
    if (is_digit(c)) {
        read_count(r, c);
        return true;
    }
    if (c == '-') {
        c = next_octet(r);
        read_count(r, c);
        r->token = ANY;
        return (r->number == 1 && is_digit(c)) || wrong(r, "-1 is the only number below zero");
    }
    r->token = c == EOF ? END : c == '\n' ? LINE : SIGN;
    if (r->token == SIGN && c != ':' && c != '{' && c != '}')
        return wrong(r, c < ' ' || c > '~' ? "an octet that is no text: 0x%02x" : "'%c' means nothing here",
                     c);
    r->word[0] = (char)(r->token == SIGN ? c : 0);
    return true;
}

static bool is(const struct reader *r, enum token token, const char *word)
{
    return r->token == token && strcmp(r->word, word) == 0;
}

static bool expected(const struct reader *r, const char *what)
{
    static const char *const others[] = {
        [END] = "the end of the file", [LINE] = "the end of the line", [ANY] = "-1"};
    if (r->token == NUMBER)
        return wrong(r, "%s is expected, not %llu", what, (unsigned long long)r->number);
    if (r->token == WORD || r->token == SIGN)
        return wrong(r, "%s is expected, not '%s'", what, r->word);
    return wrong(r, "%s is expected, not %s", what, others[r->token]);
}

static bool take_token(struct reader *r, enum token token, const char *word, const char *what)
{
    return is(r, token, word) ? next(r) : expected(r, what);
}

/* A number up to `most`, and the token behind it. */
static bool take_number(struct reader *r, const char *what, uint64_t most, uint64_t *n)
{
    if (r->token != NUMBER)
        return expected(r, what);
    if (r->overflow || r->number > most)
        return wrong(r, "%s is 0 to %llu", what, (unsigned long long)most);
    *n = r->number;
    return next(r);
}

static bool end_line(struct reader *r)
{
    return r->token == LINE ? next(r) : expected(r, "the end of the line");
}

/* ---- labels of a rank ---- */

static uint64_t hash_of(const char *word)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *word; word++)
        hash = (hash ^ (unsigned char)*word) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

/* Where a label is, or would be. What is there of another rank is nothing. */
static uint32_t *place_of_label(const struct reader *r, const char *label)
{
    uint64_t at = hash_of(label);
    for (;; at++) {
        uint32_t *place = &r->label[at & (r->labels_room - 1)];
        if (*place == NONE || *place < r->first || strcmp(r->text + r->op[*place].name, label) == 0)
            return place;
    }
}

static bool is_taken(const struct reader *r, const uint32_t *place)
{
    return *place != NONE && *place >= r->first;
}

static void more_labels(struct reader *r)
{
    if (2 * r->here < r->labels_room)
        return;
    r->labels_room = r->labels_room ? 2 * r->labels_room : 1024;
    r->label = need(realloc(r->label, r->labels_room * sizeof *r->label));
    memset(r->label, 0xff, r->labels_room * sizeof *r->label);
    for (uint32_t i = r->first; i < r->g->ops; i++)
        if (r->op[i].name)
            *place_of_label(r, r->text + r->op[i].name) = i;
}

/* Where the octets of a name are kept, its 0 included. */
static uint32_t keep_name(struct reader *r, const char *name)
{
    uint32_t at = r->names;
    do {
        GROW(r->text, r->names);
        r->text[r->names++] = *name;
    } while (*name++);
    return at;
}

static bool name_op(struct reader *r, uint32_t i, const char *label)
{
    more_labels(r);
    uint32_t *place = place_of_label(r, label);
    if (is_taken(r, place))
        return wrong(r, "rank %u has a label %s already, in line %u", r->rank, label, r->op[*place].line);
    r->op[i].name = keep_name(r, label);
    r->here++;
    *place = i;
    return true;
}

static bool find_label(const struct reader *r, const char *label, uint32_t *i)
{
    const uint32_t *place = r->labels_room ? place_of_label(r, label) : NULL;
    if (!place || !is_taken(r, place))
        return wrong(r, "rank %u has no label %s above this line", r->rank, label);
    *i = *place;
    return true;
}

/* ---- operations ---- */

static bool read_option(struct reader *r, const char *word, const char *what, uint64_t most, uint64_t *n)
{
    return !is(r, WORD, word) || (next(r) && take_number(r, what, most, n));
}

static bool read_cpu(struct reader *r, struct goal_op *op)
{
    uint64_t cpu = 0;
    if (!read_option(r, "cpu", "a cpu", CPUS_MAX - 1, &cpu))
        return false;
    if (r->cpu[cpu] == NONE)
        r->cpu[cpu] = r->g->cpus++;
    op->cpu = r->cpu[cpu];
    return true;
}

/* A recv may take any. */
static bool read_or_any(struct reader *r, const struct goal_op *op, const char *what, uint32_t most,
                        uint32_t *n)
{
    uint64_t number = GOAL_ANY;
    bool any = r->token == ANY && op->kind == GOAL_RECV;
    bool good = any ? next(r) : take_number(r, what, most, &number);
    *n = (uint32_t)number;
    return good;
}

static bool read_peer(struct reader *r, struct goal_op *op)
{
    return read_or_any(r, op, "a rank", r->g->ranks - 1, &op->peer) &&
           (op->peer != r->rank || wrong(r, "a rank neither sends to itself nor receives from itself"));
}

static bool read_tag(struct reader *r, struct goal_op *op)
{
    return !is(r, WORD, "tag") || (next(r) && read_or_any(r, op, "a tag", GOAL_ANY - 1, &op->tag));
}

static bool read_message(struct reader *r, struct goal_op *op)
{
    uint64_t nic = 0;
    bool send = op->kind == GOAL_SEND;
    if (!take_number(r, "a size in octets", OCTETS_MAX, &op->amount) ||
        !take_token(r, WORD, "b", "`b` behind the octets") ||
        !take_token(r, WORD, send ? "to" : "from", send ? "`to`" : "`from`") || !read_peer(r, op) ||
        !read_tag(r, op) || !read_cpu(r, op) || !read_option(r, "nic", "a nic", CPUS_MAX - 1, &nic))
        return false;
    if (send)
        op->conn = goal_keys_add(&r->pairs, (struct goal_key){op->rank, op->peer, 0});
    return true;
}

static bool read_calc(struct reader *r, struct goal_op *op)
{
    if (!take_number(r, "a time in nanoseconds", CALC_MAX, &op->amount) || !read_cpu(r, op))
        return false;
    op->amount *= UNIT;
    return true;
}

static bool read_kind(const struct reader *r, uint32_t *kind)
{
    static const char *const words[] = {[GOAL_SEND] = "send", [GOAL_RECV] = "recv", [GOAL_CALC] = "calc"};
    for (*kind = 0; *kind < 3; ++*kind)
        if (is(r, WORD, words[*kind]))
            return true;
    return false;
}

static void count_op(struct goal *g, const struct goal_op *op)
{
    bool send = op->kind == GOAL_SEND;
    g->sends += send;
    g->octets += send ? op->amount : 0;
    if (send && op->amount > g->largest)
        g->largest = (uint32_t)op->amount;
    if (op->kind == GOAL_CALC && op->amount > g->longest)
        g->longest = op->amount;
}

/* `label` may be empty. */
static bool read_op(struct reader *r, const char *label)
{
    struct goal *g = r->g;
    struct goal_op op = {.rank = r->rank, .line = r->line};
    if (!read_kind(r, &op.kind))
        return expected(r, "send, recv or calc");
    if (g->ops == GOAL_OPS_MAX)
        return wrong(r, "more than %d operations", GOAL_OPS_MAX);
    if (!next(r) || !(op.kind == GOAL_CALC ? read_calc(r, &op) : read_message(r, &op)))
        return false;
    if (r->token != LINE)
        return expected(r, "the end of the line");
    GROW(r->op, g->ops + 1); /* one behind the last */
    r->op[g->ops] = op;
    count_op(g, &op);
    return (!*label || name_op(r, g->ops, label)) && (g->ops++, end_line(r));
}

static bool read_wait(struct reader *r, const char *label, uint32_t started)
{
    struct wait w;
    if (r->token != WORD)
        return expected(r, "a label");
    if (!find_label(r, label, &w.after) || !find_label(r, r->word, &w.before))
        return false;
    if (w.after == w.before)
        return wrong(r, "%s waits for itself", label);
    if (r->g->edges + r->waits == GOAL_EDGES_MAX)
        return wrong(r, "more than %d dependencies", GOAL_EDGES_MAX);
    GROW(r->wait, r->waits);
    r->op[w.after].needs++;
    w.after |= started;
    r->wait[r->waits++] = w;
    return next(r) && end_line(r);
}

static bool read_statement(struct reader *r)
{
    char label[WORD_MAX];
    uint32_t kind;
    if (read_kind(r, &kind))
        return read_op(r, "");
    memcpy(label, r->word, sizeof label);
    if (!next(r))
        return false;
    if (is(r, SIGN, ":"))
        return next(r) && read_op(r, label);
    bool started = is(r, WORD, "irequires");
    if (!started && !is(r, WORD, "requires"))
        return expected(r, "send, recv, calc, or behind a label `:`, `requires` or `irequires`");
    return next(r) && read_wait(r, label, started ? GOAL_STARTED : 0);
}

/* ---- the dependencies of a rank ---- */

/* One of a circle: from what is left, back and back. */
static bool circle(const struct reader *r, const uint32_t *left)
{
    uint32_t ops = r->g->ops - r->first, at = 0;
    uint32_t *before = need(calloc(ops, sizeof *before));
    for (uint32_t i = 0; i < r->waits; i++) {
        uint32_t a = r->wait[i].before - r->first, b = (r->wait[i].after & ~GOAL_STARTED) - r->first;
        if (left[a] && left[b])
            before[b] = a;
    }
    while (!left[at])
        at++;
    for (uint32_t i = 0; i < ops; i++)
        at = before[at];
    const struct goal_op *op = &r->op[r->first + at], *other = &r->op[r->first + before[at]];
    free(before);
    return wrong(r, "rank %u: %s (line %u) waits for %s (line %u), which waits for %s in turn: a circle",
                 r->rank, r->text + op->name, op->line, r->text + other->name, other->line,
                 r->text + op->name);
}

/* Everything can be reached when each starts after what it waits for. */
static bool has_no_circle(struct reader *r)
{
    uint32_t ops = r->g->ops - r->first, done = 0, count = 0;
    uint32_t *left = need(malloc(2 * (size_t)ops * sizeof *left)), *order = left + ops;
    for (uint32_t i = 0; i < ops; i++) {
        left[i] = r->op[r->first + i].needs;
        if (!left[i])
            order[count++] = i;
    }
    for (; done < count; done++) {
        const struct goal_op *op = &r->op[r->first + order[done]];
        for (uint32_t e = op->first; e < op[1].first; e++) {
            uint32_t after = (r->edge[e] & ~GOAL_STARTED) - r->first;
            if (--left[after] == 0)
                order[count++] = after;
        }
    }
    bool good = count == ops || circle(r, left);
    free(left);
    return good;
}

/* Each operation's edges together, in the order of the text. */
static void sort_waits(struct reader *r)
{
    struct goal *g = r->g;
    uint32_t at = g->edges;
    for (uint32_t i = 0; i < r->waits; i++) {
        GROW(r->edge, g->edges + i);
        r->op[r->wait[i].before].first++;
    }
    for (uint32_t i = r->first; i < g->ops; i++) {
        uint32_t own = r->op[i].first;
        r->op[i].first = at;
        at += own;
    }
    for (uint32_t i = 0; i < r->waits; i++)
        r->edge[r->op[r->wait[i].before].first++] = r->wait[i].after;
    for (uint32_t i = g->ops; i-- > r->first;)
        r->op[i].first = i > r->first ? r->op[i - 1].first : g->edges;
    g->edges += r->waits;
    r->op[g->ops].first = g->edges;
}

/* ---- ranks ---- */

static bool begin_rank(struct reader *r)
{
    uint64_t rank = 0;
    if (!r->seen)
        return wrong(r, "num_ranks must come first");
    if (!take_number(r, "a rank", r->g->ranks - 1, &rank) || !take_token(r, SIGN, "{", "`{`"))
        return false;
    if (r->seen[rank])
        return wrong(r, "rank %llu is there twice", (unsigned long long)rank);
    r->seen[rank] = true;
    r->rank = (uint32_t)rank;
    r->first = r->g->ops;
    r->here = r->waits = 0;
    memset(r->cpu, 0xff, sizeof r->cpu);
    return true;
}

static bool end_rank(struct reader *r)
{
    if (r->g->ops > r->first)
        sort_waits(r);
    bool good = r->g->ops == r->first || has_no_circle(r);
    r->rank = r->first = NONE;
    return good;
}

static bool read_ranks(struct reader *r)
{
    uint64_t ranks = 0;
    if (r->g->ranks)
        return wrong(r, "num_ranks is there twice");
    if (!take_number(r, "a number of ranks", GOAL_RANKS_MAX, &ranks))
        return false;
    if (ranks < 2)
        return wrong(r, "a schedule has at least 2 ranks");
    r->g->ranks = (uint32_t)ranks;
    r->seen = need(calloc(ranks, sizeof *r->seen));
    return true;
}

static bool read_one(struct reader *r)
{
    if (r->token == LINE)
        return next(r);
    if (r->rank != NONE) {
        if (is(r, SIGN, "}"))
            return end_rank(r) && next(r);
        if (r->token == WORD)
            return read_statement(r);
        return expected(r, "an operation, a dependency or `}`");
    }
    if (is(r, WORD, "num_ranks"))
        return next(r) && read_ranks(r);
    return take_token(r, WORD, "rank", "`rank` or `num_ranks`") && begin_rank(r);
}

static bool read_all(struct reader *r)
{
    GROW(r->op, 0);
    keep_name(r, "");
    if (!next(r))
        return false;
    while (r->token != END)
        if (!read_one(r))
            return false;
    if (ferror(r->in))
        return wrong(r, "cannot be read to its end");
    if (r->rank != NONE)
        return wrong(r, "the file ends within rank %u", r->rank);
    if (!r->g->ranks)
        return wrong(r, "has no num_ranks");
    for (uint32_t i = 0; i < r->g->ranks; i++)
        if (!r->seen[i])
            return wrong(r, "rank %u is missing", i);
    return r->g->sends || wrong(r, "no rank sends anything");
}

/* ---- connections ---- */

struct numbered {
    uint32_t from, to, number;
};

static int by_ranks(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

/* Connections are numbered by their ranks, not by the order of the text. */
static void number_pairs(struct reader *r)
{
    struct goal *g = r->g;
    uint32_t count = r->pairs.count, *number = need(malloc(count * sizeof *number));
    struct numbered *all = need(malloc(count * sizeof *all));
    struct workload_pair *pair = need(malloc(count * sizeof *pair));
    uint32_t *of = need(calloc(g->ranks, sizeof *of));
    for (uint32_t i = 0; i < count; i++)
        all[i] = (struct numbered){r->pairs.key[i].from, r->pairs.key[i].to, i};
    qsort(all, count, sizeof *all, by_ranks);
    for (uint32_t i = 0; i < count; i++) {
        pair[i] = (struct workload_pair){all[i].from, all[i].to};
        number[all[i].number] = i;
        uint32_t from = ++of[all[i].from], to = ++of[all[i].to];
        g->busiest = from > g->busiest ? from : g->busiest;
        g->busiest = to > g->busiest ? to : g->busiest;
    }
    for (uint32_t i = 0; i < g->ops; i++)
        if (r->op[i].kind == GOAL_SEND)
            r->op[i].conn = number[r->op[i].conn];
    free(number);
    free(all);
    free(of);
    g->connections = count;
    g->pair = pair;
}

/* ---- the whole ---- */

struct goal *goal_read(FILE *in, const char *name, char *error)
{
    struct reader r = {.in = in, .name = name, .error = error, .line = 1, .ahead = EOF - 1};
    r.token = SIGN;
    r.rank = r.first = NONE;
    r.g = need(calloc(1, sizeof *r.g));
    bool good = read_all(&r);
    if (good)
        number_pairs(&r);
    r.g->op = r.op;
    r.g->edge = r.edge;
    r.g->names = r.text;
    free(r.seen);
    free(r.label);
    free(r.wait);
    goal_keys_free(&r.pairs);
    if (good && goal_check(r.g, name, error))
        return r.g;
    goal_free(r.g);
    return NULL;
}

void goal_free(struct goal *g)
{
    if (!g)
        return;
    free((void *)(uintptr_t)g->op);
    free((void *)(uintptr_t)g->edge);
    free((void *)(uintptr_t)g->pair);
    free((void *)(uintptr_t)g->names);
    free(g);
}
