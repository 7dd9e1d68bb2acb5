/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/capture/fates.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/list.h"
#include "helpers/base/tree.h"
#include "helpers/capture/flow.h"

static bool no_memory(char *error)
{
    snprintf(error, CAPTURE_ERROR_MAX, "out of memory");
    return false;
}

/* ---- the packets of a capture ---- */

#define NOBODY UINT32_MAX

enum {
    COPY_WITHIN = 4096,       /* packets: later, a copy is taken for a retransmission */
    NEVER_CAME_MOST = 1 << 16 /* packets in one hole: a sequence number that is wrong makes more */
};

/* One packet with data. */
struct heard {
    int64_t time_ns, offset;
    int64_t acked; /* by the other end until then: an offset */
    uint32_t seq, len, stamp;
    uint16_t ident;
    bool stamped;
};

struct heard_half {
    struct heard *packet;
    size_t count;
    uint64_t octets;
    int64_t acked;           /* the most of it that the other end said */
    int64_t asked, answered; /* when the other end sent a SYN, and this one its answer; 0: not seen */
};

struct heard_conn {
    struct flow flow;
    bool known; /* it is in the list */
    struct heard_half half[2];
};

struct heard_all {
    struct flow_table *flows;
    struct heard_conn **conn;
    size_t conns;
};

static void forget_heard(struct heard_all *a)
{
    for (size_t i = 0; i < a->conns; i++) {
        free(a->conn[i]->half[0].packet);
        free(a->conn[i]->half[1].packet);
        free(a->conn[i]);
    }
    free(a->conn);
    flow_table_free(a->flows, NULL, NULL);
    *a = (struct heard_all){0};
}

/* The connection of a segment, new ones behind the others. NULL: out of memory. */
static struct heard_conn *conn_of(struct heard_all *a, const struct capture_segment *s, int *side)
{
    struct flow *replaced;
    void *list = list_grow(a->conn, a->conns, sizeof *a->conn);
    a->conn = list ? list : a->conn;
    struct heard_conn *c = list ? (struct heard_conn *)flow_find(a->flows, s, side, &replaced) : NULL;
    if (c && !c->known)
        a->conn[a->conns++] = c;
    if (c)
        c->known = true;
    return c;
}

static void hear_trip(struct heard_conn *c, const struct capture_segment *s, int side)
{
    if (c->half[side].asked && !c->half[side].answered)
        c->half[side].answered = s->time_ns + 1;
    if (s->flags & TCP_SYN)
        c->half[!side].asked = s->time_ns + 1;
}

static bool hear_data(struct heard_half *h, struct flow_half *flow, const struct capture_segment *s)
{
    void *list = list_grow(h->packet, h->count, sizeof *h->packet);
    if (!list)
        return false;
    h->packet = list;
    if (!flow->based)
        flow_base(flow, s->seq);
    uint32_t len = s->len + s->missing;
    int64_t offset = flow_offset(flow, s->seq);
    if (offset + len > (int64_t)flow->edge)
        flow->edge = (uint64_t)(offset + len);
    h->octets += len;
    h->packet[h->count++] = (struct heard){.time_ns = s->time_ns,
                                           .offset = offset,
                                           .acked = h->acked,
                                           .seq = s->seq,
                                           .len = len,
                                           .stamp = s->stamp,
                                           .ident = s->ident,
                                           .stamped = s->stamped};
    return true;
}

static bool hear_segment(struct heard_all *a, const struct capture_segment *s)
{
    int side;
    struct heard_conn *c = conn_of(a, s, &side);
    if (!c)
        return false;
    hear_trip(c, s, side);
    struct flow_half *back = &c->flow.half[!side];
    if (s->flags & TCP_ACK && back->based) {
        int64_t acked = flow_offset(back, s->ack);
        if (acked > c->half[!side].acked)
            c->half[!side].acked = acked;
    }
    return s->len + s->missing == 0 || hear_data(&c->half[side], &c->flow.half[side], s);
}

static bool hear_all(struct capture *capture, struct heard_all *a, char *error)
{
    struct capture_segment s;
    int got;
    *a = (struct heard_all){.flows = flow_table_new(sizeof(struct heard_conn))};
    if (!a->flows)
        return no_memory(error);
    while ((got = capture_take(capture, &s, error)) == 1)
        if (!hear_segment(a, &s))
            return no_memory(error);
    return got == 0;
}

