/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SCTP: throughput beside the closed form, what drops and a lost tail cost, CPU and memory.
 *   sctp_bench              all of it
 *   sctp_bench N SEGMENTS   that many, over N associations in turn, for valgrind (see cold.py)
 *   sctp_bench 0 SEGMENTS   that many over the simulated link */
#include "bench.h"
#include "llp/sctp_ddp.h"
#include "validation/support/sctp_link.h"

#define US ((iw_time)1000000)
enum { MTU = 1480, PAYLOAD = MTU - SCTP_OVERHEAD, FRAMING = 58, HEAD = SCTP_DDP_HEAD_MAX };

/* ---- two ends on a link, one way ---- */

struct flow {
    struct sctp_link *link;
    uint64_t total, sent, got, lose, left;
    iw_time half, last, lost_at;
    bool ended;
};

static bool take(void *user, int side, iw_time now, const struct sctp_in *in)
{
    struct flow *f = user;
    (void)in;
    f->got += side == 1;
    if (f->got == f->total / 2)
        f->half = now;
    f->last = now;
    return true;
}

static void pull(void *user, int side, iw_time now)
{
    struct flow *f = user;
    struct sctp *a = sctp_link_end(f->link, 0);
    struct iw_frag frag = {NULL, PAYLOAD};
    struct sctp_out out = {
        .ppid = 16, .unordered = true, .retransmits = SCTP_RELIABLE, .frags = 1, .frag = &frag};
    while (!side && f->sent < f->total && sctp_unsent(a) < PAYLOAD && sctp_send(a, now, &out) == IW_OK)
        f->sent++;
}

/* The channel takes the packet `lose` and no other. */
static void left(void *user, int side, iw_time now, const uint8_t *packet, uint32_t len, uint32_t wire,
                 const struct channel_fate *fate, bool dropped)
{
    struct flow *f = user;
    (void)packet, (void)len, (void)wire, (void)dropped;
    if (fate->lost)
        f->lost_at = now;
    if (!side && f->lose)
        sctp_link_impair(f->link, 0, ++f->left == f->lose - 1);
}

static struct sctp_link_conf link_of(iw_time rtt)
{
    struct sctp_link_conf c = {
        .rate = 100000000000, .delay = rtt / 2, .framing = FRAMING, .seed = 1, .flights = 8192};
    for (int i = 0; i < 2; i++) {
        struct sctp_conf *e = &c.end[i];
        sctp_defaults(e);
        e->local_port = (uint16_t)(1 + i);
        e->remote_port = (uint16_t)(2 - i);
        e->mtu = MTU;
        e->chunks = 4096;
        e->head_max = HEAD;
        e->store = 4096 * HEAD;
        e->hold = 0;
        e->rwnd = 64 << 20;
        e->rto_min = 100 * US;
        e->rto_initial = 1000 * US;
        e->sack_delay = 5 * US;
    }
    return c;
}

static void run(struct flow *f, const struct sctp_link_conf *c, uint64_t messages)
{
    struct sctp_link_user user = {.user = f, .take = take, .pull = pull, .left = left};
    uint64_t lose = f->lose;
    *f = (struct flow){0};
    f->link = must(sctp_link_init(must(malloc(sctp_link_size(c))), c, &user));
    if (!sctp_link_connect(f->link, 1000000 * US))
        exit(3);
    f->lose = lose;
    f->total = messages;
    sctp_link_kick(f->link, 0);
    while (f->got < messages && sctp_link_step(f->link))
        if (sctp_state(sctp_link_end(f->link, 0)) != SCTP_ESTABLISHED)
            break;
    f->ended = f->got < messages;
}

static void throughput(void)
{
    for (iw_time rtt = 10; rtt <= 100; rtt *= 10) {
        struct sctp_link_conf c = link_of(rtt * US);
        struct flow f = {0};
        run(&f, &c, 40000);
        double gbps = 20000.0 * PAYLOAD * 8e3 / (double)(f.last - f.half),
               closed = 100.0 * PAYLOAD / (MTU + FRAMING);
        printf("100 Gb/s, RTT %3u us, steady: %.2f Gb/s, %.1f %% of the closed form %.2f\n", (unsigned)rtt,
               gbps, 100 * gbps / closed, closed);
        free(f.link);
    }
}

/* Each seed another round trip, burst limit and acknowledgement; the buffer of the bottleneck is one BDP. */
static void drop_tail(void)
{
    uint64_t drops = 0, again = 0, aborts = 0, seeds = 1000, dropless = 0, rng = 1;
    double worst = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct flow f = {0};
        rng = rng * 6364136223846793005u + 1442695040888963407u;
        iw_time rtt = (10 + (rng >> 33) % 91) * US;
        struct sctp_link_conf c = link_of(rtt);
        c.narrow_rate = 10000000000;
        c.narrow_buffer = c.narrow_rate / 8 * (rtt / US) / 1000000;
        c.end[0].burst = (uint32_t)(rng >> 40) % 17;
        c.end[1].sack_every = 1 + (uint32_t)(rng >> 50) % 4;
        run(&f, &c, 3000);
        uint64_t lost = sctp_link_statistics(f.link, 0)->dropped;
        uint64_t resent = sctp_statistics(sctp_link_end(f.link, 0))->retransmits;
        drops += lost;
        again += resent;
        aborts += f.ended;
        dropless += lost == 0;
        if (lost && (double)resent / (double)lost > worst)
            worst = (double)resent / (double)lost;
        free(f.link);
    }
    printf("drop-tail at one BDP, 10 Gb/s, RTT 10 .. 100 us, %llu seeds: %llu drops, %llu retransmissions "
           "(%.3f x; worst seed "
           "%.2f x; %llu without a drop), %llu aborts\n",
           (unsigned long long)seeds, (unsigned long long)drops, (unsigned long long)again,
           (double)again / (double)drops, worst, (unsigned long long)dropless, (unsigned long long)aborts);
}

