/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_inner.h -- what the files of this room share. */
#ifndef IW_FABRIC_INNER_H
#define IW_FABRIC_INNER_H

#include "engine/ask.h"
#include "engine/law.h"
#include "fabric/events.h"
#include "fabric/fabric.h"

static const uint32_t NONE = UINT32_MAX;

/* ---- packets under way ---- */

enum { CELL_ALTERED = 1, CELL_TRIMMED = 2, CELL_PAUSE = 4, CELL_RESUME = 8, CELL_COPIED = 16 };

/* One line of cache: a packet, or a pause frame, whose connection is NONE. */
struct fabric_cell {
    struct fabric_cell *next;
    iw_time next_at; /* the last bit of `next` is at the other end of the wire: known without looking there */
    iw_time start;   /* its first bit leaves; while it waits in a `queue`: since when */
    uint8_t *octets;
    uint32_t to, connection, number, size;
    uint32_t ingress; /* the link it came by to the switch it waits in */
    uint16_t head, sealed;
    uint8_t direction, protocol, ecn, flags;
    uint8_t block; /* class of the block at `octets` */
    uint16_t entropy;
};

enum { WAITS = 4 };
/* One line of cache: what waits for a port whose departures are known, told without a look at the packets, which are cold. */
struct fabric_waits {
    struct fabric_waits *next, *last; /* last: of the first line alone */
    iw_time start[WAITS];
    uint16_t size[WAITS];
    uint8_t first, end; /* those between had not started when last looked at */
};

struct fabric_block { /* of octets, while it is free */
    struct fabric_block *next;
};

union fabric_late {
    struct fabric_cell *cell;
    uint32_t next; /* free slot */
};

enum { CELL = 64, BLOCK_MIN = 32, BLOCK_CLASSES = 13 };
_Static_assert(sizeof(struct fabric_cell) <= CELL && sizeof(struct fabric_waits) <= CELL,
               "each is one line of cache");

struct fabric_arena {
    uint8_t *at, *end;
    size_t taken;
    int64_t out; /* cells taken less cells given back; of a part: below 0 when others took them */
    struct fabric_cell *cells;                  /* free ones, and lines of others */
    struct fabric_block *blocks[BLOCK_CLASSES]; /* free ones of 32 << class octets */
};

/* ---- links ---- */

struct fabric_timing {
    uint64_t rate;
    iw_time delay;
    iw_time per_octet; /* ps, where that is exact; 0: it is not */
    uint64_t built;    /* the rate that its queue is made for */
    uint32_t share;    /* of that queue, and its marks: of FABRIC_WHOLE, never 0 */
};

/* One line of cache: the port that sends, and the wire behind it. */
struct fabric_port {
    iw_time free_at;
    struct fabric_cell *head,
        *tail; /* in order of arrival; what waits is behind them unless the port has a `queue` */
    struct fabric_waits *waits; /* without a `queue` */
    uint64_t octets;
    uint64_t packets : 60, armed : 1 /* a departure is among the events */, paused : 1, down : 1, avoided : 1;
    uint32_t waiting; /* octets from `waits` on */

    /* what the receiver reads, too, and nobody writes during a window */
    uint32_t peer_node : 29, tapped : 1, cut : 1; /* as long as it runs; cut: to another part (parts.c) */
    uint32_t changed : 1;                         /* ever, so that it may be unlike others (failures.c) */
    uint32_t peer; /* the port that receives, which sends on the reverse link */
    uint32_t line;
};
_Static_assert(sizeof(struct fabric_port) <= 64, "a port is one line of cache");

struct fabric_fifo {
    struct fabric_cell *head, *tail;
    uint64_t octets;
};

/* Where departures cannot be told in advance: shared buffers, pauses, and headers that overtake. */
struct fabric_queue {
    struct fabric_fifo data, headers;
    uint32_t in_a_row;              /* headers that left while data waited */
    uint64_t ingress, ingress_peak; /* of what came by the reverse link: octets that wait in this switch */
    uint32_t frames;                /* sent to that sender */
    bool pausing;                   /* the sender of the reverse link was told to stop */
    iw_time paused_since;           /* of this port */
};

struct fabric_tally {
    double area; /* octets x ps waited, by those that waited to their known end */
    uint64_t peak, drops, marks, trims, lost, pauses;
    uint64_t flushed, severed; /* lost on a failed link: in its queue, or for want of a way; on its wire */
    iw_time paused;
};

