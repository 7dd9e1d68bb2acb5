/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node.c -- configuration, memory, connections, the workload's calls, time. */
#include "node/node.h"

#include <string.h>

#include "engine/carve.h"
#include "engine/least.h"
#include "node/node_inner.h"

enum { ASKED_OF_NODE = 1280 /* octets: as far as the stages of its adapter */, ASKED_MAX = 4096 };

#define PS_PER_S UINT64_C(1000000000000)
enum { AT_FIRST = 4 }; /* entries of a table that grows */

/* ---- the block ---- */

const char *node_conf_error(const struct node_conf *c)
{
    if (!c->streams || !c->connections || c->streams < c->connections)
        return "streams and connections must not be 0, nor streams fewer than connections";
    if (!c->regions_max || !iw_stags_size(c->regions_max))
        return "regions_max out of range";
    if (c->shared_receives && !iw_srq_size(c->shared_receives))
        return "shared_receives out of range";
    if (!c->cq_entries)
        return "cq_entries must not be 0";
    if (!c->line_rate || !c->mtu)
        return "line_rate and mtu must not be 0";
    if (c->ports > NODE_PORTS_MAX)
        return "a node has at most eight ports";
    if (!c->memory.more)
        return "a node needs memory beyond its block";
    return tenants_error(c);
}

/* A completion queue and what goes with it: one for nobody's streams, one for each group that there may be. */
static void carve_cq(struct node *n, struct carve *c, uint32_t group)
{
    const struct node_conf *conf = &n->conf;
    uint32_t room = conf->cq_entries < AT_FIRST ? conf->cq_entries : AT_FIRST, made = conf->cq_entries;
    if (!conf->shared_receives && conf->streams < made / AT_FIRST)
        made = conf->streams * AT_FIRST;
    void *cq = carve(c, iw_cq_size(made));
    void *ring = carve(c, room * sizeof(struct node_completion));
    void *srq = carve(c, iw_srq_size(conf->shared_receives));
    if (!c->memory)
        return;
    const struct iw_srq_conf shared = {.stags = n->stags,
                                       .buffers_max = conf->shared_receives,
                                       .pd = tenants_pd(conf, group),
                                       .trust = group + 1};
    n->cq[group] = (struct node_cq){.cq = iw_cq_init(cq, made, group + 1),
                                    .room = made,
                                    .srq = conf->shared_receives ? iw_srq_init(srq, &shared) : NULL};
    completions_init(&n->cq[group].done, ring, room, conf->rnic, n->cq[group].cq);
}

/* One walk serves both to size the block and to fill it. */
static void carve_node(struct node *n, struct carve *c)
{
    const struct node_conf *conf = &n->conf;
    void *pipes = carve(c, conf->rnic->tx.queues * sizeof(struct node_pipe));
    void *streams = carve(c, conf->streams * sizeof(struct node_stream *));
    void *connections = carve(c, conf->connections * sizeof(struct node_connection *));
    void *cqs = carve(c, (conf->tenants + 1) * sizeof(struct node_cq));
    void *nic = carve_line(c, rnic_size(conf->rnic, conf->streams));
    void *tenants = carve(c, conf->tenants * sizeof(struct node_tenant));
    void *prm = carve(c, tenants_size(conf));
    void *stags =
        carve_line(c, iw_stags_size(conf->regions_max)); /* used from its beginning, as is what follows */
    if (c->memory) {
        n->nic = rnic_init(nic, conf->rnic, conf->streams, conf->stall_key);
        n->stags = iw_stags_init(stags, conf->regions_max, conf->stag_key);
        n->cq = cqs;
        tenants_init(n, tenants, prm);
        n->stream = streams;
        n->pipe = memset(pipes, 0, conf->rnic->tx.queues * sizeof(struct node_pipe));
        n->connection = connections;
    }
    for (uint32_t group = 0; group <= conf->tenants; group++)
        carve_cq(n, c, group);
}

