/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script.c -- a few messages over one connection, each written down: what lessons are made of.
 *
 *     write 9000; send 2000; wait; peer read 500; send 100 fence; write 16 to foreign; fetch_add 1; cmp_swap 1 7
 *
 *     octets = a number, or with a unit: 64KiB, 1MB
 *     step  = [peer] operation octets [fence] [to MEMORY | beyond] [into octets | unexpected]   |  wait
 *           | [peer] fetch_add number [fence] [to MEMORY | beyond]   |  [peer] cmp_swap old new ...
 *     wait    what follows is posted when everything before it is over at both sides
 *
 * Each side that is reached by Writes or Reads has one region, `home`, which Writes fill and Reads read from its start
 * on, one behind the other; a receive buffer waits for every Send. Atomics change the number in its first 8 octets, which
 * is 0 at the start.
 */
#include <string.h>

#include "scenarios/workloads/kind.h"
#include "scenarios/workloads/request.h"
#include "scenarios/workloads/script.h"
#include "scenarios/workloads/talk.h"

/* ---- the language ---- */

struct word {
    const char *text;
    int means;
};

enum { OP_WAIT = IW_OPS };
static const struct word op_words[] = {{"send", IW_SEND},           {"send_inv", IW_SEND_INV},
                                       {"send_se", IW_SEND_SE},     {"send_se_inv", IW_SEND_SE_INV},
                                       {"write", IW_WRITE},         {"read", IW_READ},
                                       {"fetch_add", IW_FETCH_ADD}, {"cmp_swap", IW_CMP_SWAP},
                                       {"wait", OP_WAIT},           {NULL, 0}};
static const struct word memory_words[] = {{"home", SCRIPT_HOME},         {"nothing", SCRIPT_NOTHING},
                                           {"readable", SCRIPT_READABLE}, {"writable", SCRIPT_WRITABLE},
                                           {"foreign", SCRIPT_FOREIGN},   {NULL, 0}};

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_end(char c)
{
    return c == 0 || c == ';' || c == ',';
}

static const char *skip(const char *p)
{
    while (is_space(*p))
        p++;
    return p;
}

/* The word at `*p` and what follows it; its length, 0 at the end of a step. */
static size_t next_word(const char **p, const char **word)
{
    *word = *p = skip(*p);
    while (!is_end(**p) && !is_space(**p))
        ++*p;
    return (size_t)(*p - *word);
}

static bool same_text(const char *word, size_t len, const char *text)
{
    size_t i = 0;
    while (i < len && text[i] && text[i] == word[i])
        i++;
    return i == len && !text[i];
}

static const struct word *look_up(const struct word *table, const char *word, size_t len)
{
    for (; table->text; table++)
        if (same_text(word, len, table->text))
            return table;
    return NULL;
}

/* What may stand behind a number, as in sizes elsewhere. */
static const struct word units[] = {{"", 1},       {"B", 1},        {"kB", 1000},     {"KB", 1000},
                                    {"KiB", 1024}, {"MB", 1000000}, {"MiB", 1 << 20}, {NULL, 0}};

static bool read_octets(const char **p, uint32_t *octets)
{
    const char *word;
    size_t len = next_word(p, &word), digits = 0;
    uint64_t n = 0;
    for (; digits < len && word[digits] >= '0' && word[digits] <= '9'; digits++) {
        if (n > SCRIPT_OCTETS_MAX)
            return false;
        n = n * 10 + (uint64_t)(word[digits] - '0');
    }
    const struct word *unit = look_up(units, word + digits, len - digits);
    n *= unit ? (uint64_t)unit->means : 0;
    *octets = (uint32_t)n;
    return digits > 0 && unit && n <= SCRIPT_OCTETS_MAX;
}

static const char *read_extra(const char **p, const char *word, size_t len, struct script_step *s)
{
    const struct word *memory;
    if (same_text(word, len, "fence")) {
        s->fence = true;
    } else if (same_text(word, len, "beyond")) {
        s->beyond = true;
    } else if (same_text(word, len, "unexpected")) {
        s->recv = SCRIPT_NO_BUFFER;
    } else if (same_text(word, len, "into")) {
        if (!read_octets(p, &s->recv))
            return "`into` must be followed by the octets of the receive buffer";
    } else if (same_text(word, len, "to")) {
        len = next_word(p, &word);
        memory = look_up(memory_words, word, len);
        if (!memory)
            return "`to` must be followed by home, nothing, readable, writable or foreign";
        s->memory = (enum script_memory)memory->means;
    } else {
        return "after its octets an operation may have: fence, to MEMORY, beyond, into OCTETS, unexpected";
    }
    return NULL;
}

