/* SPDX-License-Identifier: GPL-2.0-or-later */
/* storage.c -- block reads and writes, as iSER does them.
 *
 *   initiator (side 0)                                                    target (side 1)
 *   bind the block's memory, COMMAND (Send: which block, STag)     ->
 *                                                                  <-     block read: OUT (RDMA Write)
 *                                                                  <->    block write: IN (RDMA Read)
 *                                                                  <-     ANSWER (Send with Invalidate of the STag)
 *
 * Half of the blocks are read, half written, as drawn. An operation is over when its answer has come; the next one takes
 * its place. What finds no room in a lane waits for its turn there.
 */
#include <string.h>

#include "scenarios/workloads/kind.h"
#include "scenarios/workloads/talk.h"

enum { COMMAND, OUT, IN, ANSWER };
enum { COMMAND_OCTETS = 48, ANSWER_OCTETS = 16 };

/* One operation: its lane and its number there. */
struct io {
    bool busy, read;
    uint64_t number, index, t_post;
};

/* A queue of operations, by their place in `io`. */
struct queue {
    uint32_t first, count;
    uint32_t *place;
};

struct disk {
    uint64_t posted, done, of[2]; /* of: block writes, block reads posted */
    struct io *io;
    uint32_t *commanded, *answered; /* which operation a command, an answer is about: by slot of its lane */
    struct queue moving[2]; /* at the target: block writes, block reads whose octets were not asked for yet */
    struct queue answering;
};

static uint32_t lanes(const struct workload_conf *conf, struct workload_lane_plan plan[LANES_MAX])
{
    uint32_t block = slot_for(conf->size_max);
    uint32_t recvs = recvs_for(conf, conf->depth);
    plan[COMMAND] = (struct workload_lane_plan){
        .op = IW_SEND, .side = 0, .depth = conf->depth, .slot = slot_for(COMMAND_OCTETS), .recvs = recvs};
    plan[OUT] = (struct workload_lane_plan){
        .op = IW_WRITE, .side = 1, .depth = conf->depth, .slot = block, .slot_stags = true};
    plan[IN] = (struct workload_lane_plan){
        .op = IW_READ, .side = 1, .depth = conf->depth, .slot = block, .slot_stags = true};
    plan[ANSWER] = (struct workload_lane_plan){.op = IW_SEND_SE_INV,
                                               .side = 1,
                                               .depth = conf->depth,
                                               .slot = slot_for(COMMAND_OCTETS),
                                               .recvs = recvs};
    return 4;
}

static uint64_t octets(const struct workload_conf *conf)
{
    return conf->count * (COMMAND_OCTETS + conf->size + ANSWER_OCTETS);
}

static int prepare(struct workload *w, uint32_t conn)
{
    uint32_t depth = w->conf.depth;
    struct disk *d = w->flow[conn].own;
    d->io = (struct io *)(void *)(d + 1);
    uint32_t *p = (uint32_t *)(void *)(d->io + depth);
    d->commanded = p;
    d->answered = p + depth;
    d->moving[0].place = p + 2 * depth;
    d->moving[1].place = p + 3 * depth;
    d->answering.place = p + 4 * depth;
    LAW((uint8_t *)(p + 5 * depth) <= (uint8_t *)d + kind_storage.own + kind_storage.own_each * depth);
    return IW_OK;
}

/* Law: at most `depth` operations are under way, so no queue holds more. */
static void push_place(struct queue *q, uint32_t depth, uint32_t place)
{
    LAW(q->count < depth &&
        place < depth); /* at most `depth` operations are under way, so no queue holds more */
    q->place[(q->first + q->count++) % depth] = place;
}

static uint32_t pop(struct queue *q, uint32_t depth)
{
    LAW(q->count && q->count <= depth && q->first < depth);
    uint32_t place = q->place[q->first];
    q->first = (q->first + 1) % depth;
    q->count--;
    return place;
}

/* Block writes and block reads are all there is; those not done are busy. */
static bool counts_agree(const struct disk *d, uint32_t depth)
{
    uint64_t busy = 0;
    for (uint32_t i = 0; i < depth; i++)
        busy += d->io[i].busy;
    return d->posted - d->done == busy && d->of[0] + d->of[1] == d->posted;
}

static uint32_t data_lane(const struct io *io)
{
    return io->read ? OUT : IN;
}

/* ---- initiator ---- */

static bool free_place(const struct workload *w, const struct disk *d, uint32_t *place)
{
    for (*place = 0; *place < w->conf.depth; ++*place)
        if (!d->io[*place].busy)
            return true;
    return false;
}

/* The STag of a slot that was invalidated before means the same memory again. */
static bool advertise(struct workload *w, uint64_t now, uint32_t conn, const struct io *io)
{
    uint32_t lane = data_lane(io);
    if (io->index < w->conf.depth)
        return true; /* its first use: it is valid still */
    struct iw_region region = lane_region(w, conn, lane, io->index);
    int result = ask_rebind(w, host_at(w, conn, 0), lane_name(w, conn, lane, io->index), &region);
    if (result != IW_OK)
        flow_end(w, now, conn, result);
    return result == IW_OK;
}

static bool post_io(struct workload *w, uint64_t now, uint32_t conn)
{
    uint32_t place;
    struct disk *d = w->flow[conn].own;
    struct workload_lane_post command = {.now = now, .t_post = now, .length = COMMAND_OCTETS};
    if (d->posted == w->conf.count || lane_full(w, conn, COMMAND) || !free_place(w, d, &place))
        return false;
    struct io *io = &d->io[place];
    io->read = workload_draw(&w->conf, DRAW_BLOCK, conn, d->posted) >> 63;
    io->index = d->of[io->read];
    io->number = d->posted;
    io->t_post = now;
    d->commanded[w->flow[conn].lane[COMMAND].posted % w->conf.depth] = place;
    if (!advertise(w, now, conn, io) || !lane_post(w, conn, COMMAND, &command))
        return false;
    io->busy = true;
    d->of[io->read]++;
    d->posted++;
    LAW(counts_agree(d, w->conf.depth)); /* at most `depth` operations are under way */
    return true;
}