struct fabric_tree_switch {
    uint32_t low, span,
        width;      /* hosts low .. low + span - 1 are below it, `width` behind each `downs` of its ports */
    uint32_t downs; /* any of which leads there */
    uint32_t ups;   /* ports behind those, any of which leads to all others */
};

struct fabric_switch {
    uint64_t key; /* of its draws */
    uint32_t first, ports;
    struct fabric_tree_switch tree;
    uint64_t used; /* octets that wait in its ports together; shared */
};

struct fabric_attached {
    const struct fabric_host *table;
    void *object;
    uint32_t turn; /* the port that is asked first */
};

struct fabric_ends {
    uint32_t from, to; /* from == to: not known yet */
};

/* ---- links that fail: failures.c, detour.c ---- */

struct fabric_outage {
    iw_time down_at;     /* when it last failed */
    iw_time next;        /* it fails, or is repaired, by the draw; of the lesser link of a line */
    uint32_t holds;      /* that it is down: by the list, by the draw */
    uint32_t fates : 30; /* drawn */
    uint32_t failed : 1, /* by the draw */
        fell : 1;        /* it failed once */
};

/* The same for all parts of a network; written between windows. */
struct fabric_failures {
    struct fabric_change *change;
    uint32_t changes, taken;
    iw_time due;                  /* the next change; IW_NEVER: none */
    uint32_t lines;               /* of struct fabric_timing that are in use */
    uint32_t avoided;             /* links */
    uint32_t epoch;               /* of the routes */
    struct fabric_outage *outage; /* by link */
};

/* Ways to one host while some links are avoided, by switch. */
struct fabric_detour {
    uint32_t epoch, to;
    bool measured;
    uint8_t *leads;     /* do its own ways, or some of them? */
    uint16_t *distance; /* links to the host; UINT16_MAX: it is cut off */
};

/* Of one part: what was asked for lately. */
struct fabric_detours {
    struct fabric_detour *of;
    uint32_t count;
    uint32_t *queue;
    uint64_t rerouted; /* packets */
};

/* ---- parts: cut.c, parts.c ---- */

/* Packets on their way to another part on one link, in order of departure. */
struct fabric_crossing {
    struct fabric_cell *head, *tail;
    iw_time at;    /* the first is there */
    uint32_t next; /* link, and 1, on which some cross to the same part; 0: none */
};

/* From one part to another. */
struct fabric_crossed {
    uint32_t links; /* the first of those, and 1 */
    struct fabric_cell *frames, *last;
};

/* A port that told the other side to stop, or took it back. */
struct fabric_pause_note {
    struct fabric_key key;
    bool stops;
};

/* A packet that arrives in the turn of a switch. */
struct fabric_arriving {
    iw_time at;
    struct fabric_cell *cell;
    uint32_t link, way; /* way: on which it goes on; NONE: not known yet */
    uint32_t place;     /* an event's order */
};

/* What one part keeps for the end of a window. */
struct fabric_window {
    enum fabric_turns turns; /* the last */
    struct fabric_arriving
        *coming; /* in the turn of a switch; behind as many as it has room for, the same sorted */
    uint32_t room;
    struct fabric_pause_note *note; /* by time */
    uint32_t notes, note_room, counted;
};

/* A network that is cut; all its parts see it. */
struct fabric_parts {
    struct fabric *whole, **part;
    uint32_t count;
    uint32_t *of;                        /* of a node */
    struct fabric_crossed *crossed[2];   /* count x from + to; of turns that are even, and odd */
    struct fabric_crossing *crossing[2]; /* by link */
    bool *still, *due;  /* by host: it does nothing until the window ends; its port is to be asked then */
    bool ahead;         /* parts run by themselves */
    iw_time start, end; /* of the window; end 0: there is none */

    struct fabric_key *next; /* of each, and of the whole, whose number is `count`: its first event */
    bool *touched;           /* it may be another one now */
    uint32_t first;          /* who had the first of all when it was last asked */
};