/* The numbers of an Atomic: what to add; or what must be there, and what takes its place. */
static const char *read_numbers(const char **p, struct script_step *s)
{
    uint32_t first, second = 0;
    if (!read_octets(p, &first) || (s->op == IW_CMP_SWAP && !read_octets(p, &second)))
        return "fetch_add must be followed by a number, cmp_swap by the expected and the new number, 0 to "
               "16777216";
    s->len = WORKLOAD_ATOMIC_OCTETS;
    s->atomic = (struct iw_atomic){.data = first};
    if (s->op == IW_CMP_SWAP)
        s->atomic = (struct iw_atomic){
            .data = second, .mask = UINT64_MAX, .compare = first, .compare_mask = UINT64_MAX};
    return NULL;
}

static const char *read_step(const char **p, struct script_step *s)
{
    const char *word, *why = NULL;
    size_t len = next_word(p, &word);
    if (same_text(word, len, "peer")) {
        s->side = 1;
        len = next_word(p, &word);
    }
    const struct word *op = look_up(op_words, word, len);
    if (!op)
        return "a step must begin with send, send_inv, send_se, send_se_inv, write, read, fetch_add, "
               "cmp_swap or "
               "wait";
    s->wait = op->means == OP_WAIT;
    s->op = s->wait ? IW_SEND : (enum iw_op)op->means;
    if (request_is_atomic(s->op))
        why = read_numbers(p, s);
    else if (!s->wait && !read_octets(p, &s->len))
        return "an operation must be followed by its octets, 0 to 16777216";
    s->recv = s->len;
    while (!why && (len = next_word(p, &word)))
        why = s->wait ? "`wait` must stand alone" : read_extra(p, word, len, s);
    if (!why && !request_is_send(s->op) && s->recv != s->len)
        why = "`into` and `unexpected` apply only to the receive buffer of a Send";
    return why;
}

const char *script_read(const char *text, struct script *script)
{
    const char *p = text;
    memset(script, 0, sizeof *script);
    while (*(p = skip(p))) {
        if (script->count == SCRIPT_STEPS_MAX)
            return "a script may have at most 32 steps";
        const char *why = read_step(&p, &script->step[script->count]);
        if (why)
            return why;
        script->count++;
        p += *p != 0;
    }
    return script->count ? NULL : "a script needs at least one step, such as: write 9000; send 2000";
}

bool script_has_atomics(const struct script *script)
{
    for (uint32_t i = 0; i < script->count; i++)
        if (request_is_atomic(script->step[i].op))
            return true;
    return false;
}

/* ---- memory ---- */

enum {
    HOME_TO = 10000,
    OWN_TO = 0,
    RECV_TO = 0,
    OTHER_TO = 50000, /* of memory that may not be used as a step tries to */
    OTHER_LEN = 4096,
    FOREIGN_PD = WORKLOAD_PD + 1,
    UNKNOWN_STAG = 0x7ffffff7
};

/* What has become of a step. */
struct progress {
    bool posted, completed, arrived;
    uint32_t placed;
    uint64_t own,
        there; /* where its octets are: offset in `own`, and in `home` or `recv` of the other side */
    struct workload_message m;
};

struct act {
    struct script script;
    struct progress step[SCRIPT_STEPS_MAX];
    iw_stag stag[2][SCRIPT_MEMORIES], own[2], recv[2]; /* by side */
    uint8_t *home_base[2], *own_base[2], *recv_base[2], *readable_base[2];
    uint64_t home_len[2];
    uint32_t next;        /* step to post */
    uint32_t received[2]; /* Sends that have arrived at a side */
    uint64_t number[2];   /* that Atomics should find at a side */
};

static int enroll_side(struct workload *w, uint32_t conn, int side, struct iw_region region, iw_stag *stag,
                       uint8_t **base)
{
    if (!region.len)
        return IW_OK;
    int result = ask_memory(w, host_at(w, conn, side), &region, stag);
    if (base)
        *base = region.base;
    return result;
}

