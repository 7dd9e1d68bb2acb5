/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rnic_rig.h"

enum what { LINE_FREE, ARRIVE, ACCEPT, COMMIT, CONSUME, ACK, RESEND };

struct event {
    iw_time t;
    uint64_t number; /* first made, first served */
    enum what what;
    uint32_t connection, segment;
    uint64_t edge;
};

struct connection {
    uint64_t edge;               /* sender: what it may send */
    uint32_t sent, lost, *again; /* new segments sent; a list of those to send again */
    bool *arrived;               /* receiver */
    uint32_t next;               /* first segment missing */
    uint64_t backlog, consumed, told;
    struct rnic_window window;
};

struct world {
    const struct link_conf *conf;
    struct rnic *rnic;
    struct connection *connection;
    struct event *heap;
    size_t events, room;
    uint64_t made, placed, all;
    uint32_t turn;
    bool sending;
    iw_time consumer_free, half;
    struct link_result result;
};

/* ---- helpers ---- */

struct rnic_conf preset(const char *name)
{
    struct rnic_conf conf = {0};
    for (unsigned i = 0; i < rnic_presets_count; i++)
        if (strcmp(rnic_presets[i].name, name) == 0) {
            rnic_preset_load(&conf, &rnic_presets[i]);
            return conf;
        }
    fail_msg("no preset %s", name);
    return conf;
}

const struct parameter *parameter(const char *name)
{
    const struct parameter *row = parameter_find(&rnic_parameters, name);
    assert_non_null(row);
    return row;
}

struct rnic *adapter(const struct rnic_conf *conf, uint32_t connections)
{
    return rnic_init(malloc(rnic_size(conf, connections)), conf, connections, 1);
}

struct link_conf link_of(iw_time delay, enum rnic_policy policy, uint64_t bytes)
{
    struct link_conf conf = {.rnic = preset("ideal"),
                             .rate = 100 * GBPS,
                             .delay = delay,
                             .fpdu = 8960,
                             .framing = 78,
                             .ack = 78,
                             .connections = 1,
                             .segments = 4000,
                             .consume_rate = RNIC_UNLIMITED};
    conf.rnic.window.policy = policy;
    conf.rnic.window.bytes = bytes;
    return conf;
}

double takes(double octets, double bits_per_second)
{
    return octets * 8e12 / bits_per_second;
}

/* ---- events ---- */

static bool before(const struct event *a, const struct event *b)
{
    return a->t != b->t ? a->t < b->t : a->number < b->number;
}

