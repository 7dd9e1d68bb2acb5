/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One node of a cluster: many flows, one adapter, against the exact merge of all their segments; the receive paths. */
#include <stdlib.h>
#include <string.h>

#include "simgrid/node.h"
#include "validation/support/test.h"

enum {
    SENDERS = 8,
    CHUNKS = 6,
    MESSAGE = 6 * 64 * 1024,
    SEGMENTS_MAX = 512,
    MULPDU = 1442,
    FPDU = 1448,
    WIRE = 78
};
#define US      UINT64_C(1000000)
#define LATENCY (2 * US)

/* What was told of one segment at the receiver. */
struct narration {
    bool arrived, placed, ooo;
    iw_time arrived_at, placed_at, heard; /* heard: when the world was told */
};

struct scene {
    struct grid_conf conf;
    struct grid_observer observer;
    struct rnic_conf adapter;
    struct grid_node to, from[SENDERS];
    struct grid_end end[SENDERS][2];
    struct iw_stags *stags;
    struct narration told[SENDERS][SEGMENTS_MAX];
    uint32_t delivered[SENDERS], resent, dropped, cuts, done;
    uint64_t edge[SENDERS], acked[SENDERS];
    iw_time now, acked_at;
    iw_stag stag;
};

/* ---- observer ---- */

static struct narration *told(struct scene *s, const struct grid_end *e, uint64_t key)
{
    uint64_t index = key / FPDU; /* all but the last are full */
    assert_true(index < SEGMENTS_MAX);
    return &s->told[e->conn][index];
}

static void on_resent(struct scene *s, const struct grid_end *end, const struct node_event *e)
{
    (void)end, (void)e;
    s->resent++;
}

static void on_taken(struct scene *s, const struct grid_end *end, const struct node_event *e)
{
    struct narration *t = told(s, end, e->key);
    assert_false(t->arrived);
    t->arrived = true;
    t->arrived_at = e->t;
    t->ooo = !e->in_order;
}

static void on_placed(struct scene *s, const struct grid_end *end, const struct node_event *e)
{
    struct narration *t = told(s, end, e->key);
    assert_true(t->arrived && !t->placed);
    t->placed = true;
    t->placed_at = e->t;
    t->heard = s->now;
}

static void on_delivered(struct scene *s, const struct grid_end *end, const struct node_event *e)
{
    (void)e;
    s->delivered[end->conn]++;
}

static void on_edge(struct scene *s, const struct grid_end *end, const struct node_event *e)
{
    assert_true(e->key >= s->edge[end->conn]);
    s->edge[end->conn] = e->key;
}

static void on_dropped(struct scene *s, const struct grid_end *end, const struct node_event *e)
{
    (void)end, (void)e;
    s->dropped++;
}

static void on_window(struct scene *s, const struct grid_end *end, const struct node_event *e)
{
    (void)s, (void)end;
    assert_true(e->edge > e->key);
}

static void on_told(void *context, struct grid_end *end, const struct node_event *e)
{
    static void (*const kinds[NODE_EVENTS])(struct scene *, const struct grid_end *,
                                            const struct node_event *) = {
        [NODE_RETRANSMITTED] = on_resent, [NODE_TAKEN] = on_taken, [NODE_PLACED] = on_placed,
        [NODE_DELIVERED] = on_delivered,  [NODE_EDGE] = on_edge,   [NODE_DROPPED] = on_dropped,
        [NODE_WINDOW] = on_window};
    assert_int_equal(e->user, 2 * end->conn + (uint32_t)end->side);
    if (kinds[e->kind])
        kinds[e->kind](context, end, e);
}

static void on_look(void *context, iw_time at, struct grid_end *e)
{
    (void)context, (void)at, (void)e;
}

static void on_catch_up(void *context, iw_time at, struct grid_node *node)
{
    (void)context, (void)at, (void)node;
}