/* Octets of a kind of memory that all steps together need, and where in it each one's lie. */
static uint64_t place_steps(struct act *a, int side, bool tagged)
{
    uint64_t written = 0, fetched = 0, received = 0, changed = 0;
    for (uint32_t i = 0; i < a->script.count; i++) {
        const struct script_step *s = &a->script.step[i];
        bool mine = s->side != side && !s->wait && request_is_send(s->op) != tagged;
        uint64_t *at = !tagged ? &received : s->op == IW_READ ? &fetched : &written;
        if (!mine)
            continue;
        if (request_is_atomic(s->op)) {
            changed = s->len;
            continue;
        }
        a->step[i].there = *at;
        *at += !tagged ? (s->recv == SCRIPT_NO_BUFFER ? 0 : s->recv) : s->len;
    }
    fetched = fetched > changed ? fetched : changed;
    return tagged ? (written > fetched ? written : fetched) : received;
}

static uint64_t lay_out_own(struct act *a, int side)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < a->script.count; i++) {
        a->step[i].own = a->script.step[i].side == side ? at : a->step[i].own;
        at += a->script.step[i].side == side ? a->script.step[i].len : 0;
    }
    return at;
}

static bool uses(const struct act *a, int side, enum script_memory memory)
{
    for (uint32_t i = 0; i < a->script.count; i++)
        if (!a->script.step[i].wait && a->script.step[i].side != side && a->script.step[i].memory == memory)
            return true;
    return false;
}

/* Memory of `side` that others may not use as they please. */
static int enroll_others(struct workload *w, uint32_t conn, int side)
{
    static const struct {
        unsigned rights;
        uint32_t pd;
    } others[SCRIPT_MEMORIES] = {[SCRIPT_READABLE] = {IW_REMOTE_READ, WORKLOAD_PD},
                                 [SCRIPT_WRITABLE] = {IW_REMOTE_WRITE, WORKLOAD_PD},
                                 [SCRIPT_FOREIGN] = {IW_REMOTE_READ | IW_REMOTE_WRITE, FOREIGN_PD}};
    struct act *a = w->flow[conn].own;
    int result = IW_OK;
    a->stag[side][SCRIPT_NOTHING] = UNKNOWN_STAG;
    for (int i = SCRIPT_READABLE; result == IW_OK && i < SCRIPT_MEMORIES; i++)
        if (uses(a, side, (enum script_memory)i))
            result = enroll_side(
                w, conn, side,
                (struct iw_region){
                    .to = OTHER_TO, .len = OTHER_LEN, .rights = others[i].rights, .pd = others[i].pd},
                &a->stag[side][i], i == SCRIPT_READABLE ? &a->readable_base[side] : NULL);
    return result;
}

static int prepare_side(struct workload *w, uint32_t conn, int side)
{
    struct act *a = w->flow[conn].own;
    struct iw_region home = {.to = HOME_TO,
                             .len = place_steps(a, side, true),
                             .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE,
                             .pd = WORKLOAD_PD};
    struct iw_region recv = {
        .to = RECV_TO, .len = place_steps(a, side, false), .rights = IW_LOCAL_WRITE, .pd = WORKLOAD_PD};
    struct iw_region own = {
        .to = OWN_TO, .len = lay_out_own(a, side), .rights = IW_LOCAL_WRITE, .pd = WORKLOAD_PD};
    a->home_len[side] = home.len;
    LAW(recv.len <= (uint64_t)SCRIPT_STEPS_MAX * SCRIPT_OCTETS_MAX &&
        home.len <= (uint64_t)SCRIPT_STEPS_MAX * SCRIPT_OCTETS_MAX);
    int result = enroll_side(w, conn, side, home, &a->stag[side][SCRIPT_HOME], &a->home_base[side]);
    if (result == IW_OK)
        result = enroll_side(w, conn, side, recv, &a->recv[side], &a->recv_base[side]);
    if (result == IW_OK)
        result = enroll_side(w, conn, side, own, &a->own[side], &a->own_base[side]);
    return result == IW_OK ? enroll_others(w, conn, side) : result;
}

static int post_receives(struct workload *w, uint32_t conn)
{
    struct act *a = w->flow[conn].own;
    int result = IW_OK;
    for (uint32_t i = 0; result == IW_OK && i < a->script.count; i++) {
        const struct script_step *s = &a->script.step[i];
        if (s->wait || !request_is_send(s->op) || s->recv == SCRIPT_NO_BUFFER)
            continue;
        struct iw_work work = {.id = i, .op = IW_RECV, .sges = s->recv > 0};
        work.sge[0] = (struct iw_sge){a->recv[!s->side], s->recv, RECV_TO + a->step[i].there};
        result = ask_post(w, 0, conn, !s->side, &work);
    }
    return result;
}