size_t node_size(const struct node_conf *conf)
{
    struct node n = {.conf = *conf};
    struct carve c = {0};
    if (node_conf_error(conf))
        return 0;
    carve(&c, sizeof n);
    carve_node(&n, &c);
    return c.used;
}

struct node *node_init(void *memory, const struct node_conf *conf)
{
    struct node *n = memory;
    struct carve c = {.memory = memory};
    if (node_conf_error(conf))
        return NULL;
    *n = (struct node){.conf = *conf, .cells.memory = conf->memory, .agenda.first = IW_NEVER};
    carve(&c, sizeof *n);
    carve_node(n, &c);
    const struct rnic_conf *rnic = rnic_configuration(n->nic);
    uint64_t path = rnic_path_of(rnic);
    n->path = node_paths[path];
    n->track_pool.bits = rnic->track.pool;
    n->pipelines = (uint32_t)rnic->tx.queues;
    n->ahead = rnic_ahead(n->nic, conf->line_rate, conf->mtu);
    n->straight = rnic_is_instant(n->nic) && !n->ahead && !rnic_path_is(path, RNIC_BY_CPU) &&
                  rnic->read_order == RNIC_READS_ONE_BY_ONE;
    LAW(c.used == node_size(conf)); /* what was carved is what was asked for */
    n->conf.rnic = NULL;            /* copied; it need not live on */
    if (!conf->listener)
        n->conf.unheard = UINT32_MAX;
    return n;
}

/* ---- connections ---- */

static struct llp_conf llp_conf_of(struct node *n, const struct node_connection_conf *conf)
{
    struct llp_conf c = conf->conf;
    uint64_t receive = rnic_path_of(rnic_configuration(n->nic));
    c.in_order = rnic_path_is(receive, RNIC_IN_ORDER);
    c.go_back |= rnic_path_is(receive, RNIC_GOES_BACK);
    c.memory = n->conf.memory;
    c.pacer = &n->pacer;
    c.track.pool = &n->track_pool;
    c.quiet = !node_hears(n, NODE_SENT);
    return c;
}

static struct iw_conf ep_conf_of(const struct node *n, const struct node_connection_conf *conf, uint32_t i)
{
    struct iw_conf e = conf->ep;
    bool digest = conf->conf.crc || conf->llp->protocol == IP_PROTOCOL_SCTP;
    e.stags = n->stags;
    const struct node_cq *q = tenant_cq(n, conf->tenant);
    e.send_cq = e.recv_cq = q->cq;
    e.srq = q->srq;
    e.user = conf->user[i];
    e.trust = (uint32_t)(q - n->cq) + 1;
    e.pd = conf->tenant ? n->conf.tenant[conf->tenant - 1].pd : e.pd;
    e.stream += i;
    e.mulpdu = LLP_MULPDU_LEAST; /* until the stream is up */
    e.at_first = AT_FIRST;
    e.llp = digest ? IW_LLP_ALL : IW_LLP_ALL & ~(unsigned)IW_LLP_DIGEST;
    e.profile |= n->conf.profile | (digest ? 0u : IW_NO_DIGEST);
    if (e.profile & IW_DDP_ONLY && !e.queues)
        e.queue[e.queues++] = (struct iw_queue_conf){.qn = 0, .max = e.rq_max};
    return e;
}

/* What a connection is made from, and octets of its lower layer and of each of its endpoints; 0: refused. */
struct plan {
    const struct node_connection_conf *conf;
    struct llp_conf llp;
    struct iw_conf ep; /* of the first stream */
    size_t lower, endpoint;
};

static const char *refusal(const struct node *n, const struct plan *p)
{
    if (n->connections == n->conf.connections || n->streams + p->llp.streams > n->conf.streams)
        return "more connections or streams than the node was made for";
    return p->lower ? iw_conf_error(&p->ep) : p->conf->llp->conf_error(&p->llp);
}