/* ---- which of them ---- */

static bool has_data(const struct heard_conn *c)
{
    return c->half[0].count + c->half[1].count > 0;
}

static int busier(const struct heard_conn *c)
{
    return c->half[1].octets > c->half[0].octets;
}

/* The connection asked for, and in `*side` the end that said more. */
static const struct heard_conn *choose(const struct heard_all *a, int conn, int *side, struct fates *out,
                                       char *error)
{
    const struct heard_conn *best = NULL;
    for (size_t i = 0; i < a->conns; i++) {
        const struct heard_conn *c = a->conn[i];
        if (!has_data(c))
            continue;
        out->conns++;
        bool more = !best || c->half[busier(c)].octets > best->half[busier(best)].octets;
        if (conn ? out->conns == conn : more) {
            best = c;
            out->conn = out->conns;
        }
    }
    if (!best) {
        snprintf(error, CAPTURE_ERROR_MAX, "of %d TCP connections with data in it none is number %d",
                 out->conns, conn);
        if (!out->conns)
            snprintf(error, CAPTURE_ERROR_MAX, "no TCP connection in it has data");
        return NULL;
    }
    *side = busier(best);
    out->from = best->flow.end[*side];
    out->to = best->flow.end[!*side];
    return best;
}

/* The same direction in another capture. */
static const struct heard_half *find_half(const struct heard_all *a, const struct fates *of)
{
    const struct heard_half *found = NULL;
    for (size_t i = 0; i < a->conns; i++)
        for (int side = 0; side < 2; side++) {
            const struct heard_conn *c = a->conn[i];
            bool same = memcmp(&c->flow.end[side], &of->from, sizeof of->from) == 0 &&
                        memcmp(&c->flow.end[!side], &of->to, sizeof of->to) == 0;
            if (same && (!found || c->half[side].octets > found->octets))
                found = &c->half[side];
        }
    return found;
}

/* ---- who overtook whom ---- */

/* One packet in the order sent: when it left, when it came. */
struct passage {
    int64_t left_ns, came_ns; /* left: 0 where nobody knows */
    uint32_t turn;            /* among those that came, from 0; NOBODY: it did not */
    bool twice;
};

/* Numbers below `count`, and how many of them are at most `number` (Fenwick's tree). */
static uint32_t count_up_to(const uint32_t *tree, size_t number)
{
    uint32_t sum = 0;
    for (size_t k = number + 1; k; k &= k - 1)
        sum += tree[k];
    return sum;
}

static void count_one(uint32_t *tree, size_t count, size_t number)
{
    for (size_t k = number + 1; k <= count; k += k & -k)
        tree[k]++;
}

/* For each that came: how many came before it and were sent after it; the first of them has the lowest turn. `tree` is all zero;
 * furthest[turn]: the one sent last among those that came so far. */
static void overtake_in(const struct passage *p, size_t count, struct fates_packet *out, uint32_t *by_turn,
                        uint32_t *tree, int64_t *furthest)
{
    size_t came = 0;
    for (size_t i = 0; i < count; i++)
        if (p[i].turn != NOBODY) {
            by_turn[p[i].turn] = (uint32_t)i;
            came++;
        }
    for (size_t turn = 0; turn < came; turn++) {
        uint32_t i = by_turn[turn];
        out[i].overtaken = (uint32_t)turn - count_up_to(tree, i);
        count_one(tree, count, i);
        furthest[turn] = turn && furthest[turn - 1] > i ? furthest[turn - 1] : i;
        if (!out[i].overtaken)
            continue;
        const struct passage *first = &p[by_turn[list_above(furthest, turn, sizeof *furthest, i)]];
        int64_t late = (p[i].came_ns - p[i].left_ns) - (first->came_ns - first->left_ns);
        out[i].late_ns = late > 0 ? (uint64_t)late : 0;
    }
}

