/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TCP: what both ends of a data segment cost together, headers only, with little and with much in flight; memory.
 *   tcp_bench               all of it
 *   tcp_bench N SEGMENTS    that many segments, over N connections in turn, for valgrind (see cold.py) */
#include "bench.h"
#include "llp/tcp.h"

#define US ((iw_time)1000000)
enum { MTU = 1500, RECORD = MTU - 40, NOTE = 24, PACKET = TCP_HEAD_MAX + 2 + NOTE, SEGMENTS = 2000000 };

/* Two ends and what is on its way between them, in order. */
struct flow {
    struct tcp *end[2];
    uint8_t (*octets)[PACKET];
    struct ip_packet *way;
    uint32_t room, first, count;
    iw_time now;
    uint64_t sent;
};

static void *table(struct tcp *t, enum tcp_table which, uint32_t entries)
{
    void *old, *memory = must(malloc(tcp_table_octets(t, which, entries)));
    if (tcp_table_move(t, which, memory, entries, &old))
        exit(3);
    return memory;
}

static uint32_t power_above(uint32_t n)
{
    uint32_t p = 16;
    while (p < n)
        p *= 2;
    return p;
}

static struct tcp *end_new(int side, uint32_t flight, const struct tcp_congestion *congestion)
{
    struct tcp_conf conf;
    tcp_defaults(&conf);
    conf.local_port = (uint16_t)(1 + side);
    conf.remote_port = (uint16_t)(2 - side);
    conf.mtu = MTU;
    conf.note_max = NOTE;
    conf.window_shift = 14;
    conf.congestion = congestion;
    conf.fixed_window = flight;
    conf.initial_window = flight / RECORD < 16384 ? flight / RECORD : 16384;
    struct tcp *t = must(tcp_init(must(malloc(tcp_size(&conf))), &conf));
    table(t, TCP_RECORDS, power_above(flight / RECORD + 8));
    tcp_credit(t, 0, (uint64_t)1 << 29, false);
    return t;
}

/* What end `side` has to say goes straight to the other. */
static bool say(struct flow *f, int side)
{
    uint8_t octets[PACKET];
    struct tcp_segment s;
    struct ip_packet p = {.octets = octets};
    if (!tcp_transmit(f->end[side], f->now, &p))
        return false;
    tcp_accept(f->end[!side], f->now, &p, &s);
    return true;
}

/* One data segment leaves, if cwnd and window let it. */
static bool leave(struct flow *f)
{
    struct tcp *t = f->end[0];
    uint8_t note[NOTE] = {0};
    struct ip_packet *p = &f->way[(f->first + f->count) & (f->room - 1)];
    if (tcp_unsent(t) < RECORD && tcp_append_note(t, f->now, RECORD, note, sizeof note))
        return false;
    p->octets = f->octets[(f->first + f->count) & (f->room - 1)];
    if (!tcp_transmit(t, f->now, p))
        return false;
    f->count++;
    f->sent++;
    return true;
}

/* The oldest on its way arrives. */
static void arrive(struct flow *f)
{
    struct tcp_wire w;
    struct tcp_segment s;
    const struct ip_packet *p = &f->way[f->first++ & (f->room - 1)];
    f->count--;
    if (!tcp_read(f->end[1], p, &w) || tcp_judge(f->end[1], &w, &s) != TCP_TAKEN)
        exit(3);
    tcp_take(f->end[1], f->now, &w, &s);
    tcp_credit(f->end[1], f->now, tcp_received(f->end[1]) + ((uint64_t)1 << 29), false);
    while (tcp_ack_due(f->end[1]))
        say(f, 1);
}

static struct flow flow_new(uint32_t flight, const struct tcp_congestion *congestion)
{
    struct flow f = {.room = power_above(flight / RECORD + 8), .now = US};
    f.octets = must(malloc(f.room * sizeof *f.octets));
    f.way = must(calloc(f.room, sizeof *f.way));
    for (int side = 0; side < 2; side++)
        f.end[side] = end_new(side, flight, congestion);
    tcp_listen(f.end[1]);
    tcp_connect(f.end[0], f.now);
    for (int i = 0; i < 3; i++) {
        f.now += US;
        say(&f, i % 2);
    }
    if (tcp_state(f.end[1]) != TCP_ESTABLISHED)
        exit(3);
    return f;
}

static void flow_free(struct flow *f)
{
    free(f->octets);
    free(f->way);
}

/* Segments leave as soon as they may; time passes so that a round trip is 100 us whatever is in flight. */
static void run(struct flow *f, uint64_t segments, uint32_t flight)
{
    iw_time step = 100 * US / (flight / RECORD);
    for (uint64_t until = f->sent + segments; f->sent < until;) {
        struct tcp_event e;
        while (leave(f))
            ;
        arrive(f);
        f->now += step;
        while (tcp_event(f->end[0], &e))
            ;
    }
}

static double cost(uint32_t flight, const struct tcp_congestion *congestion)
{
    struct flow f = flow_new(flight, congestion);
    double best = 1e9;
    run(&f, SEGMENTS / 10 + flight / RECORD * 2, flight);
    for (int i = 0; i < 5; i++) {
        double from = now_ns();
        uint64_t sent = f.sent;
        run(&f, SEGMENTS / 5, flight);
        double each = (now_ns() - from) / (double)(f.sent - sent);
        best = each < best ? each : best;
    }
    if (tcp_statistics(f.end[0])->retransmits)
        exit(3);
    flow_free(&f);
    return best;
}

int main(int argc, char **argv)
{
    static const uint32_t flights[] = {25000, 250000, 2500000, 25000000};
    if (argc == 3) {
        struct flow f = flow_new(25000, &tcp_fixed);
        run(&f, strtoull(argv[2], NULL, 10), 25000);
        return 0;
    }
    double least = cost(flights[0], &tcp_fixed);
    for (int i = 0; i < 4; i++) {
        char what[64];
        snprintf(what, sizeof what, "both ends of a segment, %u octets in flight", flights[i]);
        row(what, cost(flights[i], &tcp_fixed), least, "25 kB in flight");
    }
    for (int i = 0; i < TCP_CONGESTIONS; i++)
        if (!tcp_congestions[i]->fixed)
            row(tcp_congestion_words[i], cost(flights[1], tcp_congestions[i]), least, "fixed, 25 kB");
    struct tcp_conf conf;
    tcp_defaults(&conf);
    conf.local_port = 1;
    conf.mtu = MTU;
    conf.note_max = NOTE;
    conf.ranges = 0;
    conf.records = 4;
    size_t four = tcp_size(&conf);
    conf.records = 8;
    size_t record = (tcp_size(&conf) - four) / 4;
    printf("an idle connection %zu octets, a record %zu with a note of %d\n", four - 4 * record, record,
           NOTE);
    return 0;
}
