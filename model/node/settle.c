/* SPDX-License-Identifier: GPL-2.0-or-later */
/* settle.c -- after anything has happened to a connection: what the lower layer says, what the endpoints want of it, the
 * end of a stream, and when somebody must run again. */
#include "engine/least.h"
#include "node/node_inner.h"

/* ---- what the lower layer says ---- */

static void up(struct node *n, struct node_connection *c, struct node_stream *s, const struct llp_event *e)
{
    if (s->up)
        return;
    LAW(!s->down && !s->pulled && !s->placing);
    s->up = c->up = true;
    s->next_key = c->llp->key(c->l, s->llp_stream);
    s->edge = iw_delivered_edge(s->ep);
    window_up(n, s);
    iw_set_mulpdu(s->ep, c->llp->mulpdu(c->l, s->llp_stream));
    iw_set_read_depth(s->ep, e->ord, e->ird);
    rnic_connected(n->nic, s->number);
    iw_enable(s->ep, n->now, e->wait_first ? IW_WAIT_FIRST : 0);
    receive_deliver(n, s, c->llp->edge(c->l, s->llp_stream)); /* the first segment is in order at its key */
    node_tell(n, s, &(struct node_event){.kind = NODE_UP});
}

static void failed(struct node *n, struct node_connection *c, struct node_stream *s,
                   const struct llp_event *e)
{
    (void)s;
    for (uint32_t i = c->first; i < c->first + c->streams && !c->failed; i++)
        node_tell(n, n->stream[i], &(struct node_event){.kind = NODE_FAILED, .term = e->term});
    c->failed = true;
}

/* The lower layer has ended; what came before is in place first, and its acknowledgements are heard. */
static void down(struct node *n, struct node_connection *c, struct node_stream *s, const struct llp_event *e)
{
    (void)n;
    (void)c;
    (void)e;
    s->ending = true;
}

static void lost(struct node *n, struct node_connection *c, struct node_stream *s, const struct llp_event *e)
{
    (void)s;
    if (!n->stream[c->first]->up)
        failed(n, c, n->stream[c->first], e);
    settle_lost(n, c);
}

static void report_event(struct node *n, const struct node_stream *s, const struct llp_event *e,
                         enum node_event_kind kind, bool spurious)
{
    struct node_event x = {.kind = kind, .key = e->key, .end = e->end, .spurious = spurious};
    if (kind == NODE_RETRANSMITTED)
        x.reason = e->reason;
    node_tell(n, s, &x);
}

/* What the lower layer does of its own is told as it is. */
static const struct {
    enum node_event_kind kind;
    bool spurious;
} own[LLP_EV_KINDS] = {[LLP_EV_SENT] = {NODE_SENT, false},
                       [LLP_EV_RETRANSMITTED] = {NODE_RETRANSMITTED, false},
                       [LLP_EV_SPURIOUS] = {NODE_SPURIOUS, true},
                       [LLP_EV_TIMEOUT] = {NODE_TIMEOUT, false},
                       [LLP_EV_TIMEOUT_SPURIOUS] = {NODE_TIMEOUT, true},
                       [LLP_EV_UNDONE] = {NODE_UNDONE, false},
                       [LLP_EV_STALLED] = {NODE_STALLED, false},
                       [LLP_EV_PROBE] = {NODE_PROBED, false}};

void settle_hear(struct node *n, struct node_connection *c)
{
    typedef void listener(struct node *, struct node_connection *, struct node_stream *,
                          const struct llp_event *);
    static listener *const listeners[LLP_EV_KINDS] = {
        [LLP_EV_UP] = up,
        [LLP_EV_FAILED] = failed,
        [LLP_EV_DOWN] = down,
        [LLP_EV_LOST] = lost,
    };
    struct llp_event e;
    c->asked = false;
    while (!c->gone && c->llp->event(c->l, &e)) {
        struct node_stream *s = n->stream[c->first + e.stream];
        c->news |= listeners[e.kind] != NULL;
        if (listeners[e.kind])
            listeners[e.kind](n, c, s, &e);
        else if (own[e.kind].kind && node_hears(n, own[e.kind].kind))
            report_event(n, s, &e, own[e.kind].kind, own[e.kind].spurious);
    }
}