static bool overtake(const struct passage *p, size_t count, struct fates_packet *out)
{
    uint32_t *by_turn = malloc((count + 1) * sizeof *by_turn), *tree = calloc(count + 1, sizeof *tree);
    int64_t *furthest = malloc((count + 1) * sizeof *furthest);
    bool good = by_turn && tree && furthest;
    if (good)
        overtake_in(p, count, out, by_turn, tree, furthest);
    free(by_turn);
    free(tree);
    free(furthest);
    return good;
}

static bool settle_fates(const struct passage *p, size_t count, struct fates *out, char *error)
{
    out->packets = calloc(count + 1, sizeof *out->packets);
    out->count = count;
    if (!out->packets || !overtake(p, count, out->packets))
        return no_memory(error);
    for (size_t i = 0; i < count; i++) {
        out->packets[i].lost = p[i].turn == NOBODY;
        out->packets[i].twice = p[i].twice;
    }
    return true;
}

/* ---- two captures ---- */

/* A packet of either, to be sorted so that the same ones stand together. */
struct match {
    const struct heard *h;
    uint32_t index;
    bool received;
    int64_t latest; /* that one of its group was sent, from the second up to it */
};

static int by_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_looks(const struct heard *a, const struct heard *b)
{
    int order = by_number(a->seq, b->seq);
    order = order ? order : by_number(a->len, b->len);
    order = order ? order : by_number(a->ident, b->ident);
    return order ? order : by_number(a->stamp, b->stamp);
}

static int by_match(const void *a, const void *b)
{
    const struct match *x = a, *y = b;
    int order = by_looks(x->h, y->h);
    order = order ? order : by_number(x->received, y->received);
    return order ? order : by_number(x->index, y->index);
}

/* Those that look alike: so many sent, then so many received. */
struct group {
    const struct match *sent, *received;
    size_t sents, receiveds;
};

static struct group group_at(const struct match *m, const struct match *end)
{
    struct group g = {.sent = m};
    const struct heard *like = m->h;
    for (; m < end && by_looks(m->h, like) == 0 && !m->received; m++)
        g.sents++;
    g.received = m;
    for (; m < end && by_looks(m->h, like) == 0; m++)
        g.receiveds++;
    return g;
}

/* The least from one clock to the other of those that are what they seem; INT64_MAX: there is none. */
static int64_t shortest_of(const struct match *m, const struct match *end)
{
    int64_t least = INT64_MAX;
    while (m < end) {
        struct group g = group_at(m, end);
        if (g.sents == 1 && g.receiveds) {
            int64_t took = g.received->h->time_ns - g.sent->h->time_ns;
            least = took < least ? took : least;
        }
        m += g.sents + g.receiveds;
    }
    return least;
}

/* The last of a group that could have come by then. */
static size_t sent_by(const struct group *g, int64_t then)
{
    return list_above(&g->sent[1].latest, g->sents - 1, sizeof *g->sent, then);
}

/* Each that was received is of the last that could have come by then; where none is missing, in their order. */
static void pair(const struct group *g, int64_t shortest, struct passage *p)
{
    for (size_t r = 0; r < g->receiveds; r++) {
        size_t s = g->sents == g->receiveds ? r : sent_by(g, g->received[r].h->time_ns - shortest);
        struct passage *x = &p[g->sent[s].index];
        if (x->turn != NOBODY) {
            x->twice = true;
            continue;
        }
        x->turn = g->received[r].index;
        x->came_ns = g->received[r].h->time_ns;
    }
}

static int by_turn(const void *a, const void *b)
{
    return by_number((*(struct passage *const *)a)->turn, (*(struct passage *const *)b)->turn);
}

/* Of those sent that look alike, when the latest left; the first can always have come. */
static void note_latest(struct match *m, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool begins = i < 2 || by_looks(m[i - 1].h, m[i].h) || by_looks(m[i - 2].h, m[i].h);
        m[i].latest = begins || m[i - 1].latest < m[i].h->time_ns ? m[i].h->time_ns : m[i - 1].latest;
    }
}

/* Turns count the packets that came, copies and strangers left out. */
static bool number_turns(struct passage *p, size_t count)
{
    struct passage **came = malloc((count + 1) * sizeof *came);
    size_t n = 0;
    for (size_t i = 0; came && i < count; i++)
        if (p[i].turn != NOBODY)
            came[n++] = &p[i];
    if (came)
        qsort(came, n, sizeof *came, by_turn);
    for (size_t i = 0; i < n; i++)
        came[i]->turn = (uint32_t)i;
    free(came);
    return came != NULL;
}

