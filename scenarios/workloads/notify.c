/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notify.c -- how the receiving program learns of a Write (workload.notify; kind.h): marks, a lane behind that of the Writes.
 *
 *     lane          messages                                   on connection
 *     NOTIFY_DATA   the Writes                                 c
 *     NOTIFY_MARK   mark i of Write i, but last_octet          c, or c + carriers (WORKLOAD_MARK_OTHER)
 *     NOTIFY_BACK   the octet that is read back (read_back)    c
 *
 * Law: the mark of Write i is posted while i is not over, and i is not over before its mark is; so there is a slot for it.
 * The instant at which the program takes a message is computed: no event stands for a look at memory.
 */
#include "scenarios/workloads/kind.h"
#include "scenarios/workloads/request.h"

enum { BACK_OCTETS = 1 };

static bool marked_by(const struct workload_conf *conf, uint32_t trait)
{
    return workload_mark_is(conf->notify, trait);
}

/* Is there a message that is the mark? */
static bool has_marks(const struct workload_conf *conf)
{
    return workload_marks[conf->notify] != IW_OPS;
}

const char *notify_error(const struct workload_conf *conf)
{
    if (!conf->notify)
        return NULL;
    if (workload_is(conf->kind, WORKLOAD_MOVES) && conf->op != WORKLOAD_WRITE)
        return "workload.notify tells of Writes: workload.op must be write";
    if (marked_by(conf, WORKLOAD_MARK_INSIDE) && !conf->sizes && conf->size == 0)
        return "a Write without octets has no last octet: choose another workload.notify";
    return NULL;
}

/* ---- lanes ---- */

static uint32_t mark_octets(const struct workload_conf *conf)
{
    enum iw_op op = workload_marks[conf->notify];
    return op == IW_WRITE || op == IW_SEND ? WORKLOAD_MARK_OCTETS : 0; /* or what DDP has for them */
}

uint32_t notify_octets(const struct workload_conf *conf)
{
    return mark_octets(conf) + (marked_by(conf, WORKLOAD_MARK_READS) ? BACK_OCTETS : 0);
}

uint32_t notify_lanes(const struct workload_conf *conf, uint32_t depth,
                      struct workload_lane_plan plan[LANES_MAX])
{
    enum iw_op op = workload_marks[conf->notify];
    if (!has_marks(conf))
        return NOTIFY_MARK;
    plan[NOTIFY_MARK] =
        (struct workload_lane_plan){.op = op,
                                    .depth = depth,
                                    .slot = slot_for(WORKLOAD_MARK_OCTETS),
                                    .stags = 1,
                                    .recvs = request_takes_receive(op) ? recvs_for(conf, depth) : 0};
    if (!marked_by(conf, WORKLOAD_MARK_READS))
        return NOTIFY_BACK;
    plan[NOTIFY_BACK] =
        (struct workload_lane_plan){.op = IW_READ, .depth = depth, .slot = slot_for(BACK_OCTETS), .stags = 1};
    return NOTIFY_BACK + 1;
}

/* ---- connections ---- */

/* That with the marks of `conn`. */
static uint32_t marks_of(const struct workload *w, uint32_t conn)
{
    return marked_by(&w->conf, WORKLOAD_MARK_OTHER) ? conn + notify_carriers(&w->conf) : conn;
}

/* That with the messages of the marks on `conn`. */
static uint32_t carrier_of(const struct workload *w, uint32_t conn)
{
    return conn % notify_carriers(&w->conf);
}

/* One without the other has nothing to do. */
void notify_ended(struct workload *w, uint64_t now, uint32_t conn, int status)
{
    uint32_t carrier = carrier_of(w, conn);
    uint32_t other = conn == carrier ? marks_of(w, conn) : carrier;
    if (w->flow[other].ended)
        return;
    flow_end(w, now, other, status);
    flow_over(w, other);
}

void notify_flow_over(struct workload *w, uint32_t conn)
{
    flow_over(w, conn);
    flow_over(w, marks_of(w, conn));
}

/* ---- marks are posted ---- */

static bool post(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane, uint32_t length)
{
    struct workload_lane_post mark = {.now = now, .t_post = now, .length = length};
    return lane_post(w, conn, lane, &mark);
}

