/* SPDX-License-Identifier: GPL-2.0-or-later */
/* classes.c -- the same client over the four transport classes of DDPP core: decorated messages with a
 * reception indication, depth of them under way. A message is over when the transport has it acknowledged or
 * has given it up.
 *
 * Laws, by class (draft-bailey-roi-ddpp-core-00 sections 3.1 - 3.4): a message is indicated once; in the order
 * sent where the class is ordered; on a reliable one it comes; on the reliable ordered one everything is in
 * place when it does. */
#include "scenarios/workloads/kind.h"
#include "scenarios/workloads/talk.h"

#include <string.h>

struct record {
    struct workload_message m;
    uint32_t placed, misplaced; /* octets; of those: in a buffer that took the STag over after the post */
    bool told;
};

struct client {
    uint64_t posted, over;
    uint64_t next;          /* ordered: indications below have come, or will not */
    uint64_t reused, quiet; /* when the STag was given to another buffer; nothing is posted until then */
    bool second;            /* it names the second of two buffers */
    iw_stag local_stag, remote_stag;
    uint8_t *local, *remote; /* NULL: length only */
    struct record record[];  /* by index % depth */
};

static bool is_reliable(const struct workload_conf *conf)
{
    return workload_transport_is(conf->transport, WORKLOAD_RELIABLE);
}

static uint32_t slot_octets(const struct workload_conf *conf)
{
    return (conf->size_max + 63) / 64 * 64 + 64;
}

static struct record *record_of(struct workload *w, uint32_t conn, uint64_t index)
{
    struct client *c = w->flow[conn].own;
    return &c->record[index % w->conf.depth];
}

static uint64_t slot_of(const struct workload *w, uint64_t index)
{
    return index % w->conf.depth * slot_octets(&w->conf);
}

static uint64_t buffer_octets(const struct workload_conf *conf)
{
    return (uint64_t)conf->depth * slot_octets(conf);
}

/* The STag names one of the two buffers, at the same offsets. */
static int bind_buffer(struct workload *w, uint32_t conn)
{
    struct client *c = w->flow[conn].own;
    uint64_t octets = buffer_octets(&w->conf);
    struct iw_region region = {.base = c->remote ? c->remote + (c->second ? octets : 0) : NULL,
                               .len = octets,
                               .rights = IW_REMOTE_WRITE,
                               .pd = WORKLOAD_PD};
    return ask_rebind(w, host_at(w, conn, 1), c->remote_stag, &region);
}

static int prepare(struct workload *w, uint32_t conn)
{
    struct client *c = w->flow[conn].own;
    struct iw_region region = {.len = buffer_octets(&w->conf), .pd = WORKLOAD_PD};
    region.rights = IW_LOCAL_WRITE;
    int result = ask_memory(w, host_at(w, conn, 0), &region, &c->local_stag);
    c->local = region.base;
    region.base = NULL;
    region.len *= w->conf.reuse ? 2 : 1;
    region.rights = IW_REMOTE_WRITE;
    if (result == IW_OK)
        result = ask_memory(w, host_at(w, conn, 1), &region, &c->remote_stag);
    c->remote = region.base;
    return result == IW_OK && w->conf.reuse ? bind_buffer(w, conn) : result;
}

static void post(struct workload *w, uint64_t now, uint32_t conn)
{
    struct client *c = w->flow[conn].own;
    uint64_t i = c->posted;
    uint32_t len = message_length(&w->conf, conn, i);
    struct iw_work work = {.id = i,
                           .op = IW_WRITE,
                           .sges = 1,
                           .sge = {{c->local_stag, len, slot_of(w, i)}},
                           .remote_stag = c->remote_stag,
                           .remote_to = slot_of(w, i)};
    struct record *r = record_of(w, conn, i);
    LAW(i < w->conf.count && i - c->over < w->conf.depth); /* depth of them under way */
    *r = (struct record){.m = message_posted(conn, 0, IW_WRITE, len, now)};
    r->m.index = i;
    if (c->local)
        stamp_put(c->local + slot_of(w, i), len, stamp_key(conn, 0, i));
    c->posted += ask_post(w, now, conn, 0, &work) == IW_OK;
}

static void post_all(struct workload *w, uint64_t now, uint32_t conn)
{
    struct client *c = w->flow[conn].own;
    for (uint64_t before = c->posted - 1; now >= c->quiet && c->posted < w->conf.count &&
                                          c->posted - c->over < w->conf.depth && c->posted != before;) {
        before = c->posted;
        post(w, now, conn);
    }
}

static void begin(struct workload *w, uint64_t now)
{
    if (w->conf.reuse)
        clock_wake(w, 0, now + w->conf.reuse);
}

