/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_series.c -- what a trial looks at each interval, a table each for flows, links, hosts and all flows together, and the one
 * look at its whole state. Who has neither sent nor placed anything in an interval, and has no queue, has no row of it. */
#include <stdlib.h>
#include <string.h>

#include "helpers/trial/trial_inner.h"

const char *const trial_series_names[SERIES_TABLES] = {"flow", "link", "host", "total"};
const char *const trial_series_columns[SERIES_TABLES] = {
    ("t_us,flow,goodput_gbps,rate_gbps,cwnd_bytes,flight,window_bytes,window_edge_bytes,holes,"
     "paths_used,paths_retired,credit_bytes,tracked_packets\n"),
    "t_us,link,name,rate_gbps,queue_bytes\n",
    "t_us,host,goodput_gbps,rate_gbps,staging_bytes,held_bytes\n",
    "t_us,goodput_gbps,jain\n",
};

enum { BUFFER = 1 << 15, ROW = 512, RUNS = 64, DECIMALS = 6 };
static const double fair = 0.95; /* Jain's index, of a share for each that differs little */

/* Octets of an interval are those now less those before. */
struct flow_series {
    uint64_t placed, placed_before, sent[2], sent_before[2]; /* placed: by both sides; sent: by each */
};
struct link_series {
    char name[2 * TRIAL_NAME]; /* as a cell */
    uint64_t octets, waiting;
};
struct host_series {
    uint64_t placed, placed_before, sent, sent_before;
    const struct rnic_stats *adapter; /* NULL: none is watched */
};

struct series {
    uint64_t next;
    struct flow_series *flow;
    struct link_series *link;
    struct host_series *host;
    char when[40];   /* microseconds */
    uint64_t begun;  /* when the last flow began; IW_NEVER: one has not */
    uint64_t judged; /* the end of the last interval that was judged */
    uint64_t
        fair_since; /* where the fair intervals begin that last until then; IW_NEVER: the last was not fair */
    uint64_t fair_known; /* the same of intervals after which each flow placed more octets */
    bool no_memory;
    struct rows {
        size_t used;
        char text[BUFFER]; /* to be written */
    } rows[SERIES_TABLES];
};

/* ---- rows ---- */

static void flush(struct trial *t, enum trial_series_of table)
{
    struct rows *r = &t->series->rows[table];
    if (t->files.series[table])
        fwrite(r->text, 1, r->used, t->files.series[table]);
    r->used = 0;
}

static char *write_cell_text(char *p, const char *text)
{
    size_t length = strlen(text);
    memcpy(p, text, length);
    return p + length;
}

/* Where a row begins. */
static char *begin(struct trial *t, enum trial_series_of table)
{
    struct rows *r = &t->series->rows[table];
    if (r->used + ROW > BUFFER)
        flush(t, table);
    return write_cell_text(r->text + r->used, t->series->when);
}

static void end(struct trial *t, enum trial_series_of table, char *p)
{
    struct rows *r = &t->series->rows[table];
    *p++ = '\n';
    r->used = (size_t)(p - r->text);
}

/* Octets of an interval, in Gbps. */
static char *put_rate(char *p, const struct trial *t, uint64_t octets)
{
    return cells_millionths(p, (double)octets * 8e9 / (double)t->files.interval);
}

/* ---- who is there ---- */

static void name(struct series *s, struct link_series *l, const char *text)
{
    FILE *out = fmemopen(l->name, sizeof l->name, "w");
    s->no_memory |= !out;
    if (!out)
        return;
    csv_cell(out, text);
    fclose(out);
}

static bool find_links(struct trial *t, const struct trial_network *n)
{
    struct series *s = t->series;
    if (s->link || !n->links)
        return s->link != NULL;
    s->link = calloc(n->links, sizeof *s->link);
    s->no_memory |= !s->link;
    for (uint32_t i = 0; s->link && i < n->links; i++) {
        char text[TRIAL_NAME];
        n->name(n->context, i, text);
        name(s, &s->link[i], text);
    }
    return s->link != NULL;
}

static void find_adapters(struct trial *t)
{
    for (uint32_t c = 0; c < t->connections; c++)
        for (int side = 0; side < 2; side++)
            t->series->host[trial_host(t, c, side)].adapter = t->flow[c].side[side].adapter;
}