static void at(struct world *w, iw_time t, enum what what, uint32_t connection, uint32_t segment,
               uint64_t edge)
{
    if (w->events == w->room) {
        w->room = w->room ? 2 * w->room : 1024;
        w->heap = realloc(w->heap, w->room * sizeof *w->heap);
    }
    size_t i = w->events++;
    struct event e = {t, w->made++, what, connection, segment, edge};
    for (; i && before(&e, &w->heap[(i - 1) / 2]); i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = e;
}

static struct event take(struct world *w)
{
    struct event first = w->heap[0], last = w->heap[--w->events];
    size_t i = 0;
    for (size_t child = 1; child < w->events; child = 2 * i + 1) {
        child += child + 1 < w->events && before(&w->heap[child + 1], &w->heap[child]);
        if (!before(&w->heap[child], &last))
            break;
        w->heap[i] = w->heap[child];
        i = child;
    }
    w->heap[i] = last;
    return first;
}

/* ---- the sender ---- */

static bool pick(struct world *w, struct connection *c, uint32_t *segment)
{
    if (c->lost)
        *segment = c->again[--c->lost];
    else if (c->sent < w->conf->segments && ((uint64_t)c->sent + 1) * w->conf->fpdu <= c->edge)
        *segment = c->sent++;
    else
        return false;
    return true;
}

static void pump(struct world *w, iw_time now)
{
    for (uint32_t i = 0; i < w->conf->connections && !w->sending; i++) {
        uint32_t n = (w->turn + i) % w->conf->connections, segment;
        if (!pick(w, &w->connection[n], &segment))
            continue;
        iw_time left = now + (iw_time)takes(w->conf->fpdu + w->conf->framing, (double)w->conf->rate);
        w->turn = n + 1;
        w->sending = true;
        at(w, left, LINE_FREE, 0, 0, 0);
        at(w, left + w->conf->delay, ARRIVE, n, segment, 0);
    }
}

/* ---- the receiver ---- */

static struct rnic_window_state state_of(struct world *w, struct connection *c)
{
    return (struct rnic_window_state){.next = (uint64_t)c->next * w->conf->fpdu,
                                      .backlog = c->backlog,
                                      .consumed = c->consumed,
                                      .staging = rnic_statistics(w->rnic)->staging};
}

static void acknowledge(struct world *w, iw_time now, uint32_t n)
{
    struct connection *c = &w->connection[n];
    struct rnic_window_state state = state_of(w, c);
    uint64_t field = rnic_window_advertise(&c->window, now, &state);
    uint64_t edge = state.next + (field << c->window.shift);
    w->result.edge_fell |= edge < c->told;
    w->result.field_passed |= field > 65535;
    w->result.acks++;
    c->told = edge;
    at(w, now + w->conf->delay + (iw_time)takes(w->conf->ack, (double)w->conf->rate), ACK, n, 0, edge);
}

static void update(struct world *w, iw_time now, uint32_t n)
{
    struct rnic_window_state state = state_of(w, &w->connection[n]);
    if (!rnic_window_opened(&w->connection[n].window, &state))
        return;
    w->result.updates++;
    acknowledge(w, now, n);
}

static void on_line_free(struct world *w, const struct event *e)
{
    w->sending = false;
    pump(w, e->t);
}

static void on_arrive(struct world *w, const struct event *e)
{
    iw_time t = rnic_arrive(w->rnic, e->t, e->connection, w->conf->fpdu);
    if (t == IW_NEVER)
        at(w, e->t + w->conf->delay, RESEND, e->connection, e->segment, 0);
    else
        at(w, t, ACCEPT, e->connection, e->segment, 0);
}

static void on_resend(struct world *w, const struct event *e)
{
    struct connection *c = &w->connection[e->connection];
    c->again[c->lost++] = e->segment;
    pump(w, e->t);
}

static void on_accept(struct world *w, const struct event *e)
{
    struct connection *c = &w->connection[e->connection];
    c->arrived[e->segment] = true;
    while (c->arrived[c->next])
        c->next++;
    acknowledge(w, e->t, e->connection);
    c->backlog += w->conf->fpdu;
    at(w, rnic_place(w->rnic, e->t, e->connection + 1, w->conf->fpdu), COMMIT, e->connection, e->segment, 0);
}

static void on_commit(struct world *w, const struct event *e)
{
    const struct link_conf *conf = w->conf;
    rnic_release(w->rnic, conf->fpdu);
    w->connection[e->connection].backlog -= conf->fpdu;
    if (++w->placed == w->all / 2)
        w->half = e->t;
    w->result.end = e->t;
    double work = conf->consume_rate == RNIC_UNLIMITED ? 0 : takes(conf->fpdu, (double)conf->consume_rate);
    w->consumer_free = (w->consumer_free > e->t ? w->consumer_free : e->t) + (iw_time)work;
    at(w, w->consumer_free, CONSUME, e->connection, 0, 0);
    update(w, e->t, e->connection);
}

static void on_consume(struct world *w, const struct event *e)
{
    w->connection[e->connection].consumed += w->conf->fpdu;
    update(w, e->t, e->connection);
}

static void on_ack(struct world *w, const struct event *e)
{
    struct connection *c = &w->connection[e->connection];
    c->edge = e->edge > c->edge ? e->edge : c->edge;
    pump(w, e->t);
}

/* ---- a run ---- */

static void begin(struct world *w, const struct link_conf *conf)
{
    const struct parameter *which;
    const char *error = rnic_conf_error(&conf->rnic, conf->fpdu, &which);
    if (error)
        fail_msg("%s: %s", which->name, error);
    *w = (struct world){.conf = conf,
                        .rnic = adapter(&conf->rnic, conf->connections),
                        .all = (uint64_t)conf->segments * conf->connections};
    w->connection = calloc(conf->connections, sizeof *w->connection);
    for (uint32_t n = 0; n < conf->connections; n++) {
        struct connection *c = &w->connection[n];
        c->arrived = calloc(conf->segments + 1, sizeof *c->arrived);
        c->again = calloc(conf->segments + 1, sizeof *c->again);
        rnic_window_init(&c->window, &conf->rnic.window, conf->fpdu,
                         rnic_window_shift(conf->rnic.window.bytes));
        acknowledge(w, 0, n);
    }
}

static void finish(struct world *w)
{
    struct link_result *r = &w->result;
    double half = (double)(w->all - w->all / 2) * w->conf->fpdu * 8e3;
    r->steady_gbps = half / (double)(r->end - w->half);
    r->window = rnic_window_bytes(&w->connection[0].window);
    r->stats = *rnic_statistics(w->rnic);
    r->staging_p999 = rnic_histogram_quantile(rnic_staging_histogram(w->rnic), 999, 1000);
    for (uint32_t n = 0; n < w->conf->connections; n++) {
        uint64_t excess = w->connection[n].window.excess;
        r->excess = excess > r->excess ? excess : r->excess;
        free(w->connection[n].arrived);
        free(w->connection[n].again);
    }
    free(w->connection);
    free(w->heap);
    free(w->rnic);
}

struct link_result link_run(const struct link_conf *conf)
{
    typedef void handler(struct world *, const struct event *);
    static handler *const handlers[] = {
        [LINE_FREE] = on_line_free, [ARRIVE] = on_arrive, [ACCEPT] = on_accept, [COMMIT] = on_commit,
        [CONSUME] = on_consume,     [ACK] = on_ack,       [RESEND] = on_resend};
    struct world w;
    begin(&w, conf);
    while (w.events) {
        struct event e = take(&w);
        w.result.hash = (w.result.hash ^ e.t ^ e.edge) * 1099511628211u + e.what;
        handlers[e.what](&w, &e);
    }
    assert_int_equal(w.placed, w.all);
    finish(&w);
    return w.result;
}