/* What is readable alone is no step's: all Reads of it begin at its start. */
static uint64_t readable_key(uint32_t conn, int side)
{
    return stamp_key(conn, 1, (uint64_t)side);
}

/* Octets that can be told apart: what each step sends, and what Reads find. */
static void stamp_all(struct workload *w, uint32_t conn)
{
    struct act *a = w->flow[conn].own;
    for (uint32_t i = 0; i < a->script.count; i++) {
        const struct script_step *s = &a->script.step[i];
        uint8_t *home = a->home_base[!s->side], *own = a->own_base[s->side];
        if (s->op == IW_READ && home && s->memory == SCRIPT_HOME && !s->wait)
            stamp_put(home + a->step[i].there, s->len, stamp_key(conn, 0, i));
        else if (own && !s->wait)
            stamp_put(own + a->step[i].own, s->len, stamp_key(conn, 0, i));
    }
    for (uint32_t i = 0; i < a->script.count; i++)
        if (request_is_atomic(a->script.step[i].op) && a->home_base[!a->script.step[i].side])
            memset(a->home_base[!a->script.step[i].side], 0, WORKLOAD_ATOMIC_OCTETS);
    for (int side = 0; side < 2; side++)
        if (a->readable_base[side])
            stamp_fill(a->readable_base[side], OTHER_LEN, readable_key(conn, side));
}

static int prepare(struct workload *w, uint32_t conn)
{
    struct act *a = w->flow[conn].own;
    script_read(w->conf.script, &a->script);
    int result = prepare_side(w, conn, 0);
    if (result == IW_OK)
        result = prepare_side(w, conn, 1);
    if (result == IW_OK)
        result = post_receives(w, conn);
    stamp_all(w, conn);
    return result;
}

/* ---- posting ---- */

/* `beyond`: eight octets further than the region goes; Atomics stay aligned. */
static uint64_t remote_to(const struct act *a, const struct script_step *s, const struct progress *p)
{
    bool home = s->memory == SCRIPT_HOME;
    uint64_t end = a->home_len[!s->side] + 8;
    if (s->beyond && home)
        return HOME_TO + (request_is_atomic(s->op) ? (end + 7) / 8 * 8 : end) - s->len;
    if (s->beyond)
        return (uint64_t)OTHER_TO + OTHER_LEN - s->len / 2;
    return home ? HOME_TO + p->there : OTHER_TO;
}

static void post_step(struct workload *w, uint64_t now, uint32_t conn, uint32_t i)
{
    struct act *a = w->flow[conn].own;
    const struct script_step *s = &a->script.step[i];
    struct progress *p = &a->step[i];
    struct iw_work work = {
        .id = i, .op = s->op, .sges = s->len > 0, .flags = (uint8_t)(s->fence ? IW_FENCE : 0)};
    work.sge[0] = (struct iw_sge){a->own[s->side], s->len, OWN_TO + p->own};
    if (request_is_atomic(s->op)) {
        work.sges = 0;
        work.atomic = s->atomic;
    }
    bool names = !request_is_send(s->op) || s->op == IW_SEND_INV || s->op == IW_SEND_SE_INV;
    work.remote_stag = names ? a->stag[!s->side][s->memory] : 0;
    work.remote_to = request_is_send(s->op) ? 0 : remote_to(a, s, p);
    LAW(!p->posted && i == a->next);
    p->posted = true;
    p->m = message_posted(conn, s->side, s->op, s->len, now);
    p->m.index = i;
    int result = ask_post(w, now, conn, s->side, &work);
    if (result != IW_OK)
        flow_end(w, now, conn, result);
}

static bool step_is_over(const struct act *a, uint32_t i)
{
    return a->script.step[i].wait || (a->step[i].completed && a->step[i].arrived);
}

static bool all_over(const struct act *a, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && step_is_over(a, i))
        i++;
    LAW(i <= count && count <= SCRIPT_STEPS_MAX);
    return i == count;
}

static void go_on(struct workload *w, uint64_t now, uint32_t conn)
{
    struct workload_flow *f = &w->flow[conn];
    struct act *a = f->own;
    while (!f->ended && a->next < a->script.count) {
        if (a->script.step[a->next].wait && !all_over(a, a->next))
            return;
        if (!a->script.step[a->next].wait)
            post_step(w, now, conn, a->next);
        a->next++;
    }
    if (!f->ended && all_over(a, a->script.count))
        flow_over(w, conn);
}

/* ---- progress ---- */

