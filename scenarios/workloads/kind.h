/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kind.h -- inside the workloads: connections, lanes, and what a kind of workload adds to them.
 *
 * A lane moves messages with one operation over a connection. It owns memory at both sides, local to the side that
 * posts and remote at the other, `depth` slots in each, and numbers its messages from 0. Message i lives in slot
 * i % depth. A kind of workload is a few lanes per connection and three answers: what to do when a connection starts,
 * when a message has arrived, and when it is over. There is at most one lane of Sends and one of Writes each way.
 *
 *     posted -> first octet placed -> last octet placed -> delivered -> arrived (the receiver's ULP knows)
 *        \--------------------------------- completed (the poster's ULP knows) ----------------------> over
 *
 * Law: over <= arrived <= posted, posted - over <= depth, and slot i % depth belongs to message i from its post until
 * it is over.
 */
#ifndef IW_SCENARIOS_KIND_H
#define IW_SCENARIOS_KIND_H

#include "channel/channel.h"
#include "engine/law.h"
#include "scenarios/workloads/workload.h"

/* Parts of the one block of a workload are aligned as malloc does. */
static inline size_t align16(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

/* Lists that stand behind a structure in one block, which has a pointer to each. Those of larger entries come first, so that
 * all are aligned. */
struct workload_list {
    size_t pointer; /* where it is in the structure */
    size_t each, count;
};
/* Octets of a structure of `own` octets and its lists; and set its pointers, the lists all 0. */
size_t lists_size(size_t own, const struct workload_list *lists, size_t count);
void lists_lay(void *structure, size_t own, const struct workload_list *lists, size_t count);

enum { LANES_MAX = 4 };

/* Octets of a slot for messages of at most so many. */
static inline uint32_t slot_for(uint32_t octets)
{
    enum { LINE = 64 };
    return octets > LINE ? (octets + LINE - 1) / LINE * LINE : LINE;
}

/* Receive buffers of a lane of Sends, `depth` of which can be under way. */
static inline uint32_t recvs_for(const struct workload_conf *conf, uint32_t depth)
{
    return conf->recv_depth ? conf->recv_depth : depth;
}

/* What a lane does; the same for all connections of a workload. */
struct workload_lane_plan {
    enum iw_op op; /* one of the Sends, WRITE or READ */
    int side;      /* that posts */
    uint32_t depth;
    uint32_t slot;      /* octets of a slot */
    uint32_t stags;     /* WRITE, READ: names of the remote memory, used in turn */
    bool slot_stags;    /* instead: a name for each slot, which covers that slot */
    uint32_t recvs;     /* SENDs: receive buffers, the remote memory's slots */
    uint32_t solicited; /* SENDs: each so many-th, and the last, with a Solicited Event; 0: none */
    bool report;        /* its messages are reported one by one */
    bool latency;       /* theirs is that of the operation; else the kind says it, or nobody */
};

struct workload_slot {
    struct workload_message m;
    uint32_t placed; /* octets */
    iw_stag named;   /* remote_stag of the request */
    bool used, delivered, arrived, completed;
    uint8_t untold;               /* its mark is under way, or the program that waits for it (notify.c) */
    uint64_t first_key, last_key; /* of its segments */
};

struct workload_lane {
    uint64_t posted, over;
    uint64_t delivered;      /* SENDs and WRITEs */
    uint64_t arrived;        /* SENDs: receive completions */
    uint8_t *local, *remote; /* NULL: length only */
    iw_stag local_stag, *names;
    struct workload_slot *slots;
};

/* What a kind says about one message. */
struct workload_lane_post {
    uint64_t now, t_post; /* t_post: the moment that counts as its start */
    uint32_t length;
    iw_stag invalidate; /* SEND_INV */
};

struct workload_flow {
    bool started, ended, over; /* ended: its stream; what is under way has failed */
    bool down[2];              /* the sides that know that the stream has ended */
    uint64_t arrivals;         /* open loop: messages that have come so far */
    uint64_t next;             /* open loop: when the next one comes */
    struct workload_lane lane[LANES_MAX];
    void *own; /* of the kind */
};

struct workload;

/* What one endpoint must have, the larger side of the two. */
struct workload_demand {
    uint64_t sq, rq, regions;
};

/* A kind of workload: what is NULL or 0 it has not, or lanes have it. */
struct workload_rule {
    const char *what; /* it does, in a line */
    uint32_t (*pairs)(const struct workload_conf *conf);
    struct workload_pair (*pair)(const struct workload_conf *conf, uint32_t pair);
    uint32_t (*lanes)(const struct workload_conf *conf, struct workload_lane_plan plan[LANES_MAX]);
    uint64_t (*busiest)(
        const struct workload_conf *conf); /* connections of the host that has most; NULL: all */
    struct workload_demand demand;         /* without lanes */
    const char *(*error)(const struct workload_conf *conf);
    bool (*atomics)(
        const struct workload_conf *conf); /* has it some? NULL: as `op` says, of one that MOVES */
    size_t own, own_each; /* octets of flow.own, and more of them for each message of `depth` */
    size_t (*whole_size)(const struct workload_conf *conf); /* octets of w->own */
    uint32_t (*clocks)(const struct workload_conf *conf);   /* timers of its own */
    bool of_all;   /* octets and messages are those of all connections */
    bool together; /* with a gap it goes nowhere: when the stream of one connection ends, all end */
    uint64_t (*octets)(const struct workload_conf *conf);   /* per connection; NULL: none are placed */
    uint64_t (*messages)(const struct workload_conf *conf); /* NULL: `count` */
    int (*prepare)(struct workload *w, uint32_t conn);      /* beyond the lanes' memory */
    void (*start)(struct workload *w, uint64_t now, uint32_t conn);
    void (*begin)(struct workload *w, uint64_t now); /* every connection was started */
    void (*arrived)(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                    const struct workload_message *m);
    /* The program takes a message at `at`, which may be now, but is not told from here. It is not over before the kind has said
     * so (slot.untold). NULL: it is nobody's business. */
    void (*taken)(struct workload *w, uint32_t conn, uint64_t index, uint64_t at);
    void (*completed)(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                      const struct workload_message *m);
    void (*over)(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                 const struct workload_message *m);
    void (*woken)(struct workload *w, uint64_t now, uint32_t conn);
    void (*clock)(struct workload *w, uint64_t now, uint32_t clock); /* clock_wake() */
    void (*event)(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_event *event);
    void (*ended)(struct workload *w, uint64_t now, uint32_t conn, int status); /* flow_end() was called */
    /* Of a kind without lanes. */
    void (*done)(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_done *done);
    void (*placed)(struct workload *w, uint64_t now, uint32_t conn, int side, iw_stag stag, uint64_t to,
                   uint32_t len);
    void (*delivered)(struct workload *w, uint64_t now, uint32_t conn, int side,
                      const struct iw_message *message);
    /* With nothing under way; false: it waits for nothing. NULL: waits_for says it. */
    bool (*waits)(const struct workload *w, struct workload_waits *waits);
    const char *waits_for; /* of a connection with nothing under way: "the answer of the peer" */
};
#define WORKLOAD_RULE(name, traits) extern const struct workload_rule kind_##name;
WORKLOAD_TABLE(WORKLOAD_RULE)
#undef WORKLOAD_RULE

/* Receive buffers that the connections of a host share: `made` with its first lane of Sends. */
struct workload_pool {
    uint8_t *memory; /* NULL: length only */
    iw_stag stag;
    uint32_t slot; /* octets of a buffer */
    bool made;
};

struct workload_wake {
    uint64_t at;
    uint32_t conn; /* or, behind the connections, a clock */
};

struct workload {
    struct workload_conf conf;
    struct workload_world world;
    struct workload_notes notes;
    const struct workload_rule *kind;
    uint32_t connections, lanes, flows_over; /* none of several */
    struct workload_lane_plan plan[LANES_MAX];
    uint32_t wakes; /* a heap, earliest first */
    struct workload_wake *wake;
    struct workload_pool *pool; /* by host, where receives are shared */
    struct workload_flow *flow;
    void *own;              /* of the kind */
    struct workload **part; /* conf.parts of them; then nothing from `kind` on */

    /* of a part */
    struct workload *whole;         /* NULL: it is none */
    const struct workload_part *as; /* its hosts among those of all */
    uint32_t base;                  /* its first connection among those of all */
    uint64_t due;                   /* what it waits for: its start, or its own timers; IW_NEVER */
    uint32_t asking;                /* calls of struct workload_world under way */
    bool under_way;                 /* it has started */
    uint64_t trespassed;            /* octets of its memory that another tenant wrote */
};

/* ---- what a workload asks of its world and tells: by its own numbers of hosts and connections ---- */

int ask_memory(struct workload *w, uint32_t host, struct iw_region *region, iw_stag *stag);
int ask_rebind(struct workload *w, uint32_t host, iw_stag stag, const struct iw_region *region);
int ask_post(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_work *work);
int ask_post_shared(struct workload *w, uint64_t now, uint32_t host, const struct iw_work *work);
int ask_inject(struct workload *w, uint64_t now, uint32_t conn, int side, const struct workload_wrong *wrong);
void ask_wake(struct workload *w, uint64_t at);
void report_message(struct workload *w, uint64_t now, const struct workload_message *m);
void report_taken(struct workload *w, uint64_t key, const struct workload_message *m);
void report_broken(struct workload *w, uint64_t now, const struct workload_broken *broken);
uint32_t host_at(const struct workload *w, uint32_t conn, int side);
/* A message of which nothing is known but its post; and, when it is over, its latency. */
struct workload_message message_posted(uint32_t conn, int side, enum iw_op op, uint32_t length,
                                       uint64_t t_post);
uint64_t message_latency(const struct workload_message *m);

/* ---- for the kinds ---- */

/* Post the next message of a lane. False: no slot is free, or the connection has ended. */
bool lane_post(struct workload *w, uint32_t conn, uint32_t lane, const struct workload_lane_post *post);
bool lane_full(const struct workload *w, uint32_t conn, uint32_t lane);
/* The slot of message `index`; its name at the remote side. */
struct workload_slot *lane_slot(struct workload *w, uint32_t conn, uint32_t lane, uint64_t index);
iw_stag lane_name(const struct workload *w, uint32_t conn, uint32_t lane, uint64_t index);
/* What the name of a slot means (slot_stags). */
struct iw_region lane_region(const struct workload *w, uint32_t conn, uint32_t lane, uint64_t index);
/* The connection has done all it was asked to. Saying it twice is saying it once. */
void flow_over(struct workload *w, uint32_t conn);
/* Messages of a lane that have nothing to wait for any more are over. */
void lane_settle(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane);
/* Its stream has ended: what is under way is reported as failed with `status`. It is over when both sides know. */
void flow_end(struct workload *w, uint64_t now, uint32_t conn, int status);
void flow_wake(struct workload *w, uint32_t conn, uint64_t at);
/* The same for a clock of the kind, which waits for one time only. */
void clock_wake(struct workload *w, uint32_t clock, uint64_t at);
/* Length of message `index` of a connection: fixed, or drawn from the distribution. */
uint32_t message_length(const struct workload_conf *conf, uint32_t conn, uint64_t index);
uint64_t workload_draw(const struct workload_conf *conf, uint32_t what, uint32_t conn, uint64_t index);
enum { DRAW_START, DRAW_SIZE, DRAW_ARRIVAL, DRAW_PAIR, DRAW_BLOCK };

/* ---- how the receiving program learns of a Write: notify.c, for kinds whose lane 0 has the Writes ---- */

/* Connections that carry messages; those with their marks alone come behind them, in the same order. */
uint32_t notify_carriers(const struct workload_conf *conf);
const char *notify_error(const struct workload_conf *conf);
/* Octets that the marks of a message place. */
uint32_t notify_octets(const struct workload_conf *conf);
/* Lanes behind the first, of marks: how many there are then. */
uint32_t notify_lanes(const struct workload_conf *conf, uint32_t depth,
                      struct workload_lane_plan plan[LANES_MAX]);
/* The Write that was posted last has its mark, now or when it may have it. */
void notify_posted(struct workload *w, uint64_t now, uint32_t conn);
/* Hooks of a kind. `over`: false, it was no message but a mark. */
void notify_arrived(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                    const struct workload_message *m);
void notify_completed(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                      const struct workload_message *m);
bool notify_over(struct workload *w, uint64_t now, uint32_t conn, uint32_t lane,
                 const struct workload_message *m);
void notify_ended(struct workload *w, uint64_t now, uint32_t conn, int status);
/* The connection, and that of its marks, have done all. */
void notify_flow_over(struct workload *w, uint32_t conn);
/* Of lanes: octets of a message, up to `end` of it, are in memory; an Atomic is done at the peer. */
void notify_placed(struct workload *w, uint64_t now, struct workload_slot *s, uint64_t end, uint32_t len);
void notify_done(struct workload *w, uint64_t now, uint32_t conn, uint64_t index);
enum { NOTIFY_DATA, NOTIFY_MARK, NOTIFY_BACK };

/* ---- what a tenant does wrong: fault.c, called by workload.c and lane.c ---- */

/* Memory of its hosts was registered: some registers on. */
void fault_prepared(struct workload *w);
/* A connection starts with this instead of what its kind does; false: nothing, it does the same as ever. */
bool fault_starts(struct workload *w, uint64_t now, uint32_t conn);
/* And behind what its kind does. */
void fault_started(struct workload *w, uint64_t now, uint32_t conn);
/* Octets were placed for it: true, where it had no business. */
bool fault_placed(struct workload *w, const struct iw_place *place);
/* It posts a receive again that a message has used. */
static inline bool fault_posts_again(const struct workload *w)
{
    return w->conf.fault != WORKLOAD_NEVER_POSTS;
}
/* It waits for the completion of a request. */
static inline bool fault_waits(const struct workload *w)
{
    return w->conf.fault != WORKLOAD_FLOODS;
}
/* A name of memory of this workload at a host, by the host's number in the network, that Writes may go to, and where it starts.
 * False: it has none. */
bool lane_writable(const struct workload *w, uint32_t host, iw_stag *stag, uint64_t *to);
/* The resource manager or the adapter has nothing more for it: the connection does nothing more. */
void flow_refused(struct workload *w, uint64_t now, uint32_t conn, int status);

/* ---- several at once: parts.c, called by workload.c ---- */

/* The number in a part of a host of the network, which is one of its hosts. */
uint32_t part_own_host(const struct workload_part *part, uint32_t host);
/* The number among several of a workload, and the other way round; one alone is number 0. */
uint32_t part_number(const struct workload *w);
struct workload *part_numbered(struct workload *w, uint32_t number);

/* The number in the network of a host; `part` NULL: it is the same. */
uint32_t part_host(const struct workload_part *part, uint32_t host);
struct workload_pair parts_pair(const struct workload_conf *conf, uint32_t conn);
struct workload_needs parts_needs(const struct workload_conf *conf);
const char *parts_error(const struct workload_conf *conf);
size_t parts_size(const struct workload_conf *conf);
void parts_init(struct workload *w, uint8_t *memory);
void parts_start(struct workload *w, uint64_t now);
void parts_wake(struct workload *w, uint64_t now);
void parts_set_timer(struct workload *w);
bool parts_waits(const struct workload *w, struct workload_waits *waits);
/* The part that has a connection, and its number there; a workload alone is its own part. */
struct workload *part_with(struct workload *w, uint32_t *conn);

/* ---- lanes, called by workload.c ---- */

/* Law: over <= arrived <= posted, posted - over <= depth. Once its stream has ended nothing arrives. */
bool lane_keeps_order(const struct workload *w, uint32_t conn, uint32_t lane);

/* Octets of the lanes of one connection; lay them out in `memory`. */
size_t lanes_size(const struct workload_lane_plan *plan, uint32_t lanes);
void lanes_init(struct workload *w, uint32_t conn, uint8_t *memory);
int lanes_prepare(struct workload *w, uint32_t conn);
void lanes_done(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_done *done);
void lanes_placed(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_place *place);
/* Octets that do not complete their message; false: these do, or should not be there, and nothing was done. */
bool lanes_placed_alone(struct workload *w, uint64_t now, uint32_t conn, int side,
                        const struct iw_place *place);
void lanes_delivered(struct workload *w, uint64_t now, uint32_t conn, int side,
                     const struct iw_message *message);
void lanes_sent(struct workload *w, uint64_t now, uint32_t conn, int side, const struct iw_seg *seg);
void lanes_resent(struct workload *w, uint32_t conn, int side, uint64_t key, uint64_t end);

/* ---- payload that can be recognised ---- */

/* Write, and compare, marks of one message in memory: 8 octets every 256 and at its end. */
void stamp_put(uint8_t *memory, uint32_t len, uint64_t key);
/* The first octet that differs; `len`: none does. */
uint32_t stamp_check(const uint8_t *memory, uint32_t len, uint64_t key);
/* The same in every octet, and how many of them differ. */
void stamp_fill(uint8_t *memory, uint32_t len, uint64_t key);
uint32_t stamp_wrong(const uint8_t *memory, uint32_t len, uint64_t key);
uint64_t stamp_key(uint32_t conn, uint32_t lane, uint64_t index);

#endif