/* ---- the end ---- */

void settle_fault(struct node *n, struct node_stream *s, int term)
{
    node_tell(n, s, &(struct node_event){.kind = NODE_FAULT, .term = term});
}

/* Nothing more will come of this stream, nor go: nothing of it waits. */
static void forget_stream(struct node *n, struct node_connection *c, struct node_stream *s)
{
    transmit_forget(n, s);
    path_unhold(n, c, s, UINT64_MAX);
    path_read(n, c);
}

static void forget_tracked(struct node_connection *c)
{
    for (uint32_t i = 0; i < c->streams; i++) {
        struct llp_track *t = c->llp->track(c->l, (uint16_t)i);
        if (t)
            llp_track_end(t);
    }
}

void settle_lost(struct node *n, struct node_connection *c)
{
    c->gone = true;
    forget_tracked(c);
    for (uint32_t i = c->first; i < c->first + c->streams; i++) {
        struct node_stream *s = n->stream[i];
        if (!s->down) {
            s->down = true;
            iw_llp(s->ep, n->now, IW_LLP_LOST);
        }
        forget_stream(n, c, s);
    }
}

static void close_stream(const struct node *n, struct node_connection *c, const struct node_stream *s,
                         enum iw_llp_want how)
{
    c->asked = true;
    c->llp->close(c->l, n->now, s->llp_stream, how);
}

/* Both halves end here and now. */
static void reset(struct node *n, struct node_connection *c, struct node_stream *s)
{
    s->down = true;
    close_stream(n, c, s, IW_LLP_SEND_RST);
    forget_stream(n, c, s);
}

static void tell_event(struct node *n, struct node_stream *s, const struct iw_event *event)
{
    struct node_event e = {.kind = NODE_ENDPOINT};
    node_endpoint_of(&e.event, event);
    node_tell(n, s, &e);
}

static bool tell_events(struct node *n, struct node_stream *s)
{
    struct iw_event event;
    bool some = false;
    for (; iw_event(s->ep, &event); some = true) {
        s->ended |= event.kind == IW_EV_FATAL || event.kind == IW_EV_TERMINATE_RECEIVED;
        tell_event(n, s, &event);
    }
    return some;
}

/* The first error ends a stream. */
static void llp_fault(struct node *n, struct node_stream *s, int term)
{
    tell_events(n, s);
    if (!s->ended)
        settle_fault(n, s, term);
}

/* The stream's error, when everything before it is in place. */
static void check_failure(struct node *n, struct node_stream *s)
{
    int failure = s->failure;
    if (s->placing)
        return;
    LAW(s->deaf);
    s->failure = 0;
    llp_fault(n, s, failure);
    iw_llp_failed(s->ep, n->now, failure);
}

/* The peer's end, when everything before it is in place; inside a segment it is a loss. */
static void end_came(struct node *n, struct node_connection *c, struct node_stream *s, enum llp_end end)
{
    s->fin_told = true;
    if (end == LLP_FIN) {
        iw_llp(s->ep, n->now, IW_LLP_FIN);
        return;
    }
    llp_fault(n, s, IW_T_LLP_LOST);
    iw_llp(s->ep, n->now, IW_LLP_LOST);
    reset(n, c, s); /* or the peer would wait for ever */
}

static inline void check_end(struct node *n, struct node_connection *c, struct node_stream *s)
{
    enum llp_end end = s->fin_told || s->placing ? LLP_OPEN : c->llp->ended(c->l, s->llp_stream);
    if (end != LLP_OPEN)
        end_came(n, c, s, end);
}

static void carry_out_request(struct node *n, struct node_connection *c, struct node_stream *s)
{
    enum iw_llp_want want = iw_llp_request(s->ep);
    if (want != IW_LLP_NOTHING)
        node_tell(n, s, &(struct node_event){.kind = NODE_CLOSED, .term = (int)want});
    if (want == IW_LLP_SEND_RST) {
        reset(n, c, s); /* the endpoint is closed already */
        return;
    }
    s->fin_asked |= want == IW_LLP_SEND_FIN;
    if (s->fin_asked && !s->fin_sent && !s->reading) {
        LAW(!s->down);
        s->fin_sent = true;
        close_stream(n, c, s, IW_LLP_SEND_FIN);
    }
}