static void lost_tail(void)
{
    for (iw_time rtt = 10; rtt <= 100; rtt *= 10) {
        struct sctp_link_conf c = link_of(rtt * US);
        struct flow f = {.lose = 200};
        c.channel.loss = 1;
        run(&f, &c, 200);
        double rto = (double)sctp_statistics(sctp_link_end(f.link, 0))->rto / 2e6,
               took = (double)(f.last - f.lost_at) / 1e6;
        printf("lost tail, RTT %3u us: there %.1f us after it was lost, %.1f after the last SACK before (RTO "
               "%.1f)\n",
               (unsigned)rtt, took, took - (double)rtt - 5, rto);
        free(f.link);
    }
}

/* ---- without a link: what one chunk costs ---- */

struct couple {
    struct sctp *end[2];
    iw_time now;
};

static void carry(struct couple *c, int from)
{
    static uint8_t packet[SCTP_MTU_MAX];
    struct sctp_in in;
    uint32_t len;
    while ((len = sctp_transmit(c->end[from], c->now, packet, NULL)))
        if (sctp_receive(c->end[!from], c->now, packet, len) == IW_OK)
            while (sctp_take(c->end[!from], &in))
                ;
}

static void couple_init(struct couple *c, uint16_t chunks)
{
    struct sctp_link_conf conf = link_of(10 * US);
    for (int i = 0; i < 2; i++) {
        conf.end[i].chunks = chunks;
        conf.end[i].store = (uint32_t)chunks * HEAD;
        c->end[i] = must(sctp_init(must(malloc(sctp_size(&conf.end[i]))), &conf.end[i]));
    }
    c->now = 0;
    sctp_connect(c->end[0], 0);
    for (int i = 0; i < 4; i++)
        carry(c, i & 1);
    if (sctp_state(c->end[0]) != SCTP_ESTABLISHED)
        exit(3);
}

static void couple_free(struct couple *c)
{
    free(c->end[0]);
    free(c->end[1]);
}

/* One DATA chunk there, and every second time its SACK back. Not inlined: cold.py counts what happens in
 * here. */
__attribute__((noinline)) void receive_one(struct couple *c, const struct sctp_out *out);
void receive_one(struct couple *c, const struct sctp_out *out)
{
    c->now += US;
    if (sctp_send(c->end[0], c->now, out) != IW_OK)
        exit(3);
    carry(c, 0);
    carry(c, 1);
}

static void crowd(struct couple *c, uint32_t count, uint64_t segments)
{
    struct iw_frag frag = {NULL, PAYLOAD};
    struct sctp_out out = {
        .ppid = 16, .unordered = true, .retransmits = SCTP_RELIABLE, .frags = 1, .frag = &frag};
    for (uint64_t n = 0; n < segments; n++)
        receive_one(&c[n % count], &out);
}

static double time_of(uint32_t count, uint64_t segments)
{
    struct couple *c = must(calloc(count, sizeof *c));
    for (uint32_t i = 0; i < count; i++)
        couple_init(&c[i], SCTP_CHUNKS_MIN);
    crowd(c, count, count);
    double start = now_ns();
    crowd(c, count, segments);
    double ns = (now_ns() - start) / (double)segments;
    for (uint32_t i = 0; i < count; i++)
        couple_free(&c[i]);
    free(c);
    return ns;
}

/* The same over the test rig's link: its heap of packets, its channel, the port. */
static double time_linked(uint64_t messages)
{
    struct sctp_link_conf c = link_of(10 * US);
    struct flow f = {0};
    double start = now_ns();
    run(&f, &c, messages);
    double ns = (now_ns() - start) / (double)messages;
    free(f.link);
    return ns;
}

static void costs(void)
{
    double one = time_of(1, 1000000), linked = time_linked(1000000);
    for (int i = 0; i < 4; i++) {
        double again = time_of(1, 1000000);
        one = again < one ? again : one;
        again = time_linked(1000000);
        linked = again < linked ? again : linked;
    }
    row("DATA chunk and its share of SACKs, both ends", one, 250, "the bound of 250 ns");
    row("the same with the simulated link", linked, 250, "the bound of 250 ns");
    for (uint32_t n = 10; n <= 10000; n *= 10) {
        char what[64];
        snprintf(what, sizeof what, "the same, %u associations in turn", n);
        row(what, time_of(n, 1000000), one, "1 association");
    }
}

static void memory(void)
{
    struct sctp_conf c = link_of(10 * US).end[0];
    c.chunks = 1024;
    c.store = 1024 * HEAD;
    size_t all = sctp_size(&c);
    printf("memory of one end: %zu octets beside %u for each chunk and its octets\n",
           all - c.store - (size_t)c.chunks * sctp_chunk_octets(), sctp_chunk_octets());
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        uint32_t count = (uint32_t)strtoul(argv[1], NULL, 10);
        uint64_t segments = strtoul(argv[2], NULL, 10);
        if (!segments)
            return 2;
        if (!count)
            return time_linked(segments) <= 0;
        struct couple *c = must(calloc(count, sizeof *c));
        for (uint32_t i = 0; i < count; i++)
            couple_init(&c[i], SCTP_CHUNKS_MIN);
        crowd(c, count, segments);
        return 0;
    }
    throughput();
    drop_tail();
    lost_tail();
    costs();
    memory();
    return 0;
}