static void on_acknowledge(void *context, iw_time at, struct grid_end *e, uint64_t key, uint64_t window)
{
    struct scene *s = context;
    (void)window;
    assert_true(key >= s->acked[e->conn] && key <= e->next);
    s->acked[e->conn] = key;
    s->acked_at = at;
}

static void on_done(void *context, struct grid_chunk *chunk)
{
    struct scene *s = context;
    s->done++;
    free(chunk);
}

/* ---- building ---- */

static struct iw_ep *endpoint(struct scene *s, struct grid_node *n, uint32_t conn)
{
    struct iw_conf conf = {.stags = s->stags,
                           .send_cq = n->cq,
                           .recv_cq = n->cq,
                           .pd = 1,
                           .stream = conn + 1,
                           .mulpdu = MULPDU,
                           .profile = IW_RECOVER,
                           .rq_max = 1,
                           .ord = 1,
                           .llp = IW_LLP_ALL,
                           .complete_on = IW_ON_ACK,
                           .sq_max = 4,
                           .reorder_max = SEGMENTS_MAX,
                           .linger = 1};
    struct iw_ep *ep = iw_ep_init(malloc(iw_ep_size(&conf)), &conf);
    assert_non_null(ep);
    assert_int_equal(iw_enable(ep, 0, 0), IW_OK);
    return ep;
}

static void node(struct scene *s, struct grid_node *n, uint32_t ends)
{
    *n = (struct grid_node){.conf = &s->conf, .observer = &s->observer, .due = IW_NEVER};
    n->nic = rnic_init(malloc(rnic_size(&s->adapter, ends)), &s->adapter, ends, 0);
    n->tx = n->nic;
    n->cq = iw_cq_init(malloc(iw_cq_size(256)), 256, 0);
}

static void connect(struct scene *s, uint32_t i)
{
    struct iw_work work = {.op = IW_WRITE, .sges = 1, .sge = {{s->stag, MESSAGE, 0}}, .remote_stag = s->stag};
    for (int side = 0; side < 2; side++) {
        struct grid_end *e = &s->end[i][side];
        *e = (struct grid_end){
            .node = side ? &s->to : &s->from[i], .peer = &s->end[i][!side], .conn = i, .side = side};
        e->lane = side ? i : 0;
        e->latency = e->back = LATENCY;
        e->window = s->adapter.window.bytes;
        e->ep = endpoint(s, e->node, i);
        rnic_window_init(&e->advertised, &s->adapter.window, FPDU,
                         rnic_window_shift(s->adapter.window.bytes));
    }
    assert_int_equal(iw_post(s->end[i][0].ep, 0, &work), IW_OK);
}

static struct scene *scene(const char *preset, enum rnic_receive receive)
{
    struct scene *s = calloc(1, sizeof *s);
    struct iw_region region = {.len = MESSAGE, .rights = IW_REMOTE_WRITE | IW_LOCAL_WRITE, .pd = 1};
    for (unsigned i = 0; i < rnic_presets_count; i++)
        if (strcmp(rnic_presets[i].name, preset) == 0)
            rnic_preset_load(&s->adapter, &rnic_presets[i]);
    s->adapter.receive = receive;
    s->conf = (struct grid_conf){.path = {.framing = WIRE,
                                          .octet = 80000,
                                          .recovery = 10 * US,
                                          .timeout = 1000 * US,
                                          .patience = IW_NEVER,
                                          .dupacks = 3},
                                 .receive = receive,
                                 .crc = true,
                                 .acks = {.every = 2, .timeout = 50 * US},
                                 .latency_least = LATENCY,
                                 .chunk = 64 * 1024,
                                 .messages = 2};
    s->observer = (struct grid_observer){s, on_told, on_look, on_catch_up, on_acknowledge, on_done};
    s->stags = iw_stags_init(malloc(iw_stags_size(1)), 1, 0);
    assert_int_equal(iw_register(s->stags, &region, &s->stag), IW_OK);
    node(s, &s->to, SENDERS);
    for (uint32_t i = 0; i < SENDERS; i++) {
        node(s, &s->from[i], 1);
        connect(s, i);
    }
    return s;
}