static uint8_t lane_of(const struct node *n, const struct node_connection_conf *conf)
{
    bool one = n->conf.ports > 1 && conf->port != NODE_ANY_PORT;
    LAW(!one || conf->port < n->conf.ports);
    return (uint8_t)(one ? 1 + conf->port : LANE_ANY);
}

/* One block for the connection, its lower layer, its streams and their endpoints. */
static void lay_out_connection(struct node *n, struct carve *k, const struct plan *p,
                               struct node_connection **made)
{
    const struct node_connection_conf *conf = p->conf;
    struct node_connection *c = carve(k, sizeof *c);
    void *l = carve_line(k, p->lower);
    if (k->memory) {
        *c = (struct node_connection){.llp = conf->llp,
                                      .cq = tenant_cq(n, conf->tenant),
                                      .completed = tenant_cq(n, conf->tenant)->cq,
                                      .number = n->connections,
                                      .world_number = conf->number,
                                      .first = n->streams,
                                      .streams = p->llp.streams,
                                      .initiator = p->llp.initiator,
                                      .lane = lane_of(n, conf),
                                      .timer = IW_NEVER};
        c->l = llp_init(conf->llp, l, &p->llp);
        *made = c;
    }
    for (uint32_t i = 0; i < p->llp.streams; i++) {
        struct node_stream *s = carve_line(k, sizeof *s);
        void *block = carve_line(k, p->endpoint);
        if (!k->memory)
            continue;
        struct iw_conf ep = ep_conf_of(n, conf, i);
        *s = (struct node_stream){.number = n->streams + i,
                                  .pipeline = rnic_pipeline(rnic_configuration(n->nic), n->streams + i),
                                  .connection = n->connections,
                                  .user = conf->user[i],
                                  .tenant = conf->tenant,
                                  .llp_stream = (uint16_t)i,
                                  .bound = NODE_BY_NOTHING,
                                  .ep = iw_ep_init(block, &ep)};
        n->stream[s->number] = s;
    }
}

/* What windows are measured with. */
static uint32_t full_of(const struct llp *l, const struct llp_conf *conf)
{
    struct llp_form form = llp_form_of(conf);
    struct llp_sizes sizes;
    l->sizes(&form, &sizes);
    return sizes.full;
}

/* Stream contexts, and for each the inbound Reads that it may have: of no other stream (RDMAP-8.1.2-7). */
static int take_streams(struct node *n, const struct node_connection_conf *conf, uint32_t streams)
{
    uint32_t reads = streams * conf->ep.ird;
    if (tenant_take(n, conf->tenant, IW_PRM_ENDPOINTS, streams) != IW_OK)
        return IW_EQUOTA;
    if (tenant_take(n, conf->tenant, IW_PRM_READ_SLOTS, reads) == IW_OK)
        return IW_OK;
    tenant_give(n, conf->tenant, IW_PRM_ENDPOINTS, streams);
    return IW_EQUOTA;
}

int node_connect(struct node *n, const struct node_connection_conf *conf, uint32_t *connection,
                 uint32_t *stream, const char **why)
{
    struct plan p = {.conf = conf, .llp = llp_conf_of(n, conf), .ep = ep_conf_of(n, conf, 0)};
    struct node_connection *c = NULL;
    struct carve k = {0};
    p.lower = llp_size(conf->llp, &p.llp);
    p.endpoint = iw_ep_size(&p.ep);
    *why = refusal(n, &p);
    if (*why)
        return IW_EINVAL;
    *why = "its tenant may have no more streams, or no more inbound Reads";
    if (take_streams(n, conf, p.llp.streams) != IW_OK)
        return IW_EQUOTA;
    lay_out_connection(n, &k, &p, NULL);
    k = (struct carve){.memory = n->conf.memory.more(n->conf.memory.user, k.used)};
    *why = "no memory for a connection";
    if (!k.memory)
        return IW_EFULL;
    lay_out_connection(n, &k, &p, &c);
    *connection = n->connections;
    *stream = n->streams;
    n->connection[n->connections++] = c;
    n->streams += c->streams;
    LAW(n->streams <= n->conf.streams && n->stream[n->streams - 1]->connection == c->number);
    c->room = (uint32_t)least(k.used, ASKED_MAX);
    n->waits |= p.ep.profile & IW_RECOVER;
    if (p.ep.profile & IW_DDP_ONLY) /* its receives have their room */
        complete_expect(n, c->cq, n->conf.cq_entries);
    window_init(n, c, full_of(conf->llp, &p.llp));
    window_offer(n, c);
    return IW_OK;
}