bool series_start(struct trial *t)
{
    bool some = false;
    for (int i = 0; i < SERIES_TABLES; i++)
        some |= t->files.series[i] != NULL;
    if (!some)
        return true;
    struct series *s = t->series = calloc(1, sizeof *s);
    if (!s)
        return false;
    s->next = t->files.interval;
    s->fair_since = s->fair_known = IW_NEVER;
    s->flow = calloc(t->connections, sizeof *s->flow);
    s->host = calloc(t->point->workload.hosts, sizeof *s->host);
    return s->flow && s->host;
}

void series_end(struct trial *t)
{
    struct series *s = t->series;
    if (!s)
        return;
    for (int i = 0; i < SERIES_TABLES; i++)
        flush(t, (enum trial_series_of)i);
    free(s->flow);
    free(s->link);
    free(s->host);
    free(s);
}

/* ---- what is counted meanwhile ---- */

void series_placed(struct trial *t, uint32_t conn, int side, uint32_t octets)
{
    if (!t->series)
        return;
    t->series->flow[conn].placed += octets;
    t->series->host[trial_host(t, conn, side)].placed += octets;
}

bool trial_counts_sent(const struct trial *t)
{
    return t->series != NULL;
}

void trial_sent(struct trial *t, uint32_t conn, int side, uint32_t octets)
{
    t->series->flow[conn].sent[side] += octets;
    t->series->host[trial_host(t, conn, side)].sent += octets;
}

/* ---- looks ---- */

/* What is missing before what is here. */
static uint64_t holes(const struct trial_side *s)
{
    uint64_t run[RUNS][2], missing = 0, from = 0;
    uint32_t runs = s->llp->beyond ? s->llp->beyond(s->lower, run, RUNS) : 0;
    for (uint32_t i = 0; i < runs && i < RUNS; i++) {
        missing += run[i][0] - from;
        from = run[i][1];
    }
    return missing;
}

/* What packet transports alone have. */
static char *put_packets(char *p, const struct trial_side *from, const struct trial_side *to)
{
    const struct packet_now none = {IW_NEVER, IW_NEVER, IW_NEVER, IW_NEVER};
    bool packets = from->llp->has & LLP_PACKETS;
    struct packet_now out = packets ? packet_now_of(from->lower) : none;
    p = cells_put(p, out.values);
    p = cells_put(p, out.retired);
    p = cells_put(p, out.credit);
    return cells_put(p, packets ? packet_now_of(to->lower).tracked : none.tracked);
}

static char *put_ends(char *p, const struct trial_side *from, const struct trial_side *to)
{
    uint64_t received = to->llp->received(to->lower), edge = to->window_edge ? to->window_edge : IW_NEVER;
    struct llp_stats now;
    from->llp->statistics(from->lower, &now);
    p = cells_put(p, now.cwnd);
    p = cells_put(p, now.flight);
    p = cells_put(p, edge == IW_NEVER ? edge : edge > received ? edge - received : 0);
    p = cells_put(p, edge);
    p = cells_put(p, holes(to));
    return put_packets(p, from, to);
}

/* The sender is the side that has sent more so far. */
static uint64_t look_at_flow(struct trial *t, uint32_t conn)
{
    struct flow_series *f = &t->series->flow[conn];
    const struct trial_flow *m = &t->flow[conn];
    int sender = f->sent[1] > f->sent[0];
    uint64_t placed = f->placed - f->placed_before, sent = f->sent[sender] - f->sent_before[sender];
    if (!placed && memcmp(f->sent_before, f->sent, sizeof f->sent) == 0)
        return 0;
    char *p = cells_put(begin(t, SERIES_FLOW), conn);
    p = put_rate(p, t, placed);
    p = put_rate(p, t, sent);
    end(t, SERIES_FLOW, put_ends(p, &m->side[sender], &m->side[!sender]));
    f->placed_before = f->placed;
    memcpy(f->sent_before, f->sent, sizeof f->sent);
    return placed;
}

/* Flows are all there from when the last began until the first places its last octet: what is judged before is known. */
static void find_flows(struct trial *t)
{
    struct series *s = t->series;
    uint64_t placed = IW_NEVER;
    s->begun = 0;
    for (uint32_t i = 0; i < t->connections; i++) {
        const struct trial_flow *f = &t->flow[i];
        uint64_t last = flow_last_placed(f) == IW_NEVER ? 0 : flow_last_placed(f);
        s->begun = f->first_post > s->begun ? f->first_post : s->begun;
        placed = last < placed ? last : placed;
    }
    if (placed >= s->judged)
        s->fair_known = s->fair_since;
}

