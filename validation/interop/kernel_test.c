/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_test.c -- the project's TCP and the kernel's TCP, over a TUN device in a network namespace of the test's own.
 *
 *      our_end --> channel --> TUN device --> kernel's socket        200 transfers each way, over clean, losing, reordering and
 *              <-- channel <--            <--                        duplicating channels, and all of that at once
 *
 *   kernel_test [tun | veth]      veth: a packet socket on a pair of virtual Ethernet devices, else the second choice
 *
 * What arrives has the SHA-256 of what was sent, and both ends end with FIN; octets are judged, never counters or times.
 * Exit 77 and a sentence where neither device can be had; 1 with IWARPSIM_NEED_TUN=1. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "channel/channel.h"
#include "helpers/base/sha256.h"
#include "kernel_end.h"
#include "namespace.h"
#include "our_end.h"
#include "socket/ipv4.h"
#include "socket/tun.h"

#define MS ((iw_time)1000000000)

enum {
    SKIPPED = 77,
    KERNEL = 0x0a4d0001, /* 10.77.0.1 */
    OURS = 0x0a4d0002,
    KERNEL_PORT = 7000,
    OUR_PORT = 10000, /* and the number of the pair */
    PAIRS = 60,       /* a third sends, a third receives, a third does both: 40 transfers each way */
    MTU = 9000,
    PATIENCE = 120 /* seconds after which a phase is taken to hang */
};

struct phase {
    const char *name;
    struct channel_conf channel;
    unsigned mark_every; /* of so many packets that may carry CE one does; 0: none */
};

static const struct phase phases[] = {
    {.name = "clean"},
    {.name = "loss", .channel = {.loss = 0.02}},
    {.name = "reorder", .channel = {.reorder = {.probability = 0.05, .delay = 2 * MS}, .jitter = MS / 10}},
    {.name = "duplicate", .channel = {.duplicate = 0.05}, .mark_every = 20},
    {.name = "all",
     .channel = {.loss = 0.01,
                 .duplicate = 0.02,
                 .reorder = {.probability = 0.03, .delay = 3 * MS},
                 .jitter = MS / 10},
     .mark_every = 20},
};

struct pair {
    struct our_end ours;
    struct kernel_end kernel;
    uint8_t *up, *down; /* what we send, what the kernel sends */
    struct channel channel[2];
    bool active; /* we connect */
};

/* A packet on its way. */
struct waiting {
    struct waiting *next;
    iw_time at;
    bool to_kernel;
    size_t len;
    uint8_t octets[];
};

struct wire {
    struct tun tun;
    struct pair pair[PAIRS];
    const struct phase *phase;
    struct waiting *first;
    int listening;
    uint64_t octets, packets, marked;
    uint16_t identification;
};

static iw_time clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (iw_time)t.tv_sec * 1000 * MS + (iw_time)t.tv_nsec * 1000;
}

/* ---- the wire ---- */

static struct pair *pair_of(struct wire *w, uint16_t our_port)
{
    unsigned k = (unsigned)our_port - OUR_PORT;
    return k < PAIRS ? &w->pair[k] : NULL;
}

static uint16_t port_at(const uint8_t *transport)
{
    return (uint16_t)(transport[0] << 8 | transport[1]);
}

static void give_kernel(struct wire *w, const uint8_t *octets, size_t len)
{
    w->packets++;
    tun_write(&w->tun, octets, len);
}

static void write_packet(struct wire *w, uint8_t *room, const struct ip_packet *p)
{
    ipv4_put(room, p, OURS, KERNEL, w->identification++);
}

/* A connection that is gone answers with RST, unharmed. */
static void answer_stray(struct wire *w, const struct ip_packet *in)
{
    uint8_t room[IP_HEAD + TCP_HEAD_MAX];
    struct ip_packet out = {.octets = room + IP_HEAD};
    if (!tcp_answer_stray(in, &out))
        return;
    write_packet(w, room, &out);
    give_kernel(w, room, out.size);
}

/* What arrived after the channel. */
static void give_us(struct wire *w, uint8_t *octets, size_t len)
{
    struct ip_packet in;
    uint32_t from, to;
    if (!ipv4_get(octets, len, &in, &from, &to) || in.protocol != IP_PROTOCOL_TCP || in.head < TCP_HEAD ||
        from != KERNEL || to != OURS)
        return;
    struct pair *p = pair_of(w, port_at(in.octets + 2));
    if (p && tcp_state(p->ours.t) != TCP_CLOSED)
        our_end_arrive(&p->ours, clock_now(), &in);
    else
        answer_stray(w, &in);
}