void node_open(struct node *n, iw_time now, uint32_t connection)
{
    struct node_connection *c = n->connection[connection];
    node_moves_to(n, now);
    c->llp->open(c->l, n->now);
    node_settle(n, c);
}

void node_lose(struct node *n, iw_time now, uint32_t connection)
{
    struct node_connection *c = n->connection[connection];
    node_moves_to(n, now);
    if (!c->gone)
        settle_lost(n, c);
    node_settle(n, c);
}

/* ---- the workload ---- */

struct iw_stags *node_stags(struct node *n)
{
    return n->stags;
}

struct iw_ep *node_endpoint(struct node *n, uint32_t stream)
{
    return n->stream[stream]->ep;
}

uint32_t node_make_room(struct node *n, struct iw_ep *ep, enum iw_table table)
{
    uint32_t entries = iw_table_wants(ep, table);
    void *memory = entries ? n->conf.memory.more(n->conf.memory.user, iw_table_octets(table, entries)) : NULL;
    n->no_memory |= entries && !memory;
    if (memory)
        iw_table_move(ep, table, memory, entries);
    return entries;
}

int node_post(struct node *n, iw_time now, uint32_t stream, const struct iw_work *work)
{
    struct node_stream *s = n->stream[stream];
    struct node_cq *q = connection_of(n, s)->cq;
    node_moves_to(n, now);
    uint32_t more = node_make_room(n, s->ep, work->op == IW_RECV ? IW_TABLE_RECEIVES : IW_TABLE_SENDS);
    if (more)
        complete_expect(n, q, q->room + more);
    if (step_is_asked(work->op))
        node_make_room(n, s->ep, IW_TABLE_READS_OUT);
    int result = tenant_take(n, s->tenant, IW_PRM_CQ_ENTRIES, 1);
    if (result != IW_OK)
        return result;
    result = iw_post(s->ep, n->now, work);
    if (result != IW_OK) {
        tenant_give(n, s->tenant, IW_PRM_CQ_ENTRIES, 1);
        return result;
    }
    if (work->op == IW_RECV) {
        rnic_post_recv(n->nic, n->now);
        receive_again(n, s);
    } else {
        transmit_post(n, s, step_octets(work));
    }
    node_settle(n, connection_of(n, s));
    return result;
}

/* Only with IW_RECOVER does anybody wait for a buffer. */
int node_post_shared(struct node *n, iw_time now, uint32_t tenant, const struct iw_work *work)
{
    node_moves_to(n, now);
    int result = iw_srq_post(tenant_cq(n, tenant)->srq, work);
    if (result != IW_OK)
        return result;
    tenant_give(n, tenant, IW_PRM_RECV_BUFFERS, 1);
    rnic_post_recv(n->nic, n->now);
    for (uint32_t i = 0; n->waits && i < n->streams; i++) {
        receive_again(n, n->stream[i]);
        node_settle(n, connection_of(n, n->stream[i]));
    }
    return IW_OK;
}

const struct iw_srq *node_shared_receives(const struct node *n, uint32_t tenant)
{
    return tenant_cq(n, tenant)->srq;
}

int node_close(struct node *n, iw_time now, uint32_t stream, enum iw_close_how how)
{
    struct node_stream *s = n->stream[stream];
    node_moves_to(n, now);
    int result = iw_close(s->ep, n->now, how);
    node_settle(n, connection_of(n, s));
    return result;
}