static void broken(struct workload *w, uint64_t now, uint32_t conn, uint32_t i, uint64_t offset,
                   const char *law)
{
    struct act *a = w->flow[conn].own;
    struct workload_broken b = {
        .conn = conn, .side = a->script.step[i].side, .law = law, .index = i, .offset = offset};
    report_broken(w, now, &b);
}

/* Where the octets of a step begin to be others; its length: nowhere. */
static uint32_t differ(const struct act *a, uint32_t conn, uint32_t i, const uint8_t *sink)
{
    const struct script_step *s = &a->script.step[i];
    if (s->op == IW_READ && s->memory == SCRIPT_READABLE)
        return stamp_wrong(sink, s->len, readable_key(conn, !s->side)) ? 0 : s->len;
    return stamp_check(sink, s->len, stamp_key(conn, 0, i));
}

static void verify_sink(struct workload *w, uint64_t now, uint32_t conn, uint32_t i, const uint8_t *sink)
{
    struct act *a = w->flow[conn].own;
    uint32_t len = a->script.step[i].len, wrong = sink ? differ(a, conn, i, sink) : len;
    if (wrong != len)
        broken(w, now, conn, i, wrong, "memory at delivery equals what was sent");
}

static void settle_step(struct workload *w, uint64_t now, uint32_t conn, uint32_t i)
{
    struct act *a = w->flow[conn].own;
    struct workload_message *m = &a->step[i].m;
    if (!step_is_over(a, i))
        return;
    uint64_t end = request_is_asked_for(m->op) ? m->t_completed
                   : m->op == IW_WRITE         ? m->t_last_placed
                                               : m->t_delivered;
    LAW(end >= m->t_post && m->index == i);
    m->latency = end == IW_NEVER ? IW_NEVER : end - m->t_post;
    report_message(w, now, m);
    go_on(w, now, conn);
}

/* The operations of all steps that reach that side, a bit each. */
static unsigned reached_by(const struct act *a, int side)
{
    unsigned ops = 0;
    for (uint32_t i = 0; i < a->script.count; i++)
        if (!a->script.step[i].wait && a->script.step[i].side != side)
            ops |= 1u << a->script.step[i].op;
    return ops;
}

/* Is what a Read finds at home written by nobody? */
static bool is_still(const struct act *a, int side)
{
    return !(reached_by(a, side) & (1u << IW_WRITE | 1u << IW_FETCH_ADD | 1u << IW_CMP_SWAP));
}

/* Law: Atomics are done in the order posted, each once. */
static void atomic_done(struct workload *w, uint64_t now, uint32_t conn, uint32_t i, uint64_t original)
{
    struct act *a = w->flow[conn].own;
    const struct script_step *s = &a->script.step[i];
    uint64_t *number = &a->number[!s->side];
    if (s->memory != SCRIPT_HOME || !a->home_base[!s->side] || reached_by(a, !s->side) & 1u << IW_WRITE)
        return;
    if (original != *number)
        broken(w, now, conn, i, 0, "an Atomic finds the number that the one before it left");
    if (s->op == IW_FETCH_ADD)
        *number += s->atomic.data;
    else if (*number == s->atomic.compare)
        *number = s->atomic.data;
}

static void received(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_done *done)
{
    struct act *a = w->flow[conn].own;
    uint32_t i = (uint32_t)done->id;
    struct progress *p = &a->step[i];
    if (done->status != IW_OK)
        return; /* the events of the stream tell */
    if (!p->posted || p->arrived || done->len != a->script.step[i].len) {
        broken(w, now, conn, i, 0, "a receive completes once, in order, with the length sent");
        return;
    }
    p->arrived = true;
    a->received[side]++;
    LAW(a->received[side] <= a->next && p->m.index == i); /* only what was posted arrives */
    if (a->recv_base[side])
        verify_sink(w, now, conn, i, a->recv_base[side] + p->there);
    settle_step(w, now, conn, i);
}

static void done(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_done *d)
{
    struct workload_flow *f = &w->flow[conn];
    struct act *a = f->own;
    if (f->ended || d->id >= a->script.count)
        return;
    if (d->op == IW_RECV) {
        received(w, now, conn, side, d);
        return;
    }
    struct progress *p = &a->step[d->id];
    if (d->status != IW_OK) {
        flow_end(w, now, conn, d->status);
        return;
    }
    LAW(p->posted && p->m.t_post <= now);
    p->completed = true;
    p->m.t_completed = now;
    if (request_is_atomic(p->m.op)) {
        p->arrived = true;
        atomic_done(w, now, conn, (uint32_t)d->id, d->rsvdulp);
    }
    if (p->m.op == IW_READ) {
        p->arrived = true;
        if (a->own_base[side] && is_still(a, !side))
            verify_sink(w, now, conn, (uint32_t)d->id, a->own_base[side] + p->own);
    }
    if (p->m.op == IW_WRITE && p->m.length == 0)
        p->arrived = true;
    settle_step(w, now, conn, (uint32_t)d->id);
}