struct fabric {
    struct fabric_conf conf;
    const struct fabric_topology *topology;
    struct fabric_extent extent;
    uint32_t words; /* of a mask of ports; file */
    struct events events;
    struct fabric_arena arena;
    iw_time now, impaired_from;
    enum fabric_end end;
    bool ended;
    const char *mistake;
    bool queues; /* ports have a `queue` */
    uint64_t red_slope, alpha;
    struct fabric_port *port;
    struct fabric_timing *line;
    struct fabric_switch *fswitch;
    struct fabric_queue *queue;
    struct fabric_tally *tally;
    uint32_t
        *first; /* by host: its ports, where hosts have not as many; the end of all behind them; else NULL */
    struct fabric_attached *host;
    struct fabric_ends *ends;
    struct channel *channel;
    struct fabric_failures *failures; /* NULL: links never change */
    struct fabric_detours *detours;
    uint32_t *kicked; /* the next host in the list, itself at its end, NONE when not in it */
    uint32_t first_kick, last_kick;
    union fabric_late *late; /* packets and pause frames that are not in the order of a wire */
    uint32_t late_used, late_room, late_free;
    uint64_t *mask; /* file: ports that lead from a switch to a switch */
    struct fabric_backlog (*backlog)(struct fabric *f, uint32_t link); /* of its own queues */
    uint16_t *kept; /* adaptive and sticky: FLOWS_KEPT for each switch, the way of a flow and 1; 0: none */
    uint16_t *distance;
    uint32_t *scratch; /* two words for each port; PFC */
    uint32_t pausing;  /* ports that told the other side to stop */
    uint32_t frames;   /* pause frames under way; not of a network that is cut */
    struct fabric_counts counts;
    uint32_t order;             /* of the event under way */
    uint32_t number;            /* of a part; of the whole: how many there are */
    struct fabric_parts *parts; /* NULL: it is not cut */
    struct fabric_window window;
};

enum { TIMER_WATCH, TIMER_CHANGES, OWN_TIMERS }; /* the network's own, behind the workload's */
static const uint32_t LATE = UINT32_C(1) << 31;  /* in an event's item: an index in `late`, not a port */

/* An event of a link; `place`: the port where it happens, which is one of `node`. */
static inline void fabric_push(struct fabric *f, enum event_kind kind, iw_time at, uint32_t place,
                               uint32_t item, uint32_t node)
{
    fabric_events_push(&f->events, (struct event){at, event_order(kind, place), item, node, NONE});
}

/* ---- cells.c ---- */

/* NULL: no memory, the run is over. */
struct fabric_cell *fabric_cell_new(struct fabric *f, uint32_t head);
struct fabric_cell *fabric_cell_copy(struct fabric *f, const struct fabric_cell *c);
void fabric_cell_free(struct fabric *f, struct fabric_cell *c);
struct ip_packet fabric_cell_packet(const struct fabric_cell *c);
/* The memory of a cell for something else. NULL: none, the run is over. */
void *fabric_line_new(struct fabric *f);
void fabric_line_free(struct fabric *f, void *line);
/* A list with twice the room, in memory that is kept for good. NULL: no memory, the run is over. */
void *fabric_grown(struct fabric *f, const void *list, uint32_t *room, size_t each);
/* Not in the order of a wire: arrives by itself at `port`. False: no memory. */
bool fabric_late_add(struct fabric *f, struct fabric_cell *c, iw_time at, uint32_t port);
struct fabric_cell *fabric_late_take(struct fabric *f, uint32_t slot);
/* Content decides between arrivals of one time at one port. */
bool fabric_arrives_earlier(const void *f, uint32_t a, uint32_t b);

/* ---- wire.c ---- */

static inline iw_time serialization(const struct fabric_timing *l, uint32_t octets)
{
    return l->per_octet ? octets * l->per_octet : fabric_serialization(octets, l->rate);
}

/* The packet's first bit leaves at `start`, not before the port is free. */
void fabric_wire_start(struct fabric *f, uint32_t link, struct fabric_cell *c, iw_time start);
/* Each port of a host asks for a packet if it may send, and its deadline is asked. */
void fabric_host_touched(struct fabric *f, uint32_t host);
/* A packet is there, at a port of a host, impaired as it shall be. */
void fabric_host_receives(struct fabric *f, uint32_t port, struct fabric_cell *c);
/* At a switch, `way`: the link on which it goes on; NONE: not known yet. */
void fabric_wire_arrives(struct fabric *f, uint32_t link, struct fabric_cell *c, uint32_t way);
void fabric_end_with(struct fabric *f, enum fabric_end end, const char *mistake);

/* ---- run.c ---- */

/* The next event of a world or part; all of one node in the window. */
void fabric_step(struct fabric *f);
void fabric_go_on(struct fabric *f, uint32_t node);
void fabric_serve_kicks(struct fabric *f);
enum fabric_end fabric_reached(struct fabric *f, iw_time until);

/* ---- queue.c ---- */

void fabric_queue_arrives(struct fabric *f, uint32_t node, uint32_t ingress, uint32_t way,
                          struct fabric_cell *c);