int node_terminate(struct node *n, iw_time now, uint32_t stream, int term)
{
    struct node_stream *s = n->stream[stream];
    node_moves_to(n, now);
    int result = iw_terminate(s->ep, n->now, term);
    node_settle(n, connection_of(n, s));
    return result;
}

int node_inject(struct node *n, iw_time now, uint32_t stream, enum llp_wrong how, const uint8_t *ulpdu,
                uint32_t len)
{
    struct node_stream *s = n->stream[stream];
    const struct node_connection *c = connection_of(n, s);
    bool markers = c->llp->markers && c->llp->markers(c->l);
    node_moves_to(n, now);
    if (!len || len > NODE_WRONG_MAX || (how == LLP_WRONG_MARKER && !markers))
        return IW_EINVAL;
    return transmit_inject(n, s, how, ulpdu, len);
}

/* ---- time ---- */

iw_time node_deadline(const struct node *n)
{
    return agenda_deadline(&n->agenda);
}

static void on_stream(struct node *n, const struct node_agenda_item *i)
{
    struct node_stream *s = n->stream[i->number];
    switch (i->kind) {
    case AGENDA_HEARD: transmit_heard(n, s, (uint32_t)i->what.value); break;
    case AGENDA_KNOWN: transmit_known(n, s); break;
    default: window_consumed(n, s); break;
    }
}

static void on_packet(struct node *n, const struct node_agenda_item *i)
{
    switch (i->kind) {
    case AGENDA_READ: transmit_read(n, i->what.cell); break;
    case AGENDA_REREAD: transmit_reread(n, i->what.cell); break;
    case AGENDA_OUT: transmit_out(n, i->what.cell); break;
    case AGENDA_RECEIVED: receive_accept(n, i->what.cell); break;
    case AGENDA_PLACED: path_placed(n, i->what.cell); break;
    default: path_in_kernel(n, i->what.cell); break;
    }
}

static void on_connection(struct node *n, const struct node_agenda_item *i)
{
    struct node_connection *c = n->connection[i->number];
    if (i->kind == AGENDA_READER)
        path_reader(n, c);
    else if (c->timer == i->what.value)
        settle_expire(n, c);
}

static void on_completion(struct node *n, const struct node_agenda_item *i)
{
    struct node_cq *q = &n->cq[i->number];
    switch (i->kind) {
    case AGENDA_VISIBLE: complete_visible(n, q); break;
    case AGENDA_LOOK: complete_look(n, q, i->what.value); break;
    case AGENDA_OVERFLOW: tenants_overflow(n, q); break;
    default: complete_shown(n, q); break;
    }
}

void node_expire(struct node *n, iw_time now)
{
    typedef void handler(struct node *, const struct node_agenda_item *);
    static handler *const handlers[AGENDA_KINDS] = {
        [AGENDA_HEARD] = on_stream,     [AGENDA_KNOWN] = on_stream,       [AGENDA_READ] = on_packet,
        [AGENDA_REREAD] = on_packet,    [AGENDA_OUT] = on_packet,         [AGENDA_RECEIVED] = on_packet,
        [AGENDA_PLACED] = on_packet,    [AGENDA_KERNEL] = on_packet,      [AGENDA_READER] = on_connection,
        [AGENDA_CONSUMED] = on_stream,  [AGENDA_VISIBLE] = on_completion, [AGENDA_LOOK] = on_completion,
        [AGENDA_SHOWN] = on_completion, [AGENDA_TIMER] = on_connection,   [AGENDA_OVERFLOW] = on_completion,
    };
    struct node_agenda_item item;
    node_moves_to(n, now);
    while (agenda_take(n, &item))
        handlers[item.kind](n, &item);
    transmit_pump(n);
}

void node_expect(const struct node *n)
{
    ask_for(n, ASKED_OF_NODE);
}

void node_expect_packet(const struct node *n, uint32_t connection)
{
    ask_for(n->connection[connection], n->connection[connection]->room);
}