static void free_node(struct grid_node *n)
{
    free(n->nic);
    free(n->cq);
}

static void tear_down(struct scene *s)
{
    for (uint32_t i = 0; i < SENDERS; i++) {
        free_node(&s->from[i]);
        for (int side = 0; side < 2; side++) {
            free(s->end[i][side].ep);
            free(s->end[i][side].loss_process);
        }
    }
    free_node(&s->to);
    free(s->stags);
    free(s);
}

/* ---- flows ---- */

struct plan {
    iw_time start, end;
    uint32_t sender;
    struct grid_chunk *chunk;
    bool landed;
};

/* Each sender's chunks one after the other, 20 .. 60 us each, the senders apart. */
static uint32_t lay_out(struct plan *plan)
{
    uint64_t random = 99;
    uint32_t n = 0;
    for (uint32_t i = 0; i < SENDERS; i++) {
        iw_time t = i * 7 * US;
        for (uint32_t c = 0; c < CHUNKS + 1; c++, n++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            plan[n] = (struct plan){.start = t, .sender = i};
            t += 20 * US + (random >> 33) % (40 * US);
            plan[n].end = t;
        }
    }
    return n;
}

static bool cut(struct scene *s, struct plan *p)
{
    p->chunk = calloc(1, sizeof *p->chunk + 64 * sizeof(struct grid_packet));
    p->chunk->room = 64;
    p->chunk->flow.packet = p->chunk->packet;
    if (grid_cut(&s->end[p->sender][0], p->start, p->chunk) != IW_NEVER)
        return ++s->cuts;
    free(p->chunk);
    p->chunk = NULL;
    return false;
}

/* The next thing that happens: a start or an end, ends first. */
static struct plan *soonest(struct plan *plan, uint32_t n, bool *starts)
{
    struct plan *first = NULL;
    iw_time at = IW_NEVER;
    for (uint32_t i = 0; i < n; i++) {
        iw_time t = plan[i].chunk ? plan[i].end : plan[i].start;
        if (!plan[i].landed && (t < at || (t == at && plan[i].chunk))) {
            first = &plan[i];
            at = t;
        }
    }
    *starts = first && !first->chunk;
    return first;
}

/* `patient`: nothing is received before all flows have ended. */
static void play(struct scene *s, bool patient)
{
    static struct plan plan[SENDERS * (CHUNKS + 1)];
    uint32_t n = lay_out(plan);
    struct plan *p;
    bool starts;
    while ((p = soonest(plan, n, &starts))) {
        s->now = starts ? p->start : p->end;
        if (starts && cut(s, p)) {
            grid_started(p->chunk, s->now);
        } else if (starts) {
            p->landed = true;
        } else {
            grid_land(p->chunk, s->now);
            p->landed = true;
        }
        if (!patient)
            grid_receive(&s->to, s->now);
    }
    for (iw_time next; (next = grid_receive_deadline(&s->to)) != IW_NEVER;) {
        s->now = next > s->now ? next : s->now;
        grid_receive(&s->to, patient ? IW_NEVER - 1 : s->now);
    }
    grid_settle(&s->to, IW_NEVER);
}

static void expect_all(const struct scene *s)
{
    for (uint32_t i = 0; i < SENDERS; i++) {
        assert_int_equal(s->delivered[i], 1);
        assert_int_equal(s->edge[i], s->end[i][0].next_key);
        assert_int_equal(s->acked[i], s->edge[i]);
    }
    assert_int_equal(s->done, s->cuts);
    for (uint32_t i = 0; i < SENDERS; i++)
        assert_null(grid_end_leftover(&s->end[i][1]));
    assert_null(grid_node_leftover(&s->to));
    assert_int_equal(rnic_statistics(s->to.nic)->staging, 0);
    assert_int_equal(rnic_statistics(s->to.nic)->held, 0);
}

/* ---- against the exact merge ---- */