struct fabric_backlog fabric_backlog(struct fabric *f, uint32_t link);
/* The port may be free: the head of its queue leaves. */
void fabric_queue_departs(struct fabric *f, uint32_t link);
/* All that waits is lost. */
void fabric_queue_flush(struct fabric *f, uint32_t link);

/* ---- switch.c, topology_file.c ---- */

uint32_t fabric_forward(struct fabric *f, uint32_t node, const struct fabric_cell *c);
/* A draw for a packet at a switch: by its flow, and what the routing adds. */
static inline uint64_t fabric_choice(const struct fabric *f, const struct fabric_switch *s,
                                     const struct fabric_cell *c)
{
    const uint32_t added[FABRIC_ROUTINGS] = {
        [FABRIC_ENTROPY] = c->entropy, [FABRIC_SPRAY] = c->number, [FABRIC_ADAPTIVE] = c->number};
    return channel_draw(s->key, (uint64_t)c->direction << 63 | (uint64_t)c->connection << 32 |
                                    added[f->conf.routing]);
}
/* Uniform in 0 .. n - 1. */
static inline uint32_t fabric_pick(uint64_t choice, uint32_t n)
{
    return (uint32_t)((choice >> 32) * n >> 32);
}

/* What topology.ports asks for, and what is wrong with it in a topology that heeds it. */
static inline uint32_t fabric_asked_ports(const struct fabric_conf *conf)
{
    return conf->ports ? conf->ports : 1;
}

static inline const char *fabric_asked_ports_error(const struct fabric_conf *conf, const char **keys)
{
    *keys = "topology.ports";
    return fabric_asked_ports(conf) > FABRIC_PORTS_MAX ? "a host may have at most eight ports" : NULL;
}

/* In a tree: down where the host is below, else up by any port. */
uint32_t fabric_tree_ways(const struct fabric *f, uint32_t node, uint32_t to);
uint32_t fabric_tree_way(const struct fabric *f, uint32_t node, uint32_t to, uint32_t i);

void fabric_join(struct fabric *f, uint32_t a, uint32_t a_node, uint32_t b, uint32_t b_node, uint32_t line);
void fabric_line_init(struct fabric_timing *l, uint64_t rate, iw_time delay);
/* Words of a mask that has a bit for each port of a switch. */
uint32_t fabric_file_words(const struct fabric_conf *conf);

/* ---- adaptive.c ---- */

enum { FLOWS_KEPT = 4096 }; /* of a switch: a power of two */
/* Flows whose way each switch remembers; 0: none. */
uint32_t fabric_kept_of(const struct fabric_conf *conf);
/* Which of several ways: among the shortest as `choice` draws, unless its flow stays. */
uint32_t fabric_adapt(struct fabric *f, uint32_t node, const struct fabric_cell *c, uint32_t ways,
                      uint64_t choice);

/* ---- failures.c ---- */

static inline bool fabric_fails(const struct fabric_conf *conf)
{
    return conf->changes || conf->failures.mtbf;
}
/* The port sends nothing of its own accord. */
static inline bool fabric_is_held(const struct fabric_port *p)
{
    return p->paused || p->down;
}
void fabric_failures_carve(struct fabric *f, struct carve *c, const struct fabric_conf *conf,
                           const struct fabric_extent *x);
/* When links are joined. */
void fabric_failures_init(struct fabric *f);
/* Of a part. False: no memory. */
bool fabric_detours_new(struct fabric *part);
/* The change that is due has its turn. */
void fabric_failures_happen(struct fabric *f);
/* The link failed while the packet was on it, which ends there. */
bool fabric_failures_sever(struct fabric *f, uint32_t link, struct fabric_cell *c);
/* The packet is lost in the switch that would send it on `link`. */
void fabric_failures_lose(struct fabric *f, uint32_t link, struct fabric_cell *c);

/* ---- detour.c ---- */

void fabric_detours_carve(struct fabric_detours *d, struct carve *c, const struct fabric_extent *x);
/* Does the link, one of a topology's own ways, lead to the host over links that are not avoided? */
bool fabric_leads_on(const struct fabric *f, uint32_t link, uint32_t to);
/* A packet that `link` should carry: the link, or another one where that is avoided or does not lead on; FABRIC_NO_LINK: none does. */
uint32_t fabric_way_round(const struct fabric *f, uint32_t node, const struct fabric_cell *c, uint32_t link);

/* ---- conf.c ---- */

enum { LINES_MAX = 1 << 24, HOSTS_MAX = 1 << 20 };

/* ---- pfc.c, deadlock.c ---- */

