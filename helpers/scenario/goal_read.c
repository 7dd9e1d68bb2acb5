/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/goal_read.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/complaint.h"
#include "helpers/base/exit.h"
#include "helpers/base/list.h"
#include "helpers/scenario/goal_check.h"
#include "helpers/scenario/goal_make.h"

enum { WORD_MAX = 64, CPUS_MAX = 256, UNIT = 1000 /* picoseconds of a nanosecond */ };
#define OCTETS_MAX ((uint64_t)1 << 30)
#define CALC_MAX   ((uint64_t)1000000000000000) /* the longest limit.sim */
#define NONE       UINT32_MAX

enum token { END, LINE, WORD, NUMBER, ANY, SIGN };

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

    struct goal_make m;
    uint32_t names;
    char *text;             /* its `names` octets */
    bool *seen;             /* ranks */
    uint32_t rank;          /* that is read; NONE: none */
    uint32_t cpu[CPUS_MAX]; /* of this rank */
    uint32_t *label, labels_room,
        here; /* operations of this rank by the hash of their labels; how many have one */
};

#define wrong(r, ...) complaint((r)->error, GOAL_ERROR_MAX, (r)->name, (r)->line, 0, __VA_ARGS__)

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
        if (*place == NONE || *place < r->m.first || strcmp(r->text + r->m.op[*place].name, label) == 0)
            return place;
    }
}

static bool is_taken(const struct reader *r, const uint32_t *place)
{
    return *place != NONE && *place >= r->m.first;
}

static void more_labels(struct reader *r)
{
    if (2 * r->here < r->labels_room)
        return;
    r->labels_room = r->labels_room ? 2 * r->labels_room : 1024;
    r->label = need(realloc(r->label, r->labels_room * sizeof *r->label));
    memset(r->label, 0xff, r->labels_room * sizeof *r->label);
    for (uint32_t i = r->m.first; i < r->m.g->ops; i++)
        if (r->m.op[i].name)
            *place_of_label(r, r->text + r->m.op[i].name) = i;
}

/* Where the octets of a name are kept, its 0 included. */
static uint32_t keep_name(struct reader *r, const char *name)
{
    uint32_t at = r->names;
    do {
        r->text = need(list_grow(r->text, r->names, 1));
        r->text[r->names++] = *name;
    } while (*name++);
    return at;
}