TEST(chunks_as_they_end_give_what_the_exact_merge_gives)
{
    struct scene *chunked = scene("t6", RNIC_PLACE), *exact = scene("t6", RNIC_PLACE);
    play(chunked, false);
    play(exact, true);
    expect_all(chunked);
    expect_all(exact);
    uint32_t compared = 0;
    for (uint32_t i = 0; i < SENDERS; i++)
        for (uint32_t k = 0; k < SEGMENTS_MAX && exact->told[i][k].placed; k++, compared++) {
            const struct narration *a = &chunked->told[i][k], *b = &exact->told[i][k];
            assert_int_equal(a->placed_at, b->placed_at);
            if (a->heard > a->placed_at) /* the world knows within the time of one chunk */
                assert_true(a->heard - a->placed_at <= 60 * US);
        }
    assert_true(compared > SENDERS * 250);
    assert_int_equal(rnic_statistics(chunked->to.nic)->staging_peak,
                     rnic_statistics(exact->to.nic)->staging_peak);
    tear_down(chunked);
    tear_down(exact);
}

/* Without the horizon the shared stages see another order, and the times differ: by about a chunk. */
TEST(without_the_horizon_times_are_wrong_by_a_chunk)
{
    struct scene *hasty = scene("t6", RNIC_PLACE), *exact = scene("t6", RNIC_PLACE);
    hasty->conf.latency_least = IW_NEVER / 2;
    play(hasty, false);
    play(exact, true);
    uint32_t wrong = 0;
    iw_time worst = 0;
    for (uint32_t i = 0; i < SENDERS; i++)
        for (uint32_t k = 0; k < SEGMENTS_MAX && exact->told[i][k].placed; k++) {
            iw_time a = hasty->told[i][k].placed_at, b = exact->told[i][k].placed_at;
            iw_time error = a > b ? a - b : b - a;
            wrong += error > 0;
            worst = error > worst ? error : worst;
        }
    assert_true(worst <= 60 * US + 20 * US); /* a chunk, and serving what had piled up meanwhile */
    assert_true(wrong > 100);
    tear_down(hasty);
    tear_down(exact);
}

/* ---- paths ---- */

static void roughen(struct scene *s)
{
    static const struct channel_conf conf = {
        .loss = 0.01, .duplicate = 0.02, .reorder = {.probability = 0.05, .displacement = 6}};
    for (uint32_t i = 0; i < SENDERS; i++) {
        s->end[i][0].loss_process = malloc(sizeof(struct grid_loss_process));
        grid_weather_init(s->end[i][0].loss_process, &conf, 3, 0, i, 0);
    }
}

static uint32_t out_of_order(const struct scene *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < SENDERS; i++)
        for (uint32_t k = 0; k < SEGMENTS_MAX; k++)
            n += s->told[i][k].ooo;
    return n;
}

/* The DMA write of what came ahead of its turn takes its time, too. */
static void expect_written(const struct scene *s)
{
    iw_time write = rnic_step_time(s->to.nic, RNIC_STEP_PLACE, 1);
    assert_true(write > 0);
    for (uint32_t i = 0; i < SENDERS; i++)
        for (uint32_t k = 0; k < SEGMENTS_MAX; k++)
            if (s->told[i][k].ooo)
                assert_true(s->told[i][k].placed_at >= s->told[i][k].arrived_at + write);
}

TEST(every_path_delivers_all_over_a_rough_channel)
{
    static const enum rnic_receive paths[] = {RNIC_PLACE, RNIC_HOLD, RNIC_DISCARD, RNIC_COPY};
    for (int i = 0; i < 4; i++) {
        struct scene *s = scene("t6", paths[i]);
        s->conf.path.go_back = paths[i] == RNIC_DISCARD;
        roughen(s);
        play(s, false);
        expect_all(s);
        assert_true(s->resent > 5);
        if (paths[i] == RNIC_PLACE)
            expect_written(s);
        if (paths[i] == RNIC_DISCARD)
            assert_int_equal(out_of_order(s), 0);
        else
            assert_true(out_of_order(s) > 50);
        assert_int_equal(rnic_statistics(s->to.nic)->held_peak > 0, paths[i] == RNIC_HOLD);
        assert_int_equal(rnic_statistics(s->to.nic)->copied > 0, paths[i] == RNIC_COPY);
        tear_down(s);
    }
}