/* One port more, or one less, that told its other side to stop; of the whole. */
void fabric_pfc_counts(struct fabric *f, bool stops);
void fabric_pfc_waits(struct fabric *f, const struct fabric_cell *c);
void fabric_pfc_leaves(struct fabric *f, const struct fabric_cell *c);
void fabric_pfc_frame(struct fabric *f, uint32_t link, struct fabric_cell *c);
/* The watch: looks for links that wait in a circle. */
void fabric_pfc_watch(struct fabric *f);
bool fabric_deadlocked(struct fabric *f);

/* ---- impair.c ---- */

/* The packet at the end of the last link: on to the host, or what the channel makes of it. */
void fabric_impair_packet(struct fabric *f, uint32_t link, struct fabric_cell *c);

/* ---- fabric.c ---- */

/* The events of a world or a part; timers are numbered as hosts are, and behind them. */
void fabric_events_ready(struct fabric *f, const struct events_extent *x);

/* ---- cut.c ---- */

/* Zeroed, kept for good; NULL: no memory. */
void *fabric_room(struct fabric *f, size_t octets);

/* ---- turns.c ---- */

/* Of all nodes of a part from `from` on and below `to`: what they have to do before `until`. */
void fabric_take_turns(struct fabric *f, uint32_t from, uint32_t to, iw_time until);

/* ---- parts.c ---- */

/* Over a link that is cut: there at `at`. */
void fabric_cross(struct fabric *f, uint32_t link, struct fabric_cell *c, iw_time at);
/* A host that stands still is not to be touched now. */
bool fabric_stands_still(struct fabric *f, uint32_t host);
/* Something was set in a part, or in the whole: its first event may be another one. */
void fabric_touched(struct fabric *f);
/* The part that a host is in, at the time of the whole; or the world. */
struct fabric *fabric_at_host(struct fabric *f, uint32_t host);
struct fabric *fabric_whole(struct fabric *f);
bool fabric_notes_pause(struct fabric *f, bool stops);
enum fabric_end fabric_run_parts(struct fabric *f, iw_time until);
iw_time fabric_next_of_parts(struct fabric *f);

/* ---- laws.c ---- */

/* Law of conservation: each packet sent or duplicated was delivered, dropped or lost, or has a cell. Of one event. */
bool fabric_keeps_cells(const struct fabric *f);
/* The same, for which all packets in flight are counted where they are; true when it is not the time to do so. */
bool fabric_keeps_packets(const struct fabric *f);
/* The octets that wait in a switch are those of its ports together; with PFC, those of its ingresses together. */
bool fabric_octets_agree(const struct fabric *f, const struct fabric_switch *s);
/* As many ports as are counted told the other side to stop. */
bool fabric_pauses_agree(const struct fabric *f);
/* Hosts have as many ports each, in order, then switches theirs; each port is the peer of its peer. */
bool fabric_is_joined(const struct fabric *f);

/* In a queue are octets exactly when there is a packet. */
static inline bool fabric_fifo_agrees(const struct fabric_fifo *q)
{
    return !q->head == !q->octets;
}

static inline bool fabric_port_agrees(const struct fabric_port *p)
{
    return !p->waits == !p->waiting;
}

/* Law: during a window a part writes nothing that another one reads; so it acts on no node but its own. */
static inline bool fabric_is_own(const struct fabric *f, uint32_t node)
{
    return !f->parts || !f->parts->ahead || f->parts->of[node] == f->number;
}

/* The links from hosts come first, those of a host together. */
static inline uint32_t fabric_first_port(const struct fabric *f, uint32_t host)
{
    return f->first ? f->first[host] : host * f->extent.host_ports;
}

static inline uint32_t fabric_host_ports(const struct fabric *f, uint32_t host)
{
    return f->first ? f->first[host + 1] - f->first[host] : f->extent.host_ports;
}

static inline uint32_t fabric_sender(const struct fabric *f, uint32_t link)
{
    return f->port[f->port[link].peer].peer_node;
}

static inline uint32_t fabric_host_of(const struct fabric *f, uint32_t port)
{
    if (f->first)
        return fabric_sender(f, port);
    return f->extent.host_ports == 1 ? port : port / f->extent.host_ports;
}

/* ---- telling ---- */

void fabric_tell(const struct fabric *f, enum fabric_event_kind kind, uint32_t link,
                 const struct fabric_cell *c, uint64_t waiting, iw_time extra);
static inline uint32_t timer_of_workload(const struct fabric *f, uint32_t timer)
{
    return f->extent.hosts + timer;
}

#endif