static bool name_op(struct reader *r, uint32_t i, const char *label)
{
    more_labels(r);
    uint32_t *place = place_of_label(r, label);
    if (is_taken(r, place))
        return wrong(r, "rank %u has a label %s already, in line %u", r->rank, label, r->m.op[*place].line);
    r->m.op[i].name = keep_name(r, label);
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
        r->cpu[cpu] = r->m.g->cpus++;
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
    return read_or_any(r, op, "a rank", r->m.g->ranks - 1, &op->peer) &&
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

/* `label` may be empty. */
static bool read_op(struct reader *r, const char *label)
{
    struct goal *g = r->m.g;
    struct goal_op op = {.rank = r->rank, .line = r->line};
    if (!read_kind(r, &op.kind))
        return expected(r, "send, recv or calc");
    if (g->ops == GOAL_OPS_MAX)
        return wrong(r, "more than %d operations", GOAL_OPS_MAX);
    if (!next(r) || !(op.kind == GOAL_CALC ? read_calc(r, &op) : read_message(r, &op)))
        return false;
    if (r->token != LINE)
        return expected(r, "the end of the line");
    uint32_t i = goal_make_op(&r->m, &op);
    return (!*label || name_op(r, i, label)) && end_line(r);
}

static bool read_wait(struct reader *r, const char *label, uint32_t started)
{
    uint32_t before, after;
    if (r->token != WORD)
        return expected(r, "a label");
    if (!find_label(r, label, &after) || !find_label(r, r->word, &before))
        return false;
    if (after == before)
        return wrong(r, "%s waits for itself", label);
    if (r->m.g->edges + r->m.waits == GOAL_EDGES_MAX)
        return wrong(r, "more than %d dependencies", GOAL_EDGES_MAX);
    goal_make_wait(&r->m, before, after | started);
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
    uint32_t ops = r->m.g->ops - r->m.first, at = 0;
    uint32_t *before = need(calloc(ops, sizeof *before));
    for (uint32_t i = 0; i < r->m.waits; i++) {
        uint32_t a = r->m.wait[i].before - r->m.first, b = (r->m.wait[i].after & ~GOAL_STARTED) - r->m.first;
        if (left[a] && left[b])
            before[b] = a;
    }
    while (!left[at])
        at++;
    for (uint32_t i = 0; i < ops; i++)
        at = before[at];
    const struct goal_op *op = &r->m.op[r->m.first + at], *other = &r->m.op[r->m.first + before[at]];
    free(before);
    return wrong(r, "rank %u: %s (line %u) waits for %s (line %u), which waits for %s in turn: a circle",
                 r->rank, r->text + op->name, op->line, r->text + other->name, other->line,
                 r->text + op->name);
}

/* Everything can be reached when each starts after what it waits for. */
static bool has_no_circle(struct reader *r)
{
    uint32_t ops = r->m.g->ops - r->m.first, done = 0, count = 0;
    uint32_t *left = need(malloc(2 * (size_t)ops * sizeof *left)), *order = left + ops;
    for (uint32_t i = 0; i < ops; i++) {
        left[i] = r->m.op[r->m.first + i].needs;
        if (!left[i])
            order[count++] = i;
    }
    for (; done < count; done++) {
        const struct goal_op *op = &r->m.op[r->m.first + order[done]];
        for (uint32_t e = op->first; e < op[1].first; e++) {
            uint32_t after = (r->m.edge[e] & ~GOAL_STARTED) - r->m.first;
            if (--left[after] == 0)
                order[count++] = after;
        }
    }
    bool good = count == ops || circle(r, left);
    free(left);
    return good;
}

/* ---- ranks ---- */

static bool begin_rank(struct reader *r)
{
    uint64_t rank = 0;
    if (!r->seen)
        return wrong(r, "num_ranks must come first");
    if (!take_number(r, "a rank", r->m.g->ranks - 1, &rank) || !take_token(r, SIGN, "{", "`{`"))
        return false;
    if (r->seen[rank])
        return wrong(r, "rank %llu is there twice", (unsigned long long)rank);
    r->seen[rank] = true;
    r->rank = (uint32_t)rank;
    goal_make_rank(&r->m);
    r->here = 0;
    memset(r->cpu, 0xff, sizeof r->cpu);
    return true;
}

static bool end_rank(struct reader *r)
{
    goal_make_rank_end(&r->m);
    bool good = r->m.g->ops == r->m.first || has_no_circle(r);
    r->rank = NONE;
    return good;
}

static bool read_ranks(struct reader *r)
{
    uint64_t ranks = 0;
    if (r->m.g->ranks)
        return wrong(r, "num_ranks is there twice");
    if (!take_number(r, "a number of ranks", GOAL_RANKS_MAX, &ranks))
        return false;
    if (ranks < 2)
        return wrong(r, "a schedule has at least 2 ranks");
    r->m.g->ranks = (uint32_t)ranks;
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
    if (!r->m.g->ranks)
        return wrong(r, "has no num_ranks");
    for (uint32_t i = 0; i < r->m.g->ranks; i++)
        if (!r->seen[i])
            return wrong(r, "rank %u is missing", i);
    return r->m.g->sends || wrong(r, "no rank sends anything");
}

/* ---- the whole ---- */

struct goal *goal_read(FILE *in, const char *name, char *error)
{
    struct reader r = {.in = in, .name = name, .error = error, .line = 1, .ahead = EOF - 1};
    r.token = SIGN;
    r.rank = NONE;
    goal_make_begin(&r.m);
    bool good = read_all(&r);
    struct goal *g = goal_make_end(&r.m);
    g->names = r.text;
    free(r.seen);
    free(r.label);
    if (good && goal_check(g, name, error))
        return g;
    goal_free(g);
    return NULL;
}