static bool match_all(const struct heard_half *sent, const struct heard_half *received, struct match *m,
                      struct passage *p, struct fates *out, char *error)
{
    size_t n = 0;
    int64_t top = 0;
    for (size_t i = 0; i < sent->count; i++) {
        const struct heard *h = &sent->packet[i];
        m[n++] = (struct match){.h = h, .index = (uint32_t)i};
        p[i] = (struct passage){.left_ns = sent->packet[i].time_ns, .turn = NOBODY};
        out->resent += h->offset < top;
        top = h->offset + h->len > top ? h->offset + h->len : top;
    }
    for (size_t i = 0; i < received->count; i++)
        m[n++] = (struct match){.h = &received->packet[i], .index = (uint32_t)i, .received = true};
    qsort(m, n, sizeof *m, by_match);
    note_latest(m, n);
    int64_t shortest = shortest_of(m, m + n);
    for (size_t i = 0; i < n;) {
        struct group g = group_at(m + i, m + n);
        i += g.sents + g.receiveds;
        out->strange += g.sents ? 0 : g.receiveds;
        out->alike += g.sents > 1 && g.sents != g.receiveds ? g.sents : 0;
        if (g.sents)
            pair(&g, shortest == INT64_MAX ? 0 : shortest, p);
    }
    if (shortest != INT64_MAX && out->strange * 2 <= received->count)
        return true;
    snprintf(
        error, CAPTURE_ERROR_MAX,
        "%llu of the %zu packets received are not in the capture of the sender: capture both ends of one "
        "connection, without segmentation offload (ethtool -K DEVICE tso off gso off gro off)",
        (unsigned long long)out->strange, received->count);
    return false;
}

/* Captures begin and end at different times. */
static bool cut_ends(struct passage *p, size_t count, struct fates *out, char *error)
{
    size_t first = 0, end = count;
    while (first < end && p[first].turn == NOBODY)
        first++;
    while (end > first && p[end - 1].turn == NOBODY)
        end--;
    out->outside = count - (end - first);
    return number_turns(p, count) ? settle_fates(p + first, end - first, out, error) : no_memory(error);
}

static bool compare_halves(const struct heard_half *sent, const struct heard_half *received,
                           struct fates *out, char *error)
{
    struct match *m = malloc((sent->count + received->count + 1) * sizeof *m);
    struct passage *p = malloc((sent->count + 1) * sizeof *p);
    bool good = m && p ? match_all(sent, received, m, p, out, error) && cut_ends(p, sent->count, out, error)
                       : no_memory(error);
    free(m);
    free(p);
    return good;
}

bool fates_of_two(struct capture *sent, struct capture *received, int conn, struct fates *out, char *error)
{
    struct heard_all from, to;
    int side;
    *out = (struct fates){0};
    bool good = hear_all(sent, &from, error);
    if (!hear_all(received, &to, error))
        good = false;
    const struct heard_conn *c = good ? choose(&from, conn, &side, out, error) : NULL;
    const struct heard_half *half = c ? find_half(&to, out) : NULL;
    if (c && !half)
        snprintf(error, CAPTURE_ERROR_MAX, "the second capture has no packet of that connection");
    good = half && compare_halves(&c->half[side], half, out, error);
    forget_heard(&from);
    forget_heard(&to);
    return good;
}

/* ---- the sender's capture alone ---- */

/* New octets in their order, and the last packet that had them. */
struct range {
    int64_t offset, end;
    uint32_t last;
};

/* What is sent again is taken for lost, unless it had been acknowledged: a probe. */
static void count_resent(struct range *r, size_t ranges, const struct heard *h, uint32_t index,
                         struct passage *p)
{
    size_t i = list_above(&r->end, ranges, sizeof *r, h->offset);
    for (; i < ranges && r[i].offset < h->offset + h->len; i++) {
        if (r[i].end > h->acked)
            p[r[i].last].turn = NOBODY;
        r[i].last = index;
    }
}