TEST(full_staging_is_a_loss_and_comes_again)
{
    struct scene *s = scene("t6", RNIC_PLACE);
    s->adapter.staging_bytes = 3000;
    free_node(&s->to);
    node(s, &s->to, SENDERS);
    play(s, false);
    expect_all(s);
    assert_true(s->dropped > 10);
    assert_int_equal(s->resent, s->dropped);
    assert_true(rnic_statistics(s->to.nic)->staging_peak <= 3000);
    tear_down(s);
}

TEST(nothing_fits_nic_memory_of_nothing)
{
    struct scene *s = scene("t6", RNIC_HOLD);
    s->adapter.hold_bytes = 0;
    free_node(&s->to);
    node(s, &s->to, SENDERS);
    roughen(s);
    play(s, false);
    expect_all(s);
    assert_int_equal(rnic_statistics(s->to.nic)->held_peak, 0);
    assert_true(rnic_statistics(s->to.nic)->refused > 20);
    tear_down(s);
}

/* A segment a time, 100 us apart: none is the second of a pair, for the timer has answered the one before. */
TEST(a_lone_segment_waits_for_the_timer_each_time)
{
    struct scene *s = scene("ideal", RNIC_PLACE);
    s->conf.exact = true;
    s->conf.chunk = 1;
    for (int i = 0; i < 4; i++) {
        struct plan p = {.start = s->now};
        assert_true(cut(s, &p));
        grid_started(p.chunk, s->now);
        iw_time arrived = grid_land(p.chunk, s->now + US).last;
        grid_receive(&s->to, arrived);
        assert_int_equal(s->acked_at, arrived + 50 * US);
        s->now += 100 * US;
    }
    tear_down(s);
}

static struct grid_chunk *chunk_of(struct scene *s, uint32_t sender)
{
    struct plan p = {.sender = sender, .start = s->now};
    assert_true(cut(s, &p));
    return p.chunk;
}

/* What an altered segment is refused for by its CRC comes again as it was. */
TEST(an_altered_segment_is_refused_once)
{
    static const struct channel_conf alters = {.corrupt = 0.02};
    struct scene *s = scene("t6", RNIC_PLACE);
    s->conf.crc_drop = true;
    for (uint32_t i = 0; i < SENDERS; i++) {
        s->end[i][0].loss_process = malloc(sizeof(struct grid_loss_process));
        grid_weather_init(s->end[i][0].loss_process, &alters, 3, 0, i, 0);
    }
    play(s, false);
    expect_all(s);
    assert_in_range(s->dropped, 10, 200);
    assert_int_equal(s->resent, s->dropped);
    tear_down(s);
}

/* With nothing to refuse it for, an altered segment, or a marker that points elsewhere, ends the connection at its turn. */
TEST(what_is_spoilt_ends_the_connection)
{
    static const struct {
        uint8_t flag;
        bool crc;
        int term; /* 0: nobody sees it */
    } rows[] = {{GRID_CORRUPTED, true, IW_T_LLP_CRC},
                {GRID_CORRUPTED, false, 0},
                {GRID_MARKER, true, IW_T_LLP_MARKER},
                {GRID_MARKER, false, IW_T_LLP_MARKER}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene *s = scene("t6", RNIC_PLACE);
        struct grid_end *to = &s->end[0][1];
        struct iw_event event = {0};
        s->conf.crc = rows[i].crc;
        struct grid_chunk *chunk = chunk_of(s, 0);
        chunk->packet[2].flags |= rows[i].flag;
        grid_started(chunk, 0);
        grid_land(chunk, US);
        grid_receive(&s->to, 100 * US);
        assert_int_equal(to->deaf, rows[i].term != 0);
        assert_int_equal(s->told[0][2].placed, rows[i].term == 0);
        assert_true(s->told[0][1].placed);
        assert_int_equal(iw_event(to->ep, &event), rows[i].term != 0);
        if (rows[i].term)
            assert_int_equal(event.terminate.term, rows[i].term);
        grid_settle(&s->to, IW_NEVER);
        tear_down(s);
    }
}