/* The step whose octets lie there: what Writes and Reads bring, by where they were sent. */
static struct progress *step_at(struct act *a, int side, iw_stag stag, uint64_t to)
{
    for (uint32_t i = 0; i < a->script.count; i++) {
        const struct script_step *s = &a->script.step[i];
        struct progress *p = &a->step[i];
        bool write = s->op == IW_WRITE && s->side != side && stag == a->stag[side][s->memory];
        bool read = s->op == IW_READ && s->side == side && stag == a->own[side];
        uint64_t from = write ? remote_to(a, s, p) : OWN_TO + p->own;
        if (!s->wait && p->posted && (write || read) && to >= from && to - from < s->len)
            return p;
    }
    return NULL;
}

static void placed(struct workload *w, uint64_t now, uint32_t conn, int side, iw_stag stag, uint64_t to,
                   uint32_t len)
{
    struct act *a = w->flow[conn].own;
    struct progress *p = step_at(a, side, stag, to);
    if (w->flow[conn].ended || !p)
        return;
    if (len > p->m.length - p->placed) {
        broken(w, now, conn, (uint32_t)p->m.index, 0, "octets are placed once");
        return;
    }
    p->placed += len;
    LAW(p->placed <= p->m.length && p->posted);
    p->m.t_first_placed = p->m.t_first_placed == IW_NEVER ? now : p->m.t_first_placed;
    if (p->placed < p->m.length)
        return;
    p->m.t_last_placed = now;
    if (p->m.op != IW_WRITE)
        return;
    p->arrived = true;
    settle_step(w, now, conn, (uint32_t)p->m.index);
}

static void delivered(struct workload *w, uint64_t now, uint32_t conn, int side,
                      const struct iw_message *message)
{
    struct act *a = w->flow[conn].own;
    bool send = message->ctl.opcode >= RDMAP_SEND && message->ctl.opcode <= RDMAP_SEND_SE_INV;
    for (uint32_t i = 0; i < a->script.count && !w->flow[conn].ended; i++) {
        const struct script_step *s = &a->script.step[i];
        bool mine =
            !s->wait && s->side != side && request_is_send(s->op) == send && !request_is_asked_for(s->op);
        if (!mine || a->step[i].m.t_delivered != IW_NEVER || !a->step[i].posted)
            continue;
        if (send || message->ctl.opcode == RDMAP_WRITE)
            a->step[i].m.t_delivered = now;
        return;
    }
}

/* ---- the kind ---- */

static uint64_t octets(const struct workload_conf *conf)
{
    struct script script;
    uint64_t n = 0;
    if (script_read(conf->script, &script))
        return 0;
    for (uint32_t i = 0; i < script.count; i++)
        n += script.step[i].len;
    return n;
}

static uint64_t messages(const struct workload_conf *conf)
{
    struct script script;
    return script_read(conf->script, &script) ? 1 : script.count;
}

static void ended(struct workload *w, uint64_t now, uint32_t conn, int status)
{
    struct act *a = w->flow[conn].own;
    for (uint32_t i = 0; i < a->script.count; i++) {
        if (!a->step[i].posted || step_is_over(a, i))
            continue;
        a->step[i].m.status = status;
        report_message(w, now, &a->step[i].m);
    }
}

static const char *error(const struct workload_conf *conf)
{
    struct script script;
    return script_read(conf->script, &script);
}

static bool atomics(const struct workload_conf *conf)
{
    struct script script;
    return !script_read(conf->script, &script) && script_has_atomics(&script);
}

const struct workload_rule kind_script = {
    .what = "a few messages over one connection, written down one by one in workload.script",
    .pairs = talks_one,
    .pair = talk_one,
    .demand = {SCRIPT_STEPS_MAX, SCRIPT_STEPS_MAX, 8},
    .error = error,
    .atomics = atomics,
    .own = sizeof(struct act),
    .octets = octets,
    .messages = messages,
    .prepare = prepare,
    .start = go_on,
    .done = done,
    .placed = placed,
    .delivered = delivered,
    .ended = ended,
    .waits_for = "a step of its script"};