static void deliver(struct wire *w, bool to_kernel, uint8_t *octets, size_t len)
{
    if (to_kernel)
        give_kernel(w, octets, len);
    else
        give_us(w, octets, len);
}

static void wait_on_wire(struct wire *w, bool to_kernel, const uint8_t *octets, size_t len, iw_time at)
{
    struct waiting *p = malloc(sizeof *p + len), **place = &w->first;
    *p = (struct waiting){.at = at, .to_kernel = to_kernel, .len = len};
    memcpy(p->octets, octets, len);
    while (*place && (*place)->at <= at)
        place = &(*place)->next;
    p->next = *place;
    *place = p;
}

static void mark(struct wire *w, uint8_t *octets, size_t len)
{
    struct ip_packet p;
    uint32_t from, to;
    if (!w->phase->mark_every || !(octets[1] & 3) || !ipv4_get(octets, len, &p, &from, &to) ||
        channel_draw(7, w->marked++) % w->phase->mark_every)
        return;
    p.ecn = IP_CE;
    ipv4_put(octets, &p, from, to, 0);
}

/* Through the channel of the connection that a packet belongs to. */
static void pass(struct wire *w, bool to_kernel, uint8_t *octets, size_t len)
{
    if (len < IP_HEAD + TCP_HEAD || octets[0] != (4 << 4 | IP_HEAD / 4))
        return;
    struct pair *p = pair_of(w, port_at(octets + IP_HEAD + (to_kernel ? 0 : 2)));
    if (!p)
        return;
    struct channel_fate fate = channel_take(&p->channel[to_kernel], 0);
    if (fate.lost)
        return;
    mark(w, octets, len);
    for (int copy = 0; copy <= fate.duplicated; copy++)
        if (fate.delay)
            wait_on_wire(w, to_kernel, octets, len, clock_now() + fate.delay);
        else
            deliver(w, to_kernel, octets, len);
}

/* ---- one turn ---- */

static void read_device(struct wire *w)
{
    uint8_t octets[IP_HEAD + TCP_MTU_MAX];
    size_t len;
    while ((len = tun_read(&w->tun, octets, sizeof octets)) != 0)
        pass(w, false, octets, len);
}

static void arrivals(struct wire *w)
{
    while (w->first && w->first->at <= clock_now()) {
        struct waiting *p = w->first;
        w->first = p->next;
        deliver(w, p->to_kernel, p->octets, p->len);
        free(p);
    }
}

static void accept_all(struct wire *w)
{
    uint16_t port;
    for (int fd; (fd = kernel_accept(w->listening, &port)) >= 0;) {
        struct pair *p = pair_of(w, port);
        if (p && p->kernel.fd < 0)
            p->kernel.fd = fd;
        else
            close(fd);
    }
}

static void transmit_all(struct wire *w)
{
    uint8_t room[IP_HEAD + TCP_MTU_MAX];
    for (int i = 0; i < PAIRS; i++) {
        struct ip_packet out = {.octets = room + IP_HEAD};
        while (our_end_transmit(&w->pair[i].ours, clock_now(), &out)) {
            write_packet(w, room, &out);
            pass(w, true, room, out.size);
            out = (struct ip_packet){.octets = room + IP_HEAD};
        }
    }
}

/* Until something can happen. */
static void sleep_until(struct wire *w)
{
    struct pollfd fds[2 + PAIRS] = {{.fd = w->tun.fd, .events = POLLIN},
                                    {.fd = w->listening, .events = POLLIN}};
    iw_time now = clock_now(), at = now + 100 * MS;
    at = w->first && w->first->at < at ? w->first->at : at;
    for (int i = 0; i < PAIRS; i++) {
        const struct pair *p = &w->pair[i];
        iw_time deadline = our_end_deadline(&p->ours, now);
        at = deadline < at ? deadline : at;
        short events = p->kernel.fd < 0 ? 0 : kernel_end_events(&p->kernel);
        fds[2 + i] = (struct pollfd){.fd = events ? p->kernel.fd : -1, .events = events};
    }
    poll(fds, 2 + PAIRS, at > now ? (int)((at - now + MS - 1) / MS) : 0);
}

static void turn(struct wire *w)
{
    read_device(w);
    arrivals(w);
    accept_all(w);
    for (int i = 0; i < PAIRS; i++)
        kernel_end_turn(&w->pair[i].kernel);
    transmit_all(w);
}

static bool is_done(const struct pair *p)
{
    return our_end_is_done(&p->ours) && kernel_end_is_done(&p->kernel);
}