/* What flows of many senders bring at once comes over one link: packets are their own time apart. */
TEST(one_link_carries_all_flows)
{
    struct scene *s = scene("ideal", RNIC_PLACE);
    uint64_t octets = 0;
    for (uint32_t i = 0; i < SENDERS; i++) {
        struct grid_chunk *chunk = chunk_of(s, i);
        octets += chunk->octets;
        grid_started(chunk, 0);
        grid_land(chunk, US);
    }
    grid_receive(&s->to, IW_NEVER - 1);
    iw_time last = 0;
    for (uint32_t i = 0; i < SENDERS; i++)
        for (uint32_t k = 0; k < SEGMENTS_MAX; k++)
            if (s->told[i][k].arrived && s->told[i][k].arrived_at > last)
                last = s->told[i][k].arrived_at;
    assert_true(last >= LATENCY + (octets - FPDU - WIRE) * s->conf.path.octet / 1000);
    tear_down(s);
}

/* ---- a receive that is not posted yet ---- */

/* What waits for its turn is in staging and counted; any other count is a leak. */
static void expect_conserved(struct scene *s)
{
    struct grid_end *to = &s->end[0][1];
    assert_null(grid_end_leftover(to));
    assert_null(grid_node_leftover(&s->to));
    to->intake.staged += FPDU;
    assert_non_null(grid_end_leftover(to));
    to->intake.staged -= FPDU;
    to->intake.held += FPDU;
    assert_non_null(grid_end_leftover(to));
    to->intake.held -= FPDU;
    s->to.waiting = (struct node_intake){0};
    assert_non_null(grid_node_leftover(&s->to));
    s->to.waiting = to->intake;
    s->to.waiting.held = 1;
    assert_non_null(grid_node_leftover(&s->to));
    s->to.waiting.held = 0;
}

TEST(a_send_waits_for_its_receive)
{
    struct scene *s = scene("t6", RNIC_PLACE);
    struct grid_end *from = &s->end[0][0], *to = &s->end[0][1];
    struct iw_work send = {.op = IW_SEND, .sges = 1, .sge = {{s->stag, 2 * FPDU, 0}}}, recv = send;
    recv.op = IW_RECV;
    for (int side = 0; side < 2; side++) { /* endpoints without the Write */
        free(s->end[0][side].ep);
        s->end[0][side].ep = endpoint(s, s->end[0][side].node, 0);
    }
    assert_int_equal(iw_post(from->ep, 0, &send), IW_OK);
    struct grid_chunk *chunk = chunk_of(s, 0);
    grid_started(chunk, 0);
    grid_land(chunk, US);
    grid_receive(&s->to, 100 * US);
    assert_true(to->blocked);
    assert_int_equal(s->delivered[0] + s->done + to->next, 0);
    expect_conserved(s);
    assert_int_equal(s->to.waiting.staged, to->intake.staged);
    assert_true(to->intake.staged > 2 * FPDU);
    assert_int_equal(iw_post(to->ep, 200 * US, &recv), IW_OK);
    grid_again(to, 200 * US);
    assert_false(to->blocked);
    assert_int_equal(s->delivered[0], 1);
    assert_int_equal(to->next, from->next_key);
    assert_true(to->placed_at >= 200 * US);
    grid_settle(&s->to, IW_NEVER);
    assert_int_equal(s->done, 1);
    assert_int_equal(rnic_statistics(s->to.nic)->staging, 0);
    tear_down(s);
}

/* ---- the sender ---- */