/* ---- target ---- */

static bool post_answer(struct workload *w, uint64_t now, uint32_t conn)
{
    struct disk *d = w->flow[conn].own;
    if (d->answering.count == 0 || lane_full(w, conn, ANSWER))
        return false;
    uint32_t place = pop(&d->answering, w->conf.depth);
    const struct io *io = &d->io[place];
    LAW(io->busy);
    struct workload_lane_post answer = {.now = now, .t_post = now, .length = ANSWER_OCTETS};
    answer.invalidate = lane_name(w, conn, data_lane(io), io->index);
    d->answered[w->flow[conn].lane[ANSWER].posted % w->conf.depth] = place;
    return lane_post(w, conn, ANSWER, &answer);
}

/* The octets of a block read are followed by the answer in the same queue: no need to wait for them. */
static bool post_data(struct workload *w, uint64_t now, uint32_t conn, bool read)
{
    struct disk *d = w->flow[conn].own;
    struct workload_lane_post data = {.now = now, .t_post = now};
    if (d->moving[read].count == 0 || lane_full(w, conn, read ? OUT : IN))
        return false;
    uint32_t place = pop(&d->moving[read], w->conf.depth);
    LAW(d->io[place].busy && d->io[place].read == read);
    data.length = message_length(&w->conf, conn, d->io[place].number);
    if (!lane_post(w, conn, read ? OUT : IN, &data))
        return false;
    if (read)
        push_place(&d->answering, w->conf.depth, place);
    return true;
}

static void go_on(struct workload *w, uint64_t now, uint32_t conn)
{
    const struct workload_flow *f = &w->flow[conn];
    bool more = true;
    while (more && !f->ended) {
        more = post_data(w, now, conn, false);
        more |= !f->ended && post_data(w, now, conn, true);
        more |= !f->ended && post_answer(w, now, conn);
        more |= !f->ended && post_io(w, now, conn);
    }
}

/* ---- progress ---- */

static void report_io(struct workload *w, uint64_t now, uint32_t conn, const struct io *io,
                      uint64_t t_delivered, int status)
{
    const struct workload_message *data = &lane_slot(w, conn, data_lane(io), io->index)->m;
    struct workload_message m = message_posted(conn, 0, io->read ? IW_READ : IW_WRITE,
                                               message_length(&w->conf, conn, io->number), io->t_post);
    m.index = io->number;
    m.status = status;
    if (status == 0) {
        m.t_first_placed = data->t_first_placed;
        m.t_last_placed = data->t_last_placed;
        m.t_delivered = t_delivered;
        m.t_completed = now;
        m.latency = t_delivered - io->t_post;
        m.retransmitted = data->retransmitted;
    }
    report_message(w, now, &m);
}

static void io_done(struct workload *w, uint64_t now, uint32_t conn, const struct workload_message *answer)
{
    struct disk *d = w->flow[conn].own;
    struct io *io = &d->io[d->answered[answer->index % w->conf.depth]];
    LAW(io->busy && io->number < d->posted && answer->t_delivered >= io->t_post);
    report_io(w, now, conn, io, answer->t_delivered, 0);
    io->busy = false;
    d->done++;
    LAW(counts_agree(d, w->conf.depth));
}

static void arrived(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                    const struct workload_message *m)
{
    struct disk *d = w->flow[conn].own;
    if (lane == COMMAND) {
        uint32_t place = d->commanded[m->index % w->conf.depth];
        push_place(&d->moving[d->io[place].read], w->conf.depth, place);
    } else if (lane == IN) {
        for (uint32_t i = 0; i < w->conf.depth; i++)
            if (d->io[i].busy && !d->io[i].read && d->io[i].index == m->index)
                push_place(&d->answering, w->conf.depth, i);
    } else if (lane == ANSWER)
        io_done(w, now, conn, m);
    go_on(w, now, conn);
}

static bool all_over(const struct workload_flow *f)
{
    bool over = true;
    for (int i = 0; i < LANES_MAX; i++)
        over &= f->lane[i].over == f->lane[i].posted;
    return over;
}

static void over(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                 const struct workload_message *m)
{
    (void)lane, (void)m;
    const struct disk *d = w->flow[conn].own;
    go_on(w, now, conn);
    if (d->done == w->conf.count && all_over(&w->flow[conn]))
        flow_over(w, conn);
}

static void ended(struct workload *w, uint64_t now, uint32_t conn, int status)
{
    const struct disk *d = w->flow[conn].own;
    for (uint32_t i = 0; i < w->conf.depth; i++)
        if (d->io[i].busy)
            report_io(w, now, conn, &d->io[i], IW_NEVER, status);
}

const struct workload_rule kind_storage = {
    .what =
        "hosts 1 .. N-1 read and write blocks of host 0: commands advertise memory, answers invalidate it",
    .pairs = talks_spokes,
    .pair = talk_to_hub,
    .lanes = lanes,
    .own = sizeof(struct disk),
    .own_each = sizeof(struct io) + 5 * sizeof(uint32_t),
    .octets = octets,
    .prepare = prepare,
    .start = go_on,
    .arrived = arrived,
    .over = over,
    .ended = ended,
    .waits_for = "the other side"};