static bool from_sender(const struct heard_half *h, struct fates *out, char *error)
{
    struct range *r = malloc((h->count + 1) * sizeof *r);
    struct passage *p = malloc((h->count + 1) * sizeof *p);
    int64_t top = 0;
    size_t ranges = 0;
    for (size_t i = 0; r && p && i < h->count; i++) {
        const struct heard *x = &h->packet[i];
        int64_t end = x->offset + x->len;
        p[i] = (struct passage){.left_ns = x->time_ns, .turn = (uint32_t)i};
        if (x->offset < top) {
            out->resent++;
            count_resent(r, ranges, x, (uint32_t)i, p);
        }
        if (end > top) {
            r[ranges++] = (struct range){x->offset > top ? x->offset : top, end, (uint32_t)i};
            top = end;
        }
    }
    bool good =
        r && p && number_turns(p, h->count) ? settle_fates(p, h->count, out, error) : no_memory(error);
    free(r);
    free(p);
    return good;
}

/* ---- the receiver's capture alone ---- */

/* What is known of one packet that was sent: `at` puts them in that order, `sub` those that have the same. */
struct known {
    int64_t at;
    uint32_t sub;
    struct passage passage;
    const struct heard *heard;  /* NULL: it never came, and */
    const struct heard *filler; /* what came in its place; NULL: nothing */
};

struct hole {
    struct tree_node node; /* its key is order_of_offset(end) */
    int64_t offset, end;
    const struct heard *behind; /* the first that came from behind it */
};

struct listener {
    const struct heard_half *half;
    int64_t trip; /* 0: not known */
    struct known *known;
    size_t count;
    struct tree_node *holes;
    int64_t top;
    uint32_t turn, usual; /* octets of a full packet */
    struct fates *out;
};

static bool know(struct listener *l, int64_t at, const struct heard *h, bool came)
{
    void *list = list_grow(l->known, l->count, sizeof *l->known);
    if (!list)
        return false;
    l->known = list;
    l->known[l->count] = (struct known){.at = at, .sub = (uint32_t)l->count, .heard = h};
    l->known[l->count].passage =
        (struct passage){.came_ns = h ? h->time_ns : 0, .turn = came ? l->turn++ : NOBODY};
    l->count++;
    return true;
}

/* Offsets, which may lie before 0, as numbers in the same order. */
static uint64_t order_of_offset(int64_t offset)
{
    return (uint64_t)offset ^ (uint64_t)INT64_MIN;
}

static bool open_hole(struct listener *l, int64_t offset, int64_t end, const struct heard *behind)
{
    struct hole *hole = malloc(sizeof *hole);
    if (!hole)
        return false;
    *hole =
        (struct hole){.node = {.key = order_of_offset(end)}, .offset = offset, .end = end, .behind = behind};
    tree_insert(&l->holes, &hole->node);
    return true;
}

static void forget_hole(struct listener *l, struct hole *hole)
{
    tree_remove(&l->holes, &hole->node);
    free(hole);
}

/* The first hole that some of these octets are in. */
static struct hole *hole_of(const struct listener *l, const struct heard *h)
{
    struct hole *hole = (struct hole *)tree_above(l->holes, order_of_offset(h->offset));
    return hole && hole->offset < h->offset + h->len ? hole : NULL;
}

/* Take these octets out of the hole; the rest is one, two or none. */
static bool fill_hole(struct listener *l, struct hole *hole, int64_t offset, int64_t end)
{
    int64_t start = hole->offset;
    const struct heard *behind = hole->behind;
    hole->offset = end;
    if (hole->offset == hole->end)
        forget_hole(l, hole);
    return offset == start || open_hole(l, start, offset, behind);
}

/* Which was sent first, as stamps or else identifications say: below 0 the first one; 0: nobody knows. */
static int32_t by_sender(const struct heard *a, const struct heard *b)
{
    int32_t stamp = (int32_t)(a->stamp - b->stamp);
    return a->stamped && b->stamped && stamp ? stamp : (int16_t)(a->ident - b->ident);
}

/* Was it sent after the one that came from behind the hole? */
static bool was_sent_again(struct listener *l, const struct heard *h, const struct heard *behind)
{
    int32_t order = by_sender(h, behind);
    if (order)
        return order > 0;
    if (l->trip)
        l->out->by_trip++;
    else
        l->out->guessed++;
    return l->trip && h->time_ns - behind->time_ns >= l->trip;
}