static bool is_wrong(const struct pair *p)
{
    return p->ours.wrong || p->ours.gone || p->kernel.error;
}

static bool all_rest(const struct wire *w)
{
    for (int i = 0; i < PAIRS; i++)
        if (!is_done(&w->pair[i]) && !is_wrong(&w->pair[i]))
            return false;
    return true;
}

/* ---- a pair: what is tried, over and over in other company ---- */

static size_t size_of(unsigned k)
{
    static const size_t sizes[] = {1, 100, 1448, 1461, 4096, 20000, 65536, 131072, 250001, 500000, 1000003};
    return sizes[k % (sizeof sizes / sizeof *sizes)];
}

static uint8_t *octets_of(uint64_t key, size_t size)
{
    uint8_t *octets = malloc(size + 8);
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = channel_draw(key, i);
        memcpy(octets + i, &word, sizeof word);
    }
    return octets;
}

/* Going back receives over no path that reorders: the kernel, whose peers keep what is early, has nothing but a timeout,
 * doubled each time, for each packet that was overtaken. */
static void conf_of(struct tcp_conf *c, unsigned k, unsigned phase)
{
    static const uint16_t mtus[] = {1500, 9000, 576, 1500, 1280};
    tcp_defaults(c);
    c->local_address = OURS;
    c->remote_address = KERNEL;
    c->local_port = (uint16_t)(OUR_PORT + k);
    c->mtu = mtus[k % 5];
    c->iss = (uint32_t)channel_draw(phase, k) | (k % 3 ? 0 : 0xffff0000u); /* a third wraps */
    c->congestion = tcp_congestions[k % TCP_CONGESTIONS];
    c->detection = tcp_detections[k / 4 % TCP_DETECTIONS];
    c->fixed_window = 40000;
    c->go_back_n = k % 7 == 6 && (k % 3 == 0 || !phases[phase].channel.reorder.probability);
    c->timestamps = k / 2 % 2;
    c->pacing = k % 5 == 4;
    c->ecn = k / 3 % 2 || c->congestion->ecn;
    c->delayed_ack = (uint8_t)(1 + k / 5 % 2);
    c->delayed_ack_timeout = 40 * MS;
    c->min_rto = 200 * MS;
    c->initial_rto = 400 * MS;
    c->max_rto = 2000 * MS;
}

static bool pair_open(struct wire *w, unsigned k, unsigned phase)
{
    struct pair *p = &w->pair[k];
    struct tcp_conf conf;
    unsigned kind = k % 3, n = k / 3 + phase;
    size_t up = kind == 1 ? 0 : size_of(n), down = kind == 0 ? 0 : size_of(n * 3 + kind);
    uint64_t key = channel_key(phase, 0, k, 0);
    *p = (struct pair){.up = octets_of(key, up), .down = octets_of(key + 1, down), .active = k / 3 % 2};
    p->ours = (struct our_end){.out = p->up,
                               .out_len = up,
                               .in = malloc(down + 1),
                               .in_len = down,
                               .read_rate = k % 10 == 3 ? 4096 : 0,
                               .draw = key,
                               .window = k % 4 == 1 ? 20000 : 200000};
    p->kernel = (struct kernel_end){.fd = -1,
                                    .out = p->down,
                                    .out_len = down,
                                    .in = malloc(up + 1),
                                    .in_len = up,
                                    .reads = k % 8 == 4 ? 3000 : 0};
    for (uint32_t side = 0; side < 2; side++)
        channel_init(&p->channel[side], &w->phase->channel, phase + 1, 0, k, side);
    conf_of(&conf, k, phase);
    conf.remote_port = p->active ? KERNEL_PORT : 0;
    if (!our_end_open(&p->ours, &conf, p->active, clock_now()))
        return false;
    if (p->active)
        return true;
    p->kernel.fd = kernel_connect(OURS, conf.local_port, k % 6 == 1 ? 8192 : 0, k % 4 == 1 ? "bbr" : "reno");
    return p->kernel.fd >= 0;
}

static bool same(const char *what, unsigned k, const uint8_t *sent, size_t sent_len, const uint8_t *got,
                 size_t len)
{
    char a[SHA256_TEXT], b[SHA256_TEXT];
    sha256_text(sent, sent_len, a);
    sha256_text(got, len, b);
    if (len == sent_len && !strcmp(a, b))
        return true;
    printf("    pair %u, %s: %zu octets of SHA-256 %.16s came as %zu of %.16s\n", k, what, sent_len, a, len,
           b);
    return false;
}