/* ---- what holds the next octet back ---- */

static enum node_bound bound_by_llp(const struct node *n, const struct node_connection *c)
{
    static const enum node_bound bounds[] = {[LLP_FREE] = NODE_BY_LINE,
                                             [LLP_BY_WINDOW] = NODE_BY_WINDOW,
                                             [LLP_BY_CONGESTION] = NODE_BY_CONGESTION,
                                             [LLP_BY_SEND_BUFFER] = NODE_BY_SEND_BUFFER,
                                             [LLP_BY_PACING] = NODE_BY_CONGESTION,
                                             [LLP_BY_FLIGHT] = NODE_BY_FLIGHT,
                                             [LLP_BY_TRACK] = NODE_BY_TRACK,
                                             [LLP_IDLE] = NODE_BY_NOTHING};
    return bounds[c->llp->bound(c->l, n->now)];
}

static inline enum node_bound bound_of(const struct node *n, const struct node_connection *c,
                                       const struct node_stream *s, enum node_bound below)
{
    static const enum node_bound waits[] = {
        [IW_WAITS_NOTHING] = NODE_BY_NOTHING, [IW_WAITS_ORD] = NODE_BY_ORD, [IW_WAITS_PEER] = NODE_BY_DEPTH};
    if (!s->up || s->down || c->gone)
        return NODE_BY_NOTHING;
    if (below != NODE_BY_NOTHING && below != NODE_BY_LINE)
        return below;
    bool inside = s->hearing || s->fetching || s->reading || c->inside;
    if (inside && !n->lane[c->lane].out)
        return NODE_BY_ADAPTER;
    if (inside || below == NODE_BY_LINE || iw_has_work(s->ep))
        return NODE_BY_LINE;
    return waits[iw_waits(s->ep)];
}

static void tell_bound(const struct node *n, struct node_stream *s, enum node_bound bound)
{
    s->bound = bound;
    node_tell(n, s, &(struct node_event){.kind = NODE_BOUND, .bound = bound});
}

void settle_all_bounds(struct node *n, const struct node_connection *c)
{
    enum node_bound below = c->up && !c->gone ? bound_by_llp(n, c) : NODE_BY_NOTHING;
    struct node_stream *const *s = &n->stream[c->first];
    uint32_t left = c->streams;
    do {
        enum node_bound bound = bound_of(n, c, *s, below);
        if (bound != (*s)->bound)
            tell_bound(n, *s, bound);
    } while (s++, --left);
}

/* ---- time ---- */

static inline iw_time deadline_of(const struct node *n, const struct node_connection *c)
{
    iw_time at = c->gone ? IW_NEVER : c->llp->deadline(c->l);
    struct node_stream *const *s = &n->stream[c->first];
    uint32_t left = c->streams;
    do {
        if ((*s)->up && !(*s)->down)
            at = least(at, iw_deadline((*s)->ep));
    } while (s++, --left);
    return at;
}

/* One entry that is not too late stands in the agenda; when it comes too early it is put again. */
static inline void keep_timer(struct node *n, struct node_connection *c)
{
    iw_time at = deadline_of(n, c);
    if (at >= c->timer)
        return;
    c->timer = at;
    LAW(at != IW_NEVER);
    agenda_put_value(n, at, AGENDA_TIMER, c->number, at);
}

void settle_timer(struct node *n, struct node_connection *c)
{
    keep_timer(n, c);
}

/* ---- one stream ---- */

static void check_acked(struct node *n, struct node_connection *c, struct node_stream *s)
{
    uint64_t acked = c->llp->acked(c->l, s->llp_stream);
    LAW(acked >= s->acked && acked <= s->next_key + s->fin_sent); /* only what was sent is acknowledged */
    if (acked != s->acked)
        iw_note_acked(s->ep, n->now, acked);
    s->acked = acked;
}

static void check_down(struct node *n, struct node_connection *c, struct node_stream *s)
{
    if (!s->ending || s->down || s->placing || s->kept)
        return;
    s->down = true;
    iw_llp(s->ep, n->now, IW_LLP_DOWN);
    forget_stream(n, c, s);
}