/* A request is heard of when it has come through; a receive costs the CPU's time and is there. */
TEST(a_post_costs_its_time)
{
    struct scene *s = scene("t6", RNIC_PLACE);
    struct grid_end *e = &s->end[0][0];
    const struct iw_work write = {.op = IW_WRITE}, recv = {.op = IW_RECV};
    iw_time post = s->adapter.cpu.post;
    assert_true(post > 0);
    assert_int_equal(grid_post(e, 5 * US, &recv), 5 * US);
    assert_int_equal(rnic_statistics(e->node->tx)->cpu, post);
    assert_int_equal(grid_post(e, 50 * US, &write), 50 * US + rnic_step_time(e->node->tx, RNIC_STEP_POST, 0));
    assert_int_equal(rnic_statistics(e->node->tx)->cpu, 2 * post);
    tear_down(s);
}

/* The first segment of an idle sender is read and sent by the adapter before its first octet leaves. */
TEST(the_first_segment_passes_the_stages)
{
    struct scene *s = scene("t6", RNIC_PLACE);
    const struct rnic *tx = s->from[0].tx;
    struct plan p = {.start = 7 * US};
    struct grid_end *e = &s->end[0][0];
    p.chunk = calloc(1, sizeof *p.chunk + 64 * sizeof(struct grid_packet));
    p.chunk->room = 64;
    p.chunk->flow.packet = p.chunk->packet;
    iw_time out = grid_cut(e, p.start, p.chunk), known = 7 * US;
    uint32_t payload = p.chunk->packet[0].payload_len;
    assert_true(out >= known + rnic_step_time(tx, RNIC_STEP_READ, payload) +
                           rnic_step_time(tx, RNIC_STEP_SEND, p.chunk->packet[0].size));
    free(p.chunk);
    tear_down(s);
}

/* A Read Request is the adapter's own, a small Write came with its octets; what answers a Read is read, however small. */
TEST(only_what_lies_in_memory_is_read)
{
    enum { SMALL = 16 };
    struct scene *s = scene("t5", RNIC_PLACE);
    const struct rnic *tx = s->from[0].tx;
    struct grid_end *e = &s->end[0][0];
    struct iw_work read = {.op = IW_READ, .sges = 1, .sge = {{s->stag, SMALL, 0}}, .remote_stag = s->stag},
                   write = read;
    write.op = IW_WRITE;
    assert_true(rnic_inlined(tx, SMALL));
    struct iw_work *works[] = {&read, &write};
    for (int i = 0; i < 2; i++) {
        free(e->ep);
        e->ep = endpoint(s, e->node, 0);
        assert_int_equal(iw_post(e->ep, 0, works[i]), IW_OK);
        free(chunk_of(s, 0));
        assert_int_equal(rnic_statistics(tx)->read, 0);
    }
    uint16_t open = 0;
    struct iw_seg answer = {.head_len = 14, .head = {0xc1, 0x42}}; /* tagged, last; RDMAP 1, Read Response */
    struct step_kind kind = step_kind(&answer, false, &open);
    assert_true(step_in_memory(tx, &kind, SMALL));
    tear_down(s);
}

/* So many octets in a round trip, then twice as many, until the window is met. */
TEST(slow_start_doubles_each_round)
{
    struct scene *s = scene("ideal", RNIC_PLACE);
    struct grid_end *e = &s->end[0][0];
    const uint32_t segments[] = {3, 5, 9}; /* of 1448 octets: 3000, 6000, 12000 and the rest of one */
    e->ramp = 3000;
    e->round = 10 * US;
    e->window = 12000;
    for (uint32_t i = 0; i < 3; i++) {
        s->now = i * e->round;
        assert_int_equal(grid_ramp(e, s->now), s->now);
        struct grid_chunk *chunk = chunk_of(s, 0);
        assert_int_equal(chunk->flow.n, segments[i]);
        assert_int_equal(e->ramp_left, 0);
        assert_int_equal(grid_ramp(e, s->now + US), s->now + e->round);
        free(chunk);
    }
    s->now = 3 * e->round;
    assert_int_equal(grid_ramp(e, s->now), s->now);
    assert_int_equal(e->ramp, 0);
    assert_int_equal(grid_ramp(e, s->now + US), s->now + US);
    struct grid_chunk *chunk = chunk_of(s, 0);
    assert_true(chunk->flow.n > 18);
    free(chunk);
    tear_down(s);
}