/* Octets that came before: of a copy of the same packet; of a retransmission, and this is what was thought lost; or of
 * what was sent again for nothing. */
static bool hear_again(struct listener *l, const struct heard *h)
{
    for (size_t i = l->count; i-- > 0;) {
        struct known *k = &l->known[i];
        if (k->heard && by_looks(k->heard, h) == 0 && (h->ident || h->stamped)) {
            k->passage.twice = true;
            return true;
        }
        if (k->filler && k->at == h->offset && by_sender(h, k->filler) < 0) {
            k->heard = h;
            k->filler = NULL;
            k->passage.came_ns = h->time_ns;
            k->passage.turn = l->turn++;
            return true;
        }
        if (l->count - i >= COPY_WITHIN)
            break;
    }
    l->out->resent++;
    return know(l, l->top, h, true);
}

static bool hear_filler(struct listener *l, struct hole *hole, const struct heard *h)
{
    int64_t end = h->offset + h->len < hole->end ? h->offset + h->len : hole->end;
    int64_t offset = h->offset > hole->offset ? h->offset : hole->offset;
    bool again = was_sent_again(l, h, hole->behind);
    if (!fill_hole(l, hole, offset, end))
        return false;
    if (!again)
        return know(l, offset, h, true);
    l->out->resent++;
    if (!know(l, offset, NULL, false))
        return false;
    l->known[l->count - 1].filler = h;
    return know(l, l->top, h, true);
}

static bool hear_one(struct listener *l, const struct heard *h)
{
    int64_t end = h->offset + h->len;
    l->usual = h->len > l->usual ? h->len : l->usual;
    if (h->offset < l->top) {
        struct hole *hole = hole_of(l, h);
        return hole ? hear_filler(l, hole, h) : hear_again(l, h);
    }
    if (h->offset > l->top && !open_hole(l, l->top, h->offset, h))
        return false;
    l->top = end;
    return know(l, h->offset, h, true);
}

/* What never came was lost; or it came, since it was acknowledged, and was not captured. */
static bool close_hole(struct listener *l, const struct hole *hole)
{
    int64_t packets = (hole->end - hole->offset + l->usual - 1) / l->usual;
    if (l->half->acked > hole->offset) {
        l->out->uncaught += (uint64_t)packets;
        return true;
    }
    for (int64_t i = 0; i < packets && i < NEVER_CAME_MOST; i++)
        if (!know(l, hole->offset + i * l->usual, NULL, false))
            return false;
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : by_number(x->sub, y->sub);
}

static bool listen_to_all(struct listener *l)
{
    for (size_t i = 0; i < l->half->count; i++)
        if (!hear_one(l, &l->half->packet[i]))
            return false;
    for (struct hole *hole; (hole = (struct hole *)tree_above(l->holes, 0)); forget_hole(l, hole))
        if (!close_hole(l, hole))
            return false;
    if (l->count)
        qsort(l->known, l->count, sizeof *l->known, by_place);
    return true;
}

static bool from_receiver(const struct heard_half *h, struct fates *out, char *error)
{
    struct listener l = {.half = h, .out = out};
    l.trip = h->asked && h->answered > h->asked ? h->answered - h->asked : 0;
    struct passage *p = listen_to_all(&l) ? malloc((l.count + 1) * sizeof *p) : NULL;
    for (size_t i = 0; p && i < l.count; i++)
        p[i] = l.known[i].passage;
    bool good = p ? settle_fates(p, l.count, out, error) : no_memory(error);
    free(p);
    free(l.known);
    while (l.holes)
        forget_hole(&l, (struct hole *)l.holes);
    return good;
}

bool fates_of_one(struct capture *capture, enum fates_side at, int conn, struct fates *out, char *error)
{
    struct heard_all all;
    int side;
    *out = (struct fates){0};
    const struct heard_conn *c =
        hear_all(capture, &all, error) ? choose(&all, conn, &side, out, error) : NULL;
    bool good = c && (at == FATES_SENDER ? from_sender(&c->half[side], out, error)
                                         : from_receiver(&c->half[side], out, error));
    forget_heard(&all);
    return good;
}