static void judge_fairness(struct trial *t, double jain)
{
    struct series *s = t->series;
    find_flows(t);
    s->judged = s->next - t->files.interval; /* trial_look() has set the next one */
    uint64_t from = s->judged - t->files.interval;
    if (jain < fair || from < s->begun)
        s->fair_since = IW_NEVER;
    else if (s->fair_since == IW_NEVER)
        s->fair_since = from;
}

/* And how fair they were (Jain, Chiu and Hawe 1984). */
static void look_at_flows(struct trial *t)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < t->connections; i++) {
        double placed = (double)look_at_flow(t, i);
        sum += placed;
        squares += placed * placed;
    }
    char *p = put_rate(begin(t, SERIES_TOTAL), t, (uint64_t)sum);
    double jain = squares > 0 ? sum * sum / ((double)t->connections * squares) : 0;
    end(t, SERIES_TOTAL, squares > 0 ? cells_millionths(p, 1e6 * jain) : cells_put(p, IW_NEVER));
    judge_fairness(t, jain);
}

void series_fill(struct trial *t)
{
    struct series *s = t->series;
    if (!s)
        return;
    find_flows(t);
    if (s->fair_known != IW_NEVER)
        t->r.fair_ps = s->fair_known - s->begun;
}

static void look_at_links(struct trial *t, const struct trial_network *n)
{
    for (uint32_t i = 0; find_links(t, n) && i < n->links; i++) {
        struct link_series *l = &t->series->link[i];
        struct trial_link_now now = n->link(n->context, i);
        if (now.octets == l->octets && !now.waiting && !l->waiting)
            continue;
        char *p = cells_put(begin(t, SERIES_LINK), i);
        *p++ = ',';
        p = put_rate(write_cell_text(p, l->name), t, now.octets - l->octets);
        end(t, SERIES_LINK, cells_put(p, now.waiting));
        l->octets = now.octets;
        l->waiting = now.waiting;
    }
}

static void look_at_hosts(struct trial *t)
{
    for (uint32_t i = 0; i < t->point->workload.hosts; i++) {
        struct host_series *h = &t->series->host[i];
        if (h->placed == h->placed_before && h->sent == h->sent_before)
            continue;
        char *p = cells_put(begin(t, SERIES_HOST), i);
        p = put_rate(p, t, h->placed - h->placed_before);
        p = put_rate(p, t, h->sent - h->sent_before);
        p = cells_put(p, h->adapter ? h->adapter->staging : IW_NEVER);
        end(t, SERIES_HOST, cells_put(p, h->adapter ? h->adapter->held : IW_NEVER));
        h->placed_before = h->placed;
        h->sent_before = h->sent;
    }
}

uint64_t trial_next_look(const struct trial *t)
{
    uint64_t state = t->files.state && !t->told_state ? t->files.state_at : IW_NEVER;
    uint64_t series = t->series ? t->series->next : IW_NEVER;
    return state < series ? state : series;
}

void trial_look(struct trial *t, uint64_t now, const struct trial_network *n)
{
    struct series *s = t->series;
    if (!s || now < s->next)
        return;
    if (s->next == t->files.interval)
        find_adapters(t);
    s->next += t->files.interval;
    value_decimal(now, DECIMALS, s->when, sizeof s->when);
    if (t->files.series[SERIES_FLOW])
        look_at_flows(t);
    if (t->files.series[SERIES_LINK])
        look_at_links(t, n);
    if (t->files.series[SERIES_HOST])
        look_at_hosts(t);
    if (s->no_memory)
        trial_no_memory(t);
}

uint64_t trial_window_edge(const struct trial *t, uint32_t conn, int side)
{
    return t->flow[conn].side[side].window_edge;
}

uint64_t trial_delivered(const struct trial *t, uint32_t conn, int side)
{
    return t->flow[conn].side[side].edge;
}

uint64_t trial_placed(const struct trial *t, uint32_t conn)
{
    return flow_bytes(&t->flow[conn]);
}

FILE *trial_state(struct trial *t, uint64_t now)
{
    if (!t->files.state || t->told_state || now < t->files.state_at)
        return NULL;
    t->told_state = t->stopped = true;
    return t->files.state;
}

bool trial_told_state(const struct trial *t)
{
    return t->told_state;
}

uint64_t trial_end(const struct trial *t)
{
    return t->over_at != IW_NEVER ? t->over_at : t->progress;
}