/* A round that was not used up grows into nothing; one whose octets took longer than it shows that the path is full. */
TEST(slow_start_ends_where_the_path_is_full)
{
    struct scene *s = scene("ideal", RNIC_PLACE);
    struct grid_end *e = &s->end[0][0];
    e->ramp = 3000;
    e->round = 10 * US;
    e->window = 100000;
    assert_int_equal(grid_ramp(e, 0), 0);
    e->ramp_left = 1;
    assert_int_equal(grid_ramp(e, US), US);
    assert_int_equal(grid_ramp(e, 10 * US), 10 * US);
    assert_int_equal(e->ramp, 3000);
    e->ramp_left = 0;
    e->follows = 30 * US; /* its flow ended a round trip after the round */
    assert_int_equal(grid_ramp(e, 30 * US), 30 * US);
    assert_int_equal(e->ramp, 6000);
    e->ramp_left = 0;
    e->follows = 50 * US + 1;
    assert_int_equal(grid_ramp(e, 50 * US + 1), 50 * US + 1);
    assert_int_equal(e->ramp, 0);
    tear_down(s);
}

/* Behind a hole the window is a bound on octets: what lies beyond it waits. */
TEST(behind_a_hole_the_window_bounds)
{
    struct scene *s = scene("ideal", RNIC_PLACE);
    struct grid_end *to = &s->end[0][1];
    struct grid_chunk *first = chunk_of(s, 0), *second = chunk_of(s, 0);
    uint64_t ahead = second->packet[0].key;
    assert_true(ahead > 0);
    assert_false(grid_beyond(second, 1));
    to->late_first = &second->packet[1];
    assert_true(grid_beyond(second, ahead));
    assert_false(grid_beyond(second, ahead + 1));
    to->next = FPDU;
    assert_true(grid_beyond(second, ahead - FPDU));
    assert_false(grid_beyond(second, ahead - FPDU + 1));
    to->blocked = true; /* it is not missing: it waits for a receive */
    assert_false(grid_beyond(second, 1));
    free(first);
    free(second);
    tear_down(s);
}

/* A receiver that keeps nothing behind a hole: its sender's next octet leaves so much after the flow as that one fell behind. */
TEST(behind_a_hole_the_stream_goes_on_later)
{
    static const struct channel_conf all_lost = {.loss = 1};
    struct scene *s = scene("ideal", RNIC_DISCARD);
    struct grid_end *e = &s->end[0][0];
    struct plan first = {0}, second = {0};
    s->conf.path.go_back = true;
    s->conf.path.patience = 0; /* what is sent again arrives */
    e->loss_process = malloc(sizeof *e->loss_process);
    grid_weather_init(e->loss_process, &all_lost, 3, 0, 0, 0);
    assert_true(cut(s, &first));
    grid_started(first.chunk, 0);
    struct grid_expanded x = grid_land(first.chunk, 10 * US);
    assert_true(x.stall >= first.chunk->flow.n * s->conf.path.recovery);
    second.chunk = calloc(1, sizeof *second.chunk + 64 * sizeof(struct grid_packet));
    second.chunk->room = 64;
    second.chunk->flow.packet = second.chunk->packet;
    assert_int_equal(grid_cut(e, 10 * US, second.chunk), 10 * US + x.stall);
    e->loss_process->channel.loss = 0;
    grid_started(second.chunk, 10 * US + x.stall);
    grid_land(second.chunk, 20 * US + x.stall);
    assert_int_equal(e->resume, 0);
    grid_receive(&s->to, IW_NEVER - 1);
    assert_int_equal(s->done, 2);
    tear_down(s);
}