void settle_endpoint(struct node *n, struct node_stream *s)
{
    struct node_connection *c = connection_of(n, s);
    if (!iw_has_news(s->ep) || !tell_events(n, s))
        return;
    if (!s->down && !c->gone)
        carry_out_request(n, c, s);
    tell_events(n, s);
    complete_collect(n, c);
    transmit_wants(n, c);
    keep_timer(n, c);
}

/* Neither its endpoint nor a FIN that waited for the last segment wants anything. */
static bool is_quiet(const struct node_stream *s)
{
    bool fin = s->fin_asked && !s->fin_sent && !s->reading;
    return !fin && !iw_has_news(s->ep);
}

/* What has come for it. */
static inline void check_stream(struct node *n, struct node_connection *c, struct node_stream *s)
{
    if (!s->up || s->down || c->gone)
        return;
    check_acked(n, c, s);
    if (s->failure)
        check_failure(n, s);
    check_end(n, c, s);
    check_down(n, c, s);
}

/* What it wants. */
static void serve_stream(struct node *n, struct node_connection *c, struct node_stream *s)
{
    if (is_quiet(s))
        return;
    if (!s->down && !c->gone)
        carry_out_request(n, c, s);
    tell_events(n, s);
}

static inline void settle_stream(struct node *n, struct node_connection *c, struct node_stream *s, bool news)
{
    if (news)
        check_stream(n, c, s);
    serve_stream(n, c, s);
}

/* From the stream behind the one that pulled last, so that none starves where there is room for one segment only. */
static void make_ready(struct node *n, const struct node_connection *c)
{
    struct node_stream *const *s = &n->stream[c->first];
    for (uint32_t i = c->turn, end = i + c->streams; i < end; i++)
        transmit_ready(n, s[i < c->streams ? i : i - c->streams]);
}

static void settle_streams(struct node *n, struct node_connection *c)
{
    bool news = c->news;
    c->news = false;
    struct node_stream *const *s = &n->stream[c->first];
    for (uint32_t i = 0; i < c->streams; i++)
        settle_stream(n, c, s[i], news);
    make_ready(n, c);
}

/* What the streams asked for was done. */
static void settle_again(struct node *n, struct node_connection *c)
{
    if (c->asked)
        settle_hear(n, c);
    if (c->news)
        settle_streams(n, c);
}

void settle_now(struct node *n, struct node_connection *c, bool pump)
{
    const struct llp_face *below = c->l;
    if (below->told || c->asked)
        settle_hear(n, c);
    if (c->streams == 1) { /* all but SCTP */
        bool news = c->news;
        struct node_stream *s = n->stream[c->first];
        c->news = false;
        settle_stream(n, c, s, news);
        transmit_ready(n, s);
    } else {
        settle_streams(n, c);
    }
    if (c->asked || c->news)
        settle_again(n, c);
    complete_collect(n, c);
    if (!c->gone) {
        window_open(n, c);
        transmit_wants(n, c);
    }
    if (pump)
        transmit_pump(n);
    settle_bounds(n, c);
    keep_timer(n, c);
}

void settle_answer(struct node *n, struct node_connection *c)
{
    const struct llp_face *below = c->l;
    if (below->told || c->asked || c->news || c->freed || n->ahead) {
        settle_now(n, c, n->ahead);
        return;
    }
    transmit_wants(n, c);
    keep_timer(n, c);
}

void node_settle(struct node *n, struct node_connection *c)
{
    c->news = true;
    settle_now(n, c, n->ahead);
}

void settle_expire(struct node *n, struct node_connection *c)
{
    c->timer = IW_NEVER;
    if (!c->gone && c->llp->deadline(c->l) <= n->now)
        c->llp->expire(c->l, n->now);
    for (uint32_t i = c->first; i < c->first + c->streams; i++)
        if (n->stream[i]->up && !n->stream[i]->down && iw_deadline(n->stream[i]->ep) <= n->now)
            iw_expire(n->stream[i]->ep, n->now);
    node_settle(n, c);
}