static bool pair_judge(const struct wire *w, unsigned k)
{
    const struct pair *p = &w->pair[k];
    if (is_wrong(p) || !is_done(p)) {
        printf("    pair %u: %s; we are %s, %llu of %zu acknowledged, %llu of %zu here; the kernel sent %zu, "
               "got %zu: %s\n",
               k, p->ours.wrong ? p->ours.wrong : "not at its end", p->ours.gone ? "gone" : "there",
               (unsigned long long)tcp_acked(p->ours.t), p->ours.out_len,
               (unsigned long long)tcp_received(p->ours.t), p->ours.in_len, p->kernel.sent,
               p->kernel.received, strerror(p->kernel.error));
        return false;
    }
    bool up = same("to the kernel", k, p->up, p->ours.out_len, p->kernel.in, p->kernel.received);
    bool down = same("from the kernel", k, p->down, p->kernel.out_len, p->ours.in, tcp_received(p->ours.t));
    return up && down;
}

static void pair_close(struct pair *p)
{
    if (p->kernel.fd >= 0)
        close(p->kernel.fd);
    our_end_free(&p->ours);
    free(p->ours.in);
    free(p->kernel.in);
    free(p->up);
    free(p->down);
}

/* ---- a phase ---- */

static unsigned phase_run(struct wire *w, unsigned number)
{
    unsigned wrong = 0, out = 0, in = 0;
    uint64_t octets = 0, again = 0;
    w->phase = &phases[number];
    w->packets = 0;
    for (unsigned k = 0; k < PAIRS; k++)
        if (!pair_open(w, k, number))
            return printf("pair %u of %s cannot be made\n", k, w->phase->name), 1;
    iw_time from = clock_now();
    for (turn(w); !all_rest(w) && clock_now() - from < PATIENCE * 1000 * MS; turn(w))
        sleep_until(w);
    for (unsigned k = 0; k < PAIRS; k++) {
        const struct pair *p = &w->pair[k];
        wrong += !pair_judge(w, k);
        out += p->ours.out_len > 0;
        in += p->ours.in_len > 0;
        octets += p->ours.out_len + p->ours.in_len;
        again += tcp_statistics(p->ours.t)->retransmits;
        pair_close(&w->pair[k]);
    }
    while (w->first) {
        struct waiting *p = w->first;
        w->first = p->next;
        free(p);
    }
    printf("%-10s %3u transfers to the kernel, %3u from it, %9llu octets, %6llu packets of ours, %4llu of "
           "them sent "
           "again, %.1f s: %u wrong\n",
           w->phase->name, out, in, (unsigned long long)octets, (unsigned long long)w->packets,
           (unsigned long long)again, (double)(clock_now() - from) / (1e3 * (double)MS), wrong);
    fflush(stdout);
    return wrong;
}

/* ---- the device ---- */

static int not_tested(const char *why)
{
    const char *need = getenv("IWARPSIM_NEED_TUN");
    printf("live kernel peer: not tested (%s)\n", why);
    return need && !strcmp(need, "1") ? 1 : SKIPPED;
}

static bool device_open(struct wire *w, const char *kind, char why[TUN_WHY_MAX])
{
    struct tun_conf conf = {.name = "iwarp0", .address = KERNEL, .prefix = 24, .mtu = MTU};
    char second[TUN_WHY_MAX];
    if ((!kind || !strcmp(kind, "tun")) && tun_open(&w->tun, &conf, TUN_DEVICE, why))
        return true;
    return (!kind || !strcmp(kind, "veth")) && tun_open(&w->tun, &conf, TUN_VETH, kind ? why : second);
}

int main(int argc, char **argv)
{
    static struct wire w;
    char why[TUN_WHY_MAX];
    unsigned wrong = 0;
    if (!namespace_enter(why, sizeof why) || !device_open(&w, argc > 1 ? argv[1] : NULL, why))
        return not_tested(why);
    namespace_set("/proc/sys/net/ipv4/tcp_ecn", "1");
    w.listening = kernel_listen(KERNEL, KERNEL_PORT);
    if (w.listening < 0)
        return not_tested(strerror(-w.listening));
    printf("the kernel's TCP over a %s\n", w.tun.kind == TUN_DEVICE ? "TUN device" : "veth pair");
    for (unsigned i = 0; i < sizeof phases / sizeof *phases; i++)
        wrong += phase_run(&w, i);
    close(w.listening);
    tun_close(&w.tun);
    printf("live kernel peer: tested%s\n", wrong ? ", and it failed" : "");
    return wrong ? 1 : 0;
}