/* ---- looking on ---- */

/* Law: of the members in the union a kind has at most the one that its row names; all else is 0. */
static bool has_no_member(const struct node_event *e)
{
    const unsigned bare = 1u << NODE_UP | 1u << NODE_HELD | 1u << NODE_SNAPSHOT | 1u << NODE_EDGE |
                          1u << NODE_SENT | 1u << NODE_SPURIOUS | 1u << NODE_TIMEOUT | 1u << NODE_STALLED;
    return !(bare >> e->kind & 1) || (!e->edge && !e->term);
}

void node_tell(const struct node *n, const struct node_stream *s, struct node_event *e)
{
    if (!node_hears(n, e->kind))
        return;
    LAW(has_no_member(e)); /* a kind has at most the member that its row names; all else is 0 */
    e->t = n->now;
    e->stream = s ? s->number : 0;
    e->user = s ? s->user : e->done.user;
    n->conf.listener(n->conf.user, e);
}

void node_tell_segment(struct node *n, const struct node_stream *s, struct node_event *e,
                       const struct iw_seg *seg)
{
    n->octets = (struct node_octets){.seg = seg};
    node_seg_of(&e->seg, seg);
    node_tell(n, s, e);
    n->octets = (struct node_octets){.seg = NULL};
}

void node_tell_place(struct node *n, const struct node_stream *s, enum node_event_kind kind, bool in_order,
                     const struct iw_seg *seg, const struct iw_place *place)
{
    n->octets = (struct node_octets){.seg = seg, .address = place->address};
    node_tell(n, s,
              &(struct node_event){.kind = kind,
                                   .key = seg->key,
                                   .len = seg->payload_len,
                                   .in_order = in_order,
                                   .place = node_place_of(place)});
    n->octets = (struct node_octets){.seg = NULL};
}

struct node_octets node_told_octets(const struct node *n)
{
    return n->octets;
}

const struct rnic *node_adapter(const struct node *n)
{
    return n->nic;
}

const struct llp *node_llp(const struct node *n, uint32_t connection, void **l)
{
    *l = n->connection[connection]->l;
    return n->connection[connection]->llp;
}

uint64_t node_staging(const struct node *n, uint32_t connection)
{
    return n->connection[connection]->intake.staged;
}

uint64_t node_held(const struct node *n, uint32_t connection)
{
    return n->connection[connection]->intake.held;
}

const struct llp_track *node_track(const struct node *n, uint32_t stream)
{
    const struct node_stream *s = n->stream[stream];
    const struct node_connection *c = connection_of(n, s);
    return c->llp->track(c->l, s->llp_stream);
}

bool node_is_misled(const struct node *n, uint32_t stream)
{
    const struct node_stream *s = n->stream[stream];
    return connection_of(n, s)->altered && s->up && !s->down && !s->deaf && !s->ended;
}

const struct llp_track_pool *node_track_pool(const struct node *n)
{
    return &n->track_pool;
}

bool node_no_memory(const struct node *n)
{
    return n->no_memory;
}

struct node_counts node_counts(const struct node *n)
{
    struct node_counts counts = n->counts;
    counts.inside = n->staged;
    for (uint32_t i = 0; i < n->connections; i++)
        counts.inside += n->connection[i]->inside;
    return counts;
}

const char *node_leftover(const struct node *n)
{
    const char *left = intake_leftover(n->nic, (struct node_intake){0});
    if (left)
        return left;
    for (uint32_t i = 0; i < n->connections; i++)
        if (n->connection[i]->intake.staged || n->connection[i]->intake.held)
            return "a connection counts octets in staging or NIC memory, but none are there";
    for (uint32_t i = 0; i < n->pipelines; i++)
        if (n->pipe[i].octets)
            return "segments are left in the transmit stages";
    if (n->track_pool.used)
        return "bits are left that remember what is out of order";
    LAW(node_octets_agree(n)); /* the sums are 0 when the node is idle */
    return NULL;
}