/* The only connection's: the STag is used again, or its quarantine is over. */
static void clock(struct workload *w, uint64_t now, uint32_t conn)
{
    struct client *c = w->flow[conn].own;
    if (w->flow[conn].over)
        return;
    if (now < c->reused + w->conf.reuse) {
        LAW(now == c->quiet);
        clock_wake(w, conn, c->reused + w->conf.reuse);
        post_all(w, now, conn);
        return;
    }
    c->second = !c->second;
    c->reused = now;
    c->quiet = now + w->conf.quarantine;
    bind_buffer(w, conn);
    clock_wake(w, conn, w->conf.quarantine ? c->quiet : now + w->conf.reuse);
}

static void placed(struct workload *w, uint64_t now, uint32_t conn, int side, iw_stag stag, uint64_t to,
                   uint32_t len)
{
    struct client *c = w->flow[conn].own;
    struct record *r = &c->record[to / slot_octets(&w->conf) % w->conf.depth];
    (void)side, (void)stag;
    r->placed += len;
    r->misplaced += r->m.t_post < c->reused ? len : 0;
    if (r->m.t_first_placed == IW_NEVER)
        r->m.t_first_placed = now;
    r->m.t_last_placed = now;
}

static void expect(struct workload *w, uint64_t now, uint32_t conn, uint64_t index, bool holds,
                   const char *law)
{
    struct workload_broken broken = {.conn = conn, .side = 1, .law = law, .index = index};
    if (!holds)
        report_broken(w, now, &broken);
}

/* A reception indication: `to` is the message's identifier. */
static void delivered(struct workload *w, uint64_t now, uint32_t conn, int side,
                      const struct iw_message *message)
{
    struct client *c = w->flow[conn].own;
    uint64_t i = message->to;
    struct record *r = record_of(w, conn, i);
    uint32_t len = r->m.length;
    bool ordered = workload_transport_is(w->conf.transport, WORKLOAD_ORDERED),
         whole = ordered && is_reliable(&w->conf);
    (void)side;
    expect(w, now, conn, i, i >= c->over && i < c->posted && !r->told, "a message is indicated once");
    expect(w, now, conn, i, !ordered || i >= c->next, "messages are indicated in the order sent");
    expect(w, now, conn, i, !whole || r->placed == len, "everything is in place when a message is indicated");
    if (whole && c->remote && c->local)
        expect(w, now, conn, i, stamp_check(c->remote + slot_of(w, i), len, stamp_key(conn, 0, i)) == len,
               "placed octets equal those sent");
    c->next = i + 1;
    r->told = true;
    r->m.t_delivered = now;
    r->m.latency = now - r->m.t_post;
}

static void report_misplaced(struct workload *w, uint64_t now, uint32_t conn, const struct record *r)
{
    struct workload_broken broken = {
        .conn = conn,
        .side = 1,
        .law = "octets land in the buffer that the STag named when they were posted",
        .index = r->m.index,
        .octets = r->misplaced};
    if (r->misplaced)
        report_broken(w, now, &broken);
}

/* The transport has done with it. */
static void done(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_done *d)
{
    struct client *c = w->flow[conn].own;
    struct record *r = record_of(w, conn, d->id);
    (void)side;
    expect(w, now, conn, d->id, d->id == c->over, "messages end in the order posted");
    expect(w, now, conn, d->id, r->told || !is_reliable(&w->conf),
           "a reliable transport indicates every message");
    r->m.t_completed = now;
    r->m.status = r->told ? IW_OK : IW_FLUSHED;
    c->over++;
    LAW(c->over <= c->posted && r->m.t_post <= now);
    report_misplaced(w, now, conn, r);
    report_message(w, now, &r->m);
    post_all(w, now, conn);
    if (c->over == w->conf.count)
        flow_over(w, conn);
}

static uint64_t octets(const struct workload_conf *conf)
{
    return is_reliable(conf) ? conf->count * conf->size : 0;
}

static const char *error(const struct workload_conf *conf)
{
    return conf->quarantine && conf->quarantine >= conf->reuse
               ? "workload.quarantine must be shorter than workload.reuse, the time until the STag is used "
                 "again"
               : NULL;
}

static uint32_t clocks(const struct workload_conf *conf)
{
    return conf->reuse != 0;
}

const struct workload_rule kind_transport_classes = {
    .what = "one client over the four transport classes of DDPP core: what each promises, what it costs",
    .pairs = talks_one,
    .pair = talk_one,
    .own = sizeof(struct client),
    .own_each = sizeof(struct record),
    .octets = octets,
    .error = error,
    .clocks = clocks,
    .prepare = prepare,
    .start = post_all,
    .begin = begin,
    .clock = clock,
    .done = done,
    .placed = placed,
    .delivered = delivered,
    .waits_for = "the transport to finish a message"};