static uint32_t mark_length(const struct workload *w)
{
    return request_is_atomic(w->plan[NOTIFY_MARK].op) ? WORKLOAD_ATOMIC_OCTETS : WORKLOAD_MARK_OCTETS;
}

static void post_mark(struct workload *w, uint64_t now, uint32_t conn)
{
    post(w, now, marks_of(w, conn), NOTIFY_MARK, mark_length(w));
}

void notify_posted(struct workload *w, uint64_t now, uint32_t conn)
{
    bool marks = has_marks(&w->conf);
    if (!w->conf.notify)
        return;
    lane_slot(w, conn, NOTIFY_DATA, w->flow[conn].lane[NOTIFY_DATA].posted - 1)->untold =
        (uint8_t)(marks + (w->kind->taken != NULL));
    if (!marks)
        return;
    if (marked_by(&w->conf, WORKLOAD_MARK_READS))
        post(w, now, conn, NOTIFY_BACK, BACK_OCTETS);
    else if (!marked_by(&w->conf, WORKLOAD_MARK_WAITS))
        post_mark(w, now, conn);
}

void notify_completed(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                      const struct workload_message *m)
{
    (void)m;
    if (!w->conf.notify)
        return;
    bool waits = lane == NOTIFY_DATA && marked_by(&w->conf, WORKLOAD_MARK_WAITS);
    if (waits || lane == NOTIFY_BACK)
        post_mark(w, now, conn);
}

/* ---- marks are seen ---- */

/* The next look of the program. */
static uint64_t next_look(const struct workload_conf *conf, uint64_t at)
{
    uint64_t every = conf->notify_poll;
    return every ? (at + every - 1) / every * every : at;
}

/* The first message that is taken when the mark of this one has come: itself, or that of those that are counted together. */
static uint64_t first_taken(const struct workload_conf *conf, uint64_t index)
{
    if (!marked_by(conf, WORKLOAD_MARK_COUNTS) || !workload_is(conf->kind, WORKLOAD_DEEP))
        return index;
    bool last = (index + 1) % conf->depth == 0 || index + 1 == conf->count;
    return last ? index / conf->depth * conf->depth : index + 1;
}

static void take(struct workload *w, uint32_t conn, uint64_t index, uint64_t at)
{
    for (uint64_t i = first_taken(&w->conf, index); i <= index; i++) {
        struct workload_slot *s = lane_slot(w, conn, NOTIFY_DATA, i);
        s->m.t_taken = at;
        report_taken(w, s->first_key, &s->m);
    }
    if (w->kind->taken)
        w->kind->taken(w, conn, index, at);
}

/* A completion was seen, and taken, as the completion queue says; memory is looked at. */
void notify_arrived(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                    const struct workload_message *m)
{
    if (lane != NOTIFY_MARK || request_is_atomic(m->op))
        return;
    uint64_t cost = request_is_write(m->op) ? w->conf.take : 0;
    take(w, carrier_of(w, conn), m->index, next_look(&w->conf, now) + cost);
}

void notify_done(struct workload *w, uint64_t now, uint32_t conn, uint64_t index)
{
    take(w, carrier_of(w, conn), index, next_look(&w->conf, now) + w->conf.take);
}

void notify_placed(struct workload *w, uint64_t now, struct workload_slot *s, uint64_t end, uint32_t len)
{
    if (s->m.t_taken < now)
        s->m.stale += len;
    if (end == s->m.length && marked_by(&w->conf, WORKLOAD_MARK_INSIDE))
        take(w, s->m.conn, s->m.index, next_look(&w->conf, now) + w->conf.take);
}

bool notify_over(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                 const struct workload_message *m)
{
    if (lane == NOTIFY_DATA)
        return true;
    if (!w->conf.notify || lane != NOTIFY_MARK)
        return false;
    uint32_t carrier = carrier_of(w, conn);
    for (uint64_t i = first_taken(&w->conf, m->index); i <= m->index; i++)
        lane_slot(w, carrier, NOTIFY_DATA, i)->untold--;
    lane_settle(w, now, carrier, NOTIFY_DATA);
    return false;
}
